"""What a policy is trained on: a reference, where there is one an image, a prompt and a rubric, a row each.

JSON Lines, Parquet, or a folder in the layout of DOCENT. A record of pairs (``id``, ``generation``, ``reference``)
will do; its generation is not looked at here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from posh_lite.baselines.images import media_type
from posh_lite.errors import InputError
from posh_lite.records import is_text, read_jsonl
from posh_lite.reward.train.config import Data

#: Names under which a column is looked for, in this order: ours, DOCENT's, and those of Table 9.
NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "uuid"), "reference": ("reference", "answer"), "image": ("image", "images"),
    "prompt": ("prompt", "problem"), "rubric": ("rubric",),
}
#: Columns that every row must have.
_NEEDED = frozenset({"reference"})
OnError = Callable[[InputError], None]


@dataclass(frozen=True, slots=True)
class Example:
    """One row.

    Attributes:
        id: of the row; its number where the file names none.
        reference: the description that is aimed at.
        prompt: what the policy is asked.
        image: file of the image; None for a row of text alone.
        content: bytes of the image where the file itself holds them.
        rubric: as JSON text; empty where it is to be derived from the reference.
        source: file and line, for messages.
    """

    id: str
    reference: str
    prompt: str
    image: str | None = None
    content: bytes | None = None
    rubric: str = ""
    source: tuple[str, int] = ("", 0)

    @property
    def has_image(self) -> bool:
        return self.image is not None or self.content is not None

    def picture(self, most: int = -1) -> bytes:
        """The bytes of the image, or the first ``most`` of them.

        Raises:
            InputError: there is none, or the file cannot be read.
        """
        if self.content is not None:
            return self.content if most < 0 else self.content[:most]
        path, line = self.source
        if self.image is None:
            raise InputError("the row has no image", path=path, line=line, field="image")
        try:
            with Path(self.image).open("rb") as handle:
                return handle.read(most)
        except (OSError, ValueError) as error:  # a name with NUL is no name
            why = error.strerror if isinstance(error, OSError) else error
            raise InputError(f'image "{self.image}" cannot be read: {why}', path=path, line=line,
                             field="image") from None


def prompt_text(name: str) -> str:
    """The prompt that comes with the package under this name, or the text of a file.

    Raises:
        InputError: neither, or it is empty.
    """
    place = files("posh_lite.reward") / "configs" / "prompts" / f"{name}.txt"
    try:
        text = place.read_text("utf-8") if place.is_file() else Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(p.name.removesuffix(".txt") for p in
                                 (files("posh_lite.reward") / "configs" / "prompts").iterdir()))
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"no prompt: {why}; name a text file or one of {known}", path=name) from None
    if not text.strip():
        raise InputError("the prompt is empty", path=name)
    return text.strip()


def find_split(data: str, split: str) -> Path | None:
    """The file of a split in a folder of DOCENT's layout; None where the folder has none."""
    for form in ("jsonl", "parquet"):
        if (path := Path(data) / "data" / f"{split}.{form}").is_file():
            return path
    return None


def sources(data: Data) -> tuple[Path, Path | None]:
    """The files to train on and to validate on.

    Raises:
        InputError: nothing is named, or a folder has no split for training.
    """
    if not data.train:
        raise InputError("nothing to train on; give --data FILE (or FOLDER in the layout of DOCENT)",
                         field="data.train")
    validation = None if not data.validation else Path(data.validation)
    if validation is not None and validation.is_dir():
        validation = find_split(data.validation, "validation")
    if not Path(data.train).is_dir():
        return Path(data.train), validation
    train = find_split(data.train, "train")
    if train is None:
        raise InputError("is a folder without data/train.jsonl or data/train.parquet; name a file, or a folder that"
                         " `posh-lite docent build` wrote", path=data.train)
    return train, validation or find_split(data.train, "validation")


def read_examples(path: str | Path, data: Data, *, vision: bool, on_error: OnError | None = None) -> Iterator[Example]:
    """The rows of a file, checked one by one.

    Args:
        path: ``.jsonl`` or ``.parquet``.
        data: columns, prompt and folder of images.
        vision: whether each row needs an image, which must then be one.
        on_error: told of each row that cannot be used, which is then left out.

    Raises:
        InputError: the file cannot be read, or without ``on_error`` a row cannot be used; file, line and field.
    """
    standard = prompt_text(data.prompt)
    folder = Path(data.images) if data.images else Path(path).parent
    manifest = _manifest(Path(data.images) if data.images else Path(path).parent.parent / "images")
    seen: dict[str, int] = {}
    for line, row in _rows(Path(path), on_error):
        try:
            example = _example(row, data.columns, standard, folder, manifest, str(path), line, vision)
            if example.id in seen:
                raise InputError(f'id "{example.id}" was used on line {seen[example.id]} already; ids must be unique',
                                 path=path, line=line, field="id")
        except InputError as error:
            if on_error is None:
                raise
            on_error(error)
            continue
        seen[example.id] = line
        yield example


