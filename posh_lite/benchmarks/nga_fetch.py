"""Files of a repository that changes from day to day: fetched at one commit, with a hash that is recorded then.

Nobody can pin in advance the hash of a table that is written anew each day. What can be done honestly is to name
the commit, to record size and SHA-256 of what came on the first download in a small file beside it
(``objects.csv.pin.json``), and to hold every later download and ``posh-lite data verify`` against that. A pin
handed on with one's results lets others fetch the same table.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path

from posh_lite.benchmarks.catalog import Dataset, cache_folder, sha256
from posh_lite.errors import PoshLiteError

_API, _RAW = "https://api.github.com", "https://raw.githubusercontent.com"
_TIMEOUT = 30
Progress = Callable[[int, int | None], None]


class FetchError(PoshLiteError):
    """A changing file could not be had, or is not what its pin says. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Pin:
    """What was recorded of a file when it first came: where from, at which revision, and its hash."""

    repo: str
    revision: str  # commit, 40 hexadecimal digits
    path: str  # in the repository
    sha256: str
    bytes: int
    recorded: str  # date and time of the download, UTC


def pin_path(file: Path) -> Path:
    """Where the pin of a file lies: beside it."""
    return file.with_name(file.name + ".pin.json")


def read_pin(file: Path) -> Pin | None:
    """The pin of a file, or None where there is none.

    Raises:
        FetchError: there is one that cannot be read.
    """
    place = pin_path(file)
    if not place.is_file():
        return None
    try:
        pin = Pin(**json.loads(place.read_text("utf-8")))
        if not (re.fullmatch(r"[0-9a-f]{40}", pin.revision) and re.fullmatch(r"[0-9a-f]{64}", pin.sha256)):
            raise ValueError("revision or hash is not one")
    except (OSError, ValueError, TypeError) as error:
        raise FetchError(f"{place}: not a pin ({error}); remove it to record anew") from None
    return pin


def write_pin(file: Path, repo: str, revision: str, path: str) -> Pin:
    """Record a file that has just come."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    pin = Pin(repo, revision, path, sha256(file), file.stat().st_size, now)
    pin_path(file).write_text(json.dumps(asdict(pin), indent=1) + "\n", "utf-8")
    return pin


def newest_commit(repo: str, branch: str = "main", *, api: str = _API) -> str:
    """The commit that a branch of a public GitHub repository is at.

    Raises:
        FetchError: the service does not say.
    """
    address = f"{api}/repos/{repo}/commits/{branch}"
    request = urllib.request.Request(address, headers={"User-Agent": "posh-lite", "Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            found = json.load(response).get("sha", "")
    except (urllib.error.URLError, HTTPException, OSError, ValueError, AttributeError) as error:
        raise FetchError(
            f"{address}: does not say which commit is the newest ({error}); name one yourself as NAME@COMMIT"
        ) from None
    if not re.fullmatch(r"[0-9a-f]{40}", str(found)):
        raise FetchError(f"{address}: answered without a commit; name one yourself as NAME@COMMIT")
    return str(found)


def fetch_changing(
    dataset: Dataset, *, commit: str | None = None, folder: Path | None = None, on_progress: Progress | None = None,
    api: str = _API, raw: str = _RAW,
) -> Path:
    """Have a file of a repository that changes, at one commit.

    Args:
        dataset: with ``repo`` and ``upstream``.
        commit: which; by default that of the pin beside the file, else the one at which another file of the same
            repository was fetched into the folder, else the newest.
        folder: where to; by default the cache folder.
        on_progress: told how many bytes are there, and of how many if the server says.
        api: address of the service that knows the newest commit.
        raw: address of the service that has the files.

    Returns:
        Path of the file, whose pin lies beside it.

    Raises:
        FetchError: there is no network, no such file, or it is not what the pin says.
    """
    from posh_lite.benchmarks.download import receive

    if commit is not None and not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise FetchError(f'"{commit}" is no commit: give all 40 hexadecimal digits')
    target = (folder or cache_folder()) / dataset.path
    pin = read_pin(target)
    if pin is not None and commit in (None, pin.revision):
        if target.is_file() and sha256(target) == pin.sha256:
            return target
        commit = pin.revision
    else:
        pin = None
    revision = commit or _beside(target, dataset.repo) or newest_commit(dataset.repo, api=api)
    address = f"{raw}/{dataset.repo}/{revision}/{dataset.upstream}"
    part = target.with_name(f"{target.name}.{revision[:8]}.part")  # a part of another commit is never gone on with
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        receive(address, part, on_progress)
    except urllib.error.HTTPError as error:
        raise FetchError(f"{address}: the server answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise FetchError(f"{address}: cannot be reached ({reason}); what was received is kept, so try again") from None
    finally:
        part.with_name(part.name + ".resumed").unlink(missing_ok=True)
    with part.open("rb") as handle:
        start = handle.read(64)
    if start.startswith(b"version https://git-lfs") or not start:
        part.unlink()
        raise FetchError(f"{address}: is {'a pointer of Git LFS' if start else 'empty'}, not the table itself")
    if pin is not None and sha256(part) != pin.sha256:
        part.unlink()
        raise FetchError(f"{address}: not the file that {pin_path(target).name} recorded; nothing was kept")
    os.replace(part, target)
    if pin is None:
        write_pin(target, dataset.repo, revision, dataset.upstream or "")
    return target


def _beside(target: Path, repo: str) -> str | None:
    """The commit at which another file of the same repository came into the folder, so that tables fit together."""
    if not target.parent.is_dir():
        return None
    for other in sorted(target.parent.glob("*.pin.json")):
        pin = read_pin(other.with_name(other.name.removesuffix(".pin.json")))
        if pin is not None and pin.repo == repo:
            return pin.revision
    return None
