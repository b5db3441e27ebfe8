"""Whether the model that a server has is the one that was named: figures carry the name in their signature.

Many servers answer any name with whatever model they have loaded (llama.cpp), or serve a model under a name of one's
choosing (vLLM). What they say of themselves, in their list of models and in each reply, is held against the name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite.judge.llm.server_reply import shorten

Entry = Mapping[str, Any]
#: What a server may add to the name of the same model: a date, a number of a build, a revision. Not "o" or "-mini".
_DATED = re.compile(r"(?:-preview)?[-@:_](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{3,8}|[0-9a-f]{7,40})|@[\w.-]+")


def entries_of(listed: Any) -> list[Entry]:
    """The models of a server's list, with a name each; none where it is no list."""
    found = listed if isinstance(listed, list) else []
    return [e for e in found if isinstance(e, Mapping) and isinstance(e.get("id"), str) and e["id"].strip()]


def entry_of(model: str, entries: Sequence[Entry]) -> Entry:
    """What a server says of the model: the entry of its name, else the only one there is; empty where neither is."""
    named = [e for e in entries if e["id"] == model] or [e for e in entries if alike(model, e["id"])]
    return named[0] if named else entries[0] if len(entries) == 1 else {}


def alike(model: str, other: str) -> bool:
    """Whether two names are of one model: a file with and without its folders, a name with and without ":latest"."""
    a, b = (_plain(name) for name in (model, other))
    return a == b or ((_is_path(model) or _is_path(other)) and a.rpartition("/")[2] == b.rpartition("/")[2])


def doubt_of_list(model: str, entries: Sequence[Entry]) -> str:
    """What in a server's list speaks against the name, as a sentence's end; empty where nothing does.

    Args:
        model: as it was named.
        entries: of :func:`entries_of`; an empty list says nothing.
    """
    if not entries:
        return ""
    own = [e for e in entries if alike(model, e["id"])]
    if not own:
        names = shorten(", ".join(e["id"] for e in entries))
        return f"the server has {names}" if len(entries) == 1 else f"the server does not list it, but {names}"
    root = own[0].get("root")  # vLLM: what lies behind a name of one's choosing
    if isinstance(root, str) and root.strip() and not alike(model, root) and _last(model) not in _plain(root):
        return f"the server has {shorten(root)} under this name"
    return ""


def doubt_of_reply(model: str, said: Any) -> str:
    """The same of the model that a reply names; one that adds a date or a revision to the name is the same."""
    if not isinstance(said, str) or not said.strip() or alike(model, said):
        return ""
    name, other = _last(model), _last(said)
    dated = other.startswith(name) and _DATED.fullmatch(other, len(name))
    return "" if dated or other == name else f"the server answers as {shorten(said)}"


def _plain(name: str) -> str:
    return name.strip().replace("\\", "/").rstrip("/").removesuffix(":latest").lower()


def _last(name: str) -> str:
    return _plain(name).rpartition("/")[2]


def _is_path(name: str) -> bool:
    """Whether a name is that of a file or folder rather than "organization/name"."""
    plain = name.replace("\\", "/")
    return plain.startswith(("/", "~", ".")) or plain[1:3] == ":/" or plain.lower().endswith(".gguf")
