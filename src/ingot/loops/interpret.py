"""The interpreter: what a kernel means. Slow, exact, and checked; every code generator is tested against it.

A kernel is translated to Python source, one line for each statement and each shared node, and executed. The meaning of every
operation is in `scalars`; what is here is order: which node is computed when. A node that is needed in any case is computed once,
before its statement; a node that only a branch of a `Select` needs is computed when it is first asked for (a small function with
a memory). All names in the source are made here, none is taken from the kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
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
    Kernel,
    Let,
    Load,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.scalars import (
    NAMESPACE,
    binary_code,
    bitcast_code,
    call_code,
    cast_code,
    constant,
    decode_code,
    encode_code,
    fma_code,
    poison,
    unary_code,
)
from ingot.loops.transform.rewrite import children, expressions, postorder
from ingot.loops.transform.whole_ranges import whole
from ingot.loops.verify import verify

_INLINE_DEPTH = 12  # deeper expressions get a name, because Python's parser allows 200 nested parentheses
_FUNCTION_DEPTH = 12  # deeper statements become a function, because Python allows 20 nested loops in one
_UNBOUNDED = 2**63


class Interpreter:
    """One kernel, ready to run. Making one verifies the kernel and takes milliseconds; running may be repeated.

    Raises:
        InternalError: the kernel breaks a rule of the loop IR.
    """

    def __init__(self, kernel: Kernel) -> None:
        verify(kernel)
        self.kernel = kernel
        translation = _Translation(kernel)
        self.source = translation.source
        namespace: dict[str, Any] = {**NAMESPACE, **translation.constants, "_outside": _outside}
        exec(compile(self.source, f"<kernel {kernel.name}>", "exec"), namespace)
        self._function: Callable[..., None] = namespace["kernel"]

    def run(self, buffers: Sequence[np.ndarray]) -> None:
        """Runs the kernel over 1-D arrays, one for each of `kernel.params`, each the memory from the buffer's first element on.

        Raises:
            InternalError: an array does not fit its buffer, or the kernel reads or writes outside a buffer, or divides an
                integer by zero.
        """
        params = self.kernel.params
        if len(buffers) != len(params):
            raise InternalError(
                f"kernel {self.kernel.name!r}: got {len(buffers)} arrays, expected {len(params)}"
            )
        for array, buffer in zip(buffers, params, strict=True):
            if array.ndim != 1 or array.dtype != buffer.dtype.numpy or array.size < buffer.span:
                raise InternalError(
                    f"kernel {self.kernel.name!r}: the array for {buffer.name!r} is {array.dtype}{list(array.shape)}, "
                    f"expected a 1-D array of {buffer.dtype.numpy} with at least {buffer.span} elements",
                    buffer=buffer.name,
                )
        with np.errstate(all="ignore"):
            self._function(*buffers)


def run(kernel: Kernel, arrays: Mapping[str, np.ndarray]) -> None:
    """Runs a kernel once over arrays by the names of its parameters; see `Interpreter.run`."""
    missing = [buffer.name for buffer in kernel.params if buffer.name not in arrays]
    if missing:
        raise InternalError(f"kernel {kernel.name!r}: no array for {', '.join(map(repr, missing))}")
    compile_kernel(kernel)([arrays[buffer.name] for buffer in kernel.params])


@functools.lru_cache(maxsize=512)
def compile_kernel(kernel: Kernel) -> Callable[[Sequence[np.ndarray]], None]:
    """`Interpreter(kernel).run`; the same kernel object is translated once."""
    return Interpreter(kernel).run


def _outside(name: str, shape: tuple[int, ...], index: tuple[int, ...]) -> None:
    raise InternalError(
        f"index {list(index)} is outside buffer {name!r} of the shape {list(shape)}",
        buffer=name,
        index=index,
        shape=shape,
    )


class _Function:
    """A Python function that is being written: first the functions of lazy nodes, then its statements."""

    def __init__(self) -> None:
        self.lazy: list[str] = []
        self.lines: list[str] = []


class _Translation:
    def __init__(self, kernel: Kernel) -> None:
        self.constants: dict[str, Any] = {}
        self._constant_names: dict[object, str] = {}
        self._count = 0
        self._params: set[str] = (
            set()
        )  # Python names of buffers that are NumPy arrays; locals are lists of values
        self._function = _Function()
        buffers: dict[str, str] = {}
        for buffer in kernel.params:
            buffers[buffer.name] = self._new("b")
        self._params.update(buffers.values())
        self._block(whole(kernel.body), buffers, {}, 1)
        head = f"def kernel({', '.join(buffers.values())}):"
        self.source = "\n".join([head, *self._assembled(self._function, 1)]) + "\n"

    def _new(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    @staticmethod
    def _assembled(function: _Function, depth: int) -> list[str]:
        return [" " * depth + line for line in function.lazy] + function.lines

    # ─── statements ────────────────────────────────────────────────────────────────────────────────────────────────

    def _block(
        self,
        stmts: Sequence[Stmt],
        outer_buffers: Mapping[str, str],
        outer_variables: Mapping[str, tuple[str, int]],
        depth: int,
    ) -> None:
        """`outer_variables`: name → Python's name, and a bound of the absolute value."""
        if depth % _FUNCTION_DEPTH == 0:
            self._as_function(stmts, outer_buffers, outer_variables, depth)
            return
        buffers, variables = dict(outer_buffers), dict(outer_variables)
        emit = self._function.lines.append
        indent = " " * depth
        if not stmts:
            emit(indent + "pass")
        for stmt in stmts:
            expression = _Expressions(self, stmt, buffers, variables, indent)
            sources = expression.sources
            match stmt:
                case For():
                    name = self._new("v")
                    emit(f"{indent}for {name} in range({sources[0]}):")
                    bound = int(stmt.extent.value) if isinstance(stmt.extent, Const) else _UNBOUNDED
                    self._block(stmt.body, buffers, {**variables, stmt.var.name: (name, bound)}, depth + 1)
                case If():
                    emit(f"{indent}if {sources[0]}:")
                    self._block(stmt.then, buffers, variables, depth + 1)
                    if stmt.otherwise:
                        emit(f"{indent}else:")
                        self._block(stmt.otherwise, buffers, variables, depth + 1)
                case Prefetch():
                    emit(indent + "pass")
                case Let():
                    name = self._new("v")
                    emit(f"{indent}{name} = {sources[0]}")
                    variables[stmt.var.name] = (name, expression.bound(stmt.value))
                case Alloc():
                    name = self._new("b")
                    value = self.constant(poison(stmt.buffer.dtype), ("poison", stmt.buffer.dtype))
                    emit(f"{indent}{name} = [{value}] * {stmt.buffer.span}")
                    buffers[stmt.buffer.name] = name
                case Store():
                    value = sources[-1]
                    name = buffers[stmt.buffer.name]
                    parts = []
                    for code in sources[:-1]:
                        if not code.isidentifier() and not code.isdigit():
                            part = self._new("p")
                            emit(f"{indent}{part} = {code}")
                            parts.append(part)
                        else:
                            parts.append(code)
                    inside, failure, offset = _checked(stmt.buffer, parts, parts)
                    if inside:
                        emit(f"{indent}if not ({inside}): {failure}")
                    if name in self._params:
                        value = encode_code(value, stmt.buffer.dtype)
                    emit(f"{indent}{name}[{offset}] = {value}")

    def _as_function(
        self,
        stmts: Sequence[Stmt],
        buffers: Mapping[str, str],
        variables: Mapping[str, tuple[str, int]],
        depth: int,
    ) -> None:
        outer, self._function = self._function, _Function()
        self._block(stmts, buffers, variables, depth + 1)
        inner, self._function = self._function, outer
        name = self._new("f")
        outer.lines += [
            f"{' ' * depth}def {name}():",
            *self._assembled(inner, depth + 1),
            f"{' ' * depth}{name}()",
        ]

    # ─── names shared with expressions ─────────────────────────────────────────────────────────────────────────────

    def constant(self, value: object, key: object) -> str:
        """The name of a constant in the source."""
        if key not in self._constant_names:
            name = self._new("k")
            self._constant_names[key] = name
            self.constants[name] = value
        return self._constant_names[key]

    def lazy(self, code: str) -> tuple[str, str]:
        """A function that computes `code` once; returns its call and the name of its memory, to be emptied before each use."""
        name, memory = self._new("f"), self._new("m")
        self._function.lazy += [
            f"{memory} = None",
            f"def {name}():",
            f" nonlocal {memory}",
            f" if {memory} is None: {memory} = {code}",
            f" return {memory}",
        ]
        return f"{name}()", memory

    def is_array(self, name: str) -> bool:
        return name in self._params

    def new(self, letter: str) -> str:
        return self._new(letter)

    def emit(self, line: str) -> None:
        self._function.lines.append(line)


