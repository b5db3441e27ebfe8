"""Requests to a server: a pool of connections in a thread of its own; bounded, timed, and repeated where that helps.

The thread has its own event loop, so that a judge works the same in a script and in a notebook, whose loop is running
already. The key comes from the environment variable ``OPENAI_API_KEY`` alone, goes into the header of requests, and is
struck out of every message.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import json
import os
import random
import re
import ssl
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from posh_lite.errors import InputError, JudgeError
from posh_lite.judge.llm.server_reply import Unreadable, error_text, parse, shorten

T = TypeVar("T")
KEY = "OPENAI_API_KEY"
URL = "OPENAI_BASE_URL"
_HOSTED = "https://api.openai.com/v1"
_LOCAL = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
#: Status codes below 500 after which asking again can help.
_AGAIN = {408, 409, 425, 429}
_CONNECT = 5.0  # seconds for a connection, before anything is asked over it
_LONGEST_PAUSE = 30.0  # seconds between two attempts, unless the server says how long
_LONGEST_WAIT = 300.0  # seconds; a server that asks for more has run out of quota
#: What servers say of a prompt that is too long.
TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum (?:context|model|sequence|input|number of)|max_model_len|n_ctx"
    r"|prompt is too long|too many tokens|exceeds? the (?:available|maximum)", re.IGNORECASE,
)


class Refused(Exception):
    """The server will not answer this request, however often it is asked.

    Args:
        status: of the reply.
        text: the server's own words.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Gone(Exception):
    """No answer after all attempts.

    Args:
        text: what came of the last.
        reached: whether the server replied at all.
        absent: whether there was not even a connection, at no time.
    """

    def __init__(self, text: str, *, reached: bool, absent: bool = False) -> None:
        super().__init__(text)
        self.text, self.reached, self.absent = text, reached, absent


class _Trouble(Exception):
    """One attempt failed; another may not."""

    def __init__(
        self, text: str, *, wait: float | None = None, reached: bool = True, unreadable: bool = False,
        absent: bool = False,
    ) -> None:
        super().__init__(text)
        self.text, self.wait, self.reached, self.unreadable, self.absent = text, wait, reached, unreadable, absent


