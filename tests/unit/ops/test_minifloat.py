"""Conversions from and to types of 8 bits and fewer: every code, and every number on which rounding hangs.

What is expected is searched for among all numbers of a type in float64, where they and the middles between them are exact.
"""

from __future__ import annotations

from collections.abc import Mapping

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ingot
from ingot.base.packing import limits
from ingot.base.short_floats import FORMS, numbers
from ingot.base.tensor import DType
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.read.types import to_ml_dtypes

FLOATS = list(FORMS)
INTEGERS = [DType.INT4, DType.UINT4, DType.INT2, DType.UINT2]
ONNX = {DType.FLOAT8E8M0: TensorProto.FLOAT8E8M0} | {
    dtype: getattr(TensorProto, dtype.name) for dtype in (*FLOATS, *INTEGERS)
}
WIDE = {
    np.dtype(np.float16): TensorProto.FLOAT16,
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
}


def casts(
    inputs: Mapping[str, tuple[np.ndarray, int]], wanted: Mapping[str, tuple[str, int, dict]]
) -> onnx.ModelProto:
    """A model of Casts: inputs are arrays with ONNX's type, results name their input, ONNX's type and more attributes."""
    ends = [helper.make_tensor_value_info(name, kind, array.shape) for name, (array, kind) in inputs.items()]
    nodes = [helper.make_node("Cast", [x], [name], to=to, **more) for name, (x, to, more) in wanted.items()]
    made = [
        helper.make_tensor_value_info(name, to, inputs[x][0].shape) for name, (x, to, _) in wanted.items()
    ]
    graph = helper.make_graph(nodes, "m", ends, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13)


def run(
    model: onnx.ModelProto, feeds: Mapping[str, np.ndarray], target: str = "llvmjit"
) -> dict[str, np.ndarray]:
    executor = ingot.build(model, target, cache=None).load()["m"](ingot.cpu(0))
    results = executor.predict(feeds)
    together = results if isinstance(results, tuple) else (results,)
    return dict(zip([one.name for one in executor.outputs], together, strict=True))


def nearest(values: np.ndarray, dtype: DType, saturate: bool) -> np.ndarray:
    """The codes by search: the nearest number, of two the one with an even code, as if there were numbers beyond the largest."""
    form, known = FORMS[dtype], numbers(dtype)[: FORMS[dtype].largest + 1].astype(np.float64)
    step = known[-1] - known[-2]
    grid = np.append(known, known[-1] + step)
    size = np.abs(values.astype(np.float64))
    code = np.searchsorted(grid, size, side="right") - 1
    above = np.minimum(code + 1, len(known))
    to_low, to_high = size - grid[code], grid[above] - size
    code = np.where((to_high < to_low) | ((to_high == to_low) & (code % 2 == 1)), above, code)
    sign, is_beyond, is_nan = (
        np.signbit(values).astype(int) << form.sign,
        code >= len(known),
        np.isnan(values),
    )
    beyond = (
        form.largest
        if saturate or (not form.nan and not form.has_one_zero)
        else form.infinity or form.nan or 1 << form.sign
    )
    made = np.where(is_beyond, beyond, code)
    if form.has_one_zero:
        signed = np.where((made == 0) | (made == 1 << form.sign), made, made | sign)
        return np.where(is_nan, 1 << form.sign, signed).astype(np.uint8)
    return np.where(is_nan, form.nan | sign if form.nan else sign ^ 1 << form.sign, made | sign).astype(
        np.uint8
    )


def telling(dtype: DType, kind: np.dtype) -> np.ndarray:
    """All numbers of a type, the middles between them, what is beyond, and the neighbours of all of these in a wider type."""
    known = numbers(dtype)
    known = np.unique(known[np.isfinite(known)].astype(np.float64))
    most = known[-1]
    ends = [most * factor for factor in (1.01, 1.03, 1.0625, 1.07, 1.125, 1.15, 2.0, 2.0**20)] + [
        np.inf,
        np.nan,
        0.0,
    ]
    some = np.concatenate([known, (known[1:] + known[:-1]) / 2, ends, -np.array(ends)]).astype(kind)
    return np.concatenate(
        [some, np.nextafter(some, kind.type(np.inf)), np.nextafter(some, kind.type(-np.inf))]
    )


@pytest.mark.parametrize("kind", WIDE, ids=str)
def test_a_number_becomes_the_nearest_of_every_short_float_rounded_once(kind: np.dtype) -> None:
    """From float16 all of its numbers. 4 s for the three."""
    every = np.arange(1 << 16).astype(np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        inputs = {
            dtype.value: (every if kind == np.float16 else telling(dtype, kind), WIDE[kind])
            for dtype in (FLOATS if kind != np.float16 else FLOATS[:1])
        }
    wanted = {
        f"{dtype.value}_{saturate}": (
            dtype.value if kind != np.float16 else FLOATS[0].value,
            ONNX[dtype],
            {"saturate": saturate},
        )
        for dtype in FLOATS
        for saturate in (0, 1)
    }
    made = run(casts(inputs, wanted), {name: array for name, (array, _) in inputs.items()})
    with np.errstate(all="ignore"):
        for name, (x, to, more) in wanted.items():
            dtype = next(one for one, number in ONNX.items() if number == to)
            expected = nearest(inputs[x][0], dtype, bool(more["saturate"]))
            np.testing.assert_array_equal(made[name], expected, err_msg=name)


def test_every_code_of_a_short_float_is_its_number_in_every_wider_type() -> None:
    inputs, wanted = {}, {}
    for dtype in (*FLOATS, DType.FLOAT8E8M0):
        inputs[dtype.value] = (np.arange(1 << dtype.bits).astype(np.uint8), ONNX[dtype])
        for to in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16):
            wanted[f"{dtype.value}_{to}"] = (dtype.value, to, {})
    made = run(casts(inputs, wanted), {name: array for name, (array, _) in inputs.items()}, "interp")
    for name, (x, to, _) in wanted.items():
        dtype = DType(x)
        known = inputs[x][0].view(to_ml_dtypes(dtype)).astype(np.float32)
        np.testing.assert_array_equal(numbers(dtype), known)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(
                made[name], known.astype(helper.tensor_dtype_to_np_dtype(to)), err_msg=name
            )


