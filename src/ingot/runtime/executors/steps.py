"""Which programs answer inputs of certain shapes, some after the others, and what each of them reads and writes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ingot.artifact.dims_read import count_at
from ingot.artifact.model_info import DimInfo, ModelInfo
from ingot.base.errors import InputError
from ingot.runtime.executors.parts import Cut, Part, Step, copied_by, offset_bytes, split, stride_bytes

# What one more call from Python takes besides what the program does: about a microsecond. It only chooses between right answers.
CALL_CYCLES = 3000
_COPY_CYCLES = 20_000  # of items for a program that computes more, and of what it computes
Shapes = tuple[tuple[int, ...], ...]


class Steps:
    """The steps for all shapes of a model's inputs.

    Args:
        info: the model, with dims.
        programs: what is said of each of `info.programs`.
        call_cycles: what each step takes besides its program.
    """

    def __init__(self, info: ModelInfo, programs: Sequence[ModelInfo], call_cycles: int) -> None:
        self._info, self._programs, self._call_cycles = info, programs, call_cycles
        self._by_sizes = {program.sizes: number for number, program in enumerate(info.programs)}
        self._sizes = [
            sorted({program.sizes[at] for program in info.programs}) for at in range(len(info.dims))
        ]
        self._has_room = any(dim.room for dim in info.dims)

    def wrong_shape(self, name: str, shape: tuple[int, ...]) -> InputError:
        expected = next(tensor.type_words for tensor in self._info.inputs if tensor.name == name)
        return InputError(
            f"input {name!r} has the shape {list(shape)}; expected {expected}",
            name=name,
            expected=expected,
            got=shape,
        )

    @cached_property
    def _cycles(self) -> list[dict[int, float]]:
        """For each dim what a call of a program takes, by its number of items; with the least of all other dims."""
        programs = self._info.programs
        return [
            {
                size: self._call_cycles
                + min(program.cycles for program in programs if program.sizes[at] == size)
                for size in sizes
            }
            for at, sizes in enumerate(self._sizes)
        ]

    def steps(self, extents: tuple[int, ...], inputs: Shapes, outputs: Shapes) -> Iterator[Step]:
        """All steps, those of the last dim that has items fastest."""
        last = max((at for at, dim in enumerate(self._info.dims) if dim.outputs), default=-1)
        parts: list[list[Part]] = []
        for at, (dim, extent) in enumerate(zip(self._info.dims, extents, strict=True)):
            some = self._parts(at, extent) if dim.outputs else [Part(0, extent, self._capacity(at, extent))]
            parts.append(some if at == last else [part for each in some for part in each.single()])
        if self._item_bytes and all(part.count == part.size for part in parts[last]):
            self._require_shapes(inputs)
            yield from self._plain_steps(parts[last])
            return
        for combination in itertools.product(*parts):
            step = self._step(combination, last, inputs, outputs)
            if not step.copied or combination[last].rounds == 1:
                yield step
                continue
            for part in combination[last].single():
                single = (*combination[:last], part, *combination[last + 1 :])
                yield self._step(single, last, inputs, outputs)

    @cached_property
    def _item_bytes(self) -> tuple[int, ...]:
        """The bytes of an item in each input and output, if there is one dim, which has items that lie one behind the other."""
        if len(self._info.dims) != 1 or not self._info.dims[0].outputs:
            return ()
        program, (size,) = self._programs[0], self._info.programs[0].sizes
        axes = {name: axis for name, axis, _ in self._places_of(self._info.dims[0])}
        item_bytes = []
        for tensor in (*program.inputs, *program.outputs):
            axis = axes.get(tensor.name)
            if axis is not None and math.prod(tensor.shape[:axis]) != 1:
                return ()
            item_bytes.append(0 if axis is None else tensor.size_bytes // size)
        return tuple(item_bytes)

    def _require_shapes(self, inputs: Shapes) -> None:
        """Refuses inputs with other extents than those of a program, but for their one axis of items."""
        axes = dict(self._info.dims[0].inputs)
        for tensor, shape in zip(self._programs[0].inputs, inputs, strict=True):
            axis = axes.get(tensor.name, len(shape))
            if shape[:axis] != tensor.shape[:axis] or shape[axis + 1 :] != tensor.shape[axis + 1 :]:
                raise self.wrong_shape(tensor.name, shape)

    def _plain_steps(self, parts: Sequence[Part]) -> Iterator[Step]:
        """The steps of a model with one dim, whose items lie one behind the other: what `_step` gives, in less time."""
        item_bytes = self._item_bytes
        for part in parts:
            number = self._by_sizes[(part.size,)]
            yield Step(
                number,
                tuple([part.begin * each for each in item_bytes]),
                tuple([part.count * each for each in item_bytes]),
                part.rounds,
            )

    def _parts(self, at: int, extent: int) -> list[Part]:
        """The parts of a dim's items. Of no items there is one where an output does not depend on them."""
        parts = list(split(extent, self._cycles[at], _COPY_CYCLES))
        is_same = len(self._info.dims[at].outputs) < len(self._info.outputs)
        return parts or ([Part(0, 0, self._sizes[at][0])] if is_same else [])

    def _step(self, parts: tuple[Part, ...], last: int, inputs: Shapes, outputs: Shapes) -> Step:
        """What one program answers: the rounds of the `last` part, one of each other; where it copies, only the first."""
        number = self._by_sizes[tuple(part.size for part in parts)]
        program = self._programs[number]
        given = program.inputs[: len(inputs)]
        cuts: dict[str, dict[int, Cut]] = {tensor.name: {} for tensor in (*given, *program.outputs)}
        arbitrary: dict[str, set[int]] = {name: set() for name in cuts}
        for dim, part in zip(self._info.dims, parts, strict=True):
            for name, axis, each in self._places_of(dim):
                cuts[name][axis] = (part.begin * each, part.count * each)
            for name, axis, plus in dim.places if dim.room else dim.sums:
                _add(cuts[name], axis, part.count + plus)
                arbitrary[name].add(axis)
            for name, axis, *count in dim.counts:
                _add(cuts[name], axis, count_at(part.count, *count))
        for tensor, shape in zip(given, inputs, strict=True):
            fixed = [axis for axis in range(len(shape)) if axis not in cuts[tensor.name]]
            if any(shape[axis] != tensor.shape[axis] for axis in fixed):
                raise self.wrong_shape(tensor.name, shape)
        sizes = np.array([part.count for part in parts], np.int64) if self._has_room else None
        tensors = list(zip((*given, *program.outputs), (*inputs, *outputs), strict=True))
        offsets = [offset_bytes(tensor, shape, cuts[tensor.name]) for tensor, shape in tensors]
        known = tuple(offset for offset in offsets if offset is not None)
        if len(known) < len(offsets):
            copied = [copied_by(tensor, cuts[tensor.name], arbitrary[tensor.name]) for tensor, _ in tensors]
            return Step(number, copied=tuple(copied), sizes=sizes)
        moved = {
            name: (axis, parts[last].count * each)
            for name, axis, each in self._places_of(self._info.dims[last])
        }
        strides = tuple(stride_bytes(tensor, shape, moved.get(tensor.name)) for tensor, shape in tensors)
        return Step(number, known, strides, parts[last].rounds, sizes=sizes)

    def _capacity(self, at: int, extent: int) -> int:
        """The least size of a program with room for an extent; without room, the extent."""
        if not self._info.dims[at].room:
            return extent
        return min(size for size in self._sizes[at] if size >= extent)

    def _places_of(self, dim: DimInfo) -> Iterator[tuple[str, int, int]]:
        """The tensors with items of a dim: by name, axis, and how many places each item has."""
        if dim.outputs:
            yield from ((name, axis, 1) for name, axis in dim.inputs)
            yield from dim.outputs

    def output_shapes(self, extents: tuple[int, ...]) -> Shapes:
        """The shapes of outputs: as those of a program for the extents of dims that have no items, with all items."""
        sizes = tuple(
            self._sizes[at][0] if dim.outputs else self._capacity(at, extent)
            for at, (dim, extent) in enumerate(zip(self._info.dims, extents, strict=True))
        )
        shapes = {tensor.name: list(tensor.shape) for tensor in self._programs[self._by_sizes[sizes]].outputs}
        counted: dict[tuple[str, int], int] = {}
        for dim, extent in zip(self._info.dims, extents, strict=True):
            for name, axis, each in dim.outputs:
                shapes[name][axis] = extent * each
            for name, axis, *count in dim.counts:
                counted[name, axis] = counted.get((name, axis), 0) + count_at(extent, *count)
        for (name, axis), extent in counted.items():
            shapes[name][axis] = extent
        return tuple(tuple(shape) for shape in shapes.values())


def _add(cuts: dict[int, Cut], axis: int, count: int) -> None:
    """Notes the first places of an axis, behind those that another dim gives it."""
    cuts[axis] = (0, cuts.get(axis, (0, 0))[1] + count)
