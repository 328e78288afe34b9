"""From a model that was read to one that can be lowered: all graph passes, and what has to hold behind them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import onnx_ir as ir

from ingot.base.defects import defects_named
from ingot.base.observe import Observer
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.lower import lower
from ingot.graph.operator_table import OperatorTable
from ingot.graph.passes.control_flow.kept import BODIES
from ingot.graph.passes.order import IMPROVING, PASSES, RESOLVING
from ingot.graph.passes.pipeline import Runner, Work, checked_skips
from ingot.graph.read.check import check_outputs, check_sizes
from ingot.graph.read.damage import FAULTS
from ingot.graph.read.declared import Declarations, compare
from ingot.graph.read.types import static_shape
from ingot.graph.read.windows import check_windows
from ingot.ops.opdef import OpDef
from ingot.plan.program import Draft


def prepare(
    model: ir.Model,
    operators: Sequence[OpDef],
    declarations: Declarations | None = None,
    *,
    exact: bool = True,
    skip: Collection[str] = (),
    observer: Observer | None = None,
    check: bool = False,
    sizes: SizeLog | None = None,
) -> ir.Model:
    """Runs all graph passes on a model that `read_model` gave. The given model is used up. What is inside of loops that stay is
    found by `kept_of`.

    Args:
        model: what was read.
        operators: those that have kernels.
        declarations: what reading found that the model states.
        exact: keeps subnormal weights.
        skip: the names of optional passes that are left out.
        observer: hears how long each pass took, and gets the model after each one that changed it.
        check: checks the model after each pass that changed it.
        sizes: gets what was computed from shapes, and who reads it.

    Raises:
        ModelError: what passes found out contradicts what the model states.
        TargetError: `skip` has an unknown name, or that of a pass that is not optional.
        InternalError: a pass failed, or gave an output another shape.
    """
    work = Work(
        model,
        OperatorTable(operators),
        Declarations() if declarations is None else declarations,
        exact,
        sizes,
    )
    work.skip = checked_skips(skip, PASSES)
    runner = Runner(Observer() if observer is None else observer, work.skip, check)
    runner.run(RESOLVING, work)
    if sizes is not None:
        sizes.finish(work.model.graph, work.needs)
    shapes = [static_shape(value) for value in work.model.graph.outputs]
    runner.run(IMPROVING, work)
    _check(work, shapes)
    for kept in work.kept.known.values():
        for inner in kept.models:
            Runner(Observer(), work.skip).run(IMPROVING, work.inside(inner))
            inner.meta[BODIES] = work.kept
    work.model.meta[BODIES] = work.kept
    return work.model


@defects_named("the checks behind the passes of the graph", *FAULTS)
def _check(work: Work, shapes: Sequence[tuple[int, ...] | None]) -> None:
    """What has to hold behind all passes; `shapes` are those that the outputs had once all were known."""
    graph, label = work.model.graph, f"model {work.model.graph.name!r}"
    check_windows(graph, label)
    check_sizes((value for node in graph for value in node.outputs), label)
    check_outputs(graph.outputs, shapes, label)
    compare(work.model, work.declarations)


def to_draft(model: ir.Model, operators: Sequence[OpDef]) -> Draft:
    """Runs all graph passes on a model that was read, and lowers it. Everything that can be refused is refused here."""
    return lower(prepare(model, operators), operators)
