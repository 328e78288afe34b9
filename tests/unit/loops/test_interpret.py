"""The interpreter against NumPy, operation by operation and type by type."""

import math
import time

import ml_dtypes
import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.base.tensor import KERNEL_DTYPES
from ingot.loops.interpret import Interpreter, compile_kernel, run
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Call,
    Cast,
    Const,
    DType,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Select,
    Unary,
    Var,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)

N = Var("n")
FLOATS = [dtype for dtype in KERNEL_DTYPES if dtype.is_float]
INTEGERS = [dtype for dtype in KERNEL_DTYPES if dtype.is_integer]
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 0.3, -7.25, 1e-6, 60000.0, np.inf, -np.inf, np.nan]


def native(dtype):
    """The NumPy type that computes as the type does; for bfloat16 that of ml_dtypes."""
    return np.dtype(ml_dtypes.bfloat16) if dtype is DType.BFLOAT16 else dtype.numpy


def examples(dtype):
    """Pairs of operands."""
    if dtype.is_float:
        values = np.array(SPECIAL).astype(native(dtype))
    elif dtype is DType.BOOL:
        values = np.array([False, True])
    else:
        limits = np.iinfo(dtype.numpy)
        values = np.array(
            [0, 1, 2, 3, 7, 100, limits.max, limits.max - 1, limits.min, limits.min + 5], dtype.numpy
        )
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


def evaluate(make, dtype, arrays, result):
    """`make(a, b, …)` for every element."""
    size = arrays[0].size
    sources = [buffer(f"a{number}", dtype, (size,)) for number in range(len(arrays))]
    target = buffer("y", result, (size,))
    body = For(N, index(size), (store(target, (N,), make(*(load(source, N) for source in sources))),))
    out = np.zeros(size, result.numpy)
    kernel = Kernel("k", tuple(sources), (target,), (body,))
    Interpreter(kernel).run([*(array.view(dtype.numpy) for array in arrays), out])
    return out.view(native(result))


def computed(function, *arrays):
    with np.errstate(all="ignore"):
        return function(*arrays)


def same(found, expected):
    """Equal element by element, and NaN where a NaN is expected (which NumPy does not see in a bfloat16)."""
    assert found.dtype == expected.dtype
    if found.dtype == native(DType.BFLOAT16):
        found, expected = found.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_array_equal(found, expected)


ARITHMETIC = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(a > b, a, b),
}
BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_float_arithmetic_is_that_of_ieee(op, dtype):
    a, b = examples(dtype)
    if dtype is DType.BFLOAT16 and op == "rem":
        expected = computed(np.fmod, a.astype(np.float32), b.astype(np.float32)).astype(native(dtype))
    else:
        expected = computed(ARITHMETIC[op], a, b)
    same(evaluate(lambda x, y: Binary(op, x, y), dtype, [a, b], dtype), expected)


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.short)
def test_integer_arithmetic_wraps_and_divides_toward_zero(op, dtype):
    a, b = examples(dtype)
    if op in ("div", "rem"):
        a, b = a[b != 0], b[b != 0]
        exact = [
            abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b, strict=True)
        ]
        if op == "rem":
            exact = [int(x) - q * int(y) for q, x, y in zip(exact, a, b, strict=True)]
        expected = np.array([(q + 2**63) % 2**64 - 2**63 if dtype.is_signed else q for q in exact], object)
        expected = (
            np.array([int(q) % 2**dtype.bits for q in expected], np.uint64)
            .astype(f"u{dtype.size_bytes}")
            .view(a.dtype)
        )
    else:
        expected = computed(ARITHMETIC[op], a, b)
    same(evaluate(lambda x, y: Binary(op, x, y), dtype, [a, b], dtype), expected)


@pytest.mark.parametrize("op", BITWISE)
@pytest.mark.parametrize("dtype", [DType.BOOL, *INTEGERS], ids=lambda dtype: dtype.short)
def test_bitwise_operations(op, dtype):
    a, b = examples(dtype)
    same(evaluate(lambda x, y: Binary(op, x, y), dtype, [a, b], dtype), BITWISE[op](a, b))


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.short)
def test_shifts_and_complement(dtype):
    a, b = examples(dtype)
    counts = (b % dtype.bits).astype(b.dtype)
    for op, function in (("shl", np.left_shift), ("shr", np.right_shift)):
        found = evaluate(lambda x, y, op=op: Binary(op, x, y), dtype, [a, counts], dtype)
        same(found, function(a, counts))
    same(evaluate(lambda x: Unary("not", x), dtype, [a], dtype), np.invert(a))
    same(evaluate(lambda x: Unary("neg", x), dtype, [a], dtype), computed(np.negative, a))
    same(evaluate(lambda x: Call("abs", (x,)), dtype, [a], dtype), computed(np.abs, a))


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize("dtype", KERNEL_DTYPES, ids=lambda dtype: dtype.short)
def test_comparisons_are_ordered(op, dtype):
    a, b = examples(dtype)
    found = evaluate(lambda x, y: Binary(op, x, y), dtype, [a, b], DType.BOOL)
    same(found, computed(COMPARISONS[op], a, b))


