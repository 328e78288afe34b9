"""Checks the structure of a model before anything is derived from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence

import onnx
import onnx_ir as ir

from ingot.base.errors import InternalError, ModelError, UnsupportedError, nearest
from ingot.graph.read.call_sizes import check_call_sizes
from ingot.graph.read.check_attributes import all_nodes, check_attribute, check_calls
from ingot.graph.read.check_types import check_types
from ingot.graph.read.source import all_tensors, stated_bytes
from ingot.graph.read.types import domain_of, static_shape

OPSET_MIN = 1
OPSET_MAX = onnx.defs.onnx_opset_version()
# No tensor of a model may be larger: it could not be addressed on the machines that we compile for.
TENSOR_BYTES_MAX = 1 << 36
RANK_MAX = 64  # of an array, in NumPy and in what a library says of its inputs and outputs
# ONNX calls its GroupNormalization of opsets 18 to 20 deprecated, and its checker refuses it. Models use it all the same.
_GROUP_NORM_AGAIN = 21


def check_structure(proto: onnx.ModelProto, label: str) -> None:
    """Checks opsets, names, order of nodes, extents and the sizes of tensors.

    Does not handle: shapes and types, which inference checks; whether ingot has the operators, which lowering checks.

    Raises:
        ModelError: the model breaks a rule of ONNX.
        UnsupportedError: an opset that ingot does not compile.
    """
    _check_opsets(proto, label)
    for tensor in all_tensors(proto):
        _check_tensor(tensor, label)
    _check_inputs(proto.graph, label)
    _check_graph(proto.graph, (), label)
    check_call_sizes(proto, label)
    check_calls(proto, label)
    known = {value.name for value in (*proto.graph.input, *proto.graph.initializer)}
    known.update(name for node in proto.graph.node for name in node.output)
    if not proto.graph.output:
        raise ModelError(f"{label}: the graph has no outputs")
    for output in proto.graph.output:
        if output.name not in known:
            raise ModelError(
                f"{label}: graph output {output.name!r} is not computed by any node{nearest(output.name, known)}"
            )
    check_types(proto, label)
    _check_nodes(proto, label)


def _check_opsets(proto: onnx.ModelProto, label: str) -> None:
    imports: dict[str, int] = {}
    for entry in proto.opset_import:
        imports[domain_of(entry.domain)] = entry.version
    version = imports.get("")
    if version is not None and not OPSET_MIN <= version <= OPSET_MAX:
        raise UnsupportedError(
            f"{label}: is written in opset {version} of ai.onnx; ingot compiles opsets {OPSET_MIN} to {OPSET_MAX}; "
            "convert it with onnx.version_converter",
            opset=version,
            nodes=(),
        )
    local = {domain_of(function.domain) for function in proto.functions}
    missing = sorted({domain_of(node.domain) for node in proto.graph.node} - imports.keys() - local)
    if missing:
        names = ", ".join(repr(domain or "ai.onnx") for domain in missing)
        raise ModelError(
            f"{label}: its nodes use the operator domains {names}, which it does not import (opset_import)"
        )


def _check_tensor(tensor: onnx.TensorProto, label: str) -> None:
    if any(extent < 0 for extent in tensor.dims):
        raise ModelError(
            f"{label}: tensor {tensor.name!r} has a negative extent: {list(tensor.dims)}", tensor=tensor.name
        )
    expected = stated_bytes(tensor)
    if expected is None and tensor.data_type != onnx.TensorProto.STRING:
        raise ModelError(
            f"{label}: tensor {tensor.name!r} has an unknown element type ({tensor.data_type})",
            tensor=tensor.name,
        )
    _check_text(tensor, label)
    if expected is not None and tensor.HasField("raw_data"):
        if len(tensor.raw_data) != expected:
            raise ModelError(
                f"{label}: tensor {tensor.name!r} of shape {list(tensor.dims)} "
                f"has {len(tensor.raw_data)} bytes, expected {expected}",
                tensor=tensor.name,
            )
        return
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return  # mapped, and found to be as long as it should be
    try:
        onnx.checker.check_tensor(tensor)
    except onnx.checker.ValidationError as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"{label}: tensor {tensor.name!r} of shape {list(tensor.dims)}: {reason}", tensor=tensor.name
        ) from None
    _check_count(tensor, label)


# How many elements of a tensor are one number of its `int32_data`.
_PACKED: dict[int, int] = {
    onnx.TensorProto.INT4: 2,
    onnx.TensorProto.UINT4: 2,
    onnx.TensorProto.FLOAT4E2M1: 2,
}
_PACKED |= {
    getattr(onnx.TensorProto, name): 4 for name in ("INT2", "UINT2") if hasattr(onnx.TensorProto, name)
}
_OF_TWO = (onnx.TensorProto.COMPLEX64, onnx.TensorProto.COMPLEX128)
_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")


def _check_count(tensor: onnx.TensorProto, label: str) -> None:
    """Checks that a tensor without raw bytes has as many numbers or texts as its shape says: ONNX's checker takes more."""
    elements = math.prod(tensor.dims)
    expected = (
        elements * 2 if tensor.data_type in _OF_TWO else -(-elements // _PACKED.get(tensor.data_type, 1))
    )
    count = sum(len(getattr(tensor, name)) for name in _FIELDS)
    if count != expected:
        raise ModelError(
            f"{label}: tensor {tensor.name!r} of shape {list(tensor.dims)} has {count} elements, expected {expected}",
            tensor=tensor.name,
        )


def _check_text(tensor: onnx.TensorProto, label: str) -> None:
    for text in tensor.string_data:
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise ModelError(
                f"{label}: the text of tensor {tensor.name!r} is not UTF-8: {text[:20]!r}: {error.reason}",
                tensor=tensor.name,
            ) from None


def _check_inputs(graph: onnx.GraphProto, label: str) -> None:
    for kind, names in (
        ("inputs", [value.name for value in graph.input]),
        ("initializers", [tensor.name for tensor in graph.initializer]),
        ("outputs", [value.name for value in graph.output]),
    ):
        if "" in names:
            raise ModelError(f"{label}: one of the graph's {kind} has no name")
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise ModelError(
                f"{label}: several of the graph's {kind} have the name {twice[0]!r}", value=twice[0]
            )


def _check_graph(graph: onnx.GraphProto, outer: tuple[Container[str], ...], label: str) -> None:
    """Every value is written once, and before it is read. `outer`: the names that the graphs around it have so far."""
    given = {value.name for value in (*graph.input, *graph.initializer)}
    writers: dict[str, str] = {}
    later = {name for node in graph.node for name in node.output if name}
    for position, node in enumerate(graph.node):
        here = f"node {node.name or f'{node.op_type}_{position}'} ({node.op_type})"
        for name in node.input:
            if (
                name
                and name not in given
                and name not in writers
                and not any(name in scope for scope in outer)
            ):
                if name in later:
                    raise ModelError(
                        f"{label}: {here} reads {name!r} before it is computed: its nodes form a cycle"
                    )
                raise ModelError(
                    f"{label}: {here} reads {name!r}, which nothing computes{nearest(name, given | writers.keys())}"
                )
        for attribute in node.attribute:
            check_attribute(node, attribute, f"{label}: {here}")
            for inner in (*attribute.graphs, *((attribute.g,) if attribute.HasField("g") else ())):
                _check_graph(inner, (*outer, given, writers), label)
                _check_results(inner, f"{label}: {here}")
        for name in node.output:
            if not name:
                continue
            if name in given:
                raise ModelError(
                    f"{label}: {here} writes {name!r}, which is an input or an initializer of the graph"
                )
            if name in writers:
                raise ModelError(f"{label}: {here} and {writers[name]} both write {name!r}")
            writers[name] = here


def _check_results(graph: onnx.GraphProto, where: str) -> None:
    """What a graph inside a node gives is made inside it."""
    known = {value.name for value in (*graph.input, *graph.initializer)}
    known.update(name for node in graph.node for name in node.output)
    for output in graph.output:
        if output.name not in known:
            raise ModelError(
                f"{where}: the output {output.name!r} of the graph inside it is not computed there; "
                f"give it a name of its own by an Identity{nearest(output.name, known)}"
            )


def _check_nodes(proto: onnx.ModelProto, label: str) -> None:
    """Number of inputs and attributes of each node, by ONNX's own checker. Unknown operators are left to lowering."""
    context = onnx.checker.C.CheckerContext()
    context.ir_version = min(max(proto.ir_version, 3), onnx.IR_VERSION)
    context.opset_imports = {domain_of(entry.domain): entry.version for entry in proto.opset_import}
    for position, node in all_nodes(proto.graph.node):
        version = context.opset_imports.get(domain_of(node.domain), 0)
        if not onnx.defs.has(node.op_type, version, domain_of(node.domain)) or any(
            attribute.HasField("g") or attribute.graphs for attribute in node.attribute
        ):
            continue
        if (node.op_type, domain_of(node.domain)) == (
            "GroupNormalization",
            "",
        ) and version < _GROUP_NORM_AGAIN:
            continue
        try:
            onnx.checker.check_node(node, context)
        except onnx.checker.ValidationError as error:
            reason = str(error).splitlines()[0]
            name = node.name or f"{node.op_type}_{position}"
            raise ModelError(f"{label}: node {name} ({node.op_type}): {reason}", node=name) from None


def check_blocks(nodes: Iterable[ir.Node], label: str) -> None:
    """Refuses scales for more or fewer blocks than there are: ONNX's evaluator, which dequantizes constants, takes them.

    Raises:
        ModelError: names the node, the shapes and the size of a block.
    """
    for node in nodes:
        if (
            domain_of(node.domain)
            or node.op_type not in ("DequantizeLinear", "QuantizeLinear")
            or len(node.inputs) < 2
        ):
            continue
        size = node.attributes.get_int("block_size", 0)
        x, scale = (None if value is None else static_shape(value) for value in node.inputs[:2])
        axis = node.attributes.get_int("axis", 1)
        if size < 1 or x is None or scale is None or not -len(x) <= axis < len(x):
            continue
        axis %= len(x)
        wanted = (*x[:axis], -(-x[axis] // size), *x[axis + 1 :])
        if scale != wanted:
            raise ModelError(
                f"{label}: node {node.name} ({node.op_type}): scales of shape {list(scale)} for values of the shape {list(x)} "
                f"in blocks of {size} along axis {axis}, expected {list(wanted)}",
                node=node.name,
            )


def check_sizes(values: Iterable[ir.Value], label: str) -> None:
    """Refuses extents below zero, tensors that no machine can hold, and more dimensions than an array can have.

    Raises:
        ModelError: names the value, the node that makes it, and the shape.
        UnsupportedError: names the value and its dimensions.
    """
    for value in values:
        if value.shape is None:
            continue
        if len(value.shape) > RANK_MAX:
            raise UnsupportedError(
                f"{label}: {value.name!r} has {len(value.shape)} dimensions, a tensor has at most {RANK_MAX} here",
                value=value.name,
                nodes=(),
            )
        extents = [extent for extent in value.shape if isinstance(extent, int)]
        if any(extent < 0 for extent in extents):
            node = value.producer()
            where = (
                f"{label}: " if node is None else f"{label}: node {node.name} ({node.op_type}): its output "
            )
            raise ModelError(f"{where}{value.name!r} has a negative extent: {value.shape}", value=value.name)
        size = math.prod(extents) * max(
            1, (value.dtype.bitwidth if value.dtype and value.dtype != ir.DataType.STRING else 8) // 8
        )
        if size > TENSOR_BYTES_MAX:
            raise ModelError(
                f"{label}: {value.name!r} of shape {value.shape} would have {size} bytes, "
                f"a tensor has at most {TENSOR_BYTES_MAX}",
                value=value.name,
            )


def check_outputs(outputs: Sequence[ir.Value], shapes: Sequence[tuple[int, ...] | None], label: str) -> None:
    """Checks that the outputs of a graph have the shapes that they had before passes, None where these were not known.

    Raises:
        InternalError: names the output and both shapes.
    """
    for value, before in zip(outputs, shapes, strict=True):
        after = static_shape(value)
        if None not in (before, after) and before != after:
            raise InternalError(
                f"{label}: its output {value.name!r} has the shape {before}, and passes made it {after}"
            )
