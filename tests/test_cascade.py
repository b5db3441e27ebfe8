"""The cascade: which questions are asked, what is said of the others, how a policy is fitted, kept and refused."""

import json
import math

import numpy as np
import pytest
from captions import CAPTIONS
from scenes import Scene, man_with_cup

from posh_lite.errors import InputError, JudgeError, LogError, MissingDependency
from posh_lite.evaluation.cascade_curve import RecordedAnswers, cascade_points, describe, full_run
from posh_lite.judge.cascade import CascadeJudge, cascade_judge, estimated
from posh_lite.judge.cascade_choice import choose, covariance, quota, shifts
from posh_lite.judge.cascade_fit import Observation, Recorder, fit_policy, observe
from posh_lite.judge.cascade_policy import Policy, features, likeness, load_policy, stratum, verdict_class
from posh_lite.judge.contract import Identifier, Question, Verdict
from posh_lite.judge.keys import digest
from posh_lite.judge.log import VerdictLog
from posh_lite.judge.registry import make_judge
from posh_lite.judge.table import TableJudge
from posh_lite.metric.posh import PoSh
from posh_lite.records import Pair

KINDS = ("entity", "attribute", "relation")


def policy(*, spread=1.0, text=0.0, entity=0.0, words=0.0, weights=None, **strata):
    weights = weights or {f"{side}/{kind}": 3.0 for side in ("generation", "reference") for kind in KINDS}
    table = {f"{a}/{b}": text for a in KINDS for b in KINDS}
    return Policy(weights, strata, spread, table, entity, words, {}, "first", "second")


def number(*words):
    """A number from -1 to 1 that depends on words alone."""
    return digest(*words)[0] / 127.5 - 1


def items(judge, graph=None, target="A man."):
    """The components of a graph as the cascade weighs them, from a run in which nothing is asked."""
    graph = graph or man_with_cup()
    PoSh(judge).score_graphs(graph, graph)
    return [i for text in judge._texts.values() for i in text.items.values()]


class Second(TableJudge):
    """A costly judge: reads the prompt alone, so that equal prompts are one question."""

    structural = False
    scale = "1-5"


def score(judge, log=None, graph=None, **more):
    graph = graph or man_with_cup()
    return PoSh(judge, log=log, **more).score_graphs(graph, graph)


# -- choosing ---------------------------------------------------------------------------------------------------


def test_quota_rounds_to_the_nearest():
    assert [quota(0.45, n) for n in (0, 1, 2, 3, 10)] == [0, 0, 1, 1, 5]
    assert quota(1.0, 7) == 7


def test_what_is_least_known_is_asked_first():
    wide = policy(spread=0.1, **{"generation/attribute/5": 2.0})
    judge = CascadeJudge(TableJudge({}, default=5), Second({}, default=5), policy=wide, share=0.0)
    all_items = [i for i in items(judge) if i.question.side == "generation"]
    chosen = choose(wide, all_items, [], 3 / len(all_items), 1.0)
    assert {i.question.kind for i in chosen} == {"attribute"}
    assert len(chosen) == 3


def test_each_choice_takes_the_most_variance_from_the_sum():
    shared = policy(spread=0.5, text=0.2, entity=0.7, **{"generation/relation/5": 0.9, "generation/entity/5": 0.3})
    judge = CascadeJudge(TableJudge({}, default=5), Second({}, default=5), policy=shared, share=0.0)
    ours = [i for i in items(judge) if i.question.side == "generation"]
    left = covariance(shared, ours, ours, own=True)

    def remaining(asked):
        rest = left - left[:, asked] @ np.linalg.inv(left[np.ix_(asked, asked)]) @ left[asked, :]
        return rest.sum()

    picked = []
    for _ in range(3):  # by trying every one
        open_ = [i for i in range(len(ours)) if i not in picked]
        picked.append(min(open_, key=lambda i: round(remaining([*picked, i]), 6)))
    chosen = choose(shared, ours, [], 3 / len(ours), -99.0)  # so far off that nothing hangs on presence
    assert {id(i) for i in chosen} == {id(ours[i]) for i in picked}


