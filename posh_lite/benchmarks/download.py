"""Downloading a dataset: to a part file that a later try goes on with, moved into place once its hash is right."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

from posh_lite.benchmarks.catalog import Dataset, cache_folder, locate, sha256
from posh_lite.errors import PoshLiteError

_BLOCK = 1 << 16
_TIMEOUT = 30


class DownloadError(PoshLiteError):
    """A file could not be had. The message names the address and says what to do."""


def fetch(
    dataset: Dataset, *, folder: Path | None = None, address: str | None = None,
    on_progress: Callable[[int, int | None], None] | None = None,
) -> Path:
    """Have a dataset's file, downloading it if it is not there.

    Args:
        dataset: which.
        folder: where to; by default the cache folder.
        address: where from; by default its pinned address.
        on_progress: told how many bytes are there, and of how many if the server says.

    Returns:
        Path of the verified file.

    Raises:
        DownloadError: it is not offered, there is no network, or the file is not the pinned one.
    """
    found = locate(dataset.name, verify=True)
    if folder is None and found.path is not None and found.status == "ok":
        return found.path
    if dataset.changing:
        from posh_lite.benchmarks.nga_fetch import fetch_changing

        return fetch_changing(dataset, folder=folder, on_progress=on_progress)
    address = address or dataset.address
    if address is None or dataset.sha256 is None:
        raise DownloadError(
            f"{dataset.name} cannot be downloaded here: take it from github.com/{dataset.repo} ({dataset.upstream})"
            f" and put it under POSH_LITE_DATA as {dataset.path}"
        )
    target = (folder or cache_folder()) / dataset.path
    if target.is_file() and sha256(target) == dataset.sha256:
        return target
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        receive(address, part, on_progress)
        if sha256(part) != dataset.sha256 and _resumed(part):
            # The rest may not have belonged to what was there: try once more from the beginning.
            part.unlink()
            receive(address, part, on_progress)
    except urllib.error.HTTPError as error:
        raise DownloadError(f"{address}: the server answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(
            f"{address}: cannot be reached ({reason}); what was received is kept, so try again with a network, or put"
            f" the file under POSH_LITE_DATA as {dataset.path}"
        ) from None
    except OSError as error:
        raise DownloadError(f"{part}: cannot be written ({error.strerror})") from None
    finally:
        _marker(part).unlink(missing_ok=True)
    found_hash = sha256(part)
    if found_hash != dataset.sha256:
        part.unlink()
        raise DownloadError(
            f"{address}: not the pinned file (SHA-256 {found_hash[:12]}..., expected {dataset.sha256[:12]}...);"
            " nothing was kept"
        )
    os.replace(part, target)
    return target


def _marker(part: Path) -> Path:
    return part.with_name(part.name + ".resumed")


def _resumed(part: Path) -> bool:
    return _marker(part).exists()


def receive(address: str, part: Path, on_progress: Callable[[int, int | None], None] | None) -> None:
    """Download into a part file, going on where it ends; raises what ``urllib`` does."""
    have = part.stat().st_size if part.is_file() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "posh-lite"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        _marker(part).touch()
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is left to send: the hash decides
            return
        raise
    with response:
        if have and response.status != 206:  # the server sends the whole again
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length and length.isdigit() else None
        with part.open("ab" if have else "wb") as out:
            while block := response.read(_BLOCK):
                out.write(block)
                have += len(block)
                if on_progress is not None:
                    on_progress(have, total)
    if total is not None and have < total:
        raise urllib.error.URLError(f"the connection ended after {have} of {total} bytes")
