"""The published tables against the texts of the papers, read anew: every cell, every statement.

Runs where ``papers/`` with the three texts lies beside the folder that ``POSH_LITE_DATA`` names.
"""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from posh_lite.paper_figures import published

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?![\w.]*\d)")
DIMENSIONS = ("mistakes", "omissions", "overall")


def _text(data_dir: Path, start: str) -> str:
    found = sorted((data_dir.parent / "papers").glob(f"{start}_*.txt"))
    if not found:
        pytest.skip(f"no {start}_*.txt in papers/ beside the data folder")
    return found[0].read_text("utf-8")


@pytest.fixture(scope="session")
def posh(data_dir: Path) -> str:
    return _text(data_dir, "000")


@pytest.fixture(scope="session")
def summary(data_dir: Path) -> str:
    return _text(data_dir, "001")


@pytest.fixture(scope="session")
def position(data_dir: Path) -> str:
    return _text(data_dir, "002")


def same(ours: str, theirs: str) -> bool:
    """The same number with the same digits behind the point."""
    a, b = Decimal(ours), Decimal(theirs)
    return a == b and a.as_tuple().exponent == b.as_tuple().exponent


def figures(label: str, row: str) -> list[str]:
    """Printed figures of a row in the order of the columns."""
    sheet = published().sheet(label)
    cells = sheet.cells[row]
    return [cells[c] for c in sheet.columns if c not in sheet.info.rows and cells[c]]


# the PoSh paper, from its LaTeX

def latex(source: str, key: str) -> list[list[str]]:
    """Cells of the rows of the table whose label follows it, stripped of commands but not of marks."""
    before = source[: source.index(f"\\label{{tab:{key}}}")]
    body = before[before.rindex("\\begin{tabular}"):]
    rows = [line.split("&") for line in re.split(r"\\\\", re.sub(r"\\(?:midrule|toprule|hline)", "", body))]
    return [[cell.strip() for cell in row] for row in rows if len(row) > 1]


def bare(cell: str) -> str:
    commands = r"\\sethlcolor\{[^}]*\}|\\(?:textbf|underline|mathbf|hl|textit)\b|\\multicolumn\{\d\}\{[^}]*\}"
    return re.sub(r"[${}\s]", "", re.sub(commands, "", cell))


@pytest.mark.parametrize("key", ["coarse_results", "full_coarse_results"])
def test_coarse_tables(posh: str, key: str) -> None:
    sheet = published().sheet(key)
    rows = [r for r in latex(posh, key) if len(r) == 17 and NUMBER.fullmatch(bare(r[5]))]
    assert len(rows) == len(sheet.cells)
    columns = [c for c in sheet.columns if c.startswith(("docent", "caparena"))]
    assert len(columns) == 12
    for row, ours in zip(rows, sheet.cells.values(), strict=True):
        assert ours["printed_name"] == row[0].replace("\\methodshort", "PoSh")
        assert ours["method"].startswith(ours["printed_name"])
        assert ours["parameters_b"] == row[1]
        ticks = [str(int("checkmark" in cell)) for cell in row[2:5]]
        assert [ours["needs_reference"], ours["needs_image"], ours["replicable"]] == ticks
        for column, cell in zip(columns, row[5:], strict=True):
            assert ours[column] == bare(cell).replace("-", "", bare(cell) == "-"), (ours["method"], column)
            marks = [(name, sign in cell) for name, sign in
                     (("bold", "textbf"), ("underlined", "underline"), ("not_significant", "\\hl"))]
            assert all((column in ours[name].split()) == there for name, there in marks), (ours["method"], column)


def test_benchmarks(posh: str) -> None:
    before = posh[: posh.index("\\label{tab:benchmark_comp}")]
    body = before[before.rindex("\\begin{tabular}"):]
    cells = published().sheet("benchmark_comp").cells
    for name in dict.fromkeys(row.split(",")[0] for row in cells):
        start = re.search(rf"{'.benchmark' if name == 'DOCENT' else name} +&", body).start()  # type: ignore[union-attr]
        text = body[start:body.index("\\hline" if name not in ("DCI", "DOCCI", "CompreCap") else "\\cline", start)]
        theirs = NUMBER.findall(re.sub(r"\\multi(?:row|column)\{\d\}\{[^}]*\}|\\text\{K\}|[${}]", " ", text))
        ours = []
        rows = [cells[row] for row in cells if row.split(",")[0] == name]
        ours += [rows[0]["reference_words"], rows[0]["reference_components"]]
        for row in rows:
            thousands = re.search(r"printed as ([\d.]+)K", row["note"])
            ours += [row["minutes_per_judgment"], thousands[1] if thousands else row["n_judgments"]]
            assert not thousands or Decimal(thousands[1]) * 1000 == Decimal(row["n_judgments"])
        assert [f for f in ours if f] == theirs, name


