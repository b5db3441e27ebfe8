"""How much vectors and rules count for a claim: fitted numbers, kept with what they were fitted on and what they reach.

A logistic model of the numbers of :mod:`posh_lite.position.vector_features`; fitting is in
:mod:`posh_lite.position.vector_fit`. Numbers that were fitted with one model of sentence vectors mean nothing to
another: a few cosines of known phrases are kept to tell models apart, whatever name or folder they come under.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.embedding import Embedder
from posh_lite.errors import InputError
from posh_lite.judge.check import is_finite
from posh_lite.judge.saved import Fields, read_json, write_json
from posh_lite.position.vector_features import NAMES

if TYPE_CHECKING:
    from posh_lite.evaluation.bootstrap import Floats

FORMAT = 1
#: What the weights of the package were fitted with, as hubs call it.
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
#: Vectors of spelling, which need no model and no library.
SPELLING = "chars"
#: How to fit, for messages.
COMMAND = "python -m posh_lite.position.vector_fit --model MODEL -o FILE.json"
_SPELLING = re.compile(rf"{SPELLING}(?:-\d+-\d+-crc32-\d+)?")  # and no folder whose name begins so
_PROBES = (
    ("a red bonnet", "a scarlet cap"), ("a woman holds a jug", "a lady with a pitcher in her hand"),
    ("the sky is gray", "heavy clouds"), ("a dog lies asleep", "a dog runs"), ("on the left", "on the right"),
    ("two boats at sea", "a bowl of fruit"), ("a calm mood", "the light falls from a window"),
)
#: Most that a cosine of the same model may differ by, in another number format or on another processor.
ALIKE = 0.02


@dataclass(frozen=True, slots=True)
class VectorWeights:
    """A fitted model: log odds that the caption supports a claim, ``intercept + sum(slope * (x - mean) / sd)``.

    Attributes:
        model: what was named for the fit.
        embedder: signature of the embedder: the model's name or folder with a hash of its files.
        probes: cosines of pairs of phrases, to know the model again.
        rules: of the verifier whose verdicts are weighed, see :func:`rules_of`.
        intercept, means, sds, slopes: of the columns :data:`~posh_lite.position.vector_features.NAMES`.
        threshold: probability above which a claim is Supported.
        ridge: penalty of the fit.
        n: rows of the fit, a claim in a fact of a caption each.
        works: that they are of.
        cv: figures on works that were left out of the fit, as the command wrote them.
        data, data_sha256, date: of the fit.
    """

    model: str
    embedder: str
    probes: tuple[float, ...]
    rules: str
    intercept: float
    means: tuple[float, ...]
    sds: tuple[float, ...]
    slopes: tuple[float, ...]
    threshold: float
    ridge: float
    n: int
    works: tuple[str, ...]
    cv: Mapping[str, Any]
    data: str
    data_sha256: str
    date: str

    @property
    def name(self) -> str:
        """Eight hexadecimal digits: a hash of all that can change a verdict."""
        moves = [NAMES, self.intercept, self.means, self.sds, self.slopes, self.threshold]
        return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:8]

    def probabilities(self, rows: Floats) -> Floats:
        """That each claim is supported.

        Args:
            rows: of shape ``(claims, len(NAMES))``.
        """
        import numpy as np
        from scipy.special import expit

        z = (rows - np.array(self.means)) / np.array(self.sds)
        return np.asarray(expit(self.intercept + z @ np.array(self.slopes)), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; the columns stand by name."""
        row = asdict(self)
        columns = [
            {"name": name, "mean": m, "sd": s, "slope": b}
            for name, m, s, b in zip(NAMES, row.pop("means"), row.pop("sds"), row.pop("slopes"), strict=True)
        ]
        return {"posh_lite_position_vectors": FORMAT, **row, "columns": columns}

    def save(self, path: str | Path) -> None:
        """Write as JSON; a file of the name is replaced at once or not at all."""
        write_json(path, self.to_dict())

    def check(self, embedder: Embedder, rules: str, path: object = None) -> None:
        """Make sure that the numbers mean what they meant in the fit.

        Args:
            embedder: that is to be used.
            rules: that are to be weighed, see :func:`rules_of`.
            path: of the weights, for messages.

        Raises:
            InputError: they were fitted with another embedder or with other rules.
        """
        again = f"fit anew ({COMMAND}), or take them as they are with trust=True (--trust-weights)"
        if embedder.signature != self.embedder:
            found = probes(embedder)
            same = len(found) == len(self.probes) and all(
                abs(a - b) <= ALIKE for a, b in zip(found, self.probes, strict=True)  # never so of NaN
            )
            if not same:
                raise InputError(f'the weights were fitted with the vectors of "{self.embedder}", and those of'
                                 f' "{embedder.signature}" are others: {again}', path=path, field="embedder")
        if rules != self.rules:
            raise InputError(f'the weights were fitted with the rules "{self.rules}", and these are "{rules}": {again}',
                             path=path, field="rules")


