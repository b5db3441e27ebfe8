"""Engines without a model, for tests of the core; judges of them are reached as ``engines:hashing``."""

from __future__ import annotations

import math
import os
import time

from posh_lite.judge.keys import digest
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import LanguageJudge


class FakeEngine:
    """Answers by functions of the prompt; a token is a word.

    Args:
        answer: prompt -> {token text: probability}, or a Reading.
        samples: prompt, number -> text.
        rewriting: prompt -> text.
    """

    name = "fake"

    def __init__(self, answer=lambda p: {"5": 1.0}, *, samples=None, rewriting=None, context=None, identity="model:1"):
        self.answer, self.samples, self.rewriting = answer, samples, rewriting
        self.context, self.identity = context, identity
        self.calls: list[list] = []

    def count(self, prompt):
        return len(prompt.text.split())

    def read(self, prompts, answers):
        self.calls.append(list(prompts))
        return [self._reading(p, n) for n, p in enumerate(prompts)]

    def _reading(self, prompt, number):
        given = self.answer(prompt)
        if isinstance(given, Reading):
            return given
        tokens = self.count(prompt)
        cached = len(prompt.text[: prompt.shared].split()) if number else 0
        return Reading(tuple((t, math.log(p)) for t, p in given.items()), next(iter(given), ""), tokens, cached, 1)

    def sample(self, prompts, n, seed):
        self.calls.append(list(prompts))
        return [Reading(samples=tuple(self.samples(p, seed + i) for i in range(n))) for p in prompts]

    def generate(self, prompts, max_tokens):
        self.calls.append(list(prompts))
        given = [self.rewriting(p) for p in prompts]
        return [g if isinstance(g, Reading) else Reading(text=g, tokens=self.count(p), generated=len(g.split()))
                for g, p in zip(given, prompts, strict=True)]


def spread(prompt):
    """Probabilities that depend on the prompt alone, 0.9 of them on the answers of the scale that it asks for."""
    data = digest(prompt.text)
    weights = [1 + b for b in data[:5]]
    if "yes or no" in prompt.text:
        return {"x": 0.1, "yes": 0.9 * weights[0] / sum(weights[:2]), "no": 0.9 * weights[1] / sum(weights[:2])}
    return {"x": 0.1} | {str(n + 1): 0.9 * w / sum(weights) for n, w in enumerate(weights)}


class Slow(FakeEngine):
    """Tells the file of the variable ASKED the log's key of each prompt it is given; takes PAUSE seconds a batch."""

    def read(self, prompts, answers):
        if "ASKED" in os.environ:
            found = [digest(f"{self.name} {self.identity} scale:1-5", p.text).hex() for p in prompts]
            with open(os.environ["ASKED"], "a", encoding="utf-8") as handle:
                handle.write("".join(key + "\n" for key in found))
        time.sleep(float(os.environ.get("PAUSE", "0")))
        return super().read(prompts, answers)


def hashing(**settings):
    """A language judge that answers at once."""
    return LanguageJudge(FakeEngine(spread), **settings)


def slow(batch_size=8, **settings):
    """The same answers, slowly."""
    return LanguageJudge(Slow(spread), batch_size=batch_size, **settings)


def shaky(**settings):
    """Leaves a fifth of the answers unreadable; on another fifth its server fails while the variable SHAKY is set."""

    def answer(prompt):
        kind = digest("shaky", prompt.text)[0] % 5
        if kind == 0 and os.environ.get("SHAKY"):
            return Reading(fault="the server answered 503 three times")
        return {"well": 0.9} if kind == 1 else spread(prompt)

    return LanguageJudge(Slow(answer), **settings)


def flat(**settings):
    """Finds everything clearly there."""
    return LanguageJudge(FakeEngine(lambda p: {"4": 0.97, "5": 0.03}), **settings)


def vague(**settings):
    """Hardly answers."""
    return LanguageJudge(FakeEngine(lambda p: {"Well": 0.8} | {k: 0.2 * v for k, v in spread(p).items()}), **settings)
