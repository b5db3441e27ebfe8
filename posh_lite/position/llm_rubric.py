"""The extractor that asks a model: a reference as a JSON list of claims (appendix A.1), read with tolerance."""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posh_lite.baselines.asked_core import Asker
from posh_lite.baselines.chat_types import Ask, ChatReply, Sampling
from posh_lite.baselines.reply_json import said, values
from posh_lite.judge.check import check_whole
from posh_lite.position.llm_ask import Asking, make_asker, own_prompts
from posh_lite.position.match import locate
from posh_lite.position.rubric import MIN_WORDS
from posh_lite.position.types import WEIGHTS, Claim, ClaimKind, Rubric
from posh_lite.records import Span

#: Version of the rules that read a reply.
RULES = 3  # 3: claims that are grouped by kind are read, and those of the prompt's own example are not
_WANTED = {"ask.extract": frozenset({"reference"})}
_CLAIM = ("claim", "text", "fact", "statement", "item", "sentence")
_KIND = ("dimension", "kind", "type", "category")
_WORDS = ("words", "quote", "source", "span", "evidence")
#: What a claim may not begin with: nobody knows what is meant when it stands alone.
_PRONOUN = re.compile(
    r"(?:it|its|he|his|she|they|their|theirs|them|him|hers|her)\b|(?:this|that|these|those|one)\s+(?:is|are|was|were|"
    r"has|have|can|appears?|seems?|looks?)\b", re.IGNORECASE,
)
_KINDS: dict[str, ClaimKind] = {
    "entity": "Entity", "entities": "Entity", "object": "Entity", "visualdetail": "Visual_Detail",
    "visualdetails": "Visual_Detail", "detail": "Visual_Detail", "attribute": "Visual_Detail",
    "interaction": "Interaction", "interactions": "Interaction", "relation": "Interaction", "action": "Interaction",
    "scenecontext": "Scene_Context", "scene": "Scene_Context", "context": "Scene_Context",
}
_BY_WEIGHT: dict[float, ClaimKind] = {2.0: "Visual_Detail", 1.5: "Interaction"}


@dataclass(frozen=True, slots=True)
class Told:
    """A claim as a model wrote it: its sentence, kind, keyword and the words of the reference."""

    text: str
    kind: ClaimKind
    keyword: str
    words: str


class LlmExtractor(Asking):
    """Rubrics from a language model.

    Args:
        model: behind a server its name there, else ``gguf:FILE``, ``transformers:MODEL`` or ``vllm:MODEL``; not used
            where ``asker`` is given.
        asker: an engine that is there already.
        prompts: a file that replaces ``prompts/rubric.toml``.
        log: file that keeps replies, sealed with the texts.
        most_tokens: of a reply; dense references have a hundred claims.
        progress: show a bar.
        engine: options of the engine, such as ``url``.

    Attributes:
        n_unread: references without a claim that could be read, in all calls; their rubrics are empty.

    Raises:
        InputError, JudgeError: a setting or file is wrong, or the engine cannot be made.
    """

    def __init__(
        self, model: str = "", *, asker: Asker | None = None, prompts: str | Path | None = None,
        log: str | Path | None = None, most_tokens: int = 8192, progress: bool | None = None, **engine: Any,
    ) -> None:
        check_whole("most_tokens", most_tokens)
        made = asker or make_asker(model, "rubrics", log=log, progress=progress, **engine)
        super().__init__(made, own_prompts("rubric.toml", _WANTED, prompts), most_tokens, f"llm-rubric-{RULES}")
        self.n_unread = 0

    @property
    def signature(self) -> str:
        """Model, prompt and reading; a rubric depends on nothing else."""
        return self.signature_with()

    def extract(self, references: Sequence[str], /) -> list[Rubric]:
        """A rubric for each reference, in order.

        A reference whose reply holds no claim gets an empty rubric, is counted, and a warning names it.

        Raises:
            JudgeError: the model cannot be asked, or a reference does not fit its context (the message names it).
        """
        asks = [
            Ask(self.prompts.message("ask.extract", reference=text), pair_id=self.called(text)) for text in references
        ]
        replies = self.asker.ask(asks, Sampling(0.0, self.most_tokens), lambda r: bool(read_claims(r)[0]))
        name = self.signature
        example = ChatReply(text=self.prompts.message("ask.extract", reference=""))
        shown = frozenset(t.text for t in read_claims(example)[0])
        rubrics = [make_rubric(text, *read_claims(r), name, shown) for text, r in zip(references, replies, strict=True)]
        for text, rubric, reply in zip(references, rubrics, replies, strict=True):
            if reply.cut and rubric.claims:
                warnings.warn(f"{self.called(text)}: the list of claims was cut off after {len(rubric.claims)}: raise"
                              " most_tokens", stacklevel=2)
            if not rubric.claims:
                self.n_unread += 1
                why = reply.fault or ("the reply was cut off: raise most_tokens" if reply.cut else
                                      f"no claim in {reply.text[:60]!r}")
                warnings.warn(f"{self.called(text)}: no rubric: {why}", stacklevel=2)
        return rubrics


