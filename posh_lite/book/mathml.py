"""Sphinx extension: formulas as MathML, which browsers draw themselves, so that no script is loaded for them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes


def to_mathml(latex: str, *, display: bool) -> str:
    """One LaTeX formula as a ``<math>`` element with the source as its annotation for screen readers.

    Raises:
        ValueError: the formula cannot be read.
    """
    from html import escape

    from latex2mathml.converter import convert

    try:
        element = convert(latex, display="block" if display else "inline")
    except Exception as error:  # the converter raises many kinds of its own
        raise ValueError(f"formula cannot be read: {latex}") from error
    if re.search(r">[^<]*\\[^<]*<", element):  # such as bigl before a brace
        raise ValueError(f"formula holds a command that was not read: {latex}")
    return element.replace("<math ", f'<math aria-label="{escape(latex, quote=True)}" ', 1)


def _visit_inline(self: Any, node: nodes.math) -> None:
    self.body.append(to_mathml(node.astext(), display=False))
    raise nodes.SkipNode


def _visit_block(self: Any, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({node["number"]})</span>')
    for part in node.astext().split("\n\n"):
        self.body.append(to_mathml(part.strip(), display=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer under the name ``mathml`` (for ``html_math_renderer``)."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
