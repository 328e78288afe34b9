"""`build`: a model becomes artifacts, stage by stage, in the order of the diagram in ARCHITECTURE.md."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ingot.api.arguments import TargetLike, cache_of, check_kinds, executors_of, parts_of
from ingot.api.artifact_set import METADATA_ID, ArtifactSet
from ingot.api.levels import (
    constants_content,
    levels_of,
    machines_of,
    planned,
    require_one_level,
    with_shared_constants,
)
from ingot.artifact.artifact import (
    LOADER_LEVEL,
    LOADER_METADATA,
    LOADER_PARAMS,
    LOADER_SOURCE,
    LOADER_TEXT,
    Artifact,
    Content,
)
from ingot.artifact.artifact_set import InMemoryArtifact, Member
from ingot.artifact.info_json import info_to_json
from ingot.artifact.tuning import Tuning
from ingot.artifact.tuning_json import SUFFIX as TUNING_SUFFIX
from ingot.artifact.tuning_json import tuning_to_json
from ingot.base import environment
from ingot.base.defects import defects_named
from ingot.base.errors import TargetError, nearest
from ingot.base.garbage import uncollected
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.codegen.kept_builds import known_build
from ingot.codegen.model_info import for_executors
from ingot.codegen.record import BuildContext
from ingot.graph.lower import lower
from ingot.graph.passes.border.text import border_of
from ingot.graph.passes.order import PASSES
from ingot.graph.passes.pipeline import checked_skips
from ingot.graph.place import Placement
from ingot.graph.place import place as place_nodes
from ingot.graph.prepare import prepare
from ingot.graph.read.advice import dims_named
from ingot.graph.read.declared import Declarations
from ingot.graph.read.origin import noted_origin
from ingot.graph.read.read import read_model
from ingot.graph.read.source import ModelSource
from ingot.graph.read.weights import forget_weights
from ingot.graph.write import model_bytes, model_files
from ingot.kernels.families import forced_algorithms
from ingot.link.child import Child, can_start
from ingot.machines.machine import MATH
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import HOST, Program
from ingot.plan.text import draft_text, kernels_text, program_text
from ingot.plan.transfer import transfer
from ingot.tune.apply import applied, read_tuning
from ingot.tune.tune import require_trial
from ingot.tune.tune import tune as tune_program


@uncollected
def build(
    model: ModelSource,
    target: str | Target | Mapping[str, TargetLike] = "llvm",
    *,
    place: Placement | None = None,
    name: str | None = None,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, object] | None = None,
    executor: str | Sequence[str] = "aot",
    observer: Observer | None = None,
    cache: str | os.PathLike[str] | None = "auto",
    math: str = "fast",
    tune: float | None = None,
    tuning: str | os.PathLike[str] | None = None,
    strict: bool = False,
    skip_passes: Collection[str] = (),
    force: Mapping[str, str] | None = None,
) -> ArtifactSet:
    """Compiles an ONNX model into artifacts.

    Args:
        model: a path, the bytes of a file, an `onnx.ModelProto` or an `onnx_ir.Model`.
        target: what to make code for: a target's text form such as "llvm -mcpu=native" or "c", or a `Target`; for several
            targets, one by each key, "host" among them: `{"host": "llvm", "accel": "opencl"}`. One that is not the host may be
            a Python callable or a torch module, which gets the arrays of each node placed there, and the node, a `PlacedNode`,
            if it has a parameter `node` that is given by name only: `def scale(x, *, node)` (such a set cannot be stored).
        place: which nodes go to which target key, the others to the host: operator types, node names or patterns of names
            (`{"Conv": "accel", "head/*": "accel"}`, the first that fits decides), or a function from a `PlacedNode` (name,
            op_type, domain, attributes, types of inputs and outputs) to a key.
        name: the model's name, a C identifier that begins with a letter; left out, the file's stem or the graph's name as one,
            `model` where that has no letters or digits of ASCII.
        dims: a number for each symbolic dimension: `{"batch": 1}`.
        constants: inputs that are known now, such as a sample rate or the shape of a Reshape: arrays, numbers, lists of numbers,
            or texts such as "16000" and "1,2,3". They are inputs no longer.
        executor: "aot" (one native call for an inference), "graph" (call by call, every intermediate value can be looked at), or
            both; the first one is the default when the library is loaded.
        observer: is told of stages, times and progress.
        cache: the folder where whole builds and compiled kernels are kept: "auto" is `$XDG_CACHE_HOME/ingot`, None keeps nothing.
        math: "exact" computes the products and sums of each operator's definition, in any order; "fast" also by algorithms that
            need fewer of them and have a stated error near that of rounding (`kernels/conv/winograd`); "normwise" also where that
            error is relative to the largest elements of a matrix, not to each result (`kernels/matmul/strassen.py`).
        tune: seconds to spend on measuring variants of the host's kernels on this machine; what is measured is kept in the
            cache and in the artifacts (`ArtifactSet.export_tuning`).
        tuning: a tuning file, whose answers are taken; nothing is measured, and equal files give equal bytes.
        strict: refuses a model of which a declaration does not hold: the shape of an output or of another value, say. Without it
            what is computed holds, and the observer gets a sentence for each, at most ten (without `on_note` each is an
            `ingot.ModelWarning`).
        skip_passes: names of graph passes to leave out, to find one that is wrong (`ingot build --passes` lists them).
        force: algorithms by family (`{"conv": "direct"}`), for every kernel that they do not refuse (`ingot build --explain`).

    Returns:
        The artifacts: code, constants, metadata.

    Raises:
        ModelError: the model is damaged or contradicts itself, `dims` does not bind every symbol, or with `strict` a declaration
            does not hold.
        UnsupportedError: ingot cannot compile a part; every such node is listed, before anything is compiled.
        TargetError: an unknown target, key, CPU, feature, option or executor, a placement that fits no node, a cache without a
            name, `tune` for a machine that is not this one or in a program that can start no Python process, a pass that is
            unknown or cannot be left out, an algorithm in `force` that is unknown or computes no kernel, or another argument of
            a wrong kind.
        ArtifactError: the tuning file cannot be read, or is none.
    """
    check_kinds(place, observer, tune, tuning)
    watcher = Observer() if observer is None else observer
    executors = executors_of(executor)
    if math not in MATH:
        raise TargetError(
            f"math {math!r} is not known{nearest(math, MATH)} (known: {', '.join(MATH)})", math=math
        )
    skipped = checked_skips(skip_passes, PASSES)
    forced = forced_algorithms(force, tune)
    parts = parts_of(target)
    kept = cache_of(cache)
    if tune is not None or tuning is not None:
        require_one_level(parts)
    if tune is not None:
        require_trial(parts[HOST].generator, parts[HOST].target, tune)
        if tuning is not None:
            raise TargetError("a build measures (tune) or takes what was measured (tuning), not both")
    given = read_tuning(tuning) if tuning is not None else ()
    wanted = [(level, machines_of(level, math)) for level in levels_of(parts)]
    with watcher.timed("read"):
        declarations = Declarations()
        read = read_model(model, dims=dims, constants=constants, name=name, declarations=declarations)
    watcher.dump("read.onnx", lambda: model_bytes(read))
    files = model_files(read, read.graph.name or "")
    origin, digests = noted_origin(read)
    known = None
    if kept is not None and tune is None and tuning is None and not watcher.wants_stages:
        keyed = [(at, key, part) for at, (level, _) in enumerate(wanted) for key, part in level.items()]
        generators = {f"{at} {key} {part.target}": part.generator for at, key, part in keyed}
        machines = [machines for _, machines in wanted]
        choices = (executors, machines, declarations, strict, origin, digests, sorted(skipped), forced)
        known = known_build(kept, files, generators, place, choices)
    if known is not None:
        with watcher.timed("look up"):
            kept_build = known.found(watcher)
        if kept_build is not None:
            return _with_model(kept_build, files)
        watcher = known.heard(watcher)
    with watcher.timed("passes"), dims_named(dims or {}):
        prepared = prepare(read, ALL, declarations, exact=math == "exact", skip=skipped, observer=watcher)
    declarations.tell(f"model {read.graph.name!r}", strict, watcher)
    watcher.dump("prepared.onnx", lambda: model_bytes(prepared))
    with watcher.timed("lower"):
        opaque = {key for key, part in parts.items() if part.generator.opaque}
        draft = lower(prepared, ALL, place_nodes(prepared, place, parts), opaque)
        forget_weights(read)
        forget_weights(prepared)
    watcher.dump("draft.txt", lambda: draft_text(draft))
    context = BuildContext(watcher, kept, Child if can_start() else None)

    def tuned(program: Program) -> Tuning | None:
        if tune is None:
            return None
        host, here = parts[HOST], environment.processor_name()
        with watcher.timed("tune"):
            return (
                tune_program(
                    program, host.generator, host.target, host.symbol(draft.name), context, tune, here
                ),
            )

    with watcher.timed("fuse"), defects_named("fusing definitions"):
        fused = transfer(fuse(draft), {key: part.space for key, part in parts.items()})
    draft = replace(draft, constants={})  # what is still asked of it are its types
    last = len(wanted) - 1 if tune is None else -1
    plans = [
        planned(fused, at, *each, tuned, given, watcher, at == last, forced) for at, each in enumerate(wanted)
    ]
    levels = with_shared_constants(plans)
    first, *others = levels
    measured = b""
    if tune is not None or tuning is not None:
        measured = tuning_to_json(applied(first.program, first.tuning, first.targets, watcher))
    outputs = [value.name or "" for value in prepared.graph.outputs]
    sources: dict[str, bytes] = {}
    infos: list[Artifact] = []
    code: list[Artifact] = []
    in_memory: list[InMemoryArtifact] = []
    texts: list[Artifact] = []
    for level in levels:
        with watcher.timed("generate"), defects_named("generating code"):
            whole_info, generated = level.generated(outputs, draft, context)
        ends = {tensor.name: tensor.type for tensor in (*whole_info.inputs, *whole_info.outputs)}
        whole_info = replace(whole_info, border=border_of(prepared.graph, ends))
        if level is first:
            symbols = tuple(other.symbol for other in others)
            whole_info = replace(whole_info, levels=symbols, digests=digests, origin=origin)
        info, text = for_executors(whole_info, executors), program_text(level.program, level.memories)
        loader = LOADER_METADATA if level is first else LOADER_LEVEL
        infos.append(Artifact(METADATA_ID, loader, f"{info.symbol}.json", info_to_json(info)))
        code += [artifact for generated_unit in generated.values() for artifact in generated_unit.artifacts]
        in_memory += [
            artifact for generated_unit in generated.values() for artifact in generated_unit.in_memory
        ]
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{info.symbol}.program.txt", text.encode()))
        sources[f"{info.symbol}.loops.txt"] = kernels_text(level.program).encode()
        sources[f"{info.symbol}.info.json"] = info_to_json(whole_info)
    params = [
        Artifact(
            METADATA_ID,
            LOADER_PARAMS,
            f"{parts[key].symbol(first.symbol)}.params",
            constants_content(levels, key),
            key,
        )
        for key in first.memories
    ]
    if measured:
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{first.symbol}{TUNING_SUFFIX}", measured))
    left = [
        Artifact(METADATA_ID, LOADER_SOURCE, file_name, content) for file_name, content in sources.items()
    ]
    artifact_set = ArtifactSet((*infos, *code, *params, *in_memory, *texts, *left))
    if known is not None and not artifact_set.in_memory:
        known.keep(artifact_set.artifacts)
    return _with_model(artifact_set.members, files)


def _with_model(members: Sequence[Member], files: Mapping[str, Content]) -> ArtifactSet:
    """A build's artifacts, with the model's own files before what else it was made from."""
    sources = [member for member in members if member.loader == LOADER_SOURCE]
    model = [Artifact(METADATA_ID, LOADER_SOURCE, name, content) for name, content in files.items()]
    return ArtifactSet((*(member for member in members if member.loader != LOADER_SOURCE), *model, *sources))