def make_rubric(
    reference: str, told: Iterable[Told], dropped: int, signature: str, shown: Container[str] = ()
) -> Rubric:
    """Claims numbered, each said once, with their places in the reference.

    Dropped and counted are claims of fewer than three words, those that begin with a pronoun, those whose words are
    the same as of another but for case, white space and the mark at the end, and those of the prompt's example, which
    small models repeat, unless their words are in the reference.

    Args:
        reference: the text.
        told: what could be read.
        dropped: items of the reply that could not.
        signature: of the extractor.
        shown: claims of the example in the prompt.
    """
    kept: dict[str, Told] = {}
    for one in told:
        key = " ".join(one.text.casefold().split()).rstrip(".!; ")
        echoed = one.text in shown and not _places(one, reference)
        if len(key.split()) < MIN_WORDS or _PRONOUN.match(key) or key in kept or echoed:
            dropped += 1
            continue
        kept[key] = one
    claims = tuple(
        Claim(number, " ".join(one.text.split()), one.kind, WEIGHTS[one.kind], one.keyword, _places(one, reference))
        for number, one in enumerate(kept.values())
    )
    return Rubric(reference, claims, signature, dropped)


def _places(told: Told, reference: str) -> tuple[Span, ...]:
    """Where a claim stands in the reference: by the words that were copied, else by its own."""
    for words in (told.words, told.text):
        found = locate(words, reference)
        if found.span is not None:
            return (found.span,)
    return ()


def read_claims(reply: ChatReply) -> tuple[list[Told], int]:
    """The claims of a reply in order, and how many items of it could not be read.

    The list may be the reply or lie under any key, or be an object a line; of several lists the longest counts, since
    models repeat the form that they were shown. Keys and kinds may be in another case or spelling.
    """
    best: list[Any] = []
    whole = list(values(said(reply.text), cut=reply.cut))
    lines = [value for value in whole if isinstance(_text(value), str)]
    for value in [*whole, lines]:
        for found in _lists(value):
            if sum(isinstance(_text(i), str) for i in found) >= max(1, sum(isinstance(_text(i), str) for i in best)):
                best = found
    told = [_told(item) for item in best]
    return [t for t in told if t is not None], sum(t is None for t in told) + bool(reply.cut and best)


def _lists(value: Any) -> Iterator[list[Any]]:
    """All lists of objects in a value, and objects that are numbered by their keys; a lone claim is a list of one.

    Claims that stand in groups, under the name of their kind, are one list.
    """
    grouped = _grouped(value)
    if grouped:
        yield grouped
        return
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            yield value
        for item in value:
            yield from _lists(item) if isinstance(item, list) else ()
    elif isinstance(value, dict):
        inner = list(value.values())
        if isinstance(_text(value), str):
            yield [value]
        elif inner and all(isinstance(v, dict) for v in inner):
            yield inner
        for item in inner:
            yield from _lists(item)


def _grouped(value: Any) -> list[Any]:
    """The claims of ``{"Entity": [...], ...}`` and of ``[{"dimension": "Entity", "claims": [...]}, ...]``."""
    groups: list[tuple[str, Any]] = []
    for part in value if isinstance(value, list) else [value]:
        if not isinstance(part, dict):
            return []
        named = _field(part, _KIND)
        if isinstance(named, str) and not isinstance(_text(part), str):
            groups += [(named, inner) for inner in part.values() if isinstance(inner, list)]
        elif isinstance(value, dict) and not isinstance(_text(part), str):
            groups += [(name, inner) for name, inner in part.items()
                       if isinstance(inner, list) and _kind(name, None) is not None]
    found: list[Any] = []
    for name, inner in groups:
        for item in inner:
            if isinstance(item, str):
                found.append({"claim": item, "dimension": name})
            elif isinstance(item, dict):
                found.append(item if _field(item, _KIND) is not None else {**item, "dimension": name})
    return found


def _field(item: dict[str, Any], names: Sequence[str]) -> Any:
    given = {re.sub(r"[\W_]+", "", str(k)).lower(): v for k, v in item.items()}
    return next((given[name] for name in names if name in given), None)


def _text(item: Any) -> Any:
    return _field(item, _CLAIM) if isinstance(item, dict) else None


def _told(item: Any) -> Told | None:
    text = _text(item)
    if not isinstance(text, str) or not text.strip():
        return None
    kind = _kind(_field(item, _KIND), _field(item, ("weight",)))
    if kind is None:
        return None
    keyword, words = _field(item, ("keyword", "anchor")), _field(item, _WORDS)
    written = re.findall(r"[^\W\d_][\w'-]*", text)
    own = keyword.strip() if isinstance(keyword, str) else ""
    return Told(text, kind, own or (written[-1] if written else ""), words if isinstance(words, str) else "")


def _kind(named: Any, weight: Any) -> ClaimKind | None:
    """The kind of a claim; where it is named otherwise, a weight that only one kind has tells it."""
    if isinstance(named, str):
        found = _KINDS.get(re.sub(r"[\W_]+", "", named).lower())
        if found is not None:
            return found
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    return _BY_WEIGHT.get(float(weight)) if number else None
