"""Runs PTX without a GPU: what every instruction that LLVM writes does, for all threads of some blocks at once, in NumPy.

Threads go their own ways from branch to branch; those that are at the earliest place go on first. A barrier holds the threads of
a block until all are there. Between two barriers no thread may touch what another one wrote to shared memory, or write what
another one read: that is an error here, where on a GPU it would be a wrong result now and then. So are addresses that are outside
of memory, or not aligned as the instruction wants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BASE = 0x7F0000000000  # of the device's memory
_SHARED, _LOCAL = 0x1000000, 0x2000000  # where these spaces lie among all addresses
_THREADS_AT_ONCE = 1 << 16

_NUMPY: dict[str, Any] = {f"{kind}{bits}": np.dtype(f"{kind.replace('s', 'i').replace('b', 'u')}{bits // 8}")
                          for kind in "bus" for bits in (8, 16, 32, 64)}  # fmt: skip
_NUMPY |= {"f16": np.dtype("f2"), "f32": np.dtype("f4"), "f64": np.dtype("f8"), "pred": np.dtype("?")}


class PtxError(Exception):
    """PTX that does what it must not, or an instruction that this machine has not."""


class BadAddressError(PtxError):
    """An access outside of memory, or not aligned."""


class RaceError(PtxError):
    """Threads of a block that use one place of shared memory with no barrier between."""


@dataclass
class Instruction:
    guard: str
    negated: bool
    op: tuple[str, ...]
    args: list[str]
    text: str


@dataclass
class Function:
    """An entry or a function: its parameters with their sizes, registers, and basic blocks, each ended by what may branch."""

    name: str
    params: list[str]
    results: list[str]
    threads: tuple[int, int, int] | None
    registers: dict[str, Any] = field(default_factory=dict)
    shared: dict[str, int] = field(default_factory=dict)
    shared_bytes: int = 0
    local_bytes: int = 0
    blocks: list[list[Instruction]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


class Memory:
    """The memory of a device: only bytes that were allocated may be touched."""

    def __init__(self, size_bytes: int = 1 << 20) -> None:
        self.bytes = np.zeros(size_bytes, np.uint8)
        self.allocated = np.zeros(size_bytes, bool)
        self._next = 256
        self._sizes: dict[int, int] = {}

    def allocate(self, size_bytes: int) -> int:
        begin, self._next = self._next, self._next + -(-size_bytes // 256) * 256 + 256
        if self._next > self.bytes.size:
            more = max(self._next, 2 * self.bytes.size) - self.bytes.size
            self.bytes = np.concatenate([self.bytes, np.zeros(more, np.uint8)])
            self.allocated = np.concatenate([self.allocated, np.zeros(more, bool)])
        self.allocated[begin : begin + size_bytes] = True
        self.bytes[begin : begin + size_bytes] = 0xA5  # not zeros: nobody may count on them
        self._sizes[BASE + begin] = size_bytes
        return BASE + begin

    def free(self, address: int) -> None:
        begin = address - BASE
        self.allocated[begin : begin + self._sizes.pop(address)] = False

    def view(self, address: int, size_bytes: int) -> np.ndarray:
        begin = address - BASE
        if (
            begin < 0
            or begin + size_bytes > self.bytes.size
            or not self.allocated[begin : begin + size_bytes].all()
        ):
            raise BadAddressError(f"{size_bytes} bytes at {address:#x} are not all allocated")
        return self.bytes[begin : begin + size_bytes]

    def ranges(self) -> list[tuple[int, int]]:
        """Address and size of everything that is allocated."""
        return list(self._sizes.items())

    @property
    def in_use(self) -> int:
        return sum(self._sizes.values())


class Module:
    """The entries and functions of a PTX text."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        text = re.sub(r"//.*", "", text)
        found = re.search(r"\.version (\d+)\.(\d+)\s+\.target (sm_\d+)\s+\.address_size 64", text)
        if found is None:
            raise PtxError("no .version, .target and .address_size")
        self.version, self.target = (int(found[1]), int(found[2])), found[3]
        self.functions: dict[str, Function] = {}
        self.entries: list[str] = []
        self.globals: dict[str, bytes] = {}
        for kind, array, size, values in re.findall(
            r"^\.(?:global|const) \.align \d+ \.(b\d+) (\S+)\[(\d+)\](?: = \{(.*?)\})?;",
            text,
            re.MULTILINE | re.DOTALL,
        ):
            numbers = [int(one, 0) for one in values.split(",") if one.strip()] + [0] * int(size)
            self.globals[array] = np.array(numbers[: int(size)]).astype(_NUMPY[kind]).tobytes()
        self._shared = re.findall(r"^\.shared \.align (\d+) \.b8 (\S+)\[(\d+)\];", text, re.MULTILINE)
        pattern = re.compile(
            r"^(\.visible )?\.(entry|func)\s+(\([^)]*\)\s*)?([\w$]+)\s*\(([^)]*)\)([^{};]*)(\{|;)",
            re.MULTILINE,
        )
        position = 0
        while (head := pattern.search(text, position)) is not None:
            position = head.end()
            if head[7] == ";":
                continue
            end = text.index("\n}", position)
            threads = re.search(r"\.reqntid (\d+), (\d+), (\d+)", head[6])
            made = Function(
                head[4],
                re.findall(r"([\w$]+)(?=,|\s*$)", head[5]),
                re.findall(r"([\w$]+)(?=,|\s*\)?\s*$)", head[3].strip("() \n\t")) if head[3] else [],
                (int(threads[1]), int(threads[2]), int(threads[3])) if threads else None,
            )
            self._read(made, text[position:end])
            self.functions[made.name] = made
            if head[2] == "entry":
                self.entries.append(made.name)
            position = end

    def _read(self, made: Function, body: str) -> None:
        for align, name, size in self._shared:
            self._place(made, name, int(align), int(size))
        made.blocks.append([])
        for statement in re.split(r";|(?<=:)\s*\n|[{}](?=\s*\n)", body):
            line = " ".join(statement.split())
            if not line:
                continue
            if register := re.fullmatch(r"\.reg \.(\w+) (%\w+)<(\d+)>", line):
                for number in range(int(register[3])):
                    made.registers[f"{register[2]}{number}"] = _bits(register[1])
            elif register := re.fullmatch(r"\.reg \.(\w+) (%\w+)", line):
                made.registers[register[2]] = _bits(register[1])
            elif variable := re.fullmatch(r"\.shared \.align (\d+) \.b8 (\S+)\[(\d+)\]", line):
                self._place(made, variable[2], int(variable[1]), int(variable[3]))
            elif variable := re.fullmatch(r"\.local \.align (\d+) \.b8 (\S+)\[(\d+)\]", line):
                made.shared[variable[2]] = _LOCAL
                made.local_bytes = -(-int(variable[3]) // 16) * 16
            elif line.startswith((".param", ".loc", ".pragma")):
                continue
            elif label := re.fullmatch(r"([$\w]+):", line):
                if made.blocks[-1]:
                    made.blocks.append([])
                made.labels[label[1]] = len(made.blocks) - 1
            else:
                one = _instruction(line)
                made.blocks[-1].append(one)
                if one.op[0] in ("bra", "ret", "bar", "exit"):
                    made.blocks.append([])
        made.blocks.append([Instruction("", False, ("ret",), [], "ret")])

    def _place(self, made: Function, name: str, align: int, size: int) -> None:
        begin = -(-made.shared_bytes // align) * align
        made.shared[name] = _SHARED + begin
        made.shared_bytes = begin + size


def _bits(kind: str) -> Any:
    """What a register of a type holds: bits, whatever the type."""
    dtype = _NUMPY[kind]
    return dtype if dtype == np.bool_ else np.dtype(f"u{dtype.itemsize}")


def _instruction(line: str) -> Instruction:
    guard, negated = "", False
    if found := re.match(r"@(!?)(%\w+) ", line):
        guard, negated, line = found[2], bool(found[1]), line[found.end() :]
    op, _, rest = line.partition(" ")
    args = [part.strip() for part in re.findall(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s][^,]*", rest)]
    return Instruction(guard, negated, tuple(op.split(".")), args, line)


# ─── running ───────────────────────────────────────────────────────────────────────────────────────────────────────


def launch(
    module: Module,
    name: str,
    grid: Sequence[int],
    block: Sequence[int],
    params: Sequence[int],
    memory: Memory,
) -> None:
    """Runs all threads of an entry."""
    entry = module.functions[name]
    if entry.threads is not None and tuple(block) != entry.threads:
        raise PtxError(f"{name} wants {entry.threads} threads, got {tuple(block)}")
    if len(params) != len(entry.params):
        raise PtxError(f"{name} has {len(entry.params)} parameters, got {len(params)}")
    threads = int(np.prod(block))
    blocks = int(np.prod(grid))
    at_once = max(1, _THREADS_AT_ONCE // threads)
    for first in range(0, blocks, at_once):
        count = min(at_once, blocks - first)
        block_of = np.repeat(np.arange(count), threads)
        thread = np.tile(np.arange(threads), count)
        whole = block_of + first
        special = {}
        for axis, letter in enumerate("xyz"):
            special[f"%tid.{letter}"] = thread // int(np.prod(block[:axis])) % block[axis]
            special[f"%ctaid.{letter}"] = whole // int(np.prod(grid[:axis])) % grid[axis]
            special[f"%ntid.{letter}"] = np.full(count * threads, block[axis])
            special[f"%nctaid.{letter}"] = np.full(count * threads, grid[axis])
        group = _Group(
            module,
            memory,
            {key: one.astype(np.uint32) for key, one in special.items()},
            block_of,
            thread,
            count,
        )
        group.shared = np.full(count * max(16, -(-entry.shared_bytes // 16) * 16), 0xA5, np.uint8)
        group.written = np.full(group.shared.size, -1, np.int32)
        group.read = np.full(group.shared.size, -1, np.int32)
        values = {
            param: np.full(count * threads, value, np.uint64)
            for param, value in zip(entry.params, params, strict=True)
        }
        with np.errstate(all="ignore"):
            _Frame(group, entry, values, np.arange(count * threads)).run()


@dataclass
class _Group:
    """The blocks that run together."""

    module: Module
    memory: Memory
    special: dict[str, np.ndarray]
    block_of: np.ndarray
    thread: np.ndarray
    count: int
    shared: np.ndarray = field(init=False)
    written: np.ndarray = field(init=False)
    read: np.ndarray = field(init=False)


class _Frame:
    """One call of a function by some threads (their numbers in the group)."""

    def __init__(
        self, group: _Group, function: Function, params: dict[str, np.ndarray], threads: np.ndarray
    ) -> None:
        self.group, self.function, self.params, self.threads = group, function, params, threads
        self.registers = {name: np.zeros(threads.size, kind) for name, kind in function.registers.items()}
        self.local = np.full(max(1, threads.size * function.local_bytes), 0xA5, np.uint8)
        self.passed: dict[str, np.ndarray] = {}  # arguments and results of the call that is being made

    def run(self) -> None:
        blocks, size = self.function.blocks, self.threads.size
        place = np.zeros(size, np.int64)  # -1: through
        waits = np.zeros(size, bool)
        while True:
            able = (place >= 0) & ~waits
            if not able.any():
                if not waits.any():
                    return
                self._release(place, waits)
                continue
            at = int(place[able].min())
            here = np.flatnonzero(able & (place == at))
            self.here = slice(None) if here.size == size else here
            for one in blocks[at]:
                if one.op[0] in ("bra", "ret", "exit", "bar"):
                    break
                self._do(one)
            else:
                place[here] = at + 1
                continue
            taken = here if not one.guard else here[self._guard(one)]
            if one.op[0] == "bar":
                if one.op != ("bar", "sync") or one.args != ["0"] or one.guard:
                    raise PtxError(f"a barrier of another kind: {one.text}")
                place[here] = at + 1
                waits[here] = True
                continue
            place[here] = at + 1
            place[taken] = self.function.labels[one.args[0]] if one.op[0] == "bra" else -1

    def _release(self, place: np.ndarray, waits: np.ndarray) -> None:
        """All threads of a block that are not through must be at one barrier."""
        inside = self.group.block_of[self.threads]
        for number in np.unique(inside[waits]):
            mine = inside == number
            if (place[mine] < 0).any() or np.unique(place[mine]).size > 1:
                raise PtxError("a barrier that not all threads of a block come to")
        waits[:] = False
        per_block = self.group.shared.size // self.group.count
        for number in np.unique(inside):
            self.group.written[number * per_block : (number + 1) * per_block] = -1
            self.group.read[number * per_block : (number + 1) * per_block] = -1

    def _guard(self, one: Instruction) -> np.ndarray:
        value = self.registers[one.guard][self.here]
        return ~value if one.negated else value

    def _do(self, one: Instruction) -> None:
        if one.guard:
            outer = self.here
            every = np.arange(self.threads.size)[outer]
            self.here = every[self._guard(one)]
            if self.here.size:
                _OPERATIONS[one.op[0]](self, one)
            self.here = outer
            return
        operation = _OPERATIONS.get(one.op[0])
        if operation is None:
            raise PtxError(f"this machine does not know {one.text!r}")
        operation(self, one)

    # ─── operands ─────────────────────────────────────────────────────────────────────────────────────────────────

    def count(self) -> int:
        return self.threads.size if isinstance(self.here, slice) else self.here.size

    def get(self, text: str, kind: str) -> np.ndarray:
        """An operand as a type: of a register its low bits."""
        dtype = _NUMPY[kind]
        if text.startswith("%"):
            register = self.registers.get(text)
            if register is None:
                if text not in self.group.special:
                    raise PtxError(f"no register {text}")
                register = self.group.special[text][self.threads]
            raw = register[self.here]
            if dtype == np.bool_:
                return raw
            if raw.dtype.itemsize < dtype.itemsize:
                raise PtxError(f"{text} is narrower than .{kind}")
            return raw.astype(f"u{dtype.itemsize}").view(dtype)
        if found := re.fullmatch(r"0([fd])([0-9A-Fa-f]+)", text):
            bits = np.array([int(found[2], 16)], np.uint32 if found[1] == "f" else np.uint64)
            value = bits.view(np.float32 if found[1] == "f" else np.float64)
            value = bits.view(dtype) if dtype.itemsize == bits.itemsize else value.astype(dtype)
        elif re.fullmatch(r"-?(0x[0-9A-Fa-f]+|\d+)U?", text):
            value = np.array([int(text.rstrip("U"), 0) & (1 << 8 * max(dtype.itemsize, 1)) - 1], np.uint64)
            value = (
                value.astype(bool) if dtype == np.bool_ else value.astype(f"u{dtype.itemsize}").view(dtype)
            )
        elif text in self.function.shared:
            value = np.array([self.function.shared[text]], np.uint64)
        elif text in self.group.module.globals:
            value = np.array([self._global(text)], np.uint64)
        else:
            raise PtxError(f"no operand {text!r}")
        return np.repeat(value, self.count())

    def _global(self, name: str) -> int:
        content = self.group.module.globals[name]
        known = self.group.memory.__dict__.setdefault("constants", {})
        if content not in known:
            known[content] = self.group.memory.allocate(len(content))
            self.group.memory.view(known[content], len(content))[:] = np.frombuffer(content, np.uint8)
        return int(known[content])

    def put(self, text: str, value: np.ndarray) -> None:
        """Writes a register: a narrower integer extends by its sign."""
        register = self.registers[text]
        if register.dtype == np.bool_:
            register[self.here] = value
            return
        if value.dtype.kind == "f":
            if value.dtype.itemsize != register.dtype.itemsize:
                raise PtxError(f"{text} gets a {value.dtype}")
            value = value.view(register.dtype)
        register[self.here] = value.astype(register.dtype)

    # ─── memory ───────────────────────────────────────────────────────────────────────────────────────────────────

    def address(self, text: str) -> np.ndarray:
        found = re.fullmatch(r"\[([^+\]]+?)(?:\+(-?\d+))?\]", text)
        if found is None:
            raise PtxError(f"no address {text!r}")
        return self.get(found[1], "u64") + np.uint64(int(found[2] or 0) & (1 << 64) - 1)

    def split(self, one: Instruction, address: np.ndarray) -> bool:
        """Does an instruction without a space by the spaces that its addresses lie in, if there are several."""
        spaces = np.digitize(address, np.array([_LOCAL, BASE], np.uint64))
        if not spaces.size or (spaces == spaces[0]).all():
            return False
        outer = self.here
        every = np.arange(self.threads.size)[outer]
        for which in np.unique(spaces):
            self.here = every[spaces == which]
            self._do(one)
        self.here = outer
        return True

    def locate(self, space: str, address: np.ndarray, size_bytes: int) -> tuple[np.ndarray, np.ndarray]:
        """The memory of a space and the positions in it. Of no space it is the one that the first address lies in."""
        if not space:
            first = int(address[0])
            space = "global" if first >= BASE else "local" if first >= _LOCAL else "shared"
        if (address % np.uint64(size_bytes)).any():
            raise BadAddressError(f"{self.function.name}: an address of {size_bytes} bytes is not aligned")
        threads = self.threads[self.here]
        if space == "global":
            memory, offset, limit, begin = (
                self.group.memory.bytes,
                address.astype(np.int64) - BASE,
                None,
                None,
            )
        elif space == "shared":
            limit = self.group.shared.size // self.group.count
            memory, offset, begin = (
                self.group.shared,
                address.astype(np.int64) - _SHARED,
                self.group.block_of[threads] * limit,
            )
        else:
            limit = self.function.local_bytes
            memory, offset = self.local, address.astype(np.int64) - _LOCAL
            begin = np.arange(self.threads.size)[self.here] * limit
        if begin is None:
            size = memory.size
            good = (offset >= 0) & (offset + size_bytes <= size)
            if not good.all() or not (
                self.group.memory.allocated[offset].all()
                and self.group.memory.allocated[offset + size_bytes - 1].all()
            ):
                raise BadAddressError(f"{self.function.name}: an address is outside of memory")
            return memory, offset
        bound = self.function.shared_bytes if space == "shared" else limit
        if not ((offset >= 0) & (offset + size_bytes <= bound)).all():
            raise BadAddressError(f"{self.function.name}: an address is outside of {space} memory")
        return memory, offset + begin

    def watch(self, at: np.ndarray, size_bytes: int, writes: bool) -> None:
        """Tells races in shared memory."""
        group = self.group
        thread = self.group.thread[self.threads[self.here]].astype(np.int32)
        for byte in range(size_bytes):
            spot = at + byte
            other = group.written[spot]
            bad = (other != -1) & (other != thread)
            if writes:
                reader = group.read[spot]
                bad |= (reader != -1) & (reader != thread)
                group.written[spot] = thread
                bad |= group.written[spot] != thread
            else:
                reader = group.read[spot]
                group.read[spot] = np.where((reader == -1) | (reader == thread), thread, -2)
                group.read[spot[group.read[spot] != thread]] = -2
            if bad.any():
                raise RaceError(
                    f"{self.function.name}: threads use a place of shared memory with no barrier between"
                )


# ─── instructions ──────────────────────────────────────────────────────────────────────────────────────────────────


def _kind(one: Instruction) -> str:
    return one.op[-1]


def _registers(text: str) -> list[str]:
    return [part.strip() for part in text.strip("{}").split(",")]


def _load(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    if one.op[1] == "param":
        name = one.args[1].strip("[]")
        value = frame.passed[name] if name in frame.passed else frame.params[name][frame.here]
        frame.put(one.args[0], value.astype(f"u{_NUMPY[kind].itemsize}").view(_NUMPY[kind]))
        return
    targets = _registers(one.args[0])
    space = one.op[1] if one.op[1] in ("global", "shared", "local", "const") else ""
    if not space and frame.split(one, frame.address(one.args[1])):
        return
    size = _NUMPY[kind].itemsize
    address = frame.address(one.args[1])
    memory, at = frame.locate("global" if space == "const" else space, address, size * len(targets))
    if memory is frame.group.shared:
        frame.watch(at, size * len(targets), writes=False)
    cells = (
        memory.view(_NUMPY[kind])
        if memory.size % size == 0
        else memory[: memory.size // size * size].view(_NUMPY[kind])
    )
    for number, target in enumerate(targets):
        frame.put(target, cells[at // size + number])


def _store(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    if one.op[1] == "param":
        frame.passed[one.args[0].strip("[]")] = (
            frame.get(one.args[1], kind).view(f"u{_NUMPY[kind].itemsize}").astype(np.uint64)
        )
        return
    sources = _registers(one.args[1])
    space = one.op[1] if one.op[1] in ("global", "shared", "local") else ""
    if not space and frame.split(one, frame.address(one.args[0])):
        return
    size = _NUMPY[kind].itemsize
    address = frame.address(one.args[0])
    memory, at = frame.locate(space, address, size * len(sources))
    if memory is frame.group.shared:
        frame.watch(at, size * len(sources), writes=True)
    cells = (
        memory.view(_NUMPY[kind])
        if memory.size % size == 0
        else memory[: memory.size // size * size].view(_NUMPY[kind])
    )
    for number, source in enumerate(sources):
        cells[at // size + number] = frame.get(source, kind)


def _call(frame: _Frame, one: Instruction) -> None:
    args = list(one.args)
    results = _registers(args.pop(0).strip("()")) if args[0].startswith("(") else []
    callee = frame.group.module.functions[args[0]]
    given = [part for part in args[1].strip("()").split(",") if part.strip()] if len(args) > 1 else []
    params = {name: frame.passed[part.strip()] for name, part in zip(callee.params, given, strict=True)}
    inner = _Frame(frame.group, callee, params, frame.threads[frame.here])
    inner.run()
    for result, inside in zip(results, callee.results, strict=True):
        frame.passed[result] = inner.params[inside]


def _store_result(frame: _Frame, one: Instruction) -> None:
    name = one.args[0].strip("[]")
    if name not in frame.function.results:
        _store(frame, one)
        return
    kind = _kind(one)
    raw = frame.get(one.args[1], kind).view(f"u{_NUMPY[kind].itemsize}").astype(np.uint64)
    frame.params.setdefault(name, np.zeros(frame.threads.size, np.uint64))[frame.here] = raw


def _two(compute: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[_Frame, Instruction], None]:
    def run(frame: _Frame, one: Instruction) -> None:
        kind = _kind(one)
        frame.put(one.args[0], compute(frame.get(one.args[1], kind), frame.get(one.args[2], kind)))

    return run


def _one(compute: Callable[[np.ndarray], np.ndarray]) -> Callable[[_Frame, Instruction], None]:
    def run(frame: _Frame, one: Instruction) -> None:
        frame.put(one.args[0], compute(frame.get(one.args[1], _kind(one))))

    return run


def _rounded(one: Instruction) -> None:
    """PTX without a rounding mode may be contracted by ptxas: a product and a sum would become one."""
    if one.op[-1] in ("f16", "f32", "f64") and "rn" not in one.op:
        raise PtxError(f"{one.text!r} has no rounding mode")


def _sum(sign: int) -> Callable[[_Frame, Instruction], None]:
    def run(frame: _Frame, one: Instruction) -> None:
        _rounded(one)
        kind = _kind(one)
        a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
        frame.put(one.args[0], a + b if sign > 0 else a - b)

    return run


def _wider(kind: str) -> Any:
    return np.dtype(f"{_NUMPY[kind].kind}{2 * _NUMPY[kind].itemsize}")


def _high(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.itemsize < 8:
        wide = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
        return (a.astype(wide) * b.astype(wide) >> 8 * a.dtype.itemsize).astype(a.dtype)
    product = [int(x) * int(y) >> 64 for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return np.array([part & (1 << 64) - 1 for part in product], np.uint64).view(a.dtype)


def _product(frame: _Frame, one: Instruction) -> None:
    _rounded(one)
    kind = _kind(one)
    a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
    if "wide" in one.op:
        frame.put(one.args[0], a.astype(_wider(kind)) * b.astype(_wider(kind)))
    else:
        frame.put(one.args[0], _high(a, b) if "hi" in one.op else a * b)


def _multiply_add(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
    if "wide" in one.op:
        wide = _wider(kind)
        frame.put(
            one.args[0],
            a.astype(wide) * b.astype(wide) + frame.get(one.args[3], f"{kind[0]}{wide.itemsize * 8}"),
        )
    else:
        frame.put(one.args[0], (_high(a, b) if "hi" in one.op else a * b) + frame.get(one.args[3], kind))


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a b + c rounded once."""
    if a.dtype.itemsize < 8:
        # The product is exact in float64; the sum is rounded to odd there, so that rounding again is rounding once.
        total, lost = _two_sum(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64))
        bits = total.view(np.int64)
        even = np.isfinite(lost) & (lost != 0) & (bits & 1 == 0)
        away = (lost > 0) == (total > 0)
        bits = np.where(even, np.where(away, bits + 1, bits - 1), bits)
        return bits.view(np.float64).astype(a.dtype)
    split = 2.0**27 + 1
    high_a, high_b = (split * x - (split * x - x) for x in (a, b))
    low_a, low_b = a - high_a, b - high_b
    product = a * b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    total, lost = _two_sum(product, c)
    careful = total + (error + lost)
    return np.where(np.isfinite(careful), careful, product + c)


def _fma(frame: _Frame, one: Instruction) -> None:
    _rounded(one)
    kind = _kind(one)
    frame.put(one.args[0], fused(*(frame.get(arg, kind) for arg in one.args[1:4])))


def _divide(frame: _Frame, one: Instruction) -> None:
    _rounded(one)
    kind = _kind(one)
    a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
    frame.put(one.args[0], a / b if a.dtype.kind == "f" else _quotient(a, b))


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if (b == 0).any():
        raise PtxError("an integer is divided by zero")
    if a.dtype.kind == "u":
        return a // b
    wide = [
        abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1)
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    return (
        np.array([part & (1 << 64) - 1 for part in wide], np.uint64)
        .astype(f"u{a.dtype.itemsize}")
        .view(a.dtype)
    )


def _rest(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
    frame.put(one.args[0], a - _quotient(a, b) * b)


def _extreme(smaller: bool) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def compute(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype.kind != "f":
            return np.minimum(a, b) if smaller else np.maximum(a, b)
        first = (a < b) | ((a == b) & (np.signbit(a))) if smaller else (a > b) | ((a == b) & ~np.signbit(a))
        return np.where(np.isnan(a), b, np.where(np.isnan(b) | first, a, b))

    return compute


def _shift(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    a, count = frame.get(one.args[1], kind), frame.get(one.args[2], "u32")
    width = 8 * a.dtype.itemsize
    few = np.minimum(count, width - 1).astype(a.dtype)
    if one.op[0] == "shl":
        frame.put(one.args[0], np.where(count < width, a << few, a.dtype.type(0)))
    elif a.dtype.kind == "i":
        frame.put(one.args[0], a >> few)
    else:
        frame.put(one.args[0], np.where(count < width, a >> few, a.dtype.type(0)))


_TESTS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "eq": np.equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal,
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)), "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}  # fmt: skip


def _set_predicate(frame: _Frame, one: Instruction) -> None:
    kind, test = _kind(one), one.op[1]
    a, b = frame.get(one.args[1], kind), frame.get(one.args[2], kind)
    if len(one.op) != 3:
        raise PtxError(f"this machine does not know {one.text!r}")
    if test == "ne":
        value = (a != b) & _TESTS["num"](a, b) if a.dtype.kind == "f" else a != b
    elif test in _TESTS:
        value = _TESTS[test](a, b)
    elif test == "neu":
        value = ~(a == b)
    else:  # `ltu`: also true where one is no number
        value = _TESTS[test[:-1]](a, b) | _TESTS["nan"](a, b)
    frame.put(one.args[0], value)


def _select(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    chosen = frame.get(one.args[3], "pred")
    frame.put(one.args[0], np.where(chosen, frame.get(one.args[1], kind), frame.get(one.args[2], kind)))


def _move(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    if one.args[1].startswith("{"):
        parts = [frame.get(part, f"u{_NUMPY[kind].itemsize * 4}") for part in _registers(one.args[1])]
        low, high = (part.astype(_NUMPY[kind]) for part in parts)
        frame.put(one.args[0], low | high << _NUMPY[kind].type(_NUMPY[kind].itemsize * 4))
    elif one.args[0].startswith("{"):
        value = frame.get(one.args[1], kind)
        half = value.dtype.itemsize * 4
        for number, target in enumerate(_registers(one.args[0])):
            if target != "_":
                frame.put(target, (value >> value.dtype.type(half * number)).astype(f"u{half // 8}"))
    else:
        frame.put(one.args[0], frame.get(one.args[1], kind))


_ROUND = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _convert(frame: _Frame, one: Instruction) -> None:
    to, source = one.op[-2], one.op[-1]
    value = frame.get(one.args[1], source)
    target = _NUMPY[to]
    modes = [mode for mode in one.op[1:-2] if mode != "sat"]
    if value.dtype.kind == "f":
        for mode in modes:
            if mode in _ROUND:
                value = _ROUND[mode](value)
        if target.kind == "f":
            frame.put(one.args[0], value.astype(target))
            return
        limits = np.iinfo(target)
        wide = np.where(np.isnan(value), 0, value).astype(np.float64)
        inside = (wide > float(limits.min) - 1) & (wide < float(limits.max) + 1)
        ends = np.where(wide < 0, limits.min, limits.max).astype(target)
        frame.put(one.args[0], np.where(inside, np.where(inside, wide, 0).astype(target), ends))
        return
    if target.kind == "f" and "rn" not in modes:
        raise PtxError(f"{one.text!r} does not say how to round")
    frame.put(one.args[0], value.astype(target))


def _convert_address(frame: _Frame, one: Instruction) -> None:
    frame.put(one.args[0], frame.get(one.args[1], "u64"))


def _extract(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)
    value = frame.get(one.args[1], kind)
    position, length = (frame.get(arg, "u32").astype(np.uint64) for arg in one.args[2:4])
    mask = (np.uint64(1) << length) - np.uint64(1)
    raw = value.view(f"u{value.dtype.itemsize}").astype(np.uint64) >> position & mask
    if kind[0] == "s":
        top = np.uint64(1) << length - np.uint64(1)
        raw = (raw ^ top) - top
    frame.put(one.args[0], raw.astype(f"u{value.dtype.itemsize}").view(value.dtype))


def _permute(frame: _Frame, one: Instruction) -> None:
    low, high, order = (frame.get(arg, "u32").astype(np.uint64) for arg in one.args[1:4])
    both = low | high << np.uint64(32)
    result = np.zeros_like(both)
    for byte in range(4):
        number = order >> np.uint64(4 * byte) & np.uint64(15)
        part = both >> (number & np.uint64(7)) * np.uint64(8) & np.uint64(255)
        sign = np.where(part & np.uint64(128), np.uint64(255), np.uint64(0))
        result |= np.where(number & np.uint64(8), sign, part) << np.uint64(8 * byte)
    frame.put(one.args[0], result.astype(np.uint32))


def _funnel(frame: _Frame, one: Instruction) -> None:
    low, high, count = (frame.get(arg, "u32").astype(np.uint64) for arg in one.args[1:4])
    count = count & np.uint64(31) if "wrap" in one.op else np.minimum(count, np.uint64(32))
    both = low | high << np.uint64(32)
    frame.put(
        one.args[0], (both << count >> np.uint64(32) if "l" in one.op else both >> count).astype(np.uint32)
    )


def _reciprocal(frame: _Frame, one: Instruction) -> None:
    _rounded(one)
    value = frame.get(one.args[1], _kind(one))
    frame.put(one.args[0], value.dtype.type(1) / value)


def _root(frame: _Frame, one: Instruction) -> None:
    _rounded(one)
    frame.put(one.args[0], np.sqrt(frame.get(one.args[1], _kind(one))))


def _logical_not(value: np.ndarray) -> np.ndarray:
    return ~value


def _count_zeros(frame: _Frame, one: Instruction) -> None:
    value = frame.get(one.args[1], _kind(one))
    width = 8 * value.dtype.itemsize
    lengths = [int(part).bit_length() for part in value.view(f"u{width // 8}").tolist()]
    frame.put(one.args[0], (width - np.array(lengths)).astype(np.uint32))


def _count_ones(frame: _Frame, one: Instruction) -> None:
    value = frame.get(one.args[1], _kind(one))
    counts = [int(part).bit_count() for part in value.view(f"u{value.dtype.itemsize}").tolist()]
    frame.put(one.args[0], np.array(counts, np.uint32))


def _copy_sign(frame: _Frame, one: Instruction) -> None:
    kind = _kind(one)  # copysign.f32 d, a, b: the sign of a, the size of b
    frame.put(one.args[0], np.copysign(frame.get(one.args[2], kind), frame.get(one.args[1], kind)))


_OPERATIONS: dict[str, Callable[[_Frame, Instruction], None]] = {
    "ld": _load,
    "ldu": _load,
    "st": _store_result,
    "call": _call,
    "add": _sum(1),
    "sub": _sum(-1),
    "mul": _product,
    "mad": _multiply_add,
    "fma": _fma,
    "div": _divide,
    "rem": _rest,
    "min": _two(_extreme(True)),
    "max": _two(_extreme(False)),
    "neg": _one(lambda value: -value),
    "abs": _one(np.abs),
    "and": _two(np.bitwise_and),
    "or": _two(np.bitwise_or),
    "xor": _two(np.bitwise_xor),
    "not": _one(_logical_not),
    "shl": _shift,
    "shr": _shift,
    "setp": _set_predicate,
    "selp": _select,
    "mov": _move,
    "cvt": _convert,
    "cvta": _convert_address,
    "bfe": _extract,
    "prmt": _permute,
    "shf": _funnel,
    "rcp": _reciprocal,
    "sqrt": _root,
    "clz": _count_zeros,
    "popc": _count_ones,
    "copysign": _copy_sign,
}
