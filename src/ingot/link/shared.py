"""Links an artifact set into one shared library: native code, the thread pool, and a container or tree with all the rest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_SOURCE, LOADER_VECTORS, Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.levels import read_levels
from ingot.artifact.model_info import ModelInfo
from ingot.base import environment
from ingot.base.cache import DirectoryCache
from ingot.base.errors import ArtifactError, ToolchainError, nearest
from ingot.base.observe import Observer
from ingot.base.scratch import content_of_file, forget_pages
from ingot.base.target import Target
from ingot.link.interface import (
    CODEGEN_ID,
    CONVENTIONS,
    interface_source,
    is_params,
    models_source,
    refusal_source,
    variants_of,
    why_no_interface,
)
from ingot.link.packages import package_name
from ingot.link.platform_proof import prove_platform, require_one_platform
from ingot.link.toolchain import Toolchain, find_toolchain
from ingot.link.workspace import link_folder
from ingot.package.c.shape_tables import SHAPES_HEADER
from ingot.package.c.states import HEADER as STATE_HEADER
from ingot.package.c.text import SOURCES as TEXT_SOURCES
from ingot.package.c.text import c_text
from ingot.package.classic.module_tree import SYMBOL as TREE_SYMBOL
from ingot.package.classic.module_tree import plan_tree
from ingot.package.container import PARAMS_ALIGNMENT, Member
from ingot.package.container_write import place_members, write_members
from ingot.package.library_file import SECTION, SYMBOL
from ingot.package.library_write import finish_library
from ingot.package.write_file import replace_file, require_replaceable

NATIVE_FOLDER = Path(__file__).parent.parent / "native"
# Compiled once for all libraries: headers and, last, source of each object.
POOL = ("pool.h", "pool_loop.h", "pool_ways.h", "pool_costs.h", "pool_team.h", "pool.c")
INTERFACES = (
    (*CONVENTIONS, "checks.h", "ffi.h", "shapes.h", "text.h", STATE_HEADER, "interface.c"),
    (*CONVENTIONS, "processor.c"),
    (*CONVENTIONS, "populate.c"),
)
SHAPES = (
    *CONVENTIONS,
    "ffi.h",
    "shapes.h",
    SHAPES_HEADER,
    "shapes.c",
    "shapes_ffi.c",
)  # where a model has extents that vary

# No paths, times or random names in what is made; kernels hidden, entries visible because their declarations say so.
COMPILE_FLAGS = (
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-ident",
    "-w",
)
# Bsymbolic: a program may be linked with several libraries, each of which must find the container and the pool of its own.
LINK_FLAGS = (
    "-shared",
    "-Wl,--build-id=none",
    "-Wl,-Bsymbolic",
    "-Wl,-z,now",
    "-Wl,-z,noexecstack",
    "-Wl,--hash-style=gnu",
)
COMPILED_SUFFIXES = (".c", ".s", ".S")
OBJECT_SUFFIXES = (".o",)
OUTPUT = "library.so"
NOT_IN_A_LIBRARY = (LOADER_NATIVE, LOADER_SOURCE, LOADER_VECTORS)  # linked, or of no use to who runs it
CONTAINERS = ("ingot", "module-tree")

# Code reaches 2 GiB in either direction. A container that could come between code and its data is put behind both, where only its
# first byte, its symbol, must be within reach. It begins a segment of its own there: what precedes it has no bytes in the file.
FAR_CONTAINER_BYTES = 1 << 30
FAR_SCRIPT = f"SECTIONS {{ {SECTION} : {{ *({SECTION}) }} }} INSERT AFTER .bss;\n"


def link_library(
    artifacts: ArtifactSet,
    path: str | os.PathLike[str],
    *,
    compile_flags: Sequence[str] = (),
    container: str = CONTAINERS[0],
    toolchain: Toolchain | None = None,
    observer: Observer | None = None,
    soname: str = "",
) -> None:
    """Links the set and writes the library to `path`: written aside, then renamed, so there is never half a file.

    Args:
        artifacts: any stored artifacts; those of the loader `native` (`.c`, `.s`, `.o`; other files may be included by them)
            become code, all others but sources and test vectors go into the container. Without native ones the library still
            loads.
        path: the file to write; its folder must exist.
        compile_flags: more flags for the `.c` files, after ingot's own, such as `-march=native`.
        container: "ingot", or "module-tree" for the older scheme: see `ingot.package.classic.module_tree`.
        toolchain: the compiler driver; None finds one.
        observer: receives the stages.
        soname: the name under which programs that are linked with the library look for it; its file name, as a rule. Without
            one the library has no such name, and equal sets give equal bytes under any file name.

    Raises:
        ArtifactError: the set has an in-memory artifact.
        ToolchainError: a target's triple names a system or C library for which ingot links none, or the driver is for another
            one; a soname of other characters than letters, digits and '_.+-'; no compiler driver, or it failed (the
            message quotes it), or the file cannot be written.
    """
    target = Path(path)
    try:  # said before minutes are spent, not after
        require_replaceable(target)
        if not target.parent.is_dir():
            raise ToolchainError(f"cannot write {target}: its folder does not exist", path=str(target))
    except OSError as error:
        raise ToolchainError(f"cannot write {target}: {error.strerror}", path=str(target)) from error
    pieces = link_pieces(
        artifacts,
        compile_flags=compile_flags,
        container=container,
        toolchain=toolchain,
        observer=observer,
        soname=soname,
    )
    write_aside(target, pieces, mode=0o755)


def link_pieces(
    artifacts: ArtifactSet,
    *,
    compile_flags: Sequence[str] = (),
    container: str = CONTAINERS[0],
    toolchain: Toolchain | None = None,
    observer: Observer | None = None,
    soname: str = "",
) -> list[Content]:
    """The bytes of the library, as pieces to be written one after the other. See `link_library`."""
    if container not in CONTAINERS:
        known = f"{nearest(container, CONTAINERS)} (known: {', '.join(CONTAINERS)})"
        raise ArtifactError(f"container={container!r} is not known{known}", container=container)
    artifacts.require_stored("a library")
    models = artifacts.models()
    watcher = Observer() if observer is None else observer
    native = [artifact for artifact in artifacts if artifact.loader == LOADER_NATIVE]
    data = _plan_data(
        [artifact for artifact in artifacts if artifact.loader not in NOT_IN_A_LIBRARY], container
    )
    interfaces, callable_ = [], []
    for info in models.values():
        why = why_no_interface(artifacts, info)
        interfaces.append(refusal_source(info, why) if why else _interface(artifacts, info, data))
        callable_ += [] if why else [info]
    if interfaces:
        interfaces.append(models_source(callable_))
        for header in (*CONVENTIONS, "shapes.h", SHAPES_HEADER, STATE_HEADER, TEXT_SOURCES[0]):
            interfaces.append(
                Artifact(CODEGEN_ID, LOADER_NATIVE, header, (NATIVE_FOLDER / header).read_bytes())
            )
    triple = require_one_platform(_triples(models.values()))
    chain = find_toolchain(triple) if toolchain is None else toolchain
    with watcher.timed("link"), link_folder() as folder:
        prove_platform(chain, triple, folder)
        units = [*_write_native([*native, *interfaces], folder), _runtime_object(POOL, chain, folder)]
        if interfaces:
            shared = [
                *INTERFACES,
                *([TEXT_SOURCES] if any(map(c_text, callable_)) else []),
                *([SHAPES] if any(info.dims for info in callable_) else []),
            ]
            units += [_runtime_object(names, chain, folder) for names in shared]
        units.append(_write_data_source(data, folder))
        for artifact in artifacts:
            forget_pages(artifact.content)
        chain.run(
            [
                *COMPILE_FLAGS,
                *_seed("library", folder),
                *compile_flags,
                *LINK_FLAGS,
                *_named(soname),
                *_placement(data, folder),
                "-o",
                "library.so",
                *units,
                "-lm",
                "-ldl",
                "-pthread",
            ],
            folder,
            "linking the library",
        )
        linked = content_of_file(folder / OUTPUT)
        return finish_library(linked, data.begin, data.size_bytes, tree=data.symbol == TREE_SYMBOL)


@dataclass(frozen=True, slots=True)
class _Data:
    """What goes into the library besides code: its bytes, where each member is, and the symbol of the first byte."""

    symbol: str
    members: tuple[Member, ...]
    pieces: list[Content]

    @property
    def size_bytes(self) -> int:
        return sum(memoryview(piece).nbytes for piece in self.pieces)

    @property
    def begin(self) -> bytes:
        """Enough of the first bytes to have a digest among them."""
        return b"".join(bytes(memoryview(piece)[:1024]) for piece in self.pieces[:12])[:1024]


def _interface(artifacts: ArtifactSet, info: ModelInfo, data: _Data) -> Artifact:
    """The source of a model's entries for callers in C."""
    variants = variants_of(artifacts, info)
    _, *better = read_levels(artifacts, info)
    offsets = [_params_offset(levels[0], data.members) for levels in variants]
    return interface_source(info, _params_offset(info, data.members), data.symbol, better, variants, offsets)


