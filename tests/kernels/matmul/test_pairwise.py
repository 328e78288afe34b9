"""Products in pairs of terms: what the definition gives, within a stated error, for whatever is in the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.codegen import registry
from ingot.kernels.blocks.window import places
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.pairwise import PAIRWISE as CONV_PAIRWISE
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.pairwise.kernel import build_inner_product
from ingot.kernels.matmul.pairwise.matmul import PAIRWISE
from ingot.kernels.matmul.pairwise.product import (
    EXCESS,
    FEW,
    Product,
    are_even,
    negated,
    paired,
    row_tile_of,
    scales,
)
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Home, Site
from ingot.loops.interpret import run
from ingot.loops.nodes import Const, For, If, Kernel, LoopKind, Store, buffer
from ingot.loops.transform.rewrite import statements
from ingot.loops.verify import verify
from ingot.machines.machine import Machine
from ingot.machines.tuning import DEFAULT
from tests.kernels.algorithms import pays
from tests.kernels.templates import template_kernel
from tests.support import machines
from tests.support.kernel_llvm import check_kernel, needs_cc
from tests.support.models import model
from tests.support.wide_vectors import codegen

MACHINE = replace(machines.VECTORS, prefetch=True, double_pumped_512=True, separate_fadd_pipes=True)
WIDE = replace(MACHINE, vector_bytes=64, vector_registers=32, l2_bytes=1 << 20)
ORDERS = ["rows", "panels"]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def kernel_of(
    x: np.ndarray, w: np.ndarray, outer: str, machine: Machine = MACHINE
) -> tuple[Kernel, dict[str, np.ndarray]]:
    """The kernel of a product in pairs of terms, though another may be quicker, and its memory."""
    (*lead, rows, _), columns = x.shape, w.shape[1]
    given = [buffer("x", DType.FLOAT32, x.shape), buffer("w", DType.FLOAT32, w.shape)]
    site = Site(
        machine,
        given,
        [buffer("y", DType.FLOAT32, (*lead, rows, columns))],
        [None, w],
        wanted={"outer": outer},
    )
    zeros = (0,) * len(lead)
    body = build_inner_product(
        site,
        Product(
            rows, *w.shape, lambda row, _, k: site.read(0, *zeros, row, k),
            lambda row, column, value: site.write(0, (*zeros, row, column), value),
        ),
    )  # fmt: skip
    packed, array = site.packed[1]
    kernel = Kernel("tested", (given[0], packed), site.outputs, tuple(body), tuple(site.workspaces))
    verify(kernel)
    memory = {"x": x.ravel(), packed.name: array.ravel()}
    for one in (*site.outputs, *site.workspaces):
        memory[one.name] = np.full(one.span, 77, one.dtype.numpy)
    return kernel, memory


def product(x: np.ndarray, w: np.ndarray, outer: str = "rows", machine: Machine = MACHINE) -> np.ndarray:
    kernel, memory = kernel_of(x, w, outer, machine)
    run(kernel, memory)
    return memory["y"].reshape(*x.shape[:-1], w.shape[1])


def off(y: np.ndarray, x: np.ndarray, w: np.ndarray) -> float:
    """The largest error in units of the root mean square of its row's results."""
    exact = x.astype(np.float64) @ w.astype(np.float64)
    return float((np.abs(y - exact).max(-1) / np.sqrt((exact**2).mean(-1))).max())


# ─── sizes ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=25)
@given(
    st.integers(5, 40),
    st.integers(12, 70),
    st.integers(4, 23),
    st.sampled_from(ORDERS),
    st.sampled_from([(), (1,), (1, 1)]),
)
def test_pairs_give_what_single_terms_give(
    rows: int, depth: int, columns: int, outer: str, lead: tuple[int, ...]
) -> None:
    x, w = normal(rows, depth), normal(depth, columns)
    y = product(x.reshape(*lead, rows, depth), w, outer).reshape(rows, columns)
    assert off(y, x, w) < 3e-6


@pytest.mark.parametrize("outer", ORDERS)
@pytest.mark.parametrize("shape", [(27, 40, 9), (50, 97, 33), (64, 12, 4)], ids=str)
def test_blocks_of_rows_stay_in_the_second_level_cache(shape: tuple[int, int, int], outer: str) -> None:
    rows, depth, columns = shape
    x, w = normal(rows, depth), normal(depth, columns)
    small = replace(MACHINE, l2_bytes=8 << 10)
    assert off(product(x, w, outer, small), x, w) < 3e-6
    kernel, _ = kernel_of(x, w, "panels", small)
    (copied,) = [one for one in kernel.workspaces if one.name == "rows"]
    assert copied.type.size * 4 <= max(small.l2_bytes, DEFAULT.pairwise.max_rows * copied.shape[-1] * 4)


