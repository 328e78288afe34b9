"""Resize and Upsample whose scales, sizes or regions are known only while running.

The shape of the result is stated. Kernels make the tables of places and weights (`ops/images/resize` has them as constants)
in float64, and a check ends the run first where the arguments give another shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.resize import resize_template, weighted_tap
from ingot.loops.nodes import Const, Expr, both, call, cast, compare, index, maximum, minimum, select
from ingot.ops.arguments import either
from ingot.ops.images.resize_rule import UNROLLED_TAPS_MAX, Read, Rule, converted
from ingot.ops.opdef import Emitter, OpCall, Tensor
from ingot.ops.reduce import emit_reduce

_F64 = DType.FLOAT64
CROPS = "tf_crop_and_resize"


@dataclass(frozen=True, slots=True, eq=False)
class OpenAxis:
    """How one axis is resized: element `number` of the scales is its own, as are elements `number` and `number + count` of the
    regions, which are where the part begins and ends that is meant, from 0 to 1.
    """

    axis: int
    number: int
    count: int
    extent: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """What all axes need, as tensors of float64: scales, and regions where a rule crops."""

    scales: Tensor
    regions: Tensor | None


# ─── arguments ─────────────────────────────────────────────────────────────────────────────────────────────────────


def described(call_: OpCall, x: Tensor, axes: Sequence[int]) -> list[OpenAxis]:
    """The axes that are resized, by the stated shape."""
    stated = call_.output().shape
    if len(stated) != x.rank or any(
        extent != x.shape[axis] for axis, extent in enumerate(stated) if axis not in axes
    ):
        call_.unsupported(
            f"the stated output {list(stated)} is not {list(x.shape)}, resized along {list(axes)}"
        )
    return [
        OpenAxis(axis, number, len(axes), x.shape[axis], stated[axis]) for number, axis in enumerate(axes)
    ]


def open_scales(
    call_: OpCall, emit: Emitter, scales: Tensor, axes: Sequence[OpenAxis], *, may_crop: bool = False
) -> Tensor:
    """Scales in float64, checked to give the stated sizes. Where an extent stays the scale is 1, unless the rule crops."""
    if scales.shape != (len(axes),):
        call_.unsupported(f"scales of the shape {list(scales.shape)} do not fit {len(axes)} axes")
    if scales.constant is not None:
        return emit.constant(scales.constant.astype(np.float64))

    def holds(read: Read) -> Expr:
        good: list[Expr] = []
        for axis in axes:
            scale = cast(read(axis.number), _F64)
            size = call("floor", scale * float(axis.extent))
            good += [compare("gt", scale, 0.0), compare("eq", size, float(axis.size))]
            good += [compare("eq", scale, 1.0)] if axis.size == axis.extent and not may_crop else []
        return both(*good)

    expected = f"what resizes {[axis.extent for axis in axes]} to the stated {[axis.size for axis in axes]}"
    emit.check([scales], holds, "scales", expected + ", and 1 where an extent stays" * (not may_crop))
    output = TensorType(_F64, scales.shape)
    return emit.pointwise([scales], output, lambda where, read: cast(read(*where), _F64), "scales")


def scales_of_ratio(
    call_: OpCall, emit: Emitter, sizes: Tensor, axes: Sequence[OpenAxis], policy: str
) -> Tensor:
    """One scale for all axes, the smallest or largest ratio of a size to its extent, checked to give the stated sizes."""
    if sizes.shape != (len(axes),) or any(axis.extent == 0 for axis in axes):
        call_.unsupported(f"sizes of the shape {list(sizes.shape)} do not fit {len(axes)} axes")
    better = minimum if policy == "not_larger" else maximum

    def ratio(read: Read) -> Expr:
        ratios = [cast(read(axis.number), _F64) / float(axis.extent) for axis in axes]
        result = ratios[0]
        for other in ratios[1:]:
            result = better(result, other)
        return result

    def holds(read: Read) -> Expr:
        scale = ratio(read)
        sizes_ = [call("floor", scale * float(axis.extent) + 0.5) for axis in axes]
        return both(
            compare("gt", scale, 0.0),
            *(compare("eq", size, float(axis.size)) for size, axis in zip(sizes_, axes, strict=True)),
        )

    emit.check(
        [sizes],
        holds,
        "sizes",
        f"what resizes {[axis.extent for axis in axes]} to the stated {[axis.size for axis in axes]} ({policy})",
    )
    return emit.pointwise([sizes], TensorType(_F64, sizes.shape), lambda _, read: ratio(read), "ratio")


def open_regions(call_: OpCall, emit: Emitter, roi: Tensor, count: int) -> Tensor:
    """The parts that are meant, in float64: any numbers, since what lies outside has a value too."""
    if roi.shape != (2 * count,):
        call_.unsupported(f"a region of the shape {list(roi.shape)} does not fit {count} axes")
    if roi.constant is not None:
        return emit.constant(roi.constant.astype(np.float64))
    output = TensorType(_F64, roi.shape)
    return emit.pointwise([roi], output, lambda where, read: cast(read(*where), _F64), "regions")


# ─── tables ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _coordinate(axis: OpenAxis, mode: str, at: Expr, scale: Expr, start: Expr, end: Expr) -> Expr | None:
    """The place in the input of an output element; None for a mode that is not known."""
    extent, size = float(axis.extent), float(axis.size)
    last, width = extent - 1.0, scale * extent
    zero = Const(0.0, _F64)
    match mode:
        case "half_pixel":
            return (at + 0.5) / scale - 0.5
        case "half_pixel_symmetric":
            middle = (Const(1.0, _F64) - Const(size, _F64) / width) * (extent / 2)
            return middle + (at + 0.5) / scale - 0.5
        case "pytorch_half_pixel":
            return select(compare("gt", width, 1.0), (at + 0.5) / scale - 0.5, zero)
        case "tf_half_pixel_for_nn":
            return (at + 0.5) / scale
        case "align_corners":
            return select(compare("eq", width, 1.0), zero, at * last / (width - 1.0))
        case "asymmetric":
            return at / scale
        case "tf_crop_and_resize":
            middle = (end - start) * last / 2.0 + start * last
            return select(
                compare("eq", width, 1.0), middle, at * (end - start) * last / (width - 1.0) + start * last
            )
    return None


def _coordinates(call_: OpCall, emit: Emitter, axis: OpenAxis, parameters: Parameters, rule: Rule) -> Tensor:
    def value(where: tuple[Expr, ...], read_scale: Read, *read_region: Read) -> Expr:
        start, end = Const(0.0, _F64), Const(1.0, _F64)
        ends = [read(axis.number + at) for read in read_region for at in (0, axis.count)] or [start, end]
        place = _coordinate(axis, rule.coordinates, cast(where[0], _F64), read_scale(axis.number), *ends)
        if place is None:
            call_.unsupported(f"coordinate_transformation_mode {rule.coordinates!r} is not known")
        return place

    regions = [] if parameters.regions is None else [parameters.regions]
    output = TensorType(_F64, (axis.size,))
    return emit.pointwise([parameters.scales, *regions], output, value, "coordinates")


def _nearest(at: Expr, rule: str) -> Expr:
    match rule:
        case "round_prefer_floor":
            return call("ceil", at - 0.5)
        case "round_prefer_ceil":
            return call("floor", at + 0.5)
        case "floor":
            return call("floor", at)
    return call("ceil", at)


def _weight(distance: Expr, rule: Rule) -> Expr:
    """The weight of an element so far away: a triangle, or the kernel of cubic convolution (`ops/images/resize`)."""
    d = call("abs", distance)
    if rule.mode == "linear":
        return maximum(Const(1.0, _F64) - d, 0.0)
    a = rule.cubic_a
    near = d * d * d * (a + 2) - d * d * (a + 3) + 1.0
    far = d * d * d * a - d * d * (5 * a) + d * (8 * a) - 4 * a
    return select(compare("le", d, 1.0), near, select(compare("lt", d, 2.0), far, 0.0))


def _inside(place: Expr, extent: int) -> Expr:
    return minimum(maximum(cast(place, DType.INT64), 0), extent - 1)


def _is_outside(place: Expr, extent: int) -> Expr:
    return either(compare("lt", place, 0.0), compare("gt", place, float(extent - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """Places and weights of one axis, `[taps, size]`; the weights of an output add up to 1."""

    places: Tensor
    weights: Tensor


def _tables(
    emit: Emitter, axis: OpenAxis, at: Tensor, scales: Tensor, rule: Rule, computed: DType
) -> _Tables:
    # The stated size bounds the scale from below, and so how far an element of the result reaches.
    smallest = max(axis.size - 0.5, 0.5) / axis.extent
    reach = math.ceil((1 if rule.mode == "linear" else 2) / (min(smallest, 1.0) if rule.antialias else 1.0))
    shape = (2 * reach, axis.size)

    def place(where: tuple[Expr, ...], read: Read) -> Expr:
        return call("floor", read(where[1])) + cast(where[0] + (1 - reach), _F64)

    def weight(where: tuple[Expr, ...], read: Read, read_scale: Read) -> Expr:
        shrink = minimum(read_scale(axis.number), 1.0) if rule.antialias else Const(1.0, _F64)
        result = _weight((place(where, read) - read(where[1])) * shrink, rule)
        outside = _is_outside(place(where, read), axis.extent)
        return select(outside, Const(0.0, _F64), result) if rule.exclude_outside else result

    places = emit.pointwise(
        [at],
        TensorType(DType.INT64, shape),
        lambda where, read: _inside(place(where, read), axis.extent),
        "places",
    )
    weights = emit.pointwise([at, scales], TensorType(_F64, shape), weight, "weights")
    total = emit_reduce(emit, weights, (0,), "sum")
    normal = emit.pointwise(
        [weights, total],
        TensorType(computed, shape),
        lambda where, read, read_total: cast(read(*where) / read_total(0, where[1]), computed),
        "weights",
    )
    return _Tables(places, normal)


# ─── resizing ──────────────────────────────────────────────────────────────────────────────────────────────────────


def resize_while_running(
    call_: OpCall, emit: Emitter, x: Tensor, axes: Sequence[OpenAxis], parameters: Parameters, rule: Rule
) -> Tensor:
    """Resizes one axis after another, what becomes smaller first, so that less is left to do."""
    if rule.mode not in ("nearest", "linear", "cubic"):
        call_.unsupported(f"mode {rule.mode!r} is not one of nearest, linear, cubic")
    shape = list(x.shape)
    for axis in axes:
        shape[axis.axis] = axis.size
    if not math.prod(shape):
        return emit.constant(np.zeros(shape, x.dtype.numpy), x.dtype)
    if x.type.size == 0:
        call_.unsupported(f"the empty shape {list(x.shape)} cannot be resized to {shape}")
    result = x
    for axis in sorted(axes, key=lambda axis: (axis.size / axis.extent, axis.axis)):
        at = _coordinates(call_, emit, axis, parameters, rule)
        resize = _picked if rule.mode == "nearest" else _weighted
        result = resize(emit, result, axis, at, parameters.scales, rule)
    return converted(emit, result, x.dtype)


def _picked(emit: Emitter, x: Tensor, axis: OpenAxis, at: Tensor, _scales: Tensor, rule: Rule) -> Tensor:
    """One input element for each output element."""
    crops = rule.coordinates == CROPS
    dtype = DType.FLOAT32 if crops and not x.dtype.is_float else x.dtype
    places = emit.pointwise(
        [at],
        TensorType(DType.INT64, at.shape),
        lambda where, read: _inside(_nearest(read(*where), rule.nearest), axis.extent),
        "places",
    )

    def value(where: tuple[Expr, ...], read: Read, read_place: Read, read_at: Read) -> Expr:
        along = where[axis.axis]
        element = cast(read(*where[: axis.axis], read_place(along), *where[axis.axis + 1 :]), dtype)
        if not crops:
            return element
        return select(_is_outside(read_at(along), axis.extent), Const(rule.extrapolation, dtype), element)

    shape = (*x.shape[: axis.axis], axis.size, *x.shape[axis.axis + 1 :])
    return emit.pointwise([x, places, at], TensorType(dtype, shape), value, "resize")


def _weighted(emit: Emitter, x: Tensor, axis: OpenAxis, at: Tensor, scales: Tensor, rule: Rule) -> Tensor:
    """Sums of input elements times weights. An integer becomes float32."""
    computed = _F64 if x.dtype is _F64 else DType.FLOAT32
    tables = _tables(emit, axis, at, scales, rule, computed)
    output = TensorType(computed, (*x.shape[: axis.axis], axis.size, *x.shape[axis.axis + 1 :]))
    inputs, taps = [x, tables.places, tables.weights], tables.places.shape[0]
    if rule.coordinates == CROPS:
        inputs.append(
            emit.pointwise(
                [at],
                TensorType(DType.BOOL, at.shape),
                lambda where, read: _is_outside(read(*where), axis.extent),
                "outside",
            )
        )
    if taps > UNROLLED_TAPS_MAX:
        types = [tensor.type for tensor in inputs]
        return emit.template(resize_template(types, output, axis.axis, taps, rule.extrapolation), inputs)[0]
    return emit.pointwise(inputs, output, _sum_of(output, axis.axis, taps, rule), "resize")


def _sum_of(output: TensorType, axis: int, taps: int, rule: Rule) -> Callable[..., Expr]:
    def value(where: tuple[Expr, ...], *reads: Read) -> Expr:
        total = weighted_tap(output, axis, where, index(0), reads[:3])
        for number in range(1, taps):
            total = total + weighted_tap(output, axis, where, index(number), reads[:3])
        if len(reads) == 3:
            return total
        return select(reads[3](where[axis]), Const(rule.extrapolation, output.dtype), total)

    return value
