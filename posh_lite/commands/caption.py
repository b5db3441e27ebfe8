"""``posh-lite caption``: captions of images by a vision model, behind a server or in this process."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from posh_lite.commands.files import check_target
from posh_lite.commands.judges import parse_value
from posh_lite.errors import InputError, JudgeDown

_EPILOG = """input:
  IMAGES    a folder of PNG, JPEG, GIF or WebP files, with the folders below it; an image's id is its path in it
  FILE      JSON Lines with "image" (a path), and optionally "id" and "reference", which go into the output
  docent    the images that `posh-lite docent images` fetched, in the folder that --images names

output: one JSON object a line, as soon as the caption comes: id, image, generation, model, and a hash of settings and
  image. FILE.settings.json spells the settings out. A run that was stopped goes on: images that have a line are not
  asked for again, and other settings are refused. `posh-lite model` reads the file.

sampling: nucleus, top-p 0.9 at temperature 0.7, as the PoSh paper has it for its open models. The paper states neither
  a limit of tokens nor a seed nor a size of images: those are ours. The prompt is ours too; --prompt replaces it.

models: a name behind a server that speaks OpenAI's protocol (vLLM, llama.cpp, Ollama, SGLang, hosted ones), whose
  address comes from --model-option url= or OPENAI_BASE_URL, and whose key comes from OPENAI_API_KEY alone; or
  vllm:NAME in this process (extra gpu; it was not run on a GPU); or transformers:NAME with --temperature 0.

examples:
  posh-lite caption photos -o captions.jsonl --model Qwen/Qwen2.5-VL-7B-Instruct --model-option url=http://127.0.0.1:8000/v1
  posh-lite caption docent --images docent-images -o captions.jsonl --model vllm:Qwen/Qwen2.5-VL-7B-Instruct
  posh-lite model captions.jsonl --name qwen2.5-vl-7b --benchmark docent
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    from posh_lite.own import caption as ours

    command = commands.add_parser(
        "caption", help="captions of images by a vision model", epilog=_EPILOG,
        description="Ask a vision model for captions of a folder of images, of a file, or of DOCENT.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("images", metavar="IMAGES|FILE.jsonl|docent", help="what is captioned (see below)")
    command.add_argument("-o", "--output", required=True, metavar="FILE.jsonl", help="where captions go")
    command.add_argument("--model", required=True, metavar="NAME", help="of the model (see below)")
    command.add_argument("--model-option", action="append", default=[], metavar="NAME=VALUE", dest="model_options",
                         help="a setting of the model, such as url=http://127.0.0.1:8000/v1, concurrency=4 (requests"
                              " under way), timeout=180 or retries=5; may be repeated")
    command.add_argument("--images", metavar="DIR", dest="folder",
                         help="folder of the images of docent, or that paths in FILE are relative to")
    command.add_argument("--prompt", metavar="FILE.toml", help="a prompt that replaces ours")
    command.add_argument("--temperature", type=float, default=ours.TEMPERATURE, metavar="T",
                         help=f"0 takes the most probable token each time (default: {ours.TEMPERATURE})")
    command.add_argument("--top-p", type=float, default=ours.TOP_P, metavar="P",
                         help=f"share of the probability that is drawn from (default: {ours.TOP_P})")
    command.add_argument("--max-tokens", type=int, default=ours.MOST_TOKENS, metavar="N",
                         help=f"of a caption (default: {ours.MOST_TOKENS}); longer ones are cut off and counted")
    command.add_argument("--seed", type=int, default=ours.SEED, metavar="N", help=f"(default: {ours.SEED})")
    command.add_argument("--max-side", type=int, default=ours.LONGEST, metavar="PX",
                         help=f"larger images are made smaller (default: {ours.LONGEST}; 0 sends them as they are)")
    command.add_argument("-n", type=int, metavar="N", dest="number", help="the first N images only")
    command.add_argument("--quiet", action="store_true", help="no bar and no summary")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask and write. See :func:`add_parser` for the options.

    Returns:
        0 where every image has a caption, 1 where some got none.
    """
    from dataclasses import replace

    from posh_lite.baselines.chat_engines import split_model
    from posh_lite.own.caption import CaptionFile, Settings, caption_shots, read_prompt
    from posh_lite.own.caption_engine import caption_engine
    from posh_lite.own.images import find_shots

    _check(options)
    shots = find_shots(options.images, options.folder)
    if options.number is not None:
        shots = replace(shots, rows=shots.rows[: options.number])
    message, prompt = read_prompt(options.prompt)
    engine = caption_engine(options.model, temperature=options.temperature, top_p=options.top_p, seed=options.seed,
                            **_model_options(options.model_options))
    settings = Settings(f"{engine.name}:{engine.identity}", prompt, options.temperature, options.top_p,
                        options.max_tokens, options.seed, options.max_side)
    out = CaptionFile(options.output, settings)
    if shots.passed_over and not options.quiet:
        some = ", ".join(shots.passed_over[:3])
        print(f"posh-lite: note: {len(shots.passed_over):,} files were passed over ({some}): convert them to PNG or"
              " JPEG", file=sys.stderr)

    def tell(line: str) -> None:
        print(f"posh-lite: no caption: {' '.join(line.splitlines())}", file=sys.stderr)

    try:
        found = caption_shots(shots, engine, message, settings, out, model=split_model(options.model)[1],
                              progress=False if options.quiet else None, tell=tell)
    except (KeyboardInterrupt, JudgeDown):
        print(f"posh-lite: {len(out.done):,} captions are in {options.output}; the same command asks only for the rest",
              file=sys.stderr)
        raise
    if out.done:
        out.settle([s.id for s in shots.rows])
    if not options.quiet:
        print(f"posh-lite: {found.new:,} new captions, {found.there:,} from before, in {options.output}"
              + (f"; {found.cut:,} were cut off at {options.max_tokens:,} tokens" if found.cut else ""),
              file=sys.stderr)
    if found.failed:
        print(f"posh-lite: {len(found.failed):,} images got no caption; the same command asks only for these again",
              file=sys.stderr)
        return 1
    return 0


def _check(options: argparse.Namespace) -> None:
    check_target(options.output, options.images)
    if options.output == "-":
        raise InputError("-o needs a file, so that a run that was stopped can go on")
    for name, value, low, high in (("--temperature", options.temperature, 0, 10), ("--top-p", options.top_p, 1e-9, 1)):
        if not low <= value <= high:
            raise InputError(f"{name} must lie between {0 if low < 1e-6 else low} and {high}, got {value}")
    for name, whole, least in (("--max-tokens", options.max_tokens, 1), ("--max-side", options.max_side, 0),
                               ("-n", 1 if options.number is None else options.number, 1)):
        if whole < least:
            raise InputError(f"{name} must be at least {least}, got {whole}")


def _model_options(texts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise InputError(f'--model-option takes NAME=VALUE, such as url=http://127.0.0.1:8000/v1, got "{text}"')
        found[name] = parse_value(value)
    return found
