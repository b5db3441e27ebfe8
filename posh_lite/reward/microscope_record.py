"""What edits do to rewards over many captions: ``python -m posh_lite.reward.microscope_record``.

The known-answer corpus (72 constructed captions of 12 works), or with ``--iiw`` the captions of IIW-P5B against the
human descriptions of IIW-400. Every edit of every caption is verified anew by the embedded lens and scored by each
variant of the PAGER reward and by PoSh. Records hold figures and no texts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.records import read_jsonl
from posh_lite.reward.microscope import (
    GUARDED,
    LETTER,
    POSH,
    POSH_LETTER,
    POSH_PARTS,
    TERMS,
    TOTAL,
    Microscope,
    Slide,
    other_sentences,
)

if TYPE_CHECKING:
    from posh_lite.records import Pair

FOLDER = Path("data/results/microscope")


def parts_of(reward: str) -> tuple[str, ...]:
    """Names of the parts of a reward, in the order of a record; the last is the reward itself."""
    return (*(POSH_PARTS if reward in (POSH, POSH_LETTER) else TERMS), TOTAL)


@dataclass(frozen=True, slots=True)
class Record:
    """Slides without texts.

    Attributes:
        about: what the captions are.
        made: the day.
        signatures: of each reward by its name.
        rows: one a caption, as :func:`as_row` makes them.
    """

    about: str
    made: str
    signatures: Mapping[str, str]
    rows: tuple[dict[str, Any], ...]

    @property
    def rewards(self) -> tuple[str, ...]:
        return tuple(self.signatures)


def as_row(slide: Slide) -> dict[str, Any]:
    """A slide without texts; the parts of a reward in the order of :func:`parts_of`."""
    profile = slide.base.profile
    unit = slide.unit
    if unit == slide.pair.reference:  # where no image is named, the reference stands for it: a text
        unit = hashlib.sha256(unit.encode("utf-8", "replace")).hexdigest()[:12]
    return {
        "id": slide.pair.id, "unit": unit, "model": slide.pair.model or "",
        "claims": len(profile.rubric.claims), "sentences": len(profile.sentences), "lengths": dict(slide.base.lengths),
        "base": {r: _told(v) for r, v in slide.base.values.items()},
        "trials": [
            {"edit": t.edited.name, "should": t.edited.should, "lengths": dict(t.view.lengths),
             "change": {r: _told(slide.change(t, r)) for r in slide.base.values}}
            for t in slide.trials
        ],
        "refused": {r.name: r.why for r in slide.refused},
    }  # fmt: skip


def _told(values: Mapping[str, float]) -> list[float | None]:
    # a change below the rounding would be told as none
    return [None if v != v else float(f"{v:.6g}") for v in values.values()]


def make_record(
    about: str, microscope: Microscope, pairs: Sequence[Pair], units: Sequence[str], *,
    strangers: Mapping[str, Sequence[str]] | None = None, work: str | Path | None = None, progress: bool | None = None,
) -> Record:
    """Look at captions, today.

    Args:
        about: what they are.
        microscope: looks at them.
        pairs: captions beside their references.
        units: the work or image of each.
        strangers: by reference, sentences about other pictures (default: of the other references).
        work: a file of rows that is added to, so that a run that was stopped goes on; rows of other texts, edits or
            signatures are left aside.
        progress: show a bar; None shows it on a terminal.
    """
    from tqdm import tqdm

    signatures = microscope.signatures
    others = other_sentences(pairs) if strangers is None else strangers
    state = json.dumps([signatures, microscope.seed, edits_digest()])
    done = {row["key"]: row["row"] for _, row in read_jsonl(work)} if work and Path(work).is_file() else {}
    rows = []
    hidden = None if progress is None else not progress
    for pair, unit in tqdm(list(zip(pairs, units, strict=True)), unit="caption", disable=hidden):
        strange = others[pair.reference]
        key = hashlib.sha256(json.dumps([state, pair.id, pair.generation, pair.reference, unit, *strange]).encode())
        name = key.hexdigest()[:32]
        if name not in done:
            done[name] = as_row(microscope.slide(pair, unit=unit, strangers=strange))
            if work:
                with Path(work).open("a", encoding="utf-8") as handle:
                    handle.write(json.dumps({"key": name, "row": done[name]}) + "\n")
        rows.append(done[name])
    return Record(about, datetime.now(UTC).date().isoformat(), signatures, tuple(rows))


def edits_digest() -> str:
    """The start of the hash of what makes edits, so that rows of other edits are not taken for these."""
    from importlib.resources import files

    package = files("posh_lite.reward")
    raw = b"".join(package.joinpath(f"{name}.py").read_bytes() for name in ("edits", "edits_place", "edits_words"))
    return hashlib.sha256(raw).hexdigest()[:10]


def save_record(path: str | Path, record: Record) -> None:
    """Write a record, one caption a line."""
    head = {"about": record.about, "made": record.made, "signatures": dict(record.signatures)}
    lines = ",\n ".join(json.dumps(r, ensure_ascii=True, separators=(",", ":")) for r in record.rows)
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'{json.dumps(head, ensure_ascii=True)[:-1]}, "rows": [\n {lines}\n]}}\n', encoding="utf-8")


def load_record(path: str | Path) -> Record:
    """Read what :func:`save_record` wrote.

    Raises:
        InputError: no such file, or it is no such record.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return Record(data["about"], data["made"], data["signatures"], tuple(data["rows"]))
    except FileNotFoundError:
        raise InputError("no such record; python -m posh_lite.reward.microscope_record makes it", path=path) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no record of the microscope: {error!r}", path=path) from None


