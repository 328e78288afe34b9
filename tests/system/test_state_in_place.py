"""Caches of a fixed capacity: a step writes what it adds into the memory where the state lies."""

from __future__ import annotations

import math

import numpy as np
import onnx
import pytest
from onnx import helper

import ingot
from ingot.loops.analyse.accesses import accesses
from ingot.loops.parse import from_text
from tests.support.kernel_llvm import needs_cc

SILENT = ingot.Observer(on_note=lambda _: None)
DOMAINS = [helper.make_opsetid("", 24), helper.make_opsetid("com.microsoft", 1)]


def model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 24]> m {text}')


def executor(proto: onnx.ModelProto, target: str = "interp", **options: object) -> ingot.Executor:
    options = {"state": "auto", "cache": None, "observer": SILENT, **options}
    return ingot.build(proto, target, **options).load()["m"]()


def axes(stream: ingot.Executor) -> dict[str, int | None]:
    return {state.input: state.axis for state in stream._info.states}


def stores(proto: onnx.ModelProto) -> int:
    """How many elements the kernels of a model write in a step."""
    artifacts = ingot.build(proto, "interp", state="auto", cache=None, observer=SILENT)
    kernels = [
        from_text(bytes(each.content).decode()) for each in artifacts if each.file_name.endswith(".loops")
    ]
    loops = [access.loops for kernel in kernels for access in accesses(kernel) if access.is_store]
    return sum(math.prod(int(loop.extent.value) for loop in around) for around in loops)


def scattered(mode: str, capacity: int = 6) -> onnx.ModelProto:
    return model(
        f"""(float[2, 2, 3] x, float[2, {capacity}, 3] h, int64[2] at) => (float[1] y, float[2, {capacity}, 3] h_next)
        <int64[3] starts = {{0, 0, 0}}, int64[3] ends = {{1, 1, 1}}, int64[1] one = {{1}}>
        {{ h_next = TensorScatter <mode = "{mode}", axis = 1> (h, x, at)
        first = Slice(h_next, starts, ends) y = Reshape(first, one) }}"""
    )


@pytest.mark.parametrize(
    ("mode", "starts"), [("linear", [(0, 2), (2, 0), (4, 4)]), ("circular", [(0, 5), (5, 1), (-1, 7)])]
)
@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_a_scattered_update_changes_its_rows_and_no_others(
    mode: str, starts: list[tuple[int, int]], target: str
) -> None:
    stream, random = executor(scattered(mode), target), np.random.default_rng(0)
    assert axes(stream) == {"h": 1}
    cache = random.standard_normal((2, 6, 3), np.float32)
    stream.set_state(h=cache)
    for at in starts:
        x = random.standard_normal((2, 2, 3), np.float32)
        for batch, first in enumerate(at):
            cache[batch, [(first + row) % 6 for row in range(2)]] = x[batch]
        assert stream.predict(x=x, at=np.int64(at)) == cache[0, 0, 0]
        np.testing.assert_array_equal(stream.state()["h"], cache)


def test_what_a_step_writes_does_not_grow_with_the_capacity() -> None:
    few, many = (stores(scattered("linear", capacity)) for capacity in (8, 32768))
    assert few == many == 2 * 2 * 3 + 1


