"""Tables and figures of the position lens, written to a folder: what ``posh-lite position`` gives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.position.composition import Composition, compose
from posh_lite.position.effects import EFFECTS, SHOWN, Diagnosis, diagnose
from posh_lite.position.label import Precedence
from posh_lite.position.two_sided import Lens, only_unsupported
from posh_lite.position.types import LABELS, CaptionProfile

if TYPE_CHECKING:
    import pandas as pd

    from posh_lite.evaluation.bootstrap import Estimate

#: Models in one figure of small multiples, so that it stays legible.
MOST_PANELS = 12
UNNAMED = "captions"
#: What stands beside every count of unsupported specific sentences.
UNTOLD = ("They are specific and not in the reference: invented, or true and left out of it. Honest texts have many of"
          " them too: hold another person's text against the same references before calling a share of them invented.")


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that is said of a set of captions.

    Attributes:
        profiles: that were used, in order; a model without a name is called :data:`UNNAMED`.
        compositions: by model.
        weighted, unweighted: effects and shares, both from the same draws.
        n_without_rubric: captions that were left out because their reference gave no claim.
        precedence: which evidence decides where a sentence has both kinds.
        signature: of extractor and verifier.
        lens: what was consulted.
        unsupported: through the two-sided lens, a reading in which only unsupported specific sentences are
            contradicted, each counted once; else None.
    """

    profiles: tuple[CaptionProfile, ...]
    compositions: dict[str, Composition]
    weighted: Diagnosis
    unweighted: Diagnosis
    n_without_rubric: int
    precedence: Precedence
    signature: str
    lens: Lens = "claims"
    unsupported: Diagnosis | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names in order of first appearance."""
        return self.weighted.models

    @property
    def ways(self) -> tuple[tuple[str, Diagnosis], ...]:
        """Both ways of counting, with their names."""
        return (("weighted", self.weighted), ("unweighted", self.unweighted))


def make_report(
    profiles: Sequence[CaptionProfile], *, n_resamples: int = 2000, level: float = 0.95, seed: int = 0,
    precedence: Precedence = "supported", lens: Lens = "claims",
) -> Report:
    """Compositions and effects of captions.

    Args:
        profiles: of one or several models, labelled with ``precedence``.
        n_resamples: B.
        level: of the intervals.
        seed: of the draws.
        precedence: as the profiles were labelled.
        lens: as they were labelled.

    Raises:
        ValueError: no caption has a rubric with a claim.
    """
    from dataclasses import replace

    known = {p.model for p in profiles}
    unnamed = UNNAMED if UNNAMED not in known else f"{UNNAMED} without a model"  # nor one with that name
    kept = tuple(replace(p, model=p.model or unnamed) for p in profiles if p.rubric.claims)
    if not kept:
        raise ValueError("no caption can be labelled: no reference gave a claim")
    own = compose(kept)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    return Report(
        kept, own, diagnose(own, weighted=True, **settings), diagnose(own, weighted=False, **settings),
        len(profiles) - len(kept), precedence, kept[0].signature, lens,
        diagnose(kept, weighted=False, reading=only_unsupported, **settings) if lens == "both" else None,
    )


# -- tables ---------------------------------------------------------------------------------------------------


def composition_table(report: Report) -> pd.DataFrame:
    """Shares by model, quartile and way of counting, with intervals and the sentences that they rest on."""
    import pandas as pd

    rows = []
    for way, made in report.ways:
        for model in report.models:
            shares = report.compositions[model].shares(weighted=way == "weighted")
            for share, parts in zip(shares, made.profile(model), strict=True):
                row: dict[str, Any] = {"model": model, "count": way, "quartile": share.bin}
                for label in LABELS:
                    e, name = parts[label], label.lower()
                    row |= {name: e.value, f"{name}_low": e.low, f"{name}_high": e.high}
                if report.unsupported is not None and way == "unweighted":
                    e = report.unsupported.estimate(model, f"h_q{share.bin}")
                    row |= {"unsupported": e.value, "unsupported_low": e.low, "unsupported_high": e.high}
                rows.append(row | {"sentences": share.n_sentences, "images": share.n_images, "reason": share.reason})
    return pd.DataFrame(rows)


def effects_table(report: Report) -> pd.DataFrame:
    """The four effects of every model with intervals, both ways of counting."""
    import pandas as pd

    return pd.DataFrame([
        {"model": model, "count": way, "effect": effect, **_columns(made.estimate(model, effect))}
        for way, made in report.ways for model in report.models for effect in EFFECTS
    ])


def differences_table(report: Report) -> pd.DataFrame:
    """Paired differences of effects between any two models, first minus second; empty for one model."""
    import pandas as pd

    rows = [
        {"model": a, "minus": b, "count": way, "effect": effect, **_columns(made.difference(a, b, effect))}
        for way, made in report.ways for a, b in combinations(report.models, 2) for effect in EFFECTS
    ]
    columns = ["model", "minus", "count", "effect", "value", "low", "high", "images", "sentences", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _columns(e: Estimate) -> dict[str, Any]:
    return {"value": e.value, "low": e.low, "high": e.high, "images": e.n_units, "sentences": e.n, "reason": e.reason}


def counts_table(report: Report) -> pd.DataFrame:
    """What was read and what was not: captions, sentences, claims, and everything that is left out."""
    import pandas as pd

    rows = []
    for place, model in enumerate(report.models):
        c = report.compositions[model]
        own = [p for p in report.profiles if p.model == model]
        findings = [f for p in own for f in p.findings]
        sentences = [s for p in own for s in p.sentences]
        rows.append({
            "model": model, "captions": c.n_captions, "images": len(c.units), "sentences": c.n_sentences,
            "short captions": c.n_short, "captions without a sentence": c.n_empty, "claims": len(findings),
            **{status.lower(): sum(f.status == status for f in findings) for status in
               ("Supported", "Contradicted", "Missing")},
            "unmatched evidence": c.n_unmatched, "unread verdicts": c.n_unread,
            "sentences with both kinds": sum(bool(s.supported and s.contradicted) for s in sentences),
            **({} if report.lens == "claims" else {
                "contradicted sentences": sum(s.label == "Contradicted" and not s.unsupported for s in sentences),
                "unsupported specific sentences": sum(s.unsupported for s in sentences),
            }),
            "images that not all models have": report.weighted.left_out[place],
        })
    return pd.DataFrame(rows)


# -- files ----------------------------------------------------------------------------------------------------


def write_tables(report: Report, folder: Path) -> list[Path]:
    """CSV files of all tables, ``position.md`` to read and ``position.json`` with signature and settings."""
    tables = {
        "composition": composition_table(report), "effects": effects_table(report),
        "differences": differences_table(report), "counts": counts_table(report),
    }
    written = []
    for name, table in tables.items():
        path = folder / f"{name}.csv"
        table.to_csv(path, index=False, lineterminator="\n")
        written.append(path)
    path = folder / "position.md"
    path.write_text(markdown(report), encoding="utf-8")
    summary = folder / "position.json"
    summary.write_text(json.dumps({
        "signature": report.signature, "precedence": report.precedence, "lens": report.lens,
        "models": list(report.models), "images": report.weighted.n_images, "resamples": len(report.weighted.replicates),
        "level": report.weighted.level, "seed": report.weighted.seed,
        "captions_without_rubric": report.n_without_rubric, "effects": [*report.weighted.rows(),
                                                                        *report.unweighted.rows()],
    }, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    return [*written, path, summary]


def markdown(report: Report) -> str:
    """The tables as Markdown, narrow enough to read."""
    made = report.weighted
    parts = [
        "# Where captions fail\n",
        f"{many(len(report.profiles), 'caption')} of {many(len(report.models), 'model')}; effects on the"
        f" {many(made.n_images, 'image')} that"
        f" all have. Intervals: {made.level:.0%}, {len(made.replicates)} draws of images. Where a sentence has both"
        f" kinds of evidence, {report.precedence} goes first.\n",
        f"Signature: `{report.signature.replace('`', chr(39))}`\n",
    ]
    for way, one in report.ways:
        parts.append(f"## Effects, {way}\n")
        heads = ["model", *(SHOWN[e] for e in EFFECTS)]
        parts.append(_grid(heads, [[plain(m), *(said(one.estimate(m, e)) for e in EFFECTS)] for m in report.models]))
        parts.append(f"## Supported / contradicted / generic, {way}\n")
        rows = [
            [plain(model), *("/".join(figure(part[label].value, 3).removeprefix("0") for label in LABELS)
                      for part in one.profile(model))]
            for model in report.models
        ]
        parts.append(_grid(["model", "Q1", "Q2", "Q3", "Q4"], rows))
    if report.unsupported is not None:
        one = report.unsupported
        parts.append("## Contradicted sentences that are only unsupported, unweighted\n")
        parts.append(_grid(["model", "Q1", "Q2", "Q3", "Q4"], [
            [plain(m), *(said(one.estimate(m, f"h_q{k}")) for k in (1, 2, 3, 4))] for m in report.models
        ]))
        parts.append(f"{UNTOLD}\n")
    if len(report.models) > 1:
        parts.append("## Differences, weighted, paired\n")
        parts.append(_grid(["first - second", *(SHOWN[e] for e in EFFECTS)], [
            [f"{plain(a)} - {plain(b)}", *(said(made.difference(a, b, e)) for e in EFFECTS)]
            for a, b in combinations(report.models, 2)
        ]))
    parts.append("## Counts\n")
    counts = counts_table(report)
    heads = ["", *map(plain, counts["model"])]
    parts.append(_grid(heads, [[name, *map(str, counts[name])] for name in counts.columns[1:]]))
    for model, c in report.compositions.items():
        if 2 * c.n_short > c.n_captions:
            parts.append(f"{c.n_short} of {c.n_captions} captions of {plain(model)} have fewer than four sentences and"
                         " leave quarters empty: their effects say little.\n")
    if report.n_without_rubric:
        parts.append(f"Left out: {many(report.n_without_rubric, 'caption')} whose reference gave no claim.\n")
    return "\n".join(parts)


def plain(name: str) -> str:
    """A name that Markdown and HTML show as it is: neither type, nor a link, nor a tag, nor a second line."""
    return re.sub(r"([\\`*_\[\]{}#~|])", r"\\\1", escape(" ".join(name.split()), quote=False))


def many(n: int, what: str) -> str:
    """A count with its noun, "1 image" or "2 images"."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def figure(value: float, digits: int = 2) -> str:
    """A number with a fixed number of digits, a dash for none, and no minus before a zero."""
    if math.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def said(e: Estimate) -> str:
    """An estimate in a cell."""
    if math.isnan(e.value):
        return f"– ({e.reason})" if e.reason else "–"
    sign = "+" if e.value > 0 and figure(e.value) != "0.00" else ""
    return f"{sign}{figure(e.value)}" + ("" if math.isnan(e.low) else f" [{figure(e.low)}, {figure(e.high)}]")


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(" ".join(re.sub(r"(?<!\\)\|", r"\\|", c).split()) for c in cells) + " |"

    return "\n".join([line(heads), "|" + " --- |" * len(heads), *map(line, rows)]) + "\n"


