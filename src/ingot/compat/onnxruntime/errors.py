"""Exceptions with the names that onnxruntime's have, so that `except InvalidArgument` still catches. All are `ingot.IngotError`.

Where onnxruntime raises a `ValueError`, `TypeError` or `RuntimeError` of Python's, these are both.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ingot.base.errors import (
    ArtifactError,
    DeviceError,
    IngotError,
    InputError,
    InternalError,
    ModelError,
    UnsupportedError,
)


class Fail(IngotError):
    """What has no better name: a library that cannot be loaded, an input that is `None`."""


class InvalidArgument(InputError):
    """An input or output that the model does not have, or an array of another type or shape."""


class NoSuchFile(IngotError):
    """There is no file at the path."""


class NotFound(IngotError):
    """Never raised; programs name it."""


class NoModel(IngotError):
    """Never raised; programs name it."""


class EngineError(InternalError):
    """Never raised; programs name it."""


class RuntimeException(InternalError):
    """Something failed while running."""


class InvalidProtobuf(ModelError):
    """The bytes are no ONNX model."""


class ModelLoaded(IngotError):
    """Never raised; programs name it."""


class NotImplemented(UnsupportedError):
    """The model has a part that ingot cannot compile. `facts["nodes"]` lists every one."""


class InvalidGraph(ModelError):
    """The model contradicts itself, or does not fit the shapes that came."""


class EPFail(DeviceError):
    """A device failed."""


class MissingInputError(InputError, ValueError):
    """An input of the model is not in the feed."""


class ArgumentTypeError(InputError, TypeError):
    """An argument of the wrong kind."""


class BindingError(InputError, RuntimeError):
    """A value that cannot be an input, or that does not fit where it is bound."""


_NAMES: tuple[tuple[type[IngotError], type[IngotError]], ...] = (
    (InputError, InvalidArgument),
    (UnsupportedError, NotImplemented),
    (ModelError, InvalidGraph),
    (DeviceError, EPFail),
    (ArtifactError, InvalidProtobuf),
    (InternalError, RuntimeException),
)
_OWN = (
    Fail,
    InvalidArgument,
    NoSuchFile,
    RuntimeException,
    InvalidProtobuf,
    NotImplemented,
    InvalidGraph,
    EPFail,
    MissingInputError,
    ArgumentTypeError,
    BindingError,
)


@contextmanager
def renamed() -> Iterator[None]:
    """Errors of ingot get the names that onnxruntime has for them; messages and facts stay."""
    try:
        yield
    except _OWN:
        raise
    except IngotError as error:
        name = next((name for kind, name in _NAMES if isinstance(error, kind)), Fail)
        raise name(error.message, **error.facts) from error
