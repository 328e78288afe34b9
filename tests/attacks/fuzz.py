"""Fuzzes what reads untrusted files: `python -m tests.attacks.fuzz --seconds 600 [TARGET …]`.

Each target is read in a child process with a limit of memory, from inputs that follow from the seed and their number alone. All
but success and an error of ingot's own is a finding: another exception, an InternalError, a crash, an input that takes more than
LIMIT_SECONDS of processor time or LIMIT_BYTES of memory. Its input is kept in `--keep` as soon as it is found, and made smaller
in the end where it can be. SIGINT and SIGTERM end a run early with the report of what it did and found until then.
The exit status is 1 if something was found.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingot.base.errors import IngotError, InternalError
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


@dataclass
class Reading:
    """How far a child is: its processor time, that when it began to read and with this input, its last number, a line's begin."""

    used: float = 0.0
    start: float = 0.0
    begun: float = 0.0
    last: int = -1
    rest: bytes = b""


class Run:
    """One target: how many inputs were read, and what was found, by what is wrong, with the input's number."""

    def __init__(self, target: FuzzTarget, seed: int, keep: Path | None = None) -> None:
        self.target, self.seed, self.keep = target, seed, keep
        self.executions = 0
        self.cpu_seconds = 0.0
        self.found: dict[str, int] = {}

    def go(self, seconds: float, most: int = 1 << 40) -> None:
        """Reads inputs for so many seconds of processor time, or so many inputs."""
        while self.cpu_seconds < seconds and self.executions < most:
            self._child(seconds - self.cpu_seconds, most)

    def _child(self, seconds: float, most: int) -> None:
        words = [
            "--child",
            self.target.name,
            "--seed",
            str(self.seed),
            "--first",
            str(self.executions),
            "--end",
            str(most),
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.fuzz", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        reading = Reading()
        try:
            self._watch(process, reading, seconds)
        finally:
            _end(process)
            self.cpu_seconds += max(0.0, reading.used - reading.start)
            self.executions = max(self.executions, reading.last + 1)
        if reading.last < 0:
            raise RuntimeError(f"the child of {self.target.name} did not begin")

    def _watch(self, process: subprocess.Popen[bytes], reading: Reading, seconds: float) -> None:
        """Reads what the child says until it ends, or is ended because its time, or that of one input, is over."""
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        ended = False
        while process.poll() is None:
            time.sleep(0.05)
            reading.used = _cpu_seconds(process.pid) or reading.used
            self.hear(reading, process.stdout.read())
            if reading.last >= 0 and reading.used - reading.begun > LIMIT_SECONDS:
                self._note(f"more than {LIMIT_SECONDS} s", reading.last)
                ended = True
            ended = ended or (reading.last >= 0 and reading.used - reading.start > seconds)
            if ended:
                process.kill()
                process.wait()
        self.hear(reading, process.stdout.read())
        if process.returncode and not ended:
            self._note(f"ended by {process.returncode}", reading.last)

    def hear(self, reading: Reading, said: bytes | None) -> None:
        """Takes in what the child said."""
        *lines, reading.rest = (reading.rest + (said or b"")).split(b"\n")
        for line in lines:
            if line == b"ready":
                reading.start = reading.begun = reading.used
            elif line.startswith(b"found "):
                self._note(line[6:].decode(), reading.last)
            elif line.isdigit():
                reading.last, reading.begun = int(line), reading.used

    def _note(self, what: str, number: int) -> None:
        """Keeps a finding at once, so that it is there whatever ends this process."""
        if what in self.found:
            return
        self.found[what] = number
        if self.keep is not None:
            print(f"  {what}  (seed {self.seed}, input {number} in {self._path(what)})", flush=True)
            self.keep.mkdir(parents=True, exist_ok=True)
            self._path(what).write_bytes(self.input(what))

    def _path(self, what: str) -> Path:
        assert self.keep is not None
        return self.keep / f"{self.target.name}-{self.seed}-{self.found[what]}.bin"

    @functools.cached_property
    def _seeds(self) -> list[bytes]:
        return list(self.target.seeds())

    def input(self, what: str) -> bytes:
        """The input of a finding, as it was read."""
        return input_of(self.target, self._seeds, self.seed, self.found[what])

    def make_smaller(self) -> None:
        """Replaces the kept inputs of findings by smaller ones, where reading them harms nobody."""
        shrink = smaller_model if self.target.name == "model" else smaller
        for what in self.found:
            if " " in what and not what.startswith(("ended", "more than")):
                self._path(what).write_bytes(shrink(self.input(what), self._is(what)))

    def _is(self, what: str) -> Callable[[bytes], bool]:
        return lambda content: outcome(self.target, content) == what


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(run: Run, seconds: float) -> bool:
    """Runs a target and says what came of it. Tells if a signal ended it."""
    ended = False
    try:
        run.go(seconds)
        run.make_smaller()
    except KeyboardInterrupt:
        ended = True
    early = ", ended early" if ended else ""
    print(
        f"{run.target.name}: {run.executions} inputs in {run.cpu_seconds:.0f} s, {len(run.found)} findings{early}",
        flush=True,
    )
    return ended


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)}; all without one"
    )
    parser.add_argument("--seconds", type=float, default=600, help="of processor time, for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, default=Path("out/fuzz"), help="the folder for inputs of findings"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=int, default=1 << 40, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        child(TARGETS[arguments.child], arguments.seed, arguments.first, arguments.end)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = 0
    for name in arguments.targets or TARGETS:
        run = Run(TARGETS[name], arguments.seed, arguments.keep)
        ended = report(run, arguments.seconds)
        status = 1 if run.found else status
        if ended:
            break
    return status


if __name__ == "__main__":
    sys.exit(main())
