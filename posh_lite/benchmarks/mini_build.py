"""Validate and compile the known-answer corpora: ``python -m posh_lite.benchmarks.mini_build [--check]``.

Reads ``source/*.toml`` of ``data/mini`` and ``data/fresh`` (or of ``--root``) and writes the four JSON Lines files and
the tables of the data card beside it. With ``--check`` nothing is written: the exit status is 1 where a source is
invalid or missing, or a file not up to date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections import Counter
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path

from posh_lite.benchmarks.mini import CORPORA, STYLES, Gold, MiniCorpus, Preference, Style
from posh_lite.benchmarks.mini_card import fill_card
from posh_lite.benchmarks.mini_source import SourceCaption, SourceWork, read_work
from posh_lite.errors import InputError
from posh_lite.records import Pair

MIN_FACTS = 16
REFERENCE_WORDS = (150, 250)
SHARED_RUN = 8  # no caption shares this many consecutive words with its reference
FOURGRAM_SHARE = 0.10  # of a caption's sequences of four words that may also stand in its reference


@dataclass(frozen=True, slots=True)
class Quota:
    """What the captions of one style must keep to; the ends of a range are allowed."""

    words: tuple[int, int]
    mistakes: tuple[int, int]
    omitted: tuple[float, float]  # share of the facts of the reference
    omissions: int = 0  # omitted facts, at least
    sentences: int = 8  # at least
    kinds: tuple[str, ...] = ()  # the types that `kind_share` of the mistakes must have
    kind_share: float = 0.0
    middle_share: float = 0.0  # of the mistakes, in quartiles 2 and 3
    quartiles: int = 0  # number of quartiles with a mistake, at least
    generic_tail: tuple[float, float] = (0.0, 1.0)  # share of the sentences in the closing run of generic ones
    other_generic: int = 999  # generic sentences before that run, at most


QUOTAS: dict[Style, Quota] = {
    "faithful": Quota(words=(150, 200), mistakes=(0, 0), omitted=(0.0, 0.15), other_generic=1),
    "terse": Quota(words=(90, 105), mistakes=(0, 1), omitted=(0.30, 1.0), sentences=4),
    "embellisher": Quota(words=(120, 200), mistakes=(5, 999), omitted=(0.0, 0.40), middle_share=0.75),
    "drifter": Quota(
        words=(120, 200), mistakes=(0, 1), omitted=(0.0, 1.0), omissions=3, generic_tail=(0.25, 0.40),
        other_generic=1,
    ),
    "confuser": Quota(words=(120, 200), mistakes=(5, 999), omitted=(0.0, 0.40), kinds=("swap",), kind_share=0.60),
    "miscounter": Quota(
        words=(120, 200), mistakes=(6, 999), omitted=(0.0, 0.40), kinds=("count", "position", "colour"),
        kind_share=0.80, quartiles=3,
    ),
}


def quartile(k: int, n: int) -> int:
    """Quartile 1 to 4 of sentence ``k`` (1-based) of ``n`` (position paper, section 2)."""
    return 4 * (k - 1) // n + 1


def mistake_quartiles(gold: Gold) -> list[int]:
    """The quartile of the sentence in which each mistake of a caption stands, in text order."""
    n = len(gold.sentences)
    return [
        quartile(next(k for k, s in enumerate(gold.sentences, start=1) if s.start <= m.start < s.end), n)
        for m in gold.mistakes
    ]


def prefer(work: str, a: SourceCaption, b: SourceCaption, n_facts: int) -> Preference:
    """The preference between two captions that follows from their gold annotations.

    Mistakes: planted mistakes per 100 words; omissions: share of the facts of the reference that are omitted. A
    difference below 0.75 mistakes or 0.05 of the facts is a tie, from 2 mistakes or 0.25 of the facts on it counts
    as "much". Overall: mistakes per 100 words over 5 and the omitted share are averaged, so that five mistakes in
    100 words weigh as much as omitting everything; a tie below 0.05, "much" from 0.20 on. Positive: ``a`` is better.
    """
    # fractions, so that a difference that lies on a threshold falls on the same side everywhere
    rates = [Fraction(100 * len(c.gold.mistakes), len(c.text.split())) for c in (a, b)]
    shares = [Fraction(len(c.gold.omissions), n_facts) for c in (a, b)]
    costs = [(rate / 5 + share) / 2 for rate, share in zip(rates, shares, strict=True)]
    return Preference(
        work=work, a=a.gold.id, b=b.gold.id,
        mistakes=_label(rates[1] - rates[0], "0.75", "2"),
        omissions=_label(shares[1] - shares[0], "0.05", "0.25"),
        overall=_label(costs[1] - costs[0], "0.05", "0.20"),
    )


def _label(difference: Fraction, slight: str, much: str) -> int:
    size = 0 if abs(difference) < Fraction(slight) else 1 if abs(difference) < Fraction(much) else 2
    return size if difference > 0 else -size


def words_of(text: str) -> list[str]:
    """Lower-case words without punctuation, for the measures of overlap."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def shared_runs(text: str, reference: str, n: int) -> list[str]:
    """The sequences of ``n`` words of a text that also stand in the reference, in text order, repeats included."""
    grams = [[" ".join(w[i : i + n]) for i in range(len(w) - n + 1)] for w in (words_of(text), words_of(reference))]
    known = set(grams[1])
    return [gram for gram in grams[0] if gram in known]


