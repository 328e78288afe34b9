"""What protobuf, ONNX and onnx_ir raise over a damaged model becomes a ModelError here, and nothing else leaves the reader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import onnx
import onnx_ir as ir
from google.protobuf.descriptor import FieldDescriptor  # type: ignore[import-untyped]
from google.protobuf.message import EncodeError, Message  # type: ignore[import-untyped]

from ingot.base.defects import PLAIN_FAULTS, raise_own
from ingot.base.errors import ModelError

# What these packages raise over damage that no check of ours names. ValueError, IndexError and RuntimeError come from ONNX's C++.
FAULTS = (
    ir.serde.SerdeError,
    EncodeError,
    onnx.shape_inference.InferenceError,
    onnx.checker.ValidationError,
    *PLAIN_FAULTS,
)


@contextmanager
def damage_named(label: str) -> Iterator[None]:
    """Raises ModelError for what the packages that read a model raise inside. `label`: how messages call the model.

    Does not handle: errors of ingot's own; MemoryError; RecursionError and NotImplementedError, which say nothing about damage.
    """
    try:
        yield
    except (RecursionError, NotImplementedError):
        raise
    except FAULTS as error:
        raise_own(error)
        text = " ".join(str(error).split())
        raise ModelError(
            f"{label}: is damaged, it cannot be read: {type(error).__name__}: {text[:300]}"
        ) from error


def check_text(proto: onnx.ModelProto, label: str) -> None:
    """Checks that every name and text of a model is UTF-8: protobuf gives bytes for what is not, and no error.

    Raises:
        ModelError: says what has the name, and its bytes.
    """
    front: list[Message] = [proto.graph, *proto.functions, *proto.opset_import, *proto.metadata_props]
    for text in (proto.producer_name, proto.producer_version, proto.domain, proto.doc_string):
        _check(text, "text", proto, label)
    while front:
        message = front.pop()
        if isinstance(message, onnx.TensorProto):  # its content may be large, and is not looked at
            _check(message.name, "name", message, label)
            front.extend(message.external_data)
            continue
        for field, value in message.ListFields():
            if isinstance(value, Message):
                front.append(value)
            elif field.type == FieldDescriptor.TYPE_STRING:
                for element in (value,) if isinstance(value, str | bytes) else value:
                    _check(element, field.name, message, label)
            elif field.type == FieldDescriptor.TYPE_MESSAGE:
                front.extend(value)


def _check(text: str | bytes, field: str, message: Message, label: str) -> None:
    if isinstance(text, bytes):
        kind = type(message).__name__.removesuffix("Proto")
        raise ModelError(
            f"{label}: a {field} in it ({kind}) is not UTF-8: {text[:40]!r}; the file is damaged"
        )