def test_granular_results(posh: str) -> None:
    rows = [[bare(c) for c in r] for r in latex(posh, "docent_granular_results")]
    methods = [m.replace("\\methodshort", "PoSh") for m in rows[0][1:]]
    for row in rows[1:]:
        quantity = row[0].removesuffix("F1").lower() + "_macro_f1"
        for method, cell in zip(methods, row[1:], strict=True):
            assert same(published().text("docent_granular_results", f"{quantity},{method}", "value"), cell)


def test_granular_judgments(posh: str) -> None:
    rows = {bare(r[0]): [bare(c) for c in r[1:]] for r in latex(posh, "docent_granular")}
    for name in ("mistakes", "omissions"):
        assert figures("docent_granular", name) == rows[name]


def test_coarse_judgments(posh: str) -> None:
    rows = [[bare(c) for c in r] for r in latex(posh, "docent_coarse")]
    by_name = {r[0]: r[1:] for r in rows}
    alpha = by_name["student(\\alpha)"]
    expert = [cell.split(",") for cell in by_name["expert(\\rho,\\Delta)"]]
    for k, dimension in enumerate(DIMENSIONS):
        assert figures("docent_coarse_agreement", dimension) == [NUMBER.findall(alpha[k])[-1], *expert[k]]
    against = next(r[1:] for r in rows if not r[0] and "llava" in r[1])
    seen = 0
    for name in ("molmo", "claude", "gpt4o"):
        for k, cell in enumerate(by_name[name]):
            if cell:
                seen += 1
                assert published().text("docent_coarse", f"{DIMENSIONS[k // 3]},{name},{against[k]}", "value") == cell
    assert seen == len(published().sheet("docent_coarse").cells) == 18


def test_reinforcement(posh: str) -> None:
    rows = {bare(r[0]): [bare(c) for c in r[1:]] for r in latex(posh, "rl_results")}
    for k, dimension in enumerate(DIMENSIONS):
        assert figures("rl_results", dimension) == [rows["\\alpha"][k], rows["\\methodshortvsSFT"][k]]


def test_earlier_version(summary: str) -> None:
    sheet = published().sheet("earlier_version")
    names = {"LLaVa Critic": "LLaVA-Critic", "GPT4o": "GPT-4o (ref+img)"}
    coarse = [f"docent_{d}_rho" for d in DIMENSIONS]
    granular = ["mistakes_macro_f1", "omissions_macro_f1"]
    tables = summary.split("细粒度指标对比（DOCENT）")
    first, later = (
        {r[0].strip(): [c.strip() for c in r[1:]] for line in part.splitlines() if line.startswith("|")
         for r in [line.strip("|").split("|")]}
        for part in tables
    )
    for ours in sheet.cells.values():
        name = names.get(ours["row"], ours["row"])
        if ours["place"] == "coarse_results":
            assert first[name][1:4][coarse.index(ours["quantity"])] == ours["earlier"]
        elif ours["place"] == "docent_granular_results":
            assert later[name][granular.index(ours["quantity"])] == ours["earlier"]
        else:
            assert re.search(rf"(?<![\d.]){re.escape(ours['earlier'])}(?!\.?\d)", summary), ours


# the second paper, from its markdown

def markdown(source: str, number: int) -> list[list[str]]:
    block = source[source.index(f"\nTable {number}:"):].split("\n|", 1)[1].split("\n\n")[0]
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in ("|" + block).splitlines()]
    return rows[2:]


def plain(cell: str) -> list[str]:
    """The figures of a cell, without dollar signs and separators of thousands."""
    for sign in ("$", "\\;", "/"):
        cell = cell.replace(sign, " ")
    return NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", cell))


STRAIGHT = {
    3: "positional_repair", 5: "component_ablations", 7: "unweighted_diagnostics", 15: "preference",
    16: "residual_audit", 17: "tail_diversity", 19: "stronger_models", 20: "transfer", 1: "human_control",
}


@pytest.mark.parametrize("number", STRAIGHT)
def test_tables_in_order(position: str, number: int) -> None:
    rows = markdown(position, number)
    sheet = published().sheet(STRAIGHT[number])
    assert len(rows) == len(sheet.cells)
    for row, ours in zip(rows, sheet.cells, strict=True):
        cells = row[len(sheet.info.rows):]
        theirs = [n for cell in cells for n in plain(cell.replace("CI95", "").replace("\u2013", " "))]
        mine = figures(STRAIGHT[number], ours)
        assert len(mine) == len(theirs), ours
        assert all(map(same, mine, theirs)), (ours, mine, theirs)
        if number in (3, 7, 15, 19):
            assert row[0].split(" ")[0].split("-")[0].lower() in ours.lower() or number == 19


