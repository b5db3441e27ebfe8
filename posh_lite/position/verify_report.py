"""The embedded extractor and verifier against what is known: ``python -m posh_lite.position.verify_report``.

On the known-answer corpus: labels of sentences against the planted ones, and verdicts on facts against what a caption
conveys, misstates and omits. The first six works were read for longer while the rules were made, and are reported
apart as "developed on"; the other six ("held out", which they were at first) were read too. With ``--people`` also two
controls on human descriptions: each against its own rubric (Table 1 of "Where Do Long Captions Fail?"), and one
writer's against another's.

The gold calls a sentence contradicted where it holds any mistake, so it is the reversed precedence that answers the
same question; the paper's own precedence stands beside it. A thing that is merely invented contradicts no claim ("mere
absence is no contradiction"), so figures without the sentences whose only mistakes are inventions are given too, and
all of it through the two-sided lens (:mod:`posh_lite.position.two_sided`), with the planted effects and those found.
Its rule was chosen on the first six works, after a look at the figures of the other six in the aggregate.

``--fresh`` does the same on the works of ``data/fresh``, which nothing was made on. With ``--vectors`` the verifier of
rules and sentence vectors (:mod:`posh_lite.position.vector_verify`) stands beside the rules on the same facts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.mini import MiniCorpus, load_fresh, load_mini
from posh_lite.errors import PoshLiteError
from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.profile import embedded, profile
from posh_lite.position.types import LABELS, QUARTILES, STATUSES, CaptionProfile, Label, SentenceLabel, Verifier
from posh_lite.position.vector_weights import SPELLING
from posh_lite.position.verify_known import (
    PRECEDENCES,
    agree_sentences,
    agreement,
    by_claims,
    by_precedence,
    fact_rows,
    misstated,
    parts_of,
    profile_works,
    recovered_effects,
    sentence_rows,
)
from posh_lite.records import Pair

if TYPE_CHECKING:
    from posh_lite.baselines.embedding import Embedder
    from posh_lite.evaluation.bootstrap import Floats, Statistic
    from posh_lite.position.vector_weights import VectorWeights

RECORD = Path("data/results/position-mini/verifier.json")
FRESH = Path("data/results/position-fresh/verifier.json")
PEOPLE = Path("data/results/position-human/controls.json")


def known_report(
    corpus: MiniCorpus, name: str, profiles: Sequence[CaptionProfile], verifier: Verifier, n_resamples: int = 2000
) -> dict[str, Any]:
    """The whole record of a known-answer corpus; see the module.

    Args:
        corpus: the known answers.
        name: of the corpus, for readers.
        profiles: of all its captions by the embedded verifier.
        verifier: that made them, whose scene graphs the two-sided lens shares.
        n_resamples: of each bootstrap.
    """
    from posh_lite.position.two_sided import CaptionSide, shared_graphs

    side = CaptionSide(shared_graphs([verifier]))
    facts, wrong = fact_rows(profiles, corpus), misstated(profiles, corpus)
    sentences = {p: sentence_rows(profiles, corpus.gold, p) for p in PRECEDENCES}
    both_sides = {p: sentence_rows(profiles, corpus.gold, p, side.label) for p in PRECEDENCES}
    sizes = {p.rubric.reference: len(p.rubric.claims) for p in profiles}
    record: dict[str, Any] = {
        "corpus": f"{name} (constructed)", "signature": profiles[0].signature, "two_sided": side.signature,
        "claims_per_reference": sum(sizes.values()) / len(sizes), "parts": {},
    }
    for part, chosen in parts_of(corpus).items():
        keep = set(chosen)
        row: dict[str, Any] = {
            "works": chosen, "precedence": by_precedence(sentences, keep, n_resamples),
            "two_sided": by_precedence(both_sides, keep, n_resamples), "styles": {},
        }
        here = [r for r in sentences["contradicted"] if r[0] in keep]
        for style in dict.fromkeys(r[1] for r in here):
            row["styles"][style] = agree_sentences([r for r in here if r[1] == style], 1)["confusion"]
        told = [r for r in facts if r[0] in keep]
        known, found, units = ([r[k] for r in told] for k in (1, 2, 0))
        row["facts"] = agreement(known, found, STATUSES, units, n_resamples)
        row["misstated"] = {
            kind: [sum(r[0] in keep and r[1:] == (kind, status) for r in wrong) for status in STATUSES]
            for kind in dict.fromkeys(r[1] for r in wrong)
        }
        both = [
            bool(s.supported and s.contradicted) for p in profiles if p.id.split("/")[0] in keep for s in p.sentences
        ]
        row["mixed_evidence"] = {"sentences": len(both), "share": sum(both) / len(both)}
        record["parts"][part] = row
    record["effects"] = {
        lens: recovered_effects(corpus, profiles, label, n_resamples)
        for lens, label in (("claims", by_claims), ("two_sided", side.label))
    }
    return record


def vectors_report(
    corpus: MiniCorpus, fitted: VectorWeights, lexical: Sequence[CaptionProfile], vectors: Sequence[CaptionProfile],
    how: str, n_resamples: int = 2000,
) -> dict[str, Any]:
    """What rules and sentence vectors reach on a known-answer corpus, beside the rules alone on the same facts.

    Args:
        corpus: the known answers.
        fitted: the weights.
        lexical: profiles of all captions by the rules.
        vectors: profiles of the same captions by rules and vectors.
        how: what the weights of the verdicts were fitted on.
        n_resamples: of each bootstrap.
    """
    from posh_lite.position.vector_fit import figures

    sentences = {p: sentence_rows(vectors, corpus.gold, p) for p in PRECEDENCES}
    parts = figures(lexical, vectors, corpus, n_resamples)
    return {
        "model": fitted.model, "embedder": fitted.embedder, "weights": fitted.name, "rules": fitted.rules, "how": how,
        "parts": {
            name: {
                "works": row["works"], "facts": row["vectors"], "facts_rules": row["lexical"], "gain": row["gain"],
                "precedence": by_precedence(sentences, set(row["works"]), n_resamples),
            }
            for name, row in parts.items()
        },
        "effects": {"claims": recovered_effects(corpus, vectors, by_claims, n_resamples)},
    }


def mini_report(
    n_resamples: int = 2000, *, embedder: Embedder | None = None, model: str = "", progress: bool = True
) -> dict[str, Any]:
    """The record of ``data/mini``, also of rules and spelling weighed, fitted without the work in question.

    With an embedder likewise of rules and its vectors.

    Args:
        n_resamples: of each bootstrap.
        embedder: of sentence vectors.
        model: its name for readers.
        progress: show a bar.
    """
    from posh_lite.position.vector_fit import fit

    corpus = load_mini()
    extractor, verifier = embedded()
    profiles = profile_works(corpus, extractor, verifier, progress=progress)
    record = known_report(corpus, "data/mini", profiles, verifier, n_resamples)
    for name, one, called in _embedders(embedder, model):
        made = fit(one, called, profiles=profiles, n_resamples=n_resamples)
        how = "weights and threshold of the other works"
        record[name] = vectors_report(corpus, made.weights, profiles, made.crossed, how, n_resamples)
    return record


def _embedders(embedder: Embedder | None, model: str) -> list[tuple[str, Embedder, str]]:
    """Blocks of a record, what makes their vectors, and its name: spelling, which needs nothing, and what is given."""
    from posh_lite.position.vector_verify import embedder_of

    found = [("spelling", embedder_of(SPELLING), SPELLING)]
    return found if embedder is None else [*found, ("vectors", embedder, model)]


def fresh_report(
    n_resamples: int = 2000, *, embedder: Embedder | None = None, weights: Path | None = None, progress: bool = True
) -> dict[str, Any]:
    """The record of ``data/fresh``, on which nothing was made, also of rules weighed with spelling or with vectors.

    Args:
        n_resamples: of each bootstrap.
        embedder: of sentence vectors.
        weights: fitted on ``data/mini`` (default: those of the package).
        progress: show a bar.

    Raises:
        InputError: the test set is not there, or the weights were fitted with something else.
    """
    from posh_lite.position.vector_verify import VectorVerifier

    corpus = load_fresh()
    extractor, verifier = embedded()
    weighed = {
        name: VectorVerifier(one, weights if name == "vectors" else None, verifier=verifier)
        for name, one, _ in _embedders(embedder, "")
    }
    profiles = profile_works(corpus, extractor, verifier, progress=progress)
    record = known_report(corpus, "data/fresh", profiles, verifier, n_resamples)
    for name, vectors in weighed.items():
        found = profile_works(corpus, extractor, vectors, progress=progress)
        how = f"weights of {vectors.weights.data}, {vectors.weights.date}"
        record[name] = vectors_report(corpus, vectors.weights, profiles, found, how, n_resamples)
        record[name]["signature"] = vectors.signature
    return record


def composition(
    profiles: Sequence[CaptionProfile], precedence: Precedence, n_resamples: int, *, weighted: bool = False
) -> dict[str, Any]:
    """S, H and G by quartile, and D_mid, D_tail and dS (section 2), with intervals over images."""
    import numpy as np

    from posh_lite.evaluation.bootstrap import bootstrap, ratio

    rows: list[tuple[str, SentenceLabel]] = [
        (str(p.unit), s) for p in profiles
        for s in label_sentences(p.caption, p.rubric, p.findings, precedence=precedence)
    ]
    units = [u for u, _ in rows]
    size = np.array([s.weight if weighted else 1.0 for _, s in rows])
    cells = {
        (label, q): np.array([float(s.label == label and s.quartile == q) for _, s in rows]) * size
        for label in LABELS for q in QUARTILES
    }
    whole = {q: np.array([float(s.quartile == q) for _, s in rows]) * size for q in QUARTILES}
    settings: dict[str, Any] = {"units": units, "n_resamples": n_resamples}

    def share(weights: Floats, label: Label, q: int) -> Floats:
        below = weights @ whole[q]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(below > 0, weights @ cells[label, q] / below, np.nan), dtype=np.float64)

    def d_mid(w: Floats) -> Floats:
        return (share(w, "Contradicted", 2) + share(w, "Contradicted", 3)) / 2 - share(w, "Contradicted", 1)

    def d_tail(w: Floats) -> Floats:
        return share(w, "Generic", 4) - share(w, "Generic", 1)

    def d_support(w: Floats) -> Floats:
        return share(w, "Supported", 4) - share(w, "Supported", 1)

    effects: dict[str, Statistic] = {"D_mid": d_mid, "D_tail": d_tail, "dS": d_support}
    return {
        "captions": len(profiles), "sentences": len(rows),
        "shares": {
            label: [ratio(cells[label, q], whole[q], method=f"{label} in quartile {q}", **settings).to_dict()
                    for q in QUARTILES]
            for label in LABELS
        },
        "effects": {k: bootstrap(f, len(rows), method=k, **settings).to_dict() for k, f in effects.items()},
    }  # fmt: skip


def people_report(n_resamples: int = 2000, *, limit: int | None = None, progress: bool = True) -> dict[str, Any]:
    """Human descriptions against their own rubric (IIW-400), and against another writer's (DOCCI-Test, both ways).

    Args:
        n_resamples: of each bootstrap.
        limit: take only so many images of each.
        progress: show a bar.

    Raises:
        InputError: a dataset is not here.
    """
    from posh_lite.benchmarks.iiw import load_docci_test, load_iiw400

    own = [Pair(k, t, t, "human", k) for k, t in load_iiw400().descriptions[:limit]]
    docci = load_docci_test().rows[:limit]
    sets = {
        "own rubric (IIW-400)": own,
        "DOCCI writer, IIW rubric": [Pair(r.key, r.generation, r.reference, "human", r.key) for r in docci],
        "IIW writer, DOCCI rubric": [Pair(r.key, r.reference, r.generation, "human", r.key) for r in docci],
    }
    record: dict[str, Any] = {"sets": {}}
    for name, pairs in sets.items():
        profiles = profile(pairs, progress=progress)
        record["signature"] = profiles[0].signature
        both = [bool(s.supported and s.contradicted) for p in profiles for s in p.sentences]
        record["sets"][name] = {
            "mixed_evidence": sum(both) / len(both),
            **{f"{p}, {w}": composition(profiles, p, n_resamples, weighted=w == "weighted")
               for p in PRECEDENCES for w in ("unweighted", "weighted")},
        }  # fmt: skip
    return record


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the record and print its chief figures."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.verify_report",
        description="Hold the embedded extractor and verifier against the known-answer corpus, its test set or human "
        "descriptions.",
        epilog="--people needs IIW-400 and DOCCI-Test (`posh-lite data fetch iiw400 docci_test`, or POSH_LITE_DATA) "
        "and takes some minutes. No texts are written.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--people", action="store_true", help=f"human controls instead; writes {PEOPLE}")
    which.add_argument("--fresh", action="store_true",
                       help=f"the test set data/fresh instead, on which nothing was made; writes {FRESH}")
    parser.add_argument("--vectors", metavar="MODEL",
                        help="also the verifier of rules and sentence vectors with this model, a folder or a name: on"
                        " data/mini fitted without the work in question, on data/fresh as it comes with the package")
    parser.add_argument("--called", metavar="NAME", help="the model's name for readers (default: as --vectors says)")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="with --fresh: other weights than the package's")
    parser.add_argument("-o", "--output", type=Path, help=f"record to write (default: {RECORD}, or as the above say)")
    parser.add_argument("--boot", type=int, default=2000, metavar="B", help="resamples (default: 2000)")
    parser.add_argument("--limit", type=int, metavar="N", help="with --people: the first N images only")
    options = parser.parse_args(arguments)
    if options.people and options.vectors:
        parser.error("--vectors is for data/mini and --fresh")
    if options.weights and not (options.fresh and options.vectors):
        parser.error("--weights is for --fresh with --vectors")
    if options.called and (options.fresh or not options.vectors):
        parser.error("--called names the model of --vectors on data/mini; on data/fresh the weights name it")
    if options.boot < 1 or (options.limit is not None and options.limit < 1):
        parser.error("--boot and --limit must be at least 1")
    try:
        embedder = None
        if options.vectors:
            from posh_lite.position.vector_verify import embedder_of

            embedder = embedder_of(options.vectors)
        if options.people:
            record = people_report(options.boot, limit=options.limit)
        elif options.fresh:
            record = fresh_report(options.boot, embedder=embedder, weights=options.weights)
        else:
            record = mini_report(options.boot, embedder=embedder, model=options.called or options.vectors or "")
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    output = options.output or (PEOPLE if options.people else FRESH if options.fresh else RECORD)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print("\n".join(_lines(record)))
    return 0


def _lines(record: dict[str, Any]) -> list[str]:
    found = []
    for name, row in record.get("parts", {}).items():
        for lens, said in (("precedence", ""), ("two_sided", "two-sided, ")):
            for precedence, kinds in row[lens].items():
                found += [f"{name}, {said}{precedence} first, {kind}: kappa {_said(v['kappa'])}"
                          for kind, v in kinds.items()]
        found.append(f"{name}, facts: kappa {_said(row['facts']['kappa'])}")
    for block, said in (("spelling", "with spelling weighed"), ("vectors", "with vectors")):
        for name, row in record.get(block, {}).get("parts", {}).items():
            found.append(f"{name}, facts, {said}: kappa {_said(row['facts']['kappa'])}; gain {_said(row['gain'])}")
    for lens, ways in record.get("effects", {}).items():
        for precedence, rows in ways.items():
            hits = sum(r["covered"] for r in rows)
            found.append(f"effects, {lens}, {precedence} first: {hits} of {len(rows)} planted ones in the interval")
    for name, row in record.get("sets", {}).items():
        for way, one in row.items():
            if isinstance(one, dict):
                shares = "; ".join(
                    f"{label} " + " ".join(f"{q['value']:.3f}" for q in one["shares"][label]) for label in LABELS
                )
                effect = _said(one["effects"]["D_mid"])
                found.append(f"{name} ({way}), n = {one['sentences']}: {shares}; D_mid {effect}")
    return found


def _said(estimate: dict[str, Any]) -> str:
    if estimate["value"] is None or estimate["low"] is None:
        return f"undefined ({estimate['reason']})"
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}], n = {estimate['n']}"


if __name__ == "__main__":
    sys.exit(main())
