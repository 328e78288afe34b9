"""A Python process of our own that answers requests, and that may crash or hang without harm to this one."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ingot.base.errors import ToolchainError

_START = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__")
"""
_STDERR_MAX_BYTES = 2000
_QUOTED_MAX_BYTES = 60
_END_SECONDS = 2.0  # from the end of a process's output to its own

# python3.13t, python3.11-dbg, pypy3.10-c, pythonw.exe, and not a program that was called after them.
_INTERPRETER = re.compile(r"(python|pypy)[0-9.]*[dmtuw]{0,2}(-(c|dbg|debug|intel64))?(\.exe)?")


def can_start() -> bool:
    """Whether `sys.executable` is an interpreter: in a program that has Python inside it is that program, or nothing."""
    return bool(_INTERPRETER.fullmatch(Path(sys.executable or "").name)) and not getattr(sys, "frozen", False)


class ChildError(ToolchainError):
    """The process ended, did not answer in time, or said what is no answer; the message says which. If it ended by itself,
    `facts["status"]` is how: its exit status, or a signal's number below zero.
    """


class Child:
    """Runs a module as a process when it is first asked something, and again after it failed.

    The module reads a JSON document a line from standard input, and answers with lines of JSON objects on standard output. It is
    imported from where this process imports.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None  # a file, because nobody reads it while the process runs
        self._rest = b""

    def ask(self, request: Mapping[str, Any], last: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yields the answers to a request, up to the one that has the key `last`; all must come within `seconds`.

        Raises:
            ChildError: the process ended, hangs, or said something else. It is ended then; the next request starts another.
            ToolchainError: it cannot be started.
        """
        process = self._running()
        deadline = time.monotonic() + seconds
        finished = False
        try:
            self._write(process, json.dumps(request).encode() + b"\n", deadline)
            while not finished:
                answer = _answer(self._line(process, deadline))
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
        errors, self._errors = self._errors, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
        if errors is not None:
            errors.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            path = json.dumps(
                [entry for entry in sys.path if isinstance(entry, str)]
            )  # others are never looked at
            # -P: what lies in the current folder is not imported before the path is there.
            command = [sys.executable, "-P", "-c", _START, path, self._module]
            with contextlib.ExitStack() as opened:
                try:
                    errors = opened.enter_context(tempfile.TemporaryFile())
                    # In a session of its own: Ctrl-C goes to this process only, which then ends the child.
                    self._process = subprocess.Popen(
                        command,
                        bufsize=0,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=errors,
                        start_new_session=True,
                    )
                except OSError as error:
                    raise ToolchainError(
                        f"cannot start another Python process ({sys.executable!r}): {error}"
                    ) from error
                self._errors = errors
                opened.pop_all()
            assert self._process.stdin is not None
            os.set_blocking(self._process.stdin.fileno(), False)
        return self._process

    def _write(self, process: subprocess.Popen[bytes], content: bytes, deadline: float) -> None:
        assert process.stdin is not None
        left = memoryview(content)
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while left:
                if not _ready(selector, deadline):
                    raise ChildError("did not read its request in time")
                try:
                    left = left[os.write(process.stdin.fileno(), left) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise self._ended(process) from None

    def _line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not _ready(selector, deadline):
                    raise ChildError("did not answer in time")
                read = os.read(process.stdout.fileno(), 1 << 16)
                if not read:
                    raise self._ended(process)
                self._rest += read
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _ended(self, process: subprocess.Popen[bytes]) -> ChildError:
        """Why it ended: the signal, or its last words."""
        try:
            status = process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return ChildError("closed its pipes and did not end")
        if status < 0:
            return ChildError(f"ended by signal {-status}", status=status)
        return ChildError(
            ": ".join([f"ended with status {status}", *self._said().splitlines()[-1:]]), status=status
        )

    def _said(self) -> str:
        """The end of what it wrote to its standard error."""
        if self._errors is None:
            return ""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _STDERR_MAX_BYTES))
        return self._errors.read(_STDERR_MAX_BYTES).decode("utf-8", "replace").strip()


def _ready(selector: selectors.BaseSelector, deadline: float) -> bool:
    left = deadline - time.monotonic()
    return left > 0 and bool(selector.select(left))


def _answer(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        said = line[:_QUOTED_MAX_BYTES].decode("utf-8", "replace")
        raise ChildError(
            f"said {said!r} where an answer was expected, a JSON object on a line; nothing else may print there"
        )
    return answer
