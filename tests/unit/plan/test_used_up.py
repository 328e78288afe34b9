"""A draft that is used up has weights once: as they are, or packed."""

from __future__ import annotations

import weakref

from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from ingot.plan.text import kernels_text
from tests.support import machines
from tests.support.drafts import draft_of

# The bias is read as it is, and twice; the weights are packed.
WEIGHTS, BIAS = ", ".join(["0.5"] * 4096), ", ".join(["0.25"] * 64)
PRODUCT = f"""g (float[4,64] x) => (float[4,64] y, float[64] z) <float[64,64] w = {{{WEIGHTS}}}, float[64] b = {{{BIAS}}}>
    {{ m = MatMul(x, w)  y = Add(m, b)  r = Relu(b)  z = Add(r, b) }}"""


def test_a_constant_that_was_packed_is_gone_and_the_program_is_the_same() -> None:
    kept, used = fuse(draft_of(PRODUCT)), fuse(draft_of(PRODUCT))
    expected = schedule(kept, machines.AVX2)
    assert "w" in kept.constants and "w" not in expected.constants
    weights = weakref.ref(used.constants["w"])
    found = schedule(used, machines.AVX2, uses_up=True)
    assert set(used.constants) == set(kept.constants) - {"w"}
    assert weights() is None
    assert kernels_text(found) == kernels_text(expected)
    assert [call.args for call in found.calls] == [call.args for call in expected.calls]
    contents = [{name: array.tobytes() for name, array in one.constants.items()} for one in (found, expected)]
    assert contents[0] == contents[1]


def test_what_calls_read_as_it_is_stays() -> None:
    used = fuse(draft_of("g (float[4,2] x) => (float[4,2] y) <float[2] w = {1, 2}> { y = Add(x, w) }"))
    program = schedule(used, machines.AVX2, uses_up=True)
    assert "w" in used.constants and "w" in program.constants