def _rows(path: Path, on_error: OnError | None) -> Iterator[tuple[int, Any]]:
    if path.suffix == ".parquet":
        from posh_lite.benchmarks.docent_layout import read_frame

        frame = read_frame(path).astype(object)
        yield from enumerate(frame.where(frame.notna(), None).to_dict("records"), start=1)
        return
    yield from read_jsonl(path, on_error=on_error)


def _manifest(folder: Path) -> dict[str, str]:
    """Images that ``posh-lite docent images`` fetched, by the id of their work."""
    from posh_lite.benchmarks.nga_images import read_manifest

    return {key: str(folder / entry.file) for key, entry in read_manifest(folder).items() if entry.status == "ok"}


def _example(
    row: Any, columns: Mapping[str, str], prompt: str, folder: Path, manifest: Mapping[str, str], path: str, line: int,
    vision: bool,
) -> Example:
    if not isinstance(row, dict):
        raise InputError(f"expected a JSON object, got {type(row).__name__}", path=path, line=line)

    def value(name: str) -> Any:
        given = columns.get(name)
        for key in (given, *NAMES[name]):
            if key is not None and row.get(key) is not None:
                return row[key]
        if name in _NEEDED:
            looked = given or " or ".join(NAMES[name])
            raise InputError(f'column "{looked}" is missing; the row has {", ".join(map(str, row))}; name it with'
                             f" --set data.columns.{name}=COLUMN", path=path, line=line, field=name)
        return None

    def text(name: str, found: Any) -> str:
        if not isinstance(found, str):
            raise InputError(f"{name} must be a string, got {type(found).__name__}", path=path, line=line, field=name)
        if not found.strip():
            raise InputError(f"{name} is empty", path=path, line=line, field=name)
        if not is_text(found):
            raise InputError(f"{name} holds half of a surrogate pair, which is no character", path=path, line=line,
                             field=name)
        return found

    reference = text("reference", value("reference"))
    key = value("id")
    key = str(line) if key is None else text("id", str(key) if isinstance(key, int) else key)
    asked = value("prompt")
    image, content = _image(value("image"), folder, manifest.get(key), path, line)
    example = Example(key, reference, prompt if asked is None else text("prompt", asked).replace("<image>", "").strip(),
                      image, content, _rubric(value("rubric"), path, line), (path, line))
    if vision:
        kind = media_type(example.picture(64))
        if not kind:
            raise InputError(f'image "{image or "inside the file"}" is no picture that is known (PNG, JPEG, WebP, GIF)',
                             path=path, line=line, field="image")
    return example


def _image(
    value: Any, folder: Path, fetched: str | None, path: str, line: int
) -> tuple[str | None, bytes | None]:
    if hasattr(value, "tolist"):  # an array of a Parquet file
        value = value.tolist()
    if isinstance(value, list):
        if len(value) > 1:
            raise InputError(f"the row has {len(value)} images, expected one", path=path, line=line, field="image")
        value = value[0] if value else None
    if value is None:
        return fetched, None
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
        return None, value["bytes"]
    if isinstance(value, Mapping):
        value = value.get("path")
    if not isinstance(value, str):
        raise InputError(f"image must be a file name, got {type(value).__name__}", path=path, line=line, field="image")
    if value.startswith(("http://", "https://", "data:")):
        raise InputError(f'image "{value[:60]}" is no file; fetch the images first', path=path, line=line,
                         field="image")
    return str(folder / value), None


def _rubric(value: Any, path: str, line: int) -> str:
    if value is None or value == "":
        return ""
    from posh_lite.reward.call import as_json
    from posh_lite.reward.rubrics import read_rubric

    if hasattr(value, "tolist"):
        value = value.tolist()
    try:
        told = as_json(value)
        read_rubric(told)
    except InputError as error:
        raise InputError(str(error), path=path, line=line, field="rubric") from None
    return told


def to_row(example: Example) -> dict[str, Any]:
    """The row as JSON Lines hold it, for what a filter keeps; bytes of an image are not written."""
    row: dict[str, Any] = {"id": example.id, "reference": example.reference, "prompt": example.prompt}
    if example.image is not None:
        row["image"] = example.image
    if example.rubric:
        row["rubric"] = json.loads(example.rubric)
    return row
