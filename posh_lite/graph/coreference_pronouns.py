"""Who "she", "its" and "their" are: agreement first, then salience.

Salience adds up what a reader keeps in mind: how an entity was last spoken of (subjects first), how often and how
long ago, halved with every sentence (after the factors of Lappin and Leass, 1994).
"""

from __future__ import annotations

import re

from posh_lite.graph.coreference_board import (
    PRONOUNS,
    Board,
    Thing,
    is_pronoun,
    kind_of,
    may_be_person,
    opens_with_name,
)
from posh_lite.graph.coreference_words import words
from posh_lite.graph.mentions import Candidate

_WEIGHT = {
    "subject": 170.0, "object": 140.0, "oblique": 120.0, "predicate": 110.0, "apposition": 110.0, "possessor": 120.0,
    "other": 115.0,
}
_OWNER_OF_SUBJECT = 160.0
_HOST = 250.0
_LAST_RESORT = 2000.0  # chosen only where nothing else agrees
_WINDOW = {"male": 6, "female": 6, "neuter": 3, "plural": 4}
_RESTING = frozenset({"sit", "lie", "lean", "rest", "perch", "sleep", "nestle", "seat", "curl", "climb"})
#: What follows a noun that a participle describes, up to the pronoun: "a horse rearing on its hind legs".
_ACTING = re.compile(r"\s+(?:\w+ly\s+)?\w{2,}(?:ing|ed)\b[^,;.:]*$")
_BACK = re.compile(r"(?:her|his|its|their)\s+(?:back|backs|right|left|own|other)\b", re.IGNORECASE)
_PLEONASTIC = re.compile(
    r"\s*(?:'s|’s|is|was|appears?|seems?|looks?|could be|may be|might be)\s+"
    r"(?:(?:not|also|very|quite|just)\s+)?(?:as if|as though|like|that|to be|possible|likely|unlikely|clear|unclear"
    r"|difficult|hard|evident|obvious|apparent|implied|unknown|rain\w*|snow\w*|sunny|cloudy|dark out"
    r"|day(?:time|light)?|night(?:time)?)\b",
    re.IGNORECASE,
)


def _grammar(board: Board, mention: Candidate) -> str:
    """The role of a mention; what an inverted clause introduces counts as its subject ("behind it is a dog")."""
    inverted = mention.grammar == "predicate" and mention.predicate_of is None
    return "subject" if inverted or mention.index in board.refused else mention.grammar


def salience(board: Board, pronoun: Candidate, window: int) -> dict[int, float]:
    """The weight of every entity that the pronoun could look back to."""
    best: dict[tuple[int, int], float] = {}
    possession = board.possessions.get(pronoun.index)
    role = pronoun.grammar if possession is None else board.candidates[possession].grammar
    role = role if role == "subject" else pronoun.grammar
    nearest = False  # whether the subject closest to the pronoun was met
    for index in reversed(board.recent):
        mention = board.candidates[index]
        distance = pronoun.sentence - mention.sentence
        home = board.home[index]
        if distance > window:
            break
        if home is None or distance < 0 or mention.index >= pronoun.index:
            continue
        weight = _WEIGHT.get(_grammar(board, mention), 115.0)
        owned = board.possessions.get(index, board.heads.get(index))
        if owned is not None and _grammar(board, board.candidates[owned]) == "subject":
            weight = _OWNER_OF_SUBJECT
        if mention.kind == "pronoun":
            weight += 10
        if distance <= 1 and _grammar(board, mention) == role != "possessor":
            weight += (40 if role == "subject" else 10) if distance else 50
        if distance == 0:
            weight += 60
            if mention.grammar == "subject" and not (nearest or board.possessions.get(index)):
                nearest, weight = True, weight + 60
            elif mention.grammar != "subject" and _ACTING.match(board.document.text[mention.end : pronoun.start]):
                nearest, weight = True, weight + 110
        key = (home, mention.sentence)
        best[key] = max(best.get(key, 0.0), weight * 0.5**distance)
    total: dict[int, float] = {}
    rest = 0.2 if PRONOUNS.get(pronoun.text.lower()) == "neuter" else 0.6
    for (home, _), weight in sorted(best.items(), key=lambda item: -item[1]):
        total[home] = total[home] + rest * weight if home in total else weight
    host = _host(board, pronoun)
    if host in total:
        total[host] += _HOST
    return total


