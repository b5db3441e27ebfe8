"""A model is asked for three marks: the rows GPT-4o, GPT-5 and Qwen3, and any model of one's own.

PoSh paper, appendix "Coarse Baselines": from the picture alone, from the reference alone, or from both, a model gives
numbers from 0 to 5 for precision, recall and overall quality as a JSON dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from posh_lite.baselines.asked_core import Asker, Said, needs_of, pictures_of, signature_of
from posh_lite.baselines.asked_prompts import Wanted, load_asked
from posh_lite.baselines.asked_row import AskingRow
from posh_lite.baselines.chat_engines import make_engine, split_model
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.baselines.images import MOST_BYTES
from posh_lite.baselines.reply import read_scores
from posh_lite.errors import InputError
from posh_lite.judge.check import check_whole, is_finite
from posh_lite.records import Pair

Setting = Literal["image", "reference", "both"]
SETTINGS: tuple[Setting, ...] = ("image", "reference", "both")
_FIELDS: dict[str, frozenset[str]] = {
    "image": frozenset({"generation"}), "reference": frozenset({"generation", "reference"}),
    "both": frozenset({"generation", "reference"}),
}
#: The reply's keys, by what they say of a description.
_MEANING = {"mistakes": "precision", "omissions": "recall", "overall": "overall_quality"}


class Asked(AskingRow):
    """Three marks of a model on the scale of the prompts (0 to 5), higher is better.

    Args:
        model: behind a server its name there; ``gguf:FILE``, ``transformers:MODEL`` or ``vllm:MODEL`` in this process
            (pictures: a server, or ``transformers:MODEL``).
        setting: what the model is given besides the description: "image", "reference" or "both".
        row: name of the row, for tables.
        row_model: the row's own model; with another one the name says which.
        hosted: whether OpenAI's own service is meant where no address is given.
        prompts: a TOML file instead of the package's own; ``file`` names the latter.
        images: folder that the records' ``image`` is relative to; by default ``POSH_LITE_IMAGES``, else the current.
        remote: whether images may be web addresses, which the server then fetches.
        most_bytes: of an image.
        log: file that keeps replies (SQLite), so that a stopped run asks only what is missing; by default
            ``POSH_LITE_REPLIES``, and without it nothing is kept.
        most_tokens: of a reply.
        temperature: 0 for the most probable reply.
        thinking: False switches thinking off in the chat template of a model behind a server; a model in this process
            never thinks.
        progress: whether a bar is shown; None shows it on a terminal.
        engine: options of the engine (:func:`~posh_lite.baselines.chat_engines.make_engine`), such as ``url``.

    Attributes:
        name, needs, signature: as :class:`~posh_lite.metric.protocol.Metric`.
        n_missing: pairs without one of their marks in the last call.

    Raises:
        InputError, JudgeError: a setting is out of range, a file is missing, or the engine cannot be made.
    """

    def __init__(
        self, model: str, *, setting: Setting = "reference", row: str = "asked", row_model: str = "",
        hosted: bool = False, prompts: str | Path | None = None, file: str = "scores.toml",
        images: str | Path | None = None, remote: bool = False, most_bytes: int = MOST_BYTES,
        log: str | Path | None = None, most_tokens: int = 1024, temperature: float = 0.0, thinking: bool = True,
        progress: bool | None = None, **engine: Any,
    ) -> None:
        if setting not in SETTINGS:
            raise InputError(f"setting must be one of {', '.join(SETTINGS)}, got {setting!r}")
        check_whole("most_tokens", most_tokens)
        check_whole("most_bytes", most_bytes)
        if not is_finite(temperature) or not 0 <= temperature <= 2:
            raise InputError(f"temperature must be a number from 0 to 2, got {temperature!r}")
        if not thinking and split_model(model)[0] == "openai":
            engine = {"extra": {"chat_template_kwargs": {"enable_thinking": False}}} | engine
        self.setting = setting
        wanted: Wanted = {f"ask.{setting}": _FIELDS[setting]}
        self.prompts = load_asked(file, wanted, prompts)
        self.sampling = Sampling(float(temperature), most_tokens)
        self._sees = setting != "reference"
        self._pictures = pictures_of(images, remote=remote, most_bytes=most_bytes) if self._sees else None
        self.asker = Asker(make_engine(model, sees=self._sees, **engine), log=log, label=row, progress=progress)
        self.row = row
        self.name = row if model == row_model else f"{row}:{self.asker.engine.model}"
        self.needs = needs_of(setting, model, hosted=hosted)
        self.n_missing = 0

    @property
    def signature(self) -> str:
        """Everything that a figure depends on; neither address nor key."""
        scale = self.prompts.scale
        return signature_of(
            self.row, self.asker, setting=self.setting, prompts=self.prompts.digest[:12],
            scale=f"{scale.low:g}-{scale.high:g}", sampling=self.sampling.signature,
        )

    def _asks(self, pair: Pair) -> list[Ask]:
        return [self._ask(pair)]

    def _ask(self, pair: Pair) -> Ask:
        values = {"generation": pair.generation, "reference": pair.reference}
        text = self.prompts.message(
            f"ask.{self.setting}", **{k: v for k, v in values.items() if k in _FIELDS[self.setting]}
        )
        return Ask(text, pair_id=pair.id, picture=self._pictures.find(pair) if self._pictures else None)

    def _readable(self, reply: ChatReply) -> bool:
        numbers = read_scores(reply.text, self.prompts.scale, cut=reply.cut).numbers
        return any(n is not None for n in numbers.values())

    def _said(self, pair: Pair, replies: Sequence[ChatReply]) -> Said:
        (reply,) = replies
        found = read_scores(reply.text, self.prompts.scale, cut=reply.cut)
        scores = {column: found.numbers[key] for column, key in _MEANING.items()}
        return Said(pair.id, scores, (reply.text,), reply.fault or found.fault)
