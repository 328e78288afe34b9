"""What a library says about a model's programs for better processors (loader `level`)."""

from __future__ import annotations

from collections.abc import Iterable

from ingot.artifact.artifact import LOADER_LEVEL, Artifact
from ingot.artifact.model_info import ModelInfo, program_inputs
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError


def read_levels(artifacts: Iterable[Artifact], info: ModelInfo) -> tuple[ModelInfo, ...]:
    """A model's programs, the lowest first: the one that its metadata are of, and those that they name.

    Raises:
        ArtifactError: one is not there or twice, is wrong, or is not the same model.
    """
    by_level = {symbol: [] for symbol in info.levels}  # type: dict[str, list[Artifact]]
    for artifact in artifacts if info.levels else ():
        symbol, _, suffix = artifact.file_name.rpartition(".")
        if artifact.loader == LOADER_LEVEL and suffix == "json" and symbol in by_level:
            by_level[symbol].append(artifact)
    kept = [info]
    for symbol, some in by_level.items():
        if len(some) != 1:
            raise ArtifactError(
                f"model {info.name!r}: its level {symbol!r} is there {len(some)} times", symbol=symbol
            )
        kept.append(_checked(info, symbol, info_from_json(some[0].content)))
    return tuple(kept)


def _checked(info: ModelInfo, symbol: str, level: ModelInfo) -> ModelInfo:
    """The level, if it is one of that model."""
    for name, own, other in (
        ("symbol", symbol, level.symbol),
        ("name", info.name, level.name),
        (
            "inputs",
            [tensor.type for tensor in program_inputs(info)],
            [tensor.type for tensor in level.inputs],
        ),
        ("outputs", [tensor.type for tensor in info.outputs], [tensor.type for tensor in level.outputs]),
        ("executors", info.executors, level.executors),
        ("levels", (), level.levels),
        ("targets", ["host"], [target.key for target in level.targets]),
        ("params", info.host.params, level.host.params),
    ):
        if own != other:
            raise ArtifactError(
                f"model {info.name!r}: its level {symbol!r} has other {name}: {_shown(other)}, not {_shown(own)}",
                symbol=symbol,
                field=name,
            )
    return level


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else repr(value)
