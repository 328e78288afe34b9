"""Every operation of the loop IR, compiled as C and interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import KERNEL_DTYPES, DType
from tests.codegen import operations
from tests.codegen.operations import FLOATS, INTEGERS, SHORT_FLOATS, tiny
from tests.support.kernel_c import agrees_with_interpreter, compile_kernel, needs_cc

pytestmark = [pytest.mark.cc, needs_cc]
# The C library's functions are not rounded correctly; for the 16-bit floats they are rounded twice.
ROUNDING = {DType.FLOAT32: 4e-7, DType.FLOAT64: 1e-15, DType.FLOAT16: 1e-3, DType.BFLOAT16: 8e-3}


def short(dtype: DType) -> str:
    return dtype.short


def agrees(trial: operations.Trial) -> list[np.ndarray]:
    kernel, arrays = trial
    return agrees_with_interpreter(kernel, *arrays)


@pytest.mark.parametrize("dtype", INTEGERS, ids=short)
def test_integer_operations_wrap_and_truncate(dtype: DType) -> None:
    agrees(operations.integer_operations(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_float_operations_are_ieee(dtype: DType) -> None:
    agrees(operations.float_operations(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_functions_are_near_the_interpreter(dtype: DType) -> None:
    kernel, arrays = operations.functions(dtype)
    agrees_with_interpreter(kernel, *arrays, rtol=ROUNDING[dtype], atol=tiny(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_fused_multiply_add_is_rounded_once_or_twice(dtype: DType) -> None:
    kernel, arrays = operations.fused_multiply_add(dtype)
    for flags in (("-O2",), ("-O2", "-mfma")):
        agrees_with_interpreter(kernel, *arrays, rtol=ROUNDING[dtype], flags=flags)


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


def test_casts_of_constants_compile_without_a_warning() -> None:
    agrees(operations.casts_of_constants())


def test_a_float_out_of_an_integers_range_does_not_trap() -> None:
    kernel, arrays = operations.casts_out_of_range()
    compile_kernel(kernel)(*arrays, *(np.zeros(param.span, param.dtype.numpy) for param in kernel.outputs))


@pytest.mark.parametrize("dtype", INTEGERS, ids=short)
def test_division_of_an_integer_by_zero_gives_zero(dtype: DType) -> None:
    kernel, arrays = operations.zero_divisors(dtype)
    outputs = [np.ones(param.span, dtype.numpy) for param in kernel.outputs]
    compile_kernel(kernel)(*arrays, *outputs)
    assert not outputs[0].any() and not outputs[1].any()
