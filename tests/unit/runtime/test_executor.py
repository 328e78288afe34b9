import array
import ctypes
import gc
import tracemalloc

import numpy as np
import pytest

from ingot.artifact.model_info import TensorInfo
from ingot.base.errors import DeviceError, InputError, LoadError
from ingot.base.tensor import DType
from ingot.runtime.executors.base import AotExecutor
from ingot.runtime.inputs import CPU_KINDS, as_array, device_words, overlap, require_writeable
from tests.support.tiny_library import expected, tiny_info, weights

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)
RNG = np.random.default_rng(1)
BIG = RNG.standard_normal(10000, dtype=np.float32)


@pytest.fixture(params=["aot", "graph"])
def kind(request):
    return request.param


@pytest.fixture
def tiny(library, kind):
    return library["tiny"](executor=kind)


@pytest.fixture
def big(library, kind):
    return library["big"](executor=kind, threads=2)


def test_set_run_get_and_predict_agree(tiny, big, kind):
    assert tiny.kind == kind
    for executor, x in ((tiny, X), (big, BIG)):
        executor.set_input(x=x)
        executor.run()
        y, z = executor.predict(x=x)
        for result in (y, executor.get_output(0), executor.get_output("y"), executor.get_output(-2)):
            assert np.array_equal(result, expected(x))
        assert np.array_equal(z, x) and np.array_equal(executor.get_output("z"), x)


def test_inputs_and_outputs_say_name_shape_and_dtype(tiny):
    assert [str(tensor) for tensor in (*tiny.inputs, *tiny.outputs)] == [
        "x: float32[4]",
        "y: float32[4]",
        "z: float32[4]",
    ]
    assert tiny.inputs[0].dtype is DType.FLOAT32 and tiny.inputs[0].shape == (4,)


def test_results_are_the_callers_own_and_do_not_change_later(tiny, big):
    for executor, x in ((tiny, X), (big, BIG)):
        first = executor.predict(x=x)[0]
        executor.predict(x=x * 3)
        assert np.array_equal(first, expected(x))
        executor.set_input(x=x)
        executor.run()
        got = executor.get_output(0)
        executor.set_input(x=x * 2)
        executor.run()
        assert np.array_equal(got, expected(x))


def test_predict_leaves_alone_what_set_input_and_get_output_see(tiny, big):
    for executor, x in ((tiny, X), (big, BIG)):
        executor.set_input(x=x)
        executor.run()
        executor.predict(x=x + 1)
        assert np.array_equal(executor.get_output(0), expected(x))
        executor.run()
        assert np.array_equal(executor.get_output(0), expected(x))


def test_a_copied_input_may_change_afterwards_and_a_bound_one_is_read_at_each_run(big):
    x = BIG.copy()
    big.set_input(x=x)
    x += 1
    big.run()
    assert np.array_equal(big.get_output(0), expected(BIG))
    big.set_input(copy=False, x=x)
    assert big._bases[3] == x.ctypes.data
    big.run()
    assert np.array_equal(big.get_output(0), expected(x))
    x *= 2
    big.run()
    assert np.array_equal(big.get_output(0), expected(x))
    big.set_input(x=BIG)
    big.run()
    assert np.array_equal(big.get_output(0), expected(BIG)) and not np.array_equal(x, BIG)


def test_non_contiguous_inputs_are_copied_but_cannot_be_bound(tiny, big):
    for executor, x in ((tiny, X), (big, BIG)):
        strided = np.repeat(x, 2)[::2]
        assert np.array_equal(executor.predict(x=strided)[0], expected(x))
        executor.set_input(x=strided)
        with pytest.raises(InputError, match="not contiguous"):
            executor.set_input(copy=False, x=strided)


def test_unaligned_inputs_are_copied_but_cannot_be_bound(big):
    room = np.empty(4 * 10000 + 1, np.uint8)
    shifted = room[1:].view(np.float32)
    shifted[:] = BIG
    assert np.array_equal(big.predict(x=shifted)[0], expected(BIG))
    with pytest.raises(InputError, match="not aligned"):
        big.set_input(copy=False, x=shifted)


