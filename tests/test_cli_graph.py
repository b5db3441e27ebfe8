import io
import json

import pytest

from posh_lite.cli import main

TEXT = "A tall man holds a red cup."


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "sign"), [("text", "cup"), ("svg", "<svg"), ("html", "<html"), ("json", '"entities"')]
)
def test_every_format(file, tmp_path, capsys, kind, sign):
    assert main(["graph", str(file), "--format", kind]) == 0
    printed = capsys.readouterr().out
    assert sign in printed
    out = tmp_path / "out"
    assert main(["graph", str(file), "--format", kind, "-o", str(out)]) == 0
    assert out.read_text("utf-8") == printed


def test_spans_point_into_the_text(file, capsys):
    main(["graph", str(file), "--format", "json"])
    graph = json.loads(capsys.readouterr().out)
    assert graph["text"] == TEXT
    assert [TEXT[a:b] for e in graph["entities"] for a, b in e["spans"]] == ["man", "cup"]


def test_standard_input_with_a_byte_order_mark(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfA dog.\r\n")))
    assert main(["graph", "-", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "A dog.\r\n"


@pytest.mark.parametrize(("content", "message"), [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "not UTF-8")])
def test_texts_that_cannot_be_read(file, capsys, content, message):
    file.write_bytes(content)
    assert main(["graph", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_no_such_file(tmp_path, capsys):
    assert main(["graph", str(tmp_path / "none")]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["graph", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err
