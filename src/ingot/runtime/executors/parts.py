"""Steps of an executor whose extents vary: a program reads and writes a part of the inputs and outputs, where they are or by way
of memory of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.runtime.memory import Array, address_of, aligned_array

Place = tuple[slice, ...]
# Of an axis with items: where a part begins, and how many places it has.
Cut = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """Some items of one dim: `rounds` times `count` of them from `begin` on, each of which a program for `size` computes."""

    begin: int
    count: int
    size: int
    rounds: int = 1

    def single(self) -> Iterator[Part]:
        """The same, one round after the other."""
        for number in range(self.rounds):
            yield Part(self.begin + number * self.count, self.count, self.size)


def split(extent: int, cycles: dict[int, float], copy_cycles: float = 0) -> Iterator[Part]:
    """Items one after another: as many at once as a program computes. For the last ones, a program computes more than are left if
    that should take no longer: some once more, or where there are not so many, some that are not there.

    Args:
        extent: how many there are.
        cycles: what a program takes, by the number of items that it computes; rising.
        copy_cycles: what it takes besides where there are not so many items, so that they are copied.
    """
    begin, sizes = 0, list(cycles)
    while begin < extent:
        left = extent - begin
        size = max((size for size in sizes if size <= left), default=sizes[0])
        above = min((size for size in sizes if size > left), default=size)
        # What is split here takes longer than any rest of it, so that all rounds of one size choose alike.
        copies = copy_cycles if above > extent else 0
        if above > size and cycles[above] + copies <= _cycles_of_split(left, cycles):
            size = above
        if size > left:
            begin = max(extent - size, 0)
            yield Part(begin, min(size, extent - begin), size)
            return
        yield Part(begin, size, size, left // size)
        begin += left // size * size


def _cycles_of_split(left: int, cycles: dict[int, float]) -> float:
    total = 0.0
    for size in reversed(cycles):
        total += left // size * cycles[size]
        left = left % size
    return total + cycles[next(iter(cycles))] if left else total


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What an executor reads or writes of a tensor by way of memory of its own: which place of the tensor is which place there.

    `fills`: places that get what is at other ones, where the executor computes more items than there are; zeros, where there are
    none.
    """

    place: Place
    own: Place
    fills: tuple[tuple[Place, Place | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a program answers: a part of each dim's items.

    `offsets_bytes` say where they begin in each input and output, if all of them lie there as the executor reads and writes them,
    and `strides_bytes` how far behind that the next of several `rounds` begins; else `copied` says what to copy, for one round.
    `sizes` are those of the call, for a program with room.
    """

    program: int
    offsets_bytes: tuple[int, ...] = ()
    strides_bytes: tuple[int, ...] = ()
    rounds: int = 1
    copied: tuple[Copied, ...] = ()
    sizes: Array | None = None

    def addresses(self, starts: Sequence[int], inputs: int) -> Iterator[list[int]]:
        """Of each round, where the program finds its inputs and outputs; `starts` are the addresses of all of them, the `inputs`
        first.
        """
        sizes = [] if self.sizes is None else [address_of(self.sizes)]
        for number in range(self.rounds):
            places = zip(starts, self.offsets_bytes, self.strides_bytes, strict=True)
            own = [start + offset + number * stride for start, offset, stride in places]
            yield [*own[:inputs], *sizes, *own[inputs:]]


class ProgramMemory:
    """Memory for the inputs and outputs of one program, for steps that cannot read or write them where they are."""

    def __init__(self, program: ModelInfo) -> None:
        self._program = program

    @cached_property
    def inputs(self) -> list[Array]:
        """An array for each input."""
        return [aligned_array(tensor) for tensor in self._program.inputs]

    @cached_property
    def outputs(self) -> list[Array]:
        """An array for each output."""
        return [aligned_array(tensor) for tensor in self._program.outputs]

    @cached_property
    def addresses(self) -> list[int]:
        """Where the arrays are, inputs first."""
        return [address_of(array) for array in (*self.inputs, *self.outputs)]

    def fill(self, copied: Sequence[Copied], given: Sequence[Array], sizes: Array | None) -> None:
        """Copies a part of the inputs here, and the sizes of the call behind them for a program with room."""
        if sizes is not None:
            self.inputs[-1][...] = sizes
        for own, array, how in zip(self.inputs, given, copied, strict=False):
            own[how.own] = array[how.place]
            for place, source in how.fills:
                own[place] = 0 if source is None else own[source]

    def give(self, copied: Sequence[Copied], results: Sequence[Array]) -> None:
        """Copies a part of the outputs into the results."""
        for own, array, how in zip(self.outputs, results, copied[-len(results) :], strict=True):
            array[how.place] = own[how.own]


def copied_by(tensor: TensorInfo, cuts: Mapping[int, Cut], arbitrary: Collection[int] = ()) -> Copied:
    """How a part of a tensor gets into a program's own. Where that computes more items, the last one stands for them too, but for
    axes on which it may be anything.
    """
    place, own = ([slice(None)] * len(tensor.shape) for _ in range(2))
    fills: list[tuple[Place, Place | None]] = []
    for axis, (begin, count) in cuts.items():
        place[axis], own[axis] = slice(begin, begin + count), slice(0, count)
        if count < tensor.shape[axis] and axis not in arbitrary:
            head = (slice(None),) * axis
            last = (*head, slice(count - 1, count)) if count else None
            fills.append(((*head, slice(count, None)), last))
    return Copied(tuple(place), tuple(own), tuple(fills))


def offset_bytes(tensor: TensorInfo, shape: tuple[int, ...], cuts: Mapping[int, Cut]) -> int | None:
    """Where a program's tensor begins in a dense one of this shape; None if its elements do not lie there without gaps.

    `cuts` are those of the axes that have a part of the items.
    """
    offset, step, is_cut = 0, tensor.dtype.numpy.itemsize, False
    for axis in reversed(range(len(shape))):
        begin, count = cuts.get(axis, (0, shape[axis]))
        if count != tensor.shape[axis] or (is_cut and count != 1):
            return None
        offset += begin * step
        is_cut = is_cut or count != shape[axis]
        step *= shape[axis]
    return offset


def stride_bytes(tensor: TensorInfo, shape: tuple[int, ...], moved: tuple[int, int] | None) -> int:
    """How many bytes behind a part the next one begins in a dense tensor of this shape; `moved`: along which axis, by how many
    places.
    """
    if moved is None:
        return 0
    axis, places = moved
    return places * math.prod(shape[axis + 1 :]) * tensor.dtype.numpy.itemsize


def piece(array: Array, offset: int, tensor: TensorInfo) -> Array:
    """The part of a dense array that begins so many bytes behind its start and is a program's tensor."""
    content = array.reshape(-1).view(np.uint8)[offset : offset + tensor.size_bytes]
    return content.view(array.dtype).reshape(tensor.shape)


def is_dense(array: Array) -> bool:
    """Whether the elements lie one behind the other, each aligned to its size."""
    return array.flags.c_contiguous and array.flags.aligned
