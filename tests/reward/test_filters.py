"""The funnel of what is trained on: each filter by hand, and all in a row with their counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pictures import jpeg_head, png

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.reward.filters import (
    Candidate,
    ClaimLength,
    Decision,
    ImageQuality,
    NotSaturated,
    Solvable,
    image_size,
    sharpness,
    whole,
    words,
)
from posh_lite.reward.funnel import DECISIONS, published, run_funnel, table
from posh_lite.reward.train.data import Example


def example(key: str, content: bytes | None = None) -> Example:
    return Example(key, f"Reference of {key}.", "Describe.", None, content)


def reasons(found: Sequence[Decision]) -> list[str]:
    return [d.reason for d in found]


def test_image_sizes_need_no_pillow() -> None:
    assert image_size(png(7, 5)) == (7, 5)
    assert image_size(b"GIF89a" + (300).to_bytes(2, "little") + (20).to_bytes(2, "little")) == (300, 20)
    assert image_size(jpeg_head(640, 480)) == (640, 480)


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xd9", b"\xff\xd8text", png(0, 4)]
)
def test_broken_images(data: bytes) -> None:
    with pytest.raises(InputError):
        image_size(data)


def test_image_quality() -> None:
    rows = [
        example("none"),
        example("broken", b"\xff\xd8"),
        example("few", png(10, 9)),
        example("side", png(99, 4)),
        example("wide", png(60, 10)),
        example("good", png(25, 10)),
    ]
    found = ImageQuality(min_pixels=100, min_side=5, max_aspect=5.0).decide([Candidate(e) for e in rows])
    assert reasons(found) == ["no image", "image cannot be read", "too small", "too small", "too narrow", ""]
    assert found[-1].values == {"width": 25.0, "height": 10.0}


def test_sharpness_of_known_images() -> None:
    pytest.importorskip("PIL")
    import io

    import numpy as np
    from PIL import Image

    def drawn(values: list[list[int]]) -> bytes:
        out = io.BytesIO()
        Image.fromarray(np.array(values, dtype=np.uint8)).save(out, "PNG")
        return out.getvalue()

    assert sharpness(png(6, 6)) == 0.0 and sharpness(png(2, 2)) == 0.0
    ramp = [[10 * x for x in range(6)] for _ in range(5)]  # an even slope has no second derivative
    assert sharpness(drawn(ramp)) == 0.0
    board = [[255 * ((x + y) % 2) for x in range(4)] for y in range(4)]  # Laplacians of +1020 and -1020
    assert sharpness(drawn(board)) == 1020.0**2
    one = ImageQuality(min_pixels=1, min_side=1, min_sharpness=1.0)
    assert reasons(one.decide([Candidate(example("a", drawn(board))), Candidate(example("b", drawn(ramp)))])) == [
        "",
        "blurred",
    ]


def claims_of(table: dict[str, list[str] | None]) -> ClaimLength:
    return ClaimLength(lambda examples: [table[e.id] for e in examples], "a table", min_claims=2)


def test_claim_length_is_a_mean_over_claims() -> None:
    five, seven = "A red car is parked.", "The small brown dog sits beside him."
    four = "The car is red."
    assert (words(five), words(seven), words(four)) == (5, 7, 4)
    one = claims_of({"a": [five, five], "b": [four, five], "c": [four, seven], "d": [seven], "e": [], "f": None})
    found = one.decide([Candidate(example(k)) for k in "abcdef"])
    assert reasons(found) == ["", "claims too short", "", "too few claims", "too few claims", "no rubric could be made"]
    assert [d.values.get("mean_words") for d in found[:3]] == [5.0, 4.5, 5.5]


SCORES = {"low": 0.05, "mid": 0.5, "high": 0.95, "lost": "verdict missing", "above": 0.06, "below": 0.94}


def scored(candidates: Sequence[Candidate]) -> list[float | str]:
    return [SCORES[c.example.id] for c in candidates]


def candidates(*keys: str, rollout: str = "A man holds a small dog.") -> list[Candidate]:
    return [Candidate(example(k), rollout) for k in keys]


def test_solvable_and_saturated_at_their_bounds() -> None:
    rows = candidates("low", "mid", "high", "lost", "above", "below")
    assert reasons(Solvable(scored).decide(rows)) == ["unsolvable", "", "", "no score: verdict missing", "", ""]
    assert reasons(NotSaturated(scored).decide(rows)) == ["", "", "saturated", "no score: verdict missing", "", ""]
    empty = [*candidates("mid", rollout=" "), *candidates("mid", rollout="A man."), *candidates("mid")]
    assert reasons(Solvable(scored).decide(empty)) == ["no rollout", "uninformative rollout", ""]


class Counting:
    """Leaves out the ids that are named, and counts what it is asked."""

    def __init__(self, name: str, *out: str) -> None:
        self.name, self.out, self.asked = name, out, 0

    @property
    def signature(self) -> str:
        return f"{self.name} {self.out}"

    def decide(self, rows: Sequence[Candidate], /) -> list[Decision]:
        self.asked += len(rows)
        return [Decision("named" if c.example.id in self.out else "", {self.name: 1.0}) for c in rows]


def test_a_funnel_counts_step_by_step(tmp_path: Path) -> None:
    one, two = Counting("one", "a", "b"), Counting("two", "d")
    found = run_funnel(candidates(*"abcde"), [one, two], tmp_path, batch=2)
    assert found.candidates == 5 and found.kept == ("c", "e")
    assert [(s.name, s.before, s.kept, dict(s.reasons)) for s in found.steps] == [
        ("one", 5, 3, {"named": 2}),
        ("two", 3, 2, {"named": 1}),
    ]
    assert (one.asked, two.asked) == (5, 3)  # what is out is not looked at again
    lines = table(found)
    assert lines[1].split() == ["one", "3", "60.0%", "of", "5;", "out:", "named", "2"]
    assert published() == {"candidates": 500_000, "screened": 494_596, "kept": 297_839}
    assert "500,000 candidates, 494,596 after the screens (98.9%), 297,839 after the judge (60.2%)" in lines[-1]


def test_a_funnel_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    rows = candidates(*"abcdef")
    run_funnel(rows[:4], [Counting("one", "a")], tmp_path, batch=2)
    path = tmp_path / DECISIONS
    data = path.read_bytes()
    path.write_bytes(data[:-9])  # killed in the middle of the last line
    again = Counting("one", "a")
    found = run_funnel(rows, [again], tmp_path, batch=2)
    assert again.asked == 3 and found.kept == ("b", "c", "d", "e", "f")
    fresh = run_funnel(rows, [Counting("one", "a")], tmp_path / "fresh", batch=64)
    assert found == fresh


def test_a_candidate_that_changed_is_decided_anew(tmp_path: Path) -> None:
    run_funnel(candidates("a", "b"), [Counting("one")], tmp_path)
    again = Counting("one")
    run_funnel([*candidates("a"), *candidates("b", rollout="Another caption of it all.")], [again], tmp_path)
    assert again.asked == 1


def test_other_filters_are_refused(tmp_path: Path) -> None:
    run_funnel(candidates("a"), [Counting("one")], tmp_path)
    with pytest.raises(InputError, match="decisions of other filters or settings"):
        run_funnel(candidates("a"), [Counting("one", "a")], tmp_path)
    with pytest.raises(InputError, match="names of their own"):
        run_funnel(candidates("a"), [Counting("one"), Counting("one")], tmp_path / "b")
    with pytest.raises(InputError, match="no filter is left"):
        run_funnel(candidates("a"), [], tmp_path / "c")


# -- the command --------------------------------------------------------------------------------------------

REFERENCE = (
    "A tall man in a red coat holds a small brown dog beside the wide river. "
    "A white boat with a blue sail lies near the old stone bridge."
)
PARTLY = "A tall man in a red coat holds a small brown dog. The weather seems to be quite pleasant that day."
NOTHING = "The weather seems to be quite pleasant on that day."


def data(tmp_path: Path) -> Path:
    rows = [("same", REFERENCE), ("partly", PARTLY), ("nothing", NOTHING), ("short", "A man."), ("silent", None)]
    path = tmp_path / "data.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {"id": k, "reference": REFERENCE, "kind": "own column"} | ({} if text is None else {"generation": text})
            )
            + "\n"
            for k, text in rows
        ),
        "utf-8",
    )
    return path


def test_the_command_keeps_what_can_be_learned_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["train", "filter", str(data(tmp_path)), "-o", str(out), "--text-only", "--min-claim-words", "3"]
    assert main(command) == 0
    kept = [json.loads(line) for line in (out / "kept.jsonl").read_text("utf-8").splitlines()]
    assert [r["id"] for r in kept] == ["partly"] and kept[0]["kind"] == "own column"
    funnel = json.loads((out / "funnel.json").read_text("utf-8"))
    assert [(s["name"], s["kept"], s["reasons"]) for s in funnel["steps"]] == [
        ("claim length", 5, {}),
        ("pre-inference", 2, {"no rollout": 1, "uninformative rollout": 1, "unsolvable": 1}),
        ("saturation", 1, {"saturated": 1}),
    ]
    assert funnel["paper"]["kept"] == 297_839 and "supported of pager" in funnel["signature"]
    printed = capsys.readouterr().out
    assert "kept.jsonl: 1 row\n" in printed and "no rollout 1, uninformative rollout 1, unsolvable 1" in printed
    assert main(command) == 0  # decided already
    assert capsys.readouterr().out == printed
    assert main([*command, "--above", "0.2"]) == 2
    assert "other filters or settings" in capsys.readouterr().err


def test_the_command_takes_rollouts_of_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = data(tmp_path)
    rollouts = tmp_path / "rollouts.jsonl"
    rollouts.write_text(json.dumps({"id": "silent", "generation": PARTLY}) + "\n", "utf-8")
    command = [
        "train",
        "filter",
        str(path),
        "-o",
        str(tmp_path / "out"),
        "--text-only",
        "--min-claim-words",
        "3",
        "--rollouts",
        str(rollouts),
    ]
    assert main(command) == 0
    assert [json.loads(x)["id"] for x in (tmp_path / "out" / "kept.jsonl").read_text("utf-8").splitlines()] == [
        "silent"
    ]
    rollouts.write_text(2 * (json.dumps({"id": "silent", "generation": PARTLY}) + "\n"), "utf-8")
    assert main([*command[:-1], str(rollouts)]) == 2
    assert 'rollouts.jsonl:2: id "silent" has a rollout already' in capsys.readouterr().err
    rollouts.write_text(json.dumps({"id": "silent"}) + "\n", "utf-8")
    assert main(command) == 2
    assert 'rollouts.jsonl:1: a rollout needs "id" and "generation"' in capsys.readouterr().err


def test_a_picture_that_is_cut_short_is_left_out() -> None:
    told = png(40, 30)
    jpeg = jpeg_head(640, 480)
    assert whole(told) and whole(told + b"\r\n\0") and whole(jpeg + b"scan\xff\xd9")
    for broken in (told[: len(told) // 2], jpeg, b"GIF89a" + bytes(20)):
        assert not whole(broken)
    rows = [Candidate(example("all", told)), Candidate(example("cut", told[: len(told) // 2]))]
    assert reasons(ImageQuality(100, 5).decide(rows)) == ["", "image is cut short"]


def test_a_picture_that_unpacks_into_too_much_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow: the extra baselines")
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", 10)
    with pytest.raises(InputError, match="not a picture that can be read"):
        sharpness(png(60, 50))


def test_the_command_looks_at_images(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(
        "".join(json.dumps({"id": k, "reference": REFERENCE, "image": f"{k}.png"}) + "\n" for k in "ab"), "utf-8"
    )
    (tmp_path / "a.png").write_bytes(png(80, 70))
    (tmp_path / "b.png").write_bytes(png(80, 30))
    assert (
        main(
            [
                "train",
                "filter",
                str(path),
                "-o",
                str(tmp_path / "out"),
                "--no-judge",
                "--min-pixels",
                "100",
                "--min-claim-words",
                "3",
            ]
        )
        == 0
    )
    kept = [json.loads(x) for x in (tmp_path / "out" / "kept.jsonl").read_text("utf-8").splitlines()]
    assert [r["id"] for r in kept] == ["a"] and Path(kept[0]["image"]).is_absolute()
    assert "too small 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--above", "0.9", "--below", "0.9"], "--above (0.9) must lie below --below (0.9)"),
        (["--above", "nan"], "--above (nan) must lie below --below (0.95)"),
        (["--min-claims", "-1"], "--min-claims must be a number of at least 0, got -1"),
        (["--max-aspect", "nan"], "--max-aspect must be a number of at least 0"),
        (["--reward", "clip"], "reward.name must be posh, pager or module:function"),
        (["--score", "bleu"], 'tells no "bleu"; there are value, contradicted, coverage'),
    ],
)
def test_the_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert (
        main(
            [
                "train",
                "filter",
                str(data(tmp_path)),
                "-o",
                str(tmp_path / "out"),
                "--text-only",
                "--min-claim-words",
                "3",
                *options,
            ]
        )
        == 2
    )
    assert said in capsys.readouterr().err
