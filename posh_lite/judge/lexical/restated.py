"""The same said in other words: light verbs with nouns, adjectives for "with" and "of", limbs, other verbs."""

from __future__ import annotations

from posh_lite.graph.types import Relation
from posh_lite.judge.lexical import heads, words
from posh_lite.judge.lexical.align import Alignment
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import LIMBS, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import worded
from posh_lite.judge.lexical.wording import HOLDING, OWNING, WEARING, first, light, prepositions, same, split
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL, UNRELATED

#: Verbs that leave it to their noun what is done ("gives a bath").
SUPPORT = word_set("give make take have do find perform pay cast throw lend keep let receive get offer")
#: What such a noun says as a verb.
_DONE = {
    "bath": "wash bathe", "wash": "wash", "painting": "paint", "picture": "paint photograph draw", "drawing": "draw",
    "sketch": "draw", "photo": "photograph", "photograph": "photograph", "load": "carry", "seat": "sit", "look": "look",
    "glance": "look", "gaze": "look", "kiss": "kiss", "hug": "embrace", "embrace": "embrace", "ride": "ride",
    "walk": "walk", "stroll": "walk", "drink": "drink", "sip": "drink", "bite": "eat", "meal": "eat", "wave": "wave",
    "bow": "bow", "food": "feed", "feed": "feed", "shelter": "shelter", "rest": "rest", "nap": "sleep",
    "hold": "hold", "grip": "hold", "light": "light", "haircut": "cut", "push": "push", "pull": "pull",
    "lesson": "teach", "speech": "speak", "talk": "speak", "swim": "swim", "leap": "jump", "jump": "jump",
    "dance": "dance", "sniff": "smell", "pat": "pet", "stroke": "pet", "shave": "shave", "help": "help",
    "assistance": "help", "support": "support", "chase": "chase", "guard": "guard", "watch": "watch guard",
    "shout": "shout", "smile": "smile", "prayer": "pray", "sweep": "sweep", "polish": "polish", "blessing": "bless",
}  # fmt: skip
_PLAIN = frozenset({"with", "of", "in", "on", "at", "by", "next to"})
#: Nouns that only sort what is around them: a relation to one claims next to nothing.
GENERIC = word_set(
    "top bottom middle side end front back edge base attention care view sight ease place position way space design"
    " pattern motif decoration shape form kind sort type style color colour hue tone shade tint effect look air manner"
)
#: Those of them that are places of a thing: where another thing is told to be there, it stays so.
POSITIONAL = word_set("top bottom middle side end front back edge base")
_AWNING = word_set("umbrella parasol canopy")
_LIQUID = word_set("water sea river lake pond stream ocean pool bath foam wave")
#: Limbs that one may name for another.
_NEAR_LIMBS = tuple(frozenset(p.split()) for p in (
    "arm hand", "finger hand", "back shoulder", "lap knee", "lap leg", "knee leg", "head hair", "head face", "leg foot",
    "neck shoulder", "chest front", "eye face", "mouth face", "side arm", "side hand",
))  # fmt: skip


def asked(al: Alignment, r: Relation) -> str:
    """The words of a source relation."""
    return worded(al.source.graph, r)


def told(al: Alignment, q: Relation) -> str:
    """The words of a target relation."""
    return worded(al.target.graph, q)


def plain(lemma: str) -> bool:
    """Whether a relation says no more than that two things go together ("of", "with", "on")."""
    verb, prep = split(lemma)
    return bool(prep) and light(verb) and first(prep) in _PLAIN


