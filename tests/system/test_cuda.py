"""Models with a part on an NVIDIA GPU: built, exported, loaded, and held to what the host computes. The GPU is of paper, and its
driver runs the PTX of the library; with a real one, the same is done on it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
import ingot.runtime.devices.cuda as runtime
from ingot.cli.main import main
from tests.support.cuda_driver import Driver, Gpu
from tests.support.gpu import REAL
from tests.support.models import model
from tests.support.paths import MODELS, ROOT
from tests.system.test_mlperf_tiny import FOLDER, NEEDED
from tests.system.test_opencl import PLACES, X, network

pytestmark = pytest.mark.cc
TARGETS = {"host": "llvm", "accel": "cuda"}
ACCEL = {"accel": [ingot.cuda(0)]}


@pytest.fixture(params=["paper", REAL])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver | None]:
    """A machine with one GPU."""
    if request.param == "real":
        yield None
        return
    made = Driver(Gpu())
    monkeypatch.setattr(runtime, "driver", made)
    yield made


@pytest.fixture(scope="module")
def answer() -> np.ndarray:
    return np.asarray(ingot.build(network(), "c", cache=None).load()["net"](ingot.cpu(0)).predict(x=X))


@pytest.mark.parametrize("place", list(PLACES.values()), ids=list(PLACES))
def test_a_model_gives_the_same_wherever_its_nodes_run(
    gpu: Driver | None, place: Mapping[str, str], answer: np.ndarray
) -> None:
    executor = ingot.build(network(), TARGETS, place=place, cache=None).load()["net"](
        ingot.cpu(0), devices=ACCEL
    )
    first = np.array(executor.predict(x=X))
    np.testing.assert_allclose(first, answer, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(executor.predict(x=X), first)


def test_an_exported_library_is_loaded_on_a_gpu(
    gpu: Driver | None, tmp_path: Path, answer: np.ndarray
) -> None:
    path = tmp_path / "net.so"
    ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).export_library(path)
    library = ingot.load(path)
    assert "cuda" in [module.type_key for module in library.imported_modules]
    assert re.search(r"cuda.*accel", library.explain())
    first, second = (library["net"](ingot.cpu(0), devices=ACCEL) for _ in range(2))
    zero = np.array(second.predict(x=np.zeros_like(X)))
    np.testing.assert_allclose(first.predict(x=X), answer, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(second.predict(x=np.zeros_like(X)), zero)


def test_two_keys_may_be_the_same_gpu(gpu: Driver | None, answer: np.ndarray) -> None:
    targets = {**TARGETS, "other": "cuda -mcpu=sm_70"}
    made = ingot.build(network(), targets, place={"Conv": "accel", "head/*": "other"}, cache=None)
    executor = made.load()["net"](ingot.cpu(0), devices={**ACCEL, "other": [ingot.cuda(0)]})
    np.testing.assert_allclose(executor.predict(x=X), answer, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_short_floats_are_stored_in_16_bits(gpu: Driver | None, name: str) -> None:
    graph = model(f"g ({name}[3,40] x) => ({name}[3,40] y) {{ y = Softmax <axis=1> (x) }}")
    values = np.random.default_rng(0).standard_normal((3, 40)).astype(np.float32)
    bits = (
        values.astype(np.float16) if name == "float16" else (values.view(np.uint32) >> 16).astype(np.uint16)
    )
    on_gpu = ingot.build(graph, TARGETS, place={"*": "accel"}, cache=None).load()["g"](
        ingot.cpu(0), devices=ACCEL
    )
    on_host = ingot.build(graph, "interp").load()["g"](ingot.cpu(0))
    found, expected = (np.asarray(one.predict(x=bits)) for one in (on_gpu, on_host))
    if name == "bfloat16":
        found, expected = ((one.astype(np.uint32) << 16).view(np.float32) for one in (found, expected))
    np.testing.assert_allclose(found.astype(np.float32), expected.astype(np.float32), rtol=1e-2)


def test_the_same_model_gives_the_same_bytes() -> None:
    first, second = (ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None) for _ in range(2))
    assert first.digest() == second.digest()


def test_people_see_the_text_and_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.so"
    ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).export_library(path)
    shown = []
    for words in (["inspect", str(path)], ["inspect", str(path), "net_accel.ptx"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
        shown.append(capsys.readouterr().out)
    assert (
        "target accel: cuda -mcpu=sm_75" in shown[0]
        and "needs     cuda" in shown[0]
        and "net_accel.ptx" in shown[0]
    )
    assert ".target sm_75" in shown[1] and ".visible .entry net_accel_" in shown[1]


def test_a_machine_without_a_driver_says_so_when_the_executor_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Missing:
        def cuInit(self, flags: int) -> None:  # noqa: N802
            raise RuntimeError("no libcuda.so.1")

    monkeypatch.setattr(runtime, "driver", Missing())
    library = ingot.build(network(), TARGETS, place={"*": "accel"}, cache=None).load()
    with pytest.raises(ingot.DeviceError, match=r"no device cuda\(0\); this machine has no NVIDIA driver"):
        library["net"](ingot.cpu(0), devices=ACCEL)


def test_the_documentation_shows_code_that_runs(tmp_path: Path) -> None:
    (code,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "use" / "cuda.md").read_text(), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    paper = (
        "import ingot.runtime.devices.cuda as runtime\n"
        "from tests.support.cuda_driver import Driver, Gpu\n"
        "runtime.driver = Driver(Gpu())\n"
    )
    check = "import numpy as np\nassert model.predict(image=np.zeros((1, 1, 8, 8), np.float32)).shape == (1, 10)\n"
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", paper + code + check], check=True, cwd=tmp_path, env=environment)


@pytest.mark.parametrize("name", ["transformer_encoder", "gpt_decoder"])
def test_a_whole_network_gives_its_stored_output(gpu: Driver | None, name: str) -> None:
    stored = np.load(MODELS / f"{name}.npz")
    given = {key.removeprefix("in_"): stored[key] for key in stored.files if key.startswith("in_")}
    graph = onnx.load(MODELS / f"{name}.onnx")
    symbols = {
        dim.dim_param: given[one.name].shape[axis]
        for one in graph.graph.input
        for axis, dim in enumerate(one.type.tensor_type.shape.dim)
        if dim.dim_param
    }
    made = ingot.build(graph, TARGETS, place={"*": "accel"}, dims=symbols, name="net", cache=None).load()[
        "net"
    ]
    found = made(ingot.cpu(0), devices=ACCEL).predict(**given)
    outputs = [stored[key] for key in stored.files if key.startswith("out_")]
    for one, expected in zip(found if isinstance(found, tuple) else (found,), outputs, strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.models
@NEEDED
@pytest.mark.parametrize("name", ["ad", "ic", "kws", "vww"])
def test_the_models_of_mlperf_tiny_agree_with_their_references(gpu: Driver | None, name: str) -> None:
    with np.load(FOLDER / "ref" / f"{name}.npz") as arrays:
        floats, codes = (
            (arrays["x_f32"][0], arrays["y_f32_ort"][0]),
            (arrays["x_i8"][0], arrays["y_i8_ort_qdq"][0]),
        )
    for file, (x, y) in ((f"{name}_fp32", floats), (f"{name}_int8_qop", codes)):
        made = ingot.build(
            FOLDER / "onnx" / f"{file}.onnx", TARGETS, place={"*": "accel"}, name=name, cache=None
        )
        model = made.load()[name](ingot.cpu(0), devices=ACCEL)
        (tensor,) = model.inputs
        found = model.predict({tensor.name: x.reshape(tensor.shape)}).reshape(y.shape)
        if x.dtype == np.float32:
            np.testing.assert_allclose(found, y, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(found, y)
