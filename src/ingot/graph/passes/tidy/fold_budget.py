"""What constant folding may cost in a whole build. The cost of a node is bounded before the node is computed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, static_shape
from ingot.ops.facts import Folding

# What all folded tensors of a build may hold: so much, and so many times what the model's own weights hold. What comes behind
# that is computed by the library and not by the build.
FOLDED_BYTES, FOLDED_TIMES = 1 << 28, 16
# Results up to this size are not counted: they are shapes, and there are no more of them than nodes.
SMALL_RESULT_BYTES = 1 << 12
# Elements that ONNX's evaluator reads, makes or combines in a build. It takes from nanoseconds to microseconds for one.
OPERATIONS = 1 << 26
# What text it may read for a node: results of some operators on text grow with the square of it.
TEXT_BYTES_MAX = 1 << 14

_BY_ELEMENT = 16  # of what it does for one in NumPy
# Of operators without a definition, which passes write as others where they are not folded.
_UNDEFINED = {"TfIdfVectorizer": Folding.PYTHON}


class FoldBudget:
    """What is left of it, for one build."""

    def __init__(self, model: ir.Model) -> None:
        weights = [
            value.const_value for value in model.graph.initializers.values() if value.const_value is not None
        ]
        self.bytes_left = FOLDED_BYTES + FOLDED_TIMES * sum(weight.nbytes for weight in weights)
        self.operations_left = OPERATIONS

    def add_weight(self, size_bytes: int) -> None:
        """Counts a weight that the model has in a node."""
        self.bytes_left += FOLDED_TIMES * size_bytes

    def allows(self, result_bytes: int) -> bool:
        """Whether there is room for one more result."""
        return result_bytes <= max(SMALL_RESULT_BYTES, self.bytes_left)

    def take(self, result_bytes: int) -> None:
        """Counts a result that was made."""
        if result_bytes > SMALL_RESULT_BYTES:
            self.bytes_left -= result_bytes

    def take_operations(self, node: ir.Node, arrays: Sequence[np.ndarray], elements: int) -> bool:
        """Counts what the evaluator is about to do for a node; False, and nothing, if that is more than is left."""
        if any(array.dtype.kind in "OUS" and array.nbytes > TEXT_BYTES_MAX for array in arrays):
            return False
        count = _operations(node, arrays, elements)
        if count > self.operations_left:
            return False
        self.operations_left -= count
        return True


def made_elements(node: ir.Node, arrays: Sequence[np.ndarray]) -> int | None:
    """How many elements a node makes; None if its operator and the shapes that are known do not tell."""
    if node.op_type == "ConstantOfShape" and not domain_of(node.domain) and arrays:
        return math.prod(max(0, int(extent)) for extent in arrays[0].reshape(-1))
    if (
        node.op_type == "Range"
        and not domain_of(node.domain)
        and [array.size for array in arrays] == [1, 1, 1]
    ):
        return _steps(*(float(array.reshape(-1)[0]) for array in arrays))
    shapes = [static_shape(value) for value in node.outputs if value.name]
    if node.op_type == "Constant" or (said_of(node).selects and None in shapes):
        return sum(array.size * max(1, array.ndim) for array in arrays)
    return None if None in shapes else sum(math.prod(shape) for shape in shapes if shape is not None)


def _steps(start: float, limit: float, delta: float) -> int | None:
    """How many numbers a Range has, one more where float64 may round it down; inference refuses ends that are lists of one."""
    count = (limit - start) / delta if delta else math.nan
    return max(0, math.ceil(count) + 1) if math.isfinite(count) else None


def _operations(node: ir.Node, arrays: Sequence[np.ndarray], elements: int) -> int:
    read = sum(array.size for array in arrays)
    if node.op_type == "Einsum":
        return _combinations(node.attributes.get_string("equation", ""), arrays)
    folding = _UNDEFINED.get(node.op_type) or said_of(node).folding
    if folding is Folding.PAIRS:
        return read * max(1, elements)
    return (read + elements) * (_BY_ELEMENT if folding is Folding.PYTHON else 1)


def _combinations(equation: str, arrays: Sequence[np.ndarray]) -> int:
    """What an einsum looks at: each index that its terms have, with each other one."""
    extents: dict[str, int] = {}
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    for term, array in zip(terms, arrays, strict=False):
        letters = re.sub(r"\.\.\.", "", term)
        hidden = array.ndim - len(letters)
        shape = [*array.shape]
        begin = term.find("...")
        named = shape if begin < 0 else shape[:begin] + shape[begin + max(0, hidden) :]
        for letter, extent in zip(letters, named, strict=False):
            extents[letter] = max(extents.get(letter, 1), extent)
        for at in range(max(0, hidden)):
            key = f"...{hidden - at}"
            extents[key] = max(extents.get(key, 1), shape[begin + at] if begin >= 0 else 1)
    return math.prod(extents.values())
