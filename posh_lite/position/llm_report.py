"""What a language model reaches in the place of the embedded judges: ``python -m posh_lite.position.llm_report``.

Three tasks: how generic a sentence is, against FaithScore's labels (sentences that the embedded judge was not made
on); claims of the known-answer corpus in its captions, against what was planted; and rubrics of references, beside
those from scene graphs. What is asked is drawn by seed, so that a run fits the time there is: captions come in an order
of which every beginning is a fair sample, and of each caption some facts with all their claims are asked.

The record holds verdicts, marks and counts; no text of others, and no reply.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import PoshLiteError
from posh_lite.position.llm_sample import CLAIMS, SEED, captions_in_order, of_fact, some_facts
from posh_lite.position.rubric_compare import compared
from posh_lite.position.types import Finding, Rubric, Verifier
from posh_lite.records import Pair

if TYPE_CHECKING:
    from posh_lite.baselines.asked_core import Asker
    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.position.generic_report import Part

RECORD = Path("data/results/position-llm/record.json")
#: Tokens of a reply: of a rubric, of a message with many claims, and of one with a single claim.
RUBRIC_TOKENS, LIST_TOKENS, SINGLE_TOKENS = 2560, 1536, 256
#: A list has room for a fact more than :data:`~posh_lite.position.llm_sample.CLAIMS`.
LIST = CLAIMS + 4


def genericity_rows(asker: Asker, parts: Sequence[Part]) -> dict[str, Any]:
    """Marks of the model and of the embedded judge for parts of answers.

    Returns:
        Signatures, and rows of image, label (1 is analytical), the model's mark or None, and the embedded judge's.
    """
    from posh_lite.position.generic import LexicalGenericity
    from posh_lite.position.llm_generic import LlmGenericity

    model, embedded = LlmGenericity(asker=asker), LexicalGenericity()
    told = model.judge_all([p.text for p in parts])
    rows = [
        [p.image, int(p.analytical), None if mark is None else round(mark.score, 4),
         round(embedded.judge(p.text).score, 4)]
        for p, mark in zip(parts, told, strict=True)
    ]
    return {"signature": model.signature, "embedded": embedded.signature, "rows": rows}


def verifier_rows(
    corpus: MiniCorpus, captions: Sequence[Pair], model: Verifier, embedded: Verifier, rubrics: dict[str, Rubric]
) -> dict[str, Any]:
    """What both verifiers say of the claims of some facts of captions.

    Args:
        corpus: the known-answer corpus.
        captions: of it.
        model: is asked about the drawn claims alone.
        embedded: reads the whole rubric.
        rubrics: by reference.

    Returns:
        Signatures, and a row a fact: caption, fact, what was planted, statuses of its claims by the model and by the
        embedded verifier as initials, "?" where no verdict could be read.
    """
    rows: list[list[str]] = []
    for pair in captions:
        rubric, gold, work = rubrics[pair.reference], corpus.gold_of(pair), corpus.work_of(pair)
        facts, asked = some_facts(pair.id, work.facts, rubric)
        omitted, misstated = {f.fact for f in gold.omissions}, {f.fact for f in gold.misstated}
        theirs, ours = _initials(model.verify([(pair.generation, asked)])[0]), _initials(
            embedded.verify([(pair.generation, rubric)])[0])
        for fact in facts:
            known = "M" if fact.fact in omitted else "C" if fact.fact in misstated else "S"
            own = [c.id for c in of_fact(rubric.claims, fact)]
            rows.append([pair.id, fact.fact, known, "".join(theirs[i] for i in own), "".join(ours[i] for i in own)])
    return {"signature": model.signature, "embedded": embedded.signature, "rows": rows}


def _initials(findings: Sequence[Finding]) -> dict[int, str]:
    return {f.claim: "?" if f.status is None else f.status[0] for f in findings}


def of_fact_status(initials: str) -> str | None:
    """What is found of a fact, from the initials of its claims: as for the embedded verifier, by half of them.

    Returns:
        "S", "C" or "M"; None where no claim has a verdict.
    """
    told = initials.replace("?", "")
    if not told:
        return None
    return "C" if "C" in told else "S" if 2 * told.count("S") >= len(told) else "M"


def rubric_rows(asker: Asker, references: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Rubrics of the model beside those of scene graphs: sizes, and what of each is in the other.

    Args:
        asker: of the model.
        references: names and texts.
    """
    from posh_lite.position.llm_rubric import LlmExtractor
    from posh_lite.position.rubric import GraphExtractor

    model, graph = LlmExtractor(asker=asker, most_tokens=RUBRIC_TOKENS), GraphExtractor()
    texts = [text for _, text in references]
    rows = [
        {"reference": name, **compared(one, other), "dropped": one.n_dropped}
        for (name, _), one, other in zip(references, model.extract(texts), graph.extract(texts), strict=True)
    ]
    return {"signature": model.signature, "graph": graph.signature, "rows": rows}


