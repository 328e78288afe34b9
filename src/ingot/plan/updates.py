"""State that a run changes in its place.

A cache is an input and an output of the same type, of which a run changes some places. Where that is proven here, the output lies
in the memory of the input, and what writes it writes these places and no others:

1. Only one step reads the old state, and its result is the new one. All who read the new one come behind it.
2. An element of the result is the old one at the same index, or another value where a condition holds. The condition holds for
   a number of places in a row along one axis, which is known while building; which they are need not be.
   Or the step is a template that knows how to write into its input (`Template.in_place`).

Conditions are solved, not recognised: what compares a table of positions, or a position, with a sum of numbers that are the same
along the axis. `plan/memory/check` proves that nobody reads the old state behind the write.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingot.base.tensor import DType, TensorType, row_major
from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.kernels.update import Places, dense_axis, update_template
from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Binary, Buffer, Const, Expr, Load, Select, Var, buffer, cast, index
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import Rewriter, walk
from ingot.loops.transform.simplify import simplify_index
from ingot.plan.program import HOST, Draft, Step
from ingot.plan.text import pointwise_text

_DEPTH_MAX = 20  # of steps that a condition is followed through
_TABLE_MAX = 1 << 22  # elements of a table that is looked at
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}


def with_updates(
    draft: Draft, states: Sequence[tuple[str, str]], loose: bool = False
) -> tuple[Draft, Mapping[str, int | None]]:
    """The draft with states that are changed in their place, where that is proven.

    Args:
        draft: what to compute, before fusion.
        states: the input and the output of each state, by the draft's names.
        loose: whether states are changed in their place too which nobody reads, and which are given whole, and those that stay as
            they are: where other programs change the same memory.

    Returns:
        The draft, and for each input that is changed in its place the axis along which; None if it is the same along all.
    """
    axes: dict[str, int | None] = {}
    for source, result in states:
        update = _Update(draft, source, result)
        changed = update.draft_and_axis() or (update.loose() if loose else None)
        if changed is not None:
            draft, axes[source] = changed
    return draft, axes


@dataclass(slots=True)
class Composer:
    """Expressions over the values of a draft, followed through the pointwise steps that compute them."""

    draft: Draft
    makers: Mapping[str, Step]
    names: list[str] = field(default_factory=list)
    formals: list[Buffer] = field(default_factory=list)
    extents: Mapping[Var, int] = field(default_factory=dict)  # of the indices that are asked for

    def leaf(self, name: str, at: tuple[Expr, ...]) -> Load:
        """An element of a value that is an operand."""
        if name not in self.names:
            type_ = self.draft.types[name]
            self.formals.append(buffer(f"a{len(self.names)}", type_.dtype, type_.shape))
            self.names.append(name)
        return Load(self.formals[self.names.index(name)], at)

    def value(self, name: str, at: tuple[Expr, ...], depth: int = _DEPTH_MAX) -> Expr:
        """An element of a value, by what computes it."""
        array = self.draft.constants.get(name)
        if array is not None:
            return _of_table(array, at) or self.leaf(name, at)
        step = self.makers.get(name)
        if (
            step is not None
            and depth
            and isinstance(step.definition, Reshape)
            and step.definition.output.size
        ):
            return self.value(step.inputs[0], self._before(step.definition, at), depth - 1)
        if step is None or not depth or not isinstance(step.definition, Pointwise):
            return self.leaf(name, at)
        inputs = step.inputs
        return step.definition.at(at, lambda number, where: self.value(inputs[number], where, depth - 1))

    def _before(self, reshape: Reshape, at: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The index of an element before a reshape."""
        if [extent for extent in reshape.input.shape if extent > 1] == [
            extent for extent in reshape.output.shape if extent > 1
        ]:
            kept = iter(part for part, extent in zip(at, reshape.output.shape, strict=True) if extent > 1)
            return tuple(next(kept) if extent > 1 else index(0) for extent in reshape.input.shape)
        position: Expr = index(0)
        for part, extent in zip(at, reshape.output.shape, strict=True):
            position = position * extent + part
        strides = zip(reshape.input.shape, row_major(reshape.input.shape), strict=True)
        return tuple(
            simplify_index((position // stride) % extent, self.extents) for extent, stride in strides
        )

    def moved(self, name: str, at: tuple[Expr, ...]) -> Expr:
        """An element of a value, followed only to where it was before it was moved about."""
        step = self.makers.get(name)
        if step is None or not isinstance(step.definition, Pointwise):
            return self.leaf(name, at)
        definition, inputs = step.definition, step.inputs
        if not isinstance(definition.value, Load):
            return self.leaf(name, at)
        source = definition.value.buffer.name

        def read(number: int, where: tuple[Expr, ...]) -> Expr:
            is_source = definition.inputs[number].name == source
            return (self.moved if is_source else self.value)(inputs[number], where)

        return definition.at(at, read)

    def of_step(self, step: Step, expression: Expr, read: Callable[[str, tuple[Expr, ...]], Expr]) -> Expr:
        """An expression over the operands of a step as one over values, which `read` gives."""
        assert isinstance(step.definition, Pointwise)
        by_formal = {
            formal.name: name for formal, name in zip(step.definition.inputs, step.inputs, strict=True)
        }

        def leave(node: Expr) -> Expr | None:
            return read(by_formal[node.buffer.name], node.index) if isinstance(node, Load) else None

        return Rewriter(leave)(expression)


@dataclass(frozen=True, slots=True)
class _Update:
    """The question whether an output may lie in the memory of an input."""

    draft: Draft
    source: str
    result: str

    def draft_and_axis(self) -> tuple[Draft, int] | None:
        """The draft with the state changed in its place, and the axis along which; None where that is not proven."""
        draft = self.draft
        makers = {name: step for step in draft.steps for name in step.outputs}
        names, writer = self._writer(makers)
        if writer is None or draft.types[self.source] != draft.types[self.result]:
            return None
        if any(step.key != HOST for step in draft.steps) or draft.types[self.source].dtype.is_packed:
            return None
        if self.source in draft.outside or self.result in draft.outside or len(writer.outputs) != 1:
            return None
        if [step for step in draft.steps if self.source in step.inputs] != [writer]:
            return None
        changed = self._changed(writer, makers)
        if changed is None:
            return None
        step, axis = changed
        renamed = dict.fromkeys(names, self.result)
        steps: list[Step] = []
        for each in draft.steps:
            if each is writer:
                steps.append(step)
            elif each.outputs[0] not in names:
                inputs = tuple(renamed.get(name, name) for name in each.inputs)
                steps.append(replace(each, inputs=inputs))
        updates = {**draft.updates, self.result: self.source}
        return replace(draft, steps=tuple(steps), updates=updates), axis

    def loose(self) -> tuple[Draft, None] | None:
        """The draft with a state in its place of which nothing is read, or nothing is changed; None where it is another one."""
        draft, type_ = self.draft, self.draft.types[self.source]
        if type_ != draft.types[self.result] or not type_.rank or not type_.size or type_.dtype.is_packed:
            return None
        if any(step.key != HOST for step in draft.steps) or {self.source, self.result} & set(draft.outside):
            return None
        makers = {name: step for step in draft.steps for name in step.outputs}
        names, writer = self._writer(makers)
        updates = {**draft.updates, self.result: self.source}
        readers = [step for step in draft.steps if self.source in step.inputs]
        if not readers and writer is not None and len(writer.outputs) == 1:
            return replace(draft, updates=updates), None
        if names[-1] != self.source:
            return None
        renamed = dict.fromkeys(names, self.result)
        first = _unchanged(type_, self.result)
        others = [
            replace(step, inputs=tuple(renamed.get(name, name) for name in step.inputs))
            for step in draft.steps
            if step.outputs[0] not in names
        ]
        return replace(draft, steps=(first, *others), updates=updates), None

    def _writer(self, makers: Mapping[str, Step]) -> tuple[list[str], Step | None]:
        """The step that computes the result, before it is only copied, and the names that it has on the way."""
        names = [self.result]
        step = makers.get(self.result)
        while step is not None and is_copy(step) and step.inputs[0] not in self.draft.outputs:
            names.append(step.inputs[0])
            step = makers.get(step.inputs[0])
        return names, step

    def _changed(self, writer: Step, makers: Mapping[str, Step]) -> tuple[Step, int] | None:
        """The writer as a step that writes only what changes."""
        match writer.definition:
            case Template(in_place=make) as template if (
                make is not None and writer.inputs.index(self.source) == 0
            ):
                if writer.inputs.count(self.source) > 1:
                    return None
                return replace(writer, definition=make(), outputs=(self.result,)), int(
                    template.spec.get("axis", 0)
                )
            case Pointwise(value=Select() as value) as definition:
                return self._solved(writer, definition, value, makers)
        return None

    def _solved(
        self, writer: Step, definition: Pointwise, value: Select, makers: Mapping[str, Step]
    ) -> tuple[Step, int] | None:
        old = value.if_false
        number = writer.inputs.index(self.source)
        if not isinstance(old, Load) or old.buffer.name != definition.inputs[number].name:
            return None
        if old.index != definition.index and not definition.follows(number):
            return None
        composer = Composer(self.draft, makers)
        holds = composer.of_step(writer, value.condition, composer.value)
        new = composer.of_step(writer, value.if_true, composer.moved)
        span = solved(holds, definition.index, definition.output)
        if span is None or self.source in composer.names:
            return None
        formals = tuple(composer.formals)
        variables = definition.index
        places = Places(
            span.axis,
            Pointwise(formals, TensorType(DType.INT64, definition.output.shape), variables, span.first),
            Pointwise(formals, TensorType(DType.BOOL, definition.output.shape), variables, holds),
            span.count,
            span.wraps,
        )
        changed = Pointwise(formals, definition.output, variables, new, definition.name)
        text = " ".join(pointwise_text(each) for each in (changed, places.first, places.holds))
        template = update_template(changed, places, text)
        return replace(
            writer, definition=template, inputs=tuple(composer.names), outputs=(self.result,)
        ), span.axis


def _unchanged(type_: TensorType, result: str) -> Step:
    """A step that changes nothing of a state: the only place that it looks at is none that it writes."""

    def everywhere(dtype: DType, value: Expr) -> Pointwise:
        return Pointwise((), TensorType(dtype, type_.shape), variables, value, "keep")

    variables = tuple(Var(f"i{axis}") for axis in range(type_.rank))
    places = Places(
        0, everywhere(DType.INT64, index(0)), everywhere(DType.BOOL, Const(False, DType.BOOL)), 1, False
    )
    nothing = everywhere(type_.dtype, cast(Const(0, DType.INT64), type_.dtype))
    return Step(update_template(nothing, places, "nothing"), (), (result,), ())


def is_copy(step: Step) -> bool:
    """Whether a step gives what it reads as it is."""
    definition = step.definition
    return (
        isinstance(definition, Pointwise)
        and isinstance(definition.value, Load)
        and len(definition.inputs) == 1
        and definition.follows(0)
    )


# ─── conditions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Span:
    """Places in a row along an axis: `count` of them from `first` on, modulo the extent if it `wraps`."""

    axis: int
    first: Expr
    count: int
    wraps: bool


@dataclass(frozen=True, slots=True)
class Side:
    """A place along an axis is at least, or at most, `bound`; or so is what it is behind `start`, modulo the extent."""

    axis: int
    is_lower: bool
    bound: Linear
    start: Linear | None = None


def solved(condition: Expr, variables: Sequence[Var], output: TensorType) -> Span | None:
    """The places along one axis at which a condition on an index may hold: as many for every index along the other axes."""
    forms = Forms()
    sides = [side for part in conjuncts(condition) for side in sides_of(part, variables, output, forms)]
    lower, upper = [side for side in sides if side.is_lower], [side for side in sides if not side.is_lower]
    pairs = [
        (low, high)
        for low, high in itertools.product(lower, upper)
        if low.axis == high.axis and low.start == high.start and not high.bound.plus(low.bound, -1).terms
    ]
    if not pairs:
        return None
    low, high = min(pairs, key=lambda pair: pair[1].bound.plus(pair[0].bound, -1).constant)
    count, first = high.bound.plus(low.bound, -1).constant + 1, low.bound
    if low.start is not None:
        count, first = min(count, output.shape[low.axis]), first.plus(low.start)
        if low.bound.terms or low.bound.constant < 0:
            return None
    expression = sum_of(first)
    last = dense_axis(output, low.axis)
    moving = {variables[low.axis]} if last is None else {variables[low.axis], variables[last]}
    if count < 1 or any(isinstance(node, Var) and node in moving for node in walk(expression)):
        return None
    return Span(low.axis, expression, count, low.start is not None)


def conjuncts(condition: Expr) -> Iterator[Expr]:
    """What must all hold for a condition to hold."""
    if isinstance(condition, Binary) and condition.op == "and":
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    else:
        yield condition


class Forms:
    """Sums of which equal parts are one object."""

    def __init__(self) -> None:
        self._ranges = Ranges({})
        self._atoms: dict[str, Expr] = {}

    def __call__(self, expression: Expr) -> Linear:
        form = self._ranges.linear(expression)
        total = Linear(form.constant, {})
        for atom, factor in form.terms.items():
            total = total.plus(Linear(0, {self._atoms.setdefault(expr_text(atom), atom): factor}))
        return total


def sides_of(part: Expr, variables: Sequence[Var], output: TensorType, forms: Forms) -> Iterator[Side]:
    """What a comparison says of a place along an axis; nothing where it is not of that form."""
    if not isinstance(part, Binary) or part.op not in _FLIPPED or part.left.dtype is not DType.INT64:
        return
    form = forms(part.left).plus(forms(part.right), -1)
    inner, extent = _wrapped(form, forms)
    of_place = form if inner is None else inner
    moving = [(axis, of_place.terms[var]) for axis, var in enumerate(variables) if var in of_place.terms]
    if len(moving) != 1 or abs(moving[0][1]) != 1 or extent not in (None, output.shape[moving[0][0]]):
        return
    axis, factor = moving[0]
    rest = of_place.plus(Linear(0, {variables[axis]: 1}), -factor).times(-factor)
    op, start = part.op if factor == 1 else _FLIPPED[part.op], None
    if inner is not None:
        if factor != 1:
            return
        start, rest = rest, Linear(-form.constant, {})
    if op in ("ge", "gt", "eq"):
        yield Side(axis, True, rest.plus(Linear(int(op == "gt"), {})), start)
    if op in ("le", "lt", "eq"):
        yield Side(axis, False, rest.plus(Linear(-int(op == "lt"), {})), start)


def _wrapped(form: Linear, forms: Forms) -> tuple[Linear | None, int | None]:
    """Of `((x % n) + n) % n` plus a constant, the form of `x`, and `n`."""
    atom = _single(form)
    if not (isinstance(atom, Binary) and atom.op == "rem" and isinstance(atom.right, Const)):
        return None, None
    number = int(atom.right.value)
    inside = forms(atom.left)
    within = _single(inside)
    if inside.constant != number or not (isinstance(within, Binary) and within.op == "rem"):
        return None, None
    if not isinstance(within.right, Const) or within.right.value != number:
        return None, None
    return forms(within.left), number


def _single(form: Linear) -> Expr | None:
    return next(iter(form.terms)) if list(form.terms.values()) == [1] else None


def sum_of(form: Linear) -> Expr:
    """The expression of an affine form."""
    total: Expr = index(0)
    for atom, factor in form.terms.items():
        total = total + atom * factor
    return total + form.constant


def _of_table(array: np.ndarray, at: tuple[Expr, ...]) -> Expr | None:
    """An element of a table as a sum of its index, where its numbers go up in steps along each axis, or do so again and again."""
    if array.dtype != np.int64 or not 0 < array.size <= _TABLE_MAX:
        return None
    origin = int(array[(0,) * array.ndim])
    total: Expr = index(origin)
    expected = np.full(array.shape, origin)
    for axis, extent in enumerate(array.shape):
        if extent == 1:
            continue
        line = array[tuple(slice(None) if other == axis else 0 for other in range(array.ndim))]
        step, period = int(line[1]) - origin, _period(line)
        shape = [extent if other == axis else 1 for other in range(array.ndim)]
        expected = expected + step * (np.arange(extent) % period).reshape(shape)
        total = total + (at[axis] if period == extent else at[axis] % period) * step
    return total if np.array_equal(array, expected) else None


def _period(line: np.ndarray) -> int:
    """After how many numbers of a list that goes up or down in steps it begins again; their number if it does not."""
    again = np.flatnonzero(line[1:] == line[0])
    return int(again[0]) + 1 if again.size and line[1] != line[0] else len(line)
