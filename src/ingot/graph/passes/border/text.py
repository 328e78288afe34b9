"""Takes text and image files out of a model: what is left has tensors of numbers only, and a border says what the host does
before and after it.

A node on text or on an image file runs in front of the kernels if all that it reads is there before they run, else behind them.
What is behind gives nothing back to kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import onnx_ir as ir

from ingot.base.errors import InternalError
from ingot.base.tensor import TensorType
from ingot.border.program import OPEN, Border, Port, Step
from ingot.border.steps import prepared
from ingot.graph.passes.border.text_steps import Meant, elements_of_tensor, is_step, step_of
from ingot.graph.passes.tidy.dead import remove_dead
from ingot.graph.read.ends import End, Ends, ends_of, is_number, is_text, keep_ends
from ingot.graph.read.types import WHY, domain_of, opset_of, static_shape, to_dtype
from ingot.graph.refused import Refused, refusal
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.replace import remove_whole
from ingot.graph.rewrite.writer import StaysError

_STEPS = "ingot.steps"  # of what is in memory beside a graph: steps, and the shapes of what they make


@dataclass
class _Steps:
    """What the host does, and of which type the leaves are that no kernel reads or makes: a shape for text."""

    front: list[Step] = field(default_factory=list)
    back: list[Step] = field(default_factory=list)
    ports: dict[str, Port] = field(default_factory=dict)


def take_out_text(model: ir.Model) -> None:
    """Moves every node on text or on image files into the border of the model. In place.

    Raises:
        UnsupportedError: lists every node that cannot be moved.
    """
    graph = model.graph
    nodes = [node for node in graph if is_step(node)]
    ends = [value for value in (*graph.inputs, *graph.outputs) if is_text(value)]
    if not nodes and not ends:
        return
    _TakeOut(model).run()


def has_steps(graph: ir.Graph) -> bool:
    """Whether the host has more to do at the ends of a model than to group tensors."""
    return _STEPS in graph.meta


def border_of(graph: ir.Graph, types: Mapping[str, TensorType]) -> Border | None:
    """The border of a model, None if it has nothing but tensors; `types` are those of the inputs and outputs of the kernels."""
    ends = ends_of(graph)
    if ends is None:
        return None
    steps = graph.meta.get(_STEPS) or _Steps()

    def port(end: End) -> Port:
        if end.kind != "leaf":
            if end.parts is None:
                raise InternalError(f"it is not known what is in {end.name!r}")
            return Port(end.name, end.kind, None, (), tuple(map(port, end.parts)), end.labels)
        if end.name in steps.ports:
            return steps.ports[end.name]
        return Port(end.name, "tensor", types[end.name].dtype, types[end.name].shape)

    return Border(
        tuple(map(port, ends.inputs)), tuple(map(port, ends.outputs)), tuple(steps.front), tuple(steps.back)
    )


def _leaves(values: Iterable[ir.Value]) -> tuple[End, ...]:
    return tuple(End(str(value.name)) for value in values)


class _TakeOut:
    def __init__(self, model: ir.Model) -> None:
        self.model, self.graph = model, model.graph
        self.ends = ends_of(self.graph) or Ends(_leaves(self.graph.inputs), _leaves(self.graph.outputs))
        self.names = Names(self.graph)
        self.steps = _Steps()
        self.refused: list[Refused] = []
        # Where a value is made: what is not in here is there before anything runs.
        self.behind: set[ir.Value] = set()
        self.of_steps: dict[ir.Value, ir.Node] = {}
        self.constants: set[ir.Value] = set()
        self.read: set[ir.Value] = set()

    def run(self) -> None:
        for node in self.graph:
            if is_step(node):
                self._move(node)
            else:
                self._leave(node)
        for value in self.graph.outputs:
            if is_text(value) and value not in self.of_steps:
                self._same(value)
        if self.refused:
            raise refusal(self.model, self.refused)
        self._cut()
        keep_ends(self.graph, self.ends)
        self.graph.meta[_STEPS] = self.steps

    # ── nodes ──

    def _leave(self, node: ir.Node) -> None:
        """A node on numbers is the kernels'; what it reads must not come from behind them."""
        late = next((value for value in node.inputs if value in self.of_steps and value in self.behind), None)
        if late is not None:
            producer = self.of_steps[late]
            self._refuse(
                node,
                f"its input {late.name!r} is made at the border of the model by {producer.name} ({producer.op_type}), "
                "which waits for numbers that kernels compute, and text and images are only handled before and after all of "
                "its kernels; split the model there",
            )
        self.behind.update(node.outputs)

    def _move(self, node: ir.Node) -> None:
        try:
            step = self._checked(node, step_of(node))
        except StaysError as error:
            self._refuse(node, node.metadata_props.get(WHY) or str(error))
            return
        given = [node.inputs[position] for position in step.reads]
        is_behind = any(value in self.behind for value in given)
        inputs = tuple(self._name(value) for value in given if value is not None)
        outputs = [
            value.name or self.names.free(f"{node.name}/unread") for value in node.outputs[: step.makes]
        ]
        outputs += [self.names.free(f"{node.name}/unread") for _ in range(step.makes - len(outputs))]
        moved = Step(step.op, inputs, tuple(outputs), tuple(sorted(step.attributes.items())))
        (self.steps.back if is_behind else self.steps.front).append(moved)
        self.of_steps.update(dict.fromkeys(node.outputs, node))
        if is_behind:
            self.behind.update(node.outputs)

    def _checked(self, node: ir.Node, step: Meant) -> Meant:
        """The step, if it can be prepared and its inputs are there and of types that the host has."""
        try:
            prepared(Step(step.op, (), (), tuple(sorted(step.attributes.items()))))
        except ValueError as error:
            raise StaysError(str(error)) from None
        for value in (
            *(node.inputs[position] for position in step.reads if position < len(node.inputs)),
            *node.outputs,
        ):
            if value is None or not (is_text(value) or is_number(value)):
                reason = (
                    "an input that is missing"
                    if value is None
                    else f"{value.name!r}, which is no tensor of text or numbers"
                )
                raise StaysError(f"it has {reason}")
        return step

    def _refuse(self, node: ir.Node, why: str) -> None:
        domain = domain_of(node.domain)
        self.refused.append(Refused(node.name or "", domain, node.op_type, opset_of(self.model, domain), why))

    def _name(self, value: ir.Value) -> str:
        """The name of a value that a step reads; a constant is made by a step before."""
        name = str(value.name)
        if value.is_initializer() and value.const_value is not None and value not in self.constants:
            self.constants.add(value)
            elements = elements_of_tensor(value.const_value)
            self.steps.front.append(Step("constant", (), (name,), (("value", elements),)))
        self.read.add(value)
        return name

    def _same(self, value: ir.Value) -> None:
        """An output that is an input, or a constant."""
        if value.is_initializer():
            self._name(value)

    # ── the two parts ──

    def _cut(self) -> None:
        """Takes away what steps do, and lets kernels read what the front makes and give what the back reads."""
        self._note_leaves()
        moved = set(self.of_steps.values())
        outputs = [value for value in self.graph.outputs if value not in self.of_steps and not is_text(value)]
        kernels = {value for node in self.graph if node not in moved for value in node.outputs}
        outputs += [value for value in self._in_order(kernels & self.read) if value not in outputs]
        self.graph.outputs.clear()
        self.graph.outputs.extend(outputs)
        for value in [value for node in self.graph if node in moved for value in node.outputs]:
            if any(use.node not in moved for use in value.uses()):
                self._as_input(value)
        for node in reversed([node for node in self.graph if node in moved]):
            remove_whole(self.graph, node)
        for value in list(self.graph.inputs):
            if is_text(value) or (value in self.read and not value.uses() and not value.is_graph_output()):
                self.graph.inputs.remove(value)
        remove_dead(self.model)

    def _in_order(self, values: set[ir.Value]) -> Iterable[ir.Value]:
        return (value for node in self.graph for value in node.outputs if value in values)

    def _as_input(self, value: ir.Value) -> None:
        if static_shape(value) is None:
            node = self.of_steps[value]
            why = (
                f"how many elements its output {value.name!r} has depends on the content of text or of an image, and kernels "
                "read it; declare its shape in the model (value_info), let it end there, or do this step in the application"
            )
            self._refuse(node, why)
            raise refusal(self.model, self.refused)
        opened = ir.Value(name=value.name, type=value.type, shape=value.shape)
        value.name = None
        ir.convenience.replace_all_uses_with(value, opened)
        self.graph.inputs.append(opened)

    def _note_leaves(self) -> None:
        """Keeps the types of leaves that kernels neither read nor make."""
        for value in self.graph.inputs:
            if is_text(value) or value in self.read:
                self._note(value)
        for value in self.graph.outputs:
            if value in self.of_steps or is_text(value):
                self._note(value)

    def _note(self, value: ir.Value) -> None:
        name, shape = str(value.name), value.shape
        extents = (
            () if shape is None else tuple(extent if isinstance(extent, int) else OPEN for extent in shape)
        )
        if is_text(value):
            self.steps.ports[name] = Port(name, "text", None, extents)
            return
        if shape is None:
            self._refuse(
                self.of_steps[value],
                f"how many dimensions its output {name!r} has is not known while building",
            )
            raise refusal(self.model, self.refused)
        self.steps.ports[name] = Port(name, "tensor", to_dtype(value.dtype), extents)
