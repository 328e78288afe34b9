"""Constants of several programs have one place each, and no two of one program the same."""

from __future__ import annotations

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.memory.shared_constants import shared_constants
from ingot.plan.program import Program, Region, Value


def program(*arrays: np.ndarray) -> Program:
    """A program that has constants and reads none."""
    constants = {f"c{at}": array for at, array in enumerate(arrays)}
    values = {
        name: Value(name, TensorType(DType.FLOAT32, array.shape), (1,), name)
        for name, array in constants.items()
    }
    return Program("m", values, constants, (), (), ())


def numbers(seed: int, count: int = 40) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def places(programs: list[Program]) -> list[dict[str, int]]:
    plans = [plan_memory(one) for one in programs]
    made = shared_constants(programs, plans)
    for one, plan in zip(programs, made, strict=True):
        check_memory(one, plan)
    assert len({plan.params_bytes for plan in made}) == 1
    last = {name: slot for name, slot in plans[-1].slots.items() if slot.region is Region.PARAMS}
    assert all(
        made[-1].slots[name] == slot for name, slot in last.items()
    )  # the last one's stay where they are
    return [{name: slot.offset_bytes for name, slot in plan.slots.items()} for plan in made]


def test_equal_contents_of_several_programs_share_a_place() -> None:
    first, last = places([program(numbers(1), numbers(2)), program(numbers(3), numbers(1))])
    assert first["c0"] == last["c1"]
    assert first["c1"] not in last.values()


def test_equal_contents_of_one_program_do_not() -> None:
    (first, last) = places([program(numbers(1), numbers(1), numbers(1)), program(numbers(1), numbers(1))])
    assert len(set(first.values())) == 3 and set(last.values()) < set(first.values())


def test_what_is_longer_and_begins_alike_is_another() -> None:
    long = numbers(1, 80)
    first, last = places([program(long), program(long[:40].copy())])
    assert first["c0"] != last["c0"]


def test_a_program_without_constants_has_the_region_of_the_others() -> None:
    assert places([program(), program(numbers(1))])[0] == {}
    assert places([program(numbers(1)), program()])[1] == {}
