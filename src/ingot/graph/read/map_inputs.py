"""Maps among the inputs of a model: each becomes a tensor with a column for each key that is read, and it is kept which keys.

*Source:* DictVectorizer and CastMap of ai.onnx.ml, version 1. A key that is not in the map is 0, one that nothing reads is
passed over; results are `[1, keys]`, as onnxruntime has them (ONNX's text says one dimension for DictVectorizer).
"""

from __future__ import annotations

from collections.abc import Iterator
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
MAX_KEYS = 1 << 20  # that all readers of maps have together: those of `CastMap` are made by a number
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
    left = MAX_KEYS
    for position, node in all_nodes(graph.node):
        for name in maps.keys() & set(node.input):
            where = f"{label}: node {node.name or f'{node.op_type}_{position}'} ({node.op_type})"
            keys = _keys_read(node, maps[name], where, left)
            readers[name].append((node, keys))
            left -= len(keys)
    takers: list[onnx.NodeProto] = []
    free = _free_names(graph)
    columns = {
        name: dict(zip(dict.fromkeys(key for _, keys in some for key in keys), count()))
        for name, some in readers.items()
    }
    for name, value in maps.items():
        kind = value.type.map_type.value_type.tensor_type.elem_type
        value.type.CopyFrom(helper.make_tensor_type_proto(kind, [1, len(columns[name])]))
        for node, keys in readers[name]:
            _read_tensor(node)
            places = [columns[name][key] for key in keys]
            if places != list(range(len(columns[name]))):
                takers.append(_taker(graph, node, next(free), places))
    _put_first(graph, takers)
    return {name: list(keys) for name, keys in columns.items()}


def _keys_read(node: onnx.NodeProto, value: onnx.ValueInfoProto, where: str, limit: int) -> Keys:
    is_text = value.type.map_type.key_type == TensorProto.STRING
    kind = value.type.map_type.value_type.tensor_type.elem_type
    if node.domain != DOMAIN or node.op_type not in READERS:
        _refuse(
            where,
            node,
            "its input is a map, which only DictVectorizer and CastMap take; give the model a tensor",
        )
    if kind not in _VALUES:
        _refuse(where, node, "the values of its map are no float, double or int64; give the model a tensor")
    given = {attribute.name: attribute for attribute in node.attribute}
    if node.op_type == "CastMap":
        return _keys_of_cast(given, where, node, is_text, limit)
    name = "string_vocabulary" if is_text else "int64_vocabulary"
    vocabulary = given.get(name, onnx.AttributeProto())
    keys: Keys = [key.decode() for key in vocabulary.strings] if is_text else list(vocabulary.ints)
    if not 0 < len(keys) <= limit:
        _refuse(where, node, f"its {name} has {len(keys)} keys, expected 1 to {limit}")
    return keys


def _keys_of_cast(
    given: dict[str, onnx.AttributeProto], where: str, node: onnx.NodeProto, is_text: bool, limit: int
) -> Keys:
    form, to = given["map_form"].s if "map_form" in given else b"DENSE", _cast_of(node)
    keys = given["max_map"].i if "max_map" in given else 1
    if is_text:
        _refuse(where, node, "the keys of its map are text, expected int64")
    if form != b"SPARSE":
        _refuse(
            where,
            node,
            "map_form is DENSE: how many columns it makes depends on the map; SPARSE and max_map say how many",
        )
    if to not in _CASTS:
        _refuse(where, node, f"cast_to is {to!r:.40}, expected one of {', '.join(_CASTS)}")
    if not 0 < keys <= limit:
        _refuse(where, node, f"max_map is {keys}, expected 1 to {limit}")
    return list(range(keys))


def _cast_of(node: onnx.NodeProto) -> str:
    return next(
        (attribute.s.decode() for attribute in node.attribute if attribute.name == "cast_to"), "TO_FLOAT"
    )


def _read_tensor(node: onnx.NodeProto) -> None:
    """Writes a reader of a map as one of the tensor of its columns."""
    to = _cast_of(node)
    node.op_type, node.domain = ("Cast" if node.op_type == "CastMap" else "Identity"), ""
    del node.attribute[:]
    if node.op_type == "Cast":
        node.attribute.append(helper.make_attribute("to", _CASTS[to]))


def _free_names(graph: onnx.GraphProto) -> Iterator[str]:
    """Names that no value of the model has."""
    taken = {name for _, node in all_nodes(graph.node) for name in (*node.input, *node.output)}
    return (name for number in count() if (name := f"columns/{number}") not in taken)


def _taker(graph: onnx.GraphProto, node: onnx.NodeProto, name: str, places: list[int]) -> onnx.NodeProto:
    """A node that takes columns of a tensor, which the given one reads then."""
    graph.initializer.append(numpy_helper.from_array(np.array(places, np.int64), f"{name}/places"))
    taker = helper.make_node("Gather", [node.input[0], f"{name}/places"], [name], name, axis=1)
    del node.input[:]
    node.input.append(name)
    return taker


def _put_first(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> None:
    if nodes:
        kept = list(graph.node)
        del graph.node[:]
        graph.node.extend([*nodes, *kept])


def _refuse(where: str, node: onnx.NodeProto, why: str) -> NoReturn:
    raise UnsupportedError(f"{where}: {why}", nodes=(node.name,))
