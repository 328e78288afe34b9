"""A process that runs single kernels to see how long they take: what `llvm` has measured for `tune`.

It reads requests, one JSON document a line, from standard input and answers on standard output, also by lines. A request names
candidates, each an object with one kernel. The answers are `{"begun": n}` before candidate n is run for the first time, and with
their number when all have been run, so that whoever waits knows which one brought the process down; and at the end
`{"times_ns": [...]}`, the shortest time of each.

Inputs and outputs are the same memory for all candidates, as warm as in a model, where the kernel before has just written them.
Constants are read from another place each time, so that they come from as far away as in a model of that size.
"""

from __future__ import annotations

import base64
import ctypes
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from ingot.artifact.module import Function
from ingot.codegen.llvm.build.engine import Engine, library_addresses, pool_engine, start_assembler
from ingot.codegen.llvm.build.objects import Processor, target_machine
from ingot.codegen.llvm.parallel.pool import POOL_FOR, POOL_THREADS
from ingot.machines.machine import LINE_BYTES

COLD_BYTES_MAX = 64 << 20  # more than the caches hold that one core has for itself
_ALIGNMENT = LINE_BYTES
_BATCH_NS = 100_000  # calls that are timed together take about so long
_ROUNDS_MIN, _ROUNDS_MAX = 5, 40
_ENTRY = "ingot_trial"
_BYTES = frozenset({"int8", "uint8", "int16", "uint16"})


@dataclass(frozen=True, slots=True)
class _Param:
    """A parameter: `role` is "in0", "const", "out0", "work0" …; `kind` its element type."""

    role: str
    kind: str
    size_bytes: int

    @property
    def is_constant(self) -> bool:
        return self.role == "const"


class _Memory:
    """The memory that candidates are run on. Values are such that nothing is out of bounds and nothing is slow to compute with:
    normal numbers, any bytes, and zeros for what may be an index.
    """

    def __init__(self, candidates: Sequence[Sequence[_Param]], cold_bytes: int) -> None:
        self._random = np.random.default_rng(5)
        self._slots: dict[tuple[str, str], np.ndarray] = {}
        for param in itertools.chain(*candidates):
            if not param.is_constant:
                slot = (param.role, param.kind)
                if slot not in self._slots or self._slots[slot].nbytes < param.size_bytes:
                    self._slots[slot] = self._filled(param.kind, param.size_bytes)
        largest = max((self._rotating_bytes(params) for params in candidates), default=0)
        self._cold_bytes = max(largest, min(cold_bytes, COLD_BYTES_MAX))
        self._pools = {
            kind: self._filled(kind, self._cold_bytes)
            for kind in sorted({param.kind for params in candidates for param in params if param.is_constant})
        }

    @staticmethod
    def _rotating_bytes(params: Sequence[_Param]) -> int:
        return sum(_aligned(param.size_bytes) for param in params if param.is_constant)

    def addresses(self, params: Sequence[_Param]) -> Iterator[list[int]]:
        """The addresses of the parameters for one call after the other, for ever."""
        step = self._rotating_bytes(params)
        count = self._cold_bytes // step if step else 1
        for number in itertools.cycle(range(count)):
            offset, places = number * step, []
            for param in params:
                if param.is_constant:
                    places.append(self._pools[param.kind].ctypes.data + offset)
                    offset += _aligned(param.size_bytes)
                else:
                    places.append(self._slots[param.role, param.kind].ctypes.data)
            yield places

    def _filled(self, kind: str, size_bytes: int) -> np.ndarray:
        room = np.empty(size_bytes + _ALIGNMENT, np.uint8)
        start = -room.ctypes.data % _ALIGNMENT
        array = room[start : start + size_bytes]
        pattern: np.ndarray | None = None
        if kind in ("float16", "float32", "float64"):
            pattern = self._random.standard_normal(4096).astype(kind)
        elif kind == "bfloat16":
            pattern = (self._random.standard_normal(4096).astype(np.float32).view(np.uint32) >> 16).astype(
                np.uint16
            )
        elif kind in _BYTES:
            pattern = self._random.integers(0, 256, 8192).astype(np.uint8)
        # Zeros are written, too: pages that nobody has written to are all the same one, which is always warm.
        array[...] = 0 if pattern is None else np.resize(pattern.view(np.uint8), size_bytes)
        return array


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // _ALIGNMENT) * _ALIGNMENT


