"""Turns the LLVM texts of one build into objects or bitcode, each once, taking from the cache what was compiled before."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from ingot.codegen import llvm_features, llvm_objects
from ingot.codegen.llvm_features import cpu_features
from ingot.codegen.llvm_objects import Form, Processor, compiled
from ingot.codegen.record import Workshop


@dataclass(frozen=True, slots=True)
class Job:
    """One module to compile. `own_vectors`: its loops are vectors already."""

    text: str
    own_vectors: bool


@dataclass(frozen=True, slots=True)
class Made:
    """An object or bitcode, and the CPU features that its instructions need."""

    content: bytes
    cpu_features: tuple[str, ...]


def build_all(jobs: Iterable[Job], total: int, what: Processor, workshop: Workshop, form: Form = Form.OBJECT) -> list[Made]:
    """An object, or optimised bitcode, for each of `total` jobs, in order.

    One is compiled while the next ones are written: LLVM works without Python's lock. It has one lock of its own in llvmlite, so
    that a second compiling thread would only wait.
    """
    with ThreadPoolExecutor(1) as compiler:
        begun: list[Future[Made]] = []
        try:
            for job in jobs:
                workshop.observer.progress("compile kernels", sum(each.done() for each in begun), total)
                begun.append(_begin(compiler, job, what, workshop, form))
            made: list[Made] = []
            for each in begun:
                workshop.observer.progress("compile kernels", len(made), total)
                made.append(each.result())
        except BaseException:
            compiler.shutdown(cancel_futures=True)
            raise
    workshop.observer.progress("compile kernels", total, total)
    return made


def _begin(compiler: Executor, job: Job, what: Processor, workshop: Workshop, form: Form) -> Future[Made]:
    """Compiles a job in the other thread; here and now where the system starts none (a limit of threads or of memory)."""
    try:
        return compiler.submit(_cached, job, what, workshop, form)
    except RuntimeError:
        done: Future[Made] = Future()
        done.set_result(_cached(job, what, workshop, form))
        return done


def _cached(job: Job, what: Processor, workshop: Workshop, form: Form) -> Made:
    if workshop.cache is None:
        return build(job, what, form)
    key = _key(job, what, form)
    stored = workshop.cache.get(key)
    found = _unpacked(stored) if stored is not None else None
    if found is None:
        found = build(job, what, form)
        workshop.cache.put(key, _packed(found))
    return found


def build(job: Job, what: Processor, form: Form = Form.OBJECT) -> Made:
    """Compiles one job."""
    result = compiled(job.text, what, job.own_vectors, form)
    return Made(result.content, cpu_features(result.assembly, what.triple))


@functools.cache
def _makers() -> str:
    """A digest of everything that turns text into an object: LLVM, and the sources that drive it."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.llvm_version_info}".encode())
    for module in (llvm_objects, llvm_features):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()


def _key(job: Job, what: Processor, form: Form) -> str:
    """The text of a module is what all the rest of the code generator comes down to, so its digest leaves nothing out."""
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
