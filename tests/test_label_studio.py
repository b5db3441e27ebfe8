"""A small study: tasks out, who judges what, the export back, and agreement from it."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.docent import load_docent, load_docent_coarse, load_docent_granular
from posh_lite.benchmarks.docent_example import find_study, names, simulate
from posh_lite.benchmarks.docent_schema import LABELS
from posh_lite.benchmarks.docent_spans import to_utf16
from posh_lite.benchmarks.label_studio import coarse_tasks, config, export, granular_tasks, task_json
from posh_lite.benchmarks.label_studio_assign import assign
from posh_lite.benchmarks.label_studio_import import read_export
from posh_lite.benchmarks.label_studio_study import write_study
from posh_lite.benchmarks.mini import load_mini
from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.evaluation.annotators_report import agreement, agreement_frame, relative_by_model, unmarked_by_model
from posh_lite.records import Pair

QUICK = {"n_resamples": 20}


def some(n_images=4, models=("a", "b", "c", "d")):
    return [Pair(f"w{i}/{m}", f"The {m} text of {i}.", f"Reference {i}.", m, f"w{i}")
            for i in range(n_images) for m in models]  # fmt: skip


def test_coarse_tasks_hold_every_two_generations_once():
    tasks = coarse_tasks(some(2), seed=1)
    assert len(tasks) == 12
    assert len({task.key for task in tasks}) == 12
    assert {frozenset(p.id for p in t.pairs) for t in tasks if t.unit == "w0"} == {
        frozenset(c) for c in combinations(["w0/a", "w0/b", "w0/c", "w0/d"], 2)
    }
    assert [t.pairs for t in coarse_tasks(some(2), seed=1)] == [t.pairs for t in tasks]
    firsts = Counter(t.pairs[0].id < t.pairs[1].id for t in coarse_tasks(some(40), seed=1))
    assert 80 < firsts[True] < 160  # which is shown first is drawn: 240 tasks, even odds
    same = [Pair("w/a", "One.", "R."), Pair("w/b", "One.", "R.")]
    assert coarse_tasks(same) == []


def test_the_first_judgments_of_granular_tasks_stay_with_one_person():
    given = assign(granular_tasks(some(8)), ["x", "y", "z"], overlap=0.25, seed=3)
    owners = Counter()
    for mine in given.tasks.values():
        for unit in {t.unit for t in mine}:
            assert sum(t.unit == unit for t in mine) == 4  # all generations of an image
            owners[unit] += 1
        units = [t.unit for t in mine]
        changes = sum(a != b for a, b in zip(units, [None, *units], strict=False))
        assert len(set(units)) == changes  # one image after the other
    assert given.overlapping == 8
    assert sorted(owners.values()) == [1] * 6 + [2] * 2
    assert max(map(len, given.tasks.values())) - min(map(len, given.tasks.values())) <= 4
    assert given.repeats == 0


def test_nobody_sees_a_generation_twice_where_there_are_enough_people():
    tasks = coarse_tasks(some(10), seed=0)
    given = assign(tasks, list("uvwxyz"), overlap=0.15, seed=0)
    assert given.repeats == 0
    for mine in given.tasks.values():
        assert max(Counter(p.id for t in mine for p in t.pairs).values()) == 1
    judged = Counter(t.key for mine in given.tasks.values() for t in mine)
    assert Counter(judged.values()) == {1: 51, 3: 9}  # 15% of 60 by two further people
    assert given.overlapping == 9


def test_with_too_few_people_repeats_are_few_and_said():
    # six comparisons of four generations among two people: each can take two without a repeat, and two are left,
    # each of which shows both of its generations again
    given = assign(coarse_tasks(some(1), seed=0), ["x", "y"], overlap=0)
    assert given.repeats == 4
    assert sum(map(len, given.tasks.values())) == 6


@given(st.integers(1, 6), st.integers(2, 5), st.integers(1, 6), st.floats(0, 1), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_every_task_is_given_often_enough_and_never_twice_to_one(images, models, people, overlap, seed):
    pairs = some(images, list("abcde")[:models])
    for tasks in (granular_tasks(pairs), coarse_tasks(pairs, seed=seed)):
        extra = min(1, people - 1)
        given = assign(tasks, [f"p{i}" for i in range(people)], overlap=overlap, extra=extra, seed=seed)
        judged = Counter(t.key for mine in given.tasks.values() for t in mine)
        assert set(judged) == {t.key for t in tasks}
        assert set(judged.values()) <= {1, 1 + extra}
        assert all(len({t.key for t in mine}) == len(mine) for mine in given.tasks.values())
        again = assign(tasks, [f"p{i}" for i in range(people)], overlap=overlap, extra=extra, seed=seed)
        assert again == given


def test_impossible_assignments_are_refused():
    tasks = granular_tasks(some(1))
    for wrong, message in (
        ({"annotators": []}, "at least one"), ({"annotators": ["x", "x"]}, "each once"), ({"overlap": 2}, "and 1, got"),
        ({"annotators": ["x"], "overlap": 0.5}, "there are 1"), ({"extra": -1}, "extra"),
        ({"tasks": tasks * 2}, "occurs twice"), ({"tasks": [*tasks, *coarse_tasks(some(1))]}, "both kinds"),
    ):  # fmt: skip
        settings_ = {"tasks": tasks, "annotators": ["x", "y"], **wrong}
        with pytest.raises(InputError, match=message):
            assign(settings_.pop("tasks"), settings_.pop("annotators"), **settings_)
    assert assign([], ["x"], overlap=0).tasks == {"x": ()}


@pytest.mark.parametrize("kind", ["granular", "coarse"])
@pytest.mark.parametrize("images", [False, True])
def test_the_configuration_fits_the_tasks(kind, images):
    root = ET.fromstring(config(kind, images=images))
    pairs = some(1)
    task = granular_tasks(pairs)[0] if kind == "granular" else coarse_tasks(pairs)[0]
    data = task_json(task, image="https://x/1.jpg" if images else None)["data"]
    objects = {e.get("name"): e.get("value") for e in root.iter() if e.tag in ("Text", "Image")}
    assert ("picture" in objects) is images
    for value in objects.values():
        assert isinstance(data[value.removeprefix("$")], str)  # every variable is filled by the task
    for control in (e for e in root.iter() if e.tag in ("Labels", "Choices")):
        assert control.get("toName") in objects
    if kind == "coarse":
        answers = [[c.get("alias") for c in e] for e in root.iter("Choices")]
        assert answers == [list(LABELS)] * 3
    assert "pre-wrap" in next(root.iter("Style")).text


EMOJI = "A \U0001f600 man, a red coat."
GRANULAR = Pair("w/m", EMOJI, "A \U0001f3a8 woman in a blue coat.", "m", "w")


def exported(*results, pair=GRANULAR, **annotation):
    task = {"id": 1, **task_json(granular_tasks([pair])[0]), "predictions": [], "drafts": []}
    task["annotations"] = [
        {"id": i, "completed_by": i, "was_cancelled": False, "result": result, **annotation}
        for i, result in enumerate(results, start=1)
    ]
    return [task]


def mark(side, start, end, text=None):
    name = {"mistakes": "generation", "omissions": "reference"}[side]
    value = {"start": start, "end": end, "labels": [{"mistakes": "mistake", "omissions": "omission"}[side]]}
    if text is not None:
        value["text"] = text
    return {"value": value, "id": "x", "from_name": side, "to_name": name, "type": "labels", "origin": "manual"}


def read(tmp_path, tasks, **options):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    return read_export(path, **options)


def test_marks_after_an_emoji_are_not_shifted(tmp_path):
    at = EMOJI.index("red coat")
    as_characters = mark("mistakes", at, at + 8, "red coat")
    as_utf16 = mark("mistakes", to_utf16(EMOJI, at), to_utf16(EMOJI, at + 8), "red coat")
    assert as_characters != as_utf16
    for one in (as_characters, as_utf16):
        assert read(tmp_path, exported([one])).spans[0].mistakes == ((at, at + 8),)


def test_how_offsets_count_is_found_out_for_marks_without_words(tmp_path):
    words, blue = GRANULAR.reference, GRANULAR.reference.index("blue")
    told = mark("mistakes", to_utf16(EMOJI, 4), to_utf16(EMOJI, 7), "man")
    silent = mark("omissions", to_utf16(words, blue), to_utf16(words, blue + 4))
    found = read(tmp_path, exported([told, silent])).spans[0]
    assert found.omissions == ((blue, blue + 4),)
    plain = read(tmp_path, exported([silent])).spans[0]  # nothing to tell by: characters, as today's versions count
    assert plain.omissions == ((blue + 1, blue + 5),)
    assert read(tmp_path, exported([silent]), offsets="utf16").spans[0].omissions == ((blue, blue + 4),)


def test_line_breaks_of_two_characters_do_not_shift(tmp_path):
    pair = Pair("w/m", "A man.\r\n\r\nA red coat.", "R.", "m", "w")
    at = pair.generation.index("man.")
    end = pair.generation.index(" red")
    one = mark("mistakes", at, end, "man.\n\n\n\nA")  # what the editor shows for CRLF
    found = read(tmp_path, exported([one], pair=pair))
    assert found.spans[0].mistakes == ((at, end),)
    assert found.notes == ()


def test_skipped_open_and_empty_annotations_differ(tmp_path):
    empty = read(tmp_path, exported([]))
    assert (empty.spans[0].mistakes, empty.skipped, empty.open) == ((), 0, 0)
    skipped = read(tmp_path, exported([mark("mistakes", 0, 1)], was_cancelled=True))
    assert (skipped.spans, skipped.skipped, skipped.open) == ((), 1, 0)
    still_open = read(tmp_path, exported())
    assert (still_open.spans, still_open.skipped, still_open.open) == ((), 0, 1)
    assert len(still_open.pairs) == 1


def test_who_judged(tmp_path):
    tasks = exported([mark("mistakes", 4, 7)], [])
    assert read(tmp_path, tasks).annotators == ("1", "2")
    assert read(tmp_path, tasks, names={"1": "ann"}).annotators == ("2", "ann")
    for task in tasks:
        task["data"]["annotator"] = "cleo"
    assert read(tmp_path, tasks).annotators == ("1", "2")  # two people answered what was meant for one
    tasks[0]["annotations"].pop()
    assert read(tmp_path, tasks).annotators == ("cleo",)
    tasks[0]["annotations"][0]["completed_by"] = {"id": 5, "email": "ann@example.org"}
    tasks[0]["data"].pop("annotator")
    assert read(tmp_path, tasks).annotators == ("ann@example.org",)


def test_an_answer_given_twice_counts_once(tmp_path):
    tasks = exported([mark("mistakes", 4, 7)], [mark("mistakes", 9, 10)])
    first, second = tasks[0]["annotations"]
    first |= {"completed_by": 1, "updated_at": "2026-01-02T00:00:00Z"}
    second |= {"completed_by": 1, "updated_at": "2026-01-01T00:00:00Z"}
    found = read(tmp_path, tasks)
    assert [j.mistakes for j in found.spans] == [((4, 7),)]
    assert "answered twice" in found.notes[0]


def coarse_export(swapped, **answers):
    a, b = Pair("w/a", "One.", "R.", "a", "w"), Pair("w/b", "Two.", "R.", "b", "w")
    task = next(t for t in (coarse_tasks([a, b], seed=s) for s in range(9)) if (t[0].pairs[0] is b) is swapped)[0]
    result = [{"value": {"choices": [value]}, "from_name": name, "to_name": "reference", "type": "choices", "id": "x"}
              for name, value in answers.items()]  # fmt: skip
    return [{"id": 1, **task_json(task), "annotations": [{"id": 1, "completed_by": 1, "result": result}]}]


def test_comparisons_are_turned_the_same_way(tmp_path):
    said = {"mistakes": "1_much_better", "omissions": "#2 slightly better", "overall_quality": "equal"}
    straight = read(tmp_path, coarse_export(False, **said)).coarse[0]
    turned = read(tmp_path, coarse_export(True, **said)).coarse[0]
    assert (straight.a, straight.b) == (turned.a, turned.b) == ("w/a", "w/b")
    assert straight.labels == {"mistakes": 2, "omissions": -1, "overall": 0}
    assert turned.labels == {"mistakes": -2, "omissions": 1, "overall": 0}


def test_open_questions_and_unknown_answers_are_left_out(tmp_path):
    found = read(tmp_path, coarse_export(False, mistakes="equal", omissions="who knows"))
    assert found.coarse[0].labels == {"mistakes": 0}
    assert len(found.notes) == 2
    assert write_study(found, tmp_path / "judged") == []
    assert read(tmp_path, coarse_export(False)).coarse == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [("{}", "expected a list"), ("[", "not readable"), ('[{"annotations": []}]', 'has no "data"'),
     ('[{"task": 1, "generation": "x"}]', "JSON-MIN"), ('[{"data": {"text": "x"}}]', "docent tasks"),
     ('[{"data": {"kind": "coarse", "task": "t", "unit": 3}}]', '"unit" is missing'),
     (json.dumps([{"data": task_json(granular_tasks([GRANULAR])[0])["data"]}]), 'no "annotations"')],
)  # fmt: skip
def test_what_is_no_export_is_explained(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        read_export(path)
    with pytest.raises(InputError, match="no such file"):
        read_export(tmp_path / "none.json")


@pytest.mark.parametrize("result", [5, 0, "marks", {"value": 1}, True])
def test_a_result_that_is_no_list_names_file_and_task(result, tmp_path):
    with pytest.raises(InputError, match=r'export\.json: task 1: "result" is .*, expected a list') as caught:
        read(tmp_path, exported(result))
    assert caught.value.field == "result"


@pytest.mark.parametrize("entry", [{"from_name": []}, {"from_name": {}, "type": "choices"}, 5, None,
                                   {"type": "labels", "to_name": "generation", "value": {"labels": 5}}])  # fmt: skip
def test_entries_of_another_kind_are_passed_over(entry, tmp_path):
    (judged,) = read(tmp_path, exported([entry])).spans
    assert judged.mistakes == judged.omissions == ()
    assert read(tmp_path, [{**coarse_export(False)[0], "annotations": [{"result": [entry]}]}]).coarse == ()
    answer = {"type": "choices", "from_name": "mistakes", "value": {"choices": [{"a": 1}]}}
    found = read(tmp_path, [{**coarse_export(False)[0], "annotations": [{"result": [answer]}]}])
    assert found.coarse == () and any("expected one answer" in note for note in found.notes)


def test_marks_that_lie_elsewhere_are_noted(tmp_path):
    odd = [mark("mistakes", 90, 95), mark("mistakes", 9, 4), mark("mistakes", 0, 3, "not there"),
           mark("omissions", "/div[1]/text()[1]", 5), {"type": "relation"}, None]  # fmt: skip
    found = read(tmp_path, exported(odd))
    assert found.spans[0].mistakes == ((4, 9),)
    assert len(found.notes) == 4


def test_a_round_trip_through_files(tmp_path):
    gold = load_mini()
    pairs = gold.pairs[:6]
    tasks = []
    for number, task in enumerate(granular_tasks(pairs), start=1):
        known = gold.gold_of(task.pairs[0])
        texts = {"mistakes": task.pairs[0].generation, "omissions": task.pairs[0].reference}
        result = [mark(side, *s.span, texts[side][s.start : s.end]) for side in texts for s in getattr(known, side)]
        tasks.append({"id": number, **export([task])[0],
                      "annotations": [{"id": number, "completed_by": 1, "result": result}]})  # fmt: skip
    study = read(tmp_path, tasks)
    bench = study.to_benchmark()
    assert [m.id for m in bench.marks] == [p.id for p in pairs]
    for found in bench.marks:
        known = gold.gold_of(found.id)
        assert found.mistakes == tuple(m.span for m in known.mistakes)
        assert found.omissions == tuple(o.span for o in known.omissions)
    write_study(study, tmp_path / "judged")
    again = load_docent_granular(tmp_path / "judged")
    assert [(m.mistakes, m.omissions) for m in again.marks] == [(j.mistakes, j.omissions) for j in study.spans]


def test_the_constructed_study_is_what_its_script_writes():
    corpus = load_mini()
    for kind in ("granular", "coarse"):
        there = json.loads((find_study() / f"export-{kind}.json").read_text("utf-8"))
        assert there == simulate(corpus, kind)
        assert (find_study() / f"config-{kind}.xml").read_text("utf-8") == config(kind)


@pytest.fixture(scope="module")
def study():
    return read_export(find_study(), names=names(), gold="constructed")


def test_agreement_of_the_constructed_study(study):
    assert (study.skipped, study.open, study.notes) == (2, 2, ())
    frame = agreement_frame(agreement(study, expert="expert", **QUICK))
    value = frame.set_index(["among", "dimension", "measure"])["value"]
    assert frame["value"].notna().all()
    for side in ("mistakes", "omissions"):
        assert value["annotators", side, "F1"] >= value["annotators", side, "F1@50"]
        assert value["expert", side, "R@50"] > value["expert", side, "F1@50"]  # the expert marks sparingly
    for dimension in ("mistakes", "omissions", "overall"):
        assert value["annotators", dimension, "alpha, nominal"] < value["annotators", dimension, "alpha, interval"]
    assert len(agreement(study, **QUICK)) == 16
    with pytest.raises(InputError, match="no annotator named"):
        agreement(study, expert="nobody")
    bench = study.to_benchmark(first=["expert"])
    assert bench.gold == "constructed"
    mine = {j.id: j for j in study.spans if j.annotator == "expert"}
    assert all(m.mistakes == mine[m.id].mistakes for m in bench.marks if m.id in mine)


def test_what_models_got(study, tmp_path):
    shares = {(side, model): e.value for side, model, e in unmarked_by_model(study, **QUICK)}
    assert shares["mistakes", "faithful"] > shares["mistakes", "confuser"]
    table = relative_by_model(study.coarse, {p.id: p.model for p in study.pairs}, "mistakes")
    assert table.loc["faithful", "confuser"] < 3 < table.loc["confuser", "faithful"]
    assert table.loc["faithful", "confuser"] + table.loc["confuser", "faithful"] == pytest.approx(6)
    write_study(study, tmp_path)
    assert len(load_docent_coarse(tmp_path).comparisons) == len(study.coarse)


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with open("pairs.jsonl", "w", encoding="utf-8") as handle:
        handle.writelines(json.dumps(pair.to_dict()) + "\n" for pair in some(2))
    assert main(["docent", "tasks", "pairs.jsonl", "-o", "study", "--annotators", "ann, ben,cleo"]) == 0
    said = capsys.readouterr().out
    assert "granular: 8 tasks, 4 of them for several annotators" in said
    assert len(json.loads((tmp_path / "study" / "coarse-ann.json").read_text("utf-8"))[0]["data"]["reference"]) > 5
    assert main(["docent", "tasks", "pairs.jsonl", "-o", "s", "--annotators", "a/b"]) == 2
    assert main(["docent", "tasks", "pairs.jsonl", "-o", "s", "--annotators", "ann"]) == 2
    assert "name more, or lower extra" in capsys.readouterr().err
    place = find_study()
    call = ["docent", "agreement", str(place), "--names", str(place / "names.txt"), "-n", "5"]
    assert main([*call, "--expert", "expert", "-o", "agreement.csv"]) == 0
    assert "annotators  overall    alpha, ordinal" in (heard := capsys.readouterr().out)
    assert "constructed annotations, nobody was asked" in heard
    assert (tmp_path / "agreement.csv").read_text("utf-8").startswith("among,dimension,measure")
    assert main([*call, "--expert", "eve"]) == 2
    assert main(["docent", "annotations", str(place), "-o", "judged"]) == 0
    assert main(["docent", "check", "granular", "judged"]) == 0
    assert load_docent(tmp_path / "judged").gold == "constructed"
    (tmp_path / "n.txt").write_text("1 ann")
    assert main(["docent", "agreement", str(place), "--names", "n.txt"]) == 2
    assert "n.txt:1: expected NUMBER=NAME" in capsys.readouterr().err
    assert main([*call, "-o", "nowhere/agreement.csv"]) == 2
    heard = capsys.readouterr()
    assert "nowhere does not exist" in heard.err
    assert heard.out == ""  # before the figures are computed
    assert main([*call, "-o", "judged"]) == 2
    (tmp_path / "empty.json").write_text("[]")
    for action in (["agreement"], ["annotations", "-o", "none"]):
        assert main(["docent", *action, "empty.json"]) == 2
        assert "empty.json: holds no task" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("kind", ["granular", "coarse"])
def test_label_studios_own_library_accepts_configuration_tasks_and_annotations(kind):
    reason = "label-studio-sdk is not installed (in an environment of its own: version 2.1.2)"
    interface = pytest.importorskip("label_studio_sdk.label_interface", reason=reason)
    for images in (False, True):
        own = interface.LabelInterface(config(kind, images=images))
        own.validate()
        tasks = granular_tasks(some(1)) if kind == "granular" else coarse_tasks(some(1))
        for task in export(tasks, images={"w0": "https://x/1.jpg"} if images else None):
            assert own.validate_task(task)
    own = interface.LabelInterface(config(kind))
    for task in json.loads((find_study() / f"export-{kind}.json").read_text("utf-8")):
        for annotation in task["annotations"]:
            assert own.validate_prediction(annotation, return_errors=True) == []
