"""Where the time of a model goes: each call's time, and what it reaches of what this machine can do at most.

    gcc -O2 -march=native -pthread -o peak benchmarks/peak.c && ./peak > peak.txt
    python benchmarks/layers.py resnet50 --peaks peak.txt --top 10      a model that is measured, or a path (.onnx)

The time of a call is the least of many runs of the whole model, so caches hold what the calls before it left there. With
`--peaks` two bounds stand beside it, and the share of the larger one that the call reaches:

- *sums*: the operations that it does, at the peak of registers (8-bit values: that of AMX tiles, or else of dot products).
  At most the operations of the definition are counted, then without the epilogue of a product: pairwise inner products compute
  some rows otherwise, which their own count includes. Float32 in AMX tiles may exceed the vectors' peak; the peak of AMX is
  another line of what peak.c prints. Pairwise inner products reach up to 150 % of the peak, since a third of their multiply-adds
  become additions;
- *bytes*: its constants at the rate of memory (or of L3 where all constants of the model fit there), everything else at the rate
  of L2, or of L3 where it is more than fits in L2.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

import ingot
from ingot.base import environment
from models import Subject, feeds, subject, subjects

L2_BYTES, L3_BYTES = environment.cache_bytes(2) or 1 << 20, 32 << 20


@dataclass(frozen=True)
class Row:
    """One call: its least time, operations, and bytes of constants and of everything else."""

    name: str
    nodes: tuple[str, ...]
    seconds: float
    operations: float
    by_definition: float
    is_integer: bool
    constant_bytes: int
    other_bytes: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help=f"a path, or one of {', '.join(each.name for each in subjects())}")
    parser.add_argument("--target", default="llvm -mcpu=native")
    parser.add_argument(
        "--library", type=Path, help="an already built library of the model, for the executor graph too"
    )
    parser.add_argument("--peaks", type=Path, help="what peak.c printed")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long to measure")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--top", type=int, default=0, help="only so many of the calls that take longest; 0: all, in order"
    )
    options = parser.parse_args()
    measured = subject(options.model)
    library = (
        ingot.load(options.library)
        if options.library
        else ingot.build(
            measured.model(),
            options.target,
            name="layers",
            dims=dict(measured.dims),
            executor=("aot", "graph"),
        ).load()
    )
    rows = measure(measured, library, options.threads, options.seconds)
    peaks = read_peaks(options.peaks.read_text(encoding="utf-8")) if options.peaks else {}
    total = sum(row.seconds for row in rows)
    constants = sum(row.constant_bytes for row in rows)
    shown = sorted(rows, key=lambda row: -row.seconds)[: options.top] if options.top else rows
    print(
        f"{'µs':>9} {'%':>5} {'G/s':>7} {'defined':>8} {'GB/s':>6} {'sums':>8} {'bytes':>8} {'reached':>7}  kernel, nodes"
    )
    for row in shown:
        print(line(row, total, constants, peaks))
    done, defined = sum(row.operations for row in rows), sum(row.by_definition for row in rows)
    ideal = sum(max(bounds(row, constants, peaks)) for row in rows) if peaks else 0.0
    print(
        f"{total * 1e6:9.1f} 100.0 {done / total / 1e9:7.1f} {defined / total / 1e9:8.1f}"
        f"  all {len(rows)} calls"
        + (f"; the bounds are {ideal * 1e6:.0f} µs, {ideal / total:.0%}" if peaks else "")
    )


def measure(measured: Subject, library: ingot.Library, threads: int, seconds: float) -> list[Row]:
    """The calls of a library of the model."""
    factory = library[next(iter(library))]
    executor = factory(ingot.cpu(0), threads=threads)
    model = measured.model()
    inputs = feeds(model, measured.dims)
    profile = executor.profile(inputs, repeat=1)
    shortest = [call.seconds for call in profile]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        shortest = [
            min(pair)
            for pair in zip(
                shortest, (call.seconds for call in executor.profile(inputs, repeat=1)), strict=True
            )
        ]
    defined = operations_by_definition(model)
    values = {value.name: value for value in factory.info.values}
    rows = []
    for taken, call in zip(shortest, factory.info.calls, strict=True):
        by_definition = sum(defined.get(node, 0.0) for node in call.nodes)
        is_integer = re.match(r"(depthwise_)?q(conv|matmul)", call.kernel) is not None
        sizes = {True: 0, False: 0}
        for name in dict.fromkeys(call.args):
            value = values[name]
            sizes[value.region == "params"] += value.dtype.size_bytes * math.prod(value.shape)
        operations = by_definition if is_integer or 0 < by_definition < call.flops else call.flops
        duration = max(taken, 1e-9)  # of a few elements: less than the clock tells apart
        rows.append(
            Row(
                call.kernel,
                call.nodes,
                duration,
                operations,
                by_definition,
                is_integer,
                sizes[True],
                sizes[False],
            )
        )
    return rows


def operations_by_definition(model: bytes) -> Mapping[str, float]:
    """Multiplications and additions of each convolution and matrix product of a model, by the name of its node."""
    graph = onnx.shape_inference.infer_shapes(onnx.load_from_string(model)).graph
    shapes = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        shapes[value.name] = tuple(extent.dim_value for extent in value.type.tensor_type.shape.dim)
    operations = {}
    for node in graph.node:
        if node.op_type not in (
            "Conv",
            "ConvInteger",
            "QLinearConv",
            "Gemm",
            "MatMul",
            "MatMulInteger",
            "QLinearMatMul",
        ):
            continue
        second = shapes.get(node.input[3 if node.op_type.startswith("QLinear") else 1], ())
        result = math.prod(shapes.get(node.output[0], (0,)))
        if "Conv" in node.op_type:
            depth = math.prod(second[1:])
        elif any(
            attribute.name == "transB" and helper.get_attribute_value(attribute)
            for attribute in node.attribute
        ):
            depth = second[-1]
        else:
            depth = second[-2] if len(second) > 1 else math.prod(second)
        operations[node.name] = 2.0 * result * depth
    return operations


def read_peaks(text: str) -> dict[str, float]:
    """What peak.c printed: operations and bytes a second."""
    signs = {
        "float": "float32 operations, in registers",
        "integer": "int8 operations (VNNI), in registers",
        "tiles": "int8 operations (AMX), operands from L1",
        "L2": "read, 384 KB (L2)",
        "L3": "read, 6 MB (L3)",
        "memory": "read, 256 MB (memory)",
    }
    rates = {
        line[:44].strip(): float(line[44:].split()[0]) * 1e9 for line in text.splitlines() if line.strip()
    }
    peaks = {name: rates.get(sign, np.inf) for name, sign in signs.items()}
    return {**peaks, "integer": rates.get(signs["tiles"], peaks["integer"])}


def bounds(row: Row, all_constants: int, peaks: Mapping[str, float]) -> tuple[float, float]:
    """Seconds that the call needs at least for its operations, and for its bytes."""
    sums = row.operations / peaks["integer" if row.is_integer else "float"]
    constants = row.constant_bytes / peaks["memory" if all_constants > L3_BYTES else "L3"]
    return sums, constants + row.other_bytes / peaks["L2" if row.other_bytes <= L2_BYTES else "L3"]


def line(row: Row, total: float, all_constants: int, peaks: Mapping[str, float]) -> str:
    text = (
        f"{row.seconds * 1e6:9.1f} {100 * row.seconds / total:5.1f} {row.operations / row.seconds / 1e9:7.1f}"
    )
    text += f" {row.by_definition / row.seconds / 1e9:8.1f} {(row.constant_bytes + row.other_bytes) / row.seconds / 1e9:6.1f}"
    if peaks:
        sums, size = bounds(row, all_constants, peaks)
        text += f" {sums * 1e6:8.1f} {size * 1e6:8.1f} {max(sums, size) / row.seconds:7.0%}"
    else:
        text += f" {'–':>8} {'–':>8} {'–':>7}"
    return f"{text}  {row.name.split('_')[0]} {', '.join(row.nodes)[:60]}"


if __name__ == "__main__":
    main()
