"""Small models, one for each way that kernels are written: their sizes are such that every algorithm is chosen by some CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper


def _codes(step: int, extents: Sequence[int]) -> np.ndarray:
    """Quantized weights: whole numbers of all sizes, in steps."""
    return np.resize(np.arange(-127, 127, step, np.int8), extents)


Weights = Mapping[str, Sequence[int] | np.ndarray]

# What `model` takes: a graph as ONNX's text, and its weights, as extents of random numbers or as arrays.
GRAPHS: dict[str, tuple[str, Weights]] = {
    "conv_3x3": (
        """
        (float[1,32,28,28] x) => (float[1,32,28,28] y) {
            a = Conv<pads=[1,1,1,1]>(x, w, b)
            r = Relu(a)
            s = Conv<pads=[1,1,1,1]>(r, v)
            y = Add(s, x)
        }
        """,
        {"w": (32, 32, 3, 3), "b": (32,), "v": (32, 32, 3, 3)},
    ),
    "conv_3x3_wide": (
        """
        (float[1,128,14,14] x) => (float[1,128,14,14] y) {
            a = Conv<pads=[1,1,1,1]>(x, w)
            y = HardSwish(a)
        }
        """,
        {"w": (128, 128, 3, 3)},
    ),
    "conv_batch": (
        """
        (float[4,16,20,20] x) => (float[4,24,20,20] y) {
            y = Conv<pads=[1,1,1,1]>(x, w, b)
        }
        """,
        {"w": (24, 16, 3, 3), "b": (24,)},
    ),
    "conv_7x7": (
        """
        (float[1,3,64,64] x) => (float[1,32,16,16] y) {
            a = Conv<pads=[3,3,3,3], strides=[2,2]>(x, w, b)
            r = Relu(a)
            y = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(r)
        }
        """,
        {"w": (32, 3, 7, 7), "b": (32,)},
    ),
    "conv_1x1": (
        """
        (float[1,64,14,14] x) => (float[1,64,14,14] y) {
            a = Conv(x, w, b)
            c = Clip(a, lo, hi)
            d = Conv(c, v)
            y = Add(x, d)
        }
        """,
        {"w": (96, 64, 1, 1), "b": (96,), "v": (64, 96, 1, 1), "lo": np.float32(0), "hi": np.float32(6)},
    ),
    "conv_dilated": (
        """
        (float[1,8,20,17] x) => (float[1,8,10,9] y) {
            y = Conv<dilations=[2,2], pads=[2,2,2,2], strides=[2,2]>(x, w)
        }
        """,
        {"w": (8, 8, 3, 3)},
    ),
    "conv_groups": (
        """
        (float[1,32,15,15] x) => (float[1,32,15,15] y) {
            y = Conv<group=4, pads=[1,1,1,1]>(x, w, b)
        }
        """,
        {"w": (32, 8, 3, 3), "b": (32,)},
    ),
    "conv_depthwise": (
        """
        (float[1,48,28,28] x) => (float[1,16,14,14] y) {
            a = Conv<group=48, pads=[1,1,1,1]>(x, w, b)
            r = Relu(a)
            s = Conv<group=48, pads=[2,2,2,2], strides=[2,2]>(r, v)
            y = Conv(s, u)
        }
        """,
        {"w": (48, 1, 3, 3), "b": (48,), "v": (48, 1, 5, 5), "u": (16, 48, 1, 1)},
    ),
    "conv_1d": (
        """
        (float[1,40,200] x) => (float[1,64,100] y) {
            a = Conv<pads=[2,2], strides=[2]>(x, w, b)
            y = Gelu(a)
        }
        """,
        {"w": (64, 40, 5), "b": (64,)},
    ),
    "conv_3d": (
        """
        (float[1,4,8,9,10] x) => (float[1,8,8,9,10] y) {
            y = Conv<pads=[1,1,1,1,1,1]>(x, w)
        }
        """,
        {"w": (8, 4, 3, 3, 3)},
    ),
    "conv_transpose": (
        """
        (float[1,16,12,12] x) => (float[1,24,24,24] y) {
            a = ConvTranspose<strides=[2,2], pads=[1,1,1,1]>(x, w, b)
            y = LeakyRelu(a)
        }
        """,
        {"w": (16, 24, 4, 4), "b": (24,)},
    ),
    "inception": (
        """
        (float[1,24,14,14] x) => (float[1,10] y) {
            a = Conv(x, w)
            b = Conv<pads=[1,1,1,1]>(a, v)
            p = MaxPool<kernel_shape=[3,3], pads=[1,1,1,1]>(x)
            q = AveragePool<kernel_shape=[3,3], pads=[1,1,1,1]>(x)
            c = Concat<axis=1>(b, p, q, x)
            g = GlobalAveragePool(c)
            f = Flatten(g)
            l = Gemm<transB=1>(f, u, t)
            y = Softmax(l)
        }
        """,
        {"w": (16, 24, 1, 1), "v": (32, 16, 3, 3), "u": (10, 104), "t": (10,)},
    ),
    "conv_double": (
        """
        (double[1,8,10,10] x) => (double[1,8,10,10] y) {
            y = Conv<pads=[1,1,1,1]>(x, w)
        }
        """,
        {"w": np.ones((8, 8, 3, 3), np.float64)},
    ),
    "matmul": (
        """
        (float[64,256] x) => (float[64,192] y) {
            a = MatMul(x, w)
            c = Add(a, b)
            y = Gelu<approximate="tanh">(c)
        }
        """,
        {"w": (256, 192), "b": (192,)},
    ),
    "matmul_large": (
        """
        (float[160,384] x) => (float[160,512] y) {
            y = MatMul(x, w)
        }
        """,
        {"w": (384, 512)},
    ),
    "matmul_one_row": (
        """
        (float[1,512] x) => (float[1,300] y) {
            a = MatMul(x, w)
            c = Relu(a)
            y = Gemm<transB=1>(c, v, b)
        }
        """,
        {"w": (512, 384), "v": (300, 384), "b": (300,)},
    ),
    "matmul_thin": (
        """
        (float[500,48] x) => (float[500,6] y) {
            y = MatMul(x, w)
        }
        """,
        {"w": (48, 6)},
    ),
    "matmul_both": (
        """
        (float[2,4,40,32] x, float[2,4,32,56] w) => (float[2,4,40,56] y, float[2,4,40,40] z) {
            y = MatMul(x, w)
            t = Transpose<perm=[0,1,3,2]>(x)
            z = MatMul(x, t)
        }
        """,
        {},
    ),
    "matmul_half": (
        """
        (float16[32,64] x) => (float16[32,48] y) {
            y = MatMul(x, w)
        }
        """,
        {"w": np.ones((64, 48), np.float16)},
    ),
    "attention": (
        """
        (float[1,64,128] x) => (float[1,64,128] y) {
            q = MatMul(x, w)
            k = MatMul(x, v)
            u = MatMul(x, t)
            y = Attention<q_num_heads=4, kv_num_heads=4, is_causal=1>(q, k, u)
        }
        """,
        {"w": (128, 128), "v": (128, 128), "t": (128, 128)},
    ),
    "attention_step": (
        """
        (float[1,8,1,64] q, float[1,2,200,64] k, float[1,2,200,64] v) => (float[1,8,1,64] y) {
            y = Attention(q, k, v)
        }
        """,
        {},
    ),
    "rnn_both_ways": (
        """
        (float[12,2,24] x) => (float[12,2,2,16] y, float[2,2,16] h) {
            y, h = RNN<hidden_size=16, direction="bidirectional">(x, w, r, b)
        }
        """,
        {"w": (2, 16, 24), "r": (2, 16, 16), "b": (2, 32)},
    ),
    "lstm_wide": (
        """
        (float[16,1,64] x) => (float[16,1,1,128] y) {
            y = LSTM<hidden_size=128>(x, w, r, b)
        }
        """,
        {"w": (1, 512, 64), "r": (1, 512, 128), "b": (1, 1024)},
    ),
    "gru_both_ways": (
        """
        (float[10,3,20] x) => (float[10,2,3,32] y) {
            y = GRU<hidden_size=32, direction="bidirectional", linear_before_reset=1>(x, w, r, b)
        }
        """,
        {"w": (2, 96, 20), "r": (2, 96, 32), "b": (2, 192)},
    ),
    "norms": (
        """
        (float[20,300] x) => (float[20,300] y, float[20,300] z, float[20] m, float[300] n) {
            y = LayerNormalization(x, s, b)
            z = Softmax(y)
            m = ReduceMax<keepdims=0>(x, rows)
            n = ReduceSumSquare<keepdims=0>(z, columns)
        }
        """,
        {"s": (300,), "b": (300,), "rows": np.array([1]), "columns": np.array([0])},
    ),
    "image_norms": (
        """
        (float[2,12,9,11] x) => (float[2,12,9,11] y) {
            a = InstanceNormalization(x, s, b)
            c = GroupNormalization<num_groups=3>(a, s, b)
            d = LRN<size=3>(c)
            y = Softmax<axis=1>(d)
        }
        """,
        {"s": (12,), "b": (12,)},
    ),
    "chain": (
        """
        (float[16,333] x) => (float[16,333] y) {
            a = Sigmoid(x)
            b = Mul(a, x)
            c = Tanh(b)
            d = Erf(c)
            e = Exp(d)
            f = Softplus(e)
            g = Sin(f)
            h = Sqrt(g)
            i = Pow(h, two)
            y = Log(i)
        }
        """,
        {"two": np.float32(1.7)},
    ),
    "doubles": (
        """
        (double[7,33] x) => (double[7,33] y) {
            a = Sin(x)
            b = Exp(a)
            c = Erf(b)
            y = Pow(c, two)
        }
        """,
        {"two": np.float64(1.7)},
    ),
    "moves": (
        """
        (float[6,10,14] x) => (float[14,10,6] y, float[6,20,7] z, float[3,10,14] g) {
            y = Transpose<perm=[2,1,0]>(x)
            z = Reshape(x, shape)
            g = Gather(x, rows)
        }
        """,
        {"shape": np.array([6, 20, 7]), "rows": np.array([4, 0, 2])},
    ),
    "byte_moves": (
        """
        (uint8[1,3,32,48] x) => (float[1,32,48,3] y, uint8[1,48,32,3] z) {
            t = Transpose<perm=[0,2,3,1]>(x)
            y = Cast<to=1>(t)
            z = Transpose<perm=[0,3,2,1]>(x)
        }
        """,
        {},
    ),
    "top": (
        """
        (float[4,1000] x) => (float[4,5] v, int64[4,5] i, int64[4] a) {
            v, i = TopK(x, five)
            a = ArgMax<axis=1, keepdims=0>(x)
        }
        """,
        {"five": np.array([5])},
    ),
    "resize": (
        """
        (float[1,8,13,17] x) => (float[1,8,26,34] y, float[1,8,26,34] z) {
            y = Resize<mode="linear">(x, none, scales)
            z = Resize<mode="nearest">(x, none, scales)
        }
        """,
        {"none": np.zeros(0, np.float32), "scales": np.array([1, 1, 2, 2], np.float32)},
    ),
    "qdq_conv": (
        """
        (float[1,16,20,20] x) => (float[1,48,10,10] y) {
            q = QuantizeLinear(x, s, zx)
            d = DequantizeLinear(q, s, zx)
            w = DequantizeLinear<axis=0>(wq, ws)
            a = Conv<pads=[1,1,1,1]>(d, w, b)
            r = Relu(a)
            q1 = QuantizeLinear(r, s1, zx)
            d1 = DequantizeLinear(q1, s1, zx)
            v = DequantizeLinear(vq, s)
            e = Conv<group=32, strides=[2,2], pads=[1,1,1,1]>(d1, v)
            q2 = QuantizeLinear(e, s2, zy)
            d2 = DequantizeLinear(q2, s2, zy)
            u = DequantizeLinear(uq, s)
            f = Conv(d2, u)
            q3 = QuantizeLinear(f, s2, zy)
            y = DequantizeLinear(q3, s2, zy)
        }
        """,
        {
            "s": np.float32(0.02),
            "s1": np.float32(0.05),
            "s2": np.float32(0.03),
            "zx": np.uint8(0),
            "zy": np.uint8(117),
            "wq": _codes(3, (32, 16, 3, 3)),
            "ws": np.linspace(0.01, 0.02, 32, dtype=np.float32),
            "b": (32,),
            "vq": _codes(5, (32, 1, 3, 3)),
            "uq": _codes(7, (48, 32, 1, 1)),
        },
    ),
    "qdq_signed": (
        """
        (float[1,32,14,14] x) => (float[1,32,14,14] y) {
            q = QuantizeLinear(x, s, z)
            d = DequantizeLinear(q, s, z)
            w = DequantizeLinear(wq, s)
            a = Conv<pads=[1,1,1,1]>(d, w)
            q1 = QuantizeLinear(a, s1, z)
            d1 = DequantizeLinear(q1, s1, z)
            e = Add(d, d1)
            q2 = QuantizeLinear(e, s1, z)
            y = DequantizeLinear(q2, s1, z)
        }
        """,
        {"s": np.float32(0.02), "s1": np.float32(0.05), "z": np.int8(3), "wq": _codes(3, (32, 32, 3, 3))},
    ),
    "qdq_matmul": (
        """
        (float[24,128] x) => (float[24,96] y) {
            q = QuantizeLinear(x, s, z)
            d = DequantizeLinear(q, s, z)
            w = DequantizeLinear<axis=1>(wq, ws)
            a = MatMul(d, w)
            b = Add(a, bias)
            q1 = QuantizeLinear(b, s1, z)
            y = DequantizeLinear(q1, s1, z)
        }
        """,
        {
            "s": np.float32(0.02),
            "s1": np.float32(0.1),
            "z": np.uint8(128),
            "bias": (96,),
            "ws": np.linspace(0.01, 0.02, 96, dtype=np.float32),
            "wq": _codes(3, (128, 96)),
        },
    ),
    "quantised_on_the_way": (
        """
        (float[8,64] x) => (float[8,80] y) {
            q, s, z = DynamicQuantizeLinear(x)
            i = MatMulInteger(q, w, z)
            f = Cast<to=1>(i)
            t = Mul(s, ws)
            y = Mul(f, t)
        }
        """,
        {"w": _codes(3, (64, 80)), "ws": np.float32(0.01)},
    ),
    "weights_of_4_bits": (
        """
        (float[1,128] x) => (float[1,64] y) {
            y = com.microsoft.MatMulNBits<K=128, N=64, bits=4, block_size=32>(x, w, s)
        }
        """,
        {"w": _codes(7, (64, 4, 16)).view(np.uint8), "s": np.full(64 * 4, 0.03, np.float32)},
    ),
    "conv_few_outputs": (
        """
        (float[1,48,14,14] x) => (float[1,1,28,28] y, float[1,2,14,14] z) {
            y = ConvTranspose<strides=[2,2], pads=[1,1,1,1]>(x, w)
            z = Conv<pads=[2,2,2,2]>(x, v)
        }
        """,
        {"w": (48, 1, 4, 4), "v": (2, 48, 5, 5)},
    ),
    "conv_1x1_wide": (
        """
        (float[1,8,28,28] x) => (float[1,8,28,28] y) {
            a = Conv(x, w)
            b = Conv(a, v)
            y = Conv(b, u)
        }
        """,
        {"w": (128, 8, 1, 1), "v": (256, 128, 1, 1), "u": (8, 256, 1, 1)},
    ),
    "matmul_columns": (
        """
        (float[1,64] x, float[200,64] k) => (float[1,200] y) {
            t = Transpose(k)
            y = MatMul(x, t)
        }
        """,
        {},
    ),
    "channels_of_planes": (
        """
        (float[1,24,6,7] x) => (float[1,6,7,24] y, float[1,24,3,3] p) {
            t = Transpose<perm=[0,2,3,1]>(x)
            y = LayerNormalization(t, s, b)
            p = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(x)
        }
        """,
        {"s": (24,), "b": (24,)},
    ),
    "top_hundred": (
        """
        (float[2,1000] x) => (float[2,100] v, int64[2,100] i) {
            v, i = TopK(x, hundred)
        }
        """,
        {"hundred": np.array([100])},
    ),
    "qdq_conv_wide": (
        """
        (float[1,8,28,28] x) => (float[1,128,28,28] y) {
            q = QuantizeLinear(x, s, z)
            d = DequantizeLinear(q, s, z)
            v = DequantizeLinear(vq, s)
            a = Conv(d, v)
            q1 = QuantizeLinear(a, s1, z)
            d1 = DequantizeLinear(q1, s1, z)
            w = DequantizeLinear(wq, s)
            b = Conv<pads=[1,1,1,1]>(d1, w)
            q2 = QuantizeLinear(b, s1, z)
            y = DequantizeLinear(q2, s1, z)
        }
        """,
        {
            "s": np.float32(0.02),
            "s1": np.float32(0.05),
            "z": np.uint8(120),
            "vq": _codes(5, (128, 8, 1, 1)),
            "wq": _codes(3, (128, 128, 3, 3)) // 2,
        },
    ),
    "linear_attention": (
        """
        (float[1,6,64] q, float[1,6,64] k, float[1,6,96] v, float[1,4,16,24] s, float[1,6,4] g, float[1,6,4] b)
            => (float[1,6,96] y, float[1,4,16,24] t) {
            y, t = com.microsoft.LinearAttention<q_num_heads=4, kv_num_heads=4>(q, k, v, s, g, b)
        }
        """,
        {},
    ),
    "weights_of_4_bits_many_rows": (
        """
        (float[32,128] x) => (float[32,64] y) {
            y = com.microsoft.MatMulNBits<K=128, N=64, bits=4, block_size=32>(x, w, s)
        }
        """,
        {"w": _codes(7, (64, 4, 16)).view(np.uint8), "s": np.full(64 * 4, 0.03, np.float32)},
    ),
}

# Those whose sums go by other algorithms when `math` is not the default.
MATH: Mapping[str, tuple[str, ...]] = {"exact": ("conv_3x3", "matmul"), "normwise": ("matmul_square",)}
GRAPHS["matmul_square"] = ("(float[512,512] x) => (float[512,512] y) { y = MatMul(x, w) }", {"w": (512, 512)})


def models() -> dict[str, Callable[[], bytes]]:
    """A function for each model that gives the bytes of its file, the same in every process."""
    return {name: lambda name=name: _model(name) for name in GRAPHS}  # type: ignore[misc]


def _model(name: str) -> bytes:
    text, weights = GRAPHS[name]
    imports = '<ir_version: 10, opset_import: ["": 23, "com.microsoft": 1]>'
    made = onnx.parser.parse_model(f"{imports} {name} {text}")
    random = np.random.default_rng(3)
    for key, value in weights.items():
        array = (
            random.standard_normal(value, dtype=np.float32) * 0.1
            if isinstance(value, tuple)
            else np.asarray(value)
        )
        made.graph.initializer.append(numpy_helper.from_array(array.astype(array.dtype), key))
    return bytes(made.SerializeToString(deterministic=True))
