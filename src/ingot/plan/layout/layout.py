"""Storage: how each value of a draft lies in memory, and which steps then cost nothing.

A value keeps its logical shape everywhere; only its strides say how it is stored. So a transpose, a reshape of dense data, a
slice or a broadcast is a *view* of its input, and a concatenation is an output whose parts are written by their producers.

- A template says which order of dimensions it likes for its results (`prefers`); a convolution likes channels last.
- A pointwise result takes the order of the operand that it follows element by element, or whose elements it takes from other
  places along some dimensions, unless all who read it are templates that prefer another one.
- Model inputs and outputs are row-major, as their users expect; `plan.layout.arrange` puts copies in other orders beside them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.base.tensor import TensorType, row_major
from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.loops.analyse.ranges import affine
from ingot.loops.nodes import Expr, Load, Var
from ingot.loops.transform.rewrite import loads, walk
from ingot.plan.names import unused
from ingot.plan.program import (
    HOST,
    Arranged,
    Choice,
    Draft,
    Fused,
    Inlined,
    Opaque,
    Repeat,
    Send,
    Step,
    Value,
)

# The most inputs of an alternating concatenation: each is an operand of one kernel, and OpenCL allows 63 operands.
_MAX_ALTERNATING = 32


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The stored form of every value, and what is left to compute.

    `free` are the first outputs of steps that need no kernel: views, and concatenations whose parts are all written in place.
    `parts` gives, for each concatenation that is not free, the views of its result that some input must still be copied to.
    """

    values: Mapping[str, Value]
    free: frozenset[str]
    parts: Mapping[str, tuple[tuple[str, Value], ...]]
    spaces: Mapping[str, str]


def choose_layout(
    draft: Draft, spaces: Mapping[str, str] | None = None, orders: Mapping[str, tuple[int, ...]] | None = None
) -> Layout:
    """Gives every value its strides and its memory. `spaces` has the memory space of each target key; of one not in it, the
    host's. `orders` has those of results that are to have another than they would by themselves, if they can.
    """
    work = _Work(draft, spaces or {}, orders or {})
    for step in draft.steps:
        work.place(step)
    for step in reversed(draft.steps):
        if step.outputs[0] in work.concats:
            work.write_parts_in_place(step)
    return Layout(
        {name: work.resolve(name) for name in work.values},
        frozenset(work.free),
        {
            name: tuple((source, work.rooted(view)) for source, view in parts)
            for name, parts in work.parts.items()
        },
        work.spaces,
    )


def dense_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Element strides of a dense tensor stored with its dimensions in this order, outermost first."""
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def storage_order(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The dimensions from the outermost to the innermost in memory; ties and extents of 1 keep their logical order."""
    big = [axis for axis in range(len(shape)) if shape[axis] != 1]
    ranked = iter(sorted(big, key=lambda axis: (-strides[axis], axis)))
    return tuple(axis if shape[axis] == 1 else next(ranked) for axis in range(len(shape)))


def reshape_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | None:
    """Strides that make stored data look reshaped, or None where a copy is needed. Sizes are equal and not zero."""
    result = [1] * len(new_shape)
    for taken, wanted in _same_elements(shape, new_shape):
        for outer, inner in itertools.pairwise(taken):
            if strides[outer] != shape[inner] * strides[inner]:
                return None
        step = strides[taken[-1]]
        for axis in reversed(wanted):
            result[axis] = step
            step *= new_shape[axis]
    return tuple(result)


