"""What the model-based parts of the position lens share: prompts of ours, an engine with a log, names for messages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker
from posh_lite.baselines.asked_prompts import AskedPrompts, Wanted, load_asked
from posh_lite.baselines.chat_engines import make_engine
from posh_lite.judge.llm.usage import Usage
from posh_lite.records import Pair

_FOLDER = Path(__file__).with_name("prompts")


def own_prompts(name: str, wanted: Wanted, path: str | Path | None, *, scaled: bool = False) -> AskedPrompts:
    """The package's prompts of that name, or the user's.

    Raises:
        InputError: no such file, not TOML, a template is missing or has a wrong field, or the scale is none.
    """
    return load_asked(name, wanted, _FOLDER / name if path is None else path, scaled=scaled)


def make_asker(model: str, label: str, *, log: str | Path | None, progress: bool | None, **engine: Any) -> Asker:
    """A model that can be asked, such as ``Qwen/Qwen3-14B`` behind a server or ``gguf:FILE`` in this process.

    Raises:
        InputError: no model is named, or the engine does not take an option.
        JudgeError: the engine cannot be made.
    """
    return Asker(make_engine(model, **engine), log=log, label=label, progress=progress)


class Asking:
    """An asker, its prompts, and names of texts, so that an error tells which pair it is about.

    Args:
        asker: shared by the parts that ask the same model, so that an engine is loaded once.
        prompts: checked.
        most_tokens: of a reply.
        name: of the part, for its signature.
    """

    def __init__(self, asker: Asker, prompts: AskedPrompts, most_tokens: int, name: str) -> None:
        self.asker, self.prompts, self.most_tokens, self.name = asker, prompts, most_tokens, name
        self._names: dict[str, str] = {}

    @property
    def usage(self) -> Usage:
        """Messages, tokens and seconds of what the model was asked, by all parts that share it."""
        return self.asker.usage

    def signature_with(self, *parts: str) -> str:
        """Everything that a reply and its reading depend on."""
        engine = self.asker.engine
        told = [f"most-tokens:{self.most_tokens}", f"prompts:{self.prompts.digest[:12]}", *parts]
        return f"{self.name} {engine.name} {engine.identity} {' '.join(told)}"

    def tell(self, pairs: Iterable[Pair]) -> None:
        """Take the names of pairs: protocols hand over texts alone, and errors should name the pair."""
        for pair in pairs:
            self._names.setdefault(pair.reference, pair.id)
            self._names.setdefault(pair.generation, pair.id)

    def called(self, text: str) -> str:
        """The pair that a text is of, or else how it begins."""
        start = " ".join(text.split())
        return self._names.get(text) or (start if len(start) <= 48 else f"{start[:47]}\N{HORIZONTAL ELLIPSIS}")
