"""A blind study of captions side by side: what is shown, to whom, and in which order.

Names of models are in the key alone. Captions of an item are stored in an order of their own, and every rater sees
every item in an order of theirs, so that neither the page nor its source tells which caption is whose.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, permutations
from typing import Any, Literal, get_args

from posh_lite.benchmarks.label_studio import unit_of
from posh_lite.errors import InputError
from posh_lite.records import Pair

Task = Literal["choose", "rank"]
Kind = Literal["item", "repeat", "attention"]
TASKS: tuple[Task, ...] = get_args(Task)
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMAT = "posh-lite preference key 1"
#: What a reader of the captions obeys; put after the first words of one caption of an attention item.
ATTENTION = "[This sentence checks that the texts are read: please put this text first, whatever you think of it.]"


@dataclass(frozen=True, slots=True)
class Settings:
    """What raters are asked.

    Attributes:
        question: heading of every trial.
        task: "choose" the best caption, or "rank" all of them.
        ties: whether captions may be called equally good.
        reasons: whether there is a field for a reason.
        repeats: items that every rater sees a second time, in another order.
        attention: items in which a caption says that it is to be put first.
        at_once: captions side by side, 2 or 3.
        seed: of every draw.
    """

    question: str = "Which description is better?"
    task: Task = "choose"
    ties: bool = False
    reasons: bool = True
    repeats: int = 0
    attention: int = 0
    at_once: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"the task must be one of {', '.join(TASKS)}, got {self.task!r}", field="task")
        if not isinstance(self.question, str) or not self.question.strip():
            raise InputError("the question is the heading of every comparison, and it is empty", field="question")
        if self.at_once not in (2, 3):
            raise InputError(f"two or three captions go side by side, got {self.at_once}", field="at_once")
        for name in ("repeats", "attention"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must be at least 0, got {getattr(self, name)}", field=name)


@dataclass(frozen=True, slots=True)
class Item:
    """Captions of one image, in the order in which the page stores them.

    Attributes:
        image: what they describe.
        models: who wrote each.
        ids: of their pairs.
        captions: their texts; empty where the study was read from a key.
        reference: shown with the captions, or None.
    """

    image: str
    models: tuple[str, ...]
    ids: tuple[str, ...]
    captions: tuple[str, ...] = field(default=(), repr=False)
    reference: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """One screen of one rater.

    Attributes:
        code: its number on the rater's way, from "1".
        item: place in ``PreferenceStudy.items``.
        order: for each position from the left, the caption of the item that stands there.
        kind: an item, a repeated one, or an attention check.
        expected: the position that an attention check asks for.
    """

    code: str
    item: int
    order: tuple[int, ...]
    kind: Kind = "item"
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class PreferenceStudy:
    """All that belongs to a study.

    Attributes:
        settings: what raters are asked.
        models: that are compared.
        items: of all raters; those of attention checks come last.
        trials: rater -> what they see, in order.
        id: a hash of all of it, which the page, the key and the answers carry: twelve hexadecimal digits.
    """

    settings: Settings
    models: tuple[str, ...]
    items: tuple[Item, ...]
    trials: Mapping[str, tuple[Trial, ...]]
    id: str = ""

    @property
    def raters(self) -> tuple[str, ...]:
        """Their codes."""
        return tuple(self.trials)

    def to_key(self) -> dict[str, Any]:
        """What is kept from raters, without the texts."""
        return {
            "format": FORMAT, "study": self.id, "settings": asdict(self.settings), "models": list(self.models),
            "items": [{"image": i.image, "models": list(i.models), "ids": list(i.ids)} for i in self.items],
            "trials": {r: [asdict(t) for t in trials] for r, trials in self.trials.items()},
        }

    def to_page(self) -> dict[str, Any]:
        """What the page holds: texts and orders, no name, and no word on which trials are checks."""
        s = self.settings
        return {
            "study": self.id, "question": s.question, "task": s.task, "ties": s.ties, "reasons": s.reasons,
            "items": [{"captions": list(i.captions), "reference": i.reference} for i in self.items],
            "trials": {
                r: [{"code": t.code, "item": t.item, "order": list(t.order)} for t in trials]
                for r, trials in self.trials.items()
            },
        }


def make_study(
    pairs: Sequence[Pair], raters: Sequence[str], settings: Settings, *, models: Sequence[str] | None = None,
    sample: int | None = None, show_reference: bool = False, path: object = None,
) -> PreferenceStudy:
    """Plan a study over all images that every compared model described.

    Args:
        pairs: captions with their model; ``image`` (default: the id up to its last slash) says what belongs together.
        raters: their codes, which name the files of their answers.
        settings: what they are asked.
        models: to be compared; by default all. Where there are more than go side by side, every choice of that many
            makes an item of its own.
        sample: images to draw; by default all.
        show_reference: whether raters see the reference.
        path: of the pairs, for messages.

    Raises:
        InputError: captions lack a model, a model has two captions of an image, nothing can be compared, or there
            are not enough items for the repeats.
    """
    by_image = _table(pairs, models, path)
    names = tuple(models) if models else tuple(dict.fromkeys(p.model or "" for p in pairs))
    if len(names) < settings.at_once:
        raise InputError(f"{len(names)} model{'s' * (len(names) != 1)} ({', '.join(names)}): there is nothing to put "
                         f"side by side for {settings.at_once} captions", path=path, field="model")
    if len(set(raters)) != len(raters) or not raters:
        raise InputError("name every rater once, and at least one", field="raters")
    draw = random.Random(f"{settings.seed}/items")
    whole = [image for image, own in by_image.items() if all(name in own for name in names)]
    if not whole:
        raise InputError(f"no image has a caption of each of {', '.join(names)}", path=path, field="model")
    if sample is not None:
        if not 1 <= sample <= len(whole):
            raise InputError(f"cannot draw {sample} of {len(whole)} images", path=path, field="sample")
        chosen = set(draw.sample(whole, sample))
        whole = [image for image in whole if image in chosen]
    items = []
    for image in whole:
        for group in combinations(names, settings.at_once):
            own = [by_image[image][name] for name in draw.sample(group, len(group))]
            items.append(Item(image, tuple(p.model or "" for p in own), tuple(p.id for p in own),
                              tuple(p.generation for p in own), own[0].reference if show_reference else None))
    shown = len(items)
    if settings.repeats > shown // 3:
        raise InputError(f"{settings.repeats} repeats need {3 * settings.repeats} items, so that some time lies"
                         f" between, and there are {shown}", path=path, field="repeats")
    if settings.attention > shown:
        raise InputError(f"{settings.attention} attention checks are more than the {shown} items", field="attention")
    checks = [_check(items[k], draw) for k in draw.sample(range(shown), settings.attention)]
    items += [check for check, _ in checks]
    marked = {shown + k: at for k, (_, at) in enumerate(checks)}
    trials = {rater: _way(rater, items[:shown], marked, settings) for rater in raters}
    made = PreferenceStudy(settings, names, tuple(items), trials)
    content = json.dumps([made.to_key(), made.to_page()], sort_keys=True)
    return PreferenceStudy(settings, names, made.items, trials, hashlib.sha256(content.encode()).hexdigest()[:12])


def _table(pairs: Sequence[Pair], models: Sequence[str] | None, path: object) -> dict[str, dict[str, Pair]]:
    """Image -> model -> caption."""
    wanted = None if models is None else set(models)
    known = {p.model for p in pairs}
    if wanted is not None and (strange := wanted - known):
        have = ", ".join(sorted(name for name in known if name))
        raise InputError(f'no caption of "{sorted(strange)[0]}"; there are {have or "no models"}', path=path,
                         field="model")
    found: dict[str, dict[str, Pair]] = {}
    for pair in pairs:
        if not pair.model:
            raise InputError(f'caption "{pair.id}" has no model: the study could not say whose it is', path=path,
                             field="model")
        if wanted is not None and pair.model not in wanted:
            continue
        own = found.setdefault(unit_of(pair), {})
        if pair.model in own:
            raise InputError(f'image "{unit_of(pair)}" has two captions of {pair.model}: "{own[pair.model].id}" and '
                             f'"{pair.id}"', path=path, field="id")
        own[pair.model] = pair
    return found


def _check(item: Item, draw: random.Random) -> tuple[Item, int]:
    """An item in which one caption says, after some words, that it is to be put first."""
    at = draw.randrange(len(item.captions))
    text = item.captions[at]
    cut = text.find(" ", len(text) // 2)
    cut = len(text) if cut < 0 else cut
    spoken = f"{text[:cut]} {ATTENTION}{text[cut:]}"
    captions = (*item.captions[:at], spoken, *item.captions[at + 1:])
    return Item(item.image, item.models, item.ids, captions, item.reference), at


def _way(rater: str, items: Sequence[Item], checks: Mapping[int, int], settings: Settings) -> tuple[Trial, ...]:
    """A rater's trials: items in an order of their own, each model equally often at each position.

    Otherwise a rater who leans to the left would lean to the model that happens to stand there more often.
    """
    draw, shown = random.Random(f"{settings.seed}/rater/{rater}"), len(items)
    all_orders = list(permutations(range(settings.at_once)))
    left: dict[tuple[str, ...], list[tuple[int, ...]]] = {}  # of models in order of name, the orders not yet used
    way: list[tuple[int, tuple[int, ...], Kind]] = []
    for item in draw.sample(range(shown), shown):
        names = tuple(sorted(items[item].models))
        open_ = left.setdefault(names, [])
        if not open_:
            open_ += draw.sample(all_orders, len(all_orders))
        way.append((item, tuple(items[item].models.index(names[k]) for k in open_.pop()), "item"))
    again = draw.sample(way[: max(1, shown // 3)], settings.repeats)
    for item, order, _ in again:
        turned = (*order[1:], order[0])  # every caption stands somewhere else
        way.insert(draw.randint(len(way) - shown // 3, len(way)), (item, turned, "repeat"))
    for item in draw.sample(sorted(checks), len(checks)):
        way.insert(draw.randint(1, len(way)), (item, draw.choice(all_orders), "attention"))
    return tuple(
        Trial(str(n), item, order, kind, order.index(checks[item]) if kind == "attention" else None)
        for n, (item, order, kind) in enumerate(way, start=1)
    )
