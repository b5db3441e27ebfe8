"""``posh-lite project``: a metric of one's own against BLEU and posh-lite, on an open and a closed half."""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError

_EPILOG = """the project:
  Write a metric in a file of your own (ten lines are one: examples/bag_of_words.py). Beat BLEU first, then posh-lite.
  The twelve works of the known-answer corpus are divided by a hash into two halves. Develop on the open one as much
  as you like; look at the closed one at the end, and once. "Beaten" means that the whole interval of the paired
  difference lies above zero. With six works in a half intervals are wide: that is part of the lesson. A caption
  without a finite score counts as wrong, so that silence is no way to win.

for the instructor:
  --salt WORD divides the works in another way, so that your course has its own closed half. The corpus is public and
  its gold is constructed; a metric that wins here has not been shown to agree with people.

examples:
  posh-lite project examples.bag_of_words:BagOfWords -o project --half open
  posh-lite project my_metric.py:Mine -o project
  posh-lite project my_metric:Mine -o project --salt "spring term"
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "project", help="beat BLEU, then beat posh-lite: a metric of your own on two halves of the mini corpus",
        epilog=_EPILOG, description="Hold a metric of your own against BLEU and posh-lite.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("metric", metavar="MODULE:CLASS", help="your metric; the module may be a file NAME.py here")
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for project.json, project.md and"
                         " kept scores")
    command.add_argument("--half", choices=("open", "closed", "both"), default="both",
                         help="what is looked at (default: both)")
    command.add_argument("--salt", default="posh-lite", metavar="WORD", help="divides the works (default: posh-lite)")
    command.add_argument("--resamples", type=int, default=2000, metavar="N", help="of the bootstrap (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, write and print. See :func:`add_parser` for the options."""
    from posh_lite.commands.judges import own_judges
    from posh_lite.teach.project import HALVES, run_project

    if options.resamples < 1:
        raise InputError(f"--resamples must be at least 1, got {options.resamples}")
    if options.seed < 0:
        raise InputError(f"--seed must be at least 0, got {options.seed}")
    place = Path(options.output)
    for folder in (place, *place.parents):
        if folder.exists() and not folder.is_dir():
            raise InputError("is a file, expected a folder", path=folder)
    own_judges(options.metric)
    result = run_project(
        own_file(options.metric), salt=options.salt, halves=HALVES if options.half == "both" else (options.half,),
        output=place / "scores", n_resamples=options.resamples, seed=options.seed,
        progress=False if options.quiet else None,
    )
    if result.skipped:
        raise InputError(f"{options.metric} did not run: {result.skipped}{_advice(result.skipped)}")
    written = result.write(place)
    (place / "project.md").write_text(result.markdown(), "utf-8")
    if not options.quiet:
        print(result.markdown(), end="")
        print(f"posh-lite: wrote {written.name} and project.md to {place}", file=sys.stderr)
    return 0


def own_file(metric: str) -> str:
    """The name of a metric as ``module:Class``; a file ``FOLDER/NAME.py:Class`` is loaded under that name.

    A file may be called like an installed module (``test.py``): it is loaded by its place, under a name of its own.

    Raises:
        InputError: there is no such file, no class is named, or the file cannot be loaded.
    """
    file, colon, kind = metric.rpartition(":")
    if not colon:
        path = Path(metric if metric.endswith(".py") else f"{metric}.py")
        if path.is_file():
            raise InputError(f"name the class of the metric, too: {path}:CLASS", path=path)
        return metric
    path = Path(file)
    if path.suffix != ".py":
        return metric
    if not path.is_file():
        raise InputError("no such file; name it from the folder in which you are", path=path)
    if not kind:
        raise InputError(f"name the class of the metric behind the colon: {path}:CLASS", path=path)
    folder, name = str(path.resolve().parent), re.sub(r"\W", "_", path.stem)
    if folder not in sys.path:
        sys.path.append(folder)  # for what lies beside it
    loaded = sys.modules.get(name)
    known = getattr(loaded, "__file__", "") if loaded else getattr(importlib.util.find_spec(name), "origin", "")
    if (known and Path(known).resolve() != path.resolve()) or (loaded and not known):
        name = f"{name}_own"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InputError("is no file of Python", path=path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the code of a file of one's own runs here
        del sys.modules[name]
        line = error.lineno if isinstance(error, SyntaxError) else _line_in(error, path)
        raise InputError(f"cannot be loaded: {type(error).__name__}: {error}", path=path, line=line) from None
    if not hasattr(module, kind):
        own = [n for n, v in vars(module).items() if isinstance(v, type) and v.__module__ == name]
        raise InputError(f"has no {kind!r}; there {'is' if len(own) == 1 else 'are'} {', '.join(own) or 'no classes'}",
                         path=path)
    return f"{name}:{kind}"


def _line_in(error: BaseException, path: Path) -> int | None:
    """The last line of a file that an error came through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == path.resolve():
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _advice(why: str) -> str:
    """What to do about the usual reasons."""
    if "cannot be made from its name" in why:
        return "; give every argument of __init__ a default"
    if "is no metric" in why:
        return "; examples/bag_of_words.py is one in ten lines"
    if "no metric named" in why:
        return ", such as my_metric.py:Mine"
    return ""
