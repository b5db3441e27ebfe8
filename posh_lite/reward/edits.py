"""Edits of a caption that a policy could learn, each with what an honest reward should make of it.

Every edit is a pure function of the text, what is known of it, and a seed. It gives replacements with offsets into the
untouched caption (:class:`~posh_lite.evaluation.challenge_repairs.Edit`), so that what it took out and what it put in
can be shown; or it says why it does not apply. The edits themselves are in :mod:`posh_lite.reward.edits_place`
(what is said where) and :mod:`posh_lite.reward.edits_words` (what is said).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from posh_lite.errors import InputError
from posh_lite.evaluation.challenge_repairs import Edit, edited
from posh_lite.records import Span

#: What an honest reward does with the edited caption, compared with the caption; "no matter": it may go either way.
Should = Literal["fall", "not rise", "stay", "not fall", "no matter"]
Family = Literal["cut", "repeat", "pad", "falsify", "rearrange"]
SHOULD: tuple[Should, ...] = get_args(Should)
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True, slots=True)
class Known:
    """What an edit may know of a caption besides its words; all of it may be left empty.

    Sentences are numbered from 1 as :func:`posh_lite.position.label.content_sentences` finds them.

    Attributes:
        supported: sentences that the reference bears out, the weightiest first; empty: taken by their specific words.
        fine: sentences with supported details or interactions, in text order; empty: as ``supported``.
        reference: its text; a false thing must be in neither text.
        strangers: sentences about other pictures.
    """

    supported: tuple[int, ...] = ()
    fine: tuple[int, ...] = ()
    reference: str = ""
    strangers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edited:
    """A caption after an edit.

    Attributes:
        name: of the edit.
        original: the caption, untouched.
        changes: replacements in text order, without overlap.
        should: what an honest reward does.
        note: what was done to this caption, for a reader.
    """

    name: str
    original: str
    changes: tuple[Edit, ...]
    should: Should
    note: str

    @cached_property
    def text(self) -> str:
        return edited(self.original, self.changes)[0]

    @property
    def removed(self) -> tuple[Span, ...]:
        """What is gone from its place, in the original."""
        return tuple((c.start, c.end) for c in self.changes if c.end > c.start)

    @property
    def added(self) -> tuple[Span, ...]:
        """What is new in its place, in the edited text."""
        found, shift = [], 0
        for c in self.changes:
            if c.new:
                found.append((c.start + shift, c.start + shift + len(c.new)))
            shift += len(c.new) - (c.end - c.start)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Refused:
    """An edit that does not apply to a caption."""

    name: str
    why: str


class Inapplicable(Exception):
    """Raised inside an edit; its text becomes :attr:`Refused.why`."""


@dataclass(frozen=True)
class Draft:
    """A caption on the table: its sentences, what is known, and the chance of this edit."""

    caption: str
    known: Known
    chance: random.Random

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        from posh_lite.position.label import content_sentences

        return content_sentences(self.caption)

    def sentence(self, index: int) -> str:
        start, end = self.spans[index]
        return self.caption[start:end]

    def quarter(self, index: int) -> int:
        from posh_lite.position.types import quartile

        return quartile(index + 1, len(self.spans))

    def need(self, n: int) -> None:
        """Refuse a caption of fewer sentences."""
        if len(self.spans) < n:
            raise Inapplicable(f"it has {len(self.spans)} of at least {n} sentences")

    @cached_property
    def supported(self) -> tuple[int, ...]:
        """Indices of sentences worth repeating, the best first."""
        return self._indices(self.known.supported) or self._specific

    @cached_property
    def fine(self) -> tuple[int, ...]:
        """Indices of sentences with fine details, in text order."""
        return self._indices(self.known.fine) or tuple(sorted(self.supported))

    def _indices(self, numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(n - 1 for n in numbers if 1 <= n <= len(self.spans))

    @cached_property
    def _specific(self) -> tuple[int, ...]:
        from posh_lite.position.generic import counted

        told = [len(counted(self.sentence(k))[1]) for k in range(len(self.spans))]
        return tuple(sorted((k for k, n in enumerate(told) if n), key=lambda k: (-told[k], k)))

    @cached_property
    def generic(self) -> frozenset[int]:
        """Indices of sentences that the embedded judge of genericity calls generic: by their words alone."""
        from posh_lite.position.generic import LexicalGenericity

        judge = LexicalGenericity()
        return frozenset(k for k in range(len(self.spans)) if judge.judge(self.sentence(k)).generic)

    @property
    def middle(self) -> int:
        """Where to put a sentence so that it lies in the second or third quarter afterwards; two sentences at least."""
        self.need(2)
        return len(self.spans) // 2


Made = tuple[Iterable[Edit], str] | tuple[Iterable[Edit], str, Should]


@dataclass(frozen=True, slots=True)
class Kind:
    """An edit as such.

    Attributes:
        name: lower-case words joined by hyphens.
        title: for tables.
        family: what it is an example of.
        should: what an honest reward does; an edit may say otherwise for a single caption.
        about: one sentence: what is done, and why a policy would.
        make: changes and a note from a draft.
    """

    name: str
    title: str
    family: Family
    should: Should
    about: str
    make: Callable[[Draft], Made] = field(repr=False, compare=False)


def kinds() -> dict[str, Kind]:
    """Every edit by its name, in the order of tables."""
    from posh_lite.reward.edits_place import PLACE
    from posh_lite.reward.edits_words import WORDS

    both = {k.name: k for k in (*PLACE, *WORDS)}
    return {k.name: k for family in FAMILIES for k in both.values() if k.family == family}


def edit(name: str, caption: str, known: Known | None = None, *, seed: int = 0) -> Edited | Refused:
    """Make one edit.

    Args:
        name: one of :func:`kinds`.
        caption: any text.
        known: what is known of it.
        seed: of what is left to chance; the same caption and seed give the same text.

    Returns:
        The edited caption, or why there is none. An edit that would leave the text as it was is refused.

    Raises:
        InputError: there is no such edit.
    """
    every = kinds()
    if name not in every:
        raise InputError(f"no edit {name!r}; there are {', '.join(every)}")
    kind = every[name]
    draft = Draft(caption, known or Known(), random.Random(f"{seed} {name} {caption}".encode("utf-8", "replace")))
    try:
        draft.need(1)
        changes, note, *own = kind.make(draft)
    except Inapplicable as reason:
        return Refused(name, str(reason))
    kept = tuple(sorted((c for c in changes if c.old != c.new), key=lambda c: (c.start, c.end)))
    if not kept:
        return Refused(name, "it would leave the text as it is")
    return Edited(name, caption, kept, own[0] if own else kind.should, note)


def all_edits(caption: str, known: Known | None = None, *, seed: int = 0) -> list[Edited | Refused]:
    """Every edit of a caption, in the order of :func:`kinds`."""
    return [edit(name, caption, known, seed=seed) for name in kinds()]
