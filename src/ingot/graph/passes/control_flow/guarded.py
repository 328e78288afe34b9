"""Loops of which it is known only while running how often they run, written out as often as they may: what an iteration behind
the last computes is not taken. For what cannot stay a loop: sequences that grow, values that change their shapes, targets without
control.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.passes.border.held import write_within
from ingot.graph.passes.control_flow.branches import chosen_value, give_group, is_grouped
from ingot.graph.passes.control_flow.counted_rows import Rows, RunBound, bound_of_runs
from ingot.graph.passes.control_flow.iterations import LoopIterations, live_nodes
from ingot.graph.read.declared import Declarations
from ingot.graph.read.types import CHECKS, UNSURE, domain_of
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.look import constant_of
from ingot.graph.rewrite.replace import give_result
from ingot.graph.rewrite.writer import Writer


class GuardedIterations(LoopIterations):
    """A `Loop` with a flag for each iteration."""

    def __init__(
        self, model: ir.Model, node: ir.Node, names: Names, declarations: Declarations, bound: RunBound
    ) -> None:
        super().__init__(model, node, names)
        self._declarations, self._bound = declarations, bound
        self._writer = Writer(self.graph, node, names, self.version)
        if not self._always_goes_on:
            self._live = live_nodes(self.body, self._results)
        given = [value if value is not None and value.name else None for value in node.inputs[:2]]
        self._trips, self._begin = (
            None if value is None or constant_of(value) is not None else value for value in given
        )

    @property
    def runs_max(self) -> int:
        """How often it may run."""
        return self._bound.maximum

    def write(self) -> None:
        """As of all loops."""
        writer, kept, maximum = self._writer, len(self._states), self._bound.maximum
        trips = None if self._trips is None else self._scalar(self._trips, ir.DataType.INT64)
        active = None if self._begin is None else self._scalar(self._begin, ir.DataType.BOOL)
        states, ends = list(self._states), list(self._states)
        scans: list[list[ir.Value]] = [[] for _ in self._results[1 + kept :]]
        flags: list[ir.Value | None] = []
        true = writer.constant(np.array(True))
        for number in range(maximum):
            active = self._both(active, self._has_trip(trips, number))
            again, *results = self._iteration(str(number), [self._number(number), true, *states])
            states[:] = results[:kept]
            ends[:] = [
                new if active is None or new is None else self._chosen(active, new, old, at)
                for at, (new, old) in enumerate(zip(states, ends, strict=True))
            ]
            for scan, value in zip(scans, results[kept:], strict=True):
                scan.append(value)
            flags.append(active)
            if not self._always_goes_on:
                active = self._both(active, self._scalar(again, ir.DataType.BOOL))
        flags.append(
            self._both(active, self._has_trip(trips, maximum)) if self._may_exceed else false_flag(writer)
        )
        self._give(ends, scans, self._runs(flags))

    @property
    def _may_exceed(self) -> bool:
        """Whether it may go on behind the bound: the model itself does not end it there."""
        known = constant_of(self.node.inputs[0])
        return known is None or int(known.item()) > self._bound.maximum

    @property
    def _always_goes_on(self) -> bool:
        """Whether the body says nothing of whether to go on."""
        again, asked = self.body.outputs[0], self.body.inputs[1]
        maker = again.producer()
        is_copy = maker is not None and maker.op_type == "Identity" and maker.inputs[0] is asked
        known = constant_of(again)
        return again is asked or is_copy or (known is not None and bool(known.all()))

    def _iteration(self, name: str, inputs: Sequence[ir.Value | None]) -> list[ir.Value]:
        for node in self._live:
            node.metadata_props[UNSURE] = self.node.name or self.node.op_type
        return super()._iteration(name, inputs)

    def _scalar(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        shape = self._writer.constant(np.zeros(0, np.int64))
        return self._writer.cast(self._writer.op("Reshape", [value, shape]), dtype)

    def _both(self, first: ir.Value | None, second: ir.Value | None) -> ir.Value | None:
        """Whether both are true; None is true."""
        if first is None or second is None:
            return first or second
        return self._writer.op("And", [first, second])

    def _has_trip(self, trips: ir.Value | None, number: int) -> ir.Value | None:
        return None if trips is None else self._writer.op("Less", [self._number(number), trips])

    def _chosen(self, active: ir.Value, new: ir.Value, old: ir.Value | None, at: int) -> ir.Value:
        if old is None or new is old:
            return new
        like = self.node.outputs[at]
        name = self.names.free(f"{self.node.name}/{like.name or at}")
        return chosen_value(self.graph, self.node, (active, new, old), like, name)

    def _runs(self, flags: Sequence[ir.Value | None]) -> ir.Value:
        """How often it ran, of which a run ends if that is more than the bound."""
        writer, maximum = self._writer, self._number(self._bound.maximum)
        sure = sum(flag is None for flag in flags)
        numbers = [writer.cast(flag, ir.DataType.INT64) for flag in flags if flag is not None]
        total = writer.add(self._number(sure), *numbers)
        if not self._may_exceed:
            return total
        expected = f"at most {self._bound.maximum} iterations"
        runs = write_within(writer, (total, self._number(0), maximum), "runs", expected, self._bound.name)
        maker = runs.producer()
        assert maker is not None
        maker.metadata_props[CHECKS] = self._bound.name
        return runs

    def _give(
        self, states: Sequence[ir.Value | None], scans: Sequence[Sequence[ir.Value]], runs: ir.Value
    ) -> None:
        kept = len(self._states)
        for old, new in zip(tuple(self.node.outputs[:kept]), states, strict=True):
            if not old.name or new is None:
                continue
            if is_grouped(old) and new is not self._states[list(self.node.outputs).index(old)]:
                give_group(old, new)
            else:
                give_result(self.graph, self.node, old, new)
        rows = Rows(self.model, self.node, self.names, self._declarations)
        likes = self._results[1 + kept :]
        for output, parts, like in zip(tuple(self.node.outputs[kept:]), scans, likes, strict=True):
            whole = self._stacked(parts, 0, output, like)
            if whole is not None and output.name:
                there = rows.of(whole, runs, output, self._bound.maximum)
                give_result(self.graph, self.node, output, there)


def false_flag(writer: Writer) -> ir.Value:
    """A flag that is not set."""
    return writer.constant(np.array(False))


def guarded_iterations(
    model: ir.Model, node: ir.Node, names: Names, declarations: Declarations
) -> GuardedIterations | None:
    """The iterations of a `Loop` of which is said how often it may run; None of any other."""
    if node.op_type != "Loop" or domain_of(node.domain):
        return None
    bound = bound_of_runs(node, len(node.inputs) - 2, declarations, f"model {model.graph.name!r}")
    known = constant_of(node.inputs[0])
    trips = None if known is None or known.size != 1 else int(known.item())
    if trips is not None and (bound is None or trips <= bound.maximum):
        bound = RunBound(max(trips, 0), str(node.name))
    return None if bound is None else GuardedIterations(model, node, names, declarations, bound)
