"""A decoder of Llama's kind in NumPy, written from its definition: rows of q and k as a GGUF file has them, no cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.support.tiny_gguf import FORMATS, GROUPS, HEAD, HEADS, LAYERS, decoder_tensors


def halves(data: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(data).view("<f2").astype(np.float64)


def weights(kind: str, data: bytes, shape: tuple[int, ...]) -> np.ndarray:
    """The real numbers of a tensor, element by element as ggml's reference functions have them."""
    if kind in ("F32", "F16"):
        return np.frombuffer(data, "<f4" if kind == "F32" else "<f2").astype(np.float64).reshape(shape)
    _, elements, block_bytes, _ = FORMATS[kind]
    blocks = np.frombuffer(data, np.uint8).reshape(-1, block_bytes)
    numbers = np.zeros((len(blocks), elements))
    for at in range(elements):
        numbers[:, at] = _ELEMENT[kind](blocks, at)
    return numbers.reshape(shape)


def _nibble(byte: np.ndarray, is_high: bool) -> np.ndarray:
    return (byte >> 4 if is_high else byte & 15).astype(np.float64)


def _q4_0(data: np.ndarray, at: int) -> np.ndarray:
    return halves(data[:, :2])[:, 0] * (_nibble(data[:, 2 + at % 16], at >= 16) - 8)


def _q4_1(data: np.ndarray, at: int) -> np.ndarray:
    scale, offset = halves(data[:, :4]).T
    return scale * _nibble(data[:, 4 + at % 16], at >= 16) + offset


def _q8_0(data: np.ndarray, at: int) -> np.ndarray:
    return halves(data[:, :2])[:, 0] * data[:, 2 + at].astype(np.int8)


def _q4_k(data: np.ndarray, at: int) -> np.ndarray:
    block, scales = at // 32, data[:, 4:16].astype(int)
    if block < 4:
        factor, minimum = scales[:, block] & 63, scales[:, block + 4] & 63
    else:
        factor = scales[:, block + 4] & 15 | (scales[:, block - 4] >> 6) << 4
        minimum = scales[:, block + 4] >> 4 | (scales[:, block] >> 6) << 4
    scale, offset = halves(data[:, :4]).T
    return scale * factor * _nibble(data[:, 16 + at // 64 * 32 + at % 32], at % 64 >= 32) - offset * minimum


def _q6_k(data: np.ndarray, at: int) -> np.ndarray:
    half, quarter, lane = at // 128, at % 128 // 32, at % 32
    low = data[:, 64 * half + lane + 32 * (quarter % 2)]
    high = data[:, 128 + 32 * half + lane] >> 2 * quarter & 3
    integer = _nibble(low, quarter >= 2) + 16.0 * high - 32
    return halves(data[:, 208:])[:, 0] * data[:, 192 + at // 16].astype(np.int8) * integer


_ELEMENT = {"Q4_0": _q4_0, "Q4_1": _q4_1, "Q8_0": _q8_0, "Q4_K": _q4_k, "Q6_K": _q6_k}


def tensors_of(raw: bytes, architecture: str, kinds: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The tensors of a file that `write_gguf` wrote, from the end, where the last one ends but for its padding."""
    sizes, at = [], 0
    for name, (kind, shape, _) in decoder_tensors(architecture, kinds).items():
        _, elements, block_bytes, _ = FORMATS[kind]
        length = int(np.prod(shape)) // elements * block_bytes
        sizes.append((name, kind, shape, at, length))
        at += length + -length % 32
    body = raw[len(raw) - at :]
    return {name: weights(kind, body[at : at + size], shape) for name, kind, shape, at, size in sizes}


def logits_after(tensors: Mapping[str, np.ndarray], ids: Sequence[int], architecture: str) -> np.ndarray:
    """The logits after the last of `ids`, float64."""
    x = tensors["token_embd.weight"][ids]
    for layer in range(LAYERS):
        own = {name.removeprefix(f"blk.{layer}."): array for name, array in tensors.items()}
        x = x + _attention(own, normalised(x, own["attn_norm.weight"]), architecture)
        inner = normalised(x, own["ffn_norm.weight"])
        gate = inner @ own["ffn_gate.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * (inner @ own["ffn_up.weight"].T)) @ own["ffn_down.weight"].T
    return normalised(x[-1], tensors["output_norm.weight"]) @ tensors["token_embd.weight"].T


def normalised(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def _attention(own: Mapping[str, np.ndarray], x: np.ndarray, architecture: str) -> np.ndarray:
    heads = {}
    for role, count in (("q", HEADS), ("k", GROUPS), ("v", GROUPS)):
        y = x @ own[f"attn_{role}.weight"].T + own.get(f"attn_{role}.bias", 0.0)
        y = y.reshape(len(x), count, HEAD)
        if f"attn_{role}_norm.weight" in own:
            y = normalised(y, own[f"attn_{role}_norm.weight"])
        heads[role] = y if role == "v" else rotated(y, is_by_neighbours=architecture == "llama")
    results = np.zeros((len(x), HEADS, HEAD))
    for head in range(HEADS):
        group = head * GROUPS // HEADS
        scores = heads["q"][:, head] @ heads["k"][:, group].T / HEAD**0.5
        scores[np.triu_indices(len(x), 1)] = -np.inf
        parts = np.exp(scores - scores.max(-1, keepdims=True))
        results[:, head] = parts / parts.sum(-1, keepdims=True) @ heads["v"][:, group]
    return results.reshape(len(x), -1) @ own["attn_output.weight"].T


def rotated(x: np.ndarray, is_by_neighbours: bool) -> np.ndarray:
    """`[S, heads, HEAD]` with element pairs as complex numbers, each multiplied by e^(i · place · frequency)."""
    angles = np.arange(len(x))[:, None, None] * 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD)
    first, second = (
        (x[..., ::2], x[..., 1::2]) if is_by_neighbours else (x[..., : HEAD // 2], x[..., HEAD // 2 :])
    )
    numbers = (first + 1j * second) * np.exp(1j * angles)
    axis = -1 if is_by_neighbours else -2
    return np.stack([numbers.real, numbers.imag], axis).reshape(x.shape)
