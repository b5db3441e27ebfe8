"""Profiles of captions on disk, so that a run that was stopped verifies only what is missing.

One JSON object a line, under the hash of extractor, verifier, caption and reference. Claims and evidence are words of
the texts: the file is as private as the captions. Labels are not kept, since they follow from the findings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from posh_lite.errors import InputError
from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.profile import BATCH, profile
from posh_lite.position.two_sided import CaptionSide, Lens, shared_graphs
from posh_lite.position.types import (
    STATUSES,
    WEIGHTS,
    CaptionProfile,
    Claim,
    Extractor,
    Finding,
    Rubric,
    Verifier,
)
from posh_lite.records import Pair, read_jsonl

#: Version of the form of a line.
FORM = 1


def key_of(signature: str, caption: str, reference: str) -> str:
    """What a profile is kept under: neither id nor model, so that texts verified once are known under any name."""
    whole = json.dumps([FORM, signature, caption, reference], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


class ProfileStore:
    """A file of findings.

    Args:
        path: it is made when the first profile is put into it.

    Raises:
        InputError: a line in the middle is damaged. A last line that was cut off by a stop is left out.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._rows: dict[str, dict[str, Any]] = {}
        self._handle: IO[str] | None = None
        broken: list[InputError] = []
        self._broken = broken
        if self.path.exists():
            for line, row in read_jsonl(self.path, on_error=broken.append):
                if broken:
                    raise broken[0]
                if not isinstance(row, dict) or not {"claims", "findings"} <= row.keys() or not isinstance(
                    row.get("key"), str
                ):
                    raise InputError("is no kept profile; move the file away and run again", path=self.path, line=line)
                self._rows[row["key"]] = row
            if len(broken) > 1:
                raise broken[0]

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def put(self, key: str, found: CaptionProfile) -> None:
        """Keep the findings of a profile."""
        row = {
            "key": key,
            "dropped": found.rubric.n_dropped,
            "rubric": found.rubric.signature,
            "claims": [[c.text, c.kind, c.weight, c.keyword, [list(s) for s in c.spans]] for c in found.rubric.claims],
            "findings": [
                [f.claim, f.status, list(f.evidence) if f.evidence else None, f.quote, f.match, f.reason]
                for f in found.findings
            ],
        }
        self._rows[key] = row
        if self._handle is None:
            if self._broken:  # a last line without an end would run into the next one
                raw = self.path.read_bytes().rstrip(b"\n")
                self.path.write_bytes(raw[: raw.rfind(b"\n") + 1])
                self._broken.clear()
            mended = self.path.exists() and not self.path.read_bytes().endswith(b"\n")
            self._handle = self.path.open("a", encoding="utf-8", newline="\n")
            if mended and self.path.stat().st_size:
                self._handle.write("\n")
        self._handle.write(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")
        self._handle.flush()

    def get(self, key: str, pair: Pair, unit: Hashable, signature: str, precedence: Precedence) -> CaptionProfile:
        """A kept profile for a pair.

        Raises:
            KeyError: it is not kept.
            InputError: it is damaged.
        """
        row = self._rows[key]
        try:
            claims = tuple(
                Claim(number, text, kind, weight, keyword, tuple((a, b) for a, b in spans))
                for number, (text, kind, weight, keyword, spans) in enumerate(row["claims"])
            )
            findings = tuple(
                Finding(claim, status, tuple(evidence) if evidence else None, quote, match, reason)
                for claim, status, evidence, quote, match, reason in row["findings"]
            )
            _check(claims, findings, len(pair.generation))
            rubric = Rubric(pair.reference, claims, row["rubric"], row["dropped"])
            labels = label_sentences(pair.generation, rubric, findings, precedence=precedence)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a kept profile is damaged ({error}); move the file away and run again",
                             path=self.path) from None
        return CaptionProfile(
            pair.id, unit, pair.model or "", pair.generation, rubric, findings, labels, signature
        )

    def close(self) -> None:
        """Close the file; the next profile opens it again."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def _check(claims: Sequence[Claim], findings: Sequence[Finding], length: int) -> None:
    """Find damage that labels would swallow: a status that is none would leave its sentence generic.

    Raises:
        ValueError: a finding is missing, or a kind, status or place is none.
    """
    if [f.claim for f in findings] != [c.id for c in claims]:
        raise ValueError(f"{len(findings)} findings do not go with {len(claims)} claims")
    for claim, finding in zip(claims, findings, strict=True):
        if claim.kind not in WEIGHTS or finding.status not in STATUSES:
            raise ValueError(f"claim {claim.id}: kind {claim.kind!r}, status {finding.status!r}")
        if finding.evidence is not None:
            start, end = finding.evidence
            if not 0 <= start < end <= length:
                raise ValueError(f"claim {claim.id}: evidence at {start} to {end} of {length} characters")


class OnceExtractor:
    """An extractor that is asked for each reference once, whatever batches its captions come in."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor
        self._known: dict[str, Rubric] = {}

    @property
    def signature(self) -> str:
        return self.extractor.signature

    def extract(self, references: Sequence[str], /) -> list[Rubric]:
        """A rubric for each reference, in order."""
        new = [r for r in dict.fromkeys(references) if r not in self._known]
        if new:
            self._known.update(zip(new, self.extractor.extract(new), strict=True))
        return [self._known[r] for r in references]


