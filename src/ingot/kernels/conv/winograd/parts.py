"""What kernels by Winograd's algorithm are put together from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.loops.nodes import Const, Expr, If, Let, Stmt, Var
from ingot.loops.transform.rewrite import walk


def stored_early(lets: Sequence[Stmt], stores: Sequence[tuple[Expr, Sequence[Stmt]]]) -> list[Stmt]:
    """The statements that name values, with the stores of each value right behind the last name that it is made of: there are
    no registers for all results of a transform at once.
    """
    number = {stmt.var: at for at, stmt in enumerate(lets) if isinstance(stmt, Let)}
    behind: dict[int, list[Stmt]] = {}
    for value, stmts in stores:
        needed = [number[node] for node in walk(value) if isinstance(node, Var) and node in number]
        behind.setdefault(max(needed, default=-1), []).extend(stmts)
    return [
        *behind.get(-1, ()),
        *(each for at, stmt in enumerate(lets) for each in (stmt, *behind.get(at, ()))),
    ]


def spread(rows: int) -> int:
    """An odd number of rows: the same row of all matrices is written together, and must not lie in one set of a cache."""
    return rows | 1


def when(condition: Expr, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """Statements for if a condition holds; those alone if it always does."""
    return (
        tuple(stmts) if isinstance(condition, Const) and condition.value else (If(condition, tuple(stmts)),)
    )


def pack_taps(array: np.ndarray, columns: int, per_step: int) -> np.ndarray:
    """`[M, C, taps…]` → `[panel, C / per_step, taps, columns * per_step]`, filled with zeros to whole panels."""
    filters, channels = array.shape[:2]
    panels, taps = -(-filters // columns), math.prod(array.shape[2:])
    padded = np.zeros((panels * columns, channels, taps), array.dtype)
    padded[:filters] = array.reshape(filters, channels, taps)
    split = padded.reshape(panels, columns, channels // per_step, per_step, taps).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(split).reshape(panels, channels // per_step, taps, columns * per_step)
