"""Sphinx extension: the explorer's scripts, style and data, on its page alone.

Jupyter Book puts every script of ``_static`` on every page; two megabytes of verdicts belong on one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

PAGE = "explorer"
#: In the order in which the page needs them.
SCRIPTS = ("explorer-data.js", "explorer-core.js", "explorer.js")
STYLE = "explorer.css"


def _take_off(app: Any, config: Any) -> None:
    """Take the explorer's files off all pages."""
    for name, mine in (("html_js_files", SCRIPTS), ("html_css_files", (STYLE,))):
        config[name] = [file for file in config[name] if (file if isinstance(file, str) else file[0]) not in mine]


def _is_there(app: Any) -> bool:
    return (Path(app.srcdir) / f"{PAGE}.md").is_file()


def _bring_data(app: Any) -> None:
    """Make the data where it is out of date, and put it beside the other static files."""
    if not _is_there(app) or app.builder.format != "html":
        return
    from posh_lite.book.explorer import explorer_script
    from posh_lite.book.layout import find_layout

    target = Path(app.outdir) / "_static"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(explorer_script(find_layout(app.srcdir)), target)


def _put_on(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    if page == PAGE:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")
        app.add_css_file(STYLE)


def setup(app: Any) -> dict[str, Any]:
    """Register the steps."""
    app.connect("config-inited", _take_off, priority=100)  # before Sphinx makes its own form of the lists
    app.connect("builder-inited", _bring_data)
    app.connect("html-page-context", _put_on)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
