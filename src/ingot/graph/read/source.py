"""Gets the bytes of a model: from a path, from memory, and from the files beside it that hold its weights."""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Union

import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from ingot.base.errors import ModelError
from ingot.base.mapped_file import is_hollow
from ingot.graph.read.apart import NoMessageError, Place, without_weights
from ingot.graph.read.weights import Weight, WeightsFile, sha256_of, weight_in

ModelSource = Union[str, Path, bytes, bytearray, memoryview, onnx.ModelProto, ir.Model]
ReadModel = ir.Model  # for rooms that hand one on without looking inside


NAME_MAX = 64  # letters of a model's name
FILE_BYTES_MAX = (1 << 31) - 1  # of a protobuf message
# What larger initializers hold may stay where it is. Protobuf would copy it each time that somebody looks at it, and readings of
# one model for several sizes would have a copy each.
WEIGHT_FROM_BYTES = 1 << 16
# How often over, at most, tensors may read the bytes of a file beside the model: parts of it may be shared.
EXTERNAL_TIMES_MAX = 16


def load_proto(
    source: ModelSource, weights: dict[str, Weight] | None = None, digests: dict[str, str] | None = None
) -> tuple[onnx.ModelProto, str]:
    """The model as ONNX's protobuf, all weights inside it, and how messages call it.

    With `weights`, large initializers of a file or of bytes stay where they are, in the model's own file or one next to it: it
    gets their readers, by their names. A file that is changed before the build ends is a ModelError when it is read again.

    `digests` gets the SHA-256 of what was read, as `ModelInfo.digests` has it; nothing for an object in memory, which has no
    bytes of a file.

    Raises:
        ModelError: not an ONNX file, truncated, or external data is missing, damaged or where it must not be.
    """
    folder: Path | None = None
    places: list[Place] = []
    content: bytes | WeightsFile | None = None
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
            proto, places = _parse(io.BytesIO(content), len(content), label, weights is not None)
        case str() | Path():
            path = Path(source)
            folder, label = path.parent, f"model file {str(source)!r}"
            proto, places, content = _read(path, label, weights is not None)
        case _:
            raise ModelError(
                f"a model is a path, bytes, an onnx.ModelProto or an onnx_ir.Model, got {type(source).__name__}"
            )
    if not proto.HasField("graph"):
        raise ModelError(f"{label}: not an ONNX model, or truncated: it has no graph")
    if not proto.opset_import:
        raise ModelError(
            f"{label}: not an ONNX model, or truncated: it does not say which opset it is written in (no opset_import)"
        )
    # The converter of opsets, which rewrites models with such operators, wants all weights inside.
    kept = None if any(node.domain == "ai.onnx.ml" for node in proto.graph.node) else weights
    own = _with_own_data(proto, places, content, kept)
    files = _with_external_data(proto, folder, label, kept, own)
    if digests is not None and content is not None:
        digests["model"] = f"sha256:{sha256_of(content)}"
        if files and folder is not None:
            digests["external_data"] = _digest_of_weights(files, folder)
    return proto, label


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
    identifier = re.sub(r"[^A-Za-z0-9_]", "_", text)
    if re.match(r"[A-Za-z]", identifier):
        return identifier
    rest = identifier.lstrip("_")
    return f"m_{rest}" if rest else "model"


def _read(path: Path, label: str, apart: bool) -> tuple[onnx.ModelProto, list[Place], bytes | WeightsFile]:
    """The model of a regular file, the places of large weights, and what they are in. With `apart`, a large model lacks these."""
    try:
        # Without waiting for somebody at the other end, if it is a pipe.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                kind = (
                    "a device"
                    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
                    else "a pipe or the like"
                )
                raise ModelError(f"{label}: is {kind}, not a file", path=str(path))
            if status.st_size > FILE_BYTES_MAX:
                raise ModelError(
                    f"{label}: has {status.st_size} bytes, a protobuf message has at most {FILE_BYTES_MAX}; "
                    "keep its weights in a file beside it (external data)",
                    path=str(path),
                )
            if is_hollow(status):
                raise ModelError(
                    f"{label}: is all but empty: {status.st_blocks * 512} of {status.st_size} bytes are stored"
                )
            weights = WeightsFile(file.fileno(), label)
            return *_parse(file, status.st_size, label, apart), weights
    except FileNotFoundError:
        raise ModelError(f"{label}: there is no such file", path=str(path)) from None
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{label}: cannot be read: {getattr(error, 'strerror', None) or error}", path=str(path)
        ) from None


def _parse(stream: BinaryIO, size: int, label: str, apart: bool) -> tuple[onnx.ModelProto, list[Place]]:
    """Parses a model of `size` bytes. With `apart`, a large model comes without its large weights, but with their places."""
    if not size:
        raise ModelError(f"{label}: is empty")
    places: list[Place] = []
    try:
        proto = onnx.ModelProto()
        if apart and size >= WEIGHT_FROM_BYTES:
            content, places = without_weights(stream, size, WEIGHT_FROM_BYTES)
        else:
            content = stream.read()
        proto.ParseFromString(content)
    except (DecodeError, NoMessageError):
        raise ModelError(
            f"{label}: not an ONNX model, or truncated: its {size} bytes are no complete protobuf message"
        ) from None
    if proto.ir_version <= 0:
        raise ModelError(f"{label}: not an ONNX model: it has no ir_version")
    return proto, places


