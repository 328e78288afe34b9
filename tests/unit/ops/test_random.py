"""Operators that draw: the numbers of their generator, the same everywhere, and their distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.kernel_llvm import needs_cc
from tests.support.onnx_text import parse, run

F = np.float32
MASK = 0xFFFFFFFF


def philox(low: int, high: int, key: int) -> tuple[int, int]:
    """Philox-2x32-10 as its paper has it, in whole numbers of Python."""
    for _ in range(10):
        product = low * 0xD256D193
        low, high = (product >> 32) ^ key ^ high, product & MASK
        key = (key + 0x9E3779B9) & MASK
    return low, high


def key_of_seed(seed: float) -> int:
    return int(F(seed).view(np.uint32))


def drawn(
    nodes: str, shape: str, target: str = "llvmjit", kind: str = "float", **inputs: np.ndarray
) -> np.ndarray:
    given = ", ".join(f"float[{','.join(map(str, x.shape))}] {name}" for name, x in inputs.items())
    model = parse(f"({given}) => ({kind}[{shape}] y)", nodes, 22)
    result: np.ndarray = ingot.build(model, target, cache=None).load()["m"](ingot.cpu(0)).predict(**inputs)
    return result


def fits(samples: np.ndarray, distribution: np.ndarray) -> bool:
    """Kolmogorov's and Smirnov's test of sorted samples' distribution, at the level of one in a thousand."""
    steps = np.arange(len(samples) + 1) / len(samples)
    distance = max(np.abs(distribution - steps[:-1]).max(), np.abs(distribution - steps[1:]).max())
    return bool(distance < 1.95 / math.sqrt(len(samples)))


ANSWERS = [
    ((0, 0), 0, (0xFF1DAE59, 0x6CD10DF2)),
    ((MASK, MASK), MASK, (0x2C3F628B, 0xAB4FD7AD)),
    ((0x243F6A88, 0x85A308D3), 0x13198A2E, (0xDD7CE038, 0xF62A4C12)),
]


@pytest.mark.parametrize(("counter", "key", "words"), ANSWERS)
def test_the_generator_gives_the_answers_that_its_authors_published(counter, key, words):
    assert philox(*counter, key) == words


@pytest.mark.parametrize("target", ["interp", "llvmjit", pytest.param("c", marks=needs_cc)])
def test_uniform_numbers_are_the_generators_words_on_every_target(target):
    x = np.zeros((3, 50), F)
    got = drawn("y = RandomUniformLike <seed = 7.5> (x)", "3,50", target, x=x)
    words = [philox(number, 0, key_of_seed(7.5))[0] for number in range(x.size)]
    np.testing.assert_array_equal(got.ravel(), np.array([word >> 8 for word in words]) * 2.0**-24)


def test_uniform_numbers_of_float64_have_53_bits():
    got = drawn("y = RandomUniformLike <seed = 7.5, dtype = 11> (x)", "20", kind="double", x=np.zeros(20, F))
    words = [philox(number, 0, key_of_seed(7.5)) for number in range(20)]
    np.testing.assert_array_equal(got, [((a >> 5) * 2**26 + (b >> 6)) / 2**53 for a, b in words])


def test_each_call_and_each_build_gives_the_same_numbers_and_each_node_others():
    model = parse(
        "() => (float[9] y, float[9] z)",
        "y = RandomNormal <shape = [9]> () z = RandomNormal <shape = [9]> ()",
        22,
    )
    executors = [ingot.build(model, "llvmjit", cache=None).load()["m"](ingot.cpu(0)) for _ in range(2)]
    first, *others = [executor.predict() for executor in executors for _ in range(2)]
    for other in others:
        np.testing.assert_array_equal(first, other)
    assert not np.isin(first[0], first[1]).any()


def test_uniform_numbers_are_spread_over_their_range():
    got = np.sort(
        drawn("y = RandomUniform <shape = [20000], low = -1.0, high = 3.0, seed = 1.0> ()", "20000")
    )
    assert got[0] >= -1 and got[-1] < 3
    assert fits(got, (got + 1) / 4)


def test_what_rounding_would_lift_to_the_end_of_the_range_is_below_it():
    got = drawn("y = RandomUniform <shape = [20000], low = 1.0, high = 1.0000002, seed = 1.0> ()", "20000")
    assert got.min() == 1 and got.max() == np.nextafter(F(1), F(2))


def test_normal_numbers_are_normal():
    got = np.sort(
        drawn("y = RandomNormal <shape = [20000], mean = 2.0, scale = 3.0, seed = 1.0> ()", "20000")
    )
    assert fits(got, np.array([0.5 * (1 + math.erf((one - 2) / 3 / math.sqrt(2))) for one in got.tolist()]))
    inner = np.abs((got - 2) / 3)
    assert 3.5 < inner.max() < 6.8


def test_neighbours_and_nodes_of_other_seeds_have_nothing_to_do_with_each_other():
    a, b = (drawn(f"y = RandomNormal <shape = [20000], seed = {seed}> ()", "20000") for seed in (1.0, 2.0))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.025
    assert abs(np.corrcoef(a[1:], a[:-1])[0, 1]) < 0.025


