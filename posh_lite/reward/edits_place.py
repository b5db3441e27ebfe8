"""Edits of what stands where: cuts, repetitions and moves. No word is new in any of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from posh_lite.evaluation.challenge_repairs import Edit
from posh_lite.reward.edits import Draft, Inapplicable, Kind, Made

_ENDS = (".", "!", "?", "…", "。", "！", "？")
_CLOSERS = "\"'”’»)]*_` "
_MARK = re.compile(r"[ \t]*(?:[-*+•◦▪●–][ \t]+|\(?\d{1,3}[.)][ \t]+)")


# -- where a sentence can stand ------------------------------------------------------------------------------------


def ended(sentence: str) -> bool:
    """Whether a sentence ends with a mark, so that another can follow it in the same line."""
    return sentence.rstrip(_CLOSERS).endswith(_ENDS)


def after(draft: Draft, index: int) -> int:
    """The place behind a sentence and the signs that close it ("**", a quotation mark), before the next one."""
    text, at = draft.caption, draft.spans[index][1]
    limit = draft.spans[index + 1][0] if index + 1 < len(draft.spans) else len(text)
    while at < limit and not text[at].isspace() and text[at] in _CLOSERS + "".join(_ENDS):
        at += 1
    return at


def put(draft: Draft, index: int, sentences: Sequence[str]) -> Edit:
    """Sentences before the one with this index, or behind the last where it is their number.

    Behind an item of a list that has no end mark they become items; elsewhere they continue the line.
    """
    said = " ".join(s if ended(s) else f"{s.rstrip()}." for s in sentences)
    if index == 0:
        at = draft.spans[0][0]
        return Edit(at, at, "", f"{said} ")
    at, text = after(draft, index - 1), draft.caption
    if ended(draft.sentence(index - 1)):
        return Edit(at, at, "", f" {said}")
    line = text.rfind("\n", 0, draft.spans[index - 1][0]) + 1
    mark = _MARK.match(text, line)
    if mark and not text[at:].split("\n", 1)[0].strip():
        return Edit(at, at, "", f"{newline(text)}{mark[0]}{said}")
    return Edit(at, at, "", f". {said}")


def newline(text: str) -> str:
    """How a text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def cut(draft: Draft, index: int) -> Edit:
    """Everything from the sentence with this index on, layout before it included."""
    at = after(draft, index - 1)
    return Edit(at, len(draft.caption), draft.caption[at:], "")


def reorder(draft: Draft, order: Sequence[int]) -> list[Edit]:
    """The sentences in another order, each in the place and layout of another."""
    return [
        Edit(*draft.spans[place], draft.sentence(place), draft.sentence(source))
        for place, source in enumerate(order) if place != source
    ]


def _movable(draft: Draft) -> list[int]:
    """Sentences with an end mark: one without would run into what follows elsewhere; else those alone in their line."""
    marked = [k for k in range(len(draft.spans)) if ended(draft.sentence(k))]
    return marked if len(marked) > 1 else [k for k in range(len(draft.spans)) if _alone(draft, k)]


def _alone(draft: Draft, index: int) -> bool:
    """Whether nothing but the sign of a list stands in the line of a sentence."""
    start, end = draft.spans[index]
    before = draft.caption[draft.caption.rfind("\n", 0, start) + 1 : start]
    rest = draft.caption[end:].split("\n", 1)[0].strip(_CLOSERS + "\r")
    return not rest and (not before.strip() or bool(_MARK.fullmatch(before)))


# -- the edits -----------------------------------------------------------------------------------------------------


def _drop_tail(draft: Draft) -> Made:
    draft.need(4)
    first = next(k for k in range(len(draft.spans)) if draft.quarter(k) == 4)
    gone = set(range(first, len(draft.spans)))
    held = {n - 1 for n in draft.known.supported}
    note = f"sentences {first + 1} to {len(draft.spans)} are cut"
    if not gone & draft.generic:
        return [cut(draft, first)], note
    if gone <= draft.generic - held:
        return [cut(draft, first)], f"{note}; all of them are generic", "not fall"
    return [cut(draft, first)], f"{note}; some of them are generic", "no matter"


def _first_half(draft: Draft) -> Made:
    draft.need(2)
    first = (len(draft.spans) + 1) // 2
    return [cut(draft, first)], f"{first} of {len(draft.spans)} sentences are left"


