"""Loops for a pointwise definition.

Every access is first written as a stride for each dimension of the result. Dimensions that all accesses walk in the same way are
merged, so that a chain over an `[N, C, H, W]` feature map, stored in whatever order, becomes one long loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import DType
from ingot.kernels.template import Pointwise
from ingot.loops.analyse.cost import FUNCTION_FLOPS
from ingot.loops.analyse.ranges import affine
from ingot.loops.build.nest import (
    across_lines,
    expecting,
    loop,
    power_of_two_below,
    side_by_side,
    tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import Binary, Buffer, Call, Const, Expr, For, Load, LoopKind, Stmt, Store, Var
from ingot.loops.transform.rewrite import Rewriter, children, loads, postorder, walk
from ingot.loops.transform.simplify import simplify
from ingot.machines.machine import Machine
from ingot.plan.fuse.divided import divided
from ingot.plan.layout.layout import storage_order

_BENDS = frozenset({"lt", "le", "gt", "ge", "min", "max"})
_CUTS_MAX = 4
_PARTS_MAX, _PARTS_LANES_MIN = 4, 4
_IN_FLOAT64 = frozenset({"sinh", "cosh", "asinh", "acosh", "atanh", "pow"})  # functions of float32 too
_SQUARE_MIN, _SQUARE_MAX = (
    4,
    16,
)  # lanes of a square that is read along memory and transposed; 16 vectors leave registers free


@dataclass(frozen=True, slots=True, eq=False)
class PointwiseLoops:
    """The parameters, the loops, and which parameters may share storage with the result. `operands[i]` is the number of the
    definition's operand that parameter i stands for; one operand read in two ways is two parameters.
    """

    params: tuple[Buffer, ...]
    operands: tuple[int, ...]
    output: Buffer
    body: tuple[Stmt, ...]
    in_place: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Access:
    """An operand with its stride along each dimension of the result."""

    operand: int
    strides: tuple[int, ...]


def pointwise_loops(
    definition: Pointwise, inputs: Sequence[Buffer], output: Buffer, machine: Machine
) -> PointwiseLoops:
    """Loops that compute the definition. `inputs` and `output` give the storage of its operands."""
    ranges = dict(zip(definition.index, output.shape, strict=True))
    value = simplify(
        definition.at(definition.index, lambda number, where: Load(inputs[number], where)),
        ranges,
    )
    if output.type.size == 0:
        return PointwiseLoops(tuple(inputs), tuple(range(len(inputs))), output, (), ())
    min_extent = machine.tuning.divided_min_extent
    while (parted := divided(min_extent, definition, value, inputs, output)) is not None:
        definition, value, inputs, output = parted
    number_of = {id(buffer): number for number, buffer in enumerate(inputs)}
    accesses: dict[int, _Access | None] = {}
    for node in walk(value):
        if isinstance(node, Load):
            accesses[id(node)] = _as_access(node, number_of[id(node.buffer)], definition.index)
    if all(access is not None for access in accesses.values()) and not _uses_index_directly(
        value, definition.index
    ):
        return _strided(
            value, {key: a for key, a in accesses.items() if a is not None}, inputs, output, machine
        )
    while (merged := _merged(definition, value, inputs, output)) is not None:
        definition, value, inputs, output = merged
    return _general(definition, value, inputs, output, machine)


def _merged(
    definition: Pointwise, value: Expr, inputs: Sequence[Buffer], output: Buffer
) -> tuple[Pointwise, Expr, list[Buffer], Buffer] | None:
    """The same with two neighbouring dimensions as one, if all operands lie so and nothing else looks at them: behind the borders
    of a padded image there are rows of pixels, not pixels of few channels. The outer one is left with one element.
    """
    order = [axis for axis in storage_order(output.shape, output.strides) if output.shape[axis] != 1]
    free = _used_freely(value)
    read = [node for node in walk(value) if isinstance(node, Load)]
    for first, second in itertools.pairwise(order):
        pair = definition.index[first], definition.index[second]
        if pair[0] in free or pair[1] in free:
            continue
        extents = output.shape[first], output.shape[second]
        whole = _with_one(output, definition.index, pair, extents)
        merged_loads = [(node.buffer, _with_one(node.buffer, node.index, pair, extents)) for node in read]
        if whole is None or any(new is None for _, new in merged_loads):
            continue
        new_of: dict[int, Buffer] = {}
        if not all(new_of.setdefault(id(old), new) == new for old, new in merged_loads if new is not None):
            continue

        def leave(node: Expr, outer: Var = pair[0], new_of: dict[int, Buffer] = new_of) -> Expr | None:
            if isinstance(node, Load):
                return Load(new_of[id(node.buffer)], node.index)
            return Const(0, DType.INT64) if node == outer else None

        operands = [new_of.get(id(buffer), buffer) for buffer in inputs]
        return replace(definition, output=whole.type), Rewriter(leave)(value), operands, whole
    return None


def _used_freely(value: Expr) -> set[Var]:
    """The variables that are more than an index into an operand."""
    free: set[Var] = set()
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Var):
            free.add(node)
        waiting += (
            [part for part in node.index if not isinstance(part, Var)]
            if isinstance(node, Load)
            else children(node)
        )
    return free


def _with_one(
    buffer: Buffer, index: Sequence[Expr], pair: tuple[Var, Var], extents: tuple[int, int]
) -> Buffer | None:
    """The buffer with the dimensions that are read by two variables as one, if they lie so; itself, if none is read by them."""
    places = [[axis for axis, part in enumerate(index) if part == variable] for variable in pair]
    if places == [[], []]:
        return buffer
    if [len(place) for place in places] != [1, 1]:
        return None
    (outer,), (inner,) = places
    shape, strides = list(buffer.shape), buffer.strides
    if (shape[outer], shape[inner]) != extents or strides[outer] != strides[inner] * extents[1]:
        return None
    shape[outer], shape[inner] = 1, extents[0] * extents[1]
    return replace(buffer, shape=tuple(shape))


def _as_access(node: Load, number: int, variables: Sequence[Var]) -> _Access | None:
    """The load as plain strides without an offset, or None."""
    strides = dict.fromkeys(variables, 0)
    offset = 0
    for part, stride in zip(node.index, node.buffer.strides, strict=True):
        form = affine(part)
        if form is None or any(variable not in strides for variable in form[1]):
            return None
        offset += form[0] * stride
        for variable, coefficient in form[1].items():
            strides[variable] += coefficient * stride
    if offset != 0 or any(stride < 0 for stride in strides.values()):
        return None
    return _Access(number, tuple(strides.values()))


def _uses_index_directly(value: Expr, variables: Sequence[Var]) -> bool:
    """Whether an index is used as a number, outside of the loads' own indices."""
    names = {variable.name for variable in variables}
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if id(node) in seen or isinstance(node, Load):
            continue
        seen.add(id(node))
        if isinstance(node, Var) and node.name in names:
            return True
        waiting += children(node)
    return False