def test_half_floats_are_rounded_from_float32():
    nodes = "y = RandomUniform <shape = [50], seed = 3.0, dtype = {}> ()"
    wide = drawn(nodes.format(1), "50")
    np.testing.assert_array_equal(drawn(nodes.format(10), "50", kind="float16"), wide.astype(np.float16))


def test_ones_are_as_frequent_as_the_input_says():
    p = np.repeat(np.array([0, 0.1, 0.5, 0.9, 1, np.nan], F), 4000).reshape(6, 4000)
    got = drawn("y = Bernoulli <seed = 1.0> (x)", "6,4000", x=p)
    assert set(np.unique(got)) == {0, 1}
    np.testing.assert_allclose(got.mean(1), [0, 0.1, 0.5, 0.9, 1, 0], atol=0.025)


def test_classes_are_as_frequent_as_their_logarithms_say():
    logits = np.log(np.array([[0.1, 0.2, 0.3, 0.4], [4, 0, 4, 0]], F) + F(1e-30)) + np.array([[50], [-3]], F)
    got = drawn("y = Multinomial <sample_size = 8000, seed = 1.0> (x)", "2,8000", kind="int32", x=logits)
    counts = np.stack([np.bincount(row, minlength=4) for row in got]) / 8000
    np.testing.assert_allclose(counts, [[0.1, 0.2, 0.3, 0.4], [0.5, 0, 0.5, 0]], atol=0.02)


def test_of_one_class_all_samples_are_it():
    got = drawn(
        "y = Multinomial <sample_size = 3, dtype = 7> (x)", "2,3", kind="int64", x=np.zeros((2, 1), F)
    )
    np.testing.assert_array_equal(got, np.zeros((2, 3)))


DROPOUT = "(float[50,100] x, float r, bool t) => (float[50,100] y, bool[50,100] m)"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.9])
def test_training_drops_as_many_as_the_ratio_says_and_multiplies_the_others(known, ratio):
    x = np.random.default_rng(0).standard_normal((50, 100)).astype(F)
    given = {"r": np.array(ratio, F), "t": np.array(True)}
    model = parse(DROPOUT, "y, m = Dropout <seed = 3> (x, r, t)", 22)
    y, mask = run(model, given, x=x) if known else run(model, x=x, **given)
    np.testing.assert_allclose(y, np.where(mask, x / (1 - F(ratio)), 0), rtol=1e-6)
    assert abs(mask.mean() - (1 - ratio)) < 0.03 and (ratio or mask.all())


def test_a_dropout_whose_mode_is_an_input_does_both():
    x, ratio = np.ones((50, 100), F), np.array(0.5, F)
    model = parse(DROPOUT, "y, m = Dropout <seed = 3> (x, r, t)", 22)
    executor = ingot.build(model, "llvmjit", cache=None).load()["m"](ingot.cpu(0))
    y, mask = executor.predict(x=x, r=ratio, t=np.array(False))
    assert (y == 1).all() and mask.all()
    y, mask = executor.predict(x=x, r=ratio, t=np.array(True))
    assert set(np.unique(y)) == {0, 2} and (mask == (y == 2)).all()


def test_a_dropout_of_constants_is_not_drawn_while_building():
    nodes = "t = Constant <value = bool {1}> () s = Constant <value = int64[1] {400}> () "
    nodes += "c = ConstantOfShape <value = float[1] {1.0}> (s) r, m = Dropout (c, , t) y = Add(x, r)"
    first, second = (drawn(nodes, "400", x=np.zeros(400, F)) for _ in range(2))
    assert set(np.unique(first)) == {0, 2}
    np.testing.assert_array_equal(first, second)


def test_a_dropout_of_opset_6_that_is_not_tested_drops():
    x = np.ones((20, 20), F)
    y, mask = run(
        parse("(float[20,20] x) => (float[20,20] y, float[20,20] m)", "y, m = Dropout <ratio = 0.25> (x)", 6),
        x=x,
    )
    np.testing.assert_allclose(y, mask / 0.75, rtol=1e-6)
    assert 0.65 < mask.mean() < 0.85


def test_iterations_of_a_loop_draw_other_numbers():
    body = "b (int64 i, bool c) => (bool d, float[4] y) { d = Identity(c) y = RandomNormal <shape = [4]> () }"
    nodes = f"n = Constant <value = int64 {{3}}> () t = Constant <value = bool {{1}}> () z = Loop <body = {body}> (n, t)"
    y = run(parse("() => (float[3,4] z)", nodes, 22))[0]
    assert len(np.unique(y)) == 12


def test_samples_of_no_classes_are_refused():
    with pytest.raises(UnsupportedError, match=r"shape \[2, 0\], expected a batch of at least one class"):
        run(parse("(float[2,0] x) => (int32[2,1] y)", "y = Multinomial(x)", 22), x=np.zeros((2, 0), F))
