"""The funnel: filters in a row over a file of candidates, decided once, counted, and resumable.

``decisions.jsonl`` gets a line a candidate as soon as it is decided. A run that was killed goes on from there; other
filters or settings are refused, and a candidate whose text, image or rollout changed is decided anew.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.records import read_jsonl
from posh_lite.reward.filters import Candidate, Decision, Filter

DECISIONS, FUNNEL, KEPT = "decisions.jsonl", "funnel.json", "kept.jsonl"


@dataclass(frozen=True, slots=True)
class Step:
    """What a filter did.

    Attributes:
        name: of the filter.
        before: candidates that came to it.
        kept: those that went on.
        reasons: why the others did not, with counts.
    """

    name: str
    before: int
    kept: int
    reasons: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts of a run, step by step, and the ids that were kept, in the order of the file."""

    candidates: int
    steps: tuple[Step, ...]
    kept: tuple[str, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Without the ids, with the paper's counts beside ours."""
        row = asdict(self)
        del row["kept"]
        return {**row, "kept": len(self.kept), "paper": published()}


def published() -> dict[str, int]:
    """The paper's funnel: candidates, those after the screens, those after the judge (J.8)."""
    from posh_lite import paper

    return {name: int(paper.statement(name)) for name in ("candidates", "screened", "kept")}


def run_funnel(
    candidates: Iterable[Candidate], filters: Sequence[Filter], folder: str | Path, *, batch: int = 64,
    progress: Callable[[int], object] | None = None,
) -> Funnel:
    """Decide about candidates, those that are decided already left alone.

    Args:
        candidates: with unique ids.
        filters: in order; each sees what those before it kept.
        folder: of ``decisions.jsonl``, made where it is not there.
        batch: candidates that are decided, and written, at one time.
        progress: told how many were decided, or found decided.

    Raises:
        InputError: no filter, or the folder holds decisions of other filters or settings.
    """
    if not filters:
        raise InputError("no filter is left; a funnel needs one")
    if batch < 1:
        raise InputError(f"batch must be at least 1, got {batch}")
    names = [f.name for f in filters]
    if len(set(names)) < len(names):
        raise InputError(f"filters need names of their own, got {', '.join(names)}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    signature = " | ".join(f.signature for f in filters)
    known = _known(place / DECISIONS, signature)
    rows: dict[str, tuple[str, str]] = {}
    waiting: list[Candidate] = []

    def decide() -> None:
        fresh = _decide(waiting, filters)
        with (place / DECISIONS).open("a", encoding="utf-8", newline="\n") as handle:
            for candidate in waiting:
                stage, decision, values = fresh[candidate.example.id]
                rows[candidate.example.id] = (stage, decision.reason)
                line = {"id": candidate.example.id, "seal": seal(candidate), "stage": stage, "reason": decision.reason,
                        "values": values}
                handle.write(json.dumps(line, ensure_ascii=False) + "\n")
        if progress is not None:
            progress(len(waiting))
        waiting.clear()

    for candidate in candidates:
        row = known.get(candidate.example.id)
        if row is not None and row["seal"] == seal(candidate):
            rows[candidate.example.id] = (row["stage"], row["reason"])
            if progress is not None:
                progress(1)
            continue
        rows[candidate.example.id] = ("", "")  # holds the place in the order of the file
        waiting.append(candidate)
        if len(waiting) >= batch:
            decide()
    if waiting:
        decide()
    return _count(rows, names, signature)


def seal(candidate: Candidate) -> str:
    """Hash of everything that a decision is about."""
    e = candidate.example
    content = hashlib.sha256(e.content).hexdigest() if e.content is not None else ""
    told = json.dumps([e.reference, e.image, content, e.rubric, candidate.rollout], ensure_ascii=False)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _known(path: Path, signature: str) -> dict[str, dict[str, Any]]:
    if not path.is_file() or not path.stat().st_size:
        path.write_text(json.dumps({"filters": signature}, ensure_ascii=False) + "\n", "utf-8")
        return {}
    data = path.read_bytes()
    if not data.endswith(b"\n"):  # killed in the middle of a line: that one is decided again
        path.write_bytes(data[: data.rfind(b"\n") + 1])
    lines = [row for _, row in read_jsonl(path)]
    if not lines or not isinstance(lines[0], dict) or lines[0].get("filters") != signature:
        before = lines[0].get("filters") if lines and isinstance(lines[0], dict) else "something else"
        raise InputError(f"holds decisions of other filters or settings ({before}; now {signature}); name another"
                         " folder", path=path)
    return {str(row["id"]): row for row in lines[1:]}


def _decide(
    batch: Sequence[Candidate], filters: Sequence[Filter]
) -> dict[str, tuple[str, Decision, dict[str, float]]]:
    left = list(batch)
    values: dict[str, dict[str, float]] = {c.example.id: {} for c in batch}
    found: dict[str, tuple[str, Decision, dict[str, float]]] = {}
    for one in filters:
        decisions = one.decide(left) if left else []
        if len(decisions) != len(left):
            raise ValueError(f"{one.name} decided {len(decisions)} of {len(left)} candidates")
        kept = []
        for candidate, decision in zip(left, decisions, strict=True):
            key = candidate.example.id
            values[key].update({k: round(v, 6) for k, v in decision.values.items()})
            if decision.reason:
                found[key] = (one.name, decision, values[key])
            else:
                kept.append(candidate)
        left = kept
    for candidate in left:
        found[candidate.example.id] = ("", Decision(), values[candidate.example.id])
    return found


def _count(rows: Mapping[str, tuple[str, str]], names: Sequence[str], signature: str) -> Funnel:
    steps, left = [], len(rows)
    for name in names:
        reasons = Counter(reason for stage, reason in rows.values() if stage == name)
        steps.append(Step(name, left, left - reasons.total(), dict(sorted(reasons.items()))))
        left -= reasons.total()
    return Funnel(len(rows), tuple(steps), tuple(key for key, (stage, _) in rows.items() if not stage), signature)


def table(funnel: Funnel) -> list[str]:
    """The funnel as lines, and the paper's beneath."""
    rows = [("candidates", f"{funnel.candidates:,}", "")]
    for step in funnel.steps:
        share = f"{step.kept / step.before:.1%}" if step.before else "-"
        why = ", ".join(f"{reason} {count:,}" for reason, count in step.reasons.items())
        rows.append((step.name, f"{step.kept:,}", f"{share} of {step.before:,}" + (f"; out: {why}" if why else "")))
    width, digits = max(len(r[0]) for r in rows) + 2, max(len(r[1]) for r in rows)
    lines = [f"{name:<{width}}{kept:>{digits}}  {told}".rstrip() for name, kept, told in rows]
    p = published()
    return [*lines, f"the paper's (J.8): {p['candidates']:,} candidates, {p['screened']:,} after the screens"
                    f" ({p['screened'] / p['candidates']:.1%}), {p['kept']:,} after the judge"
                    f" ({p['kept'] / p['screened']:.1%})"]
