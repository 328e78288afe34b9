"""C takes the items of a call apart for the same programs as Python's executor does.

Where the last program computes more items than are left, Python lets it begin earlier and compute some again; C copies.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from pathlib import Path

import pytest

from ingot.runtime.executors.parts import split
from tests.support.c_program import compiler
from tests.system.crt.test_pool import HERE, NATIVE, WARNINGS

pytestmark = pytest.mark.cc


def _python(extent: int, sizes: list[int], cycles: list[int]) -> list[tuple[int, int, int]]:
    parts: list[tuple[int, int, int]] = []
    done = 0
    runs = split(extent, dict(zip(sizes, cycles, strict=True)))
    for part in itertools.chain.from_iterable(run.single() for run in runs):
        end = part.begin + part.count
        assert part.begin <= done < end <= extent
        parts.append((done, end - done, part.size))
        done = end
    return parts


def test_items_are_taken_apart_as_in_python(tmp_path: Path) -> None:
    binary = tmp_path / "shapes_test"
    sources = [NATIVE / name for name in ("interface.c", "processor.c", "populate.c", "pool.c")]
    command = [compiler(), "-std=gnu11", *WARNINGS, "-O1", f"-I{NATIVE}", *sources, HERE / "shapes_test.c"]
    subprocess.run([*command, "-pthread", "-ldl", "-o", binary], check=True)
    choose = random.Random(0)
    for _ in range(200):
        sizes = sorted(choose.sample(range(1, 20), choose.randint(1, 5)))
        cycles = [choose.randint(1, 40) * 10 for _ in sizes]
        extent = choose.randint(1, 50)
        words = [str(number) for number in (extent, *sizes, *cycles)]
        done = subprocess.run([binary, *words], check=True, capture_output=True, text=True)
        parts = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        assert parts == _python(extent, sizes, cycles), (extent, sizes, cycles)
