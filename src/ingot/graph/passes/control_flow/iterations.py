"""The iterations of a loop as nodes: what `Loop` and `Scan` hand to their body, and what becomes of its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.control_flow.trip_count import Unknown, loop_count, scan_count
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.types import domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names, add_constant, add_node
from ingot.graph.rewrite.clone import copy_nodes
from ingot.graph.rewrite.look import constant_of, count_nodes, reads, subgraphs
from ingot.graph.rewrite.replace import give_result


@dataclass(frozen=True, slots=True)
class LoopForm:
    """What `Loop` and `Scan` have in common. `states` are the first carried values, `walked` what is walked through along
    `axes_in`, from the end where `backward_in` says so; the values of the body come after: what stands for these inputs, what is
    carried on and what is stacked, along `axes_out`. `number` and `goes_on` are inputs of the body of a `Loop`.
    """

    states: Sequence[ir.Value]
    formal_states: Sequence[ir.Value]
    next_states: Sequence[ir.Value]
    walked: Sequence[ir.Value] = ()
    formal_parts: Sequence[ir.Value] = ()
    axes_in: Sequence[int] = ()
    backward_in: Sequence[int] = ()
    rows: Sequence[ir.Value] = ()
    axes_out: Sequence[int] = ()
    backward_out: Sequence[int] = ()
    number: ir.Value | None = None
    goes_on: ir.Value | None = None


class Iterations:
    """One loop whose body is put before it as often as it runs. `write` is called once, after `count` gave a number."""

    is_exact = True  # whether `count` is right also where it is more than was asked for

    def __init__(self, model: ir.Model, node: ir.Node, names: Names) -> None:
        self.model, self.node, self.names = model, node, names
        self.graph = model.graph
        self.body = node.attributes["body"].as_graph()
        self.version = opset_of(model)
        self._results = list(self.body.outputs)
        self._live = live_nodes(self.body, self._results[self._first_result :])
        self._numbers: dict[int, ir.Value] = {}
        self._expanded: dict[int, ir.Value] = {}

    @property
    def _first_result(self) -> int:
        """The first output of the body that lives on."""
        return 0

    @property
    def live(self) -> Sequence[ir.Node]:
        """The nodes of the body that its results need, in order."""
        return self._live

    def form(self) -> LoopForm | None:
        """The loop in words for both kinds; None where it has no such form."""
        raise NotImplementedError

    @property
    def nodes_each(self) -> int:
        """The nodes that one iteration becomes; a loop inside it is one node, with those of its body."""
        return sum(1 + sum(map(count_nodes, subgraphs(node))) for node in self._live)

    @property
    def nodes_in_the_end(self) -> int:
        """As `nodes_each`, the loops inside it written out as far as their counts are known."""
        return sum(map(written_out, self._live))

    def count(self, limit: int) -> int | Unknown:
        """How often the body runs; where `is_exact` is not, at most `limit + 1`."""
        raise NotImplementedError

    def write(self) -> None:
        """Puts the iterations before the node and lets everybody read their results."""
        raise NotImplementedError

    def _expect(self, role: str, got: int, expected: int) -> None:
        if got != expected:
            raise ModelError(
                f"model {self.graph.name!r}: node {self.node.name} ({self.node.op_type}): its body has {got} {role}, "
                f"expected {expected}",
                node=self.node.name,
            )

    def _iteration(self, name: str, inputs: Sequence[ir.Value | None]) -> list[ir.Value]:
        """One copy of the body. Returns what stands for the body's outputs."""
        known = {
            formal: actual
            for formal, actual in zip(self.body.inputs, inputs, strict=True)
            if actual is not None
        }
        self.graph.insert_before(
            self.node, copy_nodes(self._live, known, f"{self.node.name}/{name}/", self.names)
        )
        return [known.get(value, value) for value in self._results]

    def _number(self, number: int) -> ir.Value:
        """A scalar int64."""
        if number not in self._numbers:
            array = np.array(number, np.int64)
            self._numbers[number] = add_constant(self.graph, self.names, f"{self.node.name}/{number}", array)
        return self._numbers[number]

    def _node(self, op_type: str, inputs: Sequence[ir.Value], name: str, **integers: int) -> ir.Value:
        attributes = [ir.AttrInt64(key, number) for key, number in integers.items()]
        return add_node(
            self.graph, self.node, op_type, inputs, self.names.free(f"{self.node.name}/{name}"), attributes
        )

    def _slice(self, value: ir.Value, axis: int, number: int) -> ir.Value:
        return self._node("Gather", [value, self._number(number)], f"{value.name}.{number}", axis=axis)

    def _stacked(
        self, parts: Sequence[ir.Value], axis: int, output: ir.Value, like: ir.Value
    ) -> ir.Value | None:
        """Parts along a new axis, None if nobody wants them. Of no parts, an empty tensor of the type of the output."""
        if not output.uses() and not output.is_graph_output():
            return None
        name = output.name or "stacked"
        if not parts:
            return self._empty(axis, output, like)
        expanded = []
        for number, part in enumerate(parts):
            if self.version >= 13:
                axes = [part, self._axes(axis)]
                expanded.append(self._node("Unsqueeze", axes, f"{name}.{number}"))
            else:
                at = [ir.AttrInt64s("axes", [axis])]
                wanted = self.names.free(f"{self.node.name}/{name}.{number}")
                expanded.append(add_node(self.graph, self.node, "Unsqueeze", [part], wanted, at))
        return self._node("Concat", expanded, f"{name}.whole", axis=axis)

    def _axes(self, axis: int) -> ir.Value:
        if axis not in self._expanded:
            array = np.array([axis], np.int64)
            self._expanded[axis] = add_constant(self.graph, self.names, f"{self.node.name}/axes{axis}", array)
        return self._expanded[axis]

    def _empty(self, axis: int, output: ir.Value, like: ir.Value) -> ir.Value:
        dtype = output.dtype or like.dtype
        shape: list[int] | None = None
        if output.shape is not None:
            shape = [extent if isinstance(extent, int) else 0 for extent in output.shape]
        elif like.shape is not None:
            shape = [extent if isinstance(extent, int) else 0 for extent in like.shape]
            shape.insert(axis % (len(shape) + 1), 0)
        if dtype is None or shape is None:
            raise ModelError(
                f"model {self.graph.name!r}: node {self.node.name} ({self.node.op_type}): it never runs, so what it gives as "
                f"{output.name!r} is empty, but the model does not say of which type and rank; state it in the model",
                node=self.node.name,
            )
        shape[axis] = 0
        return add_constant(
            self.graph, self.names, f"{self.node.name}/{output.name}.empty", np.zeros(shape, dtype.numpy())
        )

    def _finish(self, results: Sequence[ir.Value | None]) -> None:
        for old, new in zip(tuple(self.node.outputs), results, strict=True):
            if old.name and new is not None:
                give_result(self.graph, self.node, old, new)


