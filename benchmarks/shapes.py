"""What a library for a range of sizes costs beside ingot's own build of each size, and beside onnxruntime.

    python benchmarks/shapes.py                              all models, batches 1, 3, 8, 17 and 64
    python benchmarks/shapes.py --models trees minilm        some of them
    python benchmarks/shapes.py --json shapes.json           also as JSON
    python benchmarks/shapes.py --page                       also into docs/measurements/shapes.md
    python benchmarks/shapes.py --lengths                    sequences of 7 to 512 instead, by programs with room
    python benchmarks/shapes.py --widths                     the same for images of text that are 32 to 320 pixels wide
    python benchmarks/shapes.py --drawn 20                   only sizes drawn at random, so many of each model, beside all peers
    python benchmarks/shapes.py --new-shapes 100000          only what new shapes cost, in so many calls of small models

All engines run in this process on one thread and are called in turns (A B C A B C …). The time of a call is the CPU time of the
thread, so that other programs disturb it little, and of all turns the lower quartile; a ratio is one such time over another. The
CPU seconds of a build are those of this process and of the processes that it started. The resident memory is looked at before
and after calls with batches drawn at random.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import onnx
from drawn_shapes import Drawn, drawn
from gradient_boosted import gradient_boosted
from machine import describe
from networks import NETWORKS
from new_shapes import ENGINES, NewShapes, in_own_process, resident_bytes
from onnx import helper, numpy_helper
from recogniser import recogniser
from report import filled, size
from transformers import TRANSFORMERS

import ingot
from models import ROOT, SEED, add_one_element

try:
    import onnxruntime
except ImportError:  # ingot is measured alone
    onnxruntime = None

PAGE = ROOT / "docs" / "measurements" / "shapes.md"
BATCHES = (1, 3, 8, 17, 64)
LENGTHS = (7, 32, 128, 200, 512)
WIDTHS = (32, 64, 160, 248, 320)
MAKERS: Mapping[str, Callable[[], bytes]] = {
    "resnet18": NETWORKS["resnet18"],
    "mobilenet_v2": NETWORKS["mobilenet_v2"],
    "minilm": TRANSFORMERS["minilm"],
    "gpt2_block": TRANSFORMERS["gpt2_block"],
    "trees": gradient_boosted,
    "recogniser": recogniser,
}
SEQUENCES = ("minilm", "gpt2_block")  # of which the length may vary
IMAGES = ("recogniser",)  # of which the width may vary
BATCHED = tuple(name for name in MAKERS if name not in IMAGES)  # of which the batch may vary
PEERS = tuple(engine for engine in ENGINES if engine != "ingot")
SMALL = ("digits", "trees")  # of which 100,000 calls are soon over
Arrays = dict[str, np.ndarray]
Call = Callable[[Arrays], object]


@dataclass(frozen=True)
class Varying:
    """An extent that varies: its symbol, the axis of inputs, the range, and what gives a model of one size the symbol."""

    symbol: str
    axis: int
    range: range
    of: Callable[[bytes], bytes]


@dataclass
class Shaped:
    """What was measured of one model. The keys are sizes of the extent, times are in CPU seconds, sizes in bytes."""

    model: str
    programs: int = 0
    ranged: dict[int, float] = field(default_factory=dict)
    static: dict[int, float] = field(default_factory=dict)
    onnxruntime: dict[int, float] = field(default_factory=dict)
    first: dict[int, float] = field(default_factory=dict)  # the first call of a batch
    file_bytes: int = 0
    static_file_bytes: int = 0
    build: float = 0.0
    static_build: float = 0.0
    random_calls: int = 0
    grown_bytes: int = 0  # resident memory, over these calls

    def over_static(self, batch: int) -> float:
        """The time of a call, over that of the build for this batch."""
        return self.ranged[batch] / self.static[batch]


def with_batch(model: bytes) -> bytes:
    """A model for one item, with the symbol `batch` instead: as the first extent of each input and output, and -1 in reshapes."""
    return _with_symbol(model, "batch", 0)


def with_length(model: bytes) -> bytes:
    """A model for a sequence of one length, with the symbol `length` in the second axis instead."""
    return _with_symbol(model, "length", 1)


def with_width(model: bytes) -> bytes:
    """A model for images of one width, with the symbol `width` in the last axis instead."""
    proto = onnx.load_from_string(model)
    proto.graph.input[0].type.tensor_type.shape.dim[3].dim_param = "width"
    proto.graph.output[0].type.tensor_type.shape.dim[0].ClearField("dim_value")
    return proto.SerializeToString()


def _with_symbol(model: bytes, symbol: str, axis: int) -> bytes:
    proto = onnx.load_from_string(model)
    graph = proto.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    extent = graph.input[0].type.tensor_type.shape.dim[axis].dim_value
    for value in (*graph.input, *graph.output):
        value.type.tensor_type.shape.dim[axis].dim_param = symbol
    shapes = {node.input[1] for node in graph.node if node.op_type == "Reshape"} & constants.keys()
    _cut_masks(graph, extent)
    for name in shapes:
        shape = numpy_helper.to_array(constants[name]).copy()
        if shape[axis] == extent:
            shape[axis] = -1
            constants[name].CopyFrom(numpy_helper.from_array(shape, name))
    return proto.SerializeToString()


def _cut_masks(graph: onnx.GraphProto, length: int) -> None:
    """Makes causal masks the corner of one for the longest sequence, as exports of GPT-2 have them."""
    masks = [tensor for tensor in graph.initializer if list(tensor.dims) == [1, 1, length, length]]
    if not masks:
        return
    graph.initializer.extend(
        numpy_helper.from_array(np.array([number], np.int64), name)
        for name, number in (("mask.from", 0), ("mask.rows", 2), ("mask.columns", 3))
    )
    size = helper.make_node("Shape", [graph.input[0].name], ["mask.length"], start=1, end=2)
    cuts = [size]
    for tensor in masks:
        name = tensor.name
        longest = np.tril(np.ones((1, 1, LENGTH.range[-1], LENGTH.range[-1]), np.bool_))
        tensor.CopyFrom(numpy_helper.from_array(longest, f"{name}.longest"))
        for before, axis, after in (("longest", "rows", "upper"), ("upper", "columns", "")):
            inputs = [f"{name}.{before}", "mask.from", "mask.length", f"mask.{axis}"]
            cuts.append(helper.make_node("Slice", inputs, [f"{name}.{after}" if after else name]))
    nodes = [*cuts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


BATCH = Varying("batch", 0, range(1, 65), with_batch)
LENGTH = Varying("length", 1, range(1, 513), with_length)
WIDTH = Varying("width", 3, range(32, 321, 8), with_width)


def inputs_of(model: bytes, batch: int, random: np.random.Generator) -> Arrays:
    """Normal numbers for each input of a model with one symbol."""
    graph = onnx.load_from_string(model).graph
    return {
        value.name: random.standard_normal(
            [extent.dim_value or batch for extent in value.type.tensor_type.shape.dim]
        ).astype(np.float32)
        for value in graph.input
    }


def cpu_seconds() -> float:
    """Of this process and of the processes that it started and that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def built(
    model: bytes, target: str, file: Path, sizes: int | range, symbol: str = BATCH.symbol
) -> tuple[float, int, int]:
    """Builds a library into a file.

    Returns:
        CPU seconds of the build, the size of the file in bytes, and how many programs the library has.
    """
    begin = cpu_seconds()
    artifacts = ingot.build(model, target, name="bench", dims={symbol: sizes}, cache=None)
    artifacts.export_library(file)
    programs = artifacts.models()["bench"].programs
    return cpu_seconds() - begin, file.stat().st_size, max(len(programs), 1)


