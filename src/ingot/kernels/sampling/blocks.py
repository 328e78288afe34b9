"""Sampling of images at places that are data: pixels of a tile of places and their weights are found once, for all channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Independent, Site, Template
from ingot.loops.build.nest import contiguous_axis, loop, parallel_tiles, vector_blocks, vectors_of
from ingot.loops.nodes import (
    LOCAL_BYTES_MAX,
    Alloc,
    Buffer,
    Const,
    Expr,
    Let,
    Stmt,
    Var,
    buffer,
    cast,
    load,
    select,
    store,
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A pixel of a sample: its place in the flat image, surely inside; when it counts, if not always; its weight, if not 1."""

    place: Expr
    counts: Expr | None
    weight: Expr | None


# The pixels of a sample of an image, by the image and the number of the sample, and how to read a number of the grid.
Spots = Callable[[Expr, Expr, Callable[..., Expr]], Sequence[Spot]]


def sample_tiles(
    x: TensorType, grid: TensorType, spots: Spots, spec: dict[str, object], computed: DType
) -> Template:
    """A Template for the samples `[N, C, P]` of flat images `x [N, C, pixels]` at places `grid [N, P, rank]`."""
    samples = grid.shape[1]
    output = TensorType(x.dtype, (*x.shape[:2], samples))

    def build(site: Site) -> Sequence[Stmt]:
        lanes = site.machine.lanes(computed)
        probe = spots(Var("image"), Var("sample"), lambda *_: Var("number", computed))
        room = LOCAL_BYTES_MAX // 2 // (len(probe) * (DType.INT64.size_bytes + computed.size_bytes + 1))
        # One item of a grid makes one sample of all channels.
        maximum = lanes * site.machine.tuning.sampling.vectors
        max_samples = 1 if site.machine.grid else max(1, min(maximum, room // lanes * lanes, samples))
        along_channels = contiguous_axis(site.input(0).strides, x.shape) == 1

        def tile(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            places = buffer("places", DType.INT64, (len(probe), size))
            counts, weights = (
                buffer("counts", DType.BOOL, (len(probe), size)),
                buffer("weights", computed, (len(probe), size)),
            )

            def find(lane: Expr) -> Sequence[Stmt]:
                stmts: list[Stmt] = []
                for number, spot in enumerate(spots(where[0], start + lane, lambda *at: site.read(1, *at))):
                    stmts.append(store(places, (number, lane), spot.place))
                    stmts += _stored(counts, (number, lane), spot.counts)
                    stmts += _stored(weights, (number, lane), spot.weight)
                return stmts

            def sample(channel: Expr, lane: Expr, at: Callable[[int], Expr]) -> Sequence[Stmt]:
                stmts: list[Stmt] = []
                total: Expr | None = None
                for number, spot in enumerate(probe):
                    # Named, so that it is read in any case: that it lies inside is sure.
                    pixel = Var(f"pixel{number}", computed)
                    stmts.append(Let(pixel, cast(site.read(0, where[0], channel, at(number)), computed)))
                    value: Expr = pixel
                    if spot.counts is not None:
                        value = select(load(counts, number, lane), value, Const(0, computed))
                    if spot.weight is not None:
                        value = value * load(weights, number, lane)
                    total = value if total is None else total + value
                assert total is not None
                return (*stmts, *site.write(0, (where[0], channel, start + lane), cast(total, x.dtype)))

            def channel_of_all(channel: Expr) -> Sequence[Stmt]:
                return vectors_of(
                    size, lanes, lambda lane: sample(channel, lane, lambda number: load(places, number, lane))
                )

            def sample_of_all(lane: Expr) -> Sequence[Stmt]:
                at = [Var(f"place{number}") for number in range(len(probe))]
                named = [Let(var, load(places, number, lane)) for number, var in enumerate(at)]
                channels = vector_blocks(
                    "c", x.shape[1], lanes, lambda channel: sample(channel, lane, lambda number: at[number])
                )
                return (*named, *channels)

            used = [places]
            used += [counts] if any(spot.counts is not None for spot in probe) else []
            used += [weights] if any(spot.weight is not None for spot in probe) else []
            located = (*(Alloc(temporary) for temporary in used), *vectors_of(size, lanes, find))
            if along_channels:
                return (*located, *loop("at", size, sample_of_all))
            return (*located, *loop("c", x.shape[1], channel_of_all))

        rest = samples % max_samples
        return parallel_tiles(
            "tile", [x.shape[0]], samples, (max_samples, rest) if rest else (max_samples,), tile
        )

    independent = (Independent((0, 0), (0,)),)
    return Template("grid_sample", (x, grid), (output,), build, spec, independent=independent)


def _stored(where: Buffer, at: tuple[Expr | int, ...], value: Expr | None) -> list[Stmt]:
    return [] if value is None else [store(where, at, value)]
