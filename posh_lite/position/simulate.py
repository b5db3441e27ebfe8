"""Captions with known composition: from labels, from the mini corpus's gold, and drawn from planted shares.

The last serve to ask whether the bootstrap intervals of appendix A.4 of "Where Do Long Captions Fail?" hold what
they promise: over many drawn corpora, how often does an interval contain the planted value?
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from posh_lite.position.composition import QUARTERS, Bins, Composition, compose, shares_of
from posh_lite.position.effects import EFFECTS, diagnose, effects_of
from posh_lite.position.types import LABELS, CaptionProfile, Label, Rubric, SentenceLabel, quartile
from posh_lite.position.winrate import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from posh_lite.benchmarks.mini import MiniCorpus
    from posh_lite.evaluation.bootstrap import Estimate, Floats

_LETTERS: dict[str, Label] = {"S": "Supported", "H": "Contradicted", "G": "Generic"}


def labelled_caption(
    labels: str, *, unit: Hashable = "image", model: str = "model", id: str | None = None,
    weights: Sequence[float] | None = None,
) -> CaptionProfile:
    """A caption that consists of nothing but labels, for examples and tests: ``labelled_caption("SSHG")``.

    Args:
        labels: one letter a sentence: S supported, H contradicted, G generic.
        unit: the image.
        model: the captioner.
        id: of the pair; made of image and model where it is not given.
        weights: omega of each sentence, 1 where not given.

    Raises:
        ValueError: another letter, or another number of weights than of sentences.
    """
    omega = [1.0] * len(labels) if weights is None else [float(w) for w in weights]
    if len(omega) != len(labels):
        raise ValueError(f"{len(omega)} weights for {len(labels)} sentences")
    if set(labels) - set(_LETTERS):
        raise ValueError(f"labels are written with S, H and G, got {labels!r}")
    sentences, at, texts = [], 0, []
    for number, (letter, weight) in enumerate(zip(labels, omega, strict=True), start=1):
        text = f"Sentence {number} is {_LETTERS[letter].lower()}."
        place = quartile(number, len(labels))
        sentences.append(SentenceLabel(at, at + len(text), number, place, _LETTERS[letter], weight))
        texts.append(text)
        at += len(text) + 1
    return CaptionProfile(
        f"{unit}/{model}" if id is None else id, unit, model, " ".join(texts), Rubric("", (), "none"), (),
        tuple(sentences), "labels given",
    )


def gold_profiles(
    corpus: MiniCorpus, *, invented: Literal["contradicted", "unseen"] = "contradicted"
) -> list[CaptionProfile]:
    """The mini corpus as six captioners, one a style, whose sentence labels are known because they were planted.

    Its sentences are called contradicted where any word of theirs is wrong, true words beside it or not. The paper's
    rule calls such a sentence supported (section 2); readings of a verifier are therefore compared with these labels
    by :func:`~posh_lite.position.robust.reversed_precedence`. Every sentence weighs 1, since no claims are located.

    Args:
        corpus: of ``load_mini``.
        invented: what a sentence is whose only mistakes are invented things. No claim of the reference speaks of
            those, and absence from the reference is no contradiction (section 2), so a lens that verifies claims cannot
            see them, however good its verifier. "unseen" calls such sentences generic: D_mid and the contradicted
            shares are then what a perfect verifier finds. Whether it would call these sentences generic or supported
            is not known from the gold labels.
    """
    profiles = []
    names: dict[str, Label] = {label.lower(): label for label in LABELS}
    for pair, gold in zip(corpus.pairs, corpus.gold, strict=True):
        work, style = pair.id.split("/")
        n = len(gold.sentences)
        sentences = []
        for number, s in enumerate(gold.sentences, start=1):
            label = names[s.label]
            if label == "Contradicted" and invented == "unseen":
                against = any(m.fact is not None and s.start <= m.start < s.end for m in gold.mistakes)
                label = "Contradicted" if against else "Generic"
            sentences.append(SentenceLabel(s.start, s.end, number, quartile(number, n), label, 1.0))
        rubric, made = Rubric(pair.reference, (), "gold"), f"gold labels, invented things {invented}"
        profiles.append(CaptionProfile(pair.id, work, style, pair.generation, rubric, (), tuple(sentences), made))
    return profiles


@dataclass(frozen=True, slots=True)
class Planted:
    """A captioner of known composition.

    Attributes:
        shares: by quartile the shares of supported, contradicted and generic sentences; each row sums to 1.
        sentences: fewest and most a caption; each number is as likely.
        supported, contradicted: the values of omega that such sentences take, each as likely; generic ones weigh 1.
    """

    shares: tuple[tuple[float, float, float], ...]
    sentences: tuple[int, int] = (6, 16)
    supported: tuple[float, ...] = (1.0, 2.0, 3.5, 4.5)
    contradicted: tuple[float, ...] = (1.0, 1.5, 2.0)

    def __post_init__(self) -> None:
        for row in self.shares:
            if len(row) != 3 or min(row) < 0 or not math.isclose(sum(row), 1, abs_tol=1e-9):
                raise ValueError(f"shares must be three numbers that sum to 1, got {row}")
        if len(self.shares) != QUARTERS.n:
            raise ValueError(f"shares of four quartiles are needed, got {len(self.shares)}")
        if not 1 <= self.sentences[0] <= self.sentences[1]:
            raise ValueError(f"sentences: fewest and most, got {self.sentences}")

    def effects(self, *, weighted: bool = True) -> Floats:
        """The planted effects, in the order of ``EFFECTS``: those of ever more images."""
        import numpy as np

        omega = [float(np.mean(self.supported)), float(np.mean(self.contradicted)), 1.0]
        sums = np.array(self.shares) * (np.array(omega) if weighted else 1.0)
        return effects_of(shares_of(sums))


def draw_corpus(
    planted: Mapping[str, Planted], n_images: int, generator: np.random.Generator, *, alike: float = 0.3
) -> dict[str, Composition]:
    """Captions of all captioners for new images.

    Each image has a temper, a number between 0 and 1 that a share of the sentences of all its captions follows: it
    picks their label from the shares of their quartile. So sentences of one image are alike, over quartiles and
    models, while the expected shares are exactly the planted ones.

    Args:
        planted: by name.
        n_images: how many.
        generator: of chance.
        alike: share of sentences that follow the temper, 0 for none.

    Raises:
        ValueError: ``alike`` is not between 0 and 1.
    """
    import numpy as np

    if not 0 <= alike <= 1:
        raise ValueError(f"alike must lie between 0 and 1, got {alike}")
    temper = generator.random(n_images)
    made = {}
    for model, plan in planted.items():
        lengths = generator.integers(plan.sentences[0], plan.sentences[1] + 1, n_images)
        image = np.repeat(np.arange(n_images), lengths)
        before = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        place = 4 * (np.arange(len(image)) - before[image]) // lengths[image]
        follows = generator.random(len(image)) < alike
        at = np.where(follows, temper[image], generator.random(len(image)))
        label = (at[:, None] >= np.cumsum(np.array(plan.shares), axis=1)[place][:, :2]).sum(axis=1)
        omega = np.ones(len(image))
        for code, values in enumerate((plan.supported, plan.contradicted)):
            omega[label == code] = generator.choice(values, int((label == code).sum()))
        counts, weights = np.zeros((n_images, 4, 3)), np.zeros((n_images, 4, 3))
        np.add.at(counts, (image, place, label), 1.0)
        np.add.at(weights, (image, place, label), omega)
        made[model] = Composition(model, QUARTERS, tuple(range(n_images)), counts, weights, n_images,
                                  n_short=int((lengths < QUARTERS.n).sum()), n_empty=0)
    return made


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals contained the truth.

    Attributes:
        model: the captioner.
        quantity: an effect.
        truth: its planted value.
        covered: share of the corpora whose interval contains it, with a Wilson interval over corpora.
        bias: mean of the estimates minus the truth.
        width: mean width of the intervals.
        n_images: in each corpus.
        level: what the intervals promise.
    """

    model: str
    quantity: str
    truth: float
    covered: Estimate
    bias: float
    width: float
    n_images: int
    level: float


