"""Lowers a checked ONNX model to a `Draft`: the last place where ONNX is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import onnx_ir as ir

from ingot.artifact.model_info import CHECK_STATUS
from ingot.base.defects import defects_named
from ingot.base.errors import IngotError, InternalError, ModelError, UnsupportedError
from ingot.base.tensor import TensorType
from ingot.graph.operator_table import OperatorTable, why_no_operator
from ingot.graph.passes.control_flow.kept import ITERATIONS_MAX, Kept, KeptBranch, KeptLoop, kept_of
from ingot.graph.passes.tidy.shapes import inferred_types
from ingot.graph.place import placed_node
from ingot.graph.read.carried import carried_constant, packed, pairs, part, stored, unpacked
from ingot.graph.read.damage import FAULTS
from ingot.graph.read.deciders import how_to_bind, what_to_do
from ingot.graph.read.ends import CONTROL
from ingot.graph.read.types import (
    CHOICE,
    COUNTS,
    RUNS,
    domain_of,
    opset_of,
    static_shape,
    to_array,
    to_attribute,
    to_dtype,
    to_tensor_type,
    unsupported_type,
)
from ingot.graph.refused import Refused, refusal
from ingot.kernels.check import check_template
from ingot.kernels.template import Pointwise, Reshape, pointwise
from ingot.ops.arguments import lowered
from ingot.ops.opdef import POSITIONS, Checked, Emitted, Emitter, OpCall, OpDef, Tensor
from ingot.plan.program import HOST, Check, Choice, Draft, Opaque, Repeat, Step
from ingot.plan.regions import ModelRegion


@defects_named("lowering the graph", *FAULTS)
def lower(
    model: ir.Model,
    operators: Sequence[OpDef],
    keys: Mapping[str, str] | None = None,
    opaque: Collection[str] = (),
    regions: Mapping[str, ModelRegion] | None = None,
) -> Draft:
    """Lowers every node by its operator's definition.

    Args:
        model: as `graph.read.read` and the passes leave it: types inferred, every node and value named, no functions.
        operators: the definitions to choose from.
        keys: the target key of each node, by its name; a node that is not in it is on the host.
        opaque: target keys that compute a node as a whole: it needs no definition, but its types must be known.
        regions: what nodes of such keys are calls of, by their names.

    Raises:
        UnsupportedError: lists every node that cannot be compiled (`facts["nodes"]` has them as `Refused`).
        InternalError: a definition gave a result of another type than the model states.
    """
    return _Lowering(model, OperatorTable(operators), keys or {}, opaque, regions=regions or {}).draft()


@dataclass(slots=True)
class _Lowering:
    model: ir.Model
    table: OperatorTable
    keys: Mapping[str, str]
    opaque: Collection[str]
    values: dict[str, Tensor] = field(default_factory=dict)
    # Values that follow from a refused node, so that only the cause is reported.
    lost: set[str] = field(default_factory=set)
    refused: list[Refused] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    # What stands before the dot in the values' names that end as an emitter's do, such as `a` of `a.12`.
    numbered: set[str] = field(default_factory=set)
    # Of complex values, beside `values`, which has the real parts.
    imaginary: dict[str, Tensor] = field(default_factory=dict)
    # Values that are made of others when a node reads the first of them: definition, and what it is applied to.
    waiting: dict[str, tuple[Pointwise, str]] = field(default_factory=dict)
    outside: dict[str, TensorType] = field(default_factory=dict)
    counts: bool = False  # whether a node counts places while running
    checks: list[Check] = field(default_factory=list)
    checks_before: int = 0  # those of the models around this one
    regions: Mapping[str, ModelRegion] = field(default_factory=dict)
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.kept = kept_of(self.model)

    def draft(self, refused: list[Refused] | None = None) -> Draft:
        """What the model becomes. `refused` gets what cannot be compiled, of a model inside of another one; else that is
        raised.
        """
        graph = self.model.graph
        self._take_names()
        self.counts = any(COUNTS in node.metadata_props for node in graph)
        inputs = [value for value in graph.inputs if value.name not in graph.initializers]
        for value in inputs:
            self._input(value)
        for value in graph.initializers.values():
            self._initializer(value)
        for node in graph:
            self._node(node)
        if self.refused and refused is not None:
            refused += self.refused
            raise UnsupportedError("")
        if self.refused:
            raise refusal(self.model, self.refused)
        outputs = self._outputs()
        used = {name for step in self.steps for name in step.inputs}
        constants = {name: array for name, array in self.constants.items() if name in used}
        names = tuple(_name(value) for value in inputs)
        kept = {*names, *constants, *(name for step in self.steps for name in step.outputs)}
        types = {name: type_ for name, type_ in self.types.items() if name in kept}
        return Draft(
            graph.name or "model",
            types,
            constants,
            names,
            outputs,
            self._checks_first(names),
            self.outside,
            checks=tuple(self.checks),
        )

    def _checks_first(self, inputs: Sequence[str]) -> tuple[Step, ...]:
        """The steps, those before all others that check inputs: a run that they end has changed no state."""
        statuses, ready = {check.status for check in self.checks}, {*inputs, *self.constants}
        first = [step for step in self.steps if step.outputs[0] in statuses and ready.issuperset(step.inputs)]
        return (*first, *(step for step in self.steps if step not in first))

    def _take_names(self) -> None:
        graph = self.model.graph
        self.taken.update(_name(value) for value in (*graph.inputs, *graph.initializers.values()))
        self.taken.update(_name(value) for node in graph for value in node.outputs if value.name)
        parts = (name.rpartition(".") for name in self.taken)
        self.numbered.update(prefix for prefix, dot, number in parts if dot and number.isdecimal())

    def _input(self, value: ir.Value) -> None:
        why = unsupported_type(value)
        type_ = to_tensor_type(value)
        if why is not None or type_ is None:
            self.lost.add(_name(value))
            reason = why or f"its shape {value.shape} is not known while building"
            self.refused.append(Refused(_name(value), "", "graph input", opset_of(self.model, ""), reason))
            return
        if not type_.dtype.is_carried:
            self._add(Tensor(_name(value), type_))
            return
        self.outside[_name(value)], self.types[_name(value)] = type_, type_.stored
        self._take_in(_name(value), type_)

    def _initializer(self, value: ir.Value) -> None:
        tensor = value.const_value
        assert tensor is not None
        dtype = to_dtype(tensor.dtype)
        if dtype is None:
            return  # reported by the nodes that read it
        array = to_array(tensor)
        if not dtype.is_carried:
            self._add(Tensor(_name(value), TensorType(dtype, array.shape), array))
            return
        type_ = TensorType(dtype, array.shape)
        self.constants[_name(value)], self.types[_name(value)] = stored(array, dtype), type_.stored
        self._take_in(_name(value), type_, array)

    def _take_in(self, name: str, type_: TensorType, array: np.ndarray | None = None) -> None:
        """Makes the values that kernels compute with of an input or constant that is stored in another form."""
        dtype, known = (
            type_.dtype,
            [None if array is None else carried_constant(array, type_.dtype, number) for number in (0, 1)],
        )
        if type_.stored == type_.carried:
            self.values[name] = Tensor(name, type_.carried, known[0], dtype)
        elif dtype.is_complex:
            for number, (where, component) in enumerate(
                ((self.values, "real"), (self.imaginary, "imaginary"))
            ):
                where[name] = Tensor(self._unused(f"{name}.{component}"), type_.carried, known[number], dtype)
                self.waiting[where[name].name] = (part(type_, number), name)
        else:
            self.values[name] = Tensor(self._unused(f"{name}.unpacked"), type_.carried, known[0], dtype)
            self.waiting[self.values[name].name] = (unpacked(type_), name)

    def _unused(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _require(self, tensor: Tensor, nodes: tuple[str, ...], key: str) -> None:
        """Before a step reads a value: makes it, if it is one that waits for that."""
        if tensor.name in self.waiting and tensor.name not in self.types:
            definition, source = self.waiting[tensor.name]
            self.steps.append(Step(definition, (source,), (tensor.name,), nodes, key))
            self.types[tensor.name] = tensor.type
        elif tensor.constant is not None and tensor.name not in self.types:
            self.types[tensor.name], self.constants[tensor.name] = tensor.type, tensor.constant

    def _add(self, tensor: Tensor) -> None:
        self.values[tensor.name] = tensor
        self.types[tensor.name] = tensor.type
        if tensor.constant is not None:
            self.constants[tensor.name] = tensor.constant

    def _node(self, node: ir.Node) -> None:
        why = self._why_not(node)
        if why is None and any(value.name in self.lost for value in node.inputs if value is not None):
            why = ""  # follows from a node that was reported
        if why is None:
            try:
                self._lower(node)
            except UnsupportedError as error:
                operator = self.table.find(node.domain, node.op_type, opset_of(self.model, node.domain))
                takes_open = operator is not None and operator.takes_open
                why = error.message + what_to_do(node, error.facts.get(POSITIONS), takes_open=takes_open)
        if why is not None:
            if why:
                self.refused.append(self._refused(node, why))
            self.lost.update(value.name for value in node.outputs if value.name)

    def _refused(self, node: ir.Node, why: str) -> Refused:
        domain = domain_of(node.domain)
        return Refused(node.name or "", domain, node.op_type, opset_of(self.model, domain), why)

    def _why_not(self, node: ir.Node) -> str | None:
        version = opset_of(self.model, node.domain)
        if self.kept.of(node) is not None:
            return None
        known = self.table.find(node.domain, node.op_type, version) is not None or _is_identity(node)
        if not known and not self._is_opaque(node):
            return why_no_operator(self.table, node, version)
        if (why := self._why_not_carried(node)) is not None:
            return why
        for value in node.inputs:
            if value is not None and (why := unsupported_type(value)) is not None:
                return f"input {value.name!r}: {why}"
        for value in node.outputs:
            if (why := unsupported_type(value)) is not None:
                return f"output {value.name!r}: {why}"
        if any(
            attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)
            for attribute in node.attributes.values()
        ):
            return "a control flow operator: its branches depend on values that are only known while running"
        if CHOICE in node.metadata_props:
            return _why_no_choice(node)
        return None

    def _why_not_carried(self, node: ir.Node) -> str | None:
        """Why the node cannot have values of a type in which kernels do not compute."""
        dtypes = [to_dtype(value.dtype) for value in (*node.inputs, *node.outputs) if value is not None]
        carried = [dtype for dtype in dtypes if dtype is not None and dtype.is_carried]
        if not carried or _is_identity(node):
            return None
        operator = self.table.find(node.domain, node.op_type, opset_of(self.model, node.domain))
        if self._is_opaque(node) or operator is None:
            return f"its target computes whole nodes, and takes no {carried[0].value}"
        reduction = node.attributes.get_string("reduction", "none")
        if operator.moves and reduction == "none":
            return None
        if operator.reads_element and not any(dtype.is_complex for dtype in carried):
            return None
        return f"{carried[0].value} can be converted and moved, and this operator computes with it"

    def _lower(self, node: ir.Node) -> None:
        if _is_identity(node):
            given, result = _name(_only_input(node)), _name(node.outputs[0])
            self.values[result] = self.values[given]
            if given in self.imaginary:
                self.imaginary[result] = self.imaginary[given]
            return
        kept = self.kept.of(node)
        if kept is not None:
            self._lower_kept(node, kept)
            return
        if self._is_opaque(node):
            self._lower_opaque(node)
            return
        operator = self.table.find(node.domain, node.op_type, opset_of(self.model, node.domain))
        assert operator is not None
        self._apply(node, operator, self.values, "")
        dtypes = (to_dtype(value.dtype) for value in (*node.inputs, *node.outputs) if value is not None)
        if any(dtype is not None and dtype.is_complex for dtype in dtypes):
            self._apply(node, operator, {**self.values, **self.imaginary}, ".imaginary")

    def _apply(self, node: ir.Node, operator: OpDef, values: Mapping[str, Tensor], suffix: str) -> None:
        """Lowers a node by its definition; with a suffix, for the imaginary parts of its complex values."""
        name = node.name or node.op_type
        call = OpCall(
            domain=domain_of(node.domain),
            op_type=node.op_type,
            version=opset_of(self.model, node.domain),
            name=name,
            inputs=_operands(node, operator, values),
            outputs=tuple(_stated(value, position) for position, value in enumerate(node.outputs)),
            attributes={key: to_attribute(attribute) for key, attribute in node.attributes.items()},
            counts=COUNTS in node.metadata_props,
        )
        emit = Emitter(self._prefix(name + suffix), keeps_steps=self.counts)
        try:
            results = tuple(lowered(operator, call, emit))
        except IngotError:
            raise
        except MemoryError:
            raise UnsupportedError(
                "what it prepares while building does not fit into this machine's memory"
            ) from None
        except Exception as error:
            raise InternalError(
                f"node {name} ({node.op_type}): its lowering failed: {type(error).__name__}: {error}",
                node=name,
            ) from error
        self._check(node, call, results)
        if not suffix:
            self._keep_checks(call, emit.checks)
        self._keep(node, emit.emitted, results, suffix)

    def _is_opaque(self, node: ir.Node) -> bool:
        return self.keys.get(node.name or "", HOST) in self.opaque

    def _lower_opaque(self, node: ir.Node) -> None:
        inputs = [self.values[_name(value)] for value in node.inputs if value is not None and value.name]
        for tensor in inputs:
            self._require(tensor, (node.name or node.op_type,), self.keys[node.name or ""])
        outputs = [value for value in node.outputs if value.name]
        types = []
        for value in outputs:
            type_ = to_tensor_type(value)
            if type_ is None:
                raise UnsupportedError(
                    f"the type of output {value.name!r} is not known while building; state it in the model"
                )
            types.append(type_)
        name = node.name or node.op_type
        region = self.regions.get(name)
        operands = tuple(tensor.type for tensor in inputs)
        definition = Opaque(operands, tuple(types), name, placed_node(node), region)
        names = tuple(map(_name, outputs))
        nodes = (name,) if region is None else tuple(each.name for each in region.nodes)
        self.steps.append(
            Step(definition, tuple(tensor.name for tensor in inputs), names, nodes, self.keys[name])
        )
        for output, type_ in zip(names, types, strict=True):
            self._add(Tensor(output, type_))

    def _lower_kept(self, node: ir.Node, kept: KeptLoop | KeptBranch) -> None:
        """A loop or a branch: one step, with what is inside lowered by itself."""
        name = node.name or node.op_type
        drafts = []
        for model in kept.models:
            inside = _Lowering(model, self.table, {}, (), checks_before=len(self.checks))
            drafts.append(inside.draft(self.refused))
            self.checks += inside.checks
        tensors = [self.values[_name(value)] for value in node.inputs if value is not None]
        for tensor in tensors:
            self._require(tensor, (name,), HOST)
        if isinstance(kept, KeptLoop):
            definition: Repeat | Choice = Repeat(
                name,
                drafts[0],
                kept.carried,
                kept.walked,
                kept.stacked,
                min(kept.count_max, ITERATIONS_MAX) if kept.may_be_endless else kept.count_max,
                kept.has_trips,
                kept.has_begin,
                kept.has_condition,
                self._check_of_end(name, kept),
            )
        else:
            definition = Choice(name, *drafts)
        results = [value for value in node.outputs if value.name]
        inputs = tuple(tensor.name for tensor in tensors)
        self.steps.append(Step(definition, inputs, tuple(map(_name, results)), (name,), HOST))
        for value in results:
            type_ = to_tensor_type(value)
            assert type_ is not None
            self._add(Tensor(_name(value), type_))

    def _check_of_end(self, name: str, kept: KeptLoop) -> int:
        """The status of a run in which a loop does not end, or goes on behind its bound; 0 of one that does neither."""
        if not kept.may_be_endless and not kept.bound:
            return 0
        status = CHECK_STATUS - self.checks_before - len(self.checks)
        operand, role = (kept.bound, "runs") if kept.bound else (name, "end")
        expected = kept.count_max if kept.bound else ITERATIONS_MAX
        self.checks.append(Check(name, name, "Loop", operand, role, f"at most {expected} iterations"))
        return status

    def _prefix(self, name: str) -> str:
        """A prefix with which no value's name begins in the way that an emitter names its values."""
        prefix = name
        while prefix in self.taken or prefix in self.numbered:
            prefix += "_"
        self.taken.add(prefix)
        return prefix

    def _check(self, node: ir.Node, call: OpCall, results: tuple[Tensor, ...]) -> None:
        for position, value in enumerate(node.outputs):
            if not value.name:
                continue
            if position >= len(results):
                if value.uses() or value.is_graph_output():
                    raise UnsupportedError(f"output {position} ({value.name}) is not implemented")
                continue
            stated, type_ = call.outputs[position], results[position].type
            if stated is not None and stated != type_:
                if not _is_inferred(node, value, call.version):
                    raise ModelError(
                        f"model {self.model.graph.name!r}: node {node.name} ({node.op_type}): its output {value.name!r} is "
                        f"{type_}, and the model says that it is {stated}",
                        node=node.name,
                    )
                raise InternalError(
                    f"node {node.name} ({node.op_type}): output {value.name!r} is {stated} in the model, "
                    f"but its lowering made {type_}",
                    node=node.name,
                    stated=stated,
                    made=type_,
                )

    def _keep_checks(self, call: OpCall, checks: Sequence[Checked]) -> None:
        """Checks are steps of the host, whichever target computes the node: a status is what its calls give."""
        for checked in checks:
            for tensor in checked.operands:
                self._require(tensor, (call.name,), HOST)
            status = CHECK_STATUS - self.checks_before - len(self.checks)
            types = [tensor.type for tensor in checked.operands]
            template = check_template(types, checked.holds, status, checked.expected)
            name = self._unused(f"{call.name}.check")
            operands = tuple(tensor.name for tensor in checked.operands)
            self.types[name] = template.outputs[0]
            self.steps.append(Step(template, operands, (name,), (call.name,), HOST))
            of = _checked_node(call)
            operand = call.attr("operand", operands[0]) if call.domain == CONTROL else operands[0]
            self.checks.append(Check(name, *of, operand, checked.role, checked.expected))

    def _keep(
        self, node: ir.Node, emitted: Sequence[Emitted], results: tuple[Tensor, ...], suffix: str
    ) -> None:
        own = {tensor.name for entry in emitted for tensor in entry.outputs}
        pairs_ = zip(node.outputs, results, strict=False)
        kept = [
            (value, result) for value, result in pairs_ if value.name and (not suffix or _is_complex(value))
        ]
        names: dict[str, str] = {}
        for value, result in kept:
            if result.name in own and result.name not in names:
                names[result.name] = self._unused(f"{value.name}{suffix}") if suffix else _name(value)
        nodes, key = (node.name or node.op_type,), self.keys.get(node.name or "", HOST)
        for entry in emitted:
            for tensor in entry.inputs:
                self._require(tensor, nodes, key)
            inputs, outputs = (
                tuple(names.get(tensor.name, tensor.name) for tensor in tensors)
                for tensors in (entry.inputs, entry.outputs)
            )
            self.types.update(
                (name, tensor.type) for name, tensor in zip(outputs, entry.outputs, strict=True)
            )
            self.steps.append(Step(entry.definition, inputs, outputs, nodes, key))
        for value, result in kept:
            dtype = to_dtype(value.dtype)
            meant = dtype if dtype is not None and dtype.is_carried else None
            tensor = Tensor(names.get(result.name, result.name), result.type, result.constant, meant)
            (self.imaginary if suffix else self.values)[_name(value)] = tensor

    def _outputs(self) -> tuple[str, ...]:
        """Gives every graph output a value of its own, written by a step."""
        written = {name for step in self.steps for name in step.outputs}
        outputs: list[str] = []
        for value in self.model.graph.outputs:
            wanted = _name(value)
            tensor = self.values.get(wanted)
            if tensor is None:
                raise ModelError(f"graph output {wanted!r} is not computed by any node", value=wanted)
            type_ = TensorType(tensor.element, tensor.shape)
            name = wanted
            if (
                type_.stored != tensor.type
                or tensor.name not in written
                or tensor.name != wanted
                or wanted in outputs
            ):
                while name in self.types or name in outputs:
                    name += "_"
                self._give_out(wanted, name, tensor)
            if type_.dtype.is_carried:
                self.outside[name] = type_
            outputs.append(name)
            written.add(name)
        return tuple(outputs)

    def _give_out(self, wanted: str, name: str, tensor: Tensor) -> None:
        """Writes a graph output as a value of its own, in the form in which it is stored."""
        type_, nodes, given = TensorType(tensor.element, tensor.shape), (f"output {wanted}",), [tensor]
        definition = pointwise([tensor.type], tensor.type, lambda where, read: read(*where), "copy")
        if type_.dtype.is_complex:
            definition, given = pairs(type_), [tensor, self.imaginary[wanted]]
        for source in given:
            self._require(source, nodes, HOST)
        key = (
            HOST
            if type_.stored == tensor.type
            else next(step.key for step in self.steps if tensor.name in step.outputs)
        )
        if type_.dtype.is_packed:
            definition = packed(type_)
            flat = Tensor(self._unused(f"{wanted}.flat"), definition.inputs[0].type)
            self.steps.append(Step(Reshape(tensor.type, flat.type), (tensor.name,), (flat.name,), nodes, key))
            self.types[flat.name], given = flat.type, [flat]
        self.steps.append(Step(definition, tuple(source.name for source in given), (name,), nodes, key))
        self.types[name] = definition.output


