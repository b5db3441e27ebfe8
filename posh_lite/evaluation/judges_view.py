"""Recorded runs of judges as a reader sees them: records read and checked, joined, and put into words and tables.

The runs take a model and hours; their records lie in ``data/results`` and are written by
:mod:`~posh_lite.evaluation.judges_report`, :mod:`~posh_lite.evaluation.variants`,
:mod:`~posh_lite.evaluation.token_count` and ``posh-lite calibrate``. Nothing here asks a model.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap, estimate_from_dict
from posh_lite.evaluation.correlation import partial_spearman_statistic, spearman_statistic
from posh_lite.judge.lists import listed

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Floats
    from posh_lite.evaluation.labelled import LabelledSet
    from posh_lite.judge.contract import Verdict
    from posh_lite.judge.llm.usage import Usage

FIGURES = ("mistakes", "omissions", "overall")
SIDES = ("generation", "reference")
#: llama.cpp's number of a file type and the name that people know it by.
_FILE_TYPES = {"1": "F16", "2": "Q4_0", "7": "Q8_0", "15": "Q4_K_M", "17": "Q5_K_M", "18": "Q6_K"}
_DATA = re.compile(r"mini(?:, (\d+) captions a work)?(?:, about ([\d,]+) questions)?(?:, seed (\d+))?")


# -- reading ------------------------------------------------------------------------------------------------


def read_record(path: str | Path, *keys: str) -> dict[str, Any] | None:
    """A record of a run, or None where it has not been made.

    Args:
        path: a JSON file.
        keys: that the record must have.

    Raises:
        InputError: it is there but is no such record.
    """
    try:
        row = json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"not a record of a run: {error}", path=path) from None
    lacking = [k for k in keys if not isinstance(row, dict) or k not in row]
    if lacking:
        raise InputError(f'not a record of this kind of run: "{lacking[0]}" is missing', path=path)
    return dict(row)


def estimate(row: Mapping[str, Any] | None) -> Estimate:
    """An estimate of a record; undefined where the record has none."""
    if row is None:
        return Estimate(math.nan, math.nan, math.nan, 0, 0, reason="not in the record")
    return estimate_from_dict(dict(row))


def model_name(signature: str) -> str:
    """The model in a signature as people write it: ``Qwen2.5 Coder 1.5B Instruct (Q4_K_M)``; else what stands there.

    >>> model_name("gguf Tiny_Chat_GGUF type:7 sha256:ab scale:1-5")
    'Tiny Chat (Q8_0)'
    """
    words = signature.split()
    at = words.index("gguf") if "gguf" in words else -1
    if at < 0 or at + 1 >= len(words):
        return signature.split("|")[0]
    title = re.sub(r"[_-]gguf$", "", words[at + 1], flags=re.IGNORECASE).replace("_", " ")
    kind = next((w.removeprefix("type:") for w in words if w.startswith("type:")), "")
    return f"{title} ({_FILE_TYPES[kind]})" if kind in _FILE_TYPES else title


def same_questions(data: str, sha256: str, scale: str) -> LabelledSet | None:
    """The labelled questions that a record is of, drawn from the known-answer corpus again; None if it is of others.

    Args:
        data: their name in the record.
        sha256: of the corpus.
        scale: of the judge.
    """
    found = _DATA.fullmatch(data)
    if found is None:
        return None
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.evaluation.labelled import labelled_questions
    from posh_lite.judge.prompts import load_prompts

    pairs, n, seed = (None if text is None else int(text.replace(",", "")) for text in found.groups())
    made = labelled_questions(
        load_mini(), n=n, pairs=pairs, seed=seed or 0, prompts=load_prompts().on(scale), structural=False
    )
    return made if made.sha256 == sha256 else None


def replayed(log: str | Path, judge: str, labelled: LabelledSet) -> list[Verdict] | None:
    """Verdicts on labelled questions from a log or an export; None where it does not hold them all."""
    from posh_lite.judge.replay import ReplayJudge

    if not Path(log).is_file():
        return None
    try:
        return ReplayJudge(log, judge=judge).ask([item.question for item in labelled.items])
    except PoshLiteError:
        return None


def logged(log: str | Path) -> list[Verdict]:
    """All verdicts of an exported log, in the order of their keys; empty where there is none."""
    from posh_lite.judge.replay import read_export

    return list(read_export(Path(log))[1].values()) if Path(log).is_file() else []


def auc_difference(
    first: Sequence[Verdict], second: Sequence[Verdict], labelled: LabelledSet, **settings: Any
) -> Estimate:
    """AUC of the first judge less that of the second on the same questions, with its interval over works.

    Args:
        first: verdicts of the one, in the order of the questions.
        second: of the other; questions that either left unanswered are dropped and counted.
        labelled: the questions.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    from posh_lite.evaluation.calibrate import auc_statistic

    rows = [
        (a.score, b.score, item.label, item.weight, item.work)
        for a, b, item in zip(first, second, labelled.items, strict=True)
        if a.score is not None and b.score is not None
    ]
    x, z, y, w = (np.array([row[k] for row in rows], dtype=np.float64) for k in range(4))
    ours, theirs = auc_statistic(x, y, w), auc_statistic(z, y, w)
    return bootstrap(
        lambda drawn: ours(drawn) - theirs(drawn), len(rows), units=[row[4] for row in rows],
        method="difference of AUC", n_dropped=len(labelled.items) - len(rows), reason="all labels are the same",
        **settings,
    )


