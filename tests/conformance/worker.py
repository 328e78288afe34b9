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
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.backend.test

import ingot
import ingot.runtime.devices.cuda as runtime
from ingot.base.packing import carriers_of
from ingot.base.tensor import DType
from ingot.graph.read.source import to_identifier
from ingot.ops.registry import ALL
from tests.support.cuda_driver import Driver, Gpu
from tests.support.gpu import WHY_NO_GPU
from tests.support.node_tests import NodeTest, bound_inputs, load_node_tests, mismatch, node_test_names

# Models that are linked into one library: linking one by one would take most of the time.
LIBRARY_MODELS = 64
# The device of a code generator whose code does not run on the host.
DEVICES = {"opencl": ingot.opencl(0), "cuda": ingot.cuda(0)}
# Code generators whose sets run without a library: linking one takes two thirds of the time of building its models.
AT_ONCE = ("interp", "llvmjit")
# GCC takes two thirds of the time that it takes with -O1; kernels of `c` are compiled by -O2 in `tests/codegen`. Networks would
# run too long without.
NODE_FLAGS, LIGHT_FLAGS = ("-O0",), ("-O1",)
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
    """Compiles a test as it stands; where that is refused, with as much room in sequences that grow in loops as it needs; with
    the inputs bound that its operators need to know while building; and since a function may hide the operator, with the small
    inputs bound that are no floats (shapes, axes, counts, conditions), at last with all single numbers.
    """
    needed = bound_inputs(test, ALL)
    tries = [{}, needed, needed | _small(test, "biu", 16), needed | _small(test, "biufV", 1)]
    for number, bound in enumerate(tries):
        if any(bound.keys() == other.keys() for other in tries[:number]):
            continue
        for bounds in ({}, _rooms(test)):
            try:
                return _build(test, codegen, bound, bounds)
            except ingot.IngotError as error:
                last = error
            if not _rooms(test):
                break
    raise last


def _rooms(test: NodeTest) -> dict[str, int]:
    """What `bounds` says: how many elements there may be in sequences that the model gives."""
    outputs = zip(test.model.graph.output, test.outputs, strict=False)
    return {f"{output.name}:length": len(value) for output, value in outputs if isinstance(value, list)}


def _small(test: NodeTest, kinds: str, most: int) -> dict[str, np.ndarray]:
    """Inputs of at most one dimension and `most` elements of those kinds of NumPy's types."""
    given = zip((one.name for one in test.model.graph.input), test.inputs, strict=False)
    tensors = [(name, array) for name, array in given if isinstance(array, np.ndarray)]
    return {
        name: array
        for name, array in tensors
        if array.ndim <= 1 and array.size <= most and array.dtype.kind in kinds
    }


def _build(
    test: NodeTest, codegen: str, bound: dict[str, np.ndarray], bounds: dict[str, int]
) -> ingot.ArtifactSet:
    dims = lengths(test, bound)
    artifacts = ingot.build(
        test.model, **where(codegen), name=symbol(test), dims=dims, constants=bound, bounds=bounds, cache=None
    )
    say(bound=sorted(bound), name=test.name)
    return artifacts


def lengths(test: NodeTest, bound: Collection[str]) -> dict[str, int]:
    """What `dims` says: extents that are not declared, lengths of sequences, and whether there is something in optionals."""
    said: dict[str, int] = {}
    for declared, value in zip(test.model.graph.input, test.inputs, strict=False):
        said |= _lengths(declared.name, declared.type, value) if declared.name not in bound else {}
    return said


def _lengths(name: str, kind: onnx.TypeProto, value: Any) -> dict[str, int]:
    if kind.HasField("optional_type"):
        inner = kind.optional_type.elem_type
        held = name if inner.HasField("sequence_type") else f"{name}.value"
        return {
            f"{name}:present": int(value is not None),
            **({} if value is None else _lengths(held, inner, value)),
        }
    if kind.HasField("sequence_type"):
        parts = [_extents(f"{name}[{at}]", kind.sequence_type.elem_type, one) for at, one in enumerate(value)]
        return dict(item for part in parts for item in part.items()) | {f"{name}:length": len(value)}
    is_part = name.endswith((".value", "]"))
    return _extents(name, kind, value) if is_part or kind.tensor_type.HasField("shape") else {}


def _extents(name: str, kind: onnx.TypeProto, array: np.ndarray) -> dict[str, int]:
    """The extents of a tensor that are not declared."""
    declared = kind.tensor_type.shape.dim
    if not kind.tensor_type.HasField("shape"):
        return {
            f"{name}:rank": array.ndim,
            **{f"{name}:{axis}": extent for axis, extent in enumerate(array.shape)},
        }
    return {
        f"{name}:{axis}": array.shape[axis]
        for axis, dim in enumerate(declared)
        if not dim.HasField("dim_value")
    }


def where(codegen: str) -> dict[str, Any]:
    """Arguments of `ingot.build`: all nodes on the code generator. Beside a device there is a host, which passes values on."""
    if codegen in DEVICES:
        return {"target": {"host": "llvm", "accel": codegen}, "place": lambda node: "accel"}
    return {"target": codegen}


def symbol(test: NodeTest) -> str:
    """The name of a test's model, of which a library takes no more than 64 characters."""
    name = to_identifier(test.name)
    return name if len(name) <= 60 else f"{name[:48]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def run_group(group: Sequence[tuple[NodeTest, ingot.ArtifactSet]]) -> None:
    """Links tests into one library and runs them; one by one, if they cannot be linked together."""
    say(begin=[test.name for test, _ in group])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests.so"
        try:
            whole = group[0][1].merge(*(artifacts for _, artifacts in group[1:]))
            if any(whole.select(codegen_id=each).artifacts for each in AT_ONCE):
                library = whole.load()
            else:
                is_light = any(test.name.startswith("light_") for test, _ in group)
                whole.export_library(path, compile_flags=LIGHT_FLAGS if is_light else NODE_FLAGS)
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
    results = list(got) if isinstance(got, tuple) else [got]
    for position, expected in enumerate(test.outputs):
        is_tensor = position < len(results) and isinstance(expected, np.ndarray)
        if (
            is_tensor
            and expected.dtype.isbuiltin == 2
            and results[position].dtype == _carried(expected).dtype
        ):
            results[position] = as_expected(results[position], expected.dtype)
    why = mismatch(test, results)
    return None if why is None else f"differs: {why}"


def as_expected(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result as an array of the type that ml_dtypes has for what NumPy lacks."""
    return array.astype(dtype) if DType.from_numpy(dtype).is_integer else array.view(dtype)


def _carried(value: Any) -> Any:
    """What NumPy lacks travels in an integer."""
    is_carried = isinstance(value, np.ndarray) and value.dtype.isbuiltin == 2
    return carriers_of(value, DType.from_numpy(value.dtype)) if is_carried else value


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    work(sys.argv[1], sys.argv[2:])
