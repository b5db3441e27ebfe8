"""Does THAT entity carry the attribute? Grades of questions about properties, counts, actions and places."""

from __future__ import annotations

from functools import cache

from posh_lite.graph.types import Attribute, Entity
from posh_lite.judge.lexical import compounds, heads, light, words
from posh_lite.judge.lexical.align import Alignment, Match
from posh_lite.judge.lexical.facts import best_fact, combine
from posh_lite.judge.lexical.findings import ABSENT, CONTRADICTED, ELSEWHERE, LIMBS, WEAK, Finding
from posh_lite.judge.lexical.lexicon import lexicon, word_set
from posh_lite.judge.lexical.view import View, place_words
from posh_lite.judge.lexical.words import CONFLICT, PARTIAL


def attribute_finding(al: Alignment, a: Attribute) -> Finding:
    """Grade of one attribute of a source entity; what cannot be judged or says next to nothing is left open."""
    found = _finding(al, a)
    if found.score >= PARTIAL or a.negated or found.reason.startswith("the text says") or a.kind == "position":
        return found
    if a.kind != "quantity" and (found.score < WEAK or found.reason.endswith("elsewhere in the text")):
        asked = words.content(a.text)
        if asked and _mild(al, a, asked):
            return Finding(PARTIAL, "it says next to nothing")
        if asked and not any(judged(w) for w in asked):
            return Finding(PARTIAL, "a word that the judge does not know")
    return found


def _mild(al: Alignment, a: Attribute, asked: list[str]) -> bool:
    """Whether every word says next to nothing and no word near the counterpart says the contrary."""
    lex = lexicon()
    if any(w not in lex.mild for w in (*asked, *words.tokens(a.text)) if w not in lex.empty):
        return False
    homes = {n for m in counterparts(al, a.entity)[:1] for n in al.target.sentences[m.target]}
    near = [t.text for t in al.target.tokens if t.sentence in homes or not homes]
    return not any(words.alike(w, other) == CONFLICT for w in asked for other in near)


@cache
def judged(word: str) -> bool:
    """Whether the lexicon knows the word as a property or a deed, so that its absence means something."""
    lex = lexicon()
    return any(lex.known(form) or form in lex.forms or form in lex.numbers for form in (word, *words.variants(word)))


def _finding(al: Alignment, a: Attribute) -> Finding:
    holders = counterparts(al, a.entity)
    if not holders:
        return _homeless(al, a)
    for theirs in al.target.graph.attributes_of(holders[0].target):
        if theirs.lemma == a.lemma and theirs.negated == a.negated:
            return Finding(5.0, f'the text has "{theirs.text}" of "{al.target.phrase(holders[0].target)}"')
    if a.kind == "quantity" or (a.lemma in lexicon().vague and a.kind == "property"):
        return _quantity(al, a, holders)
    if a.kind == "position":
        placed = place_finding(al, a.entity, holders, place_words(f"{a.lemma} {a.text}"))
        if placed is not None and placed.score != WEAK:
            return placed
    for noun in dict.fromkeys((a.entity.head, *(m.text.lower() for m in a.entity.mentions[:1]))):
        whole = f"{a.lemma} {noun}"
        if whole in lexicon().nouns.senses and not a.negated:
            for name in al.target.names[holders[0].target]:
                if {x.id for x in heads.senses(whole)} & {x.id for x in heads.senses(name)}:
                    return Finding(4.4, f'the text has "{name}"')
    faint = _faint(al, a, holders[0])
    if faint is not None:
        return faint
    best = Finding(ABSENT, "")
    for rank, match in enumerate(holders):
        finding = _on(al, a, match)
        score = finding.score - (0.0 if rank == 0 else 0.6)
        if rank and holders[0].target != match.target and score < 3:
            continue
        if score > best.score or not best.reason:
            best = Finding(score, finding.reason)
        if rank == 0 and finding.score <= CONTRADICTED and finding.reason.startswith("the text says"):
            break  # a conflict on the counterpart itself wins over what is said of namesakes
    if a.negated:
        return _negated(best)
    if best.score >= PARTIAL or best.reason.startswith("the text says"):
        return best
    around = max(_around(al, a, holders[0]), _of_part(al, a, holders[0]), key=lambda f: f.score)
    return around if around.score > best.score else best


