"""Planted composition: gold labels of the mini corpus, drawn corpora, and the coverage of the intervals."""

from __future__ import annotations

import numpy as np
import pytest

from posh_lite.benchmarks.mini import STYLES, load_mini
from posh_lite.position.composition import compose, shares_of
from posh_lite.position.effects import EFFECTS, diagnose
from posh_lite.position.simulate import (
    Planted,
    coverage,
    draw_corpus,
    gold_profiles,
    labelled_caption,
    resampled_coverage,
)

DRIFT = Planted(((0.55, 0.3, 0.15), (0.5, 0.4, 0.1), (0.5, 0.38, 0.12), (0.3, 0.3, 0.4)))
FLAT = Planted(((0.6, 0.2, 0.2),) * 4)


@pytest.fixture(scope="module")
def gold():
    return gold_profiles(load_mini())


def test_captions_of_labels():
    made = labelled_caption("SHG", unit=3, model="m", weights=[2, 1, 1])
    assert (made.id, [made.caption[a:b] for a, b in (s.span for s in made.sentences)]) == (
        "3/m", ["Sentence 1 is supported.", "Sentence 2 is contradicted.", "Sentence 3 is generic."])
    assert [s.quartile for s in made.sentences] == [1, 2, 3]
    with pytest.raises(ValueError, match="S, H and G"):
        labelled_caption("SX")
    with pytest.raises(ValueError, match="2 weights for 1 sentences"):
        labelled_caption("S", weights=[1, 2])


def test_gold_labels_become_six_captioners(gold):
    corpus = load_mini()
    assert {p.model for p in gold} == set(STYLES) and len({p.unit for p in gold}) == len(corpus.works) == 12
    for profile, known in zip(gold, corpus.gold, strict=True):
        assert [s.span for s in profile.sentences] == [s.span for s in known.sentences]
        assert [s.label.lower() for s in profile.sentences] == [s.label for s in known.sentences]


def test_the_planted_effects_are_those_of_the_format(gold):
    """FORMAT.md: embellishers err in the middle, drifters end generically, faithful captions do neither."""
    made = diagnose(gold, weighted=False, n_resamples=200)

    def effect(model, name):
        return made.estimate(model, name)

    assert made.n_images == 12
    assert [effect("faithful", e).value for e in EFFECTS] == [0, 0, 0, 0]
    assert effect("embellisher", "d_mid").low > 0.5 and effect("embellisher", "d_tail").value == 0
    assert effect("drifter", "d_tail").low > 0.5 and abs(effect("drifter", "d_mid").value) < 0.1
    for other in set(STYLES) - {"drifter"}:
        assert made.difference("drifter", other, "d_tail").low > 0


def test_what_a_lens_on_claims_can_see_of_the_planted_effects(gold):
    """Most mistakes of the embellisher are invented things, of which no claim of the reference speaks."""
    seen = gold_profiles(load_mini(), invented="unseen")
    changed = [
        (p.model, a.label, b.label) for p, q in zip(gold, seen, strict=True)
        for a, b in zip(p.sentences, q.sentences, strict=True) if a.label != b.label
    ]
    assert set(changed) == {("embellisher", "Contradicted", "Generic")} and len(changed) == 60
    made = diagnose(seen, weighted=False, n_resamples=50)
    assert 0 < made.estimate("embellisher", "d_mid").value < 0.3
    assert made.estimate("drifter", "d_tail").value == 1


def test_drawn_shares_are_those_that_were_planted():
    drawn = draw_corpus({"x": DRIFT}, 6000, np.random.default_rng(1), alike=0.5)["x"]
    assert shares_of(drawn.counts.sum(axis=0)) == pytest.approx(np.array(DRIFT.shares), abs=0.02)
    made = diagnose({"x": drawn}, n_resamples=1)
    assert [made.estimate("x", e).value for e in EFFECTS] == pytest.approx(DRIFT.effects().tolist(), abs=0.02)


