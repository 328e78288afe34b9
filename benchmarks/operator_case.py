"""What a case of `operators.py` is, and the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

RANDOM = np.random.default_rng(1)
# How exports enlarge images to the nearest element.
NEAREST = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
NEAREST_CHAIN = (
    "Resize <" + ", ".join(f'{name} = "{word}"' for name, word in NEAREST.items()) + "> (x0, , w0)"
)


@dataclass(frozen=True)
class Case:
    """One operator: arrays that are inputs of the model, then weights, in the operator's order, None where one is left out.

    With a `chain` it is some nodes instead, in ONNX's text form, which make `y0, y1, …` of `x0, x1, …` (inputs) and `w0, w1, …`.
    """

    name: str
    operator: str
    inputs: Sequence[np.ndarray]
    weights: Sequence[np.ndarray | None] = ()
    attributes: Mapping[str, object] = field(default_factory=dict)
    outputs: int = 1
    weights_first: bool = False  # among the operator's inputs
    opset: int = 21
    chain: str = ""


def whole(*shape: int, kind: type = np.int64) -> np.ndarray:
    return np.random.default_rng(shape).integers(1, 100, shape).astype(kind)


def normal(*shape: int) -> np.ndarray:
    """Other numbers at every call: a comparison of equal tensors is no example."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return np.abs(normal(*shape)) + np.float32(0.1)
