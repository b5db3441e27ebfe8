"""The yardsticks, on texts whose overlaps can be counted."""

from __future__ import annotations

import pytest

from posh_lite.evaluation.yardsticks import YARDSTICKS, yardsticks
from posh_lite.records import Pair


def test_values_by_hand():
    frame = yardsticks([Pair("1", "a man runs", "a man runs fast there")])
    row = frame.iloc[0]
    assert row["words"] == 3
    assert row["length_ratio"] == 3 / 5
    assert row["rouge1_precision"] == 1
    assert row["rouge1_recall"] == 3 / 5
    assert row["rouge1_f1"] == pytest.approx(2 * 0.6 / 1.6)
    assert row["rougeLsum_recall"] == 3 / 5


def test_identical_and_disjoint_texts():
    frame = yardsticks([Pair("1", "A red dog sleeps here.", "A red dog sleeps here."), Pair("2", "xyz", "A red dog.")])
    same, other = frame.iloc[0], frame.iloc[1]
    assert same["bleu"] == pytest.approx(1)
    assert same["chrf"] == pytest.approx(1)
    assert same["rougeLsum_f1"] == 1
    assert other["rouge1_f1"] == 0
    assert other["bleu"] == pytest.approx(0, abs=0.01)


def test_columns_even_without_pairs():
    assert list(yardsticks([]).columns) == ["id", "words", *YARDSTICKS]
