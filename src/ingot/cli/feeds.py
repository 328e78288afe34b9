"""What `ingot run` and `ingot bench` share: choosing a model of a library and its devices, and making inputs for it."""

from __future__ import annotations

import argparse
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError, nearest
from ingot.base.short_floats import numbers
from ingot.base.tensor import DType
from ingot.border.program import OPEN, Port
from ingot.cli.arguments import one_of
from ingot.cli.ends import End
from ingot.cli.parser import CommandLineError, Parser, number
from ingot.runtime.library import Device

SEED = 0


def add_run_options(parser: Parser, input_help: str) -> None:
    """The options of commands that run a model: which one, on what, where."""
    parser.add_argument("--model", metavar="NAME", help="which model, if the library has several")
    parser.add_argument("-i", "--input", metavar="IN.npz", type=Path, help=input_help)
    parser.add_argument(
        "--dim",
        metavar="NAME=NUMBER",
        action="append",
        default=[],
        help="size of a dimension that varies, of random inputs [default: the smallest program's]; may be repeated",
    )
    parser.add_argument(
        "--device",
        metavar="KEY=KIND:NUMBER",
        action="append",
        default=[],
        help="where the part of a target key runs, such as accel=opencl:0; may be repeated",
    )
    parser.add_argument(
        "--threads",
        metavar="NUMBER",
        type=number(int, 1),
        help="threads [default: the cores this process may use]",
    )


def keyed_devices(words: Sequence[str]) -> dict[str, list[Device]]:
    """Reads `--device accel=opencl:1`, or `accel=opencl` for number 0, into what a factory of executors takes.

    Raises:
        CommandLineError: a word is not of that form.
    """
    devices: dict[str, list[Device]] = {}
    for word in words:
        match = re.fullmatch(r"([A-Za-z0-9_]+)=([A-Za-z0-9_]+)(?::([0-9]{1,6}))?", word)
        if match is None:
            raise CommandLineError(f"--device {word!r}: expected KEY=KIND:NUMBER, such as accel=opencl:0")
        key, kind, number = match.groups()
        devices.setdefault(key, []).append(Device(kind, int(number or 0)))
    return devices


def chosen_model(names: Iterable[str], name: str | None) -> str:
    """The model that was asked for, or the only one.

    Raises:
        CommandLineError: there is no such model, or several and none was asked for.
    """
    known = tuple(names)
    if name is not None:
        return one_of("model", name, known)
    if len(known) != 1:
        raise CommandLineError(
            f"the library has {len(known)} models, choose one with --model: {', '.join(known)}"
        )
    return known[0]


def made_up_inputs(info: ModelInfo, tensors: Sequence[End], words: Sequence[str]) -> dict[str, np.ndarray]:
    """Random inputs, with the sizes that `--dim` gives to the dimensions that vary.

    Raises:
        CommandLineError: no such dimension varies, or a word is not of the form NAME=NUMBER.
        InputError: as `random_inputs`.
    """
    own = next((program.sizes for program in info.programs if program.symbol == info.symbol), ())
    known = dict(zip((dim.name for dim in info.dims), own, strict=True))
    begin = {state.dim: 0 for state in info.states if state.grows is not None}
    sizes = {**known, **begin, **sizes_of(info, words)}
    sums: dict[tuple[str, int], int] = {}
    for dim in info.dims:
        for name, axis, plus in dim.sums:
            sums[name, axis] = sums.get((name, axis), 0) + sizes[dim.name] + plus
    return random_inputs([_sized(tensor, sizes, sums) for tensor in tensors])


def _sized(tensor: End, sizes: Mapping[str, int], sums: Mapping[tuple[str, int], int]) -> End:
    """A tensor or text for sizes of the extents that vary. Each of an input is such an extent, a number, or one of the sums."""
    extents: list[Any] = [getattr(extent, "shown", extent) for extent in tensor.extents]
    extents = [sums.get((tensor.name, axis), extent) for axis, extent in enumerate(extents)]
    shape = tuple(extent if isinstance(extent, int) else sizes[extent.name] for extent in extents)
    shape = shape or tensor.shape
    if isinstance(tensor, TensorInfo):
        return TensorInfo(tensor.name, tensor.dtype, shape)
    return Port(tensor.name, tensor.kind, tensor.dtype, shape)


