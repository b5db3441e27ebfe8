"""Who is asked for a reward: named, so that a reward can be pickled, and shared, so that nothing is asked twice.

The embedded extractor, verifier and judge of genericity need no model. Each can be replaced by one that asks a model;
its replies are kept in a log where one is named (``log``, or the environment's ``POSH_LITE_REPLIES``).
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.errors import InputError, JudgeDown, JudgeError
from posh_lite.position.graphs import Graphs
from posh_lite.position.label import content_sentences, label_sentences
from posh_lite.position.types import CaptionProfile, Extractor, Finding, Rubric, Verifier
from posh_lite.reward import guard as guards
from posh_lite.reward.kept import Kept, Refusals
from posh_lite.reward.rubrics import read_rubric
from posh_lite.reward.settings import Guard

if TYPE_CHECKING:
    from posh_lite.baselines.asked_core import Asker
    from posh_lite.position.llm_generic import HolisticJudge, LlmGenericity

#: Things kept in memory, so that a long training does not fill it.
KEPT_GRAPHS, KEPT_RUBRICS, KEPT_PROFILES, KEPT_SENTENCES = 2048, 1024, 1024, 65536


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Extractor, verifier and judges by name.

    Attributes:
        extractor: "graph" (embedded) or "llm".
        verifier: "lexical" (embedded) or "llm".
        genericity: "lexical" (embedded) or "llm".
        checklist: what gives the holistic variant its one mark: "share", the share of the rubric's weight that the
            verifier supports, or "llm", a model that sees caption and checklist at once, as in the paper.
        model: of all that are "llm", as ``gguf:FILE``, ``transformers:MODEL``, or by its name behind a server.
        extractor_model: of the extractor where it is another one, as in Table 22.
        engine: options of the model's engine, such as ``url`` and ``concurrency``.
        extractor_engine: the same for ``extractor_model``.
        log: file that keeps replies.

    Raises:
        InputError: an unknown name, or "llm" without a model.
    """

    extractor: Literal["graph", "llm"] = "graph"
    verifier: Literal["lexical", "llm"] = "lexical"
    genericity: Literal["lexical", "llm"] = "lexical"
    checklist: Literal["share", "llm"] = "share"
    model: str = ""
    extractor_model: str = ""
    engine: Mapping[str, Any] = field(default_factory=dict)
    extractor_engine: Mapping[str, Any] = field(default_factory=dict)
    log: str | None = None

    def __post_init__(self) -> None:
        for name, first in (("extractor", "graph"), ("verifier", "lexical"), ("genericity", "lexical"),
                            ("checklist", "share")):  # fmt: skip
            if getattr(self, name) not in (first, "llm"):
                raise InputError(f'{name} must be "{first}" or "llm", got {getattr(self, name)!r}', field=name)
            asked = self.extractor_model or self.model if name == "extractor" else self.model
            if getattr(self, name) == "llm" and not asked:
                raise InputError(f'{name} is "llm": name its model, such as model="Qwen/Qwen3-8B"', field=name)

    @property
    def key(self) -> str:
        """All of it as one text."""
        return json.dumps(asdict(self), sort_keys=True, default=str)


def choice(value: JudgeChoice | Mapping[str, Any] | None) -> JudgeChoice:
    """A choice from what a user or a file gives.

    Raises:
        InputError: an unknown setting.
    """
    if isinstance(value, JudgeChoice):
        return value
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f'judges are a JudgeChoice or its settings, such as {{"verifier": "llm", "model": NAME}}, got'
                         f" {value!r}", field="judges")
    known = {f.name for f in fields(JudgeChoice)}
    for name in value or {}:
        if name not in known:
            raise InputError(f"no setting {name!r} of the judges; there are {', '.join(sorted(known))}", field=name)
    return JudgeChoice(**(value or {}))


class BoundedGraphs(Graphs):
    """Scene graphs of the last texts alone."""

    def shrink(self, most: int = KEPT_GRAPHS) -> None:
        """Forget the oldest."""
        while len(self._graphs) > most:
            del self._graphs[next(iter(self._graphs))]