class LoopIterations(Iterations):
    """`Loop`: carried values, and outputs that are stacked along a new first axis."""

    is_exact = False

    def __init__(self, model: ir.Model, node: ir.Node, names: Names) -> None:
        super().__init__(model, node, names)
        self._states = list(node.inputs[2:])
        self._expect("inputs", len(self.body.inputs), 2 + len(self._states))
        self._expect("outputs", len(self._results), 1 + len(node.outputs))

    @property
    def _first_result(self) -> int:
        return 1

    def count(self, limit: int) -> int | Unknown:
        self._count = loop_count(self.model, self.node, limit)
        return self._count

    def form(self) -> LoopForm | None:
        states = [value for value in self._states if value is not None]
        kept, inputs = len(self._states), list(self.body.inputs)
        if len(states) < kept:
            return None
        rows = self._results[1 + kept :]
        zeros = [0] * len(rows)
        return LoopForm(
            states,
            inputs[2:],
            self._results[1 : 1 + kept],
            rows=rows,
            axes_out=zeros,
            backward_out=zeros,
            number=inputs[0],
            goes_on=inputs[1],
        )

    def write(self) -> None:
        states, kept = list(self._states), len(self._states)
        scans: list[list[ir.Value]] = [[] for _ in self._results[1 + kept :]]
        assert isinstance(self._count, int)
        numbered, asked = (bool(value.uses() or value.is_graph_output()) for value in self.body.inputs[:2])
        true = (
            add_constant(self.graph, self.names, f"{self.node.name}/true", np.array(True))
            if asked and self._count
            else None
        )
        for number in range(self._count):
            counter = self._number(number) if numbered else None
            _, *results = self._iteration(str(number), [counter, true, *states])
            states[:] = results[:kept]
            for scan, value in zip(scans, results[kept:], strict=True):
                scan.append(value)
        wholes = [
            self._stacked(parts, 0, output, like)
            for parts, output, like in zip(
                scans, self.node.outputs[kept:], self._results[1 + kept :], strict=True
            )
        ]
        self._finish([*states, *wholes])


