"""Several questions about the same texts in one prompt, and the reading of the answers.

The texts are then computed once for all of them even where an engine keeps nothing, at a price: an answer depends on
the questions beside it. These are the questions of the same step about the same text of the same pair and no others
(:mod:`posh_lite.judge.lists`), so that chunks of pairs, batches and logs change nothing. Lazy identifiers, which ask in
other steps, do; the signature of a score says so.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from posh_lite.judge.contract import Question, Verdict
from posh_lite.judge.lists import around, lists
from posh_lite.judge.llm.answers import Answers
from posh_lite.judge.llm.engine import Engine, Prompt, Reading
from posh_lite.judge.prompts import fill

_FILE = Path(__file__).with_name("list.toml")
#: Tokens left for each line of an answer.
LINE_TOKENS = 8


@runtime_checkable
class ListReader(Protocol):
    """An engine that reads probabilities at every line of an answer, which it begins itself ("2: ")."""

    def read_list(
        self, prompts: Sequence[Prompt], counts: Sequence[int], answers: Answers, *, chained: bool = True
    ) -> list[list[Reading]]:
        """The candidates for each answer of each prompt.

        Args:
            prompts: each with a numbered list of questions.
            counts: how many questions each holds, at least 1.
            answers: the scale.
            chained: whether a line follows the model's own most probable answers to the lines before it; otherwise
                each line is read as if it were the first.

        Returns:
            A reading for each question of each prompt, in order; ``generated`` counts all tokens of its line, and
            the first of a prompt has its ``tokens`` and ``cached``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Bundle:
    """Questions that are asked together."""

    indices: tuple[int, ...]  # of the questions in the call
    prompt: Prompt


@cache
def _templates() -> tuple[str, str, str]:
    data = _FILE.read_bytes()
    tables = tomllib.loads(data.decode("utf-8"))["list"]
    return tables["block"].lstrip("\n"), tables["item"], hashlib.sha256(data).hexdigest()


def list_digest() -> str:
    """The first eight digits of the hash of the wording, for a signature."""
    return _templates()[2][:8]


def list_prompt(questions: Sequence[Question]) -> Prompt:
    """One prompt for questions that share all but their question; a single question keeps its own prompt."""
    first = questions[0]
    before, after = around(first)
    if len(questions) == 1:
        return Prompt(first.prompt, len(before), first.pair_id)
    block, item, _ = _templates()
    items = "\n".join(fill(item, {"number": str(n), "question": q.text}) for n, q in enumerate(questions, start=1))
    text = fill(block, {"count": str(len(questions)), "items": items})
    return Prompt(f"{before}{text}{after}", len(before), first.pair_id)


