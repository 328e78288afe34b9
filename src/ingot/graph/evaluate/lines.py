"""Whether what a model computes from its shapes is the same function of the number of items for every number of a range.

Two drafts that were lowered for different numbers of items may be equal, and still a third number may be another case: a model
may ask whether there are exactly five. So each value that was folded from shapes (`derived.SizeLog`) is followed as a line,
`at + slope * n`; a value whose shape grows, as what goes up by one step along that axis. What is compared, divided, clamped or
chosen has to come out alike at both ends of the range, between which a line has no other case. What does not is named, if
anything reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from onnx import TensorProto

from ingot.graph.evaluate.derived import Computed, SizeLog, Sliced
from ingot.graph.evaluate.fixed_places import Places, has_fixed_places
from ingot.graph.evaluate.stairs import Rising, is_staircase, keeps_staircase
from ingot.graph.read.definitions import definitions_of

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Counts:
    """Two numbers of items for which a model was lowered, and the bounds of those that it is for."""

    first: int
    second: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Line:
    """Numbers that follow from the number of items: `first` is for the first of the two, and `slope` is for one item more."""

    first: Array
    slope: Array

    def ends(self, counts: Counts) -> tuple[Array, Array]:
        """The values at both ends of the range."""
        low, high = counts.low - counts.first, counts.high - counts.first
        return self.first + self.slope * low, self.first + self.slope * high


@dataclass(frozen=True, slots=True)
class Table:
    """A value whose shape follows from the number of items in one axis, along which its places are equal or go up by `step`."""

    first: Array
    step: Array
    places: int  # at the upper end of the range
    axis: int

    @property
    def is_uniform(self) -> bool:
        """Whether all places are equal."""
        return not self.step.any()


@dataclass(frozen=True, slots=True)
class Asked:
    """A node whose result is another function of the number of items for some numbers than for others, or may be. `is_case`: it
    chooses or clamps, where others round. `is_fixed`: each place of the result has one content for all numbers.
    `is_staircase`: in each row places have one content up to a number that is a line, and another one behind it.
    """

    node: str
    why: str
    has_known_shape: bool = False  # only its elements are another function
    is_case: bool = False
    is_fixed: bool = False
    is_staircase: bool = False


State = Line | Table | Asked | None  # None: it does not follow from the number of items

_ANSWER = "it asks for the number of items, and the answer is not the same for all"
_UNKNOWN = "nothing says how its result follows from the number of items"


def asked(first: SizeLog, second: SizeLog, counts: Counts) -> Asked | None:
    """What a model asks of the number of items that has not one answer for all numbers of the range, and uses; None: nothing."""
    following = _following(first, second, counts)
    for node, name in first.read_by:
        state = following.states.get(name)
        if isinstance(state, Asked):
            return Asked(state.node or node, state.why)
    others = {each.node: each for each in second.slices}
    for part in first.slices:
        if part.node not in others or not following.is_one_part(part, others[part.node]):
            return Asked(
                part.node, "it takes another part of what follows from the number of items for some numbers"
            )
    return None


def case_asked(first: SizeLog, second: SizeLog, counts: Counts, *, caps: bool = False) -> Asked | None:
    """What a model asks of a size that is one of several cases, such as whether it is five, and uses; None: nothing. What only
    rounds sizes, or takes parts, is seen where drafts for several sizes are compared, and so are places of which each has one
    content for all sizes, and staircases; with `caps` also the smaller of two numbers.
    """
    states = followed(first, second, counts, caps=caps)
    for node, name in first.read_by:
        state = states.get(name)
        if isinstance(state, Asked) and state.is_case and not (state.is_fixed or state.is_staircase):
            return Asked(state.node or node, state.why, is_case=True)
    return None


def followed(first: SizeLog, second: SizeLog, counts: Counts, *, caps: bool = False) -> Mapping[str, State]:
    """What each value is that was computed from shapes, by its name; `caps` as `case_asked` has it."""
    return _following(first, second, counts, caps).states


def _following(first: SizeLog, second: SizeLog, counts: Counts, caps: bool = False) -> _Following:
    following = _Following(
        counts, {each.outputs[0][0]: each for each in second.computed if each.outputs}, caps
    )
    for each in first.computed:
        following.follow(each)
    return following


def _broadcasts(entry: Computed) -> bool:
    """Whether the shapes of its results follow from the shapes of its operands alone: it works element by element."""
    if _rule_of(entry) in (_equal, _greater, _less):
        return True
    definitions = definitions_of("", entry.operator)
    return bool(definitions) and definitions[-1].element is not None


def _is_case(entry: Computed) -> bool:
    """Whether a node compares, chooses or clamps: drafts for a few sizes do not show what it does for others."""
    rule = _rule_of(entry)
    if rule is not None:
        return rule in _DECIDING
    has_truth = any(content is not None and content.dtype == np.bool_ for _, content in entry.outputs)
    return has_truth or entry.operator in {"Clip", "If", "Loop", "NonZero"}


def _asked_before(entry: Computed, operands: Sequence[State], is_case: bool) -> Asked | None:
    """What the results of a node are because of an operand that is another function for some numbers; None: it has none."""
    before = next((state for state in operands if isinstance(state, Asked)), None)
    if before is None or (entry.is_of_shape and before.has_known_shape):
        return None
    if is_case and not before.is_case:
        before = Asked(entry.node, _ANSWER, before.has_known_shape, is_case=True)
    return replace(before, has_known_shape=before.has_known_shape and _broadcasts(entry), is_fixed=False)


@dataclass(slots=True)
class _Following:
    counts: Counts
    others: Mapping[str, Computed]
    caps: bool = False
    states: dict[str, State] = field(default_factory=dict)

    def follow(self, entry: Computed) -> None:
        """Finds out what the results of one node are."""
        other = self.others.get(entry.outputs[0][0]) if entry.outputs else None
        operands = [self.states.get(name) for name, _ in entry.inputs]
        if not entry.is_of_shape and not any(operands):
            return
        is_cap = self.caps and entry.operator.removeprefix("Reduce") == "Min"
        is_case = _is_case(entry) and not is_cap
        before = _asked_before(entry, operands, is_case)
        for number, (name, content) in enumerate(entry.outputs):
            if before is not None:
                self.states[name] = replace(
                    before,
                    is_fixed=self._is_fixed(entry, other, number),
                    is_staircase=_keeps_staircase(entry, operands),
                )
            elif other is None or len(other.outputs) != len(entry.outputs):
                self.states[name] = Asked(entry.node, _ANSWER, is_case=is_case)
            else:
                its = other.outputs[number][1]
                state = self._state(entry, other, operands, content, its)
                if isinstance(state, Asked):
                    state = replace(
                        state,
                        is_case=is_case,
                        is_fixed=self._is_fixed(entry, other, number),
                        is_staircase=self._is_staircase(entry, other, operands),
                    )
                self.states[name] = state

    def _is_fixed(self, entry: Computed, other: Computed | None, number: int) -> bool:
        """Whether each place of a result has one content for all numbers of items."""
        if (
            other is None
            or len(other.outputs) != len(entry.outputs)
            or len(other.inputs) != len(entry.inputs)
        ):
            return False
        content, its = entry.outputs[number][1], other.outputs[number][1]
        if content is None or its is None or content.ndim != its.ndim:
            return False
        if entry.operator == "Slice":
            parts = _sliced(entry), _sliced(other)
            if parts[0] is None or parts[1] is None or not self.is_one_part(parts[0], parts[1]):
                return False
        pairs = zip(entry.inputs, other.inputs, strict=True)
        operands = [self._operand(name, mine, theirs) for (name, mine), (_, theirs) in pairs]
        return has_fixed_places(entry, operands, (content, its))

    def _is_staircase(self, entry: Computed, other: Computed, operands: Sequence[State]) -> bool:
        """Whether a node compares places that go up by one with what is a line."""
        if len(operands) != 2 or len(other.inputs) != 2:
            return False
        contents = [(content, its) for (_, content), (_, its) in zip(entry.inputs, other.inputs, strict=True)]
        left, right = (self._rising(state, *pair) for state, pair in zip(operands, contents, strict=True))
        at = next((at for at, state in enumerate(operands) if not isinstance(state, Table)), 0)
        state = operands[at]
        line = state if isinstance(state, Line) else _plain(contents[at][0])
        return is_staircase(entry.operator, (left, right), line.ends(self.counts))

    def _rising(self, state: State, content: Array | None, other: Array | None) -> Rising | None:
        if not isinstance(state, Table) or content is None or other is None or not (state.step == 1).all():
            return None
        low, high = self._through(content.shape[state.axis], other.shape[state.axis]).ends(self.counts)
        return Rising(state.first, (float(low), float(high)))

    def _operand(self, name: str, content: Array | None, other: Array | None) -> Places:
        state = self.states.get(name)
        numbers = state if isinstance(state, Line | Table) else _plain(content) if state is None else None
        return Places(
            is_fixed=state is None
            or isinstance(state, Table)
            or (isinstance(state, Asked) and state.is_fixed),
            is_plain=state is None,
            is_index=numbers is not None and bool((_bounds(numbers, self.counts)[0] >= 0).all()),
            content=content,
            other=other,
        )

    def _state(
        self,
        entry: Computed,
        other: Computed,
        operands: Sequence[State],
        content: Array | None,
        its: Array | None,
    ) -> State:
        if content is None or its is None:
            return Asked(entry.node, _UNKNOWN)
        fitted = self._fitted(entry.node, content, its)
        if entry.is_of_shape or (_are_copies(entry, operands) and _is_copied(fitted)):
            return fitted
        why = self._why_not(entry, other, operands)
        return Asked(entry.node, why, _broadcasts(entry)) if why else fitted

    def _why_not(self, entry: Computed, other: Computed, operands: Sequence[State]) -> str:
        """Why the results of a node are no lines, or tables, though its operands are; "" if they are."""
        if entry.operator == "Slice":
            part, its = (_sliced(each) for each in (entry, other))
            return "" if part and its and self.is_one_part(part, its) else _ANSWER
        if entry.operator == "GatherND":
            return "" if _picks_copies(entry, operands) else _UNKNOWN
        rule = _rule_of(entry)
        if rule is None:
            return _UNKNOWN
        given = [
            state if isinstance(state, Line | Table) else _plain(content)
            for state, (_, content) in zip(operands, entry.inputs, strict=True)
        ]
        return "" if rule(given, self.counts) else _ANSWER

    def _fitted(self, node: str, content: Array, its: Array) -> State:
        """The line, or the table, through what was computed for two numbers of items."""
        apart = self.counts.first - self.counts.second
        if content.shape == its.shape:
            if content.dtype == its.dtype and np.array_equal(
                content, its, equal_nan=content.dtype.kind == "f"
            ):
                return None
            if content.dtype.kind not in "iuf":
                return Asked(node, _ANSWER)
            first = content.astype(np.float64)
            return Line(first, (first - its.astype(np.float64)) / apart)
        grown = [
            axis
            for axis, extents in enumerate(zip(content.shape, its.shape, strict=False))
            if extents[0] != extents[1]
        ]
        if content.ndim != its.ndim or len(grown) != 1:
            return Asked(node, _UNKNOWN)
        axis, extent = grown[0], content.shape[grown[0]]
        places = extent + (extent - its.shape[axis]) * (self.counts.high - self.counts.first) // apart
        table, other = _table(content, axis, places), _table(its, axis, places)
        alike = table is not None and other is not None and np.array_equal(table.first, other.first)
        if table is None or other is None or not alike or not np.array_equal(table.step, other.step):
            return Asked(node, _UNKNOWN)
        return table

    def is_one_part(self, part: Sliced, other: Sliced) -> bool:
        """Whether a `Slice` takes the same part for all numbers of items: neither end is clamped for some of them only."""
        starts, ends, axes, steps = (_parameter(part, at) for at in range(4))
        its_starts, its_ends, _, _ = (_parameter(other, at) for at in range(4))
        if len(part.shape) != len(other.shape):
            return False
        rank = len(part.shape)
        sliced = (
            [int(axis) % rank for axis in axes]
            if axes is not None
            else list(range(rank if starts is None else len(starts)))
        )
        if starts is None or ends is None or its_starts is None or its_ends is None:  # known while running
            return all(part.shape[axis] == other.shape[axis] for axis in sliced)
        if len(starts) != len(its_starts) or len(ends) != len(its_ends):
            return False
        for at, axis in enumerate(sliced):
            extent = self._through(part.shape[axis], other.shape[axis])
            bounds = [self._through(starts[at], its_starts[at]), self._through(ends[at], its_ends[at])]
            if not any(line.slope.any() for line in (extent, *bounds)):
                continue
            if steps is not None and int(steps[at]) != 1:
                return False
            if not all(self._is_in_one_place(bound, extent) for bound in bounds):
                return False
        return True

    def _through(self, first: float, second: float) -> Line:
        slope = (float(first) - float(second)) / (self.counts.first - self.counts.second)
        return Line(np.asarray(float(first)), np.asarray(slope))

    def _is_in_one_place(self, bound: Line, extent: Line) -> bool:
        """Whether an end of a part is before an axis, in it, or behind it for all numbers of items."""
        from_front = Line(bound.first + extent.first, bound.slope + extent.slope)
        low, high = bound.ends(self.counts)
        if low < 0 and high < 0:
            bound = from_front
        elif low < 0 or high < 0:
            return False
        behind = Line(bound.first - extent.first, bound.slope - extent.slope)
        return _has_one_sign(bound.ends(self.counts)) and _has_one_sign(behind.ends(self.counts))


def _keeps_staircase(entry: Computed, operands: Sequence[State]) -> bool:
    stairs = [isinstance(state, Asked) and state.is_staircase for state in operands]
    return keeps_staircase(entry, stairs, [state is None for state in operands])


def _are_copies(entry: Computed, operands: Sequence[State]) -> bool:
    """Whether all that follows from the number of items is how many equal places there are. No operator but `Slice` makes
    something else of some numbers of them.
    """
    varying = [state for state in operands if state is not None]
    return entry.operator != "Slice" and all(
        isinstance(state, Table) and state.is_uniform for state in varying
    )


def _picks_copies(entry: Computed, operands: Sequence[State]) -> bool:
    """Whether a `GatherND` takes equal elements for all items: along the axis of which all places are equal the index goes up,
    and along others it is the same.
    """
    table, index = operands
    if not isinstance(table, Table) or not table.is_uniform or not isinstance(index, Table):
        return False
    if entry.attributes.get("batch_dims") or table.axis >= index.step.shape[-1]:
        return False
    others = np.delete(index.step, table.axis, axis=-1)
    return not others.any() and index.axis < index.step.ndim - 1


def _is_copied(state: State) -> bool:
    return state is None or (isinstance(state, Table) and state.is_uniform)


def _table(content: Array, axis: int, places: int) -> Table | None:
    """What goes up by the same step along an axis; None if this does not."""
    first = content.take([0], axis)
    if content.shape[axis] < 2:
        return None
    if bool((content == first).all()):
        return Table(first, np.zeros(first.shape), places, axis)
    if content.dtype.kind not in "iu":
        return None
    steps = np.diff(content.astype(np.int64), axis=axis)
    step = steps.take([0], axis)
    return Table(first, step, places, axis) if bool((steps == step).all()) else None


def _sliced(entry: Computed) -> Sliced | None:
    content = entry.inputs[0][1]
    return None if content is None else Sliced(entry.node, content.shape, entry.parameters)


def _parameter(part: Sliced, at: int) -> Array | None:
    content = part.parameters[at][1] if at < len(part.parameters) else None
    return None if content is None else content.reshape(-1)


# ─── operators: whether results are lines or tables ────────────────────────────────────────────────────────────────────

Operand = Line | Table
Rule = Callable[[Sequence[Operand], Counts], bool]


def _plain(content: Array | None) -> Line:
    """A value that does not follow from the number of items."""
    if content is None or content.dtype.kind not in "iufb":
        return Line(np.zeros(()), np.zeros(()))
    first = content.astype(np.float64)
    return Line(first, np.zeros(first.shape))


def _varies(operand: Operand) -> bool:
    return isinstance(operand, Table) or bool(operand.slope.any())


def _always(_operands: Sequence[Operand], _counts: Counts) -> bool:
    """Sums, and what moves elements to places that do not follow from any of them."""
    return True


def _others_are_plain(operands: Sequence[Operand], _counts: Counts) -> bool:
    return not any(map(_varies, operands[1:]))


def _first_is_plain(operands: Sequence[Operand], _counts: Counts) -> bool:
    return not _varies(operands[0])


def _counted(operands: Sequence[Operand], _counts: Counts) -> bool:
    """Range: from a number that is known, in steps of one."""
    start, _, step = operands
    return (
        not _varies(start)
        and not _varies(step)
        and isinstance(step, Line)
        and bool((abs(step.first) == 1).all())
    )


def _product(operands: Sequence[Operand], _counts: Counts) -> bool:
    """At most one factor of each element follows from the number of items."""
    tables = [operand for operand in operands if isinstance(operand, Table)]
    if tables:
        return len(tables) == 1 and not any(
            _varies(operand) for operand in operands if isinstance(operand, Line)
        )
    left, right = (operand for operand in operands if isinstance(operand, Line))
    return not (left.slope * right.slope).any()


def _reduced_product(operands: Sequence[Operand], _counts: Counts) -> bool:
    factors = operands[0]
    return isinstance(factors, Line) and int(np.count_nonzero(factors.slope)) <= 1


def _reduced_sum(operands: Sequence[Operand], _counts: Counts) -> bool:
    return isinstance(operands[0], Line) or operands[0].is_uniform


def _reduced_extreme(operands: Sequence[Operand], _counts: Counts) -> bool:
    return isinstance(operands[0], Table) or operands[0].first.size == 1


def _bounds(operand: Operand, counts: Counts) -> tuple[Array, Array]:
    """The least and the largest value of each element, along the axis that grows of all its places."""
    if isinstance(operand, Line):
        low, high = operand.ends(counts)
    else:
        low, high = operand.first, operand.first + operand.step * (operand.places - 1)
    return np.minimum(low, high), np.maximum(low, high)


def _difference(operands: Sequence[Operand], counts: Counts) -> tuple[Array, Array]:
    """The bounds of the difference of two operands."""
    left, right = operands
    if isinstance(left, Line) and isinstance(right, Line):
        return _bounds(Line(left.first - right.first, left.slope - right.slope), counts)
    (low, high), (its_low, its_high) = _bounds(left, counts), _bounds(right, counts)
    return low - its_high, high - its_low


def _has_one_sign(bounds: tuple[Array, Array]) -> bool:
    """Whether no element is below 0 for some numbers, and above for others."""
    low, high = bounds
    return bool((((low >= 0) & (high >= 0)) | ((low <= 0) & (high <= 0))).all())


def _ordered(operands: Sequence[Operand], counts: Counts) -> bool:
    return len(operands) == 1 or (len(operands) == 2 and _has_one_sign(_difference(operands, counts)))


def _equal(operands: Sequence[Operand], counts: Counts) -> bool:
    low, high = _difference(operands, counts)
    return bool(((low > 0) | (high < 0) | ((low == 0) & (high == 0))).all())


def _less(operands: Sequence[Operand], counts: Counts) -> bool:
    low, high = _difference(operands, counts)
    return bool(((low >= 0) | (high < 0)).all())


def _greater(operands: Sequence[Operand], counts: Counts) -> bool:
    return _less(operands[::-1], counts)


def _sign(operands: Sequence[Operand], counts: Counts) -> bool:
    return _equal((operands[0], _plain(np.zeros(()))), counts)


def _absolute(operands: Sequence[Operand], counts: Counts) -> bool:
    return _has_one_sign(_bounds(operands[0], counts))


def _is_whole(numbers: Array) -> Array:
    return np.asarray(numbers == np.floor(numbers))


def _rounded(function: Callable[[Array], Array]) -> Rule:
    """A number that is whole for all numbers of items, or is rounded to the same for all."""

    def is_alike(operands: Sequence[Operand], counts: Counts) -> bool:
        line = operands[0]
        if not isinstance(line, Line):
            return False
        low, high = line.ends(counts)
        return bool((_is_whole(line.first) & _is_whole(line.slope) | (function(low) == function(high))).all())

    return is_alike


def _divided(operands: Sequence[Operand], counts: Counts) -> bool:
    """A quotient of whole numbers is exact for all numbers of items, or the same for all."""
    left, right = operands
    if not isinstance(left, Line) or not isinstance(right, Line):
        return False
    with np.errstate(all="ignore"):
        factor = left.first / right.first
        if right.slope.any():
            return bool((_is_whole(factor) & (left.slope == factor * right.slope)).all())
        low, high = (np.floor(end / right.first) for end in left.ends(counts))
        return bool((_is_whole(factor) & _is_whole(left.slope / right.first) | (low == high)).all())


def _whole(operands: Sequence[Operand], _counts: Counts) -> bool:
    operand = operands[0]
    return isinstance(operand, Table) or bool((_is_whole(operand.first) & _is_whole(operand.slope)).all())


def _rule_of(entry: Computed) -> Rule | None:
    if entry.operator != "Cast":
        return _RULES.get(entry.operator)
    to = entry.attributes.get("to")
    return _sign if to == TensorProto.BOOL else _whole if to in _WIDE else None


# Types that hold every number of items, and what follows from it.
_WIDE = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64)
_RULES: dict[str, Rule] = {
    "Abs": _absolute,
    "Add": _always,
    "Ceil": _rounded(np.ceil),
    "Concat": _always,
    "ConstantOfShape": _always,
    "Div": _divided,
    "Equal": _equal,
    "Expand": _always,
    "Flatten": _always,
    "Floor": _rounded(np.floor),
    "Gather": _others_are_plain,
    "Greater": _greater,
    "GreaterOrEqual": _less,
    "Identity": _always,
    "Less": _less,
    "LessOrEqual": _greater,
    "Max": _ordered,
    "Min": _ordered,
    "Mod": _divided,
    "Mul": _product,
    "Neg": _always,
    "Range": _counted,
    "ReduceMax": _reduced_extreme,
    "ReduceMin": _reduced_extreme,
    "ReduceProd": _reduced_product,
    "ReduceSum": _reduced_sum,
    "Reshape": _always,
    "Round": _rounded(np.rint),
    "Sign": _sign,
    "Split": _others_are_plain,
    "Squeeze": _others_are_plain,
    "Sub": _always,
    "Sum": _always,
    "Tile": _always,
    "Transpose": _always,
    "Unsqueeze": _others_are_plain,
    "Where": _first_is_plain,
}
_DECIDING = frozenset(
    {_absolute, _equal, _greater, _less, _ordered, _reduced_extreme, _sign, _first_is_plain}
)
