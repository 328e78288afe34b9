"""An executor that is used step by step: `set_input`, `run`, `get_output`.

It is imported with the first step: calls of `predict` do not need it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index as as_index
from typing import TYPE_CHECKING, Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError, nearest
from ingot.base.lazy import Late
from ingot.runtime.inputs import as_array, require_dense, require_writeable, unknown_input
from ingot.runtime.memory import Array, address_of, aligned_array, plain_dtype

if TYPE_CHECKING:
    from ingot.runtime import packed as late_packed
else:
    late_packed = Late("ingot.runtime.packed")


class StepByStep:
    """The inputs that are set and the outputs that are left by `run`, and the base pointers that say where they are.

    `first` is the place of the first input among these. `seen` is the model with the inputs that are set and the outputs that are
    got: the pointers of others are not touched.
    """

    __slots__ = (
        "_alignment",
        "_arrays",
        "_bases",
        "_first",
        "_info",
        "_inputs",
        "_owned",
        "_results",
        "_seen",
        "_unset",
    )

    def __init__(
        self, info: ModelInfo, alignment_bytes: int, bases: Any, first: int, seen: ModelInfo
    ) -> None:
        self._info, self._alignment, self._bases, self._first = info, alignment_bytes, bases, first
        self._seen = seen
        self._arrays: list[Array | None] = [None] * len(info.inputs)  # what the pointers point to
        self._owned: list[Array | None] = [None] * len(info.inputs)  # memory for copies
        self._results: list[Array] = []
        self._inputs = {
            tensor.name: (index, plain_dtype(tensor), tensor.shape, tensor)
            for index, tensor in enumerate(info.inputs)
            if seen is info or tensor in seen.inputs
        }
        self._unset = {name: index for name, (index, *_) in self._inputs.items()}

    def set_input(self, arrays: Mapping[str, Any], copy: bool) -> None:
        """As of an executor."""
        checked: list[tuple[int, Array]] = []
        for name, value in arrays.items():
            row = self._inputs.get(name)
            if row is None:
                raise unknown_input(self._seen, name)
            index, dtype, shape, info = row
            array = value
            if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
                array = as_array(value, info) if dtype is not None else late_packed.as_stored(value, info)
            if not copy:
                self._require_same(value, array, info)
            checked.append((index, array))
        for index, array in checked:
            owned = self._owned[index]
            if not copy:
                held = array
            elif owned is None:
                held = self._owned[index] = aligned_array(self._info.inputs[index], self._alignment)
                held[...] = array
            else:
                held = owned
                held[...] = array
            if self._arrays[index] is not held:
                address, at = address_of(held), self._first + index
                # Nothing is called between these two: an interrupt leaves either what was set before or what is now.
                self._bases[at], self._arrays[index] = address, held
            self._unset.pop(self._info.inputs[index].name, None)

    def prepare(self) -> None:
        """Before the first run: every input is set, and outputs have memory."""
        if self._unset:
            raise InputError(
                f"model {self._info.name!r}: input {', '.join(map(repr, self._unset))} was not set; call set_input first",
                name=self._info.name,
                missing=tuple(self._unset),
            )
        if not self._results:
            results = []
            for at, tensor in enumerate(self._info.outputs, self._first + len(self._info.inputs)):
                if self._seen is self._info or tensor in self._seen.outputs:
                    results.append(aligned_array(tensor, self._alignment))
                    self._bases[at] = address_of(results[-1])
            self._results = results  # last: what was interrupted, or found no memory, begins anew

    def output(self, index: int | str, out: object, has_run: bool) -> Array:
        """As `get_output` of an executor."""
        at = output_index(self._seen, index)
        if not has_run:
            raise InputError(
                f"model {self._info.name!r}: get_output before run, or after one that failed",
                name=self._info.name,
            )
        result, info = self._results[at], self._seen.outputs[at]
        if info.dtype.is_packed:
            given: Array = late_packed.given_result(result, info, out)
            return given
        if out is None:
            return result.copy()
        target = as_array(out, info, "out for output")
        require_writeable(target, info, "out for output")
        target[...] = result
        return target

    def _require_same(self, value: object, array: Array, info: TensorInfo) -> None:
        """Raises InputError unless the code can read the caller's own memory."""
        if info.dtype.is_packed and array is not value:
            raise InputError(
                f"input {info.name!r} is {info.type}, which is packed to be read; "
                f"give its bytes as uint8{list(info.stored_shape)}, or let it be copied",
                name=info.name,
            )
        require_dense(array, info, "input")


def output_index(info: ModelInfo, index: int | str) -> int:
    """The position of the output of that position or name.

    Raises:
        InputError: there is no such output.
    """
    names = [tensor.name for tensor in info.outputs]
    if isinstance(index, str):
        if index in names:
            return names.index(index)
        raise InputError(
            f"model {info.name!r} has no output {index!r}{nearest(index, names)} (it has {', '.join(names)})",
            got=index,
        )
    try:
        number = as_index(index)
    except TypeError:
        raise InputError(
            f"model {info.name!r}: an output is meant by its number or name, got {index!r}",
            got=index,
        ) from None
    if not -len(names) <= number < len(names):
        raise InputError(f"model {info.name!r} has {len(names)} outputs, got the number {number}", got=number)
    return number % len(names)