def _plan_data(artifacts: Sequence[Artifact], container: str) -> _Data:
    if container == "module-tree":
        tree, pieces = plan_tree(artifacts)
        return _Data(TREE_SYMBOL, tree.members, pieces)
    members = place_members(artifacts)
    return _Data(SYMBOL, members, write_members(members))


def _triples(models: Iterable[ModelInfo]) -> list[str]:
    """What the code is for, as far as targets say it: those of C sources do not."""
    targets = [target for info in models for target in info.targets if target.device_kind == "cpu"]
    return [triple for target in targets if (triple := Target.parse(target.target).triple)]


def write_aside(path: Path, pieces: Sequence[Content], *, mode: int = 0o644) -> None:
    """Writes the pieces to a file beside `path` and renames it, so that `path` is the old file or the whole new one.

    Raises:
        ToolchainError: the folder or file cannot be written.
    """
    try:
        replace_file(path, lambda file: file.writelines(pieces), mode=mode)
    except OSError as error:
        raise ToolchainError(f"cannot write {path}: {error.strerror or error}", path=str(path)) from error


def _write_native(artifacts: Sequence[Artifact], folder: Path) -> list[str]:
    """Lays the native artifacts out under their labels; returns the names of those that the driver gets."""
    units: list[str] = []
    for artifact in artifacts:
        name = f"native/{artifact.target_key}/{artifact.codegen_id}/{artifact.file_name}"
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(artifact.content)
        if file.suffix in COMPILED_SUFFIXES + OBJECT_SUFFIXES:
            units.append(name)
    return units


