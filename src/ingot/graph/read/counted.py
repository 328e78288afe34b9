"""Extents that depend on content: what callers say of them, and those that there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingot.base.errors import ModelError, nearest


@dataclass(frozen=True, slots=True)
class CountedExtent:
    """How many places a node chooses: from `low` to `high`, of which there is room for `room`. Whatever the content is, there are
    at most `maximum`; None: nothing says that.
    """

    name: str
    node: str
    op_type: str
    low: int
    high: int
    room: int
    maximum: int | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the model says how many there are; they are counted to see whether that is so."""
        return self.low == self.room

    @property
    def is_checked(self) -> bool:
        """Whether content may give another number of places than from `low` to `high`."""
        return self.is_exact or self.maximum is None or self.maximum > self.high


@dataclass(slots=True)
class CountedExtents:
    """The extents of a model that depend on content.

    Attributes:
        bounds: what callers say that they are at most, by the name of an extent or of a value that has it.
        rooms: for how many places there is to be room, by the name of an extent, in the place of what follows from bounds.
        extents: those that there are, by the name of the node that chooses.
    """

    bounds: Mapping[str, int] = field(default_factory=dict)
    rooms: Mapping[str, int] = field(default_factory=dict)
    extents: dict[str, CountedExtent] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def require_used(self, label: str) -> None:
        """Refuses bounds of extents that there are not.

        Raises:
            ModelError: there is one; the message lists those that there are.
        """
        known = [extent.name for extent in self.extents.values()]
        for name in self.bounds:
            if name not in self._used:
                choice = ", ".join(map(repr, known)) or "there is none"
                raise ModelError(
                    f"{label}: bounds={{{name!r}: …}}: no extent of this name depends on the content of inputs"
                    f"{nearest(name, known)} (those that do: {choice})",
                    bound=name,
                )

    def bound_of(self, names: Sequence[str]) -> int | None:
        """What callers say of an extent that has these names."""
        given = [name for name in names if name in self.bounds]
        self._used.update(given)
        return min((int(self.bounds[name]) for name in given), default=None)