def profiles_of(
    pairs: Iterable[Pair], extractor: Extractor, verifier: Verifier, *, store: ProfileStore | None = None,
    precedence: Precedence = "supported", units: Sequence[Hashable] | None = None, progress: bool | None = None,
    lens: Lens = "claims",
) -> list[CaptionProfile]:
    """Profiles of captions, in order; those that a store holds are not made anew.

    What could not be read is not kept, so that another run asks again; so is a caption whose rubric is empty.

    Args:
        pairs: captions beside their references.
        extractor: makes the rubrics.
        verifier: holds them against the captions.
        store: of findings.
        precedence: see :func:`~posh_lite.position.label.label_sentences`.
        units: the image of each pair (default: its ``image``, else its reference).
        progress: show a bar; None shows it on a terminal.
        lens: see :func:`~posh_lite.position.profile.profile`; findings do not hang on it.

    Raises:
        ValueError: ``units`` is not of the length of the pairs.
        JudgeError: a model cannot be asked.
    """
    from tqdm import tqdm

    rows = list(pairs)
    own = [p.image or p.reference for p in rows] if units is None else list(units)
    if len(own) != len(rows):
        raise ValueError(f"{len(own)} units for {len(rows)} pairs")
    for part in (extractor, verifier):
        if hasattr(part, "tell"):
            part.tell(rows)
    once = OnceExtractor(extractor)
    signature = f"{extractor.signature} > {verifier.signature}"
    keys = [key_of(signature, p.generation, p.reference) for p in rows]  # findings do not hang on the precedence
    labelled = signature if precedence == "supported" else f"{signature} {precedence} first"
    found: dict[int, CaptionProfile] = {}
    left = []
    for i, pair in enumerate(rows):
        if store is not None and keys[i] in store:
            found[i] = store.get(keys[i], pair, own[i], labelled, precedence)
        else:
            left.append(i)
    hidden = None if progress is None else not progress
    with tqdm(total=len(rows), initial=len(found), desc="captions", unit="caption", disable=hidden) as bar:
        for at in range(0, len(left), BATCH):
            part_ = left[at : at + BATCH]
            made = profile([rows[i] for i in part_], once, verifier, precedence=precedence,
                           units=[own[i] for i in part_], progress=False)
            for i, one in zip(part_, made, strict=True):
                found[i] = one
                if store is not None and one.rubric.claims and not one.n_unread:
                    store.put(keys[i], one)
            bar.update(len(part_))
    if store is not None:
        store.close()
    whole = [found[i] for i in range(len(rows))]
    return CaptionSide(shared_graphs((verifier, extractor))).through(whole, precedence) if lens == "both" else whole
