"""The block formats of ggml as integers, scales and offsets: weight = scale × (integer − zero) + offset.

The numbers are those of the file: nothing is rounded here.

*Source:* ggml-common.h and the reference functions `dequantize_row_*` of ggml-quants.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from gguf_file import Tensor


@dataclass(frozen=True, slots=True)
class Blocks:
    """A matrix `[N, K]` of integers below `2 ** bits`. `size` neighbours of a row share a scale, and an offset if any."""

    integers: np.ndarray  # uint8 [N, K]
    bits: int
    size: int
    scales: np.ndarray  # float32 [N, K / size]
    zero: int
    offsets: np.ndarray | None = None  # as scales

    @property
    def kind(self) -> tuple[int, int, int, bool]:
        """Matrices of the same kind can be one matrix."""
        return self.bits, self.size, self.zero, self.offsets is not None

    def rows(self, order: np.ndarray) -> Blocks:
        """The rows with these numbers."""
        offsets = None if self.offsets is None else self.offsets[order]
        return replace(self, integers=self.integers[order], scales=self.scales[order], offsets=offsets)

    def weights(self) -> np.ndarray:
        """The real numbers, float32 `[N, K]`."""
        blocks = self.integers.reshape(*self.scales.shape, self.size).astype(np.float32) - np.float32(
            self.zero
        )
        blocks = blocks * self.scales[..., None]
        if self.offsets is not None:
            blocks = blocks + self.offsets[..., None]
        return blocks.reshape(self.integers.shape)


Matrix = Blocks | np.ndarray


def matrix_of(tensor: Tensor) -> Matrix:
    """The matrix of a tensor: float32 `[N, K]` of the types of floats, blocks of all others."""
    return _READ[tensor.type.name](tensor)


def merged(matrices: Sequence[Matrix]) -> Matrix | None:
    """The rows of several matrices below each other; None if their formats differ."""
    first = matrices[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(matrices) if all(isinstance(each, np.ndarray) for each in matrices) else None
    blocks = [each for each in matrices if isinstance(each, Blocks) and each.kind == first.kind]
    if len(blocks) < len(matrices):
        return None
    offsets = [each.offsets for each in blocks if each.offsets is not None]
    return replace(
        first,
        integers=np.concatenate([each.integers for each in blocks]),
        scales=np.concatenate([each.scales for each in blocks]),
        offsets=np.concatenate(offsets) if offsets else None,
    )


def _floats(tensor: Tensor) -> np.ndarray:
    rows = tensor.data
    if tensor.type.name == "BF16":
        wide = (rows.view("<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        wide = rows.view({"F32": "<f4", "F16": "<f2"}[tensor.type.name]).astype(np.float32)
    return wide.reshape(tensor.shape)


def _split(tensor: Tensor) -> np.ndarray:
    """`[N, blocks, bytes]`."""
    return tensor.data.reshape(tensor.data.shape[0], -1, tensor.type.bytes)


def _halves(data: np.ndarray) -> np.ndarray:
    """Two bytes of the last dimension as a float16, in float32."""
    return np.ascontiguousarray(data).view("<f2").astype(np.float32)[..., 0]


def _nibbles(data: np.ndarray) -> np.ndarray:
    """The low halves of all bytes of the last dimension, then the high ones."""
    return np.concatenate([data & 15, data >> 4], axis=-1)


def _q4_0(tensor: Tensor) -> Blocks:
    data = _split(tensor)
    return Blocks(_nibbles(data[..., 2:]).reshape(tensor.shape), 4, 32, _halves(data[..., :2]), 8)


def _q4_1(tensor: Tensor) -> Blocks:
    data = _split(tensor)
    integers = _nibbles(data[..., 4:]).reshape(tensor.shape)
    return Blocks(integers, 4, 32, _halves(data[..., :2]), 0, _halves(data[..., 2:4]))


def _q8_0(tensor: Tensor) -> Blocks:
    data = _split(tensor)
    return Blocks((data[..., 2:] ^ 128).reshape(tensor.shape), 8, 32, _halves(data[..., :2]), 128)


def _q4_k(tensor: Tensor) -> Blocks:
    """Super-blocks of 8 blocks; scale and offset of a block have 6 bits, of which two lie in another byte."""
    data = _split(tensor)
    low, high, mixed = data[..., 4:8], data[..., 8:12], data[..., 12:16]
    factors = np.concatenate([low & 63, mixed & 15 | low >> 6 << 4], axis=-1).astype(np.float32)
    minima = np.concatenate([high & 63, mixed >> 4 | high >> 6 << 4], axis=-1).astype(np.float32)
    scales = _halves(data[..., :2])[..., None] * factors
    offsets = -_halves(data[..., 2:4])[..., None] * minima
    integers = _nibbles(data[..., 16:].reshape(*data.shape[:2], 4, 32)).reshape(tensor.shape)
    shape = tensor.shape[0], -1
    return Blocks(integers, 4, 32, scales.reshape(shape), 0, offsets.reshape(shape))


def _q6_k(tensor: Tensor) -> Blocks:
    """Super-blocks of 16 blocks; four bits of an integer lie apart from the other two."""
    data = _split(tensor)
    outer = data.shape[:2]
    low = _nibbles(data[..., :128].reshape(*outer, 2, 64)).reshape(*outer, 2, 4, 32)
    pairs = data[..., 128:192].reshape(*outer, 2, 1, 32)
    high = pairs >> np.array([0, 2, 4, 6], np.uint8).reshape(4, 1) & 3
    factors = data[..., 192:208].view(np.int8).astype(np.float32)
    scales = _halves(data[..., 208:])[..., None] * factors
    integers = (low | high << 4) + np.uint8(96)  # minus 32, plus 128
    return Blocks(integers.reshape(tensor.shape), 8, 16, scales.reshape(tensor.shape[0], -1), 128)


_READ: Mapping[str, Callable[[Tensor], Matrix]] = {
    "F32": _floats,
    "F16": _floats,
    "BF16": _floats,
    "Q4_0": _q4_0,
    "Q4_1": _q4_1,
    "Q8_0": _q8_0,
    "Q4_K": _q4_k,
    "Q6_K": _q6_k,
}
