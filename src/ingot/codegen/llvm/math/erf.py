"""The error function by intervals, for processors that look 16 floats up in a register.

Each of 16 intervals has a polynomial of its own: half of the operations of one formula for all, and most of them are not
multiply-adds, of which the epilogue of a product has too many. LLVM loads the tables before a loop.
"""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.x86 import looked_up_floats

_F32, _I32 = DType.FLOAT32, DType.INT32
# An interval is as wide, and its number the nearest whole number to x by that.
_WIDTH = 0.26
# Adding it leaves an integer in the low bits of a float32, rounded to nearest even. Its own lowest four bits are 0.
_MAGIC, _MAGIC_BITS = 1.5 * 2.0**23, 0x4B400000
# Near the middle of each interval, a float32 whose error function is one, but for a fiftieth of its last bit.
_PLACES = (
    0.0,
    0.25412,
    0.51796,
    0.77916,
    1.03925,
    1.29469,
    1.55655,
    1.82888,
    2.08546,
    2.33436,
    2.5976,
    2.85778,
    3.132576,
    3.381968,
    3.653344,
    3.832512,
)
_THERE = (
    0.0,
    0.28068912,
    0.53614026,
    0.7294943,
    0.8583628,
    0.9328947,
    0.9722848,
    0.9903023,
    0.9968149,
    0.99903756,
    0.9997608,
    0.9999469,
    0.9999906,
    0.9999983,
    0.99999976,
    0.99999994,
)
# (erf(x) - there) / (x - place) in x - place; less 1 in the first interval, where the place is 0.
_SLOPES = (
    (
        0.12837917,
        1.0578148,
        0.86286217,
        0.61489236,
        0.38317698,
        0.21109651,
        0.100051954,
        0.039794758,
        0.014576262,
        0.004851561,
        0.0013244683,
        0.00032034089,
        6.176161e-05,
        1.2165269e-05,
        1.802854e-06,
        4.714913e-07,
    ),
    (
        2.8462029e-12,
        -0.26880673,
        -0.44692212,
        -0.47909677,
        -0.3982176,
        -0.27330717,
        -0.15573797,
        -0.072780535,
        -0.030398065,
        -0.011324909,
        -0.0034401468,
        -0.00091534527,
        -0.00019343056,
        -4.1103216e-05,
        -6.56266e-06,
        -1.8061647e-06,
    ),
    (
        -0.37612286,
        -0.30706638,
        -0.13329883,
        0.043889843,
        0.14816624,
        0.1655199,
        0.12825342,
        0.07547894,
        0.03740424,
        0.016009372,
        0.005516778,
        0.0016374328,
        0.0003828691,
        8.869769e-05,
        1.545319e-05,
        4.465368e-06,
    ),
    (
        -3.5674672e-10,
        0.12764733,
        0.18234512,
        0.14206128,
        0.055936735,
        -0.015542202,
        -0.047504004,
        -0.04462437,
        -0.0288977,
        -0.014981544,
        -0.006073823,
        -0.0020613105,
        -0.0005450835,
        -0.00014101571,
        -2.8089375e-05,
        -7.9378715e-06,
    ),
    (
        0.112196654,
        0.07854007,
        0.0022490793,
        -0.056869905,
        -0.06711813,
        -0.040616047,
        -0.008509355,
        0.009596473,
        0.01282175,
        0.009011259,
        0.0045851837,
        0.0018357226,
        0.00059939065,
        0.00015993995,
        3.1768926e-05,
        8.754793e-06,
    ),
)


def erf_of_size(ops: Operations, size: Value) -> Value:
    """erf(x) for 0 <= x <= 4, or NaN; for chips with `looks_floats_up`. Below 1.3 ulp."""
    number = ops.bitcast(ops.fma(size, constant(1 / _WIDTH, _F32), constant(_MAGIC, _F32)), _I32)
    apart = ops.binary("sub", size, looked_up_floats(ops, _PLACES, number))
    slope = looked_up_floats(ops, _SLOPES[-1], number)
    for table in reversed(_SLOPES[:-1]):
        slope = ops.fma(slope, apart, looked_up_floats(ops, table, number))
    # The first interval adds `size` itself, not a value of the table: small results keep the relative accuracy of the argument.
    is_first = ops.binary("eq", number, constant(_MAGIC_BITS, _I32))
    return ops.fma(slope, apart, ops.select(is_first, size, looked_up_floats(ops, _THERE, number)))
