"""While one panel of weights is used, every line of the next is asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.prefetch import PanelPrefetch, Share
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.int8 import qmatmul_template
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.template import Home, Site
from ingot.loops.build.builder import Builder
from ingot.loops.interpret import run
from ingot.loops.nodes import Buffer, For, If, Kernel, Prefetch, Store, buffer, index, load, store
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.machines.machine import LINE_BYTES, Machine
from ingot.machines.tuning import Prefetch as PrefetchTuning
from tests.support import machines

PREFETCH = PrefetchTuning()
LINE = LINE_BYTES // 4
MACHINE = replace(machines.AVX512, l2_bytes=8192, prefetch=True, math="exact")


def asked_for(stmts, packed: Buffer):
    """The statements with a new buffer that counts, for each line of the packed one, how often it is asked for."""
    line = LINE_BYTES // packed.dtype.size_bytes
    lines = -(-packed.type.size // line)
    seen = buffer("seen", DType.INT64, (lines,))

    def counted(stmt):
        match stmt:
            case Prefetch():
                where = (stmt.index[-1] // line,)
                return store(seen, where, load(seen, *where) + 1)
            case For():
                return replace(stmt, body=tuple(map(counted, stmt.body)))
            case If():
                return replace(
                    stmt, then=tuple(map(counted, stmt.then)), otherwise=tuple(map(counted, stmt.otherwise))
                )
        return stmt

    used = {stmt.buffer for stmt in statements(stmts) if isinstance(stmt, Store)}
    assert seen not in used
    return tuple(map(counted, stmts)), seen


@pytest.mark.parametrize(
    ("x", "filters", "kernel", "stride"),
    [
        ((1, 64, 6, 7), 64, 1, 1),
        ((1, 33, 5, 9), 70, 3, 1),
        ((2, 32, 9, 9), 96, 3, 2),
        ((1, 48, 14, 14), 64, 1, 2),
    ],
)
def test_a_convolution_asks_for_every_line_of_every_panel_but_the_first(x, filters, kernel, stride):
    pad = kernel // 2
    out = tuple((extent + 2 * pad - kernel) // stride + 1 for extent in x[2:])
    types = [
        TensorType(DType.FLOAT32, shape)
        for shape in (x, (filters, x[1], kernel, kernel), (x[0], filters, *out))
    ]
    spec = ConvSpec(*types, (kernel,) * 2, (stride,) * 2, (1, 1), (pad,) * 2, (pad,) * 2, 1)
    order = (x[1] * x[2] * x[3], 1, x[1] * x[3], x[1])
    weights = np.random.default_rng(1).standard_normal(spec.w.shape).astype(np.float32)
    site = Site(
        MACHINE,
        [buffer("x", DType.FLOAT32, x, order), buffer("w", DType.FLOAT32, spec.w.shape)],
        [buffer("y", DType.FLOAT32, spec.y.shape)],
        [None, weights],
    )
    body = conv_template(spec).build(site)
    packed, content = site.packed[1]
    body, seen = asked_for(body, packed)
    kernel_ = simplify_kernel(Kernel("k", (site.input(0), packed), (*site.outputs, seen), body))
    counts = np.zeros(seen.shape, np.int64)
    zeros = {each.name: np.zeros(each.type.size, np.float32) for each in (site.input(0), *site.outputs)}
    run(kernel_, {**zeros, packed.name: content.reshape(-1), "seen": counts})
    in_panel = packed.type.size // packed.shape[1] // LINE
    missed = np.flatnonzero(counts[in_panel:] == 0)
    # Rows at the border leave out rows of the kernel, and with them what was to be asked for meanwhile, but nothing else.
    inside = sum(0 <= y * stride + k - pad < x[2] for y in range(out[0]) for k in range(kernel))
    left_out = 1 - inside / (out[0] * kernel)
    assert len(missed) <= left_out * (len(counts) - in_panel)
    assert bool(pad) == (left_out > 0)
    # A line on its way takes one of few places: hardly more are asked for than a panel has (with the last one its own again).
    assert counts.sum() <= 1.2 * len(counts) * x[0]


def test_a_panel_that_is_used_once_is_not_asked_for_line_by_line():
    packed = buffer("w", DType.FLOAT32, (4, 256, 32))
    k = Builder()
    for _ in PanelPrefetch(PREFETCH, packed, 256 * 32, 1).loop(k, "c", 256, Share(index(0), index(0), 1)):
        pass
    assert not any(isinstance(stmt, Prefetch) for stmt in statements(k.statements()))


def product(
    rows: int, depth: int, columns: int, home: Home, machine: Machine = MACHINE
) -> tuple[Site, tuple]:
    shapes = (rows, depth), (depth, columns), (rows, columns)
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in shapes)
    site = Site(
        machine,
        [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)],
        [buffer("c", c.dtype, c.shape)],
        [None, np.ones(shapes[1], np.float32)],
        home=home,
    )
    return site, tuple(matmul_template(a, b, c).build(site))


@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(1, 70, 300), (2, 33, 512), (4, 97, 100), (1, 701, 10)]
)
def test_a_product_of_few_rows_asks_once_for_every_line_that_is_not_among_the_first(rows, depth, columns):
    site, body = product(rows, depth, columns, Home.SHARED)
    packed, content = site.packed[1]
    body, seen = asked_for(body, packed)
    kernel = simplify_kernel(Kernel("k", (site.input(0), packed), (*site.outputs, seen), body))
    counts = np.zeros(seen.shape, np.int64)
    memory = {each.name: np.ones(each.type.size, np.float32) for each in (site.input(0), *site.outputs)}
    run(kernel, {**memory, packed.name: content.reshape(-1), "seen": counts})
    assert np.allclose(memory["c"], depth)
    first = PREFETCH.stream_bytes // LINE_BYTES
    assert not counts[:first].any()
    assert np.count_nonzero(counts[first:] == 0) <= 0.02 * len(
        counts
    )  # a sum of several ways leaves out its last few steps


@pytest.mark.parametrize(("home", "alone"), [(Home.SPLIT, True), (Home.SHARED, False)])
def test_weights_that_two_caches_hold_are_asked_for_only_by_a_thread_that_reads_them_all(home, alone):
    _, body = product(1, 256, 256, home)
    asked = [stmt for stmt in statements(body) if isinstance(stmt, Prefetch)]
    assert asked and all(stmt.near and stmt.alone is alone for stmt in asked)


@pytest.mark.parametrize(
    ("rows", "home"), [(PREFETCH.stream_max_rows + 1, Home.SHARED), (1, Home.CORE), (1, Home.MEMORY)]
)
def test_more_rows_and_weights_elsewhere_are_not_asked_for_line_by_line(rows, home):
    _, body = product(rows, 256, 256, home)
    assert not any(isinstance(stmt, Prefetch) and stmt.near for stmt in statements(body))


def test_processors_that_halve_their_longest_vectors_are_not_asked_for_what_they_read_once():
    _, body = product(1, 256, 256, Home.SHARED, replace(MACHINE, double_pumped_512=True))
    assert not any(isinstance(stmt, Prefetch) for stmt in statements(body))


def test_an_integer_product_of_few_rows_asks_once_for_every_line():
    a, b = TensorType(DType.UINT8, (2, 200)), TensorType(DType.INT8, (200, 80))
    inputs = [
        buffer("a", a.dtype, a.shape),
        buffer("b", b.dtype, b.shape),
        buffer("begin", DType.INT32, (80,)),
    ]
    constants = [None, np.ones(b.shape, np.int8), np.zeros(80, np.int32)]
    site = Site(MACHINE, inputs, [buffer("c", DType.INT32, (2, 80))], constants, home=Home.SHARED)
    body = tuple(qmatmul_template(a, b).build(site))
    (packed, words), (begin, starts) = site.packed[1], site.packed[2]
    body, seen = asked_for(body, packed)
    kernel = simplify_kernel(Kernel("k", (inputs[0], packed, begin), (*site.outputs, seen), body))
    counts, result = np.zeros(seen.shape, np.int64), np.zeros(160, np.int32)
    given = {"a": np.ones(400, np.uint8), packed.name: words.reshape(-1), begin.name: starts.reshape(-1)}
    run(kernel, {**given, "c": result, "seen": counts})
    assert np.array_equal(result, np.full(160, 200))
    ahead = PREFETCH.stream_bytes // LINE_BYTES
    assert not counts[:ahead].any()
    assert (
        counts[ahead:].all() and (counts > 1).sum() <= 8
    )  # what would lie behind the end are the last lines


@pytest.mark.parametrize("pairs", [False, True], ids=["words", "pairs"])
@pytest.mark.parametrize(("rows", "depth", "columns"), [(40, 96, 200), (130, 64, 70)])
def test_an_integer_product_of_many_rows_asks_for_every_line_of_every_panel_but_the_first(
    rows, depth, columns, pairs
):
    a, b = TensorType(DType.UINT8, (rows, depth)), TensorType(DType.INT8, (depth, columns))
    inputs = [
        buffer("a", a.dtype, a.shape),
        buffer("b", b.dtype, b.shape),
        buffer("begin", DType.INT32, (columns,)),
    ]
    constants = [None, np.ones(b.shape, np.int8), np.zeros(columns, np.int32)]
    machine = replace(MACHINE, dot_i16x2=pairs)
    site = Site(machine, inputs, [buffer("y", DType.INT32, (rows, columns))], constants, home=Home.SHARED)
    body = tuple(qmatmul_template(a, b).build(site))
    (packed, words), (begin, starts) = site.packed[1], site.packed[2]
    body, seen = asked_for(body, packed)
    kernel = simplify_kernel(
        Kernel("k", (inputs[0], packed, begin), (*site.outputs, seen), body, tuple(site.workspaces))
    )
    counts, result = np.zeros(seen.shape, np.int64), np.zeros(rows * columns, np.int32)
    given = {
        "a": np.ones(rows * depth, np.uint8),
        packed.name: words.reshape(-1),
        begin.name: starts.reshape(-1),
    }
    work = {each.name: np.zeros(each.type.size, each.dtype.numpy) for each in site.workspaces}
    run(kernel, {**given, **work, "y": result, "seen": counts})
    assert np.array_equal(result, np.full(rows * columns, depth))
    assert counts[packed.type.size // packed.shape[0] * packed.dtype.size_bytes // LINE_BYTES :].all()
    near = Site(machine, inputs, [buffer("y", DType.INT32, (rows, columns))], constants, home=Home.CORE)
    assert not any(
        isinstance(stmt, Prefetch) for stmt in statements(tuple(qmatmul_template(a, b).build(near)))
    )


def test_an_integer_product_by_pairs_leaves_it_to_the_processor():
    a, b = TensorType(DType.UINT8, (2, 200)), TensorType(DType.INT8, (200, 80))
    inputs = [
        buffer("a", a.dtype, a.shape),
        buffer("b", b.dtype, b.shape),
        buffer("begin", DType.INT32, (80,)),
    ]
    constants = [None, np.ones(b.shape, np.int8), np.zeros(80, np.int32)]
    for machine, asks in (
        (replace(MACHINE, dot_i16x2=True), False),
        (replace(MACHINE, dot_i16x2=True, dot_i8x4=True), True),
    ):
        site = Site(machine, inputs, [buffer("c", DType.INT32, (2, 80))], constants, home=Home.SHARED)
        body = tuple(qmatmul_template(a, b).build(site))
        assert any(isinstance(stmt, Prefetch) for stmt in statements(body)) == asks


@pytest.mark.parametrize("pairs", [False, True], ids=["words", "pairs"])
@pytest.mark.parametrize(
    ("extents", "kernel"), [((6, 7), 1), ((5, 9), 2)]
)  # 3 may be computed by Winograd's algorithm
def test_an_integer_convolution_asks_for_every_line_of_every_panel_but_the_first(extents, kernel, pairs):
    x, filters = (1, 128, *(extent + kernel - 1 for extent in extents)), 96
    types = [TensorType(dtype, shape) for dtype, shape in zip((DType.UINT8, DType.INT8, DType.INT32), (
        x, (filters, x[1], kernel, kernel), (1, filters, *extents)), strict=True)]  # fmt: skip
    spec = ConvSpec(*types, (kernel,) * 2, (1, 1), (1, 1), (0, 0), (0, 0), 1)
    site = Site(
        replace(MACHINE, dot_i16x2=pairs),
        [
            buffer("x", DType.UINT8, x, (x[1] * x[2] * x[3], 1, x[1] * x[3], x[1])),
            buffer("weights", DType.INT8, spec.w.shape),
            buffer("b", DType.INT32, (filters,)),
        ],
        [buffer("y", DType.INT32, spec.y.shape)],
        [None, np.ones(spec.w.shape, np.int8), np.zeros(filters, np.int32)],
    )
    body = qconv_template(spec, 0).build(site)
    params = [made for made, _ in site.packed.values()]
    body, seen = asked_for(body, params[0])
    kernel_ = simplify_kernel(
        Kernel("k", (site.input(0), *params), (*site.outputs, *site.workspaces, seen), body)
    )
    arrays = {each.name: np.zeros(each.type.size, each.dtype.numpy) for each in kernel_.params}
    run(kernel_, arrays)
    in_panel = params[0].type.size_bytes // params[0].shape[1] // LINE_BYTES
    assert len(arrays["seen"]) > in_panel
    assert arrays["seen"][in_panel:].all()
