"""A metric of one's own in ten lines: words in common, their order forgotten.

``posh-lite challenge --metrics posh,examples.bag_of_words:BagOfWords -o out`` shows what that cannot see.
"""

import re
from collections import Counter

import pandas as pd


class BagOfWords:
    """F1 of the words that both texts have, each as often as both have it."""

    name, needs = "bag of words", frozenset({"reference"})

    def score(self, pairs):
        rows = []
        for pair in pairs:
            ours, theirs = (Counter(re.findall(r"\w+", t.lower())) for t in (pair.generation, pair.reference))
            both, total = (ours & theirs).total(), ours.total() + theirs.total()
            rows.append({"id": pair.id, "overall": 2 * both / max(total, 1)})
        return pd.DataFrame(rows).assign(mistakes=lambda f: f.overall, omissions=lambda f: f.overall)
