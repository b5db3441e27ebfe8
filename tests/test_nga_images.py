"""Images from a real server that fails in every way, and pinned files of a repository that changes."""

import hashlib
import http.server
import json
import threading

import pytest

from posh_lite.benchmarks import catalog
from posh_lite.benchmarks.catalog import Dataset, locate
from posh_lite.benchmarks.nga_fetch import FetchError, fetch_changing, newest_commit, pin_path, read_pin
from posh_lite.benchmarks.nga_images import ImageError, fetch_images, read_manifest, retry_after, verify_images
from posh_lite.cli import main
from posh_lite.errors import InputError

JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20
OLD, NEW = "a" * 40, "b" * 40


class Served(http.server.BaseHTTPRequestHandler):
    """Answers by a script: a list of what to do for each path, the last for ever after."""

    script: dict[str, list] = {}  # noqa: RUF012 - set anew by the fixture
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self):
        Served.asked.append(self.path)
        steps = Served.script.get(self.path.split("/")[1], [404])
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, tuple):
            code, headers = step
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif isinstance(step, int):
            self.send_error(step)
        elif step == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(JPEG)))
            self.end_headers()
            self.wfile.write(JPEG[:100])
        elif step == "drop":
            self.connection.close()
        else:
            body = JPEG if step == "ok" else step
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg" if step == "ok" else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    Served.script, Served.asked = {}, []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def fetch(server, folder, names, **options):
    waits: list[float] = []
    options = {"delay": 2.0, "size": 64, **options}
    done = fetch_images([(name, f"{server}/{name}") for name in names], folder, sleep=waits.append, **options)
    return done, waits


def test_images_are_fetched_once_with_a_pause_and_a_checksum(server, tmp_path):
    Served.script = {"a": ["ok"], "b": ["ok"]}
    done, waits = fetch(server, tmp_path, ["a", "b"])
    assert (done.new, done.there, done.failed) == (2, 0, 0)
    assert waits == [2.0]  # between the two, none before the first
    assert Served.asked == ["/a/full/!64,64/0/default.jpg", "/b/full/!64,64/0/default.jpg"]
    entry = read_manifest(tmp_path)["a"]
    assert (entry.status, entry.bytes, entry.sha256) == ("ok", len(JPEG), hashlib.sha256(JPEG).hexdigest())
    assert (tmp_path / entry.file).read_bytes() == JPEG
    assert fetch(server, tmp_path, ["a", "b"])[0].there == 2
    assert len(Served.asked) == 2


def test_a_changed_or_missing_file_is_fetched_again(server, tmp_path):
    Served.script = {"a": ["ok"], "b": ["ok"]}
    fetch(server, tmp_path, ["a", "b"])
    (tmp_path / "a.jpg").write_bytes(JPEG[:-1] + b"x")
    (tmp_path / "b.jpg").unlink()
    assert verify_images(tmp_path) == ["a", "b"]
    assert fetch(server, tmp_path, ["a", "b"])[0].new == 2
    assert verify_images(tmp_path) == []
    assert fetch(server, tmp_path, ["a"], size=32)[0].new == 1  # another size is another image


def test_a_busy_server_is_asked_again_as_it_says(server, tmp_path):
    Served.script = {"a": [(429, {"Retry-After": "7"}), 503, "cut", "drop", "ok"]}
    done, waits = fetch(server, tmp_path, ["a"])
    assert done.new == 1
    assert waits == [7.0, 4.0, 8.0, 16.0]
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_what_is_not_there_is_not_asked_for_again_and_again(server, tmp_path):
    Served.script = {"gone": [404], "page": [b"<html>no</html>"], "ok": ["ok"], "busy": [500]}
    done, _ = fetch(server, tmp_path, ["gone", "page", "ok", "busy"], tries=3)
    assert (done.new, done.failed) == (1, 3)
    assert [path.split("/")[1] for path in Served.asked] == ["gone", "page", "ok", "busy", "busy", "busy"]
    found = read_manifest(tmp_path)
    assert "404" in found["gone"].reason
    assert "no JPEG (text/html)" in found["page"].reason
    assert "500" in found["busy"].reason
    Served.script["gone"] = ["ok"]
    assert fetch(server, tmp_path, ["gone", "ok"])[0].new == 1  # a failure is tried anew on the next run
    assert read_manifest(tmp_path)["gone"].status == "ok"


def test_a_server_that_refuses_is_left_alone(server, tmp_path):
    with pytest.raises(ImageError, match="5 images in a row failed"):
        fetch(server, tmp_path, list("abcdefgh"))
    assert len(Served.asked) == 5
    Served.script = {"later": [(429, {"Retry-After": "7200"})]}
    with pytest.raises(ImageError, match="asks to wait 7200 seconds"):
        fetch(server, tmp_path, ["later"])
    with pytest.raises(ImageError, match="in a row"):
        fetch("http://127.0.0.1:1", tmp_path, list("abcde"), tries=1)


