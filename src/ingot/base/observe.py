"""The one observer that stands between any two steps of a build: dumps, times and progress."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class ModelWarning(UserWarning):
    """A model says something of itself that does not hold, and is built all the same (`ingot.build(strict=True)` refuses it)."""


_OF_LISTENER = "ingot_of_listener"  # the attribute of an exception that says so


@contextmanager
def _listening() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        setattr(error, _OF_LISTENER, True)
        raise


def is_of_listener(error: BaseException) -> bool:
    """Whether a caller's listener raised it, to end the build for instance: then it is no fault of the build's."""
    return getattr(error, _OF_LISTENER, False)


@dataclass(slots=True)
class Observer:
    """What a build tells to whoever watches. The default one watches nothing but the times.

    A graph pass is the stage `passes: NAME`, a part of the stage `passes`, and after each change it dumps `NAME.onnx`: both come
    as often as the pass runs.

    `on_dump(name, content)` gets the text or bytes of a stage (`content()` makes it, and is only called if there is a listener);
    `on_progress(stage, done, total)` is called as work goes on; `on_note(sentence)` gets what the caller should know though the
    build goes on: without a listener it is a Python warning.
    """

    on_dump: Callable[[str, str | bytes], None] | None = None
    on_progress: Callable[[str, int, int], None] | None = None
    on_note: Callable[[str], None] | None = None
    times: list[tuple[str, float]] = field(default_factory=list)  # stage, seconds

    @property
    def wants_stages(self) -> bool:
        """Whether somebody looks at dumps: then every stage has to be made."""
        return self.on_dump is not None or type(self).dump is not Observer.dump

    def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
        if self.on_dump is not None:
            text = content()
            with _listening():
                self.on_dump(name, text)

    def progress(self, stage: str, done: int, total: int) -> None:
        if self.on_progress is not None:
            with _listening():
                self.on_progress(stage, done, total)

    def note(self, sentence: str, kind: type[Warning] = UserWarning) -> None:
        """Tells a sentence; `kind` is that of the warning where nobody listens."""
        if self.on_note is not None:
            with _listening():
                self.on_note(sentence)
        else:
            with _listening():  # filters may make an error of a warning
                warnings.warn(sentence, kind, stacklevel=2)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Measures a stage and says that it began."""
        self.progress(stage, 0, 0)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.times.append((stage, time.perf_counter() - start))
