"""Which dimensions Winograd's algorithm goes along, and all others as images of their own.

It goes along the last two dimensions where the kernel has three taps in both, or five; or along one. Each place of an output in
the other dimensions is an image, and each tap of the kernel there gives it as many channels as the input has. With `H` and `W`,
or one of them, where the kernel is 3 (or 5):

    x' [N · places, taps · C, H, W]      w' [M, taps · C, 3, 3]      y' [N · places, M, H', W']

Nothing is copied: a kernel reads and writes the tensors where the images say. Several images read the same plane and
transform it again. That costs little next to the products, since each transformed vector is multiplied with all of M.

Taps that are `d` apart are neighbours in every `d`-th element: tiles have outputs that are as far apart, and those of the `d`
phases lie beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.matrices import TAPS, TILES
from ingot.loops.build.builder import Extent
from ingot.loops.build.nest import split_index
from ingot.loops.nodes import Expr, compare, maximum, minimum


def sides(spec: ConvSpec) -> tuple[int, ...]:
    """The spatial dimensions that the algorithm goes along; none where it is not made for the convolution."""
    if spec.group != 1:
        return ()
    last = (spec.spatial_rank - 2, spec.spatial_rank - 1)
    for taps in TILES:  # those with more to gain first
        valid = tuple(
            axis for axis in range(spec.spatial_rank) if spec.kernel[axis] == taps and spec.strides[axis] == 1
        )
        if valid:
            return last if set(last) <= set(valid) else valid[-1:]
    return ()


def is_square(spec: ConvSpec) -> bool:
    """Whether it goes along two dimensions with three taps each, which are neighbours."""
    return len(sides(spec)) == 2 and spec.kernel[-1] == TAPS and spec.dilations[-2:] == (1, 1)


@dataclass(frozen=True, slots=True)
class Images:
    """A convolution along its `sides`, which are some, as one of images; one of images is so already."""

    whole: ConvSpec
    inside: tuple[
        Extent, ...
    ] = ()  # how much of the input is there along each spatial dimension; all by default

    @property
    def sides(self) -> tuple[int, ...]:
        return sides(self.whole)

    @property
    def outer(self) -> tuple[int, ...]:
        """The spatial dimensions that make images."""
        return tuple(axis for axis in range(self.whole.spatial_rank) if axis not in self.sides)

    @property
    def taps(self) -> tuple[int, ...]:
        """Of the kernel in the outer dimensions."""
        return tuple(self.whole.kernel[axis] for axis in self.outer)

    @property
    def places(self) -> tuple[int, ...]:
        """Extents of the output in the outer dimensions."""
        return tuple(self.whole.y.shape[2 + axis] for axis in self.outer)

    @property
    def spec(self) -> ConvSpec:
        """The convolution of images."""
        of, inner = self.whole, self.sides
        images, channels = of.x.shape[0] * math.prod(self.places), math.prod(self.taps) * of.x.shape[1]
        filters = of.y.shape[1]

        def along(values: Sequence[int]) -> tuple[int, ...]:
            return tuple(values[axis] for axis in inner)

        return ConvSpec(
            TensorType(of.x.dtype, (images, channels, *along(of.x.shape[2:]))),
            TensorType(of.w.dtype, (filters, channels, *along(of.kernel))),
            TensorType(of.y.dtype, (images, filters, *along(of.y.shape[2:]))),
            along(of.kernel),
            along(of.strides),
            along(of.dilations),
            along(of.pads_begin),
            along(of.pads_end),
            of.group,
        )

    def weights(self, array: np.ndarray) -> np.ndarray:
        """`[M, C, kernel…]` → `[M, taps · C, …]` with the kernel along the sides behind."""
        axes = (0, *(2 + axis for axis in self.outer), 1, *(2 + axis for axis in self.sides))
        return array.transpose(axes).reshape(self.spec.w.shape)

    def output(self, image: Expr) -> tuple[Expr, tuple[Expr, ...]]:
        """The number in the batch, and the place in the outer dimensions, of an image."""
        batch, *places = split_index(image, (self.whole.x.shape[0], *self.places))
        return batch, tuple(places)

    def extent(self, axis: int) -> Extent:
        """How much of the input is there along a spatial dimension."""
        return self.inside[axis] if self.inside else self.whole.x.shape[2 + axis]

    def input(self, places: Sequence[Expr], block: Expr, blocks: int) -> tuple[Expr, list[Expr], list[Expr]]:
        """What the channels of an image, which is at these places in the outer dimensions, are in the input, `blocks` of which
        are those of one tap: the block of its channels, place in the outer dimensions, and what must hold for it to be inside.
        """
        of = self.whole
        *taps, rest = split_index(block, (*self.taps, blocks))
        planes, inside = [], []
        for axis, place, tap in zip(self.outer, places, taps, strict=True):
            stride, dilation, pad = of.strides[axis], of.dilations[axis], of.pads_begin[axis]
            plane, extent = place * stride + tap * dilation - pad, self.extent(axis)
            if pad:
                inside.append(compare("ge", plane, 0))
            last = (of.y.shape[2 + axis] - 1) * stride + (of.kernel[axis] - 1) * dilation - pad
            if isinstance(extent, Expr) or last >= extent:
                inside.append(compare("lt", plane, extent))
            planes.append(plane)
        return rest, planes, inside

    def clamped(self, planes: Sequence[Expr]) -> list[Expr]:
        """The planes, or where they are outside the next ones that are inside."""
        extents = [self.extent(axis) for axis in self.outer]
        return [minimum(maximum(plane, 0), extent - 1) for plane, extent in zip(planes, extents, strict=True)]

    def index(self, outer: Sequence[Expr], inner: Sequence[Expr]) -> tuple[Expr, ...]:
        """The spatial index of an element, from what it is in the outer dimensions and along the sides."""
        at = dict(zip((*self.outer, *self.sides), (*outer, *inner), strict=True))
        return tuple(at[axis] for axis in range(self.whole.spatial_rank))


def tile_grid(images: ConvSpec, m: int) -> tuple[int, ...]:
    """How many tiles of m outputs along each side there are: in the batch, and along each. Of outputs that are `d` apart, `d`
    phases have tiles of their own.
    """
    phases = [(d, -(-extent // d)) for extent, d in zip(images.y.shape[2:], images.dilations, strict=True)]
    return (images.y.shape[0], *(d * -(-outputs // m) for d, outputs in phases))


def first_of(tile: Expr, m: int, dilation: int) -> Expr:
    """The first output of a tile along one side; the others are `dilation` apart."""
    return tile * m if dilation == 1 else tile // dilation * (m * dilation) + tile % dilation
