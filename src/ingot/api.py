"""Build, link, load: the only file that knows all rooms of the compile side."""

from __future__ import annotations

import numbers
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ingot.artifact import artifact_set
from ingot.artifact.artifact import (
    LOADER_LEVEL,
    LOADER_METADATA,
    LOADER_NATIVE,
    LOADER_PARAMS,
    LOADER_SOURCE,
    LOADER_TEXT,
    LOADER_VECTORS,
    Artifact,
    Content,
)
from ingot.artifact.artifact_set import InMemoryArtifact
from ingot.artifact.info import EXECUTORS
from ingot.artifact.info_json import info_to_json
from ingot.artifact.levels import read_levels
from ingot.artifact.tuning import Tuning
from ingot.artifact.tuning_json import SUFFIX as TUNING_SUFFIX
from ingot.artifact.tuning_json import stored_tuning, tuning_to_json
from ingot.base import environment
from ingot.base.cache import DirectoryCache
from ingot.base.errors import ArtifactError, TargetError, nearest, why_not_by_name
from ingot.base.garbage import uncollected
from ingot.base.observe import Observer
from ingot.base.target import MATH, Target
from ingot.codegen import registry as codegens
from ingot.codegen.kept_builds import known_build
from ingot.codegen.model_info import for_executors
from ingot.codegen.python.generator import ID as PYTHON_ID
from ingot.codegen.python.generator import python_codegen
from ingot.codegen.record import Workshop
from ingot.graph.evaluate.test_vectors import vector
from ingot.graph.lower import lower
from ingot.graph.passes.border.text import border_of
from ingot.graph.passes.tidy.subnormals import flush_subnormals
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
from ingot.levels import (
    Part,
    constants_content,
    levels_of,
    machines_of,
    part_for,
    planned,
    require_one_level,
    with_shared_constants,
)
from ingot.link.child import Child, can_start
from ingot.link.interface import interface_header, why_no_interface
from ingot.link.shared import link_library, link_pieces, write_aside
from ingot.ops.registry import ALL
from ingot.package.c.text import why_no_text
from ingot.package.classic.params import content_of
from ingot.package.container_file import open_container
from ingot.package.container_write import write_container
from ingot.package.mlf.write import write_archive
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import HOST, Program
from ingot.plan.text import draft_text, kernels_text, program_text
from ingot.plan.transfer import transfer
from ingot.runtime.library import Library
from ingot.runtime.load_sources import load_pieces, load_unlinked
from ingot.runtime.platforms import require_platforms
from ingot.tune.apply import applied, read_tuning
from ingot.tune.tune import require_trial
from ingot.tune.tune import tune as tune_program

# What a target key may stand for: the text form, the target, or a Python callable.
TargetLike = str | Target | Callable[..., Any]

METADATA_ID = "ingot"  # the code generator id of what the compiler itself makes


