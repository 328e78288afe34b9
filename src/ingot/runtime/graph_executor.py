"""The executor that makes the calls of a program one by one, for looking at what happens inside a model."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ingot.artifact.info import CallInfo, ModelInfo
from ingot.artifact.module import Function
from ingot.artifact.values import ValueInfo
from ingot.errors import InputError, nearest
from ingot.runtime import Array, Executor
from ingot.runtime.drive import Drive, base_slot


class GraphExecutor(Executor):
    """Runs the calls of the program one by one from Python and keeps a copy of every value that is written on the way.

    Needs memory for all intermediate values; meant for looking, not for speed.
    """

    kind = "graph"

    def __init__(self, info: ModelInfo, call: Function, *memory: Any, drive: Drive | None = None) -> None:
        super().__init__(info, call, *memory)
        self._drive = drive
        self._step = call
        self._values = {value.name: value for value in self._info.values}
        self._copies: dict[str, Array] = {}

    def values(self) -> dict[str, Array]:
        """Every intermediate value of the last `run` or `predict` by name, in the order in which they came to be."""
        self._require_copies()
        return dict(self._copies)

    def get_value(self, name: str) -> Array:
        """The intermediate value of that name in the last `run` or `predict`, as it was right after the call that wrote it.

        Raises:
            InputError: no such value (fused into a kernel, it has no place in memory), or nothing was run yet.
        """
        self._require_copies()
        if name not in self._copies:
            raise InputError(
                f"model {self._info.name!r} stores no value {name!r}{nearest(name, self._copies)}; "
                "values that were fused into a kernel have no place in memory",
                name=name,
                known=tuple(self._copies),
            )
        return self._copies[name]

    def _require_copies(self) -> None:
        if not self._copies and self._info.calls:
            raise InputError(f"model {self._info.name!r}: values can be read after run or predict", name=self._info.name)

    def _run(self, bases: Any) -> int:
        copies: dict[str, Array] = {}
        for number, info in enumerate(self._info.calls):
            for name in _read_values(info):  # views of what earlier calls wrote
                if name not in copies and self._values[name].region == "arena":
                    copies[name] = self._copy(self._values[name], bases)
            status = int(self._step(number, bases))
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
        if self._drive is not None and self._drive.owns(value):
            memory = (ctypes.c_char * (end - begin))()
            self._drive.fetch(value, begin, ctypes.addressof(memory), end - begin)
        else:
            address = bases[base_slot(value, len(self._info.inputs))]
            memory = (ctypes.c_char * (end - begin)).from_address(address + begin)
        strides = [stride * dtype.itemsize for stride in value.strides]
        view: Array = np.ndarray(value.shape, dtype, memoryview(memory), value.offset_bytes - begin, strides)
        return np.array(view, order="C")


def _read_values(call: CallInfo) -> tuple[str, ...]:
    """The arguments that the call reads: those before its first output. What comes after the outputs are workspaces."""
    outputs = set(call.outputs)
    for at, name in enumerate(call.args):
        if name in outputs:
            return call.args[:at]
    return call.args
