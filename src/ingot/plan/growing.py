"""State that grows with each run, as state of one size that is filled.

What a run gives is what it gets and some places behind it: `present = joined(past, new)`. In a draft with room for more places
(`plan.room`) that is a step that moves both. Here the old state gets as many places as the new one has room for, so that both
have one type and the same strides. The step then leaves each place as it is but those behind the last one that is filled, and
`plan.updates` proves that they can lie in one memory.
"""

from __future__ import annotations

from dataclasses import replace

from ingot.kernels.template import Pointwise
from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Binary, Const, Expr, Load, Select, both, buffer, compare
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import walk
from ingot.plan.program import Draft
from ingot.plan.room_reads import SIZES_FORMAL
from ingot.plan.updates import is_copy


def with_capacity(draft: Draft, source: str, result: str, axis: int) -> Draft | None:
    """The draft in which an input has as many places along an axis as what is joined to it has room for.

    Args:
        draft: with room, before fusion.
        source: the input.
        result: the output that is its next value.
        axis: along which it grows.

    Returns:
        None, where other steps read the input, or the one that does joins nothing to its end.
    """
    draft = _unfilled(draft, result, axis)
    readers = [step for step in draft.steps if source in step.inputs]
    if len(readers) != 1 or readers[0].inputs.count(source) != 1 or source in draft.outside:
        return None
    before, behind = _limit(draft, source, axis), _limit(draft, readers[0].outputs[0], axis)
    if not isinstance(readers[0].definition, Pointwise) or before is None or behind is None:
        return None
    more = behind.count.plus - before.count.plus
    if replace(before.count, plus=behind.count.plus) != behind.count or before.count.over != 1:
        return None
    joined = _behind(readers[0].definition, readers[0].inputs.index(source), before, more)
    if joined is None:
        return None
    steps = tuple(replace(step, definition=joined) if step is readers[0] else step for step in draft.steps)
    limits = {name: some for name, some in draft.limits.items() if name != source}
    return replace(draft, types={**draft.types, source: joined.output}, steps=steps, limits=limits)


def _unfilled(draft: Draft, result: str, axis: int) -> Draft:
    """The draft in which an output is no copy of neutral places behind those that are there, which others need: what is behind
    them in an output may be anything.
    """
    makers = {name: step for step in draft.steps for name in step.outputs}
    copy = makers.get(result)
    filling = makers.get(copy.inputs[0]) if copy is not None and is_copy(copy) else None
    if copy is None or filling is None or not isinstance(filling.definition, Pointwise):
        return draft
    definition = filling.definition
    match definition.value:
        case Select(Binary("lt", place, end), Load() as kept, Const()) if (
            place == definition.index[axis]
            and kept.index == definition.index
            and _is_count(definition.output.shape[axis], definition, _limit(draft, result, axis), end)
        ):
            formals = [formal.name for formal in definition.inputs]
            whole = replace(copy, inputs=(filling.inputs[formals.index(kept.buffer.name)],))
            return replace(draft, steps=tuple(whole if step is copy else step for step in draft.steps))
    return draft


def _limit(draft: Draft, name: str, axis: int) -> Limit | None:
    """How many places of a value are there along an axis, if nothing else is said of any: those behind may be anything."""
    limits = draft.limits.get(name, ())
    is_plain = len(limits) == 1 and (limits[0].axis, limits[0].each, limits[0].rounds) == (axis, 1, 1)
    return limits[0] if is_plain else None


def _behind(definition: Pointwise, number: int, limit: Limit, more: int) -> Pointwise | None:
    """A definition that keeps the places of an operand that are there, and puts others behind them: as one that keeps all but the
    next `more`.
    """
    formal, place = definition.inputs[number], definition.index[limit.axis]
    match definition.value:
        case Select(Binary("lt", first, filled), Load() as old, new) if first == place and (
            old.buffer.name,
            old.index,
        ) == (formal.name, definition.index):
            reads = {node.buffer.name for node in walk(new) if isinstance(node, Load)}
            if not _is_count(formal.shape[limit.axis], definition, limit, filled) or formal.name in reads:
                return None
            end = filled + more
            wide = buffer(formal.name, formal.dtype, definition.output.shape)
            inputs = (*definition.inputs[:number], wide, *definition.inputs[number + 1 :])
            is_new = both(compare("ge", place, filled), compare("lt", place, end))
            value = Select(is_new, _before(new, place, end), Load(wide, definition.index))
            return replace(definition, inputs=inputs, value=value)
    return None


def _is_count(extent: int, definition: Pointwise, limit: Limit | None, end: Expr) -> bool:
    """Whether a number is how many places are there of an axis that has this extent."""
    sizes = next((formal for formal in definition.inputs if formal.name == SIZES_FORMAL), None)
    if sizes is None or limit is None:
        return False
    return expr_text(limit.count.expression(sizes, extent)) == expr_text(end)


def _before(value: Expr, place: Expr, end: Expr) -> Expr:
    """What a value is at places before an end."""
    match value:
        case Select(Binary("lt", left, right), inside) if left == place and expr_text(right) == expr_text(
            end
        ):
            return inside
    return value
