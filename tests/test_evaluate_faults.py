"""What metrics and benchmarks of one's own do wrong is told, and no kept score outlives what it came from."""

from __future__ import annotations

import math
import os
import sys

import numpy as np
import pandas as pd
import pytest

from posh_lite.benchmarks.contract import Benchmark, Comparison, Marks
from posh_lite.benchmarks.registry import load_benchmark
from posh_lite.errors import InputError
from posh_lite.evaluation.evaluate import evaluate
from posh_lite.evaluation.evaluate_scores import score_benchmark
from posh_lite.evaluation.tables import table_of
from posh_lite.evaluation.tables_latex import latex
from posh_lite.metric.protocol import Located
from posh_lite.records import Pair


class Own:
    """A metric whose parts can be replaced by keywords."""

    name, needs, uncovered, signature = "own", frozenset(), 1.0, "own-1"

    def __init__(self, **parts):
        self.spans = ((0, 3, 0.5),)
        self.asked = 0
        self.value = 1.0
        for name, value in parts.items():
            setattr(self, name, value)

    def score(self, pairs):
        self.asked += 1
        rows = [(p.id, *[self.value * len(p.generation)] * 3) for p in pairs]
        return pd.DataFrame(rows, columns=["id", "mistakes", "omissions", "overall"])

    def locate(self, pairs):
        return [Located(p.id, self.spans, ()) for p in pairs]


def made(marked=((0, 3),), image=None) -> Benchmark:
    pairs = tuple(Pair(f"p{i}", f"One dog{' ran' * i}.", "A dog.", image=image) for i in range(4))
    return Benchmark(
        "own_%", "own", "constructed", pairs,
        tuple(Comparison(i, f"p{i}", f"p{i + 1}", {"mistakes": -1, "overall": -1}) for i in range(3)),
        tuple(Marks(i, f"p{i}", marked, None) for i in range(4)),
    )  # fmt: skip


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"spans": ((0.0, 3.0, 0.5),)}, "two whole numbers and a number; of the pair 'p0'"),
        ({"spans": ((0, 3),)}, "two whole numbers and a number"),
        ({"spans": ((0, 3, "low"),)}, "two whole numbers and a number"),
        ({"spans": None}, "two whole numbers and a number"),
        ({"uncovered": math.nan}, "uncovered must be a number"),
        ({"uncovered": None}, "uncovered must be a number"),
        ({"sides": "generation"}, "sides must hold none but"),
        ({"sides": ("generations",)}, "sides must hold none but"),
        ({"locate": lambda pairs: [("p", (), ())] * 4}, "must return a Located for each pair"),
        ({"value": math.inf}, "the column 'mistakes' is infinite for the pair 'p0'"),
        ({"score": lambda pairs: Own().score(pairs).replace({"omissions": {16.0: -math.inf}})},
         "the column 'omissions' is infinite for the pair 'p2'"),
        ({"score": lambda pairs: pd.DataFrame([["p", 1, 1, 1, 1]], columns=["id", *"abc", "overall"])}, "no column"),
        ({"score": lambda pairs: Own().score(pairs)[["id", "mistakes", "omissions", "overall", "overall"]]}, "twice"),
    ],
)  # fmt: skip
def test_a_metric_that_breaks_the_protocol_is_a_row_that_says_so(parts, said, kept, tmp_path):
    found = evaluate(made(), [Own(**parts), Own(name="good")], output=tmp_path if kept else None, n_resamples=20)
    assert said in found.run("own").skipped
    assert not found.run("good").skipped


def test_numbers_of_any_kind_are_numbers(tmp_path):
    given = ((np.int64(0), np.int32(3), np.float32(0.5)), (True, 2, 1))
    plain = evaluate(made(), [Own(spans=((0, 3, 0.5), (1, 2, 1.0)))], n_resamples=20).estimates
    for _ in range(2):  # scored, and found again
        found = evaluate(made(), [Own(spans=given, uncovered=np.float64(1))], output=tmp_path, n_resamples=20)
        pd.testing.assert_frame_equal(found.estimates, plain)


