"""Sheets for people who look at the image: seeded, stratified, and blind to system, place and label.

"Where Do Long Captions Fail?", appendix J.2 and Table 14 (supported claims and contradicted sentences) and J.4
(sentences that are generic in the last quartile). :mod:`posh_lite.position.audits` reads the filled sheets.
"""

from __future__ import annotations

import csv
import html
import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from posh_lite.position.types import CaptionProfile, Label

#: What an annotator may answer in the audits of J.2, with the columns' wording of Table 14 behind it.
IMAGE_ANSWERS = ("confirmed", "incorrect", "ambiguous")
#: And in the audit of J.4 (Table 16).
RESIDUAL_ANSWERS = ("filler", "correct, not in the reference", "visually incorrect")
SHEET, KEY, PAGE = "sheet.csv", "key.csv", "sheet.html"


class NothingToDraw(ValueError):
    """No sentence or claim is of the kind that was asked for."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One line of a sheet.

    Attributes:
        code: what the annotator sees instead of the system; says nothing of it.
        image: name of the image.
        statement: the sentence or claim to be looked at.
        model, caption, quartile, stratum: kept in the key and hidden from the annotator.
    """

    code: str
    image: str
    statement: str
    model: str
    caption: str
    quartile: int
    stratum: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    unit: Hashable
    statement: str
    model: str
    caption: str
    quartile: int
    stratum: str


def sample_sentences(
    profiles: Iterable[CaptionProfile], label: Label, n: int, *, quartiles: Sequence[int] = (1, 2, 3, 4), seed: int = 0
) -> list[AuditItem]:
    """Sentences of one label, as evenly over models and quartiles as there are any.

    Args:
        profiles: of one or several models.
        label: "Contradicted" for the second audit of J.2; "Generic" with ``quartiles=(4,)`` for that of J.4.
        n: how many; all where there are fewer.
        quartiles: to draw from.
        seed: of the draw.

    Raises:
        ValueError: ``n`` is below 1.
        NothingToDraw: there is no such sentence.
    """
    found = [
        _Candidate(p.unit, p.caption[s.start:s.end], p.model, p.id, s.quartile, f"{p.model}, quartile {s.quartile}")
        for p in profiles for s in p.sentences if s.label == label and s.quartile in quartiles
    ]
    return _sample(found, n, seed, f"{label} sentence in quartiles {', '.join(map(str, quartiles))}")


def sample_claims(profiles: Iterable[CaptionProfile], n: int, *, seed: int = 0) -> list[AuditItem]:
    """Supported claims, as evenly over models, dimensions of the rubric and quartiles as there are any (J.2).

    Args:
        profiles: of one or several models; a claim without evidence in a sentence is not drawn.
        n: how many; all where there are fewer.
        seed: of the draw.

    Raises:
        ValueError: ``n`` is below 1.
        NothingToDraw: no claim is supported.
    """
    found = []
    for profile in profiles:
        claims, seen = {c.id: c for c in profile.rubric.claims}, set()
        for sentence in profile.sentences:
            for number in sentence.supported:
                if number not in seen:  # evidence over two sentences: once, where it begins
                    seen.add(number)
                    claim = claims[number]
                    stratum = f"{profile.model}, {claim.kind}, quartile {sentence.quartile}"
                    found.append(_Candidate(profile.unit, claim.text, profile.model, profile.id, sentence.quartile,
                                            stratum))
    return _sample(found, n, seed, "supported claim")


