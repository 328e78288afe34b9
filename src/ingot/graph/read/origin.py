"""Where a model comes from: what its ONNX file says of itself, bounded, and the digests of the files that were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
import onnx_ir as ir

from ingot.artifact.model_info import Origin
from ingot.graph.read.types import domain_of

TEXT_MAX = 1024  # letters of a name, a version or a doc_string; longer ones are cut
PAIRS_MAX = 256  # opsets, and entries of metadata_props
METADATA_BYTES_MAX = 1 << 16  # of all keys and values in UTF-8
# What a model that was read keeps of this, in the memory of its object: no file has it.
_ORIGIN, _DIGESTS = "ingot.origin", "ingot.digests"

Digests = tuple[tuple[str, str], ...]


def origin_of(proto: onnx.ModelProto) -> Origin:
    """What a model says of itself; every text of it is known to be UTF-8.

    Of a domain that is imported twice, and of a key that is there twice, the last one counts.
    """
    opsets = {domain_of(entry.domain): entry.version for entry in proto.opset_import}
    metadata = {entry.key: entry.value for entry in proto.metadata_props}
    kept_opsets = dict(sorted(item for item in opsets.items() if len(item[0]) <= TEXT_MAX)[:PAIRS_MAX])
    kept = _bounded(metadata)
    return Origin(
        proto.ir_version,
        tuple(kept_opsets.items()),
        _cut(proto.producer_name),
        _cut(proto.producer_version),
        _cut(proto.domain),
        proto.model_version,
        _cut(proto.doc_string),
        _cut(proto.graph.doc_string),
        tuple(sorted(kept)),
        len(opsets) - len(kept_opsets) + len(metadata) - len(kept),
    )


def note_origin(model: ir.Model, origin: Origin, digests: Mapping[str, str]) -> None:
    """Keeps what is known of a model's origin with the model."""
    model.meta[_ORIGIN], model.meta[_DIGESTS] = origin, tuple(sorted(digests.items()))


def noted_origin(model: ir.Model) -> tuple[Origin | None, Digests]:
    """What `note_origin` kept."""
    return model.meta.get(_ORIGIN), model.meta.get(_DIGESTS, ())


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


def _bounded(metadata: Mapping[str, str]) -> list[tuple[str, str]]:
    """The entries in the order of the file, without those for which no room is left: none is cut."""
    kept: list[tuple[str, str]] = []
    room = METADATA_BYTES_MAX
    for key, value in metadata.items():
        size = _utf8_bytes((key, value))
        if size <= room and len(kept) < PAIRS_MAX:
            kept.append((key, value))
            room -= size
    return kept


def _utf8_bytes(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) for text in texts)