FUNCTIONS = {
    **{
        name: getattr(np, name)
        for name in ("abs", "sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    **{name: getattr(np, "arc" + name[1:]) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    **{name: getattr(np, name) for name in ("floor", "ceil", "trunc", "rint", "isnan", "isinf")},
    "erf": np.vectorize(math.erf, otypes=[float]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_functions_are_those_of_float64_rounded(name, dtype):
    a = examples(dtype)[0][: len(SPECIAL)]
    result = DType.BOOL if name.startswith("is") else dtype
    expected = computed(FUNCTIONS[name], a.astype(np.float64))
    expected = computed(lambda x: x.astype(native(result)), expected)
    found = evaluate(lambda x: Call(name, (x,)), dtype, [a], result)
    if dtype is DType.FLOAT64:
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    else:
        same(found, expected)


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT64], ids=lambda dtype: dtype.short)
def test_power_has_the_special_cases_of_c(dtype):
    a, b = examples(dtype)
    expected = computed(
        lambda x, y: np.power(x, y).astype(dtype.numpy), a.astype(np.float64), b.astype(np.float64)
    )
    np.testing.assert_allclose(
        evaluate(lambda x, y: Call("pow", (x, y)), dtype, [a, b], dtype), expected, rtol=1e-14
    )


@pytest.mark.parametrize("source", KERNEL_DTYPES, ids=lambda dtype: dtype.short)
@pytest.mark.parametrize("target", KERNEL_DTYPES, ids=lambda dtype: dtype.short)
def test_casts_convert_by_value(source, target):
    a = examples(source)[0]
    if source.is_float and target.is_integer:
        limits = np.iinfo(target.numpy)
        wide = a.astype(np.float64)
        a = a[np.isfinite(wide) & (wide >= float(limits.min)) & (wide < float(limits.max))]
    if source is DType.BFLOAT16 and target is DType.FLOAT16:
        expected = computed(lambda x: x.astype(np.float32).astype(np.float16), a)
    else:
        expected = computed(lambda x: (x != 0) if target is DType.BOOL else x.astype(native(target)), a)
    same(evaluate(lambda x: Cast(x, target), source, [a], target), expected)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        (
            DType.FLOAT64,
            1 + 2**-8 + 2**-40,
            1 + 2**-7,
        ),  # as a float32 it would be a half, and then go to the even 1
        (DType.FLOAT64, 1 + 3 * 2**-8 - 2**-40, 1 + 2**-7),
        (DType.FLOAT64, 1 + 2**-8, 1),
        (DType.INT32, 2**24 + 2**16 + 1, 2**24 + 2**17),
        (DType.INT64, 2**24 + 3 * 2**16 - 1, 2**24 + 2**17),
        (DType.INT64, 2**50 + 2**42 + 1, 2**50 + 2**43),
        (DType.INT64, 2**50 + 2**42, 2**50),
    ],
)
def test_a_wide_number_is_rounded_to_bfloat16_once(source, value, expected, sign):
    a = np.array([sign * value], source.numpy)
    found = evaluate(lambda x: Cast(x, DType.BFLOAT16), source, [a], DType.BFLOAT16)
    assert (found.view(np.uint16).astype(np.uint32) << 16).view(np.float32).tolist() == [sign * expected]


@pytest.mark.parametrize(
    ("source", "target"),
    [(a, b) for a in KERNEL_DTYPES for b in KERNEL_DTYPES if a.bits == b.bits and DType.BOOL not in (a, b)],
    ids=lambda dtype: dtype.short,
)
def test_bitcasts_keep_the_bits(source, target):
    a = examples(source)[0]
    found = evaluate(lambda x: Bitcast(x, target), source, [a], target)
    np.testing.assert_array_equal(found.view(f"u{target.size_bytes}"), a.view(f"u{source.size_bytes}"))


def test_fma_of_float32_is_rounded_once():
    a = np.array([1 + 2**-12], np.float32)
    c = np.array([-(1 + 2**-11)], np.float32)
    found = evaluate(Fma, DType.FLOAT32, [a, a, c], DType.FLOAT32)
    assert found[0] == np.float32(2**-24)


def test_fma_of_integers_wraps():
    a = np.array([100], np.int8)
    assert (
        evaluate(lambda x: Fma(x, x, x), DType.INT8, [a], DType.INT8)[0]
        == (100 * 100 + 100 + 128) % 256 - 128
    )


# ─── statements, laziness, checks ──────────────────────────────────────────────────────────────────────────────────

F32 = DType.FLOAT32
X, Y = buffer("x", F32, (4,)), buffer("y", F32, (4,))
LOOP = Var("i")


