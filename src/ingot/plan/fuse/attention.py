"""Finds attention: a product, a softmax along its rows, and a product of that, as one step without the matrix between them.

This is done behind fusion, so it does not matter how a model spells the scale and the mask: they have become the epilogue of the
first product.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ingot.base.tensor import DType
from ingot.kernels.attention.fused import Scoring, attention_template
from ingot.kernels.template import SHORT_FUNCTIONS, Pointwise, Site, Template
from ingot.loops.analyse.counts import Count
from ingot.loops.nodes import Call, Expr, Load
from ingot.loops.transform.rewrite import walk
from ingot.machines.machine import Machine
from ingot.plan.bodies import with_bodies
from ingot.plan.filled import FILLED
from ingot.plan.program import Draft, Epilogue, Fused, Step
from ingot.plan.text import pointwise_text

FIRST_EXTRA = 3
FLOATS = frozenset({DType.FLOAT32, DType.FLOAT64})

Then = Callable[[Site, tuple[Expr, ...], Expr], Expr]


def join_attention(draft: Draft, machines: Mapping[str, Machine]) -> Draft:
    """The draft with attention as single steps, but for machines that run groups of work items: these share products out
    otherwise.

    Does not handle: scores or weights that others read too, reshapes between the three, few rows, half floats and integers.
    """
    draft = with_bodies(draft, lambda body: join_attention(body, machines))
    readers = counted_readers(draft)
    made_by = {step.outputs[0]: step for step in draft.steps}
    joined: dict[str, Step] = {}
    gone: set[str] = set()
    for step in draft.steps:
        machine = machines[step.key]
        min_rows = machine.tuning.attention.min_rows
        joining = None if machine.grid else _joined(draft, step, made_by, readers, min_rows)
        if joining is None:
            continue
        attention, swallowed = joining
        if not swallowed.isdisjoint(
            joined
        ):  # the product before its softmax is the last one of another attention
            continue
        joined[step.outputs[0]] = attention
        gone |= swallowed
    if not joined:
        return draft
    steps = tuple(joined.get(step.outputs[0], step) for step in draft.steps if step.outputs[0] not in gone)
    return replace(draft, steps=steps)


def counted_readers(draft: Draft) -> dict[str, int]:
    """How many steps and outputs read each value that any reads."""
    readers: dict[str, int] = {}
    for step in draft.steps:
        for name in dict.fromkeys(step.inputs):
            readers[name] = readers.get(name, 0) + 1
    for name in draft.roots:
        readers[name] = readers.get(name, 0) + 1
    return readers


def _joined(
    draft: Draft, last: Step, made_by: Mapping[str, Step], readers: Mapping[str, int], min_rows: int
) -> tuple[Step, set[str]] | None:
    means = plain_sources(last, "matmul")
    if means is None:
        return None
    middle = made_by.get(last.inputs[means[0]])
    softmax = None if middle is None else plain_sources(middle, "softmax")
    if middle is None or softmax is None:
        return None
    first = made_by.get(middle.inputs[softmax[0]])
    products = None if first is None else plain_sources(first, "matmul")
    if first is None or products is None:
        return None
    chain = (first, middle, last)
    if any(step.key != last.key for step in chain) or any(
        readers[step.outputs[0]] != 1 for step in (first, middle)
    ):
        return None
    heavy = [as_fused(step) for step in chain]
    scores = heavy[0].outputs[0]
    template = heavy[1].template
    same_types = heavy[1].outputs[0] == scores == heavy[2].template.inputs[0]
    if not same_types or template.spec.get("logarithm") or template.spec.get("axis") != scores.rank - 1:
        return None
    types = (*heavy[0].template.inputs, heavy[2].template.inputs[1])
    output = heavy[2].template.outputs[0]
    if any(type_.dtype not in FLOATS or 0 in type_.shape for type_ in (*types, output)):
        return None
    if scores.shape[-2] < min_rows or output.shape[:-2] != scores.shape[:-2]:
        return None
    names = [first.inputs[products[0]], first.inputs[products[1]], last.inputs[means[1]]]
    extras: list[str] = []
    stages = [stage(step, fused.epilogue, extras) for step, fused in zip(chain[:2], heavy[:2], strict=True)]
    inputs = list(dict.fromkeys([*names, *extras]))
    kept = [name for name in last.inputs if name != middle.outputs[0]]
    inputs += [name for name in kept if name not in inputs]
    if first.outputs[0] in inputs or middle.outputs[0] in inputs:
        return None  # read a second time, by the same step: the joined kernel stores neither
    own = heavy[2].epilogue
    if own is not None:
        if any(number >= 0 and last.inputs[number] == middle.outputs[0] for number in own.operands):
            return None
        own = replace(
            own, operands=tuple(-1 if n < 0 else inputs.index(last.inputs[n]) for n in own.operands)
        )
    spec = {
        name: f"{pointwise_text(epilogue.pointwise)} of {epilogue.operands}"
        for name, epilogue in (("score", heavy[0].epilogue), ("weight", heavy[1].epilogue))
        if epilogue is not None
    }
    is_long = heavy[0].epilogue is not None and _is_long(heavy[0].epilogue.pointwise)
    attention = attention_template(
        (types[0], types[1], types[2]),
        tuple(draft.types[name] for name in extras),
        output,
        Scoring(stages[0], stages[1], long=is_long, filled=_filled(draft, first.outputs[0], extras)),
        spec=spec,
        order=_order(draft, last, output.rank),
    )
    sources = tuple(inputs.index(name) for name in (*names, *extras))
    nodes = tuple(dict.fromkeys(node for step in chain for node in step.nodes))
    return Step(Fused(attention, sources, own), tuple(inputs), last.outputs, nodes, last.key), {
        first.outputs[0],
        middle.outputs[0],
    }


def plain_sources(step: Step, name: str) -> tuple[int, ...] | None:
    """Where the operands of a template come from, if it has this name and none of them is an expression."""
    if not isinstance(step.definition, Template | Fused):
        return None
    fused = as_fused(step)
    if fused.template.name != name or not all(isinstance(source, int) for source in fused.sources):
        return None
    return tuple(source for source in fused.sources if isinstance(source, int))


def as_fused(step: Step) -> Fused:
    """The definition of a step that is a template, fused with nothing if it was alone."""
    definition = step.definition
    assert isinstance(definition, Template | Fused)
    return (
        definition
        if isinstance(definition, Fused)
        else Fused(definition, tuple(range(len(definition.inputs))))
    )


def stage(step: Step, epilogue: Epilogue | None, extras: list[str]) -> Then | None:
    """The expression that the template applies to a result before it stores it. Its operands are added to `extras`, which are
    the template's inputs from FIRST_EXTRA on.
    """
    if epilogue is None:
        return None
    positions = []
    for number in epilogue.operands:
        name = "" if number < 0 else step.inputs[number]
        if name and name not in extras:
            extras.append(name)
        positions.append(FIRST_EXTRA + extras.index(name) if name else -1)

    def then(site: Site, where: tuple[Expr, ...], value: Expr) -> Expr:
        return epilogue.pointwise.at(
            where, lambda number, at: value if number == epilogue.hole else site.read(positions[number], *at)
        )

    return then


def _filled(draft: Draft, scores: str, extras: Sequence[str]) -> tuple[int, Count] | None:
    """Where the number of keys that are seen stands among the template's inputs, and which one it is; None where all may be."""
    (limit, *others) = draft.limits.get(scores, (None,))
    if limit is None or others or FILLED not in extras:
        return None
    hides_keys = limit.axis == draft.types[scores].rank - 1 and limit.fill == -math.inf
    is_plain = limit.each == 1 and limit.rounds == 1
    return (FIRST_EXTRA + extras.index(FILLED), limit.count) if hides_keys and is_plain else None


def _is_long(pointwise: Pointwise) -> bool:
    return any(
        isinstance(node, Call) and node.function not in SHORT_FUNCTIONS for node in walk(pointwise.value)
    )


def _order(draft: Draft, step: Step, rank: int) -> tuple[int, ...]:
    """The order of storage in which a transpose that is the only reader finds its result dense, otherwise the row-major one."""
    name = step.outputs[0]
    reading = [reader for reader in draft.steps if name in reader.inputs]
    plain = tuple(range(rank))
    if len(reading) != 1 or not isinstance(reading[0].definition, Pointwise):
        return plain
    moved = reading[0].definition
    if (
        not isinstance(moved.value, Load)
        or len(moved.inputs) != 1
        or set(moved.value.index) != set(moved.index)
    ):
        return plain
    return tuple(moved.value.index.index(variable) for variable in moved.index)
