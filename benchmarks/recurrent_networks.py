"""Networks of published speech, text and activity models that have recurrent layers, with random weights.

    python benchmarks/recurrent_networks.py vad_stream vad_stream.onnx

*Source:* `vad`: the layers of Silero VAD 5 for 16 kHz; `dtln`: arXiv 2005.07551; `rnnoise`: arXiv 1709.08243; `crnn`: arXiv
1507.05717; `keyword_gru`: the large GRU of arXiv 1711.07128; `deep_conv_lstm`: doi 10.3390/s16010115; `diacritics`: a
character model of two bidirectional LSTM layers, as diacritisation models of Arabic have.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 3
GATES = {"LSTM": 4, "GRU": 3}


class _Graph:
    """Nodes, weights, inputs and outputs in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.random = np.random.default_rng(SEED)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, shape: Sequence[int], dtype: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name: str, shape: Sequence[int]) -> None:
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def add(self, op_type: str, inputs: Sequence[str], name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op_type, list(inputs), [name], name, **attributes))
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def integers(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, np.int64))

    def weight(self, name: str, *shape: int, depth: int) -> str:
        array = self.random.standard_normal(shape, dtype=np.float32)
        return self.constant(name, array * np.float32(depth**-0.5))

    def conv(
        self, x: str, name: str, inputs: int, outputs: int, kernel: Sequence[int], **attributes: object
    ) -> str:
        depth = inputs * int(np.prod(kernel))
        weight = self.weight(f"{name}.weight", outputs, inputs, *kernel, depth=depth)
        bias = self.weight(f"{name}.bias", outputs, depth=depth)
        return self.add("Conv", [x, weight, bias], name, kernel_shape=list(kernel), **attributes)

    def dense(self, x: str, name: str, inputs: int, outputs: int, activation: str = "") -> str:
        product = self.add(
            "MatMul", [x, self.weight(f"{name}.weight", inputs, outputs, depth=inputs)], f"{name}.product"
        )
        bias = self.weight(f"{name}.bias", outputs, depth=inputs)
        total = self.add("Add", [product, bias], f"{name}.sum" if activation else name)
        return self.add(activation, [total], name) if activation else total

    def recurrent(
        self,
        kind: str,
        x: str,
        name: str,
        inputs: int,
        hidden: int,
        states: Sequence[str] = (),
        both: bool = False,
    ) -> list[str]:
        """`x [T, 1, inputs]` → `[T, 1, hidden]`, or `[T, 1, 2 * hidden]` of both directions, and the last states."""
        directions, rows = 1 + both, GATES[kind] * hidden
        weights = [
            self.weight(f"{name}.weight", directions, rows, inputs, depth=hidden),
            self.weight(f"{name}.recurrent", directions, rows, hidden, depth=hidden),
            self.weight(f"{name}.bias", directions, 2 * rows, depth=hidden),
        ]
        attributes: dict[str, object] = {"hidden_size": hidden}
        if both:
            attributes["direction"] = "bidirectional"
        if kind == "GRU":
            attributes["linear_before_reset"] = 1  # as torch exports it
        results = [f"{name}.all", f"{name}.h", f"{name}.c"][: 3 if kind == "LSTM" else 2]
        self.nodes.append(
            helper.make_node(
                kind, [x, *weights, *(["", *states] if states else [])], results, name, **attributes
            )
        )
        if both:
            across = self.add("Transpose", [results[0]], f"{name}.across", perm=[0, 2, 1, 3])
            shape = self.integers(f"{name}.shape", 0, 0, -1)
            return [self.add("Reshape", [across, shape], name), *results[1:]]
        return [
            self.add("Squeeze", [results[0], self.integers(f"{name}.axis", 1)], name),
            *results[1:],
        ]

    def bytes(self) -> bytes:
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString(deterministic=True)


