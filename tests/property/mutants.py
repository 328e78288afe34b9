"""Small models with one thing changed: what tools get wrong, and what nobody means. Equal seeds give equal mutants."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

INTS = (-(2**63), -(2**31), -3, -2, -1, 0, 1, 2, 3, 5, 2**31, 2**62, 2**63 - 1)
FLOATS = (-1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 1e30, float("inf"), float("nan"))
TEXTS = ("", "none", "NONE", "linear", "SAME_UPPER", "VALID", "reverse", "bilinear", "\x00", "é" * 40)
TYPES = (
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.INT8,
    TensorProto.UINT8,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.BOOL,
    TensorProto.INT4,
    TensorProto.STRING,
)
ARRAY_TYPES = (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int32, np.int64, np.bool_)


class NothingToChangeError(Exception):
    """The mutation does not apply to this model."""


def mutant(model: ModelProto, seed: int) -> tuple[str, ModelProto]:
    """A changed copy, and what was changed."""
    choose = random.Random(seed)
    for _ in range(40):
        changed = ModelProto()
        changed.CopyFrom(model)
        change = choose.choice(MUTATIONS)
        try:
            what = change(changed, choose)
        except NothingToChangeError:
            continue
        if changed != model:
            return f"{change.__name__[1:]}: {what}", changed
    raise NothingToChangeError


def _pick(choose: random.Random, things: list[Any]) -> Any:
    if not things:
        raise NothingToChangeError
    return choose.choice(things)


def _graphs(graph: GraphProto) -> list[GraphProto]:
    inner = [one.g for node in graph.node for one in node.attribute if one.HasField("g")]
    return [graph, *(found for one in inner for found in _graphs(one))]


def _node(model: ModelProto, choose: random.Random) -> NodeProto:
    return _pick(choose, [node for graph in _graphs(model.graph) for node in graph.node])


def _attribute(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if one.attribute])
    one = _pick(choose, list(node.attribute))
    before = helper.printable_attribute(one)[:60]
    match one.type:
        case AttributeProto.INT:
            one.i = choose.choice((*INTS, max(one.i, -(2**62)) + 1))
        case AttributeProto.FLOAT:
            one.f = choose.choice(FLOATS)
        case AttributeProto.STRING:
            one.s = choose.choice(TEXTS).encode()
        case AttributeProto.INTS:
            _list(one.ints, INTS, choose)
        case AttributeProto.FLOATS:
            _list(one.floats, FLOATS, choose)
        case AttributeProto.STRINGS:
            _list(one.strings, tuple(text.encode() for text in TEXTS), choose)
        case AttributeProto.TENSOR:
            _tensor(one.t, choose)
        case _:
            raise NothingToChangeError
    return f"{node.op_type}.{before} → {helper.printable_attribute(one)[:60]}"


def _list(values: list, known: tuple, choose: random.Random) -> None:  # type: ignore[type-arg]
    kind = choose.randrange(4)
    if kind == 0 and values:
        del values[choose.randrange(len(values))]
    elif kind == 1:
        values.append(choose.choice(known))
    elif kind == 2:
        del values[:]
    elif values:
        values[choose.randrange(len(values))] = choose.choice(known)


def _attribute_lost(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if one.attribute])
    at = choose.randrange(len(node.attribute))
    name = node.attribute[at].name
    del node.attribute[at]
    return f"{node.op_type}.{name}"


def _attribute_type(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if one.attribute])
    at = choose.randrange(len(node.attribute))
    name = node.attribute[at].name
    made = helper.make_attribute(name, choose.choice((1, 1.5, "text", [1, 2], [0.5])))
    node.attribute[at].CopyFrom(made)
    return f"{node.op_type}.{name} → {helper.printable_attribute(made)}"


def _attribute_given(model: ModelProto, choose: random.Random) -> str:
    node = _node(model, choose)
    if not onnx.defs.has(node.op_type, domain=node.domain):
        raise NothingToChangeError
    known = onnx.defs.get_schema(node.op_type, domain=node.domain).attributes
    name = _pick(choose, sorted(set(known) - {one.name for one in node.attribute}))
    value: object
    match known[name].type:
        case onnx.defs.OpSchema.AttrType.INT:
            value = choose.choice(INTS)
        case onnx.defs.OpSchema.AttrType.FLOAT:
            value = choose.choice(FLOATS)
        case onnx.defs.OpSchema.AttrType.STRING:
            value = choose.choice(TEXTS)
        case onnx.defs.OpSchema.AttrType.INTS:
            value = [choose.choice(INTS[2:10]) for _ in range(choose.randrange(1, 5))]
        case onnx.defs.OpSchema.AttrType.FLOATS:
            value = [choose.choice(FLOATS) for _ in range(choose.randrange(1, 4))]
        case _:
            raise NothingToChangeError
    node.attribute.append(helper.make_attribute(name, value))
    return f"{node.op_type}.{name} = {value}"


def _input_lost(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if one.input])
    at = choose.randrange(len(node.input))
    if choose.random() < 0.5:
        node.input[at] = ""
    else:
        del node.input[at]
    return f"{node.op_type} {at}"


def _inputs_swapped(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if len(one.input) > 1])
    first, second = choose.sample(range(len(node.input)), 2)
    node.input[first], node.input[second] = node.input[second], node.input[first]
    return f"{node.op_type} {first}, {second}"


def _input_again(model: ModelProto, choose: random.Random) -> str:
    node = _pick(choose, [one for graph in _graphs(model.graph) for one in graph.node if one.input])
    if choose.random() < 0.5 and len(node.input) > 1:
        first, second = choose.sample(range(len(node.input)), 2)
        node.input[first] = node.input[second]
    else:
        node.input.append(choose.choice(list(node.input)))
    return f"{node.op_type} {list(node.input)}"


def _output_more_or_less(model: ModelProto, choose: random.Random) -> str:
    node = _node(model, choose)
    if choose.random() < 0.5 and len(node.output) > 1:
        del node.output[-1]
    else:
        node.output.append("one_more")
    return f"{node.op_type} {list(node.output)}"


def _type(model: ModelProto, choose: random.Random) -> str:
    value = _typed(model, choose)
    before = value.type.tensor_type.elem_type
    value.type.tensor_type.elem_type = choose.choice(TYPES)
    return f"{value.name}: {before} → {value.type.tensor_type.elem_type}"


def _typed(model: ModelProto, choose: random.Random) -> ValueInfoProto:
    graphs = _graphs(model.graph)
    values = [one for graph in graphs for one in (graph.output if choose.random() < 0.1 else graph.input)]
    return _pick(choose, [one for one in values if one.type.HasField("tensor_type")])


def _shape(model: ModelProto, choose: random.Random) -> str:
    value = _typed(model, choose)
    dims = [one.dim_value for one in value.type.tensor_type.shape.dim]
    before = list(dims)
    kind = choose.randrange(4)
    if kind == 0 and dims:
        del dims[choose.randrange(len(dims))]
    elif kind == 1:
        dims.insert(choose.randrange(len(dims) + 1), choose.choice((1, 2, 3)))
    elif dims:
        at = choose.randrange(len(dims))
        dims[at] = choose.choice((0, 1, 2, 3, 7, dims[at] + 1, max(0, dims[at] - 1), 2**31, 2**62))
    value.type.tensor_type.ClearField("shape")
    value.type.tensor_type.shape.CopyFrom(helper.make_tensor_type_proto(1, dims).tensor_type.shape)
    return f"{value.name}: {before} → {dims}"


def _opset(model: ModelProto, choose: random.Random) -> str:
    one = _pick(choose, list(model.opset_import))
    before = one.version
    one.version = choose.choice((7, 8, 9, 10, 11, 12, 13, 15, 16, 18, 19, 21, 22, 23, 24, 25))
    return f"{before} → {one.version}"


def _initializer(model: ModelProto, choose: random.Random) -> str:
    one = _pick(choose, [tensor for graph in _graphs(model.graph) for tensor in graph.initializer])
    return f"{one.name}: {_tensor(one, choose)}"


def _tensor(tensor: TensorProto, choose: random.Random) -> str:
    if tensor.data_type == TensorProto.STRING:
        raise NothingToChangeError
    array = np.array(numpy_helper.to_array(tensor))
    if array.dtype.kind not in "fiub":
        raise NothingToChangeError
    before = f"{array.dtype}{list(array.shape)}"
    kind = choose.randrange(5)
    with np.errstate(all="ignore"):
        if kind == 0:
            array = array.astype(choose.choice(ARRAY_TYPES))
        elif kind == 1:
            array = array.reshape(-1)[: max(0, array.size - 1)]
        elif kind == 2:
            array = array[None] if choose.random() < 0.5 else array.reshape(-1)
        elif array.size:
            at = choose.randrange(array.size)
            value = choose.choice(FLOATS if array.dtype.kind == "f" else INTS)
            array.reshape(-1)[at] = np.asarray(value).astype(array.dtype)
    made = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), tensor.name)
    tensor.CopyFrom(made)
    return f"{before} → {array.dtype}{list(array.shape)}" + (
        f" {array.tolist()}"[:80] if array.size < 9 else ""
    )


def _operator(model: ModelProto, choose: random.Random) -> str:
    node = _node(model, choose)
    before = node.op_type
    node.op_type = choose.choice(OPERATORS)
    return f"{before} → {node.op_type}"


OPERATORS = tuple(
    sorted({one.name for one in onnx.defs.get_all_schemas() if one.domain == "" and not one.deprecated})
)
MUTATIONS: tuple[Callable[[ModelProto, random.Random], str], ...] = (
    _attribute,
    _attribute,
    _attribute_lost,
    _attribute_type,
    _attribute_given,
    _input_lost,
    _inputs_swapped,
    _input_again,
    _output_more_or_less,
    _type,
    _shape,
    _shape,
    _opset,
    _initializer,
    _initializer,
    _operator,
)
