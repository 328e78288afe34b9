"""Caches of keys and values as GroupQueryAttention has them: quantized ones, and ones that have a window of the last keys.

*Source:* the operator's text in onnxruntime 1.32, and what its CPU kernel computes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.onnxruntime.attention import INT
from ingot.graph.rewrite.writer import StaysError, Writer

_FAR = 1 << 40  # a place behind all that a query may see
_MODES = ("NONE", "PER_TENSOR", "PER_CHANNEL")


# ─── quantized caches ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Elements:
    """How the elements of a cache are kept: as they are where `scale` is None, else as whole numbers of `bits` bits times the
    scale, those of 4 bits two in a byte, the first in its low bits, and 8 more than they are.
    """

    scale: ir.Value | None = None
    bits: int = 8

    def kept(self, to: Writer, x: ir.Value) -> ir.Value:
        """Numbers `[B, G, S, D]` as the cache keeps them."""
        if self.scale is None:
            return x
        bound = 1 << (self.bits - 1)
        rounded = to.op("Round", [to.op("Div", [to.cast(x, ir.DataType.FLOAT), self.scale])])
        limits = [to.constant(limit, ir.DataType.FLOAT) for limit in (-bound, bound - 1)]
        whole = to.op("Clip", [rounded, *limits])
        if self.bits == 8:
            return to.cast(whole, ir.DataType.INT8)
        pairs = to.reshape(whole, (*to.shape(whole)[:3], to.shape(whole)[3] // 2, 2))
        low, high = (to.slice(pairs, 4, at, at + 1) for at in (0, 1))
        byte = to.add(low, to.scaled(high, 16.0), to.constant(8.0 + 8 * 16, ir.DataType.FLOAT))
        return to.cast(to.reshape(byte, to.shape(pairs)[:4]), ir.DataType.UINT8)

    def numbers(self, to: Writer, kept: ir.Value, dtype: ir.DataType) -> ir.Value:
        """What a cache keeps as numbers `[B, G, T, D]`."""
        if self.scale is None:
            return kept
        whole = kept
        if self.bits == 4:
            batch, groups, keys, half = to.shape(kept)
            bytes_ = to.reshape(to.cast(kept, ir.DataType.INT32), (batch, groups, keys, half, 1))
            nibbles = to.op("Div", [bytes_, to.constant([1, 16], ir.DataType.INT32)])
            nibbles = to.op("Mod", [nibbles, to.constant(16, ir.DataType.INT32)])
            nibbles = to.op("Sub", [nibbles, to.constant(8, ir.DataType.INT32)])
            whole = to.reshape(nibbles, (batch, groups, keys, 2 * half))
        return to.cast(to.op("Mul", [to.cast(whole, ir.DataType.FLOAT), self.scale]), dtype)


def elements_of(to: Writer, name: str, past: ir.Value | None, position: int) -> Elements:
    """How the cache of keys (`name` is k) or values (v) keeps its elements. Its scale is the input at `position`."""
    mode, scale = to.text(f"{name}_quant_type") or "NONE", to.input(position)
    if mode not in _MODES:
        raise StaysError(f"{name}_quant_type={mode!r}, expected one of {', '.join(map(repr, _MODES))}")
    if mode == "NONE":
        to.refuse(f"a scale of a cache with {name}_quant_type='NONE'", position)
        return Elements()
    if scale is None or past is None:
        raise StaysError(f"{name}_quant_type={mode!r} needs a past and input {position} ({name}_scale)")
    bits = to.number("kv_cache_bit_width", 0) or 8
    expected = {8: ir.DataType.INT8, 4: ir.DataType.UINT8}.get(bits)
    if expected is None or to.dtype(past) != expected:
        raise StaysError(
            f"a cache of {to.dtype(past).name.lower()} with kv_cache_bit_width={bits}, expected int8 with 8 or uint8 with 4"
        )
    _, groups, _, size = to.shape(past, 4)
    size *= 8 // bits
    if mode == "PER_TENSOR":
        if np.prod(to.shape(scale), dtype=int) != 1:
            raise StaysError(f"{name}_scale has the shape {list(to.shape(scale))}, expected one number")
        return Elements(to.reshape(scale, ()), bits)
    if np.prod(to.shape(scale), dtype=int) != groups * size:
        raise StaysError(
            f"{name}_scale has the shape {list(to.shape(scale))}, expected [1, {groups}, 1, {size}]"
        )
    return Elements(to.reshape(scale, (1, groups, 1, size)), bits)


# ─── caches of a window ────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Window:
    """A cache with room for `keys`, of which a query sees the last `size`: row `i` has the key at place `first + i`. `first` is
    the place of the first row before new keys come, `then` behind them; `start` is the place of the first of `rows` new ones, of
    which `count` are there. All are `[B, 1, 1, 1]`.
    """

    keys: int
    rows: int
    start: ir.Value
    first: ir.Value
    then: ir.Value
    count: ir.Value

    def with_new(self, to: Writer, past: ir.Value, new: ir.Value) -> ir.Value:
        """The cache behind new keys: old ones move to the front."""
        shape = (*to.shape(new)[:2], self.keys, to.shape(new)[3])
        places = to.add(self.then, to.constant(np.arange(self.keys).reshape(1, 1, -1, 1), INT))
        behind = to.op("Sub", [places, self.start])
        is_new = to.op("Less", [to.constant(-1, INT), behind])
        old = self._rows(to, past, to.op("Sub", [places, self.first]), shape)
        return to.op("Where", [is_new, self._rows(to, new, behind, shape), old])

    def _rows(self, to: Writer, x: ir.Value, rows: ir.Value, shape: tuple[int, ...]) -> ir.Value:
        """The rows of these numbers; some other for those that `x` has not."""
        last = to.constant(to.shape(x)[2] - 1, INT)
        rows = to.op("Where", [to.op("Less", [rows, last]), rows, last])
        zero = to.constant(0, INT)
        rows = to.op("Where", [to.op("Less", [rows, zero]), zero, rows])
        return to.op("GatherElements", [x, to.expand(rows, shape)], ir.AttrInt64("axis", 2))

    def places(self, to: Writer) -> ir.Value:
        """The places of the keys that `seen` gives, `[B, 1, 1, keys]`."""
        numbers = to.constant(np.arange(self.keys).reshape(1, 1, 1, -1), INT)
        if self.rows == 1:
            return to.add(self.then, numbers)
        old = to.add(self.first, numbers)
        old = to.op("Where", [to.op("Less", [old, self.start]), old, to.constant(_FAR, INT)])
        new = to.add(self.start, to.constant(np.arange(self.rows).reshape(1, 1, 1, -1), INT))
        return to.concat([old, new], 3)

    def seen(self, to: Writer, past: ir.Value, new: ir.Value, present: ir.Value) -> ir.Value:
        """All keys that a query may see: of several new ones, the first may see what the last one has displaced."""
        return present if self.rows == 1 else to.concat([past, new], 2)


def window_of(to: Writer, keys: int, rows: int, total: ir.Value, count: ir.Value) -> Window:
    """The window of a cache of `keys` that has seen `total [B, 1, 1, 1]` places, of which `count` are new."""
    size = to.number("local_window_size", -1)
    if not 0 < size <= keys:
        raise StaysError(
            f"sliding_window_cache with local_window_size={size} for a cache of {keys} keys, expected 1 to {keys}"
        )
    if to.input(10) is not None:
        raise StaysError("input 10 (attention_bias) is not supported together with sliding_window_cache")
    start = to.op("Sub", [total, count])
    # The cache drops so many keys at once, as often as it is full.
    dropped, zero = keys - size + 1, to.constant(0, INT)

    def first(places: ir.Value) -> ir.Value:
        over = to.op("Sub", [places, to.constant(keys, INT)])
        over = to.op("Where", [to.op("Less", [over, zero]), zero, over])
        times = to.op("Div", [to.add(over, to.constant(dropped - 1, INT)), to.constant(dropped, INT)])
        return to.op("Mul", [times, to.constant(dropped, INT)])

    return Window(keys, rows, start, first(start), first(total), count)
