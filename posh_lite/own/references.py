"""References that captions are held against, by the image that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from posh_lite.errors import InputError
from posh_lite.records import is_text, read_jsonl

#: Benchmarks whose references can be named instead of a file.
NAMED = ("mini", "iiw400", "docent")


@dataclass(frozen=True, slots=True)
class References:
    """One reference an image.

    Attributes:
        name: of the benchmark, or of the file.
        by_image: image -> its reference.
        note: a sentence on what they can and cannot show; may be empty.
        constructed: whether they were written for this project.
    """

    name: str
    by_image: dict[str, str]
    note: str = ""
    constructed: bool = False
    _stems: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        stems: dict[str, str] = {}
        twice = set()
        for image in self.by_image:
            name = stem(image)
            if stems.setdefault(name, image) != image:
                twice.add(name)  # two images: the whole name is needed
        object.__setattr__(self, "_stems", {k: v for k, v in stems.items() if k not in twice})

    def image_of(self, *names: str | None) -> str | None:
        """The image that one of these names means: as it stands, else by the file name without its ending.

        An id such as ``gleaners/mine`` means the image ``gleaners``, where there is one.
        """
        given = [n for n in names if n]
        for name in given:
            if name in self.by_image:
                return name
        for name in given:
            found = self._stems.get(stem(name)) or self._stems.get(name.partition("/")[0])
            if found is not None:
                return found
        return None

    def near(self, name: str) -> str:
        """An image of a similar name, or the first, for a message."""
        close = get_close_matches(name, self.by_image, n=1, cutoff=0.5)
        return close[0] if close else next(iter(self.by_image))


def stem(name: str) -> str:
    """The last part of a path without its ending, whatever system wrote it."""
    last = PurePosixPath(name.replace("\\", "/")).name
    before, dot, end = last.rpartition(".")
    return before if dot and before and len(end) <= 5 else last


def load_references(name: str) -> References:
    """References of a benchmark by its name, of a JSON Lines file, or of a folder that ``docent build`` wrote.

    Args:
        name: one of :data:`NAMED`, or a path. Lines of a file have ``image`` or ``id``, and ``reference``.

    Raises:
        InputError: nothing of that name, its data is not at hand, or a line cannot be used.
    """
    if name == "mini":
        from posh_lite.benchmarks.mini import load_mini

        note = "Twelve works, written for this project; all were read while the default judge was developed."
        return References(name, {w.slug: w.reference for w in load_mini().works}, note, constructed=True)
    if name == "iiw400":
        from posh_lite.benchmarks.iiw import load_iiw400

        return References(name, dict(load_iiw400().descriptions), "Descriptions of web images by people (CC BY 4.0).")
    if name == "docent":
        return References(name, _docent(), "Descriptions of art by experts.")
    path = Path(name)
    if not path.exists():
        near = get_close_matches(name, NAMED, n=1)
        hint = f"did you mean {near[0]}?" if near else f"name {', '.join(NAMED)}, or a file"
        raise InputError(f'no benchmark and no file "{name}"; {hint}')
    if path.is_dir():
        from posh_lite.benchmarks.docent_layout import read_layout

        build, example = read_layout(path)
        note = "Descriptions of art, constructed for this project." if example else "Descriptions of art by experts."
        return References(path.name, {w.uuid: w.reference for w in build.works}, note, constructed=example)
    found: dict[str, str] = {}
    for image, text, line in _lines(path):
        if found.setdefault(image, text) != text:
            raise InputError(f'the image "{image}" has another reference further up', path=path, line=line,
                             field="reference")
    if not found:
        raise InputError("no references in it", path=path)
    return References(path.name, found)


def _lines(path: Path) -> Iterator[tuple[str, str, int]]:
    for line, row in read_jsonl(path):
        if not isinstance(row, dict):
            raise InputError(f"expected a JSON object, got {type(row).__name__}", path=path, line=line)
        image = row.get("image") or row.get("id")
        if isinstance(image, int) and not isinstance(image, bool):
            image = str(image)
        text = row.get("reference")
        for name, value in (("image", image), ("reference", text)):
            if not isinstance(value, str) or not value.strip() or not is_text(value):
                raise InputError(f'field "{name}" is missing, empty or no text (a reference needs "image" or "id", and'
                                 ' "reference")', path=path, line=line, field=name)
        assert isinstance(image, str) and isinstance(text, str)
        yield image, text, line


def _docent() -> dict[str, str]:
    """DOCENT's references: of the works, or where these are not at hand those of the judged captions."""
    from posh_lite.benchmarks.docent import load_docent, load_docent_references

    try:
        return load_docent_references()
    except InputError as error:
        try:
            return {p.image: p.reference for p in load_docent().pairs if p.image}
        except InputError:
            raise error from None


def digest_of(texts: Iterable[str]) -> str:
    """A hash of a set of texts, whatever their order: twelve hexadecimal digits."""
    from posh_lite.judge.keys import digest

    return digest(*sorted(set(texts))).hex()[:12]