def _strided(
    value: Expr,
    accesses: dict[int, _Access],
    inputs: Sequence[Buffer],
    output: Buffer,
    machine: Machine,
) -> PointwiseLoops:
    """Merged loops: every access is a plain walk."""
    order = [axis for axis in storage_order(output.shape, output.strides) if output.shape[axis] != 1]
    distinct = list(dict.fromkeys(accesses.values()))
    walks = [access.strides for access in distinct] + [output.strides]
    extents: list[int] = []
    columns: list[list[int]] = [[] for _ in walks]
    for axis in order:
        extent = output.shape[axis]
        steps = [strides[axis] for strides in walks]
        if extents and all(column[-1] == step * extent for column, step in zip(columns, steps, strict=True)):
            extents[-1] *= extent
            for column, step in zip(columns, steps, strict=True):
                column[-1] = step
        else:
            extents.append(extent)
            for column, step in zip(columns, steps, strict=True):
                column.append(step)
    variables = tuple(Var(f"i{axis}") for axis in range(len(extents)))
    params = []
    kept_axes = []
    for number, column in enumerate(columns):
        kept = [axis for axis, step in enumerate(column) if step != 0]
        kept_axes.append(kept)
        source = output if number == len(distinct) else inputs[distinct[number].operand]
        name = "out0" if number == len(distinct) else f"in{number}"
        params.append(
            Buffer(
                name,
                source.dtype,
                tuple(extents[axis] for axis in kept),
                tuple(column[axis] for axis in kept),
            )
        )

    def body(index: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        def leave(node: Expr) -> Expr | None:
            if isinstance(node, Load):
                number = distinct.index(accesses[id(node)])
                return Load(params[number], tuple(index[axis] for axis in kept_axes[number]))
            return None

        return (Store(params[-1], tuple(index[axis] for axis in kept_axes[-1]), _Leaves(leave)(value)),)

    turn = _turn(columns, extents, [inputs[access.operand].dtype for access in distinct], machine)
    lanes = across_lines(_lanes(value, output.dtype, machine), columns[-1], output.dtype, machine)
    if turn is not None:
        stmts = _squares(variables, extents, body, *turn)
    elif _has_parts(columns, extents, lanes):
        stmts = _parts(variables, extents, body, lanes)
    else:
        stmts = _loops(variables, extents, body, lanes)
    same_walk = tuple(
        number
        for number, access in enumerate(distinct)
        if access.strides == output.strides
        and inputs[access.operand].dtype.size_bytes == output.dtype.size_bytes
        and sum(other.operand == access.operand for other in distinct) == 1
    )
    return PointwiseLoops(
        tuple(params[:-1]), tuple(access.operand for access in distinct), params[-1], stmts, same_walk
    )


def _turn(
    columns: Sequence[Sequence[int]], extents: Sequence[int], dtypes: Sequence[DType], machine: Machine
) -> tuple[int, int] | None:
    """An axis and a number of lanes, if an operand lies along that axis while the result lies along the last one."""
    for column, dtype in zip(columns, dtypes, strict=False):  # the last column is the result's
        lanes = min(machine.lanes(dtype), _SQUARE_MAX)
        lanes = min(across_lines(lanes, walked, dtype, machine) for walked in (column, columns[-1]))
        for axis, step in enumerate(column[:-1]):
            if (
                step == 1
                and column[-1] > 1
                and columns[-1][-1] == 1
                and min(extents[axis], extents[-1]) >= lanes >= _SQUARE_MIN
            ):
                return axis, lanes
    return None


def _squares(
    variables: Sequence[Var],
    extents: Sequence[int],
    body: Callable[[tuple[Expr, ...]], tuple[Stmt, ...]],
    axis: int,
    lanes: int,
) -> tuple[Stmt, ...]:
    """The nest where an operand is read across memory: by squares of `axis` and the last dimension, which the code generator
    reads along memory and transposes in registers; each line of the cache is then wanted once only. What no square covers is read
    element by element.
    """
    last = len(extents) - 1
    outer = [number for number in range(last) if number != axis]

    def at(where: Sequence[Expr], row: Expr, column: Expr) -> tuple[Stmt, ...]:
        point = dict(zip(outer, where, strict=True)) | {axis: row, last: column}
        return body(tuple(point[number] for number in range(last + 1)))

    def strip(where: Sequence[Expr], start: Expr, size: int) -> Sequence[Stmt]:
        def block(begin: Expr, width: int) -> Sequence[Stmt]:
            def row(number: Expr) -> Sequence[Stmt]:
                return vector("lane", width, lambda lane: at(where, start + number, begin + lane))

            if width > size:
                return loop("row", size, row)

            def part(number: Expr) -> Sequence[Stmt]:
                square = loop("row", width, lambda n: row(number * width + n), LoopKind.UNROLLED)
                return expecting("transpose", square)

            return loop("part", size // width, part)

        return tiles("column", extents[last], vector_sizes(size if size >= _SQUARE_MIN else lanes), block)

    def strips(where: Sequence[Expr], kind: LoopKind) -> tuple[Stmt, ...]:
        return tiles(
            "strip", extents[axis], vector_sizes(lanes), lambda start, size: strip(where, start, size), kind
        )

    kinds = [LoopKind.PARALLEL] + [LoopKind.SERIAL] * (last - 1)
    stmts = strips([variables[number] for number in outer], kinds[-1])
    for number, kind in reversed(list(zip(outer, kinds[:-1], strict=True))):
        stmts = (For(variables[number], Const(extents[number], DType.INT64), stmts, kind),)
    return stmts


def _has_parts(columns: Sequence[Sequence[int]], extents: Sequence[int], lanes: int) -> bool:
    """Whether the last dimension is short, and operands lie along the one before: each element is repeated, or comes from one of
    a few planes. Others may lie as the result does.
    """
    if len(extents) < 2 or not 2 <= extents[-1] <= _PARTS_MAX or lanes < 2 or extents[-2] < _PARTS_LANES_MIN:
        return False
    *reads, written = columns
    if tuple(written[-2:]) != (extents[-1], 1) or not reads:
        return False
    others = [column for column in reads if tuple(column[-2:]) != (extents[-1], 1)]
    return all(column[-1] != 1 and column[-2] in (0, 1) for column in others) and any(
        column[-2] for column in others
    )


def _parts(
    variables: Sequence[Var],
    extents: Sequence[int],
    body: Callable[[tuple[Expr, ...]], tuple[Stmt, ...]],
    lanes: int,
) -> tuple[Stmt, ...]:
    """The nest in vectors along the last dimension but one, for all of the last, which the code generator interleaves."""
    *outer, along, _ = variables
    kinds = [LoopKind.PARALLEL] + [LoopKind.SERIAL] * len(outer)

    def some(start: Expr, size: int) -> Sequence[Stmt]:
        def part(number: Expr) -> Sequence[Stmt]:
            return vector("lane", size, lambda lane: body((*outer, start + lane, number)))

        return expecting("interleave", loop("part", extents[-1], part, LoopKind.UNROLLED))

    sizes = vector_sizes(min(lanes, power_of_two_below(extents[-2])))
    stmts = tiles(f"{along.name}_block", extents[-2], sizes, some, kinds[len(outer)])
    for variable, extent, kind in reversed(list(zip(outer, extents, kinds, strict=False))):
        stmts = (For(variable, Const(extent, DType.INT64), stmts, kind),)
    return stmts


class _Leaves(Rewriter):
    """Rewrites loads from the outside: what is inside a load's index is not looked at."""

    def __call__(self, expr: Expr) -> Expr:
        if isinstance(expr, Load):
            entry = self._done.get(id(expr))
            if entry is None:
                replacement = self._leave(expr)
                entry = (expr, expr if replacement is None else replacement)
                self._done[id(expr)] = entry
            return entry[1]
        return super().__call__(expr)


def _general(
    definition: Pointwise, value: Expr, inputs: Sequence[Buffer], output: Buffer, machine: Machine
) -> PointwiseLoops:
    """One loop for each dimension, in the order of storage."""
    order = [axis for axis in storage_order(output.shape, output.strides) if output.shape[axis] != 1]
    variables = tuple(Var(f"i{axis}") for axis in order)
    params = tuple(Buffer(f"in{number}", b.dtype, b.shape, b.strides) for number, b in enumerate(inputs))
    out = Buffer("out0", output.dtype, output.shape, output.strides)
    renamed = {id(old): new for old, new in zip(inputs, params, strict=True)}

    def body(index: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        place: dict[Var, Expr] = dict.fromkeys(definition.index, Const(0, DType.INT64))
        place |= {definition.index[axis]: part for axis, part in zip(order, index, strict=True)}

        def leave(node: Expr) -> Expr | None:
            if isinstance(node, Var):
                return place.get(node)
            if isinstance(node, Load):
                return Load(renamed[id(node.buffer)], node.index)
            return None

        return (Store(out, tuple(place.values()), Rewriter(leave)(value)),)

    extents = [output.shape[axis] for axis in order]
    cuts = _cuts(value, definition.index[order[-1]], extents[-1]) if order and not machine.grid else ()
    stmts = _loops(variables, extents, body, _lanes(value, output.dtype, machine), cuts)
    return PointwiseLoops(params, tuple(range(len(inputs))), out, stmts, ())


def _cuts(value: Expr, inner: Var, extent: int) -> tuple[int, ...]:
    """Where the place that a load reads bends along the innermost dimension, as at the border of a mirrored image: between two
    of them neighbours read neighbours.
    """
    bounds: set[int] = set()
    for node in postorder(*(part for load in loads(value) for part in load.index)):
        if not isinstance(node, Binary) or node.left.dtype is not DType.INT64 or node.op not in _BENDS:
            continue
        form = affine(node.left - node.right)
        if form is None or set(form[1]) != {inner} or abs(form[1][inner]) != 1:
            continue
        # The two differ by 0 at this place: what holds up to it, or from it on, may change there or behind it.
        zero = -form[0] * form[1][inner]
        before = node.op in ("min", "max") or (node.op in ("lt", "ge")) == (form[1][inner] > 0)
        bounds.add(zero if before else zero + 1)
    cuts = tuple(sorted(cut for cut in bounds if 0 < cut < extent))
    return cuts if len(cuts) <= _CUTS_MAX else ()


def _lanes(value: Expr, dtype: DType, machine: Machine) -> int:
    """Lanes by the widest element type that the expression works with, index arithmetic left out.

    Of functions several vectors side by side; of those that are computed in float64 fewer, as they need more registers: a vector
    of float32 is two of these.
    """
    widest = dtype
    functions: set[str] = set()
    for node in walk(value):
        if isinstance(node, Load) and node.dtype.size_bytes > widest.size_bytes:
            widest = node.dtype
        if isinstance(node, Call) and FUNCTION_FLOPS[node.function] > 1:
            functions.add(node.function)
    # Bytes fill whole vectors only where nothing wider is made of them.
    lanes = machine.lanes(widest if widest.size_bytes >= 4 or _stays_narrow(value, widest) else DType.FLOAT32)
    if not functions or not machine.has_fma or lanes == 1:
        return lanes
    in_float64 = widest is DType.FLOAT64 or functions & _IN_FLOAT64
    return lanes * machine.vector_registers // 8 if in_float64 else side_by_side(lanes)


def _stays_narrow(value: Expr, widest: DType) -> bool:
    """Whether all that is computed of elements is as narrow as they are, and no half float: those are computed in float32."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.dtype.size_bytes > widest.size_bytes or node.dtype.is_float:
            return False
        if not isinstance(node, Load):
            waiting += children(node)
    return True


def _loops(
    variables: Sequence[Var],
    extents: Sequence[int],
    body: Callable[[tuple[Expr, ...]], tuple[Stmt, ...]],
    lanes: int,
    cuts: Sequence[int] = (),
) -> tuple[Stmt, ...]:
    """The nest: the outermost loop parallel, the innermost in vectors, which do not reach across `cuts`."""
    if not extents:
        return tuple(body(()))
    kinds = [LoopKind.PARALLEL] + [LoopKind.SERIAL] * (len(extents) - 1)
    inner: tuple[Stmt, ...] = ()
    for first, stop in itertools.pairwise((0, *cuts, extents[-1])):
        inner += vector_blocks(
            variables[-1].name,
            stop - first,
            lanes,
            lambda last, first=first: body((*variables[:-1], last + first)),  # type: ignore[misc]
            kinds[-1],
        )
    for variable, extent, kind in reversed(list(zip(variables[:-1], extents[:-1], kinds[:-1], strict=True))):
        inner = (For(variable, Const(extent, DType.INT64), inner, kind),)
    return inner
