"""The expansions of float32 functions against float64, over all exponents and densely where they bend."""

from __future__ import annotations

import math
import platform
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.objects import compiled
from ingot.codegen.llvm.build.targets import chip, processor, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.math.f64 import WRITTEN
from ingot.loops.nodes import For, Kernel, LoopKind, Var, buffer, call, index, load, store
from tests.support.kernel_llvm import BASELINE, compile_kernel, needs_cc

F = DType.FLOAT32
COUNT = 1 << 15
J, V = Var("i"), Var("v")
TARGETS = (BASELINE, "llvm -mcpu=native")
SHORTER = (
    ("llvm -mcpu=x86-64-v3",) if platform.machine() == "x86_64" else ()
)  # AVX2, where the processor here may have AVX-512
# It has an instruction that multiplies by a power of two.
SCALING = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake-avx512"
EXACT = {
    "exp": np.exp,
    "exp_flushed": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan": np.arctan,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
# Those that are not named are computed in float64 and rounded once.
ULP = {
    "exp": 1.0,
    "exp_flushed": 1.3,
    "log": 0.8,
    "tanh": 2.5,
    "erf": 1.5,
    "sin": 1.5,
    "cos": 1.5,
    "tan": 3.0,
}
ULP |= {"asin": 2.5, "acos": 2.0, "atan": 2.0}
pytestmark = needs_cc


def kernel(name: str, width: int) -> Kernel:
    x, y = buffer("x", F, (COUNT,)), buffer("y", F, (COUNT,))
    at = J * width + V
    lanes = For(V, index(width), (store(y, (at,), call(name, load(x, at))),), LoopKind.VECTOR)
    return Kernel(name, (x,), (y,), (For(J, index(COUNT // width), (lanes,)),))


def sweep(part: int) -> np.ndarray:
    rng = np.random.default_rng(part)
    if part == 0:
        return rng.integers(0, 2**32, COUNT, dtype=np.uint32).view(np.float32)
    return (rng.uniform(-1, 1, COUNT) * (0.5, 2, 9, 110)[part - 1]).astype(np.float32)


def require_promised(name: str, x: np.ndarray, y: np.ndarray) -> None:
    """Asserts that results of a function are as near to those in float64 as is promised."""
    with np.errstate(all="ignore"):
        exact = EXACT[name](x.astype(np.float64))
        rounded = exact.astype(np.float32)
    if name == "exp_flushed":
        y = np.where((rounded < 2.0**-125) & (y == 0), rounded, y)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(rounded))
    np.testing.assert_array_equal(y[np.isinf(rounded)], rounded[np.isinf(rounded)])
    finite = np.isfinite(rounded)
    ulps = np.abs(y[finite] - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    assert ulps.max(initial=0) <= ULP.get(name, 0.51), (x[finite][ulps.argmax()], ulps.max())


def argument(name: str, part: int) -> np.ndarray:
    x = sweep(part)
    return np.minimum(x, np.float32(89)) if name == "exp_flushed" else x  # of no more than this


@pytest.mark.parametrize(
    ("target", "written_for"), [*((target, "") for target in (*TARGETS, *SHORTER)), (TARGETS[-1], SCALING)]
)
@pytest.mark.parametrize("name", EXACT)
def test_errors_stay_below_what_is_promised(name: str, target: str, written_for: str) -> None:
    run = compile_kernel(kernel(name, 16), target, written_for)
    for part in range(5):
        x, y = argument(name, part), np.empty(COUNT, np.float32)
        run(x, y)
        require_promised(name, x, y)


NEON = """
#include <stdio.h>
static float x[%(count)d], y[%(count)d];
%(declared)s
static int (*const functions[])(const float *, float *, void *) = {%(names)s};

int main(void) {
    for (unsigned i = 0; i < 5 * sizeof functions / sizeof *functions; i++) {
        if (fread(x, sizeof x, 1, stdin) != 1 || functions[i / 5](x, y, NULL) != 0) return 1;
        if (fwrite(y, sizeof y, 1, stdout) != 1) return 1;
    }
    return 0;
}
"""


@pytest.mark.qemu
def test_errors_stay_below_what_is_promised_with_neon(tmp_path: Path) -> None:
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), ("qemu-aarch64", "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    target = resolve(Target.parse("llvm -mtriple=aarch64-linux-gnu"))
    for name in EXACT:
        made = compiled(emit_kernel(kernel(name, 16), f"my_{name}", chip(target)), processor(target), True)
        assert "fmla\tv" in made.assembly, "it is not computed in vectors"
        (tmp_path / f"{name}.o").write_bytes(made.content)
    declared = "\n".join(f"int my_{name}(const float *, float *, void *);" for name in EXACT)
    names = ", ".join(f"my_{name}" for name in EXACT)
    (tmp_path / "main.c").write_text(NEON % {"count": COUNT, "declared": declared, "names": names})
    objects = [f"{name}.o" for name in EXACT]
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-O1", "main.c", *objects, "-lm", "-o", "main"], cwd=tmp_path, check=True
    )
    given = [(name, argument(name, part)) for name in EXACT for part in range(5)]
    command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "./main"]
    fed = b"".join(x.tobytes() for _, x in given)
    said = subprocess.run(command, cwd=tmp_path, check=True, input=fed, capture_output=True).stdout
    for (name, x), y in zip(given, np.frombuffer(said, np.float32).reshape(-1, COUNT), strict=True):
        require_promised(name, x, y)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_every_lane_and_a_scalar_give_the_same_bits(name: str, target: str) -> None:
    x = np.concatenate([sweep(part)[: COUNT // 4] for part in range(4)])
    results = []
    for width in (1, 8, 16):
        y = np.empty(COUNT, np.float32)
        compile_kernel(kernel(name, width), target)(x, y)
        results.append(y.view(np.uint32) & np.where(np.isnan(y), 0x7F800000, 0xFFFFFFFF).astype(np.uint32))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize(
    ("target", "written_for"), [*((target, "") for target in TARGETS), (TARGETS[-1], SCALING)]
)
@pytest.mark.parametrize("name", ["exp", "exp_flushed"])
def test_exponentials_of_what_is_masked_are_0(name: str, target: str, written_for: str) -> None:
    x = np.resize(np.array([-np.inf, -3.4e38, -1e9, -65504, -1e4, -175, -150, -104], np.float32), COUNT)
    y = np.empty(COUNT, np.float32)
    compile_kernel(kernel(name, 16), target, written_for)(x, y)
    np.testing.assert_array_equal(y, np.zeros(COUNT, np.float32))
    assert not np.signbit(y).any()


@pytest.mark.parametrize(
    ("target", "written_for"), [*((target, "") for target in TARGETS), (TARGETS[-1], SCALING)]
)
def test_a_flushed_exponential_is_never_subnormal(target: str, written_for: str) -> None:
    """An Intel core takes long to make such numbers."""
    x = np.linspace(-104, -80, COUNT, dtype=np.float32)
    y = np.empty(COUNT, np.float32)
    compile_kernel(kernel("exp_flushed", 16), target, written_for)(x, y)
    assert ((y == 0) | (y >= np.finfo(np.float32).tiny)).all()
    assert (y == 0).any()
    assert (y > 0).any()


@pytest.mark.parametrize("target", TARGETS)
def test_powers_of_float32_are_rounded_once_and_end_as_ieee_says(target: str) -> None:
    rng = np.random.default_rng(7)
    ends = np.array(
        [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2, -2, 3, -3, 0.5, -0.5, 1e-45, 3e38, 1e-3], np.float32
    )
    pairs = np.stack(np.meshgrid(ends, ends)).reshape(2, -1)
    x = np.ldexp(rng.uniform(1, 2, COUNT), rng.integers(-140, 128, COUNT)).astype(np.float32)
    y = (rng.uniform(-150, 150, COUNT) / np.maximum(np.abs(np.log2(x)), 1)).astype(np.float32)
    x[: COUNT // 2], y[: COUNT // 2] = rng.uniform(0.5, 2, COUNT // 2), rng.uniform(-100, 100, COUNT // 2)
    x[: pairs.shape[1]], y[: pairs.shape[1]] = pairs
    a, b, z = (buffer(name, F, (COUNT,)) for name in "abz")
    at = J * 16 + V
    lanes = For(V, index(16), (store(z, (at,), call("pow", load(a, at), load(b, at))),), LoopKind.VECTOR)
    got = np.empty(COUNT, np.float32)
    compile_kernel(Kernel("powers", (a, b), (z,), (For(J, index(COUNT // 16), (lanes,)),)), target)(x, y, got)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
        rounded = exact.astype(np.float32)
    special = ~np.isfinite(rounded) | (rounded == 0)
    np.testing.assert_array_equal(got[special], rounded[special])
    np.testing.assert_array_equal(
        np.signbit(got[special & (rounded == 0)]), np.signbit(rounded[special & (rounded == 0)])
    )
    ulps = np.abs(got[~special] - exact[~special]) / np.spacing(np.abs(rounded[~special]))
    assert ulps.max() <= 0.55, (x[~special][ulps.argmax()], y[~special][ulps.argmax()], ulps.max())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name", sorted(name for name, written in WRITTEN.items() if not written.body and name != "pow")
)
def test_float64_functions_in_vectors_are_those_of_code_without_a_c_library(name: str, target: str) -> None:
    wide = DType.FLOAT64
    a, b = buffer("a", wide, (COUNT,)), buffer("b", wide, (COUNT,))
    at = J * 32 + V
    lanes = For(V, index(32), (store(b, (at,), call(name, load(a, at))),), LoopKind.VECTOR)
    with np.errstate(invalid="ignore"):  # some NaNs signal
        x = np.concatenate([sweep(part)[: COUNT // 4] for part in range(4)]).astype(np.float64)
    got, alone = np.empty(COUNT), np.empty(COUNT)
    compile_kernel(Kernel(name, (a,), (b,), (For(J, index(COUNT // 32), (lanes,)),)), target)(x, got)
    single = For(J, index(COUNT), (store(b, (J,), call(name, load(a, J))),))
    compile_kernel(Kernel(name, (a,), (b,), (single,)), target)(x, alone)
    np.testing.assert_array_equal(got, alone)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, EXACT[name](x), rtol=1e-15, atol=5e-324)


@pytest.mark.parametrize("target", [*TARGETS, *SHORTER])
@pytest.mark.parametrize(("name", "most"), [("sin", 1), ("cos", 1), ("tan", 4)])
def test_float64_angles_near_and_far_are_right_to_an_ulp_or_some(name: str, most: int, target: str) -> None:
    rng, count = np.random.default_rng(9), 1 << 12
    x = np.ldexp(rng.uniform(1, 2, count), rng.integers(-300, 30, count)) * rng.choice([-1, 1], count)
    x[:512] = np.arange(-256, 256) * (math.pi / 2)
    x[512:1024] = np.ldexp(rng.uniform(1, 2, 512), rng.integers(30, 1000, 512))
    x[1024:1040] = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        5e-324,
        -1e-310,
        2.0**30,
        -(2.0**30),
        2.0**31,
        1e300,
        -1e300,
        1,
        -1,
        2,
        3,
    ]
    a, b = buffer("a", DType.FLOAT64, (count,)), buffer("b", DType.FLOAT64, (count,))
    at = J * 16 + V
    lanes = For(V, index(16), (store(b, (at,), call(name, load(a, at))),), LoopKind.VECTOR)
    got, alone = np.empty(count), np.empty(count)
    compile_kernel(Kernel(name, (a,), (b,), (For(J, index(count // 16), (lanes,)),)), target)(x, got)
    single = For(J, index(count), (store(b, (J,), call(name, load(a, J))),))
    compile_kernel(Kernel(name, (a,), (b,), (single,)), target)(x, alone)
    np.testing.assert_array_equal(got, alone)
    with np.errstate(invalid="ignore"):
        exact = EXACT[name](x)
    real = np.isfinite(exact)
    np.testing.assert_array_equal(np.isnan(got), ~real)
    np.testing.assert_array_equal(np.signbit(got[real]), np.signbit(exact[real]))
    assert (np.abs(got[real] - exact[real]) <= most * np.spacing(np.abs(exact[real]))).all()


@pytest.mark.parametrize("target", [*TARGETS, *SHORTER])
@pytest.mark.parametrize("dtype", [F, DType.FLOAT64])
def test_remainders_in_vectors_are_those_of_c(dtype: DType, target: str) -> None:
    rng, kind = np.random.default_rng(8), dtype.numpy
    ends = np.array(
        [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3, -3, 0.5, 1e-45, 3e38, 2.0**-126, 2.0**24 - 1, -8388609],
        kind,
    )
    pairs = np.stack(np.meshgrid(ends, ends)).reshape(2, -1)
    x, y = (np.ldexp(rng.uniform(-2, 2, COUNT), rng.integers(-40, 40, COUNT)).astype(kind) for _ in "xy")
    half, most = (
        COUNT // 2,
        COUNT // 4,
    )  # just below and at multiples, of up to as many bits as quotients may have
    x[most:half] = (y[most:half] * rng.integers(1, 2**23, half - most)).astype(kind)
    x[most : most + 1000] = np.nextafter(x[most : most + 1000], kind.type(0))
    x[: pairs.shape[1]], y[: pairs.shape[1]] = pairs
    a, b, z = (buffer(name, dtype, (COUNT,)) for name in "abz")
    at = J * 16 + V
    lanes = For(V, index(16), (store(z, (at,), load(a, at) % load(b, at)),), LoopKind.VECTOR)
    got = np.empty(COUNT, kind)
    compile_kernel(Kernel("rest", (a, b), (z,), (For(J, index(COUNT // 16), (lanes,)),)), target)(x, y, got)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    np.testing.assert_array_equal(got, expected)
    real = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[real]), np.signbit(expected[real]))


@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "tan", "asin", "atan", "sinh", "asinh", "atanh"])
def test_odd_functions_keep_the_sign_of_zero(name: str) -> None:
    x, y = np.full(COUNT, -0.0, np.float32), np.zeros(COUNT, np.float32)
    compile_kernel(kernel(name, 8))(x, y)
    assert np.signbit(y).all() and not y.any()
