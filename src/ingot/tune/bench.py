"""Runs candidates in a child process, and survives their crashes."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.codegen.record import BuildContext, Trial
from ingot.link.child import Child, ChildError
from ingot.loops.nodes import Buffer
from ingot.plan.program import Problem
from ingot.tune.search import Missing, Time, Variant

SESSION_SECONDS = 0.25


class Bench:
    """Measures variants of a kernel. `failed` has a sentence for each that brought the process down: the cache keeps which, and
    they are not run again.
    """

    def __init__(
        self,
        trial: Trial,
        target: Target,
        symbol: str,
        context: BuildContext,
        cold_bytes: int,
        patience: float = 20.0,
        cpu: str = "",
    ) -> None:
        """`cold_bytes` are the constants that a model reads in an inference: they are read from so far away. `patience` is how
        many seconds longer than it should take an answer is waited for. `cpu` is the processor here, on which a variant fails.
        """
        self.patience = patience
        self._cpu = cpu
        self._trial, self._target, self._symbol = trial, target, symbol
        self._context = BuildContext(
            Observer(), context.cache
        )  # the objects of candidates are no stage of the build
        self._cold_bytes = cold_bytes
        self._child = Child(trial.module)
        self.failed: list[str] = []

    def close(self) -> None:
        """Ends the process."""
        self._child.close()

    def compiled(self, variants: Sequence[Variant]) -> list[tuple[str, bytes]]:
        """The symbol and the object of each."""
        return self._trial.compiled(
            self._symbol, [variant.kernel for variant in variants], self._target, self._context
        )

    def times(
        self,
        problem: Problem,
        variants: Sequence[Variant],
        deadline: float = float("inf"),
        seconds: float = SESSION_SECONDS,
    ) -> list[Time]:
        """The shortest time of each variant. All are measured alternately, for about `seconds`.

        A variant that there is no time to compile before the deadline (of `time.monotonic`) is `LATE`. The first two are compiled
        in any case, so that a winner can win again. The first one is what others are compared with, and always runs.
        """
        times: list[Time] = [Missing.LATE] * len(variants)
        requests: dict[int, dict[str, Any]] = {}
        for number, variant in enumerate(variants):
            if number > 1 and time.monotonic() > deadline:
                break
            ((symbol, content),) = self.compiled([variant])
            requests[number] = {
                "symbol": symbol,
                "object": base64.b64encode(content).decode("ascii"),
                "params": params(problem, variant),
            }
            if number and self._has_failed(requests[number]):
                times[number] = Missing.FAILED
                del requests[number]
        while requests:
            begun: list[int] = []
            try:
                measured = self._session(list(requests.values()), begun.append, seconds)
            except ChildError as error:
                # Who was begun last did it; where all had been run before, or none, there is no telling who.
                known = 0 < len(begun) <= len(requests)
                guilty = list(requests)[begun[-1] if known else 0]
                self._note(variants[guilty], error)
                if not known:
                    return [Missing.LATE] * len(variants)
                times[guilty] = Missing.FAILED
                if guilty and self._context.cache is not None:
                    self._context.cache.put(self._key(requests[guilty]), b"failed")
                del requests[guilty]
                continue
            for number, nanoseconds in zip(requests, measured, strict=True):
                times[number] = max(1, nanoseconds)
            break
        return times

    def _session(
        self, candidates: list[dict[str, Any]], begun: Callable[[int], None], seconds: float
    ) -> list[int]:
        request = {"candidates": candidates, "seconds": seconds, "cold_bytes": self._cold_bytes}
        for answer in self._child.ask(request, "times_ns", self.patience + seconds):
            match answer:
                case {"begun": int(number)}:
                    begun(number)  # one more when all have been run
                case {"times_ns": [*times]} if len(times) == len(candidates) and all(
                    isinstance(time_ns, int) for time_ns in times
                ):
                    return times
        self._child.close()
        raise ChildError("gave no times")

    def _key(self, candidate: Mapping[str, Any]) -> str:
        """The key under which the cache records that a candidate failed on this machine."""
        text = json.dumps(["failed", self._cpu, candidate])
        return hashlib.sha256(text.encode()).hexdigest()

    def _has_failed(self, candidate: Mapping[str, Any]) -> bool:
        return self._context.cache is not None and self._context.cache.get(self._key(candidate)) is not None

    def _note(self, variant: Variant, error: ChildError) -> None:
        words = " ".join(f"{name}={word}" for name, word in variant.chosen.items())
        self.failed.append(f"{variant.kernel.name} with {words} cannot be measured: its process {error}")


def params(problem: Problem, variant: Variant) -> list[tuple[str, str, int]]:
    """What a kernel's parameters are: role, element type, size in bytes. Constants are those of the problem, however stored."""
    kernel = variant.kernel
    given = {
        buffer.name for buffer, array in zip(problem.buffers, problem.constants, strict=True) if array is None
    }

    def described(role: str, buffer: Buffer) -> tuple[str, str, int]:
        return role, buffer.dtype.value, max(1, buffer.span) * buffer.dtype.size_bytes

    return [
        *(described(buffer.name if buffer.name in given else "const", buffer) for buffer in kernel.inputs),
        *(described(f"out{number}", buffer) for number, buffer in enumerate(kernel.outputs)),
        *(described(f"work{number}", buffer) for number, buffer in enumerate(kernel.workspaces)),
    ]
