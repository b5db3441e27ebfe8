"""BLEU, ROUGE, METEOR and CIDEr: equal to the libraries that define them, and right by hand on small cases."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from posh_lite.baselines.cider import Cider, Documents, cider, ngrams
from posh_lite.baselines.overlap import Bleu, NltkMeteor, RougeLsum, one_sentence_a_line, words
from posh_lite.baselines.registry import METRICS
from posh_lite.baselines.treebank import treebank_tokens
from posh_lite.baselines.wordnet import WordNet, open_wordnet, wordnet_folder
from posh_lite.errors import InputError
from posh_lite.records import Pair, pair_from_dict, read_jsonl

DATA = Path(__file__).with_name("baselines")
TEN = [pair_from_dict(row) for _, row in read_jsonl(DATA / "ten_pairs.jsonl")]
#: What pycocoevalcap itself says of the ten pairs: see ``tests/baselines/record.py``.
RECORDED: dict[str, dict[str, float]] = json.loads((DATA / "coco.json").read_text("utf-8"))


def figures(metric: Any, pairs: list[Pair] = TEN) -> list[float]:
    frame = metric.score(pairs)
    assert frame["mistakes"].equals(frame["omissions"]) and frame["mistakes"].equals(frame["overall"])
    return [float(v) for v in frame["overall"]]


# -- BLEU -------------------------------------------------------------------------------------------------------


def test_bleu_is_sacrebleus() -> None:
    import sacrebleu

    expected = [sacrebleu.sentence_bleu(p.generation, [p.reference]).score / 100 for p in TEN]
    assert figures(Bleu()) == pytest.approx(expected, abs=1e-12) and min(expected) > 0


def test_bleu_by_hand() -> None:
    """Precisions 4/5, 3/4, 2/3, 1/2 and no penalty: a b c d x against a b c d e."""
    expected = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert figures(Bleu(), [Pair("x", "a b c d x", "a b c d e")]) == [pytest.approx(expected)]


def test_bleu_leaves_out_orders_that_a_text_is_too_short_for() -> None:
    assert figures(Bleu(), [Pair("x", "A dog", "A dog"), Pair("y", "dog", "dog")]) == [pytest.approx(1)] * 2


def test_bleu_settings_are_in_the_signature() -> None:
    found = Bleu(tokenize="char", smooth="floor", lowercase=True).signature
    assert "tok:char|smooth:floor|eff:yes|case:lc" in found and "sacrebleu:" in found
    assert figures(Bleu(lowercase=True), [Pair("x", "a DOG runs home", "A dog runs home")]) == [pytest.approx(1)]


# -- ROUGE ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stemmer", [True, False])
def test_rouge_is_rouge_scores(stemmer: bool) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeLsum"], use_stemmer=stemmer)
    texts = [(one_sentence_a_line(p.reference), one_sentence_a_line(p.generation)) for p in TEN]
    found = [scorer.score(*both)["rougeLsum"] for both in texts]
    assert figures(RougeLsum(stemmer=stemmer)) == [one.fmeasure for one in found]
    sides = RougeLsum(stemmer=stemmer, by_side=True).score(TEN)
    assert sides["mistakes"].tolist() == [one.precision for one in found]
    assert sides["omissions"].tolist() == [one.recall for one in found]
    assert sides["overall"].tolist() == [one.fmeasure for one in found]


def test_rouge_of_texts_as_they_are_is_a_plain_call_of_the_library() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeLsum"], use_stemmer=True)
    plain = RougeLsum(sentences="lines")
    assert figures(plain) == [scorer.score(p.reference, p.generation)["rougeLsum"].fmeasure for p in TEN]
    assert figures(plain) != figures(RougeLsum()) and "sentences:lines" in plain.signature
    with pytest.raises(InputError, match="posh-lite or lines"):
        RougeLsum(sentences="nltk")


def test_rouge_by_hand() -> None:
    """Of "A dog runs." three words are in "A big dog. It runs fast.", which has six: each sentence gives its run."""
    frame = RougeLsum(stemmer=False, by_side=True).score([Pair("x", "A dog runs.", "A big dog. It runs fast.")])
    assert frame["mistakes"][0] == 1 and frame["omissions"][0] == 0.5 and frame["overall"][0] == pytest.approx(2 / 3)


def test_one_sentence_a_line() -> None:
    assert one_sentence_a_line("A dog.\nIt is  brown. ") == "A dog.\nIt is brown." and one_sentence_a_line("") == ""


# -- METEOR -----------------------------------------------------------------------------------------------------


class Nothing:
    def synsets(self, word: str) -> list[Any]:
        return []


def test_meteor_without_synonyms_is_nltks() -> None:
    from nltk.translate.meteor_score import meteor_score

    expected = [meteor_score([words(p.reference)], words(p.generation), wordnet=Nothing()) for p in TEN]
    assert figures(NltkMeteor()) == expected and min(expected) > 0.1


def test_meteor_by_hand() -> None:
    """Three of four words match in two chunks; "dogs" by its stem. P = 3/4, R = 3/3."""
    fmean = 0.75 * 1 / (0.9 * 0.75 + 0.1 * 1)
    expected = (1 - 0.5 * (2 / 3) ** 3) * fmean
    assert figures(NltkMeteor(), [Pair("x", "Two dogs swiftly run", "two dog run")]) == [pytest.approx(expected)]


def write_wordnet(folder: Path) -> Path:
    """A WordNet of two synsets, {couch, sofa} and {run}, in the format of the real one."""
    for part in ("noun", "verb", "adj", "adv"):
        for kind in ("data", "index"):
            (folder / f"{kind}.{part}").write_text("  1 a licence\n", "utf-8")
    for part, line, heads in (("noun", "06 n 02 sofa 0 couch 0 000 | furniture", ("couch", "sofa")),
                              ("verb", "38 v 01 run 0 000 00 | go fast", ("run",))):  # fmt: skip
        start = len("  1 a licence\n")
        (folder / f"data.{part}").write_text(f"  1 a licence\n{start:08d} {line}\n", "utf-8")
        rows = "".join(f"{head} {part[0]} 1 0 1 0 {start:08d}  \n" for head in heads)
        (folder / f"index.{part}").write_text(f"  1 a licence\n{rows}", "utf-8")
    (folder / "verb.exc").write_text("ran run\n", "utf-8")
    return folder


def test_meteor_with_synonyms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_wordnet(tmp_path)
    pair = Pair("x", "a couch", "a sofa")
    assert figures(NltkMeteor(), [pair])[0] == pytest.approx(0.25)  # one match of two words, one chunk: 0.5 (1 - 0.5)
    assert figures(NltkMeteor(str(folder)), [pair])[0] == pytest.approx(1 - 0.5 / 2**3)
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    assert wordnet_folder() == folder and METRICS["meteor-nltk"].lacks() == []
    assert NltkMeteor("find").name == "meteor-nltk" and "|synonyms:wordnet-" in NltkMeteor("find").signature


def test_base_forms(tmp_path: Path) -> None:
    found = WordNet(write_wordnet(tmp_path))

    def lemmas(word: str) -> list[list[str]]:
        return [[lemma.name() for lemma in synset.lemmas()] for synset in found.synsets(word)]

    assert lemmas("Couches") == lemmas("couch") == lemmas("sofas") == [["sofa", "couch"]]
    assert lemmas("ran") == lemmas("run") == lemmas("runs") == [["run"]]
    assert lemmas("table") == lemmas("running around") == []


def test_wordnet_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="wordnet-base"):
        open_wordnet(tmp_path)
    monkeypatch.setattr("posh_lite.baselines.wordnet._PLACES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.setenv("WNHOME", str(tmp_path))
    assert "WNSEARCHDIR" in METRICS["meteor-nltk"].lacks()[0]


# -- tokens and CIDEr -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "tokens"), [
    ("", []),
    ("A man's hat isn't here.", ["a", "man", "'s", "hat", "is", "n't", "here"]),
    ("(red) \u201cquoted\u201d \u2014 e.g. U.S. caf\u00e9",
     ["-lrb-", "red", "-rrb-", "quoted", "e.g.", "u.s.", "caf\u00e9"]),
    ("well-known 1/2 cannot gonna $3,000.50", ["well-known", "1/2", "can", "not", "gon", "na", "$", "3,000.50"]),
    ("it\u2019s 10:30, #1 50% 'single' dogs' \U0001f600",
     ["it", "'s", "10:30", "#", "1", "50", "%", "single", "dogs"]),
    ("**bold** and/or ### x", ["**", "bold", "**", "and/or", "###", "x"]),
])  # fmt: skip
def test_treebank_tokens(text: str, tokens: list[str]) -> None:
    """As Stanford's tokenizer cuts these, see ``tests/baselines/test_coco.py``."""
    assert treebank_tokens(text) == tokens


