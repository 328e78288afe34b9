"""How much is filled of states that grow with each run.

Only models with such states need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ingot.artifact.model_info import DimInfo, ModelInfo, TensorInfo
from ingot.artifact.state_block import steps_of
from ingot.base.errors import InputError
from ingot.runtime.inputs import as_array
from ingot.runtime.memory import Array


class Growing:
    """The states of a model that grow, and for each symbol how many places are filled of those that have it."""

    def __init__(self, info: ModelInfo) -> None:
        self._model = info.name
        self.states = {state.input: state for state in info.states if state.grows is not None}
        self._steps = steps_of(info)
        self._filled = dict.fromkeys(self._steps, 0)
        # Of the dims that say how much is new, the sizes of the next step.
        self._new = {dim.name: min(dim.sizes) for step in self._steps.values() for dim in step.new}
        self.is_held = False
        self._names = {state.dim: state.input for state in reversed(self.states.values())}

    @property
    def _more(self) -> dict[str, int]:
        """How many places the next step adds, by symbol."""
        return {
            name: step.plus + sum(self._new[dim.name] for dim in step.new)
            for name, step in self._steps.items()
        }

    def shapes(self, arrays: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
        """The shapes of those inputs that tell how much is new."""
        names = {dim.inputs[0][0] for step in self._steps.values() for dim in step.new}
        return {name: np.shape(arrays[name]) for name in names & arrays.keys()}  # type: ignore[call-overload]

    def see(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Notes how much is new in the next step: as many places as inputs have. What fits no input is for others to refuse."""
        for dim in (dim for step in self._steps.values() for dim in step.new):
            name, axis = dim.inputs[0]
            shape = shapes.get(name, ())
            if axis < len(shape) and shape[axis] in dim.sizes:
                self._new[dim.name] = shape[axis]

    @property
    def filled(self) -> dict[str, int]:
        """How many places are filled, by symbol."""
        return self._filled

    @filled.setter
    def filled(self, filled: Mapping[str, int]) -> None:
        self._filled.update(filled)

    @property
    def capacities(self) -> Sequence[int]:
        """How many places the states of each symbol may hold."""
        return [step.capacity for step in self._steps.values()]

    def share(self, other: Growing) -> None:
        """Counts from now on together with another one."""
        self._filled = other._filled

    def axis(self, name: str) -> int:
        """Along which a state grows."""
        axis = self.states[name].grows
        assert axis is not None
        return axis

    def types(self, types: Mapping[str, TensorInfo]) -> dict[str, TensorInfo]:
        """What callers may set as the states: any length up to what they may hold."""
        seen = {}
        for name, state in self.states.items():
            tensor, axis = types[name], self.axis(name)
            places = DimInfo(state.dim, 0, self._steps[state.dim].capacity)
            seen[name] = replace_shape(tensor, axis, tensor.shape[axis], places)
        return seen

    def require_room(self) -> None:
        """Raises InputError where a step would add more than a state may hold."""
        for dim, filled in self.filled.items():
            more, capacity = self._more[dim], self._steps[dim].capacity
            if filled + more > capacity:
                raise InputError(
                    f"model {self._model!r}: state {self._names[dim]!r} has {filled} places filled, of {capacity} that it may "
                    f"hold, and a step adds {more}; begin anew by reset(), set a shorter one by set_state, or build it with "
                    f"more for {dim}",
                    state=self._names[dim],
                    filled=filled,
                    capacity=capacity,
                )

    def hold(self, filled: Mapping[str, int]) -> None:
        """Takes so many places for filled, and does not count what steps add."""
        self.filled = {dim: filled.get(dim, 0) for dim in self.filled}
        self.is_held = True

    def step(self) -> None:
        """Notes that a step was made."""
        if self.is_held:
            return
        self.filled = {dim: filled + self._more[dim] for dim, filled in self.filled.items()}

    def reset(self) -> None:
        """Nothing is filled any more."""
        self.filled = dict.fromkeys(self.filled, 0)

    def shape(self, tensor: TensorInfo, more: bool = False) -> tuple[int, ...]:
        """The shape of what is filled of a state; with `more` after the next step."""
        dim, axis = self.states[tensor.name].dim, self.axis(tensor.name)
        places = self.filled[dim] + self._more[dim] * more
        return (*tensor.shape[:axis], places, *tensor.shape[axis + 1 :])

    def part(self, name: str, array: Array) -> Array:
        """The part of a state's memory that is filled."""
        head = (slice(None),) * self.axis(name)
        return array[(*head, slice(self.filled[self.states[name].dim]))]

    def given(self, value: object, tensor: TensorInfo) -> Array:
        """What a caller sets as a state that has this type, with any length that it may hold.

        Raises:
            InputError: it has another dtype or shape, or is too long.
        """
        axis, dim = self.axis(tensor.name), self.states[tensor.name].dim
        shape = np.shape(value)  # type: ignore[call-overload]
        length = shape[axis] if len(shape) == len(tensor.shape) else tensor.shape[axis]
        array = as_array(value, replace_shape(tensor, axis, length))
        if length > self._steps[dim].capacity:
            raise InputError(
                f"model {self._model!r}: state {tensor.name!r} may hold {self._steps[dim].capacity} places along axis {axis}, "
                f"got {length}",
                state=tensor.name,
                got=length,
                capacity=self._steps[dim].capacity,
            )
        return array

    def lengths(self, arrays: Mapping[str, Array]) -> dict[str, int]:
        """What is filled once these states are set.

        Raises:
            InputError: states of one symbol would have different lengths.
        """
        filled = dict(self.filled)
        for name in self.states.keys() & arrays.keys():
            filled[self.states[name].dim] = arrays[name].shape[self.axis(name)]
        for name, state in self.states.items():
            places = arrays[name].shape[self.axis(name)] if name in arrays else self.filled[state.dim]
            if places != filled[state.dim]:
                raise InputError(
                    f"model {self._model!r}: state {name!r} would have {places} places filled, and others "
                    f"{filled[state.dim]}; states that share {state.dim} have one length: set all of them",
                    state=name,
                    got=places,
                    expected=filled[state.dim],
                )
        return filled


def replace_shape(tensor: TensorInfo, axis: int, extent: int, seen: DimInfo | None = None) -> TensorInfo:
    """The same tensor with another extent, and what callers see of it, if that is another too."""
    shape = (*tensor.shape[:axis], extent, *tensor.shape[axis + 1 :])
    extents: tuple[int | DimInfo | str, ...] = tensor.extents
    if seen is not None:
        extents = (*shape[:axis], seen, *shape[axis + 1 :])
    return TensorInfo(tensor.name, tensor.dtype, shape, extents)
