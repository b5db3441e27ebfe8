"""Fit the verifier of rules and sentence vectors: ``python -m posh_lite.position.vector_fit --model MODEL -o FILE``.

On the known-answer corpus ``data/mini`` alone. A claim is a row for each fact of the reference that it stands in: true
where the caption conveys the fact, false where it omits it. Misstated facts are left out, since contradictions are the
rules' to find. A logistic model with a ridge, so that 26 slopes of some 4,700 rows stay small.

The figure that counts leaves works out: the verdicts on a work come from weights that never saw it, and so does their
threshold, which is chosen on works that are left out in turn of the others. Two things flatter it still. The columns
and the ridge were chosen by such figures on the same works, and the rules whose verdicts are weighed were made on some
of them. ``data/fresh`` has works that nothing was chosen on (``python -m posh_lite.position.verify_report --fresh``).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.embedding import Embedder
from posh_lite.benchmarks.mini import MiniCorpus, load_mini
from posh_lite.errors import PoshLiteError
from posh_lite.position.llm_sample import of_fact
from posh_lite.position.types import STATUSES, CaptionProfile, Verifier
from posh_lite.position.vector_features import NAMES, Measured, VectorStore, measure
from posh_lite.position.vector_verify import decide, embedder_of
from posh_lite.position.vector_weights import VectorWeights, probes, rules_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.evaluation.bootstrap import Estimate, Floats, Statistic

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

#: Penalty on slopes of standardised columns: that of a normal prior with a standard deviation of 1 / sqrt(RIDGE).
RIDGE = 10.0
#: Probabilities that may become the threshold.
THRESHOLDS = tuple(round(0.2 + 0.025 * k, 3) for k in range(27))
OUTPUT = Path("posh_lite/position/vectors")
_SUPPORTED, _CONTRADICTED, _MISSING = (STATUSES.index(s) for s in ("Supported", "Contradicted", "Missing"))


@dataclass(frozen=True, slots=True)
class Table:
    """The known-answer corpus as rows of claims and of facts, which are judged by half of their claims.

    Attributes:
        rows: numbers of claims, shape ``(n, len(NAMES))``.
        fact: the fact of each row, from 0, shape ``(n,)``.
        known: status of each fact by the gold, codes of :data:`~posh_lite.position.types.STATUSES`, shape ``(m,)``.
        against: whether the rules contradict one of its claims.
        work: of each fact.
    """

    rows: Floats
    fact: Ints
    known: Ints
    against: Bools
    work: NDArray[np.object_]

    def of(self, works: Sequence[str]) -> Bools:
        """Which facts are of these works."""
        import numpy as np

        return np.asarray(np.isin(self.work.astype(str), list(works)))

    def statuses(self, chances: Floats, threshold: float) -> Ints:
        """What is found of each fact, as in :func:`posh_lite.position.verify_known.fact_rows`."""
        import numpy as np

        size = np.bincount(self.fact, minlength=len(self.known))
        yes = np.bincount(self.fact, chances > threshold, minlength=len(self.known))
        return np.asarray(np.where(self.against, _CONTRADICTED, np.where(2 * yes >= size, _SUPPORTED, _MISSING)))


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted logistic model of columns that are standardised by mean and standard deviation."""

    intercept: float
    means: Floats
    sds: Floats
    slopes: Floats

    def chances(self, rows: Floats) -> Floats:
        """Probabilities of rows."""
        import numpy as np
        from scipy.special import expit

        return np.asarray(expit(self.intercept + (rows - self.means) / self.sds @ self.slopes), dtype=np.float64)


