"""`@frozen`: frozen dataclasses that cost little to define, for the nouns that every process needs which loads a library.

`@dataclass(frozen=True, slots=True)` writes and compiles eight functions for each class, two thirds of a millisecond: half
of what importing the run side took. Here only `__init__` is written for the class; the others are shared and ask for its fields.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import Any, NoReturn, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type[Any])


@dataclass_transform(frozen_default=True)
def frozen(cls: Class) -> Class:
    """Makes a frozen dataclass with slots: `dataclasses.fields`, `replace` and `asdict` work, and `__post_init__` is called.

    Methods that the class writes itself stay as they are. Instances are equal iff their classes and all their fields are.
    *Does not handle:* defaults made by a factory, and fields of base classes.
    """
    written = vars(cls)
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = made.__dataclass_fields__
    if "__init__" not in written:
        made.__init__ = _init(fields, "__post_init__" in written)
    get = operator.attrgetter(*fields)
    shared: dict[str, Any] = {"__repr__": _repr, "__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce}
    if "__eq__" not in written:
        shared["__eq__"], shared["__hash__"] = _eq(made, get), _hash(get)
    for name, function in shared.items():
        if name not in written:
            setattr(made, name, function)
    return made  # type: ignore[no-any-return]


def _init(fields: dict[str, Any], post: bool) -> Callable[..., None]:
    defaults = {f"_default_{name}": field.default for name, field in fields.items() if field.default is not MISSING}
    parameters = ", ".join(f"{name}=_default_{name}" if f"_default_{name}" in defaults else name for name in fields)
    body = "; ".join(f"_set(self, {name!r}, {name})" for name in fields)
    scope: dict[str, Any] = {"_set": object.__setattr__, **defaults}
    exec(f"def __init__(self, {parameters}): {body}{'; self.__post_init__()' if post else ''}", scope)
    return scope["__init__"]  # type: ignore[no-any-return]


def _eq(cls: type[Any], get: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return get(self) == get(other) if other.__class__ is cls else NotImplemented

    return __eq__


def _hash(get: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(get(self))

    return __hash__


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[type[Any], tuple[object, ...]]:
    return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)


def _refuse(self: object, name: str, *_: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r} of a {type(self).__name__}")
