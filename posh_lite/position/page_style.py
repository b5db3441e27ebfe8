"""The style sheet of the page: light and dark, any width, and a label that does not need its colour."""

_DARK = """--ink:#e6e8eb;--muted:#a9b3be;--paper:#17191c;--line:#3b434c;--s:#6cb8ee;--s-bg:#12293a;--h:#f79a5c;
--h-bg:#3a2213;--g:#d79bdb;--g-bg:#2f1f33;--mark:#3d4a1c"""
#: Without anything from elsewhere. The filter hides by the radio button that is checked;
#: what the keyboard reaches is scrolled clear of it.
STYLE = f"""
:root{{color-scheme:light dark;scroll-padding-top:5rem;
--ink:#1f2328;--muted:#59636e;--paper:#fff;--line:#d5dae0;--s:#0067a5;--s-bg:#e6f1f8;
--h:#c04e01;--h-bg:#fdece0;--g:#8b3f8f;--g-bg:#f5eaf6;--mark:#fff3b0}}
@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;padding:.8rem;max-width:52rem;color:var(--ink);background:var(--paper);
font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}}
h1{{font-size:1.4rem;margin:.2rem 0}} h2{{font-size:1.05rem;margin:0}}
h3{{font-size:.85rem;margin:0;color:var(--muted)}}
h4{{font-size:.9rem;margin:.6rem 0 0}}
.table{{overflow-x:auto}} caption{{text-align:left}} table{{border-collapse:collapse;font-size:.85rem}}
th,td{{border:1px solid var(--line);padding:.15rem .45rem;text-align:left;white-space:nowrap}}
.filter{{position:sticky;top:0;z-index:1;background:var(--paper);border:1px solid var(--line);border-radius:.4rem;
display:flex;flex-wrap:wrap;gap:.2rem .9rem}}
.filter label{{white-space:nowrap;padding:.15rem 0}}
dl.legend{{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.5rem;margin:.7rem 0 .2rem}}
dl.legend div{{padding:.25rem .5rem}} dt{{font-weight:600}} dd{{margin:0;font-size:.88rem}} p.legend{{font-size:.88rem}}
article{{border-top:1px solid var(--line);padding:.8rem 0}}
.counts,.between,small{{color:var(--muted)}} .counts{{margin:.1rem 0 .4rem;font-size:.88rem}}
section{{display:grid;grid-template-columns:2rem 1fr;align-items:start}}
ol,ul{{margin:0;padding:0 0 0 1.1rem}} ol{{list-style:none;padding:0}}
.between{{font-size:.88rem;margin:.15rem 0 .15rem .5rem}}
.sentence,dl.legend div{{margin:.15rem 0;border-left:.4rem solid var(--line)}}
.sentence summary{{cursor:pointer;padding:.2rem .5rem;list-style:none}} summary::-webkit-details-marker{{display:none}}
summary:focus-visible,input:focus-visible{{outline:3px solid var(--ink);outline-offset:1px}}
.sentence.s,dl.legend .s{{border-left-color:var(--s);border-left-style:solid;background:var(--s-bg)}}
.sentence.h,dl.legend .h{{border-left-color:var(--h);border-left-style:double;background:var(--h-bg)}}
.sentence.g,dl.legend .g{{border-left-color:var(--g);border-left-style:dotted;background:var(--g-bg)}}
.badge{{display:inline-block;min-width:1.35em;text-align:center;font-size:.8em;border:1px solid currentColor;
border-radius:.2em;margin-right:.4em}}
.why{{padding:.1rem .6rem .4rem 2.2rem;font-size:.92rem}}
.claim{{font-weight:600}} mark{{background:var(--mark);color:inherit;text-decoration:underline}}
.sentence:has(details:not([open])) mark{{background:none;text-decoration:none}}
.checklist{{margin-top:.5rem;font-size:.92rem}} .checklist summary{{cursor:pointer}}
blockquote{{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line);white-space:pre-wrap}}
.hidden{{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}}
body:has(#show-s:checked) .sentence:not(.s),body:has(#show-h:checked) .sentence:not(.h),
body:has(#show-g:checked) .sentence:not(.g){{display:none}}
body:has(#show-s:checked) article:not(:has(.sentence.s)),body:has(#show-h:checked) article:not(:has(.sentence.h)),
body:has(#show-g:checked) article:not(:has(.sentence.g)){{display:none}}
@media print{{.filter{{display:none}}}}
@media (max-width:30rem){{body{{padding:.5rem}} section{{grid-template-columns:1fr}} .why{{padding-left:1.2rem}}}}
"""
