"""What the chapters on position show: records of the study as profiles, estimates and narrow tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.book import show
from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, estimate_from_dict
from posh_lite.position.composition import as_labelled
from posh_lite.position.effects import SHOWN, Diagnosis, diagnose
from posh_lite.position.label import Precedence
from posh_lite.position.robust import VARIANTS, change, sensitivity
from posh_lite.position.simulate import gold_profiles
from posh_lite.position.study import CROSS, MODEL, SAME, TO_DOCCI, TO_IIW, cross
from posh_lite.position.study_record import RecordedSet, load_sets, same_sentences
from posh_lite.position.types import LABELS, CaptionProfile

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.benchmarks.mini import MiniCorpus


@dataclass(frozen=True, slots=True)
class Study:
    """A record of real texts: labels, and the figures that were made of them.

    Attributes:
        sets: by name and verifier.
        figures: as :func:`posh_lite.position.study.figures` made them.
        where: the folder.
    """

    sets: dict[tuple[str, str], RecordedSet]
    figures: Mapping[str, Any]
    where: str

    @property
    def made(self) -> str:
        """Date of the figures."""
        return str(self.figures["date"])

    @property
    def signature(self) -> str:
        """Of extractor and verifier of the main reading."""
        return self.sets[MODEL, "lexical"].signature

    def profiles(self, name: str, verifier: str = "lexical", precedence: Precedence = "supported"
                 ) -> list[CaptionProfile]:  # fmt: skip
        """Captions of a set, or of both directions of the cross-writer control, under its name."""
        if name == CROSS:
            return cross(self.sets, verifier, precedence)
        return self.sets[name, verifier].profiles(precedence, model=name)

    def estimate(self, reading: str, name: str, quantity: str) -> Estimate:
        """A figure of the record."""
        return estimate_from_dict(dict(self.figures["effects"][reading][name][quantity]))

    def explained(self, reading: str, *, published: bool = False) -> list[dict[str, Any]]:
        """Rows of model, quantity, value, floor and share, the last three as estimates."""
        rows = self.figures["explained_published" if published else "explained"][reading]
        return [
            {**row, **{k: estimate_from_dict(dict(row[k])) for k in ("value", "floor", "share")}} for row in rows
        ]


def load_study(folder: str | Path) -> Study:
    """A record of the study.

    Raises:
        InputError: it is not there, or is none.
    """
    sets = load_sets(Path(folder) / "captions.json")
    try:
        figures = json.loads((Path(folder) / "figures.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"no figures: {error}; python -m posh_lite.position.study --figures", path=folder) from None
    return Study(sets, figures, Path(folder).as_posix())


def said(e: Estimate, digits: int = 2) -> str:
    """An estimate in a cell: value and interval, or a dash."""
    if math.isnan(e.value):
        return "–"
    value = show.number(0.0 if abs(e.value) < 0.5 * 10**-digits else e.value, digits)
    return value if math.isnan(e.low) else f"{value} ({show.interval(e, digits)})"


def percent(e: Estimate) -> str:
    """A share in a cell, in per cent: what has no interval says so by lacking one."""
    if math.isnan(e.value):
        return "–"
    if math.isnan(e.low):
        return f"{e.value:.0%}"
    return f"{e.value:.0%} ({e.low:.0%} to {e.high:.0%})".replace("-", "\N{MINUS SIGN}")


# -- the constructed captioners -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Known:
    """The constructed captioners: planted labels, and those that were found.

    Attributes:
        gold: a sentence is contradicted where any word of it is wrong.
        visible: the same, with sentences whose only mistakes are inventions called generic.
        found: of the embedded verifier, by precedence.
        signature: of extractor and verifier.
    """

    gold: list[CaptionProfile]
    visible: list[CaptionProfile]
    found: dict[Precedence, list[CaptionProfile]]
    signature: str


def load_known(folder: str | Path, corpus: MiniCorpus) -> Known:
    """Planted labels beside the recorded ones.

    Raises:
        InputError: the record is not there.
        ValueError: it is of another state of the corpus.
    """
    own = load_sets(Path(folder) / "captions.json")["mini", "lexical"]
    gold = gold_profiles(corpus)
    found: dict[Precedence, list[CaptionProfile]] = {}
    ways: tuple[Precedence, ...] = ("supported", "contradicted")
    for precedence in ways:
        made = [replace(p, id=f"{p.unit}/{p.model}") for p in own.profiles(precedence)]
        same_sentences(gold, made)
        found[precedence] = made
    return Known(gold, gold_profiles(corpus, invented="unseen"), found, own.signature)


def recovered_table(known: Known, quantity: str, *, n_resamples: int, seed: int) -> pd.DataFrame:
    """A planted effect by captioner, what a lens on claims could see of it, and what was found in both precedences."""
    import pandas as pd

    settings: dict[str, Any] = {"weighted": False, "n_resamples": n_resamples, "seed": seed}
    truth, seen = diagnose(known.gold, **settings), diagnose(known.visible, **settings)
    found = {k: diagnose(v, **settings) for k, v in known.found.items()}
    rows = []
    for model in truth.models:
        planted = truth.estimate(model, quantity).value
        row = {"captioner": model, "planted": planted, "visible": seen.estimate(model, quantity).value}
        for precedence, made in found.items():
            e = made.estimate(model, quantity)
            row[f"{precedence} first"] = said(e)
        rows.append(row)
    return pd.DataFrame(rows)


def covered(known: Known, *, n_resamples: int, seed: int) -> dict[Precedence, tuple[int, int]]:
    """How many of the planted effects lie in the interval that was found, and of how many."""
    from posh_lite.position.controls import recovery

    counts: dict[Precedence, tuple[int, int]] = {}
    for precedence, made in known.found.items():
        rows = recovery(known.gold, made, reading=as_labelled, n_resamples=n_resamples, seed=seed)
        counts[precedence] = (sum(r.covered for r in rows), len(rows))
    return counts


#: Parts of a record of the verifier as a reader calls them. All works of mini were read while rules were made.
PARTS = {
    "developed on": "mini, first six works", "held out": "mini, other six works", "all": "mini, all works",
    "fresh": "fresh, the clean test set",
}


def texts_of(
    mini: Mapping[str, Any], fresh: Mapping[str, Any] | None = None
) -> list[tuple[str, Mapping[str, Any], str]]:
    """Texts that a verifier was held against: what a reader calls them, the record, and its part.

    Args:
        mini: the record of :mod:`posh_lite.position.verify_report`.
        fresh: that of its ``--fresh``, where there is one.
    """
    found = [(PARTS.get(part, part), mini, part) for part in mini["parts"]]
    return found if fresh is None else [*found, (PARTS["fresh"], fresh, "all")]


def kappa_table(verifier: Mapping[str, Any], fresh: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Agreement of the verifier with the planted labels, as its own records have it; see :func:`texts_of`."""
    import pandas as pd

    rows = []
    for texts, record, part in texts_of(verifier, fresh):
        for precedence, kinds in record["parts"][part]["precedence"].items():
            kappas = [estimate_from_dict(dict(kind["kappa"])) for kind in kinds.values()]
            rows.append({"works": texts, "first": precedence,
                         **{name: said(e) for name, e in zip(("all", "no inventions"), kappas, strict=True)}})
    return pd.DataFrame(rows)


