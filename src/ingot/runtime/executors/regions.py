"""Calls of regions: functions of code generators that take whole regions of a model, in native code or in Python.

A region `r` of the target key `k` of a model with the symbol `m` is the function `ingot_m_k_r` of some module of the library.
Native code gets an array of pointers, `int32_t ingot_m_k_r(void *const *args)`: to the inputs, then to the outputs. A module of
another loader gets NumPy arrays, `function(inputs, outputs)`: the inputs may not be written, the outputs are to be filled. Both
give 0 for good or a negative number; Python may give None, too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ingot.artifact.model_info import CallInfo, ModelInfo
from ingot.artifact.module import Function, Module
from ingot.artifact.values import ValueInfo
from ingot.base.errors import DeviceError, IngotError
from ingot.base.records import Frozen
from ingot.runtime.executors.base import no_function
from ingot.runtime.executors.heterogeneous import Step, base_slot
from ingot.runtime.memory import Array

NATIVE = "native"


class Owners(Protocol):
    """What has the functions: a library that was loaded."""

    def owner(self, name: str) -> Module | None:
        """The module that has the function, or None."""


class _Place(metaclass=Frozen):
    """Where a dense value lies: the position of its region in the array of base pointers, and how far behind that."""

    slot: int
    value: ValueInfo

    def address(self, bases: Any) -> int:
        return int(bases[self.slot] or 0) + self.value.offset_bytes

    def array(self, bases: Any, writes: bool) -> Array:
        """The memory as an array: nothing is copied."""
        type_ = self.value.type
        if not type_.size_bytes:
            return np.empty(type_.shape, type_.dtype.numpy)
        memory = (ctypes.c_char * type_.size_bytes).from_address(self.address(bases))
        array: Array = np.ndarray(type_.shape, type_.dtype.numpy, memoryview(memory))
        array.flags.writeable = writes
        return array


class Regions:
    """The functions of a model's regions, for one executor.

    Args:
        loaded: has the modules of the library.
        info: the model; its `values` say where everything is.
        devices: those of each target key.
    """

    def __init__(self, loaded: Owners, info: ModelInfo, devices: Mapping[str, Sequence[Any]]) -> None:
        self.keys = frozenset(call.target_key for call in info.calls if call.region)
        self._loaded, self._info, self._devices = loaded, info, devices
        self._values = {value.name: value for value in info.values} if self.keys else {}
        self._placed: dict[tuple[int, str], Module] = {}

    def step(self, call: CallInfo) -> Step:
        """A call of a region.

        Raises:
            LoadError: no module has its function.
            DeviceError: its module refuses the devices.
        """
        name = f"ingot_{self._info.symbol}_{call.target_key}_{call.region}"
        owner = self._loaded.owner(name)
        if owner is None:
            no_function(self._info, name)
        inputs = len(self._info.inputs)
        values = [self._values[value] for value in call.args]
        places = [_Place(base_slot(value, inputs), value) for value in values]
        if owner.type_key == NATIVE:
            function = owner.get_function(name)
            assert function is not None
            return _native(function, places)
        module = self._on_devices(owner, call.target_key)
        function = module.get_function(name)
        if function is None:
            no_function(self._info, name)
        where = f"region {call.region} of {call.target_key}, computed by {owner.type_key!r}"
        return _in_python(function, places, len(call.args) - len(call.outputs), where)

    def close(self) -> None:
        """Closes the modules that were made for this executor's devices. Twice is once."""
        placed, self._placed = self._placed, {}
        for module in placed.values():
            module.close()

    def _on_devices(self, owner: Module, key: str) -> Module:
        """The module for the devices of a key, if it makes one; else the module itself."""
        on = getattr(owner, "on", None)  # `OnDevices` has it
        if on is None:
            return owner
        place = (id(owner), key)
        if place not in self._placed:
            devices = tuple(self._devices[key])
            where = f"{owner.type_key!r} on {', '.join(map(str, devices))}"
            self._placed[place] = _contained(where, lambda: on(devices))
        return self._placed[place]


def _native(function: Function, places: Sequence[_Place]) -> Step:
    args = (ctypes.c_void_p * len(places))()

    def step(bases: Any) -> int:
        args[:] = [place.address(bases) for place in places]
        return int(function(args))

    return step


def _in_python(function: Function, places: Sequence[_Place], inputs: int, where: str) -> Step:
    def step(bases: Any) -> int:
        given = tuple(place.array(bases, writes=False) for place in places[:inputs])
        results = tuple(place.array(bases, writes=True) for place in places[inputs:])
        status = _contained(where, lambda: function(given, results))
        if status is None:
            return 0
        if isinstance(status, bool) or not isinstance(status, int) or status > 0:
            raise DeviceError(f"{where}: expected 0, a negative number or None, got {status!r:.80}")
        return status

    return step


def _contained(where: str, function: Callable[[], Any]) -> Any:
    """What a plug-in's function gives; whatever goes wrong in it is an error that says where."""
    try:
        return function()
    except (IngotError, MemoryError):
        raise
    except Exception as error:
        raise DeviceError(f"{where} failed: {type(error).__name__}: {error}") from error
