"""Finds a C compiler driver and runs it. The only file of the library that starts processes."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingot import environment
from ingot.errors import ToolchainError

DRIVERS = ("cc", "gcc", "clang")
MAX_QUOTED_LINES = 40


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler driver: what to type before the arguments, and what else tells it from others.

    `stamp` changes when the driver's file does; two tool chains with equal commands and stamps make equal objects.
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
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise ToolchainError(f"{purpose}: cannot run {self.command[0]!r}: {error.strerror or error}") from error
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


def find_toolchain() -> Toolchain:
    """The driver that `CC` names, else the first of `cc`, `gcc`, `clang` on the path, else `zig cc` of the `ziglang` package.

    Raises:
        ToolchainError: there is none; the message says what to install.
    """
    words = _split(environment.compiler_command())
    if words:
        found = shutil.which(words[0])
        if found is None:
            raise ToolchainError(
                f"the variable CC names the compiler {words[0]!r}, which is not there; unset CC or name one that is", got=words[0]
            )
        return _toolchain((found, *words[1:]))
    for name in DRIVERS:
        found = shutil.which(name)
        if found is not None:
            return _toolchain((found,))
    if importlib.util.find_spec("ziglang") is not None:
        # Zig's driver checks for undefined behaviour unless told not to, which needs a runtime that the library does not have.
        return Toolchain((sys.executable, "-m", "ziglang", "cc"), "ziglang", ("-fno-sanitize=undefined",))
    raise ToolchainError(
        f"no C compiler driver found (looked for CC, {', '.join(DRIVERS)} and the Python package ziglang); install one, "
        "for example with 'apt-get install gcc libc6-dev' or 'pip install ziglang'",
        looked_for=("CC", *DRIVERS, "ziglang"),
    )


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ToolchainError(f"the variable CC is {command!r}, which is no command: {error}", got=command) from error


def _toolchain(command: tuple[str, ...]) -> Toolchain:
    real = Path(command[0]).resolve()
    status = real.stat()
    return Toolchain(command, f"{real}:{status.st_size}:{status.st_mtime_ns}")
