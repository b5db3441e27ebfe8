"""What each way of asking costs in prompts and tokens, counted without running a model.

``python -m posh_lite.evaluation.token_count`` counts, for the captions of IIW-400 or pairs of one's own, the prompts of
the three passes (PoSh paper, section "Granular Scoring" and appendix "Granular QA Templating") as they follow from a
judge's answers, for these ways of asking:

- ``released``: every identifier of every entity in the first two passes, a rewriting prompt for each identifier by
  attribute or relation, the texts first and the answering guide behind each question, as in the paper's prompts. The
  words are this package's, so that only the shape differs.
- ``all``: this package's prompts (the guide before the texts, the question last), every identifier.
- ``all, once each``: the same, each distinct prompt once.
- ``lazy``: identifiers of an entity one by one until one gets a rounded 5; the scores are those of ``all``.
- ``cascade``: ``lazy``, of which a share is put to the language model; it is given, not measured.

Tokens are counted in all, and as an engine computes them that keeps every beginning it has seen of a pair: the nodes
of the tree of its prompts. ``in order`` keeps only the prompt before.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError, MissingDependency, PoshLiteError, ReplayMiss
from posh_lite.judge.keys import digest
from posh_lite.judge.prompts import Prompts
from posh_lite.judge.registry import install_command
from posh_lite.metric.asking import Talk, ask_all
from posh_lite.metric.passes import Draft, Interview, rounded
from posh_lite.metric.stopwatch import Stopwatch

if TYPE_CHECKING:
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.contract import Side
    from posh_lite.metric.posh import PoSh
    from posh_lite.records import Pair

Tokenizer = Callable[[str], Sequence[Hashable]]
#: Tokens that a chat template puts before and after a prompt; without a model, as many as ChatML's.
Chat = tuple[Sequence[Hashable], Sequence[Hashable]]
CHATML: Chat = (("<before>",) * 3, ("<after>",) * 5)
WAYS = ("released", "all", "all, once each", "lazy", "cascade")
_PIECE = re.compile(r"\s*[\r\n]+|\s?[^\W\d_]{1,7}|[^\W\d_]{1,5}|\d|\s?[^\w\s]+|_|\s+")


def approximate_tokens(text: str) -> list[str]:
    """Tokens without a tokenizer: words in parts of at most seven letters, single digits, punctuation, line ends.

    On the prompts of the IIW pairs the count is within a few per cent of that of a 150,000-token byte-pair vocabulary.
    """
    return _PIECE.findall(text)


@dataclass(frozen=True, slots=True)
class Cost:
    """Mean over pairs.

    Attributes:
        prompts: put to the model.
        tokens: of these prompts.
        computed: tokens left where every beginning that two prompts of a pair share is computed once.
        in_order: tokens left where only the beginning shared with the prompt before is reused.
    """

    prompts: float
    tokens: float
    computed: float
    in_order: float


@dataclass(frozen=True, slots=True)
class _Sent:
    """A prompt in two parts: what all prompts of its kind about these texts begin with, and the rest."""

    head: str
    tail: str


def count_ways(
    posh: PoSh, pairs: Sequence[Pair], *, tokenize: Tokenizer = approximate_tokens, chat: Chat = CHATML,
    share: float = 0.3,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Cost]:
    """Prompts and tokens per pair of every way of asking.

    Args:
        posh: brings judge (whose answers decide which parts and claims are asked), prompts and threshold.
        pairs: at least one.
        tokenize: text to tokens.
        chat: tokens of the chat template.
        share: of the questions that a cascade hands on, from 0 to 1.
        progress: told after each pair how many are done.

    Raises:
        InputError: no pairs, or a share out of range.
        ReplayMiss: the log of a replayed judge lacks an answer.
    """
    if not pairs:
        raise InputError("no pairs to count for")
    if not 0 <= share <= 1:
        raise InputError(f"share must lie between 0 and 1, got {share!r}")
    heads: dict[str, list[Hashable]] = {}
    sums = {way: [0, 0, 0, 0] for way in WAYS}
    for number, pair in enumerate(pairs, start=1):
        for way, sent in _sent(posh, pair, share).items():
            for at, value in enumerate(_measure(sent, tokenize, chat, heads)):
                sums[way][at] += value
        heads.clear()
        if progress is not None:
            progress(number)
    return {way: Cost(*(value / len(pairs) for value in values)) for way, values in sums.items()}


# -- which prompts ------------------------------------------------------------------------------------------


def _sent(posh: PoSh, pair: Pair, share: float) -> dict[str, list[_Sent]]:
    graphs = posh.graphs([pair.generation, pair.reference])
    generation, reference = graphs[pair.generation], graphs[pair.reference]
    judge: Any = posh.judge
    if hasattr(judge, "prime"):
        judge.prime([generation, reference])
    found: dict[str, list[_Sent]] = {way: [] for way in WAYS}
    talks: list[tuple[Talk, _Tapped]] = []
    sides: tuple[tuple[Side, SceneGraph, SceneGraph], ...] = (
        ("generation", generation, reference), ("reference", reference, generation)
    )
    for side, graph, target in sides:
        top = rounded(getattr(judge, "ceiling", 5.0))
        interview = _Tapped(graph, side, posh.prompts, posh.threshold, lazy=True, top=top)
        talks.append((Talk(pair.id, side, graph, target.text, interview), interview))
    ask_all([talk for talk, _ in talks], posh.judge, posh.prompts, Stopwatch())
    rewrites = []
    for talk, interview in talks:
        head, tail = posh.prompts.around(talk.side, target=talk.target, source=talk.graph.text)
        ours = [_Sent(head, d.text + tail) for d in interview.every()]
        found["all"] += ours
        found["all, once each"] += dict.fromkeys(ours)
        found["lazy"] += dict.fromkeys(_Sent(head, d.text + tail) for d in interview.drafts)
        head, tail = released_frame(posh.prompts, talk)
        for draft in interview.released():
            found["released"].append(_Sent(head, draft.text + tail))
            kind = draft.identifier.kind
            if draft.kind == "entity" and (kind == "attribute" or kind == "relation"):
                rewrites.append(_Sent("", posh.prompts.rewrite(kind, draft.identifier.text)))
    found["released"] = rewrites + found["released"]
    found["cascade"] = [s for s in found["lazy"] if _drawn(s.head + s.tail) < share]
    return found


class _Tapped(Interview):
    """An interview that remembers what it asked."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.drafts: list[Draft] = []

    def run(self) -> Any:
        """Hand questions and verdicts through."""
        inner, verdicts = super().run(), None
        while True:
            try:
                drafts = next(inner) if verdicts is None else inner.send(verdicts)
            except StopIteration as stop:
                return stop.value
            self.drafts += drafts
            verdicts = yield drafts

    def every(self) -> list[Draft]:
        """What is asked where no identifier is left out."""
        asked = [e for level in self._levels() for e in level]
        entities = [self._entity_draft(i) for e in asked for i in self._candidates(e)]
        return entities + self._claims()

    def released(self) -> list[Draft]:
        """What the paper's pseudocode asks: the head if unique, every distinguishing attribute, else every relation."""
        drafts = []
        for entity in (e for level in self._levels() for e in level):
            own = self._candidates(entity)
            parts = [i for i in own if i.kind == "part"]
            drafts += [self._entity_draft(i) for i in (*parts, *(self.namer.every(entity) if own != parts else ()))]
        return drafts + self._claims()

    def _claims(self) -> list[Draft]:
        first = {id(d) for found in self._found.values() for d in found.drafts}
        return [d for d in self.drafts if id(d) not in first]


