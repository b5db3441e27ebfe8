"""Annotation tasks for Label Studio: its JSON for import, and the labelling configuration as XML.

Two kinds of tasks, as in the PoSh paper (section "DOCENT"): *granular*, where mistakes are marked in a generation and
omissions in its reference, and *coarse*, where two generations are compared in five steps for mistakes, omissions
and overall quality. What a task carries in ``data`` is enough to read its export back without anything else.
"""

from __future__ import annotations

import html
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

from posh_lite.benchmarks.contract import Dimension
from posh_lite.benchmarks.docent_schema import LABELS
from posh_lite.records import Pair

Kind = Literal["granular", "coarse"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What an annotator reads for each answer; the export has the keys of ``LABELS``.
ANSWERS = dict(zip(LABELS, ("#1 much better", "#1 slightly better", "equal", "#2 slightly better", "#2 much better"),
                   strict=True))  # fmt: skip
#: Name of each question in the configuration, its dimension, and what is asked.
QUESTIONS: dict[str, tuple[Dimension, str]] = {
    "mistakes": ("mistakes", "Mistakes: which description says fewer things that are wrong?"),
    "omissions": ("omissions", "Omissions: which description leaves out less of what the reference tells?"),
    "overall_quality": ("overall", "Overall: which description is better?"),
}
#: Label of a span, and in which text it is marked.
MARKED: dict[str, tuple[str, str]] = {"mistakes": ("mistake", "generation"), "omissions": ("omission", "reference")}


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to judge: a generation, or two of them in the order in which they are shown."""

    kind: Kind
    unit: str  # the image or work
    pairs: tuple[Pair, ...]  # one for granular, two for coarse

    @property
    def key(self) -> str:
        """Unique and stable; a pair of generations has the same key in either order."""
        return f"{self.kind}:{'|'.join(sorted(pair.id for pair in self.pairs))}"


def unit_of(pair: Pair) -> str:
    """The image that a pair is about: its ``image``, or the part of its id before the last slash."""
    return pair.image if pair.image is not None else pair.id.rpartition("/")[0] or pair.id


def granular_tasks(pairs: Sequence[Pair]) -> list[Task]:
    """One task a generation, in the order given."""
    return [Task("granular", unit_of(pair), (pair,)) for pair in pairs]


def coarse_tasks(pairs: Sequence[Pair], *, seed: int = 0) -> list[Task]:
    """Every two generations of an image once, which of them is shown first being drawn by seed.

    Pairs of one image whose generations are the same are left out: there is nothing to compare.
    """
    by_unit: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_unit.setdefault(unit_of(pair), []).append(pair)
    draw = random.Random(seed)
    tasks = []
    for unit, members in by_unit.items():
        for a, b in combinations(members, 2):
            if a.generation != b.generation:
                tasks.append(Task("coarse", unit, (b, a) if draw.random() < 0.5 else (a, b)))
    return tasks


def task_json(task: Task, *, annotator: str | None = None, image: str | None = None) -> dict[str, Any]:
    """A task as Label Studio imports it.

    Args:
        task: what to judge.
        annotator: for whom it is meant, kept in the data so that the export says so too.
        image: address of the picture, shown where the configuration asks for one.
    """
    first = task.pairs[0]
    data: dict[str, Any] = {"task": task.key, "kind": task.kind, "unit": task.unit, "reference": first.reference}
    if annotator is not None:
        data["annotator"] = annotator
    if image is not None:
        data["image"] = image
    if task.kind == "granular":
        data |= {"pair": first.id, "model": first.model or "", "generation": first.generation}
    else:
        for place, pair in zip(("1", "2"), task.pairs, strict=True):
            data |= {f"pair{place}": pair.id, f"model{place}": pair.model or "", f"generation{place}": pair.generation}
    return {"data": data}


def export(
    tasks: Sequence[Task], *, annotator: str | None = None, images: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Tasks as Label Studio imports them, in the order given; see :func:`task_json`.

    Args:
        tasks: what to judge.
        annotator: for whom.
        images: address of the picture of each unit.
    """
    return [task_json(t, annotator=annotator, image=None if images is None else images.get(t.unit)) for t in tasks]


def config(kind: Kind, *, images: bool = False) -> str:
    """The labelling configuration, XML to paste into a project's settings.

    White space is kept as it is (``pre-wrap``), since the offsets of marks count every character.

    Args:
        kind: of the tasks; each kind is a project of its own.
        images: whether the tasks carry an address of the picture.
    """
    picture = ['  <Image name="picture" value="$image" zoom="true"/>'] if images else []
    lines = ["<View>", "  <Style>.htx-text { white-space: pre-wrap; }</Style>", *picture]
    if kind == "granular":
        lines += [
            _header("Read the reference first, then the description."),
            _header("1. In the description, mark what is wrong: as few words as are needed to see the mistake."),
            *_marks("mistakes", "#c04e01"),
            _header("2. In the reference, mark what the description leaves out. Where the description only gets a thing"
                    " wrong, correct it in thought first: that is a mistake and not an omission."),
            *_marks("omissions", "#8b3f8f"),
            _header("Nothing to mark? Submit the task as it is. Skip it only if you cannot judge it."),
        ]
    else:
        lines += [
            _header("Reference"), '  <Text name="reference" value="$reference"/>',
            _header("Description #1"), '  <Text name="generation1" value="$generation1"/>',
            _header("Description #2"), '  <Text name="generation2" value="$generation2"/>',
            _header("Where a description only gets a thing wrong, correct it in thought before you judge omissions."),
        ]
        for name, (_, question) in QUESTIONS.items():
            lines += [_header(question), f'  <Choices name="{name}" toName="reference" choice="single-radio"'
                                         ' showInline="true" required="true">']  # fmt: skip
            lines += [f'    <Choice value="{html.escape(shown)}" alias="{alias}"/>' for alias, shown in ANSWERS.items()]
            lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])


def _header(words: str) -> str:
    return f'  <Header value="{html.escape(words)}" size="5"/>'


def _marks(side: str, colour: str) -> list[str]:
    label, text = MARKED[side]
    return [f'  <Labels name="{side}" toName="{text}"><Label value="{label}" background="{colour}"/></Labels>',
            f'  <Text name="{text}" value="${text}" granularity="word"/>']  # fmt: skip
