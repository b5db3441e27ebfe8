"""Rewards called as TRL calls them: by keyword, with strings or messages, in any number, and sent between processes."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import subprocess
import sys
from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.errors import InputError
from posh_lite.reward import (
    CoverageReward,
    LengthReward,
    MiddleReward,
    PagerReward,
    PoShReward,
    TailReward,
    read_rubric,
    rubric_json,
    variant,
)
from posh_lite.reward.call import CaptionReward, Item, Outcome, completion_text
from posh_lite.reward.judges import JudgeChoice, panel_of

REFERENCE = "A red car is parked on a street. Two dogs sleep under a tree. A boy holds a green balloon."
CAPTIONS = ["A red car is parked on a street. Two dogs sleep.", "A blue car is parked on a street.", REFERENCE]
WORDS = variant("full", length_unit="words")


def message(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


class Logged:
    """What TRL's trainer keeps of its two callbacks."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}
        self.metrics: dict[str, list[float]] = {}

    def extra(self, column: str, values: list[Any]) -> None:
        self.columns.setdefault(column, []).extend(values)

    def metric(self, name: str, value: float) -> None:
        self.metrics.setdefault(name, []).append(value)


def as_trl(completions: list[Any], logged: Logged | None = None, **columns: list[Any]) -> dict[str, Any]:
    """The keywords that the trainer of TRL 1.16 hands over."""
    n, log = len(completions), logged or Logged()
    return {
        "prompts": [[message("Describe the picture.", "user")]] * n, "completions": completions,
        "completion_ids": [[1, 2, 3]] * n, "trainer_state": object(), "log_extra": log.extra, "log_metric": log.metric,
        "image": [None] * n, "environments": [object()] * n, **columns,
    }


@pytest.mark.parametrize("reward", [
    PagerReward(), PoShReward(), CoverageReward(), MiddleReward(), TailReward(), LengthReward(),
    PagerReward("holistic"), PagerReward("monotone"),
], ids=repr)  # fmt: skip
def test_a_group_gets_one_number_each(reward: CaptionReward) -> None:
    logged = Logged()
    found = reward(**as_trl(CAPTIONS, logged, reference=[REFERENCE] * 3))
    assert len(found) == 3
    assert all(isinstance(v, float) for v in found)
    assert reward(**as_trl([[message(c)] for c in CAPTIONS], reference=[REFERENCE] * 3)) == found
    parts = [[message([{"type": "text", "text": c[:9]}, {"type": "text", "text": c[9:]}])] for c in CAPTIONS]
    assert reward(**as_trl(parts, reference=[REFERENCE] * 3)) == found
    assert set(logged.columns) == {f"{reward.__name__}/{p}" for p in (*reward.parts, "unusable")}
    assert all(len(values) == 3 for values in logged.columns.values())
    assert logged.metrics[f"{reward.__name__}/unusable"] == [0.0]
    assert set(logged.metrics) == set(logged.columns)


def test_the_terms_add_up_to_the_whole_and_stand_in_the_logs() -> None:
    logged = Logged()
    whole = PagerReward(WORDS)(**as_trl(CAPTIONS, logged, reference=[REFERENCE] * 3))
    single = [kind(WORDS)(**as_trl(CAPTIONS, reference=[REFERENCE] * 3))
              for kind in (CoverageReward, MiddleReward, TailReward, LengthReward)]  # fmt: skip
    for i in range(3):
        assert sum(column[i] for column in single) == pytest.approx(whole[i])  # type: ignore[misc]
    for term, column in zip(("coverage", "middle", "tail", "length"), single, strict=True):
        assert logged.columns[f"pager/{term}"] == column
        assert logged.metrics[f"pager/{term}"] == [pytest.approx(sum(column) / 3)]  # type: ignore[arg-type]


def test_what_cannot_be_scored_is_none_counted_and_told() -> None:
    reward, logged = PagerReward(WORDS), Logged()
    completions = ["", " \n ", CAPTIONS[0], CAPTIONS[0], CAPTIONS[0], [message(None)], [message("x", "user")]]
    references = [REFERENCE, REFERENCE, None, "  ", "Oh.", REFERENCE, REFERENCE]
    found = reward(**as_trl(completions, logged, reference=references))
    assert found == [None] * 7
    told = ["empty completion"] * 2 + ["no reference"] * 2 + ["reference without claims"] + ["empty completion"] * 2
    assert logged.columns["pager/unusable"] == told
    assert logged.columns["pager/coverage"] == [None] * 7
    assert logged.metrics == {
        "pager/unusable": [1.0], "pager/unusable/empty completion": [4.0], "pager/unusable/no reference": [2.0],
        "pager/unusable/reference without claims": [1.0],
    }
    assert reward.unusable == {"empty completion": 4, "no reference": 2, "reference without claims": 1}
    mixed = PoShReward()(**as_trl(["", CAPTIONS[0]], reference=[REFERENCE] * 2))
    assert mixed[0] is None and mixed[1] is not None


