"""Replay: the figures of a run from its verdict log alone, without any model. And logs to hand on, without texts."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from posh_lite.errors import InputError, LogError, ReplayMiss
from posh_lite.judge.check import checked, is_number
from posh_lite.judge.contract import Question, Verdict
from posh_lite.judge.keys import digest, unseal
from posh_lite.judge.lists import keys_of
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.rewrite import Rewrite

_Judges = dict[str, tuple[float, bool]]


class ReplayJudge:
    """Answers only from a verdict log.

    Args:
        log: path of a verdict log (SQLite), or of an export (``.jsonl`` or ``.jsonl.gz``).
        judge: signature of the judge to be replayed; needed where the log holds several.

    Raises:
        LogError: there is no such log, it holds no judge, or several and none was named.
    """

    def __init__(self, log: str | Path | VerdictLog, *, judge: str | None = None) -> None:
        self._verdicts: dict[bytes, Verdict] = {}
        self._phrases: dict[bytes, bytes | None] = {}
        if not isinstance(log, VerdictLog) and str(log).endswith((".jsonl", ".jsonl.gz")):
            self._name = str(log)
            judges, verdicts, phrases = read_export(Path(log))
            self._log: VerdictLog | None = None
        else:
            self._log = log if isinstance(log, VerdictLog) else VerdictLog(log, readonly=True)
            self._name = str(self._log.path)
            judges, verdicts, phrases = self._log.judges(), {}, {}
        if judge is None:
            if not judges:
                raise LogError(f"{self._name}: the log holds no verdicts")
            if len(judges) > 1:
                listed = ", ".join(f'"{name}"' for name in judges)
                raise LogError(
                    f'{self._name}: the log holds several judges, name one as judge "replay:SIGNATURE": {listed}'
                )
            judge = next(iter(judges))
        if judge not in judges:
            raise LogError(f'{self._name}: the log holds nothing of the judge "{judge}"')
        self._signature = judge
        self._threshold, self.structural = judges[judge]
        scale = re.search(r"(?:^| )scale:(\S+)", judge)
        self.scale = scale[1] if scale else "1-5"  # the prompts, and so the keys, differ by scale
        self._verdicts = {k: v for (j, k), v in verdicts.items() if j == judge}
        self._phrases = {k: p for (j, k), p in phrases.items() if j == judge}
        kept = self._phrases if self._log is None else [1 for _, j, _ in self._log.rewrite_rows() if j == judge]
        self.rewrites = bool(kept)

    @property
    def signature(self) -> str:
        """That of the judge whose verdicts are replayed: the figures are its figures."""
        return self._signature

    @property
    def presence_threshold(self) -> float:
        return self._threshold

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """The logged verdicts.

        Raises:
            ReplayMiss: the log does not hold one of the questions.
        """
        keys = keys_of(questions, self._signature, self.structural)
        found = self._verdicts if self._log is None else self._log.get(keys)
        for key, question in zip(keys, questions, strict=True):
            if key not in found:
                missing = sum(k not in found for k in dict.fromkeys(keys))
                raise ReplayMiss(
                    f'{self._name}: no verdict on pair "{question.pair_id}", {question.side}: {question.text}'
                    f" ({missing} of {len(set(keys))} questions of this batch are not in the log; texts, parser,"
                    " coreference, prompts or threshold differ from the run that was logged)"
                )
        return [found[k] for k in keys]

    def rewrite(self, requests: Sequence[Rewrite]) -> list[str | None]:
        """The logged phrases; None where the judge gave no usable one or the log has none."""
        keys = [digest("rewrite", self._signature, r.prompt) for r in requests]
        found = self._phrases if self._log is None else self._log.get_rewrites(keys)
        return [unseal(found.get(k), r.prompt) for k, r in zip(keys, requests, strict=True)]


def export_log(log: str | Path, path: str | Path) -> int:
    """Write a log as JSON Lines (gzipped for ``.gz``): hashes and verdicts, none of the texts.

    What a judge said around its verdict is left out; rewritten identifiers stay sealed.

    Returns:
        How many verdicts were written.

    Raises:
        LogError: there is no such log.
    """
    lines: list[dict[str, Any]] = []
    count = 0
    with VerdictLog(log, readonly=True) as source:
        numbers: dict[str, int] = {}
        for signature, (threshold, structural) in source.judges().items():
            numbers[signature] = len(numbers)
            lines.append({"judge": signature, "threshold": threshold, "structural": structural})
        for key, judge, verdict in source.rows():
            if judge not in numbers:
                raise LogError(f'{log}: it holds verdicts of "{judge}" and does not know this judge; it is damaged')
            row: dict[str, Any] = {"k": key.hex(), "j": numbers[judge], "s": verdict.score}
            if verdict.probabilities is not None:
                row["p"] = list(verdict.probabilities)
            if verdict.mass is not None:
                row["m"] = verdict.mass
            lines.append(row)
            count += 1
        for key, judge, phrase in source.rewrite_rows():
            lines.append({"k": key.hex(), "j": numbers[judge], "w": None if phrase is None else phrase.hex()})
    _save(Path(path), lines)
    return count


def read_export(path: Path) -> tuple[_Judges, dict[tuple[str, bytes], Verdict], dict[tuple[str, bytes], bytes | None]]:
    """Judges by signature, verdicts and sealed phrases by judge and key.

    Raises:
        InputError: there is no such file, or it is no export.
    """
    judges: _Judges = {}
    verdicts: dict[tuple[str, bytes], Verdict] = {}
    phrases: dict[tuple[str, bytes], bytes | None] = {}
    names: list[str] = []
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").split("\n")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"no exported verdict log: {error}", path=path) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if "judge" in row:
                names.append(row["judge"])
                if not _describes_judge(row):
                    raise ValueError
                judges[row["judge"]] = (float(row["threshold"]), row["structural"])
                continue
            if row["j"] < 0:
                raise ValueError
            key = (names[row["j"]], bytes.fromhex(row["k"]))
            if "w" in row:
                phrases[key] = None if row["w"] is None else bytes.fromhex(row["w"])
            else:
                spread = tuple(row["p"]) if "p" in row else None
                verdict = Verdict(row["s"], cast(Any, spread), row.get("m"))
                if checked(verdict).score != row["s"]:
                    raise ValueError
                verdicts[key] = verdict
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise InputError("not a line of an exported verdict log", path=path, line=number) from None
    return judges, verdicts, phrases


def _describes_judge(row: dict[str, Any]) -> bool:
    """Whether a line names a judge as an export does."""
    threshold, kind = row["threshold"], row["structural"]
    return isinstance(row["judge"], str) and is_number(threshold) and 1 <= threshold <= 5 and isinstance(kind, bool)


def _save(path: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in lines)
    data = text.encode("utf-8")
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)  # no time in it: the same log gives the same bytes
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)
