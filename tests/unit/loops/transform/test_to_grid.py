"""Parallel loops as groups of items: which loops are independent, and that nothing changes."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ingot.loops.analyse.grid import grid_of
from ingot.loops.analyse.independent import Independence
from ingot.loops.interpret import run
from ingot.loops.nodes import Alloc, DType, For, Kernel, Let, LoopKind, Var, buffer, index, load, store
from ingot.loops.text import to_text
from ingot.loops.transform.to_grid import to_grid
from ingot.loops.verify import verify
from tests.property.grids import grid_kernels, turned
from tests.property.strategies import arrays_for, kernels
from tests.support.machines import GPU_SHAPE

F32 = DType.FLOAT32
I, J, K = Var("i"), Var("j"), Var("k")  # noqa: E741
X, Y = buffer("x", F32, (6, 4)), buffer("y", F32, (6, 4))
LAST = buffer("last", F32, (6, 4), (1, 6))
QUICK = settings(max_examples=60, derandomize=True, suppress_health_check=list(HealthCheck))


def loop(var, extent, *body, kind=LoopKind.SERIAL):
    return For(var, index(extent), body, kind)


def kernel(*body, inputs=(X,), outputs=(Y,), in_place=()):
    return Kernel("k", inputs, outputs, body, (), in_place)


def outputs(made):
    arrays = arrays_for(made)
    run(made, arrays)
    return {param.name: arrays[param.name] for param in made.outputs}


def independent(inner, **kinds):
    return Independence(kernel(inner, **kinds)).of(inner)


COPY = store(Y, (I, J), load(X, I, J))


def test_iterations_that_write_apart_are_independent():
    assert independent(loop(I, 6, loop(J, 4, COPY)))
    assert independent(loop(J, 4, loop(I, 6, COPY)))
    assert independent(loop(I, 3, store(Y, (I * 2 + 1, 0), 1.0)))
    assert independent(loop(I, 6, store(Y, ((K / 2) % 3, I % 4), 1.0))) is False
    assert independent(loop(J, 4, store(Y, (K // 2, J), 1.0)))
    total = buffer("t", F32, ())
    reduce = (Alloc(total), store(total, (), 0.0), loop(K, 9, store(total, (), load(total) + load(X, I, J))))
    assert independent(loop(I, 6, *reduce, store(Y, (I, J), load(total))))


DEPENDENT = {
    "all write one element": loop(I, 6, store(Y, (0, 0), load(X, I, 0))),
    "neighbours overlap": loop(I, 5, loop(J, 2, store(Y, (I + J, 0), 1.0))),
    "one reads what another writes": loop(I, 5, store(Y, (I + 1, 0), load(Y, I, 0))),
    "what is read lies elsewhere in what is written": loop(I, 6, store(Y, (I, 0), load(Y, I, 1))),
    "the place repeats": loop(I, 6, store(Y, (I % 3, 0), 1.0)),
    "two places may meet": loop(I, 5, store(Y, (I, 0), 1.0), store(Y, (I + 1, 0), 2.0)),
    "the extent is not known": For(I, K, (COPY,)),
    "a name stands for the place": loop(I, 6, Let(K, I % 3), store(Y, (K, 0), 1.0)),
    "a name is added to the place": loop(I, 3, Let(K, index(2) - I), store(Y, (I + K, 0), 1.0)),
    "a loop of unknown extent is in the index": loop(I, 6, For(J, I, (store(Y, (I, J), 1.0),))),
}


@pytest.mark.parametrize("why", DEPENDENT)
def test_a_loop_is_not_independent_where(why):
    assert not independent(DEPENDENT[why])


def test_a_workspace_may_be_read_where_an_iteration_wrote_it():
    double = store(Y, (I, J), load(Y, I, J) * 2.0)
    both_loops = loop(J, 4, loop(I, 6, COPY), loop(I, 6, double))
    assert independent(both_loops)
    assert not independent(
        loop(J, 4, loop(I, 6, COPY), loop(I, 6, store(Y, (I, J), load(Y, I, index(3) - J))))
    )


def test_a_local_outside_keeps_iterations_together():
    total = buffer("t", F32, ())
    add = loop(J, 4, store(total, (), load(total) + load(X, I, J)))
    made = loop(I, 6, Alloc(total), store(total, (), 0.0), add, store(Y, (I, 0), load(total)))
    questions = Independence(kernel(made))
    assert questions.of(made) and not questions.of(add)


def test_memory_that_two_operands_share_may_be_read_only_where_it_is_written():
    assert independent(loop(I, 6, store(Y, (I, 0), load(X, I, 0))), in_place=((0, 0),))
    shifted = loop(I, 5, store(Y, (I, 0), load(X, I + 1, 0)))
    assert independent(shifted) and not independent(shifted, in_place=((0, 0),))


def test_all_independent_loops_become_one_range_of_items():
    grid = grid_of(to_grid(kernel(loop(I, 6, loop(J, 4, COPY), kind=LoopKind.PARALLEL)), GPU_SHAPE).body[0])
    assert (grid.extents, grid.items) == ((1,), 24)


def test_neighbouring_items_write_neighbouring_elements():
    made = to_grid(
        kernel(loop(I, 6, loop(J, 4, store(LAST, (I, J), load(X, I, J)))), outputs=(LAST,)), GPU_SHAPE
    )
    text = to_text(made)
    assert all(
        part in text for part in ("$0 = (item % 6)", "$1 = (item / 6)", "store last[$0, $1] = x[$0, $1]")
    )


def test_items_that_are_too_many_do_nothing():
    long = buffer("long", F32, (1000,))
    made = to_grid(kernel(loop(I, 1000, store(long, (I,), 1.0)), outputs=(long,)), GPU_SHAPE)
    assert grid_of(made.body[0]).extents == (16,)
    assert "if ((64 * group + item) < 1000)" in to_text(made).replace("(group * 64)", "64 * group")
    np.testing.assert_array_equal(outputs(made)["long"], np.ones(1000, np.float32))


def test_a_group_is_large_only_where_there_are_enough():
    assert [GPU_SHAPE.size(total) for total in (1, 50, 64, 65535, 65536)] == [1, 50, 64, 64, 256]


def test_a_value_read_before_a_loop_is_not_read_inside_it():
    first = Var("first", F32)
    inner = loop(J, 4, store(Y, (I, J), first))
    made = kernel(loop(I, 6, Let(first, load(Y, I, 3)), inner, kind=LoopKind.PARALLEL))
    assert grid_of(to_grid(made, GPU_SHAPE).body[0]).items == 6
    assert (
        grid_of(
            to_grid(
                kernel(loop(I, 6, Let(first, load(X, I, 3)), inner, kind=LoopKind.PARALLEL)), GPU_SHAPE
            ).body[0]
        ).items
        == 24
    )


def test_what_shares_a_local_stays_with_it():
    total = buffer("t", F32, ())
    use = loop(J, 6, store(Y, (J, 1), load(total)))
    made = kernel(Alloc(total), loop(I, 6, store(Y, (I, 0), 1.0)), store(total, (), 3.0), use)
    assert to_grid(made, GPU_SHAPE) is made


@QUICK
@given(kernels())
def test_groups_and_items_compute_what_the_loops_did(made):
    grid = to_grid(made, GPU_SHAPE)
    verify(grid)
    np.testing.assert_array_equal(outputs(grid)["out"], outputs(made)["out"])


@QUICK
@given(grid_kernels())
def test_the_order_of_groups_and_items_is_of_no_account(made):
    verify(made)
    np.testing.assert_array_equal(outputs(turned(made))["y"], outputs(made)["y"])
