"""A process that compiles for another one (`llvm_crew`), and how that one asks it: requests and answers are lines of JSON."""

from __future__ import annotations

import base64
import json
import sys
from typing import TYPE_CHECKING

from ingot.codegen.llvm_objects import Form, Job, Made, Processor, build

if TYPE_CHECKING:  # with plans and loops it would take the process twice as long to start
    from ingot.codegen.record import Helper

MODULE = "ingot.codegen.llvm_helper"  # this one, by the name that a process is started with


def asked_of(helper: Helper, job: Job, what: Processor, form: Form, seconds: float) -> Made:
    """What a process that runs this module makes of a job, within so many seconds.

    Raises:
        ToolchainError: it cannot be started, ended, hangs, or said what is no answer.
        ValueError: its answer is not one to this request.
    """
    processor = [what.triple, what.cpu, what.features]
    request = {"text": job.text, "own_vectors": job.own_vectors, "processor": processor, "form": form.value}
    *_, answer = helper.ask(request, "content", seconds)
    content, features = answer["content"], answer.get("cpu_features")
    if not isinstance(content, str) or not isinstance(features, list) or not all(isinstance(name, str) for name in features):
        raise ValueError("a process that compiles answered with neither an object's text nor the names of CPU features")
    return Made(base64.b85decode(content), tuple(features))


def main() -> None:
    """Answers until there are no more requests. An error ends it, and is met again by who asked."""
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        made = build(Job(asked["text"], asked["own_vectors"]), Processor(*asked["processor"]), Form(asked["form"]))
        answer = {"cpu_features": made.cpu_features, "content": base64.b85encode(made.content).decode()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
