"""Who compiles the jobs of a build: this process, and others beside it.

LLVM works without Python's lock, but llvmlite has one of its own, so that a second thread that compiles would only wait. The
others are processes, for each further processor one, three at most: writing what is compiled takes a third as long as compiling
it. One is started where as much waits as it could compile until it is there. One that failed is asked no more: what it was to
compile is compiled here.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from ingot.codegen.llvm_helper import MODULE, asked_of
from ingot.codegen.llvm_objects import Form, Job, Made, Processor, build
from ingot.codegen.record import Helper, Workshop
from ingot.errors import ToolchainError
from ingot.threads import available_threads

_MOST = 4
_START_CHARACTERS = 1_500_000  # of LLVM's text: half a second's work, in which a process starts
_SECONDS = 600.0  # in which a process is to answer: none takes long, but it might hang

# Makes a job's object: by what compiles it, if that has to be.
Work = Callable[[Job, Callable[[], Made]], Made]


class Crew:
    """Compiles jobs, each as soon as somebody has time for it. Ends all processes when it is left."""

    def __init__(self, what: Processor, form: Form, workshop: Workshop, work: Work) -> None:
        self._what, self._form, self._work = what, form, work
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
        member = min((one for one in self._members if not one.failed), key=lambda one: one.ahead)
        try:
            future = member.thread.submit(self._work, job, partial(self._built, job, member))
        except RuntimeError:  # a limit of threads or of memory
            done: Future[Made] = Future()
            done.set_result(self._work(job, partial(build, job, self._what, self._form)))
            return done
        member.jobs.append((len(job.text), future))
        return future

    def _built(self, job: Job, member: _Member) -> Made:
        if member.helper is not None and not member.failed and not self._ended:
            try:
                member.begun = True
                return asked_of(member.helper, job, self._what, self._form, _SECONDS)
            except (ToolchainError, OSError, ValueError):
                # It cannot be started, ended, hangs, or said something else; an error of the job itself is met below.
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
