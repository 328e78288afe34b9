"""A library for another processor, linked by its cross compiler and called from C under QEMU, gives what this machine gives."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.errors import LoadError

pytestmark = [pytest.mark.cc, pytest.mark.qemu]
DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.onnx"
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "digits.h"

static float image[64], probabilities[10];

static void show(int32_t status) {
    printf("%d", (int)status);
    for (int i = 0; i < 10; i++) printf(" %.9g", (double)probabilities[i]);
    puts("");
}

int main(void) {
    for (int i = 0; i < 64; i++) image[i] = (float)(i * 37 % 17);
    void *workspace = aligned_alloc(DIGITS_WORKSPACE_ALIGNMENT, (DIGITS_WORKSPACE_BYTES + 63) / 64 * 64);
    struct digits_inputs inputs = {image};
    struct digits_outputs outputs = {probabilities};
    show(digits_run(&inputs, &outputs, workspace));
    struct ingot_pool *pool = ingot_pool_create(2);
    show(digits_run_parallel(&inputs, &outputs, workspace, pool));
    ingot_pool_destroy(pool);
    free(workspace);
    return 0;
}
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = tmp_path_factory.mktemp("here") / "digits.so"
    ingot.build(DIGITS, dims={"batch": 1}).export_library(path)
    image = (np.arange(64) * 37 % 17).astype(np.float32).reshape(1, 1, 8, 8)
    return np.asarray(ingot.load(path)["digits"](ingot.cpu(0)).predict(image=image))[0]


@pytest.mark.parametrize(
    ("triple", "cpu", "emulator"),
    [
        ("aarch64-linux-gnu", "cortex-a76", "qemu-aarch64"),
        ("aarch64-linux-gnu", "", "qemu-aarch64"),
        ("arm-linux-gnueabihf", "cortex-a9", "qemu-arm"),
        ("riscv64-linux-gnu", "", "qemu-riscv64"),
    ],
)
def test_a_library_for_another_processor_runs_there(
    triple: str, cpu: str, emulator: str, expected: np.ndarray, tmp_path: Path
) -> None:
    for tool, package in ((f"{triple}-gcc", f"gcc-{triple}"), (emulator, "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    library = tmp_path / "digits.so"
    target = f"llvm -mtriple={triple}{f' -mcpu={cpu}' if cpu else ''}"
    artifacts = ingot.build(DIGITS, target, dims={"batch": 1})
    artifacts.export_library(library)
    (tmp_path / "digits.h").write_text(artifacts.c_header("digits"))
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [f"{triple}-gcc", "-Wall", "-Werror", "main.c", "./digits.so", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run(
        [emulator, "-L", f"/usr/{triple}", "./main"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    alone, parallel = (line.split() for line in said.splitlines())
    assert alone == parallel
    assert alone[0] == "0"
    np.testing.assert_allclose(np.array(alone[1:], np.float32), expected, rtol=1e-4, atol=1e-7)
    with pytest.raises(LoadError, match=r"was built for (aarch64|arm|riscv)\w*, this machine is"):
        ingot.load(library)