def report(
    asker: Asker, *, captions: int, one_by_one: int, works: int, others: int, sentences: int | None
) -> dict[str, Any]:
    """The whole record; see the module. What the asker's log knows is not asked again.

    Args:
        asker: of the model.
        captions: of the known-answer corpus, asked in lists.
        one_by_one: of these, asked again with a message a claim.
        works: references of the known-answer corpus.
        others: references of DOCCI-Test.
        sentences: of FaithScore; None for all that were held out, 0 for none.

    Raises:
        InputError: a dataset is not here.
        JudgeError: the model cannot be asked.
    """
    from posh_lite.benchmarks.mini import load_mini
    from posh_lite.position.llm_verify import LlmVerifier
    from posh_lite.position.profile import embedded

    corpus = load_mini()
    extractor, lexical = embedded()
    texts = [w.reference for w in corpus.works]
    rubrics = dict(zip(texts, extractor.extract(texts), strict=True))
    order = captions_in_order(corpus)
    lists = LlmVerifier(asker=asker, claims=LIST, most_tokens=LIST_TOKENS)
    single = LlmVerifier(asker=asker, claims=1, most_tokens=SINGLE_TOKENS)
    record: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(), "model": f"{asker.engine.name} {asker.engine.identity}",
        "seed": SEED, "rubrics_of": extractor.signature,
        "verifier": verifier_rows(corpus, order[:captions], lists, lexical, rubrics),
        "verifier_one_by_one": verifier_rows(corpus, order[:one_by_one], single, lexical, rubrics),
    }
    named = [(w.slug, w.reference) for w in corpus.works[:works]]
    if others:
        from posh_lite.benchmarks.iiw import load_docci_test

        rows = list(load_docci_test().rows)
        random.Random(SEED).shuffle(rows)
        named += [(r.key, r.reference) for r in rows[:others]]
    record["rubrics"] = rubric_rows(asker, named)
    if sentences != 0:
        from posh_lite.benchmarks.catalog import data_path
        from posh_lite.position.generic_report import DEVELOPED_ON, read_parts

        parts = [p for p in read_parts(data_path("faithscore")) if p.answer >= DEVELOPED_ON]
        random.Random(SEED).shuffle(parts)
        record["genericity"] = genericity_rows(asker, parts[:sentences])
    return record


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, write the record and print its figures."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.position.llm_report",
        description="Hold a language model against the labels that the embedded judges are held against.",
        epilog="A model of 1.5 billion parameters takes about an hour on one core with the defaults. With --log a run"
        " that was stopped goes on, and a renewal of the record asks nothing anew. DOCCI-Test and FaithScore are found"
        " under POSH_LITE_DATA or after `posh-lite data fetch docci_test faithscore`; --others 0 and --sentences 0 go"
        " without them.",
    )
    parser.add_argument("--model", required=True, help="gguf:FILE, or a name behind a server")
    parser.add_argument("--model-option", action="append", default=[], metavar="NAME=VALUE", help="such as threads=1")
    parser.add_argument("--log", type=Path, metavar="FILE", help="replies (SQLite), so that none is asked twice")
    parser.add_argument("--captions", type=int, default=36, metavar="N", help="asked in lists (default: 36)")
    parser.add_argument("--one-by-one", type=int, default=12, metavar="N", help="asked claim by claim (default: 12)")
    parser.add_argument("--works", type=int, default=12, metavar="N", help="own references (default: 12)")
    parser.add_argument("--others", type=int, default=3, metavar="N", help="of DOCCI-Test (default: 3)")
    parser.add_argument("--sentences", type=int, metavar="N", help="of FaithScore (default: all that were held out)")
    parser.add_argument("-o", "--output", type=Path, default=RECORD, help=f"record to write (default: {RECORD})")
    options = parser.parse_args(arguments)
    from posh_lite.commands.judges import parse_value
    from posh_lite.position.llm_ask import make_asker
    from posh_lite.position.llm_view import lines

    try:
        settings = {name: parse_value(value) for name, _, value in (o.partition("=") for o in options.model_option)}
        asker = make_asker(options.model, "replies", log=options.log, progress=None, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("once")
            record = report(asker, captions=options.captions, one_by_one=options.one_by_one, works=options.works,
                            others=options.others, sentences=options.sentences)
    except PoshLiteError as error:
        print(error, file=sys.stderr)
        return 1
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(written(record), encoding="utf-8")
    print("\n".join(lines(record)))
    return 0


def written(record: dict[str, Any]) -> str:
    """A record as JSON with a row a line."""
    whole = json.dumps(record, indent=1)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", whole) + "\n"


if __name__ == "__main__":
    sys.exit(main())
