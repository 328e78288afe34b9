"""`Inspector`: who can look into a kind of file, as a record of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingot.artifact.artifact import Content


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found in a file.

    `facts` is plain data for JSON; `lines` says it to people; `members` are the contents of its parts by name,
    `maker` says who made it.
    """

    facts: dict[str, Any]
    lines: tuple[str, ...]
    members: Mapping[str, bytes] = field(default_factory=dict)
    maker: str = "not made by ingot"


@dataclass(frozen=True, slots=True)
class Inspector:
    """Looks into files that ingot did not make. Nothing that a file holds is run.

    `inspect(content, name)` gives None for a file of another kind, and raises ArtifactError for a damaged one, with `name` in the
    message. The content is untrusted.
    """

    id: str
    inspect: Callable[[Content, str], Inspection | None]