def _vad(chunks: int) -> bytes:
    """A voice-activity detector: chunks of 512 samples of 16 kHz, with 64 of the chunk before; an LSTM of 128 elements steps once
    for each. One chunk is a call of the stream, with the state as inputs and outputs; many are a file.
    """
    graph = _Graph("vad")
    x = graph.add("Unsqueeze", [graph.input("samples", (chunks, 576)), graph.integers("axis", 1)], "signal")
    x = graph.add("Pad", [x, graph.integers("pads", 0, 0, 0, 0, 0, 64)], "padded", mode="reflect")
    x = graph.conv(x, "spectrum", 1, 258, (256,), strides=[128])
    real, imaginary = f"{x}.real", f"{x}.imaginary"
    graph.nodes.append(helper.make_node("Split", [x], [real, imaginary], "halves", axis=1))
    squares = [graph.add("Mul", [part, part], f"{part}.square") for part in (real, imaginary)]
    x = graph.add("Sqrt", [graph.add("Add", squares, "power")], "magnitude")
    for number, (inputs, outputs, stride) in enumerate(
        ((129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1))
    ):
        x = graph.conv(x, f"encoder{number}", inputs, outputs, (3,), strides=[stride], pads=[1, 1])
        x = graph.add("Relu", [x], f"{x}.relu")
    x = graph.add("Transpose", [x], "features", perm=[0, 2, 1])  # [chunks, 1, 128]: a step for each
    states = [graph.input(name, (1, 1, 128)) for name in ("h", "c")] if chunks == 1 else []
    x, h, c = graph.recurrent("LSTM", x, "lstm", 128, 128, states)
    x = graph.dense(graph.add("Relu", [x], "lstm.relu"), "speech", 128, 1, "Sigmoid")
    graph.output(x, (chunks, 1, 1))
    for state in (h, c) if states else ():
        graph.output(state, (1, 1, 128))
    return graph.bytes()


def _dtln(steps: int) -> bytes:
    """The first half of DTLN, which suppresses noise: magnitudes of 257 frequencies by two LSTMs of 128 elements to a mask."""
    graph = _Graph("dtln")
    magnitudes = graph.input("magnitudes", (steps, 1, 257))
    states = [graph.input(f"{name}{layer}", (1, 1, 128)) for layer in (0, 1) for name in "hc"]
    states = states if steps == 1 else []
    graph.inputs = graph.inputs if steps == 1 else graph.inputs[:1]
    x, *last = graph.recurrent("LSTM", magnitudes, "lstm0", 257, 128, states[:2])
    x, *more = graph.recurrent("LSTM", x, "lstm1", 128, 128, states[2:])
    mask = graph.dense(x, "mask", 128, 257, "Sigmoid")
    graph.output(graph.add("Mul", [mask, magnitudes], "estimate"), (steps, 1, 257))
    for state in (*last, *more) if states else ():
        graph.output(state, (1, 1, 128))
    return graph.bytes()


def _rnnoise(steps: int) -> bytes:
    """RNNoise: 42 features of a frame, GRUs of 24, 48 and 96 elements, 22 gains."""
    graph = _Graph("rnnoise")
    features = graph.input("features", (steps, 1, 42))
    x = graph.dense(features, "dense", 42, 24, "Tanh")
    voice = graph.recurrent("GRU", x, "voice", 24, 24)[0]
    joined = graph.add("Concat", [x, voice, features], "noise_input", axis=2)
    noise = graph.recurrent("GRU", joined, "noise", 90, 48)[0]
    joined = graph.add("Concat", [voice, noise, features], "denoise_input", axis=2)
    x = graph.recurrent("GRU", joined, "denoise", 114, 96)[0]
    graph.output(graph.dense(x, "gains", 96, 22, "Sigmoid"), (steps, 1, 22))
    return graph.bytes()


def _keyword_gru() -> bytes:
    """A keyword spotter: 25 frames of 10 coefficients through a GRU of 154 elements."""
    graph = _Graph("keyword_gru")
    last = graph.recurrent("GRU", graph.input("frames", (25, 1, 10)), "gru", 10, 154)[1]
    flat = graph.add("Squeeze", [last, graph.integers("axis", 0)], "last")
    graph.output(graph.add("Softmax", [graph.dense(flat, "classes", 154, 12)], "words"), (1, 12))
    return graph.bytes()


