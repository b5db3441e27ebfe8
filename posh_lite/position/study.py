"""The study behind the chapters on position: ``python -m posh_lite.position.study``.

Captions of IIW-P5B against the human descriptions of the same images; people's texts against themselves (IIW-400, the
control of Table 1 of "Where Do Long Captions Fail?") and against another writer's (DOCCI-Test, both directions), which
the paper names as what it does not measure. With ``--mini`` the six constructed captioners instead. Everything is
labelled by the embedded verifier and by one that only compares words.

Records hold labels, weights and figures, and no text of others.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import PoshLiteError
from posh_lite.position.effects import EFFECTS, diagnose
from posh_lite.position.label import Precedence
from posh_lite.position.study_floor import (
    Explained,
    explained_here,
    explained_published,
    floor_diagnosis,
    on_images,
    short,
    unsupported_shares,
)
from posh_lite.position.study_record import PRECEDENCES, RecordedSet, load_sets, record_set, save_sets
from posh_lite.records import Pair

if TYPE_CHECKING:
    from posh_lite.position.effects import Diagnosis
    from posh_lite.position.types import CaptionProfile

FOLDER = Path("data/results/position-iiw")
MINI = Path("data/results/position-mini")
MODEL, SAME = "IIW-P5B", "same text"
TO_IIW, TO_DOCCI = "DOCCI writer, IIW reference", "IIW writer, DOCCI reference"
CROSS = "another writer"
#: The embedded verifier, one by words alone, and the first with the two-sided lens.
VERIFIERS = ("lexical", "words", "two-sided")
BOTH = "two-sided"


def real_pairs(limit: int | None = None) -> dict[str, tuple[str, list[Pair]]]:
    """What is verified: by name of the set, what it is and its pairs.

    Args:
        limit: the first images of each only.

    Raises:
        InputError: IIW-400 or DOCCI-Test is not here.
    """
    from posh_lite.benchmarks.iiw import load_docci_test, load_iiw400

    iiw, docci = load_iiw400(), load_docci_test().rows[:limit]
    return {
        MODEL: ("captions of a fine-tuned PaLI-5B against the human descriptions of IIW-400",
                [Pair(f"{p.id}/p5b", p.generation, p.reference, MODEL, p.id) for p in iiw.pairs[:limit]]),
        SAME: ("human descriptions of IIW-400 against themselves",
               [Pair(k, t, t, SAME, k) for k, t in iiw.descriptions[:limit]]),
        TO_IIW: ("DOCCI's descriptions of DOCCI-Test against those of IIW's writers",
                 [Pair(r.key, r.generation, r.reference, TO_IIW, r.key) for r in docci]),
        TO_DOCCI: ("IIW's descriptions of DOCCI-Test against those of DOCCI's writers",
                   [Pair(r.key, r.reference, r.generation, TO_DOCCI, r.key) for r in docci]),
    }


def mini_pairs() -> dict[str, tuple[str, list[Pair]]]:
    """The constructed captioners of the known-answer corpus as one set."""
    from dataclasses import replace

    from posh_lite.benchmarks.mini import load_mini

    pairs = [replace(p, model=p.id.split("/")[1], image=p.id.split("/")[0]) for p in load_mini().pairs]
    return {"mini": ("six constructed captioners of data/mini", pairs)}


def label_sets(
    pairs: dict[str, tuple[str, list[Pair]]], *, verifiers: Sequence[str] = VERIFIERS, progress: bool = True
) -> list[RecordedSet]:
    """Label every set with the verifiers, on the same claims and from one store of scene graphs.

    Args:
        pairs: by name of the set, what it is and its captions.
        verifiers: of :data:`VERIFIERS`.
        progress: show a bar.
    """
    from posh_lite.position.profile import embedded
    from posh_lite.position.report_store import profiles_of
    from posh_lite.position.study_words import WordVerifier
    from posh_lite.position.two_sided import CaptionSide, shared_graphs

    extractor, lexical = embedded()
    side = CaptionSide(shared_graphs([lexical]))
    found = []
    for name, (about, own) in pairs.items():
        by_claims = profiles_of(own, extractor, lexical, progress=progress)
        for one in verifiers:
            if one == BOTH:
                made = side.through(by_claims, "supported")
                found.append(record_set(name, one, about, made, label=side.label))
            else:
                told = by_claims if one == "lexical" else profiles_of(own, extractor, WordVerifier(), progress=progress)
                found.append(record_set(name, one, about, told))
    return found


# -- figures --------------------------------------------------------------------------------------------------


def figures(sets: dict[tuple[str, str], RecordedSet], *, n_resamples: int = 2000) -> dict[str, Any]:
    """Effects of every set in every reading, the floor's shares, and unweighted: shuffles and captions of one length.

    Args:
        sets: of :func:`load_sets`, with all four sets.
        n_resamples: B.
    """
    from posh_lite.position.controls import shuffle_test
    from posh_lite.position.study_floor import length_paired

    record: dict[str, Any] = {"effects": {}, "explained": {}, "explained_published": {}, "shuffled": {},
                              "length_matched": {}, "resamples": n_resamples}
    names = [name for name, verifier in sets if verifier == "lexical"]
    for verifier in dict.fromkeys(verifier for _, verifier in sets):
        for precedence in PRECEDENCES:
            for weighted in (True, False):
                key = reading(verifier, precedence, weighted)
                settings: dict[str, Any] = {"weighted": weighted, "n_resamples": n_resamples}
                record["effects"][key] = {
                    n: _rows(diagnose(sets[n, verifier].profiles(precedence, model=n), **settings))
                    for n in names if (n, verifier) in sets
                }
                floor = floor_diagnosis(cross(sets, verifier, precedence), CROSS, **settings)
                record["effects"][key][CROSS] = _rows(floor)
                model = diagnose(sets[MODEL, verifier].profiles(precedence), **settings)
                record["explained"][key] = _told(explained_here(model, MODEL, floor))
                if not weighted:
                    record["explained_published"][key] = _told(explained_published(floor))
    lexical = {n: sets[n, "lexical"].profiles() for n in names}
    for name, own in {**lexical, CROSS: cross(sets, "lexical", "supported")}.items():
        tests = shuffle_test([_renamed(p, name, k) for k, p in enumerate(own)], weighted=False,
                             n_shuffles=min(1000, n_resamples))
        record["shuffled"][name] = [
            {k: None if v != v else v for k, v in asdict(t).items()} for t in tests  # NaN is no JSON
        ]
    ours, theirs = length_paired(lexical[MODEL], cross(sets, "lexical", "supported"))
    record["length_matched"] = {
        "couples": len(ours), "left_out": len(lexical[MODEL]) - len(ours),
        "sentences": [sum(len(p.sentences) for p in own) for own in (ours, theirs)],
        MODEL: _rows(diagnose([_renamed(p, MODEL, k) for k, p in enumerate(ours)], weighted=False,
                              n_resamples=n_resamples)),
        CROSS: _rows(floor_diagnosis(theirs, CROSS, weighted=False, n_resamples=n_resamples)),
    }
    shared = on_images(lexical[SAME], [p.unit for p in lexical[MODEL]])
    paired = diagnose([*lexical[MODEL], *shared], weighted=False, n_resamples=n_resamples)
    record["model_minus_same_text"] = {q: short(paired.difference(MODEL, SAME, q)) for q in EFFECTS}
    if (MODEL, BOTH) in sets:
        record["unsupported"] = {
            precedence: unsupported_shares(
                sets[MODEL, BOTH].profiles(precedence, model=MODEL),
                {n: sets[n, BOTH].profiles(precedence, model=n) for n in (TO_IIW, TO_DOCCI)}, n_resamples,
            )
            for precedence in PRECEDENCES
        }
    return record


def reading(verifier: str, precedence: Precedence, weighted: bool) -> str:
    """The name of a reading in a record."""
    return f"{verifier}, {precedence} first, {'weighted' if weighted else 'unweighted'}"


def cross(
    sets: dict[tuple[str, str], RecordedSet], verifier: str, precedence: Precedence
) -> list[CaptionProfile]:
    """Both directions of the cross-writer control as one set of captions."""
    both = [p for n in (TO_IIW, TO_DOCCI) for p in sets[n, verifier].profiles(precedence, model=CROSS)]
    return [_renamed(p, CROSS, k) for k, p in enumerate(both)]


def _renamed(p: CaptionProfile, model: str, number: int) -> CaptionProfile:
    from dataclasses import replace

    return replace(p, model=model, id=f"{number} {p.unit}")


def _rows(made: Diagnosis) -> dict[str, Any]:
    """Every quantity of the one model of a diagnosis."""
    (model,) = made.models
    return {name: short(made.estimate(model, name)) for name in made.names}


def _told(rows: Sequence[Explained]) -> list[dict[str, Any]]:
    return [row.to_dict() for row in rows]


def main(arguments: Sequence[str] | None = None) -> int:
    """Label, write the records and print the chief figures."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.study",
        description="Where captions fail, and how much of it honest human texts show too.",
        epilog="Needs IIW-400 and DOCCI-Test (`posh-lite data fetch iiw400 docci_test`, or POSH_LITE_DATA) and some ten"
        " minutes; --mini needs nothing, --figures only the labels. No texts are written.",
    )
    parser.add_argument("--mini", action="store_true", help=f"the constructed captioners; writes {MINI}/captions.json")
    parser.add_argument("--lens", choices=("all", "both"), default="all",
                        help='"both" renews the labels of the two-sided lens alone and keeps the others of the record')
    parser.add_argument("--figures", action="store_true", help="make the figures anew from the labels of the record")
    parser.add_argument("-o", "--output", type=Path, help=f"folder of the record (default: {FOLDER}, or {MINI})")
    parser.add_argument("--boot", type=int, default=2000, metavar="B", help="resamples (default: 2000)")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N images of each set only")
    options = parser.parse_args(arguments)
    folder = options.output or (MINI if options.mini else FOLDER)
    try:
        if not options.figures:
            kept = [] if options.lens == "all" else [
                s for (_, verifier), s in load_sets(folder / "captions.json").items() if verifier != BOTH
            ]
            sets = [*kept, *label_sets(mini_pairs() if options.mini else real_pairs(options.limit),
                                       verifiers=VERIFIERS if options.lens == "all" else (BOTH,))]
            save_sets(folder / "captions.json", sets, date=datetime.now(UTC).date().isoformat())
        found = load_sets(folder / "captions.json")
        if options.mini:
            print(f"{len(found)} sets of labels in {folder}")
            return 0
        record = figures(found, n_resamples=options.boot)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    signatures = {f"{name}, {verifier}": s.signature for (name, verifier), s in found.items()}
    record = {"date": datetime.now(UTC).date().isoformat(), "signatures": sorted(set(signatures.values())), **record}
    (folder / "figures.json").write_text(written(record), encoding="utf-8")
    print("\n".join(lines(record)))
    return 0


