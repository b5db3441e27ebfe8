"""``posh-lite evaluate``: any metrics on any benchmark, as a table and figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.judges import own_judges, parse_value
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command

if TYPE_CHECKING:
    from posh_lite.evaluation.evaluate import Evaluation

FORMATS = ("csv", "md", "latex")
#: Options of loaders that name files, whose names may look like numbers.
_FILES = ("path", "people")

_EPILOG = """what it does:
  Every metric scores every pair; then the scores are held against what is known. Comparisons give the accuracy of the
  metric's choice (ties included), Spearman's rho and Kendall's tau; ratings give the last two; marked spans give the
  macro F1 of the words that the metric points at; battles of models give two rankings by Elo and how they agree. Each
  figure has an interval that draws images anew, and each metric its difference from the first on the same draws.

  Scores are kept in DIR/scores, without texts: a run that was stopped goes on, and a changed metric is scored anew.
  A metric that cannot run here, or fails, is a row that says why; a name or option that there is not is refused
  before anything is scored.

a metric of one's own, in mine.py of the current folder:
    class Shortness:
        name, needs = "shortness", frozenset()

        def score(self, pairs):
            import pandas as pd
            figures = [1 / (1 + len(p.generation.split())) for p in pairs]
            return pd.DataFrame({"id": [p.id for p in pairs], "mistakes": figures,
                                 "omissions": figures, "overall": figures})
  It joins as --metrics posh,mine:Shortness. With locate() it points at places, too (posh_lite.metric.protocol).

examples:
  posh-lite evaluate --list
  posh-lite evaluate --benchmark mini --metrics posh,bleu,length -o results
  posh-lite evaluate --benchmark iiw400 --metrics all -o results --format csv,md,latex
  posh-lite evaluate --benchmark mini --metrics posh,posh:gguf:model.gguf -o results \\
    --metric-option posh:gguf:model.gguf.log=verdicts.sqlite
  posh-lite evaluate --benchmark caparena --benchmark-option path=annotations.json --metrics posh -o results
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "evaluate", help="hold metrics against people, or against known answers", epilog=_EPILOG,
        description="Evaluate metrics on a benchmark and write tables and figures.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--list", action="store_true", help="every metric and benchmark, and what it lacks here")
    command.add_argument("--benchmark", metavar="NAME", help="mini, fresh, contrast, mini-arena, iiw400, docent,"
                         " caparena, or module:function of one's own")
    command.add_argument("--metrics", default="posh", metavar="A,B,...",
                         help='names, module:Class of one\'s own, or "all" (default: posh)')
    command.add_argument("-o", "--output", metavar="DIR", help="folder for tables, figures and kept scores")
    command.add_argument("--format", default="csv,md,latex", metavar="A,B,...",
                         help="of the table: csv, md, latex (default: all three)")
    command.add_argument("--metric-option", action="append", default=[], metavar="METRIC.NAME=VALUE",
                         help="a keyword of a metric, such as posh.log=verdicts.sqlite; may be repeated")
    command.add_argument("--benchmark-option", action="append", default=[], metavar="NAME=VALUE",
                         help="a keyword of the benchmark's loader, such as path=FILE; may be repeated")
    command.add_argument("--recorded", metavar="DIR", help="kept scores of an earlier run (its folder scores): a metric"
                         " that cannot run here, such as one whose model is elsewhere, is taken from there")
    command.add_argument("--against", metavar="METRIC", help="take differences from it (default: the first that runs)")
    command.add_argument("--resamples", type=int, default=2000, metavar="N", help="of the bootstrap (default: 2000)")
    command.add_argument("--rounds", type=int, default=1000, metavar="N", help="of the Elo ratings (default: 1000)")
    command.add_argument("--seed", type=int, default=0, help="of all draws (default: 0)")
    command.add_argument("--no-figures", action="store_true", help="tables only")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate, write and print. See :func:`add_parser` for the options.

    Returns:
        0 where at least one metric ran, else 1.
    """
    if options.list:
        for line in listing():
            print(line)
        return 0
    for name in ("benchmark", "output"):
        if getattr(options, name) is None:
            raise InputError(f"--{name} is missing; posh-lite evaluate --list shows what there is")
    for name, value, least in (("--resamples", options.resamples, 1), ("--rounds", options.rounds, 1),
                               ("--seed", options.seed, 0)):
        if value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    formats = _names(options.format, "--format")
    if wrong := [f for f in formats if f not in FORMATS]:
        raise InputError(f'--format knows {", ".join(FORMATS)}, got "{wrong[0]}"')
    if options.recorded is not None and not Path(options.recorded).is_dir():
        raise InputError("no such folder of kept scores (--recorded)", path=options.recorded)
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    own_judges(":")  # classes of one's own lie in the current folder
    from posh_lite.benchmarks.registry import load_benchmark
    from posh_lite.evaluation.evaluate import evaluate

    metrics = metric_names(options.metrics)
    settings = metric_options(options.metric_option, metrics)
    refuse_slips(metrics, settings)
    benchmark = load_benchmark(options.benchmark, **_benchmark_options(options.benchmark_option))
    place.mkdir(parents=True, exist_ok=True)
    found = evaluate(
        benchmark, metrics, output=place, options=settings, against=options.against,
        n_resamples=options.resamples, rounds=options.rounds, seed=options.seed,
        progress=False if options.quiet else None, recorded=options.recorded,
    )
    written = write(found, place, formats, figures=not options.no_figures)
    if not options.quiet:
        from posh_lite.evaluation.tables import markdown, table_of

        print(markdown(table_of(found)), end="")
        for line in written:
            print(f"posh-lite: {line}", file=sys.stderr)
    return 0 if any(not run.skipped for run in found.runs) else 1


def metric_names(text: str) -> list[str]:
    """Names between commas; "all" stands for every entry of the registry."""
    from posh_lite.baselines.registry import METRICS

    names: list[str] = []
    for name in _names(text, "--metrics"):
        names += [n for n in (METRICS if name == "all" else [name]) if n not in names]
    return names


def refuse_slips(metrics: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse names and options that no metric has, before the first one is made or anything is scored.

    Raises:
        InputError: of the first slip; what a metric lacks here is no slip and is told in its row.
    """
    from posh_lite.baselines.registry import check_metric

    for name in metrics:
        check_metric(name, options.get(name))


