"""Compiles the jobs of a build, in this process and in worker processes.

LLVM works without Python's lock, but llvmlite has one of its own, so that a second thread that compiles would only wait. The
others are processes, for each further processor one, three at most: writing what is compiled takes a third as long as compiling
it. One is started where as much waits as it could compile until it is there. One that failed is asked no more: what it was to
compile is compiled here. But where LLVM ended it over a kernel, that is an error, since it would end this process too; and what
has forms which LLVM may refuse, and never met for this processor, is compiled by others only (`llvm/build/proof`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from ingot.base.errors import ToolchainError
from ingot.base.threads import available_threads
from ingot.codegen.llvm.build.objects import Form, Job, ObjectCode, Processor, build
from ingot.codegen.llvm.build.proof import Proofs, forms
from ingot.codegen.llvm.build.worker_process import MODULE, asked_of
from ingot.codegen.record import BuildContext, WorkerProcess

_MAX_WORKERS = 4
_START_CHARACTERS = 1_500_000  # of LLVM's text: half a second's work, in which a process starts
_SECONDS = 600.0  # in which a process is to answer: none takes long, but it might hang

# Makes a job's object: by what compiles it, if that has to be.
Work = Callable[[Job, Callable[[], ObjectCode]], ObjectCode]


class CompileWorkers:
    """Compiles jobs, each as soon as somebody has time for it. Ends all processes when it is left."""

    def __init__(
        self, processor: Processor, form: Form, context: BuildContext, work: Work, proofs: Proofs
    ) -> None:
        self._processor, self._form, self._work, self._proofs = processor, form, work, proofs
        self._start = context.worker
        others = min(_MAX_WORKERS, available_threads()) - 1
        processes = [] if context.worker is None else [context.worker(MODULE) for _ in range(others)]
        self._members = [_Member(None), *map(_Member, processes)]
        self._ended = False

    def __enter__(self) -> CompileWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        processes = [member.process for member in self._members if member.process is not None]
        for process in processes:
            process.stop()  # what it is at is not wanted any more
        for member in self._members:
            member.thread.shutdown(cancel_futures=True)
        for process in processes:
            process.close()

    def begin(self, job: Job) -> Future[ObjectCode]:
        """Gives a job to who will be done first; compiles it here and now where the system starts no thread."""
        proves = bool(self._proofs.lacking(job.text))
        able = [
            worker
            for worker in self._members
            if not worker.failed and not (proves and worker.process is None)
        ]
        member = min(able, key=lambda worker: worker.backlog) if able else self._another()
        try:
            future = member.thread.submit(self._work, job, partial(self._built, job, member, proves))
        except RuntimeError:  # a limit of threads or of memory
            done: Future[ObjectCode] = Future()
            done.set_result(self._work(job, partial(self._built, job, member, proves)))
            return done
        member.jobs.append((len(job.text), future))
        return future

    def _another(self) -> _Member:
        """One more process, for what is not to be compiled in this one; this one if there can be none, or several failed."""
        if self._start is None or len(self._members) > _MAX_WORKERS:
            return self._members[0]
        self._members.append(_Member(self._start(MODULE)))
        return self._members[-1]

    def _built(self, job: Job, member: _Member, proves: bool) -> ObjectCode:
        if member.process is not None and not member.failed and not self._ended:
            try:
                member.begun = True
                answer = asked_of(member.process, job, self._processor, self._form, _SECONDS, proves)
                if proves:
                    self._proofs.add(forms(job.text))
                return answer
            except (ToolchainError, OSError, ValueError):
                # It cannot be started, hangs, was ended, or said something else; an error of the job itself is met below.
                member.failed = True
                if self._ended:
                    raise
        return build(job, self._processor, self._form)


class _Member:
    """A thread, which compiles itself or asks a process to."""

    def __init__(self, process: WorkerProcess | None) -> None:
        self.process = process
        self.thread = ThreadPoolExecutor(1)
        self.begun = False
        self.failed = False  # never, without a process
        self.jobs: list[tuple[int, Future[ObjectCode]]] = []  # characters of text

    @property
    def backlog(self) -> int:
        """What is to be done before it begins with another job, in characters of text that are compiled."""
        waiting = sum(characters for characters, future in self.jobs if not future.done())
        return waiting + (0 if self.process is None or self.begun else _START_CHARACTERS)