# -- judges and people --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rater:
    """A judge or a yardstick: for each hypothesis the column that is held against people.

    Attributes:
        name: for tables.
        columns: measure ("mistakes", "omissions", "overall") -> column of the joined frame.
    """

    name: str
    columns: Mapping[str, str]


def joined(record: Mapping[str, Any], people: pd.DataFrame) -> pd.DataFrame:
    """Scores of every judge beside labels and yardsticks, one row a pair of the record.

    Args:
        record: content of ``judges.json``; columns are ``JUDGE/mistakes`` and so on.
        people: rows of the recorded run of another judge on the same data, with ``id``, labels and yardsticks.

    Raises:
        InputError: the record has no scores of single pairs, or a pair is not among the rows.
    """
    if "ids" not in record:
        raise InputError('the record has no "ids": make it again with python -m posh_lite.evaluation.judges_report')
    own = people.set_index("id")
    unknown = [i for i in record["ids"] if i not in own.index]
    if unknown:
        raise InputError(f'no judgment of people for pair "{unknown[0]}"')
    frame: pd.DataFrame = own.loc[record["ids"]].drop(columns=[f for f in FIGURES if f in own]).reset_index()
    for judge in record["judges"]:
        for figure in FIGURES:
            values = judge["scores"][figure]
            frame[f"{judge['name']}/{figure}"] = [math.nan if v is None else float(v) for v in values]
    return frame


def raters(record: Mapping[str, Any], yardsticks: Mapping[str, str]) -> list[Rater]:
    """The judges of a record, then yardsticks (column -> name), each of which serves every hypothesis."""
    found = [Rater(j["name"], {f: f"{j['name']}/{f}" for f in FIGURES}) for j in record["judges"]]
    return found + [Rater(name, dict.fromkeys(FIGURES, column)) for column, name in yardsticks.items()]


