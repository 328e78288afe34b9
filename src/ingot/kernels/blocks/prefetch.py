"""Bringing weights in before they are needed.

The weights of a network are read once in an inference, so those of a deep layer come from memory. A processor's own prefetching
stops at the end of each page and does not know how much time there is; a kernel that uses one panel of weights for many rows
does. While it works with a panel it asks for the next one, a line or two at a time.

A product with few rows uses each weight once and does little else than reading. Where the weights come from a cache that cores
share, it reads a fifth faster if it asks for each line some kilobytes before. A Zen 4, which halves its longest vectors, reads as
fast as its cache delivers by itself, and takes a quarter longer if it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingot.kernels.template import Home, Site
from ingot.loops.build.builder import Builder, MakeLoop
from ingot.loops.nodes import Buffer, Expr, Prefetch, Stmt, index, minimum
from ingot.machines.machine import LINE_BYTES
from ingot.machines.tuning import Prefetch as PrefetchTuning

_ROUNDING = 1e-9  # what numbers of lines may be off by


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the work with panel number `panel` that a loop does: `units` units, when `done` are behind it."""

    panel: Expr
    done: Expr
    units: int


@dataclass(frozen=True, slots=True)
class PanelPrefetch:
    """Brings a packed buffer in, a row of equal panels: the next one while `work` units of work are done with the one before."""

    tuning: PrefetchTuning
    packed: Buffer
    panel_elements: int
    work: int

    def loop(
        self, k: Builder, name: str, steps: int, share: Share, lines_max: int = 1, written_out: bool = True
    ) -> Iterator[Expr]:
        """The loop of `steps` steps that does a share of the work; it prefetches its share of the lines of the next panel, each
        once, if that is at most `lines_max` lines in a step.

        Steps between two prefetches are `written_out`, or stay a loop: of additions to one sum that follow each other LLVM makes
        others, which need more registers.
        """
        line = LINE_BYTES // self.packed.dtype.size_bytes
        in_panel = -(-self.panel_elements // line)
        wanted = in_panel * share.units / max(1, self.work * steps)  # lines in each step
        unrolled, lines = _spread(self.tuning, wanted, steps)
        blocks, rest = divmod(steps, unrolled)
        # What whole blocks leave out: less than one has.
        last = max(0, math.ceil(steps * wanted - _ROUNDING) - blocks * lines)
        fetched, size = (blocks * lines + last) * line, math.prod(self.packed.shape)
        if (
            lines > lines_max * unrolled or not blocks or fetched > size
        ):  # it would be little else than prefetching
            yield from k.loop(name, steps)
            return
        following = (share.panel + 1) * self.panel_elements
        start = minimum(following + share.done * in_panel // self.work * line, size - fetched)
        for number in k.loop(name, blocks):
            k.emit(self._lines(start, number * lines, lines))
            if written_out:
                for step in range(unrolled):
                    yield number * unrolled + step
            else:
                for at in k.loop(f"{name}step", unrolled):
                    yield number * unrolled + at
        k.emit(self._lines(start, index(blocks * lines), last))
        for at in k.loop(f"{name}rest", rest):
            yield at + blocks * unrolled

    def _lines(self, start: Expr, first: Expr, count: int) -> tuple[Prefetch, ...]:
        """Prefetches `count` lines, from line number `first` behind `start` on."""
        line = LINE_BYTES // self.packed.dtype.size_bytes
        where = [index(0)] * (len(self.packed.shape) - 1)
        return tuple(Prefetch(self.packed, (*where, start + (first + at) * line)) for at in range(count))

    def along(self, share: Share, written_out: bool) -> MakeLoop:
        """What makes a loop that prefetches its share, from the builder, its name and its steps (see `loop`)."""
        return lambda k, name, steps: self.loop(k, name, steps, share, written_out=written_out)


def _spread(tuning: PrefetchTuning, wanted: float, steps: int) -> tuple[int, int]:
    """The fewest of all `steps` that ask for lines together, and for how many: for those `wanted` in each, and hardly more."""
    maximum = max(1, min(steps, tuning.max_steps))
    plans = [(many, math.ceil(many * wanted - _ROUNDING)) for many in range(1, maximum + 1)]
    near = [plan for plan in plans if plan[1] <= tuning.max_excess * wanted * plan[0]]
    return near[0] if near else min(plans, key=lambda plan: plan[1] / plan[0])


@dataclass(frozen=True, slots=True)
class AmxPrefetch:
    """As `PanelPrefetch`, for panels that are used by `blocks` blocks of rows, each in so many steps."""

    packed: Buffer
    panels: int
    blocks: int
    steps: int

    def of_step(self, panel: Expr, block: Expr, step: Expr) -> tuple[Prefetch, ...]:
        """What a step of a block prefetches while it works with a panel."""
        line, size = LINE_BYTES // self.packed.dtype.size_bytes, math.prod(self.packed.shape)
        elements = size // self.panels
        lines = math.ceil(elements / line / (self.blocks * self.steps))
        start = minimum(
            (panel + 1) * elements + (block * self.steps + step) * (lines * line), size - lines * line
        )
        where = [index(0)] * (len(self.packed.shape) - 1)
        return tuple(Prefetch(self.packed, (*where, start + number * line)) for number in range(lines))


def prefetch_pays(site: Site) -> bool:
    """Whether prefetches make it faster to read weights of which each is read once."""
    return site.home in (Home.SPLIT, Home.SHARED) and not site.machine.double_pumped_512


def stream(site: Site, packed: Buffer, first: Expr, elements: int) -> tuple[Stmt, ...]:
    """Prefetches the lines `tuning.prefetch.stream_bytes` behind the next `elements` elements of a buffer that is read
    sequentially. A thread that reads only half of the weights finds more of them in its own caches without a prefetch.
    """
    line = LINE_BYTES // packed.dtype.size_bytes
    distance = site.machine.tuning.prefetch.stream_bytes // packed.dtype.size_bytes
    start = minimum(first + distance, packed.type.size - elements)
    where = [index(0)] * (len(packed.shape) - 1)
    alone = site.home is Home.SPLIT
    return tuple(
        Prefetch(packed, (*where, start + at), near=True, alone=alone) for at in range(0, elements, line)
    )


def window(
    source: Buffer, outer: Sequence[Expr], rows: Sequence[Expr], columns: Sequence[Expr]
) -> tuple[Stmt, ...]:
    """Asks for the lines of one channel at all of these rows and columns of an image, which are read next. `outer` are the
    indices in front of these two.
    """
    return tuple(Prefetch(source, (*outer, row, column), near=True) for row in rows for column in columns)
