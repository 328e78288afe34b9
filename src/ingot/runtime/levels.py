"""Which of a model's programs for several processors runs here: the last one whose instructions this processor has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingot.artifact.levels import read_levels
from ingot.runtime import load
from ingot.runtime.devices.amx_state import are_given

if TYPE_CHECKING:
    from ingot.artifact.artifact import Artifact
    from ingot.artifact.info import ModelInfo


def fitting_level(artifacts: tuple[Artifact, ...], info: ModelInfo) -> ModelInfo:
    """The best program of a model for this processor; the lowest one where none fits, which loading then refuses.

    Raises:
        ArtifactError: a level is missing, is wrong or is not of this model.
    """
    levels = read_levels(artifacts, info)
    if load.cpu_features() is None:  # nobody says what the processor has
        return info
    fitting = [level for level in levels if _fits(level)]
    return fitting[-1] if fitting else info


def _fits(level: ModelInfo) -> bool:
    if load.lacking_features(level.cpu_features):
        return False
    return "amx_tile" not in level.cpu_features or are_given()
