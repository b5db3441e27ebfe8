"""Findings of a verifier held against a known-answer corpus: rows of sentences and facts, and their agreement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from posh_lite.benchmarks.mini import Gold, LabelledSentence, MiniCorpus, load_mini
from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.llm_sample import of_fact
from posh_lite.position.profile import profile
from posh_lite.position.types import LABELS, CaptionProfile, Extractor, SentenceLabel, Verifier
from posh_lite.records import Span

_MARKS = frozenset("*_#> ")

#: Works of the known-answer corpus that were read for longer while rules were made; the others were read later.
DEVELOPED_ON = 6
PRECEDENCES: tuple[Precedence, ...] = ("supported", "contradicted")
#: What labels a caption in a precedence.
Labeller = Callable[[CaptionProfile, Precedence], Sequence[SentenceLabel]]


def parts_of(corpus: MiniCorpus) -> dict[str, list[str]]:
    """Works by part, where the corpus has both: those read first, those read later ("held out" at first), and all."""
    slugs = [w.slug for w in corpus.works]
    known = [w.slug for w in load_mini().works[:DEVELOPED_ON]]
    made, other = [s for s in slugs if s in known], [s for s in slugs if s not in known]
    both = {"developed on": made, "held out": other} if made and other else {}
    return {**both, "all": slugs}


def profile_works(
    corpus: MiniCorpus, extractor: Extractor, verifier: Verifier, *, progress: bool = True
) -> list[CaptionProfile]:
    """Profiles of all captions; the unit is the work."""
    units = [corpus.work_of(p).slug for p in corpus.pairs]
    return profile(corpus.pairs, extractor, verifier, units=units, progress=progress)


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
        if _bare(p.caption, labels) != _bare(p.caption, gold.sentences):
            raise ValueError(f"{p.id}: the sentences are not those of the gold")
        for mine, theirs in zip(labels, gold.sentences, strict=True):
            here = [m for m in gold.mistakes if theirs.start <= m.start < theirs.end]
            only = bool(here) and all(m.fact is None for m in here)
            rows.append((p.id.split("/")[0], p.model, theirs.label.capitalize(), mine.label, only))
    return rows


def _bare(text: str, sentences: Sequence[SentenceLabel | LabelledSentence]) -> list[Span]:
    """Spans without the marks of Markdown at their ends, which one reader of a text counts in and another does not."""
    found = []
    for s in sentences:
        a, b = s.span
        while a < b and text[a] in _MARKS:
            a += 1
        while b > a and text[b - 1] in _MARKS:
            b -= 1
        found.append((a, b))
    return found


def fact_rows(
    profiles: Sequence[CaptionProfile], corpus: MiniCorpus
) -> list[tuple[str, str, str]]:
    """Rows (work, gold status, found status) of every fact of a reference that a claim is about, in every caption.

    A fact is contradicted where a claim in it is, else supported where half of its claims are or more, else missing.
    """
    return [(corpus.work_of(p.id).slug, known, found) for p in profiles for _, known, found in statuses_of(p, corpus)]


def statuses_of(p: CaptionProfile, corpus: MiniCorpus) -> Iterator[tuple[str, str, str]]:
    """Fact, gold status and found status of every fact of the reference that a claim is about."""
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
        for fact, known, found in statuses_of(p, corpus):
            if known == "Contradicted":
                rows.append((corpus.work_of(p.id).slug, types[fact], found))
    return rows


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


def by_precedence(
    rows: Mapping[Precedence, Sequence[tuple[str, str, str, str, bool]]], keep: Collection[str], n_resamples: int
) -> dict[str, Any]:
    """Agreement over the sentences of some works, all of them and without those that only invent."""
    found: dict[str, Any] = {}
    for precedence, all_rows in rows.items():
        mine = [r for r in all_rows if r[0] in keep]
        found[precedence] = {
            "all sentences": agree_sentences(mine, n_resamples),
            "without pure inventions": agree_sentences([r for r in mine if not r[4]], n_resamples),
        }
    return found


def agree_sentences(rows: Sequence[tuple[str, str, str, str, bool]], n_resamples: int) -> dict[str, Any]:
    """Agreement over rows of :func:`sentence_rows`."""
    return agreement([r[2] for r in rows], [r[3] for r in rows], LABELS, [r[0] for r in rows], n_resamples)
