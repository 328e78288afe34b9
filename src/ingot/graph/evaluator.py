"""ONNX's own evaluator, with the operators put right that it computes wrongly."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


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
            raise NotImplementedError("outputs of training mode before opset 14, with which no model is compiled")
        along = (-1, *[1] * (x.ndim - 2))
        scale, bias, mean, var = (one.reshape(along) for one in (scale, bias, mean, var))
        return ((scale * (x - mean) / np.sqrt(var + epsilon) + bias).astype(x.dtype),)


def _rows(x: np.ndarray, node: onnx.NodeProto) -> np.ndarray:
    """The matrix of which a softmax before opset 13 takes each row: all dimensions from the axis on, if any, are one."""
    axis = next((one.i for one in node.attribute if one.name == "axis"), 1)  # the evaluator fills in what newer versions take
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
        rows = _rows(x, self.onnx_node)
        rows = rows - rows.max(axis=1, keepdims=True)
        return ((rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))).reshape(x.shape).astype(x.dtype),)


class Hardmax(OpRun):
    """The evaluator's has one axis, as from opset 13 on."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = 1) -> tuple[np.ndarray]:  # noqa: ARG002
        rows = _rows(x, self.onnx_node)
        return ((np.arange(rows.shape[1]) == rows.argmax(axis=1)[:, None]).astype(x.dtype).reshape(x.shape),)


class NonMaxSuppression(OpRun):
    """The evaluator's fails where the threshold of overlaps is omitted, and gives one dimension where the count is. Of boxes
    with equal scores the first goes first.
    """

    op_domain = ""

    def _run(
        self,
        boxes: np.ndarray,
        scores: np.ndarray,
        most: np.ndarray | None = None,
        overlap: np.ndarray | None = None,
        least: np.ndarray | None = None,
        center_point_box: int | None = None,
    ) -> tuple[np.ndarray]:
        count = 0 if most is None else int(most.reshape(-1)[0])
        limit = 0.0 if overlap is None else float(overlap.reshape(-1)[0])
        chosen: list[tuple[int, int, int]] = []
        for batch, image in enumerate(_corners(boxes, bool(center_point_box))):
            for kind, given in enumerate(scores[batch]):
                left = np.argsort(-given, kind="stable")
                if least is not None:
                    left = left[given[left] > least.reshape(-1)[0]]
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


def _overlap(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of a box [4] with others [N, 4], as corners; 0 where one of the two is empty."""
    shared = np.prod(np.maximum(np.minimum(one[2:], others[:, 2:]) - np.maximum(one[:2], others[:, :2]), 0), axis=1)
    area, areas = np.prod(one[2:] - one[:2]), np.prod(others[:, 2:] - others[:, :2], axis=1)
    return np.where(shared > 0, shared / np.where(shared > 0, area + areas - shared, 1), 0)


def evaluator(model: onnx.ModelProto | str | Path) -> Any:
    """An evaluator of the model, as `onnx.reference.ReferenceEvaluator`."""
    proto = model if isinstance(model, onnx.ModelProto) else onnx.load(str(model))
    opset = max((one.version for one in proto.opset_import if one.domain in ("", "ai.onnx")), default=0)
    right: list[type[OpRun]] = [GlobalMaxPool, LRN, NonMaxSuppression]
    if opset < 14:
        right.append(BatchNormalization)
    if opset < 13:
        right += [Softmax, LogSoftmax, Hardmax]
    return ReferenceEvaluator(proto, new_ops=right)
