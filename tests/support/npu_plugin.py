"""A package that adds an accelerator: a code generator of regions, a loader, and a kind of device, of which two are here.

Tests install the text of this file as a distribution of its own: it imports nothing of the tests. The accelerator knows
convolutions with their activation, and a few element-wise operators. A region becomes a program in JSON and a blob of weights.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
from onnx.reference import ReferenceEvaluator

from ingot.artifact.artifact import Artifact
from ingot.artifact.device_kind import DeviceKind
from ingot.artifact.module import LoadContext, Loader
from ingot.base.errors import ArtifactError, DeviceError
from ingot.base.target import Target
from ingot.codegen.record import BuildContext
from ingot.codegen.regions import region_codegen
from ingot.plan.regions import ModelRegion, Pattern, Wants

DEVICES = ("npu of paper 0", "npu of paper 1")
LOG: list[tuple[str, tuple[int, ...]]] = []  # which region ran, and on which devices


# ─── the code generator ────────────────────────────────────────────────────────────────────────────────────────────


def _why_no_conv(match: Any) -> str:
    """The accelerator needs the weights while building, and has no dilations."""
    conv = match["c"]
    if conv.look.constant(1) is None:
        return "its weights are not constant"
    return "it has no dilations" if any(step != 1 for step in conv.attributes.get("dilations", ())) else ""


def _why_no_node(node: Any) -> str:
    return (
        ""
        if node.outputs[0].dtype.value == "float32"
        else f"it computes float32, not {node.outputs[0].dtype.value}"
    )


WANTS = Wants(
    operators=("Add", "Mul", "Neg", "Relu"),
    patterns=(
        Pattern("conv+relu", "(x, w, b) => (y) { c = Conv(x, w, b)  y = Relu(c) }", _why_no_conv),
        Pattern("conv", "(x, w, b) => (c) { c = Conv(x, w, b) }", _why_no_conv),
    ),
    refuses=_why_no_node,
    gain=lambda region: sum(2 if node.op_type == "Conv" else 1 for node in region.nodes) - 1,
)


def _generate(regions: Sequence[ModelRegion], target: Target, context: BuildContext) -> list[Artifact]:
    artifacts = []
    for region in regions:
        model = onnx.load_from_string(region.model)
        weights = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
        blob = io.BytesIO()
        np.savez(blob, **weights)
        del model.graph.initializer[:]
        model.graph.input.extend(
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in weights.items()
        )
        program = {
            "symbol": region.symbol,
            "weights": sorted(weights),
            "model": model.SerializeToString().hex(),
        }
        text = "\n".join(f"{node.name}: {node.op_type}" for node in region.nodes)
        artifacts += [
            Artifact("npu", "npu", f"{region.symbol}.json", json.dumps(program).encode(), target.key),
            Artifact("npu", "npu", f"{region.symbol}.npz", blob.getvalue(), target.key),
            Artifact("npu", "text", f"{region.symbol}.txt", text.encode(), target.key),
        ]
    return artifacts


CODEGEN = region_codegen(
    "npu", "an accelerator of paper", _generate, WANTS, device_kind="npu", options=("frequency",)
)


# ─── the loader ────────────────────────────────────────────────────────────────────────────────────────────────────


class Npu:
    """The programs of a group of artifacts, on no device yet, or on some."""

    type_key = "npu"
    imported_modules = ()

    def __init__(self, programs: dict[str, Any], devices: tuple[int, ...] = ()) -> None:
        self._programs, self._devices = programs, devices

    def get_function(self, name: str) -> Any:
        program = self._programs.get(name)
        if program is None:
            return None
        evaluator, weights, names = program

        def run(inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> int:
            LOG.append((name, self._devices))
            feeds = dict(zip(names, (array.copy() for array in inputs), strict=True))
            for output, result in zip(outputs, evaluator.run(None, {**feeds, **weights}), strict=True):
                output[...] = result
            return 0

        return run

    def on(self, devices: tuple[Any, ...]) -> Npu:
        for device in devices:
            if device.index >= len(DEVICES):
                raise DeviceError(f"there is no device {device}; there are {len(DEVICES)}")
        return Npu(self._programs, tuple(device.index for device in devices))

    def close(self) -> None:
        self._programs = {}


def _load(artifacts: tuple[Artifact, ...], context: LoadContext) -> Npu:
    contents = {artifact.file_name: bytes(artifact.content) for artifact in artifacts}
    programs: dict[str, Any] = {}
    for name, content in contents.items():
        if not name.endswith(".json"):
            continue
        try:
            program = json.loads(content)
            model = onnx.load_from_string(bytes.fromhex(program["model"]))
            with np.load(io.BytesIO(contents[name[:-5] + ".npz"])) as blob:
                weights = {each: blob[each] for each in program["weights"]}
        except Exception as error:
            raise ArtifactError(f"artifact {name!r} is no program of an npu: {error}") from error
        names = [each.name for each in model.graph.input if each.name not in weights]
        programs[program["symbol"]] = (ReferenceEvaluator(model), weights, names)
    assert context.models and context.target_key
    return Npu(programs)


LOADER = Loader("npu", "npu", _load)
KIND = DeviceKind("npu", "accelerators of paper", lambda: DEVICES)
