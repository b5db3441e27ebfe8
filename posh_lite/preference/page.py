"""The study as one HTML page that needs no server, no network and no library.

What comes from captions is data in a block that no browser runs, shown as text alone; a content policy lets the one
script and the one style of the page run, by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from posh_lite.errors import InputError
from posh_lite.preference.study import PreferenceStudy

#: What browsers show; the bytes of a file say what it is, and its name does not count.
_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".JPG", ".JPEG", ".PNG")

_BODY = """
<main id="main">
<noscript><p>This page needs JavaScript, which is turned off.</p></noscript>
<section id="start">
<h1 id="title"></h1>
<p>There are <b id="n"></b> comparisons. <span id="task"></span>
<span id="picture-note" hidden>Judge by the picture above them.</span></p>
<p>Your answers stay in this browser until you save them to a file at the end; you may close the page and go on later
in the same browser, or from a file that you saved. Nothing is sent anywhere. By keyboard: Tab moves between groups,
arrow keys choose, Enter goes on.</p>
<label class="block">Your code <select id="rater"><option value="">choose</option></select></label>
<p><button type="button" id="go">Begin or go on</button></p>
<label class="block">Go on from a file of answers:
<input type="file" id="resume" accept=".json,application/json"></label>
<p id="start-problem" class="problem" role="alert"></p>
</section>
<form id="trial" hidden autocomplete="off">
<div class="bar"><progress id="progress" aria-label="answered comparisons"></progress>
<span id="where" role="status"></span><button type="button" id="save" class="plain">Save to a file</button></div>
<p id="unkept" class="problem" role="alert" hidden>This browser keeps nothing for this page: save to a file before you
close it.</p>
<p id="said" class="note" role="status"></p>
<h1 id="question" tabindex="-1"></h1>
<figure id="picture" hidden><img id="image" alt="The picture that is described"></figure>
<details id="reference" hidden open><summary>A description to compare with</summary>
<p id="reference-text" class="text" dir="auto"></p></details>
<div id="captions" class="columns"></div>
<div id="tie" class="tie"></div>
<label class="block" id="reason-field">Why? (may stay empty) <textarea id="reason" rows="2"></textarea></label>
<p id="problem" class="problem" role="alert"></p>
<div class="row"><button type="button" id="back" class="plain">Back</button>
<button type="submit" id="next">Next</button></div>
</form>
<section id="end" hidden>
<h1 id="thanks" tabindex="-1"></h1>
<p>Save your answers to a file, and send it to the person who gave you this page.</p>
<div class="row"><button type="button" id="download">Save answers to a file</button>
<button type="button" id="finish-open" class="plain" hidden>Go to the open ones</button>
<button type="button" id="end-back" class="plain">Back to the last comparison</button></div>
<p id="where-saved" role="status"></p>
</section>
</main>
"""


def page(study: PreferenceStudy, pictures: Mapping[str, str] | None = None) -> str:
    """The page of a study.

    Args:
        study: of :func:`~posh_lite.preference.study.make_study`, with its texts.
        pictures: image -> a ``data:`` address, as :func:`read_pictures` gives.
    """
    content = study.to_page()
    for shown, item in zip(content["items"], study.items, strict=True):
        if pictures and item.image in pictures:
            shown["picture"] = pictures[item.image]
    style, script = (files("posh_lite.preference").joinpath(name).read_text("utf-8") for name in
                     ("page.css", "page.js"))
    policy = (f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
              "base-uri 'none'; form-action 'none'")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(study.settings.question)}</title>\n<style>{style}</style>\n</head>\n<body>{_BODY}"
        f'<script type="application/json" id="study">{_data(content)}</script>\n<script>{script}</script>\n'
        "</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(content: Any) -> str:
    """JSON that cannot end its block or begin another: no angle bracket, no ampersand, ASCII alone."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def read_pictures(folder: str | Path, images: list[str]) -> dict[str, str]:
    """The pictures of a folder as ``data:`` addresses; a file is named as its image, with an ending of pictures.

    Args:
        folder: where they lie.
        images: what is wanted.

    Raises:
        InputError: a picture is missing, or is none that browsers show (PNG, JPEG, GIF, WebP).
    """
    from posh_lite.baselines.images import media_type

    place, found = Path(folder), {}
    if not place.is_dir():
        raise InputError("is no folder", path=folder)
    for image in images:
        tried = [place / image, *(place / f"{image}{end}" for end in _ENDINGS)]
        inside = [p for p in tried if p.is_file() and p.resolve().is_relative_to(place.resolve())]
        if not inside:
            raise InputError(f'no picture of "{image}" (looked for {image}.jpg, .png, .webp, .gif)', path=folder,
                             field="image")
        raw = inside[0].read_bytes()
        if (kind := media_type(raw)) not in _SHOWN:
            raise InputError("is no PNG, JPEG, GIF or WebP picture", path=inside[0])
        found[image] = f"data:{kind};base64,{base64.b64encode(raw).decode()}"
    return found
