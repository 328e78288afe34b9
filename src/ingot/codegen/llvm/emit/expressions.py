"""The expressions of a kernel as LLVM instructions, each computed once where that holds."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Function, Value, constant, number
from ingot.codegen.llvm.emit.dot import dot2, dot4, dot4_of_halves, has_short_sums, load_word
from ingot.codegen.llvm.emit.memory import Place, load
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.scope import Scope, sure
from ingot.codegen.llvm.emit.shuffles import pack_bytes
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.emit.x86 import is_byte_table, looked_up
from ingot.codegen.llvm.forms.recognise import Forms
from ingot.codegen.llvm.math.f32 import EXPANSIONS, unless
from ingot.codegen.llvm.math.remainder import has_remainder, remainder
from ingot.codegen.llvm.math.vector_f64 import near_angles_for, written_for
from ingot.codegen.llvm.parallel.cost import call_is_cheap
from ingot.codegen.math.f64_angles import NEAR
from ingot.codegen.math.f64_parts import Written
from ingot.loops.nodes import (
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
    Load,
    Select,
    Unary,
    Var,
    Word,
)
from ingot.loops.transform.rewrite import children, postorder


class Expressions:
    """Writes expressions into one function, at the place, and for the lanes and the mask, that hold now."""

    def __init__(self, kernel_name: str, function: Function, scope: Scope, chip: Chip, forms: Forms) -> None:
        self.kernel_name = kernel_name
        self.forms = forms
        self.fn = function
        self.ops = Operations(function, chip)
        self.scope = scope
        self.lanes = 0
        self.mask: Value | None = None
        self._reads_memory: dict[int, tuple[Expr, bool]] = {}
        self._constants: dict[int, tuple[Expr, Value]] = {}

    # ─── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _enter(self, *names: tuple[Var, Value]) -> None:
        self.scope = Scope(parent=self.scope, names=dict(names))

    def _leave(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def _place(self, buffer: Buffer) -> Place:
        place = self.scope.place(buffer)
        if place is None:
            raise InternalError(
                f"kernel {self.kernel_name!r}: buffer {buffer.name!r} is used but not declared"
            )
        return place

    def reads_memory(self, expr: Expr) -> bool:
        """Whether an expression has a load in it."""
        known = self._reads_memory
        entry = known.get(id(expr))
        if entry is not None:
            return entry[1]
        reads = isinstance(expr, Load)
        for child in () if reads else children(expr):
            if not isinstance(child, Const | Var):
                of_child = known.get(id(child))  # mostly the operands were asked for before
                reads = reads or (self._read_below(child) if of_child is None else of_child[1])
        known[id(expr)] = (expr, reads)
        return reads

    def _read_below(self, expr: Expr) -> bool:
        """`reads_memory` of one whose operands were not asked for: by a list instead of recursion, for a chain may be long."""
        known = self._reads_memory
        for node in postorder(expr, known=known):
            known[id(node)] = (
                node,
                isinstance(node, Load) or any(known[id(child)][1] for child in children(node)),
            )
        return known[id(expr)][1]

    def _with_mask(self, condition: Value) -> Value:
        condition = self.ops.vector(condition, self.lanes)
        return condition if self.mask is None else self.ops.binary("and", self.mask, condition)

    # ─── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, expr: Expr) -> Value:
        """The value of an expression here; computed once for each block and memory state.

        Operands come first, by a list instead of recursion, since a chain may be longer than Python's stack.
        """
        waiting = [expr]
        while True:
            node = waiting[-1]
            result = self._known(node)
            if result is None:
                # The sides of a Select are computed by it, if at all.
                operands = (
                    (node.condition,)
                    if isinstance(node, Select)
                    else self.forms.bytes_of.get(node) or children(node)
                )
                missing = [operand for operand in operands if self._known(operand) is None]
                if missing:
                    waiting += reversed(missing)
                    continue
                result = self._compute(node)
                self.scope.keep(node, result, self.reads_memory(node))
            waiting.pop()
            if not waiting:
                return result

    def _known(self, expr: Expr) -> Value | None:
        if isinstance(expr, Const):
            entry = self._constants.get(id(expr))
            if entry is None:
                entry = self._constants[id(expr)] = expr, constant(expr.value, expr.dtype)
            return entry[1]
        if isinstance(expr, Var):
            bound = self.scope.name(expr)
            if bound is None:
                raise InternalError(f"kernel {self.kernel_name!r}: name {expr.name!r} is used but not bound")
            return bound
        return self.scope.value_of(expr)

    def _compute(self, expr: Expr) -> Value:
        ops = self.ops
        match expr:
            case Load():
                return self._load(expr)
            case Unary():
                return ops.unary(expr.op, self.value(expr.operand))
            case Binary(op="or") if bytes_ := self.forms.bytes_of.get(expr):
                return pack_bytes(ops, [self.value(byte) for byte in bytes_], expr.dtype)
            case Binary(op="rem") if has_remainder(ops, self.value(expr.left), self.value(expr.right)):
                return remainder(ops, self.value(expr.left), self.value(expr.right))
            case Binary():
                return ops.binary(expr.op, self.value(expr.left), self.value(expr.right))
            case Fma():
                return ops.fma(self.value(expr.a), self.value(expr.b), self.value(expr.c))
            case Word():
                element = expr.element
                return load_word(
                    ops, self._place(element.buffer), self._offset(element.buffer, element.index), self.mask
                )
            case Dot2():
                return dot2(ops, self.value(expr.a), self.value(expr.b), self.value(expr.total))
            case Dot4(signed=True, narrow=True) if has_short_sums(ops, self.lanes) and (
                halves := self.forms.halves_of.get(expr.b)
            ):
                a, low, high, total = (self.value(operand) for operand in (expr.a, *halves, expr.total))
                return dot4_of_halves(ops, a, low, high, total)
            case Dot4():
                return dot4(ops, self.value(expr.a), self.value(expr.b), self.value(expr.total), expr.signed)
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
        raise InternalError(f"kernel {self.kernel_name!r}: {type(expr).__name__} is no expression")

    def _load(self, expr: Load) -> Value:
        place, offset = self._place(expr.buffer), self._offset(expr.buffer, expr.index)
        if self.ops.chip.lookup_bytes and offset.lanes and not offset.step and is_byte_table(place):
            return looked_up(self.ops, place, offset)
        return load(self.ops, place, offset, self.mask)

    def _offset(self, buffer: Buffer, index: Sequence[Expr]) -> Value:
        total, constant = number(0), 0
        for part, stride, extent in zip(index, buffer.strides, buffer.shape, strict=True):
            if extent != 1:  # the only index there is 0
                moving, fixed = _apart(part)
                constant += fixed * stride
                if moving is not None:
                    term = self.value(moving)
                    if stride != 1 or not term.is_affine:
                        term = self.ops.mul(term, number(stride))
                    total = term if total.const == 0 and term.is_affine else self.ops.add(total, term)
        if constant == 0 and total.is_affine:
            return total
        # Last, so that accesses that lie a fixed distance apart share one pointer.
        return self.ops.add(total, number(constant))

    def _call(self, function: str, args: list[Value]) -> Value:
        first = args[0]
        expand = EXPANSIONS.get(function)
        if expand is None or first.dtype is DType.FLOAT64 or not first.dtype.is_float:
            near = (
                near_angles_for(function, first.dtype)
                if self.ops.chip.has_doubles and self.ops.chip.machine.has_fma
                else None
            )
            if near is not None:
                return self._unless_far(near, function, first)
            written = written_for(function, first.dtype) if self.ops.chip.has_doubles else None
            return self.ops.call(function, args) if written is None else self._written(written, args)
        (single,) = self.ops.plain(first)
        result = expand(self.ops, Value(single.text, DType.FLOAT32, single.lanes, const=single.const))
        return self.ops.round(Value(result.text, first.dtype, result.lanes))

    def _unless_far(self, near: Written, function: str, given: Value) -> Value:
        """A function of angles, by the C library in lanes where they are far, if there are any."""
        (x,) = self.ops.plain(given)
        fast = self._written(near, [x])
        far = self.ops.binary("gt", self.ops.call("abs", [x]), constant(NEAR, DType.FLOAT64))
        return unless(self.ops, far, fast, lambda: self.ops.call(function, [x]))

    def _written(self, written: Written, args: Sequence[Value]) -> Value:
        """A function in float64, a few vectors at a time: many would not fit into the registers."""
        args = self.ops.plain(*args)
        dtype, lanes = args[0].dtype, args[0].lanes
        lanes_max = max(1, 2 * self.ops.chip.machine.vector_bytes // DType.FLOAT64.size_bytes)
        whole, rest = divmod(lanes, lanes_max)
        count = (
            1 if rest or whole.bit_count() != 1 else whole
        )  # of parts, which are put side by side two by two
        results = []
        for number_ in range(count):
            parts = (
                args if count == 1 else [self.ops.part(arg, number_ * lanes_max, lanes_max) for arg in args]
            )
            wide = [self.ops.cast(part, DType.FLOAT64) for part in parts]
            self._enter(*zip(written.params, wide, strict=True))
            results.append(self.ops.cast(self.value(written.result), dtype))
            self._leave()
        return self.ops.side_by_side(results)

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
            if (
                isinstance(node, Load)
                and not with_calls
                and not self._is_masked_well(node)
                and self._is_plain(node)
            ):
                continue
            if isinstance(node, Load) or (with_calls and isinstance(node, Call) and not call_is_cheap(node)):
                return True
            waiting += children(node)
        return False

    def _is_masked_well(self, node: Load) -> bool:
        """Whether a masked load costs no more than a plain one: with AVX-512, loads and most arithmetic take a mask operand."""
        place = self.scope.place(node.buffer)
        return self.ops.chip.has_gather and place is not None and place.local

    def _is_plain(self, node: Load) -> bool:
        """Whether a load is one of neighbours, or of the same element in all lanes, that are inside the buffer for sure: reading
        them from memory where they are not wanted costs less than waiting to know, or than leaving them out without masks.
        """
        moving = 0
        for part, extent, stride in zip(node.index, node.buffer.shape, node.buffer.strides, strict=True):
            if self.reads_memory(part):
                return False
            at = self.value(part)
            low, high = at.ends
            if (at.lanes and not at.step) or low < 0 or high >= extent:
                return False
            moving += at.step * stride
        return moving in (0, 1)

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


def _apart(part: Expr) -> tuple[Expr | None, int]:
    """An index without the number that is added to it, if there is more, and the number."""
    match part:
        case Const():
            return None, int(part.value)
        case (
            Binary(op="add", left=moving, right=Const(value=fixed))
            | Binary(op="add", left=Const(value=fixed), right=moving)
        ):
            return moving, int(fixed)
        case Binary(op="sub", left=moving, right=Const(value=fixed)):
            return moving, -int(fixed)
    return part, 0
