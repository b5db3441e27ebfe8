"""Who judges what: balanced loads, overlapping tasks for agreement, and nobody sees a generation twice.

As in the PoSh paper (section "DOCENT"): an annotator of granular tasks gets all generations of an image, in random
order; one of coarse tasks sees a generation in one comparison only. A share of the tasks goes to further people.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from posh_lite.benchmarks.label_studio import Kind, Task
from posh_lite.errors import InputError

_TRIES = 4000  # steps of the search in one image before the best found is taken


@dataclass(frozen=True, slots=True)
class Assignment:
    """The tasks of each annotator in the order to show them.

    Attributes:
        tasks: by annotator.
        repeats: how often somebody sees a generation again, which was not avoidable with so few people.
        overlapping: tasks that more than one person judges.
    """

    tasks: dict[str, tuple[Task, ...]]
    repeats: int
    overlapping: int


def assign(
    tasks: Sequence[Task], annotators: Sequence[str], *, overlap: float = 0.15, extra: int | None = None, seed: int = 0,
) -> Assignment:
    """Give every task to somebody, and some to several.

    Args:
        tasks: all of one kind.
        annotators: names, each once.
        overlap: share of the tasks that get further judgments (paper: 0.15), rounded up.
        extra: how many further people judge these (paper: 1 for granular, 2 for coarse, the default).
        seed: of every draw.

    Raises:
        InputError: no annotator, a name twice, a share out of range, more judgments of a task than people, tasks of
            both kinds, or a task twice.
    """
    if not annotators or len(set(annotators)) != len(annotators):
        raise InputError("name at least one annotator, and each once")
    if not 0 <= overlap <= 1:
        raise InputError(f"overlap must lie between 0 and 1, got {overlap}")
    kinds = {task.kind for task in tasks}
    if len(kinds) > 1:
        raise InputError("tasks of both kinds: granular and coarse ones are assigned apart")
    if len({task.key for task in tasks}) != len(tasks):
        raise InputError("a task occurs twice")
    kind: Kind = next(iter(kinds), "granular")
    further = extra if extra is not None else {"granular": 1, "coarse": 2}[kind]
    if further < 0:
        raise InputError(f"extra must be at least 0, got {further}")
    if overlap > 0 and further + 1 > len(annotators):
        raise InputError(f"{further + 1} judgments of a task need as many annotators, there are {len(annotators)};"
                         " name more, or lower extra")
    draw = random.Random(seed)
    several = _drawn(tasks, overlap, draw)
    load: Counter[str] = Counter(dict.fromkeys(annotators, 0))
    given: dict[str, list[Task]] = {name: [] for name in annotators}
    repeats = 0
    for unit in _shuffled(list(dict.fromkeys(task.unit for task in tasks)), draw):
        members = [task for task in tasks if task.unit == unit]
        copies = [task for task in members for _ in range(1 + (further if task.key in several else 0))]
        order = _shuffled(list(annotators), draw)
        chosen = _by_image(copies, order, load) if kind == "granular" else _by_pair(copies, order, load)
        for task, name in zip(copies, chosen, strict=True):
            given[name].append(task)
            load[name] += 1
        repeats += sum(n - 1 for n in Counter(
            (name, pair.id) for task, name in zip(copies, chosen, strict=True) for pair in task.pairs).values())
    shown = {name: tuple(_in_order(mine, kind, draw)) for name, mine in given.items()}
    return Assignment(shown, repeats, len(several) if further else 0)


def _shuffled(items: list[str], draw: random.Random) -> list[str]:
    draw.shuffle(items)
    return items


def _drawn(tasks: Sequence[Task], overlap: float, draw: random.Random) -> set[str]:
    """Keys of the tasks that several judge.

    Of granular tasks whole images, since these stay together; of coarse ones a comparison of one image after another,
    so that they come from many images and few people meet the same generation.
    """
    wanted = math.ceil(overlap * len(tasks) - 1e-9)
    if not tasks or wanted == 0:
        return set()
    units = _shuffled(list(dict.fromkeys(task.unit for task in tasks)), draw)
    by_unit = {unit: [task.key for task in tasks if task.unit == unit] for unit in units}
    if tasks[0].kind == "coarse":
        rounds = zip_longest(*(_shuffled(keys, draw) for keys in by_unit.values()))
        return set([key for one in rounds for key in one if key is not None][:wanted])
    found: list[str] = []
    for keys in by_unit.values():
        if len(found) >= wanted:
            break
        found += keys
    return set(found)


def _by_image(copies: Sequence[Task], order: Sequence[str], load: Counter[str]) -> list[str]:
    """The first judgment of every generation by one person, the second by the next, and so on."""
    people = sorted(order, key=lambda name: load[name])
    seen: Counter[str] = Counter()
    chosen = []
    for task in copies:
        chosen.append(people[seen[task.key]])
        seen[task.key] += 1
    return chosen


def _by_pair(copies: Sequence[Task], order: Sequence[str], load: Counter[str]) -> list[str]:
    """Comparisons of one image to people so that nobody meets a generation twice; with the fewest repeats if not."""
    best: list[str] = []
    fewest = math.inf
    steps = 0
    extra: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    taken: set[tuple[str, str]] = set()
    path: list[str] = []

    def visit(at: int, repeats: int) -> bool:
        """Depth first, the least loaded people first; True once nothing better can come."""
        nonlocal best, fewest, steps
        steps += 1
        if repeats >= fewest:
            return False
        if at == len(copies):
            best, fewest = list(path), repeats
            return repeats == 0
        task = copies[at]
        ranked = sorted(
            (name for name in order if (name, task.key) not in taken),
            key=lambda name: (sum(seen[name, pair.id] > 0 for pair in task.pairs), load[name] + extra[name]),
        )
        for name in ranked:
            if steps > _TRIES and best:
                return True
            again = sum(seen[name, pair.id] > 0 for pair in task.pairs)
            path.append(name)
            taken.add((name, task.key))
            extra[name] += 1
            seen.update((name, pair.id) for pair in task.pairs)
            done = visit(at + 1, repeats + again)
            seen.subtract((name, pair.id) for pair in task.pairs)
            extra[name] -= 1
            taken.discard((name, task.key))
            path.pop()
            if done:
                return True
        return False

    visit(0, 0)
    return best


def _in_order(tasks: list[Task], kind: Kind, draw: random.Random) -> list[Task]:
    """Images in random order; granular tasks of an image one after the other, coarse ones mixed."""
    if kind == "coarse":
        draw.shuffle(tasks)
        return tasks
    out: list[Task] = []
    for unit in _shuffled(list(dict.fromkeys(task.unit for task in tasks)), draw):
        members = [task for task in tasks if task.unit == unit]
        draw.shuffle(members)
        out += members
    return out