def _sample(found: Sequence[_Candidate], n: int, seed: int, what: str) -> list[AuditItem]:
    """Draw round the strata, one from each in turn, then shuffle, so that a sheet's order tells nothing."""
    if n < 1:
        raise ValueError(f"a sheet of {n} lines")
    if not found:
        raise NothingToDraw(f"no {what} to draw from")
    draw = random.Random(seed)
    strata: dict[str, list[_Candidate]] = {}
    for candidate in sorted(found, key=lambda c: (c.stratum, c.caption, c.statement)):
        strata.setdefault(candidate.stratum, []).append(candidate)
    for members in strata.values():
        draw.shuffle(members)
    picked: list[_Candidate] = []
    while len(picked) < n and strata:
        order = sorted(strata)
        draw.shuffle(order)  # who comes short in the last round is chance
        for name in order[: n - len(picked)]:
            picked.append(strata[name].pop())
            if not strata[name]:
                del strata[name]
    draw.shuffle(picked)
    width = len(str(len(picked)))
    return [
        AuditItem(f"{place:0{width}d}", str(c.unit), c.statement, c.model, c.caption, c.quartile, c.stratum)
        for place, c in enumerate(picked, start=1)
    ]


def write_sheet(
    items: Sequence[AuditItem], folder: str | Path, *, answers: Sequence[str] = IMAGE_ANSWERS,
    images: Mapping[str, str] | None = None, question: str = "What does the image show?",
) -> list[Path]:
    """Write the sheet for annotators, the same as a page with the images, and the key that stays with the researcher.

    ``sheet.csv`` has the columns code, image, statement, answer and remark; give each annotator a copy. ``key.csv`` has
    everything else. Neither names the label that is being checked.

    Args:
        items: of :func:`sample_sentences` or :func:`sample_claims`.
        folder: made if need be; a sheet that is there already is not overwritten, since it may be filled in.
        answers: that may be given.
        images: name of an image -> its address or path, shown on the page.
        question: printed above the page.

    Returns:
        The files written.

    Raises:
        FileExistsError: the folder has a sheet or a key.
        ValueError: no items, or a code comes twice.
    """
    if not items:
        raise ValueError("a sheet without lines")
    if len({i.code for i in items}) != len(items):
        raise ValueError("a code comes twice in the sheet")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / name for name in (SHEET, KEY, PAGE)]
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} is there already, perhaps filled in; choose another folder")
    with paths[0].open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["code", "image", "statement", "answer", "remark"])
        writer.writerows([i.code, i.image, i.statement, "", ""] for i in items)
    with paths[1].open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, list(asdict(items[0])))
        rows.writeheader()
        rows.writerows(asdict(i) for i in items)
    paths[2].write_text(_page(items, answers, images or {}, question), "utf-8")
    return paths


def read_key(path: str | Path) -> list[AuditItem]:
    """The items behind a sheet, from its ``key.csv``."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [
            AuditItem(row["code"], row["image"], row["statement"], row["model"], row["caption"], int(row["quartile"]),
                      row["stratum"])
            for row in csv.DictReader(file)
        ]


_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #888; border-radius: .5rem; padding: 1rem; margin: 1rem 0; break-inside: avoid; }
img { max-width: 100%; max-height: 26rem; display: block; margin: .5rem 0; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: .25rem solid #888; }
li { list-style: "☐ "; display: inline-block; margin-right: 1.5rem; }
ul { padding: 0; margin: .5rem 0 0; }
"""


def _page(
    items: Sequence[AuditItem], answers: Sequence[str], images: Mapping[str, str], question: str
) -> str:
    """A page to read and print; answers go into the table."""
    choices = "".join(f"<li>{html.escape(a)}</li>" for a in answers)
    cards = []
    for item in items:
        name = html.escape(item.image, quote=True)
        source = images.get(item.image)
        picture = (
            f'<img src="{html.escape(source, quote=True)}" alt="The image {name}" loading="lazy">' if source else ""
        )
        cards.append(
            f'<article id="line-{item.code}"><h2>{item.code}</h2>\n<p>Image: {name}</p>\n{picture}'
            f"<blockquote>{html.escape(item.statement)}</blockquote>\n<ul>{choices}</ul></article>"
        )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>Image audit</title><style>{_STYLE}</style></head>\n'
        f"<body><h1>{html.escape(question)}</h1>\n<p>Write the answer to each line into the column “answer” of "
        f"{SHEET}: {html.escape('; '.join(answers))}.</p>\n" + "\n".join(cards) + "\n</body></html>\n"
    )
