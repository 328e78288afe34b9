"""Discrete Fourier transforms, as products with matrices made while building."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Expr, both, cast, compare
from ingot.ops.arguments import is_open, numbers
from ingot.ops.cumulative import chosen
from ingot.ops.facts import Folding
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Option, Tensor
from ingot.ops.reduce import emit_cast, normalise_axes


def _angles(rows: int, columns: int, length: int) -> np.ndarray:
    """`2π * row * column / length`; the product is reduced first, so that long transforms stay exact."""
    product = np.outer(np.arange(rows, dtype=np.int64), np.arange(columns, dtype=np.int64)) % length
    return 2 * np.pi * product / length


def transform_matrix(samples: int, parts: int, length: int, inverse: bool, onesided: bool) -> np.ndarray:
    """The matrix that takes `samples` numbers of `parts` (1 real, 2 complex) components to a transform of that length.

    The shape is `[samples * parts, results * components]`. Samples behind `length` count for nothing. One-sided: forward,
    only the first `length // 2 + 1` frequencies are results; inverse, these are the samples and the results are real.
    """
    if inverse and onesided:
        used = min(samples, length // 2 + 1)
        angle = _angles(used, length, length)
        weight = np.full((used, 1), 2.0)
        weight[0] = 1.0
        if length % 2 == 0 and used == length // 2 + 1:
            weight[-1] = 1.0
        matrix = np.zeros((samples, parts, length, 1))
        matrix[:used, 0, :, 0] = weight * np.cos(angle) / length
        if parts == 2:
            matrix[:used, 1, :, 0] = -weight * np.sin(angle) / length
        return matrix.reshape(samples * parts, length)
    used = min(samples, length)
    results = length // 2 + 1 if onesided else length
    angle = _angles(used, results, length)
    cosine, sine = np.cos(angle), np.sin(angle)
    if inverse:
        cosine, sine = cosine / length, -sine / length
    matrix = np.zeros((samples, parts, results, 2))
    matrix[:used, 0, :, 0] = cosine
    matrix[:used, 0, :, 1] = -sine
    if parts == 2:
        matrix[:used, 1, :, 0] = sine
        matrix[:used, 1, :, 1] = cosine
    return matrix.reshape(samples * parts, results * 2)


def _move(emit: Emitter, x: Tensor, axis: int, to: int) -> Tensor:
    """The tensor with one dimension moved to another place."""
    if axis == to:
        return x
    order = [dimension for dimension in range(x.rank) if dimension != axis]
    order.insert(to, axis)

    def value(where: tuple[Expr, ...], read: Callable[..., Expr]) -> Expr:
        return read(*(where[order.index(dimension)] for dimension in range(x.rank)))

    moved = TensorType(x.dtype, tuple(x.shape[dimension] for dimension in order))
    return emit.pointwise([x], moved, value, "transpose")


def _transform(
    call_: OpCall, emit: Emitter, x: Tensor, axis: int, matrix: np.ndarray, components: int
) -> Tensor:
    """Emits the product of `x [..., samples, ..., parts]` with a matrix along an axis."""
    last = x.rank - 2
    moved = _move(emit, x, axis, last)
    rows = int(np.prod(moved.shape[:-2], dtype=np.int64))
    flat = emit.reshape(moved, (rows, moved.shape[-2] * moved.shape[-1]))
    product = matmul(call_, emit, flat, emit.constant(matrix.astype(x.dtype.numpy)))
    shaped = emit.reshape(product, (*moved.shape[:-2], matrix.shape[1] // components, components))
    return _move(emit, shaped, last, axis)


def _dft(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DFT 17 (axis as an attribute), 20 (as an input)."""
    x = call_.input(0)
    if x.rank < 2 or x.shape[-1] not in (1, 2):
        call_.unsupported(
            f"a signal of shape {list(x.shape)}; the last dimension must be 1 (real) or 2 (complex)"
        )
    length = None if call_.optional(1) is None else int(call_.scalar(1, "dft_length"))
    call_.require_one(2, "axis")
    given = call_.optional(2)
    if given is not None and given.constant is None:
        return (_along_any(call_, emit, x, given, length),)
    stated = call_.attr("axis", 1) if call_.version < 20 else -2 if given is None else call_.scalar(2, "axis")
    (axis,) = normalise_axes(call_, [int(stated)], x.rank)
    if axis == x.rank - 1:
        call_.unsupported("a transform along the dimension of real and imaginary parts")
    return (_along(call_, emit, x, axis, length),)


def _along(call_: OpCall, emit: Emitter, x: Tensor, axis: int, length: int | None) -> Tensor:
    inverse, onesided = bool(call_.attr("inverse", 0)), bool(call_.attr("onesided", 0))
    if length is None:
        length = 2 * (x.shape[axis] - 1) if inverse and onesided else x.shape[axis]
    if length < 1:
        call_.unsupported(f"a transform of length {length}")
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    matrix = transform_matrix(x.shape[axis], x.shape[-1], length, inverse, onesided)
    result = _transform(call_, emit, work, axis, matrix, 1 if inverse and onesided else 2)
    return emit_cast(emit, result, x.dtype)


