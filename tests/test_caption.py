"""Captions of images: a real server that works, fails and is killed, resumption, settings, and images of every kind."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from asked_server import picture_of, png, says, text_of
from faulty_server import DROP, Asked, FaultyServer, Reply

from posh_lite.cli import main
from posh_lite.errors import InputError, JudgeError
from posh_lite.own.caption import PROMPT, CaptionFile, Settings, read_prompt, spoken
from posh_lite.own.caption_engine import VllmVision, caption_engine
from posh_lite.own.captions import read_captions
from posh_lite.own.images import find_shots, shrink
from posh_lite.own.references import References

pytest.importorskip("openai")


@pytest.fixture(autouse=True)
def _no_server_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def folder(place: Path, n: int) -> Path:
    """Images, each of its own colour."""
    place.mkdir()
    for i in range(n):
        (place / f"{i:02}.png").write_bytes(png((i, 10, 20)))
    return place


def described(asked: Asked) -> Reply:
    """A caption that depends on the picture alone."""
    picture = picture_of(asked)
    assert picture is not None
    number = next(i for i in range(256) if png((i, 10, 20)) == picture)
    return says(f"  Picture {number}. A plain colour.\n")


def caption(server: FaultyServer, images: object, out: Path, *more: str, backoff: str = "0.01") -> int:
    """Run the command against a server, without long pauses."""
    return main(["caption", str(images), "-o", str(out), "--model", "m", "--quiet",
                 *(f"--model-option={o}" for o in (f"url={server.url}", f"backoff={backoff}", "timeout=5")), *more])


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_folder_becomes_a_file_that_can_be_scored(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 5), tmp_path / "captions.jsonl"
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 0
        body = server.asked[0].body
    assert [r["id"] for r in rows(out)] == [f"{i:02}.png" for i in range(5)]
    assert rows(out)[3]["generation"] == "Picture 3. A plain colour."
    assert rows(out)[3]["model"] == "m"
    # nucleus sampling as in the paper's appendix, with a limit and a seed of ours
    assert (body["temperature"], body["top_p"], body["max_tokens"], body["seed"]) == (0.7, 0.9, 1024, 0)
    assert text_of(server.asked[0]) == read_prompt()[0]
    joined = read_captions(out, References("r", {f"{i:02}": f"Reference {i}." for i in range(5)}))
    assert [p.reference for p in joined.pairs] == [f"Reference {i}." for i in range(5)]


def test_what_is_there_is_not_asked_again(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 4), tmp_path / "c.jsonl"
    with FaultyServer(described) as server:
        assert caption(server, images, out, "-n", "2") == 0
        assert caption(server, images, out) == 0
        assert len(server.asked) == 4
        before = out.read_bytes()
        assert caption(server, images, out) == 0
        assert len(server.asked) == 4
    assert out.read_bytes() == before


def test_a_line_that_a_stop_cut_off_is_asked_again(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 3), tmp_path / "c.jsonl"
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 0
        whole = out.read_bytes()
        out.write_bytes(whole[:-25])
        assert caption(server, images, out) == 0
        assert len(server.asked) == 4
    assert out.read_bytes() == whole


@pytest.mark.parametrize("more", [("--temperature", "0.2"), ("--top-p", "0.5"), ("--max-tokens", "9"),
                                  ("--seed", "7"), ("--max-side", "0")])
def test_other_settings_are_refused(
    tmp_path: Path, more: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    images, out = folder(tmp_path / "images", 2), tmp_path / "c.jsonl"
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 0
        before = out.read_bytes()
        assert caption(server, images, out, *more) == 2
        assert len(server.asked) == 2
    assert out.read_bytes() == before
    assert "other settings" in capsys.readouterr().err


def test_another_prompt_is_another_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images, out = folder(tmp_path / "images", 1), tmp_path / "c.jsonl"
    own = tmp_path / "own.toml"
    own.write_text('[caption]\ndescribe = "Say {what} you see."\n', "utf-8")
    with FaultyServer(described) as server:
        assert caption(server, images, out, "--prompt", str(own)) == 0
        assert text_of(server.asked[0]) == "Say {what} you see."
        assert caption(server, images, out) == 2
    assert "prompt" in capsys.readouterr().err


def test_faults_that_pass_are_waited_out(tmp_path: Path) -> None:
    """A limit of requests, a failing server, garbage, half a reply and a cut connection, then captions."""
    images, out = folder(tmp_path / "images", 8), tmp_path / "c.jsonl"
    faults = [Reply({"error": {"message": "slow down"}}, 429, {"retry-after": "0"}), Reply({}, 500), DROP,
              Reply(b"<html>not json", 200), Reply({"choices": []}), Reply({"choices": [{}]}, missing=40)]
    served: list[Reply] = []

    def script(asked: Asked) -> Reply:
        if asked.number and len(served) < len(faults):
            served.append(faults[len(served)])
            return served[-1]
        return described(asked)

    with FaultyServer(script) as server:
        assert caption(server, images, out) == 0
    assert len(served) == len(faults)
    assert [r["generation"] for r in rows(out)] == [f"Picture {i}. A plain colour." for i in range(8)]


def test_an_image_that_is_refused_is_named_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images, out = folder(tmp_path / "images", 4), tmp_path / "c.jsonl"
    refuses = [True]

    def script(asked: Asked) -> Reply:
        if refuses[0] and picture_of(asked) == png((2, 10, 20)):
            return Reply({"error": {"message": "blocked by the content policy"}}, 400)
        return described(asked)

    with FaultyServer(script) as server:
        assert caption(server, images, out) == 1
        said = capsys.readouterr().err
        assert '"02.png"' in said
        assert "content policy" in said
        assert [r["id"] for r in rows(out)] == ["00.png", "01.png", "03.png"]
        refuses[0] = False
        asked = len(server.asked)
        assert caption(server, images, out) == 0
        assert len(server.asked) == asked + 1
    assert [r["id"] for r in rows(out)] == [f"{i:02}.png" for i in range(4)]


@pytest.mark.parametrize(("text", "finish"), [("", "stop"), ("  \n", "stop"), ("<think>It may be", "length")])
def test_an_empty_caption_is_none(
    tmp_path: Path, text: str, finish: str, capsys: pytest.CaptureFixture[str]
) -> None:
    images, out = folder(tmp_path / "images", 2), tmp_path / "c.jsonl"

    def script(asked: Asked) -> Reply:
        return says(text, finish=finish) if picture_of(asked) == png((1, 10, 20)) else described(asked)

    with FaultyServer(script) as server:
        assert caption(server, images, out) == 1
    assert [r["id"] for r in rows(out)] == ["00.png"]
    assert '"01.png"' in capsys.readouterr().err


def test_a_caption_that_was_cut_says_so(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 1), tmp_path / "c.jsonl"
    with FaultyServer(lambda _: says("A long tale that", finish="length")) as server:
        assert caption(server, images, out) == 0
    assert rows(out)[0]["cut"] is True


def test_a_server_that_dies_loses_nothing_that_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images, out = folder(tmp_path / "images", 40), tmp_path / "c.jsonl"
    holder: list[FaultyServer] = []

    def script(asked: Asked) -> Reply:
        if asked.number >= 12:
            holder[0]._dead = True
            return DROP
        return described(asked)

    with FaultyServer(script) as server:
        holder.append(server)
        assert caption(server, images, out, "--model-option=retries=0", "--model-option=concurrency=2") == 1
    came = rows(out)
    assert 1 <= len(came) <= 12
    assert "the same command asks only for the rest" in capsys.readouterr().err
    with FaultyServer(described) as server:
        assert caption(server, images, out, "--model-option=retries=0", "--model-option=concurrency=2") == 0
        assert len(server.asked) == 40 - len(came)
    assert len({r["id"] for r in rows(out)}) == 40


def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 12), tmp_path / "c.jsonl"

    def slow(asked: Asked) -> Reply:
        return Reply(described(asked).body, delay=0.05)

    with FaultyServer(slow) as server:
        run = subprocess.Popen(
            [sys.executable, "-m", "posh_lite.cli", "caption", str(images), "-o", str(out), "--model", "m", "--quiet",
             f"--model-option=url={server.url}", "--model-option=concurrency=1"], cwd=Path(__file__).parents[1],
        )
        while run.poll() is None and not (out.exists() and out.read_bytes().count(b"\n") >= 3):
            time.sleep(0.005)
        run.kill()
        run.wait()
        kept = [json.loads(line)["id"] for line in out.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        assert 3 <= len(kept) < 12
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 0
        assert len(server.asked) == 12 - len(kept)
    assert [r["id"] for r in rows(out)] == [f"{i:02}.png" for i in range(12)]


def test_requests_under_way_are_bounded(tmp_path: Path) -> None:
    images, out = folder(tmp_path / "images", 12), tmp_path / "c.jsonl"

    def script(asked: Asked) -> Reply:
        reply = described(asked)
        return Reply(reply.body, delay=0.02)

    with FaultyServer(script) as server:
        assert caption(server, images, out, "--model-option=concurrency=3") == 0
        assert 1 < server.peak <= 3


def test_what_keeps_every_image_from_a_caption_stops_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images, out = folder(tmp_path / "images", 9), tmp_path / "c.jsonl"
    with FaultyServer(lambda _: Reply({"error": {"message": "this model takes no images"}}, 400)) as server:
        assert caption(server, images, out) == 1
        assert len(server.asked) == 1
    assert not out.exists()
    assert "takes no images" in capsys.readouterr().err


def test_images_that_cannot_be_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images, out = folder(tmp_path / "images", 2), tmp_path / "c.jsonl"
    (images / "empty.png").write_bytes(b"")
    (images / "text.jpg").write_bytes(b"no picture")
    (images / "half.png").write_bytes(png()[:-20])
    (images / "scan.tiff").write_bytes(b"II*\x00")
    (images / ".hidden.png").write_bytes(png())
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 1
    assert [r["id"] for r in rows(out)] == ["00.png", "01.png"]
    said = capsys.readouterr().err
    for name in ("empty.png", "text.jpg", "half.png"):
        assert f'image "{name}"' in said
    assert ".hidden" not in said


def test_an_image_that_changed_is_not_passed_off_as_the_old_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images, out = folder(tmp_path / "images", 1), tmp_path / "c.jsonl"
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 0
        (images / "00.png").write_bytes(png((9, 10, 20)))
        assert caption(server, images, out) == 2
    assert "another than the one that was captioned" in capsys.readouterr().err


def test_a_file_of_records_hands_its_references_on(tmp_path: Path) -> None:
    folder(tmp_path / "images", 2)
    source = tmp_path / "works.jsonl"
    source.write_text(json.dumps({"id": "w", "image": "images/01.png", "reference": "A colour."}) + "\n", "utf-8")
    with FaultyServer(described) as server:
        assert caption(server, source, tmp_path / "c.jsonl") == 0
    (row,) = rows(tmp_path / "c.jsonl")
    assert (row["id"], row["reference"]) == ("w", "A colour.")
    assert read_captions(tmp_path / "c.jsonl").pairs[0].generation == "Picture 1. A plain colour."


def test_docent_is_read_from_its_manifest(tmp_path: Path) -> None:
    images = folder(tmp_path / "images", 2)
    entries = [{"uuid": "u0", "status": "ok", "file": "00.png"}, {"uuid": "u1", "status": "failed", "reason": "gone"}]
    (images / "manifest.jsonl").write_text("".join(json.dumps(e) + "\n" for e in entries), "utf-8")
    assert [(s.id, s.image) for s in find_shots("docent", images).rows] == [("u0", "00.png")]
    with pytest.raises(InputError, match="--images DIR"):
        find_shots("docent")


@pytest.mark.parametrize("line", ['{"id": "a"}', '{"image": 3}', '{"image": "a.png"}\n{"image": "a.png"}', "[1]"])
def test_records_that_name_no_image_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(InputError, match=r"f\.jsonl:\d"):
        find_shots(str(path))


def test_a_foreign_file_is_not_added_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images, out = folder(tmp_path / "images", 1), tmp_path / "c.jsonl"
    out.write_text('{"id": "a", "generation": "mine"}\n', "utf-8")
    with FaultyServer(described) as server:
        assert caption(server, images, out) == 2
    assert out.read_text("utf-8") == '{"id": "a", "generation": "mine"}\n'
    assert "choose another file" in capsys.readouterr().err


def test_large_images_are_made_smaller_and_turned_upright() -> None:
    image = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    picture = image.new("RGB", (300, 100), "white")
    picture.paste((255, 0, 0), (0, 0, 150, 100))  # red on the left
    exif = image.Exif()
    exif[0x0112] = 6  # to be turned a quarter to the right: red comes to the top
    picture.save(out, "JPEG", exif=exif, quality=95)
    with image.open(io.BytesIO(shrink(out.getvalue(), 150, "x"))) as small:
        assert small.size == (50, 150)
        assert small.getpixel((25, 20))[1] < 80 < small.getpixel((25, 130))[1]
    clear = io.BytesIO()
    image.new("RGBA", (40, 20), (0, 0, 0, 0)).save(clear, "PNG")
    with image.open(io.BytesIO(shrink(clear.getvalue(), 20, "x"))) as small:
        assert small.size == (20, 10)
        assert small.getpixel((3, 3)) == (255, 255, 255)  # what is transparent is not black
    same = png(size=8)
    assert shrink(same, 8, "x") == same
    with pytest.raises(InputError, match='image "x"'):
        shrink(b"no picture", 8, "x")


def test_only_what_is_small_enough_is_sent(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "images").mkdir()
    image.new("RGB", (400, 200), "blue").save(tmp_path / "images" / "a.png")
    sent: list[tuple[int, int]] = []

    def script(asked: Asked) -> Reply:
        with image.open(io.BytesIO(picture_of(asked) or b"")) as got:
            sent.append(got.size)
        return says("Blue.")

    with FaultyServer(script) as server:
        assert caption(server, tmp_path / "images", tmp_path / "a.jsonl", "--max-side", "100") == 0
        assert caption(server, tmp_path / "images", tmp_path / "b.jsonl", "--max-side", "0") == 0
    assert sent == [(100, 50), (400, 200)]


@pytest.mark.parametrize(("text", "found"), [
    ("A cat.", "A cat."), ("<think>hm\n</think>\n A cat. ", "A cat."), ("<think>hm", ""), ("", ""),
    ("A <think> sign.", "A <think> sign."), ("<THINKING>x</THINKING>B", "B"),
])
def test_thinking_is_no_caption(text: str, found: str) -> None:
    assert spoken(text) == found


def test_the_prompt_is_ours_and_hashed() -> None:
    import hashlib

    message, digest = read_prompt()
    assert digest == hashlib.sha256(PROMPT.read_bytes()).hexdigest()[:12]
    assert "describe this picture" in message.lower()


def test_settings_that_differ_are_told(tmp_path: Path) -> None:
    out = CaptionFile(tmp_path / "c.jsonl", Settings("openai:m", "abc"))
    out.put({"id": "a", "settings": out.settings.digest})
    out.close()
    with pytest.raises(InputError, match=r"top_p 0\.9, now 0\.5"):
        CaptionFile(tmp_path / "c.jsonl", Settings("openai:m", "abc", top_p=0.5))


@pytest.mark.parametrize(("more", "said"), [
    (("--temperature", "-1"), "--temperature"), (("--top-p", "0"), "--top-p"), (("--max-tokens", "0"), "--max-tokens"),
    (("-n", "0"), "-n"), (("--model-option", "url"), "NAME=VALUE"),
    (("--model-option", 'extra={"top_p": 0.1}'), "--top-p"), (("--model-option", "colour=red"), "colour"),
])
def test_settings_out_of_range_are_refused(
    tmp_path: Path, more: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    images = folder(tmp_path / "images", 1)
    with FaultyServer(described) as server:
        assert caption(server, images, tmp_path / "c.jsonl", *more) == 2
        assert not server.asked
    assert said in capsys.readouterr().err


def test_no_server_is_told_before_any_image_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = folder(tmp_path / "images", 1)
    assert main(["caption", str(images), "-o", str(tmp_path / "c.jsonl"), "--model", "m"]) == 2
    assert "OPENAI_BASE_URL" in capsys.readouterr().err


def test_vllm_is_asked_with_pictures_and_nucleus_sampling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in with vLLM's interface: it was not run with a model here."""
    made: list[dict[str, object]] = []

    class Llm:
        def __init__(self, model: str, **settings: object) -> None:
            made.append({"model": model, **settings})

        def chat(self, chats: list[list[dict[str, object]]], sampling_params: object, use_tqdm: bool) -> list[object]:
            made.append({"chats": chats, "params": sampling_params})
            first = SimpleNamespace(text="A colour.", token_ids=[1, 2], finish_reason="stop")
            return [SimpleNamespace(outputs=[first], prompt_token_ids=[1]) for _ in chats]

    module = SimpleNamespace(LLM=Llm, SamplingParams=lambda **how: how, __version__="0.30.0",
                             __spec__=SimpleNamespace(name="vllm"))
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setattr("posh_lite.own.caption_engine.lacking", lambda **_: [])
    monkeypatch.setattr("posh_lite.own.caption_engine.locate",
                        lambda model, revision: SimpleNamespace(where=model, revision=revision, identity="id",
                                                                label=model))
    images = folder(tmp_path / "images", 3)
    out = tmp_path / "c.jsonl"
    assert main(["caption", str(images), "-o", str(out), "--model", "vllm:a/b", "--seed", "5", "--quiet"]) == 0
    assert made[0]["trust_remote_code"] is False
    assert made[1]["params"] == {"temperature": 0.7, "top_p": 0.9, "max_tokens": 1024, "seed": 5}
    content = made[1]["chats"][0][0]["content"]  # type: ignore[index]
    assert [part["type"] for part in content] == ["image_url", "text"]
    assert [r["generation"] for r in rows(out)] == ["A colour."] * 3
    assert rows(out)[0]["model"] == "a/b"
    with pytest.raises(InputError, match="colour"):
        caption_engine("vllm:a/b", temperature=0.7, top_p=0.9, seed=0, colour=1)


def test_a_vllm_that_fails_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no device")

    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(LLM=broken, __version__="0.30.0"))
    monkeypatch.setattr("posh_lite.own.caption_engine.locate",
                        lambda model, revision: SimpleNamespace(where=model, revision=None, identity="id", label=model))
    with pytest.raises(JudgeError, match="a/b: vLLM cannot start it"):
        VllmVision("a/b", top_p=0.9, seed=0)
