"""Random models whose batch and one more extent vary, such as a length or a width. Equal seeds give equal models.

An extent is a number, or the name of one that varies: equal names are equal extents. A step takes only values whose extents suit
it, so a model is right for every size that its windows leave something of. onnxruntime computes what must come out, node by node.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

LARGEST = (17, 24, 37, 64)
CHANNELS = (1, 3, 4, 8, 16, 17)
Extent = int | str


class Unsuitable(Exception):  # noqa: N818 - nothing went wrong
    """A step cannot be taken here."""


@dataclass(frozen=True)
class Open:
    """A float value, some of whose extents vary."""

    name: str
    shape: tuple[Extent, ...]


@dataclass(frozen=True)
class RangeCase:
    """A model, the extents of its input, and the sizes that `S` has."""

    model: ModelProto
    shape: tuple[Extent, ...]
    sizes: range
    seed: int

    @property
    def operators(self) -> list[str]:
        return [node.op_type for node in self.model.graph.node]

    def feed(self, batch: int, size: int) -> np.ndarray:
        """An input for definite sizes."""
        extents = {"B": batch, "S": size}
        shape = [extents[each] if isinstance(each, str) else each for each in self.shape]
        return np.random.default_rng((self.seed, batch, size)).standard_normal(shape).astype(np.float32)


@dataclass
class Network:
    """The nodes so far, and the values that steps may take."""

    seed: int
    nodes: list[NodeProto] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    values: list[Open] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.choose = random.Random(self.seed)
        self.numbers = np.random.default_rng(self.seed)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, array: Any, dtype: type[np.generic] = np.float32) -> str:
        name = self.name()
        self.constants[name] = np.asarray(array, dtype)
        return name

    def weights(self, *shape: int) -> str:
        depth = max(1, int(np.prod(shape[1:]))) if len(shape) > 1 else 1
        return self.constant(self.numbers.standard_normal(shape) / np.sqrt(depth))

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node; the name of its output."""
        name = self.name()
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def value(self, name: str, shape: Sequence[Extent]) -> Open:
        """Says that later steps may take what a node gives."""
        self.values.append(Open(name, tuple(shape)))
        return self.values[-1]

    def some(self, suits: Callable[[Open], bool]) -> Open:
        """A value that suits, a late one more often."""
        suiting = [value for value in self.values if suits(value)]
        if not suiting:
            raise Unsuitable
        return suiting[-1] if self.choose.random() < 0.7 else self.choose.choice(suiting)

    def size_of(self, x: Open, axis: int) -> str:
        """An extent as a tensor of one number, computed from the shape as exporters do."""
        if self.choose.random() < 0.5:
            return self.node("Shape", x.name, start=axis, end=axis + 1)
        return self.node("Gather", self.node("Shape", x.name), self.constant([axis], np.int64), axis=0)


# ─── steps for both kinds ──────────────────────────────────────────────────────────────────────────────────────────


def _activated(of: Network) -> None:
    x = of.some(lambda _: True)
    of.value(
        of.node(of.choose.choice(["Relu", "Sigmoid", "Tanh", "HardSwish", "Exp"]), _small(of, x)), x.shape
    )


def _small(of: Network, x: Open) -> str:
    """The value, between -3 and 3."""
    return of.node("Clip", x.name, of.constant(-3.0), of.constant(3.0))


def _together(of: Network) -> None:
    x = of.some(lambda _: True)
    y = of.some(lambda value: value.shape == x.shape)
    operator = of.choose.choice(["Add", "Sub", "Mul", "Max", "Min"])
    of.value(of.node(operator, _small(of, x), y.name), x.shape)


def _reduced(of: Network) -> None:
    """What is folded along an axis, added to each place again."""
    x = of.some(lambda value: len(value.shape) > 1)
    axes = of.choose.sample(range(1, len(x.shape)), of.choose.choice([1, 1, len(x.shape) - 1]))
    kind = of.choose.choice(["Sum", "Mean", "Max", "Min", "L1", "L2", "LogSumExp", "SumSquare", "Prod"])
    name = of.node(f"Reduce{kind}", _small(of, x), of.constant(sorted(axes), np.int64), keepdims=1)
    folded = of.value(name, [1 if axis in axes else extent for axis, extent in enumerate(x.shape)])
    if of.choose.random() < 0.7:
        of.value(of.node(of.choose.choice(["Add", "Sub", "Max"]), x.name, folded.name), x.shape)


def _softmax(of: Network) -> None:
    x = of.some(lambda value: len(value.shape) > 1)
    operator = of.choose.choice(["Softmax", "LogSoftmax"])
    of.value(of.node(operator, x.name, axis=of.choose.randrange(1, len(x.shape))), x.shape)


