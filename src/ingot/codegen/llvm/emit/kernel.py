"""One kernel → one LLVM module as text: its functions and statements, in order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit import amx
from ingot.codegen.llvm.emit.builder import INT64_MAX, Function, Value, number
from ingot.codegen.llvm.emit.form_loops import FormLoops
from ingot.codegen.llvm.emit.memory import ZERO_DEFINITION, Place, address, place_of_locals, store
from ingot.codegen.llvm.emit.scope import Scope
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms.amx_sums import AmxProduct, AmxSums
from ingot.codegen.llvm.forms.broadcast4 import Broadcast4
from ingot.codegen.llvm.forms.interleave import Interleave
from ingot.codegen.llvm.forms.recognise import Forms, overlapping, recognise
from ingot.codegen.llvm.forms.transpose import Transpose
from ingot.codegen.llvm.parallel import grain as llvm_grain
from ingot.codegen.llvm.parallel import loops
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.codegen.llvm.parallel.paired_threads import is_alone
from ingot.codegen.llvm.parallel.pool import POOL_ENTER, POOL_LEAVE
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    LoopKind,
    Prefetch,
    Stmt,
    Store,
    Var,
    compare,
    select,
)
from ingot.loops.transform.rewrite import expressions, statements, walk


def emit_kernel(
    kernel: Kernel, function_name: str, chip: Chip, fetched: float = 0.0, is_paired: bool = False
) -> str:
    """The LLVM module of a kernel, without a target.

    It has one hidden function `int32_t function_name(void *param0, …, void *pool)`. `fetched`: cycles that count as work of its
    parallel loop, as `llvm_grain.fetched_cycles` has them. `is_paired`: two threads may call it at the same time, each with
    one side of a pair as its pool (`llvm/parallel/paired_threads`).
    """
    return KernelModule(kernel, function_name, chip, fetched, is_paired).text()


class KernelModule:
    """The functions of one kernel: itself, and the bodies of its parallel loops."""

    def __init__(
        self, kernel: Kernel, name: str, chip: Chip, fetched: float = 0.0, is_paired: bool = False
    ) -> None:
        self.kernel = kernel
        self.fetched = fetched
        self.is_paired = is_paired
        self.name = name
        self.chip = chip
        self.declarations: dict[str, str] = {}
        self.functions: list[Function] = []

    def text(self) -> str:
        params = self.parameters()
        main = self.function(f"hidden i32 @{self.name}({', '.join([*params, 'ptr %pool'])}) nounwind")
        writer = Writer(self, main, Scope(places=self.places()), outermost=True)
        if self.forms.amx_shapes(self.kernel.body):
            amx.ask(main, self.declarations)
        writer.block(self.kernel.body)
        self._return(main)
        lines = [
            ZERO_DEFINITION,
            *self.declarations.values(),
            *(function.text() for function in self.functions),
        ]
        return "\n\n".join(lines) + "\n"

    def _return(self, main: Function) -> None:
        """Ends the kernel with its status."""
        if self.kernel.checks:
            main.do(f"%status = load i32, ptr %p{len(self.kernel.inputs)}, align 4")
        main.do(f"ret i32 {'%status' if self.kernel.checks else 0}")

    def function(self, header: str) -> Function:
        added = Function(header, self.declarations)
        self.functions.append(added)
        return added

    @cached_property
    def forms(self) -> Forms:
        """The forms of the kernel's loops."""
        return recognise(self.kernel, self.chip)

    def parameters(self) -> list[str]:
        """Typed parameters; only buffers that may share storage with another one lack `noalias`."""
        kernel, shared = self.kernel, overlapping(self.kernel)
        return [
            f"ptr{'' if buffer in shared else ' noalias'}{' readonly' if position < len(kernel.inputs) else ''} %p{position}"
            for position, buffer in enumerate(kernel.params)
        ]

    def places(self) -> dict[Buffer, Place]:
        return {buffer: Place(f"%p{position}", buffer) for position, buffer in enumerate(self.kernel.params)}


