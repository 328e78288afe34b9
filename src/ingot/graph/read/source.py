"""Gets the bytes of a model: from a path, from memory, and from the files beside it that hold its weights."""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Union

import numpy as np
import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from ingot.base.errors import ModelError
from ingot.base.mapped_file import is_hollow

ModelSource = Union[str, Path, bytes, bytearray, memoryview, onnx.ModelProto, ir.Model]


NAME_MAX = 64  # letters of a model's name
FILE_BYTES_MAX = (1 << 31) - 1  # of a protobuf message
MAPPED_FROM_BYTES = 1 << 22
# How often over, at most, tensors may read the bytes of a file beside the model: parts of it may be shared.
EXTERNAL_TIMES_MAX = 16


def load_proto(
    source: ModelSource, mapped: dict[str, np.ndarray] | None = None, digests: dict[str, str] | None = None
) -> tuple[onnx.ModelProto, str]:
    """The model as ONNX's protobuf, all weights inside it, and how messages call it.

    With `mapped`, large initializers that lie in files beside the model stay there: by their names it gets their bytes, of which
    only those are in memory that are looked at. The file must not be changed before the build ends.

    `digests` gets the SHA-256 of what was read, as `ModelInfo.digests` has it; nothing for an object in memory, which is no file:
    what it would be written as is another matter.

    Raises:
        ModelError: not an ONNX file, truncated, or external data is missing, damaged or where it must not be.
    """
    folder: Path | None = None
    content: bytes | memoryview | None = None
    match source:
        case ir.Model():
            proto, label = ir.to_proto(source), f"model {source.graph.name or 'in memory'!r}"
        case onnx.ModelProto():
            # A copy: who renames a weight, as passes do, renames what the message has of it.
            proto, label = onnx.ModelProto(), f"model {source.graph.name or 'in memory'!r}"
            proto.CopyFrom(source)
        case bytes() | bytearray() | memoryview():
            content = bytes(source)
            label = f"model of {len(content)} bytes"
            proto = _parse(content, label)
        case str() | Path():
            path = Path(source)
            folder, label = path.parent, f"model file {str(source)!r}"
            content = _content(path, label)
            proto = _parse(content, label)
        case _:
            raise ModelError(f"a model is a path, bytes, an onnx.ModelProto or an onnx_ir.Model, got {type(source).__name__}")
    if not proto.HasField("graph"):
        raise ModelError(f"{label}: not an ONNX model, or truncated: it has no graph")
    if not proto.opset_import:
        raise ModelError(
            f"{label}: not an ONNX model, or truncated: it does not say which opset it is written in (no opset_import)"
        )
    read: dict[Path, int] = {}
    whole = _with_external_data(proto, folder, label, mapped, read)
    if digests is not None and content is not None:
        digests["model"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if read and folder is not None:
            digests["external_data"] = _digest_beside(read, folder, label)
    return whole, label


def model_name(source: ModelSource, proto: onnx.ModelProto) -> str:
    """The name that a model gets when none is given, as `to_identifier` makes it: of the file's stem, else of the graph's name;
    of a long one the beginning, and letters that tell it from others.
    """
    name = to_identifier(Path(source).stem if isinstance(source, str | Path) else proto.graph.name)
    if len(name) <= NAME_MAX:
        return name
    return f"{name[: NAME_MAX - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def to_identifier(text: str) -> str:
    """The text as a C identifier that begins with a letter: what it cannot have is `_`, and in front of a digit comes `m_`, which
    also takes the place of leading `_`. `model`, if nothing is left: of `模型`.
    """
    made = re.sub(r"[^A-Za-z0-9_]", "_", text)
    if re.match(r"[A-Za-z]", made):
        return made
    rest = made.lstrip("_")
    return f"m_{rest}" if rest else "model"


def _content(path: Path, label: str) -> bytes | memoryview:
    """The bytes of a regular file; a large one is mapped, so that damage is found before it is read whole."""
    try:
        # Without waiting for somebody at the other end, if it is a pipe.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                kind = "a device" if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode) else "a pipe or the like"
                raise ModelError(f"{label}: is {kind}, not a file", path=str(path))
            if status.st_size > FILE_BYTES_MAX:
                raise ModelError(
                    f"{label}: has {status.st_size} bytes, a protobuf message has at most {FILE_BYTES_MAX}; "
                    "keep its weights in a file beside it (external data)",
                    path=str(path),
                )
            if is_hollow(status):
                raise ModelError(f"{label}: is all but empty: {status.st_blocks * 512} of {status.st_size} bytes are stored")
            if status.st_size < MAPPED_FROM_BYTES:
                return file.read()
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        raise ModelError(f"{label}: there is no such file", path=str(path)) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{label}: cannot be read: {getattr(error, 'strerror', None) or error}", path=str(path)) from None


def _parse(content: bytes | memoryview, label: str) -> onnx.ModelProto:
    if not content:
        raise ModelError(f"{label}: is empty")
    try:
        proto = onnx.ModelProto()
        proto.ParseFromString(content)
    except DecodeError:
        raise ModelError(
            f"{label}: not an ONNX model, or truncated: its {len(content)} bytes are no complete protobuf message"
        ) from None
    if proto.ir_version <= 0:
        raise ModelError(f"{label}: not an ONNX model: it has no ir_version")
    return proto


# ─── external data ─────────────────────────────────────────────────────────────────────────────────────────────────


def tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Every tensor of a graph: initializers and attributes, also those of subgraphs."""
    yield from graph.initializer
    yield from _node_tensors(graph.node)


def _node_tensors(nodes: Iterator[onnx.NodeProto]) -> Iterator[onnx.TensorProto]:
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for graph in (*attribute.graphs, *((attribute.g,) if attribute.HasField("g") else ())):
                yield from tensors(graph)


def all_tensors(proto: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every tensor of a model, also those in its functions."""
    yield from tensors(proto.graph)
    for function in proto.functions:
        yield from _node_tensors(function.node)


def _with_external_data(
    proto: onnx.ModelProto, folder: Path | None, label: str, mapped: dict[str, np.ndarray] | None, read: dict[Path, int]
) -> onnx.ModelProto:
    """The model with the content of other files inside it, but for what is `mapped`. The given message is not changed.

    `read` gets how many bytes of each file it has.
    """
    if not any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in all_tensors(proto)):
        return proto
    whole = onnx.ModelProto()
    whole.CopyFrom(proto)
    files: dict[Path, mmap.mmap] = {}
    # The converter of opsets, which rewrites models with such operators, wants all weights inside.
    may_map = mapped is not None and all(node.domain != "ai.onnx.ml" for node in whole.graph.node)
    for number, tensor in enumerate(all_tensors(whole)):  # the model's own initializers are the first
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            maps = may_map and number < len(whole.graph.initializer) and _is_large(tensor)
            content = _external(tensor, folder, label, read, files if maps else None)
            if mapped is not None and maps:
                mapped[tensor.name] = np.frombuffer(content, np.uint8)
                continue
            tensor.raw_data = bytes(content)
            tensor.ClearField("external_data")
            tensor.data_location = onnx.TensorProto.DEFAULT
    return whole


