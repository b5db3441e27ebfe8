"""Ways of asking a language model compared: quality on questions with known answers against cost.

``python -m posh_lite.evaluation.variants --judge gguf:FILE --log FILE -n 240`` asks the same labelled questions on
both scales, of the whole texts and of the sentences that matter, one by one and several in a prompt, and with other
prompt files. Each variant is saved as soon as it is done; what the log holds is not asked again. With a log the record
also gets the lexical judge, and every single-question variant weighed with it; without ``--judge`` only these rows are
made, from record and log alone.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from posh_lite.errors import InputError, PoshLiteError
from posh_lite.evaluation.bootstrap import Estimate, bootstrap
from posh_lite.evaluation.calibrate import auc, best_threshold
from posh_lite.evaluation.labelled import Labelled, LabelledSet, labelled_questions
from posh_lite.evaluation.variants_record import RECORD, save, table
from posh_lite.judge.contract import Judge, Kind, Question, Verdict
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.log import LoggedJudge
from posh_lite.judge.prompts import Prompts, load_prompts
from posh_lite.metric.context import RULES, Nearby

if TYPE_CHECKING:
    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.evaluation.bootstrap import Floats
    from posh_lite.judge.llm.usage import Usage

#: The paper's presence threshold.
PAPER = 2.0
_SLICE = 64  # questions between two lines of progress
_COSTS = ("prompts", "tokens", "computed", "generated", "seconds")


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of asking.

    Attributes:
        scale: "1-5" or "yes-no".
        context: whole texts or the sentences that matter.
        pack: questions in a prompt.
        chained: see :class:`~posh_lite.judge.llm.judge.LanguageJudge`.
        prompts: path of a prompt file; empty for the package's.
    """

    scale: str = "1-5"
    context: Literal["full", "near"] = "full"
    pack: int = 1
    chained: bool = True
    prompts: str = ""

    @property
    def name(self) -> str:
        """``yes-no, near, 4 in a prompt``."""
        parts = [self.scale, self.context]
        if self.pack > 1:
            parts.append(f"{self.pack} in a prompt" + ("" if self.chained else ", lines apart"))
        if self.prompts:
            parts.append(Path(self.prompts).name)
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a variant gave, JSON-ready by :func:`dataclasses.asdict`.

    Attributes:
        name, variant: of the variant.
        signature: judge, prompts and context.
        made: date, UTC.
        n: questions; n_missing: those without a verdict, in no figure of quality.
        auc: true above false questions, and auc_by_kind.
        balanced_at_2: balanced accuracy at the paper's threshold.
        balanced: at the threshold that the other works choose.
        mean_true, mean_false: scores of the two labels.
        n_measured: questions newly put to the model, over which the costs are means.
        costs: prompts, tokens, computed, generated tokens and seconds, per question.
    """

    name: str
    variant: dict[str, Any]
    signature: str
    made: str
    n: int
    n_missing: int
    auc: dict[str, Any]
    auc_by_kind: dict[str, dict[str, Any]]
    balanced_at_2: dict[str, Any]
    balanced: dict[str, Any]
    mean_true: float | None
    mean_false: float | None
    n_measured: int
    costs: dict[str, float]


# -- asking -------------------------------------------------------------------------------------------------


def variants(
    scales: Sequence[str], contexts: Sequence[str], packs: Sequence[int], prompts: Sequence[str] = (), *,
    apart: bool = False,
) -> list[Variant]:
    """Every combination, single questions first; prompt files besides the package's are asked one by one, in full."""
    found = []
    for pack, context, scale in product(packs, contexts, scales):
        found.append(Variant(scale, cast(Any, context), pack))
        if pack > 1 and apart:
            found.append(replace(found[-1], chained=False))
    found += [Variant(scale, prompts=path) for path in prompts for scale in scales]
    return list(dict.fromkeys(found))


