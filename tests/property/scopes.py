"""Random models with graphs inside nodes: branches that are only chosen while running, loops, and sequences of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from tests.property.graphs import ROWS, F, Maker, Step, Value, activated

_TYPES = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "b": TensorProto.BOOL}


def _typed(value: Value) -> object:
    return helper.make_tensor_value_info(value.name, _TYPES[value.array.dtype.kind], value.shape)


def _inner(
    of: Maker, write: Callable[[], Sequence[Value]], inputs: Sequence[Value] = ()
) -> tuple[GraphProto, Sequence[Value]]:
    """A graph with what `write` makes of values around it and of `inputs`; and its results, for their shapes."""
    outside, known = of.nodes, len(of.values)
    of.nodes = []
    of.values += inputs
    try:
        results = list(write())
        made = {name for node in of.nodes for name in node.output}
        for at, one in enumerate(results):
            # onnxruntime mixes results up that are one value.
            if one.name not in made or any(one is each for each in results[:at]):
                results[at] = of.op("Identity", one)
        nodes = of.nodes
    finally:
        of.nodes = outside
        of.values = [one for one in of.values[:known] if not any(one is each for each in inputs)]
    return helper.make_graph(
        nodes, "inner", [_typed(one) for one in inputs], [_typed(one) for one in results]
    ), results


def _outside(of: Maker, graphs: Sequence[GraphProto]) -> list[Value]:
    """The values that graphs read from outside, at any depth."""
    wanted: set[str] = set()

    def read(graph: GraphProto) -> None:
        for node in graph.node:
            wanted.update(node.input)
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    read(attribute.g)

    for graph in graphs:
        read(graph)
    constants = [Value(name, array) for name, array in of.constants.items()]
    return [one for one in (*of.values, *constants) if one.name in wanted]


def _again(of: Maker, x: Value) -> Value:
    """Something of the same shape."""
    rank = x.array.ndim
    match of.choose.choice(["together", "product", "turn", "outer", "same", "softmax", "part"]):
        case "product" if rank >= 2:
            return of.op("MatMul", x, of.weights(x.shape[-1], x.shape[-1], depth=x.shape[-1]))
        case "turn" if rank:
            axis = of.choose.randrange(rank)
            edges = (of.constant([number], np.int64) for number in (-1, -x.shape[axis] - 1, axis, -1))
            return of.op("Slice", x, *edges)
        case "outer":
            same = [one for one in of.values if one.array.dtype == F and one.shape == x.shape]
            return of.choose.choice(same) if same else x
        case "softmax" if rank:
            return of.op("Softmax", x, axis=of.choose.randrange(rank))
        case "part" if rank:
            axis = of.choose.randrange(rank)
            place = of.constant(of.choose.randrange(x.shape[axis]), np.int64)
            one = of.op("Gather", x, place, axis=axis)
            return of.op("Add", x, of.op("Unsqueeze", one, of.constant([axis], np.int64)))
        case "same":
            return x
    shape = [extent if of.choose.random() < 0.5 else 1 for extent in x.shape]
    return activated(of, of.op(of.choose.choice(["Add", "Mul", "Sub"]), x, of.weights(*shape)))


def _condition(of: Maker) -> Value:
    x = of.some(1)
    total = of.op("ReduceSum", x, keepdims=of.choose.choice([0, 0, 1]))
    condition = of.op(of.choose.choice(["Greater", "Less"]), total, of.constant(float(of.normal(()))))
    return of.op("Not", condition) if of.choose.random() < 0.3 else condition


def branches(of: Maker, depth: int = 2) -> None:
    """An `If` on what is only known while running; its branches read values around it, give some of them, or have an `If`."""
    x = of.some(1, 4)
    condition = _condition(of)
    count = of.choose.choice([1, 1, 2])

    def write() -> Sequence[Value]:
        results = []
        for _ in range(count):
            value = x
            for _ in range(of.choose.randint(0, 3)):
                value = _again(of, value)
            if depth and of.choose.random() < 0.3:
                branches(of, depth - 1)
                last = of.values[-1]
                value = last if last.shape == x.shape else value
            results.append(value)
        return results

    (then, _), (other, _) = _inner(of, write), _inner(of, write)
    names = [of.name() for _ in range(count)]
    node = helper.make_node("If", [condition.name], names, then_branch=then, else_branch=other)
    of.add([node], [condition, *_outside(of, [then, other])], names)


def loops(of: Maker) -> None:
    """A `Loop` with a count that is known, one or two carried values, and now and then stacked ones."""
    x = of.some(1, 3)
    count = of.constant(of.choose.randint(0, 4), np.int64)
    number, again = Value(of.name(), np.array(0, np.int64)), Value(of.name(), np.array(True))
    state = Value(of.name(), x.array)
    rows = of.constant(of.normal((5, x.shape[-1]))) if of.choose.random() < 0.5 else None
    stacked = of.choose.random() < 0.5 and bool(count.array)

    def write() -> Sequence[Value]:
        value = state
        if rows is not None:
            value = of.op("Add", value, of.op("Gather", rows, number, axis=0))
        for _ in range(of.choose.randint(1, 3)):
            value = _again(of, value)
        value = of.op("Tanh", value)
        going = of.op("Identity", again)
        if of.choose.random() < 0.4:
            going = of.op("Less", number, of.constant(of.choose.randint(0, 4), np.int64))
        return [going, value, *([_again(of, value)] if stacked else [])]

    body, _ = _inner(of, write, [number, again, state])
    names = [of.name() for _ in range(2 if stacked else 1)]
    node = helper.make_node("Loop", [count.name, "", x.name], names, body=body)
    of.add([node], [count, x, *_outside(of, [body])], names)


def scans(of: Maker) -> None:
    """A `Scan` along any axis, in either direction, as recurrent networks are written out by exporters."""
    x = of.some(2, 3)
    axis = of.choose.randrange(x.array.ndim)
    part = Value(of.name(), np.take(x.array, 0, axis))
    begin = of.constant(of.normal(part.shape)) if of.choose.random() < 0.7 else of.input(*part.shape)
    state = Value(of.name(), begin.array)

    def write() -> Sequence[Value]:
        value = of.op("Add", part, state)
        for _ in range(of.choose.randint(0, 2)):
            value = _again(of, value)
        value = of.op("Tanh", value)
        return [value, _again(of, value)]

    body, results = _inner(of, write, [state, part])
    names = [of.name(), of.name()]
    node = helper.make_node(
        "Scan",
        [begin.name, x.name],
        names,
        body=body,
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[of.choose.randint(0, 1)],
        scan_output_axes=[of.choose.randint(0, results[1].array.ndim)],
        scan_output_directions=[of.choose.randint(0, 1)],
    )
    of.add([node], [begin, x, *_outside(of, [body])], names)


def sequences(of: Maker) -> None:
    """A sequence that is made, changed and read."""
    x = of.some(1, 4)
    axis = of.choose.randrange(x.array.ndim)
    nodes: list[NodeProto] = []
    given: list[Value] = [x]

    def node(operator: str, *inputs: Value | str, **attributes: object) -> str:
        name = of.name()
        given.extend(one for one in inputs if isinstance(one, Value))
        names = [one.name if isinstance(one, Value) else one for one in inputs]
        nodes.append(helper.make_node(operator, names, [name], **attributes))
        return name

    extent = x.shape[axis]
    if of.choose.random() < 0.6:
        size = of.choose.randint(1, extent)
        parts = node("SplitToSequence", x, of.constant(size, np.int64), axis=axis)
        count = -(-extent // size)
    else:
        same = [one for one in of.values if one.array.dtype == F and one.shape == x.shape]
        given_parts = of.choose.choices(same, k=of.choose.randint(1, 4))
        parts, count = node("SequenceConstruct", *given_parts), len(given_parts)
    if of.choose.random() < 0.4:
        where = of.constant(of.choose.randint(-count, count), np.int64)
        parts, count = node("SequenceInsert", parts, x, where), count + 1
    if of.choose.random() < 0.4 and count > 1:
        parts, count = (
            node("SequenceErase", parts, of.constant(of.choose.randint(-count, count - 1), np.int64)),
            count - 1,
        )
    if of.choose.random() < 0.5:
        result = node("ConcatFromSequence", parts, axis=axis)
    else:
        result = node("SequenceAt", parts, of.constant(of.choose.randint(-count, count - 1), np.int64))
    of.add(nodes, {one.name: one for one in given}.values(), [result])


def written_out(of: Maker) -> None:
    """A recurrence without a loop: each step reads a slice of one value, and all have the same weights."""
    x = of.some(2, 4)
    axis = of.choose.randrange(x.array.ndim)
    steps = min(x.shape[axis], of.choose.randint(1, 5))
    first = of.choose.randint(0, x.shape[axis] - steps)
    last = x.shape[-1] if axis != x.array.ndim - 1 else (x.shape[-2] if x.array.ndim > 1 else 1)
    w = of.weights(last, last, depth=last)
    keep = of.choose.random() < 0.4
    state: Value | None = None
    made: list[Value] = []
    for number in range(steps):
        if keep:
            edges = [of.constant([first + number + more], np.int64) for more in (0, 1)]
            part = of.op("Slice", x, *edges, of.constant([axis], np.int64))
        else:
            part = of.op("Gather", x, of.constant(first + number, np.int64), axis=axis)
        if part.array.ndim >= 2 and part.shape[-1] == last:
            part = of.op("MatMul", part, w)
        state = of.op("Tanh", part if state is None else of.op("Add", state, part))
        made.append(state)
    if of.choose.random() < 0.6 and made[0].array.ndim:
        of.op("Concat", *made, axis=of.choose.randrange(made[0].array.ndim))


SCOPES: Sequence[Step] = (branches, branches, loops, scans, sequences, written_out, written_out, *ROWS[-4:])
