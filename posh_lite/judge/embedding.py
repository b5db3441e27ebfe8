"""Embeddings of phrases: any model of sentence-transformers, a small one known by name, and one without a model.

"chars" knows spelling and nothing of meaning and runs everywhere. "minilm" is all-MiniLM-L6-v2 (22 million parameters)
from the folder that the variable POSH_LITE_MINILM names.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from posh_lite.errors import InputError, MissingDependency
from posh_lite.judge.llm.weights import identity
from posh_lite.judge.registry import install_command
from posh_lite.records import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: The variable that names the folder of the embedding "minilm".
MINILM = "POSH_LITE_MINILM"
#: Models whose weights are known by the SHA-256 of ``model.safetensors``, whatever their folder is called.
_KNOWN = {"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "all-MiniLM-L6-v2"}


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
        self, model: str, *, device: str | None = None, revision: str | None = None, batch_size: int = 64,
        dtype: str = "auto",
    ) -> None:  # fmt: skip
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingDependency(f"embeddings of models need: {install_command('baselines')}") from None
        try:
            with _no_bars():
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
        self._identity = identity(model, called=known_as(model))  # of what was loaded: it may change

    @property
    def signature(self) -> str:
        said = f"{self._identity}@{self.revision}" if self.revision else self._identity
        try:
            version = metadata.version("sentence-transformers")
        except metadata.PackageNotFoundError:
            version = "none"
        return f"{said}-{self.dtype}-sentence-transformers-{version}"

    def __call__(self, phrases: Sequence[str]) -> Vectors:
        import numpy as np

        if not phrases:
            return np.zeros((0, 1), dtype=np.float32)
        found = self._model.encode(list(phrases), batch_size=self.batch_size, convert_to_numpy=True,
                                   show_progress_bar=False)
        return unit_rows(np.asarray(found, dtype=np.float32))


def word_runs(text: str, n: int) -> list[tuple[str, Span]]:
    """Runs of ``n`` words within the sentences of a text, in lower case without punctuation, with their spans.

    A sentence of fewer words is one run.
    """
    from posh_lite.text import sentences, tokens

    found: list[tuple[str, Span]] = []
    for start, end in sentences(text):
        words = [t for t in tokens(text, start, end) if t.is_word]
        for i in range(max(len(words) - n + 1, 1) if words else 0):
            run = words[i : i + n]
            found.append((" ".join(w.text for w in run).lower(), (run[0].start, run[-1].end)))
    return found


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows divided by their lengths; a row of zeros stays as it is."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0), dtype=np.float32)


@contextmanager
def _no_bars() -> Iterator[None]:
    """Without the bar of transformers over the weights, which would stand in every output."""
    try:
        from transformers.utils import logging
    except ImportError:
        yield
        return
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def known_as(model: str) -> str:
    """The name of the model that a folder holds, where its weights are known; else empty."""
    weights = Path(model) / "model.safetensors"
    try:
        about = weights.stat()
        return _KNOWN.get(_digest(str(weights), about.st_size, about.st_mtime_ns), "")
    except OSError:
        return ""


@lru_cache(maxsize=16)
def _digest(path: str, size: int, changed: int) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def lacks_minilm() -> str:
    """Why the embedding "minilm" cannot be made here, in a line; empty where it can."""
    folder = os.environ.get(MINILM, "").strip()
    if not folder:
        return f"the variable {MINILM} is not set: a folder that holds sentence-transformers/all-MiniLM-L6-v2"
    if not Path(folder).is_dir():
        return f"the folder that {MINILM} names is not there"
    if known_as(folder) != "all-MiniLM-L6-v2":
        return f"the folder that {MINILM} names holds no weights of all-MiniLM-L6-v2 (model.safetensors)"
    return ""


def make_embedder(model: str, **options: Any) -> Embedder:
    """The embedding of that name: "chars", "minilm", or a model of sentence-transformers.

    Raises:
        InputError: the name is empty.
        MissingDependency: what it needs is not there.
    """
    if not model:
        raise InputError('name an embedding: "chars", "minilm", or a model of sentence-transformers')
    if model == "chars":
        return CharacterGrams(**options)
    if model == "minilm":
        if why := lacks_minilm():
            raise MissingDependency(f'the embedding "minilm" cannot be made: {why}')
        model = os.environ[MINILM].strip()
    return SentenceTransformers(model, **options)


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
