"""The verifier of rules and sentence vectors: what words mean decides where the rules' word lists do not know.

The rules answer first. A contradiction of theirs stands. Of every other claim a fitted model says whether the caption
supports it, from the rules' verdict and from how near the caption comes to it in a space of sentence vectors
(:mod:`posh_lite.position.vector_features`). No language model is asked; an embedding of 22 million parameters will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posh_lite.baselines.embedding import Embedder
from posh_lite.errors import MissingDependency
from posh_lite.position.graphs import Graphs, rules_digest
from posh_lite.position.types import Finding, Rubric, Verifier
from posh_lite.position.vector_features import Measured, VectorStore, measure
from posh_lite.position.vector_weights import MODEL, VectorWeights, load_weights, rules_of
from posh_lite.text import sentences

#: Version of the windows, the measures and how a verdict is told.
RULES = 1
#: Sentences from which on a caption has the paper's four quarters, and vectors a say.
SHORT = 4
_FILES = ("vector_verify.py", "vector_features.py", "vector_windows.py")


class VectorVerifier:
    """Supported, Contradicted or Missing from rules and sentence vectors.

    Args:
        embedder: makes the vectors.
        weights: a fitted model, its file, or by default the one of the package.
        verifier: the rules (default: the embedded verifier).
        graphs: scene graphs shared with an extractor, for the embedded verifier.
        trust: take weights that were fitted with another embedder or with other rules.

    Raises:
        InputError: the weights cannot be read, or were fitted with something else.
    """

    def __init__(
        self, embedder: Embedder, weights: VectorWeights | str | Path | None = None, *,
        verifier: Verifier | None = None, graphs: Graphs | None = None, trust: bool = False,
    ) -> None:  # fmt: skip
        if verifier is None:
            from posh_lite.position.verify import LexicalVerifier

            verifier = LexicalVerifier(graphs)
        self.rules, self.store = verifier, VectorStore(embedder)
        if not isinstance(weights, VectorWeights):
            self.weights = load_weights(weights, model=embedder.signature)
        else:
            self.weights = weights
        if not trust:
            path = None if isinstance(weights, VectorWeights) else weights
            self.weights.check(embedder, rules_of(verifier.signature), path)

    @property
    def graphs(self) -> Graphs | None:
        """Scene graphs of the rules, for who shares them."""
        return getattr(self.rules, "graphs", None)

    @property
    def signature(self) -> str:
        """Rules, embedder and weights."""
        return (f"vectors-{RULES} rules:{rules_digest(_FILES)} weights:{self.weights.name}"
                f" {self.store.embedder.signature} over {self.rules.signature}")

    def verify(self, items: Sequence[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        """For each caption and rubric one finding a claim, in the order of the claims."""
        told = self.rules.verify(items)
        measured = measure(items, told, self.store)
        return [
            decide(self.weights, caption, findings, found)
            for (caption, _), findings, found in zip(items, told, measured, strict=True)
        ]


def decide(
    weights: VectorWeights, caption: str, findings: Sequence[Finding], measured: Measured
) -> tuple[Finding, ...]:
    """Findings of the rules, changed where the model says otherwise.

    Contradictions, and claims without a readable verdict, stay as they are, and so does all of a caption of fewer than
    :data:`SHORT` sentences: the weights have seen none, and in so short a text few passages compete. Where the model
    finds what the rules do not, the evidence is the window of the caption that is nearest to the claim.

    Args:
        weights: the model.
        caption: the text.
        findings: of the rules.
        measured: of the same claims.
    """
    if len(sentences(caption)) < SHORT:
        return tuple(findings)
    found = []
    chances = weights.probabilities(measured.rows)
    for finding, chance, span, near in zip(findings, chances, measured.spans, measured.similarities, strict=True):
        yes, likely = bool(chance > weights.threshold), _chance(chance, weights.threshold)
        if finding.status == "Missing" and yes and span is not None:
            words = caption[slice(*span)]
            why = f'the text says much the same in "{words}" (similarity {near:.2f}; {likely})'
            finding = Finding(finding.claim, "Supported", span, words, "given", why)
        elif finding.status == "Supported" and not yes:
            why = (f'the text has "{finding.quote}", but no passage comes near enough to this claim rather than another'
                   f" (similarity {near:.2f}; {likely})")
            finding = Finding(finding.claim, "Missing", reason=why)
        found.append(finding)
    return tuple(found)


def _chance(chance: float, asked: float) -> str:
    return f"a chance of {100 * float(chance):.0f} in 100 that it is said, above {100 * asked:.0f} are asked"


def embedder_of(model: str = MODEL, **options: Any) -> Embedder:
    """A model of sentence vectors that is on this machine; nothing is downloaded.

    Args:
        model: "chars", a folder, or the name on a hub of a model that was downloaded before.
        options: of :class:`~posh_lite.baselines.embedding.SentenceTransformers`.

    Raises:
        MissingDependency: the library or the model is not here; the message says what to do.
    """
    from posh_lite.baselines.embedding import make_embedder
    from posh_lite.baselines.hub import lacks_model

    if model != "chars":
        from importlib.util import find_spec

        from posh_lite.judge.registry import install_command

        if find_spec("sentence_transformers") is None:
            raise MissingDependency(f"sentence vectors need: {install_command('baselines')}")
        if lacking := lacks_model(model):
            raise MissingDependency(lacking[0])
    return make_embedder(model, **options)
