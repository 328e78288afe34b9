"""Keeps loops that run often, or whose count is only known while running: their body becomes a model of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.control_flow.counted_rows import (
    Rows,
    RunBound,
    bound_of_runs,
    stacked_and_read,
    with_count_of_runs,
)
from ingot.graph.passes.control_flow.inside import Inside, is_plain, is_read
from ingot.graph.passes.control_flow.iterations import (
    Iterations,
    LoopForm,
    is_loop,
    iterations_of,
    live_nodes,
)
from ingot.graph.passes.control_flow.kept import BODY, DOMAIN, Kept, KeptLoop
from ingot.graph.passes.control_flow.lift import lift
from ingot.graph.passes.control_flow.trip_count import ENDLESS, Unknown
from ingot.graph.read.declared import Declarations
from ingot.graph.read.names import name_all
from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.look import constant_of
from ingot.graph.rewrite.replace import give_result, remove_whole

# A loop of at most so many nodes, all iterations together, is better written out: what its steps have in common is computed at
# once then, and values need not be in memory from one to the next.
WRITTEN_OUT_MAX = 1024
# The iterations of a loop inside of another one, if that is more than is known of it.
_INNER_COUNT = 16
# The iterations of a loop that says of itself no number.
_COUNT_MAX = 1 << 16
# More iterations than any loop that ends.
COUNT_END = 1 << 62

Resolve = Callable[[ir.Model, Declarations], ir.Model]


def keep_loops(model: ir.Model, kept: Kept, resolve: Resolve, declarations: Declarations) -> bool:
    """Makes nodes of `DOMAIN` of the loops at the top of the graph that run often. In place; returns whether it did something.

    What a body computes without what changes from one iteration to the next is computed once, before the loop, and so are
    products of what a `Scan` walks through with a matrix that does not change, which are quicker all at once.

    Does not handle: carried values that change their shape or are no tensors, `Scan` with a batch (opset 8); `unroll` tries
    these.

    Args:
        model: what may have loops.
        kept: gets the bodies.
        resolve: makes a model one without functions, branches, loops and sequences, with shapes that are known; it gets what is
            stated of its values.
        declarations: what the model states of its own values, and callers of loops.
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
        if (node.name or node.op_type) in kept.refused:
            continue
        count, form = loop.count(_COUNT_MAX), loop.form()
        if form is None:
            continue
        keeper = _Keeper(model, loop, form, names, kept, declarations)
        if isinstance(count, Unknown) and count.why == ENDLESS:
            continue
        if isinstance(count, Unknown):
            done |= keeper.is_counted_while_running() and keeper.keep(keeper.count_max, resolve)
        elif _is_long(loop, count):
            done |= keeper.keep(count, resolve)
    if done:
        name_all(graph)
    return done


def _is_long(loop: Iterations, count: int) -> bool:
    each = max(1, loop.nodes_each, loop.nodes_in_the_end)
    if any(node.op_type in ("Loop", "Scan") for node in loop.live):
        each *= _INNER_COUNT
    return count <= _COUNT_MAX and count * each > WRITTEN_OUT_MAX


