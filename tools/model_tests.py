"""Compares ingot with onnxruntime on every model below some folders, and says of each what came of it.

    python tools/model_tests.py FOLDER … [-t llvmjit] [--domains] [--seconds 60] [--only WORD] [-o results.json]

A model gets the inputs of `test_data_set_0` beside it, if there are any, and otherwise random ones: extents that the model leaves
open are tried from EXTENTS until onnxruntime runs it. Each model has a process of its own with a limit of processor time and
memory. Classes:

    equal     the numbers are those of onnxruntime
    bound     as `equal`, after whole numbers, such as shapes and axes, were bound by `constants=`
    refused   ingot says in a sentence why it does not build the model
    wrong     another number, shape or type
    crash     an exception that is no error of ingot's own, an InternalError, a signal, or the limit of time or memory
    unclear   onnxruntime itself does not run the model, its numbers are random, or its inputs cannot be made here; not counted
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime

import ingot
from ingot.base.errors import IngotError, InternalError

Arrays = dict[str, Any]
CLASSES = ("equal", "bound", "refused", "wrong", "crash", "unclear")
EXTENTS = (2, 1, 3, 4, 8, 16, 32)  # for what a model leaves open, tried in this order
RANKS = (2, 1, 3, 4, 0)  # for inputs that declare none
STANDARD = {"", "ai.onnx", "ai.onnx.ml"}
LIMIT_BYTES = 6 << 30
SMALL = 64  # elements of an input that may be bound
# What floats may differ, relative to the largest one, by the narrowest type that the model has. In a quantized model a rounding
# decides between two steps, and onnxruntime with and without optimizations differ by this much.
QUANTIZED, RTOL_QUANTIZED = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul"}, 5e-2
RTOL = {onnx.TensorProto.BFLOAT16: 5e-2, onnx.TensorProto.FLOAT16: 1e-2, onnx.TensorProto.FLOAT: 1e-4}
RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Multinomial",
    "Bernoulli",
}
KINDS = {
    **{
        f"tensor({name})": np.dtype(name)
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    **{
        "tensor(float)": np.dtype("float32"),
        "tensor(double)": np.dtype("float64"),
        "tensor(float16)": np.dtype("float16"),
    },
    **{"tensor(bool)": np.dtype("bool"), "tensor(string)": np.dtype("O")},
}
_EMPTY = onnx.parser.parse_model(
    '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) { y = Abs (x) }'
)


class UnclearError(Exception):
    """onnxruntime cannot say what is right."""


# ─── what onnxruntime does ─────────────────────────────────────────────────────────────────────────────────────────


def all_nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """The nodes of the model, of its functions, and of the graphs inside of nodes."""
    return [node for graph in (model.graph, *model.functions) for node in _nodes(graph.node)]


def domains(model: onnx.ModelProto) -> set[str]:
    """The domains of all operators that the model calls, its own functions left out."""
    own = {(function.domain, function.name) for function in model.functions}
    return {node.domain for node in all_nodes(model) if (node.domain, node.op_type) not in own}


def _is_random(model: onnx.ModelProto) -> bool:
    nodes = all_nodes(model)
    return any(
        node.op_type in RANDOM or (node.op_type == "Dropout" and len(node.input) > 2) for node in nodes
    )


def tolerance(model: onnx.ModelProto) -> float:
    """What floats may differ, relative to the largest one."""
    graph = model.graph
    types = {item.type.tensor_type.elem_type for item in (*graph.input, *graph.output, *graph.value_info)}
    types |= {item.data_type for item in graph.initializer}
    types |= {item.i for node in all_nodes(model) if node.op_type == "Cast" for item in node.attribute}
    if any(node.op_type in QUANTIZED for node in all_nodes(model)):
        return RTOL_QUANTIZED
    return max(limit for kind, limit in RTOL.items() if kind in types or kind == onnx.TensorProto.FLOAT)


def _nodes(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _nodes(graph.node)


def _session(path: Path) -> onnxruntime.InferenceSession:
    """A session without graph optimizations, where onnxruntime can do without: some of them compute other numbers."""
    levels = onnxruntime.GraphOptimizationLevel
    for level in (levels.ORT_DISABLE_ALL, levels.ORT_ENABLE_ALL):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level, options.log_severity_level, options.intra_op_num_threads = (
            level,
            4,
            1,
        )
        try:
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            last = error
    raise UnclearError(f"onnxruntime does not load it: {_line(last)}")


def _reference(path: Path, model: onnx.ModelProto) -> tuple[Arrays, Arrays]:
    """Inputs, and what onnxruntime makes of them."""
    session = _session(path)
    names = [tensor.name for tensor in session.get_outputs()]
    last: Exception = UnclearError("there are no inputs to try")
    for feeds in _inputs(path, model, session):
        try:
            return feeds, dict(zip(names, session.run(names, feeds), strict=True))
        except Exception as error:
            last = error
    raise UnclearError(f"onnxruntime does not run it: {_line(last)}")


def _inputs(path: Path, model: onnx.ModelProto, session: onnxruntime.InferenceSession) -> Iterator[Arrays]:
    stored = [
        onnx.load_tensor(tensor_info)
        for tensor_info in sorted(path.parent.glob("test_data_set_0/input_*.pb"))
    ]
    expected = session.get_inputs()
    if stored and len(stored) == len(expected):
        yield {
            tensor_info.name: onnx.numpy_helper.to_array(tensor)
            for tensor_info, tensor in zip(expected, stored, strict=True)
        }
    ranked = {
        tensor_info.name
        for tensor_info in model.graph.input
        if tensor_info.type.tensor_type.HasField("shape")
    }
    for rank in RANKS if any(tensor_info.name not in ranked for tensor_info in expected) else (0,):
        for extent in EXTENTS:
            random = np.random.default_rng(extent)
            shapes = {
                tensor_info.name: tensor_info.shape if tensor_info.name in ranked else [None] * rank
                for tensor_info in expected
            }
            yield {
                tensor_info.name: _array(tensor_info.type, _filled(shapes[tensor_info.name], extent), random)
                for tensor_info in expected
            }


def _filled(shape: Sequence[object], extent: int) -> list[int]:
    return [dim if isinstance(dim, int) and dim >= 0 else extent for dim in shape]


def _array(kind: str, shape: list[int], random: np.random.Generator) -> Any:
    """Floats from -1 to 1; 8-bit integers of all values; wider ones 0 or 1, since these are often indices."""
    if kind not in KINDS:
        raise UnclearError(f"no inputs of the type {kind} are made")
    dtype = KINDS[kind]
    if dtype.kind == "f":
        return random.uniform(-1, 1, shape).astype(dtype)
    if dtype.kind == "O":
        return random.choice(["a", "b", "1"], shape).astype(object)
    low, high = (
        (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)
        if dtype.kind in "iu" and dtype.itemsize == 1
        else (0, 2)
    )
    return random.integers(low, high, shape).astype(dtype)


# ─── what ingot does ───────────────────────────────────────────────────────────────────────────────────────────────


def _dims(model: onnx.ModelProto, feeds: Arrays) -> dict[str, int]:
    """The extents that the model leaves open."""
    said: dict[str, int] = {}
    for graph_input in model.graph.input:
        if graph_input.name in feeds:
            said |= _open_extents(graph_input, feeds[graph_input.name])
    return said


def _open_extents(declared: onnx.ValueInfoProto, array: Any) -> dict[str, int]:
    kind, name = declared.type.tensor_type, declared.name
    if not kind.HasField("shape"):
        return {f"{name}:rank": array.ndim} | {
            f"{name}:{axis}": extent for axis, extent in enumerate(array.shape)
        }
    is_open = [not dim.HasField("dim_value") or dim.dim_value < 0 for dim in kind.shape.dim]
    return {f"{name}:{axis}": array.shape[axis] for axis in range(array.ndim) if is_open[axis]}


def _bindings(feeds: Arrays) -> list[Arrays]:
    """Inputs to bind: none; small lists of whole numbers; all small whole numbers, and single numbers of any kind."""
    small = {name: array for name, array in feeds.items() if array.size <= SMALL}
    lists = {name: array for name, array in small.items() if array.dtype.kind in "biu" and array.ndim <= 1}
    more = {name: array for name, array in small.items() if array.size == 1 or array.dtype.kind in "biu"}
    bindings: list[Arrays] = [{}]
    for choices in (lists, more):
        if choices.keys() not in [other.keys() for other in bindings]:
            bindings.append(choices)
    return bindings


def _build(
    path: Path, model: onnx.ModelProto, target: str, feeds: Arrays
) -> tuple[ingot.ArtifactSet, Arrays]:
    first: IngotError | None = None
    for bound in _bindings(feeds):
        dims = _dims(model, {name: array for name, array in feeds.items() if name not in bound})
        try:
            return ingot.build(path, target, name="m", dims=dims, constants=bound, cache=None), bound
        except InternalError:
            raise
        except IngotError as error:
            first = first or error
    assert first is not None
    raise first


def _results(artifacts: ingot.ArtifactSet, feeds: Arrays) -> Arrays:
    executor = artifacts.load()["m"](ingot.cpu(0), threads=1)
    got = executor.predict(**{tensor.name: feeds[tensor.name] for tensor in executor.inputs})
    values = got if isinstance(got, tuple) else (got,)
    return {output.name: value for output, value in zip(executor.outputs, values, strict=True)}


def difference(expected: Any, got: Any, rtol: float = RTOL[onnx.TensorProto.FLOAT]) -> str:
    """What is not the same of two results, or nothing. `rtol`: of floats, relative to the largest one."""
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"not a list of {len(expected)}"
        return next(filter(None, (difference(*pair, rtol) for pair in zip(expected, got, strict=True))), "")
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        return difference(np.array(list(expected.values())), np.array([got[key] for key in expected]), rtol)
    if isinstance(expected, dict) or expected is None:
        return "" if expected == got else f"{got}, expected {expected}"
    expected, got = np.asarray(expected), np.asarray(got)
    if expected.shape != got.shape:
        return f"shape {list(got.shape)}, expected {list(expected.shape)}"
    return _numbers(expected, got, rtol)


def _numbers(expected: np.ndarray[Any, Any], got: np.ndarray[Any, Any], rtol: float) -> str:
    if expected.dtype.kind in "OUST":
        return "" if np.array_equal(expected.astype(object), got.astype(object)) else "other texts"
    if expected.dtype != got.dtype and expected.dtype.isbuiltin == got.dtype.isbuiltin == 1:
        return f"type {got.dtype}, expected {expected.dtype}"
    if got.dtype == np.uint16 and expected.dtype == ml_dtypes.bfloat16:
        got = got.view(ml_dtypes.bfloat16)
    if expected.dtype.kind in "biu":
        steps = np.abs(expected.astype(np.float64) - got.astype(np.float64)).max(initial=0)
        tolerated = (
            1 if expected.dtype.itemsize == 1 and expected.dtype.kind != "b" else 0
        )  # a rounding of a quantized value
        return "" if steps <= tolerated else f"{steps:g} apart"
    left, right = expected.astype(np.float64), got.astype(np.float64)
    finite = np.isfinite(left)
    limit = rtol * max(1e-3, float(np.abs(left[finite]).max(initial=0)))
    close = np.isclose(right, left, rtol=0, atol=limit, equal_nan=True)
    if close.all():
        return ""
    return (
        f"{int((~close).sum())} of {close.size} numbers, such as {right[~close][0]:g} for {left[~close][0]:g}"
    )


# ─── one model ─────────────────────────────────────────────────────────────────────────────────────────────────────


def examined(path: Path, target: str) -> tuple[str, str]:
    """The class of a model, and why."""
    try:
        model = onnx.load(path, load_external_data=False)
        if _is_random(model):
            raise UnclearError("its numbers are random")
        feeds, expected = _reference(path, model)
    except Exception as error:
        return "unclear", _line(error)
    try:
        artifacts, bound = _build(path, model, target, feeds)
        got = _results(artifacts, feeds)
    except InternalError as error:
        return "crash", _line(error)
    except IngotError as error:
        return "refused", _line(error)
    except Exception as error:
        return "crash", f"{_line(error)} {_place(error)}"
    if list(expected) != list(got):
        return "wrong", f"outputs {list(got)}, expected {list(expected)}"
    rtol = tolerance(model)
    differences = {name: difference(expected[name], got[name], rtol) for name in expected}
    faults = [f"{name}: {why}" for name, why in differences.items() if why]
    return (
        ("wrong", "; ".join(faults)[:300])
        if faults
        else ("bound", ", ".join(bound))
        if bound
        else ("equal", "")
    )


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, UnclearError) else f"{type(error).__name__}: {text}"[:400]


def _place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"({Path(frame.filename).name}:{frame.lineno})"


def _apart(work: Callable[[], tuple[str, str]], seconds: int) -> tuple[str, str]:
    """What a function returns in a process of its own, or what ended that."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        os.write(writer, json.dumps(work()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    _, status = os.waitpid(child, 0)
    return tuple(json.loads(said)) if said else ("crash", f"ended by {os.waitstatus_to_exitcode(status)}")


