"""Extents that are left open while building: which sizes a library serves."""

import itertools
from collections.abc import Iterable
from typing import Any

from ingot.base.errors import ModelError
from ingot.base.records import Frozen

EXTENT_MAX = (1 << 31) - 1  # of an axis that varies
SIZES_MAX = 64  # of a list


class Dim(metaclass=Frozen):
    """The sizes of an extent: from `low` to `high` the multiples of `multiple_of`; if there are `sizes`, only these."""

    low: int
    high: int
    multiple_of: int = 1
    sizes: tuple[int, ...] = ()

    def has(self, size: int) -> bool:
        """Whether that is one of the sizes."""
        if self.sizes:
            return size in self.sizes
        return self.low <= size <= self.high and size % self.multiple_of == 0

    def __str__(self) -> str:
        """As the command line has it: `1..64`, `8..512:8`, `1,4,16`."""
        if self.sizes:
            return ",".join(map(str, self.sizes))
        high = "" if self.high == EXTENT_MAX else self.high
        return f"{self.low}..{high}" + (f":{self.multiple_of}" if self.multiple_of != 1 else "")


def dim(low: int, high: int, *, multiple_of: int = 1) -> Dim:
    """The sizes from `low` to `high`, both included, that are multiples of `multiple_of`, for `build(dims=…)`.

    The lowest and the highest multiple within the bounds are taken as bounds.

    Raises:
        ModelError: a bound or the step is no whole number, is below 0 (of the step: below 1) or too large, or there is no such
            size.
    """
    words = f"dim({low!r}, {high!r}" + (f", multiple_of={multiple_of!r})" if multiple_of != 1 else ")")
    for label, number, minimum in (
        ("the lower bound", low, 0),
        ("the upper bound", high, 0),
        ("multiple_of", multiple_of, 1),
    ):
        if not _is_whole(number) or not minimum <= number <= EXTENT_MAX:
            raise ModelError(
                f"{words}: {label} is a whole number from {minimum} to {EXTENT_MAX}, got {number!r}",
                got=number,
            )
    first, last = -(-low // multiple_of) * multiple_of, high // multiple_of * multiple_of
    if first > last:
        why = (
            "the range is empty"
            if multiple_of == 1
            else f"there is no multiple of {multiple_of} in the range"
        )
        raise ModelError(
            f"{words}: {why}; give a lower bound that is not above the upper one", low=low, high=high
        )
    return Dim(first, last, multiple_of)


def dim_of(name: str, given: Any) -> int | Dim:
    """What `dims[name]` means: a number; a `Dim`; a `range`, whose end is not included; or several sizes.

    Raises:
        ModelError: it is none of these, or has no size, or one twice.
    """
    if isinstance(given, Dim) or _is_whole(given):
        return given if isinstance(given, Dim) else int(given)
    if isinstance(given, range):
        return _of_range(name, given)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise _wrong(name, given, "an extent is a number, a list of sizes, a range or ingot.dim(low, high)")
    sizes = list(itertools.islice(given, SIZES_MAX + 1))
    if len(sizes) > SIZES_MAX:
        raise _wrong(name, given, f"a list has at most {SIZES_MAX} sizes, got more; give a range")
    for size in sizes:
        if not _is_whole(size) or not 0 <= size <= EXTENT_MAX:
            raise _wrong(name, given, f"a size is a whole number from 0 to {EXTENT_MAX}, got {size!r:.40}")
    if not sizes or len(set(sizes)) != len(sizes):
        raise _wrong(name, given, "a list has at least one size, and none twice")
    whole = tuple(sorted(map(int, sizes)))
    return whole[0] if len(whole) == 1 else Dim(whole[0], whole[-1], 1, whole)


def _of_range(name: str, given: range) -> int | Dim:
    if not given or given.step < 0 or given.start < 0:
        raise _wrong(name, given, "a range goes up from 0 or above, and is not empty")
    if given.step > 1 and given.start % given.step:
        raise _wrong(
            name,
            given,
            f"a range with the step {given.step} begins at a multiple of it; give the sizes as a list",
        )
    if given[-1] > EXTENT_MAX:
        raise _wrong(name, given, f"the largest extent is {EXTENT_MAX}")
    return given[0] if len(given) == 1 else Dim(given[0], given[-1], given.step)


def _is_whole(value: Any) -> bool:
    """Whether it is a whole number, of Python or of NumPy."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and getattr(value, "shape", ()) == ()


def _wrong(name: str, given: Any, why: str) -> ModelError:
    return ModelError(f"dims={{{name!r}: {given!r:.80}}}: {why}", dim=name)
