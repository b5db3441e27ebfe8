"""Where the book is published: its repository, the links that run a chapter elsewhere, and notebooks for Colab.

Nothing here is fixed to one host: the repository comes from ``POSH_LITE_REPOSITORY`` (the workflow that publishes sets
it), and without it the pages have no such links. As a Sphinx extension it puts them at the top of each chapter, and
gives each page the card that a link to it shows elsewhere.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from posh_lite.book.layout import BookError, Layout
from posh_lite.book.notebooks import notebook_format

VARIABLE = "POSH_LITE_REPOSITORY"
#: The address that the pages are published at, for what needs one: the card that a link to a page shows, the PDF.
SITE = "POSH_LITE_SITE"
ABOUT = "Long image descriptions judged down to the word: two papers as a book of notebooks that are run."
CARD_ALT = "posh-lite: a sentence with one marked mistake, and the quarters of a caption by what is right in them."
#: The branch that holds the notebooks with a first cell for Colab; the workflow that publishes renews it.
COLAB_BRANCH = "colab"
_REPOSITORY = re.compile(
    r"(?:https://github\.com/)?(?P<owner>[A-Za-z0-9][A-Za-z0-9-]*)/(?!\.{1,2}(?:$|[/@]))(?P<name>[\w.-]+?)(?:\.git)?/?"
    r"(?:@(?P<branch>(?![-./])(?!.*(?:\.\.|//|/$|\.$))[\w./-]+))?", re.ASCII,
)

#: First cell of a notebook on Colab; the braces are filled in.
_BOOTSTRAP = '''\
# On Colab this fetches the project and installs what the chapter needs (about two minutes); elsewhere it does nothing.
import os
import subprocess
import sys

if "google.colab" in sys.modules and not os.path.isfile("book/_config.yml"):
    if not os.path.isdir("{name}"):
        subprocess.run(["git", "clone", "--depth", "1", "--branch", "{branch}", "{url}", "{name}"], check=True)
    os.chdir("{name}")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "-e", ".[notebooks]"], check=True)
    sys.path.insert(0, os.getcwd())  # an installed project is seen by new kernels only
'''


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on GitHub, whose branch holds what the pages were made of."""

    owner: str
    name: str
    branch: str = "main"

    @property
    def url(self) -> str:
        return f"https://github.com/{self.owner}/{self.name}"

    def binder(self, stem: str) -> str:
        """Opens a notebook in JupyterLab on Binder, in the environment of ``.binder``."""
        branch = quote(self.branch, safe="")  # a slash would end it
        return f"https://mybinder.org/v2/gh/{self.owner}/{self.name}/{branch}?urlpath=lab/tree/notebooks/{stem}.ipynb"

    def colab(self, stem: str) -> str:
        """Opens a notebook with a first cell of its own on Colab."""
        return (f"https://colab.research.google.com/github/{self.owner}/{self.name}/blob/{COLAB_BRANCH}/notebooks/"
                f"{stem}.ipynb")

    def source(self, stem: str) -> str:
        """Shows the notebook as it is committed."""
        return f"{self.url}/blob/{self.branch}/notebooks/{stem}.ipynb"


def repository(value: str | None = None) -> Repository | None:
    """The repository that a text names: ``OWNER/NAME``, an address on GitHub, each with ``@BRANCH`` behind it or not.

    Args:
        value: the text (default: ``POSH_LITE_REPOSITORY``); empty means that there is none.

    Raises:
        BookError: it names no repository on GitHub.
    """
    given = (os.environ.get(VARIABLE, "") if value is None else value).strip()
    if not given:
        return None
    found = _REPOSITORY.fullmatch(given)
    if found is None:
        raise BookError(f"{VARIABLE} must be OWNER/NAME or https://github.com/OWNER/NAME, with @BRANCH or without,"
                        f" got {given!r}")
    return Repository(found["owner"], found["name"], found["branch"] or "main")


def bootstrap(at: Repository) -> str:
    """The source of the first cell for Colab."""
    return _BOOTSTRAP.format(name=at.name, branch=at.branch, url=at.url)


def write_colab(layout: Layout, at: Repository, folder: Path) -> list[Path]:
    """Write every notebook of the book with a first cell for Colab into ``folder``/notebooks.

    Raises:
        BookError: these are the notebooks of the book themselves, or the folder cannot be made.
    """
    nbformat = notebook_format()
    target = folder / "notebooks"
    if target.resolve() == layout.notebooks.resolve():
        raise BookError(f"{target} holds the notebooks of the book, which would be overwritten; name another folder")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BookError(f"{target} cannot be made: {error.strerror}") from None
    written = []
    for path in layout.sources():
        notebook = nbformat.read(path, as_version=4)
        cell = nbformat.v4.new_code_cell(bootstrap(at).rstrip("\n"), id="fetch-the-project")
        notebook.cells.insert(1, cell)  # below the title
        nbformat.write(notebook, target / path.name)
        written.append(target / path.name)
    return written


def buttons(at: Repository, stem: str) -> dict[str, Any]:
    """The group of links at the top of a chapter, in the form that the theme reads."""
    links = (("Binder", "Run this chapter on Binder", at.binder(stem)),
             ("Colab", "Run this chapter on Colab", at.colab(stem)),
             ("Source", "The notebook in the repository", at.source(stem)))
    icon = "fas fa-arrow-up-right-from-square"
    return {
        "type": "group", "tooltip": "Run this chapter", "icon": "fas fa-rocket", "label": "launch-buttons",
        "buttons": [{"type": "link", "text": text, "tooltip": tip, "url": url, "icon": icon,
                     "label": f"launch-{text.lower()}"} for text, tip, url in links],
    }  # fmt: skip


def site(value: str | None = None) -> str:
    """The address that the pages are published at, without a slash at its end; empty where there is none.

    Args:
        value: the address (default: ``POSH_LITE_SITE``).

    Raises:
        BookError: it is no address of a site.
    """
    given = (os.environ.get(SITE, "") if value is None else value).strip().rstrip("/")
    try:
        parts = urlsplit(given)
        whole = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        whole = None
    if given and (not whole or re.search(r"\s", given)):
        raise BookError(f"{SITE} must be an address such as https://someone.github.io/posh-lite, got {given!r}")
    return given


def card(title: str, at: str, page: str) -> str:
    """The elements of a page's head that say what a link to it shows; the picture needs the published address."""
    said = {"og:type": "website", "og:site_name": "posh-lite", "og:title": title, "og:description": ABOUT}
    if at := at.rstrip("/"):
        said |= {"og:url": f"{at}/{page}.html", "og:image": f"{at}/_static/card.png", "og:image:alt": CARD_ALT}
    lines = [f'<meta property="{name}" content="{escape(value, quote=True)}">' for name, value in said.items()]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">'])


def _add(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if pagename.startswith("chapters/") and "header_buttons" in context:
        stem = pagename.removeprefix("chapters/")
        deck = context["pathto"](f"slides/{stem}.html", 1)
        context["header_buttons"].insert(0, {
            "type": "link", "url": deck, "tooltip": "Slides of this chapter", "icon": "fas fa-person-chalkboard",
            "label": "slides-button", "classes": "pst-navbar-icon",
        })
        at = repository()
        if at is not None:
            context["header_buttons"].insert(0, buttons(at, stem))
    title = unescape(re.sub("<[^>]*>", "", context.get("title") or "posh-lite"))
    context["metatags"] = context.get("metatags", "") + card(title, site(), pagename)


def setup(app: Any) -> dict[str, Any]:
    """Add the links after the theme has made its own buttons."""
    app.connect("html-page-context", _add, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