@pytest.mark.parametrize("documents", ["references", "pairs"])
def test_cider_is_pycocoevalcaps(documents: Any) -> None:
    """Each of the ten pairs has a reference of its own, so both ways of counting documents are the library's."""
    found = Cider(documents=documents).score(TEN)
    for id_, value in zip(found["id"], found["overall"], strict=True):
        assert value == pytest.approx(RECORDED["cider"][id_], rel=1e-9, abs=1e-12)
    assert max(RECORDED["cider"].values()) > 1


def test_cider_by_hand() -> None:
    """Two documents. Only "red" and what holds it is in one of them alone, with weight log 2."""
    documents = Documents.of([["a", "red", "dog"], ["a", "dog"]])
    assert documents.n == 2 and documents.frequency["a",] == 2 and documents.frequency["red", "dog"] == 1
    # all weighed words, pairs and triples are shared, there is no run of four: (1 + 1 + 1 + 0) / 4 * 10
    assert cider(["a", "red", "dog"], ["a", "red", "dog"], documents) == pytest.approx(7.5)
    # words: norm of (red 0, cat log 2 for an unseen word) against (red): nothing shared but "a", of weight 0
    assert cider(["a", "cat"], ["a", "red", "dog"], documents) == 0
    # one word pair fewer: "red dog" alone; words 1, pairs 1/sqrt 2, a penalty for a length of one less
    penalty = math.exp(-1 / 72)
    assert cider(["red", "dog"], ["a", "red", "dog"], documents) == pytest.approx(
        10 / 4 * penalty * (1 + 1 / math.sqrt(2)))


