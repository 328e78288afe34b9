"""float32 functions as arithmetic: polynomials without branches, the same for scalars and vectors; tables in registers at most.

So a result does not depend on the lane, the vector width or the C library. Greatest errors, against float64, over dense sweeps of
all exponents (the tests hold them to it):

    exp         1.0 ulp over all floats; subnormal results, infinity and NaN as IEEE says
    exp_flushed 1.3 ulp up to 89; 0 below 2^-125.5
    log         0.8 ulp; of 0 it is -infinity, of a negative number NaN
    tanh        2.5 ulp
    erf         1.5 ulp; 1.3 where polynomials are looked up in registers (`llvm/math/erf`)
    sin, cos    1.5 ulp up to 2^20; further out the C library is called
    tan         3 ulp up to 2^20; further out the C library is called
    asin        2.5 ulp
    acos        2 ulp
    atan        2 ulp

With and without fused multiply-add. The coefficients are minimax fits, made so that the lower ones are float32 numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.x86 import scaled
from ingot.codegen.llvm.math.erf import erf_of_size

_F32, _I32 = DType.FLOAT32, DType.INT32
# Adding it leaves an integer in the low bits of a float32, rounded to nearest even.
_MAGIC, _MAGIC_BITS = 1.5 * 2.0**23, 0x4B400000
# ln 2 in two parts; the first has few bits, so that its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440054690581e-4

# 252 powers of two below 1: twice 2^-126, of which the second factor is one less, and so 0, not a tiny number: processors take
# long for results that small, and a masked softmax has many.
_EXP_ZERO = -174.6
# Here the factor is 2^-127, which is held as 0.
_EXP_FLUSHED = -87.33
# (e^r - 1 - r) / r² for |r| <= ln 2 / 2
_EXP = (
    0.4999999403953552,
    0.1666652113199234,
    0.04166826233267784,
    0.00836867094039917,
    0.001382104237563908,
)
_TWICE_EXP = tuple(2.0 * coefficient for coefficient in _EXP)
# (log(1 + f) - f + f²/2) / f³ for sqrt(1/2) - 1 <= f <= sqrt(2) - 1
_LOG = (
    0.3333333134651184,
    -0.24999971687793732,
    0.2000015676021576,
    -0.166692316532135,
    0.1428346186876297,
    -0.12425883859395981,
    0.11054567247629166,
    -0.10825978219509125,
    0.105574831366539,
    -0.058894336223602295,
)
# erf(x)/x - 1 in x² for |x| <= 1
_ERF_NEAR = (
    0.12837916612625122,
    -0.3761262893676758,
    0.1128363162279129,
    -0.026856495067477226,
    0.005195796024054289,
    -0.0008117625839076936,
    8.623459871159866e-05,
    -2.1722182736994e-06,
)
# log2(1 - erf(x)) / x for 1 <= x <= 4
_ERF_FAR = (
    -1.6282122135162354,
    -0.9167599081993103,
    -0.15234221518039703,
    0.033206600695848465,
    -0.004526510369032621,
    0.0001776989083737135,
    4.5302618673304096e-05,
    -5.473246801557252e-06,
)
# -2^f for |f| <= 1/2, to 22 bits: what 1 - erf(x) needs beside 1
_MINUS_POWER = (
    -1.0,
    -0.6931469440460205,
    -0.24022120237350464,
    -0.05550713092088699,
    -0.009675540961325169,
    -0.0013276472454890609,
)
# (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴ in r² for |r| <= pi/4
_SIN = (-0.1666666716337204, 0.008333379402756691, -0.00019853028061334044, 2.831773826983408e-06)
_COS = (0.0416666679084301, -0.0013888981193304062, 2.4822447812766768e-05, -2.891816848205053e-07)
# (asin a - a) / a³ in a² for 0 <= a <= 1/2
_ASIN = (
    0.16666752099990845,
    0.074953094124794,
    0.04546914994716644,
    0.024184778332710266,
    0.042158305644989014,
)
# (atan a - a) / a³ in a² for 0 <= a <= 1
_ATAN = (
    -0.33333152532577515,
    0.19993767142295837,
    -0.14211003482341766,
    0.10665786266326904,
    -0.07551728934049606,
    0.043205976486206055,
    -0.016364244744181633,
    0.0029197600670158863,
)
_TRIGONOMETRIC_LIMIT = 2.0**20
_HALF_PI_HIGH = 1.5707963267341256  # 33 bits: its product with a quarter turn count is exact in float64
_HALF_PI_LOW = math.pi / 2 - _HALF_PI_HIGH + 6.123233995736766e-17
_HALF_PI_REST = math.pi / 2 - 1.57079637050628662109375  # what float32's nearest number lacks


def _f(value: float) -> Value:
    return constant(value, _F32)


def _i(value: int) -> Value:
    return constant(value, _I32)


def _polynomial(ops: Operations, x: Value, coefficients: Sequence[float]) -> Value:
    result = _f(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = ops.fma(result, x, _f(coefficient))
    return result


def _polynomial_of_8(ops: Operations, x: Value, square: Value, coefficients: Sequence[float]) -> Value:
    """A polynomial with 8 coefficients, by pairs of them, which do not wait for each other."""
    low, *higher = (_polynomial(ops, x, coefficients[first : first + 2]) for first in range(0, 8, 2))
    halves = ops.fma(higher[0], square, low), ops.fma(higher[2], square, higher[1])
    return ops.fma(halves[1], ops.mul(square, square), halves[0])


def _power_of_two(ops: Operations, exponent: Value) -> Value:
    """2^n of the int32 n + 127, for -127 <= n <= 127: 0 where n is -127. Only the low 9 bits of it count."""
    return ops.bitcast(ops.binary("shl", exponent, _i(23)), _F32)


def _reduce(ops: Operations, x: Value, bias: int = 127) -> tuple[Value, Value, Value]:
    """(n, r, bits) with x = n ln 2 + r: the whole number n, and |r| <= ln 2 / 2. A NaN stays one in r. `bits`, an int32, are n +
    `bias` in the low ones, and those of the magic number above.
    """
    magic = _MAGIC + bias
    shifted = ops.fma(x, _f(1 / math.log(2)), _f(magic))
    n = ops.binary("sub", shifted, _f(magic))
    r = ops.fma(n, _f(-_LN2_HIGH), x)
    return n, ops.fma(n, _f(-_LN2_LOW), r), ops.bitcast(shifted, _I32)


def _exp_minus_1_near(ops: Operations, r: Value) -> Value:
    """e^r - 1 for |r| <= ln 2 / 2. Two parts of the polynomial do not wait for each other."""
    square = ops.mul(r, r)
    low, high = _polynomial(ops, r, _EXP[:2]), ops.fma(square, _f(_EXP[4]), _polynomial(ops, r, _EXP[2:4]))
    return ops.fma(square, ops.fma(square, high, low), r)


def exp(ops: Operations, x: Value) -> Value:
    """e^x."""
    # Beyond these the result is infinity or 0 anyway. The operand order keeps a NaN.
    if ops.chip.has_scalef:
        return _exp_scaled(ops, ops.binary("min", _f(89.0), ops.binary("max", _f(-104.0), x)))
    near, bits = _exp_parts(ops, x, _EXP_ZERO)
    # Where the result is subnormal the exponent is in two factors, of which the second is 2^0 elsewhere.
    normal = ops.binary("max", bits, _i(_MAGIC_BITS + 1))
    rest = ops.add(ops.binary("shl", ops.binary("sub", bits, normal), _i(23)), _i(127 << 23))
    return ops.mul(ops.mul(near, _power_of_two(ops, normal)), ops.bitcast(rest, _F32))


def _exp_scaled(ops: Operations, x: Value) -> Value:
    """e^x from -104 to 89, by an instruction that multiplies by a power of two.

    Each step of the polynomial waits for the one before, which is an operation less than in two parts with 1 added behind them:
    where there is such an instruction there are 32 registers, too, and four vectors go side by side.
    """
    whole, r, _ = _reduce(ops, x)
    return scaled(ops, _polynomial(ops, r, (1.0, 1.0, *_EXP)), whole)


def exp_flushed(ops: Operations, x: Value) -> Value:
    """e^x for x up to 89 (or NaN), or 0 where it is below 2^-125.5.

    Fewer operations than `exp`, and a shorter chain of them: 1 is added to the argument, which is rounded, before the rest.
    """
    if ops.chip.has_scalef:
        # A Granite Rapids takes long to scale a vector with a result that is subnormal, or would be, as those of masked scores
        # are: 937 µs for 12 heads of attention of 128 × 128, half of them masked; 397 so.
        scaled = _exp_scaled(ops, ops.binary("max", _f(_EXP_FLUSHED), x))
        return ops.select(ops.binary("lt", x, _f(_EXP_FLUSHED)), _f(0.0), scaled)
    _, r, bits = _reduce(ops, ops.binary("max", _f(_EXP_FLUSHED), x), 126)
    square = ops.mul(r, r)
    first, second, third = (
        _polynomial(ops, r, pair) for pair in ((2.0, 2.0), _TWICE_EXP[:2], _TWICE_EXP[2:4])
    )
    rest = ops.fma(ops.fma(square, _f(_TWICE_EXP[4]), third), square, second)
    return ops.mul(ops.fma(rest, square, first), _power_of_two(ops, bits))


def _exp_parts(ops: Operations, x: Value, minimum: float) -> tuple[Value, Value]:
    """2 e^r and the int32 n - 1 + 127 (n may be 128) with x = n ln 2 + r, for x of `minimum` or more, which others become."""
    # Above 89 the result is infinity anyway. The operand order keeps a NaN.
    x = ops.binary("min", _f(89.0), ops.binary("max", _f(minimum), x))
    _, r, bits = _reduce(ops, x, 126)
    return ops.fma(_exp_minus_1_near(ops, r), _f(2.0), _f(2.0)), bits


def log(ops: Operations, x: Value) -> Value:
    """The natural logarithm."""
    tiny = ops.binary("lt", x, _f(2.0**-126))
    bits = ops.bitcast(ops.select(tiny, ops.mul(x, _f(2.0**23)), x), _I32)
    # The exponent that leaves a mantissa between sqrt(1/2) and sqrt(2).
    exponent = ops.binary("shr", ops.binary("sub", bits, _i(0x3F3504F3)), _i(23))
    mantissa = ops.bitcast(ops.binary("sub", bits, ops.binary("shl", exponent, _i(23))), _F32)
    e = ops.binary("sub", ops.cast(exponent, _F32), ops.select(tiny, _f(23.0), _f(0.0)))
    f = ops.binary("sub", mantissa, _f(1.0))
    square = ops.mul(f, f)
    tail = ops.fma(e, _f(_LN2_LOW), ops.mul(ops.mul(square, f), _polynomial(ops, f, _LOG)))
    result = ops.fma(e, _f(_LN2_HIGH), ops.add(f, ops.fma(square, _f(-0.5), tail)))
    result = ops.select(
        ops.binary("lt", x, _f(math.inf)), result, x
    )  # infinity and NaN are their own logarithms
    result = ops.select(ops.binary("lt", x, _f(0.0)), _f(math.nan), result)
    return ops.select(ops.binary("eq", x, _f(0.0)), _f(-math.inf), result)


def with_sign_of(ops: Operations, size: Value, x: Value) -> Value:
    """`size`, which is not negative, or -`size` where x is, or is -0: float32 or float64."""
    bits = _I32 if x.dtype is _F32 else DType.INT64
    sign = ops.binary("and", ops.bitcast(x, bits), constant(-(1 << bits.bits - 1), bits))
    return ops.bitcast(ops.binary("or", ops.bitcast(size, bits), sign), x.dtype)


def tanh(ops: Operations, x: Value) -> Value:
    """The hyperbolic tangent: (e^2x - 1) / (e^2x + 1), where the numerator is computed without subtracting from e^2x."""
    size = ops.binary("min", _f(10.0), ops.call("abs", [x]))
    # 2 size = n ln 2 + r, where n is small, and ln 2 need not be in two parts.
    magic = _MAGIC + 127
    shifted = ops.fma(size, _f(2 / math.log(2)), _f(magic))
    n, bits = ops.binary("sub", shifted, _f(magic)), ops.bitcast(shifted, _I32)
    r = ops.fma(n, _f(-math.log(2)), ops.add(size, size))
    scale = _power_of_two(ops, bits)
    numerator = ops.fma(scale, _exp_minus_1_near(ops, r), ops.binary("sub", scale, _f(1.0)))
    return with_sign_of(ops, ops.binary("div", numerator, ops.add(numerator, _f(2.0))), x)


def erf(ops: Operations, x: Value) -> Value:
    """The error function."""
    size = ops.binary("min", _f(4.0), ops.call("abs", [x]))
    if ops.chip.looks_floats_up:
        return with_sign_of(ops, erf_of_size(ops, size), x)
    square = ops.mul(size, size)
    near = ops.fma(size, _polynomial_of_8(ops, square, ops.mul(square, square), _ERF_NEAR), size)
    exponent = ops.mul(size, _polynomial_of_8(ops, size, square, _ERF_FAR))
    shifted = ops.add(exponent, _f(_MAGIC + 127))
    fraction = ops.binary("sub", exponent, ops.binary("sub", shifted, _f(_MAGIC + 127)))
    power = _power_of_two(ops, ops.bitcast(shifted, _I32))
    far = ops.fma(_polynomial(ops, fraction, _MINUS_POWER), power, _f(1.0))
    return with_sign_of(ops, ops.select(ops.binary("gt", size, _f(1.0)), far, near), x)


def _quarter(ops: Operations, x: Value) -> tuple[Value, Value, Value]:
    """(n, sin r, cos r) with x = n pi/2 + r. The argument is reduced in float64, so that results near 0 keep their digits."""
    double = DType.FLOAT64
    wide = ops.cast(x, double)
    magic = constant(1.5 * 2.0**52, double)
    shifted = ops.add(ops.mul(wide, constant(2 / math.pi, double)), magic)
    n = ops.binary("sub", shifted, magic)
    r = ops.binary("sub", wide, ops.mul(n, constant(_HALF_PI_HIGH, double)))
    r = ops.cast(ops.binary("sub", r, ops.mul(n, constant(_HALF_PI_LOW, double))), _F32)
    z = ops.mul(r, r)
    sine = ops.fma(ops.mul(z, r), _polynomial(ops, z, _SIN), r)
    cosine = ops.add(ops.fma(z, _f(-0.5), ops.mul(ops.mul(z, z), _polynomial(ops, z, _COS))), _f(1.0))
    return ops.cast(ops.bitcast(shifted, DType.INT64), _I32), sine, cosine


def _sine(ops: Operations, x: Value, name: str, quarters: int) -> Value:
    """sin(x + quarters pi/2)."""
    turn, sine, cosine = _quarter(ops, x)
    turn = ops.add(turn, _i(quarters))
    odd = ops.binary("ne", ops.binary("and", turn, _i(1)), _i(0))
    sign = ops.binary("shl", ops.binary("and", turn, _i(2)), _i(30))
    fast = ops.bitcast(ops.binary("xor", ops.bitcast(ops.select(odd, cosine, sine), _I32), sign), _F32)
    if quarters == 0:
        fast = ops.select(ops.binary("eq", x, _f(0.0)), x, fast)  # the sine of -0 is -0
    return _unless_far(ops, x, fast, name)


def _unless_far(ops: Operations, x: Value, fast: Value, name: str) -> Value:
    """`fast`, or the C library's result in lanes where |x| is beyond the limit, if there are any."""
    far = ops.binary("gt", ops.call("abs", [x]), _f(_TRIGONOMETRIC_LIMIT))
    return unless(ops, far, fast, lambda: ops.call(name, [x]))