@pytest.mark.parametrize("round_mode", ["up", "down", "nearest"])
def test_numbers_become_powers_of_two_as_the_tables_say(round_mode: str) -> None:
    smallest = 2.0**-127
    x = np.array(
        [
            0,
            smallest / 2,
            smallest,
            1.25 * smallest,
            1,
            1.25,
            1.5,
            1.75,
            2.0**127,
            1.25 * 2.0**127,
            np.inf,
            np.nan,
        ]
    )
    inputs = {"x": (x, TensorProto.DOUBLE), "f": (x.astype(np.float32), TensorProto.FLOAT)}
    wanted = {
        f"{name}{saturate}": (name, TensorProto.FLOAT8E8M0, {"saturate": saturate, "round_mode": round_mode})
        for name in inputs
        for saturate in (0, 1)
    }
    model = casts(inputs, wanted)
    made = run(model, {name: array for name, (array, _) in inputs.items()}, "interp")
    rounded = {
        "up": [0, 0, 0, 1, 127, 128, 128, 128, 254, 254, 254, 255],
        "down": [0, 0, 0, 0, 127, 127, 127, 127, 254, 254, 254, 255],
        "nearest": [0, 0, 0, 0, 127, 127, 128, 128, 254, 254, 254, 255],
    }[round_mode]
    unsaturated = [255, 255, *rounded[2:9], 255, 255, 255]
    for name in inputs:
        assert made[f"{name}1"].tolist() == rounded
        assert made[f"{name}0"].tolist() == unsaturated
    expected = evaluator(model).run(None, {name: array for name, (array, _) in inputs.items()})
    for got, other in zip(made.values(), expected, strict=True):
        np.testing.assert_array_equal(got, other.view(np.uint8))


@pytest.mark.parametrize("source", [np.int8, np.uint8, np.int32, np.int64, np.float32, np.bool_])
def test_short_integers_keep_the_lower_bits(source: type) -> None:
    x = (
        np.arange(-128, 128).astype(source)
        if np.dtype(source).kind != "f"
        else np.arange(-100, 101).astype(source) / 8
    )
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(source))
    made = run(
        casts({"x": (x, kind)}, {dtype.value: ("x", ONNX[dtype], {}) for dtype in INTEGERS}),
        {"x": x},
        "interp",
    )
    whole = x.astype(np.int64)
    for dtype in INTEGERS:
        low, high = limits(dtype)
        np.testing.assert_array_equal(
            made[dtype.value], (whole - low) % (high - low + 1) + low, err_msg=dtype.value
        )


def test_short_types_become_one_another() -> None:
    codes = np.arange(256).astype(np.uint8)
    inputs = {"f": (codes, TensorProto.FLOAT8E5M2), "i": (np.arange(-8, 8).astype(np.int8), TensorProto.INT4)}
    wanted = {
        "fine": ("f", TensorProto.FLOAT8E4M3FN, {}),
        "bool": ("f", TensorProto.BOOL, {}),
        "wide": ("i", TensorProto.INT64, {}),
        "short": ("i", TensorProto.UINT2, {}),
        "float": ("i", TensorProto.FLOAT4E2M1, {}),
    }
    made = run(casts(inputs, wanted), {name: array for name, (array, _) in inputs.items()}, "interp")
    known = codes.view(ml_dtypes.float8_e5m2).astype(np.float32)
    np.testing.assert_array_equal(made["fine"], nearest(known, DType.FLOAT8E4M3FN, True))
    np.testing.assert_array_equal(made["bool"], known != 0)
    assert made["wide"].tolist() == list(range(-8, 8))
    assert made["short"].tolist() == [number & 3 for number in range(-8, 8)]
    assert numbers(DType.FLOAT4E2M1)[made["float"]].tolist() == [
        -6,
        -6,
        -6,
        -4,
        -4,
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        4,
        4,
        6,
        6,
    ]


def test_the_same_bits_are_another_type() -> None:
    pairs = [
        ("INT4", "UINT4"),
        ("UINT4", "FLOAT4E2M1"),
        ("FLOAT4E2M1", "INT4"),
        ("FLOAT8E5M2", "INT8"),
        ("INT2", "UINT2"),
    ]
    nodes, ends, made, feeds = [], [], [], {}
    for given, wanted in pairs:
        dtype = DType[given]
        bits, half = np.arange(1 << dtype.bits), (1 << dtype.bits - 1) if dtype.is_signed else 0
        feeds[given] = ((bits ^ half) - half).astype(dtype.numpy)
        nodes.append(helper.make_node("BitCast", [given], [f"to_{wanted}"], to=getattr(TensorProto, wanted)))
        ends.append(helper.make_tensor_value_info(given, getattr(TensorProto, given), bits.shape))
        made.append(helper.make_tensor_value_info(f"to_{wanted}", getattr(TensorProto, wanted), bits.shape))
    graph = helper.make_graph(nodes, "m", ends, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=12)
    for (_, wanted), result in zip(pairs, run(model, feeds, "interp").values(), strict=True):
        dtype = DType[wanted]
        assert (result.astype(np.int64) % (1 << dtype.bits)).tolist() == list(range(1 << dtype.bits))
