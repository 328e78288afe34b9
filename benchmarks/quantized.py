"""The int8 networks that are measured: those of `networks` and `transformers`, quantised by onnxruntime's own quantiser.

QDQ form, weights int8 by output channel, activations uint8 (`_u8`) or int8 (`_s8`), calibrated on random inputs of the seed. Each
function gives the bytes of an ONNX file, the same in every process.

    python benchmarks/quantized.py resnet18_u8 resnet18_u8.onnx
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import networks
import numpy as np
import onnx
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
from transformers import TRANSFORMERS

SEED = 3
SAMPLES = 3


class _Samples:
    """What the quantiser calibrates on: a few random inputs."""

    def __init__(self, model: onnx.ModelProto) -> None:
        random = np.random.default_rng(SEED)
        constants = {tensor.name for tensor in model.graph.initializer}
        shapes = {
            value.name: [extent.dim_value for extent in value.type.tensor_type.shape.dim]
            for value in model.graph.input
            if value.name not in constants
        }
        self._all: Iterator[dict[str, np.ndarray]] = iter(
            [
                {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
                for _ in range(SAMPLES)
            ]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._all, None)


def quantized(model: bytes, signed: bool) -> bytes:
    """A float model in QDQ form."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "float.onnx", Path(folder) / "int8.onnx"
        source.write_bytes(model)
        quantize_static(
            source,
            result,
            _Samples(onnx.load_from_string(model)),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QInt8 if signed else QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
        )
        return result.read_bytes()


QUANTIZED: dict[str, Callable[[], bytes]] = {
    "resnet18_u8": lambda: quantized(networks.resnet18(), signed=False),
    "resnet18_s8": lambda: quantized(networks.resnet18(), signed=True),
    "mobilenet_v2_u8": lambda: quantized(networks.mobilenet_v2(), signed=False),
    "minilm_u8": lambda: quantized(TRANSFORMERS["minilm"](), signed=False),
}

if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(QUANTIZED[sys.argv[1]]())
