"""The museum's tables: streaming, odd rows, and cleaning of their texts."""

import csv
import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.benchmarks.nga import Faults, find_table, is_open, number, read_images, read_objects
from posh_lite.benchmarks.nga_clean import clean, comparable, is_truncated, words
from posh_lite.errors import InputError
from posh_lite.records import read_jsonl

IMAGE = "uuid,iiifurl,iiifthumburl,viewtype,sequence,width,height,maxpixels,openaccess,created,modified," \
        "depictstmsobjectid,assistivetext\n"  # fmt: skip
OLDER = IMAGE.replace("openaccess,", "")
OBJECT = "objectid,accessionnum,title,displaydate,beginyear,endyear,attribution,parentid,portfolio,series\n"


def images(tmp_path, text, name="published_images.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    faults = Faults()
    return list(read_images(path, faults)), faults


def test_quotes_commas_and_line_breaks_stay_in_their_field(tmp_path):
    rows, faults = images(
        tmp_path,
        IMAGE + 'AB-1,https://x/ab-1/,t,primary,0,30,20,,1,c,m,7,"A ""red"" coat,\r\n\r\nand a dog."\r\n'
        "ab-2,https://x/ab-2,t,alternate,1,30,20,,0,c,m,7.0,\r\n",
    )
    assert [(r.uuid, r.iiifurl, r.objectid, r.view, r.open_access) for r in rows] == [
        ("ab-1", "https://x/ab-1", 7, "primary", True), ("ab-2", "https://x/ab-2", 7, "alternate", False),
    ]  # fmt: skip
    assert rows[0].text == 'A "red" coat,\r\n\r\nand a dog.'
    assert (rows[0].width, rows[0].height) == (30, 20)
    assert faults.lines() == []


def test_a_byte_order_mark_and_gzip(tmp_path):
    text = IMAGE + "a,https://x/a,t,primary,0,1,1,,1,c,m,7,A.\n"
    assert len(images(tmp_path, text, encoding="utf-8-sig")[0]) == 1
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "published_images.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert find_table(path.parent, "published_images.csv") == path
    assert len(list(read_images(path, Faults()))) == 1
    path.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(InputError, match="damaged"):
        list(read_images(path, Faults()))


def test_older_copies_have_no_mark_of_open_access(tmp_path):
    rows, _ = images(tmp_path, OLDER + "a,https://x/a,t,primary,0,1,1,,c,m,7,A.\nb,https://x/b,t,primary,0,1,1,640,c,m,8,B.\n")
    assert [r.open_access for r in rows] == [True, False]
    assert [is_open(mark, "") for mark in ("1", "0", "", "true", None)] == [True, False, False, True, True]


def test_odd_rows_are_counted_with_their_lines(tmp_path):
    rows, faults = images(
        tmp_path,
        IMAGE + 'a,https://x/a,t,primary,0,wide,-3,,1,c,m,no,"two\nlines"\n' + "short,row\n"
        "b,https://x/b,t,primary,0,1,1,,1,c,m,9,B.\n\n",
    )
    assert [(r.uuid, r.objectid, r.width, r.height) for r in rows] == [("a", None, None, None), ("b", 9, 1, 1)]
    assert faults.lines() == [
        "depictstmsobjectid is no number: 1 (first at line 2)",
        "width is no positive number: 1 (first at line 2)",
        "height is no positive number: 1 (first at line 2)",
        "rows of published_images.csv with another number of fields than the header: 1 (first at line 4)",
    ]


def test_a_wrong_table_is_explained(tmp_path):
    with pytest.raises(InputError, match=r'no column "assistivetext"; the nearest is "assistive_text"'):
        images(tmp_path, IMAGE.replace("assistivetext", "assistive_text"))
    with pytest.raises(InputError, match="pointer of Git LFS"):
        images(tmp_path, "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(InputError, match="is empty"):
        images(tmp_path, "")
    with pytest.raises(InputError, match="not UTF-8"):
        images(tmp_path, IMAGE + "a,https://x/\u00e9,t,primary,0,1,1,,1,c,m,7,caf\u00e9\n", encoding="latin-1")
    with pytest.raises(InputError, match="data fetch nga_objects"):
        find_table(tmp_path, "objects.csv")


def test_a_quotation_mark_that_is_never_closed(tmp_path):
    rest = "b,https://x/b,t,primary,0,1,1,,1,c,m,9,B.\n" * 250_000
    limit = csv.field_size_limit()
    with pytest.raises(InputError, match="quotation mark not closed"):
        images(tmp_path, IMAGE + 'a,https://x/a,t,primary,0,1,1,,1,c,m,7,"open\n' + rest)
    assert csv.field_size_limit() == limit


def test_objects(tmp_path):
    path = tmp_path / "objects.csv"
    path.write_text(
        OBJECT + '7,1.2,"The ""Red""\n  Coat",c. 1880,1880,1880.0,A,3,P,S\n8,,B,,-500,soon,B,,,\nx,,C,,,,,,,\n'
        "7,,again,,,,,,,\n9,,not wanted,,,,,,,\n8.5,,half,,,,,,,\n",
        "utf-8",
    )
    faults = Faults()
    found = read_objects(path, {7, 8}, faults)
    assert sorted(found) == [7, 8]
    assert (found[7].title, found[7].begin, found[7].end, found[7].parent) == ('The "Red" Coat', 1880, 1880, 3)
    assert (found[8].begin, found[8].end) == (-500, None)
    assert faults.counts == {"endyear is no year": 1, "objectid is no number": 2, "objectid occurs again": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [("", None), ("12", 12), (" -3 ", -3), ("1e3", 1000), ("nan", None), ("inf", None), ("1_000", None),
     ("\u0661", None)],
)
def test_numbers(text, value):
    assert number(text) == value


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("", ""),
        ("  \r\n\t ", ""),
        ("A\u00a0man.\u200b  He\tsits.", "A man. He sits."),
        ("A man.\r\n\r\n \r\nA dog.", "A man.\n\nA dog."),
        ("A man\nand a dog.", "A man and a dog."),
        ("<p>A man.</p><p>A <em>red</em> dog.</p>", "A man.\n\nA red dog."),
        ("It says &quot;STOP&quot; &amp;amp; more.", 'It says "STOP" & more.'),
        ("Image description: A man.", "A man."),
        ("A man. Read more", "A man."),
        ("A man. (c) 2020 Somebody", "A man."),
        ("A wall 3 < 5 & more.", "A wall 3 < 5 & more."),
        ("A description: a man.", "A description: a man."),
        ("cafe\u0301", "caf\u00e9"),
        ("\u201cA\u201d \u2014 b\u2026", "\u201cA\u201d \u2014 b\u2026"),
    ],
)
def test_cleaning(raw, text):
    assert clean(raw).text == text


