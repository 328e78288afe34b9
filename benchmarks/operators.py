"""Single operators beside onnxruntime, to find those that nobody looked at.

    python benchmarks/operators.py [--threads N] [--target TARGET] [--beside TARGET] [PART OF A NAME …]

Both engines run in this process, in turns; a time is the least of many calls, the ratio is ingot's over onnxruntime's: below
1 ingot is quicker. `--beside "llvm -mcpu=haswell"` measures ingot's code for another target in the same turns, and how long
the first one's takes in proportion: above 1 longer vectors, say, did not pay. The list is sorted by it, so that what loses
most comes first. With more threads than one, onnxruntime has a new session for each of a few rounds of turns: its threads
keep a processor busy long after a call, looking for more work, and ingot's would have one less. Networks are what counts, and
run.py measures them; here one operator includes a whole call (about 1 µs of ingot's, 5 µs of onnxruntime's), so shapes are
not tiny.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from exported_operators import exported_cases
from network_operators import network_cases
from onnx import helper, numpy_helper
from operator_case import Case
from plain_operators import plain_cases
from recent_operators import recent_cases

import ingot
from ingot.cli.console import show_table

TURNS, TURN_SECONDS, ROUNDS = 30, 0.003, 3


def cases() -> Iterator[Case]:
    """All that are measured."""
    yield from plain_cases()
    yield from network_cases()
    yield from exported_cases()
    yield from recent_cases()


def model(case: Case) -> bytes:
    """The case as an ONNX model; shapes of outputs are inferred by the engines."""
    named_inputs = {f"x{number}": array for number, array in enumerate(case.inputs)}
    constants = {
        f"w{number}": np.asarray(array) for number, array in enumerate(case.weights) if array is not None
    }
    places = ["" if array is None else f"w{number}" for number, array in enumerate(case.weights)]
    names = [*places, *named_inputs] if case.weights_first else [*named_inputs, *places]
    results = [f"y{number}" for number in range(case.outputs)]
    kinds = {key: helper.np_dtype_to_tensor_dtype(array.dtype) for key, array in named_inputs.items()}
    node = (
        helper.make_node(case.operator, names, results, "node", **case.attributes) if not case.chain else None
    )
    graph = helper.make_graph(
        [node] if node is not None else chained(case, [*named_inputs, *constants], results),
        "operator",
        [helper.make_tensor_value_info(key, kinds[key], array.shape) for key, array in named_inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in results],
        [numpy_helper.from_array(array, key) for key, array in constants.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=11)
    return onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True).SerializeToString()


def chained(case: Case, given: Sequence[str], results: Sequence[str]) -> list[onnx.NodeProto]:
    """The nodes of a chain."""
    head = f'<domain: "here", opset_import: ["" : {case.opset}]> chain ({", ".join(given)}) => ({", ".join(results)})'
    return list(onnx.parser.parse_function(f"{head} {{ {case.chain} }}").node)


def measure(case: Case, folder: Path, threads: int, targets: Sequence[str]) -> tuple[float, ...]:
    """Least seconds of one call: ingot's for each target, and onnxruntime's."""
    data = model(case)
    feeds = {f"x{number}": np.ascontiguousarray(array) for number, array in enumerate(case.inputs)}
    ours = [
        own(data, folder / f"case{number}.so", threads, target, feeds)
        for number, target in enumerate(targets)
    ]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3

    def peer() -> Callable[[], object]:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, feeds)

    if threads == 1:
        return in_turns([*ours, peer()], TURNS)
    rounds = [(*in_turns(ours, TURNS // ROUNDS), *in_turns([peer()], TURNS // ROUNDS)) for _ in range(ROUNDS)]
    return tuple(min(times) for times in zip(*rounds, strict=True))


def own(
    data: bytes, file: Path, threads: int, target: str, feeds: Mapping[str, np.ndarray]
) -> Callable[[], object]:
    """A call of ingot's code for a target, which this processor must be able to run."""
    ingot.build(data, target, name="case").export_library(file)
    executor = ingot.load(file)["case"](ingot.cpu(0), threads=threads)
    return lambda: executor.predict(feeds)


def in_turns(calls: Sequence[Callable[[], object]], turns: int) -> tuple[float, ...]:
    """Least seconds of each call, one after the other, again and again."""
    best = [turn(call, max(1, round(TURN_SECONDS / max(turn(call, 2), 1e-7)))) for call in calls]
    counts = [max(1, round(TURN_SECONDS / seconds)) for seconds in best]
    for _ in range(turns):
        best = [
            min(shortest, turn(call, count))
            for shortest, call, count in zip(best, calls, counts, strict=True)
        ]
    return tuple(best)


def turn(call: Callable[[], object], count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of each engine")
    parser.add_argument("-t", "--target", default="llvm -mcpu=native", help="what ingot's code is made for")
    parser.add_argument("--beside", metavar="TARGET", help="another target, measured in the same turns")
    parser.add_argument("wanted", nargs="*", help="parts of names; without any, all cases")
    chosen = parser.parse_args()
    targets = [chosen.target, *([chosen.beside] if chosen.beside else [])]
    times_by_case = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if chosen.wanted and not any(part in case.name for part in chosen.wanted):
                continue
            try:
                times_by_case.append((case.name, measure(case, Path(folder), chosen.threads, targets)))
            except Exception as error:
                print(f"{case.name}: not measured: {str(error).splitlines()[0]}")
    peer_columns = [chosen.beside, "ratio"] if chosen.beside else []
    title = f"{chosen.target}, threads: {chosen.threads}, least of many calls"
    rows = []
    for name, (ours, *others, theirs) in sorted(times_by_case, key=lambda row: row[1][-1] / row[1][0]):
        more = [text for other in others for text in (f"{other * 1e6:.1f} µs", f"{ours / other:.2f}")]
        rows.append((name, f"{ours * 1e6:.1f} µs", f"{theirs * 1e6:.1f} µs", f"{ours / theirs:.2f}", *more))
    show_table(
        title, ("operator", ">ingot", ">onnxruntime", ">ratio", *(f">{name}" for name in peer_columns)), rows
    )


if __name__ == "__main__":
    main()
