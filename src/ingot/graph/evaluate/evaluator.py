"""ONNX's reference evaluator, with corrections of the operators that it computes wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from ingot.base.tensor import DType
from ingot.graph.evaluate.casts import Cast, CastLike, quantized
from ingot.graph.evaluate.quantized import ConvInteger, MatMulInteger, QLinearConv, QLinearMatMul
from ingot.ops.activations import DEFAULTS


class GlobalMaxPool(OpRun):
    """The evaluator's takes the largest over two dimensions, whatever number there are, and over channels if there is one."""

    op_domain = ""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray]:
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class LRN(OpRun):
    """The evaluator's normalises as many channels as there are images in the batch, and only images."""

    op_domain = ""

    def _run(self, x: np.ndarray, alpha: float, beta: float, bias: float, size: int) -> tuple[np.ndarray]:
        before = (size - 1) // 2
        around = [slice(max(0, at - before), at + size - before) for at in range(x.shape[1])]
        sums = np.stack([np.sum(x[:, channels] ** 2, axis=1) for channels in around], axis=1)
        return ((x / (bias + alpha / size * sums) ** beta).astype(x.dtype),)


class BatchNormalization(OpRun):
    """The evaluator's takes the means of the batch in opsets 9 to 13, where one output says that those given are meant."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        mean: np.ndarray,
        var: np.ndarray,
        epsilon: float = 1e-5,
        momentum: float = 0.9,  # noqa: ARG002
        training_mode: int = 0,
    ) -> tuple[np.ndarray]:
        if len(self.output) > 1 or training_mode:
            raise NotImplementedError(
                "outputs of training mode before opset 14, with which no model is compiled"
            )
        along = (-1, *[1] * (x.ndim - 2))
        scale, bias, mean, var = (parameter.reshape(along) for parameter in (scale, bias, mean, var))
        return ((scale * (x - mean) / np.sqrt(var + epsilon) + bias).astype(x.dtype),)


def _rows(x: np.ndarray, node: onnx.NodeProto) -> np.ndarray:
    """The matrix of which a softmax before opset 13 takes each row: all dimensions from the axis on, if any, are one."""
    axis = next(
        (attribute.i for attribute in node.attribute if attribute.name == "axis"), 1
    )  # the evaluator fills in what newer versions take
    first = axis + x.ndim if axis < 0 else axis
    return x.reshape(math.prod(x.shape[:first]), math.prod(x.shape[first:]))


class Softmax(OpRun):
    """The evaluator's has one axis, as from opset 13 on."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = 1) -> tuple[np.ndarray]:  # noqa: ARG002
        rows = _rows(x, self.onnx_node)
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        return ((powers / powers.sum(axis=1, keepdims=True)).reshape(x.shape).astype(x.dtype),)


class LogSoftmax(OpRun):
    """The evaluator's has one axis, as from opset 13 on."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = 1) -> tuple[np.ndarray]:  # noqa: ARG002
        return (_log_softmax(_rows(x, self.onnx_node), 1).reshape(x.shape),)


class Hardmax(OpRun):
    """The evaluator's has one axis, as from opset 13 on."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = 1) -> tuple[np.ndarray]:  # noqa: ARG002
        rows = _rows(x, self.onnx_node)
        return ((np.arange(rows.shape[1]) == rows.argmax(axis=1)[:, None]).astype(x.dtype).reshape(x.shape),)


def _log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    """In float32 at least, rounded once."""
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    less = wide - wide.max(axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(less - np.log(np.exp(less).sum(axis=axis, keepdims=True)), x.dtype)


class LogSoftmaxAlongAxis(OpRun):
    """The evaluator's is -inf where a softmax is too small for a float. From opset 13 on."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = -1) -> tuple[np.ndarray]:
        return (_log_softmax(x, axis),)


LogSoftmaxAlongAxis.__name__ = "LogSoftmax"  # by which the evaluator takes it for that operator's


class ReduceLogSumExp(OpRun):
    """The evaluator's takes infinities from one another."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        axes: np.ndarray | Sequence[int] | None = None,
        keepdims: int = 1,
        noop_with_empty_axes: int = 0,
    ) -> tuple[np.ndarray]:
        along = tuple(int(axis) for axis in axes) if axes is not None and len(axes) else None
        if along is None and noop_with_empty_axes:
            along = ()
        wide = x.astype(np.promote_types(x.dtype, np.float32))
        largest = wide.max(axis=along, keepdims=True, initial=-np.inf)
        origin = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
        sums = np.log(np.exp(wide - origin).sum(axis=along, keepdims=True)) + origin
        return ((sums if keepdims else np.squeeze(sums, axis=along)).astype(x.dtype),)


