"""Exercises of the chapters on evaluation: benchmarks, baselines, agreement, the arena, the matrix, the audit."""

from __future__ import annotations

from posh_lite.teach.kit import Exercise, choice, function, number


def update(rating: float, opponent: float, won: bool) -> float:
    """A player's Elo rating after one battle (K 4, scale 400)."""
    return rating + 4 * (won - 1 / (1 + 10 ** ((opponent - rating) / 400)))


DIFFERENCES, LABELS = (0.30, -0.05, 0.10, -0.40, 0.02), (1, 0, 1, -1, -1)


def _accuracy() -> float:
    from posh_lite.evaluation.pairwise import pairwise_accuracy

    return pairwise_accuracy(DIFFERENCES, LABELS, n_resamples=1).accuracy.value


def _kappa() -> float:
    from posh_lite.evaluation.annotators import cohen_kappa

    table = [[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15
    first, second = zip(*table, strict=True)
    return cohen_kappa(first, second, n_resamples=1).value


def _wilson_low() -> float:
    from posh_lite.position.winrate import wilson

    return wilson(19, 20).low


EXERCISES = (
    Exercise(
        "docent-split", "06_docent",
        "A benchmark's works are divided into train, validation and test by a hash of the work's identifier, and not by"
        " drawing at random. Why?\n\n- (a) a hash is more random\n- (b) the split stays the same when works are added"
        " or the file is sorted anew\n- (c) it balances the periods of art",
        "What happens to a random draw with a fixed seed when one row is put in front?",
        "(b). With a seed, one more row at the top moves every later work; a hash depends on the work alone.",
        lambda: "b",
        choice({"a": "a seeded draw is as random; what it lacks is stability.",
                "b": "each work's place depends on itself alone.",
                "c": "a hash knows nothing of art; balancing would be another step."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "baselines-ties", "07_baselines",
        "People say of five pairs: first better, tie, first better, second better, second better. A metric's"
        " differences are 0.30, −0.05, 0.10, −0.40 and 0.02. It has to call as many ties as there are. What is its"
        " accuracy?",
        "One gold tie: the smallest difference becomes the tie.",
        "0.02 is called a tie, which is wrong (it was the second). −0.05 then means \"second\", but people saw a tie:"
        " wrong as well. The other three are right: 3 of 5, 0.6.",
        lambda: 0.6,
        number(_accuracy, lambda: {"what comes out if −0.05 is called the tie; 0.02 is smaller": 0.8,
                                   "the accuracy among the pairs that are no tie in the gold": 0.75}),
        lambda: [0.8, 0.75],
    ),
    Exercise(
        "baselines-held-out", "07_baselines",
        "A threshold is picked for the best F1 on the test words themselves. Compared with a threshold from other"
        " works, the F1 is\n\n- (a) the same on average\n- (b) never lower on these words, and too good for new ones\n"
        "- (c) lower, for lack of data",
        "Could the picked threshold be worse on the words that it was picked on?",
        "(b). Picking takes the maximum over thresholds, and part of a maximum is luck.",
        lambda: "b",
        choice({"a": "the maximum over thresholds is at least every one of them.",
                "b": "it is the best of all by construction, and its luck does not come along to new texts.",
                "c": "it cannot be lower on the words that it was picked on."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "agreement-kappa", "08_annotators",
        "Two people judge 50 words. Both mark 20 of them, both leave 15, the first alone marks 5 and the second alone"
        " 10. What is Cohen's kappa?",
        "Agreement is 35 of 50. How much would two people with these habits agree by chance?",
        "Agreement 0.70. The first marks 25 of 50 and the second 30 of 50, so by chance 0.5·0.6 + 0.5·0.4 = 0.50."
        " (0.70 − 0.50) / (1 − 0.50) = 0.40.",
        lambda: 0.4,
        number(_kappa, lambda: {"the raw agreement": 0.7, "the agreement by chance": 0.5,
                                "agreement less chance, not yet over what chance leaves": 0.2}),
        lambda: [0.7, 0.5, 0.2],
    ),
    Exercise(
        "arena-update", "09_arena",
        "Write a function `(rating, opponent, won)` that gives a player's new Elo rating, with K = 4 and scale 400."
        " `won` is True or False.",
        "The rating moves by K times the outcome less what was expected.",
        "`lambda r, o, won: r + 4 * (won - 1 / (1 + 10 ** ((o - r) / 400)))`. Between equals, winning gives 2 points.",
        lambda: update,
        function(lambda: [(case, update(*case)) for case in (
            (1000, 1000, True), (1100, 1000, False), (900, 1200, True),
        )]),
        lambda: [lambda r, o, won: r + 4 * won, lambda r, o, won: r + 4 * (won - 1 / (1 + 10 ** ((r - o) / 400)))],
    ),
    Exercise(
        "arena-order", "09_arena",
        "The same battles in another order give other Elo ratings. What is done about it?\n\n- (a) nothing, the last"
        " battles matter more\n- (b) the median over many shuffled draws of the battles is reported\n- (c) K is made"
        " smaller until it stops",
        "CapArena's own code takes the median of a thousand rounds.",
        "(b). Each round draws the battles anew and shuffles them, so that neither order nor a few battles decide.",
        lambda: "b",
        choice({"a": "captions do not learn between battles; the order carries nothing.",
                "b": "the order is part of the chance that is drawn.",
                "c": "a smaller K moves slower, and the order still matters."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "challenge-blind", "10_challenge",
        "A metric compares which words two texts share and how often. To which error is it blind?\n\n- (a) a wrong"
        " color\n- (b) a missing object\n- (c) two things that exchanged their colors",
        "Count the words before and after.",
        "(c). The words are the same, only their owners changed.",
        lambda: "c",
        choice({"a": "another color is another word.", "b": "a missing object is a missing word.",
                "c": "no word comes or goes when owners exchange their properties."}, "c"),
        lambda: ["a", "b"],
    ),
    Exercise(
        "audit-interval", "11_audit",
        "A paper reports 19 of 20 and no interval. What is the lower end of the 95 % interval of Wilson?",
        "The everyday formula p ± 1.96·√(p(1−p)/n) is not it: near 1 it is too narrow."
        " `posh_lite.position.winrate.wilson`"
        " has the other one.",
        "(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n) with z = 1.96: 0.764. The everyday formula says 0.854.",
        _wilson_low,
        number(_wilson_low, lambda: {"the everyday formula, which is too sure of itself near 1":
                                     0.95 - 1.959964 * (0.95 * 0.05 / 20) ** 0.5, "the share itself": 0.95}),
        lambda: [0.8545, 0.95],
    ),
)