@needs_cc
@pytest.mark.parametrize("outer", ORDERS)
@pytest.mark.parametrize("shape", [(25, 64, 64), (49, 130, 40), (13, 35, 300), (100, 48, 24)], ids=str)
def test_compiled_and_interpreted_are_the_same(shape: tuple[int, int, int], outer: str) -> None:
    """By tasks for three threads, too: no two write the same."""
    rows, depth, columns = shape
    x, w = normal(rows, depth), normal(depth, columns)
    kernel, memory = kernel_of(x, w, outer, WIDE)
    (y,) = check_kernel(kernel, *(memory[one.name] for one in kernel.inputs), exact=False, ulp=0)
    assert off(y.reshape(rows, columns), x, w) < 3e-6


def test_which_terms_are_pairs() -> None:
    for depth in range(12, 600):
        pairs = paired(depth)
        assert 0 < 3 * pairs <= depth
        assert depth - pairs <= 1.03 * (depth - depth // 3)
        signs = negated(pairs, 16)
        assert signs.shape == (pairs,)
        assert abs(int(signs.sum()) - int((~signs).sum())) <= 16
    assert paired(384) == 128


def test_all_tiles_have_as_many_rows_and_hardly_any_is_done_twice() -> None:
    for rows in range(5, 400):
        size = row_tile_of(machines.SCALARS, rows)
        assert min(rows, 7) <= size <= min(rows, DEFAULT.pairwise.max_rows)
        assert -(-rows // size) * size <= 1.1 * rows
    assert [row_tile_of(machines.SCALARS, rows) for rows in (49, 125, 128, 196, 3136)] == [10, 9, 8, 11, 12]


# ─── what is in the rows ───────────────────────────────────────────────────────────────────────────────────────────


def odd_rows(x: np.ndarray, w: np.ndarray) -> list[bool]:
    """Which rows were multiplied by definition."""
    kernel, memory = kernel_of(x, w, "panels", replace(MACHINE, l2_bytes=16 << 20))
    run(kernel, memory)
    (kinds,) = [one for one in kernel.workspaces if one.name == "kinds"]
    found, size, rows = (
        memory["kinds"].reshape(kinds.shape),
        row_tile_of(machines.SCALARS, len(x)),
        [0] * len(x),
    )
    for number, tile in enumerate(found):
        first = min(number * size, len(x) - size)
        done = number * size - first
        assert (tile[1 : done + 1] == 2).all()
        assert int(tile[0]) == np.count_nonzero(tile[1 : size + 1])
        rows[first + done : first + size] = tile[done + 1 : size + 1]
    assert set(rows) <= {0, 1}
    return [bool(one) for one in rows]


def with_outliers(first: float, second: float, rows: int = 24, depth: int = 96) -> np.ndarray:
    """Rows of which the second has two larger elements that are a pair."""
    x = normal(rows, depth)
    x[1, [3, 3 + paired(depth)]] = first, second
    return x


@pytest.mark.parametrize(
    ("first", "second"), [(40.0, 40.0), (-1e4, 1e5), (1e20, -1e19), (3e5, 30.0), (0.0, 1e4)]
)
def test_rows_of_which_a_few_elements_are_most_are_multiplied_by_definition(
    first: float, second: float
) -> None:
    x, w = with_outliers(first, second), normal(96, 20)
    w[[3, 3 + paired(96)]] = 0  # of the large elements themselves nothing is in the results
    assert odd_rows(x, w) == [row == 1 for row in range(24)]
    assert off(product(x, w), x, w) < 3e-6
    assert are_even(w)


@pytest.mark.parametrize(("first", "second"), [(50.0, 0.1), (0.0, 60.0), (8.0, 8.0)])
def test_one_large_element_takes_no_digits(first: float, second: float) -> None:
    x, w = with_outliers(first, second), normal(96, 20)
    assert not any(odd_rows(x, w))
    assert off(product(x, w), x, w) < 3e-6


@settings(max_examples=40)
@given(st.floats(0, 6), st.floats(0, 6), st.floats(0, 3), st.integers(12, 200), st.integers(0, 2**20))
def test_errors_are_relative_to_a_row_and_a_column_whatever_is_in_them(
    first: float, second: float, spread: float, depth: int, seed: int
) -> None:
    """In units of 2⁻²⁴ times both norms. (Of some thirty thousand rows, among them such, the largest was 34.)"""
    x, w = normal(5, depth, seed=seed), normal(depth, 16, seed=seed)
    x *= np.exp(spread * normal(5, depth, seed=seed + 1))
    x[:, [0, paired(depth)]] *= np.exp(np.array([first, second], np.float32))
    w[[0, paired(depth)]] *= np.float32(0.01)
    unit = (
        2.0**-24
        * np.linalg.norm(x.astype(np.float64), axis=1)[:, None]
        * np.linalg.norm(w.astype(np.float64), axis=0)
    )
    assert (np.abs(product(x, w) - x.astype(np.float64) @ w) <= 40 * unit).all()


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("where", [2, 2 + paired(64), 60], ids=["first of a pair", "second", "single"])
def test_what_is_not_a_number_gives_what_it_gives_by_definition(special: float, where: int) -> None:
    x, w = normal(26, 64), normal(64, 12)
    w[where, 3] = 0
    x[20, where] = special
    y = product(x, w)
    with np.errstate(invalid="ignore"):
        expected = x @ w
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-5)
    assert np.isfinite(np.delete(y, 20, 0)).all()


@pytest.mark.parametrize("element", [1e-45, 4e-43])
def test_one_subnormal_element_is_not_taken_for_zero(element: float) -> None:
    x, w = normal(5, 96), normal(96, 12) * np.float32(2.0**90)
    x[2] = 0
    x[2, 7] = element
    np.testing.assert_array_equal(product(x, w)[2], (x[2].astype(np.float64)[7] * w[7]).astype(np.float32))


@pytest.mark.parametrize("power", [-120, -110, -60])
def test_tiny_weights_keep_their_digits(power: int) -> None:
    x, w = normal(24, 96) * np.float32(2.0**60), normal(96, 16) * np.float32(2.0**power)
    assert are_even(w)
    assert off(product(x, w), x, w) < 3e-6


@pytest.mark.parametrize("size", [0.0, 1e-44, 1e-38, 1e-20, 1e20, 1e37])
def test_rows_of_any_size_keep_their_digits(size: float) -> None:
    x, w = normal(12, 64), normal(64, 12)
    x[4] = np.abs(x[4]) * np.float32(size)
    y = product(x, w)
    exact = x.astype(np.float64) @ w
    np.testing.assert_allclose(y[4], exact[4], rtol=0, atol=3e-6 * np.abs(exact[4]).max() + 1e-42)
    if not size:
        assert not y[4].any()


def test_elements_that_are_too_large_to_be_scaled_do_not_become_infinite() -> None:
    x, w = normal(12, 64), normal(64, 12) * np.float32(2.0**-30)
    x[4], w[:, 2] = 3e38, 2.0**90 * w[:, 2]
    y = product(x, w)
    with np.errstate(over="ignore"):
        exact = (x.astype(np.float64) @ w).astype(np.float32)
    assert np.array_equal(np.isfinite(y), np.isfinite(exact))
    some = np.isfinite(exact[4])
    assert some.sum() == 11
    np.testing.assert_allclose(y[4][some], exact[4][some], rtol=1e-4)


def test_columns_of_any_size_keep_their_digits() -> None:
    x, w = normal(12, 64), normal(64, 12)
    by = np.array([0, 1e-44, 1e-38, 1e-25, 1e-5, 1, 1, 1e5, 1e10, 1e20, 1e28, 1], np.float32)
    w *= by
    y, exact = product(x, w), x.astype(np.float64) @ w
    assert are_even(w)
    assert not y[:, 0].any()
    assert (np.abs(y - exact) <= 1e-5 * np.abs(exact).max(0) + 1e-35).all()


# ─── where it is done ──────────────────────────────────────────────────────────────────────────────────────────────


def site_of(
    machine: Machine, weights: np.ndarray | None, wanted: dict[str, str] | None = None, home: Home = Home.CORE
) -> Site:
    shape = (64, 64) if weights is None else weights.shape
    inputs = [buffer("a", DType.FLOAT32, (64, shape[0])), buffer("b", DType.FLOAT32, shape)]
    return Site(
        machine,
        inputs,
        [buffer("y", DType.FLOAT32, (64, shape[1]))],
        [None, weights],
        wanted=wanted,
        home=home,
    )


def mixed() -> np.ndarray:
    w = normal(64, 64) * np.float32(1e10)
    w[3, 5] = 1e-42
    return w


def uneven(value: float) -> np.ndarray:
    w = normal(64, 64)
    w[[1, 1 + paired(64)], 5] = value
    return w


def by_pairs(site: Site, rows: int, weights: np.ndarray | None) -> bool:
    """Whether a product of so many rows is in pairs of terms."""
    depth, columns = (64, 64) if weights is None else weights.shape
    dtype = DType.FLOAT32 if weights is None else DType.from_numpy(weights.dtype)
    shapes = (rows, depth), (depth, columns), (rows, columns)
    return pays(PAIRWISE, site, MatMul(*(TensorType(dtype, shape) for shape in shapes)))


@pytest.mark.parametrize(
    ("machine", "weights", "rows"),
    [
        pytest.param(replace(WIDE, math="exact"), normal(64, 64), 64, id="exact math is asked for"),
        pytest.param(
            replace(WIDE, separate_fadd_pipes=False),
            normal(64, 64),
            64,
            id="sums take the place of multiply-adds",
        ),
        pytest.param(WIDE, None, 64, id="weights are not constant"),
        pytest.param(WIDE, normal(64, 64).astype(np.float64), 64, id="doubles"),
        pytest.param(WIDE, normal(64, 64), 4, id="few rows"),
        pytest.param(WIDE, normal(8, 64), 64, id="short sums"),
        pytest.param(WIDE, normal(64, 12), 64, id="less than a vector of columns"),
        pytest.param(WIDE, normal(144, 24), 3136, id="copying takes longer than it saves"),
        pytest.param(WIDE, uneven(100.0), 64, id="a column with a large pair"),
        pytest.param(WIDE, uneven(np.inf), 64, id="an infinite weight"),
        pytest.param(WIDE, normal(64, 64) * np.float32(2.0**103), 64, id="a column that is too large"),
        pytest.param(WIDE, mixed(), 64, id="a weight that would be scaled to zero"),
    ],
)
def test_the_definition_is_computed_where(machine: Machine, weights: np.ndarray | None, rows: int) -> None:
    assert not by_pairs(site_of(machine, weights), rows, weights)


@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [(125, 64, 64), (8, 768, 768), (3136, 24, 144), (784, 192, 32), (128, 768, 3072)],
)
def test_pairs_are_the_default_where_they_were_measured_to_be_quicker(
    rows: int, depth: int, columns: int
) -> None:
    site = site_of(WIDE, normal(depth, columns))
    assert by_pairs(site, rows, site.constant(1))


