"""What `ingot run` and `ingot bench` share: choosing a model of a library and making inputs for it."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import typer

from ingot.artifact.info import TensorInfo
from ingot.cli.arguments import one_of
from ingot.errors import InputError
from ingot.tensor import DType

SEED = 0


def chosen_model(names: Iterable[str], wanted: str | None) -> str:
    """The model that was asked for, or the only one.

    Raises:
        typer.BadParameter: there is no such model, or several and none was asked for.
    """
    known = tuple(names)
    if wanted is not None:
        return one_of("model", wanted, known)
    if len(known) != 1:
        raise typer.BadParameter(f"the library has {len(known)} models, choose one with --model: {', '.join(known)}")
    return known[0]


def random_inputs(tensors: Sequence[TensorInfo]) -> dict[str, np.ndarray]:
    """Arrays of the right types, always the same: normal numbers, and 0 or 1 for integers, which may be indices."""
    random = np.random.default_rng(SEED)
    made: dict[str, np.ndarray] = {}
    for tensor in tensors:
        if tensor.dtype is DType.BFLOAT16:  # the upper half of a float32, as uint16
            made[tensor.name] = (random.standard_normal(tensor.shape, np.float32).view(np.uint32) >> 16).astype(np.uint16)
        elif tensor.dtype.is_float:
            made[tensor.name] = random.standard_normal(tensor.shape).astype(tensor.dtype.numpy)
        else:
            made[tensor.name] = random.integers(0, 2, tensor.shape).astype(tensor.dtype.numpy)
    return made


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
                raise InputError(f"{path}: expected an .npz file with an array for each input, got one array", path=str(path))
            return {name: arrays[name] for name in arrays.files}
    except _UNREADABLE as error:
        # NumPy takes for a pickle what it does not know, and advises to load it.
        detail = "" if "pickle" in str(error) else f" ({error})"
        reason = (isinstance(error, OSError) and error.strerror) or f"it is no .npz file of plain arrays{detail}"
        raise InputError(f"{path}: cannot read inputs: {reason}", path=str(path)) from error
