"""The look of the figures and their alt text."""

from __future__ import annotations

import pytest

from posh_lite import plot
from posh_lite.book.layout import find_layout


def drawn(tmp_path, name="a-figure", alt="A line from one to two, for a test."):
    with plot.canvas(2) as (fig, ax):
        ax.plot([0, 1], [1, 2], color=plot.colour("mistakes"))
        ax.set_xlabel("words")
        return plot.save(fig, name, alt=alt, caption="A caption.", folder=tmp_path)


def test_saves_vector_raster_and_alt_text(tmp_path):
    figure = drawn(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(figure.files)
    assert (tmp_path / "a-figure.alt.txt").read_text("utf-8") == "A line from one to two, for a test.\n"
    assert (tmp_path / "a-figure.png").read_bytes().startswith(b"\x89PNG")
    assert "words" in (tmp_path / "a-figure.svg").read_text("utf-8")  # text stays text


def test_the_dark_drawing_differs_only_in_palette_colours(tmp_path):
    drawn(tmp_path)
    light, dark = ((tmp_path / f"a-figure{end}.svg").read_text("utf-8") for end in ("", ".dark"))
    assert light != dark
    assert plot.PALETTE["orange"][1] in dark
    assert plot.PALETTE["orange"][0] not in dark
    for one, other in plot.PALETTE.values():
        light = light.replace(one, other)
    assert light == dark


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    drawn(tmp_path / "one")
    drawn(tmp_path / "two")
    for end in (".svg", ".png"):
        assert (tmp_path / "one" / f"a-figure{end}").read_bytes() == (tmp_path / "two" / f"a-figure{end}").read_bytes()


def test_shows_itself_with_alt_text_in_both_forms(tmp_path):
    bundle, metadata = drawn(tmp_path, alt='Dots "a" & <b>, rising from one to two.')._repr_mimebundle_()
    assert 'alt="Dots &quot;a&quot; &amp; &lt;b&gt;, rising from one to two."' in bundle["text/html"]
    assert ":alt: Dots" in bundle["text/markdown"]
    assert ":name: fig-a-figure" in bundle["text/markdown"]
    assert "a-figure.dark.svg" in metadata["posh_lite"]["files"]


@pytest.mark.parametrize("alt", ["", "   ", "A figure."])
def test_alt_text_is_required(tmp_path, alt):
    with pytest.raises(ValueError, match="alt text"):
        drawn(tmp_path, alt=alt)


@pytest.mark.parametrize("name", ["A", "a b", "../a", "a--b", ""])
def test_names_are_file_names(tmp_path, name):
    with pytest.raises(ValueError, match="name"):
        drawn(tmp_path, name=name)


def test_the_dark_pictures_of_the_preface_are_those_of_the_light_ones():
    folder = find_layout().book / "images"
    pictures = [p for p in sorted(folder.glob("*.svg")) if not p.name.endswith(".dark.svg")]
    assert len(pictures) >= 2
    for picture in pictures:
        dark = picture.with_suffix(".dark.svg").read_text("utf-8")
        # the marks on coloured ground are white on light pages and dark on dark ones
        assert dark.replace("#16181d", "#ffffff") == plot.darken(picture.read_text("utf-8"))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", [r for r in plot.PALETTE if r != "grid"])
def test_colours_stand_out_on_their_page(role):
    light, dark = plot.PALETTE[role]
    assert contrast(light, "#ffffff") >= 4.5
    assert contrast(dark, "#121212") >= 4.5


def test_meanings_have_colours_and_nothing_else_has():
    for meaning in plot.MEANING:
        assert plot.colour(meaning).startswith("#")
        assert plot.colour(meaning, dark=True).startswith("#")
    with pytest.raises(KeyError):
        plot.colour("mauve")


def test_clip_paths_are_named_by_the_figure_and_their_order():
    first = '<defs><clipPath id="pabc123"></clipPath><clipPath id="p77"/></defs><g clip-path="url(#p77)" id="axes"/>'
    other = first.replace("pabc123", "pffff00").replace("p77", "p99")
    assert plot._named(first, "a-figure") == plot._named(other, "a-figure") != plot._named(first, "another")
    made = plot._named(first, "a-figure")
    assert 'id="axes"' in made and "p77" not in made
    used = made.split("url(#")[1].split(")")[0]
    assert f'<clipPath id="{used}"/>' in made
