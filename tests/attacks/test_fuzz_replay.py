"""A short fuzz with fixed seeds: as `python -m tests.attacks.fuzz` does it for minutes. 10 s in all, most of it for processes."""

from __future__ import annotations

import os
import random
import signal

import pytest

from tests.attacks.fuzz import Reading, Run, input_of, outcome, report
from tests.attacks.fuzz_targets import TARGETS, FuzzTarget
from tests.attacks.mutate import changed_bytes, smaller

INPUTS = {
    "metadata": 800,
    "tuning": 800,
    "graph": 800,
    "params": 1500,
    "blob": 1500,
    "archive": 120,
    "set": 60,
}


@pytest.mark.parametrize("name", INPUTS)
def test_nothing_but_errors_of_its_own_leaves_a_reader(name):
    target = TARGETS[name]
    seeds = list(target.seeds())
    assert [outcome(target, seed) for seed in seeds] == [""] * len(seeds)
    for number in range(INPUTS[name]):
        assert not outcome(target, input_of(target, seeds, 7, number)), f"input {number} of seed 7"


def test_models_are_read_in_a_process_of_their_own():
    run = Run(TARGETS["model"], 7)
    run.go(seconds=60, most=40)
    assert (run.executions, run.found) == (40, {})


def test_the_same_number_gives_the_same_input():
    target = TARGETS["metadata"]
    seeds = list(target.seeds())
    first, again, other = (input_of(target, seeds, seed, 3) for seed in (1, 1, 2))
    assert first == again != other


def test_what_is_no_error_of_its_own_is_said_and_its_input_made_smaller():
    def read(content):
        if b"\x07" in content:
            raise IndexError("seven")

    target = FuzzTarget("x", lambda: [b""], changed_bytes, read)
    assert not outcome(target, b"abc")
    assert outcome(target, b"ab\x07c").startswith("IndexError")
    content = random.Random(1).randbytes(300) + b"\x07"
    assert smaller(content, lambda one: bool(outcome(target, one))) == b"\x07"


def test_a_finding_is_kept_before_the_run_ends(tmp_path):
    run = Run(TARGETS["metadata"], 7, tmp_path)
    run.hear(Reading(), b"ready\n5\nfound IndexError here\n6\nfound Index")
    seeds = list(run.target.seeds())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [input_of(run.target, seeds, 7, 5)]
    assert run.found == {"IndexError here": 5}


def test_a_run_ended_by_a_signal_still_reports(tmp_path, capsys, monkeypatch):
    run = Run(TARGETS["tuning"], 7, tmp_path)
    hear = run.hear

    def stopped(reading, said):
        hear(reading, said)
        if reading.last > 20:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(run, "hear", stopped)
    # Started in the background of a shell, Python ignores this signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert report(run, seconds=60)
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.executions > 20
    assert f"tuning: {run.executions} inputs" in capsys.readouterr().out
