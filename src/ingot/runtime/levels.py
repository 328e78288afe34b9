"""Which of a model's programs run here: of those for several processors the last one whose instructions this processor has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ingot.artifact.levels import read_levels
from ingot.artifact.programs import read_programs
from ingot.runtime.devices.amx_state import are_given

if TYPE_CHECKING:
    from ingot.artifact.artifact import Artifact
    from ingot.artifact.model_info import ModelInfo


def fitting_level(
    artifacts: tuple[Artifact, ...], info: ModelInfo, features: frozenset[str] | None
) -> ModelInfo:
    """The best program of a model for a processor; the lowest one where none fits, which loading then refuses.

    Args:
        artifacts: of the library.
        info: the lowest program.
        features: of the processor; None where the system does not say them.

    Raises:
        ArtifactError: a level is missing, is wrong or is not of this model.
    """
    levels = read_levels(artifacts, info)
    if features is None:
        return info
    fitting = [level for level in levels if _fits(level, features)]
    return fitting[-1] if fitting else info


def _fits(level: ModelInfo, features: frozenset[str]) -> bool:
    if not features.issuperset(level.cpu_features):
        return False
    return "amx_tile" not in level.cpu_features or are_given()


def fitting_programs(
    artifacts: tuple[Artifact, ...], info: ModelInfo, features: frozenset[str] | None
) -> tuple[ModelInfo, tuple[ModelInfo, ...]]:
    """A model with extents that vary: its metadata, and its programs for a processor, in the order of `info.programs`.

    Args:
        artifacts: of the library.
        info: the model's metadata.
        features: of the processor; None where the system does not say them.

    Raises:
        ArtifactError: a program or a level is missing, is wrong or is not of this model.
    """
    programs = read_programs(artifacts, info)
    chosen = tuple(
        fitting_level(artifacts, program, features) if program.levels else program for program in programs
    )
    own = chosen[[program.symbol for program in programs].index(info.symbol)]
    varying = {
        name: getattr(info, name)
        for name in ("inputs", "outputs", "border", "dims", "programs", "states", "counts")
    }
    return replace(own, **varying), chosen