def test_out_is_filled_and_returned(tiny, big):
    for executor, x in ((tiny, X), (big, BIG)):
        y, z = np.empty_like(x), np.empty_like(x)
        out = [y, z]
        assert executor.predict(x=x, out=out) is out
        assert np.array_equal(y, expected(x)) and np.array_equal(z, x)
        target = np.empty_like(x)
        executor.set_input(x=x)
        executor.run()
        assert executor.get_output(0, out=target) is target
        assert np.array_equal(target, expected(x))


def test_predict_into_out_keeps_no_memory_and_makes_no_tensor(library):
    for executor, x in ((library["tiny"](), X), (library["big"](), BIG)):
        out = (np.empty_like(x), np.empty_like(x))
        for _ in range(10):
            executor.predict(x=x, out=out)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            executor.predict(x=x, out=out)
        kept, peak = (size - before for size in tracemalloc.get_traced_memory())
        tracemalloc.stop()
        assert kept < 4096 and peak < 8192  # not even a few bytes a call
        assert np.array_equal(out[0], expected(x))


def test_out_may_overlap_an_input(big):
    x, z = BIG.copy(), np.empty_like(BIG)
    big.predict(x=x, out=(x, z))
    assert np.array_equal(x, expected(BIG)) and np.array_equal(z, BIG)


def test_two_outs_may_not_overlap(big):
    y = np.empty_like(BIG)
    with pytest.raises(InputError, match="overlaps"):
        big.predict(x=BIG, out=(y, y))


def test_one_array_for_two_small_outputs_is_refused(tiny):
    y = np.empty_like(X)
    for out in ((y, y), [y, y], (y, y[:])):
        with pytest.raises(InputError, match=r"out for output 'z' overlaps the out of another output"):
            tiny.predict(x=X, out=out)


def test_outs_for_small_outputs_are_looked_at(tiny):
    y, z = np.empty_like(X), np.empty_like(X)
    z.flags.writeable = False
    with pytest.raises(InputError, match="out for output 'z' is read-only"):
        tiny.predict(x=X, out=[y, z])
    with pytest.raises(InputError, match="out must have one array for each output"):
        tiny.predict(x=X, out=y)
    for wrong in (np.empty(5, np.float32), np.empty(4, np.float64), [0.0] * 4):
        with pytest.raises(InputError, match="out for output 'z'"):
            tiny.predict(x=X, out=[y, wrong])


def test_outs_of_small_outputs_may_not_overlap_but_may_interleave(tiny):
    row, pairs = np.empty(7, np.float32), np.empty((4, 2), np.float32)
    with pytest.raises(InputError, match=r"out for output 'z' overlaps the out of another output"):
        tiny.predict(x=X, out=(row[:4], row[3:]))
    tiny.predict(x=X, out=(pairs[:, 0], pairs[:, 1]))
    assert np.array_equal(pairs, np.stack([expected(X), X], axis=1))


def test_a_read_only_out_is_refused_for_that_and_not_for_its_strides(tiny):
    zeros = np.broadcast_to(np.float32(0), 4)  # small outputs may have any strides
    with pytest.raises(InputError, match=r"out for output 'y' is read-only"):
        tiny.predict(x=X, out=(zeros, np.empty_like(X)))
    tiny.set_input(x=X)
    tiny.run()
    with pytest.raises(InputError, match=r"out for output 'y' is read-only"):
        tiny.get_output("y", out=zeros)


def test_an_out_whose_elements_overlap_is_refused(library, tiny):
    one = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), X.shape, (0,))
    with pytest.raises(
        InputError, match=r"out for output 'y' has elements that may overlap \(strides of \[0\] bytes\)"
    ):
        tiny.predict(x=X, out=(one, np.empty_like(X)))
    tiny.set_input(x=X)
    tiny.run()
    with pytest.raises(InputError, match=r"out for output 'y' has elements that may overlap"):
        tiny.get_output("y", out=one)
    backwards = np.empty((4, 3), np.float32)[::-1, 1]
    assert np.array_equal(tiny.get_output("y", out=backwards), expected(X))


