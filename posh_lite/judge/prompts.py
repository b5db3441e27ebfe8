"""The prompts of a judge: read from a TOML file, checked, and filled in safely.

The shape follows the PoSh paper (appendix "Prompts"): for mistakes the judge sees both texts, for omissions only
the target. Texts are put in by a single pass over the template, so braces, per cent signs and anything else in a
caption stay what they are.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from posh_lite.errors import InputError
from posh_lite.judge.contract import Side

_DEFAULT = Path(__file__).with_name("prompts.toml")
_FIELD = re.compile(r"\{([a-z_]+)\}")
#: Every template with the fields that it must use and those that it may use besides.
_TEMPLATES: dict[tuple[str, str], tuple[frozenset[str], frozenset[str]]] = {
    ("frame", "generation"): (frozenset({"target", "question"}), frozenset({"source", "guide"})),
    ("frame", "reference"): (frozenset({"target", "question"}), frozenset({"guide"})),
    ("guide", "five"): (frozenset(), frozenset()),
    ("guide", "yes_no"): (frozenset(), frozenset()),
    ("question", "entity"): (frozenset({"identifier"}), frozenset()),
    ("question", "entity_absent"): (frozenset({"identifier"}), frozenset()),
    ("question", "attribute"): (frozenset({"identifier", "attribute"}), frozenset()),
    ("question", "attribute_negated"): (frozenset({"identifier", "attribute"}), frozenset()),
    ("question", "relation"): (frozenset({"identifier", "object", "relation"}), frozenset()),
    ("question", "relation_negated"): (frozenset({"identifier", "object", "relation"}), frozenset()),
    ("rewrite", "attribute"): (frozenset({"identifier"}), frozenset()),
    ("rewrite", "relation"): (frozenset({"identifier"}), frozenset()),
}
#: Marks of chat templates ("<|im_end|>", "</s>", "[INST]"), which tokenizers read as the end of a message.
_MARK = re.compile(
    r"<(?=[|\uff5c][^<>\n]{1,40}[|\uff5c]>|/?(?:s|bos|eos|pad|unk|think|tool_call|(?:start|end)_of_(?:turn|image))>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT)\])"
)
#: Fields of any template; only these are replaced, so that other braces can stand in a prompt.
_KNOWN = frozenset().union(*(a | b for a, b in _TEMPLATES.values()))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values into a template in one pass; braces inside the values are never looked at."""
    return _FIELD.sub(lambda m: values[m[1]] if m[1] in values else m[0], template)


def inert(text: str) -> str:
    """A text as a prompt shows it: a blank breaks up marks of chat templates, lest a caption answer for the model."""
    return _MARK.sub(r"\g<0> ", text)


@dataclass(frozen=True, slots=True)
class Prompts:
    """A checked set of templates.

    Attributes:
        templates: by section and name, as in the TOML file.
        digest: SHA-256 of the file, in hexadecimal; its beginning stands in the signature.
        source: the file's name, for error messages.
        scale: of the judge that is asked: "1-5" and "sampled" want a digit, "yes-no" a word.
    """

    templates: dict[tuple[str, str], str]
    digest: str
    source: str = "prompts.toml"
    scale: str = "1-5"

    def on(self, scale: str) -> Prompts:
        """The same prompts with the guide of another scale."""
        return replace(self, scale=scale)

    def question(self, name: str, side: Side, **values: str) -> str:
        """The question alone, as a report shows it.

        Args:
            name: "entity", "entity_absent", "attribute", "attribute_negated", "relation" or "relation_negated".
            side: the text that the component comes from.
            values: ``identifier`` and, where the question needs them, ``attribute``, ``relation``, ``object``.
        """
        return fill(self.templates["question", name], {k: inert(v) for k, v in values.items()})

    def render(self, question: str, side: Side, *, target: str, source: str) -> str:
        """The whole prompt: both texts for mistakes (side "generation"), the target alone for omissions."""
        before, after = self.around(side, target=target, source=source)
        return f"{before}{question}{after}"

    def around(self, side: Side, *, target: str, source: str) -> tuple[str, str]:
        """What stands before and after the question: the same for all questions of one side of a pair."""
        before, _, after = self.templates["frame", side].partition("{question}")
        guide = self.templates["guide", "yes_no" if self.scale == "yes-no" else "five"]
        values = {"target": inert(target), "source": inert(source), "guide": guide}
        return fill(before, values), fill(after, values)

    def rewrite(self, kind: str, identifier: str) -> str:
        """The prompt that asks for a fluent noun phrase; ``kind`` is "attribute" or "relation"."""
        return fill(self.templates["rewrite", kind], {"identifier": inert(identifier)})


def load_prompts(path: str | Path | None = None) -> Prompts:
    """Read and check a prompt file; without a path, the package's own.

    Raises:
        InputError: no such file, not TOML, a template is missing, or it uses a wrong field.
    """
    return _load(str(_DEFAULT if path is None else path))


@lru_cache(maxsize=8)
def _read(path: str, digest: str, data: bytes) -> Prompts:
    try:
        tables = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a valid TOML file: {error}", path=path) from None
    templates: dict[tuple[str, str], str] = {}
    for (section, name), (needed, allowed) in _TEMPLATES.items():
        value = tables.get(section, {}).get(name) if isinstance(tables.get(section, {}), dict) else None
        if not isinstance(value, str):
            raise InputError(f'template "{name}" is missing in section [{section}]', path=path, field=name)
        used = set(_FIELD.findall(value)) & _KNOWN
        for field in sorted(needed - used):
            raise InputError(f'template [{section}] {name} must contain "{{{field}}}"', path=path, field=name)
        for field in sorted(used - needed - allowed):
            raise InputError(f'template [{section}] {name} cannot use "{{{field}}}"', path=path, field=name)
        if name in ("generation", "reference") and value.count("{question}") != 1:
            raise InputError(f'template [{section}] {name} must contain "{{question}}" once', path=path, field=name)
        templates[section, name] = value.lstrip("\n")
    return Prompts(templates, digest, Path(path).name)


def _load(path: str) -> Prompts:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"prompt file cannot be read: {error.strerror}", path=path) from None
    return _read(path, hashlib.sha256(data).hexdigest(), data)
