"""Finds a C compiler driver and runs it. The only file of the library that starts processes."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingot.base import environment
from ingot.base.errors import ToolchainError
from ingot.base.platforms import is_this_platform, platform_of

DRIVERS = ("cc", "gcc", "clang")
CROSS_DRIVERS = ("gcc", "clang")  # behind the triple
MAX_QUOTED_LINES = 40


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler driver: what to type before the arguments, and what else tells it from others.

    `stamp` changes when the driver's file or package does; two tool chains with equal commands and stamps make equal objects.
    """

    command: tuple[str, ...]
    stamp: str
    extra_flags: tuple[str, ...] = ()

    def run(self, arguments: Sequence[str], folder: Path, purpose: str) -> None:
        """Runs the driver in `folder`.

        Raises:
            ToolchainError: it cannot be started, or fails; the message quotes what it said.
        """
        command = [*self.command, *self.extra_flags, *arguments]
        try:
            # An empty input, so that it can never wait for a person.
            done = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
        except OSError as error:
            raise ToolchainError(
                f"{purpose}: cannot run {self.command[0]!r}: {error.strerror or error}"
            ) from error
        if done.returncode != 0:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            quoted = "\n".join(f"    {line}" for line in said[:MAX_QUOTED_LINES]) or "    (it said nothing)"
            if len(said) > MAX_QUOTED_LINES:
                quoted += f"\n    … {len(said) - MAX_QUOTED_LINES} lines more"
            raise ToolchainError(
                f"{purpose}: {shlex.join(self.command)} failed with status {done.returncode}:\n{quoted}",
                command=tuple(command),
                status=done.returncode,
                output=tuple(said),
            )


def find_toolchain(triple: str = "") -> Toolchain:
    """The driver that `CC` names, else the first of `cc`, `gcc`, `clang` on the path, else `zig cc` of the `ziglang` package.

    Args:
        triple: what the code is for. For another processor, system or C library than here the driver is that of `CC`, else
            `<triple>-gcc` or `<triple>-clang`, else `zig cc -target <triple>`.

    Raises:
        ToolchainError: there is none; the message says what to install.
    """
    plain = plain_triple(triple)
    words = _split(environment.compiler_command())
    if words:
        driver = shutil.which(words[0])
        if driver is None:
            raise ToolchainError(
                f"the variable CC names the compiler {words[0]!r}, which is not there; unset CC or name one that is",
                got=words[0],
            )
        return _toolchain((driver, *words[1:]))
    names = tuple(f"{plain}-{name}" for name in CROSS_DRIVERS) if plain else DRIVERS
    for name in names:
        driver = shutil.which(name)
        if driver is not None:
            return _toolchain((driver,))
    if importlib.util.find_spec("ziglang") is not None:
        # Zig's driver checks for undefined behaviour unless told not to, which needs a runtime that the library does not have.
        target = ("-target", plain) if plain else ()
        return Toolchain(
            (sys.executable, "-m", "ziglang", "cc", *target), _zig_stamp(), ("-fno-sanitize=undefined",)
        )
    raise ToolchainError(
        f"no C compiler driver{f' for {plain}' if plain else ''} found (looked for CC, {', '.join(names)} and the Python package"
        f" ziglang); install one, for example with {_package(plain)}'pip install ziglang'",
        looked_for=("CC", *names, "ziglang"),
    )


def plain_triple(triple: str) -> str:
    """The triple as the names of drivers have it, without a vendor: `aarch64-linux-gnu`. Empty for code that runs here."""
    first, *rest = triple.split("-")
    if not triple or (first == platform.machine() and is_this_platform(triple)):
        return ""
    if first.startswith(("armv", "thumb")):
        first = "arm"  # one driver for all versions
    return "-".join([first, *(rest[1:] if len(rest) == 3 or rest[:1] == ["unknown"] else rest)])


def _package(plain: str) -> str:
    """The command that installs a driver on Debian, which has those for its own C library; empty for others."""
    if not plain:
        return "'apt-get install gcc libc6-dev' or "
    return f"'apt-get install gcc-{plain}' or " if platform_of(plain)[1] == "gnu" else ""


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ToolchainError(
            f"the variable CC is {command!r}, which is no command: {error}", got=command
        ) from error


def _toolchain(command: tuple[str, ...]) -> Toolchain:
    driver = os.path.abspath(command[0])  # noqa: PTH100 - it runs in another folder; a link stays, whose name may say what it does
    real = Path(driver).resolve()
    status = real.stat()
    return Toolchain((driver, *command[1:]), f"{real}:{status.st_size}:{status.st_mtime_ns}")


def _zig_stamp() -> str:
    try:
        return f"ziglang {importlib.metadata.version('ziglang')}"
    except importlib.metadata.PackageNotFoundError:  # not installed by an installer
        return "ziglang"
