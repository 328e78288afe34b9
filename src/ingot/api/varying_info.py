"""What metadata say of extents that vary: the programs, what each takes, and the extents of inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingot.api.rooms import visible
from ingot.artifact.dims_read import shown
from ingot.artifact.model_info import DimInfo, ModelInfo, ProgramInfo, TensorInfo
from ingot.loops.analyse.duration import estimated_cycles
from ingot.plan.program import Program


def program_symbols(
    name: str, sizes: Iterable[tuple[int, ...]], own: tuple[int, ...]
) -> dict[tuple[int, ...], str]:
    """The C identifiers of a model's programs by their sizes: the one of its `own` sizes has the model's own."""
    others = (each for each in sizes if each != own)
    return {own: name, **{each: f"{name}_program{number}" for number, each in enumerate(others, 1)}}


def with_dims(
    info: ModelInfo,
    dims: Sequence[DimInfo],
    sizes: Sequence[tuple[int, ...]],
    infos: Sequence[ModelInfo],
    counted: Sequence[int],
) -> ModelInfo:
    """A model's metadata with what varies; `infos` are those of its programs, for these sizes, and `counted` the cycles that are
    estimated of each.
    """
    cycles = cycles_of_programs(dims, sizes, counted)
    programs = tuple(
        ProgramInfo(other.symbol, *row)
        for other, row in zip(infos, zip(sizes, cycles, strict=True), strict=True)
    )
    own = [other.symbol for other in infos].index(info.symbol)
    infos = [visible(other) for other in infos]
    info = visible(info)
    inputs, outputs = (
        tuple(_with_extents(some, own, dims, sizes) for some in zip(*tensors, strict=True))
        for tensors in ([other.inputs for other in infos], [other.outputs for other in infos])
    )
    inputs, outputs = (tuple(shown(tensor, dims) for tensor in some) for some in (inputs, outputs))
    return replace(info, inputs=inputs, outputs=outputs, dims=tuple(dims), programs=programs)


def cycles_of_programs(
    dims: Sequence[DimInfo], sizes: Sequence[tuple[int, ...]], counted: Sequence[int]
) -> list[int]:
    """What programs take, at most in proportion to their items: what was counted of a kernel whose loops depend on one another is
    an upper bound, which may be far above for many items.
    """
    by_sizes = dict(zip(sizes, counted, strict=True))
    fewest = [min(each[at] for each in sizes) for at in range(len(dims))]
    cycles: list[int] = []
    for own in sizes:
        few = tuple(
            fewest_items if dim.outputs else size
            for dim, fewest_items, size in zip(dims, fewest, own, strict=True)
        )
        ratio = math.prod(
            size / fewest_items for size, fewest_items in zip(own, few, strict=True) if fewest_items
        )
        cycles.append(min(by_sizes[own], math.ceil(ratio * by_sizes[few])))
    return cycles


def estimated_cycles_of(program: Program) -> int:
    """About how long a program takes, to compare it with others of the same model."""
    cycles = {id(kernel): estimated_cycles(kernel) for kernel in program.kernels}
    return sum(cycles[id(call.kernel)] for call in program.kernel_calls)


def _with_extents(
    some: tuple[TensorInfo, ...], own: int, dims: Sequence[DimInfo], sizes: Sequence[tuple[int, ...]]
) -> TensorInfo:
    """A tensor of the model's own program, which is that number, with the extents that it has in all of them."""
    first = some[own]
    extents = [
        _extent([tensor.shape[axis] for tensor in some], dims, sizes) for axis in range(len(first.shape))
    ]
    if all(isinstance(extent, int) for extent in extents):
        return first
    return TensorInfo(first.name, first.dtype, first.shape, tuple(extents))


def _extent(
    extents: Sequence[int], dims: Sequence[DimInfo], sizes: Sequence[tuple[int, ...]]
) -> int | DimInfo | str:
    """What an extent is in all programs: a number, a dim, a multiple of one, or a list of what it is."""
    if len(set(extents)) == 1:
        return extents[0]
    for at, dim in enumerate(dims):
        own = [each[at] for each in sizes]
        if list(extents) == own:
            return dim
        each, rest = divmod(extents[-1], max(own[-1], 1))
        if not rest and list(extents) == [each * size for size in own]:
            return f"{each}*{dim.name}"
    return " or ".join(str(extent) for extent in sorted(set(extents)))
