"""A second opinion on what a `Draft` means: definitions are evaluated by NumPy, with none of the compiler's own passes.

Pointwise definitions are evaluated for all indices at once; a template's loops are run one by one, except that a vector loop's
statements run once for all lanes. Every load is checked against its buffer where its branch is taken.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence

import ml_dtypes
import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Pointwise, Reshape, Site, Template
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Call,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    If,
    Let,
    Load,
    LoopKind,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
    buffer,
)
from ingot.machines.machine import Machine
from ingot.plan.program import Draft
from tests.support import machines

Array = np.ndarray
Loader = Callable[[Load, tuple[Array, ...], Array], Array]


@functools.cache
def native(dtype: DType) -> np.dtype:
    """The NumPy type to compute in."""
    return np.dtype(ml_dtypes.bfloat16) if dtype is DType.BFLOAT16 else dtype.numpy


def evaluate_draft(draft: Draft, feeds: Mapping[str, Array]) -> list[Array]:
    """The outputs of a model for these inputs. bfloat16 arrays come and go as `ml_dtypes.bfloat16`."""
    values: dict[str, Array] = {}
    for name, array in draft.constants.items():
        values[name] = (
            array.view(native(draft.types[name].dtype))
            if array.dtype != native(draft.types[name].dtype)
            else array
        )
    for name in draft.inputs:
        type_ = draft.types[name]
        array = np.asarray(feeds[name])
        assert array.shape == type_.shape, f"input {name}: got {array.shape}, expected {type_}"
        assert array.dtype == native(type_.dtype), f"input {name}: got {array.dtype}, expected {type_}"
        values[name] = array
    with np.errstate(all="ignore"):
        for step in draft.steps:
            inputs = [values[name] for name in step.inputs]
            for name, array in zip(
                step.outputs, evaluate(step.definition, inputs, draft, step.inputs), strict=True
            ):
                type_ = draft.types[name]
                assert array.shape == type_.shape and array.dtype == native(type_.dtype), (
                    f"{name}: {array.dtype}{array.shape}, {type_}"
                )
                values[name] = array
    return [values[name] for name in draft.outputs]


def evaluate(definition, inputs: Sequence[Array], draft: Draft, names: Sequence[str]) -> list[Array]:
    match definition:
        case Reshape():
            return [np.ascontiguousarray(inputs[0]).reshape(definition.output.shape)]
        case Pointwise():
            return [evaluate_pointwise(definition, inputs)]
        case Template():
            return run_template(definition, inputs, [draft.constants.get(name) for name in names])
    raise TypeError(type(definition))


def evaluate_pointwise(definition: Pointwise, inputs: Sequence[Array]) -> Array:
    shape = definition.output.shape
    grid = np.meshgrid(*(np.arange(extent) for extent in shape), indexing="ij", sparse=True) if shape else []
    env = dict(zip(definition.index, grid, strict=True))
    arrays = {formal.name: array for formal, array in zip(definition.inputs, inputs, strict=True)}
    if 0 in shape:
        return np.zeros(shape, native(definition.output.dtype))
    result = Evaluator(env, arrays).value(definition.value, np.array(True))
    assert definition.value.dtype is definition.output.dtype, (
        definition.name,
        definition.value.dtype,
        definition.output,
    )
    return np.array(np.broadcast_to(result, shape))


class Evaluator:
    """Evaluates expressions over arrays of lanes. `mask` says in which lanes the value is wanted."""

    def __init__(
        self,
        env: Mapping[Var, Array],
        arrays: Mapping[str, Array],
        constants: dict[int, tuple[Const, Array]] | None = None,
    ) -> None:
        self.env = env
        self.arrays = arrays
        self.constants = {} if constants is None else constants  # by `id`, for all statements of a kernel
        self.memory: dict[tuple[int, int], tuple[Expr, Array, Array]] = {}

    def value(self, expr: Expr, mask: Array) -> Array:
        if isinstance(expr, Var):
            return self.env[expr]
        if isinstance(expr, Const):
            known = self.constants.get(id(expr))
            if known is None:
                known = self.constants[id(expr)] = (expr, _constant(expr))
            return known[1]
        key = (id(expr), id(mask))
        found = self.memory.get(key)
        if found is None:
            found = (expr, mask, self._value(expr, mask))
            self.memory[key] = found
        return found[2]

    def _value(self, expr: Expr, mask: Array) -> Array:
        match expr:
            case Load():
                return self._load(expr, mask)
            case Unary():
                x = self.value(expr.operand, mask)
                return -x if expr.op == "neg" else np.logical_not(x) if x.dtype == bool else ~x
            case Binary():
                return self._binary(expr, self.value(expr.left, mask), self.value(expr.right, mask))
            case Fma():
                a, b, c = (self.value(part, mask) for part in (expr.a, expr.b, expr.c))
                assert a.dtype == b.dtype == c.dtype, expr
                return a * b + c
            case Select():
                condition = self.value(expr.condition, mask)
                assert condition.dtype == bool, "the condition of a Select is no bool"
                assert expr.if_true.dtype is expr.if_false.dtype, (
                    f"Select of {expr.if_true.dtype} and {expr.if_false.dtype}"
                )
                if condition.ndim == 0:
                    return self.value(expr.if_true if condition else expr.if_false, mask)
                yes, no = np.logical_and(mask, condition), np.logical_and(mask, ~condition)
                if not yes.any():
                    return self.value(expr.if_false, no)
                if not no.any():
                    return self.value(expr.if_true, yes)
                return np.where(condition, self.value(expr.if_true, yes), self.value(expr.if_false, no))
            case Cast():
                return _cast(self.value(expr.operand, mask), expr.dtype)
            case Bitcast():
                return np.asarray(self.value(expr.operand, mask)).view(native(expr.dtype))
            case Call():
                return _call(expr, [self.value(arg, mask) for arg in expr.args])
            case Word():
                *outer, last = expr.element.index
                bits = expr.element.dtype.bits
                loads = [Load(expr.element.buffer, (*outer, last + further)) for further in range(32 // bits)]
                parts = [
                    np.asarray(self.value(one, mask)).view(f"u{bits // 8}").astype(np.uint32) << bits * at
                    for at, one in enumerate(loads)
                ]
                return np.asarray(np.bitwise_or.reduce(parts)).view(np.int32)
            case Dot2():
                a, b = (self.value(part, mask) for part in (expr.a, expr.b))
                halves = [
                    (a >> shift).astype(np.int16).astype(np.int32) * (b >> shift).astype(np.int16)
                    for shift in (0, 16)
                ]
                return np.asarray(self.value(expr.total, mask) + sum(halves))
            case Dot4():
                a, b = (self.value(part, mask) for part in (expr.a, expr.b))
                left = np.int8 if expr.signed else np.uint8
                products = [
                    (a >> shift).astype(left).astype(np.int32) * (b >> shift).astype(np.int8)
                    for shift in (0, 8, 16, 24)
                ]
                return np.asarray(self.value(expr.total, mask) + sum(products))
        raise TypeError(type(expr))

    def _load(self, expr: Load, mask: Array) -> Array:
        array = self.arrays[expr.buffer.name]
        assert len(expr.index) == array.ndim == len(expr.buffer.shape), (
            f"{len(expr.index)} indices into {expr.buffer}"
        )
        where: list[int | Array] = []
        for part, extent in zip(expr.index, array.shape, strict=True):
            position = self.value(part, mask)
            assert position.dtype == np.int64, f"index of type {position.dtype} into {expr.buffer.name}"
            if position.ndim == mask.ndim == 0:  # by Python, where NumPy would take ten times as long
                number = int(position)
                if not 0 <= number < extent:
                    assert not mask, f"index out of bounds into {expr.buffer.name} {expr.buffer.shape}"
                    number = 0
                where.append(number)
                continue
            outside = (position < 0) | (position >= extent)
            if outside.any():
                assert not (mask & outside).any(), (
                    f"index out of bounds into {expr.buffer.name} {expr.buffer.shape}"
                )
                position = np.where(outside, 0, position)
            where.append(position)
        if 0 in array.shape:
            return np.zeros((), array.dtype)
        return array[tuple(where)]

    def _binary(self, expr: Binary, a: Array, b: Array) -> Array:
        assert a.dtype == b.dtype, f"{expr.op} of {a.dtype} and {b.dtype}"
        match expr.op:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
            case "min":
                return (a if a < b else b) if a.ndim == b.ndim == 0 else np.where(a < b, a, b)
            case "max":
                return (a if a > b else b) if a.ndim == b.ndim == 0 else np.where(a > b, a, b)
            case "div" | "rem" if a.dtype.kind in "iu":
                safe = b if b.all() else np.where(b == 0, np.ones_like(b), b)
                remainder = np.fmod(a, safe)
                return (a - remainder) // safe if expr.op == "div" else remainder
            case "div":
                return a / b
            case "rem":
                return np.fmod(a, b)
            case "and" | "or" | "xor":
                return {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[expr.op](a, b)
            case "shl":
                return np.left_shift(a, b)
            case "shr":
                return np.right_shift(a, b)
        return _COMPARISONS[expr.op](a, b)


_COMPARISONS = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _constant(expr: Const) -> Array:
    if expr.dtype.is_integer:
        limits = np.iinfo(expr.dtype.numpy)
        assert limits.min <= expr.value <= limits.max, f"{expr} is out of range"
    return np.array(expr.value).astype(native(expr.dtype))[()]


def _cast(x: Array, dtype: DType) -> Array:
    if dtype is DType.BOOL:
        return np.asarray(x != 0)
    if dtype.is_integer and x.dtype.kind not in "iub":
        wide = np.nan_to_num(np.asarray(x, np.float64), nan=0.0, posinf=2.0**62, neginf=-(2.0**62))
        if dtype is DType.UINT64:
            return np.asarray(np.clip(wide, 0, 1.8e19).astype(np.uint64))
        return np.asarray(np.clip(wide, -9.2e18, 9.2e18).astype(np.int64).astype(dtype.numpy))
    return np.asarray(x.astype(native(dtype)))


_ERF = np.vectorize(math.erf, otypes=[np.float64])


def _call(expr: Call, args: list[Array]) -> Array:
    x = args[0]
    match expr.function:
        case "erf":
            return np.asarray(_ERF(np.asarray(x, np.float64)).astype(x.dtype)) if x.size else x
        case "exp_flushed":
            return np.asarray(np.exp(x))
        case "pow":
            return np.asarray(np.power(args[0], args[1]))
        case (
            "isnan"
            | "isinf"
            | "abs"
            | "sqrt"
            | "exp"
            | "log"
            | "sin"
            | "cos"
            | "tan"
            | "sinh"
            | "cosh"
            | "tanh"
            | "floor"
            | "ceil"
            | "trunc"
            | "rint"
        ):
            return np.asarray(getattr(np, expr.function)(x))
        case _:
            name = expr.function.replace("asin", "arcsin").replace("acos", "arccos").replace("atan", "arctan")
            return np.asarray(getattr(np, name)(x))


# ─── templates ─────────────────────────────────────────────────────────────────────────────────────────────────────


def run_template(
    template: Template,
    inputs: Sequence[Array],
    constants: Sequence[Array | None],
    machine: Machine | None = None,
) -> list[Array]:
    """Builds the loops of a template for row-major operands and runs them. Outputs begin as garbage."""
    formals = [
        buffer(f"in{number}", type_.dtype, type_.shape) for number, type_ in enumerate(template.inputs)
    ]
    results = [
        buffer(f"out{number}", type_.dtype, type_.shape) for number, type_ in enumerate(template.outputs)
    ]
    site = Site(machine or machines.SCALARS, formals, results, constants)
    body = template.build(site)
    arrays: dict[str, Array] = {formal.name: array for formal, array in zip(formals, inputs, strict=True)}
    for made, packed in site.packed.values():
        arrays[made.name] = packed.view(native(made.dtype))
    for made in (*results, *site.workspaces):
        arrays[made.name] = _garbage(made)
    _Runner(arrays).block(body, {}, np.array(True))
    return [np.asarray(arrays[made.name], order="C") for made in results]


def _garbage(made: Buffer) -> Array:
    return (
        np.full(made.shape, 99, native(made.dtype))
        if made.dtype is not DType.BOOL
        else np.ones(made.shape, bool)
    )


class _Runner:
    """Runs statements. In a vector loop a local buffer gets a leading dimension for the lanes."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.arrays = arrays
        self.constants: dict[int, tuple[Const, Array]] = {}

    def block(self, stmts: Sequence[Stmt], env: dict[Var, Array], mask: Array) -> None:
        env = dict(env)
        for stmt in stmts:
            self.statement(stmt, env, mask)

    def statement(self, stmt: Stmt, env: dict[Var, Array], mask: Array) -> None:
        evaluator = Evaluator(env, self.arrays, self.constants)
        match stmt:
            case For():
                extent = int(evaluator.value(stmt.extent, mask))
                if stmt.kind is LoopKind.VECTOR and _one_statement(stmt):
                    # All lanes at once.
                    self.block(stmt.body, {**env, stmt.var: np.arange(extent)}, np.ones(extent, bool))
                    return
                for number in range(extent):
                    self.block(stmt.body, {**env, stmt.var: np.int64(number)}, mask)
            case Store():
                value = np.asarray(evaluator.value(stmt.value, mask))
                assert value.dtype == native(stmt.buffer.dtype), f"store of {value.dtype} into {stmt.buffer}"
                where = tuple(evaluator.value(part, mask) for part in stmt.index)
                array = self.arrays[stmt.buffer.name]
                assert len(where) == array.ndim, f"{len(where)} indices into {stmt.buffer}"
                for position, extent in zip(where, array.shape, strict=True):
                    inside = (
                        0 <= position < extent
                        if position.ndim == 0
                        else ((position >= 0) & (position < extent)).all()
                    )
                    assert inside, f"store out of bounds into {stmt.buffer.name} {stmt.buffer.shape}"
                array[where] = value
            case Let():
                value = evaluator.value(stmt.value, mask)
                assert stmt.value.dtype is stmt.var.dtype, f"let {stmt.var} = {stmt.value.dtype}"
                env[stmt.var] = np.asarray(value)
            case Alloc():
                self.arrays[stmt.buffer.name] = _garbage(stmt.buffer)
            case If():
                if bool(evaluator.value(stmt.condition, mask)):
                    self.block(stmt.then, env, mask)
                else:
                    self.block(stmt.otherwise, env, mask)


def _one_statement(loop: For) -> bool:
    """Whether a vector loop is only lets and stores, so that lanes cannot be told apart by running them together."""
    return all(isinstance(stmt, Let | Store) for stmt in loop.body)
