"""A GGUF model in this process through llama.cpp's bindings: tokens, shared beginnings, batches of endings.

Sequence 0 of the key-value cache holds the beginning that the prompts at hand share. Every prompt gets a sequence
of its own that borrows these cells, adds its own tokens, and is dropped again. Beginnings are kept in memory, so
that coming back to a pair costs a copy.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posh_lite.errors import JudgeError

SEQUENCES = 64  # prompts in one batch
_KEPT_BYTES = 1 << 30  # of beginnings kept in memory
_WORTH = 16  # tokens more in common for which a kept beginning is copied back


class LlamaSession:
    """One model with one context.

    Args:
        path: the GGUF file.
        context: most tokens of prompt and answer; by default what the model was trained for, at most 8,192.
        threads: for computing; by default all cores.
        gpu_layers: layers put on a GPU, where the bindings were built for one; -1 is all.
        flash_attention: whether attention is computed by the fused kernels; None leaves it to llama.cpp, which uses
            them wherever it has them. They round in half precision, and otherwise for one token than for many.

    Raises:
        JudgeError: the file cannot be loaded.
    """

    def __init__(
        self, path: str | Path, *, context: int | None = None, threads: int | None = None, gpu_layers: int = 0,
        flash_attention: bool | None = None,
    ) -> None:
        import llama_cpp
        from llama_cpp._logger import set_verbose

        set_verbose(False)
        self._api: Any = llama_cpp
        llama_cpp.llama_backend_init()
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        if not self._model:
            raise JudgeError(f"{path}: llama.cpp cannot load it; is it a complete GGUF file?")
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        trained = int(llama_cpp.llama_model_n_ctx_train(self._model))
        self.context = min(trained, 8192) if context is None else context
        self._batch_size = 512
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = self.context + self._batch_size  # room for the endings of a whole batch
        settings.n_batch = settings.n_ubatch = self._batch_size
        settings.n_seq_max = SEQUENCES + 1
        settings.kv_unified = True
        if flash_attention is not None:
            settings.flash_attn_type = int(flash_attention)  # llama.cpp: 0 is off, 1 is on
        settings.n_threads = settings.n_threads_batch = threads or _cores()
        self._ctx = llama_cpp.llama_init_from_model(self._model, settings)
        if not self._ctx:
            raise JudgeError(f"{path}: no memory for a context of {self.context:,} tokens; give a smaller context=")
        self._memory = llama_cpp.llama_get_memory(self._ctx)
        self._batch = llama_cpp.llama_batch_init(self._batch_size, 0, 1)
        self.n_vocab = int(llama_cpp.llama_vocab_n_tokens(self._vocab))
        self._at: list[int] = []  # tokens that sequence 0 holds
        self._kept: OrderedDict[bytes, tuple[list[int], Any]] = OrderedDict()
        self._kept_bytes = 0

    # -- texts ----------------------------------------------------------------------------------------------

    def metadata(self, key: str) -> str | None:
        """A value of the file's metadata."""
        for size in (4096, 1 << 20):
            buffer = ctypes.create_string_buffer(size)
            length = self._api.llama_model_meta_val_str(self._model, key.encode(), buffer, size)
            if length < 0:
                return None
            if length < size:
                return buffer.value.decode("utf-8", "replace")
        return None

    def piece(self, token: int, *, special: bool = False) -> str:
        """The text of a token."""
        buffer = ctypes.create_string_buffer(512)
        length = self._api.llama_token_to_piece(self._vocab, token, buffer, 512, 0, special)
        return buffer.raw[: max(length, 0)].decode("utf-8", "replace")

    def special(self, name: str) -> str:
        """The text of the token "bos" or "eos"; empty where the model has none."""
        token = int(getattr(self._api, f"llama_vocab_{name}")(self._vocab))
        return self.piece(token, special=True) if token >= 0 else ""

    def is_end(self, token: int) -> bool:
        """Whether a token ends the answer."""
        return bool(self._api.llama_vocab_is_eog(self._vocab, token))

    def tokenize(self, text: str) -> list[int]:
        """Tokens of a rendered prompt; marks of the chat template become their tokens."""
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        while True:
            room = (self._api.llama_token * size)()
            count = int(self._api.llama_tokenize(self._vocab, data, len(data), room, size, False, True))
            if count >= 0:
                return list(room[:count])
            size = -count

    # -- computing ------------------------------------------------------------------------------------------

    def begin(self, tokens: Sequence[int], *, whole: bool = False) -> int:
        """Let sequence 0 hold these tokens; returns how many of them had to be computed.

        Args:
            tokens: of the beginning.
            whole: compute them all together unless just these are kept, never on top of another beginning: rounding
                then does not depend on what was computed before.
        """
        wanted = list(tokens)
        key = hashlib.sha256(np.asarray(wanted, dtype=np.int32).tobytes()).digest()
        same = common(self._at, wanted)
        if whole and (same < len(wanted) or len(self._at) > len(wanted)):
            same = 0
            if key in self._kept:
                self._restore(key)
                same = len(wanted)
        elif same < len(wanted):
            best, depth = None, same + _WORTH
            for name, (held, _) in self._kept.items():
                found = len(wanted) if name == key else common(held, wanted)
                if found >= depth:
                    best, depth = name, found
            if best is not None:
                self._restore(best)
                same = depth
        if same < len(self._at):
            self._api.llama_memory_seq_rm(self._memory, 0, same, -1)
        self._at = wanted[:same]
        for at in range(same, len(wanted), self._batch_size):
            part = wanted[at:at + self._batch_size]
            self._decode([(token, at + n, 0, False) for n, token in enumerate(part)])
        self._at = wanted
        if wanted and key not in self._kept:
            self._keep(key)
        return len(wanted) - same

    def ends(
        self, endings: Sequence[Sequence[int]], take: Callable[[int, NDArray[np.float32]], None], *,
        most: int = SEQUENCES,
    ) -> None:
        """Compute what follows each ending of the shared beginning.

        Args:
            endings: tokens after those of :meth:`begin`, at least one each.
            take: called with the index of an ending and the logits over the vocabulary after its last token.
            most: endings computed together.
        """
        start = len(self._at)
        at = 0
        while at < len(endings):
            rows: list[tuple[int, int, int, bool]] = []
            lasts: list[tuple[int, int]] = []
            sequence = 1
            while at < len(endings) and sequence <= most:
                ending = endings[at]
                if len(rows) + len(ending) > self._batch_size and rows:
                    break
                self._api.llama_memory_seq_cp(self._memory, 0, sequence, 0, start)
                rows += [(t, start + n, sequence, n == len(ending) - 1) for n, t in enumerate(ending)]
                lasts.append((at, len(rows) - 1))
                sequence += 1
                at += 1
            for first in range(0, len(rows), self._batch_size):  # an ending longer than a batch goes in parts
                part = rows[first:first + self._batch_size]
                self._decode(part)
                for index, row in lasts:
                    if first <= row < first + len(part):
                        take(index, self._logits(row - first))
            for used in range(1, sequence):
                self._api.llama_memory_seq_rm(self._memory, used, -1, -1)

    def follow(
        self, ending: Sequence[int], n: int, max_tokens: int,
        choose: Callable[[int, NDArray[np.float32]], int],
    ) -> list[list[int]]:
        """``n`` continuations of one ending, token by token.

        Args:
            ending: tokens after the shared beginning, at least one.
            n: continuations, at most 64.
            max_tokens: the longest of them.
            choose: picks a token from the number of the continuation and its logits.
        """
        start, made = len(self._at), [list[int]() for _ in range(n)]
        self._api.llama_memory_seq_cp(self._memory, 0, 1, 0, start)
        logits: list[NDArray[np.float32]] = []
        for first in range(0, len(ending), self._batch_size):
            part = ending[first:first + self._batch_size]
            last = first + len(part) == len(ending)
            self._decode([
                (t, start + first + i, 1, last and i == len(part) - 1) for i, t in enumerate(part)
            ])
        logits = [self._logits(len(part) - 1)] * n
        where = start + len(ending)
        for other in range(2, n + 1):
            self._api.llama_memory_seq_cp(self._memory, 1, other, 0, where)
        alive = list(range(n))
        for step in range(max_tokens):
            rows = []
            for i in alive:
                token = choose(i, logits[i])
                if not self.is_end(token):
                    made[i].append(token)
                    rows.append((i, token))
            alive = [i for i, _ in rows]
            if not rows or step == max_tokens - 1:
                break
            self._decode([(token, where + step, i + 1, True) for i, token in rows])
            for row, (i, _) in enumerate(rows):
                logits[i] = self._logits(row)
        for used in range(1, n + 1):
            self._api.llama_memory_seq_rm(self._memory, used, -1, -1)
        return made

    def lines(
        self, ending: Sequence[int], starts: Sequence[Sequence[int]],
        choose: Callable[[int, NDArray[np.float32]], int | None],
    ) -> None:
        """Lay one given beginning of a line after another, and hear what follows each.

        Args:
            ending: tokens after the shared beginning, possibly none.
            starts: the beginning of each line, at least one token each.
            choose: gets the number of the line and the logits after its beginning; gives the token that completes
                the line, or None to take the line back, so that the next stands in its place.
        """
        start = len(self._at)
        self._api.llama_memory_seq_cp(self._memory, 0, 1, 0, start)
        where, carried = start, list(ending)
        for number, begin in enumerate(starts):
            tokens = [*carried, *begin]
            for first in range(0, len(tokens), self._batch_size):
                part = tokens[first:first + self._batch_size]
                last = first + len(part) == len(tokens)
                self._decode([
                    (t, where + first + i, 1, last and i == len(part) - 1) for i, t in enumerate(part)
                ])
            token = choose(number, self._logits(len(part) - 1))
            if token is None:
                where += len(carried)
                carried = []
                self._api.llama_memory_seq_rm(self._memory, 1, where, -1)
            else:
                where += len(tokens)
                carried = [token]
        self._api.llama_memory_seq_rm(self._memory, 1, -1, -1)

    def _decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Put (token, position, sequence, whether its logits are wanted) through the model."""
        batch = self._batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[i], batch.pos[i] = token, position
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, sequence
            batch.logits[i] = wanted
        code = self._api.llama_decode(self._ctx, batch)
        if code:
            self._api.llama_memory_clear(self._memory, True)
            self._at = []
            raise JudgeError(f"llama.cpp could not compute a batch of {len(rows)} tokens (code {code})")

    def _logits(self, row: int) -> NDArray[np.float32]:
        pointer = self._api.llama_get_logits_ith(self._ctx, row)
        return np.ctypeslib.as_array(pointer, shape=(self.n_vocab,)).astype(np.float32, copy=True)

    # -- kept beginnings ------------------------------------------------------------------------------------

    def _keep(self, key: bytes) -> None:
        size = int(self._api.llama_state_seq_get_size(self._ctx, 0))
        if size > _KEPT_BYTES // 4:
            return
        state = (ctypes.c_uint8 * size)()
        if not self._api.llama_state_seq_get_data(self._ctx, state, size, 0):
            return
        self._kept[key] = (self._at, state)
        self._kept_bytes += size
        while self._kept_bytes > _KEPT_BYTES:
            _, (_, old) = self._kept.popitem(last=False)
            self._kept_bytes -= ctypes.sizeof(old)

    def _restore(self, key: bytes) -> None:
        held, state = self._kept[key]
        self._kept.move_to_end(key)
        self._api.llama_memory_clear(self._memory, False)
        if not self._api.llama_state_seq_set_data(self._ctx, state, ctypes.sizeof(state), 0):
            raise JudgeError("llama.cpp could not take back a kept beginning of a prompt")
        self._at = list(held)

    def forget(self) -> None:
        """Drop everything computed, so that what comes next costs what it costs alone."""
        self._api.llama_memory_clear(self._memory, True)
        self._kept.clear()
        self._at, self._kept_bytes = [], 0

    def close(self) -> None:
        """Free model and context."""
        if self._ctx:
            self._api.llama_batch_free(self._batch)
            self._api.llama_free(self._ctx)
            self._api.llama_model_free(self._model)
            self._ctx = self._model = None


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two lists have in common at their beginning."""
    size = min(len(a), len(b))
    if list(a[:size]) == list(b[:size]):
        return size
    return next(i for i in range(size) if a[i] != b[i])
