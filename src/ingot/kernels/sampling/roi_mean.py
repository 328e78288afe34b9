"""Means over regions of interest by weights.

A sample between four pixels is a sum of two rows, each a sum of two columns. So is the mean of all samples of a result: it has a
weight for each row of pixels that it touches, and one for each column. These weights are the same for all channels: they are made
once for a region. For each channel the rows are summed first, along vectors, and then the few columns of each result.
A sample that is outside has no weight of its own, not the weight 0: 0 times an infinity would be no number. (Where a fixed number
of samples is filled up, the 0 is that of a pixel which counts anyway: an infinity there makes a NaN.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site
from ingot.loops.build.nest import (
    collapse,
    contiguous_axis,
    loop,
    power_of_two_below,
    tiles,
    vector,
    vector_sizes,
)
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    If,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    both,
    buffer,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A region along one dimension: its results begin at `start` and are `each` long, with so many `samples` in each of them."""

    extent: int
    start: Expr
    each: Expr
    samples: Expr

    def place(self, number: Expr, tap: Expr) -> Expr:
        """Where a sample of a result lies, in pixels."""
        dtype = self.start.dtype
        fraction = (cast(tap, dtype) + 0.5) / cast(self.samples, dtype)
        return self.start + cast(number, dtype) * self.each + fraction * self.each

    def is_near(self, place: Expr) -> Expr:
        """Whether a sample counts: those more than a pixel outside are 0."""
        return both(compare("ge", place, -1.0), compare("le", place, float(self.extent)))

    def neighbours(self, place: Expr, name: Callable[[str, Expr], Expr]) -> tuple[Expr, Expr, Expr]:
        """The pixels before and behind a sample, and the part of the way between them. `name` names a value."""
        inside = minimum(maximum(place, 0.0), float(self.extent - 1))
        low = name("low", maximum(minimum(cast(inside, DType.INT64), self.extent - 1), 0))
        high = name("high", minimum(low + 1, self.extent - 1))
        return low, high, name("part", inside - cast(low, place.dtype))


class Names(list[Stmt]):
    """Statements that name values, with a suffix."""

    def __init__(self, suffix: object) -> None:
        super().__init__()
        self.suffix = suffix

    def __call__(self, name: str, value: Expr) -> Expr:
        if isinstance(value, Var | Const):
            return value
        var = Var(f"{name}{self.suffix}", value.dtype)
        self.append(Let(var, value))
        return var


Region = Callable[[Expr, Names], tuple[Expr, Sequence[Span]]]


