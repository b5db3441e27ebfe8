"""Captions through the lens: rubric of the reference, findings in the caption, labelled sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from posh_lite.position.label import Precedence, label_sentences
from posh_lite.position.two_sided import CaptionSide, Lens, shared_graphs
from posh_lite.position.types import CaptionProfile, Extractor, Rubric, Verifier
from posh_lite.records import Pair

#: Captions that are verified at a time, so that the bar moves and a language model gets a batch.
BATCH = 16


def embedded() -> tuple[Extractor, Verifier]:
    """The embedded extractor and verifier; they share their scene graphs."""
    from posh_lite.position.graphs import Graphs
    from posh_lite.position.rubric import GraphExtractor
    from posh_lite.position.verify import LexicalVerifier

    graphs = Graphs()
    return GraphExtractor(graphs), LexicalVerifier(graphs)


def profile(
    pairs: Iterable[Pair], extractor: Extractor | None = None, verifier: Verifier | None = None, *,
    precedence: Precedence = "supported", units: Sequence[Hashable] | None = None, progress: bool = True,
    lens: Lens = "claims",
) -> list[CaptionProfile]:
    """Profiles of captions, in order.

    A reference that several pairs share is extracted once.

    Args:
        pairs: captions beside their references.
        extractor: makes the rubrics (default: the embedded one).
        verifier: holds them against the captions (default: the embedded one).
        precedence: see :func:`posh_lite.position.label.label_sentences`.
        units: the image of each pair (default: its ``image``, else its reference, so that all captions of one
            reference are drawn together).
        progress: show a bar.
        lens: "claims" is the paper's; "both" asks the reference for what the caption says, too
            (:mod:`posh_lite.position.two_sided`).

    Raises:
        ValueError: ``lens`` is neither, ``units`` is not of the length of the pairs, or an extractor or verifier broke
            its contract.
    """
    from tqdm import tqdm

    if lens not in ("claims", "both"):
        raise ValueError(f"lens must be claims or both, got {lens!r}")
    rows = list(pairs)
    if units is not None and len(units) != len(rows):
        raise ValueError(f"{len(units)} units for {len(rows)} pairs")
    if extractor is None and verifier is None:
        extractor, verifier = embedded()
    extractor = extractor if extractor is not None else embedded()[0]
    verifier = verifier if verifier is not None else embedded()[1]
    signature = f"{extractor.signature} > {verifier.signature}"
    if precedence != "supported":
        signature += f" {precedence} first"  # another rule of labels is another run
    rubrics: dict[str, Rubric] = {}
    found: list[CaptionProfile] = []
    with tqdm(total=len(rows), desc="captions", unit="caption", disable=not progress) as bar:
        for at in range(0, len(rows), BATCH):
            batch = rows[at : at + BATCH]
            new = [r for r in dict.fromkeys(p.reference for p in batch) if r not in rubrics]
            made = extractor.extract(new)
            if len(made) != len(new):
                raise ValueError(f"the extractor gave {len(made)} rubrics for {len(new)} references")
            rubrics.update(zip(new, made, strict=True))
            items = [(p.generation, rubrics[p.reference]) for p in batch]
            for pair, findings in zip(batch, verifier.verify(items), strict=True):
                rubric = rubrics[pair.reference]
                if len(findings) != len(rubric.claims):
                    raise ValueError(f"{pair.id}: {len(findings)} findings for {len(rubric.claims)} claims")
                labelled = label_sentences(pair.generation, rubric, findings, precedence=precedence)
                found.append(CaptionProfile(
                    pair.id, pair.image or pair.reference, pair.model or "", pair.generation, rubric, findings,
                    labelled, signature,
                ))
            bar.update(len(batch))
    if lens == "both":
        found = CaptionSide(shared_graphs((verifier, extractor))).through(found, precedence)
    if units is not None:
        found = [replace(p, unit=u) for p, u in zip(found, units, strict=True)]
    return found
