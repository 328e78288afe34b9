"""`Border` → plain data of JSON, as `ingot.artifact.border_read` reads it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ingot.border.program import Border, Elements, Port, Step


def elements_of(array: np.ndarray[Any, Any]) -> Elements:
    """An array of numbers as a constant of a step."""
    return Elements(array.dtype.name, array.shape, tuple(array.reshape(-1).tolist()))


def border_data(border: Border) -> dict[str, Any]:
    """The data of the field `border`."""
    return {
        "inputs": [_port(port) for port in border.inputs],
        "outputs": [_port(port) for port in border.outputs],
        "front": [_step(step) for step in border.front],
        "back": [_step(step) for step in border.back],
    }


def _port(port: Port) -> dict[str, Any]:
    data: dict[str, Any] = {"name": port.name, "kind": port.kind}
    if port.kind == "tensor":
        data |= {"dtype": port.word, "shape": list(port.shape)}
    elif port.kind == "text":
        data["shape"] = list(port.shape)
    else:
        data["parts"] = [_port(part) for part in port.parts]
    return data | ({"labels": list(port.labels)} if port.kind == "maps" else {})


def _step(step: Step) -> dict[str, Any]:
    attributes = {name: _attribute(value) for name, value in step.attributes}
    return {
        "op": step.op,
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
        "attributes": attributes,
    }


def _attribute(value: Any) -> Any:
    if isinstance(value, Elements):
        return {
            "dtype": value.dtype,
            "shape": list(value.shape),
            "values": [_element(one) for one in value.values],
        }
    return list(value) if isinstance(value, tuple) else value


def _element(value: Any) -> Any:
    """JSON has no NaN and no infinity: these are words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
