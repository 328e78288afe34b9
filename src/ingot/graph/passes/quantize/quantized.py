"""Turns what is computed between DequantizeLinear and QuantizeLinear into operators on the quantized values themselves.

- A Conv, MatMul or Gemm of dequantised operands with constant weights becomes QLinearConv, QLinearMatMul or, where its result is
  not quantised or has a bias that these have not, ConvInteger or MatMulInteger and a product with the scales. Relu and Clip in
  between become a Clip of quantized values.
- A MatMul of two dequantised activations becomes QLinearMatMul if its result is quantised.
- What only moves elements, or takes the largest ones, moves quantized values; DequantizeLinear goes behind it.
- A DequantizeLinear behind a QuantizeLinear of the same scale and zero point gives back the quantized values.

Everything else stays as it is: elementwise operators between them are one kernel anyway, which reads and writes quantized values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.read.definitions import said_of
from ingot.graph.read.names import unused_name
from ingot.graph.read.types import domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import add_named
from ingot.graph.rewrite.look import only_reader
from ingot.graph.rewrite.replace import take_over

QUANTIZED_TYPES = (ir.DataType.INT8, ir.DataType.UINT8)
# From this opset on Clip takes int8 and uint8.
CLIP_OPSET = 12
# How far rounding a bias to whole sums may move a result, in steps of the result.
BIAS_STEPS_MAX = 1 / 128


def integer_operators(model: ir.Model) -> ir.Model:
    """Rewrites as the module says. In place.

    Does not handle: bounds in opsets below CLIP_OPSET, quantized types other than int8 and uint8, scales
    that are no constants, scales of activations by channel or block, scales not above zero or of which float32 does not hold 255
    steps or a product, sums that may leave int32; weights that are no constants, but for a MatMul whose result is quantised.
    """
    graph = model.graph
    opset = opset_of(model)
    for node in list(graph):
        since = said_of(node).moves_quantized_since
        if since is not None and since <= opset:
            _move_quantized(graph, node)
    for node in list(graph):
        if domain_of(node.domain):
            continue
        match node.op_type:
            case "Conv" | "MatMul" | "Gemm":
                _to_integer(graph, node, opset >= CLIP_OPSET)
            case "QuantizeLinear":
                _join(node)
    return model


@dataclass(frozen=True, slots=True)
class Quantized:
    """A quantized tensor, its scale (one number, or one for each place of `axis`) and its zero point, in the tensor's type."""

    tensor: ir.Value
    scale: np.ndarray
    zero: np.ndarray
    axis: int

    @property
    def is_uniform(self) -> bool:
        return self.scale.size == 1

    def same_steps(self, other: Quantized) -> bool:
        """Whether equal quantized values mean equal numbers, for uniform scales."""
        return (
            self.is_uniform
            and other.is_uniform
            and self.tensor.dtype == other.tensor.dtype
            and self.scale.reshape(()) == other.scale.reshape(())
            and self.zero.reshape(()) == other.zero.reshape(())
        )


def dequantized(value: ir.Value | None) -> Quantized | None:
    """What a value is dequantized from: 8-bit integers, or sums of 32 bits without a zero point."""
    node = None if value is None else value.producer()
    if node is None or node.op_type != "DequantizeLinear" or domain_of(node.domain) or node.inputs[0] is None:
        return None
    if node.attributes.get_int("block_size", 0) != 0 or node.attributes.get_int("output_dtype", 0) not in (
        0,
        1,
    ):
        return None
    return _quantized(node, node.inputs[0])


def quantized(node: ir.Node) -> Quantized | None:
    """What a QuantizeLinear makes, if that is 8-bit integers with one scale."""
    if (
        node.op_type != "QuantizeLinear"
        or domain_of(node.domain)
        or node.attributes.get_int("block_size", 0) != 0
    ):
        return None
    if node.attributes.get_int("precision", 0) not in (0, 1):
        return None
    quantization = _quantized(node, node.outputs[0])
    return quantization if quantization is not None and quantization.is_uniform else None


