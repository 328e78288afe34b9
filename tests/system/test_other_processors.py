"""A library for another processor, linked by its cross compiler and called from C under QEMU, gives what this machine gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.base.errors import LoadError
from tests.support.models import model
from tests.support.paths import DIGITS

pytestmark = [pytest.mark.cc, pytest.mark.qemu]
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


STEPS, HIDDEN = 4, 128
RECURRENT = f"""
#include <stdio.h>
#include <stdlib.h>
#include "cell.h"

static float x[{STEPS * 8}], y[{STEPS * HIDDEN}];

int main(void) {{
    for (int i = 0; i < {STEPS * 8}; i++) x[i] = (float)(i * 37 % 17);
    void *workspace = aligned_alloc(CELL_WORKSPACE_ALIGNMENT, (CELL_WORKSPACE_BYTES + 63) / 64 * 64);
    struct cell_inputs inputs = {{x}};
    struct cell_outputs outputs = {{y}};
    struct ingot_pool *pool = ingot_pool_create(2);
    int32_t status = cell_run_parallel(&inputs, &outputs, workspace, pool);
    for (int i = 0; i < {STEPS * HIDDEN}; i++) printf("%.9g ", (double)y[i]);
    ingot_pool_destroy(pool);
    free(workspace);
    return (int)status;
}}
"""


def cell() -> onnx.ModelProto:
    """An LSTM whose steps are shared out to threads."""
    rng = np.random.default_rng(1)
    weights = {
        "w": rng.standard_normal((1, 4 * HIDDEN, 8)).astype(np.float32) / 64,
        "r": rng.standard_normal((1, 4 * HIDDEN, HIDDEN)).astype(np.float32) / 8,
    }
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=HIDDEN)],
        "cell",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [STEPS, 1, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [STEPS, 1, 1, HIDDEN])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def test_threads_know_the_step_where_pointers_are_narrower_than_its_number(tmp_path: Path) -> None:
    for tool, package in (("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf"), ("qemu-arm", "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    seen: dict[str, str | bytes] = {}
    observer = ingot.Observer(on_dump=seen.__setitem__)
    artifacts = ingot.build(cell(), "llvm -mtriple=arm-linux-gnueabihf -mcpu=cortex-a9", observer=observer)
    # What is stored behind the end of the slots need not show in a result.
    (text,) = (str(one) for name, one in seen.items() if name.endswith("lstm_lstm_0.ll"))
    (slots,) = re.findall(r"@ingot_pool_for\(ptr %pool, ptr @[^,]+, ptr (%\w+),", text)
    places = re.findall(rf"(%\w+) = getelementptr inbounds ptr, ptr {slots}, ", text)
    stored = [re.findall(rf"store (\w+) %\w+, ptr {place}$", text, re.MULTILINE) for place in places]
    assert stored and stored == [["ptr"]] * len(places)
    artifacts.export_library(tmp_path / "cell.so")
    (tmp_path / "cell.h").write_text(artifacts.c_header("cell"))
    (tmp_path / "main.c").write_text(RECURRENT)
    subprocess.run(["arm-linux-gnueabihf-gcc", "main.c", "./cell.so", "-o", "main"], cwd=tmp_path, check=True)
    command = ["qemu-arm", "-L", "/usr/arm-linux-gnueabihf", "./main"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    x = (np.arange(STEPS * 8) * 37 % 17).astype(np.float32).reshape(STEPS, 1, 8)
    here = ingot.build(cell(), "llvmjit").load()["cell"](ingot.cpu(0)).predict(x=x)
    np.testing.assert_allclose(
        np.array(said.split(), np.float32), np.asarray(here).reshape(-1), rtol=1e-4, atol=1e-5
    )


ROUNDED = """
#include <stdio.h>
#include <stdlib.h>
#include "rounded.h"

int main(void) {
    float x[20], y[20];
    for (int i = 0; i < 20; i++) x[i] = (float)(i - 10) / 4;
    void *workspace = aligned_alloc(ROUNDED_WORKSPACE_ALIGNMENT, (ROUNDED_WORKSPACE_BYTES + 63) / 64 * 64 + 64);
    struct rounded_inputs inputs = {x};
    struct rounded_outputs outputs = {y};
    int32_t status = rounded_run(&inputs, &outputs, workspace);
    for (int i = 0; i < 20; i++) printf("%.9g ", (double)y[i]);
    return (int)status;
}
"""


@pytest.mark.parametrize("triple", ["arm-linux-gnueabihf", "aarch64-linux-gnu", "riscv64-linux-gnu"])
def test_functions_of_the_c_library_get_their_arguments_where_they_look_for_them(
    triple: str, tmp_path: Path
) -> None:
    emulator = f"qemu-{triple.partition('-')[0]}"
    for tool, package in ((f"{triple}-gcc", f"gcc-{triple}"), (emulator, "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    nodes = "r = Round (x) a = Atan (x) f = Floor (a) s = Add (r, f) y = Add (s, a)"
    made = model(f"rounded (float[20] x) => (float[20] y) {{ {nodes} }}")
    artifacts = ingot.build(made, f"llvm -mtriple={triple}")
    artifacts.export_library(tmp_path / "rounded.so")
    (tmp_path / "rounded.h").write_text(artifacts.c_header("rounded"))
    (tmp_path / "main.c").write_text(ROUNDED)
    subprocess.run([f"{triple}-gcc", "main.c", "./rounded.so", "-o", "main"], cwd=tmp_path, check=True)
    command = [emulator, "-L", f"/usr/{triple}", "./main"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    x = (np.arange(20) - 10).astype(np.float32) / 4
    np.testing.assert_allclose(
        np.array(said.split(), np.float32), np.rint(x) + np.floor(np.arctan(x)) + np.arctan(x), rtol=1e-5
    )


ONE = """
#include <stdio.h>
#include <stdlib.h>
#include "one.h"

