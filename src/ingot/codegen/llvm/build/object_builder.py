"""Turns the LLVM texts of one build into objects or bitcode, each once, taking from the cache what was compiled before."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from ingot.codegen.llvm.build import features as llvm_features
from ingot.codegen.llvm.build import objects, x86_features, x86_instructions
from ingot.codegen.llvm.build.compile_workers import Crew
from ingot.codegen.llvm.build.objects import Form, Job, Made, Processor
from ingot.codegen.llvm.build.proof import Proofs
from ingot.codegen.record import Workshop


def build_all(
    jobs: Iterable[Job], total: int, what: Processor, workshop: Workshop, form: Form = Form.OBJECT
) -> list[Made]:
    """An object, or optimised bitcode, for each of `total` jobs, in order.

    Some are compiled while the next ones are written: LLVM works without Python's lock, and so do other processes.
    """

    def work(job: Job, build: Callable[[], Made]) -> Made:
        return _cached(job, what, form, workshop, build)

    with Crew(what, form, workshop, work, Proofs(what, _makers, workshop.cache)) as crew:
        begun: list[Future[Made]] = []
        for job in jobs:
            workshop.observer.progress("compile kernels", sum(each.done() for each in begun), total)
            begun.append(crew.begin(job))
        made: list[Made] = []
        for each in begun:
            workshop.observer.progress("compile kernels", len(made), total)
            made.append(each.result())
    workshop.observer.progress("compile kernels", total, total)
    return made


def _cached(job: Job, what: Processor, form: Form, workshop: Workshop, build: Callable[[], Made]) -> Made:
    if workshop.cache is None:
        return build()
    key = _key(job, what, form)
    stored = workshop.cache.get(key)
    found = _unpacked(stored) if stored is not None else None
    if found is None:
        found = build()
        workshop.cache.put(key, _packed(found))
    return found


@functools.cache
def _makers() -> str:
    """A digest of everything that turns text into an object: LLVM, and the sources that drive it."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.llvm_version_info}".encode())
    for module in (objects, llvm_features, x86_features, x86_instructions):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()


def _key(job: Job, what: Processor, form: Form) -> str:
    """The text of a module is what all the rest of the code generator comes down to, so its digest leaves nothing out of that.

    *Does not handle:* options of LLVM that other code of this process sets for all of it (`llvmlite.binding.set_option`). They
    change what is compiled here, and thereby what is kept; LLVM does not tell which are set.
    """
    parts = [_makers(), what.triple, what.cpu, what.features, str(job.own_vectors), form.value, job.text]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _packed(made: Made) -> bytes:
    return json.dumps(made.cpu_features).encode() + b"\n" + made.content


def _unpacked(stored: bytes) -> Made | None:
    head, found, content = stored.partition(b"\n")
    try:
        features = json.loads(head)
    except ValueError:
        return None
    return Made(content, tuple(map(str, features))) if found and isinstance(features, list) else None
