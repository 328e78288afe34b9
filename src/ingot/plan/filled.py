"""How far caches are filled: loops over keys that end where a mask hides all that follow.

A cache has room for more keys than there are. Attention hides the others: their scores become minus infinity, or nearly so, by a
comparison of the key's place with numbers that are known while running. Where a softmax or a maximum along the last axis reads
such scores, the number of places that may be seen is computed first, an int64 in memory, and what lies behind them is hidden once
more, so that loops end there as they do in a program with room (`loops/transform/shorten`).

A query that may see no key at all gets the mean of the filled part then, not of the whole cache.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.template import Pointwise, Reshape, Site, Template, index_vars
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.analyse.ranges import INT64, Linear, from_extents
from ingot.loops.build.nest import nest
from ingot.loops.nodes import (
    Binary,
    Cast,
    Const,
    Expr,
    Load,
    Select,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    maximum,
    select,
)
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import Rewriter, loads, walk
from ingot.plan.program import Draft, Step
from ingot.plan.text import pointwise_text
from ingot.plan.updates import Composer, Forms, conjuncts, sides_of, sum_of

FILLED = "ingot.filled"  # the value with the numbers of places, an int64 for each
_HIDES = -6e4  # a score that is no larger counts for nothing, in float16 too
_QUERIES_MAX = 64  # sequences of a batch whose numbers are compared one by one
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def with_filled(draft: Draft) -> Draft:
    """The draft with loops that end where masks hide all that follow; as it is where none does."""
    return draft if draft.limits or draft.sizes else _Filling(draft).filled()


@dataclass(frozen=True, slots=True)
class _Masked:
    """What a step reads along its last axis, and the `number` of its count."""

    name: str
    number: int


@dataclass(slots=True)
class _Filling:
    draft: Draft
    composer: Composer = field(init=False)
    counts: dict[str, Expr] = field(default_factory=dict)  # by their texts
    limits: dict[str, tuple[Limit, ...]] = field(default_factory=dict)
    types: dict[str, TensorType] = field(init=False)

    def __post_init__(self) -> None:
        makers = {name: step for step in self.draft.steps for name in step.outputs}
        self.composer = Composer(self.draft, makers)
        self.types = dict(self.draft.types)

    def filled(self) -> Draft:
        masked = {
            step.outputs[0]: mask for step in self.draft.steps if (mask := self._masked(step)) is not None
        }
        if not masked:
            return self.draft
        counting = self._counting()
        start = self._start(counting.inputs)
        steps = [*self.draft.steps[:start], counting]
        for step in self.draft.steps[start:]:
            mask = masked.get(step.outputs[0])
            if mask is not None:
                steps.append(self._hidden(step, mask))
                self._limit_results(step, mask)
            read = step if mask is None else replace(step, inputs=steps[-1].outputs)
            self._keep_zeros(read)
            steps.append(read)
        self._limit_backwards(steps[start + 1 :])
        sized = tuple(with_few_columns(step, self.limits) for step in steps)
        vectors = ((FILLED, frozenset(range(len(self.counts)))),)
        return replace(self.draft, types=self.types, steps=sized, limits=self.limits, sizes=vectors)

    def _start(self, names: Sequence[str]) -> int:
        """The number of the first step that may come behind the counts."""
        makers = [at for at, step in enumerate(self.draft.steps) if not set(step.outputs).isdisjoint(names)]
        return max(makers, default=-1) + 1

    # ─── what is masked ────────────────────────────────────────────────────────────────────────────────────────────

    def _masked(self, step: Step) -> _Masked | None:
        """What a step that takes no notice of minus infinity along its last axis reads, if places at its end are hidden."""
        definition = step.definition
        if not isinstance(definition, Template) or len(step.inputs) != 1:
            return None
        last = definition.inputs[0].rank - 1
        if not any(way.inputs == (last,) and way.neutral == -math.inf for way in definition.folded):
            return None
        (name,) = step.inputs
        type_ = self.draft.types[name]
        if not type_.dtype.is_float or not type_.size:
            return None
        variables = index_vars(type_.rank)
        self.composer.extents = dict(zip(variables, type_.shape, strict=True))
        for condition in _seen(self.composer.value(name, variables)):
            end = self._end(condition, variables, type_)
            if end is not None:
                number = list(self.counts).index(end)
                return _Masked(name, number)
        return None

    def _end(self, condition: Expr, variables: Sequence[Var], type_: TensorType) -> str | None:
        """The text of the count of places that a condition lets be seen along the last axis, whatever the other indices are."""
        forms = Forms()
        sides = (side for part in conjuncts(condition) for side in sides_of(part, variables, type_, forms))
        for side in sides:
            if side.axis != type_.rank - 1 or side.is_lower or side.start is not None:
                continue
            count = _largest(side.bound.plus(Linear(1, {})), variables, type_)
            if count is not None:
                text = expr_text(count)
                self.counts.setdefault(text, count)
                return text
        return None

    # ─── steps ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _counting(self) -> Step:
        """The step that computes all counts."""
        counts = list(self.counts.values())
        read = {node.buffer.name for count in counts for node in loads(count)}
        formals = [formal for formal in self.composer.formals if formal.name in read]
        names = [
            name
            for name, formal in zip(self.composer.names, self.composer.formals, strict=True)
            if formal.name in read
        ]
        variables, total = index_vars(1), counts[-1]
        for number in reversed(range(len(counts) - 1)):
            total = select(compare("eq", variables[0], number), counts[number], total)
        self.types[FILLED] = TensorType(DType.INT64, (len(counts),))
        value = Pointwise(tuple(formals), self.types[FILLED], variables, total, "filled")
        return Step(_stored(value), tuple(names), (FILLED,), ())

    def _hidden(self, step: Step, mask: _Masked) -> Step:
        """The step that hides places again, by their number."""
        type_, last = self.types[mask.name], self.types[mask.name].rank - 1
        formal, sizes = (
            buffer("a0", type_.dtype, type_.shape),
            buffer("a1", DType.INT64, self.types[FILLED].shape),
        )
        variables, count = index_vars(type_.rank), Count(mask.number)
        is_there = compare("lt", variables[last], count.expression(sizes, type_.shape[last]))
        value = select(is_there, Load(formal, variables), Const(-math.inf, type_.dtype))
        name = f"{mask.name}.filled"
        while name in self.types:
            name += "_"
        self.types[name] = type_
        self.limits[name] = (Limit(last, count, fill=-math.inf),)
        definition = Pointwise((formal, sizes), type_, variables, value, "filled")
        return Step(definition, (mask.name, FILLED), (name,), step.nodes, step.key)

    def _limit_results(self, step: Step, mask: _Masked) -> None:
        """Weights of hidden places are zero."""
        assert isinstance(step.definition, Template)
        for way in step.definition.folded:
            for axis, name in zip(way.outputs, step.outputs, strict=True):
                if axis is not None and way.result is not None:
                    self.limits[name] = (Limit(axis, Count(mask.number), fill=way.result),)

    def _keep_zeros(self, step: Step) -> None:
        """A step that gives zero where it reads zero, element by element, keeps the limits of what it reads."""
        definition = step.definition
        if not isinstance(definition, Pointwise):
            return
        for number, name in enumerate(step.inputs):
            limits = [limit for limit in self.limits.get(name, ()) if limit.fill == 0.0]
            if (
                limits
                and definition.follows(number)
                and _is_zero(definition.value, definition.inputs[number].name)
            ):
                self.limits[step.outputs[0]] = tuple(limits)

    # ─── what comes before ─────────────────────────────────────────────────────────────────────────────────────────

    def _limit_backwards(self, steps: Sequence[Step]) -> None:
        """What is only read for places that are there need not be computed for others."""
        readers: dict[str, list[Step]] = {}
        for step in steps:
            for name in step.inputs:
                readers.setdefault(name, []).append(step)
        for step in reversed(steps):
            name = step.outputs[0]
            if len(step.outputs) > 1 or name in self.limits or name in self.draft.outputs:
                continue
            read = [limit for reader in readers.get(name, ()) for limit in self._read_by(reader, name)]
            first = read[0] if read else None
            if first is not None and read.count(first) == len(read):
                self.limits[name] = (first,)

    def _read_by(self, step: Step, name: str) -> Iterator[Limit | None]:
        """The limit of what a step reads of a value, for each operand that is this value; None: it may read all."""
        definition, limits = step.definition, self.limits.get(step.outputs[0], ())
        for number, given in enumerate(step.inputs):
            if given == name:
                axis = _axis_read(definition, number, limits[0].axis) if len(limits) == 1 else None
                yield None if axis is None else Limit(axis, limits[0].count)


def with_few_columns(step: Step, limits: Mapping[str, Sequence[Limit]]) -> Step:
    """A step, of a product of which only some columns are there as one that goes through no others."""
    definition = step.definition
    if not isinstance(definition, Template) or definition.name != "matmul":
        return step
    last = definition.outputs[0].rank - 1
    if not any(limit.axis == last for limit in limits.get(step.outputs[0], ())):
        return step
    a, b = definition.inputs
    return replace(step, definition=matmul_template(a, b, definition.outputs[0], few_columns=True))


def _stored(value: Pointwise) -> Template:
    """Numbers that stay a value of their own: fusion puts no template into those who read it."""

    def build(site: Site) -> Sequence[Stmt]:
        return nest(
            ["i0"],
            value.output.shape,
            lambda at: site.write(0, at, value.at(at, lambda number, where: site.read(number, *where))),
        )

    types = tuple(formal.type for formal in value.inputs)
    spec = {"counts": pointwise_text(value)}
    inlines = frozenset(range(len(types)))
    return Template("filled", types, (value.output,), build, spec, inlines, epilogue=False)


def _axis_read(definition: object, number: int, axis: int) -> int | None:
    """The axis of an operand of which each place is read for the same place of the result along `axis`, and no other."""
    if isinstance(definition, Template):
        axes = [way.inputs[number] for way in definition.independent if way.outputs == (axis,)]
        return axes[0] if len(axes) == 1 else None
    if isinstance(definition, Reshape):
        return _kept_axis(definition, axis)
    if not isinstance(definition, Pointwise):
        return None
    formal, variable = definition.inputs[number], definition.index[axis]
    read = [node.index for node in loads(definition.value) if node.buffer.name == formal.name]
    for at, extent in enumerate(formal.shape):
        if extent == definition.output.shape[axis] and all(part[at] == variable for part in read):
            return at
    return None


def _kept_axis(reshape: Reshape, axis: int) -> int | None:
    """The axis of the input that a reshape leaves as it is, as `axis` of its output."""
    before, extent = math.prod(reshape.output.shape[:axis]), reshape.output.shape[axis]
    places = enumerate(reshape.input.shape)
    return next(
        (at for at, size in places if size == extent and math.prod(reshape.input.shape[:at]) == before), None
    )


def _seen(node: Expr) -> Iterator[Expr]:
    """Conditions without which a number is lower than all that count."""
    match node:
        case Binary(op="add"):
            yield from _seen(node.left)
            yield from _seen(node.right)
        case Cast() if node.operand.dtype.is_float:
            yield from _seen(node.operand)
        case Select(if_false=Const(value=value)) if value <= _HIDES:
            yield node.condition
        case Select(if_true=Const(value=value), condition=Binary(op=op) as condition) if (
            value <= _HIDES and op in _OPPOSITE
        ):
            yield compare(_OPPOSITE[op], condition.left, condition.right)


def _is_zero(node: Expr, name: str) -> bool:
    """Whether an expression is zero where a buffer is."""
    match node:
        case Load():
            return node.buffer.name == name
        case Const():
            return node.value == 0
        case Select():
            return _is_zero(node.if_true, name) and _is_zero(node.if_false, name)
        case Cast():
            return _is_zero(node.operand, name)
    return False


def _largest(form: Linear, variables: Sequence[Var], type_: TensorType) -> Expr | None:
    """The largest value of a sum over all indices: as numbers where they are known, else compared one by one."""
    extents = dict(zip(variables, type_.shape, strict=True))
    ranges = from_extents(extents)
    fixed, open_ = Linear(form.constant, {}), Linear(0, {})
    for atom, factor in form.terms.items():
        if any(isinstance(node, Load) for node in walk(atom)):
            open_ = open_.plus(Linear(0, {atom: factor}))
            continue
        low, high = ranges.span(Linear(0, {atom: factor}))
        if high > INT64[1] // 2 or low < INT64[0] // 2:
            return None
        fixed = fixed.plus(Linear(high, {}))
    total = sum_of(open_)
    moving = sorted({node for node in walk(total) if isinstance(node, Var)}, key=lambda node: node.name)
    places = [range(extents[variable]) for variable in moving]
    if math.prod(map(len, places)) > _QUERIES_MAX:
        return None
    every = [_at(total, dict(zip(moving, numbers, strict=True))) for numbers in itertools.product(*places)]
    return functools.reduce(maximum, every) + fixed.constant


def _at(expression: Expr, numbers: Mapping[Var, int]) -> Expr:
    return Rewriter(lambda node: index(numbers[node]) if isinstance(node, Var) and node in numbers else None)(
        expression
    )
