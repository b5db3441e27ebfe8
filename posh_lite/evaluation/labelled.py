"""Questions whose answers are known: what a judge's threshold and calibration are fitted on.

All questions that PoSh would ask were every entity present, each with 1 (the target text bears it out) or 0 (it does
not). In the known-answer corpus the labels follow from the planted mistakes and omissions by the rules of
:mod:`posh_lite.evaluation.labels`; a question that they do not settle is left out. Labels of one's
own come as JSON Lines, see :func:`read_labelled`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from posh_lite.evaluation.labels import Facts, generation_label, overlap, reference_label
from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.judge.contract import Kind, Question, Side, Verdict
from posh_lite.judge.prompts import Prompts, load_prompts
from posh_lite.metric.identifiers import Namer
from posh_lite.metric.passes import Draft, Interview
from posh_lite.records import Pair, Span

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus

Component = Entity | Attribute | Relation


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question and whether the target text bears it out.

    Attributes:
        question: as a judge gets it.
        label: 1 it does, 0 it does not.
        work: the image or work: the unit that is resampled and left out.
        weight: how many questions of the data it stands for.
    """

    question: Question
    label: int
    work: str
    weight: float = 1.0

    @property
    def side(self) -> Side:
        return self.question.side

    @property
    def kind(self) -> Kind:
        return self.question.kind


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Labelled questions and where they come from.

    Attributes:
        items: pair by pair and side by side, so that an engine keeps the texts that questions share.
        name: of the data.
        sha256: of the data, in hexadecimal.
        n_unsettled: questions that the labels do not settle, left out.
        prompts: digest of the prompt file.
    """

    items: tuple[Labelled, ...]
    name: str
    sha256: str
    n_unsettled: int
    prompts: str

    def counts(self) -> dict[tuple[Kind, int], int]:
        """Number of questions by kind and label."""
        found = Counter((item.kind, item.label) for item in self.items)
        kinds: tuple[Kind, ...] = ("entity", "attribute", "relation")
        return {(kind, label): found[kind, label] for kind in kinds for label in (1, 0)}

    def __str__(self) -> str:
        """``mini (sha256 1a2b3c4d...): 300 questions: entity 80 true, 20 false; ...``."""
        counts = self.counts()
        names: tuple[Kind, ...] = ("entity", "attribute", "relation")
        kinds = "; ".join(f"{k} {counts[k, 1]:,} true, {counts[k, 0]:,} false" for k in names)
        return f"{self.name} (sha256 {self.sha256[:12]}): {len(self.items):,} questions: {kinds}"


# -- the known-answer corpus --------------------------------------------------------------------------------


def labelled_questions(
    corpus: MiniCorpus, *, n: int | None = None, pairs: int | None = None, seed: int = 0,
    prompts: Prompts | None = None, structural: bool = True,
) -> LabelledSet:
    """Questions of the known-answer corpus with the labels that its gold spans settle.

    Args:
        corpus: the corpus.
        n: about how many questions, drawn evenly over works, sides and labels; None takes all. Weights then say
            how many questions each one stands for, so that shares stay those of the whole.
        pairs: captions of each work; few captions with many questions each are cheaper to ask than many with few,
            since the questions about one caption share their texts. None takes all.
        seed: of the draw.
        prompts: wording, with the judge's scale; the package's by default.
        structural: whether questions with the same prompt differ to the judge; otherwise one of them is kept.

    Raises:
        ValueError: ``n`` or ``pairs`` is below 1.
    """
    for name, value in (("n", n), ("pairs", pairs)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    prompts = prompts or load_prompts()
    chosen = _captions(corpus, pairs, seed)
    share = len(corpus.pairs) / len(chosen)
    items: list[Labelled] = []
    unsettled = 0
    gold = {g.id: g for g in corpus.gold}
    for pair, side, graph, target in _sides(chosen):
        facts = Facts.of(side, gold[pair.id], corpus.work_of(pair))
        rule = generation_label if side == "generation" else reference_label
        seen: set[str] = set()
        for question in questions_of(pair, side, graph, target, prompts):
            if not structural and question.prompt in seen:
                continue
            seen.add(question.prompt)
            label = rule(question, facts, target)
            if label is None:
                unsettled += 1
            else:
                items.append(Labelled(question, label, pair.id.split("/")[0], share))
    kept = items if n is None else _draw(items, n, seed)
    name = "mini" if pairs is None or pairs >= 6 else f"mini, {pairs} captions a work"
    name += "" if n is None else f", about {n:,} questions"
    if pairs is not None or n is not None:
        name += f", seed {seed}"
    return LabelledSet(tuple(kept), name, corpus_sha256(corpus), unsettled, prompts.digest)


def corpus_sha256(corpus: MiniCorpus) -> str:
    """SHA-256 of the corpus's pairs and gold spans, whatever file they were read from."""
    content = [[asdict(p) for p in corpus.pairs], [asdict(g) for g in corpus.gold], [asdict(w) for w in corpus.works]]
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _captions(corpus: MiniCorpus, number: int | None, seed: int) -> list[Pair]:
    """Captions of each work, so that over the works every style comes about equally often."""
    import numpy as np

    by_work: dict[str, list[Pair]] = {}
    for pair in corpus.pairs:
        by_work.setdefault(pair.id.split("/")[0], []).append(pair)
    chosen: list[Pair] = []
    for row, own in enumerate(by_work.values()):
        size = len(own) if number is None else min(number, len(own))
        order = np.random.default_rng(seed).permutation(len(own))
        wanted = {int(order[(row * size + k) % len(own)]) for k in range(size)}
        chosen += [pair for place, pair in enumerate(own) if place in wanted]
    return chosen


