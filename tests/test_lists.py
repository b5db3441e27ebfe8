"""Several questions in a prompt: what stands beside a question is its pair's own, whatever else is asked, or known."""

import sqlite3

import pytest
from captions import CAPTIONS
from engines import FakeEngine, spread
from hypothesis import given, settings
from hypothesis import strategies as st
from test_combined import weights

from posh_lite import PoSh
from posh_lite.evaluation.judges_view import list_note
from posh_lite.graph.types import Entity
from posh_lite.judge.cascade import CascadeJudge
from posh_lite.judge.cascade_policy import Policy
from posh_lite.judge.combined import CombinedJudge
from posh_lite.judge.contract import Identifier, Question
from posh_lite.judge.keys import question_digest
from posh_lite.judge.lexical import LexicalJudge
from posh_lite.judge.lists import keys_of, listed, lists, packs, sameness, together
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.log import LoggedJudge, VerdictLog
from posh_lite.judge.replay import ReplayJudge, export_log

KINDS = ("entity", "attribute", "relation")


class Lines(FakeEngine):
    """Reads lists; the answer to each line depends on the whole prompt and on its place."""

    def __init__(self, fails=lambda prompt: False, **more):
        super().__init__(spread, **more)
        self.fails = fails

    def read_list(self, prompts, counts, answers, *, chained=True):
        self.calls.append(list(prompts))
        made = []
        for prompt, count in zip(prompts, counts, strict=True):
            if self.fails(prompt):
                made.append([Reading(fault="503")] * count)
            else:
                made.append([self._reading(type(prompt)(f"{prompt.text}{n}"), n) for n in range(count)])
        return made

    @property
    def sent(self):
        return [p.text for call in self.calls for p in call]


def packed(pack=4, batch_size=64, **more):
    return LanguageJudge(Lines(**more), pack=pack, batch_size=batch_size)


def policy():
    weights = {f"{side}/{kind}": 3.0 for side in ("generation", "reference") for kind in KINDS}
    table = {f"{a}/{b}": 0.2 for a in KINDS for b in KINDS}
    return Policy(weights, {}, 1.0, table, 0.2, 0.1, {}, "first", "second")


def cascade(**more):
    return CascadeJudge(LexicalJudge(), packed(**more), policy=policy(), share=0.5)


# One generation against three references, so that questions and prompts occur in several pairs, and one pair twice.
GENERATION = "A man in a red coat and a black hat holds a large dog beside a wooden bench under an old tree."
REFERENCES = ["A tall man in a red coat holds a dog.", "An old bench stands under a tree.",
              "A man wears a black hat; a dog sits beside him on a bench."]
PAIRS = [{"id": str(n), "generation": GENERATION, "reference": r} for n, r in enumerate([*REFERENCES, REFERENCES[0]])]


def figures(judge, *, pairs=PAIRS, chunk=4, log=None, **more):
    """Every component's score by pair: finer than the three figures."""
    scores = PoSh(judge, log=log, progress=False, **more).score_many(pairs, chunk_size=chunk)
    return {s.id: [c.score for c in s.components] for s in scores}


@pytest.fixture(scope="module")
def alone():
    """Each pair by itself, with nothing known: what every other way of asking must give."""
    return {p["id"]: figures(packed(), pairs=[p])[p["id"]] for p in PAIRS}


def test_answers_in_lists_depend_on_their_list(alone):
    """Otherwise nothing below could fail."""
    assert figures(packed(pack=1)) != alone
    assert figures(packed(pack=3)) != alone


@pytest.mark.parametrize("chunk", [1, 2, 3, 4])
@pytest.mark.parametrize("batch_size", [1, 5, 64])
@pytest.mark.parametrize("logged", [False, True])
def test_chunks_batches_and_logs_change_nothing(alone, tmp_path, chunk, batch_size, logged):
    log = tmp_path / "v.sqlite" if logged else None
    assert figures(packed(batch_size=batch_size), chunk=chunk, log=log) == alone
    assert figures(packed(batch_size=batch_size), chunk=chunk, log=log, pairs=PAIRS[::-1]) == alone


