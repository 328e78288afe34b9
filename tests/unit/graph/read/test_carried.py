"""Element types that kernels hold in others: what of a model is stored how, and what such values may be used for."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from ingot.base.tensor import DType, TensorType
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.onnx_text import parse

KINDS = {
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
}
COMPLEX = {"complex64": np.complex64, "complex128": np.complex128}


def numbers(shape: tuple[int, ...], kind: type) -> np.ndarray:
    random = np.random.default_rng(1)
    if np.dtype(kind).kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(kind)
    return random.integers(0, 2, shape).astype(kind)


def run(model: onnx.ModelProto, target: str = "interp", **inputs: np.ndarray) -> list[np.ndarray]:
    results = ingot.build(model, target, cache=None).load()["m"](ingot.cpu(0)).predict(**inputs)
    return list(results) if isinstance(results, tuple) else [results]


def same(result: np.ndarray, expected: np.ndarray) -> None:
    got = (
        result
        if expected.dtype.kind == "c"
        else result.astype(expected.dtype)
        if result.dtype.kind == "i"
        else result
    )
    assert got.shape == expected.shape
    if expected.dtype.isbuiltin == 1:
        np.testing.assert_array_equal(got, expected)
    else:
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers_are_moved_by_whatever_onnx_moves_them_with(name: str) -> None:
    x = numbers((3, 5), COMPLEX[name])
    model = parse(
        f"({name}[3, 5] x, int64[2] i, bool[10, 2] m) => ({name}[2, 2] s, {name}[6, 3, 2] e, int64 n)",
        """t = Transpose<perm=[1, 0]>(x) c = Concat<axis=0>(t, t) g = Gather<axis=1>(c, i)
        w = Where(m, g, g) p, q = Split<axis=0>(w, k) s = Slice(p, one, three) u = Unsqueeze(q, one) e = Expand(u, shape)
        n = Size(x)""",
    )
    for array, at in (([4, 6], "k"), ([1], "one"), ([3], "three"), ([6, 3, 2], "shape")):
        model.graph.initializer.append(numpy_helper.from_array(np.array(array), at))
    s, e, n = run(model, x=x, i=np.array([2, 0]), m=np.ones((10, 2), bool))
    whole = np.concatenate([x.T, x.T])[:, [2, 0]]
    same(s, whole[:4][1:3])
    same(e, np.broadcast_to(whole[4:][:, None], (6, 3, 2)))
    assert n == 15


@pytest.mark.parametrize("name", KINDS)
def test_codes_are_moved_by_whatever_onnx_moves_them_with(name: str) -> None:
    x = numbers((3, 5), KINDS[name])
    model = parse(
        f"({name}[3, 5] x) => ({name}[5, 3] t, {name}[1, 15] f, {name}[3, 7] p, {name}[5, 3] r, int64[2] s)",
        """t = Transpose<perm=[1, 0]>(x) u = Unsqueeze(x, one) f = Flatten<axis=0>(u) p = Pad(x, ends) r = Reshape(x, shape)
        s = Shape(x)""",
        25,
    )
    for array, at in (([1], "one"), ([0, 1, 0, 1], "ends"), ([5, 3], "shape")):
        model.graph.initializer.append(numpy_helper.from_array(np.array(array), at))
    t, f, p, r, s = run(model, x=x)
    same(t, np.ascontiguousarray(x.T))
    same(f, x.reshape(1, 15))
    zeros = np.zeros((3, 1), np.uint8).view(x.dtype)
    same(p, np.concatenate([zeros, x, zeros], axis=1))
    same(r, x.reshape(5, 3))
    assert s.tolist() == [3, 5]


@pytest.mark.parametrize("target", ["interp", "llvmjit", pytest.param("c", marks=pytest.mark.cc)])
@pytest.mark.parametrize("name", ["float6e2m3", "int2", "complex128"])
def test_tensors_that_fill_their_last_byte_in_part_go_in_and_out(name: str, target: str) -> None:
    kind = {"float6e2m3": ml_dtypes.float6_e2m3fn, "int2": ml_dtypes.int2, "complex128": np.complex128}[name]
    number = int(helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    x_info, z_info = (
        helper.make_tensor_value_info("x", number, [7]),
        helper.make_tensor_value_info("z", number, [9]),
    )
    weights = [numpy_helper.from_array(np.array([1, 1]), "ends")]
    nodes = [helper.make_node("Pad", ["x", "ends"], ["z"])]
    if name == "float6e2m3":  # of which ONNX allows conversions only
        nodes = [
            helper.make_node("Cast", ["x"], ["f"], to=onnx.TensorProto.FLOAT),
            helper.make_node("Pad", ["f", "ends"], ["g"]),
            helper.make_node("Cast", ["g"], ["z"], to=number),
        ]
    graph = helper.make_graph(nodes, "m", [x_info], [z_info], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13)
    x = np.arange(-2, 5).astype(kind) if name != "int2" else np.array([1, -2, 0, -1, 1, 1, -2]).astype(kind)
    (z,) = run(model, target, x=x)
    same(z, np.concatenate([np.zeros(1, kind), x, np.zeros(1, kind)]))


def test_weights_are_stored_packed() -> None:
    weights = numbers((6, 7), ml_dtypes.int4)
    model = parse("(float[6, 7] x) => (float[6, 7] y, int4[6, 7] z)", "y = Add(x, x) z = Identity(q)", 25)
    model.graph.initializer.append(numpy_helper.from_array(weights, "q"))
    draft = to_draft(read_model(model), ALL)
    assert draft.constants["q"].tobytes() == numpy_helper.from_array(weights).raw_data
    assert draft.types["z"] == TensorType(DType.UINT8, (21,)) and draft.stated("z") == TensorType(
        DType.INT4, (6, 7)
    )
    x = np.random.default_rng(0).uniform(-8, 8, (6, 7)).astype(np.float32)
    y, z = run(model, x=x)
    np.testing.assert_array_equal(y, x + x)
    same(z, weights)


def test_who_computes_with_a_type_that_kernels_lack_is_refused() -> None:
    complex_ = parse("(complex64[3] x, int64[1, 1] i) => (y)", 'y = ScatterND<reduction="add">(x, i, x1)')
    complex_.graph.initializer.append(numpy_helper.from_array(np.ones(1, np.complex64), "x1"))
    short = parse(
        "(float8e5m2[3, 3] x, float s, float8e5m2 z) => (float8e5m2[3, 3] y)",
        "y = QLinearMatMul(x, s, z, x, s, z, s, z)",
    )
    for model, name in ((complex_, "complex64"), (short, "float8e5m2")):
        with pytest.raises(
            UnsupportedError, match=f"{name} can be converted and moved, and this operator computes with it"
        ):
            ingot.build(model, "interp", cache=None)


def test_short_floats_are_asked_what_they_are() -> None:
    codes = np.arange(256).astype(np.uint8)
    model = parse("(float8e5m2[256] x) => (bool[256] n, bool[256] i)", "n = IsNaN(x) i = IsInf(x)", 25)
    n, i = run(model, x=codes)
    known = codes.view(ml_dtypes.float8_e5m2).astype(np.float32)
    np.testing.assert_array_equal(n, np.isnan(known))
    np.testing.assert_array_equal(i, np.isinf(known))


def test_codes_that_come_in_are_scaled_by_blocks_and_powers_of_two() -> None:
    """Microscaling as its formats are meant: elements of 4 bits, a scale of E8M0 for each block."""
    codes = np.arange(32).astype(np.uint8).reshape(2, 16) % 16
    powers = np.array([[127, 130], [120, 128]], np.uint8)
    model = parse(
        "(float4e2m1[2, 16] x, float8e8m0[2, 2] s) => (float[2, 16] y)",
        "y = DequantizeLinear<axis=1, block_size=8, output_dtype=1>(x, s)", 25,
    )  # fmt: skip
    (y,) = run(model, x=codes, s=powers)
    scale = np.repeat(powers.view(ml_dtypes.float8_e8m0fnu).astype(np.float32), 8, axis=1)
    np.testing.assert_array_equal(y, codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32) * scale)


@pytest.mark.parametrize(
    "kind", [ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn]
)
def test_numbers_become_codes_as_in_the_reference(kind: type) -> None:
    number = int(helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    model = parse(
        "(float[3, 8] x, float[3] s) => (y)", f"y = QuantizeLinear<axis=0, output_dtype={number}>(x, s)", 25
    )
    model.graph.output[0].type.tensor_type.elem_type = number
    x = np.random.default_rng(0).uniform(-9, 9, (3, 8)).astype(np.float32)
    scales = np.array([1, 0.5, 2], np.float32)
    (expected,) = ReferenceEvaluator(model).run(None, {"x": x, "s": scales})
    (y,) = run(model, x=x, s=scales)
    same(y, expected)


def test_inputs_are_bound_by_arrays_that_numpy_has() -> None:
    model = parse(
        "(int4[3] x, float8e5m2[3] f) => (float[3] y, float[3] g)", "y = Cast<to=1>(x) g = Cast<to=1>(f)", 25
    )
    x, f = np.array([-8, 0, 7], np.int8), np.array([60, 64, 188], np.uint8)
    executor = ingot.build(model, "interp", constants={"x": x, "f": f}, cache=None).load()["m"](ingot.cpu(0))
    y, g = executor.predict()
    assert (y.tolist(), g.tolist()) == ([-8, 0, 7], [1, 2, -1])
    with pytest.raises(ModelError, match=r"constants=\{'x': …\}: .*elements from -8 to 8; int4 has -8 to 7"):
        ingot.build(model, "interp", constants={"x": np.array([-8, 0, 8], np.int8)}, cache=None)


@pytest.mark.parametrize("name", ["uint2", "float8e8m0", "float4e2m1"])
def test_branches_and_loops_carry_codes(name: str) -> None:
    """They are written out as operators for which ONNX does not allow the type."""
    kind = KINDS[name]
    x = numbers((2, 2), kind)
    model = parse(
        f"(bool c, {name}[2, 2] x) => ({name}[2, 2] y, {name}[3, 4] z, {name}[2, 2] last)",
        f"""y = If (c) <then_branch = a () => ({name}[2, 2] t) {{ t = Transpose(x) }},
                else_branch = b () => ({name}[2, 2] e) {{ e = Identity(x) }}>
        last, z = Loop (n, yes, x) <body = l (int64 i, bool go, {name}[2, 2] v) => (bool on, {name}[2, 2] w, {name}[4] s)
            {{ on = Identity(go) w = Transpose(v) s = Reshape(v, four) }}>""",
        25,
    )
    for array, at in ((np.array(3), "n"), (np.array(True), "yes"), (np.array([4]), "four")):
        model.graph.initializer.append(numpy_helper.from_array(array, at))
    for condition in (True, False):
        y, z, last = run(model, c=np.array(condition), x=x)
        same(y, np.ascontiguousarray(x.T) if condition else x)
        same(z, np.stack([x.ravel(), x.T.ravel(), x.ravel()]))
        same(last, np.ascontiguousarray(x.T))


def test_codes_are_moved_by_operators_for_which_onnx_allows_numbers_only() -> None:
    model = parse(
        "(int4[2, 3] x, int64[2] i) => (int4[3, 3] y, int4[2, 2] z)",
        "z = Gather<axis=1>(x, i) s = Slice(x, a, b) y = Concat<axis=0>(s, x)",
    )
    model.graph.initializer.extend(
        [numpy_helper.from_array(np.array([at]), name) for at, name in ((1, "a"), (2, "b"))]
    )
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.int8)
    y, z = run(model, x=x, i=np.array([2, 0]))
    np.testing.assert_array_equal(y, np.concatenate([x[1:], x]))
    np.testing.assert_array_equal(z, x[:, [2, 0]])
