"""Loops, locals, branches and indices, compiled as C and interpreted."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.codegen.c.source import kernel_source
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Cast,
    Const,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Load,
    LoopKind,
    Select,
    Var,
    both,
    buffer,
    compare,
    index,
    load,
    maximum,
    select,
    store,
)
from tests.support.kernel_c import agrees_with_interpreter, compile_kernel, needs_cc

pytestmark = [pytest.mark.cc, needs_cc]
F32, I32, I64 = DType.FLOAT32, DType.INT32, DType.INT64
I, J, K, L = Var("i"), Var("j"), Var("k"), Var("l")  # noqa: E741


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).reshape(-1)


def matmul_tile(rows: int, columns: int, depth: int, height: int, lanes: int) -> Kernel:
    """A matrix product as a template writes it: a tile of accumulators, vector loops, an unrolled loop."""
    a, b, c = (
        buffer("a", F32, (rows, depth)),
        buffer("b", F32, (depth, columns)),
        buffer("c", F32, (rows, columns)),
    )
    acc = buffer("acc", F32, (height, lanes))
    row, column = Binary("add", I * height, J), Binary("add", K * lanes, L)
    depth_var = Var("d")

    def tile(*inner: object) -> For:
        return For(J, index(height), (For(L, index(lanes), inner, LoopKind.VECTOR),), LoopKind.UNROLLED)  # type: ignore[arg-type]

    body = (
        Alloc(acc),
        tile(store(acc, (J, L), 0.0)),
        For(
            depth_var,
            index(depth),
            (
                tile(
                    store(
                        acc, (J, L), Fma(load(a, row, depth_var), load(b, depth_var, column), load(acc, J, L))
                    )
                ),
            ),
        ),
        tile(store(c, (row, column), maximum(load(acc, J, L), 0.0))),
    )
    loops = For(I, index(rows // height), (For(K, index(columns // lanes), body),), LoopKind.PARALLEL)
    return Kernel("matmul", (a, b), (c,), (loops,), comment="c = relu(a · b)")


def test_a_tiled_matrix_product_is_right() -> None:
    kernel = matmul_tile(8, 16, 12, 4, 8)
    a, b = numbers(8, 12), numbers(12, 16, seed=1)
    (c,) = agrees_with_interpreter(kernel, a, b, rtol=1e-5, atol=1e-6, flags=("-O3", "-march=native"))
    np.testing.assert_allclose(
        c.reshape(8, 16), np.maximum(a.reshape(8, 12) @ b.reshape(12, 16), 0), rtol=1e-5, atol=1e-6
    )


def test_shared_subexpressions_stay_short() -> None:
    x, y = buffer("x", F32, (5,)), buffer("y", F32, (5,))
    value: Expr = load(x, I)
    for _ in range(60):
        value = value + value * 0.25
    kernel = Kernel("shared", (x,), (y,), (For(I, index(5), (store(y, (I,), value),)),))
    assert len(kernel_source(kernel)) < 8000
    agrees_with_interpreter(kernel, numbers(5))


def test_long_chains_need_no_deep_recursion() -> None:
    x, y = buffer("x", I32, (5,)), buffer("y", I32, (5,))
    value: Expr = load(x, I)
    for step in range(3000):
        value = value + step
    kernel = Kernel("chain", (x,), (y,), (For(I, index(5), (store(y, (I,), value),)),))
    agrees_with_interpreter(kernel, np.arange(5, dtype=np.int32))


def test_shared_values_of_untaken_branches_read_nothing_outside() -> None:
    """Both selects share the load, so it has one name outside of both; at the borders neither branch is taken."""
    x, y = buffer("x", F32, (6,)), buffer("y", F32, (6,))
    far = load(x, I * 100000000 - 300000000)
    left = select(compare("eq", I, 3), far * far, 0.0)
    right = select(compare("eq", load(x, I), 0.0), far + 1.0, 2.0)
    kernel = Kernel("lazy", (x,), (y,), (For(I, index(6), (store(y, (I,), left + right),)),))
    array = np.array([5, 4, 3, 0, 1, 2], np.float32)
    agrees_with_interpreter(kernel, array, flags=("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"))
    assert "inside" in kernel_source(kernel)


def test_values_shared_within_one_branch_are_computed_in_it() -> None:
    x, y = buffer("x", F32, (4, 5)), buffer("y", F32, (4, 5))
    near = load(x, I - 1, J + 1)
    inner = select(compare("gt", near, 0.0), near * near + near, near - 1.0)
    condition = both(compare("ge", I, 1), compare("lt", J, 4))
    kernel = Kernel(
        "pad",
        (x,),
        (y,),
        (For(I, index(4), (For(J, index(5), (store(y, (I, J), select(condition, inner, -1.0)),)),)),),
    )
    text = kernel_source(kernel)
    assert "} else {" in text and "inside" not in text
    agrees_with_interpreter(kernel, numbers(4, 5))


def test_strides_place_the_elements() -> None:
    x = buffer("x", F32, (2, 3, 4), (1, 8, 2))
    y = buffer("y", F32, (2, 3, 4), (12, 1, 3))
    body = store(y, (I, J, K), load(x, I, J, K) + 1.0)
    kernel = Kernel(
        "move", (x,), (y,), (For(I, index(2), (For(J, index(3), (For(K, index(4), (body,)),)),)),)
    )
    agrees_with_interpreter(kernel, numbers(x.span))


def test_offsets_beyond_32_bits_are_computed_in_64() -> None:
    x = buffer("x", DType.INT8, (3, 2**31), (2**31, 1))
    y = buffer("y", DType.INT8, (3,))
    kernel = Kernel("far", (x,), (y,), (For(I, index(3), (store(y, (I,), load(x, I, I)),)),))
    assert "x[i * INT64_C(2147483648) + i]" in kernel_source(kernel)
    compile_kernel_only(kernel)


def compile_kernel_only(kernel: Kernel) -> None:
    from tests.support.kernel_c import compile_source

    compile_source(kernel_source(kernel))


def test_indices_that_are_data_are_followed() -> None:
    """Gather: an int64 index read from memory, with negative ones counted from the end."""
    for dtype in (I32, I64, DType.UINT8):
        x, where, y = buffer("x", F32, (7,)), buffer("where", dtype, (4,)), buffer("y", F32, (4,))
        read = Cast(load(where, I), I64)
        wrapped = select(compare("lt", read, 0), read + 7, read)
        kernel = Kernel("gather", (x, where), (y,), (For(I, index(4), (store(y, (I,), load(x, wrapped)),)),))
        chosen = np.array([6, 0, 3, 1] if dtype is DType.UINT8 else [-1, 0, 3, -7])
        agrees_with_interpreter(kernel, numbers(7), chosen.astype(dtype.numpy))


def test_lets_branches_and_loops_with_computed_ends() -> None:
    n, y = buffer("n", I64, (3,)), buffer("y", I64, (3,))
    total, end = buffer("total", I64, ()), Var("end", I64)
    odd = Var("odd", DType.BOOL)
    body = (
        Alloc(total),
        store(total, (), 0),
        Let(end, load(n, I)),
        For(
            J,
            Binary("add", end, end),
            (
                Let(odd, compare("eq", J % 2, 1)),
                If(
                    odd,
                    (store(total, (), load(total) + J),),
                    (If(compare("gt", J, 3), (), (store(total, (), load(total) - 1),)),),
                ),
            ),
        ),
        store(y, (I,), load(total)),
    )
    kernel = Kernel("sums", (n,), (y,), (For(I, index(3), body),))
    agrees_with_interpreter(kernel, np.array([0, 3, 9], np.int64))


def test_locals_in_a_vector_loop_are_one_for_each_lane() -> None:
    x, y = buffer("x", F32, (8, 3)), buffer("y", F32, (8,))
    best = buffer("best", F32, ())
    seen = buffer("seen", DType.BOOL, (3,))
    body = (
        Alloc(best),
        Alloc(seen),
        store(best, (), -1e30),
        For(
            J,
            index(3),
            (
                store(best, (), maximum(load(x, I, J), load(best))),
                store(seen, (J,), compare("gt", load(x, I, J), 0.0)),
            ),
        ),
        store(y, (I,), Select(load(seen, index(1)), load(best), Const(0.0, F32))),
    )
    kernel = Kernel("lanes", (x,), (y,), (For(I, index(8), body, LoopKind.VECTOR),))
    agrees_with_interpreter(kernel, numbers(8, 3), flags=("-O3",))


def test_in_place_kernels_may_share_memory() -> None:
    x, y = buffer("x", F32, (64,)), buffer("y", F32, (64,))
    kernel = Kernel(
        "twice",
        (x,),
        (y,),
        (For(I, index(64), (store(y, (I,), load(x, I) * 2.0),), LoopKind.VECTOR),),
        in_place=((0, 0),),
    )
    assert "restrict" not in kernel_source(kernel)
    array = numbers(64)
    expected = array * 2
    compile_kernel(kernel, ("-O3",))(array, array)
    np.testing.assert_array_equal(array, expected)


def test_loops_that_never_run_and_empty_buffers_compile() -> None:
    x, y, s = buffer("x", F32, (0, 3)), buffer("y", F32, (0,)), buffer("s", F32, ())
    unused, scratch = buffer("unused", F32, (2,)), buffer("scratch", F32, (4,))
    local = buffer("local", F32, (0,))
    body = (
        Alloc(local),
        For(I, index(0), (store(y, (I,), load(x, I, index(0)) + load(local, I)),)),
        store(s, (), 1.0),
        Let(Var("nothing", F32), Const(2.0, F32)),
    )
    kernel = Kernel("empty", (x, unused), (y, s), body, workspaces=(scratch,))
    outputs = agrees_with_interpreter(kernel, np.zeros(0, np.float32), np.zeros(2, np.float32))
    assert outputs[1][0] == 1.0
    nothing = Kernel("nothing", (), (s,), ())
    compile_kernel_only(nothing)


def test_locals_that_nobody_reads_compile() -> None:
    x, y = buffer("x", F32, (3,)), buffer("y", F32, (3,))
    a, b, c = buffer("a", F32, ()), buffer("b", F32, (2,)), buffer("c", F32, (2,))
    body = (
        Alloc(a),
        Alloc(b),
        Alloc(c),
        store(a, (), load(x, I)),
        store(b, (index(0),), 1.0),
        store(y, (I,), load(x, I)),
    )
    agrees_with_interpreter(Kernel("unread", (x,), (y,), (For(I, index(3), body),)), numbers(3))


def test_conditions_that_are_known_leave_no_unused_parameter() -> None:
    x, y = buffer("x", F32, (3,)), buffer("y", F32, (3,))
    small = DType.UINT8
    u = buffer("u", small, (3,))
    value = select(compare("lt", I, 3), Const(1.0, F32), load(x, I))
    sure = select(Binary("ge", load(u, I), Const(0, small)), value, 0.0)
    kernel = Kernel(
        "known", (x, u), (y,), (For(I, index(3), (If(compare("ge", I, 0), (store(y, (I,), sure),)),)),)
    )
    agrees_with_interpreter(kernel, numbers(3), np.zeros(3, np.uint8))


@pytest.mark.parametrize(
    "name", ["double", "expf", "f32_max", "bases", "INT32_MIN", "t0", "_x", "j1", "i_end"]
)
def test_names_of_c_do_not_clash(name: str) -> None:
    x, y, local = buffer(name, F32, (3,)), buffer("y", F32, (3,)), buffer("restrict", F32, ())
    loop = Var("for")
    value = load(x, loop)
    value = value * value
    body = (Alloc(local), store(local, (), value * value + 1.0), store(y, (loop,), maximum(load(local), 0.0)))
    agrees_with_interpreter(Kernel(name, (x,), (y,), (For(loop, index(3), body),)), numbers(3), rtol=1e-6)


def test_comments_cannot_end_early() -> None:
    x, y = buffer("x", F32, (1,)), buffer("y", F32, (1,))
    comment = "bad */ int x; /* nested **//*/ ??/\n line \\\n Größe \x00 \\"
    kernel = Kernel("k", (x,), (y,), (store(y, (index(0),), load(x, index(0))),), comment=comment)
    text = kernel_source(kernel)
    text.encode("ascii")
    agrees_with_interpreter(kernel, numbers(1))


def test_the_same_kernel_gives_the_same_text_in_any_process() -> None:
    import sys

    code = (
        "from tests.codegen.c.test_statements import matmul_tile\n"
        "from ingot.codegen.c.source import kernel_source\n"
        "print(kernel_source(matmul_tile(8, 16, 12, 4, 8)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {kernel_source(matmul_tile(8, 16, 12, 4, 8)).encode() + b"\n"}


def test_the_load_of_a_scalar_parameter() -> None:
    x, y = buffer("x", I32, ()), buffer("y", F32, ())
    kernel = Kernel("scalar", (x,), (y,), (store(y, (), Cast(Load(x, ()), F32)),))
    agrees_with_interpreter(kernel, np.array([7], np.int32))
