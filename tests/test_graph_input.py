"""What extract_graph refuses, in one clear line."""

from __future__ import annotations

import pytest

from posh_lite import InputError, PoSh
from posh_lite.graph.extract import extract_graph, extract_graphs


@pytest.mark.parametrize("text", [None, 3, b"bytes", ["a", "b"]])
def test_what_is_no_string_is_refused(text: object) -> None:
    with pytest.raises(InputError, match="must be a string"):
        extract_graph(text)  # type: ignore[arg-type]


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match="character 2"):
        extract_graph("a \ud800 dog")


def test_one_text_for_many_is_refused() -> None:
    with pytest.raises(InputError, match="extract_graph for one"):
        extract_graphs("A dog.")


def test_a_resolver_by_name_is_refused() -> None:
    with pytest.raises(InputError, match="resolver"):
        PoSh(coreference="maverick").score("A dog.", "A cat.")  # type: ignore[arg-type]


@pytest.mark.parametrize("digit", ["¹", "²", "③", "½", "ⅷ", "₄", "٣", "๓", "𝟛", "四", "1²", "①②"])
def test_digits_of_every_kind_are_read_or_left_alone(digit):
    """A footnote's mark is a digit to Python and no number: it must not end a run."""
    text = f"B {digit}. {digit} men hold three{digit} ropes and {digit}. A dog{digit} and {digit} cats sleep."
    extract_graph(text)
    score = PoSh(progress=False).score(text, "Three men hold a rope. Two cats sleep.")
    assert score.n_missing == 0


def test_decimal_digits_of_other_scripts_are_numbers():
    graph = extract_graph("٣ men hold a rope.")
    assert [(e.head, e.count) for e in graph.entities] == [("man", 3), ("rope", None)]
