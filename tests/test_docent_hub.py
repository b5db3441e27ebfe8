"""The library ``datasets`` itself against a local server that speaks the hub's protocol; runs where it is installed."""

import hashlib
import http.server
import importlib.util
import json
import subprocess
import sys
import threading

import pytest

REPO, SHA = "amitha/docent-eval-granular", "c" * 40
ROW = {"uuid": "u1", "model": "m2", "reference": "A red coat.", "generation": "A blue coat.",
       "mistakes": '[{"start": 2, "end": 6}]', "omissions": '[{"start": 2, "end": 5}]'}  # fmt: skip
CARD = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: data/test.jsonl\n---\n"
FILES = {"data/test.jsonl": (json.dumps(ROW) + "\n").encode(), "README.md": CARD.encode()}
CODE = """
import sys
from pathlib import Path
from posh_lite.benchmarks.docent import load_docent_granular
from posh_lite.benchmarks.docent_hub import fetch_published
from posh_lite.benchmarks.nga_fetch import read_pin
path = fetch_published("granular", folder=Path(sys.argv[1]))
print(read_pin(path).revision, load_docent_granular(path).marks[0].mistakes)
"""


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        files = f"/datasets/{REPO}/resolve/{SHA}/"
        kind = {"Content-Type": "application/json"}
        if path in (f"/api/datasets/{REPO}", f"/api/datasets/{REPO}/revision/{SHA}"):
            said = {"id": REPO, "sha": SHA, "private": False, "gated": False, "disabled": False, "downloads": 0,
                    "likes": 0, "tags": [], "siblings": [{"rfilename": name} for name in FILES]}  # fmt: skip
            self.answer(200, json.dumps(said).encode(), kind)
        elif path.startswith(f"/api/datasets/{REPO}/tree/{SHA}"):
            below = path.partition(SHA)[2].strip("/")
            found = [{"type": "file", "path": name, "size": len(body), "oid": "0" * 40}
                     for name, body in FILES.items() if name.startswith(below)]  # fmt: skip
            self.answer(200, json.dumps(found).encode(), kind)
        elif path.startswith(files) and path.removeprefix(files) in FILES:
            body = FILES[path.removeprefix(files)]
            tag = hashlib.sha256(body).hexdigest()
            self.answer(200, body, {"ETag": f'"{tag}"', "X-Repo-Commit": SHA})
        else:
            self.answer(404, b"{}", {"X-Error-Code": "EntryNotFound"})

    do_HEAD = do_GET

    def answer(self, code, body, headers):
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="the extra docent is not installed")
def test_a_published_set_comes_through_the_library(tmp_path):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        env = {"HF_ENDPOINT": f"http://127.0.0.1:{running.server_port}", "HF_HOME": str(tmp_path / "home"),
               "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
               "PYTHONPATH": ":".join(sys.path)}  # fmt: skip
        done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path / "out")], env=env, capture_output=True,
                              text=True, check=False)  # fmt: skip
        running.shutdown()
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{SHA} ((2, 6),)"