class ArtifactSet(artifact_set.ArtifactSet):
    """An `ArtifactSet` that can be linked and loaded: the data is in `ingot.artifact`, which knows no linker."""

    def __init__(self, artifacts: Iterable[artifact_set.Member] = ()) -> None:
        super().__init__(artifacts)  # said again for checkers of types, who believe in one of fields

    def export_library(
        self,
        path: str | os.PathLike[str],
        *,
        compile_flags: Sequence[str] = (),
        container: str = "ingot",
        observer: Observer | None = None,
        soname: str = "",
    ) -> None:
        """Links everything into one shared library at `path`. See `ingot.link.shared.link_library` for arguments and errors.

        With `container="module-tree"` the data is a tree of modules as of the older scheme, for tools that read that. It loads
        alike.

        Raises:
            ArtifactError: also if artifacts cannot be in a library; the message names them and says what to do.
        """
        for generator in codegens.ALL:
            refused = [one.file_name for one in self if generator.no_library and one.codegen_id == generator.id]
            if refused:
                raise ArtifactError(
                    f"a library cannot have the artifacts {', '.join(refused[:6])}{', …' if len(refused) > 6 else ''} of the "
                    f"code generator {generator.id}: {generator.no_library}; or keep the set in a file with save('model.ingot')",
                    artifacts=tuple(refused),
                    codegen=generator.id,
                )
        link_library(self, path, compile_flags=compile_flags, container=container, observer=observer, soname=soname)

    def export_model_library_format(
        self,
        path: str | os.PathLike[str],
        version: int = 8,
        *,
        executor: str | None = None,
        style: str = "full-model",
        vectors: int = 1,
    ) -> None:
        """Writes a Model Library Format archive, a plain tar with sources or objects, to `path`. See `docs/use/mlf.md`.

        Equal sets give equal bytes; `SOURCE_DATE_EPOCH` is the time of the export and of every member.

        Args:
            path: the file to write; its folder must exist.
            version: 8 is ingot's own; 5 and 7 are written as the original tools wrote them.
            executor: "aot" (one C function for an inference) or "graph" (packed functions, a graph and its parameters); by
                default each model's own first one.
            style: "full-model"; or "operator", for one function without graph and parameters.
            vectors: how many test vectors version 8 gets for each model that has none: inputs by a fixed rule, and what ONNX's
                evaluator computes from them, if it can run the model.

        Raises:
            ArtifactError: the set cannot be in such an archive; the message says why.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        for info in self.models().values():
            if info.levels:
                raise ArtifactError(f"an archive has code for one CPU, and model {info.name!r} for several: build it for one")
        full = self.merge(_test_vectors(self, vectors)) if version == 8 and style == "full-model" else self
        pieces = write_archive(full, version=version, executor=executor, style=style, seconds=environment.source_date_epoch())
        write_aside(Path(path), pieces)

    def export_tuning(self, path: str | os.PathLike[str]) -> None:
        """Writes what was measured for the models of this set as a tuning file, for `build(tuning=…)`.

        Raises:
            ArtifactError: no model of the set was tuned.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        found = stored_tuning(self)
        if found is None:
            raise ArtifactError("no model of this set was tuned: build it with tune=… or --tune")
        write_aside(Path(path), [tuning_to_json(found)])

    def c_header(self, model: str | None = None) -> str:
        """The text of the C header for one model of the exported library; `model` may be left out if there is only one.

        Raises:
            ArtifactError: no such model, several and none named, or one that C cannot call; the message says why.
        """
        models = self.models()
        names = [model] if model is not None else list(models)
        if len(names) != 1 or names[0] not in models:
            raise ArtifactError(f"c_header: name one of the models {', '.join(models)}, got {model!r}", model=model)
        info = models[names[0]]
        why = why_no_interface(self, info)
        if why:
            instead = "build all of it for 'llvm' or 'c'"
            if why_no_text(info):
                instead = "let the program do that step, before or after the model"
            raise ArtifactError(
                f"model {info.name!r} has no C interface: {why}; {instead}",
                model=info.name,
            )
        return bytes(interface_header(info, read_levels(self, info)[1:]).content).decode("ascii")

    def load(self) -> Library:
        """Links and loads in one step, through the same path as a file. Without native code it needs no tool chain."""
        if any(artifact.loader == LOADER_NATIVE for artifact in self):
            require_platforms(self.models().values())
            return load_pieces(link_pieces(ArtifactSet(self.artifacts)), in_memory=self.in_memory)
        return load_unlinked(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the set to a file, such as `model.ingot`: every artifact with its labels, in order, and digests of all.

        Raises:
            ArtifactError: the set has an in-memory artifact.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        self.require_stored("a file")
        write_aside(Path(path), write_container(self))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: str = "full") -> ArtifactSet:
        """The set that `save` wrote. Contents are views of the file, which is mapped, or read as a whole if it is small.

        Args:
            path: the file.
            verify: "full" checks every byte; "index" all but the constants.

        Raises:
            LoadError: the file cannot be opened.
            ArtifactError: it is no saved set, or was changed.
        """
        return cls(open_container(path, verify=verify).artifacts)


