"""The row LLaVA-Critic: an open model trained to judge gives three marks from picture and reference.

72 billion parameters in the PoSh paper (table "full_coarse_results"), behind a server such as vLLM; the checkpoints in
the format of transformers also run in this process as ``transformers:MODEL``.
"""

from __future__ import annotations

from typing import Any

from posh_lite.baselines.asked import Asked

#: As the hub names it.
MODEL = "lmms-lab/llava-critic-72b"


class LlavaCritic(Asked):
    """Three marks from 0 to 5 of LLaVA-Critic; options as :class:`~posh_lite.baselines.asked.Asked`."""

    def __init__(self, model: str = MODEL, *, row: str = "llava-critic", **options: Any) -> None:
        super().__init__(
            model, row=row, **{"setting": "both", "file": "critic.toml", "row_model": MODEL, **options}
        )
