from __future__ import annotations

import numpy as np
import pytest

from ingot.base.errors import IngotError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.reduce.min_max import range_of
from tests.kernels.templates import run_template
from tests.support.onnx_text import agrees, parse, run, template_of

F = np.float32


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_a_running_sum_goes_either_way(exclusive: int, reverse: int, axis: int) -> None:
    model = parse(
        "(float[2,5] x, int64 a) => (float[2,5] y)",
        f"y = CumSum<exclusive={exclusive}, reverse={reverse}>(x, a)",
    )
    agrees(model, {"a": np.array(axis)}, x=np.arange(10, dtype=F).reshape(2, 5))


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
@pytest.mark.parametrize("axis", [0, 2, -1, -2, -3])
def test_the_axis_of_a_running_fold_may_come_while_running(op: str, axis: int) -> None:
    model = parse("(float[2,3,5] x, int64 a) => (float[2,3,5] y)", f"y = {op}(x, a)", 26)
    x = np.arange(30, dtype=F).reshape(2, 3, 5) / 16 + 1
    (got,) = run(model, x=x, a=np.array(axis))
    np.testing.assert_allclose(got, (np.cumsum if op == "CumSum" else np.cumprod)(x, axis), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3, 37), (2, 3, 21), (19, 4, 1)])
