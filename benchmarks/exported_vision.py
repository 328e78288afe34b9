"""Operators and chains for `operators.py`, as exports of networks of images, videos, tables and quantized values write them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from operator_case import NEAREST, NEAREST_CHAIN, RANDOM, Case, normal, positive, whole


def exported_vision() -> Iterator[Case]:
    """What `network_operators.py` lacks, by what the networks do."""
    yield from images()
    yield from videos()
    yield from tables()
    yield from quantized()


def conv(
    name: str, shape: tuple[int, ...], weight: tuple[int, ...], operator: str = "Conv", **attributes: object
) -> Case:
    return Case(name, operator, [normal(*shape)], [normal(*weight) * 0.1], attributes)


def images() -> Iterator[Case]:
    """Segmentation and super-resolution."""
    yield conv(
        "transposed 2×2 stride 2, large", (1, 64, 64, 64), (64, 32, 2, 2), "ConvTranspose", strides=[2, 2]
    )
    yield conv(
        "transposed 4×4 stride 2, classes",
        (1, 21, 32, 32),
        (21, 21, 4, 4),
        "ConvTranspose",
        strides=[2, 2],
        pads=[1] * 4,
    )
    yield conv(
        "transposed 9×9 stride 3, one channel",
        (1, 56, 32, 32),
        (56, 1, 9, 9),
        "ConvTranspose",
        strides=[3, 3],
        pads=[4] * 4,
        output_padding=[2, 2],
    )
    for dilation in (6, 18):
        yield conv(
            f"conv 3×3 dilation {dilation}",
            (1, 64, 33, 33),
            (64, 64, 3, 3),
            pads=[dilation] * 4,
            dilations=[dilation] * 2,
        )
    yield conv("conv 3×3 of 64, large", (1, 64, 128, 128), (64, 64, 3, 3), pads=[1] * 4)
    yield conv("conv 3×3 to colours", (1, 64, 128, 128), (3, 64, 3, 3), pads=[1] * 4)
    yield conv("conv 5×5 of one channel", (1, 1, 128, 128), (64, 1, 5, 5), pads=[2] * 4)
    yield conv("conv 9×9 of colours", (1, 3, 96, 96), (64, 3, 9, 9), pads=[4] * 4)
    yield conv("conv 1×1 to classes", (1, 256, 33, 33), (21, 256, 1, 1))
    yield conv(
        "conv 3×3 depthwise, rate 6",
        (1, 128, 33, 33),
        (128, 1, 3, 3),
        pads=[6] * 4,
        dilations=[6, 6],
        group=128,
    )
    image = normal(1, 32, 40, 40)
    for mode in ("linear", "cubic"):
        for coordinates in ("align_corners", "pytorch_half_pixel"):
            attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
            yield Case(
                f"resize ×3 {mode} {coordinates}",
                "Resize",
                [image],
                [None, None, np.array([1, 32, 120, 120])],
                attributes,
            )
    yield Case(
        "resize of one pixel",
        "Resize",
        [normal(1, 256, 1, 1)],
        [None, None, np.array([1, 256, 33, 33])],
        {"mode": "linear"},
    )
    yield Case(
        "resize ×2 nearest of 13",
        "Resize",
        [normal(1, 128, 13, 13)],
        [None, np.array([1, 1, 2, 2], np.float32)],
        NEAREST,
    )
    yield Case(
        "resize ×4 nearest",
        "Resize",
        [normal(1, 64, 32, 32)],
        [None, np.array([1, 1, 4, 4], np.float32)],
        NEAREST,
    )
    yield Case(
        "upsample of features, added",
        "",
        [normal(1, 256, 14, 14), normal(1, 256, 28, 28)],
        [np.array([1, 1, 2, 2], np.float32)],
        chain=f"r = {NEAREST_CHAIN} y0 = Add (r, x1)",
    )
    classes = 'r = Resize <mode = "linear"> (x0, , , w0) y0 = ArgMax <axis = 1, keepdims = 0> (r)'
    yield Case("classes of pixels", "", [normal(1, 21, 33, 33)], [np.array([1, 21, 129, 129])], chain=classes)
    yield Case("ArgMax of 150 classes", "ArgMax", [normal(1, 150, 64, 64)], (), {"axis": 1, "keepdims": 0})
    yield Case(
        "depth to space 3", "DepthToSpace", [normal(1, 27, 64, 64)], (), {"blocksize": 3, "mode": "CRD"}
    )
    yield Case(
        "depth to space 4, colours",
        "DepthToSpace",
        [normal(1, 48, 64, 64)],
        (),
        {"blocksize": 4, "mode": "CRD"},
    )
    yield Case("PRelu of 64, large", "PRelu", [normal(1, 64, 128, 128)], [normal(64, 1, 1)])
    shuffle = "r = Reshape (x0, w0) t = Transpose <perm = [0, 1, 4, 2, 5, 3]> (r) y0 = Reshape (t, w1)"
    yield Case(
        "pixel shuffle in parts",
        "",
        [normal(1, 256, 32, 32)],
        [np.array([1, 64, 2, 2, 32, 32]), np.array([1, 64, 64, 64])],
        chain=shuffle,
    )
    yield Case(
        "pad of an image, reflect",
        "Pad",
        [normal(1, 3, 224, 224)],
        [np.array([0, 0, 3, 3, 0, 0, 3, 3])],
        {"mode": "reflect"},
    )
    yield Case("pad int64", "Pad", [whole(64, 30, 30)], [np.array([0, 1, 1, 0, 1, 1])])
    prepare = (
        "f = Cast <to = 1> (x0) t = Transpose <perm = [0, 3, 1, 2]> (f) s = Sub (t, w0) y0 = Mul (s, w1)"
    )
    yield Case(
        "image of bytes",
        "",
        [whole(1, 224, 224, 3, kind=np.uint8)],
        [normal(1, 3, 1, 1), positive(1, 3, 1, 1)],
        chain=prepare,
    )
    squeeze = (
        "g = GlobalAveragePool (x0) a = Conv (g, w0, w1) r = Relu (a) b = Conv (r, w2, w3) s = HardSigmoid (b) "
        "y0 = Mul (x0, s)"
    )
    weights = [normal(24, 96, 1, 1), normal(24), normal(96, 24, 1, 1), normal(96)]
    yield Case("squeeze and excite", "", [normal(1, 96, 28, 28)], weights, chain=squeeze)
    channels = (
        "t = Transpose <perm = [0, 2, 3, 1]> (x0) n = LayerNormalization (t, w0, w1) "
        "y0 = Transpose <perm = [0, 3, 1, 2]> (n)"
    )
    yield Case(
        "layer norm of channels", "", [normal(1, 96, 56, 56)], [normal(96), normal(96)], chain=channels
    )
    window = "r = Reshape (x0, w0) t = Transpose <perm = [0, 1, 3, 2, 4, 5]> (r) y0 = Reshape (t, w1)"
    yield Case(
        "windows of a Swin",
        "",
        [normal(1, 56, 56, 96)],
        [np.array([1, 8, 7, 8, 7, 96]), np.array([64, 49, 96])],
        chain=window,
    )
    roll = "a = Slice (x0, w0, w1, w2) b = Slice (x0, w3, w0, w2) y0 = Concat <axis = 1> (a, b)"
    yield Case(
        "rolled image",
        "",
        [normal(1, 56, 56, 96)],
        [np.array([3]), np.array([99]), np.array([1]), np.array([0])],
        chain=roll,
    )
    yield Case(
        "average pool 3×3/2, without padding",
        "AveragePool",
        [normal(1, 64, 56, 56)],
        (),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4, "count_include_pad": 0},
    )
    yield Case(
        "adaptive pool to 6",
        "AveragePool",
        [normal(1, 256, 36, 36)],
        (),
        {"kernel_shape": [6, 6], "strides": [6, 6]},
    )
    yield Case(
        "instance norm, large", "InstanceNormalization", [normal(1, 32, 128, 128)], [normal(32), normal(32)]
    )


def videos() -> Iterator[Case]:
    """Three dimensions."""
    yield conv("conv 3-D 3×3×3 of 32", (1, 32, 8, 28, 28), (32, 32, 3, 3, 3), pads=[1] * 6)
    yield conv("conv 3-D 3×1×1", (1, 64, 8, 14, 14), (64, 64, 3, 1, 1), pads=[1, 0, 0, 1, 0, 0])
    yield conv("conv 3-D 1×1×1", (1, 64, 8, 14, 14), (128, 64, 1, 1, 1))
    yield conv(
        "conv 3-D of colours 3×7×7",
        (1, 3, 8, 56, 56),
        (32, 3, 3, 7, 7),
        pads=[1, 3, 3, 1, 3, 3],
        strides=[1, 2, 2],
    )
    yield conv("conv 3-D depthwise 3×3×3", (1, 54, 8, 28, 28), (54, 1, 3, 3, 3), pads=[1] * 6, group=54)
    yield Case(
        "max pool 3-D 1×3×3/2",
        "MaxPool",
        [normal(1, 64, 8, 28, 28)],
        (),
        {"kernel_shape": [1, 3, 3], "strides": [1, 2, 2], "pads": [0, 1, 1, 0, 1, 1]},
    )
    yield Case(
        "max pool 3-D 3×3×3",
        "MaxPool",
        [normal(1, 32, 8, 14, 14)],
        (),
        {"kernel_shape": [3] * 3, "pads": [1] * 6},
    )
    yield Case(
        "average pool 3-D 2×2×2",
        "AveragePool",
        [normal(1, 32, 8, 28, 28)],
        (),
        {"kernel_shape": [2] * 3, "strides": [2] * 3},
    )
    yield Case("global average pool 3-D", "GlobalAveragePool", [normal(1, 256, 4, 7, 7)])
    yield Case(
        "instance norm 3-D", "InstanceNormalization", [normal(1, 16, 16, 32, 32)], [normal(16), normal(16)]
    )
    yield Case(
        "resize 3-D linear",
        "Resize",
        [normal(1, 16, 8, 16, 16)],
        [None, np.array([1, 1, 2, 2, 2], np.float32)],
        {"mode": "linear"},
    )


def tables() -> Iterator[Case]:
    """Numbers in tables, and float64."""
    double = normal(1000, 30).astype(np.float64)
    for operator in ("Sin", "Cos", "Tanh", "Sigmoid", "Log", "Sqrt", "Erf"):
        values = np.abs(double) + 0.1 if operator in ("Log", "Sqrt") else double
        yield Case(f"{operator} float64", operator, [values])
    yield Case("matmul float64 1000×30×10", "MatMul", [double], [normal(30, 10).astype(np.float64)])
    yield Case(
        "gemm float64 64×256×64",
        "Gemm",
        [normal(64, 256).astype(np.float64)],
        [normal(256, 64).astype(np.float64), normal(64).astype(np.float64)],
    )
    scale = "s = Sub (x0, w0) y0 = Div (s, w1)"
    yield Case("scaler", "", [normal(1000, 30)], [normal(30), positive(30)], chain=scale)
    yield Case(
        "scaler float64",
        "",
        [double],
        [normal(30).astype(np.float64), positive(30).astype(np.float64)],
        chain=scale,
    )
    yield Case("softmax float64 of short rows", "Softmax", [normal(1000, 10).astype(np.float64)])
    yield Case("ReduceSum float64 of rows", "ReduceSum", [double], [np.array([1])])
    yield Case(
        "one hot and a table",
        "",
        [RANDOM.integers(0, 20, (1000,)), normal(1000, 12)],
        [np.array(20), np.array([0, 1], np.float32)],
        chain="o = OneHot (x0, w0, w1) y0 = Concat <axis = 1> (x1, o)",
    )
    buckets = "a = Less (x0, w0) b = Less (x0, w1) c = Where (b, w3, w4) y0 = Where (a, w2, c)"
    yield Case(
        "chain of Where",
        "",
        [normal(1000, 30)],
        [np.float32(-1), np.float32(1), np.float32(0), np.float32(1), np.float32(2)],
        chain=buckets,
    )
    fill = "n = IsNaN (x0) y0 = Where (n, w0, x0)"
    yield Case("missing numbers", "", [normal(1000, 30)], [normal(30)], chain=fill)
    yield Case(
        "columns chosen", "Gather", [normal(1000, 30)], [np.array([1, 4, 5, 9, 20, 22, 27])], {"axis": 1}
    )
    yield Case("short rows to words", "ArgMax", [normal(1000, 10)], (), {"axis": 1, "keepdims": 0})
    yield Case("gemm of short rows", "Gemm", [normal(1000, 30)], [normal(30, 10), normal(10)])
    distance = "n = Unsqueeze (x0, w0) d = Sub (n, w1) q = Mul (d, d) y0 = ReduceSum <keepdims = 0> (q, w2)"
    yield Case(
        "distances to centres",
        "",
        [normal(200, 30)],
        [np.array([1]), normal(1, 50, 30), np.array([2])],
        chain=distance,
    )
    yield Case(
        "ReduceMin and Max float64",
        "",
        [double],
        [np.array([0])],
        chain="y0 = ReduceMin (x0, w0) y1 = ReduceMax (x0, w0)",
        outputs=2,
    )


def quantized() -> Iterator[Case]:
    """8 bits, as tools of quantisation write them."""
    weight, zero, scale = whole(384, 1536, kind=np.uint8), np.uint8(128), np.float32(0.01)
    chain = (
        "q, s, z = DynamicQuantizeLinear (x0) m = MatMulInteger (q, w0, z, w1) f = Cast <to = 1> (m) "
        "t = Mul (s, w2) r = Mul (f, t) y0 = Add (r, w3)"
    )
    for rows in (1, 128):
        yield Case(
            f"dynamic matmul of {rows} rows",
            "",
            [normal(1, rows, 384)],
            [weight, zero, scale, normal(1536)],
            chain=chain,
        )
    kernels, small = whole(64, 32, 3, 3, kind=np.uint8), np.float32(0.01)
    image = normal(1, 32, 28, 28)
    chain = (
        "q, s, z = DynamicQuantizeLinear (x0) m = ConvInteger <pads = [1, 1, 1, 1]> (q, w0, z, w1) f = Cast <to = 1> (m) "
        "t = Mul (s, w2) y0 = Mul (f, t)"
    )
    yield Case("dynamic conv 3×3", "", [image], [kernels, zero, small], chain=chain)
    qdq = (
        "q = QuantizeLinear (x0, w0, w1) d = DequantizeLinear (q, w0, w1) e = DequantizeLinear <axis = 0> (w2, w3, w4) "
        "c = Conv <pads = [1, 1, 1, 1]> (d, e) r = Relu (c) o = QuantizeLinear (r, w5, w1) y0 = DequantizeLinear (o, w5, w1)"
    )
    signed = whole(64, 32, 3, 3, kind=np.int8)
    yield Case(
        "quantized conv 3×3",
        "",
        [image],
        [
            np.float32(0.03),
            np.int8(0),
            signed,
            positive(64) * np.float32(0.01),
            np.zeros(64, np.int8),
            np.float32(2),
        ],
        chain=qdq,
    )
    qdq = (
        "q = QuantizeLinear (x0, w0, w1) d = DequantizeLinear (q, w0, w1) "
        "e = DequantizeLinear <axis = 1> (w2, w3, w4) y0 = MatMul (d, e)"
    )
    yield Case(
        "quantized matmul",
        "",
        [normal(128, 384)],
        [np.float32(0.03), np.int8(0), whole(384, 384, kind=np.int8), positive(384), np.zeros(384, np.int8)],
        chain=qdq,
    )
    feature_map = whole(1, 32, 28, 28, kind=np.uint8)
    for name, shape, attributes in (
        ("QLinearConv 3×3 by channel", (64, 32, 3, 3), {"pads": [1] * 4}),
        ("QLinearConv 3×3/2", (64, 32, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
        ("QLinearConv depthwise 5×5", (32, 1, 5, 5), {"pads": [2] * 4, "group": 32}),
    ):
        operands = [
            scale,
            np.uint8(3),
            whole(*shape, kind=np.int8),
            positive(shape[0]) * np.float32(0.01),
            np.zeros(shape[0], np.int8),
            np.float32(3),
            np.uint8(3),
        ]
        yield Case(name, "QLinearConv", [feature_map], operands, attributes)
    colours = whole(1, 3, 112, 112, kind=np.uint8)
    operands = [
        scale,
        np.uint8(3),
        whole(32, 3, 3, 3, kind=np.int8),
        scale,
        np.int8(0),
        np.float32(3),
        np.uint8(3),
    ]
    yield Case(
        "QLinearConv of colours", "QLinearConv", [colours], operands, {"pads": [1] * 4, "strides": [2, 2]}
    )
    chain = (
        "a = DequantizeLinear (x0, w0, w1) b = DequantizeLinear (x1, w2, w1) s = Add (a, b) r = Relu (s) "
        "y0 = QuantizeLinear (r, w3, w1)"
    )
    quantized_maps = [whole(1, 64, 28, 28, kind=np.int8), whole(1, 64, 28, 28, kind=np.int8)]
    yield Case(
        "quantized residual",
        "",
        quantized_maps,
        [np.float32(0.02), np.int8(0), np.float32(0.03), np.float32(0.05)],
        chain=chain,
    )
    chain = "d = DequantizeLinear (x0, w0, w1) p = GlobalAveragePool (d) y0 = QuantizeLinear (p, w2, w1)"
    yield Case(
        "quantized pool",
        "",
        [whole(1, 512, 7, 7, kind=np.int8)],
        [np.float32(0.02), np.int8(0), np.float32(0.01)],
        chain=chain,
    )
    chain = "d = DequantizeLinear (x0, w0, w1) s = Sigmoid (d) m = Mul (d, s) y0 = QuantizeLinear (m, w2, w1)"
    yield Case(
        "quantized SiLU",
        "",
        [whole(1, 64, 56, 56, kind=np.int8)],
        [np.float32(0.02), np.int8(0), np.float32(0.01)],
        chain=chain,
    )
    yield Case(
        "quantized max pool",
        "MaxPool",
        [whole(1, 64, 56, 56, kind=np.uint8)],
        (),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4},
    )
    yield Case(
        "quantized resize",
        "Resize",
        [whole(1, 64, 28, 28, kind=np.uint8)],
        [None, np.array([1, 1, 2, 2], np.float32)],
        NEAREST,
    )
    yield Case(
        "quantized concat",
        "Concat",
        [whole(1, 64, 28, 28, kind=np.uint8), whole(1, 64, 28, 28, kind=np.uint8)],
        (),
        {"axis": 1},
    )
    yield Case(
        "quantized transpose", "Transpose", [whole(1, 64, 56, 56, kind=np.uint8)], (), {"perm": [0, 2, 3, 1]}
    )
    yield Case(
        "quantized gather",
        "",
        [RANDOM.integers(0, 1000, (128,))],
        [whole(1000, 384, kind=np.uint8), scale, zero],
        chain="g = Gather (w0, x0) y0 = DequantizeLinear (g, w1, w2)",
    )
