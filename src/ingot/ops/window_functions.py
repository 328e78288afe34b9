"""Tables for signals: the windows of Hann, Hamming and Blackman, and MelWeightMatrix, triangles over frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Const, Expr, both, call, cast, compare, select
from ingot.ops.arguments import is_open, only
from ingot.ops.casts import dtype_attribute
from ingot.ops.elementwise import scalar
from ingot.ops.opdef import Emitter, Implied, Lower, OpCall, OpDef, Tensor

Read = Callable[..., Expr]
# Elements of a table that is made while building.
_MAX_SIZE = 1 << 24


def _window(*factors: float) -> Lower:
    """A window whose element at `t` of a turn is the sum of `factors[k] * cos(k * t)`."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        size = int(call_.scalar(0, "size"))
        dtype = dtype_attribute(call_, "output_datatype", DType.FLOAT32)
        if not 0 <= size <= _MAX_SIZE or not dtype.is_float or dtype is DType.BFLOAT16:
            call_.unsupported(f"a table of {size} elements of {dtype.value} is not made while building")
        steps = size if call_.attr("periodic", 1) else size - 1
        turn = np.arange(size) * (2 * np.pi / max(steps, 1))
        table = sum(factor * np.cos(number * turn) for number, factor in enumerate(factors))
        return (emit.constant(np.asarray(table, dtype.numpy).reshape(size)),)

    return lower


def _implied(call_: OpCall) -> Implied | None:
    return only(call_, 0, "size", call_.output().shape) if is_open(call_, 0) and call_.wants(0) else None


# ─── mel bands ─────────────────────────────────────────────────────────────────────────────────────────────────────

# Hertz and mel as ONNX's text has them: mel = 2595 * log10(1 + hertz / 700).
_MEL, _HERTZ, _LOG_10 = 2595.0, 700.0, math.log(10)


def _mel_weights(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MelWeightMatrix 17: the numbers of bands and of frequencies are those of the stated shape.

    In float64. An edge that falls exactly on a frequency may be rounded to the one before, as powers of 10 are not exact.
    """
    operands = [call_.input(position) for position in range(5)]
    for position, tensor in enumerate(operands):
        call_.require_one(position, tensor.name)
    output = call_.output()
    frequencies, bands = output.shape
    emit.check(
        operands,
        lambda read, read_length, read_rate, *_: both(
            compare("eq", cast(scalar(operands[0], read), DType.INT64), bands),
            compare("eq", cast(scalar(operands[1], read_length), DType.INT64) // 2 + 1, frequencies),
            compare("gt", cast(scalar(operands[2], read_rate), DType.INT64), 0),
        ),
        "num_mel_bins, dft_length and sample_rate",
        f"{bands} bins of {frequencies} frequencies, as the stated shape {list(output.shape)} says",
    )
    edges = emit.pointwise(
        operands[1:], TensorType(DType.INT64, (bands + 2,)), _edge(operands[1:], bands), "edges"
    )

    def weight(where: tuple[Expr, ...], read: Read) -> Expr:
        at, band = where
        low, middle, high = (read(band + number) for number in range(3))
        rising, falling = (cast(part, DType.FLOAT64) for part in (middle - low, high - middle))
        up = cast(at - low, DType.FLOAT64) / select(
            compare("eq", rising, 0.0), Const(1.0, DType.FLOAT64), rising
        )
        down = cast(high - at, DType.FLOAT64) / select(
            compare("eq", falling, 0.0), Const(1.0, DType.FLOAT64), falling
        )
        is_middle = both(compare("eq", middle, low), compare("eq", at, middle))
        whole, zero = Const(1.0, DType.FLOAT64), Const(0.0, DType.FLOAT64)
        before = select(
            both(compare("ge", at, low), compare("le", at, middle)), select(is_middle, whole, up), zero
        )
        is_behind = both(compare("ge", at, middle), compare("lt", at, high))
        return cast(select(is_behind, down, before), output.dtype)

    return (emit.pointwise([edges], output, weight, "mel_weights"),)


def _edge(operands: Sequence[Tensor], bands: int) -> Callable[..., Expr]:
    """The frequency at which a band begins, as a number of the transform's."""

    def value(where: tuple[Expr, ...], *reads: Read) -> Expr:
        length, rate, lower, upper = (
            cast(scalar(tensor, read), DType.FLOAT64) for tensor, read in zip(operands, reads, strict=True)
        )
        low, high = (call("log", hertz / _HERTZ + 1.0) * (_MEL / _LOG_10) for hertz in (lower, upper))
        mel = low + cast(where[0], DType.FLOAT64) * ((high - low) / float(bands + 2))
        hertz = (call("exp", mel * (_LOG_10 / _MEL)) - 1.0) * _HERTZ
        return cast(call("floor", (length + 1.0) * hertz / rate), DType.INT64)

    return value


# The factors are those of ONNX's text; those of Hamming's are fractions of 46.
_WINDOWS = tuple(
    OpDef("", name, 17, _window(*factors), constant_inputs=(0,), implied=_implied)
    for name, factors in (
        ("HannWindow", (0.5, -0.5)),
        ("HammingWindow", (25 / 46, -21 / 46)),
        ("BlackmanWindow", (0.42, -0.5, 0.08)),
    )
)
OPERATORS: tuple[OpDef, ...] = (
    *_WINDOWS,
    OpDef("", "MelWeightMatrix", 17, _mel_weights, constant_inputs=(0, 1, 2, 3, 4), computes_open=True),
)
