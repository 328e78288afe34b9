"""Models whose products are made in matrix tiles: every way to build, tune, export and run them that there is for others."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.api.artifact_set import ArtifactSet
from ingot.artifact.tuning_json import tuning_from_json
from ingot.base.observe import Observer
from tests.support.kernel_llvm import needs_cc
from tests.support.tiles import HERE, IN_TILES, ON, needs_float_tiles, needs_tiles

ROWS, WIDTH = 96, 192
LATER = "llvm -mtriple=x86_64-linux-gnu -mcpu=graniterapids"


def encoder() -> onnx.ModelProto:
    """x + gemm(relu(layer_norm(x) · w + b)), by MatMul, MatMul of more dimensions, and Gemm of transposed operands."""
    rng = np.random.default_rng(0)

    def weights(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array((rng.standard_normal(shape) / np.sqrt(WIDTH)).astype(np.float32), name)

    nodes = [
        helper.make_node("LayerNormalization", ["x", "scale", "shift"], ["n"]),
        helper.make_node("MatMul", ["n", "w"], ["t"]),
        helper.make_node("Add", ["t", "b"], ["u"]),
        helper.make_node("Gelu", ["u"], ["v"]),
        helper.make_node("Reshape", ["v", "shape"], ["m"]),
        helper.make_node("MatMul", ["m", "w2"], ["o"]),
        helper.make_node("Reshape", ["o", "back"], ["p"]),
        helper.make_node("Gemm", ["p", "w3", "b"], ["q"], transB=1),
        helper.make_node("Add", ["q", "v"], ["r"]),
        helper.make_node("Transpose", ["r"], ["s"], perm=[1, 0]),
        helper.make_node("Gemm", ["s", "w4"], ["z"], transA=1),
        helper.make_node("Tanh", ["z"], ["y"]),
    ]
    constants = [
        *(weights(name, WIDTH) for name in ("scale", "shift")),
        *(weights(name, WIDTH * 2) for name in ("b",)),
        weights("w", WIDTH, WIDTH * 2),
        weights("w2", WIDTH * 2, WIDTH * 2),
        weights("w3", WIDTH * 2, WIDTH * 2),
        weights("w4", WIDTH * 2, 100),
        numpy_helper.from_array(np.array([2, ROWS // 2, WIDTH * 2]), "shape"),
        numpy_helper.from_array(np.array([ROWS, WIDTH * 2]), "back"),
    ]
    graph = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS, 100])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def product(codes: bool) -> onnx.ModelProto:
    """y = x · w, of codes or of float32."""
    rng = np.random.default_rng(0)
    w = (
        rng.integers(-128, 128, (192, 256)).astype(np.int8)
        if codes
        else rng.standard_normal((192, 256)).astype(np.float32)
    )
    kinds = (TensorProto.UINT8, TensorProto.INT32) if codes else (TensorProto.FLOAT, TensorProto.FLOAT)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger" if codes else "MatMul", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", kinds[0], [128, 192])],
        [helper.make_tensor_value_info("y", kinds[1], [128, 256])],
        [numpy_helper.from_array(w, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def operand(codes: bool) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (
        rng.integers(0, 256, (128, 192)).astype(np.uint8)
        if codes
        else rng.standard_normal((128, 192)).astype(np.float32)
    )


def expected(codes: bool) -> tuple[np.ndarray, np.ndarray | int]:
    """The product, and how far it may be off."""
    w = numpy_helper.to_array(product(codes).graph.initializer[0]).astype(np.float64)
    x = operand(codes).astype(np.float64)
    return x @ w, 0 if codes else 2.0**-20 * (np.abs(x) @ np.abs(w))


def tune(codes: bool, cache: Path | None, seconds: float) -> ArtifactSet:
    quiet = Observer(on_note=lambda _: None)
    return ingot.build(product(codes), IN_TILES[codes], name="m", tune=seconds, cache=cache, observer=quiet)


def check(result: object, codes: bool) -> None:
    want, allowed = expected(codes)
    assert (np.abs(np.asarray(result) - want) <= allowed).all()


KINDS = [
    pytest.param(True, marks=needs_tiles, id="codes"),
    pytest.param(False, marks=needs_float_tiles, id="floats"),
]
WAYS = {True: ("qmatmul", "amx", "panels"), False: ("matmul", "amx", "panels")}  # a decision, and its words
FEATURES = {True: {"amx_tile", "amx_int8"}, False: {"amx_tile", "amx_bf16"}}


def features(library: Path) -> set[str]:
    return {name for name in ingot.load(library)["m"].info.cpu_features if name.startswith("amx")}


# ─── models ────────────────────────────────────────────────────────────────────────────────────────────────────────


@needs_cc
@needs_float_tiles
def test_tiles_agree_with_exact_products_and_only_exact_has_none(tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((ROWS, WIDTH)).astype(np.float32)
    results = {}
    for name, target, math in [
        ("fast", ON, "fast"), ("normwise", ON, "normwise"), ("exact", ON, "exact"), ("off", " -mattr=-amx-bf16", "fast")
    ]:  # fmt: skip
        built = ingot.build(encoder(), HERE + target, name="m", math=math, cache=None)
        built.export_library(tmp_path / f"{name}.so")
        assert features(tmp_path / f"{name}.so") == (
            FEATURES[False] if name in ("fast", "normwise") else set()
        )
        model = ingot.load(tmp_path / f"{name}.so")["m"]
        one, two = (np.asarray(model(ingot.cpu(0), threads=threads).predict(x=x)) for threads in (1, 2))
        np.testing.assert_array_equal(one, two)
        results[name] = one
    for name in ("fast", "normwise", "off"):
        np.testing.assert_allclose(results[name], results["exact"], rtol=1e-4, atol=1e-5)
    assert (results["fast"] != results["exact"]).any()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="links for this kind of machine: x86-64")
@needs_cc
def test_a_library_for_a_later_processor_is_built_the_same_again_on_any_machine(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ingot.build(encoder(), LATER + ON, name="m", cache=None).export_library(tmp_path / f"{name}.so")
    assert (tmp_path / "one.so").read_bytes() == (tmp_path / "two.so").read_bytes()
    ingot.build(encoder(), LATER + " -mattr=-amx-bf16", name="m", cache=None).export_library(
        tmp_path / "off.so"
    )
    assert (tmp_path / "one.so").read_bytes() != (tmp_path / "off.so").read_bytes()


@pytest.mark.parametrize("codes", KINDS)
def test_code_made_in_memory_has_tiles(codes: bool) -> None:
    off = "int8" if codes else "bf16"
    results = [
        np.asarray(
            ingot.build(product(codes), target, name="m", cache=None)
            .load()["m"](ingot.cpu(0))
            .predict(x=operand(codes))
        )
        for target in ("llvmjit --cores=1" + ("" if codes else ON), f"llvmjit --cores=1 -mattr=-amx-{off}")
    ]
    for result in results:
        check(result, codes)
    assert (results[0] == results[1]).all() == codes  # sums of float32 are rounded in another order


# ─── tuning ────────────────────────────────────────────────────────────────────────────────────────────────────────


@needs_cc
@pytest.mark.parametrize("codes", KINDS)
def test_tuning_measures_tiles_and_its_file_makes_the_same_bytes(codes: bool, tmp_path: Path) -> None:
    tuned = tune(codes, tmp_path / "cache", 20)
    tuned.export_tuning(tmp_path / "m.json")
    (group,) = tuning_from_json((tmp_path / "m.json").read_bytes())
    (kernel,) = group.kernels
    decision, *words = WAYS[codes]
    assert dict(kernel.choices)[decision] in words
    again = ingot.build(product(codes), IN_TILES[codes], name="m", tuning=tmp_path / "m.json", cache=None)
    kept = tune(codes, tmp_path / "cache", 0)
    assert again.digest() == kept.digest() == tuned.digest()
    again.export_tuning(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@needs_cc
@pytest.mark.parametrize("codes", KINDS)
def test_words_of_a_file_say_whether_sums_are_in_tiles(codes: bool, tmp_path: Path) -> None:
    tuned = tune(codes, None, 20)
    tuned.export_tuning(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    (kernel,) = data["measured"][0]["kernels"]
    decision, *words = WAYS[codes]
    for word in words:
        kernel["choices"] = {decision: word}
        (tmp_path / "word.json").write_text(json.dumps(data))
        built = ingot.build(
            product(codes), IN_TILES[codes], name="m", tuning=tmp_path / "word.json", cache=None
        )
        built.export_library(tmp_path / f"{word}.so")
        assert features(tmp_path / f"{word}.so") == (FEATURES[codes] if word == words[0] else set())
        check(ingot.load(tmp_path / f"{word}.so")["m"](ingot.cpu(0)).predict(x=operand(codes)), codes)


# ─── archives and entries for C ────────────────────────────────────────────────────────────────────────────────────

# Linux gives tiles to no process with a signal stack on which their state finds no room.
SMALL_STACK = """
    import ctypes, sys
    class Stack(ctypes.Structure):
        _fields_ = [("at", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
    memory = ctypes.create_string_buffer(8192)
    assert ctypes.CDLL(None).sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 8192)), None) == 0