def test_outs_of_which_nobody_can_tell_soon_whether_they_overlap_count_as_overlapping():
    """Whether strided arrays share memory is a problem for which no quick algorithm is known."""
    steps = [(2**k + 1) * 8 for k in range(10, 22)]
    memory = np.zeros(sum(steps) * 4 // 8 + 8)
    first, second = (np.lib.stride_tricks.as_strided(memory[at:], (4,) * len(steps), steps) for at in (0, 1))
    with pytest.raises(np.exceptions.TooHardError):
        np.shares_memory(first, second, max_work=100_000)
    assert overlap(first, second)
    assert not overlap(memory[:4], memory[4:8])
    assert not overlap(memory[:8:2], memory[1:8:2])


@pytest.mark.parametrize("size", ["tiny", "big"])
def test_an_out_that_does_not_fit_is_refused(library, size):
    executor = library[size]()
    x = X if size == "tiny" else BIG
    good = np.empty_like(x)
    frozen = np.empty_like(x)
    frozen.flags.writeable = False
    for out, words in (
        (good, "one array for each output"),
        ((good,), "one array for each output"),
        ((good, np.empty(x.size + 1, np.float32)), "shape"),
        ((good, np.empty(x.size, np.float64)), "dtype"),
        ((good, frozen), "read-only"),
        ((good, [1.0]), "Python list"),
    ):
        with pytest.raises(InputError, match=words):
            executor.predict(x=x, out=out)


class Dlpack:
    """Any tensor of another library."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


def test_inputs_come_by_dlpack_or_the_buffer_protocol(tiny):
    for x in (Dlpack(X.copy()), array.array("f", [0, 1, 2, 3]), memoryview(X)):
        assert np.array_equal(tiny.predict(x=x)[0], expected(X))
        tiny.set_input(x=x)
    read_only = X.copy()
    read_only.flags.writeable = False
    assert np.array_equal(tiny.predict(x=read_only)[0], expected(X))


def test_dlpack_inputs_may_be_read_only_or_have_gaps_and_are_read_where_they_are(tiny, big):
    read_only = X.copy()
    read_only.flags.writeable = False
    for x in (Dlpack(np.repeat(X, 2)[::2]), Dlpack(X[::-1].copy()[::-1])):
        assert np.array_equal(tiny.predict(x=x)[0], expected(X))
    try:
        read_only.__dlpack__()
    except BufferError:  # NumPy gives read-only memory to consumers of DLPack 1.0 only
        with pytest.raises(InputError, match="cannot be read through DLPack"):
            tiny.predict(x=FrozenOnly(read_only))
    assert np.array_equal(tiny.predict(x=Dlpack(read_only))[0], expected(X))
    x, seen = BIG.copy(), []
    run, big._run = big._run, lambda bases: seen.append(bases[3]) or run(bases)
    try:
        assert np.array_equal(big.predict(x=Dlpack(x))[0], expected(BIG))
    finally:
        big._run = run
    assert seen == [x.ctypes.data]


class FrozenOnly:
    """A producer that knows only the DLPack before 1.0."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, stream=None):
        return self.held.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


class Nowhere(Dlpack):
    """One that says nonsense about where it is."""

    def __dlpack_device__(self):
        return "x"

    def __dlpack__(self, **_):
        return 5


def test_a_tensor_that_says_nonsense_of_itself_is_refused(tiny):
    with pytest.raises(InputError, match="input 'x' cannot be read through DLPack"):
        tiny.predict(x=Nowhere(X.copy()))


class Unsure(Dlpack):
    """One that cannot say where it is; what it gives says so again."""

    def __init__(self, array, error):
        super().__init__(array)
        self.error = error

    def __dlpack_device__(self):
        raise self.error


@pytest.mark.parametrize(
    "error", [BufferError("b"), OverflowError("o"), RuntimeError("r"), TypeError("t"), ValueError("v")]
)
def test_a_tensor_that_cannot_say_where_it_is_is_read_if_that_is_the_cpu(tiny, error):
    assert np.array_equal(tiny.predict(x=Unsure(X.copy(), error))[0], tiny.predict(x=X)[0])


class Elsewhere(Dlpack):
    kind = 2

    def __dlpack_device__(self):
        return (self.kind, 3)


def test_a_tensor_on_a_device_is_refused_with_words(tiny):
    for call in (tiny.predict, tiny.set_input):
        with pytest.raises(
            InputError, match=r"input 'x' is on cuda\(3\); copy it to the memory of the CPU first; expected"
        ):
            call(x=Elsewhere(X.copy()))
    with pytest.raises(InputError, match=r"out for output 'y' is on cuda\(3\)"):
        tiny.predict(x=X, out=(Elsewhere(X.copy()), X.copy()))
    with pytest.raises(InputError, match="no part on a device with memory of its own: pass an array for 'x'"):
        tiny.device_tensor("x")
    with pytest.raises(InputError, match="no input 'X'"):
        tiny.device_tensor("X")


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (2, "cuda"),
        (9, "vpi"),
        (10, "rocm"),
        (12, "ext_dev"),
        (13, "cuda_managed"),
        (15, "webgpu"),
        (99, "DLPack device 99"),
    ],
)
def test_a_tensor_elsewhere_is_said_to_be_where_dlpack_says(tiny, monkeypatch, number, name):
    monkeypatch.setattr(Elsewhere, "kind", number)
    with pytest.raises(InputError, match=rf"input 'x' is on {name}\(3\); copy it"):
        tiny.predict(x=Elsewhere(X.copy()))


