"""A model as a classic graph: calls of packed functions over tensors that own their storage.

A program of ingot works on views of memory, a classic graph on whole tensors. So a tensor of the graph is a *base*, the dense
memory that views look into, in the shape in which it lies; where the views are in it is known to the packed functions, one for
each kernel and way to look.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ingot.artifact.artifact import Content
from ingot.artifact.model_info import CallInfo, ModelInfo
from ingot.artifact.values import ValueInfo, dense
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.base.tensor import DType
from ingot.package.classic.graph_json import CRT_MAX_NAME, CRT_MAX_RANK, Entry, Graph, Node
from ingot.package.classic.params import params_to_bytes

WORKSPACE_ALIGNMENT = 64
_MAX_BASE_NAME = 80  # letters of a function's name behind the prefix


class Tensor(metaclass=Frozen):
    """An argument of a packed function, as the graph stores it."""

    dtype: DType
    shape: tuple[int, ...]


class Operand(metaclass=Frozen):
    """An argument of a kernel: the function's argument number, or its workspace (-1), and the bytes from its first one on."""

    argument: int
    offset_bytes: int


class PackedFunction(metaclass=Frozen):
    """A packed function: which kernel it calls, on what. `inputs` of its `tensors` come first, then the outputs."""

    name: str
    kernel: int
    tensors: tuple[Tensor, ...]
    inputs: int
    operands: tuple[Operand, ...]
    workspace_bytes: int


class ClassicModel(metaclass=Frozen):
    """A model as a graph: its functions in the order of first use, and for each parameter the value it has the bytes of."""

    graph: Graph
    functions: tuple[PackedFunction, ...]
    params: tuple[tuple[str, ValueInfo], ...]


def classic_model(info: ModelInfo, prefix: str) -> ClassicModel:
    """The graph of a model, of which `values` must be known, and the functions that it calls; names begin with `prefix`.

    Raises:
        ArtifactError: a model with several targets, with loops or branches, or with tensors of no elements, which a classic graph
            cannot have.
    """
    if len(info.targets) > 1:
        raise ArtifactError(
            f"model {info.name!r}: a classic graph has one target, this model has {len(info.targets)}",
            name=info.name,
        )
    if info.controls:
        node = info.controls[0].node
        raise ArtifactError(
            f"model {info.name!r}: a classic graph makes each call once, and the node {node!r} is a loop or a branch; export the "
            "model with executor='aot'",
            node=node,
        )
    return _Maker(info, prefix).model()


def params_file(model: ClassicModel, constants: Content) -> bytes:
    """The `.params` file of the graph, from the constants of the host."""
    view = memoryview(constants).cast("B")
    arrays = {}
    for name, value in model.params:
        tensor = physical(value)
        raw = view[
            value.offset_bytes : value.offset_bytes + math.prod(tensor.shape) * tensor.dtype.size_bytes
        ]
        arrays[name] = (tensor.dtype, np.frombuffer(raw, tensor.dtype.numpy).reshape(tensor.shape))
    return params_to_bytes(arrays)


def physical(value: ValueInfo) -> Tensor:
    """A dense value in the shape in which it lies; the first dimension has the widest stride."""
    order = sorted(range(len(value.shape)), key=lambda at: (-value.strides[at], at))
    shape = tuple(value.shape[at] for at in order) or (1,)
    return Tensor(value.dtype, shape if len(shape) <= CRT_MAX_RANK else (math.prod(shape),))


