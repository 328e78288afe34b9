"""Vector loops of the llvm code generator against the interpreter: every way a lane may reach memory."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Const,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Prefetch,
    Select,
    Stmt,
    Var,
    buffer,
    call,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)  # fmt: skip
from tests.support import machines
from tests.support.kernel_llvm import BASELINE, assembly, check_kernel, needs_cc

F = DType.FLOAT32
V, J, K = Var("v"), Var("i"), Var("k")
CHIP = Chip(machine=machines.AVX2, has_half=True)
TARGETS = (BASELINE, "llvm -mcpu=native")
pytestmark = needs_cc


def vector(extent: int, *body: Stmt) -> For:
    return For(V, index(extent), body, LoopKind.VECTOR)


def serial(var: Var, extent: Expr | int, *body: Stmt) -> For:
    return For(var, index(extent), body)


def unrolled(var: Var, extent: int, *body: Stmt) -> For:
    return For(var, index(extent), body, LoopKind.UNROLLED)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("extent", [1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 100, 200])
def test_any_extent_is_covered_once(extent: int, target: str) -> None:
    x, y = buffer("x", F, (extent,)), buffer("y", F, (extent,))
    check_kernel(Kernel("k", (x,), (y,), (vector(extent, store(y, (V,), load(x, V) + 1.0)),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("step", [-3, -2, -1, 0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [F, DType.UINT8, DType.BOOL, DType.INT64, DType.FLOAT16])
def test_lanes_reach_memory_at_any_step(step: int, dtype: DType, target: str) -> None:
    n = 12
    size = abs(step) * (n - 1) + 3
    start = size - 2 if step < 0 else 1
    x, y = buffer("x", dtype, (size,)), buffer("y", dtype, (2, n))
    z = buffer("z", dtype, (size,))
    body = [vector(n, store(y, (1, V), load(x, V * step + start)))]
    if step:
        body.append(vector(n, store(z, (V * step + start,), load(x, V))))
    check_kernel(Kernel("k", (x,), (y, z), tuple(body)), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [F, DType.INT8, DType.BOOL, DType.FLOAT64, DType.BFLOAT16])
def test_lanes_outside_a_condition_do_not_touch_memory(dtype: DType, target: str) -> None:
    x, y = buffer("x", dtype, (10,)), buffer("y", dtype, (4, 16))
    inside = Binary("and", compare("ge", V, 3), compare("lt", V, 13))
    zero = Const(0, dtype)
    body = (
        vector(16, store(y, (0, V), Select(inside, load(x, V - 3), zero))),
        vector(16, store(y, (1, V), Select(inside, load(x, 12 - V), zero))),
        vector(16, store(y, (2, V), Select(inside, load(x, (V - 3) % 5), zero))),
        vector(16, store(y, (3, V), Select(compare("ge", V, 99), load(x, index(1000)), zero))),
    )
    check_kernel(Kernel("k", (x,), (y,), body), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_condition_that_differs_by_lane_guards_stores(target: str) -> None:
    x, y = buffer("x", F, (20,)), buffer("y", F, (20,))
    y2 = buffer("y", F, (3, 20))
    with_steps = (
        vector(
            20,
            If(compare("lt", V, 7), (store(y2, (V // 7, V % 7), load(x, V)), store(y2, (2, 5), load(x, V)))),
        ),
        vector(20, If(compare("lt", V, 0), (store(y2, (index(0), index(0)), Const(3.0, F)),))),
    )
    check_kernel(Kernel("k", (x,), (y2,), with_steps), target=target)
    # Lanes of the loop below write one another's elements only where the condition keeps them apart.
    halves = buffer("x", F, (10,))
    low, high = ((store(y, (V + first,), load(halves, V)),) for first in (0, 10))
    check_kernel(
        Kernel("k", (halves,), (y,), (vector(10, If(compare("lt", V, 5), low, high)),)), target=target
    )


@pytest.mark.parametrize("target", TARGETS)
def test_locals_of_a_vector_loop_are_one_for_each_lane(target: str) -> None:
    x, y = buffer("x", F, (4, 24)), buffer("y", F, (24,))
    local = buffer("local", F, (4,))
    body = (
        Alloc(local),
        serial(K, 4, store(local, (K,), load(x, K, V) * 2.0)),
        Let(Var("best", F), maximum(load(local, 0), load(local, 3))),
        store(y, (V,), Var("best", F) + load(local, V % 4)),
    )
    check_kernel(Kernel("k", (x,), (y,), (vector(24, *body),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_serial_loop_may_run_longer_in_some_lanes(target: str) -> None:
    x, y = buffer("x", F, (16, 16)), buffer("y", F, (16,))
    acc = buffer("acc", F, ())
    body = (
        Alloc(acc),
        store(acc, (), 0.0),
        serial(K, V + 1, store(acc, (), load(acc) + load(x, V, K))),
        store(y, (V,), load(acc)),
    )
    check_kernel(Kernel("k", (x,), (y,), (vector(16, *body),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_division_splits_an_index_of_consecutive_lanes(target: str) -> None:
    x, y = buffer("x", F, (6, 8, 3)), buffer("y", F, (96,))
    flat = J * 16 + V
    body = (
        serial(
            J,
            6,
            vector(
                16,
                store(
                    y, (flat,), load(x, flat // 16, flat // 2 % 8, index(1)) + load(x, flat % 6, J, V // 8)
                ),
            ),
        ),
    )
    check_kernel(Kernel("k", (x,), (y,), body), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_on_indices_hold_at_their_edges(target: str) -> None:
    y = buffer("y", DType.INT32, (6, 5, 16))
    at = J * 16 + V - 20
    tests = [compare(op, at, 3) for op in ("lt", "le", "gt", "ge", "eq", "ne")]
    body = tuple(
        serial(
            J,
            5,
            vector(16, store(y, (number, J, V), Select(test, Const(1, DType.INT32), Const(0, DType.INT32)))),
        )
        for number, test in enumerate(tests)
    )
    check_kernel(Kernel("k", (), (y,), body), target=target)


def matmul(rows: int, columns: int, depth: int) -> Kernel:
    """A [rows, depth] · B [columns/16, depth, 16], tiles of 6 x 16 in registers, then relu."""
    a, b, c = (
        buffer("a", F, (rows, depth)),
        buffer("b", F, (columns // 16, depth, 16)),
        buffer("c", F, (rows, columns)),
    )
    acc = buffer("acc", F, (6, 16))
    m, n = Var("m"), Var("n")
    tile = (
        Alloc(acc),
        unrolled(J, 6, vector(16, store(acc, (J, V), 0.0))),
        serial(
            K,
            depth,
            unrolled(
                J,
                6,
                vector(16, store(acc, (J, V), Fma(load(a, m * 6 + J, K), load(b, n, K, V), load(acc, J, V)))),
            ),
        ),
        unrolled(
            J, 6, vector(16, store(c, (m * 6 + J, n * 16 + V), maximum(Const(0.0, F), load(acc, J, V))))
        ),
    )
    return Kernel(
        "matmul",
        (a, b),
        (c,),
        (For(m, index(rows // 6), (serial(n, columns // 16, *tile),), LoopKind.PARALLEL),),
    )


def test_accesses_that_lie_fixed_distances_apart_share_a_pointer() -> None:
    planes, rows, block = 36, 64, Var("block")
    x, y = buffer("x", F, (rows, 16)), buffer("y", F, (4, planes, rows + 1, 16))
    at = block * 8 + V
    stores = tuple(store(y, (K, plane, J, at), load(x, J, at) + float(plane)) for plane in range(planes))
    kernel = Kernel("k", (x,), (y,), (serial(K, 4, serial(J, rows, serial(block, 2, vector(8, *stores)))),))
    check_kernel(kernel)
    assert "%rsp" not in assembly(kernel)  # where a pointer for each was kept


def test_a_register_tile_stays_in_registers() -> None:
    lines = [line.strip() for line in assembly(matmul(96, 64, 256)).splitlines()]
    fused = [number for number, line in enumerate(lines) if line.startswith("vfmadd")]
    assert len(fused) == 12
    inner = lines[fused[0] : fused[-1] + 1]
    loads = [line for line in inner if not line.startswith("vfmadd")]
    assert all(line.startswith(("vbroadcastss", "addq", "incq", "vmovups")) for line in loads), inner
    assert not any("rsp" in line for line in inner), inner


@pytest.mark.parametrize("target", TARGETS)
def test_a_matrix_product_is_right(target: str) -> None:
    check_kernel(matmul(12, 32, 20), target=target)


def test_a_prefetch_is_one_instruction_that_waits_for_its_page_and_changes_nothing() -> None:
    x, y = buffer("x", F, (64,)), buffer("y", F, (16,))
    ahead = Prefetch(x, (minimum(J * 16 + 16, 63),))
    kernel = Kernel(
        "k", (x,), (y,), (serial(J, 4, ahead, serial(K, 4, store(y, (J * 4 + K,), load(x, J * 16 + K)))),)
    )
    assert "prefetcht0" in assembly(kernel) and "prefetcht1" not in assembly(kernel)
    assert "pldl2keep" in assembly(kernel, "llvm -mtriple=aarch64-linux-gnu")
    check_kernel(kernel)


def test_a_near_prefetch_is_into_the_first_cache() -> None:
    x, y = buffer("x", F, (64,)), buffer("y", F, (16,))
    kernel = Kernel(
        "k", (x,), (y,), (serial(J, 16, Prefetch(x, (J + 40,), near=True), store(y, (J,), load(x, J))),)
    )
    assert "prefetcht0" in assembly(kernel) and "prefetcht1" not in assembly(kernel)
    check_kernel(kernel)


@pytest.mark.parametrize(("kind", "asks"), [(LoopKind.PARALLEL, True), (LoopKind.SERIAL, False)])
def test_a_prefetch_for_who_is_alone_asks_whether_a_range_is_the_whole_loop(
    kind: LoopKind, asks: bool
) -> None:
    x, y = buffer("x", F, (20, 4096)), buffer("y", F, (20, 4096))
    ahead = Prefetch(x, (J, minimum(K + 40, 4095)), near=True, alone=True)
    row = serial(K, 4096, ahead, store(y, (J, K), call("exp", load(x, J, K))))
    kernel = Kernel("k", (x,), (y,), (For(J, index(20), (row,), kind),))
    text = emit_kernel(kernel, "k", CHIP)
    before, _, after = text.partition("call void @llvm.prefetch")
    assert after and (", 20\n" in before and "br i1" in before.rpartition(", 20\n")[2]) is asks
    assert "prefetcht0" in assembly(kernel)
    check_kernel(kernel, exact=False)


@pytest.mark.parametrize("target", TARGETS)
def test_shared_work_of_both_sides_is_written_once(target: str) -> None:
    x, y = buffer("x", F, (16,)), buffer("y", F, (16,))
    value: Expr = load(x, V)
    for step in range(40):  # a tree of 2^40 nodes
        value = Select(
            compare("gt", value, Const(float(step), F)), value + load(x, V), value * 0.5 + load(x, 15 - V)
        )
    check_kernel(Kernel("k", (x,), (y,), (vector(16, store(y, (V,), value)),)), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_parallel_loop_is_shared_out_in_ranges(target: str) -> None:
    x, y = buffer("x", F, (200, 512)), buffer("y", F, (200, 512))
    at = K * 16 + V
    row = serial(
        K, 512 // 16, vector(16, store(y, (J, at), call("exp", load(x, J, at) * 0.125) * load(x, 3, K)))
    )
    kernel = Kernel("k", (x,), (y,), (For(J, index(200), (row,), LoopKind.PARALLEL),))
    assert "call void @ingot_pool_for" in emit_kernel(kernel, "k", CHIP)
    check_kernel(kernel, target=target, exact=False)


@pytest.mark.parametrize("target", TARGETS)
def test_the_work_of_each_step_is_shared_out_and_steps_follow_one_another(target: str) -> None:
    x, y = buffer("x", F, (200, 512)), buffer("y", F, (200, 512))
    round_, time = Var("round"), Var("time")
    at = K * 16 + V
    later = load(y, J, at) * 0.5 + cast(time + round_ * 10, F)
    value = Select(compare("lt", time + round_, 1), call("exp", load(x, J, at) * 0.125), later)
    row = serial(K, 512 // 16, vector(16, store(y, (J, at), value)))
    steps = serial(round_, 2, serial(time, 3, For(J, index(200), (row,), LoopKind.PARALLEL)))
    kernel = Kernel("k", (x,), (y,), (steps,))
    assert "call void @ingot_pool_for" in emit_kernel(kernel, "k", CHIP)
    check_kernel(kernel, target=target, exact=False)


def test_little_work_is_not_shared_out() -> None:
    x, y = buffer("x", F, (64,)), buffer("y", F, (64,))
    kernel = Kernel("k", (x,), (y,), (For(J, index(64), (store(y, (J,), load(x, J)),), LoopKind.PARALLEL),))
    assert "ingot_pool_for" not in emit_kernel(kernel, "k", CHIP)
    check_kernel(kernel)


@pytest.mark.parametrize("target", TARGETS)
def test_a_uniform_condition_inside_a_vector_loop_is_a_branch(target: str) -> None:
    x, y = buffer("x", F, (8, 16)), buffer("y", F, (10, 16))
    inside = Binary("and", compare("ge", J, 1), compare("lt", J, 9))
    body = (
        serial(
            J,
            10,
            vector(
                16,
                store(
                    y, (J, V), select(inside, load(x, J - 1, V), 0.0) + select(inside, load(x, J - 1, 0), 2.0)
                ),
            ),
        ),
    )
    check_kernel(Kernel("k", (x,), (y,), body), target=target)


def test_min_and_max_in_place_of_clip() -> None:
    x, y = buffer("x", F, (16,)), buffer("y", F, (16,))
    check_kernel(
        Kernel("k", (x,), (y,), (vector(16, store(y, (V,), minimum(maximum(load(x, V), 0.0), 6.0))),))
    )


@pytest.mark.parametrize(
    "cpu", ["-mtriple=x86_64-linux-gnu -mcpu=x86-64-v3", "-mtriple=aarch64-linux-gnu -mcpu=cortex-a72"]
)
def test_what_is_surely_inside_is_read_without_a_mask_where_masks_cost(cpu: str) -> None:
    lanes = 32
    which, a, b, y = (
        buffer(name, dtype, (3, lanes))
        for name, dtype in (("c", DType.BOOL), ("a", DType.UINT8), ("b", DType.UINT8), ("y", DType.UINT8))
    )
    value = select(load(which, J, V), load(a, J, V), load(b, J, V))
    body = For(J, index(3), (For(V, index(lanes), (store(y, (J, V), value),), LoopKind.VECTOR),))
    kernel = Kernel("k", (which, a, b), (y,), (body,))
    assert assembly(kernel, f"llvm {cpu}").count("\n") < 80  # a mask would be asked lane by lane
    check_kernel(kernel)


def test_what_is_surely_inside_is_read_without_a_mask_where_masks_are_free() -> None:
    """An operand for each row would be looked for, as some lane may want it, and every load wait for its mask."""
    lanes = 16
    x, slope, y = buffer("x", F, (3, lanes)), buffer("s", F, (3,)), buffer("y", F, (3, lanes))
    value = select(compare("lt", load(x, J, V), 0.0), load(x, J, V) * load(slope, J), load(x, J, V))
    body = For(J, index(3), (For(V, index(lanes), (store(y, (J, V), value),), LoopKind.VECTOR),))
    kernel = Kernel("k", (x, slope), (y,), (body,))
    text = assembly(kernel, "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512")
    assert "vcmp" in text and "kortest" not in text and "cmov" not in text
    check_kernel(kernel)


@pytest.mark.parametrize("target", TARGETS)
def test_indices_with_large_steps_are_compared_in_64_bits(target: str) -> None:
    x, n = buffer("x", DType.INT64, (1,)), 16
    steps = [
        sign * step for step in (2**31 // 15 - 1, 2**31 // 15 + 1, 2**28, 2**30, 2**40) for sign in (1, -1)
    ]
    y = buffer("y", DType.INT32, (len(steps), n))
    one, zero = Const(1, DType.INT32), Const(0, DType.INT32)
    body = [
        vector(n, store(y, (row, V), select(compare("lt", V * step, load(x, 0)), one, zero)))
        for row, step in enumerate(steps)
    ]
    for limit in (9 * 2**30 + 1, -9 * 2**30 - 1, 2**31 - 1, 2**28 * 9 + 1):
        check_kernel(Kernel("k", (x,), (y,), tuple(body)), np.array([limit]), target=target)
