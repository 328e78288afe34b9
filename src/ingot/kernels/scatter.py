"""Scatters: elements and slices of one tensor put where indices that are data say, and left out where there is no such place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.elements import each_element
from ingot.kernels.template import Site, Template
from ingot.loops.build.nest import by_storage_order, nest, vector_blocks
from ingot.loops.nodes import Binary, Expr, If, Let, Load, Stmt, Var, cast, compare, select

Combine = Callable[[Expr, Expr], Expr]  # of what is there and of an update


def counted_from_front(value: Expr, extent: int) -> Expr:
    """An index that may count from the end, as int64 counted from the front."""
    where = cast(value, DType.INT64)
    return where if value.dtype.is_unsigned else select(compare("lt", where, 0), where + extent, where)


def scatter_elements_template(
    x: TensorType,
    indices: TensorType,
    updates: TensorType,
    axis: int,
    combine: Combine | None,
    reduction: str,
    is_there: bool = False,
) -> Template:
    """`y` is `x` with `y[index[i, j], j] = update[i, j]`, or what `combine` makes of both; `reduction` is its name.
    If `is_there`, `y` lies in the memory of `x`.
    """

    def build(site: Site) -> Sequence[Stmt]:
        def update_at(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            named, place, check = _place("place", site.read(1, *where), x.shape[axis])
            target = (*where[:axis], place, *where[axis + 1 :])
            return (named, *_placed(site, combine, target, [check], site.read(2, *where)))

        names = [f"u{dimension}" for dimension in range(len(indices.shape))]
        return (*(() if is_there else _copy(site, x)), *nest(names, indices.shape, update_at))

    return _template(
        "scatter_elements",
        (x, indices, updates),
        build,
        {"axis": axis, "reduction": reduction},
        None
        if is_there
        else lambda: scatter_elements_template(x, indices, updates, axis, combine, reduction, True),
    )


def scatter_nd_template(
    x: TensorType,
    indices: TensorType,
    updates: TensorType,
    combine: Combine | None,
    reduction: str,
    is_there: bool = False,
) -> Template:
    """`y` is `x` with slices of updates where the last dimension of the indices says, or what `combine` makes of both. If
    `is_there`, `y` lies in the memory of `x`.
    """
    *rows, depth = indices.shape

    def build(site: Site) -> Sequence[Stmt]:
        def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            lets: list[Stmt] = []
            target: list[Expr] = []
            checks: list[Expr] = []
            for part in range(depth):
                named, place, check = _place(f"place{part}", site.read(1, *where, part), x.shape[part])
                lets.append(named)
                target.append(place)
                checks.append(check)
            slices = _each_of_slice(
                site,
                x.shape,
                depth,
                lambda rest: _placed(site, combine, (*target, *rest), [], site.read(2, *where, *rest)),
            )
            for check in checks:
                slices = (If(check, slices),)
            return (*lets, *slices)

        copies = () if is_there else _copy(site, x)
        return (*copies, *nest([f"u{axis}" for axis in range(len(rows))], rows, row))

    return _template(
        "scatter_nd",
        (x, indices, updates),
        build,
        {"reduction": reduction},
        None if is_there else lambda: scatter_nd_template(x, indices, updates, combine, reduction, True),
    )


def _template(
    name: str,
    types: tuple[TensorType, ...],
    build: Callable[[Site], Sequence[Stmt]],
    spec: Mapping[str, int | str],
    in_place: Callable[[], Template] | None,
) -> Template:
    """The template; one that is in its place already has no `in_place`."""
    # An element may be written twice, and is read back by a reduction: no epilogue.
    if in_place is None:
        spec = {**spec, "writes": "changes"}
    inlines = frozenset({0, 1, 2})
    return Template(name, types, types[:1], build, spec, inlines, epilogue=False, in_place=in_place)


def _copy(site: Site, x: TensorType) -> tuple[Stmt, ...]:
    """Output 0 begins as input 0."""
    lanes = site.machine.lanes(x.dtype)
    return each_element(
        "c",
        x.shape,
        site.outputs[0].strides,
        lanes,
        lambda at: site.write(0, at, site.read(0, *at)),
        site.machine.tuning.threads.copy_min_elements,
    )


def _placed(
    site: Site, combine: Combine | None, where: Sequence[Expr], checks: Sequence[Expr], value: Expr
) -> tuple[Stmt, ...]:
    """Combines one update into output 0, if the place exists."""
    destination = site.outputs[0]
    stmts: tuple[Stmt, ...]
    if combine is None:
        stmts = site.write(0, where, value)
    else:
        old, new = Var("old", destination.dtype), Var("new", destination.dtype)
        lets = Let(old, Load(destination, tuple(where))), Let(new, value)
        stmts = (*lets, *site.write(0, where, combine(old, new)))
    for check in checks:
        stmts = (If(check, stmts),)
    return stmts


def _place(name: str, value: Expr, extent: int) -> tuple[Let, Expr, Expr]:
    """Names an index counted from the front, and says whether it is in the dimension."""
    var = Var(name)
    return (
        Let(var, counted_from_front(value, extent)),
        var,
        Binary("and", compare("ge", var, 0), compare("lt", var, extent)),
    )


def _each_of_slice(
    site: Site, shape: tuple[int, ...], depth: int, body: Callable[[tuple[Expr, ...]], Sequence[Stmt]]
) -> tuple[Stmt, ...]:
    """Loops over the dimensions of output 0 behind the first `depth`, in vectors where it is dense."""
    strides, extents = site.outputs[0].strides[depth:], shape[depth:]
    if not extents:
        return tuple(body(()))
    *outer, last = by_storage_order(strides, extents)
    lanes = site.machine.lanes(site.outputs[0].dtype) if strides[last] == 1 else 1

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        def copied_at(at: Expr) -> Sequence[Stmt]:
            point = dict(zip(outer, where, strict=True)) | {last: at}
            return body(tuple(point[axis] for axis in range(len(extents))))

        return vector_blocks("s", extents[last], lanes, copied_at)

    return nest([f"s{axis}" for axis in outer], [extents[axis] for axis in outer], row)