def fit_line(rows: Floats, labels: Floats, ridge: float = RIDGE) -> Line:
    """The most likely logistic model under a ridge on its slopes; a column without variance gets the slope 0.

    Args:
        rows: of shape ``(n, k)``.
        labels: 1 or 0, of shape ``(n,)``, both of them among them.
        ridge: half of it times the sum of squared slopes is added to the negative log likelihood.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    means, spread = rows.mean(axis=0), rows.std(axis=0)
    sds = np.where(spread > 1e-9, spread, 1.0)
    z = np.where(spread > 1e-9, (rows - means) / sds, 0.0)

    def loss(b: Floats) -> tuple[float, Floats]:
        odds = b[0] + z @ b[1:]
        off = expit(odds) - labels
        value = float((np.logaddexp(0, odds) - labels * odds).sum() + ridge / 2 * (b[1:] ** 2).sum())
        return value, np.concatenate([[off.sum()], z.T @ off + ridge * b[1:]])

    start = np.zeros(rows.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7})
    return Line(float(found.x[0]), means, sds, np.asarray(found.x[1:], dtype=np.float64))


def table_of(profiles: Sequence[CaptionProfile], measured: Sequence[Measured], corpus: MiniCorpus) -> Table:
    """Rows of the rules' profiles of a known-answer corpus.

    Args:
        profiles: by the rules.
        measured: of their claims.
        corpus: that they are of.
    """
    import numpy as np

    rows: list[Floats] = []
    fact: list[int] = []
    known: list[int] = []
    against: list[bool] = []
    work: list[str] = []
    for p, m in zip(profiles, measured, strict=True):
        gold = corpus.gold_of(p.id)
        omitted, wrong = {f.fact for f in gold.omissions}, {f.fact for f in gold.misstated}
        status = {f.claim: f.status for f in p.findings}
        place = {c.id: k for k, c in enumerate(p.rubric.claims)}
        for f in corpus.work_of(p.id).facts:
            mine = of_fact(p.rubric.claims, f)
            if not mine:
                continue
            rows += [m.rows[place[c.id]] for c in mine]
            fact += [len(known)] * len(mine)
            known.append(_MISSING if f.fact in omitted else _CONTRADICTED if f.fact in wrong else _SUPPORTED)
            against.append(any(status[c.id] == "Contradicted" for c in mine))
            work.append(corpus.work_of(p.id).slug)
    return Table(
        np.array(rows, dtype=np.float64).reshape(-1, len(NAMES)), np.array(fact, dtype=np.int64),
        np.array(known, dtype=np.int64), np.array(against, dtype=bool), np.array(work, dtype=object),
    )


def fit_on(table: Table, works: Sequence[str], ridge: float = RIDGE) -> Line:
    """A model of the claims of these works, without misstated facts."""
    use = (table.of(works) & (table.known != _CONTRADICTED))[table.fact]
    labels = (table.known[table.fact] == _SUPPORTED).astype(float)
    return fit_line(table.rows[use], labels[use], ridge)


def left_out(table: Table, works: Sequence[str], ridge: float = RIDGE) -> Floats:
    """Probabilities of all claims of the works, each by a model of the other works; 0 elsewhere."""
    import numpy as np

    chances = np.zeros(len(table.rows))
    for work in works:
        here = table.of([work])[table.fact]
        chances[here] = fit_on(table, [w for w in works if w != work], ridge).chances(table.rows[here])
    return chances


def best_threshold(table: Table, chances: Floats, works: Sequence[str]) -> float:
    """The threshold with the highest kappa over the facts of the works, each with that of its two neighbours.

    The highest of 27 alone would be the luckiest.
    """
    import numpy as np

    from posh_lite.evaluation.agreement import kappa_statistic

    here = table.of(works)
    once = np.ones((1, int(here.sum())))
    found = [
        float(kappa_statistic(table.known[here], table.statuses(chances, t)[here], len(STATUSES))(once)[0])
        for t in THRESHOLDS
    ]
    padded = np.pad(np.nan_to_num(np.array(found), nan=-1.0), 1, mode="edge")
    return THRESHOLDS[int(np.argmax(padded[:-2] + padded[1:-1] + padded[2:]))]


def fit_with_threshold(table: Table, works: Sequence[str], ridge: float = RIDGE) -> tuple[Line, float]:
    """Model and threshold of these works; the threshold is chosen on works that are left out in turn."""
    return fit_on(table, works, ridge), best_threshold(table, left_out(table, works, ridge), works)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights of all works, the profiles that the rules gave, and those of weights that never saw the work."""

    weights: VectorWeights
    lexical: tuple[CaptionProfile, ...]
    crossed: tuple[CaptionProfile, ...]