static %(type)s x[ONE_INPUT_X_ELEMENTS], y[ONE_OUTPUT_Y_ELEMENTS];

int main(void) {
    if (fread(x, sizeof x, 1, stdin) != 1) return 100;
    void *workspace = aligned_alloc(ONE_WORKSPACE_ALIGNMENT, (ONE_WORKSPACE_BYTES + 63) / 64 * 64 + 64);
    struct one_inputs inputs = {x};
    struct one_outputs outputs = {y};
    int32_t status = one_run(&inputs, &outputs, workspace);
    return fwrite(y, sizeof y, 1, stdout) == 1 ? (int)-status : 101;
}
"""


def on_aarch64(made: onnx.ModelProto, cpu: str, x: np.ndarray, folder: Path) -> np.ndarray:
    """What a model with one input x and one output y of the same type, made for that CPU, gives under QEMU."""
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), ("qemu-aarch64", "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    artifacts = ingot.build(made, f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}", name="one")
    artifacts.export_library(folder / "one.so")
    (folder / "one.h").write_text(artifacts.c_header("one"))
    (folder / "main.c").write_text(ONE % {"type": {"float32": "float", "uint8": "uint8_t"}[x.dtype.name]})
    subprocess.run(["aarch64-linux-gnu-gcc", "main.c", "./one.so", "-o", "main"], cwd=folder, check=True)
    command = ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu", "./main"]
    said = subprocess.run(command, cwd=folder, check=True, input=x.tobytes(), capture_output=True).stdout
    return np.frombuffer(said, x.dtype)


def here(made: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    """What the interpreter gives."""
    return np.asarray(
        ingot.build(made, "interp", name="one").load()["one"](ingot.cpu(0)).predict(x=x)
    ).reshape(-1)


def codes() -> onnx.ModelProto:
    """A convolution, a depthwise one and a product, on codes of 8 bits at both ends of their ranges."""
    nodes = """a = QLinearConv<pads=[1, 1, 1, 1]>(x, xs, xz, w, ws, wz, ys, yz, b)
        d = QLinearConv<pads=[1, 1, 1, 1], group=24>(a, ys, yz, v, ws, wz, ys, yz)
        y = QLinearMatMul(d, ys, yz, m, ws, wz, ys, yz)"""
    made = model(f"codes (uint8[1, 20, 9, 11] x) => (uint8[1, 24, 9, 13] y) {{ {nodes} }}")
    rng = np.random.default_rng(4)
    weights = {name: rng.integers(-128, 128, shape).astype(np.int8) for name, shape in
               {"w": (24, 20, 3, 3), "v": (24, 1, 3, 3), "m": (11, 13)}.items()}  # fmt: skip
    scales = {"xs": np.float32(0.02), "ws": np.float32(0.003), "ys": np.float32(0.11)}
    zeros = {
        "xz": np.uint8(131),
        "yz": np.uint8(120),
        "wz": np.int8(0),
        "b": rng.integers(-9000, 9000, 24).astype(np.int32),
    }
    for name, array in {**weights, **scales, **zeros}.items():
        made.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    return made


def codes_in() -> np.ndarray:
    x = np.random.default_rng(8).integers(0, 256, (1, 20, 9, 11)).astype(np.uint8)
    x[0, :10] = np.where(x[0, :10] > 127, 255, 0)
    return x


@pytest.fixture(scope="module")
def codes_out() -> np.ndarray:
    return here(codes(), codes_in())


@pytest.mark.parametrize("cpu", ["cortex-a53", "neoverse-n1", "neoverse-v1"])
def test_codes_are_the_same_with_and_without_dot_products_of_arm(
    cpu: str, codes_out: np.ndarray, tmp_path: Path
) -> None:
    """These have none, `sdot`, and `usdot`."""
    got = on_aarch64(codes(), cpu, codes_in(), tmp_path)
    assert len(np.unique(codes_out)) > 50
    np.testing.assert_array_equal(got, codes_out)


@pytest.mark.parametrize("cpu", ["cortex-a55", "neoverse-n1"])
def test_sums_with_lanes_as_factors_are_those_of_the_interpreter(cpu: str, tmp_path: Path) -> None:
    """Convolutions with and without Winograd's algorithm, and a product: four steps at a time, and what is left."""
    nodes = """a = Conv(x, w1) b = Conv<pads=[1, 1, 1, 1]>(a, w2) c = Relu(b) d = Conv<pads=[1, 1, 1, 1], strides=[2, 2]>(c, w3)
        y = MatMul(d, m)"""
    made = model(f"floats (float[1, 11, 12, 14] x) => (float[1, 21, 6, 19] y) {{ {nodes} }}")
    rng = np.random.default_rng(6)
    for name, shape in {
        "w1": (32, 11, 1, 1),
        "w2": (32, 32, 3, 3),
        "w3": (21, 32, 3, 3),
        "m": (7, 19),
    }.items():
        array = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        made.graph.initializer.append(numpy_helper.from_array(array.astype(np.float32), name))
    x = rng.standard_normal((1, 11, 12, 14)).astype(np.float32)
    np.testing.assert_allclose(on_aarch64(made, cpu, x, tmp_path), here(made, x), rtol=1e-4, atol=1e-5)


