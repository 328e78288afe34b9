"""An executor does one thing at a time; who calls it meanwhile is told so, and disturbs nothing."""

import contextlib
import os
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from ingot.base.errors import BusyError, DeviceError
from ingot.runtime.executors import base
from ingot.runtime.executors.stepping import StepByStep

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)
OTHER = np.full(4, 7, np.float32)


@pytest.fixture(params=["aot", "graph"])
def executor(library, request):
    made = library["tiny"](executor=request.param)
    made.set_input(x=X)
    made.run()
    return made


def during(executor, action):
    """Has the executor do that in the middle of its next inference, with inputs in place and before anything is computed. Not in
    those that the action begins, if it is not refused.
    """
    usual = executor._run

    def run(bases):
        executor._run = usual
        action()
        return usual(bases)

    executor._run = run
    return usual


CALLS = {
    "predict": lambda executor: executor.predict(x=OTHER),
    "predict into out": lambda executor: executor.predict(
        x=OTHER, out=(np.empty(4, np.float32), np.empty(4, np.float32))
    ),
    "run": lambda executor: executor.run(),
    "set_input": lambda executor: executor.set_input(x=OTHER),
    "get_output": lambda executor: executor.get_output(0),
    "profile": lambda executor: executor.profile(x=OTHER, repeat=1),
}


@pytest.mark.parametrize("first", ["predict", "run"])
@pytest.mark.parametrize("second", CALLS)
def test_a_call_from_another_thread_meanwhile_is_refused_and_changes_nothing(executor, first, second):
    expected = executor.predict(x=X)
    refused = []

    def other():
        with pytest.raises(
            BusyError, match=r"already at work, for another thread or .*; make one for each"
        ) as caught:
            CALLS[second](executor)
        refused.append(caught.value)

    def action():
        thread = Thread(target=other)
        thread.start()
        thread.join()

    usual = during(executor, action)
    if first == "predict":
        found = executor.predict(x=X)
    else:
        executor.run()
        found = [executor.get_output(index) for index in range(2)]
    assert len(refused) == 1 and refused[0].facts == {"name": "tiny"}
    assert all(map(np.array_equal, found, expected))
    executor._run = usual
    CALLS[second](executor)  # nobody is at work any more


@pytest.mark.parametrize("first, inside", [("set_input", "set_input"), ("get_output", "output")])
@pytest.mark.parametrize("second", CALLS)
def test_while_inputs_are_set_or_an_output_is_read_another_thread_is_refused(
    executor, monkeypatch, first, inside, second
):
    usual, refused = getattr(StepByStep, inside), []

    def other():
        with pytest.raises(BusyError, match="already at work"):
            CALLS[second](executor)
        refused.append(second)

    def action(*arguments):
        monkeypatch.undo()
        thread = Thread(target=other)
        thread.start()
        thread.join()
        return usual(*arguments)

    monkeypatch.setattr(StepByStep, inside, action)
    CALLS[first](executor)
    assert refused == [second]
    CALLS[second](executor)


def test_a_call_from_within_a_call_is_refused_and_changes_nothing(executor):
    expected = executor.predict(x=X)
    refused = []

    class Given:
        """An input that asks the executor while that reads it."""

        def __dlpack__(self, **_):
            with pytest.raises(BusyError, match="further out in this one") as caught:
                executor.predict(x=OTHER)
            refused.append(caught.value)
            return X.__dlpack__()

        def __dlpack_device__(self):
            return X.__dlpack_device__()

    assert all(map(np.array_equal, executor.predict(x=Given()), expected))
    assert len(refused) == 1
    executor.predict(x=X)


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_whose_traceback_is_kept_leaves_no_mark(executor, call):
    """One as from the keyboard: Python looks for it where a function begins and where one of C ends, in turn here."""
    CALLS[call](executor)
    files = {
        Path(base.__file__),
        Path(contextlib.__file__),
    }  # neither what Python collects meanwhile, nor what opens files
    events, kept = 0, []

    def interrupt(frame, event, _):
        nonlocal left
        left -= event in ("call", "c_return") and Path(frame.f_code.co_filename) in files
        if left == 0:
            raise KeyboardInterrupt

    while True:
        events += 1
        left = events
        try:
            sys.setprofile(interrupt)
            CALLS[call](executor)
        except KeyboardInterrupt as error:
            kept.append(error)
        finally:
            sys.setprofile(None)
        if left > 0:
            break
        executor.predict(x=X)
    assert kept


@pytest.mark.parametrize("call", ["predict", "run", "profile"])
def test_an_executor_whose_call_failed_is_free_again(executor, call):
    expected = executor.predict(x=X)
    usual, executor._run = executor._run, lambda _: -5
    if call == "profile":
        executor._call, usual_call = lambda *_: -5, executor._call
    with pytest.raises(DeviceError, match="error -5"):
        CALLS[call](executor)
    executor._run = usual
    if call == "profile":
        executor._call = usual_call
    assert all(map(np.array_equal, executor.predict(x=X), expected))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # of Python 3.12 and later
def test_in_the_child_of_a_fork_an_executor_that_was_at_work_is_free(executor):
    expected = executor.predict(x=X)
    statuses = []

    def action():
        child = os.fork()
        if child == 0:
            status = 1
            try:
                executor._run = usual
                status = 0 if all(map(np.array_equal, executor.predict(x=X), expected)) else 2
            finally:
                os._exit(status)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    usual = during(executor, action)
    executor.predict(x=X)
    assert statuses == [0]


def test_executors_of_one_model_work_side_by_side(library):
    one, two = library["tiny"](), library["tiny"]()
    expected = two.predict(x=OTHER)
    found = []
    during(one, lambda: found.append(two.predict(x=OTHER)))
    one.predict(x=X)
    assert all(map(np.array_equal, found[0], expected))
