"""Texts that occur more than once: the same, nearly the same, or written once for the prints of a series.

Nearness is the Jaccard index of shingles, all runs of five words. Pairs are found through an index of shingles, so
that texts which share none are never compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence

from posh_lite.benchmarks.nga_clean import comparable

SHINGLE = 5


def shingles(text: str, size: int = SHINGLE) -> frozenset[tuple[str, ...]]:
    """All runs of ``size`` words of a text without case and punctuation; a shorter text is one run of its own."""
    said = comparable(text)
    if len(said) < size:
        return frozenset([said]) if said else frozenset()
    return frozenset(said[i : i + size] for i in range(len(said) - size + 1))


def near_pairs(
    texts: Sequence[str], threshold: float, *, groups: Sequence[Hashable | None] | None = None,
) -> list[tuple[int, int, float]]:
    """Pairs of texts at least as near as a threshold, with their nearness, in order.

    Args:
        texts: the texts.
        threshold: above 0, at most 1.
        groups: with it, only texts with the same group are compared, and None belongs to no group.

    Raises:
        ValueError: the threshold is out of range.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, got {threshold}")
    sets = [shingles(text) for text in texts]
    holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    found: list[tuple[int, int, float]] = []
    for at, here in enumerate(sets):
        if groups is not None and groups[at] is None:
            continue
        common = Counter[int]()  # counted through the index: intersections of whole sets would take minutes
        for shingle in here:
            common.update(holders[shingle])
            holders[shingle].append(at)
        for other, both in common.items():
            if groups is not None and groups[at] != groups[other]:
                continue
            nearness = both / (len(here) + len(sets[other]) - both)
            if nearness >= threshold:
                found.append((other, at, nearness))
    return sorted(found)


def clusters(n: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Connected groups among ``n`` things, each sorted, in the order of their first members; single ones included."""
    parent = list(range(n))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    members: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(n):
        members[root(i)].append(i)
    return [members[i] for i in sorted(members)]
