"""Every operation of the loop IR, as PTX and interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import KERNEL_DTYPES, DType
from tests.codegen import operations
from tests.codegen.operations import FLOATS, INTEGERS, SHORT_FLOATS, tiny
from tests.support.kernel_cuda import agrees_with_interpreter, driver, gpu, run_kernel, side_by_side

pytestmark = pytest.mark.usefixtures("gpu")
__all__ = ["driver", "gpu"]
# Functions of float32 are the polynomials of the code generator llvm; the others are ours, and nearer.
ROUNDING = {DType.FLOAT32: 2e-6, DType.FLOAT64: 4e-15, DType.FLOAT16: 1e-3, DType.BFLOAT16: 8e-3}


def short(dtype: DType) -> str:
    return dtype.short


def agrees(trial: operations.Trial) -> list[np.ndarray]:
    kernel, arrays = trial
    return agrees_with_interpreter(side_by_side(kernel), *arrays)


@pytest.mark.parametrize("dtype", INTEGERS, ids=short)
def test_integer_operations_wrap_and_truncate(dtype: DType) -> None:
    agrees(operations.integer_operations(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_float_operations_are_ieee(dtype: DType) -> None:
    agrees(operations.float_operations(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_functions_are_near_the_interpreter(dtype: DType) -> None:
    kernel, arrays = operations.functions(dtype)
    agrees_with_interpreter(side_by_side(kernel), *arrays, rtol=ROUNDING[dtype], atol=tiny(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_fused_multiply_add_is_rounded_once_or_twice(dtype: DType) -> None:
    kernel, arrays = operations.fused_multiply_add(dtype)
    agrees_with_interpreter(side_by_side(kernel), *arrays, rtol=ROUNDING[dtype])


def test_bool_operations_give_zero_or_one() -> None:
    outputs = agrees(operations.bool_operations())
    assert all(set(output.view(np.uint8).tolist()) <= {0, 1} for output in outputs)


@pytest.mark.parametrize("source", KERNEL_DTYPES, ids=short)
def test_casts_convert_by_value(source: DType) -> None:
    agrees(operations.casts(source))


@pytest.mark.parametrize("source", [DType.FLOAT32, DType.FLOAT64], ids=short)
def test_casts_to_shorter_floats_round_to_even(source: DType) -> None:
    agrees(operations.casts_to_shorter_floats(source))


@pytest.mark.parametrize("dtype", SHORT_FLOATS, ids=short)
def test_all_numbers_of_a_short_float_survive_loading_and_storing(dtype: DType) -> None:
    agrees(operations.all_numbers(dtype))


@pytest.mark.parametrize("source", [dtype for dtype in KERNEL_DTYPES if dtype is not DType.BOOL], ids=short)
def test_bitcasts_keep_the_bits(source: DType) -> None:
    agrees(operations.bitcasts(source))


@pytest.mark.parametrize("dtype", KERNEL_DTYPES, ids=short)
def test_constants_are_lossless(dtype: DType) -> None:
    agrees(operations.constants(dtype))


def test_casts_of_constants_are_those_of_the_interpreter() -> None:
    agrees(operations.casts_of_constants())


def test_a_float_out_of_an_integers_range_does_not_trap() -> None:
    kernel, arrays = operations.casts_out_of_range()
    run_kernel(side_by_side(kernel), *arrays)


@pytest.mark.parametrize("dtype", INTEGERS, ids=short)
def test_division_of_an_integer_by_zero_gives_zero(dtype: DType) -> None:
    kernel, arrays = operations.zero_divisors(dtype)
    outputs = run_kernel(
        side_by_side(kernel), *arrays, *(np.ones(param.span, dtype.numpy) for param in kernel.outputs)
    )[2:]
    assert not outputs[0].any() and not outputs[1].any()
