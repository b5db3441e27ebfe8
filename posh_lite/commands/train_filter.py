"""``posh-lite train filter``: which candidates are worth training on, step by step, with counts (appendix J.8)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.errors import InputError
from posh_lite.records import read_jsonl, write_jsonl

if TYPE_CHECKING:
    from posh_lite.reward.filters import Candidate, Filter
    from posh_lite.reward.train.config import Data
    from posh_lite.reward.train.data import Example

#: Columns in which a row may bring a caption of the policy itself.
_OWN = ("rollout", "generation")


def add_action(actions: Any) -> None:
    """Declare ``filter`` and its options."""
    action = actions.add_parser(
        "filter", help="leave out what is not worth training on, with counts",
        description="Leave out candidates by their image, their rubric, and what one caption of the current policy"
        " earns (appendix J.8 of the paper). Decisions are kept as they are made: the same command goes on after a"
        " stop.",
    )
    action.add_argument("data", metavar="DATA", help="candidates, JSON Lines or Parquet")
    action.add_argument("-o", "--output", required=True, metavar="FOLDER",
                        help="of kept.jsonl, decisions.jsonl and funnel.json")
    action.add_argument("--rollouts", metavar="FILE",
                        help='one caption of the policy a candidate, {"id", "generation"} a line (default: the column'
                             ' "rollout" or "generation" of the data)')
    action.add_argument("--images", metavar="FOLDER", help="where images are (default: beside the data)")
    action.add_argument("--text-only", action="store_true", help="the candidates have no images: do not look at these")
    action.add_argument("--no-judge", action="store_true", help="the screens of image and rubric alone")
    action.add_argument("--reward", default="pager", metavar="NAME", help="that scores rollouts: pager or posh")
    action.add_argument("--judge", default="lexical", metavar="NAME", help="behind the reward (default: lexical)")
    action.add_argument("--log", metavar="FILE", help="keeps what the judge answered")
    action.add_argument("--score", metavar="PART",
                        help='which figure of the reward (default: "supported", the share of supported claims, for'
                             ' pager; "value" for posh)')
    image = action.add_argument_group("bounds, ours where the paper prints none")
    image.add_argument("--min-pixels", type=int, default=262_144, metavar="N", help="of an image (default: 262144)")
    image.add_argument("--min-side", type=int, default=64, metavar="N", help="of an image, in pixels (default: 64)")
    image.add_argument("--max-aspect", type=float, default=5.0, metavar="X", help="long side over short (default: 5)")
    image.add_argument("--min-sharpness", type=float, default=0.0, metavar="X",
                       help="variance of the Laplacian; 0 does not look (default: 0)")
    image.add_argument("--min-claim-words", type=float, default=5.0, metavar="X",
                       help="least mean length of claims (default: 5, the paper's)")
    image.add_argument("--min-claims", type=int, default=1, metavar="N", help="least number of claims (default: 1)")
    image.add_argument("--above", type=float, default=0.05, metavar="X",
                       help="a score at or below it is unsolvable (default: 0.05)")
    image.add_argument("--below", type=float, default=0.95, metavar="X",
                       help="a score at or above it is saturated (default: 0.95)")
    action.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Filter, write what is kept, and print the funnel. See :func:`add_action` for the options."""
    from tqdm import tqdm

    from posh_lite.reward.funnel import FUNNEL, KEPT, run_funnel, table
    from posh_lite.reward.train.config import Data
    from posh_lite.reward.train.record import save

    if not options.no_judge and not options.above < options.below:  # nan lies nowhere
        raise InputError(f"--above ({options.above}) must lie below --below ({options.below})")
    for name in ("min_pixels", "min_side", "max_aspect", "min_sharpness", "min_claim_words", "min_claims"):
        if not 0 <= getattr(options, name) < float("inf"):
            raise InputError(f"--{name.replace('_', '-')} must be a number of at least 0, got {getattr(options, name)}")
    data, path, place = Data(images=options.images or ""), Path(options.data), Path(options.output)
    filters = _filters(options)
    found: list[Candidate] = list(_candidates(path, data, options))
    if not found:
        raise InputError("no candidates in the file", path=path)
    with tqdm(total=len(found), desc="candidates", disable=None) as bar:
        funnel = run_funnel(found, filters, place, progress=bar.update)
    kept = set(funnel.kept)
    write_jsonl(place / KEPT, _rows(path, [c.example for c in found if c.example.id in kept], place))
    save(place / FUNNEL, funnel.to_dict())
    print("\n".join([*table(funnel), f"{place / KEPT}: {len(kept):,} row{'s' * (len(kept) != 1)}"]))
    return 0


def _candidates(path: Path, data: Data, options: argparse.Namespace) -> Iterator[Candidate]:
    from posh_lite.reward.filters import Candidate
    from posh_lite.reward.train.data import read_examples

    rollouts = {} if options.no_judge else _rollouts(path, options.rollouts)
    for example in read_examples(path, data, vision=False):
        key = example.id if options.rollouts else str(example.source[1])
        yield Candidate(example, rollouts.get(key, ""))


