"""Steps of a recurrent network whose recurrent weights are 8-bit integers: each step quantizes the state and sums in int32.

A step finds the range of a sequence's state, makes uint8 of it as `DynamicQuantizeLinear` does, and multiplies by the weights
with dot products (see `blocks/dot_block`). The sum of a gate's column becomes a real number once, with both scales:

    gate = start + scale_h * scale_w * (Σ h w  -  zero_h Σ w  -  zero_w (Σ h - H zero_h))

Weights are packed in panels of hidden elements, for each the gates side by side, so that the sums of a panel are complete
together. Their bytes are a quarter of what a step reads in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import Factors, Step, accumulate, factors, packed_at
from ingot.kernels.blocks.quantized import saturated
from ingot.kernels.blocks.register_block import Tile, parts, row_tiles, steps_written_out, sum_steps
from ingot.kernels.recurrent.steps import Cell, Phase, Work, fits
from ingot.kernels.template import Site
from ingot.loops.build.nest import add, fold_row, loop, side_by_side, vector_blocks, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Fma,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    call,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)

# Operands beside the weights `[H, gates*H]` in int8, each `[gates*H]`: a column's scale, the sum of its weights, its zero point.
SCALES, SUMS, ZEROS = "weight_scales", "weight_sums", "weight_zeros"
_FLOAT, _INT = DType.FLOAT32, DType.INT32


@dataclass(frozen=True, slots=True)
class Quantized:
    """The weights of a network with one pass in a step, in panels of `elements` hidden elements, and the quantized states.

    Of a panel's columns those of gate g begin at `g * elements`; columns past the last hidden element are zeros.
    """

    kind: Factors
    tile: Tile
    elements: int
    packed: Buffer  # [panel, step, what a step takes]
    states: Buffer  # [sequence, quantized value]
    scales: Buffer  # [sequence]
    zeros: Buffer  # [sequence], of the values as they lie in `states`
    sums: Buffer | None  # [sequence]: of the values without their zero point

    @property
    def panels(self) -> int:
        return self.packed.shape[0]


def quantized(site: Site, cell: Cell, position: Mapping[str, int], together: int) -> Quantized:
    """Packs the weights for `together` sequences that share what is read."""
    weights = site.constant(position["weights"])
    assert weights is not None and cell.phases == 1, "quantized weights are constants of one pass"
    kind, tile = factors(site.machine), _tile(site, cell, together)
    elements = tile.columns // cell.gates
    packed = site.pack(position["weights"], kind.pack(_in_panels(weights.T, cell, elements), tile.columns))
    return Quantized(
        kind,
        tile,
        elements,
        packed,
        site.workspace("quantized", kind.row, (cell.batch, packed.shape[1] * kind.per_step)),
        site.workspace("state_scales", _FLOAT, (cell.batch,)),
        site.workspace("state_zeros", _INT, (cell.batch,)),
        site.workspace("state_sums", _INT, (cell.batch,)) if ZEROS in position else None,
    )


def _tile(site: Site, cell: Cell, together: int) -> Tile:
    """Whole vectors of each gate; two where registers hold their sums, so that enough of these are independent."""
    lanes = site.machine.lanes(_INT)
    while lanes > 1 and lanes >= 2 * cell.hidden:
        lanes //= 2
    each, sums = 1, site.machine.tuning.register_block.independent_sums
    while (
        2 * each * cell.gates <= sums
        and each * lanes < cell.hidden
        and fits(site, 2 * each * cell.gates, together)
    ):
        each *= 2
    return Tile(together, each * cell.gates, lanes, steps_written_out(site.machine))


def _in_panels(weights: np.ndarray, cell: Cell, elements: int) -> np.ndarray:
    """`[gates*H, K]` in the order of panels, `[panels * gates * elements, K]`, zeros past the last hidden element."""
    panels, depth = -(-cell.hidden // elements), weights.shape[1]
    padded = np.zeros((cell.gates, panels * elements, depth), weights.dtype)
    padded[:, : cell.hidden] = weights.reshape(cell.gates, cell.hidden, depth)
    by_panel = padded.reshape(cell.gates, panels, elements, depth).swapaxes(0, 1)
    return np.ascontiguousarray(by_panel.reshape(-1, depth))


@dataclass(slots=True)
class QuantizedWork(Work):
    """A template being built whose recurrent weights are 8-bit integers."""

    quantized: Quantized | None = None

    @property
    def of(self) -> Quantized:
        """What `quantized` packed."""
        assert self.quantized is not None
        return self.quantized

    def phase(self, phase: Phase, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
        """One step of the sequences `rows`.

        All gates go through their functions together where the stack holds their sums; else those of a panel do.
        """
        stmts: tuple[Stmt, ...] = ()
        for b in rows:
            stmts += loop("quantize", 1, lambda _, b=b: self._quantize(phase, b))  # type: ignore[misc]
        columns = self.of.panels * self.of.tile.columns
        max_bytes = self.site.machine.tuning.recurrent.sums_max_bytes
        if self.lanes == 1 or len(rows) * columns * _INT.size_bytes > max_bytes:
            return (
                *stmts,
                *self._each_panel(
                    f"{phase.name}_panel", lambda at, valid: self._panel(phase, rows, at, valid)
                ),
            )
        kept = buffer(
            f"{phase.name}_sums", _INT, (len(rows), self.cell.gates, self.of.panels * self.of.elements)
        )

        def panel(number: Expr) -> tuple[Stmt, ...]:
            return self._sums(rows, number, kept, number * self.of.elements)

        walk = loop(
            f"{phase.name}_panel", self.of.panels, lambda at: panel(self._alternating(at, self.of.panels))
        )
        ends = self._ends(phase, rows, kept, lambda body: vector_blocks(
            f"{phase.name}_end", self.cell.hidden, side_by_side(self.lanes), lambda j: body(j, j)))  # fmt: skip
        return (*stmts, Alloc(kept), *walk, *ends)

    def shared_phase(self, phase: Phase, lets: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """One step of all sequences, its panels shared out to threads in groups that begin with `lets`."""

        def panel(at: Expr, valid: int) -> Sequence[Stmt]:
            def sequences(first: Expr, count: int) -> Sequence[Stmt]:
                return self._panel(phase, [first + number for number in range(count)], at, valid)

            return row_tiles("sequence", self.cell.batch, self.together, sequences)

        (_, whole, _), *rest = parts(self.cell.hidden, self.of.elements)
        group_bytes = self.site.machine.tuning.recurrent.group_min_bytes
        each = -(-whole // min(whole, max(2, self.of.packed.type.size // group_bytes)))

        def group(number: Expr) -> Sequence[Stmt]:
            many = minimum(index(whole) - number * each, each) if whole % each else index(each)
            walk = loop(
                f"{phase.name}_panel",
                many,
                lambda at: panel(self._alternating(at, many) + number * each, self.of.elements),
            )
            return (*lets, *walk)

        stmts = loop("quantize", self.cell.batch, lambda b: (*lets, *self._quantize(phase, b)))
        stmts += loop(f"{phase.name}_group", -(-whole // each), group, LoopKind.PARALLEL)
        for first, _, valid in rest:
            stmts += loop(
                f"{phase.name}_last",
                1,
                lambda _, first=first, valid=valid: (*lets, *panel(index(first), valid)),  # type: ignore[misc]
            )
        return stmts

    def _each_panel(self, name: str, body: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """`body` of each panel and how many hidden elements of it there are."""
        stmts: tuple[Stmt, ...] = ()
        for first, count, valid in parts(self.cell.hidden, self.of.elements):

            def panel_at(
                at: Expr, first: int = first, count: int = count, valid: int = valid
            ) -> Sequence[Stmt]:
                return body(self._alternating(at, index(count)) + first, valid)

            stmts += loop(f"{name}{valid}", count, panel_at)
        return stmts

    def _alternating(self, number: Expr, count: Expr | int) -> Expr:
        """The panel of a place in the order of a step: the one that was read last is the first to be read again."""
        return (
            select(compare("eq", self.now, 0), number, index(count) - 1 - number)
            if self.alternates
            else number
        )

    def _quantize(self, phase: Phase, b: Expr) -> tuple[Stmt, ...]:
        """Makes the quantized values of what a pass multiplies for a sequence, with their scale and zero point."""
        of, hidden, lanes = self.of, self.cell.hidden, self.site.machine.lanes(_FLOAT)
        zero, scale, offset = Const(0.0, _FLOAT), Var("state_scale", _FLOAT), Var("state_zero", _FLOAT)

        def state(k: Expr) -> Expr:
            return phase.factor(k, b)

        # With the element on the left the result for a NaN is what was found before.
        low_stmts, low = fold_row(
            "low", hidden, lanes, state, zero, lambda extreme, value: minimum(value, extreme)
        )
        high_stmts, high = fold_row(
            "high", hidden, lanes, state, zero, lambda extreme, value: maximum(value, extreme)
        )
        lowest, span = Var("least", _FLOAT), Var("span", _FLOAT)

        def quantize(k: Expr) -> Sequence[Stmt]:
            value = saturated(call("rint", state(k) / scale) + offset, DType.UINT8, is_whole=True)
            return (store(of.states, (b, k), of.kind.code(value)),)

        whole = of.states.shape[1]
        moved = cast(offset, _INT) - of.kind.moved
        return (
            *low_stmts,
            *high_stmts,
            Let(lowest, low),
            Let(span, high - lowest),
            Let(scale, select(compare("eq", span, zero), Const(1.0, _FLOAT), span) / 255.0),
            Let(offset, cast(saturated(0.0 - lowest / scale, DType.UINT8), _FLOAT)),
            store(of.scales, (b,), scale),
            store(of.zeros, (b,), moved),
            *vector_blocks("value", hidden, lanes, quantize),
            *loop("past", whole - hidden, lambda k: (store(of.states, (b, k + hidden), 0),)),
            *self._sum_of_state(b, moved),
        )

    def _sum_of_state(self, b: Expr, zero: Expr) -> tuple[Stmt, ...]:
        of, hidden = self.of, self.cell.hidden
        if of.sums is None:
            return ()
        lanes = self.site.machine.lanes(_INT)
        stmts, total = fold_row(
            "sum", hidden, lanes, lambda k: cast(load(of.states, b, k), _INT), Const(0, _INT), add
        )
        return (*stmts, store(of.sums, (b,), total - zero * hidden))

    def _panel(self, phase: Phase, rows: Sequence[Expr], panel: Expr, valid: int) -> tuple[Stmt, ...]:
        """The gates of a panel's first `valid` hidden elements, for the sequences `rows`."""
        kept = buffer(f"{phase.name}_sums", _INT, (len(rows), self.cell.gates, self.of.elements))
        begin = panel * self.of.elements
        ends = self._ends(phase, rows, kept, lambda body: vectors_of(
            valid, side_by_side(self.lanes), lambda lane: body(lane, lane + begin), name=f"{phase.name}_end"))  # fmt: skip
        return (Alloc(kept), *self._sums(rows, panel, kept, index(0)), *ends)

    def _sums(self, rows: Sequence[Expr], panel: Expr, kept: Buffer, begin: Expr) -> tuple[Stmt, ...]:
        """Puts the sums of a panel into `kept [row, gate, element]`, from the element `begin` on."""
        of = self.of

        def sums(step: Step) -> Sequence[Stmt]:
            def at(j: Expr) -> Sequence[Stmt]:
                def word_at(row: int) -> Expr:
                    return of.kind.factor(load(of.states, rows[row], j * of.kind.per_step))

                return step(word_at, packed_at(of.packed, panel, j))

            return sum_steps("j", of.packed.shape[1], of.tile.steps, at, adjoin=True)

        def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
            return (store(kept, (row, column // of.elements, column % of.elements + begin), value),)

        return accumulate(len(rows), of.tile, lambda _: Const(0, _INT), sums, write, of.tile.columns, of.kind)

    def _ends(
        self,
        phase: Phase,
        rows: Sequence[Expr],
        kept: Buffer,
        each: Callable[[Callable[[Expr, Expr], Sequence[Stmt]]], tuple[Stmt, ...]],
    ) -> tuple[Stmt, ...]:
        """Puts gates through their functions: `each` calls its argument with an element of `kept` and the hidden element."""
        stmts: tuple[Stmt, ...] = ()
        for row, b in enumerate(rows):
            scale = Var(f"{phase.name}_scale{row}", _FLOAT)
            stmts += (Let(scale, load(self.of.scales, b)),)

            def body(
                element: Expr, j: Expr, row: int = row, b: Expr = b, scale: Expr = scale
            ) -> Sequence[Stmt]:
                def gate(number: int) -> Expr:
                    return self._gate(phase, number, load(kept, row, number, element), j, b, scale)

                return phase.finish(gate, j, b)

            stmts += each(body)
        return stmts

    def _gate(self, phase: Phase, number: int, total: Expr, j: Expr, b: Expr, scale: Expr) -> Expr:
        """A gate's value from the sum of its products."""
        of, column = self.of, j + number * self.cell.hidden
        total = total - load(of.zeros, b) * self.operand(SUMS, column)
        if of.sums is not None:
            total = total - load(of.sums, b) * self.operand(ZEROS, column)
        return Fma(cast(total, _FLOAT), scale * self.operand(SCALES, column), phase.start(number, j, b))
