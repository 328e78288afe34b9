"""Every operation on every type, scalar and in lanes, against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.base.tensor import KERNEL_DTYPES, DType
from ingot.codegen.llvm.build.targets import chip, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.loops.nodes import (
    ARITHMETIC,
    BITWISE,
    COMPARISONS,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Select,
    Stmt,
    Unary,
    Var,
    buffer,
    compare,
    index,
    load,
    store,
)  # fmt: skip
from tests.support.kernel_llvm import BASELINE, assembly, check_kernel, compile_kernel, needs_cc

N = 24
J, V = Var("i"), Var("v")
TARGETS = (BASELINE, "llvm -mcpu=native")
NUMBERS = tuple(dtype for dtype in KERNEL_DTYPES if dtype is not DType.BOOL)
FLOATS = tuple(dtype for dtype in KERNEL_DTYPES if dtype.is_float)
pytestmark = needs_cc


def each(kind: LoopKind, *body: Stmt) -> For:
    return For(J, index(N), body, kind)


def values(dtype: DType, seed: int) -> np.ndarray:
    """Numbers of every size, and the ends of the type."""
    rng = np.random.default_rng(seed)
    if dtype is DType.BOOL:
        return rng.integers(0, 2, N).astype(bool)
    if dtype.is_float:
        data = (rng.standard_normal(N) * 10.0 ** rng.integers(-3, 4, N)).astype(np.float32)
        data[:8] = rng.permutation(np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3e-6], np.float32))
        if dtype is DType.BFLOAT16:
            return (data.view(np.uint32) >> 16).astype(np.uint16)
        return data.astype(dtype.numpy)
    info = np.iinfo(dtype.numpy)
    data = rng.integers(info.min, info.max, N, dtype=dtype.numpy, endpoint=True)
    data[:5] = rng.permutation(np.array([info.min, info.max, 1, 3, 7], dtype.numpy))
    return data


def check(
    dtypes: tuple[DType, ...],
    result: DType,
    value: object,
    target: str,
    *,
    nonzero: int = -1,
    small: int = -1,
) -> None:
    """Compares `value(loads…)` in a serial and in a vector loop."""
    inputs = tuple(buffer(f"x{number}", dtype, (N,)) for number, dtype in enumerate(dtypes))
    arrays = [values(dtype, seed) for seed, dtype in enumerate(dtypes)]
    if nonzero >= 0:
        arrays[nonzero][arrays[nonzero] == 0] = 1
    if small >= 0:
        arrays[small] = (np.arange(N) % dtypes[small].bits).astype(dtypes[small].numpy)
    outputs = (buffer("scalar", result, (N,)), buffer("lanes", result, (N,)))
    body = [
        each(kind, store(output, (J,), value(*(load(each_, J) for each_ in inputs))))  # type: ignore[operator]
        for kind, output in zip((LoopKind.SERIAL, LoopKind.VECTOR), outputs, strict=True)
    ]
    check_kernel(Kernel("k", inputs, outputs, tuple(body)), *arrays, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda dtype: dtype.short)
def test_arithmetic_and_comparisons(dtype: DType, target: str) -> None:
    for op in sorted(ARITHMETIC | COMPARISONS):
        if op in ("div", "rem"):
            if not dtype.is_float:
                check((dtype, dtype), dtype, lambda a, b, op=op: Binary(op, a, b), target, nonzero=1)
            elif op == "div":
                check((dtype, dtype), dtype, lambda a, b: Binary("div", a, b), target)
            continue
        result = DType.BOOL if op in COMPARISONS else dtype
        check((dtype, dtype), result, lambda a, b, op=op: Binary(op, a, b), target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "dtype", [dtype for dtype in KERNEL_DTYPES if not dtype.is_float], ids=lambda dtype: dtype.short
)
def test_bits(dtype: DType, target: str) -> None:
    for op in ("and", "or", "xor"):
        check((dtype, dtype), dtype, lambda a, b, op=op: Binary(op, a, b), target)
    check((dtype,), dtype, lambda a: Unary("not", a), target)
    if dtype is not DType.BOOL:
        for op in BITWISE - {"and", "or", "xor"}:
            check((dtype, dtype), dtype, lambda a, b, op=op: Binary(op, a, b), target, small=1)
        check((dtype,), dtype, lambda a: Unary("neg", a), target)
        check((dtype,), dtype, lambda a: Call("abs", (a,)), target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", KERNEL_DTYPES, ids=lambda dtype: dtype.short)
def test_casts(source: DType, target: str) -> None:
    for result in KERNEL_DTYPES:
        if source.is_float and result.is_integer:
            # Out of range is unspecified, so only small numbers.
            check((DType.INT8,), result, lambda a, to=result: Cast(_halved(a, source), to), target)
        else:
            check((source,), result, lambda a, to=result: Cast(a, to), target)


def _halved(value: Expr, dtype: DType) -> Expr:
    """0 to 63.5 in halves."""
    return Binary("mul", Cast(Binary("and", value, Const(127, DType.INT8)), dtype), Const(0.5, dtype))


@pytest.mark.parametrize("target", TARGETS)
def test_bitcasts(target: str) -> None:
    for one, other in [
        (DType.FLOAT32, DType.INT32), (DType.UINT32, DType.FLOAT32), (DType.FLOAT64, DType.UINT64), (DType.INT16, DType.UINT16),
        (DType.BFLOAT16, DType.UINT16), (DType.UINT8, DType.INT8),
    ]:  # fmt: skip
        check((one,), other, lambda a, to=other: Bitcast(a, to), target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.short)
def test_functions_that_round_exactly(dtype: DType, target: str) -> None:
    for function in ("sqrt", "floor", "ceil", "trunc", "rint", "abs"):
        check((dtype,), dtype, lambda a, name=function: Call(name, (a,)), target)
    for function in ("isnan", "isinf"):
        check((dtype,), DType.BOOL, lambda a, name=function: Call(name, (a,)), target)
    check((dtype,), dtype, lambda a: Unary("neg", a), target)


@pytest.mark.parametrize("target", TARGETS)
def test_every_half_and_its_neighbours_convert_as_numpy_does(target: str) -> None:
    halves = np.arange(0x10000, dtype=np.uint16).view(np.float16)
    singles = halves.astype(np.float32)
    with np.errstate(all="ignore"):
        near = np.concatenate(
            [singles, np.nextafter(singles, np.float32(np.inf)), (singles + np.roll(singles, 1)) / 2]
        )
        doubles = np.concatenate([near.astype(np.float64), np.nextafter(near.astype(np.float64), -np.inf)])
        expected = [halves.astype(np.float32), near.astype(np.float16), doubles.astype(np.float16)]
    for source, result, data, right in zip(
        (DType.FLOAT16, DType.FLOAT32, DType.FLOAT64),
        (DType.FLOAT32, DType.FLOAT16, DType.FLOAT16),
        (halves, near, doubles),
        expected,
        strict=True,
    ):  # fmt: skip
        x, y = buffer("x", source, (data.size,)), buffer("y", result, (data.size,))
        at = J * 16 + V
        body = For(
            J,
            index(data.size // 16),
            (For(V, index(16), (store(y, (at,), Cast(load(x, at), result)),), LoopKind.VECTOR),),
        )
        got = np.zeros(data.size, result.numpy)
        compile_kernel(Kernel("k", (x,), (y,), (body,)), target)(data, got)
        np.testing.assert_array_equal(got, right)


@pytest.mark.parametrize("target", TARGETS)
def test_division_never_traps(target: str) -> None:
    dtype = DType.INT32
    x, y, z = buffer("x", dtype, (N,)), buffer("y", dtype, (N,)), buffer("z", dtype, (2, N))
    body = tuple(
        each(LoopKind.VECTOR, store(z, (number, J), Binary(op, load(x, J), load(y, J))))
        for number, op in enumerate(("div", "rem"))
    )
    a, b = np.full(N, -(2**31), np.int32), np.array([0, -1, 1, 2] * (N // 4), np.int32)
    got = np.zeros(2 * N, np.int32)
    compile_kernel(Kernel("k", (x, y), (z,), body), target)(a, b, got)
    np.testing.assert_array_equal(got[:4], [0, -(2**31), -(2**31), -(2**30)])
    np.testing.assert_array_equal(got[N : N + 4], 0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "dtype", [DType.INT8, DType.UINT8, DType.INT16, DType.UINT16, DType.INT32], ids=lambda one: one.value
)
def test_vectors_are_divided_as_scalars_are(dtype: DType, target: str) -> None:
    info, rng, count = np.iinfo(dtype.numpy), np.random.default_rng(5), 1 << 14
    b = rng.integers(info.min, int(info.max) + 1, count, dtype=np.int64)
    b[: count // 2] >>= rng.integers(0, info.bits - 1, count // 2)
    b[b == 0] = 1
    # Whole multiples of the divisor, and their neighbours, as well as any number.
    a = rng.integers(info.min, int(info.max) + 1, count, dtype=np.int64)
    a[::2] = a[::2] // b[::2] * b[::2] + rng.integers(-1, 2, count // 2)
    a = a.clip(info.min, info.max)
    a[:3], b[:3] = info.min, (1, info.max, info.min or 1)
    x, y = buffer("x", dtype, (count,)), buffer("y", dtype, (count,))
    z = buffer("z", dtype, (2, count))
    at, lane = Var("at"), Var("lane")
    place = at * 16 + lane
    pair = tuple(
        store(z, (number, place), Binary(op, load(x, place), load(y, place)))
        for number, op in enumerate(("div", "rem"))
    )
    lanes = For(lane, index(16), pair, LoopKind.VECTOR)
    got = np.zeros(2 * count, dtype.numpy)
    body = (For(at, index(count // 16), (lanes,)),)
    compile_kernel(Kernel("k", (x, y), (z,), body), target)(a.astype(dtype.numpy), b.astype(dtype.numpy), got)
    quotient = np.trunc(a.astype(np.longdouble) / b.astype(np.longdouble)).astype(np.int64)
    np.testing.assert_array_equal(got[:count], quotient.astype(dtype.numpy))
    np.testing.assert_array_equal(got[count:], (a - quotient * b).astype(dtype.numpy))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name", ["asin", "acos", "atan", "sinh", "cosh", "asinh", "tan", "pow", "exp", "log", "tanh", "erf"]
)
def test_functions_agree_with_the_c_library(name: str, target: str) -> None:
    args = 2 if name == "pow" else 1
    for dtype, ulp in ((DType.FLOAT64, 4), (DType.FLOAT32, 4)):
        inputs = tuple(buffer(f"x{number}", dtype, (N,)) for number in range(args))
        y = buffer("y", dtype, (N,))
        body = each(LoopKind.VECTOR, store(y, (J,), Call(name, tuple(load(x, J) for x in inputs))))
        arrays = [np.linspace(0.01, 0.99, N).astype(dtype.numpy) for _ in inputs]
        check_kernel(Kernel("k", inputs, (y,), (body,)), *arrays, target=target, exact=False, ulp=ulp)


@pytest.mark.parametrize("target", TARGETS)
def test_fma_rounds_once_where_the_processor_can(target: str) -> None:
    a = np.full(N, 1 + 2.0**-12, np.float32)
    x, y = buffer("x", DType.FLOAT32, (N,)), buffer("y", DType.FLOAT32, (N,))
    body = each(LoopKind.VECTOR, store(y, (J,), Fma(load(x, J), load(x, J), Const(-1.0, DType.FLOAT32))))
    got = np.zeros(N, np.float32)
    compile_kernel(Kernel("k", (x,), (y,), (body,)), target)(a, got)
    once = chip(resolve(Target.parse(target))).machine.has_fma
    assert got[0] == (np.float32(2.0**-11 + 2.0**-24) if once else np.float32(a[0] * a[0]) - np.float32(1))


def test_multiply_and_add_are_not_fused_by_themselves() -> None:
    x, y = buffer("x", DType.FLOAT32, (N,)), buffer("y", DType.FLOAT32, (N,))
    kernel = Kernel("k", (x,), (y,), (each(LoopKind.VECTOR, store(y, (J,), load(x, J) * load(x, J) + 1.0)),))
    assert "vfm" not in assembly(kernel)


@pytest.mark.parametrize("target", TARGETS)
def test_a_select_does_not_read_what_it_does_not_take(target: str) -> None:
    x, y = buffer("x", DType.FLOAT32, (4,)), buffer("y", DType.FLOAT32, (N,))
    inside = compare("lt", J, 4)
    value = Select(
        inside, load(x, J), Select(compare("gt", J, 30), load(x, J * 1000000), Const(2.5, DType.FLOAT32))
    )
    check_kernel(Kernel("k", (x,), (y,), (each(LoopKind.SERIAL, store(y, (J,), value)),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_store_changes_what_later_statements_read(target: str) -> None:
    x, y = buffer("x", DType.FLOAT32, (N,)), buffer("y", DType.FLOAT32, (N,))
    shared = load(y, J) + 1.0  # one object, read before and after the store
    named = Var("named", DType.FLOAT32)
    body = (
        store(y, (J,), load(x, J)),
        store(y, (J,), shared),
        Let(named, shared),
        If(
            compare("gt", shared, Const(1.0, DType.FLOAT32)),
            (store(y, (J,), shared * 2.0), store(y, (J,), shared + named)),
        ),
    )
    check_kernel(Kernel("k", (x,), (y,), (each(LoopKind.SERIAL, *body),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_loops_run_as_often_as_their_extent_says(target: str) -> None:
    count = buffer("count", DType.INT64, (1,))
    y = buffer("y", DType.INT64, (N,))
    total = buffer("total", DType.INT64, (2,))
    body = (
        store(total, (0,), 0),
        store(total, (1,), 0),
        For(V, load(count, 0), (store(total, (0,), load(total, 0) + V),)),
        For(V, load(count, 0) - 5, (store(total, (1,), load(total, 1) + 1),)),
        each(LoopKind.UNROLLED, For(V, J % 3, (store(y, (J,), J + V),))),
        For(V, index(0), (store(y, (V,), -1),)),
    )
    check_kernel(Kernel("k", (count,), (y, total), body), np.array([5]), target=target)


def test_a_buffer_of_one_element_needs_no_index(target: str = BASELINE) -> None:
    x, y = Buffer("x", DType.FLOAT32, (1, 1), (7, 7)), buffer("y", DType.FLOAT32, ())
    check_kernel(Kernel("k", (x,), (y,), (store(y, (), load(x, 0, 0)),)), target=target)


def test_a_chain_may_be_longer_than_the_stack_of_python() -> None:
    x, y = buffer("x", DType.FLOAT32, (N,)), buffer("y", DType.FLOAT32, (N,))
    value: Expr = load(x, 0)
    for step in range(3000):
        value = value + Const(float(step % 7), DType.FLOAT32)
    kernel = Kernel("k", (x,), (y,), (store(y, (0,), value),))
    text = emit_kernel(kernel, "k", chip(resolve(Target.parse(BASELINE))))
    assert text.count("fadd") == 3000