def difference(
    frame: pd.DataFrame, first: str, second: str, label: str, *, given: str | None = None, **settings: Any
) -> Estimate:
    """How much more strongly one column goes with people than another: a difference of Spearman's rho, paired.

    Args:
        frame: of :func:`joined`.
        first: column of the one.
        second: column of the other, whose figure is taken away.
        label: column of the judgment.
        given: a covariate that is partialled out of both.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    rows = frame[[c for c in (first, second, label, given) if c is not None]].dropna()
    x, z, y = (rows[c].to_numpy(dtype=float) for c in (first, second, label))
    if given is None:
        ours, theirs = spearman_statistic(x, y), spearman_statistic(z, y)
    else:
        other: list[Floats] = [rows[given].to_numpy(dtype=float)]
        ours, theirs = partial_spearman_statistic(x, y, other), partial_spearman_statistic(z, y, other)
    return bootstrap(
        lambda w: ours(w) - theirs(w), len(rows), units=frame.loc[rows.index, "id"].tolist(),
        method="difference of spearman", n_dropped=len(frame) - len(rows),
        reason="one of the two does not vary", **settings,
    )


def told(found: Estimate, more: str = "higher", less: str = "lower", *, zero: float = 0.0) -> str:
    """What an interval says: above ``zero``, below it, or neither."""
    if math.isnan(found.value):
        return "undefined"
    if math.isnan(found.low):
        return "no interval"
    return more if found.low > zero else less if found.high < zero else "not told apart"


def apart(first: Estimate, second: Estimate) -> str:
    """What two intervals of their own say of two figures: "higher", "lower", or that they overlap."""
    if any(math.isnan(v) for v in (first.low, first.high, second.low, second.high)):
        return "no interval"
    return "higher" if first.low > second.high else "lower" if first.high < second.low else "overlapping"


# -- tables -------------------------------------------------------------------------------------------------


def judge_rows(record: Mapping[str, Any]) -> pd.DataFrame:
    """Scores and work of each judge: one row a judge; mean and standard deviation over pairs, work a pair."""
    import pandas as pd

    rows = []
    for judge in record["judges"]:
        row: dict[str, Any] = {"judge": judge["name"], "threshold": float(judge["threshold"])}
        for figure in FIGURES:
            row[f"{figure}"], row[f"{figure} sd"] = (_known(judge[k][figure]) for k in ("mean", "sd"))
        rows.append(row | {k: _known(judge["work"].get(k)) for k in ("questions", "tokens", "computed", "seconds")})
    return pd.DataFrame(rows)


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def agreement_rows(agreement: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of an agreement of two judges, with estimates made whole."""
    measures = ("same", *agreement["measures"])
    return [
        {"side": r["side"], "kind": r["kind"], "n": int(r["n"]), "present_first": _known(r["present_first"]),
         "present_second": _known(r["present_second"]), **{m: estimate(r[m]) for m in measures}}
        for r in agreement["rows"]
    ]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One share of a cascade.

    Attributes:
        identifiers: "first" or "all".
        share: wanted.
        asked: questions of the second judge over those of its full run.
        times: how many times fewer; infinite where none were asked.
        pearson: with the full run, for each of :data:`FIGURES`.
        other_name, unknown: questions answered under another name, and not at all.
    """

    identifiers: str
    share: float
    asked: float
    times: float
    pearson: Mapping[str, Estimate]
    other_name: int
    unknown: int


def curve_points(record: Mapping[str, Any]) -> list[CurvePoint]:
    """The points of ``cascade.json``."""
    found = []
    for row in record["curve"]:
        times = row["times_fewer"]
        found.append(CurvePoint(
            row["identifiers"], float(row["share"]), float(row["questions"]) / float(row["full"]),
            math.inf if times is None else float(times), {f: estimate(row[f]["pearson"]) for f in FIGURES},
            int(row["other_name"]), int(row["unknown"]),
        ))
    return found


def cheap_enough(points: Sequence[CurvePoint], fewer: float) -> CurvePoint | None:
    """The point with the largest share that asks so many times fewer questions than the full run."""
    kept = [p for p in points if p.asked > 0 and p.times >= fewer]
    return max(kept, key=lambda p: p.share, default=None)


def usage_of(cost: Mapping[str, float], pairs: int) -> Usage:
    """The work of a way of asking (a row of ``tokens.json``) over so many pairs, an answer being one token."""
    from posh_lite.judge.llm.usage import Usage

    whole = {k: round(cost[k] * pairs) for k in ("prompts", "tokens", "computed")}
    cached = whole["tokens"] - whole["computed"]
    return Usage(prompts=whole["prompts"], tokens=whole["tokens"], cached=cached, generated=whole["prompts"])


def list_note(signatures: Iterable[str]) -> str:
    """What to say of recorded ways with several questions in a prompt whose lists were not those of one pair alone."""
    packed = [s.split("|")[0] for s in signatures if " pack:" in s]
    if all(listed(s) for s in packed):
        return ""
    return (
        "The lists of the record followed the batches of its log too. Those of today hold the questions of one pair"
        " alone, so that nothing else moves an answer; a run of today would differ a little, and its signature says so."
    )


#: Word in the name of a test's file, else of the test itself -> judges that it tests. A real model behind a server is
#: compared with the same model in process.
_TESTED: dict[str, tuple[str, ...]] = {
    "openai": ("openai",), "transformers": ("transformers",), "vllm": ("vllm",), "real_server": ("openai", "gguf"),
    "real_model": ("openai", "gguf"), "gguf": ("gguf",),
}


def tested(folder: str | Path) -> dict[str, dict[str, Counter[str]]]:
    """Recorded outcomes of the judges' tests: record -> judge -> outcome -> how many."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for path in sorted(Path(folder).glob("*.json")):
        record = read_record(path, "tests") or {}
        own: dict[str, Counter[str]] = {}
        for test in record["tests"]:
            words = (word for part in test["test"].split("::") for word in _TESTED if word in part)
            for judge in _TESTED.get(next(words, ""), ()):
                own.setdefault(judge, Counter())[test["outcome"]] += 1
        found[path.stem] = own
    return found
