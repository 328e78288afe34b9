"""Takes anonymous files away from a process, as a container's policy does: the system refuses them from then on."""

from __future__ import annotations

import ctypes
import platform
import struct
import sys

# The number of `memfd_create`, and the instruction set's own number (AUDIT_ARCH), by machine.
_CALLS = {"x86_64": (319, 0xC000003E), "aarch64": (279, 0xC00000B7), "riscv64": (279, 0xC00000F3)}
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # a word of the call's data; a jump; the verdict
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000  # the latter with an error's number
_EPERM = 1
CAN = sys.platform == "linux" and platform.machine() in _CALLS


def forbid() -> None:
    """Refuses `memfd_create` with EPERM, in this process and its children, for good.

    Raises:
        OSError: the system has no such policies.
    """
    number, machine = _CALLS[platform.machine()]
    # (operation, jump if true, jump if false, operand): first whose numbers these are, then which one.
    steps = [
        (_LOAD, 0, 0, 4), (_IF_EQUAL, 0, 2, machine), (_LOAD, 0, 0, 0), (_IF_EQUAL, 1, 0, number),
        (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE | _EPERM),
    ]  # fmt: skip
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for call in (
        (_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        (_SECCOMP, _FILTER, ctypes.c_void_p(ctypes.addressof(program)), 0, 0),
    ):
        if prctl(*call):
            raise OSError(ctypes.get_errno(), "prctl")
