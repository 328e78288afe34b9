"""One kernel → one LLVM module as text: its functions and statements, in order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit import amx
from ingot.codegen.llvm.emit.builder import Function, Value, number
from ingot.codegen.llvm.emit.expressions import Expressions
from ingot.codegen.llvm.emit.memory import ZERO_DEFINITION, Place, address, place_of_locals, store
from ingot.codegen.llvm.emit.scope import Scope
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms.broadcast4 import TOGETHER, neighbour_loads, spread
from ingot.codegen.llvm.forms.interleave import interleaved, interleaved_store
from ingot.codegen.llvm.forms.transpose import square_loads, turned
from ingot.codegen.llvm.parallel import grain as llvm_grain
from ingot.codegen.llvm.parallel import loops
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.codegen.llvm.parallel.paired_threads import is_alone
from ingot.codegen.llvm.parallel.pool import POOL_PASS, POOL_TURN
from ingot.loops.analyse.amx_sums import TileProduct, TileSums
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Expr,
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
    kernel: Kernel, function_name: str, chip: Chip, fetched: float = 0.0, in_team: bool = False
) -> str:
    """The LLVM module of a kernel, without a target.

    It has one hidden function `int32_t function_name(void *param0, …, void *pool)`. `fetched`: cycles that count as work of its
    parallel loop, as `llvm_grain.fetched_cycles` has them. `in_team`: several threads may call it at the same time, each with
    a member of a team as its pool (`llvm/parallel/paired_threads`).
    """
    return KernelModule(kernel, function_name, chip, fetched, in_team).text()


class KernelModule:
    """The functions of one kernel: itself, and the bodies of its parallel loops."""

    def __init__(
        self, kernel: Kernel, name: str, chip: Chip, fetched: float = 0.0, in_team: bool = False
    ) -> None:
        self.kernel = kernel
        self.fetched = fetched
        self.in_team = in_team
        self.name = name
        self.chip = chip
        self.declarations: dict[str, str] = {}
        self.functions: list[Function] = []

    def text(self) -> str:
        params = self.parameters()
        main = self.function(f"hidden i32 @{self.name}({', '.join([*params, 'ptr %pool'])}) nounwind")
        writer = Writer(self, main, Scope(places=self.places()), outermost=True)
        if amx.shapes(self.kernel.body, self.chip):
            amx.ask(main, self.declarations)
        writer.block(self.kernel.body)
        main.do("ret i32 0")
        lines = [
            ZERO_DEFINITION,
            *self.declarations.values(),
            *(function.text() for function in self.functions),
        ]
        return "\n\n".join(lines) + "\n"

    def function(self, header: str) -> Function:
        made = Function(header, self.declarations)
        self.functions.append(made)
        return made

    @property
    def overlapping(self) -> set[Buffer]:
        """The parameters that may share storage with another one."""
        kernel = self.kernel
        return {kernel.inputs[first] for first, _ in kernel.in_place} | {
            kernel.outputs[second] for _, second in kernel.in_place
        }

    def parameters(self) -> list[str]:
        """Typed parameters; only buffers that may share storage with another one lack `noalias`."""
        kernel, shared = self.kernel, self.overlapping
        return [
            f"ptr{'' if buffer in shared else ' noalias'}{' readonly' if position < len(kernel.inputs) else ''} %p{position}"
            for position, buffer in enumerate(kernel.params)
        ]

    def places(self) -> dict[Buffer, Place]:
        return {buffer: Place(f"%p{position}", buffer) for position, buffer in enumerate(self.kernel.params)}


class Writer(Expressions):
    """Writes statements into one function."""

    def __init__(self, module: KernelModule, function: Function, scope: Scope, outermost: bool) -> None:
        super().__init__(module.kernel.name, function, scope, module.chip)
        self.module = module
        self.outermost = outermost  # in no loop, or in serial ones only: a parallel loop here is shared out
        self.steps: tuple[tuple[Var, Value], ...] = ()  # those loops
        self.sums: TileSums | None = None  # that are in tiles
        self.held = amx.Held()  # what tiles hold of what is multiplied
        self.shape: amx.Shape | None = None  # of the tiles; None: not one for the whole function
        self.alone = ""  # whether a range of a parallel loop is all of it; "" where nobody asks

    # ─── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    def block(self, stmts: Sequence[Stmt]) -> None:
        if self.module.in_team and self.outermost:
            for alone, group in itertools.groupby(stmts, is_alone):
                if alone:
                    self._in_turn(tuple(group))
                else:
                    self._block(group)
        else:
            self._block(stmts)

    def _block(self, stmts: Iterable[Stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)
            self.scope.forget_memory()

    def _in_turn(self, stmts: Sequence[Stmt]) -> None:
        """What one thread of a team does while the other one waits."""
        fn, declarations = self.fn, self.module.declarations
        declarations[POOL_TURN] = f"declare hidden i32 @{POOL_TURN}(ptr)"
        declarations[POOL_PASS] = f"declare hidden void @{POOL_PASS}(ptr)"
        work, after = fn.label(), fn.label()
        turn = fn.emit(f"call i32 @{POOL_TURN}(ptr %pool)")
        fn.branch(fn.emit(f"icmp ne i32 {turn}, 0"), work, after)
        fn.begin(work)
        self._nested(stmts)
        fn.do(f"call void @{POOL_PASS}(ptr %pool)")
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
        """`steps`: the body of a serial loop."""
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
        extent = self.value(stmt.extent)
        self.scope.forget_memory()
        count = int(extent.const) if extent.const is not None else None
        if count is not None and count <= 0:
            return
        product = (
            next((one for one in self.sums.products if one.loop is stmt), None)
            if self.sums is not None
            else None
        )
        if product is not None:
            self._multiply(product)
        elif stmt.end is not None and not self.outermost:
            self._nested(stmt.body, (stmt.var, number(0)), (stmt.end, extent))
        elif (sums := amx.fitting(stmt, self.module.chip)) is not None:
            self._sum_in_tiles(stmt, sums)
        elif (
            count == 1
            and stmt.end is None
            and not (stmt.kind is LoopKind.PARALLEL and self.outermost and self.module.in_team)
        ):
            self._nested(stmt.body, (stmt.var, number(0)), steps=stmt.kind is LoopKind.SERIAL)
        elif stmt.kind is LoopKind.UNROLLED and count is not None:
            across = square_loads(stmt) if not self.lanes and self.mask is None else []
            across = [node for node in across if node.buffer not in self.module.overlapping]
            if across:
                self._square(stmt, count, across)
                return
            side_by_side = interleaved_store(stmt) if not self.lanes and self.mask is None else None
            if side_by_side is not None and side_by_side[1].buffer not in self.module.overlapping:
                self._interleave(stmt.var, count, *side_by_side)
                return
            chip = self.module.chip
            if (
                (chip.machine.l2_fills_use_load_ports or chip.machine.fma_by_element)
                and not self.lanes
                and self.mask is None
            ):
                most = chip.machine.vector_bytes // DType.FLOAT32.size_bytes
                factors, lanes = neighbour_loads(stmt, most, lambda buffer: self._place(buffer).local)
                if factors:
                    self._side_by_side(stmt, factors, lanes)
                    return
            for position in range(count):
                self._nested(stmt.body, (stmt.var, number(position)))
        elif stmt.kind is LoopKind.VECTOR and count is not None and not self.lanes:
            self._vector_loop(stmt, count)
        elif stmt.kind is LoopKind.PARALLEL and self.outermost:
            self._parallel_loop(stmt, extent)
        elif extent.lanes:
            self._loop_to_longest_lane(stmt, extent)
        else:
            self._serial_loop(stmt, number(0), extent, 1)

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

    def _vector_loop(self, stmt: For, count: int) -> None:
        """A short loop is one vector. A long one is a loop over vectors of two registers, then the rest."""
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

    def _square(self, stmt: For, count: int, across: Sequence[Load]) -> None:
        """An unrolled loop over a vector loop of the same extent, which reads across memory what lies along it (llvm_square)."""
        (inner,) = stmt.body
        assert isinstance(inner, For)
        columns = []
        for node in across:
            rows = []
            for position in range(count):
                self._enter((stmt.var, _all_lanes(count)), (inner.var, number(position)))
                rows.append(self.value(node))
                self._leave()
            columns.append(turned(self.ops, rows))
        for position in range(count):
            self._enter((stmt.var, number(position)), (inner.var, _all_lanes(count)))
            self.lanes = count
            for node, found in zip(across, columns, strict=True):
                self.scope.keep(node, found[position], from_memory=False)
            self.block(inner.body)
            self.lanes = 0
            self._leave()

    def _interleave(self, part: Var, count: int, inner: For, stmt: Store) -> None:
        """The stores of an unrolled loop over a vector loop as one store of neighbours (llvm_interleave)."""
        lanes = int(self.value(inner.extent).const or 0)
        parts = []
        for position in range(count):
            self._enter((part, number(position)), (inner.var, _all_lanes(lanes)))
            self.lanes = lanes
            parts.append(self.ops.vector(self.value(stmt.value), lanes))
            self.lanes = 0
            self._leave()
        self._enter((part, number(0)), (inner.var, number(0)))
        first = self._offset(stmt.buffer, stmt.index)
        self._leave()
        neighbours = first.stepping(lanes * count, 1)
        store(
            self.ops, self._place(stmt.buffer), neighbours, interleaved(self.ops, parts), lanes * count, None
        )
        self.scope.forget_memory()

    def _side_by_side(self, stmt: For, factors: Sequence[Sequence[Expr]], lanes: int) -> None:
        """An unrolled loop over sums of products with scalars that one load brings together (llvm_neighbours)."""
        self._enter((stmt.var, _all_lanes(TOGETHER)))
        spreads = [spread(self.ops, self.value(nodes[0]), lanes) for nodes in factors]
        self._leave()
        for position in range(TOGETHER):
            self._enter((stmt.var, number(position)))
            for nodes, found in zip(factors, spreads, strict=True):
                for node in nodes:
                    self.scope.keep(node, found[position], from_memory=False)
            self.block(stmt.body)
            self._leave()

    # ─── sums in tiles ────────────────────────────────────────────────────────────────────────────────────────────

    def _sum_in_tiles(self, stmt: For, sums: TileSums) -> None:
        """The sums of products that a loop holds, in registers for matrices."""
        shape = amx.shape_of(sums)
        if shape != self.shape:
            amx.configure(self.fn, self.module.declarations, shape)
        amx.empty(self.fn, sums)
        self.sums = sums
        self._nested(stmt.body[1:], (stmt.var, number(0)))
        self.sums = None
        amx.keep(self.fn, sums, self._place(sums.sums).pointer)
        if shape != self.shape:
            amx.release(self.fn)

    def _multiply(self, product: TileProduct) -> None:
        """Adds one product to the sums."""
        assert self.sums is not None
        if product is self.sums.products[0]:
            self.held = amx.Held()  # another iteration may have come before this one
        self._enter(*((variable, number(0)) for variable in product.variables))
        operands = product.left, product.right
        left, right = (
            address(self.ops, self._place(one.buffer), self._offset(one.buffer, one.index))
            for one in operands
        )
        amx.multiply(self.fn, self.sums, product, left, right, self.held)
        self._leave()

    # ─── parallel loops ───────────────────────────────────────────────────────────────────────────────────────────

    def _parallel_loop(self, stmt: For, extent: Value) -> None:
        """A function for a range of iterations, which the thread pool calls, or this one if there is little to do."""
        module = self.module
        fetched = 0 if self.steps else module.fetched
        cycles = iteration_cycles(stmt, module.chip) + fetched / (extent.high or 1)
        least = llvm_grain.task_cycles(module.chip, bool(self.steps))
        grain = llvm_grain.grain(cycles, least)
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
        end = Value("%end", DType.INT64, low=1, high=extent.high)
        if extent.const is not None and any(
            isinstance(each, Prefetch) and each.alone for each in statements(stmt.body)
        ):
            writer.alone = inner.emit(
                f"icmp eq i64 {inner.emit('sub nuw nsw i64 %end, %begin')}, {extent.const}"
            )
        shapes = amx.shapes(stmt.body, module.chip)
        if len(shapes) == 1:
            (writer.shape,) = shapes
            amx.configure(inner, module.declarations, shapes[0])
        if stmt.end is not None:
            writer._nested(stmt.body, (stmt.var, begin), (stmt.end, end))
        elif steps:
            writer._turning_loop(stmt, begin, end, steps[-1][0])
        else:
            writer._serial_loop(stmt, begin, end, 1)
        if len(shapes) == 1:
            amx.release(inner)
        inner.do("ret void")
        arguments = [f"ptr %p{position}" for position in range(len(module.kernel.params))]
        alone = extent.const is not None and not llvm_grain.is_shared_out(int(extent.const), cycles, least)
        if alone and not module.in_team:
            numbers = [value.typed for _, value in self.steps]
            self.fn.do(f"call void @{ranges}({', '.join([*arguments, *numbers, 'i64 0', extent.typed])})")
            return
        numbers = [value.text for _, value in self.steps]
        count, given, cut = extent.text, str(grain), 0
        if stmt.end is not None:
            count, given = loops.tasks(self.fn, module.declarations, stmt, grain, module.in_team)
            numbers.append(count)
            cut = int(extent.const or 0)
        body = loops.body(module.function, ranges, len(arguments), len(steps), cut)
        loops.share_out(self.fn, module.declarations, body, arguments, numbers, count, given)

    def _turning_loop(self, stmt: For, begin: Value, end: Value, step: Var) -> None:
        """A range of a parallel loop in steps, upwards in even ones and downwards in odd ones: what was read last, and is still
        in the first-level cache, is the first to be read again.
        """
        at, ends = Var(" at"), Var(" ends")
        both = self.fn.emit(f"add nuw nsw i64 {begin.text}, {end.text}")
        last = Value(
            self.fn.emit(f"add nsw i64 {both}, -1"), DType.INT64, low=0, high=begin.high + end.high - 1
        )
        self._enter((ends, last))
        turned = Let(stmt.var, select(compare("eq", step % 2, 0), at, ends - at))
        self._serial_loop(For(at, stmt.extent, (turned, *stmt.body)), begin, end, 1)
        self._leave()


def _all_lanes(count: int) -> Value:
    """The numbers of the lanes."""
    return Value("0", DType.INT64, count, 1, low=0, high=0, multiple=0)
