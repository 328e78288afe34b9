"""Attention becomes one step however it is spelled, and computes what the model says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from ingot.plan.fuse.attention import join_attention
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import HOST, Draft, Fused
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.draft_eval import evaluate_draft
from tests.support.drafts import random_feeds
from tests.support.models import model as model_of
from tests.support.program_eval import evaluate_program


def draft_of(text: str) -> Draft:
    return to_draft(read_model(model_of(text, opset=23, ir_version=10)), ALL)


def joined(draft: Draft, machine: Machine = machines.VECTORS) -> Draft:
    return join_attention(fuse(draft), {HOST: machine})


def names(draft: Draft) -> list[str]:
    return [step.definition.name for step in draft.steps]


def check(text: str, *some: Machine) -> None:
    """The model has one step of attention and no product or softmax, and its program computes what its definitions say."""
    for machine in some or (machines.VECTORS,):
        draft = draft_of(text)
        made = joined(draft, machine)
        assert names(made).count("attention") == 1, names(made)
        assert not {"matmul", "softmax"} & set(names(made)), names(made)
        same(draft, made, machine)


def same(draft: Draft, made: Draft, machine: Machine) -> None:
    feeds = random_feeds(draft)
    program = schedule(made, machine)
    plan = plan_memory(program)
    check_memory(program, plan)
    for got, expected in zip(
        evaluate_program(program, plan, feeds), evaluate_draft(draft, feeds), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def model(q: str, k: str, v: str, y: str, body: str, more: str = "") -> str:
    return f"""g (float[{q}] q, float[{k}] k, float[{v}] v{more}) => (float[{y}] y) {{ {body} }}"""


PLAIN = "s = MatMul(q, k) w = Softmax(s) y = MatMul(w, v)"


@pytest.mark.parametrize(("rows", "depth", "keys", "width"), [(4, 1, 1, 1), (5, 3, 7, 2), (7, 5, 6, 5)])
def test_any_sizes_are_computed(rows: int, depth: int, keys: int, width: int) -> None:
    check(
        model(f"2,{rows},{depth}", f"2,{depth},{keys}", f"2,{keys},{width}", f"2,{rows},{width}", PLAIN),
        machines.VECTORS,
        machines.SCALARS,
    )


def test_heads_that_lie_side_by_side_need_no_copy_before_or_behind() -> None:
    text = """g (float[1,6,8] x, float[1,6,8] z, float[1,6,8] u) => (float[1,6,8] y)
