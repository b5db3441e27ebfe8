"""CAPTURE itself, by its authors' package: FACTUAL's parser, WordNet's synonyms, sentence embeddings for the rest.

The package's own entry point starts one process a GPU and puts its embedding on ``cuda:0`` whatever there is; here its
parts are called one after the other, on any device, with the same results.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.capture_graph import WEIGHTS
from posh_lite.baselines.figures import Figure, listed, signature, single, table, undefined, version_of
from posh_lite.baselines.hub import identity, lacks_model
from posh_lite.errors import MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

PARSER = "lizhuang144/flan-t5-base-VG-factual-sg"
ENCODER = "sentence-transformers/all-mpnet-base-v2"
#: What NLTK needs on disk, as path and name of the download.
_DATA = (
    ("tokenizers/punkt_tab", "punkt_tab"),
    ("taggers/averaged_perceptron_tagger_eng", "averaged_perceptron_tagger_eng"),
    ("corpora/wordnet", "wordnet"),
)


def lacking(parser: str = PARSER, encoder: str = ENCODER, **_: Any) -> list[str]:
    """What CAPTURE lacks here, for the registry: its packages are in no extra."""
    if importlib.util.find_spec("sentence_transformers") is None:
        named = "pip install capture-metric FactualSceneGraph"
        return [f"sentence_transformers: {install_command('baselines')}; capture-metric, FactualSceneGraph: {named}"]
    packages = {"capture_metric": "capture-metric", "factual_scene_graph": "FactualSceneGraph", "nltk": "nltk"}
    if absent := [name for module, name in packages.items() if importlib.util.find_spec(module) is None]:
        return [f"{', '.join(absent)}: pip install {' '.join(absent)}"]
    import nltk

    found = [*lacks_model(parser), *lacks_model(encoder)]
    if data := [name for path, name in _DATA if not _there(nltk, path)]:
        found.append(f"data of NLTK: python -m nltk.downloader {' '.join(data)}")
    return found


def _there(nltk: Any, path: str) -> bool:
    for form in (path, f"{path}.zip"):
        try:
            nltk.data.find(form)
        except (LookupError, OSError):
            continue
        return True
    return False


class Capture:
    """CAPTURE: F1 of objects, attributes and relations, weighed 5 : 5 : 2, matched exactly, by synonym and softly.

    Args:
        parser: FACTUAL's model, by name or folder.
        encoder: of the soft matching, a model of sentence-transformers by name or folder.
        device: "cuda:0", "cpu", ...; by default a GPU where there is one.
        by_side: mistakes are the weighted precisions and omissions the weighted recalls; by default each is the
            score, as in the paper.

    Raises:
        MissingDependency: a package, a model or data of NLTK is not there.
    """

    name = "capture"
    needs = frozenset({"reference", "model"})

    def __init__(
        self, parser: str = PARSER, encoder: str = ENCODER, device: str | None = None, by_side: bool = False
    ) -> None:
        if missing := lacking(parser, encoder):  # without NLTK's data its code would stop in a debugger
            raise MissingDependency(f"CAPTURE cannot run here: {'; '.join(missing)}")
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingDependency(f"CAPTURE needs {error.name}: {install_command('baselines')}") from None
        from capture_metric.capture import CAPTURE
        from factual_scene_graph.parser.scene_graph_parser import SceneGraphParser

        place = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
        self._capture = CAPTURE(soft_matching=False)
        self._capture.text_encoder = SentenceTransformer(encoder, device=place).eval()
        self._capture.soft_matching = True
        self._capture.parser = SceneGraphParser(parser, device=place)
        tokenizer: Any = self._capture.parser.tokenizer
        if not hasattr(tokenizer, "as_target_tokenizer"):  # transformers 5 dropped it; to T5 it never meant anything
            tokenizer.as_target_tokenizer = nullcontext
        self._models, self.by_side = (identity(parser), identity(encoder)), by_side

    @property
    def signature(self) -> str:
        parser, encoder = self._models
        sides = "precision,recall,f1" if self.by_side else "f1"
        return signature(self.name, "capture-metric", "FactualSceneGraph", parser=parser, soft=encoder, weights="5:5:2",
                         nltk=version_of("nltk"), sides=sides)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """The score three times, or by side; NaN where the parser found nothing in the reference."""
        rows = listed(pairs)
        texts = dict.fromkeys(text for p in rows for text in (p.generation, p.reference))
        parsed = {text: self._parse(text) for text in texts}
        return table(rows, (self._figure(parsed[p.generation], parsed[p.reference]) for p in rows))

    def _parse(self, text: str) -> tuple[Any, Any, Any]:
        """Objects, attributes and relations in a fixed order: the package hands over sets."""
        if not text.strip():
            return [], {}, []
        _, objects, attributes, relations = self._capture.sample_to_parse_results((0, text))
        return sorted(objects), {key: sorted(attributes[key]) for key in sorted(attributes)}, sorted(relations)

    def _figure(self, generation: tuple[Any, Any, Any], reference: tuple[Any, Any, Any]) -> Figure:
        if not any(reference):
            return undefined("CAPTURE's parser found nothing in the reference")
        found = [float(v) for v in self._capture.compute_f_score(reference, generation)]
        if not self.by_side:
            return single(found[0])
        kinds = tuple(WEIGHTS.values())
        mistakes = sum(w * p for w, p in zip(kinds, found[1::3], strict=True))
        omissions = sum(w * r for w, r in zip(kinds, found[2::3], strict=True))
        return Figure(mistakes, omissions, found[0])