def unless(ops: Operations, far: Value, fast: Value, slow: Callable[[], Value]) -> Value:
    """`fast`, or `slow()` in the lanes that are far. It is computed only if there are any."""
    fn = ops.fn
    some = (
        fn.call(f"llvm.vector.reduce.or.v{far.lanes}i1", "i1", (far.type, far.text))
        if far.lanes
        else far.text
    )
    before, there, after = fn.block, fn.label(), fn.label()
    fn.branch(some, there, after)
    fn.begin(there)
    exact = ops.select(far, slow(), fast)
    leaving = fn.block
    fn.jump(after)
    fn.begin(after)
    text = fn.emit(f"phi {fast.type} [ {fast.text}, %{before} ], [ {exact.text}, %{leaving} ]")
    return Value(text, fast.dtype, fast.lanes)


def sin(ops: Operations, x: Value) -> Value:
    """The sine of an angle in radians."""
    return _sine(ops, x, "sin", 0)


def cos(ops: Operations, x: Value) -> Value:
    """The cosine of an angle in radians."""
    return _sine(ops, x, "cos", 1)


def tan(ops: Operations, x: Value) -> Value:
    """The tangent of an angle in radians."""
    turn, sine, cosine = _quarter(ops, x)
    odd = ops.binary("ne", ops.binary("and", turn, _i(1)), _i(0))
    fast = ops.binary("div", ops.select(odd, ops.unary("neg", cosine), sine), ops.select(odd, sine, cosine))
    return _unless_far(ops, x, ops.select(ops.binary("eq", x, _f(0.0)), x, fast), "tan")


