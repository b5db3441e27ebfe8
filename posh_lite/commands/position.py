"""``posh-lite position``: where long captions fail: their sentences by place, supported, contradicted or generic."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.commands.judges import parse_value
from posh_lite.errors import InputError, MissingDependency
from posh_lite.position.page import ORDERS
from posh_lite.position.two_sided import LENSES
from posh_lite.position.vector_weights import MODEL
from posh_lite.records import Pair, read_pairs

if TYPE_CHECKING:
    from posh_lite.position.types import CaptionProfile, Extractor, Verifier

_EPILOG = """what it does:
  The reference becomes a checklist of claims. Each claim is supported or contradicted by a passage of the caption, or
  missing from it. A sentence is Supported where evidence for a claim lies in it, else Contradicted where evidence
  against one does, else Generic. Then the four quarters of the captions are compared:
    D_mid   contradicted share in the middle quarters, minus that in the first
    D_tail  generic share in the last quarter, minus that in the first
    dS, dH  supported and contradicted share, last quarter minus first
  Intervals draw images anew, all models on the same draws. "Weighted" counts a sentence by the weights of its claims.

what it cannot see:
  Claims come from the reference. A thing that the caption invents contradicts none of them, and a true detail that the
  reference leaves out supports none: both are Generic. A person's text against another person's reference has generic
  and contradicted sentences too; the chapter "Controls" of the book measures how many.

input:
  One JSON object a line: id, generation, reference; "model" names the captioner, "image" what its captions share.
  Without "image", captions of one reference count as one image. Ids are unique in the file.

two-sided lens (--lens both):
  Asks the reference for what the caption says, too. A specific sentence of which two or more components are not in the
  reference is an unsupported specific one: counted as contradicted, shown apart, and no less often an honest detail
  than an invention. Verify a person's text against the same references and hold it beside.

output, in DIR:
  index.html         every sentence with its label; open one to see the claims and the evidence
  position.md        the tables to read; composition.csv, effects.csv, differences.csv, counts.csv, position.json
  composition.svg, effects.svg   figures, each with a dark form, a PNG and its alt text
  profiles.jsonl     findings with words of the texts: a run that was stopped goes on from it, and --precedence, --boot
                     and --order ask nothing anew

audits:
  --sheet N draws up to N supported claims, N contradicted sentences and N generic ones of the last quarter, evenly over
  models and quarters, into DIR/audit-claims, audit-sentences and audit-tail: a sheet to fill in, the same as a page,
  and a key that the annotator does not see. Give every annotator a copy of sheet.csv; put the filled ones back into the
  folder under names of their own, and name them after --answers: shares of answers, kappa of two annotators, and the
  effects with the labels that the answers correct go to DIR/audits.md.

sentence vectors:
  --verifier vectors asks the rules first and keeps their contradictions. Whether the caption says the other claims it
  tells from both: what the rules found, and how near a passage comes to the claim, nearer than to other claims, in a
  model of sentence vectors. It knows paraphrases that no word list has, and needs the extra "baselines" and a small
  model, once: hf download """ + MODEL + """. For another model fit its weights first:
  python -m posh_lite.position.vector_fit --model MODEL -o weights.json
  --embedder chars needs no model: passages are compared by their spelling. What it adds to the rules is that a passage
  which comes nearer to another claim speaks of something else.

models:
  --rubric llm and --verifier llm ask --model: a name behind a server that speaks OpenAI's protocol, or gguf:FILE,
  transformers:MODEL, vllm:MODEL. A key comes from OPENAI_API_KEY alone. --log keeps replies, sealed with the texts.