def shown(items: Sequence[Labelled], prompts: Prompts, context: str) -> list[Question]:
    """The questions with the texts that a variant shows."""
    questions = [item.question for item in items]
    if context == "full":
        return questions
    from posh_lite.graph.extract import extract_graphs

    texts = list(dict.fromkeys(q.target_text for q in questions))
    targets = dict(zip(texts, extract_graphs(texts), strict=True))
    near: dict[tuple[int, str], Nearby] = {}
    found = []
    for question in questions:
        if question.source is None:
            raise InputError(f'pair "{question.pair_id}": sentences are chosen by the source graph, which is not there')
        key = (id(question.source), question.target_text)
        if key not in near:
            near[key] = Nearby(question.source, targets[question.target_text])
        target, source = near[key].texts(question)
        prompt = prompts.render(question.text, question.side, target=target, source=source)
        found.append(replace(question, prompt=prompt))
    return found


def run_variant(
    variant: Variant, labelled: LabelledSet, judge: Judge, prompts: Prompts, *,
    said: Callable[[str], None] = lambda text: None, n_resamples: int = 2000,
) -> Outcome:
    """Ask the questions in one way.

    Args:
        variant: the way; the judge is set to it already.
        labelled: questions in the wording of ``prompts``.
        judge: usually a :class:`~posh_lite.judge.log.LoggedJudge` around a language model.
        prompts: on the variant's scale.
        said: told the progress.
        n_resamples: of the bootstrap over works.

    Raises:
        JudgeError: the judge fails.
    """
    questions = shown(labelled.items, prompts, variant.context)
    usage: Usage | None = getattr(judge, "usage", None)
    before, known = None if usage is None else usage.copy(), getattr(judge, "n_asked", 0)
    verdicts: list[Verdict] = []
    for part in _slices(questions):
        verdicts += judge.ask(part)
        said(f"{variant.name}: {len(verdicts):,} of {len(questions):,}")
    asked = getattr(judge, "n_asked", known + len(questions)) - known
    costs: dict[str, float] = {}
    if usage is not None and before is not None and asked:
        spent = usage.minus(before)
        costs = {name: getattr(spent, name) / asked for name in _COSTS}
    signature = f"{judge.signature}|prompts:{prompts.digest[:12]}"
    if variant.context == "near":
        signature += f"|context:near-{RULES}"
    measured = asked if costs else 0
    return outcome_of(
        variant, variant.name, signature, labelled.items, verdicts, measured, costs, n_resamples=n_resamples
    )


def _slices(questions: Sequence[Question]) -> Iterator[list[Question]]:
    """Parts of about :data:`_SLICE` questions that do not part those of one side of a pair."""
    part: list[Question] = []
    for question in questions:
        if len(part) >= _SLICE and (question.pair_id, question.side) != (part[-1].pair_id, part[-1].side):
            yield part
            part = []
        part.append(question)
    if part:
        yield part


# -- figures ------------------------------------------------------------------------------------------------


def outcome_of(
    variant: Variant, name: str, signature: str, items: Sequence[Labelled], verdicts: Sequence[Verdict],
    asked: int = 0, costs: dict[str, float] | None = None, *, n_resamples: int = 2000,
) -> Outcome:
    """The figures of verdicts on labelled questions.

    Args:
        variant: how they were asked.
        name: of the row.
        signature: judge, prompts and context.
        items: the questions.
        verdicts: on them, in order.
        asked: questions that the costs are means over.
        costs: per question.
        n_resamples: of the bootstrap over works.
    """
    import numpy as np

    read = [(item, v.score) for item, v in zip(items, verdicts, strict=True) if v.score is not None]
    x = np.array([score for _, score in read], dtype=np.float64)
    y = np.array([item.label for item, _ in read], dtype=np.float64)
    w = np.array([item.weight for item, _ in read], dtype=np.float64)
    units = [item.work for item, _ in read]
    kinds = np.array([item.kind for item, _ in read], dtype=object)
    settings: dict[str, Any] = {"n_resamples": n_resamples}

    def ranked(rows: Any) -> dict[str, Any]:
        mine = [u for u, take in zip(units, rows, strict=True) if take]
        return auc(x[rows], y[rows], w[rows], units=mine, **settings).to_dict()

    called = _left_out(x, y, w, units)
    balance = balanced(called, y, w, units, "balanced accuracy, threshold of the other works", **settings)
    means = [float(np.average(x[y == v], weights=w[y == v])) if (y == v).any() else None for v in (1, 0)]
    return Outcome(
        name, {**asdict(variant), "prompts": Path(variant.prompts).name}, signature,
        datetime.now(UTC).date().isoformat(), len(items), len(items) - len(read), ranked(np.ones(len(x), dtype=bool)),
        {kind: ranked(kinds == kind) for kind in get_args(Kind)},
        balanced((x >= PAPER).astype(np.float64), y, w, units, "balanced accuracy at 2", **settings).to_dict(),
        balance.to_dict(), means[0], means[1], asked, costs or {},
    )


