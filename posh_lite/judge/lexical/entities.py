"""Is the entity there? Grades of questions about presence."""

from __future__ import annotations

from posh_lite.graph.types import Entity
from posh_lite.judge.lexical import heads, light, words
from posh_lite.judge.lexical.align import PRONOUNS, Alignment, Match
from posh_lite.judge.lexical.facts import best_fact
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, LIMBS, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import place_words
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL

#: Nouns whose singular and plural say the same.
_INVARIANT = word_set(
    "sheep fish deer cattle people foliage hair greenery clothing furniture bread food fruit grass water snow sand rain"
    " fries trousers pants jeans shorts glasses sunglasses scissors wood woods ruin ruins stair stairs cloud clouds"
)
_DISTINCT = frozenset({"another", "second", "third", "other", "additional", "extra"})


def entity_finding(al: Alignment, s: Entity) -> Finding:
    """Presence of a source entity in the target; the alignment has weighed what singles it out among namesakes."""
    known = al.presence.get(s.id)
    if known is None:
        known = al.presence[s.id] = _presence(al, s)
    return known


def _presence(al: Alignment, s: Entity) -> Finding:
    if s.role == "viewer" or s.role in ("picture", "region"):
        return Finding(5.0, "not a thing to verify")
    if s.negated:
        return _absence(al, s)
    if s.role == "writing":
        written = _writing(al, s)
        if written is not None:
            return written
    matches = [m for m in al.of(s.id) if not al.target.entity(m.target).negated]
    denied = [m for m in al.candidates.get(s.id, ()) if al.target.entity(m.target).negated and m.head >= 4]
    if denied and not matches:
        return Finding(CONTRADICTED, f'the text says there is no "{denied[0].name}"')
    if s.id in al.one and matches and matches[0] is al.one[s.id]:
        return _of_another(al, s, matches[0], _numbered(al, s, matches[0], _named(al, s, matches[0])))
    shared = _shared(al, s)
    if shared is not None:
        return shared
    made = light.material(al, s)
    if made is not None:
        return made
    found = _named(al, s, matches[0]) if matches else _elsewise(al, s)
    if found.score >= PARTIAL:
        return found
    return light.light(al, s) or found


def _named(al: Alignment, s: Entity, match: Match) -> Finding:
    """The grade of the class name, with what the compound's first part needs."""
    grade = match.head
    phrase = al.target.phrase(match.target)
    verb = heads.repaired(s.head)[1]
    if verb:  # the parser made one noun of a subject and its verb: the verb is asked here
        done, fact = best_fact(verb, [f for f in al.target.facts[match.target] if f.source != "object"], "action")
        if done < PARTIAL:
            said = f'"{fact.said}"' if fact else "nothing of the kind"
            score = 1.7 if done == CONFLICT or heads.is_living(match.name) else 2.6
            return Finding(score, f'the text says {said} of "{phrase}"')
    if match.head < 4:
        mended = _mended(al, s, match)
        if mended:
            return Finding(max(grade, mended), f'the text has "{phrase}"')
    if grade < PARTIAL and min(len(s.head), len(match.name)) >= 3 and (
        s.head.startswith(match.name) or match.name.startswith(s.head)
    ):
        return Finding(3.2, f'the text has "{phrase}" for "{s.head}"')  # "sunset" by "the sun sets"
    if grade >= 4.9:
        return Finding(5.0, f'the text has "{phrase}"')
    if grade >= PARTIAL:
        return Finding(grade, f'the text has "{phrase}" for "{s.head}"')
    return Finding(grade, f'the text has "{phrase}", which is another kind')