def _part(of: Network) -> None:
    """A slice: all but the first places, the last ones, every second, or all in reverse."""
    x = of.some(lambda value: len(value.shape) > 1)
    axis = of.choose.randrange(1, len(x.shape))
    extent = x.shape[axis]
    far = np.iinfo(np.int64).max
    begin, end, step = of.choose.choice(
        [(1, far, 1), (-2, far, 1), (0, -1, 1), (0, far, 2), (-1, -far, -1), (0, 1, 1)]
    )
    ends = [of.constant([number], np.int64) for number in (begin, end, axis, step)]
    if isinstance(extent, int):
        rest: Extent = len(range(extent)[slice(begin, None if abs(end) == far else end, step)])
    else:
        rest = {(0, 1): 1}.get((begin, end), extent if step < 0 else f"{extent}[{begin}:{end}:{step}]")
    if rest == 0:
        raise Unsuitable
    of.value(of.node("Slice", x.name, *ends), [*x.shape[:axis], rest, *x.shape[axis + 1 :]])


def _joined(of: Network) -> None:
    x = of.some(lambda value: len(value.shape) > 1)
    axis = of.choose.randrange(1, len(x.shape))

    def fits(value: Open) -> bool:
        return len(value.shape) == len(x.shape) and all(
            at == axis or mine == theirs
            for at, (mine, theirs) in enumerate(zip(x.shape, value.shape, strict=True))
        )

    y = of.some(fits)
    mine, theirs = x.shape[axis], y.shape[axis]
    whole = mine + theirs if isinstance(mine, int) and isinstance(theirs, int) else f"({mine}+{theirs})"
    of.value(of.node("Concat", x.name, y.name, axis=axis), [*x.shape[:axis], whole, *x.shape[axis + 1 :]])


def _by_the_size(of: Network) -> None:
    """An arithmetic step with the number of places."""
    x = of.some(lambda value: any(isinstance(extent, str) for extent in value.shape[1:]))
    axis = of.choose.choice([at for at, extent in enumerate(x.shape) if at and isinstance(extent, str)])
    size = of.node("Cast", of.size_of(x, axis), to=TensorProto.FLOAT)
    size = of.node("Sqrt", size) if of.choose.random() < 0.3 else size
    of.value(of.node(of.choose.choice(["Div", "Add", "Max"]), x.name, size), x.shape)


def _summed(of: Network) -> None:
    x = of.some(lambda value: len(value.shape) > 1)
    axis = of.constant(of.choose.randrange(1, len(x.shape)), np.int64)
    chances = {"reverse": of.choose.randint(0, 1), "exclusive": of.choose.randint(0, 1)}
    of.value(of.node("CumSum", _small(of, x), axis, **chances), x.shape)


def _padded(of: Network) -> None:
    x = of.some(lambda value: len(value.shape) > 1)
    axis = of.choose.randrange(1, len(x.shape))
    before, behind = of.choose.choice([(1, 0), (0, 2), (1, 1)])
    counts = [0] * (2 * len(x.shape))
    counts[axis], counts[axis + len(x.shape)] = before, behind
    extent = x.shape[axis]
    whole = extent + before + behind if isinstance(extent, int) else f"({extent}+{before}+{behind})"
    mode = of.choose.choice(["constant", "constant", "edge", "reflect"])
    name = of.node("Pad", x.name, of.constant(counts, np.int64), mode=mode)
    of.value(name, [*x.shape[:axis], whole, *x.shape[axis + 1 :]])


# ─── sequences: (batch, length, channels) ──────────────────────────────────────────────────────────────────────────


def _is_row(value: Open) -> bool:
    return len(value.shape) == 3 and isinstance(value.shape[2], int)


def _dense(of: Network) -> None:
    x = of.some(_is_row)
    columns = of.choose.choice(CHANNELS)
    name = of.node("MatMul", x.name, of.weights(int(x.shape[2]), columns))
    of.value(name, (*x.shape[:2], columns))


def _normal(of: Network) -> None:
    x = of.some(_is_row)
    scale, shift = of.weights(int(x.shape[2])), of.weights(int(x.shape[2]))
    of.value(of.node("LayerNormalization", x.name, scale, shift, axis=-1, epsilon=1e-2), x.shape)


