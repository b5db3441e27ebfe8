"""Raters that a program plays, to try a study before people are asked. Their answers are constructed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.preference.answers import ANSWERS
from posh_lite.preference.study import PreferenceStudy, Trial


@dataclass(frozen=True, slots=True)
class Habits:
    """How a simulated rater answers.

    Attributes:
        noise: spread of the rater's own view of each caption, in units of quality.
        left: added to the caption that stands leftmost.
        tie: captions nearer than this are called equal, where ties are allowed.
        careless: share of the trials answered by chance, checks among them.
    """

    noise: float = 0.5
    left: float = 0.0
    tie: float = 0.0
    careless: float = 0.0


def simulate(
    study: PreferenceStudy, quality: Mapping[str, float], habits: Mapping[str, Habits] | Habits | None = None, *,
    image_spread: float = 0.5, seed: int = 0,
) -> dict[str, dict[str, Any]]:
    """Answers of a study in the form of the page's files.

    Args:
        study: with or without its texts.
        quality: of each model, higher is better.
        habits: of all raters, or of each.
        image_spread: spread of the quality of a caption about that of its model, which all raters share.
        seed: of every draw.

    Raises:
        InputError: a model has no quality.
    """
    if lost := [m for m in study.models if m not in quality]:
        raise InputError(f'no quality for model "{lost[0]}"', field="quality")
    shared = random.Random(f"{seed}/captions")
    of_caption = [[quality[m] + shared.gauss(0, image_spread) for m in item.models] for item in study.items]
    found = {}
    for rater, trials in study.trials.items():
        own = habits if isinstance(habits, Habits) else (habits or {}).get(rater, Habits())
        draw = random.Random(f"{seed}/{rater}")
        rows = [{"trial": t.code, "places": _places(t, study, of_caption, own, draw), "reason": "",
                 "seconds": round(draw.lognormvariate(3.3, 0.4), 1)} for t in trials]  # fmt: skip
        found[rater] = {"format": ANSWERS, "study": study.id, "rater": rater, "made": "simulated", "answers": rows}
    return found


def _places(
    trial: Trial, study: PreferenceStudy, quality: list[list[float]], habits: Habits, draw: random.Random
) -> list[int]:
    n, settings = len(trial.order), study.settings
    if draw.random() < habits.careless:
        seen = [draw.random() for _ in range(n)]
    elif trial.expected is not None:
        seen = [float(k == trial.expected) for k in range(n)]
    else:
        seen = [quality[trial.item][c] + draw.gauss(0, habits.noise) + habits.left * (k == 0)
                for k, c in enumerate(trial.order)]  # fmt: skip
    best = max(seen)
    if settings.task == "choose":
        close = settings.ties and sum(best - s < habits.tie for s in seen) > 1
        return [1 if close or s == best else 2 for s in seen]
    places, place = [0] * n, 0
    before = None
    for k in sorted(range(n), key=lambda k: -seen[k]):
        if before is None or not settings.ties or before - seen[k] >= habits.tie:
            place += 1
        before, places[k] = seen[k], place
    return places


def write_answers(answers: Mapping[str, Mapping[str, Any]], folder: str | Path) -> list[Path]:
    """Write such answers as the page would: a file a rater, ``answers-RATER.json``."""
    place, written = Path(folder), []
    place.mkdir(parents=True, exist_ok=True)
    for rater, row in answers.items():
        written.append(place / f"answers-{rater}.json")
        written[-1].write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    return written