def _chosen(draft: Draft, before: int) -> int:
    """The sentence that is worth repeating most; one that stands before a place if there is any."""
    if not draft.supported:
        raise Inapplicable("no sentence of it says anything specific")
    return next((k for k in draft.supported if k < before), draft.supported[0])


def _repeat_middle(draft: Draft) -> Made:
    at = draft.middle
    which = _chosen(draft, at)
    return [put(draft, at, [draft.sentence(which)])], f"sentence {which + 1} is said again in the middle"


def _repeat_end(draft: Draft) -> Made:
    which = _chosen(draft, len(draft.spans))
    return [put(draft, len(draft.spans), [draft.sentence(which)])], f"sentence {which + 1} is said again at the end"


def _double(draft: Draft) -> Made:
    text = draft.caption
    gap = newline(text) * 2 if "\n" in text else " " if ended(draft.sentence(len(draft.spans) - 1)) else ". "
    return [Edit(len(text), len(text), "", gap + text.strip())], "the whole caption is said twice"


def _shuffle(draft: Draft) -> Made:
    draft.need(2)
    places = _movable(draft)
    order = list(places)
    draft.chance.shuffle(order)
    if order == places:  # so that two sentences are exchanged, not left as they are half of the time
        order = order[1:] + order[:1]
    moved = dict(zip(places, order, strict=True))
    return reorder(draft, [moved.get(k, k) for k in range(len(draft.spans))]), "the same sentences in another order"


def _to_middle(draft: Draft, chosen: Sequence[int]) -> list[int]:
    """An order in which the chosen sentences stand around the middle, all others keeping theirs."""
    movable = _movable(draft)
    picked = [k for k in chosen if k in movable]
    rest = [k for k in movable if k not in picked]
    at = (len(movable) - len(picked) + 1) // 2
    moved = dict(zip(movable, [*rest[:at], *picked, *rest[at:]], strict=True))
    return [moved.get(k, k) for k in range(len(draft.spans))]


def _tail_to_middle(draft: Draft) -> Made:
    draft.need(4)
    tail = [k for k in range(len(draft.spans)) if draft.quarter(k) == 4 and k in draft.generic]
    if not tail:
        raise Inapplicable("no sentence of its last quarter is generic")
    said = f"{len(tail)} generic sentences of the last quarter go to the middle"
    return reorder(draft, _to_middle(draft, tail)), said


def _details_to_middle(draft: Draft) -> Made:
    draft.need(4)
    outer = [k for k in draft.fine if draft.quarter(k) in (1, 4)]
    room = sum(draft.quarter(k) in (2, 3) for k in range(len(draft.spans)))
    inner = [k for k in draft.fine if draft.quarter(k) in (2, 3)]
    # plain sentences leave the middle for as many with details; those that are there already stay there
    picked = sorted([*inner, *outer[: max(0, room - len(inner))]])
    if not outer or len(picked) == len(inner):
        raise Inapplicable("no sentence with a fine detail lies outside of the middle, or no plain one within")
    said = f"{len(picked) - len(inner)} sentences with fine details of the first and last quarter go to the middle"
    return reorder(draft, _to_middle(draft, picked)), said


PLACE: tuple[Kind, ...] = (
    Kind("drop-tail", "drop the last quarter", "cut", "not rise",
         "Leaves out the last quarter, where a caption is likeliest to be vague; what is true in it is lost.",
         _drop_tail),
    Kind("first-half", "keep the first half", "cut", "not rise",
         "Stops half-way, so that nothing is left that could be generic late in the caption.", _first_half),
    Kind("repeat-middle", "repeat a detail in the middle", "repeat", "not rise",
         "Says a supported sentence again where evidence pays most.", _repeat_middle),
    Kind("repeat-end", "repeat a detail at the end", "repeat", "not rise",
         "Ends on a supported sentence said before, which thins out what is generic in the last quarter.", _repeat_end),
    Kind("double", "say everything twice", "repeat", "not rise",
         "The second copy begins in the middle and fills the last quarter.", _double),
    Kind("shuffle", "shuffle the sentences", "rearrange", "stay",
         "The same statements in another order: a reward of place may move, one of content may not.", _shuffle),
    Kind("tail-to-middle", "move the generic tail to the middle", "rearrange", "not rise",
         "Generic sentences leave the one quarter in which they are charged.", _tail_to_middle),
    Kind("details-to-middle", "move details into the middle", "rearrange", "not rise",
         "Supported details leave the quarters in which they earn nothing extra.", _details_to_middle),
)  # fmt: skip
