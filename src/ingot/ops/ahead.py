"""Bringing weights in before they are needed.

The weights of a network are read once in an inference, so those of a deep layer come from memory. A processor's own prefetching
stops at the end of each page and does not know how much time there is; a kernel that uses one panel of weights for many rows
knows. While it works with a panel it asks for the next one, a line or two at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.loops.nest import loop
from ingot.loops.nodes import Buffer, Expr, Prefetch, Stmt, minimum

LINE_BYTES = 64
_STEPS_MOST = 8  # of a reduction between two prefetches; they are written out


@dataclass(frozen=True, slots=True)
class Ahead:
    """How a packed buffer, seen as a row of equal panels, is brought in: `lines` lines in every `steps` steps of a reduction.

    `rounds` reductions of `depth` steps pass while one panel is in use.
    """

    packed: Buffer
    panel_elements: int
    rounds: int
    depth: int
    steps: int
    lines: int

    def reduction(self, panel: Expr, round_: Expr, name: str, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """The loop over the `depth` steps of round `round_`, with the prefetches of its share of the panel behind `panel`."""
        line = LINE_BYTES // self.packed.dtype.size_bytes
        blocks = self.depth // self.steps
        share = blocks * self.lines * line
        first = (panel + 1) * self.panel_elements + minimum(round_ * share, max(0, self.panel_elements - share))
        last = self.packed.type.size - share
        start = minimum(first, last)

        def several(number: Expr) -> tuple[Stmt, ...]:
            stmts: tuple[Stmt, ...] = tuple(
                Prefetch(self.packed, element(self.packed, start + (number * self.lines + one) * line))
                for one in range(self.lines)
            )
            for one in range(self.steps):
                stmts += tuple(body(number * self.steps + one))
            return stmts

        rest = self.depth - blocks * self.steps
        return (*loop(name, blocks, several), *loop(f"{name}rest", rest, lambda at: body(at + blocks * self.steps)))
