"""The one finder of plug-ins: what ingot itself and installed packages offer under the same groups, each by a name.

ingot.codegens     `Codegen` records: who makes artifacts of a program; the name is what targets begin with
ingot.loaders      `Loader` records: who turns artifacts into running code; the name is the loader's id
ingot.inspectors   `Inspector` records: who looks into files that ingot did not make
ingot.ops          tuples of `OpDef` records: what operators mean; the name is their domain
ingot.devices      `DeviceKind` records: what loaded code runs on; the name is the kind

What ingot itself offers is in the table `BUILT_IN`, and is found without a look at what is installed: that takes longer than
loading a library. Nothing is imported before it is asked for by name.
"""

from __future__ import annotations

import importlib
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from ingot.base.errors import LoadError, nearest
from ingot.base.records import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Record = TypeVar("Record")

INGOT = "ingot-compiler"  # the distribution of what is built in

BUILT_IN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ingot.codegens": {
            "c": "ingot.codegen.c.generator:CODEGEN",
            "cuda": "ingot.codegen.cuda.generator:CODEGEN",
            "interp": "ingot.codegen.interp.generator:CODEGEN",
            "llvm": "ingot.codegen.llvm.generator:CODEGEN",
            "llvmjit": "ingot.codegen.llvmjit.generator:CODEGEN",
            "opencl": "ingot.codegen.opencl.generator:CODEGEN",
        },
        "ingot.loaders": {
            "cuda": "ingot.runtime.devices.cuda:LOADER",
            "interp": "ingot.codegen.interp.generator:LOADER",
            "llvmjit": "ingot.codegen.llvmjit.loader:LOADER",
            "opencl": "ingot.runtime.devices.opencl:LOADER",
        },
        "ingot.inspectors": {
            "mlf": "ingot.inspectors.mlf:MLF",
            "tvm-library": "ingot.inspectors.tvm_library:TVM_LIBRARY",
        },
        "ingot.ops": {"ai.onnx": "ingot.ops.registry:ALL"},
        "ingot.devices": {
            "cpu": "ingot.runtime.devices.cpu:KIND",
            "cuda": "ingot.runtime.devices.cuda:KIND",
            "opencl": "ingot.runtime.devices.opencl:KIND",
        },
    }
)
GROUPS = tuple(BUILT_IN)

IMPORT_SECONDS = 60.0  # which importing a plug-in may take: PyTorch from a slow disk takes half of it
_hung: dict[str, str] = {}  # what did not come back from its import, and what was said of it


class Offer(metaclass=Frozen):
    """What a distribution offers: `value`, an attribute of a module as `module:attribute`, by a name in a group."""

    group: str
    name: str
    value: str
    distribution: str = INGOT
    version: str = ""

    @property
    def is_built_in(self) -> bool:
        """Whether ingot itself offers it."""
        return BUILT_IN.get(self.group, {}).get(self.name) == self.value

    @property
    def owner(self) -> str:
        """The object and the distribution that has it, in words."""
        version = f" {self.version}" if self.version else ""
        return f"{self.value} of package {self.distribution}{version}" if self.distribution else self.value


def offered(group: str) -> dict[str, Offer]:
    """Every plug-in of a group by its name, those of ingot first; nothing is imported.

    Raises:
        LoadError: a name is offered twice; the message has both. Or `INGOT_PLUGINS` names what offers nothing.
    """
    every = {name: Offer(group, name, value) for name, value in BUILT_IN.get(group, {}).items()}
    for name, some in _by_name(_installed(group)).items():
        if quarrel := why_not_unique(some):
            raise LoadError(quarrel, group=group, name=name)
        every[name] = some[0]
    return every


def find(group: str, name: str) -> Any:
    """The object that ingot, or else an installed package, offers by that name; it is imported now.

    Raises:
        LoadError: nobody offers the name, two packages do, or the plug-in cannot be imported, or not within `IMPORT_SECONDS`.
    """
    value = BUILT_IN.get(group, {}).get(name)
    return _object(value) if value is not None else imported(_unique(group, name))


def record(group: str, name: str, kind: type[Record]) -> Record:
    """What `find` gives, which has to be a record of that kind whose `id` is the name.

    Raises:
        LoadError: as of `find`, or what is offered is something else.
    """
    offered = find(group, name)
    if not isinstance(offered, kind) or getattr(offered, "id", None) != name:
        raise LoadError(
            f"the plug-in {name!r} of the group {group} must offer a {kind.__name__} with that id, got {offered!r:.200}",
            name=name,
        )
    return offered


def imported(offer: Offer) -> Any:
    """The object of an offer. The import of what is not ingot's own is given up after `IMPORT_SECONDS`.

    A thread imports it, since Python has no way to end an import. One that is given up goes on in its thread for as long as the
    process does, and its module is refused from then on; nothing else waits for it.

    Raises:
        LoadError: it cannot be imported, or not in time.
    """
    module = offer.value.partition(":")[0]
    if offer.is_built_in:
        return _object(offer.value)
    if module in _hung:
        raise _refusal(offer, _hung[module])
    try:
        if _is_being_imported(
            module
        ):  # by this thread, or by one that it waits for: the thread would wait for us
            return _object(offer.value)
        return _in_time(offer.value)
    except TimeoutError:
        _hung[module] = f"its import did not end within {IMPORT_SECONDS:g} s, and goes on in a thread"
        raise _refusal(offer, _hung[module]) from None
    except (Exception, SystemExit) as error:  # the plug-in's own code runs here and may raise anything
        raise _refusal(offer, f"{type(error).__name__}: {error}") from error


