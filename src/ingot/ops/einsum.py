"""Einsum: sums of products over named dimensions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, nest
from ingot.loops.nodes import Alloc, Const, Expr, Load, LoopKind, Stmt, buffer, cast, index, store
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.tensor import TensorType


def _terms(call_: OpCall, equation: str) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The names of the dimensions of each operand and of the result. Those of an ellipsis are `0`, `1`, … from behind."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    operands = left.split(",")
    if len(operands) != len(call_.inputs) or not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text):
        call_.unsupported(f"the equation {equation!r} does not fit {len(call_.inputs)} operands")
    widest = 0
    terms: list[tuple[str, ...]] = []
    for position, operand in enumerate(operands):
        hidden = call_.input(position).rank - len(operand.replace("...", ""))
        if hidden < 0 or (hidden and "..." not in operand):
            call_.unsupported(f"operand {position} has {call_.input(position).rank} dimensions, the equation says {operand!r}")
        widest = max(widest, hidden)
        terms.append(_names(operand, hidden))
    if arrow:
        return terms, _names(right, widest)
    # Without an arrow the result has the ellipsis, and every name that occurs once, in order.
    letters = left.replace(",", "").replace(".", "")
    return terms, (*_names("...", widest), *sorted(one for one in set(letters) if letters.count(one) == 1))


def _names(operand: str, hidden: int) -> tuple[str, ...]:
    before, _, after = operand.partition("...")
    ellipsis = tuple(str(number) for number in reversed(range(hidden))) if "..." in operand else ()
    return (*before, *ellipsis, *after)


def _einsum(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Einsum 12: any equation, with ellipsis, repeated names and implicit result, as plain loops over all names."""
    inputs = [call_.input(position) for position in range(len(call_.inputs))]
    terms, result = _terms(call_, str(call_.attr("equation", "")))
    extents: dict[str, int] = {}
    for names, tensor in zip(terms, inputs, strict=True):
        for name, extent in zip(names, tensor.shape, strict=True):
            if extents.setdefault(name, extent) == 1:
                extents[name] = extent
            elif extent not in (1, extents[name]):
                call_.unsupported(f"dimension {name!r} has the extents {extents[name]} and {extent}")
    if any(name not in extents for name in result) or len(set(result)) != len(result):
        call_.unsupported(f"the result's dimensions {''.join(result)!r} are not those of the operands")
    summed = tuple(name for name in extents if name not in result)
    dtype = inputs[0].dtype
    total = buffer("total", accumulator_type(dtype), (1,))
    output = TensorType(dtype, tuple(extents[name] for name in result))

    def build(site: Site) -> Sequence[Stmt]:
        def product(at: dict[str, Expr]) -> Expr:
            value: Expr | None = None
            for position, (names, tensor) in enumerate(zip(terms, inputs, strict=True)):
                where = (index(0) if extent == 1 else at[name] for name, extent in zip(names, tensor.shape, strict=True))
                factor = cast(site.read(position, *where), total.dtype)
                value = factor if value is None else value * factor
            assert value is not None
            return value

        def element(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            at = dict(zip(result, where, strict=True))

            def step(rest: tuple[Expr, ...]) -> Sequence[Stmt]:
                so_far = Load(total, (index(0),))
                return (store(total, (0,), so_far + product({**at, **dict(zip(summed, rest, strict=True))})),)

            sums = nest([f"k{number}" for number in range(len(summed))], [extents[name] for name in summed], step)
            written = site.write(0, where, cast(Load(total, (index(0),)), dtype))
            return (Alloc(total), store(total, (0,), Const(0, total.dtype)), *sums, *written)

        return collapse("element", output.shape, element, LoopKind.PARALLEL)

    template = Template("einsum", tuple(x.type for x in inputs), (output,), build, {"equation": call_.attr("equation")})
    return emit.template(template, inputs)


OPERATORS: tuple[OpDef, ...] = (OpDef("", "Einsum", 12, _einsum),)