def invented_only(corpus: MiniCorpus, found: Sequence[CaptionProfile]) -> pd.DataFrame:
    """Sentences whose only mistakes are things that are not there, and what they were labelled, by captioner."""
    import pandas as pd

    rows: dict[str, dict[str, int]] = {}
    for p, gold in zip(found, corpus.gold, strict=True):
        row = rows.setdefault(p.model, {"wrong": 0, "inventions": 0, **dict.fromkeys(LABELS, 0)})
        for own, planted in zip(p.sentences, gold.sentences, strict=True):
            here = [m for m in gold.mistakes if planted.start <= m.start < planted.end]
            row["wrong"] += bool(here)
            if here and all(m.fact is None for m in here):
                row["inventions"] += 1
                row[own.label] += 1
    return pd.DataFrame([
        {"captioner": model, **{k.lower(): n for k, n in row.items()}} for model, row in rows.items() if row["wrong"]
    ])


# -- controls -------------------------------------------------------------------------------------------------


def control_table(study: Study, reading: str, names: Sequence[str], quantities: Sequence[str]) -> pd.DataFrame:
    """Quantities down, texts across, in the form of Table 1."""
    import pandas as pd

    return pd.DataFrame([
        {"": SHOWN.get(q, f"{q[0].upper()} in {q[-2:].upper()}"),
         **{name: said(study.estimate(reading, name, q)) for name in names}}
        for q in quantities
    ])


