"""A process that compiles for another one (`llvm_crew`): requests and answers are lines of JSON."""

from __future__ import annotations

import base64
import json
import sys

from ingot.codegen.llvm_objects import Form, Job, Processor, build


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