def _write_data_source(data: _Data, folder: Path) -> str:
    """The container or tree in a section that is loaded, page-aligned and read-only, as text for any GNU assembler."""
    with (folder / "container.bin").open("wb") as file:
        for piece in data.pieces:
            file.write(piece)
    (folder / "container.s").write_text(
        f'.section {SECTION},"a"\n'
        f".balign {PARAMS_ALIGNMENT}\n"
        f".globl {data.symbol}\n"
        f"{data.symbol}:\n"
        '.incbin "container.bin"\n'
        f".type {data.symbol}, STT_OBJECT\n"
        f".size {data.symbol}, .-{data.symbol}\n"
        '.section .note.GNU-stack,""\n',
        encoding="ascii",
    )
    return "container.s"


def _placement(data: _Data, folder: Path) -> tuple[str, ...]:
    """Flags that put a large container where no relocation has to reach over it."""
    if data.size_bytes < FAR_CONTAINER_BYTES:
        return ()
    (folder / "far.ld").write_text(FAR_SCRIPT, encoding="ascii")
    return ("-Wl,-T,far.ld",)


def _named(soname: str) -> tuple[str, ...]:
    """The flag that gives a library its name."""
    return (f"-Wl,-soname,{soname}",) if soname and package_name(soname) else ()


def _params_offset(info: ModelInfo, members: Sequence[Member]) -> int:
    """Where in the container the constants of the model's host begin; 0 if it has none."""
    return next((member.offset for member in members if is_params(member.artifact, info)), 0)


def _runtime_object(names: Sequence[str], chain: Toolchain, folder: Path) -> str:
    """An object that is the same for every library: from the cache, or compiled now and put there."""
    sources = {name: (NATIVE_FOLDER / name).read_bytes() for name in names}
    source = Path(names[-1])
    identity = repr((sorted(sources.items()), chain.command, chain.stamp, chain.extra_flags, COMPILE_FLAGS))
    key = hashlib.sha256(f"runtime object {identity}".encode()).hexdigest()
    place = environment.cache_folder()
    cache = DirectoryCache(place) if place is not None else None
    object_file = folder / f"{source.stem}.o"
    content = cache.get(key) if cache is not None else None
    if content is not None:
        object_file.write_bytes(content)
        return object_file.name
    for name, text in sources.items():
        (folder / name).write_bytes(text)
    chain.run(
        [
            "-std=c11",
            *COMPILE_FLAGS,
            *_seed(source.stem, folder),
            "-pthread",
            "-c",
            source.name,
            "-o",
            object_file.name,
        ],
        folder,
        f"compiling {source.name}",
    )
    if cache is not None:
        cache.put(key, object_file.read_bytes())
    return object_file.name


def _seed(name: str, folder: Path) -> tuple[str, ...]:
    """Flags that keep random names and the folder's path out of the objects."""
    return (f"-frandom-seed={name}", f"-ffile-prefix-map={folder.resolve()}=.")
