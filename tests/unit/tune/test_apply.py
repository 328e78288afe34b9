"""What a tuning says of equal layers, and what it leaves to the cost model."""

from __future__ import annotations

import pytest

from ingot.artifact.tuning import Measurements, TunedKernel, Tuning
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import HOST, Program
from ingot.plan.schedule.schedule import schedule
from ingot.plan.schedule.write import problem_digest
from ingot.tune.apply import applied, wanted_of
from tests.support import machines
from tests.unit.ops.test_recurrent import COPY_BYTES, stacked

TARGETS = {HOST: Target.parse("interp")}
LAYERS = 3


def program(tuning: Tuning = ()) -> Program:
    """Equal layers for a machine where the first one stores its weights twice, and the others have no memory left for that."""
    machine = machines.SERVER
    draft = fuse(to_draft(read_model(stacked(LAYERS)), ALL))
    return schedule(draft, machine, wanted=wanted_of(tuning, TARGETS))


def of_words(**words: str) -> Tuning:
    """A tuning of all layers; `weights` is what was best, `usual` what the cost model took for them."""
    (first, *others) = [one for one in program().decisions if one.problem.fused.template.name == "lstm"]
    assert [first.chosen["weights"], *(one.chosen["weights"] for one in others)] == ["twice", "once", "once"]
    best, usual = ({**first.chosen, "weights": words[name]} for name in ("weights", "usual"))
    kernel = TunedKernel(
        problem_digest(first.problem), "lstm", "k", tuple(sorted(best.items())), tuple(sorted(usual.items()))
    )
    return (Measurements(str(TARGETS[HOST]), "any", (kernel,)),)


def copies(made: Program) -> int:
    """How many layers store their weights twice."""
    one = sum(array.nbytes for array in program().constants.values())
    return 1 + (sum(array.nbytes for array in made.constants.values()) - one) // COPY_BYTES


@pytest.mark.parametrize(
    ("weights", "usual", "expected"),
    [("twice", "twice", 1), ("once", "once", 1), ("once", "twice", 0), ("twice", "once", LAYERS)],
)
def test_equal_layers_store_their_weights_twice_only_where_that_was_faster(
    weights: str, usual: str, expected: int
) -> None:
    tuning = of_words(weights=weights, usual=usual)
    made = program(tuning)
    assert copies(made) == expected
    told: list[str] = []
    stated = applied([made], tuning, TARGETS, Observer(on_note=told.append))
    assert not told
    assert copies(program(stated)) == expected  # what a set states of itself makes it again
    assert applied([program(stated)], stated, TARGETS, Observer(on_note=told.append)) == stated


def test_a_word_that_is_not_offered_is_still_reported() -> None:
    (group,) = of_words(weights="thrice", usual="once")
    told: list[str] = []
    applied([program((group,))], (group,), TARGETS, Observer(on_note=told.append))
    (sentence,) = told
    assert "the tuning has weights=thrice, but this build offers twice, once; tune again" in sentence
