"""`tune`: measures variants of a program's kernels on this machine, the most expensive first, within a time limit."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.artifact.tuning import Measurements, TunedKernel
from ingot.base.errors import TargetError
from ingot.base.target import Target
from ingot.codegen.record import BuildContext, Codegen, Trial
from ingot.link.child import can_start
from ingot.loops.nodes import Kernel
from ingot.plan.program import HOST, Decision, Program
from ingot.plan.schedule.finish import finished
from ingot.plan.schedule.write import problem_digest, write
from ingot.tune.bench import Bench
from ingot.tune.known import key_of, store, stored, unfinished
from ingot.tune.search import Missing, Variant, Verdict, search

_GLANCE_SECONDS = 0.03  # to see what a kernel costs


@dataclass(slots=True)
class _Job:
    """One problem of the program: how often it is called, and what is known of it. `finished`: there is no more to find out."""

    decision: Decision
    problem: str
    calls: int
    usual: Variant
    key: str = ""
    usual_ns: int = 0
    failed: bool = False
    finished: bool = False

    @property
    def cost(self) -> int:
        return self.usual_ns * self.calls


def require_trial(generator: Codegen, target: Target, seconds: float) -> Trial:
    """How kernels for a target are measured on this machine, for `seconds`.

    Raises:
        TargetError: they cannot be, or what is measured would not hold there; the message says why and what to do.
    """
    trial = generator.trial
    if trial is None:
        why = (
            "how fast its code is depends on the compiler that it will be given to"
            if generator.id == "c"
            else "its kernels cannot be run one by one"
        )
    else:
        why = trial.why_not(target)
    if trial is None or why:
        raise TargetError(
            f"target {str(target)!r} cannot be tuned here: {why}; tune for 'llvm' on the machine that it is for, or give a "
            "tuning file that was written there",
            target=str(target),
        )
    if seconds > 0 and not can_start():
        raise TargetError(
            f"target {str(target)!r} cannot be tuned in this program: kernels are run by another Python process, and "
            f"sys.executable is no interpreter to start one with (it is {sys.executable!r}); tune with 'ingot build --tune "
            "--tune-to FILE', and give this program the file (tuning=)",
            target=str(target),
        )
    return trial


def tune(
    programs: Sequence[Program],
    generator: Codegen,
    target: Target,
    symbol: str,
    context: BuildContext,
    seconds: float,
    cpu: str,
) -> Measurements:
    """Measures for about `seconds`, and returns the fastest options.

    What was measured before on this machine comes from the cache; with 0 seconds, all that there is. The time is shared out by
    what kernels cost in an inference; an interrupt (Ctrl-C) ends the measuring, not the build.

    Args:
        programs: of one model, as templates write them by themselves; kernels that they have alike are measured once.
        generator: of the host's code.
        target: a definite one of this generator.
        symbol: the host's symbol, as the objects of the build will have it.
        context: its cache keeps verdicts and objects; its observer hears of progress, failures, and the sum of it all.
        seconds: how long.
        cpu: the name of the processor here.
    """
    trial = require_trial(generator, target, seconds)
    constants = max(map(_constant_bytes, programs))  # programs of a model share them
    bench = Bench(trial, target, symbol, context, constants, cpu=cpu)
    tuner = _Tuner(bench, context, str(target), cpu, time.monotonic() + seconds)
    jobs = _jobs(programs)
    observer = context.observer
    try:
        tuner.recall(jobs)
        tuner.measure([job for job in jobs if not job.finished])
    except KeyboardInterrupt:
        observer.note("tuning was interrupted; the build goes on with what is known")
    finally:
        bench.close()
    for sentence in bench.failed:
        observer.note(sentence)
    observer.note(_summary(jobs, tuner.known))
    return Measurements(
        str(target), cpu, tuple(sorted(tuner.known.values(), key=lambda kernel: kernel.problem))
    )


def _constant_bytes(program: Program) -> int:
    return sum(
        array.nbytes for name, array in program.constants.items() if program.values[name].space == HOST
    )


def _jobs(programs: Sequence[Program]) -> list[_Job]:
    """The problems of the host where there is a choice, in the order of first use."""
    jobs: dict[str, _Job] = {}
    for program in programs:
        _add_jobs(program, jobs)
    return list(jobs.values())


def _add_jobs(program: Program, jobs: dict[str, _Job]) -> None:
    kernels = {kernel.name: kernel for kernel in program.kernels}
    for decision in program.decisions:
        if decision.key != HOST or all(len(words) == 1 for words in decision.offered.values()):
            continue
        problem = problem_digest(decision.problem)
        if problem in jobs:
            jobs[problem].calls += 1
        else:
            usual = Variant(kernels[decision.kernel], decision.chosen, decision.offered)
            jobs[problem] = _Job(decision, problem, 1, usual)


@dataclass(slots=True)
class _Tuner:
    """What is known so far, by problem, and the time that is left."""

    bench: Bench
    context: BuildContext
    target: str
    cpu: str
    deadline: float
    known: dict[str, TunedKernel] = field(default_factory=dict)

    def recall(self, jobs: Sequence[_Job]) -> None:
        """Takes what is kept from earlier times."""
        for job, (_, content) in zip(jobs, self.bench.compiled([job.usual for job in jobs]), strict=True):
            job.key = key_of(job.problem, self.target, self.cpu, job.usual, content)
            verdict = stored(self.context.cache, job.key)
            job.finished = verdict is not None
            verdict = verdict or stored(self.context.cache, unfinished(job.key))
            if verdict is not None:
                self.known[job.problem] = replace(verdict, kernel=job.decision.kernel)

    def measure(self, jobs: Sequence[_Job]) -> None:
        """Finds verdicts, one after the other, until the time is up."""
        for number, job in enumerate(jobs):
            if time.monotonic() >= self.deadline:
                return
            self.context.observer.progress("time kernels", number, len(jobs))
            (taken,) = self.bench.times(job.decision.problem, [job.usual], seconds=_GLANCE_SECONDS)
            if isinstance(taken, Missing):
                job.failed = taken is Missing.FAILED
            else:
                job.usual_ns = taken
        left = sorted((job for job in jobs if job.usual_ns), key=lambda job: -job.cost)
        for number, job in enumerate(left):
            now = time.monotonic()
            if now > self.deadline:
                return
            self.context.observer.progress("tune kernels", number, len(left))
            # Time that the expensive kernels leave goes to the cheap ones.
            share = job.cost / sum(other.cost for other in left[number:])
            verdict = _searched(job, self.bench, now + (self.deadline - now) * share)
            if verdict is not None:
                self._keep(job, verdict)
        self.context.observer.progress("tune kernels", len(left), len(left))

    def _keep(self, job: _Job, verdict: Verdict) -> None:
        choices, usual = _pairs(verdict.best.chosen), _pairs(verdict.usual.chosen)
        template, kernel = job.decision.problem.fused.name, job.decision.kernel
        tuned = TunedKernel(job.problem, template, kernel, choices, usual, verdict.best_ns, verdict.usual_ns)
        if tuned.is_usual and not verdict.complete and job.problem in self.known:
            return  # it did not come as far as an earlier one
        self.known[job.problem] = tuned
        store(
            self.context.cache,
            job.key if verdict.complete else unfinished(job.key),
            self.target,
            self.cpu,
            tuned,
        )


def _searched(job: _Job, bench: Bench, end: float) -> Verdict | None:
    problem = job.decision.problem

    def variant(overrides: Mapping[str, str]) -> Variant:
        written = write(problem, overrides)
        kernel = Kernel(
            job.usual.kernel.name,
            written.inputs,
            problem.outputs,
            written.body,
            written.workspaces,
            written.in_place,
        )
        return Variant(finished(kernel, problem.machine), written.chosen, written.offered)

    return search(
        variant, lambda variants: bench.times(problem, variants, end), lambda: time.monotonic() < end
    )


def _pairs(words: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(words.items()))


def _summary(jobs: Sequence[_Job], known: Mapping[str, TunedKernel]) -> str:
    faster = [kernel for kernel in known.values() if not kernel.is_usual]
    calls = {job.problem: job.calls for job in jobs}
    before = sum(calls[kernel.problem] * kernel.usual_ns for kernel in known.values())
    after = sum(calls[kernel.problem] * kernel.time_ns for kernel in known.values())
    gained = (
        f", {100 * (before - after) / before:.1f} % of the time of all that were measured" if faster else ""
    )
    left = sum(job.problem not in known and not job.failed for job in jobs)
    more = f"; {left} were not reached: the same again, or more time, goes on there" if left else ""
    return f"tuned {len(known)} of {len(jobs)} kernels with a choice, {len(faster)} of them are faster now{gained}{more}"
