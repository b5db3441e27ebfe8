"""PoSh: scene graphs as rubrics, a judge for every component, coarse scores from granular ones."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from posh_lite import __version__
from posh_lite.errors import InputError
from posh_lite.graph.types import SceneGraph
from posh_lite.judge.calibration import CalibratedJudge, Calibration
from posh_lite.judge.check import check_judge, is_number
from posh_lite.judge.contract import Judge, Side
from posh_lite.judge.prompts import load_prompts
from posh_lite.judge.registry import make_judge
from posh_lite.metric.asking import Talk, ask_all
from posh_lite.metric.context import RULES, Nearby
from posh_lite.metric.identifiers import Namer
from posh_lite.metric.notice import Observer
from posh_lite.metric.passes import Interview, rounded
from posh_lite.metric.polish import polish
from posh_lite.metric.protocol import Located
from posh_lite.metric.score import Aggregation, Score, coarse, located
from posh_lite.metric.stopwatch import Stopwatch
from posh_lite.records import Pair, is_text, pair_from_dict

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.graph.mentions import CoreferenceResolver
    from posh_lite.judge.llm.usage import Usage

PairLike = Pair | Mapping[str, Any] | tuple[str, str]
_KEPT_GRAPHS = 256  # one reference often serves several generations
#: Signatures of judges whose answers depend on what they are asked with.
_GROUPED = re.compile(r"(?:^| )(?:pack:\d|cascade share:\S+ identifiers:all)")


class PoSh:
    """The metric of the PoSh paper, with exchangeable parts.

    Every entity, attribute and relation of both scene graphs becomes a component, but for what nothing could
    bear out: the viewer ("us"), sides and zones of the picture by themselves, and the work itself. What a text
    says to be absent ("no people", "without a hat") is a component that asks for the absence.

    Args:
        judge: a name ("lexical", "replay", "gguf:model.gguf", ...), ``module:Class``, or a judge.
        threshold: score from 1 to 5 from which on an entity is present; by default the judge's own.
        aggregation: mean over "all" components, as in the released metric, or over "objects", the paper's formula; or
            the share of all components that are "present", that is reach the threshold (from 0 to 1; ours).
        coreference: a resolver for the scene graphs; by default the embedded one.
        prompts: path of a prompt file that replaces the package's.
        log: path of a verdict log; what it holds is not asked again.
        progress: whether to show a bar on stderr; by default only in a terminal.
        identifiers: "all" asks every identifier of an entity at once, "lazy" only until one reaches a rounded 5
            (or the most that a calibrated judge can give): the same scores with fewer questions in more batches.
        context: "full" shows the judge the whole texts, "near" only the sentences that matter for a question
            (:mod:`posh_lite.metric.context`). Spans and offsets are those of the whole texts either way.
        judge_options: keywords for a judge given by name, such as ``{"scale": "yes-no"}``.
        calibration: the judge's own threshold and map, or the path of the file that ``posh-lite calibrate`` wrote.

    Attributes:
        timings: seconds spent on graphs, questions and judging so far.
        on_batch: called after each batch of the judge with how many questions were wanted and how many it was asked.

    Raises:
        InputError: a setting is out of range, or the prompt file is wrong.
        JudgeError, MissingDependency: the judge cannot be made.

    Example:
        >>> from posh_lite import PoSh
        >>> score = PoSh().score("A man in a red coat.", "A man wearing a blue coat.")
        >>> [c.text for c in score.components if c.score is not None and c.score < 2]
        ['red', 'blue']
    """

    name: str = "PoSh"
    needs = frozenset({"reference"})
    uncovered = 5.0  # a word that no component covers counts as borne out

    def __init__(
        self,
        judge: str | Judge = "lexical",
        *,
        threshold: float | None = None,
        aggregation: Aggregation = "all",
        coreference: CoreferenceResolver | None = None,
        prompts: str | Path | None = None,
        log: str | Path | None = None,
        progress: bool | None = None,
        identifiers: Literal["all", "lazy"] = "all",
        context: Literal["full", "near"] = "full",
        judge_options: Mapping[str, Any] | None = None,
        calibration: Calibration | str | Path | None = None,
    ) -> None:
        if threshold is not None and (not is_number(threshold) or not 1 <= threshold <= 5):
            raise InputError(f"threshold must be a number between 1 and 5, got {threshold!r}")
        if aggregation not in get_args(Aggregation):
            raise InputError(f'aggregation must be "all", "objects" or "present", got {aggregation!r}')
        if identifiers not in ("all", "lazy"):
            raise InputError(f'identifiers must be "all" or "lazy", got {identifiers!r}')
        if context not in ("full", "near"):
            raise InputError(f'context must be "full" or "near", got {context!r}')
        self.judge = _judge(judge, log, judge_options or {})
        if calibration is not None:
            self.judge = CalibratedJudge(self.judge, calibration)
        self.prompts = load_prompts(prompts).on(getattr(self.judge, "scale", "1-5"))
        self.threshold = float(self.judge.presence_threshold if threshold is None else threshold)
        self.aggregation: Aggregation = aggregation
        if aggregation != "all":
            self.name = f"PoSh ({aggregation})"  # two of them may stand in one table
        self.coreference, self.progress, self.lazy = coreference, progress, identifiers == "lazy"
        self.context: Literal["full", "near"] = context
        self.timings = Stopwatch()
        self.on_batch: Callable[[int, int], None] | None = None
        self._seen = Observer()
        self._graphs: OrderedDict[str, SceneGraph] = OrderedDict()

    # -- scoring --------------------------------------------------------------------------------------------

    @overload
    def score(self, generation: str, reference: str) -> Score: ...

    @overload
    def score(self, generation: Iterable[PairLike], reference: None = None) -> pd.DataFrame: ...

    def score(self, generation: str | Iterable[PairLike], reference: str | None = None) -> Score | pd.DataFrame:
        """Score one pair of texts; or, as every metric does, many pairs to a frame.

        Args:
            generation: the generated description, or pairs.
            reference: the reference description; None where pairs are given.

        Returns:
            A :class:`Score`, or a frame with columns id, mistakes, omissions, overall, n_components, n_missing.
        """
        if isinstance(generation, str):
            if not isinstance(reference, str):
                raise InputError("score() needs the reference as its second text")
            return next(self.iter_scores([(generation, reference)]))
        if isinstance(reference, str):
            raise InputError(f"score() needs the generation as a text, got {type(generation).__name__}")
        if reference is not None:
            raise InputError("score() takes two texts, or pairs alone: score(zip(generations, references))")
        import pandas as pd

        rows = [{**s.to_row(), "mistakes": s.mistakes, "omissions": s.omissions, "overall": s.overall}
                for s in self.iter_scores(generation)]
        return pd.DataFrame(rows, columns=["id", "mistakes", "omissions", "overall", "n_components", "n_missing"])

    def score_many(self, pairs: Iterable[PairLike], *, chunk_size: int = 16) -> list[Score]:
        """Score many pairs, each pass as one batch for the judge over a chunk of pairs.

        Args:
            pairs: :class:`~posh_lite.records.Pair` objects, their dictionaries, or (generation, reference) tuples.
            chunk_size: pairs that go through the passes together.

        Returns:
            One :class:`Score` for each pair, in order.
        """
        return list(self.iter_scores(pairs, chunk_size=chunk_size))

    def iter_scores(self, pairs: Iterable[PairLike], *, chunk_size: int = 16) -> Iterator[Score]:
        """As :meth:`score_many`, but hands the scores over as chunks are finished and reads pairs as needed."""
        if not isinstance(chunk_size, int) or chunk_size < 1:
            raise InputError(f"chunk_size must be a whole number of at least 1, got {chunk_size!r}")
        _check_many(pairs)
        total = len(pairs) if isinstance(pairs, Sequence) else None
        numbered = (as_pair(p, n) for n, p in enumerate(pairs, start=1))
        with _bar(total, self.progress) as bar:
            while chunk := list(islice(numbered, chunk_size)):
                for score in self._score_chunk(chunk):
                    yield score
                    bar.update(1)

    def measure(self, pairs: Iterable[PairLike]) -> tuple[pd.DataFrame, list[Located]]:
        """Coarse scores and scored spans of many pairs at once: :meth:`score` and :meth:`locate` in one go."""
        import pandas as pd

        scores = self.score_many(pairs)
        names = ["id", "mistakes", "omissions", "overall", "n_missing"]
        frame = pd.DataFrame([[getattr(s, n) for n in names] for s in scores], columns=names)
        return frame, [located(s) for s in scores]

    def locate(self, pairs: Iterable[PairLike]) -> list[Located]:
        """Components as scored spans, on the judge's scale of 1 to 5; missing ones are left out."""
        return [located(s) for s in self.iter_scores(pairs)]

    def score_graphs(self, generation: SceneGraph, reference: SceneGraph, *, id: str = "1") -> Score:
        """Score two scene graphs that are there already, for example made by another parser."""
        return self._score_scenes([(Pair(id, generation.text, reference.text), generation, reference)])[0]

    def _score_chunk(self, chunk: Sequence[Pair]) -> list[Score]:
        texts = [t for p in chunk for t in (p.generation, p.reference)]
        graphs = self._extract(texts)
        return self._score_scenes([(p, graphs[p.generation], graphs[p.reference]) for p in chunk])

    def _score_scenes(self, scenes: Sequence[tuple[Pair, SceneGraph, SceneGraph]]) -> list[Score]:
        watch = self.timings
        prime = getattr(self.judge, "prime", None)
        if prime is not None:
            with watch.lap("judging"):
                prime(list({id(g): g for _, a, b in scenes for g in (a, b)}.values()))
        with watch.lap("questions"):
            namers = {id(g): Namer(g) for _, a, b in scenes for g in (a, b)}
        polish(namers.values(), self.judge, self.prompts, watch)
        talks: list[Talk] = []
        for pair, generation, reference in scenes:
            sides: list[tuple[Side, SceneGraph, SceneGraph]] = [
                ("generation", generation, reference), ("reference", reference, generation)
            ]
            for side, graph, target in sides:
                interview = Interview(
                    graph, side, self.prompts, self.threshold, namer=namers[id(graph)], lazy=self.lazy,
                    top=rounded(getattr(self.judge, "ceiling", 5.0)),
                )
                near = Nearby(graph, target) if self.context == "near" else None
                talks.append(Talk(pair.id, side, graph, target.text, interview, near))
        ask_all(talks, self.judge, self.prompts, watch, on_batch=self.on_batch)
        scores = []
        with watch.lap("questions"):
            for number, (pair, generation, reference) in enumerate(scenes):
                first, second = talks[2 * number], talks[2 * number + 1]
                components = (*first.components, *second.components)
                mistakes, omissions, overall, reasons = coarse(components, self.aggregation)
                parsers = generation.signature or reference.signature
                scores.append(Score(
                    pair.id, mistakes, omissions, overall, components, generation.text, reference.text,
                    self._signature(parsers), reasons, self.aggregation,
                    first.n_asked + second.n_asked, first.n_unread + second.n_unread,
                ))
                self._seen.see(scores[-1])
        return scores

    def notes(self) -> list[str]:
        """What is odd about the scores so far, a line each: a judge that finds all or nothing, or hardly varies."""
        said = getattr(self.judge, "note", None)  # of a judge with fitted numbers
        note = said(self.prompts.digest) if callable(said) else ""
        return [*self._seen.warnings(self.threshold), *([note] if note else [])]

    @property
    def usage(self) -> Usage | None:
        """Prompts, tokens and seconds of a language model so far; None for a judge without one."""
        found: Usage | None = getattr(self.judge, "usage", None)
        return found

    def graphs(self, texts: Iterable[str]) -> dict[str, SceneGraph]:
        """The scene graph of each text, as it is scored; the last ones are kept."""
        return self._extract(texts)

    # -- parts ----------------------------------------------------------------------------------------------

    def _extract(self, texts: Iterable[str]) -> dict[str, SceneGraph]:
        from posh_lite.graph.extract import extract_graphs

        wanted = list(dict.fromkeys(texts))
        new = [t for t in wanted if t not in self._graphs]
        with self.timings.lap("graphs"):
            made = extract_graphs(new, coreference=self.coreference)
        self._graphs.update(zip(new, made, strict=True))
        found = {t: self._graphs[t] for t in wanted}
        for text in wanted:
            self._graphs.move_to_end(text)
        while len(self._graphs) > _KEPT_GRAPHS:
            self._graphs.popitem(last=False)
        return found

    @property
    def signature(self) -> str:
        """What the figures depend on, as sacreBLEU writes it: ``name:value`` between bars."""
        return self._signature(next(iter(self._extract(["A man."]).values())).signature)

    def _signature(self, graph: str) -> str:
        parts = {
            "posh-lite": __version__, "graph": graph or "given", "judge": self.judge.signature,
            "prompts": self.prompts.digest[:12], "threshold": f"{self.threshold:g}", "aggregation": self.aggregation,
        }
        if self.context == "near":  # nothing is added for whole texts: their signature stays what it was
            parts["context"] = f"near-{RULES}"
        if self.lazy and _GROUPED.search(self.judge.signature):
            parts["identifiers"] = "lazy"  # such a judge is asked otherwise, so the scores are not the same
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    def __repr__(self) -> str:
        return f"<PoSh judge={self.judge.signature} threshold={self.threshold:g} aggregation={self.aggregation}>"


