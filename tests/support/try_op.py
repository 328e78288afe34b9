"""The workbench for who writes operators: runs ONNX's node tests of an operator through `graph` and the NumPy evaluator.

python -m tests.support.try_op Add Relu        tests whose model has one of these operators
python -m tests.support.try_op test_add_bcast  one test, with a traceback
python -m tests.support.try_op                 all tests
"""

from __future__ import annotations

import signal
import sys
import traceback

import numpy as np

from ingot.base.errors import IngotError
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft
from tests.support.node_tests import NodeTest, bound_inputs, load_node_tests, mismatch


def try_test(test: NodeTest) -> str | None:
    """Why a test fails; None if it passes. Raises what the compiler raises."""
    bound = bound_inputs(test, ALL)
    model = read_model(test.model, constants=bound)
    draft = to_draft(model, ALL)
    feeds = dict(zip((one.name for one in test.model.graph.input), test.inputs, strict=False))
    return mismatch(test, evaluate_draft(draft, feeds))


LIMIT_SECONDS = 15  # for one test
FOLDED = {"Constant", "Identity"}  # never reach an operator's definition


def check_node_tests(op_names: list[str]) -> bool:
    """Prints a line for each test; returns whether there are any and all pass."""
    known = {one.name for one in ALL}
    single = [name for name in op_names if name.startswith("test_")]
    wanted = {name for name in op_names if not name.startswith("test_")}
    passed = failed = skipped = 0
    for test in load_node_tests():
        if op_names and not (test.op_types & wanted or test.name in single):
            continue
        if test.name not in single and len(test.op_types) > 1 and not test.op_types <= known | FOLDED:
            skipped += 1
            continue
        signal.alarm(LIMIT_SECONDS)
        try:
            why = try_test(test)
        except Exception as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            if single or not isinstance(error, IngotError):
                traceback.print_exc()
        signal.alarm(0)
        passed, failed = passed + (why is None), failed + (why is not None)
        if why is not None or op_names:
            print("pass" if why is None else "FAIL", test.name, "" if why is None else why, flush=True)
    if not passed + failed + skipped:
        print(f"ONNX has no test of {', '.join(op_names)}: names are spelled as in ONNX, such as Mish")
        return False
    print(
        f"{passed} pass, {failed} fail, {skipped} models with several operators left out since ingot lacks one"
    )
    return failed == 0


def _too_long(_signal: int, _frame: object) -> None:
    raise TimeoutError(f"takes more than {LIMIT_SECONDS} s in the evaluator")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _too_long)
    np.seterr(all="ignore")
    sys.exit(not check_node_tests(sys.argv[1:]))
