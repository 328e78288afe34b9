"""Operators that read feature maps between their pixels: regions of interest and deformable convolution."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.reduce.reduce import lowest
from ingot.kernels.sampling.roi_mean import Names, Span, roi_means
from ingot.kernels.template import Site, Template
from ingot.loops.build.nest import collapse
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    call,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)

# ─── regions of interest ───────────────────────────────────────────────────────────────────────────────────────────


_SAMPLES_MAX = 1 << 16  # of a result in one direction: a region may be anywhere, and be of any size


def _as_many_as_pixels(length: Expr) -> Expr:
    """How often a result of this length in pixels is sampled in one direction."""
    return cast(call("ceil", minimum(Const(float(_SAMPLES_MAX), length.dtype), length)), DType.INT64)


def roi_align(
    x: TensorType,
    rois: TensorType,
    batches: TensorType,
    size: tuple[int, int],
    scale: float,
    ratio: int,
    largest: bool,
    offset: float,
) -> Template:
    """Samples each region on a regular grid: `x [N, C, H, W], rois [R, 4], batches [R]` → `[R, C, *size]`.

    Each result is the mean of its samples, or (`largest`) the largest of their weighted corners. `ratio` samples a result in each
    direction, 0: as many as the region has pixels, up to _SAMPLES_MAX. `offset` is taken from all coordinates of a region.
    """
    count, channels = rois.shape[0], x.shape[1]
    output = TensorType(x.dtype, (count, channels, *size))
    dtype = x.dtype

    def region(site: Site, roi: Expr, names: Names) -> tuple[Expr, list[Span]]:
        batch = names("batch", minimum(maximum(cast(site.read(2, roi), DType.INT64), 0), x.shape[0] - 1))
        spans = []
        # Vertical first: the region is (x1, y1, x2, y2).
        for axis, (first, pooled) in enumerate(((1, size[0]), (0, size[1]))):
            start = names(f"start{axis}", site.read(1, roi, first) * scale - offset)
            length = site.read(1, roi, first + 2) * scale - offset - start
            if offset == 0.0:
                length = maximum(length, 1.0)
            each = names(f"bin{axis}", length / float(pooled))
            number = index(ratio) if ratio > 0 else names(f"samples{axis}", _as_many_as_pixels(each))
            spans.append(Span(x.shape[axis + 2], start, each, number))
        return batch, spans

    def build(site: Site) -> Sequence[Stmt]:
        if not largest and not site.machine.grid and output.size and x.size:
            return roi_means(site, x, count, size, ratio, lambda roi, names: region(site, roi, names))
        total = buffer("total", dtype, (1,))

        def result_at(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            roi, channel, *at = where
            names = Names("")
            batch, spans = region(site, roi, names)
            taps = (Var("tap0"), Var("tap1"))

            def sample() -> Sequence[Stmt]:
                inner: list[Stmt] = []
                neighbours = []
                near = []
                for axis, span in enumerate(spans):
                    here = Names(axis)
                    place = here("place", span.place(at[axis], taps[axis]))
                    near.append(span.is_near(place))
                    neighbours.append(span.neighbours(place, here))
                    inner += here
                whole = Const(1, dtype)
                corners = []
                (top, bottom, part), (left, right, along) = neighbours
                for rows, down in ((top, whole - part), (bottom, part)):
                    for columns, across in ((left, whole - along), (right, along)):
                        corners.append(down * across * site.read(0, batch, channel, rows, columns))
                combined = corners[0]
                for corner in corners[1:]:
                    combined = maximum(combined, corner) if largest else combined + corner
                value = Var("value", dtype)
                inner.append(Let(value, select(both(*near), combined, Const(0, dtype))))
                old = load(total, 0)
                inner.append(store(total, (0,), maximum(old, value) if largest else old + value))
                return inner

            result = load(total, 0)
            number = spans[0].samples * spans[1].samples
            if largest:
                result = select(compare("gt", number, 0), result, Const(0, dtype))
            else:
                result = result / cast(maximum(number, 1), dtype)
            across = For(taps[1], spans[1].samples, tuple(sample()), LoopKind.SERIAL)
            return (
                Alloc(total),
                *names,
                store(total, (0,), lowest(dtype) if largest else 0),
                For(taps[0], spans[0].samples, (across,), LoopKind.SERIAL),
                *site.write(0, where, result),
            )

        return collapse("result", output.shape, result_at)

    spec = {"size": size, "scale": scale, "ratio": ratio, "largest": largest, "offset": offset}
    return Template("roi_align", (x, rois, batches), (output,), build, spec)


def max_roi_pool(x: TensorType, rois: TensorType, size: tuple[int, int], scale: float) -> Template:
    """The largest element of each cell of a region: `x [N, C, H, W], rois [R, 5]` (image, x1, y1, x2, y2) → `[R, C, *size]`."""
    output = TensorType(x.dtype, (rois.shape[0], x.shape[1], *size))
    dtype = x.dtype

    def build(site: Site) -> Sequence[Stmt]:
        total = buffer("total", dtype, (1,))

        def result_at(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            roi, channel, *cell = where
            batch = Var("batch")
            lets: list[Stmt] = [
                Let(batch, minimum(maximum(cast(site.read(1, roi, 0), DType.INT64), 0), x.shape[0] - 1)),
            ]
            firsts, counts = [], []
            for axis, (begin, pooled) in enumerate(((2, size[0]), (1, size[1]))):
                # Halves round up, as in the network that this operator comes from.
                start = call("floor", site.read(1, roi, begin) * scale + 0.5)
                end = call("floor", site.read(1, roi, begin + 2) * scale + 0.5)
                each = maximum(end - start + 1.0, 1.0) / float(pooled)
                low = cast(call("floor", cast(cell[axis], dtype) * each) + start, DType.INT64)
                high = cast(call("ceil", cast(cell[axis] + 1, dtype) * each) + start, DType.INT64)
                extent = x.shape[axis + 2]
                first, stop = Var(f"first{axis}"), Var(f"count{axis}")
                lets.append(Let(first, minimum(maximum(low, 0), extent)))
                lets.append(Let(stop, maximum(minimum(maximum(high, 0), extent) - first, 0)))
                firsts.append(first)
                counts.append(stop)
            rows, columns = Var("row"), Var("column")
            value = site.read(0, batch, channel, firsts[0] + rows, firsts[1] + columns)
            update = store(total, (0,), maximum(load(total, 0), value))
            some = compare("gt", counts[0] * counts[1], 0)
            return (
                Alloc(total),
                *lets,
                store(total, (0,), 0),
                If(some, (store(total, (0,), lowest(dtype)),)),
                For(rows, counts[0], (For(columns, counts[1], (update,), LoopKind.SERIAL),), LoopKind.SERIAL),
                *site.write(0, where, load(total, 0)),
            )

        return collapse("result", output.shape, result_at)

    return Template("max_roi_pool", (x, rois), (output,), build, {"size": size, "scale": scale})
