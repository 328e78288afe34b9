"""Memory for tensors: as long as was asked for, aligned, and in huge pages where that takes less time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingot.base.errors import DeviceError, OutOfMemoryError
from ingot.runtime.memory import address_of, aligned_bytes

HUGE_PAGE = 2 << 20
KERNEL_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.parametrize(
    "size", [0, 1, 100_000, (3 << 19) - 1, 3 << 19, HUGE_PAGE + 3, 2 * HUGE_PAGE - 1, 2 * HUGE_PAGE]
)
@pytest.mark.parametrize("alignment", [64, 4096])
def test_memory_is_aligned_and_as_long_as_was_asked_for(size: int, alignment: int) -> None:
    memory = aligned_bytes(size, alignment)
    memory[:] = 1
    assert len(memory) == max(size, 1)
    assert address_of(memory) % alignment == 0


@pytest.mark.skipif(
    not KERNEL_SETTING.exists() or "[never]" in KERNEL_SETTING.read_text(), reason="no huge pages here"
)
@pytest.mark.skipif(
    os.environ.get("NUMPY_MADVISE_HUGEPAGE") == "0", reason="NumPy was told not to ask for them"
)
@pytest.mark.parametrize("size", [7 << 18, 3 * HUGE_PAGE // 2])
def test_memory_of_some_megabytes_lies_in_huge_pages(size: int) -> None:
    memory = aligned_bytes(size, 64)
    address = address_of(memory)
    flags: list[str] = []
    here = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        head = line.split()[0]
        if "-" in head:
            begin, end = (int(number, 16) for number in head.split("-"))
            here = begin <= address < end
        elif here and head == "VmFlags:":
            flags = line.split()
    assert "hg" in flags
    assert address % HUGE_PAGE == 0


def test_less_memory_is_not_made_longer_for_huge_pages() -> None:
    """What pages it lies in is not asked: the C library may give it from memory that others once had in huge pages."""
    room = aligned_bytes(480_000, 64).base
    assert room is not None
    assert room.nbytes == 480_064


@pytest.mark.parametrize("kind", [DeviceError, MemoryError, OutOfMemoryError])
def test_too_much_memory_is_an_error_of_both_kinds(kind: type[Exception]) -> None:
    with pytest.raises(kind, match=rf"no {1 << 60} bytes of memory for values of a model"):
        aligned_bytes(1 << 60, 64)
