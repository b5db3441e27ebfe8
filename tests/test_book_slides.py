"""Decks of the chapters: what is taken from a chapter, and what stands on the slides."""

from __future__ import annotations

import base64
import re

import pytest

from posh_lite.book import slides
from posh_lite.book.check import page_problems, read_page
from posh_lite.book.layout import BookError, Layout
from posh_lite.book.notebooks import notebook_format

FIGURE = """````{figure} ../../figures/a.svg
:name: fig-a
:alt: Three bars, the last is "highest".

Bars of *three* metrics.
````
"""


def notebook():
    v4 = notebook_format().v4
    shown = v4.new_output("display_data", {"text/markdown": FIGURE})
    told = v4.new_output("display_data", {"text/markdown": "It rose by 3 points."})
    table = v4.new_output("display_data", {"text/markdown": ":::{table} T\n:name: t\n\n| a |\n|---|\n| 1 |\n:::\n"})
    return v4.new_notebook(cells=[
        v4.new_markdown_cell(
            "# A & B\n\nFirst words {cite:p}`key`.\n\n```{admonition} In this chapter\n"
            "- **You will learn** how bars\n  are read.\n- **You need** nothing.\n```\n"
        ),
        v4.new_markdown_cell("## Bars\n\nSee {numref}`fig-a` and {doc}`the rest <x>` with $a<b$."),
        v4.new_code_cell("draw()", outputs=[shown, told, table]),
        v4.new_markdown_cell("## Summary\n\n- One `thing`.\n- <script>alert(1)</script>"),
    ])


def test_a_chapter_is_taken_apart():
    chapter = slides.read_chapter(notebook(), "01_a")
    assert chapter.title == "A & B"
    assert chapter.learn == "how bars are read."
    assert [p.title for p in chapter.parts] == ["", "Bars", "Summary"]
    (figure,) = chapter.parts[1].figures
    assert figure.path == "../../figures/a.svg"
    assert figure.alt == 'Three bars, the last is "highest".'
    assert figure.caption == "Bars of *three* metrics."
    assert chapter.parts[1].prose[1] == "It rose by 3 points."
    assert len(chapter.parts[1].prose) == 2  # the table is not read out


def test_a_deck_has_a_title_the_aim_each_figure_and_the_summary(tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    (tmp_path / "figures" / "a.dark.svg").write_text("<svg/>", "utf-8")
    folder = tmp_path / "book" / "chapters"
    folder.mkdir(parents=True)
    page = slides.deck(slides.read_chapter(notebook(), "01_a"), folder)
    found = read_page(page)
    assert page_problems(found) == []
    assert found.headings == [1, 2, 2, 2]
    assert found.title == "A & B: slides"
    assert page.count('class="slide"') == 4
    assert "<em>three</em>" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    data = re.findall(r"base64,([A-Za-z0-9+/=]+)", page)
    assert [base64.b64decode(d) for d in data] == [b"<svg/>", b"<svg xmlns='http://www.w3.org/2000/svg'/>"]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("seen {cite:p}`x2020`.", "seen."),
        ("see {numref}`fig-a` ({numref}`fig-b`), then", "see, then"),
        ("{doc}`the rest <y>` and {term}`judge`", "the rest and judge"),
        ("[words](https://example.org)", "words"),
        ("a \\$5 and $5", "a $5 and $5"),
        ("`a < b`", "<code>a &lt; b</code>"),
        ("costs $5 and $6 a day", "costs $5 and $6 a day"),
        ("`$HOME` and `$X`", "<code>$HOME</code> and <code>$X</code>"),
        ("call `foo()` now ; or `a .`", "call <code>foo()</code> now; or <code>a .</code>"),
        ("``a`b`` and {doc}`the rest <y>`", "<code>a`b</code> and the rest"),
        ('<a href="../_static/x.html">Try</a> it, <b>now</b>', "Try it, now"),
        ("![A drawing](x.png) of [it](y)", "A drawing of it"),
        ("broken $\\frac{$ x", "broken $\\frac{$ x"),
        ("{doc}`x` and {numref}`y` and `z`", "x and  and <code>z</code>"),
    ],
)
def test_roles_and_links_become_words(markdown, html):
    assert slides.to_html(markdown, inline=True) == html


