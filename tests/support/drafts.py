"""Drafts for the tests of this folder, from models in ONNX text."""

from __future__ import annotations

import numpy as np

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import Draft, MemoryPlan, Program
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model
from tests.support.program_eval import evaluate_program


def draft_of(text: str, opset: int = 17) -> Draft:
    """The draft of a model, before fusion."""
    return to_draft(read_model(model(text, opset=opset)), ALL)


def planned(draft: Draft, machine: Machine = machines.AVX2) -> tuple[Program, MemoryPlan]:
    """Everything that the plan room does, memory checked."""
    program = schedule(fuse(draft), machine)
    plan = plan_memory(program)
    check_memory(program, plan)
    return program, plan


def random_feeds(draft: Draft, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.standard_normal(draft.types[name].shape).astype(draft.types[name].dtype.numpy)
        for name in draft.inputs
    }


def assert_same_results(draft: Draft, machine: Machine = machines.AVX2) -> Program:
    """The planned program, interpreted, computes what the draft's definitions say."""
    feeds = random_feeds(draft)
    program, plan = planned(draft, machine)
    for got, expected in zip(
        evaluate_program(program, plan, feeds), evaluate_draft(draft, feeds), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
    return program
