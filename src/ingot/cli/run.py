"""`ingot run`: one inference with a library, and a comparison with another implementation."""

from __future__ import annotations

import math
import os
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, BinaryIO

import numpy as np
import typer

from ingot.artifact.info import TensorInfo
from ingot.cli import late
from ingot.cli.arguments import DEVICE_HELP, keyed_devices
from ingot.cli.compare import BFLOAT16_RTOL, Difference, differences, show_differences, values
from ingot.cli.console import seconds, show, show_json, show_table
from ingot.cli.feeds import chosen_model, random_inputs, read_inputs
from ingot.errors import InputError
from ingot.package.c_test_program import ATOL, RTOL
from ingot.package.write_file import replace_file
from ingot.runtime.library import cpu
from ingot.runtime.load import load


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A library that ingot made.", show_default=False)],
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Which model, if the library has several.")] = None,
    input_: Annotated[
        Path | None, typer.Option("-i", "--input", metavar="IN.npz", help="One array for each input, by its name.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT.npz", help="Write the outputs there, by their names.")
    ] = None,
    random: Annotated[bool, typer.Option("--random", help="Random inputs, the same every time.")] = False,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="MODEL.onnx",
            help="Compare with onnxruntime, or onnx.reference; status 1 where they are further apart than atol + rtol × value.",
        ),
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option(
            "--rtol",
            min=0,
            help=f"For --compare, of floating-point numbers [default: {RTOL:g}; of bfloat16 {BFLOAT16_RTOL:g}, a step].",
        ),
    ] = None,
    atol: Annotated[float, typer.Option("--atol", min=0, help="For --compare, of whole numbers too.")] = ATOL,
    device: Annotated[list[str] | None, typer.Option("--device", metavar="KEY=KIND:NUMBER", help=DEVICE_HELP)] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Threads [default: the cores this process may use].")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Run a model of a library once, on given or random inputs."""
    if random == (input_ is not None):
        raise typer.BadParameter("give inputs with -i IN.npz, or --random" + (", not both" if random else ""))
    if compare is None and (rtol, atol) != (None, ATOL):
        raise typer.BadParameter("--rtol and --atol are of a comparison; give --compare MODEL.onnx too, or leave them out")
    for one, words in ((file, "the library itself"), (input_, "the file of -i"), (compare, "the model of --compare")):
        if output is not None and one is not None and os.path.realpath(one) == os.path.realpath(output):
            raise typer.BadParameter(f"{output} is {words}; give another file name with -o")
    library = load(file)
    executor = library[chosen_model(library, model)](cpu(0), devices=keyed_devices(device or []), threads=threads)
    feeds = random_inputs(executor.inputs) if input_ is None else read_inputs(input_)
    executor.set_input(feeds)
    begin = time.perf_counter()
    executor.run()
    took = time.perf_counter() - begin
    results = {tensor.name: executor.get_output(number) for number, tensor in enumerate(executor.outputs)}
    if output is not None:
        write_arrays(output, results)
    results = {tensor.name: values(tensor.dtype, results[tensor.name]) for tensor in executor.outputs}
    differ: list[Difference] = []
    engine = ""
    if compare is not None:
        engine, expected = late.reference()(compare, feeds)
        differ = differences(results, expected, rtol, atol)
    if json:
        outputs = [_facts(tensor, results[tensor.name]) for tensor in executor.outputs]
        compared = {"engine": engine, "outputs": [asdict(one) for one in differ]} if engine else None
        show_json({"seconds": took, "outputs": outputs, "compared": compared})
    else:
        rows = [_row(tensor, results[tensor.name]) for tensor in executor.outputs]
        show_table("", ("output", "type", ">least", ">mean", ">most", "first values"), rows)
        show(f"ran in {seconds(took)}" + (f", outputs are in {output}" if output is not None else ""))
        if engine:
            show_differences(engine, differ, atol)
    if not all(one.agrees for one in differ):
        raise typer.Exit(1)


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
                np.lib.format.write_array(member, array, allow_pickle=False)


def _facts(tensor: TensorInfo, array: np.ndarray) -> dict[str, object]:
    return {"name": tensor.name, "dtype": tensor.dtype.value, "shape": list(tensor.shape), **_numbers(array)}


def _numbers(array: np.ndarray) -> dict[str, float | None]:
    """Least, mean and greatest element; None where that is no number."""
    if not array.size:
        return {"least": None, "mean": None, "most": None}
    with np.errstate(all="ignore"):
        found = {"least": float(array.min()), "mean": float(array.mean(dtype=np.float64)), "most": float(array.max())}
    return {name: value if math.isfinite(value) else None for name, value in found.items()}


def _row(tensor: TensorInfo, array: np.ndarray) -> tuple[str, ...]:
    numbers = ("–" if value is None else f"{value:.6g}" for value in _numbers(array).values())
    first = " ".join(f"{value:.4g}" for value in array.reshape(-1)[:5].tolist())
    return (tensor.name, str(tensor.type), *numbers, first + (" …" if array.size > 5 else ""))
