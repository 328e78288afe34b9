"""The interface of onnxruntime over ingot: the same calls give the same answers, and errors of the same names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

import ingot
import ingot.compat.onnxruntime as ours

HEADER = '<ir_version: 9, opset_import: ["" : 18], producer_name: "tests", domain: "d", model_version: 7> '
ROWS = HEADER + "rows (float[N,3] x, int64 k) => (float[N,3] y, int64 z) { y = Relu(x) z = Neg(k) }"
MEAN = HEADER + ("mean (float[N,S] x) => (float[N,S] y) { m = ReduceMean<keepdims=1>(x) y = Sub(x, m) }")
X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
K = np.array(5)


def content(text: str) -> bytes:
    return bytes(onnx.parser.parse_model(text).SerializeToString())


@pytest.fixture(scope="module")
def sessions() -> dict[ModuleType, Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return {
        ours: ours.InferenceSession(content(ROWS)),
        onnxruntime: onnxruntime.InferenceSession(content(ROWS), options),
    }


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives; or the names of what it raises, without ours that stand for errors of Python's."""
    try:
        return call()
    except Exception as error:
        known = ("ValueError", "TypeError", "RuntimeError", "AttributeError", "IndexError")
        names = [kind.__name__ for kind in type(error).__mro__]
        return next((name for name in names if name in known), names[0])