def why_not_unique(some: list[Offer]) -> str:
    """Why a name that these offer stands for nothing; empty if they all offer the same object, or there is only one."""
    first = some[0]
    built_in = BUILT_IN.get(first.group, {}).get(first.name)
    every = [Offer(first.group, first.name, built_in), *some] if built_in is not None else some
    # One package may be seen twice (installed, and in the working folder): the same object under the same name is no quarrel.
    other = next((offer for offer in every if offer.value != every[0].value), None)
    if other is None:
        return ""
    return (
        f"two plug-ins of the group {first.group} offer {first.name!r}: {every[0].owner} and {other.owner}; "
        "uninstall one, or leave it out by INGOT_PLUGINS"
    )


def every_offer(group: str) -> Iterator[tuple[Offer, str]]:
    """All that is offered in a group, also what stands for nothing, with the reason; nothing is imported.

    Raises:
        LoadError: `INGOT_PLUGINS` names what offers nothing.
    """
    by_name = _by_name(_installed(group))
    for name, value in BUILT_IN.get(group, {}).items():
        yield Offer(group, name, value), ""
    for some in by_name.values():
        why = why_not_unique(some)
        kept = some if why else some[:1]
        yield from ((offer, why) for offer in kept if not offer.is_built_in)


def _unique(group: str, name: str) -> Offer:
    by_name = _by_name(_installed(group))
    if name not in by_name:
        known = [*BUILT_IN.get(group, {}), *by_name]
        limited = _limit()
        only = f"; INGOT_PLUGINS={limited[1]} leaves out others" if limited is not None else ""
        raise LoadError(
            f"no plug-in of the group {group} is called {name!r}{nearest(name, known)} "
            f"(installed: {', '.join(known) or 'none'}{only}); install the package that has it",
            group=group,
            name=name,
            known=tuple(known),
        )
    if quarrel := why_not_unique(by_name[name]):
        raise LoadError(quarrel, group=group, name=name)
    return by_name[name][0]


def _by_name(installed: list[Offer]) -> dict[str, list[Offer]]:
    by_name: dict[str, list[Offer]] = {}
    for offer in installed:
        by_name.setdefault(offer.name, []).append(offer)
    return by_name


def _installed(group: str) -> list[Offer]:
    """What installed distributions offer, as far as `INGOT_PLUGINS` lets them."""
    limit = _limit()
    if limit is not None and not limit[0]:
        return []
    # Takes as long to import as NumPy's smaller half, and who only has what is built in never needs it.
    metadata = importlib.import_module("importlib.metadata")
    entries = sorted(metadata.entry_points(group=group), key=lambda entry: (entry.name, entry.value))
    every = [
        Offer(
            group,
            entry.name,
            entry.value,
            *((entry.dist.name, entry.dist.version) if entry.dist is not None else ("", "")),
        )
        for entry in entries
    ]
    if limit is None:
        return every
    _require_installed(metadata, *limit)
    return [offer for offer in every if _normal(offer.distribution) in limit[0]]


def _limit() -> tuple[frozenset[str], str] | None:
    """The distributions that may offer something, and what the environment says; None for all."""
    text = importlib.import_module("ingot.base.environment").plugins_text()
    if not text:
        return None
    names = (
        frozenset() if text == "off" else frozenset(_normal(name) for name in text.split(",") if name.strip())
    )
    return names, text


def _require_installed(metadata: Any, names: frozenset[str], text: str) -> None:
    for name in sorted(names):
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise LoadError(
                f"INGOT_PLUGINS={text}: no distribution {name!r} is installed; "
                "name those whose plug-ins are to be found, with commas, or 'off' for none",
                name=name,
            ) from None


def _normal(distribution: str) -> str:
    """The name as indexes of packages compare it: `My_Package` is `my-package`."""
    words = distribution.strip().lower().replace("_", "-").replace(".", "-").split("-")
    return "-".join(word for word in words if word)


def _object(value: str) -> Any:
    module, _, attributes = value.partition(":")
    record: Any = importlib.import_module(module)
    for name in filter(None, attributes.strip().split(".")):
        record = getattr(record, name)
    return record


def _is_being_imported(module: str) -> bool:
    """Whether an import of the module, or of a package that it is in, has begun and not ended."""
    parts = module.split(".")
    names = [".".join(parts[: at + 1]) for at in range(len(parts))]
    specs = [getattr(sys.modules.get(name), "__spec__", None) for name in names]
    return any(getattr(spec, "_initializing", False) for spec in specs)


def _in_time(value: str) -> Any:
    threading = importlib.import_module("threading")
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(_object(value))
        except BaseException as error:  # raised again where somebody waits for it
            errors.append(error)

    thread = threading.Thread(target=work, name=f"import {value}", daemon=True)
    thread.start()
    thread.join(IMPORT_SECONDS)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]


def _refusal(offer: Offer, why: str) -> LoadError:
    return LoadError(
        f"plug-in {offer.name!r} of the group {offer.group}, {offer.owner}, cannot be imported: {why}",
        group=offer.group,
        name=offer.name,
        distribution=offer.distribution,
    )
