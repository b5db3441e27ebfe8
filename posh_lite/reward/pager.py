"""The PAGER reward for TRL, whole and term by term (section 4 of "Where Do Long Captions Fail?")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from posh_lite.errors import InputError
from posh_lite.position.types import CaptionProfile
from posh_lite.reward.call import NO_CLAIMS, REFUSED, UNREAD, CaptionReward, Item, Outcome, share
from posh_lite.reward.judges import JudgeChoice, Panel, choice, panel_of
from posh_lite.reward.settings import PagerSettings, variant
from posh_lite.reward.terms import Terms, judged, pager_terms
from posh_lite.text import tokens

#: Version of what a reward makes of settings and judges.
RULES = 2


class PagerReward(CaptionReward):
    """R_PAGER = R_cov + R_mid + R_tail + R_len, as a reward function of TRL.

    Args:
        settings: :class:`~posh_lite.reward.settings.PagerSettings`, or the name of a variant of Table 5
            (:data:`~posh_lite.reward.settings.VARIANTS`).
        judges: :class:`~posh_lite.reward.judges.JudgeChoice`, or its settings as a mapping; by default the embedded
            ones, which need no model.
        name: in the logs (default: "pager", with the variant's name where it is another than "full").
        max_missing: share of the claims, or of the judged sentences, that may lack a readable verdict, 0 to 1. Beyond
            it the completion gets None; up to it such a claim earns nothing, and such a sentence is not called generic.
        blank: what a completion gets that is empty or has no letter or digit; None leaves it out of its group.

    Logged beside the value: the terms "coverage", "middle", "tail" and "length", each with its weight, and the shares
    of claims "supported" and "contradicted".

    Raises:
        InputError: a setting is wrong.

    Example:
        >>> from posh_lite.reward import PagerReward, variant
        >>> reward = PagerReward(variant("full", length_unit="words"))
        >>> same = "A red car is parked on a street."
        >>> reward(prompts=["Describe."], completions=[same], reference=[same])
        [1.0]

    With TRL::

        trainer = GRPOTrainer(model=..., reward_funcs=[PagerReward("full")], train_dataset=...)  # with "reference"
    """

    parts: tuple[str, ...] = ("coverage", "middle", "tail", "length", "supported", "contradicted")

    def __init__(
        self, settings: PagerSettings | str = "full", *, judges: JudgeChoice | Mapping[str, Any] | None = None,
        name: str | None = None, max_missing: float = 0.0, blank: float | None = None,
    ) -> None:
        made = variant(settings) if isinstance(settings, str) else settings
        if not isinstance(made, PagerSettings):
            raise InputError(f"settings are PagerSettings or the name of a variant, got {type(made).__name__}")
        super().__init__(name or self._own_name(settings), blank)
        self.settings, self.judges = self._only(made), choice(judges)
        self.max_missing = share("max_missing", max_missing)
        charged = self.settings.lambda_len > 0 and self.settings.length_form != "none"
        self.needs_tokens = charged and self.settings.length_unit == "tokens"

    @staticmethod
    def _own_name(settings: PagerSettings | str) -> str:
        return f"pager_{settings}" if isinstance(settings, str) and settings != "full" else "pager"

    @staticmethod
    def _only(settings: PagerSettings) -> PagerSettings:
        """The settings without what the value does not depend on."""
        return settings

    def _value(self, terms: Terms) -> float:
        return terms.total

    @property
    def panel(self) -> Panel:
        """The judges, shared by all rewards of this process that choose the same."""
        return panel_of(self.judges)

    @property
    def signature(self) -> str:
        """Settings, judges and rules: everything that a value depends on."""
        lost = f" max-missing:{self.max_missing:g}" if self.max_missing else ""
        part = "" if type(self) is PagerReward else f"/{type(self).__name__.removesuffix('Reward').lower()}"
        return f"pager{part}-{RULES} {self.settings.signature}{lost}{self._blank_told} | {self.panel.signature}"

    # -- scoring --------------------------------------------------------------------------------------------

    def _score(self, items: Sequence[Item]) -> list[Outcome]:
        with self.panel.lock:
            return self._score_all(items)

    def _score_all(self, items: Sequence[Item]) -> list[Outcome]:
        panel = self.panel
        found: dict[int, Outcome] = {}
        rubrics = panel.rubrics([(i.reference, i.rubric) for i in items])
        for n, rubric in enumerate(rubrics):
            if rubric is None:
                found[n] = Outcome(None, reason=REFUSED)
            elif not rubric.claims:
                found[n] = Outcome(None, reason=NO_CLAIMS)
        left = [n for n in range(len(items)) if n not in found]
        pairs = [(items[n].text, r) for n in left if (r := rubrics[n]) is not None]
        profiles = panel.profiles(pairs, self.settings.guard)
        marks = panel.marks(pairs) if self._asks_marks else [None] * len(pairs)
        wanted = [() if p is None else judged(p, self.settings) for p in profiles]
        generic = iter(panel.genericity([
            p.caption[slice(*p.sentences[k - 1].span)]
            for p, numbers in zip(profiles, wanted, strict=True) if p is not None for k in numbers
        ]))
        for n, profile, mark, numbers in zip(left, profiles, marks, wanted, strict=True):
            g = {k: next(generic) for k in numbers}
            found[n] = Outcome(None, reason=REFUSED) if profile is None else self._one(items[n], profile, mark, g)
        return [found[n] for n in range(len(items))]

    @property
    def _asks_marks(self) -> bool:
        return not self.settings.itemwise and self.judges.checklist == "llm"

    def _one(
        self, item: Item, profile: CaptionProfile, mark: float | None, generic: Mapping[int, float | None]
    ) -> Outcome:
        claims = profile.rubric.claims
        lost = sum(g is None for g in generic.values())
        if profile.n_unread > self.max_missing * len(claims) or lost > self.max_missing * len(generic):
            return Outcome(None, reason=UNREAD)
        if self._asks_marks and mark is None:
            return Outcome(None, reason=UNREAD)
        total = profile.rubric.weight if self.settings.weighted else float(len(claims))
        weight = {c.id: c.weight if self.settings.weighted else 1.0 for c in claims}
        shares = {s: sum(weight[f.claim] for f in profile.findings if f.status == s) / total
                 for s in ("Supported", "Contradicted")}  # fmt: skip
        terms = pager_terms(
            profile, self.settings, length=self._length(item), mark=shares["Supported"] if mark is None else mark,
            genericity={k: g or 0.0 for k, g in generic.items()},
        )
        parts = {
            "coverage": terms.coverage, "middle": terms.middle, "tail": terms.tail, "length": terms.length,
            "supported": shares["Supported"], "contradicted": shares["Contradicted"],
        }
        return Outcome(self._value(terms), {k: v for k, v in parts.items() if k in self.parts})

    def _length(self, item: Item) -> float:
        if self.settings.length_unit == "characters":
            return len(item.text)
        if self.settings.length_unit == "words":
            return sum(t.is_word for t in tokens(item.text))
        return item.n_tokens or 0


class _TermReward(PagerReward):
    """One term of the PAGER reward, with its weight: the four together are :class:`PagerReward`.

    Args:
        settings, judges, name, max_missing, blank: as :class:`PagerReward`. With equal judges the four share what these
            say, so that every caption is verified once.
    """

    parts: tuple[str, ...] = ()
    term = ""

    @classmethod
    def _own_name(cls, settings: PagerSettings | str) -> str:
        return f"{PagerReward._own_name(settings)}_{cls.term}"

    def _value(self, terms: Terms) -> float:
        return float(getattr(terms, self.term))

    @property
    def _asks_marks(self) -> bool:
        return self.term == "coverage" and super()._asks_marks


class CoverageReward(_TermReward):
    """R_cov: supported claims less half of the contradicted ones, over the weight of all (section 4)."""

    term = "coverage"
    parts = ("supported", "contradicted")

    @staticmethod
    def _only(settings: PagerSettings) -> PagerSettings:
        return replace(settings, lambda_mid=0.0, lambda_tail=0.0, lambda_len=0.0)


class MiddleReward(_TermReward):
    """R_mid: supported fine-grained claims whose evidence lies in the second or third quarter (section 4)."""

    term = "middle"

    @staticmethod
    def _only(settings: PagerSettings) -> PagerSettings:
        return replace(settings, lambda_tail=0.0, lambda_len=0.0)


class TailReward(_TermReward):
    """R_tail: minus the genericity of the last quarter's sentences (section 4)."""

    term = "tail"

    @staticmethod
    def _only(settings: PagerSettings) -> PagerSettings:
        return replace(settings, lambda_mid=0.0, lambda_len=0.0)


class LengthReward(_TermReward):
    """R_len: minus the charge for length beyond the content-aware budget (section 4)."""

    term = "length"

    @staticmethod
    def _only(settings: PagerSettings) -> PagerSettings:
        return replace(settings, lambda_mid=0.0, lambda_tail=0.0)