def _attention(of: Network) -> None:
    x = of.some(lambda value: _is_row(value) and value.shape[2] in (4, 8, 16))
    width = int(x.shape[2])
    split = of.constant([0, -1, 2, width // 2] if x.shape[0] == 1 else [0, 0, 2, width // 2], np.int64)
    heads = of.node("Reshape", x.name, split)
    q, k = of.node("Transpose", heads, perm=[0, 2, 1, 3]), of.node("Transpose", heads, perm=[0, 2, 3, 1])
    scores = of.node("MatMul", q, k)
    if of.choose.random() < 0.5:
        size = of.node("Squeeze", of.size_of(x, 1))
        at = of.node("Range", of.constant(0, np.int64), size, of.constant(1, np.int64))
        rows = of.node("Unsqueeze", at, of.constant([1], np.int64))
        later = of.node("Less", rows, at)
        scores = of.node("Where", later, of.constant(-1e9), scores)
    mixed = of.node("MatMul", of.node("Softmax", scores, axis=-1), q)
    mixed = of.node("Transpose", mixed, perm=[0, 2, 1, 3])
    of.value(of.node("Reshape", mixed, of.constant([0, 0, width], np.int64)), x.shape)


def _product_of_places(of: Network) -> None:
    x = of.some(_is_row)
    other = of.node("Transpose", x.name, perm=[0, 2, 1])
    of.value(of.node("MatMul", other, _small(of, x)), (x.shape[0], x.shape[2], x.shape[2]))


def _windows(of: Network) -> None:
    """A convolution along the places, as speech networks have it."""
    x = of.some(_is_row)
    depth, kernel, stride = int(x.shape[2]), of.choose.choice([1, 2, 3, 5]), of.choose.choice([1, 1, 2])
    results = of.choose.choice(CHANNELS)
    before, behind = of.choose.choice([(kernel // 2, kernel // 2), (kernel - 1, 0), (0, 0)])
    y = of.node("Transpose", x.name, perm=[0, 2, 1])
    y = of.node("Conv", y, of.weights(results, depth, kernel), strides=[stride], pads=[before, behind])
    count = _windows_along(x.shape[1], kernel, stride, before + behind)
    of.value(of.node("Transpose", y, perm=[0, 2, 1]), (x.shape[0], count, results))


def _windows_along(extent: Extent, kernel: int, stride: int, padding: int, dilation: int = 1) -> Extent:
    reach = dilation * (kernel - 1)
    if isinstance(extent, int):
        if extent + padding <= reach:
            raise Unsuitable
        return (extent + padding - reach - 1) // stride + 1
    return extent if stride == 1 and padding == reach else f"({extent}+{padding - reach - 1})/{stride}"


def _embedded(of: Network) -> None:
    """Rows of a table, by the number of each place."""
    x = of.some(lambda value: _is_row(value) and value.shape[1] == "S")
    table = of.weights(max(LARGEST), int(x.shape[2]))
    if of.choose.random() < 0.5:
        rows = of.node(
            "Slice", table, of.constant([0], np.int64), of.size_of(x, 1), of.constant([0], np.int64)
        )
    else:
        size = of.node("Squeeze", of.size_of(x, 1))
        at = of.node("Range", of.constant(0, np.int64), size, of.constant(1, np.int64))
        rows = of.node("Gather", table, at, axis=0)
    of.value(of.node("Add", x.name, rows), x.shape)


def _best(of: Network) -> None:
    x = of.some(lambda value: len(value.shape) > 1)
    axis = of.choose.randrange(1, len(x.shape))
    operator = of.choose.choice(["ArgMax", "ArgMin"])
    name = of.node("Cast", of.node(operator, x.name, axis=axis, keepdims=1), to=TensorProto.FLOAT)
    of.value(name, [1 if at == axis else extent for at, extent in enumerate(x.shape)])


# ─── images: (batch, channels, …, width) ───────────────────────────────────────────────────────────────────────────


def _is_image(value: Open) -> bool:
    return len(value.shape) == 4 and isinstance(value.shape[1], int)


def _convolution(of: Network) -> None:
    x = of.some(_is_image)
    depth, side, stride = int(x.shape[1]), of.choose.choice([1, 3, 3, 5, 2]), of.choose.choice([1, 1, 2])
    dilation = of.choose.choice([1, 1, 2])
    group = of.choose.choice([1, 1, depth])
    results = depth if group > 1 else of.choose.choice(CHANNELS)
    pad = of.choose.choice([side // 2 * dilation, side // 2 * dilation, 0])
    extents = [_windows_along(extent, side, stride, 2 * pad, dilation) for extent in x.shape[2:]]
    steps: Mapping[str, Any] = {"strides": [stride] * 2, "pads": [pad] * 4, "dilations": [dilation] * 2}
    name = of.node("Conv", x.name, of.weights(results, depth // group, side, side), group=group, **steps)
    of.value(name, (x.shape[0], results, *extents))


def _pool(of: Network) -> None:
    x = of.some(_is_image)
    if of.choose.random() < 0.3:
        of.value(
            of.node(of.choose.choice(["GlobalAveragePool", "GlobalMaxPool"]), x.name), (*x.shape[:2], 1, 1)
        )
        return
    side, stride = of.choose.choice([2, 3]), of.choose.choice([1, 2])
    pad = of.choose.choice([0, side // 2])
    extents = [_windows_along(extent, side, stride, 2 * pad) for extent in x.shape[2:]]
    operator = of.choose.choice(["MaxPool", "AveragePool"])
    inside = {"count_include_pad": of.choose.randint(0, 1)} if operator == "AveragePool" else {}
    name = of.node(operator, x.name, kernel_shape=[side] * 2, strides=[stride] * 2, pads=[pad] * 4, **inside)
    of.value(name, (*x.shape[:2], *extents))


def _enlarged(of: Network) -> None:
    x = of.some(lambda value: _is_image(value) and len(str(value.shape)) < 60)
    scales = of.constant([1, 1, 2, 2])
    if of.choose.random() < 0.5:
        mode = of.choose.choice(["nearest", "nearest", "linear"])
        name = of.node("Resize", x.name, "", scales, mode=mode, coordinate_transformation_mode="asymmetric")
    else:
        depth = int(x.shape[1])
        name = of.node("ConvTranspose", x.name, of.weights(depth, depth, 2, 2), strides=[2, 2])
    of.value(name, (*x.shape[:2], *(2 * e if isinstance(e, int) else f"2*{e}" for e in x.shape[2:])))


def _columns(of: Network) -> None:
    """The columns of an image as the places of a sequence, as readers of text have them."""
    x = of.some(lambda value: _is_image(value) and isinstance(value.shape[2], int))
    depth = int(x.shape[1]) * int(x.shape[2])
    y = of.node("Transpose", x.name, perm=[0, 3, 1, 2])
    of.value(of.node("Reshape", y, of.constant([0, 0, depth], np.int64)), (x.shape[0], x.shape[3], depth))


Steps = Sequence[Callable[[Network], None]]
BOTH: Steps = (
    _activated,
    _together,
    _reduced,
    _softmax,
    _part,
    _joined,
    _by_the_size,
    _summed,
    _padded,
    _best,
)
ROWS: Steps = (*(_dense, _normal, _attention, _product_of_places, _windows, _embedded) * 2, *BOTH)
IMAGES: Steps = (*(_convolution, _convolution, _pool, _enlarged, _columns) * 2, _dense, *BOTH)


def range_case(seed: int) -> RangeCase:
    """The model of that seed."""
    of = Network(seed)
    steps: Steps = of.choose.choice([ROWS, IMAGES])
    depth = of.choose.choice(CHANNELS)
    shape: tuple[Extent, ...] = ("B", "S", of.choose.choice([4, 8, 16, depth]))
    if steps is IMAGES:
        heights: tuple[Extent, ...] = (1, 4, 8, 9, "S")
        shape = ("B", depth, of.choose.choice(heights), "S")
    of.value("x", shape)
    missing = of.choose.randint(1, 6)
    for _ in range(12):
        before = len(of.nodes), len(of.values)
        try:
            of.choose.choice(steps)(of)
            missing -= 1
        except Unsuitable:
            del of.nodes[before[0] :], of.values[before[1] :]
        if missing <= 0:
            break
    outputs = _outputs(of)
    model = _model(of, shape, outputs)
    largest = of.choose.choice([size for size in LARGEST if steps is ROWS or size < 40])
    return RangeCase(model, shape, range(1, largest + 1), seed)


def _outputs(of: Network) -> list[str]:
    read = {name for node in of.nodes for name in node.input}
    last = [value.name for value in of.values if value.name != "x" and value.name not in read]
    return last or [of.node("Neg", "x")]


def _model(of: Network, shape: Sequence[Extent], outputs: Sequence[str]) -> ModelProto:
    read = {name for node in of.nodes for name in node.input}
    graph = helper.make_graph(
        of.nodes,
        "ranges",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in of.constants.items() if name in read],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def expected(case: RangeCase) -> Callable[[np.ndarray], list[np.ndarray] | None]:
    """What must come out for an input; None where the model has no answer, or none that is worth to be compared."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        case.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

    def answers(x: np.ndarray) -> list[np.ndarray] | None:
        try:
            arrays = [np.asarray(array) for array in session.run(None, {"x": x})]
        except Exception:  # a window that is larger than what it moves over
            return None
        fine = all(array.size and np.isfinite(array).all() and np.abs(array).max() < 1e4 for array in arrays)
        return arrays if fine else None

    return answers