def _draw(items: Sequence[Labelled], n: int, seed: int) -> list[Labelled]:
    """About ``n`` items, as evenly over works, sides and labels as there are any; kinds keep their shares."""
    import numpy as np

    rng = np.random.default_rng(seed)
    strata: dict[tuple[str, str, int], list[int]] = {}
    for index, item in enumerate(items):
        strata.setdefault((item.work, item.side, item.label), []).append(index)
    room, takes = min(n, len(items)), dict.fromkeys(strata, 0)
    open_strata = sorted(strata, key=lambda s: (len(strata[s]), s))  # small ones first: they leave room to the others
    for place, stratum in enumerate(open_strata):
        takes[stratum] = min(len(strata[stratum]), max(1, round(room / (len(open_strata) - place))))
        room = max(room - takes[stratum], 0)
    kept: dict[int, Labelled] = {}
    for stratum, members in strata.items():
        by_kind = sorted(rng.permutation(members).tolist(), key=lambda i: items[i].kind)
        size, take = len(by_kind), takes[stratum]
        start = float(rng.random())
        for step in range(take):
            index = by_kind[int((step + start) * size / take)]
            kept[index] = replace(items[index], weight=items[index].weight * size / take)
    return [kept[index] for index in sorted(kept)]


# -- labels of one's own ------------------------------------------------------------------------------------


def read_labelled(
    path: str | Path, *, n: int | None = None, seed: int = 0, prompts: Prompts | None = None, structural: bool = True
) -> LabelledSet:
    """Questions labelled by people: spans of a text that are right or wrong.

    One JSON object a line: the fields of a pair (``id``, ``generation``, ``reference``; an optional ``image`` is the
    unit that is left out and resampled, else the pair is), and ``side`` ("generation" for what a generation says,
    "reference" for what it may omit), ``span`` (``[start, end]``, characters into that text) and ``label``. Lines of
    the same pair repeat its id and texts. Every entity, attribute and relation with words of its own in the span gets
    the label 1 (borne out by the other text) or 0 (not); one that two lines label differently is left out.

    Args:
        path: the file.
        n: about how many questions, drawn evenly over images, sides and labels; None takes all.
        seed: of the draw.
        prompts: wording, with the judge's scale; the package's by default.
        structural: whether questions with the same prompt differ to the judge.

    Raises:
        InputError: the file or a field of it cannot be used; file, line and field are named.
    """
    from posh_lite.evaluation.labelled_file import read_marks

    prompts = prompts or load_prompts()
    marks = read_marks(path)
    items: list[Labelled] = []
    unsettled = 0
    for pair, side, graph, target in _sides([m.pair for m in marks.values()]):
        own = marks[pair.id].spans[side]
        if not own:
            continue
        seen: set[str] = set()
        for question in questions_of(pair, side, graph, target, prompts):
            if not structural and question.prompt in seen:
                continue
            seen.add(question.prompt)
            touched = {label for span, label in own if any(overlap(span, s) for s in own_spans(question))}
            if len(touched) == 1:
                items.append(Labelled(question, touched.pop(), pair.image or pair.id))
            else:
                unsettled += bool(touched)
    kept = items if n is None else _draw(items, n, seed)
    name = Path(path).name + ("" if n is None else f", about {n:,} questions, seed {seed}")
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return LabelledSet(tuple(kept), name, digest, unsettled, prompts.digest)


def own_spans(question: Question) -> tuple[Span, ...]:
    """Where the component stands by itself: an entity's nouns, the words of an attribute or relation."""
    claim = question.attribute or question.relation
    if claim is not None:
        return claim.spans
    entity = question.identifier.entity
    named = tuple(m.span for m in entity.mentions if m.kind in ("noun", "name"))
    return named or entity.spans


# -- questions ----------------------------------------------------------------------------------------------


def questions_of(pair: Pair, side: Side, graph: SceneGraph, target: str, prompts: Prompts) -> Iterator[Question]:
    """What PoSh asks of one side of a pair where every answer is a 5: each entity by its first identifier."""
    run = Interview(graph, side, prompts, 1.0, namer=Namer(graph), lazy=True).run()
    before, after = prompts.around(side, target=target, source=graph.text)
    drafts: list[Draft]
    try:
        drafts = next(run)
        while True:
            for d in drafts:
                yield Question(
                    pair.id, side, d.kind, d.identifier, target, f"{before}{d.text}{after}", d.text, d.attribute,
                    d.relation, d.object_identifier, graph,
                )
            drafts = run.send([Verdict(5.0)] * len(drafts))
    except StopIteration:
        return


def _sides(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Side, SceneGraph, str]]:
    from posh_lite.graph.extract import extract_graphs

    pairs = list(pairs)
    texts = list(dict.fromkeys(t for p in pairs for t in (p.generation, p.reference)))
    graphs: Mapping[str, SceneGraph] = dict(zip(texts, extract_graphs(texts), strict=True))
    for pair in pairs:
        yield pair, "generation", graphs[pair.generation], pair.reference
        yield pair, "reference", graphs[pair.reference], pair.generation