def _names(text: str, option: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"{option} names nothing")
    return list(dict.fromkeys(names))


def metric_options(given: Sequence[str], metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Keywords by metric from ``METRIC.NAME=VALUE``; the metric may itself have dots and colons.

    Raises:
        InputError: another form, a metric that was not asked for, or a keyword twice.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        name, keyword, value = _assignment(text, metrics)
        if keyword in found.setdefault(name, {}):
            raise InputError(f"--metric-option {name}.{keyword} is given twice")
        found[name][keyword] = parse_value(value)
    return found


def _assignment(text: str, metrics: Sequence[str]) -> tuple[str, str, str]:
    for name in sorted(metrics, key=len, reverse=True):  # the longest name that fits
        if text.startswith(f"{name}."):
            keyword, equals, value = text[len(name) + 1 :].partition("=")
            if equals and keyword.isidentifier():
                return name, keyword, value
    raise InputError(
        f'--metric-option takes METRIC.NAME=VALUE, such as posh.log=verdicts.sqlite, got "{text}"; metrics are'
        f" {', '.join(metrics)}"
    )


def _benchmark_options(given: Sequence[str]) -> dict[str, Any]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f'--benchmark-option takes NAME=VALUE, such as path=FILE, got "{text}"')
        found[name] = value if name in _FILES else parse_value(value)
    return found


def write(found: Evaluation, place: Path, formats: Sequence[str], *, figures: bool = True) -> list[str]:
    """Write results, tables and figures; returns a line for each, with the reason where figures cannot be drawn."""
    from posh_lite.evaluation.tables import comma_separated, markdown, table_of
    from posh_lite.evaluation.tables_latex import latex

    lines, table = [f"figures in full: {found.write(place)}"], table_of(found)
    for name, end in (("csv", "csv"), ("md", "md"), ("latex", "tex")):
        if name in formats:
            text = (comma_separated(found) if name == "csv" else markdown(table) if name == "md"
                    else latex(table, str(found.about["name"])))  # fmt: skip
            path = place / f"table.{end}"
            path.write_text(text, "utf-8")
            lines.append(f"table: {path}")
    if figures:
        from posh_lite.evaluation.evaluate_figures import draw

        try:
            lines += [f"figure: {place / one.name}.svg" for one in draw(found, place)]
        except (ImportError, MissingDependency) as error:
            lines.append(f'no figures: {error}; {install_command("book")}, or --no-figures')
    return lines


def listing() -> list[str]:
    """Every metric with what it needs and lacks, and every benchmark."""
    from posh_lite.baselines.registry import METRICS
    from posh_lite.benchmarks.registry import BENCHMARKS

    lines = ["metrics"]
    for entry in METRICS.values():
        needs = f" (needs {', '.join(sorted(entry.needs))})" if entry.needs else ""
        places = ", points at places" if entry.granular else ""
        lines.append(f"  {entry.name:<20}{entry.title}: {entry.about}{needs}{places}")
        lines.append(f"  {'':<20}{_here(entry.lacks())}")
    lines += ["", "benchmarks"]
    for one in BENCHMARKS.values():
        gold = "judged by people" if one.gold == "people" else "constructed"
        lines.append(f"  {one.name:<20}{one.title}: {one.about} ({gold})")
        lines.append(f"  {'':<20}{_here(one.lacks())}")
    return lines


def _here(lacks: Sequence[str]) -> str:
    return f"cannot run here: {'; '.join(lacks)}" if lacks else "can run here"
