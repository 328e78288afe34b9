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
from ingot.codegen.llvm.build.compile_workers import CompileWorkers
from ingot.codegen.llvm.build.objects import Form, Job, ObjectCode, Processor
from ingot.codegen.llvm.build.proof import Proofs
from ingot.codegen.record import BuildContext


def build_all(
    jobs: Iterable[Job], total: int, processor: Processor, context: BuildContext, form: Form = Form.OBJECT
) -> list[ObjectCode]:
    """An object, or optimised bitcode, for each of `total` jobs, in order.

    Some are compiled while the next ones are written: LLVM works without Python's lock, and so do other processes.
    """

    def work(job: Job, build: Callable[[], ObjectCode]) -> ObjectCode:
        return _cached(job, processor, form, context, build)

    with CompileWorkers(processor, form, context, work, Proofs(processor, _makers, context.cache)) as workers:
        begun: list[Future[ObjectCode]] = []
        for job in jobs:
            context.observer.progress("compile kernels", sum(each.done() for each in begun), total)
            begun.append(workers.begin(job))
        objects: list[ObjectCode] = []
        for each in begun:
            context.observer.progress("compile kernels", len(objects), total)
            objects.append(each.result())
    context.observer.progress("compile kernels", total, total)
    return objects


def _cached(
    job: Job, processor: Processor, form: Form, context: BuildContext, build: Callable[[], ObjectCode]
) -> ObjectCode:
    if context.cache is None:
        return build()
    key = _key(job, processor, form)
    stored = context.cache.get(key)
    entry = _unpacked(stored) if stored is not None else None
    if entry is None:
        entry = build()
        context.cache.put(key, _packed(entry))
    return entry


@functools.cache
def _makers() -> str:
    """A digest of everything that turns text into an object: LLVM, and the sources that drive it."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.llvm_version_info}".encode())
    for module in (objects, llvm_features, x86_features, x86_instructions):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()


def _key(job: Job, processor: Processor, form: Form) -> str:
    """The text of a module is what all the rest of the code generator comes down to, so its digest leaves nothing out of that.

    *Does not handle:* options of LLVM that other code of this process sets for all of it (`llvmlite.binding.set_option`). They
    change what is compiled here, and thereby what is kept; LLVM does not tell which are set.
    """
    parts = [
        _makers(),
        processor.triple,
        processor.cpu,
        processor.features,
        str(job.own_vectors),
        form.value,
        job.text,
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _packed(entry: ObjectCode) -> bytes:
    return json.dumps(entry.cpu_features).encode() + b"\n" + entry.content


def _unpacked(stored: bytes) -> ObjectCode | None:
    head, separator, content = stored.partition(b"\n")
    try:
        features = json.loads(head)
    except ValueError:
        return None
    return (
        ObjectCode(content, tuple(map(str, features))) if separator and isinstance(features, list) else None
    )
