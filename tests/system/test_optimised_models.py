"""Models that onnxruntime's optimiser fused: they compute what they did, with kernels like those of the plain export."""

from __future__ import annotations

import math

import numpy as np
import onnx
import onnxruntime

import ingot
from tests.support.contrib import by_onnxruntime
from tests.support.models import model

HIDDEN, HEADS, TOKENS, WIDE = 64, 4, 12, 128


def encoder(layers=2):
    """Layers of a BERT as PyTorch exports them at opset 14: normalisations and GELUs are written out."""
    random = np.random.default_rng(0)
    size = HIDDEN // HEADS
    weights = {
        "eps": np.float32(1e-5), "two": np.float32(2), "root": np.float32(math.sqrt(2)), "one": np.float32(1),
        "half": np.float32(0.5), "divisor": np.float32(math.sqrt(size)), "filter": np.float32(-10000),
        "split": np.array([0, 0, HEADS, size]), "joined": np.array([0, 0, HIDDEN]),
    }  # fmt: skip

    def weight(name, *shape):
        weights[name] = np.asarray(random.standard_normal(shape) / math.sqrt(shape[0]), np.float32)
        return name

    lines = ["f = Cast<to = 1>(m)", "u = Unsqueeze(f, axes)", "v = Sub(one, u)", "mask = Mul(v, filter)"]
    weights["axes"] = np.array([1, 2])

    def dense(into, x, name, rows, columns):
        product = f"{into} = Add({weight(name + 'b', columns)}, {into}p)"
        lines.extend([f"{into}p = MatMul({x}, {weight(name, rows, columns)})", product])

    def norm(into, x):
        lines.extend([
            f"{into}m = ReduceMean<axes = [-1]>({x})", f"{into}c = Sub({x}, {into}m)", f"{into}q = Pow({into}c, two)",
            f"{into}v = ReduceMean<axes = [-1]>({into}q)", f"{into}e = Add({into}v, eps)", f"{into}s = Sqrt({into}e)",
            f"{into}n = Div({into}c, {into}s)", f"{into}g = Mul({into}n, {weight(into + 'w', HIDDEN)})",
            f"{into} = Add({into}g, {weight(into + 'b', HIDDEN)})",
        ])  # fmt: skip

    norm("h0", "x")
    for layer in range(layers):
        x, p = f"h{layer}", f"l{layer}"
        for part in "qkv":
            dense(p + part, x, p + part + "w", HIDDEN, HIDDEN)
            order = "[0, 2, 3, 1]" if part == "k" else "[0, 2, 1, 3]"
            lines.append(f"{p}{part}r = Reshape({p}{part}, split)")
            lines.append(f"{p}{part}t = Transpose<perm = {order}>({p}{part}r)")
        lines.extend([
            f"{p}s = MatMul({p}qt, {p}kt)", f"{p}d = Div({p}s, divisor)", f"{p}a = Add({p}d, mask)",
            f"{p}o = Softmax<axis = 3>({p}a)", f"{p}y = MatMul({p}o, {p}vt)", f"{p}z = Transpose<perm = [0, 2, 1, 3]>({p}y)",
            f"{p}j = Reshape({p}z, joined)",
        ])  # fmt: skip
        dense(p + "out", p + "j", p + "ow", HIDDEN, HIDDEN)
        lines.append(f"{p}r1 = Add({p}out, {x})")
        norm(p + "n1", p + "r1")
        dense(p + "up", p + "n1", p + "uw", HIDDEN, WIDE)
        lines.extend([
            f"{p}g1 = Div({p}up, root)", f"{p}g2 = Erf({p}g1)", f"{p}g3 = Add({p}g2, one)", f"{p}g4 = Mul({p}up, {p}g3)",
            f"{p}g5 = Mul({p}g4, half)",
        ])  # fmt: skip
        dense(p + "down", p + "g5", p + "dw", WIDE, HIDDEN)
        lines.append(f"{p}r2 = Add({p}down, {p}n1)")
        norm(f"h{layer + 1}", p + "r2")
    lines.append(f"y = Identity(h{layers})")
    shape = f"float[1,{TOKENS},{HIDDEN}]"
    proto = model(f"g ({shape} x, int64[1,{TOKENS}] m) => ({shape} y) {{ {' '.join(lines)} }}", opset=14)
    proto.graph.initializer.extend(
        onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()
    )
    return proto


def optimised(proto, path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(str(path))


def test_an_encoder_that_was_fused_has_the_kernels_of_its_plain_export(tmp_path):
    plain = encoder()
    fused = optimised(plain, tmp_path / "fused.onnx")
    ours = {node.op_type for node in fused.graph.node if node.domain == "com.microsoft"}
    assert {"SkipLayerNormalization", "Gelu", "FusedMatMul"} <= ours, ours
    random = np.random.default_rng(1)
    mask = np.ones((1, TOKENS), np.int64)
    mask[0, -3:] = 0
    feeds = {"x": np.asarray(random.standard_normal((1, TOKENS, HIDDEN)), np.float32), "m": mask}
    (expected,) = by_onnxruntime(plain, feeds)
    libraries = {
        name: ingot.build(one, "llvm", cache=None).load()["g"]
        for name, one in (("plain", plain), ("fused", fused))
    }
    for library in libraries.values():
        np.testing.assert_allclose(library().predict(**feeds), expected, rtol=1e-4, atol=2e-5)
    counts = {name: len(library.info.calls) for name, library in libraries.items()}
    # The mask and a normalisation; of each layer three products for attention, which is one more, three others, two norms.
    assert counts["fused"] == counts["plain"] == 2 + 2 * 9, counts
