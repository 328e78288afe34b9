"""Expressions of the sizes of a call alone, which are compared by their values for all sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ingot.loops.nodes import Binary, Buffer, Const, Expr, Load, Select
from ingot.loops.transform.rewrite import children, postorder

_OPERATIONS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": lambda a, b: np.where(b == 0, 0, np.abs(a) // np.maximum(np.abs(b), 1) * np.sign(a) * np.sign(b)),
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


class OfSizes:
    """Answers about expressions of sizes. `highest` has the largest size of each dim, for those where it is known."""

    def __init__(self, sizes: Buffer, highest: Mapping[int, int]) -> None:
        self._sizes = sizes
        self._highest = highest
        # By `id`, with the expression, which is kept so that no other one gets it.
        self._are_of_sizes: dict[int, tuple[Expr, bool]] = {}
        self._values: dict[int, tuple[Expr, np.ndarray | None, frozenset[int]]] = {}  # with dims

    def __contains__(self, expr: Expr) -> bool:
        """Whether an expression is made of sizes and numbers alone."""
        known = self._are_of_sizes.get(id(expr))
        if known is None:
            known = self._are_of_sizes[id(expr)] = expr, all(map(self._is_of_sizes, postorder(expr)))
        return known[1]

    def _is_of_sizes(self, node: Expr) -> bool:
        match node:
            case Load():
                return node.buffer == self._sizes
            case Binary():
                return node.op in _OPERATIONS
        return isinstance(node, Const | Select)

    def is_no_larger(self, expr: Expr, other: Expr) -> bool:
        """Whether an expression is never larger than another one. `False` may mean "not known"."""
        (_, values, dims), (_, others, its_dims) = self._of(expr), self._of(other)
        if values is None or others is None or len(dims | its_dims) > 1:
            return False
        return bool((values <= others).all())

    def largest(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Those of which one is the largest, whatever the sizes are."""
        kept: list[Expr] = []
        for expr in exprs:
            if not any(self.is_no_larger(expr, other) for other in kept):
                kept = [other for other in kept if not self.is_no_larger(other, expr)] + [expr]
        return kept

    def _of(self, expr: Expr) -> tuple[Expr, np.ndarray | None, frozenset[int]]:
        """The expression; its values for the sizes from 0 on, a single one for a number, None for what is not of one known dim
        alone; and the dims.
        """
        known = self._values.get(id(expr))
        if known is None:
            dims = _dims(expr) if expr in self else frozenset({-1})
            known = self._values[id(expr)] = expr, self._evaluated(expr, dims), dims
        return known

    def _evaluated(self, expr: Expr, dims: frozenset[int]) -> np.ndarray | None:
        if len(dims) > 1 or not all(dim in self._highest for dim in dims):
            return None
        sizes = np.arange(max((self._highest[dim] for dim in dims), default=0) + 1)
        values: dict[int, np.ndarray] = {}
        for node in postorder(expr):
            parts = [values[id(part)] for part in children(node)]
            match node:
                case Const():
                    values[id(node)] = np.full(sizes.size, node.value)
                case Load():
                    values[id(node)] = sizes
                case Binary():
                    values[id(node)] = _OPERATIONS[node.op](parts[0], parts[1])
                case Select():
                    values[id(node)] = np.where(parts[0], parts[1], parts[2])
        return values[id(expr)]


def _dims(expr: Expr) -> frozenset[int]:
    loads = [node for node in postorder(expr) if isinstance(node, Load)]
    return frozenset(int(part.value) for node in loads for part in node.index if isinstance(part, Const))
