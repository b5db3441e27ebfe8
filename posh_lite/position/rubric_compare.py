"""Two rubrics beside each other: how many claims of which dimension, and what of each is in the other.

Two extractors on one reference, or one extractor on the texts of two writers. Whether a claim of one is in the other is
asked of the verifier by words alone (:mod:`posh_lite.position.study_words`), which knows nothing of either extractor:
the other's claims are put one after the other, and one of them must have most words of the claim, its colours and its
numbers. Paraphrase counts as absent, so the shares are floors.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from posh_lite.errors import PoshLiteError
from posh_lite.position.study_words import WordVerifier
from posh_lite.position.types import WEIGHTS, ClaimKind, Rubric

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Estimate

RECORD = Path("data/results/position-human/rubrics.json")
WRITERS = ("IIW's writers", "DOCCI's writers")
KINDS: tuple[ClaimKind, ...] = get_args(ClaimKind)


def in_other(rubric: Rubric, other: Rubric, verifier: WordVerifier | None = None) -> int:
    """How many claims of a rubric another one has.

    Args:
        rubric: whose claims are looked for.
        other: among whose claims.
        verifier: by words; its share of words that must be shared is a setting.
    """
    if not rubric.claims or not other.claims:
        return 0
    told = "\n".join(" ".join(c.text.split()) for c in other.claims)
    return sum(f.status == "Supported" for f in (verifier or WordVerifier()).verify([(told, rubric)])[0])


def compared(one: Rubric, other: Rubric, verifier: WordVerifier | None = None) -> dict[str, Any]:
    """Claims of both by dimension in the order of :data:`KINDS`, and how many of each are in the other.

    Args:
        one: a rubric.
        other: of the same picture.
        verifier: see :func:`in_other`.
    """
    return {
        "claims": [[sum(c.kind == k for c in r.claims) for k in KINDS] for r in (one, other)],
        "shared": [in_other(one, other, verifier), in_other(other, one, verifier)],
    }


def means(rows: Sequence[dict[str, Any]], side: int) -> dict[str, float]:
    """Mean claims a reference by dimension, in all, and mean weight.

    Args:
        rows: of :func:`compared`.
        side: 0 or 1.
    """
    n = max(1, len(rows))
    found: dict[str, float] = {k: sum(r["claims"][side][i] for r in rows) / n for i, k in enumerate(KINDS)}
    return found | {"claims": sum(found.values()), "weight": sum(WEIGHTS[k] * found[k] for k in KINDS)}


def shared(rows: Sequence[dict[str, Any]], side: int, **settings: Any) -> Estimate:
    """Share of the claims of one side that the other has, with its interval over references.

    Args:
        rows: of :func:`compared`.
        side: 0 or 1.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    from posh_lite.evaluation.bootstrap import ratio

    return ratio([float(r["shared"][side]) for r in rows], [float(sum(r["claims"][side])) for r in rows],
                 units=list(range(len(rows))), method="claims that the other has", **settings)


def of_writers(couples: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Rubrics from scene graphs of two writers' texts on the same pictures.

    Args:
        couples: name of the picture, text of the first and of the second writer.
    """
    from posh_lite.position.rubric import GraphExtractor

    rows = list(couples)
    extractor = GraphExtractor()
    made = [extractor.extract([row[k] for row in rows]) for k in (1, 2)]
    return [{"reference": name, **compared(a, b)} for (name, _, _), a, b in zip(rows, *made, strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the rubrics of both writers of DOCCI-Test: ``python -m posh_lite.position.rubric_compare``."""
    from posh_lite.position.rubric import GraphExtractor

    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.rubric_compare",
        description="Rubrics of two writers of the same pictures (DOCCI-Test) beside each other. No texts are written.",
    )
    parser.add_argument("-o", "--output", type=Path, default=RECORD, help=f"record to write (default: {RECORD})")
    options = parser.parse_args(arguments)
    from posh_lite.benchmarks.iiw import load_docci_test

    try:
        rows = of_writers((r.key, r.reference, r.generation) for r in load_docci_test().rows)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    record = {"writers": list(WRITERS), "signature": GraphExtractor().signature, "words": WordVerifier().signature,
              "rows": rows}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    whole = json.dumps(record, separators=(", ", ": ")).replace('{"reference"', '\n{"reference"')
    options.output.write_text(whole + "\n", encoding="utf-8")
    for side, name in enumerate(WRITERS):
        print(f"{name}: {means(rows, side)['claims']:.1f} claims, in the other's: {shared(rows, side)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