def fit(
    embedder: Embedder, model: str, corpus: MiniCorpus | None = None, *, ridge: float = RIDGE, n_resamples: int = 2000,
    profiles: Sequence[CaptionProfile] | None = None, verifier: Verifier | None = None, progress: bool = True,
) -> Fitted:  # fmt: skip
    """Fit on all works, and on all but one for each.

    Args:
        embedder: makes the vectors.
        model: its name for readers.
        corpus: by default ``data/mini``; three works or more.
        ridge: the penalty.
        n_resamples: of the intervals over works.
        profiles: of all captions of the corpus by these rules, where they are there already.
        verifier: the rules (default: the embedded verifier).
        progress: show a bar while the rules run.

    Raises:
        InputError: the corpus is not there.
        ValueError: it has fewer than three works.
    """
    from posh_lite.position.profile import embedded
    from posh_lite.position.verify_known import profile_works

    whole = "data/mini (constructed)" if corpus is None else "a known-answer corpus"
    corpus = load_mini() if corpus is None else corpus
    works = tuple(w.slug for w in corpus.works)
    if len(works) < 3:
        raise ValueError(f"{len(works)} works: leaving out one, and one of the others, takes three or more")
    extractor, rules = embedded()
    rules = verifier or rules
    lexical = profiles or profile_works(corpus, extractor, rules, progress=progress)
    store = VectorStore(embedder)
    measured = measure([(p.caption, p.rubric) for p in lexical], [p.findings for p in lexical], store)
    table = table_of(lexical, measured, corpus)
    line, threshold = fit_with_threshold(table, works, ridge)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    used = int((table.known != _CONTRADICTED)[table.fact].sum())
    weights = VectorWeights(
        model, embedder.signature, probes(embedder), rules_of(rules.signature), line.intercept, *_columns(line),
        threshold, ridge, used, works, {}, whole, _digest(corpus), today,
    )
    crossed = tuple(_crossed(lexical, measured, table, weights, works, ridge))
    return Fitted(replace(weights, cv=figures(lexical, crossed, corpus, n_resamples)), tuple(lexical), crossed)


def _crossed(
    lexical: Sequence[CaptionProfile], measured: Sequence[Measured], table: Table, weights: VectorWeights,
    works: Sequence[str], ridge: float,
) -> Iterator[CaptionProfile]:  # fmt: skip
    """The profiles again, each by weights and a threshold of the other works."""
    by_work: dict[str, VectorWeights] = {}
    for work in works:
        line, threshold = fit_with_threshold(table, [w for w in works if w != work], ridge)
        means, sds, slopes = _columns(line)
        by_work[work] = replace(weights, intercept=line.intercept, means=means, sds=sds, slopes=slopes,
                                threshold=threshold)
    for p, m in zip(lexical, measured, strict=True):
        yield with_findings(p, by_work[p.id.split("/")[0]], m)


def with_findings(p: CaptionProfile, weights: VectorWeights, measured: Measured) -> CaptionProfile:
    """A profile by the rules as the weights change it."""
    from posh_lite.position.label import label_sentences

    found = decide(weights, p.caption, p.findings, measured)
    return replace(p, findings=found, sentences=label_sentences(p.caption, p.rubric, found))


def _columns(line: Line) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    means, sds, slopes = (tuple(float(v) for v in column) for column in (line.means, line.sds, line.slopes))
    return means, sds, slopes