@pytest.mark.parametrize("marked", [(), ((0, 99),)])
def test_words_of_one_class_have_no_macro_f1(marked):
    found = evaluate(made(marked), [Own()], n_resamples=20)
    assert math.isnan(found.estimate("own", "mistakes", "f1"))
    assert math.isnan(found.estimate("own", "mistakes", "f1_cv"))
    rows = found.estimates[found.estimates["statistic"] == "f1"]
    assert rows["reason"].str.contains("one class").all()


def test_a_metric_silent_on_a_dimension_has_no_accuracy_there():
    def score(pairs):
        return Own().score(pairs).assign(mistakes=math.nan)

    found = evaluate(made(), [Own(), Own(name="silent", score=score)], n_resamples=20)
    for statistic in ("accuracy", "sign"):
        assert math.isnan(found.estimate("silent", "mistakes", statistic))
        assert found.estimate("silent", "overall", statistic) == 1
    of = found.differences[(found.differences["dimension"] == "mistakes") & (found.differences["protocol"] == "coarse")]
    assert len(of) and of["difference"].isna().all()


def test_scores_that_lack_answers_are_not_kept(tmp_path):
    class InFrame(Own):
        def score(self, pairs):
            return super().score(pairs).assign(n_missing=self.gone)

    for metric in (Own(n_missing=2), InFrame(gone=1, signature="own-2")):
        with pytest.warns(UserWarning, match="answers are missing"):
            score_benchmark(metric, made(), folder=tmp_path)
        metric.n_missing = metric.gone = 0
        assert not score_benchmark(metric, made(), folder=tmp_path).cached
        assert score_benchmark(metric, made(), folder=tmp_path).cached
        assert metric.asked == 2


def test_posh_counts_what_its_judge_left_open():
    from posh_lite import PoSh
    from posh_lite.judge.contract import Verdict

    class Silent:
        signature, presence_threshold = "silent", 2.0

        def ask(self, questions):
            return [Verdict(None, reason="no reply") for _ in questions]

    pair = Pair("1", "A red dog.", "A red dog.")
    frame, _ = PoSh(judge=Silent()).measure([pair])
    assert frame["n_missing"].sum() > 0


def test_other_pictures_of_the_same_name_are_scored_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("POSH_LITE_IMAGES", str(tmp_path))
    metric = Own(needs=frozenset({"image"}))
    (tmp_path / "dog.png").write_bytes(b"one")
    data = made(image="dog.png")
    assert not score_benchmark(metric, data, folder=tmp_path).cached
    assert score_benchmark(metric, data, folder=tmp_path).cached
    (tmp_path / "dog.png").write_bytes(b"two")
    assert not score_benchmark(metric, data, folder=tmp_path).cached
    (tmp_path / "dog.png").unlink()
    assert not score_benchmark(metric, data, folder=tmp_path).cached


