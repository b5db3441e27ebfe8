"""What rows have in common that put one or more messages about each pair to a model and read marks from the replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from posh_lite.baselines.asked_core import Asker, Said, frame_of, pairs_of
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.judge.llm.usage import Usage
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd


class AskingRow(ABC):
    """Messages out, replies in, marks read.

    Attributes:
        name, needs: as :class:`~posh_lite.metric.protocol.Metric`.
        asker: the model with its log.
        sampling: of every reply.
        n_missing: pairs without one of their marks in the last call.
    """

    name: str
    needs: frozenset[str]
    asker: Asker
    sampling: Sampling
    n_missing: int

    @property
    def usage(self) -> Usage:
        """Messages, tokens and seconds of what was asked, not counting what the log knew."""
        return self.asker.usage

    def replies(self, pairs: Iterable[Pair]) -> list[Said]:
        """What the model said of each pair, in order.

        Raises:
            InputError: an image is missing, damaged or too large; the message names the pair.
            JudgeError: the model cannot be asked, or does not answer as it must.
        """
        found = pairs_of(pairs)
        asks = [self._asks(pair) for pair in found]  # pictures are read here, before anything is paid for
        replies = iter(self.asker.ask([ask for own in asks for ask in own], self.sampling, self._readable))
        told = [self._said(pair, list(islice(replies, len(own)))) for pair, own in zip(found, asks, strict=True)]
        self.n_missing = sum(bool(t.fault) for t in told)
        return told

    def score(self, pairs: Iterable[Pair], /) -> pd.DataFrame:
        """The marks, one row a pair; NaN where the reply does not say.

        Raises:
            InputError, JudgeError: as :meth:`replies`.
        """
        return frame_of(self.name, self.replies(pairs))

    @abstractmethod
    def _asks(self, pair: Pair) -> list[Ask]:
        """The messages about a pair."""

    @abstractmethod
    def _readable(self, reply: ChatReply) -> bool:
        """Whether a reply holds anything of what was asked for."""

    @abstractmethod
    def _said(self, pair: Pair, replies: Sequence[ChatReply]) -> Said:
        """The marks in the replies to the messages about a pair."""
