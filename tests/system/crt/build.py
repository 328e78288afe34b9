"""Where the C runtime is, and how tests compile C."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.paths import ROOT

HERE = Path(__file__).parent
CRT = ROOT / "src" / "ingot" / "crt"
INCLUDE = CRT / "include"
STRICT = (
    *("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wstrict-prototypes"),
    *("-Wdouble-promotion", "-Wfloat-conversion", "-Wcast-align", "-pedantic", "-Werror"),
)
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THUMB = ("-mcpu=cortex-m4", "-mthumb")
FLOAT_UNIT = ("-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")


def sources() -> list[Path]:
    """The runtime without a platform."""
    return sorted((CRT / "src").glob("*.c"))


def clang() -> str:
    """clang; a test is skipped without one."""
    return tool("clang")


def tool(name: str) -> str:
    """The path of a program; without it a test is skipped, by its name."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


@functools.cache
def thumb_compiler() -> str:
    """arm-none-eabi-gcc with a C library; without either a test is skipped."""
    compiler = tool("arm-none-eabi-gcc")
    probe = subprocess.run(
        [compiler, "-E", "-x", "c", "-"],
        input="#include <string.h>\n#include <math.h>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode:
        pytest.skip("needs a C library for arm-none-eabi-gcc: newlib")
    return compiler


def ran(command: Sequence[str | os.PathLike[str]], folder: Path | None = None, *, rc: int = 0) -> str:
    """Runs a program, which must end with the status; its output, warnings of compilers among it."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == rc, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def on_cortex_m4(files: Sequence[Path], includes: Sequence[Path], folder: Path) -> str:
    """What a program prints on QEMU's MPS2 board with a Cortex-M4; it must end with status 0."""
    compiler, emulator = thumb_compiler(), tool("qemu-system-arm")
    board = HERE / "mps2"
    command = [
        compiler,
        "-std=c99",
        *THUMB,
        *FLOAT_UNIT,
        "-O1",
        *(f"-I{one}" for one in includes),
        "--specs=rdimon.specs",
    ]
    command += [
        "-nostartfiles",
        "-T",
        board / "link.ld",
        "-Wl,--no-warn-rwx-segments",
        board / "start.c",
        *files,
        "-lm",
    ]
    ran([*command, "-o", folder / "program.elf"])
    run = [
        emulator,
        "-M",
        "mps2-an386",
        "-cpu",
        "cortex-m4",
        "-nographic",
        "-monitor",
        "none",
        "-serial",
        "none",
    ]
    return ran([*run, "-semihosting-config", "enable=on,target=native", "-kernel", folder / "program.elf"])


def sanitizers(compiler: str, folder: Path) -> tuple[str, ...]:
    """The flags for sanitizers, if the compiler has them here; otherwise none."""
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    done = subprocess.run(
        [compiler, *SANITIZERS, probe, "-o", folder / "probe"], capture_output=True, check=False
    )
    return SANITIZERS if done.returncode == 0 else ()
