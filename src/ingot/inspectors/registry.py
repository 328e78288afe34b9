"""Every inspector: ingot's own, then those of installed packages."""

from __future__ import annotations

from ingot.artifact.artifact import Content
from ingot.base import plugins
from ingot.base.errors import LoadError
from ingot.inspectors.inspector import Inspection, Inspector
from ingot.inspectors.mlf import MLF
from ingot.inspectors.tvm_library import TVM_LIBRARY

GROUP = "ingot.inspectors"
INSPECTORS = (MLF, TVM_LIBRARY)


def inspect(content: Content, name: str) -> Inspection | None:
    """What the first inspector that knows the kind of file finds in it; None if nobody knows it.

    Raises:
        ArtifactError: the file is of a known kind and damaged.
        LoadError: a plug-in cannot be imported, or offers no `Inspector`.
    """
    for inspector in INSPECTORS:
        facts = inspector.inspect(content, name)
        if facts is not None:
            return facts
    for plugin in plugins.offered(GROUP):
        offered = plugins.find(GROUP, plugin)
        if not isinstance(offered, Inspector):
            raise LoadError(
                f"the plug-in {plugin!r} of the group {GROUP} must offer an Inspector, got {offered!r:.200}",
                name=plugin,
            )
        facts = offered.inspect(content, name)
        if facts is not None:
            return facts
    return None
