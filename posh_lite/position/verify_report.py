"""The embedded extractor and verifier against what is known: ``python -m posh_lite.position.verify_report``.

On the known-answer corpus: labels of sentences against the planted ones, and verdicts on facts against what a caption
conveys, misstates and omits. The rules were made on the first six works; the other six are reported apart. With
``--people`` also two controls on human descriptions: each against its own rubric (Table 1 of "Where Do Long Captions
Fail?"), and one writer's against another's.

The gold calls a sentence contradicted where it holds any mistake, so it is the reversed precedence that answers the
same question; the paper's own precedence stands beside it. A thing that is merely invented contradicts no claim ("mere
absence is no contradiction"), so figures without the sentences whose only mistakes are inventions are given too, and
all of it through the two-sided lens (:mod:`posh_lite.position.two_sided`), with the planted effects and those found.
Its rule was chosen on the first six works, after a look at the figures of the other six in the aggregate.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.benchmarks.mini import Gold, MiniCorpus, load_mini
from posh_lite.errors import PoshLiteError
from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.llm_sample import of_fact
from posh_lite.position.profile import embedded, profile
from posh_lite.position.types import LABELS, QUARTILES, STATUSES, CaptionProfile, Label, SentenceLabel
from posh_lite.records import Pair

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats, Statistic

#: Works of the known-answer corpus that the rules were made on.
DEVELOPED_ON = 6
RECORD = Path("data/results/position-mini/verifier.json")
PEOPLE = Path("data/results/position-human/controls.json")
PRECEDENCES: tuple[Precedence, ...] = ("supported", "contradicted")
#: What labels a caption in a precedence.
Labeller = Callable[[CaptionProfile, Precedence], Sequence[SentenceLabel]]


def agreement(gold: Sequence[str], found: Sequence[str], names: Sequence[str], units: Sequence[str], n_resamples: int
              ) -> dict[str, Any]:  # fmt: skip
    """Cohen's kappa and accuracy with intervals over units, and the confusion matrix (rows gold, columns found)."""
    import numpy as np

    from posh_lite.evaluation.agreement import kappa_statistic
    from posh_lite.evaluation.bootstrap import bootstrap, ratio

    a, b = np.array([names.index(x) for x in gold]), np.array([names.index(x) for x in found])
    settings: dict[str, Any] = {"units": units, "n_resamples": n_resamples}
    matrix = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(matrix, (a, b), 1)
    kappa = bootstrap(kappa_statistic(a, b, len(names)), len(a), method="kappa", **settings)
    accuracy = ratio((a == b).astype(float), np.ones(len(a)), method="accuracy", **settings)
    return {
        "kappa": kappa.to_dict(), "accuracy": accuracy.to_dict(), "names": list(names), "confusion": matrix.tolist(),
    }


def by_claims(p: CaptionProfile, precedence: Precedence) -> tuple[SentenceLabel, ...]:
    """Labels by the findings alone, as in the paper."""
    return label_sentences(p.caption, p.rubric, p.findings, precedence=precedence)


def sentence_rows(
    profiles: Sequence[CaptionProfile], golds: Sequence[Gold], precedence: Precedence, label: Labeller = by_claims
) -> list[tuple[str, str, str, str, bool]]:
    """Rows (work, style, gold label, found label, only invented) of every sentence of the gold.

    Raises:
        ValueError: the sentences of a caption are not those of its gold.
    """
    rows: list[tuple[str, str, str, str, bool]] = []
    for p, gold in zip(profiles, golds, strict=True):
        labels = label(p, precedence)
        if [s.span for s in labels] != [s.span for s in gold.sentences]:
            raise ValueError(f"{p.id}: the sentences are not those of the gold")
        for mine, theirs in zip(labels, gold.sentences, strict=True):
            here = [m for m in gold.mistakes if theirs.start <= m.start < theirs.end]
            only = bool(here) and all(m.fact is None for m in here)
            rows.append((p.id.split("/")[0], p.model, theirs.label.capitalize(), mine.label, only))
    return rows


def fact_rows(
    profiles: Sequence[CaptionProfile], corpus: MiniCorpus
) -> list[tuple[str, str, str]]:
    """Rows (work, gold status, found status) of every fact of a reference that a claim is about, in every caption.

    A fact is contradicted where a claim in it is, else supported where half of its claims are or more, else missing.
    """
    return [(corpus.work_of(p.id).slug, known, found) for p in profiles for _, known, found in _statuses(p, corpus)]


def _statuses(p: CaptionProfile, corpus: MiniCorpus) -> Iterator[tuple[str, str, str]]:
    """Fact, gold status and found status."""
    gold = corpus.gold_of(p.id)
    omitted, misstated = {f.fact for f in gold.omissions}, {f.fact for f in gold.misstated}
    status = {f.claim: f.status for f in p.findings}
    for fact in corpus.work_of(p.id).facts:
        mine = [status[c.id] for c in of_fact(p.rubric.claims, fact)]
        if not mine:
            continue
        known = "Missing" if fact.fact in omitted else "Contradicted" if fact.fact in misstated else "Supported"
        half = 2 * mine.count("Supported") >= len(mine)
        found = "Contradicted" if "Contradicted" in mine else "Supported" if half else "Missing"
        yield fact.fact, known, found