#: What lifeless things do without doing anything: "a lamp stands", "the sky glows", "the road runs".
_IDLE = word_set(
    "stand sit lie rest hang glow shine rise stretch loom extend run lead wind tower appear float lean remain loom"
    " spread line be locate situate gleam sparkle cast fall reach dot"
)


def _faint(al: Alignment, a: Attribute, match: Match) -> Finding | None:
    """Idle verbs of lifeless things say next to nothing, unless the text says the contrary."""
    if a.kind != "action" or a.negated or heads.is_living(a.entity.head):
        return None
    verb = next((v for v in words.variants(a.lemma.split()[0] if a.lemma else "") if v in _IDLE), None)
    if verb is None:
        return None
    grade, fact = best_fact(verb, al.target.facts[match.target], "action")
    if grade < 0:
        return None
    said = f'"{fact.said}"' if fact and grade >= PARTIAL else f'"{al.target.phrase(match.target)}"'
    return Finding(max(3.4, grade), f"the text has {said}")


def counterparts(al: Alignment, s: Entity) -> list[Match]:
    """Target entities that may carry what is said of the source entity, the likeliest first."""
    found = [m for m in al.of(s.id) if not al.target.entity(m.target).negated]
    if not found:
        found = sorted(
            (m for m in al.candidates.get(s.id, ()) if m.head >= PARTIAL and not al.target.entity(m.target).negated),
            key=lambda m: (m.conflicts, -m.weight, m.target),
        )[:2]
    seen = {m.target for m in found}
    for match in list(found[:2]):
        t = al.target.entity(match.target)
        for number in (*t.members, *al.target.groups.get(t.id, ())):
            if number not in seen:
                seen.add(number)
                found.append(Match(number, match.head, match.name, weight=match.weight))
    return found


def _on(al: Alignment, a: Attribute, match: Match) -> Finding:
    """The attribute against the facts of one target entity."""
    view = al.target
    facts = view.facts[match.target]
    phrase = view.phrase(match.target)
    asked = words.content(a.text)
    composite = _composite(view, asked, a.text, match.target)
    if composite is not None:
        return composite
    grades: list[tuple[float, str]] = []
    for word in asked:
        grade, fact = best_fact(word, facts, a.kind)
        said = fact.said if fact else ""
        grades.append((grade, said))
    return combine(asked, grades, a.text, phrase)


def _composite(view: View, asked: list[str], text: str, number: int) -> Finding | None:
    """"red-haired" by red hair, "long-sleeved" by long sleeves: the part carries the rest."""
    gone = compounds.lacking(text)
    grade, said = compounds.on_absence(view, gone, number) if gone else (0.0, "")
    if grade >= PARTIAL:
        return Finding(grade, f'the text has "{said}"')
    if grade == CONFLICT:
        return Finding(CONTRADICTED, f'the text says "{said}", not "{text}"')
    if "-" not in text:
        return None
    compound = compounds.read(text)
    grade, said = compounds.on_parts(view, compound, number) if compound else (0.0, "")
    if grade == CONFLICT:
        return Finding(CONTRADICTED, f'the text says "{said}", not "{text}"')
    if grade >= PARTIAL:
        return Finding(min(grade, 4.6), f'the text has "{said}"')
    *rest, last = words.tokens(text)
    if not rest:
        return None
    for other in sorted(view.near[number]):
        head = heads.repaired(view.entity(other).head)[0].rpartition(" ")[2]
        if words.stem(last) != words.stem(head) or len(head) < 3:
            continue
        grades = [best_fact(w, view.facts[other]) for w in rest]
        found = combine(rest, [(g, f.said if f else "") for g, f in grades], text, view.phrase(other))
        if found.score >= PARTIAL or found.reason.startswith("the text says"):
            return Finding(min(found.score, 4.6), found.reason)
    return None


