"""Distributions as `pip` installs them, with entry points, made of a text in a folder of a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest


def write_distribution(
    folder: Path,
    name: str,
    entry_points: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
    version: str = "1.0",
) -> Path:
    """Writes modules, and the metadata of a distribution that has them, into a folder that belongs on `sys.path`."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = (
        f"[{group}]\n" + "".join(f"{offer} = {value}\n" for offer, value in offers.items())
        for group, offers in entry_points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups))
    return folder


class Distributions:
    """Makes distributions that this process finds until the test ends."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        self.modules: list[str] = []

    def add(
        self,
        name: str,
        entry_points: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str],
        version: str = "1.0",
    ) -> Path:
        """Installs one; arguments as of `write_distribution`."""
        folder = write_distribution(self._folder / name, name, entry_points, modules, version)
        self._monkeypatch.syspath_prepend(folder)
        self.modules += modules
        return folder


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    """What a fixture yields: distributions whose modules are forgotten behind the test."""
    distributions = Distributions(folder, monkeypatch)
    monkeypatch.delenv("INGOT_PLUGINS", raising=False)
    yield distributions
    for module in distributions.modules:
        sys.modules.pop(module, None)
