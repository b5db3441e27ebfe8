"""The core of language-model judges, with engines that have no model."""

from __future__ import annotations

import math
import warnings

import pytest
from engines import FakeEngine, hashing, spread
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import Scene, man_with_cup

from posh_lite.errors import InputError, JudgeError
from posh_lite.graph.types import Entity, SceneGraph
from posh_lite.judge.check import ask, checked
from posh_lite.judge.contract import Identifier, Question, Unanswered
from posh_lite.judge.llm import LanguageJudge, Prices, Usage, read_answer
from posh_lite.judge.llm.answers import FIVE, YES_NO, answers_of, read_samples
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import as_prompt
from posh_lite.judge.prompts import load_prompts
from posh_lite.judge.rewrite import Rewrite
from posh_lite.metric.posh import PoSh

LN = math.log


def question(number, target="A dog.", pair="1", side="generation"):
    text = f"Is it there, {number}?"
    prompt = f"Look.\n{target}\n{text}"
    return Question(pair, side, "entity", Identifier("x", Entity(0, "x", ())), target, prompt, text)


# -- answers ------------------------------------------------------------------------------------------------


def test_variants_of_a_digit_are_one_answer():
    tokens = {"4": LN(0.3), " 4": LN(0.1), "\u01204": LN(0.05), "\u25814": LN(0.05), "2": LN(0.2), "The": LN(0.3)}
    verdict = read_answer(tokens, FIVE, "4")
    assert verdict.mass == pytest.approx(0.7)
    assert verdict.probabilities == pytest.approx((0, 2 / 7, 0, 5 / 7, 0))
    assert verdict.score == pytest.approx((2 * 2 + 5 * 4) / 7)
    assert verdict.raw == "4"


def test_two_tokens_of_the_same_text_are_summed():
    verdict = read_answer([("5", LN(0.25)), ("5", LN(0.25)), ("1", LN(0.5))], FIVE)
    assert verdict.score == pytest.approx(3)
    assert verdict.mass == pytest.approx(1)


@pytest.mark.parametrize("token", [
    "10", "2025", "1/5", "4.", "4,", "-4", "+4", "0", "6", "44", "4 5", "", " ", "\n", "four", "\u0664", "\uff14",
    "4\ufe0f", "<4>", "1st", "\u00b2",
])
def test_what_merely_holds_a_digit_is_no_answer(token):
    assert FIVE.value(token) is None
    verdict = read_answer({token: 0.0}, FIVE)
    assert verdict.missing
    assert verdict.mass == 0


@pytest.mark.parametrize(("token", "value"), [
    ("yes", 5), ("Yes", 5), (" YES", 5), ("\u0120no", 1), ("No\n", 1), ("yes.", None), ("none", None), ("not", None),
    ("y", None), ("", None), ("1", None),
])
def test_yes_and_no(token, value):
    assert YES_NO.value(token) == value


def test_yes_and_no_lie_at_the_ends_of_the_scale():
    verdict = read_answer({"Yes": LN(0.6), "no": LN(0.2), "maybe": LN(0.2)}, answers_of("yes-no"))
    assert verdict.score == pytest.approx(4)
    assert verdict.probabilities == pytest.approx((0.25, 0, 0, 0, 0.75))


@settings(deadline=None)
@given(st.text(max_size=6))
def test_only_a_lone_digit_between_blanks_is_a_token(token):
    value = FIVE.value(token)
    core = token.replace("\u2581", " ").replace("\u0120", " ").replace("\u010a", " ").strip()
    assert value == (int(core) if core in ("1", "2", "3", "4", "5") else None)


