"""Executors of models with parts on devices: inputs and outputs that are on such a device stay there.

A value that crosses to a device has a transfer in the program. Where an input is given on that device, its transfer copies from
device to device; where an output is wanted there, so does the transfer that would bring it home. Host memory stands in for both,
and is filled, or read, only if something on the host needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.artifact.module import Function
from ingot.base.errors import DeviceError, InputError
from ingot.runtime.devices.dlpack import Outside, from_producer
from ingot.runtime.devices.tensor import DeviceTensor, dlpack_dtype
from ingot.runtime.executors.base import AotExecutor, Executor, by_name
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.heterogeneous import Bound, Drive
from ingot.runtime.inputs import CPU_KINDS, device_of, device_words
from ingot.runtime.memory import Array, address_of, aligned_array

# By DLPack's kind of device: the stream for which sessions wait when they adopt a tensor.
_STREAMS = {2: 1}  # CUDA: the legacy default stream


class DeviceExecutor(Executor):
    """What both kinds share: `predict` with tensors on devices."""

    _drive: Drive

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stand_ins: dict[tuple[str, int], Array] = {}

    def device_tensor(self, name: str, content: object = None) -> DeviceTensor:
        """As of any executor."""
        infos = {tensor.name: tensor for tensor in (*self.inputs, *self.outputs)}
        session = self._drive.home(name)
        if session is None:
            return super().device_tensor(name, content)
        device_tensor = DeviceTensor(
            infos[name], session.allocate(max(infos[name].size_bytes, 1)), session.dlpack_device
        )
        if content is not None:
            device_tensor.copy_from(content)
        return device_tensor

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """One inference, as of any executor; and inputs, and tensors in `out`, may be on a device of the executor.

        These are what `device_tensor` made, or speaks DLPack and is on such a device. They stay there, and are complete when this
        returns. An `out` there must not share memory with an input.

        Raises:
            InputError: as any executor; or a tensor on another device, of another type, or with gaps.
            DeviceError: the code or the device reports an error.
        """
        given = by_name(inputs, arrays)
        self._begin_work()
        try:
            return self._predict_anywhere(given, out)
        finally:
            self._at_work = None

    def _predict_anywhere(self, given: dict[str, Any], out: Any) -> Any:
        outs: list[Any] = list(out) if isinstance(out, (tuple, list)) else [] if out is None else [out]
        if not any(map(_is_elsewhere, (*given.values(), *outs))):
            return self._predict(given, out)
        bound = Bound({}, {})
        for at, info in enumerate(self.inputs):
            if _is_elsewhere(given.get(info.name)):
                bound.inputs[at] = self._tensor(given[info.name], info, "input")
                given[info.name] = self._stand_in("input", at)
        for at, info in enumerate(self.outputs[: len(outs)]):
            if _is_elsewhere(outs[at]):
                bound.outputs[at] = self._tensor(outs[at], info, "out for output")
                outs[at] = self._stand_in("output", at)
        self._require_apart(bound)
        results = self._predict_bound(given, None if out is None else outs, bound)
        return results if out is None else out

    def _predict_bound(self, given: dict[str, Any], outs: list[Any] | None, bound: Bound) -> Any:
        """By way of the host's memory, for whoever looks at every call."""
        for at, tensor in bound.inputs.items():
            self._fetch(at, tensor)
        results = self._predict(given, outs)
        for at, tensor in bound.outputs.items():
            self._send(at, tensor)
        return results

    def _fetch(self, at: int, tensor: DeviceTensor) -> None:
        array = self._stand_in("input", at)
        tensor.memory.read(tensor.start_bytes, address_of(array), array.nbytes)

    def _send(self, at: int, tensor: DeviceTensor) -> None:
        array = self._stand_in("output", at)
        tensor.memory.write(tensor.start_bytes, address_of(array), array.nbytes)

    def _stand_in(self, role: str, at: int) -> Array:
        """Host memory in place of a tensor on a device."""
        if (role, at) not in self._stand_ins:
            info = (self.inputs if role == "input" else self.outputs)[at]
            self._stand_ins[role, at] = aligned_array(info, self._alignment)
        return self._stand_ins[role, at]

    def _tensor(self, value: Any, info: TensorInfo, role: str) -> DeviceTensor:
        """The tensor, checked, in memory that its session reaches."""
        where = device_of(value) or (0, 0)
        session = self._drive.session_at(where)
        if session is None:
            known = " or ".join(["the CPU", *map(device_words, self._drive.devices)])
            _wrong(
                info,
                role,
                f"is on {device_words(where)}, and this executor takes it from {known}; copy it there first",
            )
        if isinstance(value, DeviceTensor):
            outside = value.outside()
        else:
            try:
                outside = from_producer(value, _STREAMS.get(where[0]))
            except (BufferError, RuntimeError, TypeError, ValueError) as error:
                _wrong(info, role, f"cannot be read through DLPack: {error}")
        if outside.device != where:  # its address means something else there
            _wrong(
                info,
                role,
                f"says that it is on {device_words(where)}, its capsule says {device_words(outside.device)}",
            )
        _check(outside, info, role)
        if not info.size_bytes:  # nothing has no address
            return DeviceTensor(info, session.allocate(1), where)
        try:
            memory = session.adopt(outside.data, outside.byte_offset + info.size_bytes, outside.owner)
        except DeviceError as error:
            _wrong(info, role, f"cannot be used: {error.message}")
        return DeviceTensor(info, memory, where, outside.byte_offset)

    def _require_apart(self, bound: Bound) -> None:
        for at, tensor in bound.outputs.items():
            others = [
                *bound.inputs.values(),
                *(other for number, other in bound.outputs.items() if number < at),
            ]
            if any(map(tensor.overlaps, others)):
                _wrong(
                    self.outputs[at],
                    "out for output",
                    "shares memory with an input or another out on its device",
                )


