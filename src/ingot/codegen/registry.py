"""All code generators, as one plain tuple."""

from __future__ import annotations

from ingot.base.errors import TargetError, nearest
from ingot.codegen.c import generator as c
from ingot.codegen.cuda import generator as cuda
from ingot.codegen.interp import generator as interp
from ingot.codegen.llvm import generator as llvm
from ingot.codegen.llvmjit import generator as llvmjit
from ingot.codegen.opencl import generator as opencl
from ingot.codegen.record import Codegen

ALL: tuple[Codegen, ...] = (
    llvm.CODEGEN,
    c.CODEGEN,
    llvmjit.CODEGEN,
    opencl.CODEGEN,
    cuda.CODEGEN,
    interp.CODEGEN,
)


def find(id_: str) -> Codegen:
    """The code generator of that id.

    Raises:
        TargetError: there is none; the message has the nearest names.
    """
    for codegen in ALL:
        if codegen.id == id_:
            return codegen
    known = [codegen.id for codegen in ALL]
    raise TargetError(
        f"no code generator is called {id_!r}{nearest(id_, known)} (known: {', '.join(known)})", codegen=id_
    )
