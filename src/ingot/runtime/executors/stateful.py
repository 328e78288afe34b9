"""The executor of a model with state: what an output gives is kept, and is an input of the next run.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError, nearest
from ingot.base.lazy import Late
from ingot.runtime.executors.base import AotExecutor, Executor, by_name
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.stepping import output_index
from ingot.runtime.inputs import as_array
from ingot.runtime.memory import Array, aligned_array
from ingot.runtime.profile import Profile

if TYPE_CHECKING:
    from ingot.runtime.executors import growing as late_growing
    from ingot.runtime.executors import shaped as late_shaped
else:
    late_growing = Late("ingot.runtime.executors.growing")
    late_shaped = Late("ingot.runtime.executors.shaped")

_ALIGNMENT_BYTES = 64


def stateful_executor(info: ModelInfo, make: Callable[[], Executor]) -> StatefulExecutor:
    """The executor that callers get.

    Args:
        info: the model, which has states.
        make: makes an executor that takes all inputs and gives all outputs.
    """
    core = make()
    looks_inside = isinstance(core, GraphExecutor) or (
        bool(info.dims) and isinstance(core, late_shaped.ShapedGraphExecutor)
    )
    kind = StatefulGraphExecutor if looks_inside else StatefulExecutor
    return kind(core, info, make)


class StatefulExecutor(Executor):
    """State around `core`: a stream of runs. It has all executors' methods; state is neither given nor got by them.

    State begins with zeros. `predict` and `run` are steps of the same stream. A run that fails leaves state as it was, except
    what runs change in its place: of that, code which reports an error may have written some.
    """

    def __init__(self, core: Executor, info: ModelInfo, make: Callable[[], Executor]) -> None:
        self.core, self.kind = core, core.kind
        self._info, self._make = info, make
        self._at_work: object = None
        inputs = {tensor.name: tensor for tensor in info.inputs}
        self._types = {state.input: inputs[state.input] for state in info.states}
        self._next = {state.output: state.input for state in info.states}
        in_place = [state.input for state in info.states if state.axis is not None]
        has_growing = any(state.grows is not None for state in info.states)
        self._growing = late_growing.Growing(info) if has_growing else None
        if self._growing is not None:
            self._types |= self._growing.types(self._types)
        self._placed: dict[str, Array] = {}  # what runs change in its place
        if in_place and _keeps_in_place(core, info):
            self._placed = {name: self._memory(name) for name in in_place}
            core.keep_in_place(self._placed)
        self._moved = {result: name for result, name in self._next.items() if name not in self._placed}
        self._has_packed = any(tensor.dtype.is_packed for tensor in self._types.values())
        self._rows = [tensor.name for tensor in core.outputs]
        self._kept: dict[str, Array] = {}
        self._set_shapes: dict[str, tuple[int, ...]] = {}  # of inputs that were set, and tell how much is new
        self._spare: dict[str, Array] = {}  # where `predict` with `out` puts the next state
        self.reset()

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What callers give: the inputs that are not state."""
        return tuple(tensor for tensor in self.core.inputs if tensor.name not in self._types)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What callers get: the outputs that are not state."""
        return tuple(tensor for tensor in self.core.outputs if tensor.name not in self._next)

    @property
    def states(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each state, in the order of the model's inputs."""
        return tuple(self._types.values())

    @property
    def capacity(self) -> int | None:
        """As of every executor: the least that one of them may hold."""
        extents = [
            self._types[state.input].shape[state.axis]
            for state in self._info.states
            if state.axis is not None and state.grows is None
        ]
        if self._growing is not None:
            extents += self._growing.capacities
        return min(extents, default=None)

    @property
    def heads(self) -> list[int | None]:
        """As of every executor."""
        return self.core.heads

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} {self._info}>"

    # ─── state ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def reset(self) -> None:
        """Begins anew: every state is zeros.

        Raises:
            BusyError: the executor is at work.
        """
        self._begin_work()
        try:
            if self._growing is not None:
                self._growing.reset()
            self._kept = {name: self._empty(name) for name in self._moved.values()}
            for array in self._placed.values():
                array[...] = 0
        finally:
            self._at_work = None

    def state(self) -> dict[str, Array]:
        """A copy of each state by its input's name.

        Raises:
            BusyError: the executor is at work.
        """
        self._begin_work()
        try:
            arrays = {**self._kept, **self._placed}
            return {name: self._filled(name, arrays[name]).copy() for name in self._types}
        finally:
            self._at_work = None

    def set_state(self, states: Mapping[str, object] | None = None, /, **arrays: object) -> None:
        """Sets some or all states for the next run: arrays by name, which are copied.

        Raises:
            InputError: an unknown name, a wrong dtype or shape, more than a state may hold, or states that grow alike and would
                have different lengths. Nothing was set then.
            BusyError: the executor is at work.
        """
        given = by_name(states, arrays)
        copies: dict[str, Array] = {}
        for name, value in given.items():
            tensor = self._types.get(name)
            if tensor is None:
                raise InputError(
                    f"model {self._info.name!r} has no state {name!r}{nearest(str(name), self._types)} "
                    f"(it has {'; '.join(map(str, self.states))})",
                    name=name,
                    known=tuple(self._types),
                )
            if self._growing is not None and name in self._growing.states:
                copies[name] = self._growing.given(value, tensor).copy()
                continue
            copies[name] = _zeros(tensor)
            copies[name][...] = as_array(value, tensor)
        self._begin_work()
        try:
            if self._growing is not None:
                self._growing.filled = self._growing.lengths(copies)
            for name in copies.keys() & self._placed.keys():
                self._filled(name, self._placed[name])[...] = copies.pop(name)
            self._kept = self._kept | copies
        finally:
            self._at_work = None

    def fork(self) -> StatefulExecutor:
        """Another executor that goes on from this one's state. They share code, weights and threads; arrays given by `set_input`
        are not set there.

        Raises:
            BusyError: the executor is at work.
        """
        self._begin_work()
        try:
            other = stateful_executor(self._info, self._make)
            other._take(self)
            return other
        finally:
            self._at_work = None

    def take_state(self, other: StatefulExecutor) -> None:
        """Goes on from the state of another executor of the same model.

        Raises:
            BusyError: the other one is at work.
        """
        other._begin_work()
        try:
            self._take(other)
        finally:
            other._at_work = None

    def _take(self, other: StatefulExecutor) -> None:
        if self._growing is not None and other._growing is not None:
            self._growing.filled = dict(other._growing.filled)
        self._kept = {name: array.copy() for name, array in other._kept.items()}
        for name, array in other._placed.items():
            self._filled(name, self._placed[name])[...] = other._filled(name, array)

    def _memory(self, name: str) -> Array:
        """Where a state lies that runs change in its place."""
        return _zeros(self._types[name])

    # ─── step by step ──────────────────────────────────────────────────────────────────────────────────────────────

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """As of every executor."""
        given = self._without_state(arrays if inputs is None else by_name(inputs, arrays))
        self._begin_work()
        try:
            self.core.set_input(given, copy=copy)
            if self._growing is not None:
                self._set_shapes |= self._growing.shapes(given)
        finally:
            self._at_work = None

    def run(self) -> None:
        """As of every executor: one step of the stream."""
        self._begin_work()
        try:
            self._begin_step(self._set_shapes)
            self.core.set_input(self._kept, copy=self._has_packed)
            self.core.run()
            held = self._growing.states if self._growing is not None and self._growing.is_held else {}
            self._kept |= {
                name: self.core.get_output(result) for result, name in self._moved.items() if name not in held
            }
            self._end_step()
        finally:
            self._at_work = None

    def get_output(self, index: int | str, out: object = None) -> Any:
        """As of every executor; positions count the outputs that are not state."""
        name = self._shown_output(index)
        self._begin_work()
        try:
            return self.core.get_output(name, out)
        finally:
            self._at_work = None

    # ─── at once ───────────────────────────────────────────────────────────────────────────────────────────────────

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """As of every executor: one step of the stream."""
        given = self._without_state(arrays if inputs is None else by_name(inputs, arrays))
        self._begin_work()
        try:
            self._begin_step({} if self._growing is None else self._growing.shapes(given))
            if out is not None:
                return self._step_into(out, given)
            results = self.core.predict({**given, **self._kept})
            by_row = dict(zip(self._rows, results if isinstance(results, tuple) else (results,), strict=True))
            self._kept = {name: by_row[result] for result, name in self._moved.items()}
            self._end_step()
            shown = tuple(array for name, array in by_row.items() if name not in self._next)
            return shown[0] if len(shown) == 1 else shown
        finally:
            self._at_work = None

    def _step_into(self, out: Any, given: dict[str, Any]) -> Any:
        shown = [tensor.name for tensor in self.outputs]
        targets: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
        if len(targets) != len(shown):
            raise InputError(
                f"model {self._info.name!r}: out must have one array for each output ({', '.join(shown)}), got {len(targets)}",
                expected=len(shown),
                got=len(targets),
            )
        spare = self._spare_arrays()
        by_row = dict(zip(shown, targets, strict=True))
        by_row |= {result: spare[name] for result, name in self._moved.items()}
        self.core.predict({**given, **self._kept}, out=[by_row[name] for name in self._rows])
        self._kept, self._spare = spare, self._kept
        self._end_step()
        return out

    def run_at(self, addresses: Sequence[int]) -> None:  # noqa: ARG002
        """Refused: what is kept has no place among the addresses.

        Raises:
            InputError: always.
        """
        raise InputError(
            f"model {self._info.name!r} keeps state, which run_at does not; call predict with out"
        )

    def device_tensor(self, name: str, content: object = None) -> Any:
        """As of every executor."""
        return self.core.device_tensor(name, content)

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> Profile:
        """As of every executor: from the state as it is, which stays as it is."""
        given = self._without_state(by_name(inputs, arrays))
        self._begin_work()
        growing = (
            {} if self._growing is None else self._growing.states
        )  # a step writes nothing that is filled
        before = {name: array.copy() for name, array in self._placed.items() if name not in growing}
        try:
            self._begin_step({} if self._growing is None else self._growing.shapes(given))
            return self.core.profile({**given, **self._kept}, repeat=repeat)
        finally:
            for name, array in before.items():
                self._placed[name][...] = array
            self._at_work = None

    # ─── inside ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _shown_output(self, index: int | str) -> str:
        """The name of an output that callers get."""
        if isinstance(index, str) and index in self._next:
            raise InputError(
                f"model {self._info.name!r}: output {index!r} is state {self._next[index]!r}, which state() gives",
                got=index,
            )
        name: str = self.outputs[output_index(replace(self._info, outputs=self.outputs), index)].name
        return name

    def _spare_arrays(self) -> dict[str, Array]:
        """Where the next state goes while this one is read."""
        if not self._spare:
            self._spare = {name: self._empty(name) for name in self._moved.values()}
        if self._growing is not None:
            for name in self._spare.keys() & self._growing.states.keys():
                tensor = self._types[name]
                self._spare[name] = np.empty(self._growing.shape(tensor, more=True), tensor.dtype.numpy)
        return self._spare

    def hold_filled(self, filled: Mapping[str, int]) -> None:
        """Makes each run from now on the same step, to measure it: one of states that grow, of which so many places are filled,
        by their symbols; of others none. What lies there is whatever was there before. States that do not grow go on.
        """
        if self._growing is None:
            return
        self._growing.hold(filled)
        self._kept = {name: self._empty(name) for name in self._moved.values()}

    def _begin_step(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """What comes before a step of states that grow, for inputs of these shapes: there must be room for what it adds."""
        if self._growing is None:
            return
        self._growing.see(shapes)
        self._growing.require_room()
        placed = {state.dim for name, state in self._growing.states.items() if name in self._placed}
        if placed:
            assert isinstance(self.core, late_shaped.ShapedExecutor)
            self.core.set_filled({dim: self._growing.filled[dim] for dim in placed})

    def _end_step(self) -> None:
        if self._growing is not None:
            self._growing.step()

    def _empty(self, name: str) -> Array:
        """What a state is in the beginning."""
        tensor = self._types[name]
        if self._growing is None or name not in self._growing.states:
            return _zeros(tensor)
        return np.zeros(self._growing.shape(tensor), tensor.dtype.numpy)

    def _filled(self, name: str, array: Array) -> Array:
        """The part of a state's memory that is filled: of one that does not grow, all of it."""
        is_growing = self._growing is not None and name in self._growing.states
        return self._growing.part(name, array) if self._growing is not None and is_growing else array

    def _without_state(self, given: Mapping[str, Any]) -> dict[str, Any]:
        for name in given:
            if name in self._types:
                raise InputError(
                    f"model {self._info.name!r}: {name!r} is state, which the executor keeps; set_state sets it",
                    name=name,
                )
        return dict(given)


class StatefulGraphExecutor(StatefulExecutor):
    """State around a graph executor, whose values can be looked at."""

    core: Any  # a `GraphExecutor`, or one of several programs

    def values(self) -> dict[str, Array]:
        """As of a graph executor: every value of the last run."""
        values: dict[str, Array] = self.core.values()
        return values

    def get_value(self, name: str) -> Array:
        """As of a graph executor: one value of the last run."""
        value: Array = self.core.get_value(name)
        return value


def _keeps_in_place(core: Executor, info: ModelInfo) -> bool:
    """Whether an executor can let states lie in memory that is kept: not one that copies what kernels read."""
    if info.dims:
        return type(core) in (late_shaped.ShapedExecutor, late_shaped.ShapedGraphExecutor)
    return type(core) in (AotExecutor, GraphExecutor)


def _zeros(tensor: TensorInfo) -> Array:
    """As callers have it: packed elements have a byte each."""
    if tensor.dtype.is_packed:
        return np.zeros(tensor.shape, tensor.dtype.numpy)
    memory = aligned_array(tensor, _ALIGNMENT_BYTES)
    memory[...] = 0
    return memory