examples:
  posh-lite position captions.jsonl -o where --sheet 50
  posh-lite position captions.jsonl -o where --answers where/audit-claims/anna.csv where/audit-claims/ben.csv
  posh-lite position captions.jsonl -o where --precedence contradicted --order generic
  posh-lite position captions.jsonl -o where --rubric llm --verifier llm --model Qwen/Qwen3-8B \\
    --model-option url=http://127.0.0.1:8000/v1 --log replies.sqlite
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "position", help="where long captions fail: their sentences by place and label", epilog=_EPILOG,
        description="Label every sentence of captions against claims of their references, and compare the quarters.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("captions", metavar="CAPTIONS.jsonl", help='pairs, one JSON object a line; "-" reads stdin')
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for everything that is written")
    command.add_argument("--rubric", choices=("graph", "llm"), default="graph",
                         help="claims from the scene graph of the reference, without a model (default), or by a model")
    command.add_argument("--verifier", choices=("lexical", "vectors", "llm"), default="lexical",
                         help="by rules and word lists, without a model (default), by these and sentence vectors, or by"
                         " a language model")
    command.add_argument("--embedder", metavar="MODEL",
                         help="what makes the vectors of --verifier vectors: a folder, or a model of the hub that is on"
                         f" this machine (default: {MODEL}), or minilm: the folder that POSH_LITE_MINILM names, or"
                         " chars: spelling alone, which needs nothing")
    command.add_argument("--vector-weights", metavar="FILE.json", help="fitted for --embedder, instead of ours")
    command.add_argument("--trust-weights", action="store_true",
                         help="take weights that were fitted with another embedder or with other rules")
    command.add_argument("--model", metavar="MODEL", help="what --rubric llm and --verifier llm ask")
    command.add_argument("--model-option", action="append", default=[], metavar="NAME=VALUE", dest="model_options",
                         help="a setting of the model, such as url=http://127.0.0.1:8000/v1; may be repeated")
    command.add_argument("--rubric-prompts", metavar="FILE.toml", help="prompt of the extractor instead of ours")
    command.add_argument("--verifier-prompts", metavar="FILE.toml", help="prompt of the verifier instead of ours")
    command.add_argument("--log", metavar="FILE", help="replies of the model (SQLite), so that none is asked twice")
    command.add_argument("--precedence", choices=("supported", "contradicted"), default="supported",
                         help="what labels a sentence that has both kinds of evidence (default: supported, as in the"
                         " paper)")
    command.add_argument("--lens", choices=LENSES, default="claims",
                         help="what is consulted: the claims of the reference, as in the paper (default), or what the"
                         " caption says as well")
    command.add_argument("--boot", type=int, default=2000, metavar="B", help="draws of images (default: 2000)")
    command.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    command.add_argument("--order", choices=ORDERS, default="contradicted",
                         help="of the captions on the page: the largest share of such sentences first (default:"
                         " contradicted), or by id")
    command.add_argument("--page", type=int, default=200, metavar="N", dest="most",
                         help="captions on the page at most (default: 200)")
    command.add_argument("--same-length", action="store_true",
                         help="only images on which the captions of all models have nearly as many sentences (at most a"
                         " quarter more)")
    command.add_argument("--sheet", type=int, metavar="N", help="sheets for people who see the images, N lines each")
    command.add_argument("--answers", nargs="+", default=[], metavar="SHEET.csv", help="filled sheets of this report")
    command.add_argument("--no-figures", action="store_true", help="tables and page only")
    command.add_argument("--quiet", action="store_true", help="no bar, and no table on standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Verify, write and print. See :func:`add_parser` for the options."""
    for name, value, least in (("--boot", options.boot, 1), ("--seed", options.seed, 0), ("--page", options.most, 1),
                               ("--sheet", options.sheet, 1)):
        if value is not None and value < least:
            raise InputError(f"{name} must be at least {least}, got {value}")
    place = Path(options.output)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, expected a folder", path=place)
    settings = model_options(options)
    pairs = list(read_pairs(options.captions))
    if not pairs:
        raise InputError("no captions in it", path=options.captions)
    check_texts(pairs, options.captions)
    extractor, verifier = parts(options, settings)
    from posh_lite.position.audit_run import read_audits, write_audits
    from posh_lite.position.report import make_report, markdown, write_figures, write_page, write_tables
    from posh_lite.position.report_store import ProfileStore, profiles_of

    place.mkdir(parents=True, exist_ok=True)
    profiles = profiles_of(
        pairs, extractor, verifier, store=ProfileStore(place / "profiles.jsonl"), precedence=options.precedence,
        progress=False if options.quiet else None, lens=options.lens,
    )
    if not any(p.rubric.claims for p in profiles):
        raise InputError("none of the references gave a claim, so nothing can be verified", path=options.captions)
    if options.same_length:
        profiles = same_length(profiles, options.captions)
    made = make_report(profiles, n_resamples=options.boot, seed=options.seed, precedence=options.precedence,
                       lens=options.lens)
    written = write_tables(made, place)
    if not options.no_figures:
        written += write_figures(made, place)
    written.append(write_page(made, place / "index.html", options.order, options.most))
    if options.sheet is not None:
        written += write_audits(made.profiles, place, options.sheet, seed=options.seed)
    told = read_audits(made.profiles, options.answers, n_resamples=options.boot, seed=options.seed) if (
        options.answers) else ""
    if told:
        written.append(place / "audits.md")
        written[-1].write_text(told, encoding="utf-8")
    if not options.quiet:
        print(markdown(made) + (f"\n{told}" if told else ""), end="")
        print(f"posh-lite: wrote {', '.join(p.name for p in written)} to {place}", file=sys.stderr)
    return 0


def check_texts(pairs: list[Pair], path: str) -> None:
    """Find out early whether captions of one image can be told apart.

    Raises:
        InputError: two records have the same model and caption of one image.
    """
    seen: dict[tuple[str, str, str], str] = {}
    for pair in pairs:
        key = (pair.model or "", pair.image or pair.reference, pair.generation)
        if key in seen:
            warnings.warn(f'{path}: "{pair.id}" repeats "{seen[key]}": the same caption of one model counts twice',
                          stacklevel=2)
            return
        seen[key] = pair.id


def same_length(profiles: list[CaptionProfile], path: str) -> list[CaptionProfile]:
    """The captions of images on which all models write about equally much; says how many were left out.

    Raises:
        InputError: there is one model alone, or no such image.
    """
    from posh_lite.position.controls import length_matched
    from posh_lite.position.report import many

    if len({p.model for p in profiles}) < 2:
        raise InputError("--same-length compares models, and there is one alone", path=path)
    kept = length_matched(profiles)
    if not kept.n_images:
        raise InputError("--same-length: on no image have all models captions of nearly one length", path=path)
    print(f"posh-lite: {many(kept.n_images, 'image')} with captions of nearly one length, {kept.n_left_out} left out",
          file=sys.stderr)
    return list(kept.profiles)


def model_options(options: argparse.Namespace) -> dict[str, Any]:
    """Settings of the model, checked against what is asked.

    Raises:
        InputError: a model is missing or not used, or a setting is not NAME=VALUE.
    """
    asks = "llm" in (options.rubric, options.verifier)
    if asks and not options.model:
        raise InputError("--rubric llm and --verifier llm need --model, such as --model gguf:model.gguf or a name"
                         " behind a server with --model-option url=...")
    given = [name for name, value in (("--model", options.model), ("--model-option", options.model_options),
                                      ("--log", options.log)) if value]
    if given and not asks:
        raise InputError(f"{given[0]} is for --rubric llm or --verifier llm; neither is given")
    for name, value, kind in (("--rubric-prompts", options.rubric_prompts, options.rubric),
                              ("--verifier-prompts", options.verifier_prompts, options.verifier)):
        if value and kind != "llm":
            raise InputError(f"{name} is for {name.removesuffix('-prompts')} llm")
    vectors = {"--embedder": options.embedder, "--vector-weights": options.vector_weights}
    given = [name for name, value in vectors.items() if value is not None] + ["--trust-weights"] * options.trust_weights
    if given and options.verifier != "vectors":
        raise InputError(f"{given[0]} is for --verifier vectors")
    for name, value in vectors.items():
        if value is not None and not value.strip():
            raise InputError(f"{name} names nothing")
    found: dict[str, Any] = {}
    for text in options.model_options:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise InputError(f'--model-option takes NAME=VALUE, such as threads=4, got "{text}"')
        found[name] = parse_value(value)
    return found


def embedder_name(given: str | None) -> str:
    """What ``--embedder`` stands for; "minilm" is the folder that the judge of this name takes, too.

    Raises:
        MissingDependency: "minilm" without such a folder.
    """
    if given != "minilm":
        return given or MODEL
    from posh_lite.judge.embedding import MINILM, lacks_minilm

    if why := lacks_minilm():
        raise MissingDependency(f'the embedder "minilm" cannot be had: {why}')
    return os.environ[MINILM].strip()


def parts(options: argparse.Namespace, settings: dict[str, Any]) -> tuple[Extractor, Verifier]:
    """Extractor and verifier as the options name them; both share one model, or one store of scene graphs.

    Raises:
        InputError, MissingDependency: a model or its weights are not there, or were fitted with something else.
        JudgeError: a language model cannot be made.
    """
    from posh_lite.position.profile import embedded

    extractor, verifier = embedded()
    if options.verifier == "vectors":
        from posh_lite.position.vector_verify import VectorVerifier, embedder_of

        try:
            embedder = embedder_of(embedder_name(options.embedder))
        except MissingDependency as error:
            raise MissingDependency(f"{error}; --embedder chars compares by spelling and needs nothing") from None
        verifier = VectorVerifier(embedder, options.vector_weights, verifier=verifier, trust=options.trust_weights)
    if "llm" not in (options.rubric, options.verifier):
        return extractor, verifier
    from posh_lite.position.llm_ask import make_asker
    from posh_lite.position.llm_rubric import LlmExtractor
    from posh_lite.position.llm_verify import LlmVerifier

    asker = make_asker(options.model, "replies", log=options.log, progress=False, **settings)
    if options.rubric == "llm":
        extractor = LlmExtractor(asker=asker, prompts=options.rubric_prompts)
    if options.verifier == "llm":
        verifier = LlmVerifier(asker=asker, prompts=options.verifier_prompts)
    return extractor, verifier
