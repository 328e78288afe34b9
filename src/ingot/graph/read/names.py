"""Gives every node and every value of a graph a name of its own."""

from __future__ import annotations

import onnx_ir as ir


def name_all(graph: ir.Graph) -> None:
    """Names nodes `<OpType>_<position>` and values `<node>_out<number>` where the model left the name out, and makes node names
    unique. An omitted optional output stays without a name. In place; the same model gets the same names.
    """
    values: set[str] = {value.name for value in (*graph.inputs, *graph.initializers.values()) if value.name}
    values.update(value.name for node in graph for value in node.outputs if value.name)
    given = {node.name for node in graph if node.name}
    nodes: set[str] = set()
    numbers: dict[str, int] = {}  # the next to try: thousands of nodes may have one name
    for position, node in enumerate(graph):
        wanted = node.name or f"{node.op_type}_{position}"
        name, number = wanted, numbers.get(wanted, 1)
        while name in nodes or (not node.name and name in given):
            name, number = f"{wanted}_{number}", number + 1
        numbers[wanted] = number
        node.name = name
        nodes.add(name)
        for number, value in enumerate(node.outputs):
            if not value.name and value.uses():
                value.name = unused(f"{name}_out{number}", values)


def unused(wanted: str, taken: set[str]) -> str:
    """The name, with underscores behind it if it is taken. It is taken from now on."""
    while wanted in taken:
        wanted += "_"
    taken.add(wanted)
    return wanted


def unused_name(graph: ir.Graph, wanted: str) -> str:
    """The name itself, or with underscores behind it until no input or initializer and no node's output has it."""
    taken = {value.name for value in (*graph.inputs, *graph.initializers.values()) if value.name}
    taken.update(value.name for node in graph for value in node.outputs if value.name)
    return unused(wanted, taken)
