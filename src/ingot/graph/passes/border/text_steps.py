"""Which step of the border a node on text or on an image file becomes, by operator.

*Source:* the operators of ai.onnx and ai.onnx.ml. What moves elements is written for text only as far as exporters need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx_ir as ir

from ingot.border.data import elements_of
from ingot.border.images import PIXEL_FORMATS
from ingot.border.normalize import CASES
from ingot.border.numerals import READ
from ingot.border.program import NUMBERS, TEXT, Elements
from ingot.border.tokens import LETTER
from ingot.graph.read.classical import ML_DOMAIN
from ingot.graph.read.types import IMAGE_DECODER, domain_of, is_image_decoder, static_shape, to_dtype, to_text
from ingot.graph.rewrite.look import constant_of
from ingot.graph.rewrite.writer import DOMAIN, StaysError, attribute_of, number_of

# Of nodes that only a border has: Pad, of numbers of words, and Count, of n-grams.
BORDER_DOMAIN = "ingot.border"


class Meant(NamedTuple):
    """A step: its word and attributes, which inputs of the node it reads, and how many values it makes."""

    op: str
    attributes: dict[str, Any]
    reads: tuple[int, ...] = (0,)
    makes: int = 1


Convert = Callable[[ir.Node], Meant]


def step_of(node: ir.Node) -> Meant:
    """The step that a node on text becomes.

    Raises:
        StaysError: there is none; the text says why.
    """
    convert = _CONVERT.get((domain_of(node.domain), node.op_type))
    if convert is None:
        raise StaysError("it reads or makes text, and ingot has no step at the border of a model for it")
    return convert(node)


# ─── what nodes say ────────────────────────────────────────────────────────────────────────────────────────────────


def _text(node: ir.Node, name: str, default: str) -> str:
    attribute = attribute_of(node, name, ir.AttributeType.STRING)
    return default if attribute is None else attribute.as_string()


def _known(node: ir.Node, position: int, role: str) -> tuple[int, ...] | None:
    value = node.inputs[position] if position < len(node.inputs) else None
    if value is None or not value.name:
        return None
    array = constant_of(value)
    if array is None:
        raise StaysError(f"its {role} {value.name!r} is only known while running")
    return tuple(int(number) for number in array.reshape(-1))


def _shape_made(node: ir.Node) -> tuple[int, ...]:
    shape = static_shape(node.outputs[0])
    if shape is None:
        raise StaysError("the shape of its result is not known while building")
    return shape


def _extents_made(node: ir.Node) -> tuple[int, ...]:
    """The shape of the result, with -1 for one extent that depends on the content of text."""
    shape = node.outputs[0].shape
    if shape is None or sum(not isinstance(extent, int) for extent in shape) > 1:
        raise StaysError("the shape of its result is not known while building")
    return tuple(extent if isinstance(extent, int) else -1 for extent in shape)


def _list(node: ir.Node, role: str) -> Elements | None:
    """Keys, values or a default, from the attribute that has them; None if none has."""
    lists = []
    for suffix, kind, word in (
        ("strings", ir.AttributeType.STRINGS, TEXT),
        ("int64s", ir.AttributeType.INTS, "int64"),
        ("floats", ir.AttributeType.FLOATS, "float32"),
    ):
        attribute = attribute_of(node, f"{role}_{suffix}", kind)
        if attribute is not None and len(attribute.value):
            lists.append(_elements(list(attribute.value), word))
    attribute = attribute_of(node, f"{role}_tensor", ir.AttributeType.TENSOR)
    if attribute is not None:
        lists.append(elements_of_tensor(attribute.as_tensor()))
    if len(lists) > 1:
        raise StaysError(f"its {role} are in {len(lists)} attributes, expected one")
    return lists[0] if lists else None


def _elements(values: list[Any], word: str) -> Elements:
    if word == TEXT:
        return Elements(TEXT, (len(values),), tuple(map(str, values)))
    return elements_of(np.array(values, word))


def elements_of_tensor(tensor: ir.TensorProtocol) -> Elements:
    """A constant of the model as one of a step.

    Raises:
        StaysError: an element type that steps do not have.
    """
    if tensor.dtype == ir.DataType.STRING:
        array = to_text(tensor)
        return Elements(TEXT, array.shape, tuple(array.reshape(-1).tolist()))
    dtype = to_dtype(tensor.dtype)
    if dtype is None or dtype.value not in NUMBERS:
        raise StaysError(
            f"it has a constant of the element type {tensor.dtype.name.lower()}, expected text or numbers"
        )
    return elements_of(tensor.numpy())


# ─── encoders ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _table(keys: Elements, values: Elements, default: Any) -> Meant:
    if len(keys.values) != len(values.values):
        raise StaysError(
            f"it has {len(keys.values)} keys and {len(values.values)} values, expected equally many"
        )
    fallback = default if isinstance(default, Elements) else Elements(values.dtype, (), (default,))
    if fallback.dtype != values.dtype or len(fallback.values) != 1:
        raise StaysError(
            f"its default is {fallback.dtype}{list(fallback.shape)}, expected one element of {values.dtype}"
        )
    flat = [Elements(elements.dtype, (len(elements.values),), elements.values) for elements in (keys, values)]
    return Meant(
        "table", {"keys": flat[0], "values": flat[1], "default": Elements(values.dtype, (), fallback.values)}
    )


def _label_encoder(node: ir.Node) -> Meant:
    classes = attribute_of(node, "classes_strings", ir.AttributeType.STRINGS)
    if classes is not None:  # version 1: the numbers are places in a list
        return _by_places(node, _elements(list(classes.value), TEXT))
    keys, values = _list(node, "keys"), _list(node, "values")
    if keys is None or values is None:
        raise StaysError("it has no keys or no values")
    default: Any = _list(node, "default")
    if default is None and values.dtype == TEXT:
        default = _text(node, "default_string", "_Unused")
    elif default is None and values.dtype.startswith("float"):
        attribute = attribute_of(node, "default_float", ir.AttributeType.FLOAT)
        default = -0.0 if attribute is None else attribute.as_float()
    elif default is None:
        default = number_of(node, "default_int64", -1)
    return _table(keys, values, default)


def _by_places(node: ir.Node, texts: Elements) -> Meant:
    places = elements_of(np.arange(len(texts.values)))
    return _either_direction(node, texts, places)


def _either_direction(node: ir.Node, texts: Elements, numbers: Elements) -> Meant:
    source = node.inputs[0]
    if source is not None and source.dtype == ir.DataType.STRING:
        return _table(texts, numbers, number_of(node, "default_int64", -1))
    return _table(numbers, texts, _text(node, "default_string", "_Unused"))


def _category_mapper(node: ir.Node) -> Meant:
    texts = attribute_of(node, "cats_strings", ir.AttributeType.STRINGS)
    numbers = attribute_of(node, "cats_int64s", ir.AttributeType.INTS)
    if texts is None or numbers is None or len(texts.value) != len(numbers.value):
        raise StaysError("expected cats_strings and cats_int64s, equally many")
    return _either_direction(
        node, _elements(list(texts.value), TEXT), _elements(list(numbers.value), "int64")
    )


# ─── text ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _string_split(node: ir.Node) -> Meant:
    return Meant(
        "split",
        {"delimiter": _text(node, "delimiter", ""), "maxsplit": number_of(node, "maxsplit", -1)},
        makes=2,
    )


def _string_normalizer(node: ir.Node) -> Meant:
    case = _text(node, "case_change_action", CASES[0])
    if case not in CASES:
        raise StaysError(f"case_change_action={case!r} is not known: expected {', '.join(CASES)}")
    words = _texts(node, "stopwords")
    sensitive = bool(number_of(node, "is_case_sensitive", 0))
    return Meant("normalize", {"case": case, "is_case_sensitive": sensitive, "stopwords": words})


def _texts(node: ir.Node, name: str) -> tuple[str, ...]:
    attribute = attribute_of(node, name, ir.AttributeType.STRINGS)
    return () if attribute is None else tuple(map(str, attribute.value))


def _numbers(node: ir.Node, name: str) -> tuple[int, ...]:
    attribute = attribute_of(node, name, ir.AttributeType.INTS)
    return () if attribute is None else tuple(attribute.as_ints())


def _tokenizer(node: ir.Node) -> Meant:
    separators, pattern = _texts(node, "separators"), _text(node, "tokenexp", "")
    if separators == ("",):  # onnxruntime's other word for single letters
        separators, pattern = (), LETTER
    marks = {"is_marked": bool(number_of(node, "mark", 0)), "padding": _text(node, "pad_value", "")}
    shortest = number_of(node, "mincharnum", 1)
    return Meant(
        "tokenize", {"separators": separators, "pattern": pattern, "least_letters": shortest, **marks}
    )


def _count(node: ir.Node) -> Meant:
    given = {name: _numbers(node, name) for name in ("starts", "columns", "lengths")}
    return Meant("count", {**given, "words": _texts(node, "words"), "skips": number_of(node, "skips", 0)})


def _regex_full_match(node: ir.Node) -> Meant:
    return Meant("match", {"pattern": _text(node, "pattern", "")})


def _cast(node: ir.Node) -> Meant:
    source = node.inputs[0]
    given, to = None if source is None else source.dtype, ir.DataType(number_of(node, "to", 0))
    if given == to:
        return Meant("same", {})
    if given == ir.DataType.STRING:
        dtype = to_dtype(to)
        if dtype is None or dtype.value not in READ:
            raise StaysError(f"text is not read as {to.name.lower()}; expected one of {', '.join(READ)}")
        return Meant("read", {"dtype": dtype.value})
    dtype = to_dtype(given)
    if dtype is None or dtype.value not in NUMBERS:
        raise StaysError(f"{'nothing' if given is None else given.name.lower()} is not written as text")
    return Meant("write", {"dtype": dtype.value})


# ─── images ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _image_decoder(node: ir.Node) -> Meant:
    pixel_format = _text(node, "pixel_format", PIXEL_FORMATS[0])
    if pixel_format not in PIXEL_FORMATS:
        raise StaysError(f"pixel_format={pixel_format!r} is not known: expected {', '.join(PIXEL_FORMATS)}")
    return Meant("decode", {"pixel_format": pixel_format})


# ─── moving elements ───────────────────────────────────────────────────────────────────────────────────────────────


def _reshape(node: ir.Node) -> Meant:
    return Meant("reshape", {"shape": _extents_made(node)})


def _transpose(node: ir.Node) -> Meant:
    source, permutation = node.inputs[0], attribute_of(node, "perm", ir.AttributeType.INTS)
    rank = 0 if source is None or source.shape is None else len(source.shape)
    return Meant(
        "transpose", {"perm": tuple(permutation.as_ints() if permutation else reversed(range(rank)))}
    )


def _concat(node: ir.Node) -> Meant:
    return Meant("concat", {"axis": number_of(node, "axis", 0)}, tuple(range(len(node.inputs))))


def _slice(node: ir.Node) -> Meant:
    starts, ends = _known(node, 1, "starts"), _known(node, 2, "ends")
    if starts is None or ends is None:
        raise StaysError("its starts or ends are missing")
    axes = _known(node, 3, "axes") or tuple(range(len(starts)))
    steps = _known(node, 4, "steps") or (1,) * len(starts)
    limit = 1 << 32  # as far as that is to the end
    cut = [tuple(max(-limit, min(limit, place)) for place in some) for some in (starts, ends)]
    return Meant("slice", {"starts": cut[0], "ends": cut[1], "axes": axes, "steps": steps})


_CONVERT: Mapping[tuple[str, str], Convert] = {
    ("", "Cast"): _cast,
    ("", "Concat"): _concat,
    ("", "Equal"): lambda _: Meant("equal", {}, (0, 1)),
    ("", "Expand"): lambda node: Meant("expand", {"shape": _shape_made(node)}),
    ("", "Flatten"): _reshape,
    ("", "Gather"): lambda node: Meant("take", {"axis": number_of(node, "axis", 0)}, (0, 1)),
    ("", IMAGE_DECODER): _image_decoder,
    ("", "Identity"): lambda _: Meant("same", {}),
    ("", "RegexFullMatch"): _regex_full_match,
    ("", "Reshape"): _reshape,
    ("", "Slice"): _slice,
    ("", "Squeeze"): _reshape,
    ("", "StringConcat"): lambda _: Meant("join", {}, (0, 1)),
    ("", "StringNormalizer"): _string_normalizer,
    ("", "StringSplit"): _string_split,
    ("", "Transpose"): _transpose,
    ("", "Unsqueeze"): _reshape,
    ("", "Where"): lambda _: Meant("where", {}, (0, 1, 2)),
    (DOMAIN, "Tokenizer"): _tokenizer,
    (ML_DOMAIN, "CategoryMapper"): _category_mapper,
    (ML_DOMAIN, "LabelEncoder"): _label_encoder,
    (BORDER_DOMAIN, "Count"): _count,
    (BORDER_DOMAIN, "Pad"): lambda node: Meant(
        "pad", {name: number_of(node, name, 0) for name in ("size", "filler")}
    ),
}
# Operators, by domain and name, that only a border has: of others it has what reads or makes text.
AT_BORDER = frozenset(
    {
        *(
            ("", name)
            for name in (IMAGE_DECODER, "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit")
        ),
        (DOMAIN, "Tokenizer"),
        (ML_DOMAIN, "CategoryMapper"),
    }
)


def is_step(node: ir.Node) -> bool:
    """Whether the border must do a node: one that reads or makes text, decodes an image file, or that only a border has."""
    return node.domain == BORDER_DOMAIN or is_image_decoder(node) or texts_of((*node.inputs, *node.outputs))


def texts_of(values: Sequence[ir.Value | None]) -> bool:
    """Whether one of the values is text."""
    return any(value is not None and value.dtype == ir.DataType.STRING for value in values)
