"""The matrices of Winograd's algorithm, and products with them as expressions that share what they have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ingot.base.tensor import DType
from ingot.loops.nodes import Const, Expr, Fma, Let, Stmt, Var

Matrix = tuple[tuple[Fraction, ...], ...]

TAPS = 3
"""Extent of the kernel, of most."""
TILES = {3: (2, 4), 5: (2,)}
"""Extents of kernels that there are tiles of outputs for, and theirs."""
POINTS = {4: (Fraction(1),), 6: (Fraction(3, 4), Fraction(3, 2))}
"""Extent of a tile of inputs → the positive finite points; 0, their negatives and ∞ are points as well."""


@dataclass(frozen=True, slots=True)
class Form:
    """F(m, taps) along so many sides."""

    m: int
    sides: int = 2
    taps: int = TAPS

    @property
    def n(self) -> int:
        """The extent of a tile of inputs."""
        return self.m + self.taps - 1

    @property
    def matrices(self) -> int:
        """How many matrix products there are."""
        return math.prod([self.n] * self.sides)

    @property
    def weights(self) -> int:
        """Of the kernel along the sides."""
        return math.prod([self.taps] * self.sides)


@dataclass(frozen=True, slots=True)
class Matrices:
    """`B`ᵀ [n, n], `G` [n, taps], `A`ᵀ [m, n] for tiles of m outputs; rows (of A: columns) are 0, p, -p, …, ∞."""

    bt: Matrix
    g: Matrix
    at: Matrix


def winograd_matrices(m: int, taps: int = TAPS) -> Matrices:
    """The matrices of F(m, taps), by polynomial interpolation (Cook and Toom)."""
    points = [Fraction(0)] + [sign * point for point in POINTS[m + taps - 1] for sign in (1, -1)]
    zero, unit = Fraction(0), Fraction(1)

    def product(roots: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Coefficients of Π (x - root), the constant one first."""
        result = [unit]
        for root in roots:
            shifted = [zero, *result]
            result = [high - root * low for high, low in zip(shifted, [*result, zero], strict=True)]
        return tuple(result)

    def others(point: Fraction) -> list[Fraction]:
        return [other for other in points if other != point]

    def scale(point: Fraction) -> Fraction:
        result = unit
        for other in others(point):
            result *= point - other
        return result

    bt = (*((*product(others(point)), zero) for point in points), product(points))
    g = (
        *(tuple(point**k / scale(point) for k in range(taps)) for point in points),
        (*[zero] * (taps - 1), unit),
    )
    at = tuple((*(point**k for point in points), Fraction(int(k == m - 1))) for k in range(m))
    return Matrices(bt, g, at)


# ─── linear forms ──────────────────────────────────────────────────────────────────────────────────────────────────


class Names:
    """Fresh names for intermediate values of one block of statements."""

    def __init__(self, prefix: str = "v") -> None:
        self.stmts: list[Stmt] = []
        self._prefix = prefix
        self._count = 0

    def name(self, value: Expr) -> Expr:
        """The value under a name of its own: computed once."""
        if isinstance(value, Const | Var):
            return value
        var = Var(f"{self._prefix}{self._count}", value.dtype)
        self._count += 1
        self.stmts.append(Let(var, value))
        return var


def _number(value: Fraction) -> Const:
    return Const(float(value), DType.FLOAT32)


def weighted(coefficients: Sequence[Fraction], values: Sequence[Expr]) -> Expr:
    """Σ coefficient * value, as multiply-adds that begin with a term whose factor is 1, if there is one."""
    terms = sorted(
        ((factor, value) for factor, value in zip(coefficients, values, strict=True) if factor),
        key=lambda term: term[0] != 1,
    )
    (first, start), *rest = terms
    result = start if first == 1 else start * _number(first)
    for factor, value in rest:
        result = (
            result + value
            if factor == 1
            else result - value
            if factor == -1
            else Fma(_number(factor), value, result)
        )
    return result


def times(matrix: Matrix, values: Sequence[Expr], names: Names) -> list[Expr]:
    """The product of a matrix and a column. Two rows that differ in the sign of some columns only share their parts:
    `even + odd` and `even - odd`.
    """
    results: list[Expr] = []
    row = 0
    while row < len(matrix):
        here, following = matrix[row], matrix[row + 1] if row + 1 < len(matrix) else None
        if following is not None and all(abs(a) == abs(b) for a, b in zip(here, following, strict=True)):
            even = tuple((a + b) / 2 for a, b in zip(here, following, strict=True))
            odd = tuple((a - b) / 2 for a, b in zip(here, following, strict=True))
            if any(even) and any(odd):
                factor = next(entry for entry in reversed(odd) if entry)
                base = names.name(weighted(even, values))
                change = names.name(weighted([entry / factor for entry in odd], values))
                results.append(names.name(weighted((Fraction(1), factor), (base, change))))
                results.append(names.name(weighted((Fraction(1), -factor), (base, change))))
                row += 2
                continue
        results.append(names.name(weighted(here, values)))
        row += 1
    return results


def folded_times(matrix: Matrix, values: Sequence[Expr], names: Names) -> list[Expr]:
    """The same for a matrix whose columns, but the first and the last, are pairs that differ in sign: `Aᵀ`."""
    folded, columns = [values[0]], [tuple(row[0] for row in matrix)]
    for at in range(1, len(values) - 1, 2):
        folded += [names.name(values[at] + values[at + 1]), names.name(values[at] - values[at + 1])]
        first, second = (tuple(row[at + k] for row in matrix) for k in (0, 1))
        columns.append(tuple((a + b) / 2 for a, b in zip(first, second, strict=True)))
        columns.append(tuple((a - b) / 2 for a, b in zip(first, second, strict=True)))
    folded.append(values[-1])
    columns.append(tuple(row[-1] for row in matrix))
    return [names.name(weighted(row, folded)) for row in zip(*columns, strict=True)]


Product = Callable[[Matrix, Sequence[Expr], Names], list[Expr]]


def all_sides(
    product: Product, matrix: Matrix, element: Callable[..., Expr], extent: int, sides: int, names: Names
) -> list[Expr]:
    """`matrix · X · matrixᵀ` of a square X [extent, extent], row by row; with one side, `matrix · x` of a column."""
    if sides == 1:
        return product(matrix, [names.name(element(i)) for i in range(extent)], names)
    return [value for row in _both_sides(product, matrix, element, extent, names) for value in row]


def _both_sides(
    product: Product, matrix: Matrix, element: Callable[[int, int], Expr], extent: int, names: Names
) -> list[list[Expr]]:
    columns = [
        product(matrix, [names.name(element(i, j)) for i in range(extent)], names) for j in range(extent)
    ]
    return [product(matrix, [column[i] for column in columns], names) for i in range(len(matrix))]
