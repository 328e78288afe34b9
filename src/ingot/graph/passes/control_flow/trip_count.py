"""How often a loop runs, if that is known while building."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.passes.tidy.fold import NEVER_FOLDED, is_random
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import static_shape
from ingot.graph.rewrite.look import constant_of, reads
from ingot.ops.facts import Trust

ENDLESS = "nothing ever ends it"
_NOT_EVALUATED = NEVER_FOLDED - {"If"}


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why it is not known how often a loop runs."""

    why: str


def loop_count(model: ir.Model, node: ir.Node, count_max: int) -> int | Unknown:
    """How often the body of a `Loop` runs; `count_max + 1` if that is more than `count_max`.

    The condition may follow from the number of the iteration, constants, and carried values that follow from these.
    """
    trips, begin = node.inputs[0], node.inputs[1] if len(node.inputs) > 1 else None
    first, limit = constant_of(begin), constant_of(trips)
    for value, array in ((begin, first), (trips, limit)):
        if value is not None and array is not None and array.size != 1:
            return Unknown(f"{value.name!r} has the shape {list(array.shape)}; expected one element")
    if first is not None and not first.item():
        return 0
    if trips is not None and trips.name and limit is None:
        return Unknown(
            f"how often it runs is {trips.name!r}, which is only known while running" + how_to_bind(trips)
        )
    if limit is not None and limit.item() <= 0:
        return 0
    if begin is not None and begin.name and first is None:
        return Unknown(
            f"whether it runs is {begin.name!r}, which is only known while running" + how_to_bind(begin)
        )
    highest = count_max + 1 if limit is None else min(int(limit.item()), count_max + 1)
    condition = _Condition(model, node)
    if condition.unknown is not None:
        return Unknown(condition.unknown)
    return condition.count(highest, bounded=limit is not None)


def scan_count(walked: Sequence[ir.Value], axes: Sequence[int]) -> int | Unknown:
    """The number of iterations of a `Scan`, from the shapes of the inputs that it scans.

    Args:
        walked: these inputs.
        axes: the dimension of each along which it walks.
    """
    count = None
    for value, axis in zip(walked, axes, strict=True):
        shape = static_shape(value)
        if shape is None:
            return Unknown(
                f"how often it runs is an extent of {value.name!r}, whose shape is only known while running"
            )
        if not -len(shape) <= axis < len(shape):
            return Unknown(f"it walks along axis {axis} of {value.name!r}, which has the shape {list(shape)}")
        if count is not None and count != shape[axis]:
            return Unknown(f"it walks through inputs of different lengths, {count} and {shape[axis]}")
        count = shape[axis]
    return Unknown("it has no input to walk through") if count is None else count


# What a condition may compute in one iteration, and of how many different shapes its values may be: inference tells that, and
# takes as long as the computation.
_ELEMENTS_MAX, _SHAPES_MAX = 1 << 20, 1 << 12


