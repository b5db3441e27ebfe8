"""The book pipeline: run the notebooks, render the pages, check what came out.

``python -m posh_lite.book build`` is the one entry; ``make book`` calls it. The parts are: where things lie
(:mod:`~posh_lite.book.layout`), declared parameters (:mod:`~posh_lite.book.parameters`), cache keys
(:mod:`~posh_lite.book.cache`), execution (:mod:`~posh_lite.book.execute`), rendering
(:mod:`~posh_lite.book.site`), the check of the finished pages (:mod:`~posh_lite.book.check`), and what the
notebooks themselves call to show things (:mod:`~posh_lite.book.show`).
"""
