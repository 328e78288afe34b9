"""Artifacts: sets of them, and what describes a model."""

from ingot.artifact.artifact import LOADER_LEVEL as LOADER_LEVEL
from ingot.artifact.artifact import LOADER_METADATA as LOADER_METADATA
from ingot.artifact.artifact import LOADER_NATIVE as LOADER_NATIVE
from ingot.artifact.artifact import LOADER_PARAMS as LOADER_PARAMS
from ingot.artifact.artifact import LOADER_SOURCE as LOADER_SOURCE
from ingot.artifact.artifact import LOADER_TEXT as LOADER_TEXT
from ingot.artifact.artifact import LOADER_VECTORS as LOADER_VECTORS
from ingot.artifact.artifact import Artifact as Artifact
from ingot.artifact.artifact import Content as Content
