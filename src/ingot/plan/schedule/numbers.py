"""One kernel for calls that differ only in numbers.

The layers of a quantized network are alike but for their scales and zero points, which templates and expressions hold as
literals. Where kernels of a program are the same except for some numbers, those become elements of small constants, and the
kernels one: less to compile, less code in the library. Numbers in which they agree stay literals, and so do those that decide
about memory, or that an integer operation is cheaper for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np

from ingot.base.tensor import DType
from ingot.loops.nodes import Binary, Call, Const, Expr, Kernel, Let, Load, Stmt, Store, Var, buffer, index
from ingot.loops.text import body_text
from ingot.loops.transform.rewrite import Rewriter, children, expressions, postorder, statements

_LIFTED = frozenset(
    {DType.FLOAT32, DType.FLOAT64, DType.INT32, DType.INT16, DType.UINT16, DType.INT8, DType.UINT8}
)
_EASY_FOR_LITERALS = frozenset({"div", "rem", "shl", "shr", "and", "or", "xor"})

Number = tuple[DType, bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """What takes a kernel's place: a kernel whose last inputs are `numbers`."""

    kernel: Kernel
    numbers: tuple[np.ndarray, ...]


def share_numbers(kernels: Sequence[Kernel]) -> dict[str, Shared]:
    """For each kernel that is like another one but for numbers, what takes its place; by the kernel's name.

    The kernels are all for one target.
    """
    heads = [
        (kernel.inputs, kernel.outputs, kernel.workspaces, kernel.in_place, kernel.checks)
        for kernel in kernels
    ]
    counts = Counter(heads)
    alike: dict[tuple[int, str], list[_Literals]] = {}
    for kernel, head in zip(kernels, heads, strict=True):
        if counts[head] == 1:  # most kernels are the only one of their shapes, and texts take time
            continue
        literals = _Literals(kernel)
        if literals.nodes:
            alike.setdefault((len(literals.nodes), literals.skeleton()), []).append(literals)
    return {name: shared for group in alike.values() if len(group) > 1 for name, shared in _merged(group)}


def _merged(group: Sequence[_Literals]) -> Iterator[tuple[str, Shared]]:
    """Numbers that differ between kernels become elements of constants, one constant for each dtype. Two numbers that are equal
    in every kernel are one element.
    """
    first = group[0]
    rows = [tuple(_number(each.nodes[place]) for each in group) for place in range(len(first.nodes))]
    wanted: dict[DType, dict[tuple[Number, ...], int]] = {}
    for node, row in zip(first.nodes, rows, strict=True):
        if len(set(row)) > 1:
            places = wanted.setdefault(node.dtype, {})
            places.setdefault(row, len(places))
    buffers = {
        dtype: buffer(f"numbers_{dtype.value}", dtype, (len(places),)) for dtype, places in wanted.items()
    }

    def element(node: Const, row: tuple[Number, ...]) -> Expr:
        place = wanted.get(node.dtype, {}).get(row)
        return node if place is None else Load(buffers[node.dtype], (index(place),))

    instead = {id(node): element(node, row) for node, row in zip(first.nodes, rows, strict=True)}
    lifted = first.rewritten(instead)
    kernel = replace(lifted, inputs=(*lifted.inputs, *buffers.values()))
    text = body_text(lifted)
    # Nodes that a kernel shares otherwise may be met in another order: its text is another one, then, and it stays as it is.
    others = [
        number
        for number, each in enumerate(group[1:], 1)
        if body_text(each.rewritten({id(a): b for a, b in zip(each.nodes, instead.values(), strict=True)}))
        == text
    ]
    for number in (0, *others) if others else ():
        content = (b"".join(row[number][1] for row in places) for places in wanted.values())
        arrays = (np.frombuffer(data, dtype.numpy) for data, dtype in zip(content, wanted, strict=True))
        yield group[number].kernel.name, Shared(kernel, tuple(arrays))


@dataclass(slots=True)
class _Literals:
    """The numbers of a kernel that may be lifted, in the order in which they are met; one that is shared is met once."""

    kernel: Kernel
    nodes: list[Const] = field(default_factory=list)

    def __post_init__(self) -> None:
        constants: list[Const] = []
        fixed: set[int] = set()
        whole: set[int] = set()  # of these all operands are fixed, too
        seen: set[int] = set()

        def fix(*exprs: Expr) -> None:
            whole.update(map(id, postorder(*exprs, known=whole)))

        for stmt in statements(self.kernel.body):
            value = _value(stmt)
            fix(*(expr for expr in expressions(stmt) if expr is not value))
            if value is None:
                continue
            for node in postorder(value, known=seen):
                seen.add(id(node))
                if _is_literal(node):
                    constants.append(node)
                elif isinstance(node, Load):
                    fix(*node.index)
                elif isinstance(node, Call) or _wants_literals(node):
                    fixed.update(id(child) for child in children(node))
        self.nodes = [node for node in constants if id(node) not in fixed and id(node) not in whole]

    def rewritten(self, instead: Mapping[int, Expr]) -> Kernel:
        """The kernel with other expressions in the place of literals, by their `id`."""
        return replace(self.kernel, body=Rewriter(lambda node: instead.get(id(node))).block(self.kernel.body))

    def skeleton(self) -> str:
        """The kernel's text without its numbers: equal ones are alike."""
        return body_text(self.rewritten({id(node): Var("number", node.dtype) for node in self.nodes}))


def _value(stmt: Stmt) -> Expr | None:
    """The expression of a statement that may hold such numbers; an integer with a name may be part of an index."""
    if isinstance(stmt, Store):
        return stmt.value
    return stmt.value if isinstance(stmt, Let) and stmt.var.dtype.is_float else None


def _wants_literals(node: Expr) -> bool:
    return isinstance(node, Binary) and node.op in _EASY_FOR_LITERALS and not node.dtype.is_float


def _is_literal(node: Expr) -> TypeGuard[Const]:
    return isinstance(node, Const) and node.dtype in _LIFTED


def _number(node: Const) -> Number:
    return node.dtype, np.array(node.value, node.dtype.numpy).tobytes()
