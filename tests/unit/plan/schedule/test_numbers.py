"""Kernels that differ only in numbers are one kernel."""

from __future__ import annotations

import numpy as np

from ingot.base.tensor import DType
from ingot.loops.interpret import compile_kernel
from ingot.loops.nodes import (
    Cast,
    Const,
    Expr,
    For,
    Kernel,
    Select,
    Var,
    binary,
    buffer,
    compare,
    index,
    load,
    store,
)
from ingot.plan.schedule.numbers import share_numbers
from tests.support.drafts import assert_same_results, draft_of

F = DType.FLOAT32
I = Var("i")  # noqa: E741


def kernel(name: str, value, size: int = 6) -> Kernel:
    x, y = buffer("x", F, (6,)), buffer("y", F, (size,))
    return Kernel(name, (x,), (y,), (For(I, index(size), (store(y, (I,), value(x)),)),))


def number(value: float) -> Const:
    return Const(value, F)


def run(kernel: Kernel, *numbers: np.ndarray) -> np.ndarray:
    x, y = np.arange(6, dtype=np.float32) - 2, np.zeros(kernel.outputs[0].shape, np.float32)
    compile_kernel(kernel)([x, *numbers, y])
    return y


def test_kernels_alike_but_for_numbers_become_one_that_is_given_them() -> None:
    kernels = [
        kernel("a", lambda x: load(x, I) * number(2.0) + number(3.0)),
        kernel("b", lambda x: load(x, I) * number(5.0) + number(3.0)),
        kernel("c", lambda x: load(x, I) * number(3.0) + number(3.0)),  # equal here, but not in the others
    ]
    shared = share_numbers(kernels)
    assert list(shared) == ["a", "b", "c"]
    assert len({id(each.kernel) for each in shared.values()}) == 1
    assert [len(each.numbers[0]) for each in shared.values()] == [1, 1, 1], "3.0 is the same in all: it stays"
    for old in kernels:
        np.testing.assert_array_equal(run(shared[old.name].kernel, *shared[old.name].numbers), run(old))


def test_equal_numbers_are_one_element_and_each_type_has_its_own_constant() -> None:
    def value(scale: float, zero: int):
        scale_, zero_ = number(scale), Const(zero, DType.INT32)
        return lambda x: Cast(Cast(load(x, I) * scale_, DType.INT32) + zero_, F) * number(scale)

    shared = share_numbers([kernel("a", value(2.0, 7)), kernel("b", value(4.0, 9))])
    assert [array.tolist() for array in shared["a"].numbers] == [[2.0], [7]]
    assert [array.tolist() for array in shared["b"].numbers] == [[4.0], [9]]


def test_numbers_that_decide_about_memory_stay() -> None:
    def guarded(limit: int):
        def value(x) -> Expr:
            at = Cast(binary("min", Cast(I, DType.INT32), Const(limit, DType.INT32)), DType.INT64)
            return load(x, at)

        return value

    assert share_numbers([kernel("a", guarded(2)), kernel("b", guarded(3))]) == {}


def test_integer_divisors_stay() -> None:
    def divided(by: int):
        return lambda x: Cast(binary("div", Cast(load(x, I), DType.INT32), Const(by, DType.INT32)), F)

    assert share_numbers([kernel("a", divided(2)), kernel("b", divided(3))]) == {}


def test_kernels_of_other_shapes_or_sums_stay() -> None:
    a = kernel("a", lambda x: load(x, I) * number(2.0))
    b = kernel("b", lambda x: load(x, I) * number(3.0), 5)
    c = kernel("c", lambda x: load(x, I) + number(3.0))
    assert share_numbers([a, b, c]) == {}


def test_what_two_uses_share_in_one_kernel_and_not_in_the_other_is_right_either_way() -> None:
    once = number(2.0)
    a = kernel("a", lambda x: Select(compare("gt", load(x, I), once), once, load(x, I)))
    b = kernel("b", lambda x: Select(compare("gt", load(x, I), number(1.0)), number(1.5), load(x, I)))
    shared = share_numbers([a, b])
    for old in (a, b):
        new = shared.get(old.name)
        np.testing.assert_array_equal(run(old) if new is None else run(new.kernel, *new.numbers), run(old))


def test_a_program_calls_the_shared_kernel_with_each_layer_s_numbers() -> None:
    layers = "\n".join(
        f"s{n} = Constant<value_float = {scale}>()  m{n} = Softmax({x})  {y} = Mul(m{n}, s{n})"
        for n, (x, y, scale) in enumerate([("x", "a", 0.5), ("a", "b", 30.0), ("b", "y", 7.0)])
    )
    program = assert_same_results(draft_of(f"g (float[4,9] x) => (float[4,9] y) {{ {layers} }}"))
    assert len(program.kernel_calls) == 3
    assert len(program.kernels) == 1