def test_an_entity_that_much_hangs_on_is_asked_where_its_presence_is_open():
    scene = Scene("A tall thin man. A cup. A hat.")
    man = scene.entity("A tall thin man")
    scene.entity("A cup")
    scene.entity("A hat")
    scene.attribute(man, "tall")
    scene.attribute(man, "thin")
    flat = policy(spread=0.25)
    judge = CascadeJudge(TableJudge({}, default=5), Second({}, default=5), policy=flat, share=0.0)
    entities = [i for i in items(judge, scene.graph) if i.question.kind == "entity"][:3]
    chosen = choose(flat, list(reversed(entities)), [], 1 / 3, threshold=3.0)
    assert chosen[0].question.identifier.entity.head == "man"
    # far from the threshold nothing hangs on it, and the first of equals is taken
    chosen = choose(flat, list(reversed(entities)), [], 1 / 3, threshold=-99.0)
    assert chosen[0].question.identifier.entity.head == "hat"


def test_shift_by_hand():
    # two questions of one entity, variance own 1, entity 0.5, text 0.5: covariance 1, variance 2, residual +2 -> +1
    shared = policy(spread=1.0, text=0.5, entity=0.5)
    judge = CascadeJudge(TableJudge({}, default=5), Second({}, default=5), policy=shared, share=0.0)
    ours = [i for i in items(judge) if i.question.side == "generation"]
    man = [i for i in ours if i.question.identifier.entity.head == "man"]
    man[0].said[man[0].question.prompt] = Verdict(5.0)
    assert shifts(shared, [man[1]], [man[0]]) == [pytest.approx(1.0)]
    cup = next(i for i in ours if i.question.identifier.entity.head == "cup")
    assert shifts(shared, [cup], [man[0]]) == [pytest.approx(0.5)]
    assert shifts(shared, [cup], []) == [0.0]


# -- the judge --------------------------------------------------------------------------------------------------


def test_questions_in_the_same_words_and_of_the_same_entities_are_alike():
    graph = man_with_cup()
    man, cup = graph.entities[0], graph.entities[1]

    def question(name, entity, claim=None, other=None):
        kind = "entity" if claim is None else "relation"
        return Question("1", "generation", kind, Identifier(name, entity), "", "", "", relation=claim,
                        object_identifier=other)

    hold = question("the man", man, graph.relations[0], Identifier("the cup", cup))
    entities, words = likeness([hold], [hold, question("the tall man", man), question("a cup", cup)])
    assert entities[0].tolist() == pytest.approx([1.0, 0.5**0.5, 0.5**0.5])  # one of two, and all of one
    assert words[0].tolist() == pytest.approx([1.0, 1 / 4, 1 / 3])  # man holds cup; tall man; cup


def test_share_0_asks_nothing_and_says_so():
    second = Second({}, default=5)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=0)
    found = score(judge)
    assert second.asked == []
    assert judge.n_second == 0
    assert {c.score for c in found.components} == {3.0}
    assert all("estimated from the first judge (5: from the table)" in c.reason for c in found.components)
    assert all("not asked" in c.reason for c in found.components)
    verdicts = [i.guess for text in judge._texts.values() for i in text.items.values()]
    assert all(estimated(v) and v.probabilities is None and v.mass is None for v in verdicts)


def test_share_1_asks_each_component_once():
    second = Second({}, default=4)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=1)
    found = score(judge)
    assert {c.score for c in found.components} == {4.0}
    assert not any("estimated" in c.reason for c in found.components)
    assert judge.n_second == len(second.asked) == len({q.prompt for q in second.asked})
    alone = Second({}, default=4)
    score(alone)
    assert len(second.asked) < len(alone.asked)  # one identifier for each entity
    assert judge.n_wanted == len(alone.asked)


def test_answers_of_both_sides_are_weighed_apart_and_asked_in_one_batch():
    second = Second({}, default=4)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=0.5)
    score(judge)
    assert len(second.batches) == 3  # a batch for each step, both texts in it
    assert {q.side for q in second.asked} == {"generation", "reference"}


