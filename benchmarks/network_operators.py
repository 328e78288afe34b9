"""Operators for `operators.py` in the shapes and forms that exports of networks have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
from operator_case import NEAREST, RANDOM, Case, normal, positive, whole


def network_cases() -> Iterator[Case]:
    """What networks of the field contain, and what is not plain."""
    yield from images()
    yield from detectors()
    yield from speech()
    yield from transformers()
    yield from quantized()
    yield from arithmetic()


def images() -> Iterator[Case]:
    """Classification and segmentation."""

    def conv(
        name: str,
        shape: tuple[int, ...],
        weight: tuple[int, ...],
        operator: str = "Conv",
        **attributes: object,
    ) -> Case:
        return Case(name, operator, [normal(*shape)], [normal(*weight) * 0.1], attributes)

    yield conv("conv patches 16×16/16", (1, 3, 224, 224), (192, 3, 16, 16), strides=[16, 16])
    yield conv("conv patches 4×4/4", (1, 3, 224, 224), (96, 3, 4, 4), strides=[4, 4])
    yield conv("conv 7×7/2 of colours", (1, 3, 128, 128), (64, 3, 7, 7), strides=[2, 2], pads=[3] * 4)
    yield conv("conv 3×3 dilation 12", (1, 64, 33, 33), (64, 64, 3, 3), pads=[12] * 4, dilations=[12, 12])
    yield conv(
        "conv 3×3 depthwise dilation 2",
        (1, 96, 56, 56),
        (96, 1, 3, 3),
        pads=[2] * 4,
        dilations=[2, 2],
        group=96,
    )
    yield conv(
        "conv 3-D 3×3×3 stride 2", (1, 16, 16, 32, 32), (32, 16, 3, 3, 3), pads=[1] * 6, strides=[2] * 3
    )
    up = {"strides": [2, 2], "pads": [1] * 4}
    yield conv("transposed 4×4 depthwise", (1, 64, 28, 28), (64, 1, 4, 4), "ConvTranspose", group=64, **up)
    yield conv("transposed 3×3 stride 3", (1, 64, 20, 20), (64, 32, 3, 3), "ConvTranspose", strides=[3, 3])
    yield conv(
        "transposed 16×16 stride 8",
        (1, 21, 16, 16),
        (21, 21, 16, 16),
        "ConvTranspose",
        strides=[8, 8],
        pads=[4] * 4,
    )
    yield conv("transposed 3-D", (1, 32, 8, 8, 8), (32, 16, 2, 2, 2), "ConvTranspose", strides=[2] * 3)
    coarse = normal(1, 21, 33, 33)
    to = [None, None, np.array([1, 21, 129, 129])]
    for coordinates in ("align_corners", "pytorch_half_pixel"):
        yield Case(
            f"resize ×4 {coordinates}",
            "Resize",
            [coarse],
            to,
            {"mode": "linear", "coordinate_transformation_mode": coordinates},
        )
    yield Case(
        "resize ×2 nearest floor",
        "Resize",
        [normal(1, 256, 20, 20)],
        [None, np.array([1, 1, 2, 2], np.float32)],
        NEAREST,
    )
    yield Case("softmax of classes", "Softmax", [normal(1, 21, 64, 64)], (), {"axis": 1})
    yield Case("ArgMax of classes", "ArgMax", [normal(1, 21, 129, 129)], (), {"axis": 1})
    yield Case(
        "average pool 2×2/2",
        "AveragePool",
        [normal(1, 64, 56, 56)],
        (),
        {"kernel_shape": [2, 2], "strides": [2, 2]},
    )
    yield Case("global average pool 7×7", "GlobalAveragePool", [normal(1, 1280, 7, 7)])
    yield Case(
        "max pool 3-D",
        "MaxPool",
        [normal(1, 16, 16, 32, 32)],
        (),
        {"kernel_shape": [2] * 3, "strides": [2] * 3},
    )
    yield Case(
        "max pool with places",
        "MaxPool",
        [normal(1, 64, 56, 56)],
        (),
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        2,
    )
    yield Case(
        "group norm 32",
        "GroupNormalization",
        [normal(1, 320, 32, 32)],
        [normal(320), normal(320)],
        {"num_groups": 32},
    )
    yield Case("windows of 7×7", "Transpose", [normal(1, 8, 7, 8, 7, 96)], (), {"perm": [0, 1, 3, 2, 4, 5]})
    yield Case("shuffled channels", "Transpose", [normal(1, 2, 58, 28, 28)], (), {"perm": [0, 2, 1, 3, 4]})
    yield Case(
        "depth to space CRD", "DepthToSpace", [normal(1, 256, 28, 28)], (), {"blocksize": 2, "mode": "CRD"}
    )
    yield Case("gate of channels", "Mul", [normal(1, 96, 56, 56), normal(1, 96, 1, 1)])


def detectors() -> Iterator[Case]:
    """What stands behind the backbone of a detector."""
    scores = normal(1, 8400)
    yield Case("top 300 of scores", "TopK", [scores], [np.array([300])], {}, 2)
    yield Case("top 100 of columns", "TopK", [normal(2000, 16)], [np.array([100])], {"axis": 0}, 2)
    yield Case("least 5 of rows", "TopK", [normal(512, 64)], [np.array([5])], {"largest": 0}, 2)
    chosen = np.repeat(RANDOM.integers(0, 8400, (1, 300, 1)), 4, 2)
    yield Case("gather boxes", "GatherElements", [normal(1, 8400, 4), chosen], (), {"axis": 1})
    yield Case(
        "gather n-d of batches",
        "GatherND",
        [normal(8, 400, 32), RANDOM.integers(0, 400, (8, 100, 1))],
        (),
        {"batch_dims": 1},
    )
    rows = RANDOM.integers(0, 512, (2048, 64))
    yield Case(
        "scatter elements add",
        "ScatterElements",
        [normal(512, 64), rows, normal(2048, 64)],
        (),
        {"axis": 0, "reduction": "add"},
    )
    yield Case(
        "scatter rows add",
        "ScatterND",
        [normal(512, 64), rows[:, :1], normal(2048, 64)],
        (),
        {"reduction": "add"},
    )
    yield Case(
        "scatter points max",
        "ScatterND",
        [normal(256, 256), rows[:, :2] % 256, normal(2048)],
        (),
        {"reduction": "max"},
    )
    yield Case("softmax of distances", "Softmax", [normal(1, 16, 4, 2100)], (), {"axis": 1})
    yield Case(
        "concat levels",
        "Concat",
        [normal(1, 84, 1600), normal(1, 84, 400), normal(1, 84, 100)],
        (),
        {"axis": 2},
    )
    yield Case("split boxes and classes", "Split", [normal(1, 84, 8400)], [np.array([4, 80])], {"axis": 1}, 2)
    yield Case(
        "split last axis of 85", "Split", [normal(1, 2100, 85)], [np.array([4, 1, 80])], {"axis": 2}, 3
    )
    yield Case(
        "max pool 5×5", "MaxPool", [normal(1, 128, 20, 20)], (), {"kernel_shape": [5, 5], "pads": [2] * 4}
    )
    yield Case("ReduceMax of classes", "ReduceMax", [normal(1, 80, 2100)], [np.array([1])])
    yield Case("ReduceMax of the last", "ReduceMax", [normal(1, 2100, 80)], [np.array([2])])
    yield Case(
        "roi align, 2 samples",
        "RoiAlign",
        [normal(1, 256, 50, 50), boxes(32, 50), np.zeros(32, np.int64)],
        (),
        ROI,
    )
    yield Case(
        "masks of prototypes", "Einsum", [normal(32, 80, 80), normal(20, 32)], (), {"equation": "cij,nc->nij"}
    )
    yield Case(
        "slice backwards",
        "Slice",
        [normal(1, 3, 128, 128)],
        [np.array([2]), np.array([-9]), np.array([1]), np.array([-1])],
    )


def speech() -> Iterator[Case]:
    """Sound and sequences."""

    def conv(
        name: str,
        shape: tuple[int, ...],
        weight: tuple[int, ...],
        operator: str = "Conv",
        **attributes: object,
    ) -> Case:
        return Case(name, operator, [normal(*shape)], [normal(*weight) * 0.1], attributes)

    yield conv("conv 1-D stride 2", (1, 80, 500), (256, 80, 3), pads=[1, 1], strides=[2])
    yield conv("conv 1-D 10/5 of sound", (1, 1, 8000), (128, 1, 10), strides=[5])
    yield conv(
        "conv 1-D depthwise dilation 4", (1, 256, 400), (256, 1, 3), pads=[4, 4], group=256, dilations=[4]
    )
    yield conv("conv 1-D groups 16", (1, 256, 200), (256, 16, 31), pads=[15, 15], group=16)
    for operator, gates in (("LSTM", 4), ("GRU", 3)):
        weights = [
            normal(2, gates * 128, 64) * 0.1,
            normal(2, gates * 128, 128) * 0.1,
            normal(2, 2 * gates * 128) * 0.1,
        ]
        attributes = {"hidden_size": 128, "direction": "bidirectional"}
        yield Case(f"{operator} both ways", operator, [normal(32, 1, 64)], weights, attributes)
    weights = [normal(1, 384, 64) * 0.1, normal(1, 384, 128) * 0.1, normal(1, 768) * 0.1]
    yield Case(
        "GRU reset behind",
        "GRU",
        [normal(32, 1, 64)],
        weights,
        {"hidden_size": 128, "linear_before_reset": 1},
    )
    window = np.hanning(256).astype(np.float32)
    yield Case("STFT", "STFT", [normal(1, 8000, 1)], [np.array(128), window, np.array(256)], {"onesided": 1})
    yield Case("DFT both ways", "DFT", [normal(16, 256, 2)], [None, np.array(1)], {"inverse": 1})
    yield Case(
        "batch norm 1-D",
        "BatchNormalization",
        [normal(1, 256, 400)],
        [normal(256), normal(256), normal(256), positive(256)],
    )
    yield Case("max pool 1-D", "MaxPool", [normal(1, 256, 400)], (), {"kernel_shape": [2], "strides": [2]})
    yield Case("log softmax of words", "LogSoftmax", [normal(16, 5000)])


def transformers() -> Iterator[Case]:
    tokens = normal(1, 128, 768)
    yield Case("softmax of scores", "Softmax", [normal(12, 128, 128)])
    yield Case("softmax of short rows", "Softmax", [normal(64, 49, 49)])
    yield Case("softmax of the vocabulary", "Softmax", [normal(1, 50257)])
    yield Case("layer norm of patches", "LayerNormalization", [normal(3136, 96)], [normal(96), normal(96)])
    yield Case("layer norm without bias", "LayerNormalization", [tokens], [normal(768)])
    yield Case("RMS norm", "RMSNormalization", [normal(128, 2048)], [normal(2048)], opset=23)
    yield Case(
        "masked scores",
        "Where",
        [np.tril(np.ones((1, 1, 128, 128), bool)), normal(1, 12, 128, 128)],
        [np.float32(-1e9)],
    )
    yield Case("expand heads", "Expand", [normal(1, 4, 1, 128, 64)], [np.array([1, 4, 4, 128, 64])])
    yield Case("tile last axis", "Tile", [normal(128, 64)], [np.array([1, 8])])
    yield Case("rotated halves", "Concat", [normal(1, 12, 128, 32), normal(1, 12, 128, 32)], (), {"axis": 3})
    yield Case("split heads", "Split", [normal(1, 128, 2304)], [np.array([768] * 3)], {"axis": 2}, 3)
    yield Case("gather first token", "Gather", [tokens], [np.array(0)], {"axis": 1})
    yield Case("gather biases", "Gather", [normal(169, 12)], [RANDOM.integers(0, 169, 2401)], {"axis": 0})
    yield Case(
        "one hot of axis 1",
        "OneHot",
        [RANDOM.integers(0, 64, (8, 256))],
        [np.array([64]), np.array([0, 1], np.float32)],
        {"axis": 1},
    )
    heads = [normal(1, 12, 128, 64) for _ in range(3)]
    yield Case("attention", "Attention", heads, opset=23)
    yield Case("attention, causal", "Attention", heads, (), {"is_causal": 1}, opset=23)
    shared = [normal(1, 12, 128, 64), normal(1, 4, 128, 64), normal(1, 4, 128, 64)]
    yield Case("attention of groups", "Attention", shared, opset=23)
    angles = [normal(128, 32), normal(128, 32)]
    yield Case(
        "rotary embedding",
        "RotaryEmbedding",
        [normal(1, 12, 128, 64), *angles, np.arange(128).reshape(1, 128)],
        opset=23,
    )
    yield Case("matmul 8×(128×64·64×64)", "MatMul", [normal(8, 128, 64), normal(64, 64)])
    yield Case("matmul 197×768×768, weights", "MatMul", [normal(197, 768)], [normal(768, 768)])
    yield Case("Gelu tanh", "Gelu", [tokens], (), {"approximate": "tanh"})
    yield Case("ReduceMean of tokens", "ReduceMean", [tokens], [np.array([1])])
    yield Case("cumulated sum of int64", "CumSum", [whole(8, 512)], [np.array(1)])
    yield Case("greater of a row and a column", "GreaterOrEqual", [whole(1, 512), whole(512, 1)])


def quantized() -> Iterator[Case]:
    """Quantized values of 8 and 4 bits, and half floats."""
    tokens = normal(128, 768)
    scales = positive(768) * np.float32(0.01)
    yield Case("dynamic quantize", "DynamicQuantizeLinear", [tokens], (), {}, 3)
    yield Case(
        "quantize by column", "QuantizeLinear", [tokens], [scales, np.zeros(768, np.int8)], {"axis": 1}
    )
    yield Case(
        "dequantize by row",
        "DequantizeLinear",
        [whole(768, 768, kind=np.int8)],
        [scales, np.zeros(768, np.int8)],
        {"axis": 0},
    )
    blocks = [positive(24, 768), np.zeros((24, 768), np.int8)]
    yield Case(
        "dequantize by blocks",
        "DequantizeLinear",
        [whole(768, 768, kind=np.int8)],
        blocks,
        {"axis": 0, "block_size": 32},
    )
    a, b, scale, zero = (
        whole(128, 256, kind=np.uint8),
        whole(256, 256, kind=np.uint8),
        np.float32(0.02),
        np.uint8(3),
    )
    yield Case(
        "QLinearMatMul", "QLinearMatMul", [a], [scale, zero, b, scale, np.uint8(128), np.float32(3), zero]
    )
    heads = [
        whole(12, 128, 64, kind=np.uint8),
        whole(12, 64, 128, kind=np.uint8),
        np.array([3], np.uint8),
        np.array([5], np.uint8),
    ]
    yield Case("MatMulInteger of heads", "MatMulInteger", heads)
    image, kernels = whole(1, 32, 28, 28, kind=np.uint8), whole(32, 1, 3, 3, kind=np.int8)
    operands = [scale, zero, kernels, scale, np.int8(0), np.float32(3), zero]
    yield Case("QLinearConv depthwise", "QLinearConv", [image], operands, {"pads": [1] * 4, "group": 32})
    ones = [scale, zero, whole(64, 32, 1, 1, kind=np.int8), scale, np.int8(0), np.float32(3), zero]
    yield Case("QLinearConv 1×1", "QLinearConv", [image], ones)
    half = tokens.astype(np.float16)
    for operator in ("Mul", "Div"):
        yield Case(f"{operator} float16", operator, [half, half])
    for operator in ("Tanh", "Erf", "Gelu"):
        yield Case(f"{operator} float16", operator, [half])
    yield Case(
        "layer norm float16",
        "LayerNormalization",
        [half],
        [normal(768).astype(np.float16), normal(768).astype(np.float16)],
    )
    yield Case("cast float16 to float", "Cast", [half], (), {"to": onnx.TensorProto.FLOAT})
    yield Case("cast to int64", "Cast", [tokens], (), {"to": onnx.TensorProto.INT64})
    yield Case("cast to uint8", "Cast", [np.abs(tokens)], (), {"to": onnx.TensorProto.UINT8})
    yield Case(
        "cast int32 to int64", "Cast", [whole(128, 768, kind=np.int32)], (), {"to": onnx.TensorProto.INT64}
    )
    yield Case("cast to double", "Cast", [tokens], (), {"to": onnx.TensorProto.DOUBLE})


def arithmetic() -> Iterator[Case]:
    """Functions and folds that are left."""
    tokens, image = normal(128, 768), normal(1, 64, 56, 56)
    for operator in (
        "Relu",
        "LeakyRelu",
        "HardSigmoid",
        "Celu",
        "Softsign",
        "Asin",
        "Acos",
        "Atanh",
        "Shrink",
        "Ceil",
    ):
        yield Case(
            operator,
            operator,
            [np.clip(tokens, -0.9, 0.9) if operator in ("Asin", "Acos", "Atanh") else tokens],
        )
    yield Case("square", "Pow", [tokens], [np.float32(2)])
    yield Case("cube", "Pow", [tokens], [np.float32(3)])
    yield Case("Mul by a number", "Mul", [tokens], [np.float32(0.125)])
    yield Case("Sum of three", "Sum", [tokens, normal(128, 768), normal(128, 768)])
    yield Case("Min", "Min", [tokens, normal(128, 768)])
    yield Case("Mul int64", "Mul", [whole(128, 768), whole(128, 768)])
    yield Case("Sub int32", "Sub", [whole(128, 768, kind=np.int32), whole(128, 768, kind=np.int32)])
    yield Case("Less int64", "Less", [whole(128, 768), whole(128, 768)])
    yield Case("ReduceMean of space", "ReduceMean", [image], [np.array([2, 3])])
    yield Case("ReduceSum of the first two", "ReduceSum", [normal(16, 32, 128)], [np.array([0, 1])])
    yield Case("ReduceSumSquare of rows", "ReduceSumSquare", [tokens], [np.array([1])])
    yield Case("ReduceL1 in the middle", "ReduceL1", [normal(8, 96, 128)], [np.array([1])])
    yield Case("ReduceMin of all", "ReduceMin", [tokens], (), {"keepdims": 0})
    yield Case("ReduceMean of short rows", "ReduceMean", [normal(4096, 12)], [np.array([1])])
    yield Case("ReduceMax int64 of rows", "ReduceMax", [whole(128, 768)], [np.array([1])])
    yield Case(
        "einsum of graphs",
        "Einsum",
        [normal(2, 3, 16, 20, 25), normal(3, 25, 25)],
        (),
        {"equation": "nkctv,kvw->nctw"},
    )
    yield Case("gather elements of columns", "GatherElements", [tokens, whole(64, 768)], (), {"axis": 0})
    yield Case("pad with edges", "Pad", [image], [np.array([0, 0, 1, 1, 0, 0, 1, 1])], {"mode": "edge"})
    yield Case("slice of channels", "Slice", [image], [np.array([16]), np.array([48]), np.array([1])])


ROI = {"output_height": 7, "output_width": 7, "sampling_ratio": 2}


def boxes(count: int, extent: int) -> np.ndarray:
    """Boxes of some size within an image."""
    corners = RANDOM.uniform(0, extent * 0.5, (count, 2))
    return np.concatenate([corners, corners + RANDOM.uniform(4, extent * 0.5, (count, 2))], 1).astype(
        np.float32
    )