class ServerLink:
    """The way to a server. Can be pickled, without its key, and used after a fork.

    Args:
        url: address of the API, usually ending in ``/v1``; None takes ``OPENAI_BASE_URL``.
        concurrency: most requests under way at a time.
        timeout: seconds for one attempt.
        retries: further attempts after a failed one.
        backoff: seconds before the first of them; doubled each time, with jitter.

    Raises:
        InputError: a setting is out of range, or no address is known.
        JudgeError: what stands in ``OPENAI_API_KEY`` cannot be a key.
    """

    def __init__(self, url: str | None, *, concurrency: int, timeout: float, retries: int, backoff: float) -> None:
        self.url = _address(url)
        self.concurrency, self.timeout, self.retries, self.backoff = concurrency, timeout, retries, backoff
        parts = urlsplit(self.url)
        #: For messages: without user, password and query.
        self.address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        secrets = [s for s in (_key(), parts.password) if s and len(s) > 3]
        self._secrets = [*secrets, *(json.dumps(s)[1:-1] for s in secrets)]
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: Any = None
        self._pid = 0
        self._not_before = 0.0
        self._met = False  # whether any reply ever came: a server that restarts is waited for, a wrong address is not

    def __getstate__(self) -> dict[str, Any]:
        names = ("url", "concurrency", "timeout", "retries", "backoff")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<ServerLink {self.address}>"

    def holds_secret(self, text: str) -> bool:
        """Whether key or password stand in a text."""
        return self.redact(text) != text

    @property
    def has_key(self) -> bool:
        """Whether the environment holds a key."""
        return bool(_key())

    def redact(self, text: str) -> str:
        """A message without key and password."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    # -- the thread -----------------------------------------------------------------------------------------

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do asynchronous work in the thread of the pool, and wait for it."""
        future = asyncio.run_coroutine_threadsafe(work(), self._ready())
        try:
            return future.result()
        except BaseException:  # Ctrl-C, too, must end what is under way
            future.cancel()
            raise

    def _ready(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is not None and self._pid == os.getpid():
                return self._loop
            import openai

            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_serve, args=(loop,), name="posh-lite server judge", daemon=True)
            thread.start()
            parts = urlsplit(self.url)
            local = parts.hostname in _LOCAL  # a proxy for the world would not know this machine
            # Certificates take a while to load; without them a plain server cannot pass us on to an encrypted one.
            verify: Any = True if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            patience = openai.Timeout(self.timeout, connect=min(_CONNECT, self.timeout))
            self._client = openai.AsyncOpenAI(
                base_url=self.url, api_key=_key() or "none", max_retries=0, timeout=patience,
                http_client=openai.DefaultAsyncHttpxClient(trust_env=not local, timeout=patience, verify=verify),
            )
            self._slots = asyncio.Semaphore(self.concurrency)
            self._loop, self._pid, self._not_before = loop, os.getpid(), 0.0
            self._finalizer = weakref.finalize(self, _stop, loop, thread, self._client, self._pid)
            return loop

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        if self._loop is not None and self._pid == os.getpid():
            self._finalizer()
        self._forget()

    # -- requests -------------------------------------------------------------------------------------------

    async def ask(
        self, kind: str, body: Mapping[str, Any], read: Callable[[dict[str, Any]], T], *, retries: int | None = None
    ) -> T:
        """One request, repeated until its reply can be read.

        Args:
            kind: "chat", "completions" or "models".
            body: of the request.
            read: makes the answer of the reply; raises :class:`Unreadable` where it cannot.
            retries: other than the link's.

        Raises:
            Refused: another attempt would not help.
            Gone: no reply, or the server's own failure, at every attempt.
            Unreadable: a reply that cannot be read at the last attempt.
        """
        retries = self.retries if retries is None else retries
        async with self._slots:
            for attempt in range(retries + 1):
                await self._pause()
                try:
                    return read(await self._send(kind, body))
                except Unreadable as error:
                    trouble = _Trouble(str(error), unreadable=True)
                except _Trouble as error:
                    trouble = error
                if trouble.wait is not None:
                    if trouble.wait > _LONGEST_WAIT:
                        raise Gone(f"{trouble.text}; it asks to wait {trouble.wait:,.0f} s", reached=True) from None
                    self._not_before = max(self._not_before, time.monotonic() + trouble.wait)
                elif attempt and trouble.absent and not self._met:
                    retries = attempt
                    break
                elif attempt < retries:
                    longest = min(self.backoff * 2**attempt, _LONGEST_PAUSE)
                    await asyncio.sleep(longest * random.uniform(0.5, 1.0))
        text = trouble.text + (f" ({retries + 1} attempts)" if retries else "")
        if trouble.unreadable:
            raise Unreadable(text) from None
        raise Gone(text, reached=trouble.reached, absent=trouble.absent and not self._met) from None

    async def look(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What the server says at a path outside the API, once; None where there is nothing to read."""
        import openai

        root = self.url.rstrip("/").removesuffix("/v1")
        try:
            async with self._slots, asyncio.timeout(self.timeout):
                if body is None:
                    return await self._client.get(root + path, cast_to=object)
                return await self._client.post(root + path, cast_to=object, body=dict(body))
        except (openai.OpenAIError, ValueError, TimeoutError):
            return None

    async def _pause(self) -> None:
        """Wait where the server asked all of us to."""
        while (wait := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(wait + random.uniform(0, min(wait, 1.0) / 10))

    async def _send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        import openai

        try:
            async with asyncio.timeout(self.timeout):
                raw = await self._create(kind, dict(body))
                data = self._text(raw.http_response)
                self._met = True
        except openai.APIStatusError as error:
            self._met = True
            raise self._status(error.status_code, error.response) from None
        except (openai.APITimeoutError, TimeoutError) as error:
            if type(error.__cause__).__name__ == "ConnectTimeout":  # httpx: the host does not even say no
                wait = min(_CONNECT, self.timeout)
                raise _Trouble(f"no connection within {wait:g} s", reached=False, absent=True) from None
            raise _Trouble(f"no answer within {self.timeout:g} s", reached=False) from None
        except openai.APIConnectionError as error:
            cause = error.__cause__
            said = f"{type(cause).__name__}: {cause}".rstrip(": ") if cause else "connection failed"
            absent = type(cause).__name__ == "ConnectError"  # httpx: nobody listens, or no such host
            raise _Trouble(shorten(self.redact(said)), reached=False, absent=absent) from None
        return parse(data)

    async def _create(self, kind: str, body: dict[str, Any]) -> Any:
        if kind == "models":
            return await self._client.models.with_raw_response.list()
        model = body.pop("model")
        if kind == "chat":
            messages = body.pop("messages")
            create = self._client.chat.completions.with_raw_response.create
            return await create(model=model, messages=messages, extra_body=body)
        prompt = body.pop("prompt")
        return await self._client.completions.with_raw_response.create(model=model, prompt=prompt, extra_body=body)

    def _text(self, response: Any) -> str:
        """The text of a reply; secrets are struck out before any of it can reach a message."""
        return self.redact(response.content.decode("utf-8", "replace"))

    def _status(self, status: int, response: Any) -> Exception:
        """What to make of a reply of 400 or more."""
        body: Any = self._text(response) or "no reason given"
        with contextlib.suppress(ValueError, RecursionError):
            body = json.loads(body)
        text = error_text(body)
        if TOO_LONG.search(text) and status != 429:
            return Refused(400, text)
        if (status < 500 and status not in _AGAIN) or "insufficient_quota" in json.dumps(body, default=str):
            return Refused(status, text)
        return _Trouble(f"{status}: {text}", wait=_retry_after(response.headers))


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """Results in order; where one fails, the others are ended before its error goes on."""
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _key() -> str:
    """The key, or nothing.

    Raises:
        JudgeError: it has characters that no header can carry.
    """
    found = os.environ.get(KEY, "").strip()
    if not found.isascii() or not found.isprintable() or " " in found:
        raise JudgeError(f"what {KEY} holds is no key: it has blanks or special characters")
    return found


def _address(url: str | None) -> str:
    given = (url or os.environ.get(URL, "")).strip()
    if not given:
        if not _key():
            raise InputError(f"no server: set {URL} or give url= (and {KEY} where the server wants a key)")
        given = _HOSTED
    try:
        parts = urlsplit(given)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"the address of a server looks like http://HOST:PORT/v1, {'url=' if url else URL} does not")
    return given if parts.path.strip("/") else given.rstrip("/") + "/v1"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: given as such, or as a date."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
            except (TypeError, ValueError):
                continue
        if seconds == seconds:
            return max(0.0, seconds)
    return None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, client: Any, pid: int) -> None:
    """End the thread of a pool; in a forked child there is none."""
    if pid != os.getpid() or threading.current_thread() is thread or not thread.is_alive():
        return

    async def end() -> None:
        await client.close()
        loop.stop()

    asyncio.run_coroutine_threadsafe(end(), loop)
    thread.join(2.0)
