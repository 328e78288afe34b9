"""Kernels that try every operation of the loop IR at the numbers where arithmetic goes wrong: for tests of code generators."""

from __future__ import annotations

import numpy as np

from ingot.base.tensor import KERNEL_DTYPES, DType
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
from tests.codegen.values import corners, pairs

INTEGERS = [dtype for dtype in KERNEL_DTYPES if dtype.is_integer]
FLOATS = [dtype for dtype in KERNEL_DTYPES if dtype.is_float]
I = Var("i")  # noqa: E741
SHORT_FLOATS = [DType.FLOAT16, DType.BFLOAT16]
Trial = tuple[Kernel, tuple[np.ndarray, ...]]  # a kernel and its inputs


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


def integer_operations(dtype: DType) -> Trial:
    inputs, x, y, arrays = operands(dtype)
    # The interpreter refuses to divide by zero.
    divisor = Select(Binary("eq", y, Const(0, dtype)), Const(3, dtype), y)
    count = Binary("and", y, Const(dtype.bits - 1, dtype))
    results: dict[str, Expr] = {
        op: Binary(op, x, y) for op in ("add", "sub", "mul", "min", "max", "and", "or", "xor")
    }
    results |= {op: Binary(op, x, y) for op in sorted(COMPARISONS)}
    results |= {op: Binary(op, x, divisor) for op in ("div", "rem")}
    results |= {op: Binary(op, x, count) for op in ("shl", "shr")}
    results |= {"neg": Unary("neg", x), "not": Unary("not", x), "fma": Fma(x, y, x), "abs": Call("abs", (x,))}
    results |= {
        "by_constant": Binary("div", x, Const(7, dtype)),
        "plus_constant": Binary("add", x, Const(5, dtype)),
    }
    results |= {"minus_min": Binary("sub", x, Const(int(np.iinfo(dtype.numpy).min), dtype))}
    results |= {"max_plus": Binary("add", Const(int(np.iinfo(dtype.numpy).max), dtype), x)}
    return elementwise("integers", inputs, results), arrays


def float_operations(dtype: DType) -> Trial:
    inputs, x, y, arrays = operands(dtype)
    results: dict[str, Expr] = {
        op: Binary(op, x, y) for op in ("add", "sub", "mul", "div", "rem", "min", "max")
    }
    results |= {op: Binary(op, x, y) for op in sorted(COMPARISONS)}
    results |= {
        "neg": Unary("neg", x),
        "abs": Call("abs", (x,)),
        "isnan": Call("isnan", (x,)),
        "isinf": Call("isinf", (x,)),
    }
    results |= {name: Call(name, (x,)) for name in ("floor", "ceil", "trunc", "rint", "sqrt")}
    results |= {"chain": Binary("sub", Unary("neg", Unary("neg", x)), Unary("neg", y))}
    results |= {"thrice": Binary("mul", Binary("add", x, y), Binary("sub", Binary("mul", x, y), y))}
    return elementwise("floats", inputs, results), arrays


def functions(dtype: DType) -> Trial:
    inputs, x, y, arrays = operands(dtype)
    names = sorted(FUNCTIONS - PREDICATES - {"pow"})
    results: dict[str, Expr] = {name: Call(name, (x,)) for name in names} | {"pow": Call("pow", (x, y))}
    most = Const(88.0, dtype)  # of larger numbers nothing is promised
    results["exp_flushed"] = Call("exp_flushed", (Select(Binary("gt", x, most), most, x),))
    return elementwise("functions", inputs, results), arrays


def fused_multiply_add(dtype: DType) -> Trial:
    values = np.array([0.5, 1.0, -1.5, 3.0, 0.1, 100.0, -7.25, np.inf, np.nan])
    stored = values.astype(np.float32).view(np.uint32) >> 16 if dtype is DType.BFLOAT16 else values
    array = stored.astype(dtype.numpy)
    a = buffer("a", dtype, array.shape)
    x = Load(a, (I,))
    return elementwise("fma", [a], {"fma": Fma(x, x, Const(2.0, dtype))}), (array,)


def bool_operations() -> Trial:
    inputs, x, y, arrays = operands(DType.BOOL)
    results: dict[str, Expr] = {op: Binary(op, x, y) for op in ("and", "or", "xor", "eq", "ne")}
    results |= {"not": Unary("not", x), "nor": Unary("not", Binary("or", x, y))}
    results |= {"mixed": Binary("or", Binary("and", x, y), Binary("xor", x, Unary("not", y)))}
    results |= {
        "choice": Select(x, y, Unary("not", y)),
        "constant": Select(x, Const(False, DType.BOOL), Const(True, DType.BOOL)),
    }
    return elementwise("bools", inputs, results), arrays