class DeviceAotExecutor(DeviceExecutor, AotExecutor):
    """Makes the calls of all targets in order; tensors on devices do not come to the host."""

    def __init__(self, info: ModelInfo, drive: Drive, *memory: Any) -> None:
        super().__init__(info, drive.run, drive.call, *memory)
        self._drive = drive

    def _predict_bound(self, given: dict[str, Any], outs: list[Any] | None, bound: Bound) -> Any:
        for at, tensor in bound.inputs.items():
            if self._drive.host_reads(at, tensor):
                self._fetch(at, tensor)
        usual: Function = self._run
        self._run = lambda bases: self._drive.run_bound(bases, bound)
        try:
            results = self._predict(given, outs)
        finally:
            self._run = usual
        for at, tensor in bound.outputs.items():
            if not self._drive.gives(at, tensor):
                self._send(at, tensor)
        return results


class DeviceGraphExecutor(DeviceExecutor, GraphExecutor):
    """Keeps every value, those of devices too. Tensors on devices are copied by way of the host."""

    def __init__(self, info: ModelInfo, drive: Drive, *memory: Any) -> None:
        super().__init__(info, drive.call, *memory, drive=drive)
        self._drive: Drive = drive


def _is_elsewhere(value: object) -> bool:
    """Whether it is a tensor that says that it is not in the CPU's memory."""
    if value is None or isinstance(value, np.ndarray):
        return False
    where = device_of(value)
    return where is not None and where[0] not in CPU_KINDS


def _check(outside: Outside, info: TensorInfo, role: str) -> None:
    if (outside.code, outside.bits, outside.lanes) != (*dlpack_dtype(info.dtype), 1):
        _wrong(
            info,
            role,
            f"is of DLPack's type code {outside.code} with {outside.bits} bits and {outside.lanes} lanes",
        )
    if outside.shape != info.shape:
        _wrong(info, role, f"has the shape {list(outside.shape)}")
    step = 1
    for extent, stride in zip(reversed(outside.shape), reversed(outside.strides or ()), strict=False):
        if extent > 1 and stride != step and info.size_bytes:
            _wrong(
                info,
                role,
                f"is not contiguous (strides of {list(outside.strides or ())} elements); copy it first",
            )
        step *= extent


def _wrong(info: TensorInfo, role: str, fault: str) -> NoReturn:
    raise InputError(
        f"{role} {info.name!r} {fault}; expected {info.type}",
        name=info.name,
        expected=str(info.type),
        got=fault,
    )
