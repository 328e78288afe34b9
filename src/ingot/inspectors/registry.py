"""Every inspector: ingot's own, then those of installed packages."""

from __future__ import annotations

from ingot.artifact.artifact import Content
from ingot.base import plugins
from ingot.base.errors import IngotError, LoadError
from ingot.inspectors.inspector import Inspection, Inspector

GROUP = "ingot.inspectors"


def inspect(content: Content, name: str) -> Inspection | None:
    """What the first inspector that knows the kind of file finds in it; None if nobody knows it.

    Raises:
        ArtifactError: the file is of a known kind and damaged.
        LoadError: a plug-in cannot be imported, offers no `Inspector`, or fails.
    """
    for id_ in plugins.BUILT_IN[GROUP]:
        facts = find(id_).inspect(content, name)
        if facts is not None:
            return facts
    for id_, offer in plugins.offered(GROUP).items():
        if offer.is_built_in:
            continue
        facts = _inspected(find(id_), offer, content, name)
        if facts is not None:
            return facts
    return None


def find(name: str) -> Inspector:
    """The inspector of that name.

    Raises:
        LoadError: nobody offers it, two packages do, it cannot be imported, or what is offered is no `Inspector`.
    """
    offered = plugins.find(GROUP, name)
    if not isinstance(offered, Inspector):
        raise LoadError(
            f"the plug-in {name!r} of the group {GROUP} must offer an Inspector, got {offered!r:.200}",
            name=name,
        )
    return offered


def describe(name: str) -> str:
    """An inspector in words; raises as `find` does."""
    return f"looks into files: {find(name).id}"


def _inspected(inspector: Inspector, offer: plugins.Offer, content: Content, name: str) -> Inspection | None:
    """What a plug-in finds in a file; whatever goes wrong in it has its name."""
    try:
        facts = inspector.inspect(content, name)
    except IngotError:
        raise
    except Exception as error:  # the plug-in's own code runs here and may raise anything
        raise LoadError(
            f"{name}: the inspector {offer.name!r}, {offer.owner}, failed: {type(error).__name__}: {error}",
            name=offer.name,
            distribution=offer.distribution,
        ) from error
    if facts is not None and not isinstance(facts, Inspection):
        raise LoadError(
            f"{name}: the inspector {offer.name!r}, {offer.owner}, must give an Inspection or None, got {facts!r:.200}",
            name=offer.name,
            distribution=offer.distribution,
        )
    return facts
