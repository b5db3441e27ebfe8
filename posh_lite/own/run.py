"""From captions to a folder of one model: scores, position report, figures and the record of its row."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.own.captions import Captions, folder_of
from posh_lite.own.record import ModelRecord, figures_of, hashes, read_record, units_of
from posh_lite.own.references import digest_of
from posh_lite.own.store import ScoreStore, key_of
from posh_lite.records import Pair, read_pairs, write_jsonl

if TYPE_CHECKING:
    from posh_lite.metric.posh import PoSh
    from posh_lite.metric.score import Score
    from posh_lite.position.report import Report
    from posh_lite.position.types import CaptionProfile

#: Files below the folder of a model.
CAPTIONS, SCORES_FILE, POSITION, PAGE = "captions.jsonl", "scores.jsonl", "position", "index.html"
_CHUNK = 16


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model with everything that is known of its captions; the parts run in parallel.

    Attributes:
        record: its row.
        pairs: captions beside their references.
        scores: of the metric.
        profiles: of the position lens; a caption whose reference gave no claim has one without claims.
        place: its folder.
    """

    record: ModelRecord
    pairs: tuple[Pair, ...]
    scores: tuple[Score, ...]
    profiles: tuple[CaptionProfile, ...]
    place: Path

    @property
    def units(self) -> list[str]:
        """The image of each caption."""
        return units_of(self.pairs)


def run_model(
    name: str, captions: Captions, place: Path, posh: PoSh, *, n_resamples: int = 2000, level: float = 0.95,
    seed: int = 0, progress: bool | None = None, on_fault: Callable[[Pair, PoshLiteError], None] | None = None,
    figures: bool = True,
) -> Model:
    """Score captions, label their sentences, and write both below a folder; what is there already is not done again.

    Args:
        name: of the model.
        captions: of this model.
        place: folder of all models; that of this one is made below it.
        posh: the metric.
        n_resamples: draws of images for every interval.
        level: of the intervals.
        seed: of the draws.
        progress: show bars; None shows them in a terminal.
        on_fault: told of a caption that cannot be scored, which is then left out; without it, the error is raised.
        figures: draw those of the position report too, where matplotlib is installed.

    Raises:
        InputError: no caption can be scored, or a file of an earlier run is damaged.
        JudgeError: the judge cannot be asked.
    """
    from datetime import UTC, datetime

    home = place / folder_of(name)
    home.mkdir(parents=True, exist_ok=True)
    pairs = [replace(p, model=name) for p in captions.pairs]
    write_jsonl(home / CAPTIONS, (p.to_dict() for p in pairs))
    store = ScoreStore(home / SCORES_FILE)
    scored = score_pairs(pairs, posh, store, progress=progress, on_fault=on_fault)
    if not scored:
        raise InputError(f"{name}: none of its {len(pairs):,} captions could be scored")
    n_failed = len(pairs) - len(scored)
    pairs = [p for p, _ in scored]
    scores = [s for _, s in scored]
    write_jsonl(home / CAPTIONS, (p.to_dict() for p in pairs))
    store.settle([(key_of(posh.signature, p), s) for p, s in scored])
    settings: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    units = units_of(pairs)
    profiles, report = _position(pairs, units, home / POSITION, progress=progress, figures=figures, **settings)
    record = ModelRecord(
        name, home.name, figures_of(scores, units, report, name, **settings), len(pairs), len(set(units)),
        math.fsum(len(p.generation.split()) for p in pairs) / len(pairs), captions.references,
        digest_of(p.reference for p in pairs), hashes([p.reference for p in pairs]), posh.signature,
        report.signature if report else "", digest_of(f"{p.id}\0{p.generation}" for p in pairs),
        datetime.now(UTC).date().isoformat(), captions.n_skipped + n_failed,
        sum(math.isnan(s.overall) for s in scores), captions.n_uncaptioned,
        report.compositions[name].n_short if report else 0, captions.constructed, captions.note, **settings,
    )
    record.write(home)
    return Model(record, tuple(pairs), tuple(scores), tuple(profiles), home)


