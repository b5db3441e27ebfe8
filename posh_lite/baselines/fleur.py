"""The row FLEUR: a vision-language model rates a caption from 0.0 to 1.0, and the rating is smoothed.

Lee et al. (2024), with LLaVA-1.5 13B: the model writes a decimal, and the score is the mean over its digits weighted by
their probabilities, so that captions with the same digits can still be told apart. From their published program: digit
*d* at the first decimal place counts ``0.1 d`` times its probability, at a second one ``0.01 d``; for "1.0" it is
``p(1) + 0.9 p(0)`` at the leading digit. The probabilities are not renormalized over the digits. Tokenizers that write
several digits as one token are read the same way, by what each candidate would write at that place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker, Said, needs_of, pictures_of, signature_of
from posh_lite.baselines.asked_prompts import load_asked
from posh_lite.baselines.asked_row import AskingRow
from posh_lite.baselines.chat_engines import make_engine
from posh_lite.baselines.chat_types import Ask, ChatReply, Position, Sampling
from posh_lite.baselines.images import MOST_BYTES
from posh_lite.errors import JudgeError
from posh_lite.judge.check import check_whole
from posh_lite.records import Pair

#: The paper's model, as the hub names its version for transformers and vLLM.
MODEL = "llava-hf/llava-1.5-13b-hf"
_NUMBER = re.compile(r"(?<![\d.,/])(?:0?\.\d+|[01](?:\.\d+)?)(?![\d%]|[.,/]\d)")
_BLANKS = str.maketrans({"\u2581": " ", "\u0120": " ", "\u010a": "\n"})


class Fleur(AskingRow):
    """Smoothed ratings from 0 to 1, higher is better, from the picture alone; the one figure stands three times.

    Args:
        model: behind a server its name there, or ``transformers:MODEL`` in this process.
        candidates: how many candidates of each token a server is asked for; most give at most 20, some 5. Digits that
            are not among them count as improbable.
        prompts, images, remote, most_bytes, log, progress, engine: as :class:`~posh_lite.baselines.asked.Asked`.
        most_tokens: of a reply, which is a number.

    Attributes:
        name, needs, signature: as :class:`~posh_lite.metric.protocol.Metric`.
        n_missing: pairs without a rating in the last call.

    Raises:
        InputError, JudgeError: a setting is out of range, a file is missing, or the engine cannot be made.
    """

    def __init__(
        self, model: str = MODEL, *, candidates: int = 20, prompts: str | Path | None = None,
        images: str | Path | None = None, remote: bool = False, most_bytes: int = MOST_BYTES,
        log: str | Path | None = None, most_tokens: int = 16, progress: bool | None = None, **engine: Any,
    ) -> None:
        for name, value in (("candidates", candidates), ("most_tokens", most_tokens), ("most_bytes", most_bytes)):
            check_whole(name, value)
        self.prompts = load_asked("fleur.toml", {"ask.image": frozenset({"generation"})}, prompts)
        self.sampling = Sampling(0.0, most_tokens, candidates)
        self._pictures = pictures_of(images, remote=remote, most_bytes=most_bytes)
        self.asker = Asker(make_engine(model, sees=True, **engine), log=log, label="fleur", progress=progress)
        self.name = "fleur" if model == MODEL else f"fleur:{self.asker.engine.model}"
        self.needs = needs_of("image", model, hosted=False)
        self.n_missing = 0
        self._seen = False

    @property
    def signature(self) -> str:
        """Everything that a figure depends on."""
        return signature_of(
            "fleur", self.asker, prompts=self.prompts.digest[:12], smoothing="digits", sampling=self.sampling.signature
        )

    def _asks(self, pair: Pair) -> list[Ask]:
        text = self.prompts.message("ask.image", generation=pair.generation)
        return [Ask(text, pair_id=pair.id, picture=self._pictures.find(pair))]

    def _readable(self, reply: ChatReply) -> bool:
        if reply.text.strip() and not reply.positions and not self._seen:
            raise JudgeError(
                f"{self.asker.engine.model}: no token probabilities came with the first reply, and FLEUR's score is a"
                " mean over them; start the server with logprobs, or run the model as transformers:MODEL"
            )
        self._seen = True
        return smoothed(reply.positions) is not None

    def _said(self, pair: Pair, replies: Sequence[ChatReply]) -> Said:
        (reply,) = replies
        rating = smoothed(reply.positions)
        fault = reply.fault or ("" if rating is not None else f"no number from 0.0 to 1.0 in {reply.text[:60]!r}")
        return Said(pair.id, dict.fromkeys(("mistakes", "omissions", "overall"), rating), (reply.text,), fault)


def smoothed(positions: Sequence[Position]) -> float | None:
    """The rating as a mean over the probabilities of its digits, from 0 to 1.

    Args:
        positions: tokens of the reply, each with the log probabilities of its candidates.

    Returns:
        The mean; None where the reply has no number from 0 to 1 or several, or a digit has no candidates.
    """
    tokens = [token.translate(_BLANKS) for token, _ in positions]
    found = list(_NUMBER.finditer("".join(tokens)))
    if len({float(match[0]) for match in found}) != 1 or float(found[0][0]) > 1:
        return None
    start, end = found[0].span()
    whole, point, _ = found[0][0].partition(".")
    decimal = start + len(whole) + 1  # where the first decimal digit stands
    total, at, read = 0.0, 0, False
    for (_, candidates), token in zip(positions, tokens, strict=True):
        first, at = at, at + len(token)
        if not point or float(found[0][0]) == 1.0:
            if first <= start < at:
                return _mean(candidates, lambda c: _leading(c, 0.9 if found[0][0] != "0" else 0.0))
            continue
        if at <= decimal or first >= end:
            continue
        inside = max(first, decimal)
        before, place = token[: inside - first].strip(), inside - decimal + 1
        part = _mean(candidates, lambda c, before=before, place=place: _decimal(c, before, place))  # type: ignore[misc]
        if part is None:
            return None
        total, read = total + part, True
    return min(total, 1.0) if read else None


def _mean(candidates: Iterable[tuple[str, float]], worth: Callable[[str], float | None]) -> float | None:
    """Worths weighted by probability; None where no candidate has any."""
    found = [(worth(c.translate(_BLANKS).strip().rstrip(".")), math.exp(min(p, 0.0))) for c, p in candidates]
    counted = [value * p for value, p in found if value is not None]
    return math.fsum(counted) if counted else None


def _leading(candidate: str, nought: float) -> float | None:
    """What a candidate for the leading digit is worth: "0" begins a number just below 1, or is one."""
    if candidate in ("0", "1"):
        return 1.0 if candidate == "1" else nought
    return float(candidate) if re.fullmatch(r"0\.\d+|1\.0*", candidate) else None


def _decimal(candidate: str, before: str, place: int) -> float | None:
    """What a candidate adds whose first digit stands at a decimal place; ``before`` is what its token writes first."""
    if before:  # the token begins with the point, or is the whole number
        match = re.fullmatch(r"(?:0|(1))?\.(\d+)" if before != "." else r"()\.(\d+)", candidate)
        value = None if match is None else float(f"{match[1] or 0}.{match[2]}")
        return value if value is not None and value <= 1 else None
    return int(candidate) * 10.0 ** (1 - place - len(candidate)) if re.fullmatch(r"[0-9]+", candidate) else None
