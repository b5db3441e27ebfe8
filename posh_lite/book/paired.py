"""Sphinx extension: a figure ``NAME.svg`` that has a sibling ``NAME.dark.svg`` shows the one that fits the theme."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform


class PairedImages(SphinxTransform):
    """Put the dark drawing next to the light one, before Sphinx collects the images of the page."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            uri = image.get("uri", "")
            dark = uri.removesuffix(".svg") + ".dark.svg"
            if not uri.endswith(".svg") or "://" in uri or not (folder / dark).is_file():
                continue
            twin = image.deepcopy()
            twin["uri"], twin["ids"], twin["names"] = dark, [], []
            image["classes"] = [*image["classes"], "posh-light", "dark-light"]
            twin["classes"] = [*twin["classes"], "posh-dark", "dark-light"]
            image.parent.insert(image.parent.index(image) + 1, twin)


def setup(app: Any) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(PairedImages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
