"""The nouns of the plan room: a whole model below the line where ONNX is not known.

- `Draft`: definitions over values, what is computed. `graph.lower` makes it, `plan.fuse.fuse` rewrites it.
- `Program`: kernels over stored values, what runs, in order. `plan.schedule.schedule` makes it.
- `MemoryPlan`: where every stored value lives. `plan.memory.memory` makes it, `plan.memory.check` proves it.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ingot.base.errors import InternalError
from ingot.base.tensor import TensorType
from ingot.kernels.template import SPARE_BYTES, Candidate, Definition, Home, Pointwise, Template
from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Buffer, Kernel
from ingot.machines.machine import LINE_BYTES, Machine
from ingot.plan.placed_node import PlacedNode
from ingot.plan.regions import ModelRegion

HOST = "host"  # the target key, and the memory space, of the processor that drives everything


@dataclass(frozen=True, slots=True, eq=False)
class Inlined:
    """A template input that is computed where it is read. `operands[i]` is the step's input for input i of `pointwise`."""

    pointwise: Pointwise
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Epilogue:
    """The expression applied to each element of a template's output 0 before it is stored.

    Input `hole` of `pointwise` is that element, read only at the index that is written. `operands[i]` is the step's input for
    each other input (-1 for the hole).
    """

    pointwise: Pointwise
    hole: int
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """A template with what was fused around it. `sources[i]` says where input i of the template comes from: the number of
    one of the step's inputs, or an expression over them.
    """

    template: Template
    sources: tuple[int | Inlined, ...]
    epilogue: Epilogue | None = None

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def outputs(self) -> tuple[TensorType, ...]:
        results = self.template.outputs
        return results if self.epilogue is None else (self.epilogue.pointwise.output, *results[1:])