def one(*body, kind=None):
    return Kernel("k", (X,), (Y,), (For(LOOP, index(4), body),))


def answer(kernel):
    y = np.zeros(4, np.float32)
    run(kernel, {"x": np.arange(1, 5, dtype=np.float32), "y": y})
    return y.tolist()


def test_a_select_evaluates_only_the_branch_it_takes():
    shared = load(X, LOOP - 1) * 2.0
    inside = compare("gt", LOOP, 0)
    value = select(inside, shared + shared, 0.0) + select(inside, shared, 1.0)
    assert answer(one(store(Y, (LOOP,), value))) == [1.0, 6.0, 12.0, 18.0]


def test_strides_say_where_an_element_is():
    a, b = buffer("a", F32, (2, 3)), buffer("b", F32, (2, 3), (1, 2))
    i, j = Var("i"), Var("j")
    kernel = Kernel(
        "t", (a,), (b,), (For(i, index(2), (For(j, index(3), (store(b, (i, j), load(a, i, j)),)),)),)
    )
    out = np.zeros(6, np.float32)
    compile_kernel(kernel)([np.arange(6, dtype=np.float32), out])
    assert out.tolist() == [0, 3, 1, 4, 2, 5]


def test_locals_lets_branches_and_loops():
    total = buffer("total", F32, ())
    j = Var("j")
    kernel = one(
        Alloc(total),
        store(total, (), 0.0),
        For(j, LOOP + 1, (store(total, (), load(total) + load(X, j)),)),
        Let(Var("sum", F32), load(total)),
        store(total, (), -1.0),
        If(compare("lt", LOOP, 2), (store(Y, (LOOP,), Var("sum", F32)),), (store(Y, (LOOP,), load(total)),)),
    )
    assert answer(kernel) == [1.0, 3.0, -1.0, -1.0]


def test_an_uninitialised_local_is_poison():
    total, count = buffer("total", F32, ()), buffer("count", DType.INT16, ())
    kernel = one(Alloc(total), Alloc(count), store(Y, (LOOP,), load(total)))
    assert np.isnan(answer(kernel)).all()
    assert answer(one(Alloc(count), store(Y, (LOOP,), Cast(load(count), F32)))) == [float(0x5A5A)] * 4


@pytest.mark.parametrize(
    "body",
    [
        store(Y, (LOOP,), load(X, Cast(load(X, LOOP), DType.INT64))),
        store(Y, (Cast(load(X, LOOP), DType.INT64),), 1.0),
    ],
    ids=["load", "store"],
)
def test_an_index_outside_is_an_error_with_buffer_and_index(body):
    with pytest.raises(InternalError, match=r"index \[4\] is outside buffer '[xy]' of the shape \[4\]"):
        answer(one(body))


def test_an_integer_division_by_zero_is_an_error():
    with pytest.raises(InternalError, match="divided by zero"):
        answer(one(store(Y, (LOOP,), Cast(index(1) // LOOP, F32))))


def test_index_arithmetic_wraps_when_it_is_large():
    big = Const(2**62, DType.INT64)
    y = buffer("y", DType.INT64, (3,))
    sums = (big + big * LOOP, (big * LOOP) * LOOP, Unary("neg", Const(-(2**63), DType.INT64)))
    stores = tuple(store(y, (position,), value) for position, value in enumerate(sums))
    out = np.zeros(3, np.int64)
    run(Kernel("k", (), (y,), (For(LOOP, index(4), stores),)), {"y": out})
    assert out.tolist() == [0, 2**62, -(2**63)]


@pytest.mark.parametrize(
    "arrays",
    [
        {"x": np.zeros(3, np.float32), "y": np.zeros(4, np.float32)},
        {"x": np.zeros(4, np.float64), "y": np.zeros(4, np.float32)},
        {"x": np.zeros((2, 2), np.float32), "y": np.zeros(4, np.float32)},
        {"y": np.zeros(4, np.float32)},
    ],
    ids=["short", "type", "rank", "missing"],
)
def test_an_array_that_does_not_fit_is_an_error(arrays):
    with pytest.raises(InternalError, match="'x'"):
        run(one(), arrays)


def test_deep_loops_and_deep_expressions_run():
    value = load(X, LOOP)
    for number in range(2000):
        value = value + float(number % 2)
    body = (store(Y, (LOOP,), value),)
    for depth in range(40):
        body = (For(Var(f"v{depth}"), index(1), body),)
    assert answer(one(*body)) == [1001.0, 1002.0, 1003.0, 1004.0]


def test_an_exponential_tree_takes_time_in_its_graph():
    value = load(X, LOOP)
    for _ in range(400):
        value = Select(compare("lt", value, 1e9), value * 1.0 + value * 0.0, value + value)
    began = time.process_time()
    assert answer(one(store(Y, (LOOP,), value))) == [1.0, 2.0, 3.0, 4.0]
    assert time.process_time() - began < 5
