"""Words of bytes and of 16-bit numbers, and their dot products: in every code generator the same, whatever a processor has."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.features import cpu_features
from ingot.kernels.blocks.dot_block import halves
from ingot.loops.interpret import run
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    For,
    Kernel,
    LoopKind,
    Stmt,
    Var,
    Word,
    buffer,
    index,
    load,
    store,
    word,
)
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.verify import verify
from tests.support import kernel_c, kernel_opencl
from tests.support.kernel_llvm import BASELINE, assembly, check_kernel, needs_cc

LANES, STEPS = 16, 5
V, K = Var("v"), Var("k")
ON_X86 = platform.machine() == "x86_64"
TARGETS = [BASELINE, "llvm -mcpu=native"]
if ON_X86:
    TARGETS += ["llvm -mcpu=native -mattr=-avx512vnni,-avxvnni", "llvm -mcpu=native -mattr=-avx512f,-avxvnni"]


def vector(lanes: int, *body: Stmt) -> For:
    return For(V, index(lanes), body, LoopKind.VECTOR)


def dot_kernel(lanes: int = LANES, codes: DType = DType.UINT8, signed: bool = False) -> Kernel:
    """y[v] = Σ_k x[k] · w[k, v] with words of `x` the same in all lanes; z[v] = one dot product of words of their own. `signed`:
    so are the bytes on the left.
    """
    x, w = buffer("x", codes, (STEPS * 4,)), buffer("w", DType.INT32, (STEPS, lanes))
    y, z = buffer("y", DType.INT32, (lanes,)), buffer("z", DType.INT32, (lanes,))
    own = buffer("own", codes, (lanes, 4))
    acc = buffer("acc", DType.INT32, (lanes,))
    one: Expr = word(load(x, K * 4))
    body = (
        Alloc(acc),
        vector(lanes, store(acc, (V,), 7)),
        For(
            K,
            index(STEPS),
            (vector(lanes, store(acc, (V,), Dot4(one, load(w, K, V), load(acc, V), signed))),),
        ),
        vector(lanes, store(y, (V,), load(acc, V))),
        vector(
            lanes,
            store(z, (V,), Dot4(load(w, 0, V), word(load(own, V, 0)), Const(2**31 - 1, DType.INT32), signed)),
        ),
    )
    return Kernel("dots", (x, w, own), (y, z), body)


def operands(lanes: int = LANES, codes: DType = DType.UINT8) -> tuple[np.ndarray, ...]:
    """The ends of the ranges among random bytes: pairs of 255 · 127 saturate where 16 bits hold a sum of two."""
    rng = np.random.default_rng(lanes)
    x = rng.integers(0, 256, STEPS * 4).astype(np.uint8)
    x[:8] = 255
    w = rng.integers(-128, 128, (STEPS, lanes, 4)).astype(np.int8)
    w[0], w[1] = 127, -128
    own = rng.integers(-128, 128, (lanes, 4)).astype(np.int8)
    return x.view(codes.numpy), w.reshape(-1).view(np.int32), own.reshape(-1).view(codes.numpy)


def expected(
    x: np.ndarray, w: np.ndarray, own: np.ndarray, signed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    left = np.int8 if signed else np.uint8
    weights = w.view(np.int8).reshape(STEPS, -1, 4).astype(np.int64)
    y = 7 + np.einsum("kb,kvb->v", x.view(left).reshape(STEPS, 4).astype(np.int64), weights)
    first = w.view(left).reshape(STEPS, -1, 4)[0].astype(np.int64)
    z = 2**31 - 1 + np.einsum("vb,vb->v", first, own.view(np.int8).reshape(-1, 4).astype(np.int64))
    return y.astype(np.int32), z.astype(np.int32)


def half_kernel(lanes: int = LANES, signed: bool = True) -> Kernel:
    """y[v] = Σ_k x[k] · w[k, v], where words of `w` are two int16 that lie apart; z[v] = one product of words of its own."""
    codes = DType.INT8 if signed else DType.UINT8
    x, w = buffer("x", codes, (STEPS * 4,)), buffer("w", DType.INT16, (STEPS, 2, lanes))
    y, z = buffer("y", DType.INT32, (lanes,)), buffer("z", DType.INT32, (lanes,))
    own, acc = buffer("own", codes, (lanes, 4)), buffer("acc", DType.INT32, (lanes,))

    def dot(a: Expr, step: Expr, total: Expr) -> Expr:
        return Dot4(a, halves(load(w, step, 0, V), load(w, step, 1, V)), total, signed, narrow=True)

    body = (
        Alloc(acc),
        vector(lanes, store(acc, (V,), 7)),
        For(K, index(STEPS), (vector(lanes, store(acc, (V,), dot(word(load(x, K * 4)), K, load(acc, V)))),)),
        vector(lanes, store(y, (V,), load(acc, V))),
        vector(lanes, store(z, (V,), dot(word(load(own, V, 0)), index(0), Const(2**31 - 1, DType.INT32)))),
    )
    return Kernel("halves", (x, w, own), (y, z), body)


def split_words(lanes: int = LANES) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Operands of `half_kernel`, and its results. The largest sums that 16 bits hold are among them: (-128)² + 128 · 127."""
    x, w, own = operands(lanes, DType.INT8)
    numbers = np.maximum(w.view(np.int8).reshape(STEPS, lanes, 4), -127)
    numbers[0, :, :2] = -128
    x[:8] = -128
    own = own.reshape(lanes, 4)
    own[0] = -128
    y = 7 + np.einsum("kb,kvb->v", x.reshape(STEPS, 4).astype(np.int64), numbers)
    z = 2**31 - 1 + np.einsum("vb,vb->v", own.astype(np.int64), numbers[0])
    split = np.ascontiguousarray(numbers).view(np.int16).transpose(0, 2, 1)
    return (x, np.ascontiguousarray(split).reshape(-1), own.reshape(-1)), (
        y.astype(np.int32),
        z.astype(np.int32),
    )