@pytest.mark.parametrize("wide", ["scatter_nd", "scatter_elements", "sum"])
def test_scatters_write_into_a_state(wide: str) -> None:
    nodes = {
        "scatter_nd": "h_next = ScatterND(h, at, x)",
        "scatter_elements": "h_next = ScatterElements <axis = 0> (h, wide, x)",
        "sum": 'h_next = ScatterND <reduction = "add"> (h, at, x)',
    }
    stream = executor(
        model(
            f"""(float[2, 3] x, float[50, 3] h, int64[2, 1] at) => (float[50] y, float[50, 3] h_next)
            <int64[1] axes = {{1}}, int64[2] shape = {{2, 3}}>
            {{ wide = Expand(at, shape) {nodes[wide]} y = ReduceSum <keepdims = 0> (h_next, axes) }}"""
        )
    )
    assert axes(stream) == {"h": 0}
    expected, random = np.zeros((50, 3), np.float32), np.random.default_rng(1)
    for _ in range(4):
        x, at = random.standard_normal((2, 3), np.float32), random.permutation(50)[:2]
        expected[at] = expected[at] + x if wide == "sum" else x
        result = stream.predict(x=x, at=at.reshape(2, 1))
        np.testing.assert_allclose(result, expected.sum(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(stream.state()["h"], expected)


MASKED = """(float[1, 3] x, float[8, 3] h, int64[1] at) => (float[8, 3] y, float[8, 3] h_next)
    <int64[8, 1] places = {0, 1, 2, 3, 4, 5, 6, 7}>
    { is_new = Equal(places, at) h_next = Where(is_new, x, h) y = Neg(SOURCE) }"""


def test_a_row_that_is_chosen_by_its_number_is_written_alone() -> None:
    stream = executor(model(MASKED.replace("SOURCE", "h_next")))
    assert axes(stream) == {"h": 0}
    expected = np.zeros((8, 3), np.float32)
    for at in (3, 7, 3, 12):
        x = np.full((1, 3), at, np.float32)
        if at < 8:
            expected[at] = at
        np.testing.assert_array_equal(stream.predict(x=x, at=np.int64([at])), -expected)


@pytest.mark.parametrize(
    "text",
    [
        MASKED.replace("SOURCE", "h"),  # the old state is read elsewhere
        MASKED.replace("SOURCE", "h_next").replace("2, 3, 4,", "2, 4, 3,"),  # places in no order
        MASKED.replace("SOURCE", "h_next").replace("Where(is_new, x, h)", "Where(is_new, h, x)"),
    ],
)
def test_a_state_that_cannot_be_shown_to_be_changed_in_its_place_is_copied(text: str) -> None:
    stream = executor(model(text))
    assert axes(stream) == {"h": None}
    evaluator = onnx.reference.ReferenceEvaluator(model(text))
    h = np.zeros((8, 3), np.float32)
    for at in (3, 7, 4):
        x = np.full((1, 3), at, np.float32)
        y, h = evaluator.run(None, {"x": x, "h": h, "at": np.int64([at])})
        np.testing.assert_array_equal(stream.predict(x=x, at=np.int64([at])), y)
    np.testing.assert_array_equal(stream.state()["h"], h)


def test_a_large_state_is_right_however_it_is_run() -> None:
    text = MASKED.replace("8, 3", "4096, 3").replace("[1, 3]", "[1, 3]").replace("float[8", "float[4096")
    text = text.replace("int64[8, 1] places = {0, 1, 2, 3, 4, 5, 6, 7}", "int64[1] last = {-1}").replace(
        "is_new = Equal(places, at)",
        "range = Range(zero, size, one) places = Reshape(range, shape) is_new = Equal(places, at)",
    )
    text = text.replace(
        "<int64[1] last = {-1}>",
        "<int64 zero = {0}, int64 size = {4096}, int64 one = {1}, int64[2] shape = {4096, 1}>",
    )
    for kind in ("aot", "graph"):
        stream = executor(model(text.replace("SOURCE", "h_next")), "llvmjit", executor=kind)
        assert axes(stream) == {"h": 0}
        expected = np.zeros((4096, 3), np.float32)
        for step, at in enumerate((1, 4095, 7, 1)):
            given = {"x": np.full((1, 3), step + 1, np.float32), "at": np.int64([at])}
            expected[at] = step + 1
            if step == 0:
                result = stream.predict(given)
            elif step == 1:
                result = stream.predict(given, out=np.empty((4096, 3), np.float32))
            else:
                stream.set_input(given)
                stream.run()
                result = stream.get_output("y")
            np.testing.assert_array_equal(result, -expected)
        before = stream.state()["h"]
        stream.profile(given, repeat=2)
        branch = stream.fork()
        branch.predict({**given, "at": np.int64([9])})
        np.testing.assert_array_equal(stream.state()["h"], before)
        if kind == "graph":
            np.testing.assert_array_equal(stream.values()["h_next"], expected)
        stream.reset()
        assert not stream.state()["h"].any()
        with pytest.raises(ingot.InputError, match=r"missing input at: int64\[1\]$"):
            stream.predict(x=given["x"])


def grouped(capacity: int, rows: int, batch: int = 1) -> onnx.ModelProto:
    """GroupQueryAttention of 4 heads of 16 elements that share 2 heads of keys, with a cache of fixed capacity."""
    real = onnx.TensorProto.FLOAT
    ends = [("q", [batch, rows, 64]), ("k", [batch, rows, 32]), ("v", [batch, rows, 32])]
    cache = [batch, 2, capacity, 16]
    inputs = [helper.make_tensor_value_info(name, real, shape) for name, shape in ends]
    inputs += [
        helper.make_tensor_value_info(f"past_key_values.0.{part}", real, cache) for part in ("key", "value")
    ]
    inputs += [
        helper.make_tensor_value_info(name, onnx.TensorProto.INT32, [size])
        for name, size in (("seqlens_k", batch), ("total", 1))
    ]
    outputs = [helper.make_tensor_value_info("y", real, [batch, rows, 64])]
    outputs += [helper.make_tensor_value_info(f"present.0.{part}", real, cache) for part in ("key", "value")]
    angles = np.arange(capacity)[:, None] / 100 ** (np.arange(8) / 8)
    tables = [
        onnx.numpy_helper.from_array(table.astype(np.float32), name)
        for name, table in (("cos", np.cos(angles)), ("sin", np.sin(angles)))
    ]
    node = helper.make_node(
        "GroupQueryAttention",
        [*(value.name for value in inputs), "cos", "sin"],
        [value.name for value in outputs],
        domain="com.microsoft",
        num_heads=4,
        kv_num_heads=2,
        do_rotary=1,
    )
    graph = helper.make_graph([node], "m", inputs, outputs, tables)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), DOMAINS[1]], ir_version=9)


