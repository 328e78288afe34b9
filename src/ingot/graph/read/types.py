"""Between ONNX's types and arrays and ingot's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.base.packing import carriers_of
from ingot.base.tensor import DType, TensorType
from ingot.border.program import text_array

# In the metadata of a node that a pass could not replace: why. It is seen in what is dumped, and said when lowering refuses it.
WHY = "ingot.stays"
# In the metadata of a Where that stands for an If of this name: its two results must have the same shape.
CHOICE = "ingot.if"
# In the metadata of a node that counts places while running: it stays where only numbers are read that follow from its count.
COUNTS = "ingot.counts"
# Marks a node that is computed while running though its inputs are known: they follow from sizes, which vary from call to call.
RUNS = "ingot.runs"
# In the metadata of a node that ends a run whether somebody reads its result or not.
CHECKS = "ingot.checks"
# In the metadata of a node that is computed also where its results are not asked for: its arguments may be wrong there.
UNSURE = "ingot.unsure"

# An operator whose result is as large as the image, which is known while running.
IMAGE_DECODER = "ImageDecoder"

_DTYPES = {
    ir.DataType.BOOL: DType.BOOL,
    ir.DataType.INT8: DType.INT8,
    ir.DataType.INT16: DType.INT16,
    ir.DataType.INT32: DType.INT32,
    ir.DataType.INT64: DType.INT64,
    ir.DataType.UINT8: DType.UINT8,
    ir.DataType.UINT16: DType.UINT16,
    ir.DataType.UINT32: DType.UINT32,
    ir.DataType.UINT64: DType.UINT64,
    ir.DataType.FLOAT16: DType.FLOAT16,
    ir.DataType.BFLOAT16: DType.BFLOAT16,
    ir.DataType.FLOAT: DType.FLOAT32,
    ir.DataType.DOUBLE: DType.FLOAT64,
    ir.DataType.FLOAT8E4M3FN: DType.FLOAT8E4M3FN,
    ir.DataType.FLOAT8E4M3FNUZ: DType.FLOAT8E4M3FNUZ,
    ir.DataType.FLOAT8E5M2: DType.FLOAT8E5M2,
    ir.DataType.FLOAT8E5M2FNUZ: DType.FLOAT8E5M2FNUZ,
    ir.DataType.FLOAT8E8M0: DType.FLOAT8E8M0,
    ir.DataType.FLOAT6E2M3: DType.FLOAT6E2M3,
    ir.DataType.FLOAT6E3M2: DType.FLOAT6E3M2,
    ir.DataType.FLOAT4E2M1: DType.FLOAT4E2M1,
    ir.DataType.INT4: DType.INT4,
    ir.DataType.UINT4: DType.UINT4,
    ir.DataType.INT2: DType.INT2,
    ir.DataType.UINT2: DType.UINT2,
    ir.DataType.COMPLEX64: DType.COMPLEX64,
    ir.DataType.COMPLEX128: DType.COMPLEX128,
}


def to_dtype(dtype: ir.DataType | None) -> DType | None:
    """Ingot's element type for ONNX's, None for one that it does not have (strings)."""
    return None if dtype is None else _DTYPES.get(dtype)


def static_shape(value: ir.Value) -> tuple[int, ...] | None:
    """The shape of a value if every extent is a number."""
    if value.shape is None or not all(isinstance(extent, int) for extent in value.shape):
        return None
    return tuple(int(extent) for extent in value.shape)  # type: ignore[arg-type]


def to_tensor_type(value: ir.Value) -> TensorType | None:
    """The type of a value, None where it is not (yet) known or is no tensor of an element type that ingot has."""
    if not isinstance(value.type, ir.TensorType):
        return None
    dtype, shape = to_dtype(value.dtype), static_shape(value)
    return None if dtype is None or shape is None else TensorType(dtype, shape)


def unsupported_type(value: ir.Value) -> str | None:
    """Why ingot cannot hold values of this type, None if it can, or if the type is not known."""
    kind = value.type
    if kind is None:
        return None
    if isinstance(kind, ir.SequenceType):
        return "sequence types are not supported"
    if isinstance(kind, ir.OptionalType):
        return "optional types are not supported"
    if not isinstance(kind, ir.TensorType):
        return f"{type(kind).__name__} values are not supported"
    if to_dtype(kind.dtype) is None:
        return f"the element type {kind.dtype.name.lower()} is not supported"
    return None


def to_ml_dtypes(dtype: DType) -> np.dtype[Any]:
    """The type of arrays in which ONNX's packages have an element type: of ml_dtypes, where NumPy lacks it."""
    return next(onnx_type.numpy() for onnx_type, own in _DTYPES.items() if own is dtype)


def to_array(tensor: ir.TensorProtocol) -> np.ndarray:
    """The content of an ONNX tensor as a row-major array of `DType.numpy`: bfloat16 as its bit patterns in uint16.

    Raises:
        KeyError: an element type that ingot does not have.
    """
    dtype = _DTYPES[tensor.dtype]
    array = np.asarray(tensor.numpy(), order="C")
    if dtype is DType.BFLOAT16:
        return array.view(np.uint16)
    if dtype.is_carried and not dtype.is_complex:
        return carriers_of(array, dtype)
    return array.astype(dtype.numpy, copy=False)  # native byte order


def stored_bytes(tensor: ir.TensorProtocol) -> int:
    """How many bytes the content of an ONNX tensor has; text has those of its letters."""
    return (
        sum(map(len, tensor.numpy().reshape(-1).tolist()))
        if tensor.dtype == ir.DataType.STRING
        else tensor.nbytes
    )


def to_text(tensor: ir.TensorProtocol) -> np.ndarray:
    """The content of an ONNX tensor of text, as an object array of `str`.

    Raises:
        ModelError: it is not UTF-8.
    """
    texts = [
        element if isinstance(element, str) else bytes(element)
        for element in tensor.numpy().reshape(-1).tolist()
    ]
    try:
        plain = [element if isinstance(element, str) else element.decode() for element in texts]
    except UnicodeDecodeError as error:
        raise ModelError(
            f"the text of tensor {tensor.name!r} is not UTF-8: {error.reason}", tensor=tensor.name
        ) from None
    return text_array(plain, tuple(tensor.shape.numpy()))


def to_attribute(attribute: ir.Attr) -> Any:
    """An attribute as plain Python: numbers, text, tuples of them, arrays. None for graphs, types and sparse tensors."""
    match attribute.type:
        case ir.AttributeType.TENSOR:
            return to_array(attribute.as_tensor()) if attribute.value.dtype in _DTYPES else None
        case ir.AttributeType.INT:
            return attribute.as_int()
        case ir.AttributeType.FLOAT:
            return attribute.as_float()
        case ir.AttributeType.STRING:
            return attribute.as_string()
        case ir.AttributeType.STRINGS:
            return tuple(attribute.as_strings())
        case ir.AttributeType.INTS | ir.AttributeType.FLOATS:
            return tuple(attribute.value)
    return None


def domain_of(domain: str) -> str:
    """ONNX's own operators have two spellings of their domain."""
    return "" if domain == "ai.onnx" else domain


def opset_of(model: ir.Model, domain: str = "") -> int:
    """The version of a domain's operators that the model is written in; 1 for a domain that it does not import."""
    versions = {domain_of(name): version for name, version in model.opset_imports.items()}
    return versions.get(domain_of(domain), 1)


def is_image_decoder(node: ir.Node) -> bool:
    """Whether a node decodes the bytes of an image file: how many these are, and how large the image is, stays open."""
    return node.op_type == IMAGE_DECODER and domain_of(node.domain) == ""
