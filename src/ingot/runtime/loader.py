"""Finds the loader of an artifact group by its id, and lets it load the group."""

from __future__ import annotations

from ingot import plugins
from ingot.artifact import Artifact
from ingot.artifact.info import ModelInfo
from ingot.artifact.module import LoadContext, Loader, Module
from ingot.errors import IngotError, LoadError

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


def load_group(loader: Loader, key: str, group: tuple[Artifact, ...], models: tuple[ModelInfo, ...], name: str) -> Module:
    """What the loader makes of a group of artifacts for one target key.

    Raises:
        IngotError: the loader's own; or LoadError: it failed in any other way.
    """
    try:
        return loader.load(group, LoadContext(key, models))
    except IngotError:
        raise
    except Exception as error:  # a plug-in's code runs here and may raise anything
        raise LoadError(
            f"{name}: the loader {loader.id!r} failed on the artifacts for {key}: {type(error).__name__}: {error}",
            loader=loader.id,
            target_key=key,
        ) from error