def test_pinned_memory_of_the_host_has_a_name_of_its_own():
    assert [device_words((kind, 0)) for kind in CPU_KINDS] == ["cpu(0)", "cuda_host(0)", "rocm_host(0)"]


def test_a_large_read_only_input_is_read_where_it_is(big):
    read_only = BIG.copy()
    read_only.flags.writeable = False
    assert np.array_equal(big.predict(x=read_only)[0], expected(BIG))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            X.astype(np.float64),
            r"has the dtype float64; convert it with \.astype\('float32'\); expected float32\[4\]",
        ),
        (X.astype(">f4"), "dtype >f4"),
        (X[:3], r"has the shape \[3\]; expected float32\[4\]"),
        (X.reshape(2, 2), "shape"),
        ([0.0, 1.0, 2.0, "3"], "Python list that holds what is no number or does not fit"),
        ([0.0, 1.0, 2.0, 1e39], "Python list that holds what is no number or does not fit"),
        ([0.0, 1.0], r"has the shape \[2\]"),
        (1.0, r"has the shape \[\]"),
        (1e39, "Python float that does not fit"),
        (None, "Python NoneType"),
        ("x", "Python str"),
        (object(), "neither __dlpack__ nor the buffer protocol"),
        (np.array(["a"] * 4), "dtype"),
    ],
)
def test_a_wrong_array_is_refused_with_all_facts(tiny, value, words):
    for call in (tiny.predict, tiny.set_input, tiny.profile):
        with pytest.raises(InputError, match=words) as caught:
            call(x=value)
        assert caught.value.facts["name"] == "x" and caught.value.facts["expected"] == "float32[4]"


@pytest.mark.parametrize("value", [X.tolist(), tuple(X.tolist())])
def test_lists_of_numbers_are_taken(tiny, value):
    wanted = [np.array(one) for one in tiny.predict(x=X)]
    np.testing.assert_array_equal(tiny.predict(x=value), wanted)


def test_wrong_names_are_refused_with_the_nearest(tiny):
    with pytest.raises(InputError, match=r"no input 'X1'; did you mean 'x'\?|no input 'X1'.*x: float32\[4\]"):
        tiny.predict(X1=X)
    with pytest.raises(InputError, match="no input 'more'"):
        tiny.predict(x=X, more=X)
    with pytest.raises(InputError, match="missing input x: float32"):
        tiny.predict()
    with pytest.raises(InputError, match="no input 'q'"):
        tiny.set_input(q=X)


def test_inputs_may_be_given_as_a_mapping(tiny):
    assert np.array_equal(tiny.predict({"x": X})[0], expected(X))
    tiny.set_input({"x": X})
    tiny.run()
    assert np.array_equal(tiny.get_output(0), expected(X))


@pytest.mark.parametrize("method", ["predict", "set_input", "profile"])
def test_an_array_without_a_name_is_refused(tiny, method):
    with pytest.raises(InputError, match=r"given by name, got a ndarray without one; write predict\(x=…\)"):
        getattr(tiny, method)(X)


def test_a_set_input_that_fails_sets_nothing(tiny):
    tiny.set_input(x=X)
    with pytest.raises(InputError):
        tiny.set_input({"x": X * 5, "nobody": X})
    tiny.run()
    assert np.array_equal(tiny.get_output(0), expected(X))


def test_run_before_all_inputs_and_get_output_before_run_are_refused(tiny):
    with pytest.raises(InputError, match="'x' was not set"):
        tiny.run()
    with pytest.raises(InputError, match="before run"):
        tiny.get_output(0)
    tiny.set_input(x=X)
    tiny.run()
    for index, words in ((2, "has 2 outputs"), (-3, "has 2 outputs"), ("yy", "did you mean 'y'")):
        with pytest.raises(InputError, match=words):
            tiny.get_output(index)


