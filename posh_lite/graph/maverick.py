"""Coreference by Maverick, the resolver of the paper's full setting (PoSh paper, section "Experiments").

Maverick is Martinelli, Barba and Navigli (2024); package ``maverick-coref``, extra ``gpu``. Package and weights are
licensed CC BY-NC-SA 4.0: not for commercial use, and derivatives stay under the same licence. The weights come from
a model hub at first use, or from a checkpoint file. The signature names model and licence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from posh_lite.errors import MissingDependency
from posh_lite.graph.mentions import Candidate, MentionDocument, Resolution
from posh_lite.records import Span

LICENCE = "CC BY-NC-SA 4.0"
DEFAULT_MODEL = "sapienzanlp/maverick-mes-ontonotes"


class MaverickModel(Protocol):
    """The one call of a loaded ``maverick.Maverick`` that is used; a stand-in for tests needs no more."""

    def predict(self, sample: list[list[str]]) -> dict[str, Any]:
        """Clusters under ``clusters_token_offsets``: first and last token of each mention, both inclusive."""
        ...


class MaverickResolver:
    """Give the sentences of a text to Maverick and map its mentions back to the candidates.

    Args:
        model_name: hub name or path of a checkpoint file.
        device: ``"cuda"``, ``"cpu"``, or None for the GPU where there is one.
        model: a loaded model; by default it is loaded at the first text.
    """

    def __init__(
        self, model_name: str = DEFAULT_MODEL, *, device: str | None = None, model: MaverickModel | None = None
    ) -> None:
        self.model_name, self.device, self._model = model_name, device, model

    @property
    def signature(self) -> str:
        """Package version, model and licence."""
        try:
            release = version("maverick-coref")
        except PackageNotFoundError:
            release = "unknown"
        return f"maverick-{release}:{self.model_name} ({LICENCE})"

    def resolve(self, document: MentionDocument) -> Resolution:
        """Cluster the candidates of one document.

        Relative pronouns, appositions and the viewer are joined by grammar, because the guidelines that Maverick
        was trained on leave them out. Maverick knows no groups with members, so there are none.

        Raises:
            MissingDependency: ``maverick-coref`` is not installed, or its weights cannot be loaded.
        """
        sentences, offsets = tokenize(document)
        joined = _Clusters(len(document.candidates))
        if sentences:
            predicted = self._loaded().predict(sentences).get("clusters_token_offsets") or []
            for cluster in predicted:
                spans = [(offsets[first][0], offsets[last][1]) for first, last in cluster]
                joined.join_all(match(document.candidates, spans))
        viewer = [c.index for c in document.candidates if c.role == "viewer" and not c.quoted]
        joined.join_all(viewer)
        for candidate in document.candidates:
            if candidate.antecedent is not None:
                joined.join_all([candidate.antecedent, candidate.index])
        return Resolution(clusters=joined.clusters())

    def _loaded(self) -> MaverickModel:
        if self._model is None:
            self._model = load(self.model_name, self.device)
        return self._model


def load(model_name: str = DEFAULT_MODEL, device: str | None = None) -> MaverickModel:
    """A Maverick model, ready to predict.

    Raises:
        MissingDependency: the package is not installed, or its weights are neither on the hub nor at the path.
    """
    try:
        import torch
        from maverick import Maverick
    except ImportError as error:
        raise MissingDependency(
            f"the Maverick resolver needs the extra gpu: pip install 'posh-lite[gpu]' ({error}); "
            f"mind its licence, {LICENCE}"
        ) from None
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        model: MaverickModel = Maverick(hf_name_or_path=model_name, device=device)
    except (OSError, ValueError) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise MissingDependency(
            f"the Maverick weights {model_name!r} cannot be loaded ({reason}): "
            "connect to the model hub once, or give the path of a downloaded weights.ckpt"
        ) from None
    return model


def tokenize(document: MentionDocument) -> tuple[list[list[str]], list[Span]]:
    """The words of each sentence that has any, and the offsets of all words in one list."""
    sentences: list[list[str]] = []
    offsets: list[Span] = []
    tokenizer = _tokenizer()
    for start, end in document.sentences:
        words = [t for t in tokenizer(document.text[start:end]) if not t.is_space]
        if words:
            sentences.append([t.text for t in words])
            offsets.extend((start + t.idx, start + t.idx + len(t.text)) for t in words)
    return sentences, offsets


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import spacy

    return spacy.blank("en").tokenizer


def match(candidates: Sequence[Candidate], spans: Sequence[Span]) -> list[int]:
    """The candidate that each span names, at most one a span.

    A span is a whole phrase with all that hangs on it; its head is the candidate whose own phrase begins where the
    span does and reaches furthest inside it.
    """
    found: list[int] = []
    for start, end in spans:
        inside = [c for c in _between(candidates, start, end) if c.index not in found]
        if inside:
            found.append(min(inside, key=lambda c: (abs(c.phrase[0] - start), -min(c.phrase[1], end), c.index)).index)
    return found


def _between(candidates: Sequence[Candidate], start: int, end: int) -> list[Candidate]:
    """Candidates whose head lies in the span; candidates are in text order."""
    low, high = 0, len(candidates)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if candidates[middle].start < start else (low, middle)
    inside = []
    for candidate in candidates[low:]:
        if candidate.start >= end:
            break
        if candidate.end <= end:
            inside.append(candidate)
    return inside


class _Clusters:
    """Disjoint sets of candidate indices; a candidate that two predicted clusters claim joins them."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def _root(self, index: int) -> int:
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def join_all(self, indices: Sequence[int]) -> None:
        for index in indices[1:]:
            first, second = sorted((self._root(indices[0]), self._root(index)))
            self._parent[second] = first

    def clusters(self) -> tuple[tuple[int, ...], ...]:
        grouped: dict[int, list[int]] = {}
        for index in range(len(self._parent)):
            grouped.setdefault(self._root(index), []).append(index)
        return tuple(tuple(members) for members in grouped.values() if len(members) > 1)
