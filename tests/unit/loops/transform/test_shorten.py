"""Loops that end where only places would be computed that are not there: the same results in those that are, for less work."""

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.base.tensor import DType, TensorType
from ingot.codegen.llvm.build.targets import chip, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.kernels.template import Pointwise, index_vars
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.interpret import run
from ingot.loops.nodes import (
    Alloc,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Var,
    buffer,
    compare,
    index,
    load,
    maximum,
    select,
    store,
)
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.transform.shorten import needs_whole, shortened
from ingot.loops.verify import verify
from ingot.plan.fuse.attention import join_attention
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import Step
from ingot.plan.schedule.schedule import schedule
from tests.support import kernel_c, kernel_llvm, machines
from tests.support.drafts import draft_of, planned

F32, I64 = DType.FLOAT32, DType.INT64
ROOM = 37  # places along the axis: a number that nothing else has
SIZES = buffer("sizes", I64, (2,))
COUNT = Count(1)  # of the second of two dims
I, J, K = Var("i"), Var("j"), Var("k")  # noqa: E741
X, Y = buffer("x", F32, (ROOM, 8)), buffer("y", F32, (ROOM, 8))


def weights(name, *shape):
    """Random numbers, as ONNX text declares them."""
    numbers = np.random.default_rng(1).standard_normal(int(np.prod(shape)))
    return (
        f"float[{','.join(map(str, shape))}] {name} = {{{', '.join(f'{number:.4f}' for number in numbers)}}}"
    )


MODELS = {
    "matmul": f"(float[1,{ROOM},9] x) => (float[1,{ROOM},10] y) <{weights('w', 9, 10)}> {{ y = MatMul(x, w) }}",
    "matmul of two inputs": f"(float[1,{ROOM},9] x, float[1,9,10] w) => (float[1,{ROOM},10] y) {{ y = MatMul(x, w) }}",
    "layer norm": f"""(float[1,{ROOM},9] x) => (float[1,{ROOM},9] y) <{weights("w", 9)}> {{
        y = LayerNormalization(x, w) }}""",
    "softmax": f"(float[1,{ROOM},9] x) => (float[1,{ROOM},9] y) {{ y = Softmax(x) }}",
    "softmax of heads": f"(float[1,2,{ROOM},{ROOM}] x) => (float[1,2,{ROOM},{ROOM}] y) {{ y = Softmax(x) }}",
    "pointwise": f"""(float[{ROOM},9] x, float[9] b) => (float[{ROOM},9] y) {{ s = Add(x, b) t = Sin(s) y = Mul(t, s) }}""",
    "conv": f"(float[1,3,{ROOM}] x) => (float[1,4,{ROOM}] y) <{weights('w', 4, 3, 3)}> {{ y = Conv <pads=[1,1]> (x, w) }}",
    "transpose": f"(float[{ROOM},4,8] x) => (float[8,4,{ROOM}] y) {{ y = Transpose(x) }}",
    "mean of rows": f"(float[1,{ROOM},9] x) => (float[1,{ROOM}] y) {{ y = ReduceMean <axes=[2], keepdims=0> (x) }}",
    "largest": f"""(float[1,{ROOM},9] x) => (float[1,{ROOM},2] v, int64[1,{ROOM},2] i) <int64[1] k = {{2}}> {{
        v, i = TopK(x, k) }}""",
}
MACHINES = {"avx2": machines.AVX2, "scalar": machines.SCALARS}


