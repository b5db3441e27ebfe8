"""Scores of captions on disk, opened down to their components, so that a run that was stopped scores only the rest.

One JSON object a line, under the hash of both texts and the signature. Spans and questions hold words of the texts: the
file is as private as the captions.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import IO, Any

from posh_lite.errors import InputError
from posh_lite.metric.score import Component, Score
from posh_lite.records import Pair, read_jsonl

_FIELDS = tuple(Component.__dataclass_fields__)


def key_of(signature: str, pair: Pair) -> str:
    """What a score is kept under: the texts and what scored them, neither id nor model."""
    from posh_lite.judge.keys import digest

    return digest("score", signature, pair.generation, pair.reference).hex()[:32]


class ScoreStore:
    """A file of scores.

    Args:
        path: made when the first score is put into it.

    Raises:
        InputError: a line in the middle is damaged. A last line that a stop cut off is left out.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._rows: dict[str, dict[str, Any]] = {}
        self._handle: IO[str] | None = None
        self._cut = False
        if not self.path.exists():
            return
        broken: list[InputError] = []
        for line, row in read_jsonl(self.path, on_error=broken.append):
            if broken:
                raise broken[0]
            if not isinstance(row, dict) or not isinstance(row.get("key"), str) or "components" not in row:
                raise InputError("is no kept score; move the file away and run again", path=self.path, line=line)
            self._rows[row["key"]] = row
        if len(broken) > 1:
            raise broken[0]
        self._cut = bool(broken)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def put(self, key: str, score: Score) -> None:
        """Keep a score; it is on disk when this returns."""
        row = _row(key, score)
        self._rows[key] = row
        if self._handle is None:
            if self._cut:  # a line without an end would run into the next one
                raw = self.path.read_bytes()
                self.path.write_bytes(raw[: raw.rstrip(b"\n").rfind(b"\n") + 1])
            self._handle = self.path.open("a", encoding="utf-8", newline="\n")
        self._handle.write(_written(row))
        self._handle.flush()

    def get(self, key: str, pair: Pair, signature: str) -> Score:
        """A kept score for a pair.

        Raises:
            KeyError: it is not kept.
            InputError: it is damaged.
        """
        row = self._rows[key]
        try:
            components = tuple(_component(c) for c in row["components"])
            a, b, c = (math.nan if row[n] is None else float(row[n]) for n in ("mistakes", "omissions", "overall"))
            lengths = {"generation": len(pair.generation), "reference": len(pair.reference)}
            if any(not 0 <= i < j <= lengths[x.side] for x in components for i, j in x.spans):
                raise ValueError("a span lies outside its text")
            return Score(pair.id, a, b, c, components, pair.generation, pair.reference, signature,
                         tuple((str(n), str(why)) for n, why in row.get("reasons", ())), row["aggregation"],
                         row["n_asked"], row["n_unread"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a kept score is damaged ({error}); move the file away and run again",
                             path=self.path) from None

    def close(self) -> None:
        """Close the file; the next score opens it again."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
            self._cut = False

    def settle(self, scores: list[tuple[str, Score]]) -> None:
        """Write the file anew with these scores in this order, and nothing of earlier captions or settings."""
        self.close()
        part = self.path.with_name(self.path.name + ".part")
        with part.open("w", encoding="utf-8", newline="\n") as handle:
            for key, score in scores:
                handle.write(_written(_row(key, score)))
        part.replace(self.path)


def _row(key: str, score: Score) -> dict[str, Any]:
    return {
        **score.to_row(), "key": key, "aggregation": score.aggregation, "n_asked": score.n_asked,
        "n_unread": score.n_unread, **({"reasons": [list(r) for r in score.reasons]} if score.reasons else {}),
        "components": [c.to_dict() for c in score.components],
    }


def _written(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def _component(row: dict[str, Any]) -> Component:
    values = {name: row[name] for name in _FIELDS}
    values["spans"] = tuple((int(a), int(b)) for a, b in row["spans"])
    return Component(**values)
