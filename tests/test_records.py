import json

import pytest

from posh_lite.errors import InputError
from posh_lite.records import Pair, pair_from_dict, read_jsonl, read_pairs, write_jsonl

GOOD = {"id": "a", "generation": "g", "reference": "r"}


def write(tmp_path, *lines, end="\n"):
    path = tmp_path / "pairs.jsonl"
    data = end.join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_bytes(data.encode("utf-8", "surrogatepass"))
    return path


def test_an_empty_file_has_no_pairs(tmp_path):
    assert list(read_pairs(write(tmp_path))) == []


def test_pairs_with_all_fields(tmp_path):
    row = {**GOOD, "model": "m", "image": "i", "source": "s", "other": 1}
    (pair,) = read_pairs(write(tmp_path, row))
    assert pair == Pair("a", "g", "r", "m", "i", "s")
    assert pair.to_dict() == {k: v for k, v in row.items() if k != "other"}


def test_texts_are_untouched(tmp_path):
    text = "  a\r\nb\u2028c\x00\ufeff\u00a0 e\u0301 \U0001f600 \u202e "
    (pair,) = read_pairs(write(tmp_path, {**GOOD, "generation": text}))
    assert pair.generation == text


def test_crlf_bom_blank_lines_and_no_newline_at_the_end(tmp_path):
    path = write(tmp_path, GOOD, "", "  ", {**GOOD, "id": "\U0001f600"}, end="\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [(n, r["id"]) for n, r in read_jsonl(path)] == [(1, "a"), (4, "\U0001f600")]


def test_whole_numbers_serve_as_ids(tmp_path):
    assert next(read_pairs(write(tmp_path, {**GOOD, "id": 7}))).id == "7"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not valid JSON at column 2"), ("[" * 100_000, "nested too deeply"), ("9" * 5000, "not usable JSON"),
        ([1], "expected a JSON object, got list"), ({"id": "b", "generation": "g"}, 'field "reference" is missing'),
        ({**GOOD, "id": "b", "generation": 3}, 'field "generation" must be a string, got int'),
        ({**GOOD, "id": "b", "generation": " \n\t\u00a0"}, 'field "generation" is empty'),
        ({**GOOD, "id": True}, 'field "id" must be a string'), ({**GOOD, "id": ""}, 'field "id" is empty'),
        ({**GOOD, "id": "b", "model": 1}, 'field "model" must be a string'),
        ('{"id": "b", "generation": "\\ud800", "reference": "r"}', "half of a surrogate pair"),
        (GOOD, 'id "a" was used on line 1 already'),
    ],
)
def test_errors_name_file_and_line_and_can_be_skipped(tmp_path, line, message):
    path = write(tmp_path, GOOD, line, {**GOOD, "id": "z"})
    reading = read_pairs(path)
    assert next(reading).id == "a"
    with pytest.raises(InputError) as caught:
        next(reading)
    assert f"{path}:2: " in str(caught.value)
    assert message in str(caught.value)
    errors = []
    assert [p.id for p in read_pairs(path, on_error=errors.append)] == ["a", "z"]
    assert len(errors) == 1


def test_not_utf8(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"id": "\xff"}\n')
    with pytest.raises(InputError, match=r":2: not UTF-8 text at byte 9"):
        list(read_pairs(path))


def test_no_such_file_and_folders(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        list(read_jsonl(tmp_path / "none"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_jsonl(tmp_path))


def test_pair_from_dict_without_a_file():
    with pytest.raises(InputError) as caught:
        pair_from_dict({})
    assert (caught.value.path, caught.value.line, caught.value.field) == (None, None, "id")


def test_write_then_read(tmp_path):
    path = tmp_path / "out.jsonl"
    assert write_jsonl(path, [GOOD, {"x": "\u2028é"}]) == 2
    assert [row for _, row in read_jsonl(path)] == [GOOD, {"x": "\u2028é"}]