def test_running_sums_side_by_side(shape: tuple[int, ...]) -> None:
    for axis in range(len(shape)):
        signature = (
            f"(float[{','.join(map(str, shape))}] x, int64 a) => (float[{','.join(map(str, shape))}] y)"
        )
        model = parse(signature, "y = CumSum<reverse=1, exclusive=1>(x, a)")
        x = np.arange(np.prod(shape), dtype=F).reshape(shape)
        (expected,) = agrees(model, {"a": np.array(axis)}, x=x)
        (got,) = run_template(template_of(model, {"a": np.array(axis)}), x)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bij,bjk", [(2, 2, 3), (2, 3, 2)]),
        ("...ij->...ji", [(2, 3, 4)]),
        ("ii->i", [(3, 3)]),
        ("...,...->...", [(2, 1), (1, 3)]),
        ("i,i,i->i", [(4,), (4,), (4,)]),
        (" ij , kj -> ik ", [(2, 3), (4, 3)]),
        ("ij->", [(2, 3)]),
        ("ij,kl->ikjl", [(2, 1), (1, 3)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("bqhd,bkhd->bhqk", [(2, 4, 3, 5), (2, 6, 3, 5)]),
        ("bhqk,bkhd->bqhd", [(2, 3, 4, 6), (2, 6, 3, 5)]),
        ("bhwc,hkc->bhwk", [(2, 3, 4, 5), (3, 6, 5)]),
        ("oi,bit->bot", [(3, 4), (2, 4, 5)]),
        ("bij,jk->bik", [(2, 3, 4), (4, 5)]),
        ("bij,jk->kib", [(2, 3, 4), (4, 5)]),
        ("ij,ij->i", [(3, 4), (3, 4)]),
        ("ij,ji->", [(3, 4), (4, 3)]),
        ("bij,bj->bi", [(2, 3, 4), (2, 4)]),
        ("abc,cbd->ad", [(2, 3, 4), (4, 3, 5)]),
        ("abc,dbc->ad", [(2, 3, 4), (5, 3, 4)]),
        ("ijx,jky->ik", [(2, 3, 2), (3, 4, 3)]),
        ("iij,jk->ik", [(3, 3, 2), (2, 4)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("i,j,k->kji", [(2,), (3,), (4,)]),
        ("ab,bc,cd,da->", [(2, 3), (3, 4), (4, 5), (5, 2)]),
        ("b...i,ij->b...j", [(2, 3, 4, 5), (5, 6)]),
        ("ij,jk->ik", [(2, 0), (0, 3)]),
        ("ij,jk->ik", [(0, 2), (2, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ii->", [(3, 3)]),
    ],
)
def test_einsum_agrees_with_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    random = np.random.default_rng(1)
    arrays = {f"x{number}": random.random(shape, F) for number, shape in enumerate(shapes)}
    expected = np.einsum(equation.replace(" ", ""), *arrays.values())
    signature = ", ".join(
        f"float[{','.join(map(str, array.shape))}] {name}" for name, array in arrays.items()
    )
    out = f"float[{','.join(map(str, expected.shape))}]" if expected.ndim else "float"
    model = parse(f"({signature}) => ({out} y)", f'y = Einsum<equation="{equation}">({", ".join(arrays)})')
    got = run(model, **arrays)[0].reshape(expected.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("known", [False, True], ids=["zero point given", "zero point known"])
def test_quantisation_rounds_half_to_even_and_saturates(known: bool) -> None:
    model = parse("(float[8] x, float s, int8 z) => (int8[8] y)", "y = QuantizeLinear(x, s, z)")
    x = np.array([0.5, 1.5, 2.5, -0.5, 1000, -1000, np.inf, -np.inf], F)
    for zero, codes in ((0, [0, 2, 2, 0, 127, -128, 127, -128]), (3, [3, 5, 5, 3, 127, -128, 127, -128])):
        fixed = {"s": np.array(1, F), "z": np.array(zero, np.int8)}
        (y,) = run(model, fixed, x=x) if known else run(model, x=x, **fixed)
        assert y.tolist() == codes


@pytest.mark.parametrize("x", [[0, 0, 0], [-0.0, 0, 0], [0, 2, 5], [-3, -1, -2]])
def test_a_range_that_is_only_0_has_a_scale_above_0(x: list[float]) -> None:
    model = parse("(float[3] x) => (uint8[3] y, float s, uint8 z)", "y, s, z = DynamicQuantizeLinear(x)")
    _, scale, _ = agrees(model, x=np.array(x, F))
    assert scale > 0


def test_a_nan_has_one_code_and_does_not_trap() -> None:
    model = parse("(float[1] x, float s, uint8 z) => (uint8[1] y)", "y = QuantizeLinear(x, s, z)")
    (y,) = run(model, x=np.array([np.nan], F), s=np.array(1, F), z=np.array(7, np.uint8))
    assert y.tolist() == [0]


@pytest.mark.parametrize("axis", [0, -1])
def test_scales_along_an_axis(axis: int) -> None:
    n = (2, 3)[axis]
    quantize = parse(
        f"(float[2,3] x, float[{n}] s, uint8[{n}] z) => (uint8[2,3] y)",
        f"y = QuantizeLinear<axis={axis}>(x, s, z)",
    )
    s, z = np.array([0.5, 0.25, 2], F)[:n], np.array([10, 20, 30], np.uint8)[:n]
    (y,) = agrees(quantize, x=np.linspace(-9, 9, 6, dtype=F).reshape(2, 3), s=s, z=z)
    back = parse(
        f"(uint8[2,3] x, float[{n}] s, uint8[{n}] z) => (float[2,3] y)",
        f"y = DequantizeLinear<axis={axis}>(x, s, z)",
    )
    agrees(back, x=y, s=s, z=z)


def test_scales_of_blocks() -> None:
    model = parse(
        "(float[1,4] x, float[1,2] s) => (uint8[1,4] y)", "y = QuantizeLinear<axis=1, block_size=2>(x, s)"
    )
    (y,) = run(model, x=np.array([[1, 2, 3, 4]], F), s=np.array([[1, 0.5]], F))
    assert y.tolist() == [[1, 2, 6, 8]]


def test_a_zero_point_beyond_the_code_is_subtracted_in_int32() -> None:
    model = parse("(int8[2] x, float s, int8 z) => (float[2] y)", "y = DequantizeLinear(x, s, z)")
    (y,) = run(model, x=np.array([-128, 127], np.int8), s=np.array(2, F), z=np.array(127, np.int8))
    assert y.tolist() == [-510, 0]


def test_scales_that_do_not_fit_are_refused() -> None:
    model = parse("(float[2,3] x, float[2] s) => (uint8[2,3] y)", "y = QuantizeLinear(x, s)")
    with pytest.raises(IngotError, match="does not fit axis 1"):
        run(model, x=np.zeros((2, 3), F), s=np.ones(2, F))


@pytest.mark.parametrize("order", [None, (1, 0), (0, 1)])
@pytest.mark.parametrize("shape", [(3, 21), (70, 1), (1, 5), (301, 40)])
def test_the_range_of_a_tensor_has_0_in_it_and_no_nan(
    shape: tuple[int, int], order: tuple[int, int] | None
) -> None:
    for sign in (1, -1):
        x = (np.random.default_rng(6).random(shape).astype(F) + 1) * sign
        x[0, 0] = np.nan
        low, high = run_template(
            range_of(TensorType(DType.FLOAT32, shape)), x, orders={"in0": order} if order else {}
        )
        assert low[0] == min(0, np.nanmin(x)) and high[0] == max(0, np.nanmax(x))
