"""Loops whose bodies are functions from indices to statements, and what templates share besides: folds of a row, storage orders.

The loops are those of `loops/build/builder.py`, with which new kernels are written: there a body is that of a `for` statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.loops.build.builder import Extent, known, with_body
from ingot.loops.build.builder import expecting as expecting
from ingot.loops.build.builder import flat_index as flat_index
from ingot.loops.build.builder import pieces as pieces
from ingot.loops.build.builder import split_index as split_index
from ingot.loops.build.builder import vector_sizes as vector_sizes
from ingot.loops.nodes import (
    Alloc,
    Expr,
    For,
    Let,
    Load,
    LoopKind,
    Stmt,
    Var,
    binary,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.machines.machine import Machine
from ingot.machines.tuning import DEFAULT

Body = Callable[[Expr], Sequence[Stmt]]
_PARTS = DEFAULT.rows.parts  # partial results of a fold, so that one need not wait for another
_SIDE_BY_SIDE = DEFAULT.rows.function_vectors
Combine = Callable[[Expr, Expr], Expr]


def side_by_side(lanes: int) -> int:
    """Lanes of a vector loop for a function such as exp, from those of a register.

    It is a long chain of operations that wait for each other: some vectors side by side keep the processor busy meanwhile.
    """
    return _SIDE_BY_SIDE * lanes if lanes > 1 else lanes


def loop(name: str, extent: Extent, body: Body, kind: LoopKind = LoopKind.SERIAL) -> tuple[Stmt, ...]:
    """`Builder.loop` around a body."""
    return with_body(lambda k: k.loop(name, extent, kind), body)


def loop_by_ranges(
    name: str,
    count: int,
    machine: Machine,
    body: Callable[[Expr, Expr, Expr], Sequence[Stmt]],
    run_min: int | None = None,
    there: Extent | None = None,
) -> tuple[Stmt, ...]:
    """A parallel loop whose body does iterations in a row, from the first up to the last, in one of at most `parts_max` places:
    `body(place, first, last)`. There are `places` of so many iterations, and no two threads have one at the same time. They
    should be `run_min` in a row, by default as many as pay, where each thread has some. `there` are the iterations that are done,
    where not all are.
    """
    if not count:
        return ()
    parts, begin, end = places(count, machine), Var(name), Var(f"{name}_end")
    run = machine.tuning.threads.range_min_run if run_min is None else run_min
    done = count if there is None else there
    stmts = tuple(body(begin, begin * done // parts, end * done // parts))
    return (For(begin, index(parts), stmts, LoopKind.PARALLEL, end, -(-run * parts // count)),)


def places(count: int, machine: Machine) -> int:
    """How many places a loop by ranges with `count` iterations has."""
    return min(count, parts_max(machine))


def parts_max(machine: Machine) -> int:
    """How many parts a loop by ranges has at most: one for each core, where a target says how many there are."""
    maximum = machine.tuning.threads.range_max_parts
    return min(machine.cores or maximum, maximum)


def nest(
    names: Sequence[str], extents: Sequence[Extent], body: Callable[[tuple[Expr, ...]], Sequence[Stmt]]
) -> tuple[Stmt, ...]:
    """`Builder.nest` around a body, which gets all indices."""
    return with_body(lambda k: k.nest(names, extents), body)


def collapse(
    name: str,
    extents: Sequence[Extent],
    body: Callable[[tuple[Expr, ...]], Sequence[Stmt]],
    kind: LoopKind = LoopKind.PARALLEL,
) -> tuple[Stmt, ...]:
    """`Builder.collapse` around a body, which gets the indices of the box."""
    return with_body(lambda k: k.collapse(name, extents, kind), body)


def across_lines(lanes: int, strides: Sequence[int], dtype: DType, machine: Machine) -> int:
    """The lanes of vectors that walk through memory with these strides: half as many, if whole ones reach across lines of the
    cache where that is slow. For functions, of which some vectors are computed side by side, whole ones are worth more.
    """
    whole = machine.double_pumped_512 and lanes * dtype.size_bytes == machine.vector_bytes
    return lanes // 2 if whole and any(step % lanes for step in strides if step != 1) else lanes


def tiles(
    name: str,
    extent: Extent,
    sizes: Sequence[int],
    body: Callable[[Expr, int], Sequence[Stmt]],
    kind: LoopKind = LoopKind.SERIAL,
) -> tuple[Stmt, ...]:
    """`Builder.tiles` around a body: `body(start, size)` writes one tile."""
    return with_body(lambda k: k.tiles(name, extent, sizes, kind), lambda tile: body(*tile))


def vector(name: str, width: int, body: Body) -> tuple[Stmt, ...]:
    """`Builder.vector` around a body, which gets the lane."""
    return with_body(lambda k: k.vector(name, width), body)


def vector_blocks(
    name: str, extent: Extent, lanes: int, body: Body, kind: LoopKind = LoopKind.SERIAL
) -> tuple[Stmt, ...]:
    """`Builder.vector_blocks` around a body, which gets the index."""
    return with_body(lambda k: k.vector_blocks(name, extent, lanes, kind), body)


def vectors_of(size: int, lanes: int, body: Body, *, name: str = "lane") -> tuple[Stmt, ...]:
    """`Builder.vectors` around a body, which gets the index."""
    return with_body(lambda k: k.vectors(size, lanes, name), body)


def by_storage_order(strides: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost; those of extent 1 come first."""
    return tuple(sorted(range(len(shape)), key=lambda axis: (shape[axis] != 1, -strides[axis], axis)))


