"""What callers give that is not exactly what a model takes: arrays of other libraries are read, arrays for several or large
outputs are placed, and what does not fit is refused in words.

It is imported when an input is not already a NumPy array of the right type and shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.conversions import array_of
from ingot.base.errors import InputError, OutOfMemoryError, nearest
from ingot.base.packing import carriers_of
from ingot.base.tensor import DType
from ingot.runtime.memory import Array, address_of

# DLPack's numbers of kinds of devices, by its own names (`DLDeviceType` of `dlpack.h`).
CPU_KINDS = (1, 3, 11)  # memory that the CPU reads: its own, and pages of it that CUDA or ROCm pinned
_KINDS = {
    1: "cpu",
    2: "cuda",
    3: "cuda_host",
    4: "opencl",
    7: "vulkan",
    8: "metal",
    9: "vpi",
    10: "rocm",
    11: "rocm_host",
    12: "ext_dev",
    13: "cuda_managed",
    14: "oneapi",
    15: "webgpu",
    16: "hexagon",
    17: "maia",
    18: "trn",
}

_FROM_OUTSIDE = 2  # `isbuiltin` of a dtype that is not NumPy's own
_COMPARED_BYTES = 1 << 14  # as many as arrays have that are written by way of the executor's own memory
_OVERLAP_WORK = 100_000  # NumPy's unit; some ten milliseconds


def as_array(value: object, info: TensorInfo, role: str = "input") -> Array:
    """`value` as a NumPy array of exactly the type of `info`, without a copy; strides may be any. Numbers of Python and lists of
    them are converted for an input.

    Raises:
        InputError: not an array, or another dtype or shape; the facts are `name`, `expected` and `got`.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__"):
        where = device_of(value)
        if where is not None and where[0] not in CPU_KINDS:
            _wrong(
                info,
                role,
                f"is on {device_words(where)}; copy it to the memory of the CPU first",
                device_words(where),
            )
        try:
            array = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            _wrong(info, role, f"cannot be read through DLPack: {error}", type(value).__name__)
    elif role == "input" and isinstance(value, (list, tuple, int, float)):
        array = _from_numbers(value, info)
    elif isinstance(value, (list, tuple, int, float, str)) or value is None:
        _wrong(
            info,
            role,
            f"is a Python {type(value).__name__}; convert it with numpy.asarray(…, dtype)",
            type(value).__name__,
        )
    else:
        try:
            array = np.asarray(memoryview(value))  # type: ignore[arg-type]
        except (TypeError, ValueError, BufferError):
            _wrong(info, role, "has neither __dlpack__ nor the buffer protocol", type(value).__name__)
    expected = info.dtype.numpy
    if array.dtype != expected:
        array = _of_ml_dtypes(array, info.dtype)
        if array.dtype != expected:
            _wrong(info, role, f"has the dtype {array.dtype}; {_advice(info.dtype)}", str(array.dtype))
    if array.shape != info.shape:
        _wrong(info, role, f"has the shape {list(array.shape)}", array.shape)
    return array


def _of_ml_dtypes(array: Array, dtype: DType) -> Array:
    """An array of the type that ml_dtypes has for what NumPy lacks, as one of `DType.numpy`; any other as it is."""
    is_right = array.dtype.isbuiltin == _FROM_OUTSIDE and array.dtype.name in (dtype.value, dtype.ml_name)
    return carriers_of(array, dtype) if is_right else array


def _advice(dtype: DType) -> str:
    if not (dtype.is_carried or dtype is DType.BFLOAT16) or dtype.is_complex:
        return f"convert it with .astype({dtype.value!r})"
    form = "values" if dtype.is_integer else "bit patterns"
    return (
        f"NumPy lacks {dtype.value}: give its {form} in {dtype.numpy}, or an array of the package ml_dtypes"
    )


def _from_numbers(value: object, info: TensorInfo) -> Array:
    """Numbers of Python as an array of the type of an input; `conversions.array_of` says what is kept of them."""
    array = (
        None if info.dtype is DType.BFLOAT16 or info.dtype.is_carried else array_of(value, info.dtype.numpy)
    )
    if array is None:
        why = (
            "holds what is no number or does not fit" if isinstance(value, (list, tuple)) else "does not fit"
        )
        _wrong(
            info,
            "input",
            f"is a Python {type(value).__name__} that {why}; give an array by numpy.asarray(…, dtype)",
            value,
        )
    return array


def require_dense(array: Array, info: TensorInfo, role: str) -> None:
    """Raises InputError unless the memory of the array can be used as it is: row-major and aligned."""
    if not array.flags.c_contiguous:
        _wrong(
            info,
            role,
            f"is not contiguous (strides of {list(array.strides)} bytes); copy it first",
            array.strides,
        )
    if not array.flags.aligned:
        _wrong(
            info,
            role,
            f"is not aligned to its elements of {array.itemsize} bytes; copy it first",
            "unaligned",
        )


def require_writeable(array: Array, info: TensorInfo, role: str) -> None:
    """Raises InputError if nobody may write to the array, or its elements are not apart."""
    if not array.flags.writeable:
        _wrong(info, role, "is read-only", "read-only")
    if not array.flags.c_contiguous and not _is_apart(array):
        _wrong(
            info,
            role,
            f"has elements that may overlap (strides of {list(array.strides)} bytes)",
            array.strides,
        )