def test_formulas_are_drawn():
    made = slides.to_html("with $a<b$ and $c$", inline=True)
    assert made.count("<math") == 2
    assert "$" not in made


def test_a_formula_of_its_own_and_one_as_a_role_are_drawn():
    assert 'display="block"' in slides.to_html("$$\nx = \\frac{a}{b}\n$$")
    made = slides.to_html("{math}`a<b` holds", inline=True)
    assert made.count("<math") == 1
    assert made.endswith(" holds")


def test_blocks_are_read_as_they_are_meant():
    assert "<table>" in slides.to_html("| a | b |\n|---|---|\n| `x` | 2 |")
    code = slides.to_html("```\n# c\n\nx () $a$ .\n[a](b)\n```")
    assert code == "<pre><code># c\n\nx () $a$ .\n[a](b)\n</code></pre>\n"


def test_a_comment_in_code_is_no_heading():
    v4 = notebook_format().v4
    text = "# Title\n\nLead.\n\n```console\n# first\n$ run\n\n## second\n```\n\n## Part\n\nMore."
    chapter = slides.read_chapter(v4.new_notebook(cells=[v4.new_markdown_cell(text)]), "01_a")
    assert chapter.title == "Title"
    assert [p.title for p in chapter.parts] == ["", "Part"]
    assert chapter.parts[0].prose == ["Lead.", "```console\n# first\n$ run\n\n## second\n```"]


@pytest.mark.parametrize("title", ["Summary", "What this shows, and what not"])
def test_a_closing_section_is_a_slide_of_its_words(title, tmp_path):
    parts = (slides.Part("Other", ["Not this."]), slides.Part(title, ["- **One.** Two."]))
    page = slides.deck(slides.Chapter("01_a", "T", "L", "", parts), tmp_path)
    assert f"<h2>{title}</h2><ul>\n<li><strong>One.</strong> Two.</li>" in page
    assert "Not this" not in page


def test_figures_between_colons_are_figures_too():
    (found,) = slides.figures_in(":::{figure} a.png\n:alt: A\n\nWords.\n:::\n")
    assert (found.path, found.alt, found.caption) == ("a.png", "A", "Words.")


@pytest.mark.parametrize(("name", "said"), [("gone.svg", "run its chapter again"), ("a.pdf", "no kind that slides")])
def test_a_figure_that_cannot_be_shown_is_named(name, said, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"x")
    part = slides.Part("T", [], [slides.Shown(name, "A", "B")])
    with pytest.raises(BookError, match=f"{name}.*{said}"):
        slides.deck(slides.Chapter("01_a", "T", "L", "", (part,)), tmp_path)


@pytest.mark.parametrize("kind", [".PNG", ".jpg", ".webp", ".gif"])
def test_pictures_of_other_kinds_are_shown(kind, tmp_path):
    (tmp_path / f"a{kind}").write_bytes(b"x")
    part = slides.Part("T", [], [slides.Shown(f"a{kind}", "A", "B")])
    assert "data:image/" in slides.deck(slides.Chapter("01_a", "T", "L", "", (part,)), tmp_path)


def test_every_chapter_gets_a_deck_and_the_list_names_them(tmp_path):
    layout, nbformat = Layout(tmp_path), notebook_format()
    layout.chapters.mkdir(parents=True)
    layout.figures.mkdir()
    (layout.figures / "a.svg").write_text("<svg/>", "utf-8")
    nbformat.write(notebook(), layout.chapters / "01_a.ipynb")
    *decks, index = slides.write_slides(layout)
    assert [d.name for d in decks] == ["01_a.html"]
    listed = read_page(index.read_text("utf-8"))
    assert page_problems(listed) == []
    assert listed.links == ["../intro.html", "01_a.html"]
    assert "1 figure<" in index.read_text("utf-8")
