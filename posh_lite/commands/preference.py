"""``posh-lite preference``: a blind study of captions side by side, as a page; and what its answers say."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.records import read_pairs, write_jsonl

if TYPE_CHECKING:
    from posh_lite.preference.answers import Answers

_MAKE = """what it does:
  CAPTIONS.jsonl holds pairs with "model"; "image" says which belong together (default: the id up to its last slash).
  DIR/study.html is the whole study: send it to every rater with a code (study.html#r2 is opened with the code r2). It
  works without a network, keeps answers in the browser, and saves them to a file that comes back to you.
  DIR/key.json says whose caption stood where. Keep it: it must not go to raters, and nothing can be read without it.
  The page holds no name of a model; a caption that names its own model does, so look for that before.

examples:
  posh-lite preference make captions.jsonl -o study --raters 5
  posh-lite preference make captions.jsonl -o study --raters ann,ben --models ours,base --images photos --ties
  posh-lite preference make captions.jsonl -o study --raters 5 --at-once 3 --repeats 10 --attention 3
"""
_READ = """what the figures are:
  of decided      wins of wins and losses, ties left out. Wilson's interval takes answers as independent, which answers
                  on one image are not; the other draws images and is the one to quote (where all images say the
                  same, there is none)
  ties half       a tie counts as half a win
  kappa, alpha    1 is agreement, 0 what chance would give
  left            share of first places of the leftmost caption; far from an even share, position decided with
  OUT gets results.json, tables.md and votes.jsonl, the answers with their models.

examples:
  posh-lite preference read study/answers-*.json -o results
  posh-lite preference read answers/*.json --key study/key.json -o results --without r3
"""


def add_parser(commands: Any) -> None:
    """Declare the command, its actions and their options."""
    command = commands.add_parser("preference", help="a blind preference study as a page, and its analysis",
                                  description="Ask people which caption is better, blind and in random order.")
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    raw = argparse.RawDescriptionHelpFormatter
    make = actions.add_parser("make", help="write the page and its key", epilog=_MAKE, formatter_class=raw,
                              description="Write a study as one HTML page, and the key to it.")
    make.add_argument("captions", metavar="CAPTIONS.jsonl", help="pairs with models")
    make.add_argument("-o", "--output", required=True, metavar="DIR", help="where study.html and key.json go")
    make.add_argument("--raters", required=True, metavar="N|A,B,...", help="how many, or their codes")
    make.add_argument("--models", metavar="A,B,...", help="what is compared (default: all models of the file)")
    make.add_argument("--at-once", type=int, choices=(2, 3), help="captions side by side (default: 3 of three models,"
                      " else 2)")  # fmt: skip
    make.add_argument("--task", choices=("choose", "rank"), help="choose one, or give places (default: rank of three)")
    make.add_argument("--ties", action="store_true", help="captions may be called equally good")
    make.add_argument("--no-reasons", action="store_true", help="no field for a reason")
    make.add_argument("--question", default="Which description is better?", help="heading of each comparison")
    make.add_argument("--images", metavar="FOLDER", help="pictures named as the images, put into the page")
    make.add_argument("--reference", action="store_true", help="show the reference, too")
    make.add_argument("--sample", type=int, metavar="N", help="draw N images (default: all)")
    make.add_argument("--repeats", type=int, default=0, metavar="N", help="items that each rater sees twice")
    make.add_argument("--attention", type=int, default=0, metavar="N", help="checks that the captions are read")
    make.add_argument("--seed", type=int, default=0, help="of every draw (default: 0)")
    make.set_defaults(run=_make)
    read = actions.add_parser("read", help="analyse the answers", epilog=_READ, formatter_class=raw,
                              description="Analyse the files that raters saved.")
    read.add_argument("answers", nargs="+", metavar="ANSWERS.json", help="one file a rater")
    read.add_argument("-o", "--output", required=True, metavar="OUT", help="folder of the results")
    read.add_argument("--key", metavar="FILE", help="of the study (default: key.json beside the first file)")
    read.add_argument("--without", metavar="A,B,...", default="", help="raters to leave out")
    read.add_argument("-n", type=int, default=2000, metavar="N", dest="resamples",
                      help="draws of the bootstrap over images (default: 2000)")
    read.set_defaults(run=_read)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _raters(text: str) -> list[str]:
    """Codes of raters, from their number or their names.

    Raises:
        InputError: none, too many, or a code that cannot be part of a file name.
    """
    if text.isdecimal():
        if not 1 <= int(text) <= 1000:
            raise InputError(f"--raters must be 1 to 1000, got {text}", field="raters")
        return [f"r{n}" for n in range(1, int(text) + 1)]
    names = _names(text)
    folded = [name.casefold() for name in names]
    for k, name in enumerate(names):
        if folded[k] in folded[:k] and name not in names[:k]:
            raise InputError(f'the codes "{names[folded.index(folded[k])]}" and "{name}" differ in case alone, and so'
                             " would the files of their answers", field="raters")  # fmt: skip
        if not re.fullmatch(r"[\w][\w.-]{0,39}", name, re.ASCII):
            raise InputError(f'the code "{name}" of a rater must consist of letters, digits, ".", "_" and "-"',
                             field="raters")  # fmt: skip
    return names


def _make(options: argparse.Namespace) -> int:
    from posh_lite.benchmarks.label_studio import unit_of
    from posh_lite.preference.page import page, read_pictures
    from posh_lite.preference.study import Settings, make_study

    pairs = list(read_pairs(options.captions))
    if not pairs:
        raise InputError("holds no captions", path=options.captions)
    models = _names(options.models) if options.models else None
    n_models = len(models or {p.model for p in pairs if p.model})
    at_once = options.at_once or (3 if n_models == 3 else 2)
    settings = Settings(options.question, options.task or ("rank" if at_once == 3 else "choose"), options.ties,
                        not options.no_reasons, options.repeats, options.attention, at_once, options.seed)  # fmt: skip
    study = make_study(pairs, _raters(options.raters), settings, models=models, sample=options.sample,
                       show_reference=options.reference, path=options.captions)  # fmt: skip
    pictures = None
    if options.images:
        pictures = read_pictures(options.images, list(dict.fromkeys(i.image for i in study.items)))
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    if (place / "key.json").exists():
        raise InputError("holds the key of a study already; without it the answers to that study are lost. Choose"
                         " another folder, or move it away", path=place / "key.json")  # fmt: skip
    place.mkdir(parents=True, exist_ok=True)
    written = page(study, pictures)
    (place / "study.html").write_text(written, "utf-8", newline="\n")
    (place / "key.json").write_text(json.dumps(study.to_key(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    shown = len(next(iter(study.trials.values())))
    print(f"{place / 'study.html'}: study {study.id}, {_n(len(study.raters), 'rater')}, {_n(shown, 'comparison')}"
          f" each, {len(written) / 1e6:.1f} MB")  # fmt: skip
    print(f"{place / 'key.json'}: keep it; it must not go to raters")
    alike = sum(len(set(i.captions)) < len(i.captions) for i in study.items)
    if alike:
        print(f"note: in {_n(alike, 'item')} two captions have the same text")
    dropped = len({unit_of(p) for p in pairs}) - len({i.image for i in study.items})
    if dropped:
        print(f"note: {_n(dropped, 'image')} not in the study: not drawn, or without a caption of every model")
    return 0


def _read(options: argparse.Namespace) -> int:
    from posh_lite.preference.analysis import analyse
    from posh_lite.preference.answers import read_answers, read_key
    from posh_lite.preference.tables import tables, to_dict

    if options.resamples < 1:
        raise InputError(f"-n must be at least 1, got {options.resamples}")
    key = Path(options.key) if options.key else Path(options.answers[0]).parent / "key.json"
    if not key.is_file():
        raise InputError("no key of the study here; give --key FILE", path=key, field="key")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    answers = read_answers(options.answers, read_key(key), without=_names(options.without))
    report = analyse(answers, n_resamples=options.resamples)
    lines = [f"Study {answers.study.id}: {_n(report.n_items, 'answer')} on {_n(report.n_images, 'image')} by "
             f"{_n(len(report.raters), 'rater')}; {report.n_no_first} without a single first place."]  # fmt: skip
    if answers.simulated:
        lines.append(f"**Simulated**, nobody was asked: the answers of {', '.join(answers.simulated)}.")
    if answers.absent:
        lines.append(f"No file of {', '.join(answers.absent)}.")
    marked = ["# Preference study", "", *lines]
    for title, frame in tables(report).items():
        nothing = "– (nothing to show: no single first place, or models that never stood all side by side)"
        lines += ["", title, frame.to_string(index=False, na_rep="–") if len(frame) else nothing]
        marked += ["", f"## {title}", "", *(_markdown(frame) if len(frame) else [nothing])]
    place.mkdir(parents=True, exist_ok=True)
    (place / "results.json").write_text(json.dumps(to_dict(report, answers), ensure_ascii=False, indent=1) + "\n",
                                        "utf-8")  # fmt: skip
    (place / "tables.md").write_text("\n".join(marked) + "\n", "utf-8")
    write_jsonl(place / "votes.jsonl", _votes(answers))
    print("\n".join(lines))
    return 0


def _n(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _markdown(frame: Any) -> list[str]:
    rows = [frame.columns, *frame.itertuples(index=False)]
    cells = [[" ".join(str(c).replace("|", "\\|").split()) for c in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]]


def _votes(answers: Answers) -> list[dict[str, Any]]:
    return [
        {"rater": j.rater, "image": j.image, "kind": j.kind, "models": list(j.models), "places": list(j.places),
         "reason": j.reason, "seconds": j.seconds}
        for j in answers.judgments
    ]  # fmt: skip