PIECES = ["Read more", "\n\n", *"ab &;<>/p\n\r\t#39:.\u00a0\u200b\u0301\U0001f600", "&lt;", "<br>", "Description: "]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=200, deadline=None)
def test_cleaning_again_changes_nothing(text):
    once = clean(text).text
    assert clean(once).text == once
    assert once == once.strip()


@pytest.mark.parametrize(
    ("text", "cut"),
    [("A man.", False), ("A man!", False), ('It reads "STOP."', False), ("A man (seated).", False), ("A man", True),
     ("A man in the", True), ("A man,", True), ("A man...", True), ("A man \u2026", True), ("", True),
     ("He wears a coat with.", False)],
)  # fmt: skip
def test_texts_that_are_cut_off(text, cut):
    assert is_truncated(text) is cut


def test_words_and_what_is_compared():
    assert words(" A  red\ncoat. ") == ["A", "red", "coat."]
    assert comparable("A RED\u00a0coat \u2014 \u201cred\u201d!") == ("a", "red", "coat", "red")


def test_real_descriptions_keep_every_word(data_dir):
    texts = [row["IIW"] for _, row in read_jsonl(data_dir / "iiw" / "IIW-400.jsonl")]
    cleaned = [clean(text) for text in texts]
    assert all(text.split() == one.text.split() for text, one in zip(texts, cleaned, strict=True))
    assert sum(is_truncated(one.text) for one in cleaned) == 2  # two that end without a full stop
