"""Whole texts: spans, batches, real model output, unusual characters, and how long it takes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from facts import facts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from posh_lite import language
from posh_lite.graph import SceneGraph, extract_graph, extract_graphs
from posh_lite.graph.extract import GrammarResolver
from posh_lite.graph.mentions import MentionDocument, Resolution

GraphOf = Callable[[str], SceneGraph]

TEXT = (
    "The tall woman, who wears a red hat, sits on a wooden bench. "
    "She holds a dog. To our left, the man\u2019s face is framed by dark gray curls."
)


def check_spans(graph: SceneGraph) -> None:
    """Offsets are exact, in order, and refer to the graph's own entities."""
    text = graph.text
    for number, entity in enumerate(graph.entities):
        assert entity.id == number
        assert entity.mentions
        assert entity.part_of is None or 0 <= entity.part_of < len(graph.entities) != entity.part_of
        assert list(entity.spans) == sorted(entity.spans)
        for mention in entity.mentions:
            assert text[mention.start : mention.end] == mention.text
            assert mention.phrase[0] <= mention.start
            assert mention.phrase[1] == mention.end
            low, high = graph.sentences[mention.sentence]
            assert low <= mention.start < mention.end <= high
    for component in (*graph.attributes, *graph.relations):
        assert component.spans
        assert all(0 <= a < b <= len(text) for a, b in component.spans)
        assert component.text.strip()
        assert component.lemma.strip()
    for relation in graph.relations:
        assert relation.subject is graph.entities[relation.subject.id]
        assert relation.object is graph.entities[relation.object.id]
        assert relation.subject.id != relation.object.id
    heads = [span for e in graph.entities for span in e.spans]
    assert len(heads) == len(set(heads)), "one word names one entity"
    json.dumps(graph.to_dict())


def test_facts_across_sentences(graph_of: GraphOf) -> None:
    graph = graph_of(TEXT)
    check_spans(graph)
    assert facts(graph) >= {
        "woman: tall", "woman | wear | hat", "hat: red", "hat < woman", "woman | sit on | bench", "bench: wooden",
        "woman | hold | dog", "face < man", "curl | frame | face", "curl: dark gray", "viewer = viewer",
    }  # fmt: skip
    woman = graph.entities[0]
    assert [m.text for m in woman.mentions] == ["woman", "who", "She"]
    assert [m.kind for m in woman.mentions] == ["noun", "relative", "pronoun"]


def test_empty_and_blank_texts_have_empty_graphs() -> None:
    for text in ("", " ", "\n\n", "...", "\u2014", "**", "1."):
        graph = extract_graph(text)
        assert graph.entities == graph.attributes == graph.relations == ()
        assert graph.text == text


@pytest.mark.parametrize(
    "text",
    [
        "Dog", "Red.", "Running quickly", "A", "!!!", "the the the of of of", "and, and, and",
        "Le chien noir dort sur le tapis.", "\u05db\u05dc\u05d1 \u05e9\u05d7\u05d5\u05e8 \u05d9\u05e9\u05df.",
        "\u0643\u0644\u0628 \u0646\u0627\u0626\u0645",
        "A \U0001f600 face with \U0001f468\u200d\U0001f469\u200d\U0001f467 emoji.", "A cafe\u0301 table.",
        "A\x00man\x00sits.",
        "A man.\r\nA dog.\r\n", "A\u00a0man\u00a0sits.", "\u201cNo,\u201d she said.", "x", "a-b-c-d-e-f", "--", "\"",
        "'",
        "<b>A man</b> sits.", "A man {name} sits on a 50% chair.", "100%", "\ufeffA man.", "| a | b |", "```",
        "$x$ \\frac{1}{2}",
        "red, blue, green, and yellow", "in front of", "on the left", "no", "not", "a pair of", "who", "its",
        "that which",
    ],
)  # fmt: skip
def test_unusual_texts_do_not_fail(text: str) -> None:
    check_spans(extract_graph(text))


