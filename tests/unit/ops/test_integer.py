"""Convolutions and matrix products of 8-bit codes against sums in int64 and the stated rule of requantisation."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.blocks.dot_block import factors, starts
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.int8 import qmatmul_template
from ingot.kernels.matmul.int8_dynamic import dynamic_product
from ingot.kernels.template import Site, Template
from ingot.loops.nodes import For, LoopKind, buffer
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from tests.kernels.templates import run_template, template_kernel
from tests.support import machines
from tests.support.kernel_llvm import assembly

CODES = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}


def single(
    op: str, x: np.ndarray, constants: dict[str, np.ndarray], result: int, **attributes: object
) -> ModelProto:
    """One node with `x` as its input and all others constant."""
    node = helper.make_node(op, ["x", *constants], ["y"], **attributes)
    graph = helper.make_graph(
        [node],
        "single",
        [helper.make_tensor_value_info("x", CODES[x.dtype], x.shape)],
        [helper.make_tensor_value_info("y", result, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def run(model: ModelProto, x: np.ndarray) -> np.ndarray:
    """The answer of the whole journey, by the interpreter."""
    library = ingot.build(model, "interp", name="single").load()
    return np.asarray(library["single"](ingot.cpu(0)).predict({"x": x}))


def codes(rng: np.random.Generator, dtype: type, *shape: int) -> np.ndarray:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def convolved(x: np.ndarray, w: np.ndarray, stride: int, pad: int, dilation: int, group: int) -> np.ndarray:
    """Sums in int64 over codes without their zero points; outside of the input they are 0."""
    x = np.pad(x.astype(np.int64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    outputs, depth, *kernel = w.shape
    height, width = ((x.shape[2 + a] - (kernel[a] - 1) * dilation - 1) // stride + 1 for a in (0, 1))
    y = np.zeros((x.shape[0], outputs, height, width), np.int64)
    for m, (i, j) in itertools.product(range(outputs), itertools.product(*map(range, kernel))):
        first = m // (outputs // group) * depth
        rows = slice(i * dilation, i * dilation + (height - 1) * stride + 1, stride)
        columns = slice(j * dilation, j * dilation + (width - 1) * stride + 1, stride)
        y[:, m] += np.einsum(
            "nchw,c->nhw", x[:, first : first + depth, rows, columns], w[m, :, i, j].astype(np.int64)
        )
    return y


def requantised(sums: np.ndarray, multiplier: np.ndarray, zero_point: np.ndarray) -> np.ndarray:
    """The rule: in float32, half to even, saturated."""
    limits = np.iinfo(zero_point.dtype)
    rounded = np.rint(sums.astype(np.int32).astype(np.float32) * multiplier.astype(np.float32)) + np.float32(
        zero_point
    )
    return np.clip(rounded, limits.min, limits.max).astype(zero_point.dtype)


# channels, output channels, height, width, kernel, stride, padding, dilation, groups
SHAPES = {
    "words of whole pixels": (8, 20, 6, 9, 3, 1, 0, 1, 1),
    "padded": (8, 20, 6, 9, 3, 1, 1, 1, 1),
    "three channels": (3, 5, 7, 8, 3, 2, 1, 1, 1),
    "one channel": (1, 17, 7, 8, 4, 1, 0, 1, 1),
    "few channels, dilated": (5, 3, 9, 8, 3, 1, 2, 2, 1),
    "a matrix product": (16, 33, 5, 4, 1, 1, 0, 1, 1),
    "a matrix product with half words": (6, 7, 5, 4, 1, 1, 0, 1, 1),
    "groups of half words": (12, 8, 6, 5, 3, 1, 1, 1, 2),
    "depthwise": (19, 19, 6, 9, 3, 1, 1, 1, 19),
    "depthwise without padding": (4, 4, 6, 9, 3, 2, 0, 1, 4),
    "two filters a channel": (5, 10, 6, 5, 3, 1, 1, 1, 5),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_convolution_of_codes_is_exact_and_requantised_by_the_rule(
    shape: tuple[int, ...], dtype: type
) -> None:
    channels, outputs, height, width, kernel, stride, pad, dilation, group = shape
    rng = np.random.default_rng(channels)
    x, w = (
        codes(rng, dtype, 2, channels, height, width),
        codes(rng, np.int8, outputs, channels // group, kernel, kernel),
    )
    zero, scale = np.array(3, dtype), np.float32(0.02)
    w_scale = rng.uniform(0.001, 0.01, outputs).astype(np.float32)
    bias = rng.integers(-(2**14), 2**14, outputs).astype(np.int32)
    y_scale, y_zero = np.float32(0.5), np.array(7, dtype)
    constants = {
        "xs": scale, "xz": zero, "w": w, "ws": w_scale, "wz": np.zeros(outputs, np.int8), "ys": y_scale, "yz": y_zero, "b": bias
    }  # fmt: skip
    model = single(
        "QLinearConv",
        x,
        {name: np.asarray(array) for name, array in constants.items()},
        CODES[x.dtype],
        strides=[stride] * 2,
        pads=[pad] * 4,
        dilations=[dilation] * 2,
        group=group,
    )
    sums = convolved(x.astype(np.int64) - int(zero), w, stride, pad, dilation, group) + bias.reshape(
        1, -1, 1, 1
    )
    expected = requantised(sums, (scale * w_scale / y_scale).reshape(1, -1, 1, 1), y_zero)
    assert len(np.unique(expected)) > 10
    np.testing.assert_array_equal(run(model, x), expected)


def test_a_bias_that_only_a_call_gives_is_added_to_the_sums() -> None:
    rng = np.random.default_rng(5)
    x, w = codes(rng, np.uint8, 1, 4, 5, 6), codes(rng, np.int8, 6, 4, 3, 3)
    constants = {
        "xs": np.float32(0.02), "xz": np.uint8(3), "w": w, "ws": np.float32(0.01), "wz": np.int8(0), "ys": np.float32(0.5),
        "yz": np.uint8(7), "b": np.zeros(6, np.int32),
    }  # fmt: skip
    model = single(
        "QLinearConv", x, {name: np.asarray(array) for name, array in constants.items()}, TensorProto.UINT8
    )
    del model.graph.initializer[-1]
    model.graph.input.append(helper.make_tensor_value_info("b", TensorProto.INT32, (6,)))
    bias = rng.integers(-(2**14), 2**14, 6).astype(np.int32)
    got = ingot.build(model, "interp", name="single").load()["single"](ingot.cpu(0)).predict(x=x, b=bias)
    sums = convolved(x.astype(np.int64) - 3, w, 1, 0, 1, 1) + bias.reshape(1, -1, 1, 1)
    multiplier = constants["xs"] * constants["ws"] / constants["ys"]
    np.testing.assert_array_equal(got, requantised(sums, np.asarray(multiplier), constants["yz"]))


@pytest.mark.parametrize("zero", [0, 128, 131, 255])
def test_unsigned_weights_are_taken_with_any_zero_point(zero: int) -> None:
    rng = np.random.default_rng(zero)
    x, w = codes(rng, np.uint8, 1, 4, 5, 6), codes(rng, np.uint8, 6, 4, 3, 3)
    model = single(
        "ConvInteger",
        x,
        {"w": w, "xz": np.array(9, np.uint8), "wz": np.array(zero, np.uint8)},
        TensorProto.INT32,
        pads=[1] * 4,
    )
    expected = convolved(x.astype(np.int64) - 9, w.astype(np.int64) - zero, 1, 1, 1, 1)
    np.testing.assert_array_equal(run(model, x), expected)


@pytest.mark.parametrize("shape", [(5, 7, 9), (1, 8, 33), (40, 12, 16), (2, 3, 1)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_product_of_codes_is_exact(shape: tuple[int, int, int], dtype: type) -> None:
    rows, depth, columns = shape
    rng = np.random.default_rng(depth)
    x, w = codes(rng, dtype, 2, rows, depth), codes(rng, np.int8, depth, columns)
    constants = {
        "w": w,
        "xz": np.array(-5 if dtype is np.int8 else 5, dtype),
        "wz": np.zeros(columns, np.int8),
    }
    sums = (x.astype(np.int64) - int(constants["xz"])) @ w.astype(np.int64)
    np.testing.assert_array_equal(run(single("MatMulInteger", x, constants, TensorProto.INT32), x), sums)
    scales = {
        "xs": np.float32(0.1),
        "ws": rng.uniform(0.01, 0.1, columns).astype(np.float32),
        "ys": np.float32(7.0),
    }
    given = [
        scales["xs"],
        constants["xz"],
        w,
        scales["ws"],
        constants["wz"],
        scales["ys"],
        np.array(1, dtype),
    ]
    names = dict(zip(("xs", "xz", "w", "ws", "wz", "ys", "yz"), map(np.asarray, given), strict=True))
    got = run(single("QLinearMatMul", x, names, CODES[x.dtype]), x)
    np.testing.assert_array_equal(
        got, requantised(sums, scales["xs"] * scales["ws"] / scales["ys"], names["yz"])
    )


def test_sums_do_not_saturate_where_pairs_of_products_would() -> None:
    x, w = np.full((1, 64), 255, np.uint8), np.full((64, 16), 127, np.int8)
    model = single("MatMulInteger", x, {"w": w}, TensorProto.INT32)
    np.testing.assert_array_equal(run(model, x), np.full((1, 16), 64 * 255 * 127))


def test_halves_are_rounded_to_even() -> None:
    x, one = np.arange(-4, 4, dtype=np.int8).reshape(8, 1), np.ones((1, 1), np.int8)
    names = ["xs", "xz", "w", "ws", "wz", "ys", "yz"]
    given = [np.float32(0.5), np.int8(0), one, np.float32(1.0), np.int8(0), np.float32(1.0), np.int8(0)]
    model = single(
        "QLinearMatMul", x, dict(zip(names, map(np.asarray, given), strict=True)), TensorProto.INT8
    )
    np.testing.assert_array_equal(run(model, x).ravel(), [-2, -2, -1, 0, 0, 0, 1, 2])


@pytest.mark.parametrize(
    "target", ["interp", pytest.param("c", marks=pytest.mark.cc), "llvm -mcpu=native", "llvm -mcpu=generic"]
)
@pytest.mark.parametrize("scale", [2.0**-23, 0.5, 0.75, 1e4])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_the_greatest_sums_saturate_whatever_they_are_multiplied_by(
    dtype: type, scale: float, target: str
) -> None:
    bias = np.array(
        [-(2**31), -(2**31) + 127, -300, -1, 0, 1, 2, 3, 300, 2**24 + 1, 2**30, 2**31 - 1] * 3, np.int32
    )
    x, w = np.zeros((1, 4, 3, 5), dtype), np.ones((len(bias), 4, 1, 1), np.int8)
    zero = np.array(7, dtype)
    constants = {
        "xs": np.float32(scale), "xz": np.array(0, dtype), "w": w, "ws": np.float32(1), "wz": np.int8(0), "ys": np.float32(1),
        "yz": zero, "b": bias,
    }  # fmt: skip
    model = single(
        "QLinearConv", x, {name: np.asarray(array) for name, array in constants.items()}, CODES[x.dtype]
    )
    library = ingot.build(model, target, name="single").load()
    got = np.asarray(library["single"](ingot.cpu(0)).predict({"x": x}))
    expected = requantised(bias.astype(np.int64), np.array(scale), zero)
    np.testing.assert_array_equal(got, np.broadcast_to(expected.reshape(1, -1, 1, 1), got.shape))


WORDS = replace(machines.VECTORS, dot_i8x4=True)
PAIRS = replace(machines.VECTORS, dot_i16x2=True, prefetch=True)
# As Arm has them: dot products of signed bytes, or none.
SIGNED = replace(machines.NEON, dot_i8x4=True, dot_i8x4_signed=True, prefetch=True)
# The last one takes words in halves, if no column has two weights of -128.
FACTORS = pytest.mark.parametrize(
    ("machine", "least"),
    [(PAIRS, -128), (SIGNED, -128), (machines.NEON, -128), (machines.NEON, -127)],
    ids=["pairs", "signed words", "single codes", "split words"],
)


@pytest.mark.parametrize(
    "shape", [shape for name, shape in SHAPES.items() if not name.startswith("depthwise")]
)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("order", [None, (0, 2, 3, 1)], ids=["rows of pixels", "channels last"])
@FACTORS
def test_a_convolution_by_other_factors_is_exact(
    shape: tuple[int, ...], dtype: type, machine: Machine, least: int, order: tuple[int, ...] | None
) -> None:
    channels, outputs, height, width, kernel, stride, pad, dilation, group = shape
    rng = np.random.default_rng(channels)
    x, w = (
        codes(rng, dtype, 2, channels, height, width),
        codes(rng, np.int8, outputs, channels // group, kernel, kernel),
    )
    ends = np.iinfo(dtype)
    x[0] = np.where(
        x[0] > 0, ends.max, ends.min
    )  # with the ends of the weights: what saturates where halves are added
    w[::2] = np.where(w[::2] > 0, 127, least)
    w = np.maximum(w, least)
    w.reshape(outputs, -1)[:, -1] = -128  # one in a row fits with all others
    zero, bias = 3, rng.integers(-(2**20), 2**20, outputs).astype(np.int32)
    out = convolved(x, w, stride, pad, dilation, group).shape[2:]
    spec = ConvSpec(
        TensorType(DType.from_numpy(x.dtype), x.shape),
        TensorType(DType.INT8, w.shape),
        TensorType(DType.INT32, (2, outputs, *out)),
        (kernel,) * 2, (stride,) * 2, (dilation,) * 2, (pad,) * 2, (pad,) * 2, group,
    )  # fmt: skip
    begin = starts(w, zero, spec.x.dtype, bias)
    orders = {} if order is None else {"in0": order, "out0": order}
    template = qconv_template(spec, zero)
    (got,) = run_template(template, x, w, begin, machine=machine, known=(1, 2), orders=orders)
    expected = convolved(x.astype(np.int64) - zero, w, stride, pad, dilation, group) + bias.reshape(
        1, -1, 1, 1
    )
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("shape", [(5, 7, 9), (1, 8, 33), (40, 12, 16), (2, 3, 1), (4, 22, 8)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@FACTORS
def test_a_product_by_other_factors_is_exact(
    shape: tuple[int, int, int], dtype: type, machine: Machine, least: int
) -> None:
    rows, depth, columns = shape
    rng = np.random.default_rng(depth)
    x, w = codes(rng, dtype, rows, depth), np.maximum(codes(rng, np.int8, depth, columns), least)
    x[0], x[-1], w[:, 0], w[:, -1] = np.iinfo(dtype).max, np.iinfo(dtype).min, 127, least
    w[0] = -128
    a, b = (TensorType(DType.from_numpy(one.dtype), one.shape) for one in (x, w))
    begin = starts(w.T, 5, a.dtype)
    (got,) = run_template(qmatmul_template(a, b), x, w, begin, machine=machine, known=(1, 2))
    np.testing.assert_array_equal(got, (x.astype(np.int64) - 5) @ w.astype(np.int64))


def test_weights_for_pairs_are_bytes_that_are_filled_to_whole_pairs_only() -> None:
    weights = np.arange(1, 13, dtype=np.int8).reshape(4, 3)
    packed = factors(PAIRS).pack(weights, 4)
    assert packed.dtype == np.int8
    np.testing.assert_array_equal(packed, [[[1, 2, 4, 5, 7, 8, 10, 11], [3, 0, 6, 0, 9, 0, 12, 0]]])
    assert factors(machines.VECTORS).pack(weights, 4).dtype == np.int32
    np.testing.assert_array_equal(
        factors(machines.NEON).pack(weights, 4), [[[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]]]
    )


def test_split_words_are_the_halves_of_all_columns_one_after_the_other() -> None:
    weights = np.arange(1, 13, dtype=np.int8).reshape(2, 6)
    packed = factors(machines.NEON, weights).pack(weights, 2)
    assert packed.dtype == np.int16
    np.testing.assert_array_equal(
        packed.view(np.int8), [[[1, 2, 7, 8, 3, 4, 9, 10], [5, 6, 11, 12, 0, 0, 0, 0]]]
    )


def test_words_are_not_split_where_two_products_may_not_fit_sixteen_bits() -> None:
    weights = np.zeros((3, 2, 3, 3), np.int8)
    weights[:, 1, 2, 2] = -128
    assert factors(machines.NEON, weights).split
    weights[1, 0] = -128
    assert not factors(machines.NEON, weights).split and not factors(machines.NEON).split
    assert not factors(SIGNED, np.zeros((1, 4), np.int8)).split


@pytest.mark.parametrize(
    ("cpu", "dot"), [("neoverse-n1", "sdot"), ("cortex-a55", "sdot"), ("neoverse-v1", "sudot")]
)
def test_dot_products_of_arm_take_a_lane_and_leave_the_signs_to_who_copies(cpu: str, dot: str) -> None:
    machine = SIGNED if dot == "sdot" else replace(SIGNED, dot_i8x4_signed=False)
    x, w = (
        codes(np.random.default_rng(1), np.uint8, 60, 130),
        codes(np.random.default_rng(2), np.int8, 130, 64),
    )
    template = qmatmul_template(*(TensorType(DType.from_numpy(one.dtype), one.shape) for one in (x, w)))
    kernel, _ = template_kernel(template, x, w, starts(w.T, 5, DType.UINT8), machine=machine, known=(1, 2))
    text = assembly(kernel, f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}")
    pieces = re.split(r"^\.L\w+:|^\tb[.\w]*\t.*$", text, flags=re.MULTILINE)
    blocks = [piece for piece in pieces if piece.count(f"\t{dot}\t") >= 48]
    assert blocks
    for block in blocks:
        assert {len(re.findall(rf"{dot}\t.*\.4b\[{lane}\]", block)) for lane in range(4)} == {
            block.count(f"\t{dot}\t") // 4
        }
        assert not re.search(r"\teor\tv|ld1r|\tshl\t", block)


def without_dot_products(least: int) -> str:
    """Assembly of a product, with weights of at least so much, for a processor that has none."""
    x, w = (
        codes(np.random.default_rng(1), np.uint8, 60, 1536),
        codes(np.random.default_rng(2), np.int8, 1536, 64),
    )
    w = np.maximum(w, least).astype(np.int8)
    template = qmatmul_template(*(TensorType(DType.from_numpy(one.dtype), one.shape) for one in (x, w)))
    kernel, _ = template_kernel(
        template, x, w, starts(w.T, 5, DType.UINT8), machine=machines.NEON, known=(1, 2)
    )
    return assembly(kernel, "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")


def test_two_products_of_codes_are_added_in_sixteen_bits_where_there_are_no_dot_products() -> None:
    text = without_dot_products(least=-127)
    blocks = re.split(r"^\.L\w+:|^\tb[.\w]*\t.*$", text, flags=re.MULTILINE)
    (block,) = (
        one for one in blocks if one.count("\tsadalp\t") == 48
    )  # four steps of 3 rows by 4 vectors, or 4 by 3
    assert block.count("\tsmull\t") == block.count("\tsmlal\t") == 48
    assert len(re.findall(r"\tdup\tv\d+\.4h, v\d+\.h\[[0-7]\]", block)) in (3 * 8, 4 * 8)
    assert block.count("[sp") <= 4  # LLVM once put all products on the stack before it added them


def test_codes_with_weights_too_large_for_that_are_widened_once_and_multiplied_by_a_lane() -> None:
    text = without_dot_products(least=-128)
    assert len(re.findall(r"smlal2?\tv\d+\.4s, v\d+\.[48]h, v\d+\.h\[[0-3]\]", text)) >= 48
    assert not re.search(r"\tmla\tv\d+\.4s", text)


@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS, PAIRS, SIGNED, machines.NEON])
@pytest.mark.parametrize(("a_type", "b_type"), list(itertools.product((np.uint8, np.int8), repeat=2)))
@pytest.mark.parametrize(
    ("a_shape", "b_shape", "order"),
    [
        ((5, 7), (7, 9), None),
        ((2, 9, 8), (2, 8, 5), None),
        ((2, 1, 3, 6), (3, 6, 2), None),
        ((3, 8), (8, 6), (1, 0)),
    ],
)
def test_products_of_two_fed_operands_are_exact(
    a_type: type,
    b_type: type,
    a_shape: tuple[int, ...],
    b_shape: tuple[int, ...],
    order: tuple[int, ...] | None,
    machine: Machine,
) -> None:
    rng = np.random.default_rng(11)
    a, b = codes(rng, a_type, *a_shape), codes(rng, b_type, *b_shape)
    for zero_b in (codes(rng, b_type, 1), codes(rng, b_type, b_shape[-1])):
        zero_a = codes(rng, a_type, 1)
        # What unsigned codes on the left, and signed ones on the right, have too much.
        over_a = (zero_a.astype(np.int32) + (128 if a_type is np.int8 else 0)).astype(np.int32)
        over_b = (zero_b.astype(np.int32) - (128 if b_type is np.uint8 else 0)).astype(np.int32)
        types = [TensorType(DType.from_numpy(one.dtype), one.shape) for one in (a, b, over_a, over_b)]
        template = dynamic_product(*types, True, True)
        orders = {} if order is None else {"in1": order}
        expected = (a.astype(np.int64) - zero_a.astype(np.int64)) @ (
            b.astype(np.int64) - zero_b.astype(np.int64)
        )
        for known in ((), (1,)):  # weights that are packed while running, or while building
            (got,) = run_template(template, a, b, over_a, over_b, machine=machine, orders=orders, known=known)
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("machine", [machines.VECTORS, SIGNED, machines.NEON])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("known", [(2,), (1, 2)])
def test_fed_operands_without_a_zero_point_are_exact_with_any_sign(
    machine: Machine, dtype: type, known: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(13)
    a, b = codes(rng, dtype, 6, 11), codes(rng, np.int8, 11, 9)
    over_a = np.array([128 if dtype is np.int8 else 0], np.int32)
    types = [TensorType(DType.from_numpy(one.dtype), one.shape) for one in (a, b, over_a, over_a)]
    template = dynamic_product(*types, dtype is np.int8, False)
    (got,) = run_template(template, a, b, over_a, np.zeros(1, np.int32), machine=machine, known=known)
    np.testing.assert_array_equal(got, a.astype(np.int64) @ b.astype(np.int64))


@pytest.mark.parametrize("with_zeros", [False, True])
def test_a_product_of_fed_operands_takes_zero_points_that_are_fed(with_zeros: bool) -> None:
    rng = np.random.default_rng(12)
    fed = {"a": codes(rng, np.uint8, 2, 3, 6), "b": codes(rng, np.int8, 6, 5)}
    if with_zeros:
        fed |= {"za": codes(rng, np.uint8, 1), "zb": codes(rng, np.int8, 5)}
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", list(fed), ["y"])],
        "fed",
        [helper.make_tensor_value_info(name, CODES[array.dtype], array.shape) for name, array in fed.items()],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (kernel,) = {
        step.definition.name
        for step in to_draft(read_model(model), ALL).steps
        if isinstance(step.definition, Template)
    }
    assert kernel == "qmatmul_dynamic"
    library = ingot.build(model, "interp", name="fed").load()
    got = np.asarray(library["fed"](ingot.cpu(0)).predict(fed))
    a, b = fed["a"].astype(np.int64), fed["b"].astype(np.int64)
    if with_zeros:
        a, b = a - fed["za"].astype(np.int64), b - fed["zb"].astype(np.int64)
    np.testing.assert_array_equal(got, a @ b)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    ("w_shape", "stride", "pad", "group"),
    [
        ((6, 3, 3, 3), 1, 1, 1),
        ((5, 3, 3, 3), 2, 1, 1),
        ((4, 3, 1, 1), 1, 0, 1),
        ((3, 1, 3, 3), 1, 1, 3),
        ((6, 1, 3, 3), 1, 2, 3),
    ],
)
def test_a_convolution_of_codes_takes_a_dynamic_zero_point(
    w_shape: tuple[int, ...], stride: int, pad: int, group: int, dtype: type
) -> None:
    rng = np.random.default_rng(13)
    fed = {"x": codes(rng, dtype, 1, 3, 6, 7), "xz": codes(rng, dtype)}
    w = codes(rng, np.int8, *w_shape)
    graph = helper.make_graph(
        [
            helper.make_node(
                "ConvInteger", ["x", "w", "xz"], ["y"], strides=[stride] * 2, pads=[pad] * 4, group=group
            )
        ],
        "fed",
        [helper.make_tensor_value_info(name, CODES[array.dtype], array.shape) for name, array in fed.items()],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    kernels = {
        step.definition.name
        for step in to_draft(read_model(model), ALL).steps
        if isinstance(step.definition, Template)
    }
    assert kernels <= {"qconv", "depthwise_qconv"}
    library = ingot.build(model, "interp", name="fed").load()
    got = np.asarray(library["fed"](ingot.cpu(0)).predict(fed))
    expected = convolved(fed["x"].astype(np.int64) - int(fed["xz"]), w, stride, pad, 1, group)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("rows", "columns", "tasks"),
    [
        (128, 1536, [48]),  # enough panels: each is read once
        (128, 64, [4]),  # few panels: both halves of the rows
        (256, 1536, [96]),  # halves again, which are in the cache meanwhile
        (197, 32, [2]),  # whole tiles, and what is left by itself
    ],
)
def test_rows_of_a_product_are_divided_where_there_are_few_panels_or_many_rows(rows, columns, tasks):
    a, b = TensorType(DType.UINT8, (rows, 64)), TensorType(DType.INT8, (64, columns))
    inputs = [
        buffer("a", a.dtype, a.shape),
        buffer("b", b.dtype, b.shape),
        buffer("first", DType.INT32, (columns,)),
    ]
    constants = [None, np.ones(b.shape, np.int8), np.zeros(columns, np.int32)]
    machine = replace(machines.AVX512, has_fma=False, dot_i8x4=True)
    site = Site(
        machine, inputs, [buffer("y", DType.INT32, (rows, columns))], constants, wanted={"tile": "13x2"}
    )
    found = [
        one
        for one in qmatmul_template(a, b).build(site)
        if isinstance(one, For) and one.kind is LoopKind.PARALLEL
    ]
    assert [one.extent.value for one in found] == tasks


def test_the_copy_of_an_input_of_one_row_is_shared_out():
    x, w = TensorType(DType.UINT8, (1, 16, 1000)), TensorType(DType.INT8, (1200, 16, 1))
    y = TensorType(DType.INT32, (1, 1200, 1000))
    spec = ConvSpec(x, w, y, (1,), (1,), (1,), (0,), (0,), 1)
    types = (x, w, TensorType(DType.INT32, (1200,)))
    inputs = [buffer(f"in{number}", type_.dtype, type_.shape) for number, type_ in enumerate(types)]
    constants = [None, np.ones(w.shape, np.int8), np.zeros(1200, np.int32)]
    machine = replace(machines.SCALARS, vector_bytes=32, dot_i16x2=True)
    site = Site(machine, inputs, [buffer("out0", y.dtype, y.shape)], constants)
    copies = [
        stmt
        for stmt in qconv_template(spec, 0).build(site)
        if isinstance(stmt, For) and stmt.var.name.startswith("copy")
    ]
    assert [(stmt.kind, stmt.extent.value) for stmt in copies] == [
        (LoopKind.PARALLEL, 3)
    ]  # of 256 pixels; and 232 more


# batch, channels, output channels, pixels
POINTWISE = {
    "words": (2, 24, 20, 29),
    "no whole words": (1, 7, 33, 50),
    "two sizes of tiles": (1, 8, 16, 125),
}


@pytest.mark.parametrize("shape", POINTWISE.values(), ids=POINTWISE)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    "machine", [WORDS, PAIRS, SIGNED, machines.NEON, replace(machines.AVX512, has_fma=False, dot_i8x4=True)]
)
@pytest.mark.parametrize("order", [(0, 2, 1), (0, 1, 2)], ids=["channels last", "rows last"])
def test_a_convolution_of_single_pixels_is_exact(
    shape: tuple[int, int, int, int], dtype: type, machine: Machine, order: tuple[int, ...]
) -> None:
    batch, channels, outputs, pixels = shape
    rng = np.random.default_rng(pixels)
    x, w = codes(rng, dtype, batch, channels, pixels), codes(rng, np.int8, outputs, channels, 1)
    template = pointwise(x.shape, DType(np.dtype(dtype).name), outputs)
    begin = starts(w, 3, template.inputs[0].dtype)
    (got,) = run_template(template, x, w, begin, machine=machine, orders={"in0": order}, known=(1, 2))
    expected = np.einsum("ncp,mc->nmp", x.astype(np.int64) - 3, w[:, :, 0].astype(np.int64))
    np.testing.assert_array_equal(got, expected)


def test_threads_share_pixels_and_not_channels_where_weights_are_few() -> None:
    for channels, shared in ((32, True), (300, False)):
        template = pointwise((1, channels, 125), DType.INT8, 64)
        inputs = [buffer(f"in{number}", one.dtype, one.shape) for number, one in enumerate(template.inputs)]
        constants = [None, np.ones((64, channels, 1), np.int8), np.zeros(64, np.int32)]
        machine = replace(machines.AVX512, has_fma=False, dot_i8x4=True)
        site = Site(machine, inputs, [buffer("out0", DType.INT32, (1, 64, 125))], constants)
        (task, *others) = [
            one for one in template.build(site) if isinstance(one, For) and one.kind is LoopKind.PARALLEL
        ]
        assert (task.var.name == "pixels") == shared
        if shared:
            assert not others
            assert (
                int(task.extent.value) == 10
            )  # tiles of 14 pixels would be nine, which two threads cannot share equally
            assert not site.workspaces  # tasks copy their own codes


def pointwise(x: tuple[int, int, int], dtype: DType, outputs: int) -> Template:
    batch, channels, pixels = x
    y = TensorType(DType.INT32, (batch, outputs, pixels))
    weights = TensorType(DType.INT8, (outputs, channels, 1))
    return qconv_template(ConvSpec(TensorType(dtype, x), weights, y, (1,), (1,), (1,), (0,), (0,), 1), 3)
