"""Pooling: the largest, the mean or the norm of a sliding window, or of a whole feature map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.window import Reach, Window, read_window, tap_loops, window_loops
from ingot.kernels.pooling.rows import Factor, has_rows, pool_rows
from ingot.kernels.template import Rows, Site, Template
from ingot.loops.build.nest import Combine, accumulator_type, add, larger, nest, read_strides, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Const,
    Expr,
    If,
    Let,
    Stmt,
    Var,
    both,
    buffer,
    call,
    cast,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_map, emit_mean, emit_reduce, lowest

_SHUFFLED_MOST = 4  # elements from one lane to the next: farther apart they are read one by one


def _source(
    window: Window, point: Sequence[Expr], vector_axis: int | None, found: Sequence[Reach], taps: Sequence[Expr], lane: Expr
) -> list[Expr]:
    """The index of the input element under the given taps, for a lane of a tile."""
    where = [point[0], point[1] + lane if vector_axis == 1 else point[1]]
    for axis, (one, tap) in enumerate(zip(found, taps, strict=True)):
        at = one.origin + tap * window.dilations[axis]
        where.append(at + lane * window.strides[axis] if vector_axis == axis + 2 else at)
    return where


def _target(point: Sequence[Expr], vector_axis: int | None, lane: Expr) -> list[Expr]:
    return [at + lane if axis == vector_axis else at for axis, at in enumerate(point)]


def _read_once(window: Window) -> bool:
    taps = zip(window.strides, window.kernel, window.dilations, strict=True)
    return all(step >= (size - 1) * gap + 1 for step, size, gap in taps)


def pool_template(
    name: str, x: TensorType, window: Window, initial: float, combine: Combine, factor: Factor | None = None, key: str = ""
) -> Template:
    """Folds the elements under each window; the result is multiplied by `factor`. `key` names what `factor` does."""
    output = TensorType(x.dtype, (*x.shape[:2], *window.output))

    def build(site: Site) -> Sequence[Stmt]:
        lanes = site.machine.lanes(x.dtype)
        strides = read_strides(site, 0, x.shape)
        scattered = window.strides[-1] > _SHUFFLED_MOST
        if (scattered or not _read_once(window)) and has_rows(site, strides, x, window):
            return pool_rows(site, strides, x, window, initial, combine, factor)

        def tile(point: list[Expr], axis: int | None, size: int, found: list[Reach]) -> Sequence[Stmt]:
            total = buffer("total", x.dtype, (size,))

            def update(taps: list[Expr]) -> Sequence[Stmt]:
                return vectors_of(
                    size,
                    lanes,
                    lambda lane: (
                        store(
                            total,
                            (lane,),
                            combine(load(total, lane), site.read(0, *_source(window, point, axis, found, taps, lane))),
                        ),
                    ),
                )

            scale = Var("scale", x.dtype)
            lets = (Let(scale, factor(found)),) if factor is not None else ()

            def finish(lane: Expr) -> Sequence[Stmt]:
                value = load(total, lane)
                return site.write(0, _target(point, axis, lane), value * scale if factor is not None else value)

            return (
                Alloc(total),
                *lets,
                *vectors_of(size, lanes, lambda lane: (store(total, (lane,), initial),)),
                *tap_loops(found, update),
                *vectors_of(size, lanes, finish),
            )

        return window_loops(strides, x.shape, window, lanes, tile, site.machine.grid)

    def some(first: int, stop: int) -> tuple[Template, int, int] | None:
        found = window.cut(first, stop)
        if found is None:
            return None
        cut, begin, end = found
        part = TensorType(x.dtype, (*x.shape[:2], *cut.input))
        return pool_template(name, part, cut, initial, combine, factor, key), begin, end

    inlines = frozenset({0}) if _read_once(window) else frozenset[int]()
    operations = math.prod(window.kernel) * math.prod((*output.shape[:2], *output.shape[3:]))
    rows = Rows(some, operations) if window.rank == 2 else None
    return Template(name, (x,), (output,), build, window.spec() | {"factor": key}, inlines=inlines, rows=rows)


def max_pool_indices(x: TensorType, window: Window, column_major: bool) -> Template:
    """Max pooling with the flat position of each largest element in the whole input as output 1."""
    shape = (*x.shape[:2], *window.output)
    spatial = x.shape[2:]

    def build(site: Site) -> Sequence[Stmt]:
        lanes = min(site.machine.lanes(x.dtype), 2 * site.machine.lanes(DType.INT64))

        def flat(where: Sequence[Expr]) -> Expr:
            result = where[0] * x.shape[1] + where[1]
            axes = range(len(spatial))
            for extent in spatial:
                result = result * extent
            inside: Expr = index(0)
            for axis in reversed(axes) if column_major else axes:
                inside = inside * spatial[axis] + where[axis + 2]
            return result + inside

        def tile(point: list[Expr], axis: int | None, size: int, found: list[Reach]) -> Sequence[Stmt]:
            best = buffer("best", x.dtype, (size,))
            place = buffer("place", DType.INT64, (size,))

            def update(taps: list[Expr], lane: Expr) -> Sequence[Stmt]:
                where = _source(window, point, axis, found, taps, lane)
                value = Var("value", x.dtype)
                old = load(best, lane)
                better = compare("gt", value, old)
                if x.dtype.is_float:
                    first_nan = Binary("and", compare("ne", value, value), compare("eq", old, old))
                    better = Binary("or", better, first_nan)
                wins = Var("wins", DType.BOOL)
                return (
                    Let(value, site.read(0, *where)),
                    Let(wins, better),
                    store(place, (lane,), select(wins, flat(where), load(place, lane))),
                    store(best, (lane,), select(wins, value, old)),
                )

            def begin(lane: Expr) -> Sequence[Stmt]:
                first = _source(window, point, axis, found, [one.start for one in found], lane)
                return store(best, (lane,), lowest(x.dtype)), store(place, (lane,), flat(first))

            def finish(lane: Expr) -> Sequence[Stmt]:
                where = _target(point, axis, lane)
                return (*site.write(0, where, load(best, lane)), *site.write(1, where, load(place, lane)))

            return (
                Alloc(best),
                Alloc(place),
                *vectors_of(size, lanes, begin),
                *tap_loops(found, lambda taps: vectors_of(size, lanes, lambda lane: update(taps, lane))),
                *vectors_of(size, lanes, finish),
            )

        return window_loops(read_strides(site, 0, x.shape), x.shape, window, lanes, tile, site.machine.grid)

    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    spec = window.spec() | {"column_major": column_major}
    return Template("max_pool_indices", (x,), outputs, build, spec, inlines=frozenset({0}) if _read_once(window) else frozenset())


def _window(call_: OpCall, x: Tensor) -> Window:
    if x.rank < 3:
        call_.unsupported(f"pooling of a tensor of rank {x.rank}; expected [N, C, spatial…]")
    return read_window(call_, x.shape[2:], tuple(int(one) for one in call_.attr("kernel_shape")))


def _max_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    if call_.wants(1):
        return emit.template(max_pool_indices(x.type, window, bool(call_.attr("storage_order", 0))), [x])
    return emit.template(pool_template("max_pool", x.type, window, lowest(x.dtype), larger), [x])


def _average_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    include = bool(call_.attr("count_include_pad", 0))
    work = emit_cast(emit, x, accumulator_type(x.dtype))

    def factor(found: Sequence[Reach]) -> Expr:
        count: Expr = index(1)
        for one in found:
            count = count * (one.padded_stop if include else one.count)
        if isinstance(count, Const):
            return Const(1 / count.value if count.value else 0.0, work.dtype)
        return Const(1, work.dtype) / cast(count, work.dtype)

    key = "mean of the padded window" if include else "mean"
    made = emit.template(pool_template("average_pool", work.type, window, 0, add, factor, key), [work])[0]
    return (emit_cast(emit, made, x.dtype),)


def _powered(p: int) -> tuple[Callable[[Expr], Expr], Callable[[Expr], Expr]]:
    """`|x| ** p` and its inverse."""
    if p == 1:
        return (lambda value: call("abs", value)), (lambda value: value)
    if p == 2:
        return (lambda value: value * value), (lambda value: call("sqrt", value))
    return (
        lambda value: call("pow", call("abs", value), Const(p, value.dtype)),
        lambda value: call("pow", value, Const(1 / p, value.dtype)),
    )


def _lp_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    element, root = _powered(int(call_.attr("p", 2)))
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    powers = emit_map(emit, work, work.dtype, element, "power")
    total = emit.template(pool_template("lp_pool", powers.type, window, 0, add), [powers])[0]
    return (emit_cast(emit, emit_map(emit, total, work.dtype, root, "root"), x.dtype),)


def _spatial(call_: OpCall, x: Tensor) -> tuple[int, ...]:
    if x.rank < 2:
        call_.unsupported(f"pooling of a tensor of rank {x.rank}; expected [N, C, spatial…]")
    return tuple(range(2, x.rank))


def _global_average(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    return (emit_cast(emit, emit_mean(emit, work, _spatial(call_, x)), x.dtype),)


def _global_max(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    return (emit_reduce(emit, x, _spatial(call_, x), "max"),)


def _global_lp(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    element, root = _powered(int(call_.attr("p", 2)))
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    total = emit_reduce(emit, emit_map(emit, work, work.dtype, element, "power"), _spatial(call_, x), "sum")
    return (emit_cast(emit, emit_map(emit, total, work.dtype, root, "root"), x.dtype),)


# ─── undoing a max pool ────────────────────────────────────────────────────────────────────────────────────────────


def max_unpool(x: TensorType, places: TensorType, output: TensorType, inferred: tuple[int, ...]) -> Template:
    """Zeros, with every element of `x` at the flat position that `places` has for it in a tensor of shape `inferred`."""

    def build(site: Site) -> Sequence[Stmt]:
        from_place = Var("place")
        rank = x.rank

        def clear(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            return (store(site.outputs[0], where, 0),)

        def scatter(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            target: list[Expr] = []
            rest: Expr = from_place
            for axis in reversed(range(rank)):
                target.append(rest % inferred[axis] if axis else rest)
                rest = rest // inferred[axis]
            target.reverse()
            # What a wrong position would write outside of the output is left out.
            inside = [compare("ge", from_place, 0)]
            inside += [compare("lt", at, extent) for at, extent in zip(target, output.shape, strict=True)]
            return (
                Let(from_place, site.read(1, *where)),
                If(both(*inside), (store(site.outputs[0], tuple(target), site.read(0, *where)),)),
            )

        names = [f"i{axis}" for axis in range(rank)]
        return (*nest(names, output.shape, clear), *nest([f"j{axis}" for axis in range(rank)], x.shape, scatter))

    return Template(
        "max_unpool", (x, places), (output,), build, {"inferred": inferred}, inlines=frozenset({0, 1}), epilogue=False
    )


def _max_unpool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x, places = call_.input(0), call_.input(1)
    call_.require_shape(1, "where the elements were", x.shape)
    kernel = [int(one) for one in call_.attr("kernel_shape")]
    rank = len(kernel)
    strides = [int(one) for one in call_.attr("strides") or [1] * rank]
    pads = [int(one) for one in call_.attr("pads") or [0] * (2 * rank)]
    inferred = (
        *x.shape[:2],
        *(
            (x.shape[axis + 2] - 1) * strides[axis] + kernel[axis] - pads[axis] - pads[axis + rank]
            for axis in range(rank)
        ),
    )
    given = call_.optional_constant(2, "output_shape")
    shape = tuple(int(one) for one in given) if given is not None else inferred
    if len(shape) != x.rank or min(shape) < 0:
        call_.unsupported(f"an output of the shape {list(shape)} for an input of the shape {list(x.shape)}")
    return emit.template(max_unpool(x.type, places.type, TensorType(x.dtype, shape), inferred), [x, places])


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "MaxPool", 1, _max_pool),
    OpDef("", "AveragePool", 1, _average_pool),
    OpDef("", "LpPool", 2, _lp_pool),
    OpDef("", "GlobalAveragePool", 1, _global_average),
    OpDef("", "GlobalMaxPool", 1, _global_max),
    OpDef("", "GlobalLpPool", 2, _global_lp),
    OpDef("", "MaxUnpool", 9, _max_unpool, constant_inputs=(2,)),
)
