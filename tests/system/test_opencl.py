"""Models with a part on an OpenCL device: built, exported, loaded, and held to what the host computes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
from ingot.artifact.artifact import LOADER_METADATA, Artifact
from tests.support.kernel_opencl import needs_opencl
from tests.support.models import model
from tests.support.paths import ROOT

pytestmark = [pytest.mark.cc, pytest.mark.opencl, needs_opencl]
TARGETS = {"host": "llvm", "accel": "opencl"}
ACCEL = {"accel": [ingot.opencl(0)]}


def network() -> onnx.ModelProto:
    """Two convolutions, a pooling, a matrix product and a softmax, with names for placement."""
    made = model(
        """net (float[2,3,16,16] x, float[8,3,3,3] w0, float[8] b0, float[8,8,3,3] w1, float[512,10] w2) => (float[2,10] y)
        {
            c0 = Conv <pads=[1,1,1,1]> (x, w0, b0)
            r0 = Relu (c0)
            c1 = Conv <pads=[1,1,1,1]> (r0, w1)
            s = Add (c1, r0)
            p = MaxPool <kernel_shape=[2,2], strides=[2,2]> (s)
            f = Flatten (p)
            m = MatMul (f, w2)
            y = Softmax <axis=1> (m)
        }"""
    )
    rng = np.random.default_rng(5)
    for value in list(made.graph.input)[1:]:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        array = (rng.standard_normal(shape) * 0.1).astype(np.float32)
        made.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
        made.graph.input.remove(value)
    for node in made.graph.node:
        node.name = f"{'head' if node.output[0] in ('f', 'm', 'y') else 'body'}/{node.output[0]}"
    return made


X = np.random.default_rng(1).standard_normal((2, 3, 16, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def answer() -> np.ndarray:
    return np.asarray(ingot.build(network(), "c", cache=None).load()["net"](ingot.cpu(0)).predict(x=X))


PLACES: dict[str, Mapping[str, str]] = {
    "all": {"*": "accel"},
    "by type": {"Conv": "accel"},
    "by name": {"head/*": "accel"},
    "back and forth": {"Relu": "accel", "MaxPool": "accel", "Softmax": "accel"},
}


@pytest.mark.parametrize("place", list(PLACES.values()), ids=list(PLACES))
def test_a_model_gives_the_same_wherever_its_nodes_run(place: Mapping[str, str], answer: np.ndarray) -> None:
    executor = ingot.build(network(), TARGETS, place=place, cache=None).load()["net"](
        ingot.cpu(0), devices=ACCEL
    )
    np.testing.assert_allclose(executor.predict(x=X), answer, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(executor.predict(x=X), executor.predict(x=X))


def test_a_source_for_cpus_gives_the_same_as_one_for_gpus(answer: np.ndarray) -> None:
    targets = {**TARGETS, "accel": "opencl --device=cpu"}
    executor = ingot.build(network(), targets, place={"*": "accel"}, cache=None).load()["net"](
        ingot.cpu(0), devices=ACCEL
    )
    np.testing.assert_allclose(executor.predict(x=X), answer, rtol=1e-5, atol=1e-6)


def test_two_keys_may_be_the_same_device(answer: np.ndarray) -> None:
    targets = {**TARGETS, "other": "opencl"}
    made = ingot.build(network(), targets, place={"Conv": "accel", "head/*": "other"}, cache=None)
    executor = made.load()["net"](ingot.cpu(0), devices={**ACCEL, "other": [ingot.opencl(0)]})
    np.testing.assert_allclose(executor.predict(x=X), answer, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_values_sent_to_a_device_are_joined_there(axis: int) -> None:
    shape = "4,3" if axis == 0 else "2,6"
    graph = model(
        f"g (float[2,3] a, float[2,3] b) => (float[{shape}] y) {{ c = Concat <axis={axis}> (a, b) y = Relu (c) }}"
    )
    made = ingot.build(graph, TARGETS, place={"*": "accel"}, cache=None).load()["g"](
        ingot.cpu(0), devices=ACCEL
    )
    a, b = X[0, 0, :2, :3].copy(), X[0, 1, :2, :3].copy()
    np.testing.assert_array_equal(made.predict(a=a, b=b), np.maximum(np.concatenate([a, b], axis), 0))


def test_executors_do_not_disturb_each_other(answer: np.ndarray) -> None:
    library = ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).load()
    first, second = (library["net"](ingot.cpu(0), devices=ACCEL) for _ in range(2))
    zero = np.asarray(second.predict(x=np.zeros_like(X)))
    np.testing.assert_allclose(first.predict(x=X), answer, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(second.predict(x=np.zeros_like(X)), zero)


def test_the_module_tree_shows_the_device(answer: np.ndarray) -> None:
    library = ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).load()
    assert "opencl" in [module.type_key for module in library.imported_modules]
    assert library.get_function("ingot_net_accel_open") is not None


def test_an_exported_library_gives_the_same_bytes_in_a_new_process(tmp_path: Path) -> None:
    path = tmp_path / "net.so"
    ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).export_library(path)
    np.save(tmp_path / "x.npy", X)
    script = (
        "import sys, ingot, numpy as np\n"
        f"model = ingot.load({str(path)!r})['net'](ingot.cpu(0), devices={{'accel': [ingot.opencl(0)]}})\n"
        f"np.save({str(tmp_path / 'y.npy')!r}, model.predict(x=np.load({str(tmp_path / 'x.npy')!r})))\n"
        "assert not {'onnx', 'llvmlite', 'ingot.codegen'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    here = ingot.load(path)["net"](ingot.cpu(0), devices=ACCEL)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), here.predict(x=X))


def test_a_missing_device_is_said_when_the_executor_is_made() -> None:
    library = ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).load()
    with pytest.raises(ingot.DeviceError, match=r"no device opencl\(7\); there are opencl\(0\)"):
        library["net"](ingot.cpu(0), devices={"accel": [ingot.opencl(7)]})
    with pytest.raises(ingot.DeviceError, match="needs the devices"):
        library["net"](ingot.cpu(0))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"args": ["nobody", "x@accel"], "outputs": ["x@accel"]},
            r"field calls\[0\].args\[0\] 'nobody' is not in `values`",
        ),
        (
            {"args": ["x", "y"], "outputs": ["y"]},
            "its call 0, of x, y, has no kernel; expected a value in the host's memory and",
        ),
        ({"args": [], "outputs": []}, "its call 0, of nothing, has no kernel"),
    ],
)
def test_a_transfer_that_cannot_be_made_is_an_artifact_error(
    change: Mapping[str, list[str]], words: str
) -> None:
    proto = model("g (float[4,6] x, float[6,5] w) => (float[4,5] y) { t = MatMul(x, w) y = Softmax(t) }")
    built = ingot.build(proto, {"host": "interp", "accel": "opencl"}, place={"MatMul": "accel"}, cache=None)
    artifacts = []
    for one in built:
        data = json.loads(bytes(one.content)) if one.loader == LOADER_METADATA else None
        if data is not None:
            data["calls"][0].update(change)
        content = one.content if data is None else json.dumps(data).encode()
        artifacts.append(Artifact(one.codegen_id, one.loader, one.file_name, content, one.target_key))
    library = ingot.ArtifactSet(artifacts)
    with pytest.raises(ingot.ArtifactError, match=words):
        library.load()["g"](ingot.cpu(0), devices=ACCEL)


def test_the_documentation_shows_code_that_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "use" / "opencl.md").read_text()
    code = "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    check = "import numpy as np\nassert model.predict(image=np.zeros((1, 1, 8, 8), np.float32)).shape == (1, 10)\n"
    subprocess.run([sys.executable, "-W", "error", "-c", code + check], check=True, cwd=tmp_path)
