"""Operators and short chains for `operators.py`, as exported networks of sound and language and detectors write them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from exported_vision import conv, exported_vision
from operator_case import NEAREST_CHAIN, RANDOM, Case, normal, positive, whole


def exported_cases() -> Iterator[Case]:
    """What `network_operators.py` lacks, by what the networks do."""
    yield from sounds()
    yield from recurrent()
    yield from detection()
    yield from tokens()
    yield from exported_vision()


def sounds() -> Iterator[Case]:
    """Speech, sound and voices."""
    yield conv("conv 1-D 3/2 of 512", (1, 512, 400), (512, 512, 3), strides=[2])
    yield conv("conv 1-D 2/2 of 512", (1, 512, 200), (512, 512, 2), strides=[2])
    yield conv("conv 1-D 3 of 80 mels", (1, 80, 1000), (384, 80, 3), pads=[1, 1])
    yield conv("conv 1-D 400/160 of sound", (1, 1, 16000), (201, 1, 400), strides=[160])
    yield conv("conv 1-D 7 dilation 3", (1, 64, 1000), (64, 64, 7), pads=[9, 9], dilations=[3])
    yield conv("conv 1-D 7 to one channel", (1, 32, 4000), (1, 32, 7), pads=[3, 3])
    yield conv("conv 1-D 1 of 256", (1, 256, 400), (512, 256, 1))
    yield conv(
        "conv 1-D depthwise 5 stride 2", (1, 144, 400), (144, 1, 5), pads=[2, 2], strides=[2], group=144
    )
    yield conv("conv 1-D groups 16, kernel 128", (1, 256, 50), (256, 16, 128), pads=[64, 64], group=16)
    yield conv(
        "transposed 1-D 4 stride 2", (1, 64, 500), (64, 32, 4), "ConvTranspose", strides=[2], pads=[1, 1]
    )
    yield conv(
        "transposed 1-D 20 stride 10", (1, 128, 50), (128, 64, 20), "ConvTranspose", strides=[10], pads=[5, 5]
    )
    for width in (512, 1280):
        yield Case(
            f"layer norm of {width}",
            "LayerNormalization",
            [normal(1, 250, width)],
            [normal(width), normal(width)],
        )
    yield Case("Gelu of a stem", "Gelu", [normal(1, 512, 400)])
    half = "h = Div (x0, w0) e = Erf (h) s = Add (e, w1) m = Mul (x0, s) y0 = Mul (m, w2)"
    numbers = [np.float32(2**0.5), np.float32(1), np.float32(0.5)]
    yield Case("Gelu in parts", "", [normal(1, 250, 2048)], numbers, chain=half)
    gate = "a, b = Split <axis = 1, num_outputs = 2> (x0) s = Sigmoid (b) y0 = Mul (a, s)"
    yield Case("gated linear unit", "", [normal(1, 512, 400)], chain=gate)
    both = "a, b = Split <axis = 1, num_outputs = 2> (x0) t = Tanh (a) s = Sigmoid (b) y0 = Mul (t, s)"
    yield Case("gate of a WaveNet", "", [normal(1, 256, 400)], chain=both)
    yield Case(
        "instance norm 1-D", "InstanceNormalization", [normal(1, 512, 800)], [normal(512), normal(512)]
    )
    yield Case("leaky Relu of sound", "LeakyRelu", [normal(1, 32, 8000)], (), {"alpha": 0.1})
    snake = "a = Mul (x0, w0) s = Sin (a) q = Mul (s, s) g = Mul (q, w1) y0 = Add (x0, g)"
    yield Case("snake", "", [normal(1, 64, 1000)], [positive(1, 64, 1), positive(1, 64, 1)], chain=snake)
    sizes = [np.array(80), np.array(400), np.array(16000), np.float32(0), np.float32(8000)]
    mels = "m = MelWeightMatrix (w0, w1, w2, w3, w4) y0 = MatMul (x0, m)"
    yield Case("mels of a spectrum", "", [positive(100, 201)], sizes, chain=mels)
    window = np.hanning(400).astype(np.float32)
    power = (
        "f = STFT <onesided = 1> (x0, w0, w1, w2) r = ReduceSumSquare <keepdims = 0> (f, w3) y0 = Sqrt (r)"
    )
    parts = [np.array(160), window, np.array(400), np.array([-1])]
    yield Case("magnitudes of an STFT", "", [normal(1, 8000, 1)], parts, chain=power)
    yield Case("DFT of 400, real", "DFT", [normal(1, 100, 400, 1)], [None, np.array(2)], {"onesided": 1})
    yield Case(
        "logarithm of mels",
        "",
        [positive(80, 1000)],
        [np.float32(1e-5), np.float32(8)],
        chain="c = Max (x0, w0) y0 = Log (c)",
    )
    yield Case(
        "pad of sound", "Pad", [normal(1, 1, 16000)], [np.array([0, 0, 200, 0, 0, 200])], {"mode": "reflect"}
    )


def recurrent() -> Iterator[Case]:
    """Recurrent networks with batches, and sequences of different lengths."""
    for operator, gates in (("LSTM", 4), ("GRU", 3)):
        for batch in (16, 64):
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
        weights = [
            normal(2, gates * 128, 64) * 0.1,
            normal(2, gates * 128, 128) * 0.1,
            normal(2, 2 * gates * 128) * 0.1,
        ]
        attributes = {"hidden_size": 128, "direction": "bidirectional"}
        yield Case(f"{operator} both ways, batch 16", operator, [normal(32, 16, 64)], weights, attributes)
        lengths = np.arange(16, dtype=np.int32) + 17
        yield Case(f"{operator} of lengths", operator, [normal(32, 16, 64)], [*weights, lengths], attributes)
    weights = [normal(1, 2048, 512) * 0.05, normal(1, 2048, 512) * 0.05, normal(1, 4096) * 0.05]
    yield Case("LSTM one step of 512", "LSTM", [normal(1, 1, 512)], weights, {"hidden_size": 512})
    yield Case("LSTM 20 steps of 512", "LSTM", [normal(20, 1, 512)], weights, {"hidden_size": 512})
    weights = [normal(1, 768, 256) * 0.05, normal(1, 768, 256) * 0.05, normal(1, 1536) * 0.05]
    yield Case(
        "GRU 50 steps of 256, reset behind",
        "GRU",
        [normal(50, 1, 256)],
        weights,
        {"hidden_size": 256, "linear_before_reset": 1},
    )


def detection() -> Iterator[Case]:
    """Heads and necks of detectors."""
    yield Case("SiLU", "", [normal(1, 64, 80, 80)], chain="s = Sigmoid (x0) y0 = Mul (x0, s)")
    yield Case(
        "resize ×2 nearest, concat",
        "",
        [normal(1, 128, 20, 20), normal(1, 128, 40, 40)],
        [np.array([1, 1, 2, 2], np.float32)],
        chain=f"r = {NEAREST_CHAIN} y0 = Concat <axis = 1> (r, x1)",
    )
    sizes = "kernel_shape = [5, 5], pads = [2, 2, 2, 2]"
    pools = f"a = MaxPool <{sizes}> (x0) b = MaxPool <{sizes}> (a) c = MaxPool <{sizes}> (b) y0 = Concat <axis = 1> (x0, a, b, c)"
    yield Case("pyramid of pools", "", [normal(1, 128, 20, 20)], chain=pools)
    yield Case(
        "max pool 13×13", "MaxPool", [normal(1, 64, 20, 20)], (), {"kernel_shape": [13, 13], "pads": [6] * 4}
    )
    yield Case(
        "max pool 3×3/1", "MaxPool", [normal(1, 64, 38, 38)], (), {"kernel_shape": [3, 3], "pads": [1] * 4}
    )
    head = (
        "s = Sigmoid (x0) b, d, c = Split <axis = 2> (s, w0) m = Mul (b, w1) a = Add (m, w2) xy = Mul (a, w3) "
        "e = Mul (d, w1) q = Mul (e, e) wh = Mul (q, w4) y0 = Concat <axis = 2> (xy, wh, c)"
    )
    numbers = [np.array([2, 2, 81]), np.float32(2), normal(1, 4800, 2), np.float32(8), positive(1, 4800, 2)]
    yield Case("head of a YOLO", "", [normal(1, 4800, 85)], numbers, chain=head)
    distances = "r = Reshape (x0, w0) t = Transpose <perm = [0, 2, 1, 3]> (r) p = Softmax <axis = 1> (t) y0 = Conv (p, w1)"
    yield Case(
        "distances of a YOLO",
        "",
        [normal(1, 64, 2100)],
        [np.array([1, 4, 16, 2100]), positive(1, 16, 1, 1)],
        chain=distances,
    )
    corners = "a, b = Split <axis = 1, num_outputs = 2> (x0) l = Sub (w0, a) r = Add (w0, b) y0 = Concat <axis = 1> (l, r)"
    yield Case("corners of boxes", "", [positive(1, 4, 8400)], [normal(1, 2, 8400)], chain=corners)
    yield Case("transposed output of a YOLO", "Transpose", [normal(1, 84, 8400)], (), {"perm": [0, 2, 1]})
    yield Case(
        "best class",
        "",
        [normal(1, 8400, 80)],
        [np.array([2])],
        chain="y0 = ReduceMax <keepdims = 0> (x0, w0) y1 = ArgMax <axis = 2, keepdims = 0> (x0)",
        outputs=2,
    )
    yield Case("head to rows", "Transpose", [normal(1, 3, 85, 20, 20)], (), {"perm": [0, 1, 3, 4, 2]})
    chosen = np.sort(RANDOM.integers(0, 8400, 300))
    yield Case("gather chosen boxes", "Gather", [normal(1, 8400, 84), chosen], (), {"axis": 1})
    places = np.stack([np.zeros(300, np.int64), chosen], 1)
    yield Case("gather n-d of rows", "GatherND", [normal(1, 8400, 4), places])
    yield Case("top 300 of flattened classes", "TopK", [normal(1, 24000)], [np.array([300])], {"axis": 1}, 2)
    yield Case("top 100 of rows of classes", "TopK", [normal(80, 1000)], [np.array([100])], {"axis": 1}, 2)
    yield Case(
        "top 50 of int64", "TopK", [RANDOM.integers(0, 10**6, (16, 1024))], [np.array([50])], {"axis": 1}, 2
    )
    decode = (
        "c, s = Split <axis = 2, num_outputs = 2> (x0) m = Mul (c, w0) n = Mul (m, w1) p = Add (n, w2) e = Mul (s, w3) "
        "f = Exp (e) g = Mul (f, w1) h = Mul (g, w4) l = Sub (p, h) r = Add (p, h) y0 = Concat <axis = 2> (l, r)"
    )
    anchors = [np.float32(0.1), positive(1, 8732, 2), normal(1, 8732, 2), np.float32(0.2), np.float32(0.5)]
    yield Case("boxes of an SSD", "", [normal(1, 8732, 4)], anchors, chain=decode)
    yield Case("softmax of 21 classes", "Softmax", [normal(1, 8732, 21)], (), {"axis": 2})
    yield Case("Sigmoid of scores", "Sigmoid", [normal(1, 80, 8400)])
    yield conv("conv 1×1 to 255", (1, 256, 20, 20), (255, 256, 1, 1))
    yield conv("conv 6×6/2 of colours", (1, 3, 320, 320), (32, 3, 6, 6), strides=[2, 2], pads=[2] * 4)
    yield conv("conv 3×3/2 of colours", (1, 3, 320, 320), (16, 3, 3, 3), strides=[2, 2], pads=[1] * 4)
    yield conv("conv 3×3 of 16, large", (1, 16, 160, 160), (16, 16, 3, 3), pads=[1] * 4)
    yield Case(
        "focus",
        "",
        [normal(1, 3, 320, 320)],
        [
            np.array([0, 0]),
            np.array([0, 1]),
            np.array([1, 0]),
            np.array([1, 1]),
            np.array([400, 400]),
            np.array([2, 3]),
            np.array([2, 2]),
        ],
        chain=(
            "a = Slice (x0, w0, w4, w5, w6) b = Slice (x0, w2, w4, w5, w6) c = Slice (x0, w1, w4, w5, w6) "
            "d = Slice (x0, w3, w4, w5, w6) y0 = Concat <axis = 1> (a, b, c, d)"
        ),
    )


def tokens() -> Iterator[Case]:
    """Language models."""
    transposed = (
        "a, b = Split <axis = 3, num_outputs = 2> (x0) n = Neg (b) r = Concat <axis = 3> (n, a) "
        "c = Mul (x0, x1) s = Mul (r, x2) y0 = Add (c, s)"
    )
    angles = [normal(1, 1, 128, 64), normal(1, 1, 128, 64)]
    yield Case("rotary in parts", "", [normal(1, 12, 128, 64), *angles], chain=transposed)
    yield Case(
        "rotary in parts, one token",
        "",
        [normal(1, 32, 1, 128), normal(1, 1, 1, 128), normal(1, 1, 1, 128)],
        chain=transposed,
    )
    yield Case(
        "rotary, interleaved",
        "RotaryEmbedding",
        [normal(1, 12, 128, 64), normal(128, 32), normal(128, 32), np.arange(128).reshape(1, 128)],
        (),
        {"interleaved": 1},
        opset=23,
    )
    rms = (
        "q = Pow (x0, w0) m = ReduceMean (q, w1) e = Add (m, w2) r = Sqrt (e) d = Reciprocal (r) n = Mul (x0, d) "
        "y0 = Mul (w3, n)"
    )
    numbers = [np.float32(2), np.array([-1]), np.float32(1e-6), normal(2048)]
    yield Case("RMS norm in parts", "", [normal(1, 128, 2048)], numbers, chain=rms)
    yield Case("RMS norm of one token", "RMSNormalization", [normal(1, 4096)], [normal(4096)], opset=23)
    old = (
        "m = ReduceMean (x0, w0) d = Sub (x0, m) q = Pow (d, w1) v = ReduceMean (q, w0) e = Add (v, w2) "
        "r = Sqrt (e) n = Div (d, r) s = Mul (n, w3) y0 = Add (s, w4)"
    )
    numbers = [np.array([-1]), np.float32(2), np.float32(1e-5), normal(768), normal(768)]
    yield Case("layer norm in parts", "", [normal(1, 128, 768)], numbers, chain=old)
    gate = "s = Sigmoid (x0) a = Mul (x0, s) y0 = Mul (a, x1)"
    yield Case("SwiGLU", "", [normal(1, 128, 2816), normal(1, 128, 2816)], chain=gate)
    mask = "u = Unsqueeze (x1, w0) b = Cast <to = 9> (u) n = Not (b) s = Where (n, w1, x0) y0 = Softmax <axis = 3> (s)"
    ones = np.ones((1, 128), np.int64)
    yield Case(
        "softmax behind a mask of int64",
        "",
        [normal(1, 12, 128, 128), ones],
        [np.array([1, 2]), np.float32(-1e9)],
        chain=mask,
    )
    causal = "s = Div (x0, w0) m = Where (w1, s, w2) y0 = Softmax <axis = 3> (m)"
    triangle = np.tril(np.ones((1, 1, 128, 128), bool))
    yield Case(
        "softmax behind a triangle",
        "",
        [normal(1, 12, 128, 128)],
        [np.float32(8), triangle, np.float32(-1e9)],
        chain=causal,
    )
    minus = (
        "u = Unsqueeze (x1, w0) f = Cast <to = 1> (u) n = Sub (w1, f) m = Mul (n, w2) "
        "s = Add (x0, m) y0 = Softmax <axis = 3> (s)"
    )
    yield Case(
        "softmax and a mask added",
        "",
        [normal(1, 12, 128, 128), ones],
        [np.array([1, 2]), np.float32(1), np.float32(-1e4)],
        chain=minus,
    )
    yield Case("append to keys", "Concat", [normal(1, 12, 255, 64), normal(1, 12, 1, 64)], (), {"axis": 2})
    yield Case(
        "append to keys of 32 heads",
        "Concat",
        [normal(1, 32, 511, 128), normal(1, 32, 1, 128)],
        (),
        {"axis": 2},
    )
    step = [normal(1, 12, 1, 64), normal(1, 12, 256, 64), normal(1, 12, 256, 64)]
    yield Case("attention of one token", "Attention", step, opset=23)
    past = [normal(1, 12, 1, 64), normal(1, 12, 1, 64), normal(1, 12, 1, 64)]
    yield Case(
        "attention of long rows",
        "Attention",
        [normal(1, 8, 512, 64), normal(1, 8, 512, 64), normal(1, 8, 512, 64)],
        opset=23,
    )
    yield Case(
        "attention with a mask",
        "Attention",
        [normal(1, 12, 128, 64), normal(1, 12, 128, 64), normal(1, 12, 128, 64)],
        [triangle[0, 0]],
        opset=23,
    )
    steps = (
        "k = Concat <axis = 2> (x3, x1) v = Concat <axis = 2> (x4, x2) t = Transpose <perm = [0, 1, 3, 2]> (k) "
        "q = MatMul (x0, t) s = Mul (q, w0) p = Softmax <axis = 3> (s) y0 = MatMul (p, v) y1 = Identity (k) y2 = Identity (v)"
    )
    yield Case(
        "one token and its past",
        "",
        [*past, normal(1, 12, 255, 64), normal(1, 12, 255, 64)],
        [np.float32(0.125)],
        chain=steps,
        outputs=3,
    )
    shared = "u = Unsqueeze (x0, w0) e = Expand (u, w1) y0 = Reshape (e, w2)"
    yield Case(
        "repeated keys",
        "",
        [normal(1, 8, 128, 64)],
        [np.array([2]), np.array([1, 8, 4, 128, 64]), np.array([1, 32, 128, 64])],
        chain=shared,
    )
    heads = "m = MatMul (x0, w0) b = Add (m, w1) r = Reshape (b, w2) y0 = Transpose <perm = [0, 2, 1, 3]> (r)"
    yield Case(
        "projection to heads",
        "",
        [normal(1, 128, 384)],
        [normal(384, 384) * 0.05, normal(384), np.array([1, 128, 12, 32])],
        chain=heads,
    )
    yield Case("matmul of one token", "MatMul", [normal(1, 1, 2048)], [normal(2048, 2048)])
    yield Case("matmul 1×768×32000", "MatMul", [normal(1, 768)], [normal(768, 32000)])
    yield Case(
        "einsum bhqk,bhkd",
        "Einsum",
        [normal(1, 12, 128, 128), normal(1, 12, 128, 64)],
        (),
        {"equation": "bhqk,bhkd->bhqd"},
    )
    yield Case(
        "einsum bqd,dhk", "Einsum", [normal(1, 128, 256)], [normal(256, 8, 32)], {"equation": "bqd,dhk->bhqk"}
    )
    yield Case("einsum i,j", "Einsum", [normal(512), normal(32)], (), {"equation": "i,j->ij"})
    yield Case(
        "einsum bchw,ck", "Einsum", [normal(1, 64, 20, 20), normal(64, 32)], (), {"equation": "bchw,ck->bkhw"}
    )
    position = "c = CumSum (x0, w0) s = Sub (c, w1) y0 = Mul (s, x0)"
    yield Case(
        "positions of a mask", "", [np.ones((8, 512), np.int64)], [np.array(1), np.array(1)], chain=position
    )
    yield Case(
        "gather logits",
        "GatherElements",
        [normal(128, 32000), RANDOM.integers(0, 32000, (128, 1))],
        (),
        {"axis": 1},
    )
    yield Case(
        "embeddings and a norm",
        "",
        [RANDOM.integers(0, 1000, (1, 128)), np.arange(128).reshape(1, 128)],
        [normal(1000, 384), normal(512, 384), normal(384), normal(384)],
        chain="a = Gather (w0, x0) b = Gather (w1, x1) s = Add (a, b) y0 = LayerNormalization (s, w2, w3)",
    )
    yield Case(
        "residual and a norm",
        "",
        [normal(1, 128, 768), normal(1, 128, 768)],
        [normal(768), normal(768)],
        chain="y0 = Add (x0, x1) y1 = LayerNormalization (y0, w0, w1)",
        outputs=2,
    )
    yield Case(
        "mean over a mask",
        "",
        [normal(1, 128, 384), ones],
        [np.array([-1]), np.array([1]), np.float32(1e-9)],
        chain=(
            "u = Unsqueeze (x1, w0) f = Cast <to = 1> (u) m = Mul (x0, f) s = ReduceSum <keepdims = 0> (m, w1) "
            "c = ReduceSum <keepdims = 0> (f, w1) d = Max (c, w2) y0 = Div (s, d)"
        ),
    )
    yield Case(
        "norm of embeddings",
        "",
        [normal(16, 384)],
        [np.array([1]), np.float32(1e-12)],
        chain="n = ReduceL2 (x0, w0) m = Max (n, w1) y0 = Div (x0, m)",
    )
    yield Case(
        "relative positions",
        "",
        [normal(1, 12, 128, 128)],
        [normal(1, 12, 128, 128)],
        chain="s = Add (x0, w0) y0 = Softmax <axis = 3> (s)",
    )
    yield Case("top 50 of the vocabulary", "TopK", [normal(1, 32000)], [np.array([50])], {"axis": 1}, 2)
    yield Case("ArgMax of the vocabulary", "ArgMax", [normal(1, 32000)], (), {"axis": 1})
    yield Case("softmax of 512", "Softmax", [normal(1, 8, 512, 512)])
    yield Case(
        "Equal to padding",
        "",
        [whole(8, 512)],
        [np.array(1)],
        chain="e = Equal (x0, w0) n = Not (e) y0 = Cast <to = 7> (n)",
    )
    yield Case(
        "ScatterND into a cache",
        "ScatterND",
        [normal(1, 256, 512), np.array([[[0, 100]]]), normal(1, 1, 512)],
    )
