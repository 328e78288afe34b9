"""The thread pool, compiled with sanitizers and run as a C program."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "src" / "ingot" / "native"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wmissing-prototypes", "-Wstrict-prototypes", "-pedantic", "-Werror"]
CASES = ["loops", "grain", "even", "asleep", "few", "trials", "nested", "callers", "fork", "unused"]

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
    if done.returncode and "fsanitize" not in done.stderr and "san" in done.stderr and "cannot find" in done.stderr:
        pytest.skip(f"needs the {request.param} sanitizer")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return made


@pytest.mark.parametrize("case", CASES)
def test_the_pool_runs_each_iteration_once_and_is_clean(program, case):
    if case == "fork" and program.parent.name.startswith("thread"):
        pytest.skip("ThreadSanitizer cannot follow threads that the child of a fork starts")
    environment = {**os.environ, "TSAN_OPTIONS": "exitcode=66", "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([program, case], capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
