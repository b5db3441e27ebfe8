"""The engine "openai": a model behind a server that speaks OpenAI's protocol (``pip install "posh-lite[openai]"``).

vLLM, llama.cpp, Ollama, SGLang and hosted services do. A server that gives log probabilities is read by the first
answer token; one that gives none can be asked for samples (``scale="sampled"``).
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from posh_lite.errors import InputError, JudgeDown, JudgeError
from posh_lite.judge.check import is_number
from posh_lite.judge.llm.answers import Answers, thinks
from posh_lite.judge.llm.engine import Prompt, Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.llm.server_link import KEY, TOO_LONG, Gone, Refused, ServerLink, together
from posh_lite.judge.llm.server_models import doubt_of_list, doubt_of_reply, entries_of, entry_of
from posh_lite.judge.llm.server_reply import Unreadable, choices_of, reading_of, shorten, text_of

Form = Literal["auto", "chat", "completions"]
One = Callable[[Prompt], Awaitable[Reading]]
_ANSWER_TOKENS = 3  # two of white space may come before the answer
_SAMPLE_TOKENS = 6
_WARM = 512  # beginnings of prompts that the server is taken to hold still
#: What extra= cannot set, since reading the answer depends on it.
_OURS = frozenset({"model", "messages", "prompt", "stream", "n", "logprobs", "top_logprobs", "echo"})
#: From this many tokens on, a count below the number of words shows that a prompt was cut.
_CUT = 1000


class ServerEngine:
    """A model behind a server.

    Args:
        model: its name there.
        url: address of the API, usually ending in ``/v1``; by default the environment's ``OPENAI_BASE_URL``. The key
            comes from ``OPENAI_API_KEY`` alone; a local server often needs none.
        form: "chat" or "completions". Chat ("auto") puts the prompt into the model's chat template; completions sends
            it as it is.
        concurrency: most requests under way at a time.
        timeout: seconds for one request.
        retries: further attempts after a failure that may pass: 429, 5xx, a lost connection, no answer in time, or a
            reply that cannot be read.
        context: most tokens of prompt and answer; by default what the server says, where it does.
        top_logprobs: candidates wanted for the first token, 2 to 100; some servers allow no more than 5.
        extra: further fields of every request, such as ``{"chat_template_kwargs": {"enable_thinking": False}}``; a
            field set to None is left out.
        backoff: seconds before the first repetition; doubled each time, with jitter.

    Raises:
        InputError: a setting is out of range, or no address is known.
        JudgeError: ``OPENAI_API_KEY`` holds what cannot be a key.
    """

    name = "openai"
    #: Ends the core's sentence on a model that thinks first.
    no_thinking = ' (many servers take --judge-option \'extra={"chat_template_kwargs": {"enable_thinking": false}}\')'

    def __init__(
        self, model: str, *, url: str | None = None, form: Form = "auto", concurrency: int = 8, timeout: float = 60.0,
        retries: int = 5, context: int | None = None, top_logprobs: int = 20,
        extra: Mapping[str, Any] | None = None, backoff: float = 1.0,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InputError(f"model must be the name of a model, got {model!r}")
        if form not in ("auto", "chat", "completions"):
            raise InputError(f'form must be "auto", "chat" or "completions", got {form!r}')
        for name, whole, least, most in (
            ("concurrency", concurrency, 1, 4096), ("retries", retries, 0, 100), ("top_logprobs", top_logprobs, 2, 100),
            ("context", 1 if context is None else context, 1, 10**9),
        ):
            if not isinstance(whole, int) or isinstance(whole, bool) or not least <= whole <= most:
                raise InputError(f"{name} must be a whole number from {least} to {most:,}, got {whole!r}")
        for name, value in (("timeout", timeout), ("backoff", backoff)):
            if not is_number(value) or not 0 < value < 1e6:
                raise InputError(f"{name} must be a number of seconds above 0, got {value!r}")
        self.model, self.top_logprobs = model.strip(), top_logprobs
        self.form: Literal["chat", "completions"] = "completions" if form == "completions" else "chat"
        self.link = ServerLink(url, concurrency=concurrency, timeout=timeout, retries=retries, backoff=backoff)
        self.extra = _checked_extra(extra, self.link)
        self.identity = _identity(self.model, self.form, top_logprobs, self.extra)
        self._context = context
        self._models: tuple[str, ...] | None = None
        self._counts: Literal["", "vllm", "llama.cpp", "no"] = ""
        self._tried = False
        self._answered = 0
        self._single = False  # the server draws one sample a request
        self._prints: set[str] = set()
        self._doubt = ""  # what the server says against the model's name
        self._warned = self._doubted = False
        self._warm: OrderedDict[bytes, None] = OrderedDict()

    def __repr__(self) -> str:
        return f"<ServerEngine {self.identity} at {self.link.address}>"

    # -- the contract ---------------------------------------------------------------------------------------

    @property
    def context(self) -> int | None:
        """The most tokens, as given or as the server says at the first question; None where it does not."""
        if self._models is None:
            self._meet()
        return self._context

    @context.setter
    def context(self, value: int | None) -> None:
        self._context = value

    def count(self, prompt: Prompt) -> int | None:
        """Length in tokens with the chat template, where the server counts (vLLM, llama.cpp)."""
        return self.link.run(lambda: self._count(prompt))

    def read(self, prompts: Sequence[Prompt], answers: Answers) -> list[Reading]:
        """The most probable first answer tokens of each prompt."""
        asked: dict[str, Any] = {"max_tokens": _ANSWER_TOKENS, "temperature": 0}
        if self.form == "chat":
            asked |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        else:
            asked["logprobs"] = self.top_logprobs

        async def one(prompt: Prompt) -> Reading:
            return await self._one(prompt, asked, lambda body: reading_of(body, probabilities=True))

        return self._all(prompts, one, probabilities=True)

    def sample(self, prompts: Sequence[Prompt], n: int, seed: int) -> list[Reading]:
        """Short answers drawn at temperature 1."""
        return self._all(prompts, lambda prompt: self._draw(prompt, n, seed))

    def generate(self, prompts: Sequence[Prompt], max_tokens: int) -> list[Reading]:
        """The most probable continuation of each prompt."""
        asked = {"max_tokens": max_tokens, "temperature": 0}
        return self._all(
            prompts, lambda prompt: self._one(prompt, asked, lambda body: reading_of(body, probabilities=False))
        )

    # -- many prompts ---------------------------------------------------------------------------------------

    def _all(self, prompts: Sequence[Prompt], one: One, *, probabilities: bool = False) -> list[Reading]:
        if not self._tried and len(prompts) > 1:
            # The very first goes alone; where it shows that the model cannot judge, the core will not look further.
            first = self._all(prompts[:1], one)
            said = first[0]
            if not said.fault and (thinks(said.text) or (probabilities and not said.candidates)):
                return first + [Reading(fault="not asked: the first answer cannot be used")] * (len(prompts) - 1)
            self._tried = True
            return first + self._all(prompts[1:], one)
        readings = self.link.run(lambda: self._in_groups(prompts, one))
        self._answered += sum(not r.fault for r in readings)
        if self._doubt and self._answered and not self._doubted:
            self._doubted = True
            warnings.warn(
                self.link.redact(
                    f'the model was named "{self.model}", and so it stands in the signature, but {self._doubt};'
                    " name the model that answers, or figures of two models may look alike"
                ), stacklevel=4,
            )
        if len(self._prints) > 1 and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.model}: the server changed its model or settings during the run (its fingerprint is another);"
                " answers from before and after may differ", stacklevel=4,
            )
        return readings

    async def _in_groups(self, prompts: Sequence[Prompt], one: One) -> list[Reading]:
        """Neighbours that share their beginning: the first alone, so that the others find it in the server's cache."""
        groups: list[list[Prompt]] = []
        for prompt in prompts:
            beginning = prompt.text[: prompt.shared]
            if groups and groups[-1][0].text[: groups[-1][0].shared] == beginning:
                groups[-1].append(prompt)
            else:
                groups.append([prompt])

        async def ask(group: list[Prompt]) -> list[Reading]:
            cold = 1 if len(group) > 1 and self._is_cold(group[0]) else 0
            first = [await one(group[0])] if cold else []
            return first + await together(one(p) for p in group[cold:])

        return [reading for group in await together(ask(g) for g in groups) for reading in group]

    def _is_cold(self, prompt: Prompt) -> bool:
        if not prompt.shared:
            return False
        beginning = hashlib.sha256(prompt.text[: prompt.shared].encode("utf-8", "replace")).digest()
        cold = beginning not in self._warm
        self._warm[beginning] = None
        self._warm.move_to_end(beginning)
        if len(self._warm) > _WARM:
            self._warm.popitem(last=False)
        return cold

    # -- one prompt -----------------------------------------------------------------------------------------

    def _body(self, prompt: Prompt, asked: Mapping[str, Any]) -> dict[str, Any]:
        chat = {"messages": [{"role": "user", "content": prompt.text}]}
        said: dict[str, Any] = chat if self.form == "chat" else {"prompt": prompt.text}
        first = self.extra.get("seed")  # samples are told apart by their seeds, so it does not replace them
        seed = {"seed": first + asked["seed"]} if isinstance(first, int) and "seed" in asked else {}
        return {k: v for k, v in {"model": self.model, **said, **asked, **self.extra, **seed}.items() if v is not None}

    async def _one(
        self, prompt: Prompt, asked: Mapping[str, Any], read: Callable[[dict[str, Any]], Reading]
    ) -> Reading:
        def checked(body: dict[str, Any]) -> Reading:
            reading = read(body)
            self._prints.add(f"{body.get('model')} {body.get('system_fingerprint')}")
            self._doubt = self._doubt or doubt_of_reply(self.model, body.get("model"))
            self._whole(prompt, reading)
            return reading

        try:
            return await self.link.ask(self.form, self._body(prompt, asked), checked)
        except Unreadable as error:
            if not await self._lives():
                raise self._down(
                    f"replies cannot be read: {error}; is this the address of an OpenAI-compatible API?"
                ) from None
            return Reading(fault=self.link.redact(f"no readable reply: {error}"))
        except Refused as error:
            if self._single or asked.get("n", 1) == 1 or error.status not in (400, 422):
                raise self._refusal(error, prompt) from None
            raise
        except Gone as error:
            if error.absent:
                raise self._absent(error) from None
            if not await self._lives():
                raise self._down(error.text, running=error.reached) from None
            raise JudgeError(
                f'pair "{prompt.pair_id}": {self.model} at {self.link.address}: {error.text}, though other questions'
                f" are answered; is it too long for a timeout of {self.link.timeout:g} s, or {self.link.concurrency}"
                " requests at a time too many?"
            ) from None

    async def _draw(self, prompt: Prompt, n: int, seed: int) -> Reading:
        """Samples in one request where the server can, else in one request each."""
        texts: list[str] = []
        first, generated = Reading(), 0
        while len(texts) < n:
            wanted = 1 if self._single else n - len(texts)
            asked = {"max_tokens": _SAMPLE_TOKENS, "temperature": 1, "top_p": 1, "n": wanted, "seed": seed + len(texts)}
            got: list[str] = []

            def read(body: dict[str, Any], got: list[str] = got) -> Reading:
                got[:] = [text_of(c) for c in choices_of(body)]
                return reading_of(body, probabilities=False)

            try:
                reading = await self._one(prompt, asked, read)
            except Refused:  # perhaps it does not know n
                self._single = True
                continue
            if reading.fault:
                return reading
            self._single = self._single or len(got) < wanted
            if not texts:
                first = reading
            generated += reading.generated
            texts += [reading.text, *got[1:]][: n - len(texts)]
        return Reading((), texts[0], first.tokens, first.cached, generated, tuple(texts))

    def _whole(self, prompt: Prompt, reading: Reading) -> None:
        """A token never holds two words: a prompt with more words than tokens was cut, as some servers do silently."""
        words = len(prompt.text.split())
        if reading.tokens is not None and reading.tokens >= _CUT and reading.tokens < 0.9 * words:
            raise JudgeError(
                f'pair "{prompt.pair_id}": the server read {reading.tokens:,} tokens of a prompt of {words:,} words, so'
                " it cut off the rest; raise the server's context (Ollama: OLLAMA_CONTEXT_LENGTH) or leave the pair out"
            )

    async def _lives(self) -> bool:
        """Whether the server answers anything at all."""
        body = self._body(Prompt("Say 1."), {"max_tokens": _ANSWER_TOKENS, "temperature": 0})
        try:
            await self.link.ask(self.form, body, lambda reply: text_of(choices_of(reply)[0]), retries=1)
        except (Refused, Gone, Unreadable):
            return False
        return True

    # -- what the server says of itself -----------------------------------------------------------------------

    def _meet(self) -> None:
        """Learn the names of its models, and the context of ours where it tells."""
        try:
            listed = self.link.run(lambda: self.link.ask("models", {}, lambda body: body.get("data")))
        except Refused as error:
            if error.status == 401:
                raise self._refusal(error, Prompt("")) from None
            listed = None  # not every server has a list
        except Unreadable:
            listed = None
        except Gone as error:
            if not error.reached:
                raise self._absent(error) if error.absent else self._down(error.text, running=False) from None
            listed = None
        entries = entries_of(listed)
        self._models = tuple(e["id"] for e in entries)
        self._doubt = doubt_of_list(self.model, entries)
        ours = entry_of(self.model, entries)
        context: Any = ours.get("max_model_len")
        if context is None and ours.get("owned_by") == "llamacpp":
            settings = self.link.run(lambda: self.link.look("/props"))
            inner = settings.get("default_generation_settings") if isinstance(settings, dict) else None
            context = inner.get("n_ctx") if isinstance(inner, dict) else None
        if self._context is None and isinstance(context, int) and context > 0:
            self._context = context

    async def _count(self, prompt: Prompt) -> int | None:
        if self._counts in ("", "vllm"):
            body = self._body(prompt, {"add_generation_prompt": True} if self.form == "chat" else {})
            sent = {"model", "messages", "prompt", "add_generation_prompt", "chat_template_kwargs"}
            found = await self.link.look("/tokenize", {k: v for k, v in body.items() if k in sent})
            count = found.get("count") if isinstance(found, dict) else None
            if isinstance(count, int):
                self._counts = "vllm"
                return count
        if self._counts in ("", "llama.cpp"):
            text: Any = prompt.text
            if self.form == "chat":
                rendered = await self.link.look("/apply-template", self._body(prompt, {}))
                text = rendered.get("prompt") if isinstance(rendered, dict) else None
            if isinstance(text, str):
                asked = {"content": text, "add_special": True, "parse_special": True}
                found = await self.link.look("/tokenize", asked)
                tokens = found.get("tokens") if isinstance(found, dict) else None
                if isinstance(tokens, list):
                    self._counts = "llama.cpp"
                    return len(tokens)
        self._counts = self._counts or "no"
        return None

    # -- errors -----------------------------------------------------------------------------------------------

    def _down(self, why: str, *, running: bool = True) -> JudgeDown:
        line = f"{self.model} at {self.link.address}: {why}"
        if self._answered:
            line += (
                f"; {self._answered:,} questions had been answered, and a verdict log has kept them but for those of"
                " the batch under way: run again with the same log, and only the rest is asked"
            )
        elif not running:
            line += "; is the server running, and the address right (url= or OPENAI_BASE_URL)?"
        return JudgeDown(self.link.redact(line))

    def _absent(self, error: Gone) -> JudgeDown:
        """Nobody was ever there: the first line that a user sees who forgot to start the server."""
        return JudgeDown(self.link.redact(
            f"no server is running at {self.link.address} ({error.text}): start it, or correct the address (url= or"
            f" OPENAI_BASE_URL); {self.model} was not asked"
        ))

    def _refusal(self, error: Refused, prompt: Prompt) -> JudgeError:
        said, pair = self.link.redact(shorten(error.text)), f'pair "{prompt.pair_id}"'
        if error.status in (401, 403):
            how = f"is the key in {KEY} one of this server?" if self.link.has_key else f"set {KEY} to a key of it"
            return self._down(f"the server refused the key ({error.status}: {said}); {how}")
        if error.status == 404:
            has = f"; it has {shorten(', '.join(self._models))}" if self._models else "; is the address right?"
            return self._down(f"not found (404: {said}){has}")
        if TOO_LONG.search(said):
            return JudgeError(
                f"{pair}: the prompt of {len(prompt.text):,} characters ({len(prompt.text.split()):,} words) does not"
                f" fit the model's context ({said}); raise the server's context or leave the pair out: nothing is cut"
                " off"
            )
        if "logprob" in said.lower():
            return self._down(
                f"{error.status}: {said}; ask for fewer candidates (--judge-option top_logprobs=5), or where the server"
                " gives no probabilities for samples instead: --scale sampled"
            )
        if error.status in (402, 429):
            return self._down(f"{error.status}: {said}")
        return JudgeError(f"{pair}: {self.model} at {self.link.address} refused the question ({error.status}: {said})")