def contiguous_axis(strides: Sequence[int], shape: Sequence[int]) -> int | None:
    """The dimension whose elements lie side by side, None where there is none of more than one element."""
    for axis in reversed(range(len(shape))):
        if strides[axis] == 1 and shape[axis] > 1:
            return axis
    return None


def accumulator_type(dtype: DType) -> DType:
    """The type in which sums of `dtype` are kept: half floats in float32, all others in their own."""
    return DType.FLOAT32 if dtype in (DType.FLOAT16, DType.BFLOAT16) else dtype


def add(left: Expr, right: Expr) -> Expr:
    """A sum, as a `Combine`."""
    return binary("add", left, right)


def larger(left: Expr, right: Expr) -> Expr:
    """The maximum as NumPy has it: NaN if either is NaN."""
    return _extreme("max", left, right)


def smaller(left: Expr, right: Expr) -> Expr:
    """The minimum as NumPy has it: NaN if either is NaN."""
    return _extreme("min", left, right)


def _extreme(op: str, left: Expr, right: Expr) -> Expr:
    if not left.dtype.is_float:
        return binary(op, left, right)
    # With a NaN in either operand this gives the left one; in a fold that is the result so far, for which no more is to wait.
    return select(compare("ne", right, right), right, binary(op, right, left))


