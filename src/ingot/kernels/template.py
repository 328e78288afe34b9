"""Definitions: what an operator computes, before anyone decides how.

A definition is one of three things:

- `Pointwise`: each output element is an expression over input elements. Fusing two of them is putting one expression into the
  other.
- `Reshape`: the same elements in row-major order under another shape. Often costs nothing.
- `Template`: everything else (convolution, matrix product, reduction, …): a function that writes the kernel's loops once it is
  told
  the machine, the storage of its operands, what to compute in place of reading an input, and what to do with each
  result before it is stored (the epilogue).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union

import numpy as np

from ingot.base.tensor import DType, TensorType, row_major
from ingot.loops.analyse.counts import Limit, needed_param
from ingot.loops.nodes import (
    PREDICATES,
    ROUNDING,
    Buffer,
    Call,
    Const,
    Expr,
    Load,
    Operand,
    Stmt,
    Store,
    Var,
    buffer,
    index,
    maximum,
    minimum,
)
from ingot.loops.transform.rewrite import Rewriter, loads, walk
from ingot.machines.machine import Machine


@dataclass(frozen=True, slots=True)
class Room:
    """What is there of a template's operands, in a program with room for more.

    Attributes:
        sizes: a parameter that has the sizes of the call.
        inputs: the limits of each input.
        output: those of output 0.
    """

    sizes: Buffer
    inputs: tuple[tuple[Limit, ...], ...]
    output: tuple[Limit, ...]

    @staticmethod
    def limit(limits: Sequence[Limit], axis: int) -> Limit | None:
        """The limit of an axis of which the first elements are there."""
        there = (limit for limit in limits if limit.axis == axis and (limit.each, limit.rounds) == (1, 1))
        return next(there, None)


class Home(enum.Enum):
    """Where the weights of a whole model are when the next inference begins, by their size."""

    CORE = "core"  # mostly in the caches of one core
    SPLIT = "split"  # mostly in the caches of two cores where each reads one half; of one that reads all: in a shared one
    SHARED = "shared"  # in a cache that cores share
    MEMORY = "memory"


# Bytes of weights that kernels of one model may store once more, in all: files stay near the size of their weights.
SPARE_BYTES = 256 * 1024
# What decisions are called, or begin with, of which one word takes of these: the cost model's answer depends on what is left.
COPIES = "weights"

Option = TypeVar("Option")  # anything that a template may choose between
Answer = TypeVar("Answer")  # that can be compared
Arranged = Callable[[np.ndarray], np.ndarray]  # another arrangement of a constant

# Functions of about one instruction.
SHORT_FUNCTIONS = PREDICATES | ROUNDING | frozenset({"abs", "sqrt"})


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """`output[index] = value` for every index. `inputs` are formal, row-major buffers that `value` loads from."""

    inputs: tuple[Buffer, ...]
    output: TensorType
    index: tuple[Var, ...]
    value: Expr
    name: str = "pointwise"

    def follows(self, number: int) -> bool:
        """Whether input `number` is read, and only at the index that is being written. Where an extent is 1, index 0 counts as
        it.
        """
        formal = self.inputs[number]
        reads = [node for node in loads(self.value) if node.buffer.name == formal.name]
        return (
            bool(reads)
            and formal.shape == self.output.shape
            and all(
                part == variable or (extent == 1 and isinstance(part, Const) and part.value == 0)
                for node in reads
                for part, variable, extent in zip(node.index, self.index, self.output.shape, strict=True)
            )
        )

    def at(self, index_: Sequence[Expr], load: Callable[[int, tuple[Expr, ...]], Expr]) -> Expr:
        """The value at an index; `load(position, index)` reads an input. Sharing in `value` is kept."""
        values = dict(zip(self.index, index_, strict=True))
        position = {buffer_.name: number for number, buffer_ in enumerate(self.inputs)}

        def leave(node: Expr) -> Expr | None:
            if isinstance(node, Var):
                return values.get(node)
            if isinstance(node, Load):
                return load(position[node.buffer.name], node.index)
            return None

        return Rewriter(leave)(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Reshape:
    """The elements of the input, in row-major order of its logical shape, under another shape of the same size."""

    input: TensorType
    output: TensorType
    name: str = "reshape"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """How a template makes some rows of output 0, which has rows in dimension 2, alone. `make(first, stop)` gives the template of
    these rows, and where the rows of input 0 that it reads begin and end: they are its input 0. It gives None for rows that read
    nothing of it. A row takes `operations` operations.
    """

    make: Callable[[int, int], tuple[Template, int, int] | None]
    operations: int


@dataclass(frozen=True, slots=True)
class Independent:
    """Axes along which a template computes each place by itself: place `i` of the outputs needs place `i` of every input that has
    an axis here, and the whole of every input that has None. What is computed depends neither on `i` nor on how many places
    there are.
    """

    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """Axes whose places a template combines, one of each input or None where an input has none of them: places that have the
    `neutral` value in every input change nothing, wherever they stand. Output `k` has these places again along `outputs[k]`,
    where they get the value `result` then (None: some value). It needs `minimum` places, unless it says which axis of output `k`
    has the first `minimum` of them in some order (`picked[k]`): then there may be fewer.
    `is_numbered` says that results tell where places are: no others may stand between them.
    """

    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]
    neutral: float
    result: float | None = None
    minimum: int = 0
    is_numbered: bool = False
    picked: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """Axes along which a template goes from place to place, one of each input or None where an input has none of them, and of
    each output. `make()` gives the template that is told how many there are: `type` is that of its new inputs, of which each
    element is this number, and `positions` says where they are among its inputs.
    """

    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]
    type: TensorType
    positions: tuple[int, ...]
    make: Callable[[], Template]


@dataclass(frozen=True, slots=True)
class Counting:
    """A template finds out while it runs how many places there are. Output `output`, an int64 of one element, gets the number,
    and output `k` has these places along `axes[k]`, or none of them where that is None. If there are more than it has room for,
    it writes as many as it has room for, and gives the true number. `name` says whose number it is: that of a node.
    """

    name: str
    output: int
    axes: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Windowed:
    """An axis of input 0 and of the outputs along which a template combines the places under each window: for `n` places there
    are `(n * times + plus) // over` windows, from `minimum` places on. Places behind others that have the `neutral` value count
    as if the input ended before them; but in a mean (`is_mean`) they count as places. Windows that are there read `reach` places
    behind the last, and no others; None: it is not known. What other windows give may be anything, and reaches no other result.
    """

    axis: int
    neutral: float
    times: int = 1
    plus: int = 0
    over: int = 1
    minimum: int = 1
    is_mean: bool = False
    reach: int | None = None


@dataclass(frozen=True, slots=True)
class Taps:
    """The places of an axis under a window: `count` of them, each `dilation` places behind the one before. Window `i` begins at
    place `i * stride - before`.
    """

    axis: int
    count: int
    stride: int
    dilation: int
    before: int


@dataclass(frozen=True, slots=True)
class Mean:
    """What results are means of: of the places of the input under windows along some axes. `make()` gives the template of the
    sums.
    """

    taps: tuple[Taps, ...]
    make: Callable[[], Template]


def windowed(
    axis: int,
    neutral: float,
    *,
    span: int,
    stride: int,
    pads: tuple[int, int],
    ceil: bool = False,
    is_mean: bool = False,
) -> Windowed:
    """Windows of `span` places, each `stride` places behind the one before, over an axis with `pads` places before and behind it.
    With `ceil` the last one may reach further.
    """
    room = sum(pads) - span
    plus = room + (2 * stride - 1 if ceil else stride)
    reach = max(plus - stride + span - pads[0], 0)
    return Windowed(axis, neutral, 1, plus, stride, max(-room, 1), is_mean, reach)


def each_but(rank: int, *mixed: int, others: int = 0, outputs: int = 1) -> tuple[Independent, ...]:
    """The independent axes of a template whose input 0 and outputs have the same axes, of which it mixes some; it has `others`
    more inputs that every place needs as a whole.
    """
    return tuple(
        Independent((axis, *[None] * others), (axis,) * outputs) for axis in range(rank) if axis not in mixed
    )


def each_kept(rank: int, folded: Sequence[int], keepdims: bool) -> tuple[Independent, ...]:
    """The independent axes of a template that folds some axes of its one input, and keeps them with the extent 1 or not."""
    kept = [axis for axis in range(rank) if axis not in folded]
    return tuple(Independent((axis,), (axis if keepdims else at,)) for at, axis in enumerate(kept))


def each_of_product(
    a: TensorType, b: TensorType, output: TensorType, others: int = 0
) -> tuple[Independent, ...]:
    """The independent axes of a matrix product: the batch, of which operands may have a part, rows of `a`, columns of `b`."""

    def place(operand: TensorType, axis: int) -> int | None:
        at = axis - output.rank + operand.rank
        return at if at >= 0 and operand.shape[at] == output.shape[axis] else None

    rest = [None] * others
    batch = (Independent((place(a, axis), place(b, axis), *rest), (axis,)) for axis in range(output.rank - 2))
    rows = Independent((a.rank - 2, None, *rest), (output.rank - 2,))
    columns = Independent((None, b.rank - 1, *rest), (output.rank - 1,))
    return (*batch, rows, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A computation that writes its own loops.

    `build(site)` returns the statements of the kernel. `inlines` are the positions of inputs that `build` reads only through
    `site.read`, each element few times, so that the producer's expression may be computed there instead of being stored.
    `epilogue` is true if output 0 is written only through `site.write`, once for each element unless it says
    `site.writes_again`, and never read back, wherever `site.has_epilogue`. `spec` holds everything that decides the code
    besides the types: kernels of equal text are written once, so what it leaves out would give one problem another's kernel.
    `spares` says that `build` may ask for `site.spare_bytes`, `turns` that output 0 may be stored in row-major order too, without
    a copy in the preferred one. `rows` is there if the template can be taken apart into bands of rows, each of which is the same
    as these rows of the whole. `independent` are the axes along which it computes each place by itself, as far as somebody asked.
    `ordered` are axes of input 0 and of all outputs of which place `i` needs the places up to `i`, and no later ones. `joined` is
    the axis along which the inputs stand one behind another in output 0, if the template does nothing else. `mean` says what
    results are means of. `in_place` makes the template that writes only what it changes of input 0, where output 0 lies in its
    memory. One that `checks` has a status as output 0, with which the run ends unless it is 0.
    """

    name: str
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    build: Callable[[Site], Sequence[Stmt]]
    spec: Mapping[str, Any] = field(default_factory=dict)
    inlines: frozenset[int] = frozenset()
    epilogue: bool = True
    # Position of an input or output → the order of dimensions (outermost first) in which the template likes it stored.
    prefers: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    spares: bool = False
    turns: bool = False
    rows: Rows | None = None
    independent: tuple[Independent, ...] = ()
    folded: tuple[Folded, ...] = ()
    windowed: tuple[Windowed, ...] = ()
    ordered: tuple[int, ...] = ()
    counted: Counted | None = None
    mean: Mean | None = None
    joined: int | None = None
    in_place: Callable[[], Template] | None = None
    checks: bool = False
    counting: Counting | None = None


