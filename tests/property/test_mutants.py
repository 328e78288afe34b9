"""Models with one thing changed: built, or refused by a sentence that blames what is to blame. More of them:

python -m tests.property.test_mutants 1000 2000     the seeds, from and to
"""

from __future__ import annotations

import random
import sys
import warnings

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import ingot
from ingot.ops.registry import ALL
from tests.property.mutants import NothingToChangeError, mutant
from tests.support.node_tests import bound_inputs, load_node_tests, node_test_names

EACH = 40


def small_model(choose: random.Random) -> onnx.ModelProto:
    """A node test, with the inputs known that must be while building; in most the shapes of results are left to inference."""
    names = node_test_names()
    while True:
        (test,) = load_node_tests([choose.choice(names)])
        bound = {} if any(not isinstance(one, np.ndarray) for one in test.inputs) else bound_inputs(test, ALL)
        try:
            test.model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in bound.items())
        except (KeyError, TypeError, ValueError):  # a type that NumPy has not
            continue
        kept = [one for one in test.model.graph.input if one.name not in bound]
        del test.model.graph.input[:]
        test.model.graph.input.extend(kept)
        for output in test.model.graph.output if choose.random() < 0.75 else ():
            output.type.tensor_type.ClearField("shape")
        return test.model


def what_becomes_of(seed: int) -> tuple[str, str]:
    """What was changed, and what is wrong with the answer to it, if anything."""
    model = small_model(random.Random(seed))
    try:
        what, changed = mutant(model, seed)
    except NothingToChangeError:
        return "nothing", ""
    try:
        ingot.build(changed.SerializeToString(), "interp", cache=None)
    except ingot.InternalError as error:
        return what, str(error)
    except ingot.IngotError as error:
        return what, "" if len(str(error)) > 20 else f"says too little: {error}"
    except Exception as error:
        return what, f"{type(error).__name__}: {error}"
    return what, ""


@pytest.mark.parametrize("start", range(0, 4 * EACH, EACH))
def test_a_changed_model_is_built_or_refused_in_a_sentence(start: int) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's, of numbers that mutants have
        answers = {seed: what_becomes_of(seed) for seed in range(start, start + EACH)}
    assert not {seed: answer for seed, answer in answers.items() if answer[1]}


def test_equal_seeds_give_equal_mutants() -> None:
    model = small_model(random.Random(1))
    assert mutant(model, 5) == mutant(model, 5)
    assert mutant(model, 5)[1] != model


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        changed, wrong = what_becomes_of(number)
        if wrong:
            print(f"{number}: {changed}: {wrong}", flush=True)
