"""Maps among the inputs of a model: each becomes a tensor with a column for each key that is read, and it is kept which keys.

*Source:* DictVectorizer and CastMap of ai.onnx.ml, version 1. A key that is not in the map is 0, one that nothing reads is
passed over; results are `[1, keys]`, as onnxruntime has them (ONNX's text says one dimension for DictVectorizer).
"""

from __future__ import annotations

from itertools import count
from typing import NoReturn

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ingot.base.errors import UnsupportedError
from ingot.graph.read.check_attributes import all_nodes

Keys = list[int | str]
DOMAIN = "ai.onnx.ml"
READERS = frozenset({"CastMap", "DictVectorizer"})
MAX_KEYS = 1 << 20  # of `CastMap`, where a number makes them
_VALUES = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64)
_CASTS = {"TO_FLOAT": TensorProto.FLOAT, "TO_INT64": TensorProto.INT64}


def tensors_of_maps(graph: onnx.GraphProto, label: str) -> dict[str, Keys]:
    """Lets each input that is a map be a tensor `[1, keys]`, and the nodes that read it take their columns. In place.

    Does not handle: values that are text; `CastMap` of another form than SPARSE, where the number of columns depends on the map.

    Returns:
        The keys of each input that was a map, in the order of its columns.

    Raises:
        UnsupportedError: a map is read by another node, or nothing says which keys it has.
    """
    maps = {value.name: value for value in graph.input if value.type.HasField("map_type")}
    if not maps:
        return {}
    readers: dict[str, list[tuple[onnx.NodeProto, Keys]]] = {name: [] for name in maps}
    for position, node in all_nodes(graph.node):
        for name in maps.keys() & set(node.input):
            where = f"{label}: node {node.name or f'{node.op_type}_{position}'} ({node.op_type})"
            readers[name].append((node, _keys_read(node, maps[name], where)))
    columns = {name: list(dict.fromkeys(key for _, keys in some for key in keys)) for name, some in readers.items()}
    for name, value in maps.items():
        kind = value.type.map_type.value_type.tensor_type.elem_type
        value.type.CopyFrom(helper.make_tensor_type_proto(kind, [1, len(columns[name])]))
        for node, keys in readers[name]:
            _read_tensor(node)
            if keys != columns[name]:
                _take_columns(graph, node, [columns[name].index(key) for key in keys])
    return columns


def _keys_read(node: onnx.NodeProto, value: onnx.ValueInfoProto, where: str) -> Keys:
    is_text = value.type.map_type.key_type == TensorProto.STRING
    kind = value.type.map_type.value_type.tensor_type.elem_type
    if node.domain != DOMAIN or node.op_type not in READERS:
        _refuse(where, node, "its input is a map, which only DictVectorizer and CastMap take; give the model a tensor")
    if kind not in _VALUES:
        _refuse(where, node, "the values of its map are no float, double or int64; give the model a tensor")
    given = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    if node.op_type == "CastMap":
        return _keys_of_cast(given, where, node, is_text)
    name = "string_vocabulary" if is_text else "int64_vocabulary"
    keys = [one.decode() if isinstance(one, bytes) else one for one in given.get(name, [])]
    if not keys:
        _refuse(where, node, f"it has no {name}, of which the keys of its map are")
    return keys


def _keys_of_cast(given: dict[str, object], where: str, node: onnx.NodeProto, is_text: bool) -> Keys:
    form, to, keys = given.get("map_form", b"DENSE"), given.get("cast_to", b"TO_FLOAT"), given.get("max_map", 1)
    if is_text:
        _refuse(where, node, "the keys of its map are text, expected int64")
    if form != b"SPARSE":
        _refuse(where, node, "map_form is DENSE: how many columns it makes depends on the map; SPARSE and max_map say how many")
    if not isinstance(to, bytes) or to.decode() not in _CASTS:
        _refuse(where, node, f"cast_to is {to!r:.40}, expected one of {', '.join(_CASTS)}")
    if not isinstance(keys, int) or not 0 < keys <= MAX_KEYS:
        _refuse(where, node, f"max_map is {keys!r:.40}, expected 1 to {MAX_KEYS}")
    return list(range(keys))


def _read_tensor(node: onnx.NodeProto) -> None:
    """Writes a reader of a map as one of the tensor of its columns."""
    to = next((one.s.decode() for one in node.attribute if one.name == "cast_to"), "TO_FLOAT")
    node.op_type, node.domain = ("Cast" if node.op_type == "CastMap" else "Identity"), ""
    del node.attribute[:]
    if node.op_type == "Cast":
        node.attribute.append(helper.make_attribute("to", _CASTS[to]))


def _take_columns(graph: onnx.GraphProto, node: onnx.NodeProto, places: list[int]) -> None:
    """Lets a node read some columns, taken at the beginning of the graph."""
    taken = {name for _, one in all_nodes(graph.node) for name in (*one.input, *one.output)}
    made = next(name for number in count() if (name := f"{node.input[0]}/columns/{number}") not in taken)
    graph.initializer.append(numpy_helper.from_array(np.array(places, np.int64), f"{made}/places"))
    graph.node.insert(0, helper.make_node("Gather", [node.input[0], f"{made}/places"], [made], made, axis=1))
    del node.input[:]
    node.input.append(made)


def _refuse(where: str, node: onnx.NodeProto, why: str) -> NoReturn:
    raise UnsupportedError(f"{where}: {why}", nodes=(node.name,))