def casts(source: DType) -> Trial:
    array = corners(source)
    if source.is_float:
        # Out of range of an integer type nothing is promised, so what is left fits all of them.
        numbers = np.array(
            [
                0.0,
                -0.0,
                0.5,
                0.99,
                1.0,
                1.5,
                2.5,
                77.7,
                126.99,
                np.float64(1.0) + 2.0**-11 + 2.0**-40,
                1 / 3,
                3.14159,
            ]
        )
        array = numbers.astype(source.numpy)
        if source is DType.BFLOAT16:
            array = (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif source.bits >= 32:
        halves = np.array(
            [2**24 + 2**16 + 1, 2**24 + 3 * 2**16 - 1, 2**24 + 2**16, 2049 * 8 + 4, 2049 * 8 + 5],
            source.numpy,
        )
        array = np.concatenate([array, halves, -halves])  # of unsigned numbers these are large ones
    a = buffer("a", source, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in KERNEL_DTYPES}
    results |= {
        f"{target.short}_sum": Binary("add", Cast(Load(a, (I,)), target), Const(1, target))
        for target in INTEGERS
    }
    return elementwise("casts", [a], results), (array,)


def casts_to_shorter_floats(source: DType) -> Trial:
    halves = np.arange(0, 0x7C01, 97, dtype=np.uint16).view(np.float16).astype(source.numpy)
    array = np.concatenate(
        [corners(source), halves, halves * 1.00048828125, -halves * 1.000244140625, halves * (1 + 2.0**-11)]
    )
    # Near a half of a bfloat16's last step, beyond what a float32 tells apart.
    near = np.array([1, 1, -1, -1]) + np.array([1, 3, -1, -3]) * 2.0**-8 + 2.0**-40
    array = np.concatenate([array, near.astype(source.numpy)])
    a = buffer("a", source, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in FLOATS}
    return elementwise("casts", [a], results), (array,)


def all_numbers(dtype: DType) -> Trial:
    array = np.arange(0x10000, dtype=np.uint32).astype(np.uint16).view(dtype.numpy)
    a = buffer("a", dtype, array.shape)
    x = Load(a, (I,))
    return (
        elementwise(
            "all",
            [a],
            {"long": Cast(x, DType.FLOAT32), "same": x, "half": Binary("mul", x, Const(0.5, dtype))},
        ),
        (array,),
    )


def bitcasts(source: DType) -> Trial:
    array = corners(source)
    array = array[array & 0x7FFF <= 0x7F80] if source is DType.BFLOAT16 else array[~np.isnan(array)]
    a = buffer("a", source, array.shape)
    types = [dtype for dtype in KERNEL_DTYPES if dtype.bits == source.bits and dtype is not DType.BOOL]
    results: dict[str, Expr] = {target.short: Bitcast(Load(a, (I,)), target) for target in types}
    return elementwise("bits", [a], results), (array,)


def constants(dtype: DType) -> Trial:
    a = buffer("a", DType.BOOL, (1,))
    results: dict[str, Expr] = {}
    for number, value in enumerate(corners(dtype).tolist()):
        if dtype is DType.BFLOAT16:
            results[f"c{number}"] = Const(float(np.uint32(value << 16).view(np.float32)), dtype)
        else:
            results[f"c{number}"] = Const(value, dtype)
    return elementwise("constants", [a], results), (np.zeros(1, np.bool_),)


def casts_of_constants() -> Trial:
    a = buffer("a", DType.BOOL, (1,))
    results: dict[str, Expr] = {}
    for target in KERNEL_DTYPES:
        for number, constant in enumerate(
            [Const(300, DType.INT64), Const(-1, DType.INT32), Const(2.75, DType.FLOAT32)]
        ):
            if not (constant.dtype.is_float and target.is_integer):
                results[f"{target.short}_{number}"] = Cast(constant, target)
        results[f"{target.short}_true"] = Cast(Const(True, DType.BOOL), target)
    return elementwise("constants", [a], results), (np.zeros(1, np.bool_),)


def tiny(dtype: DType) -> float:
    """The least normal number of a float type: below it, functions may be as wrong as they like."""
    return float(np.finfo(np.float32 if dtype is DType.BFLOAT16 else dtype.numpy).tiny)


def zero_divisors(dtype: DType) -> Trial:
    array = corners(dtype)
    a, b = buffer("a", dtype, array.shape), buffer("b", dtype, array.shape)
    x, y = Load(a, (I,)), Load(b, (I,))
    kernel = elementwise("zero", [a, b], {"div": Binary("div", x, y), "rem": Binary("rem", x, y)})
    return kernel, (array, np.zeros_like(array))


def casts_out_of_range() -> Trial:
    array = np.array([1e30, -1e30, np.nan, np.inf, -np.inf, 300.0], np.float32)
    a = buffer("a", DType.FLOAT32, array.shape)
    results: dict[str, Expr] = {target.short: Cast(Load(a, (I,)), target) for target in INTEGERS}
    results["constant"] = Cast(Const(1e30, DType.FLOAT32), DType.INT8)
    return elementwise("casts", [a], results), (array,)
