"""Filler around real captions: with the guard no reward rises, wherever the filler stands."""

from __future__ import annotations

import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.position.types import Finding
from posh_lite.reward import PagerReward, variant
from posh_lite.reward.guard import sentences_of, without_filler

#: "Warmth" once lent its evidence to a foot warmer.
FILLER = "It invites the viewer to imagine what might happen next. The general impression is one of warmth and charm."
#: Works in which filler at the head raised a reward before captions were read without it, and two more.
PAIRS = [p for p in load_mini().pairs if p.id in (
    "milkmaid/terse", "milkmaid/drifter", "bedroom/confuser", "paris-street/faithful", "childs-bath/miscounter",
    "gleaners/embellisher", "great-wave/terse",
)]  # fmt: skip


def padded(caption: str, place: str) -> str:
    spans = sentences_of(caption)
    at = {"head": 0, "middle": spans[len(spans) // 2][0], "tail": len(caption)}[place]
    return f"{caption[:at]} {FILLER} {caption[at:]}".strip()


def scored(texts: list[str], guard: str) -> list[float]:
    reward = PagerReward(variant("full", guard=guard))
    found = reward(prompts=[""] * len(texts), completions=texts, completion_ids=[[0] * 200] * len(texts),
                   reference=[p.reference for p in PAIRS])
    assert all(v is not None for v in found)
    return [float(v) for v in found if v is not None]


@pytest.mark.parametrize("place", ["head", "middle", "tail"])
def test_filler_raises_no_reward_anywhere(place: str) -> None:
    before = scored([p.generation for p in PAIRS], "full")
    after = scored([padded(p.generation, place) for p in PAIRS], "full")
    assert all(b <= a + 1e-9 for a, b in zip(before, after, strict=True)), list(zip(before, after, strict=True))


def test_without_the_guard_filler_pays_somewhere() -> None:
    before = scored([p.generation for p in PAIRS], "none")
    after = scored([padded(p.generation, "head") for p in PAIRS], "none")
    assert sum(b > a + 1e-9 for a, b in zip(before, after, strict=True)) >= 2


def test_filler_is_blanked_at_its_place_and_evidence_is_kept() -> None:
    text = "A red car stands here. What a lovely mood this is.\nThe sky seems somewhat pleasant and blue."
    spans = sentences_of(text)
    found = without_filler(text, [Finding(0, "Supported", spans[2], "sky", "exact")])
    assert len(found) == len(text)
    assert found.startswith("A red car stands here. ")
    assert found[slice(*spans[1])].strip() == ""
    assert found.endswith("\nThe sky seems somewhat pleasant and blue.")
    assert without_filler("", []) == ""