def ingot_call(file: Path) -> Call:
    """What answers with a library."""
    return ingot.load(file)["bench"](ingot.cpu(0), threads=1).predict


def onnxruntime_call(model: bytes) -> Call | None:
    """What answers with onnxruntime, if it is installed."""
    if onnxruntime is None:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


def seconds_of(call: Call, inputs: Arrays, count: int = 1) -> float:
    """CPU seconds of one of `count` calls."""
    begin = time.thread_time()
    for _ in range(count):
        call(inputs)
    return (time.thread_time() - begin) / count


def in_turns(calls: Sequence[Call], inputs: Arrays, seconds: float) -> list[float]:
    """CPU seconds of one call of each, called in turns for about so many seconds altogether, at least three turns."""
    once = [seconds_of(call, inputs) for call in calls]
    count = max(1, round(0.01 / max(*once, 1e-7)))
    turns = min(max(2, round(seconds / (count * sum(once)))), 200)
    times = [[seconds_of(call, inputs, count) for call in calls] for _ in range(turns)]
    return [float(np.quantile(each, 0.25)) for each in zip(once, *times, strict=True)]


def require_same(name: str, batch: int, answers: Sequence[object]) -> None:
    """Ends the program where engines give other numbers than the first."""
    first, *others = (np.asarray(answer[0] if isinstance(answer, list) else answer) for answer in answers)
    for other in others:
        if first.shape != other.shape or not np.allclose(first, other, rtol=1e-3, atol=1e-3):
            sys.exit(f"{name}, batch {batch}: the engines give different numbers")


