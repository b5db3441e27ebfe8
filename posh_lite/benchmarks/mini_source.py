"""The source files of the known-answer corpus: marked-up text in, plain text and gold spans out.

The format is described in ``data/mini/FORMAT.md``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.mini import (
    LABELS,
    MISTAKE_TYPES,
    STYLES,
    FactSpan,
    Gold,
    LabelledSentence,
    Mistake,
    Style,
    Work,
)
from posh_lite.errors import InputError

_FACT = re.compile(r"\[(f\d+)\|([^\[\]|]+)\]")
_MISTAKE = re.compile(r"\{([a-z]+):(f\d+|-)\|([^{}|]+)\}")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FIELDS = ("slug", "title", "artist", "date", "medium", "public_domain")


@dataclass(frozen=True, slots=True)
class SourceCaption:
    """One compiled caption: its plain text and its gold annotations."""

    style: Style
    text: str
    gold: Gold


@dataclass(frozen=True, slots=True)
class SourceWork:
    """One compiled source file."""

    path: Path
    work: Work
    captions: tuple[SourceCaption, ...]  # in the order of STYLES


def strip_facts(marked: str) -> tuple[str, tuple[FactSpan, ...]]:
    """Take the ``[fN|words]`` marks out of a reference: the plain text, and where each fact stands in it.

    Raises:
        InputError: a stray bracket, an id used twice, or ids that are not f1, f2, ... in reading order.
    """
    paragraphs = re.split(r"\n\s*\n", marked.strip())
    marked = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    text, found = _strip(_FACT, marked)
    if stray := re.search(r".{0,20}[\[\]|].{0,20}", text):
        raise InputError(f'stray bracket or bar near "{stray.group()}"; a fact is written [fN|words], not nested')
    facts = tuple(FactSpan(start, end, groups[0], text[start:end]) for start, end, groups in found)
    for number, fact in enumerate(facts, start=1):
        if fact.fact != f"f{number}":
            raise InputError(f'"{fact.text}" is marked {fact.fact} where f{number} is due in reading order')
    return text, facts


def compile_caption(
    style: Style, sentences: list[Any], omits: list[str], facts: tuple[FactSpan, ...], pair_id: str
) -> SourceCaption:
    """Join the sentences of a caption, take its ``{type:fact|words}`` marks out and derive its gold annotations.

    Raises:
        InputError: a mark that cannot be read, an unknown type, label or fact, a label that does not agree with
            the marks, a fact both omitted and misstated.
    """
    text, mistakes, labelled = "", [], []
    known = {fact.fact for fact in facts}
    for number, item in enumerate(sentences, start=1):
        if isinstance(item, str):  # layout replaces the joining space
            text += item
            continue
        label, marked = _sentence(item, number)
        plain, found = _strip(_MISTAKE, marked)
        where = f'sentence {number} ("{plain[:40]}...")'
        if re.search(r"[{}|]", plain):
            raise InputError(f"{where}: stray brace or bar; a mistake is written {{type:fact|words}}")
        if (label == "contradicted") != bool(found):
            raise InputError(f"{where}: labelled {label} but holds {len(found)} mistakes")
        if text and not isinstance(sentences[number - 2], str):
            text += " "
        offset = len(text)
        for start, end, (kind, fact, words) in found:
            if kind not in MISTAKE_TYPES:
                raise InputError(f'{where}: unknown mistake type "{kind}"; known are {", ".join(MISTAKE_TYPES)}')
            if fact != "-" and fact not in known:
                raise InputError(f'{where}: "{words}" names {fact}, which the reference does not have')
            if (fact == "-") != (kind == "invented"):
                raise InputError(f'{where}: "{words}": an invented mistake has the fact "-", any other names its fact')
            mistakes.append(
                Mistake(offset + start, offset + end, kind, None if fact == "-" else fact, words)
            )
        text += plain
        labelled.append(LabelledSentence(offset, len(text), label))
    misstated = {mistake.fact for mistake in mistakes}
    for fact in omits:
        if fact not in known:
            raise InputError(f"omits {fact}, which the reference does not have")
        if fact in misstated:
            raise InputError(f"{fact} is in omits but a mistake names it: a misstated fact is not an omission")
    if len(set(omits)) != len(omits):
        raise InputError("a fact is listed twice in omits")
    gold = Gold(
        id=pair_id,
        mistakes=tuple(mistakes),
        omissions=tuple(fact for fact in facts if fact.fact in omits),
        misstated=tuple(fact for fact in facts if fact.fact in misstated),
        sentences=tuple(labelled),
    )
    return SourceCaption(style, text, gold)


def read_work(path: Path) -> SourceWork:
    """Read and compile one source file.

    Raises:
        InputError: naming the file, and the caption where it is one, and what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not valid TOML: {error}", path=path) from None
    for field in _FIELDS:
        if not isinstance(data.get(field), str) or not data[field].strip():
            raise InputError(f'field "{field}" is missing or not a string', path=path, field=field)
    if not _SLUG.fullmatch(data["slug"]):
        raise InputError(f'slug "{data["slug"]}" must be lower case letters, digits and hyphens', path=path)
    marked = data.get("reference", {}).get("text")
    if not isinstance(marked, str):
        raise InputError("[reference] with a text is missing", path=path)
    try:
        reference, facts = strip_facts(marked)
    except InputError as error:
        raise InputError(f"reference: {error}", path=path) from None
    work = Work(**{field: data[field] for field in _FIELDS}, reference=reference, facts=facts)
    captions: dict[str, SourceCaption] = {}
    for row in data.get("caption", []):
        style = row.get("style")
        if style not in STYLES or style in captions:
            known = ", ".join(STYLES)
            raise InputError(f'caption style "{style}" is unknown or used twice; styles are {known}', path=path)
        if not isinstance(row.get("sentences"), list) or not isinstance(row.get("omits"), list):
            raise InputError(f"caption {style}: sentences and omits must be lists", path=path)
        try:
            captions[style] = compile_caption(style, row["sentences"], row["omits"], facts, f"{work.slug}/{style}")
        except InputError as error:
            raise InputError(f"caption {style}: {error}", path=path) from None
    if absent := [style for style in STYLES if style not in captions]:
        raise InputError(f"captions are missing: {', '.join(absent)}", path=path)
    return SourceWork(path, work, tuple(captions[style] for style in STYLES))


def _sentence(item: Any, number: int) -> tuple[Any, str]:
    if not (isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item)):
        raise InputError(f'sentence {number} must be ["label", "words"], or a plain string for layout')
    label, marked = item
    if label not in LABELS:
        raise InputError(f'sentence {number}: label "{label}" is not one of {", ".join(LABELS)}')
    if not marked or marked != marked.strip():
        raise InputError(f"sentence {number} is empty or has blanks at an end")
    return label, marked


def _strip(pattern: re.Pattern[str], marked: str) -> tuple[str, list[tuple[int, int, tuple[str, ...]]]]:
    """Replace each mark by its words (the last group); also give the span and groups of each in the plain text."""
    plain, found, last = "", [], 0
    for match in pattern.finditer(marked):
        plain += marked[last : match.start()]
        start = len(plain)
        plain += match.groups()[-1]
        found.append((start, len(plain), match.groups()))
        last = match.end()
    return plain + marked[last:], found