class _Maker:
    def __init__(self, info: ModelInfo, prefix: str) -> None:
        self._info = info
        self._prefix = prefix
        self._values = {value.name: value for value in info.values}
        self._nodes: list[Node] = []
        self._rows = [0]  # the first entry of each node, and how many there are
        self._entries: list[Entry] = []
        self._bases: list[str] = []  # of each entry
        self._latest: dict[str, tuple[int, int]] = {}  # base: the node and output that wrote it last
        self._functions: dict[tuple[object, ...], PackedFunction] = {}
        self._names: set[str] = set()
        self._params: list[tuple[str, ValueInfo]] = []

    def model(self) -> ClassicModel:
        info = self._info
        for number, tensor in enumerate(info.inputs):
            self._place(Node(tensor.name), [self._region("input", number)])
        kernels: dict[str, int] = {}
        for call in info.calls:
            kernels.setdefault(call.kernel, len(kernels))
        for call in info.calls:
            self._call(call, kernels[call.kernel])
        heads = tuple(self._latest[self._region("output", number)] for number in range(len(info.outputs)))
        arguments = tuple(number for number, node in enumerate(self._nodes) if not node.func_name)
        storages = _share(self._nodes, self._entries, self._bases, heads)
        entries = tuple(Entry(e.dtype, e.shape, s) for e, s in zip(self._entries, storages, strict=True))
        return ClassicModel(
            Graph(tuple(self._nodes), arguments, heads, entries),
            tuple(self._functions.values()),
            tuple(self._params),
        )

    def _region(self, region: str, number: int) -> str:
        """The base that is that input or output."""
        for value in self._info.values:
            if value.region == region and value.number == number and not value.base:
                return value.name
        # An input that no call names is not among the values.
        tensor = (self._info.inputs if region == "input" else self._info.outputs)[number]
        self._values[tensor.name] = dense(tensor.name, tensor.type, region, number)
        return tensor.name

    def _place(self, node: Node, bases: Sequence[str]) -> None:
        """Adds a node whose outputs are these bases."""
        for output, base in enumerate(bases):
            value = self._values[base]
            if 0 in value.shape:
                raise ArtifactError(
                    f"model {self._info.name!r}: the value {base!r} has no elements ({value.type}), which a classic graph cannot "
                    "hold; export the model with executor='aot'",
                    value=base,
                )
            self._entries.append(_entry(value))
            self._bases.append(base)
            self._latest[base] = (len(self._nodes), output)
        self._nodes.append(node)
        self._rows.append(self._rows[-1] + node.outputs)

    def _call(self, call: CallInfo, kernel: int) -> None:
        first = next((at for at, name in enumerate(call.args) if name in call.outputs), len(call.args))
        reads, writes, work = call.args[:first], call.outputs, call.args[first + len(call.outputs) :]
        written = list(dict.fromkeys(self._base(name) for name in writes))
        # A base of which something was written before goes in as well: the rest of it is kept.
        kept = [base for base in written if base in self._latest]
        read = list(dict.fromkeys([*(self._base(name) for name in reads), *kept]))
        for base in read:
            if base not in self._latest:
                self._param(base)
        places = {base: at for at, base in enumerate(read)} | {
            base: len(read) + at for at, base in enumerate(written)
        }
        operands = [Operand(places[self._base(name)], self._offset(name)) for name in (*reads, *writes)]
        size = 0
        for name in work:
            operands.append(Operand(-1, size))
            size += -(-self._values[name].type.size_bytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
        inputs = tuple(self._latest[base] for base in read)
        before = [self._entries[self._rows[node] + output] for node, output in inputs]
        after = [_entry(self._values[base]) for base in written]
        tensors = tuple(Tensor(entry.dtype, entry.shape) for entry in (*before, *after))
        key = (kernel, tensors, len(read), tuple(operands), size)
        if key not in self._functions:
            self._functions[key] = PackedFunction(
                self._name(call.kernel), kernel, tensors, len(read), tuple(operands), size
            )
        function = self._functions[key]
        label = f"{function.name.removeprefix(self._prefix + '_')}_{len(self._nodes)}"
        nodes = ", ".join(call.nodes)
        attrs = (("onnx_nodes", nodes),) if re.fullmatch(r'[^"\\\x00-\x1f]{1,100}', nodes, re.ASCII) else ()
        self._place(Node(label, inputs, function.name, len(written), attrs), written)

    def _param(self, base: str) -> None:
        value = self._values[base]
        if value.region != "params":
            raise ArtifactError(
                f"model {self._info.name!r}: the value {base!r} is read before it is written", value=base
            )
        name = f"p{len(self._params)}"
        while name in {tensor.name for tensor in self._info.inputs}:
            name = f"{name}_"
        self._params.append((name, value))
        self._place(Node(name), [base])

    def _base(self, name: str) -> str:
        return self._values[name].base or name

    def _offset(self, name: str) -> int:
        return self._values[name].offset_bytes - self._values[self._base(name)].offset_bytes

    def _name(self, kernel: str) -> str:
        """A name of its own for a function, near the kernel's."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", kernel)[:_MAX_BASE_NAME]
        base = f"{self._prefix}_{plain}"[: CRT_MAX_NAME - 8]
        name, number = base, 0
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        return name


def _entry(value: ValueInfo) -> Entry:
    """The tensor of a base. What the caller sees has the model's shape: it is row-major."""
    seen = value.region in ("input", "output") and 1 <= len(value.shape) <= CRT_MAX_RANK
    return Entry(value.dtype, value.shape if seen else physical(value).shape, 0)


def _share(
    nodes: Sequence[Node], entries: Sequence[Entry], bases: Sequence[str], heads: Sequence[tuple[int, int]]
) -> Iterator[int]:
    """The storage of each entry. Placeholders and outputs have their own; others that are never alive together share.

    Which value goes where is decided in the order in which they come to be: into the free storage whose size is nearest.
    """
    rows = [0]
    for node in nodes:
        rows.append(rows[-1] + node.outputs)
    last: dict[str, int] = {}
    for number, node in enumerate(nodes):
        last.update(dict.fromkeys(bases[rows[number] : rows[number + 1]], number))
        last.update({bases[rows[source] + output]: number for source, output in node.inputs})
    last.update({bases[rows[source] + output]: len(nodes) for source, output in heads})
    dying: dict[int, list[str]] = {}
    for base, end in last.items():
        dying.setdefault(end, []).append(base)
    own = {bases[rows[number]] for number, node in enumerate(nodes) if not node.func_name}
    own |= {bases[rows[source] + output] for source, output in heads}
    storage: dict[str, int] = {}
    sizes: list[int] = []
    free: list[int] = []
    for number in range(len(nodes)):
        for at in range(rows[number], rows[number + 1]):
            base, size = bases[at], entries[at].size_bytes
            if base not in storage:
                fits = [free_storage for free_storage in free if base not in own]
                fitting = min(
                    fits,
                    key=lambda free_storage: (
                        sizes[free_storage] < size,
                        abs(sizes[free_storage] - size),
                        free_storage,
                    ),
                    default=None,
                )
                if fitting is None:
                    fitting = len(sizes)
                    sizes.append(0)
                else:
                    free.remove(fitting)
                storage[base] = fitting
                sizes[fitting] = max(sizes[fitting], size)
            yield storage[base]
        free += [storage[base] for base in dying.get(number, ()) if base not in own]


def storage_arguments(graph: Graph) -> Mapping[int, str]:
    """The name of the placeholder that each storage belongs to, if it belongs to one."""
    rows = graph.rows
    return {graph.entries[rows[number]].storage_id: graph.nodes[number].name for number in graph.arguments}