def test_what_was_asked_moves_what_was_not():
    near = policy(spread=0.01, text=1.0)
    second = Second({}, default=4.5)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=near, share=0.3)
    found = score(judge)
    rest = [c.score for c in found.components if "estimated" in c.reason]
    assert rest
    assert all(4.4 < s < 4.5 for s in rest)  # expected 3, but the text's shared part is known from the answers


def test_estimates_stay_on_the_scale():
    far = policy(weights={f"{s}/{k}": 9.0 for s in ("generation", "reference") for k in KINDS})
    found = score(CascadeJudge(TableJudge({}, default=5), Second({}, default=5), policy=far, share=0))
    assert {c.score for c in found.components} == {5.0}


def test_a_repeated_run_agrees_and_asks_nothing_new():
    second = Second(lambda q: 3 + number(q.text))
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(text=0.3), share=0.5)
    once = score(judge)
    asked = len(second.asked)
    again = score(judge)
    assert once.to_dict() == again.to_dict()
    assert len(second.asked) == asked


def test_many_pairs_at_once_give_the_figures_of_one_by_one():
    pairs = [("A man in a red coat holds a cup.", "A tall man wears a blue coat and a hat."),
             ("Two dogs run on the grass.", "A brown dog runs after a white dog."),
             ("A woman sits on a bench under a tree.", "An old woman on a wooden bench.")]

    def run(chunk):
        judge = CascadeJudge(
            TableJudge(lambda q: 3 + 2 * number(q.text)), Second(lambda q: 3 + number(q.prompt)),
            policy=policy(text=0.2, entity=0.2), share=0.5,
        )
        return [s.to_dict() for s in PoSh(judge, progress=False).score_many(pairs, chunk_size=chunk)]

    assert run(1) == run(3)


def test_lazy_identifiers_ask_no_more():
    second = Second({}, default=3)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=1)
    plain = score(judge)
    lazy = Second({}, default=3)
    found = score(CascadeJudge(TableJudge({}, default=5), lazy, policy=policy(), share=1), identifiers="lazy")
    assert len(lazy.asked) == len(second.asked)
    assert [c.score for c in found.components] == [c.score for c in plain.components]


def test_what_the_first_judge_cannot_read_is_asked():
    first = TableJudge(lambda q: None if q.kind == "attribute" else 5)
    second = Second({}, default=2)
    score(CascadeJudge(first, second, policy=policy(), share=0))
    assert {q.kind for q in second.asked} == {"attribute"}
    assert len(second.asked) == 6


def test_what_the_second_judge_could_not_read_stays_missing():
    second = Second({("attribute", "the man | tall"): 4})
    found = score(CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=1))
    assert found.n_missing == len(found.components) - 2
    assert "not in the table" in next(c.reason for c in found.components if c.missing)


def test_the_log_goes_under_the_second_judge(tmp_path):
    log = tmp_path / "v.sqlite"
    full = Second({}, default=4, name="model")
    score(full, log)  # a full run first
    second = Second({}, default=4, name="model")
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=0.5)
    metric = PoSh(judge, log=log)
    found = metric.score_graphs(man_with_cup(), man_with_cup())
    assert second.asked == []  # all known from the full run
    assert metric.judge.n_second > 0
    assert set(VerdictLog(log).judges()) == {"model"}
    assert "cascade share:0.5" in found.signature
    assert judge.signature == metric.judge.signature
    assert metric.judge.with_log(log) is not metric.judge
    assert metric.judge.with_log(log).second is metric.judge.second  # one log, not two around each other


def test_a_run_that_was_killed_goes_on_from_the_log(tmp_path):
    log, calls = tmp_path / "v.sqlite", []

    class Dies(Second):
        def ask(self, questions):
            calls.append(len(questions))
            if len(calls) == 2:
                raise KeyboardInterrupt
            return super().ask(questions)

    def cascade(second):
        return CascadeJudge(TableJudge({}, default=5), second, policy=policy(text=0.2), share=0.5)

    answers = lambda q: 3 + number(q.text)  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        score(cascade(Dies(answers)), log)
    resumed, whole = Second(answers), Second(answers)
    a, b = score(cascade(resumed), log), score(cascade(whole))
    assert a.to_dict() == b.to_dict()
    assert len(resumed.asked) == len(whole.asked) - calls[0]


