"""What the modules of a classic tree hold, which has no length in front: only who knows a type can find its end.

*Source:* the savers of TVM v0.7 to v0.21 for each type.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ingot.package.byte_reader import ByteReader

Facts = dict[str, object]
"""What a payload says: plain data, with a size where there are bytes."""

Decoder = Callable[[ByteReader], Facts]
"""Reads one payload to its end."""

TENSOR_MAGIC = 0xDD5E40F096B4A13F
_MAX_RANK = 64
_TENSOR = struct.Struct("<iiiBBH")  # device kind, device index, rank; code, bits and lanes of the type


def read_tensor(reader: ByteReader) -> Facts:
    """One stored tensor: its shape, type and size."""
    if reader.u64("a tensor's magic number") != TENSOR_MAGIC:
        reader.wrong("no tensor begins here: its magic number is another")
    reader.u64("a tensor's reserved word")
    _, _, rank, code, bits, lanes = _TENSOR.unpack(reader.raw(_TENSOR.size, "a tensor's header"))
    if not 0 <= rank <= _MAX_RANK:
        reader.wrong(f"a tensor of rank {rank}")
    shape = struct.unpack(f"<{rank}q", reader.raw(8 * rank, "a tensor's shape"))
    size = reader.u64("a tensor's size")
    reader.raw(size, "a tensor")
    return {"shape": list(shape), "type": [code, bits, lanes], "size_bytes": size}


def _tensors(reader: ByteReader, names: tuple[str, ...], count: int) -> Facts:
    if len(names) != count:
        reader.wrong(f"{len(names)} names for {count} tensors")
    return {name: read_tensor(reader) for name in names}


def _named_tensors(reader: ByteReader) -> Facts:
    count = reader.u64("the number of tensors")
    return _tensors(reader, reader.texts("names of tensors"), count)


def _graph_factory(reader: ByteReader) -> Facts:
    graph = reader.block("a graph")
    return {
        "graph_bytes": len(graph),
        "tensors": _named_tensors(reader),
        "module_name": reader.text("a module's name"),
    }


def _aot_factory(reader: ByteReader) -> Facts:
    return {"tensors": _named_tensors(reader), "module_name": reader.text("a module's name")}


def _const_loader(reader: ByteReader) -> Facts:
    names = reader.texts("names of variables")
    tensors = _tensors(reader, names, reader.u64("the number of tensors"))
    symbols = reader.texts("symbols")
    if reader.u64("the number of lists of variables") != len(symbols):
        reader.wrong(f"another number of lists of variables than of symbols, {len(symbols)}")
    return {
        "tensors": tensors,
        "symbols": {symbol: list(reader.texts("names of variables")) for symbol in symbols},
    }


def _metadata_module(_reader: ByteReader) -> Facts:
    return {}


def _c(reader: ByteReader) -> Facts:
    return {
        "code_bytes": len(reader.block("a source")),
        "format": reader.text("a format"),
        "functions": list(reader.texts("names of functions")),
        "constants": list(reader.texts("names of constants")),
    }


def _static_library(reader: ByteReader) -> Facts:
    return {
        "code_bytes": len(reader.block("an object")),
        "functions": list(reader.texts("names of functions")),
    }


def _device_code(reader: ByteReader) -> Facts:
    format_ = reader.text("a format")
    functions: Facts = {}
    for _ in range(reader.count("functions", 40)):
        symbol = reader.text("a function's symbol")
        name = reader.text("a function's name")
        arguments = [
            list(struct.unpack("<BBH", reader.raw(4, "a type"))) for _ in range(reader.count("types", 4))
        ]
        functions[symbol] = {
            "name": name,
            "arguments": arguments,
            "launch": list(reader.texts("launch parameters")),
        }
    return {"format": format_, "functions": functions, "code_bytes": len(reader.block("device code"))}


def _own(reader: ByteReader) -> Facts:
    reader.raw(reader.u64("a number of zeros"), "zeros")
    return {"container_bytes": len(reader.block("a container"))}


DECODERS: Mapping[str, Decoder] = MappingProxyType(
    {
        "GraphExecutorFactory": _graph_factory,
        "GraphRuntimeFactory": _graph_factory,
        "AotExecutorFactory": _aot_factory,
        "const_loader": _const_loader,
        "metadata": _const_loader,
        "metadata_module": _metadata_module,
        "c": _c,
        "static_library": _static_library,
        "cuda": _device_code,
        "opencl": _device_code,
        "metal": _device_code,
        "rocm": _device_code,
    }
)
"""Type keys whose payload is understood."""

OWN_PREFIX = "ingot."  # of the type keys in trees that ingot writes: see `module_tree`


def find_decoder(type_key: str, decoders: Mapping[str, Decoder] = DECODERS) -> Decoder | None:
    """The reader of payloads of that type; None if the type is not understood."""
    return decoders.get(type_key) or (_own if type_key.startswith(OWN_PREFIX) else None)
