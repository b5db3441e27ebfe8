"""Groups and their members: "all three people", "both children", "the trio", "one ... the other", "the former"."""

from __future__ import annotations

from posh_lite.graph.coreference_board import Board, Thing, is_part_of_group, kind_of
from posh_lite.graph.coreference_match import person_fits, ranked
from posh_lite.graph.coreference_words import words
from posh_lite.graph.mentions import Candidate

_WINDOW = 12  # sentences in which members are looked for
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_ONES = frozenset(
    {"one", "another", "other", "each", "former", "latter", "first", "second", "third", "neither", "either"}
)
_ALL = frozenset({"both", "all", "others", "two", "three", "four", "five", "six"})


def is_ellipsis(candidate: Candidate) -> bool:
    """A bare "one", "the other", "both": the noun has to come from the group."""
    return candidate.noun in _ONES | _ALL or candidate.head in _ONES | _ALL


def is_group(candidate: Candidate) -> bool:
    """A plural or collective noun that points back and so may sum up entities named one by one."""
    if candidate.determiner in ("a", "another", "some", "no", "number", "one", "possessive") or candidate.negated:
        return False
    if candidate.alternate or is_part_of_group(candidate) or candidate.possessor is not None:
        return False
    return (candidate.plural or candidate.noun in words().groups) and candidate.determiner != "none"


def resolve_group(board: Board, candidate: Candidate) -> bool:
    """Resolve a noun that names a group; False where it is to be treated like any other noun."""
    known = words()
    collective = candidate.noun in known.groups
    wanted = candidate.count or known.groups.get(candidate.noun) or _NUMBERS.get(candidate.determiner)
    if not collective:
        for _, thing in ranked(board, candidate):
            if not wanted or (thing.count in (None, wanted) and len(thing.members) <= wanted):
                board.add(thing, candidate)
                return True
    living = _plural_kind(candidate)
    for identity in reversed(board.plurals):
        thing = board.things[identity]
        number = thing.count or len(thing.members) or None
        if thing.kind in ("person", "animal") and living and not thing.negated and (
            number == wanted if wanted else collective and candidate.noun in thing.nouns
        ) and _suits(board, candidate, thing):
            board.add(thing, candidate)
            return True
    members = _members(board, candidate, wanted, collective)
    if len(members) < 2:
        return False
    thing = board.create(candidate)
    thing.members = members
    thing.kind = board.things[members[0]].kind
    if thing.id not in board.plurals:
        board.plurals.append(thing.id)
    for member in members:
        if board.things[member].group is None:
            board.things[member].group = thing.id
    return True


def _plural_kind(candidate: Candidate) -> bool:
    return candidate.noun in words().groups or kind_of(candidate) in ("person", "animal")


def _suits(board: Board, candidate: Candidate, group: Thing) -> bool:
    """Whether the noun may name what the group consists of: "the men" are no children."""
    known = words()
    if candidate.noun in known.groups:
        return True
    person = known.persons.get(candidate.noun)
    if group.members:
        return all(_is_one(board.things[m], candidate) for m in group.members)
    return person is not None and group.kind == "person" and (
        candidate.noun in known.general or bool(set(group.nouns) & known.general)
    ) and person_fits(person, group)


def _is_one(thing: Thing, candidate: Candidate) -> bool:
    """Whether a single entity is what the plural noun says."""
    known = words()
    if candidate.noun in thing.nouns:
        return True
    if any(noun in known.kinds.get(candidate.noun, ()) for noun in thing.nouns):
        return True
    person = known.persons.get(candidate.noun)
    if person is None or thing.kind not in ("person", "name"):
        return False
    if person.age == "child":
        return any((p := known.persons.get(n)) is not None and p.age == "child" for n in thing.nouns)
    if person.gender is not None:
        return thing.gender == person.gender and candidate.noun in thing.nouns
    return candidate.noun in known.general or (candidate.noun == "adult" and person_fits(person, thing))


def _members(board: Board, candidate: Candidate, wanted: int | None, collective: bool) -> list[int]:
    """The single entities that the noun sums up: as many as it says, the latest ones first."""
    found: list[int] = []
    for identity in _singles(board, candidate):
        thing = board.things[identity]
        if thing.plural or thing.negated or board.sentences_since(thing, candidate) > _WINDOW:
            continue
        if (collective and thing.kind in ("person", "name")) or (not collective and _is_one(thing, candidate)):
            found.append(identity)
    if wanted and len(found) > wanted:
        together = _coordinated(board, set(found), wanted)
        return together or (found[-wanted:] if wanted == 2 and candidate.determiner == "both" else [])
    return found if not wanted or len(found) == wanted else []


