"""Pictures of pairs: found, checked, and sent as base64; nothing is fetched unless the user allows it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from posh_lite.errors import InputError
from posh_lite.records import Pair

#: Most bytes of a picture; hosted services take about 20 MB in a request, and base64 adds a third.
MOST_BYTES = 14_000_000
_WEB = re.compile(r"https?://", re.IGNORECASE)
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+=-]+)*),", re.IGNORECASE)
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"), (b"BM", "image/bmp"), (b"II*\x00", "image/tiff"), (b"MM\x00*", "image/tiff"),
)
#: What servers of language models take; others have to be converted first.
TAKEN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was found and checked. Its bytes are read again when it is sent, so that few are held at a time.

    Attributes:
        pair_id: whose it is, for messages.
        digest: SHA-256 of its bytes in hexadecimal; of the address where the server is to fetch it.
        kind: media type, found from the bytes; empty for an address.
        path: the file; None for one that came inside the record.
        address: a web address or a data URL, else empty.
    """

    pair_id: str
    digest: str
    kind: str
    path: Path | None = None
    address: str = ""

    def read(self) -> bytes:
        """Its bytes.

        Raises:
            InputError: it is not here (a web address), cannot be read any more, or has changed since it was checked.
        """
        if self.path is None:
            if _WEB.match(self.address):
                raise InputError(f'pair "{self.pair_id}": {self.address} is not on this machine; fetch it first')
            return _decoded(self.address, self.pair_id)
        data = _bytes(self.path, self.pair_id)
        if hashlib.sha256(data).hexdigest() != self.digest:
            raise InputError(f'pair "{self.pair_id}": {self.path} changed during the run')
        return data

    def url(self) -> str:
        """What a request carries: a data URL, or the web address."""
        if self.path is None and _WEB.match(self.address):
            return self.address
        return f"data:{self.kind};base64,{base64.b64encode(self.read()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Pictures:
    """Where pictures of pairs are.

    Attributes:
        folder: what relative paths in a record's ``image`` are relative to; None is the current folder.
        remote: whether a web address is handed to the server, which then fetches it.
        most_bytes: of a picture.
    """

    folder: Path | None = None
    remote: bool = False
    most_bytes: int = MOST_BYTES

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise InputError("no such folder of images", path=self.folder)

    def find(self, pair: Pair) -> Picture:
        """The picture of a pair.

        Raises:
            InputError: the pair names none, the file is missing, no picture, broken off, or too large; or it is an
                address and these are not allowed.
        """
        named, who = pair.image, f'pair "{pair.id}"'
        if not named:
            raise InputError(f'{who} has no image; a record names it in the field "image"')
        if _WEB.match(named):
            if not self.remote:
                raise InputError(f"{who}: {named} is a web address; allow it with remote=true, or fetch it first")
            return Picture(pair.id, hashlib.sha256(named.encode("utf-8", "replace")).hexdigest(), "", address=named)
        if _DATA.match(named):
            data, path = _decoded(named, pair.id), None
        else:
            path = (self.folder or Path()) / Path(named).expanduser()
            data = _bytes(path, pair.id)
        where = f"{who}: {path or 'the image in the record'}"
        if len(data) > self.most_bytes:
            raise InputError(
                f"{where} has {len(data):,} bytes, more than the {self.most_bytes:,} that are sent; make it smaller"
                " or raise most_bytes"
            )
        kind = media_type(data)
        if not kind:
            raise InputError(f"{where} is no picture" + (" (it is empty)" if not data else ""))
        if kind not in TAKEN:
            raise InputError(f"{where} is {kind}, which servers do not take; convert it to PNG or JPEG")
        if fault := _damage(data, kind):
            raise InputError(f"{where}: {fault}")
        return Picture(pair.id, hashlib.sha256(data).hexdigest(), kind, path, "" if path else named)


def media_type(data: bytes) -> str:
    """The media type of a picture from its first bytes; empty where it is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS if data.startswith(start)), "")


def _damage(data: bytes, kind: str) -> str:
    """What is broken, as far as it shows; with Pillow the whole picture is looked through."""
    if kind == "image/png" and b"IEND" not in data[-32:]:
        return "the picture is broken off (no end of the PNG)"
    if kind == "image/jpeg" and b"\xff\xd9" not in data[-4096:]:
        return "the picture is broken off (no end of the JPEG)"
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return ""
    import io

    try:
        with Image.open(io.BytesIO(data)) as image:
            image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        return f"the picture is damaged ({error})"
    except Image.DecompressionBombError as error:
        return f"the picture is too large ({error})"
    return ""


def _bytes(path: Path, pair_id: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f'pair "{pair_id}": no image {path}; paths in a record are relative to the folder of the option images'
        ) from None
    except OSError as error:
        raise InputError(f'pair "{pair_id}": image {path} cannot be read: {error.strerror}') from None
    except ValueError:  # a NUL in the name
        raise InputError(f'pair "{pair_id}": its image is no path') from None


def _decoded(address: str, pair_id: str) -> bytes:
    """The bytes of a data URL; the type that it declares is not believed."""
    match = _DATA.match(address)
    assert match is not None
    rest = address[match.end():]
    try:
        return base64.b64decode(rest, validate=True) if ";base64" in match[2].lower() else unquote_to_bytes(rest)
    except (binascii.Error, ValueError):
        raise InputError(f'pair "{pair_id}": the image in the record is no valid base64') from None
