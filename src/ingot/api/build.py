"""`build`: a model becomes artifacts, stage by stage, in the order of the diagram in ARCHITECTURE.md."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from ingot.api.arguments import TargetLike, cache_of, check_kinds, executors_of, parts_of
from ingot.api.artifact_set import ArtifactSet
from ingot.api.counted import checked_bounds
from ingot.api.entries import Asked, read_entries
from ingot.api.extents import extents_of
from ingot.api.levels import (
    levels_of,
    machines_of,
    require_one_level,
)
from ingot.api.members import with_model
from ingot.api.stages import Options, in_place, kept_build_of, lowered_work, members_of, noted, read_work
from ingot.base.dims import Dim
from ingot.base.errors import TargetError, nearest
from ingot.base.garbage import uncollected
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.codegen.record import BuildContext
from ingot.graph.passes.order import PASSES
from ingot.graph.passes.pipeline import checked_skips
from ingot.graph.place import Placement
from ingot.graph.read.source import ModelSource
from ingot.graph.read.states import checked_state
from ingot.kernels.families import forced_algorithms
from ingot.link.child import Child, can_start
from ingot.machines.machine import MATH
from ingot.plan.program import HOST
from ingot.tune.apply import read_tuning
from ingot.tune.tune import require_trial


@uncollected
def build(
    model: ModelSource | Mapping[str, ModelSource],
    target: str | Target | Mapping[str, TargetLike] = "llvm",
    *,
    place: Placement | None = None,
    name: str | None = None,
    dims: Mapping[str, int | Sequence[int] | Dim | str] | None = None,
    constants: Mapping[str, object] | None = None,
    executor: str | Sequence[str] = "aot",
    observer: Observer | None = None,
    cache: str | os.PathLike[str] | None = "auto",
    math: str = "fast",
    state: Mapping[str, str] | str | None = None,
    bounds: Mapping[str, int] | None = None,
    tune: float | None = None,
    tuning: str | os.PathLike[str] | None = None,
    strict: bool = False,
    skip_passes: Collection[str] = (),
    force: Mapping[str, str] | None = None,
) -> ArtifactSet:
    """Compiles an ONNX model into artifacts.

    Args:
        model: a path, the bytes of a file, an `onnx.ModelProto` or an `onnx_ir.Model`; or several by the names of entries,
            `{"prefill": …, "decode": …}`, which are steps of one stream and share their constants (`docs/use/entries.md`).
        target: what to make code for: a target's text form such as "llvm -mcpu=native" or "c", or a `Target`; for several
            targets, one by each key, "host" among them: `{"host": "llvm", "accel": "opencl"}`. One that is not the host may be
            a Python callable or a torch module, which gets the arrays of each node placed there, and the node, a `PlacedNode`,
            if it has a parameter `node` that is given by name only: `def scale(x, *, node)` (such a set cannot be stored).
        place: which nodes go to which target key, the others to the host: operator types, node names or patterns of names
            (`{"Conv": "accel", "head/*": "accel"}`, the first that fits decides; `unsupported` is all that ingot cannot compile),
            or a function from a `PlacedNode` (name, op_type, domain, attributes, types of inputs and outputs, what is around it)
            to a key. A code generator of regions takes what it wants of the nodes that its key may have: those that are placed
            there, or, if nothing names its key, all others.
        name: the model's name, a C identifier that begins with a letter; left out, the file's stem or the graph's name as one,
            `model` where that has no letters or digits of ASCII.
        dims: for each symbolic dimension a number, `{"batch": 1}`, or the sizes that it may have from call to call: a list,
            `{"seq": [16, 32, 64]}`, or a range, `{"batch": range(1, 65)}` or `ingot.dim(8, 512, multiple_of=8)`; the name of
            another one that it is the same as, `{"b:0": "a:0"}`; or a sum of numbers and of some that vary, one of them with a
            range, `{"total": "past + new"}` (a symbol that is written so needs no entry). Leading ones that are left out become
            ranges from 1 to 64, if that is possible and the model leaves no others open; and with `state` all extents of a
            decoder whose caches grow. The observer gets a sentence that says so.
            `docs/use/shapes.md` says which ranges can be built.
        constants: inputs that are known now, such as a sample rate or the shape of a Reshape: arrays, numbers, lists of numbers,
            or texts such as "16000" and "1,2,3". They are inputs no longer.
        executor: "aot" (one native call for an inference), "graph" (call by call, every intermediate value can be looked at), or
            both; the first one is the default when the library is loaded.
        observer: receives stages, times and progress.
        cache: the folder where whole builds and compiled kernels are kept: "auto" is `$XDG_CACHE_HOME/ingot`, None keeps nothing.
        math: "exact" computes the products and sums of each operator's definition, in any order; "fast" also by algorithms that
            need fewer of them and have a stated error near that of rounding (`kernels/conv/winograd`); "normwise" also where that
            error is relative to the largest elements of a matrix, not to each result (`kernels/matmul/strassen.py`).
        state: inputs that executors keep between runs, each with the output that is its next value: `{"h": "hn"}`, or with one
            `*` that stands for the same text in both names, `{"past.*": "present.*"}`; callers neither give nor get them. An
            output may be longer along an extent with a range from 0, whose upper bound is then what the state may hold. "auto"
            takes pairs of the same type that have names which exporters use, and the observer gets a sentence that says which.
        bounds: how many places there are at most along extents that depend on the content of inputs, such as how many boxes are
            selected: `{"selected": 300}`, by the symbol of the extent, or the name of a value that has it. Others have room for
            as many as there can be. An inference that comes to more is an `InputError`.
        tune: seconds to spend on measuring variants of the host's kernels on this machine, of all programs if extents vary; what
            is measured is kept in the cache and in the artifacts (`ArtifactSet.export_tuning`).
        tuning: a tuning file, whose answers are taken; nothing is measured, and equal files give equal bytes.
        strict: refuses a model of which a declaration does not hold: the shape of an output or of another value, say. Without it
            what is computed holds, and the observer gets a sentence for each, at most ten (without `on_note` each is an
            `ingot.ModelWarning`).
        skip_passes: names of graph passes to leave out, to find one that is wrong (`ingot build --passes` lists them).
        force: algorithms by family (`{"conv": "direct"}`), for every kernel that they do not refuse (`ingot build --explain`).

    Returns:
        The artifacts: code, constants, metadata.

    Raises:
        ModelError: the model is damaged or contradicts itself, `dims` does not bind every symbol or has a range that cannot be
            built, or with `strict` a declaration does not hold.
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
    wanted_state = checked_state(state)
    kept = cache_of(cache)
    if tune is not None or tuning is not None:
        require_one_level(parts)
    if tune is not None:
        require_trial(parts[HOST].generator, parts[HOST].target, tune)
        if tuning is not None:
            raise TargetError("a build measures (tune) or takes what was measured (tuning), not both")
    given = read_tuning(tuning) if tuning is not None else ()
    wanted = [(level, machines_of(level, math)) for level in levels_of(parts)]
    options = Options(
        parts,
        wanted,
        executors,
        math,
        skipped,
        forced,
        kept,
        given,
        tune,
        tuning is not None,
        strict,
        place,
        checked_bounds(bounds),
    )
    if isinstance(model, Mapping):
        works = read_entries(model, Asked(name, dims, constants, wanted_state), options, watcher)
    else:
        works = [read_work(options.front(model, name, constants), extents_of(dims), wanted_state, watcher)]
    works = [noted(work) for work in works]
    files = {file: content for work in works for file, content in work.files.items()}
    known = kept_build_of(works, options, watcher)
    if known is not None:
        with watcher.timed("look up"):
            kept_build = known.artifacts(watcher)
        if kept_build is not None:
            return with_model(kept_build, files)
        watcher = known.heard(watcher)
    several = [lowered_work(work, options, watcher) for work in works]
    in_place(several)
    context = BuildContext(watcher, kept, Child if can_start() else None)
    whole = ArtifactSet(members_of(several, options, context, watcher))
    if known is not None and not whole.in_memory:
        known.keep(whole.artifacts)
    return with_model(whole.members, files)