@dataclass(slots=True)
class _Keeper:
    """One loop that becomes a node with a model."""

    model: ir.Model
    loop: Iterations
    form: LoopForm
    names: Names
    kept: Kept
    declarations: Declarations
    live: list[ir.Node] = field(
        default_factory=list
    )  # the nodes of the body that are computed in each iteration
    inside: Inside = field(init=False)
    deciding: list[ir.Value] = field(
        default_factory=list
    )  # the most iterations and whether it begins, known while running
    has_trips: bool = False
    has_begin: bool = False
    again: ir.Value | None = None  # what the body says of whether to go on
    bound: RunBound | None = None  # how often it may run, if that is no more than what somebody says
    counts_rows: bool = False  # whether an inference counts the rows that it stacks

    def __post_init__(self) -> None:
        self.inside = Inside(self._label, self.names)

    def is_counted_while_running(self) -> bool:
        """Whether it is a `Loop` whose end an inference finds, and how often it may run is known where somebody reads what it
        stacks; what decides is noted then.

        Raises:
            ModelError: what decides has not one element.
        """
        node, form = self.loop.node, self.form
        if form.goes_on is None:
            return False
        rows = stacked_and_read(node, len(form.states))
        again, known = self.loop.body.outputs[0], [constant_of(value) for value in node.inputs[:2]]
        if any(array is not None and array.size != 1 for array in known):
            return False
        given = (*node.inputs[:2], again)
        deciding = [None if value is None or constant_of(value) is not None else value for value in given]
        trips, begin, condition = (value if value is not None and value.name else None for value in deciding)
        for value in (trips, begin):
            _require_one_element(self.model, node, value)
        if (trips is not None and not is_plain(trips)) or (begin is not None and not is_plain(begin)):
            return False
        self.deciding = [value for value in (trips, begin) if value is not None]
        self.has_trips, self.has_begin = trips is not None, begin is not None
        self.again = None if condition is form.goes_on else condition
        label = f"model {self.model.graph.name!r}"
        is_open = trips is not None or known[0] is None
        self.bound = bound_of_runs(node, len(form.states), self.declarations, label) if is_open else None
        self.counts_rows = bool(rows)
        return not rows or self.count_max <= _COUNT_MAX

    @property
    def count_max(self) -> int:
        """The most iterations: what the model says, or callers, or as many as there can be."""
        trips = constant_of(self.loop.node.inputs[0])
        if self.bound is not None:
            return self.bound.maximum
        return COUNT_END if trips is None else min(int(trips.item()), COUNT_END)

    def keep(self, count: int, resolve: Resolve) -> bool:
        """Puts the node in the place of the loop, if the loop has a form that allows it."""
        self.live = list(self.loop.live)
        if self.again is not None:
            self.live = live_nodes(self.loop.body, list(self.loop.body.outputs))
        if all(map(is_plain, self.form.walked)):
            self._multiply_before()
        if self.counts_rows:
            self.form, counting = with_count_of_runs(self.model, self.loop.node, self.form, self.names)
            self.live.append(counting)
        form, graph, node = self.form, self.model.graph, self.loop.node
        steady = [old is new for old, new in zip(form.formal_states, form.next_states, strict=True)]
        moving = [at for at, is_steady in enumerate(steady) if not is_steady]
        outputs = list(node.outputs)
        if self.counts_rows:
            outputs.insert(len(steady) - 1, ir.Value(name=f"{self._label}/ran"))
        stacked = [at for at in range(len(form.rows)) if is_read(outputs[len(steady) + at])]
        taken = [form.rows[at] for at in stacked]
        if not all(map(is_plain, (*form.states, *form.walked))):
            return False
        self._number()
        for at in moving:
            self.inside.stands_for(form.formal_states[at], form.states[at], static_shape(form.states[at]))
        for formal, whole, axis in zip(form.formal_parts, form.walked, form.axes_in, strict=True):
            self.inside.stands_for(formal, whole, _without(static_shape(whole), axis))
        for at, is_steady in enumerate(steady):
            if is_steady:
                self.inside.take_in(form.states[at], form.formal_states[at])
        if form.goes_on is not None:
            self.inside.weight(form.goes_on, ir.Tensor(np.array(True)))
        asked = [] if self.again is None else [self.again]
        results = [*asked, *(form.next_states[at] for at in moving), *taken]
        if not self._captured(results):
            return False
        body = self._resolved(results, moving, resolve)
        if not self._fits(body, [form.states[at] for at in moving]):
            self.kept.refused.add(self._label)
            return False
        states = [form.states[at] for at in moving]
        walked = [
            self._first_axis(value, axis) for value, axis in zip(form.walked, form.axes_in, strict=True)
        ]
        kept = KeptLoop(
            body,
            len(moving),
            tuple(map(bool, form.backward_in)),
            tuple(bool(form.backward_out[at]) for at in stacked),
            count,
            self.has_trips,
            self.has_begin,
            bool(asked),
            self.bound.name if self.bound is not None else "",
        )
        new = self._node(kept, [*self.deciding, *states, *walked, *self.inside.around], count)
        self._give(new, outputs, moving, stacked)
        remove_whole(graph, node)
        return True

    def _give(
        self,
        new: Sequence[ir.Value],
        outputs: Sequence[ir.Value],
        moving: Sequence[int],
        stacked: Sequence[int],
    ) -> None:
        """Lets who reads the loop's results read those of the node: `new` has the carried values that change, then what is
        stacked.
        """
        form, graph, node = self.form, self.model.graph, self.loop.node
        for at, value in zip(moving, new, strict=False):
            give_result(graph, node, outputs[at], value)
        for at, state in enumerate(form.states):
            if at not in moving:
                give_result(graph, node, outputs[at], state)
        rows = Rows(self.model, node, self.names, self.declarations)
        for at, value in zip(stacked, new[len(moving) :], strict=True):
            output = outputs[len(form.states) + at]
            if self.counts_rows:
                room = (static_shape(value) or (0,))[0]
                give_result(graph, node, output, rows.of(value, new[len(moving) - 1], output, room))
            else:
                give_result(graph, node, output, self._own_axis(value, form.axes_out[at]))

    def _resolved(self, results: Sequence[ir.Value], moving: Sequence[int], resolve: Resolve) -> ir.Model:
        """The model inside. What is carried has the shape that it began with; rows have that of what is stacked."""
        inner = self.inside.model(self.live, results, self.model)
        outputs = list(inner.graph.outputs)[self.again is not None :]
        stated = Declarations()
        for value, at in zip(outputs, moving, strict=False):
            _state(stated, value, static_shape(self.form.states[at]))
        return resolve(inner, stated)

    def _multiply_before(self) -> None:
        """Takes products of what is walked through with matrices out of the body: their results are walked through then."""
        inside = {*self.loop.body.inputs, *(value for node in self.live for value in node.outputs)}
        for node in list(self.live):
            at = _walked_factor(node, self.form)
            if at is None or not inside.isdisjoint([value for value in node.inputs[1:] if value is not None]):
                continue
            product = self._product(node, self.form.walked[at])
            if product is None:
                continue
            self.live.remove(node)
            self.form = replace(
                self.form,
                walked=[*self.form.walked, product],
                formal_parts=[*self.form.formal_parts, node.outputs[0]],
                axes_in=[*self.form.axes_in, 0],
                backward_in=[*self.form.backward_in, self.form.backward_in[at]],
            )

    def _product(self, node: ir.Node, whole: ir.Value) -> ir.Value | None:
        """The products of all steps; None where they are not understood."""
        matrix, bias = node.inputs[1], node.inputs[2] if len(node.inputs) > 2 else None
        shape, extents = static_shape(whole), None if matrix is None else static_shape(matrix)
        if matrix is None or shape is None or extents is None or len(extents) != 2:
            return None
        if node.attributes.get_int("transB", 0):
            matrix, extents = self._transposed(matrix, [1, 0]), extents[::-1]
        result = (*shape[:-1], extents[1])
        product = self._computed("MatMul", [whole, matrix], result)
        return product if bias is None else self._computed("Add", [product, bias], result)

    def _computed(self, op_type: str, inputs: Sequence[ir.Value], shape: Sequence[int]) -> ir.Value:
        name = self.names.free(f"{self._label}/{op_type}")
        result = ir.Value(name=name, type=inputs[0].type, shape=ir.Shape(shape))
        self.model.graph.insert_before(
            self.loop.node, ir.Node("", op_type, inputs, outputs=[result], name=name)
        )
        return result

    # ── the model inside ──

    def _number(self) -> None:
        value = ir.Value(
            name=self.names.free(f"{self._label}/number"),
            type=ir.TensorType(ir.DataType.INT64),
            shape=ir.Shape([]),
        )
        self.inside.inputs.append(value)
        if self.form.number is not None:
            self.inside.known[self.form.number] = value

    @property
    def _label(self) -> str:
        return self.loop.node.name or self.loop.node.op_type

    def _captured(self, results: Sequence[ir.Value]) -> bool:
        """Takes in all that the body reads from around it; returns whether that can be."""
        for value in self.inside.missing(self.live, results):
            if not is_plain(value) and constant_of(value) is None:
                return False
            self.inside.take_in(value)
        return True

    def _fits(self, body: ir.Model, states: Sequence[ir.Value]) -> bool:
        """Whether carried values stay as they are in type and shape, and all results have one."""
        outputs = list(body.graph.outputs)
        if self.again is not None:
            _require_one_element(self.model, self.loop.node, outputs.pop(0))
        same = (
            static_shape(new) == static_shape(old) and new.dtype == old.dtype
            for new, old in zip(outputs, states, strict=False)
        )
        return all(same) and all(map(is_plain, outputs))

    # ── the node ──

    def _node(self, kept: KeptLoop, inputs: Sequence[ir.Value], count: int) -> Sequence[ir.Value]:
        results = []
        for at, value in enumerate(list(kept.body.graph.outputs)[kept.has_condition :]):
            shape = static_shape(value) or ()
            whole = shape if at < kept.carried else (count, *shape)
            name = self.names.free(f"{self._label}/result{at}")
            results.append(ir.Value(name=name, type=value.type, shape=ir.Shape(whole)))
        attribute = ir.AttrString(BODY, self.kept.add(self._label, kept))
        self.model.graph.opset_imports.setdefault(DOMAIN, 1)
        self.model.graph.insert_before(
            self.loop.node, ir.Node(DOMAIN, "Repeat", inputs, [attribute], outputs=results, name=self._label)
        )
        return results

    def _first_axis(self, value: ir.Value, axis: int) -> ir.Value:
        rank = len(static_shape(value) or ())
        rest = [at for at in range(rank) if at != axis % rank]
        return self._transposed(value, [axis % rank, *rest])

    def _own_axis(self, value: ir.Value, axis: int) -> ir.Value:
        rank = len(static_shape(value) or ())
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        return self._transposed(value, order)

    def _transposed(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        shape = static_shape(value) or ()
        if list(order) == list(range(len(shape))):
            return value
        name = self.names.free(f"{value.name}.transposed")
        result = ir.Value(name=name, type=value.type, shape=ir.Shape([shape[at] for at in order]))
        attributes = [ir.AttrInt64s("perm", list(order))]
        node = ir.Node("", "Transpose", [value], attributes, outputs=[result], name=name)
        self.model.graph.insert_before(self.loop.node, node)
        return result


def _state(stated: Declarations, value: ir.Value, shape: Sequence[int] | None) -> None:
    """Notes the shape of a value inside, which is used where nothing else tells it, and checked."""
    if shape is not None and value.name:
        stated.shapes[value.name] = stated.bound[value.name] = ir.Shape(shape)


def _require_one_element(model: ir.Model, node: ir.Node, value: ir.Value | None) -> None:
    shape = None if value is None else static_shape(value)
    if value is not None and shape is not None and math.prod(shape) != 1:
        raise ModelError(
            f"model {model.graph.name!r}: node {node.name} (Loop): {value.name!r}, which says how long it goes on, has the shape "
            f"{list(shape)}, expected one element",
            node=node.name,
        )


def _walked_factor(node: ir.Node, form: LoopForm) -> int | None:
    """Which walked value a product of rows has for its first factor, None if it has none along a first axis, or is no product."""
    if (
        domain_of(node.domain)
        or node.op_type not in ("MatMul", "Gemm")
        or node.inputs[0] not in form.formal_parts
    ):
        return None
    factors = [node.attributes.get_float(name, 1.0) for name in ("alpha", "beta")]
    if node.attributes.get_int("transA", 0) or factors != [1.0, 1.0]:
        return None
    at = next(number for number, part in enumerate(form.formal_parts) if part is node.inputs[0])
    return at if form.axes_in[at] == 0 else None


def _without(shape: Sequence[int] | None, axis: int) -> Sequence[int]:
    extents = list(shape or ())
    del extents[axis % len(extents)]
    return extents
