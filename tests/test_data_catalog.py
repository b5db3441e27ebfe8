import hashlib
import http.server
import threading
from dataclasses import replace

import pytest

from posh_lite.benchmarks import catalog
from posh_lite.benchmarks.catalog import DATASETS, Dataset, data_path, dataset, locate
from posh_lite.benchmarks.download import DownloadError, fetch
from posh_lite.cli import main
from posh_lite.errors import InputError

CONTENT = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def entry(monkeypatch):
    digest = hashlib.sha256(CONTENT).hexdigest()
    made = Dataset("small", "small/data.bin", "a test", 1, "CC0", digest, "o/r", "c", "data.bin")
    monkeypatch.setitem(DATASETS, "small", made)
    return made


@pytest.fixture
def server():
    """Serves CONTENT; ``cut`` bytes of it at a time while that is set, and honours Range unless ``whole``."""

    class Handler(http.server.BaseHTTPRequestHandler):
        cut: int | None = None
        whole = False
        ranges: list[str | None] = []  # noqa: RUF012

        def do_GET(self):
            asked = self.headers.get("Range")
            Handler.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and not Handler.whole else 0
            if self.path != "/data.bin":
                self.send_error(404)
                return
            if start >= len(CONTENT):
                self.send_error(416)
                return
            body = CONTENT[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if Handler.cut is None else body[: Handler.cut])

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/data.bin", Handler
        running.shutdown()
        thread.join()


def test_addresses_are_pinned_to_a_commit():
    for made in DATASETS.values():
        if made.address is None:
            continue
        assert made.address == f"https://raw.githubusercontent.com/{made.repo}/{made.commit}/{made.upstream}"
        assert len(made.commit) == 40
        assert len(made.sha256) == 64
        assert made.licence


def test_fetch_and_find_again(entry, server, tmp_path):
    address, handler = server
    seen = []
    path = fetch(entry, address=address, on_progress=lambda have, total: seen.append((have, total)))
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert locate("small", verify=True).status == "ok"
    assert fetch(entry, address=address) == path
    assert len(handler.ranges) == 1
    assert [p.name for p in path.parent.iterdir()] == ["data.bin"]
    handler.ranges.clear()


def test_a_broken_download_goes_on(entry, server):
    address, handler = server
    handler.ranges.clear()
    handler.cut = 100_000
    with pytest.raises(DownloadError, match="try again"):
        fetch(entry, address=address)
    handler.cut = None
    assert fetch(entry, address=address).read_bytes() == CONTENT
    assert handler.ranges == [None, "bytes=100000-"]


def test_a_server_without_ranges_sends_the_whole_again(entry, server):
    address, handler = server
    handler.cut = 1000
    with pytest.raises(DownloadError):
        fetch(entry, address=address)
    handler.cut, handler.whole = None, True
    assert fetch(entry, address=address).read_bytes() == CONTENT


def test_a_part_of_something_else_is_fetched_anew(entry, server):
    address, _ = server
    part = catalog.cache_folder() / "small" / "data.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"something else")
    assert fetch(entry, address=address).read_bytes() == CONTENT
    part.write_bytes(CONTENT)  # complete, but not yet in place
    (part.parent / "data.bin").unlink()
    assert fetch(entry, address=address).read_bytes() == CONTENT


def test_another_file_than_the_pinned_one_is_not_kept(entry, server, monkeypatch):
    address, _ = server
    other = replace(entry, sha256="0" * 64)
    monkeypatch.setitem(DATASETS, "small", other)
    with pytest.raises(DownloadError, match="not the pinned file"):
        fetch(other, address=address)
    assert list((catalog.cache_folder() / "small").iterdir()) == []


def test_no_network_and_no_such_page(entry, server):
    address, _ = server
    with pytest.raises(DownloadError, match="404"):
        fetch(entry, address=address + "x")
    with pytest.raises(DownloadError, match=r"cannot be reached.*POSH_LITE_DATA as small/data.bin"):
        fetch(entry, address="http://127.0.0.1:1/data.bin")


def test_what_is_not_offered_says_where_to_take_it():
    with pytest.raises(DownloadError, match="put it under POSH_LITE_DATA"):
        fetch(dataset("scene_graph_gold"))


def test_the_own_folder_comes_before_the_cache(entry, monkeypatch, tmp_path):
    with pytest.raises(InputError, match="posh-lite data fetch small"):
        data_path("small")
    for folder in (catalog.cache_folder(), tmp_path / "own"):
        (folder / "small").mkdir(parents=True)
        (folder / "small" / "data.bin").write_bytes(CONTENT)
    assert data_path("small").is_relative_to(catalog.cache_folder())
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path / "own"))
    assert data_path("small").is_relative_to(tmp_path / "own")
    with pytest.raises(InputError, match="no dataset named"):
        data_path("other")


def test_an_excerpt_serves_where_the_whole_is_not(monkeypatch, tmp_path):
    text = b'{"x": 1}\n'
    made = replace(DATASETS["faithscore"], excerpt=("f/part.jsonl", 1, hashlib.sha256(text).hexdigest()))
    monkeypatch.setitem(DATASETS, "faithscore", made)
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path))
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "part.jsonl").write_bytes(text)
    found = locate("faithscore", verify=True)
    assert (found.status, found.excerpt) == ("excerpt", True)


def test_the_command(entry, monkeypatch, tmp_path, capsys):
    assert main(["data", "list"]) == 0
    said = capsys.readouterr().out
    assert "CC BY 4.0" in said
    assert "not here" in said
    assert main(["data", "verify"]) == 0
    assert main(["data", "verify", "small"]) == 1
    assert main(["data", "fetch", "nothing"]) == 2
    file = catalog.cache_folder() / "small" / "data.bin"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"changed")
    capsys.readouterr()
    assert main(["data", "verify"]) == 1
    assert "CHANGED" in capsys.readouterr().out
    file.write_bytes(CONTENT)
    assert main(["data", "verify", "small"]) == 0
    assert main(["data", "fetch", "small"]) == 0
    assert main(["data", "fetch", "scene_graph_gold"]) == 1
    capsys.readouterr()
    monkeypatch.setenv("POSH_LITE_DATA", str(tmp_path / "nowhere"))
    assert main(["data", "list"]) == 0
    said = capsys.readouterr().out
    assert "goes under POSH_LITE_DATA as scene_graph_gold/" in said
    assert "nowhere (no such folder)" in said


