"""What a verdict is kept under: hashes of everything that the answer depends on."""

from __future__ import annotations

import hashlib

from posh_lite.judge.contract import Identifier, Question


def digest(*parts: str) -> bytes:
    """SHA-256 over strings, each with its length, so that no two lists of parts run together."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.digest()


def question_digest(question: Question, signature: str, structural: bool) -> bytes:
    """The key of a verdict.

    Args:
        question: with its rendered prompt.
        signature: of the judge: model, revision, sampling settings.
        structural: whether the judge reads the question's structure besides the prompt. Then the source graph
            and the component's place in it are part of the key.
    """
    if not structural:
        return digest(signature, question.prompt)
    graph = question.source
    where = [question.side, question.kind, *_described(question.identifier), "object"]
    where += _described(question.object_identifier)
    for claim in (question.attribute, question.relation):
        where.append("-" if claim is None else f"{claim.id}:{claim.lemma}:{claim.kind}:{claim.negated}")
    if question.target_text not in question.prompt:  # it shows sentences alone, and the judge reads the whole text
        where += ["target", question.target_text]
    parser, text = ("", "") if graph is None else (graph.signature, graph.text)
    return digest(signature, question.prompt, parser, text, *where)


def seal(text: str, prompt: str) -> bytes:
    """Make a judge's words unreadable to anyone who does not hold the prompt that they answer.

    A rewritten identifier quotes the text that it names a part of. Logs are handed on without texts, so such an
    answer is masked with a stream of hashes of its prompt; who scores the same texts has the prompt and can read it.
    """
    data = text.encode("utf-8", "replace")
    return bytes(a ^ b for a, b in zip(data, _stream(prompt, len(data)), strict=True))


def unseal(data: bytes | None, prompt: str) -> str | None:
    """The words that :func:`seal` masked."""
    if data is None:
        return None
    return bytes(a ^ b for a, b in zip(data, _stream(prompt, len(data)), strict=True)).decode("utf-8", "replace")


def _stream(prompt: str, length: int) -> bytes:
    blocks = [digest("seal", prompt, str(n)) for n in range(-(-length // 32))]
    return b"".join(blocks)[:length]


def _described(identifier: Identifier | None) -> list[str]:
    parts: list[str] = []
    while identifier is not None:
        entity = identifier.entity
        parts += [
            identifier.text, identifier.kind,
            f"{entity.id}:{entity.head}:{entity.plural}:{entity.count}:{entity.negated}",
            "-" if identifier.attribute is None else str(identifier.attribute.id),
            "-" if identifier.relation is None else str(identifier.relation.id),
        ]
        identifier = identifier.whole
    return parts
