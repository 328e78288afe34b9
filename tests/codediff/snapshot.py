"""Builds every model of a plan for every target that it names, and stores what was generated.

This file is run by itself, in a process that imports ingot from the tree under test. It imports nothing else of
either tree, and of ingot only what stays through refactoring: `build`, `Observer` and the labels of artifacts.

    PYTHONPATH=<tree>/src python -P snapshot.py plan.json <store> index.json --jobs 2
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import onnx

import ingot

PREPARED = "prepared.onnx"
# Stages that a refactor may word otherwise, and tables for people: what comes of them is in kernels, program and code.
SKIPPED = ("draft.txt", "fused.txt", "algorithms.txt")
TEXTS = (".c", ".cl", ".h", ".json", ".ll", ".ptx", ".txt")
# What objects do without, and so is left out where they are compared: names of local values.
NAMED = ("kernels.txt", ".ll")
QUOTED_BYTES = 64  # of a tensor; of a longer one the digest is shown
# What LLVM makes code of after the text: the slow part, which decides nothing that the text does not.
UNCOMPILED = b"not compiled\n"

Entries = dict[str, str]  # the text of each stage and file by its name


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", type=Path, help="JSON: a list of models, each with its targets")
    parser.add_argument("store", type=Path, help="the folder of texts by digest")
    parser.add_argument("index", type=Path, help="the file to write: a digest for each model and target")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes build")
    parser.add_argument(
        "--objects", action="store_true", help="compile, and compare the digests of objects too"
    )
    given = parser.parse_args()
    plan = json.loads(given.plan.read_text(encoding="utf-8"))
    if not given.objects:
        _leave_out_compiling()
    sys.executable = ""  # so that ingot starts no process of its own: there are `jobs` of them already
    index: dict[str, str] = {}
    seconds: dict[str, float] = {}
    largest_first = sorted(plan, key=lambda row: -Path(row["path"]).stat().st_size)
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("fork")) as pool:
        work = [pool.submit(_stored, given.store, given.objects, row) for row in largest_first]
        for done, each in enumerate(as_completed(work)):
            name, digests, taken = each.result()
            seconds[name] = taken
            index |= digests
            if sys.stderr.isatty():
                print(f"\r{done + 1} of {len(plan)} models", end="", file=sys.stderr, flush=True)
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:5]
    told = ", ".join(f"{name} {seconds[name]:.1f}" for name in slowest)
    print(f"\r{sum(seconds.values()):.0f} seconds of CPU; most for {told}", file=sys.stderr)
    _write(given.index, json.dumps(dict(sorted(index.items())), indent=0).encode())


def _stored(store: Path, objects: bool, row: dict[str, Any]) -> tuple[str, dict[str, str], float]:
    """Builds one model for all its targets: its name, the digest of each one's texts, and the CPU seconds taken."""
    begin = time.process_time()
    digests = {
        f"{row['name']} {label}": _kept(
            store, built(row, label, target, store / "kernels" if objects else None)
        )
        for label, target in row["targets"].items()
    }
    return row["name"], digests, time.process_time() - begin


def _kept(store: Path, entries: Entries) -> str:
    """Stores texts under their digest, which is given back."""
    content = json.dumps(entries, sort_keys=True).encode()
    digest = hashlib.sha256(content).hexdigest()
    path = store / digest[:2] / digest
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, zlib.compress(content, 1))
    return digest


def _write(path: Path, content: bytes) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_bytes(content)
    aside.replace(path)


