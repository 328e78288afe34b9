"""Rotary embeddings: what ONNX's reference says, in all forms, and as code for this machine."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.base.errors import UnsupportedError
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.onnx_text import agrees, parse, run

BATCH, HEADS, TOKENS = 2, 3, 5


def example(
    size: int, turned: int, interleaved: int, flat: bool, places: bool
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node, and its inputs."""
    random, half = np.random.default_rng(size), (turned or size) // 2
    shape = (BATCH, TOKENS, HEADS * size) if flat else (BATCH, HEADS, TOKENS, size)
    table = (11, half) if places else (BATCH, TOKENS, half)
    dims, cache = (",".join(map(str, each)) for each in (shape, table))
    given = f"float[{dims}] x, float[{cache}] c, float[{cache}] s" + (
        f", int64[{BATCH},{TOKENS}] p" if places else ""
    )
    words = f"interleaved = {interleaved}, rotary_embedding_dim = {turned}" + (
        f", num_heads = {HEADS}" if flat else ""
    )
    model = parse(
        f"({given}) => (float[{dims}] y)",
        f"y = RotaryEmbedding<{words}>(x, c, s{', p' if places else ''})",
        23,
    )
    inputs = {
        name: random.standard_normal(each).astype(np.float32)
        for name, each in (("x", shape), ("c", table), ("s", table))
    }
    return model, inputs | ({"p": random.integers(0, 11, (BATCH, TOKENS))} if places else {})


FORMS = [(8, 0), (6, 0), (70, 0), (16, 6), (38, 34), (2, 0)]


@pytest.mark.parametrize("size, turned", FORMS)
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize(("flat", "places"), [(False, True), (True, False)])
def test_every_form_says_what_onnx_says(
    size: int, turned: int, interleaved: int, flat: bool, places: bool
) -> None:
    model, inputs = example(size, turned, interleaved, flat, places)
    agrees(model, **inputs)


@pytest.mark.parametrize(("size", "turned"), [(6, 0), (70, 0), (38, 34)])
@pytest.mark.parametrize("interleaved", [0, 1])
def test_compiled_code_says_it_too(size: int, turned: int, interleaved: int) -> None:
    model, inputs = example(size, turned, interleaved, False, True)
    expected = ReferenceEvaluator(model).run(None, inputs)[0]
    got = ingot.build(model, "llvmjit", name="m").load()["m"](ingot.cpu(0)).predict(inputs)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_floats_are_turned_too(kind: str, interleaved: int) -> None:
    dtype = np.dtype(ml_dtypes.bfloat16) if kind == "bfloat16" else np.dtype(np.float16)
    random = np.random.default_rng(0)
    x, c, s = (random.standard_normal(shape).astype(dtype) for shape in ((1, 2, 3, 8), (1, 3, 4), (1, 3, 4)))
    text = f"({kind}[1,2,3,8] x, {kind}[1,3,4] c, {kind}[1,3,4] s) => ({kind}[1,2,3,8] y)"
    (got,) = run(parse(text, f"y = RotaryEmbedding<interleaved = {interleaved}>(x, c, s)", 23), x=x, c=c, s=s)
    wide = x.astype(np.float32)
    first, second = (wide[..., ::2], wide[..., 1::2]) if interleaved else (wide[..., :4], wide[..., 4:])
    cosine, sine = c.astype(np.float32)[:, None], s.astype(np.float32)[:, None]
    parts = [cosine * first - sine * second, sine * first + cosine * second]
    expected = np.stack(parts, -1).reshape(x.shape) if interleaved else np.concatenate(parts, -1)
    np.testing.assert_allclose(got.astype(np.float32), expected, atol=0.05 if kind == "bfloat16" else 0.005)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_it_is_one_kernel(interleaved: int) -> None:
    model, _ = example(16, 0, interleaved, False, True)
    assert len(schedule(fuse(to_draft(read_model(model), ALL)), machines.AVX2).calls) == 1


def test_tables_of_another_size_are_refused() -> None:
    text = "(float[1,2,3,8] x, float[1,3,3] c, float[1,3,3] s) => (float[1,2,3,8] y)"
    with pytest.raises(UnsupportedError, match=r"input 1 has the shape \[1, 3, 3\], expected \[1, 3, 4\]"):
        run(parse(text, "y = RotaryEmbedding(x, c, s)", 23), **{})


def test_tables_of_no_position_are_refused() -> None:
    text = "(float[1,2,3,8] x, float[0,4] c, float[0,4] s, int64[1,3] p) => (float[1,2,3,8] y)"
    with pytest.raises(
        UnsupportedError, match=r"input 1 has the shape \[0, 4\]: no position to turn tokens by"
    ):
        run(parse(text, "y = RotaryEmbedding(x, c, s, p)", 23), **{})


def test_fewer_elements_than_none_are_refused() -> None:
    text = "(float[1,2,3,8] x, float[1,3,4] c, float[1,3,4] s) => (float[1,2,3,8] y)"
    with pytest.raises(UnsupportedError, match="-2 of 8 elements of a head cannot be rotated in pairs"):
        run(parse(text, "y = RotaryEmbedding<rotary_embedding_dim = -2>(x, c, s)", 23), **{})
