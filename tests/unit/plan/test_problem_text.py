"""What kernels are looked up by says all that decides them: a template whose `spec` leaves something out gives wrong
results where two problems differ in that only.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from ingot.base.errors import IngotError
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.loops.nodes import Kernel
from ingot.loops.text import body_text, buffer_text
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule import schedule
from ingot.plan.schedule.write import problem_text
from ingot.plan.text import pointwise_text
from tests.support import machines
from tests.support.node_tests import bound_inputs, load_node_tests, node_test_names

MACHINE = replace(machines.AVX2, dot_i16x2=True, prefetch=True)
PARTS = 4


def content(array):
    return (
        None
        if array is None
        else (array.dtype.str, array.shape, hashlib.sha256(np.ascontiguousarray(array)).hexdigest())
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_problems_of_equal_text_have_equal_kernels(part, monkeypatch):
    """In ONNX's own tests, which go through the attributes of each operator with equal shapes."""
    kernels: dict[object, tuple[str, str]] = {}
    repeated = 0
    write, loops = schedule.write, schedule.pointwise_loops

    def same(key, kernel):
        nonlocal repeated
        before, name = kernels.setdefault(key, (kernel, test.name))
        repeated += name != test.name
        assert kernel == before, f"{test.name} and {name} have equal problems and other kernels: {key}"

    def written(problem, wanted=None):
        made = write(problem, wanted)
        # What is not asked of constants decides nothing but how they are arranged.
        asked = None if made.asked is None else [(each.position, each.answer) for each in made.asked]
        constants = map(content, problem.constants) if asked is None else asked
        key = (problem_text(problem), tuple(constants), problem.spare_bytes)
        text = body_text(Kernel("k", made.inputs, problem.outputs, made.body, made.workspaces, made.in_place))
        repacked = [
            (each.number, each.source, content(each.array) if asked is None else each.array.shape)
            for each in made.repacked
        ]
        same(key, f"{text} {repacked}")
        return made

    def pointwise(definition, inputs, output, machine):
        made = loops(definition, inputs, output, machine)
        key = (pointwise_text(definition), *map(buffer_text, (*inputs, output)))
        in_place = tuple((number, 0) for number in made.in_place)
        same(
            key,
            f"{body_text(Kernel('k', made.params, (made.output,), made.body, (), in_place))} {made.operands}",
        )
        return made

    monkeypatch.setattr(schedule, "write", written)
    monkeypatch.setattr(schedule, "pointwise_loops", pointwise)
    names = sorted(node_test_names())
    for test in load_node_tests(names[len(names) * part // PARTS : len(names) * (part + 1) // PARTS]):
        try:
            draft = to_draft(read_model(test.model, constants=bound_inputs(test, ALL)), ALL)
        except IngotError:
            continue
        schedule.schedule(fuse(draft), MACHINE)
    assert repeated > 50  # else nothing was compared
