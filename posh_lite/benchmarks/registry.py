"""Benchmarks by name: where each comes from, who knows the answers, and what is lacking where it cannot be loaded."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from posh_lite.benchmarks.contract import Benchmark, Gold
from posh_lite.errors import InputError, PoshLiteError


@dataclass(frozen=True, slots=True)
class BenchmarkEntry:
    """A benchmark that the package knows.

    Attributes:
        name: as on the command line.
        title: for tables.
        target: ``module:function`` that returns the :class:`Benchmark`, imported on use.
        about: one line.
        gold: who knows the answers.
        dataset: name in :data:`posh_lite.benchmarks.catalog.DATASETS`; empty where it comes with the package.
        check: ``module:function`` that says what is lacking, a list of lines, where it is no single file.
    """

    name: str
    title: str
    target: str
    about: str
    gold: Gold
    dataset: str = ""
    check: str = ""

    def lacks(self) -> list[str]:
        """What keeps it from being loaded here, a line each with what to do; empty where it can be."""
        if self.check:
            found: list[str] = _import(self.check, self.name)()
            return found
        if not self.dataset:
            return []
        from posh_lite.benchmarks.catalog import data_path

        try:
            data_path(self.dataset)
        except InputError as error:
            return [str(error)]
        return []


BENCHMARKS: dict[str, BenchmarkEntry] = {
    entry.name: entry
    for entry in (
        BenchmarkEntry("mini", "known-answer corpus", "posh_lite.benchmarks.mini_benchmark:load_mini_benchmark",
                       "12 works, 72 captions with planted mistakes and omissions", "constructed"),
        BenchmarkEntry("fresh", "known-answer test set", "posh_lite.benchmarks.mini_benchmark:load_fresh_benchmark",
                       "6 other works, 36 captions in the form of mini; held out, nobody tunes on it", "constructed"),
        BenchmarkEntry("contrast", "contrast set", "posh_lite.benchmarks.contrast_benchmark:load_contrast_benchmark",
                       "one changed fact against rewordings of the same text; held out, nobody tunes on it",
                       "constructed", check="posh_lite.benchmarks.registry:_contrast_lacks"),
        BenchmarkEntry("mini-arena", "constructed arena", "posh_lite.benchmarks.mini_benchmark:load_mini_arena",
                       "the captions of mini as battles between its six styles", "constructed"),
        BenchmarkEntry("iiw400", "ImageInWords, 400 images",
                       "posh_lite.benchmarks.iiw_benchmark:load_iiw_benchmark",
                       "100 captions of web images with five judgments by people each", "people", "iiw400"),
        BenchmarkEntry("iiw400-specificity", "the same, omissions against Specificity",
                       "posh_lite.benchmarks.iiw_benchmark:load_iiw_specificity",
                       "omissions held against Specificity in the place of Comprehensiveness", "people", "iiw400"),
        BenchmarkEntry("docent", "DOCENT", "posh_lite.benchmarks.docent:load_docent",
                       "art described by four models, with spans and comparisons by students of art history",
                       "people", check="posh_lite.benchmarks.registry:_docent_lacks"),
        BenchmarkEntry("caparena", "CapArena", "posh_lite.benchmarks.caparena:load_caparena",
                       "battles between captions of 14 models of web images, decided by people", "people",
                       "caparena"),
    )
}  # fmt: skip


def load_benchmark(name: str, /, **options: Any) -> Benchmark:
    """The benchmark of that name, or what the function given as ``module:function`` returns.

    Args:
        name: a key of :data:`BENCHMARKS`, or ``module:function`` of a benchmark of one's own.
        options: keywords of its loader, such as ``path``.

    Raises:
        InputError: there is no such benchmark, its data is not at hand (the message says how to get it), the loader
            has no such option, or a function of one's own fails or returns something else.
    """
    entry = BENCHMARKS.get(name)
    if entry is None and ":" not in name:
        near = get_close_matches(name, BENCHMARKS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BENCHMARKS)}."
        raise InputError(f'no benchmark named "{name}"; {hint} One\'s own is given as module:function')
    make = _import(entry.target if entry else name, name)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise InputError(f'the loader of the benchmark "{name}": {error}') from None
    except ValueError:  # it has no signature to tell
        pass
    path = options.get("path")
    if entry is not None and path is not None and not isinstance(path, str | os.PathLike):
        raise InputError(f'the benchmark "{name}": path must name a file or folder, got {path!r}')
    try:
        found = make(**options)
    except PoshLiteError:
        raise
    except Exception as error:
        if entry is not None:
            raise
        raise InputError(f'the benchmark "{name}" failed with {type(error).__name__}: {error}') from error
    if not isinstance(found, Benchmark):
        raise InputError(f'"{name}" is no benchmark: expected a posh_lite.benchmarks.contract.Benchmark')
    return found


def _import(target: str, name: str) -> Callable[..., Any]:
    module, _, attribute = target.partition(":")
    try:
        made: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the code of a file of one's own runs here
        from posh_lite.baselines.registry import without_py

        raise InputError(f'the benchmark "{name}" cannot be imported: {error}{without_py(name)}') from None
    return made


def _contrast_lacks() -> list[str]:
    from posh_lite.benchmarks.contrast_benchmark import contrast_path

    try:
        contrast_path()
    except InputError as error:
        return [str(error)]
    return []


def _docent_lacks() -> list[str]:
    """What DOCENT's loader says; it reads little before it finds that its files are not there."""
    try:
        load_benchmark("docent")
    except Exception as error:  # whatever it is, it is the reason
        return [" ".join(str(error).split())]
    return []
