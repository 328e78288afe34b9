"""What a GGUF file says of a decoder of Llama's kind: its sizes, and its matrices as its layers need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from block_formats import Matrix, matrix_of, merged
from gguf_file import GgufFile

import ingot

# Of "llama" the file has the rows of q and k as rotations of neighbours need them; of the others as rotations of halves do.
ARCHITECTURES = {"llama": True, "qwen2": False, "qwen3": False}


@dataclass(frozen=True, slots=True)
class Decoder:
    """Sizes, and the file that has the weights."""

    file: GgufFile
    layers: int
    hidden: int
    heads: int
    groups: int  # heads of keys and values
    head_size: int
    vocabulary: int
    context: int  # tokens that it was trained for
    epsilon: float
    base: float  # of the angles
    has_neighbours: bool

    def vector(self, name: str) -> np.ndarray:
        """A vector of the file in float32."""
        return np.asarray(self.tensor(name)).reshape(-1)

    def tensor(self, name: str) -> Matrix:
        """A matrix or vector of the file.

        Raises:
            ingot.ModelError: the file has none of that name.
        """
        tensor = self.file.tensors.get(name)
        if tensor is None:
            raise ingot.ModelError(f"the GGUF file has no tensor {name!r}", name=name)
        return matrix_of(tensor)

    def has(self, name: str) -> bool:
        """Whether the file has a tensor."""
        return name in self.file.tensors

    def queries_keys_values(self, layer: int) -> Sequence[Matrix]:
        """The matrices of q, k and v; one below another as one matrix where their formats allow it. Halves of a head rotate."""
        matrices = [self.tensor(f"blk.{layer}.attn_{role}.weight") for role in "qkv"]
        for at, heads in enumerate((self.heads, self.groups)):
            matrices[at] = self._by_halves(matrices[at], heads)
        whole = merged(matrices)
        return matrices if whole is None else [whole]

    def biases(self, layer: int) -> np.ndarray | None:
        """The biases of q, k and v as one vector, or None."""
        if not self.has(f"blk.{layer}.attn_q.bias"):
            return None
        q, k, v = (self.vector(f"blk.{layer}.attn_{role}.bias") for role in "qkv")
        return np.concatenate([q[self._order(self.heads)], k[self._order(self.groups)], v])

    def gate_and_up(self, layer: int) -> Sequence[Matrix]:
        """The first matrices of the feed-forward part, as one where their formats allow it."""
        matrices = [self.tensor(f"blk.{layer}.ffn_{role}.weight") for role in ("gate", "up")]
        whole = merged(matrices)
        return matrices if whole is None else [whole]

    def angles(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Cosines and sines of the angles of `count` places, float32 `[count, head_size / 2]`."""
        powers = np.arange(0, self.head_size, 2, dtype=np.float64) / self.head_size
        frequencies = self.base**-powers
        if self.has("rope_freqs.weight"):
            frequencies /= self.vector("rope_freqs.weight").astype(np.float64)
        angles = np.arange(count, dtype=np.float64)[:, None] * frequencies
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _by_halves(self, matrix: Matrix, heads: int) -> Matrix:
        order = self._order(heads)
        rows = len(matrix if isinstance(matrix, np.ndarray) else matrix.integers)
        if rows != len(order):
            raise ingot.ModelError(
                f"a matrix of {heads} heads of {self.head_size} elements has {rows} rows, expected {len(order)}"
            )
        return matrix[order] if isinstance(matrix, np.ndarray) else matrix.rows(order)

    def _order(self, heads: int) -> np.ndarray:
        """The rows of a matrix of `heads` heads so that halves of a head rotate."""
        rows = np.arange(heads * self.head_size)
        if not self.has_neighbours:
            return rows
        return rows.reshape(heads, self.head_size // 2, 2).swapaxes(1, 2).reshape(-1)


def read_decoder(file: GgufFile) -> Decoder:
    """What the file says.

    Raises:
        ingot.ModelError: a fact is missing, or the file is damaged.
        ingot.UnsupportedError: another architecture, or something of one that is not handled.
    """
    architecture = file.facts.get("general.architecture")
    if architecture not in ARCHITECTURES:
        raise ingot.UnsupportedError(
            f"architecture {architecture!r} is not handled, only {', '.join(ARCHITECTURES)}",
            architecture=architecture,
        )
    hidden, heads = file.fact("embedding_length"), file.fact("attention.head_count")
    head_size = file.fact("attention.key_length", hidden // heads)
    embedding = file.tensors.get("token_embd.weight")
    if embedding is None:
        raise ingot.ModelError("the GGUF file has no tensor 'token_embd.weight'", name="token_embd.weight")
    _require_plain(file, head_size)
    return Decoder(
        file=file,
        layers=file.fact("block_count"),
        hidden=hidden,
        heads=heads,
        groups=file.fact("attention.head_count_kv", heads),
        head_size=head_size,
        vocabulary=embedding.shape[0],
        context=file.fact("context_length"),
        epsilon=file.fact("attention.layer_norm_rms_epsilon"),
        base=file.fact("rope.freq_base", 10000.0),
        has_neighbours=ARCHITECTURES[architecture],
    )


def _require_plain(file: GgufFile, head_size: int) -> None:
    """Refuses what would change the numbers if it were left out."""
    scaling = file.fact("rope.scaling.type", "none")
    rotated = file.fact("rope.dimension_count", head_size)
    others = [name for name in ("expert_count", "attention.sliding_window") if file.fact(name, 0)]
    if scaling not in ("none", ""):
        others.append(f"rope.scaling.type = {scaling}")
    if rotated != head_size:
        others.append(f"rope.dimension_count = {rotated} of {head_size}")
    if file.fact("attention.value_length", head_size) != head_size:
        others.append("attention.value_length, which is not key_length")
    if others:
        raise ingot.UnsupportedError(
            f"the GGUF file has what is not handled: {', '.join(others)}", what=tuple(others)
        )
