"""Drives a model whose calls belong to several targets: host code, device sessions and the transfers between their memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ingot.artifact.info import CallInfo, ModelInfo, ValueInfo
from ingot.artifact.module import Function, Session
from ingot.runtime.executor import FIRST_TENSOR

POOL = 2  # in the array of base pointers
Step = Callable[[Any], int]  # base pointers → status


class Drive:
    """The steps of one executor: `run` makes all, `call` makes one and waits until it is done.

    Args:
        info: the model; its `values` say where everything is.
        functions: for each target key whose code works in the host's memory, `ingot_<unit>_call`.
        pools: the thread pool for each of these keys.
        sessions: for each other key, its place on the device. They are closed with the drive.
    """

    def __init__(
        self,
        info: ModelInfo,
        functions: Mapping[str, Function],
        pools: Mapping[str, int | None],
        sessions: Mapping[str, Session],
    ) -> None:
        self._sessions = dict(sessions)
        self._values = {value.name: value for value in info.values}
        self._inputs = len(info.inputs)
        self._steps: list[Step] = []
        counts: dict[str, int] = {}
        for call in info.calls:
            if not call.kernel:
                self._steps.append(self._transfer(call))
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

    def call(self, number: int, bases: Any) -> int:
        """One call of the program, done when this returns."""
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

    def __del__(self) -> None:
        self.close()

    def _transfer(self, call: CallInfo) -> Step:
        source, result = self._values[call.args[0]], self._values[call.outputs[0]]
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

