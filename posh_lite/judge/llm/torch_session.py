"""A causal model of the transformers library in this process: shared beginnings, batches of endings.

The keys and values of a beginning are computed once and lent to a batch of endings. Endings are padded on the right:
a causal model never looks there, so neither the padding nor the company that a prompt has in its batch can change
what is read, sliding windows included.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from posh_lite.judge.llm.chat import common

#: Keys and values of one layer.
Layers = list[tuple[Any, Any]]
_ROWS = 64  # prompts in one batch
_KEPT_BYTES = 1 << 30  # of beginnings kept in memory
_BATCH_BYTES = 1 << 30  # of keys, values and logits of one batch, where the device does not say what it has


class TorchSession:
    """A loaded model and the beginnings that it has computed.

    Args:
        model: a causal language model in evaluation mode.
        reuse: whether beginnings are kept and shared; without, every prompt is computed whole and alone. Models with
            recurrent layers cannot share and are computed alone in any case.
    """

    def __init__(self, model: Any, *, reuse: bool = True) -> None:
        self._model = model
        self.reuse = reuse and _shareable(model)
        self._narrow = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._vocabulary = int(model.get_input_embeddings().weight.shape[0])
        self._kept: OrderedDict[tuple[int, ...], Layers] = OrderedDict()

    # -- computing ------------------------------------------------------------------------------------------

    def begin(self, tokens: Sequence[int]) -> tuple[Layers, int]:
        """Keys and values of a beginning, and how many of its tokens had to be computed."""
        wanted = tuple(tokens)
        if not self.reuse or not wanted:
            return [], 0
        best = max(self._kept, key=lambda held: common(held, wanted), default=())
        same = common(best, wanted)
        layers = _cut(self._kept[best], same) if same else []
        if same:
            self._kept.move_to_end(best)
        if same == len(wanted):
            return layers, 0
        cache, _ = self._forward([list(wanted[same:])], layers, same, [0])
        layers = [(layer.keys, layer.values) for layer in cache.layers]
        self._kept[wanted] = layers
        total = sum(map(_bytes, self._kept.values()))
        while total > _KEPT_BYTES and len(self._kept) > 1:
            total -= _bytes(self._kept.popitem(last=False)[1])
        return layers, len(wanted) - same

    def ends(self, layers: Layers, start: int, endings: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Any]]:
        """Compute what follows each ending of a beginning of ``start`` tokens.

        Yields:
            Indices of endings, and the logits after their last tokens: a tensor (endings, vocabulary).
        """
        for part in self._batches(layers, start, endings):
            rows = [list(endings[i]) for i in part]
            lasts = [len(row) - 1 for row in rows]
            size = max(lasts) + 1
            _, logits = self._forward([row + [0] * (size - len(row)) for row in rows], layers, start, lasts)
            yield part, logits

    def follow(
        self, tokens: Sequence[int], layers: Layers, start: int, n: int, most: int,
        choose: Callable[[int, Any], int], is_end: Callable[[int], bool],
    ) -> list[list[int]]:
        """``n`` continuations of one prompt, token by token.

        Args:
            tokens: of the whole prompt.
            layers: of its beginning.
            start: tokens of that beginning.
            n: how many.
            most: the longest of them, in tokens.
            choose: picks a token from the number of the continuation and its logits.
            is_end: whether a token ends the answer.
        """
        import torch

        made: list[list[int]] = [[] for _ in range(n)]
        if not self.reuse:  # slow, and right whatever the model keeps
            for i in range(n):
                while len(made[i]) < most:
                    whole = [*tokens, *made[i]]
                    token = choose(i, self._forward([whole], [], 0, [len(whole) - 1])[1][0])
                    if is_end(token):
                        break
                    made[i].append(token)
            return made
        cache, logits = self._forward([list(tokens[start:])], layers, start, [len(tokens) - start - 1])
        alive, logits, at = list(range(n)), logits.expand(n, -1), len(tokens)
        for step in range(most):
            chosen = [choose(i, row) for i, row in zip(alive, logits, strict=True)]
            kept = [k for k, token in enumerate(chosen) if not is_end(token)]
            for k in kept:
                made[alive[k]].append(chosen[k])
            if not kept or step == most - 1:
                break
            if step == 0:
                cache.batch_repeat_interleave(n)
            if len(kept) < len(alive):
                cache.batch_select_indices(torch.tensor(kept, device=self._model.device))
            alive = [alive[k] for k in kept]
            cache, logits = self._step([[chosen[k]] for k in kept], cache, at, [0] * len(kept))
            at += 1
        return made

    def _forward(self, rows: list[list[int]], layers: Layers, start: int, lasts: list[int]) -> tuple[Any, Any]:
        """Put rows of equal length behind a beginning; the cache, and the logits of the last real token of each."""
        from transformers import DynamicCache

        cache = DynamicCache() if self.reuse else None
        if layers:
            cache = DynamicCache([tuple(t.expand(len(rows), -1, -1, -1) for t in pair) for pair in layers])
        return self._step(rows, cache, start, lasts)

    def _step(self, rows: list[list[int]], cache: Any, start: int, lasts: list[int]) -> tuple[Any, Any]:
        import torch

        device = self._model.device
        ids = torch.tensor(rows, device=device)
        size = ids.shape[1]
        different = sorted(set(lasts))
        narrow = {"logits_to_keep": torch.tensor(different, device=device)} if self._narrow else {}
        with torch.inference_mode():
            found = self._model(
                input_ids=ids, **({} if cache is None else {"past_key_values": cache}), use_cache=cache is not None,
                attention_mask=torch.ones((len(rows), start + size), dtype=torch.long, device=device),
                position_ids=torch.arange(start, start + size, device=device).expand(len(rows), -1), **narrow,
            )
        columns = [different.index(last) for last in lasts] if narrow else lasts
        return cache, found.logits[torch.arange(len(rows), device=device), columns]

    # -- batches --------------------------------------------------------------------------------------------

    def _batches(self, layers: Layers, start: int, endings: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Endings of similar length together, as many as there is room for."""
        order = sorted(range(len(endings)), key=lambda i: len(endings[i]))
        if not layers:  # nothing is shared: each alone, since not every model can be padded without a beginning
            yield from ([i] for i in order)
            return
        room, each = self._room(), _bytes(layers) // max(start, 1)
        at = 0
        while at < len(order):
            part = [order[at]]
            for i in order[at + 1:at + _ROWS]:
                size = len(endings[i])
                columns = len({len(endings[k]) for k in part} | {size}) if self._narrow else size
                if (len(part) + 1) * ((start + size) * each * 2 + columns * self._vocabulary * 4) > room:
                    break
                part.append(i)
            yield part
            at += len(part)

    def _room(self) -> int:
        import torch

        if self._model.device.type == "cuda":
            return int(torch.cuda.mem_get_info(self._model.device)[0]) // 2
        return _BATCH_BYTES


def _cut(layers: Layers, size: int) -> Layers:
    return [(k[:, :, :size], v[:, :, :size]) for k, v in layers]


def _bytes(layers: Layers) -> int:
    return sum(t.numel() * t.element_size() for pair in layers for t in pair)


def _shareable(model: Any) -> bool:
    """Whether all of a model's memory is keys and values by position, which can be cut and lent."""
    import torch
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    with torch.inference_mode():
        used = model(input_ids=torch.zeros((1, 1), dtype=torch.long, device=model.device), use_cache=True)
    cache = getattr(used, "past_key_values", None)
    plain = (DynamicLayer, DynamicSlidingWindowLayer)
    return isinstance(cache, DynamicCache) and all(type(layer) in plain for layer in cache.layers)
