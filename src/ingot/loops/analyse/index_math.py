"""Arithmetic on two constant indices."""

from __future__ import annotations


def folded(op: str, a: int, b: int) -> int | bool | None:
    """What an operation makes of two int64 numbers; None if it is none that is known, or the result is no int64."""
    match op:
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case "ge":
            return a >= b
        case "eq":
            return a == b
        case "ne":
            return a != b
    value = _number(op, a, b)
    return value if value is not None and -(2**63) <= value < 2**63 else None


def _number(op: str, a: int, b: int) -> int | None:
    match op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "div" | "rem" if b:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "div" else a - quotient * b
    return None