@settings(deadline=None)
@given(st.lists(st.tuples(
    st.one_of(st.sampled_from(["1", "2", "3", "4", "5", " 5", "10", "yes", "4."]), st.text(max_size=3)),
    st.one_of(st.floats(-800, 0), st.sampled_from([-math.inf, math.nan])),
), max_size=30))
def test_every_verdict_keeps_the_contract(candidates):
    verdict = read_answer(candidates, FIVE, "said")
    assert checked(verdict) == verdict
    assert verdict.mass is not None
    assert 0 <= verdict.mass <= 1
    if not verdict.missing:
        assert 1 <= verdict.score <= 5
        assert math.fsum(verdict.probabilities) == pytest.approx(1)


@pytest.mark.parametrize(("text", "score"), [
    ("4", 4), (" 4\n", 4), ("**4**", 4), ("4.", 4), ("4/5", 4), ("4 out of 5", 4), ("Answer: 4", 4), ("Score is 2", 2),
    ("The answer is 3.", 3), ("(5)", 5), ("4\n\nTEXT A names", 4), ("10", None), ("2025", None), ("4 or 5", None),
    ("3.5", None), ("1-5", None), ("", None), ("four", None), ("6", None), ("4 dogs", None), ("1\n2\n3", None),
    ("\u00e94", None), ("x4", None),
])
def test_a_sample_is_read_or_not(text, score):
    assert read_samples([text]).score == score


def test_samples_are_counted_and_unreadable_ones_lower_the_mass():
    verdict = read_samples(["5", "4", " 4 ", "well"])
    assert verdict.score == pytest.approx(13 / 3)
    assert verdict.mass == pytest.approx(0.75)
    assert verdict.raw == "5 | 4 | 4 | well"
    assert read_samples([]).missing


# -- the judge ----------------------------------------------------------------------------------------------


def test_verdicts_come_in_the_order_of_the_questions_though_texts_are_sent_together():
    engine = FakeEngine(spread)
    judge = LanguageJudge(engine, batch_size=3)
    mixed = [question(n, target=f"Text {n % 2}.") for n in range(7)]
    verdicts = judge.ask(mixed)
    assert [len(c) for c in engine.calls] == [3, 3, 1]
    sent = [p.text for call in engine.calls for p in call]
    assert [("Text 1." in t) for t in sent] == [False] * 4 + [True] * 3
    for q, verdict in zip(mixed, verdicts, strict=True):
        alone = LanguageJudge(FakeEngine(spread)).ask([q])[0]
        assert verdict == alone
    assert judge.ask([]) == []


