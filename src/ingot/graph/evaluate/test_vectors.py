"""Test vectors: inputs by a fixed rule, and what ONNX's own evaluator computes from them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import ml_dtypes
import numpy as np
import numpy.typing as npt
import onnx
from onnx.version_converter import convert_version

from ingot.base.packing import carriers_of, limits
from ingot.base.tensor import DType, TensorType
from ingot.border.grouping import flat
from ingot.border.program import Port
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.read.types import to_ml_dtypes

_NEWER_OPSET = 21
Arrays = dict[str, npt.NDArray[np.generic]]


def vector(
    content: bytes,
    inputs: Mapping[str, TensorType],
    outputs: Mapping[str, TensorType],
    number: int,
    ends: Sequence[Port] = (),
) -> tuple[Arrays, Arrays] | None:
    """Test vector `number` of a model: inputs and expected outputs by name. None if the evaluator cannot run the model, or
    does not give every output in the model's shape: how many places there are is no output of what it runs. `ends` are the
    outputs as callers see them, if they are more than tensors: a model that was read takes its sequences and optionals as
    tensors, but gives them as they are.

    Floats are from -1 to 1, integers of 8 bits and fewer any, wider ones 0 or 1, because these are often indices. What NumPy
    lacks is given as `DType.numpy`.
    """
    random = np.random.default_rng([17, number])
    feeds = {name: _array(type_, random) for name, type_ in inputs.items()}
    model = onnx.load_from_string(content)
    results = _outputs(model, feeds, ends)
    if results is None:  # it lacks some older versions of operators, such as DequantizeLinear of opset 13
        with contextlib.suppress(Exception):
            results = _outputs(convert_version(model, _NEWER_OPSET), feeds, ends)
    if results is None or any(
        name not in results or results[name].shape != type_.shape for name, type_ in outputs.items()
    ):
        return None
    return {name: _stored(array) for name, array in feeds.items()}, {
        name: _stored(array) for name, array in results.items()
    }


def _outputs(model: onnx.ModelProto, feeds: Arrays, ends: Sequence[Port]) -> Arrays | None:
    try:
        session = evaluator(model)
        results = session.run(None, dict(feeds))
        if ends:
            return flat(ends, results)
        return {name: np.asarray(result) for name, result in zip(session.output_names, results, strict=True)}
    except Exception:  # an evaluator with gaps, which raises what it likes
        return None


def _array(type_: TensorType, random: np.random.Generator) -> npt.NDArray[np.generic]:
    dtype, shape = type_.dtype, type_.shape
    if dtype is DType.BFLOAT16:
        return random.uniform(-1, 1, shape).astype(ml_dtypes.bfloat16)
    if dtype.is_complex:
        return (random.uniform(-1, 1, shape) + 1j * random.uniform(-1, 1, shape)).astype(dtype.numpy)
    if dtype.is_carried:
        low, high = limits(dtype) if dtype.is_integer else (-1, 1)
        return (
            random.uniform(low, high, shape).round(0 if dtype.is_integer else 3).astype(to_ml_dtypes(dtype))
        )
    if dtype.is_float:
        return random.uniform(-1, 1, shape).astype(dtype.numpy)
    high = 2 if dtype is DType.BOOL or dtype.bits > 8 else 128
    return random.integers(-128 if dtype is DType.INT8 else 0, high, shape).astype(dtype.numpy)


def _stored(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    dtype = DType.from_numpy(array.dtype)
    return (
        array.view(np.uint16)
        if dtype is DType.BFLOAT16
        else array
        if dtype.numpy == array.dtype
        else carriers_of(array, dtype)
    )
