"""The reward microscope: what every term of a reward makes of a caption, and of the same caption after an edit.

Each edited caption goes through the reward functions themselves, as a trainer calls them: claims are verified anew,
sentences labelled anew, genericity judged anew, and PoSh asks its questions anew. Nothing is carried over from the
caption that it was made from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.errors import InputError
from posh_lite.reward.edits import Edited, Known, Refused, Should, edit, kinds
from posh_lite.reward.settings import VARIANTS

if TYPE_CHECKING:
    from posh_lite.position.types import CaptionProfile
    from posh_lite.records import Pair
    from posh_lite.reward.call import CaptionReward
    from posh_lite.reward.judges import JudgeChoice, Panel

#: The parts of a PAGER reward, and of PoSh; each with "total", which is the reward.
TERMS = ("coverage", "middle", "tail", "length")
POSH_PARTS = ("mistakes", "omissions")
TOTAL = "total"
#: The paper to the letter, this package's guarded form, and PoSh as a reward with and without its guard.
LETTER, GUARDED, POSH, POSH_LETTER = "unguarded", "full", "posh", "posh-unguarded"
#: Two rewards are the same within this.
SAME = 1e-9

#: "gamed": paid for what it should not be paid for; "unpunished": what should cost something costs nothing;
#: "moved": a change where nothing should change; "wrongly charged": it costs something and should not.
Verdict = Literal["as it should", "unpunished", "gamed", "moved", "wrongly charged"]


@dataclass(frozen=True)
class View:
    """One text under the microscope.

    Attributes:
        profile: through the lens, without a guard.
        genericity: g of every sentence by its number, 0 to 1; NaN where it could not be read.
        lengths: of the text, by unit.
        values: by name of the reward, its parts and "total"; NaN where there is no reward.
    """

    profile: CaptionProfile
    genericity: Mapping[int, float]
    lengths: Mapping[str, int]
    values: Mapping[str, Mapping[str, float]]

    @property
    def text(self) -> str:
        return self.profile.caption


@dataclass(frozen=True)
class Trial:
    """An edit of a caption, and the edited caption under the microscope."""

    edited: Edited
    view: View


@dataclass(frozen=True)
class Slide:
    """A caption with all of its edits.

    Attributes:
        pair: caption and reference.
        unit: the work or image.
        base: the caption as it was written.
        trials: edits that apply.
        refused: edits that do not, with the reason.
    """

    pair: Pair
    unit: str
    base: View
    trials: tuple[Trial, ...]
    refused: tuple[Refused, ...]

    def change(self, trial: Trial, reward: str) -> dict[str, float]:
        """Change of each part of a reward; 0 where it is within :data:`SAME`."""
        before, after = self.base.values[reward], trial.view.values[reward]
        return {name: _clean(after[name] - before[name]) for name in after}


def _clean(value: float) -> float:
    return 0.0 if abs(value) < SAME else value


def verdict(should: Should, change: float) -> Verdict:
    """Whether a change of a reward is what an honest reward does, for one caption."""
    up, down = change > SAME, change < -SAME
    if should == "fall":
        return "gamed" if up else "as it should" if down else "unpunished"
    if should == "not rise" and up:
        return "gamed"
    if should == "not fall" and down:
        return "wrongly charged"
    return "moved" if should == "stay" and (up or down) else "as it should"


class Microscope:
    """Looks at captions and their edits through one lens and several rewards.

    Args:
        variants: names of PAGER rewards (default: all of :data:`~posh_lite.reward.settings.VARIANTS`).
        judges: who judges for them (default: the embedded ones).
        posh: ask PoSh as well, by its lexical judge: "posh" with its guard, "posh-unguarded" without.
        seed: of the edits.

    Raises:
        InputError: there is no such variant.
    """

    def __init__(
        self, variants: Sequence[str] | None = None, *, judges: JudgeChoice | Mapping[str, Any] | None = None,
        posh: bool = True, seed: int = 0,
    ) -> None:
        from posh_lite.reward.judges import choice
        from posh_lite.reward.pager import PagerReward
        from posh_lite.reward.posh import PoShReward

        self.judges, self.seed = choice(judges), seed
        self.rewards: dict[str, CaptionReward] = {
            name: PagerReward(name, judges=self.judges) for name in (VARIANTS if variants is None else variants)
        }
        if posh:
            self.rewards[POSH] = PoShReward()
            self.rewards[POSH_LETTER] = PoShReward(guard="none")

    @property
    def panel(self) -> Panel:
        """The judges, shared with the rewards."""
        from posh_lite.reward.judges import panel_of

        return panel_of(self.judges)

    @property
    def signatures(self) -> dict[str, str]:
        """Of each reward."""
        return {name: reward.signature for name, reward in self.rewards.items()}

    def view(self, pairs: Sequence[Pair]) -> list[View]:
        """Texts without edits, in order.

        Raises:
            InputError: a reference gives no claim, so that no reward is defined.
            JudgeDown: a model that judges is gone.
        """
        rubrics = self.panel.rubrics([(p.reference, "") for p in pairs])
        items = []
        for pair, rubric in zip(pairs, rubrics, strict=True):
            if rubric is None or not rubric.claims:
                raise InputError(f"{pair.id}: the reference gives no claim, so that it defines no reward")
            items.append((pair.generation, rubric))
        sizes = [lengths(p.generation) for p in pairs]
        values = {name: self._values(reward, pairs, sizes) for name, reward in self.rewards.items()}
        found = []
        for n, profile in enumerate(self.panel.profiles(items, "none")):
            if profile is None:
                raise InputError(f"{pairs[n].id}: the judge refused the caption")
            told = self.panel.genericity([profile.caption[s.start : s.end] for s in profile.sentences])
            g = {s.number: math.nan if v is None else v for s, v in zip(profile.sentences, told, strict=True)}
            found.append(View(profile, g, sizes[n], {name: rows[n] for name, rows in values.items()}))
        return found

    def _values(
        self, reward: CaptionReward, pairs: Sequence[Pair], sizes: Sequence[Mapping[str, int]]
    ) -> list[dict[str, float]]:
        """What a trainer is told: the value of each text, and the parts that are logged beside it."""
        columns: dict[str, list[Any]] = {}
        values = reward(
            completions=[p.generation for p in pairs], reference=[p.reference for p in pairs],
            completion_ids=[range(size["tokens"]) for size in sizes],
            log_extra=lambda name, column: columns.update({name.rpartition("/")[2]: column}),
        )
        wanted = [p for p in (*TERMS, *POSH_PARTS) if p in columns]
        return [
            {**{p: _number(columns[p][n]) for p in wanted}, TOTAL: _number(value)} for n, value in enumerate(values)
        ]

    def slide(
        self, pair: Pair, *, unit: str | None = None, names: Sequence[str] | None = None,
        strangers: Sequence[str] = (),
    ) -> Slide:
        """One caption with its edits.

        Args:
            pair: the caption beside its reference.
            unit: the work or image (default: the pair's ``image``, else its reference).
            names: of the edits (default: all).
            strangers: sentences about other pictures, as :func:`other_sentences` gives them.

        Raises:
            InputError: the reference gives no claim, or there is no such edit.
            JudgeDown: a model that judges is gone.
        """
        (base,) = self.view([pair])
        known = known_of(base, strangers)
        made = [edit(name, pair.generation, known, seed=self.seed) for name in (kinds() if names is None else names)]
        good = [e for e in made if isinstance(e, Edited)]
        views = self.view([_edited(pair, e) for e in good])
        refused = tuple(e for e in made if isinstance(e, Refused))
        return Slide(pair, unit or pair.image or pair.reference, base, tuple(map(Trial, good, views)), refused)


def _edited(pair: Pair, made: Edited) -> Pair:
    return replace(pair, id=f"{pair.id}+{made.name}", generation=made.text)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def lengths(text: str) -> dict[str, int]:
    """Length by unit; tokens are approximate, as no model's tokenizer is at hand."""
    from posh_lite.evaluation.token_count import approximate_tokens
    from posh_lite.text import tokens

    words = sum(t.is_word for t in tokens(text))
    return {"tokens": len(approximate_tokens(text)), "words": words, "characters": len(text)}


def known_of(view: View, strangers: Sequence[str] = ()) -> Known:
    """What the lens knows of a caption, for its edits."""
    from posh_lite.reward.terms import FINE

    profile = view.profile
    weight = {c.id: c.weight for c in profile.rubric.claims}
    fine = {c.id for c in profile.rubric.claims if c.kind in FINE}
    held = [s for s in profile.sentences if s.supported]
    ranked = sorted(held, key=lambda s: (-sum(weight[i] for i in s.supported), s.number))
    return Known(
        tuple(s.number for s in ranked), tuple(s.number for s in held if fine & set(s.supported)),
        profile.rubric.reference, tuple(strangers),
    )


def other_sentences(pairs: Sequence[Pair]) -> dict[str, tuple[str, ...]]:
    """For each reference the first sentences of all others: later ones lean on what stands before them."""
    from posh_lite.position.label import content_sentences

    first = {}
    for reference in dict.fromkeys(p.reference for p in pairs):
        spans = content_sentences(reference)
        first[reference] = reference[slice(*spans[0])] if spans else ""
    return {r: tuple(s for other, s in first.items() if other != r and s) for r in first}