def test_mass_below_the_floor_is_warned_of_once_and_counted():
    judge = LanguageJudge(FakeEngine(lambda p: {"4": 0.2, "The": 0.8}), mass_floor=0.3, batch_size=2)
    with pytest.warns(UserWarning, match=r"only 20% of the probability .* scale 1-5 \(floor 30%\)"):
        judge.ask([question(n) for n in range(5)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge.ask([question(9)])
    assert judge.n_low_mass == 6
    high = LanguageJudge(FakeEngine(lambda p: {"4": 0.31, "The": 0.69}), mass_floor=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        high.ask([question(1)])
    assert high.n_low_mass == 0


def test_what_cannot_be_read_is_missing_and_counted():
    engine = FakeEngine(lambda p: {"Maybe": 1.0} if '"the man"' in p.text else {"5": 1.0})
    graph = man_with_cup()
    score = PoSh(LanguageJudge(engine)).score_graphs(graph, SceneGraph("A man."))
    assert score.n_missing >= 1
    missing = [c for c in score.components if c.score is None]
    assert any(c.identifier == "the man" for c in missing)
    assert all("no answer of the scale" in c.reason for c in missing if not c.inherited)
    assert score.n_unread >= 1


@pytest.mark.parametrize("said", ["<think>", " <THINK>\nOkay", "<thinking>", "<reasoning>", "<|channel|>analysis"])
def test_a_model_that_thinks_first_is_refused_at_the_first_question(said):
    engine = FakeEngine(lambda p: Reading(((said, 0.0),), said))
    judge = LanguageJudge(engine, batch_size=1)
    with pytest.raises(JudgeError, match=r"thinks before it answers.*switch thinking off"):
        judge.ask([question(n) for n in range(100)])
    assert len(engine.calls) == 1
    unsaid = FakeEngine(lambda p: Reading((("5", -3.0), (said, -0.1))))  # an engine that gives candidates alone
    with pytest.raises(JudgeError, match="thinks"):
        LanguageJudge(unsaid).ask([question(1)])
    sampled = LanguageJudge(FakeEngine(samples=lambda p, n: f"{said} hm"), scale="sampled")
    with pytest.raises(JudgeError, match="thinks"):
        sampled.ask([question(1)])


def test_a_server_without_probabilities_is_refused_at_the_first_question():
    engine = FakeEngine(lambda p: Reading((), "4"))
    with pytest.raises(JudgeError, match=r"no token probabilities.*--scale sampled"):
        LanguageJudge(engine, batch_size=1).ask([question(n) for n in range(100)])
    assert len(engine.calls) == 1


def test_a_model_that_never_answers_on_the_scale_is_refused_early():
    engine = FakeEngine(lambda p: Reading((("The", -0.1), ("4.", -3.0)), "The"))
    judge = LanguageJudge(engine, batch_size=8)
    with pytest.raises(JudgeError, match=r"none of the first 32 answers .* says 'The'; try another --scale"):
        judge.ask([question(n) for n in range(100)])
    assert len(engine.calls) == 4
    late = FakeEngine(lambda p: {"5": 1.0} if "30?" in p.text else {"Maybe": 1.0})
    verdicts = LanguageJudge(late, batch_size=8).ask([question(n) for n in range(100)])  # one answer is enough
    assert [v.missing for v in verdicts].count(False) == 1


def test_the_first_question_that_is_answered_counts_when_servers_fail():
    engine = FakeEngine(lambda p: Reading((), "4") if "2?" in p.text else Reading(fault="503"))
    with pytest.raises(JudgeError, match="no token probabilities"):
        LanguageJudge(engine).ask([question(n) for n in range(4)])


def test_a_failed_server_leaves_a_question_unanswered():
    judge = LanguageJudge(FakeEngine(lambda p: Reading(fault="server said 503") if "1?" in p.text else {"5": 1.0}))
    first, second, third = ask(judge, [question(n) for n in range(3)])
    assert isinstance(second, Unanswered)
    assert second.raw == "server said 503"
    assert (first.score, third.score) == (5, 5)
    assert judge.n_unanswered == 1
    assert not isinstance(read_answer({"The": 0.0}, FIVE), Unanswered)


def test_an_engine_that_loses_answers_is_caught():
    class Loses(FakeEngine):
        def read(self, prompts, answers):
            return super().read(prompts, answers)[:-1]

    with pytest.raises(JudgeError, match="2 answers came back for 3 prompts"):
        LanguageJudge(Loses()).ask([question(n) for n in range(3)])


def test_a_prompt_beyond_the_context_names_pair_and_lengths_and_nothing_is_sent():
    engine = FakeEngine(context=60)
    scene = Scene("A dog.")
    scene.entity("A dog")
    target = "word " * 70
    posh = PoSh(LanguageJudge(engine))
    with pytest.raises(JudgeError) as caught:
        posh.score_graphs(scene.graph, SceneGraph(target), id="p7")
    said = str(caught.value)
    assert 'pair "p7"' in said
    assert f"target text {len(target)} characters, source text 6" in said
    assert "60" in said
    assert "\n" not in said
    assert engine.calls == []


def test_fewer_characters_may_be_more_tokens():
    class Letters(FakeEngine):
        def count(self, prompt):
            return len(prompt.text) + 30 * prompt.text.count("\U0001f436")

    short = question("\U0001f436")
    engine = Letters(context=100)
    long = question("x" * 10)
    assert len(long.prompt) > len(short.prompt)
    LanguageJudge(engine).ask([long])
    engine.calls.clear()
    with pytest.raises(JudgeError, match="prompt has"):
        LanguageJudge(Letters(context=60)).ask([long, short])
    assert engine.calls == []


def test_the_signature_holds_all_that_can_change_an_answer():
    make = lambda **more: LanguageJudge(FakeEngine(samples=lambda p, n: "4"), **more).signature  # noqa: E731
    assert make() == "fake model:1 scale:1-5"
    assert make(scale="yes-no") == "fake model:1 scale:yes-no"
    assert make(scale="sampled", samples=3, seed=7) == "fake model:1 scale:sampled samples:3 seed:7"
    assert make(rewrites=True) == "fake model:1 scale:1-5 rewrites"
    assert make(batch_size=2, mass_floor=0.1, threshold=3) == make()


@pytest.mark.parametrize(("setting", "message"), [
    ({"scale": "1-7"}, "scale must be one of 1-5, yes-no, sampled"), ({"threshold": 0}, "threshold"),
    ({"threshold": "2"}, "threshold"), ({"threshold": float("nan")}, "threshold"), ({"samples": 0}, "samples"),
    ({"samples": True}, "samples"), ({"batch_size": 1.5}, "batch_size"), ({"mass_floor": 1.1}, "mass_floor"),
    ({"seed": -1}, "seed"), ({"rewrites": "yes"}, "rewrites"),
])
def test_settings_out_of_range(setting, message):
    with pytest.raises(InputError, match=message):
        hashing(**setting)


def test_samples_are_drawn_as_told():
    engine = FakeEngine(samples=lambda p, n: str(1 + n % 5))
    judge = LanguageJudge(engine, scale="sampled", samples=4, seed=2)
    assert judge.ask([question(1)])[0].score == pytest.approx((3 + 4 + 5 + 1) / 4)
    engine.sample = lambda prompts, n, seed: [Reading(text="4") for _ in prompts]
    with pytest.raises(JudgeError, match="no samples"):
        LanguageJudge(engine, scale="sampled").ask([question(1)])


# -- prompts ------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["generation", "reference"]),
       st.sampled_from(["1-5", "yes-no"]), st.booleans())
def test_the_shared_beginning_ends_where_the_question_begins(target, source, side, scale, inside):
    prompts = load_prompts().on(scale)
    text = prompts.question("entity", side, identifier="the man")
    if inside:  # a text may quote the question itself
        target, source = f"{target}{text}{target}", f"{text}{source}"
    prompt = prompts.render(text, side, target=target, source=source)
    made = as_prompt(Question("p", side, "entity", Identifier("x", Entity(0, "x", ())), target, prompt, text))
    before, _ = prompts.around(side, target=target, source=source)
    assert made.text[: made.shared] == before
    assert made.text == prompt
    assert made.pair_id == "p"


def test_a_question_first_shares_what_stands_before_it():
    made = as_prompt(Question("p", "generation", "entity", Identifier("x", Entity(0, "x", ())), "t", "Q? text", "Q?"))
    assert made.shared == 0
    empty = Question("p", "generation", "entity", Identifier("x", Entity(0, "x", ())), "t", "text", "")
    assert as_prompt(empty).shared == 0


def test_the_guide_follows_the_scale():
    graph = man_with_cup()
    for scale, word in (("1-5", "digit from 1 to 5"), ("yes-no", "yes or no")):
        engine = FakeEngine(lambda p: {"5": 0.5, "yes": 0.5})
        PoSh(LanguageJudge(engine, scale=scale)).score_graphs(graph, graph)
        assert all(word in p.text for call in engine.calls for p in call)


# -- usage --------------------------------------------------------------------------------------------------


def test_usage_by_hand():
    usage = Usage()
    usage.add([Reading(tokens=100, cached=80, generated=1), Reading(tokens=50, cached=None, generated=2)], 1.5)
    usage.add([Reading(generated=1), Reading(tokens=10, cached=99)], 0.5)
    assert (usage.prompts, usage.tokens, usage.cached, usage.computed, usage.generated) == (4, 160, 90, 70, 4)
    assert (usage.seconds, usage.uncounted, usage.untold) == (2.0, 1, 1)
    # 70 tokens at 3, 90 at 0.3 and 4 generated at 12, per million
    assert usage.cost(Prices(3, 0.3, 12)) == pytest.approx((210 + 27 + 48) / 1e6)
    before = usage.copy()
    usage.add([Reading(tokens=5, cached=0)], 1.0)
    assert before.tokens == 160
    assert usage.minus(before) == Usage(prompts=1, tokens=5, seconds=1.0)
    before += usage.minus(before)
    assert before == usage


def test_usage_in_words():
    usage = Usage(prompts=1200, tokens=4000, cached=1000, generated=1200, seconds=12.0)
    assert usage.describe(6) == (
        "1,200 prompts; 4,000 tokens, 3,000 of them computed (25% reused); 1,200 generated; 2.00 s a pair"
    )
    assert Usage(prompts=2, tokens=10, untold=2).describe() == "2 prompts; 10 tokens"  # reuse is not known to be 0
    assert Usage(prompts=2, uncounted=2).describe() == "2 prompts; 2 of unknown length"
    assert Usage().describe(3) == "0 prompts"


def test_the_judge_counts_what_the_engine_says():
    judge = LanguageJudge(FakeEngine())
    judge.ask([question(n) for n in range(3)])
    # "Look. A dog. Is it there, n?" is 7 words, the first 3 are shared
    assert (judge.usage.prompts, judge.usage.tokens, judge.usage.cached) == (3, 21, 6)
    assert judge.usage.seconds > 0


@pytest.mark.parametrize(("text", "prices"), [
    ("3,0.3,15", Prices(3, 0.3, 15)), ("3,15", Prices(3, 3, 15)), (" 0 , 0, 0 ", Prices(0, 0, 0)),
])
def test_prices(text, prices):
    assert Prices.parse(text) == prices


@pytest.mark.parametrize("text", ["", "3", "3,x", "1,2,3,4", "-1,2", "nan,1", "inf,1", "3;15"])
def test_prices_that_are_none(text):
    with pytest.raises(InputError, match="PROMPT,CACHED,GENERATED"):
        Prices.parse(text)


# -- rewriting ----------------------------------------------------------------------------------------------


def test_identifiers_are_rewritten_where_the_answer_can_be_used():
    said = {"the tall man": "the man who is tall", "the red cup": "the red mug", "the pale face": "the\npale face"}
    engine = FakeEngine(spread, rewriting=lambda p: next(v for k, v in said.items() if f'"{k}"' in p.text))
    graph = man_with_cup()
    judge = LanguageJudge(engine, rewrites=True)
    score = PoSh(judge).score_graphs(graph, graph)
    asked = "\n".join(p.text.rpartition("Question: ")[2] for call in engine.calls for p in call)
    assert "the man who is tall" in asked
    assert "the red cup" in asked  # the answer lost the noun
    assert "the red mug" not in asked
    assert "the pale face" in asked  # the answer had two lines
    assert score.n_components > 0
    assert judge.usage.generated > 0


def test_a_judge_does_not_rewrite_unless_told():
    engine = FakeEngine(spread)
    graph = man_with_cup()
    PoSh(LanguageJudge(engine)).score_graphs(graph, graph)
    assert not any("noun phrase" in p.text for call in engine.calls for p in call)


def test_rewriting_tells_a_failed_server_from_an_answer_of_no_use():
    given = {"a": Reading(fault="503"), "b": "  ", "c": " the cup \n"}
    judge = LanguageJudge(FakeEngine(rewriting=lambda p: given[p.text]), rewrites=True)
    assert judge.rewrite([Rewrite(k, "attribute", k) for k in given]) == ["", None, "the cup"]
