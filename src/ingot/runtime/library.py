"""`Library`: what `load` gives. A factory of executors for each of its models; and `Device`, where they run."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ingot
from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_read import find_params
from ingot.base.lazy import Late
from ingot.base.records import Frozen
from ingot.runtime.executors.base import AotExecutor, Executor, no_function
from ingot.runtime.memory import Array, address_of, aligned_bytes

if TYPE_CHECKING:
    from ingot.artifact.module import Function, Module
    from ingot.base import errors as late_errors
    from ingot.base import threads as late_threads
    from ingot.runtime import load_steps as late_load_steps
    from ingot.runtime import sending as late_sending
    from ingot.runtime import uncopied as late_uncopied
    from ingot.runtime.executors import border as late_border
    from ingot.runtime.executors import counted as late_counted
    from ingot.runtime.executors import entries as late_entries
    from ingot.runtime.executors import make as late_make
    from ingot.runtime.executors import pool as late_pool
    from ingot.runtime.executors import shaped as late_shaped
    from ingot.runtime.executors import stateful as late_stateful
    from ingot.runtime.executors.entries import Entries
    from ingot.runtime.executors.pool import ExecutorPool
    from ingot.runtime.load_steps import LoadStep, Steps
else:
    late_errors = Late("ingot.base.errors")
    late_threads = Late("ingot.base.threads")
    late_border = Late("ingot.runtime.executors.border")
    late_counted = Late("ingot.runtime.executors.counted")
    late_entries = Late("ingot.runtime.executors.entries")
    late_make = Late("ingot.runtime.executors.make")
    late_pool = Late("ingot.runtime.executors.pool")
    late_shaped = Late("ingot.runtime.executors.shaped")
    late_stateful = Late("ingot.runtime.executors.stateful")
    late_load_steps = Late("ingot.runtime.load_steps")
    late_sending = Late("ingot.runtime.sending")
    late_uncopied = Late("ingot.runtime.uncopied")

THREADS_MAX = 1024  # what the pool of threads makes at most


class Device(metaclass=Frozen):
    """Where loaded code runs. `kind` is "cpu", "opencl", "cuda" or a plug-in's name."""

    kind: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.kind}({self.index})"


def cpu(index: int = 0) -> Device:
    """The processor that this process runs on."""
    return Device("cpu", index)


def opencl(index: int = 0) -> Device:
    """An OpenCL device of this machine, in the order in which the platforms name them."""
    return Device("opencl", index)


def cuda(index: int = 0) -> Device:
    """An NVIDIA GPU of this machine, in the order of its driver."""
    return Device("cuda", index)


class Loaded:
    """Code and weights of a library: what its executors keep alive. `native` is None if nothing was linked."""

    __slots__ = (
        "__weakref__",
        "_copies",
        "artifacts",
        "imported",
        "models",
        "native",
        "path",
        "programs",
        "sha256",
        "turns",
    )

    def __init__(
        self,
        models: Mapping[str, ModelInfo],
        artifacts: tuple[Artifact, ...],
        native: "Module | None",
        imported: "tuple[Module, ...]",
    ) -> None:
        self.models, self.artifacts, self.native, self.imported = models, artifacts, native, imported
        self.programs: dict[str, tuple[ModelInfo, ...]] = {}  # of models with extents that vary
        self._copies: dict[tuple[int, int], Array] = {}
        self.path, self.sha256 = "", b""  # of the file; empty if it was none
        self.turns = 0  # how many executors were given several devices for one key

    def __reduce__(self) -> Any:
        """By path and digest: the library is opened again in the other process, or in this one."""
        if not self.path:
            late_uncopied.refuse(
                "a library that was not loaded from a file",
                "export it with export_library(path) and load that",
            )
        return late_sending.reopen, (self.path, self.sha256)

    def aligned(self, content: memoryview, alignment_bytes: int) -> Array:
        """The bytes where they are, if that place is aligned; else a copy, which all executors share."""
        content_bytes = np.frombuffer(content, np.uint8)
        address = content_bytes.ctypes.data
        if address % alignment_bytes == 0:
            return content_bytes
        place = (address, alignment_bytes)  # equal members of a container are at one place
        if place not in self._copies:
            copy = aligned_bytes(len(content_bytes), alignment_bytes)
            copy[: len(content_bytes)] = content_bytes
            self._copies.setdefault(place, copy[: len(content_bytes)])  # of two threads, one made it in vain
        return self._copies[place]

    def function(self, name: str) -> "Function | None":
        owner = self.owner(name)
        return None if owner is None else owner.get_function(name)

    def owner(self, name: str) -> "Module | None":
        """The module that has the function."""
        modules: tuple[Module, ...] = self.imported if self.native is None else (self.native, *self.imported)
        for module in modules:
            owner = _find_owner(module, name)
            if owner is not None:
                return owner
        return None

    def pool(self, name: str, threads: int) -> int | None:
        """The thread pool that the function gets: one that its own module made."""
        make: Callable[[int], int | None] | None = getattr(self.owner(name), "pool", None)  # `Pooled` has it
        return None if make is None else make(threads)

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        for module in () if is_ending() else self.imported:
            module.close()