def sensitivity_table(study: Study, name: str, *, n_resamples: int, seed: int) -> pd.DataFrame:
    """Effects in every reading of the recorded labels, and how far the first is from them in pairs."""
    import pandas as pd

    own = study.profiles(name)
    rows = []
    quantities = ("d_mid", "d_tail")
    variants = [v for v in VARIANTS if v.reading is as_labelled]
    for one in sensitivity(own, variants, n_resamples=n_resamples, seed=seed, quantities=quantities):
        rows.append((one.variant, one.quantity, one.estimate, one.change))
    settings: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
    first = diagnose(own, **settings)
    other = diagnose(study.profiles(name, precedence="contradicted"), **settings)
    for q in quantities:
        rows.append((VARIANTS[2].name, q, other.estimate(name, q), change(other, first, name, q)))
    table: dict[str, dict[str, str]] = {}
    for variant, quantity, e, moved in rows:
        row = table.setdefault(variant, {"reading": variant})
        row[SHOWN[quantity]] = said(e)
        row[f"change of {SHOWN[quantity]}"] = show.number(moved.value)
    return pd.DataFrame(list(table.values()))


def second_verifier(study: Study, names: Sequence[str], *, n_resamples: int, seed: int) -> pd.DataFrame:
    """Position metrics under two verifiers in the form of Table 18, with agreement and kappa of the labels."""
    import pandas as pd

    from posh_lite.position.robust import under_two_verifiers, verifier_agreement

    rows = []
    for name in names:
        one, two = (study.profiles(name, verifier) for verifier in ("lexical", "words"))
        same_sentences(one, two)
        # a record has no texts, only sentences by number: those of the second take the places of the first's
        same = [replace(b, caption=a.caption, sentences=tuple(
            replace(y, start=x.start, end=x.end) for x, y in zip(a.sentences, b.sentences, strict=True)
        )) for a, b in zip(one, two, strict=True)]
        told = verifier_agreement(one, same, n_resamples=n_resamples, seed=seed)
        row = {"texts": name, "agree": f"{told.sentences.value:.0%}", "kappa": said(told.sentences_kappa)}
        shown = ("d_mid", "d_tail", "s_q4", "h_q4", "g_q4")
        for cell in under_two_verifiers(one, two, shown, weighted=False, n_resamples=n_resamples, seed=seed):
            short = SHOWN.get(cell.quantity, f"{cell.quantity[0].upper()}{cell.quantity[-1]}")
            row[short] = f"{show.number(cell.first.value)} / {show.number(cell.second.value)}"
        rows.append(row)
    return pd.DataFrame(rows)


def printed_effects() -> dict[str, dict[str, Estimate]]:
    """D_mid and D_tail of the paper's six models, recomputed from the printed quarters, for a forest plot."""
    from posh_lite.position.published import models, published_effects

    found: dict[str, dict[str, Estimate]] = {}
    for e in published_effects():
        if e.model in models() and e.quantity in ("d_mid", "d_tail"):
            bare = Estimate(e.unweighted, math.nan, math.nan, 0, e.weighted.n_units, method="Table 7, unweighted")
            found.setdefault(f"{e.model} *", {})[e.quantity] = bare
    return found


def floors(study: Study, reading: str) -> dict[str, dict[str, Estimate]]:
    """The two floors of a forest plot: a text against itself, and against another writer's."""
    return {
        name: {q: study.estimate(reading, name, q) for q in ("d_mid", "d_tail")} for name in (SAME, CROSS)
    }


def panels(made: Mapping[str, Diagnosis]) -> dict[str, Any]:
    """Profiles of diagnoses of one model each, for small multiples."""
    return {name: d.profile(d.models[0]) for name, d in made.items()}


#: The texts of the study in the order in which they are shown.
TEXTS = (MODEL, SAME, TO_IIW, TO_DOCCI)
