"""The Java programs that pycocoevalcap ships: Penn Treebank tokens, METEOR 1.5 and SPICE.

The programs are run as they are; the library's own wrappers are not used, because they write into the installed
package, take the machine's default encoding and wait forever for a program that has died.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from posh_lite.errors import MissingDependency, PoshLiteError
from posh_lite.judge.registry import install_command

#: What pycocoevalcap's tokenizer takes out after the tokens are cut.
PUNCTUATION = frozenset(
    ("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";")
)
_PARSER = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")
#: SPICE's cache is written by a library that looks into classes of the Java runtime, which Java 16 closed.
#: They are opened by a variable, which Java 8 does not read, since it would refuse them as options.
_OPENED = " ".join(f"--add-opens=java.base/java.{package}=ALL-UNNAMED"
                   for package in ("io", "lang", "math", "net", "text", "util", "util.concurrent"))


class JavaError(PoshLiteError):
    """A Java program failed or did not answer in time. The message has what it said."""


def folder(part: str) -> Path:
    """A folder of the installed pycocoevalcap, found without importing it.

    Raises:
        MissingDependency: it is not installed.
    """
    found = importlib.util.find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        raise MissingDependency(f"pycocoevalcap is not installed: {install_command('baselines')}")
    return Path(next(iter(found.submodule_search_locations))) / part


def java() -> str:
    """The Java runtime.

    Raises:
        MissingDependency: there is none on the path.
    """
    found = shutil.which("java")
    if found is None:
        raise MissingDependency("the program java is not on the path; install a Java runtime, version 8 or newer")
    return found


def lacks_spice() -> list[str]:
    """The files of SPICE's parser that are not there, for the registry; nothing is ever downloaded here."""
    place = folder("spice") / "lib"
    absent = [name for name in _PARSER if not (place / name).is_file()]
    if not absent:
        return []
    return [f"{' and '.join(absent)} in {place}: the parser of SPICE, some 400 MB that pycocoevalcap fetches from"
            " nlp.stanford.edu by: python -m pycocoevalcap.spice.get_stanford_models"]


