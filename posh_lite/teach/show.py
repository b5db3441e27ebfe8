"""Exercises and outcomes as the chapters show them."""

from __future__ import annotations

import html
import textwrap
from typing import Any

from posh_lite.book.show import Block
from posh_lite.teach.all import exercise_named


def exercise(name: str) -> Block:
    """The question with its hint and its solution, both folded.

    Raises:
        InputError: there is no such exercise.
    """
    found = exercise_named(name)
    question, hint, solution = (textwrap.dedent(t).strip() for t in (found.question, found.hint, found.solution))
    markdown = (
        f"::::::{{admonition}} Exercise\n:class: posh-exercise\n:name: exercise-{found.name}\n\n{question}\n\n"
        f":::::{{admonition}} Hint\n:class: dropdown tip\n\n{hint}\n:::::\n\n"
        f":::::{{admonition}} Solution\n:class: dropdown\n\n{solution}\n:::::\n::::::\n"
    )
    return Block(markdown, None, f"Exercise: {question}")


def check(name: str, answer: Any) -> Block:
    """Check an answer: right, wrong and how, or no answer yet.

    Raises:
        InputError: there is no such exercise.
    """
    outcome = exercise_named(name).judge(answer)
    mark, kind = {True: ("✓", "right"), False: ("✗", "wrong"), None: ("?", "open")}[outcome.right]
    said = html.escape(outcome.said).replace("`None`", "<code>None</code>")
    markup = f'<p class="posh-check posh-check-{kind}"><span aria-hidden="true">{mark}</span> {said}</p>'
    return Block(None, markup, f"{mark} {outcome.said}")
