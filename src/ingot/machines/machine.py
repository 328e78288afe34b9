"""`Machine`: what kernels may count on, and what they may do to the numbers."""

from __future__ import annotations

from ingot.base.records import Frozen
from ingot.base.tensor import DType
from ingot.machines.tuning import Tuning

MATH = ("fast", "exact", "normwise")
"""What `Machine.math` may be; the first is the default.

"exact": the sums and products of an operator's definition, in any order. "fast": fewer, or those of parts of numbers, by
algorithms whose error an element owes to the row and the column that it is made of, or to elements near it. "normwise": also by
such whose error is relative to the largest element of a whole operand.
"""

LINE_BYTES = 64
"""Of a cache, on every processor that there is a record of. Machines with other lines compute the same, at other speeds."""


class Machine(metaclass=Frozen):
    """What a template may count on when it chooses tiles: a plain description of the processor that a target stands for."""

    vector_bytes: int = 0  # 0: no vectors, templates write scalar loops
    vector_registers: int = 16
    has_fma: bool = False
    l2_bytes: int = 256 * 1024  # of the cache that one core has for itself; 0: none to count on
    grid: bool = False  # runs kernels as groups of work items with shared memory, as GPUs do
    math: str = MATH[0]
    cores: int = 0  # on which a model is to run; 0: nobody says

    dot_i8x4: bool = False  # one instruction sums the products of four bytes: VNNI, SDOT, USDOT
    dot_i8x4_signed: bool = False  # only of signed bytes: SDOT
    dot_i16x2: bool = False  # one instruction sums the products of pairs of 16-bit numbers: PMADDWD
    amx_int8: bool = False  # AMX tiles of bytes: see `LoopKind.TILES`
    amx_bf16: bool = False  # AMX tiles of bfloat16
    prefetch: bool = False  # a `Prefetch` brings memory into a cache
    # A store to a line that is only in L2 takes several times as long as a load of it.
    slow_l2_stores: bool = False
    # 64-byte vectors take two cycles: slow to store across cache lines and to load from L2.
    double_pumped_512: bool = False
    # Additions have separate pipes: in a cycle as many additions begin as FMAs, in addition to the FMAs.
    separate_fadd_pipes: bool = False
    # A line's fill from L2 occupies the load ports, whether prefetched or not.
    l2_fills_use_load_ports: bool = False
    # An FMA takes a scalar from a lane of a register (NEON's FMLA), and no operand from memory.
    fma_by_element: bool = False

    tuning: Tuning = Tuning()  # what was measured on such processors

    @property
    def near_bytes(self) -> int:
        """Of what an inference writes and reads again, so that it stays in the cache which each core has for itself, beside
        weights; 0 where there is no such cache, or code asks for nothing and so is not written for it.
        """
        return self.l2_bytes // 2 if self.prefetch else 0

    @property
    def has_wide_vectors(self) -> bool:
        """Whether one vector is a whole line of a cache, as with AVX-512."""
        return self.vector_bytes >= LINE_BYTES

    def lanes(self, dtype: DType) -> int:
        """Elements in one vector register, at least 1."""
        return max(1, self.vector_bytes // dtype.size_bytes)
