"""The command line of the position lens: what it writes, what it keeps, and what it says when it cannot."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.position.report import counts_table, differences_table, figure, make_report, markdown, said
from posh_lite.position.report_store import ProfileStore, profiles_of
from posh_lite.position.simulate import labelled_caption
from posh_lite.position.types import Claim, Finding, Rubric
from posh_lite.records import Pair

ROWS = [
    {"id": "a1", "model": "first", "image": "a", "reference": "A red cat sleeps on a mat.",
     "generation": "A red cat sleeps. It lies on a mat. All is calm. There is joy."},
    {"id": "b1", "model": "first", "image": "b", "reference": "A black dog runs on the grass.",
     "generation": "A white dog runs. It is on grass."},
    {"id": "a2", "model": "second", "image": "a", "reference": "A red cat sleeps on a mat.",
     "generation": "A blue cat sleeps on a mat. It is nice. It is nice. It is nice."},
    {"id": "b2", "model": "second", "image": "b", "reference": "A black dog runs on the grass.",
     "generation": "A black dog runs on the grass. It is nice. It is nice. It is nice."},
]


class Extractor:
    """A claim of each reference; one whose reference has the word "nothing" has none."""

    def __init__(self):
        self.asked = []

    signature = "extractor-1"

    def extract(self, references):
        self.asked += references
        return [
            Rubric(r, () if "nothing" in r else (Claim(0, f"claim of {r}", "Visual_Detail", 2.0, "x", ((0, 1),)),), "e")
            for r in references
        ]


class Verifier:
    """Evidence is the first word; a caption with "broken" cannot be read."""

    signature = "verifier-1"

    def __init__(self):
        self.asked = []

    def verify(self, items):
        self.asked += [caption for caption, _ in items]
        return [
            tuple(Finding(c.id, None if "broken" in text else "Supported", (0, 1), "A", "exact") for c in rubric.claims)
            for text, rubric in items
        ]


@pytest.fixture
def captions(tmp_path):
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in ROWS))
    return path


def test_everything_is_written_and_a_second_run_reads_what_was_kept(captions, tmp_path, capsys):
    out = tmp_path / "where"
    assert main(["position", str(captions), "-o", str(out), "--boot", "20"]) == 0
    printed = capsys.readouterr().out
    for name in ("composition.csv", "effects.csv", "differences.csv", "counts.csv", "position.md", "position.json",
                 "composition.svg", "composition.alt.txt", "effects.dark.svg", "effects.alt.txt", "index.html"):
        assert (out / name).stat().st_size > 20, name
    assert (out / "position.md").read_text() == printed
    assert "first - second" in printed
    effects = pd.read_csv(out / "effects.csv")
    assert set(effects["model"]) == {"first", "second"}
    assert set(effects["count"]) == {"weighted", "unweighted"}
    assert set(effects["images"]) == {2}
    kept = (out / "profiles.jsonl").read_text()
    assert len(kept.splitlines()) == 4
    assert main(["position", str(captions), "-o", str(out), "--boot", "20", "--quiet", "--no-figures"]) == 0
    assert (out / "profiles.jsonl").read_text() == kept
    again = json.loads((out / "position.json").read_text())
    assert again["images"] == 2
    assert again["signature"].startswith("graph-")
    assert pd.read_csv(out / "effects.csv").equals(effects)


@pytest.mark.parametrize(
    ("more", "said_so"),
    [
        (["--rubric", "llm"], "need --model"), (["--model", "m"], "--model is for"),
        (["--verifier-prompts", "x.toml"], "--verifier-prompts is for --verifier llm"), (["--boot", "0"], "at least 1"),
        (["--verifier", "llm", "--model", "m", "--model-option", "url"], "NAME=VALUE"),
    ],
)
def test_wrong_options_are_told_before_anything_is_done(captions, tmp_path, capsys, more, said_so):
    out = tmp_path / "where"
    assert main(["position", str(captions), "-o", str(out), *more]) == 2
    assert said_so in capsys.readouterr().err
    assert not out.exists()


def test_an_empty_file_and_a_file_for_a_folder_are_refused(captions, tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert main(["position", str(empty), "-o", str(tmp_path / "x")]) == 2
    assert "no captions" in capsys.readouterr().err
    assert main(["position", str(captions), "-o", str(empty)]) == 2
    assert "expected a folder" in capsys.readouterr().err


# -- what is kept ---------------------------------------------------------------------------------------------


def pairs(*texts, reference="The reference."):
    return [Pair(f"p{i}", text, reference, model="m", image=str(i)) for i, text in enumerate(texts)]


def test_a_stopped_run_goes_on_with_what_is_missing(tmp_path):
    path, many = tmp_path / "p.jsonl", pairs(*(f"Caption {i} here." for i in range(20)))
    profiles_of(many[:5], Extractor(), Verifier(), store=ProfileStore(path), progress=False)
    path.write_bytes(path.read_bytes()[:-30])  # the last line was under way
    extractor, verifier = Extractor(), Verifier()
    found = profiles_of(many, extractor, verifier, store=ProfileStore(path), progress=False)
    assert verifier.asked == [p.generation for p in many[4:]]
    assert extractor.asked == ["The reference."]
    assert [p.id for p in found] == [p.id for p in many]
    again = profiles_of(many, Extractor(), broken := Verifier(), store=ProfileStore(path), progress=False)
    assert broken.asked == []
    assert again == found
    turned = profiles_of(many[:2], Extractor(), broken, store=ProfileStore(path), precedence="contradicted",
                         progress=False)
    fresh = profiles_of(many[:2], Extractor(), Verifier(), precedence="contradicted", progress=False)
    assert broken.asked == []
    assert turned == fresh


def test_what_was_not_read_is_not_kept(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = [*pairs("A cat.", "A broken one."), Pair("n", "A cat.", "nothing", model="m")]
    found = profiles_of(rows, Extractor(), Verifier(), store=ProfileStore(path), progress=False)
    assert [p.n_unread for p in found] == [0, 1, 0]
    verifier = Verifier()
    profiles_of(rows, Extractor(), verifier, store=ProfileStore(path), progress=False)
    assert verifier.asked == ["A broken one.", "A cat."]


def test_another_verifier_or_text_has_a_key_of_its_own(tmp_path):
    path = tmp_path / "p.jsonl"
    profiles_of(pairs("A cat."), Extractor(), Verifier(), store=ProfileStore(path), progress=False)
    other = Verifier()
    other.signature = "verifier-2"
    profiles_of(pairs("A cat."), Extractor(), other, store=ProfileStore(path), progress=False)
    third = Verifier()
    profiles_of(pairs("A cat.", reference="Another."), Extractor(), third, store=ProfileStore(path), progress=False)
    assert other.asked == third.asked == ["A cat."]


def test_a_damaged_line_in_the_middle_is_told(tmp_path):
    path = tmp_path / "p.jsonl"
    profiles_of(pairs("A cat.", "A dog."), Extractor(), Verifier(), store=ProfileStore(path), progress=False)
    first, second = path.read_text().splitlines()
    path.write_text(first[:-9] + "\n" + second + "\n")
    with pytest.raises(InputError, match=r"p\.jsonl:1: not valid JSON"):
        ProfileStore(path)


@pytest.mark.parametrize("change", [
    lambda row: row["findings"][0].__setitem__(1, "Suported"), lambda row: row["findings"].pop(),
    lambda row: row["findings"][0].__setitem__(2, [0, 99]), lambda row: row["claims"][0].__setitem__(1, "Sound"),
])  # fmt: skip
def test_a_damaged_finding_is_told_and_does_not_make_its_sentence_generic(tmp_path, change):
    path = tmp_path / "kept.jsonl"
    profiles_of(pairs("A cat."), Extractor(), Verifier(), store=ProfileStore(path), progress=False)
    row = json.loads(path.read_text())
    change(row)
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="kept profile is damaged"):
        profiles_of(pairs("A cat."), Extractor(), Verifier(), store=ProfileStore(path), progress=False)


def test_a_kept_line_without_a_key_of_text_is_told(tmp_path):
    path = tmp_path / "kept.jsonl"
    path.write_text('{"key": [1], "claims": [], "findings": []}\n')
    with pytest.raises(InputError, match="no kept profile"):
        ProfileStore(path)


def test_units_are_of_the_length_of_the_pairs():
    with pytest.raises(ValueError, match="1 units for 2 pairs"):
        profiles_of(pairs("A.", "B."), Extractor(), Verifier(), units=["x"], progress=False)


# -- tables ---------------------------------------------------------------------------------------------------


def test_a_report_counts_by_hand():
    from dataclasses import replace

    rubric = Rubric("r", (Claim(0, "c", "Entity", 1.0, "c"),), "e")
    rows = [replace(labelled_caption(w, unit=u, model=m), rubric=rubric)
            for m, u, w in (("x", "1", "SHSG"), ("x", "2", "SHHG"), ("y", "1", "SSSS"), ("y", "2", "SSSG"))]
    empty = labelled_caption("SSSS", unit="3", model="x")
    made = make_report([*rows, empty], n_resamples=50)
    assert made.n_without_rubric == 1
    assert made.unweighted.estimate("x", "d_mid").value == 3 / 4
    assert made.unweighted.estimate("y", "d_tail").value == 1 / 2
    gaps = differences_table(made)
    row = gaps[(gaps["count"] == "unweighted") & (gaps["effect"] == "d_tail")].iloc[0]
    assert (row["model"], row["minus"], row["value"]) == ("x", "y", 1 / 2)
    counts = counts_table(made)
    assert list(counts["captions"]) == [2, 2]
    assert list(counts["short captions"]) == [0, 0]
    text = markdown(made)
    assert "| x | 1.000/.000/.000 |" in text
    assert "Left out: 1 caption whose" in text


def test_a_report_of_captions_without_a_model_has_a_name_for_them():
    from dataclasses import replace

    rubric = Rubric("r", (Claim(0, "c", "Entity", 1.0, "c"),), "e")
    made = make_report([replace(labelled_caption("SGH", model=""), rubric=rubric)], n_resamples=2)
    assert made.models == ("captions",)
    assert "short captions | 1" in markdown(made)
    assert "1 of 1 captions of captions have fewer than four sentences" in markdown(made)
    with pytest.raises(ValueError, match="no caption can be labelled"):
        make_report([labelled_caption("S")])


def test_captions_without_a_model_are_not_put_to_a_model_of_their_name():
    own = profiles_of([Pair("a", "A cat.", "R.", model="captions", image="i"), Pair("b", "A dog.", "R.", image="i")],
                      Extractor(), Verifier(), progress=False)
    made = make_report(own, n_resamples=5)
    assert made.models == ("captions", "captions without a model")
    assert [c.n_captions for c in made.compositions.values()] == [1, 1]


def test_numbers_are_written_without_a_minus_before_zero():
    assert [figure(v) for v in (-0.001, 0.0, 0.125, -0.5, float("nan"))] == ["0.00", "0.00", "0.12", "-0.50", "–"]
    rubric_less = make_report_of_two()
    assert said(rubric_less.weighted.estimate("x", "d_mid")).startswith("0.00")


def make_report_of_two():
    from dataclasses import replace

    rubric = Rubric("r", (Claim(0, "c", "Entity", 1.0, "c"),), "e")
    return make_report([replace(labelled_caption("SSSS", unit=u, model="x"), rubric=rubric) for u in "ab"],
                       n_resamples=5)


def test_sheets_are_drawn_and_the_filled_ones_are_read_back(captions, tmp_path, capsys):
    out = tmp_path / "where"
    run = ["position", str(captions), "-o", str(out), "--boot", "20", "--no-figures"]
    assert main([*run, "--sheet", "3"]) == 0
    folder = out / "audit-claims"
    assert sorted(p.name for p in folder.iterdir()) == ["key.csv", "sheet.csv", "sheet.html"]
    lines = (folder / "sheet.csv").read_text().splitlines()
    assert lines[0] == "code,image,statement,answer,remark" and len(lines) == 4
    filled = [line.removesuffix(",") for line in lines[1:]]  # without the remark
    for name, answers in (("anna", ("confirmed", "Confirmed", "ambiguous")), ("ben", ("confirmed", "incorrect", ""))):
        rows = [f"{line.removesuffix(',')},{a}," for line, a in zip(filled, answers, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join([lines[0], *rows]) + "\n")
    capsys.readouterr()
    assert main([*run, "--answers", str(folder / "anna.csv"), str(folder / "ben.csv")]) == 0
    told = (out / "audits.md").read_text()
    assert "3 lines, 2 sheets; 2 without an answer, or with answers that differ." in told
    assert "- confirmed: +1.00" in told and "kappa of anna.csv and ben.csv" in told
    assert capsys.readouterr().out.endswith(told)
    assert main([*run, "--sheet", "3"]) == 2  # the sheets may be filled in
    assert "audit-claims" in capsys.readouterr().err


def test_answers_that_change_a_label_move_the_effects(captions, tmp_path):
    out = tmp_path / "where"
    run = ["position", str(captions), "-o", str(out), "--boot", "20", "--no-figures", "--quiet"]
    assert main([*run, "--precedence", "contradicted", "--sheet", "9"]) == 0
    sheet = out / "audit-sentences" / "sheet.csv"
    sheet.write_text(sheet.read_text().replace(",,", ",confirmed,"))
    assert main([*run, "--precedence", "contradicted", "--answers", str(sheet)]) == 0
    told = (out / "audits.md").read_text()
    assert "Labels that the answers correct: 2." in told and "D_mid" in told


@pytest.mark.parametrize("what", ["missing", "elsewhere"])
def test_answers_come_from_the_folder_of_their_key(what, captions, tmp_path, capsys):
    sheet = tmp_path / "sheet.csv"
    if what == "elsewhere":
        sheet.write_text("code,image,statement,answer,remark\n")
    assert main(["position", str(captions), "-o", str(tmp_path / "out"), "--no-figures", "--quiet", "--answers",
                 str(sheet)]) == 2
    assert ("no such sheet" if what == "missing" else "lies in its folder") in capsys.readouterr().err


def test_captions_of_one_length_are_kept(captions, tmp_path, capsys):
    out = tmp_path / "where"
    run = ["position", str(captions), "-o", str(out), "--boot", "20", "--no-figures", "--quiet", "--same-length"]
    assert main(run) == 0
    assert "1 image with captions of nearly one length, 1 left out" in capsys.readouterr().err
    assert json.loads((out / "position.json").read_text())["images"] == 1


def test_names_stand_in_markdown_as_they_are():
    known = Rubric("r", (Claim(0, "A cat is red.", "Visual_Detail", 2.0, "red"),), "e")
    made = [replace(labelled_caption("SSHG", model="a_b|<i>*c*[d](e)", unit=u), rubric=known) for u in (1, 2)]
    text = markdown(make_report(made, n_resamples=10))
    assert "a\\_b\\|&lt;i&gt;\\*c\\*\\[d\\](e)" in text and "<i>" not in text
    assert "2 captions of 1 model; effects on the 2 images" in text
