"""The loop IR: every kind of node that a kernel is made of. This file is the whole language.

A kernel is one function over dense buffers. Expressions are pure; a `Select` evaluates only the branch that it takes, so the
loads of the other branch need not be in bounds. Integers wrap. Shared subexpressions are shared Python objects: a pass that
rewrites must keep the sharing (see `rewrite`), because an expression is a graph and its tree may be exponentially larger.
"""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field
from typing import Union

from ingot.base.errors import InternalError
from ingot.base.tensor import DType, TensorType, row_major
from ingot.loops.analyse.index_math import folded

# ─── buffers ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Buffer:
    """A tensor in memory. Element `[i, j, …]` is `i*strides[0] + j*strides[1] + …` elements behind the buffer's pointer.

    The shape is the logical one; strides give the storage order, so a channels-last feature map keeps its
    shape `[N, C, H, W]` and has the strides of `[N, H, W, C]`.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __hash__(self) -> int:
        return hash(self.name)  # quick, since passes ask for each node

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.shape)

    @property
    def is_row_major(self) -> bool:
        return all(
            extent == 1 or stride == dense
            for extent, stride, dense in zip(self.shape, self.strides, row_major(self.shape), strict=True)
        )

    @property
    def span(self) -> int:
        """Number of elements from the first to the last, both included; 0 if the buffer is empty."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))


def buffer(name: str, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Buffer:
    """A buffer with the given strides, or a row-major one."""
    return Buffer(name, dtype, shape, row_major(shape) if strides is None else strides)


# ─── expressions ───────────────────────────────────────────────────────────────────────────────────────────────────

Number = Union[int, float, bool]
Operand = Union["Expr", int, float, bool]


class Expr:
    """Base of all expressions. `+ - * //  %` build new ones and fold constants; `a // b` truncates as C does."""

    __slots__ = ()
    dtype: DType

    def __add__(self, other: Operand) -> Expr:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return binary("add", as_expr(other, self.dtype), self)

    def __sub__(self, other: Operand) -> Expr:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return binary("sub", as_expr(other, self.dtype), self)

    def __mul__(self, other: Operand) -> Expr:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return binary("mul", as_expr(other, self.dtype), self)

    def __truediv__(self, other: Operand) -> Expr:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return binary("div", as_expr(other, self.dtype), self)

    def __floordiv__(self, other: Operand) -> Expr:
        return binary("div", self, other)

    def __mod__(self, other: Operand) -> Expr:
        return binary("rem", self, other)

    def __neg__(self) -> Expr:
        return Unary("neg", self)


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    """A number. Integers are within their type's range; floats are Python floats, rounded to the type when used."""

    value: Number
    dtype: DType


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """A loop index (int64) or a name bound by `Let`. Two variables are the same iff name and type are."""

    name: str
    dtype: DType = DType.INT64

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Load(Expr):
    """The element of a buffer at a logical index."""

    buffer: Buffer
    index: tuple[Expr, ...]

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self.buffer.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expr):
    """`neg` (numbers), `not` (bool, or all bits of an integer)."""

    op: str
    operand: Expr
    dtype: DType = field(
        init=False, repr=False
    )  # kept, not asked of the operands: a chain of them may be long

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", self.operand.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expr):
    """Two operands of one type; see ARITHMETIC, BITWISE and COMPARISONS."""

    op: str
    left: Expr
    right: Expr
    dtype: DType = field(
        init=False, repr=False
    )  # kept, not asked of the operands: a chain of them may be long

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", DType.BOOL if self.op in COMPARISONS else self.left.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Fma(Expr):
    """`a * b + c` of one float type; rounded once where the target can, else twice. Integers wrap."""

    a: Expr
    b: Expr
    c: Expr
    dtype: DType = field(
        init=False, repr=False
    )  # kept, not asked of the operands: a chain of them may be long

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", self.c.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Word(Expr):
    """Four bytes of memory, from an element of a buffer of 8- or 16-bit integers on, as an int32: the first ones are lowest."""

    element: Load
    dtype: DType = field(init=False, repr=False, default=DType.INT32)


@dataclass(frozen=True, slots=True, eq=False)
class Dot4(Expr):
    """`total + Σ a[i] * b[i]` over the four bytes of two int32: those of `a` are unsigned unless it is `signed`, those of `b`
    always signed. Exact: the products are summed in int32, which wraps; nothing saturates on the way. Whoever says `narrow` knows
    that products 0 and 2 fit 16 bits together, and 1 and 3 do.
    """

    a: Expr
    b: Expr
    total: Expr
    signed: bool = False
    narrow: bool = False
    dtype: DType = field(init=False, repr=False, default=DType.INT32)


@dataclass(frozen=True, slots=True, eq=False)
class Dot2(Expr):
    """`total + a[0] * b[0] + a[1] * b[1]` over the halves of two int32, which are signed. Exact: summed in int32, which wraps."""

    a: Expr
    b: Expr
    total: Expr
    dtype: DType = field(init=False, repr=False, default=DType.INT32)


