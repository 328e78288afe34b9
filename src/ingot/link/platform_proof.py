"""Libraries for another system or C library than this process has: whether they can be linked, and a source that a compiler
driver for anything else refuses.
"""

from __future__ import annotations

from pathlib import Path

from ingot.base.errors import ToolchainError
from ingot.base.platforms import is_this_platform, platform_of, platform_words
from ingot.link.toolchain import Toolchain, plain_triple

# What compilers for a platform have in common, and those for no other. musl defines nothing of its own, on purpose.
_PROOFS = {
    ("linux", "gnu"): "defined __GLIBC__ && !defined __UCLIBC__",
    ("linux", "gnux32"): "defined __GLIBC__ && defined __ILP32__",
    ("linux", "musl"): "defined __linux__ && !defined __GLIBC__ && !defined __ANDROID__",
    (
        "linux",
        "muslx32",
    ): "defined __linux__ && !defined __GLIBC__ && !defined __ANDROID__ && defined __ILP32__",
    ("linux", "android"): "defined __ANDROID__",
    ("linux", "uclibc"): "defined __UCLIBC__",
    ("freebsd", ""): "defined __FreeBSD__",
    ("netbsd", ""): "defined __NetBSD__",
    ("openbsd", ""): "defined __OpenBSD__",
    ("dragonfly", ""): "defined __DragonFly__",
}
_SOURCE = """#include <limits.h> /* and with it what says which C library this is */
#if !({proof})
#error "this compiler driver is not for {triple}: let CC name one that is, such as {driver}"
#endif
typedef int a_source_is_not_empty;
"""


def require_one_platform(triples: list[str]) -> str:
    """The first of the triples that the code of a library is for; empty if there is none.

    Raises:
        ToolchainError: they are for several platforms, or for one of which ingot links no libraries.
    """
    for triple in triples:
        here = is_this_platform(triple) and is_this_platform(triples[0])
        if not here and platform_of(triple) != platform_of(triples[0]):
            raise ToolchainError(
                f"no library can have code for {triples[0]} and for {triple}; name one system and C library in all targets",
                triples=tuple(triples),
            )
        if not is_this_platform(triple) and platform_of(triple) not in _PROOFS:
            raise ToolchainError(
                f"ingot links no libraries for {triple}: they are ELF files for one of"
                f" {', '.join(map(platform_words, _PROOFS))}; export an archive (.tar), and link its objects with a tool chain"
                " for that triple",
                triple=triple,
            )
    return triples[0] if triples else ""


def prove_platform(chain: Toolchain, triple: str, folder: Path) -> None:
    """Lets a driver compile for another system or C library than this process has a source that it must be for that.

    Raises:
        ToolchainError: it is for another one.
    """
    if is_this_platform(triple):
        return
    text = _SOURCE.format(
        proof=_PROOFS[platform_of(triple)], triple=triple, driver=f"'zig cc -target {plain_triple(triple)}'"
    )
    (folder / "platform.c").write_text(text, encoding="ascii")
    chain.run(["-c", "platform.c", "-o", "platform.o"], folder, f"linking a library for {triple}")
