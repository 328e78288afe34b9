"""Hypothesis strategies: kernels that keep the rules, and expressions over loop indices."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Call,
    Cast,
    Const,
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
    Store,
    Unary,
    Var,
    buffer,
    index,
)

I64, F32, BOOL = DType.INT64, DType.FLOAT32, DType.BOOL
KINDS = (LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.VECTOR, LoopKind.PARALLEL)


@st.composite
def index_expressions(draw: st.DrawFn, variables: tuple[Var, ...], size: int = 8) -> Expr:
    """An int64 expression that divides by positive constants only. Nodes are drawn from a pool, so they are often shared."""
    pool: list[Expr] = [*variables, index(draw(st.integers(-9, 99)))]
    for _ in range(draw(st.integers(0, size))):
        a, b = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
        number = index(draw(st.sampled_from([1, 2, 3, 4, 6, 7, 8, 12, 56])))
        op = draw(st.sampled_from(["add", "sub", "mul", "min", "max", "div", "rem", "scale", "select"]))
        if op in ("div", "rem"):
            pool.append(Binary(op, a, number))
        elif op == "scale":
            pool.append(Binary("mul", a, number))
        elif op == "select":
            comparison = draw(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]))
            pool.append(Select(Binary(comparison, a, number), b, a))
        else:
            pool.append(Binary(op, a, b))
    return pool[-1]


@st.composite
def values(draw: st.DrawFn, variables: tuple[Var, ...], sources: tuple[Buffer, ...], size: int = 12) -> Expr:
    """A float32 expression over loads. A load that could be out of bounds is under a Select that asks for its bounds."""
    pool: list[Expr] = [Const(draw(st.floats(width=32)), F32)]
    for _ in range(draw(st.integers(1, size))):
        a, b, c = (draw(st.sampled_from(pool)) for _ in range(3))
        match draw(st.sampled_from(["load", "guarded", "binary", "call", "fma", "select", "cast", "neg"])):
            case "load":
                source = draw(st.sampled_from(sources))
                where = draw(
                    st.sampled_from(variables[:2])
                )  # loop indices: a remainder of them is not negative
                pool.append(
                    Load(source, tuple(Binary("rem", where, index(extent)) for extent in source.shape))
                )
            case "guarded":
                source = draw(st.sampled_from(sources))
                where = tuple(draw(index_expressions(variables, 3)) for _ in source.shape)
                inside: Expr = Const(True, BOOL)
                for part, extent in zip(where, source.shape, strict=True):
                    inside = Binary(
                        "and",
                        inside,
                        Binary("and", Binary("ge", part, index(0)), Binary("lt", part, index(extent))),
                    )
                element = Load(source, where)
                shared = Binary("mul", element, element)
                pool.append(Select(inside, shared, a))
                pool.append(Select(inside, Binary("add", shared, element), b))
            case "binary":
                pool.append(
                    Binary(draw(st.sampled_from(["add", "sub", "mul", "div", "rem", "min", "max"])), a, b)
                )
            case "call":
                pool.append(
                    Call(draw(st.sampled_from(["abs", "sqrt", "tanh", "erf", "floor", "rint"])), (a,))
                )
            case "fma":
                pool.append(Fma(a, b, c))
            case "select":
                pool.append(Select(Binary(draw(st.sampled_from(["lt", "ge", "ne"])), a, b), b, c))
            case "cast":
                pool.append(Cast(draw(index_expressions(variables, 3)), F32))
            case "neg":
                pool.append(Unary("neg", a))
    return pool[-1]


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    """A kernel of two loops with a local, a Let, an If and a store, that keeps every rule."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    sources = (buffer("a", F32, (3, 2)), buffer("b", F32, (2, 2), (1, 2)))
    target = buffer("out", F32, (rows, columns))
    i, j, n = Var("i"), Var("j"), Var("n")
    local = buffer("local", F32, (2,))
    with_let = (i, j, n)
    body = (
        Let(n, draw(index_expressions((i, j), 4))),
        Alloc(local),
        Prefetch(
            sources[0],
            (draw(st.sampled_from([index(1), i % 3])), index(1)),
            draw(st.booleans()),
            draw(st.booleans()),
        ),
        Store(local, (index(0),), draw(values(with_let, sources))),
        Store(local, (index(1),), draw(values(with_let, sources))),
        If(
            Binary(draw(st.sampled_from(["lt", "gt", "eq"])), n, j),
            (Store(target, (i, j), draw(values(with_let, (*sources, local)))),),
            draw(st.sampled_from([(), (Store(target, (i, j), Const(1.5, F32)),)])),
        ),
    )
    inner = For(j, index(columns), body, draw(st.sampled_from(KINDS[:3])))
    outer = For(i, index(rows), (inner,), draw(st.sampled_from((KINDS[0], KINDS[3]))))
    return Kernel("made", sources, (target,), (outer,), comment=draw(st.text(max_size=20)))


def arrays_for(kernel: Kernel, seed: int = 0) -> dict[str, np.ndarray]:
    """Random content for every parameter."""
    random = np.random.default_rng(seed)
    return {
        each.name: (random.standard_normal(each.span) * 3).astype(each.dtype.numpy)
        if each.dtype.is_float
        else random.integers(0, 2 if each.dtype is BOOL else 100, each.span).astype(each.dtype.numpy)
        for each in kernel.params
    }
