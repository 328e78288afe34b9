"""What all C interfaces share, compiled with sanitizers and run as a C program."""

import os
import shutil
import subprocess

import pytest

from tests.system.crt.test_pool import HERE, NATIVE, WARNINGS

pytestmark = pytest.mark.cc


@pytest.mark.parametrize("sanitizer", ["none", "thread", "address,undefined"])
def test_threads_and_refusals_are_clean(sanitizer, tmp_path):
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    made = tmp_path / "interface_test"
    flags = [] if sanitizer == "none" else [f"-fsanitize={sanitizer}"]
    command = [compiler, "-std=gnu11", *WARNINGS, "-O1", "-g", *flags, f"-I{NATIVE}"]
    sources = [NATIVE / name for name in ("interface.c", "processor.c", "populate.c", "pool.c")]
    command += [*sources, HERE / "interface_test.c", "-pthread", "-ldl", "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "san" in done.stderr and "cannot find" in done.stderr:
        pytest.skip(f"needs the {sanitizer} sanitizer")
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "TSAN_OPTIONS": "exitcode=66", "ASAN_OPTIONS": "detect_leaks=1"}
    ran = subprocess.run([made], capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert ran.returncode == 0, ran.stderr
