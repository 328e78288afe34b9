"""Matrix products against NumPy: tiles that do not fit, rows that compete for cache lines, right sides known late."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.blocks.register_block import choose_tile, fitting_tiles
from ingot.kernels.matmul.matmul import column_segments, matmul_template, pack_panels
from ingot.kernels.template import Home, Site
from ingot.loops.interpret import run
from ingot.loops.nodes import Alloc, For, Kernel, LoopKind, Prefetch, buffer
from ingot.loops.text import to_text
from ingot.loops.transform.rewrite import statements
from ingot.loops.verify import verify
from ingot.machines.tuning import Matmul
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from tests.kernels.templates import run_template, template_kernel
from tests.support import machines
from tests.support.kernel_llvm import assembly

MACHINES = (machines.AVX512, machines.AVX2, machines.VECTORS, machines.NEON, machines.SCALARS)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product(a, b, orders=None, machine=machines.VECTORS):
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    types = [TensorType(DType.from_numpy(one.dtype), one.shape) for one in (a, b)]
    output = TensorType(types[0].dtype, (*shape, a.shape[-2], b.shape[-1]))
    return run_template(matmul_template(*types, output), a, b, orders=orders, machine=machine)[0]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(1, 9, 10), (1, 17, 35), (3, 5, 33), (7, 6, 21), (17, 3, 40)]
)
def test_any_size_is_covered_by_tiles(machine, rows, depth, columns):
    a, b = numbers(rows, depth), numbers(depth, columns, seed=1)
    np.testing.assert_allclose(product(a, b, machine=machine), a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("a_order", [(0, 1, 2), (0, 2, 1)])
@pytest.mark.parametrize("b_order", [(0, 1, 2), (0, 2, 1)])
def test_operands_may_be_stored_transposed(a_order, b_order):
    a, b = numbers(2, 6, 5), numbers(2, 5, 70, seed=1)
    got = product(a, b, {"in0": a_order, "in1": b_order})
    np.testing.assert_allclose(got, a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_few_rows_meet_columns_that_lie_one_behind_the_other(rows):
    a, b = numbers(3, rows, 21), numbers(3, 21, 17, seed=1)
    got = product(a, b, {"in1": (0, 2, 1)})
    np.testing.assert_allclose(got, a @ b, rtol=1e-5, atol=1e-5)


def test_integers_wrap_in_a_single_row():
    a = np.array([[2**30, 3, 5, 7]], np.int32)
    b = np.arange(12, dtype=np.int32).reshape(4, 3)
    with np.errstate(over="ignore"):
        expected = (a.astype(np.int64) @ b).astype(np.int32)
    np.testing.assert_array_equal(product(a, b), expected)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("rows", [1, 2, 5, 14, 100])
@pytest.mark.parametrize("columns", [1, 10, 16, 31, 96, 129, 300, 512])
def test_segments_cover_all_columns_and_waste_less_than_a_vector(machine, rows, columns):
    segments = column_segments(machine, DType.FLOAT32, rows, columns)
    at = 0
    for segment in segments:
        assert segment.first == at
        assert segment.panels == 1 or segment.is_whole
        at += (segment.panels - 1) * segment.tile.columns + segment.valid
    assert at == columns
    last = segments[-1]
    assert last.first + last.panels * last.tile.columns - columns < machine.lanes(DType.FLOAT32)


@pytest.mark.parametrize("machine", MACHINES[:3])
@pytest.mark.parametrize(("rows", "columns"), [(1, 512), (1, 10), (13, 100), (128, 384), (1000, 1000)])
def test_sums_weights_and_a_broadcast_fit_in_the_registers(machine, rows, columns):
    tile = choose_tile(machine, DType.FLOAT32, rows, columns)
    weights = 0 if tile.rows == 1 else tile.vectors
    assert tile.rows * tile.vectors + weights + 1 <= machine.vector_registers


@pytest.mark.parametrize(("rows", "columns"), [(1, 512), (2, 10), (13, 100), (128, 384), (1000, 1000)])
def test_where_lanes_are_factors_four_steps_of_all_rows_fit_beside_sums_and_weights(rows, columns):
    for tile in fitting_tiles(machines.NEON, DType.FLOAT32, rows, columns):
        assert tile.rows * tile.vectors + tile.rows + tile.vectors <= machines.NEON.vector_registers
        assert tile.steps == 4


@pytest.mark.parametrize("cpu", ["cortex-a55", "neoverse-n1", "neoverse-v2"])
@pytest.mark.parametrize(("depth", "prefetch"), [(384, False), (1536, True)])
def test_neon_takes_four_steps_of_a_row_from_one_register(depth, prefetch, cpu):
    # Rows that are 6 KB apart have no common address, so each scalar would take an instruction for its own.
    machine = replace(machines.NEON, prefetch=prefetch)
    template = matmul_template(
        *(TensorType(DType.FLOAT32, shape) for shape in ((60, depth), (depth, 64), (60, 64)))
    )
    kernel, _ = template_kernel(template, numbers(60, depth), numbers(depth, 64), machine=machine, known=(1,))
    text = assembly(kernel, f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}")
    pieces = re.split(r"^\.L\w+:|^\tb[.\w]*\t.*$", text, flags=re.MULTILINE)
    blocks = [piece for piece in pieces if piece.count("\tfmla\t") >= 48]
    assert blocks
    for block in blocks:
        sums = re.findall(r"fmla\tv\d+\.4s, v\d+\.4s, v\d+\.s\[([0-3])\]", block)
        assert {sums.count(str(lane)) for lane in range(4)} == {len(sums) // 4}
        assert (
            block.count("[sp") <= block.count("\tfmla\t") // 20
        )  # one register may be short where loads begin early
        assert not re.search(r"ldr\ts\d|ld1r", block)


@pytest.mark.parametrize(("columns", "lanes"), [(24, 8), (32, 16), (40, 16), (96, 16), (1000, 16), (8, 8)])
def test_half_vectors_are_taken_where_they_cost_half_and_leave_fewer_columns_empty(columns, lanes):
    tile = choose_tile(replace(machines.AVX512, double_pumped_512=True), DType.FLOAT32, 56, columns)
    assert tile.lanes == lanes
    assert choose_tile(machines.AVX512, DType.FLOAT32, 56, columns).lanes == (8 if columns == 8 else 16)
    assert choose_tile(replace(machines.AVX512, double_pumped_512=True), DType.FLOAT32, 0, columns).rows == 1


def test_packed_panels_lie_one_behind_the_other():
    array = np.arange(2 * 76, dtype=np.float32).reshape(2, 76)
    segments = column_segments(machines.AVX512, DType.FLOAT32, 14, 76)
    packed = pack_panels(array, segments)
    first, second = segments
    assert (first.tile.columns, first.panels, second.tile.columns, second.valid) == (32, 2, 16, 12)
    np.testing.assert_array_equal(packed[:64].reshape(2, 32), array[:, :32])
    np.testing.assert_array_equal(packed[64:128].reshape(2, 32), array[:, 32:64])
    np.testing.assert_array_equal(packed[128:].reshape(2, 16), np.pad(array[:, 64:], ((0, 0), (0, 4))))


@pytest.mark.parametrize(("depth", "copied"), [(1024, True), (1000, False)])
def test_rows_that_compete_for_cache_lines_are_copied_apart(depth, copied):
    a, b = TensorType(DType.FLOAT32, (28, depth)), TensorType(DType.FLOAT32, (depth, 64))
    output = TensorType(DType.FLOAT32, (28, 64))
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    site = Site(machines.AVX512, inputs, [buffer("c", output.dtype, output.shape)], [None, None])
    body = matmul_template(a, b, output).build(site)
    assert [space.name for space in site.workspaces] == ["rows"] * copied
    assert any(isinstance(stmt, Alloc) for stmt in statements(tuple(body)))
    for space in site.workspaces:
        assert space.strides[0] * 4 % 4096 != 0


@pytest.mark.parametrize(
    ("rows", "depth", "dtype", "copied"),
    [
        (64, 256, DType.FLOAT32, True),
        (64, 32, DType.FLOAT32, False),
        (54, 256, DType.FLOAT32, False),
        (64, 256, DType.FLOAT16, True),
        (
            64,
            4096,
            DType.FLOAT32,
            False,
        ),  # 4 MB: the copy would be behind the caches before anything reads it
    ],
)
def test_a_right_operand_beyond_the_first_cache_is_copied_into_panels_for_many_rows(
    rows, depth, dtype, copied
):
    a, b, output = (TensorType(dtype, shape) for shape in ((rows, depth), (depth, 256), (rows, 256)))
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    site = Site(machines.AVX2, inputs, [buffer("c", output.dtype, output.shape)], [None, None])
    matmul_template(a, b, output).build(site)
    panels = [space for space in site.workspaces if space.name == "panels"]
    assert [(space.type.size, space.dtype) for space in panels] == [(depth * 256, DType.FLOAT32)] * copied


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_products_of_copied_panels_are_right(dtype):
    a, b = numbers(64, 70).astype(dtype), numbers(70, 258, seed=1).astype(dtype)
    got = product(a, b, machine=machines.AVX2)
    np.testing.assert_allclose(
        got, a.astype(np.float64) @ b, rtol=1e-2 if dtype is np.float16 else 1e-5, atol=1e-2
    )


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((5, 1024), (1024, 96)),
        ((1, 300), (300, 520)),
        ((3, 31, 12), (3, 12, 129)),
        ((2, 20, 1024), (1024, 70)),
    ],
)
def test_compiled_products_agree_with_numpy(a_shape, b_shape, constant):
    a, b = numbers(*a_shape), numbers(*b_shape, seed=1)
    inputs = {"a": a} if constant else {"a": a, "b": b}
    expected = a.astype(np.float64) @ b
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["y"])],
        "product",
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
            for name, array in inputs.items()
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, expected.shape)],
        [numpy_helper.from_array(b, "b")] if constant else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    executor = ingot.build(model, "llvmjit", name="product").load()["product"](ingot.cpu(0))
    np.testing.assert_allclose(executor.predict(inputs), expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(("rows", "panels_ahead"), [(128, True), (14, False)])
def test_the_next_panel_of_weights_is_prefetched_where_many_rows_use_one(rows, panels_ahead):
    a, b = TensorType(DType.FLOAT32, (rows, 384)), TensorType(DType.FLOAT32, (384, 384))
    output = TensorType(DType.FLOAT32, (rows, 384))
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    machine = replace(machines.AVX512, math="exact", prefetch=True)
    site = Site(machine, inputs, [buffer("c", output.dtype, output.shape)], [None, numbers(384, 384)])
    body = tuple(matmul_template(a, b, output).build(site))
    (packed, _), *_ = site.packed.values()
    kernel = Kernel("k", (inputs[0], packed), site.outputs, body, tuple(site.workspaces))
    verify(kernel)
    found = [stmt for stmt in statements(body) if isinstance(stmt, Prefetch)]
    assert bool(found) == panels_ahead
    # All lines of a panel are fetched while the one before is used.
    lines = sum(384 // Matmul().prefetch_steps * len(loop_prefetches) for loop_prefetches in by_tile(body))
    assert not found or lines >= 384 * 32 * 4 // 64


def by_tile(body):
    """The prefetches of each tile of rows of a panel."""
    (task,) = body
    found = []
    for group in task.body:
        count = int(group.extent.value)
        inner = [stmt for stmt in statements(group.body) if isinstance(stmt, Prefetch)]
        found += [inner] * count
    return found


@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(1, 71, 300), (1, 5, 128), (2, 40, 37), (1, 3, 128), (1, 1, 200)]
)
def test_weights_from_memory_are_read_by_halves_with_the_same_result(rows, depth, columns):
    shapes = (rows, depth), (depth, columns), (rows, columns)
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in shapes)
    machine = replace(machines.AVX512, prefetch=True)
    left, right = numbers(rows, depth), numbers(depth, columns, seed=1)
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    site = Site(machine, inputs, [buffer("c", c.dtype, c.shape)], [None, right], home=Home.MEMORY)
    body = tuple(matmul_template(a, b, c).build(site))
    assert site.chosen.get("streams") == (
        "two" if columns > 64 and depth >= Matmul().prefetch_steps else None
    )
    packed, content = site.packed[1]
    kernel = Kernel("k", (inputs[0], packed), site.outputs, body, tuple(site.workspaces))
    verify(kernel)
    result = np.zeros(rows * columns, np.float32)
    run(kernel, {"a": left.reshape(-1), packed.name: content.reshape(-1), "c": result})
    np.testing.assert_allclose(result.reshape(rows, columns), left @ right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("word", "offered"), [("ahead", False), ("none", True)])
def test_lines_are_asked_for_only_where_weights_are_read_from_one_end_to_the_other(word, offered):
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in [(1, 71), (71, 300), (1, 300)])
    machine = replace(machines.AVX512, prefetch=True)
    buffers = [buffer(name, type_.dtype, type_.shape) for name, type_ in (("a", a), ("b", b), ("c", c))]
    wanted = {"prefetch": word, "streams": "two"}
    site = Site(machine, buffers[:2], buffers[2:], [None, numbers(71, 300)], wanted=wanted, home=Home.SHARED)
    body = tuple(matmul_template(a, b, c).build(site))
    assert any(isinstance(stmt, Prefetch) for stmt in statements(body)) != offered
    assert site.chosen.get("streams") == ("two" if offered else None)


@pytest.mark.parametrize(
    ("home", "columns", "panels"), [(Home.CORE, 640, 10), (Home.SHARED, 640, 5), (Home.SHARED, 128, 2)]
)
def test_a_product_of_one_row_has_panels_for_two_threads(home, columns, panels):
    shapes = (1, 640), (640, columns), (1, columns)
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in shapes)
    left, right = numbers(1, 640), numbers(640, columns, seed=1)
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    site = Site(machines.AVX512, inputs, [buffer("c", c.dtype, c.shape)], [None, right], home=home)
    body = tuple(matmul_template(a, b, c).build(site))
    (task,) = body
    assert task.kind is LoopKind.PARALLEL and int(task.extent.value) == panels
    packed, content = site.packed[1]
    kernel = Kernel("k", (inputs[0], packed), site.outputs, body, tuple(site.workspaces))
    verify(kernel)
    result = np.zeros(columns, np.float32)
    run(kernel, {"a": left.reshape(-1), packed.name: content.reshape(-1), "c": result})
    np.testing.assert_allclose(result, (left @ right)[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("rows", "depth"), [(1, 512), (1, 515), (2, 512)])
def test_the_scalars_of_one_row_come_together_and_all_are_asked_for_where_fills_take_loads(rows, depth):
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in ((rows, depth), (depth, 256), (rows, 256)))
    left, right = numbers(rows, depth), numbers(depth, 256, seed=1)
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    machine = replace(machines.AVX512, l2_bytes=2 << 20, prefetch=True, l2_fills_use_load_ports=True)
    site = Site(machine, inputs, [buffer("c", c.dtype, c.shape)], [None, right], home=Home.CORE)
    body = tuple(matmul_template(a, b, c).build(site))
    together = [stmt for stmt in statements(body) if isinstance(stmt, For) and stmt.kind is LoopKind.UNROLLED]
    assert [int(one.extent.value) for one in together] == [4] * (rows == 1)
    asked = [
        stmt for stmt in statements(body) if isinstance(stmt, For) and isinstance(stmt.body[0], Prefetch)
    ]
    assert [int(one.extent.value) for one in asked] == [-(-depth // 16)] * (rows == 1)
    packed, content = site.packed[1]
    kernel = Kernel("k", (inputs[0], packed), site.outputs, body, tuple(site.workspaces))
    verify(kernel)
    result = np.zeros(rows * 256, np.float32)
    run(kernel, {"a": left.reshape(-1), packed.name: content.reshape(-1), "c": result})
    np.testing.assert_allclose(result.reshape(rows, 256), left @ right, rtol=1e-4, atol=1e-4)


def test_a_small_product_of_one_row_keeps_the_widest_panels():
    a, b, c = (TensorType(DType.FLOAT32, shape) for shape in ((1, 64), (64, 128), (1, 128)))
    inputs = [buffer("a", a.dtype, a.shape), buffer("b", b.dtype, b.shape)]
    site = Site(machines.AVX512, inputs, [buffer("c", c.dtype, c.shape)], [None, numbers(64, 128)])
    matmul_template(a, b, c).build(site)
    assert site.chosen["tile"] == "1x8"


@pytest.mark.parametrize("rows", [1, 31])
def test_a_long_epilogue_is_applied_to_every_result_once(rows):
    a, b = numbers(rows, 12), numbers(12, 70, seed=1)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["a", "b"], ["product"]),
            helper.make_node("Tanh", ["product"], ["t"]),
            helper.make_node("Add", ["t", "more"], ["y"]),
        ],
        "product",
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in (("a", a.shape), ("more", [rows, 70]))
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 70])],
        [numpy_helper.from_array(b, "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    artifacts = ingot.build(model, "llvmjit", name="product")
    assert len(artifacts.models()["product"].calls) == 1
    more = numbers(rows, 70, seed=2)
    got = artifacts.load()["product"](ingot.cpu(0)).predict(a=a, more=more)
    np.testing.assert_allclose(got, np.tanh(a @ b) + more, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("machine", "lanes"), [(machines.AVX2, {"16"}), (machines.AVX512, {"32"}), (machines.SCALARS, set())]
)
def test_vectors_of_a_row_go_through_a_long_epilogue_side_by_side(machine, lanes):
    nodes = "(float[12,64] a, float[64,64] b) => (float[12,64] y) { p = MatMul(a, b) y = Tanh(p) }"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> g {nodes}')
    program = schedule(fuse(to_draft(read_model(model), ALL)), machine)
    (call,) = program.calls
    assert set(re.findall(r"vector \w+ < (\d+) \{[^{}]*tanh", to_text(call.kernel))) == lanes
