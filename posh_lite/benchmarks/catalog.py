"""The datasets that the package can use: what they are, under which licence, where from, and their hashes.

Nothing of them is part of the package. A file is looked for under ``POSH_LITE_DATA`` first, then in the cache
folder that ``posh-lite data fetch`` fills.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from posh_lite.errors import InputError

#: Environment variable that names a folder with data.
SETTING = "POSH_LITE_DATA"
_RAW = "https://raw.githubusercontent.com"
Status = Literal["ok", "excerpt", "absent", "changed"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One file that can be downloaded or put in place.

    Attributes:
        name: as in ``posh-lite data fetch NAME``.
        path: where it lies under a data folder.
        about: what it is, in a line.
        rows: how many records the whole file has.
        licence: under which its authors publish it.
        sha256: of the whole file; None where the whole is not pinned and only the excerpt is known.
        repo, commit, upstream: the public GitHub repository, revision and path that it comes from.
        excerpt: path, rows and SHA-256 of a part that may lie there instead.
        changing: whether it is written anew from day to day, so that ``rows`` is 0 and its hash is recorded on the
            first download (:mod:`posh_lite.benchmarks.nga_fetch`).
    """

    name: str
    path: str
    about: str
    rows: int
    licence: str
    sha256: str | None
    repo: str
    commit: str | None = None
    upstream: str | None = None
    excerpt: tuple[str, int, str] | None = None
    changing: bool = False

    @property
    def address(self) -> str | None:
        """Where the file can be downloaded, pinned to a commit; None where it is not offered."""
        if self.commit is None or self.upstream is None or self.sha256 is None:
            return None
        return f"{_RAW}/{self.repo}/{self.commit}/{self.upstream}"


_IIW = "96d393777e2528becd8a7afa1389eb4b65084793"
DATASETS: dict[str, Dataset] = {
    d.name: d
    for d in (
        Dataset(
            "iiw400", "iiw/IIW-400.jsonl",
            "dense human descriptions; for 100 images a model's caption and human side-by-side judgments",
            400, "CC BY 4.0", "88809dde73731208fa98f72430225a9122c8f7e3c4ebcde98e255d62c5f203f2",
            "google/imageinwords", _IIW, "datasets/IIW-400/data.jsonl",
        ),
        Dataset(
            "docci_test", "iiw/DOCCI_Test.jsonl",
            "images described twice by independent teams of people, with side-by-side judgments of the two",
            100, "CC BY 4.0", "f422b726c1af21a5154282cf8790ce110e03d5c94457d77d7002a50f17c984d1",
            "google/imageinwords", _IIW, "datasets/DOCCI_Test/data.jsonl",
        ),
        Dataset(
            "faithscore", "faithscore/annotation.jsonl",
            "answers of a vision-language model with human labels on sub-sentences and atomic facts",
            180, "MIT", "7d68dce9641f92fcdabd6e252cf12ee6ec9b6c1d5c4d306aef83666d299f1b7b",
            "bcdnlp/FAITHSCORE", "52179e5cfd3721b017132c5d90c1a639c5627480", "annotation.jsonl",
            ("faithscore/annotation.first90.jsonl", 90,
             "a1b827fb77522cea3b1d754fb23a64ff8d5f5fc7cd51a28f0c9d850d5671f581"),
        ),
        Dataset(
            "scene_graph_gold", "scene_graph_gold/gold.json",
            "museum descriptions with human spans of entities, attributes, relations and coreference",
            1, "research sample", None, "amith-ananthram/posh", None, "corpora/scene_graphs/gold.json",
            ("scene_graph_gold/nga_sample.json", 1,
             "b0aec4006d4e47f51f620fc1ab0a8374f7c574ed293cb5c64b102fd7f1073fbb"),
        ),
        Dataset(
            "caparena", "caparena/caparena_annots_eval.json",
            "battles between captions of vision-language models, decided by people (link in the repository's readme)",
            6523, "see the repository", None, "njucckevin/CapArena",
        ),
        Dataset(
            "nga_objects", "nga/objects.csv", "works of the National Gallery of Art, what DOCENT is built from",
            0, "CC0", None, "NationalGalleryOfArt/opendata", None, "data/objects.csv", changing=True,
        ),
        Dataset(
            "nga_images", "nga/published_images.csv", "their published images, with descriptions for screen readers",
            0, "CC0", None, "NationalGalleryOfArt/opendata", None, "data/published_images.csv", changing=True,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Found:
    """Where a dataset lies and whether it is what it should be."""

    dataset: Dataset
    status: Status
    path: Path | None = None
    excerpt: bool = False


def dataset(name: str) -> Dataset:
    """The dataset of that name.

    Raises:
        InputError: there is none.
    """
    if name not in DATASETS:
        raise InputError(f'no dataset named "{name}"; there are {", ".join(DATASETS)}')
    return DATASETS[name]


def cache_folder() -> Path:
    """Where fetched data is kept."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "posh-lite" / "data"


def folders() -> list[Path]:
    """Folders that are searched, in order."""
    setting = os.environ.get(SETTING)
    return [*([Path(setting).expanduser()] if setting else []), cache_folder()]


def sha256(path: Path) -> str:
    """Hash of a file, read in pieces."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def locate(name: str, *, verify: bool = False) -> Found:
    """Look for a dataset, whole or as its excerpt.

    Args:
        name: of the dataset.
        verify: compare the hash, too; without it, status "ok" only says that the file is there.
    """
    wanted = dataset(name)
    choices = [(wanted.path, wanted.sha256, False)]
    if wanted.excerpt is not None:
        choices.append((wanted.excerpt[0], wanted.excerpt[2], True))
    for path, expected, excerpt in choices:
        for folder in folders():
            file = folder / path
            if file.is_file():
                if wanted.changing and verify:
                    expected = _recorded(file)
                good = not verify or expected is None or sha256(file) == expected
                return Found(wanted, ("excerpt" if excerpt else "ok") if good else "changed", file, excerpt)
    return Found(wanted, "absent")


def _recorded(file: Path) -> str | None:
    """The hash that was recorded when a changing file came; None where it came in another way."""
    from posh_lite.benchmarks.nga_fetch import read_pin

    pin = read_pin(file)
    return None if pin is None else pin.sha256


def data_path(name: str) -> Path:
    """Path of a dataset's file (its excerpt where the whole is not there).

    Raises:
        InputError: it is nowhere; the message says how to get it.
    """
    found = locate(name)
    if found.path is None:
        if found.dataset.address is None and not found.dataset.changing:
            how = f"put it under {SETTING} as {found.dataset.path}"
        else:
            how = f"run `posh-lite data fetch {name}`, or set {SETTING} to a folder that has {found.dataset.path}"
        raise InputError(f"the dataset {name} is not here: {how}")
    return found.path
