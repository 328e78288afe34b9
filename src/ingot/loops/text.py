"""Printing kernels: a readable text form that loses nothing (`parse` reads it back).

    kernel relu {
      "max(x, 0)"
      in x: f32[2, 3]{3, 1}
      out y: f32[2, 3]{3, 1}
      parallel i < 2 {
        vector j < 3 {
          $0 = x[i, j]
          store y[i, j] = select(($0 > 0.0:f32), $0, 0.0:f32)
        }
      }
    }

`$0 = …` names a node of the expression graph of the statement that follows; it computes nothing by itself. A node that is used
more than once in a statement is printed once, so the text is as long as the graph, not as its tree. A node whose text is long is
named too, so no line grows without bound and no text nests deeply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Load,
    LoopKind,
    Prefetch,
    Select,
    Space,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
)
from ingot.loops.transform.rewrite import (
    bound_by,
    children,
    expressions,
    order_of,
    postorder_and_uses,
    shared_in,
)

# Binary operators that are written between their operands; `min` and `max` are written as functions.
INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "rem": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
LOOP_WORDS = {
    LoopKind.SERIAL: "for",
    LoopKind.UNROLLED: "unrolled",
    LoopKind.VECTOR: "vector",
    LoopKind.PARALLEL: "parallel",
    LoopKind.TILES: "tiles",
    LoopKind.GROUP: "group",
    LoopKind.ITEM: "item",
}
ALLOC_WORDS = {Space.LOCAL: "alloc", Space.SHARED: "shared", Space.PER_ITEM: "per_item"}
_INLINE_CHARACTERS = 90  # a longer text gets a name of its own
_INLINE_DEPTH = 24


# What is said of a loop, at the end of its line; nothing where that is empty.
Remark = Callable[[For], str]


def to_text(kernel: Kernel) -> str:
    """The text form of a whole kernel."""
    return named_text(kernel, body_text(kernel))


_UNNAMED = "kernel {\n"


def body_text(kernel: Kernel, remark: Remark = lambda _: "") -> str:
    """The text form without the kernel's name and comment: equal texts are kernels that do the same. One with remarks is for
    people; `parse` does not read it.
    """
    return _UNNAMED + "\n".join([*_lines(kernel, remark), "}"]) + "\n"


def named_text(kernel: Kernel, body: str) -> str:
    """The text form of a whole kernel whose `body_text` is known."""
    comment = f"  {json.dumps(kernel.comment)}\n" if kernel.comment else ""
    return f"kernel {kernel.name} {{\n{comment}{body.removeprefix(_UNNAMED)}"


def stmt_text(stmt: Stmt) -> str:
    """A statement with everything inside it."""
    lines: list[str] = []
    _write((stmt,), "", lines, lambda _: "")
    return "\n".join(lines)


def head_text(stmt: Stmt) -> str:
    """A statement without the statements inside it, for messages."""
    named, texts = expression_texts(expressions(stmt))
    return "\n".join([*named, _head(stmt, texts)])


def expr_text(expr: Expr) -> str:
    """An expression; shared nodes first, one a line."""
    if isinstance(expr, Var):  # most questions are of these
        return expr.name
    named, texts = expression_texts((expr,))
    return "\n".join([*named, *texts])


def buffer_text(buffer: Buffer) -> str:
    """`name: f32[2, 3]{3, 1}`: the shape, then the strides."""
    shape, strides = (", ".join(map(str, part)) for part in (buffer.shape, buffer.strides))
    return f"{buffer.name}: {buffer.dtype.short}[{shape}]{{{strides}}}"


def const_text(const: Const) -> str:
    """`3` (int64), `true`, `3:u8`, `0.5:f32`, `-inf:f64`: lossless, but for the bits of a NaN."""
    if const.dtype is DType.INT64:
        return str(int(const.value))
    if const.dtype.is_float:
        return f"{float(const.value)!r}:{const.dtype.short}"
    if const.dtype is DType.BOOL:
        return "true" if const.value else "false"
    return f"{int(const.value)}:{const.dtype.short}"


def expression_texts(roots: Sequence[Expr]) -> tuple[list[str], list[str]]:
    """The lines that name nodes, and the text of each root."""
    order, uses = postorder_and_uses(roots)
    return _texts(roots, order, {key for key, count in uses.items() if count > 1})


def _texts(roots: Sequence[Expr], order: Sequence[Expr], several: Set[int]) -> tuple[list[str], list[str]]:
    """The same, for the nodes in `postorder` and those that are used more than once."""
    named: list[str] = []
    texts: dict[int, str] = {}
    depths: dict[int, int] = {}
    whole = {id(root) for root in roots}
    for node in order:
        key = id(node)
        operands = children(node)
        if not operands:
            text, depth = _TEXTS[type(node)](node, ()), 1
            shared = key in several and not isinstance(node, Const | Var)
        else:
            keys = [id(child) for child in operands]
            text = _TEXTS[type(node)](node, [texts[operand] for operand in keys])
            depth = 1 + max([depths[operand] for operand in keys])
            shared = key in several or (
                (len(text) > _INLINE_CHARACTERS or depth > _INLINE_DEPTH) and key not in whole
            )
        if shared:
            name = f"${len(named)}"
            named.append(f"{name} = {text}")
            text, depth = name, 0
        texts[key] = text
        depths[key] = depth
    return named, [texts[id(root)] for root in roots]


_TEXTS: Mapping[type[Expr], Callable[[Any, Sequence[str]], str]] = {
    Const: lambda node, _: const_text(node),
    Var: lambda node, _: node.name,
    Binary: lambda node, x: (
        f"({x[0]} {INFIX[node.op]} {x[1]})" if node.op in INFIX else f"{node.op}({x[0]}, {x[1]})"
    ),
    Load: lambda node, x: f"{node.buffer.name}[{', '.join(x)}]",
    Unary: lambda node, x: f"{node.op}({x[0]})",
    Fma: lambda _, x: f"fma({', '.join(x)})",
    Word: lambda _, x: f"word({x[0]})",
    Dot2: lambda _, x: f"dot2({', '.join(x)})",
    Dot4: lambda node, x: f"dot4{'s' * node.signed}{'n' * node.narrow}({', '.join(x)})",
    Select: lambda _, x: f"select({', '.join(x)})",
    Cast: lambda node, x: f"{node.dtype.short}({x[0]})",
    Bitcast: lambda node, x: f"bitcast_{node.dtype.short}({x[0]})",
    Call: lambda node, x: f"{node.function}({', '.join(x)})",
}


def _lines(kernel: Kernel, remark: Remark) -> list[str]:
    lines = [
        f"  {word} {buffer_text(buffer)}"
        for word, buffers in (("in", kernel.inputs), ("out", kernel.outputs), ("work", kernel.workspaces))
        for buffer in buffers
    ]
    lines += [f"  in_place {source} {destination}" for source, destination in kernel.in_place]
    lines += ["  checks"] if kernel.checks else []
    _write(kernel.body, "  ", lines, remark)
    return lines


def _write(stmts: Sequence[Stmt], indent: str, lines: list[str], remark: Remark) -> None:
    for stmt in stmts:
        named, texts = _texts(expressions(stmt), order_of(stmt), shared_in(stmt))
        lines += [indent + line for line in named]
        head = indent + _head(stmt, texts)
        match stmt:
            case For():
                said = remark(stmt)
                lines.append(f"{head} {{  # {said}" if said else head + " {")
                _write(stmt.body, indent + "  ", lines, remark)
                lines.append(indent + "}")
            case If():
                lines.append(head + " {")
                _write(stmt.then, indent + "  ", lines, remark)
                if stmt.otherwise:
                    lines.append(indent + "} else {")
                    _write(stmt.otherwise, indent + "  ", lines, remark)
                lines.append(indent + "}")
            case _:
                lines.append(head)


def _head(stmt: Stmt, texts: Sequence[str]) -> str:
    match stmt:
        case For():
            names = ", ".join(var.name for var in bound_by(stmt))
            by = f" by {stmt.run_min}" if stmt.end is not None else ""
            return f"{LOOP_WORDS[stmt.kind]} {names} < {texts[0]}{by}"
        case If():
            return f"if {texts[0]}"
        case Store():
            return f"store {stmt.buffer.name}[{', '.join(texts[:-1])}] = {texts[-1]}"
        case Prefetch():
            return (
                f"prefetch{'_near' * stmt.near}{'_alone' * stmt.alone} {stmt.buffer.name}[{', '.join(texts)}]"
            )
        case Let():
            return f"let {stmt.var.name}: {stmt.var.dtype.short} = {texts[0]}"
        case Alloc():
            return f"{ALLOC_WORDS[stmt.space]} {buffer_text(stmt.buffer)}"
