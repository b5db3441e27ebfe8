"""Whether a noun may name an entity: the tests that a repeat has to pass.

A repeat must agree in number, head, describing words, owner and gender. Where several earlier entities fit, the
one that shares describing words wins, then the one spoken of last.
"""

from __future__ import annotations

from posh_lite.graph.coreference_board import Board, Thing, kind_of
from posh_lite.graph.coreference_words import Person, contrasts, tokens, words
from posh_lite.graph.mentions import Candidate

#: Who made the work, and is not in it unless seen at work.
_MAKERS = frozenset(["artist", "painter", "photographer", "sculptor", "illustrator", "author", "engraver"])
_MAKING = frozenset(["paint", "draw", "sketch", "sculpt", "carve", "photograph", "write"])
#: Determiners of a phrase that points to something known.
POINTING = frozenset({"the", "this", "that", "these", "those", "both", "all"})
_FAR = 80  # sentences after which a repeated noun no longer points back
NEAR = 6  # sentences within which another word may take an entity up ("the vehicle" after "a car")


def person_fits(word: Person | None, thing: Thing) -> bool:
    """Whether a person noun may name this person: neither gender nor age contradicts."""
    if word is None:
        return False
    if word.gender and thing.gender and word.gender != thing.gender:
        return False
    known = words().persons
    ages = {known[n].age for n in thing.nouns if n in known and known[n].age}
    if "young" in thing.described or "little" in thing.described:
        return word.age != "adult" or "adult" in ages or not ages
    return word.age is None or not ages or word.age in ages


def head_relation(candidate: Candidate, thing: Thing) -> int:
    """3 for the same head, 2 for the same noun with compatible compounds, 1 for a word of the same kind, 0 for none."""
    if candidate.head in thing.heads or candidate.head.replace(" ", "") in thing.nouns:
        return 3
    if candidate.noun in thing.nouns:
        compounds = [set(h.split()) for h in thing.heads if h.endswith(candidate.noun) and " " in h]
        own = set(candidate.head.split())
        return 2 if not compounds or any(own <= c or c <= own for c in compounds) else 0
    known = words()
    if candidate.noun in known.characters and candidate.noun in thing.described:
        return 2  # "the juvenile" after "a juvenile rhinoceros"
    if known.characters & tokens(candidate.modifiers) & set(thing.nouns):
        return 2  # and the other way round
    if candidate.noun in known.agents and candidate.determiner == "the" and any(
        _does(candidate.noun, verb) for verb in thing.acts
    ):
        return 2  # "the singer" after "a woman sings"
    if candidate.noun in (*known.beasts, "individual", "youngster") and thing.kind == "animal":
        return 1
    if candidate.noun in known.persons and any(
        head.split()[-1] in known.figures and candidate.noun in head.split() for head in thing.heads
    ):
        return 2  # "the girl" after "a girl doll"
    for noun in thing.nouns:
        if noun in known.kinds.get(candidate.noun, ()) or candidate.noun in known.kinds.get(noun, ()):
            return 1
    if thing.kind in ("person", "name"):
        person = known.persons.get(candidate.head) or known.persons.get(candidate.noun)
        if person is not None and person_fits(person, thing):
            nouns = set(thing.nouns)
            age = person.age == "child" and any(known.persons.get(n, Person()).age == "child" for n in nouns)
            role = (candidate.noun in known.roles and nouns & known.basic) or (
                candidate.noun in known.basic and nouns & known.roles
            )
            if candidate.noun in known.general or nouns & known.general or age or role:
                return 1
            if thing.kind == "name" and person.gender == thing.gender is not None:
                return 1  # "Jerome ... the old man"
            made = candidate.noun in _MAKERS and not _MAKING & set(thing.acts)
            if candidate.noun in known.agents and candidate.determiner == "the" and not made:
                return 1  # "a man on a horse ... the rider", where he is the only one
    return 0


def _owner_agrees(board: Board, candidate: Candidate, thing: Thing) -> bool:
    """A part or a place is the same only on the same whole."""
    owner = board.of(candidate.possessor) or board.of(candidate.whole)
    known = words()
    bound = candidate.noun in known.parts or candidate.noun in known.relational
    if owner is not None:
        if thing.owner is not None:
            return thing.owner == owner.id
        return not bound and candidate.possessor is not None and _named_beside(board, thing, owner)
    if candidate.possessor is not None or candidate.whole is not None:
        return False  # owned by someone unknown
    if bound and board.document.text[candidate.end : candidate.end + 4].lower() == " of ":
        return False
    if not bound or candidate.noun in known.unique or (thing.owner is None and candidate.noun in known.parts):
        return True
    return candidate.determiner in POINTING and board.sentences_since(thing, candidate) <= 1


def _named_beside(board: Board, thing: Thing, owner: Thing) -> bool:
    """Whether a sentence brings the thing up together with its owner: "a woman with a hat ... her hat"."""
    first = board.candidates[thing.mentions[0]].sentence
    return any(board.candidates[i].sentence == first for i in owner.mentions)


