"""The numbers of tiles of outputs: one after another along each side, in each image.

A kernel for one size divides by constants. In a program with room a call has fewer tiles along some sides: they are numbered as
those of a kernel for its size are, by divisions with what is there, so that loops over tiles end with the last of them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ingot.kernels.blocks.register_block import balanced
from ingot.kernels.conv.winograd.images import Images, tile_grid
from ingot.kernels.template import Site
from ingot.loops.build.builder import Extent
from ingot.loops.build.nest import split_index
from ingot.loops.nodes import Expr, index, maximum


@dataclass(frozen=True, slots=True)
class Numbering:
    """Where each tile is.

    Attributes:
        images: what the tiles are of.
        grid: how many there are, of the largest size: in the batch, and along each side.
        there: how many there are in a call: in the batch, in each outer dimension, along each side; empty where it is as many.
    """

    images: Images
    grid: tuple[int, ...]
    there: tuple[Extent, ...] = ()

    @property
    def count(self) -> Extent:
        """The tiles of a call."""
        if not self.there:
            return math.prod(self.grid)
        return functools.reduce(lambda total, extent: extent * total, self.there)

    def split(self, tile: Expr) -> tuple[Expr, Sequence[Expr], Sequence[Expr]]:
        """The number in the batch, the place in the outer dimensions and along each side of a tile."""
        if not self.there:
            image, *where = split_index(tile, self.grid)
            return *self.images.output(image), where
        divisors = [maximum(extent, 1) if isinstance(extent, Expr) else extent for extent in self.there]
        batch, *places = split_index(tile, divisors)
        outer = len(self.images.outer)
        return batch, places[:outer], places[outer:]

    def rows(self, largest: int, count_max: int) -> Sequence[int]:
        """Sizes of the register blocks for tiles of which there are at most so many."""
        rows = self.largest_rows(largest)
        return (*([rows] if rows <= count_max else []), *(size for size in (16, 8, 4, 2, 1) if size < rows))

    def largest_rows(self, largest: int) -> int:
        """The rows of register blocks: those of the largest size have hardly fewer."""
        return balanced(math.prod(self.grid), largest)[0][0]


def numbering(site: Site, images: Images, m: int) -> Numbering:
    """The numbers of tiles of m outputs along each side."""
    whole, grid = images.whole, tile_grid(images.spec, m)
    needed = [site.needed_places(2 + axis) for axis in range(whole.spatial_rank)] if site.has_room else []
    if not any(isinstance(extent, Expr) for extent in needed):
        return Numbering(images, grid)
    sides = [
        _tiles(needed[axis], tiles, m, whole.dilations[axis])
        for axis, tiles in zip(images.sides, grid[1:], strict=True)
    ]
    return Numbering(images, grid, (whole.y.shape[0], *(needed[axis] for axis in images.outer), *sides))


def _tiles(needed: Extent, tiles: int, m: int, dilation: int) -> Extent:
    """How many tiles along a side are needed: for outputs that are `d` apart, as many in each of `d` phases."""
    if isinstance(needed, int):
        return tiles
    of_phase = needed if dilation == 1 else (needed + (dilation - 1)) // dilation
    return (of_phase + index(m - 1)) // m * dilation
