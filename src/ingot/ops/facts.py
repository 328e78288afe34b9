"""What graph passes ask of an operator beside its rule: the values of the fields of `OpDef`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Element(Enum):
    """What one element costs of an operator each of whose results depends on the elements at its own place alone."""

    CHEAP = auto()
    """A few instructions."""
    COSTLY = auto()
    """A root, a reciprocal, or a function such as an exponential: a lookup table is quicker."""


class Trust(Enum):
    """Whether ONNX's reference evaluator computes what the text of ONNX says, so that constants are folded by it."""

    ALWAYS = auto()
    IF_FINITE = auto()
    """Only where all numbers are finite, also those of its results."""
    NEVER = auto()


class Folding(Enum):
    """What ONNX's reference evaluator does to compute an operator whose inputs are constants."""

    ARRAYS = auto()
    """A few operations on whole arrays, to the same bits on every processor: weights of any size are folded."""
    ELEMENTS = auto()
    """One step for each element that it reads or makes."""
    PYTHON = auto()
    """Some lines of Python for each element that it reads or makes."""
    PAIRS = auto()
    """One step for each pair of an element that it reads and one that it makes."""


class Identity(Enum):
    """When an operator gives back its first input, so that it can be removed."""

    SAME_SHAPE = auto()
    """Its result has the shape of the input."""
    ONE_INPUT = auto()
    """It has one input alone."""


@dataclass(frozen=True, slots=True)
class WindowSize:
    """Where a node says how large the window is that it slides over its first input.

    Attributes:
        weights: the position of the weights whose extents behind the first two are those of the window, which must fit into the
            padded input; None for a pool, where the attribute `kernel_shape` says them and a window may hang over.
    """

    weights: int | None = None

    @property
    def is_pool(self) -> bool:
        return self.weights is None
