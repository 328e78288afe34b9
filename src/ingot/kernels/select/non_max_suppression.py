"""Of boxes that overlap, those with the highest scores: for each class of each image one after another.

Each score becomes a whole number in whose lower half is the number of the box: the highest of these is the next box, and of
equal scores the first. They lie in blocks, of each of which the highest is kept: the next box is the highest of all blocks, and
to take it away is to look at the rest of its block. It is chosen if it overlaps none too much that was chosen before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.true_places import COUNT
from ingot.kernels.template import Counting, Folded, Site, Template
from ingot.kernels.topk.topk import order_key
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import loop_by_ranges, places
from ingot.loops.nodes import (
    Binary,
    Buffer,
    Const,
    Expr,
    If,
    Operand,
    Stmt,
    both,
    cast,
    compare,
    load,
    maximum,
    minimum,
    select,
)

_F32 = DType.FLOAT32
_LOWEST = Const(-math.inf, _F32)
_I64 = DType.INT64
_INT32_MAX, _LOW_HALF = (1 << 31) - 1, (1 << 32) - 1
_NONE = Const(-(1 << 63), _I64)  # the key of a box that cannot be chosen, or was looked at
_STEPS = 64


@dataclass(frozen=True, slots=True)
class Suppression:
    """Which boxes are kept.

    Attributes:
        boxes: float32 [images, boxes, 4].
        scores: float32 [images, classes, boxes]. One that is minus infinity, or no number, is never chosen.
        taken_max: how many boxes may be chosen of a class of an image at most; inputs may say fewer.
        has_overlap: whether there is an input with the overlap from which on boxes are struck out; else it is 0.
        has_threshold: whether there is an input that scores have to be above.
        is_centred: whether boxes are a centre and extents, else two opposite corners.
        places_max: for how many there is room in all.
    """

    boxes: TensorType
    scores: TensorType
    taken_max: int
    has_overlap: bool
    has_threshold: bool
    is_centred: bool
    places_max: int

    @property
    def rows(self) -> tuple[int, int]:
        """Images and classes."""
        return self.scores.shape[0], self.scores.shape[1]

    @property
    def count(self) -> int:
        """How many boxes an image has."""
        return self.scores.shape[2]

    @property
    def inputs(self) -> tuple[TensorType, ...]:
        """Boxes, scores, how many are taken of a class, then the overlap and the threshold if there are inputs for them."""
        number = TensorType(_F32, (1,))
        return (self.boxes, self.scores, COUNT, *[number] * (self.has_overlap + self.has_threshold))


def non_max_suppression(problem: Suppression, name: str) -> Template:
    """Image, class and box of each that is kept, int64 [places, 3], and how many there are. The order is that of images and
    classes, then of falling scores; of equal scores the first box comes first.
    """
    others = [None] * (len(problem.inputs) - 2)
    spec = {
        "taken_max": problem.taken_max,
        "has_overlap": problem.has_overlap,
        "has_threshold": problem.has_threshold,
        "is_centred": problem.is_centred,
        "places_max": problem.places_max,
    }
    return Template(
        "non_max_suppression",
        problem.inputs,
        (TensorType(DType.INT64, (problem.places_max, 3)), COUNT),
        lambda site: _Kernel(site, problem).statements(),
        spec,
        epilogue=False,
        folded=(Folded((1, 2, *others), (None, None), -math.inf, is_numbered=True),),
        counting=Counting(name, 1, (0, None)),
    )


class _Box(NamedTuple):
    """The lower and upper corner, and the area."""

    top: Expr
    left: Expr
    bottom: Expr
    right: Expr
    area: Expr

    def overlap(self, other: _Box) -> tuple[Expr, Expr, Expr]:
        """How high and how wide the intersection is, and the area of the union."""
        high = minimum(self.bottom, other.bottom) - maximum(self.top, other.top)
        wide = minimum(self.right, other.right) - maximum(self.left, other.left)
        return high, wide, self.area + other.area - high * wide


@dataclass(slots=True)
class _Kernel:
    """Keys and the boxes that are chosen of the class at hand are kept in a part of their own for each thread, what is chosen for
    each class. `block` keys are in a block, of which there are `blocks`; both are multiples of `lanes`.
    """

    site: Site
    of: Suppression
    lanes: int = 1
    block: int = 1
    blocks: int = 1
    keys: Buffer = field(init=False)
    highest: Buffer = field(init=False)
    boxes: Buffer = field(init=False)
    taken: Buffer = field(init=False)
    counts: Buffer = field(init=False)

    def statements(self) -> Sequence[Stmt]:
        of, site = self.of, self.site
        images, classes = of.rows
        if not of.taken_max or not of.count or not images * classes:
            return site.write(1, (0,), Const(0, _I64))
        self.lanes = site.machine.lanes(_I64)
        self.block = _rounded(math.isqrt(of.count - 1) + 1, self.lanes)
        self.blocks = _rounded(-(-of.count // self.block), self.lanes)
        parts = places(images * classes, site.machine)
        self.keys = site.workspace("keys", _I64, (parts, self.blocks * self.block))
        self.highest = site.workspace("highest_keys", _I64, (parts, self.blocks))
        chosen = _rounded(of.taken_max, site.machine.lanes(_F32))
        self.boxes = site.workspace("chosen_boxes", _F32, (parts, len(_Box._fields), chosen))
        self.taken = site.workspace("taken", _I64, (images * classes, of.taken_max))
        self.counts = site.workspace("counts", _I64, (images * classes,))
        k = Builder()
        k.emit(loop_by_ranges("row", images * classes, site.machine, self._rows, 1))
        self._write(k)
        return k.statements()

    def _rows(self, place: Expr, first: Expr, last: Expr) -> Sequence[Stmt]:
        k = Builder()
        for at in k.loop("class", last - first):
            row = k.let("row_number", first + at)
            self._row(k, place, row)
        return k.statements()

    def _row(self, k: Builder, place: Expr, row: Expr) -> None:
        """Chooses of one class of one image."""
        candidates = self._order(k, place, row)
        taken, next_key = (k.alloc(name, _I64, (1,)) for name in ("taken_count", "next_key"))
        k.store(taken, (0,), 0)
        k.store(next_key, (0,), self._best(k, "first", self.highest, place, 0, self.blocks))
        limit = k.let("limit", maximum(minimum(self.site.read(2, 0), self.of.taken_max), 0))
        # By steps of many: behind the last box there is nothing to do but to see that.
        steps_max = -(-self.of.count // _STEPS)
        for _ in k.loop("steps", minimum((candidates + (_STEPS - 1)) // _STEPS, steps_max)):
            goes_on = both(compare("lt", load(taken, 0), limit), compare("gt", load(next_key, 0), _NONE))
            with k.when(goes_on):
                self._steps(k, goes_on, (place, row), taken, next_key)
        k.store(self.counts, (row,), load(taken, 0))

    def _steps(
        self, k: Builder, goes_on: Expr, where: tuple[Expr, Expr], taken: Buffer, next_key: Buffer
    ) -> None:
        for _ in k.loop("step", _STEPS):
            with k.when(goes_on):
                self._step(k, *where, taken, next_key)

    def _step(self, k: Builder, place: Expr, row: Expr, taken: Buffer, next_key: Buffer) -> None:
        """Looks at the box with the highest score that is left."""
        number = k.let("number", _INT32_MAX - Binary("and", load(next_key, 0), Const(_LOW_HALF, _I64)))
        count = k.let("count", load(taken, 0))
        box = self._corners(k, row // self.of.rows[1], number)
        overlaps = self._overlaps(k, place, box, count)
        with k.when(compare("eq", overlaps, 0.0)):
            k.store(self.taken, (row, count), number)
            for part, value in enumerate(box):
                k.store(self.boxes, (place, part, count), value)
            k.store(taken, (0,), count + 1)
        own = k.let("own_block", number // self.block)
        k.store(self.keys, (place, number), _NONE)
        k.store(
            self.highest, (place, own), self._best(k, "rest", self.keys, place, own * self.block, self.block)
        )
        k.store(next_key, (0,), self._best(k, "next", self.highest, place, 0, self.blocks))

    # ─── the order of scores ───────────────────────────────────────────────────────────────────────────────────────

    def _order(self, k: Builder, place: Expr, row: Expr) -> Expr:
        """Gives each score its key, and each block its highest one; gives how many candidates there are."""
        of, site = self.of, self.site
        image, kind = row // of.rows[1], row % of.rows[1]
        threshold = k.let("threshold", site.read(3 + of.has_overlap, 0) if of.has_threshold else _LOWEST)
        sums = k.alloc("sums", _I64, (self.lanes,))
        for lane in k.vectors(self.lanes, self.lanes, "sums_lane"):
            k.store(sums, (lane,), 0)
        for start, width in self._vectors(k, of.count):
            for lane in k.vector("box", width):
                number = k.let("box_number", start + lane)
                score = k.let("score", site.read(1, image, kind, number))
                is_candidate = both(compare("gt", score, threshold), compare("gt", score, _LOWEST))
                order = Binary("shl", cast(order_key(score, True), _I64), Const(32, _I64))
                k.store(
                    self.keys,
                    (place, number),
                    select(is_candidate, order + (_INT32_MAX - cast(number, _I64)), _NONE),
                )
                k.store(sums, (lane,), load(sums, lane) + cast(is_candidate, _I64))
        for at in k.loop("behind", self.blocks * self.block - of.count):
            k.store(self.keys, (place, at + of.count), _NONE)
        for own in k.loop("block", self.blocks):
            best = self._best(k, "block_best", self.keys, place, own * self.block, self.block)
            k.store(self.highest, (place, own), best)
        return k.let("candidates", self._joined(k, "sums", sums, lambda left, right: left + right))

    def _vectors(self, k: Builder, extent: int) -> Iterator[tuple[Expr, int]]:
        """Vectors of all lanes, then those that are left one by one."""
        full = extent // self.lanes
        for at in k.loop("vector", full):
            yield at * self.lanes, self.lanes
        if self.lanes > 1:
            for at in k.loop("left", extent - full * self.lanes):
                yield at + full * self.lanes, 1

    def _best(self, k: Builder, name: str, keys: Buffer, place: Expr, start: Operand, count: int) -> Expr:
        """The highest of keys in a row."""
        best = k.alloc(f"{name}_lanes", _I64, (self.lanes,))
        for lane in k.vectors(self.lanes, self.lanes, f"{name}_clear"):
            k.store(best, (lane,), _NONE)
        for at in k.loop(f"{name}_vector", count // self.lanes):
            for lane in k.vector(f"{name}_lane", self.lanes):
                key = load(keys, place, start + at * self.lanes + lane)
                k.store(best, (lane,), maximum(key, load(best, lane)))
        return k.let(name, self._joined(k, name, best, maximum))

    def _joined(self, k: Builder, name: str, values: Buffer, fold: Callable[[Expr, Expr], Expr]) -> Expr:
        """All lanes in one."""
        half = values.shape[0] // 2
        while half:
            for lane in k.vectors(half, half, f"{name}_fold{half}"):
                k.store(values, (lane,), fold(load(values, lane + half), load(values, lane)))
            half //= 2
        return load(values, 0)

    # ─── boxes ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _corners(self, k: Builder, image: Expr, number: Expr) -> _Box:
        given = [k.let(f"part{part}", self.site.read(0, image, number, part)) for part in range(4)]
        if self.of.is_centred:
            across, down, width, height = given
            half_width, half_height = width / 2.0, height / 2.0
            ends = (down - half_height, across - half_width, down + half_height, across + half_width)
        else:
            first, second = given[:2], given[2:]
            pairs = list(zip(first, second, strict=True))
            ends = (*(minimum(*pair) for pair in pairs), *(maximum(*pair) for pair in pairs))  # type: ignore[assignment]
        top, left, bottom, right = (k.let(name, end) for name, end in zip(_Box._fields, ends, strict=False))
        return _Box(top, left, bottom, right, k.let("area", (right - left) * (bottom - top)))

    def _overlaps(self, k: Builder, place: Expr, own: _Box, count: Expr) -> Expr:
        """1 if a box overlaps one of those that are chosen too much, else 0."""
        lanes = self.site.machine.lanes(_F32)
        threshold = k.let("overlap", self.site.read(3, 0)) if self.of.has_overlap else Const(0.0, _F32)
        flags = k.alloc("flags", _F32, (lanes,))
        for lane in k.vectors(lanes, lanes, "flags_clear"):
            k.store(flags, (lane,), 0.0)
        vectors_max = -(-self.of.taken_max // lanes)
        for at in k.loop("chosen_vector", minimum((count + (lanes - 1)) // lanes, vectors_max)):
            for lane in k.vector("chosen_lane", lanes):
                where = k.let("chosen", at * lanes + lane)
                too_much = both(
                    compare("lt", where, count), self._is_too_much(k, place, own, where, threshold)
                )
                k.store(flags, (lane,), select(too_much, Const(1.0, _F32), load(flags, lane)))
        return k.let("overlaps", self._joined(k, "flags", flags, maximum))

    def _is_too_much(self, k: Builder, place: Expr, own: _Box, where: Expr, threshold: Expr) -> Expr:
        parts = (load(self.boxes, place, part, where) for part in range(len(_Box._fields)))
        other = _Box(*(k.let(f"its_{name}", part) for name, part in zip(_Box._fields, parts, strict=True)))
        high, wide, union = other.overlap(own)
        positive = [compare("gt", number, 0.0) for number in (high, wide, own.area, other.area, union)]
        return both(*positive, compare("gt", high * wide / union, threshold))

    def _write(self, k: Builder) -> None:
        """Puts what was chosen of all classes into a row."""
        of, site = self.of, self.site
        count = k.alloc("count", DType.INT64, (1,))
        k.store(count, (0,), 0)
        for image, kind in k.nest(("image", "kind"), of.rows):
            row = k.let("row_of_all", image * of.rows[1] + kind)
            for at in k.loop("kept", load(self.counts, row)):
                place = k.let("place", load(count, 0))
                parts = enumerate((image, kind, load(self.taken, row, at)))
                stores = (store for part, value in parts for store in site.write(0, (place, part), value))
                k.emit((If(compare("lt", place, of.places_max), tuple(stores)),))
                k.store(count, (0,), place + 1)
        k.emit(site.write(1, (0,), load(count, 0)))


def _rounded(number: int, unit: int) -> int:
    """The next multiple."""
    return -(-number // unit) * unit
