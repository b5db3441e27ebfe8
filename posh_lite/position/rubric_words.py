"""Words that decide where a claim belongs: those of the scene, and the property that an adjective is a value of."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from posh_lite.graph.types import Attribute, Entity
from posh_lite.judge.lexical.lexicon import word_set

#: Properties whose values stay together in one claim ("large and round" of one thing is one fact about its form).
_TOGETHER = {"size": "form", "shape": "form", "number": "count"}
#: Lengths and widths that the lexicon keeps as opposites and not as a scale.
_FORM = word_set(
    "long short tall high low wide narrow broad thin thick slim slender deep shallow flat curved straight oval"
)


@cache
def scene_words() -> dict[str, frozenset[str]]:
    """The curated words by group: shot, light, time, weather, setting, properties."""
    text = files("posh_lite.position").joinpath("scene.toml").read_text(encoding="utf-8")
    return {name: frozenset(block.split()) for name, block in tomllib.loads(text).items()}


@cache
def scene_group(noun: str) -> str:
    """The group of a noun that speaks of the whole scene ("light" of "golden light"), or the empty string."""
    last = noun.rpartition(" ")[2]
    for name, words in scene_words().items():
        if name != "properties" and (noun in words or last in words):
            return name
    return ""


def is_scene(entity: Entity) -> bool:
    """Whether what is said of the entity is said of the whole scene: the picture, one of its zones, light, weather."""
    if entity.role in ("picture", "region"):
        return True
    return entity.role == "thing" and entity.part_of is None and bool(scene_group(entity.head))


@cache
def _value_of(word: str) -> str:
    from posh_lite.judge.lexical import words
    from posh_lite.judge.lexical.lexicon import lexicon

    lex = lexicon()
    forms = words.variants(word)
    if any(words.is_color(w) for w in forms) or word in lex.many_colors:
        return "color"
    if word in _FORM:
        return "form"
    for table in (lex.exclusive, lex.scales):
        for name, values in table.items():
            held = values.senses if hasattr(values, "senses") else values
            if any(w in held for w in forms):
                return _TOGETHER.get(name, name)
    return ""


def property_of(attribute: Attribute) -> str:
    """The property that an attribute is a value of: color, material, form, pattern, age ...

    The last word that the lexicon can place decides ("deep blue" is a colour). An action and a position are their own
    kinds. The empty string where nothing is known: such an attribute is a claim of its own.
    """
    from posh_lite.judge.lexical import words

    if attribute.kind != "property":
        return attribute.kind
    for word in reversed(words.tokens(attribute.lemma) or words.tokens(attribute.text)):
        found = _value_of(word)
        if found:
            return found
    return ""
