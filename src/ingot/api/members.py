"""The members of a build's `ArtifactSet`: what planned programs become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.api.artifact_set import METADATA_ID, ArtifactSet
from ingot.api.levels import Level, constants_content
from ingot.api.shapes import Lowered
from ingot.api.varying_info import estimated_cycles_of, with_dims
from ingot.artifact.artifact import (
    LOADER_LEVEL,
    LOADER_METADATA,
    LOADER_PARAMS,
    LOADER_PROGRAM,
    LOADER_SOURCE,
    LOADER_TEXT,
    Artifact,
    Content,
)
from ingot.artifact.artifact_set import Member
from ingot.artifact.dims_read import shown
from ingot.artifact.model_info import COUNTS_OUTPUT, DimInfo, EntryInfo, ModelInfo, Origin, StateInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.tuning_json import SUFFIX as TUNING_SUFFIX
from ingot.base.defects import defects_named
from ingot.base.observe import Observer
from ingot.border.program import Border
from ingot.codegen.model_info import for_executors
from ingot.codegen.record import BuildContext, Generated
from ingot.graph.passes.border.text import border_of
from ingot.plan.text import kernels_text, program_text


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedProgram:
    """A program with its code, and all that a library can say about it."""

    level: Level
    info: ModelInfo
    generated: Mapping[str, Generated]


def generate(
    lowered: Lowered, levels: Sequence[Level], context: BuildContext, watcher: Observer
) -> Iterator[GeneratedProgram]:
    """The code of one model for each CPU, the lowest level first."""
    outputs = [value.name or "" for value in lowered.prepared.graph.outputs]
    if len(lowered.draft.outputs) > len(outputs):
        outputs.append(COUNTS_OUTPUT)
    for at, level in enumerate(levels):
        with watcher.timed("generate"), defects_named("generating code"):
            info, generated = level.generated(outputs, lowered.draft, context)
        ends = {tensor.name: tensor.type for tensor in (*info.inputs, *info.outputs)}
        better = () if at else tuple(other.symbol for other in levels[1:])
        info = replace(info, border=border_of(lowered.prepared.graph, ends), levels=better)
        yield GeneratedProgram(level, info, generated)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a library says of its model besides what follows from programs. `measured` is a tuning file, empty for none."""

    executors: tuple[str, ...]
    digests: tuple[tuple[str, str], ...]
    origin: Origin | None
    dims: tuple[DimInfo, ...]
    border: Border | None = None
    measured: bytes = b""
    states: tuple[StateInfo, ...] = ()
    counts: tuple[DimInfo, ...] = ()
    entry: EntryInfo | None = None


def members(
    programs: Mapping[tuple[int, ...], Sequence[GeneratedProgram]],
    facts: Facts,
    sharing: Sequence[Level] | None = None,
) -> ArtifactSet:
    """All artifacts but the model's own files: of each combination of sizes the programs for each CPU.

    Args:
        programs: with their code.
        facts: what else is said of the model.
        sharing: the programs whose constants lie in the model's own member; none if they lie in that of another model; None: its
            own programs.
    """
    every = [program for some in programs.values() for program in some]
    main = next(program for program in every if program.level.symbol == program.level.model)
    info = replace(main.info, digests=facts.digests, origin=facts.origin)
    if facts.dims:
        lowest_levels = [some[0] for some in programs.values()]
        counted = [estimated_cycles_of(program.level.program) for program in lowest_levels]
        infos_ = [program.info for program in lowest_levels]
        info = with_dims(info, facts.dims, list(programs), infos_, counted)
        info = replace(info, border=facts.border)
    info = _with_facts(info, facts)
    lowest = {id(some[0]) for some in programs.values()}
    infos: list[Artifact] = []
    texts: list[Artifact] = []
    sources: dict[str, bytes] = {}
    for program in every:
        whole, loader = (info, LOADER_METADATA) if program is main else (program.info, LOADER_LEVEL)
        if facts.dims and program is not main:
            whole = replace(whole, border=None)  # the one of the model is for all its programs
        if program is not main and id(program) in lowest:
            loader = LOADER_PROGRAM
        if loader == LOADER_LEVEL:
            whole = _with_facts(whole, facts)  # a level takes the place of the model's own metadata
        symbol, text = whole.symbol, program_text(program.level.program, program.level.memories)
        content = info_to_json(for_executors(whole, facts.executors))
        infos.append(Artifact(METADATA_ID, loader, f"{symbol}.json", content))
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{symbol}.program.txt", text.encode()))
        sources[f"{symbol}.loops.txt"] = kernels_text(program.level.program).encode()
        sources[f"{symbol}.info.json"] = info_to_json(whole)
    if facts.measured:
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{info.symbol}{TUNING_SUFFIX}", facts.measured))
    generated = [code for program in every for code in program.generated.values()]
    return ArtifactSet(
        (
            *infos,
            *(artifact for code in generated for artifact in code.artifacts),
            *_constants([program.level for program in every] if sharing is None else sharing, main.level),
            *(artifact for code in generated for artifact in code.in_memory),
            *texts,
            *(Artifact(METADATA_ID, LOADER_SOURCE, name, content) for name, content in sources.items()),
        )
    )


def _with_facts(info: ModelInfo, facts: Facts) -> ModelInfo:
    """The metadata that callers see, with state and with extents that depend on content."""
    outputs = tuple(shown(tensor, facts.counts) for tensor in info.outputs) if facts.counts else info.outputs
    return replace(info, states=facts.states, counts=facts.counts, outputs=outputs, entry=facts.entry)


def _constants(levels: Sequence[Level], main: Level) -> Iterator[Artifact]:
    for key in main.memories if levels else ():
        name = f"{main.parts[key].symbol(main.symbol)}.params"
        yield Artifact(METADATA_ID, LOADER_PARAMS, name, constants_content(levels, key), key)


def with_model(members: Sequence[Member], files: Mapping[str, Content]) -> ArtifactSet:
    """A build's artifacts, with the model's own files before what else it was made from."""
    sources = [member for member in members if member.loader == LOADER_SOURCE]
    model = [Artifact(METADATA_ID, LOADER_SOURCE, name, content) for name, content in files.items()]
    return ArtifactSet((*(member for member in members if member.loader != LOADER_SOURCE), *model, *sources))
