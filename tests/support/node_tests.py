"""ONNX's own backend node tests: made once, kept on disk, since making 1,884 of them takes many seconds."""

from __future__ import annotations

import functools
import os
import pickle
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from ingot.ops.opdef import OpDef


@dataclass(frozen=True)
class NodeTest:
    """One test: a model, its inputs and its expected outputs (arrays, or lists and None for types that are no tensors)."""

    name: str
    model: onnx.ModelProto
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    @property
    def op_types(self) -> frozenset[str]:
        return frozenset(node.op_type for node in self.model.graph.node)


def node_test_names() -> list[str]:
    """The names of all node tests, sorted."""
    return sorted(_rows())


def load_node_tests(names: Iterable[str] | None = None) -> list[NodeTest]:
    """The node tests of these names, or all, sorted by name."""
    rows = _rows()
    found = []
    for name in sorted(rows if names is None else names):
        model, inputs, outputs = pickle.loads(rows[name])
        found.append(NodeTest(name, onnx.load_model_from_string(model), inputs, outputs))
    return found


@functools.cache
def _rows() -> dict[str, bytes]:
    """Every test as a pickle of its own, since who wants a few should not wait for all."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(home) / "ingot-tests" / f"node-tests-{onnx.__version__}-{np.__version__}.pickle"
    if cache.exists():
        return dict(pickle.loads(cache.read_bytes()))
    rows = {name: pickle.dumps(row) for name, *row in _make()}
    cache.parent.mkdir(parents=True, exist_ok=True)
    aside = cache.with_suffix(f".{os.getpid()}")
    aside.write_bytes(pickle.dumps(rows))
    aside.replace(cache)
    return rows


def _make() -> list[tuple[str, bytes, tuple[Any, ...], tuple[Any, ...]]]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.loader import load_model_tests

        cases = load_model_tests(kind="node")
    rows = []
    for case in sorted(cases, key=lambda one: one.name):
        inputs, outputs = case.data_sets[0]
        rows.append(
            (
                case.name,
                case.model.SerializeToString(),
                tuple(map(_plain, inputs)),
                tuple(map(_plain, outputs)),
            )
        )
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


def bound_inputs(test: NodeTest, operators: tuple[OpDef, ...]) -> dict[str, np.ndarray]:
    """The inputs of a test that its operators need to know while building, by name."""
    opset = {one.domain: one.version for one in test.model.opset_import}
    given = dict(zip((one.name for one in test.model.graph.input), test.inputs, strict=False))
    bound: dict[str, np.ndarray] = {}
    for node in test.model.graph.node:
        fitting = [
            one
            for one in operators
            if (one.domain, one.name) == (node.domain, node.op_type)
            and one.since_version <= opset.get(node.domain, 1)
        ]
        if not fitting:
            continue
        for position in max(fitting, key=lambda one: one.since_version).constant_inputs:
            name = node.input[position] if position < len(node.input) else ""
            if name in given and isinstance(given[name], np.ndarray):
                bound[name] = given[name]
    return bound


_BERNOULLIS = [
    f"test_bernoulli{kind}{form}" for kind in ("", "_double", "_seed") for form in ("", "_expanded")
]
_DROPOUTS = [f"test_training_dropout{kind}{mask}" for kind in ("", "_default") for mask in ("", "_mask")]


def _is_dropped(got: np.ndarray, x: np.ndarray, ratio: np.ndarray, _mode: np.ndarray) -> bool:
    """Whether elements are zero or larger by `1 / (1 - ratio)`, as many as a binomial distribution has; or a mask of so many."""
    kept = got if got.dtype == bool else got != 0
    right = got.dtype == bool or np.allclose(got[kept], x[kept] / (1 - ratio), rtol=1e-5)
    return bool(right and abs(kept.mean() - (1 - ratio)) < 5 * np.sqrt(ratio * (1 - ratio) / x.size))


# float32 results agree to rtol 1e-4, atol 1e-5. Where that is not the right measure: the reason, rtol, atol.
TOLERANCES: dict[str, tuple[str, float, float]] = {
    "RoiAlign": ("the expected values are written down with four decimals", 1e-4, 6e-5),
    "test_averagepool_2d_ceil_last_window_starts_on_pad": (
        "the expected values are written down with four decimals",
        1e-4,
        6e-5,
    ),
    "GridSample": ("the expected values are written down with four decimals", 1e-4, 6e-5),
}
# What ONNX expects of these was drawn by NumPy's generator, "for informational purpose": what any other may draw.
DRAWN: dict[str, Callable[[np.ndarray, tuple[Any, ...]], bool]] = {
    **{name: lambda got, _: bool(np.isin(got, (0, 1)).all()) for name in _BERNOULLIS},
    **{name: lambda got, inputs: _is_dropped(got, *inputs) for name in _DROPOUTS},
}
_BY_TYPE = {
    "float16": (1e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-7),
}


def mismatch(test: NodeTest, results: list[Any]) -> str | None:
    """Why results are not what the test expects; None if they are. Types and shapes must be equal, integers and bools exact."""
    if len(results) < len(test.outputs):
        return f"{len(results)} outputs, expected {len(test.outputs)}"
    found = (
        _differs(test, f"output {at}", *pair)
        for at, pair in enumerate(zip(results, test.outputs, strict=False))
    )
    return next((why for why in found if why is not None), None)


def _differs(test: NodeTest, what: str, got: Any, expected: Any) -> str | None:
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"{what} is {type(got).__name__}, expected a list of {len(expected)}"
        found = (
            _differs(test, f"{what}[{at}]", *pair) for at, pair in enumerate(zip(got, expected, strict=True))
        )
        return next((why for why in found if why is not None), None)
    if expected is None or not isinstance(got, np.ndarray):
        return (
            None if got is expected else f"{what} is {type(got).__name__}, expected {type(expected).__name__}"
        )
    return _array_differs(test, what, got, expected)


def _array_differs(test: NodeTest, what: str, got: np.ndarray, expected: np.ndarray) -> str | None:
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{what} is {got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if test.name in DRAWN:
        return None if DRAWN[test.name](got, test.inputs) else f"{what} has values that cannot be drawn"
    rtol, atol = _BY_TYPE.get(expected.dtype.name, (0.0, 0.0))
    for key in (*sorted(test.op_types), test.name):
        if key in TOLERANCES:
            _, rtol, atol = TOLERANCES[key]
    if expected.dtype.kind in "fV" and expected.dtype.name in _BY_TYPE:
        a, b = np.asarray(got, np.float64), np.asarray(expected, np.float64)
        close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        if not close.all():
            worst = (
                float(np.nanmax(np.where(close, 0, np.abs(a - b))))
                if np.isfinite(a - b).any()
                else float("nan")
            )
            return f"{what} differs in {int((~close).sum())} of {close.size} elements, by up to {worst:.3g}"
    elif expected.dtype.isbuiltin == 2:  # of ml_dtypes: bit by bit, a NaN too
        if got.astype(expected.dtype).tobytes() != expected.tobytes():
            return f"{what} differs in {int((got.view(np.uint8) != expected.view(np.uint8)).sum())} elements"
    elif not np.array_equal(got, expected):
        return f"{what} differs in {int((got != expected).sum())} of {expected.size} elements"
    return None
