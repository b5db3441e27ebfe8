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
    """A judge over a log, unless it has one."""
    from posh_lite.judge.log import LoggedJudge
    from posh_lite.judge.replay import ReplayJudge

    return judge if isinstance(judge, LoggedJudge | ReplayJudge) else put_log(judge, log)


def put_log(judge: Judge, log: VerdictLog | str | Path) -> Judge:
    """A judge over a log; one over other judges, or with a calibration, knows where among them the log belongs."""
    from posh_lite.judge.log import LoggedJudge

    with_log = getattr(judge, "with_log", None)
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
