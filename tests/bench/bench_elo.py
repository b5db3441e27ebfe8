"""How long the bootstrapped Elo of CapArena takes: ``python tests/bench/bench_elo.py``. Nothing is asserted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from posh_lite.evaluation.elo import bootstrap_elo, bradley_terry, make_battles

BATTLES, MODELS, IMAGES, ROUNDS = 5599, 14, 3361, 1000  # CapArena without captions of people


def main() -> None:
    """Time both kinds of draws and the fit on random battles."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, MODELS, BATTLES)
    second = (first + rng.integers(1, MODELS, BATTLES)) % MODELS
    outcome = rng.choice([0.0, 0.5, 1.0], BATTLES)
    rows = [(f"m{a:02}", f"m{b:02}", float(o)) for a, b, o in zip(first, second, outcome, strict=True)]
    battles = make_battles(rows, [int(i) for i in rng.integers(0, IMAGES, BATTLES)])
    bradley_terry(battles)  # imports what it needs
    timed: dict[str, Callable[[], Any]] = {
        "draws of battles": lambda: bootstrap_elo(battles, rounds=ROUNDS),
        "draws of images": lambda: bootstrap_elo(battles, rounds=ROUNDS, by="units"),
        "Bradley-Terry": lambda: bradley_terry(battles),
    }
    print(f"{BATTLES:,} battles of {MODELS} models, {ROUNDS:,} rounds")
    for name, work in timed.items():
        start, cpu = time.perf_counter(), time.process_time()
        work()
        taken, cpu = time.perf_counter() - start, time.process_time() - cpu
        print(f"{name:<18}{taken:7.2f} s ({cpu:.2f} s of CPU)")


if __name__ == "__main__":
    main()
