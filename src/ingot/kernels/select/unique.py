"""Slices of a tensor that are equal, once: their numbers are sorted by what the slices hold, and equal ones lie side by side.

Runs of sorted numbers are merged two by two. Where a number comes to is its place in its own run and the number of those of the
other run that are before it, which are found by halving.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.true_places import COUNT
from ingot.kernels.template import Counting, Site, Template
from ingot.kernels.topk.topk import order_key
from ingot.loops.build.builder import Builder, split_index
from ingot.loops.nodes import (
    Binary,
    Buffer,
    Const,
    Expr,
    Stmt,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
)

_I64 = DType.INT64


@dataclass(frozen=True, slots=True)
class Unique:
    """Slices of `x` along an axis, each that there is once: in rising order if they are `sorted`, else as they come first. There
    is room for `places_max`.
    """

    x: TensorType
    axis: int
    sorted: bool
    places_max: int

    @property
    def count(self) -> int:
        """How many slices there are in all."""
        return self.x.shape[self.axis]

    @property
    def rest(self) -> tuple[int, ...]:
        """The shape of a slice."""
        return self.x.shape[: self.axis] + self.x.shape[self.axis + 1 :]


def unique_template(problem: Unique, name: str) -> Template:
    """The slices, where each comes first, for each slice of `x` which one it is, how often each is there, and how many there
    are.
    """
    shape = list(problem.x.shape)
    shape[problem.axis] = problem.places_max
    places = TensorType(_I64, (problem.places_max,))
    outputs = (
        TensorType(problem.x.dtype, tuple(shape)),
        places,
        TensorType(_I64, (problem.count,)),
        places,
        COUNT,
    )
    return Template(
        "unique",
        (problem.x,),
        outputs,
        lambda site: _Kernel(site, problem).statements(),
        {"axis": problem.axis, "sorted": problem.sorted, "places_max": problem.places_max},
        epilogue=False,
        counting=Counting(name, 4, (problem.axis, 0, None, 0, None)),
    )


@dataclass(slots=True)
class _Kernel:
    """`order` has the numbers of slices, before and behind a step of merging; `group` which group a slice is in, `first` and
    `size` the first slice of a group and how many it has, `place` where the group comes to.
    """

    site: Site
    of: Unique
    order: Buffer = field(init=False)
    group: Buffer = field(init=False)
    first: Buffer = field(init=False)
    size: Buffer = field(init=False)
    place: Buffer = field(init=False)

    def statements(self) -> Sequence[Stmt]:
        of, site = self.of, self.site
        if not of.count:
            return site.write(4, (0,), Const(0, _I64))
        self.order = site.workspace("order", _I64, (2, of.count))
        self.group, self.first, self.size, self.place = (
            site.workspace(name, _I64, (of.count,))
            for name in ("group_of", "first_of", "size_of", "place_of")
        )
        k = Builder()
        steps = (of.count - 1).bit_length()
        for side in range(2):
            for at in k.loop(f"number{side}", of.count):
                k.store(self.order, (side, at), at)
        width = k.alloc("width", _I64, (1,))
        k.store(width, (0,), 1)
        for step in k.loop("step", steps):
            self._merge(k, step % 2, k.let("run", load(width, 0)), steps + 1)
            k.store(width, (0,), load(width, 0) * 2)
        groups = self._form_groups(k, index(steps % 2))
        self._place_groups(k, groups)
        self._write(k, groups)
        return k.statements()

    # ─── order ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _key(self, number: Expr, at: Expr) -> Expr:
        """A number by which elements are ordered."""
        where = list(split_index(at, self.of.rest)) if self.of.rest else []
        where.insert(self.of.axis, number)
        value = self.site.read(0, *where)
        return order_key(value, True) if value.dtype is not DType.BOOL else cast(value, DType.INT32)

    def _difference(self, k: Builder, name: str, left: Expr, right: Expr) -> Expr:
        """Below, at or above 0 where a slice is before, equal to or behind another one."""
        sign_of = k.alloc(name, DType.INT32, (1,))
        k.store(sign_of, (0,), 0)
        elements = 1
        for extent in self.of.rest:
            elements *= extent
        for at in k.loop(f"{name}_element", elements):
            own, other = (
                k.let(f"{name}_own", self._key(left, at)),
                k.let(f"{name}_other", self._key(right, at)),
            )
            sign = select(
                compare("lt", own, other),
                Const(-1, DType.INT32),
                cast(compare("gt", own, other), DType.INT32),
            )
            k.store(sign_of, (0,), select(compare("eq", load(sign_of, 0), 0), sign, load(sign_of, 0)))
        return k.let(f"{name}_sign", load(sign_of, 0))

    def _merge(self, k: Builder, side: Expr, run: Expr, halvings: int) -> None:
        """One step: of each two runs becomes one."""
        count = self.of.count
        for at in k.loop("at", count):
            own_run = k.let("own_run", at // run)
            is_left = k.let("is_left", compare("eq", own_run % 2, 0))
            begin = k.let("begin", (own_run - own_run % 2) * run)
            other = k.let("other_begin", select(is_left, begin + run, begin))
            number = k.let("number", load(self.order, side, at))
            low, high = (k.alloc(name, _I64, (1,)) for name in ("low", "high"))
            k.store(low, (0,), 0)
            k.store(high, (0,), maximum(minimum(run, count - other), 0))
            for _ in k.loop("halving", halvings):
                with k.when(compare("lt", load(low, 0), load(high, 0))):
                    self._halve(k, low, high, is_left, (side, other, number))
            k.store(self.order, (1 - side, begin + at % run + load(low, 0)), number)

    def _halve(
        self, k: Builder, low: Buffer, high: Buffer, is_left: Expr, of: tuple[Expr, Expr, Expr]
    ) -> None:
        """Looks at the middle of the places where a number may come to among those of the other run."""
        side, other, number = of
        middle = k.let("middle", (load(low, 0) + load(high, 0)) // 2)
        sign = self._difference(k, "difference", load(self.order, side, other + middle), number)
        # Of equal ones those of the left run are first.
        is_before = k.let(
            "is_before", compare("lt", sign, select(is_left, Const(0, DType.INT32), Const(1, DType.INT32)))
        )
        k.store(low, (0,), select(is_before, middle + 1, load(low, 0)))
        k.store(high, (0,), select(is_before, load(high, 0), middle))

    # ─── groups ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _form_groups(self, k: Builder, side: Expr) -> Expr:
        """Numbers the groups of equal slices; gives how many there are."""
        groups = k.alloc("groups", _I64, (1,))
        k.store(groups, (0,), 0)
        for at in k.loop("sorted_at", self.of.count):
            number = k.let("sorted_number", load(self.order, side, at))
            before = k.let("before", load(self.order, side, maximum(at - 1, 0)))
            sign = self._difference(k, "step_up", before, number)
            is_new = k.let("is_new", Binary("or", compare("eq", at, 0), compare("ne", sign, 0)))
            with k.when(is_new):
                k.store(self.first, (load(groups, 0),), number)
                k.store(self.size, (load(groups, 0),), 0)
                k.store(groups, (0,), load(groups, 0) + 1)
            own = k.let("own_group", load(groups, 0) - 1)
            k.store(self.group, (number,), own)
            k.store(self.size, (own,), load(self.size, own) + 1)
        return k.let("group_count", load(groups, 0))

    def _place_groups(self, k: Builder, groups: Expr) -> None:
        """Says where each group comes to."""
        if self.of.sorted:
            for at in k.loop("group_at", groups):
                k.store(self.place, (at,), at)
            return
        placed = k.alloc("placed", _I64, (1,))
        k.store(placed, (0,), 0)
        for number in k.loop("first_at", self.of.count):
            own = k.let("its_group", load(self.group, number))
            with k.when(compare("eq", load(self.first, own), number)):
                k.store(self.place, (own,), load(placed, 0))
                k.store(placed, (0,), load(placed, 0) + 1)

    def _write(self, k: Builder, groups: Expr) -> None:
        of, site = self.of, self.site
        for own in k.loop("written", groups):
            place, number = (
                k.let("its_place", load(self.place, own)),
                k.let("its_first", load(self.first, own)),
            )
            with k.when(compare("lt", place, of.places_max)):
                k.emit(site.write(1, (place,), number))
                k.emit(site.write(3, (place,), load(self.size, own)))
                self._copy(k, place, number)
        for at in k.loop("slice", of.count):
            k.emit(site.write(2, (at,), load(self.place, load(self.group, at))))
        k.emit(site.write(4, (0,), groups))

    def _copy(self, k: Builder, place: Expr, number: Expr) -> None:
        for where in k.nest([f"part{axis}" for axis in range(len(self.of.rest))], self.of.rest):
            to, source = ([*where[: self.of.axis], at, *where[self.of.axis :]] for at in (place, number))
            k.emit(self.site.write(0, to, self.site.read(0, *source)))