class ScanIterations(Iterations):
    """`Scan`: carried values, inputs that are walked through, outputs that are stacked, along any axes.

    In opset 8 everything has a batch in front, each of whose members is walked through by itself, as far as it is long; what
    is behind its end is zeros.
    """

    def __init__(self, model: ir.Model, node: ir.Node, names: Names) -> None:
        super().__init__(model, node, names)
        self._is_batched = self.version < 9
        given = list(node.inputs[1:] if self._is_batched else node.inputs)
        if any(value is None for value in given):
            raise ModelError(
                f"model {self.graph.name!r}: node {node.name} (Scan): one of its inputs is missing",
                node=node.name,
            )
        self._expect("inputs", len(self.body.inputs), len(given))
        self._expect("outputs", len(self._results), len(node.outputs))
        number = node.attributes.get_int("num_scan_inputs", 0)
        self._kept = len(given) - number
        self._states = [value for value in given[: self._kept] if value is not None]
        self._walked = [value for value in given[self._kept :] if value is not None]
        stacked = len(node.outputs) - self._kept
        self._axes_in = self._list("scan_input_axes", number)
        self._axes_out = self._list("scan_output_axes", stacked)
        self._backward_in = self._list("directions" if self._is_batched else "scan_input_directions", number)
        self._backward_out = self._list("scan_output_directions", stacked)
        self._lengths: list[int] = []  # of each member of the batch

    def _list(self, name: str, expected: int) -> list[int]:
        attribute = self.node.attributes.get(name)
        numbers = [0] * expected if attribute is None else list(attribute.as_ints())
        if len(numbers) != expected:
            raise ModelError(
                f"model {self.graph.name!r}: node {self.node.name} (Scan): its attribute {name} has {len(numbers)} numbers, "
                f"expected {expected}",
                node=self.node.name,
            )
        return numbers

    def form(self) -> LoopForm | None:
        if self._is_batched:
            return None
        inputs, kept = list(self.body.inputs), self._kept
        return LoopForm(
            self._states,
            inputs[:kept],
            self._results[:kept],
            self._walked,
            inputs[kept:],
            self._axes_in,
            self._backward_in,
            self._results[kept:],
            self._axes_out,
            self._backward_out,
        )

    @property
    def nodes_each(self) -> int:
        return super().nodes_each + len(self._walked) + len(self.node.outputs) - self._kept

    def count(self, limit: int) -> int | Unknown:  # noqa: ARG002
        longest = scan_count(self._walked, [1] * len(self._walked) if self._is_batched else self._axes_in)
        if isinstance(longest, Unknown):
            return longest
        self._longest, self._lengths = longest, [longest]
        if not self._is_batched:
            return longest
        batch = scan_count(self._walked, [0] * len(self._walked))
        if isinstance(batch, Unknown):
            return batch
        lengths = self.node.inputs[0]
        known = (
            np.full(batch, longest, np.int64) if lengths is None or not lengths.name else constant_of(lengths)
        )
        if known is None:
            why = (
                f"how often it runs is {lengths.name if lengths else ''!r}, which is only known while running"
            )
            return Unknown(why + how_to_bind(lengths))
        if known.shape != (batch,) or (batch and not 0 <= known.min() <= known.max() <= longest):
            return Unknown(f"its lengths are {known.tolist()}, expected {batch} from 0 to {longest}")
        self._lengths = [int(length) for length in known]
        return sum(self._lengths)

    def write(self) -> None:
        outputs, likes = self.node.outputs[self._kept :], self._results[self._kept :]
        if not self._is_batched:
            states, scans = self._walk("", self._states, self._walked, self._longest)
            wholes = [
                self._stacked(parts[::-1] if backward else parts, axis, output, like)
                for parts, axis, backward, output, like in zip(
                    scans, self._axes_out, self._backward_out, outputs, likes, strict=True
                )
            ]
            self._finish([*states, *wholes])
            return
        last: list[list[ir.Value]] = [[] for _ in self._states]
        members: list[list[ir.Value]] = [[] for _ in outputs]
        for member, length in enumerate(self._lengths):
            states = [self._slice(value, 0, member) for value in self._states]
            walked = [self._slice(value, 0, member) for value in self._walked]
            states, scans = self._walk(f"{member}.", states, walked, length)
            for rows, value in zip(last, states, strict=True):
                rows.append(value)
            for rows, parts, output, like in zip(members, scans, outputs, likes, strict=True):
                zeros = [self._zeros(output)] * (self._longest - length) if length < self._longest else []
                whole = self._stacked([*parts, *zeros], 0, output, like) if self._longest else None
                rows.extend([] if whole is None else [whole])
        results = list(zip([*last, *members], self.node.outputs, self._results, strict=True))
        stacked = [self._stacked(parts, 0, output, like) for parts, output, like in results[: self._kept]]
        # Of no steps at all every member is empty, and there are as many as ever.
        whole_batch = [
            self._stacked(parts, 0, output, like)
            if parts or not self._lengths
            else self._no_steps(output, like)
            for parts, output, like in results[self._kept :]
        ]
        self._finish([*stacked, *whole_batch])

    def _no_steps(self, output: ir.Value, like: ir.Value) -> ir.Value | None:
        """What the batch gives of no steps: nothing, behind the dimension of its members."""
        if not output.uses() and not output.is_graph_output():
            return None
        if output.shape is None and like.shape is not None:
            output.shape = ir.Shape([len(self._lengths), 0, *like.shape])
        return self._empty(1, output, like)

    def _zeros(self, output: ir.Value) -> ir.Value:
        """What is behind the end of a member of the batch."""
        shape = static_shape(output)
        if shape is None or output.dtype is None:
            raise ModelError(
                f"model {self.graph.name!r}: node {self.node.name} (Scan): behind the end of a sequence its output "
                f"{output.name!r} is zeros, of a shape that is not known while building; state it in the model",
                node=self.node.name,
            )
        zeros = np.zeros(shape[2:], output.dtype.numpy())
        return add_constant(self.graph, self.names, f"{self.node.name}/{output.name}.zeros", zeros)

    def _walk(
        self, prefix: str, states: list[ir.Value], walked: Sequence[ir.Value], count: int
    ) -> tuple[list[ir.Value], list[list[ir.Value]]]:
        """All iterations. Returns the carried values and, for each stacked output, its parts."""
        scans: list[list[ir.Value]] = [[] for _ in self._results[self._kept :]]
        for number in range(count):
            parts = [
                self._slice(value, axis, count - 1 - number if backward else number)
                for value, axis, backward in zip(walked, self._axes_in, self._backward_in, strict=True)
            ]
            results = self._iteration(f"{prefix}{number}", [*states, *parts])
            states = results[: self._kept]
            for scan, value in zip(scans, results[self._kept :], strict=True):
                scan.append(value)
        return states, scans


