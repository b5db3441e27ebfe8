"""Run notebooks through papermill, two at a time, and only those whose cache key changed."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.book.cache import notebook_key, shared_inputs
from posh_lite.book.layout import BookError, Layout
from posh_lite.book.notebooks import notebook_format

WORKERS = 2
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one notebook."""

    name: str
    seconds: float
    cached: bool = False
    error: str = ""  # the failed cell and its traceback; empty where all went well
    stderr: int = 0  # lines written to stderr, which the pages leave out


def _record_path(layout: Layout, notebook: Path) -> Path:
    return layout.cache / f"{notebook.stem}.json"


def is_fresh(layout: Layout, notebook: Path, key: str) -> bool:
    """Whether the chapter of ``notebook`` was made under ``key`` and everything it drew is still there."""
    record = _record_path(layout, notebook)
    if not record.is_file() or not (layout.chapters / notebook.name).is_file():
        return False
    try:
        kept = json.loads(record.read_text("utf-8"))
    except json.JSONDecodeError:
        return False
    return kept.get("key") == key and all((layout.figures / name).is_file() for name in kept.get("figures", []))


def _expected(layout: Layout, notebook: Path) -> float:
    """Seconds that the notebook took last time; infinity where that is not known."""
    try:
        return float(json.loads(_record_path(layout, notebook).read_text("utf-8"))["seconds"])
    except (OSError, KeyError, ValueError):
        return math.inf


def figures_of(executed: Any) -> list[str]:
    """File names of the figures that an executed notebook's outputs refer to, sorted."""
    found: set[str] = set()
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            found.update(output.get("metadata", {}).get("posh_lite", {}).get("files", []))
    return sorted(found)


def _stderr_lines(executed: Any) -> int:
    return sum(
        len(output.get("text", "").splitlines())
        for cell in executed.cells
        for output in cell.get("outputs", [])
        if output.get("output_type") == "stream" and output.get("name") == "stderr"
    )


def describe_failure(error: Any) -> str:
    """A failed cell with its source and its traceback, as plain text."""
    source = "\n".join(f"    {line}" for line in str(getattr(error, "source", "")).splitlines())
    lines = getattr(error, "traceback", None) or [str(error)]
    trace = _ANSI.sub("", "\n".join(lines))
    where = f"cell {error.cell_index}" if hasattr(error, "cell_index") else "the kernel"
    return f"{where} failed:\n{source}\n{trace}"


def _stderr_to(log: str | None) -> None:
    """Send what this process and its kernel say on stderr to a file: notices of the kernel are not for the reader."""
    if log is not None:
        with open(log, "w", encoding="utf-8") as handle:
            os.dup2(handle.fileno(), 2)


def run_notebook(
    root: str, source: str, target: str, parameters: Mapping[str, Any], log: str | None = None
) -> dict[str, Any]:
    """Execute one notebook with the checkout as the working folder; meant for a worker process.

    Returns:
        ``seconds``, ``error`` (empty on success), ``figures`` and ``stderr``. ``target`` exists only on success.
    """
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the environment's own python3 kernel, not one in the home folder
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    # as many kernels as cores: threads of linear algebra on top of that only get in each other's way
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    _stderr_to(log)
    import papermill
    from papermill.exceptions import PapermillExecutionError

    nbformat, started = notebook_format(), time.perf_counter()
    final, partial = Path(target), Path(target).with_suffix(".partial.ipynb")
    try:
        papermill.execute_notebook(
            source, str(partial), parameters=dict(parameters), kernel_name="python3",
            cwd=root, progress_bar=False, log_output=False, start_timeout=120,
        )
        executed = nbformat.read(partial, as_version=4)
        # Run times and host paths would make the page differ between two runs that show the same.
        executed.metadata.pop("papermill", None)
        for cell in executed.cells:
            cell.metadata.pop("papermill", None)
            cell.metadata.pop("execution", None)
        nbformat.write(executed, partial)
        partial.replace(final)
    except Exception as error:  # anything the kernel does must fail this notebook, and only this one
        known = isinstance(error, PapermillExecutionError)
        message = describe_failure(error) if known else f"{type(error).__name__}: {error}"
        return {"seconds": time.perf_counter() - started, "error": message, "figures": [], "stderr": 0}
    finally:
        partial.unlink(missing_ok=True)
    return {
        "seconds": time.perf_counter() - started, "error": "",
        "figures": figures_of(executed), "stderr": _stderr_lines(executed),
    }


def run_all(
    layout: Layout, jobs: Mapping[Path, Mapping[str, Any]], *, force: bool = False, workers: int = WORKERS
) -> list[Run]:
    """Bring the chapters of ``jobs`` (notebook to parameters) up to date; the outcomes are in chapter order.

    A failed notebook leaves neither a chapter nor a cache record behind, so that no stale page can be built.
    """
    layout.chapters.mkdir(parents=True, exist_ok=True)
    layout.cache.mkdir(parents=True, exist_ok=True)
    shared = shared_inputs(layout)
    keys = {notebook: notebook_key(notebook, parameters, shared) for notebook, parameters in jobs.items()}
    runs = [
        Run(notebook.stem, 0.0, cached=True)
        for notebook in jobs if not force and is_fresh(layout, notebook, keys[notebook])
    ]
    done = {run.name for run in runs}
    waiting = [notebook for notebook in jobs if notebook.stem not in done]
    if waiting:
        runs += _run_waiting(layout, waiting, jobs, keys, workers)
    return sorted(runs, key=lambda run: run.name)


def _run_waiting(
    layout: Layout, waiting: Sequence[Path], jobs: Mapping[Path, Mapping[str, Any]], keys: Mapping[Path, str],
    workers: int,
) -> list[Run]:
    runs: list[Run] = []
    # the longest first, so that no core idles at the end; later chapters, which score more, where nothing is known
    waiting = sorted(waiting, key=lambda notebook: (_expected(layout, notebook), notebook.name), reverse=True)
    for notebook in waiting:
        (layout.chapters / notebook.name).unlink(missing_ok=True)
        _record_path(layout, notebook).unlink(missing_ok=True)
    # spawn: a forked child would inherit this process's event loops and threads
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(waiting)), mp_context=context) as pool:
        futures: dict[Future[dict[str, Any]], Path] = {
            pool.submit(
                run_notebook, str(layout.root), str(notebook), str(layout.chapters / notebook.name),
                dict(jobs[notebook]), str(layout.cache / f"{notebook.stem}.log"),
            ): notebook
            for notebook in waiting
        }
        for future in as_completed(futures):
            notebook = futures[future]
            outcome = future.result()
            if not outcome["error"]:
                record = {"key": keys[notebook], "figures": outcome["figures"], "seconds": round(outcome["seconds"], 2)}
                _record_path(layout, notebook).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
            runs.append(Run(notebook.stem, outcome["seconds"], error=outcome["error"], stderr=outcome["stderr"]))
            word = "FAILED" if outcome["error"] else "ran"
            print(f"  {notebook.stem}: {word} in {outcome['seconds']:.1f} s", flush=True)
    return runs


def prune(layout: Layout, sources: Sequence[Path]) -> None:
    """Remove chapters and records of notebooks that no longer exist.

    Raises:
        BookError: there is no notebook at all.
    """
    if not sources:
        raise BookError(f"no notebooks named NN_name.ipynb in {layout.notebooks}")
    names = {source.stem for source in sources}
    for folder, pattern in ((layout.chapters, "*.ipynb"), (layout.cache, "*.json")):
        for path in folder.glob(pattern):
            if path.stem not in names:
                path.unlink()
