"""The JSON of the classic graph executor: nodes that call packed functions over entries that share storage.

An *entry* is one output of one node; entry ids count through all nodes. `graph_from_json` reads untrusted bytes and believes
nothing: who has a `Graph` has one whose every number leads somewhere.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from ingot.artifact.artifact import Content
from ingot.artifact.json_read import read_json
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.base.tensor import DType

MAX_JSON_BYTES = 64 << 20
MAX_BYTES = 1 << 48
MAX_RANK = 32
NULL, CALL = "null", "tvm_op"  # the kinds of nodes that run: a placeholder, and a call
NO_OPERATION = "__nop"  # a call that does nothing: its output is its input with another shape

# What the C runtime of the original tools can hold in its default configuration.
CRT_MAX_RANK = 6
CRT_MAX_NAME = 118
CRT_MAX_PARAM_NAME = 79

_DTYPES = {dtype.value: dtype for dtype in DType if not dtype.is_carried} | {"uint1": DType.BOOL}
_TEXT = re.compile(r'[^"\\\x00-\x1f]*')
_TOP = ("nodes", "arg_nodes", "heads", "attrs", "node_row_ptr")


class Node(metaclass=Frozen):
    """A placeholder (`func_name` is empty) or a call. `inputs` are (node, output of that node)."""

    name: str
    inputs: tuple[tuple[int, int], ...] = ()
    func_name: str = ""
    outputs: int = 1
    attrs: tuple[tuple[str, str], ...] = ()  # what else is said about a call


class Entry(metaclass=Frozen):
    """A tensor of a graph."""

    dtype: DType
    shape: tuple[int, ...]
    storage_id: int
    device: int = 1

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.size_bytes


class Graph(metaclass=Frozen):
    """A graph: `arguments` are the placeholders, inputs and parameters; `heads` are (node, output) of the model's outputs."""

    nodes: tuple[Node, ...]
    arguments: tuple[int, ...]
    heads: tuple[tuple[int, int], ...]
    entries: tuple[Entry, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """The first entry of each node, and the number of entries."""
        rows = [0]
        for node in self.nodes:
            rows.append(rows[-1] + node.outputs)
        return tuple(rows)

    def entry(self, node: int, output: int = 0) -> int:
        """The id of that output. It counts all nodes: who asks for many takes `rows` once."""
        return self.rows[node] + output

    def storage_sizes(self) -> dict[int, int]:
        """Bytes of each storage, the most that any entry in it has, in the order of first appearance."""
        sizes: dict[int, int] = {}
        for entry in self.entries:
            sizes[entry.storage_id] = max(sizes.get(entry.storage_id, 0), entry.size_bytes)
        return sizes


def graph_to_json(graph: Graph, *, original: bool = True) -> bytes:
    """The text of a graph, one node a line: equal graphs give equal bytes.

    Args:
        graph: the graph.
        original: whether the C runtime of the original tools must be able to hold it, which has room for as many storages as
            there are nodes; ingot's has room for as many as there are tensors.

    Raises:
        ArtifactError: the graph is one that a runtime could not read; see `require_portable`.
    """
    require_portable(graph, original=original)

    def compact(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))

    nodes = ",\n    ".join(compact(_node_data(node)) for node in graph.nodes)
    attrs = {
        "dltype": [
            "list_str",
            ["uint1" if entry.dtype is DType.BOOL else entry.dtype.value for entry in graph.entries],
        ],
        "storage_id": ["list_int", [entry.storage_id for entry in graph.entries]],
        "shape": ["list_shape", [list(entry.shape) for entry in graph.entries]],
        "device_index": ["list_int", [entry.device for entry in graph.entries]],
    }
    tables = ",\n    ".join(f"{compact(name)}: {compact(table)}" for name, table in attrs.items())
    heads = [[node, output, 0] for node, output in graph.heads]
    text = (
        f'{{\n  "nodes": [\n    {nodes}\n  ],\n  "arg_nodes": {compact(list(graph.arguments))},\n  "heads": {compact(heads)},\n'
        f'  "attrs": {{\n    {tables}\n  }},\n  "node_row_ptr": {compact(list(graph.rows))}\n}}\n'
    )
    return text.encode("utf-8")


def _node_data(node: Node) -> dict[str, object]:
    inputs = [[source, output, 0] for source, output in node.inputs]
    if not node.func_name:
        return {"op": NULL, "name": node.name, "inputs": inputs}
    attrs = {
        "func_name": node.func_name,
        "num_inputs": str(len(inputs)),
        "num_outputs": str(node.outputs),
        "flatten_data": "0",
        **dict(node.attrs),
    }
    return {"op": CALL, "name": node.name, "attrs": attrs, "inputs": inputs}


