"""Exercises of the chapters on rewards, training results and one's own model."""

from __future__ import annotations

from posh_lite.teach.kit import Exercise, choice, function, number


def advantages(rewards: list[float]) -> list[float]:
    """Group-relative advantages with the sample's standard deviation."""
    from statistics import mean, stdev

    middle, spread = mean(rewards), stdev(rewards)
    return [(r - middle) / spread for r in rewards]


def coverage(supported: float, contradicted: float, total: float) -> float:
    """The coverage term from sums of weights."""
    from posh_lite.reward.settings import PagerSettings

    s = PagerSettings()
    return (s.alpha * supported - s.beta * contradicted) / total


def _budget() -> float:
    from posh_lite.reward.settings import PagerSettings

    return PagerSettings().budget(30)


def _t_low() -> float:
    from posh_lite.position.robust import t_interval

    return t_interval([0.40, 0.44, 0.42]).low


EXERCISES = (
    Exercise(
        "reward-coverage", "14_rewards",
        "Write the coverage term as a function of three sums of weights: of supported claims, of contradicted claims,"
        " of all claims (Table 11: α = 1, β = 0.5).",
        "Missing claims cost nothing beyond the credit that they do not bring.",
        "`lambda s, c, w: (1.0 * s - 0.5 * c) / w`.",
        lambda: coverage,
        function(lambda: [((6.0, 2.0, 10.0), coverage(6, 2, 10)), ((0.0, 4.0, 8.0), coverage(0, 4, 8)),
                          ((5.0, 0.0, 5.0), 1.0)]),
        lambda: [lambda s, c, w: (s - c) / w, lambda s, c, w: s / w, 0.5],
    ),
    Exercise(
        "reward-budget", "14_rewards",
        "With $L_0 = 512$ and $c = 100$, what length may a caption have before it costs anything, if the rubric has 30"
        " claims? Compare it with the mean length of the trained model's captions (Table 4: about 420 tokens).",
        "$L^* = L_0 + c\\,|R|$.",
        "512 + 100·30 = 3512. Counted in tokens, no caption of that study comes near it: the term would never bite. The"
        " paper does not state the unit.",
        lambda: 3512,
        number(_budget, lambda: {"the base budget alone": 512, "what the claims add": 3000}, within=0.5),
        lambda: [512, 3000],
    ),
    Exercise(
        "reward-repeat", "14_rewards",
        "The last quarter of a caption holds a generic sentence. The policy says a supported detail of the beginning a"
        " second time, as the last sentence. Which term of the paper's reward rises, taken to"
        " the letter?\n\n- (a) coverage\n- (b) tail\n- (c) none",
        "A claim is supported once or twice all the same. And the judge of the tail looks at one sentence at a time.",
        "(b). The tail term asks whether a sentence is specific, not whether it says anything new; our guard counts a"
        " repeated sentence as generic.",
        lambda: "b",
        choice({"a": "a claim is supported or not, however often it is said.",
                "b": "a specific sentence at the end lowers the generic share there, new or not.",
                "c": "look at what the tail term sees of a sentence."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "lab-advantage", "15_laboratory",
        "A group of four rollouts has the rewards 1, 2, 3 and 2. What is the group-relative advantage of the third"
        " (standard deviation of the sample, n − 1)?",
        "Its reward less the mean of the group, over the standard deviation.",
        "Mean 2, standard deviation √(2/3) = 0.816, so (3 − 2) / 0.816 = 1.22.",
        lambda: 1.2247,
        number(lambda: advantages([1, 2, 3, 2])[2], lambda: {"the difference from the mean, not yet divided": 1.0,
                                                            "what comes out with n in place of n − 1": 2**0.5}),
        lambda: [1, 1.4142],
    ),
    Exercise(
        "lab-flat", "15_laboratory",
        "All rollouts of a group get the same reward. What does the policy learn from the group?\n\n- (a) nothing\n"
        "- (b) to stay as it is, with full weight\n- (c) the step is infinite, the deviation being zero",
        "What are the advantages?",
        "(a). Every advantage is zero (a small number in the divisor keeps it so). A reward that never varies teaches"
        " nothing, which is why saturated examples are filtered out.",
        lambda: "a",
        choice({"a": "every advantage is zero.", "b": "a pull towards itself is no gradient.",
                "c": "a small number is added to the deviation, and zero over it is zero."}, "a"),
        lambda: ["b", "c"],
    ),
    Exercise(
        "results-seeds", "16_rl_results",
        "Three training seeds give 0.40, 0.44 and 0.42. What is the lower end of the 95 % interval of the mean?",
        "Three values: Student's t with two degrees of freedom (4.303), not 1.96.",
        "Mean 0.42, standard deviation 0.02: 0.42 − 4.303·0.02/√3 = 0.370. With 1.96 it would be 0.397: far too sure.",
        _t_low,
        number(_t_low, lambda: {"the end with 1.96, as if there were many seeds": 0.42 - 1.96 * 0.02 / 3**0.5,
                                "the end without the root of three": 0.42 - 4.303 * 0.02}, within=0.0015),
        lambda: [0.3974, 0.334],
    ),
    Exercise(
        "results-pooled", "16_rl_results",
        "A model wins 133 of 139 against one rival, 89 of 97 against a second and 192 of 194 against a third; pooled,"
        " 414 of 430. Another paper's model has 96 % against one strong rival. Which is better?\n\n- (a) the first, by"
        " its larger n\n- (b) this cannot be told\n- (c) they are the same",
        "A win rate is a fact about a model **and** its rivals.",
        "(b). Pooled rates weigh rivals by the number of battles without ties; a weak rival lifts them.",
        lambda: "b",
        choice({"a": "n narrows the interval and says nothing of the rivals.",
                "b": "the rivals differ, and a pooled rate depends on them.",
                "c": "equal rates against other rivals are no tie."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "model-paired", "17_your_model",
        "Two models describe the same 50 images. Their mean scores differ by 0.03, and each mean has an interval of"
        " ±0.04. Is the difference within chance?\n\n- (a) yes, the intervals overlap\n- (b) no\n- (c) the paired"
        " difference"
        " has to be looked at",
        "Hard images are hard for both models.",
        "(c). Overlap of two intervals is no test. On the same images the difference of each image counts, and what"
        " makes an image hard drops out.",
        lambda: "c",
        choice({"a": "intervals of two means may overlap while their difference is clear.",
                "b": "nothing given here says so.",
                "c": "on the same images, look at the differences image by image."}, "c"),
        lambda: ["a", "b"],
    ),
)
