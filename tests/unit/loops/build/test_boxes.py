"""Boxes that threads share out in both directions: each piece once, by any number of threads, in memory of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.base.tensor import DType
from ingot.loops.build.boxes import Box, cut_box
from ingot.loops.build.nest import loop
from ingot.loops.interpret import run
from ingot.loops.nodes import If, Kernel, LoopKind, buffer, load, store
from ingot.loops.verify import verify
from ingot.machines.tuning import DEFAULT
from tests.support.ranges import in_parts

PARTS_MAX = DEFAULT.threads.range_max_parts

I64 = DType.INT64
SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 40))


def outcome(box, threads):
    """How often each row and column was done; how often each row and column was made; and by how many each place was written."""
    done = buffer("done", I64, (box.rows, box.columns))
    made = buffer("made", I64, (2, max(box.rows, box.columns)))
    kept = buffer("kept", I64, (box.column_pieces, box.rows))

    def more(where, *at):
        return store(where, at, load(where, *at) + 1)

    def some(own):
        def row(at):
            keep = more(kept, own.first(at), at)
            cells = loop(
                "c", box.columns, lambda column: (If(own.has(at, column), (more(done, at, column),)),)
            )
            return (If(own.has_row(at), (more(made, 0, at), keep)), *cells)

        return (
            *loop("r", box.rows, row),
            *loop(
                "column", box.columns, lambda column: (If(own.has_column(column), (more(made, 1, column),)),)
            ),
        )

    body = box.loop("part", some)
    verify(Kernel("boxes", (), (done, made, kept), body))
    memory = {one.name: np.zeros(one.span, np.int64) for one in (done, made, kept)}
    run(Kernel("boxes", (), (done, made, kept), in_parts(body, threads)), memory)
    return tuple(memory[one.name].reshape(one.shape) for one in (done, made, kept))


@settings(max_examples=40, deadline=None)
@given(SHAPES, st.integers(1, PARTS_MAX), st.integers(1, PARTS_MAX), st.tuples(*[st.floats(0, 100)] * 3))
def test_every_piece_is_done_once_by_any_number_of_threads(shape, most, threads, cycles):
    box = cut_box(*shape, most, *cycles)
    assert box.pieces <= most
    done, made, kept = outcome(box, threads)
    assert (done == 1).all()
    assert kept.max() == 1  # nobody else keeps a row there
    assert made[0, : box.rows].min() >= 1
    assert made[1, : box.columns].min() >= 1
    assert made.max() <= threads


def test_one_thread_makes_all_once():
    done, made, _ = outcome(Box(4, 8, (True, False, True)), 1)
    assert (done == 1).all()
    assert made.tolist() == [[1] * 4 + [0] * 4, [1] * 8]


@pytest.mark.parametrize(
    ("threads", "rows", "columns"),
    [(2, 1, 2), (4, 2, 2), (8, 2, 4)],
)
def test_two_four_and_eight_threads_have_a_box_each(threads, rows, columns):
    """Each row is made by as many as there are columns of boxes, each column by as many as there are rows of them."""
    box = Box(4, 8, (False, True, False, True))
    _, made, _ = outcome(box, threads)
    assert made[0, :4].tolist() == [columns] * 4
    assert made[1].tolist() == [rows] * 8


@pytest.mark.parametrize(
    ("cycles", "cuts"),
    [
        pytest.param((100, 9, 1), (True, True, False, False), id="rows are dear"),
        pytest.param((100, 1, 9), (False, False, False, True), id="columns are dear"),
        pytest.param((100, 4, 5), (False, True, False, True), id="both are"),
    ],
)
def test_what_is_dear_to_make_is_cut_first(cycles, cuts):
    assert cut_box(4, 8, PARTS_MAX, *cycles).cuts == cuts


def test_an_odd_number_of_columns_is_not_cut_in_half_where_rows_are_even():
    assert cut_box(2, 3, PARTS_MAX, 100, 0, 0).cuts[0] is True
    assert cut_box(2, 64, PARTS_MAX, 100, 0, 0).pieces == PARTS_MAX
    assert cut_box(1, 1, PARTS_MAX, 100, 5, 5).pieces == 1


def test_a_thread_has_one_range():
    (made,) = Box(4, 8, (False, True)).loop(
        "part", lambda own: (store(buffer("x", I64, (4,)), (own.begin,), own.end),)
    )
    assert (made.kind, made.extent.value, made.run_min) == (LoopKind.PARALLEL, 4, 4)
