"""What a server said: answers, log probabilities and token counts, in whichever of the shapes it writes them.

Servers differ. Log probabilities come as a list of positions with their most probable tokens
(``logprobs.content[].top_logprobs[]``, OpenAI's chat form, also llama.cpp's completions) or as parallel lists with a
mapping for each position (``logprobs.top_logprobs[]``, the older completions form of vLLM and llama-cpp-python).
Either may stand in either kind of reply, so both are looked for in both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite.judge.llm.answers import is_blank
from posh_lite.judge.llm.engine import Reading

Candidates = tuple[tuple[str, float], ...]
#: White space that a model may write before its answer, in tokens.
_BLANK_TOKENS = 2
_SHOWN = 200
#: Where servers put what a model thought before it answered.
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


class Unreadable(Exception):
    """A reply that is none: no JSON, or not of a shape that is known. The text says what came instead."""


def parse(text: str) -> dict[str, Any]:
    """The JSON object of a reply.

    Raises:
        Unreadable: it is something else, such as a page of HTML or half an object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(f"the reply is no JSON: {shorten(text)!r}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"the reply is no JSON object: {shorten(text)!r}")
    if found.get("error"):
        raise Unreadable(f"the reply is an error: {error_text(found)}")
    return found


def shorten(text: str, length: int = _SHOWN) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length] + "..."


def error_text(body: Any) -> str:
    """A server's own words from the body of an error, whatever it is wrapped in."""
    while isinstance(body, Mapping):
        inner = next((body[k] for k in ("error", "message", "detail", "msg") if body.get(k)), None)
        body = json.dumps(dict(body), default=str) if inner is None else inner
    if isinstance(body, Sequence) and not isinstance(body, str) and body:
        return error_text(body[0])
    return shorten(str(body))


def choices_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The answers in a reply, at least one.

    Raises:
        Unreadable: there is none.
    """
    found = body.get("choices")
    if not isinstance(found, list) or not found or not all(isinstance(c, dict) for c in found):
        raise Unreadable(f"the reply has no choices: {shorten(json.dumps(body, default=str))!r}")
    return found


def text_of(choice: Mapping[str, Any]) -> str:
    """What the model said in one answer; what it only thought is marked as such.

    Raises:
        Unreadable: the answer has neither a message nor a text.
    """
    message = choice.get("message")
    if isinstance(message, dict):
        content = message.get("content")
        if isinstance(content, list):  # in parts
            content = "".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
        if content:
            return str(content)
        thought = next((message[k] for k in _THOUGHTS if isinstance(message.get(k), str) and message[k]), None)
        return "" if thought is None else f"<think>{thought}"
    text = choice.get("text")
    if not isinstance(text, str):
        raise Unreadable(f"an answer without message or text: {shorten(json.dumps(choice, default=str))!r}")
    return text


def candidates_of(choice: Mapping[str, Any]) -> Candidates:
    """The candidates for the first answer token; empty where the server gave no probabilities.

    At most two leading tokens of white space are passed over.

    Raises:
        Unreadable: there are probabilities, but of no known shape.
    """
    positions = positions_of(choice)
    at = 0
    while at < min(_BLANK_TOKENS, len(positions) - 1) and is_blank(positions[at][0]):
        at += 1
    return positions[at][1] if positions else ()


def positions_of(choice: Mapping[str, Any]) -> list[tuple[str, Candidates]]:
    """Every token of an answer with the candidates for its place; empty where the server gave no probabilities.

    Raises:
        Unreadable: there are probabilities, but of no known shape.
    """
    logprobs = choice.get("logprobs")
    if not logprobs:
        return []
    if not isinstance(logprobs, dict):
        raise Unreadable(f"log probabilities of an unknown shape: {shorten(json.dumps(logprobs, default=str))!r}")
    content = logprobs.get("content")
    return _listed(content) if isinstance(content, list) else _parallel(logprobs)


def reading_of(body: Mapping[str, Any], *, probabilities: bool) -> Reading:
    """The reading of a reply's first answer, with what the server counted.

    Args:
        body: of the reply.
        probabilities: whether log probabilities were asked for.

    Raises:
        Unreadable: the shape is none that is known.
    """
    choice = choices_of(body)[0]
    tokens, cached, generated, thought = usage_of(body)
    text = text_of(choice)
    if not text.strip() and thought:
        text = "<think>"
    return Reading(candidates_of(choice) if probabilities else (), text, tokens, cached, generated)


def usage_of(body: Mapping[str, Any]) -> tuple[int | None, int | None, int, int]:
    """Tokens of the prompt, how many of them came from a cache, tokens generated, and of these those of thinking."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return None, None, 0, 0
    before, after = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    tokens = _count(usage.get("prompt_tokens"))
    cached = _count(before.get("cached_tokens")) if isinstance(before, dict) else None
    thought = _count(after.get("reasoning_tokens")) if isinstance(after, dict) else None
    # A count of zero is what some servers say of a prompt that they had cached as a whole.
    return tokens or None, cached, _count(usage.get("completion_tokens")) or 0, thought or 0


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _listed(content: Sequence[Any]) -> list[tuple[str, Candidates]]:
    """Positions as a list of objects: the token chosen, and the most probable ones."""
    positions = []
    for item in content:
        if not isinstance(item, dict) or not isinstance(item.get("token"), str):
            raise Unreadable(f"a position without its token: {shorten(json.dumps(item, default=str))!r}")
        positions.append((item["token"], _candidates(item.get("top_logprobs"), item["token"], item.get("logprob"))))
    return positions


def _parallel(logprobs: Mapping[str, Any]) -> list[tuple[str, Candidates]]:
    """Positions as parallel lists: tokens, their log probabilities, and a mapping of the most probable ones."""
    tops = logprobs.get("top_logprobs")
    if not isinstance(tops, list):
        return []
    tokens = logprobs.get("tokens") if isinstance(logprobs.get("tokens"), list) else []
    chosen = logprobs.get("token_logprobs") if isinstance(logprobs.get("token_logprobs"), list) else []
    positions = []
    for at, top in enumerate(tops):
        token = tokens[at] if tokens and at < len(tokens) and isinstance(tokens[at], str) else None
        found = _candidates(top, token, chosen[at] if chosen and at < len(chosen) else None)
        if token is None:
            token = max(found, key=lambda c: c[1])[0] if found else ""
        positions.append((token, found))
    return positions


def _candidates(top: Any, token: str | None, logprob: Any) -> Candidates:
    """The most probable tokens of a position, the chosen one added where the server left it out.

    A position that lists nothing but the chosen token is empty: that is no distribution.
    """
    if isinstance(top, dict):
        pairs = list(top.items())
    elif isinstance(top, list):
        if not all(isinstance(t, dict) for t in top):
            raise Unreadable(f"candidates of an unknown shape: {shorten(json.dumps(top, default=str))!r}")
        pairs = [(t.get("token"), t.get("logprob")) for t in top]
    else:
        pairs = []
    found = tuple((text, _logarithm(value)) for text, value in pairs if isinstance(text, str) and value is not None)
    if found and token is not None and logprob is not None and all(text != token for text, _ in found):
        found += ((token, _logarithm(logprob)),)
    return found


def _logarithm(value: Any) -> float:
    """A log probability; some round it to a hair above 0.

    Raises:
        Unreadable: it is none.
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or value > 1e-3:
        raise Unreadable(f"a log probability is at most 0, the server says {value!r}")
    return min(float(value), 0.0)
