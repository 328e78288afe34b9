"""`Border` → plain data of JSON, as `ingot.artifact.border_read` reads it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ingot.border.program import Border, Elements, Numbers, Port, Product, Step


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
        data |= {"dtype": port.word, "shape": _numbers(port.extents or port.shape)}
    elif port.kind == "text":
        data["shape"] = _numbers(port.extents or port.shape)
    else:
        data["parts"] = [_port(part) for part in port.parts]
    return data | ({"labels": list(port.labels)} if port.kind == "maps" else {})


def _step(step: Step) -> dict[str, Any]:
    attributes = {name: _attribute(value) for name, value in step.attributes}
    attributes |= {name: _numbers(value) for name, value in step.varying}
    return {
        "op": step.op,
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
        "attributes": attributes,
    }


def _numbers(numbers: Numbers) -> list[Any]:
    """Numbers, and of those that vary a list: the factor, and the names of the extents."""
    return [
        [number.factor, *(dim.name for dim in number.dims)] if isinstance(number, Product) else number
        for number in numbers
    ]


def _attribute(value: Any) -> Any:
    if isinstance(value, Elements):
        return {
            "dtype": value.dtype,
            "shape": list(value.shape),
            "values": [_element(element) for element in value.values],
        }
    return list(value) if isinstance(value, tuple) else value


def _element(value: Any) -> Any:
    """JSON has no NaN and no infinity: these are words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
