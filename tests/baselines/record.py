"""Write ``coco.json``: what pycocoevalcap 1.2 itself says of the pairs of ``ten_pairs.jsonl``.

    python tests/baselines/record.py

It needs pycocoevalcap and Java, and calls the library alone. The pairs were ten of the known-answer corpus, one of each
work and every style among them; they stay as they are when the corpus changes.
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    pairs = [json.loads(line) for line in (HERE / "ten_pairs.jsonl").read_text("utf-8").splitlines()]
    references = PTBTokenizer().tokenize({p["id"]: [{"caption": p["reference"]}] for p in pairs})
    generations = PTBTokenizer().tokenize({p["id"]: [{"caption": p["generation"]}] for p in pairs})
    values = {
        "cider": Cider().compute_score(references, generations)[1],
        "meteor": Meteor().compute_score(references, generations)[1],
        "bleu-coco": Bleu(4).compute_score(references, generations, verbose=0)[1][3],
    }
    out = {name: {p["id"]: float(v) for p, v in zip(pairs, found, strict=True)} for name, found in values.items()}
    (HERE / "coco.json").write_text(json.dumps(out, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