def test_silence_can_be_given_a_price() -> None:
    said = ["", "?!", CAPTIONS[0], "...", "\U0001f600\u200b"]
    for kind in (PagerReward, PoShReward):
        out, priced = kind(), kind(blank=-1)
        free, paid = (r(**as_trl(said, reference=[REFERENCE] * 5)) for r in (out, priced))
        for i in (0, 1, 3, 4):  # a mark says no more than nothing
            assert (free[i], paid[i]) == (None, -1.0)
        assert free[2] == paid[2]
        assert out.unusable == priced.unusable
        assert out.signature != priced.signature
    assert PagerReward(blank=-1)(**as_trl(["A car."], reference=[None])) == [None]  # a fault of the data costs nothing
    with pytest.raises(InputError, match="blank"):
        PagerReward(blank=float("nan"))


@pytest.mark.parametrize("changed", [
    {"reference": [REFERENCE]}, {"completion_ids": [[1]]}, {"completion_ids": [None] * 3}, {"prompts": []},
    {"rubric": ["[]"]}, {"reference": REFERENCE},
])  # fmt: skip
def test_a_column_of_another_length_is_named(changed: dict[str, Any]) -> None:
    call = {**as_trl(CAPTIONS, reference=[REFERENCE] * 3), **changed}
    with pytest.raises(InputError, match=next(iter(changed))):
        PagerReward()(**call)


def test_what_is_lacking_is_said() -> None:
    with pytest.raises(InputError, match='column "reference"'):
        PagerReward()(**as_trl(CAPTIONS))
    with pytest.raises(InputError, match="completion_ids"):
        PagerReward()(completions=CAPTIONS, reference=[REFERENCE] * 3)
    assert PagerReward("no-len")(completions=CAPTIONS, reference=[REFERENCE] * 3)  # needs no tokens
    with pytest.raises(InputError, match="reference 0 is no text"):
        PagerReward()(**as_trl(CAPTIONS, reference=[1, 2, 3]))
    for odd in (5, ["text"], [message({"text": "x"})]):
        with pytest.raises(InputError):
            completion_text(odd)
    with pytest.raises(TypeError):
        PagerReward()(CAPTIONS)  # type: ignore[misc]  # by keyword alone, as TRL calls


def test_length_is_counted_in_the_unit_of_the_settings() -> None:
    def length(unit: str, ids: int = 1) -> float:
        made = variant("full", length_unit=unit, base_length=10, claim_length=0, lambda_len=1)
        call = {"completions": CAPTIONS[:1], "completion_ids": [[0] * ids], "reference": [REFERENCE]}
        return LengthReward(made)(**call)[0]  # type: ignore[return-value]

    assert length("tokens", 30) == pytest.approx(-log(3))
    assert length("words") == pytest.approx(-log(1.1))  # eleven words
    assert length("characters") == pytest.approx(-log(len(CAPTIONS[0]) / 10))


def test_a_given_rubric_takes_the_place_of_the_derived_one() -> None:
    claims = [
        {"claim": "The car is red.", "dimension": "Visual_Detail", "weight": 2.0, "keyword": "red"},
        {"claim": "Two dogs sleep under a tree.", "dimension": "Interaction"},
    ]
    as_list = PagerReward("coverage-only")(**as_trl(CAPTIONS, rubric=[claims] * 3))
    assert as_list == [pytest.approx(c) for c in (2 / 3.5, -0.5 * 2 / 3.5, 1.0)]
    for form in (json.dumps(claims), json.dumps({"rubric": claims}), {"claims": claims}):
        assert PagerReward("coverage-only")(**as_trl(CAPTIONS, rubric=[form] * 3)) == as_list
    assert PagerReward("coverage-only")(**as_trl(CAPTIONS, rubric=["[]"] * 3)) == [None] * 3
    for wrong in ("{", "{}", '[{"claim": "x"}]', '["x"]', '[{"claim": "", "dimension": "Entity"}]',
                  '[{"claim": "x", "dimension": "Entity", "weight": -1}]', "[" * 100_000,
                  [{"claim": "\ud800 car", "dimension": "Entity"}]):  # fmt: skip
        with pytest.raises(InputError):
            PagerReward("coverage-only")(**as_trl(CAPTIONS, rubric=[wrong] * 3))


def test_a_rubric_of_ours_survives_its_json() -> None:
    panel = panel_of(JudgeChoice())
    (derived,) = panel.rubrics([(REFERENCE, "")])
    assert derived is not None
    text = rubric_json(derived)
    assert [(c.text, c.kind, c.weight) for c in read_rubric(text).claims] == [
        (c.text, c.kind, c.weight) for c in derived.claims]  # fmt: skip
    assert panel.rubrics([(REFERENCE, text)]) == [derived]  # known again, with its places in the reference
    call = as_trl(CAPTIONS, reference=[REFERENCE] * 3)
    assert PagerReward()(**call, rubric=[text] * 3) == PagerReward()(**call)


