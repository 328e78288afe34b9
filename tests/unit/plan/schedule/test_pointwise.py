"""Loops of pointwise definitions: what is read across memory is read by squares."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ingot.base.tensor import DType
from ingot.loops.text import to_text
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of, planned


@pytest.mark.parametrize(
    ("rows", "columns"), [(8, 8), (16, 5), (5, 16), (37, 53), (9, 64), (3, 100), (1, 20)]
)
def test_a_transpose_that_must_be_stored_is_right_at_any_extent(rows: int, columns: int) -> None:
    assert_same_results(
        draft_of(f"g (float[{rows},{columns}] x) => (float[{columns},{rows}] y) {{ y = Transpose(x) }}")
    )


@pytest.mark.parametrize("perm", ["0,2,3,1", "0,3,1,2", "3,2,1,0", "0,2,1,3"])
def test_any_order_of_dimensions_is_stored(perm: str) -> None:
    shape = (2, 11, 4, 19)
    result = ",".join(str(shape[int(axis)]) for axis in perm.split(","))
    assert_same_results(
        draft_of(f"g (float[2,11,4,19] x) => (float[{result}] y) {{ y = Transpose<perm = [{perm}]>(x) }}")
    )


def test_an_operand_across_memory_is_read_by_squares() -> None:
    program = assert_same_results(
        draft_of("g (float[40,24] x, float[24,40] z) => (float[24,40] y) { t = Transpose(x)  y = Add(t, z) }")
    )
    (call,) = program.calls
    assert "unrolled" in to_text(call.kernel)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
@pytest.mark.parametrize("extent", [4, 19, 40])
def test_borders_are_apart_from_rows_that_are_copied(extent: int, mode: str) -> None:
    nodes = f'p = Constant<value_ints = [0, 3, 0, 2]>() y = Pad<mode = "{mode}">(x, p)'
    program = assert_same_results(
        draft_of(f"g (float[3,{extent}] x) => (float[3,{extent + 5}] y) {{ {nodes} }}")
    )
    (call,) = program.calls
    assert "select" not in to_text(call.kernel)


@pytest.mark.parametrize(
    "pads", ["0,2,0,0,0,3,0,0", "1,0,0,0,0,0,0,0", "0,1,2,0,0,0,1,0", "0,-1,0,0,0,0,0,0", "0,0,0,1,0,0,0,0"]
)
@pytest.mark.parametrize("mode", ["constant", "edge"])
def test_behind_a_border_of_rows_a_row_of_pixels_is_one(pads: str, mode: str) -> None:
    numbers = [int(pad) for pad in pads.split(",")]
    shape = [
        extent + before + after
        for extent, before, after in zip((2, 5, 6, 3), numbers[:4], numbers[4:], strict=True)
    ]
    result = ",".join(map(str, shape))
    nodes = f'p = Constant<value_ints = [{pads}]>() y = Pad<mode = "{mode}">(x, p)'
    program = assert_same_results(draft_of(f"g (float[2,5,6,3] x) => (float[{result}] y) {{ {nodes} }}"))
    (call,) = program.calls
    if pads.startswith("0,2,"):
        assert call.kernel.outputs[0].shape == (2, 10, 1, 18)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_planes_are_written_side_by_side(count: int) -> None:
    graph = f"g (float[2,{count},5,9] x) => (float[2,5,9,{count}] y) {{ y = Transpose<perm = [0,2,3,1]>(x) }}"
    (call,) = assert_same_results(draft_of(graph)).calls
    assert f"unrolled part < {count}" in to_text(call.kernel)


@pytest.mark.parametrize(("height", "width", "times"), [(3, 5, 2), (2, 19, 3), (1, 4, 4)])
def test_elements_are_repeated_along_all_axes_at_once_beside_an_operand_that_lies_as_the_result(
    height: int, width: int, times: int
) -> None:
    shape = f"1,3,{height * times},{width * times}"
    how = 'mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric"'
    nodes = f"n = Constant<value_floats = [1.0, 1.0, {times}.0, {times}.0]>() r = Resize<{how}>(x, , n) y = Add(r, z)"
    graph = f"g (float[1,3,{height},{width}] x, float[{shape}] z) => (float[{shape}] y) {{ {nodes} }}"
    (call,) = assert_same_results(draft_of(graph)).calls
    assert f"unrolled part < {times}" in to_text(call.kernel)


def test_bytes_fill_whole_vectors_where_nothing_wider_is_made_of_them() -> None:
    (narrow,) = assert_same_results(
        draft_of("g (bool[150] x, bool[150] z) => (bool[150] y) { y = Xor(x, z) }")
    ).calls
    (wide,) = assert_same_results(
        draft_of("g (uint8[150] x) => (float[150] y) { y = Cast<to = 1>(x) }")
    ).calls
    bytes_, words = (machines.AVX2.lanes(dtype) for dtype in (DType.UINT8, DType.FLOAT32))
    assert f"vector i0 < {bytes_} " in to_text(narrow.kernel)
    assert f"vector i0 < {words} " in to_text(wide.kernel)
    assert f"vector i0 < {bytes_} " not in to_text(wide.kernel)


@pytest.mark.parametrize(("function", "vectors"), [("Tanh", 4), ("Sinh", 2), ("Abs", 1)])
def test_with_16_registers_chains_of_a_function_run_side_by_side(function: str, vectors: int) -> None:
    program, _ = planned(draft_of(f"g (float[4096] x) => (float[4096] y) {{ y = {function}(x) }}"))
    (call,) = program.calls
    assert re.findall(r"vector \w+ < (\d+)", to_text(call.kernel)) == [str(vectors * 8)]


@pytest.mark.parametrize("registers", [16, 32])
def test_long_chains_are_computed_of_four_vectors_side_by_side(registers: int) -> None:
    machine = replace(machines.AVX2, vector_registers=registers)
    draft = draft_of("g (float[320] x) => (float[320] y) { y = Sigmoid(x) }")
    (call,) = assert_same_results(draft, machine).calls
    assert "vector i0 < 32 " in to_text(call.kernel)


@pytest.mark.parametrize(("columns", "lanes"), [(30, 8), (32, 16)], ids=["across lines", "whole lines"])
def test_rows_that_are_no_whole_lines_are_written_by_half_vectors_where_whole_ones_are_slow(
    columns: int, lanes: int
) -> None:
    machine = machines.DOUBLE_PUMPED
    draft = draft_of(
        f"g (float[9,{columns}] x, float[{columns}] r) => (float[9,{columns}] y) {{ y = Sub(x, r) }}"
    )
    (call,) = assert_same_results(draft, machine).calls
    assert max(int(found) for found in re.findall(r"vector \w+ < (\d+)", to_text(call.kernel))) == lanes
    turned = draft_of(f"g (float[48,{columns}] x) => (float[{columns},48] y) {{ y = Transpose(x) }}")
    (call,) = assert_same_results(turned, machine).calls
    assert max(int(found) for found in re.findall(r"vector \w+ < (\d+)", to_text(call.kernel))) == lanes