def _is_inferred(node: ir.Node, value: ir.Value, opset: int) -> bool:
    """Whether ONNX's type inference, which does not see the declared outputs, infers the declared type for one of them."""
    types = inferred_types(node, opset)
    type_ = types.get(str(value.name)) if isinstance(types, dict) else None
    if type_ is None:
        return False
    return (
        type_.tensor_type.elem_type == value.dtype
        and ir.serde.deserialize_type_proto_for_shape(type_) == value.shape
    )


def _is_identity(node: ir.Node) -> bool:
    return node.op_type == "Identity" and domain_of(node.domain) == "" and len(node.inputs) == 1


def _why_no_choice(node: ir.Node) -> str | None:
    """Why a Where cannot stand for the If whose results it chooses from."""
    then, other = (None if value is None else static_shape(value) for value in node.inputs[1:])
    if then == other:
        return None
    return (
        f"stands for the node {node.metadata_props[CHOICE]} (If), which branch of that is taken is only known while running, and "
        f"they give the shapes {then} and {other}" + how_to_bind(node.inputs[0])
    )


def _operands(node: ir.Node, operator: OpDef, values: Mapping[str, Tensor]) -> tuple[Tensor | None, ...]:
    tensors = [None if value is None or not value.name else values[value.name] for value in node.inputs]
    if RUNS not in node.metadata_props:
        return tuple(tensors)
    return tuple(
        tensor if tensor is None or at in operator.constant_inputs else replace(tensor, constant=None)
        for at, tensor in enumerate(tensors)
    )


def _only_input(node: ir.Node) -> ir.Value:
    value = node.inputs[0]
    if value is None:
        raise ModelError(f"node {node.name} ({node.op_type}): its input is missing", node=node.name)
    return value


def _stated(value: ir.Value, position: int) -> TensorType | None:
    """The type that the model states; None for an output of unknown type, and for an optional one that nothing reads."""
    if not value.name or (position > 0 and not value.uses() and not value.is_graph_output()):
        return None
    type_ = to_tensor_type(value)
    return None if type_ is None else type_.carried


def _checked_node(call: OpCall) -> tuple[str, str]:
    """The name and the operator of the node of the model that a check is about."""
    return (call.attr("node"), call.attr("of")) if call.domain == CONTROL else (call.name, call.op_type)


def _is_complex(value: ir.Value) -> bool:
    dtype = to_dtype(value.dtype)
    return dtype is not None and dtype.is_complex


def _name(value: ir.Value) -> str:
    if not value.name:
        raise InternalError("a value has no name: graph.read gives every value one")
    return value.name
