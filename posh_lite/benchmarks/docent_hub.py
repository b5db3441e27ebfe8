"""Getting the published sets of DOCENT from the Hugging Face hub, once, at a revision that is recorded.

Which revision is the right one is not stated in the paper. The first download asks the hub for the newest, records
it with the hash of what came (``docent-eval-coarse.jsonl.pin.json``), and every later one is held against that. A
revision that is given is used instead. Only the text columns are taken: images are not decoded and not kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posh_lite.benchmarks.catalog import cache_folder, sha256
from posh_lite.benchmarks.docent_schema import REPOS, SCHEMAS, Published, check_columns
from posh_lite.benchmarks.docent_source import PLACE
from posh_lite.benchmarks.nga_fetch import FetchError, pin_path, read_pin, write_pin
from posh_lite.errors import MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import write_jsonl


def fetch_published(name: Published, *, revision: str | None = None, folder: Path | None = None) -> Path:
    """Have a published set as JSON Lines.

    Args:
        name: which.
        revision: commit of the set's repository, 40 hexadecimal digits; by default that of the pin, else the newest.
        folder: where to; by default ``docent`` in the cache folder.

    Returns:
        Path of the file, whose pin lies beside it.

    Raises:
        MissingDependency: the library ``datasets`` is not installed (extra ``docent``).
        FetchError: the hub cannot be reached, has not the expected columns, or gave something else than the pin says.
    """
    if revision is not None and not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise FetchError(f'"{revision}" is no revision: give all 40 hexadecimal digits of a commit')
    repo = REPOS[name]
    target = (folder or cache_folder() / PLACE) / f"{repo.split('/')[1]}.jsonl"
    pin = read_pin(target)
    if pin is not None and revision in (None, pin.revision):
        if target.is_file() and sha256(target) == pin.sha256:
            return target
        revision = pin.revision
    else:
        pin = None
    revision = revision or _newest(repo)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    try:
        write_jsonl(part, _rows(name, repo, revision))
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if pin is not None and sha256(part) != pin.sha256:
        part.unlink()
        raise FetchError(f"{repo} at {revision}: not what {pin_path(target).name} recorded; nothing was kept")
    os.replace(part, target)
    if pin is None:
        write_pin(target, repo, revision, "")
    return target


def _library() -> Any:
    try:
        import datasets
    except ImportError:
        raise MissingDependency(f"the hub needs the library datasets: {install_command('docent')}") from None
    return datasets


def _newest(repo: str) -> str:
    _library()
    from huggingface_hub import HfApi

    try:
        found = str(HfApi().dataset_info(repo).sha)
    except Exception as error:  # the library raises many kinds, of its own and of its parts
        raise FetchError(f"{repo}: the hub does not answer ({' '.join(str(error).split())[:200]})") from None
    if not re.fullmatch(r"[0-9a-f]{40}", found):
        raise FetchError(f"{repo}: the hub does not say at which revision it is; give one with --revision")
    return found


def _rows(name: Published, repo: str, revision: str) -> Iterator[dict[str, Any]]:
    library = _library()
    try:
        loaded = library.load_dataset(repo, revision=revision)
    except Exception as error:
        raise FetchError(f"{repo} at {revision}: cannot be loaded ({' '.join(str(error).split())[:300]})") from None
    for split, rows in loaded.items():
        problems = check_columns(list(rows.column_names), name)
        if problems:
            raise FetchError(f"{repo} at {revision}, split {split}: {problems[0].message}")
        for row in rows.select_columns(list(SCHEMAS[name])):
            yield {**{column: row[column] for column in SCHEMAS[name]}, "split": split}