def _negated(found: Finding) -> Finding:
    """The answer to "is it NOT so?" from the answer to "is it so?"."""
    if found.score >= 3.5:
        return Finding(CONTRADICTED, found.reason)
    if found.reason.startswith("the text says"):
        return Finding(4.0, found.reason)
    return Finding(PARTIAL, "the text does not say otherwise")


def _quantity(al: Alignment, a: Attribute, holders: list[Match]) -> Finding:
    """Numbers against the stated count, the members, or the namesakes of the counterpart."""
    lex = lexicon()
    asked = [w for w in words.tokens(a.text) if w in lex.numbers or w in lex.vague or w.isdecimal()]
    asked = [w for w in asked if w not in ("a", "an")] or asked
    if not asked and words.tokens(a.text)[:1] and words.tokens(a.text)[0] in ("each", "every", "all", "both", "any"):
        return Finding(3.4, "each of them")
    if asked == ["a"] or (a.entity.head in LIMBS and al.target.entity(holders[0].target).head not in a.entity.head):
        asked = []
    if not asked:
        plain = _on(al, a, holders[0])
        t = al.target.entity(holders[0].target)
        return plain if plain.score >= PARTIAL else Finding(3.4 if t.plural or t.count else WEAK, "no number is said")
    word = asked[0]
    after = al.source.graph.text[a.spans[0][1] :][:4].lower() if a.spans else ""
    if after.startswith(" of ") and word in ("one", "some", "many", "few", "several", "two", "three"):
        return Finding(3.6, "a part of the group")
    exact = words.number(word) if word not in lex.vague or word in ("couple", "pair") else None
    low, high = (exact, exact) if exact is not None else lex.vague[word]
    t = al.target.entity(holders[0].target)
    phrase = al.target.phrase(t.id)
    same = [m for m in al.candidates.get(a.entity.id, ()) if m.head >= 4.2 and not al.target.entity(m.target).negated]
    total = sum(al.target.entity(m.target).count or 1 for m in same)
    stated = t.count or (len(t.members) if len(t.members) > 1 else None)
    if stated is None:
        stated = next((words.number(w) for f in al.target.facts[t.id] if f.source in ("implied", "compound")
                       for w in f.words if words.number(w) is not None), None)  # fmt: skip
    if stated is None and a.entity.part_of in al.one:  # "two masts" of a "two-masted" ship
        for f in al.target.facts[al.one[a.entity.part_of].target]:
            inside = any(words.alike(heads.singular(a.entity.head)[-1], w) >= 4.4 for w in f.words)
            if f.source in ("attribute", "compound") and inside:
                stated = next((words.number(w) for w in f.words if words.number(w) is not None), stated)
    vague = next((lex.vague[w] for f in al.target.facts[t.id] for w in f.words if w in lex.vague), None)
    if stated is not None:
        if low <= stated <= high:
            return Finding(5.0 if exact is not None else 4.2, f'the text has "{phrase}"')
        alone = sum(1 for e in al.source.graph.entities if e.head == a.entity.head) == 1
        if exact is not None and alone and total == exact and len(same) > 1:
            return Finding(4.2, f'the text has {total} of "{phrase}"')
        return Finding(CONTRADICTED, f'the text has "{phrase}", not "{a.text}"')
    if vague is not None:
        if vague[0] <= high and low <= vague[1]:
            return Finding(4.2 if exact is None else 3.4, f'the text has "{phrase}"')
        return Finding(CONTRADICTED, f'the text has "{phrase}", not "{a.text}"')
    if len(same) > 1 and low <= total <= high:
        return Finding(4.4, f"the text names {total} of them")
    people = [m for m in al.candidates.get(a.entity.id, ()) if m.head >= PARTIAL]
    if len(people) > 1 and low <= len(people) <= high:
        return Finding(4.0, f"the text names {len(people)} of them")
    if t.plural and low > 1:
        return Finding(3.2 if exact is not None else 3.6, f'the text has "{phrase}" without a number')
    if not t.plural and low <= 1:
        return Finding(4.6, f'the text has "{phrase}"')
    if not t.plural and low > 1 and total < low:
        return Finding(CONTRADICTED, f'the text has "{phrase}", not "{a.text}"')
    return Finding(1.5, f'the text has "{phrase}", not "{a.text}"')


