"""How long a piece of a kernel takes, roughly: enough to decide whether other threads are worth waking.

It counts what a processor with two arithmetic units does in each vector step as if nothing had to wait, and what it moves between
its caches: within a factor of two or so of the time that is measured, and more for what memory itself holds up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from weakref import WeakKeyDictionary

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.values import Chip
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    If,
    Let,
    Load,
    LoopKind,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.transform.rewrite import order_of, statements

_CHEAP = frozenset({"abs", "sqrt", "floor", "ceil", "trunc", "rint", "isnan", "isinf"})
_FREE = frozenset({Const, Var, Word, Bitcast})
_DIVISIONS = frozenset({"div", "rem"})
_UNKNOWN_EXTENT = 16
_LIBM = frozenset({"tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "pow"})


def call_is_cheap(call: Call) -> bool:
    """Whether a function is about one instruction."""
    return call.function in _CHEAP


def iteration_cycles(loop: For, chip: Chip) -> float:
    """Cycles of one iteration of a loop, on the average of all of them.

    The number of iterations of a loop inside that depends on an outer one is its largest; where nothing is known of it, 16.
    """
    known = _counted.setdefault(loop, {})
    if chip not in known:
        known[chip] = _iteration_cycles(loop, chip)
    return known[chip]


# What was counted: a build asks first for all loops, which may be neighbours, and again for each when it writes it down.
_counted: WeakKeyDictionary[For, dict[Chip, float]] = WeakKeyDictionary()


def _iteration_cycles(loop: For, chip: Chip) -> float:
    extent = Ranges({}).bounds(loop.extent)
    count = _UNKNOWN_EXTENT if extent is None else max(extent[1], 1)
    counter = _Counter(chip, _deciding(loop.body))
    if loop.end is not None:
        cycles = counter.block(loop.body, Ranges({}).all_at_once(loop, count), 0.0, 1) / count
    else:
        cycles = counter.block(loop.body, Ranges({}).inside(loop, count), 0.0, count)
    return max(cycles, counter.moved_bytes() / counter.costs.bytes_per_cycle / count)


def _deciding(stmts: Sequence[Stmt]) -> Set[Var]:
    """The variables on which the number of iterations of some loop depends."""
    variables: set[Var] = set()
    for stmt in reversed(list(statements(stmts))):  # what names a value comes before what uses it
        if isinstance(stmt, For) or (isinstance(stmt, Let) and stmt.var in variables):
            variables.update(node for node in order_of(stmt) if isinstance(node, Var))
    return variables


class _Counter:
    """`width`: elements that a vector loop around does at a time, 0 outside of one; `times`: how often all loops around run;
    `deciding`: the variables whose values matter.
    """

    def __init__(self, chip: Chip, deciding: Set[Var]) -> None:
        self.machine, self.costs = chip.machine, chip.machine.tuning.costs
        self.deciding = deciding
        self.locals: set[str] = set()
        self.moved: dict[Buffer, float] = {}  # elements, each as often as it is loaded or stored

    def moved_bytes(self) -> float:
        """Each byte of memory once, if it is used at all."""
        return sum(
            min(elements, buffer.span) * buffer.dtype.size_bytes for buffer, elements in self.moved.items()
        )

    def block(self, stmts: Sequence[Stmt], ranges: Ranges, width: float, times: float) -> float:
        total = 0.0
        for stmt in stmts:
            total += self.values(order_of(stmt), width, times)
            match stmt:
                case For():
                    total += self.loop(stmt, ranges, width, times)
                case If():
                    branches = (stmt.then, stmt.otherwise)
                    total += max(self.block(branch, ranges, width, times) for branch in branches)
                case Store() if stmt.buffer.name not in self.locals:
                    total += self.vectors(stmt.buffer.dtype, width)
                    self.moves(stmt.buffer, width, times)
                case Store():
                    pass
                case Let():
                    known = ranges.bounds(stmt.value) if stmt.var in self.deciding else None
                    ranges = ranges.with_(stmt.var, known) if known is not None else ranges
                case Alloc():
                    self.locals.add(stmt.buffer.name)
                case Prefetch():
                    pass
        return total

    def moves(self, buffer: Buffer, width: float, times: float) -> None:
        self.moved[buffer] = self.moved.get(buffer, 0.0) + times * max(width, 1.0)

    def loop(self, stmt: For, ranges: Ranges, width: float, times: float) -> float:
        extent = ranges.bounds(stmt.extent)
        count = _UNKNOWN_EXTENT if extent is None else extent[1]
        if count <= 0:
            return 0.0
        if stmt.end is not None:
            return self.block(stmt.body, ranges.all_at_once(stmt, count), width, times)
        inner = ranges.inside(stmt, count)
        if stmt.kind is LoopKind.VECTOR and not width:
            at_once = min(float(count), self.machine.vector_bytes / 4)
            return count / at_once * self.block(stmt.body, inner, at_once, times * count / at_once)
        if stmt.kind is LoopKind.TILES and self.machine.amx_int8:
            return count * self.block(stmt.body, inner, width, times * count) / self.costs.amx_speedup
        return count * (
            self.block(stmt.body, inner, width, times * count)
            + (stmt.kind is LoopKind.SERIAL) * self.costs.iteration_cycles
        )

    def values(self, nodes: Iterable[Expr], width: float, times: float) -> float:
        """Cycles of distinct nodes. Index arithmetic is taken to be free."""
        total = 0.0
        for node in nodes:
            if type(node) in _FREE or (
                type(node) is Binary and node.left.dtype is DType.INT64 and node.op not in _DIVISIONS
            ):
                continue
            match node:
                case Load() if node.buffer.name not in self.locals:
                    total += self.vectors(node.dtype, width) * self.costs.load_cycles
                    self.moves(node.buffer, width, times)
                case Load():
                    pass
                case Call():
                    total += self.vectors(node.dtype, width) * self.call_cycles(node)
                case Binary() if node.left.dtype is DType.INT64:
                    total += self.costs.divide_cycles if not isinstance(node.right, Const) else 0.0
                case Binary() | Unary() | Fma() | Select() | Cast() | Dot2() | Dot4():
                    divides = isinstance(node, Binary) and node.op in _DIVISIONS
                    cycles = self.costs.divide_cycles if divides else self.costs.arithmetic_cycles
                    total += self.vectors(node.dtype, width) * cycles
                case _:
                    raise AssertionError(type(node))
        return total

    def vectors(self, dtype: DType, width: float) -> float:
        """Registers that `width` elements take, at least one. On a double-pumped machine each counts twice."""
        registers = width * dtype.size_bytes / self.machine.vector_bytes
        return max(1.0, registers * (2 if self.machine.double_pumped_512 else 1))

    def call_cycles(self, call: Call) -> float:
        if call_is_cheap(call):
            return 1.0
        return self.costs.libm_cycles if call.function in _LIBM else self.costs.call_cycles