def ptb_tokens(texts: Sequence[str], *, timeout: float = 600) -> list[list[str]]:
    """Penn Treebank tokens in lower case without punctuation, as COCO's evaluation makes them.

    Args:
        texts: any strings; each is one line to the tokenizer.
        timeout: seconds until the program is stopped.

    Raises:
        JavaError: the program failed, or returned another number of lines.
    """
    if not texts:
        return []
    command = [java(), "-Dfile.encoding=UTF-8", "-cp", str(folder("tokenizer") / "stanford-corenlp-3.4.1.jar"),
               "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
    # str.split() also cuts at separators that Java takes for the end of a line
    lines = "\n".join(" ".join(text.split()) for text in texts) + "\n"
    done = _finished(command, lines, timeout)
    found = done.split("\n")[:-1]
    if len(found) != len(texts):
        raise JavaError(f"the tokenizer returned {len(found)} lines for {len(texts)} texts")
    return [[w for w in line.split() if w not in PUNCTUATION] for line in found]


def _finished(
    command: Sequence[str], given: str, timeout: float, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Standard output of a program that ends by itself."""
    try:
        done = subprocess.run(command, input=given.encode("utf-8", "replace"), capture_output=True, timeout=timeout,
                              cwd=cwd, env=env, check=False)
    except subprocess.TimeoutExpired:
        raise JavaError(f"a Java program did not end within {timeout:g} s: {' '.join(command[:6])} ...") from None
    if done.returncode:
        raise JavaError(f"a Java program failed with {done.returncode}: {_last_lines(done.stderr)}")
    return done.stdout.decode("utf-8", "replace")


def _last_lines(said: bytes) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return " / ".join(lines[:2] + lines[-2:] if len(lines) > 4 else lines)[:600] or "it said nothing"


def meteor_scores(rows: Sequence[tuple[Sequence[str], Sequence[str]]], *, timeout: float = 120) -> list[float]:
    """METEOR 1.5 of ``(generation tokens, reference tokens)``, each with at least one token, from 0 to 1.

    Settings are those of COCO's evaluation: English, normalized, the weights that the program ships.

    Args:
        rows: the tokens.
        timeout: seconds that the program may take for one pair (the first one loads its paraphrases).

    Raises:
        JavaError: the program failed or did not answer.
    """
    if not rows:
        return []
    place = folder("meteor")
    command = [java(), "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(place / "meteor-1.5.jar"),
               "-", "-", "-stdio", "-l", "en", "-norm"]
    with _talking(command, timeout) as ask:
        stats = [ask(f"SCORE ||| {_plain(reference)} ||| {_plain(generation)}", 1)[0] for generation, reference in rows]
        lines = ask("EVAL ||| " + " ||| ".join(stats), len(rows) + 1)
    try:
        return [float(line) for line in lines[:-1]]
    except ValueError:
        raise JavaError(f"METEOR returned no numbers: {lines[0][:200]}") from None


def _plain(tokens: Sequence[str]) -> str:
    """Tokens as a field of METEOR's protocol, whose separator they may not hold."""
    return " ".join(" ".join(tokens).replace("|||", " ").split()) or "."


@contextmanager
def _talking(command: Sequence[str], timeout: float) -> Iterator[Any]:
    """A program that answers lines with lines; it is ended when it is silent for too long, and at the end."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        assert process.stdin is not None and process.stdout is not None
        into: IO[bytes] = process.stdin
        out: IO[bytes] = process.stdout

        def ask(line: str, n: int) -> list[str]:
            watch = threading.Timer(timeout, process.kill)
            watch.start()
            try:
                into.write(line.encode("utf-8", "replace") + b"\n")
                into.flush()
                answers = [out.readline() for _ in range(n)]
            except BrokenPipeError:
                answers = [b""]
            finally:
                in_time = watch.is_alive()
                watch.cancel()
            if not all(answers):
                said.seek(0)
                why = f"did not answer within {timeout:g} s" if not in_time else f"ended: {_last_lines(said.read())}"
                raise JavaError(f"{Path(command[command.index('-jar') + 1]).name} {why}")
            return [a.decode("utf-8", "replace").strip() for a in answers]

        try:
            yield ask
        finally:
            process.kill()
            for stream in (into, out):
                with suppress(BrokenPipeError):
                    stream.close()
            process.wait()


def spice_scores(
    rows: Sequence[tuple[str, str]], *, memory: str = "8G", timeout: float = 7200
) -> list[dict[str, float]]:
    """SPICE of ``(generation, reference)``: precision ``pr``, recall ``re`` and ``f`` over all tuples, 0 to 1.

    Raises:
        JavaError: the program failed, ran past the time or wrote something else.
        MissingDependency: its parser is not there.
    """
    if not rows:
        return []
    if lacking := lacks_spice():
        raise MissingDependency(lacking[0])
    place = folder("spice")
    with tempfile.TemporaryDirectory(prefix="spice-") as scratch:
        given, out = Path(scratch, "in.json"), Path(scratch, "out.json")
        given.write_text(json.dumps(
            [{"image_id": n, "test": generation, "refs": [reference]} for n, (generation, reference) in enumerate(rows)]
        ), "utf-8")
        os.mkdir(Path(scratch, "cache"))
        command = [java(), "-Dfile.encoding=UTF-8", f"-Xmx{memory}", "-jar", "spice-1.0.jar", str(given),
                   "-cache", str(Path(scratch, "cache")), "-out", str(out), "-silent"]
        opened = f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {_OPENED}".strip()
        _finished(command, "", timeout, cwd=place, env={**os.environ, "JDK_JAVA_OPTIONS": opened})
        try:
            read = {int(item["image_id"]): item["scores"]["All"] for item in json.loads(out.read_text("utf-8"))}
            return [{key: float("nan" if read[n][key] is None else read[n][key]) for key in ("pr", "re", "f")}
                    for n in range(len(rows))]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise JavaError(f"SPICE wrote something else than its scores: {error!r}") from None