def place_finding(
    al: Alignment, s: Entity, holders: list[Match], asked: dict[str, set[str]]
) -> Finding | None:
    """Where in the picture the counterpart is; None where no zone is asked."""
    if not asked:
        return None
    best: Finding | None = None
    for rank, match in enumerate(holders[:3]):
        theirs = al.target.places[match.target]
        phrase = al.target.phrase(match.target)
        shared = [g for g in asked if g in theirs]
        clash = [g for g in shared if not asked[g] & theirs[g]]
        agree = [g for g in shared if asked[g] & theirs[g]]
        if clash and rank == 0:
            value = sorted(theirs[clash[0]])[0]
            return Finding(CONTRADICTED, f'the text says "{phrase}" is at the {value}')
        if agree and not clash:
            score = 5.0 if len(agree) == len(asked) else 4.0
            found = Finding(score - 0.6 * min(rank, 1), f'the text places "{phrase}" there')
            best = found if best is None or found.score > best.score else best
    return best or Finding(WEAK, f'the text does not place "{al.target.phrase(holders[0].target)}" there')


def _around(al: Alignment, a: Attribute, match: Match) -> Finding:
    """Nothing attached says it: look for the word nearby, and at whom it is attached."""
    view = al.target
    home = view.sentences[match.target]
    phrase = view.phrase(match.target)
    best = Finding(ABSENT, f'nothing like "{a.text}" is said of "{phrase}"')
    asked = words.content(a.text)
    main = asked[-1] if asked else a.lemma
    kin = {m.target for m in al.candidates.get(a.entity.id, ()) if m.head >= PARTIAL}
    for token in view.tokens:
        grade = words.alike(main, token.text)
        if grade < 4:
            continue
        owners = set(token.owners) | ({token.head_of} if token.head_of is not None else set())
        owners.discard(match.target)
        if token.start in _before(view, match.target):
            return Finding(4.0, f'"{token.text}" stands before "{phrase}"')
        if not owners:
            if token.sentence in home:
                found = Finding(3.4, f'"{token.text}" stands near "{phrase}"')
            else:
                done = a.kind == "action" and grade >= 4.4 and not _done_by_another(al, a.entity, token.text)
                found = Finding(PARTIAL if done else 2.2, f'"{token.text}" stands elsewhere in the text')
        elif not token.owners and token.head_of is not None and token.head_of not in al.back and token.sentence in home:
            found = Finding(3.2, f'"{token.text}" stands near "{phrase}"')
        elif owners & view.near[match.target] and (
            not token.owners or not _rival(al, a.entity, owners) or any(_of(view, o, match.target) for o in owners)
        ):
            found = Finding(3.2, f'"{token.text}" is said of what belongs to "{phrase}"')
        elif any(o not in al.back and o in kin for o in owners):
            found = Finding(3.2, f'"{token.text}" is said of "{view.phrase(min(owners))}"')
        elif token.sentence in home and not token.owners and all(view.entity(o).role == "region" for o in owners):
            found = Finding(3.2, f'"{token.text}" stands near "{phrase}"')
        else:
            other = view.phrase(min(owners))
            found = Finding(ELSEWHERE, f'"{token.text}" is said of "{other}", not of "{phrase}"')
        if found.score > best.score:
            best = found
    return best


