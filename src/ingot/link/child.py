"""A Python process of our own that answers requests, and that may crash or hang without harm to this one."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingot.errors import ToolchainError

_START = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__")
"""
_SAID_MOST = 2000


def can_start() -> bool:
    """Whether `sys.executable` is an interpreter: in a program that has Python inside it is that program, or nothing."""
    return Path(sys.executable or "").name.startswith(("python", "pypy"))


class ChildError(ToolchainError):
    """The process ended, or did not answer in time; the message says which."""


class Child:
    """Runs a module as a process when it is first asked something, and again after it failed.

    The module reads a JSON document a line from standard input, and answers with lines of JSON on standard output.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def ask(self, request: Mapping[str, Any], last: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yields the answers to a request, up to the one that has the key `last`; all must come within so many seconds.

        Raises:
            ChildError: the process ended or hangs. It is ended then; the next request starts another.
            ToolchainError: it cannot be started.
        """
        process = self._running()
        deadline = time.monotonic() + seconds
        assert process.stdin is not None
        finished = False
        try:
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            except OSError:
                raise self._ended(process) from None
            while not finished:
                answer = json.loads(self._line(process, deadline))
                finished = last in answer
                yield answer
        finally:
            if not finished:
                self.close()

    def stop(self) -> None:
        """Ends the process while another thread may be waiting for its answer, which gets a ChildError."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process, which nobody asks anything."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):  # it has not taken all that was written
                    pipe.close()
        process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-c", _START, json.dumps(sys.path), self._module]
            try:
                # In a session of its own: a person's Ctrl-C is for us, who end it.
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
                )
            except OSError as error:
                raise ToolchainError(f"cannot start another Python process ({sys.executable!r}): {error}") from error
        return self._process

    def _line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise ChildError("did not answer in time")
                read = os.read(process.stdout.fileno(), 1 << 16)
                if not read:
                    raise self._ended(process)
                self._rest += read
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _ended(self, process: subprocess.Popen[bytes]) -> ChildError:
        """Why it ended: the signal, or its last words."""
        assert process.stderr is not None
        said = process.stderr.read(1 << 20).decode("utf-8", "replace").strip()[-_SAID_MOST:]
        status = process.wait()
        if status < 0:
            return ChildError(f"ended by signal {-status}")
        return ChildError(": ".join([f"ended with status {status}", *said.splitlines()[-1:]]))
