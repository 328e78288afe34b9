"""What modules of code for devices have in common: what a device needs is made when it is first used, and kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from ingot.artifact.artifact import Artifact
from ingot.artifact.module import Function, Module
from ingot.base.errors import ArtifactError

_LIST = "launch.json"


def paired(artifacts: Sequence[Artifact], loader: str, suffix: str) -> list[tuple[Artifact, Artifact]]:
    """Each list of launches, `<name>.launch.json`, with the code that it launches, `<name>.<suffix>`.

    Raises:
        ArtifactError: a list has no code, code has no list, or another kind of file is there.
    """
    files = {artifact.file_name: artifact for artifact in artifacts}
    for name in files:
        stem, _, ending = name.partition(".")
        partner = {suffix: f"{stem}.{_LIST}", _LIST: f"{stem}.{suffix}"}.get(ending)
        if partner not in files:
            wrong = f"expected {partner!r} beside it" if partner else f"expected a file .{suffix} or .{_LIST}"
            raise ArtifactError(f"artifact {name!r} of the loader {loader}: {wrong}", file=name)
    lists = [artifact for name, artifact in files.items() if name.endswith(f".{_LIST}")]
    return [(launches, files[launches.file_name.removesuffix(_LIST) + suffix]) for launches in lists]


class DeviceModule:
    """The parts of models that run on devices of one kind."""

    type_key: str

    def __init__(self, parts: Sequence[tuple[Any, Any]]) -> None:
        """`parts` are lists of launches, each with its code."""
        self._parts = {launches.symbol: (launches, code) for launches, code in parts}
        self._units: dict[tuple[str, int], Any] = {}
        self._lock = threading.Lock()

    def _open_unit(self, index: int, launches: Any, code: Any, params: memoryview) -> Any:
        """A model's part on a device: compiled, and with its constants."""
        raise NotImplementedError

    def _open_session(self, unit: Any, arena_bytes: int) -> Any:
        """Memory to run it in."""
        raise NotImplementedError

    @property
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
        symbol = name.removeprefix("ingot_").removesuffix("_open")
        if symbol not in self._parts or name != f"ingot_{symbol}_open":
            return None

        def open_session(device_index: int, params: memoryview, arena_bytes: int) -> Any:
            with self._lock:
                unit = self._units.get((symbol, device_index))
                if unit is None:
                    unit = self._open_unit(device_index, *self._parts[symbol], memoryview(params).cast("B"))
                    self._units[symbol, device_index] = unit
            return self._open_session(unit, arena_bytes)

        return open_session

    def close(self) -> None:
        self._parts.clear()
        self._units.clear()
