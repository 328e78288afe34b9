"""Loading, in one explicit order. Everything is checked before the first byte of code is mapped, and what is mapped as code are
the bytes that were checked, whatever the file has by then.

1 read       read or map the file, or put the bytes into an anonymous one; an archive of sources is linked to a library first
2 verify     footer and digests, header, index; or the module tree      ArtifactError
3 partition  artifacts by loader and target key
4 loaders    those that the groups need are found and imported          LoadError
5 metadata   models, constants, machine, CPU features                   ArtifactError, LoadError
6 native     the library is opened, as an anonymous file of the checked bytes; a set that was not linked has none
7 groups     artifacts of other loaders, in the order of loader names   → imported modules
8 library    the factory
"""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

import ingot.runtime as late
from ingot.artifact import RESERVED, Artifact
from ingot.artifact.info import ModelInfo, read_models
from ingot.errors import LoadError
from ingot.package.library_file import file_content, has_footer, open_regular, read_library
from ingot.runtime.library import Library, Loaded, LoadStep, find_params
from ingot.runtime.native import NativeModule, open_checked, require_features, require_machine

if TYPE_CHECKING:
    from ingot.artifact.artifact_set import ArtifactSet, InMemoryArtifact
    from ingot.artifact.module import Module

DEVICE_KINDS = ("cpu",)  # of the host target

# What was verified, in words.
VERIFIED = {
    "full": "full: every byte of the file",
    "index": "index: all artifacts but the constants; code and constants are trusted",
}


def load(
    source: "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | ArtifactSet", *, verify: str = "full"
) -> Library:
    """Loads a library that `export_library` made, a set that `save` stored and that has nothing to link, or a Model Library
    Format archive, whose code is compiled and linked first.

    Args:
        source: a path, the bytes of a library, of a saved set or of an archive, a binary file object, or an
            `ingot.ArtifactSet`, whose `load` is called.
        verify: "full" checks every byte of the file; "index" only what loading reads, and trusts code and constants.

    Raises:
        ArtifactError: the bytes are not a library that ingot made, or were changed. Nothing of them was mapped as code.
        LoadError: a good library that cannot be loaded here: no such file, another machine, a missing CPU feature or loader.
        ToolchainError: an archive must be linked, and there is no compiler driver, or it failed.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        return _load_path(name, verify)
    made: Library = late.load_source(source, verify)
    return made


class Steps:
    """Measures the steps of loading as they are done."""

    def __init__(self) -> None:
        self.all: list[LoadStep] = []
        self._start = time.perf_counter()

    def done(self, step: str, detail: str = "") -> None:
        now = time.perf_counter()
        self.all.append(LoadStep(step, now - self._start, detail))
        self._start = now


def _load_path(name: str, verify: str) -> Library:
    steps = Steps()
    descriptor = open_regular(name)
    try:
        return load_descriptor(descriptor, name, verify, steps)
    finally:
        os.close(descriptor)


def load_descriptor(
    descriptor: int, name: str, verify: str, steps: Steps, in_memory: "tuple[InMemoryArtifact, ...]" = ()
) -> Library:
    """Loads the file of a descriptor, which stays open; `name` is what messages call it."""
    content = file_content(descriptor, name)
    steps.done("read", f"{len(content):,} bytes")
    if not has_footer(content):
        found: Library | None = late.load_unfinished(content, name, verify, steps)
        if found is not None:
            return found
    file = read_library(content, verify=verify, name=name)
    artifacts = file.container.artifacts
    steps.done("verify", VERIFIED[verify])
    if file.tree is not None:
        modules = " ".join(f"{number}.{module.type_key}" for number, module in enumerate(file.tree.modules))
        steps.done("tree", f"module tree of {len(file.tree.modules)}: {modules}")

    def open_library() -> NativeModule:
        native, is_checked = open_checked(content, file, descriptor, name)
        opened = "the library is opened as it was checked" if is_checked else "the file is opened: no code in anonymous ones here"
        steps.done("native", opened)
        return native

    return load_artifacts(artifacts, in_memory, name, steps, lambda: require_machine(content, name), open_library)


def load_artifacts(
    artifacts: tuple[Artifact, ...],
    in_memory: "tuple[InMemoryArtifact, ...]",
    name: str,
    steps: Steps,
    check_machine: Callable[[], None],
    open_library: Callable[[], NativeModule | None],
) -> Library:
    """What a library file and a set have in common: everything from the partition on."""
    counts = _counts(artifacts)
    groups = _groups(artifacts)
    found = ", ".join(f"{count} {loader_id}" for loader_id, count in counts.items())
    steps.done("partition", f"{len(artifacts)} artifacts: {found}")
    loaders = {loader_id: late.find_loader(loader_id) for loader_id in sorted({loader_id for loader_id, _ in groups})}
    if loaders:
        steps.done("loaders", f"found and imported: {', '.join(loaders)}")
    models = read_models(artifacts)
    if not models:
        raise LoadError(f"{name} has no model in it", name=name)
    check_machine()
    for info in models.values():
        _check_model(info, artifacts)
    steps.done("metadata", f"models {', '.join(models)}; machine, CPU features and constants fit")
    native = open_library()
    modules: list[Module] = []
    for (loader_id, key), group in sorted(groups.items()):
        modules.append(late.load_group(loaders[loader_id], key, group, tuple(models.values()), name))
        made = f"loader {loader_id!r} gets {_amount(len(group), 'artifact')} for {key}, makes {modules[-1].type_key!r}"
        steps.done("group", made)
    for one in in_memory:
        modules.append(one.load())
        steps.done("memory", f"{one.file_name!r} for {one.target_key} is its own loader, makes {modules[-1].type_key!r}")
    library = Library(Loaded(models, artifacts, native, tuple(modules)), name)
    steps.done("library", f"{_amount(len(models), 'model')}, {_amount(len(modules), 'imported module')}")
    library.load_steps = tuple(steps.all)
    return library


def _counts(artifacts: tuple[Artifact, ...]) -> dict[str, int]:
    """How many artifacts each loader has, in the order of loader names."""
    counts: dict[str, int] = {}
    for loader_id in sorted(artifact.loader for artifact in artifacts):
        counts[loader_id] = counts.get(loader_id, 0) + 1
    return counts


def _amount(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _check_model(info: ModelInfo, artifacts: tuple[Artifact, ...]) -> None:
    require_features(info.cpu_features, f"model {info.name!r}")
    if info.host.params:
        find_params(artifacts, info)
    if info.host.device_kind not in DEVICE_KINDS:
        raise LoadError(
            f"model {info.name!r}: its host part is for the device kind {info.host.device_kind!r}, "
            f"this ingot has {', '.join(DEVICE_KINDS)}",
            name=info.name,
        )


def _groups(artifacts: tuple[Artifact, ...]) -> dict[tuple[str, str], tuple[Artifact, ...]]:
    """Artifacts by (loader, target key), without those that loading itself understands."""
    groups: dict[tuple[str, str], tuple[Artifact, ...]] = {}
    for artifact in artifacts:
        if artifact.loader not in RESERVED:
            key = (artifact.loader, artifact.target_key)
            groups[key] = (*groups.get(key, ()), artifact)
    return groups
