"""Executors of the entries of one model, which are steps of one stream. Imported with the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ingot.artifact.entries import entries_of
from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError, LoadError, nearest
from ingot.runtime.executors.base import Executor, by_name
from ingot.runtime.executors.stateful import StatefulExecutor
from ingot.runtime.inputs import no_state
from ingot.runtime.memory import Array


def entries(
    library: str, name: str | None, models: Mapping[str, ModelInfo], make: Callable[[str], Executor]
) -> Entries:
    """A new stream of a model that has several entries.

    Args:
        library: for messages.
        name: the model; None: the only one.
        models: those of the library.
        make: makes an executor of a model that keeps no state.

    Raises:
        LoadError: no such model, or several and none named.
        ArtifactError: its entries do not belong together.
    """
    known = dict.fromkeys(info.entry.of for info in models.values() if info.entry is not None)
    if name is None and len(known) == 1:
        (name,) = known
    if name not in known:
        problem = (
            f"no model {name!r} with entries{nearest(str(name), known)}"
            if name
            else "several models, or none"
        )
        raise LoadError(
            f"{library} has {problem}; models with entries: {', '.join(known) or 'none'}", known=tuple(known)
        )
    several = entries_of(models, name)
    return Entries(name, {entry: (info, partial(make, info.name)) for entry, info in several.items()})


class Entries(Mapping[str, Executor]):
    """The executors of a model's entries by name: `model["prefill"].predict(…)`. A run of any of them is a step of one stream."""

    def __init__(self, name: str, makers: Mapping[str, tuple[ModelInfo, Callable[[], Executor]]]) -> None:
        self.name, self._makers = name, makers
        stream = _Stream()
        keeping: dict[str, StatefulExecutor] = {
            entry: _Entry(make(), info, make, stream) for entry, (info, make) in makers.items() if info.states
        }
        self._keeping = next(iter(keeping.values()), None)
        self._executors: dict[str, Executor] = {}
        for entry, (info, make) in makers.items():
            executor: Executor = keeping[entry] if entry in keeping else make()
            known = {state.input for state in info.states}
            given = {output: state for output, state in _begins(info) if state not in known}
            if given and self._keeping is not None:
                executor = Beginning(executor, given, self._keeping)
            self._executors[entry] = executor
        self.reset()

    def __getitem__(self, entry: str) -> Executor:
        if entry not in self._executors:
            raise InputError(
                f"model {self.name!r} has no entry {entry!r}{nearest(str(entry), self._executors)} "
                f"(it has {', '.join(self._executors)})",
                name=entry,
                known=tuple(self._executors),
            )
        return self._executors[entry]

    def __iter__(self) -> Iterator[str]:
        return iter(self._executors)

    def __len__(self) -> int:
        return len(self._executors)

    def __repr__(self) -> str:
        return f"<ingot.Entries {self.name}: {', '.join(self._executors)}>"

    @property
    def beginning(self) -> tuple[str, ...]:
        """The entries that begin a stream: they do not read what its state was before."""
        return tuple(entry for entry, (info, _) in self._makers.items() if _begins(info))

    @property
    def states(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each state."""
        return () if self._keeping is None else self._keeping.states

    @property
    def capacity(self) -> int | None:
        """As of an executor: how many places the caches have."""
        return None if self._keeping is None else self._keeping.capacity

    def reset(self) -> None:
        """Begins anew: every state is zeros, and nothing of what grows is there.

        Raises:
            BusyError: an entry is at work, as of the next three.
        """
        if self._keeping is not None:
            self._keeping.reset()

    def state(self) -> dict[str, Array]:
        """A copy of each state by its input's name."""
        return {} if self._keeping is None else self._keeping.state()

    def set_state(self, states: Mapping[str, object] | None = None, /, **arrays: object) -> None:
        """Sets some or all states for the next step, as of an executor."""
        if self._keeping is None:
            raise no_state(next(iter(self._makers.values()))[0])
        self._keeping.set_state(states, **arrays)

    def fork(self) -> Entries:
        """Another stream that goes on from here."""
        other = Entries(self.name, self._makers)
        if self._keeping is not None and other._keeping is not None:
            other._keeping.take_state(self._keeping)
        return other


def _begins(info: ModelInfo) -> tuple[tuple[str, str], ...]:
    return () if info.entry is None else info.entry.begins


@dataclass(slots=True)
class _Stream:
    """What the executors of entries have in common: the state, and which of them is at work."""

    kept: dict[str, Array] = field(default_factory=dict)
    placed: dict[str, Array] = field(default_factory=dict)
    growing: Any = None
    at_work: object = None


class _Entry(StatefulExecutor):
    """State around the executor of one entry, in a stream that it shares with others."""

    def __init__(
        self, core: Executor, info: ModelInfo, make: Callable[[], Executor], stream: _Stream
    ) -> None:
        self._stream = stream
        super().__init__(core, info, make)
        if self._growing is not None:
            stream.growing = stream.growing or self._growing
            self._growing.share(stream.growing)

    @property
    def _kept(self) -> dict[str, Array]:
        return self._stream.kept

    @_kept.setter
    def _kept(self, kept: dict[str, Array]) -> None:
        self._stream.kept = kept

    @property
    def _at_work(self) -> object:
        return self._stream.at_work

    @_at_work.setter
    def _at_work(self, at_work: object) -> None:
        self._stream.at_work = at_work

    def _memory(self, name: str) -> Array:
        return self._stream.placed.setdefault(name, super()._memory(name))

    def fork(self) -> StatefulExecutor:
        """Refused: an entry alone is no stream."""
        raise InputError(f"{self} is an entry of a stream; fork the stream, which forks all its entries")


class Beginning(Executor):
    """An executor whose outputs begin a stream: they are state of another one, which goes on from there."""

    def __init__(self, core: Executor, begins: Mapping[str, str], keeping: StatefulExecutor) -> None:
        self.core, self.kind = core, core.kind
        self._begins, self._keeping = begins, keeping
        self._rows = [tensor.name for tensor in core.outputs]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What callers give."""
        return self.core.inputs

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What callers get: the outputs that are not state."""
        return tuple(tensor for tensor in self.core.outputs if tensor.name not in self._begins)

    @property
    def states(self) -> tuple[TensorInfo, ...]:
        """Those of the stream."""
        return self._keeping.states

    @property
    def capacity(self) -> int | None:
        """That of the stream."""
        return self._keeping.capacity

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} of {self.core}>"

    def reset(self) -> None:
        """As of the stream."""
        self._keeping.reset()

    def state(self) -> dict[str, Array]:
        """As of the stream."""
        return self._keeping.state()

    def set_state(self, states: Mapping[str, object] | None = None, /, **arrays: object) -> None:
        """As of the stream."""
        self._keeping.set_state(states, **arrays)

    def fork(self) -> Executor:
        """Refused: an entry alone is no stream."""
        raise InputError(f"{self} is an entry of a stream; fork the stream, which forks all its entries")

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """As of every executor."""
        self.core.set_input(inputs, copy=copy, **arrays)

    def run(self) -> None:
        """As of every executor: begins the stream."""
        self.core.run()
        self._keeping.set_state({state: self.core.get_output(name) for name, state in self._begins.items()})

    def get_output(self, index: int | str, out: object = None) -> Any:
        """As of every executor; positions count the outputs that are not state."""
        shown = [tensor.name for tensor in self.outputs]
        if index in self._begins:
            raise InputError(
                f"{self}: output {index!r} is state {self._begins[str(index)]!r}, which state() gives"
            )
        is_place = isinstance(index, int) and -len(shown) <= index < len(shown)
        return self.core.get_output(shown[int(index)] if is_place else index, out)

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """As of every executor: begins the stream."""
        if out is not None:
            raise InputError(
                f"{self} gives no outputs into arrays of the caller: its states may have any size"
            )
        results = self.core.predict(by_name(inputs, arrays))
        by_row = dict(zip(self._rows, results if isinstance(results, tuple) else (results,), strict=True))
        self._keeping.set_state({state: by_row[name] for name, state in self._begins.items()})
        shown = tuple(array for name, array in by_row.items() if name not in self._begins)
        return shown[0] if len(shown) == 1 else shown

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> Any:
        """As of every executor; the stream stays as it is."""
        return self.core.profile(by_name(inputs, arrays), repeat=repeat)
