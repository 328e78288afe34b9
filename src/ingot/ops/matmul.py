"""Matrix products: MatMul and Gemm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, loop, vector_blocks
from ingot.loops.nodes import Const, Expr, Operand, Stmt, cast, index, load, store
from ingot.ops.elementwise import broadcast_index, broadcast_shape, map_broadcast
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.register_tile import Step, Tile, accumulate, choose_tile, row_tiles
from ingot.tensor import DType, TensorType

# Rows that one task of the parallel loop computes for one panel of columns.
ROWS_PER_TASK = 96


def matmul_template(a: TensorType, b: TensorType, output: TensorType) -> Template:
    """`output[…, m, n] = Σ_k a[…, m, k] * b[…, k, n]`, batch dimensions broadcast.

    *Source:* ONNX MatMul-13, which is numpy.matmul.
    """
    return Template(
        "matmul",
        (a, b),
        (output,),
        lambda site: _build(site, a, b, output),
        spec={"m": output.shape[-2], "n": output.shape[-1], "k": a.shape[-1], "batch": output.shape[:-2]},
        prefers={("output", 0): tuple(range(output.rank))},
    )


def _build(site: Site, a: TensorType, b: TensorType, output: TensorType) -> Sequence[Stmt]:
    rows, columns = output.shape[-2:]
    depth = a.shape[-1]
    batch = output.shape[:-2]
    acc_type = accumulator_type(output.dtype)
    tile = choose_tile(site.machine, acc_type, rows, columns)
    prologue, column_of = _columns(site, b, tile)

    def block(where: tuple[Expr, ...], panel: Operand, width: int, first_row: Operand, row_count: int) -> Sequence[Stmt]:
        a_index = broadcast_index(where, a.shape[:-2])
        b_index = broadcast_index(where, b.shape[:-2])
        first_column = index(panel) * tile.columns

        def rows_of(start: Expr, size: int) -> Sequence[Stmt]:
            first = start + first_row

            def reduction(step: Step) -> Sequence[Stmt]:
                return loop(
                    "k",
                    depth,
                    lambda k: step(
                        lambda row: cast(site.read(0, *a_index, first + row, k), acc_type),
                        lambda column: cast(column_of(b_index, index(panel), k, column), acc_type),
                    ),
                )

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (*where, first + row, first_column + column), cast(value, output.dtype))

            return accumulate(size, tile, acc_type, reduction, write, width)

        return row_tiles("m", row_count, tile.rows, rows_of)

    # A task is one panel of columns by one block of rows. Partial panels and blocks have loops of their own, so that
    # all others have constant sizes.
    rows_per_task = max(1, ROWS_PER_TASK // tile.rows) * tile.rows
    stmts = tuple(prologue)
    for first_panel, panels, width in parts(columns, tile.columns):
        for first_block, blocks, height in parts(rows, rows_per_task):

            def task(
                where: tuple[Expr, ...],
                first_panel: int = first_panel,
                width: int = width,
                first_block: int = first_block,
                height: int = height,
            ) -> Sequence[Stmt]:
                *index_, panel, number = where
                row = (number + first_block) * rows_per_task
                return block(tuple(index_), panel + first_panel, width, row, height)

            stmts += collapse(f"task{width}x{height}", (*batch, panels, blocks), task)
    return stmts


def parts(extent: int, size: int) -> tuple[tuple[int, int, int], ...]:
    """Covers `extent` by pieces of `size`: (first piece, number of pieces, their size), the last one smaller if need be."""
    full, rest = divmod(extent, size)
    return ((0, full, size),) * bool(full) + ((full, 1, rest),) * bool(rest)


ColumnOf = Callable[[Sequence[Operand], Expr, Expr, Expr], Expr]  # batch index, panel, k, column in the panel → weight


def _columns(site: Site, b: TensorType, tile: Tile) -> tuple[Sequence[Stmt], ColumnOf]:
    """How to read the right operand: packed while building, in place, or packed first while running."""
    array = site.constant(1)
    width = tile.columns
    depth, columns = b.shape[-2:]
    if array is not None:
        packed = site.pack(1, pack_panels(array, width))
        return (), lambda where, panel, k, column: load(packed, *where, panel, k, column)
    if not site.is_inlined(1) and site.input(1).strides[-1] == 1 and columns % width == 0:
        source = site.input(1)
        return (), lambda where, panel, k, column: load(source, *where, k, panel * width + column)
    workspace = site.workspace("panels", b.dtype, (*b.shape[:-2], -(-columns // width), depth, width))
    stmts: tuple[Stmt, ...] = ()
    for first_panel, panels, valid in parts(columns, width):

        def copy(where: tuple[Expr, ...], first_panel: int = first_panel, valid: int = valid) -> Sequence[Stmt]:
            *index_, number = where
            panel = number + first_panel

            def row(k: Expr) -> tuple[Stmt, ...]:
                moved = vector_blocks(
                    "c",
                    valid,
                    tile.lanes,
                    lambda c: (store(workspace, (*index_, panel, k, c), site.read(1, *index_, k, panel * width + c)),),
                )
                return moved + vector_blocks(
                    "z", width - valid, tile.lanes, lambda c: (store(workspace, (*index_, panel, k, c + valid), 0),)
                )

            return loop("k", depth, row)

        stmts += collapse(f"pack{valid}", (*b.shape[:-2], panels), copy)
    return stmts, lambda where, panel, k, column: load(workspace, *where, panel, k, column)


def pack_panels(array: np.ndarray, width: int) -> np.ndarray:
    """`[…, K, N]` → `[…, N/width, K, width]`, the last panel filled with zeros."""
    *batch, depth, columns = array.shape
    panels = -(-columns // width)
    padded = np.zeros((*batch, depth, panels * width), array.dtype)
    padded[..., :columns] = array
    return np.ascontiguousarray(np.moveaxis(padded.reshape(*batch, depth, panels, width), -2, -3))


def matmul(call_: OpCall, emit: Emitter, a: Tensor, b: Tensor) -> Tensor:
    """Emits numpy.matmul of two tensors of rank 1 or more."""
    if a.rank == 0 or b.rank == 0 or a.dtype != b.dtype:
        call_.unsupported(f"matrix product of {a.type} and {b.type}")
    wide_a = emit.reshape(a, (1, *a.shape)) if a.rank == 1 else a
    wide_b = emit.reshape(b, (*b.shape, 1)) if b.rank == 1 else b
    if wide_a.shape[-1] != wide_b.shape[-2]:
        call_.unsupported(f"matrix product of shapes {a.shape} and {b.shape}: inner dimensions differ")
    batch = broadcast_shape(call_, wide_a.shape[:-2], wide_b.shape[:-2])
    lead = wide_a.shape[:-2]
    if wide_b.rank == 2 and math.prod(lead) > 1:
        # One matrix on the right: all rows of the left operand are one long matrix.
        flat = emit.reshape(wide_a, (math.prod(wide_a.shape[:-1]), wide_a.shape[-1]))
        result = _product(emit, flat, wide_b, ())
    else:
        result = _product(emit, wide_a, wide_b, batch)
    return emit.reshape(result, (*batch, *wide_a.shape[-2:-1] * (a.rank > 1), *wide_b.shape[-1:] * (b.rank > 1)))


def _product(emit: Emitter, a: Tensor, b: Tensor, batch: tuple[int, ...]) -> Tensor:
    output = TensorType(a.dtype, (*batch, a.shape[-2], b.shape[-1]))
    return emit.template(matmul_template(a.type, b.type, output), [a, b])[0]


def transpose_last(emit: Emitter, tensor: Tensor) -> Tensor:
    """The tensor with its last two dimensions swapped; of a constant it is a constant."""
    if tensor.constant is not None:
        return emit.constant(np.swapaxes(tensor.constant, -1, -2))
    shape = (*tensor.shape[:-2], tensor.shape[-1], tensor.shape[-2])
    return emit.pointwise(
        [tensor], TensorType(tensor.dtype, shape), lambda at, x: x(*at[:-2], at[-1], at[-2]), "transpose"
    )


def _lower_matmul(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX MatMul 1, 9, 13: numpy.matmul, all number types."""
    return (matmul(call_, emit, call_.input(0), call_.input(1)),)


def _lower_gemm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX Gemm 7, 9, 11, 13: `alpha * A' * B' + beta * C`."""
    a, b, c = call_.input(0), call_.input(1), call_.optional(2)
    if call_.attr("transA", 0):
        a = transpose_last(emit, a)
    if call_.attr("transB", 0):
        b = transpose_last(emit, b)
    alpha, beta = float(call_.attr("alpha", 1.0)), float(call_.attr("beta", 1.0))
    product = matmul(call_, emit, a, b)

    def scaled(value: Expr, factor: float) -> Expr:
        if factor == 1.0:
            return value
        wide = DType.FLOAT32 if value.dtype.is_integer or value.dtype.size_bytes == 2 else value.dtype
        return cast(cast(value, wide) * Const(factor, wide), value.dtype)

    if c is None or beta == 0.0:
        if alpha == 1.0:
            return (product,)
        return (map_broadcast(call_, emit, [product], product.type, lambda x: scaled(x, alpha), "scale"),)
    return (
        map_broadcast(
            call_, emit, [product, c], product.type, lambda x, y: scaled(x, alpha) + scaled(y, beta), "bias"
        ),
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "MatMul", 1, _lower_matmul),
    OpDef("", "Gemm", 7, _lower_gemm),
)
