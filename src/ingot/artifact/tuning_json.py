"""Tuning files: what was measured, as JSON. Writing is canonical; reading trusts nothing and names the field that is wrong.

{"format": "ingot tuning", "version": 1, "measured": [
{"target": "llvm -mcpu=…", "cpu": "…", "kernels": [
{"problem": "<64 hexadecimal digits>", "template": "conv", "kernel": "conv_relu_stem", "choices": {"tile": "14x2"},
"usual": {"tile": "28x1"}, "time_ns": 52000, "usual_ns": 61000}]}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ingot.artifact.artifact import LABEL_FORM, LOADER_TEXT, Artifact, Content, is_digest, is_label
from ingot.artifact.json_read import Checks, read_json
from ingot.artifact.tuning import Measurements, TunedKernel, Tuning
from ingot.base.errors import ArtifactError

FORMAT, VERSION = "ingot tuning", 1
SUFFIX = ".tuning.json"
"""Behind a model's symbol: the file name of the artifact with what was measured for it."""

_NS_MAX = 1 << 53
MAX_BYTES = 64 << 20
_KERNEL_KEYS = frozenset({"problem", "template", "kernel", "choices", "usual", "time_ns", "usual_ns"})


def tuning_to_json(tuning: Tuning) -> bytes:
    """The content of a tuning file, for people to read too: one kernel a line. Equal tunings give equal bytes.

    Raises:
        ArtifactError: `tuning` is not one that `tuning_from_json` would take.
    """
    data = _data(tuning)
    _Reader("tuning").tuning(data, "measured")  # what is written can be read
    groups = []
    for group in data:
        kernels = ",\n".join("  " + json.dumps(kernel, sort_keys=True) for kernel in group["kernels"])
        head = f' "target": {json.dumps(group["target"])},\n "cpu": {json.dumps(group["cpu"])}'
        groups.append(f'{{\n{head},\n "kernels": [\n{kernels}\n ]\n}}')
    heading = f'"format": {json.dumps(FORMAT)},\n"version": {VERSION}'
    return f'{{\n{heading},\n"measured": [{", ".join(groups)}]\n}}\n'.encode("ascii")


def tuning_from_json(content: Content, subject: str = "tuning file") -> Tuning:
    """Reads untrusted bytes.

    Raises:
        ArtifactError: not JSON, not of the schema, of a newer version, or two answers for one kernel; `facts["field"]` is the
        path of the field.
    """
    return _Reader(subject).file(content)


def stored_tuning(artifacts: Iterable[Artifact]) -> Tuning | None:
    """What was measured for the models among these artifacts, as one tuning; None if none was tuned.

    Raises:
        ArtifactError: what is stored is damaged.
    """
    by_content: dict[str, Measurements] = {}
    files: dict[bytes, str] = {}  # each content once: thousands of members may be one place of a file
    for artifact in artifacts:
        if artifact.loader == LOADER_TEXT and artifact.file_name.endswith(SUFFIX):
            files.setdefault(bytes(artifact.content), artifact.file_name)
    for content, file_name in files.items():
        for group in tuning_from_json(content, file_name):
            before = by_content.get(group.target, replace(group, kernels=()))
            known = {kernel.problem: kernel for kernel in (*group.kernels, *before.kernels)}
            by_content[group.target] = replace(before, kernels=tuple(known.values()))
    return tuple(by_content.values()) if files else None


def _data(tuning: Tuning) -> list[dict[str, Any]]:
    """In canonical order."""
    return [
        {
            "target": group.target,
            "cpu": group.cpu,
            "kernels": [
                {
                    "problem": kernel.problem,
                    "template": kernel.template,
                    "kernel": kernel.kernel,
                    "choices": dict(kernel.choices),
                    "usual": dict(kernel.usual),
                    "time_ns": kernel.time_ns,
                    "usual_ns": kernel.usual_ns,
                }
                for kernel in sorted(group.kernels, key=lambda kernel: kernel.problem)
            ],
        }
        for group in sorted(tuning, key=lambda group: (group.target, group.cpu))
    ]


def _is_problem(text: str) -> bool:
    return is_digest(f"sha256:{text}")


_FORMS: dict[Callable[[str], bool], str] = {is_label: LABEL_FORM, _is_problem: "64 hexadecimal digits"}


class _Reader(Checks):
    """Makes a tuning of the data of JSON."""

    def __init__(self, subject: str) -> None:
        super().__init__(subject, _FORMS)

    def file(self, content: Content) -> Tuning:
        if len(content) > MAX_BYTES:
            self.wrong("", f"has {len(content)} bytes, more than the limit of {MAX_BYTES}")
        try:
            data = read_json(content)
        except (ValueError, RecursionError) as error:
            raise ArtifactError(
                f"{self.subject} is not the JSON that ingot writes: {error}", field=""
            ) from error
        if type(data) is not dict or data.get("format") != FORMAT:
            self.wrong("format", f"must be {FORMAT!r}: this is no tuning file")
        self.version(data, "version", VERSION)
        self.object(data, "", frozenset({"format", "version", "measured"}))
        self.integer(data["version"], "version", 1, VERSION)
        return self.tuning(data["measured"], "measured")

    def tuning(self, value: Any, field: str) -> Tuning:
        groups = []
        for at, item in enumerate(self.array(value, field)):
            where = f"{field}[{at}]"
            data = self.object(item, where, frozenset({"target", "cpu", "kernels"}))
            kernels = tuple(
                self.kernel(kernel, f"{where}.kernels[{number}]")
                for number, kernel in enumerate(self.array(data["kernels"], f"{where}.kernels"))
            )
            if len({kernel.problem for kernel in kernels}) != len(kernels):
                self.wrong(f"{where}.kernels", "has two answers for one problem")
            target, cpu = self.text(data["target"], f"{where}.target"), self.text(data["cpu"], f"{where}.cpu")
            groups.append(Measurements(target, cpu, kernels))
        if len({group.target for group in groups}) != len(groups):
            self.wrong(field, "has the same target twice")
        return tuple(groups)

    def kernel(self, value: Any, field: str) -> TunedKernel:
        data = self.object(value, field, _KERNEL_KEYS)
        return TunedKernel(
            self.text(data["problem"], f"{field}.problem", _is_problem),
            self.text(data["template"], f"{field}.template", is_label),
            self.text(data["kernel"], f"{field}.kernel"),
            self.words(data["choices"], f"{field}.choices"),
            self.words(data["usual"], f"{field}.usual"),
            self.integer(data["time_ns"], f"{field}.time_ns", 0, _NS_MAX),
            self.integer(data["usual_ns"], f"{field}.usual_ns", 0, _NS_MAX),
        )

    def words(self, value: Any, field: str) -> tuple[tuple[str, str], ...]:
        pairs = self.any_object(value, field).items()
        checked = (
            (self.text(name, field, is_label), self.text(word, f"{field}.{name[:64]}", is_label))
            for name, word in pairs
        )
        return tuple(sorted(checked))
