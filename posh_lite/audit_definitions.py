"""Audit of definitions: formula, text, captions and pseudocode, and what the difference amounts to in our own runs."""

from __future__ import annotations

from posh_lite.audit_ledger import Ledger, Severity

RECORD = "iiw400-lexical"
#: What we make of places that say different things: severity and reading, by topic.
READINGS: dict[str, tuple[Severity, str]] = {
    "identifiers that are tried": ("minor", "The pseudocode is said to be simplified; the text is the fuller account."),
    "relations serve as identifiers": ("minor", "The pseudocode asks fewer questions. Since the simplest confirmed "
                                       "identifier is chosen, both agree wherever a simple one is confirmed."),
    "passes of questions": ("note", "The pseudocode shows templates and not their order."),
    "unmarked tokens are given as": ("note", "A caption that speaks of percentages over figures between 0 and 1."),
    "sign of the shift of support": ("note", "One caption counts the loss as positive; all stated figures count it as "
                                     "negative."),
    "shifts in table 7": ("note", "The columns may have been lost in extraction, or cut for space."),
}


def enter(ledger: Ledger) -> None:
    """Enter the checks: topics of ``definitions.csv``, and the rule of quartiles."""
    rows = ledger.published.sheets["definitions"].cells
    for topic in dict.fromkeys(cells["topic"] for cells in rows.values()):
        places = {name: cells for name, cells in rows.items() if cells["topic"] == topic}
        said = list(dict.fromkeys(cells["says"] for cells in places.values()))
        severity, reading = READINGS.get(topic, ("minor", ""))
        if topic == "coarse scores are the mean over":
            severity, reading = "major", _means()
        first = next(iter(places.values()))
        ledger.claim("definitions", first["paper"], ", ".join(cells["place"] for cells in places.values()), topic,
                     len(said) == 1, stated=said[0], found=", ".join(said[1:]) or said[0],
                     uses=tuple(f"definitions/{name}/says" for name in places), severity=severity, reading=reading)
    short = [n for n in range(1, 9) if quartile(n, n) != 4]
    ledger.claim("definitions", "position", "appendix A.2", "the last sentence of a caption lies in quartile 4",
                 not short, stated="any number of sentences", uses=(), severity="note",
                 found=f"not with {', '.join(map(str, short))} sentences",
                 reading="A caption of fewer than four sentences has no tail and adds nothing to D_tail.")


def quartile(k: int, n: int) -> int:
    """Quartile of sentence ``k`` of ``n``, both from 1 (paper 2, appendix A.2)."""
    return 4 * (k - 1) // max(n, 1) + 1


def _means() -> str:
    """What averaging over objects alone changes in the recorded run on real captions; says so where it is absent."""
    text = "The released metric averages over all components; which mean the tables hold is not said."
    found = aggregation()
    if found is None:
        return text
    return (
        f"{text} In our run of {found['n']:.0f} captions with the lexical judge the mean over objects is higher by "
        f"{found['mistakes']:.2f} (mistakes) and {found['omissions']:.2f} (omissions), and puts "
        f"{found['mistakes_reversed']:.0%} and {found['omissions_reversed']:.0%} of the pairs of captions in another "
        "order."
    )


def aggregation(record: str = RECORD) -> dict[str, float] | None:
    """Averages over objects against averages over all components, in a recorded run.

    Returns:
        ``n`` captions; for mistakes and omissions the mean difference, and as ``*_reversed`` the share of pairs of
        captions that change their order; None where the record is not at hand.
    """
    import json

    from posh_lite.errors import InputError
    from posh_lite.packaged import find_data

    try:
        place = find_data("results", f"{record}/report.json", what="the recorded runs are")
    except InputError:
        return None
    rows = json.loads((place / record / "report.json").read_text("utf-8"))["rows"]
    found: dict[str, float] = {"n": float(len(rows))}
    for score in ("mistakes", "omissions"):
        pairs = [(float(r[score]), float(r[f"{score}_objects"])) for r in rows]
        found[score] = sum(b - a for a, b in pairs) / len(pairs)
        turned = sum((p[0] - q[0]) * (p[1] - q[1]) < 0 for i, p in enumerate(pairs) for q in pairs[:i])
        found[f"{score}_reversed"] = turned / (len(pairs) * (len(pairs) - 1) / 2)
    return found
