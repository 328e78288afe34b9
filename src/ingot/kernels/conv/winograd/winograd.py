"""Convolution 3×3 with stride 1 by fewer multiplications: Winograd's F(2×2, 3×3) and F(4×4, 3×3); and F(2, 3) and F(4, 3) where
the kernel has three taps in one dimension only, and F(2×2, 5×5) and F(2, 5) where it has five.

All other dimensions make images (`conv/winograd/images`). An output tile of m × m needs n × n input elements, n = m + taps - 1.
With `B`, `G`, `A` of `conv/winograd/matrices`

    V = Bᵀ d B      U = G g Gᵀ      M[ξ] = Σ_c V[ξ, c] U[ξ, c]      y = Aᵀ M A

so that the sums over channels are n² matrix products, which have 2.25 (m = 2) or 4 (m = 4) times fewer multiplications than the
definition, of 5×5 2.8; along one side, V = Bᵀ d, they are n, and have 1.5, 2 or 1.7 times fewer. Weights are kept as they are and
transformed by the kernel: transformed ones would be n²/9 times as large in the file, in memory and on the way from it, which
costs more than the few operations. Small ones that few tiles use are transformed while building, for as long as the file may
grow by it (`SPARE_BYTES`).

**Error.** F(4×4) interpolates at 0, ±3/4, ±3/2 and ∞ instead of the usual 0, ±1, ±2, ∞: a third of the error, and all constants
of `B` are exact. Measured against float64 with normal weights and inputs behind a ReLU, in units of the root mean square of the
results (largest, root mean square):

    channels   by definition       F(2×2)              F(4×4)
    16         1.2e-6, 1.6e-7      6.0e-7, 1.5e-7      3.9e-6, 4.3e-7
    64         2.6e-6, 3.2e-7      1.0e-6, 2.4e-7      4.9e-6, 7.2e-7
    256        4.8e-6, 5.8e-7      1.7e-6, 4.2e-7      8.8e-6, 1.3e-6

An infinity or a NaN in the input reaches all outputs of the tiles that read it.

*Source:* S. Winograd, Arithmetic Complexity of Computations (1980); arXiv 1509.09308; choice of points: arXiv 1803.10986.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, why_not
from ingot.kernels.blocks.amx_tile import SIDE
from ingot.kernels.blocks.bf16x3 import TILE, splits
from ingot.kernels.blocks.register_block import Tile, balanced, tiles
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.amx import CHANNELS, TilesWriter, block_of
from ingot.kernels.conv.winograd.images import Images, is_square, sides, tile_grid
from ingot.kernels.conv.winograd.kernel import Plan, groups_together
from ingot.kernels.conv.winograd.matrices import TAPS, TILES, Form, winograd_matrices
from ingot.kernels.conv.winograd.order import Writer
from ingot.kernels.template import COPIES, SPARE_BYTES, Arranged, Site, either
from ingot.loops.build.nest import parts_max
from ingot.loops.nodes import Stmt
from ingot.machines.machine import LINE_BYTES, Machine
from ingot.machines.tuning import DEFAULT

_WEIGHTS_MAX = 2.0**120  # a few of them are a finite float


def suits_winograd(spec: ConvSpec) -> bool:
    """Whether it is a kind of convolution that the algorithm is made for: 3×3, or one with enough channels."""
    along = sides(spec)
    is_usual = tuple(spec.kernel[axis] for axis in along) == (TAPS, TAPS)
    few = min(spec.x.shape[1], spec.y.shape[1]) < DEFAULT.winograd.min_channels
    return spec.y.dtype is DType.FLOAT32 and bool(along) and (is_usual or not few)


def _refuses(m: int, site: Site, spec: ConvSpec) -> str:
    machine, lanes = site.machine, site.machine.lanes(DType.FLOAT32)
    return (
        why_not(
            (machine.math == "exact", "exact mathematics computes the definition"),
            (machine.grid, FOR_PROCESSORS),
            (lanes <= 1, "the machine has no vectors of float32"),
            (machine.l2_bytes <= 0, "the machine has no cache for what is transformed"),
            (
                not suits_winograd(spec),
                "it takes 3 or 5 float32 taps with stride 1, no groups, enough channels",
            ),
        )
        or why_not(
            (m not in TILES[Images(spec).spec.kernel[-1]], f"there is no F({m}) of so many taps"),
            (spec.x.shape[1] % lanes != 0, f"input channels are no whole vectors of {lanes}"),
            (spec.x.size == 0 or spec.y.size == 0, "there is nothing to compute"),
            (not site.is_constant(1), "weights are not known while building"),
        )
        or why_not((site.input(0).strides[1] != 1, "input channels do not lie side by side"))
    )


def _refuses_values(site: Site, _: ConvSpec) -> str:
    return why_not((not site.ask(1, _are_small), "sums of some weights may not be finite"))


def _cycles_of_all(site: Site, spec: ConvSpec) -> dict[int, float]:
    """What F(m) should need, by m; the definition is number 0."""
    machine, spec = site.machine, Images(spec).spec
    channels, filters, taps = spec.x.shape[1], spec.y.shape[1], spec.kernel[-1]
    # By the definition a register block reaches nine tenths of what the units can; the difference must be worth it.
    lanes = machine.lanes(DType.FLOAT32)
    tuning = machine.tuning.winograd
    direct = tuning.worth * spec.y.size * channels * math.prod(spec.kernel)
    by_m = {0: direct / (tuning.direct_efficiency * _fmas(machine) * lanes)}
    for m in TILES[taps]:
        count = math.prod(tile_grid(spec, m))
        plan = _plan(machine, Form(m, spec.spatial_rank, taps), count, channels, filters)
        by_m[m] = _cycles(machine, plan, count, channels, filters)
    return by_m


def _estimate(m: int, site: Site, spec: ConvSpec) -> Estimate:
    cycles = _cycles_of_all(site, spec)
    best = min(cycles, key=lambda number: cycles[number])
    return Estimate(
        best == m, cycles[m] <= site.machine.tuning.winograd.try_worth * cycles[best], cycles[m], cycles[0]
    )


def winograd_plan(site: Site, spec: ConvSpec, m: int) -> Plan:
    """How to compute a convolution there by F(m), which does not refuse it."""
    machine, tiled, source_channels = site.machine, is_square(spec), spec.x.shape[1]
    spec = Images(spec).spec
    channels, filters, taps = spec.x.shape[1], spec.y.shape[1], spec.kernel[-1]
    form, count = Form(m, spec.spatial_rank, taps), math.prod(tile_grid(spec, m))
    worth_tiles = _worth_tiles(machine, m, count, channels, filters)
    if (
        tiled
        and _suits_tiles(site, spec, source_channels)
        and site.choose("sums", either("tiles", "vectors", worth_tiles))
    ):
        return Plan(
            m, TILE, block_of(count, machine.tuning.winograd.amx_tiles), False, channels, uses_amx=True
        )
    tile = site.choose("tile", _tiles(machine, count, filters))
    plan = _in_blocks(site, spec, _plan(machine, form, count, channels, filters, tile), count)
    plan = _more_together(site, plan, count)
    if (plan.sides, plan.taps) != (2, TAPS):
        return plan
    return _by_rows(site, plan, count, channels)


def _suits_tiles(site: Site, spec: ConvSpec, channels: int) -> bool:
    """Whether products can be made in registers that hold matrices, from an input with so many channels."""
    if site.has_room:  # its loops number tiles by constants
        return False
    return splits(site, spec.y) and site.machine.lanes(DType.FLOAT32) == SIDE and channels % CHANNELS == 0


def _worth_tiles(machine: Machine, m: int, count: int, channels: int, filters: int) -> bool:
    """Whether products in tiles should be quicker: where transformed weights do not stay in the second-level cache, from which
    vectors read them again for each block, and enough tiles use each to be worth its parts.

    Milliseconds of a layer alone on a Granite Rapids (in vectors): 64 channels to 128 of 112 × 112 4.3 (6.0), 256 of 56 × 56 8.2
    (8.9), 128 of 36 × 36, which are 81 tiles, 0.94 (1.02); 512 of 28 × 28, which are 49, 14 (9.6), 64 of 56 × 56 0.72 (0.63).
    """
    return (
        m + 2
    ) ** 2 * channels * filters * 4 > machine.l2_bytes // 2 and count > machine.tuning.winograd.few_tiles


def _in_blocks(site: Site, spec: ConvSpec, plan: Plan, count: int) -> Plan:
    """The plan with a group for each tile of rows, if weights are transformed while building and stay in the second cache. Two
    threads then transform what they wrote. Panel by panel, while each read all that the other one had transformed, 64 channels of
    8×8 took 19.8 µs on two threads of a Granite Rapids (one: 20.5); one thread takes no longer this way, though it reads weights
    from the second cache for each group. Panels first in boxes were not tried there.
    """
    machine, groups = site.machine, -(-count // plan.tile.rows)
    made_bytes = plan.form.matrices * spec.x.shape[1] * spec.y.shape[1] * spec.w.dtype.size_bytes
    fits = made_bytes <= machine.l2_bytes // 2 and _has_room(site, spec, plan)
    if not plan.panels_first or machine.double_pumped_512 or groups < 2 or count % groups or not fits:
        return plan
    return replace(plan, group=count // groups, panels_first=False, depth=spec.x.shape[1])


def _by_rows(site: Site, plan: Plan, count: int, channels: int) -> Plan:
    """The plan with rows of transformed weights that stay in a first-level cache until they are used, if that is wanted: each
    weight is read n times, but nothing is written to the second cache. On a Granite Rapids, which writes a line there in six
    cycles, layers of 64 to 256 channels of 14×14 and 28×28 took 0.85 to 0.95 of the time, those of 512 as long as before.
    """
    if not plan.panels_first:
        return plan
    lanes, room = site.machine.lanes(DType.FLOAT32), site.machine.tuning.winograd.row_bytes
    if (
        count > 2 * plan.tile.rows
    ):  # each piece of the sums goes through many products, which lie farther away themselves
        room *= 4
    depth = channels
    while depth % (2 * lanes) == 0 and (plan.m + 2) * depth * plan.tile.columns * 4 > room:
        depth //= 2
    by_rows = site.choose("transform", either("rows", "all", site.machine.slow_l2_stores))
    return replace(plan, by_rows=True, depth=depth) if by_rows else plan


def _are_small(weights: np.ndarray) -> bool:
    """Whether sums of a few weights stay finite. An infinite sum times a zero of a transform would be NaN instead of infinity."""
    return bool((np.abs(weights) < _WEIGHTS_MAX).all())


def _more_together(site: Site, plan: Plan, count: int) -> Plan:
    """The plan with the site's choice of groups at a time: the number that fits the cache, half of it, or twice as many."""
    if plan.panels_first:
        return plan
    groups_max, best = -(-count // plan.group), plan.together
    counts = dict.fromkeys(min(max(some, 1), groups_max) for some in (best, best // 2, 2 * best))
    return replace(plan, together=site.choose("together", {str(some): some for some in counts}))


def _cycles(machine: Machine, plan: Plan, tiles: int, channels: int, filters: int) -> float:
    """Roughly how long it takes: as many multiply-adds a cycle as begin in one, and a cycle for each line of weights, which come
    from the second cache for every tile of rows; transforms take about three cycles an element of a transformed vector, and one
    of weights, which also have to be read, and written to the second cache. Weights that do not stay there come from memory, at
    eight bytes a cycle, while nothing else is done.

    A plan of one panel could not be shared out to threads, which lost more on two than it gained on one if another was near: 32
    channels of 16 × 16 in MLPerf Tiny's ResNet on a Granite Rapids, which also fetches what the other thread wrote, took 13.8 and
    19 µs (one thread, two) by F(4×4), and 15 and 12 by F(2×2), which has blocks to share out. In boxes its groups of tiles are
    shared out, which has not been measured there.
    """
    n2, tile, tuning = plan.form.matrices, plan.tile, machine.tuning.winograd
    lines = machine.vector_bytes / LINE_BYTES  # in a vector
    rows = (
        sum(count * (size / _fmas(machine) + lines) for size, count in balanced(tiles, tile.rows))
        * tile.vectors
    )
    products = n2 * channels * -(-filters // tile.columns) * rows
    vectors = (channels * tiles + filters * tiles) / tile.lanes
    weights = channels * filters / tile.lanes
    weight_bytes = channels * filters * plan.form.weights * 4
    is_far = weight_bytes > machine.l2_bytes // 2
    memory = weight_bytes / tuning.memory_bytes_per_cycle if is_far else 0
    each = tuning.weight_transform_cycles + max(0, plan.form.weights - TAPS**2) + (1 + lines) * n2
    total = products + tuning.transform_cycles * n2 * vectors + each * weights + memory
    if plan.panels_first and plan.taps > TAPS:
        total *= tuning.five_taps_penalty
    return total * (tuning.unshared_penalty if plan.panels_first and filters <= tile.columns else 1)


def _fmas(machine: Machine) -> int:
    """Multiply-adds of the longest vectors that begin in a cycle."""
    return 1 if machine.double_pumped_512 else 2


def _panels_first(machine: Machine, count: int, filters: int) -> bool:
    return filters > count and count <= machine.tuning.winograd.few_tiles


def _tiles(machine: Machine, count: int, filters: int) -> dict[str, Tile]:
    """Register blocks for the products of so many tiles of outputs. Weights are transformed again for each panel, and each is
    used for few tiles: narrow panels keep them near. Where one multiply-add begins in a cycle, and takes four, as few sums are
    enough.
    """
    options = tiles(machine, DType.FLOAT32, count, filters)
    tuning = machine.tuning.winograd
    rows = max((size for size, _ in balanced(count, tuning.vector_max_rows)), default=0)
    if (
        not machine.double_pumped_512
        or not _panels_first(machine, count, filters)
        or rows < tuning.vector_min_rows
    ):
        return options
    return {f"{rows}x1": replace(next(iter(options.values())), rows=rows, vectors=1), **options}


def _plan(
    machine: Machine, form: Form, tiles: int, channels: int, filters: int, tile: Tile | None = None
) -> Plan:
    lanes = machine.lanes(DType.FLOAT32)
    n2 = form.matrices
    tile = tile or next(iter(_tiles(machine, tiles, filters).values()))
    if _panels_first(machine, tiles, filters):
        depth, room = channels, machine.l2_bytes // (4 if machine.double_pumped_512 else 2)
        while depth % (2 * lanes) == 0 and n2 * depth * tile.columns * 4 > room:
            depth //= 2
        groups = sum(many for _, many in balanced(tiles, tile.rows))
        groups += groups % 2 if groups > 1 else 0  # for two threads
        return Plan(form.m, tile, -(-tiles // groups), True, depth, sides=form.sides, taps=form.taps)
    groups = -(-tiles // tile.rows)
    blocks = n2 * tiles * channels * filters // (2 * lanes) // machine.tuning.winograd.shared_cycles
    parts = min(parts_max(machine), blocks)
    if parts > 1 and groups < 2 * parts:
        groups = min(-(-groups // parts) * parts, tiles)  # as many for each thread
    group = -(-tiles // groups)
    # Their transformed input and products stay in the second cache, beside the weights that pass through.
    tiles_max = machine.l2_bytes * 3 // 4 // (n2 * 4 * (channels + tile.columns))
    together = groups_together(machine, tiles_max // group, groups)
    return Plan(form.m, tile, group, False, channels, sides=form.sides, taps=form.taps, together=together)


def build_winograd(site: Site, spec: ConvSpec, plan: Plan) -> Sequence[Stmt]:
    """The statements of a convolution for which there is a plan."""
    if plan.uses_amx:
        return TilesWriter(site, spec, plan).statements()
    return Writer(
        site, spec, plan, site.machine.lanes(DType.FLOAT32), _transformed(site, spec, plan)
    ).statements()


def _algorithm(m: int) -> Algorithm[ConvSpec]:
    return Algorithm(
        f"winograd_f{m}",
        lambda site, spec: build_winograd(site, spec, winograd_plan(site, spec, m)),
        partial(_refuses, m),
        _refuses_values,
        partial(_estimate, m),
    )


WINOGRAD = tuple(map(_algorithm, (4, 2)))


def _transformed(site: Site, spec: ConvSpec, plan: Plan) -> Arranged | None:
    """What transforms the weights, where they are transformed while building: a file may grow by so much, and few tiles use each
    of them. A kernel that transforms them does little else then, and before its threads begin, or each for itself.
    """
    images = Images(spec)
    spec, more = images.spec, _copy_bytes(images.spec, plan)
    are_few = math.prod(tile_grid(spec, plan.m)) <= site.machine.tuning.winograd.few_tiles
    worth = are_few and _has_room(site, spec, plan)
    if more > SPARE_BYTES or not site.choose(COPIES, either("transformed", "taps", worth)):
        return None
    site.spare_bytes -= more
    return lambda weights: _transformed_weights(images.weights(weights), plan)


def _transformed_weights(array: np.ndarray, plan: Plan) -> np.ndarray:
    """Weights `[M, C, taps…]`, transformed, `[panel, n², C, columns]`."""
    (filters, channels), columns, n2 = array.shape[:2], plan.tile.columns, plan.form.matrices
    panels = -(-filters // columns)
    # Element by element, so that they are the same bytes wherever they are made.
    g = [[float(entry) for entry in row] for row in winograd_matrices(plan.m, plan.taps).g]
    taps = array.astype(np.float64)
    each = [_summed(row, np.moveaxis(taps, 2, 0)) for row in g]
    if plan.sides == 2:
        each = [_summed(row, np.moveaxis(of, -1, 0)) for of in each for row in g]
    padded = np.zeros((n2, channels, panels * columns), array.dtype)
    padded[..., :filters] = np.stack(each).swapaxes(1, 2)
    return np.ascontiguousarray(padded.reshape(n2, channels, panels, columns).transpose(2, 0, 1, 3))


def _summed(factors: Sequence[float], arrays: np.ndarray) -> np.ndarray:
    """The sum of arrays times their factors, one after the other."""
    total = factors[0] * arrays[0]
    for factor, array in zip(factors[1:], arrays[1:], strict=True):
        total = total + factor * array
    return np.asarray(total)


def _has_room(site: Site, spec: ConvSpec, plan: Plan) -> bool:
    """Whether the file may grow by transformed weights."""
    more = _copy_bytes(spec, plan)
    limit = SPARE_BYTES if plan.m == 2 else site.machine.tuning.winograd.large_copy_max_bytes
    return more <= min(site.spare_bytes, SPARE_BYTES, limit)


def _copy_bytes(spec: ConvSpec, plan: Plan) -> int:
    """By how much transformed weights are larger than those they are made of, both in whole panels."""
    filters, channels = spec.w.shape[:2]
    padded = -(-filters // plan.tile.columns) * plan.tile.columns
    return padded * channels * (plan.form.matrices - plan.form.weights) * spec.w.dtype.size_bytes
