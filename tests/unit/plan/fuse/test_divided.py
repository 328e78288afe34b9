"""A dimension that is divided by a number becomes two, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Pointwise
from ingot.loops.interpret import run
from ingot.loops.nodes import Expr, Kernel, Load, Var, buffer
from ingot.loops.text import to_text
from ingot.loops.verify import verify
from ingot.machines.tuning import DEFAULT
from ingot.plan.fuse.divided import divided
from ingot.plan.schedule.pointwise import pointwise_loops
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of

ROW, AT = Var("row"), Var("at")
X = buffer("x", DType.FLOAT32, (3, 96), (100, 1))
TAPS = buffer("taps", DType.FLOAT32, (24,))
SCALE = buffer("scale", DType.FLOAT32, (5, 4), (4, 1))


def definition_of(value: Expr) -> Pointwise:
    return Pointwise((X, SCALE, TAPS), TensorType(DType.FLOAT32, (3, 96)), (ROW, AT), value)


def by_quotient(by: int = 24) -> Expr:
    return Load(X, (ROW, AT)) * Load(SCALE, (ROW, AT // by))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(by_quotient(), lambda x, s: x * s[:3].repeat(24, axis=1), id="quotient"),
        pytest.param(
            Load(X, (ROW, AT)) * Load(TAPS, (AT % 24,)) + Load(SCALE, (ROW, AT // 24)),
            lambda x, s: x * np.tile(np.arange(24, dtype=np.float32), 4) + s[:3].repeat(24, axis=1),
            id="quotient and remainder",
        ),
        pytest.param(
            Load(X, (ROW, AT)) * Load(SCALE, (AT // 24, ROW)) + Load(X, (ROW, AT)),
            lambda x, s: x * s[:4, :3].T.repeat(24, axis=1) + x,
            id="twice",
        ),
        pytest.param(
            Load(X, (ROW, AT)) + Load(X, (ROW, AT % 32)),
            None,
            id="an operand that is read by the index and by its remainder",
        ),
        pytest.param(by_quotient() + Load(X, (ROW, AT // 32)), None, id="two numbers"),
        pytest.param(by_quotient(8), None, id="few neighbours"),
        pytest.param(by_quotient(36), None, id="a number that does not divide the extent"),
        pytest.param(Load(SCALE, (ROW, (AT + 1) // 97)), None, id="something else is divided"),
    ],
)
def test_only_whole_parts_become_a_dimension(value, expected):
    definition = definition_of(value)
    out = buffer("y", DType.FLOAT32, (3, 96), (1, 3))
    made = divided(DEFAULT.divided_min_extent, definition, value, [X, SCALE, TAPS], out)
    assert (made is None) is (expected is None)
    if made is None:
        return
    assert made[3].shape == (3, 4, 24)
    loops = pointwise_loops(definition, [X, SCALE, TAPS], out, machines.AVX2)
    kernel = Kernel("tested", loops.params, (loops.output,), loops.body, ())
    verify(kernel)
    assert "/" not in to_text(kernel)
    random = np.random.default_rng(2)
    x, s = (
        random.standard_normal((3, 100)).astype(np.float32),
        random.standard_normal((5, 4)).astype(np.float32),
    )
    arrays = x.ravel(), s.ravel(), np.arange(24, dtype=np.float32)
    memory = {each.name: arrays[number] for each, number in zip(loops.params, loops.operands, strict=True)}
    memory[loops.output.name] = np.zeros(3 * 96, np.float32)
    run(kernel, memory)
    np.testing.assert_allclose(memory[loops.output.name].reshape(96, 3).T, expected(x[:, :96], s), rtol=1e-6)


@pytest.mark.parametrize(("channels", "groups", "extent"), [(6, 2, 35), (4, 1, 17), (4, 4, 16), (6, 3, 5)])
def test_a_norm_of_groups_of_channels_as_torch_exports_it(channels: int, groups: int, extent: int) -> None:
    shape = f"{channels},{extent}"
    program = assert_same_results(
        draft_of(
            f"""g (float[2,{shape}] x, float[{channels},1] s, float[{channels},1] b) => (float[2,{shape}] y) {{
                flat = Constant<value_ints = [0, {groups}, -1]>()  back = Constant<value_ints = [2, {shape}]>()
                n = Constant<value_ints = [{groups}]>()  one = ConstantOfShape<value = float[1] {{1.0}}>(n)
                zero = ConstantOfShape<value = float[1] {{0.0}}>(n)
                f = Reshape(x, flat)  i = InstanceNormalization(f, one, zero)  r = Reshape(i, back)  m = Mul(r, s)  y = Add(m, b)
            }}"""
        )
    )
    text = "\n".join(
        to_text(call.kernel)
        for call in program.calls
        if "mul" in call.kernel.name or "add" in call.kernel.name
    )
    assert text
    assert (f"/ {extent})" in text) is (extent < 16 and groups < channels)
