"""Consistency audit of both papers: what can be recomputed from the printed figures, and what does not agree.

    python -m posh_lite.audit              # what does not agree, worst first
    python -m posh_lite.audit --all        # every check
    python -m posh_lite.audit --json       # the same as data

A difference is no reproach. Papers have versions, digits are rounded, and figures are typed by hand; the audit says
which figures a reader should take from where. How rounding is judged: :mod:`posh_lite.audit_ledger`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from posh_lite import (
    audit_claims,
    audit_counts,
    audit_definitions,
    audit_identities,
    audit_marks,
    audit_pager,
    audit_plausible,
    audit_text,
)
from posh_lite.audit_ledger import ABOUT, KINDS, OUTCOMES, Check, Ledger
from posh_lite.paper_figures import Published, published

if TYPE_CHECKING:
    import pandas as pd

#: Each enters its checks.
PARTS: tuple[Callable[[Ledger], None], ...] = (
    audit_identities.enter, audit_text.enter, audit_claims.enter, audit_pager.enter, audit_marks.enter,
    audit_counts.enter, audit_plausible.enter, audit_definitions.enter,
)
_WEIGHT = {"major": 0, "minor": 1, "note": 2, "": 3}


def run(source: Published | None = None) -> list[Check]:
    """Every check, in the order of the parts.

    Args:
        source: tables and statements to audit, by default those of the package.
    """
    ledger = Ledger(source or published())
    for part in PARTS:
        part(ledger)
    return ledger.checks


def findings(checks: Sequence[Check]) -> list[Check]:
    """Checks that differ, major ones first; checks that rounding explains are not among them."""
    return sorted((c for c in checks if c.outcome == "differs"), key=lambda c: _WEIGHT[c.severity])


def summary(checks: Sequence[Check]) -> pd.DataFrame:
    """Number of checks by kind and outcome: columns ``kind``, ``about`` and one for each outcome."""
    import pandas as pd

    counts = Counter((c.kind, c.outcome) for c in checks)
    rows = [{"kind": kind, "about": ABOUT[kind], **{o: counts[kind, o] for o in OUTCOMES}} for kind in KINDS]
    return pd.DataFrame(rows)


def frame(checks: Sequence[Check]) -> pd.DataFrame:
    """Checks as a table, a row each."""
    import pandas as pd

    names = [name for name in Check.__dataclass_fields__ if name != "uses"]
    return pd.DataFrame([{name: getattr(c, name) for name in names} for c in checks], columns=names)


def _line(check: Check) -> str:
    head = f"{check.severity or check.outcome:8}  {check.paper}, {check.where}: {check.what}"
    change = f" (by {check.difference})" if check.difference else ""
    body = f"          stated {check.stated}; recomputed {check.recomputed}{change}"
    return "\n".join([head, body, *([f"          {check.reading}"] if check.reading else [])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the audit. The exit status is 0 whatever it finds: differences are what it is for."""
    parser = argparse.ArgumentParser(
        prog="python -m posh_lite.audit", description=(__doc__ or "").split("\n", 1)[0],
        epilog="Severity: major, a reader would conclude something else; minor, no conclusion hangs on it; note, a "
        "name or a convention.",
    )
    parser.add_argument("--all", action="store_true", help="every check, not only those that differ")
    parser.add_argument("--kind", choices=KINDS, help="one kind of check alone")
    parser.add_argument("--paper", choices=("posh", "position"), help="one paper alone")
    parser.add_argument("--json", action="store_true", help="a JSON list of objects instead of lines")
    options = parser.parse_args(arguments)
    checks = [c for c in run() if options.kind in (None, c.kind) and options.paper in (None, c.paper)]
    shown = checks if options.all else findings(checks)
    if options.json:
        print(json.dumps([asdict(c) for c in shown], indent=1))
        return 0
    for check in shown:
        print(_line(check))
    counts = Counter(c.outcome for c in checks)
    print(f"\n{len(checks)} checks: {counts['agrees']} agree, rounding explains {counts['rounding']}, "
          f"{counts['differs']} differ")
    return 0


if __name__ == "__main__":
    from posh_lite.pipe import until_reader_goes

    sys.exit(until_reader_goes(main))
