"""The explorer page: its data says what the metric says, and its arithmetic is Python's."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import subprocess
from bisect import bisect_left
from pathlib import Path

import pytest

from posh_lite.benchmarks.mini import MiniCorpus, load_mini
from posh_lite.book import explorer
from posh_lite.book.explorer_page import SCRIPTS, STYLE, _put_on, _take_off
from posh_lite.book.layout import find_layout
from posh_lite.metric.posh import PoSh
from posh_lite.metric.score import Score, coarse

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"
CORE = STATIC / "explorer-core.js"
SIDES = ("generation", "reference")
#: Between the scores that entities have, on one of them, below and above most.
THRESHOLDS = (1.0, 1.5, 1.85, 1.9, 2.0, 2.6, 2.65, 4.0, 4.45, 4.6, 4.9, 5.0)
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture(scope="module")
def corpus() -> MiniCorpus:
    """Four captions of two works: enough for parts whose name hangs on a threshold."""
    whole = load_mini()
    kept = [i for i, p in enumerate(whole.pairs) if p.id.split("/")[0] in ("gleaners", "milkmaid")]
    kept = [i for i in kept if whole.pairs[i].id.split("/")[1] in ("embellisher", "confuser")]
    return MiniCorpus(
        works=whole.works, pairs=tuple(whole.pairs[i] for i in kept), gold=tuple(whole.gold[i] for i in kept),
        preferences=(),
    )


@pytest.fixture(scope="module")
def metric() -> PoSh:
    return PoSh(progress=False)


@pytest.fixture(scope="module")
def data(corpus: MiniCorpus, metric: PoSh) -> dict:
    return json.loads(json.dumps(explorer.explorer_data(corpus, metric)))


@pytest.fixture(scope="module")
def expected(corpus: MiniCorpus, metric: PoSh) -> dict[float, list[Score]]:
    """The metric itself at each threshold, by a fresh run."""
    return {t: PoSh(metric.judge, threshold=t, progress=False).score_many(corpus.pairs) for t in THRESHOLDS}


def told(data: dict, caption: dict, threshold: float) -> list[tuple]:
    """Components of a caption by the data alone: side, kind, text, score, question, reason, inherited, spans."""
    run = bisect_left(data["levels"], threshold)
    found = []
    for side, kind, text, versions in caption["components"]:
        _, score, question, reason, inherited, place = [v for v in versions if v[0] <= run][-1]
        flat = data["places"][place]
        spans = tuple(zip(flat[::2], flat[1::2], strict=True))
        strings = data["strings"]
        found.append((
            data["sides"][side], data["kinds"][kind], strings[text], score, strings[question], strings[reason],
            bool(inherited), spans,
        ))
    return found


def test_the_data_is_what_the_metric_says_at_every_threshold(data: dict, expected: dict) -> None:
    for threshold, scores in expected.items():
        for caption, score in zip(data["captions"], scores, strict=True):
            own = [
                (c.side, c.kind, c.text, c.score, c.question, c.reason, c.inherited, c.spans) for c in score.components
            ]
            assert told(data, caption, threshold) == own


def test_a_threshold_changes_the_questions_so_one_run_would_not_do(data: dict) -> None:
    changed = [v for c in data["captions"] for *_, versions in c["components"] for v in versions[1:]]
    assert changed
    first = {c["style"]: told(data, c, 1.0) for c in data["captions"]}
    last = {c["style"]: told(data, c, 5.0) for c in data["captions"]}
    assert any(a[4] != b[4] for s in first for a, b in zip(first[s], last[s], strict=True)), "no question has changed"
    assert any(not a[6] and b[6] for s in first for a, b in zip(first[s], last[s], strict=True)), "none is inherited"


def test_levels_are_the_scores_of_entities_and_the_threshold_is_set_back(data: dict, metric: PoSh) -> None:
    assert data["levels"] == sorted(set(data["levels"]))
    assert metric.threshold == metric.judge.presence_threshold == data["threshold"]
    assert all(data["lowest"] <= level < data["highest"] for level in data["levels"])


def test_components_that_change_with_the_threshold_are_refused(corpus: MiniCorpus, metric: PoSh, monkeypatch) -> None:
    runs = [metric.score_many(corpus.pairs)] * 2
    shorter = [Score(**{**{n: getattr(s, n) for n in Score.__dataclass_fields__}, "components": s.components[1:]})
               for s in runs[0]]
    monkeypatch.setattr(explorer, "score_levels", lambda *_: ([1.0], [runs[0], shorter]))
    with pytest.raises(explorer.BookError, match="not the same at every threshold"):
        explorer.explorer_data(corpus, metric)


def test_planted_faults_are_those_of_the_corpus(data: dict, corpus: MiniCorpus) -> None:
    for caption, pair, gold in zip(data["captions"], corpus.pairs, corpus.gold, strict=True):
        assert [caption["text"][a:b] for a, b, _ in caption["gold"]["mistakes"]] == [m.text for m in gold.mistakes]
        reference = data["works"][caption["work"]]["reference"]
        assert reference == pair.reference
        assert [reference[a:b] for a, b in caption["gold"]["omissions"]] == [f.text for f in gold.omissions]
        assert [reference[a:b] for a, b in caption["gold"]["misstated"]] == [f.text for f in gold.misstated]


def run_js(code: str, tmp_path: Path, data: dict | None = None, given: object = None) -> object:
    """The value of an expression over the page's arithmetic, as ``core``, ``data`` and ``given``."""
    payload = tmp_path / "payload.json"
    payload.write_text(json.dumps([data, given]), "utf-8")
    script = tmp_path / "run.js"
    script.write_text(
        f"const core = require({json.dumps(str(CORE))});\n"
        f"const [data, given] = JSON.parse(require('fs').readFileSync({json.dumps(str(payload))}, 'utf-8'));\n"
        f"process.stdout.write(JSON.stringify((() => {{ {code} }})()));\n", "utf-8",
    )
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_the_browser_shows_the_figures_of_python_to_the_last_digit(data: dict, expected: dict, tmp_path) -> None:
    code = """
      return given.map(t => data.captions.map(caption => {
        const components = core.componentsAt(data, caption, t);
        return ["all", "present"].map(a => {
          const f = core.coarse(components, a);
          return [f.mistakes, f.omissions, f.overall].map(core.shown);
        });
      }));"""
    shown = run_js(code, tmp_path, data, list(THRESHOLDS))
    python = [
        [[[f"{v:.3f}" for v in coarse(s.components, a)[:3]] for a in ("all", "present")] for s in expected[t]]
        for t in THRESHOLDS
    ]
    assert shown == python
    assert len({json.dumps(row) for row in python}) > 4, "the thresholds do not tell anything apart"


