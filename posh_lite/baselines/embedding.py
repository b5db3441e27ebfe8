"""Embeddings of phrases: any model of sentence-transformers, and one that needs no model.

The PoSh paper embeds with Qwen/Qwen3-Embedding-8B (appendix "Granular Baselines"). The embedding "chars" is ours: it
knows spelling and nothing of meaning, runs everywhere, and stands in so that the rest of the row can be tried.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.registry import install_command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: Of the paper.
QWEN = "Qwen/Qwen3-Embedding-8B"


class Embedder(Protocol):
    """Phrases to vectors.

    Attributes:
        signature: everything that the vectors depend on, without bars or white space.
    """

    @property
    def signature(self) -> str: ...

    def __call__(self, phrases: Sequence[str], /) -> Vectors:
        """Vectors of length 1, of shape ``(phrases, dimensions)``; a phrase without features gives zeros."""
        ...


class CharacterGrams:
    """Hashed n-grams of characters within words: a phrase is the sum of its words, a word that of its n-grams.

    Args:
        dimensions: of the vectors; n-grams that fall together add up or cancel.
        low: characters of the shortest n-grams, word boundaries included.
        high: of the longest ones.
    """

    def __init__(self, dimensions: int = 1024, low: int = 3, high: int = 5) -> None:
        self.dimensions, self.low, self.high = dimensions, low, high

    @property
    def signature(self) -> str:
        return f"chars-{self.low}-{self.high}-crc32-{self.dimensions}"

    def __call__(self, phrases: Sequence[str]) -> Vectors:
        import numpy as np

        words = {word: n for n, word in enumerate(dict.fromkeys(w for p in phrases for w in p.lower().split()))}
        vectors = np.zeros((len(words), self.dimensions), dtype=np.float32)
        for word, row in words.items():
            padded = f" {word[:64]} "  # what is longer is no word
            for n in range(self.low, self.high + 1):
                for i in range(len(padded) - n + 1):
                    code = zlib.crc32(padded[i : i + n].encode("utf-8", "replace"))
                    vectors[row, code % self.dimensions] += 1.0 if code >> 31 else -1.0
        out = np.zeros((len(phrases), self.dimensions), dtype=np.float32)
        for row, phrase in enumerate(phrases):
            if rows := [words[w] for w in phrase.lower().split()]:
                out[row] = vectors[rows].sum(axis=0)
        return unit_rows(out)


class SentenceTransformers:
    """A model of the sentence-transformers library, by its name on a hub or from a folder.

    Args:
        model: the name or the folder.
        device: "cuda", "cpu", ...; by default the library's choice.
        revision: of the model on its hub.
        batch_size: phrases that go through the model together.
        dtype: "float32", "bfloat16", "float16" or "auto"; a model of billions of parameters wants "bfloat16".

    Raises:
        MissingDependency: the library or the model is not there.
    """

    def __init__(
        self, model: str = QWEN, *, device: str | None = None, revision: str | None = None, batch_size: int = 64,
        dtype: str = "auto",
    ) -> None:  # fmt: skip
        from posh_lite.baselines.hub import identity

        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingDependency(f"embeddings of models need: {install_command('baselines')}") from None
        try:
            self._model = SentenceTransformer(
                model, device=device, revision=revision, model_kwargs={"torch_dtype": dtype}
            )
        except OSError as error:
            why = str(error).strip().splitlines()
            raise MissingDependency(
                f'the model "{model}" cannot be loaded: {why[0] if why else type(error).__name__}. Give a folder that'
                " holds it, or a name that the hub of this machine serves"
            ) from None
        self.model, self.revision, self.batch_size, self.dtype = model, revision, batch_size, dtype
        self._identity = identity(model)  # of what was loaded: the folder may change while this runs

    @property
    def signature(self) -> str:
        from posh_lite.baselines.figures import version_of

        said = f"{self._identity}@{self.revision}" if self.revision else self._identity
        return f"{said}-{self.dtype}-sentence-transformers-{version_of('sentence-transformers')}"

    def __call__(self, phrases: Sequence[str]) -> Vectors:
        import numpy as np

        if not phrases:
            return np.zeros((0, 1), dtype=np.float32)
        found = self._model.encode(list(phrases), batch_size=self.batch_size, convert_to_numpy=True,
                                   show_progress_bar=False)
        return unit_rows(np.asarray(found, dtype=np.float32))


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows divided by their lengths; a row of zeros stays as it is."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0), dtype=np.float32)


def make_embedder(model: str = QWEN, **options: Any) -> Embedder:
    """The embedding of that name: "chars", or a model of sentence-transformers.

    Raises:
        InputError: the name is empty.
        MissingDependency: what it needs is not there.
    """
    if not model:
        raise InputError('name an embedding: "chars", or a model of sentence-transformers')
    return CharacterGrams(**options) if model == "chars" else SentenceTransformers(model, **options)


def lacking(model: str = QWEN, device: str | None = None, **_: Any) -> list[str]:
    """What a model lacks here, for the registry; the paper's needs a GPU unless a device is named."""
    from posh_lite.baselines.hub import lacks_gpu, lacks_model

    if model == "chars":
        return []
    if model == QWEN and device is None and (found := lacks_gpu(f"{QWEN} (8 billion parameters, some 16 GB)")):
        return [f"{found[0]}; name a smaller model after a colon"]
    return lacks_model(model)


def best_similarities(ours: Vectors, theirs: Vectors) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """For each row of two sets of unit vectors, its highest cosine with a row of the other; 0 where that has none.

    Similarities are made in blocks of 1,024 rows.
    """
    import numpy as np

    if not len(ours) or not len(theirs):
        return np.zeros(len(ours), dtype=np.float32), np.zeros(len(theirs), dtype=np.float32)
    best_a, best_b = np.empty(len(ours), dtype=np.float32), np.full(len(theirs), -1.0, dtype=np.float32)
    for start in range(0, len(ours), 1024):
        block = ours[start : start + 1024] @ theirs.T
        best_a[start : start + 1024] = block.max(axis=1)
        best_b = np.maximum(best_b, block.max(axis=0))
    return np.minimum(best_a, 1.0), np.minimum(best_b, 1.0)