def _diacritics() -> bytes:
    """A diacritisation model: 100 characters, an embedding of 25, two bidirectional LSTMs of 128 elements, 15 marks."""
    graph = _Graph("diacritics")
    characters = graph.input("characters", (100, 1), TensorProto.INT64)
    x = graph.add("Gather", [graph.weight("embedding", 91, 25, depth=1), characters], "embedded")
    x = graph.recurrent("LSTM", x, "lstm0", 25, 128, both=True)[0]
    x = graph.recurrent("LSTM", x, "lstm1", 256, 128, both=True)[0]
    graph.output(
        graph.add("Softmax", [graph.dense(x, "marks", 256, 15)], "probabilities", axis=2), (100, 1, 15)
    )
    return graph.bytes()


def _crnn() -> bytes:
    """CRNN, which reads a line of text of 32×100 pixels: seven convolutions and two bidirectional LSTMs of 256 elements."""
    graph = _Graph("crnn")
    x, inputs = graph.input("pixels", (1, 1, 32, 100)), 1
    pools: dict[int, tuple[list[int], list[int]]] = {
        0: ([2, 2], [0, 0, 0, 0]),
        1: ([2, 2], [0, 0, 0, 0]),
        3: ([2, 1], [0, 1, 0, 1]),
        5: ([2, 1], [0, 1, 0, 1]),
    }
    for number, outputs in enumerate((64, 128, 256, 256, 512, 512, 512)):
        side, pad = (2, 0) if number == 6 else (3, 1)
        x = graph.conv(x, f"conv{number}", inputs, outputs, (side, side), pads=[pad] * 4)
        x = graph.add("Relu", [x], f"{x}.relu")
        if number in pools:
            strides, pads = pools[number]
            x = graph.add("MaxPool", [x], f"pool{number}", kernel_shape=[2, 2], strides=strides, pads=pads)
        inputs = outputs
    x = graph.add("Squeeze", [x, graph.integers("height", 2)], "columns")
    x = graph.add("Transpose", [x], "sequence", perm=[2, 0, 1])
    x = graph.recurrent("LSTM", x, "lstm0", 512, 256, both=True)[0]
    x = graph.dense(x, "between", 512, 256)
    x = graph.recurrent("LSTM", x, "lstm1", 256, 256, both=True)[0]
    graph.output(graph.dense(x, "classes", 512, 37), (26, 1, 37))
    return graph.bytes()


def _deep_conv_lstm() -> bytes:
    """DeepConvLSTM, which recognises activities: 24 samples of 113 sensors, four convolutions, two LSTMs of 128 elements."""
    graph = _Graph("deep_conv_lstm")
    x, inputs = graph.input("sensors", (1, 1, 24, 113)), 1
    for number in range(4):
        x = graph.conv(x, f"conv{number}", inputs, 64, (5, 1))
        x, inputs = graph.add("Relu", [x], f"{x}.relu"), 64
    x = graph.add("Transpose", [x], "steps", perm=[2, 0, 1, 3])
    x = graph.add("Reshape", [x, graph.integers("shape", 8, 1, 64 * 113)], "sequence")
    x = graph.recurrent("LSTM", x, "lstm0", 64 * 113, 128)[0]
    last = graph.recurrent("LSTM", x, "lstm1", 128, 128)[1]
    flat = graph.add("Squeeze", [last, graph.integers("axis", 0)], "last")
    graph.output(graph.add("Softmax", [graph.dense(flat, "classes", 128, 18)], "activities"), (1, 18))
    return graph.bytes()


RECURRENT = {
    "vad_stream": lambda: _vad(1),
    "vad_file": lambda: _vad(64),
    "dtln_stream": lambda: _dtln(1),
    "dtln_file": lambda: _dtln(128),
    "rnnoise_file": lambda: _rnnoise(100),
    "keyword_gru": _keyword_gru,
    "diacritics": _diacritics,
    "crnn": _crnn,
    "deep_conv_lstm": _deep_conv_lstm,
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in RECURRENT:
        sys.exit(f"usage: recurrent_networks.py {{{','.join(RECURRENT)}}} FILE")
    Path(sys.argv[2]).write_bytes(RECURRENT[sys.argv[1]]())