class Library:
    """A loaded library: the root of its modules. `library["resnet18"](ingot.cpu(0))` makes an executor.

    Code and weights are in memory once, whatever the number of executors, and stay as long as the library or an executor does.
    """

    type_key = "library"

    def __init__(self, loaded: Loaded, name: str, log: "Steps") -> None:
        self._loaded: Loaded | None = loaded
        self._name = name
        self._log = log

    def note_digest(self, sha256: bytes) -> None:
        """Says which file the library is, once it is loaded."""
        self._open().sha256 = sha256

    def note_path(self, path: str) -> None:
        """Says where that file is: where the library can be opened again by whom it is sent to."""
        loaded = self._open()
        loaded.path = path if loaded.sha256 else ""

    @property
    def sha256(self) -> bytes:
        """The digest of the library's file, as its footer has it; empty if it was loaded from no library file."""
        return self._open().sha256

    @property
    def load_steps(self) -> "tuple[LoadStep, ...]":
        """What loading did, in order, and how long each step took."""
        steps: tuple[LoadStep, ...] = late_load_steps.steps_of(self._log)
        return steps

    @property
    def model_names(self) -> tuple[str, ...]:
        return tuple(self._open().models)

    @property
    def models(self) -> Mapping[str, ModelInfo]:
        """What the library says about each of its models."""
        return self._open().models

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What is in the library's container: metadata, constants, texts. Contents are views of the file."""
        return self._open().artifacts

    @property
    def imported_modules(self) -> "tuple[Module, ...]":
        """Modules of other loaders than `native`, in the order of loader names."""
        return self._open().imported

    def get_function(self, name: str) -> "Function | None":
        """The function of that name in the native code or in an imported module, or None."""
        return self._open().function(name)

    def __getitem__(self, name: str) -> "ExecutorFactory":
        """The factory of that model.

        Raises:
            LoadError: the library has no such model.
        """
        loaded = self._open()
        if name not in loaded.models:
            raise ingot.LoadError(
                f"{self._name} has no model {name!r}{late_errors.nearest(name, loaded.models)} "
                f"(it has {', '.join(loaded.models)})",
                name=name,
                known=tuple(loaded.models),
            )
        return ExecutorFactory(loaded, loaded.models[name])

    def entries(
        self,
        name: str | None = None,
        device: Device | None = None,
        *,
        devices: Mapping[str, Sequence[Device]] | None = None,
        threads: int | None = None,
        executor: str | None = None,
        maps: bool = True,
    ) -> "Entries":
        """A new stream of a model that has several entries: an executor of each by its name, such as `["prefill"]`.

        Args:
            name: the model, whose entries are the models `<name>_<entry>`; may be left out if there is only one.
            device: as for an executor, as the others.
            devices: likewise.
            threads: likewise.
            executor: likewise.
            maps: likewise.

        Raises:
            LoadError: no such model, or several and none named.
            ArtifactError: its entries do not belong together.
            DeviceError: as for an executor.
        """
        stream: Entries = late_entries.entries(
            self._name,
            name,
            self.models,
            lambda model: self[model](
                device, devices=devices, threads=threads, executor=executor, maps=maps, keeps_state=False
            ),
        )
        return stream

    def pool(
        self,
        name: str | None = None,
        device: Device | None = None,
        *,
        size: int | None = None,
        timeout: float | None = None,
        devices: Mapping[str, Sequence[Device]] | None = None,
        threads: int = 1,
        executor: str | None = None,
        maps: bool = True,
    ) -> "ExecutorPool":
        """Executors for any number of threads: `predict` of the pool takes a free one, or waits until one is.

        Args:
            name: the model; may be left out if there is only one.
            device: where the host part runs; `ingot.cpu(0)` by default.
            size: the most executors; by default as many as this process may use threads.
            timeout: seconds that a call waits for a free executor at most; None waits for ever.
            devices: for models with several targets: as for an executor.
            threads: threads of one inference. One gives the most requests a second; more make a lone request quicker.
            executor: "aot" or "graph".
            maps: as for an executor.

        Raises:
            LoadError: no such model, or several and none named; or `size`, `timeout` or `threads` are no such numbers.
            DeviceError: as for an executor.
        """
        if name is None and len(self) != 1:
            raise ingot.LoadError(
                f"{self._name} has several models, choose one: {', '.join(self.model_names)}"
            )
        factory = self[self.model_names[0] if name is None else name]
        if factory.info.states:
            raise ingot.LoadError(
                f"model {factory.info.name!r} keeps state, which calls of a pool would mix; make an executor for each stream",
                name=factory.info.name,
            )

        def make() -> Executor:
            return factory(device, devices=devices, threads=threads, executor=executor, maps=maps)

        pool: ExecutorPool = late_pool.ExecutorPool(
            make, late_threads.available_threads() if size is None else size, timeout
        )
        with pool.executor():  # says at once what is wrong
            return pool

    def again(self) -> "Library":
        """Another object for the same code and weights; closing one leaves the other."""
        return Library(self._open(), self._name, self._log)

    def __copy__(self) -> "Library":
        return self.again()

    def __deepcopy__(self, _: object) -> "Library":
        return self.again()

    def __reduce__(self) -> Any:
        return self._open().__reduce__()

    def __iter__(self) -> Any:
        return iter(self.model_names)

    def __len__(self) -> int:
        return len(self.model_names)

    def __contains__(self, name: object) -> bool:
        return name in self._open().models

    def explain(self) -> str:
        """The steps of loading with their times, and the module tree, as text."""
        text: str = late_load_steps.explain(self, self.load_steps)
        return text

    def close(self) -> None:
        """Lets go of code and weights; those that executors still use stay until these are gone. Twice is once."""
        self._loaded = None

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ingot.Library {self._name!r}: {'closed' if self._loaded is None else ', '.join(self.model_names)}>"

    def _open(self) -> Loaded:
        if self._loaded is None:
            raise ingot.LoadError(f"{self._name} was closed", name=self._name)
        return self._loaded