def coverage(
    planted: Mapping[str, Planted], *, n_images: int = 100, n_corpora: int = 300, n_resamples: int = 500,
    alike: float = 0.3, weighted: bool = True, level: float = 0.95, seed: int = 0, progress: bool = False,
) -> list[Coverage]:
    """Coverage of the bootstrap intervals over many corpora drawn from planted shares.

    Args:
        planted: by name.
        n_images: in each corpus.
        n_corpora: how many are drawn.
        n_resamples: B of each.
        alike: see :func:`draw_corpus`.
        weighted: count sentences by omega.
        level: of the intervals.
        seed: of everything.
        progress: show a bar.
    """
    truth = {model: plan.effects(weighted=weighted) for model, plan in planted.items()}

    def draw(generator: np.random.Generator) -> dict[str, Composition]:
        return draw_corpus(planted, n_images, generator, alike=alike)

    return _coverage(truth, draw, n_images, n_corpora, n_resamples, weighted, level, seed, progress)


def resampled_coverage(
    profiles: Sequence[CaptionProfile] | Mapping[str, Composition], *, n_images: int = 50, n_corpora: int = 300,
    n_resamples: int = 500, weighted: bool = False, level: float = 0.95, seed: int = 0, progress: bool = False,
    bins: Bins = QUARTERS,
) -> list[Coverage]:
    """The same with corpora drawn, with replacement, from the images of given captions, whose effects are the truth.

    Args:
        profiles: such as those of :func:`gold_profiles`; all models must have the same images.
        n_images: in each corpus.
        n_corpora: how many are drawn.
        n_resamples: B of each.
        weighted: count sentences by omega.
        level: of the intervals.
        seed: of everything.
        progress: show a bar.
        bins: the paper's quartiles by default.

    Raises:
        ValueError: the models have different images.
    """
    own = profiles if isinstance(profiles, Mapping) else compose(profiles, bins=bins)
    if len({c.units for c in own.values()}) != 1:
        raise ValueError("all models must have captions of the same images")
    truth = {model: effects_of(shares_of(c.sums(weighted).sum(axis=0))) for model, c in own.items()}
    n_known = len(next(iter(own.values())).units)

    def draw(generator: np.random.Generator) -> dict[str, Composition]:
        rows = generator.integers(0, n_known, n_images)
        return {
            model: Composition(model, c.bins, tuple(range(n_images)), c.counts[rows], c.weights[rows], n_images, 0, 0)
            for model, c in own.items()
        }

    return _coverage(truth, draw, n_images, n_corpora, n_resamples, weighted, level, seed, progress)


