"""Copies of model inputs and outputs in the order that a template works well on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.plan.program import Call
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of

DEPTHWISE = "y = Conv<group = 32, pads = [1,1,1,1]>(x, w)"
DENSE = "y = Conv<pads = [1,1,1,1]>(x, w)"


def depthwise(body: str = DEPTHWISE, result: str = "float[1,32,6,5] y") -> str:
    return f"g (float[1,32,6,5] x, float[32,1,3,3] w) => ({result}) {{ {body} }}"


def names(program) -> list[str]:
    return [call.kernel.name for call in program.calls if isinstance(call, Call)]


def test_a_depthwise_convolution_between_input_and_output_works_on_copies_with_channels_last() -> None:
    program = assert_same_results(draft_of(depthwise()))
    assert [name.split("_")[0] for name in names(program)] == ["arrange", "depthwise", "arrange"]


@pytest.mark.parametrize(("width", "copies"), [(24, 0), (14, 1)], ids=["long rows", "short rows"])
def test_a_convolution_with_long_rows_writes_a_result_in_planes_itself(width: int, copies: int) -> None:
    sizes = f"float[1,3,4,{width}] x, float[40,3,1,1] w, float[40] b"
    body = "a = Conv(x, w, b)  y = Relu(a)"
    program = assert_same_results(draft_of(f"g ({sizes}) => (float[1,40,4,{width}] y) {{ {body} }}"))
    assert sum(name.startswith("arrange") for name in names(program)) == copies


def test_one_copy_serves_all_who_read_the_input_in_that_order() -> None:
    both = "a = Conv<group = 32>(x, w)  b = Conv<group = 32, dilations = [2,2]>(x, w)"
    sums = "c = ReduceSum(a)  d = ReduceSum(b)  y = Add(c, d)"
    program = assert_same_results(draft_of(depthwise(f"{both}  {sums}", "float[1,1,1,1] y")))
    assert sum(name.startswith("arrange") for name in names(program)) == 1


def test_who_reads_a_result_that_is_also_an_output_reads_it_as_it_was_written() -> None:
    results = "float[1,32,6,5] y, float[1,32,4,3] z"
    program = assert_same_results(draft_of(depthwise(f"{DEPTHWISE}  z = Conv<group = 32>(y, w)", results)))
    assert sum(name.startswith("arrange") for name in names(program)) == 3


@pytest.mark.parametrize(
    "machine",
    [replace(machines.AVX2, l2_bytes=0), replace(machines.AVX2, vector_bytes=0)],
    ids=["no cache to count on", "no vectors"],
)
def test_where_memory_is_dear_nothing_is_copied(machine) -> None:
    program = assert_same_results(draft_of(depthwise()), machine)
    assert not any(name.startswith("arrange") for name in names(program))


def test_few_channels_are_not_worth_a_copy() -> None:
    program = assert_same_results(
        draft_of(f"g (float[1,3,8,8] x, float[8,3,3,3] w) => (float[1,8,8,8] y) {{ {DENSE} }}")
    )
    assert not any(name.startswith("arrange") for name in names(program))


def test_an_order_that_is_the_same_in_memory_is_not_worth_a_copy() -> None:
    program = assert_same_results(
        draft_of(f"g (float[1,32,1,1] x, float[32,32,3,3] w) => (float[1,32,1,1] y) {{ {DENSE} }}")
    )
    assert not any(name.startswith("arrange") for name in names(program))


BEHIND_PLANES = "float[1,32,6,5] x, float[32,1,3,3] w, float[4] one, float[4] zero"
PLANES = """
    apart = Constant<value_ints = [1, 4, -1]>()
    whole = Constant<value_ints = [1, 32, 6, 5]>()
    groups = Reshape(x, apart)
    normal = InstanceNormalization(groups, one, zero)
    map = Reshape(normal, whole)
"""


def stored(program, name: str) -> tuple[int, ...]:
    return program.values[name].strides


def test_a_pointwise_result_that_only_convolutions_read_is_written_in_their_order() -> None:
    body = f"{PLANES} gate = Sigmoid(map)  a = Mul(map, gate)  y = Conv<group = 32, pads = [1,1,1,1]>(a, w)"
    program = assert_same_results(draft_of(f"g ({BEHIND_PLANES}) => (float[1,32,6,5] y) {{ {body} }}"))
    assert stored(program, "map")[1] == 30
    assert stored(program, "a")[1] == 1
    assert [name.split("_")[0] for name in names(program)].count("arrange") == 1  # of the result


@pytest.mark.parametrize("reader", ["z = Relu(map)", "z = Reshape(map, whole)"])
def test_planes_that_others_read_as_well_are_copied_for_a_convolution(reader: str) -> None:
    body = f"{PLANES} {reader}  y = Conv<group = 32, pads = [1,1,1,1]>(map, w)"
    program = assert_same_results(
        draft_of(f"g ({BEHIND_PLANES}) => (float[1,32,6,5] y, float[1,32,6,5] z) {{ {body} }}")
    )
    read = next(
        call.reads[0] for call in program.calls if isinstance(call, Call) and "depthwise" in call.kernel.name
    )
    assert stored(program, "map")[1] == 30
    assert stored(program, read)[1] == 1


def test_a_map_that_is_repeated_keeps_the_order_that_a_convolution_likes() -> None:
    body = """
        wide = Constant<value_ints = [1, 32, 3, 2, 2, 2]>()
        apart = Constant<value_ints = [1, 32, 3, 1, 2, 1]>()
        whole = Constant<value_ints = [1, 32, 6, 4]>()
        a = Conv<group = 32, pads = [1,1,1,1]>(x, w)
        b = Reshape(a, apart)  c = Expand(b, wide)  d = Reshape(c, whole)
        y = Conv<group = 32, pads = [1,1,1,1]>(d, w)
    """
    program = assert_same_results(
        draft_of(f"g (float[1,32,3,2] x, float[32,1,3,3] w) => (float[1,32,6,4] y) {{ {body} }}")
    )
    assert stored(program, "d")[1] == 1


def test_a_shuffle_of_channels_that_cannot_be_written_in_that_order_is_copied() -> None:
    body = """
        apart = Constant<value_ints = [1, 2, 16, 6, 5]>()
        whole = Constant<value_ints = [1, 32, 6, 5]>()
        a = Conv<group = 32, pads = [1,1,1,1]>(x, w)
        b = Reshape(a, apart)  c = Transpose<perm = [0,2,1,3,4]>(b)  d = Reshape(c, whole)
        y = Conv<group = 32, pads = [1,1,1,1]>(d, w)
    """
    program = assert_same_results(draft_of(depthwise(body)))
    read = [
        call.reads[0] for call in program.calls if isinstance(call, Call) and "depthwise" in call.kernel.name
    ]
    assert [stored(program, name)[1] for name in read] == [1, 1]


def test_without_vectors_planes_are_read_as_they_are() -> None:
    body = f"{PLANES} gate = Sigmoid(map)  a = Mul(map, gate)  y = Conv<group = 32, pads = [1,1,1,1]>(a, w)"
    program = assert_same_results(
        draft_of(f"g ({BEHIND_PLANES}) => (float[1,32,6,5] y) {{ {body} }}"),
        replace(machines.AVX2, vector_bytes=0),
    )
    assert stored(program, "a")[1] == 30
