"""Models with one thing changed: built, or refused by a sentence that blames what is to blame; and what is built computes what
others compute that take the model, too. More of them:

python -m tests.property.test_mutants 1000 2000     the seeds, from and to
"""

from __future__ import annotations

import math
import random
import sys
import warnings
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.ops.registry import ALL
from tests.property.mutants import NothingToChangeError, mutant
from tests.support.contrib import by_onnxruntime
from tests.support.models import model
from tests.support.node_tests import NodeTest, bound_inputs, load_node_tests, mismatch, node_test_names

EACH = 40
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
RANDOM = (
    "Bernoulli",
    "Dropout",
    "Multinomial",
    "Random",
)  # what such operators give is for nobody to compare
WORDS = ("", "a", "a-b", "VALID,1", "2.5")  # elements of inputs of text
ELEMENTS_MAX = 100_000  # of inputs and outputs that are computed


@dataclass(frozen=True)
class Outcome:
    """What was changed in a model, what is wrong with the answer to it, if anything, and whether numbers were compared."""

    change: str
    wrong: str = ""
    compared: bool = False


def small_model(choose: random.Random) -> onnx.ModelProto:
    """A node test, with the inputs known that must be while building; in most the shapes of results are left to inference."""
    names = node_test_names()
    while True:
        (test,) = load_node_tests([choose.choice(names)])
        bound = {} if any(not isinstance(one, np.ndarray) for one in test.inputs) else bound_inputs(test, ALL)
        try:
            test.model.graph.initializer.extend(
                numpy_helper.from_array(array, name) for name, array in bound.items()
            )
        except (KeyError, TypeError, ValueError):  # a type that NumPy has not
            continue
        kept = [one for one in test.model.graph.input if one.name not in bound]
        del test.model.graph.input[:]
        test.model.graph.input.extend(kept)
        for output in test.model.graph.output if choose.random() < 0.75 else ():
            output.type.tensor_type.ClearField("shape")
        return test.model


def what_becomes_of(seed: int) -> Outcome:
    """Makes and builds a mutant, and compares what it computes."""
    try:
        what, changed = mutant(small_model(random.Random(seed)), seed)
    except NothingToChangeError:
        return Outcome("nothing")
    try:
        built = ingot.build(changed.SerializeToString(), "interp", cache=None)
    except ingot.InternalError as error:
        return Outcome(what, str(error))
    except ingot.IngotError as error:
        return Outcome(what, "" if len(str(error)) > 20 else f"says too little: {error}")
    except Exception as error:
        return Outcome(what, f"{type(error).__name__}: {error}")
    if any(node.op_type.startswith(RANDOM) for node in changed.graph.node):
        return Outcome(what)
    feeds = some_inputs(changed, seed)
    (info,) = built.models().values()
    if feeds is None or any(math.prod(one.shape) > ELEMENTS_MAX for one in info.outputs):
        return Outcome(what)
    try:
        executor = built.load()[info.name](ingot.cpu(0))
        executor.set_input(feeds)
        executor.run()
        got = [np.asarray(executor.get_output(number)) for number in range(len(executor.outputs))]
    except Exception as error:
        return Outcome(what, f"running: {type(error).__name__}: {error}")
    return Outcome(what, *judged(changed, feeds, got))


def some_inputs(proto: onnx.ModelProto, seed: int) -> dict[str, np.ndarray] | None:
    """Small numbers, or words, for every input; None if there are too many, or if something is no tensor."""
    if not all(one.type.HasField("tensor_type") for one in (*proto.graph.input, *proto.graph.output)):
        return None
    rng = np.random.default_rng(seed)
    made: dict[str, np.ndarray] = {}
    for one in proto.graph.input:
        shape = [dim.dim_value for dim in one.type.tensor_type.shape.dim]
        if math.prod(shape) > ELEMENTS_MAX:
            return None
        dtype = onnx.helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type)
        if dtype.kind == "O":
            made[one.name] = rng.choice(np.array(WORDS, object), shape)
            continue
        real = dtype.kind == "f" or dtype == BFLOAT16
        numbers = (
            rng.standard_normal(shape) if real else rng.integers(0, 2 if dtype.kind == "b" else 3, shape)
        )
        made[one.name] = numbers.astype(dtype)
    return made


def judged(proto: onnx.ModelProto, feeds: dict[str, np.ndarray], got: list[np.ndarray]) -> tuple[str, bool]:
    """What all others that answer have against results, and whether any answers: what is not defined may be as one has it."""
    against: list[str] = []
    for other in (by_reference, by_onnxruntime):
        try:
            expected = tuple(np.asarray(one) for one in other(proto, feeds))
        except Exception:  # a mutant that this one does not take, by any kind of error
            continue
        shown = [
            mine.view(BFLOAT16) if (mine.dtype, wanted.dtype) == (np.uint16, BFLOAT16) else mine
            for mine, wanted in zip(got, expected, strict=False)
        ]
        why = mismatch(NodeTest("mutant", proto, (), expected), shown)
        if why is None:
            return "", True
        against.append(f"{other.__name__}: {why}")
    return "; ".join(against), bool(against)


def by_reference(proto: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    return list(ReferenceEvaluator(proto).run(None, feeds))


@pytest.mark.parametrize("start", range(0, 4 * EACH, EACH))
def test_a_changed_model_is_refused_in_a_sentence_or_computes_what_others_do(start: int) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's, of numbers that mutants have
        answers = {seed: what_becomes_of(seed) for seed in range(start, start + EACH)}
    assert not {seed: answer for seed, answer in answers.items() if answer.wrong}
    assert sum(answer.compared for answer in answers.values()) >= EACH // 8


def test_a_wrong_number_is_found() -> None:
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }")
    x = np.array([1, 2], np.float32)
    assert judged(proto, {"x": x}, [-x]) == ("", True)
    wrong, compared = judged(proto, {"x": x}, [np.array([-1, -2.01], np.float32)])
    assert compared and "by_reference" in wrong and "by_onnxruntime" in wrong


def test_equal_seeds_give_equal_mutants() -> None:
    small = small_model(random.Random(1))
    assert mutant(small, 5) == mutant(small, 5)
    assert mutant(small, 5)[1] != small


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        answer = what_becomes_of(number)
        if answer.wrong:
            print(f"{number}: {answer.change}: {answer.wrong}", flush=True)
