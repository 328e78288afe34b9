"""What the parts of a kernel are taken to cost: enough to tell what is worth sharing out to threads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Call,
    Cast,
    Expr,
    Fma,
    For,
    Kernel,
    LoopKind,
    Stmt,
    Store,
    Var,
    binary,
    buffer,
    index,
    load,
    store,
)
from ingot.machines.registry import GENERIC
from ingot.machines.x86.zen4 import ZEN4
from tests.support import machines

CHIP = Chip(machine=replace(machines.VECTORS, vector_bytes=64), has_half=True)
AT, J, K = Var("i"), Var("j"), Var("k")
F32 = DType.FLOAT32


def parallel(extent: int, *body: Stmt) -> For:
    return For(AT, index(extent), body, LoopKind.PARALLEL)


def test_a_loop_whose_length_depends_on_another_counts_with_what_it_can_be_at_most() -> None:
    x, y = buffer("x", F32, (64, 3)), buffer("y", F32, (64,))
    body = (store(y, (AT,), load(x, AT, J)),)
    clipped = For(J, binary("min", index(3), AT + 1), body)
    assert iteration_cycles(parallel(64, clipped), CHIP) == iteration_cycles(
        parallel(64, For(J, index(3), body)), CHIP
    )


def test_a_multiply_add_of_a_register_tile_takes_about_half_a_cycle() -> None:
    a, b, y = buffer("a", F32, (512,)), buffer("b", F32, (512, 16)), buffer("y", F32, (64, 16))
    sums = buffer("sums", F32, (16,))
    step = store(sums, (J,), Fma(load(a, K), load(b, K, J), load(sums, J)))
    inner = For(K, index(512), (For(J, index(16), (step,), LoopKind.VECTOR),), LoopKind.UNROLLED)
    out = For(J, index(16), (store(y, (AT, J), load(sums, J)),), LoopKind.VECTOR)
    assert 0.4 * 512 < iteration_cycles(parallel(64, Alloc(sums), inner, out), CHIP) < 1.0 * 512


def test_vectors_that_are_done_in_halves_take_twice_as_long_and_half_vectors_do_not() -> None:
    x, y = buffer("x", F32, (64, 16)), buffer("y", F32, (64, 16))

    def squares(count: int, chip: Chip) -> float:
        value: Expr = load(x, AT, J)
        for _ in range(40):
            value = value * value
        return iteration_cycles(
            parallel(64, For(J, index(count), (store(y, (AT, J), value),), LoopKind.VECTOR)), chip
        )

    halves = replace(CHIP, machine=replace(CHIP.machine, double_pumped_512=True))
    assert squares(16, halves) == 2 * squares(16, CHIP)
    assert squares(8, halves) == squares(8, CHIP)


def test_what_only_moves_data_takes_as_long_as_the_bytes_need() -> None:
    x, y = buffer("x", F32, (64, 4096)), buffer("y", F32, (64, 4096))
    copy = For(J, index(4096), (store(y, (AT, J), load(x, AT, J)),), LoopKind.VECTOR)
    assert iteration_cycles(parallel(64, copy), CHIP) > 2 * 4096 * 4 / 32


def test_what_is_not_read_of_a_large_buffer_costs_nothing() -> None:
    table, ids, y = (
        buffer("table", F32, (100_000, 8)),
        buffer("ids", DType.INT32, (4,)),
        buffer("y", F32, (4, 8)),
    )
    row: Expr = Cast(load(ids, AT), DType.INT64)
    gather = For(J, index(8), (store(y, (AT, J), load(table, row, J)),), LoopKind.VECTOR)
    assert iteration_cycles(parallel(4, gather), CHIP) < 100


def one(count: int, function: str) -> str:
    x, y = buffer("x", F32, (count, 16)), buffer("y", F32, (count, 16))
    work = For(J, index(16), (Store(y, (AT, J), Call(function, (load(x, AT, J),))),), LoopKind.VECTOR)
    return emit_kernel(kernel((x,), (y,), parallel(count, work)), "k", CHIP)


def kernel(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...], *body: Stmt) -> Kernel:
    return Kernel("k", inputs, outputs, body)


@pytest.mark.parametrize(
    ("count", "function", "shared"), [(64, "exp", False), (100_000, "exp", True), (200, "abs", False)]
)
def test_a_kernel_is_given_to_threads_only_where_it_has_work_for_two(
    count: int, function: str, shared: bool
) -> None:
    assert ("@ingot_pool_for" in one(count, function)) is shared


@pytest.mark.parametrize(
    ("vector_bytes", "double_pumped_512", "shared"), [(32, False, True), (64, False, False), (64, True, True)]
)
def test_short_steps_are_shared_out_where_weights_are_read_slowly(
    vector_bytes: int, double_pumped_512: bool, shared: bool
) -> None:
    """A step reads twice 64 KB of weights, as for the gates of a GRU of 128 elements."""
    step = Var("step")
    weights, x, y = buffer("w", F32, (2, 128, 128)), buffer("x", F32, (4, 128)), buffer("y", F32, (4, 2, 128))
    sums = buffer("sums", F32, (128,))
    add = store(sums, (J,), Fma(load(x, step, K), load(weights, AT, K, J), load(sums, J)))
    read = For(K, index(128), (For(J, index(128), (add,), LoopKind.VECTOR),))
    out = For(J, index(128), (store(y, (step, AT, J), load(sums, J)),), LoopKind.VECTOR)
    steps = For(step, index(4), (parallel(2, Alloc(sums), read, out),))
    tuning = ZEN4.measured if double_pumped_512 else GENERIC.measured
    machine = replace(
        machines.VECTORS, vector_bytes=vector_bytes, double_pumped_512=double_pumped_512, tuning=tuning
    )
    chip = Chip(machine=machine, has_half=True)
    text = emit_kernel(kernel((weights, x), (y,), steps), "k", chip)
    assert ("@ingot_pool_for" in text) is shared