class Weights:
    """The weights of the pixels of each result along one dimension, for a number of tasks.

    With a fixed number of samples they are pairs of pixels, a pair for each sample: those of samples outside are at a pixel
    that is touched anyway. Else they are a range of pixels, which then are all touched: such samples are not more than a pixel
    apart.
    """

    def __init__(
        self, site: Site, axis: int, tasks: int, results: int, extent: int, ratio: int, dtype: DType
    ) -> None:
        self.axis, self.results, self.ratio = axis, results, ratio
        max_samples = 2 * ratio if ratio > 0 else extent
        self.weights = site.workspace(f"weights{axis}", dtype, (tasks, results, max_samples))
        # Of pairs, the pixels; of a range, the first pixel; then how many weights there are.
        self.pixels = site.workspace(
            f"pixels{axis}", DType.INT64, (tasks, results, 1 + (max_samples if ratio > 0 else 1))
        )

    def fill(self, task: Expr, span: Span, factor: Expr) -> tuple[Stmt, ...]:
        """Makes the weights of a region, each times `factor`."""
        number, tap = Var(f"result{self.axis}"), Var(f"tap{self.axis}")
        inner = Names(self.axis)
        place = inner("place", span.place(number, tap))
        low, high, part = span.neighbours(place, inner)
        near = inner("near", span.is_near(place))
        zero = Const(0, factor.dtype)
        shares = select(near, factor - part * factor, zero), select(near, part * factor, zero)
        total = (task, number, self.pixels.shape[-1] - 1)
        if self.ratio > 0:
            # What a sample outside writes is written over: by the next, or behind them all.
            written = inner("written", load(self.pixels, *total))
            for side, (pixel, share) in enumerate(zip((low, high), shares, strict=True)):
                inner.append(store(self.weights, (task, number, written + side), share))
                inner.append(store(self.pixels, (task, number, written + side), pixel))
            inner.append(store(self.pixels, total, select(near, written + 2, written)))
            rest, left = Var(f"rest{self.axis}"), Names(f"_left{self.axis}")
            count = left("count", load(self.pixels, *total))
            behind = (
                store(self.weights, (task, number, count + rest), 0),
                store(self.pixels, (task, number, count + rest), load(self.pixels, task, number, 0)),
            )
            body = (
                store(self.pixels, total, 0),
                For(tap, span.samples, tuple(inner)),
                *left,
                For(rest, 2 * self.ratio - count, behind),
            )
            return (For(number, index(self.results), body),)
        outer = Names(f"{self.axis}_of_all")
        first = outer("first", span.place(number, index(0)))
        begin, _, _ = span.neighbours(first, outer)
        ends = Names(f"{self.axis}_at_end")
        last = ends("last", span.place(number, span.samples - 1))
        _, end, _ = span.neighbours(last, ends)
        some = both(
            compare("gt", span.samples, 0),
            compare("ge", last, -1.0),
            compare("le", first, float(span.extent)),
        )
        count = ends("count", select(some, maximum(end - begin + 1, 0), index(0)))
        e = Var(f"e{self.axis}")
        for pixel, share in zip((low, high), shares, strict=True):
            # Rounding keeps the order of samples, so that none lies before the first.
            at = (task, number, maximum(pixel - begin, 0))
            inner.append(store(self.weights, at, load(self.weights, *at) + share))
        body = (
            *outer,
            *ends,
            store(self.pixels, (task, number, 0), begin),
            store(self.pixels, total, count),
            For(e, count, (store(self.weights, (task, number, e), 0),)),
            For(tap, span.samples, tuple(inner)),
        )
        return (For(number, index(self.results), body),)

    def each(
        self, task: Expr, number: Operand, body: Callable[[Expr, Expr], Sequence[Stmt]]
    ) -> tuple[Stmt, ...]:
        """A loop over the weights of a result: `body(pixel, weight)`."""
        e, pixel, weight = (
            Var(f"e{self.axis}"),
            Var(f"pixel{self.axis}"),
            Var(f"weight{self.axis}", self.weights.dtype),
        )
        count = load(self.pixels, task, number, self.pixels.shape[-1] - 1)
        weigh = Let(weight, load(self.weights, task, number, e))
        if self.ratio > 0:
            taken = Let(pixel, load(self.pixels, task, number, e))
            some = For(e, index(2 * self.ratio), (taken, weigh, *body(pixel, weight)))
            return (If(compare("gt", count, 0), (some,)),)
        at = Let(pixel, load(self.pixels, task, number, 0) + e)
        return (For(e, minimum(count, self.weights.shape[-1]), (at, weigh, *body(pixel, weight))),)


