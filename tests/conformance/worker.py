"""Runs tests in a process of its own, since native code that goes wrong takes its process with it.

Prints one line of JSON for each thing it begins and each result, so that whoever started it knows what it was doing.
"""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.backend.test

import ingot
import ingot.runtime.cuda as runtime
from ingot.graph.source import to_identifier
from ingot.ops.registry import ALL
from ingot.packing import codes_of
from ingot.tensor import DType
from tests.support.cuda_driver import Driver, Gpu
from tests.support.gpu import WHY_NO_GPU
from tests.support.node_tests import NodeTest, bound_inputs, load_node_tests, mismatch, node_test_names

# Models that are linked into one library: linking one by one would take most of the time.
LIBRARY_MODELS = 64
# The device of a code generator whose code does not run on the host.
DEVICES = {"opencl": ingot.opencl(0), "cuda": ingot.cuda(0)}
AT_ONCE = "llvmjit"  # the code generator whose sets run without a library
LIGHT = Path(onnx.backend.test.__file__).parent / "data" / "light"


def all_names(codegen: str) -> list[str]:
    """Every test that makes sense on a code generator: interpreted, a classification network would take hours."""
    light = [f"light_{path.stem.removeprefix('light_')}" for path in sorted(LIGHT.glob("*.onnx"))]
    return node_test_names() + ([] if codegen in ("interp", "cuda") else light)


def load_tests(names: Sequence[str]) -> list[NodeTest]:
    light = [_light(name) for name in names if name.startswith("light_")]
    return load_node_tests([name for name in names if not name.startswith("light_")]) + light


def _light(name: str) -> NodeTest:
    """A classification network with the input that ONNX's test runner makes and the output that comes with the package."""
    model = onnx.load(LIGHT / f"{name}.onnx")
    weights = {one.name for one in model.graph.initializer}
    data = next(one for one in model.graph.input if one.name not in weights)
    shape = [dim.dim_value for dim in data.type.tensor_type.shape.dim]
    size = int(np.prod(shape))
    expected = onnx.numpy_helper.to_array(onnx.load_tensor(str(LIGHT / f"{name}_output_0.pb")))
    del model.graph.input[:]
    model.graph.input.append(data)
    return NodeTest(name, model, ((np.arange(size).reshape(shape) / size).astype(np.float32),), (expected,))


def say(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def reason(error: BaseException) -> str:
    """One line. Of nodes that cannot be compiled, the operators and why."""
    nodes = error.facts.get("nodes") if isinstance(error, ingot.IngotError) else None
    if isinstance(nodes, tuple) and nodes:
        return "unsupported: " + "; ".join(dict.fromkeys(f"{one.op_type}: {one.why}" for one in nodes))
    if isinstance(error, ingot.UnsupportedError):
        return f"unsupported: {' '.join(str(error).split())[:240]}"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:240]}"


def work(codegen: str, names: Sequence[str]) -> None:
    if codegen == "cuda" and WHY_NO_GPU:
        runtime.driver = Driver(Gpu())  # PTX runs without a GPU, on a machine of paper
    tests = load_tests(names)
    group: list[tuple[NodeTest, ingot.ArtifactSet]] = []
    for test in tests:
        say(begin=test.name)
        if why := beyond(test):
            say(name=test.name, why=why)
            continue
        try:
            group.append((test, build(test, codegen)))
        except Exception as error:
            say(name=test.name, why=reason(error))
        if len(group) >= LIBRARY_MODELS:
            run_group(group)
            group = []
    if group:
        run_group(group)


def build(test: NodeTest, codegen: str) -> ingot.ArtifactSet:
    """Compiles a test, with the inputs bound that its operators need to know while building. Where that is not enough, since a
    function hides the operator, the small inputs that are no floats are tried too: shapes, axes, counts, conditions.
    """
    bound = bound_inputs(test, ALL)
    try:
        return _build(test, codegen, bound)
    except ingot.UnsupportedError:
        more = {name: array for name, array in _whole(test) if name not in bound}
        if not more:
            raise
        return _build(test, codegen, bound | more)


