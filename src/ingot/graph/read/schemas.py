"""What ONNX says about its operators as a whole, for lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx

Operator = tuple[str, str]  # its domain and name


def first_versions() -> dict[Operator, int]:
    """In which version ONNX first had each of its operators."""
    first: dict[Operator, int] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        key = (schema.domain, schema.name)
        first[key] = min(schema.since_version, first.get(key, schema.since_version))
    return first


def defined_operators() -> frozenset[Operator]:
    """Those that ONNX defines by others, so that `inline_operator_functions` can put these in their place."""
    schemas: Sequence[Any] = onnx.defs.get_all_schemas()  # onnx does not declare all that a schema has
    return frozenset(
        (schema.domain, schema.name)
        for schema in schemas
        if not schema.deprecated and (schema.has_function or schema.has_context_dependent_function)
    )