class _Expressions:
    """The expressions of one statement as Python expressions; shared nodes are computed by lines before it."""

    def __init__(
        self,
        translation: _Translation,
        stmt: Stmt,
        buffers: Mapping[str, str],
        variables: Mapping[str, tuple[str, int]],
        indent: str,
    ) -> None:
        self._translation = translation
        self._buffers = buffers
        self._variables = variables
        self._bounds: dict[int, int] = {}
        self._sources: dict[int, str] = {}
        roots = expressions(stmt)
        order = postorder(*roots)
        uses = _uses(order, roots)
        always = _always(order, roots)
        depths: dict[int, int] = {}
        assignments: list[str] = []
        memories: list[str] = []
        for node in order:
            operands = children(node)
            self._bounds[id(node)] = self._bound_of(node)
            code = self._code(node)
            depth = 1 + max((depths[id(child)] for child in operands), default=0)
            is_leaf = isinstance(node, Const | Var)
            if not is_leaf and (uses[id(node)] > 1 or depth > _INLINE_DEPTH):
                depth = 0
                if id(node) in always:
                    name = translation.new("t")
                    assignments.append(f"{indent}{name} = {code}")
                    code = name
                else:
                    code, memory = translation.lazy(code)
                    memories.append(memory)
            depths[id(node)] = depth
            self._sources[id(node)] = code
        if memories:
            translation.emit(f"{indent}{' = '.join(memories)} = None")
        for line in assignments:
            translation.emit(line)
        self.sources = [self._sources[id(root)] for root in roots]

    def bound(self, expr: Expr) -> int:
        """A bound of the absolute value of an int64 expression."""
        return self._bounds[id(expr)]

    def _bound_of(self, node: Expr) -> int:
        """Lets index arithmetic that cannot wrap do without wrapping, which takes most of its time."""
        if node.dtype is not DType.INT64:
            return _UNBOUNDED
        of = self._bounds
        match node:
            case Const():
                return abs(int(node.value))
            case Var():
                return self._variables[node.name][1]
            case Binary(op="add" | "sub"):
                return min(of[id(node.left)] + of[id(node.right)], _UNBOUNDED)
            case Binary(op="mul"):
                return min(of[id(node.left)] * of[id(node.right)], _UNBOUNDED)
            case Binary(op="min" | "max"):
                return max(of[id(node.left)], of[id(node.right)])
            case Binary(op="div" | "rem"):
                return of[id(node.left)]
            case Select():
                return max(of[id(node.if_true)], of[id(node.if_false)])
        return _UNBOUNDED

    def _code(self, node: Expr) -> str:
        operands = [self._sources[id(child)] for child in children(node)]
        wraps = self._bounds[id(node)] >= _UNBOUNDED
        match node:
            case Const():
                return self._constant(node)
            case Var():
                return self._variables[node.name][0]
            case Load():
                return self._load(node, operands)
            case Unary():
                return unary_code(node.op, operands[0], node.dtype)
            case Binary():
                return binary_code(node.op, operands[0], operands[1], node.left.dtype, wraps)
            case Fma():
                return fma_code(operands[0], operands[1], operands[2], node.dtype)
            case Word():
                return self._word(node)
            case Dot2():
                return f"_dot2({', '.join(operands)})"
            case Dot4():
                return f"_dot4({', '.join(operands)}, {node.signed}, {node.narrow})"
            case Select():
                return f"({operands[1]} if {operands[0]} else {operands[2]})"
            case Cast():
                return cast_code(operands[0], node.operand.dtype, node.dtype)
            case Bitcast():
                return bitcast_code(operands[0], node.operand.dtype, node.dtype)
            case Call():
                return call_code(node.function, operands, node.args[0].dtype)
        raise InternalError(f"{type(node).__name__} is no expression of the loop IR")

    def _constant(self, node: Const) -> str:
        if not node.dtype.is_float:
            text = repr(bool(node.value) if node.dtype is DType.BOOL else int(node.value))
            return f"({text})" if text.startswith("-") else text
        return self._translation.constant(constant(node), (node.dtype, float(node.value).hex()))

    def _load(self, node: Load, operands: Sequence[str]) -> str:
        name = self._buffers[node.buffer.name]
        checks, parts = [], []
        for code in operands:
            simple = code.isidentifier() or code.isdigit()
            part = code if simple else self._translation.new("p")
            checks.append(code if simple else f"({part} := {code})")
            parts.append(part)
        inside, failure, offset = _checked(node.buffer, checks, parts)
        value = f"{name}[{offset}]"
        if self._translation.is_array(name):
            value = decode_code(value, node.buffer.dtype)
        return f"({value} if {inside} else {failure})" if inside else value

    def _word(self, node: Word) -> str:
        """The element itself was checked where it was read; those behind it must lie in the buffer too."""
        buffer = node.element.buffer
        name = self._buffers[buffer.name]
        parts = [self._sources[id(part)] for part in node.element.index]
        _, _, offset = _checked(buffer, parts, parts)
        return f"_word({name}, {offset}, {buffer.span}, {buffer.name!r}, {buffer.dtype.bits})"


