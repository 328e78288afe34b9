"""What a session runs: a model of a library, or an ONNX file that is built for the shapes that come.

Only sessions need it: with it come NumPy and what loads libraries.
"""

from __future__ import annotations

import itertools
import logging
import math
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingot.base.dims import EXTENT_MAX, Dim
from ingot.base.errors import ModelError, UnsupportedError
from ingot.base.lazy import Late
from ingot.base.observe import Observer
from ingot.compat.onnxruntime.arrays import Array, as_array, require_same, shape_of
from ingot.compat.onnxruntime.declared import declared_by_file, declared_by_library
from ingot.compat.onnxruntime.errors import Fail, InvalidArgument, InvalidProtobuf, NoSuchFile
from ingot.compat.onnxruntime.values import Declared, NodeArg
from ingot.runtime.library import ExecutorFactory, Library, cpu
from ingot.runtime.load import load

if TYPE_CHECKING:
    from ingot.api import build as late_build
    from ingot.graph.read import source as late_source
    from ingot.runtime.executors.base import Executor
else:
    late_build = Late("ingot.api.build")
    late_source = Late("ingot.graph.read.source")

_log = logging.getLogger("ingot.compat.onnxruntime")
# An input of whole numbers with at most so many elements may be one that selects: its value may be built into the program.
SELECTOR_ELEMENTS_MAX = 64
_SELECTORS = ("tensor(int64)", "tensor(int32)", "tensor(bool)")
_LIBRARY_STARTS = (b"\x7fELF", b"\x89INGOT")

Feed = Mapping[str, Any]


class Executors:
    """Executors of one model, as many as there are calls at once: a session may be used by several threads.

    They keep no state: who calls onnxruntime carries it.
    """

    def __init__(self, factory: ExecutorFactory, threads: int | None) -> None:
        self._factory, self._threads = factory, threads
        self._free = [self._executor()]
        self._single = len((factory.info.border or factory.info).outputs) == 1

    def _executor(self) -> Executor:
        return self._factory(cpu(0), threads=self._threads, keeps_state=False)

    def predict(self, given: Feed) -> list[Any]:
        """All outputs, in order."""
        try:
            executor = self._free.pop()
        except IndexError:
            executor = self._executor()
        try:
            outputs = executor.predict(given)
        finally:
            self._free.append(executor)
        return [outputs] if self._single else list(outputs)


class LibraryModel:
    """A model of a library. `constants` are inputs that were frozen while it was built."""

    def __init__(
        self, factory: ExecutorFactory, constants: Mapping[str, object], threads: int | None
    ) -> None:
        self._executors = Executors(factory, threads)
        self._frozen = {name: as_array(value) for name, value in constants.items()}
        declared = declared_by_library(factory.info)
        frozen = [
            NodeArg(name, f"tensor({array.dtype.name})", list(array.shape))
            for name, array in self._frozen.items()
        ]
        self.declared = Declared([*declared.inputs, *frozen], [], declared.outputs, declared.meta)

    def answer(self, given: Feed) -> list[Any]:
        """All outputs, in order."""
        return self._executors.predict(_without_frozen(given, self._frozen))