def _same_elements(shape: Sequence[int], new_shape: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """The fewest neighbouring dimensions of both shapes, by their numbers, that have the same elements. Extents of 1 are in none.
    Sizes are equal and not zero.
    """
    old = [axis for axis, extent in enumerate(shape) if extent != 1]
    new = [axis for axis, extent in enumerate(new_shape) if extent != 1]
    while new:
        taken, wanted = [old.pop(0)], [new.pop(0)]
        product, total = shape[taken[0]], new_shape[wanted[0]]
        while product != total:
            if product < total:
                taken.append(old.pop(0))
                product *= shape[taken[-1]]
            else:
                wanted.append(new.pop(0))
                total *= new_shape[wanted[-1]]
        yield taken, wanted


def _order_of_repeats(reshape: Reshape, strides: Sequence[int]) -> tuple[int, ...] | None:
    """The order of what is copied because elements are repeated within dimensions: that of the elements. None for other copies.

    An image that is made larger by whole numbers stays as it is stored.
    """
    shape, new_shape = reshape.input.shape, reshape.output.shape
    if reshape.output.size == 0:
        return None
    ranks = [0] * len(new_shape)
    repeats = False
    for taken, wanted in _same_elements(shape, new_shape):
        repeats |= len(taken) > 1 and any(strides[axis] == 0 for axis in taken)
        if len(wanted) > 1:
            return None
        ranks[wanted[0]] = min((strides[axis] for axis in taken if strides[axis]), default=0)
    return storage_order(new_shape, ranks) if repeats else None


@dataclass(slots=True)
class _Work:
    draft: Draft
    spaces: Mapping[str, str]
    orders: Mapping[str, tuple[int, ...]]
    values: dict[str, Value] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    concats: set[str] = field(default_factory=set)
    # Written byte after byte, by transfers and opaque calls: memory with gaps is no place for them.
    whole: set[str] = field(default_factory=set)
    parts: dict[str, tuple[tuple[str, Value], ...]] = field(default_factory=dict)
    # The only reader of a value, if that is a reshape.
    reshaped: dict[str, Step] = field(default_factory=dict)
    # A base that turned out to live inside another one: base → view of the other.
    moved: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        homes = {name: self.spaces.get(step.key, HOST) for step in self.draft.steps for name in step.inputs}
        reads = Counter(name for step in self.draft.steps for name in step.inputs)
        self.reshaped |= {
            step.inputs[0]: step
            for step in self.draft.steps
            if isinstance(step.definition, Reshape) and reads[step.inputs[0]] == 1
        }
        for name in (*self.draft.inputs, *self.draft.constants):
            # plan.transfer has given every space constants of its own.
            space = homes.get(name, HOST) if name in self.draft.constants else HOST
            self._own(name, row_major(self.draft.types[name].shape), space)

    def _own(self, name: str, strides: tuple[int, ...], space: str) -> None:
        self.values[name] = Value(name, self.draft.types[name], strides, name, 0, space)

    def resolve(self, name: str) -> Value:
        """The value with its base followed to the end."""
        return self.rooted(self.values[name])

    def rooted(self, value: Value) -> Value:
        """The value as a view of memory that is part of no other."""
        while value.base in self.moved:
            host = self.moved[value.base]
            value = replace(value, base=host.base, offset=value.offset + host.offset)
        return value

    def place(self, step: Step) -> None:
        name = step.outputs[0]
        space = self.spaces.get(step.key, HOST)
        match step.definition:
            case Send():
                # Byte for byte, if the source is dense; schedule makes it so otherwise.
                source = self.values[step.inputs[0]]
                dense = dense_strides(source.type.shape, storage_order(source.type.shape, source.strides))
                self._own(name, dense, space)
                self.whole.add(name)
            case Arranged() as arranged:
                self._own(name, dense_strides(arranged.type.shape, arranged.order), space)
            case Opaque() | Repeat() | Choice():
                for output in step.outputs:
                    self._own(output, row_major(self.draft.types[output].shape), space)
                    self.whole.add(output)
            case Reshape() as reshape:
                if self._view_of_reshape(name, step.inputs[0], reshape):
                    return
                order = self.orders.get(name) or _order_of_repeats(
                    reshape, self.values[step.inputs[0]].strides
                )
                if order is not None and not _is_seen_as(reshape, order):
                    order = None
                self._own(name, self._order_for_output(name, order), space)
            case Pointwise() as pointwise:
                if self._view_of_movement(name, step, pointwise):
                    return
                order = self.orders.get(name) or self._followed(step, pointwise)
                self._own(name, self._order_for_output(name, order), space)
            case Template() | Fused() as heavy:
                template = heavy.template if isinstance(heavy, Fused) else heavy
                for position, output in enumerate(step.outputs):
                    order = template.prefers.get(("output", position))
                    if order is None:
                        order = self._order_of_operands(step, heavy, template, self.draft.types[output].rank)
                    elif template.turns and position == 0 and self._is_flattened(output, order):
                        order = None
                    self._own(output, self._order_for_output(output, order), space)
                if (
                    template.name == "concat"
                    and isinstance(heavy, Template)
                    and not self._alternates(name, template)
                ):
                    self.concats.add(name)

    def _is_flattened(self, name: str, order: Sequence[int]) -> bool:
        """Whether a value is read by nothing but a reshape that copies it if it is stored so: one that makes an output of the
        model, or joins dimensions that are not neighbours in memory.
        """
        step, shape = self.reshaped.get(name), self.draft.types[name].shape
        if step is None or self.draft.types[name].size == 0:
            return False
        result = step.outputs[0]
        seen = reshape_strides(shape, dense_strides(shape, order), self.draft.types[result].shape)
        return result in self.draft.outputs or seen is None

    def _order_for_output(self, name: str, order: Sequence[int] | None) -> tuple[int, ...]:
        shape = self.draft.types[name].shape
        if order is None or name in self.draft.outputs:
            return row_major(shape)
        return dense_strides(shape, order)

    # ── views ──

    def _view_of_reshape(self, name: str, source: str, reshape: Reshape) -> bool:
        if reshape.output.size == 0:
            return False
        value = self.values[source]
        strides = reshape_strides(value.type.shape, value.strides, reshape.output.shape)
        return strides is not None and self._make_view(name, value, strides, value.offset)

    def _view_of_movement(self, name: str, step: Step, pointwise: Pointwise) -> bool:
        node = pointwise.value
        if not isinstance(node, Load) or pointwise.output.size == 0:
            return False
        value = self.values[step.inputs[pointwise.inputs.index(node.buffer)]]
        offset = value.offset
        coefficients = dict.fromkeys(pointwise.index, 0)
        for part, stride in zip(node.index, value.strides, strict=True):
            form = affine(part)
            if form is None:
                return False
            constant, terms = form
            offset += constant * stride
            for variable, coefficient in terms.items():
                coefficients[variable] += coefficient * stride
        strides = tuple(coefficients.values())
        if any(stride < 0 for stride in strides):
            return False  # a buffer's first element is its lowest address
        return self._make_view(name, value, strides, offset)

    def _make_view(self, name: str, source: Value, strides: tuple[int, ...], offset: int) -> bool:
        """Makes `name` a view of `source`; a model output instead takes the source into its own memory, if it can."""
        type_ = self.draft.types[name]
        if name not in self.draft.outputs:
            self.values[name] = Value(name, type_, strides, source.base, offset, source.space)
            self.free.add(name)
            return True
        base = source.base
        host = self.values.get(base)
        whole = (
            host is not None
            and self._is_movable(base)
            and offset == 0
            and type_.size == host.type.size
            and all(
                extent == 1 or stride == dense
                for extent, stride, dense in zip(type_.shape, strides, row_major(type_.shape), strict=True)
            )
        )
        if not whole:
            return False
        self._own(name, row_major(type_.shape), HOST)
        self.moved[base] = self.values[name]
        self.free.add(name)
        return True

    def _is_movable(self, base: str) -> bool:
        """Whether the memory of a base may become part of another's: it is temporary, and not part of one yet."""
        return (
            base not in self.draft.inputs
            and base not in self.draft.constants
            and base not in self.draft.outputs
            and base not in self.moved
            and all(host.base != base for host in self.moved.values())
        )

    # ── orders ──

    def _followed(self, step: Step, pointwise: Pointwise) -> tuple[int, ...] | None:
        """The storage order of the largest operand that the result follows.

        Concatenating an image stored channels last that is resized into rows takes eight times as long.
        """
        best: tuple[int, tuple[int, ...]] | None = None
        for node in loads(pointwise.value):
            name = step.inputs[[formal.name for formal in pointwise.inputs].index(node.buffer.name)]
            value = self.values[name]
            order = _order_through(pointwise.output, pointwise.index, node.index, value)
            if order is not None and (best is None or value.type.size > best[0]):
                best = (value.type.size, order)
        return None if best is None else best[1]

    def _order_of_operands(
        self, step: Step, heavy: Template | Fused, template: Template, rank: int
    ) -> tuple[int, ...] | None:
        """The storage order of a template's largest operand of the same rank: pools, reductions and concatenations keep it."""
        sources = heavy.sources if isinstance(heavy, Fused) else range(len(template.inputs))
        best: tuple[int, tuple[int, ...]] | None = None
        for type_, source in zip(template.inputs, sources, strict=True):
            if type_.rank != rank:
                continue
            if isinstance(source, Inlined):
                inner = Step(
                    source.pointwise, tuple(step.inputs[number] for number in source.operands), (), ()
                )
                order = self._followed(inner, source.pointwise)
            else:
                value = self.values[step.inputs[source]]
                order = storage_order(value.type.shape, value.strides)
            if order is not None and (best is None or type_.size > best[0]):
                best = (type_.size, order)
        return None if best is None else best[1]

    # ── concatenation ──

    def _alternates(self, name: str, template: Template) -> bool:
        """Whether neighbours in memory come from one input after the other: then no input is written in place, one element here
        and one there, but the template writes them side by side. Not so many inputs, and none of a single element.
        """
        axis = int(template.spec["axis"])
        return (
            len(template.inputs) <= _MAX_ALTERNATING
            and template.inputs[0].size > 1
            and self.values[name].strides[axis] == 1
            and all(type_.shape[axis] == 1 for type_ in template.inputs)
        )

    def write_parts_in_place(self, step: Step) -> None:
        """Lets the producers of a concatenation's inputs write into its result where they can; the others are copied."""
        name = step.outputs[0]
        template = step.definition
        assert isinstance(template, Template)
        axis = int(template.spec["axis"])
        result = self.values[name]
        offset = 0
        copies: list[tuple[str, Value]] = []
        for number, source in enumerate(step.inputs):
            value = self.values[source]
            start = result.offset + offset * result.strides[axis]
            part = unused(f"{name}.part{number}", self.values)
            view = Value(part, value.type, result.strides, result.base, start, result.space)
            offset += value.type.shape[axis]
            alone = step.inputs.count(source) == 1
            same_order = storage_order(value.type.shape, value.strides) == storage_order(
                value.type.shape, result.strides
            )
            fits = same_order and (source not in self.whole or value.strides == view.strides)
            if (
                alone
                and value.base == source
                and fits
                and self._is_movable(source)
                and not self._has_views(source)
            ):
                self.values[source] = replace(value, strides=view.strides)
                self.moved[source] = view
            elif alone and self._is_whole(value, view) and self._is_movable(value.base):
                self.moved[value.base] = view
            elif value.type.size:
                copies.append((source, view))
        if copies:
            self.parts[name] = tuple(copies)
        else:
            self.free.add(name)

    def _is_whole(self, value: Value, place: Value) -> bool:
        """Whether a value is a view of all of a base, such as one with another dimension of 1, that could lie in this place just
        as it lies in memory now. Then nothing changes for other views of the base.
        """
        base = self.values[value.base]
        return (
            value.offset == 0
            and value.type.size == base.type.size > 0
            and value.space == place.space
            and all(
                extent == 1 or stride == wanted
                for extent, stride, wanted in zip(value.type.shape, value.strides, place.strides, strict=True)
            )
        )

    def _has_views(self, base: str) -> bool:
        return any(value.base == base and name != base for name, value in self.values.items())


def _is_seen_as(reshape: Reshape, order: Sequence[int]) -> bool:
    """Whether a result stored in that order can be written as if it had the shape of what is reshaped."""
    type_ = reshape.output
    return (
        type_.size > 0
        and reshape_strides(type_.shape, dense_strides(type_.shape, order), reshape.input.shape) is not None
    )


def _order_through(
    output: TensorType, index: Sequence[Var], where: Sequence[Expr], value: Value
) -> tuple[int, ...] | None:
    """The order of the result's dimensions if it is stored as the operand is, read at `where`: each index of the operand is given
    by one of the result at most, if only through a table.
    """
    axis_of = {variable: axis for axis, variable in enumerate(index)}
    stride_of = dict.fromkeys(range(output.rank), 0)
    for part, stride, extent in zip(where, value.strides, value.type.shape, strict=True):
        if extent == 1:
            continue
        used = {node for node in walk(part) if isinstance(node, Var)}
        if len(used) > 1 or not used <= axis_of.keys():
            return None
        for variable in used:
            stride_of[axis_of[variable]] = stride
    missing = [axis for axis in range(output.rank) if stride_of[axis] == 0 and output.shape[axis] != 1]
    if missing:
        return None
    return storage_order(output.shape, [stride_of[axis] for axis in range(output.rank)])
