"""Templates for machines with work groups: they compute what the others do, and no order of items is needed for it."""

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.grid_block import TILES, choose_group_tile
from ingot.kernels.blocks.window import Window
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.normalize.rows import row_norm
from ingot.kernels.pooling.pool import pool_template
from ingot.kernels.reduce.reduce import FOLDS, reduction
from ingot.kernels.softmax import softmax_template
from ingot.kernels.template import Site
from ingot.loops.analyse.grid import grid_of
from ingot.loops.build.nest import larger
from ingot.loops.interpret import run
from ingot.loops.nodes import Alloc, Buffer, For, Kernel, LoopKind, Space
from ingot.loops.transform.rewrite import expressions, loads, statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.transform.to_grid import to_grid
from ingot.loops.verify import verify
from ingot.machines.tuning import DEFAULT
from tests.kernels.templates import run_template, strides_of
from tests.property.grids import turned
from tests.support import machines
from tests.support.machines import GPU_SHAPE

F32 = DType.FLOAT32


def grid_kernel(template, constants=None, orders=None, wanted=None):
    orders = orders or {}
    inputs = [
        Buffer(f"in{n}", t.dtype, t.shape, strides_of(t, orders.get(f"in{n}")))
        for n, t in enumerate(template.inputs)
    ]
    outputs = [
        Buffer(f"out{n}", t.dtype, t.shape, strides_of(t, orders.get(f"out{n}")))
        for n, t in enumerate(template.outputs)
    ]
    given = constants or {}
    site = Site(machines.GPU, inputs, outputs, [given.get(n) for n in range(len(inputs))], wanted=wanted)
    body = tuple(template.build(site))
    packed = [site.packed.get(number, (one, None)) for number, one in enumerate(inputs)]
    kernel = Kernel("tested", tuple(one for one, _ in packed), tuple(outputs), body, tuple(site.workspaces))
    verify(kernel)
    kernel = to_grid(simplify_kernel(kernel), GPU_SHAPE)
    verify(kernel)
    return kernel, {one.name: array.reshape(-1) for one, array in packed if array is not None}


def run_grid(template, *arrays, constants=None, orders=None, wanted=None):
    """The outputs, and those with all items in the opposite order."""
    kernel, memory = grid_kernel(template, constants, orders, wanted)
    results = []
    for made in (kernel, turned(kernel)):
        held = dict(memory)
        for one, array in zip(made.inputs, arrays, strict=True):
            if one.name not in held:
                held[one.name] = np.zeros(one.span, one.dtype.numpy)
                _view(held[one.name], one)[...] = array
        for one in (*made.outputs, *made.workspaces):
            held[one.name] = np.full(max(one.span, 1), 77, one.dtype.numpy)
        run(made, held)
        results.append([_view(held[one.name], one).copy() for one in made.outputs])
    for forth, back in zip(*results, strict=True):
        np.testing.assert_array_equal(forth, back)
    return results[0]


def _view(flat, one):
    return np.lib.stride_tricks.as_strided(
        flat, one.shape, tuple(stride * flat.itemsize for stride in one.strides)
    )


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product(batch, m, n, k):
    return matmul_template(
        TensorType(F32, (*batch, m, k)), TensorType(F32, (*batch, k, n)), TensorType(F32, (*batch, m, n))
    )