def balanced(
    called: Floats, labels: Floats, weights: Floats, units: Sequence[str], method: str, **settings: Any
) -> Estimate:
    """Mean of the shares of true questions called true and of false ones called false, with its interval over works.

    Args:
        called: 1 or 0, NaN where a question could not be called; shape ``(n,)``.
        labels: 1 or 0.
        weights: of the questions.
        units: the work of each.
        method: name of the figure.
        settings: keywords of :func:`~posh_lite.evaluation.bootstrap.bootstrap`.
    """
    import numpy as np

    right = (called == labels).astype(np.float64)

    def statistic(drawn: Floats) -> Floats:
        each = drawn * weights
        shares = []
        with np.errstate(invalid="ignore", divide="ignore"):
            for label in (1.0, 0.0):
                own = each * (labels == label)
                shares.append((own @ right) / own.sum(axis=1))
        mean: Floats = (shares[0] + shares[1]) / 2
        return np.where(np.isnan(called).any(), np.nan, mean)

    return bootstrap(statistic, len(right), units=units, method=method, reason="one label is missing", **settings)


def _left_out(x: Floats, y: Floats, w: Floats, units: Sequence[str]) -> Floats:
    """Calls of each work's questions by the threshold with the best balanced accuracy on the other works."""
    import numpy as np

    work = np.array(units, dtype=object)
    called = np.full(len(x), np.nan)
    for unit in dict.fromkeys(units):
        held = work == unit
        if {0.0, 1.0} <= set(y[~held].tolist()):
            called[held] = x[held] >= best_threshold(x[~held], y[~held], w[~held], "balanced")
    return called


# -- the command --------------------------------------------------------------------------------------------


def run_all(
    chosen: Sequence[Variant], base: Judge, corpus: MiniCorpus, path: Path, *, log: str | None = None,
    n: int | None = 240, pairs: int | None = None, seed: int = 0, said: Callable[[str], None] = lambda text: None,
    n_resamples: int = 2000,
) -> None:
    """Run variants one after another; each is in the record as soon as it is done.

    Args:
        chosen: the variants.
        base: a language judge, whose engine serves all variants; or another judge, for variants that it knows.
        corpus: known answers.
        path: of the record.
        log: path of the verdict log.
        n: about how many questions.
        pairs: captions of each work.
        seed: of the draw of questions.
        said: told the progress.
        n_resamples: of the bootstrap.

    Raises:
        InputError: the judge cannot be asked in one of the ways, or the record is of other questions.
    """
    for variant in chosen:
        judge = _set(base, variant)
        forget = getattr(getattr(base, "engine", None), "forget", None)
        if forget is not None:  # texts computed for the variant before would make this one look cheap
            forget()
        prompts = load_prompts(variant.prompts or None).on(variant.scale)
        labelled = labelled_questions(corpus, n=n, pairs=pairs, seed=seed, prompts=prompts, structural=False)
        asked: Judge = judge if log is None else cast(Judge, LoggedJudge(judge, log))
        outcome = run_variant(variant, labelled, asked, prompts, said=said, n_resamples=n_resamples)
        data = {
            "what": "variants of asking on questions with known answers; no texts", "data": labelled.name,
            "sha256": labelled.sha256, "n": len(labelled.items),
        }
        save(path, data, asdict(outcome))