def measure(name: str, folder: Path, options: argparse.Namespace, varying: Varying) -> Shaped:
    """Builds a model for the range and for each size, and calls all of them."""
    result, random = Shaped(name), np.random.default_rng(SEED)
    model, file = varying.of(MAKERS[name]()), folder / "range.so"
    symbol = varying.symbol
    result.build, result.file_bytes, result.programs = built(
        model, options.target, file, varying.range, symbol
    )
    ranged, peer = ingot_call(file), onnxruntime_call(model)
    for batch in options.sizes:
        inputs, own = inputs_of(model, batch, random), folder / f"static{batch}.so"
        seconds, file_bytes, _ = built(model, options.target, own, batch, symbol)
        if not result.static_build:
            result.static_build, result.static_file_bytes = seconds, file_bytes
        calls = [ranged, ingot_call(own), *([] if peer is None else [peer])]
        result.first[batch] = seconds_of(ranged, inputs)
        require_same(name, batch, [call(inputs) for call in calls])
        times = in_turns(calls, inputs, options.seconds)
        result.ranged[batch], result.static[batch] = times[:2]
        if peer is not None:
            result.onnxruntime[batch] = times[2]
    result.random_calls, result.grown_bytes = growth(ranged, model, options.random_seconds, random, varying)
    return result


def growth(
    call: Call, model: bytes, seconds: float, random: np.random.Generator, varying: Varying
) -> tuple[int, int]:
    """Calls with sizes drawn at random, at most 10,000 and for about so many CPU seconds.

    Returns:
        How many calls, and by how many bytes the process grew from the hundredth part of them on.
    """
    whole = inputs_of(model, varying.range[-1], random)
    count = min(10_000, max(100, round(seconds / (seconds_of(call, whole) / 2))))
    before = 0
    for number, batch in enumerate(random.choice(varying.range, count)):
        if number == count // 100:
            before = resident_bytes()
        part = (*[slice(None)] * varying.axis, slice(batch))
        call({name: array[part] for name, array in whole.items()})
    return count, resident_bytes() - before


