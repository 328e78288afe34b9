"""Rows that a `Loop` stacks of which it is known only while running how often it runs: a bound, and the rows that are there.

The loop has room for as many rows as it may run, and carries how often it ran. The numbers of the rows that are there are chosen
by a `Compress`, which counts them as it counts everything, and what is stacked is gathered by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.control_flow.branches import is_grouped
from ingot.graph.passes.control_flow.inside import is_read
from ingot.graph.passes.control_flow.iterations import LoopForm
from ingot.graph.read.declared import Declarations
from ingot.graph.rewrite.add import Names, add_constant

_INT64 = ir.TensorType(ir.DataType.INT64)


@dataclass(frozen=True, slots=True)
class RunBound:
    """How often a loop may run, and the name under which that was said."""

    maximum: int
    name: str


def names_of_bound(node: ir.Node, carried: int, declarations: Declarations) -> list[str]:
    """The names under which callers may say how often a loop runs at most: the extents that it decides, the values that have
    these, and the loop itself. `carried` values come first among its outputs.
    """
    stacked = [str(value.name) for value in stacked_and_read(node, carried)]
    grown = [str(value.name) for value in node.outputs[:carried] if value.name and is_grouped(value)]
    symbols = [name for name in stacked for name in declarations.symbols.get(name, ())[:1] if name]
    lengths = [*(f"{name}:length" for name in grown), *(f"{name}:0" for name in stacked)]
    return [*symbols, *lengths, *stacked, *grown, str(node.name)]


def bound_of_runs(node: ir.Node, carried: int, declarations: Declarations, label: str) -> RunBound | None:
    """What callers say, or what the model declares of the rows that the loop stacks; None if nobody says it.

    Raises:
        ModelError: a bound of no iterations.
    """
    names = names_of_bound(node, carried, declarations)
    bound = declarations.counts.bound_of(names)
    if bound == 0:
        raise ModelError(
            f"{label}: bounds={{{names[0]!r}: 0}}: the loop {node.name} runs once at least where it runs at all; "
            "expected a bound of 1 or more",
            bound=names[0],
        )
    if bound is not None:
        return RunBound(bound, next(name for name in names if name in declarations.counts.bounds))
    rows = stacked_and_read(node, carried)
    stated = [(value, stated_rows(value, declarations)) for value in rows]
    return next((RunBound(count, str(value.name)) for value, count in stated if count), None)


def stated_rows(value: ir.Value, declarations: Declarations) -> int | None:
    """How many rows the model says that a loop stacks."""
    shapes = (declarations.shapes.get(str(value.name)), value.shape)
    firsts = [shape[0] for shape in shapes if shape is not None and len(shape)]
    return next((first for first in firsts if isinstance(first, int)), None)


def with_count_of_runs(
    model: ir.Model, node: ir.Node, form: LoopForm, names: Names
) -> tuple[LoopForm, ir.Node]:
    """The loop with one more carried value, how often it ran, and the node of the body that computes it."""
    zero = add_constant(model.graph, names, f"{node.name}/none", np.array(0, np.int64))
    one_more = add_constant(model.graph, names, f"{node.name}/one", np.array(1, np.int64))
    formal, result = (
        ir.Value(name=names.free(f"{node.name}/{name}"), type=_INT64, shape=ir.Shape([]))
        for name in ("ran", "runs")
    )
    assert form.number is not None
    count = ir.Node("", "Add", [form.number, one_more], outputs=[result], name=result.name)
    form = replace(
        form,
        states=[*form.states, zero],
        formal_states=[*form.formal_states, formal],
        next_states=[*form.next_states, result],
    )
    return form, count


class Rows:
    """Takes the rows that are there out of what has room for all that may be. Nodes go before `node`."""

    def __init__(self, model: ir.Model, node: ir.Node, names: Names, declarations: Declarations) -> None:
        self._model, self._node, self._names, self._declarations = model, node, names, declarations
        self._positions: ir.Value | None = None

    def of(self, whole: ir.Value, count: ir.Value, output: ir.Value, room: int) -> ir.Value:
        """The rows of `whole`, which has room for so many and of which there are `count`, in the place of the output."""
        if self._positions is None:
            self._positions = self._chosen(room, count, output)
        return self._add("Gather", [whole, self._positions], f"{output.name}.rows", [ir.AttrInt64("axis", 0)])

    def _chosen(self, room: int, count: ir.Value, output: ir.Value) -> ir.Value:
        name, declared = str(output.name), self._declarations
        numbers = add_constant(
            self._model.graph, self._names, f"{self._node.name}/numbers", np.arange(room, dtype=np.int64)
        )
        is_there = self._add("Less", [numbers, count], f"{self._node.name}/is_there")
        positions = self._add("Compress", [numbers, is_there], f"{name}.numbers", [ir.AttrInt64("axis", 0)])
        symbol = next(iter(declared.symbols.get(name, ())), "")
        declared.symbols[str(positions.name)] = (symbol or f"{name}:0",)
        stated = stated_rows(output, declared)
        if stated is not None:
            declared.shapes[str(positions.name)] = ir.Shape([stated])
        return positions

    def _add(
        self, op_type: str, inputs: Sequence[ir.Value], wish: str, attributes: Sequence[ir.Attr] = ()
    ) -> ir.Value:
        name = self._names.free(wish)
        result = ir.Value(name=name)
        self._model.graph.insert_before(
            self._node, ir.Node("", op_type, inputs, attributes, outputs=[result], name=name)
        )
        return result


def stacked_and_read(node: ir.Node, carried: int) -> list[ir.Value]:
    """The outputs of a loop that are stacked and read by somebody."""
    return [value for value in node.outputs[carried:] if value.name and is_read(value)]
