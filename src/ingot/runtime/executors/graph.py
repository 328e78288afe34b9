"""The executor that makes the calls of a program one by one, for looking at what happens inside a model."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, read_values
from ingot.artifact.module import Function
from ingot.artifact.values import ValueInfo
from ingot.base.errors import InputError, nearest
from ingot.base.lazy import Late
from ingot.runtime.executors.base import FIRST_TENSOR, Executor
from ingot.runtime.executors.heterogeneous import Drive, base_slot
from ingot.runtime.memory import Array, address_of, aligned_array

if TYPE_CHECKING:
    from ingot.runtime.executors import controlled as late_controlled
    from ingot.runtime.executors import in_place as late_in_place
else:
    late_controlled = Late("ingot.runtime.executors.controlled")  # few models have loops or branches
    late_in_place = Late("ingot.runtime.executors.in_place")


class GraphExecutor(Executor):
    """Runs the calls of the program one by one from Python, and shows every value that is written on the way.

    Values share memory, so most are gone when a run ends; to copy them all takes longer than to compute them. So a run keeps its
    inputs only, and its calls are made once more, on these, when somebody first looks: a call gives the same each time. Where
    devices or Python have a part that is not for sure, or done twice is seen, and every value is copied as it is written.
    """

    kind = "graph"

    def __init__(self, info: ModelInfo, call: Function, *memory: Any, drive: Drive | None = None) -> None:
        super().__init__(info, call, *memory)
        self._drive = drive
        self._step = call
        self._values = {value.name: value for value in self._info.values}
        self._inputs = (
            [] if drive is not None else [aligned_array(tensor, self._alignment) for tensor in info.inputs]
        )
        self._keeps = [
            (FIRST_TENSOR + at, address_of(array), array.nbytes) for at, array in enumerate(self._inputs)
        ]
        self._numbers = range(len(info.calls))
        self._is_kept = False  # the inputs of a run that went well
        self._copies: dict[str, Array] = {}  # empty before somebody looks

    def values(self) -> dict[str, Array]:
        """Every intermediate value of the last `run` or `predict` by name, in the order in which they came to be; each with its
        dimensions in memory as the model stores them. What a later run does changes none of these arrays. A value of a loop has
        one dimension more, the first: one place for each time that it was computed.

        Raises:
            InputError: nothing was run yet, or the last run failed.
            BusyError: another thread uses the executor.
        """
        return dict(self._looked_at())

    def get_value(self, name: str) -> Array:
        """The intermediate value of that name in the last `run` or `predict`, as it was right after the call that wrote it.

        Raises:
            InputError: no such value (fused into a kernel, or made by bands of rows, it has no place in memory), or as `values`.
        """
        copies = self._looked_at()
        if name not in copies:
            raise InputError(
                f"model {self._info.name!r} stores no value {name!r}{nearest(name, copies)}; "
                "values that were fused into a kernel, or made by bands of rows, have no place in memory",
                name=name,
                known=tuple(copies),
            )
        return copies[name]

    def _looked_at(self) -> dict[str, Array]:
        self._begin_work()
        try:
            if self._is_kept and not self._copies:
                self._make_again()
            if not self._copies and self._info.calls:
                raise InputError(
                    f"model {self._info.name!r}: values can be read after run or predict",
                    name=self._info.name,
                )
            return self._copies
        finally:
            self._at_work = None

    def _run(self, bases: Any) -> int:
        self._is_kept, self._copies = False, {}
        if self._in_place:
            late_in_place.bring(self._in_place, bases)
        if self._drive is not None:
            return self._run_and_copy(bases)
        for at, address, size_bytes in self._keeps:
            ctypes.memmove(address, bases[at], size_bytes)
        for number in (
            late_controlled.calls_in_order(self._info, bases) if self._info.controls else self._numbers
        ):
            status: int = self._step(number, bases)
            if status:
                return status
        self._is_kept = True
        return 0

    def _make_again(self) -> None:
        """Makes the calls of the last run on its inputs, and copies what they write."""
        bases = type(self._bases)(*self._bases)
        outputs = [aligned_array(tensor, self._alignment) for tensor in self._info.outputs]
        for at, array in enumerate((*self._inputs, *outputs), FIRST_TENSOR):
            bases[at] = address_of(array)
        if self._in_place:
            late_in_place.bring(self._in_place, bases)
        status = self._run_and_copy(bases)
        if status:
            self._failed(status, bases)

    def _run_and_copy(self, bases: Any) -> int:
        if self._info.controls:
            shown = late_controlled.Shown(self._info, self._values)
            failed, self._copies = shown.run(self._step, bases, lambda value: self._copy(value, bases))
            return failed
        copies: dict[str, Array] = {}
        for number, info in enumerate(self._info.calls):
            for name in read_values(info):  # views of what earlier calls wrote
                if name not in copies and self._values[name].region == "arena":
                    copies[name] = self._copy(self._values[name], bases)
            status: int = self._step(number, bases)
            if status:
                return status
            for name in info.outputs:
                copies[name] = self._copy(self._values[name], bases)
        self._copies = copies
        return 0

    def _copy(self, value: ValueInfo, bases: Any) -> Array:
        dtype = value.dtype.numpy
        begin, end = value.extent_bytes
        if begin == end:
            return np.empty(value.shape, dtype)
        away = late_controlled.moved_bytes(value, bases) if value.moves else 0
        if self._drive is not None and self._drive.owns(value):
            memory = (ctypes.c_char * (end - begin))()
            self._drive.fetch(value, begin, ctypes.addressof(memory), end - begin)
        else:
            address = bases[base_slot(value, len(self._info.inputs))]
            memory = (ctypes.c_char * (end - begin)).from_address(address + begin + away)
        strides = [stride * dtype.itemsize for stride in value.strides]
        view: Array = np.ndarray(value.shape, dtype, memoryview(memory), value.offset_bytes - begin, strides)
        return np.array(view)
