"""Small compile units for tests of code generators."""

from __future__ import annotations

import numpy as np

from ingot.base.tensor import DType, TensorType, row_major
from ingot.loops.nodes import Binary, For, Kernel, LoopKind, Var, buffer, index, load, maximum, store
from ingot.plan.program import Call, CompileUnit, MemoryPlan, Program, Region, Slot, Value

F32 = DType.FLOAT32


def _value(name: str, shape: tuple[int, ...], base: str | None = None, offset: int = 0) -> Value:
    return Value(name, TensorType(F32, shape), row_major(shape), base or name, offset)


def small_unit(symbol: str) -> CompileUnit:
    """`y = relu((x + w) + w[4:8])`: two calls of one kernel, one of another; a constant, arena values, a view with an offset."""
    i = Var("i")
    a, b, c = (buffer(name, F32, (4,)) for name in "abc")
    add = Kernel(
        "add",
        (a, b),
        (c,),
        (For(i, index(4), (store(c, (i,), load(a, i) + load(b, i)),), LoopKind.VECTOR),),
        comment="c = a + b",
    )
    relu = Kernel(
        "relu",
        (a,),
        (c,),
        (For(i, index(4), (store(c, (i,), maximum(load(a, i), 0.0)),), LoopKind.VECTOR),),
        in_place=((0, 0),),
        comment="c = max(a, 0)",
    )
    values = [_value("x", (4,)), _value("w", (8,)), _value("w.0", (4,), "w"), _value("w.1", (4,), "w", 4)]
    values += [_value("t", (4,)), _value("u", (4,)), _value("y", (4,))]
    program = Program(
        "small",
        {value.name: value for value in values},
        {"w": np.arange(8, dtype=np.float32) - 4},
        ("x",),
        ("y",),
        (
            Call(add, ("x", "w.0", "t"), ("Add_0",)),
            Call(add, ("t", "w.1", "u"), ("Add_1", "Identity_*/")),
            Call(relu, ("u", "y"), ("Relu_é",)),
        ),
    )
    slots = {
        "x": Slot(Region.INPUT, 0, 0, 16),
        "w": Slot(Region.PARAMS, 0, 64, 32),
        "t": Slot(Region.ARENA, 0, 0, 16),
        "u": Slot(Region.ARENA, 0, 64, 16),
        "y": Slot(Region.OUTPUT, 0, 0, 16),
    }
    assert isinstance(load(a, i) + load(b, i), Binary)
    return CompileUnit(symbol, program, MemoryPlan(slots, 80, 96, 80))


def memory(unit: CompileUnit, x: np.ndarray) -> list[np.ndarray]:
    """Constants, arena, pool, the input and an output for a small unit."""
    params = np.zeros(unit.memory.params_bytes, np.uint8)
    for name, array in unit.program.constants.items():
        start = unit.memory.slots[name].offset_bytes
        params[start : start + array.nbytes] = array.view(np.uint8)
    return [params, np.zeros(unit.memory.arena_bytes, np.uint8), np.zeros(0), x, np.zeros(4, np.float32)]


def expected(unit: CompileUnit, x: np.ndarray) -> np.ndarray:
    w = unit.program.constants["w"]
    return np.maximum(x + w[:4] + w[4:], 0)