def test_a_reward_is_pickled_without_what_it_keeps() -> None:
    for reward in (PagerReward("no-mid", name="mine"), TailReward(), PoShReward("mistakes", options={"threshold": 3})):
        before = reward(**as_trl(["", *CAPTIONS], reference=[REFERENCE] * 4))
        sealed = pickle.dumps(reward)
        assert len(sealed) < 1500
        copy = pickle.loads(sealed)
        assert (copy.__name__, copy.signature) == (reward.__name__, reward.signature)
        assert reward.unusable and not copy.unusable
        assert copy(**as_trl(["", *CAPTIONS], reference=[REFERENCE] * 4)) == before
        assert pickle.loads(pickle.dumps(copy.as_async())).signature == reward.signature


def test_the_async_form_is_awaited_and_gives_the_same() -> None:
    reward, logged = PagerReward(WORDS), Logged()
    waiting = reward.as_async()
    assert inspect.iscoroutinefunction(waiting.__call__)  # how TRL tells it
    assert not inspect.iscoroutinefunction(reward.__call__)
    assert waiting.__name__ == "pager"

    async def both() -> list[Any]:
        call = as_trl(CAPTIONS, logged, reference=[REFERENCE] * 3)
        return await asyncio.gather(waiting(**call), PoShReward().as_async()(**call))

    pager, posh = asyncio.run(both())
    assert pager == reward(**as_trl(CAPTIONS, reference=[REFERENCE] * 3))
    assert posh == PoShReward()(**as_trl(CAPTIONS, reference=[REFERENCE] * 3))
    assert len(logged.columns["pager/coverage"]) == len(logged.columns["posh/overall"]) == 3


class Counting(CaptionReward):
    """Counts what it is given."""

    def __init__(self) -> None:
        super().__init__("counting")
        self.batches: list[int] = []

    @property
    def signature(self) -> str:
        return "counting"

    def _score(self, items: Any) -> list[Outcome]:
        self.batches.append(len(items))
        return [Outcome(float(len(i.text))) for i in items]


def test_the_same_completion_is_scored_once() -> None:
    reward = Counting()
    found = reward(**as_trl(["ab", "abc", "ab", "", "ab"], reference=[REFERENCE] * 4 + ["another"]))
    assert found == [2.0, 3.0, 2.0, None, 2.0]
    assert reward.batches == [3]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=9), st.lists(st.text(max_size=4).map(message), max_size=3)), max_size=6))
def test_any_texts_give_one_value_each(completions: list[Any]) -> None:
    found = Counting()(**as_trl(completions, reference=[REFERENCE] * len(completions)))
    assert [v is None for v in found] == [
        not any(map(str.isalnum, completion_text(c))) for c in completions]


def test_odd_captions_are_scored() -> None:
    odd = ["\u202emirror", "a\x00b", "😀 😀", "**", "# Title\n- a red car\n- a red car", "e\u0301" * 50, "\ud800 car",
           "A red car.\r\n\r\nA red car."]  # fmt: skip
    for reward in (PagerReward(WORDS), PoShReward()):
        found = reward(**as_trl(odd, reference=[REFERENCE] * len(odd)))
        assert all(v is None or -2 < v < 2 for v in found)
        assert found[6] is None and reward.unusable["half of a surrogate pair, which is no text"] == 1


def test_a_value_that_is_no_number_is_refused() -> None:
    class Broken(Counting):
        def _score(self, items: list[Item]) -> list[Outcome]:  # type: ignore[override]
            return [Outcome(float("nan"))] * len(items)

    with pytest.raises(ValueError, match="no reward"):
        Broken()(**as_trl(["a"], reference=[REFERENCE]))


def test_signatures_tell_settings_apart() -> None:
    rewards = [PagerReward(), PagerReward("no-mid"), PagerReward(variant("full", guard="none")), CoverageReward(),
               PagerReward(max_missing=0.1), PoShReward(), PoShReward("mean"), PoShReward(guard="none")]  # fmt: skip
    assert len({r.signature for r in rewards}) == len(rewards)
    assert [r.__name__ for r in (PagerReward(), PagerReward("no-mid"), TailReward(), PoShReward("mistakes"))] == [
        "pager", "pager_no-mid", "pager_tail", "posh_mistakes"]  # fmt: skip


def test_wrong_settings_are_refused_at_once() -> None:
    for wrong in (lambda: PagerReward("fuller"), lambda: PagerReward(max_missing=2), lambda: PoShReward("best"),  # type: ignore[arg-type]
                  lambda: PoShReward(guard="full"), lambda: PoShReward(judge=object()),  # type: ignore[arg-type]
                  lambda: PagerReward(judges={"verifer": "llm"}), lambda: PagerReward(judges={"verifier": "llm"}),
                  lambda: PagerReward(judges={"verifier": "gguf"}), lambda: PagerReward(name=" "),
                  lambda: PagerReward(max_missing="a"), lambda: PoShReward(max_missing="a"),  # type: ignore[arg-type]
                  lambda: PagerReward(blank="a"), lambda: PagerReward(judges="lexical"),  # type: ignore[arg-type]
                  lambda: PagerReward(5)):  # type: ignore[arg-type]  # fmt: skip
        with pytest.raises(InputError):
            wrong()


def test_importing_the_rewards_loads_no_model_library() -> None:
    code = ("import sys, posh_lite.reward as r; r.PagerReward(), r.PoShReward();"
            "print([m for m in ('torch', 'trl', 'transformers', 'spacy', 'pandas') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
