import re
from html.parser import HTMLParser

import pytest
from judges import Hashing, Unread
from scenes import man_with_cup

from posh_lite.graph.types import SceneGraph
from posh_lite.metric.page import ReportPage
from posh_lite.metric.posh import PoSh
from posh_lite.metric.report import hidden, level, score_html
from posh_lite.metric.score import Component, Score

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Checks nesting and collects what the tests look at."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.text, self.classes = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.classes.append(given.get("class", ""))
        assert "src" not in given

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture
def score():
    graph = man_with_cup()
    return PoSh(Hashing()).score_graphs(graph, graph)


def test_every_mark_leads_to_a_row(score):
    reader = read(score_html(score))
    assert len(reader.ids) == len(set(reader.ids)) == score.n_components
    assert reader.links
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)


def test_nothing_comes_from_elsewhere(score):
    html = score_html(score)
    assert not re.search(r"https?://|@import|url\(", html)
    assert "<script" not in html
    assert score._repr_html_() == score.to_html() == html


def test_the_text_is_whole(score):
    html = score_html(score)
    shown = re.findall(r'<p class="ps-text" dir="auto">(.*?)</p>', html, re.S)
    assert ["".join(read(f"<p>{part}</p>").text) for part in shown] == [score.generation, score.reference]


def test_markup_in_texts_is_text():
    text = '<script>alert("1")</script> & <b>'
    html = PoSh(Hashing()).score(f"A dog {text}.", f"A man {text}.").to_html()
    assert "<script" not in html
    assert text in "".join(read(html).text)


def test_a_missing_verdict_is_marked_as_such():
    graph = man_with_cup()
    html = PoSh(Unread()).score_graphs(graph, SceneGraph("")).to_html()
    assert "ps ps0" in html
    assert "none of the" in html
    assert "undefined" in html


@pytest.mark.parametrize(("value", "expected"), [(None, 0), (1, 1), (1.49, 1), (1.5, 2), (4.5, 5), (5, 5)])
def test_levels(value, expected):
    assert level(value) == expected


def component(text, score, *spans, kind="relation"):
    return Component("generation", kind, text, text, spans, score, None if score is None else score >= 2, f"{text}?")


@pytest.mark.parametrize(("scores", "expected"), [
    ([5, 1], 1), ([1, 5], 1), ([5, 2.4], 2.4), ([4, 3.4], 3.4), ([5, 3.5], None), ([5, 4], None), ([1, 1.4], None),
    ([2, 1], 1), ([1], None), ([None, 1], None), ([None, 1, 5], 1), ([None], None), ([], None), ([5, 3, 1, 2], 1),
])
def test_what_a_better_component_would_hide(scores, expected):
    found = hidden([component(str(n), s, (0, 3)) for n, s in enumerate(scores)])
    assert (None if found is None else found.score) == expected


def test_a_low_score_under_a_high_one_has_a_bar_that_leads_to_it():
    text = "dog on sofa"
    parts = (component("dog", 5.0, (0, 3), kind="entity"), component("on", 1.0, (0, 11)),
             component("sofa", 5.0, (7, 11), kind="entity"))
    html = score_html(Score("1", 0.7, 0.7, 0.7, parts, text, "A sofa."), prefix="x")
    assert '<a class="ps ps5 pb1" href="#x-2" title="on: 1.00, absent; dog: 5.00, explicit">dog</a>' in html
    assert '<a class="ps ps1" href="#x-2" title="on: 1.00, absent"> on </a>' in html  # its own colour says it
    assert "A bar above it" in html
    good = (component("dog", 5.0, (0, 3), kind="entity"), component("on", 4.0, (0, 11)))
    html = score_html(Score("1", 0.9, 0.7, 0.8, good, ' pb1 <a class="ps ps5 pb1"', "A sofa."), style=False)
    assert "A bar above it" not in html  # nothing to explain


def test_every_low_score_can_be_seen_in_the_text(score):
    """By colour or by a bar, each component that stands in the text, unless a lower one has the word."""
    html = score_html(score, prefix="x")
    marks = re.findall(r'<a class="ps ps(\d)(?: pb(\d))?" href="#x-(\d+)" title="([^"]*)"', html)
    assert any(bar for _, bar, _, _ in marks)
    for colour, bar, row, says in marks:
        levels = [level(float(n)) for n in re.findall(r": (\d\.\d\d), ", says)]
        assert int(colour) == max(levels)
        shown = min(levels) if bar else int(colour)
        assert int(bar or shown) == shown == level(score.components[int(row) - 1].score)
        assert min(levels) == shown or min(levels) > 3


def test_control_characters_are_shown_as_unknown():
    html = PoSh(Hashing()).score("A dog\x00 and\r\na cat.", "A dog.").to_html()
    assert "\x00" not in html
    assert "\r" not in html
    assert "\ufffd" in html


def test_a_page_of_pairs(tmp_path, score):
    path = tmp_path / "report.html"
    graph = man_with_cup()
    strange = PoSh(Hashing()).score_graphs(graph, SceneGraph(""), id='<i>"\U0001f600')
    with ReportPage(path) as page:
        page.add(score)
        page.add(strange)
    reader = read(path.read_text("utf-8").replace("<!DOCTYPE html>", ""))
    assert len(reader.ids) == len(set(reader.ids))
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)
    assert '<i>"\U0001f600' in "".join(reader.text)
    assert not re.search(r"https?://", path.read_text("utf-8"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html"]


def test_a_signature_without_blanks_does_not_widen_a_narrow_page(tmp_path, score):
    with ReportPage(tmp_path / "report.html") as page:
        page.add(score)
    html = (tmp_path / "report.html").read_text("utf-8")
    footer = re.search(r"<footer>.*?<code>(.*?)</code></footer>", html)
    assert footer is not None and footer[1]
    assert "footer code{overflow-wrap:anywhere}" in html
    assert re.search(r"\.ps-legend span\{display:inline-block", html)  # a line breaks between entries, not in one


def test_a_page_keeps_what_was_scored_before_an_error(tmp_path, score):
    path = tmp_path / "report.html"

    def score_one_and_stop():
        with ReportPage(path) as page:
            page.add(score)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        score_one_and_stop()
    assert "1 pair. " in path.read_text("utf-8")
    with pytest.raises(RuntimeError, match="stop"), ReportPage(tmp_path / "none.html"):
        raise RuntimeError("stop")
    assert not (tmp_path / "none.html").exists()


def test_a_prefix_of_ones_own_stays_within_its_attribute(score):
    reader = read(score_html(score, prefix='x"><i onclick="alert(1)">'))
    assert len(set(reader.ids)) == score.n_components
    assert all(name.startswith('x"><i onclick') for name in reader.ids)
    assert {link[1:] for link in reader.links} <= set(reader.ids)
