"""Putting many messages to a model: what is known is not asked, what comes is kept, and what it took is counted."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from posh_lite import __version__
from posh_lite.baselines.chat_engines import IMAGES, LOG
from posh_lite.baselines.chat_log import ReplyLog
from posh_lite.baselines.chat_types import Ask, ChatEngine, ChatReply, Sampling
from posh_lite.baselines.images import Pictures
from posh_lite.errors import JudgeError
from posh_lite.judge.llm.server_reply import shorten
from posh_lite.judge.llm.usage import Usage
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

#: Replies none of which can be read, after which a model is taken to be none that can answer.
_PATIENCE = 16
_COLUMNS = ("mistakes", "omissions", "overall")


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said of a pair, so that a figure can be opened.

    Attributes:
        id: of the pair.
        scores: by "mistakes", "omissions" and "overall"; higher is better, None is missing.
        raw: all that the model wrote, one text for each message.
        fault: why something is missing; empty where nothing is.
    """

    id: str
    scores: Mapping[str, float | None]
    raw: tuple[str, ...]
    fault: str = ""


class Asker:
    """An engine with a log before it.

    Args:
        engine: what replies.
        log: file that keeps replies; None takes the environment's ``POSH_LITE_REPLIES``, and without it keeps none.
        label: for the bar.
        progress: whether a bar is shown; None shows it on a terminal.

    Attributes:
        usage: prompts, tokens and seconds of what was asked here (:class:`~posh_lite.judge.llm.usage.Usage`).
        n_asked: messages that were put to the model; n_known: those that the log answered.
        n_failed: messages without a reply after all attempts, which another run asks again.
        served: names of the model in the replies, as the server gives them.
    """

    def __init__(
        self, engine: ChatEngine, *, log: str | Path | None = None, label: str = "", progress: bool | None = None
    ) -> None:
        self.engine, self.label, self.progress = engine, label, progress
        place = log or os.environ.get(LOG, "").strip()
        self.log = ReplyLog(place, f"{engine.name} {engine.identity}") if place else None
        self.usage = Usage()
        self.n_asked = self.n_known = self.n_failed = 0
        self.served: set[str] = set()
        self._unread: int | None = 0  # None once a reply could be read

    def ask(
        self, asks: Sequence[Ask], sampling: Sampling, readable: Callable[[ChatReply], bool]
    ) -> list[ChatReply]:
        """Replies in order; the same message is asked once.

        Raises:
            JudgeError: as the engine; or none of the first replies could be read.
            LogError: the log cannot be read or written.
        """
        first: dict[tuple[str, str, int], int] = {}
        places = [first.setdefault(_same(ask), i) for i, ask in enumerate(asks)]
        found: dict[int, ChatReply] = {}
        wanted = sorted(set(places))
        if self.log is not None:
            known = self.log.get([asks[i] for i in wanted], sampling)
            found = {wanted[i]: reply for i, reply in known.items()}
            self.n_known += len(found)
        left = [i for i in wanted if i not in found]
        if left:
            self._ask_rest(asks, left, sampling, readable, found)
        self.served |= {r.served for r in found.values() if r.served}
        return [found[i] for i in places]

    def _ask_rest(
        self, asks: Sequence[Ask], left: Sequence[int], sampling: Sampling, readable: Callable[[ChatReply], bool],
        found: dict[int, ChatReply],
    ) -> None:
        from tqdm import tqdm

        hidden = None if self.progress is None else not self.progress
        with tqdm(total=len(left), desc=self.label, unit="reply", disable=hidden) as bar:
            for at in range(0, len(left), self.engine.batch):
                part = left[at:at + self.engine.batch]
                batch = [asks[i] for i in part]

                def keep(number: int, reply: ChatReply, batch: list[Ask] = batch) -> None:
                    bar.update()
                    if self.log is not None:
                        self.log.put(batch[number], sampling, reply)

                start = time.perf_counter()
                replies = self.engine.reply(batch, sampling, keep)
                self.usage.add(replies, time.perf_counter() - start)
                self.n_asked += len(part)
                self.n_failed += sum(bool(r.fault) for r in replies)
                found.update(zip(part, replies, strict=True))
                if self.log is not None:  # another process may have been first, and its reply is the one that stays
                    found.update((part[i], reply) for i, reply in self.log.get(batch, sampling).items())
                self._probe([found[i] for i in part], readable)

    def _probe(self, replies: Iterable[ChatReply], readable: Callable[[ChatReply], bool]) -> None:
        """Find out early that a model does not answer as it must."""
        for reply in replies:
            if self._unread is None or reply.fault:
                continue
            self._unread = None if readable(reply) else self._unread + 1
            if self._unread == _PATIENCE:
                raise JudgeError(
                    f"{self.engine.model}: none of the first {_PATIENCE} replies can be read; it says"
                    f" {shorten(reply.text, 120)!r}" + (
                        " and was cut off: raise most_tokens, or switch thinking off" if reply.cut
                        else "; try another model, or other prompts"
                    )
                )


def _same(ask: Ask) -> tuple[str, str, int]:
    return ask.text, "" if ask.picture is None else ask.picture.digest, ask.trial


def pictures_of(images: str | Path | None, *, remote: bool, most_bytes: int) -> Pictures:
    """Where pictures are: the option, else the environment's ``POSH_LITE_IMAGES``, else the current folder."""
    folder = images or os.environ.get(IMAGES, "").strip()
    return Pictures(Path(folder).expanduser() if folder else None, remote, most_bytes)


def signature_of(row: str, asker: Asker, **parts: str) -> str:
    """The signature of a metric that asks a model: everything that its figures depend on."""
    model = f"{asker.engine.name} {asker.engine.identity}"
    named = [f"posh-lite:{__version__}", f"metric:{row}", f"model:{model}", *(f"{k}:{v}" for k, v in parts.items())]
    return "|".join(named)


def frame_of(name: str, told: Sequence[Said]) -> pd.DataFrame:
    """The frame of the metric protocol; what is missing is NaN, and a warning says how much of it there is and why."""
    import pandas as pd

    short = [t for t in told if t.fault]
    if short:
        warnings.warn(
            f'{name}: {len(short):,} of {len(told):,} pairs lack a score, such as "{short[0].id}": {short[0].fault}',
            stacklevel=3,
        )
    rows = [{"id": t.id, **{c: float("nan") if t.scores[c] is None else t.scores[c] for c in _COLUMNS}} for t in told]
    frame = pd.DataFrame(rows, columns=["id", *_COLUMNS])
    return frame.astype(dict.fromkeys(_COLUMNS, float))


def needs_of(setting: str, model: str, *, hosted: bool) -> frozenset[str]:
    """What a row cannot do without, of :data:`posh_lite.metric.protocol.NEEDS`."""
    from posh_lite.baselines.chat_engines import split_model

    needs = {"image"} if setting == "image" else {"reference"} if setting == "reference" else {"image", "reference"}
    if split_model(model)[0] != "openai":
        return frozenset(needs | {"model"})
    return frozenset(needs | ({"key", "network"} if hosted else {"server"}))


def pairs_of(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs as a list, each of them a pair.

    Raises:
        TypeError: something else was given.
    """
    found = list(pairs)
    for pair in found:
        if not isinstance(pair, Pair):
            raise TypeError(f"expected pairs, got {type(pair).__name__}")
    return found