def as_pair(value: PairLike, number: int) -> Pair:
    """A pair from what users pass: a record, its dictionary, or (generation, reference)."""
    if isinstance(value, Pair):
        pair = value
    elif isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(v, str) for v in value):
        pair = Pair(str(number), value[0], value[1])
    elif isinstance(value, Mapping):
        return pair_from_dict({"id": str(number), **value}, path=f"pair {number}")
    else:
        kind = type(value).__name__
        raise InputError(f"pair {number} is neither a Pair, a dictionary nor (generation, reference) but {kind}")
    for name, text in (("id", pair.id), ("generation", pair.generation), ("reference", pair.reference)):
        if not isinstance(text, str):
            raise InputError(f'field "{name}" must be a string, got {type(text).__name__}', path=f"pair {number}")
        if not is_text(text):
            raise InputError(
                f'field "{name}" holds half of a surrogate pair, which is no character', path=f"pair {number}"
            )
    return pair


def _check_many(pairs: Any) -> None:
    """Say what to write instead where something else than pairs was given."""
    kind, how = type(pairs).__name__, "give a list of Pair objects, dictionaries or (generation, reference) tuples"
    if isinstance(pairs, str | bytes | Pair | Mapping):
        raise InputError(f"expected many pairs, got one {kind}; {how}")
    if hasattr(pairs, "iterrows"):
        raise InputError(f'expected pairs, got a {kind}; give frame.to_dict("records")')
    if not isinstance(pairs, Iterable):
        raise InputError(f"expected pairs, got {kind}; {how}")


def _judge(judge: str | Judge, log: str | Path | None, options: Mapping[str, Any]) -> Judge:
    if isinstance(judge, str):
        made = make_judge(judge, log=log, **options)
        if judge.partition(":")[0] == "replay":
            return made
    else:
        made = judge
    check_judge(made)
    if log is None:
        return made
    from posh_lite.judge.nested import put_log

    return put_log(made, log)


def _bar(total: int | None, progress: bool | None) -> Any:
    from tqdm import tqdm

    shown = sys.stderr.isatty() if progress is None else progress
    return tqdm(total=total, unit=" pair", desc="PoSh", disable=not shown, file=sys.stderr, dynamic_ncols=True)