def misstated(profiles: Sequence[CaptionProfile], corpus: MiniCorpus) -> list[tuple[str, str, str]]:
    """Rows (work, type of the mistake, found status) of every misstated fact that a claim is about.

    A fact that several mistakes misstate has the type of the first.
    """
    rows = []
    for p in profiles:
        types: dict[str | None, str] = {}
        for m in corpus.gold_of(p.id).mistakes:
            types.setdefault(m.fact, m.type)
        for fact, known, found in _statuses(p, corpus):
            if known == "Contradicted":
                rows.append((corpus.work_of(p.id).slug, types[fact], found))
    return rows


def mini_report(n_resamples: int = 2000, *, progress: bool = True) -> dict[str, Any]:
    """The whole record of the known-answer corpus; see the module."""
    from posh_lite.position.two_sided import CaptionSide, shared_graphs

    corpus = load_mini()
    extractor, verifier = embedded()
    side = CaptionSide(shared_graphs([verifier]))
    profiles = profile(corpus.pairs, extractor, verifier, units=[p.id.split("/")[0] for p in corpus.pairs],
                       progress=progress)
    slugs = [w.slug for w in corpus.works]
    parts = {"developed on": slugs[:DEVELOPED_ON], "held out": slugs[DEVELOPED_ON:], "all": slugs}
    facts, wrong = fact_rows(profiles, corpus), misstated(profiles, corpus)
    sentences = {p: sentence_rows(profiles, corpus.gold, p) for p in PRECEDENCES}
    both_sides = {p: sentence_rows(profiles, corpus.gold, p, side.label) for p in PRECEDENCES}
    record: dict[str, Any] = {
        "corpus": "data/mini (constructed)", "signature": profiles[0].signature, "two_sided": side.signature,
        "claims_per_reference": sum(len(profiles[6 * k].rubric.claims) for k in range(len(slugs))) / len(slugs),
        "parts": {},
    }
    for name, chosen in parts.items():
        keep = set(chosen)
        row: dict[str, Any] = {"works": chosen, "precedence": {}, "two_sided": {}, "styles": {}}
        for lens, by_precedence in (("precedence", sentences), ("two_sided", both_sides)):
            for precedence, rows in by_precedence.items():
                mine = [r for r in rows if r[0] in keep]
                row[lens][precedence] = {
                    "all sentences": _agree(mine, n_resamples),
                    "without pure inventions": _agree([r for r in mine if not r[4]], n_resamples),
                }
        here = [r for r in sentences["contradicted"] if r[0] in keep]
        for style in dict.fromkeys(r[1] for r in here):
            row["styles"][style] = _agree([r for r in here if r[1] == style], 1)["confusion"]
        told = [r for r in facts if r[0] in keep]
        known, found, units = ([r[k] for r in told] for k in (1, 2, 0))
        row["facts"] = agreement(known, found, STATUSES, units, n_resamples)
        row["misstated"] = {
            kind: [sum(r[0] in keep and r[1:] == (kind, status) for r in wrong) for status in STATUSES]
            for kind in dict.fromkeys(r[1] for r in wrong)
        }
        both = [bool(s.supported and s.contradicted) for p in profiles if p.unit in keep for s in p.sentences]
        row["mixed_evidence"] = {"sentences": len(both), "share": sum(both) / len(both)}
        record["parts"][name] = row
    record["effects"] = {
        name: recovered_effects(corpus, profiles, label, n_resamples)
        for name, label in (("claims", by_claims), ("two_sided", side.label))
    }
    return record


def recovered_effects(
    corpus: MiniCorpus, profiles: Sequence[CaptionProfile], label: Labeller, n_resamples: int
) -> dict[str, list[dict[str, Any]]]:
    """Every planted effect, unweighted, and the one that is found with its interval over works, by precedence."""
    from posh_lite.position.composition import as_labelled
    from posh_lite.position.controls import recovery
    from posh_lite.position.simulate import gold_profiles
    from posh_lite.position.study_floor import short

    gold = gold_profiles(corpus)
    found: dict[str, list[dict[str, Any]]] = {}
    for precedence in PRECEDENCES:
        own = [
            replace(p, id=g.id, model=g.model, sentences=tuple(label(p, precedence)))
            for p, g in zip(profiles, gold, strict=True)
        ]
        rows = recovery(gold, own, reading=as_labelled, n_resamples=n_resamples)
        found[precedence] = [
            {"captioner": r.model, "quantity": r.quantity, "planted": r.planted, "found": short(r.found),
             "covered": bool(r.covered)} for r in rows
        ]
    return found


def _agree(rows: Sequence[tuple[str, str, str, str, bool]], n_resamples: int) -> dict[str, Any]:
    return agreement([r[2] for r in rows], [r[3] for r in rows], LABELS, [r[0] for r in rows], n_resamples)


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
        description="Hold the embedded extractor and verifier against the known-answer corpus, or with --people "
        "against human descriptions.",
        epilog="--people needs IIW-400 and DOCCI-Test (`posh-lite data fetch iiw400 docci_test`, or POSH_LITE_DATA) "
        "and takes some minutes. No texts are written.",
    )
    parser.add_argument("--people", action="store_true", help=f"human controls instead; writes {PEOPLE}")
    parser.add_argument("-o", "--output", type=Path, help=f"record to write (default: {RECORD}, or as --people says)")
    parser.add_argument("--boot", type=int, default=2000, metavar="B", help="resamples (default: 2000)")
    parser.add_argument("--limit", type=int, metavar="N", help="with --people: the first N images only")
    options = parser.parse_args(arguments)
    try:
        record = people_report(options.boot, limit=options.limit) if options.people else mini_report(options.boot)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    output = options.output or (PEOPLE if options.people else RECORD)
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
