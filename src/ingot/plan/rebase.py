"""Kernels that read one place of a dimension read it through a view that begins there.

So the steps of a loop that was written out, each of which reads a slice of its own, have the same kernel and other arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ingot.loops.nodes import Buffer, Const, Expr, Kernel, Load, Prefetch, Word
from ingot.loops.rewrite import Rewriter, expressions, loads, postorder, statements
from ingot.tensor import DType

# For each dimension of a buffer, the place at which all loads read it; None where they read several.
Places = list[int | None]


def rebased(kernel: Kernel) -> tuple[Kernel, Mapping[int, tuple[int, ...]]]:
    """The kernel with inputs that begin where they are read.

    Returns:
        The kernel, whose inputs have the extent 1 in dimensions in which they were read at one place only; and for each input
        that changed, by its position, where it begins.
    """
    places = _places(kernel)
    kept = {number for number, _ in kernel.in_place}
    starts: dict[int, tuple[int, ...]] = {}
    new: dict[Buffer, Buffer] = {}
    for number, buffer in enumerate(kernel.inputs):
        found = places.get(buffer)
        if found is None or number in kept:
            continue
        shape = tuple(extent if place is None else 1 for place, extent in zip(found, buffer.shape, strict=True))
        if shape == buffer.shape:
            continue
        starts[number] = tuple(place or 0 for place in found)
        new[buffer] = replace(buffer, shape=shape)
    if not starts:
        return kernel, {}

    def leave(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.buffer not in new:
            return None
        at = zip(expr.index, places[expr.buffer], strict=True)
        return Load(new[expr.buffer], tuple(part if place is None else Const(0, DType.INT64) for part, place in at))

    body = Rewriter(leave).block(kernel.body)
    return replace(kernel, inputs=tuple(new.get(buffer, buffer) for buffer in kernel.inputs), body=body), starts


def _places(kernel: Kernel) -> dict[Buffer, Places]:
    """Of the buffers whose elements are loaded, and which are touched in no other way: a word has the elements behind it, too."""
    found: dict[Buffer, Places] = {}
    others: set[Buffer] = set()
    seen: set[int] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, Prefetch):
            others.add(stmt.buffer)
        for expr in expressions(stmt):
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            others |= {node.element.buffer for node in postorder(expr) if isinstance(node, Word)}
            for node in loads(expr):
                here: Places = [int(part.value) if isinstance(part, Const) else None for part in node.index]
                known = found.setdefault(node.buffer, here)
                found[node.buffer] = [one if one == other else None for one, other in zip(known, here, strict=True)]
    return {buffer: places for buffer, places in found.items() if buffer not in others}
