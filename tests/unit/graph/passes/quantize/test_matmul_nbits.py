"""Weights of 4 bits and in blocks: as ONNX writes them, and as tables that onnxruntime's quantiser makes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ingot
from ingot.base.errors import IngotError, UnsupportedError
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.contrib import agree, by_ingot, by_onnxruntime, contrib_node
from tests.support.models import model

RANDOM = np.random.default_rng(0)
TYPES = {
    "int4": (ml_dtypes.int4, -8),
    "uint4": (ml_dtypes.uint4, 0),
    "int8": (np.int8, -128),
    "uint8": (np.uint8, 0),
}


def tensor(name, array):
    array = np.asarray(array)
    if array.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
        kind = TensorProto.INT4 if array.dtype == ml_dtypes.int4 else TensorProto.UINT4
        codes = array.reshape(-1).astype(np.int8).astype(np.uint8) & 15
        codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
        return helper.make_tensor(
            name, kind, array.shape, (codes[::2] | codes[1::2] << 4).tobytes(), raw=True
        )
    return onnx.numpy_helper.from_array(array, name)


def network(kind, shape, scales, zero, tail, rows=3, **attributes):
    """`y = a · tail(DequantizeLinear(w))`, and an input."""
    dtype, least = TYPES[kind]
    span = 16 if kind.endswith("4") else 256
    weights = [
        tensor("w", np.asarray(RANDOM.integers(least, least + span, shape), dtype)),
        tensor("s", np.asarray(RANDOM.uniform(0.01, 0.03, scales), np.float32)),
    ]
    if zero:
        weights.append(tensor("z", np.asarray(RANDOM.integers(least, least + span, scales), dtype)))
    nodes = [
        helper.make_node(
            "DequantizeLinear", ["w", "s", *(["z"] if zero else [])], ["d"], name="dequantize", **attributes
        )
    ]
    nodes += [helper.make_node(op, [name if name != "d" else "d" for name in names], [out], name=f"n{out}", **more)
              for op, names, out, more in tail]  # fmt: skip
    depth = shape[1] if any(op == "Transpose" or more.get("transB") for op, _, _, more in tail) else shape[0]
    inputs = [helper.make_tensor_value_info("a", TensorProto.FLOAT, (rows, depth))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return proto, {"a": np.asarray(RANDOM.standard_normal((rows, depth)), np.float32)}


def operators(proto):
    return [node.op_type for node in prepare(read_model(proto), ALL).graph if node.op_type != "Identity"]


PLAIN = [("MatMul", ["a", "d"], "y", {})]
TURNED = [("Transpose", ["d"], "t", {"perm": [1, 0]}), ("MatMul", ["a", "t"], "y", {})]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize(
    ("shape", "scales", "attributes", "tail"),
    [((64, 24), (2, 24), {"axis": 0, "block_size": 32}, PLAIN), ((80, 24), (3, 24), {"axis": 0, "block_size": 32}, PLAIN),
     ((24, 64), (24, 4), {"axis": 1, "block_size": 16}, TURNED)],
)  # fmt: skip
def test_products_with_blocks_keep_their_codes(kind, zero, shape, scales, attributes, tail):
    proto, feeds = network(kind, shape, scales, zero, tail, **attributes)
    assert operators(proto) == ["MatMulNBits"]
    np.testing.assert_allclose(
        by_ingot(proto, feeds)[0], by_onnxruntime(proto, feeds)[0], rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("kind", [ml_dtypes.int2, ml_dtypes.uint2])
@pytest.mark.parametrize("zero", [False, True])
def test_products_with_blocks_of_2_bits_keep_their_codes(kind, zero):
    """80 places of depth are three blocks of 32, the last of which is not full. onnxruntime knows no such type."""
    low = -2 if kind is ml_dtypes.int2 else 0
    codes, zeros = (RANDOM.integers(low, low + 4, shape).astype(np.int32) for shape in ((80, 24), (3, 24)))
    scales = RANDOM.uniform(0.01, 0.03, (3, 24)).astype(np.float32)
    names = "w, s, z" if zero else "w, s"
    proto = model(
        f"g (float[3, 80] a) => (float[3, 24] y) {{ d = DequantizeLinear<axis = 0, block_size = 32>({names}) y = MatMul(a, d) }}",
        opset=25, ir_version=11,
    )  # fmt: skip
    arrays = {"w": codes.astype(kind), "s": scales, "z": zeros.astype(kind)}
    proto.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()
    )
    assert operators(proto) == ["MatMulNBits"]
    blocks = np.repeat(np.arange(3), 32)[:80]
    weights = (codes - (zeros[blocks] if zero else 0)) * scales[blocks]
    a = RANDOM.standard_normal((3, 80)).astype(np.float32)
    y = ingot.build(proto, "interp", cache=None).load()["g"](ingot.cpu(0)).predict(a=a)
    np.testing.assert_allclose(y, a @ weights, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["int4", "uint4"])
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize(
    ("shape", "scales", "attributes", "tail", "made"),
    [((64, 24), (24,), {"axis": 1}, PLAIN, ["MatMulNBits"]), ((24, 64), (24,), {"axis": 0}, TURNED, ["MatMulNBits"]),
     ((64, 24), (), {}, PLAIN, ["MatMulNBits"]), ((64, 24), (64, 2), {"axis": 1, "block_size": 12}, PLAIN, None),
     ((24, 64), (24, 2), {"axis": 1, "block_size": 32}, [("Gemm", ["a", "d"], "y", {"transB": 1})], None)],
)  # fmt: skip
def test_other_scales_and_readers_of_4_bits(kind, zero, shape, scales, attributes, tail, made):
    proto, feeds = network(kind, shape, scales, zero, tail, **attributes)
    assert made is None or operators(proto) == made
    np.testing.assert_allclose(
        by_ingot(proto, feeds)[0], by_onnxruntime(proto, feeds)[0], rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize(("shape", "scales"), [((64, 24), (7,)), ((0, 24), (24,)), ((16, 0), (0,))])
def test_scales_that_do_not_fit_and_empty_matrices_are_no_codes(shape, scales):
    """What is left is a DequantizeLinear, which is right or says what is wrong."""
    proto, feeds = network("int4", shape, scales, False, PLAIN, axis=1)
    if scales == (7,):
        with pytest.raises(IngotError, match="7"):
            ingot.build(proto, "interp")
        return
    np.testing.assert_array_equal(by_ingot(proto, feeds)[0], by_onnxruntime(proto, feeds)[0])


def test_an_axis_outside_is_refused():
    proto, _ = network("int4", (64, 24), (24,), False, PLAIN, axis=3)
    with pytest.raises(UnsupportedError, match="axis 3 is outside a tensor of rank 2"):
        ingot.build(proto, "interp")


def test_products_inside_a_branch_that_stays_are_refused_with_it():
    proto = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]> g (float[3,32] a, bool c) => (float[n,24] y) {
            d = DequantizeLinear<axis = 0, block_size = 16>(w, s)
            y = If(c) <then_branch = t () => (float[3,24] u) { u = MatMul(a, d) },
                else_branch = e () => (float[6,24] v) { q = MatMul(a, d) v = Concat<axis = 0>(q, q) }>
        }"""
    )
    proto.graph.initializer.append(tensor("w", np.asarray(RANDOM.integers(-8, 8, (32, 24)), ml_dtypes.int4)))
    proto.graph.initializer.append(tensor("s", np.full((2, 24), 0.01, np.float32)))
    with pytest.raises(UnsupportedError, match=r"\(If, opset 21\)"):
        ingot.build(proto, "interp")


