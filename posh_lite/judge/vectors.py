"""A judge by vectors: how close the text comes, anywhere, to what the component says.

Every run of a few words and every sentence of the target text is a window. A component's phrase ("red jug", "woman
holds jug") gets its highest cosine with a window. That alone is misled by what looks alike: the source's blue jug fits
the target's window "the blue jug" better than its red one does. So the window found is put to the other components of
the same kind too, and the margin over the best of them counts half. Both numbers go through one fixed logistic curve.

It reads neither negation nor who does what to whom. Its use is beside the lexical judge, whose rules err elsewhere:
``combined:vectors:minilm``, weighed by ``posh-lite calibrate --with lexical``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.errors import InputError
from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.judge.calibration import logistic
from posh_lite.judge.contract import Kind, Question, Verdict
from posh_lite.judge.embedding import Embedder, make_embedder, word_runs
from posh_lite.text import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: Version of windows, phrases and curve.
RULES = 1
#: Words of the windows, besides whole sentences.
RUNS = (3, 6)
#: How much the margin over other components counts beside the similarity.
MARGIN = 0.5
#: The curve from similarity and margin to the probability of yes: about that of the known-answer corpus with MiniLM.
SLOPE, HEIGHT = 6.3, -3.75

#: For a question that is left to the judge beside.
_LEFT = Verdict(None, raw="side:generation", reason="left to the other judge")


@dataclass(frozen=True, slots=True)
class _Text:
    """Windows of a target text with their vectors, a row each."""

    windows: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class _Source:
    """Phrases of a source graph by kind, none twice, with their vectors."""

    graph: SceneGraph | None
    phrases: dict[Kind, tuple[str, ...]]
    vectors: dict[Kind, Vectors]


class VectorsJudge:
    """Answers from the vectors of an embedding.

    Args:
        embedder: phrases to vectors.
        presence_threshold: score from which on an entity counts as present; ``posh-lite calibrate`` fits one.
        sides: "reference" answers for omissions alone and leaves what a generation says to the judge beside it;
            such a question gets a missing verdict. Something like it may stand in a text that is wrong, so that
            closeness tells what is left out better than what is false.
        cache_size: how many texts and graphs are kept with their vectors.

    Raises:
        InputError: the sides are neither.
    """

    def __init__(
        self, embedder: Embedder, presence_threshold: float = 2.0, *, sides: Literal["both", "reference"] = "both",
        cache_size: int = 256,
    ) -> None:
        if sides not in ("both", "reference"):
            raise InputError(f'sides must be "both" or "reference", got {sides!r}')
        self._embed, self._threshold, self._size = embedder, presence_threshold, max(2, cache_size)
        self.sides = sides
        self._texts: OrderedDict[str, _Text] = OrderedDict()
        self._sources: OrderedDict[str, _Source] = OrderedDict()

    @property
    def signature(self) -> str:
        return f"vectors-{RULES} {self._embed.signature}" + ("" if self.sides == "both" else f" sides:{self.sides}")

    @property
    def presence_threshold(self) -> float:
        return self._threshold

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer every question, in order; all phrases that are new are embedded at once."""
        if self.sides == "reference":
            own = [q for q in questions if q.side == "reference"]
            answers = iter(self._all(own))
            return [next(answers) if q.side == "reference" else _LEFT for q in questions]
        return self._all(list(questions))

    def _all(self, questions: Sequence[Question]) -> list[Verdict]:
        found: list[Verdict] = []
        for start in range(0, len(questions), 512):  # so that what a part needs is in the caches together
            part = questions[start : start + 512]
            texts, sources = self._prepared(part)
            found += [_answer(q, texts[q.target_text], sources[n]) for n, q in enumerate(part)]
        return found

    def _prepared(self, questions: Sequence[Question]) -> tuple[dict[str, _Text], list[_Source]]:
        """Windows of every target text and phrases of every source, embedded where they are not known."""
        import numpy as np

        texts = {q.target_text: self._texts.get(q.target_text) for q in questions}
        known: dict[str, _Source] = {}
        keys = []
        for n, question in enumerate(questions):
            graph = question.source
            key = f"{n}" if graph is None else f"graph {graph.text}"
            kept = self._sources.get(key) if graph is not None else None
            if key not in known and kept is not None and kept.graph is graph:
                known[key] = kept
            keys.append(key)
        windows = {text: windows_of(text) for text, kept in texts.items() if kept is None}
        graphs = {key: q for key, q in zip(keys, questions, strict=True) if key not in known}
        phrases = {key: _phrases(q) for key, q in graphs.items()}
        said = [w for row in windows.values() for w in row]
        said += [p for kinds in phrases.values() for row in kinds.values() for p in row]
        row = {phrase: n for n, phrase in enumerate(dict.fromkeys(said))}
        vectors = self._embed(list(row)) if row else np.zeros((0, 1), dtype=np.float32)

        def rows(names: Sequence[str]) -> Vectors:
            return vectors[[row[name] for name in names]]

        whole = {text: kept or _Text(windows[text], rows(windows[text])) for text, kept in texts.items()}
        for key, kinds in phrases.items():
            known[key] = _Source(graphs[key].source, kinds, {kind: rows(names) for kind, names in kinds.items()})
        for text, made in whole.items():
            _keep(self._texts, text, made, self._size)
        for key, source in known.items():
            if source.graph is not None:
                _keep(self._sources, key, source, self._size)
        return whole, [known[key] for key in keys]


