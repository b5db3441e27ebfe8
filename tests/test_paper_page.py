"""The published tables as a page, and the audit as the book shows it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from posh_lite import audit, audit_view, paper_page
from posh_lite.audit_ledger import KINDS
from posh_lite.paper_figures import published


class Reader(HTMLParser):
    """Counts tags, and checks that each is closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["posh", "position", "both"])
def test_every_table_is_on_the_page_and_folded(name: str) -> None:
    reader = Reader()
    reader.feed(paper_page.browse(name))
    assert not reader.open
    sheets = [s for s in published().sheets.values() if s.info.paper == name]
    assert reader.seen["details"] == reader.seen["table"] == len(sheets)
    rows = sum(len(s.cells) for s in sheets)
    assert reader.seen["tr"] == rows + len(sheets)
    assert not {"id", "open", "src", "href"} & reader.attributes
    assert not {"script", "h1", "h2", "h3"} & set(reader.seen)


def test_marks_of_print_are_shown_and_signs_are_escaped() -> None:
    page = paper_page.browse("posh")
    assert "<u><strong>0.578</strong></u>" in page
    assert "<em>-0.002</em>" in page
    changed = published().replaced("rl_results/mistakes/posh_vs_sft", "<b>&")
    assert "&lt;b&gt;&amp;" in paper_page.browse("posh", source=changed)


def test_listing_is_narrow_and_keeps_signs_from_markup() -> None:
    checks = audit.run()
    frame = audit_view.listing(audit.findings(checks))
    assert frame.columns.tolist() == ["where and what", "stated", "found"]
    assert len(frame) == len(audit.findings(checks))
    joined = " ".join(frame["where and what"])
    assert "docent mistakes acc: PoSh above GPT4o (image)" in joined
    assert "S\\_Q4" in audit_view.listing([c for c in checks if "S_Q4" in c.what])["where and what"].iloc[0]
    assert "text_mistakes_f1" not in joined.replace("\\", "")


def test_versions_are_in_their_order() -> None:
    frame = audit_view.versions(audit.run()).set_index("figure")
    assert frame.loc["PoSh, docent mistakes rho"].tolist() == [0.519, 0.518]
    assert frame.loc["PoSh, crowd rho"].tolist() == [0.727, 0.776]


def test_figure_has_a_bar_a_kind_and_says_the_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("posh_lite.plot.figures_folder", lambda: tmp_path)
    figure = audit_view.outcomes(audit.run(), name="outcomes", caption="c")
    assert all(f"{kind}: " in figure.alt for kind in KINDS)
    assert "sums: 64 agrees, 7 rounding, 0 differs" in figure.alt
    assert (tmp_path / "outcomes.dark.svg").is_file()
