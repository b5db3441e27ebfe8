"""Replies are kept, so that a run that was stopped asks only what is missing.

They stand in a verdict log (:class:`~posh_lite.judge.log.VerdictLog`), under the hash of engine and model, message,
picture and sampling, and sealed with the message that they answer: a reply may quote the texts, and only who has these
can read it. What a full disk, two processes and exports need is the log's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.judge.keys import digest, seal, unseal
from posh_lite.judge.log import VerdictLog


class ReplyLog:
    """Replies of models in a file.

    Args:
        path: the file; made if it is not there. It may hold verdicts too.
        engine: name and identity of what replies, as in its signature.

    Raises:
        LogError: the file is no such log, is damaged, or cannot be opened.
    """

    def __init__(self, path: str | Path, engine: str) -> None:
        self.log, self.engine = VerdictLog(path), engine

    def key(self, ask: Ask, sampling: Sampling) -> bytes:
        """What a reply is kept under."""
        picture = "" if ask.picture is None else ask.picture.digest
        return digest("reply", self.engine, ask.text, picture, sampling.signature, str(ask.trial))

    def get(self, asks: Sequence[Ask], sampling: Sampling) -> dict[int, ChatReply]:
        """The replies that the log holds, by the number of the question."""
        keys = [self.key(ask, sampling) for ask in asks]
        sealed = self.log.get_rewrites(keys)
        found: dict[int, ChatReply] = {}
        for number, (key, ask) in enumerate(zip(keys, asks, strict=True)):
            reply = _opened(sealed.get(key), ask.text)
            if reply is not None:
                found[number] = reply
        return found

    def put(self, ask: Ask, sampling: Sampling, reply: ChatReply) -> None:
        """Keep a reply; one that is there already stays."""
        kept = {name: value for name, value in asdict(reply).items() if value and name not in ("fault", "samples")}
        written = json.dumps(kept, ensure_ascii=True, separators=(",", ":"))
        self.log.put_rewrites(self.engine, [(self.key(ask, sampling), seal(written, ask.text))])

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.log.close()


def _opened(sealed: bytes | None, text: str) -> ChatReply | None:
    try:
        found = json.loads(unseal(sealed, text) or "")
        positions = tuple((token, tuple((t, p) for t, p in given)) for token, given in found.pop("positions", ()))
        candidates = tuple((t, p) for t, p in found.pop("candidates", ()))
        return ChatReply(positions=positions, candidates=candidates, **found)
    except (ValueError, TypeError, AttributeError):
        return None  # damaged: it is asked again
