"""Many interviews at once: every step of all of them is one batch for the judge, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.check import ask
from posh_lite.judge.contract import Identifier, Judge, Question, Side, Verdict
from posh_lite.judge.lists import packs
from posh_lite.judge.prompts import Prompts
from posh_lite.metric.context import Nearby
from posh_lite.metric.passes import Draft, Interview
from posh_lite.metric.score import Component
from posh_lite.metric.stopwatch import Stopwatch

#: The most characters of prompts that one call of a judge holds in memory (a 50,000-word text makes long prompts).
MAX_CHARACTERS = 32_000_000


@dataclass(slots=True)
class Talk:
    """One side of one pair while its questions are being asked."""

    pair_id: str
    side: Side
    graph: SceneGraph
    target: str
    interview: Interview
    near: Nearby | None = None  # chooses sentences; None shows the whole texts
    components: list[Component] = field(default_factory=list)
    n_asked: int = 0
    n_unread: int = 0


_Run = Generator[list[Draft], Sequence[Verdict], list[Component]]


def ask_all(
    talks: Sequence[Talk], judge: Judge, prompts: Prompts, watch: Stopwatch,
    *, on_batch: Callable[[int, int], None] | None = None,
) -> None:
    """Carry all talks to their end; each gets its components.

    Args:
        talks: at their beginning.
        judge: asked once a step with what all talks want to know, identical questions once.
        prompts: wraps the texts around the questions.
        watch: counts "questions" and "judging".
        on_batch: told after each batch how many questions were wanted and how many put to the judge.

    Raises:
        JudgeError: the judge did not give one verdict for each question.
    """
    waiting: list[tuple[Talk, _Run, list[Draft]]] = []
    with watch.lap("questions"):
        for talk in talks:
            _advance(talk, talk.interview.run(), None, waiting)
    while waiting:
        with watch.lap("questions"):
            keys: list[list[Hashable]] = []
            distinct: dict[Hashable, tuple[Talk, Draft]] = {}
            structural = getattr(judge, "structural", True)
            apart = packs(judge)  # the questions of a pair make up its lists, also one that another pair has too
            for talk, _, drafts in waiting:
                keys.append([(id(talk) if apart else 0, _key(talk, d, structural)) for d in drafts])
                for key, draft in zip(keys[-1], drafts, strict=True):
                    distinct.setdefault(key, (talk, draft))
        answers = _ask(distinct, judge, prompts, watch)
        if on_batch is not None:
            on_batch(sum(len(k) for k in keys), len(distinct))
        with watch.lap("questions"):
            previous, waiting = waiting, []
            for (talk, run, _), own in zip(previous, keys, strict=True):
                verdicts = [answers[k] for k in own]
                talk.n_asked += len(verdicts)
                talk.n_unread += sum(v.missing for v in verdicts)
                _advance(talk, run, verdicts, waiting)


def _advance(
    talk: Talk, run: _Run, verdicts: list[Verdict] | None, waiting: list[tuple[Talk, _Run, list[Draft]]]
) -> None:
    try:
        drafts = next(run) if verdicts is None else run.send(verdicts)
    except StopIteration as stop:
        talk.components = stop.value
    else:
        waiting.append((talk, run, drafts))


def _chain(identifier: Identifier | None) -> tuple[Hashable, ...]:
    parts: list[Hashable] = []
    while identifier is not None:
        parts += [
            identifier.text, identifier.kind, identifier.entity.id,
            identifier.attribute and identifier.attribute.id, identifier.relation and identifier.relation.id,
        ]
        identifier = identifier.whole
    return tuple(parts)


def _key(talk: Talk, draft: Draft, structural: bool) -> Hashable:
    """Two drafts with the same key are the same question to the judge."""
    target, source = _shown(talk, draft)
    key: tuple[Hashable, ...] = (talk.side, target, source if talk.side == "generation" else "", draft.text)
    if structural:  # such a judge looks at the source graph, not only at the prompt
        key += (
            talk.target, talk.graph.text, draft.kind, draft.attribute and draft.attribute.id,
            draft.relation and draft.relation.id, _chain(draft.identifier), _chain(draft.object_identifier),
        )
    return key


def _shown(talk: Talk, draft: Draft) -> tuple[str, str]:
    """What the prompt shows of the target and of the source text."""
    return (talk.target, talk.graph.text) if talk.near is None else talk.near.texts(draft)


def _ask(
    distinct: dict[Hashable, tuple[Talk, Draft]], judge: Judge, prompts: Prompts, watch: Stopwatch
) -> dict[Hashable, Verdict]:
    """Put the questions to the judge, in slices whose prompts fit in memory."""
    answers: dict[Hashable, Verdict] = {}
    around: dict[tuple[Side, str, str], tuple[str, str]] = {}
    items = list(distinct.items())
    whole = packs(judge)  # a slice may not part a list
    at = 0
    while at < len(items):
        keys: list[Hashable] = []
        questions: list[Question] = []
        characters = 0
        with watch.lap("questions"):
            last: Talk | None = None
            while at < len(items) and (
                not questions or characters < MAX_CHARACTERS or (whole and items[at][1][0] is last)
            ):
                key, (talk, draft) = items[at]
                last = talk
                shown = (talk.side, *_shown(talk, draft))
                if shown not in around:
                    around[shown] = prompts.around(talk.side, target=shown[1], source=shown[2])
                before, after = around[shown]
                question = Question(
                    talk.pair_id, talk.side, draft.kind, draft.identifier, talk.target,
                    f"{before}{draft.text}{after}", draft.text, draft.attribute, draft.relation,
                    draft.object_identifier, talk.graph,
                )
                keys.append(key)
                questions.append(question)
                characters += len(question.prompt)
                at += 1
        with watch.lap("judging"):
            answers.update(zip(keys, ask(judge, questions), strict=True))
    return answers
