"""Rows of the record of variants for two judges together: the lexical judge, and each single-question variant with it.

They are worked out from the verdicts in the log, without a model. The weights of the two judges are fitted on all
works but the one in question, so that the row of a combination is of works left out. The costs are those of the
model's part; the lexical judge takes none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, ReplayMiss
from posh_lite.evaluation.combine import Answers, held_out, slopes_by_kind_help
from posh_lite.evaluation.labelled import labelled_questions
from posh_lite.evaluation.variants import Variant, outcome_of, shown
from posh_lite.evaluation.variants_record import save, table
from posh_lite.judge.contract import Verdict
from posh_lite.judge.lexical import LexicalJudge
from posh_lite.judge.prompts import load_prompts
from posh_lite.judge.replay import ReplayJudge

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.judge.contract import Judge

FIRST = "lexical"


def add_combinations(
    path: str | Path, log: str | Path, corpus: MiniCorpus, *, n: int | None = 240, pairs: int | None = None,
    seed: int = 0, prompts: Mapping[str, str] | None = None, first: Judge | None = None,
    said: Callable[[str], None] = lambda text: None, n_resamples: int = 2000,
) -> list[str]:
    """Put the rows "lexical" and "VARIANT + lexical" into a record of variants.

    Args:
        path: of the record.
        log: the verdict log of its runs, or an export.
        corpus: known answers.
        n: questions of the record.
        pairs: captions of each work of the record.
        seed: of the draw of the record.
        prompts: paths of prompt files by file name, for variants that are not in the package's wording.
        first: the judge beside; the lexical one by default.
        said: told what is left out, and why.
        n_resamples: of the bootstrap over works.

    Returns:
        Names of the rows.

    Raises:
        InputError: no record, or one of other questions.
        LogError: no such log.
    """
    try:
        record = json.loads(Path(path).read_text("utf-8"))
        known = [(row, _variant(row["variant"], prompts or {})) for row in record["variants"] if not _combined(row)]
    except FileNotFoundError:
        raise InputError("no such record of variants", path=path) from None
    except (ValueError, KeyError, TypeError):
        raise InputError("not a record of variants", path=path) from None
    first = first or LexicalJudge()
    alone: list[Verdict] = []
    names = []
    for row, variant in known:
        if variant is None:
            said(f'{row["name"]}: its prompt file was not given; name it with --prompts')
        if variant is None or variant.pack > 1:
            continue
        wording = load_prompts(variant.prompts or None).on(variant.scale)
        data = labelled_questions(corpus, n=n, pairs=pairs, seed=seed, prompts=wording, structural=False)
        about = {"what": record["what"], "data": data.name, "sha256": data.sha256, "n": len(data.items)}
        if any(record.get(name) != value for name, value in about.items()):
            raise InputError("a record of other questions; give the -n, --captions and --seed of its run", path=path)
        model = str(row["signature"]).partition("|prompts:")[0]
        try:
            second = ReplayJudge(log, judge=model).ask(shown(data.items, wording, variant.context))
        except ReplayMiss as error:
            said(f'{row["name"]}: left out, {error}')
            continue
        if not alone:
            alone = first.ask([item.question for item in data.items])
            made = outcome_of(Variant(), FIRST, first.signature, data.items, alone, n_resamples=n_resamples)
            save(Path(path), about, {**asdict(made), "variant": {"judge": FIRST}})
            names.append(FIRST)
        verdicts = together(Answers.of(data.items, alone, second), n_resamples=n_resamples)
        name, signature = f'{row["name"]} + {FIRST}', f'combined first {first.signature} second {row["signature"]}'
        made = outcome_of(
            variant, name, signature, data.items, verdicts, row["n_measured"], dict(row["costs"]),
            n_resamples=n_resamples,
        )
        save(Path(path), about, {**asdict(made), "variant": {**made.variant, "with": FIRST}})
        names.append(name)
    return names


def together(answers: Answers, **settings: Any) -> list[Verdict]:
    """Joint verdicts on works left out; missing where one of the two judges gave none."""
    import numpy as np

    rows = answers.rows("both")
    both = answers.take(rows)
    scores = np.full(len(rows), np.nan)
    by_kind = slopes_by_kind_help(both, **settings).high < 0
    scores[rows], _ = held_out(both, by_kind=by_kind)
    return [Verdict(None if np.isnan(score) else float(score)) for score in scores]


def show_combinations(path: Path, options: argparse.Namespace) -> int:
    """Add the rows as the command's options say, print the table; returns the exit status."""
    from posh_lite.benchmarks.mini import load_mini

    add_combinations(
        path, options.log, load_mini(), n=options.n, pairs=options.captions, seed=options.seed,
        prompts={Path(p).name: p for p in options.prompts}, said=lambda text: print(text, file=sys.stderr),
    )
    print(table(json.loads(path.read_text("utf-8"))["variants"]))
    return 0


def _combined(row: Mapping[str, Any]) -> bool:
    return "with" in row["variant"] or "judge" in row["variant"]


def _variant(given: Mapping[str, Any], prompts: Mapping[str, str]) -> Variant | None:
    """The variant of a row, with the path of its prompt file; None where that is not known."""
    name = given["prompts"]
    if name and name not in prompts:
        return None
    return Variant(given["scale"], given["context"], given["pack"], given["chained"], prompts[name] if name else "")
