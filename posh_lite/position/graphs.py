"""What the extractor and the verifier share: scene graphs by text, each made once, and the hash of their rules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from posh_lite.graph.types import SceneGraph


class Graphs:
    """Scene graphs of texts, extracted in batches where they are not known yet.

    Args:
        known: graphs that are there already.
    """

    def __init__(self, known: Iterable[SceneGraph] = ()) -> None:
        self._graphs: dict[str, SceneGraph] = {g.text: g for g in known}

    def __len__(self) -> int:
        return len(self._graphs)

    def add(self, graphs: Iterable[SceneGraph]) -> None:
        """Take over graphs that are known already."""
        self._graphs.update((g.text, g) for g in graphs)

    def of(self, texts: Sequence[str]) -> list[SceneGraph]:
        """The graphs of the texts, in order."""
        new = [t for t in dict.fromkeys(texts) if t not in self._graphs]
        if new:
            from posh_lite.graph.extract import extract_graphs

            self.add(extract_graphs(new))
        return [self._graphs[t] for t in texts]


@cache
def rules_digest(names: tuple[str, ...]) -> str:
    """A hash of files of this package by name, so that no change of a rule goes without a change of the signature.

    Blank lines, lines that are a comment, and the kind of line ends do not count.
    """
    digest = hashlib.sha256()
    for name in names:
        text = files("posh_lite.position").joinpath(name).read_text(encoding="utf-8")
        told = (line.rstrip() for line in text.splitlines())
        kept = [line for line in told if line and not line.lstrip().startswith("#")]
        digest.update("\n".join([name, *kept, ""]).encode())
    return digest.hexdigest()[:10]