def _singles(board: Board, candidate: Candidate) -> list[int]:
    ids = {*board.persons, *board.by_noun.get(candidate.noun, ())}
    if kind_of(candidate) != "person" and candidate.noun not in words().groups:
        ids = {*board.by_noun.get(candidate.noun, ()), *board.animals}
    for word in words().kinds.get(candidate.noun, ()):
        ids.update(board.by_noun.get(word, ()))
    return sorted(ids)


def _coordinated(board: Board, allowed: set[int], wanted: int) -> list[int]:
    """The latest entities named side by side that are exactly as many as wanted."""
    for first in reversed(board.named_together):
        homes = list(dict.fromkeys(h for i in board.coordinations[first] if (h := board.home[i]) is not None))
        if len(homes) == wanted and set(homes) <= allowed:
            return homes
    return []


def resolve_ellipsis(board: Board, candidate: Candidate) -> None:
    """Members of the latest group, in turn: "one holds a book, the other a lamp"."""
    word = candidate.noun if candidate.noun in _ONES | _ALL else candidate.head
    near = [board.things[i] for i in reversed(board.plurals)
            if _countable(board, board.things[i]) and board.sentences_since(board.things[i], candidate) <= 3]
    before = board.document.text[max(0, candidate.start - 5) : candidate.start].lower()
    if (candidate.determiner == "each" and word == "one") or before.endswith(("each ", " one ")):
        return  # "each other", "each one": nobody in particular
    if word in ("former", "latter"):
        _former_or_latter(board, candidate, word)
    elif word in _ALL - {"others"} or word in ("each", "neither", "either"):
        number = _NUMBERS.get(word) or (2 if word in ("neither", "either") else None)
        for group in near:
            if number is None or (group.count in (None, number) and len(group.members) in (0, number)):
                board.add(group, candidate)
                return
        _sum_up(board, candidate, number)
    elif near:
        group = _group_at_hand(board, candidate) or next(
            (g for g in near if g.count is None or len(g.members) < g.count or word == "other"), near[0]
        )
        if word == "other" and group.count == 2 and len(group.members) == 2:
            board.add(min((board.things[m] for m in group.members), key=lambda t: t.mentions[-1]), candidate)
            return
        thing = board.create(candidate)
        thing.kind, thing.gender, thing.plural = group.kind, group.gender, candidate.plural
        thing.nouns, thing.heads = list(group.nouns), list(group.heads)
        for noun in thing.nouns:
            board.by_noun[noun].append(thing.id)
        if not candidate.plural:
            thing.group = group.id
            group.members.append(thing.id)
            if thing.kind == "person":
                board.persons.append(thing.id)


def _group_at_hand(board: Board, candidate: Candidate) -> Thing | None:
    """The group of a member just spoken of: "the older girl has braids, the younger one ..."."""
    for index in reversed(board.recent):
        thing = board.of(index)
        if thing is None or candidate.sentence - board.candidates[index].sentence > 1:
            return None
        if thing.group is not None and board.candidates[index].grammar == "subject":
            return board.things[thing.group]
    return None


def _countable(board: Board, group: Thing) -> bool:
    """Whether "one" and "all" may mean this group: not the sides or the hands of something."""
    known = words()
    return group.plural and not group.negated and group.owner is None and not any(
        noun in known.parts or noun in known.relational for noun in group.nouns
    )


def _sum_up(board: Board, candidate: Candidate, number: int | None) -> None:
    """Two people named one by one, then taken together: "both wear hats"."""
    last: list[int] = []
    for index in reversed(board.recent):
        thing = board.of(index)
        if thing is None or candidate.sentence - board.candidates[index].sentence > 2:
            break
        if thing.kind in ("person", "animal") and not thing.plural and thing.id not in last:
            last.append(thing.id)
    if len(last) >= 2 and (number is None or len(last) == number):
        thing = board.create(candidate)
        thing.plural, thing.members, thing.kind = True, sorted(last), board.things[last[0]].kind
        if thing.id not in board.plurals:
            board.plurals.append(thing.id)


def _former_or_latter(board: Board, candidate: Candidate, word: str) -> None:
    for first in reversed(board.named_together):
        conjuncts = [i for i in board.coordinations[first] if i < candidate.index]
        if len(conjuncts) == 2 and candidate.sentence - board.candidates[first].sentence <= 2:
            thing = board.of(conjuncts[0 if word == "former" else 1])
            if thing is not None:
                board.add(thing, candidate)
            return
