"""The native module: a shared library that was opened, after its bytes were checked."""

from __future__ import annotations

import _ctypes
import ctypes
import itertools
import os
import sys
from typing import TYPE_CHECKING, Any

from ingot.errors import LoadError
from ingot.runtime import thread_pools

if TYPE_CHECKING:
    from ingot.artifact.module import Function, Module
    from ingot.artifact.thread_pools import ThreadPools

_opened = itertools.count(1)
_FUNCTION: Any = ctypes.CFUNCTYPE(ctypes.c_int32)  # takes any arguments; a `CDLL` would make such a class for each library


class NativeModule:
    """An open shared library. The code is unmapped when the module is closed or nobody refers to it any more.

    Every one is opened by a path that no other had: the dynamic linker remembers paths for as long as it has the file open, for
    whomever in this process, and would hand out that file again if another got the same descriptor.
    """

    type_key = "native"
    _pools: ThreadPools  # from the first pool on

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
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
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
            vars(self).setdefault("_pools", thread_pools())  # of two threads, one made it in vain
        return self._pools.address(threads, self.get_function)

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


def _new_path(descriptor: int) -> str:
    """A path to the file of a descriptor, unlike every other: the bits of a counter as ways to stay in the same folder."""
    bits = "".join("./" if bit == "1" else ".//" for bit in f"{next(_opened):b}")
    return f"/proc/self/fd/{bits}{descriptor}"
