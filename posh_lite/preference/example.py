"""The example of the book: three constructed captioners of the known-answer corpus, and raters that are simulated.

``python -m posh_lite.preference.example book/_static/preference-example.html`` writes its page anew.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from posh_lite.preference.page import page
from posh_lite.preference.simulate import Habits, simulate
from posh_lite.preference.study import PreferenceStudy, Settings, make_study

MODELS = ("faithful", "drifter", "embellisher")
RATERS = ("r1", "r2", "r3", "r4", "r5")
#: What was put into the simulated raters: quality of the models, and two raters with habits.
QUALITY = {"faithful": 1.0, "drifter": 0.3, "embellisher": 0.0}
HABITS = dict.fromkeys(RATERS, Habits(noise=0.3)) | {"r4": Habits(left=1.5), "r5": Habits(careless=0.6)}


def example_study(seed: int = 0) -> PreferenceStudy:
    """Three captions of each of the twelve works, ranked, with four repeats and two checks."""
    from posh_lite.benchmarks.mini import load_mini

    pairs = [p for p in load_mini().pairs if p.model in MODELS]
    settings = Settings(task="rank", at_once=3, repeats=4, attention=2, seed=seed)
    return make_study(pairs, RATERS, settings)


def example_answers(study: PreferenceStudy, seed: int = 0) -> dict[str, dict[str, Any]]:
    """Answers of the simulated raters, one file each."""
    return simulate(study, QUALITY, HABITS, seed=seed)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(example_study()), "utf-8", newline="\n")
