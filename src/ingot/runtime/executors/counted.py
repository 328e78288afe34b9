"""The executor of a model that counts places while it runs: outputs have the shapes that follow.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ingot.artifact.dims_read import count_at
from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.runtime.executors.base import Executor, by_name
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.stepping import output_index
from ingot.runtime.inputs import as_array, no_memory, require_count, require_writeable
from ingot.runtime.memory import Array
from ingot.runtime.profile import Profile


def counted_executor(core: Executor, info: ModelInfo) -> CountedExecutor:
    """The executor that callers get around one whose outputs have room for the most that there may be, and whose last output says
    how many there are.
    """
    return (CountedGraphExecutor if isinstance(core, GraphExecutor) else CountedExecutor)(core, info)


class CountedExecutor(Executor):
    """Outputs of `core` as far as they are there. It has all executors' methods."""

    def __init__(self, core: Executor, info: ModelInfo) -> None:
        self.core, self.kind = core, core.kind
        self._shown_info = replace(info, outputs=info.outputs[:-1])
        self._info = info
        self._at_work: object = None
        self._counts: Array | None = None  # of the last run

    @property
    def inputs(self) -> tuple[Any, ...]:
        """As of every executor."""
        return self.core.inputs

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What callers get; extents that depend on content say how many there may be."""
        return self._shown_info.outputs

    @property
    def heads(self) -> list[int | None]:
        """As of every executor."""
        return self.core.heads

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} {self._info}>"

    # ─── step by step ──────────────────────────────────────────────────────────────────────────────────────────────

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """As of every executor."""
        self._begin_work()
        try:
            self.core.set_input(inputs, copy=copy, **arrays)
        finally:
            self._at_work = None

    def run(self) -> None:
        """As of every executor.

        Raises:
            InputError: also if there are more places of an extent than the library has room for.
        """
        self._begin_work()
        try:
            self._counts = None
            self.core.run()
            self._counts = self.core.get_output(-1)
        finally:
            self._at_work = None

    def get_output(self, index: int | str, out: object = None) -> Array:
        """As of every executor; `out` must have the shape that the output has."""
        at = output_index(self._shown_info, index)
        self._begin_work()
        try:
            if self._counts is None:
                raise InputError(
                    f"model {self._info.name!r}: get_output before run, or after one that failed",
                    name=self._info.name,
                )
            result = self._cut(at, self.core.get_output(at), self._counts)
            return result.copy() if out is None else self._given(at, result, out)
        finally:
            self._at_work = None

    # ─── at once ───────────────────────────────────────────────────────────────────────────────────────────────────

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """As of every executor.

        Args:
            inputs: arrays by name.
            out: where to write: arrays that have room for the most that there may be, of which the beginnings are returned; or
                arrays of the shapes that outputs have.
            arrays: arrays by name.

        Raises:
            InputError: also if there are more places of an extent than the library has room for, or `out` has another shape than
                the output.
        """
        given = arrays if inputs is None else by_name(inputs, arrays)
        self._begin_work()
        try:
            if out is None:
                *results, counts = self.core.predict(given)
                # Memory for the most that there may be is not kept for the few that there are.
                shown = [self._cut(at, result, counts).copy() for at, result in enumerate(results)]
                return shown[0] if len(shown) == 1 else tuple(shown)
            return self._into(out, given)
        except MemoryError as error:
            raise no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def _into(self, out: Any, given: dict[str, Any]) -> Any:
        tensors = self._shown_info.outputs
        targets: Sequence[Any] = list(out) if isinstance(out, (tuple, list)) else [out]
        require_count(self._shown_info, targets)
        has_room = [np.shape(target) == tensor.shape for target, tensor in zip(targets, tensors, strict=True)]
        arrays = [
            target if is_whole else np.empty(tensor.shape, tensor.dtype.numpy)
            for target, tensor, is_whole in zip(targets, tensors, has_room, strict=True)
        ]
        counts = np.empty(len(self._info.counts), np.int64)
        self.core.predict(given, out=[*arrays, counts])
        results = [self._cut(at, array, counts) for at, array in enumerate(arrays)]
        shown = [
            result if is_whole else self._given(at, result, target)
            for at, (result, target, is_whole) in enumerate(zip(results, targets, has_room, strict=True))
        ]
        return tuple(shown) if isinstance(out, (tuple, list)) else shown[0]

    def run_at(self, addresses: Sequence[int]) -> None:  # noqa: ARG002
        """Refused: how many places there are has no place among the addresses.

        Raises:
            InputError: always.
        """
        raise InputError(
            f"model {self._info.name!r} counts places while it runs, which run_at does not give; call predict with out"
        )

    def device_tensor(self, name: str, content: object = None) -> Any:
        """As of every executor."""
        return self.core.device_tensor(name, content)

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> Profile:
        """As of every executor."""
        self._begin_work()
        try:
            return self.core.profile(inputs, repeat=repeat, **arrays)
        finally:
            self._at_work = None

    # ─── inside ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _cut(self, at: int, array: Array, counts: Array) -> Array:
        """What is there of an output."""
        name, place = self._info.outputs[at].name, [slice(None)] * array.ndim
        for dim, count in zip(self._info.counts, counts, strict=True):
            for output, axis, *how in dim.counts:
                if output == name:
                    place[axis] = slice(0, count_at(int(count), *how))
        return array[tuple(place)]

    def _given(self, at: int, result: Array, out: object) -> Array:
        """`out`, with a result of exactly its shape."""
        tensor = self._info.outputs[at]
        sized = TensorInfo(tensor.name, tensor.dtype, result.shape)
        target = as_array(out, sized, "out for output")
        require_writeable(target, sized, "out for output")
        target[...] = result
        return target


class CountedGraphExecutor(CountedExecutor):
    """The same around a graph executor, whose values can be looked at."""

    core: GraphExecutor

    def values(self) -> dict[str, Array]:
        """As of a graph executor: every value of the last run, with all the room that it has."""
        return self.core.values()

    def get_value(self, name: str) -> Array:
        """As of a graph executor: one value of the last run, with all the room that it has."""
        return self.core.get_value(name)
