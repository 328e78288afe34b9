"""Kernels that do the same for each element of a tensor: their loops, and the indices of operands that are broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.loops.build.nest import by_storage_order, loop, vector_blocks
from ingot.loops.nodes import Const, Expr, LoopKind, Operand, Stmt, index


def broadcast_index(where: Sequence[Expr], shape: tuple[int, ...]) -> tuple[Operand, ...]:
    """The index into an operand of `shape` for the index `where` of the broadcast result."""
    tail = where[len(where) - len(shape) :]
    return tuple(index(0) if extent == 1 else part for part, extent in zip(tail, shape, strict=True))


def each_element(
    name: str,
    shape: Sequence[int],
    strides: Sequence[int],
    lanes: int,
    body: Callable[[tuple[Expr, ...]], Sequence[Stmt]],
    shared_from: int,
) -> tuple[Stmt, ...]:
    """`body` for every index of a box, in the order in which `strides` lay its elements in memory, by vectors where they touch.

    The iterations must be independent of each other. They run in parallel if there are at least `shared_from` of them.
    """
    if 0 in shape:
        return ()
    order = [axis for axis in by_storage_order(strides, shape) if shape[axis] != 1]
    place: list[Expr] = [Const(0, DType.INT64)] * len(shape)

    def level(depth: int) -> Sequence[Stmt]:
        if depth == len(order):
            return body(tuple(place))
        axis = order[depth]

        def inner(at: Expr) -> Sequence[Stmt]:
            place[axis] = at
            return level(depth + 1)

        if depth == len(order) - 1 and strides[axis] == 1:
            return vector_blocks(f"{name}{axis}", shape[axis], lanes, inner)
        kind = LoopKind.PARALLEL if depth == 0 and math.prod(shape) >= shared_from else LoopKind.SERIAL
        return loop(f"{name}{axis}", shape[axis], inner, kind)

    return tuple(level(0))
