"""The loader of `llvmjit`: bitcode → instructions in the memory of this process. Needs llvmlite, and nothing of the machine.

Bitcode is code: as with a library, you must trust its producer to load it. Damaged, foreign or newer bitcode is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from ingot.artifact.artifact import Artifact
from ingot.artifact.json_read import read_json
from ingot.artifact.module import Function, LoadContext, Loader, Module
from ingot.artifact.thread_pools import CREATE, DESTROY, ThreadPools
from ingot.base.errors import ArtifactError, LoadError, TargetError
from ingot.base.target import Target
from ingot.codegen.llvm.build.engine import Engine, library_addresses, pool_engine, start_assembler
from ingot.codegen.llvm.build.objects import target_machine
from ingot.codegen.llvm.build.targets import family, processor, resolve, system, without_missing
from ingot.codegen.llvm.parallel.pool import POOL
from ingot.codegen.llvmjit.generator import ID, LIST_SUFFIX, MODULE_SUFFIX, VERSION


@dataclass(frozen=True, slots=True)
class _Listing:
    file: str
    symbol: str
    target: Target
    llvm: tuple[int, ...]
    modules: tuple[str, ...]


class JitModule:
    """Models in the memory of this process. The code is freed when the module is closed or nobody refers to it any more."""

    type_key = ID

    def __init__(self, listings: Sequence[_Listing], contents: Mapping[str, bytes]) -> None:
        self._engines: dict[str, Engine] = {}
        self._pools = ThreadPools()
        shared = pool_engine()
        self._engines = dict.fromkeys((CREATE, DESTROY), shared)
        imports = {**library_addresses(), **{name: shared.address(name) for name in POOL}}
        for listing in listings:
            engine = _engine(listing, contents, imports)
            self._engines.update(dict.fromkeys(engine.exports, engine))

    @property
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
        engine = self._engines.get(name)
        function: Any = None if engine is None else engine.function(name)
        if function is not None:
            function.module = self  # who has a function may let go of the library: its code stays
        own: Function | None = function
        return own

    def pool(self, threads: int) -> int | None:
        """The address of the thread pool for `threads` threads, shared by all executors that use this number; None for one."""
        return self._pools.address(threads, self.get_function)

    def close(self) -> None:
        self._pools.close(self.get_function)
        engines, self._engines = self._engines, {}
        # The models call the pool, so its code goes last.
        for engine in reversed({id(engine): engine for engine in engines.values()}.values()):
            engine.close()

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, the system frees everything; other threads may still be in the code. This module may have
        # no `sys` any more then.
        if not is_ending():
            self.close()


def _load(artifacts: tuple[Artifact, ...], _context: LoadContext) -> JitModule:
    contents: dict[str, bytes] = {}
    listings: list[_Listing] = []
    for artifact in artifacts:
        if artifact.file_name.endswith(MODULE_SUFFIX):
            contents[artifact.file_name] = bytes(artifact.content)
        elif artifact.file_name.endswith(LIST_SUFFIX):
            listings.append(_listing(artifact))
        else:
            raise ArtifactError(
                f"artifact {artifact.file_name!r} of the loader {ID}: expected a file {MODULE_SUFFIX} or {LIST_SUFFIX}",
                file=artifact.file_name,
            )
    named = [name for listing in listings for name in listing.modules]
    for name in sorted(set(named) ^ contents.keys()):
        reason = "is in no list" if name in contents else "is not there"
        raise ArtifactError(f"loader {ID}: the module {name!r} {reason}", file=name)
    for listing in listings:
        _require_here(listing)
    start_assembler()
    return JitModule(listings, contents)


def _listing(artifact: Artifact) -> _Listing:
    try:
        read = read_json(artifact.content)
        if read["version"] != VERSION:
            raise ValueError(f"version {read['version']!r}, expected {VERSION}")
        version = tuple(int(part) for part in read["llvm"].split("."))
        names = tuple(read["modules"])
        if not all(isinstance(name, str) for name in (read["symbol"], *names)) or len(set(names)) != len(
            names
        ):
            raise ValueError("names must be text, and different")
        target = resolve(Target.parse(read["target"]))
        return _Listing(artifact.file_name, read["symbol"], target, version, names)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, TargetError) as error:
        raise ArtifactError(
            f"artifact {artifact.file_name!r} holds no list of modules: {type(error).__name__}: {error}",
            file=artifact.file_name,
        ) from error


def _require_here(listing: _Listing) -> None:
    """Raises LoadError if the code is for another kind of machine, or was written by a newer LLVM.

    CPU features are checked before any loader is asked.
    """
    here = llvm.get_default_triple()
    built_for = listing.target.triple
    if family(here)[0] != family(built_for)[0] or system(here) != system(built_for):
        raise LoadError(
            f"{listing.file} was built for {built_for}, this machine is {here}",
            name=listing.file,
            built_for=built_for,
            here=here,
        )
    if listing.llvm[:1] > llvm.llvm_version_info[:1]:
        got, have = (".".join(map(str, version)) for version in (listing.llvm, llvm.llvm_version_info))
        raise LoadError(
            f"{listing.file} is bitcode of LLVM {got}, which LLVM {have} here cannot read; update llvmlite, or build it again",
            name=listing.file,
            llvm=listing.llvm,
        )


def _engine(listing: _Listing, contents: Mapping[str, bytes], imports: Mapping[str, int]) -> Engine:
    entries = [f"ingot_{listing.symbol}_{entry}" for entry in ("run", "call")]
    modules = {name: _parsed(contents[name], name, listing) for name in listing.modules}
    symbols = [
        symbol for module in modules.values() for symbol in (*module.functions, *module.global_variables)
    ]
    known = imports.keys() | {symbol.name for symbol in symbols if not symbol.is_declaration}
    wanted = {
        symbol.name for symbol in symbols if symbol.is_declaration and not symbol.name.startswith("llvm.")
    }
    missing = sorted(wanted - known) + sorted(set(entries) - known)
    if missing:
        raise LoadError(
            f"{listing.file}: its modules want {', '.join(map(repr, missing[:6]))}, which they have not and kernels may not call",
            name=listing.file,
            missing=tuple(missing),
        )
    repeat = f"ingot_{listing.symbol}_repeat"  # of models whose extents vary
    if repeat in known:
        entries.append(repeat)
    # Another LLVM than the builder's may choose other instructions: none that this processor lacks.
    machine = target_machine(without_missing(processor(listing.target)))
    try:
        return Engine(
            [machine.emit_object(module) for module in modules.values()], imports, entries, listing.symbol
        )
    except RuntimeError as error:
        raise LoadError(
            f"{listing.file}: LLVM cannot link its modules: {error}", name=listing.file
        ) from error


def _parsed(bitcode: bytes, name: str, listing: _Listing) -> llvm.ModuleRef:
    try:
        module = llvm.parse_bitcode(bitcode)
        module.verify()
    except RuntimeError as error:
        raise ArtifactError(
            f"artifact {name!r} holds no LLVM bitcode: {str(error).strip()}", file=name
        ) from error
    if module.triple != listing.target.triple:
        raise ArtifactError(
            f"artifact {name!r} is for {module.triple!r}, its list {listing.file!r} says {listing.target.triple!r}",
            file=name,
        )
    return module


LOADER = Loader(ID, "cpu", _load)
