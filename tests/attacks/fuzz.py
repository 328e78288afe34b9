"""Fuzzes what reads untrusted files: `python -m tests.attacks.fuzz --seconds 600 [TARGET …]`.

Each target is read in a child process with a limit of memory, from inputs that follow from the seed and their number alone. All
but success and an error of ingot's own is a finding: another exception, an InternalError, a crash, an input that takes more than
LIMIT_SECONDS of processor time or LIMIT_BYTES of memory. Its input is made smaller where it can be, and kept in `--keep`.
The exit status is 1 if something was found.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from ingot.errors import IngotError, InternalError
from tests.attacks.fuzz_targets import TARGETS, FuzzTarget
from tests.attacks.mutate import smaller, smaller_model

LIMIT_SECONDS = 20  # of one input
LIMIT_BYTES = 2 << 30  # more than before it, of one process


def input_of(target: FuzzTarget, seeds: list[bytes], seed: int, number: int) -> bytes:
    """The input of a number."""
    rng = random.Random(f"{target.name} {seed} {number}")
    content = rng.choice(seeds)
    for _ in range(20):
        with contextlib.suppress(IngotError):  # a change of which no file can be made
            return target.change(rng, content)
    return content


def outcome(target: FuzzTarget, content: bytes) -> str:
    """Nothing, or what is wrong: the exception, and where in ingot it came from."""
    try:
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            target.read(content)
    except InternalError as error:
        return f"InternalError {str(error)[:80]} {_place(error)}"
    except IngotError:
        return ""
    except Exception as error:
        return f"{type(error).__name__} {_place(error)}"
    return ""


def _place(error: BaseException) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "/ingot/" in one.filename]
    return f"{frames[-1].filename.rpartition('/ingot/')[2]}:{frames[-1].lineno}" if frames else ""


# ─── the child ─────────────────────────────────────────────────────────────────────────────────────────────────────


def child(target: FuzzTarget, seed: int, first: int, end: int) -> None:
    """Reads the inputs of these numbers. On standard output: `ready`, each number before it is read, and `found …` behind it."""
    seeds = list(target.seeds())
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + 2 * LIMIT_BYTES,) * 2)
    said: set[str] = set()
    out = os.dup(1)
    os.write(out, b"ready\n")
    for number in range(first, end):
        os.write(out, f"{number}\n".encode())
        content = input_of(target, seeds, seed, number)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = outcome(target, content)
        if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 > LIMIT_BYTES:
            found = found or "memory"
        if found and found not in said:
            said.add(found)
            os.write(out, f"found {found}\n".encode(errors="replace"))


# ─── the parent ────────────────────────────────────────────────────────────────────────────────────────────────────


class Run:
    """One target: how many inputs were read, and what was found, by what is wrong, with the input's number."""

    def __init__(self, target: FuzzTarget, seed: int) -> None:
        self.target, self.seed = target, seed
        self.executions = 0
        self.cpu_seconds = 0.0
        self.found: dict[str, int] = {}

    def go(self, seconds: float, most: int = 1 << 40) -> None:
        """Reads inputs for so many seconds of processor time, or so many inputs."""
        while self.cpu_seconds < seconds and self.executions < most:
            self._child(seconds - self.cpu_seconds, most)

    def _child(self, seconds: float, most: int) -> None:
        words = ["--child", self.target.name, "--seed", str(self.seed), "--first", str(self.executions), "--end", str(most)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.fuzz", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        rest, begun, last = b"", 0.0, -1
        used = start = 0.0
        while process.poll() is None:
            time.sleep(0.05)
            used = _cpu_seconds(process.pid) or used
            rest += process.stdout.read() or b""
            *lines, rest = rest.split(b"\n")
            for line in lines:
                last, start, begun = self._line(line, last, start, begun, used)
            if last >= 0 and used - begun > LIMIT_SECONDS:
                self.found.setdefault(f"more than {LIMIT_SECONDS} s", last)
                process.kill()
                process.wait()
            elif last >= 0 and used - start > seconds:
                process.send_signal(signal.SIGTERM)
                process.wait()
                process.returncode = 0
        for line in (rest + (process.stdout.read() or b"")).split(b"\n"):
            last, start, begun = self._line(line, last, start, begun, used)
        process.stdout.close()
        if process.returncode not in (0, -signal.SIGKILL):
            self.found.setdefault(f"ended by {process.returncode}", last)
        self.cpu_seconds += max(0.0, used - start)
        if last < 0:
            raise RuntimeError(f"the child of {self.target.name} did not begin")
        self.executions = last + 1

    def _line(self, line: bytes, last: int, start: float, begun: float, used: float) -> tuple[int, float, float]:
        if line == b"ready":
            return last, used, used
        if line.startswith(b"found "):
            self.found.setdefault(line[6:].decode(), last)
        elif line.isdigit():
            return int(line), start, used
        return last, start, begun

    def inputs(self) -> dict[str, bytes]:
        """The input of each finding, made smaller where reading it harms nobody."""
        seeds = list(self.target.seeds()) if self.found else []
        made = {}
        for what, number in self.found.items():
            content = input_of(self.target, seeds, self.seed, number)
            if " " in what and not what.startswith(("ended", "more than")):
                shrink = smaller_model if self.target.name == "model" else smaller
                content = shrink(content, self._is(what))
            made[what] = content
        return made

    def _is(self, what: str) -> Callable[[bytes], bool]:
        return lambda content: outcome(self.target, content) == what


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)}; all without one")
    parser.add_argument("--seconds", type=float, default=600, help="of processor time, for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="the folder for inputs of findings")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=int, default=1 << 40, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        child(TARGETS[arguments.child], arguments.seed, arguments.first, arguments.end)
        return 0
    status = 0
    for name in arguments.targets or TARGETS:
        run = Run(TARGETS[name], arguments.seed)
        run.go(arguments.seconds)
        print(f"{name}: {run.executions} inputs in {run.cpu_seconds:.0f} s, {len(run.found)} findings", flush=True)
        for number, (what, content) in enumerate(run.inputs().items()):
            arguments.keep.mkdir(parents=True, exist_ok=True)
            path = arguments.keep / f"{name}-{number}.bin"
            path.write_bytes(content)
            print(f"  {what}  (input {run.found[what]}, {len(content)} bytes in {path})", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
