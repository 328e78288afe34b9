"""Memory that each iteration of a loop uses for itself: what it reads there, it has written before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from ingot.loops.analyse.accesses import Access
from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Const, Expr, For, If, Load, Var, index
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import bound_by, postorder

_OFFSETS_MAX = 1 << 16  # that are looked at one by one
_Key = frozenset[tuple[str, int]]  # the terms of a form, by their text


def refilling_loops(used: Sequence[Access]) -> frozenset[int] | None:
    """By `id`, for all that is read of a buffer, the innermost loop of which each iteration writes before what it reads there.
    None: something is read that no iteration of a loop is known to have written.

    So what an iteration of another loop writes is for that iteration alone, unless one of these loops is around that loop. `used`
    has all accesses of a kernel to the buffer. It is shown element by element, for loops whose extents are constant.
    """
    stores = [access for access in used if access.is_store]
    loops: set[int] = set()
    for load in used:
        if load.is_store:
            continue
        around = load.path[: _depth_of_writer(load, stores) + 1]
        innermost = next((outer for outer, _ in reversed(around) if isinstance(outer, For)), None)
        if innermost is None:
            return None
        loops.add(id(innermost))
    return frozenset(loops)


def _depth_of_writer(load: Access, stores: Sequence[Access]) -> int:
    """How many loops and branches are around a load and stores that come before it and write all that it reads, in one iteration
    of the innermost; 0 where there are no such stores in a loop.
    """
    by_depth: dict[int, list[Access]] = {}
    for store in stores:
        depth = _depth_where_first(store, load)
        if depth is not None:
            by_depth.setdefault(depth, []).append(store)
    return next(
        (depth for depth in sorted(by_depth, reverse=True) if _covers(load, by_depth[depth], depth)), 0
    )


def _depth_where_first(store: Access, load: Access) -> int | None:
    """How many loops and branches are around both a store and a load, where the store comes first and is sure to be done; None
    where it is not so.
    """
    for depth, ((outer, first), (other, then)) in enumerate(zip(store.path, load.path, strict=False)):
        if outer is not other:
            return None
        if first != then:
            in_order = (first < then) if first >= 0 and then >= 0 else (0 > first > then)
            is_sure = all(isinstance(inner, For) for inner, _ in store.path[depth + 1 :])
            return depth if in_order and is_sure else None
    return None


def _covers(load: Access, stores: Sequence[Access], depth: int) -> bool:
    """Whether stores write all offsets that a load reads, in one iteration of what is around all of them."""
    wanted = _offsets(load, depth)
    if wanted is None:
        return False
    written = [offsets for offsets in (_offsets(store, depth) for store in stores) if offsets is not None]
    same = [some for terms, some in written if terms == wanted[0]]
    return bool(same) and bool(np.isin(wanted[1], np.concatenate(same)).all())


def _offsets(access: Access, depth: int) -> tuple[_Key, np.ndarray] | None:
    """The offsets of an access in loops deeper than some: terms that stay the same, and all sums of the others."""
    extents: dict[Var, int] = {}
    for loop, _ in access.path[depth + 1 :]:
        if isinstance(loop, If):
            continue
        if loop is None or not isinstance(loop.extent, Const) or loop.end is not None:
            return None
        extents[loop.var] = int(loop.extent.value)
    form = offset_of(access)
    inner = {atom: factor for atom, factor in form.terms.items() if _moves(atom, extents)}
    total = np.array([form.constant])
    for atom, factor in inner.items():
        if not isinstance(atom, Var) or total.size * extents[atom] > _OFFSETS_MAX:
            return None
        total = np.unique(np.add.outer(total, factor * np.arange(extents[atom])))
    outer = {atom: factor for atom, factor in form.terms.items() if atom not in inner}
    around = {var for loop, _ in access.path[: depth + 1] if isinstance(loop, For) for var in bound_by(loop)}
    if not all(_is_made_of(atom, around) for atom in outer):
        return None
    return frozenset((expr_text(atom), factor) for atom, factor in outer.items()), total


def _moves(atom: Expr, inner: Mapping[Var, int]) -> bool:
    return any(isinstance(node, Var) and node in inner for node in postorder(atom))


def _is_made_of(atom: Expr, variables: Set[Var]) -> bool:
    """Whether an expression has the same value wherever some variables have: nothing in it was read from memory."""
    nodes = postorder(atom)
    return not any(
        isinstance(node, Load) or (isinstance(node, Var) and node not in variables) for node in nodes
    )


def offset_of(access: Access) -> Linear:
    """The affine form of how far in its buffer's memory an access is, in elements."""
    total: Expr = index(0)
    buffer = access.buffer
    for part, extent, stride in zip(access.index, buffer.shape, buffer.strides, strict=True):
        if extent != 1:
            total = total + part * stride
    return Ranges({}).linear(total)
