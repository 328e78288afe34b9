"""Of boxes that overlap, those with the highest scores: for each class of each image one after another.

The candidates of a class are put side by side. Then the one with the highest score is taken, and all that overlap it too much are
struck out, which takes one walk over the candidates for each box that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.true_places import COUNT
from ingot.kernels.template import Counting, Folded, Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import loop_by_ranges, places
from ingot.loops.nodes import Buffer, Const, Expr, If, Stmt, both, compare, load, maximum, minimum, select

_F32 = DType.FLOAT32
_LOWEST = Const(-math.inf, _F32)


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
    """Candidates of the class at hand are kept in a part of their own for each thread, what is chosen for each class."""

    site: Site
    of: Suppression
    scores: Buffer = field(init=False)
    boxes: Buffer = field(init=False)
    numbers: Buffer = field(init=False)
    taken: Buffer = field(init=False)
    counts: Buffer = field(init=False)

    def statements(self) -> Sequence[Stmt]:
        of, site = self.of, self.site
        images, classes = of.rows
        if not of.taken_max or not of.count or not images * classes:
            return site.write(1, (0,), Const(0, DType.INT64))
        parts = places(images * classes, site.machine)
        self.scores = site.workspace("candidate_scores", _F32, (parts, of.count))
        self.boxes = site.workspace("candidate_boxes", _F32, (parts, len(_Box._fields), of.count))
        self.numbers = site.workspace("candidate_numbers", DType.INT64, (parts, of.count))
        self.taken = site.workspace("taken", DType.INT64, (images * classes, of.taken_max))
        self.counts = site.workspace("counts", DType.INT64, (images * classes,))
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
        candidates = self._gather(k, place, row)
        best = k.alloc("best", DType.INT64, (1,))
        highest = k.alloc("highest", _F32, (1,))
        taken = k.alloc("taken_count", DType.INT64, (1,))
        k.store(taken, (0,), 0)
        self._begin(k, highest, best)
        for at in k.loop("candidate", candidates):
            self._note(k, load(self.scores, place, at), at, highest, best)
        limit = maximum(minimum(self.site.read(2, 0), self.of.taken_max), 0)
        for _ in k.loop("step", minimum(limit, candidates)):
            with k.when(compare("gt", load(highest, 0), _LOWEST)):
                chosen = k.let("chosen", load(best, 0))
                k.store(self.taken, (row, load(taken, 0)), load(self.numbers, place, chosen))
                k.store(taken, (0,), load(taken, 0) + 1)
                self._strike(k, place, chosen, candidates, highest, best)
        k.store(self.counts, (row,), load(taken, 0))

    def _gather(self, k: Builder, place: Expr, row: Expr) -> Expr:
        """Puts the candidates of a class side by side; gives their number."""
        of, site = self.of, self.site
        image, kind = row // of.rows[1], row % of.rows[1]
        threshold = site.read(3 + of.has_overlap, 0) if of.has_threshold else _LOWEST
        count = k.alloc("candidates", DType.INT64, (1,))
        k.store(count, (0,), 0)
        for number in k.loop("box", of.count):
            score = k.let("score", site.read(1, image, kind, number))
            with k.when(both(compare("gt", score, threshold), compare("gt", score, _LOWEST))):
                at = k.let("at", load(count, 0))
                k.store(self.scores, (place, at), score)
                k.store(self.numbers, (place, at), number)
                for part, value in enumerate(self._corners(k, image, number)):
                    k.store(self.boxes, (place, part, at), value)
                k.store(count, (0,), at + 1)
        return k.let("candidate_count", load(count, 0))

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
        return _Box(top, left, bottom, right, (right - left) * (bottom - top))

    def _box(self, k: Builder, place: Expr, at: Expr, prefix: str) -> _Box:
        parts = (load(self.boxes, place, part, at) for part in range(len(_Box._fields)))
        return _Box(
            *(k.let(f"{prefix}_{name}", part) for name, part in zip(_Box._fields, parts, strict=True))
        )

    def _begin(self, k: Builder, highest: Buffer, best: Buffer) -> None:
        k.store(highest, (0,), _LOWEST)
        k.store(best, (0,), 0)

    def _note(self, k: Builder, score: Expr, at: Expr, highest: Buffer, best: Buffer) -> None:
        """Keeps the first of the highest scores."""
        is_higher = k.let("is_higher", compare("gt", score, load(highest, 0)))
        k.store(best, (0,), select(is_higher, at, load(best, 0)))
        k.store(highest, (0,), select(is_higher, score, load(highest, 0)))

    def _strike(
        self, k: Builder, place: Expr, chosen: Expr, candidates: Expr, highest: Buffer, best: Buffer
    ) -> None:
        """Strikes out the chosen one and all that overlap it too much, and finds the highest of those that are left."""
        own = self._box(k, place, chosen, "own")
        threshold: Expr = self.site.read(3, 0) if self.of.has_overlap else Const(0.0, _F32)
        k.store(self.scores, (place, chosen), _LOWEST)
        self._begin(k, highest, best)
        for at in k.loop("other", candidates):
            other = self._box(k, place, at, "its")
            high, wide, union = own.overlap(other)
            positive = [compare("gt", number, 0.0) for number in (high, wide, own.area, other.area, union)]
            too_much = both(*positive, compare("gt", high * wide / union, threshold))
            score = k.let("left", select(too_much, _LOWEST, load(self.scores, place, at)))
            k.store(self.scores, (place, at), score)
            self._note(k, score, at, highest, best)

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