class Writer(FormLoops):
    """Writes statements into one function."""

    def __init__(self, module: KernelModule, function: Function, scope: Scope, outermost: bool) -> None:
        super().__init__(module.kernel.name, function, scope, module.chip, module.forms, module.declarations)
        self.module = module
        self.outermost = outermost  # in no loop, or in serial ones only: a parallel loop here is shared out
        self.steps: tuple[tuple[Var, Value], ...] = ()  # those loops
        self.alone = ""  # whether a range of a parallel loop is all of it; "" where nobody asks

    # ─── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    def block(self, stmts: Sequence[Stmt]) -> None:
        if self.module.is_paired and self.outermost:
            for alone, group in itertools.groupby(stmts, is_alone):
                if alone:
                    self._exclusive(tuple(group))
                else:
                    self._block(group)
        else:
            self._block(stmts)

    def _block(self, stmts: Iterable[Stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)
            self.scope.forget_memory()

    def _exclusive(self, stmts: Sequence[Stmt]) -> None:
        """An exclusive section: what one of paired threads does while the other one waits."""
        fn, declarations = self.fn, self.module.declarations
        declarations[POOL_ENTER] = f"declare hidden i32 @{POOL_ENTER}(ptr)"
        declarations[POOL_LEAVE] = f"declare hidden void @{POOL_LEAVE}(ptr)"
        work, after = fn.label(), fn.label()
        turn = fn.emit(f"call i32 @{POOL_ENTER}(ptr %pool)")
        fn.branch(fn.emit(f"icmp ne i32 {turn}, 0"), work, after)
        fn.begin(work)
        self._nested(stmts)
        fn.do(f"call void @{POOL_LEAVE}(ptr %pool)")
        fn.jump(after)
        fn.begin(after)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Store():
                place = self._place(stmt.buffer)
                value = self.value(stmt.value)
                store(self.ops, place, self._offset(stmt.buffer, stmt.index), value, self.lanes, self.mask)
            case Prefetch():
                self._prefetch(stmt)
            case Let():
                self.scope.names[stmt.var] = self.value(stmt.value)
            case Alloc():
                self.scope.places[stmt.buffer] = place_of_locals(self.ops, stmt.buffer, self.lanes)
            case If():
                self._if(stmt)
            case For():
                self._for(stmt)

    def _prefetch(self, stmt: Prefetch) -> None:
        where = self._offset(stmt.buffer, stmt.index)
        if where.lanes:
            return
        pointer = address(self.ops, self._place(stmt.buffer), where)
        # As LLVM has them: 3 is the first-level cache.
        level = "3" if stmt.near or not self.module.chip.prefetches_far else "2"
        hints = [("i32", "0"), ("i32", level), ("i32", "1")]  # to read; data
        after = self.fn.label() if stmt.alone and self.alone else ""
        if after:
            ask = self.fn.label()
            self.fn.branch(self.alone, ask, after)
            self.fn.begin(ask)
        self.fn.call("llvm.prefetch.p0", "void", ("ptr", pointer), *hints)
        if after:
            self.fn.jump(after)
            self.fn.begin(after)

    def _nested(self, stmts: Sequence[Stmt], *names: tuple[Var, Value], steps: bool = False) -> None:
        self._enter(*names)
        before = self.outermost, self.steps
        self.outermost = self.outermost and steps
        self.steps += names
        self.block(stmts)
        self.outermost, self.steps = before
        self._leave()

    def _if(self, stmt: If) -> None:
        condition = self.value(stmt.condition)
        self.scope.forget_memory()
        if condition.const is not None:
            self._nested(stmt.then if condition.const else stmt.otherwise)
        elif condition.is_uniform:
            then, otherwise, end = self.fn.label(), self.fn.label(), self.fn.label()
            self.fn.branch(condition.text, then, otherwise if stmt.otherwise else end)
            self.fn.begin(then)
            self._nested(stmt.then)
            self.fn.jump(end)
            if stmt.otherwise:
                self.fn.begin(otherwise)
                self._nested(stmt.otherwise)
                self.fn.jump(end)
            self.fn.begin(end)
        else:
            outer = self.mask
            self.mask = self._with_mask(condition)
            self._nested(stmt.then)
            if stmt.otherwise:
                self.mask = outer
                self.mask = self._with_mask(self.ops.unary("not", condition))
                self._nested(stmt.otherwise)
            self.mask = outer

    def _for(self, stmt: For) -> None:
        """Writes a loop in the form that it was recognised to have, else as its kind says."""
        extent = self.value(stmt.extent)
        self.scope.forget_memory()
        form = self.forms.loops.get(stmt)
        if form is not None:
            _BY_FORM[type(form)](self, stmt, form)
        elif extent.const is None or extent.const > 0:
            _BY_KIND[stmt.kind](self, stmt, extent)

    def _serial(self, stmt: For, extent: Value) -> None:
        if extent.const == 1:
            self._nested(stmt.body, (stmt.var, number(0)), steps=stmt.kind is LoopKind.SERIAL)
        elif extent.lanes:
            self._loop_to_longest_lane(stmt, extent)
        else:
            self._serial_loop(stmt, number(0), extent, 1)

    def _unrolled(self, stmt: For, extent: Value) -> None:
        for position in range(_known(extent)):
            self._nested(stmt.body, (stmt.var, number(position)))

    def _parallel(self, stmt: For, extent: Value) -> None:
        if stmt.end is not None and extent.const is None:
            self._if_some(extent, lambda: self._ranges(stmt, extent))
        elif stmt.end is not None:
            self._ranges(stmt, extent)
        elif self.outermost and (extent.const != 1 or self.module.is_paired):
            self._shared_loop(stmt, extent)
        else:
            self._serial(stmt, extent)

    def _ranges(self, stmt: For, extent: Value) -> None:
        """A loop that goes by ranges, of which there are some."""
        assert stmt.end is not None
        if self.outermost:
            self._shared_loop(stmt, extent)
        else:
            self._nested(stmt.body, (stmt.var, number(0)), (stmt.end, extent))

    def _if_some(self, count: Value, emit: Callable[[], None]) -> None:
        """What is emitted is done if a count is positive."""
        fn = self.fn
        enter, after = fn.label(), fn.label()
        fn.branch(fn.emit(f"icmp sgt i64 {count.text}, 0"), enter, after)
        fn.begin(enter)
        emit()
        fn.jump(after)
        fn.begin(after)

    def _serial_loop(self, stmt: For, begin: Value, end: Value, step: int, lanes: int = 0) -> None:
        """`for (var = begin; var < end; var += step)`; in vector form if `lanes`, in which case it runs at least once."""
        fn = self.fn
        body, after = fn.label(), fn.label()
        if end.low <= begin.high:
            test = fn.emit(f"icmp slt {begin.typed}, {end.text}")
            enter = fn.label()
            fn.branch(test, enter, after)
            fn.begin(enter)
        before = fn.block
        fn.jump(body)
        fn.begin(body)
        counter, place = fn.name(), fn.reserve()
        low, high = begin.low, max(end.high - step, begin.low)
        var = Value(counter, DType.INT64, low=low, high=high, multiple=math.gcd(begin.multiple, step))
        if lanes:
            self._lanes_of(stmt, var, lanes)
        else:
            self._nested(stmt.body, (stmt.var, var), steps=stmt.kind is LoopKind.SERIAL)
        following = fn.emit(f"add nuw nsw i64 {counter}, {step}")
        fn.fill(place, f"{counter} = phi i64 [ {begin.text}, %{before} ], [ {following}, %{fn.block} ]")
        test = fn.emit(f"icmp slt i64 {following}, {end.text}")
        fn.branch(test, body, after)
        fn.begin(after)

    def _loop_to_longest_lane(self, stmt: For, extent: Value) -> None:
        """A loop inside a vector loop whose extent differs by lane: as often as any lane needs it, under a mask."""
        wide = self.ops.vector(extent, self.lanes)
        longest = self.fn.call(f"llvm.vector.reduce.smax.v{self.lanes}i64", "i64", (wide.type, wide.text))
        outer = self.mask
        inside = If(Binary("lt", stmt.var, Var(" extent")), stmt.body)
        self._enter((Var(" extent"), wide))
        self._serial_loop(For(stmt.var, stmt.extent, (inside,)), number(0), Value(longest, DType.INT64), 1)
        self._leave()
        self.mask = outer

    # ─── vector loops ─────────────────────────────────────────────────────────────────────────────────────────────

    def _vector(self, stmt: For, extent: Value) -> None:
        """A short loop is one vector. A long one is a loop over vectors of two registers, then the rest."""
        count = _known(extent)
        widest = self.module.chip.machine.vector_bytes  # lanes: four registers of 32-bit elements
        if count <= widest:
            self._lanes_of(stmt, number(0), count)
            return
        lanes = widest // 2
        whole = count // lanes * lanes
        if count <= 4 * widest and self._uses_locals(stmt):
            # Locals stay in registers only if every index into them is known.
            for begin in range(0, whole, lanes):
                self._lanes_of(stmt, number(begin), lanes)
        else:
            self._serial_loop(stmt, number(0), number(whole), lanes, lanes)
        if whole < count:
            self._lanes_of(stmt, number(whole), count - whole)

    def _uses_locals(self, stmt: For) -> bool:
        params = set(self.module.kernel.params)
        inner = {inner.buffer for inner in statements(stmt.body) if isinstance(inner, Alloc)}
        for each in statements(stmt.body):
            used = [
                node.buffer for expr in expressions(each) for node in walk(expr) if isinstance(node, Load)
            ]
            if isinstance(each, Store):
                used.append(each.buffer)
            if any(buffer not in params and buffer not in inner for buffer in used):
                return True
        return False

    def _lanes_of(self, stmt: For, begin: Value, lanes: int) -> None:
        """The iterations `begin` to `begin + lanes`, one in each lane."""
        if lanes == 1:
            self._nested(stmt.body, (stmt.var, begin))
            return
        self.lanes = lanes
        var = Value(
            begin.text, DType.INT64, lanes, 1, low=begin.low, high=begin.high, multiple=begin.multiple
        )
        self._nested(stmt.body, (stmt.var, var))
        self.lanes = 0

    # ─── parallel loops ───────────────────────────────────────────────────────────────────────────────────────────

    def _shared_loop(self, stmt: For, extent: Value) -> None:
        """Writes the loop as a function for a range of iterations. The thread pool calls it, or the kernel if work is small."""
        module = self.module
        fetched = 0 if self.steps else module.fetched
        cycles = iteration_cycles(stmt, module.chip) + fetched / (extent.high or 1)
        task_min = llvm_grain.task_cycles(module.chip, bool(self.steps))
        grain = llvm_grain.grain(cycles, task_min)
        ranges = f"{module.name}_loop{len(module.functions)}"
        steps = [
            (var, value._replace(text=f"%step{number}")) for number, (var, value) in enumerate(self.steps)
        ]
        params = ", ".join(
            [*module.parameters(), *(value.typed for _, value in steps), "i64 %begin", "i64 %end"]
        )
        # Kept apart, because its parameters are known not to overlap, and pointers out of `args` are not.
        inner = module.function(f"internal void @{ranges}({params}) nounwind noinline")
        writer = Writer(module, inner, Scope(names=dict(steps), places=module.places()), outermost=False)
        begin = Value("%begin", DType.INT64, low=0, high=max(extent.high - 1, 0))
        end = Value("%end", DType.INT64, low=min(max(extent.low, 0), 1), high=extent.high)
        if extent.const is not None and any(
            isinstance(each, Prefetch) and each.alone for each in statements(stmt.body)
        ):
            writer.alone = inner.emit(
                f"icmp eq i64 {inner.emit('sub nuw nsw i64 %end, %begin')}, {extent.const}"
            )
        shapes = self.forms.amx_shapes(stmt.body)
        if len(shapes) == 1:
            (writer.tile_shape,) = shapes
            amx.configure(inner, module.declarations, shapes[0])
        if stmt.end is not None:
            writer._nested(stmt.body, (stmt.var, begin), (stmt.end, end))
        elif steps:
            writer._alternating_loop(stmt, begin, end, steps[-1][0])
        else:
            writer._serial_loop(stmt, begin, end, 1)
        if len(shapes) == 1:
            amx.release(inner)
        inner.do("ret void")
        arguments = [f"ptr %p{position}" for position in range(len(module.kernel.params))]
        alone = extent.high != INT64_MAX and not llvm_grain.is_shared_out(extent.high, cycles, task_min)
        if alone and not module.is_paired:
            numbers = [value.typed for _, value in self.steps]
            self.fn.do(f"call void @{ranges}({', '.join([*arguments, *numbers, 'i64 0', extent.typed])})")
            return
        numbers = [value.text for _, value in self.steps]
        if stmt.end is None:
            body = loops.body(module.function, ranges, len(arguments), len(steps))
            loops.share_out(self.fn, module.declarations, body, arguments, numbers, extent.text, str(grain))
            return
        maximum = module.chip.machine.tuning.threads.range_max_tasks
        cut = loops.tasks(self.fn, module.declarations, stmt, extent, grain, module.is_paired, maximum)
        numbers += [cut.count] if extent.const is not None else [cut.count, cut.extent]
        body = loops.body(module.function, ranges, len(arguments), len(steps), cut)
        loops.share_out(self.fn, module.declarations, body, arguments, numbers, cut.count, cut.grain)

    def _alternating_loop(self, stmt: For, begin: Value, end: Value, step: Var) -> None:
        """A range of a parallel loop in steps, upwards in even ones and downwards in odd ones: what was read last, and is still
        in the first-level cache, is the first to be read again.
        """
        at, ends = Var(" at"), Var(" ends")
        both = self.fn.emit(f"add nuw nsw i64 {begin.text}, {end.text}")
        last = Value(
            self.fn.emit(f"add nsw i64 {both}, -1"), DType.INT64, low=0, high=begin.high + end.high - 1
        )
        self._enter((ends, last))
        position = Let(stmt.var, select(compare("eq", step % 2, 0), at, ends - at))
        self._serial_loop(For(at, stmt.extent, (position, *stmt.body)), begin, end, 1)
        self._leave()


def _known(extent: Value) -> int:
    """The extent of a loop of a kind whose extent is constant."""
    assert extent.const is not None
    return int(extent.const)


_BY_FORM: Mapping[type, Callable[[Writer, For, Any], None]] = {
    Transpose: Writer.transpose,
    Interleave: Writer.interleave,
    Broadcast4: Writer.broadcast4,
    AmxSums: Writer.amx_sums,
    AmxProduct: Writer.amx_product,
}
_BY_KIND: Mapping[LoopKind, Callable[[Writer, For, Value], None]] = {
    **dict.fromkeys(LoopKind, Writer._serial),
    LoopKind.UNROLLED: Writer._unrolled,
    LoopKind.VECTOR: Writer._vector,
    LoopKind.PARALLEL: Writer._parallel,
}
