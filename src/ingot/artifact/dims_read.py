"""The extents of a model that vary, and its programs for them: read from metadata, of which nothing is trusted.

Few models have some: this is imported with the first of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from ingot.artifact.artifact import is_symbol
from ingot.artifact.model_info import COUNTS_OUTPUT, DimInfo, ProgramInfo, TensorInfo, checks, read_int
from ingot.base.dims import EXTENT_MAX, Dim
from ingot.base.tensor import DType, TensorType

PROGRAMS_MAX = 256  # of a model
_DIM_KEYS = frozenset({"name", "low", "high", "multiple_of", "sizes", "inputs", "outputs"})
_ROOM_KEYS = _DIM_KEYS | {"counts"}
_COUNT_KEYS = frozenset({"name", "low", "high", "outputs"})
_FACTOR_MAX = 1 << 31
_PROGRAM_KEYS = frozenset({"symbol", "sizes", "cycles"})
_KEYS = frozenset({"symbols", "programs", "inputs", "outputs"})
_wrong, _array, _object, _text = checks.wrong, checks.array, checks.object, checks.text
_CYCLES_MAX = 1 << 62

Tensors = tuple[TensorInfo, ...]
Read = tuple[tuple[DimInfo, ...], tuple[ProgramInfo, ...], Tensors, Tensors]


def read_dims(
    value: Any, symbol: str, inputs: Tensors, outputs: Tensors, *, has_border: bool = False
) -> Read:
    """The dims, the programs, and inputs and outputs with their extents.

    Args:
        value: what metadata say.
        symbol: the model's own, which one of the programs has.
        inputs: as that one has them.
        outputs: as that one has them.
        has_border: whether an extent may be none of the compiled part.

    Raises:
        ArtifactError: it is not what a build writes; `facts["field"]` says where.
    """
    data = _object(value, "dims", _KEYS)
    dims = tuple(
        _dim(item, f"dims.symbols[{at}]", inputs, outputs, has_border)
        for at, item in enumerate(_array(data["symbols"], "dims.symbols"))
    )
    _require_shared(dims)
    by_name = {dim.name: dim for dim in dims}
    if not dims or len(by_name) != len(dims):
        _wrong("dims.symbols", "must name at least one extent, and none twice")
    programs = _programs(data["programs"], dims, symbol)
    own = next(program for program in programs if program.symbol == symbol)
    check_shapes(own, dims, inputs, outputs)
    shown = [
        _with_extents(data[role], f"dims.{role}", tensors, by_name)
        for role, tensors in (("inputs", inputs), ("outputs", outputs))
    ]
    return dims, programs, shown[0], shown[1]


def _dim(value: Any, field: str, inputs: Tensors, outputs: Tensors, has_border: bool) -> DimInfo:
    room = isinstance(value, dict) and "counts" in value and not value.get("sizes")
    data = _object(value, field, _ROOM_KEYS if room else _DIM_KEYS, frozenset({"sums", "counts"}))
    low = read_int(data["low"], f"{field}.low", high=EXTENT_MAX)
    high = read_int(data["high"], f"{field}.high", low, EXTENT_MAX)
    sizes = tuple(
        read_int(size, f"{field}.sizes[{at}]", low, high)
        for at, size in enumerate(_array(data["sizes"], f"{field}.sizes"))
    )
    if list(sizes) != sorted(set(sizes)):
        _wrong(f"{field}.sizes", "must rise")
    dim = DimInfo(
        _text(data["name"], f"{field}.name"),
        low,
        high,
        read_int(data["multiple_of"], f"{field}.multiple_of", 1, EXTENT_MAX),
        sizes,
        tuple(
            _place(item, f"{field}.inputs", inputs, 2) for item in _array(data["inputs"], f"{field}.inputs")
        ),
        tuple(
            _place(item, f"{field}.outputs", outputs, 3)
            for item in _array(data["outputs"], f"{field}.outputs")
        ),
        room,
        tuple(
            _count(item, f"{field}.counts", outputs)
            for item in _array(data.get("counts", []), f"{field}.counts")
        ),
        tuple(_sum(item, f"{field}.sums", inputs) for item in _array(data.get("sums", []), f"{field}.sums")),
    )
    if dim.outputs and (room or dim.counts or dim.sums):
        _wrong(f"{field}.counts", "is for an extent that counts no items")
    if not dim.places and (dim.outputs or not has_border):
        _wrong(f"{field}.inputs", "must name at least one input")
    if len({name for name, *_ in dim.outputs}) != len(dim.outputs):
        _wrong(f"{field}.outputs", "names an output twice, of which items have one axis")
    if dim.outputs and len({name for name, _ in dim.inputs}) != len(dim.inputs):
        _wrong(f"{field}.inputs", "names an input twice, of which items have one axis")
    return dim


def _require_shared(dims: Sequence[DimInfo]) -> None:
    """Refuses an extent with a list of sizes that adds places to an axis which no extent with room has."""
    roomy = [dim for dim in dims if dim.room]
    for at, dim in enumerate(dims):
        for field in ("sums", "counts") if not dim.room else ():
            known = {place[:2] for other in roomy for place in getattr(other, field)}
            if any(place[:2] not in known for place in getattr(dim, field)):
                _wrong(
                    f"dims.symbols[{at}].{field}", f"must be axes that an extent with room has in {field} too"
                )


def _place(value: Any, field: str, tensors: Tensors, length: int) -> Any:
    """`[name, axis]` of a tensor, or `[name, axis, each]`."""
    items = _array(value, field)
    if len(items) != length:
        _wrong(field, f"must have {length} items in each place")
    tensor = next((candidate for candidate in tensors if candidate.name == items[0]), None)
    if tensor is None:
        _wrong(field, f"names {str(items[0])[:80]!r}, which the model has not")
    axis = read_int(items[1], field, 0, len(tensor.shape) - 1)
    return (tensor.name, axis, *(read_int(each, field, 1, EXTENT_MAX) for each in items[2:]))


def _sum(value: Any, field: str, inputs: Tensors) -> tuple[str, int, int]:
    """`[input, axis, plus]`."""
    items = _array(value, field)
    if len(items) != 3:
        _wrong(field, "must have 3 items in each place")
    name, axis = _place(items[:2], field, inputs, 2)
    return name, axis, read_int(items[2], field, 0, EXTENT_MAX)


def _count(value: Any, field: str, outputs: Tensors) -> Any:
    """`[output, axis, times, plus, over]`."""
    items = _array(value, field)
    if len(items) != 5:
        _wrong(field, "must have 5 items each")
    return (
        *_place(items[:2], field, outputs, 2),
        read_int(
            items[2], field, 0, _FACTOR_MAX
        ),  # smaller sizes must have no more places: there is no room for them
        read_int(items[3], field, -_FACTOR_MAX, _FACTOR_MAX),
        read_int(items[4], field, 1, _FACTOR_MAX),
    )


def _programs(value: Any, dims: Sequence[DimInfo], symbol: str) -> tuple[ProgramInfo, ...]:
    """One for each combination of the sizes that programs have of each dim, in order."""
    listed = _array(value, "dims.programs")
    if not 1 <= len(listed) <= PROGRAMS_MAX:
        _wrong("dims.programs", f"must be 1 to {PROGRAMS_MAX}, got {len(listed)}")
    programs = tuple(_program(item, f"dims.programs[{at}]", dims) for at, item in enumerate(listed))
    symbols = [program.symbol for program in programs]
    if symbol not in symbols or len(set(symbols)) != len(symbols):
        _wrong("dims.programs", f"must have {symbol!r}, and no symbol twice")
    for at, dim in enumerate(dims):
        sizes = sorted({program.sizes[at] for program in programs})
        if not dim.places and len(sizes) != 1:
            _wrong(
                f"dims.programs[].sizes[{at}]", f"must be one number: no kernel asks for {dim.name[:80]!r}"
            )
        if dim.room and (
            sizes[-1] != dim.high or not all(map(Dim(dim.low, dim.high, dim.multiple_of).has, sizes))
        ):
            _wrong(
                f"dims.programs[].sizes[{at}]", f"must be sizes of {dim}, the largest among them, got {sizes}"
            )
        if dim.inputs and not dim.outputs and not dim.room and sizes != _every_size(dim):
            _wrong(f"dims.programs[].sizes[{at}]", f"must be those of {dim}, got {sizes}")
    sizes_of = [sorted({program.sizes[at] for program in programs}) for at in range(len(dims))]
    if [program.sizes for program in programs] != list(itertools.product(*sizes_of)):
        _wrong("dims.programs", "must be one for each combination of sizes, in order")
    return programs


def _every_size(dim: DimInfo) -> list[int]:
    if dim.sizes:
        return list(dim.sizes)
    count = (dim.high - dim.low) // dim.multiple_of + 1
    return list(range(dim.low, dim.high + 1, dim.multiple_of)) if count <= PROGRAMS_MAX else []


def _program(value: Any, field: str, dims: Sequence[DimInfo]) -> ProgramInfo:
    data = _object(value, field, _PROGRAM_KEYS)
    sizes = _array(data["sizes"], f"{field}.sizes")
    if len(sizes) != len(dims):
        _wrong(f"{field}.sizes", f"must be {len(dims)}, one for each extent that varies")
    return ProgramInfo(
        _text(data["symbol"], f"{field}.symbol", is_symbol),
        tuple(
            read_int(size, f"{field}.sizes[{at}]", 1 if dim.outputs else 0, EXTENT_MAX)
            for at, (size, dim) in enumerate(zip(sizes, dims, strict=True))
        ),
        read_int(data["cycles"], f"{field}.cycles", 0, _CYCLES_MAX),
    )


def check_shapes(program: ProgramInfo, dims: Sequence[DimInfo], inputs: Tensors, outputs: Tensors) -> None:
    """Raises ArtifactError where tensors have other extents than the sizes of a program say."""
    shapes = {
        role: {tensor.name: tensor.shape for tensor in some}
        for role, some in (("in", inputs), ("out", outputs))
    }
    sizes = list(zip(program.sizes, dims, strict=True))
    has_shared = any(
        dim.sizes and dim.sums for dim in dims
    )  # then programs have room for more than their size
    sums: dict[tuple[str, str, int], int] = {}
    for size, dim in sizes:
        counted = [("out", name, axis, count_at(size, *count)) for name, axis, *count in dim.counts]
        places = [("in", name, axis, size) for name, axis in dim.inputs]
        places += [("out", name, axis, size * each) for name, axis, each in dim.outputs]
        for role, name, axis, extent in (*places, *(() if has_shared else counted)):
            if shapes[role][name][axis] != extent:
                _wrong("dims.programs", f"axis {axis} of {name!r} is no {dim.name} of {size}")
        summed = [("in", name, axis, size + plus) for name, axis, plus in dim.sums]
        for role, name, axis, extent in (*summed, *(counted if has_shared else ())):
            sums[role, name, axis] = sums.get((role, name, axis), 0) + extent
    for (role, name, axis), extent in sums.items():
        if shapes[role][name][axis] < extent:
            words = ", ".join(f"{dim.name} of {size}" for size, dim in sizes)
            _wrong("dims.programs", f"axis {axis} of {name!r} has no room for {words}")


def count_at(size: int, times: int, plus: int, over: int) -> int:
    """How many places an axis has, which is counted by `DimInfo.counts`."""
    return max((size * times + plus) // over, 0)


def _with_extents(value: Any, field: str, tensors: Tensors, dims: Mapping[str, DimInfo]) -> Tensors:
    listed = _array(value, field)
    if len(listed) != len(tensors):
        _wrong(field, f"must have {len(tensors)} items")
    shown = []
    for at, (item, tensor) in enumerate(zip(listed, tensors, strict=True)):
        where = f"{field}[{at}]"
        extents: list[int | str | DimInfo] = []
        for place, extent in enumerate(_array(item, where)):
            if type(extent) is int:
                extents.append(read_int(extent, f"{where}[{place}]"))
            else:
                extents.append(dims.get(_text(extent, f"{where}[{place}]"), extent))
        if extents and len(extents) != len(tensor.shape):
            _wrong(where, f"must have {len(tensor.shape)} extents, or none")
        shown.append(TensorInfo(tensor.name, tensor.dtype, tensor.shape, tuple(extents)))
    return tuple(shown)


def read_counts(value: Any, outputs: Tensors) -> tuple[tuple[DimInfo, ...], Tensors]:
    """The extents that depend on content, and the outputs with them.

    Raises:
        ArtifactError: it is not what a build writes; `facts["field"]` says where.
    """
    listed = _array(value, "counts")
    if not listed or not outputs or outputs[-1].type != TensorType(DType.INT64, (len(listed),)):
        _wrong("counts", f"must be as many as {COUNTS_OUTPUT!r} has elements, at least one")
    if outputs[-1].name != COUNTS_OUTPUT:
        _wrong("outputs", f"must end with {COUNTS_OUTPUT!r}")
    dims = tuple(_counted(item, f"counts[{at}]", outputs[:-1]) for at, item in enumerate(listed))
    if len({dim.name for dim in dims}) != len(dims):
        _wrong("counts", "must name no extent twice")
    return dims, tuple(shown(tensor, dims) for tensor in outputs)


def _counted(value: Any, field: str, outputs: Tensors) -> DimInfo:
    data = _object(value, field, _COUNT_KEYS)
    low = read_int(data["low"], f"{field}.low", high=EXTENT_MAX)
    high = read_int(data["high"], f"{field}.high", low, EXTENT_MAX)
    counts = tuple(
        _count(item, f"{field}.outputs", outputs) for item in _array(data["outputs"], f"{field}.outputs")
    )
    return DimInfo(_text(data["name"], f"{field}.name"), low, high, room=True, counts=counts)


def shown(tensor: TensorInfo, dims: Sequence[DimInfo]) -> TensorInfo:
    """A tensor with the extents that vary because of dims that have items or room: programs for one size do not show these."""
    extents: list[int | DimInfo | str] = list(tensor.extents or tensor.shape)
    for dim in dims:
        if not dim.room and not dim.outputs:
            continue
        for name, axis in dim.inputs:
            if name == tensor.name:
                extents[axis] = dim
        is_counted = not dim.places  # then the tensor's own extent is the most that there may be
        for name, axis, plus in dim.sums:
            if name == tensor.name:
                extents[axis] = _count_words(dim.name, 1, plus, 1) if plus else dim
                extents[axis] = _with_others(extents[axis], "sums", (name, axis), dims)
        items = [(name, axis, each, 0, 1) for name, axis, each in dim.outputs]
        for name, axis, times, plus, over in (*dim.counts, *items):
            if name != tensor.name:
                continue
            if is_counted and count_at(dim.high, times, plus, over) > tensor.shape[axis]:
                extents[axis] = f"min({_count_words(dim.name, times, plus, over)}, {tensor.shape[axis]})"
            else:
                words = dim if (times, plus, over) == (1, 0, 1) else _count_words(dim.name, times, plus, over)
                extents[axis] = _with_others(words, "counts", (name, axis), dims)
    if all(isinstance(extent, int) for extent in extents):
        return tensor
    return TensorInfo(tensor.name, tensor.dtype, tensor.shape, tuple(extents))


def _with_others(
    extent: int | DimInfo | str, field: str, place: tuple[str, int], dims: Sequence[DimInfo]
) -> int | DimInfo | str:
    """An extent and what dims with lists of sizes add to it."""
    more = [
        dim.name for dim in dims if not dim.room and any(other[:2] == place for other in getattr(dim, field))
    ]
    own = extent.name if isinstance(extent, DimInfo) else str(extent)
    return " + ".join((own, *more)) if more else extent


def _count_words(name: str, times: int, plus: int, over: int) -> str:
    words = name if times == 1 else f"{times}*{name}"
    if plus:
        words = f"{words} {'+' if plus > 0 else '-'} {abs(plus)}"
    if over == 1:
        return words
    return f"({words})//{over}" if plus else f"{words}//{over}"
