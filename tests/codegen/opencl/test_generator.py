"""The code generator opencl and its loader: sources, launches, sessions, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import ingot.runtime.devices.opencl as runtime
from ingot.artifact.artifact import Artifact
from ingot.artifact.module import LoadContext
from ingot.base.errors import ArtifactError, DeviceError, IngotError, LoadError, TargetError, UnsupportedError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.c.kernel import flatten
from ingot.codegen.launch import parts
from ingot.codegen.opencl.generator import CODEGEN
from ingot.codegen.opencl.source import PARAMS_MAX, listed, printed
from ingot.codegen.record import BuildContext
from ingot.loops.nodes import (
    Alloc,
    Expr,
    For,
    Kernel,
    Let,
    LoopKind,
    Var,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.runtime.devices.opencl_launches import read_launches
from tests.codegen.c.test_statements import matmul_tile, numbers
from tests.codegen.units import expected, small_unit
from tests.support import kernel_opencl as device
from tests.support.kernel_opencl import TARGET, agrees_with_interpreter, kernel_unit, needs_opencl, on_device
from tests.support.machines import GPU_SHAPE

F32, I32 = DType.FLOAT32, DType.INT32
I, J = Var("i"), Var("j")  # noqa: E741
X = np.array([1.0, -20.0, 3.0, 0.5], np.float32)
CONTEXT = LoadContext(TARGET.key, ())


def small(symbol: str = "small"):
    return on_device(small_unit(symbol).program, symbol)


def made(unit) -> tuple[Artifact, ...]:
    return CODEGEN.generate(unit, TARGET, BuildContext()).artifacts


def normalized(rows: int = 5, columns: int = 7) -> Kernel:
    """Three launches: sums of rows by work items, their total by one, and each element divided by it."""
    x, y = buffer("x", F32, (rows, columns)), buffer("y", F32, (rows, columns))
    sums, total = buffer("sums", F32, (rows,)), buffer("total", F32, (1,))
    per_row = For(
        I,
        index(rows),
        (store(sums, (I,), 0.0), For(J, index(columns), (store(sums, (I,), load(sums, I) + load(x, I, J)),))),
        LoopKind.PARALLEL,
    )
    add = For(I, index(rows), (store(total, (0,), load(total, 0) + load(sums, I)),))
    divide = For(
        I,
        index(rows),
        (For(J, index(columns), (store(y, (I, J), load(x, I, J) / load(total, 0)),)),),
        LoopKind.PARALLEL,
    )
    return Kernel(
        "normalized", (x,), (y,), (per_row, store(total, (0,), 0.0), add, divide), workspaces=(sums, total)
    )


# ─── sources ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_source_and_its_launches_are_as_they_were(golden: Callable[[str, str], None]) -> None:
    unit = kernel_unit(normalized(), "normalized")
    golden("opencl/normalized.cl", printed(unit, GPU_SHAPE).text)
    golden("opencl/normalized.launch.json", listed(unit, printed(unit, GPU_SHAPE)))


def test_a_unit_is_a_source_and_a_list_of_launches_always_the_same() -> None:
    artifacts = made(small())
    assert [one.labels for one in artifacts] == [
        ("accel", "opencl", "small.cl", "opencl"),
        ("accel", "opencl", "small.launch.json", "opencl"),
    ]
    assert artifacts == made(small())


def test_each_parallel_loop_is_a_launch_and_so_are_the_statements_between() -> None:
    launches = [
        launch for (call,) in [read_launches(made(kernel_unit(normalized()))[1]).calls] for launch in call
    ]
    assert [(launch.groups, launch.items) for launch in launches] == [((1,), 5), ((1,), 1), ((1,), 35)]
    assert len({launch.kernel for launch in launches}) == 3


def test_statements_that_share_a_local_stay_in_one_work_item() -> None:
    x, y, acc = buffer("x", F32, (4,)), buffer("y", F32, (4,)), buffer("acc", F32, ())
    grid = For(I, index(4), (store(y, (I,), load(x, I)),), LoopKind.PARALLEL)
    last = store(y, (0,), load(acc))
    body = (Alloc(acc), store(acc, (), 3.0), grid, last, For(J, index(4), grid.body, LoopKind.PARALLEL))
    assert [len(part) for part in parts(flatten(body, {}))] == [4, 1]
    kernel = Kernel(
        "shared",
        (x,),
        (y,),
        (*body[:2], For(J, index(4), (store(y, (J,), load(x, J)),), LoopKind.PARALLEL), last),
    )
    text = printed(kernel_unit(kernel), GPU_SHAPE).text
    assert text.count("__kernel") == 1
    number = Let(Var("n", I32), load(buffer("k", I32, (1,)), 0))
    assert len(parts(flatten((number, grid), {}))) == 2


def test_only_kernels_that_compute_doubles_need_the_extension() -> None:
    for dtype, needed in ((F32, ()), (DType.FLOAT16, ()), (DType.FLOAT64, ("cl_khr_fp64",))):
        x, y = buffer("x", dtype, (3,)), buffer("y", dtype, (3,))
        kernel = Kernel("k", (x,), (y,), (For(I, index(3), (store(y, (I,), load(x, I) + load(x, I)),)),))
        unit = kernel_unit(kernel)
        assert printed(unit, GPU_SHAPE).extensions == needed
        assert ("pragma OPENCL EXTENSION cl_khr_fp64" in printed(unit, GPU_SHAPE).text) == bool(needed)
        assert read_launches(made(unit)[1]).extensions == needed


def test_operands_that_share_memory_are_not_called_restrict() -> None:
    kernel = next(call.kernel for call in small().program.kernel_calls if call.kernel.in_place)
    assert "restrict" not in printed(kernel_unit(kernel), GPU_SHAPE).text
    assert "restrict" in printed(kernel_unit(normalized()), GPU_SHAPE).text


def test_more_operands_than_opencl_promises_to_take_are_refused() -> None:
    inputs = tuple(buffer(f"x{number}", F32, (1,)) for number in range(PARAMS_MAX))
    y = buffer("y", F32, (1,))
    total: Expr = load(inputs[0], 0)
    for one in inputs[1:]:
        total = total + load(one, 0)
    with pytest.raises(UnsupportedError, match=f"has {PARAMS_MAX + 1} operands"):
        printed(kernel_unit(Kernel("many", inputs, (y,), (store(y, (0,), total),))), GPU_SHAPE)


@pytest.mark.parametrize(
    "text", ["opencl --fast=1", "opencl -mcpu=native", "opencl -mattr=+avx2", "opencl -mtriple=spir64"]
)
def test_a_flag_is_refused(text: str) -> None:
    with pytest.raises(TargetError, match="code generator opencl has no flags"):
        CODEGEN.resolve(Target.parse(text))


def test_a_source_is_made_for_gpus_unless_told_otherwise() -> None:
    gpu, also, cpu = (
        CODEGEN.resolve(Target.parse(f"opencl{flag}")) for flag in ("", " --device=gpu", " --device=cpu")
    )
    assert CODEGEN.machine(gpu) == CODEGEN.machine(also) != CODEGEN.machine(cpu)
    assert CODEGEN.machine(gpu).grid and CODEGEN.machine(cpu).vector_bytes
    with pytest.raises(TargetError, match="--device=fpga, expected gpu or cpu"):
        CODEGEN.resolve(Target.parse("opencl --device=fpga"))


@pytest.mark.parametrize(("rows", "launched"), [(40, (40, 1)), (5000, (313, 16))])
def test_for_a_cpu_a_group_is_an_iteration_or_a_few_small_ones(rows: int, launched: tuple[int, int]) -> None:
    unit = kernel_unit(normalized(rows))
    artifacts = CODEGEN.generate(
        unit, Target.parse("opencl --device=cpu", key="accel"), BuildContext()
    ).artifacts
    ((first, _, last),) = read_launches(artifacts[1]).calls
    assert (first.groups[0], first.items) == (last.groups[0], last.items) == launched


# ─── lists of launches ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_list_of_launches_is_read_strictly() -> None:
    good = made(small())[1]
    data = json.loads(bytes(good.content))
    operand = data["calls"][0]["launches"][0]["args"][0]
    assert read_launches(good).symbol == "small"

    def refused(change: Callable[[], object], back: Callable[[], object], match: str) -> None:
        change()
        with pytest.raises(ArtifactError, match=match):
            read_launches(replace(good, content=json.dumps(data).encode()))
        back()

    refused(
        lambda: data.update(version=3),
        lambda: data.update(version=2),
        "version 3, expected 1 or 2; update ingot",
    )
    refused(lambda: data.update(more=1), lambda: data.pop("more"), "exactly the keys")
    refused(
        lambda: data.update(arena_bytes=1.0),
        lambda: data.update(arena_bytes=10**6),
        "arena_bytes must be a whole number",
    )
    for key, wrong, right, match in (
        ("region", "heap", "arena", "region must be one of"),
        ("offset", -1, 0, "at least 0"),
        ("offset", 10**9, 0, "ends at byte"),
        ("size", True, 4, "whole number"),
        ("element_bytes", 0, 4, "at least 1"),
    ):
        refused(
            lambda key=key, wrong=wrong: operand.update({key: wrong}),
            lambda key=key, right=right: operand.update({key: right}),
            match,
        )
    launch = data["calls"][0]["launches"][0]
    refused(
        lambda: launch.update(items=0),
        lambda: launch.update(items=4),
        "items must be a whole number, at least 1",
    )
    wrong_groups = [
        ([], "must have 1 to 3"),
        ([1] * 4, "must have 1 to 3"),
        ([0], "at least 1"),
        (1, "must be an array"),
    ]
    wrong_groups += [
        ([2**62], "work items"),
        ([2**32, 2**32], "work items"),
    ]  # drivers' own products would wrap around
    for groups, match in wrong_groups:
        refused(lambda groups=groups: launch.update(groups=groups), lambda: launch.update(groups=[1]), match)
    refused(
        lambda: launch.update(work_items=4),
        lambda: launch.pop("work_items"),
        "exactly the keys kernel, groups, items, args",
    )
    for content in (b"", b"[]", b'{"version": 1, "version": 1}', b"\xff", b"[" * 100_000):
        with pytest.raises(ArtifactError, match="holds no list of launches"):
            read_launches(replace(good, content=content))


VERSION_1 = """{"version": 1, "symbol": "old", "extensions": [], "params_bytes": 0, "arena_bytes": 128, "calls": [{"nodes": ["n"],
"launches": [{"kernel": "twice", "work_items": 20, "args": [
 {"region": "arena", "element_bytes": 4, "offset": 0, "size": 20}]}]}]}"""
SOURCE_1 = """__kernel void twice(__global float *x, const ulong x_at)
{
    x += x_at;
    const int i = (int)get_global_id(0);
    if (i >= 20) {
        return;
    }
    x[i] = x[i] + x[i];
}
"""


def test_a_list_of_version_1_leaves_the_size_of_groups_open() -> None:
    ((launch,),) = read_launches(
        Artifact("opencl", "opencl", "old.launch.json", VERSION_1.encode(), "accel")
    ).calls
    assert (launch.groups, launch.items) == ((20,), 0)


@pytest.mark.opencl
@needs_opencl
def test_a_part_of_version_1_still_runs() -> None:
    files = {"old.cl": SOURCE_1, "old.launch.json": VERSION_1}
    artifacts = tuple(
        Artifact("opencl", "opencl", name, text.encode(), "accel") for name, text in files.items()
    )
    module = runtime.LOADER.load(artifacts, CONTEXT)
    function = module.get_function("ingot_old_open")
    assert function is not None
    session = function(0, memoryview(b""), 128)
    x = np.arange(20, dtype=np.float32)
    session.write(0, x.ctypes.data, x.nbytes)
    assert session.call(0) == 0
    session.read(0, x.ctypes.data, x.nbytes)
    np.testing.assert_array_equal(x, np.arange(20, dtype=np.float32) * 2)
    session.close()


@pytest.mark.opencl
@needs_opencl
def test_a_list_with_other_arguments_than_the_kernel_takes_is_refused() -> None:
    source, launches = made(small())
    data = json.loads(launches.content)
    del data["calls"][0]["launches"][0]["args"][-1]
    module = runtime.LOADER.load((source, replace(launches, content=json.dumps(data).encode())), CONTEXT)
    function = module.get_function("ingot_small_open")
    assert function is not None
    with pytest.raises(ArtifactError, match=r"takes \d arguments, its list of launches has \d for it"):
        function(0, memoryview(bytes(data["params_bytes"])), data["arena_bytes"])


def test_the_name_of_a_kernel_is_no_long_text() -> None:
    source, launches = made(small())
    for name in ("a" * 5000, "a\nb"):
        data = json.loads(launches.content)
        data["calls"][0]["launches"][0]["kernel"] = name
        with pytest.raises(ArtifactError, match=r"\.kernel must be a name of at most 1000 letters, digits, "):
            runtime.LOADER.load((source, replace(launches, content=json.dumps(data).encode())), CONTEXT)


def test_a_source_without_launches_is_refused() -> None:
    source, launches = made(small())
    other = replace(source, file_name="a.txt")
    for alone, match in ((source, "small.launch.json"), (launches, "small.cl"), (other, "a file .cl")):
        with pytest.raises(ArtifactError, match=match):
            runtime.LOADER.load((alone,), CONTEXT)


def test_without_pyopencl_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "cl", None)
    with pytest.raises(LoadError, match=r"pip install 'ingot-compiler\[opencl\]'"):
        runtime.LOADER.load(made(small()), CONTEXT)


# ─── on a device ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.opencl
@needs_opencl
@pytest.mark.parametrize("rows", [300, 5001])
def test_later_launches_see_what_earlier_ones_wrote_in_groups_of_any_size(rows: int) -> None:
    agrees_with_interpreter(normalized(rows), np.abs(numbers(rows, 7)) + 0.5, rtol=1e-5)


@pytest.mark.opencl
@needs_opencl
def test_a_tiled_matrix_product_is_right() -> None:
    agrees_with_interpreter(
        matmul_tile(8, 16, 12, 4, 8), numbers(8, 12), numbers(12, 16, seed=1), rtol=1e-5, atol=1e-6
    )


@pytest.mark.opencl
@needs_opencl
def test_names_may_be_words_of_opencl() -> None:
    words = ("global", "half", "float4", "kernel", "exp", "int", "as_float", "uchar")
    inputs = tuple(buffer(name, F32, (4,)) for name in words)
    y = buffer("local", F32, (4,))
    var = Var("get_global_id")
    total: Expr = load(inputs[0], var)
    for one in inputs[1:]:
        total = total + load(one, var)
    kernel = Kernel(
        "__kernel", inputs, (y,), (For(var, index(4), (store(y, (var,), total),), LoopKind.PARALLEL),)
    )
    agrees_with_interpreter(kernel, *(numbers(4, seed=seed) for seed in range(len(words))))


@pytest.mark.opencl
@needs_opencl
def test_untaken_branches_read_nothing_outside() -> None:
    x, y = buffer("x", F32, (6,)), buffer("y", F32, (6,))
    far = load(x, I * 100000000 - 300000000)
    left = select(compare("eq", I, 3), far * far, 0.0)
    right = select(compare("eq", load(x, I), 0.0), far + 1.0, 2.0)
    kernel = Kernel(
        "lazy", (x,), (y,), (For(I, index(6), (store(y, (I,), left + right),), LoopKind.PARALLEL),)
    )
    agrees_with_interpreter(kernel, np.array([5, 4, 3, 0, 1, 2], np.float32))


@pytest.mark.opencl
@needs_opencl
def test_a_session_makes_calls_on_constants_and_views() -> None:
    unit = small()
    module = device.load(unit)
    assert (
        module.type_key == "opencl"
        and module.imported_modules == ()
        and module.get_function("ingot_other_open") is None
    )
    session = device.open_session(module, unit)
    device.write(session, unit, {"x": X})
    assert [session.call(number) for number in (0, 1, 2)] == [0, 0, 0]
    np.testing.assert_array_equal(device.read(session, unit, "y"), expected(unit, X))
    assert session.call(3) < 0 and session.call(-1) < 0
    session.close()
    session.close()


@pytest.mark.opencl
@needs_opencl
def test_sessions_have_their_own_arena_and_share_code_and_constants() -> None:
    units = [small("left"), small("right")]
    module = device.load(*units)
    sessions = [device.open_session(module, unit) for unit in (*units, units[0])]
    for factor, (session, unit) in enumerate(zip(sessions, (*units, units[0]), strict=True)):
        device.write(session, unit, {"x": X * factor})
    for number in range(3):
        assert all(session.call(number) == 0 for session in sessions)
    for factor, (session, unit) in enumerate(zip(sessions, (*units, units[0]), strict=True)):
        np.testing.assert_array_equal(device.read(session, unit, "y"), expected(unit, X * factor))
    assert len(module._units) == 2
    for session in sessions:
        session.close()


@pytest.mark.opencl
@needs_opencl
def test_a_missing_device_is_named_with_those_that_are_there() -> None:
    unit = small()
    function = device.load(unit).get_function("ingot_small_open")
    assert function is not None
    with pytest.raises(DeviceError, match=r"no device opencl\(99\); there are opencl\(0\) ") as raised:
        function(99, memoryview(device.params_of(unit)), unit.memory.arena_bytes)
    assert "opencl(0)" in raised.value.facts["available"]


def _open(unit, change: Callable[[Artifact], Artifact], params: bytes | None = None) -> None:
    module = runtime.LOADER.load(tuple(map(change, made(unit))), CONTEXT)
    function = module.get_function(f"ingot_{unit.symbol}_open")
    assert function is not None
    function(0, memoryview(device.params_of(unit) if params is None else params), unit.memory.arena_bytes)


def _with(suffix: str, old: bytes, new: bytes) -> Callable[[Artifact], Artifact]:
    return lambda one: (
        replace(one, content=bytes(one.content).replace(old, new)) if one.file_name.endswith(suffix) else one
    )


@pytest.mark.opencl
@needs_opencl
@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        (
            _with(".cl", b"+=", b"+ no_such_name"),
            DeviceError,
            "compiling 'small' on .* failed: .*no_such_name",
        ),
        (_with(".cl", b"void small_add(", b"void other("), DeviceError, "preparing the kernel 'small_add'"),
        (_with(".json", b'"extensions": []', b'"extensions": ["cl_no"]'), DeviceError, "needs cl_no, which"),
    ],
    ids=["source", "name", "extension"],
)
def test_code_that_a_device_cannot_take_is_refused_in_one_sentence(
    change: Callable[[Artifact], Artifact], error: type[IngotError], match: str
) -> None:
    with pytest.raises(error, match=match) as raised:
        _open(small(), change)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 1200


@pytest.mark.opencl
@needs_opencl
def test_constants_that_are_too_short_are_refused() -> None:
    with pytest.raises(ArtifactError, match="have 3 bytes"):
        _open(small(), lambda one: one, params=b"abc")
