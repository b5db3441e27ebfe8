import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from posh_lite.benchmarks.mini import load_mini
from posh_lite.errors import InputError
from posh_lite.evaluation import variants as module
from posh_lite.evaluation.labelled import labelled_questions
from posh_lite.evaluation.variants import Variant, balanced, run_all, run_variant, shown, variants
from posh_lite.evaluation.variants_record import save, table
from posh_lite.judge.llm.engine import Reading
from posh_lite.judge.llm.judge import LanguageJudge
from posh_lite.judge.prompts import load_prompts
from posh_lite.judge.table import TableJudge


@cache
def corpus():
    """Two works of the known-answer corpus, a few captions each."""
    whole = load_mini()
    works = list(dict.fromkeys(p.id.split("/")[0] for p in whole.pairs))[:2]
    pairs = tuple(p for w in works for p in [p for p in whole.pairs if p.id.startswith(f"{w}/")][:2])
    kept = {p.id for p in pairs}
    return replace(whole, pairs=pairs, gold=tuple(g for g in whole.gold if g.id in kept))


@cache
def labelled(scale="1-5"):
    return labelled_questions(corpus(), n=30, seed=0, prompts=load_prompts().on(scale), structural=False)


class Engine:
    """Knows the labels: 5 for what is true, 1 for what is not, with a share of doubt; a token is a word."""

    name, identity, context = "fake", "Knowing_Model type:1", None

    def __init__(self, doubt=0.1):
        items = labelled().items
        self.truth = {(q.side, q.text): item.label for item in items for q in [item.question]}
        self.doubt, self.n = doubt, 0

    def count(self, prompt):
        return len(prompt.text.split())

    def _answer(self, text, answers):
        label = next((v for (_, asked), v in self.truth.items() if asked == text), 0)
        yes, no = ("yes", "no") if answers.scale == "yes-no" else ("5", "1")
        sure = math.log(1 - self.doubt), math.log(self.doubt)
        return tuple(zip((yes, no), sure if label else sure[::-1], strict=True))

    def read(self, prompts, answers):
        self.n += len(prompts)
        return [
            Reading(self._answer(p.text.rpartition("Question: ")[2], answers), "", self.count(p), 0, 1) for p in prompts
        ]

    def read_list(self, prompts, counts, answers, *, chained=True):
        self.n += len(prompts)
        found = []
        for prompt, count in zip(prompts, counts, strict=True):
            asked = [line.partition(". ")[2] for line in prompt.text.splitlines()[-count:]]
            found.append([
                Reading(self._answer(text, answers), "", 0 if n else self.count(prompt), 0, 4)
                for n, text in enumerate(asked)
            ])
        return found

    def sample(self, prompts, n, seed):
        raise AssertionError

    def generate(self, prompts, max_tokens):
        raise AssertionError


def run(variant, engine=None, **settings):
    judge = LanguageJudge(engine or Engine(), scale=variant.scale, pack=variant.pack)
    prompts = load_prompts().on(variant.scale)
    return run_variant(variant, labelled(variant.scale), judge, prompts, n_resamples=50, **settings)


def test_combinations():
    found = variants(["1-5", "yes-no"], ["full", "near"], [1, 4], ["p.toml"], apart=True)
    assert [v.name for v in found] == [
        "1-5, full", "yes-no, full", "1-5, near", "yes-no, near",
        "1-5, full, 4 in a prompt", "1-5, full, 4 in a prompt, lines apart",
        "yes-no, full, 4 in a prompt", "yes-no, full, 4 in a prompt, lines apart",
        "1-5, near, 4 in a prompt", "1-5, near, 4 in a prompt, lines apart",
        "yes-no, near, 4 in a prompt", "yes-no, near, 4 in a prompt, lines apart",
        "1-5, full, p.toml", "yes-no, full, p.toml",
    ]
    assert variants(["1-5", "1-5"], ["full"], [1]) == [Variant()]


@pytest.mark.parametrize("pack", [1, 4])
@pytest.mark.parametrize("scale", ["1-5", "yes-no"])
def test_a_judge_that_knows_is_right_in_every_way(scale, pack):
    outcome = run(Variant(scale, "full", pack))
    assert outcome.n == len(labelled().items)
    assert outcome.n_missing == 0
    assert outcome.auc["value"] == 1.0
    assert outcome.balanced_at_2["value"] == 1.0
    assert outcome.balanced["value"] == 1.0
    # 0.9 of 5 and 0.1 of 1, or the other way round.
    assert outcome.mean_true == pytest.approx(4.6)
    assert outcome.mean_false == pytest.approx(1.4)
    assert f"scale:{scale}" in outcome.signature


def test_costs_are_means_over_the_questions():
    engine = Engine()
    outcome = run(Variant(), engine)
    words = [len(item.question.prompt.split()) for item in labelled().items]
    assert outcome.costs["tokens"] == pytest.approx(np.mean(words))
    assert outcome.costs["prompts"] == 1
    packed = run(Variant(pack=8))
    assert packed.costs["prompts"] < 0.5
    assert packed.costs["tokens"] < outcome.costs["tokens"]


