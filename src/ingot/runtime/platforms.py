"""Whether this process can run code for a system and a C library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ingot
from ingot.artifact.model_info import ModelInfo, TargetInfo
from ingot.base.platforms import is_this_platform, platform_words, this_platform, triple_of

if TYPE_CHECKING:
    from collections.abc import Iterable


def require_platforms(models: Iterable[ModelInfo]) -> None:
    """What `require_platform` checks, of every target of the models: before they are linked in order to be loaded."""
    for info in models:
        for target in info.targets:
            require_platform(info.name, target)


def require_platform(model: str, target: TargetInfo) -> None:
    """Raises LoadError if a target's triple names another system or C library than this process has."""
    triple = triple_of(target.target)
    if is_this_platform(triple):
        return
    here = platform_words(this_platform())
    raise ingot.LoadError(
        f"model {model!r} was built for {triple}, and this process runs on {here}; load it there, or build it for {here}",
        name=model,
        built_for=triple,
        here=here,
    )
