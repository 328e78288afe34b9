"""What `Frozen` classes need in few processes: a written `__init__`, and what `dataclasses` and `inspect` ask of them."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_set = object.__setattr__


def written_init(
    owner: str, fields: tuple[str, ...], defaults: Mapping[str, object], post: bool
) -> Callable[..., None]:
    """The `__init__` of a class that gets many instances: four times as quick as the shared one."""
    parameters = ", ".join(f"{name}=_default_{name}" if name in defaults else name for name in fields)
    body = (
        "; ".join([f"_set(self, {name!r}, {name})" for name in fields] + ["self.__post_init__()"] * post)
        or "pass"
    )
    scope: dict[str, Any] = {"_set": _set, **{f"_default_{name}": value for name, value in defaults.items()}}
    exec(f"def __init__(self, {parameters}): {body}", scope)
    init = scope["__init__"]
    init.__qualname__ = f"{owner}.__init__"  # it stands in the message about an argument that is missing
    return init  # type: ignore[no-any-return]


def fields(cls: type[Any]) -> object:
    """`__dataclass_fields__`: made by the functions of `dataclasses` themselves, once for a class and those below it."""
    owner: Any = next(each for each in cls.__mro__ if "__dataclass_fields__" in vars(each))
    written = {
        "__annotations__": owner.__annotations__,
        "__module__": owner.__module__,
        **owner._field_defaults,
    }
    reflected = import_module("dataclasses").dataclass(type(owner.__name__, (), written)).__dataclass_fields__
    owner.__dataclass_fields__ = reflected  # the next one need not ask
    return reflected


def signature(cls: type[Any]) -> object:
    """`__signature__` of a class whose `__init__` was not written yet: its fields."""
    owner = next(each for each in cls.__mro__ if "__init__" in vars(each))
    if "__signature__" not in vars(owner):
        return None  # one below it has an `__init__` of its own, which tells
    inspect, dataclasses = import_module("inspect"), import_module("dataclasses")
    return inspect.Signature(
        [
            inspect.Parameter(
                field.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
                annotation=field.type,
            )
            for field in dataclasses.fields(cls)
        ]
    )
