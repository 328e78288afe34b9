"""What a library says about a model: the constants."""

from __future__ import annotations

import numpy as np

from ingot.codegen.model_info import params_content
from ingot.plan.program import HOST
from tests.support.drafts import draft_of, planned

PRODUCTS = """g (float[1,4] x) => (float[1,4] y)
    <float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, float[4] b = {1,2,3,4}>
{ m = MatMul(x, w)  n = MatMul(m, w)  y = Add(n, b) }"""


def test_constants_are_where_the_plan_has_them_and_not_there_twice() -> None:
    program, memory = planned(draft_of(PRODUCTS))
    before = {name: array.copy() for name, array in program.constants.items()}
    content = np.frombuffer(params_content(program, memory, HOST), np.uint8)
    assert before
    for name, array in before.items():
        slot = memory.slots[name]
        held = content[slot.offset_bytes : slot.offset_bytes + slot.size_bytes]
        assert held.tobytes() == array.tobytes()
        assert np.shares_memory(program.constants[name], held)
        np.testing.assert_array_equal(program.constants[name], array)
