/* The explorer page: controls, texts, scores and questions, drawn from the data of the build. Its arithmetic is in
 * explorer-core.js. Every text goes in as text, never as markup. */
"use strict";

(function () {
  const data = globalThis.poshExplorer;
  const core = globalThis.poshExplorerCore;
  const home = document.getElementById("posh-explorer");
  if (!home || !data || !core) return;

  const TITLES = { generation: "Caption", reference: "Reference" };
  const OTHER = { generation: "reference", reference: "caption" };
  const LETTER = { generation: "M", reference: "O" };
  const FAULT = { generation: "mistake", reference: "omission" };
  const state = { ...core.readLink(data, location.hash), show: "below", planted: false, open: new Set() };
  let drawn = false;
  let printing = false;
  let view = null; // what is on the page now: components, and for each side cells, faults and marks

  // -- small helpers ------------------------------------------------------------------------------------

  /** An element with properties ("class" and what has a hyphen are attributes) and children (strings are text). */
  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "class" || name === "role" || name === "for" || name.includes("-")) node.setAttribute(name, value);
      else node[name] = value;
    }
    node.append(...children.flat());
    return node;
  }

  const hidden = (text) => make("span", { class: "px-hidden" }, text);
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const level = (score) => (score === null ? 0 : Math.min(5, Math.max(1, Math.floor(score + 0.5))));
  const said = (score) => (score === null ? "no verdict" : `${score.toFixed(2)} of 5`);
  const caption = () => data.captions[state.caption];
  const work = () => data.works[caption().work];
  const textOf = (side) => (side === "generation" ? caption().text : work().reference);

  // -- the frame: made once -----------------------------------------------------------------------------

  const parts = {
    work: make("select", { id: "px-work", onchange: () => choose(sameStyle(Number(parts.work.value))) }),
    captions: make("div", { class: "px-options" }),
    range: make("input", {
      type: "range", id: "px-threshold", min: data.lowest, max: data.highest, step: data.step,
      oninput: () => { state.threshold = core.toThreshold(data, parts.range.value, data.threshold); draw(); },
    }),
    number: make("output", { for: "px-threshold" }),
    own: make("button", {
      type: "button", class: "px-button", onclick: () => { state.threshold = data.threshold; draw(); },
    }, `The judge's own: ${data.threshold.toFixed(2)}`),
    planted: make("input", { type: "checkbox", id: "px-planted", onchange: () => { state.planted = parts.planted.checked; draw(); } }),
    status: make("p", { role: "status", class: "px-hidden" }),
    which: make("p", { class: "px-which" }),
    figures: make("tbody"),
    curve: make("div", { class: "px-curve" }),
    generation: textBox("generation"),
    reference: textBox("reference"),
    note: make("div", { class: "px-note" }),
    shows: make("div", { class: "px-options" }),
    lists: { generation: make("ol", { class: "px-list" }), reference: make("ol", { class: "px-list" }) },
    counts: { generation: make("span"), reference: make("span") },
  };

  function textBox(side) {
    return make("p", {
      class: "px-text", id: `px-text-${side}`, role: "group", "aria-label": `${TITLES[side]} with what is flagged`,
      dir: "auto", onkeydown: rove,
    });
  }

  function frame() {
    data.works.forEach((w, i) => parts.work.append(make("option", { value: i }, `${w.title}, ${w.artist}`)));
    const heading = (text, id) => make("h3", { id }, text);
    const head = (...names) => make("tr", {}, names.map((n) => make("th", { scope: "col" }, n)));
    const column = (side) => make("section", { "aria-labelledby": `px-h-${side}` },
      make("h4", { id: `px-h-${side}` }, TITLES[side]), parts[side]);
    const list = (side) => make("section", { "aria-labelledby": `px-l-${side}` },
      make("h4", { id: `px-l-${side}` }, `About the ${TITLES[side].toLowerCase()}`),
      make("p", { class: "px-which" }, parts.counts[side], `; TEXT A is the ${OTHER[side]}.`), parts.lists[side]);
    home.replaceChildren(
      make("form", { class: "px-controls", "aria-label": "What to look at", onsubmit: (e) => e.preventDefault() },
        make("div", {}, make("label", { for: "px-work" }, "Work"), parts.work),
        make("fieldset", {}, make("legend", {}, "Caption, with its overall score"), parts.captions),
        make("div", {}, make("label", { for: "px-threshold" }, "Threshold of presence"), " ", parts.number, parts.range, parts.own),
        make("div", { class: "px-check" }, parts.planted, make("label", { for: "px-planted" }, "Show the planted faults")),
      ),
      parts.status,
      make("section", { "aria-labelledby": "px-scores", class: "px-scores" },
        heading("Scores", "px-scores"), parts.which,
        make("div", { class: "px-pair" },
          make("table", { class: "px-figures" },
            make("caption", {}, "Higher is better; from 0 to 1"),
            make("thead", {}, head("score", "mean of verdicts", "share found")), parts.figures),
          parts.curve)),
      make("section", { "aria-labelledby": "px-texts" },
        heading("Texts", "px-texts"), legend(), parts.note,
        make("div", { class: "px-pair" }, column("generation"), column("reference"))),
      make("section", { "aria-labelledby": "px-questions" },
        heading("Questions and verdicts", "px-questions"),
        make("fieldset", { class: "px-filter" }, make("legend", {}, "Show"), parts.shows),
        make("div", { class: "px-pair" }, list("generation"), list("reference"))),
    );
    for (const [value, name] of [["below", "below the threshold"], ["found", "found"], ["all", "all"]]) {
      parts.shows.append(make("label", {},
        make("input", { type: "radio", name: "px-show", value, checked: value === state.show,
          onchange: () => { state.show = value; drawLists(); } }), ` ${name}`));
    }
    // on paper nothing can be opened
    addEventListener("beforeprint", () => {
      printing = true;
      home.querySelectorAll("details").forEach((d) => { d.open = true; });
    });
    addEventListener("afterprint", () => { printing = false; drawLists(); });
    addEventListener("hashchange", () => {
      // a link within the page, as of the contents, is no choice of a caption
      if (!location.hash.includes("/")) return;
      const link = core.readLink(data, location.hash);
      choose(link.caption, link.threshold);
    });
  }

  function legend() {
    const steps = data.words.map((word, i) => make("span", { class: `px${i + 1}` }, `${i + 1} ${word}`));
    return make("p", { class: "px-legend" },
      make("span", { class: "px-lead" }, "Flagged, by its best verdict: "), steps,
      make("span", { class: "px-found" }, "found"), make("span", {}, "plain: nothing was asked"));
  }

  const sameStyle = (place) => {
    const found = data.captions.findIndex((c) => c.work === place && c.style === caption().style);
    return found < 0 ? data.captions.findIndex((c) => c.work === place) : found;
  };

  function choose(number, threshold = state.threshold) {
    if (number !== state.caption) state.open.clear();
    state.caption = number;
    state.threshold = threshold;
    drawCurve();
    draw();
  }

  // -- what changes -------------------------------------------------------------------------------------

  function draw() {
    const components = core.componentsAt(data, caption(), state.threshold);
    view = { components, sides: {} };
    for (const side of data.sides) {
      const characters = Array.from(textOf(side)); // offsets count characters, not halves of them
      const gold = caption().gold;
      const faults = side === "generation" ? gold.mistakes : gold.omissions;
      const others = side === "generation" ? [] : gold.misstated;
      const cells = core.cover(characters.length, components, side);
      const shown = state.planted ? [...faults, ...others] : [];
      const runs = core.marks(core.segments(characters, cells, state.threshold, shown));
      view.sides[side] = { faults, others, runs, hits: core.hits(faults, cells, state.threshold), names: new Map() };
      drawText(side);
    }
    drawControls();
    drawFigures();
    drawNote();
    drawLists();
    // the address follows the reader's choices; a page just opened keeps the one that it came with
    if (drawn) history.replaceState(null, "", core.writeLink(data, state.caption, state.threshold));
    drawn = true;
  }

  function drawControls() {
    parts.work.value = caption().work;
    parts.range.value = state.threshold;
    parts.range.setAttribute("aria-valuetext", `${state.threshold.toFixed(2)} of 5`);
    parts.number.textContent = state.threshold.toFixed(2);
    parts.own.disabled = state.threshold === data.threshold;
    parts.planted.checked = state.planted;
    const of = data.captions.map((c, i) => [c, i]).filter(([c]) => c.work === caption().work);
    // made anew for another work only: what has the focus stays where it is
    if (parts.captions.dataset.work !== String(caption().work)) {
      parts.captions.dataset.work = caption().work;
      parts.captions.replaceChildren(...of.map(([c, i]) => make("label", {},
        make("input", { type: "radio", name: "px-caption", value: i, onchange: () => choose(i) }), ` ${c.style} `, make("b"))));
    }
    of.forEach(([c, i], row) => {
      const label = parts.captions.children[row];
      const { overall } = core.coarse(core.componentsAt(data, c, state.threshold), "all");
      label.querySelector("input").checked = i === state.caption;
      label.querySelector("b").textContent = core.shown(overall);
    });
  }

  function drawFigures() {
    const all = core.coarse(view.components, "all");
    const present = core.coarse(view.components, "present");
    parts.which.textContent = `${work().title} by ${work().artist}, ${work().date}: caption \u201c${caption().style}\u201d, ` +
      `judge ${data.judge.split(" ")[0]}, threshold ${state.threshold.toFixed(2)}.`;
    parts.figures.replaceChildren(...["mistakes", "omissions", "overall"].map((name) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", {}, core.shown(all[name])), make("td", {}, core.shown(present[name])))));
    const line = parts.curve.querySelector(".px-now");
    if (line) line.setAttribute("transform", `translate(${curveX(state.threshold)} 0)`);
    const counts = data.sides.map((side) => view.sides[side].runs.filter((r) => r.flagged).length);
    const told = `${work().title}, ${caption().style}, threshold ${state.threshold.toFixed(2)}: mistakes ${core.shown(all.mistakes)}, ` +
      `omissions ${core.shown(all.omissions)}, overall ${core.shown(all.overall)}. ` +
      `Flagged: ${plural(counts[0], "place")} of the caption, ${counts[1]} of the reference.`;
    clearTimeout(drawFigures.later); // a moving slider is told once, when it rests
    drawFigures.later = setTimeout(() => { parts.status.textContent = told; }, 400);
  }

  const [WIDTH, HEIGHT, LEFT, RIGHT] = [320, 150, 30, 74];
  const curveX = (t) => LEFT + ((t - data.lowest) / (data.highest - data.lowest)) * (WIDTH - LEFT - RIGHT);

  /** The scores against the threshold, and the overall share found. */
  function drawCurve() {
    const svg = (tag, attributes, ...children) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      node.append(...children);
      return node;
    };
    const y = (v) => 10 + (1 - v) * (HEIGHT - 35);
    const steps = Math.round((data.highest - data.lowest) / data.step);
    const points = Array.from({ length: steps + 1 }, (_, i) => {
      const t = Math.round((data.lowest + i * data.step) * 100) / 100;
      const components = core.componentsAt(data, caption(), t);
      return { t, ...core.coarse(components, "all"), found: core.coarse(components, "present").overall };
    });
    const words = { mistakes: "mistakes", omissions: "omissions", overall: "overall", found: "share found" };
    const names = Object.keys(words);
    const last = points[points.length - 1];
    const told = names.map((n) => `${words[n]} from ${core.shown(points[0][n])} to ${core.shown(last[n])}`).join(", ");
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": `Scores against the threshold from ${data.lowest} to ${data.highest}: ${told}.` });
    for (const v of [0, 0.5, 1]) {
      drawing.append(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: "px-grid" }),
        svg("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, v.toFixed(1)));
    }
    for (let t = data.lowest; t <= data.highest; t += 1) {
      drawing.append(svg("text", { x: curveX(t), y: HEIGHT - 8, "text-anchor": "middle" }, String(t)));
    }
    // names beside the ends of the lines, pushed apart where they would touch
    let above = -Infinity;
    const ends = [...names].sort((a, b) => last[b] - last[a]);
    for (const name of ends) {
      const path = points.map((p, i) => `${i ? "L" : "M"}${curveX(p.t).toFixed(1)} ${y(p[name]).toFixed(1)}`).join("");
      above = Math.max(above + 14, y(last[name]) + 4);
      drawing.append(svg("path", { d: path, class: `px-line px-line-${name}` }),
        svg("text", { x: WIDTH - RIGHT + 5, y: above }, words[name]));
    }
    drawing.append(svg("line", { y1: 6, y2: HEIGHT - 22, class: "px-now" }));
    parts.curve.replaceChildren(drawing);
  }

  // -- the texts ----------------------------------------------------------------------------------------

  function drawText(side) {
    const { runs, faults, others, hits, names } = view.sides[side];
    let count = 0;
    const pieces = runs.map((run) => {
      const inner = run.parts.map((part) => piece(part, run.flagged));
      if (!run.flagged) return inner;
      count += 1;
      const name = `${LETTER[side]}${count}`;
      const by = [...new Set(run.parts.flatMap((p) => p.by))];
      by.forEach((number) => names.set(number, [...(names.get(number) || []), name]));
      const score = Math.max(...run.parts.filter((p) => p.score !== null).map((p) => p.score));
      return make("a", { class: "px-mark", href: `#px-q-${by[0]}`, id: `px-mark-${name}`, tabIndex: count === 1 ? 0 : -1,
        onclick: (e) => { e.preventDefault(); openAll(by, side); } },
      ...inner, "\u2060", make("sup", { class: "px-tag" }, name), hidden(` (flagged ${FAULT[side]}, at best ${said(score)})`));
    });
    parts[side].replaceChildren(...pieces.flat());

    function piece(part, flagged) {
      const node = make("span", { class: flagged ? `px${level(part.score)}` : part.by.length ? "px-found" : "" }, part.text);
      node.dataset.by = part.by.join(" ");
      if (!flagged && part.by.length) node.addEventListener("click", () => openAll(part.by, side));
      if (part.fault < 0) return node;
      const planted = part.fault < faults.length;
      const [, end, type] = planted ? faults[part.fault] : others[part.fault - faults.length];
      const word = planted ? (hits[part.fault] ? "found" : "missed") : "misstated";
      node.classList.add("px-fault", `px-fault-${word}`);
      // the label stands at the end of the fault, which may run over several pieces
      if (part.end >= end) {
        const what = planted ? `planted${type ? `: ${type}` : ""}, ${word}` : "misstated";
        node.append(make("small", { class: "px-label" }, what));
      }
      return node;
    }
  }

  function drawNote() {
    if (!state.planted) return parts.note.replaceChildren();
    const rows = data.sides.map((side) => {
      const { faults, others, hits, runs } = view.sides[side];
      const flagged = runs.filter((r) => r.flagged);
      const beside = flagged.filter((r) => r.parts.every((p) => p.fault < 0)).length;
      const found = hits.filter(Boolean).length;
      const also = others.length ? ` ${plural(others.length, "fact")} of the reference ${others.length === 1 ? "is" : "are"} misstated, which is a mistake and no omission.` : "";
      const first = faults.length ? `${found} of ${plural(faults.length, `planted ${FAULT[side]}`)} ${found === 1 ? "has" : "have"} a flagged word` : `no ${FAULT[side]} was planted`;
      return make("li", {}, make("b", {}, `${TITLES[side]}: `), `${first}; ${plural(beside, "flagged place")} of ${flagged.length} touch${beside === 1 ? "es" : ""} nothing planted.${also}`);
    });
    return parts.note.replaceChildren(make("ul", {}, rows));
  }

  /** Left and right go from mark to mark; one stop for the whole text, not fifty. */
  function rove(event) {
    const all = [...event.currentTarget.querySelectorAll(".px-mark")];
    const at = all.indexOf(event.target.closest(".px-mark"));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    focusMark(all[Math.min(Math.max(to, 0), all.length - 1)]);
  }

  function focusMark(mark) {
    mark.closest(".px-text").querySelectorAll(".px-mark").forEach((m) => { m.tabIndex = m === mark ? 0 : -1; });
    mark.focus();
  }

  // -- the questions ------------------------------------------------------------------------------------

  const isShown = (c) => state.show === "all" || (state.show === "found" ? c.present === true : c.present !== true);

  function drawLists() {
    for (const side of data.sides) {
      const own = view.components.filter((c) => c.side === side);
      const shown = own.filter(isShown);
      parts.counts[side].textContent = `${shown.length} of ${plural(own.length, "question")}`;
      parts.lists[side].replaceChildren(...(shown.length ? shown.map(row) : [make("li", {}, "None at this threshold.")]));
    }
    home.querySelectorAll("[name=px-show]").forEach((r) => { r.checked = r.value === state.show; });
    light();
  }

  function row(c) {
    const names = view.sides[c.side].names.get(c.number) || [];
    const word = c.score === null ? "no verdict" : c.inherited ? "not asked" : c.present ? "found" : "not found";
    const details = make("details", { open: state.open.has(c.number), ontoggle: () => {
      if (printing || !details.isConnected) return; // opened for paper, not by the reader
      if (details.open) state.open.add(c.number);
      else state.open.delete(c.number);
      light();
    } },
    make("summary", {},
      make("span", { class: `px-score px${level(c.score)}` }, c.score === null ? "–" : c.score.toFixed(2)), " ",
      c.text, make("small", {}, ` ${c.kind}, ${word}${names.length ? `, ${names.join(" ")}` : ""}`)),
    make("dl", {},
      make("dt", {}, "Question"), make("dd", {}, c.question, c.inherited ? " (not asked)" : ""),
      make("dt", {}, "Verdict"), make("dd", {}, `${said(c.score)}${c.score === null ? "" : `, ${data.words[level(c.score) - 1]}`}`),
      make("dt", {}, "Why"), make("dd", {}, c.reason || "–")),
    make("button", { type: "button", class: "px-button", onclick: () => toText(c) }, "Show in the text"));
    return make("li", { id: `px-q-${c.number}` }, details);
  }

  /** Where open questions stand in the texts. */
  function light() {
    for (const side of data.sides) {
      for (const node of parts[side].querySelectorAll("[data-by]")) {
        node.classList.toggle("px-lit", node.dataset.by.split(" ").some((n) => n !== "" && state.open.has(Number(n))));
      }
    }
  }

  /** Open the questions behind a place of the text, the worst first, and go there. */
  function openAll(numbers, side) {
    const wanted = view.components.filter((c) => numbers.includes(c.number) && c.side === side);
    if (!wanted.every(isShown)) state.show = "all";
    state.open.clear();
    wanted.forEach((c) => state.open.add(c.number));
    drawLists();
    const first = wanted.sort((a, b) => (a.score ?? 6) - (b.score ?? 6))[0];
    const summary = document.querySelector(`#px-q-${first.number} summary`);
    summary.focus();
    summary.scrollIntoView({ block: "center" });
  }

  function toText(c) {
    const node = [...parts[c.side].querySelectorAll("[data-by]")].find((n) => n.dataset.by.split(" ").includes(String(c.number)));
    if (!node) return;
    const mark = node.closest(".px-mark");
    if (mark) focusMark(mark);
    else {
      node.tabIndex = -1;
      node.focus();
    }
    node.scrollIntoView({ block: "center" });
  }

  frame();
  drawCurve();
  draw();
})();