def _mended(al: Alignment, s: Entity, match: Match) -> float:
    """"girl" by "young woman", "clock tower" by "tower with a clock", "chef" by a man who cooks: said otherwise."""
    lex = lexicon()
    facts = al.target.facts[match.target]
    said = [o for f in facts for o in f.words if not f.negated]
    *before, last = words.tokens(heads.repaired(s.head)[0]) or [""]
    if heads.closed(s.head, match.name) or heads.closed(match.name, s.head):
        mine = [o for f in al.source.facts[s.id] for o in f.words]
        first, theirs = heads.closed(s.head, match.name), heads.closed(match.name, s.head)
        if first in said or (theirs and theirs in mine):
            return 4.0  # "sandcastle" by "castle of sand"
    trade = heads.has_trade(s.head) and match.head >= 2.5
    if trade and before and all(any(words.stem(w) == words.stem(t.text) for t in al.target.tokens) for w in before):
        return 4.0  # "tennis player" by a woman who plays tennis
    if before:
        if all(max((words.alike(w, o) for o in said), default=0.0) >= PARTIAL for w in before):
            return 4.2
        if match.head >= PARTIAL and all(any(words.alike(w, t.text) >= 4 for t in al.target.tokens) for w in before):
            return 3.6
        return 0.0
    if not heads.is_person(s.head):
        return 0.0
    shows = (words.stem(last), *lex.evidence.get(heads.singular(last)[-1], ()), *lex.evidence.get(last, ()))
    if trade:
        stems, long = {words.stem(w) for w in shows}, tuple(w for w in shows if len(w) >= 5)
        if any(words.stem(t.text) in stems or t.text.startswith(long) for t in al.target.tokens):
            return 4.0
        return 0.0
    here, there = heads.traits(s.head), heads.traits(match.name)
    if {"m", "f"} & here and {"m", "f"} & there and not {"m", "f"} & here & there:
        return 0.0
    youth = ("young", "youthful", "teenage", "teenaged", "little")
    if "c" in here and "c" not in there:
        return 4.2 if any(w in youth for w in said) else 0.0
    if "c" in there and "c" not in here:
        return 4.0 if any(w in youth[:2] for f in al.source.facts[s.id] for w in f.words) else 0.0
    return 0.0


def _of_another(al: Alignment, s: Entity, match: Match, finding: Finding) -> Finding:
    """The hat is there, but on somebody else who has a counterpart of his own."""
    whole = al.target.entity(match.target).part_of
    if s.part_of is None or whole is None or s.part_of not in al.one or whole not in al.back:
        return finding
    mine, owner = al.one[s.part_of], al.back[whole]
    living = heads.is_living(al.target.entity(whole).head) and heads.is_living(al.source.entity(s.part_of).head)
    if not living or mine.target == whole or owner == s.part_of or mine.head < 4:
        return finding
    if mine.target in al.target.near[whole]:
        return finding
    if s.head in LIMBS or heads.singular(s.head)[-1] in LIMBS:
        return Finding(min(finding.score, 3.2), f'"{al.target.phrase(mine.target)}" has one')
    written = _written(al, s)
    if written is not None:
        return Finding(min(finding.score, written.score), written.reason)
    reason = f'"{al.target.phrase(match.target)}" is of "{al.target.phrase(whole)}"'
    return Finding(min(finding.score, heads.WEAK), reason)


def _as_color(al: Alignment, s: Entity, color: str) -> Finding | None:
    """"in white", "a touch of blue": the colour of what it is said of."""
    grades = []
    for r in al.source.graph.relations_of(s):
        other = r.subject if r.object.id == s.id else r.object
        if other.id in al.one:
            grades.append(best_fact(color, al.target.facts[al.one[other.id].target]))
    if not grades:
        return None
    grade, fact = max(grades, key=lambda g: g[0])
    if fact is None:
        return None
    if grade == CONFLICT:
        return Finding(ABSENT, f'the text has "{fact.said}" there')
    return Finding(max(ABSENT, min(grade, 4.2)), f'the text has it as "{fact.said}"')


