"""The command line, ``posh-lite``: one module of :mod:`posh_lite.commands` a command."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from posh_lite import __version__, doctor
from posh_lite.commands import (
    bench,
    calibrate,
    caption,
    challenge,
    compare,
    data,
    docent,
    estimate,
    evaluate,
    graph,
    lab,
    log,
    model,
    position,
    preference,
    project,
    reproduce,
    reward,
    score,
    train,
)
from posh_lite.errors import InputError, PoshLiteError

_EPILOG = """examples:
  posh-lite score pairs.jsonl -o scores.jsonl
  posh-lite score pairs.jsonl -o scores.jsonl --components --html report.html --log verdicts.sqlite
  posh-lite score pairs.jsonl -o scores.jsonl --judge gguf:model.gguf --scale yes-no --log verdicts.sqlite
  posh-lite position captions.jsonl -o where
  posh-lite model captions.jsonl --name my-model --benchmark mini
  posh-lite compare my-model drifter
  posh-lite caption photos -o captions.jsonl --model NAME --model-option url=http://127.0.0.1:8000/v1
  posh-lite evaluate --benchmark mini --metrics posh,bleu -o results
  posh-lite challenge --metrics posh,bleu -o matrix
  posh-lite reward captions.jsonl --edits -o rewards
  posh-lite train grpo --config tiny-grpo --data captions.jsonl --dry-run
  posh-lite calibrate --judge gguf:model.gguf --log model.sqlite -o model.calibration.json
  posh-lite log export verdicts.sqlite -o verdicts.jsonl.gz
  posh-lite estimate pairs.jsonl --throughput 40000
  posh-lite graph caption.txt --format svg -o caption.svg
  echo "A man in a red coat." | posh-lite graph -
  posh-lite doctor
  posh-lite data fetch iiw400
  posh-lite docent build --example -o docent-example
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="posh-lite", description="Score image descriptions against references, down to the words.",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"posh-lite {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (score, evaluate, position, model, compare, caption, challenge, reproduce, reward, estimate, log,
                   calibrate, graph, docent, doctor, preference, project, data, bench, train, lab):
        module.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 on success, 1 on a failure (judge, log, network), 2 on wrong input or usage, 130 when interrupted.
    """
    if sys.stderr is None:  # closed by the caller: what would be said there goes nowhere
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # texts are UTF-8 whatever the locale says
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    shown = warnings.showwarning
    warnings.showwarning = partial(_note, shown)
    try:
        top = parser()
        options, unknown = top.parse_known_args(argv)
        if unknown:
            top.error(_unknown(unknown[0], top, options.command))
        code = int(options.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except InputError as error:
        return _fail(error, 2)
    except PoshLiteError as error:
        return _fail(error, 1)
    except BrokenPipeError:
        # The reader of our output has gone ("| head"). Python would complain at exit when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        how = "; make room, then run again: what was written before is kept" if error.errno == errno.ENOSPC else ""
        return _fail(f"{where}{error.strerror or error}{how}", 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    finally:
        warnings.showwarning = shown


def _note(shown: Callable[..., None], message: Warning | str, category: type[Warning], *where: Any) -> None:
    """Say a warning to a user in one line; those to developers go their own way."""
    if issubclass(category, UserWarning):
        print(f"posh-lite: note: {' '.join(str(message).splitlines())}", file=sys.stderr)
    else:
        shown(message, category, *where)


def _unknown(argument: str, top: argparse.ArgumentParser, command: str) -> str:
    """What to say of an argument that the command does not have, with the nearest that it has."""
    below = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction)).choices[command]
    near = get_close_matches(argument.split("=", 1)[0], list(below._option_string_actions), n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; see posh-lite {command} --help"
    return f"{command} has no argument {argument}{hint}"


def _fail(message: object, code: int) -> int:
    line = " ".join(str(message).splitlines())
    print(f"posh-lite: error: {line}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
