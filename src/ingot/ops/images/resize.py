"""Resize and Upsample: every output element is a weighted sum of a few input elements along each axis.

Which elements and with which weights depends on the position alone, so both are tables made while building, in float64; none are
needed where an axis becomes a whole number of times smaller, and weights are the same everywhere.
The axes are resized one after another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.resize import resize_template, weighted_tap
from ingot.loops.nodes import (
    Const,
    Expr,
    cast,
    index,
    maximum,
    minimum,
    select,
)
from ingot.ops.arguments import is_open, only
from ingot.ops.facts import Trust
from ingot.ops.images.open_resize import (
    CROPS,
    Parameters,
    described,
    open_regions,
    open_scales,
    resize_while_running,
    scales_of_ratio,
)
from ingot.ops.images.resize_rule import UNROLLED_TAPS_MAX, Read, Rule, converted
from ingot.ops.moves.movement import repeat, strided
from ingot.ops.moves.shapes import axes_of, integers
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

_CONSTANT_ELEMENTS = 1 << 20  # of a constant that is made larger while building
_SAME_WEIGHT = 1e-12  # what rounding of coordinates may do


@dataclass(frozen=True, slots=True)
class _Axis:
    """How one axis is resized. `roi` is the part of the input that is meant, from 0 to 1."""

    axis: int
    extent: int
    size: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Taps:
    """The tables of one axis: `places` and `weights` are `[size, taps]`, `outside [size]` says where the input does not reach."""

    places: np.ndarray
    weights: np.ndarray
    outside: np.ndarray


def _coordinates(axis: _Axis, mode: str) -> np.ndarray | None:
    """The place in the input of every output element; None for a mode that is not known."""
    at = np.arange(axis.size, dtype=np.float64)
    width = axis.scale * axis.extent  # of the output, before rounding to an integer
    start, end = axis.roi
    match mode:
        case "half_pixel":
            return (at + 0.5) / axis.scale - 0.5
        case "half_pixel_symmetric":
            return axis.extent / 2 * (1 - axis.size / width) + (at + 0.5) / axis.scale - 0.5
        case "pytorch_half_pixel":
            return (at + 0.5) / axis.scale - 0.5 if width > 1 else np.zeros(axis.size)
        case "tf_half_pixel_for_nn":
            return (at + 0.5) / axis.scale
        case "align_corners":
            return np.zeros(axis.size) if width == 1 else at * (axis.extent - 1) / (width - 1)
        case "asymmetric":
            return at / axis.scale
        case "tf_crop_and_resize":
            last = axis.extent - 1
            if width == 1:
                return np.full(axis.size, (end - start) * last / 2 + start * last)
            return at * (end - start) * last / (width - 1) + start * last
    return None


def _nearest(at: np.ndarray, rule: str) -> np.ndarray:
    match rule:
        case "round_prefer_floor":
            places = np.ceil(at - 0.5)
        case "round_prefer_ceil":
            places = np.floor(at + 0.5)
        case "floor":
            places = np.floor(at)
        case _:
            places = np.ceil(at)
    return np.asarray(places)


def _triangle(distance: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(0.0, 1.0 - np.abs(distance)))


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """The cubic convolution kernel. *Source:* R. Keys, Cubic convolution interpolation, 1981, equation 4."""
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _taps(call_: OpCall, axis: _Axis, rule: Rule) -> _Taps:
    at = _coordinates(axis, rule.coordinates)
    if at is None:
        call_.unsupported(f"coordinate_transformation_mode {rule.coordinates!r} is not known")
    last = axis.extent - 1
    outside = (at < 0) | (at > last) if rule.coordinates == CROPS else np.zeros(axis.size, bool)
    if rule.mode == "nearest":
        places = np.clip(_nearest(at, rule.nearest), 0, last).astype(np.int64)[:, None]
        return _Taps(places, np.ones(places.shape), outside)
    shrink = min(axis.scale, 1.0) if rule.antialias else 1.0
    reach = math.ceil((1 if rule.mode == "linear" else 2) / shrink)
    where = np.floor(at)[:, None] + np.arange(1 - reach, 1 + reach)
    distance = (where - at[:, None]) * shrink
    weights = _triangle(distance) if rule.mode == "linear" else _cubic(distance, rule.cubic_a)
    if rule.exclude_outside:
        weights = np.where((where < 0) | (where > last), 0.0, weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    used = np.any(weights != 0, axis=0)
    places = np.clip(where, 0, last).astype(np.int64)
    return _Taps(np.ascontiguousarray(places[:, used]), np.ascontiguousarray(weights[:, used]), outside)


# ─── emitting ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _resize_axis(emit: Emitter, x: Tensor, axis: int, taps: _Taps, rule: Rule) -> Tensor:
    """Resizes one axis. A float type stays, an integer becomes float32 where elements are mixed."""
    size, count = taps.places.shape
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    picks = count == 1 and bool(np.all(taps.weights == 1.0))
    if picks and not taps.outside.any():
        return _pick(emit, x, axis, taps.places[:, 0], shape)
    computed = DType.FLOAT64 if x.dtype is DType.FLOAT64 else DType.FLOAT32
    output = TensorType(computed, shape)
    steady = None if taps.outside.any() or count > UNROLLED_TAPS_MAX else _steady(taps, x.shape[axis])
    if steady is not None:
        return _weighted(emit, x, axis, steady, taps.weights[size // 2], output)
    # An output element beyond the input is the extrapolation value: no weights, and the value added.
    weights = np.where(taps.outside[:, None], 0.0, taps.weights).astype(computed.numpy)
    # Neighbouring elements of the result read neighbours of the tables.
    places = emit.constant(np.ascontiguousarray(taps.places.T))
    factors = emit.constant(np.ascontiguousarray(weights.T))
    value = Const(rule.extrapolation, computed)
    flags = [emit.constant(taps.outside)] if taps.outside.any() else []

    def at(
        where: tuple[Expr, ...], read: Read, read_place: Read, read_weight: Read, *read_flag: Read
    ) -> Expr:
        reads = read, read_place, read_weight
        total = weighted_tap(output, axis, where, index(0), reads)
        for number in range(1, count):
            total = total + weighted_tap(output, axis, where, index(number), reads)
        return select(read_flag[0](where[axis]), value, total) if read_flag else total

    inputs = [x, places, factors, *flags]
    if count <= UNROLLED_TAPS_MAX:
        return emit.pointwise(inputs, output, at, "resize")
    template = resize_template([tensor.type for tensor in inputs], output, axis, count, rule.extrapolation)
    return emit.template(template, inputs)[0]


@dataclass(frozen=True, slots=True)
class _Steady:
    """Places that follow from the position: `position * step + first[tap]`, kept within the axis where they would leave it."""

    step: int
    first: tuple[int, ...]


def _steady(taps: _Taps, extent: int) -> _Steady | None:
    """What places are, if all output elements have the same weights: an axis becomes a whole number of times smaller."""
    places, middle = taps.places, len(taps.places) // 2
    if len(places) < 2 or np.abs(taps.weights - taps.weights[middle]).max() > _SAME_WEIGHT:
        return None
    step = int(places[middle, 0] - places[middle - 1, 0])
    first = places[middle] - step * middle
    regular = np.arange(len(places))[:, None] * step + first
    return (
        _Steady(step, tuple(map(int, first)))
        if np.array_equal(np.clip(regular, 0, extent - 1), places)
        else None
    )


def _weighted(
    emit: Emitter, x: Tensor, axis: int, steady: _Steady, weights: np.ndarray, output: TensorType
) -> Tensor:
    """Sums with the same weights everywhere: neither these nor the places need a table."""
    last = x.shape[axis] - 1
    way = (
        output.shape[axis] - 1
    ) * steady.step  # from the first element to the last; backwards in a reversed region

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        total: Expr | None = None
        for first, weight in zip(steady.first, weights, strict=True):
            place = where[axis] * steady.step + first
            place = maximum(place, 0) if min(first, first + way) < 0 else place
            place = minimum(place, last) if max(first, first + way) > last else place
            element = cast(read(*where[:axis], place, *where[axis + 1 :]), output.dtype) * float(weight)
            total = element if total is None else total + element
        assert total is not None
        return total

    return emit.pointwise([x], output, at, "resize")


def _copies(taps: _Taps, extent: int) -> int:
    """How many copies side by side an axis has of each of its elements; 0 if it has anything else."""
    times, rest = divmod(len(taps.places), extent)
    alone = (
        taps.places.shape[1] == 1
        and not rest
        and not taps.outside.any()
        and bool(np.all(taps.weights == 1.0))
    )
    return times if alone and np.array_equal(taps.places[:, 0], np.arange(len(taps.places)) // times) else 0


def _pick(emit: Emitter, x: Tensor, axis: int, places: np.ndarray, shape: tuple[int, ...]) -> Tensor:
    """One input element for each output element: steps where the places are regular, else by a table."""
    steps = np.diff(places)
    if len(places) == 1 or np.all(steps == steps[:1]):
        start, step = [0] * x.rank, [1] * x.rank
        start[axis], step[axis] = int(places[0]), int(steps[0]) if len(places) > 1 else 1
        return strided(emit, x, start, step, shape, "resize")

    def at(where: tuple[Expr, ...], read: Read, read_place: Read) -> Expr:
        return read(*where[:axis], read_place(where[axis]), *where[axis + 1 :])

    return emit.pointwise([x, emit.constant(places)], TensorType(x.dtype, shape), at, "resize")


def _changing(axes: Sequence[_Axis], rule: Rule) -> list[_Axis]:
    """The axes that do not stay as they are; what becomes smaller comes first, so that less is left to do."""
    crops = rule.coordinates == CROPS
    changing = [axis for axis in axes if crops or axis.scale != 1.0 or axis.size != axis.extent]
    return sorted(changing, key=lambda axis: (axis.scale, axis.axis))


def _resized(call_: OpCall, x: np.ndarray, axes: Sequence[_Axis], rule: Rule) -> np.ndarray:
    """A constant, resized in float64 and rounded once; elements that are picked stay what they are."""
    result = x
    for axis in _changing(axes, rule):
        taps = _taps(call_, axis, rule)
        along = [-1 if number == axis.axis else 1 for number in range(x.ndim)]
        picked = [np.take(result, places, axis.axis) for places in taps.places.T]
        if len(picked) > 1 or not (taps.weights == 1.0).all():
            pairs = zip(picked, taps.weights.T, strict=True)
            picked = [sum(part * weights.reshape(along) for part, weights in pairs)]
        result = picked[0]
        if taps.outside.any():
            result = np.where(taps.outside.reshape(along), rule.extrapolation, result)
    if x.dtype.kind in "iu" and result.dtype.kind == "f":
        limits = np.iinfo(x.dtype)
        result = np.clip(np.rint(result), limits.min, limits.max)
    return result.astype(x.dtype)


def _resize_all(call_: OpCall, emit: Emitter, x: Tensor, axes: Sequence[_Axis], rule: Rule) -> Tensor:
    if rule.mode not in ("nearest", "linear", "cubic"):
        call_.unsupported(f"mode {rule.mode!r} is not one of nearest, linear, cubic")
    shape = tuple(
        next((changed.size for changed in axes if changed.axis == axis), extent)
        for axis, extent in enumerate(x.shape)
    )
    if not math.prod(shape):
        return emit.constant(np.zeros(shape, x.dtype.numpy), x.dtype)
    if x.type.size == 0:
        call_.unsupported(f"the empty shape {list(x.shape)} cannot be resized to {list(shape)}")
    result = x
    if (
        x.constant is not None
        and x.dtype is not DType.BFLOAT16
        and math.prod(shape) <= max(_CONSTANT_ELEMENTS, x.type.size)
    ):
        return emit.constant(_resized(call_, x.constant, axes, rule))
    # Copies of elements come last, of all axes at once.
    copies = [1] * x.rank
    for axis in _changing(axes, rule):
        taps = _taps(call_, axis, rule)
        copies[axis.axis] = max(1, _copies(taps, axis.extent))
        if copies[axis.axis] == 1:
            result = _resize_axis(emit, result, axis.axis, taps, rule)
    if max(copies, default=1) > 1:
        result = repeat(emit, result, copies, [1] * x.rank)
    return converted(emit, result, x.dtype)


# ─── lowering rules ────────────────────────────────────────────────────────────────────────────────────────────────


def _numbers(call_: OpCall, position: int, name: str) -> tuple[float, ...] | None:
    """A constant input of numbers, None where it is omitted or empty."""
    array = call_.optional_constant(position, name)
    return None if array is None or array.size == 0 else tuple(float(value) for value in array.reshape(-1))


def _by_scales(
    x: Tensor, axes: Sequence[int], scales: Sequence[float], roi: Sequence[float] | None
) -> list[_Axis]:
    result = []
    for number, (axis, scale) in enumerate(zip(axes, scales, strict=True)):
        part = (0.0, 1.0) if roi is None else (roi[number], roi[number + len(axes)])
        # ONNX's text multiplies by the extent of the region too; its shape inference, its evaluator and onnxruntime do not.
        size = math.floor(x.shape[axis] * scale)
        result.append(_Axis(axis, x.shape[axis], size, scale, part))
    return result


def _resize(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Resize 11, 13, 18 (`antialias`, `axes`, `keep_aspect_ratio_policy`), 19 (`half_pixel_symmetric`).

    Regions, scales and sizes that are known only while running are taken where the result's shape is stated.
    """
    x = call_.input(0)
    given_axes = call_.attr("axes")
    axes = axes_of(call_, range(x.rank) if given_axes is None else given_axes, x.rank)
    coordinates = call_.attr("coordinate_transformation_mode", "half_pixel")
    rule = Rule(
        mode=call_.attr("mode", "nearest"),
        coordinates=coordinates,
        nearest=call_.attr("nearest_mode", "round_prefer_floor"),
        cubic_a=float(call_.attr("cubic_coeff_a", -0.75)),
        antialias=bool(call_.attr("antialias", 0)),
        exclude_outside=bool(call_.attr("exclude_outside", 0)),
        extrapolation=float(call_.attr("extrapolation_value", 0.0)),
    )
    if any(is_open(call_, position) for position in (2, 3)) or (coordinates == CROPS and is_open(call_, 1)):
        return (_resize_open(call_, emit, x, axes, rule),)
    roi = _numbers(call_, 1, "roi") if coordinates == CROPS else None
    if roi is not None and len(roi) != 2 * len(axes):
        call_.unsupported(f"the region {roi} does not fit {len(axes)} axes")
    scales = _numbers(call_, 2, "scales")
    sizes = integers(call_, 3, "sizes") if scales is None else None
    given = scales if scales is not None else sizes
    if given is None or len(given) != len(axes):
        call_.unsupported(f"scales {scales} or sizes {sizes} do not fit {len(axes)} axes")
    if any(number < 0 or (number == 0 and scales is not None) for number in given):
        call_.unsupported(f"scales {scales} or sizes {sizes} must be positive")
    if sizes is None:
        return (
            _resize_all(call_, emit, x, _by_scales(x, axes, [float(scale) for scale in given], roi), rule),
        )
    ratios = [size / max(1, x.shape[axis]) for axis, size in zip(axes, sizes, strict=True)]
    policy = call_.attr("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        ratios = [min(ratios) if policy == "not_larger" else max(ratios)] * len(axes)
        sizes = tuple(
            math.floor(ratio * x.shape[axis] + 0.5) for axis, ratio in zip(axes, ratios, strict=True)
        )
    parts = [
        (0.0, 1.0) if roi is None else (roi[number], roi[number + len(axes)]) for number in range(len(axes))
    ]
    described = [
        _Axis(axis, x.shape[axis], size, ratio, part)
        for axis, size, ratio, part in zip(axes, sizes, ratios, parts, strict=True)
    ]
    return (_resize_all(call_, emit, x, described, rule),)


def _resize_open(call_: OpCall, emit: Emitter, x: Tensor, axes: Sequence[int], rule: Rule) -> Tensor:
    """A Resize by arguments that are known only while running. Sizes that a node states alone are implied by its result's shape,
    and constants by now, but for those that only bound one scale.
    """
    crops = rule.coordinates == CROPS
    changed = described(call_, x, axes)
    scales, sizes = call_.optional(2), call_.optional(3)
    policy = call_.attr("keep_aspect_ratio_policy", "stretch")
    if scales is not None and scales.type.size:
        factors = open_scales(call_, emit, scales, changed, may_crop=crops)
    elif sizes is not None and sizes.constant is None and policy != "stretch":
        factors = scales_of_ratio(call_, emit, sizes, changed, policy)
    else:
        if integers(call_, 3, "sizes") != tuple(axis.size for axis in changed) or policy != "stretch":
            call_.unsupported(
                "a region that is known only while running needs scales, or the sizes of the result"
            )
        factors = emit.constant(np.array([axis.size / max(1, axis.extent) for axis in changed]))
    roi = call_.optional(1) if crops else None
    regions = None if roi is None or not roi.type.size else open_regions(call_, emit, roi, len(axes))
    moved = [axis for axis in changed if crops or axis.size != axis.extent or policy != "stretch"]
    return resize_while_running(call_, emit, x, moved, Parameters(factors, regions), rule)


def _implied(call_: OpCall) -> Implied | None:
    """Sizes, where no scales are given, and each is that of its axis."""
    scales = call_.optional(2)
    stretches = call_.attr("keep_aspect_ratio_policy", "stretch") == "stretch"
    if (
        not is_open(call_, 3)
        or not call_.wants(0)
        or not stretches
        or (scales is not None and scales.type.size)
    ):
        return None
    shape = call_.output().shape
    axes = axes_of(call_, call_.attr("axes") or range(len(shape)), len(shape))
    return only(call_, 3, "sizes", [shape[axis] for axis in axes])


def _upsample_rules(call_: OpCall) -> tuple[Rule, Rule]:
    """How axes become larger, and how they become smaller."""
    mode = call_.attr("mode", "nearest")
    rule = Rule("linear" if mode in ("bilinear", "trilinear") else mode, "asymmetric", nearest="floor")
    # Where an axis becomes smaller, the example of Resize 10 takes the element behind, as onnxruntime does.
    return rule, replace(rule, nearest="ceil")


def _upsample_open(call_: OpCall, emit: Emitter, x: Tensor) -> Tensor:
    """An Upsample by scales that are known only while running."""
    changed = described(call_, x, range(x.rank))
    parameters = Parameters(open_scales(call_, emit, call_.input(1), changed), None)
    rule, behind = _upsample_rules(call_)
    smaller = [axis for axis in changed if axis.size < axis.extent]
    larger = [axis for axis in changed if axis.size > axis.extent]
    y = resize_while_running(call_, emit, x, smaller, parameters, behind)
    return resize_while_running(call_, emit, y, larger, parameters, rule)


def _upsample(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Upsample 7 (attribute `scales`), 9 (input), and Resize 10: modes `nearest` and `linear`."""
    x = call_.input(0)
    if is_open(call_, 1):
        return (_upsample_open(call_, emit, x),)
    scales = (
        _numbers(call_, 1, "scales") if len(call_.inputs) > 1 else tuple(map(float, call_.attr("scales", ())))
    )
    if scales is None or len(scales) != x.rank or any(scale <= 0 for scale in scales):
        call_.unsupported(f"scales {scales} do not fit the shape {list(x.shape)}")
    rule, behind = _upsample_rules(call_)
    axes = _by_scales(x, range(x.rank), scales, None)
    y = _resize_all(call_, emit, x, [axis for axis in axes if axis.scale < 1], behind)
    return (_resize_all(call_, emit, y, [axis for axis in axes if axis.scale >= 1], rule),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Upsample", 7, _upsample),
    OpDef("", "Upsample", 9, _upsample, constant_inputs=(1,), computes_open=True),
    OpDef("", "Resize", 10, _upsample, constant_inputs=(1,), computes_open=True, evaluated=Trust.NEVER),
    OpDef("", "Resize", 11, _resize, constant_inputs=(1, 2, 3), evaluated=Trust.NEVER, implied=_implied),
)
