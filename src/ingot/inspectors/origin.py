"""Where a model comes from, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from ingot.artifact.model_info import ModelInfo, Origin

_VALUE_MAX = 100  # letters of a text; `--json` has all


def origin_lines(info: ModelInfo) -> Iterator[str]:
    """The digests of the files that a model was built from, and what the model said of itself; nothing if that is not known."""
    words = {"model": "ONNX file", "external_data": "files beside it"}
    for name, digest in info.digests:
        yield f"built from {words.get(name, name)}: {digest}"
    if info.origin is not None:
        yield f"the model says of itself: {', '.join(_facts(info.origin))}"
        for text in (info.origin.doc_string, info.origin.graph_doc_string):
            if text:
                yield f"  {_short(text)}"
        yield from (f"  {_short(key)} = {_short(value)}" for key, value in info.origin.metadata)
        if info.origin.left_out:
            yield f"  left out, too many or too long: {info.origin.left_out} opsets or entries"


def _facts(origin: Origin) -> Iterator[str]:
    if origin.producer_name or origin.producer_version:
        yield f"made by {' '.join(filter(None, (_short(origin.producer_name), _short(origin.producer_version))))}"
    if origin.domain:
        yield f"domain {_short(origin.domain)}"
    if origin.model_version:
        yield f"version {origin.model_version}"
    yield f"IR version {origin.ir_version}"
    yield from (f"opset {version} of {_short(domain) or 'ai.onnx'}" for domain, version in origin.opsets)


def _short(text: str) -> str:
    """The first line of a text, cut."""
    line = text.strip().partition("\n")[0]
    return text if line == text and len(line) <= _VALUE_MAX else f"{line[:_VALUE_MAX]}…"
