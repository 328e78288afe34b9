"""Finds the loaders of artifact groups by their ids, and lets them load the groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.module import LoadContext, Loader, Module
from ingot.base import plugins
from ingot.base.errors import IngotError, LoadError
from ingot.runtime.load_steps import amount

GROUP = "ingot.loaders"

Note = Callable[[str, str], None]  # notes a step of loading as it is done, and a detail


def find_loaders(groups: Iterable[tuple[str, str]], note: Note) -> dict[str, Loader]:
    """The loaders of groups, which are named by loader id and target key; raises as `find_loader` does."""
    loaders = {
        loader_id: find_loader(loader_id) for loader_id in sorted({loader_id for loader_id, _ in groups})
    }
    note("loaders", f"found and imported: {', '.join(loaders)}")
    return loaders


def find_loader(loader_id: str) -> Loader:
    """The loader that an installed package, or ingot itself, offers under that id.

    Raises:
        LoadError: nobody does, two packages do, or what is offered is no `Loader` of that id.
    """
    return plugins.record(GROUP, loader_id, Loader)


def describe(name: str) -> str:
    """A loader in words; raises as `find_loader` does."""
    return f"loads code for {find_loader(name).device_kind}"


def load_groups(
    groups: Mapping[tuple[str, str], Sequence[Artifact]],
    loaders: Mapping[str, Loader],
    models: tuple[ModelInfo, ...],
    name: str,
    note: Note,
) -> list[Module]:
    """What the loaders make of groups, in the order of loader ids; raises as `load_group` does."""
    modules = []
    for (loader_id, key), group in sorted(groups.items()):
        modules.append(load_group(loaders[loader_id], key, tuple(group), models, name))
        gets = amount(len(group), "artifact")
        note("group", f"loader {loader_id!r} gets {gets} for {key}, makes {modules[-1].type_key!r}")
    return modules


def load_group(
    loader: Loader, key: str, group: tuple[Artifact, ...], models: tuple[ModelInfo, ...], name: str
) -> Module:
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