def _checked(buffer: Buffer, checks: Sequence[str], parts: Sequence[str]) -> tuple[str, str, str]:
    """The condition that an index is inside, what to do if not, and the offset of the element. All parts of the
    condition are evaluated, because they bind the names in `parts`.
    """
    inside = " & ".join(
        f"(0 <= {code} < {extent})" for code, extent in zip(checks, buffer.shape, strict=True)
    )
    failure = f"_outside({buffer.name!r}, {buffer.shape!r}, ({''.join(part + ', ' for part in parts)}))"
    terms = [
        part if stride == 1 else f"{part}*{stride}"
        for part, extent, stride in zip(parts, buffer.shape, buffer.strides, strict=True)
        if extent > 1 and stride
    ]
    return inside, failure, " + ".join(terms) or "0"


def _uses(order: Sequence[Expr], roots: Sequence[Expr]) -> dict[int, int]:
    """How many operands and roots each node is."""
    uses = {id(node): 0 for node in order}
    for node in order:
        for child in children(node):
            uses[id(child)] += 1
    for root in roots:
        uses[id(root)] += 1
    return uses


def _always(order: Sequence[Expr], roots: Sequence[Expr]) -> set[int]:
    """The nodes that are reached without going into a branch of a Select: they are needed in any case."""
    always = {id(root) for root in roots}
    for node in reversed(order):
        if id(node) in always:
            needed = (node.condition,) if isinstance(node, Select) else children(node)
            always.update(id(child) for child in needed)
    return always
