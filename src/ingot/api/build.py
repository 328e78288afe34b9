"""`build`: a model becomes artifacts, stage by stage, in the order of the diagram in ARCHITECTURE.md."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ingot.api.arguments import TargetLike, cache_of, check_kinds, executors_of, parts_of
from ingot.api.artifact_set import ArtifactSet
from ingot.api.counted import checked_bounds, require_alone, with_counts
from ingot.api.decoder_extents import decoder_extents
from ingot.api.extents import Extents, extents_of, with_defaults
from ingot.api.front import Front
from ingot.api.levels import (
    Level,
    levels_of,
    machines_of,
    planned,
    require_one_level,
    with_shared_constants,
)
from ingot.api.measure import measured_tuning
from ingot.api.members import Facts, generate, members, with_model
from ingot.api.rooms import Growth
from ingot.api.shapes import Lowered, programs_of
from ingot.api.states import changed_in_place, checked_states, grown_in_place, growth_of, with_room_for_steps
from ingot.api.varying_info import program_symbols
from ingot.artifact.model_info import DimInfo
from ingot.artifact.tuning_json import tuning_to_json
from ingot.base.defects import defects_named
from ingot.base.dims import Dim
from ingot.base.errors import TargetError, nearest
from ingot.base.garbage import uncollected
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.border.program import Border
from ingot.codegen.kept_builds import known_build
from ingot.codegen.record import BuildContext
from ingot.graph.passes.order import PASSES
from ingot.graph.passes.pipeline import checked_skips
from ingot.graph.place import Placement
from ingot.graph.read.counted import CountedExtents
from ingot.graph.read.declared import Declarations
from ingot.graph.read.origin import noted_origin
from ingot.graph.read.source import ModelSource
from ingot.graph.read.states import checked_state, may_be_state
from ingot.graph.read.weights import forget_weights
from ingot.graph.write import model_bytes, model_files
from ingot.kernels.families import forced_algorithms
from ingot.link.child import Child, can_start
from ingot.machines.machine import MATH
from ingot.ops.registry import ALL as OPERATORS
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import HOST
from ingot.plan.transfer import transfer
from ingot.tune.apply import applied, read_tuning
from ingot.tune.tune import require_trial


@uncollected
def build(
    model: ModelSource,
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
        model: a path, the bytes of a file, an `onnx.ModelProto` or an `onnx_ir.Model`.
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
    extents = extents_of(dims)
    checked = checked_bounds(bounds)
    if tune is not None or tuning is not None:
        require_one_level(parts)
    if tune is not None:
        require_trial(parts[HOST].generator, parts[HOST].target, tune)
        if tuning is not None:
            raise TargetError("a build measures (tune) or takes what was measured (tuning), not both")
    given = read_tuning(tuning) if tuning is not None else ()
    wanted = [(level, machines_of(level, math)) for level in levels_of(parts)]
    front = Front(model, name, constants, parts, place, math == "exact", skipped, checked)
    declarations = Declarations(counts=CountedExtents(checked))

    def trial(some: Extents) -> object:
        return front.again(some.smallest, Observer())

    def is_state(input_: str) -> bool:
        return may_be_state(wanted_state, input_)

    with watcher.timed("read"):
        read, extents = with_defaults(
            extents,
            lambda some: front.read(some.smallest, declarations),
            lambda some: front.read(some.smallest, Declarations()),
            lambda some, places: decoder_extents(some, places, is_state, trial) if wanted_state else None,
        )
    said = extents
    front.has_ranges = any(not dim.sizes for dim in extents.varying.values())
    watcher.dump("read.onnx", lambda: model_bytes(read))
    files = model_files(read, read.graph.name or "")
    origin, digests = noted_origin(read)
    known = None
    is_own = len(front.operators(read)) == len(OPERATORS)  # what a plug-in computes nobody can key
    if kept is not None and is_own and tune is None and tuning is None and not watcher.wants_stages:
        keyed = [(at, key, part) for at, (level, _) in enumerate(wanted) for key, part in level.items()]
        generators = {f"{at} {key} {part.target}": part.generator for at, key, part in keyed}
        choices = (
            executors,
            [machines for _, machines in wanted],
            declarations,
            strict,
            origin,
            digests,
            sorted(skipped),
            forced,
            extents,
            wanted_state,
        )
        known = known_build(kept, files, generators, place, choices)
    if known is not None:
        with watcher.timed("look up"):
            kept_build = known.artifacts(watcher)
        if kept_build is not None:
            return with_model(kept_build, files)
        watcher = known.heard(watcher)
    smallest = extents.smallest
    first = front.first(read, smallest, declarations, strict, watcher)
    first, counts = with_counts(first, lambda rooms, running: front.again(smallest, watcher, rooms, running))
    require_alone(first, counts, extents.varying)
    variants: dict[tuple[int, ...], Lowered] = {(): first}
    dims_info: tuple[DimInfo, ...] = ()
    border: Border | None = None
    own: tuple[int, ...] = ()
    growth = Growth()
    symbols_of: dict[tuple[str, int], str] = {}
    if extents.varying:
        all_places = front.places
        places = extents.joined(all_places)
        symbols_of = {place: name for name in extents.varying for place in places.get(name, ())}
        lowered = front.remembering(first, smallest, watcher)
        growth = growth_of(wanted_state, extents, lowered, symbols_of)
        extents = with_room_for_steps(first.draft.name, extents, growth)
        found_dims = programs_of(
            extents,
            places,
            lowered,
            first,
            math != "normwise",
            extents.longer(all_places),
            growth,
        )
        dims_info, variants, border = found_dims.dims, found_dims.lowered, found_dims.border
        own = found_dims.own
        watcher.dump("dims.txt", found_dims.text)
    states = checked_states(wanted_state, list(variants.values()), (*dims_info, *counts), symbols_of, watcher)
    if growth.names:
        variants, states, dims_info = grown_in_place(variants, states, dims_info)
    elif states and not counts and not any(dim.room or dim.outputs for dim in dims_info):
        variants, states = changed_in_place(variants, states)
    for words in said.taken_words():
        watcher.note(f"model {first.draft.name!r}: {words}")
    symbols = program_symbols(first.draft.name, variants, own)
    forget_weights(read)
    for variant in variants.values():
        forget_weights(variant.prepared)
    context = BuildContext(watcher, kept, Child if can_start() else None)

    spaces = {key: part.space for key, part in parts.items()}
    if tune is not None:
        drafts = [variant.draft for variant in variants.values()]
        given = measured_tuning(drafts, *wanted[0], context, tune, watcher)
    last = len(wanted) - 1
    plans: list[Level] = []
    for sizes, variant in variants.items():
        with watcher.timed("fuse"), defects_named("fusing definitions"):
            fused = transfer(fuse(variant.draft), spaces)
        # What is still asked of the draft are its types.
        variants[sizes] = replace(variant, draft=replace(variant.draft, constants={}))
        for at, (level, machines) in enumerate(wanted):
            symbol = f"{symbols[sizes]}_level{at}" if at else symbols[sizes]
            plan = planned(fused, symbol, level, machines, given, watcher, at == last, forced)
            plans.append(replace(plan, repeats=bool(dims_info)))
    plans = with_shared_constants(plans)
    measured = b""
    if tune is not None or tuning is not None:
        measured = tuning_to_json(applied([plan.program for plan in plans], given, plans[0].targets, watcher))
    generated = {
        sizes: list(generate(variant, plans[at : at + len(wanted)], context, watcher))
        for at, (sizes, variant) in zip(itertools.count(0, len(wanted)), variants.items(), strict=False)
    }
    whole = members(generated, Facts(executors, digests, origin, dims_info, border, measured, states, counts))
    if known is not None and not whole.in_memory:
        known.keep(whole.artifacts)
    return with_model(whole.members, files)
