"""A recogniser of lines of text, as readers of documents have them: convolutions, a recurrent network over the columns, letters.

    python benchmarks/recogniser.py recogniser.onnx

*Source:* the layers of B. Shi, X. Bai, C. Yao, An end-to-end trainable neural network for image-based sequence recognition, 2015
(arXiv 1507.05717), table 1, with a quarter of the channels; weights are random, and scaled so that activations keep their size.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 3
HEIGHT, LETTERS, HIDDEN = 32, 97, 64
# Channels of a convolution of 3 × 3, and the kernel and strides of the largest-value pool behind it.
LAYERS = (
    (16, (2, 2)),
    (32, (2, 2)),
    (64, None),
    (64, (2, 1)),
    (128, None),
    (128, (2, 1)),
    (128, (2, 1)),
)


def recogniser(width: int = 320) -> bytes:
    """The ONNX file: x [1, 1, 32, width] → y [width / 4, 1, 97]."""
    random, nodes, constants = np.random.default_rng(SEED), [], []

    def weight(name: str, *shape: int) -> str:
        array = random.standard_normal(shape) * int(np.prod(shape[1:])) ** -0.5
        constants.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name

    def add(operator: str, inputs: list[str], name: str, **attributes: object) -> str:
        nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    x, depth = "x", 1
    for number, (channels, pool) in enumerate(LAYERS):
        weights = [weight(f"w{number}", channels, depth, 3, 3), weight(f"b{number}", channels)]
        x = add("Relu", [add("Conv", [x, *weights], f"conv{number}", pads=[1, 1, 1, 1])], f"relu{number}")
        if pool is not None:
            x = add("MaxPool", [x], f"pool{number}", kernel_shape=pool, strides=pool)
        depth = channels
    constants.append(numpy_helper.from_array(np.array([2], np.int64), "height"))
    constants.append(numpy_helper.from_array(np.array([0, 0, -1], np.int64), "flat"))
    x = add("Transpose", [add("Squeeze", [x, "height"], "columns")], "steps", perm=[2, 0, 1])
    gates = [weight("w", 2, 4 * HIDDEN, depth), weight("r", 2, 4 * HIDDEN, HIDDEN)]
    x = add("LSTM", [x, *gates], "both", hidden_size=HIDDEN, direction="bidirectional")
    x = add("Reshape", [add("Transpose", [x], "apart", perm=[0, 2, 1, 3]), "flat"], "merged")
    product = add("MatMul", [x, weight("out", 2 * HIDDEN, LETTERS)], "letters")
    add("LogSoftmax", [product], "y", axis=-1)
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, 1, HEIGHT, width]), ("y", [width // 4, 1, LETTERS]))
    ]
    graph = helper.make_graph(nodes, "recogniser", values[:1], values[1:], constants)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


if __name__ == "__main__":
    model = recogniser()
    onnx.checker.check_model(onnx.load_from_string(model))
    Path(sys.argv[1]).write_bytes(model)
