"""Make or renew the record of the laboratory, scene by scene, so that a stopped run goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import sha256
from posh_lite.errors import InputError
from posh_lite.reward.lab.check import check
from posh_lite.reward.lab.pattern import hold
from posh_lite.reward.lab.store import SENTENCES, STUDY, read_study, read_verified, write_study, write_verified
from posh_lite.reward.lab.study import CHIEF, HELD_OUT, arms, run_study, scenes
from posh_lite.reward.lab.train import Learning
from posh_lite.reward.lab.view import counts
from posh_lite.reward.lab.world import Verified, current_signature, verify_corpus

CHECK = "check.json"


def sentences(place: Path, *, renew: bool = False) -> tuple[Verified, ...]:
    """The verified sentences of a record; verified anew where there are none, or another verifier made them."""
    path = place / SENTENCES
    if path.exists() and not renew:
        known = read_verified(path)
        if known and known[0].signature == current_signature():
            return known
    made = verify_corpus()
    write_verified(made, path)
    return made


def record(
    place: Path, names: Sequence[str], *, seeds: int = 8, other_seeds: int = 8, steps: int | None = None,
    each: int = 60, workers: int = 2, renew: bool = False, progress: bool = True,
) -> str:
    """Write ``sentences.json``, ``study.json``, ``check.json`` and ``lab.md``.

    Args:
        place: the folder.
        names: of scenes.
        seeds: of the default scene.
        other_seeds: of the others.
        steps: of every training; default: that of the scene.
        each: captions of each held-out work in a measurement.
        workers: processes.
        renew: verify and train anew what is there.
        progress: show bars.

    Returns:
        What ``lab.md`` says.
    """
    verified = sentences(place, renew=renew)
    digest = sha256(place / SENTENCES)[:16]
    study = _known(place / STUDY, digest, each) if not renew else None
    study = study or {"signature": verified[0].signature, "sentences": digest, "held_out": HELD_OUT,
                      "captions_each": each, "arms": {}, "scenes": {}}
    for name in names:
        learning = None if steps is None else Learning(steps=steps)
        n = seeds if name == "default" else other_seeds
        if _same(study["scenes"].get(name), name, learning, n):
            continue
        made = run_study(verified, seeds=n, scene_names=[name], workers=workers, each=each, learning=learning,
                         progress=progress)
        study["scenes"][name] = {**made["scenes"][name], "seeds": n, "minutes": made["minutes"], "workers": workers}
        if name == "default":
            study["arms"] = made["arms"]
        write_study(study, place / STUDY)
    if renew or not (place / CHECK).exists() or json.loads((place / CHECK).read_text("utf-8"))["record"] != digest:
        checked = {"record": digest, **check(verified)}
        (place / CHECK).write_text(json.dumps(checked, indent=1) + "\n", "utf-8")
    text = markdown(read_study(place / STUDY))
    (place / "lab.md").write_text(text, "utf-8")
    return text


def _known(path: Path, digest: str, each: int) -> dict[str, Any] | None:
    """A study of the same sentences, measured alike; None where there is none."""
    if not path.exists():
        return None
    try:
        study = read_study(path)
    except InputError:
        return None
    return study if study.get("sentences") == digest and study.get("captions_each") == each else None


def _same(known: dict[str, Any] | None, name: str, learning: Learning | None, seeds: int) -> bool:
    """Whether a scene was run with the settings and rewards that it would have now."""
    if known is None or known["seeds"] < seeds:
        return False
    scene = scenes()[name]
    steps = scene.learning.steps if learning is None else learning.steps
    present = {r["arm"] for r in known["rows"]} - {"base"}
    wanted = set(arms() if name == "default" else CHIEF)
    return bool(known["nature"] == asdict(scene.nature)
                and known["learning"] == {**asdict(scene.learning), "steps": steps} and present == wanted)


def said(value: float, low: float, high: float) -> str:
    """A difference with its interval."""
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"


def markdown(study: dict[str, Any]) -> str:
    """The pattern of Table 5 against the default scene, or against the first that there is."""
    name = "default" if "default" in study["scenes"] else next(iter(study["scenes"]))
    scene = study["scenes"][name]
    lines = [
        "# The laboratory: Table 5 as claims with a direction", "",
        f"A simulation; scene: {name}; {scene['seeds']} seeds; 95 % t intervals of paired differences.",
        f"Sentences verified by: {study['signature']}.",
    ]
    for title, suffix in (("By the paper's letter", ""), ("With the guard in all variants", ", guarded")):
        held = hold(scene, suffix=suffix)
        lines += ["", f"## {title}", "", "| claim of the paper | paper | laboratory | verdict |", "|---|---:|---:|---|"]
        lines += [f"| {h.statement.words} | {h.paper:+.3f} | {said(h.lab.value, h.lab.low, h.lab.high)} | {h.verdict} |"
                  for h in held]
        lines += ["", ", ".join(f"{k}: {v}" for k, v in counts(held).items()) + "."]
    return "\n".join(lines) + "\n"
