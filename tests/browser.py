"""A headless Chromium that tests drive over a pipe: no package, no port, no network."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from posh_lite.book.pdf import BROWSERS

#: Where a browser was found, or None.
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)


class Browser:
    """One page. What goes wrong in it is kept in ``errors``."""

    def __init__(self, profile: Path, *, width: int = 1200, height: int = 900) -> None:
        assert CHROMIUM
        there, ours = os.pipe(), os.pipe()
        # moved up first, so that neither sits where the other is wanted
        read, write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in (there[0], ours[1]))

        def fds() -> None:
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", f"--user-data-dir={profile}",
             f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=fds, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (there[0], ours[1], read, write):
            os.close(fd)
        self._write, self._read = there[1], ours[0]
        self._number, self._opened, self._rest, self._session = 0, 0, b"", None
        self.errors: list[Any] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        row = {"id": self._number, "method": method, "params": params}
        if self._session and not method.startswith(("Target.", "Browser.")):
            row["sessionId"] = self._session
        os.write(self._write, json.dumps(row).encode() + b"\0")
        return self._wait(lambda m: m.get("id") == self._number, method).get("result", {})

    def _wait(self, wanted: Any, what: str, seconds: float = 30) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while b"\0" in self._rest:
                raw, self._rest = self._rest.split(b"\0", 1)
                message = json.loads(raw)
                if message.get("method") == "Runtime.exceptionThrown":
                    self.errors.append(message["params"]["exceptionDetails"])
                if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                    self.errors.append(message["params"]["entry"]["text"])
                if wanted(message):
                    assert "error" not in message, f"{what}: {message}"
                    return message
            if select.select([self._read], [], [], 0.2)[0]:
                self._rest += os.read(self._read, 1 << 20)
        raise TimeoutError(what)

    def open(self, address: str) -> None:
        """Load a page afresh, whatever is open."""
        self._opened += 1
        plain, mark, part = address.partition("#")
        self.call("Page.navigate", url=f"{plain}?{self._opened}{mark}{part}")
        self.until(f"document.readyState === 'complete' && location.search === '?{self._opened}'")

    def run(self, script: str) -> Any:
        """Value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, script: str, seconds: float = 30) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.05)

    def key(self, key: str, code: int, text: str = "") -> None:
        """Press a key, such as ("Tab", 9) or ("Enter", 13, "\\r")."""
        extra = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def close(self) -> None:
        """End the browser that this object started."""
        os.close(self._write)
        os.close(self._read)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