def _numbered(al: Alignment, s: Entity, match: Match, finding: Finding) -> Finding:
    """One where the text has several, or several where it has one."""
    t = al.target.entity(match.target)
    if heads.repaired(s.head)[1] or heads.repaired(t.head)[1]:
        return finding
    if s.plural == t.plural or finding.score < PARTIAL or s.members or t.members:
        return finding
    if {s.head, t.head} & _INVARIANT or heads.is_group(s.head) or heads.is_group(t.head):
        return finding
    mine = _article(al.source.graph.text, s)
    theirs = _article(al.target.graph.text, t)
    namesakes_t = [m for m in al.candidates[s.id] if m.head >= PARTIAL]
    namesakes_s = sum(
        1 for other, ms in al.candidates.items() if other != s.id and any(m.target == t.id and m.head >= 4 for m in ms)
    )
    many_t = t.plural and (t.count or 2) >= 2
    if many_t and mine in ("a", "an", "one", "single", "lone") and namesakes_s == 0 and len(namesakes_t) == 1:
        if t.count or heads.is_living(s.head):
            return Finding(heads.WEAK, f'the text has several: "{al.target.phrase(t.id)}"')
        return Finding(3.4, f'the text has several: "{al.target.phrase(t.id)}"')
    if s.plural and theirs in ("a", "an", "one", "single", "lone") and len(namesakes_t) == 1 and namesakes_s == 0:
        if s.count or heads.is_living(s.head):
            return Finding(heads.WEAK, f'the text has one: "{al.target.phrase(t.id)}"')
        return Finding(3.2, f'the text has one: "{al.target.phrase(t.id)}"')
    return finding


def _article(text: str, e: Entity) -> str:
    if not e.mentions:
        return ""
    start, end = e.mentions[0].phrase
    first = words.tokens(text[start:end])
    return first[0] if first and "of" not in first else ""


def _shared(al: Alignment, s: Entity) -> Finding | None:
    """A target entity that another source entity took already: a group, the same thing named again, or one too many."""
    taken = [m for m in al.candidates.get(s.id, ()) if m.target in al.back and m.head >= PARTIAL]
    taken = [m for m in taken if not al.target.entity(m.target).negated and m.name not in PRONOUNS]
    if not taken:
        return None
    taken.sort(key=lambda m: (m.conflicts, -m.weight, m.target))
    if s.head in LIMBS:
        return Finding(3.2, f'the text has "{al.target.phrase(taken[0].target)}"')
    for m in taken:
        t = al.target.entity(m.target)
        other = al.source.entity(al.back[m.target])
        phrase = al.target.phrase(m.target)
        if (t.plural or t.members or heads.is_group(t.head)) and not m.conflicts:
            return Finding(min(m.head, 4.5), f'one of "{phrase}"')
        if s.id in other.members or other.id in s.members or other.part_of == s.id:
            return Finding(min(m.head, 4.5), f'the text has "{phrase}"')
        first = words.tokens(al.source.graph.text[slice(*s.mentions[0].phrase)])[:2] if s.mentions else []
        distinct = bool(set(first) & _DISTINCT) or (s.count or 0) > 1
        same_class = other.head == s.head
        indefinite = first[:1] in (["a"], ["an"], ["one"])
        if m.conflicts or (distinct and same_class):
            continue
        if same_class and indefinite:
            continue
        if m.head >= PARTIAL:
            return Finding(min(m.head, 4.0), f'the text has "{phrase}", named already')
    written = _written(al, s) or _said_of(al, s)
    if written is not None:
        return written
    best = taken[0]
    return Finding(WEAK, f'"{al.target.phrase(best.target)}" is another one')


def _written(al: Alignment, s: Entity) -> Finding | None:
    """The text has the very word where the parser saw no thing."""
    for token in al.target.tokens:
        if token.head_of is None and not token.owners and heads.grade(s.head, token.text) >= words.BROADER:
            return Finding(3.4, f'the text has the word "{token.text}"')
    return None


