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

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Cast,
    Const,
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
from ingot.tensor import DType

_F64, _I64, _U64, _BOOL = DType.FLOAT64, DType.INT64, DType.UINT64, DType.BOOL
X, Y = Var("x", _F64), Var("y", _F64)
_SIGN = Const(-(2**63), _I64)


def _pi(bits: int) -> Fraction:
    """16 atan(1/5) - 4 atan(1/239), to so many bits."""
    one = 1 << bits + 32

    def arc_tangent(inverse: int) -> int:
        term, total, k = one // inverse, 0, 0
        while term:
            total += (-term if k & 1 else term) // (2 * k + 1)
            term //= inverse * inverse
            k += 1
        return total

    return Fraction(16 * arc_tangent(5) - 4 * arc_tangent(239), one)


_HALF_PI = _pi(1400) / 2  # 2/pi to the bits that the greatest float64 needs


@dataclass(frozen=True, slots=True)
class Written:
    """A function: what it does with its parameters, and then its result."""

    params: tuple[Var, ...]
    body: tuple[Stmt, ...]
    result: Expr


# ─── parts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _f(value: float) -> Const:
    return Const(float(value), _F64)


def _i(value: int) -> Const:
    return Const(value, _I64)


def _split(value: Fraction, *bits: int) -> tuple[float, ...]:
    """A number as a sum of float64 numbers, of which the first have so many bits, and the last all."""
    found = []
    for count in (*bits, 53):
        exponent = math.floor(math.log2(abs(value))) - count + 1
        part = Fraction(round(value / Fraction(2) ** exponent)) * Fraction(2) ** exponent
        found.append(float(part))
        value -= part
    return tuple(found)


_LN2 = Fraction("0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875")
_LN2_HIGH, _LN2_LOW = _split(_LN2, 40)  # few bits in the first: times an exponent it is exact
_PIO2 = _split(_HALF_PI, 53, 53)
_TINY = 2.0**-1022