def _host(board: Board, pronoun: Candidate) -> int | None:
    """The entity just before "with", for "a sidewalk with leaves on it": the pronoun stays inside that phrase."""
    if pronoun.grammar != "oblique":
        return None
    for index in range(pronoun.index - 1, max(-1, pronoun.index - 6), -1):
        mention = board.candidates[index]
        if mention.sentence != pronoun.sentence or mention.grammar == "subject":
            return None
        between = board.document.text[mention.end : pronoun.start].lower()
        if between.lstrip(" ,").startswith("with "):
            return board.home[index]
    return None


def _agreement(board: Board, thing: Thing, wanted: str, possession: Candidate | None) -> float | None:
    """A penalty for what does not quite fit, or None where gender or number forbid it."""
    known = words()
    if thing.role in ("viewer", "region", "writing") or thing.negated:
        return None
    part = any(n in known.parts for n in thing.nouns)
    collective = not thing.plural and any(n in known.groups for n in thing.nouns)
    if wanted in ("male", "female"):
        if thing.plural or collective or thing.role == "picture" or (thing.gender or wanted) != wanted:
            return None
        if thing.kind == "person":
            return 0.0 if thing.gender else 35.0
        if thing.kind == "animal":
            return 20.0 if thing.gender else 130.0
        if opens_with_name(board, thing):
            return 80.0
        return 40.0 if thing.kind == "name" else _LAST_RESORT if may_be_person(board, thing) else None
    if wanted == "neuter":
        if thing.plural or (thing.gender in ("male", "female") and thing.kind != "animal"):
            return None
        if thing.kind == "person":
            return 25.0 if any(n in known.figures for n in thing.nouns) else None
        penalty = 70.0 if part or any(n in known.relational or n in known.abstract for n in thing.nouns) else 0.0
        if thing.role == "picture":
            penalty += 50.0
        if thing.owner is not None and not penalty:
            penalty += 40.0
        if possession is not None and possession.noun in known.parts and thing.kind == "animal":
            penalty -= 60.0
        return penalty + (40.0 if collective or thing.kind == "name" else 0.0)
    if thing.plural or collective:
        penalty = 80.0 if part else 0.0
        return penalty if thing.kind in ("person", "animal") or collective else penalty + 30.0
    return 60.0 if thing.kind == "person" and thing.gender is None else None


def _forbidden(board: Board, pronoun: Candidate) -> set[int]:
    """Entities that grammar rules out: the co-argument of the clause, or what the possessive itself owns."""
    found: set[int] = set()
    owned = board.possessions.get(pronoun.index)
    lap = owned is not None and board.candidates[owned].noun == "lap"  # nobody sits on their own lap
    reflexive = pronoun.text.lower().endswith(("self", "selves"))
    if _BACK.match(board.document.text, pronoun.start):
        return found  # "with her back to us" is possessive, whatever the parser says
    if owned is not None and pronoun.index:  # "a boy, perhaps his apprentice": not the boy's own
        before = board.candidates[pronoun.index - 1]
        between = board.document.text[before.end : pronoun.start]
        person = kind_of(board.candidates[owned]) == "person"
        if person and before.grammar == "subject" and between.startswith(",") and len(between.split()) <= 2:
            home = board.home[before.index]
            return found if home is None else {home}
    if reflexive or (pronoun.grammar not in ("object", "oblique") and not lap):
        return found
    for index in range(pronoun.index - 1, -1, -1):
        mention = board.candidates[index]
        if mention.sentence != pronoun.sentence:
            break
        same = mention.clause == pronoun.clause
        if mention.grammar == "object" and pronoun.grammar == "oblique" and same:
            return set()  # "holds a dog in front of her": the subject is meant
        if mention.grammar == "subject" and (pronoun.grammar == "object" or same) and not found:
            home = board.home[index]
            if home is not None and (not lap or mention.verb in _RESTING):
                found.add(home)
            if pronoun.grammar == "object":
                break
    return found


