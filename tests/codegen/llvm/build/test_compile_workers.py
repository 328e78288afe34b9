"""Jobs are compiled by this process and by others, which gives the same bytes as this one alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ingot.base.errors import InternalError
from ingot.codegen.llvm.build import compile_workers
from ingot.codegen.llvm.build.object_builder import build_all
from ingot.codegen.llvm.build.objects import Form, Job, Processor, build
from ingot.codegen.llvm.build.worker_process import MODULE, asked_of
from ingot.codegen.record import BuildContext
from ingot.link.child import Child, ChildError

WHAT = Processor("x86_64-unknown-linux-gnu", "x86-64-v3", "")
BODY = "define <8 x float> @f{}(<8 x float> %a, <8 x float> %b) {{\n %c = fmul <8 x float> %a, %b\n ret <8 x float> %c\n}}\n"
JOBS = [Job(BODY.format(number), True) for number in range(9)]
ALONE = [build(job, WHAT) for job in JOBS]


class Started:
    """Knows the processes that were made; `fail` is raised by each request."""

    def __init__(self, fail: Exception | None = None) -> None:
        self.made: list[_Counted] = []
        self.fail = fail

    def __call__(self, module: str) -> _Counted:
        self.made.append(_Counted(self, module))
        return self.made[-1]

    @property
    def asked(self) -> int:
        return sum(one.asked for one in self.made)

    @property
    def running(self) -> int:
        """Those that were asked after they were last closed."""
        return sum(not one.closed for one in self.made)


class _Counted:
    def __init__(self, counts: Started, module: str) -> None:
        self.counts, self.child = counts, Child(module)
        self.asked, self.closed = 0, True

    def ask(self, request: Mapping[str, Any], last: str, seconds: float) -> Iterator[dict[str, Any]]:
        self.asked, self.closed = self.asked + 1, False
        if self.counts.fail is not None:
            raise self.counts.fail
        yield from self.child.ask(request, last, seconds)

    def stop(self) -> None:
        self.child.stop()

    def close(self) -> None:
        self.closed = True
        self.child.close()


@pytest.fixture
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three processors, and a process is worth starting for any job."""
    monkeypatch.setattr(compile_workers, "available_threads", lambda: 3)
    monkeypatch.setattr(compile_workers, "_START_CHARACTERS", 0)


@pytest.mark.usefixtures("_eager")
@pytest.mark.parametrize("form", Form)
def test_other_processes_give_the_same_bytes_in_the_same_order(form: Form) -> None:
    started = Started()
    made = build_all(JOBS, len(JOBS), WHAT, BuildContext(worker=started), form)
    assert made == [build(job, WHAT, form) for job in JOBS]
    assert len(started.made) == 2 and started.asked >= 2 and not started.running


@pytest.mark.usefixtures("_eager")
@pytest.mark.parametrize(
    "why", [ChildError("ended by signal 9"), OSError("no such file"), ValueError("no JSON")]
)
def test_what_a_process_does_not_give_is_compiled_here(why: Exception) -> None:
    started = Started(why)
    assert build_all(JOBS, len(JOBS), WHAT, BuildContext(worker=started)) == ALONE
    assert started.asked >= 1


@pytest.mark.usefixtures("_eager")
def test_a_process_that_failed_is_asked_no_more() -> None:
    started = Started(ChildError("ended by signal 9"))
    jobs = JOBS * 3
    assert build_all(jobs, len(jobs), WHAT, BuildContext(worker=started)) == ALONE * 3
    assert started.asked >= 1 and all(one.asked <= 1 for one in started.made)


@pytest.mark.parametrize(
    "answer", [{"content": None, "cpu_features": []}, {"content": "0"}, {"content": "0", "cpu_features": [1]}]
)
def test_an_answer_that_is_none_to_the_request_is_an_error_of_the_process(answer: dict[str, Any]) -> None:
    class Odd(_Counted):
        def ask(self, request: Mapping[str, Any], last: str, seconds: float) -> Iterator[dict[str, Any]]:
            yield answer

    with pytest.raises(ValueError, match="answered with neither"):
        asked_of(Odd(Started(), MODULE), JOBS[0], WHAT, Form.OBJECT, 1.0)


@pytest.mark.usefixtures("_eager")
def test_an_error_of_llvm_is_the_same_one_and_ends_the_processes() -> None:
    started = Started()
    wrong = [*JOBS[:4], Job("define nothing", True), *JOBS[4:]]
    with pytest.raises(InternalError, match="the LLVM text of a kernel is not valid"):
        build_all(wrong, len(wrong), WHAT, BuildContext(worker=started))
    assert len(started.made) == 2 and not started.running


@pytest.mark.usefixtures("_eager")
def test_an_error_of_who_writes_the_jobs_ends_the_processes() -> None:
    def jobs() -> Iterator[Job]:
        yield from JOBS
        raise InternalError("no more")

    started = Started()
    with pytest.raises(InternalError, match="no more"):
        build_all(jobs(), 12, WHAT, BuildContext(worker=started))
    assert len(started.made) == 2 and not started.running


def test_no_process_is_started_for_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_workers, "available_threads", lambda: 4)
    started = Started()
    assert build_all(JOBS, len(JOBS), WHAT, BuildContext(worker=started)) == ALONE
    assert (len(started.made), started.asked) == (3, 0)


def test_no_process_is_made_where_there_is_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_workers, "available_threads", lambda: 1)
    monkeypatch.setattr(compile_workers, "_START_CHARACTERS", 0)
    started = Started()
    assert build_all(JOBS, len(JOBS), WHAT, BuildContext(worker=started)) == ALONE
    assert not started.made