class _Candidate:
    """A kernel that can be called: through an entry that takes its arguments as an array."""

    def __init__(self, data: Mapping[str, Any], params: Sequence[_Param], pool_for: int) -> None:
        symbol = str(data["symbol"])
        count = len(params)
        loads = "".join(
            f" %a{n} = getelementptr ptr, ptr %args, i64 {n}\n %p{n} = load ptr, ptr %a{n}\n"
            for n in range(count)
        )
        types, values = (
            ", ".join(["ptr"] * (count + 1)),
            ", ".join([*(f"ptr %p{n}" for n in range(count)), "ptr null"]),
        )
        text = (
            f"declare hidden i32 @{symbol}({types})\ndefine i32 @{_ENTRY}(ptr %args) {{\n{loads}"
            f" %status = call i32 @{symbol}({values})\n ret i32 %status\n}}\n"
            f"define hidden i32 @{POOL_THREADS}(ptr %pool) {{\n ret i32 1\n}}\n"
        )
        triple = llvm.get_default_triple()
        machine = target_machine(Processor(triple, "", ""))
        module = llvm.parse_assembly(
            f'target datalayout = "{machine.target_data}"\ntarget triple = "{triple}"\n{text}'
        )
        objects = [base64.b64decode(data["object"]), machine.emit_object(module)]
        self._engine = Engine(objects, {**library_addresses(), POOL_FOR: pool_for}, (_ENTRY,), _ENTRY)
        call = self._engine.function(_ENTRY)
        assert call is not None
        self._call: Function = call

    def prepare(self, memory: _Memory, params: Sequence[_Param]) -> None:
        """Gives it arguments, and looks how often it has to be called to take long enough to be timed."""
        arrays: list[np.ndarray] = []
        for addresses in itertools.islice(memory.addresses(params), 256):
            arrays.append(np.array(addresses, np.uint64))
        self._arguments = arrays
        self._rotating = itertools.cycle([ctypes.c_void_p(array.ctypes.data) for array in arrays])
        self._batch = 1
        once = min(self.time() for _ in range(2))
        self._batch = max(1, min(1000, round(_BATCH_NS / max(once, 1))))

    def time(self) -> float:
        """Nanoseconds of one call, as the mean of a batch."""
        call, rotating = self._call, self._rotating
        begin = time.perf_counter_ns()
        for _ in range(self._batch):
            call(next(rotating))
        return (time.perf_counter_ns() - begin) / self._batch


def measured(
    request: Mapping[str, Any], pool_for: int, tell: Callable[[Mapping[str, Any]], None]
) -> list[int]:
    """The shortest time of each candidate, in nanoseconds; all take turns until the time is up."""
    params = [
        [_Param(str(role), str(kind), int(size)) for role, kind, size in candidate["params"]]
        for candidate in request["candidates"]
    ]
    memory = _Memory(params, int(request["cold_bytes"]))
    candidates = []
    for number, (candidate, own) in enumerate(zip(request["candidates"], params, strict=True)):
        tell({"begun": number})
        candidates.append(_Candidate(candidate, own, pool_for))
        candidates[-1].prepare(memory, own)
    tell({"begun": len(candidates)})
    best = [float("inf")] * len(candidates)
    end = time.perf_counter() + float(request["seconds"])
    for turn in range(_ROUNDS_MAX):
        if turn >= _ROUNDS_MIN and time.perf_counter() > end:
            break
        # There and back, so that none always comes after the same other.
        order = range(len(candidates)) if turn % 2 == 0 else range(len(candidates) - 1, -1, -1)
        for number in order:
            best[number] = min(best[number], candidates[number].time())
    return [round(value) for value in best]


def main() -> None:
    """Answers requests until there are no more."""

    def tell(answer: Mapping[str, Any]) -> None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()

    start_assembler()
    pool = pool_engine()
    for line in sys.stdin:
        tell({"times_ns": measured(json.loads(line), pool.address(POOL_FOR), tell)})


if __name__ == "__main__":
    main()
