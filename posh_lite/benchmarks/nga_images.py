"""Images of the works, fetched politely: one at a time, with a pause, small, and never twice.

The address is that of the IIIF Image API 2.1 with a size that the image must fit into. The server makes each on
demand, so a broken transfer begins again with the image it broke in; those that are there are not asked for again.
``manifest.jsonl`` records every image with its checksum, and every failure with its reason.
"""

from __future__ import annotations

import email.utils
import hashlib
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal

from posh_lite.benchmarks.catalog import sha256
from posh_lite.errors import InputError, PoshLiteError

MANIFEST = "manifest.jsonl"
Status = Literal["ok", "failed"]
_LONGEST_WAIT = 600.0  # seconds; a server that asks for more is left alone
_AGAIN = (429, 500, 502, 503, 504)
_STOP_AFTER = 5  # images in a row that failed: the server does not want us, or is gone


class ImageError(PoshLiteError):
    """Images cannot be fetched at all. The message says what to do; what is there is kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the manifest."""

    uuid: str
    status: Status
    file: str = ""  # below the folder of the manifest
    address: str = ""
    bytes: int = 0
    sha256: str = ""
    when: str = ""  # UTC
    reason: str = ""  # of a failure


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a run did: counts by outcome."""

    new: int
    there: int
    failed: int


def address_of(iiifurl: str, size: int) -> str:
    """Where an image is that fits into a square of ``size`` pixels.

    >>> address_of("https://iiif.example.org/abc", 512)
    'https://iiif.example.org/abc/full/!512,512/0/default.jpg'
    """
    return f"{iiifurl.rstrip('/')}/full/!{size},{size}/0/default.jpg"


def read_manifest(folder: str | Path) -> dict[str, Entry]:
    """The last entry of each image; a line that was cut off when a run was killed is left out.

    Raises:
        InputError: a line in the middle is none of a manifest.
    """
    path = Path(folder) / MANIFEST
    if not path.is_file():
        return {}
    lines = path.read_text("utf-8").split("\n")
    found: dict[str, Entry] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError) as error:
            if number >= len(lines):
                continue
            raise InputError(f"not a line of a manifest of images: {error}", path=path, line=number) from None
        found[entry.uuid] = entry
    return found


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds that a server asks to wait, from a number or a date; None where it says nothing that can be read.

    >>> retry_after("12", 0.0), retry_after("Thu, 01 Jan 1970 00:00:30 GMT", 10.0), retry_after("soon", 0.0)
    (12.0, 20.0, None)
    """
    if value is None:
        return None
    if re.fullmatch(r"\s*\d{1,9}\s*", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def fetch_images(
    works: Iterable[tuple[str, str]], folder: str | Path, *, size: int = 1024, delay: float = 1.0, tries: int = 5,
    sleep: Callable[[float], None] = time.sleep, on_image: Callable[[Entry], None] | None = None, timeout: float = 60,
) -> Fetched:
    """Fetch the images that are not there yet.

    Args:
        works: identifier and IIIF address of each image.
        folder: where to; made where it is not there.
        size: of the square that an image fits into, in pixels.
        delay: seconds between two requests, at least; doubled for each retry.
        tries: requests for one image, at most, where the server is busy (429, 5xx) or the line breaks.
        sleep: waits; for tests.
        on_image: told of each image that was asked for.
        timeout: seconds that the server may be silent.

    Raises:
        InputError: a setting is out of range.
        ImageError: several images in a row failed, or the server asks for a wait of more than ten minutes.
    """
    for name, value, least in (("size", size, 1), ("tries", tries, 1), ("delay", delay, 0)):
        if not value >= least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    known = read_manifest(place)
    new = there = failed = in_a_row = 0
    asked = False
    for uuid, iiifurl in works:
        address = address_of(iiifurl, size)
        if _is_there(place, known.get(uuid), address):
            there += 1
            continue
        if asked:
            sleep(delay)
        asked = True
        entry = _fetch(place, uuid, address, delay, tries, sleep, timeout)
        known[uuid] = entry
        _append(place / MANIFEST, entry)
        if on_image is not None:
            on_image(entry)
        good = entry.status == "ok"
        new, failed, in_a_row = new + good, failed + (not good), 0 if good else in_a_row + 1
        if in_a_row >= _STOP_AFTER:
            raise ImageError(
                f"{in_a_row} images in a row failed, the last because of: {entry.reason}; stopped so as not to press"
                " the server. Run again later: what is there is not asked for again"
            )
    return Fetched(new, there, failed)


def verify_images(folder: str | Path) -> list[str]:
    """Identifiers of images that the manifest has and whose file is gone or not what was fetched."""
    return [uuid for uuid, entry in read_manifest(folder).items()
            if entry.status == "ok" and not _is_there(Path(folder), entry, entry.address)]


def _is_there(place: Path, entry: Entry | None, address: str) -> bool:
    if entry is None or entry.status != "ok" or entry.address != address:
        return False
    file = place / entry.file
    return file.is_file() and file.stat().st_size == entry.bytes and sha256(file) == entry.sha256


def _append(path: Path, entry: Entry) -> None:
    torn = path.is_file() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8", newline="\n") as handle:
        if torn:  # of a run that was killed: the rest of its line must not spoil the next
            content = path.read_bytes()
            handle.truncate(content.rfind(b"\n") + 1)
        handle.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")


def _fetch(
    place: Path, uuid: str, address: str, delay: float, tries: int, sleep: Callable[[float], None], timeout: float
) -> Entry:
    reason = ""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if not re.fullmatch(r"[0-9A-Za-z._-]{1,80}", uuid) or uuid.strip(".") == "":
        return Entry(uuid, "failed", address=address, when=now, reason="an identifier that is no file name")
    for attempt in range(tries):
        wait = delay * 2**attempt
        try:
            body = _get(address, timeout)
        except urllib.error.HTTPError as error:
            reason = f"the server answered {error.code} {error.reason}"
            if error.code not in _AGAIN:
                break
            asked = retry_after(error.headers.get("Retry-After"), time.time())
            if asked is not None and asked > _LONGEST_WAIT:
                raise ImageError(f"{address}: {reason} and asks to wait {asked:.0f} seconds; run again then") from None
            wait = max(wait, asked or 0.0)
        except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
            reason = f"the line broke ({getattr(error, 'reason', error) or type(error).__name__})"
        except ValueError as error:
            reason = str(error)
            break
        else:
            name = f"{uuid}.jpg"
            part = place / f"{name}.part"
            part.write_bytes(body)
            os.replace(part, place / name)
            return Entry(uuid, "ok", name, address, len(body), hashlib.sha256(body).hexdigest(), now)
        if attempt + 1 < tries:
            sleep(wait)
    return Entry(uuid, "failed", address=address, when=now, reason=reason)


def _get(address: str, timeout: float) -> bytes:
    if not address.startswith(("http://", "https://")):
        raise ValueError("the address does not begin with https://")
    from posh_lite import __version__

    agent = f"posh-lite/{__version__} (one request at a time)"
    request = urllib.request.Request(address, headers={"User-Agent": agent, "Accept": "image/jpeg"})
    with urllib.request.urlopen(request, timeout=timeout) as response:
        length: Any = response.headers.get("Content-Length")
        body = bytes(response.read())
        if length and length.isdigit() and len(body) < int(length):
            raise urllib.error.URLError(f"ended after {len(body)} of {length} bytes")
    if not body.startswith(b"\xff\xd8"):
        raise ValueError(f"what came is no JPEG ({response.headers.get('Content-Type', 'of no stated type')})")
    return body
