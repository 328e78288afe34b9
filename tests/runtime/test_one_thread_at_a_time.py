"""An executor works for one thread at a time; another one that comes meanwhile is told so, and disturbs nothing."""

import os
from threading import Thread

import numpy as np
import pytest

from ingot.errors import DeviceError, InputError

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
    """Has the executor do that in the middle of every inference, with inputs in place and before anything is computed."""
    usual = executor._run

    def run(bases):
        action()
        return usual(bases)

    executor._run = run
    return usual


CALLS = {
    "predict": lambda executor: executor.predict(x=OTHER),
    "predict into out": lambda executor: executor.predict(x=OTHER, out=(np.empty(4, np.float32), np.empty(4, np.float32))),
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
        with pytest.raises(InputError, match="at work for another thread; make one for each thread") as caught:
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
def test_in_the_child_of_a_fork_an_executor_that_was_at_work_is_free(executor):
    expected = executor.predict(x=X)
    statuses = []

    def action():
        child = os.fork()
        if child == 0:
            executor._run = usual
            good = all(map(np.array_equal, executor.predict(x=X), expected))
            os._exit(0 if good else 1)
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
