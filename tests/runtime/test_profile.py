import pytest

from ingot.artifact.info import CallInfo
from ingot.artifact.module import BAD_CALL
from ingot.runtime import profile


def test_what_it_takes_to_make_a_call_is_not_the_kernels_time(monkeypatch):
    now = [0]
    cost, work = 7, (10, 0, 300)

    def call(number, bases):
        now[0] += cost + (work[number] if number < len(work) else 0)
        return 0 if number < len(work) else BAD_CALL

    def fail(status):
        raise AssertionError(status)

    monkeypatch.setattr(profile.time, "perf_counter", lambda: now[0])
    calls = [CallInfo(name, (), bytes_read=30, bytes_written=0, flops=60) for name in "abc"]
    found = profile.profile_calls(calls, call, None, 3, fail)
    assert [kernel.seconds for kernel in found] == list(work)
    assert [kernel.gflops_per_second for kernel in found] == pytest.approx([6e-9, 0, 0.2e-9])
