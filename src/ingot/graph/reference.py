"""Another implementation's answer, to compare ours with: onnxruntime where it is installed, else ONNX's own evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from ingot.errors import ModelError
from ingot.graph.evaluator import evaluator

try:
    import onnxruntime
except ImportError:  # an optional package: the evaluator that comes with onnx is slower and needs nothing
    onnxruntime = None


def run_reference(model: Path, inputs: Mapping[str, np.ndarray]) -> tuple[str, dict[str, np.ndarray]]:
    """Runs a model once.

    Returns:
        Who computed it ("onnxruntime 1.22.0"), and the outputs by name.

    Raises:
        ModelError: the file is no model, or the implementation refuses it or its inputs.
    """
    session: Any
    try:
        if onnxruntime is not None:
            session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
            names = [output.name for output in session.get_outputs()]
            return f"onnxruntime {onnxruntime.__version__}", dict(zip(names, session.run(names, dict(inputs)), strict=True))
        session = evaluator(model)
        outputs = session.run(None, dict(inputs))
        return f"onnx.reference {onnx.__version__}", dict(zip(session.output_names, outputs, strict=True))
    except Exception as error:  # each implementation has exceptions of its own, with no common base
        text = " ".join(str(error).split())
        raise ModelError(f"{model}: the reference implementation cannot run it: {text[:400]}", path=str(model)) from error