class Panel:
    """The judges of a choice, made when they are first asked, with what they said of the last texts.

    Batches take turns: what asks a model hands over a batch at once, and the engine's ``concurrency`` bounds the
    requests under way.
    """

    def __init__(self, chosen: JudgeChoice) -> None:
        self.choice = chosen
        self.lock = threading.RLock()
        self._graphs = BoundedGraphs()
        self._askers: dict[str, Asker] = {}
        self._extractor: Extractor | None = None
        self._verifier: Verifier | None = None
        self._holistic: HolisticJudge | None = None
        self._generic: LlmGenericity | None = None
        self._rubrics: Kept[Rubric | None] = Kept(KEPT_RUBRICS)
        self._profiles: Kept[CaptionProfile | None] = Kept(KEPT_PROFILES)
        self._marks: Kept[float | None] = Kept(KEPT_PROFILES)
        self._generics: Kept[float | None] = Kept(KEPT_SENTENCES)
        self._n_sources = 0
        self._refusals = Refusals()

    # -- the judges -----------------------------------------------------------------------------------------

    def _asker(self, *, extracting: bool = False) -> Asker:
        from posh_lite.position.llm_ask import make_asker

        own = extracting and bool(self.choice.extractor_model)
        model = self.choice.extractor_model if own else self.choice.model
        if model not in self._askers:
            options = self.choice.extractor_engine if own else self.choice.engine
            self._askers[model] = make_asker(model, "reward", log=self.choice.log, progress=False, **options)
        return self._askers[model]

    @property
    def extractor(self) -> Extractor:
        """The extractor; the embedded one shares its graphs with the verifier."""
        if self._extractor is None:
            if self.choice.extractor == "llm":
                from posh_lite.position.llm_rubric import LlmExtractor

                self._extractor = LlmExtractor(asker=self._asker(extracting=True))
            else:
                from posh_lite.position.rubric import GraphExtractor

                self._extractor = GraphExtractor(self._graphs)
        return self._extractor

    @property
    def verifier(self) -> Verifier:
        if self._verifier is None:
            if self.choice.verifier == "llm":
                from posh_lite.position.llm_verify import LlmVerifier

                self._verifier = LlmVerifier(asker=self._asker())
            else:
                from posh_lite.position.verify import LexicalVerifier

                self._verifier = LexicalVerifier(self._graphs)
        return self._verifier

    @property
    def holistic(self) -> HolisticJudge:
        """The judge of whole checklists, where a model gives the mark."""
        if self._holistic is None:
            from posh_lite.position.llm_generic import HolisticJudge

            self._holistic = HolisticJudge(asker=self._asker())
        return self._holistic

    @property
    def generic(self) -> LlmGenericity:
        """The judge of genericity, where a model judges."""
        if self._generic is None:
            from posh_lite.position.llm_generic import LlmGenericity

            self._generic = LlmGenericity(asker=self._asker())
        return self._generic

    @property
    def signature(self) -> str:
        """Of extractor, verifier, judge of genericity, and what gives the mark of a checklist."""
        from posh_lite.position.generic import LexicalGenericity

        with self.lock:
            generic = self.generic if self.choice.genericity == "llm" else LexicalGenericity()
            mark = self.holistic.signature if self.choice.checklist == "llm" else "share"
            return " > ".join((self.extractor.signature, self.verifier.signature, generic.signature, mark))

    # -- what they say --------------------------------------------------------------------------------------

    def rubrics(self, wanted: Sequence[tuple[str, str]]) -> list[Rubric | None]:
        """Rubrics of references, or read from the JSON beside them; None where the judge refused a reference.

        Raises:
            InputError: a rubric that cannot be read.
            JudgeDown: the model is gone.
        """
        def make(places: list[int]) -> list[Rubric | None]:
            made: dict[int, Rubric | None] = {}
            derive = []
            for i in places:
                reference, given = wanted[i]
                read = read_rubric(given, reference) if given else None
                if read is None or (reference and read.signature == self.extractor.signature):
                    derive.append(i)
                if read is not None:
                    made[i] = read
            derived = self._each([wanted[i][0] for i in derive], self.extractor.extract)
            for i, rubric in zip(derive, derived, strict=True):
                read = made.get(i)
                if read is None or (rubric and [c.text for c in rubric.claims] == [c.text for c in read.claims]):
                    made[i] = rubric
            return [made[i] for i in places]

        with self.lock:
            return self._rubrics.fill([tuple(w) for w in wanted], make)

    def profiles(self, items: Sequence[tuple[str, Rubric]], guard: Guard) -> list[CaptionProfile | None]:
        """Captions through the lens; None where the judge refused one.

        With a guard the verifier does not see sentences that say again what an earlier one says. With "full" and the
        embedded verifier it sees no filler, either (:func:`posh_lite.reward.guard.without_filler`), and a claim is
        contradicted, too, where one sentence alone contradicts it (:func:`posh_lite.reward.guard.hedged`); a model's
        verdict is taken as it is.

        Raises:
            JudgeDown: the model is gone.
        """
        name = f"{self.extractor.signature} > {self.verifier.signature}"
        seen = [text if guard == "none" else guards.without_repeats(text) for text, _ in items]
        read_closely = guard == "full" and self.choice.verifier == "lexical"

        def make(places: list[int]) -> list[CaptionProfile | None]:
            self._graphs.of([seen[i] for i in places] if self.choice.verifier == "lexical" else [])
            rows = self._each([(seen[i], items[i][1]) for i in places], self.verifier.verify)
            if read_closely:
                self._without_filler(seen, items, places, rows)
            found: list[CaptionProfile | None] = []
            for i, findings in zip(places, rows, strict=True):
                text, rubric = items[i]
                if findings is None:
                    found.append(None)
                    continue
                if read_closely:
                    findings = guards.hedged(seen[i], rubric, findings, self.verifier, self._graphs)
                spans = content_sentences(text) if guard == "none" else guards.sentences_of(text)
                labelled = label_sentences(text, rubric, findings, sentences=spans)
                found.append(CaptionProfile("", rubric.reference, "", text, rubric, findings, labelled, name))
            self._shrink(rubric.reference for _, rubric in items)
            return found

        with self.lock:
            return self._profiles.fill(
                [(text, rubric.reference, rubric.claims, rubric.signature, guard) for text, rubric in items], make
            )

    def _without_filler(
        self, seen: list[str], items: Sequence[tuple[str, Rubric]], places: list[int],
        rows: list[tuple[Finding, ...] | None],
    ) -> None:
        """Verify captions again without their filler: what claims nothing must not change how the rest reads.

        Changes ``seen`` and ``rows`` where a caption has filler (:func:`posh_lite.reward.guard.without_filler`).
        """
        again = []
        for n, (i, findings) in enumerate(zip(places, rows, strict=True)):
            if findings is not None:
                bare = guards.without_filler(seen[i], findings)
                if bare != seen[i]:
                    seen[i] = bare
                    again.append(n)
        self._graphs.of([seen[places[n]] for n in again])
        for n, findings in zip(again, self._each(
            [(seen[places[n]], items[places[n]][1]) for n in again], self.verifier.verify
        ), strict=True):
            rows[n] = findings

    def genericity(self, sentences: Sequence[str]) -> list[float | None]:
        """How generic sentences are, 0 to 1; None where a reply could not be read.

        Raises:
            JudgeDown: the model is gone.
        """
        def make(places: list[int]) -> list[float | None]:
            texts = [sentences[i] for i in places]
            if self.choice.genericity == "llm":
                return [g and g.score for g in self._each(texts, self.generic.judge_all)]
            from posh_lite.position.generic import LexicalGenericity

            judge = LexicalGenericity()
            return [judge.judge(t).score for t in texts]

        with self.lock:
            return self._generics.fill(list(sentences), make)

    def marks(self, items: Sequence[tuple[str, Rubric]]) -> list[float | None]:
        """The mark of a whole checklist by a model, 0 to 1; None where it could not be read.

        Raises:
            JudgeDown: the model is gone.
        """
        def make(places: list[int]) -> list[float | None]:
            found = self._each([items[i] for i in places], self.holistic.marks)
            return [None if m is None or math.isnan(m) else m for m in found]

        with self.lock:
            return self._marks.fill([(text, rubric.claims) for text, rubric in items], make)

    def _each(self, things: Sequence[Any], ask: Callable[[Any], Sequence[Any]]) -> list[Any]:
        """Answers to all at once; where the judge refuses the batch, one by one, with None for what it refuses."""
        if not things:
            return []
        try:
            found = list(ask(things))
        except JudgeDown:
            raise
        except JudgeError:
            return self._refusals.one_by_one(things, lambda thing: ask([thing])[0])
        self._refusals.none()
        return found

    def _shrink(self, references: Iterable[str]) -> None:
        """Keep memory bounded: old graphs go, and with them the verifier's views of old references."""
        self._graphs.shrink()
        self._n_sources += len(set(references))
        if self._n_sources > KEPT_RUBRICS and self.choice.verifier == "lexical":
            self._verifier, self._n_sources = None, 0


_PANELS: dict[str, Panel] = {}
_MAKING = threading.Lock()


def panel_of(chosen: JudgeChoice) -> Panel:
    """The panel of a choice, one a process: rewards that ask the same judges share what these said."""
    with _MAKING:
        return _PANELS.setdefault(chosen.key, Panel(chosen))