CODES = """
#include <stdio.h>
#include <stdlib.h>
#include "net.h"

static uint8_t x[16 * 16 * 32], y[64];

int main(void) {
    for (int i = 0; i < 16 * 16 * 32; i++) x[i] = (uint8_t)(i * 37 % 256);
    void *workspace = aligned_alloc(NET_WORKSPACE_ALIGNMENT, (NET_WORKSPACE_BYTES + 63) / 64 * 64);
    struct net_inputs inputs = {x};
    struct net_outputs outputs = {y};
    int32_t status = net_run(&inputs, &outputs, workspace);
    for (int i = 0; i < 64; i++) printf("%d ", y[i]);
    free(workspace);
    return (int)status;
}
"""


def network_of_codes(least: int) -> onnx.ModelProto:
    """Convolutions and a product of codes, of all the ways that they are summed; weights are at least so large."""
    rng = np.random.default_rng(2)
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {"zero": np.array(120, np.uint8), "none": np.array(0, np.int8)}

    def layer(op: str, shape: tuple[int, ...], scale: float, **attributes: object) -> None:
        number = len(nodes)
        source, target = (f"t{number}" if number else "x"), f"t{number + 1}"
        constants[f"w{number}"] = rng.integers(least, 128, shape).astype(np.int8)
        constants[f"s{number}"], constants[f"r{number}"] = (
            np.array(1, np.float32),
            np.array(scale, np.float32),
        )
        inputs = [source, f"s{number}", "zero", f"w{number}", f"s{number}", "none", f"r{number}", "zero"]
        nodes.append(helper.make_node(op, inputs, [target], **attributes))

    layer("QLinearConv", (64, 32, 3, 3), 2e3, pads=[1, 1, 1, 1])
    layer("QLinearConv", (64, 64, 1, 1), 600)
    layer("QLinearConv", (64, 1, 3, 3), 250, pads=[1, 1, 1, 1], group=64)
    layer("QLinearConv", (40, 64, 3, 3), 2e3, strides=[2, 2])
    nodes.append(helper.make_node("Flatten", [f"t{len(nodes)}"], [f"t{len(nodes) + 1}"]))
    layer("QLinearMatMul", (40 * 49, 64), 3e3)
    nodes[-1].output[0] = "y"
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 32, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 64])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@pytest.mark.parametrize("least", [-127, -128])
@pytest.mark.parametrize("cpu", ["cortex-a72", "neoverse-n1", "neoverse-v1"])
def test_codes_are_the_same_bytes_with_and_without_dot_products_of_neon(
    cpu: str, least: int, tmp_path: Path
) -> None:
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), ("qemu-aarch64", "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    net = network_of_codes(least)
    x = (np.arange(16 * 16 * 32) * 37 % 256).astype(np.uint8).reshape(1, 32, 16, 16)
    here = np.asarray(ingot.build(net, name="net").load()["net"](ingot.cpu(0)).predict(x=x)).reshape(-1)
    assert len(set(here.tolist())) > 16  # neither constant nor clipped
    artifacts = ingot.build(net, f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}", name="net")
    artifacts.export_library(tmp_path / "net.so")
    (tmp_path / "net.h").write_text(artifacts.c_header("net"))
    (tmp_path / "main.c").write_text(CODES)
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-Wall", "-Werror", "main.c", "./net.so", "-o", "main"],
        cwd=tmp_path,
        check=True,
    )
    command = ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu", "./main"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    np.testing.assert_array_equal(np.array(said.split(), np.uint8), here)
