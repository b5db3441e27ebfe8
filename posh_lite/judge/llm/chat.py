"""A tokenizer as the engines use it: the chat template around a prompt, shared beginnings, tokens of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from posh_lite.errors import JudgeError
from posh_lite.judge.llm.answers import Answers
from posh_lite.judge.llm.engine import Prompt

_MARK = "\u27eaPROMPT\u27eb"
_DAY = date(2024, 7, 26)


def fixed_day(form: str) -> str:
    """The day that a chat template shows as today: always the same, since a prompt must not change from day to day."""
    return _DAY.strftime(form)


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring prompts that begin alike.

    Attributes:
        beginning: tokens that all of them begin with; each has at least one token more.
        members: all tokens of each prompt.
    """

    beginning: list[int]
    members: list[list[int]]

    @property
    def endings(self) -> list[list[int]]:
        """What each prompt has after the beginning."""
        return [tokens[len(self.beginning):] for tokens in self.members]


class Chat:
    """A tokenizer with its chat template, thinking switched off.

    Args:
        tokenizer: of the transformers library.
        label: the model, for error messages.
        vocabulary: tokens that the model scores, where these are fewer than the tokenizer's.

    Raises:
        JudgeError: there is no chat template, or it does not show the user's message.
    """

    def __init__(self, tokenizer: Any, label: str, vocabulary: int | None = None) -> None:
        self._tokenizer, self._label = tokenizer, label
        self._size = min(len(tokenizer), vocabulary or len(tokenizer))
        self._answers: dict[str, list[tuple[int, str]]] = {}
        if not getattr(tokenizer, "chat_template", None):
            raise JudgeError(f"{label}: the tokenizer has no chat template, so this is no model that answers questions")
        try:
            text = tokenizer.apply_chat_template(
                [{"role": "user", "content": _MARK}], tokenize=False, add_generation_prompt=True, enable_thinking=False,
                strftime_now=fixed_day,
            )
        except Exception as error:  # a template is a program of someone else's and can raise anything
            raise JudgeError(f"{label}: the chat template cannot be used ({one_line(error)})") from None
        self._before, found, self._after = text.partition(_MARK)
        if not found:
            raise JudgeError(f"{label}: the chat template does not show the user's message")

    def tokens(self, prompt: Prompt) -> list[int]:
        """Tokens of a prompt inside the template."""
        return self._encode(self._before + prompt.text + self._after)

    def groups(self, prompts: Sequence[Prompt]) -> list[Group]:
        """The prompts, in order, as groups of neighbours that share their beginning.

        Whether they share it is seen in the tokens, since a tokenizer may join across any boundary of the text.
        """
        groups: list[Group] = []
        last: str | None = None
        for prompt in prompts:
            tokens, shared = self.tokens(prompt), prompt.text[: prompt.shared]
            if shared != last or not groups:
                groups.append(Group(self._encode(self._before + shared)[:-1], []))
                last = shared
            group = groups[-1]
            del group.beginning[min(common(group.beginning, tokens), len(tokens) - 1):]
            group.members.append(tokens)
        return groups

    def text(self, tokens: Sequence[int]) -> str:
        """What tokens say; the marks that end an answer say nothing."""
        kept = [t for t in tokens if t not in self.specials]
        return str(self._tokenizer.decode(kept, clean_up_tokenization_spaces=False))

    def piece(self, token: int) -> str:
        """The text of one token, marks of the template included."""
        return str(self._tokenizer.decode([token], clean_up_tokenization_spaces=False))

    @property
    def specials(self) -> frozenset[int]:
        """Tokens that are marks, not text."""
        return frozenset(self._tokenizer.all_special_ids)

    def answer_tokens(self, answers: Answers) -> list[tuple[int, str]]:
        """All tokens of the vocabulary that are an answer of the scale, with their text.

        Raises:
            JudgeError: an answer has no token of its own.
        """
        known = self._answers.get(answers.scale)
        if known is None:
            written = self._tokenizer.convert_ids_to_tokens(list(range(self._size)))
            near = [t for t, text in enumerate(written) if any(w in (text or "").lower() for w in answers.values)]
            pieces = [(t, self.piece(t)) for t in near if t not in self.specials]
            known = [(t, text) for t, text in pieces if len(text) < 8 and answers.value(text) is not None]
            if {answers.value(text) for _, text in known} != set(answers.values.values()):
                raise JudgeError(f"{self._label}: the vocabulary lacks a token for an answer of {answers.scale}")
            self._answers[answers.scale] = known
        return known

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two lists have in common at their beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def one_line(error: BaseException, most: int = 300) -> str:
    """An error of a library as part of a line of ours."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= most else text[: most - 1] + "…"