WORDS = st.sampled_from(
    [
        "a",
        "the",
        "two",
        "no",
        "red",
        "dark-gray",
        "man",
        "woman's",
        "dog",
        "her",
        "it",
        "who",
        "which",
        "left",
        "right",
        "of",
        "with",
        "in",
        "on",
        "to",
        "and",
        ",",
        ".",
        "is",
        "are",
        "wearing",
        "holds",
        "not",
        "without",
        "pair",
        "group",
        "“EXIT”",
        '"STOP.',
        'Go"',
        "-",
        "*",
        "**",
        "\n",
        "1.",
        "…",
        "😀",
        "his",
        "it's",
        "rather",
        "than",
        "in",
        "front",
        "of",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
@example("of of of with with")
@example("pair of pair of pair of")
@example("one of one of the")
def test_any_word_order_gives_sound_spans(text: str) -> None:
    check_spans(extract_graph(text))


def test_markdown_and_preamble_are_not_described_things() -> None:
    text = (
        "Sure! Here is a detailed description of the image:\n\n"
        "## Overview\n\n"
        "1. **The woman:** She wears a *red* hat.\n"
        "2. **Background:** A tree stands behind her.\n\n"
        "Let me know if you need more details!"
    )
    graph = extract_graph(text)
    check_spans(graph)
    heads = {e.head for e in graph.entities}
    assert {"woman", "hat", "tree"} <= heads
    assert not heads & {"description", "overview", "detail", "image"}
    assert {"hat: red", "woman | wear | hat", "tree | stand behind | woman"} <= facts(graph)
    red = next(a for a in graph.attributes if a.lemma == "red")
    assert [text[a:b] for a, b in red.spans] == ["red"]


def test_a_batch_gives_the_graphs_of_its_texts_alone() -> None:
    texts = [TEXT, "", "A cat sleeps on a mat.", "There are no people."]
    assert [g.to_dict() for g in extract_graphs(texts)] == [extract_graph(t).to_dict() for t in texts]


def test_the_signature_names_parser_and_resolver() -> None:
    graph = extract_graph("A dog.", coreference=GrammarResolver())
    assert graph.signature == f"{language.signature()}+coref:grammar"


def test_clusters_of_a_resolver_are_merged_with_their_attachments() -> None:
    class SameNoun:
        signature = "same-noun"

        def resolve(self, document: MentionDocument) -> Resolution:
            dogs = tuple(c.index for c in document.candidates if c.noun == "dog")
            return Resolution(clusters=(dogs,))

    graph = extract_graph("A black dog sits. The dog has a collar.", coreference=SameNoun())
    assert facts(graph) == {"dog", "dog: black", "dog: sit", "collar", "collar < dog", "dog | have | collar"}


def test_equal_claims_are_one_component_with_all_their_spans() -> None:
    class AllDogs:
        signature = "all-dogs"

        def resolve(self, document: MentionDocument) -> Resolution:
            return Resolution(clusters=(tuple(c.index for c in document.candidates if c.noun == "dog"),))

    graph = extract_graph("A black dog sits. The black dog sits.", coreference=AllDogs())
    black = next(a for a in graph.attributes if a.lemma == "black")
    assert black.spans == ((2, 7), (22, 27))


def test_the_same_in_another_process() -> None:
    code = (
        f"import json; from posh_lite.graph import extract_graph; print(json.dumps(extract_graph({TEXT!r}).to_dict()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "2"}
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(extract_graph(TEXT).to_dict()))


def test_importing_the_package_loads_no_parser() -> None:
    code = "import sys, posh_lite, posh_lite.graph; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_long_texts_take_linear_time() -> None:
    def seconds(repeats: int) -> float:
        begin = time.process_time()
        extract_graph(" ".join([TEXT] * repeats), coreference=GrammarResolver())
        return time.process_time() - begin

    seconds(1)
    assert seconds(80) < 8 * max(seconds(20), 0.1)


def test_no_crash_on_the_image_in_words_texts(data_dir: Path) -> None:
    rows = [json.loads(line) for line in (data_dir / "iiw" / "IIW-400.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [row[key] for row in rows[:12] for key in ("IIW", "IIW-P5B") if row.get(key)]
    graphs = extract_graphs(texts)
    for graph in graphs:
        check_spans(graph)
        assert len(graph.entities) > 5
        assert graph.attributes
        assert graph.relations
