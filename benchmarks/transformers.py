"""The sequence networks and the multilayer perceptron that are measured: sizes as published, weights random but not degenerate.

Each function gives the bytes of an ONNX file, the same in every process, with the nodes that exporters write: attention as
products, transposes and a softmax, GELU as arithmetic. Weights are scaled so that activations keep their size.

    python benchmarks/transformers.py minilm minilm.onnx

*Source:* MiniLM-L6: arXiv 2002.10957 (6 layers, hidden 384, 12 heads); GPT-2 small: Radford et al. 2019 (hidden 768, 12 heads,
GELU by tanh, norm first).
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 3


class _Network:
    """Nodes and weights in the making."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(SEED)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def add(self, op_type: str, inputs: list[str], name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [name], name, **attributes))
        return name

    def fixed(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = numpy_helper.from_array(value, name)
        return name

    def number(self, value: float) -> str:
        return self.fixed(f"c{value:.6g}", np.float32(value).reshape(()))

    def weight(self, name: str, *shape: int, scale: float) -> str:
        return self.fixed(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        product = self.add(
            "MatMul",
            [x, self.weight(f"{name}.weight", inputs, outputs, scale=inputs**-0.5)],
            f"{name}.product",
        )
        return self.add("Add", [product, self.weight(f"{name}.bias", outputs, scale=0.1)], name)

    def norm(self, x: str, name: str, width: int) -> str:
        scale = self.fixed(f"{name}.scale", np.ones(width, np.float32))
        return self.add(
            "LayerNormalization", [x, scale, self.weight(f"{name}.bias", width, scale=0.1)], name, axis=-1
        )

    def norm_written_out(self, x: str, name: str, width: int) -> str:
        """Layer normalisation as exporters for opsets below 17 write it."""
        mean = self.add("ReduceMean", [x], f"{name}.mean", axes=[-1])
        distance = self.add("Sub", [x, mean], f"{name}.distance")
        square = self.add("Pow", [distance, self.number(2.0)], f"{name}.square")
        variance = self.add("ReduceMean", [square], f"{name}.variance", axes=[-1])
        root = self.add(
            "Sqrt", [self.add("Add", [variance, self.number(1e-5)], f"{name}.shifted")], f"{name}.root"
        )
        normal = self.add("Div", [distance, root], f"{name}.normal")
        scale = self.fixed(f"{name}.scale", np.linspace(0.5, 1.5, width, dtype=np.float32))
        scaled = self.add("Mul", [normal, scale], f"{name}.scaled")
        return self.add("Add", [scaled, self.weight(f"{name}.bias", width, scale=0.1)], name)

    def heads(self, x: str, name: str, heads: int, length: int, width: int, perm: list[int]) -> str:
        """`[1, length, width]` by heads, transposed."""
        shape = self.fixed(f"split{length}x{heads}", np.array([1, length, heads, width // heads], np.int64))
        return self.add("Transpose", [self.add("Reshape", [x, shape], f"{name}.split")], name, perm=perm)

    def together(self, x: str, name: str, length: int, width: int) -> str:
        """The heads side by side again."""
        shape = self.fixed(f"merge{length}x{width}", np.array([1, length, width], np.int64))
        return self.add(
            "Reshape", [self.add("Transpose", [x], f"{name}.back", perm=[0, 2, 1, 3]), shape], name
        )

    def bytes(self, name: str, inputs: dict[str, list[int]], outputs: dict[str, list[int]]) -> bytes:
        graph = helper.make_graph(
            self.nodes,
            name,
            [
                helper.make_tensor_value_info(value, TensorProto.FLOAT, shape)
                for value, shape in inputs.items()
            ],
            [
                helper.make_tensor_value_info(value, TensorProto.FLOAT, shape)
                for value, shape in outputs.items()
            ],
            list(self.constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString()


def encoder(layers: int, width: int, heads: int, length: int) -> bytes:
    """A transformer encoder with the norm behind each block, x [1, length, width] → y of that shape, GELU by erf."""
    net = _Network()
    x = "x"
    for number in range(layers):
        at = f"layer{number}"
        query, key, value = (
            net.heads(net.linear(x, f"{at}.{part}", width, width), f"{at}.{name}", heads, length, width, perm)
            for part, name, perm in (
                ("query", "q", [0, 2, 1, 3]),
                ("key", "k", [0, 2, 3, 1]),
                ("value", "v", [0, 2, 1, 3]),
            )
        )
        root = net.number((width // heads) ** 0.5)
        scores = net.add("Div", [net.add("MatMul", [query, key], f"{at}.qk"), root], f"{at}.scores")
        mixed = net.add(
            "MatMul", [net.add("Softmax", [scores], f"{at}.weights", axis=-1), value], f"{at}.mixed"
        )
        merged = net.together(mixed, f"{at}.merged", length, width)
        x = net.norm(
            net.add("Add", [x, net.linear(merged, f"{at}.out", width, width)], f"{at}.sum1"),
            f"{at}.norm1",
            width,
        )
        wide = net.linear(x, f"{at}.wide", width, 4 * width)
        erf = net.add("Erf", [net.add("Div", [wide, net.number(2**0.5)], f"{at}.erf.in")], f"{at}.erf")
        more = net.add("Add", [erf, net.number(1.0)], f"{at}.erf1")
        gelu = net.add("Mul", [net.add("Mul", [wide, more], f"{at}.twice"), net.number(0.5)], f"{at}.gelu")
        narrow = net.linear(gelu, f"{at}.narrow", 4 * width, width)
        x = net.norm(
            net.add("Add", [x, narrow], f"{at}.sum2"), "y" if number == layers - 1 else f"{at}.norm2", width
        )
    return net.bytes("encoder", {"x": [1, length, width]}, {"y": [1, length, width]})


def minilm() -> bytes:
    """MiniLM-L6 without its embeddings, 128 tokens."""
    return encoder(layers=6, width=384, heads=12, length=128)


def gpt2_block(length: int = 128, past: int = 0) -> bytes:
    """A block of GPT-2 small, x [1, length, 768] → y. With a `past`, keys and values of so many tokens are inputs, and those of
    all tokens outputs.
    """
    width, heads = 768, 12
    size, keys = width // heads, past + length
    net = _Network()
    normal = net.norm_written_out("x", "norm1", width)
    joined = net.linear(normal, "qkv", width, 3 * width)
    split = net.fixed("thirds", np.array([width] * 3, np.int64))
    net.nodes.append(
        helper.make_node("Split", [joined, split], ["q.flat", "k.flat", "v.flat"], "split", axis=2)
    )
    query, key, value = (
        net.heads(f"{part}.flat", part, heads, length, width, [0, 2, 1, 3]) for part in "qkv"
    )
    if past:
        key = net.add("Concat", ["past_key", key], "present_key", axis=2)
        value = net.add("Concat", ["past_value", value], "present_value", axis=2)
    transposed = net.add("Transpose", [key], "k.turned", perm=[0, 1, 3, 2])
    scores = net.add("Div", [net.add("MatMul", [query, transposed], "qk"), net.number(size**0.5)], "scores")
    if length > 1:
        seen = net.fixed("causal", np.tril(np.ones((1, 1, length, keys), np.bool_), past))
        scores = net.add("Where", [seen, scores, net.fixed("never", np.float32(-1e9).reshape(()))], "masked")
    mixed = net.add("MatMul", [net.add("Softmax", [scores], "weights", axis=-1), value], "mixed")
    out = net.linear(net.together(mixed, "merged", length, width), "out", width, width)
    middle = net.add("Add", ["x", out], "sum1")
    wide = net.linear(net.norm_written_out(middle, "norm2", width), "wide", width, 4 * width)
    cube = net.add(
        "Mul", [net.add("Pow", [wide, net.number(3.0)], "cube"), net.number(0.044715)], "cube.scaled"
    )
    inner = net.add(
        "Mul", [net.add("Add", [wide, cube], "inner.sum"), net.number(math.sqrt(2 / math.pi))], "inner"
    )
    more = net.add("Add", [net.add("Tanh", [inner], "tanh"), net.number(1.0)], "tanh1")
    gelu = net.add("Mul", [net.add("Mul", [wide, net.number(0.5)], "half"), more], "gelu")
    net.add("Add", [middle, net.linear(gelu, "narrow", 4 * width, width)], "y")
    inputs, outputs = {"x": [1, length, width]}, {"y": [1, length, width]}
    if past:
        inputs |= {"past_key": [1, heads, past, size], "past_value": [1, heads, past, size]}
        outputs |= {"present_key": [1, heads, keys, size], "present_value": [1, heads, keys, size]}
    return net.bytes("gpt2_block", inputs, outputs)


def gpt2_step() -> bytes:
    """One more token for a block of GPT-2 small behind 128 others."""
    return gpt2_block(length=1, past=128)


def _recurrent(op_type: str, gates: int, steps: int = 32, hidden: int = 128) -> bytes:
    net = _Network()
    scale = hidden**-0.5
    weights = net.weight("w", 1, gates * hidden, hidden, scale=scale)
    state = net.weight("r", 1, gates * hidden, hidden, scale=scale)
    bias = net.weight("b", 1, 2 * gates * hidden, scale=0.1)
    results = ["y", "y_h", "y_c"][: 3 if op_type == "LSTM" else 2]
    net.nodes.append(
        helper.make_node(op_type, ["x", weights, state, bias], results, op_type.lower(), hidden_size=hidden)
    )
    outputs = {"y": [steps, 1, 1, hidden], **{name: [1, 1, hidden] for name in results[1:]}}
    return net.bytes(op_type.lower(), {"x": [steps, 1, hidden]}, outputs)


def lstm() -> bytes:
    """An LSTM over 32 steps, 128 inputs and 128 hidden elements."""
    return _recurrent("LSTM", 4)


def gru() -> bytes:
    """A GRU over 32 steps, 128 inputs and 128 hidden elements."""
    return _recurrent("GRU", 3)


def mlp() -> bytes:
    """784-512-512-10 with ReLU, one image: 669,706 weights are all it has to read."""
    net = _Network()
    x, sizes = "x", (784, 512, 512, 10)
    for number, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        weight = net.weight(f"w{number}", outputs, inputs, scale=(2 / inputs) ** 0.5)
        bias = net.weight(f"b{number}", outputs, scale=0.1)
        last = number == len(sizes) - 2
        x = net.add("Gemm", [x, weight, bias], "y" if last else f"dense{number}", transB=1)
        if not last:
            x = net.add("Relu", [x], f"relu{number}")
    return net.bytes("mlp", {"x": [1, 784]}, {"y": [1, 10]})


TRANSFORMERS = {
    "minilm": minilm,
    "gpt2_block": gpt2_block,
    "gpt2_step": gpt2_step,
    "lstm_32x128": lstm,
    "gru_32x128": gru,
    "mlp_784": mlp,
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in TRANSFORMERS:
        sys.exit(f"usage: transformers.py {{{','.join(TRANSFORMERS)}}} FILE")
    Path(sys.argv[2]).write_bytes(TRANSFORMERS[sys.argv[1]]())