@pytest.mark.parametrize(
    ("batch", "m", "n", "k"),
    [
        *(((), 70, 66, 21), ((2,), 17, 9, 5), ((), 1, 40, 300), ((3,), 4, 3, 7), ((), 6, 5, 0)),
        *(((), 1, 1, 1), ((2,), 2, 1, 1), ((), 4, 1, 3), ((), 1, 33, 1), ((), 2, 3, 0)),
    ],
)
def test_a_matrix_product_in_tiles_is_right_at_every_edge(batch, m, n, k):
    a, b = random(*batch, m, k), random(*batch, k, n, seed=1)
    (y,) = run_grid(product(batch, m, n, k), a, b)
    np.testing.assert_allclose(y, a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("orders", [{"in0": (1, 0)}, {"in1": (1, 0)}, {"out0": (1, 0)}], ids=str)
@pytest.mark.parametrize("m", [3, 20])
def test_operands_may_be_stored_in_any_order(m, orders):
    a, b = random(m, 18), random(18, 11, seed=1)
    (y,) = run_grid(product((), m, 11, 18), a, b, orders=orders)
    np.testing.assert_allclose(y, a @ b, rtol=1e-4, atol=1e-5)


def conv(x, w, kernel, strides=(1, 1), dilations=(1, 1), pads=(0, 0), group=1):
    out = tuple(
        (e + 2 * p - (k - 1) * d - 1) // s + 1
        for e, k, s, d, p in zip(x[2:], kernel, strides, dilations, pads, strict=True)
    )
    y = TensorType(F32, (x[0], w[0], *out))
    return conv_template(
        ConvSpec(
            TensorType(F32, x),
            TensorType(F32, (*w, *kernel)),
            y,
            kernel,
            strides,
            dilations,
            pads,
            pads,
            group,
        )
    )


LAST = {"in0": (0, 2, 3, 1), "out0": (0, 2, 3, 1)}
CONVOLUTIONS = {
    "few channels, padded, strided": (conv((2, 3, 9, 8), (5, 3), (3, 3), (2, 2), pads=(1, 1)), LAST),
    "many channels": (conv((1, 18, 5, 4), (20, 18), (3, 2), pads=(1, 0)), LAST),
    "one by one": (conv((2, 17, 4, 3), (6, 17), (1, 1)), LAST),
    "groups, dilated": (conv((1, 6, 7, 7), (8, 3), (3, 3), dilations=(2, 2), pads=(2, 2), group=2), LAST),
    "channels first": (conv((1, 3, 6, 7), (4, 3), (3, 3), pads=(1, 1)), {}),
    "depthwise": (conv((2, 5, 7, 6), (5, 1), (3, 3), pads=(1, 1), group=5), LAST),
    "depthwise, strided": (conv((1, 5, 9, 9), (5, 1), (3, 3), (2, 2), group=5), LAST),
    "depthwise, dilated, channels first": (
        conv((1, 5, 9, 9), (5, 1), (3, 2), dilations=(2, 3), pads=(2, 2), group=5),
        {},
    ),
}


@pytest.mark.parametrize("constant", [True, False], ids=["weights known", "weights given"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_convolution_in_groups_is_that_of_the_loops(name, constant):
    template, orders = CONVOLUTIONS[name]
    x, w = random(*template.inputs[0].shape), random(*template.inputs[1].shape, seed=1)
    (expected,) = run_template(template, x, w, machine=machines.SCALARS, orders=orders)
    (y,) = run_grid(template, x, w, constants={1: w} if constant else None, orders=orders)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


def test_halves_are_summed_in_single_precision():
    half = DType.FLOAT16
    template = matmul_template(TensorType(half, (5, 40)), TensorType(half, (40, 6)), TensorType(half, (5, 6)))
    kernel, _ = grid_kernel(template)
    own = [stmt.buffer for stmt in statements(kernel.body) if isinstance(stmt, Alloc)]
    assert {one.dtype for one in own} == {F32}


def test_every_tile_fits_a_group():
    for tile in TILES:
        template = product((), tile.rows, tile.columns, tile.depth)
        kernel, _ = grid_kernel(template)
        verify(kernel)
        assert 64 <= tile.items <= 256


def test_large_products_read_each_element_for_many_sums():
    large = choose_group_tile(DEFAULT.grid, 1, 4096, 4096)
    assert (large.global_loads, large.shared_loads) == (2 / 128, 2 / 8)
    assert choose_group_tile(DEFAULT.grid, 1, 16, 65536).rows == 16
    # A small one keeps many groups busy instead.
    assert choose_group_tile(DEFAULT.grid, 1, 64, 64).rows == 16


def test_a_depthwise_item_reads_a_row_under_its_pixels_once():
    template, orders = CONVOLUTIONS["depthwise"]
    kernel, _ = grid_kernel(template, orders=orders)
    reads = [one for stmt in statements(kernel.body) for expr in expressions(stmt) for one in loads(expr)]
    assert sum(one.buffer.name == "in0" for one in reads) == 6  # 4 pixels by 3 taps
    assert not [
        stmt for stmt in statements(kernel.body) if isinstance(stmt, Alloc) and stmt.space is not Space.LOCAL
    ]
    assert any(isinstance(stmt, For) and stmt.kind is LoopKind.ITEM for stmt in statements(kernel.body))


# ─── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def folded(shape, axes, fold="sum", keepdims=True):
    return reduction(TensorType(F32, shape), axes, FOLDS[fold], keepdims)


def shared_kernel(template, orders=None):
    kernel, _ = grid_kernel(template, orders=orders)
    return any(isinstance(stmt, Alloc) and stmt.space is Space.SHARED for stmt in statements(kernel.body))


FOLDED = {
    "rows": ((3, 200), (1,), "sum", None, True),
    "rows of two dimensions": ((2, 3, 9, 11), (2, 3), "max", None, True),
    "rows out of order": ((2, 70, 3), (1,), "min", {"in0": (0, 2, 1)}, True),
    "columns": ((2, 100, 37), (1,), "sum", None, True),
    "all but channels": ((2, 5, 9, 8), (0, 2, 3), "prod", {"in0": (0, 2, 3, 1)}, True),
    "short rows": ((5, 20), (1,), "sum", None, False),
    "short columns": ((3, 8, 5), (1,), "sum", None, False),
}


@pytest.mark.parametrize("name", FOLDED)
def test_long_rows_are_folded_by_a_group(name):
    shape, axes, fold, orders, in_groups = FOLDED[name]
    template = folded(shape, axes, fold, keepdims=False)
    x = random(*shape) * 0.1 + 1
    (y,) = run_grid(template, x, orders=orders)
    expected = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}[fold](x, axis=axes)
    np.testing.assert_allclose(y, expected, rtol=1e-4)
    assert shared_kernel(template, orders) is in_groups


def test_nothing_but_a_sum_of_all_is_one_group():
    x = random(7, 30)
    (y,) = run_grid(folded((7, 30), (0, 1), keepdims=False), x)
    np.testing.assert_allclose(y, x.sum(), rtol=1e-4)


@pytest.mark.parametrize("logarithm", [False, True])
@pytest.mark.parametrize("extent", [20, 70, 5000])
def test_softmax_of_rows_of_any_length(extent, logarithm):
    x = random(2, extent) * 3
    (y,) = run_grid(softmax_template(TensorType(F32, x.shape), 1, logarithm), x)
    shifted = x.astype(np.float64) - x.max(axis=1, keepdims=True)
    expected = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(y, expected if logarithm else np.exp(expected), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("extent", [12, 100])
def test_rows_are_normalised_with_their_statistics(extent, centred):
    x, scale, bias = random(2, 3, extent), random(extent, seed=1), random(extent, seed=2)
    template = row_norm(TensorType(F32, x.shape), centred, 1e-5, True, centred)
    y, *statistics = run_grid(template, x, scale, bias)
    mean = x.mean(axis=-1, keepdims=True) if centred else 0
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, (x - mean) * inverse * scale + bias, rtol=1e-4, atol=1e-5)
    for found, expected in zip(statistics, (mean, inverse), strict=False):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("order", [None, (0, 2, 3, 1)], ids=["channels first", "channels last"])
def test_a_pool_has_an_item_for_every_result(order):
    window = Window((6, 7), (3, 4), (3, 2), (2, 2), (1, 1), (1, 0), (0, 1))
    template = pool_template("max_pool", TensorType(F32, (2, 3, 6, 7)), window, -np.inf, larger)
    orders = {"in0": order, "out0": order} if order else {}
    x = random(2, 3, 6, 7)
    (y,) = run_grid(template, x, orders=orders)
    (expected,) = run_template(template, x, machine=machines.SCALARS, orders=orders)
    np.testing.assert_array_equal(y, expected)
    kernel, _ = grid_kernel(template, orders=orders)
    grid = grid_of(kernel.body[0])
    assert grid.items * grid.extents[0] >= 2 * 3 * 3 * 4 > grid.items * (grid.extents[0] - 1)


def test_softmax_of_long_columns_keeps_them_in_a_workspace_and_has_an_item_for_each():
    x = random(2, 300, 5)
    template = softmax_template(TensorType(F32, x.shape), 1, False)
    (y,) = run_grid(template, x)
    exps = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, exps / exps.sum(axis=1, keepdims=True), rtol=1e-4)
    kernel, _ = grid_kernel(template)
    assert kernel.workspaces and grid_of(kernel.body[0]).items == 2 * 5
