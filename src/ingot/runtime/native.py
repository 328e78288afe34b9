"""Native code: whether this processor and machine can run it, and the native module: a shared library that was opened, after
its bytes were checked.
"""

import _ctypes
import ctypes
import functools
import itertools
import os
import struct
import sys
from typing import TYPE_CHECKING, Any

import ingot.runtime as late
from ingot.errors import LoadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingot.artifact import Content
    from ingot.artifact.module import Function, Module
    from ingot.artifact.thread_pools import ThreadPools
    from ingot.package.library_file import LibraryFile

CPUINFO = "/proc/cpuinfo"
# /proc/cpuinfo repeats itself for every core; the first one is within this, and reading all takes milliseconds on big machines.
_FIRST_CORE_BYTES = 16384

# Words in one text: a constant that could be a name is interned, and in a small program the table of these names is all but full
# (first-answer.md): as dicts, these had it doubled before the first answer.
_MACHINES = "3 i386 40 arm 62 x86_64 183 aarch64 243 riscv 22 s390x 21 ppc64le"
_SAME_MACHINE = "i686 i386 i586 i386 armv6l arm armv7l arm armv8l arm riscv64 riscv amd64 x86_64"

_opened = itertools.count(1)
_NO_EXEC_SEAL = 8  # MFD_NOEXEC_SEAL of Linux 6.3: no program, so that systems which forbid those allow it
_FUNCTION: Any = ctypes.CFUNCTYPE(ctypes.c_int32)  # takes any arguments; a `CDLL` would make such a class for each library


class NativeModule:
    """An open shared library. The code is unmapped when the module is closed or nobody refers to it any more.

    Every one is opened by a path that no other had: the dynamic linker remembers paths for as long as it has the file open, for
    whomever in this process, and would hand out that file again if another got the same descriptor.
    """

    type_key = "native"
    _pools: "ThreadPools"  # from the first pool on

    def __init__(self, descriptor: int, name: str) -> None:
        """Opens the very file that the descriptor is of, which may be closed after that.

        Raises:
            LoadError: the dynamic linker refuses the library.
        """
        self._handle = 0
        path = _new_path(descriptor)
        try:
            # Through the descriptor, because another file may stand at the path since this one was checked.
            self._handle = _ctypes.dlopen(path if os.path.exists(path) else name, os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            self.close()
            raise LoadError(f"{name}: the system cannot open the library: {error}", name=name) from error

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
        function: Function = _FUNCTION(address)
        return function

    def pool(self, threads: int) -> int | None:
        """The address of the thread pool for that many threads, shared by all who want so many; None for one thread.

        The module owns its pools and ends them before it lets go of their code, whatever the order of garbage collection.
        """
        if threads < 2:
            return None
        if not hasattr(self, "_pools"):
            vars(self).setdefault("_pools", late.ThreadPools())  # of two threads, one made it in vain
        return self._pools.address(threads, self.get_function)

    def map_file(self, ranges: "Sequence[tuple[int, int]]", symbol: str, offset: int, descriptor: int) -> bool:
        """Maps ranges of a file over those of the library, as `map_over` does; the byte at `offset` is that of the symbol."""
        try:
            address = _ctypes.dlsym(self._handle, symbol)
        except OSError:
            return False
        done: bool = late.map_over(address - offset, ranges, descriptor)
        return done

    def close(self) -> None:
        if hasattr(self, "_pools"):
            self._pools.close(self.get_function)
        handle, self._handle = self._handle, 0
        if handle:
            _ctypes.dlclose(handle)

    def __del__(self) -> None:
        # When the interpreter ends, the system unmaps everything; other threads may still be in the code.
        if not sys.is_finalizing():
            self.close()


def open_checked(content: "Content", file: "LibraryFile", descriptor: int, name: str) -> tuple[NativeModule, bool]:
    """Opens the library whose bytes were checked, not what is in its file by now; and says whether that is so.

    The bytes are put into an anonymous file, without constants: these are mapped from the file that the descriptor is of. Where
    the system has no anonymous files, or lets no code be in them, that file is opened.

    Raises:
        LoadError: the dynamic linker refuses the library.
    """
    own = _anonymous(name)
    if own is None:
        return NativeModule(descriptor, name), False
    try:
        page = os.sysconf("SC_PAGESIZE")
        pages = [(-(-begin // page) * page, end // page * page) for begin, end in file.constants]
        left_out = [] if memoryview(content).readonly else [(begin, end) for begin, end in pages if begin < end]
        starts = [0, *(end for _, end in left_out)]
        for begin, end in zip(starts, [*(begin for begin, _ in left_out), file.size_bytes], strict=True):
            _write(own, content, begin, end, name)
        try:
            native = NativeModule(own, name)
        except LoadError:  # a policy may forbid code in anonymous files; if it is the library itself, this says so again
            return NativeModule(descriptor, name), False
        if left_out and not native.map_file(left_out, file.symbol, file.container_offset, descriptor):
            for begin, end in left_out:
                _write(own, content, begin, end, name)
        return native, True
    finally:
        os.close(own)


def _anonymous(name: str) -> int | None:
    """A descriptor of a new file without a place in a folder; None where there is no such thing."""
    if not hasattr(os, "memfd_create") or not os.path.exists("/proc/self/fd"):
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
        raise LoadError(f"{name}: no memory for its code: {error.strerror or error}", name=name) from error


def _new_path(descriptor: int) -> str:
    """A path to the file of a descriptor, unlike every other: the bits of a counter as ways to stay in the same folder."""
    bits = "".join("./" if bit == "1" else ".//" for bit in f"{next(_opened):b}")
    return f"/proc/self/fd/{bits}{descriptor}"


@functools.cache
def cpu_features() -> frozenset[str] | None:
    """The features of this processor, named as in /proc/cpuinfo; None where the system does not say."""
    try:
        descriptor = os.open(CPUINFO, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return features_in(os.read(descriptor, _FIRST_CORE_BYTES).decode("ascii", "replace"))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def features_in(cpuinfo: str) -> frozenset[str] | None:
    """The features of the first core in the text of a /proc/cpuinfo."""
    for name in ("flags", "Features"):
        _, found, rest = f"\n{cpuinfo}".partition(f"\n{name}")
        head, colon, value = rest.partition("\n")[0].partition(":")
        if found and colon and not head.strip():
            return frozenset(value.split())
    return None


def require_features(needed: tuple[str, ...], name: str) -> None:
    """Raises LoadError if this processor lacks a feature that the code of `name` uses."""
    have = cpu_features() if needed else None
    if have is None:
        return
    missing = [feature for feature in needed if feature not in have]
    if missing:
        raise LoadError(
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
    here = _pairs(_SAME_MACHINE).get(here, here)
    machines = _pairs(_MACHINES)
    built_for = machines.get(str(machine), f"ELF machine {machine}")
    if built_for != here and here in machines.values():
        raise LoadError(f"{name} was built for {built_for}, this machine is {here}", name=name, built_for=built_for, here=here)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))
