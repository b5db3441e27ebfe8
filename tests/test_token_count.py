import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posh_lite import PoSh
from posh_lite.errors import InputError
from posh_lite.evaluation import token_count
from posh_lite.evaluation.token_count import approximate_tokens, count_ways, same_scores, tree_size
from posh_lite.judge.calibration import Accuracy, CalibratedJudge, Calibration, Curve
from posh_lite.judge.table import TableJudge
from posh_lite.records import Pair

GENERATION = "A tall man in a red coat holds a small dog. Another man sits on a bench."
REFERENCE = "A man with a dog. A second man rests."
PAIR = Pair("1", GENERATION, REFERENCE)
CHAT = (("<",) * 2, (">",) * 3)


def posh(score):
    judge = TableJudge(lambda q: score, name="table")
    judge.structural = False
    return PoSh(judge, identifiers="lazy", progress=False), judge


def words(text):
    return text.split()


def counts(score, share=1.0, pairs=(PAIR,)):
    metric, judge = posh(score)
    return count_ways(metric, pairs, tokenize=words, chat=CHAT, share=share), judge


@pytest.mark.parametrize(
    ("prompts", "size"),
    [
        ([], 0),
        ([[]], 0),
        (["abc"], 3),
        (["abc", "abd", "abc"], 4),
        (["a", "ab", "abc", "b"], 4),
        ([[1, 2], [1, 3], [2]], 4),
    ],
)
def test_the_tree_of_prompts(prompts, size):
    assert tree_size([list(p) for p in prompts]) == size


@given(st.lists(st.lists(st.integers(0, 2), max_size=6), max_size=8))
def test_the_tree_has_a_node_for_each_distinct_beginning(prompts):
    assert tree_size(prompts) == len({tuple(p[:n]) for p in prompts for n in range(1, len(p) + 1)})


def test_tokens_put_together_are_the_text():
    for text in ("A man, 25 years old.\n\nTEXT A:\n  extraordinarily long_words 😀 \x00", "", " "):
        assert "".join(approximate_tokens(text)) == text


def test_lazy_is_what_posh_asks_and_all_what_it_asks_without_it():
    costs, judge = counts(5.0)
    assert costs["lazy"].prompts == len(judge.asked)
    every, asked = posh(5.0)
    every.lazy = False
    every.score(GENERATION, REFERENCE)
    assert costs["all, once each"].prompts == len(asked.asked)
    assert costs["lazy"].prompts < costs["all"].prompts


def test_where_no_identifier_gets_a_five_none_is_left_out():
    costs, _ = counts(4.0)
    assert costs["lazy"] == costs["all, once each"]


def test_tokens_are_those_of_the_prompts_with_the_chat_template():
    costs, judge = counts(5.0)
    assert costs["lazy"].tokens == sum(len(words(q.prompt)) + 5 for q in judge.asked)
    tree = {tuple(p[:n]) for q in judge.asked for p in [["<", "<", *words(q.prompt), ">", ">", ">"]]
            for n in range(1, len(p) + 1)}
    assert costs["lazy"].computed == len(tree)
    assert costs["lazy"].computed <= costs["lazy"].in_order <= costs["lazy"].tokens


def test_the_guide_behind_every_question_costs_and_so_do_rewrites():
    costs, _ = counts(5.0)
    assert costs["released"].computed > 2 * costs["all"].computed
    # The two men share their head: "tall man" and the relations that tell them apart are rewritten.
    assert costs["released"].prompts > costs["all"].prompts


def test_nothing_is_asked_of_what_is_absent():
    low, _ = counts(1.0)
    high, _ = counts(5.0)
    assert low["all"].prompts < high["all"].prompts


def test_a_share_of_a_cascade():
    costs, _ = counts(5.0)
    none, _ = counts(5.0, share=0.0)
    some, _ = counts(5.0, share=0.5)
    assert costs["cascade"] == costs["lazy"]
    assert none["cascade"].prompts == 0
    assert 0 < some["cascade"].prompts < costs["lazy"].prompts


def test_means_are_over_pairs():
    one, _ = counts(5.0)
    two, _ = counts(5.0, pairs=(PAIR, Pair("2", "", "")))
    assert two["lazy"].prompts == one["lazy"].prompts / 2
    assert two["all"].tokens == one["all"].tokens / 2


def test_scores_of_lazy_and_all_are_the_same():
    metric, _ = posh(4.9)
    assert same_scores(metric, [PAIR]) == 0
    assert metric.lazy is True


def test_a_judge_that_gives_no_five_stops_at_the_most_it_gives():
    metric, judge = posh(3.6)
    judge.ceiling = 3.6  # rounds to 4
    assert same_scores(metric, [PAIR]) == 0
    stopped = count_ways(metric, [PAIR], tokenize=words)
    without, _ = counts(3.6)
    assert stopped["lazy"].prompts == counts(5.0)[0]["lazy"].prompts < without["lazy"].prompts


def test_the_most_a_calibrated_judge_gives():
    judge = TableJudge(lambda q: 5.0, name="table")
    platt = Curve("platt", ((1.0, -1.0),))  # a raw 5 is 1 / (1 + e^-1) = 0.731, so 3.924
    for curves, most in (({"entity": platt}, 3.924), ({}, 5.0)):
        fitted = Calibration(
            judge.signature, "platt", 2.0, 2.0, curves, "entity", "share", {}, Accuracy(1, 1, 1, 1, 1, 1), 1.0, "", "",
            1, 0, "", "2026-01-01",
        )
        assert CalibratedJudge(judge, fitted).ceiling == pytest.approx(most, abs=1e-3)


def test_settings_out_of_range():
    metric, _ = posh(5.0)
    with pytest.raises(InputError, match="no pairs"):
        count_ways(metric, [])
    with pytest.raises(InputError, match="share"):
        count_ways(metric, [Pair("1", "a", "b")], share=1.5)


def test_the_command(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "1", "generation": GENERATION, "reference": REFERENCE}) + "\n")
    out = tmp_path / "new" / "tokens.json"
    assert token_count.main(["--pairs", str(pairs), "-o", str(out)]) == 0
    assert "greatest difference between the scores of all and lazy: 0" in capsys.readouterr().out
    record = json.loads(out.read_text())
    assert record["n"] == 1
    assert list(record["ways"]) == list(token_count.WAYS)
    assert GENERATION not in out.read_text()
    assert token_count.main(["--pairs", str(tmp_path / "none.jsonl")]) == 1
    assert token_count.main(["--pairs", str(pairs), "--tokenizer", str(tmp_path / "none.gguf")]) == 1
