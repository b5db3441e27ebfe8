"""Style and script of the microscope's page, beside the style of the position lens's page; nothing from elsewhere."""

from __future__ import annotations

_FRAGMENT = """
.worked{line-height:1.5} .worked ol{list-style:none;margin:0;padding:0} .worked h3{font-size:.9rem;margin:.5rem 0 .1rem}
.worked .sentence{margin:.25rem 0;padding:.2rem .5rem;border-left:.4rem solid var(--w-blue)}
.worked .sentence.h{border-left:.4rem double var(--w-orange)}
.worked .sentence.g{border-left:.4rem dotted var(--w-purple)}
.worked .badge{display:inline-block;min-width:1.4em;text-align:center;font-size:.8em;border:1px solid currentColor;
border-radius:.2em;margin-right:.4em}
.worked .tag{display:inline-block;font-size:.78rem;color:var(--w-muted);border:1px solid var(--w-grid);
border-radius:.2rem;padding:0 .3rem;margin:0 .2rem}
.worked .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.worked table{border-collapse:collapse;font-size:.88rem;margin:.5rem 0} .worked caption{text-align:left}
.worked th,.worked td{border:1px solid var(--w-grid);padding:.15rem .45rem;text-align:left}
.worked tr.total>*{font-weight:700;border-top:2px solid currentColor} .worked .scroll{overflow-x:auto}
.worked del{color:var(--w-orange)} .worked ins{color:var(--w-blue)}
"""


def fragment_style() -> str:
    """The style of a worked caption within a chapter, light and dark by the reader's setting or the book's switch."""
    from posh_lite.graph.draw_ink import prefers_dark
    from posh_lite.plot import PALETTE

    roles = ("blue", "orange", "purple", "muted", "grid")
    light, dark = (";".join(f"--w-{role}:{PALETTE[role][i]}" for role in roles) for i in (0, 1))
    return f"<style>{prefers_dark('.worked', light, dark)}{_FRAGMENT}</style>"


#: Signs before words, so that no difference is told by colour alone.
STYLE = """
.micro{display:grid;grid-template-columns:minmax(13rem,17rem) minmax(0,1fr);gap:1rem;align-items:start}
.micro fieldset{border:1px solid var(--line);border-radius:.4rem;margin:0;padding:.3rem .6rem .5rem}
.micro fieldset label{display:flex;gap:.4rem;align-items:baseline;padding:.18rem 0;cursor:pointer}
.micro fieldset h3{margin:.5rem 0 .1rem;font-size:.8rem;color:var(--muted);text-transform:none}
.micro section{display:block} .micro section[hidden]{display:none}
.micro .off{color:var(--muted)} .micro .off small{display:block;padding-left:1.6rem}
.bar{display:flex;flex-wrap:wrap;gap:.4rem 1rem;margin:.6rem 0}
.bar label{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;min-width:0}
select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.3rem;
padding:.15rem .3rem;max-width:100%}
select:focus-visible,.scroll:focus-visible{outline:3px solid var(--ink);outline-offset:1px}
.diff{white-space:pre-wrap;border-left:.25rem solid var(--line);padding:.1rem .7rem;margin:.4rem 0}
del{background:var(--h-bg);color:var(--h);text-decoration:line-through}
ins{background:var(--s-bg);color:var(--s);text-decoration:underline;font-weight:600}
del::before{content:"\\2212"} ins::before{content:"+"}
.scroll{overflow-x:auto;max-width:100%} .micro td{font-variant-numeric:tabular-nums;text-align:right}
.micro td.word{text-align:left} .micro tr.total>*{font-weight:700;border-top:2px solid var(--ink)}
.said{font-weight:600;margin:.6rem 0;padding:.3rem .6rem;border:1px solid var(--line);border-left-width:.4rem}
.said.bad{border-left-color:var(--h)} .said.good{border-left-color:var(--s)}
.strip{display:flex;flex-wrap:wrap;gap:.1rem .5rem;list-style:none;margin:.1rem 0 .5rem;padding:0;font-size:.85rem}
.strip li{display:flex;gap:.15rem;align-items:center} .strip b{min-width:1.5em;text-align:center;border:1px solid}
.strip b.s{color:var(--s)} .strip b.h{color:var(--h);border-style:double;border-width:3px}
.strip b.g{color:var(--g);border-style:dotted}
.worked .tags{display:inline-flex;flex-wrap:wrap;gap:.2rem;margin-left:.3rem}
.worked .tag{font-size:.78rem;border:1px solid var(--line);border-radius:.2rem;padding:0 .3rem;white-space:nowrap}
.worked li{margin:.3rem 0}
.terms{margin:.5rem 0}
.terms td{white-space:normal} .worked .sentence{padding:.2rem .5rem}
@media (max-width:44rem){.micro{grid-template-columns:minmax(0,1fr)}
.micro fieldset{max-height:15rem;overflow-y:auto;min-width:0}}
"""