def restated(al: Alignment, r: Relation, a: int) -> Finding | None:
    """The target says it of the subject in one word: "a stone bridge", "two-masted", "washes" for "gives a bath"."""
    verb, prep = split(asked(al, r))
    facts = al.target.facts[a]
    noun = heads.repaired(r.object.head)[0].rpartition(" ")[2]
    if set(verb) & SUPPORT and noun in _DONE:
        for done in _DONE[noun].split():
            grade, fact = best_fact(done, facts, "action")
            if fact is not None and grade >= PARTIAL and fact.source == "action":
                return Finding(min(grade, 4.0), f'the text has "{fact.said}"')
    if (not verb and first(prep) in ("with", "of", "in")) or set(verb) & OWNING:
        said = [f for f in facts if f.source in ("attribute", "compound") and not f.negated]
        grade, fact = best_fact(noun, said)
        if fact is not None and grade >= 4:
            return Finding(min(grade, 4.2), f'the text has "{fact.said}" of "{al.target.phrase(a)}"')
    return None


def in_other_words(al: Alignment, r: Relation, q: Relation, straight: bool, flat: bool) -> float:
    """Grade of two relations between the same two things whose words have nothing in common."""
    (verb, prep), (verb_t, prep_t) = split(asked(al, r)), split(told(al, q))
    senses = lexicon().verbs.senses
    living = heads.is_living(r.subject.head)
    if not straight:
        lifeless = not living and not heads.is_living(q.object.head)
        return 3.1 if lifeless and heads.is_living(q.subject.head) and not prep else 1.6
    if all(v not in senses for v in (*verb[:1], *verb_t[:1])):
        return 3.1
    if set(verb) & SUPPORT and _sibling(al, r, verb_t):
        return 3.8
    if r.object.head in _AWNING and (set(verb) | set(verb_t)) & HOLDING:
        return 4.0
    of_preps = prepositions(prep, prep_t, flat) if prep and prep_t else UNRELATED
    if not living:
        return 3.2 if of_preps != CONFLICT else 2.0
    if plain(asked(al, r)) and of_preps != CONFLICT:
        return 3.0
    return 2.0


def _sibling(al: Alignment, r: Relation, verb_t: tuple[str, ...]) -> bool:
    """Whether the noun that the source's light verb takes besides says what the target's verb does."""
    for p in al.source.graph.relations_of(r.subject, role="subject"):
        noun = p.object.head.rpartition(" ")[2]
        done = _DONE.get(noun, "").split() if p.lemma.split()[0] == r.lemma.split()[0] else []
        if any(words.verb_grade(d, v) >= PARTIAL for d in done for v in verb_t):
            return True
    return False


def immersed(source: str, target: str, noun: str) -> bool:
    """A foot in the water is a foot under water."""
    one, other = first(split(source)[1]), first(split(target)[1])
    return noun.rpartition(" ")[2] in _LIQUID and {one, other} == {"in", "under"}


def other_limb(al: Alignment, r: Relation, a: int) -> Finding | None:
    """The target names another limb than the source does ("in his arms" for "on his back")."""
    verb, prep = split(asked(al, r))
    limb = r.object.head
    if limb not in LIMBS or not prep:
        return None
    for q in al.target.graph.relations_of(a, role="subject"):
        theirs = q.object.head
        if theirs not in LIMBS or theirs == limb or q.object.id in al.back or frozenset((limb, theirs)) in _NEAR_LIMBS:
            continue
        verb_t, prep_t = split(told(al, q))
        lifeless = not heads.is_living(r.subject.head)
        alike = lifeless or (light(verb) and light(verb_t)) or same(asked(al, r), told(al, q)) != UNRELATED
        if prep_t and alike:
            return Finding(WEAK, f'the text has "{q.subject.head} {q.text} {theirs}"')
    return None


def related_doing(al: Alignment, verb: tuple[str, ...], a: int) -> bool:
    """Whether the counterpart does something of the same class as the verb."""
    senses = lexicon().verbs
    roots = {s.id for v in verb for sense in senses.of(v)[:1] for s in sense.chain()}
    for fact in al.target.facts[a]:
        if fact.source != "action" or fact.negated or light(fact.words) or set(fact.words) & WEARING:
            continue
        if any(words.verb_grade(v, w) == CONFLICT for v in verb for w in fact.words):
            continue
        if roots & {s.id for w in fact.words for sense in senses.of(w)[:1] for s in sense.chain()}:
            return True
    return False
