"""CLIPScore: how close CLIP puts a description to its picture (Hessel and others, 2021). It needs no reference."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posh_lite.baselines.figures import listed, signature, single, table, undefined
from posh_lite.baselines.hub import identity, lacks_model
from posh_lite.baselines.images import Pictures
from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command
from posh_lite.records import Pair

if TYPE_CHECKING:
    import pandas as pd

CLIP = "openai/clip-vit-base-patch32"


def lacking(model: str = CLIP, **_: Any) -> list[str]:
    """What the model lacks here, for the registry."""
    return lacks_model(model)


class ClipScore:
    """CLIPScore, ``2.5 * max(cosine, 0)``, the same figure for every dimension.

    CLIP reads 77 tokens: whatever a long description says after some 50 words has no part in its score. The number
    of texts that were cut is in :meth:`notes`.

    Args:
        model: a CLIP model of the transformers library, by name or folder.
        images: the folder that the pairs' ``image`` is relative to; by default ``POSH_LITE_IMAGES``, else the current
            one.
        prefix: put before every text, as CLIPScore's authors do.
        device: "cuda", "cpu", ...; by default a GPU where there is one.
        batch_size: pairs that go through the model together.

    Raises:
        MissingDependency: a package or the model is not there.
    """

    name = "clipscore"
    needs = frozenset({"image", "model"})

    def __init__(
        self, model: str = CLIP, images: str | Path | None = None, prefix: str = "A photo depicts ",
        device: str | None = None, batch_size: int = 16,
    ) -> None:  # fmt: skip
        try:
            import torch
            from transformers import CLIPModel, CLIPProcessor
        except ImportError as error:
            raise MissingDependency(f"CLIPScore needs {error.name}: {install_command('baselines')}") from None
        try:
            self._model: Any = CLIPModel.from_pretrained(model)
            self._processor: Any = CLIPProcessor.from_pretrained(model)
        except (OSError, ValueError, ImportError) as error:
            why = str(error).strip().splitlines()
            raise MissingDependency(
                f'the model "{model}" cannot be loaded: {why[0] if why else type(error).__name__}. Give a folder that'
                " holds it, or a name that the hub of this machine serves"
            ) from None
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._model = self._model.to(self.device).eval()
        self.model, self.prefix, self.batch_size = model, prefix, batch_size
        self._identity = identity(model)  # of what was loaded: the folder may change while this runs
        folder = Path(images or os.environ.get("POSH_LITE_IMAGES", "").strip() or ".").expanduser()
        self._pictures = Pictures(folder, most_bytes=1 << 30)  # nothing is sent
        self._limit = int(self._model.config.text_config.max_position_embeddings)
        self._read = self._cut = 0

    @property
    def signature(self) -> str:
        return signature(self.name, "transformers", model=self._identity, w=2.5,
                         prefix=self.prefix.strip().replace(" ", "_"), tokens=self._limit,
                         pixels=type(self._processor.image_processor).__name__)

    def score(self, pairs: Iterable[Pair]) -> pd.DataFrame:
        """CLIPScore from 0 to 2.5, three times; NaN for a pair without a picture.

        Raises:
            InputError: a pair names a picture that is not there or cannot be read.
        """
        rows = listed(pairs)
        figures = [undefined("the pair has no picture")] * len(rows)
        shown = [n for n, p in enumerate(rows) if p.image]
        for start in range(0, len(shown), self.batch_size):
            places = shown[start : start + self.batch_size]
            for n, cosine in zip(places, self._cosines([rows[n] for n in places]), strict=True):
                figures[n] = single(2.5 * max(cosine, 0.0))
        return table(rows, figures)

    def notes(self) -> list[str]:
        """How many of the texts so far were longer than CLIP can read."""
        if not self._cut:
            return []
        return [f"{self._cut} of {self._read} texts are longer than the {self._limit} tokens that CLIP reads: what"
                " comes after has no part in the score"]

    def _cosines(self, pairs: Sequence[Pair]) -> list[float]:
        import torch

        texts = [self.prefix + p.generation for p in pairs]
        lengths = [len(ids) for ids in self._processor.tokenizer(texts, truncation=False)["input_ids"]]
        self._read += len(lengths)
        self._cut += sum(n > self._limit for n in lengths)
        pictures = [self._picture(p) for p in pairs]
        inputs = self._processor(text=texts, images=pictures, return_tensors="pt", padding=True, truncation=True,
                                 max_length=self._limit).to(self.device)
        with torch.no_grad():
            out = self._model(**inputs)
        a = torch.nn.functional.normalize(out.image_embeds.float(), dim=-1)
        b = torch.nn.functional.normalize(out.text_embeds.float(), dim=-1)
        return [float(v) for v in (a * b).sum(dim=-1)]

    def _picture(self, pair: Pair) -> Any:
        from io import BytesIO

        from PIL import Image

        data = self._pictures.find(pair).read()
        try:
            with Image.open(BytesIO(data)) as picture:
                return picture.convert("RGB")
        except OSError as error:
            raise InputError(f'the picture "{pair.image}" cannot be read: {error}', path=f"pair {pair.id}",
                             field="image") from None
