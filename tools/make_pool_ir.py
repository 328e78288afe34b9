"""Translates the C thread pool to LLVM assembly, so that code in memory has it where there is no C compiler.

    pip install 'ingot-compiler[zig]'          # Clang, as part of Zig
    python tools/make_pool_ir.py      # after every change of pool.c or its headers

Writes `src/ingot/native/pool.<architecture>-linux.ll`. They are committed; a test compares the digest in their first line with
the sources.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NATIVE = Path(__file__).parent.parent / "src" / "ingot" / "native"
SOURCES = ("pool.c", "pool_loop.h", "pool_costs.h", "pool_team.h", "pool_ways.h", "pool.h")
ARCHITECTURES = ("aarch64", "x86_64")
FLAGS = (
    "-std=c11",
    "-O2",
    "-g0",
    "-fomit-frame-pointer",
    "-fno-sanitize=undefined",
    "-fno-strict-aliasing",
    "-fno-asynchronous-unwind-tables",
    "-fno-unwind-tables",
    "-fno-ident",
    "-S",
    "-emit-llvm",
)


def sources_digest() -> str:
    """SHA-256 over the sources of the pool."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((NATIVE / name).read_bytes())
    return digest.hexdigest()


def translate(architecture: str) -> str:
    """The pool as LLVM assembly for a processor of that architecture, without a target: whoever uses it gives one."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "pool.ll"
        command = [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            "-target",
            f"{architecture}-linux-gnu",
            *FLAGS,
            "-o",
            str(listing),
        ]
        subprocess.run([*command, str(NATIVE / "pool.c")], check=True, capture_output=True, text=True)
        text = listing.read_text(encoding="ascii")
    return portable(text)


def portable(text: str) -> str:
    """Without what is said about the processor, which is not known here, and without what only some versions of LLVM can read:
    hints, which nothing depends on. The functions are visible, since the pool is a library of its own.
    """
    text = re.sub(
        r"^(?:; ModuleID|source_filename|target |!|; Function Attrs).*\n", "", text, flags=re.MULTILINE
    )
    text = re.sub(r"^.*@llvm\.lifetime\..*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r", ![a-z.]+ !\d+", "", text)
    text = re.sub(r" captures\(none\)| initializes\(\(.*?\)\)| allocptr", "", text)
    text = re.sub(r"^(attributes #\d+ = ).*", r"\1{ nounwind }", text, flags=re.MULTILINE)
    return re.sub(r"\n\n+", "\n", text).replace("define hidden ", "define ")


def main() -> None:
    """Writes a file for every architecture."""
    for architecture in ARCHITECTURES:
        head = f"; {sources_digest()}\n; Made from {', '.join(SOURCES)}, which have that digest, by tools/make_pool_ir.py.\n"
        (NATIVE / f"pool.{architecture}-linux.ll").write_text(
            head + translate(architecture), encoding="ascii"
        )


if __name__ == "__main__":
    main()