def _test_vectors(artifacts: ArtifactSet, count: int) -> ArtifactSet:
    """Test vectors of the models that have none."""
    made: list[Artifact] = []
    for info in artifacts.models().values():
        if info.border is not None and info.border.has_text:  # files of vectors hold numbers
            continue
        prefix = f"{info.symbol}/"
        given = [one for one in artifacts.select(loader=LOADER_VECTORS) if one.file_name.startswith(prefix)]
        model = [one.content for one in artifacts.select(loader=LOADER_SOURCE) if one.file_name == f"{info.symbol}.onnx"]
        if given or not model:
            continue
        for number in range(count):
            inputs, outputs = ({one.name: one.type for one in tensors} for tensors in (info.inputs, info.outputs))
            arrays = vector(bytes(model[0]), inputs, outputs, number, () if info.border is None else info.border.outputs)
            if arrays is None:
                break
            for kind, tensors, found in (("input", info.inputs, arrays[0]), ("output", info.outputs, arrays[1])):
                for at, tensor in enumerate(tensors):
                    content = content_of(tensor.dtype, found[tensor.name])
                    made.append(Artifact(METADATA_ID, LOADER_VECTORS, f"{prefix}{number}/{kind}{at}.bin", content))
    return ArtifactSet(made)


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
        tune: seconds to spend on measuring ways to write the host's kernels on this machine; what is measured is kept in the
            cache and in the artifacts (`ArtifactSet.export_tuning`).
        tuning: a tuning file, whose answers are taken; nothing is measured, and equal files give equal bytes.
        strict: refuses a model of which a declaration does not hold: the shape of an output or of another value, say. Without it
            what is computed holds, and the observer gets a sentence for each, at most ten (without `on_note` each is an
            `ingot.ModelWarning`).

    Returns:
        The artifacts: code, constants, metadata.

    Raises:
        ModelError: the model is damaged or contradicts itself, `dims` does not bind every symbol, or with `strict` a declaration
            does not hold.
        UnsupportedError: ingot cannot compile a part; every such node is listed, before anything is compiled.
        TargetError: an unknown target, key, CPU, feature, option or executor, a placement that fits no node, a cache without a
            name, `tune` for a machine that is not this one or in a program that can start no Python process, or another argument
            of a wrong kind.
        ArtifactError: the tuning file cannot be read, or is none.
    """
    _check_kinds(place, observer, tune, tuning)
    watcher = Observer() if observer is None else observer
    executors = _executors(executor)
    if math not in MATH:
        raise TargetError(f"math {math!r} is not known{nearest(math, MATH)} (known: {', '.join(MATH)})", math=math)
    parts = _parts(target)
    kept = _cache(cache)
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
        known = known_build(kept, files, generators, place, (executors, machines, declarations, strict, origin, digests))
    if known is not None:
        with watcher.timed("look up"):
            found = known.found(watcher)
        if found is not None:
            return _with_model(found, files)
        watcher = known.heard(watcher)
    with watcher.timed("passes"):
        with dims_named(dims or {}):
            prepared = prepare(read, ALL, declarations)
        if math != "exact":
            flush_subnormals(prepared)
    declarations.tell(f"model {read.graph.name!r}", strict, watcher)
    watcher.dump("prepared.onnx", lambda: model_bytes(prepared))
    with watcher.timed("lower"):
        opaque = {key for key, part in parts.items() if part.generator.opaque}
        draft = lower(prepared, ALL, place_nodes(prepared, place, parts), opaque)
        forget_weights(read)
        forget_weights(prepared)
    watcher.dump("draft.txt", lambda: draft_text(draft))
    workshop = Workshop(watcher, kept, Child if can_start() else None)

    def tuned(program: Program) -> Tuning | None:
        if tune is None:
            return None
        host, here = parts[HOST], environment.processor_name()
        with watcher.timed("tune"):
            return (tune_program(program, host.generator, host.target, host.symbol(draft.name), workshop, tune, here),)

    with watcher.timed("fuse"):
        fused = transfer(fuse(draft), {key: part.space for key, part in parts.items()})
    draft = replace(draft, constants={})  # what is still asked of it are its types
    last = len(wanted) - 1 if tune is None else -1
    plans = [planned(fused, at, *each, tuned, given, watcher, at == last) for at, each in enumerate(wanted)]
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
        with watcher.timed("generate"):
            whole_info, generated = level.generated(outputs, draft, workshop)
        ends = {tensor.name: tensor.type for tensor in (*whole_info.inputs, *whole_info.outputs)}
        whole_info = replace(whole_info, border=border_of(prepared.graph, ends))
        if level is first:
            symbols = tuple(other.symbol for other in others)
            whole_info = replace(whole_info, levels=symbols, digests=digests, origin=origin)
        info, text = for_executors(whole_info, executors), program_text(level.program, level.memories)
        loader = LOADER_METADATA if level is first else LOADER_LEVEL
        infos.append(Artifact(METADATA_ID, loader, f"{info.symbol}.json", info_to_json(info)))
        code += [artifact for one in generated.values() for artifact in one.artifacts]
        in_memory += [artifact for one in generated.values() for artifact in one.in_memory]
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{info.symbol}.program.txt", text.encode()))
        sources[f"{info.symbol}.loops.txt"] = kernels_text(level.program).encode()
        sources[f"{info.symbol}.info.json"] = info_to_json(whole_info)
    params = [
        Artifact(METADATA_ID, LOADER_PARAMS, f"{parts[key].symbol(first.symbol)}.params", constants_content(levels, key), key)
        for key in first.memories
    ]
    if measured:
        texts.append(Artifact(METADATA_ID, LOADER_TEXT, f"{first.symbol}{TUNING_SUFFIX}", measured))
    left = [Artifact(METADATA_ID, LOADER_SOURCE, file_name, content) for file_name, content in sources.items()]
    made = ArtifactSet((*infos, *code, *params, *in_memory, *texts, *left))
    if known is not None and not made.in_memory:
        known.keep(made.artifacts)
    return _with_model(made.members, files)


def _with_model(made: Sequence[artifact_set.Member], files: Mapping[str, Content]) -> ArtifactSet:
    """A build's artifacts, with the model's own files before what else it was made from."""
    sources = [member for member in made if member.loader == LOADER_SOURCE]
    model = [Artifact(METADATA_ID, LOADER_SOURCE, name, content) for name, content in files.items()]
    return ArtifactSet((*(member for member in made if member.loader != LOADER_SOURCE), *model, *sources))


def _check_kinds(place: object, observer: object, tune: object, tuning: object) -> None:
    """Says before anything is read what these arguments cannot be; the others are checked where they are taken apart."""
    if not (place is None or callable(place) or not why_not_by_name(place)):
        _wrong_kind("place", place, "a mapping from operator types or names to target keys, or a function")
    if not (observer is None or isinstance(observer, Observer)):
        _wrong_kind("observer", observer, "an ingot.Observer")
    if tune is not None and (isinstance(tune, bool) or not isinstance(tune, numbers.Real)):
        _wrong_kind("tune", tune, "a number of seconds")
    if isinstance(tune, numbers.Real) and not float(tune) >= 0:
        raise TargetError(f"tune is a number of seconds, 0 or more, got {tune}")
    if not (tuning is None or isinstance(tuning, str | os.PathLike)):
        _wrong_kind("tuning", tuning, "the path of a tuning file")


def _wrong_kind(what: str, given: object, expected: str) -> NoReturn:
    why = why_not_by_name(given) or f"got {type(given).__name__}"
    raise TargetError(f"{what}={given!r:.80}: expected {expected}, {why}")


def _parts(target: str | Target | Mapping[str, TargetLike]) -> dict[str, Part]:
    """The target keys of a build, the host first."""
    if not (isinstance(target, str | Target) or not why_not_by_name(target)):
        _wrong_kind("target", target, "a text such as 'llvm', an ingot.Target, or a mapping from keys to targets")
    wanted: dict[str, TargetLike] = {HOST: target} if isinstance(target, str | Target) else dict(target)
    if HOST not in wanted:
        raise TargetError(
            f"target={{{', '.join(map(repr, wanted))}}}: there must be a target with the key {HOST!r}", keys=tuple(wanted)
        )
    parts = {}
    for key in (HOST, *(key for key in wanted if key != HOST)):
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", key):
            raise TargetError(f"target key {key!r} must be 1 to 32 of a-z, 0-9 and _, beginning with a letter", key=key)
        given = wanted[key]
        if not isinstance(given, str | Target):
            parts[key] = _python_part(key, given)
            continue
        parsed = Target.parse(given, key) if isinstance(given, str) else replace(given, key=key)
        generator = codegens.find(parsed.codegen)
        if key == HOST and generator.device_kind != "cpu":
            raise TargetError(
                f"target {str(parsed)!r} makes code for {generator.device_kind}, which cannot be the host; give both: "
                f"target={{'host': 'llvm', 'accel': {str(parsed)!r}}} and place=…",
                target=str(parsed),
            )
        parts[key] = part_for(key, parsed, generator)
    return parts


def _python_part(key: str, function: Callable[..., Any]) -> Part:
    if key == HOST or not callable(function):
        or_callable = "" if key == HOST else ", or a callable"
        raise TargetError(
            f"target key {key!r}: expected a target such as 'llvm'{or_callable}, got {function!r:.80}",
            key=key,
        )
    return Part(key, Target(PYTHON_ID, key=key), python_codegen(function))


def _executors(executor: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(executor, Iterable):
        _wrong_kind("executor", executor, f"one or both of {', '.join(EXECUTORS)}")
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
    if not (cache is None or isinstance(cache, str | os.PathLike)):
        _wrong_kind("cache", cache, "the path of a folder, 'auto' or None")
    if cache is not None and not os.fspath(cache):
        raise TargetError("cache='' names no folder; give one, 'auto' for the usual one, or None to keep nothing")
    folder = environment.cache_folder() if cache == "auto" else None if cache is None else Path(cache)
    return None if folder is None else DirectoryCache(folder)
