"""Exercises of the chapters on position: the lens and its controls."""

from __future__ import annotations

from posh_lite.teach.kit import Exercise, choice, function, number


def quarter(k: int, n: int) -> int:
    """The quarter of sentence ``k`` of ``n``."""
    return 4 * (k - 1) // n + 1


def _d_mid() -> float:
    from posh_lite.paper import value

    first, second, third = (value("unweighted_diagnostics", "InternVL3.5-4B", f"h_q{q}") for q in (1, 2, 3))
    return (second + third) / 2 - first


EXERCISES = (
    Exercise(
        "position-quarter", "12_position",
        "Write a function `(k, n)` that gives the quarter, 1 to 4, of sentence *k* of *n*. Where a sentence lies across"
        " the border of two quarters, the one in which it begins counts: of three sentences, the second begins after a"
        " third of the text, which is in quarter 2.",
        "Before sentence *k* there are *k* − 1 of *n* sentences. Whole-number division (`//`) helps.",
        "`lambda k, n: 4 * (k - 1) // n + 1`. With `4 * k // n` the last sentence would fall"
        " out at the end; rounding up `4 * k / n` asks where a sentence ends, not where it begins.",
        lambda: quarter,
        function(lambda: [(case, quarter(*case)) for case in ((1, 4), (4, 4), (5, 7), (7, 7), (2, 3), (7, 8), (1, 1))]),
        lambda: [lambda k, n: 4 * k // n, lambda k, n: round(4 * k / n), lambda k, n: -(-4 * k // n),
                 lambda k, n: 3 * (k - 1) // max(n - 1, 1) + 1, lambda k, n: int(4 * (k - 0.5) / n) + 1],
    ),
    Exercise(
        "position-d-mid", "12_position",
        "Table 7 of the paper gives InternVL3.5-4B the contradicted shares .289, .407, .366 and .362 in the four"
        " quarters. What is its $D_{mid}$?",
        "The mean of the two middle quarters, less the first.",
        "(.407 + .366) / 2 − .289 = 0.0975: the middle has nearly ten points more.",
        lambda: 0.0975,
        number(_d_mid, lambda: {"the highest middle quarter less the first": 0.118,
                                "the mean of the middle, from which the first is not yet taken": 0.3865,
                                "the last quarter less the first": 0.073}, within=0.0006),
        lambda: [0.118, 0.3865, 0.073],
    ),
    Exercise(
        "position-invented", "12_position",
        "A caption invents \"a small dog\", and the reference says nothing of dogs. No claim is about it. What does the"
        " paper's lens call the sentence?\n\n- (a) contradicted\n- (b) generic\n- (c) supported",
        "Absence from the reference is no contradiction.",
        "(b), unless something else in the sentence is supported. So a pure invention, a true detail that the reference"
        " left out, and empty talk get the same label: that is why the controls are needed.",
        lambda: "b",
        choice({"a": "only a claim that is there can be contradicted, and none speaks of a dog.",
                "b": "no claim is about it, just as with a true detail that the reference left out.",
                "c": "nothing in the reference bears it out."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "controls-floor", "13_controls",
        "Captions of a model have a $D_{tail}$ of 0.20. An honest person's text, held against another person's"
        " reference, has 0.15. What share of the model's effect does this floor explain?",
        "The share that would be there anyway.",
        "0.15 / 0.20 = 0.75. Only 0.05 is left to be called an escape of models, and its interval may well hold zero.",
        lambda: 0.75,
        number(lambda: 0.15 / 0.2, lambda: {"what is left after the floor": 0.05,
                                            "the share that the floor does not explain": 0.25,
                                            "the effect over the floor": 0.2 / 0.15}),
        lambda: [0.05, 0.25, 1.333],
    ),
    Exercise(
        "controls-same", "13_controls",
        "Human references, verified against rubrics of **themselves**, show no effect. What does this control rule out?"
        "\n\n- (a) that references leave things out\n- (b) that the pipeline makes the effect by itself from any long"
        " text\n- (c) that models are more generic than people",
        "Can a text be missing something of itself?",
        "(b) alone. A reference cannot be incomplete for itself, so the control is silent about what references leave"
        " out; the cross-writer control asks that.",
        lambda: "b",
        choice({"a": "a text is never incomplete for itself, so this is not tested.",
                "b": "the same steps on a text whose truth is certain show no effect.",
                "c": "no model is in this control."}, "b"),
        lambda: ["a", "c"],
    ),
)
