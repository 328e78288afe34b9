"""Fuzzes the readers of the C runtime: `python -m tests.system.crt.fuzz --seconds 60`. Needs clang with libFuzzer.

Each target runs under AddressSanitizer and UndefinedBehaviorSanitizer, from the graph and the parameters of the tests. The number
of executions is printed; the exit status is 1 if something was found.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.system.crt.build import HERE, INCLUDE, clang, sources

SANITIZERS = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
WORDS = (
    "nodes", "arg_nodes", "heads", "attrs", "node_row_ptr", "metadata", "op", "name", "inputs", "attr", "control_deps", "null",
    "tvm_op", "func_name", "num_inputs", "num_outputs", "flatten_data", "dltype", "storage_id", "shape", "device_index",
    "list_str", "list_int", "list_shape", "float32", "int8", "uint1", "bool", "__nop", "add", "touch", "broken",
)  # fmt: skip


def build(folder: Path, target: str) -> Path:
    """Compiles a fuzz target."""
    made = folder / f"fuzz_{target}"
    command = [
        clang(),
        "-std=c99",
        "-O1",
        "-g",
        *SANITIZERS,
        f"-I{INCLUDE}",
        HERE / f"fuzz_{target}.c",
        *sources(),
        "-o",
        made,
    ]
    subprocess.run(command, check=True)
    return made


def seeds(folder: Path) -> None:
    """A folder of inputs for each target."""
    program = folder / "crt_test"
    subprocess.run(
        [clang(), "-std=c99", f"-I{INCLUDE}", HERE / "crt_test.c", *sources(), "-o", program], check=True
    )
    for target in ("graph", "params"):
        (folder / target).mkdir()
    subprocess.run([program, folder / "graph" / "seed", folder / "params" / "seed"], check=True)
    (folder / "words").write_text("".join(f'"\\"{word}\\""\n' for word in WORDS))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    arguments = parser.parse_args()
    if shutil.which("clang") is None:
        parser.error("needs clang with libFuzzer")
    found = 0
    with tempfile.TemporaryDirectory(prefix="ingot-fuzz-") as made:
        folder = Path(made)
        seeds(folder)
        for target in ("graph", "params"):
            program = build(folder, target)
            options = [
                f"-max_total_time={arguments.seconds}",
                "-max_len=4096",
                "-print_final_stats=1",
                "-rss_limit_mb=1024",
            ]
            options += [f"-dict={folder / 'words'}"] if target == "graph" else []
            done = subprocess.run(
                [program, *options, folder / target], cwd=folder, capture_output=True, text=True, check=False
            )
            runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
            coverage = re.findall(r"cov: (\d+)", done.stderr)
            print(
                f"{target}: {runs[1] if runs else '?'} executions, coverage {coverage[-1] if coverage else '?'}",
                flush=True,
            )
            if done.returncode:
                found = 1
                print(done.stderr[-4000:])
                for crash in folder.glob("crash-*"):
                    print(crash.read_bytes())
    return found


if __name__ == "__main__":
    sys.exit(main())
