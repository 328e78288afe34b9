"""The executor of a model whose extents vary from call to call: it looks at the shapes that come, and lets the programs for them
answer.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.artifact.dims_read import count_at
from ingot.artifact.model_info import DimInfo, ModelInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.runtime.executors.base import Executor, by_name
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.parts import Cut, ProgramMemory, Step, copied_by, is_dense, offset_bytes
from ingot.runtime.executors.stepping import output_index
from ingot.runtime.inputs import (
    as_array,
    no_memory,
    overlap,
    require_count,
    require_dense,
    require_writeable,
    unknown_input,
    wrong_inputs,
)
from ingot.runtime.memory import Array, address_of, aligned_bytes
from ingot.runtime.profile import Profile

ANSWERS_MAX = 1024  # shapes of which it is remembered who answers
PARTS_MAX = 256  # what has more parts is not remembered
# What one more call takes in Python besides what the program does: about a microsecond. It only chooses between right answers.
_CALL_CYCLES = 3000
Shapes = tuple[tuple[int, ...], ...]


def shaped_executor(
    info: ModelInfo, programs: Sequence[ModelInfo], make: Callable[[ModelInfo, Array], Executor]
) -> ShapedExecutor:
    """The executor that callers get.

    Args:
        info: the model, with dims.
        programs: what is said of each of `info.programs`.
        make: an executor of one of them, whose values are in the given memory.
    """
    memories = [program.host.memory for program in programs]
    arena = aligned_bytes(
        max(memory.arena_bytes for memory in memories), max(memory.alignment_bytes for memory in memories)
    )
    executors = [make(program, arena) for program in programs]
    kind = ShapedGraphExecutor if isinstance(executors[0], GraphExecutor) else ShapedExecutor
    return kind(info, programs, executors)


def extent_of(
    model: str, dim: DimInfo, places: Sequence[tuple[str, int]], shapes: Mapping[str, Sequence[int]]
) -> int:
    """The size of an extent.

    Args:
        model: the model's name.
        dim: the extent.
        places: inputs and their axes that have it, at least one.
        shapes: of these inputs, by name.

    Raises:
        InputError: it is none that the library was built for, or not the same in all places.
    """
    first, at = places[0]
    extent = shapes[first][at]
    for name, axis in places:
        if shapes[name][axis] != extent:
            raise InputError(
                f"model {model!r}: {dim.name} is {extent} in axis {at} of {first!r} and {shapes[name][axis]} in "
                f"axis {axis} of {name!r}; give inputs with the same",
                dim=dim.name,
                got=(extent, shapes[name][axis]),
            )
    in_list = extent in dim.sizes if dim.sizes else extent % dim.multiple_of == 0
    if not (dim.low <= extent <= dim.high and in_list):
        raise InputError(
            f"model {model!r}: {dim.name} is {extent} in axis {at} of {first!r}; the library was built for {dim}",
            dim=dim.name,
            got=extent,
            expected=dim.words,
        )
    return extent


@dataclass(frozen=True, slots=True)
class Part:
    """Some items of one dim: `count` of them from `begin` on, which a program for `size` computes."""

    begin: int
    count: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Who answers inputs of certain shapes: one executor, or several one after another. `shapes` are those of the outputs."""

    whole: Executor | None
    steps: tuple[Step, ...]
    shapes: Shapes