def test_planted_effects_by_hand():
    assert DRIFT.effects(weighted=False) == pytest.approx([0.09, 0.25, -0.25, 0.0])
    # omega is 2.75 on average for supported and 1.5 for contradicted sentences
    h1, h2, h3 = (1.5 * h / (2.75 * s + 1.5 * h + g) for s, h, g in DRIFT.shares[:3])
    assert DRIFT.effects()[0] == pytest.approx((h2 + h3) / 2 - h1)


def test_sentences_of_an_image_are_as_alike_as_told():
    def spread(alike):
        drawn = draw_corpus({"x": FLAT}, 800, np.random.default_rng(2), alike=alike)["x"]
        share = drawn.counts[..., 0].sum(axis=1) / drawn.counts.sum(axis=(1, 2))
        return share.std()

    assert spread(0.9) > 2 * spread(0.0)
    with pytest.raises(ValueError, match="alike"):
        draw_corpus({"x": FLAT}, 3, np.random.default_rng(0), alike=2)


def test_models_of_an_image_share_its_temper():
    drawn = draw_corpus({"x": FLAT, "y": FLAT}, 800, np.random.default_rng(2), alike=0.9)
    one, two = (c.counts[..., 0].sum(axis=1) / c.counts.sum(axis=(1, 2)) for c in drawn.values())
    assert np.corrcoef(one, two)[0, 1] > 0.5


@pytest.mark.parametrize("wrong", [{"shares": ((0.5, 0.5, 0.5),) * 4}, {"shares": ((1, 0, 0),) * 3},
                                   {"shares": ((2, -1, 0),) * 4}, {"shares": FLAT.shares, "sentences": (5, 4)}])
def test_impossible_plans_are_refused(wrong):
    with pytest.raises(ValueError, match=r"shares|sentences"):
        Planted(**wrong)


def test_intervals_cover_what_was_planted():
    rows = coverage({"flat": FLAT, "drift": DRIFT}, n_images=60, n_corpora=150, n_resamples=150, weighted=False)
    assert [(r.model, r.quantity) for r in rows] == [(m, e) for m in ("flat", "drift") for e in EFFECTS]
    assert [r.truth for r in rows[4:]] == pytest.approx([0.09, 0.25, -0.25, 0.0])
    # 95 % promised; over 8 x 150 intervals, which are correlated, the mean leaves about a point of error
    assert 0.9 < np.mean([r.covered.value for r in rows]) < 0.985
    assert all(abs(r.bias) < 0.02 and r.width > 0.02 for r in rows)


def test_intervals_that_are_too_short_would_be_noticed():
    rows = coverage({"drift": DRIFT}, n_images=60, n_corpora=60, n_resamples=100, level=0.5)
    assert all(r.covered.value < 0.75 for r in rows)


def test_corpora_drawn_from_known_captions(gold):
    rows = {(r.model, r.quantity): r for r in resampled_coverage(gold, n_images=40, n_corpora=40, n_resamples=100)}
    assert rows["drifter", "d_tail"].truth == diagnose(gold, weighted=False, n_resamples=1).estimate(
        "drifter", "d_tail").value
    assert rows["faithful", "d_mid"].covered.value == 1
    assert np.mean([rows[m, "d_mid"].covered.value for m in ("terse", "confuser", "miscounter")]) > 0.8
    with pytest.raises(ValueError, match="same images"):
        resampled_coverage([labelled_caption("SSSS", unit=1, model="x"), labelled_caption("SSSS", unit=2, model="y")])


def test_the_same_seed_gives_the_same_figures():
    one, two = (coverage({"x": DRIFT}, n_images=20, n_corpora=5, n_resamples=20, seed=7) for _ in range(2))
    assert one == two
    assert one != coverage({"x": DRIFT}, n_images=20, n_corpora=5, n_resamples=20, seed=8)


def test_gold_labels_are_sorted_by_the_formula(gold):
    assert all(c.n_short == c.n_empty == 0 for c in compose(gold).values())
