"""A code generator of another package takes regions of a model, the whole way: build, store, load, run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest

import ingot
from ingot.base.observe import Observer
from tests.support import npu_plugin
from tests.support.distributions import Distributions, installed
from tests.support.models import model
from tests.support.paths import DIGITS

X = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)
OFFERS = {
    "ingot.codegens": {"npu": "npu_plugin:CODEGEN"},
    "ingot.loaders": {"npu": "npu_plugin:LOADER"},
    "ingot.devices": {"npu": "npu_plugin:KIND"},
}
NPU = {"host": "interp", "accel": "npu"}


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    yield from installed(tmp_path, monkeypatch)


@pytest.fixture
def npu(distributions: Distributions) -> Distributions:
    distributions.add("paper-npu", OFFERS, {"npu_plugin": Path(npu_plugin.__file__).read_text()})
    return distributions


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    library = ingot.build(DIGITS, "interp", dims={"batch": 1}).load()
    result: np.ndarray = library["digits"](ingot.cpu(0)).predict(image=X)
    return result


def placement(*args: Any, **named: Any) -> tuple[ingot.ArtifactSet, str]:
    texts: dict[str, object] = {}
    observer = Observer(lambda name, content: texts.update({name: content}))
    return ingot.build(*args, observer=observer, **named), str(texts["placement.txt"])


def devices(*numbers: int) -> dict[str, list[ingot.Device]]:
    return {"accel": [ingot.Device("npu", number) for number in numbers]}


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("host", ["interp", "llvmjit", pytest.param("c", marks=pytest.mark.cc)])
def test_regions_run_in_their_loader_between_kernels_of_the_host(
    npu: Distributions, expected: np.ndarray, host: str, executor: str
) -> None:
    artifacts = ingot.build(
        DIGITS, {"host": host, "accel": "npu"}, dims={"batch": 1}, executor=("aot", "graph")
    )
    run = artifacts.load()["digits"](ingot.cpu(0), devices=devices(0), executor=executor)
    np.testing.assert_allclose(run.predict(image=X), expected, rtol=1e-4, atol=1e-5)
    assert {call.target_key for call in artifacts.models()["digits"].calls} == {"host", "accel"}


@pytest.mark.cc
@pytest.mark.parametrize("file", ["m.so", "m.ingot", "m.tar"])
def test_regions_come_from_every_container_alike(
    npu: Distributions, expected: np.ndarray, file: str, tmp_path: Path
) -> None:
    artifacts = ingot.build(DIGITS, {"host": "c", "accel": "npu"}, dims={"batch": 1})
    path = tmp_path / file
    write = {
        ".so": artifacts.export_library,
        ".ingot": artifacts.save,
        ".tar": artifacts.export_model_library_format,
    }
    write[path.suffix](path)
    library = ingot.load(path)
    assert [module.type_key for module in library.imported_modules] == ["npu"]
    run = library["digits"](ingot.cpu(0), devices=devices(1))
    np.testing.assert_allclose(run.predict(image=X), expected, rtol=1e-4, atol=1e-5)


def test_a_library_with_regions_needs_the_package_that_loads_them(
    npu: Distributions, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifacts = ingot.build(DIGITS, NPU, dims={"batch": 1})
    monkeypatch.setenv("INGOT_PLUGINS", "off")
    with pytest.raises(ingot.LoadError, match=r"ingot\.loaders is called 'npu'.*INGOT_PLUGINS=off"):
        artifacts.load()


def test_equal_builds_have_equal_bytes(npu: Distributions) -> None:
    first, second = (ingot.build(DIGITS, NPU, dims={"batch": 1}) for _ in range(2))
    assert first.digest() == second.digest()


def test_a_region_is_an_onnx_function_of_a_domain_of_its_own(
    npu: Distributions, expected: np.ndarray
) -> None:
    stages: dict[str, bytes] = {}
    observer = Observer(lambda name, content: stages.update({name: content}))
    ingot.build(DIGITS, NPU, dims={"batch": 1}, observer=observer)
    partitioned = onnx.load_from_string(stages["partitioned.onnx"])
    onnx.checker.check_model(partitioned)
    called = [(node.domain, node.op_type) for node in partitioned.graph.node if node.domain]
    assert {domain for domain, _ in called} == {"ingot.byoc.npu"}
    assert called == [(function.domain, function.name) for function in partitioned.functions]
    (result,) = onnx.reference.ReferenceEvaluator(partitioned).run(None, {"image": X})
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


DIAMOND = "g (float[2,3] x) => (float[2,3] y) { [a] p = Relu(x) [s] q = Softmax(p) [b] r = Neg(p) [c] y = Add(q, r) }"


def test_nodes_between_which_the_host_computes_are_in_two_regions(npu: Distributions) -> None:
    artifacts, text = placement(model(DIAMOND), NPU, name="m")
    assert "region0 (ingot.byoc.npu): a (Relu), b (Neg)" in text
    calls = [(call.region, call.nodes) for call in artifacts.models()["m"].calls if call.region]
    assert calls == [("region0", ("a", "b"))], "c alone would gain nothing"
    assert "not on accel: a region of 1 nodes would gain 0" in text
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    run = artifacts.load()["m"](ingot.cpu(0), devices=devices(0))
    p = np.maximum(x, 0)
    softmax = np.exp(p) / np.exp(p).sum(-1, keepdims=True)
    np.testing.assert_allclose(run.predict(x=x), softmax - p, rtol=1e-5, atol=1e-6)


def test_the_placement_says_which_target_computes_what_and_why_not_another(npu: Distributions) -> None:
    _, text = placement(DIGITS, NPU, dims={"batch": 1})
    assert text.splitlines()[0].startswith("host: ")
    assert "(MaxPool)\n    not on accel: no operator that it takes, and in no pattern of it" in text
    assert "accel: " in text and "(ingot.byoc.npu): conv1 (Conv), " in text
    assert "    reads image float32[1, 1, 8, 8]" in text


def test_placement_limits_what_a_code_generator_may_choose_from(npu: Distributions) -> None:
    graph = "g (float[4] x) => (float[4] y) { [a] p = Relu(x) [b] q = Neg(p) [s] r = Sin(q) [c] t = Neg(r) [d] y = Relu(t) }"

    def taken(place: Any) -> list[str]:
        info = ingot.build(model(graph), NPU, place=place, name="m").models()["m"]
        return [name for call in info.calls if call.region for name in call.nodes]

    assert taken(None) == ["a", "b", "c", "d"]
    assert taken({"a": "accel", "b": "accel", "s": "accel"}) == ["a", "b"]
    assert taken({"a": "host"}) == ["c", "d"]
    assert taken(lambda node: "accel" if node.name in "cd" else None) == ["c", "d"]
    with pytest.raises(
        ingot.TargetError, match=r"nothing is placed on the target 'accel'.*s: no operator that it takes"
    ):
        taken({"s": "accel"})


def test_two_equal_accelerators_do_different_work(npu: Distributions) -> None:
    graph = "g (float[4] x) => (float[4] y) { [a] p = Relu(x) [b] q = Neg(p) [s] r = Sin(q) [c] t = Neg(r) [d] y = Relu(t) }"
    place = {"a": "one", "b": "one", "c": "two", "d": "two"}
    targets = {"host": "interp", "one": "npu", "two": "npu --frequency=200"}
    artifacts = ingot.build(model(graph), targets, place=place, name="m")
    on = {"one": [ingot.Device("npu", 1)], "two": [ingot.Device("npu", 0)]}
    run = artifacts.load()["m"](ingot.cpu(0), devices=on)
    log = sys.modules["npu_plugin"].LOG
    log.clear()
    x = np.linspace(-1, 1, 4, dtype=np.float32)
    np.testing.assert_allclose(run.predict(x=x), np.maximum(-np.sin(-np.maximum(x, 0)), 0), rtol=1e-5)
    assert log == [("ingot_m_one_region0", (1,)), ("ingot_m_two_region0", (0,))]


def test_executors_spread_over_the_devices_of_a_key_and_each_may_use_all(npu: Distributions) -> None:
    library = ingot.build(DIGITS, NPU, dims={"batch": 1}).load()
    log = sys.modules["npu_plugin"].LOG
    runs = [library["digits"](ingot.cpu(0), devices=devices(0, 1)) for _ in range(3)]
    log.clear()
    for run in runs:
        run.predict(image=X)
    assert list(dict.fromkeys(used for _, used in log)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "accel: one or more npu; got host"),
        ({"accel": []}, "accel: none"),
        ({"accel": [ingot.cpu(0)]}, r"accel: cpu\(0\)"),
        ({"accel": [ingot.Device("npu", 2)]}, r"there is no device npu\(2\); there are 2"),
    ],
)
def test_devices_of_another_kind_or_that_are_not_there_are_refused(
    npu: Distributions, given: dict[str, Any], words: str
) -> None:
    library = ingot.build(DIGITS, NPU, dims={"batch": 1}).load()
    with pytest.raises(ingot.DeviceError, match=words):
        library["digits"](ingot.cpu(0), devices=given)


def test_a_model_with_sizes_that_vary_has_regions_for_each_of_its_programs(npu: Distributions) -> None:
    graph = "g (float[n,3] x) => (float[n,3] y) { [a] p = Relu(x) [b] q = Neg(p) y = Softmax(q) }"
    artifacts = ingot.build(model(graph), NPU, dims={"n": [1, 4]}, name="m")
    run = artifacts.load()["m"](ingot.cpu(0), devices=devices(0))
    for count in (1, 4):
        x = np.linspace(-1, 1, count * 3, dtype=np.float32).reshape(count, 3)
        p = np.exp(-np.maximum(x, 0))
        np.testing.assert_allclose(run.predict(x=x), p / p.sum(-1, keepdims=True), rtol=1e-5)


def test_code_of_regions_cannot_be_the_host(npu: Distributions) -> None:
    with pytest.raises(
        ingot.TargetError, match="makes code for regions of a model, which cannot be the host"
    ):
        ingot.build(DIGITS, "npu", dims={"batch": 1})


def test_an_option_that_the_code_generator_does_not_have_is_refused(npu: Distributions) -> None:
    with pytest.raises(ingot.TargetError, match="no option 'frequncy'; did you mean 'frequency'"):
        ingot.build(DIGITS, {"host": "interp", "accel": "npu --frequncy=1"}, dims={"batch": 1})
