"""Operators for `operators.py`: each in its plain forms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
from operator_case import RANDOM, Case, normal, positive, whole


def plain_cases() -> Iterator[Case]:
    """Each operator in the forms that most networks have."""
    yield from convolutions()
    yield from windows()
    yield from products()
    yield from rows()
    yield from movements()
    yield from elementwise()
    yield from integers()
    yield from less_common()


def convolutions() -> Iterator[Case]:
    def conv(
        name: str,
        shape: tuple[int, ...],
        weight: tuple[int, ...],
        operator: str = "Conv",
        **attributes: object,
    ) -> Case:
        return Case(name, operator, [normal(*shape)], [normal(*weight) * 0.1], attributes)

    yield conv("conv 3×3", (1, 64, 56, 56), (64, 64, 3, 3), pads=[1] * 4)
    yield conv("conv 3×3 stride 2", (1, 64, 56, 56), (128, 64, 3, 3), pads=[1] * 4, strides=[2, 2])
    yield conv("conv 3×3 dilation 2", (1, 64, 56, 56), (64, 64, 3, 3), pads=[2] * 4, dilations=[2, 2])
    yield conv("conv 5×5", (1, 32, 28, 28), (64, 32, 5, 5), pads=[2] * 4)
    yield conv("conv 1×7", (1, 128, 17, 17), (128, 128, 1, 7), pads=[0, 3, 0, 3])
    yield conv("conv 1×1 stride 2", (1, 256, 56, 56), (512, 256, 1, 1), strides=[2, 2])
    yield conv("conv 3×3 groups 32", (1, 128, 28, 28), (128, 4, 3, 3), pads=[1] * 4, group=32)
    yield conv("conv 3×3 groups 2", (1, 128, 28, 28), (128, 64, 3, 3), pads=[1] * 4, group=2)
    yield conv("conv 3×3 depthwise", (1, 96, 56, 56), (96, 1, 3, 3), pads=[1] * 4, group=96)
    yield conv(
        "conv 5×5 depthwise stride 2", (1, 96, 56, 56), (96, 1, 5, 5), pads=[2] * 4, group=96, strides=[2, 2]
    )
    yield conv("conv 7×7 depthwise", (1, 96, 56, 56), (96, 1, 7, 7), pads=[3] * 4, group=96)
    yield conv("conv 3×3 one channel", (1, 1, 28, 28), (32, 1, 3, 3))
    yield conv("conv 3×3 batch 8", (8, 64, 28, 28), (64, 64, 3, 3), pads=[1] * 4)
    yield conv("conv 1-D 3", (1, 64, 400), (128, 64, 3), pads=[1, 1])
    yield conv("conv 1-D 15 dilation 4", (1, 32, 1000), (32, 32, 15), dilations=[4])
    yield conv("conv 1-D depthwise", (1, 256, 400), (256, 1, 31), pads=[15, 15], group=256)
    yield conv("conv 3-D 3×3×3", (1, 16, 16, 32, 32), (32, 16, 3, 3, 3), pads=[1] * 6)
    yield conv("conv 3-D 1×3×3", (1, 32, 8, 28, 28), (32, 32, 1, 3, 3), pads=[0, 1, 1, 0, 1, 1])
    yield conv("transposed 2×2 stride 2", (1, 128, 28, 28), (128, 64, 2, 2), "ConvTranspose", strides=[2, 2])
    yield conv(
        "transposed 4×4 stride 2",
        (1, 64, 28, 28),
        (64, 32, 4, 4),
        "ConvTranspose",
        strides=[2, 2],
        pads=[1] * 4,
    )
    yield conv("transposed 3×3", (1, 64, 28, 28), (64, 64, 3, 3), "ConvTranspose", pads=[1] * 4)
    yield conv(
        "transposed 1-D 16 stride 8", (1, 128, 200), (128, 64, 16), "ConvTranspose", strides=[8], pads=[4, 4]
    )


def windows() -> Iterator[Case]:
    image = normal(1, 64, 112, 112)
    yield Case(
        "max pool 3×3/2", "MaxPool", [image], (), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}
    )
    yield Case("max pool 2×2/2", "MaxPool", [image], (), {"kernel_shape": [2, 2], "strides": [2, 2]})
    yield Case("average pool 3×3", "AveragePool", [image], (), {"kernel_shape": [3, 3], "pads": [1] * 4})
    yield Case("lp pool 2×2", "LpPool", [image], (), {"kernel_shape": [2, 2], "strides": [2, 2], "p": 2})
    yield Case("global average pool", "GlobalAveragePool", [normal(1, 512, 14, 14)])
    yield Case("global max pool", "GlobalMaxPool", [normal(1, 512, 14, 14)])
    small, scales = normal(1, 64, 28, 28), np.array([1, 1, 2, 2], np.float32)
    for mode in ("nearest", "linear", "cubic"):
        yield Case(f"resize ×2 {mode}", "Resize", [small], [None, scales], {"mode": mode})
    corners = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    yield Case("resize corners", "Resize", [small], [None, scales], corners)
    yield Case("depth to space", "DepthToSpace", [normal(1, 256, 28, 28)], (), {"blocksize": 2})
    yield Case("space to depth", "SpaceToDepth", [small], (), {"blocksize": 2})
    grid = RANDOM.uniform(-1, 1, (1, 56, 56, 2)).astype(np.float32)
    yield Case("grid sample", "GridSample", [normal(1, 32, 56, 56), grid], (), {"mode": "linear"})
    yield Case("local response norm", "LRN", [normal(1, 64, 56, 56)], (), {"size": 5})


def products() -> Iterator[Case]:
    yield Case("matmul 128×384×1536, weights", "MatMul", [normal(128, 384)], [normal(384, 1536)])
    yield Case("matmul 128×384×1536", "MatMul", [normal(128, 384), normal(384, 1536)])
    yield Case("matmul 512×512×512", "MatMul", [normal(512, 512), normal(512, 512)])
    yield Case("matmul 12×(128×64×128)", "MatMul", [normal(12, 128, 64), normal(12, 64, 128)])
    yield Case("matmul 64×(16×16×16)", "MatMul", [normal(64, 16, 16), normal(64, 16, 16)])
    yield Case("matmul 1×768×3072, weights", "MatMul", [normal(1, 768)], [normal(768, 3072)])
    yield Case("matmul 4×768×768, weights", "MatMul", [normal(4, 768)], [normal(768, 768)])
    yield Case("matmul 768×768 · 768", "MatMul", [normal(768, 768), normal(768)])
    yield Case("gemm 64×256×256ᵀ", "Gemm", [normal(64, 256)], [normal(256, 256), normal(256)], {"transB": 1})
    yield Case("gemm Aᵀ 256×64×256", "Gemm", [normal(64, 256), normal(64, 256)], (), {"transA": 1})
    yield Case(
        "einsum bhqd,bhkd",
        "Einsum",
        [normal(2, 4, 64, 32), normal(2, 4, 64, 32)],
        (),
        {"equation": "bhqd,bhkd->bhqk"},
    )
    yield Case(
        "einsum bij,jk", "Einsum", [normal(8, 64, 128), normal(128, 64)], (), {"equation": "bij,jk->bik"}
    )
    yield Case(
        "einsum bqhd,bkhd",
        "Einsum",
        [normal(2, 64, 4, 32), normal(2, 64, 4, 32)],
        (),
        {"equation": "bqhd,bkhd->bhqk"},
    )
    yield Case(
        "einsum bhqk,bkhd",
        "Einsum",
        [normal(2, 4, 64, 64), normal(2, 64, 4, 32)],
        (),
        {"equation": "bhqk,bkhd->bqhd"},
    )
    yield Case(
        "einsum oi,bit", "Einsum", [normal(64, 128), normal(4, 128, 50)], (), {"equation": "oi,bit->bot"}
    )
    yield Case(
        "einsum bij,bj", "Einsum", [normal(8, 64, 128), normal(8, 128)], (), {"equation": "bij,bj->bi"}
    )
    yield Case("einsum ij,jk,kl", "Einsum", [normal(64, 64)] * 3, (), {"equation": "ij,jk,kl->il"})
    yield Case(
        "einsum ij,ij->i", "Einsum", [normal(512, 512), normal(512, 512)], (), {"equation": "ij,ij->i"}
    )
    for operator, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for batch in (1, 8):
            weights = [
                normal(1, gates * 128, 64) * 0.1,
                normal(1, gates * 128, 128) * 0.1,
                normal(1, 2 * gates * 128) * 0.1,
            ]
            yield Case(
                f"{operator} 32 steps, batch {batch}",
                operator,
                [normal(32, batch, 64)],
                weights,
                {"hidden_size": 128},
            )


def rows() -> Iterator[Case]:
    tokens = normal(128, 768)
    for operator in ("Softmax", "LogSoftmax", "Hardmax"):
        yield Case(f"{operator} of rows", operator, [tokens])
        yield Case(f"{operator} of columns", operator, [tokens], (), {"axis": 0})
    yield Case("layer norm", "LayerNormalization", [tokens], [normal(768), normal(768)])
    yield Case("instance norm", "InstanceNormalization", [normal(1, 64, 56, 56)], [normal(64), normal(64)])
    yield Case(
        "batch norm",
        "BatchNormalization",
        [normal(1, 64, 56, 56)],
        [normal(64), normal(64), normal(64), positive(64)],
    )
    yield Case("lp norm", "LpNormalization", [tokens])
    image = normal(1, 64, 56, 56)
    for operator in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp", "ReduceProd"):
        yield Case(f"{operator} of rows", operator, [tokens], [np.array([1])], {"keepdims": 0})
        yield Case(f"{operator} of columns", operator, [tokens], [np.array([0])], {"keepdims": 0})
        yield Case(f"{operator} in the middle", operator, [image], [np.array([1])], {"keepdims": 0})
    yield Case("ReduceMean of all", "ReduceMean", [tokens], (), {"keepdims": 0})
    for operator in ("ArgMax", "ArgMin"):
        yield Case(f"{operator} of rows", operator, [tokens], (), {"axis": 1})
        yield Case(f"{operator} of columns", operator, [tokens], (), {"axis": 0})
    yield Case("top 10 of rows", "TopK", [tokens], [np.array([10])], {}, 2)
    yield Case("cumulated sum of rows", "CumSum", [tokens], [np.array(1)])
    yield Case("cumulated sum of columns", "CumSum", [tokens], [np.array(0)])


def movements() -> Iterator[Case]:
    tokens, image = normal(128, 768), normal(1, 64, 56, 56)
    yield Case("transpose 2-D", "Transpose", [tokens])
    yield Case("transpose heads", "Transpose", [normal(1, 128, 12, 64)], (), {"perm": [0, 2, 1, 3]})
    yield Case("transpose to channels last", "Transpose", [image], (), {"perm": [0, 2, 3, 1]})
    yield Case(
        "transpose from channels last", "Transpose", [normal(1, 56, 56, 64)], (), {"perm": [0, 3, 1, 2]}
    )
    yield Case("concat channels", "Concat", [image, image], (), {"axis": 1})
    yield Case("concat last axis", "Concat", [tokens, tokens], (), {"axis": 1})
    yield Case("split last axis", "Split", [tokens], (), {"axis": 1, "num_outputs": 3}, 3)
    yield Case("slice", "Slice", [image], [np.array([4, 4]), np.array([50, 50]), np.array([2, 3])])
    yield Case(
        "slice step 2",
        "Slice",
        [image],
        [np.array([0, 0]), np.array([56, 56]), np.array([2, 3]), np.array([2, 2])],
    )
    yield Case("pad", "Pad", [image], [np.array([0, 0, 1, 1, 0, 0, 1, 1])])
    yield Case("pad reflect", "Pad", [image], [np.array([0, 0, 3, 3, 0, 0, 3, 3])], {"mode": "reflect"})
    yield Case("expand", "Expand", [normal(128, 1)], [np.array([128, 768])])
    yield Case("tile", "Tile", [tokens], [np.array([2, 2])])
    ids = RANDOM.integers(0, 1000, (128,))
    yield Case("gather rows", "Gather", [ids], [normal(1000, 768)], {"axis": 0}, weights_first=True)
    yield Case("gather columns", "Gather", [tokens], [ids % 768], {"axis": 1})
    anywhere = RANDOM.integers(0, 768, (128, 768))
    yield Case("gather elements", "GatherElements", [tokens, anywhere], (), {"axis": 1})
    yield Case(
        "scatter elements",
        "ScatterElements",
        [tokens, ids.reshape(128, 1) % 768, normal(128, 1)],
        (),
        {"axis": 1},
    )
    yield Case("scatter rows", "ScatterND", [tokens, np.arange(64).reshape(64, 1), normal(64, 768)])
    yield Case("one hot", "OneHot", [ids], [np.array([1000]), np.array([0, 1], np.float32)])
    yield Case("reverse sequence", "ReverseSequence", [normal(32, 8, 64), np.full(8, 20)])
    yield Case("triangle", "Trilu", [normal(512, 512)])


def elementwise() -> Iterator[Case]:
    tokens = normal(128, 768)
    for operator in (
        *(
            "Sigmoid",
            "Tanh",
            "Exp",
            "Log",
            "Erf",
            "Gelu",
            "Sin",
            "Cos",
            "Sqrt",
            "Softplus",
            "Mish",
            "HardSwish",
            "Elu",
            "Selu",
        ),
        *(
            "Reciprocal",
            "Floor",
            "Round",
            "Abs",
            "Neg",
            "Sign",
            "Atan",
            "Sinh",
            "Cosh",
            "Acosh",
            "Asinh",
            "Tan",
        ),
    ):
        yield Case(
            operator, operator, [np.abs(tokens) + 1.0 if operator in ("Log", "Sqrt", "Acosh") else tokens]
        )
    for operator in ("Add", "Mul", "Div", "Max", "Pow", "Greater", "Mod"):
        operands = (
            [np.abs(tokens) + 0.1, np.abs(normal(128, 768)) + 0.1]
            if operator == "Pow"
            else [tokens, normal(128, 768)]
        )
        yield Case(operator, operator, operands, (), {"fmod": 1} if operator == "Mod" else {})
    yield Case("Add of a row", "Add", [tokens, normal(768)])
    yield Case("Add of a column", "Add", [tokens, normal(128, 1)])
    yield Case("Add of channels", "Add", [normal(1, 64, 56, 56), normal(64, 1, 1)])
    yield Case("Where", "Where", [tokens > 0, tokens, normal(128, 768)])
    yield Case("Clip", "Clip", [tokens], [np.float32(-1), np.float32(1)])
    yield Case("PRelu", "PRelu", [normal(1, 64, 56, 56)], [normal(64, 1, 1)])
    yield Case("cast to int32", "Cast", [tokens], (), {"to": onnx.TensorProto.INT32})
    yield Case("cast to float16", "Cast", [tokens], (), {"to": onnx.TensorProto.FLOAT16})
    yield Case("Add float64", "Add", [tokens.astype(np.float64), tokens.astype(np.float64)])
    yield Case("Add int64", "Add", [np.ones((128, 768), np.int64)] * 2)
    yield Case("Div int64", "Div", [np.full((128, 768), 7), np.full((128, 768), 2)])
    yield Case("quantize", "QuantizeLinear", [tokens], [np.float32(0.02), np.uint8(128)])
    yield Case(
        "dequantize", "DequantizeLinear", [np.ones((128, 768), np.uint8)], [np.float32(0.02), np.uint8(128)]
    )


def integers() -> Iterator[Case]:
    """Integers and booleans."""
    truths, others = normal(128, 768) > 0, normal(768, 128).T > 0
    for operator in ("And", "Or", "Xor"):
        yield Case(operator, operator, [truths, np.ascontiguousarray(others)])
    yield Case("Not", "Not", [truths])
    yield Case("IsNaN", "IsNaN", [normal(128, 768)])
    yield Case("Equal int64", "Equal", [whole(128, 768), whole(128, 768)])
    yield Case("Mod int64", "Mod", [whole(128, 768), whole(128, 768) | 1])
    yield Case("Mod int32", "Mod", [whole(128, 768, kind=np.int32), whole(128, 768, kind=np.int32) | 1])
    yield Case("Div int32", "Div", [whole(128, 768, kind=np.int32), whole(128, 768, kind=np.int32) | 1])
    words = whole(128, 768, kind=np.uint32)
    yield Case("BitShift", "BitShift", [words, np.full((128, 768), 3, np.uint32)], (), {"direction": "LEFT"})
    yield Case(
        "BitwiseAnd int32", "BitwiseAnd", [whole(128, 768, kind=np.int32), whole(128, 768, kind=np.int32)]
    )
    for kind in (np.int32, np.int8):
        array, of = whole(128, 768, kind=kind), np.dtype(kind).name
        if kind is np.int32:
            yield Case(f"ReduceSum of rows {of}", "ReduceSum", [array], [np.array([1])])
        yield Case(f"ReduceMax of rows {of}", "ReduceMax", [array], [np.array([1])])
        yield Case(f"ReduceMax of columns {of}", "ReduceMax", [array], [np.array([0])])
    yield Case("matmul int32", "MatMul", [whole(128, 128, kind=np.int32), whole(128, 128, kind=np.int32)])
    a, b = whole(128, 256, kind=np.uint8), whole(256, 256, kind=np.int8)
    yield Case("MatMulInteger, weights", "MatMulInteger", [a], [b, np.uint8(3)])
    yield Case("MatMulInteger", "MatMulInteger", [a, b])
    image, kernels = whole(1, 32, 28, 28, kind=np.uint8), whole(64, 32, 3, 3, kind=np.uint8)
    yield Case(
        "ConvInteger 3×3", "ConvInteger", [image], [kernels, np.uint8(3), np.uint8(4)], {"pads": [1] * 4}
    )
    scale, zero = np.float32(0.02), np.uint8(3)
    operands = [scale, zero, kernels, scale, np.uint8(4), np.float32(3), zero]
    yield Case("QLinearConv 3×3", "QLinearConv", [image], operands, {"pads": [1] * 4})
    yield Case("cast int64 to float", "Cast", [whole(128, 768)], (), {"to": onnx.TensorProto.FLOAT})
    yield Case("cast bool to float", "Cast", [truths], (), {"to": onnx.TensorProto.FLOAT})
    yield Case(
        "cast uint8 to float", "Cast", [whole(128, 768, kind=np.uint8)], (), {"to": onnx.TensorProto.FLOAT}
    )


def less_common() -> Iterator[Case]:
    """What fewer models have."""
    image, tokens = normal(1, 64, 56, 56), normal(128, 768)
    yield Case("group norm", "GroupNormalization", [image], [normal(64), normal(64)], {"num_groups": 8})
    yield Case("Exp float64", "Exp", [tokens.astype(np.float64)])
    yield Case(
        "matmul float64", "MatMul", [normal(128, 128).astype(np.float64), normal(128, 128).astype(np.float64)]
    )
    half = tokens.astype(np.float16)
    yield Case("Add float16", "Add", [half, half])
    yield Case("Sigmoid float16", "Sigmoid", [half])
    yield Case("matmul float16", "MatMul", [half, normal(768, 256).astype(np.float16)])
    yield Case("softmax float16", "Softmax", [half])
    yield Case("expand of odd axes", "Add", [normal(16, 1, 24, 1, 16), normal(1, 8, 1, 32, 1)])
    small, halves = normal(1, 64, 56, 56), np.array([1, 1, 0.5, 0.5], np.float32)
    yield Case("resize ½ cubic", "Resize", [small], [None, halves], {"mode": "cubic"})
    yield Case("resize ½ linear", "Resize", [small], [None, halves], {"mode": "linear"})
    boxes = np.array([[2, 3, 30, 40]] * 16, np.float32)
    yield Case(
        "roi align",
        "RoiAlign",
        [image, boxes, np.zeros(16, np.int64)],
        (),
        {"output_height": 7, "output_width": 7},
    )
    yield Case("crop", "CenterCropPad", [image], [np.array([40, 40])], {"axes": [2, 3]})
    yield Case(
        "col2im",
        "Col2Im",
        [normal(1, 32 * 9, 28 * 28)],
        [np.array([28, 28]), np.array([3, 3])],
        {"pads": [1] * 4},
    )
    yield Case("DFT 256", "DFT", [normal(16, 256, 1)], [None, np.array(1)])
    places = np.random.default_rng(4).integers(0, 56, (1000, 2))
    yield Case("gather n-d", "GatherND", [normal(56, 56, 32), places])
    yield Case("top 100 of rows", "TopK", [normal(16, 4096)], [np.array([100])], {}, 2)
    yield Case("average pool 7×7/7", "AveragePool", [image], (), {"kernel_shape": [7, 7], "strides": [7, 7]})
    yield Case("reduce over batch and space", "ReduceMean", [normal(8, 32, 28, 28)], [np.array([0, 2, 3])])
    yield Case("transpose 4-D inside out", "Transpose", [image], (), {"perm": [3, 2, 1, 0]})
    yield Case("concat innermost", "Concat", [normal(4096, 3), normal(4096, 5)], (), {"axis": 1})
    yield Case("cumulated sum in the middle", "CumSum", [normal(8, 96, 128)], [np.array(1)])
