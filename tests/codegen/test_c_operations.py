"""Every operation of the loop IR, compiled as C and interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.loops.nodes import (
    COMPARISONS,
    FUNCTIONS,
    PREDICATES,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Expr,
    Fma,
    For,
    Kernel,
    Load,
    Select,
    Unary,
    Var,
    buffer,
    index,
    store,
)
from ingot.tensor import DType
from tests.codegen.values import corners, pairs
from tests.support.kernel_c import agrees_with_interpreter, needs_cc

pytestmark = [pytest.mark.cc, needs_cc]
INTEGERS = [dtype for dtype in DType if dtype.is_integer]
FLOATS = [dtype for dtype in DType if dtype.is_float]
I = Var("i")  # noqa: E741
# The C library's functions are not rounded correctly; for the 16-bit floats they are rounded twice.
ROUNDING = {DType.FLOAT32: 4e-7, DType.FLOAT64: 1e-15, DType.FLOAT16: 1e-3, DType.BFLOAT16: 8e-3}


def elementwise(name: str, inputs: list[Buffer], results: dict[str, Expr]) -> Kernel:
    """A kernel with one output for each result."""
    size = inputs[0].shape[0]
    outputs = {key: buffer(f"out_{key}", value.dtype, (size,)) for key, value in results.items()}
    body = tuple(store(outputs[key], (I,), value) for key, value in results.items())
    return Kernel(name, tuple(inputs), tuple(outputs.values()), (For(I, index(size), body),))


def operands(dtype: DType) -> tuple[list[Buffer], Expr, Expr, tuple[np.ndarray, np.ndarray]]:
    left, right = pairs(dtype)
    a, b = buffer("a", dtype, left.shape), buffer("b", dtype, left.shape)
    return [a, b], Load(a, (I,)), Load(b, (I,)), (left, right)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.short)
def test_integer_operations_wrap_and_truncate(dtype: DType) -> None:
    inputs, x, y, arrays = operands(dtype)
    # The interpreter refuses to divide by zero.
    divisor = Select(Binary("eq", y, Const(0, dtype)), Const(3, dtype), y)
    count = Binary("and", y, Const(dtype.bits - 1, dtype))
    results: dict[str, Expr] = {op: Binary(op, x, y) for op in ("add", "sub", "mul", "min", "max", "and", "or", "xor")}
    results |= {op: Binary(op, x, y) for op in sorted(COMPARISONS)}
    results |= {op: Binary(op, x, divisor) for op in ("div", "rem")}
    results |= {op: Binary(op, x, count) for op in ("shl", "shr")}
    results |= {"neg": Unary("neg", x), "not": Unary("not", x), "fma": Fma(x, y, x), "abs": Call("abs", (x,))}
    results |= {"by_constant": Binary("div", x, Const(7, dtype)), "plus_constant": Binary("add", x, Const(5, dtype))}
    results |= {"minus_min": Binary("sub", x, Const(int(np.iinfo(dtype.numpy).min), dtype))}
    results |= {"max_plus": Binary("add", Const(int(np.iinfo(dtype.numpy).max), dtype), x)}
    agrees_with_interpreter(elementwise("integers", inputs, results), *arrays)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_float_operations_are_ieee(dtype: DType) -> None:
    inputs, x, y, arrays = operands(dtype)
    results: dict[str, Expr] = {op: Binary(op, x, y) for op in ("add", "sub", "mul", "div", "rem", "min", "max")}
    results |= {op: Binary(op, x, y) for op in sorted(COMPARISONS)}
    results |= {"neg": Unary("neg", x), "abs": Call("abs", (x,)), "isnan": Call("isnan", (x,)), "isinf": Call("isinf", (x,))}
    results |= {name: Call(name, (x,)) for name in ("floor", "ceil", "trunc", "rint", "sqrt")}
    results |= {"chain": Binary("sub", Unary("neg", Unary("neg", x)), Unary("neg", y))}
    results |= {"thrice": Binary("mul", Binary("add", x, y), Binary("sub", Binary("mul", x, y), y))}
    agrees_with_interpreter(elementwise("floats", inputs, results), *arrays)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_functions_are_near_the_interpreter(dtype: DType) -> None:
    inputs, x, y, arrays = operands(dtype)
    names = sorted(FUNCTIONS - PREDICATES - {"pow"})
    results: dict[str, Expr] = {name: Call(name, (x,)) for name in names} | {"pow": Call("pow", (x, y))}
    tiny = float(np.finfo(np.float32 if dtype is DType.BFLOAT16 else dtype.numpy).tiny)
    agrees_with_interpreter(elementwise("functions", inputs, results), *arrays, rtol=ROUNDING[dtype], atol=tiny)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_fused_multiply_add_is_rounded_once_or_twice(dtype: DType) -> None:
    values = np.array([0.5, 1.0, -1.5, 3.0, 0.1, 100.0, -7.25, np.inf, np.nan])
    stored = values.astype(np.float32).view(np.uint32) >> 16 if dtype is DType.BFLOAT16 else values
    array = stored.astype(dtype.numpy)
    a = buffer("a", dtype, array.shape)
    x = Load(a, (I,))
    for flags in (("-O2",), ("-O2", "-mfma")):
        kernel = elementwise("fma", [a], {"fma": Fma(x, x, Const(2.0, dtype))})
        agrees_with_interpreter(kernel, array, rtol=ROUNDING[dtype], flags=flags)


def test_bool_operations_give_zero_or_one() -> None:
    inputs, x, y, arrays = operands(DType.BOOL)
    results: dict[str, Expr] = {op: Binary(op, x, y) for op in ("and", "or", "xor", "eq", "ne")}
    results |= {"not": Unary("not", x), "nor": Unary("not", Binary("or", x, y))}
    results |= {"mixed": Binary("or", Binary("and", x, y), Binary("xor", x, Unary("not", y)))}
    results |= {"choice": Select(x, y, Unary("not", y)), "constant": Select(x, Const(False, DType.BOOL), Const(True, DType.BOOL))}
    outputs = agrees_with_interpreter(elementwise("bools", inputs, results), *arrays)
    assert all(set(output.view(np.uint8).tolist()) <= {0, 1} for output in outputs)


@pytest.mark.parametrize("source", list(DType), ids=lambda dtype: dtype.short)
def test_casts_convert_by_value(source: DType) -> None:
    array = corners(source)
    if source.is_float:
        # Out of range of an integer type nothing is promised, so what is left fits all of them.
        numbers = np.array(
            [0.0, -0.0, 0.5, 0.99, 1.0, 1.5, 2.5, 77.7, 126.99, np.float64(1.0) + 2.0**-11 + 2.0**-40, 1 / 3, 3.14159]
        )
        array = numbers.astype(source.numpy)
        if source is DType.BFLOAT16:
            array = (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    a = buffer("a", source, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in DType}
    results |= {f"{target.short}_sum": Binary("add", Cast(Load(a, (I,)), target), Const(1, target)) for target in INTEGERS}
    agrees_with_interpreter(elementwise("casts", [a], results), array)


@pytest.mark.parametrize("source", [DType.FLOAT32, DType.FLOAT64], ids=lambda dtype: dtype.short)
def test_casts_to_shorter_floats_round_to_even(source: DType) -> None:
    halves = np.arange(0, 0x7C01, 97, dtype=np.uint16).view(np.float16).astype(source.numpy)
    array = np.concatenate([corners(source), halves, halves * 1.00048828125, -halves * 1.000244140625, halves * (1 + 2.0**-11)])
    a = buffer("a", source, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in FLOATS}
    agrees_with_interpreter(elementwise("casts", [a], results), array)


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16], ids=lambda dtype: dtype.short)
def test_all_numbers_of_a_short_float_survive_loading_and_storing(dtype: DType) -> None:
    array = np.arange(0x10000, dtype=np.uint32).astype(np.uint16).view(dtype.numpy)
    a = buffer("a", dtype, array.shape)
    x = Load(a, (I,))
    agrees_with_interpreter(
        elementwise("all", [a], {"long": Cast(x, DType.FLOAT32), "same": x, "half": Binary("mul", x, Const(0.5, dtype))}), array
    )


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_bitcasts_keep_the_bits(bits: int) -> None:
    types = [dtype for dtype in DType if dtype.bits == bits and dtype is not DType.BOOL]
    for source in types:
        array = corners(source)
        array = array[array & 0x7FFF <= 0x7F80] if source is DType.BFLOAT16 else array[~np.isnan(array)]
        a = buffer("a", source, array.shape)
        results: dict[str, Expr] = {target.short: Bitcast(Load(a, (I,)), target) for target in types}
        agrees_with_interpreter(elementwise("bits", [a], results), array)


@pytest.mark.parametrize("dtype", list(DType), ids=lambda dtype: dtype.short)
def test_constants_are_lossless(dtype: DType) -> None:
    a = buffer("a", DType.BOOL, (1,))
    results: dict[str, Expr] = {}
    for number, value in enumerate(corners(dtype).tolist()):
        if dtype is DType.BFLOAT16:
            results[f"c{number}"] = Const(float(np.uint32(value << 16).view(np.float32)), dtype)
        else:
            results[f"c{number}"] = Const(value, dtype)
    agrees_with_interpreter(elementwise("constants", [a], results), np.zeros(1, np.bool_))


def test_casts_of_constants_compile_without_a_warning() -> None:
    a = buffer("a", DType.BOOL, (1,))
    results: dict[str, Expr] = {}
    for target in DType:
        for number, constant in enumerate([Const(300, DType.INT64), Const(-1, DType.INT32), Const(2.75, DType.FLOAT32)]):
            if not (constant.dtype.is_float and target.is_integer):
                results[f"{target.short}_{number}"] = Cast(constant, target)
        results[f"{target.short}_true"] = Cast(Const(True, DType.BOOL), target)
    agrees_with_interpreter(elementwise("constants", [a], results), np.zeros(1, np.bool_))


def test_a_float_out_of_an_integers_range_does_not_trap() -> None:
    array = np.array([1e30, -1e30, np.nan, np.inf, -np.inf, 300.0], np.float32)
    a = buffer("a", DType.FLOAT32, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in INTEGERS}
    results["constant"] = Cast(Const(1e30, DType.FLOAT32), DType.INT8)
    from tests.support.kernel_c import compile_kernel

    kernel = elementwise("casts", [a], results)
    compile_kernel(kernel)(array, *(np.zeros(param.span, param.dtype.numpy) for param in kernel.outputs))


def test_division_of_an_integer_by_zero_gives_zero() -> None:
    from tests.support.kernel_c import compile_kernel

    for dtype in INTEGERS:
        array = corners(dtype)
        a, b = buffer("a", dtype, array.shape), buffer("b", dtype, array.shape)
        x, y = Load(a, (I,)), Load(b, (I,))
        kernel = elementwise("zero", [a, b], {"div": Binary("div", x, y), "rem": Binary("rem", x, y)})
        outputs = [np.ones(array.shape, dtype.numpy) for _ in range(2)]
        compile_kernel(kernel)(array, np.zeros_like(array), *outputs)
        assert not outputs[0].any() and not outputs[1].any()