def _models(folders: Sequence[Path], only: str) -> list[Path]:
    """The models below the folders, those of equal bytes and names once."""
    paths = sorted(path for folder in folders for path in folder.rglob("*.onnx") if only in str(path))
    return sorted(
        {(path.name, hashlib.sha256(path.read_bytes()).digest()): path for path in reversed(paths)}.values()
    )


def _kind(path: Path) -> str:
    """Whose operators a model has: `standard`, or its other domains."""
    try:
        others = domains(onnx.load(path, load_external_data=False)) - STANDARD
    except Exception:  # no model at all
        return "no model"
    return ", ".join(sorted(others)) or "standard"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("-t", "--target", default="llvmjit")
    parser.add_argument("--domains", action="store_true", help="models with operators of other domains, too")
    parser.add_argument("--seconds", type=int, default=60, help="of processor time for a model")
    parser.add_argument("--only", default="", help="a part of the path of the models to examine")
    parser.add_argument("-o", "--output", type=Path, help="a JSON file for the results")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    ingot.build(_EMPTY, "interp", cache=None)  # modules that every process would import
    results: dict[str, tuple[str, str, str]] = {}
    for path in _models(arguments.folders, arguments.only):
        kind = _kind(path)
        if kind == "standard" or (arguments.domains and kind != "no model"):
            outcome, why = _apart(lambda path=path: examined(path, arguments.target), arguments.seconds)  # type: ignore[misc]
            results[str(path)] = kind, outcome, why
            print(f"{outcome:8} {path}  {why}", flush=True)
    for kind, share in _shares(results).items():
        print(f"{kind}: {share}")
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(results, indent=1))


def _shares(results: dict[str, tuple[str, str, str]]) -> dict[str, str]:
    counted: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for kind, outcome, _ in results.values():
        counted[kind][outcome] += 1
    said = {}
    for kind, counts in counted.items():
        clear = sum(counts.values()) - counts["unclear"]
        share = f"{100 * (counts['equal'] + counts['bound']) / clear:.1f} %" if clear else "none"
        said[kind] = f"{share} of {clear}: " + ", ".join(
            f"{counts[class_]} {class_}" for class_ in CLASSES if counts[class_]
        )
    return said


if __name__ == "__main__":
    sys.exit(main())
