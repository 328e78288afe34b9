"""The convolutional networks that are measured: architectures as published, weights random but not degenerate.

Each function gives the bytes of an ONNX file, the same in every process. Batch normalisation is already part of the convolutions,
as in the files that exporters write for inference. Weights are scaled so that activations keep their size from layer to layer.

    python benchmarks/networks.py resnet18 resnet18.onnx

*Source:* VGG: arXiv 1409.1556, configuration E; ResNet: arXiv 1512.03385, with the stride of a bottleneck in its 3×3 convolution;
MobileNet-V2: arXiv 1801.04381.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 3


class _Network:
    """Nodes and weights in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.random = np.random.default_rng(SEED)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, op_type: str, inputs: list[str], name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [name], name, **attributes))
        return name

    def _weight(self, name: str, shape: tuple[int, ...], scale: float) -> str:
        array = self.random.standard_normal(shape, dtype=np.float32)
        array *= np.float32(scale)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def conv(
        self,
        x: str,
        name: str,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        group: int = 1,
        gain: float = 2.0,
    ) -> str:
        """A convolution with bias that keeps the extents (or halves them). `gain` is the variance of its result."""
        depth = inputs // group
        shape = (outputs, depth, kernel, kernel)
        weight = self._weight(f"{name}.weight", shape, (gain / (depth * kernel * kernel)) ** 0.5)
        bias = self._weight(f"{name}.bias", (outputs,), 0.1)
        pad = kernel // 2
        return self.add(
            "Conv",
            [x, weight, bias],
            name,
            kernel_shape=[kernel] * 2,
            pads=[pad] * 4,
            strides=[stride] * 2,
            group=group,
        )

    def relu(self, x: str) -> str:
        return self.add("Relu", [x], f"{x}.relu")

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        weight = self._weight(f"{name}.weight", (outputs, inputs), (2.0 / inputs) ** 0.5)
        return self.add("Gemm", [x, weight, self._weight(f"{name}.bias", (outputs,), 0.1)], name, transB=1)

    def pooled(self, x: str) -> str:
        return self.add("Flatten", [self.add("GlobalAveragePool", [x], "pool")], "flat")

    def bytes(self, output: str) -> bytes:
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, 1000])],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return model.SerializeToString(deterministic=True)


def _stem(net: _Network) -> str:
    x = net.relu(net.conv("x", "stem", 3, 64, 7, 2))
    return net.add("MaxPool", [x], "stem.pool", kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])


def resnet18() -> bytes:
    """ResNet-18: 1.8 G multiply-adds, 11.7 M weights."""
    net = _Network("resnet18")
    x, channels = _stem(net), 64
    for stage, width in enumerate((64, 128, 256, 512)):
        for block in range(2):
            at, stride = f"stage{stage}.block{block}", 2 if stage and not block else 1
            first = net.relu(net.conv(x, f"{at}.a", channels, width, 3, stride))
            second = net.conv(first, f"{at}.b", width, width, 3, gain=0.5)
            if stride != 1 or channels != width:
                x = net.conv(x, f"{at}.shortcut", channels, width, 1, stride, gain=1.0)
            x = net.relu(net.add("Add", [second, x], f"{at}.sum"))
            channels = width
    return net.bytes(net.linear(net.pooled(x), "classes", channels, 1000))


def resnet50() -> bytes:
    """ResNet-50: 4.1 G multiply-adds, 25.6 M weights."""
    net = _Network("resnet50")
    x, channels = _stem(net), 64
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            at, stride = f"stage{stage}.block{block}", 2 if stage and not block else 1
            first = net.relu(net.conv(x, f"{at}.a", channels, width, 1))
            second = net.relu(net.conv(first, f"{at}.b", width, width, 3, stride))
            third = net.conv(second, f"{at}.c", width, 4 * width, 1, gain=0.5)
            if not block:
                x = net.conv(x, f"{at}.shortcut", channels, 4 * width, 1, stride, gain=1.0)
            x = net.relu(net.add("Add", [third, x], f"{at}.sum"))
            channels = 4 * width
    return net.bytes(net.linear(net.pooled(x), "classes", channels, 1000))


def mobilenet_v2() -> bytes:
    """MobileNet-V2, width 1: 0.3 G multiply-adds, 3.5 M weights."""
    net = _Network("mobilenet_v2")
    zero, six = (
        net.weights.append(numpy_helper.from_array(np.float32(value).reshape(()), name)) or name  # type: ignore[func-returns-value]
        for name, value in (("zero", 0.0), ("six", 6.0))
    )

    def relu6(x: str) -> str:
        return net.add("Clip", [x, zero, six], f"{x}.relu6")

    x, channels = relu6(net.conv("x", "stem", 3, 32, 3, 2)), 32
    blocks = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for stage, (expand, width, repeat, first_stride) in enumerate(blocks):
        for block in range(repeat):
            at, stride, inner = f"stage{stage}.block{block}", 1 if block else first_stride, channels * expand
            y = relu6(net.conv(x, f"{at}.expand", channels, inner, 1)) if expand != 1 else x
            y = relu6(net.conv(y, f"{at}.depthwise", inner, inner, 3, stride, group=inner))
            y = net.conv(y, f"{at}.project", inner, width, 1, gain=1.0)
            x = net.add("Add", [x, y], f"{at}.sum") if stride == 1 and channels == width else y
            channels = width
    x = relu6(net.conv(x, "last", channels, 1280, 1))
    return net.bytes(net.linear(net.pooled(x), "classes", 1280, 1000))


def vgg19() -> bytes:
    """VGG-19: 19.6 G multiply-adds, 143.7 M weights."""
    net = _Network("vgg19")
    x, channels = "x", 3
    for stage, (width, repeat) in enumerate(((64, 2), (128, 2), (256, 4), (512, 4), (512, 4))):
        for number in range(repeat):
            x = net.relu(net.conv(x, f"stage{stage}.conv{number}", channels, width, 3))
            channels = width
        x = net.add("MaxPool", [x], f"stage{stage}.pool", kernel_shape=[2, 2], strides=[2, 2])
    x = net.add("Flatten", [x], "flat")
    x = net.relu(net.linear(x, "dense0", 512 * 7 * 7, 4096))
    x = net.relu(net.linear(x, "dense1", 4096, 4096))
    return net.bytes(net.linear(x, "classes", 4096, 1000))


NETWORKS = {"mobilenet_v2": mobilenet_v2, "resnet18": resnet18, "resnet50": resnet50, "vgg19": vgg19}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in NETWORKS:
        sys.exit(f"usage: networks.py {{{','.join(NETWORKS)}}} FILE")
    Path(sys.argv[2]).write_bytes(NETWORKS[sys.argv[1]]())
