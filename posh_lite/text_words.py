"""Closed word lists that decide where a sentence ends."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABBREVIATIONS = _words(
    """
    a.d a.m approx apr aug ave b.c b.c.e blvd bros c c.e ca capt cf cm co col corp d.c dec dept dia diam dr e.g
    e.u ed eds eg est ext feb fig figs ft gen gov hon hwy i.e ie inc incl jan jr jul jun kg km lb lbs lt ltd mar
    max min misc mm mr mrs ms mt no nos nov oct op oz p.m ph.d pl pp pres prof rd rep rev sen sep sept sgt sr st
    u.k u.n u.s vol vs
    """
)

#: May end a sentence too, when what follows starts like one.
MAY_END = _words(
    """
    a.d a.m b.c b.c.e c.e cm co corp d.c e.u ft inc jr kg km lb lbs ltd mm oz p.m sr u.k u.n u.s
    """
)

STARTERS = _words(
    """
    a above all an another as at behind below beside between both each four he her his in it its near on one our
    over she some that the their there these they this those three to two under we while with
    """
)