def _polynomial(x: Expr, coefficients: Sequence[float]) -> Expr:
    result: Expr = _f(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = Fma(result, x, _f(coefficient))
    return result


def _abs(x: Expr) -> Expr:
    return call("abs", x)


def _with_sign_of(size: Expr, x: Expr) -> Expr:
    return Bitcast(Binary("or", Bitcast(size, _I64), Binary("and", Bitcast(x, _I64), _SIGN)), _F64)


def _power_of_two(n: Expr) -> Expr:
    """2^n for -1022 <= n <= 1023."""
    return Bitcast(Binary("shl", n + 1023, _i(52)), _F64)


def _scaled(x: Expr, n: Expr) -> Expr:
    """Of x and n, x 2^n in two factors: n may lie outside the exponents of normal numbers. Rounded once at most."""
    half = Binary("shr", n, _i(1))
    return x * _power_of_two(half) * _power_of_two(n - half)


def _reduced(x: Expr) -> tuple[Expr, Expr]:
    """(n, r) with x = n ln 2 + r: a whole number, and |r| <= ln 2 / 2."""
    n = call("rint", x * (1 / math.log(2)))
    return Cast(n, _I64), Fma(n, _f(-_LN2_LOW), Fma(n, _f(-_LN2_HIGH), x))


def _exp_minus_1_near(r: Expr) -> Expr:
    return Fma(r * r, _polynomial(r, [1 / math.factorial(k) for k in range(2, 15)]), r)


def _exp(x: Expr) -> Expr:
    # Beyond these the result is infinity or 0 anyway. The operand order keeps a NaN.
    n, r = _reduced(minimum(_f(710.0), maximum(_f(-746.0), x)))
    return _scaled(_exp_minus_1_near(r) + 1.0, n)


def _exp_minus_1(x: Expr) -> Expr:
    """For 0 <= x <= 50."""
    n, r = _reduced(x)
    scale = _power_of_two(n)
    return Fma(scale, _exp_minus_1_near(r), scale - 1.0)


def _log_parts(x: Expr) -> tuple[Expr, Expr]:
    """(e, f) with x = 2^e (1 + f) and 1 + f between sqrt(1/2) and sqrt(2), for positive numbers."""
    tiny = compare("lt", x, _f(_TINY))
    bits = Bitcast(Select(tiny, x * 2.0**54, x), _I64)
    exponent = Binary("shr", bits - _i(0x3FE6A09E667F3BCD), _i(52))
    mantissa = Bitcast(bits - Binary("shl", exponent, _i(52)), _F64)
    return Cast(exponent, _F64) - Select(tiny, _f(54.0), _f(0.0)), mantissa - 1.0


def _log_tail(s: Expr) -> Expr:
    """(log((1 + s) / (1 - s)) - 2 s) / s, a series in s²."""
    z = s * s
    return z * _polynomial(z, [2 / (2 * k + 1) for k in range(1, 13)])


def _log_ends(x: Expr, result: Expr) -> Expr:
    result = Select(compare("lt", x, _f(math.inf)), result, x)  # infinity and NaN are their own logarithms
    result = Select(compare("lt", x, _f(0.0)), _f(math.nan), result)
    return Select(compare("eq", x, _f(0.0)), _f(-math.inf), result)


def _log(x: Expr) -> Expr:
    e, f = _log_parts(x)
    s = f / (f + 2.0)
    half = f * f * 0.5
    tail = Fma(e, _f(_LN2_LOW), s * (half + _log_tail(s)))
    return _log_ends(x, Fma(e, _f(_LN2_HIGH), f - (half - tail)))


def _log_1_plus(x: Expr) -> Expr:
    u = x + 1.0
    found = _log(u) + (x - (u - 1.0)) / u
    found = Select(compare("eq", u, _f(1.0)), x, found)
    return Select(compare("lt", u, _f(math.inf)), found, _log(u))


def _plain(result: Expr, *params: Var) -> Written:
    return Written(params or (X,), (), result)


# ─── angles ────────────────────────────────────────────────────────────────────────────────────────────────────────

_FAR = 2.0**30
_WORDS = 7  # of 2/pi, 32 bits each: the shift within a word takes one of them


def _two_over_pi() -> list[int]:
    """2/pi in words of 32 bits; the first word is all zeros, of what stands before the binary point."""
    count = 32 + _WORDS
    digits = int(1 / _HALF_PI * Fraction(2) ** (32 * count))
    return [0, *((digits >> 32 * (count - 1 - at)) & 0xFFFFFFFF for at in range(count))]


def _word(value: int) -> Const:
    return Const(value, _U64)


def _shift(op: str, x: Expr, count: int) -> Expr:
    return Binary(op, x, _word(count))


def _low(x: Expr) -> Expr:
    return Binary("and", x, _word(0xFFFFFFFF))


def _bits_of_two_over_pi(exponent: Expr) -> list[Expr]:
    """192 bits of 2/pi 2^exponent, highest first in words of 32, without those whose product with a whole number is a multiple
    of 4; for exponents from -30 to 971.
    """
    table = _two_over_pi()
    position = Cast(exponent + 30, _U64)  # of the first bit wanted, in the table
    number = _shift("shr", position, 5)
    words: list[Expr] = [_word(part) for part in table]
    step = 16
    while step:
        keep = _WORDS + step - 1
        chosen = Binary("ne", Binary("and", number, _word(step)), _word(0))
        words = [Select(chosen, words[at + step], words[at]) for at in range(min(keep, len(words) - step))]
        step //= 2
    inside = Binary("and", position, _word(31))
    pairs = [Binary("or", _shift("shl", first, 32), second) for first, second in itertools.pairwise(words)]
    return [_low(_shift("shr", Binary("shl", pair, inside), 32)) for pair in pairs]


def _far_angle(x: Expr) -> tuple[Expr, Expr, Expr]:
    """(quarter turns, and the rest in two parts) of a large positive angle: its mantissa times the bits of 2/pi that matter."""
    bits = Bitcast(x, _I64)
    exponent = Binary("shr", bits, _i(52)) - 1075
    mantissa = Cast(Binary("or", Binary("and", bits, _i(2**52 - 1)), _i(2**52)), _U64)
    digits = _low(mantissa), _shift("shr", mantissa, 32)
    carry: Expr = _word(0)
    product: list[Expr] = []
    below: Expr = _word(0)
    for word in reversed(_bits_of_two_over_pi(exponent)):
        one, other = digits[0] * word, digits[1] * below
        total = _low(one) + _low(other) + carry
        product.append(_low(total))
        carry = _shift("shr", one, 32) + _shift("shr", other, 32) + _shift("shr", total, 32)
        below = word
    top, middle, bottom = (Binary("or", _shift("shl", product[at], 32), product[at - 1]) for at in (5, 3, 1))
    turns = _shift("shr", top, 62) + Binary("and", _shift("shr", top, 61), _word(1))
    first = Binary("or", _shift("shl", top, 2), _shift("shr", middle, 62))
    second = Binary("or", _shift("shl", middle, 2), _shift("shr", bottom, 62))
    negative = Binary("ne", _shift("shr", first, 63), _word(0))
    high, end = Select(negative, Unary("not", first), first), Select(negative, Unary("not", second), second)
    # In three pieces of 43 bits, each exact in float64. No float64 is so near to a multiple of pi/2 that they are all zero.
    pieces = (
        _shift("shr", high, 21),
        Binary("or", _shift("shl", Binary("and", high, _word(2**21 - 1)), 22), _shift("shr", end, 42)),
        Binary("and", end, _word(2**42 - 1)),
    )
    a, b, c = (Cast(piece, _F64) * 2.0**-at for piece, at in zip(pieces, (43, 86, 128), strict=True))
    near = a + b
    rest = (b - (near - a)) + c
    size = near * _PIO2[0]
    error = Fma(near, _f(_PIO2[0]), -size) + (near * _PIO2[1] + rest * _PIO2[0])
    return Cast(turns, _I64), Select(negative, -size, size), Select(negative, -error, error)


def _near_angle(x: Expr) -> tuple[Expr, Expr, Expr]:
    n = call("rint", x * float(1 / _HALF_PI))
    first = Fma(n, _f(-_PIO2[0]), x)
    product = n * _PIO2[1]
    lost = Fma(n, _f(_PIO2[1]), -product)
    size = first - product
    error = ((first - size) - product) - lost - n * _PIO2[2]
    return Cast(n, _I64), size, error


def _angle(x: Var) -> tuple[tuple[Stmt, ...], Expr, Expr, Expr]:
    """Statements, and (quarter turns, and the rest in two parts) of |x| after them."""
    turns, parts = buffer("turns", _I64, (1,)), buffer("parts", _F64, (2,))

    def kept(found: tuple[Expr, Expr, Expr]) -> tuple[Stmt, ...]:
        size = found[1] + found[2]  # so that the second part is below the last bit of the first
        return (
            store(turns, (0,), found[0]),
            store(parts, (0,), size),
            store(parts, (1,), found[2] - (size - found[1])),
        )

    size = _abs(x)
    body = (
        Alloc(turns),
        Alloc(parts),
        If(compare("gt", size, _f(_FAR)), kept(_far_angle(size)), kept(_near_angle(size))),
    )
    return body, load(turns, 0), load(parts, 0), load(parts, 1)


def _sine_of(y: Expr, more: Expr) -> Expr:
    z = y * y
    tail = _polynomial(z, [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9)])
    return y + Fma(y * z, tail, more * Fma(z, _f(-0.5), _f(1.0)))


