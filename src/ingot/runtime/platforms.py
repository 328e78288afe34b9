"""Whether this process can run code for a system and a C library."""

from __future__ import annotations

import ingot
from ingot.artifact.info import TargetInfo
from ingot.platforms import is_this_platform, platform_words, this_platform


def require_platform(model: str, target: TargetInfo) -> None:
    """Raises LoadError if a target's triple names another system or C library than this process has."""
    flags = [word.partition("=") for word in target.target.split()]
    triple = next((value for flag, _, value in flags if flag == "-mtriple"), "")
    if is_this_platform(triple):
        return
    here = platform_words(this_platform())
    raise ingot.LoadError(
        f"model {model!r} was built for {triple}, and this process runs on {here}; load it there, or build it for {here}",
        name=model,
        built_for=triple,
        here=here,
    )