def figures(
    lexical: Sequence[CaptionProfile], vectors: Sequence[CaptionProfile], corpus: MiniCorpus, n_resamples: int = 2000
) -> dict[str, Any]:
    """Agreement with the gold over facts of the rules and of the vectors, and the paired gain, by part of the works.

    Args:
        lexical: profiles by the rules.
        vectors: profiles of the same captions by rules and vectors.
        corpus: that they are of.
        n_resamples: of the intervals over works.
    """
    from posh_lite.position.verify_known import agreement, fact_rows, parts_of

    one, two = fact_rows(lexical, corpus), fact_rows(vectors, corpus)
    found: dict[str, Any] = {}
    for name, chosen in parts_of(corpus).items():
        keep = set(chosen)
        a, b = ([r for r in rows if r[0] in keep] for rows in (one, two))
        units, known = [r[0] for r in a], [r[1] for r in a]
        found[name] = {
            "works": list(chosen),
            "lexical": agreement(known, [r[2] for r in a], STATUSES, units, n_resamples),
            "vectors": agreement(known, [r[2] for r in b], STATUSES, units, n_resamples),
            "gain": gain(known, [r[2] for r in a], [r[2] for r in b], units, n_resamples).to_dict(),
        }
    return found


def gain(known: Sequence[str], first: Sequence[str], second: Sequence[str], units: Sequence[str], n_resamples: int
         ) -> Estimate:  # fmt: skip
    """Kappa of the second with what is known minus that of the first, on the same draws of units."""
    import numpy as np

    from posh_lite.evaluation.agreement import kappa_statistic
    from posh_lite.evaluation.bootstrap import bootstrap

    code = {str(name): k for k, name in enumerate(STATUSES)}

    def kappa(told: Sequence[str]) -> Statistic:
        a, b = (np.array([code[x] for x in xs], dtype=np.int64) for xs in (known, told))
        return kappa_statistic(a, b, len(STATUSES))

    one, two = kappa(first), kappa(second)
    return bootstrap(lambda w: two(w) - one(w), len(known), units=units, n_resamples=n_resamples,
                     method="difference of kappa")


def _digest(corpus: MiniCorpus) -> str:
    whole = [[p.id, p.generation, p.reference] for p in corpus.pairs], [repr(g) for g in corpus.gold]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write the weights and print the figures of works that were left out."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.vector_fit",
        description="Fit the position verifier of rules and sentence vectors on the known-answer corpus data/mini.",
        epilog="With a model of 22 million parameters it takes about a minute on one core. Nothing is"
        " downloaded: name a folder, or a model that `hf download` brought.",
    )
    parser.add_argument("--model", required=True, metavar="MODEL",
                        help='sentence vectors: a folder, the name on a hub of a model that is here, or "chars"')
    parser.add_argument("--called", metavar="NAME", help="the model's name for readers (default: as --model says)")
    parser.add_argument("--device", help='"cpu", "cuda", ... (default: the choice of the library)')
    parser.add_argument("--ridge", type=float, default=RIDGE, help=f"penalty of the slopes (default: {RIDGE:g})")
    parser.add_argument("--boot", type=int, default=2000, metavar="B", help="draws of works (default: 2000)")
    parser.add_argument("-o", "--output", type=Path,
                        help=f"weights to write (default: in {OUTPUT}, under the model's name)")
    options = parser.parse_args(arguments)
    if not 0 < options.ridge < math.inf or options.boot < 1:
        parser.error("--ridge must be above 0 and --boot at least 1")
    try:
        settings = {"device": options.device} if options.device and options.model != "chars" else {}
        embedder = embedder_of(options.model, **settings)
        fitted = fit(embedder, options.called or options.model, ridge=options.ridge, n_resamples=options.boot)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    name = (options.called or options.model).replace("\\", "/").rstrip("/").rpartition("/")[2]
    output = options.output or OUTPUT / f"{name}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    fitted.weights.save(output)
    print("\n".join(lines(fitted.weights)))
    print(f"wrote {output}", file=sys.stderr)
    return 0


def lines(weights: VectorWeights) -> list[str]:
    """The figures of works that were left out, a line a part."""
    from posh_lite.evaluation.bootstrap import estimate_from_dict

    found = [f"{weights.model}: weights {weights.name} of {weights.n:,} claims in facts, threshold {weights.threshold}"]
    for name, row in weights.cv.items():
        one, two = (estimate_from_dict(row[k]["kappa"]) for k in ("lexical", "vectors"))
        diff = estimate_from_dict(row["gain"])
        found.append(f"{name}, facts, works left out: kappa {two}; rules alone {one}; gain {diff}")
    return found


if __name__ == "__main__":
    sys.exit(main())