def _quantized(node: ir.Node, value: ir.Value) -> Quantized | None:
    scale = _array(node.inputs[1])
    zero_input = node.inputs[2] if len(node.inputs) > 2 else None
    zero = _array(zero_input)
    shape = static_shape(value)
    if (
        value.dtype not in (*QUANTIZED_TYPES, ir.DataType.INT32)
        or scale is None
        or scale.dtype != np.float32
        or shape is None
    ):
        return None
    if zero_input is None:
        zero = np.zeros(scale.shape, value.dtype.numpy())
    with np.errstate(over="ignore"):
        furthest = scale * np.float32(255)
    if zero is None or not np.all(scale > 0) or not np.all(np.isfinite(furthest)):
        return None
    axis = node.attributes.get_int("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    if scale.size > 1 and (scale.ndim != 1 or axis >= len(shape) or scale.shape[0] != shape[axis]):
        return None
    if zero.size not in (1, scale.size) or (value.dtype == ir.DataType.INT32 and np.any(zero)):
        return None
    return Quantized(
        value, scale, np.broadcast_to(zero.reshape(-1), (scale.size,)).reshape(scale.shape), axis
    )


def _array(value: ir.Value | None) -> np.ndarray | None:
    return None if value is None or value.const_value is None else value.const_value.numpy()


# ─── movement ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _move_quantized(graph: ir.Graph, node: ir.Node) -> None:
    """`op(DequantizeLinear(x))` becomes `DequantizeLinear(op(x))`."""
    source, result = node.inputs[0], node.outputs[0]
    operand = dequantized(source)
    if (
        operand is None
        or not operand.is_uniform
        or operand.tensor.dtype not in QUANTIZED_TYPES
        or operand.tensor.const_value is not None
    ):
        return
    if any(value.name and (value.uses() or value.is_graph_output()) for value in node.outputs[1:]):
        return
    assert source is not None
    old = source.producer()
    assert old is not None
    moved = _value(graph, f"{result.name}.codes", result.shape, operand.tensor.dtype)
    attributes = list(node.attributes.values())
    moved_node = ir.Node(
        node.domain,
        node.op_type,
        [operand.tensor, *node.inputs[1:]],
        attributes,
        outputs=[moved],
        name=f"{node.name}.codes",
    )
    back = ir.Node(
        "", "DequantizeLinear", [moved, *old.inputs[1:]], outputs=[_like(graph, result)], name=node.name
    )
    graph.insert_before(node, [moved_node, back])
    take_over(graph, node, back.outputs[0])


def _join(node: ir.Node) -> None:
    """A QuantizeLinear of what was dequantized with the same scale and zero point gives back the quantized values."""
    result, operand = quantized(node), dequantized(node.inputs[0])
    if (
        result is None
        or operand is None
        or not result.same_steps(operand)
        or node.outputs[0].is_graph_output()
    ):
        return
    ir.convenience.replace_all_uses_with(node.outputs[0], operand.tensor)


# ─── sums ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Tail:
    """What follows a sum: nodes from the addition of a bias to the quantisation, the bias, and bounds of the result."""

    last: ir.Node
    bias: np.ndarray | None
    low: float
    high: float
    quantize: ir.Node | None


def _to_integer(graph: ir.Graph, node: ir.Node, can_clip: bool) -> None:
    x, w = dequantized(node.inputs[0]), dequantized(node.inputs[1])
    if (
        x is None
        or w is None
        or not x.is_uniform
        or x.tensor.dtype not in QUANTIZED_TYPES
        or w.tensor.dtype not in QUANTIZED_TYPES
    ):
        return
    if node.op_type == "MatMul" and w.tensor.const_value is None:
        _product_of_two(graph, node, x, w)
        return
    array = _array(w.tensor)
    rank = len(static_shape(x.tensor) or ())
    if array is None or (node.op_type == "Gemm" and not _plain_gemm(node)):
        return
    is_conv = node.op_type == "Conv"
    transposed = not is_conv and node.attributes.get_int("transB", 0) != 0
    channel_axis = 0 if is_conv or transposed else 1
    if (not is_conv and array.ndim != 2) or (not w.is_uniform and w.axis != channel_axis):
        return
    outputs = array.shape[channel_axis]
    steps = np.broadcast_to(_steps(x, w).reshape(-1), (outputs,))
    tail = _tail(node, outputs)
    result = None if tail is None or tail.quantize is None else quantized(tail.quantize)
    if (
        tail is None
        or not _are_exact(steps, result)
        or (not can_clip and (tail.low, tail.high) != (-np.inf, np.inf))
    ):
        return
    names = _Names(graph, node)
    weights = names.constant("weights", np.ascontiguousarray(array.T)) if transposed else w.tensor
    others = tuple(axis for axis in range(array.ndim) if axis != channel_axis)
    zero = w.zero.astype(np.int64).reshape([1 if axis in others else -1 for axis in range(array.ndim)])
    largest = np.abs(array.astype(np.int64) - zero).sum(axis=others)
    if np.any(largest * 255 >= 2**31):  # no sum may leave int32
        return
    operands = _Operands(x, w, weights, largest)
    if tail.quantize is None:
        _float_result(graph, node, tail, operands, steps, rank, names)
    else:
        _quantized_result(graph, node, tail, operands, steps, rank, names)


def _steps(a: Quantized, b: Quantized) -> np.ndarray:
    """What a sum of products of quantized values is multiplied by."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(a.scale.reshape(()) * b.scale, np.float32)


def _are_exact(steps: np.ndarray, result: Quantized | None) -> bool:
    """Whether products of scales are float32 of full precision, and their ratios to the scale of a result within its range."""
    with np.errstate(over="ignore", under="ignore"):
        ratios = steps if result is None else steps / result.scale.reshape(())
    return bool(
        np.all(steps >= np.finfo(np.float32).tiny)
        and np.all(np.isfinite(steps))
        and np.all(np.isfinite(ratios))
    )


def _product_of_two(graph: ir.Graph, node: ir.Node, a: Quantized, b: Quantized) -> None:
    """A product of two dequantised activations that is quantised, as attention has it."""
    follower = only_reader(node.outputs[0])
    result = None if follower is None else quantized(follower)
    shapes = [static_shape(operand.tensor) or () for operand in (a, b)]
    if follower is None or result is None or not b.is_uniform or min(map(len, shapes)) < 2:
        return
    if not _are_exact(_steps(a, b), result) or shapes[0][-1] * 255**2 >= 2**31:  # no sum may leave int32
        return
    names = _Names(graph, node)
    inputs: list[ir.Value | None] = [
        value
        for name, operand in (("a", a), ("b", b))
        for value in (
            operand.tensor, names.constant(f"{name}_scale", operand.scale.reshape(())),
            names.constant(f"{name}_zero_point", operand.zero.reshape(())),
        )
    ]  # fmt: skip
    inputs += [follower.inputs[1], names.zero("y_zero_point", result)]
    product = ir.Node(
        "", "QLinearMatMul", inputs, outputs=[_like(graph, follower.outputs[0])], name=node.name
    )
    graph.insert_before(follower, [product])
    take_over(graph, follower, product.outputs[0])


@dataclass(frozen=True, slots=True)
class _Operands:
    """`largest`: for each output the sum of the absolute weights."""

    x: Quantized
    w: Quantized
    weights: ir.Value
    largest: np.ndarray


@dataclass(frozen=True, slots=True)
class _Names:
    """Makes constants that are called after a node."""

    graph: ir.Graph
    node: ir.Node

    def constant(self, suffix: str, array: np.ndarray) -> ir.Value:
        return add_named(self.graph, f"{self.node.name}.{suffix}", array)

    def zero(self, suffix: str, quantization: Quantized) -> ir.Value:
        return self.constant(suffix, quantization.zero)


def _plain_gemm(node: ir.Node) -> bool:
    attributes = node.attributes
    return (
        attributes.get_int("transA", 0) == 0
        and attributes.get_float("alpha", 1.0) == 1.0
        and attributes.get_float("beta", 1.0) == 1.0
    )


def _tail(node: ir.Node, outputs: int) -> _Tail | None:
    """The nodes behind a sum that are part of it. None if it has a bias that is no constant for each output."""
    last, bias, low, high = node, None, -np.inf, np.inf
    if node.op_type != "MatMul" and len(node.inputs) > 2 and node.inputs[2] is not None:
        bias = _bias(node.inputs[2], outputs)
        if bias is None:
            return None
    follower = only_reader(last.outputs[0])
    if node.op_type == "MatMul" and follower is not None and follower.op_type == "Add":
        other = next((value for value in follower.inputs if value is not last.outputs[0]), None)
        addend = _bias(other, outputs) if other is not None else None
        if addend is not None and static_shape(follower.outputs[0]) == static_shape(node.outputs[0]):
            last, bias = follower, addend
            follower = only_reader(last.outputs[0])
    reached = last  # where a result that is not quantised ends
    while follower is not None and follower.op_type in ("Relu", "Clip"):
        bounds = _bounds(follower)
        if bounds is None:
            break
        low, high = min(max(low, bounds[0]), bounds[1]), max(min(high, bounds[1]), bounds[0])
        last, follower = follower, only_reader(follower.outputs[0])
    if follower is not None and quantized(follower) is not None and follower.inputs[0] is last.outputs[0]:
        return _Tail(last, bias, low, high, follower)
    return _Tail(reached, bias, -np.inf, np.inf, None)


def _bounds(node: ir.Node) -> tuple[float, float] | None:
    if node.op_type == "Relu":
        return 0.0, np.inf
    if "min" in node.attributes or "max" in node.attributes:
        return node.attributes.get_float("min", -np.inf), node.attributes.get_float("max", np.inf)
    ends = []
    for position, default in ((1, -np.inf), (2, np.inf)):
        value = node.inputs[position] if len(node.inputs) > position else None
        array = _array(value)
        if value is not None and (array is None or array.size != 1):
            return None
        ends.append(default if array is None else float(array.reshape(())))
    return (ends[0], ends[1]) if ends[0] <= ends[1] else None


def _bias(value: ir.Value | None, outputs: int) -> np.ndarray | None:
    """A bias as one number for each output, in float64."""
    quantization = dequantized(value)
    if quantization is not None:
        array = _array(quantization.tensor)
        if (
            array is None
            or quantization.tensor.dtype != ir.DataType.INT32
            or array.size != outputs
            or array.shape[-1] != outputs
        ):
            return None
        return np.asarray(
            array.reshape(-1).astype(np.float64) * quantization.scale.astype(np.float64).reshape(-1)
        )
    array = _array(value)
    if array is None or array.dtype != np.float32 or array.size not in (1, outputs):
        return None
    if array.ndim and array.shape[-1] != array.size:
        return None
    return np.broadcast_to(array.reshape(-1).astype(np.float64), (outputs,))


def _quantized_result(
    graph: ir.Graph, node: ir.Node, tail: _Tail, of: _Operands, steps: np.ndarray, rank: int, names: _Names
) -> None:
    """Sums that are quantised: by one operator, or by the same rule in several."""
    assert tail.quantize is not None
    quantization = quantized(tail.quantize)
    assert quantization is not None
    whole = None
    if tail.bias is not None:
        exact = tail.bias / steps.astype(np.float64)
        # No sum may leave int32: the largest is that of values which all differ from their zero point by 255.
        if not np.all(np.abs(exact) + 255.0 * of.largest < 2**31 - 1):
            return
        whole = np.rint(exact).astype(np.int32)
        moved = np.abs(whole - exact) * steps / quantization.scale.reshape(())
        if np.any(moved > BIAS_STEPS_MAX):
            return
    result = tail.quantize.outputs[0]
    shape = result.shape
    zero = names.zero("y_zero_point", quantization)
    y_scale = tail.quantize.inputs[1]
    quantized_sums = _like(graph, result)
    inputs = [
        of.x.tensor, names.constant("x_scale", of.x.scale.reshape(())), names.constant("x_zero_point", of.x.zero.reshape(())),
        of.weights, names.constant("w_scale", of.w.scale), names.zero("w_zero_point", of.w),
        y_scale, zero,
    ]  # fmt: skip
    nodes: list[ir.Node] = []
    if node.op_type == "Conv":
        if whole is not None:
            inputs.append(names.constant("bias", whole))
        nodes.append(
            ir.Node(
                "",
                "QLinearConv",
                inputs,
                list(node.attributes.values()),
                outputs=[quantized_sums],
                name=node.name,
            )
        )
    elif whole is None and rank >= 2:
        nodes.append(ir.Node("", "QLinearMatMul", inputs, outputs=[quantized_sums], name=node.name))
    else:
        sums, nodes = _integer_sums(graph, node, of, shape, names)
        if whole is not None:
            addends = [sums, names.constant("bias", whole)]
            sums = _then(graph, nodes, "Add", addends, f"{node.name}.biased", ir.DataType.INT32, shape)
        real = _then(
            graph,
            nodes,
            "Cast",
            [sums],
            f"{node.name}.real",
            ir.DataType.FLOAT,
            shape,
            [ir.AttrInt64("to", 1)],
        )
        factor = names.constant("multiplier", (steps / quantization.scale.reshape(())).astype(np.float32))
        scaled = _then(graph, nodes, "Mul", [real, factor], f"{node.name}.scaled", ir.DataType.FLOAT, shape)
        unit_scale = names.constant("one", np.array(1.0, np.float32))
        nodes.append(
            ir.Node(
                "", "QuantizeLinear", [scaled, unit_scale, zero], outputs=[quantized_sums], name=node.name
            )
        )
    low, high = _quantized_bounds(quantization, tail.low, tail.high)
    limits = np.iinfo(quantization.zero.dtype)
    if low > limits.min or high < limits.max:
        bounded = _like(graph, result)
        ends = [
            names.constant(side, np.array(end, quantization.zero.dtype))
            for side, end in (("low", low), ("high", high))
        ]
        nodes.append(
            ir.Node("", "Clip", [quantized_sums, *ends], outputs=[bounded], name=f"{node.name}.clip")
        )
    graph.insert_before(tail.quantize, nodes)
    take_over(graph, tail.quantize, nodes[-1].outputs[0])


def _quantized_bounds(quantization: Quantized, low: float, high: float) -> tuple[int, int]:
    """Two bounds, quantized: since quantization keeps the order, bounding quantized values is bounding numbers."""
    limits = np.iinfo(quantization.zero.dtype)

    def code(bound: float) -> int:
        scaled = np.rint(np.float32(bound) / quantization.scale.reshape(())) + np.float32(
            quantization.zero.reshape(())
        )
        return int(np.clip(scaled, limits.min, limits.max))

    return code(low), code(high)


def _float_result(
    graph: ir.Graph, node: ir.Node, tail: _Tail, of: _Operands, steps: np.ndarray, rank: int, names: _Names
) -> None:
    """Sums that stay real numbers: `float(sum) * x_scale * w_scale + bias`."""
    result = tail.last.outputs[0]
    shape = result.shape
    sums, nodes = _integer_sums(graph, node, of, shape, names)
    trailing = (1,) * (rank - 2) if node.op_type == "Conv" else ()
    real = _then(
        graph, nodes, "Cast", [sums], f"{node.name}.real", ir.DataType.FLOAT, shape, [ir.AttrInt64("to", 1)]
    )
    factor = names.constant("scale", steps.reshape(-1, *trailing))
    scaled = _then(graph, nodes, "Mul", [real, factor], f"{node.name}.scaled", ir.DataType.FLOAT, shape)
    if tail.bias is not None:
        bias = names.constant("bias", tail.bias.astype(np.float32).reshape(-1, *trailing))
        _then(graph, nodes, "Add", [scaled, bias], f"{node.name}.biased", ir.DataType.FLOAT, shape)
    nodes[-1].name = node.name
    graph.insert_before(tail.last, nodes)
    take_over(graph, tail.last, nodes[-1].outputs[0])


def _integer_sums(
    graph: ir.Graph, node: ir.Node, of: _Operands, shape: ir.Shape | None, names: _Names
) -> tuple[ir.Value, list[ir.Node]]:
    sums = _value(graph, f"{node.name}.sums", shape, ir.DataType.INT32)
    is_conv = node.op_type == "Conv"
    inputs = [
        of.x.tensor,
        of.weights,
        names.constant("x_zero_point", of.x.zero.reshape(())),
        names.zero("w_zero_point", of.w),
    ]
    attributes = list(node.attributes.values()) if is_conv else []
    name = f"{node.name}.integer"
    return sums, [
        ir.Node(
            "", "ConvInteger" if is_conv else "MatMulInteger", inputs, attributes, outputs=[sums], name=name
        )
    ]


def _then(
    graph: ir.Graph,
    nodes: list[ir.Node],
    op_type: str,
    inputs: Sequence[ir.Value],
    name: str,
    dtype: ir.DataType,
    shape: ir.Shape | None,
    attributes: Sequence[ir.Attr] = (),
) -> ir.Value:
    value = _value(graph, name, shape, dtype)
    nodes.append(ir.Node("", op_type, inputs, attributes, outputs=[value], name=name))
    return value


def _value(graph: ir.Graph, name: str, shape: ir.Shape | None, dtype: ir.DataType | None) -> ir.Value:
    assert dtype is not None
    return ir.Value(name=unused_name(graph, name), shape=shape, type=ir.TensorType(dtype))


def _like(graph: ir.Graph, value: ir.Value) -> ir.Value:
    return ir.Value(name=unused_name(graph, f"{value.name}.made"), shape=value.shape, type=value.type)
