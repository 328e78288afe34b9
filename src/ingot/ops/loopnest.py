"""Moved to `ingot.loops.nest`; this name goes when nobody uses it any more."""

from ingot.loops.nest import *  # noqa: F403