def fold_row(
    name: str,
    extent: int,
    lanes: int,
    element: Callable[..., Expr],
    initial: Expr,
    combine: Combine,
    merge: Combine | None = None,
    outer: Sequence[Extent] = (),
    keep: Callable[..., Sequence[Stmt]] | None = None,
    neutral: bool = False,
    parts: int = _PARTS,
) -> tuple[tuple[Stmt, ...], Expr]:
    """Folds `element(0) … element(extent-1)` in a free order, by vectors with independent partial results.

    Args:
        name: prefix of the names of loops and locals; unique in the kernel.
        extent: number of elements, at least 0.
        lanes: elements in one vector; 1 for scalar code.
        element: the element at an index (behind the indices of `outer`), of the type of `initial`.
        initial: the neutral element, so that every partial result can start from it.
        combine: `(partial result, element) → partial result`.
        merge: `(partial result, partial result) → partial result`; by default `combine`.
        outer: extents of more dimensions that are folded too, outside the vectors; they may be known only while running.
        keep: statements that see each element as well: `keep(*indices, value)`.
        neutral: `combine(initial, element)` is the element to the last bit, so that partial results may begin with elements.
        parts: vectors of partial results, a power of two.

    Returns:
        Statements, and the result as an expression valid behind them in the same block.
    """
    join = merge or combine
    lanes = min(lanes, power_of_two_below(max(1, extent)))
    parts = power_of_two_below(max(1, min(parts, extent // lanes)))
    # Rows too short for partial results of their own are folded side by side.
    innermost = known(outer[-1]) if outer and parts == 1 else None
    together = 1 if innermost is None else min(_PARTS, power_of_two_below(max(1, innermost)))
    width = lanes * parts * together
    partial = buffer(f"{name}_partial", initial.dtype, (width,))

    def update(where: tuple[Expr, ...], slot: Expr) -> Sequence[Stmt]:
        value = element(*where)
        if keep is None:
            return (store(partial, (slot,), combine(load(partial, slot), value)),)
        named = Var(f"{name}_value", value.dtype)
        return (
            Let(named, value),
            *keep(*where, named),
            store(partial, (slot,), combine(load(partial, slot), named)),
        )

    def chunks(size: int, body: Body) -> tuple[Stmt, ...]:
        return vectors_of(size, lanes, body, name=f"{name}_lane")

    def row(where: tuple[Expr, ...], slots: int = 0) -> tuple[Stmt, ...]:
        sizes = (lanes * parts, *vector_sizes(lanes)) if parts > 1 else vector_sizes(lanes)
        return tiles(
            f"{name}_block",
            extent - begun,
            sizes,
            lambda start, size: chunks(
                size, lambda lane: update((*where, start + lane + begun), lane + slots)
            ),
        )

    def rows(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        if together == 1:
            return row(where)

        def some(start: Expr, size: int) -> Sequence[Stmt]:
            return [stmt for number in range(size) for stmt in row((*where, start + number), number * lanes)]

        return tiles(f"{name}_outer{len(outer) - 1}", outer[-1], (together, 1), some)

    # The first elements need not be folded with anything, where nothing else is done to them.
    begun = width if neutral and keep is None and not outer and extent >= width else 0
    stmts: list[Stmt] = [Alloc(partial)]
    stmts += chunks(width, lambda lane: (store(partial, (lane,), element(lane) if begun else initial),))
    alone = outer[:-1] if together > 1 else outer
    stmts += nest([f"{name}_outer{axis}" for axis in range(len(alone))], alone, rows)
    half = width // 2
    while half >= 1:
        stmts += chunks(
            half,
            lambda lane, half=half: (  # type: ignore[misc]
                store(partial, (lane,), join(load(partial, lane), load(partial, lane + half))),
            ),
        )
        half //= 2
    return tuple(stmts), Load(partial, (index(0),))


def parallel_tiles(
    name: str,
    outer: Sequence[int],
    extent: int,
    sizes: Sequence[int],
    body: Callable[[tuple[Expr, ...], Expr, int], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """Tiles of one dimension inside a box of others, shared out to threads.

    `body(outer_index, start, size)` writes one tile. Where the box has few elements, the full tiles are shared out too.
    """
    total = 1
    for part in outer:
        total *= part
    full = extent // sizes[0]
    if total >= 16 or full <= 1:
        return collapse(
            name,
            outer,
            lambda where: tiles(f"{name}_tile", extent, sizes, lambda start, size: body(where, start, size)),
        )
    stmts = collapse(name, (*outer, full), lambda where: body(where[:-1], where[-1] * sizes[0], sizes[0]))
    rest = extent - full * sizes[0]
    if rest:
        stmts += collapse(
            f"{name}_rest",
            outer,
            lambda where: tiles(
                f"{name}_tile",
                rest,
                sizes[1:],
                lambda start, size: body(where, start + full * sizes[0], size),
            ),
        )
    return stmts


def power_of_two_below(number: int) -> int:
    """The largest power of two that is not above a positive number."""
    return 1 << (number.bit_length() - 1)
