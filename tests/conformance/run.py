"""Shares tests out to worker processes and survives what happens to them."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.support.paths import ROOT

# For one test, or for linking a library of several. The classification networks are large.
LIMIT_SECONDS = 120.0
LIGHT_LIMIT_SECONDS = 600.0
BATCH = 96

Outcome = tuple[str | None, list[str]]  # why a test fails, None if it passes; the inputs bound while building


def run_batch(codegen: str, names: Sequence[str]) -> dict[str, Outcome]:
    """Runs tests in workers; starts another when one crashes or hangs, without the test that it was at."""
    done: dict[str, Outcome] = {}
    rest = list(names)
    alone: list[str] = []  # were in a library that took its process down: run each by itself
    while rest or alone:
        batch = rest or [alone.pop(0)]
        results, bound, doing, why = _run_worker(codegen, batch)
        done.update({name: (reason, bound.get(name, [])) for name, reason in results.items()})
        left = [name for name in batch if name not in results]
        rest = []
        if not left:
            continue
        blamed = [name for name in doing if name not in results] or left[:1]
        if len(blamed) == 1:
            done[blamed[0]] = (why, bound.get(blamed[0], []))
        else:
            alone += blamed
        rest = [name for name in left if name not in blamed]
    return done


def _run_worker(
    codegen: str, names: Sequence[str]
) -> tuple[dict[str, str | None], dict[str, list[str]], list[str], str]:
    """Results, bound inputs, what the worker was doing when it ended, and how it ended."""
    limit = LIGHT_LIMIT_SECONDS if any(name.startswith("light_") for name in names) else LIMIT_SECONDS
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.worker", codegen, *names],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    errors: list[str] = []

    def read_out() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def read_err() -> None:
        assert process.stderr is not None
        errors.extend(process.stderr)

    readers = [threading.Thread(target=one, daemon=True) for one in (read_out, read_err)]
    for reader in readers:
        reader.start()
    results: dict[str, str | None] = {}
    bound: dict[str, list[str]] = {}
    doing: list[str] = []
    why = ""
    while True:
        try:
            line = lines.get(timeout=limit)
        except queue.Empty:
            process.kill()
            why = f"hangs: no answer in {limit:.0f} s"
            break
        if line is None:
            break
        said = json.loads(line)
        if "begin" in said:
            doing = [said["begin"]] if isinstance(said["begin"], str) else said["begin"]
        elif "bound" in said:
            bound[said["name"]] = said["bound"]
        else:
            results[said["name"]] = said["why"]
    code = process.wait()
    for reader in readers:
        reader.join(timeout=10)
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
    if not why and code:
        last = errors[-1].strip() if errors else ""
        why = f"crashes: {signal.Signals(-code).name}" if code < 0 else f"crashes: exit status {code}: {last}"
    return results, bound, doing, why or "crashes: the worker ended early"


def run_all(
    codegen: str, names: Sequence[str], jobs: int, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Outcome]:
    """Runs any number of tests, `jobs` workers at a time."""
    light = [name for name in names if name.startswith("light_")]
    small = [name for name in names if not name.startswith("light_")]
    batches = [small[start : start + BATCH] for start in range(0, len(small), BATCH)] + [
        [name] for name in light
    ]
    done: dict[str, Outcome] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(lambda batch: run_batch(codegen, batch), batches):
            done.update(outcome)
            tell(len(done))
    return done