def test_a_manifest_that_was_cut_off_goes_on(server, tmp_path):
    Served.script = {name: ["ok"] for name in "abc"}
    fetch(server, tmp_path, ["a", "b"])
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes()[:-20])
    assert list(read_manifest(tmp_path)) == ["a"]
    done, _ = fetch(server, tmp_path, ["a", "b", "c"])
    assert (done.new, done.there) == (2, 1)
    assert [json.loads(line)["uuid"] for line in manifest.read_text().splitlines()] == ["a", "b", "c"]
    manifest.write_text("{}\n" + manifest.read_text())
    with pytest.raises(InputError, match=r"manifest\.jsonl:1: not a line"):
        read_manifest(tmp_path)


def test_identifiers_never_leave_the_folder(server, tmp_path):
    for name in ("../a", "a/b", "..", ""):
        done = fetch_images([(name, f"{server}/a")], tmp_path, sleep=lambda _: None)
        assert done.failed == 1
    assert Served.asked == []
    done = fetch_images([("a", "file:///etc/passwd")], tmp_path, sleep=lambda _: None)
    assert done.failed == 1
    with pytest.raises(InputError, match="size must be at least 1"):
        fetch_images([], tmp_path, size=0)


def test_retry_after_in_words_and_dates():
    assert retry_after(None, 0) is None
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0) == 60
    assert retry_after("Thu, 01 Jan 1970 00:00:00 GMT", 99) == 0
    assert retry_after("-1", 0) is None


TABLE = Dataset("nga_objects", "nga/objects.csv", "", 0, "CC0", None, "o/r", None, "data/objects.csv", changing=True)
OTHER = Dataset("nga_images", "nga/published_images.csv", "", 0, "CC0", None, "o/r", None, "data/p.csv", changing=True)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.delenv("POSH_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return catalog.cache_folder()


def test_the_first_download_records_commit_and_hash(server, cache):
    Served.script = {"repos": [json.dumps({"sha": NEW}).encode()], "o": [b"objectid\n1\n"]}
    path = fetch_changing(TABLE, api=server, raw=server)
    pin = read_pin(path)
    assert (pin.revision, pin.sha256) == (NEW, hashlib.sha256(b"objectid\n1\n").hexdigest())
    assert Served.asked == ["/repos/o/r/commits/main", f"/o/r/{NEW}/data/objects.csv"]
    fetch_changing(TABLE, api=server, raw=server)
    assert len(Served.asked) == 2  # it is there, and what the pin says
    fetch_changing(OTHER, api=server, raw=server)
    assert Served.asked[2:] == [f"/o/r/{NEW}/data/p.csv"]  # of the same commit, without asking which is the newest
    assert locate("nga_objects", verify=True).status == "ok"
    path.write_bytes(b"changed")
    assert locate("nga_objects", verify=True).status == "changed"


def test_a_pin_of_somebody_else_is_kept_to(server, cache):
    Served.script = {"o": [b"objectid\n1\n"]}
    path = fetch_changing(TABLE, commit=OLD, api=server, raw=server)
    path.unlink()
    assert fetch_changing(TABLE, api=server, raw=server) == path
    assert Served.asked[-1] == f"/o/r/{OLD}/data/objects.csv"
    path.unlink()
    Served.script = {"o": [b"objectid\n2\n"]}
    with pytest.raises(FetchError, match=r"not the file that objects\.csv\.pin\.json recorded"):
        fetch_changing(TABLE, api=server, raw=server)
    assert not path.exists()
    fetch_changing(TABLE, commit=NEW, api=server, raw=server)  # another commit is another file, recorded anew
    assert read_pin(path).revision == NEW


def test_what_cannot_be_pinned_is_refused(server, cache):
    with pytest.raises(FetchError, match="NAME@COMMIT"):
        newest_commit("o/r", api=server)
    Served.script = {"repos": [b"{}"], "o": [b"version https://git-lfs.github.com/spec/v1\n"]}
    with pytest.raises(FetchError, match="answered without a commit"):
        newest_commit("o/r", api=server)
    with pytest.raises(FetchError, match="pointer of Git LFS"):
        fetch_changing(TABLE, commit=OLD, raw=server)
    with pytest.raises(FetchError, match="all 40"):
        fetch_changing(TABLE, commit="main", raw=server)
    Served.script = {}
    with pytest.raises(FetchError, match="404"):
        fetch_changing(TABLE, commit=OLD, raw=server)
    pin_path(cache / "nga" / "objects.csv").write_text("{}")
    with pytest.raises(FetchError, match="not a pin"):
        fetch_changing(TABLE, raw=server)


def test_the_command_says_how_changing_files_are_had(cache, capsys):
    assert main(["data", "list"]) == 0
    said = capsys.readouterr().out
    assert "posh-lite data fetch nga_objects" in said
    assert "changes from day to day" in said
    (cache / "nga").mkdir(parents=True)
    (cache / "nga" / "objects.csv").write_text("objectid\n")
    assert main(["data", "verify", "nga_objects"]) == 0
    assert "no hash was recorded" in capsys.readouterr().out
    (cache / "nga" / "objects.csv").unlink()
    assert main(["data", "fetch", "iiw400@abc"]) == 1
    assert "pinned already" in capsys.readouterr().err
    assert main(["docent", "build", "-o", "x"]) == 2
    assert "posh-lite data fetch nga_images" in capsys.readouterr().err