def _arc(ops: Operations, x: Value) -> tuple[Value, Value]:
    """(steep, asin a): a is |x| up to 1/2, and where it is steeper sqrt((1 - |x|) / 2), which has half the angle that is left."""
    size = ops.call("abs", [x])
    steep = ops.binary("gt", size, _f(0.5))
    half = ops.mul(ops.binary("sub", _f(1.0), size), _f(0.5))
    z = ops.select(steep, half, ops.mul(x, x))
    a = ops.select(steep, ops.call("sqrt", [half]), size)
    return steep, ops.fma(ops.mul(z, a), _polynomial(ops, z, _ASIN), a)


def asin(ops: Operations, x: Value) -> Value:
    """The angle in radians whose sine is x."""
    steep, angle = _arc(ops, x)
    rest = ops.binary("sub", _f(math.pi / 2), ops.binary("sub", ops.add(angle, angle), _f(_HALF_PI_REST)))
    return with_sign_of(ops, ops.select(steep, rest, angle), x)


def acos(ops: Operations, x: Value) -> Value:
    """The angle in radians whose cosine is x."""
    steep, angle = _arc(ops, x)
    twice = ops.add(angle, angle)
    obtuse = ops.binary("sub", _f(math.pi), ops.binary("sub", twice, _f(2 * _HALF_PI_REST)))
    signed = with_sign_of(ops, angle, x)
    flat = ops.binary("sub", _f(math.pi / 2), ops.binary("sub", signed, _f(_HALF_PI_REST)))
    return ops.select(steep, ops.select(ops.binary("lt", x, _f(0.0)), obtuse, twice), flat)


def atan(ops: Operations, x: Value) -> Value:
    """The angle in radians whose tangent is x: that of a slope over 1 is what the angle of its inverse leaves of pi/2."""
    size = ops.call("abs", [x])
    steep = ops.binary("gt", size, _f(1.0))
    a = ops.select(steep, ops.binary("div", _f(1.0), size), size)
    z = ops.mul(a, a)
    angle = ops.fma(ops.mul(z, a), _polynomial(ops, z, _ATAN), a)
    rest = ops.binary("sub", _f(math.pi / 2), ops.binary("sub", angle, _f(_HALF_PI_REST)))
    return with_sign_of(ops, ops.select(steep, rest, angle), x)


EXPANSIONS: Mapping[str, Callable[[Operations, Value], Value]] = {
    "exp": exp,
    "exp_flushed": exp_flushed,
    "log": log,
    "tanh": tanh,
    "erf": erf,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": atan,
}
