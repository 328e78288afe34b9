"""All code generators: ingot's own as one plain tuple, and those of installed packages by their names."""

from __future__ import annotations

from ingot.base import plugins
from ingot.base.errors import TargetError, nearest
from ingot.codegen.c import generator as c
from ingot.codegen.contained import contained
from ingot.codegen.cuda import generator as cuda
from ingot.codegen.interp import generator as interp
from ingot.codegen.llvm import generator as llvm
from ingot.codegen.llvmjit import generator as llvmjit
from ingot.codegen.opencl import generator as opencl
from ingot.codegen.record import Codegen

GROUP = "ingot.codegens"

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
        LoadError: two packages offer it, it cannot be imported, or what is offered is no `Codegen` of that id.
    """
    own = next((codegen for codegen in ALL if codegen.id == id_), None)
    if own is not None:
        return own
    known = _names()
    if id_ not in known:
        raise TargetError(
            f"no code generator is called {id_!r}{nearest(id_, known)} (known: {', '.join(known)})",
            codegen=id_,
        )
    return contained(plugins.record(GROUP, id_, Codegen), plugins.offered(GROUP)[id_].owner)


def describe(name: str) -> str:
    """A code generator in words; raises as `find` does."""
    return find(name).summary


def _names() -> tuple[str, ...]:
    """Those of ingot in their order, then those of installed packages, also of what two packages offer."""
    installed = {offer.name for offer, _ in plugins.every_offer(GROUP)}
    own = [codegen.id for codegen in ALL]
    return (*own, *sorted(installed.difference(own)))
