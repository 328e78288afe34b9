"""float64 sine, cosine, tangent and their inverses in the loop IR; see `math/f64`."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from ingot.codegen.math.f64_parts import (
    F64,
    I64,
    SIGN,
    U64,
    Written,
    X,
    polynomial,
    real,
    size_of,
    split,
    whole,
    with_sign_of,
)
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Cast,
    Const,
    Expr,
    Fma,
    If,
    Select,
    Stmt,
    Unary,
    Var,
    buffer,
    call,
    compare,
    load,
    store,
)


def _pi(bits: int) -> Fraction:
    """16 atan(1/5) - 4 atan(1/239), to so many bits."""
    unit = 1 << bits + 32

    def series(inverse: int) -> int:
        term, total, k = unit // inverse, 0, 0
        while term:
            total += (-term if k & 1 else term) // (2 * k + 1)
            term //= inverse * inverse
            k += 1
        return total

    return Fraction(16 * series(5) - 4 * series(239), unit)


_HALF_PI = _pi(1400) / 2  # 2/pi to the bits that the greatest float64 needs
_PIO2 = split(_HALF_PI, 53, 53)

NEAR = 2.0**30  # angles that three parts of pi/2 reduce
_MAGIC = 1.5 * 2.0**52  # added, it leaves a whole number in the low bits, rounded to nearest even
_WORDS = 7  # of 2/pi, 32 bits each: the shift within a word takes one of them


def _two_over_pi() -> list[int]:
    """2/pi in words of 32 bits; the first word is all zeros, of what stands before the binary point."""
    count = 32 + _WORDS
    digits = int(1 / _HALF_PI * Fraction(2) ** (32 * count))
    return [0, *((digits >> 32 * (count - 1 - at)) & 0xFFFFFFFF for at in range(count))]


def _word(value: int) -> Const:
    return Const(value, U64)


def _shift(op: str, x: Expr, count: int) -> Expr:
    return Binary(op, x, _word(count))


def _low(x: Expr) -> Expr:
    return Binary("and", x, _word(0xFFFFFFFF))


def _bits_of_two_over_pi(exponent: Expr) -> list[Expr]:
    """192 bits of 2/pi 2^exponent, highest first in words of 32, without those whose product with a whole number is a multiple
    of 4; for exponents from -30 to 971.
    """
    table = _two_over_pi()
    position = Cast(exponent + 30, U64)  # of the first bit wanted, in the table
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
    bits = Bitcast(x, I64)
    exponent = Binary("shr", bits, whole(52)) - 1075
    mantissa = Cast(Binary("or", Binary("and", bits, whole(2**52 - 1)), whole(2**52)), U64)
    digits = _low(mantissa), _shift("shr", mantissa, 32)
    carry: Expr = _word(0)
    product: list[Expr] = []
    below: Expr = _word(0)
    for word in reversed(_bits_of_two_over_pi(exponent)):
        high, low = digits[0] * word, digits[1] * below
        total = _low(high) + _low(low) + carry
        product.append(_low(total))
        carry = _shift("shr", high, 32) + _shift("shr", low, 32) + _shift("shr", total, 32)
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
    a, b, c = (Cast(piece, F64) * 2.0**-at for piece, at in zip(pieces, (43, 86, 128), strict=True))
    near = a + b
    rest = (b - (near - a)) + c
    size = near * _PIO2[0]
    error = Fma(near, real(_PIO2[0]), -size) + (near * _PIO2[1] + rest * _PIO2[0])
    return Cast(turns, I64), Select(negative, -size, size), Select(negative, -error, error)


def _near_angle(x: Expr) -> tuple[Expr, Expr, Expr]:
    n = call("rint", x * float(1 / _HALF_PI))
    return Cast(n, I64), *_rest(x, n)


def _rest(x: Expr, n: Expr) -> tuple[Expr, Expr]:
    """What n quarter turns leave of an angle, in two parts."""
    first = Fma(n, real(-_PIO2[0]), x)
    product = n * _PIO2[1]
    lost = Fma(n, real(_PIO2[1]), -product)
    size = first - product
    return size, ((first - size) - product) - lost - n * _PIO2[2]


def _split(angle: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    """The same sum, with the second part below the last bit of the first."""
    size = angle[0] + angle[1]
    return size, angle[1] - (size - angle[0])


def _angle(x: Var) -> tuple[tuple[Stmt, ...], Expr, Expr, Expr]:
    """Statements, and (quarter turns, and the rest in two parts) of |x| after them."""
    turns, parts = buffer("turns", I64, (1,)), buffer("parts", F64, (2,))

    def kept(angle: tuple[Expr, Expr, Expr]) -> tuple[Stmt, ...]:
        size, more = _split(angle[1:])
        return (store(turns, (0,), angle[0]), store(parts, (0,), size), store(parts, (1,), more))

    size = size_of(x)
    body = (
        Alloc(turns),
        Alloc(parts),
        If(compare("gt", size, real(NEAR)), kept(_far_angle(size)), kept(_near_angle(size))),
    )
    return body, load(turns, 0), load(parts, 0), load(parts, 1)


def _sine_of(y: Expr, more: Expr) -> Expr:
    z = y * y
    tail = polynomial(z, [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9)])
    return y + Fma(y * z, tail, more * Fma(z, real(-0.5), real(1.0)))


def _cosine_of(y: Expr, more: Expr) -> Expr:
    z = y * y
    tail = polynomial(z, [(-1) ** k / math.factorial(2 * k) for k in range(2, 10)])
    half = z * 0.5
    main = 1.0 - half
    return main + (((1.0 - main) - half) + Fma(z * z, tail, -(y * more)))


def sine(quarters: int) -> Written:
    """sin(|x| + quarters pi/2), with the sign that x gives a sine."""
    body, turns, y, more = _angle(X)
    return Written((X,), body, _not_infinite(_sine_at(turns, y, more, quarters)))


def _sine_at(turns: Expr, y: Expr, more: Expr, quarters: int) -> Expr:
    turn = turns + quarters
    odd = Binary("ne", Binary("and", turn, whole(1)), whole(0))
    result = Select(odd, _cosine_of(y, more), _sine_of(y, more))
    flipped = Binary("xor", Bitcast(result, I64), Binary("shl", Binary("and", turn, whole(2)), whole(62)))
    if quarters == 0:
        flipped = Binary("xor", flipped, Binary("and", Bitcast(X, I64), SIGN))
    return Bitcast(flipped, F64)


def _not_infinite(result: Expr) -> Expr:
    return Select(compare("lt", size_of(X), real(math.inf)), result, X - X)


def tangent() -> Written:
    """The tangent of x."""
    body, turns, y, more = _angle(X)
    return Written((X,), body, _not_infinite(_tangent_at(turns, y, more)))


def _tangent_at(turns: Expr, y: Expr, more: Expr) -> Expr:
    odd = Binary("ne", Binary("and", turns, whole(1)), whole(0))
    sine, cosine = _sine_of(y, more), _cosine_of(y, more)
    result = Select(odd, -cosine, sine) / Select(odd, sine, cosine)
    return Bitcast(Binary("xor", Bitcast(result, I64), Binary("and", Bitcast(X, I64), SIGN)), F64)


def _near_turns() -> tuple[Expr, Expr, Expr]:
    """As of `_angle`, without statements: for angles up to NEAR, where multiply-adds are rounded once."""
    size = size_of(X)
    shifted = size * float(1 / _HALF_PI) + _MAGIC
    return Bitcast(shifted, I64), *_split(_rest(size, shifted - _MAGIC))


def near_sine(quarters: int) -> Written:
    """As `sine`, as one expression for angles up to NEAR, where multiply-adds are rounded once."""
    return Written((X,), (), _sine_at(*_near_turns(), quarters))


def near_tangent() -> Written:
    """As `tangent`, as one expression for angles up to NEAR, where multiply-adds are rounded once."""
    return Written((X,), (), _tangent_at(*_near_turns()))


def arc_tangent(x: Expr) -> Expr:
    """The angle whose tangent is x."""
    size = size_of(x)
    steep = compare("gt", size, real(1.0))
    a = Select(steep, 1.0 / size, size)
    middle = compare("gt", a, real(math.tan(math.pi / 8)))
    t = Select(middle, (a - 1.0) / (a + 1.0), a)
    z = t * t
    result: Expr = Fma(t * z, polynomial(z, [(-1) ** k / (2 * k + 1) for k in range(1, 23)]), t)
    result = Select(middle, result + _PIO2[1] / 2 + _PIO2[0] / 2, result)
    result = Select(steep, real(_PIO2[0]) - (result - _PIO2[1]), result)
    return with_sign_of(result, x)


def arc_sine(x: Expr) -> Expr:
    """The angle whose sine is x."""
    return arc_tangent(x / call("sqrt", (1.0 - x) * (1.0 + x)))


def arc_cosine(x: Expr) -> Expr:
    """The angle whose cosine is x."""
    near = arc_tangent(call("sqrt", (1.0 - x) / (1.0 + x))) * 2.0
    return Select(compare("gt", x, real(0.5)), near, real(_PIO2[0]) - (arc_sine(x) - _PIO2[1]))
