"""Finds the loader of an artifact group by its id."""

from __future__ import annotations

from ingot import plugins
from ingot.artifact.module import Loader
from ingot.errors import LoadError

GROUP = "ingot.loaders"


def find_loader(loader_id: str) -> Loader:
    """The loader that an installed package, or ingot itself, offers under that id.

    Raises:
        LoadError: nobody does, two packages do, or what is offered is no `Loader` of that id.
    """
    found = plugins.find(GROUP, loader_id)
    if not isinstance(found, Loader) or found.id != loader_id:
        raise LoadError(
            f"the plug-in {loader_id!r} of the group {GROUP} must offer a Loader with that id, got {found!r:.200}", name=loader_id
        )
    return found
