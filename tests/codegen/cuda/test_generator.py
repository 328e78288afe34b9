"""The code generator cuda: PTX, launches, targets, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.base.errors import TargetError, UnsupportedError
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.cuda.emit import PARAMS_MAX
from ingot.codegen.cuda.generator import CODEGEN, launches_and_module
from ingot.codegen.cuda.targets import CAPABILITIES, DEFAULT
from ingot.codegen.record import BuildContext
from ingot.loops.nodes import Call, Expr, For, Kernel, LoopKind, Var, buffer, index, load, store
from tests.codegen.cuda.test_groups import product
from tests.codegen.opencl.test_generator import normalized
from tests.codegen.units import small_unit
from tests.support.kernel_cuda import TARGET, agrees_with_interpreter, driver, gpu, ptx_of
from tests.support.kernel_opencl import kernel_unit, on_device
from tests.support.models import model

__all__ = ["driver", "gpu"]
F32 = DType.FLOAT32
I = Var("i")  # noqa: E741
PTXAS = shutil.which("ptxas") or shutil.which(
    "ptxas", path=str(Path(os.environ.get("CUDA_HOME", "nowhere")) / "bin")
)
needs_ptxas = pytest.mark.skipif(PTXAS is None, reason="needs NVIDIA's assembler (ptxas)")


def small(symbol: str = "small"):
    return on_device(small_unit(symbol).program, symbol)


def functions_kernel() -> Kernel:
    """Every function that needs code of our own, of float32 and float64."""
    outputs, body, inputs = [], [], []
    for dtype in (DType.FLOAT32, DType.FLOAT64):
        x = buffer(f"x_{dtype.short}", dtype, (4,))
        inputs.append(x)
        for name in ("exp", "sin", "tan", "asin", "acosh", "erf", "pow"):
            y = buffer(f"{name}_{dtype.short}", dtype, (4,))
            outputs.append(y)
            value = load(x, I)
            body.append(store(y, (I,), Call(name, (value, value) if name == "pow" else (value,))))
    return Kernel(
        "functions", tuple(inputs), tuple(outputs), (For(I, index(4), tuple(body), LoopKind.PARALLEL),)
    )


# ─── targets ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_target_without_a_capability_is_the_conservative_one() -> None:
    assert str(CODEGEN.resolve(Target.parse("cuda"))) == f"cuda -mcpu={DEFAULT}"
    assert str(CODEGEN.resolve(Target.parse("cuda -mcpu=sm_90"))) == "cuda -mcpu=sm_90"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("cuda -mcpu=sm_81", r"no compute capability 'sm_81'.*known: sm_70"),
        ("cuda -mcpu=sm_90a", "runs on no other GPU"),
        ("cuda -mattr=+ptx80", "has no flag -mattr"),
        ("cuda -mtriple=nvptx-nvidia-cuda", "has no flag -mtriple"),
        ("cuda --fast-math=yes", "has no flag --fast-math"),
    ],
)
def test_what_the_code_generator_does_not_know_is_refused(text: str, match: str) -> None:
    with pytest.raises(TargetError, match=match):
        CODEGEN.resolve(Target.parse(text))


@pytest.mark.parametrize("cpu", CAPABILITIES)
def test_the_text_says_the_capability_and_its_version_of_ptx(cpu: str) -> None:
    try:
        text = ptx_of(small(), CODEGEN.resolve(Target.parse(f"cuda -mcpu={cpu}", key="accel")))
    except TargetError as error:
        assert "update llvmlite" in str(error)
        pytest.skip(str(error))
    major, minor = CAPABILITIES[cpu].ptx
    assert f".version {major}.{minor}\n.target {cpu}\n.address_size 64\n" in text


# ─── artifacts ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_llvm_gets_and_the_launches_are_as_they_were(golden: Callable[[str, str], None]) -> None:
    """Not the PTX, which is another with every version of LLVM."""
    unit = kernel_unit(normalized(), "normalized")
    golden("cuda/normalized.ll", launches_and_module(unit)[0].text())
    golden(
        "cuda/normalized.launch.json",
        bytes(CODEGEN.generate(unit, TARGET, BuildContext()).artifacts[1].content).decode(),
    )


def test_a_unit_is_a_text_and_a_list_of_launches_always_the_same() -> None:
    artifacts = CODEGEN.generate(small(), TARGET, BuildContext()).artifacts
    assert [one.labels for one in artifacts] == [
        ("accel", "cuda", "small.ptx", "cuda"),
        ("accel", "cuda", "small.launch.json", "cuda"),
    ]
    assert artifacts == CODEGEN.generate(small(), TARGET, BuildContext()).artifacts


def test_each_parallel_loop_is_a_launch_and_so_are_the_statements_between() -> None:
    listing = CODEGEN.generate(kernel_unit(normalized()), TARGET, BuildContext()).artifacts[1]
    (call,) = json.loads(bytes(listing.content))["calls"]
    assert [(one["kernel"], one["block"], len(one["args"])) for one in call["launches"]] == [
        ("one_normalized", [32, 1, 1], 2),
        ("one_normalized_2", [1, 1, 1], 2),
        ("one_normalized_3", [32, 1, 1], 3),
    ]


def test_every_entry_is_visible_and_says_its_threads_and_what_it_computes() -> None:
    text = ptx_of(small())
    assert re.findall(r"\.visible \.entry (\w+)\(", text) == ["small_add", "small_relu"]
    assert text.count(".reqntid") == 2
    assert "/* c = a + b\n" in text and "Nodes: Add_0, Add_1" in text
    assert text.isascii()


def test_stages_are_shown_to_an_observer() -> None:
    seen: dict[str, str | bytes] = {}
    CODEGEN.generate(small(), TARGET, BuildContext(Observer(on_dump=seen.__setitem__)))
    assert list(seen) == ["small.ll", "small.ptx", "small.launch.json"]
    assert "define ptx_kernel void @small_add(" in str(seen["small.ll"])


def test_neighbouring_elements_are_read_at_once_where_all_addresses_allow_it() -> None:
    assert re.search(r"ld\.global\.nc\.v4\.[bf]32", ptx_of(small()))


def test_sums_and_products_are_not_contracted_but_where_the_kernel_says_so() -> None:
    x, y = buffer("x", F32, (4,)), buffer("y", F32, (4,))
    value: Expr = load(x, I)
    text = ptx_of(
        kernel_unit(Kernel("k", (x,), (y,), (For(I, index(4), (store(y, (I,), value * value + value),)),)))
    )
    assert "mul.rn.f32" in text and "add.rn.f32" in text and "fma" not in text


@pytest.mark.usefixtures("gpu")
def test_a_large_loop_is_many_blocks_and_its_rest_does_nothing() -> None:
    x, y = buffer("x", F32, (10_000,)), buffer("y", F32, (10_000,))
    made = Kernel(
        "k", (x,), (y,), (For(I, index(10_000), (store(y, (I,), load(x, I) * 2.0),), LoopKind.PARALLEL),)
    )
    agrees_with_interpreter(made, np.arange(10_000, dtype=np.float32))
    assert ".reqntid 128, 1, 1" in ptx_of(kernel_unit(made))


@pytest.mark.usefixtures("gpu")
def test_a_loop_without_iterations_starts_nothing_or_does_nothing() -> None:
    x, y = buffer("x", F32, (4,)), buffer("y", F32, (4,))
    empty = For(I, index(0), (store(y, (I,), load(x, I)),), LoopKind.PARALLEL)
    agrees_with_interpreter(Kernel("k", (x,), (y,), (empty, store(y, (1,), 7.0))), np.ones(4, np.float32))


@pytest.mark.usefixtures("gpu")
def test_angles_of_any_size_have_their_sine() -> None:
    x, sine, cosine = (buffer(name, F32, (64,)) for name in ("x", "sine", "cosine"))
    body = (store(sine, (I,), Call("sin", (load(x, I),))), store(cosine, (I,), Call("cos", (load(x, I),))))
    made = Kernel("k", (x,), (sine, cosine), (For(I, index(64), body, LoopKind.PARALLEL),))
    values = np.ldexp(np.random.default_rng(0).uniform(1, 2, 64), np.arange(64) * 2).astype(np.float32)
    agrees_with_interpreter(made, values, rtol=3e-7, atol=1e-12)


def test_kernels_with_too_many_operands_are_refused() -> None:
    count = PARAMS_MAX + 1
    outputs = tuple(buffer(f"y{number}", F32, (1,)) for number in range(count))
    made = Kernel("wide", (), outputs, tuple(store(one, (0,), 1.0) for one in outputs))
    with pytest.raises(
        UnsupportedError, match=f"kernel 'wide' has {count} operands, the code generator cuda takes at most"
    ):
        ptx_of(kernel_unit(made))


# ─── NVIDIA's own assembler ────────────────────────────────────────────────────────────────────────────────────────


def assembled(text: str, cpu: str, folder: Path) -> str:
    """What ptxas says of registers, spills and memory."""
    (folder / "text.ptx").write_text(text, encoding="ascii")
    command = [PTXAS or "ptxas", "-v", f"-arch={cpu}", "text.ptx", "-o", "text.cubin"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_ptxas
@pytest.mark.parametrize("cpu", ["sm_75", "sm_80", "sm_90", "sm_100"])
def test_nvidias_assembler_takes_the_text(cpu: str, tmp_path: Path) -> None:
    for made in (normalized(), product(16, 24, 32), functions_kernel()):
        for target in {DEFAULT, cpu}:
            definite = CODEGEN.resolve(Target.parse(f"cuda -mcpu={target}", key="accel"))
            assembled(ptx_of(kernel_unit(made), definite), cpu, tmp_path)


@needs_ptxas
def test_a_tiled_product_spills_nothing(tmp_path: Path) -> None:
    said = assembled(ptx_of(kernel_unit(product(64, 64, 64, tile=32, own=4))), "sm_80", tmp_path)
    assert re.search(r"\b0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", said)
    assert re.search(r"\b8192 bytes smem", said)
    assert int(re.findall(r"Used (\d+) registers", said)[0]) <= 128


HOT = {
    "matrix product": "g (float[512,512] a, float[512,512] b) => (float[512,512] y) { y = MatMul (a, b) }",
    "large product": "g (float[2048,256] a, float[256,2048] b) => (float[2048,2048] y) { y = MatMul (a, b) }",
    "vector by matrix": "g (float[1,512] a, float[512,512] b) => (float[1,512] y) { y = MatMul (a, b) }",
    "convolution": """g (float[1,64,28,28] x, float[64,64,3,3] w, float[64] b) => (float[1,64,28,28] y)
        { c = Conv <pads=[1,1,1,1]> (x, w, b) y = Relu (c) }""",
    "depthwise": """g (float[1,64,28,28] x, float[64,1,3,3] w, float[64] b) => (float[1,64,28,28] y)
        { y = Conv <group=64, pads=[1,1,1,1]> (x, w, b) }""",
    "softmax": "g (float[64,1024] x) => (float[64,1024] y) { y = Softmax <axis=1> (x) }",
    "mean": "g (float[1,64,28,28] x) => (float[1,64,1,1] y) { y = GlobalAveragePool (x) }",
}


@pytest.mark.parametrize("graph", HOT.values(), ids=HOT)
def test_what_models_spend_their_time_on_stays_in_registers(graph: str, tmp_path: Path) -> None:
    made = ingot.build(model(graph), {"host": "llvm", "accel": "cuda"}, place={"*": "accel"}, cache=None)
    (text,) = (bytes(one.content).decode() for one in made.artifacts if one.file_name.endswith(".ptx"))
    assert not re.search(r"\b(ld|st)\.local\b|__local_depot", text)
    if PTXAS is not None:
        said = assembled(text, "sm_80", tmp_path)
        spills = re.findall(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said
        )
        assert spills and set(spills) == {("0", "0", "0")}
