"""A real HTTP server in a thread that answers as a language model's server would, or fails in scripted ways."""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from posh_lite.judge.keys import digest


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    path: str
    body: dict[str, Any]
    headers: Message
    number: int  # from 0, among the requests for answers

    @property
    def prompt(self) -> str:
        return self.body["prompt"] if "prompt" in self.body else self.body["messages"][0]["content"]


@dataclass(frozen=True)
class Reply:
    """What goes back: an object as JSON, or bytes as they are."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    missing: int = 0  # bytes that are promised and never sent


DROP = Reply(status=0)  # close the connection without a word

Script = Callable[[Asked], Reply]


def chat(candidates: Mapping[str, float] | None, text: str = "", *, before: tuple[str, ...] = (), **more: Any) -> Reply:
    """A chat completion whose first answer token has these probabilities, after some tokens of white space."""
    text = text or (max(candidates, key=candidates.get) if candidates else "4")
    message = {"role": "assistant", "content": "".join(before) + text}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "length", "logprobs": None}
    if candidates is not None:
        blanks = [position(t, {t: 0.9, "4": 0.1}) for t in before]
        choice["logprobs"] = {"content": [*blanks, position(text, candidates)]}
    usage = {"prompt_tokens": 100, "completion_tokens": 1 + len(before), "prompt_tokens_details": {"cached_tokens": 60}}
    return Reply({"object": "chat.completion", "model": "m", "choices": [choice], "usage": usage, **more})


def position(token: str, candidates: Mapping[str, float]) -> dict[str, Any]:
    top = [{"token": t, "logprob": math.log(p), "bytes": list(t.encode())} for t, p in candidates.items()]
    return {"token": token, "logprob": math.log(candidates.get(token, 0.5)), "top_logprobs": top}


def completion(candidates: Mapping[str, float], *, before: tuple[str, ...] = ()) -> Reply:
    """The older form: parallel lists, the most probable tokens as a mapping."""
    text = max(candidates, key=candidates.get)
    tops = [*({t: -0.1, "4": -3.0} for t in before), {t: math.log(p) for t, p in candidates.items()}]
    tokens = [*before, text]
    logprobs = {"tokens": tokens, "token_logprobs": [-0.1] * len(tops), "top_logprobs": tops, "text_offset": []}
    choice = {"index": 0, "text": "".join(before) + text, "logprobs": logprobs, "finish_reason": "length"}
    return Reply({"object": "text_completion", "model": "m", "choices": [choice], "usage": {"prompt_tokens": 90}})


def belief(prompt: str) -> dict[str, float]:
    """Probabilities of the five digits, and some of other words, that depend on the prompt alone."""
    weights = [1 + n for n in digest(prompt)[:6]]
    return dict(zip(("1", "2", "3", "4", "5", "The"), (w / sum(weights) for w in weights), strict=True))


def mean(candidates: Mapping[str, float]) -> float:
    """The score of these probabilities, straight from the paper's definition."""
    total = sum(p for t, p in candidates.items() if t in "12345")
    return sum(int(t) * p for t, p in candidates.items() if t in "12345") / total


def honest(asked: Asked) -> Reply:
    """A server that works."""
    candidates = belief(asked.prompt)
    return chat(candidates) if asked.path.endswith("/chat/completions") else completion(candidates)


class FaultyServer:
    """Serves a script until the end of the ``with`` block, or until :meth:`die`.

    Attributes:
        asked: the requests for answers so far.
        looked: paths of all other requests.
        peak: the most requests that were under way at a time.
    """

    def __init__(self, script: Script = honest, *, port: int = 0, pages: Mapping[str, Any] | None = None) -> None:
        self.script, self.pages = script, dict(pages or {})
        self.asked: list[Asked] = []
        self.looked: list[str] = []
        self.peak = self._busy = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._dead = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                outer._handle(self, None)

            def do_POST(self) -> None:
                outer._handle(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def log_message(self, *_: object) -> None: ...

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 64

            def handle_error(self, *_: object) -> None: ...  # clients go away in these tests

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> FaultyServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.die()

    def die(self) -> None:
        """Stop listening and cut every connection."""
        with self._lock:
            if self._dead:
                return
            self._dead = True
            for connection in self._open:
                cut(connection)
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler, body: dict[str, Any] | None) -> None:
        connection = handler.connection
        with self._lock:
            self._open.add(connection)
            answers = handler.path.endswith("/completions")
            if answers:
                asked = Asked(handler.path, body or {}, handler.headers, len(self.asked))
                self.asked.append(asked)
                self._busy += 1
                self.peak = max(self.peak, self._busy)
            else:
                self.looked.append(handler.path)
        try:
            reply = self.script(asked) if answers else self._page(handler.path, body)
            if reply.delay:
                time.sleep(reply.delay)
        finally:
            with self._lock:
                self._busy -= answers
        if self._dead or reply.status == 0:
            cut(connection)
            handler.close_connection = True
            return
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        kind = {"Content-Type": "application/json", **reply.headers}
        for name, value in {**kind, "Content-Length": str(len(data) + reply.missing)}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)
        handler.wfile.flush()
        if reply.missing:
            cut(connection)
            handler.close_connection = True

    def _page(self, path: str, body: dict[str, Any] | None) -> Reply:
        page = self.pages.get(path)
        if page is None:
            return Reply({"detail": "Not Found"}, 404)
        return Reply(page(body) if callable(page) else page)


def cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
