"""Operators that pick or place elements by indices which are data: gathers, scatters, one-hot, cache updates.

A gather keeps every index inside its tensor, whatever it is at run time; a scatter leaves out what lies outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ingot.base.errors import ModelError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.scatter import Combine, counted_from_front, scatter_elements_template, scatter_nd_template
from ingot.kernels.template import Template
from ingot.loops.build.nest import larger, smaller
from ingot.loops.nodes import Binary, Const, Expr, cast, compare, maximum, minimum, select
from ingot.ops.arguments import is_open, only
from ingot.ops.elementwise import literal, widened
from ingot.ops.facts import Folding
from ingot.ops.moves.shapes import axis_of
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

Read = Callable[..., Expr]
Position = Callable[[Expr], Expr]  # what an index tensor holds → a place inside the tensor


# ─── picking ───────────────────────────────────────────────────────────────────────────────────────────────────────


def position_in(call_: OpCall, indices: Tensor, extent: int, part: int | None = None) -> Position:
    """How to make a place of an index into a dimension of this extent. Constant indices are checked now instead of then.

    `part` is the position in the last dimension of `indices` that is meant, None for all of it.
    """
    known = indices.constant
    if known is not None:
        meant = known if part is None else known[..., part]
        if meant.size and not (-extent <= int(meant.min()) and int(meant.max()) < extent):
            raise ModelError(
                f"node {call_.name}: {call_.op_type} has the index {int(meant.max() if meant.max() >= extent else meant.min())} "
                f"into a dimension of {extent}; expected {-extent} to {extent - 1}",
                node=call_.name,
            )
        if not meant.size or int(meant.min()) >= 0:
            return lambda value: cast(value, DType.INT64)
        return lambda value: counted_from_front(value, extent)
    return lambda value: maximum(minimum(counted_from_front(value, extent), extent - 1), 0)


def _gather(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Gather 1, 11, 13: slices along `axis`. Indices that are not constant are kept inside the dimension."""
    x, indices = call_.input(0), call_.input(1)
    axis = axis_of(call_, int(call_.attr("axis", 0)), x.rank)
    output = TensorType(x.dtype, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))
    place = position_in(call_, indices, x.shape[axis])
    if x.shape[axis] == 0:
        return (_of_nothing(call_, emit, output),)
    known = literal(indices)

    def at(where: tuple[Expr, ...], read: Read, *read_index: Read) -> Expr:
        before, rest = where[:axis], where[axis + indices.rank :]
        if known is not None:
            number = int(known.value)
            return read(*before, number + x.shape[axis] if number < 0 else number, *rest)
        return read(*before, place(read_index[0](*where[axis : axis + indices.rank])), *rest)

    return (emit.pointwise([x] if known is not None else [x, indices], output, at, "gather"),)


def _of_nothing(call_: OpCall, emit: Emitter, output: TensorType) -> Tensor:
    if output.size:
        call_.unsupported("there is nothing to pick from an empty dimension")
    return emit.pointwise([], output, lambda where: Const(0, output.dtype), "gather")  # noqa: ARG005


