"""The page of labelled captions: readable without colour and script, escaped, sorted, and true to the texts."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.position.label import label_sentences
from posh_lite.position.page import page, sort_profiles
from posh_lite.position.page_style import STYLE
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import CaptionProfile, Claim, Finding, Rubric

CAPTION = "# A title\n\nA <b>red</b> cat & a mat. The dog is brown. It feels calm."
CLAIMS = (
    Claim(0, "The cat is red.", "Visual_Detail", 2.0, "red"),
    Claim(1, "The dog is black.", "Visual_Detail", 2.0, "black"),
    Claim(2, "A <i>bird</i> sings.", "Entity", 1.0, "bird"), Claim(3, "A sun shines.", "Scene_Context", 1.0, "sun"),
)


class Checker(HTMLParser):
    """Tags in balance, ids once."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.seen, self.words = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        self.ids += [v for k, v in attrs if k == "id"]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def checked(text):
    checker = Checker()
    checker.feed(text)
    assert checker.stack == []
    assert len(set(checker.ids)) == len(checker.ids)
    return checker


def example(caption=CAPTION, id="one", model="m"):
    at = {q: (caption.index(q), caption.index(q) + len(q)) for q in ("red", "brown") if q in caption}
    findings = (
        Finding(0, "Supported", at.get("red"), "red", "exact"),
        Finding(1, "Contradicted", at.get("brown"), "brown", "fuzzy", "brown against black"),
        Finding(2, "Supported", None, "<script>alert(1)</script>", "unmatched"), Finding(3, None, reason="cut off"),
    )
    rubric = Rubric("The reference & <more>.", CLAIMS, "r")
    labels = label_sentences(caption, rubric, findings)
    return CaptionProfile(id, "image", model, caption, rubric, findings, labels, "s")


def test_each_sentence_has_its_letter_its_word_and_its_own_details():
    html = page([example()])
    found = re.findall(r'<li class="sentence (\w)"><details><summary><b class="badge" aria-hidden="true">(\w)</b>'
                       r'<span class="hidden">(\w+): </span>', html)
    assert found == [("s", "S", "Supported"), ("h", "H", "Contradicted"), ("g", "G", "Generic")]
    checked(html)


def test_a_sentence_opens_to_the_claim_and_the_evidence():
    html = page([example()])
    assert "<q>brown</q> (fuzzy match) contradicts: <span class=\"claim\">The dog is black.</span>" in html
    assert "brown against black" in html
    assert "<mark>brown</mark>" in html
    assert html.count("No claim of the reference is about this sentence.") == 1


def test_a_sentence_with_both_kinds_of_evidence_says_so_while_it_is_closed():
    caption = "The red cat sits by the brown dog."
    for precedence, said in (("supported", "also against a claim"), ("contradicted", "also for a claim")):
        p = example(caption)
        labels = label_sentences(caption, p.rubric, p.findings, precedence=precedence)
        html = page([replace(p, sentences=labels)])
        legend = page([p], precedence=precedence).partition("<article")[0]
        assert ("and none for one" in legend, "and none against one" in legend) == (
            precedence == "supported", precedence == "contradicted")  # fmt: skip
        assert f'<b class="badge">{said}</b>' in html.partition("<summary>")[2].partition("</summary>")[0]
    assert "also" not in page([example()]).partition("<article")[2]


def test_texts_are_escaped_and_nothing_comes_from_elsewhere():
    html = page([example(id="<img src=x>")])
    assert "<script" not in html
    assert "<i>bird" not in html
    assert "<img" not in html
    assert "&lt;i&gt;bird" in html
    assert not re.search(r"https?://|@import|url\(", html)


def test_what_has_no_place_or_no_verdict_is_told():
    html = page([example()])
    assert "findings without a place: 1; claims without a verdict: 1" in html
    assert "4 claims: 1 contradicted, 2 supported, 1 without a verdict" in html


def test_headings_stay_between_the_sentences_without_a_label():
    assert '<li class=between># A title</li>' in page([example()])


def test_the_worst_come_first_and_the_page_says_how_many_are_left_out():
    rows = [labelled_caption(w, unit=w, id=w) for w in ("SSSS", "SHSS", "HHSG", "GGGG")]
    assert [p.id for p in sort_profiles(rows, "contradicted")] == ["HHSG", "SHSS", "GGGG", "SSSS"]
    assert [p.id for p in sort_profiles(rows, "generic")] == ["GGGG", "HHSG", "SHSS", "SSSS"]
    assert [p.id for p in sort_profiles(rows, "id")] == ["GGGG", "HHSG", "SHSS", "SSSS"]
    html = page(rows, most=3)
    assert "3 captions, the largest share of contradicted sentences first; 1 more are not on this page." in html


def test_the_filter_needs_no_script_and_has_words():
    seen = checked(page([example()])).seen
    radios = [a["id"] for tag, a in seen if tag == "input"]
    assert radios == ["show-all", "show-s", "show-h", "show-g"]
    assert not any(tag == "script" for tag, _ in seen)


def test_the_filter_that_stays_at_the_top_does_not_cover_what_has_the_focus():
    assert "position:sticky" in STYLE and re.search(r":root\{[^}]*scroll-padding-top:\d", STYLE)


def test_the_legend_shows_the_strokes_of_the_sentences():
    for letter in "shg":  # a rule of less weight than that of the legend's boxes would stay grey
        assert f".sentence.{letter},dl.legend .{letter}{{border-left-color:var(--{letter})" in STYLE


def test_wrong_settings_are_refused():
    with pytest.raises(ValueError, match="order"):
        page([example()], order="length")
    with pytest.raises(ValueError, match="most"):
        page([example()], most=0)


@settings(max_examples=30)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=80))
def test_every_letter_of_any_caption_is_on_the_page_and_it_stays_whole(text):
    p = example(caption=text)
    html = page([p])
    checked(html)
    shown = unescape(re.sub(r"<[^>]*>", "", html))
    for s in p.sentences:
        assert text[s.start:s.end] in shown


def test_a_caption_without_sentences_is_shown():
    checked(page([example(caption="***")]))


def test_one_sentence_is_one():
    assert ">1 sentence: 1 supported" in page([example("A red cat.")])
