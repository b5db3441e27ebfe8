"""Pictures of pairs: found by their bytes, never fetched, and faults that name the pair."""

import base64
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from asked_server import png
from hypothesis import given, settings
from hypothesis import strategies as st

from posh_lite.baselines.images import Pictures, media_type
from posh_lite.errors import InputError
from posh_lite.records import Pair

PAIR = Pair("p7", "A cat.", "A dog.")
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 30 + b"\xff\xd9"
WEBP = b"RIFF" + struct.pack("<I", 4) + b"WEBPVP8 "


@pytest.fixture
def no_pillow(monkeypatch):
    """As on a machine without Pillow."""
    import sys

    monkeypatch.setitem(sys.modules, "PIL", None)


def find(image, folder=None, **settings):
    return Pictures(folder, **settings).find(replace(PAIR, image=image))


@pytest.mark.parametrize(("data", "kind"), [
    (png(), "image/png"), (JPEG, "image/jpeg"), (b"GIF89a...", "image/gif"), (WEBP, "image/webp"), (b"BM", "image/bmp"),
    (b"", ""), (b"<svg>", ""), (b"RIFF....WAVE", ""), (b"%PDF-1.7", ""),
])
def test_the_type_is_found_in_the_bytes(data, kind):
    assert media_type(data) == kind


def test_a_file_is_relative_to_the_folder_and_goes_as_base64(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.jpg").write_bytes(png())  # its name does not matter
    whole = str(tmp_path / "sub" / "a.jpg")
    urls = {find("sub/a.jpg", tmp_path).url(), find(whole).url(), find(whole, tmp_path / "sub").url()}
    monkeypatch.chdir(tmp_path)
    urls.add(find("sub/a.jpg").url())
    assert urls == {"data:image/png;base64," + base64.b64encode(png()).decode()}


def test_a_data_url_is_read_and_its_claim_is_not_believed():
    inside = "data:image/jpeg;base64," + base64.b64encode(png()).decode()
    picture = find(inside)
    assert picture.kind == "image/png" and picture.read() == png()
    assert picture.url().startswith("data:image/png;base64,")


def test_an_address_is_handed_on_only_where_that_is_allowed():
    address = "https://example.org/a.png"
    with pytest.raises(InputError, match=r'pair "p7": https://example.org/a.png is a web address; allow it'):
        find(address)
    picture = find(address, remote=True)
    assert picture.url() == address
    with pytest.raises(InputError, match="not on this machine"):
        picture.read()


@pytest.mark.parametrize(("data", "said"), [
    (b"", "no picture .it is empty"), (b"hello", "no picture"), (png()[:-20], "broken off .no end of the PNG"),
    (JPEG[:-2], "broken off .no end of the JPEG"), (b"BM" + b"\0" * 40, "image/bmp, which servers do not take"),
    (png() + b"x" * 2000, "2,0.. bytes, more than the 1,000"),
])
def test_what_cannot_be_sent_names_the_pair_and_the_file(tmp_path, no_pillow, data, said):
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(InputError, match=f'pair "p7": .*a.png.*{said}'):
        find("a.png", tmp_path, most_bytes=1000)


def test_with_pillow_damage_inside_shows(tmp_path):
    pytest.importorskip("PIL", reason="Pillow is not installed")
    data = bytearray(png(size=40))
    data[45] ^= 255
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(InputError, match=r'pair "p7": .*a.png: the picture is damaged'):
        find("a.png", tmp_path)


@pytest.mark.parametrize(("image", "said"), [
    (None, 'has no image; a record names it in the field "image"'), ("", "has no image"),
    ("none.png", "no image .*none.png"),
    ("data:image/png;base64,@@@", "no valid base64"), (".", "cannot be read"), ("a\0b", "no path"),
    ("data:image/png;base64,aGk=", "no picture"), ("data:,hello", "no picture"),
])
def test_a_picture_that_is_not_there(tmp_path, image, said):
    with pytest.raises(InputError, match=f'pair "p7".*{said}'):
        find(image, tmp_path)


def test_no_such_folder(tmp_path):
    with pytest.raises(InputError, match="no such folder of images"):
        Pictures(tmp_path / "gone")


def test_one_that_changes_under_way_is_noticed(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(png())
    picture = find("a.png", tmp_path)
    path.write_bytes(png((0, 0, 9)))
    with pytest.raises(InputError, match=r'pair "p7": .*changed during the run'):
        picture.url()


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_picture_or_an_error(data):
    address = "data:image/png;base64," + base64.b64encode(data).decode()
    with suppress(InputError):
        assert find(address).read() == data


def test_a_folder_with_blanks_and_accents(tmp_path: Path):
    folder = tmp_path / "Bilder für Prüfung"
    folder.mkdir()
    (folder / "ein Bild.png").write_bytes(png())
    assert find("ein Bild.png", folder).kind == "image/png"