def require_portable(graph: Graph, *, original: bool = True) -> None:
    """Raises ArtifactError if the C runtime of the original tools could not hold the graph, whose reader trusts what it reads;
    if it need not be `original`, if ingot's could not.

    The number of tensors of a call is not looked at: it is a setting of that runtime (`TVM_CRT_MAX_ARGS`), see `most_tensors`.
    """
    for node in graph.nodes:
        words = (node.name, node.func_name, *(text for pair in node.attrs for text in pair))
        for word in words:
            if not _TEXT.fullmatch(word) or len(word.encode("utf-8")) > CRT_MAX_NAME:
                _wrong(
                    f"node {node.name[:80]!r}",
                    f"must have names of at most {CRT_MAX_NAME} bytes and no quotes, got {word!r:.200}",
                )
        for key, _ in node.attrs:
            if len(key) > 18:
                _wrong(
                    f"node {node.name[:80]!r}",
                    f"must have attributes with names of at most 18 letters, got {key!r:.80}",
                )
    for number in graph.arguments:
        if len(graph.nodes[number].name.encode("utf-8")) > CRT_MAX_PARAM_NAME:
            name = graph.nodes[number].name
            _wrong(
                f"argument {name[:80]!r}",
                f"must have a name of at most {CRT_MAX_PARAM_NAME} bytes, got {len(name.encode())}",
            )
    for at, entry in enumerate(graph.entries):
        if not 1 <= len(entry.shape) <= CRT_MAX_RANK or 0 in entry.shape:
            _wrong(
                f"entry {at}",
                f"must have 1 to {CRT_MAX_RANK} dimensions, none of them 0, got {list(entry.shape)}",
            )
    used = {entry.storage_id for entry in graph.entries}
    if used != set(range(len(used))):
        _wrong("storage_id", f"must be all numbers from 0 on, got {str(sorted(used))[:200]}")
    if original and len(used) > len(graph.nodes):
        _wrong(
            "storage_id",
            f"counts {len(used)} storages for {len(graph.nodes)} nodes, and the C runtime of the original tools has room for no "
            "more than there are nodes: a node with several outputs can need more; export the model with version=8 or "
            "executor='aot'",
        )


# ─── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def graph_from_json(content: Content, name: str = "graph") -> Graph:
    """Reads untrusted bytes.

    Raises:
        ArtifactError: no such graph, one that contradicts itself, or one that no executor of ingot can run (`__copy`, vectors).
    """
    if len(content) > MAX_JSON_BYTES:
        _wrong(name, f"has {len(content)} bytes, more than the limit of {MAX_JSON_BYTES}")
    try:
        data = read_json(content, "utf-8")
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{name} is not the JSON of a graph: {error}", field="") from error
    if type(data) is not dict:
        _wrong(name, "must be an object")
    for key in _TOP:
        if key not in data:
            _wrong(name, f"has no {key!r}")
    for key in data.keys() - set(_TOP) - {"metadata"}:
        _wrong(name, f"has the unknown key {key[:80]!r}")
    items = _list(data["nodes"], "nodes")
    nodes: list[Node] = []
    for at, item in enumerate(items):
        nodes.append(_node(item, f"nodes[{at}]", at, nodes))
    rows = [0]
    for node in nodes:
        rows.append(rows[-1] + node.outputs)
    if _list(data["node_row_ptr"], "node_row_ptr") != rows or any(
        type(row) is not int for row in data["node_row_ptr"]
    ):
        _wrong("node_row_ptr", "does not count the outputs of the nodes")
    arguments = tuple(
        _int(item, f"arg_nodes[{at}]", 0, len(nodes) - 1)
        for at, item in enumerate(_list(data["arg_nodes"], "arg_nodes"))
    )
    placeholders = {number for number, node in enumerate(nodes) if not node.func_name}
    if len(set(arguments)) != len(arguments) or set(arguments) != placeholders:
        _wrong("arg_nodes", "must have every placeholder once, and nothing else")
    names = [nodes[number].name for number in arguments]
    if len(set(names)) != len(names):
        _wrong("arg_nodes", "has two placeholders of one name")
    heads = tuple(
        _reference(item, f"heads[{at}]", len(nodes), nodes)
        for at, item in enumerate(_list(data["heads"], "heads"))
    )
    return Graph(tuple(nodes), arguments, heads, _entries(data["attrs"], rows[-1]))