def _coverage(
    truth: Mapping[str, Floats], draw: Any, n_images: int, n_corpora: int, n_resamples: int, weighted: bool,
    level: float, seed: int, progress: bool,
) -> list[Coverage]:
    import numpy as np
    from tqdm import tqdm

    generator = np.random.default_rng(seed)
    found: NDArray[np.float64] = np.full((n_corpora, len(truth), len(EFFECTS), 3), np.nan)
    for row in tqdm(range(n_corpora), desc="corpora", disable=not progress):
        made = diagnose(draw(generator), weighted=weighted, n_resamples=n_resamples, level=level, seed=seed + 1 + row)
        for column, model in enumerate(truth):
            for place, effect in enumerate(EFFECTS):
                e = made.estimate(model, effect)
                found[row, column, place] = e.value, e.low, e.high
    rows = []
    for column, (model, values) in enumerate(truth.items()):
        for place, effect in enumerate(EFFECTS):
            value, low, high = found[:, column, place].T
            known = ~np.isnan(low)
            hits = int(((low <= values[place]) & (values[place] <= high))[known].sum())
            share = wilson(hits, int(known.sum()), n_dropped=int((~known).sum()), method="corpora covered")
            rows.append(Coverage(
                model, effect, float(values[place]), share, float(np.mean(value[known] - values[place])) if known.any()
                else math.nan, float(np.mean((high - low)[known])) if known.any() else math.nan, n_images, level,
            ))
    return rows
