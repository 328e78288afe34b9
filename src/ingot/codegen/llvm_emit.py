"""One kernel → one LLVM module as text: its statements and expressions, in order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingot.codegen.llvm_builder import Function, Value, constant, number
from ingot.codegen.llvm_cost import block_cycles, call_is_cheap
from ingot.codegen.llvm_dot import dot4, load_word
from ingot.codegen.llvm_forms import Chip
from ingot.codegen.llvm_math import EXPANSIONS
from ingot.codegen.llvm_ops import Operations
from ingot.codegen.llvm_scope import Scope, sure
from ingot.codegen.llvm_vector import ZERO_DEFINITION, Place, address, load, place_of_locals, store
from ingot.errors import InternalError
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
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
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.rewrite import children, expressions, statements, walk
from ingot.tensor import DType

TASK_CYCLES = 25_000  # the least that a task of the thread pool should take: about 7 µs


def emit_kernel(kernel: Kernel, function_name: str, chip: Chip) -> str:
    """The LLVM module of a kernel, without a target.

    It has one hidden function `int32_t function_name(void *param0, …, void *pool)`.
    """
    return KernelModule(kernel, function_name, chip).text()


class KernelModule:
    """The functions of one kernel: itself, and the bodies of its parallel loops."""

    def __init__(self, kernel: Kernel, name: str, chip: Chip) -> None:
        self.kernel = kernel
        self.name = name
        self.chip = chip
        self.declarations: dict[str, str] = {}
        self.functions: list[Function] = []

    def text(self) -> str:
        params = self.parameters()
        main = self.function(f"hidden i32 @{self.name}({', '.join([*params, 'ptr %pool'])}) nounwind")
        writer = Writer(self, main, Scope(places=self.places()), outermost=True)
        writer.block(self.kernel.body)
        main.do("ret i32 0")
        lines = [ZERO_DEFINITION, *self.declarations.values(), *(function.text() for function in self.functions)]
        return "\n\n".join(lines) + "\n"

    def function(self, header: str) -> Function:
        made = Function(header, self.declarations)
        self.functions.append(made)
        return made

    def parameters(self) -> list[str]:
        """Typed parameters; only buffers that may share storage with another one lack `noalias`."""
        kernel = self.kernel
        shared = {first for first, _ in kernel.in_place} | {len(kernel.inputs) + second for _, second in kernel.in_place}
        return [
            f"ptr{'' if position in shared else ' noalias'}{' readonly' if position < len(kernel.inputs) else ''} %p{position}"
            for position in range(len(kernel.params))
        ]

    def places(self) -> dict[Buffer, Place]:
        return {buffer: Place(f"%p{position}", buffer) for position, buffer in enumerate(self.kernel.params)}


class Writer:
    """Writes statements into one function."""

    def __init__(self, module: KernelModule, function: Function, scope: Scope, outermost: bool) -> None:
        self.module = module
        self.fn = function
        self.ops = Operations(function, module.chip)
        self.scope = scope
        self.outermost = outermost  # not inside any loop: a parallel loop here is shared out
        self.lanes = 0
        self.mask: Value | None = None
        self._reads_memory: dict[int, tuple[Expr, bool]] = {}

    # ─── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _enter(self, *names: tuple[Var, Value]) -> None:
        self.scope = Scope(parent=self.scope, names=dict(names))

    def _leave(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def _place(self, buffer: Buffer) -> Place:
        found = self.scope.place(buffer)
        if found is None:
            raise InternalError(f"kernel {self.module.kernel.name!r}: buffer {buffer.name!r} is used but not declared")
        return found

    def reads_memory(self, expr: Expr) -> bool:
        """Whether an expression has a load in it."""
        found = self._reads_memory.get(id(expr))
        if found is None:
            found = (expr, isinstance(expr, Load) or any(self.reads_memory(child) for child in children(expr)))
            self._reads_memory[id(expr)] = found
        return found[1]

    # ─── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    def block(self, stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)
            self.scope.forget_memory()

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
        """For reading, into the second-level cache."""
        where = self._offset(stmt.buffer, stmt.index)
        if not where.lanes:
            pointer = address(self.ops, self._place(stmt.buffer), where)
            hints = [("i32", "0"), ("i32", "2"), ("i32", "1")]  # to read, into the second level, data
            self.fn.call("llvm.prefetch.p0", "void", ("ptr", pointer), *hints)

    def _nested(self, stmts: Sequence[Stmt], *names: tuple[Var, Value]) -> None:
        self._enter(*names)
        outermost, self.outermost = self.outermost, False
        self.block(stmts)
        self.outermost = outermost
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

    def _with_mask(self, condition: Value) -> Value:
        condition = self.ops.vector(condition, self.lanes)
        return condition if self.mask is None else self.ops.binary("and", self.mask, condition)

    def _for(self, stmt: For) -> None:
        extent = self.value(stmt.extent)
        self.scope.forget_memory()
        count = int(extent.const) if extent.const is not None else None
        if count is not None and count <= 0:
            return
        if count == 1:
            self._nested(stmt.body, (stmt.var, number(0)))
        elif stmt.kind is LoopKind.UNROLLED and count is not None:
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
            self._nested(stmt.body, (stmt.var, var))
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
        widest = self.module.chip.vector_bytes  # lanes: four registers of 32-bit elements
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
            used = [node.buffer for expr in expressions(each) for node in walk(expr) if isinstance(node, Load)]
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
        var = Value(begin.text, DType.INT64, lanes, 1, low=begin.low, high=begin.high, multiple=begin.multiple)
        self._nested(stmt.body, (stmt.var, var))
        self.lanes = 0

    # ─── parallel loops ───────────────────────────────────────────────────────────────────────────────────────────

    def _parallel_loop(self, stmt: For, extent: Value) -> None:
        """A function for a range of iterations, which the thread pool calls, or this one if there is little to do."""
        module = self.module
        cycles = block_cycles(stmt.body, module.chip)
        grain = max(1, math.ceil(TASK_CYCLES / max(cycles, 1e-9)))
        ranges = f"{module.name}_loop{len(module.functions)}"
        params = ", ".join([*module.parameters(), "i64 %begin", "i64 %end"])
        # Kept apart, because its parameters are known not to overlap, and pointers out of `args` are not.
        inner = module.function(f"internal void @{ranges}({params}) nounwind noinline")
        writer = Writer(module, inner, Scope(places=module.places()), outermost=False)
        begin = Value("%begin", DType.INT64, low=0, high=max(extent.high - 1, 0))
        end = Value("%end", DType.INT64, low=1, high=extent.high)
        writer._serial_loop(stmt, begin, end, 1)
        inner.do("ret void")
        count = len(module.kernel.params)
        arguments = [f"ptr %p{position}" for position in range(count)]
        small = extent.const is not None and int(extent.const) <= grain
        if small:
            self.fn.do(f"call void @{ranges}({', '.join([*arguments, 'i64 0', extent.typed])})")
            return
        body = self._pool_body(ranges, count)
        slots = self.fn.alloca("ptr", len(arguments), 8)
        for position, argument in enumerate(arguments):
            self.fn.do(f"store {argument}, ptr {self.fn.emit(f'getelementptr inbounds ptr, ptr {slots}, i64 {position}')}")
        module.declarations["ingot_pool_for"] = "declare hidden void @ingot_pool_for(ptr, ptr, ptr, i64, i64)"
        self.fn.do(f"call void @ingot_pool_for(ptr %pool, ptr @{body}, ptr {slots}, {extent.typed}, i64 {grain})")

    def _pool_body(self, ranges: str, params: int) -> str:
        """`void body(void *const *args, int64_t begin, int64_t end)`: unpacks the arguments."""
        name = f"{ranges}_body"
        fn = self.module.function(f"internal void @{name}(ptr %args, i64 %begin, i64 %end) nounwind")
        given = []
        for position in range(params):
            slot = fn.emit(f"getelementptr inbounds ptr, ptr %args, i64 {position}")
            given.append(f"ptr {fn.emit(f'load ptr, ptr {slot}')}")
        fn.do(f"call void @{ranges}({', '.join([*given, 'i64 %begin', 'i64 %end'])})")
        fn.do("ret void")
        return name

    # ─── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, expr: Expr) -> Value:
        """The value of an expression here; computed once for each block and memory state.

        Operands come first, by a list instead of recursion, since a chain may be longer than Python's stack.
        """
        waiting = [expr]
        while True:
            node = waiting[-1]
            found = self._known(node)
            if found is None:
                # The sides of a Select are computed by it, if at all.
                operands = (node.condition,) if isinstance(node, Select) else children(node)
                missing = [operand for operand in operands if self._known(operand) is None]
                if missing:
                    waiting += reversed(missing)
                    continue
                found = self._compute(node)
                self.scope.keep(node, found, self.reads_memory(node))
            waiting.pop()
            if not waiting:
                return found

    def _known(self, expr: Expr) -> Value | None:
        if isinstance(expr, Const):
            return constant(expr.value, expr.dtype)
        if isinstance(expr, Var):
            bound = self.scope.name(expr)
            if bound is None:
                raise InternalError(f"kernel {self.module.kernel.name!r}: name {expr.name!r} is used but not bound")
            return bound
        return self.scope.value_of(expr)

    def _compute(self, expr: Expr) -> Value:
        ops = self.ops
        match expr:
            case Load():
                return load(ops, self._place(expr.buffer), self._offset(expr.buffer, expr.index), self.mask)
            case Unary():
                return ops.unary(expr.op, self.value(expr.operand))
            case Binary():
                return ops.binary(expr.op, self.value(expr.left), self.value(expr.right))
            case Fma():
                return ops.fma(self.value(expr.a), self.value(expr.b), self.value(expr.c))
            case Word():
                element = expr.element
                return load_word(ops, self._place(element.buffer), self._offset(element.buffer, element.index), self.mask)
            case Dot4():
                return dot4(ops, self.value(expr.a), self.value(expr.b), self.value(expr.total))
            case Cast(operand=Call(function="rint", args=(exact,))) if ops.rounds_to(exact.dtype, expr.dtype):
                return ops.rounded(self.value(exact))
            case Cast():
                return ops.cast(self.value(expr.operand), expr.dtype)
            case Bitcast():
                return ops.bitcast(self.value(expr.operand), expr.dtype)
            case Call():
                return self._call(expr.function, [self.value(arg) for arg in expr.args])
            case Select():
                return self._select(expr)
        raise InternalError(f"kernel {self.module.kernel.name!r}: {type(expr).__name__} is no expression")

    def _offset(self, buffer: Buffer, index: Sequence[Expr]) -> Value:
        total = number(0)
        for part, stride, extent in zip(index, buffer.strides, buffer.shape, strict=True):
            if extent != 1:  # the only index there is 0
                total = self.ops.add(total, self.ops.mul(self.value(part), number(stride)))
        return total

    def _call(self, function: str, args: list[Value]) -> Value:
        first = args[0]
        expand = EXPANSIONS.get(function)
        if expand is None or first.dtype is DType.FLOAT64 or not first.dtype.is_float:
            return self.ops.call(function, args)
        (single,) = self.ops.plain(first)
        result = expand(self.ops, Value(single.text, DType.FLOAT32, single.lanes, const=single.const))
        return self.ops.round(Value(result.text, first.dtype, result.lanes))

    def _select(self, expr: Select) -> Value:
        condition = self.value(expr.condition)
        if condition.const is not None:
            return self.value(expr.if_true if condition.const else expr.if_false)
        arms = (expr.if_true, expr.if_false)
        if condition.is_uniform:
            if any(self._is_costly(arm, with_calls=True) for arm in arms):
                return self._branch(condition, *arms)
        elif any(self._is_costly(arm, with_calls=False) for arm in arms):
            return self._masked_select(condition, *arms)
        return self.ops.select(condition, self.value(arms[0]), self.value(arms[1]))

    def _is_costly(self, expr: Expr, with_calls: bool) -> bool:
        """Whether computing an expression here reads memory or, if asked for, takes long."""
        seen: set[int] = set()
        waiting = [expr]
        while waiting:
            node = waiting.pop()
            if id(node) in seen or isinstance(node, (Const, Var)) or self.scope.value_of(node) is not None:
                continue
            seen.add(id(node))
            if isinstance(node, Load) or (with_calls and isinstance(node, Call) and not call_is_cheap(node)):
                return True
            waiting += children(node)
        return False

    def _compute_shared(self, a: Expr, b: Expr) -> None:
        """Computes, before a branch, what both of its sides are sure to need, so that it is not written twice."""
        sure_a, sure_b = sure(a, {}), sure(b, {})
        for key, node in sure_a.items():
            if key in sure_b and not isinstance(node, (Const, Var)):
                self.value(node)

    def _branch(self, condition: Value, if_true: Expr, if_false: Expr) -> Value:
        self._compute_shared(if_true, if_false)
        fn = self.fn
        labels = fn.label(), fn.label()
        end = fn.label()
        fn.branch(condition.text, *labels)
        results, exits = [], []
        places = []
        for label, arm in zip(labels, (if_true, if_false), strict=True):
            fn.begin(label)
            self._enter()
            result = self.value(arm)
            self._leave()
            results.append(result)
            exits.append(fn.block)
            places.append(fn.reserve())
            fn.jump(end)
        fn.begin(end)
        a, b = results
        if a.lanes or b.lanes:
            # One of them may have to become a vector, in its own block.
            lanes = max(a.lanes, b.lanes)
            wide = []
            for result, place in zip(results, places, strict=True):
                widened, lines = self._widen_aside(result, lanes)
                fn.fill(place, "\n  ".join(lines))
                wide.append(widened)
            a, b = wide
        text = fn.emit(f"phi {a.type} [ {a.text}, %{exits[0]} ], [ {b.text}, %{exits[1]} ]")
        return Value(text, a.dtype, a.lanes, low=min(a.low, b.low), high=max(a.high, b.high))

    def _widen_aside(self, value: Value, lanes: int) -> tuple[Value, list[str]]:
        """A value as a vector, and the instructions for it, to be put elsewhere."""
        return self.fn.aside(lambda: self.ops.vector(value, lanes))

    def _masked_select(self, condition: Value, if_true: Expr, if_false: Expr) -> Value:
        """Both sides, each in its own lanes only."""
        self._compute_shared(if_true, if_false)
        outer = self.mask
        sides = []
        for side, arm in ((condition, if_true), (self.ops.unary("not", condition), if_false)):
            self.mask = self._with_mask(side) if self.reads_memory(arm) else outer
            self._enter()
            sides.append(self.value(arm))
            self._leave()
            self.mask = outer
        return self.ops.select(condition, *sides)
