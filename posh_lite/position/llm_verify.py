"""The verifier that asks a model: each claim of a rubric supported, contradicted or missing, with evidence (A.2)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.baselines.reply_json import Repeats, said, values
from posh_lite.judge.check import check_whole
from posh_lite.position.llm_ask import Asking, make_asker, own_prompts
from posh_lite.position.match import Place, locate
from posh_lite.position.types import Claim, Finding, Rubric, Status

#: Version of the rules that read a reply.
RULES = 3  # 2: quotations at the edges of words alone, and numbers that could be counted from 0 or from 1; 3: repeats
_WANTED = {"ask.verify": frozenset({"generation", "units"})}
_INDEX = ("index", "item", "id", "number", "idx", "claim", "key")
_STATUS = ("status", "label", "verdict", "judgment", "judgement", "result", "answer")
_EVIDENCE = ("evidence", "quote", "span", "words", "text")
_STATUSES: dict[str, Status] = {
    "supported": "Supported", "support": "Supported", "supports": "Supported", "contradicted": "Contradicted",
    "contradict": "Contradicted", "contradicts": "Contradicted", "contradiction": "Contradicted",
    "contradictory": "Contradicted", "missing": "Missing", "miss": "Missing", "notmentioned": "Missing",
    "unmentioned": "Missing", "absent": "Missing", "omitted": "Missing",
}
_BLANK = frozenset({"", "none", "null", "na", "empty", "missing", "notmentioned"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says of one item; ``status`` is None where that is none of the three."""

    status: Status | None
    quote: str = ""
    reason: str = ""


