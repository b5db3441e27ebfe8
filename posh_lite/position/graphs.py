"""Scene graphs by text, each made once and shared by the extractor and the verifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