def validate(source: SourceWork) -> list[str]:
    """Everything in a compiled work that breaks a rule of ``FORMAT.md``; each message names file and caption."""
    work, problems = source.work, []
    where = f"{source.path}: reference"
    n_words = len(work.reference.split())
    if not REFERENCE_WORDS[0] <= n_words <= REFERENCE_WORDS[1]:
        problems.append(f"{where}: {n_words} words, {REFERENCE_WORDS[0]} to {REFERENCE_WORDS[1]} are due")
    if len(work.facts) < MIN_FACTS:
        problems.append(f"{where}: {len(work.facts)} facts are marked, at least {MIN_FACTS} are due")
    for fact in work.facts:
        if work.reference[fact.start : fact.end] != fact.text:
            problems.append(f'{where}: {fact.fact} "{fact.text}" does not stand at its span')
    for caption in source.captions:
        problems += [f"{source.path}: caption {caption.style}: {p}" for p in _problems(caption, source)]
    return problems


def _problems(caption: SourceCaption, source: SourceWork) -> list[str]:
    quota, gold, text, reference = QUOTAS[caption.style], caption.gold, caption.text, source.work.reference
    n_words, n_sentences, n_mistakes = len(text.split()), len(gold.sentences), len(gold.mistakes)
    omitted = len(gold.omissions) / len(source.work.facts)
    labels = [s.label for s in gold.sentences]
    tail = n_sentences - max((k for k, label in enumerate(labels, start=1) if label != "generic"), default=0)
    quartiles = mistake_quartiles(gold)
    middle = sum(q in (2, 3) for q in quartiles)
    kind = sum(m.type in quota.kinds for m in gold.mistakes)
    runs = shared_runs(text, reference, SHARED_RUN)
    fourgrams = shared_runs(text, reference, 4)
    share = len(fourgrams) / max(1, len(words_of(text)) - 3)
    checks = [
        (quota.words[0] <= n_words <= quota.words[1], f"{n_words} words, {_range(quota.words)} are due"),
        (n_sentences >= quota.sentences, f"{n_sentences} sentences, at least {quota.sentences} are due"),
        (
            quota.mistakes[0] <= n_mistakes <= quota.mistakes[1],
            f"{n_mistakes} mistakes, {_range(quota.mistakes)} are due",
        ),
        (
            quota.omitted[0] <= omitted <= quota.omitted[1],
            f"{omitted:.0%} of the facts are omitted, {_percent(quota.omitted)} are due",
        ),
        (
            len(gold.omissions) >= quota.omissions,
            f"{len(gold.omissions)} facts are omitted, at least {quota.omissions} are due",
        ),
        (
            kind >= quota.kind_share * n_mistakes,
            f"{kind} of {n_mistakes} mistakes are {' or '.join(quota.kinds)}, at least {quota.kind_share:.0%} are due",
        ),
        (
            middle >= quota.middle_share * n_mistakes,
            f"{middle} of {n_mistakes} mistakes lie in quartiles 2 and 3, at least {quota.middle_share:.0%} are due",
        ),
        (
            len(set(quartiles)) >= quota.quartiles,
            f"mistakes lie in {len(set(quartiles))} quartiles, at least {quota.quartiles} are due",
        ),
        (
            quota.generic_tail[0] <= tail / max(1, n_sentences) <= quota.generic_tail[1],
            f"{tail} of {n_sentences} sentences close it as generic, {_percent(quota.generic_tail)} are due",
        ),
        (
            labels[: n_sentences - tail].count("generic") <= quota.other_generic,
            f"more than {quota.other_generic} generic sentences before the end",
        ),
        (not runs, f'shares {SHARED_RUN} consecutive words with the reference: "{runs[0] if runs else ""}"'),
        (
            share <= FOURGRAM_SHARE,
            f"{share:.1%} of its 4-word sequences stand in the reference, at most {FOURGRAM_SHARE:.0%} may: "
            + "; ".join(f'"{gram}"' for gram in fourgrams),
        ),
    ]
    spans = [(text, m.span, m.text) for m in gold.mistakes]
    spans += [(reference, f.span, f.text) for f in (*gold.omissions, *gold.misstated)]
    for whole, (start, end), words in spans:
        checks.append((whole[start:end] == words, f'"{words}" does not stand at its span'))
    return [message for holds, message in checks if not holds]


