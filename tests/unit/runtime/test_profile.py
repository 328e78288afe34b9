import pytest

from ingot.artifact.model_info import CallInfo
from ingot.artifact.module import BAD_CALL
from ingot.runtime import profile


def profiled(monkeypatch, work, costs, repeat=3, tick=1):
    """The profile of calls that take so long each, besides what making a call takes: the next of `costs`, at last its last."""
    now, left = [0], list(costs)

    def call(number, bases):
        now[0] += (left.pop(0) if len(left) > 1 else left[0]) + (work[number] if number < len(work) else 0)
        return 0 if number < len(work) else BAD_CALL

    def fail(status):
        raise AssertionError(status)

    monkeypatch.setattr(profile.time, "perf_counter", lambda: now[0] // tick * tick)
    calls = [
        CallInfo(f"k{number}", (), bytes_read=30, bytes_written=0, flops=60) for number in range(len(work))
    ]
    return profile.profile_calls(calls, call, None, repeat, fail)


def test_what_it_takes_to_make_a_call_is_not_the_kernels_time(monkeypatch):
    found = profiled(monkeypatch, (10, 300), [7])
    assert [kernel.seconds for kernel in found] == [10, 300]
    assert [kernel.gflops_per_second for kernel in found] == pytest.approx([6e-9, 0.2e-9])


@pytest.mark.parametrize("busy", [range(20), range(44, 200)], ids=["at first", "at last"])
def test_others_that_have_the_processor_while_calls_are_weighed_take_nothing_off_kernels(monkeypatch, busy):
    costs = [900 if number in busy else 7 for number in range(200)]
    found = profiled(monkeypatch, (10, 300), costs, repeat=1)
    assert [kernel.seconds for kernel in found] == [10, 300]


def test_a_kernel_that_took_no_longer_than_a_call_has_the_whole_time(monkeypatch):
    """The processor got faster behind the first round, and all that does nothing was weighed before."""
    monkeypatch.setattr(profile, "_fastest", lambda *_: 50)
    assert [kernel.seconds for kernel in profiled(monkeypatch, (0, 10, 300), [7])] == [7, 17, 257]


def test_work_that_was_done_never_takes_no_time_and_has_a_rate(monkeypatch):
    """The clock moves every 1,000 seconds only."""
    found = profiled(monkeypatch, (0, 1), [0], tick=1000)
    assert all(kernel.seconds > 0 and kernel.gflops_per_second > 0 for kernel in found)


def test_the_table_says_which_algorithm_computed_a_kernel():
    calls = [CallInfo("conv_a", ("a",), algorithm="conv=direct"), CallInfo("copy_b", ("b",))]
    table = str(profile.profile_calls(calls, lambda *_: 0, None, 1, lambda _: None)).splitlines()
    assert table[0].split()[-2:] == ["algorithm", "nodes"]
    assert table[1].split()[-2:] == ["conv=direct", "a"] and table[2].split()[-1] == "b"
