"""Operators for `operators.py`: forms that newer exports have, and work before and behind a network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from operator_case import RANDOM, Case, normal, whole


def recent_cases() -> Iterator[Case]:
    """Newer operators, caches of keys, half floats, images of bytes, what detectors and decoders do with scores."""
    yield from decoders()
    yield from half_floats()
    yield from images()
    yield from detectors()
    yield from searches()


def decoders() -> Iterator[Case]:
    """Language models of today: grouped queries, caches, gates."""
    yield Case(
        "attention of groups, one token",
        "Attention",
        [normal(1, 32, 1, 64), normal(1, 8, 512, 64), normal(1, 8, 512, 64)],
        opset=23,
    )
    yield Case(
        "attention of groups, causal",
        "Attention",
        [normal(1, 16, 128, 64), normal(1, 4, 128, 64), normal(1, 4, 128, 64)],
        (),
        {"is_causal": 1},
        opset=23,
    )
    yield Case(
        "attention of hidden elements",
        "Attention",
        [normal(1, 128, 512), normal(1, 128, 512), normal(1, 128, 512)],
        (),
        {"q_num_heads": 8, "kv_num_heads": 8},
        opset=23,
    )
    grown = (
        "k = Concat <axis = 2> (x1, x3) v = Concat <axis = 2> (x2, x4) t = Transpose <perm = [0, 1, 3, 2]> (k) "
        "s = MatMul (x0, t) m = Mul (s, w0) p = Softmax <axis = 3> (m) y0 = MatMul (p, v) y1 = Identity (k) y2 = Identity (v)"
    )
    past, new = (1, 12, 255, 64), (1, 12, 1, 64)
    yield Case(
        "attention in parts behind a cache",
        "",
        [normal(*new), normal(*past), normal(*past), normal(*new), normal(*new)],
        [np.float32(0.125)],
        outputs=3,
        chain=grown,
    )
    repeated = (
        "u = Unsqueeze (x1, w0) e = Expand (u, w1) k = Reshape (e, w2) a = Unsqueeze (x2, w0) b = Expand (a, w1) "
        "v = Reshape (b, w2) t = Transpose <perm = [0, 1, 3, 2]> (k) s = MatMul (x0, t) m = Mul (s, w3) "
        "p = Softmax <axis = 3> (m) y0 = MatMul (p, v)"
    )
    numbers = [np.array([2]), np.array([1, 8, 4, 512, 64]), np.array([1, 32, 512, 64]), np.float32(0.125)]
    shared = [normal(1, 32, 1, 64), normal(1, 8, 512, 64), normal(1, 8, 512, 64)]
    yield Case("attention in parts, keys repeated, one token", "", shared, numbers, chain=repeated)
    yield Case("RMS norm of 128 tokens", "RMSNormalization", [normal(1, 128, 1024)], [normal(1024)], opset=23)
    yield Case("RMS norm of heads", "RMSNormalization", [normal(1, 128, 16, 64)], [normal(64)], opset=23)
    yield Case("Swish", "Swish", [normal(1, 128, 1024)], opset=24)
    angles = [normal(128, 16), normal(128, 16), np.arange(128).reshape(1, 128)]
    yield Case(
        "rotary, half of a head",
        "RotaryEmbedding",
        [normal(1, 12, 128, 64), *angles],
        (),
        {"rotary_embedding_dim": 32},
        opset=23,
    )
    angles = [normal(1, 1, 32), normal(1, 1, 32)]
    yield Case(
        "rotary of hidden elements, one token",
        "RotaryEmbedding",
        [normal(1, 1, 2048), *angles],
        (),
        {"num_heads": 32},
        opset=23,
    )
    pairs = (
        "e = Slice (x0, w0, w2, w3, w4) o = Slice (x0, w1, w2, w3, w4) "
        "ec = Mul (e, x1) os = Mul (o, x2) r = Sub (ec, os) es = Mul (e, x2) oc = Mul (o, x1) i = Add (es, oc) "
        "ru = Unsqueeze (r, w5) iu = Unsqueeze (i, w5) s = Concat <axis = -1> (ru, iu) y0 = Reshape (s, w6)"
    )
    numbers = [
        np.array([0]),
        np.array([1]),
        np.array([2**40]),
        np.array([3]),
        np.array([2]),
        np.array([4]),
        np.array([1, 12, 128, 64]),
    ]
    yield Case(
        "rotary, interleaved, in parts",
        "",
        [normal(1, 12, 128, 64), normal(128, 32), normal(128, 32)],
        numbers,
        chain=pairs,
    )
    split = "a, b = Split <axis = -1, num_outputs = 2> (x0) s = Sigmoid (a) g = Mul (a, s) y0 = Mul (g, b)"
    yield Case("SwiGLU of halves", "", [normal(1, 128, 5632)], chain=split)
    gelu = "a, b = Split <axis = -1, num_outputs = 2> (x0) g = Gelu (b) y0 = Mul (a, g)"
    yield Case("GEGLU of halves", "", [normal(1, 128, 5120)], chain=gelu)
    yield Case(
        "TensorScatter into a cache",
        "TensorScatter",
        [normal(1, 12, 256, 64), normal(1, 12, 1, 64), np.array([100])],
        (),
        {"axis": 2},
        opset=24,
    )
    causal = "s = Shape (x0) r = Range (w0, w1, w2) c = Unsqueeze (r, w3) g = Greater (r, c) y0 = Where (g, w4, x0)"
    numbers = [np.int64(0), np.int64(256), np.int64(1), np.array([1]), np.float32(-1e9)]
    yield Case("causal mask made of ranges", "", [normal(1, 8, 256, 256)], numbers, chain=causal)
    qk = (
        "r = Reshape (x0, w0) t = Transpose <perm = [2, 0, 3, 1, 4]> (r) q, k, v = Split <axis = 0, "
        "num_outputs = 3> (t) y0 = Squeeze (q, w1) y1 = Squeeze (k, w1) y2 = Squeeze (v, w1)"
    )
    yield Case(
        "queries, keys and values of one product",
        "",
        [normal(1, 197, 2304)],
        [np.array([1, 197, 3, 12, 64]), np.array([0])],
        outputs=3,
        chain=qk,
    )


def half_floats() -> Iterator[Case]:
    """Weights and activations kept in 16 bits."""
    half = np.float16
    yield Case(
        "matmul of weights in float16",
        "",
        [normal(128, 768)],
        [(normal(768, 768) * 0.05).astype(half)],
        chain="w = Cast <to = 1> (w0) y0 = MatMul (x0, w)",
    )
    yield Case(
        "one token by weights in float16",
        "MatMul",
        [normal(1, 768).astype(half)],
        [(normal(768, 768) * 0.05).astype(half)],
    )
    yield Case(
        "conv 3×3 float16",
        "Conv",
        [normal(1, 32, 28, 28).astype(half)],
        [(normal(32, 32, 3, 3) * 0.1).astype(half)],
        {"pads": [1] * 4},
    )
    yield Case("Add float16 of a row", "Add", [normal(128, 768).astype(half), normal(768).astype(half)])
    yield Case(
        "RMS norm float16",
        "",
        [normal(1, 128, 1024).astype(half)],
        [np.float32(2), np.array([-1]), np.float32(1e-6), normal(1024).astype(half)],
        chain=(
            "f = Cast <to = 1> (x0) q = Pow (f, w0) m = ReduceMean (q, w1) e = Add (m, w2) r = Sqrt (e) "
            "n = Div (f, r) h = Cast <to = 10> (n) y0 = Mul (h, w3)"
        ),
    )
    yield Case(
        "gather rows float16",
        "Gather",
        [RANDOM.integers(0, 1000, (128,))],
        [normal(1000, 768).astype(half)],
        {"axis": 0},
        weights_first=True,
    )
    yield Case(
        "transpose heads float16",
        "Transpose",
        [normal(1, 128, 12, 64).astype(half)],
        (),
        {"perm": [0, 2, 1, 3]},
    )
    yield Case(
        "SiLU float16", "", [normal(1, 64, 56, 56).astype(half)], chain="s = Sigmoid (x0) y0 = Mul (x0, s)"
    )
    yield Case(
        "cast float to float16 and back",
        "",
        [normal(128, 768)],
        chain="h = Cast <to = 10> (x0) y0 = Cast <to = 1> (h)",
    )
    yield Case(
        "matmul float16, batched",
        "MatMul",
        [normal(12, 128, 64).astype(half), normal(12, 64, 128).astype(half)],
    )
    yield Case("ReduceMean float16", "ReduceMean", [normal(128, 768).astype(half)], [np.array([1])])


def images() -> Iterator[Case]:
    """Bytes of a camera before a network, and masks behind it."""
    image = RANDOM.integers(0, 256, (1, 240, 320, 3)).astype(np.uint8)
    means = [np.array([123.7, 116.3, 103.5], np.float32), np.array([58.4, 57.1, 57.4], np.float32)]
    yield Case(
        "bytes to planes",
        "",
        [image],
        [np.float32(1 / 255)],
        chain="f = Cast <to = 1> (x0) s = Mul (f, w0) y0 = Transpose <perm = [0, 3, 1, 2]> (s)",
    )
    yield Case(
        "bytes made normal",
        "",
        [image],
        means,
        chain="f = Cast <to = 1> (x0) s = Sub (f, w0) d = Div (s, w1) y0 = Transpose <perm = [0, 3, 1, 2]> (d)",
    )
    planes = np.ascontiguousarray(image.transpose(0, 3, 1, 2))
    sizes = np.array([1, 3, 224, 224])
    yield Case(
        "resize bytes linear",
        "",
        [planes],
        [sizes],
        chain='f = Cast <to = 1> (x0) y0 = Resize <mode = "linear"> (f, , , w0)',
    )
    yield Case(
        "resize bytes to a network",
        "",
        [image],
        [np.array([1, 224, 224, 3]), *means],
        chain=(
            'f = Cast <to = 1> (x0) r = Resize <mode = "linear"> (f, , , w0) s = Sub (r, w1) d = Div (s, w2) '
            "y0 = Transpose <perm = [0, 3, 1, 2]> (d)"
        ),
    )
    yield Case(
        "resize ½ linear of colours",
        "Resize",
        [normal(1, 3, 448, 448)],
        [None, np.array([1, 1, 0.5, 0.5], np.float32)],
        {"mode": "linear"},
    )
    yield Case(
        "resize antialiased",
        "Resize",
        [normal(1, 3, 448, 448)],
        [None, None, np.array([1, 3, 224, 224])],
        {"mode": "linear", "antialias": 1},
    )
    yield Case(
        "grey of colours",
        "",
        [normal(1, 3, 240, 320)],
        [np.array([0.299, 0.587, 0.114], np.float32).reshape(1, 3, 1, 1), np.array([1])],
        chain="m = Mul (x0, w0) y0 = ReduceSum (m, w1)",
    )
    yield Case("reversed colours", "Gather", [normal(1, 3, 240, 320)], [np.array([2, 1, 0])], {"axis": 1})
    yield Case("pad of bytes", "Pad", [image], [np.array([0, 40, 0, 0, 0, 40, 0, 0]), np.uint8(114)])
    yield Case(
        "mask over a threshold",
        "",
        [normal(1, 1, 256, 256)],
        [np.float32(0.5), np.float32(255)],
        chain="s = Sigmoid (x0) g = Greater (s, w0) f = Cast <to = 1> (g) m = Mul (f, w1) y0 = Cast <to = 2> (m)",
    )
    yield Case(
        "bytes back to rows",
        "",
        [normal(1, 3, 224, 224)],
        [np.float32(255), np.float32(0)],
        chain="m = Mul (x0, w0) c = Clip (m, w1, w0) t = Transpose <perm = [0, 2, 3, 1]> (c) y0 = Cast <to = 2> (t)",
    )


def detectors() -> Iterator[Case]:
    """What stands behind the heads of detectors."""
    best = "m = ReduceMax <keepdims = 0> (x0, w0) a = ArgMax <axis = 1, keepdims = 0> (x0) f = Cast <to = 1> (a) y0 = Sub (m, f)"
    yield Case("best score and its class", "", [normal(1, 80, 2100)], [np.array([1])], chain=best)
    chosen = "v, p = TopK <axis = 1> (x0, w0) u = Unsqueeze (p, w1) e = Expand (u, w2) y0 = GatherElements <axis = 1> (x1, e)"
    yield Case(
        "boxes of the best 300",
        "",
        [normal(1, 8400), normal(1, 8400, 4)],
        [np.array([300]), np.array([2]), np.array([1, 300, 4])],
        chain=chosen,
    )
    yield Case(
        "gather elements of the last",
        "GatherElements",
        [normal(300, 80), RANDOM.integers(0, 80, (300, 1))],
        (),
        {"axis": 1},
    )
    yield Case(
        "ScatterND of points",
        "ScatterND",
        [
            np.zeros((1, 128, 128), np.float32),
            RANDOM.integers(0, 128, (1000, 3)) * np.array([0, 1, 1]),
            normal(1000),
        ],
        (),
        {"reduction": "add"},
    )
    yield Case(
        "ScatterND of pillars",
        "ScatterND",
        [
            np.zeros((64, 64, 64), np.float32),
            RANDOM.permutation(4096)[:1000].reshape(1000, 1).repeat(2, 1) // np.array([64, 1]) % 64,
            normal(1000, 64),
        ],
    )
    inter = (
        "a = Max (x0, x1) b = Min (x2, x3) d = Sub (b, a) e = Clip (d, w0) w, h = Split <axis = 2, "
        "num_outputs = 2> (e) i = Mul (w, h) y0 = Squeeze (i, w1)"
    )
    yield Case(
        "intersections of boxes",
        "",
        [normal(300, 1, 2), normal(1, 50, 2), normal(300, 1, 2), normal(1, 50, 2)],
        [np.float32(0), np.array([2])],
        chain=inter,
    )
    yield Case(
        "grid sample of 4 levels",
        "GridSample",
        [normal(8, 32, 28, 28), RANDOM.uniform(-1, 1, (8, 300, 4, 2)).astype(np.float32)],
        (),
        {"mode": "linear"},
    )


def searches() -> Iterator[Case]:
    """Choosing words: beams, samples, CTC."""
    yield Case(
        "log softmax and the best 8",
        "",
        [normal(4, 32000)],
        [np.array([8])],
        outputs=2,
        chain="l = LogSoftmax <axis = 1> (x0) y0, y1 = TopK <axis = 1> (l, w0)",
    )
    yield Case(
        "beams of all words",
        "",
        [normal(4, 8000), normal(4, 1)],
        [np.array([1, -1]), np.array([8]), np.int64(8000)],
        outputs=3,
        chain=(
            "l = LogSoftmax <axis = 1> (x0) s = Add (l, x1) f = Reshape (s, w0) y0, p = TopK <axis = 1> (f, w1) "
            "y1 = Div (p, w2) y2 = Mod (p, w2)"
        ),
    )
    yield Case(
        "caches of the best beams", "Gather", [normal(4, 12, 64, 64), np.array([2, 0, 0, 1])], (), {"axis": 0}
    )
    yield Case(
        "best path of a CTC",
        "",
        [normal(1, 200, 32)],
        [],
        chain="a = ArgMax <axis = 2, keepdims = 0> (x0) y0 = Cast <to = 6> (a)",
    )
    yield Case(
        "words asked before, made less likely",
        "",
        [normal(1, 32000), RANDOM.integers(0, 32000, (1, 128))],
        [np.float32(0), np.float32(1.2)],
        chain=(
            "g = GatherElements <axis = 1> (x0, x1) n = Less (g, w0) m = Mul (g, w1) d = Div (g, w1) "
            "s = Where (n, m, d) y0 = ScatterElements <axis = 1> (x0, x1, s)"
        ),
    )
    yield Case(
        "sum of the likeliest",
        "",
        [normal(1, 32000)],
        [np.array(1)],
        outputs=1,
        chain="p = Softmax <axis = 1> (x0) y0 = CumSum (p, w0)",
    )
    yield Case(
        "temperature and softmax",
        "",
        [normal(1, 50257)],
        [np.float32(0.7)],
        chain="d = Div (x0, w0) y0 = Softmax <axis = 1> (d)",
    )
    yield Case("positions of tokens", "CumSum", [whole(8, 128)], [np.array(1)])
    yield Case(
        "mean and standard deviation",
        "",
        [normal(1, 1500, 128)],
        [np.array([1])],
        outputs=1,
        chain=(
            "m = ReduceMean (x0, w0) d = Sub (x0, m) q = Mul (d, d) v = ReduceMean (q, w0) s = Sqrt (v) "
            "y0 = Concat <axis = -1> (m, s)"
        ),
    )
    yield Case(
        "tokens of words alike",
        "",
        [whole(8, 128), whole(8, 128)],
        [],
        chain="e = Equal (x0, x1) y0 = Cast <to = 1> (e)",
    )