def _elements(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> int:
    """The elements of all that a model computes from arrays like these; more than _ELEMENTS_MAX if inference cannot tell."""
    given = onnx.ModelProto()
    given.CopyFrom(model)
    try:
        for value in given.graph.input:
            array = feeds[value.name]
            element = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
            value.type.CopyFrom(onnx.helper.make_tensor_type_proto(element, array.shape))
        done = onnx.shape_inference.infer_shapes(given, data_prop=False).graph
    except Exception:  # it raises what it likes
        return _ELEMENTS_MAX + 1
    types = {known.name: known.type.tensor_type for known in (*done.value_info, *done.output)}
    shapes = {name: type_.shape for name, type_ in types.items() if type_.HasField("shape")}
    total = 0
    for name in (name for node in done.node for name in node.output if name):
        if name not in shapes or not all(dim.HasField("dim_value") for dim in shapes[name].dim):
            return _ELEMENTS_MAX + 1
        total += math.prod(dim.dim_value for dim in shapes[name].dim)
    return total


class _Condition:
    """What a loop computes to know whether to go on, as a model of its own."""

    def __init__(self, model: ir.Model, node: ir.Node) -> None:
        body = node.attributes["body"].as_graph()
        self._node = node
        self._inputs = list(body.inputs)
        self._outputs = list(body.outputs)
        self.unknown: str | None = None
        states = {value: number for number, value in enumerate(self._inputs)}
        self._states: list[int] = []  # positions of the body's inputs whose values are followed
        self._counts = False
        needed: dict[ir.Node, None] = {}
        constants: dict[ir.Value, ir.TensorProtocol] = {}
        seen: set[ir.Value] = set()
        front: list[ir.Value] = [self._outputs[0]]
        while front:
            value = front.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in states:
                position = states[value]
                self._counts = self._counts or position == 0
                if position > 1:
                    start = node.inputs[position]
                    if constant_of(start) is None:
                        self._refuse(start)
                        return
                    self._states.append(position)
                    front.append(self._outputs[position - 1])
                continue
            if value.const_value is not None and value.is_initializer() and not value.is_graph_input():
                constants[value] = value.const_value
                continue
            producer = value.producer()
            if (
                producer is None
                or producer.graph is not body
                or producer.op_type in _NOT_EVALUATED
                or said_of(producer).evaluated is not Trust.ALWAYS
                or is_random(producer)
            ):
                self._refuse(value)
                return
            needed[producer] = None
            front += reads(producer)
        self._states.sort()
        self._evaluator = self._evaluator_of(
            model, [inner for inner in body if inner in needed], constants.items()
        )

    def _refuse(self, value: ir.Value | None) -> None:
        name = repr(value.name if value is not None else "")
        self.unknown = f"whether it runs once more depends on {name}, which is only known while running"

    def _evaluator_of(
        self,
        model: ir.Model,
        nodes: Sequence[ir.Node],
        constants: Iterable[tuple[ir.Value, ir.TensorProtocol]],
    ) -> Any:
        outputs = dict.fromkeys(
            str(self._outputs[position].name) for position in (0, *(state - 1 for state in self._states))
        )
        weights = [onnx.numpy_helper.from_array(tensor.numpy(), value.name) for value, tensor in constants]
        graph = onnx.helper.make_graph(
            [ir.to_proto(node) for node in nodes],
            "condition",
            [onnx.helper.make_tensor_value_info(str(value.name), 0, None) for value in self._inputs],
            [onnx.helper.make_tensor_value_info(name, 0, None) for name in outputs],
            weights,
        )
        imports = [
            onnx.helper.make_opsetid(domain, number) for domain, number in sorted(model.opset_imports.items())
        ]
        self._model = onnx.helper.make_model(graph, opset_imports=imports)
        self._small: dict[tuple[tuple[str, tuple[int, ...], str], ...], bool] = {}
        try:
            return evaluator(self._model)
        except Exception:  # an operator that it lacks
            self.unknown = "ONNX's evaluator cannot compute whether it runs once more"
            return None

    def _is_small(self, feeds: Mapping[str, Any]) -> bool:
        """Whether all that is computed from arrays of these shapes is certain to have few elements."""
        shapes = tuple((name, array.shape, str(array.dtype)) for name, array in feeds.items())
        if shapes not in self._small:
            self._small[shapes] = (
                len(self._small) < _SHAPES_MAX and _elements(self._model, feeds) <= _ELEMENTS_MAX
            )
        return self._small[shapes]

    def count(self, highest: int, bounded: bool) -> int | Unknown:
        """How often the body runs, at most `highest`. `bounded`: the loop itself says that it runs no more often."""
        assert self._evaluator is not None
        state = {position: constant_of(self._node.inputs[position]) for position in self._states}
        names = {
            value: str(value.name)
            for value in (self._outputs[0], *(self._outputs[position - 1] for position in self._states))
        }
        wanted = list(dict.fromkeys(names.values()))
        number = 0
        while number < highest:
            feeds: dict[str, Any] = {str(value.name): np.zeros(0, np.float32) for value in self._inputs}
            feeds[str(self._inputs[0].name)] = np.array(number, np.int64)
            feeds[str(self._inputs[1].name)] = np.array(True)
            feeds |= {str(self._inputs[position].name): array for position, array in state.items()}
            if not self._is_small(feeds):
                return Unknown("what tells whether it runs once more may be of any size")
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    results = dict(zip(wanted, self._evaluator.run(wanted, feeds), strict=True))
            except Exception:  # it raises what it likes
                return Unknown("ONNX's evaluator cannot compute whether it runs once more")
            number += 1
            again = np.asarray(results[names[self._outputs[0]]])
            if again.size != 1:
                return Unknown(
                    f"{names[self._outputs[0]]!r} has the shape {list(again.shape)}; expected one element"
                )
            if not again.item():
                return number
            if not self._counts and not self._states:  # it will be the same after every iteration
                return highest if bounded else Unknown(ENDLESS)
            state = {
                position: np.asarray(results[names[self._outputs[position - 1]]]) for position in self._states
            }
        return number