def windows_of(text: str) -> tuple[str, ...]:
    """Sentences, and runs of :data:`RUNS` words within them, in lower case, none twice."""
    found = dict.fromkeys(said for n in RUNS for said, _ in word_runs(text, n))
    found.update(dict.fromkeys(" ".join(text[a:b].split()).lower() for a, b in sentences(text)))
    return tuple(found)


def phrase_of(claim: Entity | Attribute | Relation) -> str:
    """A component in a few words: "red jug", "jug stands", "woman holds jug", "no people"."""
    if isinstance(claim, Entity):
        said = f"no {claim.head}" if claim.negated else claim.head
    elif isinstance(claim, Attribute):
        words = f"not {claim.text}" if claim.negated else claim.text
        before = claim.kind in ("property", "quantity")
        said = f"{words} {claim.entity.head}" if before else f"{claim.entity.head} {words}"
    else:
        words = f"not {claim.text}" if claim.negated else claim.text
        said = f"{claim.subject.head} {words} {claim.object.head}"
    return " ".join(said.split()).lower()


def _asked(question: Question) -> str:
    return phrase_of(question.relation or question.attribute or question.identifier.entity)


def _phrases(question: Question) -> dict[Kind, tuple[str, ...]]:
    """Phrases of the question's source by kind; of the question alone where there is no graph."""
    graph = question.source
    if graph is None:
        return {question.kind: (_asked(question),)}
    kinds: dict[Kind, list[str]] = {
        "entity": [phrase_of(e) for e in graph.entities], "attribute": [phrase_of(a) for a in graph.attributes],
        "relation": [phrase_of(r) for r in graph.relations],
    }
    kinds[question.kind].append(_asked(question))
    return {kind: tuple(dict.fromkeys(row)) for kind, row in kinds.items()}


def _answer(question: Question, text: _Text, source: _Source) -> Verdict:
    """The verdict, with the window that it rests on as its reason."""
    phrase = _asked(question)
    if not text.windows:
        return Verdict(1.0, raw="no window", reason="the text has no words")
    known = source.phrases[question.kind]
    if phrase not in known:  # a component that its own graph does not hold
        return Verdict(None, raw=f"not a component of the source: {phrase}")
    at = known.index(phrase)
    similar = text.vectors @ source.vectors[question.kind][at]
    best = int(similar.argmax())
    rivals = source.vectors[question.kind] @ text.vectors[best]
    value, margin, rival = float(similar[best]), 0.0, ""
    if len(known) > 1:
        rivals[at] = -2.0
        first = int(rivals.argmax())
        margin, rival = value - float(rivals[first]), known[first]
    score = 1 + 4 * logistic(SLOPE * (value + MARGIN * margin) + HEIGHT)
    reason = f'"{phrase}" is closest to "{text.windows[best]}" ({value:.2f})'
    if margin < 0:
        reason += f', which is closer to "{rival}"'
    return Verdict(round(score, 3), raw=f"{value:.3f} {margin:+.3f}", reason=reason)


def _keep(cache: OrderedDict[str, Any], key: str, value: Any, size: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > size:
        cache.popitem(last=False)


def vectors_judge(
    model: str, *, device: str | None = None, threshold: float = 2.0, sides: Literal["both", "reference"] = "both"
) -> VectorsJudge:
    """``make_judge("vectors:minilm")``: the judge with an embedding by name.

    Args:
        model: "minilm" (the folder that POSH_LITE_MINILM names), "chars", or a model of sentence-transformers by its
            folder or name.
        device: "cuda", "cpu", ...; by default the library's choice.
        threshold: presence threshold.
        sides: "reference" for omissions alone, beside another judge.

    Raises:
        InputError: the name is empty, or the sides are neither.
        MissingDependency: the model or what runs it is not there.
    """
    more = {} if model == "chars" or device is None else {"device": device}
    return VectorsJudge(make_embedder(model, **more), threshold, sides=sides)