def score_pairs(
    pairs: Sequence[Pair], posh: PoSh, store: ScoreStore, *, progress: bool | None = None,
    on_fault: Callable[[Pair, PoshLiteError], None] | None = None,
) -> list[tuple[Pair, Score]]:
    """Scores of pairs in order; those in the store are not made again, and each new chunk goes into it at once.

    Raises:
        JudgeError: the judge cannot be asked.
    """
    from tqdm import tqdm

    from posh_lite.metric.apart import scores_apart

    def fault(pair: Pair, error: PoshLiteError) -> None:
        if on_fault is None:
            raise error
        on_fault(pair, error)

    signature = posh.signature
    keys = {p.id: key_of(signature, p) for p in pairs}
    found = {p.id: store.get(keys[p.id], p, signature) for p in pairs if keys[p.id] in store}
    left = [p for p in pairs if p.id not in found]
    hidden = None if progress is None else not progress
    try:
        with tqdm(total=len(pairs), initial=len(found), desc="scoring", unit="caption", disable=hidden) as bar:
            for at in range(0, len(left), _CHUNK):
                chunk = left[at : at + _CHUNK]
                for score in scores_apart(posh, chunk, fault):
                    if not score.n_unread:  # what could not be read is asked again by the next run
                        store.put(keys[score.id], score)
                    found[score.id] = score
                bar.update(len(chunk))
    finally:
        store.close()
    return [(p, found[p.id]) for p in pairs if p.id in found]


def _position(
    pairs: Sequence[Pair], units: Sequence[str], place: Path, *, progress: bool | None, figures: bool, **settings: Any
) -> tuple[list[CaptionProfile], Report | None]:
    """Profiles and, where any reference gave a claim, the report in its folder."""
    from posh_lite.position.report import make_report, write_figures, write_page, write_tables

    place.mkdir(exist_ok=True)
    profiles = profiles_in(place, pairs, units, progress=progress)
    if not any(p.rubric.claims for p in profiles):
        return profiles, None
    report = make_report(profiles, **settings)
    write_tables(report, place)
    if figures and importlib.util.find_spec("matplotlib") is not None:
        write_figures(report, place)
    write_page(report, place / PAGE, "contradicted", 200)
    return profiles, report


def profiles_in(
    place: Path, pairs: Sequence[Pair], units: Sequence[str], *, progress: bool | None = None
) -> list[CaptionProfile]:
    """Profiles through the embedded lens, those that the folder keeps among them."""
    from posh_lite.position.profile import embedded
    from posh_lite.position.report_store import ProfileStore, profiles_of

    return profiles_of(pairs, *embedded(), store=ProfileStore(place / "profiles.jsonl"), units=units,
                       progress=progress)


def read_model(home: Path) -> Model:
    """A model from its folder, without asking its judge anything.

    Raises:
        InputError: it is not there, unfinished, or its files do not belong together.
    """
    record = read_record(home)
    pairs = tuple(read_pairs(home / CAPTIONS))
    store = ScoreStore(home / SCORES_FILE)
    keys = [key_of(record.scores_by, p) for p in pairs]
    if digest_of(f"{p.id}\0{p.generation}" for p in pairs) != record.captions:
        raise InputError("holds other captions than those of its record; run `posh-lite model` again",
                         path=home / CAPTIONS)
    if any(key not in store for key in keys):
        raise InputError("lacks scores of its captions; run `posh-lite model` again", path=home / SCORES_FILE)
    scores = tuple(store.get(k, p, record.scores_by) for k, p in zip(keys, pairs, strict=True))
    profiles = profiles_in(home / POSITION, pairs, units_of(pairs), progress=False)
    return Model(record, pairs, scores, tuple(profiles), home)
