"""What nobody expects of ingot's own code becomes an InternalError, which names the stage and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ingot.base.errors import IngotError, InternalError
from ingot.base.observe import is_of_listener

# What Python's own operations raise where code is wrong, or data are not what the code expects.
PLAIN_FAULTS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


def raise_own(error: BaseException | None) -> None:
    """Raises the error of ingot's own of which a package made another one, if it did: such as of a weight that cannot be read."""
    while error is not None:
        if isinstance(error, IngotError):
            raise error
        error = error.__cause__


@contextmanager
def defects_named(stage: str, *others: type[Exception]) -> Iterator[None]:
    """Raises InternalError for what nobody expects from a `stage` of building a model that was read and checked.

    `others` are faults that only this stage's packages raise.

    Does not handle: MemoryError, what the operating system refuses, and what a listener of the caller's raises.
    """
    faults: tuple[type[Exception], ...] = (*PLAIN_FAULTS, *others, AssertionError)
    try:
        yield
    except faults as error:
        if is_of_listener(error):
            raise
        raise_own(error)
        text = " ".join(str(error).split())
        raise InternalError(
            f"{stage}: {type(error).__name__}: {text[:300]}; this is a defect of ingot's own: report it, with the model",
            stage=stage,
        ) from error
