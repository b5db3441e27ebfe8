/* The arithmetic of the explorer page: what PoSh says at a threshold. No page is touched here, so that the tests can
 * run this file by itself. How the data is laid out is told in posh_lite/book/explorer.py, which makes it. */
"use strict";

(function (root) {
  /** Number of the run that holds for a threshold: the first whose level is not below it. */
  function runNumber(levels, threshold) {
    let number = 0;
    while (number < levels.length && levels[number] < threshold) number += 1;
    return number;
  }

  /** The components of a caption and its reference at a threshold, as objects. */
  function componentsAt(data, caption, threshold) {
    const run = runNumber(data.levels, threshold);
    return caption.components.map(([side, kind, text, versions], number) => {
      let version = versions[0];
      for (const candidate of versions) if (candidate[0] <= run) version = candidate;
      const [, score, question, reason, inherited, place] = version;
      return {
        number,
        side: data.sides[side],
        kind: data.kinds[kind],
        text: data.strings[text],
        score,
        question: data.strings[question],
        reason: data.strings[reason],
        inherited: inherited === 1,
        spans: pairs(data.places[place]),
        // what is said of an absent thing is absent, however low the threshold
        present: score === null ? null : inherited !== 1 && score >= threshold,
      };
    });
  }

  function pairs(flat) {
    const found = [];
    for (let i = 0; i < flat.length; i += 2) found.push([flat[i], flat[i + 1]]);
    return found;
  }

  /** A sum that is rounded once, as Python's math.fsum: the last digit shown must not hang on the order. */
  function fsum(values) {
    const parts = []; // do not overlap, from small to large; their sum is exact
    for (let x of values) {
      let kept = 0;
      for (let y of parts) {
        if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
        const high = x + y;
        const low = y - (high - x);
        if (low !== 0) parts[kept++] = low;
        x = high;
      }
      parts.length = kept;
      parts.push(x);
    }
    let at = parts.length - 1;
    let high = at < 0 ? 0 : parts[at];
    let low = 0;
    while (at > 0) {
      const x = high;
      at -= 1;
      high = x + parts[at];
      low = parts[at] - (high - x);
      if (low !== 0) break;
    }
    // where what is left lies halfway, the parts below it decide
    if (at > 0 && ((low < 0 && parts[at - 1] < 0) || (low > 0 && parts[at - 1] > 0))) {
      const twice = low * 2;
      const moved = high + twice;
      if (twice === moved - high) high = moved;
    }
    return high;
  }

  /** Mistakes, omissions and overall: means of verdicts over 5, or with "present" the shares found; NaN if undefined. */
  function coarse(components, aggregation) {
    const mean = (side) => {
      const read = components.filter((c) => c.side === side && c.score !== null);
      const values = read.map((c) => (aggregation === "present" ? (c.present ? 5 : 0) : c.score));
      return values.length ? fsum(values) / values.length / 5 : NaN;
    };
    const mistakes = mean("generation");
    const omissions = mean("reference");
    let overall = NaN;
    if (!Number.isNaN(mistakes) && !Number.isNaN(omissions)) {
      overall = mistakes + omissions ? (2 * mistakes * omissions) / (mistakes + omissions) : 0;
      const [low, high] = [Math.min(mistakes, omissions), Math.max(mistakes, omissions)];
      overall = Math.min(Math.max(overall, low), high);
    }
    return { mistakes, omissions, overall };
  }

  /** A figure with three digits, as Python writes it: exact halves (sixteenths alone have them) go to the even digit. */
  function shown(value) {
    if (Number.isNaN(value)) return "undefined";
    const half = Number.isInteger(value * 16) && (value * 16) % 2 !== 0;
    if (!half) return value.toFixed(3);
    const down = Math.floor(value * 1000);
    return ((down % 2 === 0 ? down : down + 1) / 1000).toFixed(3);
  }

  /** For each character of a text: the highest score that covers it, or null, and the components that do. */
  function cover(length, components, side) {
    const cells = Array.from({ length }, () => ({ score: null, by: [] }));
    for (const c of components) {
      if (c.side !== side) continue;
      for (const [start, end] of c.spans) {
        for (let i = start; i < end; i += 1) {
          cells[i].by.push(c.number);
          if (c.score !== null && (cells[i].score === null || cells[i].score < c.score)) cells[i].score = c.score;
        }
      }
    }
    return cells;
  }

  /** Whether a character is flagged: something is said there, and all of it was scored below the threshold. */
  const isFlagged = (cell, threshold) => cell.score !== null && cell.score < threshold;

  /** The text cut where the covering components, the flag or the planted fault change, in order and without gaps. */
  function segments(characters, cells, threshold, faults) {
    const found = [];
    let last = null;
    characters.forEach((character, i) => {
      const fault = faults.findIndex(([start, end]) => start <= i && i < end);
      const flagged = isFlagged(cells[i], threshold);
      const key = `${cells[i].by.join()}|${flagged}|${fault}`;
      if (last !== null && last.key === key) {
        last.text += character;
        last.end = i + 1;
      } else {
        last = { key, start: i, end: i + 1, text: character, flagged, fault, score: cells[i].score, by: cells[i].by };
        found.push(last);
      }
    });
    return found;
  }

  /** Runs of flagged segments, with the blanks between them: what a reader sees as one mark. */
  function marks(parts) {
    const found = [];
    let open = null;
    parts.forEach((part, i) => {
      const next = parts[i + 1];
      const bridge = open && !part.flagged && /^\s+$/.test(part.text) && next && next.flagged;
      if (part.flagged || bridge) {
        if (!open) {
          open = { flagged: true, parts: [] };
          found.push(open);
        }
        open.parts.push(part);
      } else {
        open = null;
        found.push({ flagged: false, parts: [part] });
      }
    });
    return found;
  }

  /** Which planted faults have a flagged character. */
  function hits(faults, cells, threshold) {
    return faults.map(([start, end]) => cells.slice(start, end).some((cell) => isFlagged(cell, threshold)));
  }

  /** A threshold that the slider has, or the fallback. */
  function toThreshold(data, text, fallback) {
    const value = Number(text);
    if (text === undefined || text.trim() === "" || !Number.isFinite(value)) return fallback;
    const inside = Math.min(Math.max(value, data.lowest), data.highest);
    return Math.round(Math.round(inside / data.step) * data.step * 100) / 100;
  }

  /** What a deep link names: "#work/caption/threshold"; what it leaves out or misspells is the default. */
  function readLink(data, hash) {
    const [slug, style, threshold] = hash.replace(/^#/, "").split("/");
    const work = Math.max(0, data.works.findIndex((w) => w.slug === slug));
    const of = data.captions.map((c, i) => ({ ...c, i })).filter((c) => c.work === work);
    const caption = (of.find((c) => c.style === style) || of[0]).i;
    return { work, caption, threshold: toThreshold(data, threshold, data.threshold) };
  }

  function writeLink(data, caption, threshold) {
    const { work, style } = data.captions[caption];
    return `#${data.works[work].slug}/${style}/${threshold.toFixed(2)}`;
  }

  const core = {
    runNumber, componentsAt, fsum, coarse, shown, cover, isFlagged, segments, marks, hits, toThreshold, readLink, writeLink,
  };
  if (typeof module !== "undefined") module.exports = core;
  else root.poshExplorerCore = core;
})(typeof globalThis !== "undefined" ? globalThis : this);
