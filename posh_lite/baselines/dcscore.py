"""The row DCScore: a model splits, matches and checks, and what it found can be opened unit by unit.

Ye et al. (2025), "Painting with Words": a description is split into primitive information units, these are matched
with the units of the reference, and each is checked against the picture with GPT-4o. Their benchmark has units of
references that people wrote; other data has none, so the model splits the reference too (the PoSh paper, section
"Results", has GPT-4o extract and verify). Their program draws three matchings (temperature 1) and three checks (0.3)
and averages over all nine: ``trials=3`` does, and by default each is asked once at temperature 0. The sums are in
:mod:`.dcscore_units`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.baselines.asked_core import Asker, Said, frame_of, needs_of, pairs_of, pictures_of, signature_of
from posh_lite.baselines.asked_prompts import load_asked
from posh_lite.baselines.chat_engines import make_engine
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.baselines.dcscore_units import (
    Unit,
    dcscore,
    numbered,
    read_matches,
    read_truths,
    read_units,
    with_answers,
)
from posh_lite.baselines.images import MOST_BYTES
from posh_lite.errors import InputError
from posh_lite.judge.check import check_whole
from posh_lite.judge.llm.usage import Usage
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

#: GPT-4o as the PoSh paper's footnote names it.
MODEL = "gpt-4o-2024-08-06"
#: Units of a pair that must have both their answers, as a share; with fewer the pair is missing.
_ENOUGH = 0.5
_WANTED = {
    "ask.decompose": frozenset({"generation"}), "ask.match": frozenset({"units", "standard"}),
    "ask.verify": frozenset({"units", "reference"}), "ask.verify_text": frozenset({"units", "reference"}),
}


@dataclass(frozen=True, slots=True)
class Opened:
    """What DCScore found in a pair.

    Attributes:
        id: of the pair.
        units: of the generation, matched and checked; the answers are those of the first trial.
        standard: units of the reference; ``match`` and ``holds`` are None there.
        precision, recall, score: from 0 to 1, means over the trials; NaN where the pair is missing.
        n_missing: units without both answers, summed over the trials.
        fault: why the pair is missing; empty where it is not.
    """

    id: str
    units: tuple[Unit, ...] = ()
    standard: tuple[Unit, ...] = ()
    precision: float = math.nan
    recall: float = math.nan
    score: float = math.nan
    n_missing: int = 0
    fault: str = ""


class DCScore:
    """Precision, recall and DCScore from 0 to 1 under the names mistakes, omissions and overall.

    Args:
        model: behind a server its name there; with ``against="reference"`` also ``gguf:FILE`` and the like.
        against: what units are checked by: "image" (and the reference beside it), as published, or "reference" alone,
            for pairs without pictures; that is another metric, and its name says so.
        trials: matchings and checks of each pair, at least 1; with more than one they are drawn.
        prompts, images, remote, most_bytes, log, progress, engine: as :class:`~posh_lite.baselines.asked.Asked`.
        most_tokens: of a reply; long descriptions have a hundred units.

    Attributes:
        name, needs, signature: as :class:`~posh_lite.metric.protocol.Metric`.
        n_missing: pairs without a score in the last call.

    Raises:
        InputError, JudgeError: a setting is out of range, a file is missing, or the engine cannot be made.
    """

    def __init__(
        self, model: str = MODEL, *, against: Literal["image", "reference"] = "image", trials: int = 1,
        prompts: str | Path | None = None, images: str | Path | None = None, remote: bool = False,
        most_bytes: int = MOST_BYTES, log: str | Path | None = None, most_tokens: int = 8192,
        progress: bool | None = None, **engine: Any,
    ) -> None:
        if against not in ("image", "reference"):
            raise InputError(f'against must be "image" or "reference", got {against!r}')
        for name, value in (("trials", trials), ("most_tokens", most_tokens), ("most_bytes", most_bytes)):
            check_whole(name, value)
        self.against, self.trials, self.most_tokens = against, trials, most_tokens
        self.prompts = load_asked("dcscore.toml", _WANTED, prompts, scaled=False)
        sees = against == "image"
        self._pictures = pictures_of(images, remote=remote, most_bytes=most_bytes) if sees else None
        self.asker = Asker(make_engine(model, sees=sees, **engine), log=log, label="dcscore", progress=progress)
        self.name = ("dcscore" if sees else "dcscore-text") + ("" if model == MODEL else f":{self.asker.engine.model}")
        self.needs = needs_of("both" if sees else "reference", model, hosted=model == MODEL)
        self.n_missing = 0

    @property
    def signature(self) -> str:
        """Everything that a figure depends on."""
        return signature_of(
            "dcscore", self.asker, against=self.against, trials=str(self.trials), prompts=self.prompts.digest[:12],
            sampling=f"most-tokens:{self.most_tokens}",
        )

    @property
    def usage(self) -> Usage:
        """Messages, tokens and seconds of what was asked."""
        return self.asker.usage

    def score(self, pairs: Iterable[Pair], /) -> pd.DataFrame:
        """Precision, recall and DCScore, one row a pair; NaN where a stage gave nothing that can be read.

        Raises:
            InputError: an image is missing, damaged or too large; the message names the pair.
            JudgeError: the model cannot be asked.
        """
        told = []
        for o in self.open(pairs):
            figures = {"mistakes": o.precision, "omissions": o.recall, "overall": o.score}
            told.append(Said(o.id, {k: None if math.isnan(v) else v for k, v in figures.items()}, (), o.fault))
        return frame_of(self.name, told)

    def units(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """Every unit of every pair with its answers.

        Returns:
            One row a unit: ``id``, ``side`` ("generation" or "reference"), ``number``, ``text``, ``visible``,
            ``match`` (number of the reference's unit, 0 for none), ``holds``; None where not known.

        Raises:
            InputError, JudgeError: as :meth:`score`.
        """
        import pandas as pd

        rows = [
            {"id": o.id, "side": side, "number": n, "text": u.text, "visible": u.visible, "match": u.match,
             "holds": u.holds}
            for o in self.open(pairs) for side, units in (("generation", o.units), ("reference", o.standard))
            for n, u in enumerate(units, start=1)
        ]
        columns = ["id", "side", "number", "text", "visible", "match", "holds"]
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def open(self, pairs: Iterable[Pair]) -> list[Opened]:
        """What was found in each pair, in order.

        Raises:
            InputError, JudgeError: as :meth:`score`.
        """
        found = pairs_of(pairs)
        # Pictures first: a missing one should not show after everything else has been paid for.
        pictures = [self._pictures.find(p) if self._pictures else None for p in found]
        own = self._split(found, "generation")
        standard = self._split(found, "reference")
        fit = [i for i in range(len(found)) if isinstance(own[i], list) and isinstance(standard[i], list)]
        matched: dict[int, list[ChatReply]] = self._each("match", 1.0, fit, {
            i: Ask(self._message("match", units=own[i], standard=standard[i]), pair_id=found[i].id) for i in fit
        })
        kind = "verify" if self._pictures else "verify_text"
        checked = self._each(kind, 0.3, fit, {
            i: Ask(self._message(kind, units=own[i], reference=found[i].reference), pair_id=found[i].id,
                   picture=pictures[i])
            for i in fit
        })
        opened = []
        for i, pair in enumerate(found):
            units, others = own[i], standard[i]
            if isinstance(units, str) or isinstance(others, str):
                opened.append(Opened(pair.id, fault=str(units if isinstance(units, str) else others)))
            else:
                opened.append(_opened(pair.id, units, others, matched[i], checked[i]))
        self.n_missing = sum(bool(o.fault) for o in opened)
        return opened

    # -- stages -----------------------------------------------------------------------------------------------

    def _split(self, pairs: Sequence[Pair], side: Literal["generation", "reference"]) -> list[list[Unit] | str]:
        """The units of one side of each pair, or why there are none. The same text is asked once."""
        asks = [
            Ask(self._message("decompose", generation=getattr(pair, side)), pair_id=pair.id) for pair in pairs
        ]
        replies = self.asker.ask(
            asks, Sampling(0.0, self.most_tokens), lambda r: bool(read_units(r.text, cut=r.cut))
        )
        found: list[list[Unit] | str] = []
        for reply in replies:
            units = read_units(reply.text, cut=reply.cut)
            why = f"the list of the {side}'s units was cut off: raise most_tokens" if reply.cut else (
                f"no units of the {side} in {reply.text[:60]!r}"
            )
            found.append(units or reply.fault or why)
        return found

    def _each(
        self, kind: str, temperature: float, fit: Sequence[int], asks: Mapping[int, Ask]
    ) -> dict[int, list[ChatReply]]:
        """All trials of one question for each pair that is fit for it."""
        sampling = Sampling(temperature if self.trials > 1 else 0.0, self.most_tokens)
        all_asks = [
            Ask(asks[i].text, pair_id=asks[i].pair_id, picture=asks[i].picture, trial=t)
            for i in fit for t in range(self.trials)
        ]
        read = read_matches_of if kind == "match" else read_truths_of
        replies = self.asker.ask(all_asks, sampling, lambda r: bool(read(r)))
        return {i: replies[n * self.trials:(n + 1) * self.trials] for n, i in enumerate(fit)}

    def _message(self, name: str, **values: Any) -> str:
        written = {k: numbered(v) if isinstance(v, list) else str(v) for k, v in values.items()}
        return self.prompts.message(f"ask.{name}", **written)


def read_matches_of(reply: ChatReply) -> dict[int, int]:
    """Any matches in a reply, to tell whether it can be read at all."""
    return read_matches(reply.text, 10**6, 10**6, cut=reply.cut)


def read_truths_of(reply: ChatReply) -> dict[int, bool]:
    """Any checks in a reply, to tell whether it can be read at all."""
    return read_truths(reply.text, 10**6, cut=reply.cut)


def _opened(
    pair_id: str, units: list[Unit], standard: list[Unit], matched: Sequence[ChatReply], checked: Sequence[ChatReply]
) -> Opened:
    matches = [read_matches(r.text, len(units), len(standard), cut=r.cut) for r in matched]
    truths = [read_truths(r.text, len(units), cut=r.cut) for r in checked]
    trials = [with_answers(units, m, t) for m in matches for t in truths]
    lost = sum(not unit.known for trial in trials for unit in trial)
    enough = [trial for trial in trials if sum(u.known for u in trial) >= _ENOUGH * len(units)]
    if not enough:
        failed = next((r.fault for r in (*matched, *checked) if r.fault), "")
        why = f"{lost / len(trials):.0f} of {len(units)} units were not matched or not checked in the replies"
        return Opened(pair_id, tuple(trials[0]), tuple(standard), n_missing=lost, fault=failed or why)
    found = [dcscore(trial, standard) for trial in enough]
    score = _mean([f[2] for f in found])
    return Opened(
        pair_id, tuple(trials[0]), tuple(standard), _mean([f[0].precision for f in found]),
        _mean([f[0].recall for f in found]), score, lost,
        "" if not math.isnan(score) else "none of its units describes what is to be seen",
    )


def _mean(values: Sequence[float]) -> float:
    kept = [v for v in values if not math.isnan(v)]
    return fmean(kept) if kept else math.nan
