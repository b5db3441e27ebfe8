"""Sphinx extension: what the renderer writes in a way that a screen reader stumbles over."""

from __future__ import annotations

from typing import Any

#: An entry of a list of works is an item of that list; the older role is none that a list may hold.
_ROLES = (('role="doc-biblioentry"', 'role="listitem"'),)


def mended(body: str) -> str:
    """The HTML of a page with the roles that its parts may have."""
    for before, after in _ROLES:
        body = body.replace(before, after)
    return body


def _mend(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = mended(context["body"])


def setup(app: Any) -> dict[str, Any]:
    """Register the step."""
    app.connect("html-page-context", _mend)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
