"""From a model to definitions, for definite extents: what a build does once, and again for each other combination of sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ingot.api.levels import Part
from ingot.api.shapes import Lowered
from ingot.base.observe import Observer
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.lower import lower
from ingot.graph.operator_table import domains_without_operators
from ingot.graph.place import UNSUPPORTED, Placement, named_keys
from ingot.graph.place import place as place_nodes
from ingot.graph.prepare import prepare
from ingot.graph.read.advice import dims_named
from ingot.graph.read.completion import Completion
from ingot.graph.read.counted import CountedExtents
from ingot.graph.read.declared import Declarations
from ingot.graph.read.read import read_model
from ingot.graph.read.source import ModelSource, ReadModel
from ingot.graph.regions.partition import Partition, Taker, partition
from ingot.graph.unsupported import unsupported_nodes
from ingot.graph.write import model_bytes
from ingot.ops.opdef import OpDef
from ingot.ops.registry import ALL, with_plugins
from ingot.plan.text import draft_text


@dataclass(slots=True)
class Front:
    """A model, and what decides how it becomes definitions. `places` has the inputs and axes of each key of `dims`, once the
    model was read; `exact` and `skipped` are what `graph.prepare` takes; `bounds` are what callers say of extents that depend on
    content. `has_ranges`: an extent may have any size of a range. `completions` are inputs and outputs that the model gets
    besides.
    """

    model: ModelSource
    name: str | None
    constants: Mapping[str, object] | None
    parts: Mapping[str, Part]
    place: Placement | None
    exact: bool
    skipped: Collection[str]
    bounds: Mapping[str, int] = field(default_factory=dict)
    places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    has_ranges: bool = False
    completions: tuple[Completion, ...] = ()

    def read(self, dims: Mapping[str, int], declarations: Declarations) -> ReadModel:
        """The model for these extents, as `read_model` gives it."""
        places: dict[str, list[tuple[str, int]]] = {}
        read = read_model(
            self.model,
            dims=dims,
            constants=self.constants,
            name=self.name,
            declarations=declarations,
            places=places,
        )
        self.places = places
        for completion in self.completions:
            completion.complete(read)
        return read

    def prepared(
        self,
        read: ReadModel,
        dims: Mapping[str, int],
        declarations: Declarations,
        watcher: Observer,
        sizes: SizeLog,
    ) -> ReadModel:
        """A model that was read, with all graph passes done; what they compute from shapes is noted."""
        with dims_named(dims):
            return prepare(
                read,
                self.operators(read),
                declarations,
                exact=self.exact,
                skip=self._left_out,
                observer=watcher,
                sizes=sizes,
            )

    def operators(self, read: ReadModel) -> tuple[OpDef, ...]:
        """Those of ingot, and those of plug-ins for domains that ingot does not know."""
        return with_plugins(domains_without_operators(read, ALL))

    @property
    def _left_out(self) -> Collection[str]:
        """The passes to leave out. No loop and no branch may stay where a target does not know any; ranges of extents
        are proven and served along steps that are written out.
        """
        may_stay = all(part.generator.control for part in self.parts.values()) and not self.has_ranges
        return self.skipped if may_stay else {*self.skipped, "keep-loops", "keep-branches"}

    def lowered(
        self, prepared: ReadModel, sizes: SizeLog, counts: CountedExtents, watcher: Observer
    ) -> Lowered:
        """A prepared model and its definitions; the observer sees where nodes are placed."""
        opaque = {key for key, part in self.parts.items() if part.generator.opaque}
        operators = self.operators(prepared)
        placed = self._placed(prepared, operators)
        if len(self.parts) > 1:
            watcher.dump("placement.txt", lambda: placed.text(prepared))
        if placed.regions:
            watcher.dump("partitioned.onnx", lambda: model_bytes(prepared))
        draft = lower(prepared, operators, placed.keys, opaque, placed.regions)
        return Lowered(prepared, draft, sizes, tuple(counts.extents.values()))

    def _placed(self, prepared: ReadModel, operators: Sequence[OpDef]) -> Partition:
        """Which target computes which node; nodes that become regions are replaced by calls of them."""
        wants = {
            key: part.generator.regions
            for key, part in self.parts.items()
            if part.generator.regions is not None
        }
        unsupported: frozenset[str] = frozenset()
        if isinstance(self.place, Mapping) and UNSUPPORTED in self.place:
            unsupported = unsupported_nodes(prepared, operators)
        keys = place_nodes(prepared, self.place, self.parts, wants, unsupported)
        chosen = named_keys(self.place) if self.place is not None else frozenset()
        takers = [
            Taker(
                key,
                self.parts[key].target.codegen,
                wanted,
                frozenset(name for name, given in keys.items() if given == key)
                if chosen is None or key in chosen
                else None,
            )
            for key, wanted in wants.items()
        ]
        return partition(prepared, keys, takers)

    def first(
        self,
        read: ReadModel,
        dims: Mapping[str, int],
        declarations: Declarations,
        strict: bool,
        watcher: Observer,
    ) -> Lowered:
        """Definitions of the model that was read for the smallest sizes; the observer sees each stage."""
        sizes = SizeLog()
        with watcher.timed("passes"):
            prepared = self.prepared(read, dims, declarations, watcher, sizes)
        declarations.counts.require_used(f"model {read.graph.name!r}")
        declarations.tell(f"model {read.graph.name!r}", strict, watcher)
        watcher.dump("prepared.onnx", lambda: model_bytes(prepared))
        with watcher.timed("lower"):
            lowered = self.lowered(prepared, sizes, declarations.counts, watcher)
        watcher.dump("draft.txt", lambda: draft_text(lowered.draft))
        return lowered

    def again(
        self,
        dims: Mapping[str, int],
        watcher: Observer,
        rooms: Mapping[str, int] | None = None,
        running: frozenset[str] = frozenset(),
    ) -> Lowered:
        """Definitions for other sizes. Their stages are not shown: they would have the names of the first one's. `rooms` are for
        how many places there is to be room of extents that depend on content, by name; `running` are values that are computed
        while running though they follow from sizes alone.
        """
        with watcher.timed("other sizes"):
            declarations = Declarations(counts=CountedExtents(self.bounds, rooms or {}))
            sizes = SizeLog(running=running)
            read = self.read(dims, declarations)
            prepared = self.prepared(read, dims, declarations, Observer(), sizes)
            return self.lowered(prepared, sizes, declarations.counts, Observer())

    def remembering(
        self, first: Lowered, dims: Mapping[str, int], watcher: Observer
    ) -> Callable[[Mapping[str, int], frozenset[str]], Lowered]:
        """`again` for each combination of sizes once; `first` has these."""
        known = {(tuple(sorted(dims.items())), frozenset[str]()): first}

        def lowered(sizes: Mapping[str, int], running: frozenset[str]) -> Lowered:
            key = tuple(sorted(sizes.items())), running
            if key not in known:
                known[key] = self.again(sizes, watcher, running=running)
            return known[key]

        return lowered
