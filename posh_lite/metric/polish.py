"""Let a judge that can rewrite make identifiers fluent before they are asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from posh_lite.judge.contract import Identifier, Judge
from posh_lite.judge.prompts import Prompts
from posh_lite.judge.rewrite import Rewrite, Rewriter, accept
from posh_lite.metric.identifiers import Namer
from posh_lite.metric.phrases import bare
from posh_lite.metric.stopwatch import Stopwatch


def polish(namers: Iterable[Namer], judge: Judge, prompts: Prompts, watch: Stopwatch) -> None:
    """Rewrite the identifiers by attribute and by relation, each distinct phrase once.

    Does nothing for a judge without this skill. An answer that loses a noun or is not one line is not taken.
    """
    if not isinstance(judge, Rewriter) or not getattr(judge, "rewrites", True):
        return
    namers = list(namers)
    requests: dict[tuple[str, str], Rewrite] = {}
    with watch.lap("questions"):
        for namer in namers:
            for identifier in _own(namer):
                kind = identifier.kind
                if kind == "attribute" or kind == "relation":
                    phrase = identifier.text
                    request = Rewrite(phrase, kind, prompts.rewrite(kind, phrase), _keep(identifier))
                    requests.setdefault((kind, phrase), request)
    if not requests:
        return
    with watch.lap("judging"):
        answers = judge.rewrite(list(requests.values()))
    phrases = {key: accept(r, a) for (key, r), a in zip(requests.items(), answers, strict=True)}
    for namer in namers:
        for entity in namer.graph.entities:
            if entity.verifiable and not entity.negated:
                own = namer.own(entity)
                namer.replace(entity, [replace(i, text=phrases.get((i.kind, i.text), i.text)) for i in own])


def _own(namer: Namer) -> list[Identifier]:
    return [i for e in namer.graph.entities if e.verifiable and not e.negated for i in namer.own(e)]


def _keep(identifier: Identifier) -> tuple[str, ...]:
    """The nouns that a rewritten phrase must still have."""
    words = [bare(identifier.entity)]
    if identifier.relation is not None:
        words.append(bare(identifier.relation.object))
        words.append(bare(identifier.relation.subject))
    return tuple(dict.fromkeys(words))