Definition = Union[Pointwise, Reshape, Template]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm that was considered for a kernel: why it cannot be taken (else empty), what it should need, and what the plain
    algorithm should need by the same measure (None: no estimate).
    """

    name: str
    refusal: str
    cycles: float | None = None
    instead: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a template wanted to know of the values of a constant, `question`, and what it was told."""

    position: int
    question: Callable[[np.ndarray], object]
    answer: object


class Site:
    """The place for which a template writes a kernel: the machine, its operands' storage, and what was fused around it.

    `wanted` maps names of decisions to the options that `choose` must return. Afterwards `offered` has the options of each
    decision, and `chosen` the one that was taken. `candidates` has the algorithms that were considered, by family (see
    `kernels/algorithm.py`). A template sets `writes_again` if it writes some elements of output 0 more than once: then no operand
    of the epilogue may share memory with output 0. `spare_bytes` is the budget for second copies of constants. A template that
    packs a second copy subtracts its bytes, and must declare `spares`. `room` is there in a program with room; `room_params` are
    then the parameters more that the template reads.

    Layers of a network differ in the values of their weights alone. A template that only calls `is_constant`, `ask` and `arrange`
    writes the same loops for all constants about which `asked` has the same answers. One that calls `constant` may not: then
    `looks_at_values` is set.
    """

    def __init__(
        self,
        machine: Machine,
        inputs: Sequence[Buffer | None],
        outputs: Sequence[Buffer],
        constants: Sequence[np.ndarray | None],
        reads: Mapping[int, Callable[[tuple[Expr, ...]], Expr]] | None = None,
        epilogue: Callable[[tuple[Expr, ...], Expr], Expr] | None = None,
        wanted: Mapping[str, str] | None = None,
        home: Home = Home.CORE,
        spare_bytes: int = SPARE_BYTES,
        room: Room | None = None,
    ) -> None:
        self.machine = machine
        self.room = room
        self.room_params: dict[str, Buffer] = {}
        self.home = home
        self.spare_bytes = spare_bytes
        self.offered: dict[str, tuple[str, ...]] = {}
        self.chosen: dict[str, str] = {}
        self.candidates: dict[str, tuple[Candidate, ...]] = {}
        self.writes_again = False
        self._wanted = wanted or {}
        self.outputs = tuple(outputs)
        self.workspaces: list[Buffer] = []
        self.packed: dict[int, tuple[Buffer, np.ndarray]] = {}
        self.arranged: dict[int, Arranged] = {}
        self.asked: list[Asked] = []
        self.looks_at_values = False
        self._inputs = tuple(inputs)
        self._constants = tuple(constants)
        self._reads = dict(reads or {})
        self._epilogue = epilogue

    def input(self, position: int) -> Buffer:
        """The buffer of an input that is not inlined."""
        source = self._inputs[position]
        assert source is not None, f"input {position} is inlined: read it through Site.read"
        return source

    def is_inlined(self, position: int) -> bool:
        return position in self._reads

    @property
    def has_room(self) -> bool:
        """Whether only some places of operands are there in a call."""
        return self.room is not None

    def places(self, position: int, axis: int) -> int | Expr:
        """How many places of an axis of an input that is not inlined are there: a number, or an expression of the sizes of the
        call. Whoever reads by it needs no neutral places behind the last.
        """
        extent = self.input(position).shape[axis]
        limit = self.room.limit(self.room.inputs[position], axis) if self.room else None
        if self.room is None or limit is None:
            return extent
        self.room_params[self.room.sizes.name] = self.room.sizes
        return limit.count.expression(self.room.sizes, extent)

    def needed_places(self, axis: int) -> int | Expr:
        """How many places of an axis of output 0 are to be written: those that are there, and neutral ones that readers want."""
        extent = self.outputs[0].shape[axis]
        if self.room is None or self.room.limit(self.room.output, axis) is None:
            return extent
        needed = needed_param(axis)
        self.room_params[needed.name] = needed
        return minimum(maximum(Load(needed, (index(0),)), 0), extent)

    def constant(self, position: int) -> np.ndarray | None:
        """The value of an input that is known while building, else None."""
        self.looks_at_values = self.looks_at_values or self.is_constant(position)
        return self._constants[position]

    def is_constant(self, position: int) -> bool:
        """Whether the value of an input is known while building."""
        return self._constants[position] is not None

    def ask(self, position: int, question: Callable[[np.ndarray], Answer]) -> Answer:
        """The answer to a question about the value of a constant: what loops depend on."""
        answer = question(self._known(position))
        self.asked.append(Asked(position, question, answer))
        return answer

    def _known(self, position: int) -> np.ndarray:
        array = self._constants[position]
        assert array is not None, f"input {position} is not known while building"
        return array

    def read(self, position: int, *index_: Operand) -> Expr:
        """An element of an input: a load, or the expression of a producer that was fused in."""
        where = tuple(index(part) for part in index_)
        inlined = self._reads.get(position)
        return inlined(where) if inlined is not None else Load(self.input(position), where)

    def write(self, position: int, index_: Sequence[Operand], value: Expr) -> tuple[Stmt, ...]:
        """Stores a result; for output 0 the epilogue is applied to it first. `index_` is logical."""
        where = tuple(index(part) for part in index_)
        if position == 0 and self._epilogue is not None:
            value = self._epilogue(where, value)
        return (Store(self.outputs[position], where, value),)

    @property
    def has_epilogue(self) -> bool:
        """Whether results are changed before they are stored; else a template may keep a part of output 0 in it for a while."""
        return self._epilogue is not None

    @property
    def has_long_epilogue(self) -> bool:
        """Whether a result goes through a function that takes many operations before it is stored."""
        if self._epilogue is None:
            return False
        output = self.outputs[0]
        probe = self._epilogue(index_vars(len(output.shape)), Var("result", output.dtype))
        return any(isinstance(node, Call) and node.function not in SHORT_FUNCTIONS for node in walk(probe))

    def wants(self, name: str) -> str:
        """The word that this place wants for a decision; empty if the template is to make it by itself."""
        return self._wanted.get(name, "")

    def choose(
        self, name: str, options: Mapping[str, Option], every: Mapping[str, Option] | None = None
    ) -> Option:
        """One of several options for the kernel, each under a word: all are right, they differ in speed. The first is the
        answer of the template's own cost model, and is taken unless this place wants another. `every` has those too that should
        be so slow that nobody is to measure them: they are not offered, and taken only where they are wanted.

        Decide what depends on a choice after it: a later decision may offer other words then.
        """
        word = self.wants(name)
        if word not in (every or options):
            word = next(iter(options))
        self.offered[name], self.chosen[name] = tuple(options), word
        return (every or options)[word]

    def pack(self, position: int, array: np.ndarray, name: str | None = None) -> Buffer:
        """Replaces a constant input by another arrangement of its data, made while building. Returns the buffer to load from."""
        packed = np.ascontiguousarray(array)
        old = self.input(position)
        # The bits of a bfloat16 are a number of their own to numpy.
        dtype = old.dtype if packed.dtype == old.dtype.numpy else DType.from_numpy(packed.dtype)
        target = buffer(name or old.name, dtype, packed.shape)
        self.packed[position] = (target, packed)
        self.arranged.pop(position, None)
        return target

    def arrange(self, position: int, arranged: Arranged) -> Buffer:
        """As `pack`, for an arrangement that is a function of the constant: its shape and type do not depend on values."""
        target = self.pack(position, arranged(self._known(position)))
        self.arranged[position] = arranged
        return target

    def workspace(self, name: str, dtype: DType, shape: tuple[int, ...]) -> Buffer:
        """Memory that the kernel needs while it runs; it comes from the arena. In a parallel loop give each
        iteration its own part by a leading dimension.
        """
        memory = buffer(name, dtype, shape)
        self.workspaces.append(memory)
        return memory


