"""Which earlier entity a noun takes up: "the woman" after "a young woman", but not the other woman.

Indefinite phrases introduce; definite ones point back where something fits; members join the group that announced
them.
"""

from __future__ import annotations

from posh_lite.graph.coreference_board import Board, Thing, is_part_of_group, kind_of
from posh_lite.graph.coreference_match import NEAR, POINTING, head_relation, person_fits, ranked, trail
from posh_lite.graph.coreference_words import tokens, words
from posh_lite.graph.mentions import Candidate

_INTRODUCING = frozenset({"a", "another", "some", "no", "number", "one"})
#: "The next billboard" is one more, however often it is said.
_MORE = frozenset({"next", "following", "additional", "further"})
_EACH = frozenset({"each", "either", "no"})  # "no": as in "neither man", which speaks of both
_JOINING = POINTING | _EACH | {"one", "other"}
_ORDINALS = frozenset({"first", "second", "third", "fourth", "fifth", "sixth", "last"})


def resolve_noun(board: Board, candidate: Candidate) -> None:
    """Take up an earlier entity or make a new one, inside its group where there is one."""
    determiner = candidate.determiner
    if determiner in _EACH and not candidate.negated and _group_of(board, candidate, whole=True) is not None:
        _introduce(board, candidate)
        return
    new = (determiner in _INTRODUCING and not candidate.alternate) or bool(_MORE & tokens(candidate.modifiers))
    if candidate.negated or new or is_part_of_group(candidate) or determiner == "another":
        _introduce(board, candidate)
        return
    found = ranked(board, candidate)
    ordinals = tokens(candidate.modifiers) & _ORDINALS
    known = found and (ordinals & found[0][1].described or ordinals == {"first"})
    if (candidate.alternate or determiner == "other") and not known:
        _alternate(board, candidate, found)
        return
    if determiner == "none" and candidate.kind != "name" and not _bare_repeat(board, candidate):
        found = []
    announced = any(board.things[i].plural for i in board.by_noun.get(candidate.noun, ()))
    if found and announced and not candidate.plural and head_relation(candidate, found[0][1]) == 1:
        found = []  # "two girls and a baby ... the older girl" is one of the girls, not the baby
    if found and (known or not _new_member(board, candidate, found[0][1])):
        board.add(found[0][1], candidate)
    else:
        _introduce(board, candidate)


def _bare_repeat(board: Board, candidate: Candidate) -> bool:
    """Without a determiner only few nouns point back: the one sky, names, and people in telegram style."""
    first = candidate.coordination
    if first is not None and first != candidate.index:  # "the cat and dog": one "the" for both
        leader = board.candidates[first]
        if leader.determiner == "the" and leader.plural == candidate.plural and not candidate.modifiers:
            return True
    if candidate.text[:1].isupper() and any(
        board.things[i].kind == "name" for i in board.by_noun.get(candidate.noun, ())
    ):
        return True
    if candidate.noun in words().unique or candidate.role in ("picture", "region"):
        return True
    return candidate.kind == "possessive" or (kind_of(candidate) in ("person", "animal") and not candidate.plural)


def _group_of(board: Board, candidate: Candidate, whole: bool = False) -> Thing | None:
    """The latest plural entity that a single one may be a member of: "two men ... the man"; "each man" is the whole."""
    for identity in reversed(board.by_noun.get(candidate.noun, ())):
        thing = board.things[identity]
        if thing.plural and not thing.negated and (whole or _room(thing)):
            return thing
    person = words().persons.get(candidate.noun)
    if person is not None:
        for identity in reversed(board.plurals):
            thing = board.things[identity]
            if thing.plural and not thing.negated and (whole or _room(thing)) and _may_hold(board, candidate, thing):
                return thing
    return None


def _may_hold(board: Board, candidate: Candidate, group: Thing) -> bool:
    """Whether a person may be one of a group that another word names: "three people ... the man"."""
    known = words()
    broad = any(noun in known.general or noun in ("child", "kid", "adult") for noun in group.nouns)
    near = board.sentences_since(group, candidate) <= NEAR
    return broad and near and group.kind == "person" and person_fits(known.persons.get(candidate.noun), group)


def _room(group: Thing) -> bool:
    return group.count is None or len(group.members) < group.count


def _new_member(board: Board, candidate: Candidate, best: Thing) -> bool:
    """Whether a described member of a group is one more of it: "the man on the left ... the man in green"."""
    if candidate.plural or best.group is None:
        return False
    group = board.things[best.group]
    describing = board.describing(candidate) | trail(board, candidate)
    return bool(describing) and _room(group) and not describing & (best.described | best.owned) and bool(best.described)


def _introduce(board: Board, candidate: Candidate) -> Thing:
    """A new entity; a single one joins the group that announced it, unless it is newly counted in."""
    group = None
    if not candidate.plural and not candidate.negated and candidate.possessor is None and (
        is_part_of_group(candidate) or candidate.alternate or candidate.determiner in _JOINING
    ):
        group = _group_of(board, candidate, whole=candidate.determiner in _EACH)
    if group is not None and candidate.determiner in _EACH:
        board.add(group, candidate)
        return group
    thing = board.create(candidate)
    if group is not None:
        group.members.append(thing.id)
        thing.group = group.id
        thing.described |= board.describing(candidate)
    return thing


def _alternate(board: Board, candidate: Candidate, found: list[tuple[float, Thing]]) -> None:
    """Take up "the other man": not the one spoken of last; the second of two, or a new one."""
    noun = board.by_noun.get(candidate.noun, ())
    current = max((board.things[i] for i in noun if board.things[i].plural == candidate.plural),
                  key=lambda t: t.mentions[-1], default=None)
    rest = [thing for _, thing in found if thing is not current]
    known = [thing for _, thing in found if thing.alternate]  # "the other man", said again
    group = _group_of(board, candidate) if not candidate.plural else None
    if known:
        board.add(known[0], candidate)
    elif len(rest) == 1 and group is None and candidate.determiner in ("the", "other") and not candidate.plural:
        board.add(rest[0], candidate)
        rest[0].alternate = True
    else:
        _introduce(board, candidate)