def probes(embedder: Embedder) -> tuple[float, ...]:
    """Cosines of known pairs of phrases, rounded to four digits."""
    vectors = embedder([phrase for pair in _PROBES for phrase in pair])
    return tuple(round(float(vectors[k] @ vectors[k + 1]), 4) for k in range(0, len(vectors), 2))


def rules_of(signature: str) -> str:
    """What of a verifier's signature is rules and word lists, without the version of the language model of spaCy."""
    from posh_lite import language

    return signature.replace(language.signature(), "").strip()


def packaged_weights(model: str = MODEL) -> Path | None:
    """The weights that come with the package; None where it was built without.

    Args:
        model: "chars" or the signature of such vectors of spelling, which need no model, or any other name for the
            model of the package.
    """
    name = "chars.json" if _SPELLING.fullmatch(model) else "all-MiniLM-L6-v2.json"
    place = files("posh_lite.position").joinpath("vectors", name)
    return place if isinstance(place, Path) and place.is_file() else None


def load_weights(path: str | Path | None = None, *, model: str = MODEL) -> VectorWeights:
    """Read saved weights.

    Args:
        path: the file; by default the one of the package.
        model: whose weights of the package, see :func:`packaged_weights`.

    Raises:
        InputError: no such file, or a field of it is missing or wrong; file and field are named.
    """
    place = packaged_weights(model) if path is None else path
    if place is None:
        raise InputError(f"the package has no weights of the position verifier: {COMMAND}")
    wrong = "no weights of the position verifier"
    return weights_from_dict(read_json(place, absent=f"no such file of weights; {COMMAND}", wrong=wrong), path=place)


def weights_from_dict(row: Any, *, path: object = None) -> VectorWeights:
    """The inverse of :meth:`VectorWeights.to_dict`, checked.

    Raises:
        InputError: a field is missing or wrong.
    """
    if not isinstance(row, dict) or "posh_lite_position_vectors" not in row:
        raise InputError('no weights of the position verifier: field "posh_lite_position_vectors" is missing',
                         path=path, field="posh_lite_position_vectors")
    fields = Fields(row, path)
    if row["posh_lite_position_vectors"] != FORMAT:
        raise fields.wrong("posh_lite_position_vectors", f"{FORMAT}, the format that this version reads")
    fields.texts("model", "embedder", "rules", "data", "data_sha256", "date")
    fields.counts("n")
    for name in ("intercept", "threshold", "ridge"):
        if not is_finite(row.get(name)):
            raise fields.wrong(name, "a number")
    if not 0 < row["threshold"] < 1:
        raise fields.wrong("threshold", "above 0 and below 1")
    if not _numbers(row.get("probes")):
        raise fields.wrong("probes", "a list of numbers")
    columns: Any = row.get("columns")
    named = [c.get("name") if isinstance(c, dict) else None for c in columns] if isinstance(columns, list) else []
    if named != list(NAMES):
        raise fields.wrong("columns", f"the {len(NAMES)} columns that this version measures, in their order")
    for c in columns:
        if not _numbers([c.get(k) for k in ("mean", "sd", "slope")]) or c["sd"] <= 0:
            raise fields.wrong("columns", f'a mean, an sd above 0 and a slope each; "{c["name"]}" has none')
    if not isinstance(row.get("cv"), dict):
        raise fields.wrong("cv", "an object of figures")
    works = row.get("works")
    if not isinstance(works, list) or not all(isinstance(w, str) for w in works):
        raise fields.wrong("works", "a list of names")
    means, sds, slopes = (tuple(float(c[k]) for c in columns) for k in ("mean", "sd", "slope"))
    return VectorWeights(
        row["model"], row["embedder"], tuple(float(p) for p in row["probes"]), row["rules"], float(row["intercept"]),
        means, sds, slopes, float(row["threshold"]), float(row["ridge"]), row["n"], tuple(works), row["cv"],
        row["data"], row["data_sha256"], row["date"],
    )


def _numbers(values: Any) -> bool:
    return isinstance(values, Sequence) and not isinstance(values, str) and all(is_finite(v) for v in values)
