"""Powers in the loop IR; see `math/f64`. What both have: the signs and ends of the number line. One of them for float32."""

from __future__ import annotations

import math

from ingot.codegen.math.f64_parts import F64, I64, Written, X, Y, polynomial, real, size_of, whole
from ingot.loops.nodes import Binary, Bitcast, Cast, Expr, Fma, Select, Unary, call, compare, maximum, minimum


def power_ends(result: Expr) -> Expr:
    """What IEEE says of X to the Y, from what holds for |X|."""
    size = size_of(X)
    result = Select(
        Binary("and", compare("eq", size, real(1.0)), Unary("not", call("isnan", Y))), real(1.0), result
    )
    is_whole = compare("eq", call("trunc", Y), Y)
    half = Y * 0.5
    odd = Binary("and", is_whole, compare("ne", call("trunc", half), half))
    odd = Binary("and", odd, compare("lt", size_of(Y), real(2.0**53)))
    is_negative = compare("lt", Bitcast(X, I64), whole(0))
    result = Select(Binary("and", is_negative, odd), -result, result)
    no_power = Binary("and", compare("lt", X, real(0.0)), Unary("not", is_whole))
    no_power = Binary("and", no_power, compare("lt", size, real(math.inf)))
    result = Select(no_power, real(math.nan), result)
    result = Select(Binary("or", call("isnan", X), call("isnan", Y)), real(math.nan), result)
    return Select(Binary("or", compare("eq", X, real(1.0)), compare("eq", Y, real(0.0))), real(1.0), result)


def _short_power() -> Expr:
    """2^(y log2|x|) for arguments that are float32 numbers, to the 24 bits of such a result: 0.55 ulp. The logarithm is good to
    35 bits, so that 150 times it, at the end of float32's exponents, is good to 27.
    """
    size = size_of(X)
    bits = Bitcast(size, I64)
    exponent = Binary("shr", bits - whole(0x3FE6A09E667F3BCD), whole(52))
    f = Bitcast(bits - Binary("shl", exponent, whole(52)), F64) - 1.0
    s = f / (f + 2.0)
    series = polynomial(s * s, [2 / math.log(2) / (2 * k + 1) for k in range(7)])
    log: Expr = Fma(s, series, Cast(exponent, F64))
    log = Select(compare("lt", size, real(math.inf)), log, size)
    log = Select(compare("eq", size, real(0.0)), real(-math.inf), log)
    product = minimum(real(200.0), maximum(real(-200.0), Y * log))
    n = call("rint", product)
    root = polynomial(product - n, [math.log(2) ** k / math.factorial(k) for k in range(9)])
    return power_ends(root * Bitcast(Binary("shl", Cast(n, I64) + 1023, whole(52)), F64))


POWER = Written((X, Y), (), _short_power())
"""X to the Y for float32 numbers."""