def written(record: dict[str, Any]) -> str:
    """A record as JSON with one innermost object a line."""
    whole = json.dumps(record, indent=1)
    return re.sub(r"\{[^{}]*\}", lambda m: " ".join(m[0].split()), whole) + "\n"


def lines(record: dict[str, Any]) -> list[str]:
    """The chief figures of a record."""
    found = []
    for key, sets in record["effects"].items():
        found += [f"{key}: {name}: D_mid {_said(own['d_mid'])}, D_tail {_said(own['d_tail'])}, H2 {_said(own['h_q2'])},"
                  f" G4 {_said(own['g_q4'])}" for name, own in sets.items()]
    for key, rows in record["explained"].items():
        found += [f"{key}: share of {row['quantity']} explained: {_said(row['share'])}" for row in rows]
    for precedence, own in record.get("unsupported", {}).items():
        found += [
            f"unsupported specific, {precedence} first, {part}: {MODEL} {_said(row['model'])},"
            f" floor {_said(row['floor'])}, explained {_said(row['explained'])}" for part, row in own.items()
        ]
    return found


def _said(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return f"undefined ({row['reason']})"
    ends = "no interval" if row["low"] is None else f"{row['low']:.3f}, {row['high']:.3f}"
    return f"{row['value']:.3f} [{ends}]"


if __name__ == "__main__":
    sys.exit(main())