def test_sentences_that_matter_make_shorter_prompts_and_their_own_signature():
    items = labelled().items
    prompts = load_prompts()
    near = shown(items, prompts, "near")
    full = shown(items, prompts, "full")
    assert [q.text for q in near] == [q.text for q in full]
    assert sum(len(q.prompt) for q in near) < sum(len(q.prompt) for q in full)
    assert all(q.target_text == item.question.target_text for q, item in zip(near, items, strict=True))
    outcome = run(Variant(context="near"))
    assert outcome.signature.endswith("|context:near-1")


def test_missing_verdicts_are_counted_and_left_out():
    first = labelled().items[0].question.text

    class Dumb(Engine):
        def _answer(self, text, answers):
            return (("x", 0.0),) if text == first else super()._answer(text, answers)

    outcome = run(Variant(), Dumb())
    assert outcome.n_missing == sum(item.question.text == first for item in labelled().items)
    assert outcome.auc["n"] == outcome.n - outcome.n_missing
    assert outcome.auc["value"] == 1.0


def test_balanced_accuracy_by_hand():
    called, labels = np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 0, 0])
    # True ones: weight 3 of 4 called rightly; false ones: 1 of 2.
    found = balanced(called, labels, np.array([3.0, 1, 1, 1]), ["a", "a", "b", "b"], "x", n_resamples=20)
    assert found.value == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert math.isnan(balanced(np.array([1.0, np.nan]), np.array([1.0, 0]), np.ones(2), ["a", "b"], "x").value)
    assert math.isnan(balanced(np.ones(2), np.ones(2), np.ones(2), ["a", "b"], "x").value)


def test_a_threshold_comes_from_the_other_works():
    x, y = np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 0, 1])
    # Without "a" the best threshold is 3.5, without "b" it is 1.5.
    assert module._left_out(x, y, np.ones(4), ["a", "a", "b", "b"]).tolist() == [0, 0, 1, 1]
    assert np.isnan(module._left_out(x[:2], y[:2], np.ones(2), ["a", "a"])).all()


def test_every_variant_is_saved_when_it_is_done_and_a_log_spares_the_rest(tmp_path):
    path, log, engine = tmp_path / "r" / "variants.json", str(tmp_path / "log.sqlite"), Engine()
    chosen = [Variant(), Variant("yes-no"), Variant(pack=4)]
    told = []

    def interrupt(text):
        told.append(text)
        if text.startswith("yes-no"):
            raise KeyboardInterrupt

    settings = {"log": log, "n": 30, "n_resamples": 20}
    with pytest.raises(KeyboardInterrupt):
        run_all(chosen, LanguageJudge(engine), corpus(), path, said=interrupt, **settings)
    record = json.loads(path.read_text())
    assert [r["name"] for r in record["variants"]] == ["1-5, full"]
    assert told[0].startswith("1-5, full: ")
    asked = engine.n
    run_all(chosen, LanguageJudge(engine), corpus(), path, **settings)
    again = json.loads(path.read_text())
    assert [r["name"] for r in again["variants"]] == ["1-5, full", "yes-no, full", "1-5, full, 4 in a prompt"]
    assert again["variants"][0]["costs"] == record["variants"][0]["costs"]  # nothing was asked, so the old ones stay
    assert again["variants"][0]["n_measured"] == record["n"]
    assert engine.n < asked + 2 * record["n"]
    assert all(p.generation not in path.read_text() for p in corpus().pairs)
    assert "yes-no, full" in table(again["variants"])


def test_a_record_of_other_questions_is_not_touched(tmp_path):
    path = tmp_path / "variants.json"
    row = {"name": "a", "signature": "s", "n_measured": 1, "costs": {}}
    save(path, {"sha256": "1", "n": 2}, row)
    before = path.read_text()
    with pytest.raises(InputError, match="other questions"):
        save(path, {"sha256": "1", "n": 3}, row)
    path.write_text("[]")
    with pytest.raises(InputError, match="not a record"):
        save(path, {"sha256": "1", "n": 2}, row)
    path.write_text(before)
    save(path, {"sha256": "1", "n": 2}, {**row, "signature": "t", "n_measured": 0})  # another judge: its own costs
    assert json.loads(path.read_text())["variants"][0]["n_measured"] == 0


def test_a_judge_without_a_language_model_is_asked_in_its_own_way_alone(tmp_path):
    judge = TableJudge(lambda q: 4.0, name="table")
    run_all([Variant()], judge, corpus(), tmp_path / "v.json", n=30, n_resamples=20)
    row = json.loads((tmp_path / "v.json").read_text())["variants"][0]
    assert row["auc"]["value"] == 0.5
    assert row["costs"] == {}
    with pytest.raises(InputError, match="no language model"):
        run_all([Variant(pack=4)], judge, corpus(), tmp_path / "v.json", n=30)


def test_options_out_of_range(capsys):
    for option in (["--scales", "1-7"], ["--contexts", "far"], ["--packs", "0"], ["--packs", "x"]):
        assert module.main(["--judge", "lexical", *option]) == 1
        assert "posh-lite:" in capsys.readouterr().err