def test_an_error_of_the_code_is_a_device_error_with_its_number(library):
    tiny = library["tiny"]()
    bad = X.copy()
    bad[0] = 12345
    with pytest.raises(DeviceError, match="error -7"):
        tiny.predict(x=bad)
    tiny.set_input(x=bad)
    with pytest.raises(DeviceError) as caught:
        tiny.run()
    assert caught.value.facts["status"] == -7


def test_nan_and_infinity_pass_through(tiny):
    x = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    assert np.array_equal(tiny.predict(x=x)[0], expected(x), equal_nan=True)


def test_memory_of_a_model_is_aligned(library):
    big = library["big"]()
    big.set_input(x=BIG)
    big.run()
    assert [
        address % 64
        for address in (big._bases[0], big._bases[1], big._bases[3], big._bases[4], big._bases[5])
    ] == [0] * 5


def test_one_thread_needs_no_pool_and_executors_share_one(library):
    assert library["big"](threads=1)._bases[2] is None
    first, second = library["big"](threads=2), library["big"](threads=2)
    assert first._bases[2] == second._bases[2] is not None


def test_the_graph_executor_keeps_every_intermediate_value(library):
    for name, x in (("tiny", X), ("big", BIG)):
        graph = library[name](executor="graph")
        with pytest.raises(InputError, match="after run or predict"):
            graph.values()
        graph.predict(x=x)
        assert list(graph.values()) == ["h", "y", "z"]
        assert np.array_equal(graph.get_value("h"), x + weights(x.size))
        with pytest.raises(InputError, match=r"did you mean 'h'|stores no value 'hh'"):
            graph.get_value("hh")


def test_values_are_those_of_the_last_run_whenever_somebody_looks(library):
    graph = library["tiny"](executor="graph")
    mine = X.copy()
    graph.set_input(x=mine, copy=False)
    graph.run()
    mine += 100
    assert np.array_equal(graph.get_value("h"), X + weights(4)), "the input was changed after the run"
    first = graph.get_value("y")
    graph.set_input(x=2 * X)
    assert graph.get_value("y") is first
    graph.predict(x=3 * X)
    graph.set_input(x=5 * X)
    assert np.array_equal(graph.get_value("z"), 3 * X) and np.array_equal(first, expected(X))
    graph.run()
    out = [np.zeros_like(X), np.zeros_like(X)]
    graph.predict(x=4 * X, out=out)
    out[0][:] = out[1][:] = 7
    assert np.array_equal(graph.values()["h"], 4 * X + weights(4))
    assert all((one == 7).all() for one in out), "looking wrote to arrays of the caller"
    assert np.array_equal(graph.get_output("y"), expected(5 * X)), (
        "predict, and looking at it, wrote to the outputs of run"
    )


def test_a_failed_run_has_no_values(library):
    graph = library["tiny"](executor="graph")
    graph.predict(x=X)
    step, graph._step = graph._step, lambda number, bases: -7 if number else step(number, bases)
    with pytest.raises(DeviceError, match="error -7"):
        graph.predict(x=X)
    with pytest.raises(InputError, match="after run or predict"):
        graph.values()


def test_profile_has_each_call_with_its_nodes_and_work(tiny):
    profile = tiny.profile(x=X, repeat=3)
    assert [(call.name, call.nodes, call.bytes, call.flops) for call in profile] == [
        ("add", ("Add_0",), 48, 4),
        ("twice", ("Mul_1",), 32, 4),
        ("copy", ("Identity_2",), 32, 0),
    ]
    assert all(call.seconds >= 0 for call in profile)
    assert profile.seconds == sum(call.seconds for call in profile)
    lines = str(profile).splitlines()
    assert (
        len(lines) == 5
        and lines[1].startswith("add")
        and lines[1].endswith("Add_0")
        and "3 calls" in lines[-1]
    )
    with pytest.raises(InputError, match="repeat"):
        tiny.profile(x=X, repeat=0)