def _along_any(call_: OpCall, emit: Emitter, x: Tensor, axis: Tensor, length: int | None) -> Tensor:
    """The transform along an axis that is known only while running: along each whose result has the shape that is stated."""
    stated = call_.output().shape
    inverse, onesided = bool(call_.attr("inverse", 0)), bool(call_.attr("onesided", 0))
    results: list[Tensor | None] = []
    for dimension in range(x.rank - 1):
        samples = length or (2 * (x.shape[dimension] - 1) if inverse and onesided else x.shape[dimension])
        bins = samples // 2 + 1 if onesided and not inverse else samples
        shape = (*x.shape[:dimension], bins, *x.shape[dimension + 1 : -1], 1 if inverse and onesided else 2)
        results.append(_along(call_, emit, x, dimension, length) if shape == stated and samples else None)
    if not any(results):
        call_.unsupported(
            f"along no axis of {list(x.shape)} has the transform the stated shape {list(stated)}"
        )
    return chosen(emit, axis, [*results, None])


def _stft(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """STFT 17: `signal [B, L, 1 or 2]` → `[B, frames, frequencies, 2]`."""
    x, window = call_.input(0), call_.optional(2)
    step = int(call_.scalar(1, "frame_step"))
    onesided = bool(call_.attr("onesided", 1))
    if x.rank != 3 or x.shape[2] not in (1, 2):
        call_.unsupported(
            f"a signal of shape {list(x.shape)}; expected [batch, samples, 1 (real) or 2 (complex)]"
        )
    length = window.shape[0] if window is not None else x.shape[1]
    if call_.optional(3) is not None:
        length = int(call_.scalar(3, "frame_length"))
    if step < 1 or not 1 <= length <= x.shape[1] or (window is not None and window.shape != (length,)):
        call_.unsupported(f"frames of {length} every {step} of a signal {list(x.shape)}")
    frames = 1 + (x.shape[1] - length) // step
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    operands = [work] if window is None else [work, emit_cast(emit, window, work.dtype)]

    def value(where: tuple[Expr, ...], read: Callable[..., Expr], *weight: Callable[..., Expr]) -> Expr:
        sample = read(where[0], where[1] * step + where[2], where[3])
        return sample * weight[0](where[2]) if weight else sample

    output = TensorType(work.dtype, (x.shape[0], frames, length, x.shape[2]))
    framed = emit.pointwise(operands, output, value, "frames")
    matrix = transform_matrix(length, x.shape[2], length, False, onesided)
    return (emit_cast(emit, _transform(call_, emit, framed, 2, matrix, 2), x.dtype),)


def _frames(call_: OpCall) -> Implied | None:
    """Lengths and steps of frames that give the stated numbers of frames and of frequencies."""
    if not (is_open(call_, 1) or is_open(call_, 3)) or not call_.wants(0):
        return None
    samples, (_, frames, frequencies, *_) = call_.input(0).shape[1], call_.output().shape
    onesided = bool(call_.attr("onesided", 1))
    options = tuple(
        {
            1: numbers(step).reshape(call_.input(1).shape),
            **({} if call_.optional(3) is None else {3: numbers(length).reshape(call_.input(3).shape)}),
        }
        for length in _lengths(call_, frequencies, onesided)
        if 1 <= length <= samples and (length // 2 + 1 if onesided else length) == frequencies
        for step in _steps(call_, samples - length, frames)
    )

    def means(option: Option, reads: Mapping[int, Callable[..., Expr]]) -> Expr:
        """One frame is the same whatever comes behind it: then its step may be longer than the one of the option."""
        words = {1: "ge" if frames == 1 else "eq", 3: "eq"}
        return both(
            *(
                compare(
                    words[position],
                    cast(read(*(0,) * option[position].ndim), DType.INT64),
                    int(option[position].flat[0]),
                )
                for position, read in reads.items()
            )
        )

    return Implied({1: "frame_step", 3: "frame_length"}, options, means)


def _lengths(call_: OpCall, frequencies: int, onesided: bool) -> Sequence[int]:
    """Lengths that frames may have."""
    window, length = call_.optional(2), call_.optional(3)
    if length is not None and length.constant is not None:
        return (int(length.constant.flat[0]),)
    if window is not None:
        return (window.type.size,)
    if length is None:
        return (call_.input(0).shape[1],)
    return (2 * frequencies - 2, 2 * frequencies - 1) if onesided else (frequencies,)


def _steps(call_: OpCall, room: int, frames: int) -> Sequence[int]:
    """Steps by which so many frames fit, the last of which begins at `room` at the latest."""
    step = call_.input(1).constant
    if step is not None:
        return (int(step.flat[0]),)
    return (room + 1,) if frames == 1 else range(room // frames + 1, room // max(frames - 1, 1) + 1)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "DFT", 17, _dft, constant_inputs=(1,), folding=Folding.PAIRS),
    OpDef("", "DFT", 20, _dft, constant_inputs=(1,), folding=Folding.PAIRS),
    OpDef(
        "",
        "STFT",
        17,
        _stft,
        constant_inputs=(1, 3),
        folding=Folding.PAIRS,
        misinferred=True,
        implied=_frames,
    ),
)
