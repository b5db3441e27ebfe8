"""Captions of a model, read from a file: whole pairs, or captions alone that are joined to references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.own.references import References
from posh_lite.records import Pair, pair_from_dict, read_jsonl

#: What people call the text of a caption; said in the message where ``generation`` is missing.
_ALIASES = ("caption", "text", "description", "output", "response", "prediction", "answer")
#: Names that some system or this package has a use for.
_RESERVED = frozenset({"con", "nul", "aux", "prn", "comparisons"})


@dataclass(frozen=True, slots=True)
class Captions:
    """What a file holds.

    Attributes:
        pairs: in the order of the file, each with its reference.
        references: name of where the references come from; "the file" where they stand in it.
        n_skipped: records that could not be used.
        n_uncaptioned: images of the benchmark without a caption.
        note: on the references.
        constructed: whether the texts were made up for this project.
    """

    pairs: tuple[Pair, ...]
    references: str
    n_skipped: int = 0
    n_uncaptioned: int = 0
    note: str = ""
    constructed: bool = False


def read_captions(
    path: str | Path, references: References | None = None, *, on_error: Callable[[InputError], None] | None = None
) -> Captions:
    """Read a file of captions, and join those without a reference to references.

    Args:
        path: JSON Lines, or "-" for standard input. A line has ``generation`` and either ``id`` and ``reference``, or
            ``id`` or ``image`` of the references given; ``model`` is optional.
        references: by image; None where each line has its own.
        on_error: told of each record that cannot be used, which is then left out.

    Raises:
        InputError: a record cannot be used, an id comes twice, an image is none of the references', or the file is
            empty. File, line and field are named.
    """
    where = "standard input" if str(path) == "-" else str(path)
    seen: dict[str, int] = {}
    pairs: list[Pair] = []
    faults: list[InputError] = []

    def tell(error: InputError) -> None:
        if on_error is None:
            raise error
        faults.append(error)
        on_error(error)

    used: set[str] = set()
    for line, row in read_jsonl(path, on_error=tell):
        try:
            pair, image = _pair(row, references, where, line)
            if pair.id in seen:
                raise InputError(f'id "{pair.id}" was used on line {seen[pair.id]} already; ids must be unique',
                                 path=where, line=line, field="id")
        except InputError as error:
            tell(error)
            continue
        seen[pair.id] = line
        used.add(image)
        pairs.append(pair)
    if not pairs:
        raise InputError(f"none of its {len(faults):,} records can be used" if faults else "no captions in it",
                         path=where)
    made_up = all(p.source == "constructed" for p in pairs)
    if references is None:
        return Captions(tuple(pairs), "the file", len(faults), constructed=made_up)
    left = len(references.by_image) - len(used)
    return Captions(tuple(pairs), references.name, len(faults), left, references.note, made_up)


def _pair(row: Any, references: References | None, path: str, line: int) -> tuple[Pair, str]:
    """A record as a pair, and its image."""
    if not isinstance(row, dict):
        raise InputError(f"expected a JSON object, got {type(row).__name__}", path=path, line=line)
    if "generation" not in row:
        named = next((n for n in _ALIASES if isinstance(row.get(n), str)), None)
        hint = f'; is it "{named}"? Rename that field' if named else ", the text of the caption"
        raise InputError(f'field "generation" is missing{hint}', path=path, line=line, field="generation")
    row = dict(row)
    if row.get("id") is None and row.get("image"):
        row["id"] = row["image"]
    given = row.get("reference")
    if references is None:
        if given is None:
            raise InputError('field "reference" is missing; add it to each line, or name the references that the'
                             " captions are held against: --benchmark mini, iiw400, docent or a file", path=path,
                             line=line, field="reference")
        pair = pair_from_dict(row, path=path, line=line)
        return pair, pair.image or pair.reference
    if row.get("id") is None:
        raise InputError('a caption needs "id" or "image", which says what it describes', path=path, line=line,
                         field="id")
    names = [str(n) for n in (row.get("image"), row["id"]) if isinstance(n, str | int)]
    image = references.image_of(*names)
    if image is None:
        shown = names[0] if names else "?"
        raise InputError(f'"{shown}" is no image of {references.name}, which has {len(references.by_image):,} such as'
                         f' "{references.near(shown)}"', path=path, line=line, field="image")
    if isinstance(given, str) and given != references.by_image[image]:
        raise InputError(f'has another reference than {references.name} for "{image}"; take the field out, or leave out'
                         " --benchmark", path=path, line=line, field="reference")
    row["reference"] = references.by_image[image]
    return replace(pair_from_dict(row, path=path, line=line), image=image), image


def by_model(captions: Captions, name: str | None) -> Iterator[tuple[str, Captions]]:
    """One set of captions a model, with its name.

    Args:
        captions: of one or several models.
        name: of the one model; None takes the names that the records give.

    Raises:
        InputError: a name that no folder can be made of, a record names no model, one name is given to several models,
            or two names would have one folder.
    """
    models = list(dict.fromkeys(p.model for p in captions.pairs))
    if name is not None:
        if len(models) > 1:
            shown = ", ".join(str(m) for m in models[:5])
            raise InputError(f"--name is for one model, and the file names {len(models)}: {shown}; leave --name out,"
                             " and each gets a row of its own")
        folder_of(name)
        yield name, captions
        return
    if None in models:
        raise InputError('which model? Give --name NAME, or name it in the field "model" of every line')
    folders: dict[str, str | None] = {}
    for model in models:
        folder = folder_of(str(model))
        if folder in folders:
            raise InputError(f'"{model}" and "{folders[folder]}" would have one folder; rename one of them')
        folders[folder] = model
    for model in models:
        yield str(model), replace(captions, pairs=tuple(p for p in captions.pairs if p.model == model))


def folder_of(name: str) -> str:
    """The folder of a model: its name in lower case, where what no file system minds is all that is left.

    >>> folder_of("Qwen/Qwen2.5-VL 7B")
    'qwen-qwen2.5-vl-7b'

    Raises:
        InputError: nothing is left.
    """
    folder = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[:80].rstrip("-._")
    if not folder or not name.isprintable():
        raise InputError(f"{name!r} cannot be the name of a model: it needs letters or digits of ASCII")
    return f"model-{folder}" if folder.partition(".")[0] in _RESERVED else folder
