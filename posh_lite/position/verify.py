"""The embedded verifier: claims held against the scene graph of a caption, without a language model."""

from __future__ import annotations

from collections.abc import Sequence

from posh_lite.graph.types import SceneGraph
from posh_lite.judge.lexical.align import Alignment, align
from posh_lite.judge.lexical.view import View, make_view
from posh_lite.position.graphs import Graphs, rules_digest
from posh_lite.position.rubric import make_rubric
from posh_lite.position.rubric_claims import Basis, bases
from posh_lite.position.types import Claim, Finding, Rubric
from posh_lite.position.verify_evidence import Evidence
from posh_lite.position.verify_shapes import in_other_shape, nobody, of_nobody, substance
from posh_lite.position.verify_status import Reading, read_attributes, read_entity, read_relation
from posh_lite.position.verify_words import SAID, Sentence, borne_out, placed, sentences

#: Version of the rules that read a verdict from what the lexical judge finds; the signature has a hash of them too.
RULES = 2
_FILES = (
    "verify.py", "verify_beside.py", "verify_evidence.py", "verify_roles.py", "verify_shapes.py", "verify_status.py",
    "verify_values.py", "verify_words.py",
)


class LexicalVerifier:
    """Supported, Contradicted or Missing from the two scene graphs and the lexical judge's comparison of them.

    A contradiction needs a thing in the caption that is surely the one of the claim and that carries an incompatible
    colour, count, material, position, posture, role or polarity. What the caption does not say is Missing. The claims
    of a :class:`~posh_lite.position.rubric.GraphExtractor` are read from the reference's graph; those of any other
    extractor are parsed one by one.

    Args:
        graphs: scene graphs shared with an extractor.
    """

    def __init__(self, graphs: Graphs | None = None) -> None:
        self.graphs = graphs if graphs is not None else Graphs()
        self._sources: dict[str, tuple[View, tuple[Basis, ...]]] = {}

    @property
    def signature(self) -> str:
        from posh_lite import language
        from posh_lite.judge.lexical.judge import RULES as JUDGE
        from posh_lite.judge.lexical.lexicon import lexicon

        words = f"judge:{JUDGE} lexicon:{lexicon().digest[:10]}"
        return f"lexical-{RULES} rules:{rules_digest(_FILES)} {words} {language.signature()}"

    def verify(self, items: Sequence[tuple[str, Rubric]], /) -> list[tuple[Finding, ...]]:
        """For each caption and rubric one finding a claim, in the order of the claims."""
        return [self._one(caption, rubric) for caption, rubric in items]

    def _one(self, caption: str, rubric: Rubric) -> tuple[Finding, ...]:
        target = make_view(self.graphs.of([caption])[0])
        source = self._source(rubric)
        if source is not None:
            view, made = source
            al, told = align(view, target), sentences(target)
            return tuple(_finding(c, read(al, b, told), caption) for c, b in zip(rubric.claims, made, strict=True))
        return tuple(self._foreign(claim, target, caption) for claim in rubric.claims)

    def _source(self, rubric: Rubric) -> tuple[View, tuple[Basis, ...]] | None:
        """The graph behind a rubric of ours; None where the claims are another extractor's."""
        if not rubric.signature.startswith("graph-"):
            return None
        known = self._sources.get(rubric.reference)
        if known is None:
            graph = self.graphs.of([rubric.reference])[0]
            own, made = make_rubric(graph, rubric.signature)
            if own.claims != rubric.claims:
                return None
            known = self._sources[rubric.reference] = (make_view(graph), made)
        return known if len(known[1]) == len(rubric.claims) else None

    def _foreign(self, claim: Claim, target: View, caption: str) -> Finding:
        graph = self.graphs.of([claim.text])[0]
        return _finding(claim, read_graph(graph, target), caption)


def read(al: Alignment, basis: Basis, told: list[Sentence]) -> Reading:
    """The verdict on one claim of the source graph of an alignment.

    Args:
        al: reference against caption.
        basis: what the claim is about.
        told: the sentences of the caption, for a second look at what the graphs do not find.
    """
    first = _read_graphs(al, basis)
    if first.status != "Missing":
        return first
    shaped = in_other_shape(al, basis, told)
    if shaped is not None:
        return Reading("Supported", shaped, f'the text has "{al.target.graph.text[slice(*shaped.span)]}"')
    whole = substance(al, basis)
    if whole is not None and (meant := read_entity(al, whole)).status == "Supported":
        return meant
    if basis.entity is not None:
        return first
    found = borne_out(al, basis, told)
    if found is not None:
        return Reading("Supported", found, "one sentence names it and has words for what is claimed of it")
    place = placed(al, basis, told)
    if place is None:
        return first
    agrees, span = place
    said = al.target.graph.text[slice(*span)]
    if agrees:
        return Reading("Supported", Evidence(span, SAID), f'the text has "{said}" nearest to it')
    return Reading("Contradicted", Evidence(span, -1.0), f'the text has "{said}" beside it')


def _read_graphs(al: Alignment, basis: Basis) -> Reading:
    """What the two scene graphs say of the claim."""
    if basis.entity is None:
        if basis.relation is not None:
            return read_relation(al, basis.relation)
        return read_attributes(al, basis.attributes)
    deserted = nobody(al, basis.entity)
    if deserted is None:
        if of_nobody(basis.entity):
            return Reading("Missing", None, "the text neither has people nor says that there are none")
        return read_entity(al, basis.entity)
    agrees, span = deserted
    said = al.target.graph.text[slice(*span)]
    return Reading("Supported" if agrees else "Contradicted", Evidence(span, 5.0), f'the text has "{said}"')


def read_graph(claim: SceneGraph, target: View) -> Reading:
    """The verdict on a claim that is only known by its words: by what it says beyond naming things, if anything."""
    al, whole = align(make_view(claim), target), sentences(target)
    made = bases(claim)
    told = [b for b in made if b.entity is None] or made
    readings = [read(al, b, whole) for b in told]
    for status in ("Contradicted", "Missing", "Supported"):
        for reading in readings:
            if reading.status == status:
                return reading
    return Reading("Missing", None, "the claim could not be read")


def _finding(claim: Claim, reading: Reading, caption: str) -> Finding:
    if reading.evidence is None:
        return Finding(claim.id, "Missing", reason=reading.reason)
    a, b = reading.evidence.span
    return Finding(claim.id, reading.status, (a, b), caption[a:b], "given", reading.reason)