def _cosine_of(y: Expr, more: Expr) -> Expr:
    z = y * y
    tail = _polynomial(z, [(-1) ** k / math.factorial(2 * k) for k in range(2, 10)])
    half = z * 0.5
    one = 1.0 - half
    return one + (((1.0 - one) - half) + Fma(z * z, tail, -(y * more)))


def _turned(quarters: int) -> Written:
    """sin(|x| + quarters pi/2), with the sign that x gives a sine."""
    body, turns, y, more = _angle(X)
    turn = turns + quarters
    odd = Binary("ne", Binary("and", turn, _i(1)), _i(0))
    found = Select(odd, _cosine_of(y, more), _sine_of(y, more))
    flipped = Binary("xor", Bitcast(found, _I64), Binary("shl", Binary("and", turn, _i(2)), _i(62)))
    if quarters == 0:
        flipped = Binary("xor", flipped, Binary("and", Bitcast(X, _I64), _SIGN))
    return Written((X,), body, _not_infinite(Bitcast(flipped, _F64)))


def _not_infinite(result: Expr) -> Expr:
    return Select(compare("lt", _abs(X), _f(math.inf)), result, X - X)


def _tangent() -> Written:
    body, turns, y, more = _angle(X)
    odd = Binary("ne", Binary("and", turns, _i(1)), _i(0))
    sine, cosine = _sine_of(y, more), _cosine_of(y, more)
    found = Select(odd, -cosine, sine) / Select(odd, sine, cosine)
    signed = Binary("xor", Bitcast(found, _I64), Binary("and", Bitcast(X, _I64), _SIGN))
    return Written((X,), body, _not_infinite(Bitcast(signed, _F64)))