# -- making one ----------------------------------------------------------------------------------------------------


def corpus_pairs(iiw: bool) -> tuple[str, list[Pair], list[str]]:
    """What is looked at: about, pairs, and the work or image of each.

    Raises:
        InputError: IIW-400 is not here.
    """
    if iiw:
        from posh_lite.benchmarks.iiw import load_iiw400

        pairs = load_iiw400().pairs
        return "captions of IIW-P5B against the human descriptions of IIW-400", pairs, [p.id for p in pairs]
    from posh_lite.benchmarks.mini import load_mini

    pairs = list(load_mini().pairs)
    return "constructed captions of data/mini", pairs, [p.id.split("/")[0] for p in pairs]


def main(argv: Sequence[str] | None = None) -> int:
    """Look, print the table and write the record; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m posh_lite.reward.microscope_record", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iiw", action="store_true", help="IIW-P5B instead (POSH_LITE_DATA, or data fetch iiw400)")
    parser.add_argument("--models", metavar="NAMES", help="only these captioners, parted by commas")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N captions")
    parser.add_argument("--seed", type=int, default=0, help="of the edits (default: 0)")
    parser.add_argument("--work", metavar="FILE", help="rows so far: a run that was stopped goes on from them")
    parser.add_argument("--output", metavar="FILE", help="default: data/results/microscope/mini.json or iiw.json")
    args = parser.parse_args(argv)
    try:
        return _run(args)
    except PoshLiteError as error:
        print(f"microscope_record: {error}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    from posh_lite.reward.microscope_effects import table

    about, pairs, units = corpus_pairs(args.iiw)
    strangers = other_sentences(pairs)
    path = Path(args.output or FOLDER / ("iiw.json" if args.iiw else "mini.json"))
    if args.limit is not None and not args.output:
        raise InputError("name a file for a part of the captions: --output FILE")
    if args.models:
        wanted = [m.strip() for m in args.models.split(",")]
        if lost := sorted(set(wanted) - {p.model or "" for p in pairs}):
            raise InputError(f'no captioner "{lost[0]}" among these captions')
        kept = [(p, u) for p, u in zip(pairs, units, strict=True) if p.model in wanted]
        pairs, units = [p for p, _ in kept], [u for _, u in kept]
        about += f", of the captioners {', '.join(wanted)}"
    if args.limit is not None and args.limit < len(pairs):
        about += f", the first {args.limit}"
    record = make_record(
        about, Microscope(seed=args.seed), pairs[: args.limit], units[: args.limit], work=args.work,
        strangers=strangers,
    )
    save_record(path, record)
    for reward in (LETTER, GUARDED, POSH):
        print(f"\n{reward} ({record.signatures[reward]})\n{table(record, reward).to_string(index=False)}")
    print(f"\nwrote {path}: {len(record.rows)} captions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
