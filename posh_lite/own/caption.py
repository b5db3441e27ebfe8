"""Captions of images by a vision model, one line a caption, so that a run that was stopped asks only for the rest.

Nucleus sampling as the PoSh paper has it for its open models (appendix "Generations": p 0.9, temperature 0.7). The
paper states no limit of tokens and no seed; those here are ours.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from posh_lite.baselines.asked_prompts import load_asked
from posh_lite.baselines.chat_types import Ask, ChatEngine, ChatReply, Sampling
from posh_lite.errors import InputError, JudgeDown, JudgeError, PoshLiteError
from posh_lite.own.images import Shot, Shots, picture_of
from posh_lite.records import read_jsonl

TEMPERATURE, TOP_P = 0.7, 0.9
MOST_TOKENS, LONGEST, SEED = 1024, 1536, 0
#: Our prompt.
PROMPT = Path(__file__).with_name("prompts") / "caption.toml"
_TEMPLATE = "caption.describe"
#: What is said before the caption by models that reason aloud.
_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can change a caption.

    Attributes:
        model: identity of the model and how it is run; no address and no key.
        prompt: SHA-256 of the file of the prompt, twelve digits.
        temperature: 0 takes the most probable token each time.
        top_p: share of the probability that tokens are drawn from.
        most_tokens: of a caption; one that is longer is cut off.
        seed: of each request.
        longest: most pixels of the longer side of an image; 0 sends it as it is.
    """

    model: str
    prompt: str
    temperature: float = TEMPERATURE
    top_p: float = TOP_P
    most_tokens: int = MOST_TOKENS
    seed: int = SEED
    longest: int = LONGEST

    @property
    def digest(self) -> str:
        """A hash of all of them."""
        from posh_lite.judge.keys import digest

        return digest(json.dumps(asdict(self), sort_keys=True)).hex()[:12]


def read_prompt(path: str | Path | None = None) -> tuple[str, str]:
    """The message that is sent with every image, and the hash of its file.

    Raises:
        InputError: no such file, not TOML, or without the template.
    """
    found = load_asked("caption.toml", {_TEMPLATE: frozenset()}, PROMPT if path is None else path, scaled=False)
    return found.templates[_TEMPLATE].strip(), found.digest[:12]


class CaptionFile:
    """The file that captions go to, a line as soon as one comes.

    Args:
        path: of the file; made with the first caption.
        settings: of this run.

    Raises:
        InputError: it holds captions of other settings, or something else.
    """

    def __init__(self, path: str | Path, settings: Settings) -> None:
        self.path, self.settings = Path(path), settings
        self.done: dict[str, dict[str, Any]] = {}
        self._handle: IO[str] | None = None
        self._lock = threading.Lock()
        if self.path.exists():
            self._read()

    @property
    def about(self) -> Path:
        """The file beside it that spells the settings out."""
        return self.path.with_name(f"{self.path.name}.settings.json")

    def _read(self) -> None:
        broken: list[InputError] = []
        for line, row in read_jsonl(self.path, on_error=broken.append):
            if broken:
                raise broken[0]
            if not isinstance(row, dict) or not isinstance(row.get("id"), str) or "settings" not in row:
                raise InputError("was not written by `posh-lite caption`; choose another file", path=self.path,
                                 line=line)
            if row["settings"] != self.settings.digest:
                raise InputError(f"holds captions made with other settings ({self._changed()}); go on with those, or"
                                 " write to another file", path=self.path, line=line)
            self.done[row["id"]] = row
        if len(broken) > 1:
            raise broken[0]
        raw = self.path.read_bytes()
        if broken or (raw and not raw.endswith(b"\n")):  # what a stop left half written
            whole = raw[: raw.rstrip(b"\n").rfind(b"\n") + 1] if broken else raw + b"\n"
            self.path.write_bytes(whole)

    def _changed(self) -> str:
        """Which settings are not those of the file, where it says them."""
        try:
            old = json.loads(self.about.read_text("utf-8"))
        except (OSError, ValueError):
            old = {}
        new = asdict(self.settings)
        told = [f"{k} {old[k]}, now {new[k]}" for k in new if k in old and old[k] != new[k]]
        return "; ".join(told) or "which ones it does not say"

    def put(self, row: Mapping[str, Any]) -> None:
        """Add a caption; it is on disk when this returns. May be called by several threads."""
        with self._lock:
            if self._handle is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.about.write_text(json.dumps(asdict(self.settings), indent=1) + "\n", "utf-8")
                self._handle = self.path.open("a", encoding="utf-8", newline="\n")
            self._handle.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._handle.flush()
            self.done[str(row["id"])] = dict(row)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._handle is not None:
                self._handle.close()
                self._handle = None

    def settle(self, order: Sequence[str]) -> None:
        """Put the lines into the order of the images; those of images that are not among them come last."""
        self.close()
        if list(self.done) == [i for i in order if i in self.done]:
            return
        rows = [self.done[i] for i in order if i in self.done]
        wanted = set(order)
        rows += [row for i, row in self.done.items() if i not in wanted]
        part = self.path.with_name(f"{self.path.name}.part")
        with part.open("w", encoding="utf-8", newline="\n") as handle:
            for row in rows:
                handle.write(json.dumps(row, ensure_ascii=False) + "\n")
        part.replace(self.path)