def test_global_benchmarks(position: str) -> None:
    dataset = ""
    for row in markdown(position, 4):
        dataset, cells = (row[0], row[1:]) if row[0] in ("IIW-400", "DOCCI") else (dataset, row[:6])
        ours = figures("global_benchmarks", f"{dataset},{cells[0]}")
        assert all(same(a, b.rstrip("%")) for a, b in zip(ours, cells[1:6], strict=True))


def test_second_verifier(position: str) -> None:
    for row in markdown(position, 18):
        for k, verifier in enumerate(("Qwen3-8B", "DeepSeek-V3.2")):
            theirs = [plain(cell)[k] for cell in row[1:]]
            assert all(map(same, figures("second_verifier", f"{row[0]},{verifier}"), theirs))


def test_three_seeds(position: str) -> None:
    for row in markdown(position, 21):
        for quantity, cell in zip(("d_mid", "s_q4", "h_q4"), row[1:], strict=True):
            theirs = [part for part in re.split(r"[\s,\[\]]+", cell) if part]
            assert all(map(same, figures("three_seeds", f"{row[0]},{quantity}"), theirs))


def test_audits(position: str) -> None:
    rows = markdown(position, 14)
    for row, ours in zip(rows, published().sheet("image_audits").cells.values(), strict=True):
        assert [ours["count"], ours["of"]] == row[2].split("/")
        assert ours["share"] == row[3].rstrip("%")


def test_tokens(position: str) -> None:
    for row, ours in zip(markdown(position, 22), published().sheet("token_counts").cells.values(), strict=True):
        assert ours["stage"] in row[0].lower()
        assert row[0].endswith(ours["model"])
        assert [ours["input"], ours["output"]] == row[1:3]


@pytest.mark.parametrize(("number", "label"), [(9, "grpo_settings"), (10, "optimization"), (11, "reward_settings")])
def test_settings(position: str, number: int, label: str) -> None:
    sheet = published().sheet(label)
    for row, ours in zip(markdown(position, number), sheet.cells.values(), strict=True):
        theirs = re.sub(r"\$|\\times 10\^\{(-\d)\}", lambda m: f"e{m[1]}" if m[1] else "", row[1])
        theirs = re.sub(r"(?<=\d),(?=\d{3})", "", theirs).replace(" e", "e")
        assert re.sub(r"\s", "", ours["value"]) == re.sub(r"\s", "", theirs), ours
        if number != 11:
            assert ours["setting"] == row[0].replace("$", "").lower()


def test_what_is_lost_is_lost(position: str) -> None:
    have = {int(n) for n in re.findall(r"^Table (\d+):", position, re.M)}
    ours = {int(s.info.number) for s in published().sheets.values() if s.info.paper == "position" and s.info.number}
    assert have == ours
    gone = {e["number"] for e in published().lost if e["paper"] == "position" and e["number"].isdigit()}
    assert gone == {str(n) for n in range(1, max(have) + 1) if n not in have}


# statements

def sections(source: str, heading: re.Pattern[str]) -> dict[str, str]:
    """Text below each heading; the second of a name is called NAME#2."""
    found: dict[str, str] = {}
    marks = list(heading.finditer(source))
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(source)], strict=True):
        name = next(g for g in mark.groups() if g).strip()
        count = sum(1 for known in found if known.split("#")[0] == name)
        found[name if not count else f"{name}#{count + 1}"] = source[mark.end():end]
    return found


def test_statements_stand_where_they_are_said_to(posh: str, position: str) -> None:
    tex = re.compile(r"\\(?:sub)*section\*?\{((?:[^{}]|\{[^{}]*\})*)\}|\\paragraph\{([^}]*)\}|\\begin\{(abstract)\}")
    parts = {
        "posh": {k.replace("abstract", "Abstract"): v for k, v in sections(posh, tex).items()},
        "position": sections(position, re.compile(r"^#+ (.+)$", re.M)),
    }
    for ours in published().sheet("statements").cells.values():
        text = parts[ours["paper"]][ours["location"]]
        text = re.sub(r"\\num\{([^}]*)\}|\\texttt\{([^}]*)\}", lambda m: m[1] or m[2], text)
        wanted = ours["printed"] or ours["value"]
        before = r"(?<!\d)" if wanted[0] == "." else r"(?<![\w.])"
        assert re.search(rf"{before}{re.escape(wanted)}(?!\d|[.,]\d)", text), (ours["id"], wanted, text[:2000])


def test_no_figure_of_a_statement_is_said_twice_for_nothing() -> None:
    """A statement that points at a table points at a cell that is there."""
    for ours in published().sheet("statements").cells.values():
        if ours["same_as"]:
            published().at(ours["same_as"])


def test_recovered_figures_equal_their_source() -> None:
    for ours in published().sheet("recovered").cells.values():
        assert same(ours["value"], published().at(ours["source"]).text)
