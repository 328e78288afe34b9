"""Groups of work items as blocks of threads: shared memory, barriers, registers; run as PTX, and held to the interpreter."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings

from ingot.base.tensor import DType
from ingot.codegen.llvm.build.objects import Processor, ptx
from ingot.loops import interpret
from ingot.loops.nodes import Alloc, Cast, Fma, For, Kernel, LoopKind, Space, Var, buffer, index, load, store
from ingot.loops.verify import verify
from tests.property.grids import grid_kernels
from tests.support import ptx_machine
from tests.support.kernel_cuda import agrees_with_interpreter, driver, gpu, ptx_of
from tests.support.kernel_opencl import kernel_unit
from tests.unit.loops.analyse.test_grid import (
    ADD,
    CLEAR,
    FILL,
    PRODUCT,
    REGISTERS,
    SHARED,
    TURN,
    WRITE,
    group,
    items,
    kernel,
    serial,
)

__all__ = ["driver", "gpu"]
on_a_gpu = pytest.mark.usefixtures("gpu")
F32 = DType.FLOAT32
X = np.arange(8, dtype=np.float32)


def barriers(made: Kernel) -> int:
    return ptx_of(kernel_unit(made)).count("bar.sync")


def product(rows: int, columns: int, depth: int, tile: int = 8, own: int = 2) -> Kernel:
    """`y = a b`: a block for each tile of results, whose items share strips of both operands and keep `own` by `own` sums."""
    a, b, y = (
        buffer("a", F32, (rows, depth)),
        buffer("b", F32, (depth, columns)),
        buffer("y", F32, (rows, columns)),
    )
    side = tile // own
    count = side * side
    left, right = buffer("left", F32, (tile, tile)), buffer("right", F32, (tile, tile))
    sums = buffer("sums", F32, (count, own, own))
    row, column, item, k, i, j, step = (
        Var(name) for name in ("row", "column", "item", "k", "i", "j", "step")
    )
    per_item = tile * tile // count
    at = item * per_item + step
    here_row, here_column = item // side * own, item % side * own

    def each(body):
        return For(i, index(own), (For(j, index(own), (body,), LoopKind.UNROLLED),), LoopKind.UNROLLED)

    fill = For(
        item,
        index(count),
        (
            For(
                step,
                index(per_item),
                (
                    store(
                        left, (at // tile, at % tile), load(a, row * tile + at // tile, k * tile + at % tile)
                    ),
                    store(
                        right,
                        (at // tile, at % tile),
                        load(b, k * tile + at // tile, column * tile + at % tile),
                    ),
                ),
                LoopKind.UNROLLED,
            ),
        ),
        LoopKind.ITEM,
    )
    add = each(
        store(
            sums,
            (item, i, j),
            Fma(load(left, here_row + i, step), load(right, step, here_column + j), load(sums, item, i, j)),
        )
    )
    use = For(item, index(count), (For(step, index(tile), (add,)),), LoopKind.ITEM)
    clear = For(item, index(count), (each(store(sums, (item, i, j), 0.0)),), LoopKind.ITEM)
    write = For(
        item,
        index(count),
        (
            each(
                store(y, (row * tile + here_row + i, column * tile + here_column + j), load(sums, item, i, j))
            ),
        ),
        LoopKind.ITEM,
    )
    body = (
        Alloc(left, Space.SHARED),
        Alloc(right, Space.SHARED),
        Alloc(sums, Space.PER_ITEM),
        clear,
        For(k, index(depth // tile), (fill, use)),
        write,
    )
    inner = For(column, index(columns // tile), body, LoopKind.GROUP)
    made = Kernel("product", (a, b), (y,), (For(row, index(rows // tile), (inner,), LoopKind.GROUP),))
    verify(made)
    return made


@on_a_gpu
def test_items_of_a_block_see_what_others_wrote_before_a_barrier() -> None:
    agrees_with_interpreter(kernel(group(SHARED, FILL, TURN)), X)
    agrees_with_interpreter(PRODUCT, X)


def test_a_barrier_stands_where_items_must_wait_and_nowhere_else() -> None:
    assert barriers(kernel(group(SHARED, FILL, TURN))) == 1
    assert barriers(kernel(group(SHARED, REGISTERS, CLEAR, FILL, ADD, WRITE))) == 1
    assert barriers(kernel(group(items(store(kernel().outputs[0], (Var("g"), Var("i")), 1.0))))) == 0


@on_a_gpu
def test_a_tiled_product_is_that_of_the_interpreter_in_registers_and_shared_memory() -> None:
    made = product(16, 24, 32)
    rng = np.random.default_rng(0)
    agrees_with_interpreter(
        made, *(rng.standard_normal(param.span).astype(np.float32) for param in made.inputs), rtol=1e-6
    )
    text = ptx_of(kernel_unit(made))
    assert sum(map(int, re.findall(r"\.shared \.align 16 \.b8 \w+\[(\d+)\];", text))) == 2 * 8 * 8 * 4
    assert ".reqntid 16, 1, 1" in text
    assert "local" not in text, "the sums must live in registers"
    assert "fma.rn.f32" in text and "mul.rn.f32" not in text


@on_a_gpu
def test_three_group_loops_are_the_three_axes_of_the_grid() -> None:
    y = buffer("y", F32, (2, 3, 5, 4))
    a, b, c, i = Var("a"), Var("b"), Var("c"), Var("i")
    inner = items(store(y, (a, b, c, i), Cast(a * 1000 + b * 100 + c * 10 + i, F32)), var=i)
    made = Kernel(
        "axes",
        (),
        (y,),
        (
            For(
                a,
                index(2),
                (For(b, index(3), (For(c, index(5), (inner,), LoopKind.GROUP),), LoopKind.GROUP),),
                LoopKind.GROUP,
            ),
        ),
    )
    verify(made)
    agrees_with_interpreter(made)


def test_a_missing_barrier_would_be_told() -> None:
    """The machine of paper runs threads in step, which would hide it: it watches what they touch."""
    unit = kernel_unit(kernel(group(SHARED, FILL, TURN)), "turn")
    text = ptx_of(unit).replace("bar.sync \t0;", "")
    memory = ptx_machine.Memory()
    at = memory.allocate(unit.memory.arena_bytes)
    with pytest.raises(ptx_machine.RaceError, match="no barrier between"):
        ptx_machine.launch(ptx_machine.Module(text), "turn_k", (2, 1, 1), (4, 1, 1), (at, at + 64), memory)


def test_a_barrier_that_not_all_threads_come_to_would_be_told() -> None:
    text = ptx(
        """declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        declare void @llvm.nvvm.barrier0()
        define ptx_kernel void @some() {
        entry:
          %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %few = icmp slt i32 %t, 3
          br i1 %few, label %wait, label %end
        wait:
          call void @llvm.nvvm.barrier0()
          br label %end
        end:
          ret void
        }""",
        Processor("nvptx64-nvidia-cuda", "sm_75", "+ptx63"),
    )
    with pytest.raises(ptx_machine.PtxError, match="not all threads"):
        ptx_machine.launch(ptx_machine.Module(text), "some", (1, 1, 1), (4, 1, 1), (), ptx_machine.Memory())


@on_a_gpu
def test_a_loop_of_a_group_that_is_unrolled_keeps_its_barriers() -> None:
    turned = serial(FILL, ADD, extent=3, kind=LoopKind.UNROLLED)
    made = kernel(group(SHARED, REGISTERS, CLEAR, turned, WRITE))
    agrees_with_interpreter(made, X)
    assert barriers(made) == 6


@settings(max_examples=20, derandomize=True)
@given(made=grid_kernels())
def test_any_kernel_of_groups_has_the_barriers_that_it_needs(made: Kernel) -> None:
    verify(made)
    x = np.arange(made.inputs[0].span, dtype=np.float32) * 0.5 - 3
    expected = np.zeros(made.outputs[0].span, np.float32)
    interpret.run(made, {"x": x, "y": expected})
    unit = kernel_unit(made, "any")
    memory = ptx_machine.Memory()
    at = memory.allocate(unit.memory.arena_bytes)
    x_at, y_at = (at + unit.memory.slots[name].offset_bytes for name in ("p0", "p1"))
    memory.view(x_at, x.nbytes)[:] = x.view(np.uint8)
    groups, items_of_one = made.inputs[0].shape
    ptx_machine.launch(
        ptx_machine.Module(ptx_of(unit)),
        "any_grid",
        (groups, 1, 1),
        (items_of_one, 1, 1),
        (x_at, y_at),
        memory,
    )
    found = memory.view(y_at, expected.nbytes).view(np.float32)
    np.testing.assert_array_equal(found, expected)
