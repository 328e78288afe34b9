"""Which inputs of a model decide a value: small ones that only select may be bound while building."""

from __future__ import annotations

import math
import shlex

import onnx_ir as ir

from ingot.graph.read.types import static_shape

# An input of more elements is data, which nobody binds.
SELECTOR_ELEMENTS_MAX = 64
_GENERAL = (
    "; if an input decides it once for all, give that input by constants=, on the command line by --constant"
)


def how_to_bind(*values: ir.Value | None) -> str:
    """What to give so that values become known while building, as the end of a sentence: the inputs by name where small ones
    decide; nothing where data does.
    """
    names = _deciders([value for value in values if value is not None])
    if names is None:
        return _GENERAL
    if not names:
        return ""
    listed = " and ".join(repr(name) for name in names)
    given = ", ".join(f"{name!r}: …" for name in names)
    words = " ".join(f"--constant {shlex.quote(f'{name}=VALUE')}" for name in names)
    verb, them = ("decides", "it") if len(names) == 1 else ("decide", "them")
    return f"; {listed} {verb} it: give {them} by constants={{{given}}}, on the command line by {words}"


def what_to_do(node: ir.Node, positions: object, *, takes_open: bool) -> str:
    """What to bind where a node needs the inputs at these positions known while building; and if it takes arguments that are
    known only while running, the outputs whose shape may be stated instead.
    """
    if not isinstance(positions, tuple) or not positions:
        return ""
    bind = how_to_bind(*(node.inputs[position] for position in positions))
    open_ = [repr(value.name) for value in node.outputs if value.name and static_shape(value) is None]
    if not open_ or not takes_open:
        return bind
    return (
        f"{bind}; or state the shape of {' and '.join(open_)} in the model, and it is checked while running"
    )


def _deciders(values: list[ir.Value]) -> list[str] | None:
    """The names of the inputs that the content of values follows from, sorted; empty if one of them is data, None if there is
    none: it comes out of a node that has no inputs.
    """
    names: set[str] = set()
    waiting, seen = list(values), set(values)
    while waiting:
        value = waiting.pop()
        node = value.producer()
        if node is None:
            if value.is_graph_input() and not value.is_initializer():
                shape = static_shape(value)
                if shape is None or math.prod(shape) > SELECTOR_ELEMENTS_MAX:
                    return []
                names.add(value.name or "")
            continue
        if node.op_type in ("Shape", "Size"):
            continue
        given = [source for source in node.inputs if source is not None and source not in seen]
        seen.update(given)
        waiting += given
    return sorted(names) or None
