"""Running candidates in a process of their own, and outliving what they do there."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from typing import Any

from ingot.codegen.record import Trial, Workshop
from ingot.link.child import Child, ChildError
from ingot.loops.nodes import Buffer
from ingot.observe import Observer
from ingot.plan.program import Problem
from ingot.target import Target
from ingot.tune.search import Missing, Time, Way

SESSION_SECONDS = 0.25


class Bench:
    """Measures ways to write a kernel. `failed` has a sentence for each that brought the process down."""

    def __init__(
        self, trial: Trial, target: Target, symbol: str, workshop: Workshop, cold_bytes: int, patience: float = 20.0
    ) -> None:
        """`cold_bytes` are the constants that a model reads in an inference: they are read from so far away. `patience` is how
        many seconds longer than it should take an answer is waited for.
        """
        self.patience = patience
        self._trial, self._target, self._symbol = trial, target, symbol
        self._workshop = Workshop(Observer(), workshop.cache)  # the objects of candidates are no stage of the build
        self._cold_bytes = cold_bytes
        self._child = Child(trial.module)
        self.failed: list[str] = []

    def close(self) -> None:
        """Ends the process."""
        self._child.close()

    def compiled(self, ways: Sequence[Way]) -> list[tuple[str, bytes]]:
        """The symbol and the object of each."""
        return self._trial.compiled(self._symbol, [way.kernel for way in ways], self._target, self._workshop)

    def times(
        self, problem: Problem, ways: Sequence[Way], deadline: float = float("inf"), seconds: float = SESSION_SECONDS
    ) -> list[Time]:
        """The shortest time of each way, all measured by turns for about so many seconds. What there is no time to compile before
        the deadline (of `time.monotonic`) is `LATE`; the first two are compiled in any case, so that a winner can win again.
        """
        requests: dict[int, dict[str, Any]] = {}
        for number, way in enumerate(ways):
            if number > 1 and time.monotonic() > deadline:
                break
            ((symbol, content),) = self.compiled([way])
            requests[number] = {
                "symbol": symbol,
                "object": base64.b64encode(content).decode("ascii"),
                "params": params(problem, way),
            }
        found: list[Time] = [Missing.LATE] * len(ways)
        while requests:
            begun: list[int] = []
            try:
                measured = self._session(list(requests.values()), begun.append, seconds)
            except ChildError as error:
                # Who was begun last did it; where all had been run before, or none, there is no telling who.
                known = 0 < len(begun) <= len(requests)
                guilty = list(requests)[begun[-1] if known else 0]
                self._note(ways[guilty], error)
                if not known:
                    return [Missing.LATE] * len(ways)
                found[guilty] = Missing.FAILED
                del requests[guilty]
                continue
            for number, nanoseconds in zip(requests, measured, strict=True):
                found[number] = max(1, nanoseconds)
            break
        return found

    def _session(self, candidates: list[dict[str, Any]], begun: Callable[[int], None], seconds: float) -> list[int]:
        request = {"candidates": candidates, "seconds": seconds, "cold_bytes": self._cold_bytes}
        for answer in self._child.ask(request, "times_ns", self.patience + seconds):
            if "begun" in answer:
                begun(int(answer["begun"]))  # one more when all have been run
            else:
                return [int(one) for one in answer["times_ns"]]
        raise ChildError("gave no times")

    def _note(self, way: Way, error: ChildError) -> None:
        words = " ".join(f"{name}={word}" for name, word in way.chosen.items())
        self.failed.append(f"{way.kernel.name} with {words} cannot be measured: its process {error}")


def params(problem: Problem, way: Way) -> list[tuple[str, str, int]]:
    """What a kernel's parameters are: role, element type, size in bytes. Constants are those of the problem, however stored."""
    kernel = way.kernel
    given = {buffer.name for buffer, array in zip(problem.buffers, problem.constants, strict=True) if array is None}

    def described(role: str, buffer: Buffer) -> tuple[str, str, int]:
        return role, buffer.dtype.value, max(1, buffer.span) * buffer.dtype.size_bytes

    return [
        *(described(buffer.name if buffer.name in given else "const", buffer) for buffer in kernel.inputs),
        *(described(f"out{number}", buffer) for number, buffer in enumerate(kernel.outputs)),
        *(described(f"work{number}", buffer) for number, buffer in enumerate(kernel.workspaces)),
    ]