def _percent(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.0%} to {ends[1]:.0%}"


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]} to {ends[1]}" if ends[1] < 999 else f"at least {ends[0]}"


def works_due(root: Path) -> int:
    """How many works a corpus must have: as registered under the folder's name, elsewhere as many as it has files."""
    return CORPORA.get(root.resolve().name, len(list((root / "source").glob("*.toml"))))


def read_sources(root: Path) -> tuple[list[SourceWork], list[str]]:
    """Compile the valid source files under ``root/source``; also say what is wrong with the others, or missing."""
    sources: list[SourceWork] = []
    problems: list[str] = []
    paths = sorted((root / "source").glob("*.toml"))
    numbers = Counter(path.name[:2] for path in paths)
    due = [f"{n:02d}" for n in range(1, works_due(root) + 1)]
    extra = [path for path in paths if path.name[:2] not in due]
    problems += [f"{path}: its number is not one of {due[0]} to {due[-1]}" for path in extra]
    for number in due:
        if numbers[number] != 1:
            problems.append(f"{root / 'source'}: {numbers[number]} files {number}_*.toml, one is due")
    for path in paths:
        try:
            source = read_work(path)
        except InputError as error:
            problems.append(str(error))
            continue
        found = validate(source)
        problems += found
        if not found:
            sources.append(source)
    repeated = [slug for slug, n in Counter(s.work.slug for s in sources).items() if n > 1]
    problems += [f"{root / 'source'}: slug {slug} is used by more than one file" for slug in repeated]
    return sources, problems


def compile_corpus(sources: list[SourceWork]) -> MiniCorpus:
    """Pairs, gold and preferences of compiled works."""
    pairs, preferences = [], []
    for source in sources:
        for caption in source.captions:
            pairs.append(Pair(caption.gold.id, caption.text, source.work.reference, caption.style, None, "constructed"))
        for first, second in combinations(source.captions, 2):
            # which of the two is called a is drawn from their names, so that the order carries no label
            if zlib.crc32(f"{first.gold.id} {second.gold.id}".encode()) % 2:
                first, second = second, first
            preferences.append(prefer(source.work.slug, first, second, len(source.work.facts)))
    return MiniCorpus(
        works=tuple(source.work for source in sources),
        pairs=tuple(pairs),
        gold=tuple(caption.gold for source in sources for caption in source.captions),
        preferences=tuple(preferences),
    )


def render(corpus: MiniCorpus, card: str) -> dict[str, str]:
    """The content of every file of the corpus by its name; ``card`` is the data card as it stands."""
    quartiles = {gold.id: mistake_quartiles(gold) for gold in corpus.gold}
    rows = {
        "works.jsonl": [asdict(work) for work in corpus.works],
        "pairs.jsonl": [pair.to_dict() for pair in corpus.pairs],
        "gold.jsonl": [asdict(gold) for gold in corpus.gold],
        "preferences.jsonl": [asdict(preference) for preference in corpus.preferences],
    }
    content = {name: "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows[name]) for name in rows}
    return content | {"README.md": fill_card(card, corpus, quartiles)}


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m posh_lite.benchmarks.mini_build", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail unless all is valid and up to date")
    parser.add_argument("--root", type=Path, help="one corpus folder (default: data/mini and data/fresh)")
    args = parser.parse_args(argv)
    data = Path(__file__).parents[2] / "data"
    failed, taken = False, dict[str, Path]()
    roots = [args.root] if args.root else [data / name for name in CORPORA]
    if absent := [root for root in roots if not (root / "source").is_dir()]:
        where = "" if args.root else "; run this in a checkout of the repository, or name a folder with --root"
        print(f"{absent[0]}: no corpus, which has a folder source/{where}", file=sys.stderr)
        return 1
    for root in roots:
        sources, problems = read_sources(root)
        for source in sources:
            if (other := taken.setdefault(source.work.slug, root)) != root:
                problems.append(f"{source.path}: slug {source.work.slug} is that of a work of {other}")
        problems += _settle(root, render(compile_corpus(sources), _read(root / "README.md")), check=args.check)
        for problem in problems:
            print(problem, file=sys.stderr)
        print(f"{root.name}: {len(sources)} of {works_due(root)} works valid, {len(sources) * len(STYLES)} captions,"
              f" {len(problems)} problems")  # fmt: skip
        failed |= bool(problems)
    return 1 if failed else 0


def _settle(root: Path, content: dict[str, str], *, check: bool) -> list[str]:
    """Write the files of a corpus; with ``check`` name those that are not up to date instead."""
    if check:
        old = [root / name for name, new in content.items() if _read(root / name) != new]
        return [f"{path}: not up to date; run python -m posh_lite.benchmarks.mini_build" for path in old]
    for name, new in content.items():
        (root / name).write_text(new, encoding="utf-8", newline="\n")
    return []


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    raise SystemExit(main())