def _rollouts(path: Path, name: str | None) -> dict[str, str]:
    """Captions of the policy: by id from a file of their own, else by line from the data."""
    found: dict[str, str] = {}
    if name is None and path.suffix == ".parquet":
        raise InputError("give the policy's captions with --rollouts FILE, or --no-judge", path=path)
    for line, row in read_jsonl(name or path):
        text = next((row[k] for k in _OWN if isinstance(row, dict) and isinstance(row.get(k), str)), None)
        if name is None:
            found |= {} if text is None else {str(line): text}
            continue
        if not isinstance(row, dict) or text is None or not isinstance(row.get("id"), str | int):
            raise InputError('a rollout needs "id" and "generation"', path=name, line=line)
        if str(row["id"]) in found:
            raise InputError(f'id "{row["id"]}" has a rollout already; one caption a candidate', path=name, line=line)
        found[str(row["id"])] = text
    if not found:
        raise InputError("no row has a caption of the policy; give --rollouts FILE with id and generation, or"
                         " --no-judge for the screens alone", path=name or path)
    return found


def _filters(options: argparse.Namespace) -> list[Filter]:
    from posh_lite.reward.filters import ClaimLength, ImageQuality, NotSaturated, Solvable

    found: list[Filter] = []
    if not options.text_only:
        found.append(ImageQuality(options.min_pixels, options.min_side, options.max_aspect, options.min_sharpness))
    claims, source = embedded_claims()
    found.append(ClaimLength(claims, source, options.min_claim_words, options.min_claims))
    if not options.no_judge:
        scores, source = scorer(options.reward, options.judge, options.log or "", options.score)
        found += [Solvable(scores, source, options.above), NotSaturated(scores, source, options.below)]
    return found


def embedded_claims() -> tuple[Callable[[Sequence[Example]], list[list[str] | None]], str]:
    """Claims of examples: of their rubric where they bring one, else of the embedded extractor; and its signature."""
    from posh_lite.reward.judges import JudgeChoice, panel_of

    panel = panel_of(JudgeChoice())

    def claims(examples: Sequence[Example]) -> list[list[str] | None]:
        rubrics = panel.rubrics([(e.reference, e.rubric) for e in examples])
        return [None if r is None else [c.text for c in r.claims] for r in rubrics]

    return claims, panel.extractor.signature


def scorer(
    reward: str, judge: str, log: str, part: str | None
) -> tuple[Callable[[Sequence[Candidate]], list[float | str]], str]:
    """Scores of rollouts by a reward, each asked once; and what they depend on.

    Args:
        reward: as in a configuration.
        judge: behind it.
        log: file that keeps its answers, or empty.
        part: a figure that the reward logs, or "value"; None is the reward's usual one.

    Raises:
        InputError: no such reward.
    """
    from posh_lite.reward.train.config import Reward
    from posh_lite.reward.train.rewards import build_reward, columns, signature_of

    chosen = part or ("supported" if reward == "pager" else "value")
    settings = {"length_unit": "words"} if reward == "pager" else {}  # rollouts come as text, without their tokens
    made = build_reward(Reward(reward, judge=judge, log=log, settings=settings))
    known: dict[tuple[str, str], float | str] = {}

    def scores(candidates: Sequence[Candidate]) -> list[float | str]:
        fresh = [c for c in candidates if (c.example.id, c.rollout) not in known]
        if fresh:
            extra: dict[str, Sequence[Any]] = {}
            values = made(
                prompts=[c.example.prompt for c in fresh], completions=[c.rollout for c in fresh],
                log_extra=extra.__setitem__, log_metric=None, **columns([c.example for c in fresh]),
            )
            name = f"{getattr(made, '__name__', reward)}/{chosen}"
            if chosen != "value" and name not in extra:
                raise InputError(f'--score: the reward "{reward}" tells no "{chosen}"; there are value, '
                                 + ", ".join(sorted(k.partition("/")[2] for k in extra)))
            why = extra.get(f"{getattr(made, '__name__', reward)}/unusable", [""] * len(fresh))
            for c, value, figure, reason in zip(fresh, values, extra.get(name, values), why, strict=True):
                told = value if chosen == "value" else figure
                lost = value is None or told is None
                known[c.example.id, c.rollout] = (reason or "none given") if lost else float(told or 0.0)
        return [known[c.example.id, c.rollout] for c in candidates]

    return scores, f"{chosen} of {signature_of(made)}"


def _rows(path: Path, kept: Sequence[Example], place: Path) -> Iterator[dict[str, Any]]:
    """Rows as they were where the file is JSON Lines; with images written out where a Parquet file holds them."""
    from posh_lite.baselines.images import media_type
    from posh_lite.reward.train.data import to_row

    if path.suffix != ".parquet":
        by_line = {e.source[1]: e for e in kept}
        for line, row in read_jsonl(path):
            if (example := by_line.get(line)) is not None:
                yield row | ({} if example.image is None else {"image": str(Path(example.image).resolve())})
        return
    for number, example in enumerate(kept):
        row = to_row(example)
        if example.content is not None:
            kind = media_type(example.content[:64]).rpartition("/")[2] or "bin"
            file = place / "images" / f"{number:06d}.{kind}"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(example.content)
            row["image"] = str(file.resolve())
        yield row