def limits_of(kernel, **changes):
    """What is there of the parameters that have an axis of ROOM places, alone or with others in one."""
    limits = {}
    for param in kernel.params:
        for axis, extent in enumerate(param.shape):
            if extent % ROOM == 0 and extent:
                limit = Limit(axis, COUNT, each=extent // ROOM, **changes)
                limits[param.name] = (*limits.get(param.name, ()), limit)
    return limits


def kernels_of(name, machine):
    """The kernels of a model."""
    program, _ = planned(draft_of("g " + MODELS[name]), machine)
    return program.kernels


def arrays_of(kernel, size):
    arrays = {param.name: kernel_llvm.random_array(param, at) for at, param in enumerate(kernel.params)}
    return {**arrays, SIZES.name: np.array([-1, size])}


def there(arrays, kernel, limits, size):
    """The outputs, as far as they are there."""
    for output in kernel.outputs:
        steps = tuple(stride * arrays[output.name].itemsize for stride in output.strides)
        view = np.lib.stride_tricks.as_strided(arrays[output.name], output.shape, steps)
        for limit in limits.get(output.name, ()):
            view = view.take(
                range(min(limit.count.at(size) * limit.each, output.shape[limit.axis])), limit.axis
            )
        yield view


def iterations(kernel, arrays):
    """How many iterations all loops of a kernel have together."""
    counter = buffer("counted_iterations", I64, (1,))
    once = store(counter, (0,), load(counter, 0) + 1)

    def block(stmts):
        return tuple(counted(stmt) for stmt in stmts)

    def counted(stmt):
        if isinstance(stmt, For) and stmt.kind is not LoopKind.VECTOR:
            return replace(stmt, body=(once, *block(stmt.body)))
        if isinstance(stmt, If):
            return If(stmt.condition, block(stmt.then), block(stmt.otherwise))
        return stmt

    arrays = {**{name: array.copy() for name, array in arrays.items()}, counter.name: np.zeros(1, np.int64)}
    run(replace(kernel, outputs=(*kernel.outputs, counter), body=block(kernel.body)), arrays)
    return int(arrays[counter.name][0])


def assert_same_where_there(kernel, short, limits, size, execute=run):
    """A kernel and its shorter form write the same to places that are there."""
    expected, got = arrays_of(kernel, size), arrays_of(kernel, size)
    run(kernel, expected)
    execute(short, got)
    results = there(expected, kernel, limits, size), there(got, kernel, limits, size)
    for full, other in zip(*results, strict=True):
        np.testing.assert_array_equal(full, other)


@pytest.mark.parametrize("machine", list(MACHINES))
@pytest.mark.parametrize("name", list(MODELS))
def test_places_that_are_there_are_the_same_for_less_work(name, machine):
    for kernel in kernels_of(name, MACHINES[machine]):
        limits = limits_of(kernel)
        short = shortened(kernel, limits, SIZES)
        assert short is not kernel and short.inputs == (*kernel.inputs, SIZES)
        verify(short)
        for size in (0, 1, 14, ROOM - 1, ROOM):
            assert_same_where_there(kernel, short, limits, size)
        work = [iterations(short, arrays_of(kernel, size)) for size in (1, 18, ROOM)]
        assert work == sorted(work) and work[0] < work[-1] / 2
        assert work[-1] == iterations(kernel, arrays_of(kernel, ROOM))


def in_llvm(kernel):
    compiled = kernel_llvm.compile_kernel(kernel)
    return lambda _, arrays: compiled(*(arrays[param.name] for param in kernel.params))


def in_c(kernel):
    compiled = kernel_c.compile_kernel(kernel)
    return lambda _, arrays: compiled(*(arrays[param.name] for param in kernel.params))


@pytest.mark.process
@kernel_llvm.needs_cc
@pytest.mark.parametrize("backend", [in_llvm, in_c])
@pytest.mark.parametrize("name", ["matmul", "transpose", "layer norm"])
def test_compiled_kernels_end_early_too(name, backend):
    for kernel in kernels_of(name, machines.AVX2):
        limits = limits_of(kernel)
        short = shortened(kernel, limits, SIZES)
        execute = backend(short)
        for size in (0, 1, 20, ROOM):
            assert_same_where_there(kernel, short, limits, size, execute)


def kernel_of(text, again=1):
    """A kernel of which `x` and `y` have ROOM places in each row, and which does its work again and again."""
    return from_text(text.replace("ROOM", str(ROOM)).replace("AGAIN", str(again)))


RANGES = """kernel ranges {
  in x: f32[1, ROOM]{ROOM, 1}
  out y: f32[1, ROOM]{ROOM, 1}
  work kept: f32[4, 8]{8, 1}
  parallel place, place_end < 4 by 1 {
    for number < (((place_end * 7) / 4) - ((place * 7) / 4)) {
      for again < AGAIN {
        for row < 6 {
          store kept[place, row] = (x[0, (row + min(((number * 6) + (((place * 7) / 4) * 6)), 31))] * 2.0:f32)
        }
      }
      for row < 6 {
        store y[0, (row + min(((number * 6) + (((place * 7) / 4) * 6)), 31))] = kept[place, row]
      }
    }
  }
}
"""


def test_a_loop_by_ranges_has_fewer_ranges():
    kernel = kernel_of(RANGES)
    short = shortened(kernel, limits_of(kernel), SIZES)
    assert short.body[0].extent is not kernel.body[0].extent
    verify(short)
    for size in range(ROOM + 1):
        assert_same_where_there(kernel, short, limits_of(kernel), size)
    assert iterations(short, arrays_of(kernel, 0)) == 0
    # 1 range, 1 block, done once, and 6 rows of each of two loops
    assert iterations(short, arrays_of(kernel, 6)) == 1 + 1 + 1 + 6 + 6


@pytest.mark.process
@kernel_llvm.needs_cc
@pytest.mark.parametrize("backend", [in_llvm, in_c])
@pytest.mark.parametrize("again", [1, 2000])
def test_a_loop_by_ranges_is_cut_into_as_many_as_it_has(again, backend):
    kernel = kernel_of(RANGES, again)
    short = shortened(kernel, limits_of(kernel), SIZES)
    if backend is in_llvm:
        text = emit_kernel(short, "kernel", chip(resolve(Target.parse("llvm -mcpu=native"))))
        assert ("ingot_pool_for" in text) is (again > 1)  # else it is not worth it
    execute = backend(short)
    for size in (0, 1, 7, 30, 31, 32, ROOM):
        assert_same_where_there(kernel, short, limits_of(kernel), size, execute)


def test_the_text_of_a_shorter_kernel_is_read_back():
    kernel = kernel_of(RANGES)
    text = to_text(shortened(kernel, limits_of(kernel), SIZES))
    assert to_text(from_text(text)) == text


def short_of(*body, limits=None, outputs=(Y,), workspaces=()):
    kernel = Kernel("k", (X,), outputs, body, workspaces)
    return kernel, shortened(kernel, limits_of(kernel) if limits is None else limits, SIZES)


def loop(var, extent, *body, kind=LoopKind.SERIAL):
    return For(var, index(extent), body, kind)


ROW = loop(J, 8, store(Y, (I, J), load(X, I, J) * 2.0))


def test_a_loop_for_the_last_rows_does_not_run_before_they_are_there():
    last = loop(K, 1, loop(J, 8, store(Y, (ROOM - 1, J), load(X, ROOM - 1, J))))
    kernel, short = short_of(loop(I, ROOM - 1, ROW), last)
    counts = [iterations(short, arrays_of(kernel, size)) for size in (0, 3, ROOM - 1, ROOM)]
    assert counts == [0, 27, (ROOM - 1) * 9, (ROOM - 1) * 9 + 9]


def test_what_must_be_neutral_is_written_up_to_a_multiple():
    kernel = Kernel("k", (), (buffer("long", F32, (3 * ROOM * 8,)),), ())
    (long,) = kernel.outputs
    kernel = replace(kernel, body=(loop(I, 3 * ROOM, loop(J, 8, store(long, (I * 8 + J,), 1.0))),))
    for limit, written in (
        (Limit(0, COUNT, 8), 10),
        (Limit(0, COUNT, 8, fill=0.0), 64),
        (Limit(0, COUNT, 8, fill=0.0, whole=True), 3 * ROOM),
        (Limit(0, COUNT, 4, rounds=2), 3 * ROOM),
    ):
        short = shortened(kernel, {"long": (limit,)}, SIZES)
        assert iterations(short, arrays_of(kernel, 10)) == written * 9


UNTOUCHED = {
    "it writes a place for all others": (loop(I, ROOM, ROW, store(Y, (0, 0), 1.0)),),
    "it ends with the first place": (
        loop(I, ROOM, loop(J, 8, store(Y, (index(ROOM - 1) - I, J), load(X, index(ROOM - 1) - I, J)))),
    ),
    "places go round in another order": (loop(I, 2 * ROOM, store(Y, (I * 3 % ROOM, 0), 1.0)),),
    "a place was looked up": (loop(I, ROOM, Let(K, load(SIZES, 0)), store(Y, (K, 0), 1.0)),),
    "vectors have a constant length": (loop(I, ROOM, store(Y, (I, 0), 1.0), kind=LoopKind.VECTOR),),
    "so has straight code": (loop(I, ROOM, store(Y, (I, 0), 1.0), kind=LoopKind.UNROLLED),),
    "the result is read afterwards": (
        loop(I, ROOM, ROW),
        loop(I, ROOM, store(Y, (0, 0), load(Y, I, 0) + load(Y, 0, 0))),
    ),
}


@pytest.mark.parametrize("why", list(UNTOUCHED))
def test_a_loop_stays_as_it_is_where(why):
    kernel, short = short_of(*UNTOUCHED[why])
    assert short is kernel


def test_a_kernel_without_limits_is_the_same_object():
    kernel, short = short_of(loop(I, ROOM, ROW), limits={})
    assert short is kernel


def test_a_loop_over_registers_stays_constant():
    few = buffer("few", F32, (4,))
    kernel, short = short_of(
        loop(
            I,
            9,
            Alloc(few),
            *(store(few, (k,), 1.0) for k in range(4)),
            loop(J, 4, store(Y, (I * 4 + J, 0), load(few, J))),
        )
    )
    outer = short.body[0]
    assert outer is not kernel.body[0] and outer.body[-1] is kernel.body[0].body[-1]


KEPT = buffer("kept", F32, (ROOM, 8))
FILL = loop(J, 8, store(KEPT, (0, J), load(X, I, J)))
USE = loop(J, 8, store(Y, (I, J), load(KEPT, 0, J)))


def test_what_an_iteration_keeps_for_itself_does_not_count():
    kernel, short = short_of(loop(I, ROOM, FILL, USE), workspaces=(KEPT,))
    assert short is not kernel and iterations(short, arrays_of(kernel, 5)) == 5 * 17


SHARED = {
    "it is read before it is written": (loop(I, ROOM, USE, FILL),),
    "more is read than was written": (loop(I, ROOM, loop(J, 7, store(KEPT, (0, J), load(X, I, J))), USE),),
    "it is read afterwards": (loop(I, ROOM, FILL, USE), loop(J, 8, store(Y, (0, J), load(KEPT, 0, J)))),
    "it is not sure to be written": (loop(I, ROOM, If(compare("gt", load(X, 0, 0), 0.0), (FILL,)), USE),),
    "how often it is written is not known": (loop(I, ROOM, For(K, I, (FILL,)), USE),),
}


@pytest.mark.parametrize("why", list(SHARED))
def test_what_iterations_share_counts(why):
    kernel, short = short_of(*SHARED[why], workspaces=(KEPT,))
    assert short is kernel or short.body[0].extent is kernel.body[0].extent


def test_two_loops_of_rows_may_keep_in_the_same_place():
    nests = (loop(I, 20, FILL, USE), loop(I, 17, FILL, loop(J, 8, store(Y, (I + 20, J), load(KEPT, 0, J)))))
    kernel, short = short_of(loop(K, 1, *nests), workspaces=(KEPT,))
    counts = [iterations(short, arrays_of(kernel, size)) for size in (1, 20, 21, ROOM)]
    assert counts == [18, 20 * 17 + 1, 21 * 17 + 1, ROOM * 17 + 1]


# ─── rounds ────────────────────────────────────────────────────────────────────────────────────────────────────────

IN_ROUNDS = {"y": (Limit(0, COUNT, each=8, rounds=3),)}


def in_blocks(kind, extent, step):
    """A kernel over three rounds of ROOM places of 8 elements, in blocks of `step` elements."""
    x, y = (buffer(name, F32, (3 * ROOM * 8,)) for name in "xy")
    at = I * step + J
    body = loop(I, extent, loop(J, step, store(y, (at,), load(x, at) * 2.0)), kind=kind)
    return Kernel("in_blocks", (x,), (y,), (body,))


@pytest.mark.parametrize("kind", [LoopKind.SERIAL, LoopKind.PARALLEL])
@pytest.mark.parametrize("step", [4, 8])
def test_of_each_round_the_first_places_are_computed(kind, step):
    kernel = in_blocks(kind, 3 * ROOM * 8 // step, step)
    short = shortened(kernel, IN_ROUNDS, SIZES)
    assert short is not kernel
    for size in range(ROOM + 1):
        expected, got = arrays_of(kernel, size), arrays_of(kernel, size)
        untouched = got["y"].reshape(3, ROOM, 8)[:, size:].copy()
        run(kernel, expected)
        run(short, got)
        values = (arrays["y"].reshape(3, ROOM, 8) for arrays in (expected, got))
        np.testing.assert_array_equal(*(value[:, :size] for value in values))
        np.testing.assert_array_equal(got["y"].reshape(3, ROOM, 8)[:, size:], untouched)


@pytest.mark.parametrize("step", [3, 37 * 8 * 2, 16])
def test_blocks_that_are_in_two_rounds_are_all_computed(step):
    kernel = in_blocks(LoopKind.PARALLEL, 3 * ROOM * 8 // step, step)
    assert shortened(kernel, IN_ROUNDS, SIZES) is kernel


@pytest.mark.process
@kernel_llvm.needs_cc
@pytest.mark.parametrize("backend", [in_llvm, in_c])
def test_rounds_are_shared_out(backend):
    (kernel,) = kernels_of("softmax of heads", machines.AVX2)
    limits = limits_of(kernel)
    short = shortened(kernel, limits, SIZES)
    execute = backend(short)
    for size in (0, 1, 9, ROOM):
        expected, got = arrays_of(kernel, size), arrays_of(kernel, size)
        run(kernel, expected)
        execute(short, got)
        results = there(expected, kernel, limits, size), there(got, kernel, limits, size)
        for full, other in zip(*results, strict=True):
            np.testing.assert_allclose(full, other, rtol=1e-5)


# ─── sums, and what is kept in memory ──────────────────────────────────────────────────────────────────────────────

LONG = 200  # several times FILL_MULTIPLE
ROWS, TOTALS = buffer("x", F32, (3, LONG)), buffer("y", F32, (3,))


def sums(step, initial, combine):
    """A kernel that combines each row of `x` in blocks."""
    total = buffer("total", F32, (1,))
    block = store(total, (0,), combine(load(total, 0), load(ROWS, I, J * step + K)))
    row = (Alloc(total), store(total, (0,), initial), loop(J, LONG // step, loop(K, step, block)))
    return Kernel("sums", (ROWS,), (TOTALS,), (loop(I, 3, *row, store(TOTALS, (I,), load(total, 0))),))


def filled(value, **changes):
    return {"x": (Limit(1, COUNT, fill=value, **changes),)}


def filled_arrays(kernel, size, value, room=LONG):
    """Inputs with a value behind the last place, and not a number behind the next multiple of 64."""
    arrays = arrays_of(kernel, size)
    rows = arrays["x"].reshape(3, room)
    rows[:, size:] = value
    rows[:, -(-size // 64) * 64 :] = np.nan
    return arrays


@pytest.mark.parametrize(
    ("initial", "combine", "neutral"),
    [
        (0.0, lambda a, b: a + b, 0.0),
        (-np.inf, maximum, -np.inf),
        (0.0, lambda a, b: Fma(b, b, a), 0.0),
        (-np.inf, lambda a, b: select(compare("ne", b, b), b, maximum(b, a)), -np.inf),  # NaNs stay
    ],
)
@pytest.mark.parametrize("step", [8, 20])
def test_a_sum_ends_with_the_places_that_are_there(initial, combine, neutral, step):
    kernel = sums(step, initial, combine)
    short = shortened(kernel, filled(neutral, whole=step == 20), SIZES)
    for size in (0, 1, 63, 64, 65, LONG):
        arrays = filled_arrays(kernel, size, neutral) if step == 8 else arrays_of(kernel, size)
        if step == 20:
            arrays["x"].reshape(3, LONG)[:, size:] = neutral
        expected = {name: array.copy() for name, array in arrays.items()}
        expected["x"] = np.where(np.isnan(expected["x"]), np.float32(neutral), expected["x"])
        run(short, arrays)
        run(kernel, expected)
        np.testing.assert_array_equal(arrays["y"], expected["y"])
        assert iterations(short, arrays) == 3 * (1 + -(-size // step) * (1 + step))


@pytest.mark.parametrize(
    ("kernel", "limits"),
    [
        (sums(20, 0.0, lambda a, b: a + b), filled(0.0)),  # 20 does not divide 64
        (sums(8, 0.0, lambda a, b: a + b), filled(1.0)),
        (sums(8, 0.0, lambda a, b: a + b), {"x": (Limit(1, COUNT),)}),
        (sums(8, 0.0, lambda a, b: b - a), filled(0.0)),
        (sums(8, 0.0, lambda a, b: a + b + 1.0), filled(0.0)),
        (sums(8, 0.0, maximum), filled(0.0)),
    ],
)
def test_a_sum_stays_as_it_is_where_what_is_behind_changes_it(kernel, limits):
    assert shortened(kernel, limits, SIZES) is kernel


def test_an_input_that_is_read_behind_the_multiple_needs_to_be_whole():
    blocks, others = sums(8, 0.0, lambda a, b: a + b), sums(20, 0.0, lambda a, b: a + b)
    assert needs_whole(blocks, filled(0.0), SIZES) == frozenset()
    assert needs_whole(others, filled(0.0), SIZES) == {"x"}
    assert needs_whole(others, filled(0.0, whole=True), SIZES) == frozenset()
    assert needs_whole(blocks, filled(0.0, rounds=2, each=1), SIZES) == {"x"}


def attention(room):
    """Attention over `room` places, masked as a program with room has it."""
    text = f"""g (float[1,1,{room},4] q, float[1,1,4,{room}] k, float[1,1,{room},4] v) => (float[1,1,{room},4] y) {{
        s = MatMul(q, k) p = Softmax(s) y = MatMul(p, v) }}"""
    draft = draft_of(text)
    at = next(at for at, step in enumerate(draft.steps) if step.inputs[0] == "s")
    type_, index_ = draft.types["s"], index_vars(4)
    formals = buffer("a", F32, type_.shape), buffer("n", I64, (2,))
    is_there = compare("lt", index_[3], COUNT.expression(formals[1], room))
    mask = Pointwise(formals, type_, index_, select(is_there, load(formals[0], *index_), -np.inf))
    steps = [*draft.steps]
    steps[at] = replace(steps[at], inputs=("masked",))
    steps.insert(at, Step(mask, ("s", "sizes"), ("masked",), steps[at].nodes))
    types = {**draft.types, "masked": type_, "sizes": TensorType(I64, (2,))}
    masked = replace(draft, types=types, inputs=(*draft.inputs, "sizes"), steps=tuple(steps))
    joined = join_attention(fuse(masked), {step.key: machines.AVX2 for step in steps})
    (kernel,) = schedule(joined, machines.AVX2).kernels
    return kernel


@pytest.mark.process
@kernel_llvm.needs_cc
def test_attention_takes_as_long_as_there_are_keys():
    """2 seconds: the kernel is compiled twice."""
    kernel = attention(LONG)
    part = next(param for param in kernel.inputs if param.dtype is I64)
    assert part.shape == (1,)  # of the two sizes, the one that the mask needs
    limits = {
        param.name: tuple(Limit(axis, COUNT) for axis, extent in enumerate(param.shape) if extent == LONG)
        for param in kernel.inputs + kernel.outputs
    }
    short = shortened(kernel, limits, SIZES, {part.name: COUNT.dim})
    assert short.inputs == (*kernel.inputs, SIZES)
    executes = in_llvm(kernel), in_llvm(short)
    for size in (1, 13, 63, 64, 65, 130, LONG - 1, LONG):
        arrays = {**arrays_of(kernel, size), part.name: np.array([size])}
        results = []
        for execute in executes:
            own = {name: array.copy() for name, array in arrays.items()}
            execute(kernel, own)
            results.append(next(iter(there(own, kernel, limits, size))).copy())
        assert np.isfinite(results[0]).all()
        np.testing.assert_array_equal(*results)
    arrays = {**arrays_of(kernel, 10), part.name: np.array([10])}
    assert iterations(short, arrays) * 20 < iterations(kernel, arrays)
