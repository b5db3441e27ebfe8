"""What a language model is asked for the record of the position lens: which sentences, claims and references."""

from __future__ import annotations

import random
from collections.abc import Sequence

from posh_lite.benchmarks.mini import FactSpan, MiniCorpus
from posh_lite.position.types import Claim, Rubric
from posh_lite.records import Pair

#: Claims that are asked about in one caption, at least, and in one message.
CLAIMS = 12
SEED = 5


def captions_in_order(corpus: MiniCorpus, seed: int = SEED) -> list[Pair]:
    """All captions, shuffled; every stretch of twelve has each work once, so that any beginning is a fair sample.

    Args:
        corpus: the known-answer corpus.
        seed: of the order.
    """
    rng = random.Random(f"captions {seed}")
    rows: dict[str, list[Pair]] = {}
    for pair in corpus.pairs:
        rows.setdefault(corpus.work_of(pair).slug, []).append(pair)
    for mine in rows.values():
        rng.shuffle(mine)
    found: list[Pair] = []
    for k in range(max(map(len, rows.values()))):
        layer = [mine[k] for mine in rows.values() if k < len(mine)]
        rng.shuffle(layer)
        found += layer
    return found


def of_fact(claims: Sequence[Claim], fact: FactSpan) -> list[Claim]:
    """The claims that stand in a fact, or in a part of it."""
    return [c for c in claims if any(a < fact.end and fact.start < b for a, b in c.spans)]


def some_facts(
    pair_id: str, facts: Sequence[FactSpan], rubric: Rubric, least: int = CLAIMS, seed: int = SEED
) -> tuple[tuple[FactSpan, ...], Rubric]:
    """Facts drawn until they have as many claims, in reading order, and the rubric of those claims alone.

    Args:
        pair_id: of the caption; another caption has other facts.
        facts: of its reference.
        rubric: all claims of the reference; facts without a claim are not drawn.
        least: claims to reach, where there are as many.
        seed: of the draw.
    """
    rng = random.Random(f"facts {seed} {pair_id}")
    order = [f for f in facts if of_fact(rubric.claims, f)]
    rng.shuffle(order)
    taken: list[FactSpan] = []
    ids: set[int] = set()
    for fact in order:
        if len(ids) >= least:
            break
        taken.append(fact)
        ids |= {c.id for c in of_fact(rubric.claims, fact)}
    kept = tuple(c for c in rubric.claims if c.id in ids)
    return tuple(sorted(taken, key=lambda f: f.start)), Rubric(rubric.reference, kept, rubric.signature)
