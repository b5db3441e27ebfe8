"""IIW-400 as a benchmark: people's judgments of a model's captions against a human text of the same image."""

from __future__ import annotations

from pathlib import Path

from posh_lite.benchmarks.contract import Benchmark, Rating

_NOTE = (
    "People compared a model's caption with the human text that serves as its reference. Omissions are held against"
    " Comprehensiveness, mistakes against Hallucination, overall against the mean of the five judgments. Much of the"
    " signal is length, so that correlations given the ratio of lengths stand beside."
)


def load_iiw_benchmark(path: str | Path | None = None, *, omissions: str = "Comprehensiveness") -> Benchmark:
    """The 100 images of IIW-400 with a caption by a model, as ratings from -2 to 2.

    Args:
        path: of the file; by default found as :func:`posh_lite.benchmarks.catalog.data_path` says.
        omissions: which judgment the omissions are held against; "Specificity" is the other one that fits.

    Raises:
        InputError: the data is not at hand (the message says how to get it), or no judgment has that name.
    """
    from posh_lite.benchmarks.iiw import ASPECTS, load_iiw400
    from posh_lite.errors import InputError

    if omissions not in ASPECTS:
        raise InputError(f'no judgment named "{omissions}"; there are {", ".join(ASPECTS)}')
    data = load_iiw400(path)
    ratings = tuple(
        Rating(row.key, row.key, {"mistakes": row.labels["Hallucination"], "omissions": row.labels[omissions],
                                  "overall": row.mean})
        for row in data.rows
    )  # fmt: skip
    specific = omissions == "Specificity"
    name = "iiw400" + ("-specificity" if specific else "")
    title = "ImageInWords, 400 images" + (" (omissions against Specificity)" if specific else "")
    return Benchmark(name, title, "people", tuple(data.pairs), ratings=ratings,
                     note=_NOTE.replace("Comprehensiveness", omissions), citation="garg2024imageinwords")  # fmt: skip


def load_iiw_specificity(path: str | Path | None = None) -> Benchmark:
    """The same with Specificity in the place of Comprehensiveness; see :func:`load_iiw_benchmark`."""
    return load_iiw_benchmark(path, omissions="Specificity")
