"""`PlacedNode`: what those know of an ONNX node who place it, or compute it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.base.tensor import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What is around a node in its graph: the content of input number i, if it is known while building; the node that makes input
    number i, if one does; the nodes that read output number i.
    """

    constant: Callable[[int], np.ndarray | None]
    producer: Callable[[int], PlacedNode | None]
    readers: Callable[[int], tuple[PlacedNode, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class PlacedNode:
    """The facts of a node that a placement function, a code generator of regions and a Python callable receive.

    `attributes` are plain data: numbers, text, tuples of them, read-only arrays; those that the model leaves to their defaults
    are not there, and graphs, types, sparse tensors and those of text are None. `inputs` has None for an input that is left out,
    and like `outputs` for a type that is not known. `look` leads to what is around it while it is placed; a Python callable gets
    None there.
    """

    name: str
    op_type: str
    domain: str  # empty for ONNX's own
    attributes: Mapping[str, Any]
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType | None, ...]
    look: Look | None = None