def _node(item: Any, field: str, at: int, before: Sequence[Node]) -> Node:
    if type(item) is not dict:
        _wrong(field, "must be an object")
    for key in item.keys() - {"op", "name", "inputs", "attrs", "attr", "control_deps"}:
        _wrong(field, f"has the unknown key {key[:80]!r}")
    op, name = (_string(item.get(key), f"{field}.{key}") for key in ("op", "name"))
    sources = _list(item.get("inputs"), f"{field}.inputs")
    inputs = tuple(
        _reference(source, f"{field}.inputs[{place}]", at, before) for place, source in enumerate(sources)
    )
    if op == NULL:
        if inputs:
            _wrong(field, "is a placeholder with inputs")
        return Node(name)
    if op != CALL:
        _wrong(field, f"has the op {op[:80]!r}, expected {NULL!r} or {CALL!r}")
    attrs = item.get("attrs", item.get("attr"))
    if type(attrs) is not dict:
        _wrong(field, "is a call without attrs")
    said = {key: _string(value, f"{field}.attrs.{key[:40]}") for key, value in attrs.items()}
    counts = []
    for key in ("num_inputs", "num_outputs"):
        if not re.fullmatch(r"[0-9]{1,6}", said.get(key, "")):
            _wrong(f"{field}.attrs.{key}", "must be a number in quotes")
        counts.append(int(said[key]))
    if counts[0] != len(inputs) or not counts[1]:
        _wrong(field, f"has {len(inputs)} inputs, says {counts[0]}, and {counts[1]} outputs")
    if said.get("flatten_data") != "0":
        _wrong(f"{field}.attrs.flatten_data", "must be '0'")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.$-]{0,255}", said.get("func_name", ""), re.ASCII):
        _wrong(
            f"{field}.attrs.func_name", "must be 1 to 256 letters, digits and '_.$-', a letter or '_' first"
        )
    known = ("func_name", "num_inputs", "num_outputs", "flatten_data")
    rest = tuple((key, value) for key, value in said.items() if key not in known)
    return Node(name, inputs, said["func_name"], counts[1], rest)


def _reference(item: Any, field: str, limit: int, nodes: Sequence[Node]) -> tuple[int, int]:
    numbers = _list(item, field)
    if len(numbers) not in (2, 3):
        _wrong(field, "must be [node, output, version]")
    node = _int(numbers[0], field, 0, limit - 1)
    return node, _int(numbers[1], field, 0, nodes[node].outputs - 1)


def _entries(attrs: Any, count: int) -> tuple[Entry, ...]:
    if type(attrs) is not dict:
        _wrong("attrs", "must be an object")
    tables: dict[str, list[Any]] = {}
    for key, tag in (
        ("dltype", "list_str"),
        ("storage_id", "list_int"),
        ("shape", "list_shape"),
        ("device_index", "list_int"),
    ):
        if key == "device_index" and key not in attrs:
            tables[key] = [1] * count
            continue
        pair = _list(attrs.get(key), f"attrs.{key}")
        if len(pair) != 2 or pair[0] != tag or len(_list(pair[1], f"attrs.{key}")) != count:
            _wrong(f"attrs.{key}", f"must be [{tag!r}, a list of {count}]")
        tables[key] = pair[1]
    entries = []
    for at, (name, storage, extents, device) in enumerate(
        zip(tables["dltype"], tables["storage_id"], tables["shape"], tables["device_index"], strict=True)
    ):
        dtype = _DTYPES.get(name) if type(name) is str else None
        if dtype is None:
            _wrong(f"attrs.dltype[{at}]", f"must be one of {', '.join(_DTYPES)}, got {str(name)[:40]!r}")
        if len(_list(extents, f"attrs.shape[{at}]")) > MAX_RANK:
            _wrong(f"attrs.shape[{at}]", f"has more than {MAX_RANK} dimensions")
        size = dtype.size_bytes
        for extent in extents:
            size *= max(1, _int(extent, f"attrs.shape[{at}]", 0, MAX_BYTES))
            if size > MAX_BYTES:
                _wrong(f"attrs.shape[{at}]", f"makes a tensor of more than {MAX_BYTES} bytes")
        number = _int(storage, f"attrs.storage_id[{at}]", 0, max(count, 1) * 16)
        entries.append(
            Entry(dtype, tuple(extents), number, _int(device, f"attrs.device_index[{at}]", 0, 255))
        )
    return tuple(entries)


def _list(value: Any, field: str) -> list[Any]:
    if type(value) is not list:
        _wrong(field, "must be a list")
    return value


def _string(value: Any, field: str) -> str:
    if type(value) is not str or len(value) > 65536:
        _wrong(field, "must be a string")
    return value


def _int(value: Any, field: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        _wrong(field, f"must be a whole number from {low} to {high}")
    return value


def _wrong(field: str, problem: str) -> NoReturn:
    raise ArtifactError(f"graph: {field} {problem}", field=field)
