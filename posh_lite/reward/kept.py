"""What the judges of rewards keep of the last texts, and how many refusals in a row they bear."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from posh_lite.errors import JudgeDown, JudgeError

V = TypeVar("V")
#: Texts that a judge may refuse in a row.
MOST_REFUSED = 64


class Kept(Generic[V]):
    """The last ``most`` values by key."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: OrderedDict[Hashable, V] = OrderedDict()

    def fill(self, keys: Sequence[Hashable], make: Callable[[list[int]], Sequence[V]]) -> list[V]:
        """Values in the order of the keys; ``make`` gives those of the places that are not known, each key once."""
        first: dict[Hashable, int] = {}
        for i, key in enumerate(keys):
            if key not in self.values:
                first.setdefault(key, i)
        made = make(list(first.values())) if first else []
        fresh = dict(zip(first, made, strict=True))
        for key in dict.fromkeys(keys):
            if key in self.values:
                self.values.move_to_end(key)
        found = [fresh[key] if key in fresh else self.values[key] for key in keys]
        self.values.update(fresh)
        while len(self.values) > self.most:
            self.values.popitem(last=False)
        return found


class Refusals:
    """Tells texts that a judge refuses from a judge that refuses whatever it is asked."""

    def __init__(self) -> None:
        self._answered, self._in_a_row = False, 0

    def none(self) -> None:
        """Something was answered."""
        self._answered, self._in_a_row = True, 0

    def one_by_one(self, things: Sequence[Any], ask: Callable[[Any], Any]) -> list[Any]:
        """Answers, with None for what is refused.

        Raises:
            JudgeDown: the model is gone.
            JudgeError: all are refused, and nothing was answered before or not for long: it is not about one text.
        """
        found: list[Any] = []
        for thing in things:
            try:
                found.append(ask(thing))
                self.none()
            except JudgeDown:
                raise
            except JudgeError as error:
                found.append(None)
                self._in_a_row += 1
                fault = error
        if not self._answered or self._in_a_row >= MOST_REFUSED:
            raise fault
        return found