def same(left: Any, right: Any) -> None:
    if isinstance(left, list) and left and isinstance(left[0], np.ndarray):
        assert len(left) == len(right)
        for a, b in zip(left, right, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_array_equal(a, b)
    else:
        assert left == right


CALLS: dict[str, Callable[[Any], Any]] = {
    "all outputs": lambda s: s.run(None, {"x": X, "k": K}),
    "no names are all outputs": lambda s: s.run([], {"x": X, "k": K}),
    "in the order of the caller": lambda s: s.run(["z", "y"], {"x": X, "k": K}),
    "an output twice": lambda s: s.run(["z", "z"], {"x": X, "k": K}),
    "a name alone": lambda s: s.run("y", {"x": X, "k": K}),
    "an output that is not there": lambda s: s.run(["q"], {"x": X, "k": K}),
    "an input that is not there": lambda s: s.run(None, {"x": X, "k": K, "q": X}),
    "an input that is missing": lambda s: s.run(None, {"x": X}),
    "no feed": lambda s: s.run(None, None),
    "a list for a feed": lambda s: s.run(None, [X, K]),
    "none for an input": lambda s: s.run(None, {"x": None, "k": K}),
    "float64 for float32": lambda s: s.run(None, {"x": X.astype(np.float64), "k": K}),
    "int32 for int64": lambda s: s.run(None, {"x": X, "k": K.astype(np.int32)}),
    "lists": lambda s: s.run(None, {"x": [[1, 2, 3]], "k": K}),
    "lists of floats": lambda s: s.run(None, {"x": [[1.5, -2.5, 3]], "k": K}),
    "lists of different lengths": lambda s: s.run(None, {"x": [[1.0], [2, 3]], "k": K}),
    "lists of texts": lambda s: s.run(None, {"x": ["a"], "k": K}),
    "a tuple": lambda s: s.run(None, {"x": ((1, 2, 3),), "k": K}),
    "a number of Python": lambda s: s.run(None, {"x": X, "k": 5}),
    "a number of NumPy": lambda s: s.run(None, {"x": X, "k": np.int64(5)}),
    "another rank": lambda s: s.run(None, {"x": X[0], "k": K}),
    "another extent": lambda s: s.run(None, {"x": X[:, :2], "k": K}),
    "no rows": lambda s: s.run(None, {"x": X[:0], "k": K}),
    "many rows": lambda s: s.run(None, {"x": np.tile(X, (50, 1)), "k": K}),
    "columns first": lambda s: s.run(None, {"x": np.asfortranarray(X), "k": K}),
    "inputs": lambda s: [(a.name, a.type, a.shape) for a in s.get_inputs()],
    "outputs": lambda s: [(a.name, a.type, a.shape) for a in s.get_outputs()],
    "a node argument in words": lambda s: [str(a) for a in s.get_inputs()],
    "providers": lambda s: s.get_providers(),
    "options of providers": lambda s: s.get_provider_options(),
    "overridable initializers": lambda s: s.get_overridable_initializers(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_it_gives_with_onnxruntime(name: str, sessions: dict[ModuleType, Any]) -> None:
    same(*(outcome(lambda session=session: CALLS[name](session)) for session in sessions.values()))


def test_a_model_says_of_itself_what_it_says_to_onnxruntime(sessions: dict[ModuleType, Any]) -> None:
    fields = "producer_name graph_name domain description graph_description version custom_metadata_map"
    ours_, theirs = (session.get_modelmeta() for session in sessions.values())
    for field in fields.split():
        assert getattr(ours_, field) == getattr(theirs, field), field


OPENED: dict[str, Any] = {
    "bytes of something else": b"abc",
    "no such file": "nowhere.onnx",
    "a path that is none": Path("nowhere.onnx"),
    "a number": 5,
    "an unknown operator": HEADER + "m (float[N] x) => (float[N] y) { y = NoSuchOperator(x) }",
}


@pytest.mark.parametrize("name", OPENED)
def test_what_cannot_be_opened_raises_the_error_that_onnxruntime_raises(name: str) -> None:
    source = OPENED[name]
    if isinstance(source, str) and source.startswith(HEADER):
        source = content(source)
    names = [outcome(lambda module=module: module.InferenceSession(source)) for module in (ours, onnxruntime)]
    allowed = {"NotImplemented": "InvalidGraph"}  # an operator that ONNX lacks is one that ingot lacks
    assert allowed.get(names[0], names[0]) == names[1]


def test_errors_are_those_of_ingot_under_the_names_that_programs_catch(
    sessions: dict[ModuleType, Any],
) -> None:
    with pytest.raises(ours.capi.onnxruntime_pybind11_state.InvalidArgument) as caught:
        sessions[ours].run(None, {"x": X.astype(np.float64), "k": K})
    assert isinstance(caught.value, ingot.InputError)
    assert caught.value.facts["expected"] == "tensor(float)"
    names = {
        name
        for name, kind in vars(onnxruntime.capi.onnxruntime_pybind11_state).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
    newer = {"ModelLoadCanceled", "ModelRequiresCompilation", "DeviceReset"}
    assert names - newer <= set(vars(ours.capi.onnxruntime_pybind11_state))


@pytest.mark.parametrize("module", [ours, onnxruntime], ids=["ingot", "onnxruntime"])
class TestBinding:
    """Each call with both."""

    def test_bound_inputs_give_bound_outputs(self, module: Any, sessions: dict[Any, Any]) -> None:
        session = sessions[module]
        binding = session.io_binding()
        binding.bind_cpu_input("x", X)
        binding.bind_ortvalue_input("k", module.OrtValue.ortvalue_from_numpy(K))
        result = np.zeros_like(X)
        binding.bind_output("y", "cpu", 0, np.float32, X.shape, result.ctypes.data)
        binding.bind_output("z")
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(result, np.maximum(X, 0))
        assert [value.shape() for value in binding.get_outputs()] == [[2, 3], []]
        assert binding.copy_outputs_to_cpu()[1] == -5

    def test_memory_at_an_address_is_read_and_values_are_written_into(
        self, module: Any, sessions: dict[Any, Any]
    ) -> None:
        session = sessions[module]
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, np.float32, X.shape, X.ctypes.data)
        binding.bind_cpu_input("k", K)
        value = module.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
        binding.bind_ortvalue_output("y", value)
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(value.numpy(), np.maximum(X, 0))

    def test_what_does_not_fit_is_a_runtime_error(self, module: Any, sessions: dict[Any, Any]) -> None:
        session = sessions[module]
        binding = session.io_binding()
        with pytest.raises(RuntimeError):
            binding.bind_cpu_input("nothing", X)
        with pytest.raises(RuntimeError):
            session.run_with_iobinding(binding)
        binding.bind_output("y")
        binding.bind_cpu_input("k", K)
        binding.bind_cpu_input("x", X.astype(np.float64))
        with pytest.raises(RuntimeError):
            session.run_with_iobinding(binding)

    def test_a_value_says_what_it_is(self, module: Any, sessions: dict[Any, Any]) -> None:
        value = module.OrtValue.ortvalue_from_numpy(X.copy())
        assert (value.shape(), value.data_type(), value.element_type()) == ([2, 3], "tensor(float)", 1)
        assert (value.device_name(), value.is_tensor(), value.has_value()) == ("cpu", True, True)
        value.update_inplace(np.zeros_like(X))
        assert not value.numpy().any()
        with pytest.raises(RuntimeError):
            value.update_inplace(X[:1])
        (result,) = sessions[module].run_with_ort_values(
            ["y"], {"x": value, "k": module.OrtValue.ortvalue_from_numpy(K)}
        )
        assert result.shape() == [2, 3]

    def test_options_take_what_programs_set(self, module: Any, sessions: dict[Any, Any]) -> None:
        options = module.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = module.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = module.ExecutionMode.ORT_SEQUENTIAL
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        options.add_session_config_entry("session.dynamic_block_base", "4")
        assert options.get_session_config_entry("session.dynamic_block_base") == "4"
        with pytest.raises(RuntimeError):
            options.get_session_config_entry("nothing")
        with pytest.raises(AttributeError):
            options.no_such_option = 1
        module.set_default_logger_severity(3)
        session = module.InferenceSession(
            content(ROWS), options, providers=["CPUExecutionProvider"], provider_options=[{}]
        )
        session.disable_fallback()
        assert session.get_session_options().intra_op_num_threads == 1
        assert "CPUExecutionProvider" in module.get_available_providers()
        assert session.run(["z"], {"x": X, "k": K}, module.RunOptions())[0] == -5

    def test_a_provider_that_is_not_there_is_a_warning(self, module: Any, sessions: dict[Any, Any]) -> None:
        with pytest.warns(UserWarning, match="'CUDAExecutionProvider' is not in available provider names"):
            session = module.InferenceSession(
                content(ROWS), providers=["CUDAExecutionProvider", ("CPUExecutionProvider", {})]
            )
        assert session.get_providers() == ["CPUExecutionProvider"]


# ─── what is ingot's own ───────────────────────────────────────────────────────────────────────────────────────────────


def test_one_build_serves_every_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    session = ours.InferenceSession(content(HEADER + "m (float[N,3] x) => (float[N,3] y) { y = Relu(x) }"))
    monkeypatch.setattr(session._model, "_build", None)
    for rows in (1, 0, 7, 200):
        same(session.run(None, {"x": np.ones((rows, 3), np.float32)}), [np.ones((rows, 3), np.float32)])


def test_each_shape_of_inner_extents_gets_a_build_and_the_last_ones_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builds: list[object] = []
    session = ours.InferenceSession(content(MEAN), kept=2)
    build = session._model._build
    monkeypatch.setattr(
        session._model, "_build", lambda dims, frozen: builds.append(dims) or build(dims, frozen)
    )
    for columns in (3, 2, 3, 4, 3, 2):
        x = X[:, :2].repeat(columns, axis=1)[:, :columns]
        (y,) = session.run(None, {"x": x})
        np.testing.assert_allclose(y, x - x.mean(), rtol=1e-6)
    assert [dims["x:1"] for dims in builds] == [3, 2, 4, 2]


def test_a_library_answers_as_its_onnx_file(tmp_path: Path, sessions: dict[ModuleType, Any]) -> None:
    file = tmp_path / "rows.so"
    ingot.build(content(ROWS), dims={"N": [2, 4]}).export_library(file)
    for source in (file, str(file), file.read_bytes(), ingot.load(file)):
        session = ours.InferenceSession(source)
        same(session.run(None, {"x": X, "k": K}), sessions[ours].run(None, {"x": X, "k": K}))
        assert session.get_inputs() == sessions[ours].get_inputs()
        assert session.get_outputs() == sessions[ours].get_outputs()
        assert session.get_modelmeta() == sessions[ours].get_modelmeta()
        three = {"x": np.ones((3, 3), np.float32), "k": K}  # items: any number of them
        same(session.run(None, three), sessions[ours].run(None, three))


def test_frozen_inputs_are_compared(tmp_path: Path) -> None:
    file = tmp_path / "rows.so"
    ingot.build(content(ROWS), dims={"N": 2}, constants={"k": 5}).export_library(file)
    for session in (
        ours.InferenceSession(file, constants={"k": 5}),
        ours.InferenceSession(content(ROWS), constants={"k": 5}),
    ):
        assert {arg.name for arg in session.get_inputs()} == {"x", "k"}
        assert session.run(["z"], {"x": X, "k": K})[0] == -5
        with pytest.raises(ingot.InputError, match="frozen to 5 while building, got 6"):
            session.run(None, {"x": X, "k": np.array(6)})


def test_a_number_that_selects_a_shape_is_built_in() -> None:
    text = HEADER + (
        "m (float[4] x, int64 rate) => (float[M] y) { one = Constant<value_ints=[1]>() zero = Constant<value_ints=[0]>() "
        "end = Reshape(rate, one) y = Slice(x, zero, end) }"
    )
    session = ours.InferenceSession(content(text))
    x = np.arange(4, dtype=np.float32)
    for rate in (2, 3, 2):
        same(session.run(None, {"x": x, "rate": np.array(rate)}), [x[:rate]])
        same(session.run(None, {"x": x, "rate": np.array([rate])}), [x[:rate]])


def test_an_initializer_that_is_an_input_is_overridden() -> None:
    model = onnx.parser.parse_model(
        HEADER + "m (float[N,3] x, float[3] w) => (float[N,3] y) <float[3] w = {1, 2, 3}> { y = Add(x, w) }"
    )
    for module in (ours, onnxruntime):
        session = module.InferenceSession(model.SerializeToString())
        assert [arg.name for arg in session.get_inputs()] == ["x"]
        assert [arg.name for arg in session.get_overridable_initializers()] == ["w"]
        same(session.run(None, {"x": X}), [X + np.array([1, 2, 3], np.float32)])
        same(session.run(None, {"x": X, "w": np.zeros(3, np.float32)}), [X])


def test_optional_inputs_may_be_left_out() -> None:
    text = HEADER + ("m (float[2] x, optional(float[2]) o) => (bool b) { b = OptionalHasElement(o) }")
    for module in (ours, onnxruntime):
        session = module.InferenceSession(content(text))
        x = np.zeros(2, np.float32)
        assert not session.run(None, {"x": x})[0]
        assert not session.run(None, {"x": x, "o": None})[0]
        assert session.run(None, {"x": x, "o": x})[0]


def test_several_threads_use_one_session(sessions: dict[ModuleType, Any]) -> None:
    feeds = [{"x": X + at, "k": np.array(5 + at)} for at in range(40)]
    with ThreadPoolExecutor(4) as pool:
        for at, (y, z) in enumerate(pool.map(lambda feed: sessions[ours].run(None, feed), feeds)):
            np.testing.assert_array_equal(y, np.maximum(X + at, 0))
            assert z == -5 - at


def test_importing_it_imports_no_numpy_and_no_compiler() -> None:
    code = "import sys, ingot.compat.onnxruntime as o; o.SessionOptions(); o.get_available_providers(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"numpy", "onnx", "ingot.api", "ingot.runtime"}.isdisjoint(run.stdout.split())


def test_it_stands_in_for_the_module_of_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnxruntime", ours)
    scope: dict[str, Any] = {}
    exec(
        "import onnxruntime as rt\nfrom onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument\n"
        "from onnxruntime.capi import _pybind_state as C\nfrom onnxruntime import InferenceSession",
        scope,
    )
    assert scope["InvalidArgument"] is scope["C"].InvalidArgument is ours.capi._pybind_state.InvalidArgument
    for name in [name for name in sys.modules if name.startswith("onnxruntime.")]:
        monkeypatch.delitem(sys.modules, name)


def test_a_session_over_a_library_with_state_has_it_as_inputs_and_outputs() -> None:
    text = (
        HEADER + "total (float[2] x, float[2] h) => (float[2] y, float[2] hn) { hn = Add(x, h) y = Neg(hn) }"
    )
    model = onnx.parser.parse_model(text)
    library = ingot.build(model, "interp", state={"h": "hn"}, cache=None).load()
    session = ours.InferenceSession(library)
    assert [arg.name for arg in session.get_inputs()] == ["x", "h"]
    assert [arg.name for arg in session.get_outputs()] == ["y", "hn"]
    state = np.zeros(2, np.float32)
    for step in range(3):
        y, state = session.run(None, {"x": X[0, :2], "h": state})
        np.testing.assert_array_equal(y, -X[0, :2] * (step + 1))
    (again,) = session.run(["hn"], {"x": X[0, :2], "h": np.zeros(2, np.float32)})
    np.testing.assert_array_equal(again, X[0, :2])
    with pytest.raises(ValueError, match="h"):
        session.run(None, {"x": X[0, :2]})