def test_bfloat16_comes_as_its_bits_or_with_its_own_dtype():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    info = TensorInfo("b", DType.BFLOAT16, (2,))
    bits = np.array([1, 2], np.uint16)
    assert np.array_equal(as_array(bits, info), bits)
    assert np.array_equal(as_array(bits.view(ml_dtypes.bfloat16), info), bits)


def test_factories_and_executors_show_what_they_take_and_give(library, tiny):
    of_tensors = str(library["tiny"].info)
    assert of_tensors == "tiny(x: float32[4]) -> (y: float32[4], z: float32[4])"
    assert repr(library["tiny"]) == f"<ingot.ExecutorFactory {of_tensors}>"
    assert repr(tiny) == f"<ingot.{type(tiny).__name__} {of_tensors}>"


@pytest.mark.parametrize("strides", [(12, 16), (20, 12), (-12, 16), (4, 4), (12, 12), (12, 18), (2, 99)])
def test_elements_overlap_where_two_of_them_share_a_byte(strides):
    """Also where the steps of one dimension do not leave what the other one reaches."""
    out = np.lib.stride_tricks.as_strided(np.zeros(999, np.uint8)[500:504].view(np.float32), (4, 3), strides)
    places = [i * strides[0] + j * strides[1] for i in range(4) for j in range(3)]
    info = TensorInfo("y", DType.FLOAT32, (4, 3))
    if all(abs(a - b) >= 4 for at, a in enumerate(places) for b in places[:at]):
        require_writeable(out, info, "out for output")
    else:
        with pytest.raises(InputError, match="may overlap"):
            require_writeable(out, info, "out for output")


@pytest.mark.parametrize("index", [None, 1.0, b"y"])
def test_an_output_is_meant_by_its_number_or_name(tiny, index):
    tiny.set_input(x=X)
    tiny.run()
    with pytest.raises(InputError, match="an output is meant by its number or name, got"):
        tiny.get_output(index)
    assert np.array_equal(tiny.get_output(np.int32(1)), X)


def test_a_name_that_is_no_string_is_refused_as_any_other(tiny):
    with pytest.raises(InputError, match="has no input 0"):
        tiny.predict({0: X})
    with pytest.raises(InputError, match="has no input 0"):
        tiny.predict({"x": X, 0: X})


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 1025, 1 << 32])
def test_a_number_of_threads_is_whole_and_one_that_a_machine_may_have(library, threads):
    with pytest.raises(LoadError, match="threads must be a whole number from 1 to 1024, got"):
        library["tiny"](threads=threads)
    assert library["tiny"](threads=np.int64(2)).predict(x=X)


def test_devices_are_given_by_target_key(library):
    with pytest.raises(DeviceError, match="devices are given by target key, as a dict"):
        library["tiny"](devices=["cpu"])


def one_in_one_out():
    """y = 2 * x, by a function of Python's: a model of one small input and one small output goes a short way."""
    info = tiny_info(executors=("aot",)).__replace__(
        outputs=(TensorInfo("y", DType.FLOAT32, (4,)),), calls=()
    )

    def run(bases):
        x, y = (
            np.ctypeslib.as_array(ctypes.cast(bases[at], ctypes.POINTER(ctypes.c_float)), (4,))
            for at in (3, 4)
        )
        y[...] = 2 * x
        return -7 if x[0] == 12345 else 0

    return AotExecutor(info, run, None, None, None, None)


def test_one_small_array_in_and_one_out_are_answered_like_any_others():
    executor = one_in_one_out()
    first = executor.predict(x=X)
    given, out = np.empty(4, np.float32), np.empty(4, np.float32)
    assert np.array_equal(first, 2 * X) and first.flags.owndata
    assert np.array_equal(executor.predict({"x": X[::-1]}), 2 * X[::-1])
    assert np.array_equal(executor.predict(x=[1, 2, 3, 4]), [2, 4, 6, 8])
    assert np.array_equal(executor.predict(x=array.array("f", X)), 2 * X)
    assert executor.predict(x=X, out=out) is out and np.array_equal(out, 2 * X)
    assert np.array_equal(first, 2 * X)
    for wrong in (
        {"y": X},
        {"x": X, "y": X},
        {},
        {"x": given[:3]},
        {"x": given.astype(np.float64)},
        {"x": [1, 2, 3]},
    ):
        with pytest.raises(InputError):
            executor.predict(wrong)
    given[:] = 12345
    with pytest.raises(DeviceError, match="error -7"):
        executor.predict(x=given)