@pytest.mark.parametrize(
    ("rows", "batch", "target"),
    [(1, 1, "llvmjit"), (1, 2, "interp"), (4, 1, "llvmjit"), pytest.param(1, 1, "c", marks=needs_cc)],
)
def test_fifty_steps_of_attention_with_a_cache_equal_onnxruntime(rows: int, batch: int, target: str) -> None:
    runtime = pytest.importorskip("onnxruntime")
    capacity = 50 * rows if target == "llvmjit" else 12
    proto = grouped(capacity, rows, batch)
    stream, session = executor(proto, target), runtime.InferenceSession(proto.SerializeToString())
    assert axes(stream) == {"past_key_values.0.key": 2, "past_key_values.0.value": 2}
    random = np.random.default_rng(2)
    kept = {name: np.zeros((batch, 2, capacity, 16), np.float32) for name in axes(stream)}
    for step in range(capacity // rows):
        given = {
            name: random.standard_normal((batch, rows, size), np.float32)
            for name, size in (("q", 64), ("k", 32), ("v", 32))
        }
        filled = (step + 1) * rows
        given |= {"seqlens_k": np.full(batch, filled - 1, np.int32), "total": np.int32([filled])}
        expected, *new = session.run(None, {**given, **kept})
        kept = dict(zip(kept, new, strict=True))
        np.testing.assert_allclose(stream.predict(given), expected, rtol=1e-4, atol=1e-5)
    for name, array in stream.state().items():
        np.testing.assert_allclose(array, kept[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_a_fork_has_a_cache_of_its_own(kind: str) -> None:
    stream, ones = executor(scattered("linear"), executor=kind), np.ones((2, 2, 3), np.float32)
    stream.predict(x=ones, at=np.int64([0, 0]))
    branch = stream.fork()
    before = stream.state()["h"]
    branch.predict(x=ones * 2, at=np.int64([0, 0]))
    np.testing.assert_array_equal(stream.state()["h"], before)
    after = branch.state()["h"]
    stream.predict(x=ones * 3, at=np.int64([2, 2]))
    np.testing.assert_array_equal(branch.state()["h"], after)
    np.testing.assert_array_equal(after, np.concatenate([ones * 2, before[:, 2:]], axis=1))
