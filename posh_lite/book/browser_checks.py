"""What a browser is asked about a page of the book: scripts that run in the page, and the rules over what they say.

Everything is seen as a reader has it: laid out, with the styles of the theme, after the page's own scripts ran.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

#: Impacts of axe-core that no page may have.
GRAVE = ("serious", "critical")
#: The level that is asked for: WCAG 2.2 AA, and axe-core's own good practice.
AXE_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

#: Images as they were loaded, with their alternative text; what is drawn for looks alone is left out.
IMAGES = """() => [...document.images].map(i => ({
  src: i.getAttribute("src"), alt: i.getAttribute("alt"), loaded: i.complete && i.naturalWidth > 0,
  aside: i.getAttribute("role") === "presentation" || i.closest("[aria-hidden=true]") !== null}))"""

#: Headings that can be seen, in the order of the page.
HEADINGS = """() => [...document.querySelectorAll("main h1,main h2,main h3,main h4,main h5,main h6")]
  .filter(h => h.getClientRects().length > 0)
  .map(h => ({level: Number(h.tagName[1]), text: h.textContent.trim().slice(0, 60)}))"""

#: How wide the page is, and what sticks out of it without a region that scrolls.
WIDTH = """() => {
  const wide = document.documentElement.clientWidth, out = [];
  for (const node of document.querySelectorAll("main *")) {
    const box = node.getBoundingClientRect();
    if (box.width === 0 || box.right <= wide + 0.5) continue;
    let up = node.parentElement, kept = false;
    for (; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") { kept = true; break; }
    }
    const name = node.tagName.toLowerCase() + (typeof node.className === "string" ? "." + node.className : "");
    if (!kept && getComputedStyle(node).position !== "absolute") out.push(name.slice(0, 80));
  }
  return {width: document.documentElement.scrollWidth, window: wide, out: out.slice(0, 5)};
}"""

#: Regions that scroll sideways: whether the keyboard reaches them, and whether they say that there is more.
SCROLLERS = """() => [...document.querySelectorAll("main *")].filter(n =>
    n.scrollWidth > n.clientWidth + 1 && n.clientWidth > 0 && /auto|scroll/.test(getComputedStyle(n).overflowX))
  .map(n => {
    const hint = n.previousElementSibling;
    return {
      name: n.tagName.toLowerCase() + "." + n.className.toString().slice(0, 50),
      table: n.matches("table") || n.querySelector("table") !== null,
      reached: n.tabIndex >= 0 || n.querySelector("a[href],button,input,select,textarea,[tabindex='0']") !== null,
      hinted: hint !== null && hint.classList.contains("posh-hint") && hint.getClientRects().length > 0};
  })"""

#: What the theme made of the page: its name, how bright the page is, and drawings for the light theme that are shown.
THEME = """() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
  const shown = n => getComputedStyle(n).display !== "none";
  const wrong = [...document.querySelectorAll("main .posh-light")].filter(n => shown(n)).length;
  return {theme: document.documentElement.dataset.theme, light: (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255,
          wrong_drawings: wrong};
}"""

#: Runs axe-core and keeps what is needed of its findings. Colours are those of the wide window, so a phone leaves them
#: out; style sheets are not fetched again, which a page from disk may not do.
AXE = """async ([tags, colours]) => {
  const told = await axe.run(document, {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"],
    rules: {"color-contrast": {enabled: colours}}, preload: false});
  return told.violations.map(v => ({id: v.id, impact: v.impact, help: v.help, count: v.nodes.length,
    where: v.nodes.slice(0, 3).map(n => n.target.join(" ") + (n.any[0] ? ": " + n.any[0].message : ""))}));
}"""


def image_problems(images: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Images that did not load, and images without alternative text."""
    broken = [f"image did not load: {str(i['src'])[:80]}" for i in images if not i["loaded"]]
    silent = [
        f"image without alt text: {str(i['src'])[:80]}" for i in images
        if not i["aside"] and not str(i["alt"] or "").strip()
    ]
    return broken, silent


def heading_problems(headings: Sequence[Mapping[str, Any]]) -> list[str]:
    """One heading of level 1, first; and no level left out on the way down."""
    levels = [int(h["level"]) for h in headings]
    if not levels:
        return ["no heading"]
    found = [] if levels[0] == 1 else [f"the first heading is of level {levels[0]}"]
    found += [] if levels.count(1) == 1 else [f"{levels.count(1)} headings of level 1, expected one"]
    found += [
        f"level {b} after {a}: {headings[i + 1]['text']}"
        for i, (a, b) in enumerate(pairwise(levels)) if b > a + 1
    ]
    return found


def width_problems(told: Mapping[str, Any]) -> list[str]:
    """Whether the page scrolls sideways, and because of what."""
    if told["width"] <= told["window"]:
        return []
    because = f" ({'; '.join(told['out'])})" if told["out"] else ""
    return [f"{told['width']} px wide in a window of {told['window']} px{because}"]


def scroll_problems(regions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Regions that scroll sideways and cannot be reached by keyboard, or hold a table and do not say so."""
    found = [f"not reached by keyboard: {r['name']}" for r in regions if not r["reached"]]
    return found + [f"no hint that it scrolls: {r['name']}" for r in regions if r["table"] and not r["hinted"]]


def theme_problems(told: Mapping[str, Any]) -> list[str]:
    """Whether the dark theme is dark, and shows the dark drawings; slides have no theme of their own to name."""
    found = [] if told["theme"] in (None, "dark") else [f"the theme is {told['theme']}"]
    found += [] if told["light"] < 0.2 else [f"the page is bright ({told['light']:.2f} of 1)"]
    return found + ([f"{told['wrong_drawings']} light drawings shown"] if told["wrong_drawings"] else [])


def axe_problems(violations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Grave findings of axe-core, each with its first places."""
    return [
        f"{v['impact']}: {v['id']} ({v['help']}), {v['count']} places, as {'; '.join(v['where'])}"
        for v in violations if v["impact"] in GRAVE
    ]