def _arc_tangent(x: Expr) -> Expr:
    size = _abs(x)
    steep = compare("gt", size, _f(1.0))
    a = Select(steep, 1.0 / size, size)
    middle = compare("gt", a, _f(math.tan(math.pi / 8)))
    t = Select(middle, (a - 1.0) / (a + 1.0), a)
    z = t * t
    found: Expr = Fma(t * z, _polynomial(z, [(-1) ** k / (2 * k + 1) for k in range(1, 23)]), t)
    found = Select(middle, found + _PIO2[1] / 2 + _PIO2[0] / 2, found)
    found = Select(steep, _f(_PIO2[0]) - (found - _PIO2[1]), found)
    return _with_sign_of(found, x)


def _arc_sine(x: Expr) -> Expr:
    return _arc_tangent(x / call("sqrt", (1.0 - x) * (1.0 + x)))


def _arc_cosine(x: Expr) -> Expr:
    near = _arc_tangent(call("sqrt", (1.0 - x) / (1.0 + x))) * 2.0
    return Select(compare("gt", x, _f(0.5)), near, _f(_PIO2[0]) - (_arc_sine(x) - _PIO2[1]))


# ─── the others ────────────────────────────────────────────────────────────────────────────────────────────────────


def _half_exp(size: Expr) -> Expr:
    """e^size / 2, also where e^size is beyond the greatest number."""
    root = _exp(size * 0.5)
    return root * 0.5 * root


def _hyperbolic_sine() -> Expr:
    size = _abs(X)
    e = _exp_minus_1(minimum(_f(25.0), size))
    near = (e + e / (e + 1.0)) * 0.5
    return _with_sign_of(Select(compare("lt", size, _f(25.0)), near, _half_exp(size)), X)


def _hyperbolic_cosine() -> Expr:
    size = _abs(X)
    e = _exp(minimum(_f(25.0), size))
    return Select(compare("lt", size, _f(25.0)), (e + 1.0 / e) * 0.5, _half_exp(size))


def _hyperbolic_tangent() -> Expr:
    e = _exp_minus_1(minimum(_f(22.0), _abs(X)) * 2.0)
    return _with_sign_of(Select(compare("lt", e, _f(1.0)), e / (e + 2.0), 1.0 - 2.0 / (e + 2.0)), X)


def _area_sine() -> Expr:
    size = _abs(X)
    square = size * size
    near = _log_1_plus(size + square / (1.0 + call("sqrt", square + 1.0)))
    return _with_sign_of(Select(compare("lt", size, _f(2.0**28)), near, _log(size) + math.log(2)), X)


def _area_cosine() -> Expr:
    t = X - 1.0
    near = _log_1_plus(t + call("sqrt", Fma(t, t, t * 2.0)))
    found = Select(compare("lt", X, _f(2.0**28)), near, _log(X) + math.log(2))
    return Select(compare("lt", X, _f(1.0)), _f(math.nan), found)


def _area_tangent() -> Expr:
    size = _abs(X)
    return _with_sign_of(_log_1_plus((size + size) / (1.0 - size)) * 0.5, X)


def _error_function() -> Written:
    """Up to 2, 2/sqrt(pi) x e^(-x²) (1 + 2x²/3 (1 + 2x²/5 (1 + …))), where all terms are positive; further out 1 minus
    e^(-x²)/sqrt(pi) / (x + 1/2 / (x + 2/2 / (x + 3/2 / …))), until that is lost beside 1.
    """
    total, k = buffer("total", _F64, (1,)), Var("k")
    size = minimum(_f(7.0), _abs(X))
    square = size * size
    lost = Fma(size, size, -square)
    terms, depth = 48, 64
    e = _exp(-square)
    e = Fma(e, -lost, e)
    factor = square * 2.0 / (2.0 * terms + 1.0 - Cast(k, _F64) * 2.0)
    near = (
        store(total, (0,), 1.0),
        For(k, index(terms), (store(total, (0,), Fma(factor, load(total, 0), _f(1.0))),)),
        store(total, (0,), size * (2 / math.sqrt(math.pi)) * e * load(total, 0)),
    )
    far = (
        store(total, (0,), size),
        For(k, index(depth), (store(total, (0,), (depth - Cast(k, _F64)) * 0.5 / load(total, 0) + size),)),
        store(total, (0,), 1.0 - e / load(total, 0) * (1 / math.sqrt(math.pi))),
    )
    body = (Alloc(total), If(compare("lt", size, _f(2.0)), near, far))
    return Written((X,), body, Select(call("isnan", X), X, _with_sign_of(load(total, 0), X)))


