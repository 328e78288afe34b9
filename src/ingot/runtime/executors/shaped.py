"""The executor of a model whose extents vary from call to call: it looks at the shapes that come, and lets the programs for them
answer.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ingot.artifact.model_info import DimInfo, ModelInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.base.lazy import Late
from ingot.runtime.executors.base import STAGED_BYTES, AotExecutor, Executor, by_name
from ingot.runtime.executors.chain import Chain, Repeat
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.parts import (
    ProgramMemory,
    Step,
    is_dense,
    piece,
)
from ingot.runtime.executors.stepping import output_index
from ingot.runtime.executors.steps import CALL_CYCLES, Shapes, Steps
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

if TYPE_CHECKING:
    from ingot.artifact.module import Function
    from ingot.runtime.executors import in_place as late_in_place
else:
    late_in_place = Late("ingot.runtime.executors.in_place")

ANSWERS_MAX = 1024  # shapes of which it is remembered who answers
PARTS_MAX = 256  # what has more parts is not remembered
_ALIGNMENT_BYTES = 64


def shaped_executor(
    info: ModelInfo,
    programs: Sequence[ModelInfo],
    make: Callable[[ModelInfo, Array], Executor],
    function: Callable[[str], Function | None],
) -> ShapedExecutor:
    """The executor that callers get.

    Args:
        info: the model, with dims.
        programs: what is said of each of `info.programs`.
        make: an executor of one of them, whose values are in the given memory.
        function: a function of the library by its name, or None.
    """
    if info.states:
        programs = [replace(program, states=info.states) for program in programs]
    memories = [program.host.memory for program in programs]
    arena = aligned_bytes(
        max(memory.arena_bytes for memory in memories), max(memory.alignment_bytes for memory in memories)
    )
    executors = [make(program, arena) for program in programs]
    kind = ShapedGraphExecutor if isinstance(executors[0], GraphExecutor) else ShapedExecutor
    return kind(info, programs, executors, function)


def extent_of(
    model: str, dim: DimInfo, places: Sequence[tuple[str, int, int]], shapes: Mapping[str, Sequence[int]]
) -> int:
    """The size of an extent.

    Args:
        model: the model's name.
        dim: the extent.
        places: inputs and their axes that have it, and by how many places they are longer; at least one.
        shapes: of these inputs, by name.

    Raises:
        InputError: it is none that the library was built for, or not the same in all places.
    """
    first, at, more = places[0]
    extent = shapes[first][at] - more
    for name, axis, plus in places:
        if shapes[name][axis] - plus != extent:
            raise InputError(
                f"model {model!r}: {dim.name} is {extent} in axis {at} of {first!r} and {shapes[name][axis] - plus} in "
                f"axis {axis} of {name!r}{f', which has {plus} places more' * bool(plus)}; give inputs with the same",
                dim=dim.name,
                got=(extent, shapes[name][axis] - plus),
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


# What `Executor.predict` needs to answer at once: `_one_small`, the function, and its base pointers.
Small = tuple[tuple[str, Any, tuple[int, ...], Array, Callable[[], Any]], "Function", Any]


@dataclass(slots=True, eq=False)
class Answer:
    """Who answers inputs of certain shapes: one executor, or several one after another.

    `shapes` are those of the outputs. With `small` all goes in and comes out at once. `chain` is the steps as one native call,
    which is made when it is needed.
    """

    whole: Executor | None
    steps: tuple[Step, ...]
    shapes: Shapes
    small: Small | None = None
    chain: Chain | None = None


class ShapedExecutor(Executor):
    """Executors of all programs of a model, as one: they share the memory for values, since one works at a time."""

    def __init__(
        self,
        info: ModelInfo,
        programs: Sequence[ModelInfo],
        executors: Sequence[Executor],
        function: Callable[[str], Function | None],
    ) -> None:
        self.kind = executors[0].kind
        self._executors, self._function = executors, function
        self._at_work: object = None
        self._one_small = None  # what answers the shape that came last, if all of it is small
        self._smalls: dict[tuple[int, ...], Small] = {}
        self._by_sizes = {program.sizes: number for number, program in enumerate(info.programs)}
        self._know(info, programs)
        self._has_room = any(dim.room for dim in info.dims)
        self._filled: dict[int, int] = {}  # the sizes of dims that are how much of kept states is filled
        self._answers: dict[Shapes, Answer] = {}
        self._given: dict[str, Array] = {}
        self._set: Answer | None = None  # who answers what is set
        self._results: Sequence[Array] | None = None
        self._last: Executor | None = None

    def _know(self, info: ModelInfo, programs: Sequence[ModelInfo]) -> None:
        """Takes over what inputs and outputs there are."""
        self._info, self._programs = info, programs
        self._names = [tensor.name for tensor in info.inputs]
        self._types = {tensor.name: tensor for tensor in info.inputs}
        self._own = [ProgramMemory(program) for program in programs]
        # For each axis of an input that varies, the dims that have it, and how many places it has more.
        self._terms: dict[tuple[str, int], list[tuple[int, int]]] = {}
        for at, dim in enumerate(info.dims):
            for name, axis, plus in dim.places:
                self._terms.setdefault((name, axis), []).append((at, plus))

    def keep_in_place(self, arrays: Mapping[str, Array]) -> None:
        """As of every executor: all programs share the arrays. None of them computes a call in parts, or it was not built so."""
        outputs = {state.output for state in self._info.states if state.input in arrays}
        for executor in self._executors:
            executor.keep_in_place(arrays)
        programs = [late_in_place.without(program, arrays, outputs) for program in self._programs]
        self._know(late_in_place.without(self._info, arrays, outputs), programs)

    def set_filled(self, filled: Mapping[str, int]) -> None:
        """The sizes of dims that no array tells, since the states that have them are kept: how many places are filled."""
        self._filled = {at: filled[dim.name] for at, dim in enumerate(self._info.dims) if dim.name in filled}
        self._set = None

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

    def _predict(self, arrays: dict[str, Any], out: Any) -> Any:
        """What `predict` does where the shape is not that of the call before.

        Raises:
            InputError: also if an extent is none that the library was built for, or is not the same in all inputs that have it.
        """
        value: Any = arrays.get(self._names[0])
        if out is None and type(value) is np.ndarray and len(arrays) == 1:
            small = self._smalls.get(value.shape)
            if small is not None and value.dtype is small[0][1]:
                return self._at_once(value, small)
        answer = self._answer_for(arrays)
        if out is None and answer.small is not None:
            return self._at_once(arrays[self._names[0]], answer.small)
        if answer.whole is not None:
            self._last = answer.whole
            whole = answer.whole
            return (
                whole._predict(arrays, out) if type(whole) is AotExecutor else whole.predict(arrays, out=out)
            )
        if out is not None:
            self._into(out, answer, arrays)
            return out
        results = self._new_results(answer)
        self._by_parts(answer, arrays, results)
        return results[0] if len(results) == 1 else tuple(results)

    def _at_once(self, value: Array, small: Small) -> Any:
        """Answers a shape in one native call, and notes it as that of the call before."""
        self._one_small, self._run, self._own_bases = small
        (_, _, _, memory, copy_result), run, bases = small
        memory[...] = value
        status = run(bases)
        if status:
            self._failed(status, bases)
        return copy_result()

    def _small(self, shapes: Shapes, steps: Sequence[Step], outputs: Shapes) -> Small | None:
        """How several programs answer at once, by way of memory for small tensors of any shape; None where several arrays go in,
        or one is large.
        """
        if len(shapes) != 1:
            return None
        (tensor,), (shape,) = self._info.inputs, shapes
        types = [(tensor.dtype.numpy, shape)]
        types += [
            (output.dtype.numpy, each) for output, each in zip(self._info.outputs, outputs, strict=True)
        ]
        sizes = [dtype.itemsize * math.prod(each) for dtype, each in types]
        if max(sizes) > STAGED_BYTES:
            return None
        memory, *results = (
            room[:size].view(dtype).reshape(each)
            for room, size, (dtype, each) in zip(self._rooms_for_small, sizes, types, strict=True)
        )
        chain = Chain(steps, self._repeats)
        chain.place(self._places_for_small)
        copy = results[0].copy if len(results) == 1 else lambda: tuple([result.copy() for result in results])
        return (tensor.name, memory.dtype, shape, memory, copy), chain.run, chain.rows

    @cached_property
    def _places_for_small(self) -> list[int]:
        return [address_of(room) for room in self._rooms_for_small]

    @cached_property
    def _rooms_for_small(self) -> list[Array]:
        """Memory for small inputs and outputs of any shape."""
        count = len(self._info.inputs) + len(self._info.outputs)
        return [aligned_bytes(STAGED_BYTES, _ALIGNMENT_BYTES) for _ in range(count)]

    def _answer_for(self, given: dict[str, Any]) -> Answer:
        """Who answers the inputs; `given` gets arrays of the right types."""
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
        dense = self._dense(given)
        if step.copied:
            own = self._own[step.program]
            own.fill(step.copied, dense, step.sizes)
            parts = own.inputs
        else:
            places = zip(dense, step.offsets_bytes, self._programs[step.program].inputs, strict=False)
            parts = [piece(array, offset, tensor) for array, offset, tensor in places]
            parts += [] if step.sizes is None else [step.sizes]
        names = (tensor.name for tensor in self._programs[step.program].inputs)
        cut = dict(zip(names, parts, strict=True))
        return self._executors[step.program].profile(cut, repeat=repeat)

    # ─── which programs answer ─────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, shapes: Shapes) -> Answer:
        answer = None if self._filled else self._answers.get(shapes)
        if answer is None:
            answer = self._new_answer(self._extents(shapes), shapes)
            if len(answer.steps) <= PARTS_MAX and not self._filled:
                if len(self._answers) >= ANSWERS_MAX:
                    self._answers.clear()
                    self._smalls.clear()
                self._answers[shapes] = answer
                if answer.small is not None:
                    self._smalls[shapes[0]] = answer.small
        return answer

    def _extents(self, shapes: Shapes) -> tuple[int, ...]:
        """The extent of each dim."""
        by_name_ = dict(zip(self._names, shapes, strict=True))
        for name, shape in by_name_.items():
            if len(shape) != len(self._types[name].shape):
                raise self._splitting.wrong_shape(name, shape)
        sizes: list[int | None] = [self._filled.get(at) for at in range(len(self._info.dims))]
        for at, dim in enumerate(self._info.dims):
            own = [place for place in dim.places if len(self._terms[place[:2]]) == 1]
            if at not in self._filled and (own or not dim.places):
                sizes[at] = self._own_extent(at, own, by_name_)
        for at, dim in enumerate(self._info.dims):
            if sizes[at] is None:  # what it shares with others is left, which are known
                name, axis, plus = dim.places[0]
                rest = sum(sizes[other] or 0 for other, _ in self._terms[name, axis] if other != at)
                sizes[at] = self._own_extent(at, [(name, axis, plus + rest)], by_name_)
        extents = tuple(size or 0 for size in sizes)
        self._require_sums(extents, by_name_)
        return extents

    def _own_extent(
        self, at: int, places: Sequence[tuple[str, int, int]], shapes: Mapping[str, Sequence[int]]
    ) -> int:
        dim = self._info.dims[at]
        return extent_of(self._info.name, dim, places, shapes) if places else self._info.programs[0].sizes[at]

    def _require_sums(self, extents: Sequence[int], shapes: Mapping[str, Sequence[int]]) -> None:
        """Refuses inputs that have other extents than several dims say together, or than what is filled says."""
        for (name, axis), terms in self._terms.items():
            expected = sum(extents[at] + plus for at, plus in terms)
            if shapes[name][axis] == expected:
                continue
            filled = next((extents[at] for at, _ in terms if at in self._filled), None)
            if filled is None:
                words = " and ".join(f"{self._info.dims[at].name} is {extents[at]}" for at, _ in terms)
            else:
                more = f", and this step adds {expected - filled}" if expected > filled else ""
                words = f"{filled} places of state are filled{more}"
            raise InputError(
                f"model {self._info.name!r}: axis {axis} of {name!r} is {shapes[name][axis]}; expected {expected}, since {words}",
                name=name,
                got=shapes[name][axis],
                expected=expected,
            )

    def _new_answer(self, extents: tuple[int, ...], shapes: Shapes) -> Answer:
        number = self._by_sizes.get(extents)
        if number is not None and not self._has_room:
            for tensor, shape in zip(self._programs[number].inputs, shapes, strict=True):
                if shape != tensor.shape:
                    raise self._splitting.wrong_shape(tensor.name, shape)
            outputs = tuple(tensor.shape for tensor in self._programs[number].outputs)
            whole = self._executors[number]
            small: Small | None = None
            if type(whole) is AotExecutor and whole._one_small is not None:
                small = (whole._one_small, whole._run, whole._own_bases)
            return Answer(whole, (), outputs, small)
        outputs = self._splitting.output_shapes(extents)
        steps = tuple(self._splitting.steps(extents, shapes, outputs))
        return Answer(
            None, steps, outputs, self._small(shapes, steps, outputs) if self._is_chain(steps) else None
        )

    def _is_chain(self, steps: Sequence[Step]) -> bool:
        """Whether steps can be one native call."""
        return bool(steps and self._repeats) and not any(step.copied for step in steps)

    @cached_property
    def _splitting(self) -> Steps:
        return Steps(self._info, self._programs, 0 if self._repeats else CALL_CYCLES)

    @cached_property
    def _repeats(self) -> list[Repeat]:
        """What repeats each program in one native call; none, where the library's code generator writes no such functions."""
        if self._has_room or not all(type(executor) is AotExecutor for executor in self._executors):
            return []  # a program with room also reads the sizes of the call
        functions = [self._function(program.repeat_name) for program in self._programs]
        pairs = zip(functions, self._executors, strict=True)
        repeats = [Repeat(function, executor.heads) for function, executor in pairs if function is not None]
        return repeats if len(repeats) == len(functions) else []

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
        dense = self._dense(given)
        starts = [address_of(array) for array in (*dense, *results)]
        if self._is_chain(answer.steps):
            chain = answer.chain = answer.chain or Chain(answer.steps, self._repeats)
            chain.place(starts)
            status = chain.run(chain.rows)
            if status:
                self._failed(status)
            return
        for step in answer.steps:
            executor = self._executors[step.program]
            if step.copied:
                own = self._own[step.program]
                own.fill(step.copied, dense, step.sizes)
                executor.run_at(own.addresses)
                own.give(step.copied, results)
            else:
                for places in step.addresses(starts, len(dense)):
                    executor.run_at(places)
            self._last = executor

    def _dense(self, given: Mapping[str, Array]) -> list[Array]:
        """All inputs, in order and without gaps."""
        arrays = [given[name] for name in self._names]
        return [array if is_dense(array) else np.array(array, order="C") for array in arrays]


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