<int64[4] split = {1,6,2,4}, int64[3] merge = {1,6,8}, float root = {2.0}> {
  q4 = Reshape(x, split) q = Transpose<perm=[0,2,1,3]>(q4)
  k4 = Reshape(z, split) k = Transpose<perm=[0,2,3,1]>(k4)
  v4 = Reshape(u, split) v = Transpose<perm=[0,2,1,3]>(v4)
  s = MatMul(q, k) t = Div(s, root) w = Softmax<axis=-1>(t) o = MatMul(w, v)
  b = Transpose<perm=[0,2,1,3]>(o) y = Reshape(b, merge) }"""
    check(text)
    assert len(schedule(joined(draft_of(text)), machines.VECTORS).calls) == 1


SPELLINGS = {
    "scaled keys": "kk = Mul(k, c) s = MatMul(q, kk) w = Softmax(s) y = MatMul(w, v)",
    "both by a root": "qq = Mul(q, c) kk = Mul(k, c) s = MatMul(qq, kk) w = Softmax(s) y = MatMul(w, v)",
    "divided": "s = MatMul(q, k) t = Div(s, c) w = Softmax(t) y = MatMul(w, v)",
    "added mask": "s = MatMul(q, k) t = Mul(s, c) a = Add(t, mask) w = Softmax(a) y = MatMul(w, v)",
    "chosen by a mask": "b = Less(mask, c) s = MatMul(q, k) a = Where(b, s, never) w = Softmax(a) y = MatMul(w, v)",
    "capped": "s = MatMul(q, k) t = Tanh(s) a = Mul(t, c) w = Softmax(a) y = MatMul(w, v)",
    "weights changed": "s = MatMul(q, k) w = Softmax(s) u = Mul(w, mask) y = MatMul(u, v)",
    "something behind": "s = MatMul(q, k) w = Softmax(s) o = MatMul(w, v) p = Mul(o, c) y = Add(p, q)",
}


@pytest.mark.parametrize("body", SPELLINGS.values(), ids=SPELLINGS)
def test_scales_and_masks_are_part_of_it(body: str) -> None:
    given = "2,5,4", "2,4,6", "2,6,4", "2,5,4"
    text = model(*given, body, ", float[5,6] mask").replace(
        " y) {", " y) <float c = {0.4}, float never = {-1e9}> {"
    )
    check(text)


def test_long_rows_of_scores_are_kept_in_a_workspace() -> None:
    text = model("4,1", "1,520", "520,1", "4,1", PLAIN)
    check(text)
    (call,) = schedule(joined(draft_of(text)), machines.VECTORS).kernel_calls
    assert any(space.name == "scores" for space in call.kernel.workspaces)


def test_one_head_of_many_rows_is_shared_out() -> None:
    check(model("100,1", "1,2", "2,1", "100,1", PLAIN))


def test_batches_broadcast() -> None:
    check(model("2,2,4,2", "2,2,3", "2,1,3,2", "2,2,4,2", PLAIN))


@pytest.mark.parametrize(
    "attributes",
    ["", "is_causal=1", "softcap=2.0", "scale=0.3", "is_causal=1, softcap=0.5"],
    ids=lambda text: text or "plain",
)
def test_the_operator_is_computed_so_too(attributes: str) -> None:
    body = f"y = Attention<{attributes}>(q, k, v)" if attributes else "y = Attention(q, k, v)"
    draft = draft_of(model("1,4,4,3", "1,2,5,3", "1,2,5,2", "1,4,4,2", body))
    made = joined(draft)
    assert "attention" in names(made) and "softmax" not in names(made)
    same(draft, made, machines.VECTORS)


@pytest.mark.parametrize(
    "text",
    [
        model("6,4", "4,5", "5,3", "6,3", PLAIN).replace("y)", "y, float[6,5] w)"),  # weights are wanted
        model("3,4", "4,5", "5,3", "3,3", PLAIN),  # few rows
        model("6,4", "4,5", "5,3", "6,3", "s = MatMul(q, k) w = LogSoftmax(s) y = MatMul(w, v)"),
        model("6,4", "4,5", "5,3", "6,3", "s = MatMul(q, k) w = Softmax<axis=0>(s) y = MatMul(w, v)"),
        model(
            "5,4", "4,5", "3,5", "3,5", "s = MatMul(q, k) w = Softmax(s) y = MatMul(v, w)"
        ),  # weights on the right
        model("6,4", "4,5", "5,3", "6,3", "s = MatMul(q, k) p = Softmax(s) w = Mul(p, s) y = MatMul(w, v)"),
        model("5,4", "4,5", "5,5", "5,5", "s = MatMul(q, k) w = Softmax(s) p = MatMul(w, w) y = Add(p, v)"),
    ],
    ids=["wanted", "few", "logarithm", "columns", "right", "scores again", "weights twice"],
)
def test_what_is_no_attention_stays_as_it_is(text: str) -> None:
    draft = draft_of(text)
    assert "attention" not in names(joined(draft))
    same(draft, joined(draft), machines.VECTORS)


def test_a_product_is_part_of_one_attention_only() -> None:
    """The product before the second softmax is the last one of the attention before it, whose steps are gone."""
    text = model(
        "6,4",
        "4,5",
        "5,3",
        "6,4",
        "s = MatMul(q, k) w = Softmax(s) t = MatMul(w, v) u = Softmax(t) y = MatMul(u, z)",
    )
    draft = draft_of(text.replace("] v)", "] v, float[3,4] z)"))
    made = joined(draft)
    assert names(made) == ["attention", "softmax", "matmul"]
    same(draft, made, machines.VECTORS)


def test_machines_of_groups_keep_products_of_their_own() -> None:
    draft = draft_of(model("6,4", "4,5", "5,3", "6,3", PLAIN))
    assert names(joined(draft, replace(machines.SCALARS, grid=True))) == ["matmul", "softmax", "matmul"]


def test_other_masks_are_other_problems() -> None:
    texts = set()
    for factor in (0.5, 0.25):
        body = "s = MatMul(q, k) t = Mul(s, c) w = Softmax(t) y = MatMul(w, v)"
        draft = draft_of(
            model("6,4", "4,5", "5,3", "6,3", body).replace(" y) {", f" y) <float c = {{{factor}}}> {{")
        )
        (step,) = joined(draft).steps
        assert isinstance(step.definition, Fused)
        texts.add(str(step.definition.template.spec))
    assert len(texts) == 2
