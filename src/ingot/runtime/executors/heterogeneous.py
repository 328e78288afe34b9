"""Drives a model whose calls belong to several targets: host code, device sessions and the transfers between their memories."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ingot.artifact.model_info import CallInfo, ModelInfo
from ingot.artifact.module import BAD_CALL, Function
from ingot.artifact.session import DirectSession, Session
from ingot.artifact.values import ValueInfo
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.runtime.devices.tensor import DeviceTensor
from ingot.runtime.executors.base import FIRST_TENSOR

POOL = 2  # in the array of base pointers
Step = Callable[[Any], int]  # base pointers → status


class RegionSteps(Protocol):
    """Who makes the steps of regions (`executors.regions`)."""

    def step(self, call: CallInfo) -> Step:
        """The step of a call of a region."""

    def close(self) -> None:
        """Closes what was made for the steps. Twice is once."""


class Bound(metaclass=Frozen):
    """Tensors on devices for one inference, by the numbers of inputs and outputs."""

    inputs: dict[int, DeviceTensor]
    outputs: dict[int, DeviceTensor]


class _Crossing(metaclass=Frozen):
    """A transfer between an input or output of the model and a device: the step, and where in arena and tensor."""

    step: int
    session: DirectSession
    arena_bytes: int
    start_bytes: int
    size_bytes: int

    def is_on(self, tensor: DeviceTensor) -> bool:
        return self.session.dlpack_device == tensor.__dlpack_device__()


class Drive:
    """The steps of one executor: `run` makes all, `call` makes one and waits until it is done.

    Args:
        info: the model; its `values` say where everything is.
        functions: for each target key whose code works in the host's memory, `ingot_<unit>_call`.
        pools: the thread pool for each of these keys.
        sessions: for each other key, its place on the device. They are closed with the drive.
        regions: the functions of regions, which work in the host's memory. They are closed with the drive, too.
    """

    def __init__(
        self,
        info: ModelInfo,
        functions: Mapping[str, Function],
        pools: Mapping[str, int | None],
        sessions: Mapping[str, Session],
        regions: RegionSteps,
    ) -> None:
        self._regions = regions
        self._sessions = dict(sessions)
        self._values = {value.name: value for value in info.values}
        self._info = info
        self._inputs = len(info.inputs)
        self._steps: list[Step] = []
        self._crossings: dict[tuple[str, int], list[_Crossing]] = {}
        self._host_reads: set[tuple[str, int]] = (
            set()
        )  # inputs and outputs that steps read in the host's memory
        self._written: dict[int, int] = {}  # how many steps write an output
        counts: dict[str, int] = {}
        for call in info.calls:
            self._note(call)
            if not call.kernel:
                self._steps.append(self._transfer(call))
                continue
            if call.region:
                self._steps.append(regions.step(call))
                continue
            number = counts.get(call.target_key, 0)
            counts[call.target_key] = number + 1
            session = self._sessions.get(call.target_key)
            if session is not None:
                self._steps.append(_on_device(session, number))
            else:
                self._steps.append(_on_host(functions[call.target_key], number, pools[call.target_key]))

    def run(self, bases: Any) -> int:
        """One inference. The last transfers to the host wait for their devices."""
        for step in self._steps:
            status = step(bases)
            if status:
                return status
        return 0

    @property
    def has_sessions(self) -> bool:
        """Whether values lie in memories of devices."""
        return bool(self._sessions)

    # ─── tensors on devices ────────────────────────────────────────────────────────────────────────────────────────

    @property
    def devices(self) -> tuple[tuple[int, int], ...]:
        """DLPack's kind and index of each device on which inputs and outputs may be."""
        sessions = self._sessions.values()
        return tuple(
            dict.fromkeys(session.dlpack_device for session in sessions if isinstance(session, DirectSession))
        )

    def session_at(self, device: tuple[int, int]) -> DirectSession | None:
        """A session on that device."""
        sessions = self._sessions.values()
        return next(
            (
                session
                for session in sessions
                if isinstance(session, DirectSession) and session.dlpack_device == device
            ),
            None,
        )

    def home(self, name: str) -> DirectSession | None:
        """The session that reads that input, or writes that output, by a transfer; of one that only the host knows, the first."""
        for region, tensors in (("input", self._info.inputs), ("output", self._info.outputs)):
            for number, tensor in enumerate(tensors):
                if tensor.name == name:
                    crossings = self._crossings.get((region, number), [])
                    return (
                        crossings[0].session if crossings else next(map(self.session_at, self.devices), None)
                    )
        return None

    def host_reads(self, number: int, tensor: DeviceTensor) -> bool:
        """Whether an input that is given as this tensor must be in the host's memory too."""
        others = [
            crossing for crossing in self._crossings.get(("input", number), ()) if not crossing.is_on(tensor)
        ]
        return bool(others) or ("input", number) in self._host_reads

    def gives(self, number: int, tensor: DeviceTensor) -> bool:
        """Whether an output that is wanted in this tensor is copied there from the same device."""
        crossings = self._crossings.get(("output", number), [])
        if self._written.get(number) != 1 or len(crossings) != 1:
            return False
        return crossings[0].is_on(tensor) and crossings[0].size_bytes == self._info.outputs[number].size_bytes

    def run_bound(self, bases: Any, bound: Bound) -> int:
        """One inference with tensors on devices, which are complete when this returns."""
        instead: dict[int, tuple[Callable[..., None], _Crossing, DeviceTensor, bool]] = {}
        for number, tensor in bound.inputs.items():
            for crossing in self._crossings.get(("input", number), ()):
                if crossing.is_on(tensor):
                    instead[crossing.step] = (crossing.session.take, crossing, tensor, False)
        for number, tensor in bound.outputs.items():
            if self.gives(number, tensor):
                (crossing,) = self._crossings["output", number]
                instead[crossing.step] = (
                    crossing.session.give,
                    crossing,
                    tensor,
                    ("output", number) in self._host_reads,
                )
        for number, step in enumerate(self._steps):
            if number in instead:
                copy, crossing, tensor, also = instead[number]
                copy(
                    crossing.arena_bytes,
                    tensor.memory,
                    tensor.start_bytes + crossing.start_bytes,
                    crossing.size_bytes,
                )
                if not also:
                    continue
            status = step(bases)
            if status:
                return status
        for session in self._sessions.values():
            session.finish()
        return 0

    def _note(self, call: CallInfo) -> None:
        """Remembers what the call, which is the next step, has to do with inputs and outputs."""
        outputs = [self._values[name] for name in call.outputs]
        for value in outputs:
            if value.region == "output":
                self._written[value.number] = self._written.get(value.number, 0) + 1
        if not call.kernel:
            source, result = self._transferred(call)
            host, device = (source, result) if self.owns(result) else (result, source)
            session = self._sessions[device.target_key]
            comes_home = host is result and host.region == "output"
            if (comes_home or host.region == "input") and isinstance(session, DirectSession):
                size = result.type.size_bytes
                crossing = _Crossing(len(self._steps), session, device.offset_bytes, host.offset_bytes, size)
                self._crossings.setdefault((host.region, host.number), []).append(crossing)
                return
        for name in call.args:
            value = self._values[name]
            if name not in call.outputs and value.region in ("input", "output"):
                self._host_reads.add((value.region, value.number))

    def _transferred(self, call: CallInfo) -> tuple[ValueInfo, ValueInfo]:
        """What a transfer reads, and what it writes."""
        if len(call.args) == 2 and call.outputs == call.args[1:]:
            source, result = (self._values[name] for name in call.args)
            if source.type == result.type and self.owns(source) != self.owns(result):
                return source, result
        raise ArtifactError(
            f"model {self._info.name!r}: its call {len(self._steps)}, of {', '.join(call.args)[:80] or 'nothing'}, has no "
            "kernel; expected a value in the host's memory and an equal one on a device, in one order or the other",
            name=self._info.name,
        )

    def call(self, number: int, bases: Any) -> int:
        """One call of the program, done when this returns; `BAD_CALL` for a number that is none."""
        if not 0 <= number < len(self._steps):
            return BAD_CALL
        status = self._steps[number](bases)
        for session in self._sessions.values():
            session.finish()
        return status

    def fetch(self, value: ValueInfo, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies bytes of a device's arena to host memory."""
        self._sessions[value.target_key].read(offset_bytes, address, size_bytes)

    def owns(self, value: ValueInfo) -> bool:
        """Whether the value lies in a device's memory."""
        return value.target_key in self._sessions

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._regions.close()

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_ending():
            self.close()

    def _transfer(self, call: CallInfo) -> Step:
        source, result = self._transferred(call)
        size = result.type.size_bytes
        if self.owns(result):
            write, into = self._sessions[result.target_key].write, result.offset_bytes
            slot, start = self._slot(source), source.offset_bytes

            def to_device(bases: Any) -> int:
                write(into, bases[slot] + start, size)
                return 0

            return to_device
        read, out_of = self._sessions[source.target_key].read, source.offset_bytes
        slot, start = self._slot(result), result.offset_bytes

        def to_host(bases: Any) -> int:
            read(out_of, bases[slot] + start, size)
            return 0

        return to_host

    def _slot(self, value: ValueInfo) -> int:
        """The position of a host value's region in the array of base pointers."""
        return base_slot(value, self._inputs)


def base_slot(value: ValueInfo, inputs: int) -> int:
    """The position of a value's region in the array of base pointers of a model with so many inputs."""
    return {
        "params": 0,
        "arena": 1,
        "input": FIRST_TENSOR + value.number,
        "output": FIRST_TENSOR + inputs + value.number,
    }[value.region]


def _on_host(function: Function, number: int, pool: int | None) -> Step:
    def step(bases: Any) -> int:
        bases[POOL] = pool  # a pool belongs to the module whose code uses it
        return int(function(number, bases))

    return step


def _on_device(session: Session, number: int) -> Step:
    return lambda _: session.call(number)
