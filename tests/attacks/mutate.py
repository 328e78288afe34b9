"""Changes to inputs that keep most of their structure: to bytes, to JSON, to protobuf messages. All chance comes from `rng`."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

POWERS = (31, 32, 40, 48, 62)
NUMBERS = (
    0,
    1,
    2,
    3,
    7,
    8,
    63,
    64,
    65,
    255,
    1024,
    65536,
    (1 << 31) - 1,
    *(1 << power for power in POWERS),
    (1 << 63) - 1,
)
TEXTS = ("", "../x", "\n", "é", "a" * 5000)
WORDS = (
    None,
    True,
    False,
    -1,
    0,
    1,
    1 << 31,
    1 << 40,
    1 << 63,
    1 << 70,
    1.5,
    1e308,
    *TEXTS,
    [],
    [[]],
    {},
    {"a": 1},
)


def changed_bytes(rng: random.Random, content: bytes) -> bytes:
    """The bytes with one to four changes: bits, numbers of 1 to 8 bytes, parts cut, repeated or put elsewhere."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, size = rng.randrange(len(made) + 1), rng.choice((1, 1, 2, 4, 8, 16, 64))
        match rng.randrange(6):
            case 0 | 1 if at < len(made):
                made[at] ^= 1 << rng.randrange(8)
            case 2:
                made[at : at + 8] = (rng.choice(NUMBERS) * rng.choice((1, 1, -1)) % (1 << 64)).to_bytes(
                    8, "little"
                )
            case 3:
                del made[at : at + size]
            case 4:
                made[at:at] = made[at : at + size]
            case _:
                made[at : at + size] = rng.randbytes(size)
    return bytes(made)


