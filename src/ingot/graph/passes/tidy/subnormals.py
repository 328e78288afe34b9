"""Subnormal weights of products become zero: a processor takes tens of times as long to multiply by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from ingot.graph.read.definitions import said_of

_PART = 1 << 20  # elements


def flush_subnormals(model: ir.Model) -> None:
    """Sets float32 weights below 2⁻¹²⁶ to zero where nothing but products reads them: each changes a result by less than 1.2e-38
    times what it is multiplied by. In place.

    Does not handle: other constants, such as what keeps a logarithm or a quotient finite; weights of other types.
    """
    for value in model.graph.initializers.values():
        tensor = value.const_value
        if (
            tensor is None
            or tensor.dtype != ir.DataType.FLOAT
            or value.is_graph_output()
            or not _only_multiplied(value)
        ):
            continue
        array = tensor.numpy()
        if any(_small(part).any() for part in _parts(array)):
            value.const_value = ir.Tensor(np.where(_small(array), np.float32(0), array), name=value.name)


def _parts(array: np.ndarray) -> Iterator[np.ndarray]:
    """An array in pieces, so that temporaries of a large weight stay small."""
    flat = array.reshape(-1)
    return (flat[at : at + _PART] for at in range(0, flat.size, _PART))


def _small(array: np.ndarray) -> np.ndarray:
    small: np.ndarray = (np.abs(array) < np.finfo(np.float32).tiny) & (array != 0)
    return small


def _only_multiplied(value: ir.Value) -> bool:
    uses = value.uses()
    return bool(uses) and all(use.idx in said_of(use.node).factors for use in uses)
