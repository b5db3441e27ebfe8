"""Labelled captions as a record without texts: what the book needs to redo every figure of the study.

A caption is its image, and for each precedence a letter a sentence (S, H or G; U is a contradicted one that only its
own words speak against, of the two-sided lens) and the weights omega. Shares, effects, intervals, curves, shuffles and
other bins all follow from these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import CaptionProfile, Label, SentenceLabel

PRECEDENCES: tuple[Precedence, ...] = ("supported", "contradicted")
_LETTER: dict[Label, str] = {"Supported": "S", "Contradicted": "H", "Generic": "G"}


@dataclass(frozen=True, slots=True)
class RecordedSet:
    """Captions of one kind, as one verifier labelled them.

    Attributes:
        name: such as "IIW-P5B".
        verifier: "lexical" or "words".
        about: what the captions and the references are.
        signature: of extractor and verifier.
        captions: for each its image and model, and by precedence its letters and weights.
        counts: captions, sentences, claims by status, unmatched, unread, sentences with both kinds of evidence.
    """

    name: str
    verifier: str
    about: str
    signature: str
    captions: tuple[tuple[str, str, str, tuple[float, ...], str, tuple[float, ...]], ...]
    counts: Mapping[str, int]

    def profiles(self, precedence: Precedence = "supported", *, model: str | None = None) -> list[CaptionProfile]:
        """The captions as profiles, whose texts are placeholders; ids are the images.

        Args:
            precedence: which labels.
            model: a name for all of them instead of their own.
        """
        first = precedence == "supported"
        return [
            _read(a if first else b, unit=unit, model=own if model is None else model, id=f"{unit}/{number}",
                  weights=u if first else v)
            for number, (unit, own, a, u, b, v) in enumerate(self.captions)
        ]


def _read(letters: str, **about: Any) -> CaptionProfile:
    p = labelled_caption(letters.replace("U", "H"), **about)
    return replace(p, sentences=tuple(
        replace(s, flagged=(s.span,)) if letter == "U" else s for s, letter in zip(p.sentences, letters, strict=True)
    ))


def _by_claims(p: CaptionProfile, precedence: Precedence) -> tuple[SentenceLabel, ...]:
    return label_sentences(p.caption, p.rubric, p.findings, precedence=precedence)


def record_set(
    name: str, verifier: str, about: str, profiles: Sequence[CaptionProfile], *,
    label: Callable[[CaptionProfile, Precedence], Sequence[SentenceLabel]] = _by_claims,
) -> RecordedSet:
    """Reduce profiles to their labels.

    Args:
        name: of the set.
        verifier: that found them.
        about: what the captions and the references are.
        profiles: the captions.
        label: labels a caption in a precedence; by its findings where not given.

    Raises:
        ValueError: no profiles.
    """
    if not profiles:
        raise ValueError(f"{name}: no captions")
    rows = []
    both = sentences = 0
    for p in profiles:
        told = []
        for precedence in PRECEDENCES:
            labels = label(p, precedence)
            letters = "".join("U" if s.unsupported else _LETTER[s.label] for s in labels)
            told += [letters, tuple(s.weight for s in labels)]
        both += sum(bool(s.supported and s.contradicted) for s in labels)
        sentences += len(labels)
        rows.append((str(p.unit), p.model, *told))
    findings = [f for p in profiles for f in p.findings]
    counts = {
        "captions": len(profiles), "sentences": sentences, "mixed": both, "claims": len(findings),
        **{s.lower(): sum(f.status == s for f in findings) for s in ("Supported", "Contradicted", "Missing")},
        "unmatched": sum(p.n_unmatched for p in profiles), "unread": sum(p.n_unread for p in profiles),
    }
    return RecordedSet(name, verifier, about, profiles[0].signature, tuple(rows), counts)  # type: ignore[arg-type]


def save_sets(path: str | Path, sets: Sequence[RecordedSet], **about: Any) -> None:
    """Write sets, one caption a line, so that two records can be compared by eye."""
    head = json.dumps(about, ensure_ascii=True)[1:-1]
    parts = []
    for s in sets:
        own = {"name": s.name, "verifier": s.verifier, "about": s.about, "signature": s.signature,
               "counts": dict(s.counts)}
        lines = ",\n  ".join(json.dumps([*row], ensure_ascii=True, separators=(",", ":")) for row in s.captions)
        parts.append(json.dumps(own, ensure_ascii=True)[:-1] + f', "captions": [\n  {lines}\n ]}}')
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    body = ",\n ".join(parts)
    Path(path).write_text(f'{{{head}{", " if head else ""}"sets": [\n {body}\n]}}\n', encoding="utf-8")


def load_sets(path: str | Path) -> dict[tuple[str, str], RecordedSet]:
    """Sets by name and verifier.

    Raises:
        InputError: no such file, or it is no such record.
    """
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["sets"]
        found = {}
        for row in rows:
            captions = tuple((u, m, a, tuple(x), b, tuple(y)) for u, m, a, x, b, y in row.pop("captions"))
            found[row["name"], row["verifier"]] = RecordedSet(captions=captions, **row)
    except FileNotFoundError:
        raise InputError("no such record; python -m posh_lite.position.study makes it", path=path) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no record of labelled captions: {error!r}", path=path) from None
    return found


def same_sentences(
    first: Sequence[CaptionProfile], second: Sequence[CaptionProfile]
) -> list[tuple[str, SentenceLabel, SentenceLabel]]:
    """Image and both labels of every sentence of captions that were labelled twice, in order.

    Raises:
        ValueError: the captions, or their numbers of sentences, are not the same.
    """
    rows = []
    for a, b in zip(first, second, strict=True):
        if (a.unit, a.model, len(a.sentences)) != (b.unit, b.model, len(b.sentences)):
            raise ValueError(f'"{a.id}" of model "{a.model}" is another caption in the second run')
        rows += [(str(a.unit), x, y) for x, y in zip(a.sentences, b.sentences, strict=True)]
    return rows
