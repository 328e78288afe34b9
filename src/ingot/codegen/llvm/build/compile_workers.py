"""Who compiles the jobs of a build: this process, and others beside it.

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
from ingot.codegen.llvm.build.objects import Form, Job, Made, Processor, build
from ingot.codegen.llvm.build.proof import Proofs, forms
from ingot.codegen.llvm.build.worker_process import MODULE, asked_of
from ingot.codegen.record import Helper, Workshop

_MOST = 4
_START_CHARACTERS = 1_500_000  # of LLVM's text: half a second's work, in which a process starts
_SECONDS = 600.0  # in which a process is to answer: none takes long, but it might hang

# Makes a job's object: by what compiles it, if that has to be.
Work = Callable[[Job, Callable[[], Made]], Made]


class Crew:
    """Compiles jobs, each as soon as somebody has time for it. Ends all processes when it is left."""

    def __init__(self, what: Processor, form: Form, workshop: Workshop, work: Work, proofs: Proofs) -> None:
        self._what, self._form, self._work, self._proofs = what, form, work, proofs
        self._helper = workshop.helper
        others = min(_MOST, available_threads()) - 1
        helpers = [] if workshop.helper is None else [workshop.helper(MODULE) for _ in range(others)]
        self._members = [_Member(None), *map(_Member, helpers)]
        self._ended = False

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        helpers = [member.helper for member in self._members if member.helper is not None]
        for helper in helpers:
            helper.stop()  # what it is at is not wanted any more
        for member in self._members:
            member.thread.shutdown(cancel_futures=True)
        for helper in helpers:
            helper.close()

    def begin(self, job: Job) -> Future[Made]:
        """Gives a job to who will be done first; compiles it here and now where the system starts no thread."""
        proves = bool(self._proofs.lacking(job.text))
        able = [one for one in self._members if not one.failed and not (proves and one.helper is None)]
        member = min(able, key=lambda one: one.ahead) if able else self._another()
        try:
            future = member.thread.submit(self._work, job, partial(self._built, job, member, proves))
        except RuntimeError:  # a limit of threads or of memory
            done: Future[Made] = Future()
            done.set_result(self._work(job, partial(self._built, job, member, proves)))
            return done
        member.jobs.append((len(job.text), future))
        return future

    def _another(self) -> _Member:
        """One more process, for what is not to be compiled in this one; this one if there can be none, or several failed."""
        if self._helper is None or len(self._members) > _MOST:
            return self._members[0]
        self._members.append(_Member(self._helper(MODULE)))
        return self._members[-1]

    def _built(self, job: Job, member: _Member, proves: bool) -> Made:
        if member.helper is not None and not member.failed and not self._ended:
            try:
                member.begun = True
                made = asked_of(member.helper, job, self._what, self._form, _SECONDS, proves)
                if proves:
                    self._proofs.add(forms(job.text))
                return made
            except (ToolchainError, OSError, ValueError):
                # It cannot be started, hangs, was ended, or said something else; an error of the job itself is met below.
                member.failed = True
                if self._ended:
                    raise
        return build(job, self._what, self._form)


class _Member:
    """A thread, which compiles itself or asks a process to."""

    def __init__(self, helper: Helper | None) -> None:
        self.helper = helper
        self.thread = ThreadPoolExecutor(1)
        self.begun = False
        self.failed = False  # never, without a process
        self.jobs: list[tuple[int, Future[Made]]] = []  # characters of text

    @property
    def ahead(self) -> int:
        """What is to be done before it begins with another job, in characters of text that are compiled."""
        waiting = sum(characters for characters, future in self.jobs if not future.done())
        return waiting + (0 if self.helper is None or self.begun else _START_CHARACTERS)
