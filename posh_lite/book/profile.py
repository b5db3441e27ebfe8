"""What a profile means: which judge a chapter scores with, unless the reader names one."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from posh_lite.book.layout import BookError
from posh_lite.metric.posh import PoSh

if TYPE_CHECKING:
    from posh_lite.graph.mentions import CoreferenceResolver

#: The judge of each profile: "lite" needs nothing, "gpu" is the setting of the paper (section "Experiments").
JUDGES = {"lite": "lexical", "gpu": "vllm:Qwen/Qwen3-14B"}


def check_profile(profile: str, judge: str = "auto") -> None:
    """Say at once, before any notebook runs, that the judge of a profile cannot run here.

    Raises:
        BookError: no such profile or judge, or something that the judge needs is not installed.
    """
    from posh_lite.judge import registry

    if profile not in JUDGES:
        raise BookError(f"profile {profile!r}: expected one of {', '.join(JUDGES)}")
    name = JUDGES[profile] if judge == "auto" else judge
    entry = registry.JUDGES.get(name.partition(":")[0])
    if entry is None and ":" not in name:
        known = ", ".join(sorted(registry.JUDGES))
        raise BookError(
            f'profile {profile} would score with the judge "{name}", which this version does not have; '
            f"choose another with -p judge=NAME (there are {known}, or module:Class)"
        )
    if entry is not None and entry.missing():
        extra = f"; {registry.install_command(entry.extra)}" if entry.extra else ""
        raise BookError(f'the judge "{name}" of profile {profile} needs {", ".join(entry.missing())}{extra}')


def coreference_for(profile: str) -> CoreferenceResolver | None:
    """The paper's resolver in the profile "gpu" where it is installed, else None for the embedded one.

    It cannot share an environment with every judge of that profile, so it is no error where it is absent; the
    signature says which one was used.
    """
    if profile != "gpu" or find_spec("maverick") is None:
        return None
    from posh_lite.graph.maverick import MaverickResolver

    return MaverickResolver()


def metric_for(profile: str, judge: str = "auto", **settings: Any) -> PoSh:
    """PoSh as a chapter runs it.

    Args:
        profile: ``lite`` or ``gpu``.
        judge: ``auto`` for the judge of the profile, or the name of another (``-p judge=NAME``).
        settings: further keywords of :class:`~posh_lite.metric.posh.PoSh`.

    Raises:
        BookError: no such profile, or its judge cannot run here; the message says what is missing.
        JudgeError, MissingDependency: a judge given as ``module:Class`` cannot be made.
    """
    check_profile(profile, judge)
    settings.setdefault("coreference", coreference_for(profile))
    return PoSh(judge=JUDGES[profile] if judge == "auto" else judge, progress=False, **settings)
