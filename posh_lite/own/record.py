"""What is kept of a model: its figures with intervals, and everything that tells whether two rows can be compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.evaluation.bootstrap import Estimate, estimate_from_dict, ratio
from posh_lite.judge.saved import write_json
from posh_lite.own.references import digest_of

if TYPE_CHECKING:
    from posh_lite.metric.score import Score
    from posh_lite.position.report import Report
    from posh_lite.records import Pair

FILE = "model.json"
#: Version of the form of the file.
FORM = 1
SCORES = ("overall", "mistakes", "omissions")
#: Of the position lens: effects, and what the last quarter consists of.
EFFECTS = ("d_mid", "d_tail", "delta_s", "delta_h")
LAST = ("s_q4", "h_q4", "g_q4")
WEIGHTED = "weighted "


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """One row.

    Attributes:
        name: as it was given.
        folder: its folder below that of the leaderboard.
        figures: estimates by name: :data:`SCORES`, and all quantities of the position lens, such as ``d_mid``, counting
            every sentence once; with :data:`WEIGHTED` before the name, weighted by claims.
        n: captions.
        n_images: they describe.
        words: mean length of a caption.
        references: name of where the references come from.
        texts: hash of the set of references.
        images: a hash of each reference, which tells how many two rows share.
        scores_by: signature of the metric.
        position_by: signature of the position lens; empty where no reference gave a claim.
        captions: hash of the captions.
        made: date of the run, as YYYY-MM-DD.
        n_skipped: records that could not be used.
        n_unscored: captions without an overall score.
        n_uncaptioned: images of the benchmark without a caption.
        n_short: captions of fewer than four sentences, which leave quarters empty.
        constructed: whether no model wrote them.
        note: on the references.
        n_resamples, level, seed: of the intervals.
    """

    name: str
    folder: str
    figures: dict[str, Estimate]
    n: int
    n_images: int
    words: float
    references: str
    texts: str
    images: tuple[str, ...]
    scores_by: str
    position_by: str
    captions: str
    made: str
    n_skipped: int = 0
    n_unscored: int = 0
    n_uncaptioned: int = 0
    n_short: int = 0
    constructed: bool = False
    note: str = ""
    n_resamples: int = 2000
    level: float = 0.95
    seed: int = 0

    @property
    def kind(self) -> tuple[str, str, str]:
        """Rows of one kind can be held against each other: the same references, metric and lens."""
        return (self.texts, self.scores_by, self.position_by)

    def write(self, folder: Path) -> Path:
        """Write ``model.json``, complete or not at all."""
        row = asdict(self)
        row["figures"] = {name: e.to_dict() for name, e in self.figures.items()}
        path = folder / FILE
        write_json(path, {"form": FORM, **row})
        return path


def read_record(folder: Path) -> ModelRecord:
    """Read back what :meth:`ModelRecord.write` wrote.

    Raises:
        InputError: it is not there, or not of that form.
    """
    path = folder / FILE
    try:
        row: dict[str, Any] = json.loads(path.read_text("utf-8"))
        form = row.pop("form")
        row["figures"] = {str(name): estimate_from_dict(e) for name, e in row["figures"].items()}
        row["images"] = tuple(row["images"])
        row["folder"] = folder.name  # it may have been renamed
        if form != FORM:
            raise ValueError(f"form {form}, expected {FORM}")
        return ModelRecord(**row)
    except FileNotFoundError:
        raise InputError("no such model; `posh-lite model` makes one", path=folder) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"was not written by this version of `posh-lite model` ({error}); run that again",
                         path=path) from None


def read_records(place: Path) -> tuple[list[ModelRecord], list[InputError]]:
    """All models below a folder by name, and what is wrong with those that cannot be read."""
    found: list[ModelRecord] = []
    faults: list[InputError] = []
    for path in sorted(place.glob(f"*/{FILE}")):
        try:
            found.append(read_record(path.parent))
        except InputError as error:
            faults.append(error)
    return sorted(found, key=lambda r: r.name.lower()), faults


def units_of(pairs: Sequence[Pair]) -> list[str]:
    """The image of each pair, the same in every file: its reference; its name where an image has several references."""
    texts: dict[str, set[str]] = {}
    for pair in pairs:
        if pair.image:
            texts.setdefault(pair.image, set()).add(pair.reference)
    return [p.image if p.image and len(texts[p.image]) > 1 else p.reference for p in pairs]


def mean_score(scores: Sequence[Score], name: str, units: Sequence[str], **settings: Any) -> Estimate:
    """Mean of a coarse score over captions with its interval over images; undefined ones are left out and counted."""
    values = [float(getattr(s, name)) for s in scores]
    return ratio(values, [1.0] * len(values), units=units, method=f"mean {name}", **settings)


def figures_of(
    scores: Sequence[Score], units: Sequence[str], report: Report | None, model: str, **settings: Any
) -> dict[str, Estimate]:
    """All estimates of one model by name; those of the lens counted and weighted, on the same draws."""
    found = {name: mean_score(scores, name, units, **settings) for name in SCORES}
    if report is not None:
        found |= {q: report.unweighted.estimate(model, q) for q in report.unweighted.names}
        found |= {f"{WEIGHTED}{q}": report.weighted.estimate(model, q) for q in report.weighted.names}
    return found


def hashes(references: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each different reference, sorted."""
    return tuple(sorted(digest_of([r]) for r in set(references)))
