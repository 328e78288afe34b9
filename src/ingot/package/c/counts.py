"""Extents that depend on content, in C: what headers say of them."""

from __future__ import annotations

from collections.abc import Iterable

from ingot.artifact.model_info import COUNTS_OUTPUT, ModelInfo
from ingot.package.c.tensors import c_names, members_of, words


def count_notes(info: ModelInfo) -> Iterable[str]:
    """What the header's first comments say of a model that counts places while it runs; nothing of others."""
    if not info.counts:
        return
    symbol, upper = info.symbol, info.symbol.upper()
    member = _member(info)
    yield "/* How many places some axes of outputs have depends on the content of inputs. Buffers have room for the most, which"
    yield f" * is what macros say, and the places that are there are the first of their axis. An inference writes to `{member}`"
    yield f" * how many there are of each extent of enum {symbol}_count. What is behind them may be anything; an element of an"
    yield " * output lies where it lies if all places are there."
    if any(check.role == "count" for check in info.checks):
        yield f" * If there are more places of an extent than it may have (or others than the model declares), {symbol}_run gives"
        yield f" * {upper}_ERROR_KERNEL. Then `{member}` says how many of the first such extent there are, and other outputs"
        yield " * have no result. Set it to 0 before a call to tell this from other errors, which end a run earlier."
    yield " */"


def count_macros(info: ModelInfo) -> Iterable[str]:
    """Lines that define the place of each extent among the counts, and the most places of it."""
    if not info.counts:
        return
    upper, names = info.symbol.upper(), [name.upper() for name in c_names([dim.name for dim in info.counts])]
    yield ""
    yield f"/* Extents that depend on content, by their places in `{_member(info)}`. */"
    yield f"enum {info.symbol}_count {{"
    for at, (dim, name) in enumerate(zip(info.counts, names, strict=True)):
        axes = ", ".join(f"axis {axis} of {words(output)}" for output, axis, *_ in dim.counts)
        comma = "," if at + 1 < len(names) else ""
        note = f"; {axes}" if axes else ""
        yield f"    {upper}_COUNT_{name} = {at}{comma} /* {words(dim.name)}: {dim.words}{note} */"
    yield "};"
    yield f"#define {upper}_COUNTS {len(names)}"
    for dim, name in zip(info.counts, names, strict=True):
        yield f"#define {upper}_LOW_{name} {dim.low}"
        yield f"#define {upper}_HIGH_{name} {dim.high}"


def _member(info: ModelInfo) -> str:
    """The output that has the counts, as C names it."""
    return next(member.name for member in members_of(info.outputs) if member.tensor.name == COUNTS_OUTPUT)