def fits(board: Board, candidate: Candidate, thing: Thing) -> float | None:
    """How well the noun takes up the entity, or None where something contradicts."""
    if thing.plural != candidate.plural or thing.negated or thing.role in ("viewer", "writing"):
        return None
    if thing.role == "region" and candidate.role != "region":
        return None
    since = board.sentences_since(thing, candidate)
    if since > _FAR or (candidate.count and thing.count and candidate.count != thing.count):
        return None
    if candidate.gender in ("male", "female") and thing.gender not in (None, candidate.gender):
        return None
    quoted = board.quotation(candidate)
    if quoted is not None and quoted != thing.quotation:
        return None
    relation = head_relation(candidate, thing)
    if relation == 0 and candidate.kind == "name" and board.name_words(candidate) & thing.named:
        relation = 2
    if relation == 0 or (relation == 1 and since > NEAR):
        return None
    if relation == 1 and since == 0 and thing.kind == "person":
        return None  # "the boy holds a rope while the soldier watches": one sentence gives one person one noun
    describing = board.describing(candidate)
    if contrasts(describing, thing.described):
        return None
    if quoted is None and not _owner_agrees(board, candidate, thing):
        return None
    missing = _singled_out(board, candidate) - thing.described
    if missing and not (missing == {"first"} and _named_first(board, thing)):
        return None
    shared = len(describing & thing.described)
    shared += sum(any(_same_verb(word, verb) for verb in thing.acts) for word in describing)
    trailing = len(trail(board, candidate) & (thing.owned | thing.described))
    return 10.0 * relation + 6.0 * shared + 4.0 * trailing


def _named_first(board: Board, thing: Thing) -> bool:
    """Whether the entity is the first that was told of a group: "one man ..., the first man"."""
    return thing.group is not None and board.things[thing.group].members[:1] == [thing.id]


def _does(agent: str, verb: str) -> bool:
    """Whether a noun for a doer is made of the verb: "rider" of "ride", "swimmer" of "swim"."""
    stem = agent[:-2]
    return agent.endswith(("er", "or")) and len(stem) > 2 and (verb.startswith(stem) or stem == verb + verb[-1:])


def _same_verb(word: str, verb: str) -> bool:
    """Whether a participle is of a verb: "kneeling" of "kneel", "dancing" of "dance"."""
    stem = word.removesuffix("ing")
    return stem != word and len(stem) > 2 and (verb.startswith(stem) or stem == verb + verb[-1:])


def _singled_out(board: Board, candidate: Candidate) -> frozenset[str]:
    """Words that say which of several is meant, and so must have been said of the entity before."""
    known = words().singling
    if candidate.plural:  # "the trees on the left" are some of the trees
        return board.describing(candidate) & known
    said = tokens(candidate.modifiers)
    return (said & known) | {word for word in said if word.endswith("est") and word not in ("honest", "modest", "west")}


def trail(board: Board, candidate: Candidate) -> frozenset[str]:
    """Words of what follows at once with "in" or "with": "the man in the red coat"."""
    found: set[str] = set()
    end = candidate.end
    for later in board.candidates[candidate.index + 1: candidate.index + 3]:
        between = board.document.text[end: later.phrase[0]].strip().lower()
        if later.sentence != candidate.sentence or between not in ("in", "with", "wearing", "and", "in a", "holding"):
            break
        found.add(later.noun)
        for phrase in later.modifiers:
            found.update(phrase.lower().replace("-", " ").split())
        end = later.end
    return frozenset(found)


def _pool(board: Board, candidate: Candidate) -> list[Thing]:
    """Entities worth comparing: those with the noun, and those that another word of the kind may name."""
    ids = list(board.by_noun.get(candidate.noun, ()))
    if candidate.kind == "name":
        ids += board.persons
    if candidate.plural:
        ids += board.plurals
    else:
        kind = kind_of(candidate)
        if kind in ("person", "name"):
            ids += board.persons
        known = words().kinds
        for word in sorted(known.get(candidate.noun, ())):
            ids += board.by_noun.get(word, ())
        if kind == "animal" or candidate.noun in known or candidate.noun in words().characters:
            ids += board.animals
        for word in sorted(words().characters & tokens(candidate.modifiers)):
            ids += board.by_noun.get(word, ())
        for general in words().general_of.get(candidate.noun, ()):
            ids += board.by_noun.get(general, ())
    return [board.things[i] for i in dict.fromkeys(ids)]


def ranked(board: Board, candidate: Candidate) -> list[tuple[float, Thing]]:
    """Earlier entities that the noun may take up, best first."""
    found = []
    for thing in _pool(board, candidate):
        score = fits(board, candidate, thing)
        if score is not None:
            found.append((score, thing))
    found.sort(key=lambda pair: (pair[0], pair[1].mentions[-1]), reverse=True)
    if found and not candidate.plural and found[0][1].kind in ("person", "animal"):
        found = _told_apart(board, candidate, found)
    if found and not candidate.plural:
        relation = [head_relation(candidate, thing) for _, thing in found]
        if max(relation) == 1 and len(found) > 1:
            return []  # "the figure" after a man and a woman: no telling which
    return found


def _told_apart(board: Board, candidate: Candidate, found: list[tuple[float, Thing]]) -> list[tuple[float, Thing]]:
    """Where there are namesakes, a describing word singles out: "the young baboon" is not the female one."""
    words_said = tokens(candidate.modifiers) - {"other", "another", "same", "first"}
    namesakes = [i for i in board.by_noun.get(candidate.noun, ()) if not board.things[i].negated]
    if not words_said or len(namesakes) < 2:
        return found
    return [
        (score, thing) for score, thing in found
        if words_said & thing.described or not thing.described
        or any(_same_verb(word, verb) for word in words_said for verb in thing.acts)
    ]  # fmt: skip
