/* Tables, drawings and formulas wider than the window: they scroll by themselves, the keyboard reaches them, and they say so. */
"use strict";

(function () {
  /** What scrolls a table: the container of the theme, or the region or figure that the table stands in. */
  function scroller(table) {
    return table.closest(".pst-scrollable-table-container, .posh-region, .ps-table, .table-wrapper, .text_html, figure");
  }

  /** A name for the region: the caption of the table, or the region's own. */
  function nameOf(table, box) {
    // without the sign of the link to itself
    const parts = table.caption ? [...table.caption.childNodes].filter((n) => !(n.matches && n.matches(".headerlink"))) : [];
    const caption = parts.map((n) => n.textContent).join("").replace(/\s+/g, " ").trim();
    return box.getAttribute("aria-label") || (caption ? `Table: ${caption.slice(0, 120)}` : "Table");
  }

  function look() {
    const boxes = new Map([...document.querySelectorAll("main figure, main .math-block")].map((box) => [box, null]));
    for (const table of document.querySelectorAll("main table")) {
      const box = scroller(table);
      if (box && !boxes.get(box)) boxes.set(box, table);
    }
    for (const [box, table] of boxes) {
      const wide = box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0;
      let hint = box.previousElementSibling;
      if (!hint || !hint.classList.contains("posh-hint")) hint = null;
      if (wide && !hint) {
        hint = document.createElement("p");
        hint.className = "posh-hint";
        hint.textContent = `Wide ${table ? "table" : box.tagName === "FIGURE" ? "figure" : "formula"}: scroll it sideways to see the rest.`;
        box.before(hint);
        if (box.tabIndex < 0) box.tabIndex = 0;
        // a figure has a role and a caption of its own
        if (box.tagName !== "FIGURE") {
          if (!box.hasAttribute("role")) box.setAttribute("role", table ? "region" : "group");
          box.setAttribute("aria-label", table ? nameOf(table, box) : "Formula");
        }
      }
      if (hint) hint.hidden = !wide;
    }
  }

  let later = 0;
  addEventListener("load", look);
  addEventListener("resize", () => {
    clearTimeout(later);
    later = setTimeout(look, 150);
  });
  // a folded part has no width until it is opened
  document.addEventListener("toggle", look, true);
})();
