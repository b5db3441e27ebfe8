"""What judges over other judges have in common: which of them a verdict log goes under, and what is handed on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from posh_lite.judge.contract import Judge

if TYPE_CHECKING:
    from posh_lite.graph.types import SceneGraph
    from posh_lite.judge.log import VerdictLog


def logged(judge: Judge, log: VerdictLog | str | Path) -> Judge:
    """A judge over a log, unless it has one; a calibration stays outside, so that the log holds raw verdicts."""
    from posh_lite.judge.calibration import CalibratedJudge
    from posh_lite.judge.log import LoggedJudge
    from posh_lite.judge.replay import ReplayJudge

    if isinstance(judge, CalibratedJudge):
        return CalibratedJudge(logged(judge.judge, log), judge.calibration)
    if isinstance(judge, LoggedJudge | ReplayJudge):
        return judge
    with_log = getattr(judge, "with_log", None)  # a judge over other judges knows which of them to log
    return LoggedJudge(judge, log) if with_log is None else cast(Judge, with_log(log))


def named(model: str, log: VerdictLog | str | Path | None, settings: dict[str, Any]) -> Judge:
    """A judge by name that is to be one of several.

    Args:
        model: as for :func:`~posh_lite.judge.registry.make_judge`.
        log: what "replay" answers from.
        settings: of the judge.

    Raises:
        JudgeError, MissingDependency: it cannot be made.
    """
    from posh_lite.judge.registry import make_judge

    path = log if log is None or isinstance(log, str | Path) else log.path
    return make_judge(model, log=path, **settings)


def prime_all(judges: Iterable[Judge], graphs: Iterable[SceneGraph]) -> None:
    """Hand graphs on to the judges that can use them."""
    graphs = list(graphs)
    for judge in judges:
        prime = getattr(judge, "prime", None)
        if prime is not None:
            prime(graphs)


def usage_of(judge: Judge) -> Any:
    """What a judge's model took, where it counts; seen through a log or a calibration."""
    return getattr(judge, "usage", None) or getattr(getattr(judge, "judge", None), "usage", None)