def _with_own_data(
    proto: onnx.ModelProto,
    places: Sequence[Place],
    content: bytes | WeightsFile | None,
    weights: dict[str, Weight] | None,
) -> set[int]:
    """Gives the weights that are apart to `weights`, or, where they are not what they should be, back to the message. In place.

    Returns:
        The numbers of the initializers that stay without a content.
    """
    own: set[int] = set()
    for place in places:
        tensor = proto.graph.initializer[place.number]
        if isinstance(content, WeightsFile):
            weight = content.weight(place.offset, place.length)
        else:
            weight = weight_in(content or b"", place.offset, place.length)
        if (
            weights is None
            or not _is_large(tensor)
            or stated_bytes(tensor) != place.length
            or _has_more(tensor)
        ):
            tensor.raw_data = weight().tobytes()
            continue
        weights[tensor.name] = weight
        tensor.data_location = onnx.TensorProto.EXTERNAL
        own.add(place.number)
    return own


def _has_more(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor says more than once what it holds."""
    fields = (
        "float_data",
        "int32_data",
        "int64_data",
        "double_data",
        "uint64_data",
        "string_data",
        "external_data",
    )
    return (
        any(len(getattr(tensor, name)) for name in fields) or tensor.data_location != onnx.TensorProto.DEFAULT
    )


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
    proto: onnx.ModelProto,
    folder: Path | None,
    label: str,
    weights: dict[str, Weight] | None,
    own: Collection[int],
) -> dict[Path, WeightsFile]:
    """Puts the content of other files into the model, but for large weights, which `weights` gets. In place. `own`: the numbers
    of initializers that are known already.

    Returns:
        The files that it read.
    """
    read: dict[Path, int] = {}
    files: dict[Path, WeightsFile] = {}
    for number, tensor in enumerate(all_tensors(proto)):  # the model's own initializers are the first
        if tensor.data_location != onnx.TensorProto.EXTERNAL or number in own:
            continue
        weight = _external(tensor, folder, label, read, files)
        if weights is not None and number < len(proto.graph.initializer) and _is_large(tensor):
            weights[tensor.name] = weight
            continue
        tensor.raw_data = weight().tobytes()
        tensor.ClearField("external_data")
        tensor.data_location = onnx.TensorProto.DEFAULT
    return files


def _digest_of_weights(files: Mapping[Path, WeightsFile], folder: Path) -> str:
    """A digest of what `sha256sum` prints for these files in that folder: a line for each, in the order of their names."""
    digest = hashlib.sha256()
    for name, file in sorted((path.relative_to(folder).as_posix(), file) for path, file in files.items()):
        digest.update(f"{sha256_of(file)}  {name}\n".encode("utf-8", "surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def _is_large(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor is one of many whole bytes."""
    stated = stated_bytes(tensor)
    return (
        stated is not None and stated >= WEIGHT_FROM_BYTES and ir.DataType(tensor.data_type).bitwidth % 8 == 0
    )


def stated_bytes(tensor: onnx.TensorProto) -> int | None:
    """The bytes of a tensor's content by its shape and type, as `raw_data` has it; None for texts and unknown types."""
    try:
        bits = None if tensor.data_type == onnx.TensorProto.STRING else ir.DataType(tensor.data_type).bitwidth
    except (ValueError, TypeError):
        return None
    return None if bits is None else (math.prod(tensor.dims) * bits + 7) // 8


def _external(
    tensor: onnx.TensorProto,
    folder: Path | None,
    label: str,
    read: dict[Path, int],
    files: dict[Path, WeightsFile],
) -> Weight:
    """What reads the content of a tensor in one of the `files`, to which its own is added. `read`: how many bytes of each file
    are in tensors, to which this one's are added.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    where = f"{label}: the external data of tensor {tensor.name!r} in {location!r}"
    facts: Mapping[str, str] = {"tensor": tensor.name, "path": location}
    if folder is None:
        raise ModelError(
            f"{where} cannot be found: the model came from memory; give its path instead", **facts
        )
    parts = location.replace("\\", "/").split("/")
    if (
        not location
        or Path(location).is_absolute()
        or location.startswith(("/", "\\"))
        or ":" in parts[0]
        or ".." in parts
    ):
        raise ModelError(
            f"{where} is outside the model's folder; only relative paths below that folder are read", **facts
        )
    path = folder
    try:
        for part in parts:
            path = path / part
            if path.is_symlink():
                raise ModelError(
                    f"{where} is a symbolic link, which could lead anywhere; put the file itself into the folder",
                    **facts,
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
        raise ModelError(
            f"{where} is truncated: expected {length} bytes from byte {offset}, the file has {size} bytes",
            **facts,
        )
    expected = stated_bytes(tensor)
    if expected is not None and length != expected:
        raise ModelError(
            f"{where} has {length} bytes, expected {expected} by its shape {list(tensor.dims)}", **facts
        )
    if is_hollow(status):
        raise ModelError(
            f"{where} is all but empty: {status.st_blocks * 512} of {size} bytes are stored", **facts
        )
    read[path] = read.get(path, 0) + length  # by its path: a location may be written in many ways
    if read[path] > EXTERNAL_TIMES_MAX * size:
        raise ModelError(
            f"{where}: tensors read more than {EXTERNAL_TIMES_MAX} times the {size} bytes of that file; "
            "give each tensor bytes of its own",
            **facts,
        )
    try:
        if path not in files:
            with path.open("rb") as file:
                files[path] = WeightsFile(file.fileno(), f"{label}: the external data in {location!r}")
        return files[path].weight(offset, length)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{where} cannot be read: {getattr(error, 'strerror', None) or error}", **facts
        ) from None