def _said_of(al: Alignment, s: Entity) -> Finding | None:
    """"masts" of a schooner by a "two-masted" one: said as a property of the whole."""
    if s.part_of not in al.one:
        return None
    whole = al.one[s.part_of].target
    for fact in al.target.facts[whole]:
        if not fact.negated and fact.source in ("attribute", "compound"):
            for word in fact.words:
                if words.alike(words.variants(s.head)[-1], word) >= words.DERIVED - 0.2:
                    return Finding(4.0, f'the text has it as "{fact.said}" of "{al.target.phrase(whole)}"')
    return None


def _absence(al: Alignment, s: Entity) -> Finding:
    matches = [m for m in al.candidates.get(s.id, ()) if m.head >= PARTIAL]
    denied = [m for m in matches if al.target.entity(m.target).negated]
    if denied:
        return Finding(5.0, f'the text says so of "{denied[0].name}"')
    there = [m for m in matches if m.head >= 4]
    if there:
        return Finding(CONTRADICTED, f'the text has "{al.target.phrase(there[0].target)}"')
    return Finding(PARTIAL, "the text does not mention it, nor its absence")


def _writing(al: Alignment, s: Entity) -> Finding | None:
    """Quoted words: letter by letter, whatever the case."""
    mine = "".join(words.tokens(" ".join(m.text for m in s.mentions[:1])))
    text = "".join(words.tokens(al.target.graph.text))
    if mine and mine in text:
        return Finding(5.0, f'the text has the words "{s.mentions[0].text}"')
    others = [t for t in al.target.graph.entities if t.role == "writing"]
    if others:
        return Finding(1.2, f'the text has the words "{others[0].mentions[0].text}"')
    return None


def _elsewise(al: Alignment, s: Entity) -> Finding:
    """A noun said as an adjective or a verb ("a smile" by "smiling"), or a generic word."""
    lex = lexicon()
    if s.head in LIMBS:
        owners = [al.one[s.part_of].target] if s.part_of in al.one else sorted(al.back) if s.part_of is None else []
        living = [t for t in owners if heads.is_living(al.target.entity(t).head)]
        if living:
            return Finding(3.4, f'"{al.target.phrase(living[0])}" has one')
    last = words.tokens(s.head)[-1] if words.tokens(s.head) else s.head
    owner = s.part_of
    if words.is_color(last) and not heads.senses(last):
        colored = _as_color(al, s, last)
        if colored is not None:
            return colored
    best: tuple[float, str] = (0.0, "")
    for number, facts in al.target.facts.items():
        for fact in facts:
            if fact.negated or fact.source in ("implied",):
                continue
            for word in fact.words:
                grade = words.alike(last, word)
                if grade >= words.DERIVED - 0.2 or (grade >= 4 and words.is_color(last) and words.is_color(word)):
                    near = owner is not None and owner in al.one and al.one[owner].target == number
                    best = max(best, (4.2 if near else 3.6, f'"{fact.said}" of "{al.target.phrase(number)}"'))
    if best[0]:
        return Finding(best[0], f"the text has it as {best[1]}")
    for token in al.target.tokens:
        if len(last) >= 4 and token.text.startswith(last) and heads.senses(token.text.removeprefix(last)):
            return Finding(3.4, f'the text has "{token.text}"')
        if token.text == last or (words.alike(last, token.text) >= words.DERIVED - 0.2 and len(last) > 3):
            return Finding(3.2, f'the text has the word "{token.text}"')
    zone = place_words(last)
    for t in al.target.graph.entities:
        other = place_words(t.head)
        if t.id not in al.back and any(g in other and not zone[g] & other[g] for g in zone):
            return Finding(1.4, f'the text has "{al.target.phrase(t.id)}"')
    if last in lex.generic or s.head in lex.generic:
        return Finding(3.3, "a general word that the text need not repeat")
    rivals = [
        t for t in al.target.graph.entities
        if t.role == "thing" and t.id not in al.back and heads.grade(s.head, t.head) in (heads.WEAK, heads.SIBLING)
    ]
    if rivals:
        return Finding(ABSENT, f'not in the text, which has "{al.target.phrase(rivals[0].id)}" instead')
    return Finding(ABSENT, "not in the text")
