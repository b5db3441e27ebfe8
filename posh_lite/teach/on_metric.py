"""Exercises of the chapters on the metric: graphs, questions, scores, people, judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from posh_lite.teach.kit import Check, Exercise, Outcome, choice, function, number, words

LADDER = "Two men in red coats carry a long ladder. One of them looks back at a dog without a collar."


def _entities() -> list[str]:
    from posh_lite.graph import extract_graph

    return [e.head for e in extract_graph(LADDER).entities if not e.negated]


def _slips_of_entities() -> Mapping[str, float]:
    from posh_lite.graph import extract_graph

    graph = extract_graph(LADDER)
    return {
        "the number of mentions: \"One of them\" is no new thing": sum(len(e.mentions) for e in graph.entities),
        "the number with what is said to be absent: nobody has to find a collar": len(graph.entities),
    }


def harmonic(mistakes: float, omissions: float) -> float:
    """The overall score of PoSh."""
    return 2 * mistakes * omissions / (mistakes + omissions) if mistakes + omissions else 0.0


def _same_bag() -> Check:
    """Two texts of the same words that the metric has to tell apart."""

    def of(answer: Any) -> Outcome:
        from posh_lite import PoSh
        from posh_lite.text import tokens

        pair = list(answer) if isinstance(answer, list | tuple) else []
        if len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            return Outcome(False, "Two texts are asked for, the description first: (\"A ...\", \"A ...\").")
        generation, reference = pair
        bags = [sorted(generation[t.start : t.end].lower() for t in tokens(generation) if t.is_word),
                sorted(reference[t.start : t.end].lower() for t in tokens(reference) if t.is_word)]
        if not bags[0] or not bags[1]:
            return Outcome(False, "Not yet: a text without a word describes nothing.")
        if generation.split() == reference.split():
            return Outcome(False, "Not yet: the two texts are the same.")
        if bags[0] != bags[1]:
            odd = sorted(set(bags[0]) ^ set(bags[1])) or ["one word more often than the other text"]
            return Outcome(False, f"Not yet: the words differ ({', '.join(odd[:4])}).")
        score = PoSh(judge="lexical").score(generation, reference)
        if not score.mistakes <= 0.9:
            return Outcome(False, f"Not yet: the words are the same, but PoSh sees too little of a difference (mistakes"
                                  f" {score.mistakes:.2f}). Give a property to another owner.")
        scored = [(c.score, c.text) for c in score.components if c.side == "generation" and c.score is not None]
        low, name = min(scored)
        return Outcome(True, f"Right: a measure that only counts words finds no difference, and PoSh gives"
                             f" {score.mistakes:.2f} for mistakes; lowest is \"{name}\" with {low:.1f}.")

    return of


EXERCISES = (
    Exercise(
        "graph-entities", "01_text_to_graph",
        f"How many entities that have to be found does this text have? Count by eye first, then with"
        f" `extract_graph`.\n\n> {LADDER}",
        "Mentions of one entity are merged, and what is said to be absent is a fact about absence.",
        "The men, the coats, the ladder and the dog. \"One of them\" is a mention of the men, and the collar is said to"
        " be absent: `[e.head for e in extract_graph(text).entities if not e.negated]`.",
        lambda: len(_entities()),
        number(lambda: len(_entities()), _slips_of_entities, within=0),
    ),
    Exercise(
        "graph-absent", "01_text_to_graph",
        "Which of these words mark something as absent, so that it must not be looked for: *no*, *few*, *without*,"
        " *lacks*, *hardly*, *rather than*, *only*? Give a list.",
        "Ask of each word: would a picture that shows the thing contradict the text?",
        "*no*, *without*, *lacks* and *rather than* (of what follows it). *Few*, *hardly* and *only* say how much or"
        " how far; the thing is there.",
        lambda: ["no", "without", "lacks", "rather than"],
        words(lambda: ["no", "without", "lacks", "rather than"],
              {"few": "few people are people", "hardly": "what hardly shows still shows", "only": "only one is one"}),
        lambda: [["no", "few"], ["no", "without", "lacks"]],
    ),
    Exercise(
        "scoring-expected", "02_scoring",
        "A judge gives the answers 1 to 5 the probabilities 0.1, 0.1, 0.2, 0.4 and 0.2. What is the score of the"
        " question?",
        "It is not the likeliest answer.",
        "The mean weighed by probability: 1·0.1 + 2·0.1 + 3·0.2 + 4·0.4 + 5·0.2 = 3.5.",
        lambda: 3.5,
        number(lambda: sum(v * p for v, p in zip(range(1, 6), (0.1, 0.1, 0.2, 0.4, 0.2), strict=True)),
               lambda: {"the likeliest answer": 4.0, "the middle of the scale": 3.0,
                        "the mean over 5, as coarse scores are": 0.7}),
        lambda: [4, 3, 0.7],
    ),
    Exercise(
        "scoring-overall", "02_scoring",
        "Write the overall score as a function of mistakes and omissions.",
        "A description that makes no mistake because it says next to nothing must not do well.",
        "The harmonic mean: `lambda m, o: 2 * m * o / (m + o)`. It is near the smaller of the two, so that saying"
        " little faultlessly does not pay.",
        lambda: harmonic,
        function(lambda: [((0.6, 0.9), harmonic(0.6, 0.9)), ((0.2, 1.0), harmonic(0.2, 1.0)), ((0.5, 0.5), 0.5)]),
        lambda: [lambda m, o: (m + o) / 2, lambda m, o: (m * o) ** 0.5, 0.72],
    ),
    Exercise(
        "scoring-same-words", "02_scoring",
        "Write a description and a reference of **the same words** that PoSh tells apart (mistakes at most 0.9). Give"
        " them as a pair of strings.",
        "The two bathrooms of the first chapter are an example; find another.",
        "Let two things exchange a property or a role: `(\"A black dog chases a white cat.\", \"A white dog chases a"
        " black cat.\")`.",
        lambda: ("A black dog chases a white cat.", "A white dog chases a black cat."),
        _same_bag(),
        lambda: [("A dog.", "A dog."), ("A red dog.", "A blue dog."), ("A dog and a cat.", "A cat and a dog.")],
    ),
    Exercise(
        "known-recall", "03_known_answers",
        "A caption has 8 planted mistakes. A metric flags 12 places; 6 of them touch a planted mistake, each another"
        " one. What is its recall?",
        "Recall asks what was found of what there was to find.",
        "6 of the 8 mistakes were found: 0.75. Its precision is 6 of 12.",
        lambda: 0.75,
        number(lambda: 6 / 8, lambda: {"the precision: right ones among the flagged": 6 / 12,
                                       "the flagged places over the planted ones": 12 / 8,
                                       "the F1 of both": 2 * 0.5 * 0.75 / 1.25}),
        lambda: [0.5, 1.5, 0.6],
    ),
    Exercise(
        "known-units", "03_known_answers",
        "Twelve works have six captions each. An interval for the mean score is made by drawing **what** anew?\n\n"
        "- (a) the 72 captions\n- (b) the 12 works, each with all its captions\n- (c) the sentences",
        "Two captions of one work share their reference, and so their luck.",
        "(b). Captions of one work rise and fall together; drawing them singly would treat 72 as independent and make"
        " the interval too narrow.",
        lambda: "b",
        choice({"a": "captions of one work share a reference, so they are not 72 independent cases.",
                "b": "whole works are drawn, because what makes a work easy or hard belongs to all its captions.",
                "c": "sentences of a caption are even less independent than captions of a work."}, "b"),
        lambda: ["a", "c"],
    ),
    Exercise(
        "people-partial", "04_real_captions",
        "A score correlates 0.39 with people's judgments, the length of the caption 0.60 with the judgments, and"
        " score and length 0.50 with each other. What is the correlation of score and judgments with length held"
        " fixed?",
        "Take away the product of the two other correlations, and divide by what length leaves of each.",
        "(0.39 − 0.60·0.50) / √((1 − 0.60²)(1 − 0.50²)) = 0.13. Most of the 0.39 was length.",
        lambda: 0.13,
        number(lambda: (0.39 - 0.3) / ((1 - 0.36) * (1 - 0.25)) ** 0.5,
               lambda: {"the difference without the division": 0.09, "the correlation as it was": 0.39}),
        lambda: [0.09, 0.39],
    ),
    Exercise(
        "judges-digits", "05_judges",
        "A model's first answer token has these probabilities: `\"4\"` 0.20, `\" 4\"` 0.20, `\"2\"` 0.10, `\"10\"`"
        " 0.30, `\"The\"` 0.20. What is the expected value over 1 to 5?",
        "Variants of one digit are one answer, a longer number is none, and what is left is made to sum to one.",
        "4 has 0.20 + 0.20 and 2 has 0.10; `10` is no answer on the scale. (4·0.4 + 2·0.1) / 0.5 = 3.6, with a mass of"
        " 0.5.",
        lambda: 3.6,
        number(lambda: (4 * 0.4 + 2 * 0.1) / 0.5,
               lambda: {"the sum before it is divided by the mass of 0.5": 1.8,
                        "what comes out when \"10\" is read as a 1": (4 * 0.4 + 2 * 0.1 + 0.3) / 0.8,
                        "what comes out when \" 4\" is dropped": (4 * 0.2 + 2 * 0.1) / 0.3,
                        "the likeliest answer": 4}),
        lambda: [1.8, 2.625, 10 / 3, 4],
    ),
)