def resolve_pronoun(board: Board, pronoun: Candidate) -> None:
    """Give a third-person pronoun its entity, or make a group for it; one that fits nothing stays alone."""
    wanted = PRONOUNS.get(pronoun.text.lower())
    if wanted is None or _pleonastic(board, pronoun):
        return
    owned = board.possessions.get(pronoun.index)
    possession = board.candidates[owned] if owned is not None else None
    forbidden = _forbidden(board, pronoun)
    scores: list[tuple[float, int]] = []
    for home, weight in salience(board, pronoun, _WINDOW[wanted]).items():
        thing = board.things[home]
        if home in forbidden or (possession is not None and possession.noun in thing.nouns):
            continue
        penalty = _agreement(board, thing, wanted, possession)
        if penalty is not None:
            scores.append((weight - penalty, home))
    best = max(scores, key=lambda pair: (pair[0], pair[1]), default=None)
    if wanted == "plural":
        group = _named_together(board, pronoun, forbidden)
        if group and (best is None or group[0] > best[0]):
            _join_group(board, pronoun, group[1])
            return
    if best is not None:
        thing = board.things[best[1]]
        board.add(thing, pronoun)
        if wanted in ("male", "female"):
            thing.gender = wanted
            if thing.kind == "thing":  # nothing but its pronoun says that this is a person
                thing.kind = "name"
                board.persons.append(thing.id)


def _pleonastic(board: Board, pronoun: Candidate) -> bool:
    return pronoun.text.lower() == "it" and bool(_PLEONASTIC.match(board.document.text, pronoun.end))


def _named_together(board: Board, pronoun: Candidate, forbidden: set[int]) -> tuple[float, list[int]] | None:
    """Single entities that the last two sentences name side by side: "a man and a woman ... they"."""
    best: tuple[float, list[int]] | None = None
    seen: set[int] = set()
    singles: list[int] = []
    for index in reversed(board.recent):
        mention = board.candidates[index]
        distance = pronoun.sentence - mention.sentence
        if distance > 2:
            break
        thing = board.of(index)
        if thing is None or index >= pronoun.index or thing.role != "thing" or thing.id in forbidden:
            continue
        if thing.kind in ("person", "animal", "name") and not thing.plural and thing.id not in singles:
            singles.append(thing.id)
        first = mention.coordination
        if first is None or first in seen or distance > 1:
            continue
        seen.add(first)
        homes = [board.home[i] for i in board.coordinations[first] if i < pronoun.index]
        members = list(dict.fromkeys(h for h in homes if h is not None))
        if len(members) < 2 or any(board.things[m].role != "thing" for m in members):
            continue
        living = [m for m in members if board.things[m].kind in ("person", "name", "animal")]
        weight = _WEIGHT.get(board.candidates[first].grammar, 115.0) + (60 if distance == 0 else 0)
        weight = weight * 0.5**distance + (20.0 if len(living) == len(members) else -30.0)
        if best is None or weight > best[0]:
            best = (weight, members)
    persons = [h for h in singles if board.things[h].kind in ("person", "name")]
    if best is None and len(persons) == 2:
        best = (40.0, sorted(persons))
    return best


def _join_group(board: Board, pronoun: Candidate, members: list[int]) -> None:
    """The group of exactly these members: the one that exists already, or a new one."""
    for identity in reversed(board.plurals):
        if sorted(board.things[identity].members) == sorted(members):
            board.add(board.things[identity], pronoun)
            return
    thing = board.create(pronoun)
    thing.plural, thing.count, thing.kind = True, None, board.things[members[0]].kind
    if thing.id not in board.plurals:
        board.plurals.append(thing.id)
    thing.members = list(members)


def cataphor(board: Board, pronoun: Candidate) -> int | None:
    """The subject that a possessive at the head of a sentence looks ahead to: "In her hands, the woman holds"."""
    wanted = PRONOUNS.get(pronoun.text.lower())
    owned = board.possessions.get(pronoun.index)
    if wanted is None or owned is None or board.candidates[owned].preposition is None:
        return None
    known = words()
    for index in range(pronoun.index - 1, -1, -1):
        earlier = board.candidates[index]
        if earlier.sentence != pronoun.sentence:
            break
        if earlier.grammar == "subject":
            return None  # the clause has its subject already
    for index in range(pronoun.index + 1, min(pronoun.index + 8, len(board.candidates))):
        later = board.candidates[index]
        if later.sentence != pronoun.sentence:
            return None
        if later.grammar != "subject" or later.kind not in ("noun", "name") or later.possessor == pronoun.index:
            continue
        if is_pronoun(later):
            return None
        person = known.persons.get(later.head) or known.persons.get(later.noun)
        gender = later.gender if later.gender in ("male", "female") else person.gender if person else None
        if wanted == "plural":
            fits = later.plural
        elif wanted == "neuter":
            fits = not later.plural and person is None
        else:
            nameable = gender == wanted or (person is not None and gender is None) or later.kind == "name"
            fits = nameable and not later.plural
        return index if fits and not later.alternate and later.determiner in ("the", "this", "none") else None
    return None
