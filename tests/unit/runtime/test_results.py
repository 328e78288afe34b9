import ctypes

import numpy as np
import pytest

from ingot.artifact.model_info import TensorInfo
from ingot.base.tensor import DType
from ingot.runtime.results import ROOMS, ResultMemory

INFO = TensorInfo("y", DType.FLOAT32, (3, 500))
HOLDERS = {
    "the array": lambda array: array,
    "a view": lambda array: array[1:, ::2],
    "a view of a view": lambda array: array[1:].T[:4],
    "a memoryview": memoryview,
    "an import by DLPack": np.from_dlpack,
    "ctypes": lambda array: (ctypes.c_char * array.nbytes).from_buffer(array),
}


@pytest.fixture
def memory():
    return ResultMemory(INFO, 64)


def test_a_result_has_the_type_of_the_output_and_is_aligned(memory):
    array, address = memory.take()
    assert (
        array.shape == INFO.shape
        and array.dtype == np.float32
        and array.flags.c_contiguous
        and array.flags.writeable
    )
    assert array.ctypes.data == address and address % 64 == 0


def test_memory_that_nobody_has_is_used_again(memory):
    addresses = {memory.take()[1] for _ in range(5)}
    assert len(addresses) == 1


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_memory_is_not_used_again_while_somebody_holds_it(memory, hold):
    array, address = memory.take()
    held = hold(array)
    del array
    others = [memory.take()[1] for _ in range(4)]
    assert address not in others
    del held
    assert memory.take()[1] == address


def test_any_number_of_results_may_be_kept(memory):
    kept = [memory.take()[0] for _ in range(ROOMS + 3)]
    for number, array in enumerate(kept):
        array[...] = number
    assert (
        [int(array.min()) for array in kept] == [int(array.max()) for array in kept] == list(range(ROOMS + 3))
    )


def test_a_result_fed_back_needs_two_places_in_all(memory):
    last, _ = memory.take()
    addresses = set()
    for _ in range(6):
        following, address = memory.take()
        addresses.add(address)
        last = following
    assert len(addresses) == 2 and last is following
