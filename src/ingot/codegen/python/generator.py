"""Nodes that a Python callable or a torch module computes: code that lives in this process only.

A target of a build may be the callable itself: `target={"host": "llvm", "mine": function}, place={"MyNode": "mine"}`. It gets
one array for each input of a node, and gives one, or a tuple of one for each output: arrays, or whatever has `__dlpack__`. A
torch module gets tensors. One with a parameter `node` that is given by name only (`def scale(x, *, node)`) also gets the node:
its name, operator, attributes and types, a `PlacedNode`. So no callable whose parameters are arrays gets anything else.
"""

from __future__ import annotations

import ctypes
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.artifact.artifact_set import InMemoryArtifact
from ingot.artifact.module import Function, Module
from ingot.base.errors import DeviceError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.c.source import argument
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.machines.machine import Machine
from ingot.plan.placed_node import PlacedNode
from ingot.plan.program import Call, CompileUnit

ID = "python"
Callee = Callable[..., Any]


def python_codegen(function: Callee) -> Codegen:
    """The code generator for nodes that `function` computes."""

    def generate(unit: CompileUnit, target: Target, _: BuildContext) -> Generated:
        calls = tuple(_call(unit, call) for call in unit.program.kernel_calls)
        module = PythonModule(f"ingot_{unit.symbol}_call", _with_node(function), calls)
        return Generated((), in_memory=(InMemoryArtifact(ID, f"{unit.symbol}.call", module, target.key),))

    return Codegen(
        ID, "a Python callable or a torch module, in this process", _resolve, _machine, generate, opaque=True
    )


def _resolve(target: Target) -> Target:
    return target


def _machine(_: Target) -> Machine:
    return Machine()


@dataclass(frozen=True, slots=True)
class _Tensor:
    """Where a value lies: the number of its base pointer, the offset, and its type."""

    base: int
    offset_bytes: int
    dtype: DType
    shape: tuple[int, ...]

    def view(self, bases: Any) -> np.ndarray:
        """The memory as an array: nothing is copied."""
        count = int(np.prod(self.shape, dtype=np.int64))
        if not count:
            return np.empty(self.shape, self.dtype.numpy)
        address = bases[self.base] + self.offset_bytes
        memory = (ctypes.c_char * (count * self.dtype.size_bytes)).from_address(address)
        return np.ndarray(self.shape, self.dtype.numpy, memoryview(memory))


@dataclass(frozen=True, slots=True)
class _Call:
    inputs: tuple[_Tensor, ...]
    outputs: tuple[_Tensor, ...]
    node: str
    placed: PlacedNode | None


def _call(unit: CompileUnit, call: Call) -> _Call:
    tensors, inputs = [], len(call.kernel.inputs)
    for name in call.args:
        base, offset = argument(unit, name)
        type_ = unit.program.values[name].type
        tensors.append(_Tensor(base, offset, type_.dtype, type_.shape))
    return _Call(tuple(tensors[:inputs]), tuple(tensors[inputs:]), ", ".join(call.nodes), call.node)


@dataclass(slots=True)
class PythonModule:
    """The calls of one target key, made by a Python callable."""

    name: str
    function: Callee | None  # gets the node first
    calls: tuple[_Call, ...]

    @property
    def type_key(self) -> str:
        return ID

    @property
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
        return self._make if name == self.name else None

    def close(self) -> None:
        """Lets go of the callable."""
        self.function = None

    def _make(self, number: int, bases: Any) -> int:
        call = self.calls[number]
        assert self.function is not None, "the module was closed"
        inputs = []
        for tensor in call.inputs:
            array = tensor.view(bases)
            array.flags.writeable = False  # other nodes may read it
            inputs.append(array)
        module = self.function(call.placed, *inputs)
        results = module if isinstance(module, tuple | list) else (module,)
        if len(results) != len(call.outputs):
            raise DeviceError(
                f"node {call.node}: the callable gave {len(results)} results, the node has {len(call.outputs)} outputs",
                node=call.node,
            )
        for number_, (result, tensor) in enumerate(zip(results, call.outputs, strict=True)):
            array = _array(result, call.node, number_)
            if array.shape != tensor.shape or array.dtype != tensor.dtype.numpy:
                raise DeviceError(
                    f"node {call.node}: result {number_} of the callable is {array.dtype}{list(array.shape)}, "
                    f"the model says {tensor.dtype.value}{list(tensor.shape)}",
                    node=call.node,
                )
            tensor.view(bases)[...] = array
        return 0


def _array(result: object, node: str, number: int) -> np.ndarray:
    """What the callable gave as an array: by DLPack, if it is no array and has that, without a copy."""
    try:
        if not isinstance(result, np.ndarray) and hasattr(result, "__dlpack__"):
            return np.from_dlpack(result)
        return np.asarray(result)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise DeviceError(
            f"node {node}: result {number} of the callable, a {type(result).__name__}, is no array: {error}",
            node=node,
        ) from error


def _with_node(function: Callee) -> Callee:
    """A callable or torch module as a function of the node and arrays."""
    torch = sys.modules.get("torch")  # if nobody imported torch, it is no torch module
    is_module = torch is not None and isinstance(function, torch.nn.Module)
    takes_node = _takes_node(getattr(function, "forward", function) if is_module else function)

    def run(node: PlacedNode | None, *arrays: np.ndarray) -> Any:
        told = {"node": node} if takes_node else {}
        if torch is None or not is_module:
            return function(*arrays, **told)
        with torch.no_grad():
            outputs = function(*(torch.from_numpy(array.copy()) for array in arrays), **told)
        return tuple(outputs) if isinstance(outputs, tuple | list) else outputs

    return run


def _takes_node(function: Callee) -> bool:
    """Whether it has a parameter `node` that is given by name only."""
    try:
        parameter = inspect.signature(function).parameters.get("node")
    except (TypeError, ValueError):  # written in C, as a rule
        return False
    return parameter is not None and parameter.kind is inspect.Parameter.KEYWORD_ONLY
