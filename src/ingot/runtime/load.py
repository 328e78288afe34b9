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

Here is also what 5 and 6 ask of the system, and the native module: whether this processor and machine can run the code, and a
shared library that was opened after its bytes were checked.
"""

import _ctypes
import ctypes
import itertools
import os
import struct
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

import ingot
from ingot.artifact.artifact import RESERVED, Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_read import find_params, read_models
from ingot.base.lazy import Late
from ingot.package.library_file import file_content, has_footer, open_regular, read_library
from ingot.runtime.library import Library, Loaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingot.artifact import thread_pools as late_thread_pools
    from ingot.artifact.artifact import Content
    from ingot.artifact.artifact_set import ArtifactSet, InMemoryArtifact
    from ingot.artifact.module import Function, Module
    from ingot.artifact.thread_pools import ThreadPools
    from ingot.base import mapped_file as late_mapped_file
    from ingot.package.library_file import LibraryFile
    from ingot.runtime import levels as late_levels
    from ingot.runtime import load_sources as late_load_sources
    from ingot.runtime import load_steps as late_load_steps
    from ingot.runtime import loader as late_loader
    from ingot.runtime import platforms as late_platforms
    from ingot.runtime import uncopied as late_uncopied
    from ingot.runtime.devices import amx_state as late_amx_state
    from ingot.runtime.load_steps import Steps
else:
    late_thread_pools = Late("ingot.artifact.thread_pools")
    late_mapped_file = Late("ingot.base.mapped_file")
    late_amx_state = Late("ingot.runtime.devices.amx_state")
    late_levels = Late("ingot.runtime.levels")
    late_load_sources = Late("ingot.runtime.load_sources")
    late_load_steps = Late("ingot.runtime.load_steps")
    late_loader = Late("ingot.runtime.loader")
    late_platforms = Late("ingot.runtime.platforms")
    late_uncopied = Late("ingot.runtime.uncopied")

DEVICE_KINDS = ("cpu",)  # of the host target

# What was verified, in words.
VERIFIED = {
    "full": "full: every byte of the file",
    "index": "index: all artifacts but the constants; code and constants are trusted",
}

CPUINFO = "/proc/cpuinfo"
# /proc/cpuinfo repeats itself for every core, and the system writes a core's lines when they are asked for: 13 µs each, on big
# machines milliseconds in all. The first core of an x86-64 has more than the first piece, and other lines behind its features:
# pieces this small end within it. The features are within the first _FIRST_CORE_BYTES.
_FIRST_PIECE_BYTES, _PIECE_BYTES, _FIRST_CORE_BYTES = 768, 128, 16384
_features: "dict[str, frozenset[str] | None]" = {}  # by place

# Words in one text: a constant that could be a name is interned, and in a small program the table of these names is all but full
# (first-answer.md): as dicts, these had it doubled before the first answer.
_MACHINES = "3 i386 40 arm 62 x86_64 183 aarch64 243 riscv 22 s390x 21 ppc64le"
_SAME_MACHINE = "i686 i386 i586 i386 armv6l arm armv7l arm armv8l arm riscv64 riscv amd64 x86_64"

_GLIBC = "-linux-gnu -"  # in a target. Such code on such a system needs no module that knows others.

_opened = itertools.count(1)
_NO_EXEC_SEAL = 8  # MFD_NOEXEC_SEAL of Linux 6.3: no program, so that systems which forbid those allow it


def load(
    source: "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | ArtifactSet",
    *,
    verify: str = "full",
) -> Library:
    """Loads a library that `export_library` made; or a set that `save` stored or a Model Library Format archive, whose native
    code is compiled and linked first.

    Args:
        source: a path, the bytes of a library, of a saved set or of an archive, a binary file object, or an
            `ingot.ArtifactSet`, whose `load` is called.
        verify: "full" checks every byte of the file; "index" only what loading reads, and trusts code and constants.

    Raises:
        ArtifactError: the bytes are not a library that ingot made, or were changed. Nothing of them was mapped as code.
        LoadError: a good library that cannot be loaded here: no such file, another machine, a missing CPU feature or loader.
        ToolchainError: a set or an archive must be linked, and there is no compiler driver, or it failed.
    """
    try:
        if isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
            return _load_path(name, verify)
        library: Library = late_load_sources.load_source(source, verify)
        return library
    except OSError as error:  # of an import, as a rule
        if error.errno not in ingot.NO_DESCRIPTOR:
            raise
        raise ingot.LoadError(
            f"load: no file descriptor is free for what it needs: {error}; close some files"
        ) from error


def begin() -> "Steps":
    """A list of steps to which `done` adds."""
    return [("", time.perf_counter(), "")]


def done(log: "Steps", step: str, detail: "str | dict[str, int]") -> None:
    """Notes a step of loading as it is done: in words, or in numbers, of which `load_steps` makes words."""
    log.append((step, time.perf_counter(), detail))


def _load_path(name: str, verify: str) -> Library:
    steps = begin()
    descriptor = open_regular(name)
    try:
        library = load_descriptor(descriptor, name, verify, steps)
        library.note_path(os.path.abspath(name))
        return library
    finally:
        os.close(descriptor)


def load_descriptor(
    descriptor: int, name: str, verify: str, steps: "Steps", in_memory: "tuple[InMemoryArtifact, ...]" = ()
) -> Library:
    """Loads the file of a descriptor, which stays open; `name` is what messages call it."""
    content = file_content(descriptor, name)
    done(steps, "read", f"{len(content):,} bytes")
    if not has_footer(content):
        loaded: Library | None = late_load_sources.load_unfinished(content, name, verify, steps)
        if loaded is not None:
            return loaded
    file = read_library(content, verify=verify, name=name)
    artifacts = file.container.artifacts
    done(steps, "verify", VERIFIED[verify])
    if file.tree is not None:
        done(steps, "tree", late_load_steps.tree_words(file.tree.modules))

    def open_library() -> NativeModule:
        native, is_checked = open_checked(content, file, descriptor, name)
        opened = (
            "the library is opened as it was checked"
            if is_checked
            else "the file is opened: no code in anonymous ones here"
        )
        done(steps, "native", opened)
        return native

    library = load_artifacts(
        artifacts, in_memory, name, steps, lambda: require_machine(content, name), open_library
    )
    library.note_digest(file.sha256)
    return library


def load_artifacts(
    artifacts: tuple[Artifact, ...],
    in_memory: "tuple[InMemoryArtifact, ...]",
    name: str,
    steps: "Steps",
    check_machine: "Callable[[], None]",
    open_library: "Callable[[], NativeModule | None]",
) -> Library:
    """What a library file and a set have in common: everything from the partition on."""
    counts: dict[str, int] = {}
    groups: dict[
        tuple[str, str], list[Artifact]
    ] = {}  # by loader and target key, without those that loading itself understands
    for artifact in artifacts:
        counts[artifact.loader] = counts.get(artifact.loader, 0) + 1
        if artifact.loader not in RESERVED:
            groups.setdefault((artifact.loader, artifact.target_key), []).append(artifact)
    done(steps, "partition", counts)

    def note(step: str, detail: str) -> None:
        done(steps, step, detail)

    loaders = late_loader.find_loaders(groups, note) if groups else {}
    models = read_models(artifacts)
    if not models:
        raise ingot.LoadError(f"{name} has no model in it", name=name)
    check_machine()
    chosen = ""
    programs: dict[str, tuple[ModelInfo, ...]] = {}
    for model, info in models.items():
        if info.levels:
            models[model] = late_levels.fitting_level(artifacts, info, cpu_features())
            chosen += f"; {model} for {models[model].host.target}"
        if info.dims:
            models[model], programs[model] = late_levels.fitting_programs(artifacts, info, cpu_features())
        _check_model(models[model], artifacts)
    done(steps, "metadata", f"models {', '.join(models)}; machine, CPU features and constants fit{chosen}")
    native = open_library()
    modules: list[Module] = (
        late_loader.load_groups(groups, loaders, _with_programs(models, programs), name, note)
        if groups
        else []
    )
    for loadable in in_memory:
        modules.append(loadable.load())
        done(
            steps,
            "memory",
            f"{loadable.file_name!r} for {loadable.target_key} is its own loader, makes {modules[-1].type_key!r}",
        )
    loaded = Loaded(models, artifacts, native, tuple(modules))
    loaded.programs = programs
    library = Library(loaded, name, steps)
    done(steps, "library", {"model": len(models), "imported module": len(modules)})
    return library


def _with_programs(
    models: dict[str, ModelInfo], programs: dict[str, tuple[ModelInfo, ...]]
) -> tuple[ModelInfo, ...]:
    """The arguments that loaders get: models, and in the place of those whose extents vary their programs."""
    whole = (info for name, info in models.items() if name not in programs)
    return (*whole, *(program for some in programs.values() for program in some))


def _check_model(info: ModelInfo, artifacts: tuple[Artifact, ...]) -> None:
    for target in info.targets:
        if "-mtriple=" in target.target and not (
            _GLIBC in target.target and "CS_GNU_LIBC_VERSION" in os.confstr_names
        ):
            late_platforms.require_platform(info.name, target)
    require_features(info.cpu_features, f"model {info.name!r}")
    if "amx_tile" in info.cpu_features:
        late_amx_state.require_tiles(f"model {info.name!r}")
    if info.host.params:
        find_params(artifacts, info)
    if info.host.device_kind not in DEVICE_KINDS:
        raise ingot.LoadError(
            f"model {info.name!r}: its host part is for the device kind {info.host.device_kind!r}, "
            f"this ingot has {', '.join(DEVICE_KINDS)}",
            name=info.name,
        )


# ─── native code ───────────────────────────────────────────────────────────────────────────────────────────────────


class _Function(_ctypes.CFuncPtr):
    """Takes any arguments. `CFUNCTYPE` takes longer to make the same; a `CDLL` would make such a class for each library."""

    _flags_ = _ctypes.FUNCFLAG_CDECL
    _restype_ = ctypes.c_int32


class NativeModule:
    """An open shared library. The code is unmapped when the module is closed or nobody refers to it any more.

    Every one is opened by a path that no other had: the dynamic linker remembers paths for as long as it has the file open, for
    whomever in this process, and would hand out that file again if another got the same descriptor.
    """

    type_key = "native"
    _pools: "ThreadPools"  # from the first pool on

    def __init__(self, descriptor: int, name: str, place: str = "") -> None:
        """Opens the very file that the descriptor is of, which may be closed after that; where the system has no paths of
        descriptors, the file at `place`, if that is given.

        Raises:
            LoadError: the dynamic linker refuses the library.
        """
        self._handle = 0
        path = _new_path(descriptor)
        try:
            # Through the descriptor, because another file may stand at the path since this one was checked.
            self._handle = _open_code(path, place)
        except OSError as error:
            self.close()
            raise ingot.LoadError(
                f"{name}: the system cannot open the library: {error}", name=name
            ) from error

    @property
    def imported_modules(self) -> "tuple[Module, ...]":
        return ()

    def get_function(self, name: str) -> "Function | None":
        if not self._handle:
            return None  # closed
        try:
            address = _ctypes.dlsym(self._handle, name)
        except OSError:
            return None
        function: Any = _Function(address)
        function.module = self  # who has a function may let go of the library: its code stays mapped
        result: Function = function
        return result

    def pool(self, threads: int) -> int | None:
        """The address of the thread pool for `threads` threads, shared by all executors that use this number; None for one.

        The module owns its pools and ends them before it lets go of their code, whatever the order of garbage collection.
        """
        if threads < 2:
            return None
        if not hasattr(self, "_pools"):
            vars(self).setdefault(
                "_pools", late_thread_pools.ThreadPools()
            )  # of two threads, one made it in vain
        return self._pools.address(threads, self.get_function)

    def map_file(
        self, ranges: "Sequence[tuple[int, int]]", symbol: str, offset: int, descriptor: int
    ) -> bool:
        """Maps ranges of a file over those of the library, as `map_over` does; the byte at `offset` is that of the symbol."""
        try:
            address = _ctypes.dlsym(self._handle, symbol)
        except OSError:
            return False
        done: bool = late_mapped_file.map_over(address - offset, ranges, descriptor)
        return done

    def __reduce__(self) -> Any:
        """A handle of this process means nothing elsewhere, and a copy of it would close it for this module."""
        late_uncopied.refuse("the code of a library", "send the library")

    def close(self) -> None:
        if hasattr(self, "_pools"):
            self._pools.close(self.get_function)
        handle, self._handle = self._handle, 0
        if handle:
            _ctypes.dlclose(handle)

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, the system unmaps everything; other threads may still be in the code. This module may have
        # no `sys` any more then.
        if not is_ending():
            self.close()


def _open_code(path: str, place: str) -> int:
    flags = os.RTLD_NOW | os.RTLD_LOCAL
    try:
        return _ctypes.dlopen(path, flags)
    except OSError:
        if not place or os.path.exists(path):  # not asked before: that takes as long as a tenth of opening
            raise
    return _ctypes.dlopen(
        os.path.abspath(place), flags
    )  # a name alone would be looked for in the system's folders


def open_checked(
    content: "Content", file: "LibraryFile", descriptor: int, name: str
) -> tuple[NativeModule, bool]:
    """Opens the library whose bytes were checked, not what is in its file by now; and says whether that is so.

    The bytes are put into an anonymous file, without constants: these are mapped from the file that the descriptor is of. Where
    the system has no anonymous files, or lets no code be in them, that file is opened.

    Raises:
        LoadError: the dynamic linker refuses the library.
    """
    own = anonymous_file(name)
    if own is None:
        return NativeModule(descriptor, name, name), False
    try:
        left_out: list[tuple[int, int]] = (
            late_mapped_file.whole_pages(file.constants) if file.constants else []
        )
        begin = 0
        for end, behind in (*left_out, (file.size_bytes, 0)):
            _write(own, content, begin, end, name)
            begin = behind
        try:
            native = NativeModule(own, name)
        except (
            ingot.LoadError
        ):  # no path to it, or no code may be in it; if it is the library itself, this says so again
            return NativeModule(descriptor, name, name), False
        if left_out and not native.map_file(left_out, file.symbol, file.container_offset, descriptor):
            for begin, end in left_out:
                _write(own, content, begin, end, name)
        return native, True
    finally:
        os.close(own)


def anonymous_file(name: str) -> int | None:
    """A descriptor of a new file without a place in a folder; None where there is no such thing."""
    if not hasattr(os, "memfd_create"):
        return None
    for flags in (os.MFD_CLOEXEC | _NO_EXEC_SEAL, os.MFD_CLOEXEC):
        try:
            return os.memfd_create(os.path.basename(name)[:60], flags)  # 240 bytes; 249 are allowed
        except (OSError, ValueError):
            continue
    return None


def _write(descriptor: int, content: "Content", begin: int, end: int, name: str) -> None:
    view = memoryview(content)
    try:
        while begin < end:
            begin += os.pwrite(descriptor, view[begin:end], begin)
    except OSError as error:
        raise ingot.LoadError(
            f"{name}: no memory for its code: {error.strerror or error}", name=name
        ) from error


def _new_path(descriptor: int) -> str:
    """A path to the file of a descriptor, unlike every other: the bits of a counter as ways to stay in the same folder."""
    bits = f"{next(_opened):b}".replace("0", ".//").replace("1", "./")
    return f"/proc/self/fd/{bits}{descriptor}"


def cpu_features() -> frozenset[str] | None:
    """The features of this processor, named as in /proc/cpuinfo; None where the system does not say."""
    if CPUINFO not in _features:
        _features[CPUINFO] = _read_features()
    return _features[CPUINFO]


def _read_features() -> frozenset[str] | None:
    try:
        descriptor = os.open(CPUINFO, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    text, features, size = "", None, _FIRST_PIECE_BYTES
    try:
        while features is None and len(text) < _FIRST_CORE_BYTES and (piece := os.read(descriptor, size)):
            text += piece.decode("ascii", "replace")
            if size == _PIECE_BYTES and b"\n" in piece:
                features = features_in(
                    text[: text.rfind("\n") + 1]
                )  # whole lines: in the middle of one a feature may be cut
            size = _PIECE_BYTES
        return features_in(text) if features is None else features  # the last line may have no end
    except OSError:
        return None
    finally:
        os.close(descriptor)


def features_in(cpuinfo: str) -> frozenset[str] | None:
    """The features of the first core in the text of a /proc/cpuinfo."""
    for name in ("flags", "Features"):
        _, name_found, rest = f"\n{cpuinfo}".partition(f"\n{name}")
        head, colon, value = rest.partition("\n")[0].partition(":")
        if name_found and colon and not head.strip():
            return frozenset(value.split())
    return None


def lacking_features(needed: tuple[str, ...]) -> list[str]:
    """Which of some features this processor lacks, sorted; none where the system does not say what it has."""
    have = cpu_features() if needed else None
    return [] if have is None else sorted(set(needed) - have)


def require_features(needed: tuple[str, ...], name: str) -> None:
    """Raises LoadError if this processor lacks a feature that the code of `name` uses."""
    missing = lacking_features(needed)
    if missing:
        raise ingot.LoadError(
            f"{name} was built for a processor with {', '.join(missing)}, which this one has not; "
            "build it for this processor (-mcpu=native here, or -mcpu with this processor's name)",
            name=name,
            missing=tuple(missing),
            needed=needed,
        )


def require_machine(content: "Content", name: str) -> None:
    """Raises LoadError if the shared library is ELF for another kind of machine than this one."""
    view = memoryview(content)
    if bytes(view[:4]) != b"\x7fELF" or len(view) < 20:
        return
    machine = struct.unpack_from("<H" if view[5] == 1 else ">H", view, 18)[0]
    here = os.uname().machine.lower()
    if f" {machine} {here} " in f" {_MACHINES} ":
        return
    here = _pairs(_SAME_MACHINE).get(here, here)
    machines = _pairs(_MACHINES)
    built_for = machines.get(str(machine), f"ELF machine {machine}")
    if built_for != here and here in machines.values():
        message = f"{name} was built for {built_for}, this machine is {here}"
        raise ingot.LoadError(message, name=name, built_for=built_for, here=here)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))
