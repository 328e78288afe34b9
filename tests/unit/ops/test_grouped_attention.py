"""Attention where several query heads share keys and values: the queries of a group are rows of one product."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.errors import UnsupportedError
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of
from tests.support.onnx_text import agrees, parse, run

BATCH, HEADS, SHARED, SIZE, PAST = 2, 4, 2, 3, 2


@pytest.mark.parametrize(("rows", "keys", "flat"), [(1, 5, True), (3, 3, False)])
@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (None, ""),
        ((HEADS, "rows", "all"), ""),
        (("rows", "all"), "is_causal = 1,"),
        ((BATCH, HEADS, "rows", "all"), "softcap = 2.0, qk_matmul_output_mode = 1,"),
        (None, "is_causal = 1, qk_matmul_output_mode = 3,"),
    ],
)
def test_groups_say_what_onnx_says(
    rows: int, keys: int, mask: tuple[object, ...] | None, words: str, flat: bool
) -> None:
    random, every = np.random.default_rng(rows), PAST + keys

    def one(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32)

    arrays = {
        "q": one(BATCH, HEADS, rows, SIZE),
        "k": one(BATCH, SHARED, keys, SIZE),
        "v": one(BATCH, SHARED, keys, SIZE + 2),
    }
    if flat:
        arrays = {name: x.transpose(0, 2, 1, 3).reshape(BATCH, x.shape[2], -1) for name, x in arrays.items()}
        words += f"q_num_heads = {HEADS}, kv_num_heads = {SHARED},"
    if mask is not None:
        arrays["m"] = one(*({"rows": rows, "all": every}.get(part, part) for part in mask))  # type: ignore[call-overload]
    arrays |= {"pk": one(BATCH, SHARED, PAST, SIZE), "pv": one(BATCH, SHARED, PAST, SIZE + 2)}
    inputs = ", ".join(f"float[{','.join(map(str, x.shape))}] {name}" for name, x in arrays.items())
    result = f"{BATCH},{rows},{HEADS * (SIZE + 2)}" if flat else f"{BATCH},{HEADS},{rows},{SIZE + 2}"
    outputs = (
        f"float[{result}] y, float[{BATCH},{SHARED},{every},{SIZE}] k2, float[{BATCH},{SHARED},{every},{SIZE + 2}] v2, "
        f"float[{BATCH},{HEADS},{rows},{every}] s"
    )
    node = f"y, k2, v2, s = Attention<{words.rstrip(',')}>(q, k, v, {'' if mask is None else 'm'}, pk, pv)".replace(
        "<>", ""
    )
    agrees(parse(f"({inputs}) => ({outputs})", node, 23), **arrays)


@pytest.mark.parametrize("rows", [1, 3])
def test_shared_keys_are_not_repeated(rows: int) -> None:
    q, k = f"float[1,8,{rows},16]", "float[1,2,21,16]"
    text = f"g ({q} q, {k} k, {k} v) => ({q} y) {{ y = Attention(q, k, v) }}"
    program = assert_same_results(draft_of(text, 23), machines.AVX2)
    assert max(value.type.size for value in program.values.values()) < 8 * 21 * 16


def test_queries_without_a_head_of_keys_are_refused() -> None:
    text = "(float[1,4,3,8] q, float[1,0,5,8] k) => (float[1,4,3,8] y)"
    with pytest.raises(UnsupportedError, match="4 query heads for 0 key heads"):
        run(parse(text, "y = Attention(q, k, k)", 23), **{})


def test_heads_of_no_elements_see_all_keys_alike() -> None:
    values = np.arange(10, dtype=np.float32).reshape(1, 1, 5, 2)
    text = "(float[1,1,3,0] q, float[1,1,5,0] k, float[1,1,5,2] v) => (float[1,1,3,2] y)"
    nothing = {name: np.zeros((1, 1, rows, 0), np.float32) for name, rows in (("q", 3), ("k", 5))}
    (got,) = run(parse(text, "y = Attention(q, k, v)", 23), **nothing, v=values)
    np.testing.assert_allclose(got[0, 0], np.tile(values[0, 0].mean(0), (3, 1)), rtol=1e-6)


def test_a_scale_of_zero_is_not_one_that_is_omitted() -> None:
    q, k = (np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2) * factor for factor in (1, 2))
    text = "(float[1,1,3,2] q, float[1,1,3,2] k) => (float[1,1,3,2] y)"
    (got,) = run(parse(text, "y = Attention<scale = 0.0>(q, k, k)", 23), q=q, k=k)
    np.testing.assert_allclose(got[0, 0], np.tile(k[0, 0].mean(0), (3, 1)), rtol=1e-6)
    agrees(parse(text, "y = Attention(q, k, k)", 23), q=q, k=k)