def roi_means(
    site: Site, x: TensorType, regions: int, size: tuple[int, int], ratio: int, region: Region
) -> tuple[Stmt, ...]:
    """The loops of a kernel that writes the means `[R, C, *size]` of regions of `x [N, C, H, W]`.

    `region(number, names)` gives the image of a region and its span along both dimensions; `ratio` is the number of samples of a
    result in each direction if that is fixed, else 0.
    """
    channels, (height, width) = x.shape[1], x.shape[2:]
    along_channels = contiguous_axis(site.input(0).strides, x.shape) == 1
    lanes = min(site.machine.lanes(x.dtype), power_of_two_below(channels if along_channels else width))
    tuning = site.machine.tuning.sampling
    each = -(-regions // tuning.region_tasks)
    tasks = -(-regions // each)
    rows = Weights(site, 0, tasks, size[0], height, ratio, x.dtype)
    columns = Weights(site, 1, tasks, size[1], width, ratio, x.dtype)
    # Sums of rows, by vectors of channels, or for all rows of results.
    sums = site.workspace(
        "sums", x.dtype, (tasks, width, lanes) if along_channels else (tasks, size[0], width)
    )

    def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        number = Var("number")
        body = mean_of(where[0], where[0] * each + number)
        return (For(number, minimum(regions - where[0] * each, each), body, LoopKind.SERIAL),)

    def mean_of(task: Expr, roi: Expr) -> tuple[Stmt, ...]:
        names = Names("")
        batch, spans = region(roi, names)
        samples = maximum(spans[0].samples * spans[1].samples, 1)
        factor = names("factor", Const(1, x.dtype) / cast(samples, x.dtype))
        ends = []
        for suffix, number, tap in (("_begin", 0, index(0)), ("_end", size[1] - 1, spans[1].samples - 1)):
            named = Names(suffix)
            ends.append(spans[1].neighbours(named("place", spans[1].place(index(number), tap)), named))
            names += named
        begin = names("begin", minimum(ends[0][0], ends[1][0]))
        stop = names("stop", maximum(ends[0][1], ends[1][1]) + 1)
        prepared = (
            *names,
            *rows.fill(task, spans[0], factor),
            *columns.fill(task, spans[1], Const(1, x.dtype)),
        )
        write = by_channels if along_channels else by_rows
        return (*prepared, *write(task, roi, batch, begin, stop))

    def summed(
        table: Weights,
        task: Expr,
        number: Operand,
        width_: int,
        element: Callable[[Expr, Expr], Expr],
        total: Buffer,
    ) -> tuple[Stmt, ...]:
        """Sums vectors of `element(pixel, lane)` times their weights into `total`."""

        def add(pixel: Expr, weight: Expr) -> Sequence[Stmt]:
            def one_lane(lane: Expr) -> Sequence[Stmt]:
                return (store(total, (lane,), Fma(weight, element(pixel, lane), load(total, lane))),)

            return vector("lane", width_, one_lane)

        clear = vector("lane", width_, lambda lane: (store(total, (lane,), 0),))
        return Alloc(total), *clear, *table.each(task, number, add)

    def by_rows(task: Expr, roi: Expr, batch: Expr, begin: Expr, stop: Expr) -> tuple[Stmt, ...]:
        def channel(c: Expr) -> Sequence[Stmt]:
            block, first = Var("block"), Var("first")
            row = buffer("row", x.dtype, (lanes,))

            def sum_rows(number: Expr) -> Sequence[Stmt]:
                return (
                    *summed(
                        rows,
                        task,
                        number,
                        lanes,
                        lambda y, lane: site.read(0, batch, c, y, first + lane),
                        row,
                    ),
                    *vector(
                        "lane",
                        lanes,
                        lambda lane: (store(sums, (task, number, first + lane), load(row, lane)),),
                    ),
                )

            # The last vector may begin early, and makes some sums twice.
            start = Let(first, minimum(begin + block * lanes, width - lanes))
            sum_all = For(
                block, (stop - begin + (lanes - 1)) // lanes, (start, *loop("row_at", size[0], sum_rows))
            )

            def results(column: Expr, start: Expr, count: int) -> Sequence[Stmt]:
                total = buffer("total", x.dtype, (count,))

                def add(pixel: Expr, weight: Expr) -> Sequence[Stmt]:
                    return [
                        store(total, (at,), Fma(weight, load(sums, task, start + at, pixel), load(total, at)))
                        for at in range(count)
                    ]

                writes = [
                    stmt
                    for at in range(count)
                    for stmt in site.write(0, (roi, c, start + at, column), load(total, at))
                ]
                return (
                    Alloc(total),
                    *(store(total, (at,), 0) for at in range(count)),
                    *columns.each(task, column, add),
                    *writes,
                )

            def column(number: Expr) -> Sequence[Stmt]:
                sizes = (
                    *(s for s in (tuning.region_sums,) if s <= size[0]),
                    *range(min(size[0], tuning.region_sums - 1), 0, -1),
                )
                return tiles("rows_at", size[0], sizes, lambda start, count: results(number, start, count))

            return sum_all, *loop("column_at", size[1], column)

        return loop("channel", channels, channel)

    def by_channels(task: Expr, roi: Expr, batch: Expr, begin: Expr, stop: Expr) -> tuple[Stmt, ...]:
        def some(c: Expr, count: int) -> Sequence[Stmt]:
            def row_of_results(number: Expr) -> Sequence[Stmt]:
                at, row, total = (
                    Var("at"),
                    buffer("row", x.dtype, (count,)),
                    buffer("total", x.dtype, (count,)),
                )
                place = at + begin
                sum_rows = (
                    *summed(
                        rows,
                        task,
                        number,
                        count,
                        lambda y, lane: site.read(0, batch, c + lane, y, place),
                        row,
                    ),
                    *vector("lane", count, lambda lane: (store(sums, (task, place, lane), load(row, lane)),)),
                )

                def column(other: Expr) -> Sequence[Stmt]:
                    return (
                        *summed(
                            columns,
                            task,
                            other,
                            count,
                            lambda pixel, lane: load(sums, task, pixel, lane),
                            total,
                        ),
                        *vector(
                            "lane",
                            count,
                            lambda lane: site.write(0, (roi, c + lane, number, other), load(total, lane)),
                        ),
                    )

                return For(at, stop - begin, sum_rows), *loop("column_at", size[1], column)

            return loop("row_at", size[0], row_of_results)

        return tiles("channel", channels, vector_sizes(lanes), some)

    return collapse("task", (tasks,), task)
