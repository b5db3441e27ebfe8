"""What a server of language models says to metrics that ask for whole replies, and a small picture to send it."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

from faulty_server import Asked, Reply

from posh_lite.records import Pair


def says(text: str, *, finish: str = "stop", served: str = "m-1", positions: list[Any] | None = None) -> Reply:
    """A chat completion with this text."""
    choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    choice["logprobs"] = None if positions is None else {"content": positions}
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    return Reply({"object": "chat.completion", "model": served, "choices": [choice], "usage": usage})


def marks(precision: Any = 4, recall: Any = 3, overall: Any = 2) -> Reply:
    """A reply with the three marks."""
    return says(json.dumps({"precision": precision, "recall": recall, "overall_quality": overall}))


def text_of(asked: Asked) -> str:
    """The text of a request, with or without a picture."""
    content = asked.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def picture_of(asked: Asked) -> bytes | None:
    """The bytes of the picture in a request."""
    content = asked.body["messages"][0]["content"]
    urls = [p["image_url"]["url"] for p in content if p["type"] == "image_url"] if isinstance(content, list) else []
    return base64.b64decode(urls[0].partition(",")[2]) if urls else None


def png(color: tuple[int, int, int] = (200, 30, 40), size: int = 4) -> bytes:
    """A picture in one colour."""
    rows = (b"\0" + bytes(color) * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def pairs_with_images(folder: Path, n: int) -> list[Pair]:
    """Pairs, each with a picture of its own in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(n):
        (folder / f"{i}.png").write_bytes(png((i, 0, 0)))
    return [
        Pair(f"p{i}", f"A red cat number {i} sits.", f"A black cat number {i} sits on a mat.", image=f"{i}.png")
        for i in range(n)
    ]
