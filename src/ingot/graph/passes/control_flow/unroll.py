"""Writes loops out: the body of each `Loop` and `Scan` as often as it runs, if that is known while building."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.passes.control_flow.counted_rows import names_of_bound
from ingot.graph.passes.control_flow.guarded import guarded_iterations
from ingot.graph.passes.control_flow.iterations import Iterations, is_loop, iterations_of
from ingot.graph.passes.control_flow.lift import lift
from ingot.graph.passes.control_flow.trip_count import ENDLESS, Unknown
from ingot.graph.read.call_sizes import NODES_MAX
from ingot.graph.read.declared import Declarations
from ingot.graph.read.names import name_all
from ingot.graph.read.types import WHY
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.replace import remove_whole


class Unroller:
    """Writes the loops of one model out, which may need several rounds: an inner loop's count may follow from an outer one's."""

    def __init__(self, nodes_max: int = NODES_MAX) -> None:
        self._nodes_max = nodes_max
        self._unrolled = 0
        self._is_over = False

    def unroll(self, model: ir.Model) -> bool:
        """Puts copies of its body in the place of each loop at the top of the graph whose count is known. In place; returns
        whether it did something. A loop that stays has the reason in its metadata, under `WHY`.

        What a body computes without what changes from one iteration to the next is computed once, before the loop.

        Does not handle: counts that depend on inputs, and loops that would become more than `nodes_max` nodes together.

        Raises:
            ModelError: a loop and its body do not fit together.
        """
        graph = model.graph
        loops = [node for node in graph if is_loop(node)]
        if not loops:
            return False
        names = Names(graph)
        if lift(loops, graph, names):
            return True
        done = False
        for node in loops:
            loop = iterations_of(model, node, names)
            why = self._refusal(loop)
            if why is not None:
                node.metadata_props[WHY] = why
                continue
            loop.write()
            remove_whole(graph, node)
            done = True
        if done:
            name_all(graph)
        return done

    def unroll_guarded(self, model: ir.Model, declarations: Declarations) -> bool:
        """Writes out each `Loop` of which it is known only while running how often it runs, as often as it may run, where that is
        said. In place; returns whether it did something. For when nothing else can find out how often it runs.

        Args:
            model: what may have loops.
            declarations: what the model states of its own values, and callers of loops.
        """
        graph = model.graph
        names = Names(graph)
        done = False
        for node in [node for node in graph if is_loop(node)]:
            loop = guarded_iterations(model, node, names, declarations)
            left = max(0, self._nodes_max - self._unrolled)
            count = iterations_of(model, node, names).count(left)
            is_open = isinstance(count, Unknown) and count.why != ENDLESS
            if loop is None:
                if is_open and node.op_type == "Loop" and isinstance(count, Unknown):
                    name = names_of_bound(node, len(node.inputs) - 2, declarations)[0]
                    node.metadata_props[WHY] = (
                        f"{count.why}; or say how often at most by bounds={{{name!r}: …}}"
                    )
                continue
            if not is_open or loop.runs_max * max(1, loop.nodes_each, loop.nodes_in_the_end) > left:
                continue
            self._unrolled += loop.runs_max * max(1, loop.nodes_each)
            loop.write()
            remove_whole(graph, node)
            done = True
        if done:
            name_all(graph)
        return done

    def _refusal(self, loop: Iterations) -> str | None:
        """Why a loop cannot be written out; None once its nodes have been counted."""
        if self._is_over:  # the model is refused: nobody has to find out how often its other loops run
            return loop.node.metadata_props.get(
                WHY, f"the loops of the model together are more than {self._nodes_max} nodes"
            )
        each = max(1, loop.nodes_each, loop.nodes_in_the_end)
        limit = max(0, self._nodes_max - self._unrolled) // each
        count = loop.count(limit)
        if isinstance(count, Unknown):
            return count.why
        if count > limit:
            self._is_over = True
            used = f", of which {self._unrolled} are used" if self._unrolled else ""
            return (
                f"{count if loop.is_exact else f'more than {limit}'} iterations of {each} nodes each would be too much code: "
                f"ingot writes the loops of a model out into at most {self._nodes_max} nodes{used}; build it for fewer iterations"
            )
        self._unrolled += count * max(
            1, loop.nodes_each
        )  # loops inside it count when they are written out themselves
        return None
