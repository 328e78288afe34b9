"""Fusion: a draft with fewer, larger definitions that computes the same.

Because a pointwise definition is an expression, fusing is composing; there is no list of patterns. Four rules:

1. a pointwise consumer of a reshaped result moves in front of the reshape, where the other rules can see it;
2. a pointwise producer goes into its only pointwise consumer, unless that would repeat much work;
3. a pointwise consumer that reads a template's output element by element becomes the template's epilogue;
4. a pointwise producer goes into a template's input where the template reads through `Site.read`, also over a reshape
   between them that only adds or drops dimensions of one element.

*Does not handle:* producers with several consumers (except free ones: pure movements of data).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from ingot.base.tensor import DType, TensorType, row_major
from ingot.kernels.template import Pointwise, Reshape, Template, index_vars
from ingot.loops.nodes import Buffer, Call, Cast, Const, Expr, Load, Select, Var, buffer
from ingot.loops.transform.rewrite import children, loads, nodes_and_depth
from ingot.loops.transform.simplify import simplify_index
from ingot.plan.bodies import with_bodies
from ingot.plan.names import unused
from ingot.plan.program import Draft, Epilogue, Fused, Inlined, Step

# Limits of a fused kernel: beyond them compiling it costs more than the memory traffic that it saves.
MAX_OPERANDS = 16
MAX_NODES = 400
# Fusion cuts a chain at this depth. Recursive passes rely on it, and so do C compilers, which promise 63 levels of
# parentheses and 127 of blocks.
MAX_DEPTH = 60
# A producer costing at most this many operations an element may be computed again, up to REPEAT_LIMIT times.
CHEAP_OPERATIONS = 2
REPEAT_LIMIT = 4


def fuse(draft: Draft) -> Draft:
    """Applies the four rules until none applies, in one pass over the steps."""
    work = _Work(with_bodies(draft, fuse))
    for name in list(work.order):
        if name in work.steps:
            work.absorb(work.lift_over_reshape(name))
    return replace(draft, types=work.types, steps=work.live_steps())


@dataclass(frozen=True, slots=True)
class _Size:
    """How large an expression is, and how many operations on elements it has, without index arithmetic: none if it only moves
    data.
    """

    expr: Expr  # kept, since it is known by its identity
    nodes: int
    depth: int
    operations: int


class _Sizes:
    """Looks at each expression once."""

    def __init__(self) -> None:
        self._known: dict[int, _Size] = {}

    def __call__(self, expr: Expr) -> _Size:
        size = self._known.get(id(expr))
        if size is None:
            size = self._known[id(expr)] = _Size(expr, *nodes_and_depth(expr), _operations(expr))
        return size

    def are_small(self, *exprs: Expr) -> bool:
        """Whether one expression may be made of all of them."""
        sizes = [self(expr) for expr in exprs]
        return (
            sum(size.nodes for size in sizes) <= MAX_NODES and sum(size.depth for size in sizes) <= MAX_DEPTH
        )


@dataclass(slots=True)
class _Work:
    """Steps under rewriting, by the name of their first output."""

    draft: Draft
    steps: dict[str, Step] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    producer: dict[str, str] = field(default_factory=dict)  # value → key of its step
    readers: dict[str, list[str]] = field(default_factory=dict)  # value → keys of the steps that read it
    types: dict[str, TensorType] = field(default_factory=dict)
    sizes: _Sizes = field(default_factory=_Sizes)

    def __post_init__(self) -> None:
        self.types = dict(self.draft.types)
        for step in self.draft.steps:
            key = step.outputs[0]
            self.steps[key] = step
            self.order.append(key)
            for value in step.outputs:
                self.producer[value] = key
            for value in dict.fromkeys(step.inputs):
                self.readers.setdefault(value, []).append(key)

    def live_steps(self) -> tuple[Step, ...]:
        """The steps whose results are used, in order."""
        wanted = set(self.draft.roots)
        kept = []
        for key in reversed(self.order):
            step = self.steps.get(key)
            if step is not None and wanted.intersection(step.outputs):
                wanted.update(step.inputs)
                kept.append(step)
        return tuple(reversed(kept))

    def lift_over_reshape(self, key: str) -> str:
        """Moves a pointwise step in front of the reshape that it reads, if that helps; returns the key of the moved step."""
        step = self.steps[key]
        if not isinstance(step.definition, Pointwise):
            return key
        for value in dict.fromkeys(step.inputs):
            source = self.steps.get(self.producer.get(value, ""))
            if source is None or not isinstance(source.definition, Reshape) or source.key != step.key:
                continue
            if self.readers[value] != [key] or value in self.draft.outputs:
                continue
            before = source.inputs[0]
            made_by = self.steps.get(self.producer.get(before, ""))
            fusable = (
                made_by is not None
                and not isinstance(made_by.definition, Reshape)
                and made_by.key == step.key
            )
            if not fusable or len(self.readers[before]) != 1 or before in self.draft.outputs:
                continue
            if made_by is not None and self._belongs_to_reader(step, made_by):
                continue
            lifted = _before_reshape(step, step.definition, source, value, self.types)
            if lifted is not None:
                return self._insert_before_reshape(key, lifted, source)
        return key

    def _insert_before_reshape(self, key: str, lifted: Step, reshape: Step) -> str:
        old = self.steps[key]
        name = lifted.outputs[0]
        assert isinstance(lifted.definition, Pointwise)
        self.types[name] = lifted.definition.output
        after = Reshape(lifted.definition.output, self.types[old.outputs[0]])
        self.steps[key] = Step(after, (name,), old.outputs, (), old.key)
        self.steps[name] = lifted
        self.order.insert(self.order.index(key), name)
        self.producer[name] = name
        for value in set(old.inputs):
            self.readers[value].remove(key)
        for value in set(lifted.inputs):
            self.readers.setdefault(value, []).append(name)
        self.readers[name] = [key]
        # The old reshape has no reader any more.
        del self.steps[reshape.outputs[0]]
        self.readers[reshape.inputs[0]].remove(reshape.outputs[0])
        return name

    def absorb(self, key: str) -> None:
        """Pulls producers into the step until nothing more fits."""
        changed = True
        while changed:
            changed = False
            step = self.steps[key]
            # Pointwise producers first: the operands of an epilogue are not fused any further.
            for value in sorted(dict.fromkeys(step.inputs), key=lambda value: not self._is_pointwise(value)):
                merged = self._merge(self.steps[key], value)
                if merged is not None:
                    self._replace(key, merged, value)
                    changed = True
                    break

    def _is_pointwise(self, value: str) -> bool:
        source = self.steps.get(self.producer.get(value, ""))
        return source is not None and isinstance(source.definition, Pointwise)

    def _merge(self, step: Step, value: str) -> Step | None:
        """The step with the producer of `value` merged into it, if a rule allows."""
        source_key = self.producer.get(value)
        if source_key is None:
            return None
        source = self.steps[source_key]
        if source.key != step.key:
            return None
        only_reader = self.readers[value] == [step.outputs[0]] and value not in self.draft.outputs
        match step.definition:
            case Pointwise() as consumer:
                match source.definition:
                    case Pointwise() as producer if self._worth_inlining(
                        producer, consumer, step, value, only_reader
                    ):
                        return _compose(step, consumer, source, producer, value)
                    case Template() | Fused() if only_reader and self._only_first_is_read(source, value):
                        if self._belongs_to_reader(step, source):
                            return None
                        return _as_epilogue(step, consumer, source, value, self.sizes)
            case Template() | Fused():
                if only_reader and isinstance(source.definition, Reshape):
                    source = self._behind_reshape(source) or source
                if isinstance(source.definition, Pointwise) and only_reader:
                    return _as_input(step, source, source.definition, value, self.sizes)
        return None

    def _behind_reshape(self, step: Step) -> Step | None:
        """A reshape and the pointwise step that only it reads, as one step, if only dimensions of one element differ."""
        before = step.inputs[0]
        made_by = self.steps.get(self.producer.get(before, ""))
        if made_by is None or not isinstance(made_by.definition, Pointwise) or made_by.key != step.key:
            return None
        if self.readers[before] != [step.outputs[0]] or before in self.draft.outputs:
            return None
        assert isinstance(step.definition, Reshape)
        old, new = step.definition.input.shape, step.definition.output.shape
        if [extent for extent in old if extent != 1] != [extent for extent in new if extent != 1]:
            return None
        variables = index_vars(len(new))
        kept = iter(variable for variable, extent in zip(variables, new, strict=True) if extent != 1)
        where = [Const(0, DType.INT64) if extent == 1 else next(kept) for extent in old]
        producer = made_by.definition
        value = producer.at(where, lambda number, at: Load(producer.inputs[number], at))
        moved = Pointwise(
            producer.inputs, TensorType(producer.output.dtype, new), variables, value, producer.name
        )
        return Step(moved, made_by.inputs, step.outputs, _merge_nodes(made_by.nodes, step.nodes), step.key)

    def _only_first_is_read(self, source: Step, value: str) -> bool:
        """Whether `value` is the first output and the only one anybody reads: then the step may move down to its reader."""
        rest = source.outputs[1:]
        return source.outputs[0] == value and not any(
            self.readers.get(v) or v in self.draft.outputs for v in rest
        )

    def _belongs_to_reader(self, step: Step, source: Step) -> bool:
        """Whether a step behind a template that sums integers widens its results, as dequantising does, and the only reader is a
        template that can do that as well: then the narrow elements go through memory.
        """
        definition, name = step.definition, step.outputs[0]
        readers = self.readers.get(name, [])
        if (
            not isinstance(definition, Pointwise)
            or not isinstance(source.definition, Template | Fused)
            or len(readers) != 1
        ):
            return False
        reader = self.steps[readers[0]]
        if (
            not isinstance(reader.definition, Template)
            or reader.key != step.key
            or name in self.draft.outputs
        ):
            return False
        if len(reader.inputs) != 1 or 0 not in reader.definition.inlines or source.key != step.key:
            return False
        if (
            not _as_fused(source).template.outputs[0].dtype.is_integer
            or self.sizes(definition.value).operations > CHEAP_OPERATIONS
        ):
            return False
        read = [operand.type for operand in definition.inputs if operand.type.size > 1]
        return (
            len(read) == 1
            and read[0].size == definition.output.size
            and read[0].dtype.size_bytes < definition.output.dtype.size_bytes
        )

    def _worth_inlining(
        self, producer: Pointwise, consumer: Pointwise, step: Step, value: str, only_reader: bool
    ) -> bool:
        reads = [
            node
            for position, operand in enumerate(step.inputs)
            if operand == value
            for node in loads(consumer.value)
            if node.buffer == consumer.inputs[position]
        ]
        size = self.sizes(producer.value)
        cost = size.operations
        if not only_reader and not (cost == 0 and value not in self.draft.outputs):
            return False
        if len(producer.inputs) + len(consumer.inputs) > MAX_OPERANDS:
            return False
        reader = self.sizes(consumer.value)
        if (
            size.nodes * max(1, len(reads)) + reader.nodes > MAX_NODES
            or size.depth + reader.depth > MAX_DEPTH
        ):
            return False
        if cost == 0:
            return True
        distinct = len({_index_key(node) for node in reads})
        repeats = distinct * consumer.output.size / max(1, producer.output.size)
        return repeats <= 1 or (cost <= CHEAP_OPERATIONS and repeats <= REPEAT_LIMIT)

    def _replace(self, key: str, new: Step, merged: str) -> None:
        old = self.steps[key]
        self.steps[key] = new
        for value in new.outputs:
            self.producer[value] = key
        for value in set(old.inputs) - set(new.inputs):
            self.readers[value].remove(key)
        for value in set(new.inputs) - set(old.inputs):
            self.readers.setdefault(value, []).append(key)
        if not self.readers.get(merged) and merged not in self.draft.outputs:
            self._drop(self.producer[merged])

    def _drop(self, key: str) -> None:
        """Removes a step whose results were merged into its only reader."""
        step = self.steps[key]
        if any(self.readers.get(value) or value in self.draft.outputs for value in step.outputs):
            return
        del self.steps[key]
        for value in set(step.inputs):
            self.readers[value].remove(key)


def _index_key(node: Load) -> tuple[object, ...]:
    return tuple(part.name if isinstance(part, Var) else id(part) for part in node.index)


def _operations(expr: Expr) -> int:
    """Operations on elements, without index arithmetic: 0 for a pure movement of data."""
    seen: set[int] = set()
    stack = [expr]
    count = 0
    while stack:
        node = stack.pop()
        if id(node) in seen or isinstance(node, Load | Const | Var):
            continue
        seen.add(id(node))
        match node:
            case Cast():
                pass
            case Call():
                count += 10
            case _:
                count += 1
        # The condition of a Select is mostly index arithmetic, as in padding.
        stack += children(node)[1:] if isinstance(node, Select) else children(node)
    return count


_Name = TypeVar("_Name", str, str | None)


class _Operands(Generic[_Name]):
    """Numbers operands by what names them, each once, and makes one formal buffer for each."""

    def __init__(self) -> None:
        self.names: list[_Name] = []
        self.formals: list[Buffer] = []

    def number(self, name: _Name, type_: TensorType) -> int:
        if name not in self.names:
            self.formals.append(buffer(f"a{len(self.names)}", type_.dtype, type_.shape))
            self.names.append(name)
        return self.names.index(name)

    def load(self, name: _Name, type_: TensorType, where: tuple[Expr, ...]) -> Load:
        return Load(self.formals[self.number(name, type_)], where)


def _compose(step: Step, consumer: Pointwise, source: Step, producer: Pointwise, value: str) -> Step:
    """One pointwise step that computes the producer where the consumer reads it."""
    operands = _Operands[str]()
    inlined: dict[
        tuple[object, ...], tuple[tuple[Expr, ...], Expr]
    ] = {}  # keeps the index alive beside its id

    def read_source(position: int, where: tuple[Expr, ...]) -> Expr:
        return operands.load(source.inputs[position], producer.inputs[position].type, where)

    def read(position: int, where: tuple[Expr, ...]) -> Expr:
        name = step.inputs[position]
        if name != value:
            return operands.load(name, consumer.inputs[position].type, where)
        key = tuple(part.name if isinstance(part, Var) else id(part) for part in where)
        if key not in inlined:
            inlined[key] = (where, producer.at(where, read_source))
        return inlined[key][1]

    expr = consumer.at(consumer.index, read)
    name = consumer.name if producer.name in ("pointwise", "cast") else f"{producer.name}_{consumer.name}"
    fused = Pointwise(tuple(operands.formals), consumer.output, consumer.index, expr, _shorten(name))
    return Step(fused, tuple(operands.names), step.outputs, _merge_nodes(source.nodes, step.nodes), step.key)


def _before_reshape(
    step: Step, consumer: Pointwise, reshape_step: Step, value: str, taken: Container[str]
) -> Step | None:
    """The consumer of a reshape as a consumer of what was reshaped; its result, of a name that is free, is to be reshaped."""
    reshape = reshape_step.definition
    assert isinstance(reshape, Reshape)
    if not all(consumer.follows(number) for number, name in enumerate(step.inputs) if name == value):
        return None
    if consumer.output.shape != reshape.output.shape or reshape.output.size == 0:
        return None
    variables = index_vars(reshape.input.rank)
    ranges = dict(zip(variables, reshape.input.shape, strict=True))
    position: Expr = Const(0, DType.INT64)
    for variable, extent in zip(variables, reshape.input.shape, strict=True):
        position = position * extent + variable
    where: list[Expr] = []
    for extent, stride in zip(reshape.output.shape, row_major(reshape.output.shape), strict=True):
        where.append(simplify_index((position // stride) % extent, ranges))
    operands = _Operands[str]()

    def read(number: int, at: tuple[Expr, ...]) -> Expr:
        name = step.inputs[number]
        if name == value:
            return operands.load(reshape_step.inputs[0], reshape.input, variables)
        return operands.load(name, consumer.inputs[number].type, at)

    expr = consumer.at(where, read)
    output = TensorType(consumer.output.dtype, reshape.input.shape)
    lifted = Pointwise(tuple(operands.formals), output, variables, expr, consumer.name)
    name = unused(f"{step.outputs[0]}.as{'x'.join(map(str, output.shape))}", taken)
    return Step(
        lifted, tuple(operands.names), (name,), _merge_nodes(reshape_step.nodes, step.nodes), step.key
    )


def _as_fused(step: Step) -> Fused:
    definition = step.definition
    if isinstance(definition, Fused):
        return definition
    assert isinstance(definition, Template)
    return Fused(definition, tuple(range(len(definition.inputs))))


def _as_epilogue(step: Step, consumer: Pointwise, source: Step, value: str, sizes: _Sizes) -> Step | None:
    """The template with the consumer as (the end of) its epilogue."""
    fused = _as_fused(source)
    template = fused.template
    if not template.epilogue or consumer.output.shape != template.outputs[0].shape:
        return None
    if not all(consumer.follows(position) for position, name in enumerate(step.inputs) if name == value):
        return None
    old = fused.epilogue
    before = () if old is None else (old.pointwise.value,)
    if len(step.inputs) + len(source.inputs) > MAX_OPERANDS or not sizes.are_small(consumer.value, *before):
        return None
    inputs = list(source.inputs)
    operands = _Operands[str | None]()  # None: the hole, which is what the template gives

    def read_old(position: int, where: tuple[Expr, ...]) -> Expr:
        assert old is not None
        name = None if position == old.hole else source.inputs[old.operands[position]]
        return operands.load(name, old.pointwise.inputs[position].type, where)

    inner = old.pointwise.at(consumer.index, read_old) if old is not None else None

    def read(position: int, where: tuple[Expr, ...]) -> Expr:
        if step.inputs[position] != value:
            return operands.load(step.inputs[position], consumer.inputs[position].type, where)
        return inner if inner is not None else operands.load(None, template.outputs[0], where)

    expr = consumer.at(consumer.index, read)
    hole = operands.number(None, template.outputs[0])
    numbers = []
    for name in operands.names:
        if name is None:
            numbers.append(-1)
        else:
            if name not in inputs:
                inputs.append(name)
            numbers.append(inputs.index(name))
    name = _shorten(f"{old.pointwise.name}_{consumer.name}" if old is not None else consumer.name)
    pointwise = Pointwise(tuple(operands.formals), consumer.output, consumer.index, expr, name)
    return Step(
        replace(fused, epilogue=Epilogue(pointwise, hole, tuple(numbers))),
        tuple(inputs),
        (step.outputs[0], *source.outputs[1:]),
        _merge_nodes(source.nodes, step.nodes),
        step.key,
    )


def _as_input(step: Step, source: Step, producer: Pointwise, value: str, sizes: _Sizes) -> Step | None:
    """The template with the producer computed where it reads the input."""
    fused = _as_fused(step)
    positions = [
        position
        for position, origin in enumerate(fused.sources)
        if isinstance(origin, int) and step.inputs[origin] == value
    ]
    elsewhere = [
        number
        for group in (
            *(origin.operands for origin in fused.sources if isinstance(origin, Inlined)),
            fused.epilogue.operands if fused.epilogue else (),
        )
        for number in group
        if number >= 0 and step.inputs[number] == value
    ]
    if len(positions) != 1 or elsewhere or positions[0] not in fused.template.inlines:
        return None
    if len(step.inputs) + len(source.inputs) > MAX_OPERANDS or not sizes.are_small(producer.value):
        return None
    inputs = [name for name in step.inputs if name != value]
    inputs += [name for name in dict.fromkeys(source.inputs) if name not in inputs]
    renumber = {old: inputs.index(name) for old, name in enumerate(step.inputs) if name != value}

    def moved(origin: int | Inlined) -> int | Inlined:
        if isinstance(origin, int):
            return renumber[origin]
        return replace(origin, operands=tuple(renumber[number] for number in origin.operands))

    inlined = Inlined(producer, tuple(inputs.index(name) for name in source.inputs))
    sources = tuple(
        inlined if position == positions[0] else moved(origin)
        for position, origin in enumerate(fused.sources)
    )
    epilogue = fused.epilogue
    if epilogue is not None:
        epilogue = replace(epilogue, operands=tuple(-1 if n < 0 else renumber[n] for n in epilogue.operands))
    return Step(
        Fused(fused.template, sources, epilogue),
        tuple(inputs),
        step.outputs,
        _merge_nodes(source.nodes, step.nodes),
        step.key,
    )


def _merge_nodes(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second))


def _shorten(name: str) -> str:
    """At most four parts of a chain's name: what a person needs to recognise it."""
    parts = name.split("_")
    return name if len(parts) <= 4 else "_".join([*parts[:2], *parts[-2:]])
