"""Replies from a server that speaks OpenAI's protocol, with pictures: hosted services, vLLM, SGLang, llama.cpp, Ollama.

The way to the server is the judges' own: retries with growing pauses, a bound on requests under way, a key that comes
from ``OPENAI_API_KEY`` alone and is struck out of every message.
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from posh_lite.baselines.chat_types import Ask, ChatReply, Keep, Sampling
from posh_lite.errors import JudgeDown, JudgeError
from posh_lite.judge.llm.engine import Prompt
from posh_lite.judge.llm.server import ServerEngine
from posh_lite.judge.llm.server_link import TOO_LONG, Gone, Refused, together
from posh_lite.judge.llm.server_reply import choices_of, positions_of, shorten, text_of, usage_of

#: What servers say of a message that they will not answer for what it shows or says.
_POLICY = re.compile(
    r"content[ _-]?(?:policy|filter|management)|safety system|moderation|responsible ai", re.IGNORECASE
)
#: What servers say where the model has no eyes.
_BLIND = re.compile(r"image|vision|multi-?modal|mmproj|content\[?\d*\]?\.?type|content must be a string", re.IGNORECASE)


class PairRefused(JudgeError):
    """The server will not answer one message, and may well answer others."""


class ChatServer(ServerEngine):
    """A model behind a server, asked for whole replies.

    Args:
        model: its name there.
        url: address of the API, usually ending in ``/v1``; by default the environment's ``OPENAI_BASE_URL``, and with
            a key alone OpenAI's own.
        concurrency: most requests under way at a time.
        timeout: seconds for one request; replies take longer than answers of one token.
        retries: further attempts after a failure that may pass.
        extra: further fields of every request; a field set to None is left out. Models that reason take
            ``{"temperature": None, "max_tokens": None, "max_completion_tokens": 4096}``.
        backoff: seconds before the first repetition.

    Attributes:
        served: names of the model that stood in the server's replies so far.

    Raises:
        InputError, JudgeError: as :class:`~posh_lite.judge.llm.server.ServerEngine`.
    """

    sees = True

    def __init__(
        self, model: str, *, url: str | None = None, concurrency: int = 8, timeout: float = 180.0, retries: int = 5,
        extra: Mapping[str, Any] | None = None, backoff: float = 1.0,
    ) -> None:
        super().__init__(
            model, url=url, form="chat", concurrency=concurrency, timeout=timeout, retries=retries, extra=extra,
            backoff=backoff,
        )
        self.batch = 4 * concurrency
        self.identity = self.identity.replace(f" form:chat top_logprobs:{self.top_logprobs}", "")
        self.served: set[str] = set()
        self._asked_one = False

    def reply(self, asks: Sequence[Ask], sampling: Sampling, keep: Keep) -> list[ChatReply]:
        """Replies in order; the very first message goes alone, so that what is wrong shows at once.

        Raises:
            JudgeDown: the server is gone, refuses the key or the model, or the model takes no pictures.
            JudgeError: the first message was refused, or one does not fit the context.
        """
        replies: list[ChatReply] = []
        if asks and not self._asked_one:
            self._meet()
            replies = [self.link.run(lambda: self._said(0, asks[0], sampling, keep, first=True))]
            self._asked_one = not replies[0].fault
        rest = list(enumerate(asks))[len(replies):]
        if rest:
            replies += self.link.run(lambda: together(self._said(i, ask, sampling, keep) for i, ask in rest))
        return replies

    async def _said(self, number: int, ask: Ask, sampling: Sampling, keep: Keep, *, first: bool = False) -> ChatReply:
        asked: dict[str, Any] = {"max_tokens": sampling.most_tokens, "temperature": sampling.temperature}
        if sampling.temperature:
            asked["seed"] = ask.trial
        if sampling.candidates:
            asked |= {"logprobs": True, "top_logprobs": sampling.candidates}
        try:
            got = await self._one(ask, asked, _reply)
        except JudgeDown:
            raise
        except PairRefused as error:
            if first and not _POLICY.search(str(error)):
                raise
            return ChatReply(fault=str(error))
        except JudgeError as error:
            if not isinstance(error.__context__, Gone):
                raise  # it does not fit, or was cut
            if first:
                raise self._blind(str(error.__context__), ask) or error from None
            return ChatReply(fault=str(error))
        if not isinstance(got, ChatReply):
            return ChatReply(fault=got.fault)
        self._answered += 1
        self._serve(got.served)
        await asyncio.to_thread(keep, number, got)
        return got

    def _serve(self, name: str) -> None:
        if name and name not in self.served:
            self.served.add(name)
            if len(self.served) == 2:
                warnings.warn(
                    f"{self.model}: its replies come from {' and '.join(sorted(self.served))}; name one of them as the"
                    " model, or figures cannot be made again", stacklevel=2,
                )

    def _body(self, prompt: Prompt, asked: Mapping[str, Any]) -> dict[str, Any]:
        body = super()._body(prompt, asked)
        if isinstance(prompt, Ask) and prompt.picture is not None:
            shown = {"type": "image_url", "image_url": {"url": prompt.picture.url()}}
            body["messages"] = [{"role": "user", "content": [shown, {"type": "text", "text": prompt.text}]}]
        return body

    # -- errors -------------------------------------------------------------------------------------------------

    def _down(self, why: str, *, running: bool = True) -> JudgeDown:
        line = f"{self.model} at {self.link.address}: {why}"
        if self._answered:
            line += f"; {self._answered:,} replies had come: with the option log=FILE a new run asks only for the rest"
        elif not running:
            line += "; is the server running, and the address right (url= or OPENAI_BASE_URL)?"
        return JudgeDown(self.link.redact(line))

    def _blind(self, said: str, prompt: Prompt) -> JudgeDown | None:
        """The error of a model that takes no pictures, where this is one."""
        shown = isinstance(prompt, Ask) and prompt.picture is not None
        if not shown or self._answered or _POLICY.search(said) or not _BLIND.search(said):
            return None
        return self._down(f"it takes no images ({said}); name a model that sees, or take the row that reads the"
                          " reference alone")

    def _refusal(self, error: Refused, prompt: Prompt) -> JudgeError:
        said = self.link.redact(shorten(error.text))
        if "logprob" in said.lower():
            return self._down(f"{error.status}: {said}; this metric reads the probabilities of tokens, so it needs a"
                              " server that gives them")
        if error.status in (400, 415, 422) or (error.status == 404 and "image input" in said.lower()):
            blind = self._blind(f"{error.status}: {said}", prompt)
            if blind is not None:
                return blind
        found = super()._refusal(error, prompt)
        if isinstance(found, JudgeDown) or TOO_LONG.search(said):
            return found
        return PairRefused(str(found))


def _reply(body: Mapping[str, Any]) -> ChatReply:
    choice = choices_of(body)[0]
    message = choice.get("message")
    refusal = message.get("refusal") if isinstance(message, dict) else None
    tokens, cached, generated, _ = usage_of(body)
    return ChatReply(
        text=text_of(choice) or (refusal if isinstance(refusal, str) else ""), tokens=tokens, cached=cached,
        generated=generated, cut=choice.get("finish_reason") == "length", served=str(body.get("model") or ""),
        positions=tuple(positions_of(choice)),
    )
