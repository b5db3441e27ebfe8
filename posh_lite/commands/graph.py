"""``posh-lite graph``: how a text is read, drawn."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from posh_lite.commands.files import check_target
from posh_lite.errors import InputError

_EPILOG = """examples:
  posh-lite graph caption.txt
  posh-lite graph caption.txt --format svg -o caption.svg
  echo "A man in a red coat." | posh-lite graph - --format json
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "graph", help="show the scene graph of a text", epilog=_EPILOG,
        description="Extract the scene graph of a text and print or draw it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help='a text in UTF-8; "-" is standard input')
    command.add_argument("--format", choices=("text", "json", "svg", "html"), default="text", help="default: text")
    command.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw one text's graph. See :func:`add_parser` for the options."""
    check_target(options.output, options.file)
    if options.output == "-" and sys.stdout is None:
        raise InputError("standard output is closed; give -o FILE")
    text = _read(options.file)
    if not text.strip():
        raise InputError("the text is empty", path=options.file)
    from posh_lite.graph import draw
    from posh_lite.graph.extract import extract_graph

    graph = extract_graph(text)
    if options.format == "json":
        drawn = json.dumps(graph.to_dict(), ensure_ascii=False, indent=2)
    elif options.format == "svg":
        drawn = draw.to_svg(graph)
    elif options.format == "html":
        drawn = draw.to_html(graph, document=True)
    else:
        drawn = draw.to_text(graph)
    drawn = drawn.rstrip("\n") + "\n"
    if options.output == "-":
        sys.stdout.write(drawn)
    else:
        Path(options.output).write_text(drawn, encoding="utf-8", newline="")
    return 0


def _read(name: str) -> str:
    """The text as it is, line ends included, without a byte-order mark."""
    if name == "-" and sys.stdin is None:
        raise InputError("standard input is closed; name a file, or pipe a text in")
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", path=name) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text at byte {error.start + 1}", path=name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=name) from None
