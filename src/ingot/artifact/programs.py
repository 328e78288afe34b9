"""What a library says of a model's programs for other sizes (loader `program`): read, and compared with the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingot.artifact.artifact import LOADER_PROGRAM, Artifact
from ingot.artifact.dims_read import Tensors, check_shapes
from ingot.artifact.model_info import ModelInfo, ProgramInfo, program_inputs
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError


def read_programs(artifacts: Iterable[Artifact], info: ModelInfo) -> tuple[ModelInfo, ...]:
    """What is said of each of the model's programs, in the order of `info.programs`; of one of them that is `info`.

    Raises:
        ArtifactError: one is not there or twice, is wrong, or is not one of the same model.
    """
    others = [program for program in info.programs if program.symbol != info.symbol]
    by_symbol: dict[str, list[Artifact]] = {program.symbol: [] for program in others}
    for artifact in artifacts:
        symbol, _, suffix = artifact.file_name.rpartition(".")
        if artifact.loader == LOADER_PROGRAM and suffix == "json" and symbol in by_symbol:
            by_symbol[symbol].append(artifact)
    read = {info.symbol: _as_program(info)}
    for program in others:
        some = by_symbol[program.symbol]
        if len(some) != 1:
            raise ArtifactError(
                f"model {info.name!r}: its program {program.symbol!r} is there {len(some)} times, expected once",
                symbol=program.symbol,
            )
        other = read[program.symbol] = info_from_json(some[0].content)
        _check_same(info, program, other)
        check_shapes(program, info.dims, other.inputs, other.outputs)
    programs = tuple(read[program.symbol] for program in info.programs)
    _check_alike(info, programs)
    return programs


def _check_alike(info: ModelInfo, programs: Sequence[ModelInfo]) -> None:
    """Raises ArtifactError where programs for other numbers of items have other extents besides those that count items."""
    shapes: dict[tuple[int, ...], object] = {}
    for row, program in zip(info.programs, programs, strict=True):
        sizes = tuple(size for size, dim in zip(row.sizes, info.dims, strict=True) if not dim.outputs)
        own = _without_items(info, program)
        if shapes.setdefault(sizes, own) != own:
            raise ArtifactError(
                f"model {info.name!r}: its program {row.symbol!r} has other shapes, besides the number of items: {own!s:.200}, "
                f"not {shapes[sizes]!s:.200}",
                symbol=row.symbol,
            )


def _without_items(info: ModelInfo, program: ModelInfo) -> list[tuple[int | None, ...]]:
    """The shapes of a program's outputs, with None for extents that count items."""
    items = {(name, axis) for dim in info.dims for name, axis, _ in dim.outputs}
    return [
        tuple(None if (output.name, axis) in items else extent for axis, extent in enumerate(output.shape))
        for output in program.outputs
    ]


def _as_program(info: ModelInfo) -> ModelInfo:
    """A model's own program: with the input that callers do not see, if it has room."""
    inputs = program_inputs(info)
    return info if inputs is info.inputs else replace(info, inputs=inputs)


def _check_same(info: ModelInfo, program: ProgramInfo, other: ModelInfo) -> None:
    for name, own, its in (
        ("symbol", program.symbol, other.symbol),
        ("name", info.name, other.name),
        ("inputs", _without_sizes(_as_program(info).inputs), _without_sizes(other.inputs)),
        ("outputs", _without_sizes(info.outputs), _without_sizes(other.outputs)),
        ("executors", info.executors, other.executors),
        ("programs", (), other.programs),
        (
            "targets",
            [(target.key, target.params) for target in info.targets],
            [(target.key, target.params) for target in other.targets],
        ),
    ):
        if own != its:
            raise ArtifactError(
                f"model {info.name!r}: its program {program.symbol!r} has other {name}: {its!s:.200}, not {own!s:.200}",
                symbol=program.symbol,
                field=name,
            )


def _without_sizes(tensors: Tensors) -> list[tuple[str, str, int]]:
    return [(tensor.name, tensor.dtype.value, len(tensor.shape)) for tensor in tensors]