@pytest.mark.parametrize(
    ("rows", "home", "in_pairs"), [(16, Home.SHARED, True), (16, Home.MEMORY, False), (49, Home.MEMORY, True)]
)
def test_few_rows_do_not_hide_that_weights_come_from_memory(rows: int, home: Home, in_pairs: bool) -> None:
    site = site_of(WIDE, normal(512, 1376), home=home)
    assert by_pairs(site, rows, site.constant(1)) == in_pairs


def test_scales_are_powers_of_two_that_make_means_one_to_two() -> None:
    w = normal(64, 9) * np.float32(2.0) ** np.arange(-4, 5, dtype=np.float32)
    mean = np.abs(w).mean(0) / scales(w)
    assert ((mean >= 1) & (mean < 2)).all()
    assert np.array_equal(np.log2(scales(w)) % 1, np.zeros(9))


def test_two_thirds_of_the_multiply_adds_are_left() -> None:
    """Of the loops of a tile that goes in pairs, by the stores of its sums."""
    x, w = normal(12, 96), normal(96, 16)
    kernel, _ = kernel_of(x, w, "rows", WIDE)

    def products(tile: If) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in statements(tile.then):
            if isinstance(one, For) and one.kind is LoopKind.SERIAL and one.var.name in ("three", "one"):
                assert isinstance(one.extent, Const)
                found[one.var.name] = int(one.extent.value) * sum(
                    isinstance(each, Store) for each in statements(one.body)
                )
        return found

    tile, odd, two = (one for one in statements(kernel.body) if isinstance(one, If) and products(one))
    assert sum(products(tile).values()) <= 12 * 96 * 2 / 3 + 12
    assert sum(products(odd).values()) == sum(products(two).values()) == 2 * 96