def _done_by_another(al: Alignment, s: Entity, verb: str) -> bool:
    """Whether the target says the deed of the counterpart of another source entity."""
    for number, facts in al.target.facts.items():
        if al.back.get(number, s.id) != s.id and any(
            f.source == "action" and any(words.alike(verb, w) >= 4.4 for w in f.words) for f in facts
        ):
            return True
    return False


def _of_part(al: Alignment, a: Attribute, match: Match) -> Finding:
    """"long" of the hair by "long-haired" of the woman."""
    t = al.target.entity(match.target)
    stem = words.stem(t.head.rpartition(" ")[2])
    if a.lemma in ("bare", "naked", "shoeless", "unshod") and heads.singular(a.entity.head)[-1] == "foot":
        for token in al.target.tokens:
            if compounds.lacking(token.text) == "shoe":
                return Finding(4.0, f'the text has "{token.text}"')
    for whole in (t.part_of, *sorted(al.target.near[t.id])):
        for fact in al.target.facts.get(whole, ()) if whole is not None else ():
            if fact.source != "attribute" or not any(words.stem(w) == stem for w in fact.words if w != t.head):
                continue
            grades = [max(words.alike(w, o) for o in fact.words) for w in words.content(a.text)]
            if grades and min(grades) >= PARTIAL:
                return Finding(4.0, f'the text has "{fact.said}"')
    return Finding(0.0, "")


def _before(view: View, number: int) -> set[int]:
    """Starts of the words right before the entity's nouns."""
    found = set()
    for one, two in zip(view.tokens, view.tokens[1:], strict=False):
        if two.head_of == number and one.sentence == two.sentence and not one.owners and (
            one.head_of is None or words.is_color(one.text) or heads.describes(one.text)
        ):
            found.add(one.start)
    return found


def _of(view: View, a: int, b: int) -> bool:
    """Whether one is "of" the other: a cup of coffee shares what is said of it."""
    return any(r.lemma == "of" and {r.subject.id, r.object.id} == {a, b} for r in view.graph.relations_of(a))


def _rival(al: Alignment, s: Entity, owners: set[int]) -> bool:
    """Whether the word's owner is the counterpart of another source entity, which has its own claim to it."""
    return any(o in al.back and al.back[o] != s.id for o in owners)


def _homeless(al: Alignment, a: Attribute) -> Finding:
    """The entity has no counterpart; a noun said as an adjective leaves its attributes near."""
    if light.light(al, a.entity) is not None:
        return Finding(PARTIAL, f'of "{a.entity.head}", which is no thing to look for')
    asked = words.content(a.text)
    whole = al.one.get(a.entity.part_of) if a.entity.part_of is not None else None
    if whole is not None and asked:  # "blond" of the hair by "blond" of the woman
        grades = [best_fact(w, al.target.facts[whole.target]) for w in asked]
        if all(g >= PARTIAL for g, _ in grades):
            return Finding(4.0, f'the text says so of "{al.target.phrase(whole.target)}"')
        if any(g == CONFLICT for g, _ in grades) and a.entity.head == "hair":
            return Finding(CONTRADICTED, f'the text says otherwise of "{al.target.phrase(whole.target)}"')
    grade, said = compounds.of_part(al.target, a.entity.head, asked[-1]) if asked else (0.0, "")
    if grade == CONFLICT:
        return Finding(CONTRADICTED, f'the text says "{said}", not "{a.text}"')
    if grade >= PARTIAL:
        return Finding(min(grade, 4.4), f'the text has "{said}"')
    for token in al.target.tokens:
        if asked and words.alike(asked[-1], token.text) >= 4 and not heads.is_living(a.entity.head):
            return Finding(3.1, f'the text has "{token.text}"')
    if a.entity.head in LIMBS:
        return Finding(3.2, "a part that goes without saying")
    return Finding(ABSENT, f'"{a.entity.head}" is not in the text')