def _power() -> Expr:
    """e^(y log|x|), the logarithm and the product in two parts each; then what IEEE says about signs and ends."""
    size = _abs(X)
    e, f = _log_parts(size)
    d = f + 2.0
    s = f / d
    s_low = (Fma(-s, d, f) - s * (f - (d - 2.0))) / d
    first = e * _LN2_HIGH
    twice = s * 2.0
    high = first + twice
    # e is 0 or the larger one.
    low = Select(compare("eq", e, _f(0.0)), _f(0.0), (first - high) + twice)
    rest = low + Fma(e, _f(_LN2_LOW), Fma(s, _log_tail(s), s_low * 2.0))
    log_high = high + rest
    log_low: Expr = rest - (log_high - high)
    finite = Binary("and", compare("lt", size, _f(math.inf)), compare("gt", size, _f(0.0)))
    log_high, log_low = _log_ends(size, log_high), Select(finite, log_low, _f(0.0))
    product = Y * log_high
    lost = Fma(Y, log_high, -product) + Y * log_low
    power = _exp(product)
    plain = Binary("and", compare("lt", power, _f(math.inf)), compare("lt", _abs(product), _f(math.inf)))
    result: Expr = Select(plain, Fma(power, lost, power), power)
    result = Select(Binary("and", compare("eq", size, _f(1.0)), Unary("not", call("isnan", Y))), _f(1.0), result)
    whole = compare("eq", call("trunc", Y), Y)
    half = Y * 0.5
    odd = Binary("and", whole, compare("ne", call("trunc", half), half))
    odd = Binary("and", odd, compare("lt", _abs(Y), _f(2.0**53)))
    is_negative = compare("lt", Bitcast(X, _I64), _i(0))
    result = Select(Binary("and", is_negative, odd), -result, result)
    no_power = Binary("and", compare("lt", X, _f(0.0)), Unary("not", whole))
    no_power = Binary("and", no_power, compare("lt", size, _f(math.inf)))
    result = Select(no_power, _f(math.nan), result)
    result = Select(Binary("or", call("isnan", X), call("isnan", Y)), _f(math.nan), result)
    return Select(Binary("or", compare("eq", X, _f(1.0)), compare("eq", Y, _f(0.0))), _f(1.0), result)


def _remainder() -> Written:
    """Long division of the mantissas, bit by bit: exact, with the sign of x."""
    rest, k = buffer("rest", _I64, (1,)), Var("k")

    def parts(value: Expr) -> tuple[Expr, Expr]:
        """(mantissa of 53 bits, exponent), also of subnormal numbers."""
        size = _abs(value)
        tiny = compare("lt", size, _f(_TINY))
        bits = Bitcast(Select(tiny, size * 2.0**54, size), _I64)
        exponent = Binary("shr", bits, _i(52)) - Select(tiny, _i(54), _i(0))
        return Binary("or", Binary("and", bits, _i(2**52 - 1)), _i(2**52)), exponent

    (m, e), (n, d) = parts(X), parts(Y)
    now = load(rest, 0)
    less = Select(compare("lt", now, n), now, now - n)
    body: tuple[Stmt, ...] = (
        Alloc(rest),
        Store(rest, (_i(0),), m),
        For(k, maximum(e - d, 0), (store(rest, (0,), Binary("shl", less, _i(1))),)),
    )
    found = _with_sign_of(_scaled(Cast(less, _F64), d - 1075), X)
    found = Select(compare("lt", _abs(X), _abs(Y)), X, found)
    good = Binary("and", compare("lt", _abs(X), _f(math.inf)), compare("gt", _abs(Y), _f(0.0)))
    found = Select(Binary("and", good, Unary("not", call("isnan", Y))), found, _f(math.nan))
    return Written((X, Y), body, Select(compare("eq", X, _f(0.0)), Select(good, X, found), found))


WRITTEN: Mapping[str, Written] = {
    "exp": _plain(_exp(X)),
    "log": _plain(_log(X)),
    "sin": _turned(0),
    "cos": _turned(1),
    "tan": _tangent(),
    "asin": _plain(_arc_sine(X)),
    "acos": _plain(_arc_cosine(X)),
    "atan": _plain(_arc_tangent(X)),
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