@needs_node
def test_presence_in_the_browser_is_that_of_the_metric(data: dict, expected: dict, tmp_path) -> None:
    code = "return given.map(t => data.captions.map(c => core.componentsAt(data, c, t).map(x => x.present)));"
    shown = run_js(code, tmp_path, data, list(THRESHOLDS))
    assert shown == [[[c.present for c in s.components] for s in expected[t]] for t in THRESHOLDS]


@needs_node
def test_best_scores_of_characters_are_those_of_the_metric(data: dict, expected: dict, tmp_path) -> None:
    code = """
      return data.captions.map(caption => data.sides.map(side => {
        const text = side === "generation" ? caption.text : data.works[caption.work].reference;
        return core.cover(Array.from(text).length, core.componentsAt(data, caption, given), side).map(c => c.score);
      }));"""
    shown = run_js(code, tmp_path, data, 2.0)
    assert shown == [[s.char_scores(side) for side in SIDES] for s in expected[2.0]]


@needs_node
def test_segments_tile_a_text_and_marks_bridge_blanks_only(tmp_path) -> None:
    text = "a red 🐕 runs far"  # a character of two halves
    components = [
        {"number": 0, "side": "generation", "score": 1.0, "spans": [[2, 5]]},
        {"number": 1, "side": "generation", "score": 1.5, "spans": [[6, 7]]},
        {"number": 2, "side": "generation", "score": 4.0, "spans": [[8, 12]]},
        {"number": 3, "side": "generation", "score": 1.0, "spans": [[8, 12], [13, 16]]},
        {"number": 4, "side": "reference", "score": 1.0, "spans": [[0, 1]]},
        {"number": 5, "side": "generation", "score": None, "spans": [[0, 1]]},
    ]
    code = """
      const characters = Array.from(given.text);
      const cells = core.cover(characters.length, given.components, "generation");
      const parts = core.segments(characters, cells, 2, [[6, 12], [13, 14]]);
      return {parts: parts.map(p => [p.text, p.flagged, p.fault]), marks: core.marks(parts).filter(m => m.flagged)
        .map(m => m.parts.map(p => p.text).join("")), hits: core.hits([[6, 12], [0, 2], [13, 14]], cells, 2)};"""
    said = run_js(code, tmp_path, None, {"text": text, "components": components})
    assert "".join(part for part, *_ in said["parts"]) == text
    assert said["marks"] == ["red 🐕", "far"]  # "runs" is borne out by another component
    assert said["hits"] == [True, False, True]
    assert ["f", True, 1] in said["parts"]
    assert ["runs", False, 0] in said["parts"]


