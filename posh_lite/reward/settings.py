"""The settings of the PAGER reward: those that the paper prints (Table 11), and those that it leaves open.

Every field that the paper does not settle says so; the chapter on rewards shows what each choice changes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from posh_lite.errors import InputError

LengthUnit = Literal["tokens", "words", "characters"]
LengthForm = Literal["log_ratio", "log_excess", "none"]
Tail = Literal["judge", "residual", "evidence"]
Position = Literal["split", "monotone", "none"]
Monotone = Literal["specificity", "evidence"]
Guard = Literal["none", "repeats", "full"]


@dataclass(frozen=True, slots=True)
class PagerSettings:
    """All that the value of a PAGER reward depends on, besides extractor, verifier and judge of genericity.

    Attributes:
        alpha: credit of a supported claim in the coverage term (Table 11: 1.0).
        beta: charge of a contradicted claim in the coverage term (Table 11: 0.5).
        lambda_mid: weight of the middle term (Table 11: 0.3); 0 turns it off.
        lambda_tail: weight of the tail term (Table 11: 0.2); 0 turns it off.
        lambda_len: weight of the length term (Table 11: 0.05); 0 turns it off.
        base_length: L0, the budget before any claim (Table 11: 512), in ``length_unit``.
        claim_length: c, the budget for each claim (Table 11: 100), in ``length_unit``.
        weighted: claims count by the weight of their dimension (Table 11: true).
        itemwise: claims are judged one by one; False is the holistic checklist of Table 5: one mark for the caption
            in place of the coverage and middle terms.
        position: "split" is the paper's middle and tail; "monotone" is Table 5's ablation: one weight that rises
            with position in place of both; "none" leaves both out.
        monotone_on: what the rising weight of "monotone" falls on: sentences that are specific, true or not
            ("specificity"), or supported claims ("evidence"). *Not stated in the paper.*
        length_unit: what lengths are counted in. *Not stated in the paper.*
        length_form: "log_ratio" is log(L/L*) beyond the budget, "log_excess" log(1 + (L - L*)), "none" no charge.
            The paper says "logarithmic over-budget penalty"; *the form is not stated*.
        tail: "judge" asks a judge of genericity about each sentence of the last quarter (the paper's training);
            "residual" takes the sentences that no claim is about (the paper's diagnosis). Both let a false detail pass
            for a specific end; "evidence" takes every sentence that supports no claim, so that neither what is invented
            nor what is wrong mends a tail, at the price that a true detail which the reference lacks does not either.
            *The judge's wording is said to be reconstructed; "evidence" is ours.*
        guard: what a caption cannot gain by: "none" is the paper's letter, "repeats" counts what is said again as
            nothing new, "full" also makes the terms blind to padding. *The paper has no such guard.*
    """

    alpha: float = 1.0
    beta: float = 0.5
    lambda_mid: float = 0.3
    lambda_tail: float = 0.2
    lambda_len: float = 0.05
    base_length: float = 512.0
    claim_length: float = 100.0
    weighted: bool = True
    itemwise: bool = True
    position: Position = "split"
    monotone_on: Monotone = "specificity"
    length_unit: LengthUnit = "tokens"
    length_form: LengthForm = "log_ratio"
    tail: Tail = "judge"
    guard: Guard = "full"

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "lambda_mid", "lambda_tail", "lambda_len", "base_length", "claim_length"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise InputError(f"{name} must be a number of at least 0, got {value!r}")
        for name, kind in (("position", Position), ("monotone_on", Monotone), ("length_unit", LengthUnit),
                           ("length_form", LengthForm), ("tail", Tail), ("guard", Guard)):  # fmt: skip
            if getattr(self, name) not in get_args(kind):
                raise InputError(f"{name} must be one of {', '.join(get_args(kind))}, got {getattr(self, name)!r}")
        if self.base_length + self.claim_length == 0 and self.length_form == "log_ratio":
            raise InputError("base_length and claim_length are both 0: no length lies within such a budget")

    def budget(self, n_claims: int) -> float:
        """L*, the length that costs nothing: L0 + c |R(x)| (section 4)."""
        return self.base_length + self.claim_length * n_claims

    @property
    def signature(self) -> str:
        """What differs from Table 11 and our defaults, in the order of the fields; "table-11" where nothing does."""
        return " ".join(f"{f.name}:{getattr(self, f.name)}" for f in fields(self)
                        if getattr(self, f.name) != f.default) or "table-11"


_FULL = PagerSettings()
#: The reward of the paper and its ablations (Table 5), and two yardsticks. "w/o filtering" is a matter of the data.
VARIANTS: dict[str, PagerSettings] = {
    "full": _FULL,
    "no-mid": replace(_FULL, lambda_mid=0.0),
    "no-tail": replace(_FULL, lambda_tail=0.0),
    "no-len": replace(_FULL, lambda_len=0.0),
    "holistic": replace(_FULL, itemwise=False),
    "monotone": replace(_FULL, position="monotone"),
    "coverage-only": replace(_FULL, position="none", lambda_len=0.0),
    "unguarded": replace(_FULL, guard="none"),
}


def variant(name: str, **changes: Any) -> PagerSettings:
    """The settings of a named variant, with changes.

    Raises:
        InputError: there is no such variant or field, or a value is wrong.
    """
    if name not in VARIANTS:
        raise InputError(f"no variant {name!r} of the reward; there are {', '.join(VARIANTS)}")
    known = {f.name for f in fields(PagerSettings)}
    for key in changes:
        if key not in known:
            raise InputError(f"no setting {key!r} of the reward; there are {', '.join(sorted(known))}")
    return replace(VARIANTS[name], **changes)
