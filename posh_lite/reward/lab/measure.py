"""What captions of a policy are like by the position lens, by gold labels, and in length and repetition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from posh_lite.position.composition import compose, shares_of
from posh_lite.position.effects import effects_of, quantities
from posh_lite.position.types import CaptionProfile, Label, SentenceLabel
from posh_lite.reward.lab.caption import Composed, terms_of
from posh_lite.reward.lab.nature import Nature, Stock
from posh_lite.reward.lab.policy import Chooser, Policy
from posh_lite.reward.lab.train import group
from posh_lite.reward.lab.world import Truth
from posh_lite.reward.settings import VARIANTS, PagerSettings

#: By the position lens, unweighted as in Tables 3 and 5.
LENS = quantities()
#: Beside it. "wrong": by the gold labels, inventions among them; "empty": sentences that add no finding and are not
#: generic by the gold labels; "within": share of the length budget in tokens.
OTHERS = (
    "wrong_q1", "wrong_q2", "wrong_q3", "wrong_q4", "covered", "refuted", "sentences", "tokens", "characters", "empty",
    "verbatim", "full", "own", "within",
)
_AS_LABEL: dict[Truth, Label] = {"true": "Supported", "contradicted": "Contradicted", "invented": "Contradicted",
                                 "generic": "Generic"}


def captions_of(
    policy: Policy, stocks: Sequence[Stock], nature: Nature, *, each: int = 60, seed: int = 0
) -> list[Composed]:
    """Draw captions of a policy, ``each`` a work, in groups of four that see the same."""
    random, chooser = Random(f"measure {seed}"), Chooser(policy)
    found = []
    for stock in stocks:
        for k in range(math.ceil(each / 4)):
            for _, c in group(chooser, stock, min(4, each - 4 * k), nature, random):
                found.append(replace(c, profile=replace(c.profile, id=f"{stock.pool.slug}/{k}/{c.profile.id}")))
    return found


def measure(
    captions: Sequence[Composed], settings: PagerSettings, *, blur: float = 0.0, seed: int = 0
) -> dict[str, float]:
    """Measure captions of one policy.

    Args:
        captions: at least one.
        settings: the reward that the policy was trained under ("own"); "full" is that of the paper.
        blur: see :class:`~posh_lite.reward.lab.nature.Nature`.
        seed: of the caption-level judge's error.

    Returns:
        Value by quantity: :data:`LENS`, then :data:`OTHERS`.

    Raises:
        ValueError: no captions.
    """
    import numpy as np

    if not captions:
        raise ValueError("no captions to measure")
    profiles = [c.profile for c in captions]
    (lens,) = compose(profiles).values()
    shares = shares_of(lens.counts.sum(axis=0))
    values = dict(zip(LENS, [*shares.ravel().tolist(), *effects_of(shares).tolist()], strict=True))
    truths = {c.profile.id: c.truths for c in captions}

    def in_truth(profile: CaptionProfile, sentence: SentenceLabel) -> tuple[Label, float]:
        return _AS_LABEL[truths[profile.id][sentence.number - 1]], 1.0

    (gold,) = compose(profiles, reading=in_truth).values()
    wrong = shares_of(gold.counts.sum(axis=0))[:, 1]
    random = Random(f"mark {seed}")
    weights = [{c.id: c.weight for c in p.rubric.claims} for p in profiles]
    by_status = [[sum(w[f.claim] for f in p.findings if f.status == s) / sum(w.values())
                  for s in ("Supported", "Contradicted")] for p, w in zip(profiles, weights, strict=True)]
    n = sum(len(c.lines) for c in captions)
    again = sum(len(c.chosen) - len(set(c.chosen)) for c in captions)
    empty = sum(not new and t != "generic" for c in captions for new, t in zip(c.told, c.truths, strict=True))
    full = VARIANTS["full"]
    budget = [c.tokens / full.budget(len(c.profile.rubric.claims)) for c in captions]
    covered, refuted = np.mean(by_status, axis=0).tolist()
    own = [terms_of(c, settings, random=random, blur=blur).total for c in captions]
    others = (
        *wrong.tolist(), covered, refuted, n / len(captions), float(np.mean([c.tokens for c in captions])),
        float(np.mean([len(c.profile.caption) for c in captions])), empty / n, again / n,
        float(np.mean([terms_of(c, full).total for c in captions])), float(np.mean(own)), float(np.mean(budget)),
    )
    return {**values, **dict(zip(OTHERS, others, strict=True))}