"""
LOAD = """
    import ingot
    try:
        ingot.load(sys.argv[1])
    except ingot.LoadError as error:
        print(error)
"""
CALL = """
    library = ctypes.CDLL(sys.argv[1])
    x, y, workspace = (ctypes.create_string_buffer(1 << 22) for _ in range(3))
    at = lambda memory: (ctypes.addressof(memory) + 63) // 64 * 64
    inputs, outputs = (ctypes.c_void_p * 1)(at(x)), (ctypes.c_void_p * 1)(at(y))
    print(library.m_run(inputs, outputs, ctypes.c_void_p(at(workspace))))
"""


def child(code: str, path: Path) -> str:
    command = [sys.executable, "-X", "faulthandler=0", "-c", textwrap.dedent(code), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()


@needs_cc
@pytest.mark.parametrize("codes", KINDS)
def test_archives_with_tiles_are_linked_and_run(codes: bool, tmp_path: Path) -> None:
    ingot.build(product(codes), IN_TILES[codes], name="m", cache=None).export_model_library_format(
        tmp_path / "m.tar"
    )
    check(ingot.load(tmp_path / "m.tar")["m"](ingot.cpu(0)).predict(x=operand(codes)), codes)
    assert "does not let this process use them" in child(SMALL_STACK + LOAD, tmp_path / "m.tar")


@needs_cc
@pytest.mark.parametrize("codes", KINDS)
def test_entries_for_c_ask_for_tiles_and_say_where_they_get_none(codes: bool, tmp_path: Path) -> None:
    ingot.build(product(codes), IN_TILES[codes], name="m", cache=None).export_library(tmp_path / "m.so")
    assert child("    import ctypes, sys\n" + CALL, tmp_path / "m.so") == "0"
    assert child(SMALL_STACK + CALL, tmp_path / "m.so") == "-7"
    assert "does not let this process use them" in child(SMALL_STACK + LOAD, tmp_path / "m.so")
