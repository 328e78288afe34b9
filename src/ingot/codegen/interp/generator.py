"""The code generator `interp`: kernels as text, run by the interpreter that defines what they mean.

Slow, and the same journey as any other: artifacts of the loader "interp", a `Loader` that reads them, and a module with the same
two functions as a native library. It needs no compiler to run, and shows whether a wrong result comes from a kernel or from
a code generator.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.artifact.artifact import Artifact
from ingot.artifact.json_read import read_json
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.module import BAD_CALL, Function, LoadContext, Loader, Module
from ingot.base.errors import ArtifactError, InternalError, TargetError
from ingot.base.sections import in_order, sections
from ingot.base.target import Target
from ingot.codegen.c.names import Names
from ingot.codegen.c.source import argument, moves_of
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.loops.interpret import Interpreter
from ingot.loops.nodes import Kernel
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.verify import verify
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit

ID = "interp"
VERSION = 1
"""Of the list of calls; a loader refuses any other."""
_ARENA = 1  # the number of its base pointer


# ─── making ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _resolve(target: Target) -> Target:
    if target.cpu or target.features or target.triple or target.options:
        raise TargetError(
            f"target {str(target)!r}: the code generator {ID} has no flags and no options; write only {ID!r}",
            target=str(target),
        )
    return target


def _machine(_target: Target) -> Machine:
    return Machine()


def _generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
    names = Names(frozenset())
    kernels = unit.program.kernels
    files = {id(kernel): f"{unit.symbol}/{names.new(kernel.name)[:200]}.loops" for kernel in kernels}
    artifacts = []
    for number, kernel in enumerate(kernels):
        artifacts.append(Artifact(ID, ID, files[id(kernel)], to_text(kernel).encode(), target.key))
        context.observer.progress(ID, number + 1, len(kernels))
    calls = []
    for call in unit.program.kernel_calls:
        args = []
        for name, param in zip(call.args, call.kernel.params, strict=True):
            base, offset = argument(unit, name)
            moves = [{"number": at, "step_bytes": step} for at, step in moves_of(unit, name)]
            args.append(
                {
                    "base": base,
                    "offset_bytes": offset,
                    "dtype": param.dtype.value,
                    "size": param.span,
                    **({"moves": moves} if moves else {}),
                }
            )
        calls.append({"kernel": files[id(call.kernel)], "nodes": list(call.nodes), "args": args})
    listing = {
        "version": VERSION,
        "symbol": unit.symbol,
        "bases": 3 + len(unit.program.inputs) + len(unit.program.outputs),
        "calls": calls,
        **({"controls": _controls(unit)} if unit.program.controls else {}),
    }
    text = json.dumps(listing, indent=1, sort_keys=True) + "\n"
    context.observer.dump(f"{unit.symbol}.calls.json", lambda: text)
    artifacts.append(Artifact(ID, ID, f"{unit.symbol}.calls.json", text.encode(), target.key))
    return Generated(tuple(artifacts))


def _controls(unit: CompileUnit) -> list[dict[str, int | bool]]:
    return [
        {
            "first": control.first,
            "middle": control.middle,
            "end": control.end,
            "flag": argument(unit, control.flag)[1],
            "repeats": control.repeats,
        }
        for control in unit.program.controls
    ]


CODEGEN = Codegen(
    ID, "kernels as text for the interpreter: slow and exact", _resolve, _machine, _generate, control=True
)


# ─── loading ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Argument:
    base: int
    offset_bytes: int
    dtype: np.dtype[Any]
    size: int
    end: int = 0  # of the memory behind the base pointer, in bytes
    moves: tuple[tuple[int, int], ...] = ()  # where a number lies in the arena, and how many bytes it counts

    def array(self, bases: Sequence[int | None]) -> np.ndarray:
        """The memory of the argument, as a view."""
        address, arena = bases[self.base], bases[_ARENA]
        size_bytes = self.size * self.dtype.itemsize
        if not self.size or address is None:
            return np.empty(0, self.dtype)
        begin = self.offset_bytes
        for number, step in self.moves:
            begin += step * ctypes.c_int64.from_address((arena or 0) + number).value
        if begin < 0 or (self.moves and begin + size_bytes > self.end):
            raise InternalError(f"a value that moves lies at byte {begin} of {self.end}")
        memory = (ctypes.c_uint8 * size_bytes).from_address(address + begin)
        return np.frombuffer(memoryview(memory), self.dtype)


@dataclass(frozen=True, slots=True)
class _Base:
    """Memory that a base pointer points to."""

    size_bytes: int
    is_written: bool


@dataclass(frozen=True, slots=True)
class _Control:
    first: int
    middle: int
    end: int
    flag: int
    repeats: bool


@dataclass(frozen=True, slots=True)
class _Call:
    kernel: str
    args: tuple[_Argument, ...]


@dataclass(frozen=True, slots=True)
class _Listing:
    symbol: str
    bases: int
    calls: tuple[_Call, ...]
    controls: tuple[_Control, ...] = ()


class InterpModule:
    """Models that the interpreter runs. A kernel is translated to Python when it is first called."""

    type_key = ID

    def __init__(self, listings: Sequence[_Listing], kernels: Mapping[str, Kernel]) -> None:
        self._kernels = dict(kernels)
        self._ready: dict[str, Interpreter] = {}
        self._functions: dict[str, Function] = {}
        for listing in listings:
            self._functions[f"ingot_{listing.symbol}_run"] = self._run(listing)
            self._functions[f"ingot_{listing.symbol}_call"] = self._call(listing)

    @property
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
        return self._functions.get(name)

    def close(self) -> None:
        self._functions.clear()
        self._kernels.clear()
        self._ready.clear()

    def _run(self, listing: _Listing) -> Function:
        parts = sections(listing.controls, len(listing.calls))

        def run(bases: Sequence[int | None]) -> int:
            arena = bases[_ARENA] or 0

            def is_set(number: int) -> bool:
                return bool(ctypes.c_uint8.from_address(arena + listing.controls[number].flag).value)

            numbers = in_order(listing.controls, parts, is_set)
            return next(filter(None, (self._do(listing.calls[number], bases) for number in numbers)), 0)

        return run

    def _call(self, listing: _Listing) -> Function:
        def call(number: int, bases: Sequence[int | None]) -> int:
            if not 0 <= number < len(listing.calls):
                return BAD_CALL
            return self._do(listing.calls[number], bases)

        return call

    def _do(self, call: _Call, bases: Sequence[int | None]) -> int:
        """Makes a call; gives its status."""
        ready = self._ready.get(call.kernel)
        if ready is None:
            # Two threads may both make it, which is only work done twice.
            ready = self._ready[call.kernel] = Interpreter(self._kernels[call.kernel])
        arrays = [arg.array(bases) for arg in call.args]
        ready.run(arrays)
        return int(arrays[len(ready.kernel.inputs)][0]) if ready.kernel.checks else 0


def _load(artifacts: tuple[Artifact, ...], context: LoadContext) -> InterpModule:
    kernels: dict[str, Kernel] = {}
    texts: list[Artifact] = []
    for artifact in artifacts:
        if artifact.file_name.endswith(".loops"):
            kernels[artifact.file_name] = _kernel(artifact)
        elif artifact.file_name.endswith(".calls.json"):
            texts.append(artifact)
        else:
            raise ArtifactError(
                f"artifact {artifact.file_name!r} of the loader {ID}: expected a file .loops or .calls.json",
                file=artifact.file_name,
            )
    return InterpModule([_listing(artifact, kernels, context) for artifact in texts], kernels)


def _kernel(artifact: Artifact) -> Kernel:
    try:
        kernel = from_text(bytes(artifact.content).decode())
        verify(kernel)
    except (UnicodeDecodeError, ArtifactError, InternalError) as error:
        raise ArtifactError(
            f"artifact {artifact.file_name!r} holds no kernel: {error}", file=artifact.file_name
        ) from error
    return kernel


def _listing(artifact: Artifact, kernels: Mapping[str, Kernel], context: LoadContext) -> _Listing:
    """Reads a list of calls and compares it with the kernels and the model that it names: no argument lies outside of memory."""
    try:
        read = read_json(artifact.content, "utf-8")
        if read["version"] != VERSION:
            raise ValueError(f"version {read['version']!r}, expected {VERSION}")
        symbol = str(read["symbol"])
        info = next((model for model in context.models if _symbol(model, context.target_key) == symbol), None)
        if info is None:
            raise ValueError(f"it is for the model {symbol!r}, which the set has not")
        bases = _bases(info)
        if _whole(read["bases"]) != len(bases):
            raise ValueError(f"{read['bases']} base pointers, expected {len(bases)}")
        calls = tuple(_read_call(call, bases, kernels) for call in read["calls"])
        arena_bytes, last = bases[_ARENA].size_bytes, len(calls)
        controls = tuple(_read_control(item, arena_bytes, last) for item in read.get("controls", ()))
        return _Listing(symbol, len(bases), calls, controls)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArtifactError(
            f"artifact {artifact.file_name!r} holds no list of calls: {type(error).__name__}: {error}",
            file=artifact.file_name,
        ) from error


def _symbol(info: ModelInfo, target_key: str) -> str:
    return info.symbol if target_key == info.host.key else f"{info.symbol}_{target_key}"


def _bases(info: ModelInfo) -> tuple[_Base, ...]:
    """The memory behind each base pointer of a model: constants, arena, a pool that the interpreter has no use for, the ends."""
    memory = info.host.memory
    return (
        _Base(memory.params_bytes, False),
        _Base(memory.arena_bytes, True),
        _Base(0, False),
        *(_Base(value.size_bytes, False) for value in info.inputs),
        *(_Base(value.size_bytes, True) for value in info.outputs),
    )


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"got {value!r}, expected a whole number that is not negative")
    return value


def _read_control(read: Mapping[str, Any], arena_bytes: int, calls: int) -> _Control:
    first, middle, end, flag = (_whole(read[field]) for field in ("first", "middle", "end", "flag"))
    if not first <= middle <= end <= calls or flag >= arena_bytes:
        raise ValueError(f"a loop or branch is outside of the {calls} calls or of the arena: {read!r:.200}")
    return _Control(first, middle, end, flag, bool(read["repeats"]))


def _read_moves(arg: Mapping[str, Any], arena_bytes: int) -> tuple[tuple[int, int], ...]:
    moves = []
    for move in arg.get("moves", ()):
        number, step = _whole(move["number"]), move["step_bytes"]
        if number + 8 > arena_bytes or number % 8 or not isinstance(step, int):
            raise ValueError(f"a value moves with a number outside of the arena: {arg!r:.200}")
        moves.append((number, step))
    return tuple(moves)


def _read_call(read: Mapping[str, Any], bases: Sequence[_Base], kernels: Mapping[str, Kernel]) -> _Call:
    name = str(read["kernel"])
    if name not in kernels:
        raise ValueError(f"a call names the kernel {name!r}, which is in no file")
    args = []
    for arg, param in zip(read["args"], kernels[name].params, strict=True):
        base, size, offset = _whole(arg["base"]), _whole(arg["size"]), _whole(arg["offset_bytes"])
        if base >= len(bases) or size != param.span or arg["dtype"] != param.dtype.value:
            raise ValueError(
                f"an argument of {name!r} does not fit the parameter {param.name!r}: {arg!r:.200}"
            )
        end = offset + size * param.dtype.numpy.itemsize
        if size and (end > bases[base].size_bytes or offset % param.dtype.numpy.itemsize):
            size_bytes = bases[base].size_bytes
            raise ValueError(
                f"the parameter {param.name!r} of {name!r} ends at byte {end} of {size_bytes}: {arg!r:.200}"
            )
        if size and not bases[base].is_written and param not in kernels[name].inputs:
            raise ValueError(
                f"{name!r} would write {param.name!r} where nothing may be written: {arg!r:.200}"
            )
        moves = _read_moves(arg, bases[_ARENA].size_bytes)
        args.append(_Argument(base, offset, param.dtype.numpy, size, bases[base].size_bytes, moves))
    return _Call(name, tuple(args))


LOADER = Loader(ID, "cpu", _load)