def _whole(test: NodeTest) -> list[tuple[str, np.ndarray]]:
    given = zip((one.name for one in test.model.graph.input), test.inputs, strict=False)
    return [(name, array) for name, array in given if array.ndim <= 1 and array.size <= 16 and array.dtype.kind in "biu"]


def _build(test: NodeTest, codegen: str, bound: dict[str, np.ndarray]) -> ingot.ArtifactSet:
    artifacts = ingot.build(test.model, **where(codegen), name=symbol(test), constants=bound, cache=None)
    say(bound=sorted(bound), name=test.name)
    return artifacts


def where(codegen: str) -> dict[str, Any]:
    """Arguments of `ingot.build`: all nodes on the code generator. Beside a device there is a host, which passes values on."""
    if codegen in DEVICES:
        return {"target": {"host": "llvm", "accel": codegen}, "place": lambda node: "accel"}
    return {"target": codegen}


def symbol(test: NodeTest) -> str:
    """The name of a test's model, of which a library takes no more than 64 characters."""
    name = to_identifier(test.name)
    return name if len(name) <= 60 else f"{name[:48]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def beyond(test: NodeTest) -> str | None:
    """Why a test cannot be asked of ingot at all."""
    for what, values in (("input", test.inputs), ("output", test.outputs)):
        for value in values:
            if not isinstance(value, np.ndarray):
                return f"unsupported: an {what} is a {'sequence' if isinstance(value, list) else 'optional'}"
            if value.dtype == object:
                return f"unsupported: an {what} is text"
    return None


def run_group(group: Sequence[tuple[NodeTest, ingot.ArtifactSet]]) -> None:
    """Links tests into one library and runs them; one by one, if they cannot be linked together."""
    say(begin=[test.name for test, _ in group])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests.so"
        try:
            whole = group[0][1].merge(*(artifacts for _, artifacts in group[1:]))
            if whole.select(codegen_id=AT_ONCE).artifacts:
                library = whole.load()
            else:
                whole.export_library(path, compile_flags=("-O1",))
                library = ingot.load(path)
        except Exception as error:
            if len(group) == 1:
                say(name=group[0][0].name, why=reason(error))
            else:
                for one in group:
                    run_group([one])
            return
        for test, _ in group:
            say(begin=test.name)
            try:
                say(name=test.name, why=run_test(test, library))
            except Exception as error:
                say(name=test.name, why=reason(error))


def run_test(test: NodeTest, library: ingot.Library) -> str | None:
    info = library[symbol(test)].info
    devices = {part.key: [DEVICES[part.codegen_id]] for part in info.targets if part.codegen_id in DEVICES}
    executor = library[symbol(test)](ingot.cpu(0), threads=1, devices=devices)
    given = dict(zip((one.name for one in test.model.graph.input), test.inputs, strict=False))
    feeds = {one.name: _carried(given[one.name]) for one in executor.inputs}
    got = executor.predict(**feeds)
    results = [np.asarray(one) for one in (got if isinstance(got, tuple) else (got,))]
    for position, expected in enumerate(test.outputs):
        if position < len(results) and expected.dtype.isbuiltin == 2 and results[position].dtype == _carried(expected).dtype:
            results[position] = as_expected(results[position], expected.dtype)
    why = mismatch(test, results)
    return None if why is None else f"differs: {why}"


def as_expected(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result as an array of the type that ml_dtypes has for what NumPy lacks."""
    return array.astype(dtype) if DType.from_numpy(dtype).is_integer else array.view(dtype)


def _carried(array: np.ndarray) -> np.ndarray:
    """What NumPy lacks travels in an integer."""
    return codes_of(array, DType.from_numpy(array.dtype)) if array.dtype.isbuiltin == 2 else array


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    work(sys.argv[1], sys.argv[2:])
