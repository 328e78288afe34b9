"""Convolution 3×3 with stride 1 of 8-bit quantized values by Winograd's F(4×4, 3×3): fewer multiplications, exact sums.

It interpolates at 0, ±1, ±2 and ∞, so that all matrices are of whole numbers once `G` is multiplied by 24:

    V = Bᵀ d B      U = G' g G'ᵀ      M[ξ] = Σ_c V[ξ, c] U[ξ, c]      576 y = A'ᵀ M A'

where a row of `G'` has a part of the factor 24, and `A'` what is missing. Of 8 bits no element of V is beyond 17,340 and
none of U beyond 18,432, so both are numbers of 16 bits, and the sums over channels are 36 matrix products of pairs
(`Dot2`), with four times fewer multiplications than the definition. A pair takes as long as four values (`Dot4`): half of
the time is left. NEON without dot products multiplies 16-bit numbers one by one, half as many in a cycle as values.

Sums wrap on the way, which does not matter: 576 y is right modulo 2^32, and so is 64 y behind a multiplication by the
inverse of 9; for |y| < 2^25 the last six bits are shifted out. Whether that holds for all inputs is known while building,
from the weights.

*Source:* S. Winograd, Arithmetic Complexity of Computations (1980); arXiv 1509.09308 (the matrices).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, why_not
from ingot.kernels.blocks.dot_block import (
    Factors,
    Step,
    accumulate,
    dot_tiles,
    reads_int8x4,
    unsigned_zero,
    wide_factors,
)
from ingot.kernels.blocks.register_block import Tile, balanced
from ingot.kernels.conv.int8.problem import QConv, known_operands
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.images import Images, is_square
from ingot.kernels.conv.winograd.kernel import Element, Plan, groups_together
from ingot.kernels.conv.winograd.matrices import TAPS, Names
from ingot.kernels.conv.winograd.order import Writer
from ingot.kernels.template import Site
from ingot.loops.nodes import Binary, Buffer, Const, Expr, Stmt, cast, load
from ingot.machines.machine import Machine

_M, _N = 4, 6
_NINTH = pow(9, -1, 1 << 32)
_SUM_BITS = 25  # 576 = 9 · 2^6
_LANES_MIN = 8


def _refuses(site: Site, problem: QConv) -> str:
    machine, spec = site.machine, problem.spec
    return why_not(
        (machine.grid, FOR_PROCESSORS),
        (wide_factors(machine) is None, "the machine multiplies no 16-bit numbers fast"),
        (machine.l2_bytes <= 0, "the machine has no cache for what is transformed"),
        (not is_square(spec), "it takes 3×3 taps with stride 1 and no groups"),
        (spec.x.shape[1] % _LANES_MIN != 0, f"input channels are no whole vectors of {_LANES_MIN}"),
        (spec.x.size == 0 or spec.y.size == 0, "there is nothing to compute"),
        (not reads_int8x4(site, 0, 1), "input channels do not lie side by side in memory"),
    )


def _refuses_values(site: Site, problem: QConv) -> str:
    exact = _is_exact(known_operands(site)[0], problem.spec.x.dtype)
    return why_not((not exact, f"sums may have more than {_SUM_BITS} bits"))


def _estimate(site: Site, problem: QConv) -> Estimate:
    machine, spec = site.machine, Images(problem.spec).spec
    kind, tiles, channels, filters = _kind(site), _tile_count(spec), spec.x.shape[1], spec.w.shape[0]
    plan = _plan(
        machine, kind, tiles, channels, filters, next(iter(dot_tiles(machine, tiles, filters, kind).values()))
    )
    # By the definition a register block reaches 93 % of two dot products a cycle, which may have to be made of pairs.
    pixels = spec.x.shape[0] * spec.y.shape[2] * spec.y.shape[3]
    definition = (
        pixels * filters * channels * TAPS**2 / machine.lanes(DType.INT32) / _products_per_cycle(machine)
    )
    cycles = _cycles(machine, kind, plan, tiles, channels, filters)
    return Estimate(
        cycles < definition,
        cycles <= site.machine.tuning.winograd.int8_try_worth * definition,
        cycles,
        definition,
    )


def qwinograd_plan(site: Site, spec: ConvSpec) -> Plan:
    """How to compute an integer convolution there that is not refused."""
    spec, kind = Images(spec).spec, _kind(site)
    tiles, channels, filters = _tile_count(spec), spec.x.shape[1], spec.w.shape[0]
    tile = site.choose("tile", dot_tiles(site.machine, tiles, filters, kind))
    return _plan(site.machine, kind, tiles, channels, filters, tile)


def _kind(site: Site) -> Factors:
    kind = wide_factors(site.machine)
    assert kind is not None, "a machine that multiplies no 16-bit numbers fast is refused"
    return kind


def _tile_count(spec: ConvSpec) -> int:
    """Tiles of outputs of a convolution of images."""
    return spec.x.shape[0] * -(-spec.y.shape[2] // _M) * -(-spec.y.shape[3] // _M)


def _is_exact(weights: np.ndarray, dtype: DType) -> bool:
    """Whether no sum of values, as they are, times these weights reaches 2^25."""
    rows = weights.reshape(weights.shape[0], -1).astype(np.int64)
    low, high = (-128, 127) if dtype.is_signed else (0, 255)
    above, below = np.maximum(rows, 0).sum(axis=1), np.minimum(rows, 0).sum(axis=1)
    ends = np.concatenate([above * high + below * low, above * low + below * high])
    return bool((np.abs(ends) < 1 << _SUM_BITS).all())


def _products_per_cycle(machine: Machine) -> float:
    """Products of values for each int32 of a vector that are done in a cycle, by the definition."""
    tuning = machine.tuning.winograd
    if machine.dot_i16x2 or machine.dot_i8x4:
        return 4 * tuning.dot_products_per_cycle / (1 if machine.dot_i8x4 else tuning.pairs_penalty)
    return tuning.short_products_per_cycle


def _plan(machine: Machine, kind: Factors, tiles: int, channels: int, filters: int, tile: Tile) -> Plan:
    steps = channels // kind.per_step
    if filters > tiles and tiles <= machine.tuning.winograd.few_tiles:
        # Weights that are transformed at once stay in the second cache. To add up sums in parts costs more with more tiles.
        limit = machine.l2_bytes // 4 if tiles <= tile.rows else machine.l2_bytes * 5 // 8
        depth, each = steps, _N * _N * tile.columns * kind.per_step * DType.INT16.size_bytes
        while depth % (2 * machine.lanes(DType.INT16) // kind.per_step) == 0 and depth * each > limit:
            depth //= 2
        return Plan(_M, tile, tile.rows, True, depth)
    # Transformed inputs and products of the groups that are done together take half of the second cache.
    tiles_max = machine.l2_bytes // 2 // (_N * _N * (2 * channels + 4 * tile.columns))
    together = groups_together(machine, tiles_max // tile.rows, -(-tiles // tile.rows))
    return Plan(_M, tile, tile.rows, False, steps, together=together)


def _cycles(machine: Machine, kind: Factors, plan: Plan, tiles: int, channels: int, filters: int) -> float:
    """Roughly how long it takes: two dot products of pairs a cycle, and for each vector what its transform was measured to
    take. Weights pass the second cache twice.
    """
    tile, lanes = plan.tile, machine.lanes(DType.INT32)
    # Of Arm's processors without dot products those that are larger multiply by one of their two units.
    rows = sum(
        count * (size * tile.vectors / kind.per_step + 1) for size, count in balanced(tiles, tile.rows)
    )
    products = _N * _N * channels / kind.per_step * -(-filters // tile.columns) * rows
    inputs = tiles * -(-channels // (2 * lanes))
    results, weights = tiles * -(-filters // lanes), channels * filters / (2 * lanes)
    tuning = machine.tuning.winograd
    transforms = tuning.int8_input_cycles * inputs
    return products + transforms + tuning.int8_result_cycles * results + tuning.int8_weight_cycles * weights


def build_qwinograd(site: Site, spec: ConvSpec, zero_point: int, plan: Plan) -> Sequence[Stmt]:
    """The statements of an integer convolution for which there is a plan, with inputs as `qconv_template` has them."""
    lanes = site.machine.lanes(DType.INT16)
    while spec.x.shape[1] % lanes:
        lanes //= 2
    return _QuantizedWriter(site, spec, plan, lanes, zero_point).statements()


class _QuantizedWriter(Writer):
    factor, sum = DType.INT16, DType.INT32

    def __init__(self, site: Site, spec: ConvSpec, plan: Plan, lanes: int, zero_point: int) -> None:
        self.kind = _kind(site)
        self.per_step = self.kind.per_step
        super().__init__(site, spec, plan, lanes)
        array, begin = known_operands(site)
        # Values with a sign are taken as they are, not as 128 more.
        more = unsigned_zero(0, spec.x.dtype) * array.reshape(len(array), -1).sum(axis=1, dtype=np.int64)
        self.starts = site.pack(2, (begin.astype(np.int64) + more).astype(np.int32))
        self.zero_point = zero_point

    def outside(self) -> Const:
        return Const(self.zero_point, self.factor)

    def inputs_of(self, element: Element, names: Names) -> Iterator[Expr]:
        return _both_sides(_times_b, element, self.n, names)

    def weights_of(self, element: Element, names: Names) -> Iterator[Expr]:
        return _both_sides(_times_g, lambda i, j: cast(element(i, j), self.factor), TAPS, names)

    def results_of(self, element: Element, channel: Expr, names: Names) -> Iterator[Expr]:
        start = names.name(load(self.starts, channel))
        ninth = Const(_NINTH, self.sum)
        return (
            Binary("shr", value * ninth, Const(6, self.sum)) + start
            for value in _both_sides(_times_a, element, self.n, names)
        )

    def operand(self, source: Buffer, *where: Expr) -> Expr:
        *outer, last = where
        return self.kind.factor(load(source, *outer, last * self.per_step))

    def sums(
        self,
        rows: int,
        reduction: Callable[[Step], Sequence[Stmt]],
        write: Callable[[int | Expr, Expr, Expr], Sequence[Stmt]],
    ) -> tuple[Stmt, ...]:
        tile = self.plan.tile
        return accumulate(rows, tile, lambda _: Const(0, self.sum), reduction, write, tile.columns, self.kind)


# ─── the matrices ──────────────────────────────────────────────────────────────────────────────────────────────────

_OneSide = Callable[[Sequence[Expr], Names], list[Expr]]


def _both_sides(times: _OneSide, element: Element, extent: int, names: Names) -> Iterator[Expr]:
    """`matrix · X · matrixᵀ` of a square X [extent, extent], row by row, each computed when it is asked for: what is stored
    at once takes no register any longer. `times` multiplies the matrix and a column.
    """
    columns = [times([names.name(element(i, j)) for i in range(extent)], names) for j in range(extent)]
    return (value for row in zip(*columns, strict=True) for value in times(list(row), names))


def _times_b(d: Sequence[Expr], names: Names) -> list[Expr]:
    """`Bᵀ d`: 4, 0, -5, 0, 1, 0; 0, -4, -4, 1, 1, 0; 0, 4, -4, -1, 1, 0; 0, -2, -1, 2, 1, 0; 0, 2, -1, -2, 1, 0;
    0, 4, 0, -5, 0, 1.
    """
    name = names.name
    even, odd = name(d[4] - d[2] * 4), name(d[3] - d[1] * 4)
    near, far = name(d[4] - d[2]), name((d[3] - d[1]) * 2)
    return [
        name((d[0] - d[2]) * 4 + near),
        name(even + odd),
        name(even - odd),
        name(near + far),
        name(near - far),
        name(d[5] - d[3] - far * 2),
    ]


def _times_g(g: Sequence[Expr], names: Names) -> list[Expr]:
    """`G' g`: 6, 0, 0; -4, -4, -4; -4, 4, -4; 1, 2, 4; 1, -2, 4; 0, 0, 3."""
    name = names.name
    ends, far = name((g[0] + g[2]) * -4), name(g[0] + g[2] * 4)
    middle, double = name(g[1] * 4), name(g[1] * 2)
    return [
        name(g[0] * 6),
        name(ends - middle),
        name(ends + middle),
        name(far + double),
        name(far - double),
        name(g[2] * 3),
    ]


def _times_a(m: Sequence[Expr], names: Names) -> list[Expr]:
    """`A'ᵀ m`: 1, 1, 1, 1, 1, 0; 0, 1, -1, 2, -2, 0; 0, 1, 1, 4, 4, 0; 0, 1, -1, 8, -8, 8."""
    name = names.name
    near_sum, near, far_sum, far = name(m[1] + m[2]), name(m[1] - m[2]), name(m[3] + m[4]), name(m[3] - m[4])
    return [
        name(m[0] + near_sum + far_sum),
        name(near + far * 2),
        name(near_sum + far_sum * 4),
        name(near + (far + m[5]) * 8),
    ]


def _build(site: Site, problem: QConv) -> Sequence[Stmt]:
    return build_qwinograd(site, problem.spec, problem.zero_point, qwinograd_plan(site, problem.spec))


WINOGRAD = Algorithm("winograd_f4", _build, _refuses, _refuses_values, _estimate)
