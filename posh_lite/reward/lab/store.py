"""What the laboratory records: verified sentences, so that nothing is verified anew, and the study itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from posh_lite.benchmarks.mini import Mistake, load_mini
from posh_lite.errors import InputError
from posh_lite.position.types import Claim, Finding, Rubric
from posh_lite.reward.lab.world import Sentence, Verified

SENTENCES = "sentences.json"
STUDY = "study.json"


def write_verified(verified: Sequence[Verified], path: str | Path) -> None:
    """Write verified sentences as JSON, a line a sentence."""
    rows = []
    for one in verified:
        claims = [[c.text, c.kind, c.weight, c.keyword, list(c.spans)] for c in one.rubric.claims]
        sentences = [
            [s.text, s.truth, [[m.start, m.end, m.type, m.fact, m.text] for m in s.mistakes], s.source,
             [[f.claim, f.status, *(f.evidence or ())] for f in s.findings], s.genericity]
            for s in one.sentences
        ]
        head = json.dumps({"work": one.work.slug, "signature": one.signature, "rubric": one.rubric.signature,
                           "dropped": one.rubric.n_dropped, "claims": claims}, ensure_ascii=False)
        body = ",\n".join(json.dumps(s, ensure_ascii=False) for s in sentences)
        rows.append(f'{head[:-1]}, "sentences": [\n{body}\n]}}')
    Path(path).write_text("[" + ",\n".join(rows) + "]\n", "utf-8")


def read_verified(path: str | Path) -> tuple[Verified, ...]:
    """The inverse of :func:`write_verified`, with the works of the corpus.

    Raises:
        InputError: the file cannot be read, or is of another state of the corpus.
    """
    works = {w.slug: w for w in load_mini().works}
    made = []
    for row in _read(path):
        work = works.get(row["work"])
        if work is None:
            raise InputError(f'the corpus has no work "{row["work"]}"; renew the record with posh-lite lab', path=path)
        claims = tuple(Claim(i, text, kind, weight, keyword, tuple((a, b) for a, b in spans))
                       for i, (text, kind, weight, keyword, spans) in enumerate(row["claims"]))
        sentences = tuple(
            Sentence(text, truth, tuple(Mistake(*m) for m in mistakes), source,
                     tuple(Finding(c, status, (a, b), text[a:b], "given") for c, status, a, b in findings), g)
            for text, truth, mistakes, source, findings, g in row["sentences"]
        )
        rubric = Rubric(work.reference, claims, row["rubric"], row["dropped"])
        made.append(Verified(work, rubric, sentences, row["signature"]))
    return tuple(made)


def write_study(study: dict[str, Any], path: str | Path) -> None:
    """Write a study with four decimals; a line an arm and seed."""
    text = json.dumps(_rounded({**study, "scenes": {}}), ensure_ascii=False)
    scenes = []
    for name, scene in study["scenes"].items():
        head = json.dumps(_rounded({k: v for k, v in scene.items() if k != "rows"}))
        rows = ",\n".join(json.dumps(_rounded(r)) for r in scene["rows"])
        scenes.append(f'{json.dumps(name)}: {head[:-1]}, "rows": [\n{rows}\n]}}')
    body = ",\n".join(scenes)
    Path(path).write_text(text.replace('"scenes": {}', '"scenes": {\n' + body + "\n}", 1) + "\n", "utf-8")


def read_study(path: str | Path) -> dict[str, Any]:
    """A recorded study.

    Raises:
        InputError: the file cannot be read.
    """
    return cast("dict[str, Any]", _read(path))


def _read(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}; write it with posh-lite lab -o DIR", path=path) from None
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", path=path) from None


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4) if value == value else None
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list | tuple) else value
