"""Large weights, which stay where they are until somebody asks for them, and are read anew each time.

They are read, not mapped: a mapped file that somebody else cuts short ends the process.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError

# A weight: gives its bytes.
Weight = Callable[[], np.ndarray]
_PIECE = 1 << 26


class WeightsFile:
    """A file that is open until the last weight in it is gone. `descriptor`: that of the file, which stays the caller's."""

    def __init__(self, descriptor: int, label: str) -> None:
        self._descriptor, self._label = os.dup(descriptor), label
        self._state = self._current()

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def weight(self, offset: int, length: int) -> Weight:
        """A part of it."""
        return lambda: self.read(offset, length)

    def read(self, offset: int, length: int) -> np.ndarray:
        """A part of it as bytes.

        Raises:
            ModelError: the file was changed since it was opened, or cannot be read.
        """
        content = np.empty(length, np.uint8)
        done = 0
        try:
            while done < length and (
                count := os.preadv(self._descriptor, [content.data[done : done + _PIECE]], offset + done)
            ):
                done += count
            whole = done == length and self._current() == self._state
        except OSError as error:
            raise ModelError(f"{self._label}: cannot be read: {error.strerror or error}") from None
        if not whole:
            raise ModelError(
                f"{self._label}: was changed while the model was built; build it again when nobody writes to it"
            )
        return content

    def sha256(self) -> str:
        """The SHA-256 of the whole file, as hexadecimal digits, read by pieces.

        Raises:
            ModelError: as `read`.
        """
        digest, (size, _) = hashlib.sha256(), self._state
        for at in range(0, size, _PIECE):
            digest.update(self.read(at, min(_PIECE, size - at)).data)
        return digest.hexdigest()

    def _current(self) -> tuple[int, int]:
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns


def sha256_of(content: bytes | WeightsFile) -> str:
    """The SHA-256 of a content, as hexadecimal digits."""
    return content.sha256() if isinstance(content, WeightsFile) else hashlib.sha256(content).hexdigest()


def weight_in(content: bytes, offset: int, length: int) -> Weight:
    """A part of what is in memory."""
    return lambda: np.frombuffer(content, np.uint8, length, offset)


def as_tensor(weight: Weight, stated: ir.TensorProtocol, name: str) -> ir.LazyTensor:
    """The weight as a tensor of a stated type and shape."""
    shape, dtype = stated.shape.numpy(), stated.dtype

    def read() -> ir.TensorProtocol:
        return ir.Tensor(
            weight().view(dtype.numpy()).reshape(shape), dtype=dtype, shape=ir.Shape(shape), name=name
        )

    return ir.LazyTensor(read, dtype, ir.Shape(shape), name=name)


def forget_weights(model: ir.Model) -> None:
    """Releases the content of all initializers of a model that was lowered."""
    for value in model.graph.initializers.values():
        value.const_value = None