@needs_cc
@pytest.mark.parametrize("lanes", [1, 3, 4, 8, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_words_in_halves_give_the_same_numbers(target: str, lanes: int) -> None:
    given, wanted = split_words(lanes)
    for got, one in zip(check_kernel(half_kernel(lanes), *given, target=target), wanted, strict=True):
        np.testing.assert_array_equal(got, one)


@pytest.mark.cc
@kernel_c.needs_cc
def test_c_takes_words_in_halves() -> None:
    kernel_c.agrees_with_interpreter(half_kernel(), *split_words()[0])


@pytest.mark.opencl
@kernel_opencl.needs_opencl
def test_opencl_takes_words_in_halves() -> None:
    kernel_opencl.agrees_with_interpreter(half_kernel(), *split_words()[0])


@pytest.mark.parametrize("flags", [" -mcpu=cortex-a72", " -mcpu=cortex-a53", ""])
def test_neon_adds_two_products_in_sixteen_bits(flags: str) -> None:
    text = assembly(half_kernel(4), f"llvm -mtriple=aarch64-linux-gnu{flags}")
    assert all(re.search(rf"\t{instruction}\t", text) for instruction in ("smull", "smlal", "sadalp"))
    assert "sadalp" not in assembly(half_kernel(4), "llvm -mtriple=aarch64-linux-gnu -mattr=-neon")
    assert "sadalp" not in assembly(half_kernel(4, signed=False), f"llvm -mtriple=aarch64-linux-gnu{flags}")


def test_a_kernel_that_says_that_sums_are_narrow_and_is_wrong_is_no_silent_error() -> None:
    (x, w, own), _ = split_words()
    w.view(np.int8)[:] = -128
    y, z = np.zeros(LANES, np.int32), np.zeros(LANES, np.int32)
    with pytest.raises(InternalError, match="do not fit 16 bits together"):
        run(half_kernel(), {"x": x, "w": w, "own": own, "y": y, "z": z})


def pair_kernel(lanes: int = LANES) -> Kernel:
    """y[v] = Σ_k x[k] · w[v, k] over pairs of 16-bit numbers, words of `x` the same in all lanes, those of `w` one after
    another; z[v] = one dot product of words that do not lie one after another.
    """
    x, w = buffer("x", DType.INT16, (STEPS * 2,)), buffer("w", DType.INT16, (STEPS, lanes, 2))
    y, z = buffer("y", DType.INT32, (lanes,)), buffer("z", DType.INT32, (lanes,))
    acc, apart = buffer("acc", DType.INT32, (lanes,)), buffer("apart", DType.INT16, (lanes, 3))
    body = (
        Alloc(acc),
        vector(lanes, store(acc, (V,), 7)),
        For(
            K,
            index(STEPS),
            (
                vector(
                    lanes, store(acc, (V,), Dot2(word(load(x, K * 2)), word(load(w, K, V, 0)), load(acc, V)))
                ),
            ),
        ),
        vector(lanes, store(y, (V,), load(acc, V))),
        vector(
            lanes,
            store(
                z, (V,), Dot2(word(load(apart, V, 1)), word(load(w, 0, V, 0)), Const(2**31 - 1, DType.INT32))
            ),
        ),
    )
    return Kernel("pairs", (x, w, apart), (y, z), body)


def pairs(lanes: int = LANES) -> tuple[np.ndarray, ...]:
    """Random numbers, and pairs of -2^15: the sum of two products is 2^31, which wraps and does not saturate."""
    rng = np.random.default_rng(lanes)
    x, w, apart = (
        rng.integers(-(2**15), 2**15, shape).astype(np.int16)
        for shape in (STEPS * 2, (STEPS, lanes, 2), (lanes, 3))
    )
    x[:2] = w[0] = -(2**15)
    return x, w.reshape(-1), apart.reshape(-1)


def sums_of_pairs(x: np.ndarray, w: np.ndarray, apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wide = w.astype(np.int64).reshape(STEPS, -1, 2)
    y = 7 + np.einsum("kb,kvb->v", x.astype(np.int64).reshape(STEPS, 2), wide)
    z = 2**31 - 1 + np.einsum("vb,vb->v", apart.astype(np.int64).reshape(-1, 3)[:, 1:], wide[0])
    return y.astype(np.int32), z.astype(np.int32)


@needs_cc
@pytest.mark.parametrize("lanes", [1, 3, 4, 8, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_interpreter_and_llvm_sum_products_of_pairs(target: str, lanes: int) -> None:
    given = pairs(lanes)
    for got, wanted in zip(
        check_kernel(pair_kernel(lanes), *given, target=target), sums_of_pairs(*given), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.cc
@kernel_c.needs_cc
def test_c_sums_products_of_pairs() -> None:
    kernel_c.agrees_with_interpreter(pair_kernel(), *pairs())


@pytest.mark.opencl
@kernel_opencl.needs_opencl
def test_opencl_sums_products_of_pairs() -> None:
    kernel_opencl.agrees_with_interpreter(pair_kernel(), *pairs())


@pytest.mark.parametrize(
    ("cpu", "instruction"),
    [
        ("cascadelake", "vpdpwssd"),
        ("alderlake", "vpdpwssd"),
        ("skylake-avx512", "vpmaddwd"),
        ("x86-64-v3", "vpmaddwd"),
        ("x86-64", "pmaddwd"),
    ],
)
def test_each_x86_processor_gets_its_own_instruction_for_pairs(cpu: str, instruction: str) -> None:
    lanes = {"cascadelake": 16, "skylake-avx512": 16, "x86-64": 4}.get(cpu, 8)
    assert instruction in assembly(pair_kernel(lanes), f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("codes", [DType.UINT8, DType.INT8], ids=lambda dtype: dtype.short)
def test_the_interpreter_sums_products_of_bytes(codes: DType, signed: bool) -> None:
    x, w, own = operands(codes=codes)
    y, z = np.zeros(LANES, np.int32), np.zeros(LANES, np.int32)
    run(dot_kernel(codes=codes, signed=signed), {"x": x, "w": w, "own": own, "y": y, "z": z})
    np.testing.assert_array_equal(y, expected(x, w, own, signed)[0])
    np.testing.assert_array_equal(z, expected(x, w, own, signed)[1])


@needs_cc
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("lanes", [1, 3, 4, 8, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_llvm_gives_the_same_numbers_with_and_without_instructions_for_it(
    target: str, lanes: int, signed: bool
) -> None:
    given = operands(lanes)
    y, _ = check_kernel(dot_kernel(lanes, signed=signed), *given, target=target)
    np.testing.assert_array_equal(y, expected(*given, signed)[0])


def side_by_side(rows: int) -> Kernel:
    """y[r] = one dot product of the words of row `r`, with none of it a vector: code that LLVM likes to make a vector of."""
    x, w, y = (
        buffer("x", DType.UINT8, (rows, 4)),
        buffer("w", DType.INT32, (1,)),
        buffer("y", DType.INT32, (rows,)),
    )
    body = tuple(
        store(y, (r,), Dot4(word(load(x, index(r), index(0))), load(w, 0), load(w, 0))) for r in range(rows)
    )
    return Kernel("side_by_side", (x, w), (y,), body)


@needs_cc
@pytest.mark.parametrize("target", TARGETS)
def test_products_side_by_side_are_not_mixed_up(target: str) -> None:
    x = np.array([[217, 163, 130, 69], [78, 10, 19, 4], [44, 208, 166, 233], [128, 155, 248, 186]], np.uint8)
    weights = np.array([33, 11, 15, 111], np.int8)
    total = weights.view(np.int32)
    (y,) = check_kernel(side_by_side(4), x.reshape(-1), total, target=target)
    np.testing.assert_array_equal(y, x.astype(np.int32) @ weights.astype(np.int32) + total)


@pytest.mark.cc
@kernel_c.needs_cc
def test_c_gives_the_same_numbers() -> None:
    kernel_c.agrees_with_interpreter(dot_kernel(), *operands())
    kernel_c.agrees_with_interpreter(dot_kernel(codes=DType.INT8), *operands(codes=DType.INT8))
    kernel_c.agrees_with_interpreter(dot_kernel(codes=DType.INT8, signed=True), *operands(codes=DType.INT8))


@pytest.mark.opencl
@kernel_opencl.needs_opencl
def test_opencl_gives_the_same_numbers() -> None:
    kernel_opencl.agrees_with_interpreter(dot_kernel(), *operands())
    kernel_opencl.agrees_with_interpreter(dot_kernel(signed=True), *operands())


@pytest.mark.parametrize(
    ("cpu", "instruction", "features"),
    [
        ("cascadelake", "vpdpbusd", "avx512_vnni"),
        ("alderlake", "vpdpbusd", "avx_vnni"),
        ("skylake-avx512", "vpmaddwd", "avx512bw"),
        ("x86-64-v3", "vpmaddwd", "avx2"),
        ("x86-64", "pmaddwd", ""),
    ],
)
def test_each_x86_processor_gets_its_own_instruction(cpu: str, instruction: str, features: str) -> None:
    lanes = 16 if "avx512" in features else 8 if "avx" in features else 4
    text = assembly(dot_kernel(lanes), f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")
    assert instruction in text
    assert "vpmaddubsw" not in text
    found = cpu_features(text, "x86_64-linux-gnu")
    assert features in found if features else not found


@pytest.mark.parametrize(
    ("cpu", "instruction"), [("neoverse-n2", "\tusdot"), ("neoverse-n1", "\tsdot"), ("cortex-a53", "\tmla")]
)
def test_each_arm_processor_gets_its_own_instruction(cpu: str, instruction: str) -> None:
    assert instruction in assembly(dot_kernel(4), f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}")


def test_the_text_form_loses_nothing() -> None:
    for kernel in (dot_kernel(), dot_kernel(signed=True), half_kernel(), pair_kernel()):
        assert to_text(from_text(to_text(kernel))) == to_text(kernel)


def test_words_are_of_integers_of_eight_or_sixteen_bits_inside_their_buffer() -> None:
    y = buffer("y", DType.INT32, (1,))
    long, short = buffer("long", DType.INT32, (8,)), buffer("short", DType.INT8, (3,))
    one = buffer("one", DType.INT16, (1,))
    for wrong, says in ((long, "word does not take operands"), (short, "of 3 bytes"), (one, "of 2 bytes")):
        kernel = Kernel("k", (wrong,), (y,), (store(y, (0,), Word(load(wrong, 0))),))  # type: ignore[arg-type]
        with pytest.raises(InternalError, match=says):
            verify(kernel)
    x = buffer("x", DType.INT8, (8,))
    kernel = Kernel("k", (x,), (y,), (For(K, index(8), (store(y, (0,), word(load(x, K))),)),))
    with pytest.raises(InternalError, match="outside buffer 'x'"):
        run(kernel, {"x": np.zeros(8, np.int8), "y": np.zeros(1, np.int32)})


def joined_kernel(*codes: Expr | int, lanes: int = LANES, dtype: DType = DType.INT32) -> Kernel:
    """y[v] = the codes side by side, the first lowest."""
    word_of: Expr | None = None
    for position, code in enumerate(codes):
        one = Const(code, dtype) if isinstance(code, int) else Cast(code, dtype)
        moved = Binary("shl", one, Const(8 * position, dtype)) if position else one
        word_of = moved if word_of is None else Binary("or", word_of, moved)
    assert word_of is not None
    return Kernel("k", (X,), (y := buffer("y", dtype, (lanes,)),), (vector(lanes, store(y, (V,), word_of)),))


X = buffer("x", DType.UINT8, (4, 16))
ROWS = [load(X, row, V) for row in range(4)]


@needs_cc
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [DType.INT32, DType.UINT32])
def test_codes_side_by_side_are_a_word(target: str, dtype: DType) -> None:
    for lanes in (1, 3, 16):
        check_kernel(joined_kernel(*ROWS, lanes=lanes, dtype=dtype), target=target)
    check_kernel(joined_kernel(ROWS[2], 200, ROWS[0], 7, dtype=dtype), target=target)  # some are known
    check_kernel(joined_kernel(ROWS[2], ROWS[0], ROWS[1], dtype=dtype), target=target)
    check_kernel(
        joined_kernel(ROWS[1], load(X, 0, 0), ROWS[1], load(X, 3, 2), dtype=dtype), target=target
    )  # same in all lanes
    check_kernel(joined_kernel(*(load(X, row, 5) for row in range(4)), dtype=dtype), target=target)


@needs_cc
def test_what_only_looks_like_codes_side_by_side_is_no_word_of_them() -> None:
    def part(row: int, moved: int) -> Expr:
        return Binary("shl", Cast(ROWS[row], DType.INT32), Const(moved, DType.INT32))

    two = Binary("or", Cast(ROWS[0], DType.INT32), part(1, 8))
    twice = Binary("or", two, part(2, 8))
    odd = Binary("or", Cast(ROWS[0], DType.INT32), part(1, 12))
    above = Binary("or", two, Const(0x1FF, DType.INT32))
    for value in (twice, odd, above):
        y = buffer("y", DType.INT32, (LANES,))
        check_kernel(Kernel("k", (X,), (y,), (vector(LANES, store(y, (V,), value)),)))


@needs_cc
def test_words_of_codes_are_made_without_shifts() -> None:
    text = assembly(joined_kernel(*ROWS), "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4")
    assert "vpslld" not in text
    assert "vpmovzxbd" not in text