def test_codes_of_4_bits_may_be_computed():
    body = "g (float[4] x) => (float[4] y) { q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }"
    proto = model(body, opset=21, ir_version=10)
    scale = onnx.numpy_helper.from_array(np.array(0.5, np.float32), "s")
    proto.graph.initializer.extend([scale, onnx.helper.make_tensor("z", onnx.TensorProto.INT4, (), [1])])
    y = (
        ingot.build(proto, "interp", cache=None)
        .load()["g"](ingot.cpu(0))
        .predict(x=np.array([-9, -0.3, 0.75, 9], np.float32))
    )
    assert y.tolist() == [-4.5, -0.5, 1, 3]


def test_codes_of_4_bits_may_come_in():
    proto = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]> g (int4[4] x, float s) => (float[4] y) { y = DequantizeLinear(x, s) }"""
    )
    executor = ingot.build(proto, "interp", cache=None).load()["g"](ingot.cpu(0))
    y = executor.predict(x=np.array([-8, -1, 0, 7], np.int8), s=np.array(0.5, np.float32))
    assert y.tolist() == [-4, -0.5, 0, 3.5]


# ─── rows of a table ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", [11, 21])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("width", [64, 48])
def test_rows_of_a_table_of_bytes(bits, zero, width, opset):
    each, blocks = 8 // bits, -(-width // 32)
    inputs = {
        "data": RANDOM.integers(0, 256, (10, width // each)).astype(np.uint8),
        "places": RANDOM.integers(0, 10, (2, 3)).astype(np.int64),
        "scales": np.asarray(RANDOM.uniform(0.01, 0.03, (10, blocks)), np.float32),
        "zeros": RANDOM.integers(0, 256, (10, -(-blocks // each))).astype(np.uint8) if zero else None,
    }
    agree(
        "GatherBlockQuantized",
        inputs,
        fed=["places"],
        opset=opset,
        bits=bits,
        block_size=32,
        gather_axis=0,
        quantize_axis=1,
    )


@pytest.mark.parametrize("kind", ["int4", "uint4"])
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize(("axis", "blocked"), [(0, 2), (0, 1), (1, 2), (1, 0), (2, 0)])
def test_rows_of_a_table_of_4_bits(kind, zero, axis, blocked):
    dtype, least = TYPES[kind]
    shape, scales = [6, 20, 32], [6, 20, 32]
    scales[blocked] = -(-shape[blocked] // 16)
    inputs = {"data": None, "places": np.array([[1, 3], [0, 5]], np.int64), "scales": None}
    proto = contrib_node(
        "GatherBlockQuantized", {"data": np.zeros(1, np.float32), "places": inputs["places"], "scales": np.zeros(1, np.float32),
        "zeros": np.zeros(1, np.float32) if zero else None}, fed=["places"], opset=21,
        block_size=16, gather_axis=axis, quantize_axis=blocked,
    )  # fmt: skip
    del proto.graph.initializer[:]
    proto.graph.initializer.append(
        tensor("data", np.asarray(RANDOM.integers(least, least + 16, shape), dtype))
    )
    proto.graph.initializer.append(
        tensor("scales", np.asarray(RANDOM.uniform(0.01, 0.03, scales), np.float32))
    )
    if zero:
        proto.graph.initializer.append(
            tensor("zeros", np.asarray(RANDOM.integers(least, least + 16, scales), dtype))
        )
    feeds = {"places": inputs["places"]}
    expected = by_onnxruntime(proto, feeds)[0]
    if axis == 2:  # values that share a byte lie along this axis
        with pytest.raises(UnsupportedError, match="values that share a byte lie along gather_axis"):
            ingot.build(proto, "interp")
        return
    np.testing.assert_allclose(by_ingot(proto, feeds)[0], expected, rtol=1e-5, atol=1e-6)