def test_a_calibrated_second_judge_is_logged_raw(tmp_path):
    from posh_lite.judge.calibration import CalibratedJudge

    class Calibrated(CalibratedJudge):
        def __init__(self, judge, calibration=None):  # the calibration itself is not what is tried here
            self.judge, self.calibration, self.rewrites = judge, calibration, False

        signature = "model calibrated"
        presence_threshold = 3.0

        def ask(self, questions):
            return self.judge.ask(questions)

    import posh_lite.judge.calibration as module

    judge = CascadeJudge(TableJudge({}, default=5), Calibrated(Second({}, default=4)), policy=policy())
    patched = pytest.MonkeyPatch()
    patched.setattr(module, "CalibratedJudge", Calibrated)
    try:
        logged = judge.with_log(tmp_path / "v.sqlite")
    finally:
        patched.undo()
    assert isinstance(logged.second, Calibrated)
    assert type(logged.second.judge).__name__ == "LoggedJudge"
    assert judge.presence_threshold == 3.0


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", True, math.nan])
def test_share_out_of_range(share):
    with pytest.raises(InputError, match="share must lie between 0 and 1"):
        CascadeJudge(TableJudge({}), Second({}), policy=policy(), share=share)


def test_judges_that_are_none():
    with pytest.raises(JudgeError, match="no judge"):
        CascadeJudge(TableJudge({}), object(), policy=policy())


def test_equal_prompts_are_one_question():
    scene = Scene("A cup. A cup.")
    scene.entity("A cup")
    scene.entity("A cup", nth=1)
    second = Second({}, default=4)
    judge = CascadeJudge(TableJudge({}, default=5), second, policy=policy(), share=1)
    graph = scene.graph
    PoSh(judge).score_graphs(graph, graph)
    assert judge.n_second == len(second.asked) == len({q.prompt for q in second.asked})


# -- by name ----------------------------------------------------------------------------------------------------


def test_by_name(tmp_path, monkeypatch):
    (tmp_path / "costly.py").write_text(
        "from posh_lite.judge.table import TableJudge\n"
        "class Costly(TableJudge):\n"
        "    structural = False\n"
        "    def __init__(self, answer=4):\n"
        "        super().__init__({}, default=answer, name='costly')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path, log = tmp_path / "policy.json", tmp_path / "v.sqlite"
    policy().save(path)
    options = {"policy": str(path), "share": 1, "answer": 2}
    metric = PoSh("cascade:costly:Costly", judge_options=options, log=log)
    found = metric.score("A man in a coat.", "A man in a coat.")
    assert {c.score for c in found.components} == {2.0}
    assert set(VerdictLog(log).judges()) == {"costly"}
    again = PoSh("cascade:replay", judge_options={"policy": str(path), "share": 1}, log=log)
    assert again.score("A man in a coat.", "A man in a coat.").to_dict()["components"] == found.to_dict()["components"]


def test_by_name_what_lacks_is_said(tmp_path):
    with pytest.raises(JudgeError, match=r'needs a model: "cascade:gguf:FILE.gguf"'):
        make_judge("cascade", policy="x")
    with pytest.raises(JudgeError, match="policy"):
        make_judge("cascade:lexical")
    with pytest.raises(InputError, match="cannot be read"):
        make_judge("cascade:lexical", policy=str(tmp_path / "none.json"))
    policy().save(tmp_path / "p.json")
    with pytest.raises(JudgeError, match='"lexical" has no option "depth"'):
        cascade_judge("lexical", policy=tmp_path / "p.json", depth=3)
    with pytest.raises((JudgeError, MissingDependency, InputError)):
        cascade_judge("gguf:none.gguf", policy=tmp_path / "p.json")
    with pytest.raises((JudgeError, LogError)):
        cascade_judge("replay", policy=tmp_path / "p.json")


# -- policies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "expected"), [
    (1, 0), (1.4, 1), (1.85, 2), (2.95, 3), (4.4, 4), (5, 5), (None, 3),
])
def test_classes_of_verdicts(value, expected):
    assert verdict_class(value) == expected


