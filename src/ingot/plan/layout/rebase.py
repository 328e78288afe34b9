"""What is read at one place of a dimension is read through a view that begins there.

So the steps of a loop that was written out, each of which reads a slice of its own, have the same kernel and other arguments.
`with_views` is for expressions, before there is a kernel, `rebased` for what templates read so in kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ingot.base.tensor import DType, row_major
from ingot.kernels.template import Pointwise
from ingot.loops.nodes import Buffer, Const, Expr, Kernel, Load, Prefetch, Word
from ingot.loops.transform.rewrite import Rewriter, loads, order_of, statements
from ingot.plan.program import Fused, Inlined

# For each dimension of a buffer, the index at which all loads read it; None where they read several.
Places = list[int | None]

_Key = TypeVar("_Key")

_ZERO = Const(0, DType.INT64)


def with_views(
    definition: Pointwise | Fused, shapes: Sequence[tuple[int, ...]]
) -> tuple[Pointwise | Fused, Mapping[int, tuple[int, ...]], Sequence[tuple[int, ...]]]:
    """The definition with inputs that begin where its expressions read them. What a template reads itself stays as it is.

    Args:
        definition: of a step.
        shapes: of the step's inputs.

    Returns:
        The definition; for each input that changed, by its position, where it begins; and the shapes of the inputs now.
    """
    known_places = _places_of(definition)
    starts: dict[int, tuple[int, ...]] = {}
    now = list(shapes)
    for number, places in known_places.items():
        if number < 0:  # what the template made
            continue
        now[number] = _narrowed(shapes[number], places)
        if now[number] != shapes[number]:
            starts[number] = tuple(place or 0 for place in places)
    if not starts:
        return definition, {}, shapes

    def narrow(pointwise: Pointwise, operands: Sequence[int]) -> Pointwise:
        number_of = _numbers(pointwise, operands)
        new: dict[str, Buffer] = {}
        for formal in pointwise.inputs:
            number = number_of[formal.name]
            shape = now[number] if number in starts else formal.shape
            new[formal.name] = replace(formal, shape=shape, strides=row_major(shape))

        def leave(expr: Expr) -> Expr | None:
            if not isinstance(expr, Load) or number_of[expr.buffer.name] not in starts:
                return None
            return _narrow_load(expr, new[expr.buffer.name], known_places[number_of[expr.buffer.name]])

        return replace(pointwise, inputs=tuple(new.values()), value=Rewriter(leave)(pointwise.value))

    if isinstance(definition, Pointwise):
        return narrow(definition, range(len(shapes))), starts, now
    sources = tuple(
        replace(source, pointwise=narrow(source.pointwise, source.operands))
        if isinstance(source, Inlined)
        else source
        for source in definition.sources
    )
    last = definition.epilogue
    if last is not None:
        last = replace(last, pointwise=narrow(last.pointwise, last.operands))
    return replace(definition, sources=sources, epilogue=last), starts, now


def _places_of(definition: Pointwise | Fused) -> dict[int, Places]:
    """Where the expressions read the inputs that no template reads itself, by their numbers."""
    places: dict[int, Places] = {}
    for pointwise, operands in _expressions_of(definition):
        number_of = _numbers(pointwise, operands)
        for node in loads(pointwise.value):
            _meet(places, number_of[node.buffer.name], node)
    if isinstance(definition, Fused):
        for source in definition.sources:
            if not isinstance(source, Inlined):
                places.pop(source, None)
    return places


def _numbers(pointwise: Pointwise, operands: Sequence[int]) -> Mapping[str, int]:
    """The number of the step's input that each input of an expression is, by its name there."""
    return {formal.name: number for formal, number in zip(pointwise.inputs, operands, strict=True)}


def _expressions_of(definition: Pointwise | Fused) -> Iterator[tuple[Pointwise, Sequence[int]]]:
    """The expressions of a step, and for each of their inputs the number of the step's; -1 for what a template made."""
    if isinstance(definition, Pointwise):
        yield definition, range(len(definition.inputs))
        return
    for source in definition.sources:
        if isinstance(source, Inlined):
            yield source.pointwise, source.operands
    if definition.epilogue is not None:
        yield definition.epilogue.pointwise, definition.epilogue.operands


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
        here = places.get(buffer)
        if here is None or number in kept:
            continue
        shape = _narrowed(buffer.shape, here)
        if shape == buffer.shape:
            continue
        starts[number] = tuple(place or 0 for place in here)
        new[buffer] = replace(buffer, shape=shape)
    if not starts:
        return kernel, {}

    def leave(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.buffer not in new:
            return None
        return _narrow_load(expr, new[expr.buffer], places[expr.buffer])

    body = Rewriter(leave).block(kernel.body)
    return replace(
        kernel, inputs=tuple(new.get(buffer, buffer) for buffer in kernel.inputs), body=body
    ), starts


def _places(kernel: Kernel) -> dict[Buffer, Places]:
    """Of the buffers whose elements are loaded, and which are touched in no other way: a word has the elements behind it, too."""
    by_buffer: dict[Buffer, Places] = {}
    others: set[Buffer] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, Prefetch):
            others.add(stmt.buffer)
        for node in order_of(stmt):
            if isinstance(node, Word):
                others.add(node.element.buffer)
            elif isinstance(node, Load):
                _meet(by_buffer, node.buffer, node)
    return {buffer: places for buffer, places in by_buffer.items() if buffer not in others}


def _meet(places: dict[_Key, Places], key: _Key, node: Load) -> None:
    """Notes where a load reads."""
    here: Places = [int(part.value) if isinstance(part, Const) else None for part in node.index]
    known = places.setdefault(key, here)
    places[key] = [place if place == other else None for place, other in zip(known, here, strict=True)]


def _narrowed(shape: tuple[int, ...], places: Places) -> tuple[int, ...]:
    return tuple(extent if place is None else 1 for place, extent in zip(places, shape, strict=True))


def _narrow_load(node: Load, buffer: Buffer, places: Places) -> Load:
    """The same element of a buffer that begins where it is read."""
    return Load(
        buffer,
        tuple(part if place is None else _ZERO for part, place in zip(node.index, places, strict=True)),
    )