def _is_apart(array: Array) -> bool:
    """Whether no two elements share memory, as those of an array with a stride of 0 do. Mostly steps leave what finer ones reach;
    else all places are compared, if they are few.
    """
    reach = array.itemsize
    for stride, size in sorted(
        (abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True) if size > 1
    ):
        if stride < reach:
            return array.nbytes <= _COMPARED_BYTES and _are_places_apart(array)
        reach += stride * (size - 1)
    return True


def _are_places_apart(array: Array) -> bool:
    places = np.zeros((), np.int64)
    for stride, size in zip(array.strides, array.shape, strict=True):
        places = np.add.outer(places, np.arange(size) * stride)
    return bool(np.all(np.diff(np.sort(places, axis=None)) >= array.itemsize))


def device_of(value: object) -> tuple[int, int] | None:
    """Kind and index of the device that a tensor says it is on; None if it does not say."""
    say: Callable[[], tuple[int, int]] | None = getattr(value, "__dlpack_device__", None)
    if say is None:
        return None
    try:
        kind, index = say()
        return int(kind), int(index)
    except (BufferError, OverflowError, RuntimeError, TypeError, ValueError):
        return None  # what it gives by __dlpack__ says it again, and is refused if that is not the CPU's


def device_words(device: tuple[int, int]) -> str:
    """`opencl(0)`."""
    return f"{_KINDS.get(device[0], f'DLPack device {device[0]}')}({device[1]})"


def place_outputs(
    info: ModelInfo, out: Any, plan: Sequence[tuple[Any, ...]], held: Sequence[Array], bases: Any
) -> list[tuple[Array, Array]]:
    """Points `bases` to where a caller wants outputs, as far as the code can write there; and says what to copy where after it.

    Args:
        info: the model.
        out: an array, or a sequence with one for each output.
        plan: the executor's row for each output: its place in `bases`, dtype, shape, memory of the executor if it is small, type.
        held: arrays that the code reads.
        bases: base pointers.

    Raises:
        InputError: too many or too few arrays, or one of a wrong dtype, shape or layout, or one that overlaps another.
    """
    targets: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
    require_count(info, targets)
    late: list[tuple[Array, Array]] = []
    taken: list[Array] = []
    for target, (at, dtype, shape, staged, tensor) in zip(targets, plan, strict=True):
        array = target
        if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
            array = as_array(target, tensor, "out for output")
        if any(overlap(array, other) for other in taken):
            raise InputError(
                f"out for output {tensor.name!r} overlaps the out of another output", name=tensor.name
            )
        taken.append(array)
        require_writeable(array, tensor, "out for output")
        if staged is not None:
            late.append((array, staged))
            continue
        require_dense(array, tensor, "out for output")
        begin = address_of(array)
        if any(np.may_share_memory(array, value) for value in held):
            fresh = np.empty(shape, dtype)
            late.append((array, fresh))
            begin = address_of(fresh)
        bases[at] = begin
    return late


def require_count(info: ModelInfo, targets: Sequence[Any]) -> None:
    """Raises InputError unless there is an array for each output."""
    if len(targets) != len(info.outputs):
        raise InputError(
            f"model {info.name!r}: out must have one array for each output "
            f"({', '.join(tensor.name for tensor in info.outputs)}), got {len(targets)}",
            expected=len(info.outputs),
            got=len(targets),
        )


def wrong_inputs(info: ModelInfo, arrays: Iterable[str]) -> InputError:
    """What to raise: arrays of these names are not one for each input."""
    given = set(arrays)
    for name in sorted(given - {tensor.name for tensor in info.inputs}, key=str):
        return unknown_input(info, name)
    missing = [str(tensor) for tensor in info.inputs if tensor.name not in given]
    return InputError(f"model {info.name!r}: missing input {'; '.join(missing)}", missing=tuple(missing))


def unknown_input(info: ModelInfo, name: str) -> InputError:
    """What to raise: the model has no such input."""
    known = {tensor.name: str(tensor) for tensor in info.inputs}
    return InputError(
        f"model {info.name!r} has no input {name!r}{nearest(str(name), known)} (it has {'; '.join(known.values()) or 'none'})",
        name=name,
        known=tuple(known),
    )


def no_state(info: ModelInfo) -> InputError:
    """What is said where state is asked for of a model that has none."""
    return InputError(
        f"model {info.name!r} keeps no state; build it with state={{'h': 'hn'}}, the output for each input that is state",
        name=info.name,
    )


def no_device_tensor(info: ModelInfo, name: str) -> InputError:
    """What to raise: the model has no such input or output, or none that lies on a device."""
    if name not in (tensor.name for tensor in (*info.inputs, *info.outputs)):
        return unknown_input(info, name)
    return InputError(
        f"model {info.name!r} has no part on a device with memory of its own: pass an array for {name!r}",
        name=name,
    )


def _wrong(info: TensorInfo, role: str, fault: str, got: object) -> NoReturn:
    raise InputError(
        f"{role} {info.name!r} {fault}; expected {info.type_words}",
        name=info.name,
        expected=info.type_words,
        got=got,
    )


def overlap(array: Array, other: Array) -> bool:
    """Whether they share memory. Places of arrays with gaps may interleave, so they are compared; where that would take long,
    they count as sharing.
    """
    if not np.may_share_memory(array, other):
        return False
    try:
        return np.shares_memory(array, other, max_work=_OVERLAP_WORK)  # type: ignore[arg-type]  # any number will do
    except np.exceptions.TooHardError:
        return True


def no_memory(name: str) -> OutOfMemoryError:
    """The error for a model whose inputs or outputs found no memory."""
    return OutOfMemoryError(f"model {name!r}: there is no memory for inputs or outputs", name=name)