class ExecutorFactory:
    """Makes executors of one model. They share code, weights and threads; each has its own arena, inputs and outputs."""

    def __init__(self, loaded: Loaded, info: ModelInfo) -> None:
        self._loaded = loaded
        self.info = info

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What callers give, as `ModelInfo` says it: tensors, or ports of a border. State is none of it."""
        return self._shown((self.info.border or self.info).inputs)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What callers get."""
        return self._shown((self.info.border or self.info).outputs)

    def _shown(self, ends: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.info.states and not self.info.counts:
            return ends
        names = self.info.hidden_names
        return tuple(end for end in ends if end.name not in names)

    def __repr__(self) -> str:
        return f"<ingot.ExecutorFactory {self.info}>"

    def __copy__(self) -> "ExecutorFactory":
        return self

    def __deepcopy__(self, _: object) -> "ExecutorFactory":
        return self

    def __reduce__(self) -> Any:
        """As the library: it is opened again by its path."""
        reopen, place = self._loaded.__reduce__()
        return _factory_of, (reopen, place, self.info.name)

    def __call__(
        self,
        device: Device | None = None,
        *,
        devices: Mapping[str, Sequence[Device]] | None = None,
        threads: int | None = None,
        executor: str | None = None,
        maps: bool = True,
        keeps_state: bool = True,
    ) -> Executor:
        """A new executor.

        Args:
            device: where the host part runs; `ingot.cpu(0)` by default.
            devices: for models with several targets: the devices of each other target by its key, one for each; or several for
                regions of a code generator that takes these, of which each executor prefers another one.
            threads: the most threads that one inference uses; by default what this process may use (affinity and cgroup quota).
            executor: "aot" or "graph"; by default the first one that the library was built for.
            maps: whether outputs that are maps (`ZipMap`) are lists of dicts, and inputs dicts; else the tensors behind them.
            keeps_state: whether it keeps the model's state; else state is an input and an output, as the model has it.

        Raises:
            DeviceError: a missing, surplus or wrong device; the message lists what the model needs.
            LoadError: the library was not built for that executor, or lacks its code; or `threads` is no number of threads.
        """

        def make() -> Executor:
            core = self._executor(device, devices or {}, threads, executor)
            if self.info.counts:
                core = late_counted.counted_executor(core, self.info)
            if self.info.border is None:
                return core
            whole: Executor = late_border.at_border(core, self.info, maps)
            return whole

        if not self.info.states or not keeps_state:
            return make()
        # A fork asks nobody again how many there are.
        threads = late_threads.available_threads() if threads is None else threads
        stateful: Executor = late_stateful.stateful_executor(self.info, make)
        return stateful

    def _executor(
        self,
        device: Device | None,
        given: Mapping[str, Sequence[Device]],
        threads: int | None,
        executor: str | None,
    ) -> Executor:
        """One of the compiled part."""
        info = self.info
        self._check_devices(device or cpu(0), given)
        kind, count = self._checked(threads, executor)
        if any(len(some) > 1 for some in given.values()):
            given = self._spread(given)
        if info.dims:
            shaped: Executor = late_shaped.shaped_executor(
                info,
                self._loaded.programs[info.name],
                lambda program, arena: self._program(program, kind, given, count, arena),
                self._loaded.function,
            )
            return shaped
        return self._program(info, kind, given, count)

    def _spread(self, given: Mapping[str, Sequence[Device]]) -> Mapping[str, Sequence[Device]]:
        """The devices with another one first for each executor."""
        turn, self._loaded.turns = self._loaded.turns, self._loaded.turns + 1
        starts = {key: turn % len(some) for key, some in given.items()}
        return {key: (*some[starts[key] :], *some[: starts[key]]) for key, some in given.items()}

    def _checked(self, threads: int | None, executor: str | None) -> tuple[str, int]:
        """The kind of executor and the number of threads that are asked for."""
        info = self.info
        kind = executor or info.executors[0]
        if kind not in info.executors:
            raise ingot.LoadError(
                f"model {info.name!r} has no executor {kind!r}{late_errors.nearest(kind, info.executors)}: "
                f"its library was built for {', '.join(info.executors)}; build it with executor={kind!r}",
                executor=kind,
                known=info.executors,
            )
        whole = isinstance(threads, (int, np.integer)) and not isinstance(threads, bool)
        if threads is not None and not (whole and 1 <= threads <= THREADS_MAX):
            raise ingot.LoadError(
                f"model {info.name!r}: threads must be a whole number from 1 to {THREADS_MAX}, got {threads!r}",
                threads=threads,
            )
        return kind, late_threads.available_threads() if threads is None else int(threads)

    def _program(
        self,
        info: ModelInfo,
        kind: str,
        given: Mapping[str, Sequence[Device]],
        count: int,
        arena: "Array | None" = None,
    ) -> Executor:
        """An executor of one program of the compiled part, with memory of its own for values, or with `arena`."""
        entry = info.call_name if kind == "graph" else info.run_name
        pool = self._loaded.pool(entry, count)
        weights, address = self._params()
        memory = (address, pool, (self._loaded, weights), arena)
        if kind != "aot" or len(info.targets) > 1:
            executor: Executor = late_make.other_executor(self._loaded, info, kind, given, count, memory)
            return executor
        call = self._loaded.function(info.call_name)
        run = self._loaded.function(info.run_name)
        if run is None:
            no_function(info, info.run_name)
        return AotExecutor(info, run, call, *memory)

    def _check_devices(self, device: Device, devices: Mapping[str, Sequence[Device]]) -> None:
        needs = {target.key: target.device_kind for target in self.info.targets}
        given: dict[str, tuple[object, ...]] = {"host": (device,)}
        if not isinstance(devices, Mapping):
            raise ingot.DeviceError(
                f"model {self.info.name!r}: devices are given by target key, as a dict, got {devices!r}",
                got=devices,
            )
        for key, some in devices.items():
            given[key] = (
                tuple(some)
                if isinstance(some, (list, tuple))
                else (f"{some!r} (a list of devices is expected)",)
            )
        calls = self.info.calls if len(needs) > 1 else ()
        several = {call.target_key for call in calls if call.region}
        good = given.keys() == needs.keys() and all(
            _are(some, needs[key], key in several) for key, some in given.items()
        )
        if not good or "host" in devices:
            needed = ", ".join(
                f"{key}: one {'or more ' if key in several else ''}{kind}" for key, kind in needs.items()
            )
            got = ", ".join(f"{key}: {' '.join(map(str, some)) or 'none'}" for key, some in given.items())
            raise ingot.DeviceError(
                f"model {self.info.name!r} needs the devices {needed}; got {got}", needed=needs, got=given
            )

    def _params(self) -> tuple[Array, int | None]:
        """The constants of the host, where they are if that place is aligned, else a copy; and their address."""
        host = self.info.host
        if not host.memory.params_bytes:
            return np.empty(0, np.uint8), None
        weights = self._loaded.aligned(
            find_params(self._loaded.artifacts, self.info), host.memory.alignment_bytes
        )
        return weights, address_of(weights)


def _factory_of(reopen: Callable[..., Library], place: tuple[str, bytes], name: str) -> ExecutorFactory:
    return reopen(*place)[name]


def _find_owner(module: "Module", name: str) -> "Module | None":
    """The module itself or the first of its imports, depth first, that has the function; None if no module has it."""
    if module.get_function(name) is not None:
        return module
    for imported in module.imported_modules:
        owner = _find_owner(imported, name)
        if owner is not None:
            return owner
    return None


def _are(devices: tuple[object, ...], kind: str, several: bool) -> bool:
    """Whether there is one device, or with `several` at least one, of that kind. There is only one CPU."""
    if not devices or (len(devices) > 1 and not several):
        return False
    return all(
        isinstance(device, Device) and device.kind == kind and (kind != "cpu" or device.index == 0)
        for device in devices
    )