#: Builds the page from its data: text goes in as text, never as markup. Offsets count characters, not code units.
SCRIPT = """
(() => {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const make = (tag, text, cls) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls; return e; };
const num = v => v === null ? '\\u2013' : (v < 0 ? '\\u2212' : '') + Math.abs(v).toFixed(3);
const signed = v => v === null ? '\\u2013' : Math.abs(v) < 1e-9 ? '0' : (v > 0 ? '+' : '\\u2212') +
  (Math.abs(v) < 0.0005 ? '<0.001' : Math.abs(v).toFixed(3));
let chosen = 0;
function strip(list, sentences) {
  list.replaceChildren();
  for (const q of [1, 2, 3, 4]) {
    const item = make('li'); item.append(make('span', 'Q' + q));
    const own = sentences.filter(s => s[0] === q);
    for (const s of own) {
      const b = make('b', s[1], s[1].toLowerCase());
      b.title = 'genericity ' + s[2].toFixed(2); item.append(b);
    }
    if (!own.length) item.append(make('span', 'none'));
    list.append(item);
  }
}
function diff(box, text, changes) {
  const chars = Array.from(text); let at = 0; box.replaceChildren();
  for (const [start, end, fresh] of changes) {
    box.append(chars.slice(at, start).join(''));
    if (end > start) box.append(make('del', chars.slice(start, end).join('')));
    if (fresh) box.append(make('ins', fresh));
    at = end;
  }
  box.append(chars.slice(at).join(''));
}
function show() {
  const caption = data.captions[$('caption').value], reward = $('reward').value, e = caption.edits[chosen];
  $('about').textContent = e.about; $('note').textContent = 'Here: ' + e.note + '.';
  diff($('diff'), caption.text, e.changes);
  strip($('before'), caption.sentences); strip($('after'), e.sentences);
  const body = $('terms'); body.replaceChildren();
  const names = Object.keys(caption.values[reward]);
  let change = 0;
  for (const name of names) {
    const a = caption.values[reward][name], b = e.values[reward][name];
    const row = make('tr', undefined, name === 'total' ? 'total' : ''); const head = make('th', name);
    head.scope = 'row'; row.append(head);
    const d = a === null || b === null ? null : b - a; if (name === 'total') change = d;
    for (const v of [num(a), num(b), signed(d)]) row.append(make('td', v));
    body.append(row);
  }
  const v = e.verdicts[reward];
  const said = $('said'); said.className = 'said ' + (v === 'as it should' ? 'good' : 'bad');
  const up = change === null ? 'undefined' : Math.abs(change) < 1e-9 ? 'stays as it is' :
    (change > 0 ? 'rises by ' : 'falls by ') + Math.abs(change).toPrecision(2);
  said.textContent = 'An honest reward ' + data.should[e.should] + '. This one ' + up + ': ' + v + '.';
  const all = $('all'); all.replaceChildren();
  for (const r of data.rewards) {
    const row = make('tr'); const head = make('th', data.titles[r]); head.scope = 'row'; row.append(head);
    const a = caption.values[r].total, b = e.values[r].total;
    row.append(make('td', signed(a === null || b === null ? null : b - a)), make('td', e.verdicts[r], 'word'));
    all.append(row);
  }
}
function list() {
  const caption = data.captions[$('caption').value], box = $('edits'); box.replaceChildren();
  box.append(make('legend', 'Edit'));
  let family = '', first = null;
  caption.edits.forEach((e, i) => {
    if (e.family !== family) { family = e.family; box.append(make('h3', data.families[family])); }
    const label = make('label'), input = document.createElement('input');
    input.type = 'radio'; input.name = 'edit'; input.value = i;
    input.addEventListener('change', () => { chosen = i; wanted = e.name; show(); });
    if (e.name === wanted) first = i;
    label.append(input, ' ' + e.title); box.append(label);
  });
  const keys = Object.keys(caption.refused);
  if (keys.length) box.append(make('h3', 'not for this caption'));
  for (const name of keys) {
    const p = make('div', data.edits[name], 'off'); p.append(make('small', caption.refused[name])); box.append(p);
  }
  chosen = first === null ? 0 : first;
  const radio = box.querySelectorAll('input')[chosen];
  $('view').hidden = !radio;
  if (radio) { radio.checked = true; show(); }
}
let wanted = '';
data.captions.forEach((c, i) => { const o = make('option', c.id); o.value = i; $('caption').append(o); });
for (const r of data.rewards) { const o = make('option', data.titles[r]); o.value = r; $('reward').append(o); }
$('caption').addEventListener('change', list); $('reward').addEventListener('change', show);
list();
})();
"""
