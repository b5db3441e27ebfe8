"""A preference study of one's own: a page that people fill in, and what their answers say.

``posh-lite preference make`` writes one static page and a key; ``posh-lite preference read`` joins the answers that
come back. "Where Do Long Captions Fail?", appendices J.1 and J.3 (a blind three-way study, Table 15).
"""
