"""Sums of products of matrices that fit the tile registers of AMX, and the products in them.

A tile is up to 16 rows of 64 bytes, and there are eight: four of sums, two of the left operand, two of the right one. Rows beyond
16 are cut into blocks of 16, the last of which may do rows of the one before once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingot.codegen.llvm.forms.form import Surroundings
from ingot.loops.analyse.amx_sums import TileProduct, TileSums, sums_in_tiles
from ingot.loops.nodes import For

ROWS = 16  # of a tile, at most; also words in a row
REGISTERS = 4  # of sums


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows of a tile of the left operand and of sums, and words in a row of the left operand."""

    rows: int
    words: int


@dataclass(frozen=True, slots=True)
class AmxSums:
    """A loop of kind TILES whose sums stay in registers."""

    sums: TileSums
    name: str = "amx_sums"

    @property
    def shape(self) -> Shape:
        """How tiles are cut for these sums."""
        return Shape(min(self.sums.rows, ROWS), self.sums.words)

    def __str__(self) -> str:
        sums = self.sums
        return f"{self.name} of {sums.rows}×{sums.columns}, {sums.words} words of {sums.sums.name}"

    def products(self) -> Iterator[tuple[For, AmxProduct]]:
        """The loops of which each is one product, in order."""
        for number, product in enumerate(self.sums.products):
            yield product.loop, AmxProduct(self.sums, product, is_first=number == 0)


@dataclass(frozen=True, slots=True)
class AmxProduct:
    """A loop that adds one product to the sums. `is_first`: nothing that tiles hold can be of use to it."""

    sums: TileSums
    product: TileProduct
    is_first: bool
    name: str = "amx_product"

    def __str__(self) -> str:
        return f"{self.name} of {self.product.left.buffer.name} and {self.product.right.buffer.name}"


def recognise(stmt: For, around: Surroundings) -> AmxSums | None:
    """The form of a loop of kind TILES; None if the processor has no registers for its sums."""
    chip = around.chip
    if not (chip.machine.amx_int8 or chip.has_amx_bf16):
        return None
    sums = sums_in_tiles(stmt)
    if sums is None or sums.words > ROWS or sums.columns % ROWS:
        return None
    if not (chip.has_amx_bf16 if sums.is_float else chip.machine.amx_int8):
        return None
    across, down = sums.columns // ROWS, len(starts(sums.rows))
    return AmxSums(sums) if across * down <= REGISTERS else None


def starts(rows: int) -> Sequence[int]:
    """The first row of each block of rows."""
    return [max(0, min(first, rows - ROWS)) for first in range(0, rows, ROWS)]
