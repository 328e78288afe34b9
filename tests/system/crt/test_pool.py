"""The thread pool, compiled with sanitizers and run as a C program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ingot.runtime.library import THREADS_MAX
from tests.support.paths import ROOT

HERE = Path(__file__).parent
NATIVE = ROOT / "src" / "ingot" / "native"
WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wmissing-prototypes",
    "-Wstrict-prototypes",
    "-pedantic",
    "-Werror",
]
CASES = [
    "loops",
    "grain",
    "even",
    "asleep",
    "few",
    "long",
    "trials",
    "nested",
    "callers",
    "fork",
    "idle",
    "signals",
    "unused",
]
CASES += ["team", "team of two", "team asleep", "team after fork"]

pytestmark = pytest.mark.cc


@pytest.fixture(scope="module", params=["none", "thread", "address,undefined"])
def program(request, tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    made = tmp_path_factory.mktemp(request.param.partition(",")[0]) / "pool_test"
    sanitizer = [] if request.param == "none" else [f"-fsanitize={request.param}"]
    command = [compiler, "-std=c11", *WARNINGS, "-O1", "-g", *sanitizer, f"-I{NATIVE}"]
    command += [NATIVE / "pool.c", HERE / "pool_test.c", "-pthread", "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if (
        done.returncode
        and "fsanitize" not in done.stderr
        and "san" in done.stderr
        and "cannot find" in done.stderr
    ):
        pytest.skip(f"needs the {request.param} sanitizer")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return made


@pytest.mark.parametrize("case", CASES)
def test_the_pool_runs_each_iteration_once_and_is_clean(program, case):
    if case.endswith("fork") and program.parent.name.startswith("thread"):
        pytest.skip("ThreadSanitizer cannot follow threads that the child of a fork starts")
    if case == "idle" and sys.platform != "linux":
        pytest.skip("what threads do is looked up in /proc")
    environment = {**os.environ, "TSAN_OPTIONS": "exitcode=66", "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run(
        [program, case], capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr


def test_the_most_threads_that_may_be_asked_for_are_what_the_pool_makes_at_most():
    text = (NATIVE / "pool.c").read_text(encoding="ascii")
    assert f" MAX_THREADS = {THREADS_MAX}," in text


def status_of(source, tmp_path, *words):
    """The exit status of a program that includes the pool."""
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    program = tmp_path / "program"
    command = [
        compiler,
        "-std=c11",
        *WARNINGS,
        "-O1",
        f"-I{NATIVE}",
        HERE / source,
        "-pthread",
        "-lm",
        "-o",
        program,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return subprocess.run([program, *words], check=False, timeout=120).returncode


def test_workers_that_were_woken_to_see_what_loops_cost_are_not_asleep_again_by_then(tmp_path):
    assert status_of("pool_waking_test.c", tmp_path) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="threads are moved on Linux")
def test_a_worker_is_sent_away_from_the_callers_processor_unless_it_is_bound_there(tmp_path):
    assert status_of("pool_away_test.c", tmp_path, "where") == 0


@pytest.mark.skipif(sys.platform != "linux", reason="threads are moved on Linux")
def test_workers_are_sent_away_when_none_comes_to_loop_after_loop_and_more_seldom_each_time(tmp_path):
    assert status_of("pool_away_test.c", tmp_path, "when") == 0


@pytest.mark.parametrize("case", ["follows", "disturbed", "dear", "wavers", "next", "long"])
def test_loops_are_shared_out_where_that_is_quicker_and_only_there(tmp_path, case):
    assert status_of("pool_ways_test.c", tmp_path, case) == 0


def test_workers_compute_in_the_floating_point_mode_of_the_thread_that_calls(tmp_path):
    assert status_of("pool_mode_test.c", tmp_path) == 0