def _gather_elements(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """GatherElements 11, 13: `x[i, index[i, j, k], k]`. Indices that are not constant are kept inside the dimension."""
    x, indices = call_.input(0), call_.input(1)
    axis = axis_of(call_, int(call_.attr("axis", 0)), x.rank)
    output = TensorType(x.dtype, indices.shape)
    place = position_in(call_, indices, x.shape[axis])
    if indices.rank != x.rank:
        call_.unsupported(
            f"indices of the shape {list(indices.shape)} for {list(x.shape)}, expected as many dimensions"
        )
    if any(i > e for at, (i, e) in enumerate(zip(indices.shape, x.shape, strict=True)) if at != axis):
        call_.unsupported(
            f"indices of the shape {list(indices.shape)} reach beyond the shape {list(x.shape)}"
        )
    if x.type.size == 0:
        return (_of_nothing(call_, emit, output),)

    def at(where: tuple[Expr, ...], read: Read, read_index: Read) -> Expr:
        return read(*where[:axis], place(read_index(*where)), *where[axis + 1 :])

    return (emit.pointwise([x, indices], output, at, "gather_elements"),)


def _gather_nd(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """GatherND 11, 12, 13: the last dimension of the indices is an index into the dimensions behind `batch_dims`."""
    x, indices = call_.input(0), call_.input(1)
    batch = int(call_.attr("batch_dims", 0))
    depth = indices.shape[-1] if indices.rank else 0
    if not 0 <= batch < indices.rank or batch + depth > x.rank or indices.shape[:batch] != x.shape[:batch]:
        call_.unsupported(f"indices of the shape {list(indices.shape)} do not fit the shape {list(x.shape)}")
    output = TensorType(x.dtype, (*indices.shape[:-1], *x.shape[batch + depth :]))
    places = [position_in(call_, indices, x.shape[batch + part], part) for part in range(depth)]
    if x.type.size == 0:
        return (_of_nothing(call_, emit, output),)

    def at(where: tuple[Expr, ...], read: Read, read_index: Read) -> Expr:
        row = where[: indices.rank - 1]
        picked = (places[part](read_index(*row, part)) for part in range(depth))
        return read(*where[:batch], *picked, *where[indices.rank - 1 :])

    return (emit.pointwise([x, indices], output, at, "gather_nd"),)


def _one_hot(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """OneHot 9, 11, 28: `values[1]` where the index is, else `values[0]`. The depth must be a constant."""
    indices, values = call_.input(0), call_.input(2)
    depth = int(call_.scalar(1, "depth"))
    axis = axis_of(call_, int(call_.attr("axis", -1)), indices.rank + 1)
    output = TensorType(values.dtype, (*indices.shape[:axis], depth, *indices.shape[axis:]))

    def at(where: tuple[Expr, ...], read: Read, read_value: Read) -> Expr:
        hot = counted_from_front(read(*where[:axis], *where[axis + 1 :]), depth)
        return select(compare("eq", where[axis], hot), read_value(1), read_value(0))

    return (emit.pointwise([indices, values], output, at, "one_hot"),)


def _tensor_scatter(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """TensorScatter 24: puts an update into a cache, from `write_indices` on, along `axis`; `linear` or `circular`."""
    cache, update, starts = call_.input(0), call_.input(1), call_.optional(2)
    axis = axis_of(call_, int(call_.attr("axis", -2)), cache.rank)
    limits = [extent for at, extent in enumerate(cache.shape) if at != axis]
    if (
        update.rank != cache.rank
        or [extent for at, extent in enumerate(update.shape) if at != axis] != limits
    ):
        call_.unsupported(
            f"an update of the shape {list(update.shape)} for a cache of the shape {list(cache.shape)}"
        )
    call_.require_shape(2, "where to write", cache.shape[:1])
    extent, length = cache.shape[axis], update.shape[axis]
    if length > extent:
        call_.unsupported(f"an update of {length} elements along axis {axis} of a cache of {extent}")
    if extent == 0 or length == 0:
        return (cache,)
    circular = call_.attr("mode", "linear") == "circular"

    def at(where: tuple[Expr, ...], read_cache: Read, read_update: Read, *read_start: Read) -> Expr:
        first = cast(read_start[0](where[0]), DType.INT64) if starts is not None else Const(0, DType.INT64)
        behind = where[axis] - first
        if circular:
            behind = (behind % extent + extent) % extent
        inside = Binary("and", compare("ge", behind, 0), compare("lt", behind, length))
        return select(inside, read_update(*where[:axis], behind, *where[axis + 1 :]), read_cache(*where))

    inputs = [cache, update] if starts is None else [cache, update, starts]
    return (emit.pointwise(inputs, cache.type, at, "tensor_scatter"),)


# ─── placing ───────────────────────────────────────────────────────────────────────────────────────────────────────

COMBINE: Mapping[str, Combine | None] = {
    "none": None,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": larger,
    "min": smaller,
}


def _combination(call_: OpCall, dtype: DType) -> Combine | None:
    name = _reduction(call_)
    if name not in COMBINE:
        call_.unsupported(f"reduction {name!r} is not one of {', '.join(sorted(COMBINE))}")
    if dtype is DType.BOOL and name != "none":
        logic = {"add": "or", "max": "or", "mul": "and", "min": "and"}[name]
        return lambda old, new: Binary(logic, old, new)
    combine = COMBINE[name]
    return None if combine is None else widened(combine)


def _reduction(call_: OpCall) -> str:
    return str(call_.attr("reduction", "none"))


def _scatter_elements(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Scatter 9, 11, ScatterElements 11, 13, 16 (`add`, `mul`), 18 (`max`, `min`): `y[index[i, j], j] = update[i, j]`."""
    x, indices, updates = call_.input(0), call_.input(1), call_.input(2)
    axis = axis_of(call_, int(call_.attr("axis", 0)), x.rank)
    position_in(call_, indices, x.shape[axis])
    is_same = updates.shape == indices.shape and indices.rank == x.rank
    if not is_same or any(
        i > e for at, (i, e) in enumerate(zip(indices.shape, x.shape, strict=True)) if at != axis
    ):
        call_.unsupported(
            f"indices {list(indices.shape)} and updates {list(updates.shape)} do not fit the shape {list(x.shape)}"
        )
    combine = _combination(call_, x.dtype)

    template = scatter_elements_template(x.type, indices.type, updates.type, axis, combine, _reduction(call_))
    return (_emit(emit, template, x, indices, updates),)


def _scatter_nd(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ScatterND 11, 13, 16 (`add`, `mul`), 18 (`max`, `min`): the last dimension of the indices is a place for a slice."""
    x, indices, updates = call_.input(0), call_.input(1), call_.input(2)
    depth = indices.shape[-1] if indices.rank else 0
    rows = indices.shape[:-1]
    if not indices.rank or depth > x.rank or updates.shape != (*rows, *x.shape[depth:]):
        call_.unsupported(
            f"indices {list(indices.shape)} and updates {list(updates.shape)} do not fit the shape {list(x.shape)}"
        )
    for part in range(depth):
        position_in(call_, indices, x.shape[part], part)
    combine = _combination(call_, x.dtype)

    template = scatter_nd_template(x.type, indices.type, updates.type, combine, _reduction(call_))
    return (_emit(emit, template, x, indices, updates),)


def _depth(call_: OpCall) -> Implied | None:
    if not is_open(call_, 1) or not call_.wants(0):
        return None
    shape = call_.output().shape
    return only(call_, 1, "depth", (shape[axis_of(call_, int(call_.attr("axis", -1)), len(shape))],))


def _emit(emit: Emitter, template: Template, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    # Indices may be empty where there are updates: no numbers say that a whole tensor is the place.
    return (
        x if x.type.size == 0 or updates.type.size == 0 else emit.template(template, [x, indices, updates])[0]
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Gather", 1, _gather, moves=True, folding=Folding.ARRAYS, moves_quantized_since=1),
    OpDef("", "GatherElements", 11, _gather_elements, moves=True),
    OpDef("", "GatherND", 11, _gather_nd, moves=True, folding=Folding.PYTHON),
    OpDef("", "OneHot", 9, _one_hot, constant_inputs=(1,), implied=_depth),
    OpDef("", "TensorScatter", 24, _tensor_scatter, moves=True),
    OpDef("", "Scatter", 9, _scatter_elements, moves=True),
    OpDef("", "ScatterElements", 11, _scatter_elements, moves=True, folding=Folding.PYTHON),
    OpDef("", "ScatterND", 11, _scatter_nd, moves=True, folding=Folding.PYTHON),
)
