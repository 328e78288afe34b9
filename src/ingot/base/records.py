"""`Frozen`: makes frozen dataclasses that cost little to define, for the nouns of every process that loads a library.

`@dataclass(frozen=True, slots=True)` writes and compiles eight functions for each class, two thirds of a millisecond: half of
what importing the run side took, and the module `dataclasses` itself is as much again. Here the functions are shared and ask for
the class's fields, and the class is made once, not a second time for its slots, which would take as long as all the rest. An
`__init__` is written and compiled only for a class that gets many instances: that takes as long as forty instances by the shared
one. What `dataclasses` wants to know of a class is made when it asks. How all that is made which few processes need is in
`records_reflection`.
"""

import operator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MANY = 40  # instances, from which on a class has an `__init__` of its own
_set = object.__setattr__


@dataclass_transform(frozen_default=True)
class Frozen(type):
    """Makes a frozen dataclass with slots: `dataclasses.fields`, `replace` and `asdict` work, and `__post_init__` is called.

    Methods that the class writes itself stay as they are. Instances are equal iff their classes and all their fields are.
    What is made is an ordinary class, whose own metaclass is `type`.
    *Does not handle:* defaults made by a factory, class variables, and fields of base classes.
    """

    def __new__(mcs, word: str, bases: tuple[type, ...], written: dict[str, Any]) -> Any:
        annotations = written.get("__annotations__")
        if (
            annotations is None and "__annotate_func__" in written
        ):  # Python 3.14 has a function that makes them
            annotations = written["__annotate_func__"](1)
        fields: tuple[str, ...] = tuple(annotations or ())
        defaults = {name: written.pop(name) for name in fields if name in written}
        written.setdefault("__repr__", _repr)
        written.setdefault("__setattr__", _refuse)
        written.setdefault("__delattr__", _refuse)
        written.setdefault("__reduce__", _reduce)
        written.setdefault("__replace__", _replace)
        written |= {
            "__slots__": fields,
            "__match_args__": fields,
            "__dataclass_fields__": _FIELDS,
            "_field_defaults": defaults,
        }
        if "__init__" not in written:
            written["__init__"] = _first_init(fields, defaults, "__post_init__" in written)
            written["__signature__"] = _SIGNATURE
        if "__eq__" not in written:
            get = operator.attrgetter(*fields) if fields else _nothing
            written |= {"__eq__": _eq(get), "__hash__": _hash(get)}
        return type(word, bases, written)


class Shown:
    """What `dataclasses` or `help` look at: made when they look, by the function `make` of `records_reflection`."""

    def __init__(self, make: str) -> None:
        self.make = make

    def __get__(self, _: object, cls: type[Any]) -> object:
        return getattr(import_module("ingot.base.records_reflection"), self.make)(cls)


_FIELDS, _SIGNATURE = Shown("fields"), Shown("signature")


def _first_init(
    fields: tuple[str, ...], defaults: "Mapping[str, object]", post: bool
) -> "Callable[..., None]":
    left, names = _MANY, frozenset(fields)

    def __init__(self: Any, *args: object, **named: object) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        if left >= 0 and len(args) == len(fields) and not named:
            for name, value in zip(fields, args, strict=True):
                _set(self, name, value)
            if post:
                self.__post_init__()
            return
        values = {**defaults, **dict(zip(fields, args, strict=False)), **named}
        if (
            left < 0
            or values.keys() != names
            or len(args) > len(fields)
            or not named.keys().isdisjoint(fields[: len(args)])
        ):
            # The class that this is of, and not one below it, whose `__init__` may do more; another thread may have been here.
            cls: Any = next(
                (each for each in type(self).__mro__ if vars(each).get("__init__") is __init__), type(self)
            )
            init = import_module("ingot.base.records_reflection").written_init(
                cls.__qualname__, fields, defaults, post
            )
            if vars(cls).get("__init__") is __init__:
                cls.__init__ = init
            init(self, *args, **named)  # which also knows what to say of wrong arguments
            return
        for name, value in values.items():
            _set(self, name, value)
        if post:
            self.__post_init__()

    return __init__


def _eq(get: "Callable[[Any], Any]") -> "Callable[[Any, object], bool]":
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(get: "Callable[[Any], Any]") -> "Callable[[Any], int]":
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(get(self))

    return __hash__


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[type[Any], tuple[object, ...]]:
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


def _replace(self: Any, /, **changes: object) -> Any:
    """What `copy.replace` calls."""
    return type(self)(**{name: getattr(self, name) for name in self.__match_args__} | changes)


def _nothing(_: object) -> tuple[()]:
    return ()


def _refuse(self: object, name: str, *_: object) -> NoReturn:
    error: type[Exception] = import_module("dataclasses").FrozenInstanceError
    raise error(f"cannot change field {name!r} of a {type(self).__name__}")
