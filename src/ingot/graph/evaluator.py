"""ONNX's own evaluator, with the operators put right that it computes wrongly."""

from __future__ import annotations

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


def evaluator(model: onnx.ModelProto | str | Path) -> Any:
    """An evaluator of the model, as `onnx.reference.ReferenceEvaluator`."""
    return ReferenceEvaluator(model if isinstance(model, onnx.ModelProto) else str(model), new_ops=[GlobalMaxPool, LRN])
