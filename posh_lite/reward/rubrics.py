"""Rubrics as a column of a data set: a list of claims, or its JSON text."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, get_args

from posh_lite.errors import InputError
from posh_lite.position.types import WEIGHTS, Claim, ClaimKind, Rubric
from posh_lite.records import is_text


def read_rubric(text: str, reference: str = "") -> Rubric:
    """A rubric from its JSON text.

    A list of claims, or an object with the list under "rubric" or "claims" and perhaps what made it under "signature".
    A claim has "claim" (or "text") and "dimension" (or "kind"), and perhaps "weight" (default: of its dimension,
    appendix A.1) and "keyword". That is the form of appendix A.1, and what :func:`rubric_json` writes.

    Args:
        text: JSON.
        reference: the text that the claims are of, where it is known.

    Raises:
        InputError: no such form, an unknown dimension, or a weight that is none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the rubric is not JSON: {error}", field="rubric") from None
    made_by = ""
    if isinstance(value, Mapping):
        made_by = str(value.get("signature") or "")
        value = value.get("rubric", value.get("claims"))
    if not isinstance(value, list):
        raise InputError("a rubric is a list of claims", field="rubric")
    claims = tuple(_claim(number, item) for number, item in enumerate(value))
    sealed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Rubric(reference, claims, made_by or f"given:{sealed}")


def _claim(number: int, item: Any) -> Claim:
    where = f"claim {number} of the rubric"
    if not isinstance(item, Mapping):
        raise InputError(f"{where} is no object but {type(item).__name__}", field="rubric")
    text, named = item.get("claim") or item.get("text"), item.get("dimension") or item.get("kind")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f'{where} has no text under "claim"', field="rubric")
    if not is_text(text):
        raise InputError(f"{where} holds half of a surrogate pair, which is no character", field="rubric")
    kind: ClaimKind | None = next((k for k in get_args(ClaimKind) if k == named), None)
    if kind is None:
        raise InputError(f'{where}: "dimension" must be one of {", ".join(get_args(ClaimKind))}, got {named!r}',
                         field="rubric")
    weight = item.get("weight")
    weight = WEIGHTS[kind] if weight is None else weight
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < math.inf:
        raise InputError(f"{where}: weight must be a number above 0, got {weight!r}", field="rubric")
    keyword = item.get("keyword")
    return Claim(number, text, kind, float(weight), keyword if isinstance(keyword, str) else text.split()[-1])


def rubric_json(rubric: Rubric) -> str:
    """A rubric as :func:`read_rubric` reads it.

    With the reference beside it, one of the embedded extractor is verified as if it were derived anew.
    """
    claims = [{"claim": c.text, "dimension": c.kind, "weight": c.weight, "keyword": c.keyword} for c in rubric.claims]
    return json.dumps({"rubric": claims, "signature": rubric.signature}, ensure_ascii=False)