def released_frame(prompts: Prompts, talk: Talk) -> tuple[str, str]:
    """What stands around a question in the shape of the paper's prompts: texts, question, then how to answer."""
    guide = prompts.templates["guide", "yes_no" if prompts.scale == "yes-no" else "five"]
    second = f"TEXT B:\n{talk.graph.text}\n\n" if talk.side == "generation" else ""
    return f"TEXT A:\n{talk.target}\n\n{second}", f"\n{guide}"


def _drawn(text: str) -> float:
    """A number from 0 to 1 that depends on the text alone."""
    return int.from_bytes(digest("cascade", text)[:6], "big") / 2**48


# -- how long they are --------------------------------------------------------------------------------------


def _measure(
    sent: Iterable[_Sent], tokenize: Tokenizer, chat: Chat, heads: dict[str, list[Hashable]]
) -> tuple[int, int, int, int]:
    """Prompts, tokens, nodes of their tree, tokens beyond the prompt before."""
    prompts: list[list[Hashable]] = []
    for one in sent:
        # Cut at a line's end, where tokenizers cut too, so that the texts are tokenized once.
        at = one.head.rfind("\n") + 1
        head = one.head[:at]
        if head not in heads:
            heads[head] = [*chat[0], *(tokenize(head) if head else ())]
        prompts.append([*heads[head], *tokenize(one.head[at:] + one.tail), *chat[1]])
    total = sum(map(len, prompts))
    in_order = total - sum(_common(a, b) for a, b in pairwise(prompts))
    return len(prompts), total, tree_size(prompts), in_order


def tree_size(prompts: Sequence[Sequence[Hashable]]) -> int:
    """Nodes of the tree of token sequences: tokens to compute where every shared beginning is computed once."""
    numbers: dict[Hashable, int] = {}
    ordered = sorted([numbers.setdefault(t, len(numbers)) for t in p] for p in prompts)
    total = sum(map(len, ordered))
    return total - sum(_common(a, b) for a, b in pairwise(ordered))


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    size = min(len(a), len(b))
    if a[:size] == b[:size]:
        return size
    low, high = 0, size  # the beginnings of length low are the same, those of length high are not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle)
    return low


