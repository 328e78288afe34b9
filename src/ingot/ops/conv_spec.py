"""The numbers of a convolution, which all ways to compute one share."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.tensor import TensorType


@dataclass(frozen=True, slots=True)
class ConvSpec:
    """The numbers of a convolution with d spatial dimensions.

    `x [N, C, *spatial]`, `w [M, C/group, *kernel]`, `y [N, M, *out]`; pads are those in front, then those behind.
    """

    x: TensorType
    w: TensorType
    y: TensorType
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    group: int

    @property
    def spatial_rank(self) -> int:
        return len(self.kernel)

    @property
    def has_padding(self) -> bool:
        return any(self.pads_begin) or any(self.pads_end)

    @property
    def padded(self) -> tuple[int, ...]:
        """Spatial extents of the padded input."""
        extents = self.x.shape[2:]
        return tuple(b + e + a for b, e, a in zip(self.pads_begin, extents, self.pads_end, strict=True))