def measure_new_shapes(options: argparse.Namespace) -> str:
    """The table of what new shapes cost in each engine."""
    rows: list[Sequence[str]] = []
    for name in SMALL:
        model = _digits() if name == "digits" else with_batch(MAKERS[name]())
        with tempfile.TemporaryDirectory() as folder:
            library, file = Path(folder) / "range.so", Path(folder) / "model.onnx"
            built(model, options.target, library, BATCH.range)
            file.write_bytes(model)
            for engine in ENGINES:
                result = in_own_process(engine, library, file, options.new_shapes)
                rows.append((name, engine, *_new_shapes(result)))
                print("; ".join(rows[-1]) + (f": {result}" if isinstance(result, str) else ""), flush=True)
    return _table(("model", "engine", "memory grew by", "first call over later, median", "at worst"), rows)


def measure_drawn(options: argparse.Namespace) -> str:
    """The table of calls with sizes drawn at random: of every model and of every extent that may vary."""
    rows: list[Sequence[str]] = []
    for varying, models in ((BATCH, BATCHED), (LENGTH, SEQUENCES), (WIDTH, IMAGES)):
        for name in models:
            if name in options.models:
                rows.append(_drawn(_drawn_sizes(name, varying, options)))
                print("; ".join(rows[-1]), flush=True)
    heads = (
        "model",
        "extent",
        "sizes drawn",
        *(f"over {peer}, {figure}" for peer in PEERS for figure in ("median", "at worst")),
    )
    return _table(heads, rows)


def _drawn_sizes(name: str, varying: Varying, options: argparse.Namespace) -> Drawn:
    random, model = np.random.default_rng(SEED), varying.of(MAKERS[name]())
    sizes = random.choice(varying.range, min(options.drawn, len(varying.range)), replace=False)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "range.so", Path(folder) / "model.onnx"
        built(model, options.target, files[0], varying.range, varying.symbol)
        files[1].write_bytes(model)
        inputs = {int(size): inputs_of(model, int(size), random) for size in sizes}
        return drawn(name, varying.symbol, files, inputs, require_same)


def _drawn(result: Drawn) -> list[str]:
    cells = [result.model, result.symbol, str(len(result.sizes))]
    for peer in PEERS:
        is_there = peer in result.ratios
        cells += [f"{result.median(peer):.2f}", f"{result.worst(peer):.2f}"] if is_there else ["–", "–"]
    return cells


def _digits() -> bytes:
    return (ROOT / "examples" / "digits" / "digits.onnx").read_bytes()


def _new_shapes(result: NewShapes | str) -> tuple[str, str, str]:
    if isinstance(result, str):
        return "–", "–", "–"
    return size(max(result.grown_bytes, 0)), f"{result.first_median:.2f}", f"{result.first_worst:.1f}"


# ─── tables ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def tables(results: Sequence[Shaped], symbol: str) -> dict[str, str]:
    """The parts of the page, of which those of lengths have names of their own."""
    batches = sorted({batch for result in results for batch in result.ranged})
    heads = ("model", *(f"{symbol} {batch}" for batch in batches))
    ratios = [result.over_static(batch) for result in results for batch in result.ranged]
    parts = {
        "static": _table(heads, ((result.model, *_ratios(result, result.static, batches)) for result in results)),
        "summary": f"Median {statistics.median(ratios):.2f}, at worst {max(ratios):.2f}.",
        "first": _table(heads, ((result.model, *_ratios_of_first(result, batches)) for result in results)),
        "costs": _table(
            ("model", "programs", "file", "over static", "build", "over static", f"random {symbol}s", "memory grew by"),
            map(_costs, results),
        ),
    }  # fmt: skip
    if all(result.onnxruntime for result in results):
        rows = ((result.model, *_ratios(result, result.onnxruntime, batches)) for result in results)
        parts["onnxruntime"] = _table(heads, rows)
    return parts if symbol == BATCH.symbol else {f"{name} of {symbol}s": part for name, part in parts.items()}


def _ratios(result: Shaped, others: Mapping[int, float], batches: Sequence[int]) -> list[str]:
    return [f"{result.ranged[batch] / others[batch]:.2f}" if batch in others else "–" for batch in batches]