def gguf_tokenizer(path: str | Path) -> tuple[Tokenizer, Chat]:
    """The tokenizer and chat template of a GGUF file, whose weights are not loaded.

    Raises:
        InputError: no such file.
        MissingDependency: llama-cpp-python is not installed.
    """
    if not Path(path).is_file():
        raise InputError("no such model file", path=Path(path))
    try:
        from llama_cpp import Llama
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter
    except ImportError:
        raise MissingDependency(f"a GGUF tokenizer needs llama_cpp: {install_command('gguf')}") from None
    model = Llama(str(path), vocab_only=True, verbose=False)

    def tokenize(text: str) -> list[int]:
        return list(model.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=False))

    before, after = "", ""
    template = model.metadata.get("tokenizer.chat_template")
    if template:
        messages: Any = [{"role": "user", "content": "\u27ea\u27eb"}]
        text = Jinja2ChatFormatter(template, "", "")(messages=messages, enable_thinking=False).prompt
        before, _, after = text.partition("\u27ea\u27eb")
    parts = [model.tokenize(part.encode(), add_bos=False, special=True) if part else [] for part in (before, after)]
    return tokenize, (parts[0], parts[1])


# -- the command --------------------------------------------------------------------------------------------


def table(costs: dict[str, Cost]) -> str:
    """A table for a reader, every way beside its share of ``released`` and of ``all``."""
    lines = [f"{'way':<16}{'prompts':>9}{'tokens':>10}{'computed':>10}{'in order':>10}{'of released':>13}{'of all':>8}"]
    for way, cost in costs.items():
        shares = [cost.computed / max(costs[base].computed, 1) for base in ("released", "all")]
        lines.append(
            f"{way:<16}{cost.prompts:>9.1f}{cost.tokens:>10,.0f}{cost.computed:>10,.0f}{cost.in_order:>10,.0f}"
            f"{shares[0]:>13.0%}{shares[1]:>8.0%}"
        )
    return "\n".join(lines)


def same_scores(posh: PoSh, pairs: Sequence[Pair]) -> float | None:
    """The greatest difference of a component's score between ``all`` and ``lazy``; None where a log lacks answers."""
    kept = posh.lazy
    try:
        posh.lazy = False
        every = posh.score_many(pairs)
        posh.lazy = True
        lazy = posh.score_many(pairs)
    except ReplayMiss:
        return None
    finally:
        posh.lazy = kept
    worst = 0.0
    for a, b in zip(every, lazy, strict=True):
        for one, other in zip(a.components, b.components, strict=True):
            if (one.score is None) != (other.score is None) or one.question != other.question:
                return float("inf")
            worst = max(worst, abs((one.score or 0.0) - (other.score or 0.0)))
    return worst


def main(argv: Sequence[str] | None = None) -> int:
    """Count, print the table and write the record; returns the exit status."""
    from posh_lite.benchmarks.iiw import load_iiw400
    from posh_lite.metric.posh import PoSh
    from posh_lite.records import read_pairs

    parser = argparse.ArgumentParser(prog="python -m posh_lite.evaluation.token_count", description="Count prompts.")
    parser.add_argument("--judge", default="lexical", help="whose answers decide what is asked (replay with --log)")
    parser.add_argument("--log", help="verdict log that the judge replays or resumes from")
    parser.add_argument("--pairs", help="pairs as JSON Lines; by default the captions of IIW-400")
    parser.add_argument("-n", type=int, help="only the first so many pairs")
    parser.add_argument("--tokenizer", metavar="FILE.gguf", help="count with this model's tokenizer")
    parser.add_argument("--share", type=float, default=0.3, help="of the questions that a cascade hands on (0.3)")
    parser.add_argument("-o", "--output", help="write the figures as JSON")
    options = parser.parse_args(argv)
    try:
        pairs = list(read_pairs(options.pairs)) if options.pairs else load_iiw400().pairs
        pairs = pairs[: options.n]
        tokenize, chat = gguf_tokenizer(options.tokenizer) if options.tokenizer else (approximate_tokens, CHATML)

        posh = PoSh(options.judge, log=options.log, identifiers="lazy", progress=False)
        costs = count_ways(
            posh, pairs, tokenize=tokenize, chat=chat, share=options.share,
            progress=lambda n: print(f"\r{n:,} of {len(pairs):,} pairs", end="", file=sys.stderr, flush=True),
        )
        print(file=sys.stderr)
        differ = same_scores(posh, pairs)
    except PoshLiteError as error:
        print(f"posh-lite: {error}", file=sys.stderr)
        return 1
    print(table(costs))
    said = "not compared: the log lacks answers of one of them" if differ is None else f"{differ:g}"
    print(f"greatest difference between the scores of all and lazy: {said}")
    if options.output:
        record = {
            "made": datetime.now(UTC).date().isoformat(), "signature": posh.signature, "n": len(pairs),
            "tokenizer": Path(options.tokenizer).name if options.tokenizer else "approximate",
            "share": options.share, "difference_all_lazy": differ, "ways": {w: asdict(c) for w, c in costs.items()},
        }
        Path(options.output).parent.mkdir(parents=True, exist_ok=True)
        Path(options.output).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