def built(row: dict[str, Any], label: str, target: Any, kernels: Path | None) -> Entries:
    """The texts of a build, by the names of stages and files, in the order in which they are made.

    Args:
        row: a model of the plan: its file, `dims`, `constants` and `math`.
        label: what the target is called.
        target: the `target=` of `ingot.build`; one with the key "accel" gets all nodes.
        kernels: the folder that keeps compiled kernels, for a build with objects; None without.
    """
    entries: Entries = {}

    def dumped(name: str, content: str | bytes) -> None:
        if name.endswith(PREPARED):
            entries[PREPARED] = _model_text(bytes(content))
        elif name.endswith(TEXTS) and not name.endswith(SKIPPED if kernels is None else (*SKIPPED, *NAMED)):
            entries[name] = _lines(name, content if isinstance(content, str) else content.decode())

    class Watcher(ingot.Observer):
        """Has nobody write the model after each pass: that would take longer than the build."""

        def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
            if name.endswith((PREPARED, *TEXTS)):
                dumped(name, content())

    observer = Watcher(on_note=lambda _: None)
    options: dict[str, Any] = {key: row[key] for key in ("dims", "constants", "math") if row.get(key)}
    if not isinstance(target, str):
        options["place"] = {"*": "accel"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            artifacts = ingot.build(
                row["path"], target, name=row["name"], cache=kernels, observer=observer, **options
            )
    except Exception as error:
        return {**entries, "error": f"{type(error).__name__}: {error}"}
    return entries | dict(_files(artifacts, kernels is not None))


def _files(artifacts: Any, with_objects: bool) -> Iterator[tuple[str, str]]:
    """The artifacts: those that are texts, and digests of the others. The model itself is none of them."""
    for artifact in artifacts:
        content = bytes(artifact.content)
        if artifact.loader == "source":
            continue
        if artifact.file_name.endswith(TEXTS):
            yield artifact.file_name, _lines(artifact.file_name, content.decode())
        elif content != UNCOMPILED and (with_objects or not artifact.file_name.endswith(".o")):
            yield artifact.file_name, f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n"


def _lines(name: str, text: str) -> str:
    """A text as it is compared: JSON with a line for each value, since most is written as one line."""
    return json.dumps(json.loads(text), indent=1) + "\n" if name.endswith(".json") else text


def _model_text(content: bytes) -> str:
    """An ONNX model as text, in which digests stand for what long tensors hold."""
    model = onnx.load_from_string(content)
    for tensor in _tensors(model):
        raw = tensor.SerializeToString(deterministic=True)
        if len(raw) > QUOTED_BYTES:
            for field in (
                "float_data",
                "int32_data",
                "int64_data",
                "double_data",
                "uint64_data",
                "string_data",
            ):
                tensor.ClearField(field)
            tensor.raw_data = hashlib.sha256(raw).hexdigest()[:16].encode()
    return str(model)


def _tensors(message: Any) -> Iterator[onnx.TensorProto]:
    """Every tensor in a message of ONNX's."""
    if isinstance(message, onnx.TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for each in [value] if hasattr(value, "ListFields") else value:
                yield from _tensors(each)


class _Uncompiled:
    """Stands for a module whose text is kept and of which no code is made."""

    def verify(self) -> None: ...

    def clone(self) -> _Uncompiled:
        return self

    def as_bitcode(self) -> bytes:
        return UNCOMPILED


def _leave_out_compiling() -> None:
    """Makes LLVM skip modules for CPUs: most of a build's time.

    LLVM still compiles the small modules by which it is asked what a processor can, which have no context of their own, and makes
    PTX, since that is the text that ships.
    """
    parse = llvm.parse_assembly
    emit_object, emit_assembly = llvm.TargetMachine.emit_object, llvm.TargetMachine.emit_assembly
    make_builder = llvm.create_pass_builder

    def parsed(text: str, context: Any = None) -> Any:
        return (
            parse(text, context)
            if context is None or 'target triple = "nvptx' in text[:1000]
            else _Uncompiled()
        )

    def builder(machine: Any, tuning: Any) -> Any:
        made = make_builder(machine, tuning)
        get = made.getModulePassManager

        def manager() -> Any:
            passes = get()
            run = passes.run
            passes.run = lambda module, *rest: None if isinstance(module, _Uncompiled) else run(module, *rest)
            return passes

        made.getModulePassManager = manager
        return made

    def object_of(machine: Any, module: Any) -> bytes:
        return UNCOMPILED if isinstance(module, _Uncompiled) else emit_object(machine, module)

    def assembly_of(machine: Any, module: Any) -> str:
        return "" if isinstance(module, _Uncompiled) else emit_assembly(machine, module)

    llvm.parse_assembly, llvm.create_pass_builder = parsed, builder
    llvm.TargetMachine.emit_object, llvm.TargetMachine.emit_assembly = object_of, assembly_of


if __name__ == "__main__":
    main()
