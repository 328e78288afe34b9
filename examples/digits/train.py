"""Trains the digits network in plain NumPy and writes `digits.onnx` and `digits_test.npz` beside this file.

    pip install "ingot-compiler[build,dev]" && python examples/digits/train.py

The data are the 1,797 handwritten digits that come with scikit-learn (8 × 8 pixels, 0 to 16 grey). A fifth of each class is held
out for the test. The same seed gives the same network on the same machine (the order of sums in a matrix product differs
between machines).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
SEED = 7
EPOCHS = 40
BATCH = 64
LEARNING_RATE = 3e-3
CHANNELS = (16, 32, 64)
EPSILON = 1e-5  # of batch normalisation
BATCH_MOMENTUM = 0.9

Array = np.ndarray
Params = dict[str, Array]


def patches(x: Array) -> Array:
    """The 3 × 3 surroundings of every pixel: x [N, C, H, W] → [N·H·W, C·9], zero outside of the image."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))  # [N, C, H, W, 3, 3]
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * 9)


def unpatch(columns: Array, shape: tuple[int, ...]) -> Array:
    """The transpose of `patches`: adds every surrounding back to where it came from."""
    n, c, h, w = shape
    windows = columns.reshape(n, h, w, c, 3, 3)
    padded = np.zeros((n, c, h + 2, w + 2), np.float32)
    for row in range(3):
        for column in range(3):
            padded[:, :, row : row + h, column : column + w] += windows[..., row, column].transpose(
                0, 3, 1, 2
            )
    return padded[:, :, 1:-1, 1:-1]


class Layer:
    """Convolution, batch normalisation and ReLU, forward and backward."""

    def __init__(self, name: str, inputs: int, outputs: int, random: np.random.Generator) -> None:
        self.name = name
        scale = np.sqrt(2 / (inputs * 9))
        self.params: Params = {
            "weight": (random.standard_normal((outputs, inputs, 3, 3)) * scale).astype(np.float32),
            "gamma": np.ones(outputs, np.float32),
            "beta": np.zeros(outputs, np.float32),
        }
        self.mean = np.zeros(outputs, np.float32)
        self.variance = np.ones(outputs, np.float32)

    def forward(self, x: Array, training: bool) -> Array:
        n, _, h, w = x.shape
        weight = self.params["weight"].reshape(len(self.mean), -1)
        columns = patches(x)
        y = columns @ weight.T
        if training:
            mean, variance = y.mean(axis=0), y.var(axis=0)
            self.mean = BATCH_MOMENTUM * self.mean + (1 - BATCH_MOMENTUM) * mean
            self.variance = BATCH_MOMENTUM * self.variance + (1 - BATCH_MOMENTUM) * variance
        else:
            mean, variance = self.mean, self.variance
        inverse = 1 / np.sqrt(variance + EPSILON)
        normal = (y - mean) * inverse
        out = np.maximum(normal * self.params["gamma"] + self.params["beta"], 0)
        if training:
            self.saved = (x.shape, columns, normal, inverse, out > 0)
        return out.reshape(n, h, w, -1).transpose(0, 3, 1, 2)

    def backward(self, gradient: Array) -> tuple[Array, Params]:
        shape, columns, normal, inverse, alive = self.saved
        flat = gradient.transpose(0, 2, 3, 1).reshape(alive.shape) * alive
        gradients = {"gamma": (flat * normal).sum(axis=0), "beta": flat.sum(axis=0)}
        scaled = flat * self.params["gamma"]
        through = inverse * (scaled - scaled.mean(axis=0) - normal * (scaled * normal).mean(axis=0))
        weight = self.params["weight"]
        gradients["weight"] = (through.T @ columns).reshape(weight.shape)
        return unpatch(through @ weight.reshape(len(weight), -1), shape), gradients