def write_figures(report: Report, folder: Path) -> list[Path]:
    """Small multiples of the shares, and a forest plot of the effects, each with its alt text beside it."""
    from posh_lite import plot_position

    made, shown = report.weighted, report.models[:MOST_PANELS]
    drawn = [
        plot_position.profiles(
            {m: made.profile(m) for m in shown}, name="composition", folder=folder,
            caption="Supported, contradicted and generic share by quartile, weighted.",
        ),
        plot_position.forest(
            {m: {e: made.estimate(m, e) for e in ("d_mid", "d_tail")} for m in report.models}, name="effects",
            folder=folder, caption="D_mid and D_tail with intervals, weighted.",
        ),
    ]
    return [folder / f"{one.name}.svg" for one in drawn]


def write_page(made: Report, path: Path, order: Any, most: int) -> Path:
    """The page with the chief figures above the captions."""
    from posh_lite.position.page import page

    heads = "".join(f'<th scope="col">{h}</th>' for h in ("model", *(SHOWN[e] for e in EFFECTS)))
    rows = "".join(
        f'<tr><th scope="row">{escape(m)}</th>'
        + "".join(f"<td>{escape(said(made.weighted.estimate(m, e)))}</td>" for e in EFFECTS) + "</tr>"
        for m in made.models
    )
    intro = (
        f'<div class="table" role="region" aria-label="Effects" tabindex="0"><table><caption>Effects, weighted, with'
        f" {made.weighted.level:.0%} intervals over {made.weighted.n_images} images</caption><thead><tr>{heads}</tr>"
        f"</thead><tbody>{rows}</tbody></table></div><p><small>{escape(made.signature)}</small></p>"
    )
    path.write_text(page(made.profiles, intro=intro, order=order, most=most, precedence=made.precedence,
                         lens=made.lens),
                    encoding="utf-8")
    return path
