"""Engines by name, and what they lack.

A model is named as it is behind a server; ``gguf:``, ``transformers:`` and ``vllm:`` before it run it in this process.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

from posh_lite.baselines.chat_types import ChatEngine
from posh_lite.errors import InputError
from posh_lite.judge.registry import JUDGES, install_command

#: Where images, and the log of replies, are found when no option says so.
IMAGES, LOG = "POSH_LITE_IMAGES", "POSH_LITE_REPLIES"
_KINDS = ("openai", "gguf", "transformers", "vllm")
_ADDRESS, _KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"


def split_model(model: str) -> tuple[str, str]:
    """Engine and model: "gguf:file.gguf" is a file in llama.cpp, "llama3:8b" a model of that name behind a server."""
    kind, _, rest = model.partition(":")
    return (kind, rest) if kind in _KINDS and rest else ("openai", model)


def make_engine(model: str, *, sees: bool = False, **options: Any) -> ChatEngine:
    """An engine for whole replies.

    Args:
        model: see :func:`split_model`.
        sees: whether pictures are shown to it.
        options: of the engine: ``url``, ``concurrency``, ``timeout``, ``retries`` and ``extra`` of a server; those of
            the judge of the same name for a model in this process.

    Raises:
        InputError: no model, an option that the engine does not take, or pictures for an engine that has no eyes.
    """
    kind, name = split_model(model)
    if not name.strip():
        raise InputError("which model? name it after a colon, as in asked:MODEL, or by the option model")
    if kind == "openai":
        from posh_lite.baselines.chat_server import ChatServer as maker
    elif sees and kind == "transformers":
        from posh_lite.baselines.chat_vision import VisionChat as maker  # type: ignore[assignment]
    elif sees:
        raise InputError(f"{kind} shows no pictures to its models here; use transformers:MODEL or a server")
    else:
        from posh_lite.baselines.chat_text import text_chat

        return _made(lambda: text_chat(kind, name, **options), kind)
    return _made(lambda: maker(name, **options), kind)


def _made(make: Any, kind: str) -> ChatEngine:
    try:
        engine: ChatEngine = make()
        return engine
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise InputError(f'the engine "{kind}" has no such option: {str(error).rpartition(" ")[2]}') from None


def lacking(
    *, model: str = "", url: str | None = None, images: str | Path | None = None, setting: str = "reference",
    hosted: bool = False, **_: Any,
) -> list[str]:
    """What keeps a row from running, one line each with what to do.

    Args:
        model: as for :func:`make_engine`; empty where the user has to name one.
        url: address of a server, if one was given.
        images: folder of images, if one was given.
        setting: "image", "reference" or "both".
        hosted: whether the model is one of OpenAI's own, for which a key is enough.
    """
    kind, name = split_model(model)
    found = []
    modules = [m for m in JUDGES[kind].modules if importlib.util.find_spec(m) is None]
    if modules:
        found.append(f"{', '.join(modules)}: {install_command(JUDGES[kind].extra)}")
    if not name:
        found.append("no model is named: put it after a colon, as in asked:MODEL")
    if kind == "openai" and not url and not os.environ.get(_ADDRESS, "").strip():
        if not hosted:
            found.append(f"no server: set {_ADDRESS} to the address of one that has the model, or give the option url"
                         f" (and {_KEY} where it wants a key)")
        elif not os.environ.get(_KEY, "").strip():
            found.append(f"no key: set {_KEY}; or {_ADDRESS} or the option url, for a server of your own")
    if setting in ("image", "both"):
        folder = images or os.environ.get(IMAGES, "").strip()
        if not folder:
            found.append(f"no folder of images: set {IMAGES} or give the option images, the folder that a record's"
                         ' "image" is relative to ("." where it has whole paths)')
        elif not Path(folder).expanduser().is_dir():
            found.append(f"no such folder of images: {folder}")
    return found


def lacking_with_image(**settings: Any) -> list[str]:
    """As :func:`lacking`, for a row that sees the picture alone and has no setting."""
    return lacking(**{**settings, "setting": "image"})


def lacking_for_dcscore(*, against: str = "image", **settings: Any) -> list[str]:
    """As :func:`lacking`, for DCScore: its model is a hosted one, and it sees what it checks units by."""
    return lacking(**{**settings, "setting": "both" if against == "image" else "reference", "hosted": True})