class Network:
    """Three layers with a 2 × 2 maximum after the first two, a mean over what is left, and a linear layer."""

    def __init__(self, random: np.random.Generator) -> None:
        sizes = (1, *CHANNELS)
        self.layers = [Layer(f"conv{i + 1}", sizes[i], sizes[i + 1], random) for i in range(len(CHANNELS))]
        self.linear: Params = {
            "weight": (random.standard_normal((10, CHANNELS[-1])) * np.sqrt(1 / CHANNELS[-1])).astype(
                np.float32
            ),
            "bias": np.zeros(10, np.float32),
        }

    def forward(self, x: Array, training: bool = False) -> Array:
        """Scores [N, 10] of images [N, 1, 8, 8]."""
        self.pooled: list[tuple[Array, Array]] = []
        for position, layer in enumerate(self.layers):
            x = layer.forward(x, training)
            if position < len(self.layers) - 1:
                n, c, h, w = x.shape
                blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
                top = blocks.max(axis=(3, 5), keepdims=True)
                self.pooled.append((blocks, top))
                x = top.reshape(n, c, h // 2, w // 2)
        self.last_shape = x.shape
        self.features = x.mean(axis=(2, 3))
        return self.features @ self.linear["weight"].T + self.linear["bias"]

    def backward(self, gradient: Array) -> dict[str, Params]:
        gradients = {"linear": {"weight": gradient.T @ self.features, "bias": gradient.sum(axis=0)}}
        n, c, h, w = self.last_shape
        flowing = np.broadcast_to(
            (gradient @ self.linear["weight"])[:, :, None, None] / (h * w), self.last_shape
        )
        for position in reversed(range(len(self.layers))):
            if position < len(self.layers) - 1:
                blocks, top = self.pooled[position]
                chosen = blocks == top
                n, c, h, _, w, _ = blocks.shape
                shared = flowing.reshape(n, c, h, 1, w, 1) / chosen.sum(axis=(3, 5), keepdims=True)
                flowing = (chosen * shared).reshape(n, c, h * 2, w * 2)
            flowing, gradients[self.layers[position].name] = self.layers[position].backward(
                flowing.astype(np.float32)
            )
        return gradients

    def params(self) -> dict[str, Params]:
        return {**{layer.name: layer.params for layer in self.layers}, "linear": self.linear}


class Adam:
    """Adam with bias correction. Source: Kingma and Ba, 2015, algorithm 1."""

    def __init__(self) -> None:
        self.moments: dict[tuple[str, str], tuple[Array, Array]] = {}
        self.steps = 0

    def step(self, params: dict[str, Params], gradients: dict[str, Params], rate: float) -> None:
        self.steps += 1
        for layer, named in gradients.items():
            for name, gradient in named.items():
                zero = np.zeros_like(gradient)
                first, second = self.moments.get((layer, name), (zero, zero))
                first = 0.9 * first + 0.1 * gradient
                second = 0.999 * second + 0.001 * gradient**2
                self.moments[layer, name] = first, second
                corrected = first / (1 - 0.9**self.steps)
                spread = np.sqrt(second / (1 - 0.999**self.steps))
                params[layer][name] -= (rate * corrected / (spread + 1e-8)).astype(np.float32)


def shifted(images: Array, random: np.random.Generator) -> Array:
    """Every image moved by up to one pixel in each direction, zero where nothing was."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moved = np.empty_like(images)
    for number, (row, column) in enumerate(random.integers(0, 3, (len(images), 2))):
        moved[number] = padded[number, :, row : row + 8, column : column + 8]
    return moved


def split(labels: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Indices of training and test images: a fifth of each class is for the test."""
    test = np.concatenate(
        [
            random.permutation(np.flatnonzero(labels == digit))[: (labels == digit).sum() // 5]
            for digit in range(10)
        ]
    )
    return np.setdiff1d(np.arange(len(labels)), test), np.sort(test)


def train(images: Array, labels: Array, random: np.random.Generator) -> Network:
    """Cross entropy, Adam with a rate that falls as a cosine."""
    network, adam = Network(random), Adam()
    total = EPOCHS * (len(images) // BATCH)
    for epoch in range(EPOCHS):
        order = random.permutation(len(images))
        losses = []
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            scores = network.forward(shifted(images[batch], random), training=True)
            chances = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            rows = np.arange(BATCH)
            losses.append(-np.log(chances[rows, labels[batch]] + 1e-9).mean())
            gradient = chances
            gradient[rows, labels[batch]] -= 1
            rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * adam.steps / total))
            adam.step(network.params(), network.backward(gradient / BATCH), rate)
        print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4f}")
    return network


def to_onnx(network: Network) -> onnx.ModelProto:
    """The network as it is deployed: `image` [batch, 1, 8, 8] in 0…1 → `probabilities` [batch, 10]."""
    nodes, initializers = [], []

    def constant(name: str, value: Array) -> str:
        initializers.append(numpy_helper.from_array(value.astype(np.float32), name))
        return name

    value = "image"
    for position, layer in enumerate(network.layers):
        name = layer.name
        weight = constant(f"{name}.weight", layer.params["weight"])
        nodes.append(
            helper.make_node("Conv", [value, weight], [name], name, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        )
        statistics = [
            constant(f"{name}.gamma", layer.params["gamma"]),
            constant(f"{name}.beta", layer.params["beta"]),
            constant(f"{name}.mean", layer.mean),
            constant(f"{name}.variance", layer.variance),
        ]
        nodes.append(
            helper.make_node(
                "BatchNormalization", [name, *statistics], [f"{name}.normal"], f"{name}.norm", epsilon=EPSILON
            )
        )
        nodes.append(helper.make_node("Relu", [f"{name}.normal"], [f"{name}.relu"], f"{name}.relu"))
        value = f"{name}.relu"
        if position < len(network.layers) - 1:
            pooled = f"pool{position + 1}"
            nodes.append(
                helper.make_node("MaxPool", [value], [pooled], pooled, kernel_shape=[2, 2], strides=[2, 2])
            )
            value = pooled
    nodes.append(helper.make_node("GlobalAveragePool", [value], ["mean"], "mean"))
    nodes.append(helper.make_node("Flatten", ["mean"], ["features"], "flatten", axis=1))
    weights = [
        constant("linear.weight", network.linear["weight"]),
        constant("linear.bias", network.linear["bias"]),
    ]
    nodes.append(helper.make_node("Gemm", ["features", *weights], ["scores"], "linear", transB=1))
    nodes.append(helper.make_node("Softmax", ["scores"], ["probabilities"], "softmax", axis=1))
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])],
        initializers,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="digits-train"
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    random = np.random.default_rng(SEED)
    data = load_digits()
    pixels = data.images.astype(np.uint8)
    images, labels = (pixels / 16).astype(np.float32)[:, None], data.target.astype(np.uint8)
    training, test = split(labels, random)
    network = train(images[training], labels[training], random)
    right = network.forward(images[test]).argmax(axis=1) == labels[test]
    print(f"test accuracy {right.mean():.2%} of {len(test)} images")
    (HERE / "digits.onnx").write_bytes(to_onnx(network).SerializeToString())
    np.savez_compressed(HERE / "digits_test.npz", images=pixels[test], labels=labels[test])


if __name__ == "__main__":
    main()
