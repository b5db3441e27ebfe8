"""Sentences inherit the labels of the evidence in them; quartiles and weights."""

from __future__ import annotations

import pytest

from posh_lite.position.label import content_sentences, label_sentences
from posh_lite.position.profile import profile
from posh_lite.position.types import WEIGHTS, CaptionProfile, Claim, Finding, Rubric
from posh_lite.records import Pair

CAPTION = "A dog sits. It is brown. A red ball lies near. The mood is calm. The sky is grey."
KINDS = ("Entity", "Visual_Detail", "Interaction", "Scene_Context")
RUBRIC = Rubric(
    "reference", tuple(Claim(i, f"Claim {i}.", k, WEIGHTS[k], "word") for i, k in enumerate(KINDS)), "by hand"
)


def at(words: str, caption: str = CAPTION) -> tuple[int, int]:
    start = caption.index(words)
    return (start, start + len(words))


def test_labels_weights_and_quartiles() -> None:
    findings = [
        Finding(0, "Supported", at("A dog")),
        Finding(1, "Contradicted", at("brown")),
        Finding(2, "Supported", at("lies near")),
        Finding(3, "Missing"),
    ]
    rows = label_sentences(CAPTION, RUBRIC, findings)
    assert [r.label for r in rows] == ["Supported", "Contradicted", "Supported", "Generic", "Generic"]
    assert [r.weight for r in rows] == [1.0, 2.0, 1.5, 1.0, 1.0]
    assert [r.quartile for r in rows] == [1, 1, 2, 3, 4]  # floor(4(k-1)/5)+1
    assert [CAPTION[r.start : r.end] for r in rows][1] == "It is brown."
    assert (rows[0].supported, rows[1].contradicted) == ((0,), (1,))


def test_mixed_evidence_by_either_precedence() -> None:
    findings = [
        Finding(0, "Supported", at("A red ball")), Finding(2, "Supported", at("lies")),
        Finding(1, "Contradicted", at("red")),
    ]
    paper = label_sentences(CAPTION, RUBRIC, findings)[2]
    assert (paper.label, paper.weight, paper.supported, paper.contradicted) == ("Supported", 2.5, (0, 2), (1,))
    reverse = label_sentences(CAPTION, RUBRIC, findings, precedence="contradicted")[2]
    assert (reverse.label, reverse.weight) == ("Contradicted", 2.0)


def test_evidence_over_two_sentences_counts_for_both() -> None:
    rows = label_sentences(CAPTION, RUBRIC, [Finding(1, "Supported", at("sits. It is brown"))])
    assert [r.label for r in rows][:3] == ["Supported", "Supported", "Generic"]
    touching = label_sentences(CAPTION, RUBRIC, [Finding(1, "Supported", at("It is brown. "))])
    assert [r.label for r in touching][:3] == ["Generic", "Supported", "Generic"]


def test_what_has_no_place_counts_nowhere() -> None:
    rows = label_sentences(CAPTION, RUBRIC, [
        Finding(0, "Supported", None, "a cat", "unmatched"), Finding(1, None), Finding(2, "Missing", at("red")),
    ])
    assert {r.label for r in rows} == {"Generic"}


@pytest.mark.parametrize(("caption", "quartiles"), [
    ("", []), ("  \n", []), ("A dog.", [1]), ("A dog. A cat.", [1, 3]), ("A dog. A cat. A bird.", [1, 2, 3]),
    ("A dog. A cat. A bird. A cow.", [1, 2, 3, 4]),
])
def test_short_captions(caption: str, quartiles: list[int]) -> None:
    assert [r.quartile for r in label_sentences(caption, RUBRIC, [])] == quartiles


def test_headings_titles_bullets_and_chatter_are_no_sentences() -> None:
    caption = (
        "Here is a description of the image:\n\n## Overview\n\n**The Bedroom** (Vincent van Gogh)\n\n"
        "1. A bed stands on the right.\n- **The chair:** It is yellow.\n\nLet me know if you want more!"
    )
    assert [caption[a:b] for a, b in content_sentences(caption)] == ["A bed stands on the right.", "It is yellow."]
    rows = label_sentences(caption, RUBRIC, [Finding(0, "Supported", at("The chair", caption))])
    assert [r.label for r in rows] == ["Generic", "Supported"]


def test_a_bold_sentence_is_a_sentence() -> None:
    caption = "**A bed stands on the right.**\nIt is yellow."
    assert len(content_sentences(caption)) == 2


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="precedence must be"):
        label_sentences(CAPTION, RUBRIC, [], precedence="first")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="claim 9, which is not among the 4"):
        label_sentences(CAPTION, RUBRIC, [Finding(9, "Supported", (0, 3))])


class Fixed:
    """Extractor and verifier in one: every reference has the claims of RUBRIC, the first is found in "A dog"."""

    signature = "fixed"

    def __init__(self, short: bool = False) -> None:
        self.asked: list[str] = []
        self.short = short

    def extract(self, references: list[str], /) -> list[Rubric]:
        self.asked += references
        return [Rubric(r, RUBRIC.claims, "fixed") for r in references]

    def verify(self, items: list[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        found = (Finding(0, "Supported", (0, 5)), *(Finding(i, "Missing") for i in (1, 2, 3)))
        return [found[: 2 if self.short else 4] for _ in items]


def test_profiles_extract_a_reference_once_and_keep_the_order() -> None:
    fixed = Fixed()
    pairs = [Pair(f"p{i}", CAPTION, f"ref {i % 2}", "m", "img" if i == 3 else None) for i in range(20)]
    found: list[CaptionProfile] = profile(pairs, fixed, fixed, progress=False)
    assert fixed.asked == ["ref 0", "ref 1"]
    assert [p.id for p in found] == [p.id for p in pairs]
    assert [p.unit for p in found[:4]] == ["ref 0", "ref 1", "ref 0", "img"]
    assert [s.label for s in found[0].sentences] == ["Supported", *["Generic"] * 4]
    assert found[0].signature == "fixed > fixed"
    reverse = profile(pairs[:1], fixed, fixed, precedence="contradicted", progress=False)
    assert reverse[0].signature == "fixed > fixed contradicted first"
    assert profile([], fixed, fixed, progress=False) == []


def test_profiles_refuse_a_broken_verifier_and_wrong_units() -> None:
    with pytest.raises(ValueError, match="p: 2 findings for 4 claims"):
        profile([Pair("p", CAPTION, "r")], Fixed(), Fixed(short=True), progress=False)
    with pytest.raises(ValueError, match="2 units for 1 pairs"):
        profile([Pair("p", CAPTION, "r")], Fixed(), Fixed(), units=[1, 2], progress=False)


@pytest.mark.parametrize(("caption", "kept"), [
    ("**A dog sits on a mat**", ["A dog sits on a mat"]),
    ("**A dog.**\n**A cat**", ["A dog."]),
    ("# A dog on a mat", ["A dog on a mat"]),
    ("# The dog\n\nIt sits.", ["It sits."]),
    ("**Note:**", []),
])  # fmt: skip
def test_titles_are_sentences_where_a_caption_has_nothing_else(caption: str, kept: list[str]) -> None:
    assert [caption[a:b] for a, b in content_sentences(caption)] == kept
