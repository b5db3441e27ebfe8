"""Images to be captioned: found in a folder, named by a file, or those of DOCENT; made smaller where they are large."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posh_lite.baselines.images import Picture, Pictures
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import Pair, read_jsonl

#: Endings that a folder is searched for; servers take nothing else.
ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_OTHERS = frozenset({".tif", ".tiff", ".bmp", ".heic", ".avif", ".svg"})
_LARGEST = 1_000_000_000  # bytes of a file; what is sent is smaller
_QUALITY = 90


@dataclass(frozen=True, slots=True)
class Shot:
    """An image that wants a caption.

    Attributes:
        id: of the caption.
        image: path relative to the folder, as the record names it.
        kept: further fields that go into the record of the caption, such as ``reference``.
    """

    id: str
    image: str
    kept: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shots:
    """Images of one source.

    Attributes:
        folder: what paths are relative to.
        rows: in order.
        passed_over: files of the folder that look like images and cannot be sent as they are.
    """

    folder: Path
    rows: tuple[Shot, ...]
    passed_over: tuple[str, ...] = ()


def find_shots(source: str, images: str | Path | None = None) -> Shots:
    """The images of a source.

    Args:
        source: a folder of images; a JSON Lines file with ``image``, and optionally ``id`` and ``reference``; or
            "docent", whose images ``posh-lite docent images`` fetched.
        images: folder that paths of a file are relative to (default: that of the file), or that of DOCENT's images.

    Raises:
        InputError: there is no image, or a record cannot be used.
    """
    if images is not None and not Path(images).is_dir():
        raise InputError("no such folder of images", path=images)
    path = Path(source)
    if source == "docent" and not path.is_dir():
        return _docent(images)
    if path.is_dir():
        if images is not None:
            raise InputError("--images goes with a file of records or with docent, not with a folder of images")
        return _folder(path)
    if not path.exists():
        raise InputError("no such folder or file of images", path=source)
    return _file(path, path.parent if images is None else Path(images))


def _folder(folder: Path) -> Shots:
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    files = [f for f in files if not any(part.startswith(".") for part in f.split("/"))]
    rows = tuple(Shot(f, f) for f in files if Path(f).suffix.lower() in ENDINGS)
    others = tuple(f for f in files if Path(f).suffix.lower() in _OTHERS)
    if not rows:
        how = f"; convert {others[0]} to PNG or JPEG" if others else ", of PNG, JPEG, GIF or WebP"
        raise InputError(f"no images in it{how}", path=folder)
    return Shots(folder, rows, others)


def _file(path: Path, folder: Path) -> Shots:
    rows: dict[str, Shot] = {}
    for line, row in read_jsonl(path):
        if not isinstance(row, dict) or not isinstance(row.get("image"), str) or not row["image"].strip():
            raise InputError('a record needs "image", the path of a file', path=path, line=line, field="image")
        name = row.get("id", row["image"])
        name = str(name) if isinstance(name, int) and not isinstance(name, bool) else name
        if not isinstance(name, str) or not name.strip():
            raise InputError('field "id" must be a text', path=path, line=line, field="id")
        if name in rows:
            raise InputError(f'id "{name}" was used already; ids must be unique', path=path, line=line, field="id")
        kept = {k: row[k] for k in ("reference", "source") if isinstance(row.get(k), str) and row[k].strip()}
        rows[name] = Shot(name, row["image"], kept)
    if not rows:
        raise InputError("no images in it", path=path)
    return Shots(folder, tuple(rows.values()))


def _docent(images: str | Path | None) -> Shots:
    from posh_lite.benchmarks.nga_images import read_manifest

    if images is None:
        raise InputError("where are the images of DOCENT? `posh-lite docent images BUILD -o DIR` fetches them; then"
                         " give --images DIR")
    entries = read_manifest(images)
    rows = tuple(Shot(uuid, e.file) for uuid, e in entries.items() if e.status == "ok")
    if not rows:
        raise InputError("has no images that `posh-lite docent images` fetched (no manifest.jsonl with any)",
                         path=images)
    return Shots(Path(images), rows)


@dataclass(frozen=True, slots=True)
class Shrunk(Picture):
    """A picture that is made smaller when it is sent.

    Attributes:
        longest: most pixels of its longer side; 0 sends it as it is.
    """

    longest: int = 0

    def read(self) -> bytes:
        """Its bytes: those of the file where it is small enough, else of a smaller JPEG, turned upright.

        Raises:
            InputError: it cannot be opened, or changed since it was checked.
        """
        data = Picture.read(self)
        return shrink(data, self.longest, self.pair_id) if self.longest else data

    def url(self) -> str:
        """A data URL of what :meth:`read` gives."""
        import base64

        from posh_lite.baselines.images import media_type

        data = self.read()
        return f"data:{media_type(data)};base64,{base64.b64encode(data).decode('ascii')}"


def picture_of(shot: Shot, folder: Path, longest: int) -> Shrunk:
    """The picture of an image, found and checked.

    Args:
        shot: the image.
        folder: that its path is relative to.
        longest: most pixels of its longer side; 0 for no bound.

    Raises:
        InputError: it is missing, damaged or no picture. The message names the image.
    """
    finder = Pictures(folder, most_bytes=_LARGEST)
    try:
        found = finder.find(Pair(shot.id, "", "", image=shot.image))
    except InputError as error:
        raise InputError(str(error).replace("pair ", "image ", 1)) from None
    return Shrunk(found.pair_id, found.digest, found.kind, found.path, found.address, longest)


def shrink(data: bytes, longest: int, name: str) -> bytes:
    """A picture whose longer side has at most so many pixels.

    Args:
        data: of the file.
        longest: bound.
        name: for messages.

    Returns:
        The same bytes where it is within the bound and upright, else a JPEG.

    Raises:
        InputError: it cannot be opened.
        MissingDependency: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise MissingDependency(f"making images smaller needs Pillow: {install_command('baselines')}, or give"
                                " --max-side 0 to send them as they are") from None
    try:
        with Image.open(io.BytesIO(data)) as image:
            turned = image.getexif().get(0x0112, 1) != 1
            if max(image.size) <= longest and not turned:
                return data
            upright: Any = ImageOps.exif_transpose(image)
            upright = _plain(upright)
            upright.thumbnail((longest, longest), Image.Resampling.LANCZOS)
            out = io.BytesIO()
            upright.save(out, "JPEG", quality=_QUALITY)
            return out.getvalue()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f'image "{name}" cannot be opened ({" ".join(str(error).split())})') from None


def _plain(image: Any) -> Any:
    """In red, green and blue; what is transparent becomes white."""
    from PIL import Image

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(ground, image).convert("RGB")
    return image.convert("RGB")