def either(yes: str, no: str, default: bool) -> dict[str, bool]:
    """Two options for `Site.choose`, the default first."""
    options = {yes: True, no: False}
    return options if default else dict(reversed(options.items()))


def index_vars(rank: int) -> tuple[Var, ...]:
    """The index variables `i0, i1, …` of a pointwise definition."""
    return tuple(Var(f"i{axis}") for axis in range(rank))


def pointwise(
    inputs: Sequence[TensorType],
    output: TensorType,
    value: Callable[..., Expr],
    name: str = "pointwise",
) -> Pointwise:
    """Makes a Pointwise. `value(index, *reads)` gets the output index, and for each input a function from index to element."""
    formals = tuple(buffer(f"a{number}", type_.dtype, type_.shape) for number, type_ in enumerate(inputs))
    variables = index_vars(output.rank)

    def reader(formal: Buffer) -> Callable[..., Expr]:
        return lambda *where: Load(formal, tuple(index(part) for part in where))

    return Pointwise(formals, output, variables, value(variables, *map(reader, formals)), name)


def read_strides(site: Site, position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """How the elements of an input lie in memory, also where a producer was fused into it: then the largest buffer
    that the producer reads at the same index decides, and row-major order where there is none.
    """
    if not site.is_inlined(position):
        return site.input(position).strides
    probes = tuple(Var(f"probe{axis}") for axis in range(len(shape)))
    best: tuple[int, tuple[int, ...]] = (0, row_major(shape))
    for access in loads(site.read(position, *probes)):
        strides = [0] * len(shape)
        for part, stride in zip(access.index, access.buffer.strides, strict=True):
            if isinstance(part, Var) and part in probes:
                strides[probes.index(part)] += stride
        if access.buffer.span > best[0] and all(s or e == 1 for s, e in zip(strides, shape, strict=True)):
            best = (access.buffer.span, tuple(strides))
    return best[1]
