"""What programs ask of the module itself: its version, its device, its logger."""

import logging
from collections.abc import Sequence

CPU = "CPUExecutionProvider"
# The version of onnxruntime whose interface this is: programs compare it.
__version__ = "1.20.0"

# onnxruntime's severities, from verbose to fatal, as levels of Python's `logging`.
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_settings: dict[str, int] = {}


def get_version_string() -> str:
    """The version of onnxruntime whose interface this is."""
    return __version__


def get_build_info() -> str:
    """Who answers in onnxruntime's place."""
    return "ingot.compat.onnxruntime"


def get_device() -> str:
    """`CPU`: the host's part of a library runs there."""
    return "CPU"


def get_available_providers() -> list[str]:
    """The one provider there is."""
    return [CPU]


def get_all_providers() -> list[str]:
    """The one provider there is."""
    return [CPU]


def providers_of(
    providers: Sequence[object] | None, options: Sequence[dict[str, object]] | None
) -> list[str]:
    """The names of providers that a program asks for, each of which may come with options.

    Raises:
        ValueError: no sequence of names or of pairs of a name and options.
    """
    if providers is None:
        return [CPU]
    if isinstance(providers, str) or not isinstance(providers, Sequence):
        raise ValueError("'providers' should be a sequence.")
    if options is not None and len(options) != len(providers):
        raise ValueError("'providers' and 'provider_options' should be the same length if both are given.")
    names = [provider[0] if isinstance(provider, tuple) else provider for provider in providers]
    for name in names:
        if not isinstance(name, str):
            raise ValueError("'providers' values must be either strings or (string, dict) tuples.")
    return [str(name) for name in names]


def set_default_logger_severity(level: int) -> None:
    """Sets the level of the logger `ingot.compat.onnxruntime`, which says what is built and why.

    Raises:
        ValueError: no number from 0, verbose, to 4, fatal.
    """
    if level not in range(len(_LEVELS)):
        raise ValueError(f"Invalid logging severity. {level}")
    logging.getLogger("ingot.compat.onnxruntime").setLevel(_LEVELS[level])


def set_default_logger_verbosity(level: int) -> None:
    """Takes the verbosity; see `set_default_logger_severity`."""
    _settings["verbosity"] = level


def set_seed(seed: int) -> None:
    """Takes a seed. Random operators of a library have those of the model."""
    _settings["seed"] = seed


def disable_telemetry_events() -> None:
    """Does nothing: ingot sends none."""


def enable_telemetry_events() -> None:
    """Does nothing: ingot sends none."""


def preload_dlls(*_: object, **__: object) -> None:
    """Does nothing: a library needs none."""
