"""``python -m posh_lite.book``: build the book, list the parameters, strip the notebooks, check the pages."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from posh_lite.book.layout import BookError, Layout, find_layout


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m posh_lite.book", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="run what changed, then render the pages")
    build.add_argument("--profile", choices=("lite", "gpu"), default="lite", help="default: %(default)s")
    build.add_argument("-p", dest="given", action="append", default=[], metavar="NAME=VALUE", help="set a parameter")
    build.add_argument("--only", action="append", default=[], metavar="NB", help="only this notebook (name or number)")
    build.add_argument("--force", action="store_true", help="run and render even where nothing changed")
    build.add_argument("--no-html", action="store_true", help="run the notebooks only")
    commands.add_parser("parameters", help="list what each notebook declares")
    strip = commands.add_parser("strip", help="remove outputs and run marks from the notebooks")
    strip.add_argument("--verify", action="store_true", help="change nothing; fail where a notebook is not stripped")
    commands.add_parser("check", help="check the rendered pages")
    trial = commands.add_parser("try", help="run every notebook with one more setting, of book/trials.toml")
    trial.add_argument("--only", action="append", default=[], metavar="NB", help="only this notebook (name or number)")
    pdf = commands.add_parser("pdf", help="print the built book as one PDF with Chromium")
    pdf.add_argument("--chromium", default="", metavar="PROGRAM", help="the browser (default: CHROMIUM, or one found)")
    colab = commands.add_parser("colab", help="write the notebooks with a first cell that fetches the project on Colab")
    colab.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder that gets notebooks/")
    colab.add_argument("--repository", metavar="OWNER/NAME[@BRANCH]", help="default: POSH_LITE_REPOSITORY")
    return parser


def _chosen(layout: Layout, only: Sequence[str]) -> list[Path]:
    sources = layout.sources()
    if not only:
        return sources
    chosen = [s for s in sources if any(s.stem == o or s.name == o or s.stem[:2] == o.zfill(2) for o in only)]
    if not chosen:
        raise BookError(f"no notebook matches {', '.join(only)} (there are: {', '.join(s.stem for s in sources)})")
    return chosen


def build(layout: Layout, args: argparse.Namespace) -> None:
    """Run the chosen notebooks where their key changed, then render.

    Raises:
        BookError: a wrong parameter, a failed cell, a warning of the renderer or a broken page.
    """
    from posh_lite.book.execute import prune, run_all
    from posh_lite.book.parameters import assign, parse_overrides
    from posh_lite.book.profile import check_profile
    from posh_lite.book.site import render

    started = time.perf_counter()
    prune(layout, layout.sources())
    overrides = {"profile": args.profile, **parse_overrides(args.given)}
    jobs = assign(overrides, _chosen(layout, args.only))
    check_profile(args.profile, overrides.get("judge", "auto"))
    runs = run_all(layout, jobs, force=args.force)
    fresh = sum(run.cached for run in runs)
    print(f"notebooks: {len(runs) - fresh} ran, {fresh} unchanged")
    for run in runs:
        if run.stderr:
            print(f"  {run.name}: {run.stderr} lines on stderr, left out of the page")
    failed = [run for run in runs if run.error]
    if failed:
        raise BookError("\n\n".join(f"{run.name}: {run.error}" for run in failed))
    if args.no_html:
        return
    missing = [s.stem for s in layout.sources() if not (layout.chapters / s.name).is_file()]
    if missing:
        raise BookError(f"chapters not run yet: {', '.join(missing)}; build once without --only")
    changed = render(layout, force=args.force)
    print(f"{'rendered' if changed else 'unchanged'}: {layout.html.relative_to(layout.root) / 'index.html'}")
    print(f"{time.perf_counter() - started:.1f} s in all")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(argv)
    try:
        layout = find_layout()
        if args.command == "build":
            build(layout, args)
        elif args.command == "parameters":
            from posh_lite.book.parameters import declared

            for notebook in layout.sources():
                print(notebook.stem)
                for name, value in declared(notebook).items():
                    print(f"  {name} = {value!r}")
        elif args.command == "strip":
            from posh_lite.book.notebooks import strip_all

            strip_all(layout, verify=args.verify)
        elif args.command == "try":
            from posh_lite.book.trial import try_all

            failed = [run for run in try_all(layout, _chosen(layout, args.only)) if run.error]
            if failed:
                raise BookError("\n\n".join(f"{run.name}: {run.error}" for run in failed))
        elif args.command == "pdf":
            from posh_lite.book.pdf import make_pdf

            made = make_pdf(layout, args.chromium)
            print(f"pdf: {made.relative_to(layout.root)}, {made.stat().st_size / 2**20:.1f} MB")
        elif args.command == "colab":
            from posh_lite.book.publish import VARIABLE, repository, write_colab

            at = repository(args.repository)
            if at is None:
                raise BookError(f"name the repository: --repository OWNER/NAME, or {VARIABLE}")
            print(f"{len(write_colab(layout, at, Path(args.output)))} notebooks in {args.output}")
        else:
            from posh_lite.book.check import check_site

            problems = check_site(layout.html)
            print("\n".join(problems) if problems else "no problems")
            return 1 if problems else 0
    except BookError as error:
        print(f"posh_lite.book: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    from posh_lite.pipe import until_reader_goes

    sys.exit(until_reader_goes(main))
