"""The nouns of the operator room: what goes into a lowering rule and what comes out.

An operator is a record (`OpDef`) with a function from a call to emitted definitions. No ONNX type crosses this border:
attributes are plain Python values, types are `TensorType`, constants are NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ingot.base.errors import InternalError, UnsupportedError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Definition, Pointwise, Reshape, Template, pointwise
from ingot.loops.nodes import Expr
from ingot.ops.facts import Element, Folding, Identity, Selects, Trust, WindowSize

# The fact of an UnsupportedError that has the positions of a node's inputs which must be known while building.
POSITIONS = "constant_inputs"


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A value while a model is lowered. `constant` is its content where that is known while building.

    `meant` is the element type that the model states, where kernels hold its elements in another one (`DType.carrier`), which
    `type` and `constant` have. Of a complex value this is the real or the imaginary part.
    """

    name: str
    type: TensorType
    constant: np.ndarray | None = None
    meant: DType | None = None

    @property
    def element(self) -> DType:
        """The element type that the model states."""
        return self.meant or self.type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def rank(self) -> int:
        return len(self.type.shape)


@dataclass(frozen=True, slots=True, eq=False)
class OpCall:
    """One node of a model, as plain data.

    `version` is the opset version of the node's domain in the model. An omitted optional input is None. `outputs` has the
    type of each output that shape inference or the model states, None for an omitted or unknown one. `counts`: how many places
    its results have is counted while running.
    """

    domain: str
    op_type: str
    version: int
    name: str
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[TensorType | None, ...]
    attributes: Mapping[str, Any]
    counts: bool = False

    def input(self, position: int) -> Tensor:
        """A required input."""
        tensor = self.optional(position)
        if tensor is None:
            self.unsupported(f"input {position} is missing")
        return tensor

    def optional(self, position: int) -> Tensor | None:
        """An optional input, None where it is omitted."""
        return self.inputs[position] if position < len(self.inputs) else None

    def constant(self, position: int, role: str) -> np.ndarray:
        """An input that must be known while building."""
        value = self.input(position).constant
        if value is None:
            raise UnsupportedError(
                f"input {position} ({role}) must be a constant", **{POSITIONS: (position,)}
            )
        return value

    def optional_constant(self, position: int, role: str) -> np.ndarray | None:
        return None if self.optional(position) is None else self.constant(position, role)

    def require_one(self, position: int, role: str) -> None:
        """Refuses the node if that input is there and has not exactly one element."""
        tensor = self.optional(position)
        if tensor is not None and tensor.type.size != 1:
            self.unsupported(
                f"input {position} ({role}) has the shape {list(tensor.shape)}, expected one element"
            )

    def scalar(self, position: int, role: str) -> Any:
        """The only element of an input that must be known while building."""
        self.require_one(position, role)
        return self.constant(position, role).reshape(-1)[0]

    def output(self, position: int = 0) -> TensorType:
        """The stated type of an output."""
        stated = self.outputs[position] if position < len(self.outputs) else None
        if stated is None:
            whole = tuple(
                at
                for at, tensor in enumerate(self.inputs)
                if tensor is not None and not tensor.dtype.is_float
            )
            raise UnsupportedError(
                f"the type of output {position} is not known while building", **{POSITIONS: whole}
            )
        return stated

    def require_shape(self, position: int, role: str, *shapes: Sequence[int]) -> None:
        """Refuses the node if that input is there and has none of the shapes; a shape with 1 may be one of them."""
        tensor = self.optional(position)
        if tensor is not None and tensor.shape not in [tuple(shape) for shape in shapes]:
            wanted = " or ".join(str(list(shape)) for shape in shapes)
            self.unsupported(
                f"input {position} ({role}) has the shape {list(tensor.shape)}, expected {wanted}"
            )

    def wants(self, position: int) -> bool:
        """Whether an optional output is used."""
        return position < len(self.outputs) and self.outputs[position] is not None

    def attr(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    def unsupported(self, why: str) -> NoReturn:
        """Raises an UnsupportedError for this node; `graph.lower` collects those of all nodes."""
        raise UnsupportedError(why)


@dataclass(frozen=True, slots=True, eq=False)
class Emitted:
    """One definition with its operands."""

    definition: Definition
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A condition that has to hold while running: `holds(*reads)`, with a read for each operand. The first operand is the one
    that is wrong otherwise: the input `role`, of which `expected` says in words what it may be.
    """

    operands: tuple[Tensor, ...]
    holds: Callable[..., Expr]
    role: str
    expected: str


@dataclass(slots=True)
class Emitter:
    """Collects the definitions that a lowering rule makes for one node. New values are named from `prefix` and position. With
    `keeps_steps`, what would take a part of a value is emitted also where that is all of it: for other extents it is not.
    """

    prefix: str
    emitted: list[Emitted] = field(default_factory=list)
    checks: list[Checked] = field(default_factory=list)
    keeps_steps: bool = False
    _count: int = 0

    def constant(self, array: np.ndarray, dtype: DType | None = None) -> Tensor:
        """A constant made while lowering. `dtype` is needed where NumPy lacks the type: bfloat16 is kept in uint16."""
        array = np.asarray(array, order="C")
        return Tensor(self._name(), TensorType(dtype or DType.from_numpy(array.dtype), array.shape), array)

    def pointwise(
        self,
        inputs: Sequence[Tensor],
        output: TensorType,
        value: Callable[..., Expr],
        name: str = "pointwise",
    ) -> Tensor:
        """Emits `output[index] = value(index, *reads)`; each read is a function from an index to an element of that input."""
        return self.define(pointwise([tensor.type for tensor in inputs], output, value, name), inputs)[0]

    def check(self, operands: Sequence[Tensor], holds: Callable[..., Expr], role: str, expected: str) -> None:
        """Ends a run with an error before anything of this node is computed, unless a condition on the operands holds: see
        `Checked`.
        """
        self.checks.append(Checked(tuple(operands), holds, role, expected))

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Emits a Reshape; of a constant it is a constant, to the same shape it is the tensor itself."""
        new = tuple(int(extent) for extent in shape)
        if new == tensor.shape:
            return tensor
        if tensor.constant is not None:
            return self.constant(tensor.constant.reshape(new), tensor.dtype)
        output = TensorType(tensor.dtype, new)
        if output.size != tensor.type.size:
            raise InternalError(f"reshape of {tensor.type} to {new}: sizes differ")
        return self.define(Reshape(tensor.type, output), [tensor])[0]

    def template(self, template: Template, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Emits a template; returns one tensor for each of its outputs."""
        return self.define(template, inputs)

    def define(self, definition: Definition, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
        match definition:
            case Template():
                expected, results = definition.inputs, definition.outputs
            case Pointwise():
                expected, results = tuple(formal.type for formal in definition.inputs), (definition.output,)
            case Reshape():
                expected, results = (definition.input,), (definition.output,)
        given = tuple(tensor.type for tensor in inputs)
        if given != expected:
            raise InternalError(f"{definition.name}: got operands {given}, expected {expected}")
        outputs = tuple(Tensor(self._name(), type_) for type_ in results)
        self.emitted.append(Emitted(definition, tuple(inputs), outputs))
        return outputs

    def _name(self) -> str:
        self._count += 1
        return f"{self.prefix}.{self._count}"


Lower = Callable[[OpCall, Emitter], Sequence[Tensor]]
Option = Mapping[int, np.ndarray]  # a value of each open argument, by its position


@dataclass(frozen=True, slots=True, eq=False)
class Implied:
    """What the stated shapes of a node's results say of its open arguments, those that are known only while running.

    Attributes:
        roles: the positions of arguments that may be open, and what the operator calls them.
        options: the values that give the stated shapes; none if no value does.
        means: whether arguments mean an option, of their reads by position. None: if they are equal to it.
        is_same: all options give the same results, so that any is as good.
    """

    roles: Mapping[int, str]
    options: tuple[Option, ...]
    means: Callable[[Option, Mapping[int, Callable[..., Expr]]], Expr] | None = None
    is_same: bool = False


@dataclass(frozen=True, slots=True)
class OpDef:
    """One operator from one opset version on, and all that is known of it: passes look here instead of at lists of names.

    The defaults are right for an operator of which nothing else is said. All versions of an operator say alike what is behind
    `reads_element`: it is asked of nodes whatever the model's opset is.

    Attributes:
        domain: "" for ai.onnx.
        name: as nodes have it.
        since_version: the opset version of the domain.
        lower: emits definitions and returns a tensor for each output in order (trailing unwanted ones may be left out). It
            raises UnsupportedError (by `call.unsupported`) for what it does not handle.
        constant_inputs: the positions of inputs that it needs to know while building.
        computes_open: `lower` itself takes arguments that are known only while running, where the result's shape is stated.
        implied: what the shapes of its results say of arguments that are known only while running; None where these shapes are
            not stated, or say nothing. Without it, the arguments at `constant_inputs` are constants, or `lower` knows what to do.
        moves: its results are elements of its inputs, or depend on none: it takes every element type, by its carrier.
        reads_element: it asks inputs for their `element`, and its attributes for that of its results: it takes every type but
            complex ones.
        moves_quantized_since: from this opset version on it takes int8 and uint8, and its results are elements of its first
            input: quantized values are moved before they are dequantized. None: it does more than move, or nobody has looked.
        element: it works element by element, at this cost, so that functions of one quantized value become lookup tables. None:
            it does not, or its functions need no table.
        draws: it draws random numbers, others at each call, so that it is never computed while building.
        evaluated: whether ONNX's reference evaluator is to be believed, by which constants are folded.
        folding: what that evaluator does for it, of which a build does so much.
        selects: how many places results have, where that depends on the content of inputs.
        identity: when it gives back its first input.
        factors: the positions of inputs whose elements are only multiplied, and their products added up: a subnormal number is
            as good as a zero there.
        window: where it says how large the window is that it slides, which is checked once shapes are known.
        misinferred: ONNX's inference gives some forms of it a wrong shape; `graph.passes.tidy.shape_fixes` has the right one.
        typed_as_input: its result has the type of its first input, which ONNX's inference loses on its way through a function.
        commutes: its two operands may come in either order.
        same_shape: its result has the shape of its first input, as that of one has that works on one input element by element.
    """

    domain: str
    name: str
    since_version: int
    lower: Lower
    constant_inputs: tuple[int, ...] = ()
    computes_open: bool = False
    implied: Callable[[OpCall], Implied | None] | None = None
    moves: bool = False
    reads_element: bool = False
    moves_quantized_since: int | None = None
    element: Element | None = None
    draws: bool = False
    evaluated: Trust = Trust.ALWAYS
    folding: Folding = Folding.ELEMENTS
    selects: Selects | None = None
    identity: Identity | None = None
    factors: tuple[int, ...] = ()
    window: WindowSize | None = None
    misinferred: bool = False
    typed_as_input: bool = False
    same_shape: bool = False
    commutes: bool = False

    @property
    def takes_open(self) -> bool:
        """Whether arguments may be known only while running, where the shapes of results are stated."""
        return self.computes_open or self.implied is not None