def openai_judge(
    model: str, *, url: str | None = None, form: Form = "auto", concurrency: int = 8, timeout: float = 60.0,
    retries: int = 5, context: int | None = None, top_logprobs: int = 20, seed: int = 0,
    extra: Mapping[str, Any] | None = None, **settings: Any,
) -> LanguageJudge:
    """A judge behind a server; see :class:`ServerEngine`, and :class:`LanguageJudge` for further settings."""
    engine = ServerEngine(
        model, url=url, form=form, concurrency=concurrency, timeout=timeout, retries=retries, context=context,
        top_logprobs=top_logprobs, extra=extra,
    )
    return LanguageJudge(engine, seed=seed, **({"batch_size": 2 * concurrency} | settings))  # a stop loses little


def _identity(model: str, form: str, top_logprobs: int, extra: Mapping[str, Any]) -> str:
    """Model, form and whatever else can change an answer; neither address, path nor key."""
    plain = model.replace("\\", "/")
    name = plain.rpartition("/")[2] if plain.startswith(("/", "~", ".")) or plain[1:3] == ":/" else model
    line = "_".join(name.split()) + f" form:{form} top_logprobs:{top_logprobs}"
    if extra:
        written = json.dumps(extra, sort_keys=True, separators=(",", ":"))
        line += " extra:" + (written if len(written) <= 80 else hashlib.sha256(written.encode()).hexdigest()[:12])
    return line


def _checked_extra(extra: Mapping[str, Any] | None, link: ServerLink) -> dict[str, Any]:
    if extra is None:
        return {}
    if not isinstance(extra, Mapping) or not all(isinstance(k, str) for k in extra):
        raise InputError('extra must be an object, such as {"chat_template_kwargs": {"enable_thinking": false}}')
    taken = sorted(_OURS & set(extra))
    if taken:
        raise InputError(f"extra cannot set {', '.join(taken)}: reading the answer depends on it")
    try:
        written = json.dumps(dict(extra), allow_nan=False)
    except (TypeError, ValueError):
        raise InputError("extra must be written in JSON: numbers, texts, truth values, lists and objects") from None
    if link.holds_secret(written) or any(k.lower().replace("-", "_") in ("api_key", "authorization") for k in extra):
        raise InputError(f"extra stands in signatures and logs, so it cannot hold a key: that goes into {KEY}")
    return dict(extra)
