"""Build, link, load: the only file that knows all rooms of the compile side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ingot import __version__, environment
from ingot.artifact import artifact_set
from ingot.artifact.artifact import LOADER_METADATA, LOADER_PARAMS, LOADER_TEXT, Artifact
from ingot.artifact.info import EXECUTORS, CallInfo, MemoryInfo, ModelInfo, TargetInfo, TensorInfo, ValueInfo
from ingot.artifact.info_json import info_to_json
from ingot.codegen import registry as codegens
from ingot.codegen.cache import DirectoryCache
from ingot.codegen.record import Generated, Workshop
from ingot.errors import ArtifactError, TargetError, nearest
from ingot.graph.lower import lower
from ingot.graph.prepare import prepare
from ingot.graph.read import read_model
from ingot.graph.source import ModelSource
from ingot.graph.write import model_bytes
from ingot.link.interface import has_interface, interface_header
from ingot.link.shared import link_library, link_pieces
from ingot.loops.cost import cost
from ingot.loops.text import to_text
from ingot.observe import Observer
from ingot.ops.registry import ALL
from ingot.plan.check import check_memory
from ingot.plan.fuse import fuse
from ingot.plan.memory import plan_memory
from ingot.plan.program import CompileUnit, MemoryPlan, Program
from ingot.plan.schedule import schedule
from ingot.plan.text import draft_text, program_text
from ingot.runtime.library import Library
from ingot.runtime.load import load as load_library
from ingot.runtime.threads import available_threads
from ingot.target import Target

METADATA_ID = "ingot"  # the code generator id of what the compiler itself makes


class ArtifactSet(artifact_set.ArtifactSet):
    """An `ArtifactSet` that can be linked and loaded: the data is in `ingot.artifact`, which knows no linker."""

    def export_library(
        self, path: str | os.PathLike[str], *, compile_flags: Sequence[str] = (), observer: Observer | None = None
    ) -> None:
        """Links everything into one shared library at `path`. See `ingot.link.shared.link_library` for arguments and errors."""
        link_library(self, path, compile_flags=compile_flags, observer=observer)

    def c_header(self, model: str | None = None) -> str:
        """The text of the C header for one model of the exported library; `model` may be left out if there is only one.

        Raises:
            ArtifactError: no such model, several and none named, or a model without native code, which C cannot call.
        """
        models = self.models()
        names = [model] if model is not None else list(models)
        if len(names) != 1 or names[0] not in models:
            raise ArtifactError(f"c_header: name one of the models {', '.join(models)}, got {model!r}", model=model)
        info = models[names[0]]
        if not has_interface(self, info):
            raise ArtifactError(
                f"model {info.name!r} has no C interface: its target {info.host.target!r} makes no native code for the host alone; "
                "build it for 'llvm' or 'c'",
                model=info.name,
            )
        return bytes(interface_header(info).content).decode("ascii")

    def load(self) -> Library:
        """Links and loads in one step, through the same path as a file."""
        return load_library(b"".join(link_pieces(self)))


def build(
    model: ModelSource,
    target: str | Target = "llvm",
    *,
    name: str | None = None,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, np.ndarray] | None = None,
    executor: str | Sequence[str] = "aot",
    observer: Observer | None = None,
    cache: str | os.PathLike[str] | None = "auto",
    jobs: int | None = None,
) -> ArtifactSet:
    """Compiles an ONNX model into artifacts.

    Args:
        model: a path, the bytes of a file, an `onnx.ModelProto` or an `onnx_ir.Model`.
        target: what to make code for: a target's text form such as "llvm -mcpu=native" or "c", or a `Target`.
        name: the model's name, a C identifier; left out, the file's stem or the graph's name as one.
        dims: a number for each symbolic dimension: `{"batch": 1}`.
        constants: inputs that are known now, such as the shape of a Reshape; they are inputs no longer.
        executor: "aot" (one native call for an inference), "graph" (call by call, every intermediate value can be looked at), or
            both; the first one is the default when the library is loaded.
        observer: is told of stages, times and progress.
        cache: where compiled kernels are kept: "auto" is `$XDG_CACHE_HOME/ingot`, None keeps nothing.
        jobs: how many processes compile; None takes what this process may use.

    Returns:
        The artifacts: code, constants, metadata.

    Raises:
        ModelError: the model is damaged or contradicts itself, or `dims` does not bind every symbol.
        UnsupportedError: ingot cannot compile a part; every such node is listed, before anything is compiled.
        TargetError: an unknown target, CPU, feature, option or executor.
    """
    watcher = Observer() if observer is None else observer
    executors = _executors(executor)
    wanted = Target.parse(target) if isinstance(target, str) else target
    generator = codegens.find(wanted.codegen)
    resolved = generator.resolve(wanted)
    with watcher.timed("read"):
        read = read_model(model, dims=dims, constants=constants, name=name)
    watcher.dump("read.onnx", lambda: model_bytes(read))
    with watcher.timed("passes"):
        prepared = prepare(read, ALL)
    watcher.dump("prepared.onnx", lambda: model_bytes(prepared))
    with watcher.timed("lower"):
        draft = lower(prepared, ALL)
    watcher.dump("draft.txt", lambda: draft_text(draft))
    with watcher.timed("fuse"):
        fused = fuse(draft)
    watcher.dump("fused.txt", lambda: draft_text(fused))
    with watcher.timed("schedule"):
        program = schedule(fused, generator.machine(resolved))
    watcher.dump("kernels.txt", lambda: "\n".join(to_text(kernel) for kernel in program.kernels))
    with watcher.timed("memory"):
        memory = plan_memory(program)
        check_memory(program, memory)
    watcher.dump("program.txt", lambda: program_text(program, memory))
    unit = CompileUnit(draft.name, program, memory)
    workshop = Workshop(watcher, _cache(cache), available_threads() if jobs is None else jobs)
    with watcher.timed("generate"):
        generated = generator.generate(unit, resolved, workshop)
    info = _info(unit, resolved, generated, executors)
    return ArtifactSet(
        (
            Artifact(METADATA_ID, LOADER_METADATA, f"{unit.symbol}.json", info_to_json(info)),
            *generated.artifacts,
            Artifact(METADATA_ID, LOADER_PARAMS, f"{unit.symbol}.params", _params(program, memory)),
            Artifact(METADATA_ID, LOADER_TEXT, f"{unit.symbol}.program.txt", program_text(program, memory).encode()),
        )
    )


def _executors(executor: str | Sequence[str]) -> tuple[str, ...]:
    names = (executor,) if isinstance(executor, str) else tuple(executor)
    for one in names:
        if one not in EXECUTORS:
            raise TargetError(
                f"executor {one!r} is not known{nearest(one, EXECUTORS)} (known: {', '.join(EXECUTORS)})", executor=one
            )
    if not names or len(set(names)) != len(names):
        raise TargetError(f"executor={executor!r}: give one or two different of {', '.join(EXECUTORS)}", executor=executor)
    return names


def _cache(cache: str | os.PathLike[str] | None) -> DirectoryCache | None:
    folder = environment.cache_folder() if cache == "auto" else None if cache is None else Path(cache)
    return None if folder is None else DirectoryCache(folder)


def _params(program: Program, memory: MemoryPlan) -> memoryview:
    """The constants at their offsets, zeros between them."""
    content = np.zeros(memory.params_bytes, np.uint8)
    for name, array in program.constants.items():
        slot = memory.slots[name]
        content[slot.offset_bytes : slot.offset_bytes + slot.size_bytes] = (
            np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        )
    return memoryview(content.data).toreadonly()


def _info(unit: CompileUnit, target: Target, generated: Generated, executors: tuple[str, ...]) -> ModelInfo:
    program, memory = unit.program, unit.memory

    def tensor(name: str) -> TensorInfo:
        type_ = program.values[name].type
        return TensorInfo(name, type_.dtype, type_.shape)

    host = TargetInfo(
        target.key,
        str(target),
        target.codegen,
        "cpu",
        generated.cpu_features,
        MemoryInfo(memory.arena_bytes, memory.params_bytes, memory.lower_bound_bytes, memory.alignment_bytes),
        f"{unit.symbol}.params",
    )
    return ModelInfo(
        program.name,
        unit.symbol,
        tuple(map(tensor, program.inputs)),
        tuple(map(tensor, program.outputs)),
        (host,),
        executors,
        _calls(program),
        _values(program, memory) if "graph" in executors else (),
        __version__,
    )


def _calls(program: Program) -> tuple[CallInfo, ...]:
    costs = {id(kernel): cost(kernel) for kernel in program.kernels}
    made = []
    for call in program.calls:
        work = costs[id(call.kernel)]
        outputs = call.args[len(call.kernel.inputs) : len(call.kernel.inputs) + len(call.kernel.outputs)]
        made.append(
            CallInfo(
                call.kernel.name, call.nodes, work.flops, work.bytes_read, work.bytes_written, call.args, outputs
            )
        )
    return tuple(made)


def _values(program: Program, memory: MemoryPlan) -> tuple[ValueInfo, ...]:
    made = []
    for name, value in program.values.items():
        slot = memory.slots[value.base]
        offset = slot.offset_bytes + value.offset * value.type.dtype.size_bytes
        made.append(
            ValueInfo(name, value.type.dtype, value.type.shape, value.strides, slot.region.value, slot.number, offset)
        )
    return tuple(made)
