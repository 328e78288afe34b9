"""Where things lie in the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
MODELS = TESTS / "models"
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