@dataclass(frozen=True, slots=True, eq=False)
class Select(Expr):
    """`condition ? if_true : if_false`, evaluating only the branch taken (for each lane of a vector loop)."""

    condition: Expr
    if_true: Expr
    if_false: Expr
    dtype: DType = field(
        init=False, repr=False
    )  # kept, not asked of the operands: a chain of them may be long

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", self.if_true.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Expr):
    """Conversion by value. Float to integer truncates toward zero (out of range: unspecified, no trap); integers wrap;
    to bool is `!= 0`; to a shorter float rounds to nearest even.
    """

    operand: Expr
    dtype: DType


@dataclass(frozen=True, slots=True, eq=False)
class Bitcast(Expr):
    """The same bits as another type of the same width."""

    operand: Expr
    dtype: DType


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """A function of the closed list FUNCTIONS, on floats of one type."""

    function: str
    args: tuple[Expr, ...]
    dtype: DType = field(
        init=False, repr=False
    )  # kept, not asked of the operands: a chain of them may be long

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", DType.BOOL if self.function in PREDICATES else self.args[0].dtype)


# add, sub, mul; div truncates on integers; rem has the sign of the dividend (C's % and fmod);
# min(a, b) is `a < b ? a : b` and max(a, b) is `a > b ? a : b`: with a NaN in either operand the result is b.
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "rem", "min", "max"})
# and, or, xor on bool and integers; shl, shr (arithmetic on signed, logical on unsigned) with a count below the width.
BITWISE = frozenset({"and", "or", "xor", "shl", "shr"})
COMPARISONS = frozenset(
    {"lt", "le", "gt", "ge", "eq", "ne"}
)  # ordered as IEEE says: with a NaN only `ne` is true
PREDICATES = frozenset({"isnan", "isinf"})
# rint rounds half to even; pow takes two arguments; abs also takes integers; exp_flushed is exp up to 89, may be 0 below 2^-125
ROUNDING = frozenset({"floor", "ceil", "trunc", "rint"})
TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "asin", "acos", "atan"})
HYPERBOLIC = frozenset({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"})
FUNCTIONS = (
    PREDICATES
    | ROUNDING
    | TRIGONOMETRIC
    | HYPERBOLIC
    | {"abs", "sqrt", "exp", "exp_flushed", "log", "erf", "pow"}
)


# ─── statements ────────────────────────────────────────────────────────────────────────────────────────────────────


class Statement:
    """Base of all statements. The slots keep what `rewrite.order_of` found, once it was asked; others may refer weakly."""

    __slots__ = ("__weakref__", "order", "shared")
    order: list[Expr]
    shared: frozenset[int]


class LoopKind(enum.Enum):
    """How the iterations of a loop may run."""

    SERIAL = "serial"
    UNROLLED = "unrolled"  # serial, repeated in the code; the extent is constant
    VECTOR = "vector"  # iterations are independent, one per vector lane; the extent is constant; no loop of this kind inside
    # Iterations are independent, shared out to threads. Only outermost, or in outermost serial loops, whose variables it may use:
    # of all else in the kernel it sees the parameters only.
    PARALLEL = "parallel"
    TILES = "tiles"  # serial; holds sums of products of two matrices in the form that `loops/analyse/amx_sums` states
    # Iterations are independent groups of work items: OpenCL's work groups, CUDA's blocks. Outermost in a kernel, at most
    # GROUPS_DEPTH_MAX one directly in another; the extents are constant.
    GROUP = "group"
    # Iterations are the independent items of one group, run together. The extent is constant, at most ITEMS_MAX, and the same
    # for all loops of this kind in a group. One such loop after another begins when all items are through with the one before.
    ITEM = "item"


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    """`for var in range(extent)`. The variable is int64. In a vector loop an `Alloc` is one local per lane.

    With `end`, which only a parallel loop may have whose extent is at most a constant, the body does all iterations from `var` up
    to `end`, for ranges that make up the extent, however they are cut: what a thread needs once is done once for many. They
    should have `run_min` iterations, where each thread has some. No range is empty.

    `expects` names the form that the code generator should recognise in the loop (`codegen/llvm/forms`), because it is slow
    otherwise. It means nothing, so the text form is without it; tests fail where a form is lost.
    """

    var: Var
    extent: Expr
    body: tuple[Stmt, ...]
    kind: LoopKind = LoopKind.SERIAL
    end: Var | None = None
    run_min: int = 1
    expects: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Store(Statement):
    """Writes one element."""

    buffer: Buffer
    index: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Prefetch(Statement):
    """A hint that an element will be read soon. It computes nothing; a code generator may leave it out."""

    buffer: Buffer
    index: tuple[Expr, ...]
    near: bool = False  # very soon: into the first-level cache, not the second
    alone: bool = False  # of use only to a thread that does all of the parallel loop around


@dataclass(frozen=True, slots=True, eq=False)
class Let(Statement):
    """Names a value for the statements after it in the same block."""

    var: Var
    value: Expr


class Space(enum.Enum):
    """Where a buffer of a kernel's own lives. The last two stand in a group, outside its item loops."""

    LOCAL = "local"  # registers or the stack of whoever runs the block
    SHARED = "shared"  # memory that all items of a group see; at most SHARED_BYTES_MAX in a group
    # Registers of each item, which outlive an item loop: the first index is always the variable of the item loop, and an item
    # has all that lie at its own index.
    PER_ITEM = "per_item"


@dataclass(frozen=True, slots=True, eq=False)
class Alloc(Statement):
    """A buffer of the kernel's own, uninitialised, for the statements after it in the same block.

    A local one lives in registers or on the stack: at most LOCAL_BYTES_MAX for all that are alive together; more is a workspace
    parameter of the kernel.
    """

    buffer: Buffer
    space: Space = Space.LOCAL


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """A branch."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] = ()


Stmt = Union[For, Store, Prefetch, Let, Alloc, If]
LOCAL_BYTES_MAX = 16384


STATUS = TensorType(DType.INT32, ())


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """One function: pointers to inputs, outputs and workspaces in, a status out.

    Outputs never overlap inputs unless `in_place` names the pairs (input position, output position) that may share storage
    exactly. `comment` says for people what the kernel computes. The status is 0; of a kernel that `checks` it is what the kernel
    stored in its first output, an int32 without dimensions.
    """

    name: str
    inputs: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    body: tuple[Stmt, ...]
    workspaces: tuple[Buffer, ...] = ()
    in_place: tuple[tuple[int, int], ...] = ()
    comment: str = field(default="")
    checks: bool = False

    @property
    def params(self) -> tuple[Buffer, ...]:
        """All parameters, in the order of the calling convention."""
        return self.inputs + self.outputs + self.workspaces


# ─── building ──────────────────────────────────────────────────────────────────────────────────────────────────────


def as_expr(value: Operand, dtype: DType) -> Expr:
    """The operand itself, or a constant of the given type."""
    return value if isinstance(value, Expr) else Const(value, dtype)


def index(value: Operand) -> Expr:
    """An index expression (int64)."""
    return as_expr(value, DType.INT64)


def binary(op: str, left: Expr, right: Operand) -> Expr:
    """A binary node; int64 constants are folded, and neutral elements vanish, so that index arithmetic stays readable."""
    other = as_expr(right, left.dtype)
    if left.dtype is DType.INT64:
        known = _fold_index(op, left, other)
        if known is not None:
            return known
    return Binary(op, left, other)


def _fold_index(op: str, left: Expr, right: Expr) -> Expr | None:
    a = left.value if isinstance(left, Const) else None
    b = right.value if isinstance(right, Const) else None
    if a is not None and b is not None:
        value = folded(op, int(a), int(b))
        return None if value is None else Const(value, DType.BOOL if op in COMPARISONS else DType.INT64)
    match op:
        case "add" if a == 0:
            return right
        case "add" | "sub" if b == 0:
            return left
        case "mul" if a == 0 or b == 0:
            return Const(0, DType.INT64)
        case "mul" if a == 1:
            return right
        case "mul" | "div" if b == 1:
            return left
        case "rem" if b == 1:
            return Const(0, DType.INT64)
    return None


def compare(op: str, left: Expr, right: Operand) -> Expr:
    """A comparison: `lt le gt ge eq ne`."""
    return binary(op, left, right)


def both(*conditions: Expr) -> Expr:
    """Conjunction; constants vanish. Of no condition it is true."""
    if any(isinstance(condition, Const) and not condition.value for condition in conditions):
        return Const(False, DType.BOOL)
    rest = [condition for condition in conditions if not isinstance(condition, Const)]
    return (
        functools.reduce(lambda left, right: Binary("and", left, right), rest)
        if rest
        else Const(True, DType.BOOL)
    )


def select(condition: Expr, if_true: Expr, if_false: Operand) -> Expr:
    """A Select; a constant condition chooses at once."""
    if isinstance(condition, Const):
        return if_true if condition.value else as_expr(if_false, if_true.dtype)
    return Select(condition, if_true, as_expr(if_false, if_true.dtype))


def cast(operand: Expr, dtype: DType) -> Expr:
    """A Cast, or the operand itself where it has the type already."""
    return operand if operand.dtype is dtype else Cast(operand, dtype)


def minimum(left: Expr, right: Operand) -> Expr:
    """`left < right ? left : right`."""
    return binary("min", left, right)


def maximum(left: Expr, right: Operand) -> Expr:
    """`left > right ? left : right`."""
    return binary("max", left, right)


def call(function: str, *args: Expr) -> Expr:
    """A function of FUNCTIONS."""
    return Call(function, args)


def load(source: Buffer, *index_: Operand) -> Expr:
    """The element at an index; integers become constants."""
    return Load(source, tuple(index(part) for part in index_))


def word(element: Expr) -> Expr:
    """The `Word` from an element on."""
    if not isinstance(element, Load):
        raise InternalError(f"a word is read from memory, not made of {type(element).__name__}")
    return Word(element)


def store(destination: Buffer, index_: tuple[Operand, ...], value: Operand) -> Store:
    """A store; integers in the index become constants, and so does a number as the value."""
    return Store(destination, tuple(index(part) for part in index_), as_expr(value, destination.dtype))
