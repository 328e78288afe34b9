"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ingot.kernels.template import Site, Template
from ingot.loops.build.nest import (
    accumulator_type,
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    read_strides,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import Alloc, Binary, Const, Expr, Stmt, buffer, cast, compare, index, load, select, store
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.shapes import axis_of


@dataclass(frozen=True, slots=True)
class _Fold:
    """What a running fold begins with, and how an element joins it."""

    initial: int
    combine: Callable[[Expr, Expr], Expr]


_FOLDS: Mapping[str, _Fold] = {"cumsum": _Fold(0, lambda a, b: a + b), "cumprod": _Fold(1, lambda a, b: a * b)}


def emit_running(emit: Emitter, x: Tensor, axis: int, name: str, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Emits the running sums (`cumsum`) or products (`cumprod`) along an axis from 0 on, in the type of `x`."""
    fold, total_type, extent = _FOLDS[name], accumulator_type(x.dtype), x.shape[axis]

    def build(site: Site) -> Sequence[Stmt]:
        strides = read_strides(site, 0, x.shape)
        inner = contiguous_axis(strides, x.shape)
        lanes = site.machine.lanes(total_type)
        if inner is None or inner == axis:
            lanes, inner = 1, next((at for at in reversed(by_storage_order(strides, x.shape)) if at != axis), axis)
        outer = [at for at in by_storage_order(strides, x.shape) if at not in (axis, inner)]

        def lines(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            """`size` sums side by side."""
            total = buffer("total", total_type, (size,))
            fixed = dict(zip(outer, where, strict=True))

            def step(count: Expr) -> Sequence[Stmt]:
                along = index(extent - 1) - count if reverse else count

                def one(lane: Expr) -> Sequence[Stmt]:
                    point = fixed | {inner: start + lane, axis: along}
                    place = [point[at] for at in range(x.rank)]
                    so_far = load(total, lane)
                    update = store(total, (lane,), fold.combine(so_far, cast(site.read(0, *place), total_type)))
                    written = site.write(0, place, cast(so_far, x.dtype))
                    return (*written, update) if exclusive else (update, *written)

                return vectors_of(size, lanes, one)

            begin = vectors_of(size, lanes, lambda lane: (store(total, (lane,), Const(fold.initial, total_type)),))
            return (Alloc(total), *begin, *loop("step", extent, step))

        sizes = (4 * lanes, *vector_sizes(lanes)) if lanes > 1 else (1,)
        return parallel_tiles("line", [x.shape[at] for at in outer], x.shape[inner] if inner != axis else 1, sizes, lines)

    spec = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    return emit.template(Template(name, (x.type,), (x.type,), build, spec, inlines=frozenset({0})), [x])[0]


def _running(name: str) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """CumSum 11, 14 and CumProd 26, with `exclusive` and `reverse`. Of an axis that is known only while running, all are done."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        if x.type.size == 0:
            return (x,)
        if not x.rank:
            call_.unsupported("a single number has no dimension to go along")
        exclusive, reverse = bool(call_.attr("exclusive", 0)), bool(call_.attr("reverse", 0))
        call_.require_one(1, "axis")
        given = call_.input(1)
        known = given.constant
        axes = range(x.rank) if known is None else [axis_of(call_, int(known.item()), x.rank)]
        results = [emit_running(emit, x, axis, name, exclusive, reverse) for axis in axes]
        return (chosen(emit, given, results),)

    return lower


def chosen(emit: Emitter, axis: Tensor, results: Sequence[Tensor | None]) -> Tensor:
    """Emits the one of several results, one for each dimension of a tensor, that belongs to an axis known while running. An axis
    may be negative. Results may be left out; an axis that has none gives the last that is there.
    """
    there = [(number, one) for number, one in enumerate(results) if one is not None]
    last = there[-1][1]
    if len(there) == 1:
        return last

    def at(where: tuple[Expr, ...], read_axis: Callable[..., Expr], *reads: Callable[..., Expr]) -> Expr:
        wanted = read_axis(*(0,) * axis.rank)
        value = reads[-1](*where)
        for (number, _), read in zip(there[:-1], reads, strict=False):
            is_this = Binary("or", compare("eq", wanted, number), compare("eq", wanted, number - len(results)))
            value = select(is_this, read(*where), value)
        return value

    return emit.pointwise([axis, *(one for _, one in there)], last.type, at, "axis")


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "CumSum", 11, _running("cumsum")),
    OpDef("", "CumProd", 26, _running("cumprod")),
)