@dataclass(slots=True)
class Outcome:
    """What a run did.

    Attributes:
        new: captions that came now.
        there: captions that were there before.
        cut: new ones that were cut off at the limit of tokens.
        failed: id of each image that got none -> why.
    """

    new: int = 0
    there: int = 0
    cut: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def caption_shots(
    shots: Shots, engine: ChatEngine, message: str, settings: Settings, out: CaptionFile, *, model: str,
    progress: bool | None = None, tell: Callable[[str], None] | None = None,
) -> Outcome:
    """Ask for the captions that a file does not hold yet.

    An image that cannot be read or that the server refuses gets no line, and is told; the others go on.

    Args:
        shots: the images.
        engine: that sees.
        message: the prompt.
        settings: of the run; those of the engine are its own affair.
        out: where captions go.
        model: name that goes into each record.
        progress: show a bar; None shows it in a terminal.
        tell: told of each image that got no caption, in one line that names it.

    Raises:
        JudgeDown: the server is gone, refuses the key or the model, or the model sees nothing.
        JudgeError: the very first image was refused for a reason that others would share.
        InputError: an image that has a caption is not the one that was captioned.
    """
    from tqdm import tqdm

    sampling = Sampling(settings.temperature, settings.most_tokens)
    outcome = Outcome()
    hidden = None if progress is None else not progress
    left: list[Shot] = []
    for shot in shots.rows:
        if shot.id in out.done:
            _same(shot, shots.folder, out)
            outcome.there += 1
        else:
            left.append(shot)
    with tqdm(total=len(shots.rows), initial=outcome.there, desc="captions", unit="image", disable=hidden) as bar:

        def fail(shot: Shot, why: str) -> None:
            outcome.failed[shot.id] = why
            bar.update(1)
            if tell is not None:
                tell(why if shot.id in why else f'image "{shot.id}": {why}')

        try:
            for at in range(0, len(left), engine.batch):
                batch = []
                for shot in left[at : at + engine.batch]:
                    try:
                        picture = picture_of(shot, shots.folder, settings.longest)
                        batch.append((shot, Ask(message, pair_id=shot.id, picture=picture)))
                    except InputError as error:
                        fail(shot, str(error))
                _ask(batch, engine, sampling, settings, out, model, outcome, bar, fail)
        finally:
            out.close()
    return outcome


def _ask(
    batch: Sequence[tuple[Shot, Ask]], engine: ChatEngine, sampling: Sampling, settings: Settings, out: CaptionFile,
    model: str, outcome: Outcome, bar: Any, fail: Callable[[Shot, str], None],
) -> None:
    """One batch; where the engine gives up on a whole batch for one image, the others are asked by themselves."""
    kept: set[str] = set()
    lock = threading.Lock()

    def keep(number: int, reply: ChatReply) -> None:
        shot, ask = batch[number]
        text = spoken(reply.text)
        if not text:
            return
        with lock:
            if shot.id in kept:
                return
            kept.add(shot.id)
            out.put(_record(shot, ask, text, reply, model, settings))
            outcome.new += 1
            outcome.cut += reply.cut
            bar.update(1)

    replies: list[ChatReply | None]
    try:
        replies = list(engine.reply([ask for _, ask in batch], sampling, keep)) if batch else []
    except JudgeDown:
        raise
    except (JudgeError, InputError) as error:  # an image may open and yet not be decoded when it is sent
        if isinstance(error, JudgeError) and not outcome.new and not outcome.there:
            raise JudgeError(_named(str(error))) from None  # nothing ever came: the others would fare alike
        if len(batch) == 1:
            fail(batch[0][0], _named(str(error)))
            return
        for row in batch:
            if row[0].id not in kept:
                _ask([row], engine, sampling, settings, out, model, outcome, bar, fail)
        return
    for (shot, _), reply in zip(batch, replies, strict=True):
        if shot.id not in kept:
            assert reply is not None
            fail(shot, _named(reply.fault) or why_empty(reply))


def spoken(text: str) -> str:
    """The caption in a reply: without what a model thought aloud before it."""
    text = _THOUGHT.sub("", text, count=1) if _OPEN_THOUGHT.match(text) else text
    return "" if _OPEN_THOUGHT.match(text) else text.strip()


def why_empty(reply: ChatReply) -> str:
    """Why a reply holds no caption."""
    if _OPEN_THOUGHT.match(reply.text):
        return "the model was still thinking when its tokens ran out; raise --max-tokens, or switch thinking off"
    return "the reply is empty"


def _named(error: str) -> str:
    """A message of the engine, which calls what it was asked about a pair."""
    return error.replace('pair "', 'image "')


def _record(shot: Shot, ask: Ask, text: str, reply: ChatReply, model: str, settings: Settings) -> dict[str, Any]:
    assert ask.picture is not None
    row: dict[str, Any] = {"id": shot.id, "image": shot.image, "generation": text, "model": model, **shot.kept}
    row |= {"settings": settings.digest, "pixels": ask.picture.digest[:16]}
    return row | ({"cut": True} if reply.cut else {})


def _same(shot: Shot, folder: Path, out: CaptionFile) -> None:
    """Find out whether a caption that is there is of this image; a file that is gone says nothing.

    Raises:
        InputError: the file changed.
    """
    try:
        now = picture_of(shot, folder, 0).digest[:16]
    except PoshLiteError:
        return
    if out.done[shot.id].get("pixels") not in (None, now):
        raise InputError(f'the image "{shot.id}" is another than the one that was captioned; take its line out, or'
                         " write to another file", path=out.path)