class LlmVerifier(Asking):
    """Verdicts from a language model, item by item.

    Args:
        model, asker, prompts, log, progress, engine: as :class:`~posh_lite.position.llm_rubric.LlmExtractor`;
            ``prompts`` replaces ``prompts/verify.toml``.
        claims: that are asked about in one message, so that a reply stays short enough to be whole.
        most_tokens: of a reply.

    Raises:
        InputError, JudgeError: a setting or file is wrong, or the engine cannot be made.
    """

    def __init__(
        self, model: str = "", *, asker: Asker | None = None, prompts: str | Path | None = None,
        log: str | Path | None = None, claims: int = 40, most_tokens: int = 4096, progress: bool | None = None,
        **engine: Any,
    ) -> None:
        check_whole("claims", claims)
        check_whole("most_tokens", most_tokens)
        made = asker or make_asker(model, "verdicts", log=log, progress=progress, **engine)
        super().__init__(made, own_prompts("verify.toml", _WANTED, prompts), most_tokens, f"llm-verify-{RULES}")
        self.claims = claims

    @property
    def signature(self) -> str:
        """Model, prompt, reading and how many claims a message has."""
        return self.signature_with(f"claims:{self.claims}")

    def verify(self, items: Sequence[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        """For each caption and rubric one finding a claim, in the order of the claims.

        Raises:
            JudgeError: the model cannot be asked, or a caption with its claims does not fit the context (the message
                names the pair).
        """
        parts = [
            (number, rubric.claims[at : at + self.claims])
            for number, (_, rubric) in enumerate(items) for at in range(0, len(rubric.claims), self.claims)
        ]
        asks = [
            Ask(self.prompts.message("ask.verify", generation=items[n][0], units=checklist(claims)),
                pair_id=self.called(items[n][0]))
            for n, claims in parts
        ]
        replies = self.asker.ask(asks, Sampling(0.0, self.most_tokens), says_something)
        found: list[list[Finding]] = [[] for _ in items]
        for (n, claims), reply in zip(parts, replies, strict=True):
            answers = read_answers(reply, len(claims))
            found[n] += [_finding(c, answers.get(i), items[n][0], reply) for i, c in enumerate(claims)]
        unread = [n for n, row in enumerate(found) if any(f.status is None for f in row)]
        if unread:
            lost = sum(f.status is None for row in found for f in row)
            first = next(f for f in found[unread[0]] if f.status is None)
            warnings.warn(f"{lost:,} claims of {len(unread):,} captions have no readable verdict, such as of"
                          f" {self.called(items[unread[0]][0])}: {first.reason}", stacklevel=2)
        return [tuple(row) for row in found]


def checklist(claims: Sequence[Claim]) -> str:
    """Claims as a message lists them, numbered from 0."""
    return "\n".join(f"{i}. {' '.join(c.text.split())}" for i, c in enumerate(claims))


def _finding(claim: Claim, answer: Answer | None, caption: str, reply: ChatReply) -> Finding:
    if answer is None or answer.status is None:
        why = reply.fault or (answer.reason if answer else "") or (
            "the reply was cut off" if reply.cut else "the reply does not speak of it"
        )
        return Finding(claim.id, None, reason=why)
    if answer.status == "Missing":
        return Finding(claim.id, "Missing", reason=answer.reason)
    place = find_quote(answer.quote, caption)
    match = "unmatched" if place.span is None else place.match
    why = answer.reason
    if place.span is None:
        why = ("the passage that is nearest differs in a number, a colour or a negation" if place.vetoed
               else "no evidence was given" if not answer.quote else "the evidence is not in the caption")
    return Finding(claim.id, answer.status, place.span, answer.quote, match, why)


def find_quote(quote: str, caption: str) -> Place:
    """Where evidence stands; of a quotation with gaps ("a red ... coat") the longest part that is found."""
    place = locate(quote, caption)
    if place.span is not None or not re.search(r"\.\.\.|\u2026", quote):
        return place
    parts = sorted((p.strip() for p in re.split(r"\.\.\.+|\u2026", quote) if len(p.split()) > 1), key=len, reverse=True)
    return next((found for found in (locate(p, caption) for p in parts) if found.span is not None), place)


# -- reading --------------------------------------------------------------------------------------------------


def read_answers(reply: ChatReply, n: int) -> dict[int, Answer]:
    """Answers by number of the item, from 0; what is not in it was not said, or cannot be told for certain.

    Objects with numbers as keys, lists of objects with a number in each, an object a line with other numbers each, and
    a list of exactly ``n`` statuses without numbers are read; where the reply answers twice, the later of the longest
    counts. Numbers out of range are left out. Numbers from 1 to ``n`` without 0 are taken to be counted from 1; where 0
    is lacking and ``n`` too, the count could be either, and nothing is read. An item that has two different statuses in
    one list, or under a key that comes twice, is not read.
    """
    best: list[tuple[int | None, Answer]] = []
    lines: list[tuple[int | None, Answer]] = []
    for value in values(said(reply.text), cut=reply.cut, repeats=True):
        for rows in _tables(value):
            if rows and len(rows) >= len(best):
                best = rows
            lines += rows if len(rows) == 1 else []
    if len({number for number, _ in lines if number is not None}) == len(lines) > len(best):
        best = lines
    if best and all(number is None for number, _ in best):
        return {i: answer for i, (_, answer) in enumerate(best)} if len(best) == n and not reply.cut else {}
    numbered = [(number, answer) for number, answer in best if number is not None]
    numbers = {number for number, _ in numbered}
    shift = 0
    if numbers and 0 not in numbers:
        if n in numbers:
            shift = 1
        elif any(0 < number < n for number in numbers):
            return {}
    found: dict[int, Answer] = {}
    for number, answer in numbered:
        place = number - shift
        if not 0 <= place < n:
            continue
        before = found.get(place)
        if before is not None and before.status != answer.status:
            answer = Answer(None, reason=f"answered twice: {before.status or 'unread'} and {answer.status or 'unread'}")
        found[place] = answer
    return found


def says_something(reply: ChatReply) -> bool:
    """Whether any status can be read from a reply, however its items are numbered: does the model know the form?"""
    return any(
        answer.status is not None for value in values(said(reply.text), cut=reply.cut, repeats=True)
        for rows in _tables(value) for _, answer in rows
    )


def _tables(value: Any) -> Iterator[list[tuple[int | None, Answer]]]:
    """Every reading of a value, and of what lies within it, as rows of number and answer."""
    if isinstance(value, dict):
        numbered = [(_number(k), v) for k, v in value.items()]
        if any(k is not None for k, _ in numbered):
            yield [(k, _answer(one)) for k, v in numbered if k is not None
                   for one in (v if isinstance(v, Repeats) else [v])]
            return
        if _field(value, _STATUS) is not None:
            yield [(_number(_field(value, _INDEX)), _answer(value))]
            return
        for inner in value.values():
            yield from _tables(inner)
    elif isinstance(value, list):
        if value and all(isinstance(v, str) for v in value):
            yield [(None, _answer(v)) for v in value]
            return
        told = [v for v in value if isinstance(v, dict) and _field(v, _STATUS) is not None]
        if told:
            yield [(_number(_field(v, _INDEX)), _answer(v)) for v in told]
            return
        single = [v for v in value if isinstance(v, dict) and len(v) == 1 and _number(next(iter(v))) is not None]
        if single:  # [{"0": {...}}, {"1": {...}}]
            yield [(_number(k), _answer(inner)) for v in single for k, inner in v.items()]
            return
        for inner in value:
            yield from _tables(inner)


def _number(value: Any) -> int | None:
    """An index: 3, "3", "3.", "item 3", "[3]"; None where it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value) if abs(value) < 10**6 else None
    if not isinstance(value, str):
        return None
    pattern = r"[^\w-]*(?:(?:item|claim|fact|no|number|index)\W*)?(\d{1,6})\W*"
    match = re.fullmatch(pattern, value.strip(), re.IGNORECASE)
    return int(match[1]) if match else None


def _field(item: dict[str, Any], names: Sequence[str]) -> Any:
    given = {re.sub(r"[\W_]+", "", str(k)).lower(): v for k, v in item.items()}
    return next((given[name] for name in names if given.get(name) is not None), None)


def _answer(value: Any) -> Answer:
    if isinstance(value, list) and value and isinstance(value[0], str):  # ["supported", "a red coat"]
        value = {"status": value[0], "evidence": value[1] if len(value) > 1 else ""}
    if isinstance(value, str):
        return Answer(_status(value), reason="" if _status(value) else f"no status: {value[:40]!r}")
    if not isinstance(value, dict):
        return Answer(None, reason="the answer is broken off")
    named = _field(value, _STATUS)
    status = _status(named)
    if status is None:
        return Answer(None, reason=f"no status: {str(named)[:40]!r}")
    return Answer(status, _quote(_evidence(value)))


def _evidence(item: dict[str, Any]) -> Any:
    """What stands under the first of the names: where that is null, "text" beside it is the item and no evidence."""
    given = {re.sub(r"[\W_]+", "", str(k)).lower(): v for k, v in item.items()}
    return next((given[name] for name in _EVIDENCE if name in given), None)


def _status(value: Any) -> Status | None:
    return _STATUSES.get(re.sub(r"[\W_]+", "", value).lower()) if isinstance(value, str) else None


def _quote(value: Any) -> str:
    """The evidence as text; the first that says something where there are several."""
    options = value if isinstance(value, list) else [value]
    for option in options:
        if isinstance(option, str) and re.sub(r"[\W_]+", "", option).lower() not in _BLANK:
            return option.strip()
    return ""
