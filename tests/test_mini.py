"""The known-answer corpora: committed files are valid and up to date, and the builder catches what it should."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks import mini, mini_build
from posh_lite.benchmarks.mini import (
    CORPORA,
    STYLES,
    FactSpan,
    MiniCorpus,
    find_fresh,
    find_mini,
    load_fresh,
    load_mini,
)
from posh_lite.benchmarks.mini_card import BEGIN, END, fill_card
from posh_lite.benchmarks.mini_source import SourceCaption, SourceWork, compile_caption, read_work, strip_facts
from posh_lite.benchmarks.registry import load_benchmark
from posh_lite.errors import InputError
from posh_lite.text import segments

DATA = Path(__file__).parents[1] / "data"
ROOT = DATA / "mini"
SOURCE = sorted((ROOT / "source").glob("*.toml"))


LOAD = {"mini": load_mini, "fresh": load_fresh}
FIND = {"mini": find_mini, "fresh": find_fresh}

#: facts, and (omitted facts, mistakes, sentences) by style: counted in the sources, by grep for their marks
FRESH = {
    "arnolfini": (36, [(2, 0, 10), (14, 1, 7), (8, 6, 12), (7, 1, 13), (5, 7, 10), (3, 9, 11)]),
    "watson-shark": (36, [(3, 0, 9), (13, 1, 8), (8, 5, 10), (8, 1, 11), (3, 7, 10), (4, 9, 10)]),
    "grande-jatte": (34, [(5, 0, 12), (14, 1, 6), (7, 7, 10), (9, 1, 13), (6, 7, 9), (3, 8, 10)]),
    "ambassadors": (36, [(4, 0, 10), (12, 1, 7), (11, 8, 11), (10, 0, 12), (7, 8, 10), (4, 9, 9)]),
    "hay-wain": (36, [(2, 0, 12), (11, 1, 7), (6, 7, 12), (7, 1, 12), (2, 9, 11), (3, 9, 11)]),
    "dutch-still-life": (36, [(3, 0, 10), (13, 1, 7), (7, 6, 12), (8, 1, 12), (3, 9, 12), (5, 8, 11)]),
}
FRESH_TYPES = {
    "object": 7, "colour": 19, "attribute": 11, "count": 17, "position": 18, "relation": 8, "swap": 40, "invented": 29,
}  # fmt: skip


@pytest.fixture(scope="module", params=list(CORPORA))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def corpus(name: str) -> MiniCorpus:
    return LOAD[name]()


def facts(n: int) -> tuple[FactSpan, ...]:
    return tuple(FactSpan(i, i + 1, f"f{i + 1}", "x") for i in range(n))


def caption(sentences: list[object], omits: list[str] | None = None, style: str = "terse") -> SourceCaption:
    return compile_caption(style, sentences, omits or [], facts(20), f"work/{style}")  # type: ignore[arg-type]


# the committed corpora

def test_committed_files_are_valid_and_up_to_date(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = mini_build.main(["--check", "--root", str(DATA / name)])
    out, err = capsys.readouterr()
    assert status == 0, err
    assert f"{name}: {CORPORA[name]} of {CORPORA[name]} works valid" in out


def test_both_are_checked_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert mini_build.main(["--check"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["mini", "fresh"]


def test_shape(name: str, corpus: MiniCorpus) -> None:
    shape = {"mini": (12, 72, 72, 180), "fresh": (6, 36, 36, 90)}[name]
    assert (len(corpus.works), len(corpus.pairs), len(corpus.gold), len(corpus.preferences)) == shape
    assert [p.model for p in corpus.pairs] == list(STYLES) * shape[0]
    assert len({p.id for p in corpus.pairs}) == shape[1]
    assert Counter(p.work for p in corpus.preferences) == {w.slug: 15 for w in corpus.works}


def test_the_two_share_no_work() -> None:
    found = [load() for load in LOAD.values()]
    for of in (lambda w: w.slug, lambda w: w.title, lambda w: w.artist, lambda w: w.reference):
        assert not {of(w) for w in found[0].works} & {of(w) for w in found[1].works}
    assert not {p.id for p in found[0].pairs} & {p.id for p in found[1].pairs}


def test_counts_of_the_fresh_works() -> None:
    corpus = load_fresh()
    assert [w.slug for w in corpus.works] == list(FRESH)
    for work in corpus.works:
        gold = [corpus.gold_of(f"{work.slug}/{style}") for style in STYLES]
        counts = [(len(g.omissions), len(g.mistakes), len(g.sentences)) for g in gold]
        assert (len(work.facts), counts) == FRESH[work.slug]
    assert Counter(m.type for g in corpus.gold for m in g.mistakes) == FRESH_TYPES


def test_as_a_benchmark(name: str, corpus: MiniCorpus) -> None:
    found = load_benchmark(name)
    assert (found.name, found.gold, found.pairs) == (name, "constructed", corpus.pairs)
    assert [m.mistakes for m in found.marks] == [tuple(m.span for m in g.mistakes) for g in corpus.gold]
    assert [m.omissions for m in found.marks] == [tuple(f.span for f in g.omissions) for g in corpus.gold]
    assert [(c.a, c.b, c.labels["overall"]) for c in found.comparisons] == [
        (p.a, p.b, p.overall) for p in corpus.preferences
    ]


def test_every_span_round_trips(corpus: MiniCorpus) -> None:
    for pair in corpus.pairs:
        gold, work = corpus.gold_of(pair), corpus.work_of(pair)
        assert pair.reference == work.reference
        for mistake in gold.mistakes:
            assert pair.generation[mistake.start : mistake.end] == mistake.text
        for fact in (*gold.omissions, *gold.misstated):
            assert pair.reference[fact.start : fact.end] == fact.text
            assert fact in work.facts


def test_no_marks_are_left(corpus: MiniCorpus) -> None:
    for pair in corpus.pairs:
        assert not re.search(r"[\[\]{}|]", pair.generation + pair.reference)


def test_sentences_tile_the_caption_but_for_layout(corpus: MiniCorpus) -> None:
    for pair in corpus.pairs:
        last = 0
        for sentence in corpus.gold_of(pair).sentences:
            assert last <= sentence.start < sentence.end
            between = pair.generation[last : sentence.start]
            assert between in ("", " ") or "\n" in between or between.startswith("**")
            last = sentence.end
        assert last == len(pair.generation)


def test_its_sentences_are_those_that_the_splitter_finds(corpus: MiniCorpus) -> None:
    for pair in corpus.pairs:
        found = [(s.start, s.end) for s in segments(pair.generation) if s.kind == "sentence"]
        for gold in corpus.gold_of(pair).sentences:  # emphasis signs may stand at an end
            assert any(abs(a - gold.start) <= 3 and abs(b - gold.end) <= 3 for a, b in found), (pair.id, gold)


def test_a_sentence_is_contradicted_exactly_where_it_holds_a_mistake(corpus: MiniCorpus) -> None:
    for gold in corpus.gold:
        for sentence in gold.sentences:
            inside = [m for m in gold.mistakes if sentence.start <= m.start and m.end <= sentence.end]
            assert bool(inside) == (sentence.label == "contradicted")


def test_a_fact_is_omitted_or_misstated_not_both(corpus: MiniCorpus) -> None:
    for gold in corpus.gold:
        assert not {f.fact for f in gold.omissions} & {f.fact for f in gold.misstated}
        assert {f.fact for f in gold.misstated} == {m.fact for m in gold.mistakes if m.fact}


def test_known_positional_effects(corpus: MiniCorpus) -> None:
    places = {style: Counter[int]() for style in STYLES}
    for pair, gold in zip(corpus.pairs, corpus.gold, strict=True):
        assert pair.model in STYLES
        places[pair.model].update(mini_build.mistake_quartiles(gold))
    middle = places["embellisher"][2] + places["embellisher"][3]
    assert middle >= 0.75 * places["embellisher"].total()
    assert all(places["miscounter"][q] > 0 for q in (1, 2, 3, 4))
    assert places["faithful"].total() == 0


def test_faithful_wins_on_mistakes_against_the_styles_that_err(corpus: MiniCorpus) -> None:
    for p in corpus.preferences:
        sign = 1 if p.a.endswith("/faithful") else -1 if p.b.endswith("/faithful") else 0
        other = (p.b if sign == 1 else p.a).split("/")[1]
        if sign and other in ("embellisher", "confuser", "miscounter"):
            assert p.mistakes * sign == 2
            assert p.overall * sign > 0


def test_the_order_of_a_and_b_carries_no_label(corpus: MiniCorpus) -> None:
    signs = Counter((p.overall > 0) - (p.overall < 0) for p in corpus.preferences)
    assert min(signs[1], signs[-1]) / (signs[1] + signs[-1]) > 0.3


# loading

def test_the_repository_is_found(name: str) -> None:
    assert (FIND[name]() / "pairs.jsonl").is_file()


def test_the_packaged_copy_comes_first_and_the_places_are_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "posh_lite"
    monkeypatch.setattr(mini, "files", lambda _: package)
    with pytest.raises(InputError, match=rf"_data.{name} nor .*data.{name}; reinstall"):
        FIND[name]()
    shutil.copytree(DATA / name, package / "_data" / name, ignore=shutil.ignore_patterns("source"))
    assert FIND[name]() == package / "_data" / name
    assert len(LOAD[name]().pairs) == 6 * CORPORA[name]


def test_the_wheel_takes_all_corpora() -> None:
    text = (DATA.parent / "pyproject.toml").read_text(encoding="utf-8")
    included = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {f"data/{name}": f"posh_lite/_data/{name}" for name in CORPORA}.items() <= included.items()


def test_load_names_file_line_and_field(tmp_path: Path) -> None:
    for name in ("works.jsonl", "pairs.jsonl", "preferences.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "gold.jsonl").write_text('\n{"id": "a/terse", "mistakes": []}\n')
    with pytest.raises(InputError, match=r"gold\.jsonl:2: .*omissions"):
        load_mini(tmp_path)


def test_load_refuses_files_that_do_not_match(tmp_path: Path) -> None:
    for name in ("works.jsonl", "gold.jsonl", "preferences.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "pairs.jsonl").write_text('{"id": "a/terse", "generation": "x", "reference": "y"}\n')
    with pytest.raises(InputError, match="same ids"):
        load_mini(tmp_path)


def test_unknown_ids_are_key_errors(corpus: MiniCorpus) -> None:
    with pytest.raises(KeyError):
        corpus.gold_of("nowhere/terse")
    with pytest.raises(KeyError):
        corpus.work_of("nowhere/terse")


# reading the marks

def test_strip_facts() -> None:
    text, found = strip_facts("\n[f1|Two men] sit\non [f2|a red\nbench].\n\n[f3|It rains.]\n")
    assert text == "Two men sit on a red bench.\n\nIt rains."
    assert [(f.fact, f.text) for f in found] == [("f1", "Two men"), ("f2", "a red bench"), ("f3", "It rains.")]
    assert [text[f.start : f.end] for f in found] == [f.text for f in found]


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("[f2|A man] sits.", "marked f2 where f1 is due"),
        ("[f1|A man] and [f1|a dog].", "marked f1 where f2 is due"),
        ("[f1|A man with [f2|a hat]].", "stray bracket"),
        ("A man [sits].", "stray bracket"),
    ],
)
def test_strip_facts_refuses(marked: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        strip_facts(marked)


def test_compile_caption_joins_and_places_marks() -> None:
    made = caption([
        "# Title\n\n",
        ["supported", "A man sits."],
        ["contradicted", "He has {colour:f2|a green hat} and {invented:-|a dog}."],
        "\n- ",
        ["generic", "How calm."],
    ], ["f3"])
    assert made.text == "# Title\n\nA man sits. He has a green hat and a dog.\n- How calm."
    assert [(m.text, m.type, m.fact) for m in made.gold.mistakes] == [
        ("a green hat", "colour", "f2"), ("a dog", "invented", None),
    ]
    assert [made.text[m.start : m.end] for m in made.gold.mistakes] == ["a green hat", "a dog"]
    assert [made.text[s.start : s.end] for s in made.gold.sentences] == [
        "A man sits.", "He has a green hat and a dog.", "How calm.",
    ]
    assert [f.fact for f in made.gold.omissions] == ["f3"]
    assert [f.fact for f in made.gold.misstated] == ["f2"]


@pytest.mark.parametrize(
    ("sentence", "omits", "message"),
    [
        (["supported", "He has {colour:f2|a green hat}."], [], "labelled supported but holds 1 mistakes"),
        (["contradicted", "He has a green hat."], [], "labelled contradicted but holds 0 mistakes"),
        (["contradicted", "He has {color:f2|a green hat}."], [], 'unknown mistake type "color"'),
        (["contradicted", "He has {colour:f99|a green hat}."], [], "names f99, which the reference does not have"),
        (["contradicted", "He has {colour:-|a green hat}."], [], 'an invented mistake has the fact "-"'),
        (["contradicted", "He has {invented:f2|a dog}."], [], 'an invented mistake has the fact "-"'),
        (["contradicted", "He has {colour:f2|a green hat}."], ["f2"], "a misstated fact is not an omission"),
        (["supported", "He sits {there}."], [], "stray brace"),
        (["wrong", "He sits."], [], 'label "wrong"'),
        (["supported", "He sits. "], [], "blanks at an end"),
        (["supported"], [], 'must be \\["label", "words"\\]'),
        (["supported", "He sits."], ["f99"], "omits f99"),
        (["supported", "He sits."], ["f1", "f1"], "listed twice"),
    ],
)
def test_compile_caption_refuses(sentence: list[str], omits: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        caption([sentence], omits)


words = st.text(alphabet="abé \U0001f3a8", min_size=1, max_size=8).filter(lambda s: s == s.strip() and s)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=6))
def test_marks_round_trip(parts: list[tuple[str, str, str]]) -> None:
    made = caption([["contradicted", f"{a} {{count:f1|{b}}} {c}"] for a, b, c in parts])
    assert made.text == " ".join(f"{a} {b} {c}" for a, b, c in parts)
    assert [made.text[m.start : m.end] for m in made.gold.mistakes] == [b for _, b, _ in parts]
    assert [made.text[s.start : s.end] for s in made.gold.sentences] == [f"{a} {b} {c}" for a, b, c in parts]


# validating

def test_quartile() -> None:
    assert [mini_build.quartile(k, 4) for k in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert [mini_build.quartile(k, 10) for k in range(1, 11)] == [1, 1, 1, 2, 2, 3, 3, 3, 4, 4]
    assert mini_build.quartile(1, 1) == 1


def test_shared_runs() -> None:
    assert mini_build.shared_runs("The Red, hat is on", "a red hat is here", 3) == ["red hat is"]
    assert mini_build.shared_runs("two", "two words", 3) == []


def test_copies_and_broken_quotas_are_named() -> None:
    source = read_work(SOURCE[0])
    copied = caption([["supported", source.work.reference.split("\n")[0]]])
    problems = mini_build.validate(SourceWork(source.path, source.work, (copied,)))
    assert all(f"{source.path.name}: caption terse: " in p for p in problems)
    assert any("8 consecutive words" in p for p in problems)
    assert any("4-word sequences" in p for p in problems)
    assert any("1 sentences, at least 4" in p for p in problems)


def test_prefer_by_hand() -> None:
    def of(style: str, mistakes: int, omits: int) -> SourceCaption:
        marks = " ".join(["{count:f20|w}"] * mistakes + ["w"] * (100 - mistakes))
        label = "contradicted" if mistakes else "supported"
        return caption([[label, marks]], [f"f{i + 1}" for i in range(omits)], style)

    # 0 and 3 mistakes per 100 words; 6 and 2 of 20 facts; costs (0 + 6/20) / 2 = 0.15 and (3/5 + 2/20) / 2 = 0.35
    got = mini_build.prefer("work", of("terse", 0, 6), of("confuser", 3, 2), 20)
    assert (got.a, got.b) == ("work/terse", "work/confuser")
    assert (got.mistakes, got.omissions, got.overall) == (2, -1, 2)
    # 1 and 0 mistakes; no omissions; costs 0.1 and 0
    got = mini_build.prefer("work", of("terse", 1, 0), of("faithful", 0, 0), 20)
    assert (got.mistakes, got.omissions, got.overall) == (-1, 0, -1)


# building

def test_build_names_what_is_missing_and_keeps_what_is_valid(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / name  # a folder of that name owes as many works as the corpus has
    (root / "source").mkdir(parents=True)
    (root / "source" / SOURCE[0].name).write_bytes(SOURCE[0].read_bytes())
    (root / "source" / "02_broken.toml").write_text("slug = ")
    assert mini_build.main(["--root", str(root)]) == 1
    out, err = capsys.readouterr()
    assert f"1 of {CORPORA[name]} works valid" in out
    assert "02_broken.toml: not valid TOML" in err
    assert "0 files 03_*.toml, one is due" in err
    assert len(load_mini(root).pairs) == 6
    card = (root / "README.md").read_text()
    assert "| faithful | 1 |" in card
    (root / "pairs.jsonl").write_text("")
    mini_build.main(["--check", "--root", str(root)])
    assert "pairs.jsonl: not up to date" in capsys.readouterr().err
    assert (root / "pairs.jsonl").read_text() == ""


def test_a_folder_of_ones_own_owes_the_works_that_it_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "own" / "source"
    source.mkdir(parents=True)
    (source / "01_x.toml").write_bytes(SOURCE[0].read_bytes())
    assert mini_build.main(["--root", str(source.parent)]) == 0
    assert "own: 1 of 1 works valid, 6 captions, 0 problems" in capsys.readouterr().out
    (source / "01_x.toml").rename(source / "13_x.toml")
    assert mini_build.main(["--root", str(source.parent)]) == 1
    err = capsys.readouterr().err
    assert "13_x.toml: its number is not one of 01 to 01" in err
    assert "0 files 01_*.toml, one is due" in err


def test_a_slug_of_the_other_corpus_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mini_build, "CORPORA", {"one": 1, "two": 1})
    monkeypatch.setattr(mini_build, "__file__", str(tmp_path / "posh_lite" / "benchmarks" / "mini_build.py"))
    for folder in ("one", "two"):
        (tmp_path / "data" / folder / "source").mkdir(parents=True)
        (tmp_path / "data" / folder / "source" / "01_x.toml").write_bytes(SOURCE[0].read_bytes())
    assert mini_build.main([]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "one: 1 of 1 works valid, 6 captions, 0 problems", "two: 1 of 1 works valid, 6 captions, 1 problems",
    ]
    assert "01_x.toml: slug gleaners is that of a work of" in err


def test_read_work_names_file_and_caption(tmp_path: Path) -> None:
    path = tmp_path / "01_x.toml"
    text = SOURCE[0].read_text(encoding="utf-8")
    for old, new, message in [
        ('slug = "', 'slug = "Not ', 'slug "Not'),
        ('artist = "', 'painter = "', 'field "artist"'),
        ('style = "terse"', 'style = "tense"', 'caption style "tense" is unknown'),
        ('style = "terse"', 'style = "faithful"', 'caption style "faithful" is unknown or used twice'),
        ('omits = ["', 'omits = ["f98", "', "caption faithful: omits f98"),
        ("[f1|", "[f7|", "reference: .* marked f7"),
    ]:
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(InputError, match=re.escape(str(path)) + ".*" + message):
            read_work(path)


def test_card_tables_replace_what_stands_between_the_markers(corpus: MiniCorpus) -> None:
    quartiles = {gold.id: mini_build.mistake_quartiles(gold) for gold in corpus.gold}
    once = fill_card(f"# Card\n\n{BEGIN}\nold\n{END}\n\nLicence\n", corpus, quartiles)
    assert once.startswith("# Card\n\n")
    assert once.endswith(f"{END}\n\nLicence\n")
    assert "old" not in once
    assert fill_card(once, corpus, quartiles) == once
    total = sum(len(gold.mistakes) for gold in corpus.gold)
    assert re.search(rf"^\| all \|.* {total} \|$", once, flags=re.MULTILINE)


@pytest.mark.parametrize("more", [(), ("--check",)])
def test_where_there_is_no_corpus_nothing_is_written_or_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    """As in an installed package, which has the compiled files alone beside it."""
    monkeypatch.setattr(mini_build, "__file__", str(tmp_path / "posh_lite" / "benchmarks" / "mini_build.py"))
    assert mini_build.main([*more]) == 1
    assert "run this in a checkout" in capsys.readouterr().err
    assert mini_build.main([*more, "--root", str(tmp_path / "none")]) == 1
    assert "none: no corpus" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