def test_slices_of_what_fits_in_memory_change_nothing(alone, monkeypatch):
    monkeypatch.setattr("posh_lite.metric.asking.MAX_CHARACTERS", 1)
    assert figures(packed()) == alone


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_a_log_has_lost_the_answers_are_the_same(tmp_path_factory, alone, data):
    log = tmp_path_factory.mktemp("lists") / "v.sqlite"
    figures(packed(), log=log, pairs=PAIRS[:2])
    with sqlite3.connect(log) as connection:
        keys = [k for (k,) in connection.execute("SELECT key FROM verdicts ORDER BY key")]
        lost = data.draw(st.lists(st.sampled_from(keys), unique=True))
        connection.executemany("DELETE FROM verdicts WHERE key=?", [(k,) for k in lost])
    connection.close()
    assert figures(packed(batch_size=data.draw(st.sampled_from([1, 7, 64]))), log=log) == alone


def test_a_second_run_asks_nothing_and_a_replay_gives_the_same(alone, tmp_path):
    log, export = tmp_path / "v.sqlite", tmp_path / "v.jsonl.gz"
    figures(packed(), log=log)
    judge = packed()
    assert figures(judge, log=log, chunk=1) == alone
    assert judge.engine.sent == []
    export_log(log, export)
    for source in (log, export):
        assert figures(ReplayJudge(source), chunk=3) == alone


def test_what_a_failed_server_left_open_is_asked_in_the_same_list(alone, tmp_path):
    log, n = tmp_path / "v.sqlite", iter(range(100))
    figures(packed(fails=lambda prompt: next(n) % 2 == 0), log=log)
    judge = packed()
    assert figures(judge, log=log) == alone
    assert judge.engine.sent


@pytest.mark.parametrize("identifiers", ["first", "all"])
def test_a_cascade_over_lists_scores_a_pair_as_alone(identifiers, tmp_path):
    def made():
        judge = packed()
        return CascadeJudge(LexicalJudge(), judge, policy=policy(), share=0.5, identifiers=identifiers)

    wanted = {p["id"]: figures(made(), pairs=[p])[p["id"]] for p in PAIRS}
    for chunk in (1, 2, 4):
        assert figures(made(), chunk=chunk) == wanted
        assert figures(made(), chunk=chunk, log=tmp_path / f"{chunk}.sqlite") == wanted


def test_two_judges_weighed_over_lists_score_a_pair_as_alone(tmp_path):
    def made():
        second = packed()
        return CombinedJudge(LexicalJudge(), second, weights(LexicalJudge().signature, second.signature))

    wanted = {p["id"]: figures(made(), pairs=[p])[p["id"]] for p in PAIRS}
    for chunk in (1, 2, 4):
        assert figures(made(), chunk=chunk) == wanted
        assert figures(made(), chunk=chunk, log=tmp_path / f"{chunk}.sqlite") == wanted


# -- what belongs together ------------------------------------------------------------------------------------


def question(words, target="A cat.", side="reference", pair="p"):
    text = f"Is there {words}?"
    who = Identifier(words, Entity(0, words, ()))
    return Question(pair, side, "entity", who, target, f"Text: {target} {text} Answer:", text)


def test_a_list_is_of_one_text_of_one_pair():
    asked = [question("a"), question("b", pair="q"), question("c"), question("d", side="generation"),
             question("e", target="A dog."), question("f", pair="q")]
    assert lists(asked) == [[0, 2], [1, 5], [3], [4]]
    assert together(asked, "m pack:2 of:pair list:1") == lists(asked)
    assert together(asked, "m scale:1-5") == [[n] for n in range(6)]


@pytest.mark.parametrize(("signature", "expected"), [
    ("gguf m scale:1-5 pack:8 of:pair list:5c79d5fd", True),
    ("combined weights:w first lexical second m pack:2 of:pair list:1", True),
    ("gguf m scale:1-5 pack:8 list:5c79d5fd", False),  # recorded before lists were those of a pair
    ("gguf m scale:1-5", False), ("m backpack:8 of:pair", False), ("m pack:8 of:pairs", False),
])
def test_a_signature_says_whether_answers_come_in_lists(signature, expected):
    assert listed(signature) is expected
    same = sameness(type("J", (), {"signature": signature})())
    assert (same(question("a")) == same(question("a", pair="q"))) is not expected


