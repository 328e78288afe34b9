"""Pointwise definitions in which a dimension is divided by a number: the same with the dimension as two.

A row of all elements of an image, normalised as one and then scaled channel by channel, reads the factor of channel
`i / pixels`: a division for each element, and a load of its own. As channels times pixels, it is read once for many. (255,744
elements of 256 channels took 216 µs on a Zen 4, and 25 as two dimensions.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingot.kernels.template import Pointwise
from ingot.loops.nodes import Binary, Buffer, Const, Expr, Load, Var
from ingot.loops.transform.rewrite import Rewriter, children, walk

Operands = tuple[Pointwise, Expr, list[Buffer], Buffer]


def divided(
    min_extent: int, definition: Pointwise, value: Expr, inputs: Sequence[Buffer], output: Buffer
) -> Operands | None:
    """The definition, its value, operands and result with one dimension as two; None if there is none to be divided.

    Args:
        min_extent: of the inner dimension, whose neighbours share what is read by the quotient.
        definition: what is computed.
        value: its value in terms of `inputs`.
        inputs: the operands as they are stored.
        output: the result as it is stored.
    """
    for axis, variable in enumerate(definition.index):
        by, extent = _divisor(value, variable), output.shape[axis]
        if by is None or not min_extent <= by < extent or extent % by:
            continue
        buffers = {id(node.buffer): node.buffer for node in walk(value) if isinstance(node, Load)}
        dims = {key: _dimensions(value, buffer, variable) for key, buffer in buffers.items()}
        new_of = {key: _split(buffers[key], dim, by) for key, dim in dims.items() if dim is not None}
        if len(new_of) < len(dims):
            continue
        outer, inner = Var(f"{variable.name}_outer"), Var(f"{variable.name}_inner")
        quotient = Rewriter(_Leave(variable, (outer, inner), new_of))(value)
        index_ = (*definition.index[:axis], outer, inner, *definition.index[axis + 1 :])
        result = _split(output, (axis,), by)
        operands = [new_of.get(id(buffer), buffer) for buffer in inputs]
        return replace(definition, output=result.type, index=index_), quotient, operands, result
    return None


def _divisor(value: Expr, variable: Var) -> int | None:
    """The number that a variable is divided by wherever it is not an index itself; None if there is none, or another use."""
    by: set[int] = set()

    def is_good(node: Expr) -> bool:
        if isinstance(node, Load) or variable not in children(node):
            return True
        if not isinstance(node, Binary) or node.op not in ("div", "rem"):
            return False
        if node.left != variable or not isinstance(node.right, Const):
            return False
        by.add(int(node.right.value))
        return True

    return by.pop() if value != variable and all(map(is_good, walk(value))) and len(by) == 1 else None


def _uses(value: Expr, buffer: Buffer) -> Iterator[Sequence[Expr]]:
    return (node.index for node in walk(value) if isinstance(node, Load) and node.buffer is buffer)


def _dimensions(value: Expr, buffer: Buffer, variable: Var) -> tuple[int, ...] | None:
    """The dimensions of an operand that the variable is the index of; None if it is so in some places only."""
    places = {
        tuple(dim for dim, part in enumerate(index_) if part == variable) for index_ in _uses(value, buffer)
    }
    return places.pop() if len(places) == 1 else None


def _split(buffer: Buffer, dims: Sequence[int], by: int) -> Buffer:
    """The buffer with each dimension of `dims` split in two; the inner extent is `by`."""
    shape: list[int] = []
    strides: list[int] = []
    for dim, (extent, stride) in enumerate(zip(buffer.shape, buffer.strides, strict=True)):
        shape += [extent // by, by] if dim in dims else [extent]
        strides += [by * stride, stride] if dim in dims else [stride]
    return replace(buffer, shape=tuple(shape), strides=tuple(strides)) if dims else buffer


class _Leave:
    """Writes a value with the variable as two."""

    def __init__(self, variable: Var, both: tuple[Var, Var], new_of: dict[int, Buffer]) -> None:
        self.variable, self.both, self.new_of = variable, both, new_of

    def __call__(self, node: Expr) -> Expr | None:
        if isinstance(node, Load):
            parts: list[Expr] = []
            for part in node.index:
                parts += self.both if part == self.variable else [Rewriter(self)(part)]
            return Load(self.new_of[id(node.buffer)], tuple(parts))
        if isinstance(node, Binary) and node.left == self.variable:
            return self.both[0] if node.op == "div" else self.both[1]
        return None
