"""How many places of an axis are there in a call, where a program has room for more: what depends on sizes known only then.

A program with room for 512 places computes 7 of them too: its values keep their strides, only loops end earlier. The sizes of a
call are in a buffer of int64, in the order of the model's dims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import DType
from ingot.loops.nodes import Buffer, Expr, Load, buffer, index, maximum, minimum

# Places behind the last one that have a neutral value go up to a multiple of this: blocks of reductions have no more places.
FILL_MULTIPLE = 64
_NEEDED = "needed"


@dataclass(frozen=True, slots=True)
class Count:
    """`(sizes[dim] * times + plus) // over` places, for whole numbers of which `over` is positive; never fewer than 0, and no
    more than `cap`, if there is one.
    """

    dim: int
    times: int = 1
    plus: int = 0
    over: int = 1
    cap: int | None = None

    def at(self, size: int) -> int:
        """How many there are for a size."""
        count = max((size * self.times + self.plus) // self.over, 0)
        return count if self.cap is None else min(count, self.cap)

    def expression(self, sizes: Buffer, high: int) -> Expr:
        """The number in a kernel, an int64 that is 0 to `high`; `sizes` has those of the call."""
        high = high if self.cap is None else min(high, self.cap)
        total = Load(sizes, (index(self.dim),)) * self.times + self.plus
        # The division of loops truncates; and bounds are known of what stands between two numbers.
        return minimum(maximum(total, 0) // self.over, high)


def needed_param(axis: int) -> Buffer:
    """The parameter from which a kernel reads how many elements of an axis of output 0 are to be written. `plan.shorten` puts an
    expression of the sizes in the place of these reads, once it knows what readers of the output need.
    """
    return buffer(f"{_NEEDED}{axis}", DType.INT64, (1,))


def needed_axis(param: Buffer) -> int | None:
    """The axis of which a parameter says how much is to be written; None for another parameter."""
    name = param.name.removeprefix(_NEEDED)
    return int(name) if name != param.name and name.isdecimal() else None


def count_of_count(
    count: Count, sizes: Sequence[int], times: int = 1, plus: int = 0, over: int = 1
) -> Count | None:
    """The count `(n * times + plus) // over` for a number `n` that is a count; None if it is no count. Constants that make no
    difference for any size that calls may have are the same in all counts.
    """
    if times != 1 and any((size * count.times + count.plus) % count.over for size in sizes):
        return None  # the quotient is rounded before it is multiplied
    factor, divisor = count.times * times, count.over * over
    constant = count.plus * times + plus * count.over
    # A part of the constant that no size brings to the next multiple changes nothing.
    common_of_sizes = math.gcd(sizes.start, sizes.step) if isinstance(sizes, range) else math.gcd(*sizes)
    step = math.gcd(common_of_sizes * factor, divisor)
    constant = constant // step * step
    common = math.gcd(factor, constant, divisor)
    if count.cap is not None and times < 0:
        return None
    cap = None if count.cap is None else (count.cap * times + plus) // over
    return Count(count.dim, factor // common, constant // common, divisor // common, cap)


@dataclass(frozen=True, slots=True)
class Limit:
    """An axis of a value, of which only some places are there in a call.

    The axis has `rounds` equal parts, and each part has room for places of `each` elements. Place `p` of every part is there if
    `p` is below the count. What lies behind is arbitrary, unless there is a `fill`: then places up to the next multiple of
    FILL_MULTIPLE have this value, or all if the fill is `whole`; where there is a `margin`, only so many behind the last.
    """

    axis: int
    count: Count
    each: int = 1
    rounds: int = 1
    fill: float | None = None
    whole: bool = False
    margin: int | None = None

    def unfilled(self) -> Limit:
        """The same with arbitrary places behind the last."""
        return replace(self, fill=None, whole=False, margin=None)
