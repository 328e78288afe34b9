"""Matrix products with fewer multiplications, and more sums: Winograd's inner product, for constant weights.

Two terms of a sum take one multiplication, and what they have too much depends on one operand alone:

    x1 w1 + x2 w2 = (x1 + w2)(x2 + w1) - x1 x2 - w1 w2

Some processors add on other units than those that multiply, and as often: there sums cost nothing next to multiply-adds. With
two thirds of the terms in pairs, and the others multiplied as ever, six terms take four multiply-adds and four sums beside
them: two thirds of the time. The left operand is copied once, and Σ x1 x2 of each row is made meanwhile; Σ w1 w2 is known while
building. Half of the pairs have their signs negated, x1 w1 + x2 w2 = x1 x2 + w1 w2 - (x1 - w2)(x2 - w1), so that these two sums
do not grow with the means of the operands.

**Error.** Both operands must be about as large. So a row is multiplied by a power of two that makes the mean of its absolute
values 1 to 2, a column of weights by another, and results by both. Measured against float64, in units of the root mean square
of the results (largest, root mean square), the left operand behind a ReLU, normal weights:

    K       by definition       by pairs
    66      6.6e-7, 1.0e-7      9.2e-7, 1.4e-7
    384     1.7e-6, 2.6e-7      2.1e-6, 3.5e-7
    1536    2.9e-6, 4.9e-7      3.9e-6, 6.6e-7

A result's error is relative to the norms of its own row and its own column. Two things would take digits from results. Were two
elements of a row both far larger than the rest, and a pair, then their product would be in all sums of the row for a while. Were
most of a row's sum that of a few elements, then the scale would be theirs, and others be added to weights much larger than they
are. So the copy looks: a row is multiplied by definition where Σ (x1 x2)² is more than `EXCESS`² times Σ x² by the square of
the mean, or (Σ|x|)² less than `FEW` times Σ x², or where an element is not a number. What a row gives never depends on others.
Columns of weights are looked at while building. The largest of some thousands of errors, among rows with outliers, sparse ones
and ones of all sizes, some with small weights at their outliers, in units of 2⁻²⁴ ‖x‖ ‖w‖:

    K       by pairs    by definition    by pairs, of rows that the copy turns down
    48      18          6                19
    128     11          10               52
    768     22          25               211
    3072    34          36               270

*Source:* S. Winograd, A New Algorithm for Inner Product, IEEE Transactions on Computers C-17 (1968); R. Brent, Error analysis
of algorithms for matrix multiplication and triangular decomposition using Winograd's identity, Numerische Mathematik 16
(1970), that operands must be scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Estimate, why_not
from ingot.kernels.blocks.register_block import choose_tile, step_cycles
from ingot.kernels.template import Home, Site
from ingot.loops.build.nest import pieces
from ingot.loops.nodes import Expr, Stmt
from ingot.machines.machine import Machine

EXCESS, FEW = 9.8, 2.5
_MIN_SCALE, _MAX_SCALE = 2.0**-149, 2.0**100  # the least float32; what leaves rows a range of scales


def as_it_is(weights: np.ndarray) -> np.ndarray:
    """A constant that is a matrix `[K, N]`."""
    return weights


@dataclass(frozen=True, slots=True)
class Product:
    """`y[m, n] = Σ_k x[m, k] weights[k, n]` in float32, of so many rows, terms (`depth`) and columns.

    A row of `x` is `runs` runs of elements: `read(row, run, element)` is one of them, and `inside(row, run)`, if given, says
    whether a run is there; all of one that is not are zero. `write(row, column, value)` takes a result. `matrix` makes `[K, N]`
    of the constant that the weights are.
    """

    rows: int
    depth: int
    columns: int
    read: Callable[[Expr, Expr, Expr], Expr]
    write: Callable[[Expr, Expr, Expr], Sequence[Stmt]]
    runs: int = 1
    inside: Callable[[Expr, Expr], Expr] | None = None
    matrix: Callable[[np.ndarray], np.ndarray] = as_it_is


def paired(depth: int) -> int:
    """How many pairs there are among so many terms: a third of them, in whole vectors where that is hardly fewer. Term number `i`
    and term number `paired + i` are a pair, terms from `2 * paired` on are single.
    """
    pairs_max = depth // 3
    for unit in (32, 16, 8, 4, 2):
        count = pairs_max // unit * unit
        if depth - count <= 1.03 * (depth - pairs_max):
            return count
    return pairs_max


def negated(pairs: int, lanes: int) -> np.ndarray:
    """Which pairs have their signs negated, `[pairs]`: those of every other vector."""
    flags = np.zeros(pairs, bool)
    for number, (first, size) in enumerate(pieces(pairs, lanes)):
        flags[first : first + size] = number % 2 == 1
    return flags


def why_not_pairs(site: Site, rows: int, depth: int, columns: int) -> str:
    """Why a product of float32 with weights `[depth, columns]` is no pairwise inner product there; empty if it is one."""
    machine, tuning = site.machine, site.machine.tuning.pairwise
    lanes = machine.lanes(DType.FLOAT32)
    return why_not(
        (machine.math == "exact", "exact mathematics computes the definition"),
        (not machine.separate_fadd_pipes, "the machine has no separate pipes for additions"),
        (rows < tuning.min_rows, f"there are {rows} rows, fewer than {tuning.min_rows}"),
        (depth < tuning.min_depth, f"there are {depth} terms, fewer than {tuning.min_depth}"),
        (not columns >= lanes > 1, "columns fill no vector"),
    )


def why_not_even(site: Site, matrix: Callable[[np.ndarray], np.ndarray] = as_it_is) -> str:
    """Why weights, which are input 1 as a `matrix`, do not go in pairs by their values; empty if they do."""
    are_fit = site.ask(1, lambda weights: are_even(matrix(weights)))
    return why_not((not are_fit, "weights are too uneven, and pairs would round too much away"))


def estimate_pairs(
    site: Site, rows: int, depth: int, columns: int, runs: int = 1, inside: float = 1.0
) -> Estimate:
    """What a product of so many rows should need as a pairwise inner product. Of its terms the definition needs only those
    that are `inside`, a share of them.
    """
    machine = site.machine
    pairs, single = (
        _pairs_cycles(machine, rows, depth, columns, runs),
        inside * _single_cycles(machine, rows, depth, columns),
    )
    tuning = machine.tuning.pairwise
    pairs += tuning.far_cycles * depth * columns if site.home is Home.MEMORY else 0.0
    return Estimate(pairs <= tuning.worth * single, pairs <= tuning.try_worth * single, pairs, single)


def _pairs_cycles(machine: Machine, rows: int, depth: int, columns: int, runs: int = 1) -> float:
    """Of a pairwise inner product."""
    tuning = machine.tuning.pairwise
    lanes, steps, tile = machine.lanes(DType.FLOAT32), depth - paired(depth), row_tile_of(machine, rows)
    vectors = columns // lanes + (0, tuning.half_vector, 1.0)[-(-2 * (columns % lanes) // lanes)]
    copied = tuning.row_cycles + tuning.vector_cycles * depth / lanes
    copied += tuning.run_cycles * runs if runs > 1 else 0
    return -(-rows // tile) * tile * (vectors * (tuning.step_cycles * steps + tuning.result_cycles) + copied)


def _single_cycles(machine: Machine, rows: int, depth: int, columns: int) -> float:
    best = choose_tile(machine, DType.FLOAT32, rows, columns)
    fmas = machine.vector_bytes // (best.lanes * DType.FLOAT32.size_bytes) if machine.double_pumped_512 else 2
    return depth * step_cycles(machine, rows, best.rows, columns, best.vectors, best.lanes, fmas)


def scales(weights: np.ndarray) -> np.ndarray:
    """What results of each column are multiplied by, and its weights divided: `[K, N]` → `[N]`, powers of two; 0 for a column of
    zeros.
    """
    mean = np.abs(weights).mean(0, dtype=np.float64)
    power = np.exp2(np.floor(np.log2(np.maximum(mean, _MIN_SCALE))))
    return np.where(mean > 0, power, 0.0).astype(np.float32)


def largest_scale_bits(weights: np.ndarray) -> int:
    """How many bits the whole part of the largest scale of a column has."""
    return int(float(scales(weights).max())).bit_length()


def scaled(weights: np.ndarray) -> np.ndarray:
    """Weights divided by the scales of their columns: exact but for what is 2⁻¹⁴⁹ of its column's mean."""
    by = scales(weights)
    return weights / np.where(by > 0, by, np.float32(1))


def are_even(weights: np.ndarray) -> bool:
    """Whether each column could be a row that goes in pairs, and loses nothing by being scaled."""
    if not weights.size or not np.isfinite(weights).all() or scales(weights).max() > _MAX_SCALE:
        return False
    values = scaled(weights)
    if ((values == 0) != (weights == 0)).any():
        return False
    depth, pairs = len(weights), paired(len(weights))
    both = values[:pairs] * values[pairs : 2 * pairs]
    mean = np.abs(values).mean(0, dtype=np.float64)
    squares, products = (np.einsum("kn,kn->n", matrix, matrix, dtype=np.float64) for matrix in (values, both))
    return bool(((products <= EXCESS**2 * squares * mean**2) & (FEW * squares <= (depth * mean) ** 2)).all())


def row_tile_of(machine: Machine, rows: int) -> int:
    """How many rows each register block has: code for one size is half of that for two. Some of the last one may be done."""
    tuning = machine.tuning.pairwise
    sizes = range(min(rows, tuning.max_rows), min(rows, tuning.min_block_rows) - 1, -1)
    return min(sizes, key=lambda size: -(-rows // size) * (size + tuning.block_rows))
