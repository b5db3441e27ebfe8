"""The laboratory: its sentences, its captions, its environment and its study."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.cli import main
from posh_lite.errors import InputError
from posh_lite.position.label import label_sentences
from posh_lite.position.types import WEIGHTS, Claim, ClaimKind, Finding, Rubric
from posh_lite.reward.lab.base import policy_of
from posh_lite.reward.lab.caption import compose_caption, holistic_mark, terms_of
from posh_lite.reward.lab.measure import captions_of, measure
from posh_lite.reward.lab.nature import Nature, Stock, roll, visit
from posh_lite.reward.lab.pattern import MARGIN, STATEMENTS, hold, printed_difference, within
from posh_lite.reward.lab.policy import KINDS, Chooser
from posh_lite.reward.lab.store import read_verified, write_verified
from posh_lite.reward.lab.study import Job, arms, run_job, scenes, split, tenths
from posh_lite.reward.lab.train import Learning, Step, train
from posh_lite.reward.lab.world import Line, Pool, World, make_world
from posh_lite.reward.settings import variant

RECORD = Path(__file__).parents[2] / "data" / "results" / "lab"
BARE = variant("full", guard="none")


def _claim(number: int, kind: ClaimKind) -> Claim:
    return Claim(number, f"Claim {number} holds.", kind, WEIGHTS[kind], f"k{number}")


def _line(text: str, truth: str, held: tuple[int, ...] = (), against: tuple[int, ...] = (), g: float = 0.1) -> Line:
    made = [Finding(c, "Supported", (0, 5), text[:5], "given") for c in held]
    made += [Finding(c, "Contradicted", (6, 9), text[6:9], "given") for c in against]
    return Line(text, truth, tuple(made), g, len(text.split()), 1.0 if held else 0.0, "constructed")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def pool() -> Pool:
    """Constructed: eight claims of weight 2, a true and a wrong line for each, an invention and two fillers."""
    claims = tuple(_claim(i, "Visual_Detail") for i in range(8))
    lines = [_line(f"Right told of thing {i}.", "true", (i,)) for i in range(8)]
    lines += [_line(f"Wrong said of thing {i}.", "contradicted", (), (i,)) for i in range(8)]
    lines += [_line("There is a parrot here.", "invented"), _line("A mood of calm prevails.", "generic", g=0.9),
              _line("It moves every one of us.", "generic", g=0.9)]
    return Pool("constructed", Rubric("A reference.", claims, "given"), tuple(lines))


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(read_verified(RECORD / "sentences.json"))


def test_a_caption_has_one_finding_a_claim_and_the_right_word_wins(pool: Pool) -> None:
    # wrong about 0, right about 0, right about 1, a copy of it, wrong about 1
    made = compose_caption(pool, [8, 0, 1, 1, 9])
    assert [s.label for s in made.profile.sentences] == ["Generic", "Supported", "Supported", "Generic", "Generic"]
    assert made.told == (True, True, True, False, False)
    strict = compose_caption(pool, [8, 0, 1, 1, 9], hedged=True)
    assert [s.label for s in strict.profile.sentences] == ["Contradicted", "Generic", "Generic", "Generic",
                                                           "Contradicted"]


def test_terms_by_hand(pool: Pool) -> None:
    # quarters 1 to 4: right, right, wrong, filler; a claim is an eighth of the weight
    terms = terms_of(compose_caption(pool, [0, 1, 10, 17]), BARE)
    assert terms.coverage == pytest.approx((1 + 1 - 0.5) / 8)
    assert terms.middle == pytest.approx(0.3 / 8)
    assert terms.tail == pytest.approx(-0.2 * 0.9)
    assert terms.length == 0


def test_a_copy_earns_nothing(pool: Pool) -> None:
    bare = variant("coverage-only", guard="none")
    once, twice = (terms_of(compose_caption(pool, c), bare).total for c in ([0, 1, 2], [0, 1, 2, 2, 1, 0]))
    assert once == twice


def test_a_copy_hides_filler_from_the_tail_term_without_a_guard(pool: Pool) -> None:
    filler, copied = [0, 1, 2, 17], [0, 1, 2, 2]
    assert terms_of(compose_caption(pool, copied), BARE).total > terms_of(compose_caption(pool, filler), BARE).total
    guarded = variant("full", guard="full")
    one, two = (terms_of(compose_caption(pool, c), guarded).tail for c in (copied, filler))
    assert one == two


def test_the_caption_level_judge_has_grain(pool: Pool) -> None:
    made = compose_caption(pool, [0, 1, 2])  # 3/8 = 0.375
    assert holistic_mark(made, BARE) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="chance"):
        holistic_mark(made, BARE, blur=0.1)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_labels_are_those_of_the_lens(world: World, data: st.DataObject) -> None:
    pool = data.draw(st.sampled_from(world.pools), label="pool")
    chosen = data.draw(st.lists(st.integers(0, len(pool.lines) - 1), min_size=1, max_size=14), label="chosen")
    precedence = data.draw(st.sampled_from(["supported", "contradicted"]))
    made = compose_caption(pool, chosen, precedence=precedence, hedged=data.draw(st.booleans())).profile
    spans = [s.span for s in made.sentences]
    assert made.sentences == label_sentences(made.caption, made.rubric, made.findings, precedence=precedence,
                                             sentences=spans)
    assert [made.caption[a:b] for a, b in spans] == [pool.lines[i].text for i in chosen]


def test_lines_keep_what_was_planted(world: World) -> None:
    for pool in world.pools:
        for line in pool.lines:
            assert {"true": bool(line.supported) and not line.contradicted, "contradicted": bool(line.contradicted),
                    "invented": not line.contradicted, "generic": not line.findings}[line.truth]
            assert all(f.evidence and line.text[slice(*f.evidence)] == f.quote for f in line.findings)
            assert not line.supported & line.contradicted


def test_both_witnesses_and_all_grains_see_the_same_kinds(world: World) -> None:
    verified = read_verified(RECORD / "sentences.json")
    lens = make_world(verified, witness="lens")
    assert [[x.text for x in p.lines] for p in lens.pools] == [[x.text for x in p.lines] for p in world.pools]
    sizes = [sum(len(p.rubric.claims) for p in make_world(verified, grain=g).pools)  # type: ignore[arg-type]
             for g in ("sparse", "facts", "all")]
    assert sizes[0] < sizes[1] < sizes[2]
    with pytest.raises(InputError, match="grain"):
        make_world(verified, grain="fine")  # type: ignore[arg-type]


def test_sentences_survive_the_disk(tmp_path: Path) -> None:
    verified = read_verified(RECORD / "sentences.json")
    write_verified(verified, tmp_path / "again.json")
    assert read_verified(tmp_path / "again.json") == verified
    (tmp_path / "bad.json").write_text("[", "utf-8")
    with pytest.raises(InputError, match=r"bad\.json"):
        read_verified(tmp_path / "bad.json")


def test_what_is_reached_for_is_right_as_often_as_nature_says(pool: Pool) -> None:
    stock = Stock(pool)
    only = np.full((8, 3), 1e-9)
    only[:, 1] = 1.0  # all reach
    chooser = Chooser(policy_of(only.tolist()))
    for right in (0.0, 1.0):
        nature = Nature(supply=0, right=right, fall=0.0, slip=0.0)
        rolls = [roll(chooser, stock, (), nature, Random(k)) for k in range(30)]
        first = [pool.lines[r.lines[0]].truth for r in rolls if KINDS[r.choices[0].kind] == "reach"]
        assert set(first) == ({"true"} if right else {"contradicted"})


def test_safe_sentences_are_used_up(pool: Pool) -> None:
    only = np.full((8, 3), 1e-9)
    only[:, 0] = 1.0  # all safe
    nature = Nature(supply=3, right=0.0, fall=0.0, slip=0.0)
    stock, random = Stock(pool), Random(0)
    seen = visit(stock, nature, random)
    assert len(seen) == 3
    made = roll(Chooser(policy_of(only.tolist())), stock, seen, nature, random)
    safe = [i for i, c in zip(made.lines, made.choices, strict=True) if KINDS[c.kind] in ("fine", "broad")]
    assert {i for i in safe if pool.lines[i].truth == "true"} <= set(seen)
    assert sum(pool.lines[i].truth == "true" for i in safe) <= 3 < len(safe)
    assert made.choices[0].left == 1.0


@pytest.mark.parametrize("name", ["slip", "right", "fall", "fresh", "blur", "miss"])
def test_shares_out_of_range_are_named(name: str) -> None:
    with pytest.raises(InputError, match=name):
        replace(Nature(), **{name: 1.5})


def test_training_is_the_same_for_the_same_seed_and_raises_its_reward(pool: Pool) -> None:
    start = policy_of([[0.3, 0.4, 0.3]] * 8)
    stock, nature, learning = Stock(pool), Nature(supply=5), Learning(steps=30, works=2)
    made = [train(start, [stock], BARE, nature=nature, learning=learning, seed=s, stages=(0, 10)) for s in (1, 1, 2)]
    assert (made[0].policy.flat() == made[1].policy.flat()).all()
    assert made[0].steps == made[1].steps
    assert (made[0].policy.flat() != made[2].policy.flat()).any()
    assert [step for step, _ in made[0].stages] == [0, 10]
    before, after = (measure(captions_of(p, [stock], nature, each=80), BARE)["own"]
                     for p in (start, made[0].policy))
    assert after > before + 0.1


def test_coverage_alone_learns_repetition_where_there_is_nothing_to_reach_for(world: World) -> None:
    start = policy_of([[0.3, 0.4, 0.3]] * 8)
    stocks = [Stock(p) for p in world.pools[:6]]
    bare = variant("coverage-only", guard="none")
    nature = Nature(supply=6, right=0.0, fall=0.0)
    made = train(start, stocks, bare, nature=nature, learning=Learning(steps=50))
    before, after = (measure(captions_of(p, stocks, nature, each=16), bare) for p in (start, made.policy))
    assert after["empty"] > before["empty"] + 0.05
    assert after["sentences"] > before["sentences"] + 2
    tight = variant("coverage-only", guard="none", base_length=100.0, claim_length=3.0, lambda_len=0.5)
    made = train(start, stocks, tight, nature=nature, learning=Learning(steps=50))
    short = measure(captions_of(made.policy, stocks, nature, each=16), tight)
    assert short["empty"] < after["empty"] - 0.05  # a length term that binds prevents it


def test_rewards_that_say_nothing_teach_nothing_of_worth(pool: Pool) -> None:
    start = policy_of([[0.3, 0.4, 0.3]] * 8)
    stock, nature, learning = Stock(pool), Nature(supply=5), Learning(steps=30, works=2)
    own = {noise: measure(captions_of(
        train(start, [stock], BARE, nature=nature, learning=learning, noise=noise).policy, [stock], nature, each=80
    ), BARE)["own"] for noise in (0.0, 1.0)}
    assert own[0.0] > own[1.0] + 0.1


def test_works_of_measurement_are_not_those_of_training() -> None:
    for seed in range(5):
        learn, held = split(12, seed)
        assert len(held) == 4 and sorted(learn + held) == list(range(12))
    assert len({tuple(split(12, seed)[1]) for seed in range(5)}) > 1
    assert len(split(1, 0)[0]) == 1


def test_arms_cover_the_variants_and_the_budget_never_binds(world: World) -> None:
    known = arms()
    assert known["full"].settings.guard == "none" and known["full, guarded"].settings.guard == "full"
    stock = Stock(world.pools[0])
    job = Job(replace(scenes()["default"], learning=Learning(steps=2, works=1, group=4)),
              (known["full"], known["no-len"]), 0, policy_of([[0.3, 0.4, 0.3]] * 8), 4, (0,))
    rows = {r["arm"]: r for r in run_job(job, [stock, Stock(world.pools[1])])}
    assert rows["full"]["values"] == rows["no-len"]["values"]  # no caption is as long as the budget
    assert rows["full"]["values"]["within"] < 1
    assert json.loads(json.dumps(rows))["full"]["course"][0]["step"] == 0


def test_tenths_are_means() -> None:
    steps = [Step(k, float(k), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for k in range(20)]
    assert [t["reward"] for t in tenths(steps)[:2]] == [0.5, 2.5]
    assert [t["step"] for t in tenths(steps)[:2]] == [0, 2]


def _scene(**values: list[float]) -> dict[str, object]:
    """A scene with one quantity, d_mid, by arm and seed."""
    return {"rows": [{"arm": arm.replace("_", "-"), "seed": k, "values": {"d_mid": v}}
                     for arm, own in values.items() for k, v in enumerate(own)]}


def test_a_claim_is_judged_by_the_paired_interval() -> None:
    up = [s for s in STATEMENTS if (s.arm, s.quantity, s.direction) == ("no-mid", "d_mid", "up")]
    assert printed_difference(up[0]) == pytest.approx(0.103 - 0.036)
    full = [0.1, 0.5, 0.9]  # seeds differ far more than arms
    cases = {"agrees": [0.11, 0.515, 0.912], "does not": [0.09, 0.485, 0.888], "undecided": [0.2, 0.4, 0.9]}
    for verdict, own in cases.items():
        assert hold(_scene(full=full, no_mid=own), up)[0].verdict == verdict
    assert hold(_scene(full=full, no_mid=full), up)[0].verdict == "does not"  # nothing at all is no rise
    assert hold(_scene(full=full), up) == []


def test_the_most_of_all_leads_every_other() -> None:
    (most,) = [s for s in STATEMENTS if (s.arm, s.direction) == ("no-mid", "most")]
    assert printed_difference(most) == pytest.approx(0.103 - 0.064)
    own = {"full": [0.1, 0.2, 0.3], "no_mid": [0.2, 0.31, 0.4], "no_tail": [0.1, 0.21, 0.3]}
    assert hold(_scene(**own), [most])[0].verdict == "agrees"
    assert hold(_scene(**own, holistic=[0.5, 0.61, 0.7]), [most])[0].verdict == "does not"


def test_the_same_is_within_a_margin() -> None:
    (same,) = [s for s in STATEMENTS if (s.arm, s.direction) == ("no-tail", "same")]
    full = [0.1, 0.5, 0.9]
    for shift, verdict in ((0.001, "agrees"), (2 * MARGIN, "does not")):
        own = [v + shift + e for v, e in zip(full, (0, 0.001, -0.001), strict=True)]
        held = hold(_scene(full=full, no_tail=own), [same])[0]
        assert held.verdict == verdict == within(held.lab, MARGIN)


@pytest.mark.parametrize(("options", "said"), [
    (["--seeds", "1"], "--seeds"), (["--scenes", "moon"], "no scene"), (["--steps", "0"], "--steps"),
])  # fmt: skip
def test_the_command_refuses_slips(options: list[str], said: str, tmp_path: Path,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "-o", str(tmp_path / "lab"), *options]) == 2
    assert said in capsys.readouterr().err
