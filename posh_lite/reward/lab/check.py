"""Is the laboratory's shortcut sound? Composed captions are verified anew, as a whole, and held against it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from posh_lite.position.label import label_sentences
from posh_lite.position.profile import embedded
from posh_lite.position.robust import t_interval
from posh_lite.position.types import Finding, Verifier
from posh_lite.records import Span
from posh_lite.reward.lab.caption import Composed, compose_caption, terms_of
from posh_lite.reward.lab.world import TRUTHS, Verified, World, make_world
from posh_lite.reward.settings import variant


def sample(world: World, n: int, *, seed: int = 0, sentences: int = 12) -> list[Composed]:
    """Captions of lines drawn at random, of the works in turn; a tenth of the lines comes again."""
    random = Random(f"check {seed}")
    made = []
    for k in range(n):
        pool = world.pools[k % len(world.pools)]
        weights = {"true": 0.55, "contradicted": 0.25, "invented": 0.05, "generic": 0.15}
        kinds = random.choices(TRUTHS, [weights[t] for t in TRUTHS], k=sentences)
        chosen: list[int] = []
        for truth in kinds:
            if chosen and random.random() < 0.1:
                chosen.append(random.choice(chosen))
            else:
                chosen.append(random.choice(pool.of(truth) or range(len(pool.lines))))
        made.append(compose_caption(pool, chosen, id=f"{pool.slug}/{k}"))
    return made


def check(verified: Sequence[Verified], *, n: int = 36, seed: int = 0) -> dict[str, Any]:
    """Verify composed captions as a whole and compare with findings that were moved.

    Both go by the embedded verifier alone and all claims, so that nothing but the shortcut differs.

    Args:
        verified: of the corpus.
        n: captions.
        seed: of the draw.

    Returns:
        Counts and shares: claims with one verdict, by verdict; claims supported in both whose evidence lies in one
        sentence; sentences with one label; and mean difference of the coverage term (moved minus whole) with an
        interval over captions.
    """
    world = make_world(verified, grain="all", witness="lens")
    verifier = embedded()[1]
    bare = variant("coverage-only", guard="none")
    claims, labels, differences, absolute, places = [], [], [], [], []
    for caption in sample(world, n, seed=seed):
        whole = reverified(caption, verifier)
        moved = caption.profile
        claims += [(a.status, b.status) for a, b in zip(moved.findings, whole, strict=True)]
        spans = [s.span for s in moved.sentences]
        places += [_sentence(spans, a.evidence) == _sentence(spans, b.evidence)
                   for a, b in zip(moved.findings, whole, strict=True) if a.status == b.status == "Supported"]
        anew = label_sentences(moved.caption, moved.rubric, whole, precedence="contradicted", sentences=spans)
        labels += [a.label == b.label for a, b in zip(moved.sentences, anew, strict=True)]
        weight = {c.id: c.weight for c in moved.rubric.claims}
        worth = {"Supported": bare.alpha, "Contradicted": -bare.beta}
        total = sum(weight[f.claim] * worth.get(f.status or "", 0.0) for f in whole) / sum(weight.values())
        differences.append(terms_of(caption, bare).coverage - total)
        absolute.append(abs(differences[-1]))
    same = {s: sum(a == b == s for a, b in claims) for s in ("Supported", "Contradicted", "Missing")}
    return {
        "captions": n, "claims": len(claims), "agree": sum(same.values()) / len(claims), "same": same,
        "moved": {s: sum(a == s for a, _ in claims) for s in same},
        "whole": {s: sum(b == s for _, b in claims) for s in same},
        "same_place": sum(places) / max(1, len(places)),
        "labels_agree": sum(labels) / len(labels), "sentences": len(labels),
        "coverage_difference": t_interval(differences, method="coverage, moved minus whole").to_dict(),
        "coverage_apart": sum(absolute) / len(absolute),
    }


def _sentence(spans: Sequence[Span], evidence: Span | None) -> int:
    """Which sentence an evidence begins in; -1 for none."""
    return next((k for k, (a, b) in enumerate(spans) if evidence and a <= evidence[0] < b), -1)


def reverified(caption: Composed, verifier: Verifier) -> tuple[Finding, ...]:
    """Findings of the whole caption, from the embedded verifier."""
    return tuple(verifier.verify([(caption.profile.caption, caption.profile.rubric)])[0])
