"""One visual language for every figure: palette, style, and saving with alt text.

Figures are drawn once, in the light colours. :func:`save` writes ``NAME.svg``, the same drawing in the dark
colours (``NAME.dark.svg``, every palette colour replaced by its partner), ``NAME.png`` on white, and
``NAME.alt.txt``. Text stays text in the SVG, so it scales and can be read out. The colours are told apart by
people with the common forms of colour blindness, and marks differ in shape as well.
"""

from __future__ import annotations

import base64
import html
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

#: Role of a colour, its value on a light page and its value on a dark one.
PALETTE: dict[str, tuple[str, str]] = {
    "text": ("#1f2328", "#e6e8eb"),
    "muted": ("#59636e", "#a9b3be"),
    "grid": ("#d5dae0", "#3b434c"),
    "blue": ("#0067a5", "#6cb8ee"),
    "orange": ("#c04e01", "#f79a5c"),
    "green": ("#00795a", "#4fc9a4"),
    "purple": ("#8b3f8f", "#d79bdb"),
    "gold": ("#8f6400", "#e3bf55"),
    "grey": ("#6b7683", "#98a3af"),
}
#: What the colours stand for throughout the book.
MEANING = {"mistakes": "orange", "omissions": "purple", "overall": "blue", "yardstick": "grey", "person": "green"}
#: Marks in the order in which series are added, so that colour is never the only difference.
MARKERS = ("o", "s", "D", "^", "v", "P")
WIDTH = 5.2  # inches: legible on a phone, not lost on a wide screen
_FONTS = ["DejaVu Sans", "Verdana", "Segoe UI", "Helvetica", "Arial", "sans-serif"]
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def colour(role: str, *, dark: bool = False) -> str:
    """Hex colour of a role of :data:`PALETTE` or a meaning of :data:`MEANING`.

    Raises:
        KeyError: no such role.
    """
    return PALETTE[MEANING.get(role, role)][dark]


def style() -> Any:
    """The matplotlib settings of the book, a dictionary."""
    text, muted, grid = colour("text"), colour("muted"), colour("grid")
    return {
        "font.family": "sans-serif", "font.sans-serif": _FONTS, "font.size": 10.5, "svg.fonttype": "none",
        "text.color": text, "axes.labelcolor": text, "axes.titlecolor": text, "axes.titlesize": 11,
        "axes.titlelocation": "left", "axes.edgecolor": muted, "axes.linewidth": 0.8,
        "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
        "axes.grid": True, "grid.color": grid, "grid.linewidth": 0.7,
        "xtick.color": muted, "ytick.color": muted, "xtick.labelcolor": text, "ytick.labelcolor": text,
        "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
        "legend.frameon": False, "figure.constrained_layout.use": True, "lines.linewidth": 1.8,
        "lines.markersize": 6,
        "text.parse_math": False,  # a name with dollar signs is a name
    }


@contextmanager
def canvas(
    height: float, *, width: float = WIDTH, rows: int = 1, columns: int = 1, **kwargs: Any
) -> Iterator[tuple[Canvas, Any]]:
    """Give a figure and its axes in the style of the book; the figure is closed afterwards.

    Args:
        height: in inches.
        width: in inches.
        rows: of the grid of axes.
        columns: of the same.
        kwargs: for ``Figure.subplots``.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as MatplotlibFigure

    with matplotlib.rc_context(style()):
        figure = MatplotlibFigure(figsize=(width, height))
        FigureCanvasAgg(figure)  # no pyplot: nothing global is kept and no window is asked for
        yield figure, figure.subplots(rows, columns, **kwargs)


@dataclass(frozen=True, slots=True)
class Figure:
    """A saved figure: shows itself with alt text in a notebook and as a numbered figure in the book."""

    name: str
    alt: str
    caption: str
    svg: str = field(repr=False)

    @property
    def files(self) -> list[str]:
        """The file names below ``figures/``."""
        return [f"{self.name}{end}" for end in (".svg", ".dark.svg", ".png", ".alt.txt")]

    def to_html(self) -> str:
        """A self-contained ``<figure>`` with the drawing inside."""
        data = base64.b64encode(self.svg.encode()).decode()
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(self.alt, quote=True)}">'
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        return f'<figure style="background:#fff;padding:.5em">{image}{caption}</figure>'

    def to_myst(self) -> str:
        """A MyST figure directive, seen from ``book/chapters``; ``{numref}`` reaches it as ``fig-NAME``."""
        alt = " ".join(self.alt.split())
        return (
            f"````{{figure}} ../../figures/{self.name}.svg\n:name: fig-{self.name}\n:alt: {alt}\n\n"
            f"{self.caption}\n````\n"
        )

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        bundle = {"text/markdown": self.to_myst(), "text/html": self.to_html(), "text/plain": self.alt}
        return bundle, {"posh_lite": {"files": self.files}}


def darken(svg: str) -> str:
    """The same SVG with every palette colour replaced by its partner for dark pages."""
    partner = dict(PALETTE.values())
    return re.sub(r"#[0-9a-fA-F]{6}\b", lambda m: partner.get(m.group().lower(), m.group()), svg)


def figures_folder() -> Path:
    """``figures/`` of the checkout, or of the working folder outside of one."""
    from posh_lite.book.layout import BookError, find_layout

    try:
        return find_layout(Path.cwd()).figures
    except BookError:
        return Path("figures")


def _named(svg: str, name: str) -> str:
    """The drawing with its clip paths named by their order: matplotlib may name them by where they lie in memory."""
    found = dict.fromkeys(re.findall(r'<clipPath id="(\w+)"', svg))
    names = {old: f"p{zlib.crc32(f'{name} {k}'.encode()):08x}" for k, old in enumerate(found)}
    return re.sub(r'(?<=id=")\w+(?=")|(?<=url\(#)\w+(?=\))', lambda m: names.get(m[0], m[0]), svg)


def save(fig: Canvas, name: str, *, alt: str, caption: str = "", folder: str | Path | None = None) -> Figure:
    """Write a figure as SVG (light and dark), PNG and alt text, and return it for display.

    Args:
        fig: a matplotlib figure drawn in :func:`canvas`.
        name: lower-case words joined by hyphens; becomes the file name and the label ``fig-NAME``.
        alt: what the figure shows, for a reader who does not see it; required.
        caption: printed below the figure in the book.
        folder: default ``figures/`` of the checkout.

    Raises:
        ValueError: a name of another form, or an alt text shorter than twenty characters.
    """
    import io

    import matplotlib

    if not _NAME.fullmatch(name):
        raise ValueError(f"figure name {name!r}: use lower-case words joined by hyphens")
    if len(alt.strip()) < 20:
        raise ValueError(f"figure {name}: alt text must say what the figure shows (got {alt!r})")
    target = Path(folder) if folder is not None else figures_folder()
    target.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO()
    # salt and empty date: the same figure gives the same bytes
    settings: Any = {**style(), "svg.hashsalt": name}
    with matplotlib.rc_context(settings):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        fig.savefig(target / f"{name}.png", dpi=160, facecolor="white", metadata={"Software": None})
    svg = _named("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n", name)
    (target / f"{name}.svg").write_text(svg, "utf-8")
    (target / f"{name}.dark.svg").write_text(darken(svg), "utf-8")
    (target / f"{name}.alt.txt").write_text(alt.strip() + "\n", "utf-8")
    return Figure(name, alt.strip(), caption.strip(), svg)
