"""What graph passes ask of an operator beside its rule: the values of the fields of `OpDef`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

Inputs = Sequence[tuple[int, ...] | None]
Contents = Sequence[np.ndarray | None]


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


@dataclass(frozen=True, slots=True)
class Selects:
    """How many places the results of an operator have depends on the content of its inputs.

    Attributes:
        axes: from the attributes of a node and the rank of its first input, the positions of outputs that have these places, each
            with the axis.
        places_max: from the shapes of a node's inputs, their contents as far as they are known, and its attributes, how many
            places there can be; None if nothing tells. Without it, only callers say that: what they do not is not counted.
        decided_by: the position of the input that decides alone; None if all do.
    """

    axes: Callable[[Mapping[str, Any], int], Mapping[int, int]]
    places_max: Callable[[Inputs, Contents, Mapping[str, Any]], int | None] | None = None
    decided_by: int | None = None
