"""Floats of 8 bits and fewer: how their bits are meant, and which numbers they are in NumPy, which lacks them.

*Source:* OCP 8-bit Floating Point Specification 1.0 (E4M3FN, E5M2), arXiv:2206.02915 (the FNUZ forms), OCP Microscaling Formats
1.0 (E8M0, 6 and 4 bits).
"""

from typing import Any

import numpy as np

from ingot.base.records import Frozen
from ingot.base.tensor import DType


class Form(metaclass=Frozen):
    """A sign, `exponent` bits, `mantissa` bits.

    `largest` is the bit pattern of the largest number. `infinity` and `nan` are bit patterns without a sign, None where there
    is none; a type whose only NaN is the bit pattern of a negative zero `has_one_zero`.
    """

    exponent: int
    mantissa: int
    bias: int
    largest: int
    infinity: int | None = None
    nan: int | None = None
    has_one_zero: bool = False

    @property
    def sign(self) -> int:
        """The number of the bit that is the sign."""
        return self.exponent + self.mantissa


# All but E8M0, whose bit pattern `e` is 2^(e - 127), and 255 a NaN.
FORMS: dict[DType, Form] = {
    DType.FLOAT8E4M3FN: Form(4, 3, 7, 0x7E, nan=0x7F),
    DType.FLOAT8E4M3FNUZ: Form(4, 3, 8, 0x7F, has_one_zero=True),
    DType.FLOAT8E5M2: Form(5, 2, 15, 0x7B, infinity=0x7C, nan=0x7E),
    DType.FLOAT8E5M2FNUZ: Form(5, 2, 16, 0x7F, has_one_zero=True),
    DType.FLOAT6E2M3: Form(2, 3, 1, 0x1F),
    DType.FLOAT6E3M2: Form(3, 2, 3, 0x1F),
    DType.FLOAT4E2M1: Form(2, 1, 1, 0x7),
}


def numbers(dtype: DType) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The number that each bit pattern of a type is, as float32, in the order of the bit patterns."""
    if dtype is DType.FLOAT8E8M0:
        return np.append(np.ldexp(np.float32(1), np.arange(255) - 127), np.float32(np.nan))
    form = FORMS[dtype]
    bit_patterns = np.arange(1 << form.sign + 1)
    magnitude = bit_patterns & (1 << form.sign) - 1
    exponent, mantissa = magnitude >> form.mantissa, magnitude & (1 << form.mantissa) - 1
    whole = np.where(exponent > 0, mantissa + (1 << form.mantissa), mantissa).astype(np.float32)
    values = np.asarray(np.ldexp(whole, np.maximum(exponent, 1) - form.bias - form.mantissa), np.float32)
    if not form.has_one_zero:
        values[magnitude > form.largest] = np.nan
    if form.infinity is not None:
        values[magnitude == form.infinity] = np.inf
    values[bit_patterns > magnitude] *= -1
    if form.has_one_zero:
        values[1 << form.sign] = np.nan
    return values
