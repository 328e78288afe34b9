"""Makes the executors that a plain library does without: those that look inside, and those of models with several targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_read import find_params
from ingot.artifact.module import Function, Module
from ingot.artifact.session import Session
from ingot.base.lazy import Late
from ingot.runtime.executors.base import AotExecutor, Executor, no_function
from ingot.runtime.executors.device import DeviceAotExecutor, DeviceGraphExecutor
from ingot.runtime.executors.graph import GraphExecutor
from ingot.runtime.executors.heterogeneous import Drive

if TYPE_CHECKING:
    from ingot.runtime.executors import regions as late_regions
else:
    late_regions = Late("ingot.runtime.executors.regions")


class Code(Protocol):
    """What executors take from a library that was loaded."""

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """Among them the constants."""

    def function(self, name: str) -> Function | None:
        """The function of that name, or None."""

    def owner(self, name: str) -> Module | None:
        """The module that has the function, or None."""

    def pool(self, name: str, threads: int) -> int | None:
        """The thread pool that the function gets, or None."""


def other_executor(
    loaded: Code,
    info: ModelInfo,
    kind: str,
    devices: Mapping[str, Sequence[Any]],
    threads: int,
    memory: tuple[Any, ...],
) -> Executor:
    """An executor of that kind.

    Args:
        loaded: code and weights.
        info: the model.
        kind: "aot" or "graph".
        devices: the devices of each target key but "host".
        threads: the most that one inference uses.
        memory: what every executor gets last: the address of the constants, the pool, and what to keep alive.

    Raises:
        LoadError: the library lacks a function.
        DeviceError: a device is missing or failed.
    """
    if len(info.targets) == 1:
        call = loaded.function(info.call_name)
        if call is None:
            no_function(info, info.call_name)
        return GraphExecutor(info, call, *memory)
    drive = _drive(loaded, info, devices, threads)
    if not drive.has_sessions:
        if kind == "graph":
            return GraphExecutor(info, drive.call, *memory, drive=drive)
        return AotExecutor(info, drive.run, drive.call, *memory)
    return (
        DeviceGraphExecutor(info, drive, *memory)
        if kind == "graph"
        else DeviceAotExecutor(info, drive, *memory)
    )


def _drive(loaded: Code, info: ModelInfo, devices: Mapping[str, Sequence[Any]], threads: int) -> Drive:
    """What runs a model with several targets: a function for each key on the host, a session for each other one; and functions
    for regions.
    """
    regions = late_regions.Regions(loaded, info, devices)
    functions: dict[str, Function] = {}
    pools: dict[str, int | None] = {}
    sessions: dict[str, Session] = {}
    try:
        for target in info.targets:
            if target.key in regions.keys:
                continue
            unit = info.symbol if target is info.host else f"{info.symbol}_{target.key}"
            name = f"ingot_{unit}_call" if target.device_kind == "cpu" else f"ingot_{unit}_open"
            function = loaded.function(name)
            if function is None:
                no_function(info, name)
            if target.device_kind == "cpu":
                functions[target.key], pools[target.key] = function, loaded.pool(name, threads)
            else:
                params = find_params(loaded.artifacts, info, target) if target.params else memoryview(b"")
                sessions[target.key] = function(
                    devices[target.key][0].index, params, target.memory.arena_bytes
                )
    except BaseException:
        for session in sessions.values():  # the first device has given memory, the second has none
            session.close()
        regions.close()
        raise
    return Drive(info, functions, pools, sessions, regions)
