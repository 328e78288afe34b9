"""Random small models: operators one behind another as networks have them, with odd sizes. Equal seeds give equal models.

A model is made node by node; each node is computed at once, by itself, so every value is known and nothing that is done to
several nodes can hide in what is expected.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

CHANNELS = (1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 31, 33)
EXTENTS = (1, 2, 3, 5, 7, 8, 9, 13, 14, 17)
ELEMENTS_MAX = 20000
F = np.dtype(np.float32)


class Unsuitable(Exception):  # noqa: N818 - nothing went wrong
    """A step cannot be taken here, or what it gives is not worth to be compared."""


@dataclass(frozen=True)
class Value:
    name: str
    array: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


@dataclass
class Maker:
    """The nodes so far, and the values of all."""

    seed: int
    nodes: list[NodeProto] = field(default_factory=list)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    codes: dict[str, tuple[Value, Value]] = field(
        default_factory=dict
    )  # scale and zero point of values that are codes
    count: int = 0

    def __post_init__(self) -> None:
        self.choose = random.Random(self.seed)
        self.numbers = np.random.default_rng(self.seed)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def normal(self, shape: Sequence[int], scale: float = 1.0) -> np.ndarray:
        return np.asarray(self.numbers.standard_normal(shape) * scale, np.float32)

    def input(self, *shape: int) -> Value:
        made = Value(self.name(), self.normal(shape))
        self.inputs[made.name] = made.array
        self.values.append(made)
        return made

    def constant(self, array: object, dtype: object = np.float32) -> Value:
        made = Value(self.name(), np.asarray(array, dtype))
        self.constants[made.name] = made.array
        return made

    def weights(self, *shape: int, depth: int = 1) -> Value:
        """Constants, now and then those of another node, or an input."""
        same = [
            Value(name, array)
            for name, array in self.constants.items()
            if array.shape == shape and array.dtype == F
        ]
        if same and self.choose.random() < 0.3:
            return self.choose.choice(same)
        if self.choose.random() < 0.1:
            return self.input(*shape)
        return self.constant(self.normal(shape, 1 / math.sqrt(depth)))

    def op(self, operator: str, *inputs: Value | None, outputs: int = 1, **attributes: object) -> Value:
        """A node; its first output."""
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        names = [self.name() for _ in range(outputs)]
        domain = str(attributes.pop("domain", ""))
        node = helper.make_node(
            operator, ["" if one is None else one.name for one in given], names, domain=domain, **attributes
        )
        return self.add([node], [one for one in given if one is not None], names)[0]

    def add(self, nodes: Sequence[NodeProto], given: Iterable[Value], names: Sequence[str]) -> list[Value]:
        """Nodes that are computed together, of these values; those of their results that live on."""
        present = {one.name: one.array for one in given}
        try:
            arrays = _compute(_model(nodes, present, {}, names), present)
        except Exception as error:
            raise Unsuitable(str(error)) from error
        for array in arrays:
            real = array.dtype.kind == "f"
            if not 0 < array.size <= ELEMENTS_MAX or (
                real and not (np.isfinite(array).all() and np.abs(array).max() < 1e4)
            ):
                raise Unsuitable(f"{nodes[-1].op_type} gives too much, too little or no numbers")
        made = [Value(name, array) for name, array in zip(names, arrays, strict=True)]
        self.nodes += nodes
        self.values += made
        return made

    def some(self, least: int = 1, most: int = 5) -> Value:
        """A float value of so many dimensions, a late one more often."""
        fitting = [one for one in self.values if one.array.dtype == F and least <= one.array.ndim <= most]
        if not fitting:
            raise Unsuitable("no such value")
        return fitting[-1] if self.choose.random() < 0.6 else self.choose.choice(fitting)

    def numbers_in(self, low: int, high: int, count: int) -> list[int]:
        return [self.choose.randint(low, high) for _ in range(count)]


@dataclass(frozen=True)
class Case:
    """A model, what goes in, and what must come out."""

    model: ModelProto
    inputs: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]

    @property
    def operators(self) -> list[str]:
        return [node.op_type for node in self.model.graph.node]


def _model(
    nodes: Sequence[NodeProto],
    inputs: dict[str, np.ndarray],
    constants: dict[str, np.ndarray],
    outputs: Sequence[str],
) -> ModelProto:
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in inputs.items()}
    graph = helper.make_graph(
        nodes,
        "random",
        [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    for output in graph.output:
        output.ClearField("type")
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def _compute(model: ModelProto, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [np.asarray(one) for one in session.run(None, inputs)]


# ─── steps ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def activated(of: Maker, x: Value) -> Value:
    kind = of.choose.choice(
        ["Relu", "Sigmoid", "Tanh", "HardSwish", "LeakyRelu", "Gelu", "Softplus", "silu", "none"]
    )
    if kind == "silu":
        return of.op("Mul", x, of.op("Sigmoid", x))
    return x if kind == "none" else of.op(kind, x)


def pads(of: Maker, kernel: Sequence[int]) -> dict[str, object]:
    chance = of.choose.random()
    if chance < 0.2:
        return {"auto_pad": of.choose.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])}
    if chance < 0.6:
        return {"pads": [size // 2 for size in kernel] * 2}
    return {"pads": [of.choose.randint(0, size - 1) for size in (*kernel, *kernel)]}


def _convolution(of: Maker) -> None:
    x = of.some(3)
    rank, channels = x.array.ndim - 2, x.shape[1]
    group = of.choose.choice([1, 1, 1, channels, channels, *(n for n in (2, 3, 4) if channels % n == 0)])
    results = group * of.choose.choice([1, 2]) if group > 1 else of.choose.choice(CHANNELS)
    kernel = (
        [of.choose.choice([1, 3, 3, 5, 2])] * rank if of.choose.random() < 0.7 else of.numbers_in(1, 4, rank)
    )
    steps: dict[str, object] = {"strides": [of.choose.choice([1, 1, 2, 3])] * rank, "group": group}
    padding = pads(of, kernel)
    if "auto_pad" not in padding:
        steps["dilations"] = [of.choose.choice([1, 1, 1, 2])] * rank
    weights = of.weights(results, channels // group, *kernel, depth=channels // group * math.prod(kernel))
    bias = of.choose.choice([None, of.weights(results)])
    y = of.op("Conv", x, weights, bias, **steps, **padding)
    if of.choose.random() < 0.3:
        scale, shift, mean = (of.constant(of.normal([results])) for _ in range(3))
        y = of.op(
            "BatchNormalization", y, scale, shift, mean, of.constant(np.abs(of.normal([results])) + 0.3)
        )
    y = activated(of, y)
    if y.shape == x.shape:
        of.op("Add", y, x)


def _transposed_convolution(of: Maker) -> None:
    x = of.some(3, 4)
    rank, channels = x.array.ndim - 2, x.shape[1]
    group = of.choose.choice([1, 1, channels])
    kernel, results = of.numbers_in(1, 4, rank), of.choose.choice([1, 2, 3, 8])
    weights = of.weights(channels, results, *kernel, depth=channels // group * math.prod(kernel))
    of.op(
        "ConvTranspose",
        x,
        weights,
        group=group,
        strides=of.numbers_in(1, 3, rank),
        pads=of.numbers_in(0, 1, 2 * rank),
    )


def _pool(of: Maker) -> None:
    x = of.some(3)
    kernel = of.numbers_in(1, 3, x.array.ndim - 2)
    operator = of.choose.choice(["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"])
    if operator.startswith("Global"):
        of.op(operator, x)
    else:
        of.op(operator, x, kernel_shape=kernel, strides=of.numbers_in(1, 2, len(kernel)), **pads(of, kernel))


def _product(of: Maker) -> None:
    x = of.some(2)
    depth = x.shape[-1]
    columns = of.choose.choice([*CHANNELS, 64])
    if x.array.ndim == 2 and of.choose.random() < 0.4:
        y = of.op(
            "Gemm", x, of.weights(columns, depth, depth=depth), of.weights(columns), transB=1, alpha=0.5
        )
    else:
        y = of.op("MatMul", x, of.weights(depth, columns, depth=depth))
        y = of.op("Add", y, of.weights(columns)) if of.choose.random() < 0.5 else y
    y = activated(of, y)
    if y.shape == x.shape:
        of.op("Add", x, y)


def _attention(of: Maker) -> None:
    heads, size = of.choose.choice([1, 2, 3]), of.choose.choice([4, 8, 16, 17])
    rows, keys = of.choose.choice([1, 4, 5, 16, 33]), of.choose.choice([1, 4, 9, 17])
    q, k, v = of.input(1, heads, rows, size), of.input(1, heads, keys, size), of.input(1, heads, keys, size)
    scores = of.op("MatMul", q, of.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = of.op("Mul", scores, of.constant(1 / math.sqrt(size)))
    if of.choose.random() < 0.5:
        mask = of.choose.choice([(rows, keys), (1, 1, rows, keys), (keys,), (1, heads, rows, keys)])
        scores = of.op("Add", scores, of.weights(*mask))
    y = of.op("MatMul", of.op("Softmax", scores, axis=-1), v)
    y = of.op("Transpose", y, perm=[0, 2, 1, 3])
    of.op("Reshape", y, of.constant([1, rows, heads * size], np.int64))


def _recurrent(of: Maker) -> None:
    x = of.input(*(of.choose.choice([1, 2, 5]) for _ in range(2)), of.choose.choice([1, 3, 16]))
    operator = of.choose.choice(["LSTM", "GRU", "RNN"])
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[operator]
    hidden, direction = (
        of.choose.choice([1, 3, 8, 17]),
        of.choose.choice(["forward", "reverse", "bidirectional"]),
    )
    count = 2 if direction == "bidirectional" else 1
    w = of.weights(count, gates * hidden, x.shape[2], depth=x.shape[2])
    r = of.weights(count, gates * hidden, hidden, depth=hidden)
    bias = of.choose.choice([None, of.weights(count, 2 * gates * hidden)])
    outputs = 3 if operator == "LSTM" else 2
    of.op(operator, x, w, r, bias, outputs=outputs, hidden_size=hidden, direction=direction)


def _norm(of: Maker) -> None:
    x = of.some(2)
    kind = of.choose.choice(["LayerNormalization", "InstanceNormalization", "Softmax", "LogSoftmax", "LRN"])
    if kind == "LayerNormalization":
        of.op(kind, x, of.weights(x.shape[-1]), of.weights(x.shape[-1]), axis=-1, epsilon=1e-3)
    elif kind == "InstanceNormalization":
        of.op(kind, x, of.weights(x.shape[1]), of.weights(x.shape[1]), epsilon=1e-3)
    elif kind == "LRN":
        of.op(kind, x, size=of.choose.choice([1, 3, 5]), alpha=0.1)
    else:
        of.op(kind, x, axis=of.choose.randrange(x.array.ndim))


def _reduce(of: Maker) -> None:
    x = of.some()
    rank = x.array.ndim
    axes = of.constant(of.choose.sample(range(rank), of.choose.randint(1, rank)), np.int64)
    match of.choose.choice(["reduce", "reduce", "choose", "sort", "sum"]):
        case "reduce":
            kind = of.choose.choice(["Sum", "Mean", "Max", "Min", "L1", "L2", "LogSumExp"])
            of.op(f"Reduce{kind}", x, axes, keepdims=of.choose.randint(0, 1))
        case "choose":
            of.op(
                of.choose.choice(["ArgMax", "ArgMin"]),
                x,
                axis=of.choose.randrange(rank),
                keepdims=of.choose.randint(0, 1),
            )
        case "sort":
            axis = of.choose.randrange(rank)
            count = of.constant([of.choose.randint(1, x.shape[axis])], np.int64)
            of.op("TopK", x, count, outputs=2, axis=axis, largest=of.choose.randint(0, 1))
        case "sum":
            of.op(
                "CumSum", x, of.constant(of.choose.randrange(rank), np.int64), reverse=of.choose.randint(0, 1)
            )


def _move(of: Maker) -> None:
    x = of.some()
    rank = x.array.ndim
    axis = of.choose.randrange(rank)
    match of.choose.choice(["turn", "join", "part", "split", "pad", "shape", "pick"]):
        case "turn":
            of.op("Transpose", x, perm=of.choose.sample(range(rank), rank))
        case "join":
            same = [one for one in of.values if one.array.dtype == F and one.shape == x.shape]
            of.op("Concat", *of.choose.choices(same, k=of.choose.randint(1, 3)), x, axis=axis)
        case "part":
            first = of.choose.randrange(x.shape[axis])
            step = of.choose.choice([1, 2, -1])
            end = x.shape[axis] if step > 0 else -x.shape[axis] - 1
            of.op("Slice", x, *(of.constant([number], np.int64) for number in (first, end, axis, step)))
        case "split":
            of.op("Split", x, outputs=2, axis=axis, num_outputs=2)
        case "pad":
            mode = of.choose.choice(["constant", "edge"])
            of.op("Pad", x, of.constant(of.numbers_in(0, 2, 2 * rank), np.int64), mode=mode)
        case "shape":
            of.op("Flatten", x, axis=axis)
        case "pick":
            places = of.numbers.integers(-x.shape[axis], x.shape[axis], (3,))
            of.op("Gather", x, of.constant(places, np.int64), axis=axis)


def _together(of: Maker) -> None:
    x = of.some()
    same = [one for one in of.values if one.array.dtype == F and one.shape == x.shape]
    shape = [extent if of.choose.random() < 0.5 else 1 for extent in x.shape]
    other = of.choose.choice(same) if of.choose.random() < 0.6 else of.weights(*shape)
    activated(of, of.op(of.choose.choice(["Add", "Sub", "Mul", "Max", "Min"]), x, other))


def _codes(of: Maker, x: Value, dtype: type) -> Value:
    limits = np.iinfo(dtype)
    zero = of.choose.choice(
        [int(limits.min), int(limits.max), 0, of.choose.randint(int(limits.min), int(limits.max))]
    )
    parameters = of.constant(float(np.abs(x.array).max() or 1) / 100), of.constant(zero, dtype)
    return of.op("DequantizeLinear", of.op("QuantizeLinear", x, *parameters), *parameters)


def _quantised(of: Maker) -> None:
    dtype = of.choose.choice([np.uint8, np.int8])
    x = _codes(of, of.some(2, 4), dtype)
    codes = of.numbers.integers(
        -127, 128, (of.choose.choice(CHANNELS), x.shape[1] if x.array.ndim > 2 else x.shape[-1])
    )
    if x.array.ndim > 2:
        codes = np.repeat(codes[..., None], of.choose.choice([1, 3]) ** (x.array.ndim - 2), axis=-1)
        side = round(codes.shape[-1] ** (1 / (x.array.ndim - 2)))
        codes = codes.reshape(*codes.shape[:2], *[side] * (x.array.ndim - 2))
    scales = of.constant(of.numbers.uniform(0.002, 0.01, codes.shape[0]))
    zeros = of.constant(np.zeros(codes.shape[0]), np.int8)
    w = of.op("DequantizeLinear", of.constant(codes, np.int8), scales, zeros, axis=0)
    if x.array.ndim > 2:
        y = of.op(
            "Conv",
            x,
            w,
            pads=[1] * (2 * (x.array.ndim - 2)),
            strides=[of.choose.choice([1, 2])] * (x.array.ndim - 2),
        )
    else:
        y = of.op("Gemm", x, w, transB=1)
    y = of.op("Relu", y) if of.choose.random() < 0.5 else y
    _codes(of, y, dtype)


def _sums_of_codes(of: Maker) -> None:
    """A product of integers that stay integers, often by one column."""
    x = of.some(2, 3)
    scale, zero = (
        of.constant(float(np.abs(x.array).max() or 1) / 100),
        of.constant(of.choose.randint(0, 255), np.uint8),
    )
    columns = of.choose.choice([1, 1, 2, 3, 8, 17])
    codes = of.numbers.integers(
        -64, 64, (x.shape[-1], columns)
    )  # onnxruntime adds two products in 16 bits on some processors
    of.op("MatMulInteger", of.op("QuantizeLinear", x, scale, zero), of.constant(codes, np.int8))


Step = Callable[[Maker], None]
IMAGES: Sequence[Step] = (
    _convolution,
    _convolution,
    _convolution,
    _transposed_convolution,
    _pool,
    _move,
    _together,
    _norm,
)
ROWS: Sequence[Step] = (_product, _product, _attention, _recurrent, _norm, _reduce, _move, _together)
CODES: Sequence[Step] = (_quantised, _quantised, _sums_of_codes, _pool, _move)


def _names_read(nodes: Iterable[NodeProto]) -> set[str]:
    read: set[str] = set()
    for node in nodes:
        read.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                read |= _names_read(attribute.g.node)
    return read


def random_case(seed: int, steps: Sequence[Step] | None = None) -> Case:
    """The model of that seed; with `steps`, of these."""
    of = Maker(seed)
    steps = steps or of.choose.choice([IMAGES, IMAGES, ROWS, ROWS, CODES, (*IMAGES, *ROWS)])
    if steps is not ROWS:
        rank = of.choose.choice([1, 2, 2, 2, 3])
        extents = [of.choose.choice(EXTENTS[: 11 - 2 * rank]) for _ in range(rank)]
        of.input(of.choose.choice([1, 1, 2]), of.choose.choice(CHANNELS), *extents)
    if steps is not IMAGES:
        of.input(of.choose.choice(EXTENTS), of.choose.choice(CHANNELS))
    wanted = of.choose.randint(2, 4)
    for _ in range(12):
        before = of.nodes, len(of.nodes), len(of.values)
        try:
            of.choose.choice(steps)(of)
            wanted -= 1
        except Unsuitable:
            of.nodes = before[0]
            dropped = {one.name for one in of.values[before[2] :]}
            of.inputs = {name: array for name, array in of.inputs.items() if name not in dropped}
            del of.nodes[before[1] :], of.values[before[2] :]
        if not wanted and of.nodes:
            break
    read = _names_read(of.nodes)
    made = [one for one in of.values if one.name not in of.inputs]
    chosen = [one for one in made if one.name not in read or of.choose.random() < 0.15]
    expected = {one.name: one.array for one in chosen}
    constants = {name: array for name, array in of.constants.items() if name in read}
    return Case(_model(of.nodes, of.inputs, constants, list(expected)), of.inputs, expected)
