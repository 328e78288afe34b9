"""Finds the product that a recurrent network begins with, and makes one step of both where that is quicker.

What is done to the product before the network reads it has become its epilogue; the network's own kernel does it then. Which
networks are worth it is a kernel's to say (`kernels/recurrent/input_product`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ingot.kernels.recurrent.input_product import with_product
from ingot.kernels.template import Reshape, Site, Template
from ingot.loops.nodes import Expr
from ingot.machines.machine import Machine
from ingot.plan.fuse.attention import as_fused, counted_readers, plain_sources, stage
from ingot.plan.program import Draft, Fused, Step
from ingot.plan.text import pointwise_text

Then = Callable[[Site, tuple[Expr, ...], Expr], Expr]


def join_products(draft: Draft, machines: Mapping[str, Machine]) -> Draft:
    """The draft with recurrent networks and the products before them as single steps.

    Does not handle: products that others read too, operands that are not stored, products of more than two dimensions.
    """
    readers = counted_readers(draft)
    made_by = {step.outputs[0]: step for step in draft.steps}
    joined: dict[str, Step] = {}
    gone: set[str] = set()
    for step in draft.steps:
        found = _joined(draft, step, made_by, readers, machines)
        if found is not None:
            joined[step.outputs[0]], swallowed = found
            gone |= swallowed
    if not joined:
        return draft
    steps = tuple(joined.get(step.outputs[0], step) for step in draft.steps if step.outputs[0] not in gone)
    return replace(draft, steps=steps)


def _joined(
    draft: Draft,
    last: Step,
    made_by: Mapping[str, Step],
    readers: Mapping[str, int],
    machines: Mapping[str, Machine],
) -> tuple[Step, set[str]] | None:
    if not isinstance(last.definition, Template | Fused) or "cell" not in as_fused(last).template.spec:
        return None
    own = as_fused(last)
    sources = plain_sources(last, own.name) if own.epilogue is None else None
    first = None if sources is None else made_by.get(last.inputs[sources[0]])
    swallowed: set[str] = set()
    while first is not None and isinstance(first.definition, Reshape):
        swallowed.add(first.outputs[0])
        first = made_by.get(first.inputs[0])
    products = None if first is None else plain_sources(first, "matmul")
    if first is None or products is None or sources is None or first.key != last.key:
        return None
    swallowed.add(first.outputs[0])
    product = as_fused(first)
    template = own.template
    if any(readers[name] != 1 for name in swallowed) or last.inputs.count(last.inputs[sources[0]]) != 1:
        return None
    left, right = (first.inputs[number] for number in products)
    rest = [last.inputs[number] for number in sources[1:]]
    flat = (template.inputs[0].size // product.outputs[0].shape[-1], product.outputs[0].shape[-1])
    if right not in draft.constants or rest[0] not in draft.constants or product.outputs[0].shape != flat:
        return None
    extras: list[str] = []
    then = stage(first, product.epilogue, extras, len(template.inputs) + 1)
    types = product.template.inputs
    what = (
        ""
        if product.epilogue is None
        else f"{pointwise_text(product.epilogue.pointwise)} of {product.epilogue.operands}"
    )
    made = with_product(
        template, machines[last.key], (types[0], types[1]), [draft.types[name] for name in extras], then, what
    )
    if made is None:
        return None
    names = [left, *rest, right, *extras]
    inputs = list(dict.fromkeys(names))
    nodes = tuple(dict.fromkeys((*first.nodes, *last.nodes)))
    places = tuple(inputs.index(name) for name in names)
    return Step(Fused(made, places), tuple(inputs), last.outputs, nodes, last.key), swallowed
