"""Convolutions with more than two spatial dimensions as convolutions of pictures, for Winograd's algorithm.

Each place of an output in the dimensions before the last two is a picture of its own, and each tap of the kernel there gives it
as many channels as the input has:

    x' [N · places, taps · C, H, W]      w' [M, taps · C, 3, 3]      y' [N · places, M, H', W']

Nothing is copied: a kernel reads and writes the volumes where the pictures say. Several pictures read the same plane and
transform it again, which is little beside the products, since each transformed vector goes into those with all of M.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.loops.nest import split_index
from ingot.loops.nodes import Expr, compare, maximum, minimum
from ingot.ops.conv_spec import ConvSpec
from ingot.ops.winograd_matrices import TAPS
from ingot.tensor import TensorType


@dataclass(frozen=True, slots=True)
class Pictures:
    """A convolution whose kernel is 3 × 3 in the last two dimensions, as one of pictures; one of pictures is so already."""

    volumes: ConvSpec

    @property
    def outer(self) -> int:
        """How many dimensions there are before the last two."""
        return self.volumes.spatial_rank - 2

    @property
    def taps(self) -> tuple[int, ...]:
        return self.volumes.kernel[: self.outer]

    @property
    def places(self) -> tuple[int, ...]:
        return self.volumes.y.shape[2 : 2 + self.outer]

    @property
    def spec(self) -> ConvSpec:
        """The convolution of pictures."""
        of, outer = self.volumes, self.outer
        pictures, channels = of.x.shape[0] * math.prod(self.places), math.prod(self.taps) * of.x.shape[1]
        filters = of.y.shape[1]
        return ConvSpec(
            TensorType(of.x.dtype, (pictures, channels, *of.x.shape[2 + outer :])),
            TensorType(of.w.dtype, (filters, channels, TAPS, TAPS)),
            TensorType(of.y.dtype, (pictures, filters, *of.y.shape[2 + outer :])),
            of.kernel[outer:],
            of.strides[outer:],
            of.dilations[outer:],
            of.pads_begin[outer:],
            of.pads_end[outer:],
            of.group,
        )

    def weights(self, array: np.ndarray) -> np.ndarray:
        """`[M, C, taps…, 3, 3]` → `[M, taps · C, 3, 3]`."""
        return np.moveaxis(array, 1, -3).reshape(self.spec.w.shape)

    def output(self, picture: Expr) -> tuple[Expr, tuple[Expr, ...]]:
        """The number in the batch, and the place in the outer dimensions, of a picture."""
        batch, *places = split_index(picture, (self.volumes.x.shape[0], *self.places))
        return batch, tuple(places)

    def input(self, picture: Expr, block: Expr, blocks: int) -> tuple[Expr, Expr, list[Expr], list[Expr]]:
        """What a picture's channels are in the volume, `blocks` of which are those of one tap: the number in the batch, the block
        of the channels of the volume, the plane, and what must hold for it to be inside.
        """
        of, (batch, places) = self.volumes, self.output(picture)
        *taps, rest = split_index(block, (*self.taps, blocks))
        planes, inside = [], []
        for axis, (place, tap) in enumerate(zip(places, taps, strict=True)):
            stride, dilation, pad = of.strides[axis], of.dilations[axis], of.pads_begin[axis]
            plane, extent = place * stride + tap * dilation - pad, of.x.shape[2 + axis]
            if pad:
                inside.append(compare("ge", plane, 0))
            if (of.y.shape[2 + axis] - 1) * stride + (of.kernel[axis] - 1) * dilation - pad >= extent:
                inside.append(compare("lt", plane, extent))
            planes.append(plane)
        return batch, rest, planes, inside

    def clamped(self, planes: Sequence[Expr]) -> list[Expr]:
        """The planes, or where they are outside the next ones that are inside."""
        extents = self.volumes.x.shape[2 : 2 + self.outer]
        return [minimum(maximum(plane, 0), extent - 1) for plane, extent in zip(planes, extents, strict=True)]
