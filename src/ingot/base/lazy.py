"""`Late`: a module that is imported when a name of it is first used.

A process that answers once spends most of its time in imports, so what the first answer does without is imported late. Who uses
such a module names it twice, for the type checker and for Python:

    if TYPE_CHECKING:
        from ingot.runtime import profile
    else:
        profile = Late("ingot.runtime.profile")

A late import obeys the borders of rooms as any other does, and closes no circle; tests read its name.
"""

from importlib import import_module


class Late:
    """Stands for the module of that name, for those who take functions and classes from it. A name that was used is kept."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        value: object = getattr(import_module(self._module), name)
        setattr(self, name, value)
        return value
