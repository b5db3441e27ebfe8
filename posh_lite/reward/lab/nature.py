"""What becomes of a choice: the assumptions of the laboratory about truth, supply and exhaustion.

Every assumption is a field of :class:`Nature`. They decide much of what is found, so the study varies them.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from posh_lite.errors import InputError
from posh_lite.reward.lab.policy import KINDS, LENGTHS, Choice, Chooser
from posh_lite.reward.lab.world import TRUTHS, Pool


@dataclass(frozen=True, slots=True)
class Nature:
    """The environment.

    Attributes:
        supply: true sentences that the captioner surely sees, drawn anew at every visit of a work and shared by the
            captions of a group. When none of them says anything new, "fine" and "broad" become "reach".
        slip: how often a sentence that is surely seen comes out wrong all the same.
        right: how often a reach at the beginning of a caption is right.
        fall: by how much less at its end; linear in between.
        fresh: least share of the claims that a sentence supports that must be untold for it to say something new.
        blur: standard deviation of the caption-level judge's error ("holistic").
        miss: how often the verifier of the reward overlooks a finding; what is measured is never overlooked.
    """

    supply: int = 10
    slip: float = 0.05
    right: float = 0.35
    fall: float = 0.15
    fresh: float = 0.5
    blur: float = 0.05
    miss: float = 0.0

    def __post_init__(self) -> None:
        if self.supply < 0:
            raise InputError(f"supply must be at least 0, got {self.supply}")
        for name in ("slip", "right", "fall", "fresh", "blur", "miss"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must lie between 0 and 1, got {getattr(self, name)}")

    def accuracy(self, at: float) -> float:
        """How often a reach at a place (0 beginning, 1 end) is right."""
        return max(0.0, self.right - self.fall * at)


@dataclass(frozen=True, slots=True)
class Rollout:
    """One caption as it was chosen.

    Attributes:
        plan: place in ``LENGTHS``.
        choices: one a sentence.
        lines: numbers in the pool, in text order.
    """

    plan: int
    choices: list[Choice]
    lines: list[int]


class Stock:
    """A pool as a teller needs it: sorted once, used for many captions."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.of = {truth: pool.of(truth) for truth in TRUTHS}
        fine = sorted(pool.lines[i].fine for i in self.of["true"])
        middle = fine[len(fine) // 2] if fine else 0.0
        self.is_fine = tuple(line.fine >= middle for line in pool.lines)
        self.held = tuple(_bits(line.supported) for line in pool.lines)
        self.against = tuple(_bits(line.contradicted) for line in pool.lines)


def _bits(claims: frozenset[int]) -> int:
    return sum(1 << c for c in claims)


def visit(stock: Stock, nature: Nature, random: Random) -> tuple[int, ...]:
    """Draw what is surely seen of a work: true lines, in no order."""
    true = stock.of["true"]
    return tuple(random.sample(true, min(nature.supply, len(true))))


def roll(chooser: Chooser, stock: Stock, seen: tuple[int, ...], nature: Nature, random: Random) -> Rollout:
    """Compose one caption.

    Args:
        chooser: the policy.
        stock: of the work.
        seen: of :func:`visit`.
        nature: the environment.
        random: of all draws.
    """
    plan = chooser.length(random)
    n = LENGTHS[plan]
    teller = _Teller(stock, seen, nature, random)
    choices = []
    for number in range(1, n + 1):
        choice = chooser.kind(number, n, teller.left, random)
        choices.append(choice)
        teller.tell(KINDS[choice.kind], (number - 1) / n)
    return Rollout(plan, choices, teller.lines)


class _Teller:
    """What was said so far of one work, and what can be said next."""

    def __init__(self, stock: Stock, seen: tuple[int, ...], nature: Nature, random: Random) -> None:
        self.stock, self.nature, self.random = stock, nature, random
        self.seen, self.surely = list(seen), frozenset(seen)
        self.most = max(1, len(seen))
        self.lines: list[int] = []
        self.told = 0  # claims as bits

    @property
    def left(self) -> float:
        """Share of the safe supply that has not been told."""
        return len(self.seen) / self.most

    def tell(self, kind: str, at: float) -> None:
        """Add a sentence of a kind at a place (0 beginning, 1 end)."""
        line = getattr(self, f"_{kind}")(at)
        self.lines.append(line)
        self.told |= self.stock.held[line]
        # what has been told is no longer something new to say, whichever sentence told it
        self.seen = [i for i in self.seen if i != line and self._new(i)]

    def _fine(self, at: float) -> int:
        return self._safe(at, fine=True)

    def _broad(self, at: float) -> int:
        return self._safe(at, fine=False)

    def _safe(self, at: float, *, fine: bool) -> int:
        own = [i for i in self.seen if self.stock.is_fine[i] is fine] or self.seen
        if not own:
            return self._reach(at)
        if self.random.random() < self.nature.slip:
            return self._wrong(at)
        return self.random.choice(own)

    def _reach(self, at: float) -> int:
        if self.random.random() >= self.nature.accuracy(at):
            return self._wrong(at)
        open_ = [i for i in self.stock.of["true"] if i not in self.surely and i not in self.lines and self._new(i)]
        fine = [i for i in open_ if self.stock.is_fine[i]]
        if open_:
            return self.random.choice(fine or open_)
        return self._reword(at)  # all that is true has been told: in other words, then

    def _wrong(self, at: float) -> int:
        unused = [i for i in self.stock.of["contradicted"] if i not in self.lines]
        fresh = [i for i in unused if self.stock.against[i] & ~self.told]  # one errs about what one is telling
        return self.random.choice(fresh or unused) if unused else self._invent(at)

    def _invent(self, at: float) -> int:
        all_ = self.stock.of["invented"]
        unused = [i for i in all_ if i not in self.lines]
        if unused:
            return self.random.choice(unused)
        return self.random.choice(all_) if all_ else self._generic(at)

    def _generic(self, at: float) -> int:
        all_ = self.stock.of["generic"]
        return self.random.choice([i for i in all_ if i not in self.lines] or list(all_))

    def _reword(self, at: float) -> int:
        told = [i for i in self.stock.of["true"] if i not in self.lines and not self._new(i)]
        return self.random.choice(told) if told else self._repeat(at)

    def _repeat(self, at: float) -> int:
        said = [i for i in self.lines if self.stock.pool.lines[i].truth != "generic"]
        return self.random.choice(said) if said else self._generic(at)

    def _new(self, line: int) -> bool:
        """Whether enough of what a line supports is untold."""
        own = self.stock.held[line]
        return (own & ~self.told).bit_count() >= self.nature.fresh * own.bit_count()
