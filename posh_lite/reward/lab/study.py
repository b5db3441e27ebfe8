"""The study: every variant of the reward in the same environment over the same seeds, and the chief ones in others.

One seed fixes the works of training and of measurement, what is surely seen, and the random numbers: all arms of a
seed share them, so that differences between arms are paired.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from random import Random
from typing import Any

from posh_lite.reward.lab.base import fit_base
from posh_lite.reward.lab.measure import captions_of, measure
from posh_lite.reward.lab.nature import Nature, Stock
from posh_lite.reward.lab.policy import Policy
from posh_lite.reward.lab.train import Learning, Step, train
from posh_lite.reward.lab.world import Grain, Verified, Witness, make_world
from posh_lite.reward.settings import PagerSettings, variant

#: Works that a seed measures on; it trains on the others.
HELD_OUT = 4
#: Share of the candidates that the paper's filter removes after its screen of images (appendix J.8: 297,839 of
#: 494,596 are kept).
UNFILTERED = 1 - 297_839 / 494_596


@dataclass(frozen=True, slots=True)
class Arm:
    """One reward under study."""

    name: str
    settings: PagerSettings
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """One set of assumptions."""

    name: str
    nature: Nature = field(default_factory=Nature)
    learning: Learning = field(default_factory=Learning)
    grain: Grain = "facts"
    witness: Witness = "planted"


def arms() -> dict[str, Arm]:
    """All rewards of the study: Table 5 by the paper's letter, the same behind the guard, and a few of our own."""
    table5 = ("full", "no-mid", "no-tail", "no-len", "holistic", "monotone", "coverage-only")
    made = [Arm(name, variant(name, guard="none")) for name in table5]
    made += [Arm(f"{name}, guarded", variant(name, guard="full")) for name in table5]
    bare = variant("full", guard="none")
    made += [
        Arm("no-filter", bare, noise=UNFILTERED),
        Arm("monotone on evidence", variant("monotone", guard="none", monotone_on="evidence")),
        Arm("residual tail", replace(bare, tail="residual")),
        Arm("tight budget", replace(bare, base_length=100.0, claim_length=3.0)),
        Arm("tight budget, tenfold weight", replace(bare, base_length=100.0, claim_length=3.0, lambda_len=0.5)),
        Arm("coverage-only, tight, tenfold", variant("coverage-only", guard="none", base_length=100.0, claim_length=3.0,
                                                     lambda_len=0.5)),
    ]
    return {a.name: a for a in made}


#: Arms that are looked at under other assumptions too.
CHIEF = ("full", "no-mid", "no-tail", "holistic", "monotone", "coverage-only", "full, guarded", "no-mid, guarded",
         "no-tail, guarded", "holistic, guarded", "monotone, guarded")


def scenes() -> dict[str, Scene]:
    """The environment of the study and those that differ from it in one assumption."""
    made = [
        Scene("default"),
        Scene("all claims", grain="all"),
        Scene("few claims", grain="sparse"),
        Scene("verifier as it is", witness="lens"),
        Scene("verifier overlooks 30 %", nature=Nature(miss=0.3)),
        Scene("supply 5", nature=Nature(supply=5)),
        Scene("supply 20", nature=Nature(supply=20)),
        Scene("reaches better", nature=Nature(right=0.55, fall=0.15)),
        Scene("reaches do not fade", nature=Nature(right=0.28, fall=0.0)),
        Scene("reaches never right", nature=Nature(supply=6, right=0.0, fall=0.0)),
        Scene("without spread", learning=Learning(advantage="mean", pooling="choices", clip_high=0.28, kl=0.0)),
    ]
    return {s.name: s for s in made}


@dataclass(frozen=True, slots=True)
class Job:
    """All arms of one seed in one scene."""

    scene: Scene
    arms: tuple[Arm, ...]
    seed: int
    base: Policy
    each: int
    stages: tuple[int, ...]


def split(n: int, seed: int) -> tuple[list[int], list[int]]:
    """Numbers of the works of training and of measurement."""
    order = list(range(n))
    Random(f"split {seed}").shuffle(order)
    held = min(HELD_OUT, n - 1)
    return sorted(order[held:]), sorted(order[:held])