def _set(base: Judge, variant: Variant) -> Judge:
    """The judge that asks in this way, around the same engine."""
    if not isinstance(base, LanguageJudge):
        if variant.pack > 1 or variant.scale != getattr(base, "scale", "1-5"):
            raise InputError(f'{base.signature} is no language model and cannot be asked as "{variant.name}"')
        return base
    return LanguageJudge(
        base.engine, scale=cast(Any, variant.scale), pack=variant.pack, chained=variant.chained,
        mass_floor=base.mass_floor, batch_size=base.batch_size, threshold=base.presence_threshold,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the variants, print the table; returns the exit status."""
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.evaluation.variants_combined import show_combinations
    from posh_lite.judge.registry import make_judge

    parser = argparse.ArgumentParser(prog="python -m posh_lite.evaluation.variants", description="Compare ways to ask.")
    parser.add_argument("--judge", help="a language judge, such as gguf:FILE.gguf; without it nothing is asked, and"
                        " the rows of two judges together are made for the record")
    parser.add_argument("--log", help="verdict log: what it holds is not asked again")
    parser.add_argument("-n", type=int, default=240, help="about how many questions (240)")
    parser.add_argument("--captions", type=int, metavar="N", help="captions of each work that questions come from")
    parser.add_argument("--seed", type=int, default=0, help="of the draw of questions (0)")
    parser.add_argument("--scales", default="1-5,yes-no", help="1-5, yes-no (both)")
    parser.add_argument("--contexts", default="full,near", help="full, near (both)")
    parser.add_argument("--packs", default="1,4,8", help="questions in a prompt (1,4,8)")
    parser.add_argument("--apart", action="store_true", help="also read the lines of a list as if each were the first")
    parser.add_argument("--prompts", action="append", default=[], metavar="FILE", help="another prompt file")
    parser.add_argument("-o", "--output", metavar="FILE", help="record (data/results/variants-MODEL/variants.json)")
    options = parser.parse_args(argv)
    try:
        if not options.judge and not (options.log and options.output):
            raise InputError("name --judge, or --log and --output of a run that was made")
        if not options.judge:
            return show_combinations(Path(options.output), options)
        base = make_judge(options.judge)
        identity = base.engine.identity if isinstance(base, LanguageJudge) else base.signature
        slug = re.sub(r"[^a-z0-9.]+", "-", identity.split()[0].lower()).strip("-")
        path = Path(options.output or f"data/results/variants-{slug}/{RECORD}")
        scales = options.scales.split(",")
        contexts = options.contexts.split(",")
        if not set(scales) <= {"1-5", "yes-no"} or not set(contexts) <= {"full", "near"}:
            raise InputError("scales are 1-5 and yes-no, contexts full and near, with commas between")
        if not all(p.isdecimal() and int(p) for p in options.packs.split(",")):
            raise InputError(f"packs are whole numbers of at least 1, with commas between, got {options.packs}")
        packs = [int(p) for p in options.packs.split(",")]
        chosen = variants(scales, contexts, packs, options.prompts, apart=options.apart)
        run_all(
            chosen, base, load_mini(), path, log=options.log, n=options.n, pairs=options.captions, seed=options.seed,
            said=lambda text: print(text, file=sys.stderr, flush=True),
        )
        if options.log:
            return show_combinations(path, options)
        print(table(json.loads(path.read_text("utf-8"))["variants"]))
        return 0
    except PoshLiteError as error:
        print(f"posh-lite: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("posh-lite: interrupted; finished variants are in the record, and the same command with the same --log"
              " goes on from there", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
