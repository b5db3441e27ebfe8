"""The project "beat BLEU, then beat posh-lite": a student's metric on an open and a closed half of the mini corpus.

The corpus is public, so nothing in it is secret; what is closed is only which works a course keeps for the end. The
halves follow from a hash of each work's name and a word that the instructor chooses, so that each course has its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.benchmarks.contract import DIMENSIONS, Benchmark, Dimension

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.evaluation.evaluate import Evaluation

Half = Literal["open", "closed"]
HALVES: tuple[Half, Half] = ("open", "closed")
#: What there is to beat, in the order of the project, by the name of the metric.
RIVALS: Mapping[str, str] = {"bleu": "BLEU-4", "posh": "posh-lite"}
#: The word that divides the works where no course has chosen its own.
SALT = "posh-lite"


def divide(slugs: list[str], salt: str = SALT) -> dict[Half, tuple[str, ...]]:
    """The works of each half, as equal in number as can be: those with the lowest hashes are open.

    >>> [len(works) for works in divide(["a", "b", "c"]).values()]
    [2, 1]
    """
    ranked = sorted(slugs, key=lambda slug: hashlib.sha256(f"{salt}/{slug}".encode()).hexdigest())
    cut = (len(ranked) + 1) // 2
    return {"open": tuple(sorted(ranked[:cut])), "closed": tuple(sorted(ranked[cut:]))}


def half_of(half: Half, salt: str = SALT, corpus: MiniCorpus | None = None) -> Benchmark:
    """One half of the known-answer corpus as a benchmark."""
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.benchmarks.mini_benchmark import load_mini_benchmark

    whole = corpus or load_mini()
    works = set(divide([w.slug for w in whole.works], salt)[half])
    full = load_mini_benchmark(whole)
    return replace(
        full, name=f"mini-{half}", title=f"known-answer corpus, {half} half ({len(works)} works)",
        pairs=tuple(p for p in full.pairs if p.id.split("/")[0] in works),
        comparisons=tuple(c for c in full.comparisons if c.unit in works),
        marks=tuple(m for m in full.marks if m.unit in works),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One metric against one rival in one half and dimension.

    Attributes:
        mine, theirs: accuracy, 0 to 1; a comparison with a caption that has no score counts as wrong, and NaN means
            that the metric scores none.
        low, high: interval of the difference over works, the same draws for both.
        silent: captions of the half to which the metric gives no score.
        n: comparisons that the accuracies are of.
    """

    half: Half
    dimension: Dimension
    rival: str
    mine: float
    theirs: float
    low: float
    high: float
    silent: int = 0
    n: int = 0

    @property
    def beaten(self) -> bool:
        """Whether the whole interval of the difference lies above zero."""
        return self.low > 0

    @property
    def said(self) -> str:
        if self.mine != self.mine or self.theirs != self.theirs:
            return "no score"
        return "beaten" if self.beaten else "behind" if self.high < 0 else "cannot be told"


