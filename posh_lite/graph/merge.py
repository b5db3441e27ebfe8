"""Candidates, drafts and clusters become one scene graph, attachments kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from posh_lite.graph import lexicon
from posh_lite.graph.drafts import AttributeDraft, RelationDraft
from posh_lite.graph.mentions import Candidate, Resolution
from posh_lite.graph.types import Attribute, Entity, Mention, Relation, Role, SceneGraph
from posh_lite.records import Span


def merge(
    text: str,
    sentences: tuple[Span, ...],
    candidates: Sequence[Candidate],
    drafts: Sequence[AttributeDraft | RelationDraft],
    resolution: Resolution,
    signature: str,
) -> SceneGraph:
    """One entity a cluster; attributes and relations of all its mentions, each claim once with all its spans."""
    cluster_of = _clusters(candidates, resolution)
    order: list[int] = []
    members: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        key = cluster_of[candidate.index]
        if key not in members:
            members[key] = []
            order.append(key)
        members[key].append(candidate)
    entity_id = {key: number for number, key in enumerate(order)}
    entity_at = [entity_id[cluster_of[c.index]] for c in candidates]
    parts = _parts(candidates, drafts, entity_at)
    entities = tuple(
        _entity(number, members[key], parts.get(number), resolution, entity_at) for number, key in enumerate(order)
    )
    return SceneGraph(
        text=text, entities=entities, attributes=_attributes(drafts, entities, entity_at),
        relations=_relations(drafts, entities, entity_at), sentences=sentences, signature=signature,
    )  # fmt: skip


def _clusters(candidates: Sequence[Candidate], resolution: Resolution) -> list[int]:
    """Smallest candidate index of each candidate's cluster; grammar's own links are always kept."""
    parent = list(range(len(candidates)))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for cluster in resolution.clusters:
        for other in cluster[1:]:
            a, b = find(cluster[0]), find(other)
            parent[max(a, b)] = min(a, b)
    viewer = [c.index for c in candidates if c.role == "viewer"]
    pictures = [c.index for c in candidates if c.role == "picture" and not c.plural]
    links = [*pairwise(viewer), *pairwise(pictures)]
    for candidate in candidates:
        if candidate.antecedent is not None and (candidate.kind == "relative" or candidate.quoted):
            links.append((candidate.antecedent, candidate.index))
    for a, b in links:
        a, b = find(a), find(b)
        parent[max(a, b)] = min(a, b)
    return [find(i) for i in range(len(candidates))]


def _entity(
    number: int, mentions: list[Candidate], part_of: int | None, resolution: Resolution, entity_at: list[int]
) -> Entity:
    naming = next((c for c in mentions if c.quoted), None) or next(
        (c for c in mentions if c.kind in ("noun", "name", "possessive") and not _pronominal(c)), mentions[0]
    )
    role: Role = naming.role
    if _pronominal(naming) and role == "thing":
        role = "unresolved"
    group = next((resolution.groups[c.index] for c in mentions if c.index in resolution.groups), ())
    return Entity(
        id=number,
        head=naming.head,
        mentions=tuple(Mention(c.start, c.end, c.text, c.phrase, c.sentence, c.kind) for c in mentions),
        plural=naming.plural,
        count=next((c.count for c in mentions if c.count is not None), None),
        role=role,
        part_of=part_of,
        members=tuple(dict.fromkeys(entity_at[i] for i in group if entity_at[i] != number)),
        negated=naming.negated,
    )


def _pronominal(candidate: Candidate) -> bool:
    return candidate.kind in ("pronoun", "relative") or candidate.text.lower() in (
        "his", "her", "hers", "its", "their", "theirs", "our", "your", "my"
    )  # fmt: skip


def _parts(
    candidates: Sequence[Candidate], drafts: Sequence[AttributeDraft | RelationDraft], entity_at: list[int]
) -> dict[int, int]:
    """Whole of each part: possessor, "of" complement, or owner by a containing verb. First statement wins."""
    parts: dict[int, int] = {}
    roles: dict[int, Role] = {}
    for candidate in candidates:
        if not _pronominal(candidate):
            roles.setdefault(entity_at[candidate.index], candidate.role)
    for at in entity_at:
        roles.setdefault(at, "thing")

    def state(child: int, whole: int) -> None:
        a, b = entity_at[child], entity_at[whole]
        at: int | None = b
        while at is not None:
            if at == a:
                return
            at = parts.get(at)
        if {candidates[child].role, roles[a]} <= {"thing", "writing"} and {candidates[whole].role, roles[b]} <= {
            "thing"
        }:
            parts.setdefault(a, b)

    for draft in drafts:
        if isinstance(draft, AttributeDraft) or draft.negated:
            continue
        verb = draft.lemma.split(" ", 1)[0]
        if draft.kind == "part":
            state(draft.subject, draft.object)
        elif draft.kind == "verb" and verb in lexicon.OWNING and draft.lemma == verb and not draft.passive:
            child = candidates[draft.object]
            if child.gender in ("male", "female", "animate") and child.noun not in lexicon.PART_NOUNS:
                continue
            if child.kind == "noun" and child.determiner not in ("the", "this", "that"):
                state(draft.object, draft.subject)
        elif (
            draft.lemma == "with"
            and candidates[draft.object].determiner
            in (
                "a",
                "none",
                "number",
                "one",
                "possessive",
            )
            and candidates[draft.object].gender is None
        ):
            state(draft.object, draft.subject)
    return parts


def _attributes(
    drafts: Sequence[AttributeDraft | RelationDraft], entities: tuple[Entity, ...], entity_at: list[int]
) -> tuple[Attribute, ...]:
    found: dict[tuple[int, str, bool], AttributeDraft] = {}
    spans: dict[tuple[int, str, bool], list[Span]] = {}
    for draft in drafts:
        if not isinstance(draft, AttributeDraft):
            continue
        owner = entity_at[draft.owner]
        if entities[owner].negated:
            continue  # "no red cars": there is nothing to be red
        key = (owner, draft.lemma, draft.negated)
        found.setdefault(key, draft)
        spans.setdefault(key, []).extend(s for s in draft.spans if s not in spans[key])
    ordered = sorted(found, key=lambda k: spans[k][0])
    return tuple(
        Attribute(n, entities[key[0]], found[key].text, key[1], tuple(sorted(spans[key])), found[key].kind, key[2])
        for n, key in enumerate(ordered)
    )


def _relations(
    drafts: Sequence[AttributeDraft | RelationDraft], entities: tuple[Entity, ...], entity_at: list[int]
) -> tuple[Relation, ...]:
    found: dict[tuple[int, str, int, bool], RelationDraft] = {}
    spans: dict[tuple[int, str, int, bool], list[Span]] = {}
    for draft in drafts:
        if isinstance(draft, AttributeDraft):
            continue
        a, b = entity_at[draft.subject], entity_at[draft.object]
        if a == b or "picture" in (entities[a].role, entities[b].role):
            continue
        if draft.kind == "part" and (entities[b].role not in ("thing", "writing") or entities[a].negated):
            continue
        key = (a, draft.lemma, b, draft.negated or entities[a].negated or entities[b].negated)
        found.setdefault(key, draft)
        spans.setdefault(key, []).extend(s for s in draft.spans if s not in spans[key])
    ordered = sorted(found, key=lambda k: spans[k][0])
    return tuple(
        Relation(n, entities[k[0]], found[k].text, k[1], entities[k[2]], tuple(sorted(spans[k])), found[k].kind, k[3],
                 found[k].passive)
        for n, k in enumerate(ordered)
    )  # fmt: skip
