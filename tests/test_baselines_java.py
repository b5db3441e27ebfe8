"""The Java programs: what goes to them and what comes back, with a stand-in for Java that does what a test says."""

from __future__ import annotations

import math
import stat
import sys
from pathlib import Path

import pytest

from posh_lite.baselines import java
from posh_lite.baselines.coco import CocoMeteor, Spice
from posh_lite.baselines.java import JavaError, meteor_scores, ptb_tokens, spice_scores
from posh_lite.baselines.registry import METRICS, make_metric
from posh_lite.errors import MissingDependency
from posh_lite.records import Pair

TOKENIZER = """
import sys
for line in sys.stdin: print(line.lower().replace(".", " .").strip())
"""
METEOR = """
import sys
for line in sys.stdin:
    parts = line.strip().split(" ||| ")
    if parts[0] == "SCORE":
        print(len(set(parts[1].split()) & set(parts[2].split())), flush=True)
    else:
        print("\\n".join([str(float(p) / 10) for p in parts[1:]] + ["0.5"]), flush=True)
"""
SPICE = """
import json, os, sys
assert "--add-opens=java.base/java.util=ALL-UNNAMED" in os.environ["JDK_JAVA_OPTIONS"]
rows = json.load(open(sys.argv[sys.argv.index("spice-1.0.jar") + 1]))
assert rows[0] == {"image_id": 0, "test": "A dog.", "refs": ["A caf\\u00e9."]}, rows
scores = [{"pr": 0.5, "re": 0.25, "f": 1 / 3}, {"pr": 0.0, "re": 0.0, "f": None}]
json.dump([{"image_id": r["image_id"], "scores": {"All": scores[r["image_id"]]}} for r in rows][::-1],
          open(sys.argv[sys.argv.index("-out") + 1], "w"))
"""


@pytest.fixture
def coco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that passes for the installed pycocoevalcap, with SPICE's parser in it."""
    (tmp_path / "spice" / "lib").mkdir(parents=True)
    for name in ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar"):
        (tmp_path / "spice" / "lib" / name).touch()
    monkeypatch.setattr(java, "folder", lambda part: tmp_path / part)
    return tmp_path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a program to it, and it is Java."""
    path = tmp_path / "bin" / "java"
    path.parent.mkdir()
    monkeypatch.setenv("PATH", str(path.parent))
    return path


def write(path: Path, code: str) -> None:
    path.write_text(f"#!{sys.executable}\n{code}", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_tokens(coco: Path, program: Path) -> None:
    write(program, TOKENIZER)
    found = ptb_tokens(["A dog.\nIt\u2028barks. caf\u00e9", "", "-- x"])
    assert found == [["a", "dog", "it", "barks", "caf\u00e9"], [], ["x"]]
    assert ptb_tokens([]) == []


def test_a_tokenizer_that_loses_lines(coco: Path, program: Path) -> None:
    write(program, "print('one')")
    with pytest.raises(JavaError, match="1 lines for 2"):
        ptb_tokens(["a", "b"])


def test_a_program_that_fails_says_why(coco: Path, program: Path) -> None:
    write(program, "import sys; sys.exit('no such class')")
    with pytest.raises(JavaError, match="failed with 1: no such class"):
        ptb_tokens(["a"])
    with pytest.raises(JavaError, match="ended: no such class"):
        meteor_scores([(["a"], ["a"])])


def test_a_program_that_hangs_is_ended(coco: Path, program: Path) -> None:
    write(program, "import time; time.sleep(60)")
    with pytest.raises(JavaError, match=r"did not end within 0\.2 s"):
        ptb_tokens(["a"], timeout=0.2)
    with pytest.raises(JavaError, match=r"did not answer within 0\.2 s"):
        meteor_scores([(["a"], ["a"])], timeout=0.2)


def test_meteor(coco: Path, program: Path) -> None:
    write(program, METEOR)
    rows = [(["a", "dog"], ["a", "dog"]), (["a"], ["x", "|||", "a", "b"]), (["|||"], ["c"])]
    assert meteor_scores(rows) == [0.2, 0.1, 0.0] and meteor_scores([]) == []


def test_meteor_metric_leaves_empty_texts_out(coco: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "ptb_tokens", lambda texts: [t.lower().split() for t in texts])
    write(program, METEOR)
    pairs = [Pair("a", "", "A dog"), Pair("b", "A dog", "A dog"), Pair("c", "A cat", "")]
    assert CocoMeteor().score(pairs)["overall"].tolist() == [0.0, 0.2, 0.0]


def test_spice(coco: Path, program: Path) -> None:
    write(program, SPICE)
    pairs = [Pair("x", "A dog.", "A caf\u00e9."), Pair("y", "?", "?")]
    found = spice_scores([(p.generation, p.reference) for p in pairs])
    assert found[0] == {"pr": 0.5, "re": 0.25, "f": 1 / 3} and math.isnan(found[1]["f"])
    frame = Spice().score(pairs)
    assert frame["mistakes"][0] == frame["omissions"][0] == pytest.approx(1 / 3) and frame["overall"].isna()[1]
    assert frame.attrs["undefined"] == {"y": "SPICE found no tuple to compare"}
    sides = Spice(by_side=True).score(pairs)
    assert sides.iloc[0, 1:].tolist() == [0.5, 0.25, pytest.approx(1 / 3)] and spice_scores([]) == []


def test_spice_that_writes_something_else(coco: Path, program: Path) -> None:
    write(program, "pass")
    with pytest.raises(JavaError, match="something else"):
        spice_scores([("a", "b")])


def test_spice_never_downloads(coco: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (coco / "spice" / "lib" / "stanford-corenlp-3.6.0-models.jar").unlink()
    with pytest.raises(MissingDependency, match=r"stanford-corenlp-3\.6\.0-models\.jar in .*get_stanford_models"):
        spice_scores([("a", "b")])


def test_without_java(coco: Path, program: Path) -> None:
    with pytest.raises(MissingDependency, match="java is not on the path"):
        ptb_tokens(["a"])
    for name in ("meteor", "bleu-coco", "spice"):
        assert any("the program java is not on the path" in line for line in METRICS[name].lacks())
        with pytest.raises(MissingDependency, match="java"):
            make_metric(name)


def test_without_pycocoevalcap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install .*\[baselines\]"):
        java.folder("meteor")