# ─── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def changed_json(rng: random.Random, content: bytes) -> bytes:
    """JSON with one to three values replaced, removed, repeated or exchanged; now and then its bytes are changed."""
    if rng.randrange(8) == 0:
        return changed_bytes(rng, content)
    data = json.loads(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_places(data))
        if not places:
            break
        holder, key = rng.choice(places)
        other, other_key = rng.choice(places)
        match rng.randrange(5):
            case 0 | 1:
                holder[key] = copy.deepcopy(rng.choice(WORDS))
            case 2:
                holder[key] = copy.deepcopy(other[other_key])
            case 3:
                del holder[key]
            case _ if isinstance(holder, list):
                holder.extend(copy.deepcopy(holder[key : key + 1]) * rng.choice((1, 1, 40)))
            case _:
                holder[rng.choice(("", "x", f"{key}x"))] = copy.deepcopy(other[other_key])
    return json.dumps(data).encode()


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of nested lists and objects, as what holds it and its key."""
    front = [data]
    while front:
        one = front.pop()
        items = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, value in items:
            yield one, key
            front.append(value)


# ─── protobuf ──────────────────────────────────────────────────────────────────────────────────────────────────────


def changed_model(rng: random.Random, content: bytes) -> bytes:
    """A model with one to four fields of its messages changed; now and then its bytes."""
    if rng.randrange(6) == 0:
        return changed_bytes(rng, content)
    proto = onnx.ModelProto()
    proto.ParseFromString(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        messages = list(_messages(proto))
        holder = rng.choice(messages)
        field = rng.choice(holder.DESCRIPTOR.fields)
        try:
            _change(rng, holder, field, messages)
        except (ValueError, TypeError):  # a value that the field cannot hold
            continue
    made: bytes = proto.SerializeToString()
    return made


def _messages(message: Message) -> Iterator[Message]:
    front = [message]
    while front:
        one = front.pop()
        yield one
        for field, value in one.ListFields():
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                front.extend([value] if isinstance(value, Message) else value)


def _change(rng: random.Random, holder: Message, field: FieldDescriptor, messages: list[Message]) -> None:
    value = getattr(holder, field.name)
    is_message = field.type == FieldDescriptor.TYPE_MESSAGE
    if not field.is_repeated:
        if rng.randrange(4) == 0:
            holder.ClearField(field.name)
        elif is_message:
            value.CopyFrom(
                copy.deepcopy(rng.choice([one for one in messages if type(one) is type(value)] or [value]))
            )
        else:
            setattr(holder, field.name, _scalar(rng, field, value, messages))
        return
    at = rng.randrange(len(value)) if len(value) else 0
    match rng.randrange(4):
        case 0 if len(value):
            del value[at]
        case 1 if len(value):
            value.extend([copy.deepcopy(value[at])] * rng.choice((1, 1, 2, 30)))
        case 2 if len(value) > 1:
            first, second = copy.deepcopy(value[at]), copy.deepcopy(value[0])
            if is_message:
                value[0].CopyFrom(first)
                value[at].CopyFrom(second)
            else:
                value[0], value[at] = first, second
        case _ if is_message:
            same = [one for one in messages if type(one).DESCRIPTOR is field.message_type]
            value.extend([copy.deepcopy(rng.choice(same))] if same else [])  # it may be what holds this field
        case _ if len(value):
            value[at] = _scalar(rng, field, value[at], messages)
        case _:
            value.append(_scalar(rng, field, None, messages))


def _scalar(rng: random.Random, field: FieldDescriptor, value: Any, messages: list[Message]) -> Any:
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.randrange(-1, 30)
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return rng.choice((0.0, -1.0, 0.5, 1e30, float("nan"), float("inf"), rng.normalvariate(0, 10)))
    if field.type == FieldDescriptor.TYPE_BYTES:
        return rng.choice(
            (b"", b"linear", b"SAME_UPPER", b"\xff", rng.randbytes(8), changed_bytes(rng, value or b"x"))
        )
    if field.type == FieldDescriptor.TYPE_STRING:
        if field.name == "op_type" and rng.randrange(2):
            return rng.choice(OP_TYPES)
        names = [
            text for one in messages if isinstance(one, onnx.NodeProto) for text in (*one.input, *one.output)
        ]
        return rng.choice(
            [*names, *(one.name for one in messages if hasattr(one, "name")), "", "axis", "ai.onnx.ml", "\0"]
        )
    number = rng.choice((*NUMBERS, *range(-4, 12))) * rng.choice((1, 1, -1))
    return number if rng.randrange(4) or not isinstance(value, int) else value + rng.choice((-1, 1))


OP_TYPES = sorted({schema.name for schema in onnx.defs.get_all_schemas()})


# ─── smaller inputs ────────────────────────────────────────────────────────────────────────────────────────────────


def smaller(content: bytes, fails: Callable[[bytes], bool], tries: int = 400) -> bytes:
    """The input with all parts left out without which `fails` still says yes, as far as `tries` tell."""
    size = max(1, len(content) // 2)
    while size and tries > 0:
        at = 0
        while at < len(content) and tries > 0:
            tries -= 1
            shorter = content[:at] + content[at + size :]
            if fails(shorter):
                content = shorter
            else:
                at += size
        size //= 2
    return content


def smaller_model(content: bytes, fails: Callable[[bytes], bool], tries: int = 400) -> bytes:
    """As `smaller`, of whole fields of messages."""
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(content)
    except Exception:  # changed by bytes
        return smaller(content, fails, tries)
    done = False
    while not done and tries > 0:
        done = True
        for holder in list(_messages(proto)):
            for field, _ in holder.ListFields():
                tries -= 1
                before = type(holder)()
                before.CopyFrom(holder)
                value = getattr(holder, field.name)
                if field.is_repeated and len(value) > 1:
                    del value[len(value) // 2 :]
                else:
                    holder.ClearField(field.name)
                if tries > 0 and fails(proto.SerializeToString()):
                    done = False
                else:
                    holder.CopyFrom(before)
            if not done:
                break
    made: bytes = proto.SerializeToString()
    return made
