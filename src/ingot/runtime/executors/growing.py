"""How much is filled of states that grow with each run.

Only models with such states need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ingot.artifact.model_info import DimInfo, ModelInfo, StateInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.runtime.inputs import as_array
from ingot.runtime.memory import Array


class Growing:
    """The states of a model that grow, and for each symbol how many places are filled of those that have it."""

    def __init__(self, info: ModelInfo) -> None:
        self._model = info.name
        self.states = {state.input: state for state in info.states if state.grows is not None}
        dims = {dim.name: dim for dim in info.dims}
        self.filled = {state.dim: 0 for state in self.states.values()}
        self._steps = {state.dim: _step_of(info, state) for state in self.states.values()}
        # Of the dims that say how much is new, the sizes of the next step.
        self._new = {dim.name: min(dim.sizes) for _, new in self._steps.values() for dim in new}
        self._capacities = {name: dims[name].high + more for name, more in self._more.items()}
        self.is_held = False
        self._names = {state.dim: state.input for state in reversed(self.states.values())}

    @property
    def _more(self) -> dict[str, int]:
        """How many places the next step adds, by symbol."""
        return {
            name: plus + sum(self._new[dim.name] for dim in new) for name, (plus, new) in self._steps.items()
        }

    def shapes(self, arrays: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
        """The shapes of those inputs that tell how much is new."""
        names = {dim.inputs[0][0] for _, new in self._steps.values() for dim in new}
        return {name: np.shape(arrays[name]) for name in names & arrays.keys()}  # type: ignore[call-overload]

    def see(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Notes how much is new in the next step: as many places as inputs have. What fits no input is for others to refuse."""
        for dim in (dim for _, new in self._steps.values() for dim in new):
            name, axis = dim.inputs[0]
            shape = shapes.get(name, ())
            if axis < len(shape) and shape[axis] in dim.sizes:
                self._new[dim.name] = shape[axis]

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
            places = DimInfo(state.dim, 0, self._capacities[state.dim])
            seen[name] = replace_shape(tensor, axis, tensor.shape[axis], places)
        return seen

    def require_room(self) -> None:
        """Raises InputError where a step would add more than a state may hold."""
        for dim, filled in self.filled.items():
            more, capacity = self._more[dim], self._capacities[dim]
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
        if length > self._capacities[dim]:
            raise InputError(
                f"model {self._model!r}: state {tensor.name!r} may hold {self._capacities[dim]} places along axis {axis}, "
                f"got {length}",
                state=tensor.name,
                got=length,
                capacity=self._capacities[dim],
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


def _step_of(info: ModelInfo, state: StateInfo) -> tuple[int, Sequence[DimInfo]]:
    """How many places a step adds, and the dims whose sizes come to that: programs with room say so, others show it."""
    axis = state.grows
    place = state.output, axis
    new = [dim for dim in info.dims if not dim.room and any(count[:2] == place for count in dim.counts)]
    dim = next(dim for dim in info.dims if dim.name == state.dim)
    for name, along, _, plus, _ in dim.counts:
        if (name, along) == place:
            return plus, new
    assert axis is not None
    shapes = {tensor.name: tensor.shape for tensor in (*info.inputs, *info.outputs)}
    return shapes[state.output][axis] - shapes[state.input][axis], new
