"""`ingot run`: one inference with a library, and a comparison with another implementation."""

from __future__ import annotations

import argparse
import math
import os
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ingot.base.errors import InputError
from ingot.base.tolerance import ATOL, RTOL
from ingot.border.grouping import flat, grouped
from ingot.border.program import TEXT
from ingot.cli import late
from ingot.cli.compare import BFLOAT16_RTOL, Difference, differences, show_differences, values
from ingot.cli.console import seconds, show, show_json, show_table
from ingot.cli.ends import End, leaves
from ingot.cli.feeds import (
    add_run_options,
    chosen_model,
    keyed_devices,
    made_up_inputs,
    read_inputs,
    require_no_sizes,
)
from ingot.cli.parser import CommandLineError, Parser, number
from ingot.package.write_file import replace_file
from ingot.runtime.library import cpu
from ingot.runtime.load import load


def add_options(parser: Parser) -> None:
    """The options of `ingot run`."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a library, a stored set of artifacts or an archive"
    )
    add_run_options(parser, "one array for each input, by its name")
    parser.add_argument(
        "-o", "--output", metavar="OUT.npz", type=Path, help="write the outputs there, by their names"
    )
    parser.add_argument("--random", action="store_true", help="random inputs, the same every time")
    parser.add_argument(
        "--compare",
        metavar="MODEL.onnx",
        type=Path,
        help="compare with onnxruntime, or onnx.reference; status 1 where they are further apart than atol + rtol × value",
    )
    parser.add_argument(
        "--rtol",
        metavar="NUMBER",
        type=number(float),
        help=f"for --compare, of floating-point numbers [default: {RTOL:g}; of bfloat16 {BFLOAT16_RTOL:g}, a step]",
    )
    parser.add_argument(
        "--atol",
        metavar="NUMBER",
        type=number(float),
        default=ATOL,
        help="for --compare, of whole numbers too [default: %(default)s]",
    )
    parser.add_argument("--json", action="store_true", help="write JSON")


def command(arguments: argparse.Namespace) -> None:
    """Runs a model of a library once, on given or random inputs."""
    given, output, compare = arguments.input, arguments.output, arguments.compare
    rtol, atol = arguments.rtol, arguments.atol
    _check_words(arguments)
    require_no_sizes(arguments)
    library = load(arguments.file)
    factory = library[chosen_model(library, arguments.model)]
    executor = factory(cpu(0), devices=keyed_devices(arguments.device), threads=arguments.threads, maps=False)
    arrays = (
        made_up_inputs(factory.info, leaves(executor.inputs), arguments.dim)
        if given is None
        else read_inputs(given)
    )
    feeds = grouped(executor.inputs, arrays)
    executor.set_input(feeds)
    states = executor.state() if executor.states else {}
    begin = time.perf_counter()
    executor.run()
    took = time.perf_counter() - begin
    tensors = leaves(executor.outputs)
    results = flat(executor.outputs, [executor.get_output(number) for number in range(len(executor.outputs))])
    if output is not None:
        write_arrays(output, results)
    results = {
        difference.name: results[difference.name]
        if difference.dtype is None
        else values(difference.dtype, results[difference.name])
        for difference in tensors
    }
    differ: list[Difference] = []
    engine = ""
    if compare is not None:
        engine, expected = late.reference()(compare, {**feeds, **states})
        there = [end for end in executor.outputs if end.name in expected]
        differ = differences(results, flat(there, [expected[end.name] for end in there]), rtol, atol)
    if arguments.json:
        outputs = [_facts(tensor, results[tensor.name]) for tensor in tensors]
        compared = (
            {"engine": engine, "outputs": [asdict(difference) for difference in differ]} if engine else None
        )
        show_json({"seconds": took, "outputs": outputs, "compared": compared})
    else:
        rows = [_row(tensor, results[tensor.name]) for tensor in tensors]
        show_table("", ("output", "type", ">least", ">mean", ">most", "first values"), rows)
        show(f"ran in {seconds(took)}" + (f", outputs are in {output}" if output is not None else ""))
        if engine:
            show_differences(engine, differ, atol)
    if not all(difference.agrees for difference in differ):
        raise SystemExit(1)


def _check_words(arguments: argparse.Namespace) -> None:
    """Raises CommandLineError where options contradict one another."""
    file, given, output, compare = arguments.file, arguments.input, arguments.output, arguments.compare
    if arguments.random == (given is not None):
        raise CommandLineError(
            "give inputs with -i IN.npz, or --random" + (", not both" if arguments.random else "")
        )
    if compare is None and (arguments.rtol, arguments.atol) != (None, ATOL):
        raise CommandLineError(
            "--rtol and --atol are of a comparison; give --compare MODEL.onnx too, or leave them out"
        )
    for source, words in (
        (file, "the library itself"),
        (given, "the file of -i"),
        (compare, "the model of --compare"),
    ):
        if output is not None and source is not None and os.path.realpath(source) == os.path.realpath(output):
            raise CommandLineError(f"{output} is {words}; give another file name with -o")


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes an .npz file aside, then renames it, so that there is never half a file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        replace_file(path, lambda file: _write_npz(file, arrays))
    except OSError as error:
        raise InputError(f"{path}: cannot write outputs: {error.strerror}", path=str(path)) from error


def _write_npz(file: BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    """As `numpy.savez` does, which takes outputs that are called `file` or `allow_pickle` for arguments of its own."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, array.astype(np.str_) if array.dtype == object else array, allow_pickle=False
                )


def _facts(tensor: End, array: np.ndarray) -> dict[str, object]:
    dtype = TEXT if tensor.dtype is None else tensor.dtype.value
    return {"name": tensor.name, "dtype": dtype, "shape": list(array.shape), **_numbers(array)}


def _numbers(array: np.ndarray) -> dict[str, float | None]:
    """Least, mean and greatest element, of complex ones their sizes; None where that is no number."""
    if not array.size or array.dtype == object:
        return {"least": None, "mean": None, "most": None}
    if array.dtype.kind == "c":
        array = np.abs(array)
    with np.errstate(all="ignore"):
        numbers = {
            "least": float(array.min()),
            "mean": float(array.mean(dtype=np.float64)),
            "most": float(array.max()),
        }
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def _row(tensor: End, array: np.ndarray) -> tuple[str, ...]:
    numbers = ("–" if value is None else f"{value:.6g}" for value in _numbers(array).values())
    shown = array.reshape(-1)[:5].tolist()
    first = " ".join(repr(value) if isinstance(value, str) else f"{value:.4g}" for value in shown)
    return (
        tensor.name,
        str(tensor).removeprefix(f"{tensor.name}: "),
        *numbers,
        first + (" …" if array.size > 5 else ""),
    )