@needs_node
def test_sums_and_digits_are_those_of_python(tmp_path) -> None:
    rng = random.Random(7)
    rows = [[rng.choice((1.0, 1.4, 2.2, 3.6, 4.45, 4.76, 4.88, 5.0)) for _ in range(rng.randrange(1, 120))]
            for _ in range(300)]
    rows += [[1e16, 1.0, -1e16], [0.1] * 10, [1.0, 1e100, 1.0, -1e100], [], [1e-16, 1.0, 1e16], [-0.3, 0.1, 0.2]]
    values = [k / 16 for k in range(17)] + [k / 2000 for k in range(400, 2001)]
    values += [math.fsum(r) / len(r) / 5 for r in rows[:300]]
    code = "return [given[0].map(core.fsum), given[1].map(core.shown)];"
    sums, digits = run_js(code, tmp_path, None, [rows, values])
    assert sums == [math.fsum(row) for row in rows]
    assert digits == [f"{value:.3f}" for value in values]


@needs_node
def test_links_name_a_view_and_wrong_ones_fall_back(data: dict, tmp_path) -> None:
    code = """
      return given.map(hash => {
        const at = core.readLink(data, hash);
        return core.writeLink(data, at.caption, at.threshold);
      });"""
    links = ["#milkmaid/confuser/2.00", "#milkmaid", "", "#gleaners/nobody/9", "#milkmaid/confuser/x", "#gleaners//-3",
             "#milkmaid/confuser/2.6249", "#milkmaid/confuser/"]
    first = data["works"][0]["slug"]
    assert first == "gleaners"
    own = f"{data['threshold']:.2f}"
    assert run_js(code, tmp_path, data, links) == [
        "#milkmaid/confuser/2.00", f"#milkmaid/embellisher/{own}", f"#gleaners/embellisher/{own}",
        "#gleaners/embellisher/5.00", f"#milkmaid/confuser/{own}", "#gleaners/embellisher/1.00",
        "#milkmaid/confuser/2.60", f"#milkmaid/confuser/{own}",
    ]


@needs_node
def test_a_side_without_a_verdict_is_undefined(tmp_path) -> None:
    components = [{"side": "generation", "score": 3.0, "present": True}]
    components += [{"side": "reference", "score": None, "present": None}]
    code = "const f = core.coarse(given, 'all'); return [f.mistakes, f.omissions, f.overall].map(core.shown);"
    assert run_js(code, tmp_path, None, components) == ["0.600", "undefined", "undefined"]


def test_scripts_ask_nothing_of_other_hosts_and_write_no_markup() -> None:
    for name in ("explorer.js", "explorer-core.js", "explorer.css", "access.css", "access.js"):
        text = (STATIC / name).read_text("utf-8")
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"']*", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                     "fetch(", "XMLHttpRequest", "import("):
            assert word not in text, f"{name} uses {word}"
    page = (ROOT / "book" / "explorer.md").read_text("utf-8")
    assert "://" not in page
    assert "<noscript>" in page
    assert 'id="posh-explorer"' in page


def test_the_page_alone_carries_its_scripts() -> None:
    class App:
        def __init__(self) -> None:
            self.added: list[str] = []

        def add_js_file(self, name: str, **_: object) -> None:
            self.added.append(name)

        add_css_file = add_js_file

    class Config(dict):
        pass

    config = Config(html_js_files=["explorer.js", "access.js", "explorer-core.js", ("x.js", {})],
                    html_css_files=["posh.css", "explorer.css"])
    _take_off(None, config)
    assert config == {"html_js_files": ["access.js", ("x.js", {})], "html_css_files": ["posh.css"]}
    other, own = App(), App()
    _put_on(other, "intro", "page.html", {}, None)
    _put_on(own, "explorer", "page.html", {}, None)
    assert other.added == []
    assert own.added == [*SCRIPTS, STYLE]


def test_data_is_made_once_and_anew_when_its_inputs_change(tmp_path, monkeypatch) -> None:
    layout = type(find_layout(ROOT))(tmp_path)
    keys = ["one"]
    calls: list[int] = []

    def make(*_: object) -> dict:
        calls.append(1)
        return {"text": "a\u2028b</script>"}

    monkeypatch.setattr(explorer, "explorer_key", lambda _: keys[-1])
    monkeypatch.setattr(explorer, "explorer_data", make)
    path = explorer.explorer_script(layout)
    assert explorer.explorer_script(layout) == path
    assert len(calls) == 1
    text = path.read_text("utf-8")
    assert text.startswith("// one\nglobalThis.poshExplorer = {")
    assert "\u2028" not in text
    keys.append("two")
    explorer.explorer_script(layout)
    assert len(calls) == 2
    assert path.read_text("utf-8").startswith("// two\n")


def test_the_key_covers_corpus_metric_and_judge() -> None:
    layout = find_layout(ROOT)
    assert explorer.explorer_key(layout) == explorer.explorer_key(layout)
    from posh_lite.book.cache import tree_digest

    found = tree_digest(ROOT / "posh_lite", explorer.PATTERNS)
    for name in ("metric/passes.py", "graph/types.py", "judge/prompts.toml", "judge/lexical/judge.py",
                 "benchmarks/mini.py", "text.py", "text_words.py", "records.py", "language.py"):
        assert name in found