class Optional(OpRun):
    """The evaluator's makes a list of what it holds, which nothing takes out again."""

    op_domain = ""

    def _run(self, x: Any, type: object = None) -> tuple[Any]:  # noqa: ARG002
        return (x,)


class LpNormalization(OpRun):
    """The evaluator's sums numbers, and not their sizes, for p = 1."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = -1, p: int = 2) -> tuple[np.ndarray]:
        wide = x.astype(np.promote_types(x.dtype, np.float32))
        norm = (
            np.sqrt((wide * wide).sum(axis=axis, keepdims=True))
            if p == 2
            else np.abs(wide).sum(axis=axis, keepdims=True)
        )
        return (np.where(norm == 0, 0, wide / norm).astype(x.dtype),)


class PRelu(OpRun):
    """The evaluator's multiplies zeros by the slope: by an infinity that is no number."""

    op_domain = ""

    def _run(self, x: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray]:
        return (np.where(x < 0, x * slope, x).astype(x.dtype),)


class LeakyRelu(OpRun):
    """The evaluator's multiplies what is not negative by the slope, too, and takes that away again."""

    op_domain = ""

    def _run(self, x: np.ndarray, alpha: float = 0.01) -> tuple[np.ndarray]:
        return (np.where(x < 0, x * np.asarray(alpha, x.dtype), x),)


class Elu(OpRun):
    """The evaluator's multiplies zeros by alpha."""

    op_domain = ""

    def _run(self, x: np.ndarray, alpha: float = 1.0) -> tuple[np.ndarray]:
        return (np.where(x < 0, alpha * np.expm1(x), x).astype(x.dtype),)


class QuantizeLinear(OpRun):
    """ONNX's evaluator casts quotients to int32 before it saturates them: quotients beyond 2^31 wrap, and what an infinity
    becomes depends on the processor. Here quotients saturate first, and a NaN becomes the lowest value.
    """

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        zero_point: np.ndarray | None = None,
        axis: int = 1,
        saturate: int | None = 1,
        block_size: int | None = 0,
        output_dtype: int | None = 0,
        precision: int | None = 0,
    ) -> tuple[np.ndarray]:
        stated = onnx.helper.tensor_dtype_to_np_dtype(output_dtype or onnx.TensorProto.UINT8)
        dtype = stated if zero_point is None else zero_point.dtype
        scale = _along(scale, x, axis, block_size or 0)
        if precision:
            kind = onnx.helper.tensor_dtype_to_np_dtype(precision)
            x, scale = x.astype(kind), scale.astype(kind)
        zeros = None if zero_point is None else _along(zero_point, x, axis, block_size or 0)
        if not DType.from_numpy(dtype).is_integer:
            return (quantized(x / scale, zeros, dtype, saturate is None or bool(saturate)),)
        limits: Any = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
        whole = np.rint(x / scale).astype(np.float64)
        moved = whole if zeros is None else whole + zeros.astype(np.float64)
        saturated = np.clip(np.nan_to_num(moved, nan=-np.inf), int(limits.min), int(limits.max))
        return (saturated.astype(np.int32).astype(dtype),)


def _along(parameter: np.ndarray, x: np.ndarray, axis: int, block: int) -> np.ndarray:
    """A scale or zero point in a shape that broadcasts to that of `x`: one for all, for each place of an axis or each block."""
    if parameter.size == 1:
        return parameter.reshape(())
    if block:
        return np.take(np.repeat(parameter, block, axis=axis), range(x.shape[axis]), axis=axis)
    if parameter.ndim != 1:
        raise ValueError(f"a scale or zero point of the shape {list(parameter.shape)}, with no blocks")
    return parameter.reshape([-1 if dimension == axis % x.ndim else 1 for dimension in range(x.ndim)])


