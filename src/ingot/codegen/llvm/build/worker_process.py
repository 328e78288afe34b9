"""A process that compiles for another one (see `compile_workers`). Requests and answers are lines of JSON."""

from __future__ import annotations

import base64
import json
import signal
import sys
from typing import TYPE_CHECKING

from ingot.base.errors import InternalError, ToolchainError
from ingot.codegen.llvm.build.objects import Form, Job, ObjectCode, Processor, build

if TYPE_CHECKING:  # with plans and loops it would take the process twice as long to start
    from ingot.codegen.record import WorkerProcess

MODULE = "ingot.codegen.llvm.build.worker_process"  # this one, by the name that a process is started with


_FROM_OUTSIDE = tuple(-number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM))


def asked_of(
    worker: WorkerProcess, job: Job, processor: Processor, form: Form, seconds: float, proves: bool = False
) -> ObjectCode:
    """What a process that runs this module makes of a job, within so many seconds. `proves`: instructions are made of it there,
    too, where only bitcode is wanted.

    Raises:
        InternalError: LLVM ended the process over this job.
        ToolchainError: it cannot be started, hangs, said processor is no answer, or something else ended it.
        ValueError: its answer is not one to this request.
    """
    request = {
        "text": job.text,
        "own_vectors": job.own_vectors,
        "processor": [processor.triple, processor.cpu, processor.features],
        "form": form.value,
        "proves": proves,
    }
    answer: dict[str, object] = {}
    try:
        for answer in worker.ask(request, "content", seconds):  # noqa: B007  # the last one counts
            pass
    except ToolchainError as error:
        status = error.facts.get("status")
        if "begun" not in answer or status is None or status in _FROM_OUTSIDE:
            raise
        raise InternalError(
            f"kernel {job.name!r}: LLVM cannot make code of it for {processor.cpu or 'the baseline'}"
            f" ({processor.triple}, {processor.features or 'no other features'}): the process that compiles {error};"
            " a defect of ingot's, please report it",
            kernel=job.name,
            cpu=processor.cpu,
            features=processor.features,
            triple=processor.triple,
        ) from error
    content, features = answer.get("content"), answer.get("cpu_features")
    if (
        not isinstance(content, str)
        or not isinstance(features, list)
        or not all(isinstance(name, str) for name in features)
    ):
        raise ValueError(
            "a process that compiles answered with neither an object's text nor the names of CPU features"
        )
    return ObjectCode(base64.b85decode(content), tuple(features))


def _answer(asked: dict[str, object]) -> dict[str, object]:
    """The object of a request; or what was wrong with it, which is met again by who asked."""
    job, processor, form = (
        Job(str(asked["text"]), bool(asked["own_vectors"])),
        Processor(*asked["processor"]),  # type: ignore[misc]
        Form(asked["form"]),
    )
    try:
        built = build(job, processor, form)
        if asked["proves"] and form is Form.BITCODE:
            build(job, processor, Form.OBJECT)
    except Exception as error:
        return {"content": None, "said": str(error)}
    return {"cpu_features": built.cpu_features, "content": base64.b85encode(built.content).decode()}


def main() -> None:
    """Answers until there are no more requests: that it begins, and then with what was made."""
    for line in sys.stdin.buffer:
        for answer in ({"begun": True}, None):
            sys.stdout.write(json.dumps(answer or _answer(json.loads(line))) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