class FileModel:
    """An ONNX file, built when it is opened if nothing but leading extents are open, else for each shape that comes.

    A build is kept in the cache of builds, and the executors of the `kept` shapes that came last in memory.
    """

    def __init__(
        self,
        source: str | Path | bytes,
        declared: Declared,
        dims: Mapping[str, Any],
        constants: Mapping[str, object],
        threads: int | None,
        kept: int,
    ) -> None:
        self.declared = declared
        self._source, self._dims, self._constants = source, dict(dims), dict(constants)
        self._threads, self._kept = threads, kept
        self._frozen = {name: as_array(value) for name, value in constants.items()}
        self._optional = [arg.name for arg in declared.inputs if arg.type.startswith("optional")]
        self._prefixes = {
            arg.name: f"{arg.name}.value" if arg.name in self._optional else arg.name
            for arg in declared.inputs
        }
        self._open = self._open_extents()
        self._numbers = [
            arg.name
            for arg in declared.inputs
            if arg.type.startswith("tensor") and not arg.shape and arg.name not in declared.unranked
        ]
        self._selectors = [arg.name for arg in declared.inputs if self._may_select(arg)]
        self._selects = False  # whether the values of these are built in
        self._built: OrderedDict[object, Executors] = OrderedDict()
        self._lock = threading.Lock()
        self._whole = self._build_whole()

    def answer(self, given: Feed) -> list[Any]:
        """All outputs, in order."""
        given = self._completed(_without_frozen(given, self._frozen))
        if self._whole is not None and given.keys().isdisjoint(arg.name for arg in self.declared.overridable):
            return self._whole.predict(given)
        self._require_shapes(given)
        frozen = {arg.name: given[arg.name] for arg in self.declared.overridable if arg.name in given}
        with self._lock:
            executors, names = self._for(given, frozen)
        return executors.predict({name: value for name, value in given.items() if name not in names})

    def _completed(self, given: Feed) -> Feed:
        """A feed with None for optional inputs that are left out. Arrays of one element are good for single numbers, as in
        onnxruntime.
        """
        changed = {name: None for name in self._optional if name not in given}
        changed |= {
            name: given[name].reshape(()) for name in self._numbers if shape_of(given.get(name)) == (1,)
        }
        return {**given, **changed} if changed else given

    # ─── which build ───────────────────────────────────────────────────────────────────────────────────────────────

    def _open_extents(self) -> dict[str, list[tuple[str, int]]]:
        """The inputs and axes of each extent that neither the file nor the caller says."""
        places: dict[str, list[tuple[str, int]]] = {}
        for arg in self.declared.inputs:
            for axis, extent in enumerate(arg.shape):
                if not isinstance(extent, int):
                    key = extent or f"{self._prefixes[arg.name]}:{axis}"
                    places.setdefault(key, []).append((arg.name, axis))
        return {
            key: some
            for key, some in places.items()
            if key not in self._dims and not all(f"{name}:{axis}" in self._dims for name, axis in some)
        }

    def _may_select(self, arg: NodeArg) -> bool:
        numbers = [extent for extent in arg.shape if isinstance(extent, int)]
        return (
            arg.type in _SELECTORS
            and arg.name not in self._frozen
            and len(numbers) == len(arg.shape)
            and math.prod(numbers) <= SELECTOR_ELEMENTS_MAX
        )

    def _build_whole(self) -> Executors | None:
        """The executors for all shapes, if one build serves them.

        Raises:
            ModelError, UnsupportedError: it cannot be built, and no shape or value that comes changes that.
        """
        optional = any(arg.type.startswith("optional") for arg in self.declared.inputs)
        if (
            optional
            or self.declared.unranked
            or any(axis for some in self._open.values() for _, axis in some)
        ):
            return None
        try:
            return self._build(dict.fromkeys(self._open, Dim(0, EXTENT_MAX)), {})
        except (ModelError, UnsupportedError) as error:
            if not self._open and not self._selectors:
                raise
            _log.info("built for each shape that comes: %s", error)
        if self._open and not self._selectors:
            self._build_smallest()
        return None

    def _build_smallest(self) -> None:
        """One build, for the extents that are likely, to say at once what cannot be compiled."""
        try:
            self._kept_build(dict.fromkeys(self._open, 1), {})
        except ModelError as error:  # the model may be for other extents
            _log.info("not for extents of 1: %s", error)

    def _for(self, given: Feed, frozen: dict[str, Any]) -> tuple[Executors, frozenset[str]]:
        """Executors for the shapes of a feed, and the names of inputs whose values are built in."""
        dims = self._sizes(given)
        if not self._selects:
            try:
                return self._kept_build(dims, frozen), frozenset(frozen)
            except (ModelError, UnsupportedError):
                if not self._selectors:
                    raise
        selected = {**frozen, **{name: given[name] for name in self._selectors}}
        executors = self._kept_build(dims, selected)
        self._selects = True
        return executors, frozenset(selected)

    def _sizes(self, given: Feed) -> dict[str, int]:
        """What `dims` says for a feed: by input and axis, since a model may give one name to extents that differ, such as `?`."""
        dims: dict[str, int] = {}
        shapes = {arg.name: shape_of(given.get(arg.name)) or () for arg in self.declared.inputs}
        for name, axis in itertools.chain.from_iterable(self._open.values()):
            if axis < len(shapes[name]):
                dims[f"{self._prefixes[name]}:{axis}"] = shapes[name][axis]
        for arg in self.declared.inputs:
            if arg.name in self._optional:
                dims[f"{arg.name}:present"] = int(given.get(arg.name) is not None)
            elif arg.name in self.declared.unranked:
                dims |= {f"{arg.name}:{axis}": size for axis, size in enumerate(shapes[arg.name])}
        return dims

    def _require_shapes(self, given: Feed) -> None:
        """Raises InvalidArgument where an input has another rank or extent than the file declares."""
        for arg in self.declared.inputs:
            shape = shape_of(given.get(arg.name))
            if shape is None or not arg.shape:
                continue
            if len(shape) != len(arg.shape):
                raise InvalidArgument(
                    f"Invalid rank for input: {arg.name} Got: {len(shape)} Expected: {len(arg.shape)}",
                    name=arg.name,
                    got=shape,
                )
            wrong = [
                (axis, size, extent)
                for axis, (size, extent) in enumerate(zip(shape, arg.shape, strict=True))
                if isinstance(extent, int) and extent not in (0, size)
            ]
            if wrong:
                listed = "".join(
                    f"\n index: {axis} Got: {got} Expected: {expected}" for axis, got, expected in wrong
                )
                raise InvalidArgument(
                    f"Got invalid dimensions for input: {arg.name} for the following indices{listed}",
                    name=arg.name,
                    got=shape,
                )

    # ─── builds ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _kept_build(self, dims: Mapping[str, int], frozen: Mapping[str, Any]) -> Executors:
        key = (tuple(dims.items()), tuple((name, as_array(frozen[name]).tobytes()) for name in frozen))
        executors = self._built.pop(key, None) or self._build(dims, frozen)
        self._built[key] = executors
        if len(self._built) > self._kept:
            self._built.popitem(last=False)
        return executors

    def _build(self, dims: Mapping[str, Any], frozen: Mapping[str, Any]) -> Executors:
        _log.info("build for %s", {**dims, **frozen})
        artifacts = late_build.build(
            self._source,
            dims={**self._dims, **dims},
            constants={**self._constants, **frozen},
            observer=Observer(on_note=_log.info),
        )
        library: Library = artifacts.load()
        return Executors(library[library.model_names[0]], self._threads)


