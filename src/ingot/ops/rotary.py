"""Rotary embeddings: pairs of elements rotated by angles that depend on the position of a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.loops.nodes import Expr
from ingot.ops.moves.concat import concat
from ingot.ops.moves.gather_scatter import position_in
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

Read = Callable[..., Expr]
Pair = Callable[[Read, tuple[Expr, ...]], tuple[Expr, Expr]]


def _rotary(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """RotaryEmbedding 23: pairs are halves of the rotated part of a head, or neighbours; the rest of a head stays."""
    given = call_.input(0)
    heads = int(call_.attr("num_heads", 0))
    if given.rank == 3 and (heads < 1 or given.shape[2] % heads):
        call_.unsupported(f"{given.shape[2]} hidden elements do not divide into {heads} heads")
    if given.rank not in (3, 4):
        call_.unsupported(f"input 0 has the shape {list(given.shape)}, expected 3 or 4 dimensions")
    # Tokens are dimension 1 of `[B, S, heads, D]`, dimension 2 of `[B, heads, S, D]`.
    x = emit.reshape(given, (*given.shape[:2], heads, given.shape[2] // heads)) if given.rank == 3 else given
    token = 1 if given.rank == 3 else 2
    size = int(call_.attr("rotary_embedding_dim", 0)) or x.shape[3]
    if size % 2 or not 0 <= size <= x.shape[3]:
        call_.unsupported(f"{size} of {x.shape[3]} elements of a head cannot be rotated in pairs")
    half = size // 2
    cosines, sines = (
        _of_tokens(call_, emit, position, (x.shape[0], x.shape[token], half)) for position in (1, 2)
    )
    neighbours = bool(call_.attr("interleaved", 0))

    def part(real: bool) -> Tensor:
        def rotated(at: tuple[Expr, ...], read: Read, read_cosine: Read, read_sine: Read) -> Expr:
            *where, pair = at
            first, second = (pair * 2, pair * 2 + 1) if neighbours else (pair, pair + half)
            angle = (at[0], at[token], pair)
            left, right = read(*where, first), read(*where, second)
            if real:
                return read_cosine(*angle) * left - read_sine(*angle) * right
            return read_sine(*angle) * left + read_cosine(*angle) * right

        output = TensorType(x.dtype, (*x.shape[:3], half))
        return emit.pointwise([x, cosines, sines], output, rotated, "real" if real else "imaginary")

    pieces = [part(True), part(False)]
    if neighbours:
        pairs = concat(emit, [emit.reshape(piece, (*piece.shape, 1)) for piece in pieces], 4)
        pieces = [emit.reshape(pairs, (*x.shape[:3], size))]
    if size < x.shape[3]:
        rest = TensorType(x.dtype, (*x.shape[:3], x.shape[3] - size))
        pieces.append(emit.pointwise([x], rest, lambda at, read: read(*at[:3], at[3] + size), "rest"))
    return (emit.reshape(concat(emit, pieces, 3), given.shape),)


def _of_tokens(call_: OpCall, emit: Emitter, position: int, shape: tuple[int, ...]) -> Tensor:
    """Cosines or sines `[B, S, half]` of the angles by which each token is rotated, taken from a table if positions are given."""
    table, places = call_.input(position), call_.optional(3)
    if places is None:
        if table.shape != shape:
            call_.unsupported(f"input {position} has the shape {list(table.shape)}, expected {list(shape)}")
        return table
    call_.require_shape(3, "position_ids", shape[:2])
    if table.rank != 2 or table.shape[1] != shape[2]:
        call_.unsupported(
            f"input {position} has the shape {list(table.shape)}, expected [positions, {shape[2]}]"
        )
    if table.shape[0] == 0 < places.type.size:
        call_.unsupported(
            f"input {position} has the shape {list(table.shape)}: no position to turn tokens by"
        )
    place = position_in(call_, places, table.shape[0])
    return emit.pointwise(
        [table, places],
        TensorType(table.dtype, shape),
        lambda at, read, read_place: read(place(read_place(at[0], at[1])), at[2]),
        "gather",
    )


OPERATORS: tuple[OpDef, ...] = (OpDef("", "RotaryEmbedding", 23, _rotary),)