def test_a_policy_survives_its_file(tmp_path):
    made = policy(spread=0.1 + 0.2, text=1 / 3, **{"generation/entity/5": 2 / 7})
    made.save(tmp_path / "p.json")
    again = load_policy(tmp_path / "p.json")
    assert again == made
    assert again.digest == made.digest
    assert policy(spread=0.4).digest != made.digest


@pytest.mark.parametrize(("change", "words"), [
    (lambda row: row.update(format="other"), "format"),
    (lambda row: row.pop("entity"), "entity"),
    (lambda row: row.update(extra=1), "extra"),
    (lambda row: row["weights"].update({"generation/entity": "3"}), "must be a number"),
    (lambda row: row["spread"].update({"generation/entity/5": -1.0}), "must not be negative"),
    (lambda row: row.update(spread_elsewhere=-1), "must not be negative"),
    (lambda row: row.update(text=[1]), "object of numbers"),
    (lambda row: row.update(entity=None), "must be a number"),
])
def test_a_file_that_is_no_policy(tmp_path, change, words):
    path = tmp_path / "p.json"
    policy().save(path)
    row = json.loads(path.read_text())
    change(row)
    path.write_text(json.dumps(row))
    with pytest.raises(InputError, match=words):
        load_policy(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_a_file_that_is_something_else(tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match="not a policy"):
        load_policy(tmp_path / "p.json")


# -- fitting ----------------------------------------------------------------------------------------------------


def observations(n_pairs, rng, *, slope=0.0, text=0.0, entity=0.0, own=0.0):
    """Verdicts of a second judge made from a first one's by a known rule."""
    graph = man_with_cup()
    made = []
    for pair in range(n_pairs):
        for side in ("generation", "reference"):
            shared = rng.normal() * text
            for thing in graph.entities:
                mine = rng.normal() * entity
                claims = [("entity", None), *(("attribute", a) for a in graph.attributes_of(thing))]
                for kind, claim in claims:
                    first = float(rng.choice([1.0, 3.6, 5.0]))
                    question = Question(
                        str(pair), side, kind, Identifier(f"x{rng.integers(10**9)}", thing), "A man.",
                        f"{pair} {kind} {thing.head}", "?", attribute=claim, source=graph,
                    )
                    score = 3.5 + slope * (first - 3) / 2 + shared + mine + rng.normal() * own
                    made.append(Observation(question, Verdict(first), score, score))
    return made


def test_an_exact_rule_is_found():
    made = observations(30, np.random.default_rng(0), slope=0.8)
    fitted = fit_policy(made, first="a", second="b", data="made up")
    errors = [abs(fitted.expected(o.question, o.first) - o.score) for o in made]
    assert max(errors) < 0.02
    assert (fitted.n_questions, fitted.n_pairs, fitted.data) == (360, 30, "made up")


def test_variances_are_found():
    made = observations(400, np.random.default_rng(1), slope=0.5, text=0.4, entity=0.5, own=0.3)
    fitted = fit_policy(made, first="a", second="b")
    assert fitted.text["entity/attribute"] == pytest.approx(0.16, abs=0.04)
    assert fitted.entity == pytest.approx(0.25, abs=0.05)
    assert fitted.spread_elsewhere == pytest.approx(0.09, abs=0.03)


def test_words_that_the_second_judge_takes_to_are_found_where_they_are_common():
    made = observations(12, np.random.default_rng(2))

    def is_tall(o):
        return o.question.attribute is not None and o.question.attribute.lemma == "tall"

    rise = [Observation(o.question, o.first, o.score + is_tall(o), o.simplest) for o in made]
    fitted = fit_policy(rise, first="a", second="b")
    tall = next(o for o in rise if o.question.attribute is not None and o.question.attribute.lemma == "tall")
    pale = next(o for o in rise if o.question.attribute is not None and o.question.attribute.lemma == "pale")
    assert fitted.expected(tall.question, tall.first) - fitted.expected(pale.question, pale.first) > 0.7
    assert "attribute/word tall" in fitted.weights
    few = fit_policy([o for o in rise if o.question.pair_id in "012"], first="a", second="b")
    assert "attribute/word tall" not in few.weights  # a word of three pairs is left out


def test_a_policy_needs_several_pairs():
    with pytest.raises(InputError, match="several pairs, got 1"):
        fit_policy(observations(1, np.random.default_rng(0)), first="a", second="b")


def test_observations_are_one_a_component_with_the_simplest_identifier():
    recorder = Recorder(Second(lambda q: 3 + number(q.prompt)))
    found = score(recorder)
    made = observe(TableJudge({}, default=5), recorder.said)
    keys = [(o.question.side, o.question.kind, o.question.text) for o in made]
    assert len(keys) == len(set(keys)) == 16
    first = {}
    for question, verdict in recorder.said:
        if question.kind == "entity":
            first.setdefault((question.side, question.identifier.entity.id), verdict.score)
    entities = [o for o in made if o.question.kind == "entity"]
    assert {(o.question.side, o.question.identifier.entity.id): o.simplest for o in entities} == first
    # the component's score is that of the metric: the first with the highest whole score
    scores = {(c.side, c.entity): c.score for c in found.components if c.kind == "entity"}
    assert {(o.question.side, o.question.identifier.entity.id): o.score for o in entities} == scores
    assert any(o.score != o.simplest for o in entities)


def test_features_need_no_second_judge_and_are_finite():
    for thing in observations(1, np.random.default_rng(0)):
        values = features(thing.question, Verdict(None))
        assert all(math.isfinite(v) for v in values.values())
        assert stratum(thing.question, Verdict(None)).endswith("/3")


# -- the curve --------------------------------------------------------------------------------------------------



def test_the_curve_reaches_the_full_run():
    pairs = [Pair(str(n), a, b) for n, (a, b) in enumerate(CAPTIONS)]

    def costly(question):  # the simplest identifier wins: then asking all is the full run
        other = question.kind == "entity" and question.identifier.kind != "head"
        return 2.6 if other else 3 + 0.4 * number(question.text, question.target_text)

    run = full_run(pairs, Second(costly))
    first = TableJudge(lambda q: 3 + 2 * number(q.text))
    points = cascade_points(run, first, [0.0, 0.5, 1.0], folds=3)
    rows = [describe(run, p, n_resamples=50) for p in points]
    assert rows[0]["questions"] == 0
    assert rows[0]["times_fewer"] is None
    assert rows[1]["questions"] < rows[2]["questions"] < rows[2]["full"]
    assert all(rows[2][figure]["pearson"]["value"] > 0.9999 for figure in ("mistakes", "omissions", "overall"))
    assert rows[2]["overall"]["shift"] == pytest.approx(0, abs=1e-9)
    assert rows[1]["overall"]["pearson"]["value"] < 0.9999
    json.dumps(rows, allow_nan=False)


def test_questions_that_the_log_lacks_are_counted():
    pairs = [Pair(str(n), a, b) for n, (a, b) in enumerate(CAPTIONS)]
    run = full_run(pairs, Second({}, default=4))
    answers = RecordedAnswers(run)
    question = next(q for q, _ in run.said["0"] if q.kind == "attribute")
    other = Question("0", question.side, "attribute", question.identifier, question.target_text, "other words", "?",
                     attribute=question.attribute)
    strange = Question("9", question.side, "attribute", question.identifier, question.target_text, "elsewhere", "?",
                       attribute=question.attribute)
    assert [v.score for v in answers.ask([question, other, strange])] == [4.0, 4.0, None]
    assert (answers.n_exact, answers.n_other_name, answers.unknown) == (1, 1, [strange])


def test_too_few_pairs_for_a_curve():
    run = full_run([Pair("1", *CAPTIONS[0])], Second({}, default=4))
    with pytest.raises(InputError, match="1 pairs are complete in the log"):
        cascade_points(run, TableJudge({}, default=5), [0.5])