# ─── convolutions ──────────────────────────────────────────────────────────────────────────────────────────────────


def convolution(
    x: np.ndarray,
    w: np.ndarray,
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: tuple[int, ...],
    outer: str,
) -> tuple[np.ndarray, np.ndarray]:
    """By pairs of terms in the interpreter, and by definition in float64."""
    rank = len(strides)
    begins, ends = pads[:rank], pads[rank:]
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *zip(begins, ends, strict=True)))
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    out = tuple(
        places(extent, size, stride)
        for extent, size, stride in zip(padded.shape[2:], reach, strides, strict=True)
    )
    given, weights, y = (
        TensorType(DType.FLOAT32, shape) for shape in (x.shape, w.shape, (len(x), len(w), *out))
    )
    spec = ConvSpec(given, weights, y, w.shape[2:], strides, dilations, begins, ends, 1)
    order = (0, *range(2, rank + 2), 1)
    kernel, memory = template_kernel(
        conv_template(spec), x, w, machine=replace(MACHINE, l2_bytes=1 << 20), orders={"in0": order, "out0": order}, known=(1,),
        wanted={"conv": "pairwise", "outer": outer},
    )  # fmt: skip
    assert "kinds" in [one.name for one in kernel.workspaces], "it does not go by pairs"
    run(kernel, memory)
    got = np.moveaxis(memory["out0"].reshape(len(x), *out, len(w)), -1, 1)
    exact = np.zeros(y.shape)
    for tap in np.ndindex(*w.shape[2:]):
        where = tuple(
            slice(t * d, t * d + (o - 1) * s + 1, s)
            for t, d, o, s in zip(tap, dilations, out, strides, strict=True)
        )
        exact += np.einsum(
            "nc...,mc->nm...", padded[(slice(None), slice(None), *where)], w[(slice(None), slice(None), *tap)]
        )
    return got, exact