def test_keys_hold_the_list_and_the_place_in_it():
    one, two, three = (question(w) for w in "abc")
    signature = "m pack:4 of:pair list:1"
    assert packs(packed()) and packs(cascade()) and not packs(packed(pack=1))
    keys = keys_of([one, two, three], signature, False)
    assert len({*keys, *keys_of([one, two], signature, False), *keys_of([three, two, one], signature, False)}) == 8
    assert keys[2] not in keys_of([three, two, one], signature, False)
    elsewhere = [question(w, pair="q") for w in "abc"]
    assert keys_of(elsewhere, signature, False) == keys  # the same list about the same text is the same
    for plain in ("m scale:1-5", "m pack:4 list:1"):
        assert keys_of([one, two], plain, False) == [question_digest(q, plain, False) for q in (one, two)]


def test_the_recorded_lists_still_replay(tmp_path):
    """A log written before, under the questions alone."""
    old = "fake model:1 scale:1-5 pack:4 list:5c79d5fd"
    asked = [question(w) for w in "abc"]
    with VerdictLog(tmp_path / "v.sqlite") as log:
        log.register(old, 2.0, False)
        verdicts = packed(pack=1).ask(asked)
        log.put(old, [(question_digest(q, old, False), v) for q, v in zip(asked, verdicts, strict=True)])
    found = ReplayJudge(tmp_path / "v.sqlite").ask(asked[::-1])
    assert [v.score for v in found] == [v.score for v in verdicts[::-1]]


# -- a cascade and what its second judge left open --------------------------------------------------------------


class Flaky(FakeEngine):
    """Fails while told to."""

    def __init__(self):
        super().__init__(lambda p: Reading(fault="503") if self.down(p) else spread(p))
        self.down = lambda prompt: False


@pytest.mark.parametrize("identifiers", ["first", "all"])
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("which", ["all", "some"])
def test_a_cascade_asks_again_what_was_left_unanswered(identifiers, share, which):
    pairs = [{"id": str(n), "generation": g, "reference": r} for n, (g, r) in enumerate(CAPTIONS)]

    def made(engine):
        second = LanguageJudge(engine)
        return CascadeJudge(LexicalJudge(), second, policy=policy(), share=share, identifiers=identifiers)

    wanted = figures(made(Flaky()), pairs=pairs)
    engine = Flaky()
    judge = made(engine)
    engine.down = lambda prompt: which == "all" or len(prompt.text) % 2 == 0
    broken = figures(judge, pairs=pairs)
    assert judge.n_unanswered > 0 and broken != wanted
    engine.down = lambda prompt: False
    assert figures(judge, pairs=pairs) == wanted
    asked = judge.n_second
    assert figures(judge, pairs=pairs) == wanted
    assert judge.n_second == asked  # what is answered is known


def test_a_question_left_open_is_open_for_its_text_alone(tmp_path):
    engine = Flaky()
    judge = CascadeJudge(LexicalJudge(), LanguageJudge(engine), policy=policy(), share=1.0)
    one, two = ({"id": str(n), "generation": g, "reference": r} for n, (g, r) in enumerate(CAPTIONS[:2]))
    figures(judge, pairs=[one])
    engine.down = lambda prompt: True
    figures(judge, pairs=[two])
    engine.down = lambda prompt: False
    before = judge.n_second
    figures(judge, pairs=[one])
    assert judge.n_second == before
    figures(judge, pairs=[two])
    assert judge.n_second > before


def test_a_log_counts_the_pairs_that_were_asked(tmp_path):
    judge = LoggedJudge(packed(), tmp_path / "v.sqlite")
    judge.ask([question("a"), question("b", pair="q")])
    assert judge.n_pairs_asked == 2
    again = LoggedJudge(packed(), tmp_path / "v.sqlite")
    again.ask([question("a"), question("c", pair="q")])
    assert again.n_pairs_asked == 1


@pytest.mark.parametrize(("signatures", "said"), [
    (["m scale:1-5|prompts:1"], False), ([], False), (["m scale:1-5 pack:8 of:pair list:1|prompts:1"], False),
    (["m scale:1-5|prompts:1", "m scale:yes-no pack:8 list:1|prompts:1"], True),
])
def test_the_chapter_says_how_older_lists_were_made(signatures, said):
    assert ("followed the batches of its log" in list_note(signatures)) is said