@pytest.mark.parametrize("changed", ["mine_metric.py", "mine_base.py", "mine_help.py"])
def test_code_beside_a_metric_of_ones_own_is_part_of_it(changed, tmp_path, monkeypatch):
    base = "class Base:\n    name, needs, signature = 'mine', frozenset(), 'fixed'\n"
    (tmp_path / "mine_base.py").write_text(base)
    (tmp_path / "mine_help.py").write_text("def value(text): return len(text)\n")
    (tmp_path / "mine_metric.py").write_text(
        "import pandas as pd\nfrom mine_base import Base\nimport mine_help\nclass Mine(Base):\n"
        "    def score(self, pairs):\n        v = [mine_help.value(p.generation) for p in pairs]\n"
        "        return pd.DataFrame({'id': [p.id for p in pairs], 'mistakes': v, 'omissions': v, 'overall': v})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def cached():
        for name in ("mine_metric", "mine_base", "mine_help"):
            sys.modules.pop(name, None)
        return evaluate(made(), ["mine_metric:Mine"], output=tmp_path / "out", n_resamples=20).run("mine_metric:Mine")

    assert (cached().cached, cached().cached) == (False, True)
    path = tmp_path / changed
    path.write_text(path.read_text() + "# another line\n")
    os.utime(path, (1, 1))  # another time, so that no compiled file of the old text is taken
    assert not cached().cached
    for name in ("mine_metric", "mine_base", "mine_help"):
        sys.modules.pop(name, None)


def test_a_judge_of_ones_own_is_part_of_posh_and_another_metric_is_not(tmp_path, monkeypatch):
    from posh_lite import PoSh
    from posh_lite.evaluation.evaluate_scores import _own_code

    code = "class Mine:\n    signature, presence_threshold = 'mine', 2.0\n    def ask(self, questions): return []\n"
    keys = []
    for extra in ("", "# changed\n"):
        (tmp_path / "mine_judge.py").write_text(code + extra)
        os.utime(tmp_path / "mine_judge.py", (len(extra), len(extra)))
        sys.modules.pop("mine_judge", None)
        with monkeypatch.context() as context:
            context.syspath_prepend(str(tmp_path))
            keys.append([_own_code(PoSh(judge="mine_judge:Mine")), _own_code(PoSh()), _own_code(Own())])
    sys.modules.pop("mine_judge", None)
    assert keys[0][0] != keys[1][0]
    assert keys[0][1:] == keys[1][1:]


def test_latex_labels_hold_nothing_that_latex_reads_otherwise():
    text = latex(table_of(evaluate(made(), [Own()], n_resamples=20)), "own_%#1")
    assert "\\label{tab:own-1}" in text and "\\label{tab:own-1-intervals}" in text
    assert "\\ref{tab:own-1}" in text
    assert "\\cref" not in text  # would need a package more than the head names


def test_what_a_loader_of_ones_own_does_wrong_is_an_input_error(tmp_path, monkeypatch):
    (tmp_path / "faulty_bench.py").write_text(
        "from posh_lite.benchmarks.contract import Benchmark\nfrom posh_lite.records import Pair\n"
        "P = Pair('1', 'a', 'b')\n"
        "def twice(): return Benchmark('t', 't', 'people', (P, P))\n"
        "def broken(): raise RuntimeError('no luck')\n"
        "def known(): from posh_lite.errors import InputError; raise InputError('as it is')\n"
    )
    (tmp_path / "unreadable_bench.py").write_text("def (:\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, said in (("faulty_bench:twice", "failed with ValueError: t: ids of pairs are not unique"),
                       ("faulty_bench:broken", "failed with RuntimeError: no luck"),
                       ("faulty_bench:known", "^as it is$"), ("unreadable_bench:x", "cannot be imported"),
                       (":x", "cannot be imported"), (".a:x", "cannot be imported")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            load_benchmark(name)
    with pytest.raises(InputError, match="unexpected keyword argument 'colour'"):
        load_benchmark("mini", colour="red")


def test_what_is_missing_is_said_below_the_table():
    def score(pairs):
        frame = Own().score(pairs)
        frame.loc[1, "overall"] = math.nan
        return frame

    found = evaluate(made(), [Own(), Own(name="holed", score=score)], n_resamples=20)
    said = [note for note in table_of(found).notes if "without an overall score" in note]
    assert said == ["holed: 1 of 4 pairs without an overall score; they count as wrong choices, and correlations leave"
                    " them out."]  # fmt: skip
    away = evaluate(made(), [Own(), Own(name="away", spans=None)], against="away", n_resamples=20)
    assert any(note.startswith("No differences are given: away") for note in table_of(away).notes)
    assert not any("No differences" in note for note in table_of(found).notes)


def test_metrics_that_call_themselves_alike_are_told_apart(tmp_path, monkeypatch):
    for module in ("alike_one", "alike_two"):
        (tmp_path / f"{module}.py").write_text("from test_evaluate_faults import Own\nclass Same(Own):\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "test_evaluate_faults", sys.modules[__name__])
    found = evaluate(made(), ["alike_one:Same", "alike_two:Same"], n_resamples=20)
    assert [title for title, _ in table_of(found).rows] == ["own (alike_one:Same)", "own (alike_two:Same)"]