def run_job(job: Job, stocks: Sequence[Stock]) -> list[dict[str, Any]]:
    """Train and measure; a row an arm and one for the policy before training."""
    learn, held = split(len(stocks), job.seed)
    own, apart = [stocks[i] for i in learn], [stocks[i] for i in held]
    nature = job.scene.nature

    def measured(policy: Policy, settings: PagerSettings, each: int = job.each) -> dict[str, float]:
        captions = captions_of(policy, apart, nature, each=each, seed=job.seed)
        return measure(captions, settings, blur=nature.blur, seed=job.seed)

    rows: list[dict[str, Any]] = [{"arm": "base", "seed": job.seed, "values": measured(job.base, job.arms[0].settings)}]
    for arm in job.arms:
        made = train(job.base, own, arm.settings, nature=nature, learning=job.scene.learning, seed=job.seed,
                     noise=arm.noise, stages=job.stages)
        few = max(4, job.each // 3)
        course = [{"step": step, **_chief(measured(policy, arm.settings, few))} for step, policy in made.stages]
        rows.append({
            "arm": arm.name, "seed": job.seed, "values": measured(made.policy, arm.settings),
            "course": course, "steps": tenths(made.steps) if job.stages else [],
        })
    return rows


def tenths(steps: Sequence[Step]) -> list[dict[str, float]]:
    """Means over each tenth of a training, named by its first step."""
    parts = [steps[len(steps) * k // 10 : len(steps) * (k + 1) // 10] for k in range(10)]
    return [{"step": part[0].step, **{f.name: sum(getattr(s, f.name) for s in part) / len(part)
                                      for f in fields(Step) if f.name != "step"}} for part in parts if part]


def _chief(values: dict[str, float]) -> dict[str, float]:
    return {k: values[k] for k in ("d_mid", "s_q4", "h_q4", "g_q4", "wrong_q4", "sentences", "own", "full")}


_STOCKS: dict[tuple[str, str], list[Stock]] = {}


def _prepare(verified: tuple[Verified, ...], wanted: frozenset[tuple[Grain, Witness]]) -> None:
    """Make the pools of a process once."""
    for grain, witness in sorted(wanted):
        world = make_world(verified, grain=grain, witness=witness)
        _STOCKS[grain, witness] = [Stock(p) for p in world.pools]


def _work(job: Job) -> tuple[str, list[dict[str, Any]]]:
    return job.scene.name, run_job(job, _STOCKS[job.scene.grain, job.scene.witness])


def run_study(
    verified: Sequence[Verified], *, seeds: int = 8, workers: int = 2, each: int = 60,
    learning: Learning | None = None, scene_names: Sequence[str] | None = None,
    arm_names: Sequence[str] | None = None, progress: bool = True,
) -> dict[str, Any]:
    """Run the study.

    Args:
        verified: of :func:`~posh_lite.reward.lab.world.verify_corpus`.
        seeds: of every scene.
        workers: processes; 1 runs in this one. The figures do not depend on it.
        each: captions of each held-out work in a measurement.
        learning: in place of that of the default scene (and of the others, but for what sets them apart).
        scene_names: default: all.
        arm_names: of the default scene; default: all. The others have :data:`CHIEF`.
        progress: show a bar.

    Returns:
        JSON-ready: "scenes" by name with settings, "base" (its distance from the paper's base is in its values) and
        "rows"; "arms" with the signature of each reward; "minutes" of processor time and of the clock.
    """
    from tqdm import tqdm

    began, busy = time.time(), time.process_time()
    known, chosen = scenes(), arms()
    picked = {n: known[n] for n in (scene_names if scene_names is not None else known)}
    if learning is not None:
        apart = ("advantage", "pooling", "clip_high", "kl")
        picked = {n: replace(s, learning=replace(learning, **{k: getattr(s.learning, k) for k in apart}))
                  if n == "without spread" else replace(s, learning=learning) for n, s in picked.items()}
    every = [chosen[n] for n in (arm_names if arm_names is not None else chosen)]
    wanted = frozenset((s.grain, s.witness) for s in picked.values())
    _prepare(tuple(verified), wanted)
    jobs, found = [], {}
    for name, scene in picked.items():
        base = fit_base(_STOCKS[scene.grain, scene.witness], scene.nature, each=20)
        steps = scene.learning.steps
        own = every if name == "default" else [chosen[n] for n in CHIEF]
        stages = tuple(sorted({steps * k // 6 for k in range(6)})) if name == "default" else ()
        jobs += [Job(scene, tuple(own), seed, base, each, stages) for seed in range(seeds)]
        found[name] = {
            "nature": asdict(scene.nature), "learning": asdict(scene.learning), "grain": scene.grain,
            "witness": scene.witness, "base": base.flat().tolist(), "rows": [],
        }
    spent = 0.0
    for name, rows in tqdm(_results(jobs, tuple(verified), wanted, workers), total=len(jobs), disable=not progress):
        found[name]["rows"] += rows["rows"]
        spent += rows["busy"]
    for scene_rows in found.values():
        scene_rows["rows"].sort(key=lambda r: r["seed"])  # whichever process was first; arms keep their order
    return {
        "signature": verified[0].signature, "scenes": found,
        "arms": {a.name: {"settings": a.settings.signature, "noise": a.noise} for a in every},
        "held_out": HELD_OUT, "captions_each": each, "workers": workers,
        "minutes": {"clock": (time.time() - began) / 60, "processor": (spent + time.process_time() - busy) / 60},
    }


def _results(
    jobs: Sequence[Job], verified: tuple[Verified, ...], wanted: frozenset[tuple[Grain, Witness]], workers: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    if workers == 1:
        for job in jobs:  # the time of this process is counted by the caller
            name, rows = _work(job)
            yield name, {"rows": rows, "busy": 0.0}
        return
    with ProcessPoolExecutor(workers, initializer=_prepare, initargs=(verified, wanted)) as pool:
        for name, rows, busy in pool.map(_timed, jobs):
            yield name, {"rows": rows, "busy": busy}


def _timed(job: Job) -> tuple[str, list[dict[str, Any]], float]:
    began = time.process_time()
    name, rows = _work(job)
    return name, rows, time.process_time() - began