def is_loop(node: ir.Node) -> bool:
    """Whether a node is a `Loop` or a `Scan`."""
    return node.op_type in ("Loop", "Scan") and not domain_of(node.domain)


def iterations_of(model: ir.Model, node: ir.Node, names: Names) -> Iterations:
    """The iterations of a loop at the top of a model."""
    return (LoopIterations if node.op_type == "Loop" else ScanIterations)(model, node, names)


def written_out(node: ir.Node) -> int:
    """A lower bound of the nodes that a node becomes once all loops inside it are unrolled; 1 for a node without a subgraph."""
    times = _known_count(node) if is_loop(node) else 1
    return 1 + times * sum(written_out(inner) for graph in subgraphs(node) for inner in graph)


def _known_count(node: ir.Node) -> int:
    """How often the body of a loop runs if constants and shapes tell that; else 1."""
    if node.op_type == "Scan":
        number = node.attributes.get_int("num_scan_inputs", 0)
        walked = [value for value in node.inputs[len(node.inputs) - number :] if value is not None]
        axes = node.attributes.get("scan_input_axes")
        count = scan_count(walked, [0] * len(walked) if axes is None else list(axes.as_ints()))
        return 1 if isinstance(count, Unknown) else count
    body = node.attributes["body"].as_graph()
    trips, begin = constant_of(node.inputs[0]), node.inputs[1] if len(node.inputs) > 1 else None
    first = constant_of(begin)
    if (
        trips is None
        or trips.size != 1
        or (begin is not None and begin.name and (first is None or not first.all()))
    ):
        return 1
    again, asked = body.outputs[0], body.inputs[1]
    producer = again.producer()
    goes_on = again is asked or (
        producer is not None and producer.op_type == "Identity" and producer.inputs[0] is asked
    )
    return max(1, int(trips.item())) if goes_on else 1


def live_nodes(body: ir.Graph, results: Sequence[ir.Value]) -> list[ir.Node]:
    """The nodes of a body that its results need, in order."""
    wanted = set(results)
    live = []
    for node in reversed(list(body)):
        if not wanted.isdisjoint(node.outputs):
            live.append(node)
            wanted.update(reads(node))
    return live[::-1]