class ScatterElements(OpRun):
    """The evaluator's takes the larger or smaller of two numbers as Python does: of a NaN and another it is the first."""

    op_domain = ""

    def _run(
        self,
        data: np.ndarray,
        indices: np.ndarray,
        updates: np.ndarray,
        axis: int = 0,
        reduction: str = "none",
    ) -> tuple[np.ndarray]:
        combine = _COMBINED.get(reduction, lambda _, new: new)
        result, along = np.copy(data), axis % data.ndim
        for place in np.ndindex(indices.shape):
            target = (*place[:along], indices[place], *place[along + 1 :])
            result[target] = combine(result[target], updates[place])
        return (result,)


class NonMaxSuppression(OpRun):
    """The evaluator's fails where the threshold of overlaps is omitted, and gives one dimension where the count is. Of boxes
    with equal scores the first goes first.
    """

    op_domain = ""

    def _run(
        self,
        boxes: np.ndarray,
        scores: np.ndarray,
        boxes_max: np.ndarray | None = None,
        overlap: np.ndarray | None = None,
        score_min: np.ndarray | None = None,
        center_point_box: int | None = None,
    ) -> tuple[np.ndarray]:
        count = 0 if boxes_max is None else int(boxes_max.reshape(-1)[0])
        limit = 0.0 if overlap is None else float(overlap.reshape(-1)[0])
        chosen: list[tuple[int, int, int]] = []
        for batch, image in enumerate(_corners(boxes, bool(center_point_box))):
            for kind, given in enumerate(scores[batch]):
                left = np.argsort(-given, kind="stable")
                if score_min is not None:
                    left = left[given[left] > score_min.reshape(-1)[0]]
                for _ in range(count):
                    if not left.size:
                        break
                    first, left = left[0], left[1:]
                    chosen.append((batch, kind, int(first)))
                    left = left[_overlap(image[first], image[left]) <= limit]
        return (np.array(chosen, np.int64).reshape(-1, 3),)


def _corners(boxes: np.ndarray, is_centred: bool) -> np.ndarray:
    """The lower and the upper corner of boxes [..., 4], which have any two opposite ones, or centre and size."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if is_centred:
        return np.concatenate([first - second / 2, first + second / 2], axis=-1)
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def _overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of a box [4] with others [N, 4], as corners; 0 where one of the two is empty."""
    shared = np.prod(
        np.maximum(np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0), axis=1
    )
    area, areas = np.prod(box[2:] - box[:2]), np.prod(others[:, 2:] - others[:, :2], axis=1)
    return np.where(shared > 0, shared / np.where(shared > 0, area + areas - shared, 1), 0)


_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
}  # fmt: skip
_LENGTHS = 4  # the input of a recurrent network that says how long each sequence is


def _ignores(node: onnx.NodeProto) -> bool:
    """Whether the evaluator computes something else than a recurrent network says, without a word."""
    usual = DEFAULTS.get(node.op_type)
    if usual is None or node.domain not in ("", "ai.onnx"):
        return False
    attributes = {attribute.name: attribute for attribute in node.attribute}
    stated = (
        tuple(name.decode().lower() for name in attributes["activations"].strings)
        if "activations" in attributes
        else usual
    )
    forgets = "input_forget" in attributes and attributes["input_forget"].i != 0
    return (
        stated not in (usual, usual * 2)
        or "clip" in attributes
        or forgets
        or any(node.input[_LENGTHS : _LENGTHS + 1])
    )


def evaluator(model: onnx.ModelProto | str | Path) -> Any:
    """An evaluator of the model, as `onnx.reference.ReferenceEvaluator`.

    Raises:
        NotImplementedError: a recurrent network has lengths of sequences or attributes of which ONNX's evaluator knows nothing.
    """
    proto = model if isinstance(model, onnx.ModelProto) else onnx.load(str(model))
    for node in filter(_ignores, proto.graph.node):
        raise NotImplementedError(
            f"{node.op_type} with lengths, or one of {', '.join(attribute.name for attribute in node.attribute)}"
        )
    opset = max((entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")), default=0)
    right: list[type[OpRun]] = [
        GlobalMaxPool, LRN, NonMaxSuppression, LpNormalization, ReduceLogSumExp, PRelu, LeakyRelu, Elu, QuantizeLinear,
        ScatterElements, ConvInteger, QLinearConv, MatMulInteger, QLinearMatMul, Cast, CastLike, Optional,
    ]  # fmt: skip
    if opset < 14:
        right.append(BatchNormalization)
    right += [Softmax, LogSoftmax, Hardmax] if opset < 13 else [LogSoftmaxAlongAxis]
    return ReferenceEvaluator(proto, new_ops=right)
