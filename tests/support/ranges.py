"""Loops that go by ranges, cut as a pool of some threads cuts them."""

from __future__ import annotations

from dataclasses import replace

from ingot.loops.nodes import For, Let, Var, index


def in_parts(stmts, count):
    """The statements with all loops that go by ranges in so many parts, or one for each iteration, the last one first."""
    return tuple(_cut(stmt, count) if isinstance(stmt, For) else stmt for stmt in stmts)


def _cut(loop, count):
    if loop.end is None:
        return replace(loop, body=in_parts(loop.body, count))
    part, count = Var(f"{loop.var.name}_part"), min(count, int(loop.extent.value))
    here = (count - 1) - part
    begin = (loop.var, here * loop.extent // count), (loop.end, (here + 1) * loop.extent // count)
    return For(part, index(count), (*(Let(var, value) for var, value in begin), *loop.body))