@dataclass(frozen=True, slots=True, eq=False)
class Send:
    """Copies a value to the memory of the step's target key."""

    type: TensorType
    name: str = "transfer"


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """A copy of a value, stored with its dimensions in this order, outermost first."""

    type: TensorType
    order: tuple[int, ...]
    name: str = "arrange"


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A computation that only its target knows: dense, row-major values in and out. `name` is the ONNX node's; `region` is what
    that calls, if it is a call of one.
    """

    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    name: str
    node: PlacedNode
    region: ModelRegion | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A loop whose body is in the program once.

    A step of it gets, in this order, how often it runs at most (`has_trips`), whether it begins (`has_begin`), the first value of
    each carried one, what it walks through, what its body reads from around it. It gives the carried values, then what it stacks.
    The body gets the number of the iteration (an int64 scalar), the carried values, a part of each walked one, what is around;
    it gives whether to go on (`has_condition`), the next carried values, a row for each stacked one.

    Attributes:
        name: of the ONNX node.
        body: what one iteration computes; all its inputs and outputs are dense.
        carried: how many values are.
        walked: for each value that is walked through along its first axis, whether it begins at the end.
        stacked: for each stacked result, whether its first row is the last one.
        count_max: the most iterations: how many there are, where nothing else decides.
        endless_status: the status of a run in which it would go on behind these; 0 where it just ends.
    """

    name: str
    body: Draft
    carried: int
    walked: tuple[bool, ...]
    stacked: tuple[bool, ...]
    count_max: int
    has_trips: bool = False
    has_begin: bool = False
    has_condition: bool = False
    endless_status: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A choice between two computations, of which one runs. A step of it gets a bool, and then what both drafts get; it gives
    what both give. `name` is the ONNX node's.
    """

    name: str
    then: Draft
    otherwise: Draft


@dataclass(frozen=True, slots=True)
class Branch:
    """Some steps of a group that others of it do not wait for: none of its branches reads or writes what another one writes, so
    that threads may do them at the same time. `number` counts the branches of a group.
    """

    group: str
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One definition applied to named values. `nodes` are the names of the ONNX nodes it stands for, `key` the target that
    computes it.
    """

    definition: Definition | Fused | Send | Arranged | Opaque | Repeat | Choice
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[str, ...]
    key: str = HOST
    branch: Branch | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Something that has to hold while running: a kernel that `checks` writes `status`, which is 0 if it does. `operand` is the
    value that is the node's input `role`, and `expected` says what it may be.
    """

    status: str
    node: str
    op_type: str
    operand: str
    role: str
    expected: str


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A model as definitions. Every value is an input, a constant or written by exactly one step before it is read.
    No output is an input or a constant, and no value is two outputs.

    `outside` has the type that the model states for each input or output whose value is stored in another
    (`TensorType.stored`). `constants` may be used up by `schedule`, and is then empty. `limits` are those of a draft with room
    (`plan/room`): of values, the axes of which only some places are there in a call. `updates` are outputs that lie in the memory
    of an input, by its name (`plan/updates`): the step that makes one writes what changes, and nobody reads the old one later.
    The status of each of `checks` is written by a step, which stays although no other step reads it.
    `sizes` are the values that have the sizes of the call, each a vector that has those of the one before it and some more.
    """

    name: str
    types: Mapping[str, TensorType]
    constants: dict[str, np.ndarray]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outside: Mapping[str, TensorType] = field(default_factory=dict)
    limits: Mapping[str, tuple[Limit, ...]] = field(default_factory=dict)
    updates: Mapping[str, str] = field(default_factory=dict)
    sizes: tuple[tuple[str, frozenset[int]], ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The values that a run is for: its outputs, and whether checks hold."""
        return (*self.outputs, *(check.status for check in self.checks))

    def stated(self, name: str) -> TensorType:
        """The type of an input or output as the model states it."""
        return self.outside.get(name) or self.types[name]


@dataclass(frozen=True, slots=True)
class Move:
    """A place that depends on a number in memory: it moves by `step` elements for each one that `number`, the name of an int64
    scalar, counts. The number is below `count`.
    """

    number: str
    step: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A stored value: a view of `base`'s memory (its own, if `base` is its own name), `offset` elements in, with these
    strides. In a loop, `moves` say how far it moves from one iteration to the next.
    """

    name: str
    type: TensorType
    strides: tuple[int, ...]
    base: str
    offset: int = 0
    space: str = HOST  # the memory it lies in: "host", or the key of a target with memory of its own
    moves: tuple[Move, ...] = ()

    def buffer(self, name: str) -> Buffer:
        """The value as a kernel's parameter."""
        return Buffer(name, self.type.dtype, self.type.shape, self.strides)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One kernel applied to values: inputs, outputs, workspaces, as in `kernel.params`."""

    kernel: Kernel
    args: tuple[str, ...]
    nodes: tuple[str, ...]
    key: str = HOST
    branch: Branch | None = None
    node: PlacedNode | None = None  # which an opaque call computes
    region: ModelRegion | None = None  # which it calls

    @property
    def reads(self) -> tuple[str, ...]:
        return self.args[: len(self.kernel.inputs)]

    @property
    def writes(self) -> tuple[str, ...]:
        """Outputs and workspaces."""
        return self.args[len(self.kernel.inputs) :]


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """Copies a dense value from one memory space to another, byte for byte: both have the same strides."""

    source: str
    result: str
    nodes: tuple[str, ...] = ()
    branch: ClassVar[Branch | None] = None

    @property
    def args(self) -> tuple[str, ...]:
        return (self.source, self.result)

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.source,)

    @property
    def writes(self) -> tuple[str, ...]:
        return (self.result,)


@dataclass(frozen=True, slots=True)
class Control:
    """Calls of a program under a flag, a bool in memory: a loop makes them while it is set, a branch makes those before
    `middle` if it is set and the others if not. Two controls lie one in the other, or apart.

    Attributes:
        node: the name of the ONNX node.
        first: the number of the first call.
        end: the number of the call behind the last.
        flag: the name of the flag, a scalar.
        middle: of a branch, the number of the first call that is made where the flag is not set; of a loop `end`.
        count: the most iterations of a loop; of a branch 0.
        number: of a loop, the name of the int64 scalar that has the number of the iteration.
        parity: of a loop, the name of the int64 scalar that has its last bit.
    """

    node: str
    first: int
    end: int
    flag: str
    middle: int
    count: int = 0
    number: str = ""
    parity: str = ""

    @property
    def repeats(self) -> bool:
        """Whether it is a loop."""
        return bool(self.number)

    def moved(self, calls: int, names: Mapping[str, str]) -> Control:
        """The same behind so many other calls, with new names of values."""
        return Control(
            self.node,
            self.first + calls,
            self.end + calls,
            names[self.flag],
            self.middle + calls,
            self.count,
            names.get(self.number, ""),
            names.get(self.parity, ""),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """All that a template may know when it writes a kernel: the machine, what was fused around it, where its operands lie.

    `buffers` are those of the step's inputs; `constants` has the value of each input that is known while building and that the
    template may store in another arrangement, else None. `home` is where all weights of the model are between two inferences;
    `spare_bytes` are left of what kernels may store more than once. In a program with room `limits` are those of the inputs and
    of output 0, as far as the sizes that they follow from are inputs of the program; these have the shape `sizes`.
    """

    fused: Fused
    machine: Machine
    buffers: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    constants: tuple[np.ndarray | None, ...]
    home: Home = Home.CORE
    spare_bytes: int = SPARE_BYTES
    limits: tuple[tuple[Limit, ...], ...] = ()
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What was chosen for a kernel whose template had more than one option: option by knob, and all options that
    there were, the template's own choice first. `wanted` are the words that were asked for. `candidates`
    has the algorithms of each family that it chose from. Where the program used its draft up,
    the constants of the problem are empty.
    """

    problem: Problem
    kernel: str
    key: str
    chosen: Mapping[str, str]
    offered: Mapping[str, tuple[str, ...]]
    wanted: Mapping[str, str]
    candidates: Mapping[str, tuple[Candidate, ...]] = field(default_factory=dict)

    @property
    def algorithm(self) -> str:
        """The algorithm of each family that was chosen from, as `conv=direct`; empty where there is one way."""
        return " ".join(f"{family}={self.chosen[family]}" for family in self.candidates)


@dataclass(frozen=True, eq=False)
class Program:
    """A model as kernels. `values` has every value that a call names, and every base of one.

    Model inputs and outputs are row-major and own their memory. Constants are bases with their packed content. Equal
    kernels are one object. `texts` has the `body_text` of kernels, by name, as far as it is known. `updates` are the draft's.
    """

    name: str
    values: Mapping[str, Value]
    constants: dict[str, np.ndarray]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    calls: tuple[Call | Transfer, ...]
    decisions: tuple[Decision, ...] = ()  # one for each call whose template chose something, in order
    texts: Mapping[str, str] = field(default_factory=dict)
    updates: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    controls: tuple[Control, ...] = ()  # the others run once, in order

    @cached_property
    def kernel_calls(self) -> tuple[Call, ...]:
        """The calls without the transfers between targets."""
        return tuple(call for call in self.calls if isinstance(call, Call))

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """Every distinct kernel, in the order of first use."""
        return tuple({id(call.kernel): call.kernel for call in self.kernel_calls}.values())

    @property
    def spaces(self) -> tuple[str, ...]:
        """Every memory space that a value lies in, the host's first."""
        return (HOST, *sorted({value.space for value in self.values.values()} - {HOST}))


def latest_sizes(sizes: Sequence[tuple[str, frozenset[int]]], dims: Collection[int]) -> str:
    """The first of some vectors (`Draft.sizes`) that has the sizes of all of these dims."""
    left = set(dims)
    for name, known in sizes:
        left -= known
        if not left:
            return name
    raise InternalError(f"the sizes of dims {sorted(left)} are read before they are known")


class Region(enum.Enum):
    """Where a base lives. The order of base pointers in the calling convention is PARAMS, ARENA, inputs, outputs."""

    PARAMS = "params"
    ARENA = "arena"
    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a base. `number` is the position of an input or output; `offset_bytes` is within the region."""

    region: Region
    number: int = 0
    offset_bytes: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """A slot for every base of a program in one memory space. Bases alive together never overlap.

    `lower_bound_bytes` is the largest sum of sizes alive at one call: no plan for this order of calls can need less.
    The first `always_read_bytes` of the constants are read by every inference, whatever its inputs are.
    """

    slots: Mapping[str, Slot]
    arena_bytes: int
    params_bytes: int
    lower_bound_bytes: int
    alignment_bytes: int = LINE_BYTES
    always_read_bytes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class CompileUnit:
    """What a code generator gets: the calls of one target key, with their memory. `symbol` is a C identifier, unique in a
    library. `repeats`: callers run the program several times in one call, for one part of their inputs after the other.
    """

    symbol: str
    program: Program
    memory: MemoryPlan
    repeats: bool = False

    @property
    def longest_bytes(self) -> int:
        """The most bytes behind one base pointer: constants, the arena, an input or an output."""
        ends = (
            slot.size_bytes
            for slot in self.memory.slots.values()
            if slot.region in (Region.INPUT, Region.OUTPUT)
        )
        return max(self.memory.params_bytes, self.memory.arena_bytes, *ends)
