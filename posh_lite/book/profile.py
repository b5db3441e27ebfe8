"""What a profile means: which judge a chapter scores with, unless the reader names one."""

from __future__ import annotations

from typing import Any

from posh_lite.book.layout import BookError
from posh_lite.metric.posh import PoSh

#: The judge of each profile: "lite" needs nothing, "gpu" is the setting of the paper.
JUDGES = {"lite": "lexical", "gpu": "vllm"}


def metric_for(profile: str, judge: str = "auto", **settings: Any) -> PoSh:
    """PoSh as a chapter runs it.

    Args:
        profile: ``lite`` or ``gpu``.
        judge: ``auto`` for the judge of the profile, or the name of another (``-p judge=NAME``).
        settings: further keywords of :class:`~posh_lite.metric.posh.PoSh`.

    Raises:
        BookError: no such profile.
        JudgeError, MissingDependency: the judge cannot run here; the message says what is missing.
    """
    if profile not in JUDGES:
        raise BookError(f"profile {profile!r}: expected one of {', '.join(JUDGES)}")
    return PoSh(judge=JUDGES[profile] if judge == "auto" else judge, progress=False, **settings)