CONVOLUTIONS = [
    pytest.param((1, 16, 9, 7), (42, 16, 1, 1), (1, 1), (1, 1), (0,) * 4, id="one tap"),
    pytest.param((1, 40, 19, 18), (120, 40, 1, 1), (1, 2), (1, 1), (1, 1, 0, 2), id="one tap, pads"),
    pytest.param((2, 13, 9, 8), (41, 13, 1, 1), (2, 3), (1, 1), (0,) * 4, id="one tap, strides"),
    pytest.param((1, 8, 15, 13), (60, 8, 3, 3), (2, 2), (1, 1), (1, 0, 1, 2), id="strides and pads"),
    pytest.param((2, 9, 14, 14), (60, 9, 2, 3), (1, 2), (2, 1), (1, 1, 1, 1), id="dilations, batch"),
    pytest.param((1, 6, 40), (60, 6, 5), (3,), (1,), (2, 2), id="a row"),
    pytest.param((1, 9, 4, 9, 8), (130, 9, 2, 3, 2), (2, 1, 1), (1, 1, 2), (1, 0, 0, 1, 1, 1), id="a volume"),
]


@pytest.mark.parametrize(
    ("extent", "taps", "apart", "pad", "in_pairs"),
    [
        pytest.param(14, 3, 1, 1, True, id="most inside"),
        pytest.param(14, 3, 12, 12, False, id="one or two of three inside"),
        pytest.param(4, 2, 8, 4, False, id="none inside"),
    ],
)
def test_taps_that_lie_outside_are_not_multiplied_where_that_is_less(
    extent: int, taps: int, apart: int, pad: int, in_pairs: bool
) -> None:
    x, w = (
        TensorType(DType.FLOAT32, (1, 64, extent, extent)),
        TensorType(DType.FLOAT32, (64, 64, taps, taps)),
    )
    spec = ConvSpec(x, w, x, (taps, taps), (1, 1), (apart, apart), (pad, pad), (pad, pad), 1)
    strides = (1, 1, extent * 64, 64)
    site = Site(
        WIDE, [buffer("x", DType.FLOAT32, x.shape, strides), buffer("w", DType.FLOAT32, w.shape)],
        [buffer("y", DType.FLOAT32, x.shape, strides)], [None, normal(*w.shape)],
    )  # fmt: skip
    assert pays(CONV_PAIRWISE, site, spec) == in_pairs


