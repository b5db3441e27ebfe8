"""The Maverick resolver around a model that answers in the shape of ``maverick-coref`` 1.0.7 (no weights needed)."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from posh_lite.errors import MissingDependency
from posh_lite.graph.extract import extract_graph
from posh_lite.graph.maverick import LICENCE, MaverickResolver, match, tokenize
from posh_lite.graph.mentions import Candidate, CoreferenceResolver, MentionDocument, Resolution

TEXT = "The boy’s small fingers touch a cup that is red.\n\nHe lifts it, and we smile at our guest."


class Recorded:
    """Answers with fixed token offsets, whatever it is asked."""

    def __init__(self, clusters: list[list[tuple[int, int]]]) -> None:
        self.clusters = clusters
        self.asked: list[list[list[str]]] = []

    def predict(self, sample: list[list[str]]) -> dict[str, Any]:
        self.asked.append(sample)
        tokens = [word for sentence in sample for word in sentence]
        return {
            "tokens": tokens,
            "clusters_token_offsets": self.clusters,
            "clusters_char_offsets": None,
            "clusters_token_text": [[" ".join(tokens[a : b + 1]) for a, b in c] for c in self.clusters],
            "clusters_char_text": None,
        }


def candidate(index: int, word: str, phrase: str, **more: Any) -> Candidate:
    start, begin = TEXT.index(word), TEXT.index(phrase)
    return Candidate(
        index=index, start=start, end=start + len(word), text=word, phrase=(begin, begin + len(phrase)), sentence=0,
        kind=more.pop("kind", "noun"), head=word.lower(), noun=word.lower(), **more,
    )  # fmt: skip


CANDIDATES = (
    candidate(0, "boy’s", "The boy’s", kind="possessive"),
    candidate(1, "fingers", "The boy’s small fingers", possessor=0),
    candidate(2, "cup", "a cup"),
    candidate(3, "that", "that", kind="relative", antecedent=2),
    candidate(4, "He", "He", kind="pronoun"),
    candidate(5, "it,", "it,", kind="pronoun"),
    candidate(6, "we", "we", kind="pronoun", role="viewer"),
    candidate(7, "our", "our", kind="possessive", role="viewer"),
    candidate(8, "guest", "our guest", possessor=7),
)
DOCUMENT = MentionDocument(TEXT, ((0, 48), (50, len(TEXT))), CANDIDATES)


def test_sentences_are_given_as_words() -> None:
    sentences, offsets = tokenize(DOCUMENT)
    assert sentences[0][:4] == ["The", "boy", "’s", "small"]
    assert sentences[1][0] == "He"
    words = [word for sentence in sentences for word in sentence]
    assert [TEXT[a:b] for a, b in offsets] == words


def test_clusters_come_back_as_candidates() -> None:
    # Tokens: 0 The 1 boy 2 ’s 3 small 4 fingers 5 touch 6 a 7 cup 8 that 9 is 10 red 11 . 12 He 13 lifts 14 it
    model = Recorded([[(0, 2), (12, 12)], [(6, 10), (14, 14)]])
    resolver = MaverickResolver(model=model)
    resolution = resolver.resolve(MentionDocument(TEXT, DOCUMENT.sentences, tuple(
        c if c.index != 5 else candidate(5, "it", "it", kind="pronoun") for c in CANDIDATES
    )))  # fmt: skip
    assert resolution == Resolution(clusters=((0, 4), (2, 3, 5), (6, 7)))
    assert len(model.asked) == 1
    assert len(model.asked[0]) == 2


@pytest.mark.parametrize(
    ("span", "expected"),
    [("The boy’s", [0]), ("The boy’s small fingers", [1]), ("a cup that is red", [2]), ("touch", []), ("red", [])],
)
def test_a_span_names_its_head(span: str, expected: list[int]) -> None:
    start = TEXT.index(span)
    assert match(CANDIDATES, [(start, start + len(span))]) == expected


def test_whole_graph_with_a_recorded_answer() -> None:
    text = "A woman sits. She smiles."
    merged = extract_graph(text, coreference=MaverickResolver(model=Recorded([[(0, 1), (4, 4)]])))
    assert [[m.text for m in e.mentions] for e in merged.entities] == [["woman", "She"]]
    assert LICENCE in merged.signature
    assert "maverick" in merged.signature


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\x00"])
def test_nothing_to_resolve(text: str) -> None:
    resolver = MaverickResolver(model=Recorded([]))
    assert resolver.resolve(MentionDocument(text, ((0, len(text)),), ())) == Resolution()


def test_protocol_and_signature() -> None:
    resolver = MaverickResolver("some/model")
    assert isinstance(resolver, CoreferenceResolver)
    assert "some/model" in resolver.signature
    assert "CC BY-NC-SA 4.0" in resolver.signature


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "maverick", None)
    with pytest.raises(MissingDependency, match=r"posh-lite\[gpu\]"):
        MaverickResolver().resolve(DOCUMENT)


def test_missing_weights_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unreachable:
        def __init__(self, **_: Any) -> None:
            raise FileNotFoundError("no such checkpoint")

    torch, maverick, cuda = ModuleType("torch"), ModuleType("maverick"), ModuleType("cuda")
    cuda.is_available = lambda: False  # type: ignore[attr-defined]
    torch.cuda, maverick.Maverick = cuda, Unreachable  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "maverick", maverick)
    with pytest.raises(MissingDependency, match=r"weights\.ckpt"):
        MaverickResolver().resolve(DOCUMENT)
