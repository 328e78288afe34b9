"""How the cost of building and loading grows with a model: nodes, products, outputs, calls, and bytes of weights.

    python benchmarks/scale.py                    all rows, each in a process of its own
    python benchmarks/scale.py outputs=500        one kind of model, with another number
    python benchmarks/scale.py weights=256 --target c

Prints a table of Markdown. CPU seconds are those of `ingot.build` and `export_library`, by user and system, with the processes
that they start; loading is the best of five, in CPU seconds, of `ingot.load(…, verify="index")` with the model's executor. The
peak is `ru_maxrss` of the process that builds: the most pages that were in memory at a time, those of mapped files counted like
all others. It needs the extra `build`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import ingot

# Where each kind of model is built with how much, and what is asked of it.
ROWS: Mapping[str, int] = {
    "nodes": 10_000,
    "products": 10_000,
    "outputs": 5_000,
    "sines": 10_000,
    "weights": 1024,
}
_WIDTH = 32


def _tensor(name: str, *shape: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def _model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    weights: Mapping[str, np.ndarray],
) -> onnx.ModelProto:
    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "scale", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def transformer(count: int) -> onnx.ModelProto:
    """About `count` nodes of transformer blocks, each as an exporter writes it, with weights of its own."""
    rng = np.random.default_rng(1)
    length, heads = 16, 4
    weights: dict[str, np.ndarray] = {
        "heads": np.array([1, length, heads, _WIDTH // heads]),
        "joined": np.array([1, length, _WIDTH]),
        "scale": np.float32(np.sqrt(_WIDTH // heads)),
        "two": np.float32(2),
        "epsilon": np.float32(1e-5),
        "axes": np.array([-1]),
        "root": np.float32(np.sqrt(2)),
        "one": np.float32(1),
        "half": np.float32(0.5),
    }
    nodes: list[onnx.NodeProto] = []

    def node(operator: str, *inputs: str, **attributes: object) -> str:
        name = f"{operator}_{len(nodes)}"
        nodes.append(helper.make_node(operator, list(inputs), [name], name, **attributes))
        return name

    def dense(x: str, rows: int, columns: int) -> str:
        number = len(nodes)
        weights[f"w{number}"] = rng.standard_normal((rows, columns)).astype(np.float32) / rows
        weights[f"b{number}"] = rng.standard_normal(columns).astype(np.float32)
        return node("Add", node("MatMul", x, f"w{number}"), f"b{number}")

    def norm(x: str) -> str:
        number = len(nodes)
        weights[f"g{number}"], weights[f"h{number}"] = np.ones((2, _WIDTH), np.float32)
        centred = node("Sub", x, node("ReduceMean", x, "axes"))
        variance = node("ReduceMean", node("Pow", centred, "two"), "axes")
        scaled = node("Div", centred, node("Sqrt", node("Add", variance, "epsilon")))
        return node("Add", node("Mul", scaled, f"g{number}"), f"h{number}")

    def block(x: str) -> str:
        y = norm(x)
        query, key, value = (node("Reshape", dense(y, _WIDTH, _WIDTH), "heads") for _ in range(3))
        scores = node(
            "MatMul", node("Transpose", query, perm=[0, 2, 1, 3]), node("Transpose", key, perm=[0, 2, 3, 1])
        )
        taken = node("Softmax", node("Div", scores, "scale"), axis=-1)
        mixed = node("MatMul", taken, node("Transpose", value, perm=[0, 2, 1, 3]))
        x = node(
            "Add",
            x,
            dense(node("Reshape", node("Transpose", mixed, perm=[0, 2, 1, 3]), "joined"), _WIDTH, _WIDTH),
        )
        wide = dense(norm(x), _WIDTH, 2 * _WIDTH)
        bent = node(
            "Mul", node("Mul", wide, node("Add", node("Erf", node("Div", wide, "root")), "one")), "half"
        )
        return node("Add", x, dense(bent, 2 * _WIDTH, _WIDTH))

    x = "x"
    while len(nodes) < count:
        x = block(x)
    return _model(nodes, [_tensor("x", 1, length, _WIDTH)], [_tensor(x, 1, length, _WIDTH)], weights)


def products(count: int) -> onnx.ModelProto:
    """A chain of products, each with weights of its own."""
    rng = np.random.default_rng(2)
    weights = {f"w{i}": rng.standard_normal((_WIDTH, _WIDTH)).astype(np.float32) / 6 for i in range(count)}
    nodes = [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(count)]
    return _model(nodes, [_tensor("v0", 1, _WIDTH)], [_tensor(f"v{count}", 1, _WIDTH)], weights)


def sines(count: int) -> onnx.ModelProto:
    """A chain of elementwise operators, which are fused."""
    nodes = [helper.make_node("Sin", [f"v{i}"], [f"v{i + 1}"]) for i in range(count)]
    return _model(nodes, [_tensor("v0", 64)], [_tensor(f"v{count}", 64)], {})


def outputs(count: int) -> onnx.ModelProto:
    """One input and many outputs."""
    weights = {f"c{i}": np.full(4, i, np.float32) for i in range(count)}
    nodes = [helper.make_node("Add", ["x", f"c{i}"], [f"y{i}"]) for i in range(count)]
    return _model(nodes, [_tensor("x", 4)], [_tensor(f"y{i}", 4) for i in range(count)], weights)


def heavy(megabytes: int) -> onnx.ModelProto:
    """Products whose weights take so many MiB together."""
    side = 2048
    rng = np.random.default_rng(3)
    count = max(1, megabytes * 2**20 // (4 * side * side))
    weights = {f"w{i}": rng.standard_normal((side, side), np.float32) for i in range(count)}
    nodes = [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(count)]
    return _model(nodes, [_tensor("v0", 1, side)], [_tensor(f"v{count}", 1, side)], weights)


KINDS: Mapping[str, Callable[[int], onnx.ModelProto]] = {
    "nodes": transformer,
    "products": products,
    "outputs": outputs,
    "sines": sines,
    "weights": heavy,
}


def _write(kind: str, count: int, path: Path) -> None:
    model = KINDS[kind](count)
    if kind == "weights":
        onnx.save(model, path, save_as_external_data=True, location="weights.bin")
    else:
        onnx.save(model, path)


def _cpu_seconds() -> float:
    own, started = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime


def _measured(path: Path, target: str) -> dict[str, float]:
    """What one build, in this process, and one load take. The cache is left alone."""
    before = _cpu_seconds()
    artifacts = ingot.build(path, target, name="m", cache=None)
    built = _cpu_seconds() - before
    library = path.with_suffix(".so")
    artifacts.export_library(library)
    exported = _cpu_seconds() - before - built
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    loads = []
    for _ in range(5):
        start = time.process_time()
        ingot.load(library, verify="index")["m"](ingot.cpu(0))
        loads.append(time.process_time() - start)
    return {"build": built, "export": exported, "load": min(loads), "peak": peak}


def _row(kind: str, count: int, target: str) -> str:
    """One row of the table: the model is made by one process and built by another."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        again = [sys.executable, __file__, f"{kind}={count}", "--target", target]
        subprocess.run([*again, "--write", str(path)], check=True)
        weights = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        process = subprocess.run(
            [*again, "--read", str(path)], stdout=subprocess.PIPE, text=True, check=False
        )
    if process.returncode:
        return f"| {count} {kind} | failed with {process.returncode} | | | | |"
    row = json.loads(process.stdout)
    return (
        f"| {count} {kind} | {row['build']:.1f} s | {row['export']:.1f} s | {row['load'] * 1e3:.0f} ms | {weights:.0f} MB | "
        f"{row['peak']:.0f} MB |"
    )


def main() -> None:
    """Prints the table, or does one part of a row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "rows", nargs="*", default=[f"{kind}={count}" for kind, count in ROWS.items()], metavar="KIND=COUNT"
    )
    parser.add_argument("--target", default="llvm", help="what is built for (default: llvm)")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    rows = [(kind, int(count or ROWS[kind])) for kind, _, count in (row.partition("=") for row in given.rows)]
    if given.write:
        _write(*rows[0], given.write)
    elif given.read:
        print(json.dumps(_measured(given.read, given.target)))
    else:
        print(
            "| model | build, CPU | export, CPU | load | file | peak memory |\n|---|---|---|---|---|---|",
            flush=True,
        )
        for kind, count in rows:
            print(_row(kind, count, given.target), flush=True)


if __name__ == "__main__":
    main()