class ShapedExecutor(Executor):
    """Executors of all programs of a model, as one: they share the memory for values, since one works at a time."""

    def __init__(self, info: ModelInfo, programs: Sequence[ModelInfo], executors: Sequence[Executor]) -> None:
        self.kind = executors[0].kind
        self._info, self._programs, self._executors = info, programs, executors
        self._at_work: object = None
        self._by_sizes = {program.sizes: number for number, program in enumerate(info.programs)}
        self._sizes = [
            sorted({program.sizes[at] for program in info.programs}) for at in range(len(info.dims))
        ]
        self._names = [tensor.name for tensor in info.inputs]
        self._types = {tensor.name: tensor for tensor in info.inputs}
        self._own = [ProgramMemory(program) for program in programs]
        self._has_room = any(dim.room for dim in info.dims)
        self._answers: dict[Shapes, Answer] = {}
        self._given: dict[str, Array] = {}
        self._set: Answer | None = None  # who answers what is set
        self._results: Sequence[Array] | None = None
        self._last: Executor | None = None

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} {self._info}>"

    # ─── step by step ──────────────────────────────────────────────────────────────────────────────────────────────

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """As of every executor. Inputs of another shape than before are good: the next run takes what fits all of them."""
        given = arrays if inputs is None else by_name(inputs, arrays)
        self._begin_work()
        try:
            arrays_ = {name: self._array(name, value) for name, value in given.items()}
            for name, array in arrays_.items():
                if not copy:
                    require_dense(array, self._types[name], "input")
            self._given |= {
                name: np.array(array, order="C") if copy else array for name, array in arrays_.items()
            }
            self._set = None
        except MemoryError as error:
            raise no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def run(self) -> None:
        """As of every executor."""
        self._begin_work()
        try:
            self._results = None
            if self._set is None:
                self._set = self._answer_for_set()
            if self._set.whole is not None:
                self._set.whole.run()
                self._last = self._set.whole
            else:
                results = self._new_results(self._set)
                self._by_parts(self._set, self._given, results)
                self._results = results
        except MemoryError as error:
            raise no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def _answer_for_set(self) -> Answer:
        missing = [name for name in self._names if name not in self._given]
        if missing:
            raise InputError(
                f"model {self._info.name!r}: input {', '.join(map(repr, missing))} was not set; call set_input first",
                name=self._info.name,
                missing=tuple(missing),
            )
        answer = self._answer(tuple(self._given[name].shape for name in self._names))
        if answer.whole is not None:
            answer.whole.set_input(self._given, copy=False)
        return answer

    def get_output(self, index: int | str, out: object = None) -> Array:
        """As of every executor."""
        self._begin_work()
        try:
            if self._results is None:
                if self._set is None or self._set.whole is None:
                    raise InputError(
                        f"model {self._info.name!r}: get_output before run, or after one that failed",
                        name=self._info.name,
                    )
                return self._set.whole.get_output(index, out)
            at = output_index(self._info, index)
            result, tensor = self._results[at], self._info.outputs[at]
            if out is None:
                return result.copy()
            target = as_array(out, TensorInfo(tensor.name, tensor.dtype, result.shape), "out for output")
            require_writeable(target, tensor, "out for output")
            target[...] = result
            return target
        finally:
            self._at_work = None

    # ─── at once ───────────────────────────────────────────────────────────────────────────────────────────────────

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """As of every executor: outputs have the shapes that follow from those of the inputs.

        Raises:
            InputError: also if an extent is none that the library was built for, or is not the same in all inputs that have it.
        """
        given: dict[str, Any] = arrays if inputs is None else by_name(inputs, arrays)
        self._begin_work()
        try:
            try:
                answer = self._answers[tuple([given[name].shape for name in self._names])]
            except (AttributeError, KeyError, TypeError):
                answer = self._answer_for(given)
            if answer.whole is not None:
                self._last = answer.whole
                return answer.whole.predict(given, out=out)
            if len(given) != len(self._names):
                raise wrong_inputs(self._info, given)
            checked = {name: self._array(name, given[name]) for name in self._names}
            if out is None:
                results = self._new_results(answer)
                self._by_parts(answer, checked, results)
                return results[0] if len(results) == 1 else tuple(results)
            self._into(out, answer, checked)
            return out
        except MemoryError as error:
            raise no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def _answer_for(self, given: dict[str, Any]) -> Answer:
        """Who answers inputs that did not come before in these shapes; `given` gets arrays for lists of numbers."""
        if given.keys() != self._types.keys():
            raise wrong_inputs(self._info, given)
        for name in self._names:
            given[name] = self._array(name, given[name])
        return self._answer(tuple([given[name].shape for name in self._names]))

    def _array(self, name: str, value: object) -> Array:
        """An input as an array of its type; of its extents those that vary are not looked at."""
        tensor = self._types.get(name)
        if tensor is None:
            raise unknown_input(self._info, name)
        if type(value) is np.ndarray and value.dtype is tensor.dtype.numpy and not tensor.dtype.is_packed:
            return value
        shape = getattr(value, "shape", None)
        try:
            shape = tuple(shape) if isinstance(shape, Iterable) else np.shape(value)  # type: ignore[call-overload]
        except ValueError:
            raise InputError(
                f"input {name!r} is a list of lists of different lengths; expected {tensor.type_words}",
                name=name,
            ) from None
        return as_array(value, TensorInfo(name, tensor.dtype, shape, tensor.extents))

    def device_tensor(self, name: str, content: object = None) -> Any:  # noqa: ARG002
        """Refused: which program reads a tensor is not known before its shape is."""
        raise InputError(
            f"model {self._info.name!r} has extents that vary: give arrays, or build it for one shape to keep tensors on devices",
            name=name,
        )

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> Profile:
        """As of every executor: of the program that answers, or of the first one where several do."""
        given = {name: self._array(name, value) for name, value in by_name(inputs, arrays).items()}
        answer = self._answer_for(given)
        if answer.whole is not None:
            return answer.whole.profile(given, repeat=repeat)
        step = answer.steps[0]
        own = self._own[step.program]
        own.fill(step.copied, [given[name] for name in self._names], step.sizes)
        cut = {
            tensor.name: array
            for tensor, array in zip(self._programs[step.program].inputs, own.inputs, strict=True)
        }
        return self._executors[step.program].profile(cut, repeat=repeat)

    # ─── which programs answer ─────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, shapes: Shapes) -> Answer:
        answer = self._answers.get(shapes)
        if answer is None:
            answer = self._new_answer(self._extents(shapes), shapes)
            if len(self._answers) < ANSWERS_MAX and len(answer.steps) <= PARTS_MAX:
                self._answers[shapes] = answer
        return answer

    def _extents(self, shapes: Shapes) -> tuple[int, ...]:
        """The extent of each dim."""
        by_name_ = dict(zip(self._names, shapes, strict=True))
        for name, shape in by_name_.items():
            if len(shape) != len(self._types[name].shape):
                raise self._wrong_shape(name, shape)
        return tuple(
            extent_of(self._info.name, dim, dim.inputs, by_name_) if dim.inputs else self._sizes[at][0]
            for at, dim in enumerate(self._info.dims)
        )

    def _wrong_shape(self, name: str, shape: tuple[int, ...]) -> InputError:
        expected = self._types[name].type_words
        return InputError(
            f"input {name!r} has the shape {list(shape)}; expected {expected}",
            name=name,
            expected=expected,
            got=shape,
        )

    def _new_answer(self, extents: tuple[int, ...], shapes: Shapes) -> Answer:
        number = self._by_sizes.get(extents)
        if number is not None and not self._has_room:
            outputs = tuple(tensor.shape for tensor in self._programs[number].outputs)
            return Answer(self._executors[number], (), outputs)
        parts = [
            tuple(self._parts(at, extent)) if dim.outputs else (Part(0, extent, self._capacity(at, extent)),)
            for at, (dim, extent) in enumerate(zip(self._info.dims, extents, strict=True))
        ]
        outputs = self._output_shapes(extents)
        steps = tuple(self._step(each, shapes, outputs) for each in itertools.product(*parts))
        return Answer(None, steps, outputs)

    def _parts(self, at: int, extent: int) -> Iterator[Part]:
        """Items one after another: as many at once as a program computes. For the last ones, a program computes more than are
        left if that should take no longer: some once more, or where there are not so many, some that are not there.
        """
        begin, sizes = 0, self._sizes[at]
        while begin < extent:
            left = extent - begin
            size = max((size for size in sizes if size <= left), default=sizes[0])
            above = min((size for size in sizes if size > left), default=size)
            if above > size and self._cycles(at, above) <= self._cycles_of_split(at, left):
                size = above
            if size > left:
                begin = max(extent - size, 0)
            yield Part(begin, min(size, extent - begin), size)
            begin += size

    def _step(self, parts: tuple[Part, ...], inputs: Shapes, outputs: Shapes) -> Step:
        number = self._by_sizes[tuple(part.size for part in parts)]
        program = self._programs[number]
        given = [tensor for tensor in program.inputs if tensor.name in self._types]
        cuts: dict[str, dict[int, Cut]] = {tensor.name: {} for tensor in (*given, *program.outputs)}
        arbitrary: dict[str, set[int]] = {name: set() for name in cuts}
        for dim, part in zip(self._info.dims, parts, strict=True):
            if dim.room:
                for name, axis in dim.inputs:
                    cuts[name][axis] = (0, part.count)
                    arbitrary[name].add(axis)
                for name, axis, *count in dim.counts:
                    cuts[name][axis] = (0, count_at(part.count, *count))
            elif dim.outputs:
                for name, axis, each in (*((name, axis, 1) for name, axis in dim.inputs), *dim.outputs):
                    cuts[name][axis] = (part.begin * each, part.count * each)
        for tensor, shape in zip(given, inputs, strict=True):
            fixed = [axis for axis in range(len(shape)) if axis not in cuts[tensor.name]]
            if any(shape[axis] != tensor.shape[axis] for axis in fixed):
                raise self._wrong_shape(tensor.name, shape)
        tensors = list(zip((*given, *program.outputs), (*inputs, *outputs), strict=True))
        offsets = [offset_bytes(tensor, shape, cuts[tensor.name]) for tensor, shape in tensors]
        copied = tuple(copied_by(tensor, cuts[tensor.name], arbitrary[tensor.name]) for tensor, _ in tensors)
        known = tuple(offset for offset in offsets if offset is not None)
        sizes = np.array([part.count for part in parts], np.int64) if self._has_room else None
        return Step(number, known if len(known) == len(offsets) else None, copied, sizes)

    def _capacity(self, at: int, extent: int) -> int:
        """The least size of a program with room for an extent; without room, the extent."""
        if not self._info.dims[at].room:
            return extent
        return min(size for size in self._sizes[at] if size >= extent)

    def _cycles_of_split(self, at: int, left: int) -> float:
        total = 0.0
        while left > 0:
            size = max((size for size in self._sizes[at] if size <= left), default=self._sizes[at][0])
            total, left = total + self._cycles(at, size), left - size
        return total

    def _cycles(self, at: int, size: int) -> float:
        """What a call of a program for so many items takes, with the least of all other dims."""
        own = (program.cycles for program in self._info.programs if program.sizes[at] == size)
        return _CALL_CYCLES + min(own)

    def _output_shapes(self, extents: tuple[int, ...]) -> Shapes:
        """The shapes of outputs: as those of a program for the extents of dims that have no items, with all items."""
        sizes = tuple(
            self._sizes[at][0] if dim.outputs else self._capacity(at, extent)
            for at, (dim, extent) in enumerate(zip(self._info.dims, extents, strict=True))
        )
        shapes = {tensor.name: list(tensor.shape) for tensor in self._programs[self._by_sizes[sizes]].outputs}
        for dim, extent in zip(self._info.dims, extents, strict=True):
            for name, axis, each in dim.outputs:
                shapes[name][axis] = extent * each
            for name, axis, *count in dim.counts:
                shapes[name][axis] = count_at(extent, *count)
        return tuple(tuple(shape) for shape in shapes.values())

    # ─── several programs ──────────────────────────────────────────────────────────────────────────────────────────

    def _new_results(self, answer: Answer) -> list[Array]:
        tensors = zip(answer.shapes, self._info.outputs, strict=True)
        return [np.empty(shape, tensor.dtype.numpy) for shape, tensor in tensors]

    def _into(self, out: Any, answer: Answer, given: Mapping[str, Array]) -> None:
        targets: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
        require_count(self._info, targets)
        arrays: list[Array] = []
        for target, shape, tensor in zip(targets, answer.shapes, self._info.outputs, strict=True):
            sized = TensorInfo(tensor.name, tensor.dtype, shape)
            array = as_array(target, sized, "out for output")
            if any(overlap(array, other) for other in arrays):
                raise InputError(
                    f"out for output {tensor.name!r} overlaps the out of another output", name=tensor.name
                )
            require_writeable(array, sized, "out for output")
            arrays.append(array)
        # A later part reads what an earlier one must not have written.
        results = [
            array
            if is_dense(array)
            and not any(np.may_share_memory(array, input_array) for input_array in given.values())
            else np.empty_like(array, order="C")
            for array in arrays
        ]
        self._by_parts(answer, given, results)
        for array, result in zip(arrays, results, strict=True):
            if result is not array:
                array[...] = result

    def _by_parts(self, answer: Answer, given: Mapping[str, Array], results: Sequence[Array]) -> None:
        """Lets all steps fill the results, which are dense."""
        arrays = [given[name] for name in self._names]
        dense = [array if is_dense(array) else np.array(array, order="C") for array in arrays]
        starts = [address_of(array) for array in (*dense, *results)]
        for step in answer.steps:
            executor = self._executors[step.program]
            if step.offsets_bytes is not None:
                places = zip(starts, step.offsets_bytes, strict=True)
                addresses = [start + offset for start, offset in places]
                if step.sizes is not None:
                    addresses.insert(len(arrays), address_of(step.sizes))
                executor.run_at(addresses)
            else:
                own = self._own[step.program]
                own.fill(step.copied, dense, step.sizes)
                executor.run_at(own.addresses)
                own.give(step.copied, results)
            self._last = executor


class ShapedGraphExecutor(ShapedExecutor):
    """Graph executors of all programs of a model: the values that can be looked at are those of the program that ran last."""

    def values(self) -> dict[str, Array]:
        """As of a graph executor; where several programs answered, of the last one."""
        return self._graph().values()

    def get_value(self, name: str) -> Array:
        """As of a graph executor; where several programs answered, of the last one."""
        return self._graph().get_value(name)

    def _graph(self) -> GraphExecutor:
        if not isinstance(self._last, GraphExecutor):
            raise InputError(
                f"model {self._info.name!r}: values can be read after run or predict", name=self._info.name
            )
        return self._last