def bundles(questions: Sequence[Question], size: int) -> list[Bundle]:
    """Questions in bundles of at most ``size`` about the same text of a pair, as even as can be, in their order."""
    found = []
    for members in lists(questions):
        parts = -(-len(members) // size)
        for part in range(parts):
            indices = members[len(members) * part // parts:len(members) * (part + 1) // parts]
            found.append(Bundle(tuple(indices), list_prompt([questions[i] for i in indices])))
    return found


def ask_bundles(
    engine: Engine, found: Sequence[Bundle], answers: Answers, read: Callable[[Reading], Verdict], *,
    chained: bool = True,
) -> tuple[list[list[Verdict]], list[Reading]]:
    """Put bundles to an engine.

    Args:
        engine: whose answers are read line by line where it is a :class:`ListReader`, else from what it wrote.
        found: the bundles.
        answers: the scale.
        read: makes a verdict of the reading of one answer.
        chained: see :meth:`ListReader.read_list`.

    Returns:
        The verdicts of each bundle, and for each bundle one reading that says what it took.
    """
    verdicts: list[list[Verdict]] = [[] for _ in found]
    took: list[Reading] = [Reading() for _ in found]
    single = [i for i, b in enumerate(found) if len(b.indices) == 1]
    several = [i for i, b in enumerate(found) if len(b.indices) > 1]
    prompts, counts = [found[i].prompt for i in several], [len(found[i].indices) for i in several]
    if single:
        for i, reading in zip(single, engine.read([found[i].prompt for i in single], answers), strict=True):
            verdicts[i], took[i] = [read(reading)], reading
    if several and isinstance(engine, ListReader):
        for i, lines in zip(several, engine.read_list(prompts, counts, answers, chained=chained), strict=True):
            verdicts[i] = [read(line) for line in lines]
            took[i] = replace(lines[0], generated=sum(line.generated for line in lines))
    elif several:
        written = engine.generate(prompts, max(counts) * LINE_TOKENS)
        for i, count, reading in zip(several, counts, written, strict=True):
            took[i] = reading
            if reading.fault:
                verdicts[i] = [read(reading)] * count
            else:
                verdicts[i] = [_certain(value, reading.text) for value in read_lines(reading.text, count, answers)]
    return verdicts, took


def _certain(value: int | None, text: str) -> Verdict:
    """An answer that was written down: nothing is known of its probability, so that no mass is claimed."""
    if value is None:
        return Verdict(None, raw=f"no answer with this number in the list: {text!r}")
    a, b, c, d, e = (float(value == n) for n in range(1, 6))
    return Verdict(float(value), (a, b, c, d, e), None, text)


# -- written lists ------------------------------------------------------------------------------------------

_OPEN = r"[\"'`*_(\[\u201c\u2018]*"
_SHUT = r"[\"'`*_)\]\u201d\u2019]*"
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)


@cache
def _patterns(scale: str) -> tuple[re.Pattern[str], ...]:
    """Ways in which a number and its answer are written: a line or a key, an object, an echo, a row, bare answers."""
    word = "yes|no" if scale == "yes-no" else "[1-5]"
    # "4/5" is 4; "4.5", "10", "4 or 5" and "4-5" are no answer.
    value = (
        rf"{_OPEN}(?:(?:the\s+)?(?:answer|score|rating)\s*(?:[:=]|is)?\s*)?{_OPEN}({word})(?:\s*/\s*5|\s+out\s+of\s+5)?"
        rf"(?!\w|[.,/]\d|\s*(?:or|to|and|-|\u2013|/|\||,?\s*maybe)\s*(?:{word})(?!\w|\s*[:.)=]))"
    )
    between = rf"\s*(?:[:=\u2013\u2014|-]|->|\u2192|[.)](?=\s))+{_SHUT}\s*"
    number = rf"(?:question|item|answer|no\.|q)?\s*#?\s*{_OPEN}(\d{{1,3}}){_SHUT}"
    flags = re.IGNORECASE | re.MULTILINE
    return (
        re.compile(rf"(?:^[\s>*+\u2022|-]*|[,;{{\[|]\s*){number}{between}{value}", flags),
        re.compile(
            rf"[\"']?(?:index|number|id|question|q)[\"']?\s*[:=]\s*[\"']?(\d{{1,3}})[\"']?\s*,\s*"
            rf"[\"']?(?:answer|score|rating|value)[\"']?\s*[:=]\s*{value}", flags,
        ),
        re.compile(rf"^\W*(\d{{1,3}})\s*[.):]\s.*\?{_SHUT}\s*(?:[:=\u2013\u2014-]|->|\u2192)?\s*{value}\W*$", flags),
        re.compile(rf"^\W*(?:\d{{1,3}}\s*[:=]\s*(?:{word})\W*){{2,}}$", flags),
        re.compile(rf"(\d{{1,3}})\s*[:=]\s*({word})(?!\w)", flags),
        re.compile(rf"^[\s>*+\u2022\[-]*{value}\W*$", flags),
    )


def read_lines(text: str, count: int, answers: Answers) -> list[int | None]:
    """The answers of a written list, as positions on 1 to 5; None where one is missing or cannot be told.

    Numbered lines, fenced or chatty ones, JSON with either kind of quotes, and bare answers that are as many as the
    questions are read. A number that is not in the list is passed over; one that is there twice with two answers is
    missing.

    Args:
        text: what the model wrote.
        count: how many questions were asked.
        answers: the scale.
    """
    text = _FENCE.sub("", text)
    keyed, objects, echo, row, within, bare = _patterns(answers.scale)
    pairs = [*keyed.findall(text), *objects.findall(text), *echo.findall(text)]
    for match in row.finditer(text):
        pairs += within.findall(match[0])
    found: dict[int, set[int]] = {}
    for number, word in pairs:
        value = answers.value(word)
        if value is not None:
            found.setdefault(int(number), set()).add(value)
    if 0 in found and count not in found:  # numbered from 0 where it is all of the list; else no number can be trusted
        found = {n + 1: values for n, values in found.items()} if set(found) == set(range(count)) else {}
    if not pairs:
        inner = text.strip().removeprefix("[").removesuffix("]").strip(" \n,")
        lines = inner.split(",") if inner and "\n" not in inner else inner.splitlines()
        said = [m[1] for m in (bare.match(line.strip()) for line in lines) if m]
        if len(said) == count:  # not numbered, but none is too few or too many
            return [answers.value(word) for word in said]
    return [next(iter(found[n])) if len(found.get(n, ())) == 1 else None for n in range(1, count + 1)]
