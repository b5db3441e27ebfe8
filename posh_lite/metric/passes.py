"""The three passes over one scene graph, as a conversation that waits for its verdicts.

Implements section "Granular Scoring" of the PoSh paper and its pseudocode: first the entities that are not part
of another, then those that are part of one (nested parts level by level), then attributes and relations of the
entities found present. :func:`interview` yields the questions of a step and is sent their verdicts, so that the
steps of many pairs can be asked together as one batch.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from posh_lite.graph.types import Attribute, Entity, Relation, SceneGraph
from posh_lite.judge.contract import Identifier, Kind, Side, Verdict
from posh_lite.judge.prompts import Prompts
from posh_lite.metric.identifiers import Namer, uses
from posh_lite.metric.phrases import affirmative, as_written, bare, definite, denial, in_sentence, polar
from posh_lite.metric.score import Component
from posh_lite.records import Span


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before the texts are put around it."""

    kind: Kind
    identifier: Identifier
    text: str
    attribute: Attribute | None = None
    relation: Relation | None = None
    object_identifier: Identifier | None = None


@dataclass(slots=True)
class _Found:
    """What is known of an entity: its identifiers with their verdicts, the winner, and whether it is there."""

    tried: list[tuple[Identifier, Verdict]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    best: int | None = None  # index into ``tried``
    present: bool | None = None

    def settle(self, threshold: float) -> None:
        """Pick the first identifier with the highest rounded score."""
        read = [(i, v.score) for i, (_, v) in enumerate(self.tried) if v.score is not None]
        if read:
            self.best = min(read, key=lambda pair: (-rounded(pair[1]), pair[0]))[0]
            score = self.tried[self.best][1].score
            self.present = score is not None and score >= threshold

    @property
    def winner(self) -> tuple[Identifier, Verdict]:
        """The identifier that names the entity; the simplest where no verdict could be read."""
        return self.tried[self.best or 0]


def rounded(score: float) -> int:
    """Nearest whole score, halves upwards."""
    return math.floor(score + 0.5)


class Interview:
    """One side of a pair: the questions about every component of ``graph``.

    Args:
        graph: scene graph of the text whose components are verified.
        side: "generation" for mistakes, "reference" for omissions.
        prompts: wording of the questions.
        threshold: score from which on an entity is present.
        namer: finds identifiers; one is made where none is given.
        lazy: ask the next identifier of an entity only while none has reached a rounded ``top``. The scores are the
            same, since the first with the highest rounded score wins; a step then takes several batches.
        top: the highest rounded score that the judge can give; no later identifier can win over it.
    """

    def __init__(
        self, graph: SceneGraph, side: Side, prompts: Prompts, threshold: float, *,
        namer: Namer | None = None, lazy: bool = False, top: int = 5,
    ) -> None:
        self.top = top
        self.graph, self.side, self.prompts, self.threshold, self.lazy = graph, side, prompts, threshold, lazy
        self.namer = namer or Namer(graph)
        self._found: dict[int, _Found] = {}
        self._linked = {frozenset((r.subject.id, r.object.id)) for r in graph.relations}

    def run(self) -> Generator[list[Draft], Sequence[Verdict], list[Component]]:
        """Yield the questions of each step, be sent the verdicts, and return the components."""
        graph = self.graph
        for level in self._levels():
            yield from self._entities(level)
        absences = [e for e in graph.entities if self._absence(e)]
        claims: list[Attribute | Relation] = [*graph.attributes, *graph.relations]
        drafts = [self._absent_draft(e) for e in absences]
        pending: list[tuple[Attribute | Relation, Draft, bool]] = []
        for claim in claims:
            made = self._claim(claim)
            if made is not None:
                pending.append((claim, *made))
        drafts += [draft for _, draft, ask in pending if ask]
        verdicts = (yield drafts) if drafts else []
        answers = iter(verdicts)
        said = {e.id: (d, next(answers)) for e, d in zip(absences, drafts, strict=False)}
        components = []
        for entity in graph.entities:
            if entity.id in said:
                components.append(self._verified(entity, *said[entity.id]))
            elif entity.id in self._found:
                components.append(self._entity_component(entity, self._found[entity.id]))
        for claim, draft, ask in pending:
            components.append(self._verified(claim, draft, next(answers)) if ask else self._inherited(claim, draft))
        return components

    # -- passes one and two ---------------------------------------------------------------------------------

    def _levels(self) -> list[list[Entity]]:
        """Entities to verify by their depth as parts; a ring of parts counts as not being parts."""
        depth: dict[int, int] = {}
        entities = self.graph.entities
        for entity in entities:
            chain, at = [], entity.id
            while at not in depth and at not in chain:
                chain.append(at)
                whole = entities[at].part_of
                if whole is None or not 0 <= whole < len(entities):
                    depth[at] = 0
                    break
                at = whole
            if at not in depth:  # came back to itself
                depth[at] = 0
            for member in reversed(chain):
                if member not in depth:
                    depth[member] = depth[entities[member].part_of or 0] + 1
        levels: list[list[Entity]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for entity in entities:
            if entity.verifiable and not entity.negated:
                levels[depth[entity.id]].append(entity)
        return [level for level in levels if level]

    def _candidates(self, entity: Entity) -> list[Identifier]:
        own = self.namer.own(entity)
        if entity.part_of is None or not 0 <= entity.part_of < len(self.graph.entities):
            return own
        parent = self._found.get(entity.part_of)
        if parent is None or not parent.present:
            return own
        whole, _ = parent.winner
        if uses(whole, entity):
            whole = self.namer.plain(self.graph.entities[entity.part_of])
        part = self.namer.part(entity, whole)
        # Whose it is gets a question of its own where a relation says so; otherwise the name has to carry it.
        if frozenset((entity.id, entity.part_of)) in self._linked:
            return [part, *own]
        return [part]

    def _entities(self, level: list[Entity]) -> Generator[list[Draft], Sequence[Verdict], None]:
        queue = {e.id: self._candidates(e) for e in level}
        for entity in level:
            self._found[entity.id] = _Found()
        while queue:
            batch: list[tuple[int, Draft]] = []
            for key, identifiers in queue.items():
                take = identifiers[:1] if self.lazy else identifiers
                batch += [(key, self._entity_draft(i)) for i in take]
            verdicts = yield [draft for _, draft in batch]
            for (key, draft), verdict in zip(batch, verdicts, strict=True):
                self._found[key].tried.append((draft.identifier, verdict))
                self._found[key].drafts.append(draft)
            left: dict[int, list[Identifier]] = {}
            if self.lazy:
                for key, identifiers in queue.items():
                    last = self._found[key].tried[-1][1].score
                    if len(identifiers) > 1 and (last is None or rounded(last) < self.top):
                        left[key] = identifiers[1:]
            queue = left
        for entity in level:
            self._found[entity.id].settle(self.threshold)

    def _entity_draft(self, identifier: Identifier) -> Draft:
        text = self.prompts.question("entity", self.side, identifier=identifier.text)
        return Draft("entity", identifier, text)

    # -- pass three -----------------------------------------------------------------------------------------

    def _absence(self, entity: Entity) -> bool:
        """Whether "no people" is asked by itself; "man without a hat" is the question of its relation."""
        if not (entity.negated and entity.verifiable):
            return False
        return not any(r.object.id == entity.id for r in self.graph.relations_of(entity))

    def _verified_of(self, owner: Entity, claim: Attribute | Relation) -> bool:
        """Whether a claim says something that the other text can say too.

        What the viewer does, "bottom" of "the bottom right corner", how one region lies to another, and clauses
        whose relative pronoun found nothing say nothing about the things of the scene.
        """
        if owner.role == "viewer" or (owner.mentions and all(m.kind == "relative" for m in owner.mentions)):
            return False
        if isinstance(claim, Attribute):
            return owner.role != "region" and not owner.negated
        places = ("viewer", "region", "picture")
        if owner.id == claim.object.id or owner.role == "picture":
            return False
        return owner.role not in places or claim.object.role not in places

    def _absent_draft(self, entity: Entity) -> Draft:
        text = self.prompts.question("entity_absent", self.side, identifier=bare(entity))
        return Draft("entity", Identifier(bare(entity), entity), text)

    def _name(self, entity: Entity, avoid: Sequence[Entity | Attribute | Relation]) -> Identifier:
        """The identifier that won, or the head alone where it presupposes what is asked."""
        found = self._found.get(entity.id)
        if found is None:
            if entity.role == "region":  # "our left", "the bottom right corner": nothing else says where
                return Identifier(definite(entity, as_written(self.graph, entity)), entity)
            return self.namer.plain(entity)
        identifier, _ = found.winner
        circular = any(uses(identifier, component) for component in avoid)
        return self.namer.plain(entity) if circular else identifier

    def _claim(self, claim: Attribute | Relation) -> tuple[Draft, bool] | None:
        """The question about an attribute or relation, and whether to ask it; None if it is not verified."""
        owner = claim.entity if isinstance(claim, Attribute) else claim.subject
        if not self._verified_of(owner, claim):
            return None
        polarity = "_negated" if claim.negated else ""
        words = in_sentence(self.graph, claim.text, claim.spans)
        if claim.negated:
            words = affirmative(words)
        if isinstance(claim, Attribute):
            name = self._name(owner, [claim])
            text = self.prompts.question(f"attribute{polarity}", self.side, identifier=name.text, attribute=words)
            draft = Draft("attribute", name, text, attribute=claim)
        else:
            name = self._name(owner, [claim, claim.object])
            other = self._name(claim.object, [claim, owner])
            text = self.prompts.question(
                f"relation{polarity}", self.side, identifier=name.text, object=other.text, relation=words
            )
            draft = Draft("relation", name, text, relation=claim, object_identifier=other)
        found = self._found.get(owner.id)
        return draft, found is None or found.present is not False

    # -- components -----------------------------------------------------------------------------------------

    def _entity_component(self, entity: Entity, found: _Found) -> Component:
        identifier, verdict = found.winner
        return Component(
            self.side, "entity", bare(entity), identifier.text, self._where(entity), verdict.score, found.present,
            found.drafts[found.best or 0].text, verdict.reason or (verdict.raw if verdict.missing else ""),
            entity=entity.id, asked=len(found.tried),
        )

    def _verified(self, claim: Entity | Attribute | Relation, draft: Draft, verdict: Verdict) -> Component:
        present = None if verdict.score is None else verdict.score >= self.threshold
        return Component(
            self.side, draft.kind, _said(claim), draft.identifier.text, self._where(claim, draft), verdict.score,
            present, draft.text, verdict.reason or (verdict.raw if verdict.missing else ""),
            object=None if draft.object_identifier is None else draft.object_identifier.text,
            entity=draft.identifier.entity.id, negated=claim.negated,
        )

    def _where(self, claim: Entity | Attribute | Relation, draft: Draft | None = None) -> tuple[Span, ...]:
        """Spans of a component: a relation answers for its triple, an action for its doer, a denial for its "not".

        When roles are exchanged ("the dog pulls the girl") each word is right and the triple is wrong; where an
        attribute tells the object from its namesakes ("in the red coat"), the mistake may lie in that word. Words
        that other components bear out keep the higher score (``Score.token_scores``).
        """
        said = tuple(self._compound(claim, s) for s in claim.spans) if isinstance(claim, Entity) else claim.spans
        spans = set(said)
        if claim.negated:
            spans.update(denial(self.graph.text, self._sentence(span), span) for span in said)
        if isinstance(claim, Relation) and claim.spans:
            other = claim.object
            whole = other.role in ("region", "viewer") or other.negated  # no question of its own covers these words
            for span in claim.spans:
                spans.update(self._beside(claim.subject, span))
                if not whole:
                    spans.update(self._beside(other, span))
            near = min(other.mentions, key=lambda m: (abs(m.start - claim.spans[-1][1]), m.start), default=None)
            if whole and near is not None:
                spans.add(near.phrase if near.phrase[1] > near.phrase[0] else near.span)
            named = draft.object_identifier.attribute if draft and draft.object_identifier else None
            if named is not None:
                mine = {self._sentence(span) for span in claim.spans}
                spans.update(span for span in named.spans if self._sentence(span) in mine)
        elif isinstance(claim, Attribute) and claim.kind == "action":
            for span in claim.spans:
                spans.update(self._beside(claim.entity, span))
        return tuple(sorted(s for s in spans if s[1] > s[0]))

    def _beside(self, entity: Entity, span: Span) -> tuple[Span, ...]:
        """The mention of the entity nearest to the span, where the two share a sentence."""
        near = min(entity.mentions, key=lambda m: (abs(m.start - span[1]), m.start), default=None)
        if near is None or self._sentence(near.span) != self._sentence(span):
            return ()
        return (self._compound(entity, near.span),)

    def _sentence(self, span: Span) -> Span:
        """The sentence in which a span begins."""
        at = bisect_right(self.graph.sentences, (span[0], len(self.graph.text))) - 1
        return self.graph.sentences[at] if at >= 0 else (0, len(self.graph.text))

    def _compound(self, entity: Entity, span: Span) -> Span:
        """A mention of "wine glass" answers for both words where they stand side by side."""
        start = span[0]
        for word in reversed(entity.head.split()[:-1]):
            before = self.graph.text[:start].rstrip(" -")
            if not before.lower().endswith(word) or before[: -len(word)][-1:].isalnum():
                break
            start = len(before) - len(word)
        return (start, span[1])

    def _inherited(self, claim: Attribute | Relation, draft: Draft) -> Component:
        name = draft.identifier
        winner, verdict = self._found[name.entity.id].winner
        return Component(
            self.side, draft.kind, _said(claim), name.text, self._where(claim, draft), 1.0, False, draft.text,
            f'"{winner.text}" was not found (score {verdict.score:.2f}), so nothing said of it was asked',
            object=None if draft.object_identifier is None else draft.object_identifier.text,
            entity=name.entity.id, negated=claim.negated, inherited=True, asked=0,
        )


def _said(claim: Entity | Attribute | Relation) -> str:
    """The component in the words of its text, with its polarity."""
    if isinstance(claim, Entity):
        return polar(bare(claim), claim.negated, "no")
    return polar(claim.text, claim.negated)
