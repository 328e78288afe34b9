"""Kernels are timed on constants that come from as far away as in a model."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from ingot.base.tensor import KERNEL_DTYPES
from ingot.codegen.llvm.build.trial import _Memory, _Param


@pytest.mark.parametrize("kind", [dtype.value for dtype in KERNEL_DTYPES])
def test_constants_of_every_type_are_read_from_another_place_each_time(kind: str) -> None:
    params = [_Param("in0", kind, 4096), _Param("const", kind, 1000), _Param("out0", kind, 4096)]
    memory = _Memory([params], 1 << 16)
    calls = list(itertools.islice(memory.addresses(params), 100))
    reads, constants, writes = ({call[place] for call in calls} for place in range(3))
    assert len(reads) == len(writes) == 1
    assert len(constants) == (1 << 16) // 1024
    assert max(constants) - min(constants) == (1 << 16) - 1024
    assert all(address % 64 == 0 for address in constants)


@pytest.mark.parametrize("kind", ["float16", "float64", "int64"])
def test_wherever_constants_are_read_they_are_numbers_that_are_in_bounds(kind: str) -> None:
    params = [_Param("const", kind, 1000), _Param("const", "float32", 64)]
    memory = _Memory([params], 1 << 16)
    for address, _ in itertools.islice(memory.addresses(params), 100):
        values = np.frombuffer(ctypes.string_at(address, 1000), kind)
        assert not values.any() if kind == "int64" else np.abs(values).max() < 10
