"""Random numbers: a function of a key and of the place of an element, so that they are the same on every target, at every call
and however loops are shared out.

*Source:* Philox-2x32 with 10 rounds, of Salmon, Moraes, Dror and Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011). Its
counter is the row-major number of the element, lower word first. Box's and Muller's method makes a normal number of both words.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.loops.build.nest import smaller
from ingot.loops.nodes import Binary, Const, Expr, binary, both, call, cast, compare, index, select
from ingot.ops.cumulative import emit_running
from ingot.ops.elementwise import literal, scalar
from ingot.ops.moves.shapes import filled
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_reduce

Words = tuple[Expr, Expr]
_MULTIPLIER = 0xD256D193
_WEYL = 0x9E3779B9
_ROUNDS = 10
_MASK = 0xFFFFFFFF
_RATIO = 0.5  # of a Dropout that does not say it


# ─── the generator ─────────────────────────────────────────────────────────────────────────────────────────────────


def key_of(call_: OpCall) -> int:
    """The key of a node: the bits of its seed as a float32, of a whole number modulo 2³²; without a seed the first four bytes
    of the SHA-256 of the node's name, as a little-endian number.
    """
    seed = call_.attr("seed")
    if seed is None:
        return int.from_bytes(hashlib.sha256(call_.name.encode()).digest()[:4], "little")
    return int(seed) & _MASK if isinstance(seed, int) else int(np.float32(seed).view(np.uint32))


def philox(low: Expr, high: Expr, key: int) -> Words:
    """Two words of 32 random bits for a counter of two words (uint32)."""
    word, wide = DType.UINT32, DType.UINT64
    for _ in range(_ROUNDS):
        product = cast(low, wide) * Const(_MULTIPLIER, wide)
        upper = cast(binary("shr", product, Const(32, wide)), word)
        mixed = Binary("xor", Binary("xor", upper, Const(key, word)), high)
        low, high = mixed, cast(product, word)
        key = (key + _WEYL) & _MASK
    return low, high


def words_at(where: Sequence[Expr], shape: Sequence[int], key: int) -> Words:
    """The words of an element of a tensor."""
    place = index(0)
    for part, extent in zip(where, shape, strict=True):
        place = place * extent + part
    wide = cast(place, DType.UINT64)
    upper = cast(binary("shr", wide, Const(32, DType.UINT64)), DType.UINT32)
    beyond = math.prod(shape) > _MASK  # else the upper word is zero, which need not be computed
    return philox(cast(wide, DType.UINT32), upper if beyond else Const(0, DType.UINT32), key)


def unit(words: Words, dtype: DType) -> Expr:
    """A number of [0, 1) in float32 or float64: a multiple of 2⁻²⁴ or 2⁻⁵³."""
    first, second = words
    if dtype is DType.FLOAT32:
        return cast(binary("shr", first, Const(8, DType.UINT32)), dtype) * 2.0**-24
    upper = cast(binary("shr", first, Const(5, DType.UINT32)), dtype)
    lower = cast(binary("shr", second, Const(6, DType.UINT32)), dtype)
    return (upper * 2.0**26 + lower) * 2.0**-53


def normal(words: Words, dtype: DType) -> Expr:
    """A number of the standard normal distribution, at most 6.8 deviations from 0."""
    first, second = (cast(word, dtype) for word in words)
    radius = call("sqrt", call("log", (first + 0.5) * 2.0**-32) * -2.0)
    return radius * call("cos", second * (2 * math.pi * 2.0**-32))


def _computed(dtype: DType) -> DType:
    return DType.FLOAT64 if dtype is DType.FLOAT64 else DType.FLOAT32


# ─── operators ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _drawn(
    number: Callable[[OpCall, Words, DType], Expr], name: str
) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """The rule of an operator whose output depends on its shape only."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        output, key = call_.output(), key_of(call_)
        if not output.dtype.is_float:
            call_.unsupported(f"random numbers of {output.dtype.value}, expected floats")

        def at(where: tuple[Expr, ...]) -> Expr:
            words = words_at(where, output.shape, key)
            return cast(number(call_, words, _computed(output.dtype)), output.dtype)

        return (emit.pointwise([], output, at, name),)

    return lower


def _between(call_: OpCall, words: Words, dtype: DType) -> Expr:
    """Of [low, high): what rounding would lift to `high` is the number before it."""
    low, high = float(call_.attr("low", 0.0)), float(call_.attr("high", 1.0))
    if (low, high) == (0.0, 1.0):
        return unit(words, dtype)
    drawn = unit(words, dtype) * (high - low) + low
    last = float(np.nextafter(dtype.numpy.type(high), dtype.numpy.type(low)))
    return smaller(drawn, Const(last, dtype)) if low < high else drawn


def _around(call_: OpCall, words: Words, dtype: DType) -> Expr:
    mean, scale = float(call_.attr("mean", 0.0)), float(call_.attr("scale", 1.0))
    return normal(words, dtype) * scale + mean


