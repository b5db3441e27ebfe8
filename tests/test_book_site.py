"""Rendering, on a book of two pages with the project's own configuration: offline, numbered, in two colourings."""

from __future__ import annotations

import shutil

import nbformat
import pytest

from posh_lite import plot
from posh_lite.book import show
from posh_lite.book.check import check_site, read_page
from posh_lite.book.layout import BookError, Layout, find_layout
from posh_lite.book.site import render

HERE = find_layout()
PROSE = """# A preface

A formula, $x^2$, a {{term}}`word`, and {{doc}}`the chapter <chapters/01_a>`. {extra}

$$
\\frac{{a}}{{b}}
$$

```{{glossary}}
word
  What stands here.
```
"""


def output(block) -> nbformat.NotebookNode:
    bundle = block._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return nbformat.v4.new_output("execute_result", data=data, metadata=metadata, execution_count=1)


@pytest.fixture
def layout(tmp_path) -> Layout:
    made = Layout(tmp_path)
    for name in ("_config.yml", "references.bib"):
        (tmp_path / "book").mkdir(exist_ok=True)
        shutil.copy(HERE.book / name, tmp_path / "book" / name)
    for name in ("_static", "_templates"):
        shutil.copytree(HERE.book / name, tmp_path / "book" / name)
    toc = "format: jb-book\nroot: intro\nchapters:\n  - file: chapters/01_a\n"
    (tmp_path / "book" / "_toc.yml").write_text(toc, "utf-8")
    (tmp_path / "book" / "intro.md").write_text(PROSE.format(extra=""), "utf-8")
    with plot.canvas(1.5) as (fig, ax):
        ax.plot([0, 1], [0, 1], color=plot.colour("blue"))
        figure = plot.save(fig, "line", alt="A line that rises from nought to one.", caption="A line.",
                           folder=made.figures)  # fmt: skip
    import pandas as pd

    blocks = [
        figure,
        show.table(pd.DataFrame({"a": ["x"], "b": [0.5]}), name="t", caption="A table."),
        show.text("See {numref}`fig-line` and {numref}`tab-t`."),
        show.fragment('<h4>Texts</h4><details open><p>folded</p></details>', "A fragment"),
        show.badge("lite", "lexical", "sig"),
    ]
    cells = [nbformat.v4.new_markdown_cell("# A chapter\n\n## A section", id="title")]
    cells += [
        nbformat.v4.new_code_cell("show", id=f"cell-{i}", outputs=[output(b)], execution_count=1,
                                  metadata={"tags": ["remove-input"]})
        for i, b in enumerate(blocks)
    ]  # fmt: skip
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made.chapters.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), made.chapters / "01_a.ipynb")
    return made


def test_a_book_renders_offline_and_is_skipped_when_nothing_changed(layout):
    assert render(layout)
    assert check_site(layout.html) == []
    preface = (layout.html / "intro.html").read_text("utf-8")
    assert "<math" in preface
    html = (layout.html / "chapters" / "01_a.html").read_text("utf-8")
    page = read_page(html)
    text = " ".join("".join(page.text).split())
    assert "See Figure 1.1 and Table 1.1." in text or "See Figure 1 and Table 1." in text
    assert html.count('alt="A line that rises from nought to one."') == 2  # light and dark
    assert "posh-light" in html
    assert "posh-dark" in html
    assert "<details>" in html
    assert "<h3>Texts</h3>" in html
    assert page.language == "en"
    assert not [url for url in page.loads if url.startswith(("http", "//"))]
    for script in ("mathjax", "require.js", "thebe", "binder", "unpkg", "jsdelivr", "cdnjs"):
        # "mathjax_ignore" is a class name of the theme and loads nothing
        assert script not in (html + preface).lower().replace("mathjax_ignore", ""), script
    assert not render(layout)  # the key is unchanged
    # a warning is an error, and what was there before is not taken for the new page
    (layout.book / "intro.md").write_text(PROSE.format(extra="{doc}`nowhere`"), "utf-8")
    with pytest.raises(BookError, match="nowhere"):
        render(layout)
    assert not (layout.build / ".inputs").exists()