@dataclass(frozen=True, slots=True)
class Result:
    """What the project says of a metric.

    Attributes:
        signature: what the figures depend on.
        works: by half.
        rows: two halves, three dimensions, each rival.
        skipped: why the metric did not run; empty where it did.
    """

    metric: str
    signature: str
    salt: str
    works: Mapping[Half, tuple[str, ...]]
    rows: tuple[Row, ...]
    skipped: str = ""

    def beats(self, rival: str, half: Half = "closed") -> tuple[Dimension, ...]:
        """The dimensions in which the rival is beaten."""
        return tuple(r.dimension for r in self.rows if r.rival == rival and r.half == half and r.beaten)

    def _counted(self, half: Half) -> str:
        n = max(r.n for r in self.rows if r.half == half)
        return f"{half} half: {n} pairs of {len(self.works[half])} works"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; figures that are undefined are null."""
        def plain(value: Any) -> Any:
            return None if value != value else value

        names = ("half", "dimension", "rival", "n", "mine", "theirs", "low", "high", "silent", "said")
        return {
            "metric": self.metric, "signature": self.signature, "salt": self.salt, "skipped": self.skipped,
            "works": {half: list(works) for half, works in self.works.items()},
            "rows": [{name: plain(getattr(r, name)) for name in names} for r in self.rows],
        }

    def write(self, folder: str | Path) -> Path:
        """Write ``project.json``; returns its path."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        path = place / "project.json"
        path.write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
        return path

    def markdown(self) -> str:
        """The table to read, with what was beaten below it."""
        if self.skipped:
            return f"{self.metric} did not run: {self.skipped}\n"
        lines = [
            f"Accuracy of {self.metric} among pairs of captions, and the difference with its 95 % interval over works"
            f" ({'; '.join(self._counted(half) for half in dict.fromkeys(r.half for r in self.rows))}):",
            "", "| half | dimension | yours | against | theirs | difference | |", "|---|---|---|---|---|---|---|",
        ]
        for r in self.rows:
            # plus zero: no minus before a zero
            interval = f"{r.mine - r.theirs + 0.0:+.2f} [{r.low + 0.0:+.2f}, {r.high + 0.0:+.2f}]"
            mine, theirs = ("–" if v != v else f"{v:.2f}" for v in (r.mine, r.theirs))
            cells = (r.half, r.dimension, mine, RIVALS[r.rival], theirs, interval if r.low == r.low else "–", r.said)
            lines.append(f"| {' | '.join(cells)} |")
        if holes := sorted({(r.half, r.dimension, r.silent) for r in self.rows if r.silent}):
            where = "; ".join(f"{half} half, {dimension}: {n}" for half, dimension, n in holes)
            lines += ["", f"Captions to which {self.metric} gives no score ({where}): a comparison with one of them"
                      " counts as wrong. A score is a finite number."]
        if not any(r.half == "closed" for r in self.rows):
            return "\n".join([*lines, "", "The closed half was not looked at."]) + "\n"
        for rival, title in RIVALS.items():
            won = self.beats(rival)
            lines += ["", f"{title} is beaten on the closed half in {' and '.join(won)}." if won else
                      f"{title} is not beaten on the closed half: no interval lies wholly above zero."]
        return "\n".join(lines) + "\n"


def run_project(
    metric: str, *, salt: str = SALT, halves: tuple[Half, ...] = HALVES, output: str | Path | None = None,
    n_resamples: int = 2000, seed: int = 0, progress: bool | None = None,
) -> Result:
    """Hold a metric against the rivals in each half.

    Args:
        metric: its name, or ``module:Class``.
        salt: the word that divides the works.
        halves: those that are looked at.
        output: folder in which scores are kept, so that rivals are scored once.
        n_resamples: draws of the bootstrap over works.
        seed: of the draws.
        progress: whether to show a bar on stderr.

    Raises:
        InputError: the metric is one of the rivals, or its name cannot be used.
    """
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.errors import InputError
    from posh_lite.evaluation.evaluate import evaluate

    if metric in RIVALS:
        raise InputError(f"{metric} is what there is to beat; name a metric of your own, such as my_metric:Mine")
    corpus = load_mini()
    rows: list[Row] = []
    signature = skipped = ""
    for half in halves:
        data = half_of(half, salt, corpus)
        found = evaluate(data, [metric, *RIVALS], against=metric, n_resamples=1, rounds=1, seed=seed, progress=progress,
                         output=None if output is None else Path(output) / half)
        run = found.run(metric)
        signature, skipped = run.signature, run.skipped
        if skipped:
            break
        rows += _rows(found, data, metric, half, n_resamples, seed)
    return Result(metric, signature, salt, divide([w.slug for w in corpus.works], salt), tuple(rows), skipped)


def _rows(found: Evaluation, data: Benchmark, metric: str, half: Half, n_resamples: int, seed: int) -> list[Row]:
    """Accuracies and their differences on all comparisons: who is silent about a caption is wrong about it."""
    import numpy as np

    from posh_lite.evaluation.coarse import compare, values_of
    from posh_lite.evaluation.significance import difference

    told, silent = {}, {}
    for name in (metric, *RIVALS):
        frame = found.scores[name].frame.replace([np.inf, -np.inf], np.nan)
        silent[name] = frame[list(DIMENSIONS)].isna().sum()
        for dimension, values in values_of(frame).items():
            (told[name, dimension],) = compare(data.comparisons, values, dimension, statistics=("accuracy",),
                                               n_resamples=n_resamples, seed=seed)
    rows = []
    for rival in RIVALS:
        for dimension in DIMENSIONS:
            mine, theirs = told[metric, dimension], told[rival, dimension]
            gap = difference(mine, theirs).estimate
            rows.append(Row(half, dimension, rival, mine.estimate.value, theirs.estimate.value, gap.low, gap.high,
                            int(silent[metric][dimension]), mine.estimate.n))
    return rows
