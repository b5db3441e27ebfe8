"""Renew what the README shows: the output of its commands and its picture (``make readme``).

Every block marked ``sh`` or ``python`` is run as written in a scratch folder, all but those of make; a block marked
``text`` that follows directly is replaced by what was printed. The picture shows the first pair of the examples.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from posh_lite.judge.contract import Side
    from posh_lite.metric.score import Component, Score

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "figures" / "readme-score.svg"
PAIRS = ROOT / "examples" / "pairs.jsonl"
#: A block of commands: its language, the code, and the output that stands below it, if any.
BLOCK = re.compile(r"```(sh|python)\n((?:(?!```).)*)```(?:\n\n```text\n((?:(?!```).)*)```)?", re.DOTALL)

_WIDTH, _MARGIN, _SIZE, _LINE = 880, 24, 17, 34
#: Ground of a mark by its level, light and dark, as in the HTML report.
_GROUNDS = {
    1: ("#f7c4bb", "#7d2a20"),
    2: ("#fbdcb4", "#71461a"),
    3: ("#f8efb0", "#5f5618"),
    4: ("#d6ecd2", "#2d4f33"),
    5: ("#e6f2f0", "#233d38"),
}
_TITLES: tuple[tuple[Side, str, str], ...] = (
    ("generation", "mistakes", "Generation: what the reference does not bear out"),
    ("reference", "omissions", "Reference: what the generation leaves out"),
)


def run_block(language: str, code: str, folder: Path) -> str:
    """What a block of the README prints, standard error included.

    Raises:
        RuntimeError: the block failed.
    """
    environ = dict(os.environ)
    environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
    command = ["bash", "-euo", "pipefail", "-c", code] if language == "sh" else [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"this block of the README failed:\n{code}\n{done.stdout}")
    return done.stdout


def blocks(text: str) -> list[tuple[str, str, str | None]]:
    """Language, code and shown output (None where none is shown) of every block of commands."""
    return [(m[1], m[2], m[3]) for m in BLOCK.finditer(text)]


def renew(text: str, folder: Path) -> str:
    """The README with every output as it is now. Blocks run in order in the one folder, all but those of make."""
    (folder / "examples").symlink_to(ROOT / "examples")
    for language, code, old in blocks(text):
        if code.startswith("make"):
            continue
        new = run_block(language, code, folder).rstrip("\n") + "\n"
        if old is not None:
            block = f"```{language}\n{code}```\n\n```text\n"
            text = text.replace(f"{block}{old}```", f"{block}{new}```", 1)
    return text


def worst(score: Score, side: Side, count: int) -> list[Component]:
    """The components of one side that cost the most, entities before what hangs on them, in text order."""
    asked = [c for c in score.of(side) if c.score is not None and c.score < 3 and not c.inherited]
    chosen = sorted(asked, key=lambda c: (c.score, c.kind != "entity", c.spans))[:count]
    return sorted(chosen, key=lambda c: c.spans)


def _words(score: Score, side: Side) -> list[tuple[str, int]]:
    """The text as words, each with the level of the best component that covers it, 0 where none does."""
    from posh_lite.metric.report import level

    text = score.text(side)
    found = []
    for match in re.finditer(r"\w[\w'’-]*|[^\w\s]", text):
        scores = [
            c.score
            for c in score.of(side)
            if c.score is not None and any(a < match.end() and match.start() < b for a, b in c.spans)
        ]
        found.append((match[0], level(max(scores)) if scores else 0))
    return found


def _panel(score: Score, side: Side, top: float) -> tuple[list[str], float]:
    """The marked text of one side as SVG elements, and where it ends."""
    from posh_lite.graph.draw_ink import markup, measure

    parts: list[str] = []
    x, y = float(_MARGIN), top
    space = measure(" ", _SIZE)[0] + 2
    for word, level in _words(score, side):
        width = measure(word, _SIZE)[0]
        closing = not word[0].isalnum()
        if closing:
            x -= space
        elif x + width > _WIDTH - _MARGIN:
            x, y = float(_MARGIN), y + _LINE
        if level:
            box = f'x="{x - 3:.1f}" y="{y - 18:.1f}" width="{width + 6:.1f}" height="25"'
            parts.append(f'<rect class="l{level}" {box}/>')
        if level and level <= 2:
            parts.append(f'<path class="under" d="M{x - 1:.1f} {y + 4.5:.1f}h{width + 2:.1f}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" textLength="{width:.1f}">{markup(word)}</text>')
        x += width + space
    return parts, y


def picture(score: Score) -> str:
    """The score as an SVG: both texts with their marks, and the costliest components with the judge's reason."""
    from posh_lite.graph.draw_ink import markup, shorten

    parts: list[str] = []
    y = 0.0
    for side, name, title in _TITLES:
        y += 40
        parts.append(f'<text class="title" x="{_MARGIN}" y="{y}">{title}</text>')
        value = f"{getattr(score, name):.3f}"
        parts.append(f'<text class="value" x="{_WIDTH - _MARGIN}" y="{y}">{name} {value}</text>')
        panel, y = _panel(score, side, y + 36)
        parts += panel
        y += 10
        for component in worst(score, side, 3):
            y += 24
            said = shorten(f"{component.question}  {component.score:.1f}: {component.reason}", _WIDTH - 3 * _MARGIN, 13)
            parts.append(f'<path class="dot" d="M{_MARGIN + 4} {y - 9}l5 5l-5 5z"/>')
            parts.append(f'<text class="note" x="{_MARGIN + 18}" y="{y:.1f}">{markup(said)}</text>')
        y += 12
    y += 34
    x = float(_MARGIN)
    for level, meaning in enumerate(("absent", "weak hint", "partial", "clear", "explicit"), start=1):
        parts.append(f'<rect class="l{level}" x="{x}" y="{y - 14}" width="20" height="19"/>')
        if level <= 2:
            parts.append(f'<path class="under" d="M{x + 2} {y + 2}h16"/>')
        parts.append(f'<text class="note" x="{x + 27}" y="{y}">{level} {meaning}</text>')
        x += 118
    parts.append(f'<text class="value" x="{_WIDTH - _MARGIN}" y="{y}">overall {score.overall:.3f}</text>')
    height = y + 24
    light = "".join(f".l{n}{{fill:{pair[0]}}}" for n, pair in _GROUNDS.items())
    dark = "".join(f".l{n}{{fill:{pair[1]}}}" for n, pair in _GROUNDS.items())
    style = (
        f"text{{font:{_SIZE}px Helvetica,Arial,'Liberation Sans',sans-serif;fill:#1d1f21}}"
        "text.title,text.value{font-weight:700;font-size:15px}text.value{text-anchor:end}"
        "text.note{font-size:13px;fill:#4b535d}rect{rx:3px}.page{fill:#fff;stroke:#b9bcc0}"
        f".under{{stroke:#b3261e;stroke-width:2;fill:none;stroke-dasharray:4 2}}.dot{{fill:#b3261e}}{light}"
        "@media(prefers-color-scheme:dark){text{fill:#e8e6e3}text.note{fill:#b4bac2}"
        f".page{{fill:#1c1e21;stroke:#4a4d52}}.under{{stroke:#ff9a8d}}.dot{{fill:#ff9a8d}}{dark}}}"
    )
    about = f"A generated caption scored by PoSh: mistakes {score.mistakes:.3f}, omissions {score.omissions:.3f}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img">'
        f"<title>{about}</title><desc>{markup(score.signature)}</desc><style>{style}</style>"
        f'<rect class="page" x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1:.0f}"/>{"".join(parts)}</svg>\n'
    )


def example_score() -> Score:
    """The score of the first example pair, by the default judge."""
    from posh_lite import PoSh, read_pairs

    pair = next(iter(read_pairs(PAIRS)))
    score: Score = PoSh().score(pair.generation, pair.reference)
    return score


def main() -> int:
    """Write the README and its picture anew."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(example_score()), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        text = renew(README.read_text(encoding="utf-8"), Path(folder))
    README.write_text(text, encoding="utf-8")
    print(f"{README.name} and {PICTURE.relative_to(ROOT)} are renewed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
