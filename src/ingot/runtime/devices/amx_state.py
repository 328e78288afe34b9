"""The state of AMX's tile registers, which Linux gives only to a process that asks for it."""

import _ctypes
import ctypes
import os

import ingot

# arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA), as Linux has them on x86-64
_SYSTEM_CALL, _REQUEST, _TILE_DATA = 158, 0x1023, 18


def require_tiles(name: str) -> None:
    """Asks the system to let this process, all its threads and those that it forks use tiles.

    Raises:
        LoadError: it refuses, as Linux before 5.16, filters of system calls, and signal stacks too small for tiles make it do.
    """
    status, error = _ask()
    if status != 0:
        raise ingot.LoadError(
            f"{name} computes in the tile registers of this processor, and the system does not let this process use them "
            f"({os.strerror(error)}); build it without them (-mattr=-amx-tile)",
            name=name,
            missing=("amx_tile",),
            errno=error,
        )


def are_given() -> bool:
    """Asks the system for tiles as `require_tiles` does, and says whether it gives them."""
    return _ask()[0] == 0


class _SystemCall(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = ctypes.c_long


def _ask() -> tuple[int, int]:
    """What the system answers, and `errno`."""
    call = _SystemCall(_ctypes.dlsym(ctypes.CDLL(None)._handle, "syscall"))
    answer = call(*(ctypes.c_long(number) for number in (_SYSTEM_CALL, _REQUEST, _TILE_DATA)))
    return answer, ctypes.get_errno()