def test_cider_clips_repeated_words() -> None:
    documents = Documents.of([["red"], ["blue"]])
    once, thrice = (cider(["red"] * n, ["red"], documents, n=1, sigma=1e9) for n in (1, 3))
    assert once == pytest.approx(10) and thrice == pytest.approx(10 / 3)


def test_cider_of_one_reference_is_undefined() -> None:
    frame = Cider().score([Pair("a", "A dog.", "A cat."), Pair("b", "A cow.", "A cat.")])
    assert frame["overall"].isna().all() and "only one" in frame.attrs["undefined"]["a"]
    assert Cider(documents="pairs").score([Pair("a", "A dog.", "A cat."), Pair("b", "A cow.", "A cat.")]) is not None
    fixed = Cider(documents=["A dog sits.", "A cat."])
    assert fixed.score([Pair("a", "A dog sits.", "A dog sits.")])["overall"][0] == pytest.approx(7.5)
    assert "documents:2-texts-" in fixed.signature
    with pytest.raises(InputError, match="documents"):
        Cider(documents="all")  # type: ignore[arg-type]


def test_cider_of_empty_texts_is_nothing() -> None:
    frame = Cider().score([Pair("a", "", "A dog."), Pair("b", "A dog.", ""), Pair("c", "", "")])
    assert frame["overall"].tolist() == [0, 0, 0]
    assert ngrams([]) == {} and ngrams(["a", "b"], 2) == {("a",): 1, ("b",): 1, ("a", "b"): 1}
