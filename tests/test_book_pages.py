"""Rules for finished pages, what notebooks show, and formulas."""

from __future__ import annotations

import pandas as pd
import pytest

from posh_lite.book import show
from posh_lite.book.check import check_site, page_problems, read_page
from posh_lite.book.mathml import to_mathml

GOOD = (
    '<html lang="en"><head><title>T</title><link rel="canonical" href="https://x.org/"></head>'
    '<body><h1>T</h1><h2>a</h2><h3>b</h3><h2>c</h2><img src="a.png" alt="A dog."><a href="https://x.org">out</a>'
    '<svg role="img"><title>drawing</title></svg></body></html>'
)


def test_a_good_page_has_no_problems():
    assert page_problems(read_page(GOOD)) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<img src="a.png" alt="A dog.">', '<img src="a.png">', "without alt text"),
        ('alt="A dog."', 'alt=" "', "without alt text"),
        ('src="a.png"', 'src="https://cdn.example/a.png"', "another host"),
        ("<h1>T</h1>", '<h1>T</h1><script src="//cdn.example/x.js"></script>', "another host"),
        ('rel="canonical"', 'rel="stylesheet"', "another host"),
        ("<h1>T</h1>", "<h1>T</h1><style>@import 'https://fonts.example/f.css';</style>", "style from another host"),
        ("<h1>T</h1>", '<h1 style="background:url(http://x.org/a.png)">T</h1>', "style from another host"),
        ("<h2>a</h2>", "", "jumps from 1 to 3"),
        ("<h1>T</h1>", "", "0 headings of level 1"),
        ("<h2>a</h2>", "<h1>a</h1>", "2 headings of level 1"),
        (' lang="en"', "", "no lang"),
        ("<title>T</title>", "", "no title"),
        ("<title>drawing</title>", "", "without title"),
        ("<h2>c</h2>", "<h2>c</h2><p>&lt;posh_lite.Score object at 0x7f00&gt;</p>", "raw object"),
        ("<h2>c</h2>", "<h2>c</h2><p>````{table} A caption of <code>x</code>.</p>", "markup that was not read"),
        ("<h2>c</h2>", "<h2>c</h2><p>see {numref}`tab-x`</p>", "markup that was not read"),
    ],
)
def test_each_rule(old, new, message):
    assert any(message in problem for problem in page_problems(read_page(GOOD.replace(old, new, 1))))


def test_markup_that_is_shown_as_code_is_no_fault():
    assert not page_problems(read_page(GOOD.replace("<h2>c</h2>", "<h2>c</h2><pre><code>:::{note}</code></pre>", 1)))


def test_broken_links_and_places_are_found(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "b.html").write_text(GOOD.replace("<h1>", '<h1 id="top-of-b">'), "utf-8")
    links = '<a href="b.html#top-of-b">fine</a><a href="b.html#gone">x</a><a href="c.html">y</a>'
    (tmp_path / "a.html").write_text(GOOD.replace("<h2>c</h2>", links), "utf-8")
    (tmp_path / "_static" / "s.css").write_text("body{background:url(https://x.org/i.png)}", "utf-8")
    found = check_site(tmp_path)
    assert len(found) == 3
    assert "a.html: link to a place that is not there: b.html#gone" in found
    assert "a.html: broken link: c.html" in found
    assert any(problem.startswith("_static/s.css: style from another host") for problem in found)


def test_tables_are_numbered_and_escape_bars():
    frame = pd.DataFrame({"name": ["a|b", "c"], "rho": [-0.456, float("nan")], "n": [3, 4]})
    bundle = show.table(frame, name="x", caption="A caption.")._repr_mimebundle_()
    assert bundle["text/markdown"].splitlines()[3:] == [
        "| name | rho | n |", "| --- | ---: | ---: |", "| a\\|b | \N{MINUS SIGN}0.46 | 3 |", "| c | – | 4 |", "````",
    ]  # fmt: skip
    assert ":name: tab-x" in bundle["text/markdown"]


def test_a_caption_may_hold_code():
    made = show.table(pd.DataFrame({"a": [1]}), name="x", caption="Of `a/b`.")._repr_mimebundle_()["text/markdown"]
    first, last = made.splitlines()[0], made.splitlines()[-1]
    assert first == "::::{table} Of `a/b`." and last == "::::"


def test_fragments_are_named_and_badges_escaped():
    assert 'aria-label="A &quot;graph&quot;"' in show.fragment("<b>x</b>", 'A "graph"')._repr_mimebundle_()["text/html"]
    badge = show.badge("lite", "lexical", "a<b")._repr_mimebundle_()
    assert "a&lt;b" in badge["text/html"]
    assert badge["text/plain"].endswith("a<b")


def test_prose_is_dedented():
    assert show.text("\n    One\n    two.\n").markdown == "One\ntwo."


@pytest.mark.parametrize("latex", [r"\frac{2 m o}{m + o}", "x^2", r"\{0.2, 1\}", r"\text{Mistakes} = \frac{1}{5 |C|}"])
def test_formulas_become_mathml_without_a_script(latex):
    element = to_mathml(latex, display=True)
    assert element.startswith("<math ")
    assert "<script" not in element
    assert 'aria-label="' in element


def test_a_formula_that_cannot_be_read_is_an_error():
    with pytest.raises(ValueError, match="formula cannot be read"):
        to_mathml(r"\left( x", display=False)


def test_a_command_that_would_be_printed_is_an_error():
    with pytest.raises(ValueError, match="a command that was not read"):
        to_mathml(r"\bigl\{ x \bigr\}", display=True)