def require_no_sizes(arguments: argparse.Namespace) -> None:
    """Raises CommandLineError if sizes are given beside inputs, whose shapes say them."""
    if arguments.dim and arguments.input is not None:
        raise CommandLineError(
            "--dim is for random inputs: the arrays of -i have sizes of their own; leave one of them out"
        )


def sizes_of(info: ModelInfo, words: Sequence[str]) -> dict[str, int]:
    """Reads `--dim batch=7` into sizes by the names of dimensions that vary.

    Raises:
        CommandLineError: no such dimension varies, or a word is not of the form NAME=NUMBER.
    """
    known = [dim.name for dim in info.dims]
    sizes: dict[str, int] = {}
    for word in words:
        name, _, size = word.rpartition("=")
        if not name or not (size.isascii() and size.isdecimal()):
            raise CommandLineError(f"--dim {word!r}: expected NAME=NUMBER, such as batch=7")
        if name not in known:
            varying = f"these vary: {', '.join(known)}" if known else "none varies"
            raise CommandLineError(
                f"--dim {word!r}: model {info.name!r} has no such dimension that varies{nearest(name, known)} ({varying})"
            )
        sizes[name] = int(size)
    return sizes


def random_inputs(tensors: Sequence[End]) -> dict[str, np.ndarray]:
    """Arrays of the right types, always the same: normal numbers, and 0 or 1 for integers, which may be indices. Of floats of
    8 bits and fewer any that are at most 2. Text is a letter.

    Raises:
        InputError: a tensor has an extent that depends on its content.
    """
    random = np.random.default_rng(SEED)
    inputs: dict[str, np.ndarray] = {}
    for tensor in tensors:
        if tensor.dtype is not None and OPEN in tensor.shape:
            raise InputError(
                f"input {tensor.name!r} ({tensor}) is of any size, as an image file is, and random bytes are none; give it with "
                "-i IN.npz",
                name=tensor.name,
            )
        if tensor.dtype is None:
            inputs[tensor.name] = random.choice(
                np.array(["a", "b"], object), [max(extent, 1) for extent in tensor.shape]
            )
        elif tensor.dtype is DType.BFLOAT16:  # the upper half of a float32, as uint16
            inputs[tensor.name] = (
                random.standard_normal(tensor.shape, np.float32).view(np.uint32) >> 16
            ).astype(np.uint16)
        elif tensor.dtype.is_complex:
            parts = random.standard_normal((2, *tensor.shape))
            inputs[tensor.name] = (parts[0] + 1j * parts[1]).astype(tensor.dtype.numpy)
        elif tensor.dtype.is_float and tensor.dtype.is_carried:
            small = np.flatnonzero(np.abs(numbers(tensor.dtype)) <= 2)
            inputs[tensor.name] = random.choice(small, tensor.shape).astype(tensor.dtype.numpy)
        elif tensor.dtype.is_float:
            inputs[tensor.name] = random.standard_normal(tensor.shape).astype(tensor.dtype.numpy)
        else:
            inputs[tensor.name] = random.integers(0, 2, tensor.shape).astype(tensor.dtype.numpy)
    return inputs


# What NumPy and the modules below it raise for damaged, encrypted or newer files, and for extents beyond all memory.
_UNREADABLE = (OSError, ValueError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)


def read_inputs(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file.

    Raises:
        InputError: it cannot be read, is no .npz file, or holds Python objects.
    """
    try:
        with path.open("rb") as file:  # NumPy would leave a file open that is none of its own
            arrays = np.load(file, allow_pickle=False)
            if not isinstance(arrays, np.lib.npyio.NpzFile):
                raise InputError(
                    f"{path}: expected an .npz file with an array for each input, got one array",
                    path=str(path),
                )
            return {name: arrays[name] for name in arrays.files}
    except _UNREADABLE as error:
        # NumPy takes for a pickle what it does not know, and advises to load it.
        detail = "" if "pickle" in str(error) else f" ({error})"
        reason = (
            isinstance(error, OSError) and error.strerror
        ) or f"it is no .npz file of plain arrays{detail}"
        raise InputError(f"{path}: cannot read inputs: {reason}", path=str(path)) from error
