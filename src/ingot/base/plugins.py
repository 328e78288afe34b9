"""The one finder of plug-ins: what installed packages offer under ingot's entry-point groups.

ingot.loaders      `Loader` records: who turns artifacts into running code
ingot.inspectors   `Inspector` records: who looks into files that ingot did not make
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ingot.base.errors import LoadError, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def offered(group: str) -> dict[str, EntryPoint]:
    """Every plug-in of a group by its name; nothing is imported.

    Raises:
        LoadError: two packages offer the same name; the message has both.
    """
    # Takes as long to import as NumPy's smaller half, and a program that only loads libraries never needs it.
    metadata = importlib.import_module("importlib.metadata")
    entry_points: dict[str, EntryPoint] = {}
    for entry in sorted(metadata.entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        other = entry_points.setdefault(entry.name, entry)
        # One package may be seen twice (installed, and in the working folder): the same object under the same name is no quarrel.
        if other.value != entry.value:
            raise LoadError(
                f"two plug-ins of the group {group} offer {entry.name!r}: {_owner(other)} and {_owner(entry)}; uninstall one",
                group=group,
                name=entry.name,
            )
    return entry_points


def find(group: str, name: str) -> object:
    """Imports the plug-in of that name and returns the object that it offers.

    Raises:
        LoadError: nobody offers the name, two packages do, or the plug-in cannot be imported.
    """
    entries = offered(group)
    entry = entries.get(name)
    if entry is None:
        known = ", ".join(entries) or "none"
        raise LoadError(
            f"no plug-in of the group {group} is called {name!r}{nearest(name, entries)} (installed: {known}); "
            "install the package that has it",
            group=group,
            name=name,
        )
    try:
        return entry.load()
    except Exception as error:  # the plug-in's own code runs here and may raise anything
        raise LoadError(
            f"plug-in {name!r} of the group {group}, {_owner(entry)}, cannot be imported: {type(error).__name__}: {error}",
            group=group,
            name=name,
        ) from error


def _owner(entry: EntryPoint) -> str:
    package = f" of package {entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    return f"{entry.value}{package}"