def _without_frozen(given: Feed, frozen: Mapping[str, Array]) -> Feed:
    """A feed without inputs that were frozen while building, which are compared."""
    if given.keys().isdisjoint(frozen):
        return given
    for name in given.keys() & frozen.keys():
        require_same(name, given[name], frozen[name])
    return {name: value for name, value in given.items() if name not in frozen}


Model = LibraryModel | FileModel


def open_model(
    source: Any,
    *,
    model: str | None,
    dims: Mapping[str, Any],
    constants: Mapping[str, object],
    threads: int | None,
    kept: int,
) -> Model:
    """What a session runs.

    Args:
        source: a library that is loaded; a path or the bytes of a library or of an ONNX file.
        model: which one of a library with several.
        dims: of an ONNX file, as `ingot.build` takes it.
        constants: as `ingot.build` takes it; of a library, what was frozen.
        threads: of one inference at most; None for what the process may use.
        kept: for how many shapes executors stay in memory.

    Raises:
        NoSuchFile: there is nothing at the path.
        InvalidProtobuf: the bytes are neither.
        IngotError: what loading or building raises.
    """
    if isinstance(source, str | os.PathLike):
        source = Path(source)
        if not source.exists():
            raise NoSuchFile(f"Load model from {source} failed. File doesn't exist", path=str(source))
    elif not isinstance(source, Library):
        source = bytes(source)
    if not isinstance(source, Library):
        if not _is_library(source):
            return FileModel(source, _declared(source), dims, constants, threads, kept)
        source = load(source)
    return LibraryModel(_factory(source, model), constants, threads)


def _factory(library: Library, model: str | None) -> ExecutorFactory:
    if model is None and len(library) != 1:
        raise Fail(
            f"the library has several models, choose one by model=: {', '.join(library.model_names)}",
            known=library.model_names,
        )
    return library[library.model_names[0] if model is None else model]


def _is_library(source: Path | bytes) -> bool:
    """Whether this is no ONNX file, by how it begins; a folder is a saved set."""
    if isinstance(source, bytes):
        return source.startswith(_LIBRARY_STARTS)
    if source.is_dir() or source.suffix in (".so", ".ingot", ".tar"):
        return True
    with source.open("rb") as file:
        return file.read(8).startswith(_LIBRARY_STARTS)


def _declared(source: Path | bytes) -> Declared:
    try:
        proto, _ = late_source.load_proto(source, {})
    except ModelError as error:
        raise InvalidProtobuf(error.message, **error.facts) from error
    return declared_by_file(proto)