def _digest_beside(paths: Iterable[Path], folder: Path, label: str) -> str:
    """A digest of what `sha256sum` prints for these files in that folder: a line for each, in the order of their names."""
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in paths):
        try:
            with path.open("rb") as file:  # by pieces: what is mapped would stay in memory
                line = f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n"
        except OSError as error:
            raise ModelError(f"{label}: the external data in {name!r} cannot be read: {error.strerror}", path=name) from None
        digest.update(line.encode("utf-8", "surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def _is_large(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor is one of many whole bytes."""
    stated = stated_bytes(tensor)
    return stated is not None and stated >= MAPPED_FROM_BYTES and ir.DataType(tensor.data_type).bitwidth % 8 == 0


def stated_bytes(tensor: onnx.TensorProto) -> int | None:
    """The bytes of a tensor's content by its shape and type, as `raw_data` has it; None for texts and unknown types."""
    try:
        bits = None if tensor.data_type == onnx.TensorProto.STRING else ir.DataType(tensor.data_type).bitwidth
    except (ValueError, TypeError):
        return None
    return None if bits is None else (math.prod(tensor.dims) * bits + 7) // 8


def _external(
    tensor: onnx.TensorProto, folder: Path | None, label: str, read: dict[Path, int], files: dict[Path, mmap.mmap] | None
) -> bytes | memoryview:
    """The content of a tensor; a view of one of the mapped `files`, if they are given. `read`: how many bytes of each file were
    read, to which this one's are added.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    where = f"{label}: the external data of tensor {tensor.name!r} in {location!r}"
    facts: Mapping[str, str] = {"tensor": tensor.name, "path": location}
    if folder is None:
        raise ModelError(f"{where} cannot be found: the model came from memory; give its path instead", **facts)
    parts = location.replace("\\", "/").split("/")
    if not location or Path(location).is_absolute() or location.startswith(("/", "\\")) or ":" in parts[0] or ".." in parts:
        raise ModelError(f"{where} is outside the model's folder; only relative paths below that folder are read", **facts)
    path = folder
    try:
        for part in parts:
            path = path / part
            if path.is_symlink():
                raise ModelError(
                    f"{where} is a symbolic link, which could lead anywhere; put the file itself into the folder", **facts
                )
        if not path.is_file():
            raise ModelError(f"{where} is missing: there is no file {str(path)!r}", **facts)
    except OSError as error:  # such as a name that is too long
        raise ModelError(f"{where} cannot be read: {error.strerror}", **facts) from None
    try:
        offset = int(entries.get("offset", "0"))
        status = path.stat()
        size = status.st_size
        length = int(entries["length"]) if "length" in entries else size - offset
    except ValueError:
        raise ModelError(f"{where}: offset and length must be numbers", **facts) from None
    if offset < 0 or length < 0 or offset + length > size:
        raise ModelError(f"{where} is truncated: expected {length} bytes from byte {offset}, the file has {size} bytes", **facts)
    expected = stated_bytes(tensor)
    if expected is not None and length != expected:
        raise ModelError(f"{where} has {length} bytes, expected {expected} by its shape {list(tensor.dims)}", **facts)
    if is_hollow(status):
        raise ModelError(f"{where} is all but empty: {status.st_blocks * 512} of {size} bytes are stored", **facts)
    read[path] = read.get(path, 0) + length  # by its path: a location may be written in many ways
    if read[path] > EXTERNAL_TIMES_MAX * size:
        raise ModelError(
            f"{where}: tensors read more than {EXTERNAL_TIMES_MAX} times the {size} bytes of that file; "
            "give each tensor bytes of its own",
            **facts,
        )
    try:
        if files is not None and path in files:
            return memoryview(files[path])[offset : offset + length]
        with path.open("rb") as file:
            if files is not None:
                files[path] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                return memoryview(files[path])[offset : offset + length]
            file.seek(offset)
            return file.read(length)
    except (OSError, ValueError) as error:  # also of a file that was emptied meanwhile
        raise ModelError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}", **facts) from None
