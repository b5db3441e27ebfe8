"""Which weights a model's name stands for: a commit of a hub, or a hash of the files of a folder."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.chat import one_line

_COMMIT = re.compile(r"[0-9a-f]{40}")
#: Files of a model's folder that can change an answer.
_FILES = ("*.safetensors", "*.bin", "*.json", "*.jinja", "*.model", "*.txt")


@dataclass(frozen=True, slots=True)
class Source:
    """A model that is there.

    Attributes:
        where: what libraries load it by: a folder, or its name on the hub.
        revision: the commit that they load, or None for a folder.
        label: its name, for people.
        identity: name and commit or hash, without blanks at the ends.
    """

    where: str
    revision: str | None
    label: str
    identity: str


def locate(model: str | Path, revision: str | None = None) -> Source:
    """Find a model and fix what is loaded.

    A name is looked up on the hub (or in its cache, where HF_HUB_OFFLINE is set) and fixed to a commit, so that
    weights and tokenizer cannot come from two states of it. A folder is fixed by a hash over the content of its
    weights, configuration, tokenizer and template.

    Args:
        model: a folder, or "organization/name".
        revision: a commit hash, tag or branch of the hub; by default the newest.

    Raises:
        InputError: a revision of a folder.
        JudgeError: there is no such model, or it cannot be fetched.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        if revision is not None:
            raise InputError(
                f"revision={revision!r} is for a model of the hub; a folder is known by its content", path=folder
            )
        if not (folder / "config.json").is_file():
            raise JudgeError(f"{folder}: no config.json, so this is no folder of a model")
        label = "_".join(folder.resolve().name.split())
        return Source(str(folder), None, label, f"{label} sha256:{folder_digest(folder)[:12]}")
    name = str(model)
    if not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)?", name) or name.startswith("."):
        raise JudgeError(f'no folder "{name}", and no name that a model hub could know')
    commit = _commit(name, revision)
    return Source(name, commit, name, f"{name} rev:{commit[:12]}")


def load(source: Source, kind: Any, **how: Any) -> Any:
    """A part of a model through the library's automatic classes, without progress bars and without foreign code."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return kind.from_pretrained(source.where, revision=source.revision, trust_remote_code=False, **how)
    except Exception as error:  # files of someone else: missing, broken, of a kind that this version does not know
        raise JudgeError(f"{source.label}: cannot be loaded by {kind.__name__} ({one_line(error)})") from None
    finally:
        if shown:
            logging.enable_progress_bar()


def _commit(name: str, revision: str | None) -> str:
    from huggingface_hub import hf_hub_download

    at = "" if revision is None else f" at revision {revision!r}"
    try:
        path = Path(hf_hub_download(name, "config.json", revision=revision))
    except Exception as error:  # many kinds, from the network and from the hub
        raise JudgeError(
            f'no folder "{name}", and no model of that name can be had from the hub{at}: {one_line(error)}'
        ) from None
    found = next((part for part in reversed(path.parts) if _COMMIT.fullmatch(part)), None)
    if found is None:
        raise JudgeError(f"{name}: the hub's cache does not tell which commit was fetched{at}")
    return found


def folder_digest(folder: Path, *, below: bool = False) -> str:
    """Hash over the names and the content of the files that matter, in the order of their names.

    Args:
        folder: of a model.
        below: also what lies in its subfolders, where sentence-transformers keeps the parts of a model; hidden ones
            hold records of downloads and are left out.
    """
    whole = hashlib.sha256()
    found = {p for pattern in _FILES for p in (folder.rglob if below else folder.glob)(pattern) if p.is_file()}
    for path in sorted(found):
        inner = path.relative_to(folder)
        if any(part.startswith(".") for part in inner.parts[:-1]):
            continue
        with path.open("rb") as handle:
            part = hashlib.file_digest(handle, "sha256").hexdigest()
        whole.update(f"{inner.as_posix()} {part}\n".encode())
    return whole.hexdigest()


def identity(model: str, *, called: str = "") -> str:
    """A model as signatures name it: as on the hub, and a folder by its name and a hash of its files.

    Without the hash, new weights in an old folder would be taken for the old ones, whose scores are kept.

    Args:
        model: a name or a folder.
        called: name of the model that a folder holds, where it is known; else the folder's own is taken.
    """
    folder = Path(model)
    if not folder.is_dir():
        return model
    name = called or "_".join(folder.resolve().name.replace("|", " ").split())
    return f"{name}-sha256-{folder_digest(folder, below=True)[:12]}"
