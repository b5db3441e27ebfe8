"""The constructed study ``data/annotation``: annotators who err at stated rates, exported as Label Studio would.

Nobody was asked. Three annotators are simulated on captions of the known-answer corpus, whose mistakes and omissions
are known: each misses a share of them, marks a share of other words, shifts the edges of marks, and is now and then
a step off in comparisons. The third plays the part of the paper's expert, who marks sparingly. Run this module in a
checkout to write the folder anew.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.docent_spans import merged
from posh_lite.benchmarks.label_studio import (
    MARKED,
    QUESTIONS,
    Kind,
    Task,
    coarse_tasks,
    config,
    granular_tasks,
    task_json,
)
from posh_lite.benchmarks.label_studio_assign import assign
from posh_lite.benchmarks.label_studio_import import answer_of
from posh_lite.benchmarks.mini import MiniCorpus, load_mini
from posh_lite.records import Pair, Span
from posh_lite.text import tokens

WORKS, STYLES = 8, ("faithful", "terse", "embellisher", "confuser")
EXPERT = "expert"
SEED = 7


@dataclass(frozen=True, slots=True)
class Simulated:
    """An annotator and the rates at which the simulation has them err.

    Attributes:
        miss: share of the known spans that are not marked.
        invent: marks on other words, per hundred words of the text.
        narrow: share of the marks that cover only the last word of the known span.
        shift: share of the other marks whose edge is off by a word.
        step: share of the comparisons that are one step off.
    """

    name: str
    miss: float
    invent: float
    narrow: float
    shift: float
    step: float


ANNOTATORS = (
    Simulated("annotator-1", 0.08, 0.8, 0.10, 0.25, 0.35),
    Simulated("annotator-2", 0.15, 1.2, 0.15, 0.30, 0.45),
    Simulated("annotator-3", 0.12, 0.5, 0.05, 0.20, 0.40),
    Simulated(EXPERT, 0.40, 0.2, 0.50, 0.10, 0.30),
)


def _marks(who: Simulated, text: str, known: Sequence[Span], draw: random.Random) -> list[Span]:
    words = [(t.start, t.end) for t in tokens(text) if t.is_word]
    found: list[Span] = []
    for start, end in known:
        inside = [at for at, (a, b) in enumerate(words) if a < end and start < b]
        if draw.random() < who.miss or not inside:
            continue
        first, last = inside[0], inside[-1]
        if draw.random() < who.narrow:
            first = last
        elif draw.random() < who.shift:
            first, last = max(0, first - draw.randint(0, 1)), min(len(words) - 1, last + draw.randint(0, 1))
        found.append((words[first][0], words[last][1]))
    for word in words:
        if draw.random() < who.invent / 100:
            found.append(word)
    return list(merged(found))


def _result(side: str, text: str, span: Span, draw: random.Random) -> dict[str, Any]:
    label, name = MARKED[side]
    return {"value": {"start": span[0], "end": span[1], "text": text[span[0] : span[1]], "labels": [label]},
            "id": _id(draw), "from_name": side, "to_name": name, "type": "labels", "origin": "manual"}  # fmt: skip


def _id(draw: random.Random) -> str:
    return "".join(draw.choice("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789") for _ in range(10))


def _granular(who: Simulated, task: Task, corpus: MiniCorpus, draw: random.Random) -> list[dict[str, Any]]:
    pair, gold = task.pairs[0], corpus.gold_of(task.pairs[0])
    sides = {"mistakes": (pair.generation, [m.span for m in gold.mistakes]),
             "omissions": (pair.reference, [o.span for o in gold.omissions])}  # fmt: skip
    return [_result(side, text, span, draw) for side, (text, known) in sides.items()
            for span in _marks(who, text, known, draw)]


def _coarse(who: Simulated, task: Task, corpus: MiniCorpus, draw: random.Random) -> list[dict[str, Any]]:
    first, second = (pair.id for pair in task.pairs)
    known = next(p for p in corpus.preferences if {p.a, p.b} == {first, second})
    sign = 1 if known.a == first else -1
    found = []
    for name, (dimension, _) in QUESTIONS.items():
        code = sign * int(getattr(known, dimension))
        if draw.random() < who.step:
            code = max(-2, min(2, code + draw.choice((-1, 1))))
        found.append({"value": {"choices": [answer_of(code)]}, "id": _id(draw), "from_name": name,
                      "to_name": "reference", "type": "choices", "origin": "manual"})
    return found


def simulate(corpus: MiniCorpus, kind: Kind, *, seed: int = SEED) -> list[dict[str, Any]]:
    """An export of Label Studio with the simulated annotators' answers to the tasks of one kind.

    Half of the tasks is judged by as many annotators as the kind asks for, the expert judges every second
    work, and one task is skipped and one left open, as happens.

    Args:
        corpus: the known-answer corpus.
        kind: of the tasks.
        seed: of every draw.
    """
    slugs = [work.slug for work in corpus.works[:WORKS]]
    pairs: list[Pair] = [p for p in corpus.pairs if p.id.split("/")[0] in slugs and p.id.split("/")[1] in STYLES]
    tasks = granular_tasks(pairs) if kind == "granular" else coarse_tasks(pairs, seed=seed)
    people = {who.name: who for who in ANNOTATORS}
    names = [who.name for who in ANNOTATORS if who.name != EXPERT]
    given = {name: list(mine) for name, mine in assign(tasks, names, overlap=0.5, seed=seed).tasks.items()}
    given[EXPERT] = [task for task in tasks if task.unit in slugs[::2]]
    draw = random.Random(seed)
    answers: dict[str, list[dict[str, Any]]] = {}
    number = 0
    for name, mine in given.items():
        for task in mine:
            number += 1
            cancelled = number == 5
            make = _granular if kind == "granular" else _coarse
            answers.setdefault(task.key, []).append({
                "id": number, "completed_by": list(given).index(name) + 1,
                "result": [] if cancelled else make(people[name], task, corpus, draw), "was_cancelled": cancelled,
                "ground_truth": False, "created_at": f"2026-01-05T10:{number // 60:02d}:{number % 60:02d}Z",
                "updated_at": f"2026-01-05T10:{number // 60:02d}:{number % 60:02d}Z",
            })
    exported = []
    for number, task in enumerate(tasks, start=1):
        exported.append({"id": number, **task_json(task), "annotations": answers.get(task.key, []), "predictions": []})
    exported.append({"id": len(tasks) + 1, **_open(tasks[0]), "annotations": [], "predictions": []})
    return exported


def _open(task: Task) -> dict[str, Any]:
    """A task that nobody got to."""
    shown = task_json(task)
    shown["data"]["task"] += ":again"
    return shown


def names() -> dict[str, str]:
    """Names of the annotators by the numbers that the export has for them."""
    order = [*(who.name for who in ANNOTATORS if who.name != EXPERT), EXPERT]
    return {str(number): name for number, name in enumerate(order, start=1)}


def find_study() -> Path:
    """The folder ``data/annotation`` of the checkout."""
    return Path(__file__).parent.parent.parent / "data" / "annotation"


def main(folder: Path | None = None) -> None:
    """Write the study's exports, configurations and names."""
    place = folder or find_study()
    place.mkdir(parents=True, exist_ok=True)
    corpus = load_mini()
    for kind in ("granular", "coarse"):
        text = json.dumps(simulate(corpus, kind), ensure_ascii=False, indent=1)
        (place / f"export-{kind}.json").write_text(text + "\n", "utf-8", newline="\n")
        (place / f"config-{kind}.xml").write_text(config(kind), "utf-8", newline="\n")
    (place / "names.txt").write_text("".join(f"{n}={name}\n" for n, name in names().items()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
