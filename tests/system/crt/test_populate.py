"""How constants are mapped before the first inference from C, with a system that only notes what it is asked."""

import shutil
import subprocess
import sys

import pytest

from tests.system.crt.test_pool import HERE, NATIVE, WARNINGS

pytestmark = [
    pytest.mark.cc,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="needs Linux: elsewhere nothing is asked"
    ),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """For each word of the C program: whether just the constants were asked for, in how many steps, not again, with a hint."""
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    made = tmp_path_factory.mktemp("populate") / "populate_test"
    names = ["-Dmadvise=asked_madvise", "-Dgetrusage=asked_getrusage"]
    command = [compiler, "-std=gnu11", "-D_GNU_SOURCE", *WARNINGS, "-O1", "-g", *names, f"-I{NATIVE}"]
    sources = [NATIVE / "populate.c", HERE / "populate_test.c"]
    pool = made.with_suffix(".o")
    subprocess.run([compiler, "-std=gnu11", "-O1", "-c", NATIVE / "pool.c", "-o", pool], check=True)
    subprocess.run([*command, *sources, pool, "-pthread", "-o", made], check=True)
    ran = subprocess.run([made], capture_output=True, text=True, check=True, timeout=60)
    rows = (line.split() for line in ran.stdout.splitlines())
    return {word: tuple(map(int, numbers)) for word, *numbers in rows}


@pytest.mark.parametrize(
    ("word", "steps", "hints"),
    [("nothing", 0, 0), ("small", 1, 0), ("edges", 2, 0), ("large", 11, 1), ("threads", 21, 1)],
)
def test_the_pages_of_the_constants_are_asked_for_once_and_no_others(answers, word, steps, hints):
    assert answers[word] == (1, steps, 1, hints)


def test_it_stops_where_the_disk_was_read(answers):
    assert answers["disk"][1:3] == (1, 1)


def test_it_stops_where_the_system_does_not_know_how(answers):
    assert answers["unknown"][1:3] == (1, 1)