def _bernoulli(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Bernoulli 15, 22: 1 with the probability that the input says, else 0. A NaN is 0."""
    x, output, key = call_.input(0), call_.output(), key_of(call_)
    dtype = _computed(x.dtype)

    def at(where: tuple[Expr, ...], read: Callable[..., Expr]) -> Expr:
        drawn = unit(words_at(where, x.shape, key), dtype)
        return cast(compare("lt", drawn, cast(read(*where), dtype)), output.dtype)

    return (emit.pointwise([x], TensorType(output.dtype, x.shape), at, "bernoulli"),)


def _multinomial(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Multinomial 7, 22: classes by their unnormalised logarithmic probabilities, `[batch, classes]` to `[batch, samples]`.

    A sample is the number of classes up to which the probabilities sum to at most a uniform number.
    """
    x, output, key = call_.input(0), call_.output(), key_of(call_)
    if x.rank != 2 or not x.shape[1]:
        call_.unsupported(f"the input has the shape {list(x.shape)}, expected a batch of at least one class")
    dtype, classes = _computed(x.dtype), x.shape[1]
    if classes == 1:
        return (filled(emit, output, Const(0, output.dtype), "only_class"),)
    work = emit_cast(emit, x, dtype)
    maxima = emit_reduce(emit, work, [1], "max")
    weights = emit.pointwise(
        [work, maxima],
        work.type,
        lambda where, read, top: call("exp", read(*where) - top(where[0], 0)),
        "weights",
    )
    sums = emit_running(emit, weights, 1, "cumsum")
    each = TensorType(DType.INT32, (*output.shape, classes - 1))

    def below(where: tuple[Expr, ...], read: Callable[..., Expr]) -> Expr:
        drawn = unit(words_at(where[:2], output.shape, key), dtype) * read(where[0], classes - 1)
        return cast(compare("le", read(where[0], where[2]), drawn), DType.INT32)

    counts = emit_reduce(emit, emit.pointwise([sums], each, below, "below"), [2], "sum")
    return (emit.reshape(emit_cast(emit, counts, output.dtype), output.shape),)


def _dropout(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Dropout 12, 13, 22: in training mode an element is dropped with the probability `ratio`, and the others are multiplied by
    `1 / (1 - ratio)`. Mode and ratio may be known only while running.
    """
    x = call_.input(0)
    for position, role in ((1, "ratio"), (2, "training_mode")):
        call_.require_one(position, role)
    mode, ratio = call_.optional(2), call_.optional(1)
    mask = TensorType(DType.BOOL, x.shape)
    if mode is None or _is_zero(mode) or (ratio is not None and _is_zero(ratio)):
        return (x, filled(emit, mask, Const(True, DType.BOOL), "mask")) if call_.wants(1) else (x,)
    dtype, key = _computed(x.dtype), key_of(call_)
    given = [mode] if ratio is None else [mode, ratio]

    def kept(where: Sequence[Expr], reads: Sequence[Callable[..., Expr]]) -> tuple[Expr, Expr, Expr]:
        """Whether an element is kept, whether it is training, and the ratio."""
        part = Const(_RATIO, dtype) if ratio is None else cast(scalar(ratio, reads[1]), dtype)
        trains = scalar(mode, reads[0])
        drops = compare("lt", unit(words_at(where, x.shape, key), dtype), part)
        return Binary("xor", both(trains, drops), Const(True, DType.BOOL)), trains, part

    def at(where: tuple[Expr, ...], read: Callable[..., Expr], *reads: Callable[..., Expr]) -> Expr:
        keeps, trains, part = kept(where, reads)
        unit = Const(1.0, dtype)
        factor = select(trains, select(keeps, unit / (unit - part), 0.0), unit)
        return cast(cast(read(*where), dtype) * factor, x.dtype)

    y = emit.pointwise([x, *given], x.type, at, "dropout")
    if not call_.wants(1):
        return (y,)
    return y, emit.pointwise(given, mask, lambda where, *reads: kept(where, reads)[0], "mask")


def _is_zero(tensor: Tensor) -> bool:
    """Whether a tensor of one element is known to be 0 or false."""
    known = literal(tensor)
    return known is not None and not known.value


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "RandomUniform", 1, _drawn(_between, "random_uniform"), draws=True),
    OpDef("", "RandomUniformLike", 1, _drawn(_between, "random_uniform"), draws=True),
    OpDef("", "RandomNormal", 1, _drawn(_around, "random_normal"), draws=True),
    OpDef("", "RandomNormalLike", 1, _drawn(_around, "random_normal"), draws=True),
    OpDef("", "Bernoulli", 15, _bernoulli, draws=True),
    OpDef("", "Multinomial", 7, _multinomial, draws=True),
    OpDef("", "Dropout", 12, _dropout),
)