def _ratios_of_first(result: Shaped, batches: Sequence[int]) -> list[str]:
    return [
        f"{result.first[batch] / result.ranged[batch]:.2f}" if batch in result.first else "–"
        for batch in batches
    ]


def _costs(result: Shaped) -> tuple[str, ...]:
    return (
        result.model,
        str(result.programs),
        size(result.file_bytes),
        f"{result.file_bytes / result.static_file_bytes:.2f}",
        f"{result.build:.1f} s",
        f"{result.build / result.static_build:.2f}",
        f"{result.random_calls:,}",
        size(max(result.grown_bytes, 0)),
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ("---", *["---:"] * (len(heads) - 1)), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def line(result: Shaped) -> str:
    """What is printed of a model."""
    over = ", ".join(f"{batch}: {result.over_static(batch):.2f}" for batch in result.ranged)
    peer = ", ".join(
        f"{batch}: {result.ranged[batch] / each:.2f}" for batch, each in result.onnxruntime.items()
    )
    costs = " | ".join(_costs(result)[1:])
    return f"{result.model}: over static {over}; over onnxruntime {peer or 'not installed'}; {costs}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=list(MAKERS), help="only these")
    parser.add_argument("--sizes", nargs="+", type=int, help="batches or lengths to compare")
    parser.add_argument("--lengths", action="store_true", help="lengths of sequences instead of batches")
    parser.add_argument("--widths", action="store_true", help="widths of images instead of batches")
    parser.add_argument("--target", default="llvm -mcpu=native", help="what ingot makes code for")
    parser.add_argument("--seconds", type=float, default=4, help="CPU seconds of turns for each batch")
    parser.add_argument(
        "--random-seconds", type=float, default=20, help="CPU seconds of random batches, for each model"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    parser.add_argument("--page", action="store_true", help=f"also write docs/measurements/{PAGE.name}")
    parser.add_argument(
        "--new-shapes", type=int, metavar="CALLS", help="measure what new shapes cost, nothing else"
    )
    parser.add_argument(
        "--drawn", type=int, metavar="SIZES", help="measure sizes drawn at random, nothing else"
    )
    options = parser.parse_args()
    varying = LENGTH if options.lengths else WIDTH if options.widths else BATCH
    sizes = {"batch": BATCHES, "length": LENGTHS, "width": WIDTHS}
    models = {"batch": BATCHED, "length": SEQUENCES, "width": IMAGES}
    options.sizes = options.sizes or list(sizes[varying.symbol])
    options.models = options.models or list(MAKERS if options.drawn else models[varying.symbol])
    alone = {
        "drawn sizes": (options.drawn, measure_drawn),
        "new shapes": (options.new_shapes, measure_new_shapes),
    }
    for name, (count, measured) in alone.items():
        if count is None:
            continue
        table = measured(options)
        if options.page:
            parts = {f"machine of {name}": describe(), name: table}
            PAGE.write_text(filled(PAGE, parts, "shapes.py"), encoding="utf-8")
        return
    results: list[Shaped] = []
    with tempfile.TemporaryDirectory() as name:  # the first build also imports the compiler
        ingot.build(add_one_element(), options.target, cache=None).export_library(Path(name) / "first.so")
    for model in options.models:
        with tempfile.TemporaryDirectory() as name:
            results.append(measure(model, Path(name), options, varying))
        print(line(results[-1]), flush=True)
    if options.json is not None:
        options.json.write_text(
            json.dumps([asdict(each) for each in results], indent=2) + "\n", encoding="utf-8"
        )
    if options.page:
        suffix = "" if varying is BATCH else f" of {varying.symbol}s"
        PAGE.write_text(
            filled(PAGE, {f"machine{suffix}": describe(), **tables(results, varying.symbol)}, "shapes.py"),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
