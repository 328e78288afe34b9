"""Steps of an executor whose extents vary: a program reads and writes a part of the inputs and outputs, where they are or by way
of memory of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.runtime.memory import Array, address_of, aligned_array

Place = tuple[slice, ...]
# Of an axis with items: where a part begins, and how many places it has.
Cut = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What an executor reads or writes of a tensor by way of memory of its own: which place of the tensor is which place there.

    `fills`: places that get what is at other ones, where the executor computes more items than there are.
    """

    place: Place
    own: Place
    fills: tuple[tuple[Place, Place], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a program answers: a part of each dim's items.

    `offsets_bytes` say where they begin in each input and output, if all of them lie there as the executor reads and writes them;
    else `copied` says what to copy. `sizes` are those of the call, for a program with room.
    """

    program: int
    offsets_bytes: tuple[int, ...] | None
    copied: tuple[Copied, ...]
    sizes: Array | None = None


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
                own[place] = own[source]

    def give(self, copied: Sequence[Copied], results: Sequence[Array]) -> None:
        """Copies a part of the outputs into the results."""
        for own, array, how in zip(self.outputs, results, copied[-len(results) :], strict=True):
            array[how.place] = own[how.own]


def copied_by(tensor: TensorInfo, cuts: Mapping[int, Cut], arbitrary: Collection[int] = ()) -> Copied:
    """How a part of a tensor gets into a program's own. Where that computes more items, the last one stands for them too, but for
    axes on which it may be anything.
    """
    place, own = ([slice(None)] * len(tensor.shape) for _ in range(2))
    fills: list[tuple[Place, Place]] = []
    for axis, (begin, count) in cuts.items():
        place[axis], own[axis] = slice(begin, begin + count), slice(0, count)
        if count < tensor.shape[axis] and axis not in arbitrary:
            head = (slice(None),) * axis
            fills.append(((*head, slice(count, None)), (*head, slice(count - 1, count))))
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


def is_dense(array: Array) -> bool:
    """Whether the elements lie one behind the other, each aligned to its size."""
    return array.flags.c_contiguous and array.flags.aligned
