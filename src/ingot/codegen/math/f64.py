"""float64 functions in the loop IR itself, for processors that have no C library.

Each is a few statements over its arguments, and a result. float32 functions are the same on the argument as a float64: that is
more than they need. Greatest errors in float64, over sweeps of all exponents (the tests hold them to it):

    exp, log, sin, cos                                              1.0 ulp
    tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh    4 ulp
    erf                                                             8 ulp
    pow                                                             8 ulp, where the result is near the greatest or least numbers
    rem                                                             exact

Angles of any size are reduced with as many digits of 2/pi as they need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from ingot.codegen.math.f64_angles import arc_cosine, arc_sine, arc_tangent, sine, tangent
from ingot.codegen.math.f64_parts import (
    F64,
    I64,
    Written,
    X,
    Y,
    polynomial,
    real,
    size_of,
    split,
    whole,
    with_sign_of,
)
from ingot.codegen.math.f64_power import power_ends
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Cast,
    Expr,
    Fma,
    For,
    If,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    buffer,
    call,
    compare,
    index,
    load,
    maximum,
    minimum,
    store,
)

_LN2 = Fraction(
    "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"
)
_LN2_HIGH, _LN2_LOW = split(_LN2, 40)  # few bits in the first: times an exponent it is exact
_TINY = 2.0**-1022


def _power_of_two(n: Expr) -> Expr:
    """2^n for -1022 <= n <= 1023."""
    return Bitcast(Binary("shl", n + 1023, whole(52)), F64)


def _scaled(x: Expr, n: Expr) -> Expr:
    """Of x and n, x 2^n in two factors: n may lie outside the exponents of normal numbers. Rounded once at most."""
    half = Binary("shr", n, whole(1))
    return x * _power_of_two(half) * _power_of_two(n - half)


def _reduced(x: Expr) -> tuple[Expr, Expr]:
    """(n, r) with x = n ln 2 + r: a whole number, and |r| <= ln 2 / 2."""
    n = call("rint", x * (1 / math.log(2)))
    return Cast(n, I64), Fma(n, real(-_LN2_LOW), Fma(n, real(-_LN2_HIGH), x))


def _exp_minus_1_near(r: Expr) -> Expr:
    return Fma(r * r, _exp_tail(r), r)


def _exp_tail(r: Expr) -> Expr:
    return polynomial(r, [1 / math.factorial(k) for k in range(2, 15)])


def _exp(x: Expr) -> Expr:
    # Beyond these the result is infinity or 0 anyway. The operand order keeps a NaN.
    n, r = _reduced(minimum(real(710.0), maximum(real(-746.0), x)))
    return _scaled(_exp_minus_1_near(r) + 1.0, n)


def _exp_of_sum(x: Expr, low: Expr) -> Expr:
    """e^(x + low) for a small second part, rounded once: powers that are whole numbers come out whole."""
    x = minimum(real(710.0), maximum(real(-746.0), x))
    n = call("rint", x * (1 / math.log(2)))
    first = Fma(n, real(-_LN2_HIGH), x)
    r = Fma(n, real(-_LN2_LOW), first)
    lost = Fma(n, real(-_LN2_LOW), first - r) + low
    rest = Fma(r * r, _exp_tail(r), Fma(lost, _exp_minus_1_near(r), lost))
    p = r + rest
    near = p + 1.0
    return _scaled(near + ((p - (near - 1.0)) + (rest - (p - r))), Cast(n, I64))


def _exp_minus_1(x: Expr) -> Expr:
    """For 0 <= x <= 50."""
    n, r = _reduced(x)
    scale = _power_of_two(n)
    return Fma(scale, _exp_minus_1_near(r), scale - 1.0)


def _log_parts(x: Expr) -> tuple[Expr, Expr]:
    """(e, f) with x = 2^e (1 + f) and 1 + f between sqrt(1/2) and sqrt(2), for positive numbers."""
    tiny = compare("lt", x, real(_TINY))
    bits = Bitcast(Select(tiny, x * 2.0**54, x), I64)
    exponent = Binary("shr", bits - whole(0x3FE6A09E667F3BCD), whole(52))
    mantissa = Bitcast(bits - Binary("shl", exponent, whole(52)), F64)
    return Cast(exponent, F64) - Select(tiny, real(54.0), real(0.0)), mantissa - 1.0


def _log_tail(s: Expr) -> Expr:
    """(log((1 + s) / (1 - s)) - 2 s) / s, a series in s²."""
    z = s * s
    return z * polynomial(z, [2 / (2 * k + 1) for k in range(1, 13)])


def _log_ends(x: Expr, result: Expr) -> Expr:
    result = Select(compare("lt", x, real(math.inf)), result, x)  # infinity and NaN are their own logarithms
    result = Select(compare("lt", x, real(0.0)), real(math.nan), result)
    return Select(compare("eq", x, real(0.0)), real(-math.inf), result)


def _log(x: Expr) -> Expr:
    e, f = _log_parts(x)
    s = f / (f + 2.0)
    half = f * f * 0.5
    tail = Fma(e, real(_LN2_LOW), s * (half + _log_tail(s)))
    return _log_ends(x, Fma(e, real(_LN2_HIGH), f - (half - tail)))


def _log_1_plus(x: Expr) -> Expr:
    u = x + 1.0
    result = _log(u) + (x - (u - 1.0)) / u
    result = Select(compare("eq", u, real(1.0)), x, result)
    return Select(compare("lt", u, real(math.inf)), result, _log(u))


def _plain(result: Expr, *params: Var) -> Written:
    return Written(params or (X,), (), result)


# ─── the others ────────────────────────────────────────────────────────────────────────────────────────────────────


def _half_exp(size: Expr) -> Expr:
    """e^size / 2, also where e^size is beyond the greatest number."""
    root = _exp(size * 0.5)
    return root * 0.5 * root


def _hyperbolic_sine() -> Expr:
    size = size_of(X)
    e = _exp_minus_1(minimum(real(25.0), size))
    near = (e + e / (e + 1.0)) * 0.5
    return with_sign_of(Select(compare("lt", size, real(25.0)), near, _half_exp(size)), X)


def _hyperbolic_cosine() -> Expr:
    size = size_of(X)
    e = _exp(minimum(real(25.0), size))
    return Select(compare("lt", size, real(25.0)), (e + 1.0 / e) * 0.5, _half_exp(size))


def _hyperbolic_tangent() -> Expr:
    e = _exp_minus_1(minimum(real(22.0), size_of(X)) * 2.0)
    return with_sign_of(Select(compare("lt", e, real(1.0)), e / (e + 2.0), 1.0 - 2.0 / (e + 2.0)), X)


def _area_sine() -> Expr:
    size = size_of(X)
    square = size * size
    near = _log_1_plus(size + square / (1.0 + call("sqrt", square + 1.0)))
    return with_sign_of(Select(compare("lt", size, real(2.0**28)), near, _log(size) + math.log(2)), X)


def _area_cosine() -> Expr:
    t = X - 1.0
    near = _log_1_plus(t + call("sqrt", Fma(t, t, t * 2.0)))
    result = Select(compare("lt", X, real(2.0**28)), near, _log(X) + math.log(2))
    return Select(compare("lt", X, real(1.0)), real(math.nan), result)


def _area_tangent() -> Expr:
    size = size_of(X)
    return with_sign_of(_log_1_plus((size + size) / (1.0 - size)) * 0.5, X)


def _error_function() -> Written:
    """Up to 2, 2/sqrt(pi) x e^(-x²) (1 + 2x²/3 (1 + 2x²/5 (1 + …))), where all terms are positive; further out 1 minus
    e^(-x²)/sqrt(pi) / (x + 1/2 / (x + 2/2 / (x + 3/2 / …))), until that is lost beside 1.
    """
    total, k = buffer("total", F64, (1,)), Var("k")
    size = minimum(real(7.0), size_of(X))
    square = size * size
    lost = Fma(size, size, -square)
    terms, depth = 48, 64
    e = _exp(-square)
    e = Fma(e, -lost, e)
    factor = square * 2.0 / (2.0 * terms + 1.0 - Cast(k, F64) * 2.0)
    near = (
        store(total, (0,), 1.0),
        For(k, index(terms), (store(total, (0,), Fma(factor, load(total, 0), real(1.0))),)),
        store(total, (0,), size * (2 / math.sqrt(math.pi)) * e * load(total, 0)),
    )
    far = (
        store(total, (0,), size),
        For(k, index(depth), (store(total, (0,), (depth - Cast(k, F64)) * 0.5 / load(total, 0) + size),)),
        store(total, (0,), 1.0 - e / load(total, 0) * (1 / math.sqrt(math.pi))),
    )
    body = (Alloc(total), If(compare("lt", size, real(2.0)), near, far))
    return Written((X,), body, Select(call("isnan", X), X, with_sign_of(load(total, 0), X)))


def _power() -> Expr:
    """e^(y log|x|), the logarithm and the product in two parts each; then what IEEE says about signs and ends."""
    size = size_of(X)
    e, f = _log_parts(size)
    d = f + 2.0
    s = f / d
    s_low = (Fma(-s, d, f) - s * (f - (d - 2.0))) / d
    first = e * _LN2_HIGH
    twice = s * 2.0
    high = first + twice
    # e is 0 or the larger one.
    low = Select(compare("eq", e, real(0.0)), real(0.0), (first - high) + twice)
    rest = low + Fma(e, real(_LN2_LOW), Fma(s, _log_tail(s), s_low * 2.0))
    log_high = high + rest
    log_low: Expr = rest - (log_high - high)
    finite = Binary("and", compare("lt", size, real(math.inf)), compare("gt", size, real(0.0)))
    log_high, log_low = _log_ends(size, log_high), Select(finite, log_low, real(0.0))
    product = Y * log_high
    lost = Fma(Y, log_high, -product) + Y * log_low
    plain = compare("lt", size_of(product), real(1000.0))
    return power_ends(_exp_of_sum(product, Select(plain, lost, real(0.0))))


def _remainder() -> Written:
    """Long division of the mantissas, bit by bit: exact, with the sign of x."""
    rest, k = buffer("rest", I64, (1,)), Var("k")

    def parts(value: Expr) -> tuple[Expr, Expr]:
        """(mantissa of 53 bits, exponent), also of subnormal numbers."""
        size = size_of(value)
        tiny = compare("lt", size, real(_TINY))
        bits = Bitcast(Select(tiny, size * 2.0**54, size), I64)
        exponent = Binary("shr", bits, whole(52)) - Select(tiny, whole(54), whole(0))
        return Binary("or", Binary("and", bits, whole(2**52 - 1)), whole(2**52)), exponent

    (m, e), (n, d) = parts(X), parts(Y)
    now = load(rest, 0)
    less = Select(compare("lt", now, n), now, now - n)
    body: tuple[Stmt, ...] = (
        Alloc(rest),
        Store(rest, (whole(0),), m),
        For(k, maximum(e - d, 0), (store(rest, (0,), Binary("shl", less, whole(1))),)),
    )
    result = with_sign_of(_scaled(Cast(less, F64), d - 1075), X)
    result = Select(compare("lt", size_of(X), size_of(Y)), X, result)
    good = Binary("and", compare("lt", size_of(X), real(math.inf)), compare("gt", size_of(Y), real(0.0)))
    result = Select(Binary("and", good, Unary("not", call("isnan", Y))), result, real(math.nan))
    return Written((X, Y), body, Select(compare("eq", X, real(0.0)), Select(good, X, result), result))


WRITTEN: Mapping[str, Written] = {
    "exp": _plain(_exp(X)),
    "exp_flushed": _plain(_exp(X)),
    "log": _plain(_log(X)),
    "sin": sine(0),
    "cos": sine(1),
    "tan": tangent(),
    "asin": _plain(arc_sine(X)),
    "acos": _plain(arc_cosine(X)),
    "atan": _plain(arc_tangent(X)),
    "sinh": _plain(_hyperbolic_sine()),
    "cosh": _plain(_hyperbolic_cosine()),
    "tanh": _plain(_hyperbolic_tangent()),
    "asinh": _plain(_area_sine()),
    "acosh": _plain(_area_cosine()),
    "atanh": _plain(_area_tangent()),
    "erf": _error_function(),
    "pow": _plain(_power(), X, Y),
    "rem": _remainder(),
}
