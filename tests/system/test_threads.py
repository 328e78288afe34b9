"""What a model gives does not depend on how many threads work on it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot

pytestmark = pytest.mark.cc


def model() -> onnx.ModelProto:
    """x [1, 16, 40, 40] → convolution → ReLU → means of columns → product with [40, 700] → softmax: work for several threads."""
    random = np.random.default_rng(11)
    kernel = random.standard_normal((32, 16, 3, 3)).astype(np.float32) / 12
    weights = random.standard_normal((40, 700)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "kernel"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("ReduceMean", ["r"], ["m"], "mean", axes=[2], keepdims=0),
        helper.make_node("MatMul", ["m", "weights"], ["p"], "product"),
        helper.make_node("Softmax", ["p"], ["y"], "softmax", axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "shared",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 40, 40])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 700])],
        [numpy_helper.from_array(kernel, "kernel"), numpy_helper.from_array(weights, "weights")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_every_number_of_threads_gives_the_same_bytes() -> None:
    artifacts = ingot.build(model(), "llvm", name="shared")
    objects = [each.content for each in artifacts if each.file_name.endswith(".o")]
    assert sum(b"ingot_pool_for" in bytes(content) for content in objects) >= 3, (
        "nothing is shared out: the test shows nothing"
    )
    library = artifacts.load()
    x = np.random.default_rng(5).standard_normal((1, 16, 40, 40)).astype(np.float32)
    alone = library["shared"](ingot.cpu(0), threads=1).predict({"x": x}).tobytes()
    for threads in (2, 3, 8):
        executor = library["shared"](ingot.cpu(0), threads=threads)
        for _ in range(20):
            assert executor.predict({"x": x}).tobytes() == alone


def steps() -> onnx.ModelProto:
    """An LSTM of 128 elements: 32 steps whose products threads share, and what one of them does before and behind them."""
    random = np.random.default_rng(12)
    shapes = {"w": (1, 512, 128), "r": (1, 512, 128), "b": (1, 1024)}
    weights = [
        numpy_helper.from_array(random.standard_normal(shape).astype(np.float32) / 9, name)
        for name, shape in shapes.items()
    ]
    nodes = [helper.make_node("LSTM", ["x", *shapes], ["all", "last", ""], "lstm", hidden_size=128)]
    nodes.append(helper.make_node("Add", ["all", "last"], ["y"], "sum"))
    ends = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [32, 1, 128]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
    ]
    graph = helper.make_graph(nodes, "steps", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("target", ["llvm", "llvm -mcpu=native"])
def test_two_threads_that_run_through_a_short_model_together_give_the_same_bytes(target: str) -> None:
    artifacts = ingot.build(steps(), target, name="steps", executor=("aot", "graph"))
    (entry,) = (bytes(each.content) for each in artifacts if b"ingot_pool_team" in bytes(each.content))
    assert b"ingot_steps_run" in entry
    library = artifacts.load()
    alone, together = (library["steps"](ingot.cpu(0), threads=threads) for threads in (1, 2))
    in_turn = library["steps"](ingot.cpu(0), executor="graph", threads=2)
    random = np.random.default_rng(6)
    for _ in range(100):
        x = random.standard_normal((32, 1, 128)).astype(np.float32)
        expected = alone.predict({"x": x}).tobytes()
        assert together.predict({"x": x}).tobytes() == in_turn.predict({"x": x}).tobytes() == expected


@pytest.fixture(scope="module")
def halves() -> tuple[ingot.ArtifactSet, np.ndarray, bytes]:
    """An inverted residual on a map of 2.4 MB, of which two threads do a half each; an input; what one thread gives."""
    random = np.random.default_rng(3)
    shapes = {"expand": (64, 8, 1, 1), "depthwise": (64, 1, 3, 3), "project": (8, 64, 1, 1)}
    arrays = {name: random.standard_normal(shape).astype(np.float32) / 8 for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Abs", ["x"], ["a"]),
        helper.make_node("Conv", ["a", "expand"], ["e"]),
        helper.make_node("Relu", ["e"], ["r"]),
        helper.make_node("Conv", ["r", "depthwise"], ["d"], pads=[1, 1, 1, 1], group=64),
        helper.make_node("Conv", ["d", "project"], ["p"]),
        helper.make_node("Add", ["a", "p"], ["s"]),
        helper.make_node("ReduceMean", ["s"], ["y"], axes=[1]),
    ]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size, 96, 96])
        for name, size in (("x", 8), ("y", 1))
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "halves", ends[:1], ends[1:], weights)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    artifacts = ingot.build(whole, "llvm --l2=2097152 --cores=2", name="halves", executor=("aot", "graph"))
    x = random.standard_normal((1, 8, 96, 96)).astype(np.float32)
    return artifacts, x, artifacts.load()["halves"](ingot.cpu(0), threads=1).predict({"x": x}).tobytes()


def test_halves_of_a_picture_by_two_threads_give_the_same_bytes(halves) -> None:
    artifacts, x, alone = halves
    (entry,) = (each.content for each in artifacts if b"ingot_pool_threads" in bytes(each.content))
    assert b"ingot_halves_run" in bytes(entry)
    library = artifacts.load()
    for threads in (2, 3):
        executor = library["halves"](ingot.cpu(0), threads=threads)
        for _ in range(20):
            assert executor.predict({"x": x}).tobytes() == alone
    together = library["halves"](ingot.cpu(0), threads=2)
    other = library["halves"](ingot.cpu(0), executor="graph", threads=2)
    assert together.predict({"x": x}).tobytes() == other.predict({"x": x}).tobytes() == alone


def test_an_archive_of_such_a_model_needs_no_pool(halves, tmp_path) -> None:
    artifacts, x, alone = halves
    artifacts.export_model_library_format(tmp_path / "halves.tar", 7)
    executor = ingot.load(tmp_path / "halves.tar")["halves"](ingot.cpu(0))
    assert executor.predict({"x": x}).tobytes() == alone