@pytest.mark.parametrize("outer", ORDERS)
@pytest.mark.parametrize(("x", "w", "strides", "dilations", "pads"), CONVOLUTIONS)
def test_convolutions(
    x: tuple[int, ...],
    w: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: tuple[int, ...],
    outer: str,
) -> None:
    got, exact = convolution(normal(*x), normal(*w), strides, dilations, pads, outer)
    assert np.abs(got - exact).max() < 3e-6 * np.sqrt((exact**2).mean()) * 2


# ─── models ────────────────────────────────────────────────────────────────────────────────────────────────────────


def network() -> onnx.ModelProto:
    """Products with a bias, with a function that takes long and with what is added behind them, and a convolution."""
    proto = model(
        """g (float[1,64,12,11] x, float[132,96] r) => (float[132,96] y, float[132,40] z)
        { c = Conv <kernel_shape = [3,3], pads = [1,1,1,1]> (x, k) t = Transpose <perm = [0,2,3,1]> (c)
          f = Reshape(t, s) p = MatMul(f, w) b = Add(p, d) e = Erf(b) y = Add(e, r) q = MatMul(f, v) z = Relu(q) }"""
    )
    made = {"k": normal(48, 64, 3, 3) / 24, "w": normal(48, 96) / 7, "d": normal(96), "v": normal(48, 40) / 7}
    proto.graph.initializer.extend(
        [onnx.numpy_helper.from_array(array, name) for name, array in made.items()]
    )
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.array([132, 48]), "s"))
    return proto


def test_a_model_gives_what_it_gives_by_definition_on_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, codegen("wide", "znver4")))
    feeds = {"x": normal(1, 64, 12, 11), "r": normal(132, 96)}
    results = {}
    for math in ("fast", "exact"):
        factory = ingot.build(network(), "wide", name="g", cache=None, math=math).load()["g"]
        results[math] = factory(ingot.cpu(0), threads=1).predict(feeds)
        for threads in (2, 3):
            other = factory(ingot.cpu(0), threads=threads).predict(feeds)
            assert all(np.array_equal(one, two) for one, two in zip(results[math], other, strict=True))
    for one, two in zip(results["fast"], results["exact"], strict=True):
        assert not np.array_equal(one, two)
        np.testing.assert_allclose(one, two, rtol=0, atol=2e-5)


@pytest.mark.parametrize("size", [1.0, 6.0, 8.0, 10.0, 11.0, 12.0, 20.0, 1e3])
@pytest.mark.parametrize("outliers", [1, 4])
@pytest.mark.parametrize("pair", [True, False])
def test_the_limits_are_what_they_say(size: float, outliers: int, pair: bool) -> None:
    depth, pairs = 96, paired(96)
    x = np.ones((5, depth), np.float32)
    x[:, [*range(outliers), *(range(pairs, pairs + outliers) if pair else ())]] = size
    row = x[0].astype(np.float64)
    products, squares, mean = ((row[:pairs] * row[pairs : 2 * pairs]) ** 2).sum(), (row**2).sum(), row.mean()
    is_odd = products > EXCESS**2 * squares * mean**2 or row.sum() ** 2 < FEW * squares
    assert odd_rows(x, normal(depth, 8)) == [is_odd] * 5


@settings(max_examples=15)
@given(st.integers(0, 2**20), st.sampled_from(ORDERS))
def test_what_a_row_gives_does_not_depend_on_others(seed: int, outer: str) -> None:
    x, w = normal(26, 60, seed=seed), normal(60, 12, seed=seed)
    rng = np.random.default_rng(seed)
    other = x.copy()
    changed = rng.random(26) < 0.3
    other[changed, 3] = np.where(rng.random(changed.sum()) < 0.5, np.inf, 1e6)
    expected, y = product(x, w, outer), product(other, w, outer)
    np.testing.assert_array_equal(y[~changed], expected[~changed])
    order = rng.permutation(26)
    np.testing.assert_array_equal(product(other[order], w, outer), y[order])


def test_dense_rows_and_sparse_ones_go_in_pairs() -> None:
    rng = np.random.default_rng(5)
    w = normal(256, 8)
    for share in (1.0, 0.5, 0.25):
        x = np.maximum(normal(480, 256), 0) * (rng.random((480, 256)) < share)
        assert np.mean(odd_rows(x.astype(np.float32), w)) <= 0.02
    one_hot = np.eye(256, dtype=np.float32)[:24]
    assert all(odd_rows(one_hot, w))
    np.testing.assert_array_equal(product(one_hot, w), w[:24])
