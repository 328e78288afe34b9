"""The rules that a kernel must keep. A broken one is a defect of ingot: `InternalError`, with the offending statement as a note.

The rules: names are identifiers, bound before use, never bound twice in nested scopes; operands have the types that `nodes` says;
an index has the rank of its buffer; only outputs, workspaces and locals are written; loops are of kinds that may stand where they
stand; the body of a parallel or group loop uses nothing from outside but the kernel's parameters, and the variables of the serial
loops that a parallel one stands in; locals fit the stack; no index is sure to be out of bounds. The rules of groups and their
items are in `verify_grid`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import Ranges, type_interval
from ingot.loops.nodes import (
    ARITHMETIC,
    BITWISE,
    COMPARISONS,
    FUNCTIONS,
    LOCAL_BYTES_MAX,
    STATUS,
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
    Kernel,
    Let,
    Load,
    LoopKind,
    Prefetch,
    Select,
    Space,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.text import expr_text, head_text
from ingot.loops.transform.rewrite import bound_by, children, expressions, order_of
from ingot.loops.verify_grid import verify_grid

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
RESERVED = frozenset({"true", "false", "inf", "nan"})  # words of the text form
_NOTE_CHARACTERS = 2000
_IN_WORDS = (DType.INT8, DType.UINT8, DType.INT16, DType.UINT16)
_CONDITIONS_MAX = 8  # of the Selects around a load; more are forgotten, which only makes the check weaker

_Scope = Mapping[str, Var | Buffer]
_Known = tuple[tuple[Expr, bool], ...]  # conditions and whether they hold


@dataclass(frozen=True, slots=True)
class _Place:
    """Where statements stand."""

    ranges: Ranges | None  # None where they can never run
    attained: frozenset[Var] | None = (
        frozenset()
    )  # variables that take every value of their interval; None: they may never run
    local_bytes: int = 0
    in_vector: bool = False
    outermost: bool = False
    in_steps: bool = False  # in serial loops, the first of them outermost: steps whose work may be shared out
    steps: frozenset[str] = frozenset()  # the variables of those


def verify(kernel: Kernel, grid: bool = True) -> None:
    """Checks every rule, in time that grows with the size of the kernel's expression graphs.

    Args:
        kernel: what to check.
        grid: whether group and item loops are allowed: code for a CPU has none.

    Raises:
        InternalError: a rule is broken; the message says which, a note shows the statement.
    """
    verifier = _Verifier(kernel)
    verifier.kernel()
    verify_grid(kernel, verifier.fail_at)
    if not grid:
        for stmt in kernel.body:
            if isinstance(stmt, For) and stmt.kind is LoopKind.GROUP:
                verifier.fail_at(stmt, "a group loop is in a kernel for a machine without groups")


class _Verifier:
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._inputs = {buffer.name for buffer in kernel.inputs}
        self._stmt: Stmt | None = None

    def fail(self, why: str) -> NoReturn:
        error = InternalError(f"kernel {self._kernel.name!r}: {why}", kernel=self._kernel.name)
        if self._stmt is not None:
            text = head_text(self._stmt)
            error.add_note(
                "in: " + (text if len(text) <= _NOTE_CHARACTERS else text[:_NOTE_CHARACTERS] + " …")
            )
        raise error

    def fail_at(self, stmt: Stmt, why: str) -> NoReturn:
        self._stmt = stmt
        self.fail(why)

    def kernel(self) -> None:
        kernel = self._kernel
        self._name(kernel.name, "the kernel")
        scope: dict[str, Var | Buffer] = {}
        for buffer in kernel.params:
            self._buffer(buffer)
            if buffer.name in scope:
                self.fail(f"two parameters are called {buffer.name!r}")
            scope[buffer.name] = buffer
        for source, destination in kernel.in_place:
            if not (0 <= source < len(kernel.inputs) and 0 <= destination < len(kernel.outputs)):
                self.fail(f"in_place ({source}, {destination}) names no input and output")
        if kernel.checks and not (kernel.outputs and kernel.outputs[0].type == STATUS):
            self.fail(f"it checks, and its first output is not {STATUS}")
        self._block(kernel.body, scope, _Place(Ranges({}), outermost=True))

    def _name(self, name: str, role: str) -> None:
        if not NAME.fullmatch(name) or name in RESERVED:
            self.fail(f"{role} is called {name!r}, which is no identifier")

    def _buffer(self, buffer: Buffer) -> None:
        self._name(buffer.name, "a buffer")
        if len(buffer.shape) != len(buffer.strides):
            self.fail(
                f"buffer {buffer.name!r} has {len(buffer.shape)} dimensions and {len(buffer.strides)} strides"
            )
        if any(extent < 0 for extent in buffer.shape) or any(stride < 0 for stride in buffer.strides):
            self.fail(
                f"buffer {buffer.name!r} has a negative extent or stride: {list(buffer.shape)}, {list(buffer.strides)}"
            )

    # ─── statements ────────────────────────────────────────────────────────────────────────────────────────────────

    def _block(self, stmts: Sequence[Stmt], outer: _Scope, place: _Place) -> None:
        scope = dict(outer)
        for stmt in stmts:
            self._stmt = stmt
            if not isinstance(stmt, For | Store | Prefetch | Let | Alloc | If):
                self._stmt = None
                self.fail(f"{type(stmt).__name__} is no statement of the loop IR")
            if not isinstance(stmt, Alloc):
                self._expressions(stmt, scope, place)
            match stmt:
                case For():
                    self._loop(stmt, scope, place)
                case If():
                    self._branch(stmt, scope, place)
                case Store():
                    self._store(stmt, scope)
                case Prefetch():
                    if scope.get(stmt.buffer.name) != stmt.buffer:
                        self.fail(
                            f"buffer {stmt.buffer.name!r} is prefetched and is not in scope with this type"
                        )
                    self._index(stmt.buffer, stmt.index)
                case Let():
                    self._bind(stmt.var.name, "a variable", scope)
                    if stmt.var.dtype is not stmt.value.dtype:
                        self.fail(
                            f"variable {stmt.var.name!r} is {stmt.var.dtype.short}, its value {stmt.value.dtype.short}"
                        )
                    scope[stmt.var.name] = stmt.var
                    known = place.ranges.bounds(stmt.value) if place.ranges is not None else None
                    if place.ranges is not None and known is not None:
                        place = replace(place, ranges=place.ranges.with_(stmt.var, known))
                case Alloc():
                    self._buffer(stmt.buffer)
                    self._bind(stmt.buffer.name, "a local", scope)
                    scope[stmt.buffer.name] = stmt.buffer
                    place = replace(place, local_bytes=place.local_bytes + _local_bytes(stmt))
                    if place.local_bytes > LOCAL_BYTES_MAX:
                        self.fail(
                            f"local {stmt.buffer.name!r} makes {place.local_bytes} bytes of locals alive together, at most "
                            f"{LOCAL_BYTES_MAX} are allowed: use a workspace"
                        )

    def _bind(self, name: str, role: str, scope: _Scope) -> None:
        self._name(name, role)
        if name in scope:
            self.fail(f"{role} is called {name!r}, which is bound already")

    def _branch(self, stmt: If, scope: _Scope, place: _Place) -> None:
        if stmt.condition.dtype is not DType.BOOL:
            self.fail(f"the condition of an if is {stmt.condition.dtype.short}, expected bool")
        for taken, block in ((True, stmt.then), (False, stmt.otherwise)):
            inside = _refine(place.ranges, ((stmt.condition, taken),)) if place.ranges is not None else None
            self._block(
                block, scope, replace(place, ranges=inside, attained=None, outermost=False, in_steps=False)
            )

    def _loop(self, stmt: For, scope: _Scope, place: _Place) -> None:
        variables = {var.name: var for var in bound_by(stmt)}
        for name in variables:
            self._bind(name, "a loop variable", scope)
        for dtype, role in (
            *((var.dtype, "variable") for var in variables.values()),
            (stmt.extent.dtype, "extent"),
        ):
            if dtype is not DType.INT64:
                self.fail(f"the {role} of a loop is {dtype.short}, expected i64")
        if stmt.end is not None and (stmt.kind is not LoopKind.PARALLEL or len(variables) != 2):
            self.fail(
                f"a loop goes by ranges from {stmt.var.name!r} to {stmt.end.name!r}: only a parallel one may, by two names"
            )
        if stmt.end is not None and place.ranges is not None and place.ranges.bounds(stmt.extent) is None:
            self.fail("nothing is known of the extent of a loop that goes by ranges")
        if stmt.run_min < 1:
            self.fail(f"ranges of a loop should have {stmt.run_min} iterations, expected at least 1")
        if stmt.kind in (LoopKind.VECTOR, LoopKind.UNROLLED) and not isinstance(stmt.extent, Const):
            self.fail(f"the extent of a loop of kind {stmt.kind.value} must be a constant")
        if isinstance(stmt.extent, Const) and stmt.extent.value < 0:
            self.fail(f"a loop has the extent {stmt.extent.value}")
        if place.in_vector and stmt.kind in (LoopKind.VECTOR, LoopKind.PARALLEL):
            self.fail(f"a {stmt.kind.value} loop is inside a vector loop")
        local_bytes = place.local_bytes
        if stmt.kind is LoopKind.PARALLEL and not (place.outermost or place.in_steps):
            self.fail("a parallel loop must be outermost in its kernel, or in serial loops that are")
        if stmt.kind is LoopKind.PARALLEL or (place.outermost and stmt.kind is LoopKind.GROUP):
            # Other threads get the kernel's parameters, the numbers of the steps and nothing else.
            scope = {
                name: bound
                for name, bound in scope.items()
                if bound in self._kernel.params or name in place.steps
            }
            local_bytes = 0
        inside: Ranges | None = None
        attained: frozenset[Var] | None = None
        if place.ranges is not None:
            extent = place.ranges.bounds(stmt.extent) or (0, 2**63 - 1)
            if extent[1] > 0:
                inside = place.ranges.inside(stmt, extent[1])
            if place.attained is not None and isinstance(stmt.extent, Const):
                attained = place.attained | set(bound_by(stmt))
        in_steps = stmt.kind is LoopKind.SERIAL and (place.outermost or place.in_steps)
        steps = place.steps | {stmt.var.name} if in_steps else frozenset[str]()
        in_vector = place.in_vector or stmt.kind is LoopKind.VECTOR
        within = _Place(inside, attained, local_bytes, in_vector, in_steps=in_steps, steps=steps)
        self._block(stmt.body, {**scope, **variables}, within)

    def _store(self, stmt: Store, scope: _Scope) -> None:
        if scope.get(stmt.buffer.name) != stmt.buffer:
            self.fail(f"buffer {stmt.buffer.name!r} is written and is not in scope with this type")
        if stmt.buffer.name in self._inputs:
            self.fail(f"input {stmt.buffer.name!r} is written")
        if stmt.value.dtype is not stmt.buffer.dtype:
            self.fail(
                f"a {stmt.value.dtype.short} is stored to {stmt.buffer.name!r}, which is {stmt.buffer.dtype.short}"
            )

    # ─── expressions ───────────────────────────────────────────────────────────────────────────────────────────────

    def _expressions(self, stmt: Stmt, scope: _Scope, place: _Place) -> None:
        order = order_of(stmt)
        loads = selects = False
        for node in order:
            match node:
                case Const():
                    self._const(node)
                case Var():
                    if scope.get(node.name) != node:
                        self.fail(
                            f"variable {node.name!r} ({node.dtype.short}) is used where it is not bound"
                        )
                case Load():
                    loads = True
                    if scope.get(node.buffer.name) != node.buffer:
                        self.fail(f"buffer {node.buffer.name!r} is read and is not in scope with this type")
                    self._index(node.buffer, node.index)
                case _:
                    selects = selects or isinstance(node, Select)
                    self._operation(node)
        if isinstance(stmt, Store):
            self._index(stmt.buffer, stmt.index)
        if place.ranges is None:
            return
        if loads and selects:
            self._loads_in_bounds(order, expressions(stmt), place.ranges, place.attained)
        elif loads:
            for node in reversed(order):
                if isinstance(node, Load):
                    self._in_bounds(node.buffer, node.index, place.ranges, place.attained)
        if isinstance(stmt, Store):
            self._in_bounds(stmt.buffer, stmt.index, place.ranges, place.attained)

    def _const(self, node: Const) -> None:
        limits = type_interval(node.dtype)
        if limits is not None:
            if isinstance(node.value, float) or not limits[0] <= node.value <= limits[1]:
                self.fail(f"constant {node.value!r} is no {node.dtype.short}")
        elif not isinstance(node.value, int | float) or isinstance(node.value, bool):
            self.fail(f"constant {node.value!r} is no {node.dtype.short}")

    def _index(self, buffer: Buffer, index: Sequence[Expr]) -> None:
        if len(index) != len(buffer.shape):
            self.fail(
                f"buffer {buffer.name!r} has {len(buffer.shape)} dimensions, its index has {len(index)}"
            )
        for part in index:
            if part.dtype is not DType.INT64:
                self.fail(f"an index of buffer {buffer.name!r} is {part.dtype.short}, expected i64")

    def _operation(self, node: Expr) -> None:
        if (
            isinstance(node, Binary)
            and node.op in ARITHMETIC
            and node.left.dtype is node.right.dtype is not DType.BOOL
        ):
            return  # as most are
        types = [child.dtype for child in children(node)]
        names = ", ".join(dtype.short for dtype in types)
        is_number = bool(types) and types[-1] is not DType.BOOL
        same = all(dtype is types[-1] for dtype in types)
        match node:
            case Unary():
                good = is_number if node.op == "neg" else node.op == "not" and not types[0].is_float
                operation = node.op
            case Binary():
                good, operation = same, node.op
                if node.op in ARITHMETIC:
                    good = same and is_number
                elif node.op in BITWISE:
                    good = same and not types[0].is_float and (is_number or node.op in ("and", "or", "xor"))
                elif node.op not in COMPARISONS:
                    self.fail(f"{node.op!r} is no binary operation")
            case Fma():
                good, operation = same and is_number, "fma"
            case Word():
                good, operation = isinstance(node.element, Load) and types[0] in _IN_WORDS, "word"
                bytes_ = node.element.buffer.span * types[0].size_bytes if good else 4
                if bytes_ < 4:
                    self.fail(f"a word is read from buffer {node.element.buffer.name!r} of {bytes_} bytes")
            case Dot2() | Dot4():
                good, operation = all(dtype is DType.INT32 for dtype in types), type(node).__name__.lower()
            case Select():
                good, operation = types[0] is DType.BOOL and types[1] is types[2], "select"
            case Cast():
                good, operation = True, "cast"
            case Bitcast():
                good = DType.BOOL not in (node.dtype, *types) and node.dtype.bits == types[0].bits
                operation = f"bitcast to {node.dtype.short}"
            case Call():
                if node.function not in FUNCTIONS:
                    self.fail(f"{node.function!r} is no function of the loop IR")
                good = same and (types[0].is_float or (node.function == "abs" and is_number))
                good = good and len(types) == (2 if node.function == "pow" else 1)
                operation = node.function
            case _:
                self._stmt = None  # it cannot be printed
                self.fail(f"{type(node).__name__} is no expression of the loop IR")
        if not good:
            self.fail(f"{operation} does not take operands of the types {names}")

    # ─── bounds ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _loads_in_bounds(
        self, order: Sequence[Expr], roots: Sequence[Expr], ranges: Ranges, attained: frozenset[Var] | None
    ) -> None:
        """Checks each load under the conditions that hold on every path to it."""
        known: dict[int, _Known] = {id(root): () for root in roots}
        always = {id(root) for root in roots}
        refined: dict[_Known, Ranges | None] = {(): ranges}
        for node in reversed(order):
            own = known[id(node)]
            if isinstance(node, Load):
                if own not in refined:
                    refined[own] = _refine(ranges, own)
                inside = refined[own]
                if inside is not None:
                    self._in_bounds(node.buffer, node.index, inside, attained if id(node) in always else None)
            for position, child in enumerate(children(node)):
                reached = own
                if isinstance(node, Select) and position > 0:
                    if len(own) < _CONDITIONS_MAX:
                        reached = (*own, (node.condition, position == 1))
                elif id(node) in always:
                    always.add(id(child))
                if id(child) in known:
                    reached = tuple(condition for condition in known[id(child)] if condition in reached)
                known[id(child)] = reached

    def _in_bounds(
        self, buffer: Buffer, index: Sequence[Expr], ranges: Ranges, attained: frozenset[Var] | None
    ) -> None:
        """Fails if an index is outside for every value of the variables, or for one that they are sure to take."""
        for axis, (part, extent) in enumerate(zip(index, buffer.shape, strict=True)):
            bounds = ranges.bounds(part)
            if bounds is None or (bounds[0] >= 0 and bounds[1] < extent):
                continue
            outside = bounds[0] >= extent or bounds[1] < 0
            if not outside and attained is not None:
                exact = ranges.exact(part)
                outside = exact is not None and attained.issuperset(exact[0].terms)
            if outside:
                self.fail(
                    f"index {axis} of buffer {buffer.name!r} is {expr_text(part)!r}, which is {bounds[0]} to {bounds[1]}, "
                    f"outside 0 to {extent - 1}"
                )


def _local_bytes(stmt: Alloc) -> int:
    """What an allocation takes of the registers or the stack of one thread."""
    if stmt.space is Space.SHARED:
        return 0
    items = max(stmt.buffer.shape[0], 1) if stmt.space is Space.PER_ITEM and stmt.buffer.shape else 1
    return stmt.buffer.span // items * stmt.buffer.dtype.size_bytes


def _refine(ranges: Ranges, known: _Known) -> Ranges | None:
    """What is known where all conditions hold; None if that can never be. Each is asked twice: what one says of a variable may
    show that another can never hold.
    """
    narrowed: Ranges | None = ranges
    for condition, taken in (*known, *known):
        narrowed = narrowed.refined(condition, taken) if narrowed is not None else None
    return narrowed
