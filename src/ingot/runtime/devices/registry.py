"""Every kind of device: ingot's own, and those of installed packages."""

from __future__ import annotations

from ingot.artifact.device_kind import DeviceKind
from ingot.base import plugins
from ingot.base.errors import DeviceError

GROUP = "ingot.devices"


def find(kind: str) -> DeviceKind:
    """The kind of device of that name.

    Raises:
        LoadError: nobody offers it, two packages do, or what is offered is no `DeviceKind` of that name.
    """
    return plugins.record(GROUP, kind, DeviceKind)


def names(kind: DeviceKind) -> tuple[str, ...]:
    """What the devices of that kind call themselves.

    Raises:
        DeviceError: the driver is missing or failed; or a plug-in's function failed in another way, or gave no texts.
    """
    try:
        given = tuple(kind.names())
    except DeviceError:
        raise
    except Exception as error:  # a plug-in's code runs here and may raise anything
        raise DeviceError(
            f"the device kind {kind.id!r} cannot say which devices there are: {type(error).__name__}: {error}",
            kind=kind.id,
        ) from error
    if not all(isinstance(name, str) for name in given):
        raise DeviceError(
            f"the device kind {kind.id!r} must name its devices by texts, got {given!r:.200}", kind=kind.id
        )
    return given


def describe(name: str) -> str:
    """A kind of device in words: what it is, and the devices that are here; raises as `find` does."""
    kind = find(name)
    try:
        here = ", ".join(f"{kind.id}({at}) {word}" for at, word in enumerate(names(kind)))
    except DeviceError as error:
        here = error.message
    return f"{kind.summary}: {here or 'none here'}"
