"""Normalisation of rows whose elements lie far apart while rows lie side by side: of the channels of an image in planes, say.

Lanes are rows then. What a row by itself would read element by element, each from a line of its own, is read along memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, why_not
from ingot.kernels.normalize.problem import RowNorm
from ingot.kernels.template import Site, read_strides
from ingot.loops.build.nest import (
    by_storage_order,
    contiguous_axis,
    expecting,
    loop,
    parallel_tiles,
    vector,
    vector_sizes,
)
from ingot.loops.nodes import Alloc, Const, Expr, LoopKind, Stmt, buffer, call, load, store


def _inner(site: Site, x: TensorType) -> int | None:
    """The dimension whose elements lie side by side in the input."""
    return contiguous_axis(read_strides(site, 0, x.shape), x.shape)


def _refuses(site: Site, norm: RowNorm) -> str:
    x, lanes = norm.x, site.machine.lanes(norm.x.dtype)
    return why_not(
        (site.machine.grid, FOR_PROCESSORS),
        (lanes == 1, "the machine has no vectors of these elements"),
        (_inner(site, x) in (None, x.rank - 1), "rows do not lie side by side"),
        (
            x.shape[-1] * lanes * x.dtype.size_bytes > site.machine.tuning.rows.stack_max_bytes,
            "a vector of rows does not fit on the stack",
        ),
    )


def _estimate(site: Site, norm: RowNorm) -> Estimate:
    inner = _inner(site, norm.x)
    enough = min(site.machine.lanes(norm.x.dtype), site.machine.tuning.rows.columns_min_rows)
    pays = inner is not None and norm.x.shape[inner] >= enough
    return Estimate(pays, worth_measuring=pays)


def _build(site: Site, norm: RowNorm) -> tuple[Stmt, ...]:
    x, centred, epsilon, bias, statistics = norm.x, norm.centred, norm.epsilon, norm.bias, norm.statistics
    inner = _inner(site, x)
    assert inner is not None, "rows that do not lie side by side are refused"
    extent, lanes, axis = x.shape[-1], site.machine.lanes(x.dtype), x.rank - 1
    order = [
        part
        for part in by_storage_order(read_strides(site, 0, x.shape), x.shape)
        if part not in (inner, axis)
    ]
    rows_adjoin = contiguous_axis(site.outputs[0].strides, x.shape) == axis

    def tile(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
        fixed = dict(zip(order, where, strict=True))
        parts = site.machine.tuning.rows.parts
        rows, sums = buffer("rows", x.dtype, (extent, size)), buffer("sums", x.dtype, (parts, size))
        mean, inverse = buffer("mean", x.dtype, (size,)), buffer("inverse", x.dtype, (size,))

        def full(at: Expr | int, lane: Expr) -> list[Expr]:
            coordinates = fixed | {inner: start + lane}
            return [coordinates[part] for part in range(axis)] + [
                Const(at, lane.dtype) if isinstance(at, int) else at
            ]

        def lanewise(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            return vector("lane", size, body)

        def folded(name: str, body: Callable[[Expr, Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            """Sums over a row in parts, then all of them in the first."""
            blocks = extent // parts

            def block(number: Expr) -> tuple[Stmt, ...]:
                return tuple(
                    stmt
                    for part in range(parts)
                    for stmt in lanewise(lambda lane, part=part: body(number * parts + part, lane, part))  # type: ignore[misc]
                )

            def join(lane: Expr) -> Sequence[Stmt]:
                total = load(sums, 0, lane)
                for part in range(1, parts):
                    total = total + load(sums, part, lane)
                return (store(sums, (0, lane), total),)

            zeros = [
                stmt
                for part in range(parts)
                for stmt in lanewise(lambda lane, part=part: (store(sums, (part, lane), 0),))  # type: ignore[misc]
            ]
            rest = loop(
                f"{name}_rest",
                extent % parts,
                lambda at: lanewise(lambda lane: body(at + blocks * parts, lane, 0)),
            )
            return (*zeros, *loop(name, blocks, block), *rest, *lanewise(join))

        def take(at: Expr, lane: Expr, part: int) -> Sequence[Stmt]:
            value = load(rows, at, lane)
            kept = store(rows, (at, lane), site.read(0, *full(at, lane)))
            added = value if centred else value * value
            return kept, store(sums, (part, lane), load(sums, part, lane) + added)

        def square(at: Expr, lane: Expr, part: int) -> Sequence[Stmt]:
            distance = load(rows, at, lane) - load(mean, lane)
            return (store(sums, (part, lane), load(sums, part, lane) + distance * distance),)

        def finish(at: Expr, lane: Expr) -> Sequence[Stmt]:
            value = load(rows, at, lane)
            scaled = (
                ((value - load(mean, lane)) if centred else value) * load(inverse, lane) * site.read(1, at)
            )
            return site.write(0, full(at, lane), scaled + site.read(2, at) if bias else scaled)

        def ends(lane: Expr) -> Sequence[Stmt]:
            return (
                *site.write(1, full(0, lane), load(mean, lane)),
                *site.write(2, full(0, lane), load(inverse, lane)),
            )

        def deviation(lane: Expr) -> Sequence[Stmt]:
            return (
                store(
                    inverse, (lane,), Const(1, x.dtype) / call("sqrt", load(sums, 0, lane) / extent + epsilon)
                ),
            )

        stmts: list[Stmt] = [Alloc(temporary) for temporary in (rows, sums, inverse)]
        stmts += folded("k", take)
        if centred:
            stmts.append(Alloc(mean))
            stmts += lanewise(lambda lane: (store(mean, (lane,), load(sums, 0, lane) / extent),))
            stmts += folded("k", square)
        stmts += lanewise(deviation)
        if rows_adjoin and size > 1 and extent >= size:
            # By squares, which the code generator reads along memory and turns.
            def some(number: Expr) -> tuple[Stmt, ...]:
                def row(lane: Expr) -> tuple[Stmt, ...]:
                    return vector("at", size, lambda at: finish(number * size + at, lane))

                return expecting("transpose", loop("row", size, row, LoopKind.UNROLLED))

            done = extent // size
            stmts += loop("j", done, some)
            stmts += loop(
                "j_rest",
                extent - done * size,
                lambda at: lanewise(lambda lane: finish(at + done * size, lane)),
            )
        else:
            stmts += loop("j", extent, lambda at: lanewise(lambda lane: finish(at, lane)))
        if statistics:
            stmts += lanewise(ends)
        return stmts

    return parallel_tiles(
        "column", [x.shape[part] for part in order], x.shape[inner], vector_sizes(lanes), tile
    )


COLUMNS = Algorithm("columns", _build, _refuses, estimate=_estimate)
